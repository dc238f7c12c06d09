//! The second look at a word: braces, then tilde, then globs, in bash's order (manual "Shell Expansions").
//!
//! In: a word's parts with unquoted text as it stands. Out: the same with [`PartKind::Braces`], [`PartKind::Tilde`] and
//! the glob parts in their places. Only words in which such a byte was seen come here. Floor 2.

use super::assign::literal;
use super::lexer::{NAME, class, name_start};
use super::word::{BRACE, CONTINUED, GLOB, Mode};
use super::{R, Reader};
use crate::source::Span;
use crate::syntax::ast::{Bytes, Part, PartKind};

/// Where a tilde expands.
#[derive(Clone, Copy, PartialEq, Eq)]
struct TildeAt {
    /// At the very start.
    start: bool,
    /// Also after `:`, from this byte of the first literal on.
    colon_from: Option<usize>,
    /// After the `=` at this byte of the first literal.
    equals: Option<usize>,
}

impl Reader<'_> {
    /// Applies the second look.
    pub(super) fn finish(&mut self, mut parts: Vec<Part>, notes: u8, mode: Mode) -> R<Vec<Part>> {
        if notes & CONTINUED != 0 {
            parts = self.merge(parts);
        }
        if matches!(mode, Mode::Regex | Mode::Delimiter) {
            return Ok(parts);
        }
        if notes & BRACE != 0 && self.dialect.braces && matches!(mode, Mode::First | Mode::Word) {
            parts = self.braces(parts)?;
        }
        let tilde = match mode {
            Mode::Value => TildeAt { start: true, colon_from: Some(0), equals: None },
            Mode::Ext(_) | Mode::BraceSlash => TildeAt { start: false, colon_from: None, equals: None },
            Mode::First | Mode::Word => {
                // Any word of the form name=value gets its tildes expanded as an assignment would: make D=~/x
                let equals = assignment_equals(&parts);
                TildeAt { start: true, colon_from: equals, equals }
            }
            _ => TildeAt { start: true, colon_from: None, equals: None },
        };
        Ok(self.split(parts, tilde, notes & GLOB != 0))
    }

    /// Joins literals that a line continuation kept apart.
    fn merge(&self, parts: Vec<Part>) -> Vec<Part> {
        let mut out: Vec<Part> = Vec::with_capacity(parts.len());
        for part in parts {
            if let PartKind::Literal(more) = &part.kind
                && let Some(Part { kind: PartKind::Literal(text), span }) = out.last_mut()
            {
                text.extend_from_slice(more);
                *span = span.to(part.span);
                continue;
            }
            out.push(part);
        }
        out
    }

    /// Bytes `from..to` of a literal as a literal.
    pub(super) fn piece(&self, part: &Part, text: &[u8], from: usize, to: usize) -> Part {
        literal(text.get(from..to).unwrap_or(&[]), self.place(part.span, text.len(), from), {
            let last = self.place(part.span, text.len(), to.saturating_sub(1));
            if to > from { last + 1 } else { last }
        })
    }

    /// Where byte `k` of a literal stands in the text: literals that were joined hold continuations between.
    fn place(&self, span: Span, len: usize, k: usize) -> usize {
        let start = span.start as usize;
        if span.len() == len {
            return start + k;
        }
        let mut at = start;
        for _ in 0..k {
            at = self.look(at).1 + 1;
        }
        self.look(at).1
    }

    fn split(&self, parts: Vec<Part>, tilde: TildeAt, globs: bool) -> Vec<Part> {
        let mut out: Vec<Part> = Vec::with_capacity(parts.len() + 2);
        let count = parts.len();
        // A bracket that was not closed once is not closed later.
        let mut brackets = globs;
        let mut rest = parts.into_iter().enumerate().peekable();
        // Set after a bracket expression: the literal it ended in, and how much of it is used.
        let mut again: Option<(usize, Part, usize)> = None;
        loop {
            let (index, part, skip) = match again.take() {
                Some(r) => r,
                None => match rest.next() {
                    Some((i, p)) => (i, p, 0),
                    None => return out,
                },
            };
            let text = match part.kind {
                PartKind::Literal(ref text) => text.clone(),
                PartKind::Braces(alternatives) => {
                    let inner = TildeAt { start: tilde.start && index == 0, colon_from: None, equals: None };
                    let alternatives = alternatives.into_iter().map(|a| self.split(a, inner, globs)).collect();
                    out.push(Part { kind: PartKind::Braces(alternatives), span: part.span });
                    continue;
                }
                _ => {
                    out.push(part);
                    continue;
                }
            };
            let mut from = skip;
            let mut k = skip;
            while let Some(&b) = text.get(k) {
                let expands = b == b'~'
                    && (index == 0 && k == 0 && tilde.start
                        || index == 0 && k > 0 && tilde.equals == Some(k - 1)
                        || k > 0
                            && text.get(k - 1) == Some(&b':')
                            && tilde.colon_from.is_some_and(|c| index > 0 || k > c));
                if expands {
                    let user = text.iter().skip(k + 1).take_while(|&&b| login(b)).count();
                    let end = k + 1 + user;
                    let ends = match text.get(end) {
                        Some(b'/' | b':') => true,
                        Some(_) => false,
                        None => index + 1 == count,
                    };
                    if ends {
                        if k > from {
                            out.push(self.piece(&part, &text, from, k));
                        }
                        let mut t = self.piece(&part, &text, k, end);
                        t.kind = PartKind::Tilde(text.get(k + 1..end).unwrap_or(&[]).into());
                        out.push(t);
                        from = end;
                        k = end;
                        continue;
                    }
                }
                if globs && matches!(b, b'*' | b'?') {
                    if k > from {
                        out.push(self.piece(&part, &text, from, k));
                    }
                    let mut g = self.piece(&part, &text, k, k + 1);
                    g.kind = if b == b'*' { PartKind::GlobStar } else { PartKind::GlobQuestion };
                    out.push(g);
                    k += 1;
                    from = k;
                    continue;
                }
                if brackets && b == b'[' {
                    match bracket_end(&text, k + 1) {
                        Close::At(end) => {
                            if k > from {
                                out.push(self.piece(&part, &text, from, k));
                            }
                            let mut g = self.piece(&part, &text, k, end + 1);
                            g.kind = PartKind::GlobBracket(vec![self.piece(&part, &text, k + 1, end)]);
                            out.push(g);
                            k = end + 1;
                            from = k;
                            continue;
                        }
                        Close::Open { first } => {
                            // Perhaps in a later literal: [a"b"c]
                            let here: Vec<Part> = if k + 1 < text.len() {
                                vec![self.piece(&part, &text, k + 1, text.len())]
                            } else {
                                Vec::new()
                            };
                            if rest.peek().is_some() {
                                let opened = self.piece(&part, &text, k, k + 1);
                                match self.bracket_over_parts(&mut rest, here, first) {
                                    Ok((inner, i, p, end)) => {
                                        if k > from {
                                            out.push(self.piece(&part, &text, from, k));
                                        }
                                        let PartKind::Literal(t) = &p.kind else { continue };
                                        let span = opened.span.to(self.piece(&p, t, end, end + 1).span);
                                        out.push(Part { kind: PartKind::GlobBracket(inner), span });
                                        again = Some((i, p, end + 1));
                                        from = text.len();
                                    }
                                    Err(seen) => {
                                        // No bracket after all: what was taken is split as it is, without brackets.
                                        if k + 1 > from {
                                            out.push(self.piece(&part, &text, from, k + 1));
                                        }
                                        out.extend(self.split_globs(seen));
                                        from = text.len();
                                    }
                                }
                                break;
                            }
                            brackets = false;
                        }
                    }
                }
                k += 1;
            }
            if from < text.len() {
                if from == 0 {
                    out.push(part);
                } else {
                    out.push(self.piece(&part, &text, from, text.len()));
                }
            }
        }
    }

    /// Splits `*` and `?` only.
    fn split_globs(&self, parts: Vec<Part>) -> Vec<Part> {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            let PartKind::Literal(text) = &part.kind else {
                out.push(part);
                continue;
            };
            let mut from = 0usize;
            for (k, &b) in text.iter().enumerate() {
                if matches!(b, b'*' | b'?') {
                    if k > from {
                        out.push(self.piece(&part, text, from, k));
                    }
                    let mut g = self.piece(&part, text, k, k + 1);
                    g.kind = if b == b'*' { PartKind::GlobStar } else { PartKind::GlobQuestion };
                    out.push(g);
                    from = k + 1;
                }
            }
            if from < text.len() {
                out.push(self.piece(&part, text, from, text.len()));
            }
        }
        out
    }

    /// Takes parts until a literal closes the bracket. Gives what stands inside, the literal with its index, and the
    /// place of `]` in it; or all that was taken where nothing closes it.
    fn bracket_over_parts(
        &self,
        rest: &mut std::iter::Peekable<std::iter::Enumerate<std::vec::IntoIter<Part>>>,
        mut inner: Vec<Part>,
        first: bool,
    ) -> Result<(Vec<Part>, usize, Part, usize), Vec<Part>> {
        // `[` at the very end of its literal, then a quoted part: a `]` after that is no longer the first character.
        let mut first = first && inner.is_empty();
        for (i, part) in rest.by_ref() {
            if let PartKind::Literal(text) = &part.kind {
                let from = usize::from(first && text.first() == Some(&b']'));
                first = false;
                if let Close::At(end) = scan_bracket(text, from) {
                    if end > 0 {
                        inner.push(self.piece(&part, text, 0, end));
                    }
                    return Ok((inner, i, part, end));
                }
            } else {
                first = false;
            }
            inner.push(part);
        }
        Err(inner)
    }
}

