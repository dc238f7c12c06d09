//! Words: bash manual "Quoting" and "Shell Expansions".
//!
//! In: the reader at the first byte of a word. Out: its parts. Reading is one pass that keeps unquoted text as
//! [`PartKind::Literal`]; what bash decides on the text of the whole word (braces first, then tilde and globs) is done
//! afterwards, and only where a byte was seen that asks for it. Floor 2.

use super::assign::literal;
use super::lexer::{META, NOTE, QSTOP, STOP, class};
use super::{R, Reader, add};
use crate::source::Span;
use crate::syntax::ast::{Bytes, Part, PartKind, Word};

/// Where a word stands, which decides what ends it and what is special in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The first word of a command: `name()` may follow.
    First,
    /// An argument, a redirection's target, a word after `in`.
    Word,
    /// The value of an assignment: no braces; a tilde also after `:`.
    Value,
    /// A `case` word, a here-string, an operand of `[[ ]]`: no braces.
    Case,
    /// A `case` pattern, the right side of `==`.
    Pattern,
    /// The right side of `=~`: parentheses and `|` belong to the word, nothing globs.
    Regex,
    /// The delimiter of a here-document.
    Delimiter,
    /// Inside `${x…}`: ends at `}` only.
    Brace,
    /// Inside `${x/…}`: ends at `/`, too.
    BraceSlash,
    /// An alternative of an extended glob: ends at `|` and `)`. The flag: inside `${…}`, so that `}` ends it.
    Ext(bool),
}

/// Seen in a word: `{`.
pub(super) const BRACE: u8 = 1;
/// Seen in a word: `*`, `?` or `[`.
pub(super) const GLOB: u8 = 2;
/// Seen in a word: a line continuation.
pub(super) const CONTINUED: u8 = 4;

/// Parts as they were read, before braces, tilde and globs.
pub(super) struct Raw {
    pub(super) parts: Vec<Part>,
    pub(super) notes: u8,
}

/// What surrounds a piece of quoted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    /// `"…"`
    Double,
    /// A here-document's body: `"` is plain.
    Heredoc,
    /// The word of `"${x:-…}"`: ends at `}`.
    Brace,
    /// The same in a here-document.
    BraceHeredoc,
}

