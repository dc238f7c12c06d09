//! Texts that are expanded and then read as arithmetic or as a key: `(( ))`, `$(( ))`, `$[ ]`, subscripts, offsets.
//!
//! In: the reader at the first byte inside. Out: its literals and expansions, the reader at what ends it. The expression
//! itself is not parsed here: bash does that after expansion. Floor 2.

use super::{R, Reader};
use crate::source::Span;
use crate::syntax::ast::{ArithText, Part, PartKind};

/// What else ends the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Also {
    Nothing,
    /// `;` outside parentheses.
    Semicolon,
    /// `:` outside parentheses that belongs to no `?`.
    Colon,
    /// `}`.
    Brace,
}

impl Reader<'_> {
    /// Up to the `close` that belongs to an `open` before the current place.
    pub(super) fn arith(&mut self, open: u8, close: u8) -> R<ArithText> {
        self.arith_text(open, close, Also::Nothing)
    }

    /// Up to `;` or the closing parenthesis of `for ((`.
    pub(super) fn arith_until_semicolon(&mut self) -> R<ArithText> {
        self.arith_text(b'(', b')', Also::Semicolon)
    }

    /// The subscript in `${x[…]}`: up to its `]`, or the `}` that ends the whole before it (a bad substitution).
    pub(super) fn arith_in_braces(&mut self) -> R<ArithText> {
        self.arith_text(b'[', b']', Also::Brace)
    }

    /// An offset or length in `${x:offset:length}`: up to `:` or `}`.
    pub(super) fn arith_until_colon(&mut self) -> R<ArithText> {
        self.arith_text(b'(', b'}', Also::Colon)
    }

    fn arith_text(&mut self, open: u8, close: u8, also: Also) -> R<ArithText> {
        let start = self.pos;
        let mut parts: Vec<Part> = Vec::new();
        let mut run = start;
        let mut i = start;
        let mut depth = 0usize;
        let mut choices = 0usize;
        loop {
            let b = self.at(i);
            match b {
                0 if i >= self.text.len() => return self.open_end(),
                b'\\' if self.at(i + 1) == b'\n' => {
                    self.flush(&mut parts, run, i);
                    i += 2;
                    run = i;
                }
                b'\\' => {
                    if matches!(self.at(i + 1), b'$' | b'`' | b'"' | b'\\') {
                        self.flush(&mut parts, run, i);
                        let kind = PartKind::Escaped(self.bytes(i + 1, i + 2));
                        parts.push(Part { kind, span: Span::new(i, i + 2) });
                        i += 2;
                        run = i;
                    } else {
                        i += if i + 1 < self.text.len() { 2 } else { 1 };
                    }
                }
                b'$' | b'`' | b'\'' | b'"' => {
                    self.pos = i;
                    let part = match b {
                        b'`' => Some(self.backquote(false)?),
                        b'"' => Some(self.double(i, PartKind::Double)?),
                        b'\'' => Some(self.single(i)?),
                        _ => self.dollar(None)?,
                    };
                    let Some(part) = part else {
                        i += 1;
                        continue;
                    };
                    self.flush(&mut parts, run, i);
                    self.count(1)?;
                    parts.push(part);
                    i = self.pos;
                    run = i;
                }
                _ if b == close && (depth == 0 || also == Also::Colon) => break,
                b'}' if also == Also::Brace => break,
                b';' if also == Also::Semicolon && depth == 0 => break,
                b':' if also == Also::Colon && depth == 0 => {
                    if choices == 0 {
                        break;
                    }
                    choices -= 1;
                    i += 1;
                }
                b'?' if depth == 0 => {
                    choices += 1;
                    i += 1;
                }
                b')' if also == Also::Colon => {
                    depth = depth.saturating_sub(1);
                    i += 1;
                }
                _ => {
                    if b == open {
                        depth += 1;
                    } else if b == close {
                        depth -= 1;
                    }
                    i += 1;
                }
            }
        }
        self.flush(&mut parts, run, i);
        self.pos = i;
        Ok(ArithText { parts, span: Span::new(start, i) })
    }
}