/// The `=` of a word that looks like an assignment (`name=`, `name+=`): its place in the first literal.
fn assignment_equals(parts: &[Part]) -> Option<usize> {
    let PartKind::Literal(text) = &parts.first()?.kind else { return None };
    if !name_start(*text.first()?) {
        return None;
    }
    let n = text.iter().take_while(|&&b| class(b) & NAME != 0).count();
    match (text.get(n), text.get(n + 1)) {
        (Some(b'='), _) => Some(n),
        (Some(b'+'), Some(b'=')) => Some(n + 1),
        _ => None,
    }
}

/// Bytes of a login name, and the digits and signs of `~+`, `~-2`.
fn login(b: u8) -> bool {
    class(b) & NAME != 0 || matches!(b, b'.' | b'+' | b'-')
}

enum Close {
    At(usize),
    /// Not in this literal. The flag: nothing stood inside yet, so that a `]` would be the first character.
    Open {
        first: bool,
    },
}

/// Where the bracket expression ends whose first character inside is at `from`.
fn bracket_end(text: &Bytes, from: usize) -> Close {
    let mut at = from;
    if matches!(text.get(at), Some(b'!' | b'^')) {
        at += 1;
    }
    let first = at >= text.len();
    if text.get(at) == Some(&b']') {
        at += 1;
    }
    match scan_bracket(text, at) {
        Close::Open { .. } => Close::Open { first },
        close => close,
    }
}

/// The next `]` that is not part of `[:class:]`, `[.x.]` or `[=x=]`.
fn scan_bracket(text: &Bytes, from: usize) -> Close {
    let mut at = from;
    while let Some(&b) = text.get(at) {
        if b == b']' {
            return Close::At(at);
        }
        if b == b'['
            && let Some(&kind @ (b':' | b'.' | b'=')) = text.get(at + 1)
        {
            // Class names are short; a longer search would have to be paid for again and again.
            let end = text.iter().skip(at + 2).take(24).position(|&c| c == kind);
            if let Some(n) = end
                && text.get(at + 3 + n) == Some(&b']')
            {
                at += n + 4;
                continue;
            }
        }
        at += 1;
    }
    Close::Open { first: false }
}