impl Reader<'_> {
    /// The word that begins here. May be empty only for [`Mode::Value`] and the modes inside `${…}`.
    pub(super) fn word(&mut self, mode: Mode) -> R<Word> {
        let start = self.pos;
        let raw = self.raw_word(mode)?;
        self.finish_word(raw.parts, raw.notes, Span::new(start, self.pos), mode)
    }

    /// Goes on reading a word of which some parts are there.
    pub(super) fn word_after(&mut self, start: usize, before: Vec<Part>, mode: Mode) -> R<Word> {
        let raw = self.raw_word(mode)?;
        let rest = self.finish_word(raw.parts, raw.notes, Span::new(start, self.pos), mode)?;
        let mut parts = before;
        parts.extend(rest.parts);
        Ok(Word { parts, ..rest })
    }

    /// Braces, tilde, globs.
    pub(super) fn finish_word(&mut self, parts: Vec<Part>, notes: u8, span: Span, mode: Mode) -> R<Word> {
        self.count(parts.len() + 1)?;
        let tilde = matches!(parts.first(), Some(Part { kind: PartKind::Literal(t), .. }) if t.contains(&b'~'));
        if notes == 0 && !tilde && mode != Mode::Value {
            return Ok(Word { parts, span, assignment: None });
        }
        let parts = self.finish(parts, notes, mode)?;
        Ok(Word { parts, span, assignment: None })
    }

    /// The parts of a word, with unquoted text as it stands.
    pub(super) fn raw_word(&mut self, mode: Mode) -> R<Raw> {
        let mut parts: Vec<Part> = Vec::new();
        let mut notes = 0u8;
        let mut run = self.pos;
        let mut nested = 0usize;
        let mut i = self.pos;
        let in_brace = matches!(mode, Mode::Brace | Mode::BraceSlash | Mode::Ext(true));
        loop {
            let b = self.at(i);
            let c = class(b);
            if c & STOP == 0 {
                if c & NOTE != 0 {
                    notes |= if b == b'{' { BRACE } else { GLOB };
                }
                i += 1;
                continue;
            }
            match b {
                0 if i >= self.text.len() => {
                    if nested > 0 || in_brace || matches!(mode, Mode::Ext(_)) {
                        return self.open_end();
                    }
                    break;
                }
                b'}' => {
                    if in_brace {
                        break;
                    }
                    i += 1;
                    continue;
                }
                b'/' => {
                    if mode == Mode::BraceSlash {
                        break;
                    }
                    i += 1;
                    continue;
                }
                b'(' if self.extglob_before(run, i, mode) => {
                    self.flush(&mut parts, run, i - 1);
                    let part = self.extglob(i - 1, i, in_brace)?;
                    parts.extend(part);
                    i = self.pos;
                    run = i;
                    notes |= GLOB;
                    continue;
                }
                // zsh: (a|b) and (N) belong to the word they stand in.
                b'(' if self.dialect.zsh
                    && (i > run && !(i == run + 1 && self.at(run) == b'=') || !parts.is_empty())
                    && !matches!(mode, Mode::Regex | Mode::Ext(_) | Mode::Delimiter)
                    && !in_brace
                    && !(mode == Mode::First && self.empty_at(i)) =>
                {
                    self.flush(&mut parts, run, i);
                    let part = self.extglob(i, i, in_brace)?;
                    parts.extend(part);
                    i = self.pos;
                    run = i;
                    notes |= GLOB;
                    continue;
                }
                // zsh: =(list) at the start of a word.
                b'(' if self.dialect.zsh && parts.is_empty() && i == run + 1 && self.at(run) == b'=' => {
                    self.pos = run;
                    parts.push(self.process()?);
                    i = self.pos;
                    run = i;
                    continue;
                }
                b'(' if matches!(mode, Mode::Regex | Mode::Ext(_)) => {
                    nested += 1;
                    i += 1;
                    continue;
                }
                b')' if nested > 0 => {
                    nested -= 1;
                    i += 1;
                    continue;
                }
                b')' | b'|' if matches!(mode, Mode::Ext(_)) && nested == 0 => break,
                b'|' if mode == Mode::Regex => {
                    i += 1;
                    continue;
                }
                b'<' | b'>' if self.dialect.process && self.look(i + 1).0 == b'(' && mode != Mode::Delimiter => {
                    self.flush(&mut parts, run, i);
                    self.pos = i;
                    let part = self.process()?;
                    parts.push(part);
                    i = self.pos;
                    run = i;
                    continue;
                }
                _ if c & META != 0 => {
                    if nested > 0 || matches!(mode, Mode::Ext(_)) || in_brace {
                        i += 1;
                        continue;
                    }
                    break;
                }
                _ => {}
            }
            if b == b'$' && (nested > 0 || matches!(mode, Mode::Ext(_))) {
                let (next, open) = self.look(i + 1);
                if next == b'(' && self.look(open + 1).0 != b'(' {
                    self.flush(&mut parts, run, i);
                    parts.push(self.counted_substitution(i, open)?);
                    i = self.pos;
                    run = i;
                    continue;
                }
            }
            // Quotes and sigils.
            self.flush(&mut parts, run, i);
            self.pos = i;
            match b {
                b'\\' if self.at(i + 1) == b'\n' => {
                    notes |= CONTINUED;
                    self.pos = i + 2;
                }
                _ => {
                    if !self.sigil(b, &mut parts)? {
                        // A lone `$`: plain text, and the run goes on from it.
                        run = i;
                        i += 1;
                        continue;
                    }
                }
            }
            i = self.pos;
            run = i;
        }
        self.flush(&mut parts, run, i);
        self.pos = i;
        Ok(Raw { parts, notes })
    }

    /// The quote or expansion that begins here with `b`, added to `parts`; false for a `$` that is plain text.
    ///
    /// A function of its own to keep the frames small that nest with the text.
    fn sigil(&mut self, b: u8, parts: &mut Vec<Part>) -> R<bool> {
        let i = self.pos;
        let part = match b {
            b'\\' => {
                let end = (i + 2).min(self.text.len());
                // A backslash that ends the text stands for itself.
                let kept = if end == i + 2 { i + 1 } else { i };
                self.pos = end;
                Part { kind: PartKind::Escaped(self.bytes(kept, end)), span: Span::new(i, end) }
            }
            b'\'' => self.single(i)?,
            b'"' => self.double(i, PartKind::Double)?,
            b'`' => self.backquote(false)?,
            _ => match self.dollar(None)? {
                Some(part) => part,
                None => return Ok(false),
            },
        };
        // An expansion takes more room than text.
        self.count(2)?;
        add(parts, part);
        Ok(true)
    }

    /// Ends a run of plain text.
    pub(super) fn flush(&self, parts: &mut Vec<Part>, from: usize, to: usize) {
        if to > from {
            add(parts, literal(self.text.get(from..to).unwrap_or(&[]), from, to));
        }
    }

    /// Bytes of the text.
    pub(super) fn bytes(&self, from: usize, to: usize) -> Bytes {
        self.text.get(from..to).unwrap_or(&[]).into()
    }

    /// `'…'` at `open`.
    pub(super) fn single(&mut self, open: usize) -> R<Part> {
        let rest = self.text.get(open + 1..).unwrap_or(&[]);
        let Some(len) = rest.iter().position(|&b| b == b'\'') else { return self.open_end() };
        let end = open + 1 + len;
        self.pos = end + 1;
        Ok(Part { kind: PartKind::Single(self.bytes(open + 1, end)), span: Span::new(open, end + 1) })
    }

    /// `"…"` at `open`.
    pub(super) fn double(&mut self, open: usize, kind: fn(Vec<Part>) -> PartKind) -> R<Part> {
        self.pos = open + 1;
        let parts = self.deeper(|this| this.quoted(Quoted::Double))?;
        self.pos += 1;
        Ok(Part { kind: kind(parts), span: Span::new(open, self.pos) })
    }

    /// Text in double quotes or the like, up to what ends it, which is left unread. Escapes are undone.
    pub(super) fn quoted(&mut self, around: Quoted) -> R<Vec<Part>> {
        let mut parts: Vec<Part> = Vec::new();
        let mut text = Bytes::new();
        let mut from = self.pos;
        let mut run = self.pos;
        let mut i = self.pos;
        let braced = matches!(around, Quoted::Brace | Quoted::BraceHeredoc);
        loop {
            let b = self.at(i);
            if class(b) & QSTOP == 0 {
                i += 1;
                continue;
            }
            match b {
                0 if i >= self.text.len() => {
                    if around != Quoted::Heredoc {
                        return self.open_end();
                    }
                    break;
                }
                b'}' if braced => break,
                b'"' if around == Quoted::Double => break,
                0 | b'}' => {
                    i += 1;
                    continue;
                }
                b'\'' if !braced => {
                    i += 1;
                    continue;
                }
                // "${x:-'}'}": the quotes pair up and hide a brace, but they stay, and what is between expands.
                b'\'' => {
                    text.extend_from_slice(self.text.get(run..=i).unwrap_or(&[]));
                    let close = self.quotes_in_braces(i, &mut text, &mut from, &mut parts)?;
                    run = close;
                    i = close + 1;
                    continue;
                }
                b'"' if around == Quoted::Heredoc => {
                    i += 1;
                    continue;
                }
                b'\\' => {
                    let next = self.at(i + 1);
                    let kept = match next {
                        b'\n' => 0,
                        b'$' | b'`' | b'\\' => 1,
                        b'"' if around != Quoted::Heredoc => 1,
                        b'}' if braced => 1,
                        _ => {
                            i += if i + 1 < self.text.len() { 2 } else { 1 };
                            continue;
                        }
                    };
                    text.extend_from_slice(self.text.get(run..i).unwrap_or(&[]));
                    if kept == 1 {
                        text.push(next);
                    }
                    i += 2;
                    run = i;
                    continue;
                }
                _ => {}
            }
            self.pos = i;
            let before = i;
            let part = match b {
                b'`' => Some(self.backquote(around == Quoted::Double || braced)?),
                // A quote inside the word of "${x:-"a b"}": its text is quoted all the same.
                b'"' => Some(self.double(i, PartKind::Double)?),
                _ => self.dollar(Some(around))?,
            };
            let Some(part) = part else {
                i += 1;
                continue;
            };
            text.extend_from_slice(self.text.get(run..before).unwrap_or(&[]));
            if !text.is_empty() {
                let kind = PartKind::Literal(std::mem::take(&mut text));
                add(&mut parts, Part { kind, span: Span::new(from, before) });
            }
            self.count(1)?;
            add(&mut parts, part);
            i = self.pos;
            run = i;
            from = i;
        }
        text.extend_from_slice(self.text.get(run..i).unwrap_or(&[]));
        if !text.is_empty() {
            add(&mut parts, Part { kind: PartKind::Literal(text), span: Span::new(from, i) });
        }
        self.pos = i;
        Ok(parts)
    }

    /// What stands between single quotes in `"${x:-'…'}"`, from the quote at `open` on; gives the place of the other.
    fn quotes_in_braces(&mut self, open: usize, text: &mut Bytes, from: &mut usize, parts: &mut Vec<Part>) -> R<usize> {
        let rest = self.text.get(open + 1..).unwrap_or(&[]);
        let Some(len) = rest.iter().position(|&b| b == b'\'') else { return self.open_end() };
        let close = open + 1 + len;
        let mut sub = self.part(open + 1, close);
        let inner = sub.body_parts();
        self.give_back(sub);
        for part in inner {
            if let PartKind::Literal(more) = &part.kind {
                text.extend_from_slice(more);
                continue;
            }
            if !text.is_empty() {
                let span = Span::new(*from, part.span.start as usize);
                parts.push(Part { kind: PartKind::Literal(std::mem::take(text)), span });
            }
            *from = part.span.end as usize;
            parts.push(part);
        }
        Ok(close)
    }

    /// True where the `(` at `i` makes an extended glob of the byte before it.
    fn extglob_before(&self, run: usize, i: usize, mode: Mode) -> bool {
        if !self.dialect.extglob || i <= run || matches!(mode, Mode::Regex | Mode::Delimiter) {
            return false;
        }
        if !matches!(self.at(i - 1), b'?' | b'*' | b'+' | b'@' | b'!') {
            return false;
        }
        // `f+() { … }` defines a function.
        if mode == Mode::First && self.empty_at(i) {
            return false;
        }
        true
    }

    fn empty_at(&self, open: usize) -> bool {
        let mut at = open + 1;
        loop {
            let (b, p) = self.look(at);
            match b {
                b' ' | b'\t' => at = p + 1,
                _ => return b == b')',
            }
        }
    }

    /// The alternatives of an extended glob that begins at `start`; `open` is its parenthesis (zsh has groups without
    /// an operator, which match like `@(…)`). Where `}` ends the surrounding `${…}` first,
    /// the pieces come back as plain parts.
    fn extglob(&mut self, start: usize, open: usize, in_brace: bool) -> R<Vec<Part>> {
        let op = if start < open { self.at(start) } else { b'@' };
        let mut alternatives = Vec::new();
        self.pos = open + 1;
        self.deeper(|this| {
            loop {
                let raw = this.raw_word(Mode::Ext(in_brace))?;
                this.count(raw.parts.len())?;
                let parts = this.finish(raw.parts, raw.notes, Mode::Ext(in_brace))?;
                alternatives.push(parts);
                if this.at(this.pos) != b'|' {
                    return Ok(());
                }
                this.pos += 1;
            }
        })?;
        if self.at(self.pos) == b')' {
            self.pos += 1;
            let span = Span::new(start, self.pos);
            return Ok(vec![Part { kind: PartKind::ExtGlob(op, alternatives), span }]);
        }
        let mut parts = vec![literal(self.text.get(start..=open).unwrap_or(&[]), start, open + 1)];
        for (n, alternative) in alternatives.into_iter().enumerate() {
            if n > 0 {
                let at = parts.last().map_or(open, |p| p.span.end as usize);
                parts.push(literal(b"|", at, at + 1));
            }
            parts.extend(alternative);
        }
        Ok(parts)
    }
}
