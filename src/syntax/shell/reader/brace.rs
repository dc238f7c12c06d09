//! Brace expansion: which `{` of a word expands, decided as bash decides it, on the text of the word.
//!
//! In: a word's parts. Out: the same parts with [`PartKind::Braces`] and [`PartKind::BraceRange`] in them. Quoted parts
//! and expansions are opaque here: nothing in them counts. Floor 2.

use super::{R, Reader, Stop};
use crate::source::Span;
use crate::syntax::ast::{BraceRange, Part, PartKind, SyntaxError};

/// One unquoted byte, or a whole part of another kind (`byte` is `None`).
#[derive(Clone, Copy)]
struct Item {
    byte: Option<u8>,
    part: usize,
    offset: usize,
}

struct Braces {
    items: Vec<Item>,
    parts: Vec<Option<Part>>,
    /// Steps that may still be taken: `{a}{a}{a}…` is quadratic by bash's rules.
    steps: usize,
}

impl Reader<'_> {
    /// Finds the brace expressions of a word.
    pub(super) fn braces(&mut self, parts: Vec<Part>) -> R<Vec<Part>> {
        let mut closes = false;
        let mut separates = false;
        for part in &parts {
            if let PartKind::Literal(text) = &part.kind {
                closes |= text.contains(&b'}');
                separates |= text.contains(&b',') || text.windows(2).any(|w| w == b"..");
            }
        }
        if !closes || !separates {
            return Ok(parts);
        }
        let mut items = Vec::new();
        for (n, part) in parts.iter().enumerate() {
            match &part.kind {
                PartKind::Literal(text) => {
                    items.extend(text.iter().enumerate().map(|(k, &b)| Item { byte: Some(b), part: n, offset: k }));
                }
                _ => items.push(Item { byte: None, part: n, offset: 0 }),
            }
        }
        let len = items.len();
        let mut work = Braces { items, parts: parts.into_iter().map(Some).collect(), steps: self.brace_steps };
        let mut out = Vec::new();
        self.expand(&mut work, 0, len, &mut out)?;
        self.brace_steps = work.steps;
        Ok(out)
    }

    /// The text between `lo` and `hi`, as bash's `brace_expand` takes it apart.
    fn expand(&mut self, w: &mut Braces, lo: usize, hi: usize, out: &mut Vec<Part>) -> R<()> {
        let mut from = lo;
        while from < hi {
            let mut search = from;
            let mut found = None;
            while let Some(open) = self.gobble(w, from, search, hi, b'{')? {
                if let Some(close) = self.gobble(w, from, open + 1, hi, b'}')? {
                    found = Some((open, close));
                    break;
                }
                search = open + 1;
            }
            let Some((open, close)) = found else { break };
            let has_comma = w.items.get(open + 1..close).unwrap_or(&[]).iter().any(|i| i.byte == Some(b','));
            if !has_comma {
                if let Some(range) = w.sequence(open + 1, close) {
                    self.emit(w, from, open, out);
                    let span = w.span(self, open).to(w.span(self, close));
                    out.push(Part { kind: PartKind::BraceRange(Box::new(range)), span });
                } else {
                    self.emit(w, from, close + 1, out);
                }
                from = close + 1;
                continue;
            }
            self.emit(w, from, open, out);
            let mut alternatives = Vec::new();
            let mut start = open + 1;
            loop {
                let comma = self.gobble(w, start, start, close, b',')?;
                let end = comma.unwrap_or(close);
                let mut inner = Vec::new();
                self.deeper(|this| this.expand(w, start, end, &mut inner))?;
                alternatives.push(inner);
                match comma {
                    Some(c) => start = c + 1,
                    None => break,
                }
            }
            self.count(alternatives.len())?;
            let span = w.span(self, open).to(w.span(self, close));
            // {..{a,b}} has one alternative: the outer braces go all the same.
            out.push(Part { kind: PartKind::Braces(alternatives), span });
            from = close + 1;
        }
        self.emit(w, from, hi, out);
        Ok(())
    }

    /// The next `want` at level 0. A closing brace counts only after a comma or `..` at its level.
    fn gobble(&self, w: &mut Braces, start: usize, from: usize, hi: usize, want: u8) -> R<Option<usize>> {
        let mut level = 0usize;
        let mut separated = want != b'}';
        let mut i = from;
        while i < hi {
            w.steps = w.steps.saturating_sub(1);
            if w.steps == 0 {
                return Err(Stop { reason: SyntaxError::TooLarge, at: self.pos });
            }
            let b = w.byte(i);
            let next = if i + 1 < hi { w.byte(i + 1) } else { None };
            if b == Some(want) && level == 0 && separated {
                // `{}` at the start stays as it is: find -exec {} …
                if !(want == b'{' && i == start && next == Some(b'}')) {
                    return Ok(Some(i));
                }
                i += 1;
                continue;
            }
            match b {
                Some(b'{') => level += 1,
                Some(b'}') => level = level.saturating_sub(1),
                Some(b',') if want == b'}' && level == 0 => separated = true,
                Some(b'.') if want == b'}' && level == 0 && next == Some(b'.') => {
                    let third = if i + 2 < hi { w.byte(i + 2) } else { None };
                    separated |= third != Some(b'}');
                }
                _ => {}
            }
            i += 1;
        }
        Ok(None)
    }

    /// Hands on the items between as parts.
    fn emit(&self, w: &mut Braces, lo: usize, hi: usize, out: &mut Vec<Part>) {
        let mut i = lo;
        while i < hi {
            let Some(&Item { byte, part, offset }) = w.items.get(i) else { return };
            if byte.is_none() {
                out.extend(w.parts.get_mut(part).and_then(Option::take));
                i += 1;
                continue;
            }
            let mut j = i + 1;
            while j < hi && w.items.get(j).is_some_and(|n| n.part == part) {
                j += 1;
            }
            if let Some(Some(source)) = w.parts.get(part)
                && let PartKind::Literal(text) = &source.kind
            {
                out.push(self.piece(source, text, offset, offset + (j - i)));
            }
            i = j;
        }
    }
}

impl Braces {
    fn byte(&self, i: usize) -> Option<u8> {
        self.items.get(i).and_then(|item| item.byte)
    }

    fn span(&self, reader: &Reader<'_>, i: usize) -> Span {
        let Some(item) = self.items.get(i) else { return Span::default() };
        match self.parts.get(item.part) {
            Some(Some(part)) => match &part.kind {
                PartKind::Literal(text) => reader.piece(part, text, item.offset, item.offset + 1).span,
                _ => part.span,
            },
            _ => Span::default(),
        }
    }

    /// `a..b` or `a..b..step` of integers, or of single letters.
    fn sequence(&self, lo: usize, hi: usize) -> Option<BraceRange> {
        let text: Vec<u8> = self.items.get(lo..hi)?.iter().map(|i| i.byte).collect::<Option<_>>()?;
        let dots = |t: &[u8]| t.windows(2).position(|w| w == b"..");
        let n = dots(&text)?;
        let (first, rest) = (text.get(..n)?, text.get(n + 2..)?);
        let (last, step) = match dots(rest) {
            Some(m) => (rest.get(..m)?, Some(rest.get(m + 2..)?)),
            None => (rest, None),
        };
        let letter = |t: &[u8]| matches!(t, [c] if c.is_ascii_alphabetic());
        if !(integer(first) && integer(last) || letter(first) && letter(last)) || step.is_some_and(|s| !integer(s)) {
            return None;
        }
        Some(BraceRange { from: first.into(), to: last.into(), step: step.map(Into::into) })
    }
}

fn integer(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|t| t.parse::<i64>().is_ok())
}
