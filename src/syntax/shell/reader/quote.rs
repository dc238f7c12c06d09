//! What `$`, backquotes and `<(` begin: bash manual "ANSI-C Quoting", "Command Substitution", "Process Substitution".
//!
//! In: the reader at the sigil. Out: a [`Part`]. Floor 2.

use super::lexer::{NAME, class, name_start};
use super::word::Quoted;
use super::{Arithmetic, R, Reader};
use crate::escape::letter;
use crate::source::Span;
use crate::syntax::ast::{Bytes, List, Param, ParamOp, Part, PartKind, Program, Subscript};

impl Reader<'_> {
    /// What the `$` here begins; `None` where it is a plain character (nothing is read then).
    pub(super) fn dollar(&mut self, around: Option<Quoted>) -> R<Option<Part>> {
        let start = self.pos;
        let (b, p) = self.look(start + 1);
        let part = match b {
            b'(' => self.substitution(start, p)?,
            b'{' => {
                self.pos = p + 1;
                self.deeper(|this| this.braced(start, around))?
            }
            b'[' if self.dialect.old_arith => {
                self.pos = p + 1;
                let text = self.deeper(|this| this.arith(b'[', b']'))?;
                self.pos += 1;
                Part { kind: PartKind::Arith(text), span: Span::new(start, self.pos) }
            }
            // In "${x:-$'a'}" it is undone, too, but not in a here-document.
            b'\'' if self.dialect.ansi_c && matches!(around, None | Some(Quoted::Brace)) => self.ansi_c(start, p)?,
            b'"' if around.is_none() && self.dialect.locale => {
                let mut part = self.double(p, PartKind::Locale)?;
                part.span = Span::new(start, self.pos);
                part
            }
            // zsh: $#name is the length.
            b'#' if self.dialect.zsh && name_start(self.look(p + 1).0) => {
                let name = self.name(p + 1);
                let param = Param { name, subscript: None, indirect: false, op: ParamOp::Length };
                Part { kind: PartKind::Param(Box::new(param)), span: Span::new(start, self.pos) }
            }
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9' => {
                self.pos = p + 1;
                param(char::from(b).to_string(), start, self.pos)
            }
            _ if name_start(b) => {
                let name = self.name(p);
                self.zsh_subscripted(name, ParamOp::None, start)?
            }
            // zsh: $+name tells whether it is set.
            b'+' if self.dialect.zsh && name_start(self.look(p + 1).0) => {
                let name = self.name(p + 1);
                self.zsh_subscripted(name, ParamOp::Other(Vec::new()), start)?
            }
            _ => return Ok(None),
        };
        Ok(Some(part))
    }

    /// A parameter without braces; in zsh with a subscript, where one follows.
    fn zsh_subscripted(&mut self, name: String, op: ParamOp, start: usize) -> R<Part> {
        if !self.dialect.zsh || self.at(self.pos) != b'[' {
            return Ok(match op {
                ParamOp::None => param(name, start, self.pos),
                op => {
                    let param = Param { name, subscript: None, indirect: false, op };
                    Part { kind: PartKind::Param(Box::new(param)), span: Span::new(start, self.pos) }
                }
            });
        }
        self.pos += 1;
        let text = self.deeper(Self::arith_in_braces)?;
        if self.at(self.pos) != b']' {
            return self.unexpected();
        }
        self.pos += 1;
        let subscript = Some(match text.span.of(self.text) {
            b"@" => Subscript::At,
            b"*" => Subscript::Star,
            _ => Subscript::Index(text),
        });
        let param = Param { name, subscript, indirect: false, op };
        Ok(Part { kind: PartKind::Param(Box::new(param)), span: Span::new(start, self.pos) })
    }

    /// The name that begins at `from`; the reader is left after it.
    pub(super) fn name(&mut self, from: usize) -> String {
        let mut name = Vec::new();
        let mut at = from;
        loop {
            let run = at;
            while class(self.at(at)) & NAME != 0 {
                at += 1;
            }
            name.extend_from_slice(self.text.get(run..at).unwrap_or(&[]));
            let (b, p) = self.look(at);
            if p == at || class(b) & NAME == 0 {
                break;
            }
            at = p;
        }
        self.pos = at;
        String::from_utf8_lossy(&name).into_owned()
    }

    /// `$(…)` or `$((…))`; the parenthesis is at `open`.
    fn substitution(&mut self, start: usize, open: usize) -> R<Part> {
        let (next, inner) = self.look(open + 1);
        if next == b'(' {
            return self.arithmetic_substitution(start, open, inner);
        }
        self.pos = open + 1;
        let program = self.deeper(Self::inner_program)?;
        Ok(Part { kind: PartKind::Command(Box::new(program)), span: Span::new(start, self.pos) })
    }

    /// `$((`: bash finds the parenthesis that closes the first one by counting. If what lies between reads `(…)` with
    /// the inner parentheses balanced, it is arithmetic; else it is a command substitution whose text is read as a
    /// program of its own: `$((echo a); echo b)`.
    fn arithmetic_substitution(&mut self, start: usize, open: usize, inner: usize) -> R<Part> {
        let end = if let Some(Arithmetic::Command(end)) = self.tried(open) {
            end
        } else {
            let mark = self.mark();
            self.pos = inner + 1;
            let text = self.deeper(|this| this.arith(b'(', b')'))?;
            let close = self.pos;
            let (last, mut end) = self.look(close + 1);
            if last == b')' {
                if balanced(self.text.get(inner + 1..close).unwrap_or(&[])) {
                    self.pos = end + 1;
                    return Ok(Part { kind: PartKind::Arith(text), span: Span::new(start, self.pos) });
                }
            } else {
                drop(text);
                self.pos = close + 1;
                self.deeper(|this| this.arith(b'(', b')'))?;
                end = self.pos;
            }
            self.rewind(mark);
            self.try_failed(open, Arithmetic::Command(end));
            end
        };
        let program = self.region(open + 1, end);
        self.pos = end + 1;
        Ok(Part { kind: PartKind::Command(Box::new(program)), span: Span::new(start, self.pos) })
    }

    /// `<(…)`, `>(…)`, zsh `=(…)`.
    pub(super) fn process(&mut self) -> R<Part> {
        let start = self.pos;
        let kind = match self.at(start) {
            b'<' => PartKind::ProcessIn,
            b'>' => PartKind::ProcessOut,
            _ => PartKind::ProcessFile,
        };
        let open = self.look(start + 1).1;
        if self.look(open + 1).0 == b'(' {
            let program = self.counted(open)?;
            return Ok(Part { kind: kind(Box::new(program)), span: Span::new(start, self.pos) });
        }
        self.pos = open + 1;
        let program = self.deeper(Self::inner_program)?;
        Ok(Part { kind: kind(Box::new(program)), span: Span::new(start, self.pos) })
    }

    /// The program between the parenthesis at `open` and the one that closes it by counting, where bash finds the end
    /// so and reads the text only when it runs: in `<((a); b)`, in extended globs, in the groups of `=~`.
    pub(super) fn counted(&mut self, open: usize) -> R<Program> {
        let end = match self.tried(open) {
            Some(Arithmetic::Command(end)) => end,
            _ => {
                let mark = self.mark();
                self.pos = open + 1;
                self.deeper(|this| this.arith(b'(', b')'))?;
                let end = self.pos;
                self.rewind(mark);
                self.try_failed(open, Arithmetic::Command(end));
                end
            }
        };
        let program = self.region(open + 1, end);
        self.pos = end + 1;
        Ok(program)
    }

    /// The same as the part that it is; the `$` is at `start`.
    pub(super) fn counted_substitution(&mut self, start: usize, open: usize) -> R<Part> {
        let program = self.counted(open)?;
        Ok(Part { kind: PartKind::Command(Box::new(program)), span: Span::new(start, self.pos) })
    }

    /// The list up to `)`, which is read, too. A syntax error in it is one of the whole line, as in bash 5.2.
    fn inner_program(&mut self) -> R<Program> {
        let from = self.pos;
        let outer = std::mem::take(&mut self.comments);
        let base = std::mem::replace(&mut self.pending_base, self.pending.len());
        let mut first = from;
        while let (b' ' | b'\t', p) = self.look(first) {
            first = p + 1;
        }
        first = self.look(first).1;
        if matches!(self.reserved(first), Some((super::lexer::Reserved::Time, _))) {
            self.word_time = first;
        }
        let result = self.inner_list(from);
        self.pending_base = base;
        let comments = std::mem::replace(&mut self.comments, outer);
        let (list, span) = result?;
        let lists = if list.items.is_empty() { Vec::new() } else { vec![list] };
        Ok(Program { lists, comments, unparsed: Vec::new(), span })
    }

    fn inner_list(&mut self, from: usize) -> R<(List, Span)> {
        let list = self.compound_list()?;
        let span = Span::new(from, self.pos);
        self.close(b')')?;
        if self.pending.len() > self.pending_base {
            self.late_heredocs()?;
        }
        Ok((list, span))
    }

    /// A command substitution in backquotes. Its end is the next backquote without a backslash; `\$`, `` \` `` and `\\`
    /// (in double quotes also `\"`) lose the backslash, then the text is a program of its own.
    pub(super) fn backquote(&mut self, in_double: bool) -> R<Part> {
        let open = self.pos;
        let escapes = |b: u8| matches!(b, b'$' | b'`' | b'\\' | b'\n') || in_double && b == b'"';
        let mut escaped = false;
        let mut i = open + 1;
        loop {
            match self.at(i) {
                b'`' => break,
                b'\\' => {
                    escaped |= escapes(self.at(i + 1));
                    i += 2;
                }
                0 if i >= self.text.len() => return self.open_end(),
                _ => i += 1,
            }
        }
        let close = i;
        let program = if escaped {
            let mut copy = Vec::with_capacity(close - open);
            let mut runs = vec![(0usize, open + 1)];
            let mut at = open + 1;
            while at < close {
                let b = self.at(at);
                let next = self.at(at + 1);
                if b == b'\\' && escapes(next) {
                    if next != b'\n' {
                        runs.push((copy.len(), at + 1));
                        copy.push(next);
                    }
                    at += 2;
                    runs.push((copy.len(), at));
                } else if b == b'\\' {
                    copy.extend([b, next]);
                    at += 2;
                } else {
                    copy.push(b);
                    at += 1;
                }
            }
            self.copied(&copy, &runs, Span::new(open + 1, close))
        } else {
            self.region(open + 1, close)
        };
        self.pos = close + 1;
        Ok(Part { kind: PartKind::Backquote(Box::new(program)), span: Span::new(open, close + 1) })
    }

    /// `$'…'`; the quote is at `open`.
    fn ansi_c(&mut self, start: usize, open: usize) -> R<Part> {
        let mut i = open + 1;
        loop {
            match self.at(i) {
                b'\'' => break,
                b'\\' => i += 2,
                0 if i >= self.text.len() => return self.open_end(),
                _ => i += 1,
            }
        }
        self.pos = i + 1;
        let bytes = decode(self.text.get(open + 1..i).unwrap_or(&[]));
        Ok(Part { kind: PartKind::AnsiC(bytes), span: Span::new(start, i + 1) })
    }
}

fn param(name: String, start: usize, end: usize) -> Part {
    let param = Param { name, subscript: None, indirect: false, op: ParamOp::None };
    Part { kind: PartKind::Param(Box::new(param)), span: Span::new(start, end) }
}

/// What bash asks of the text between `((` and `))`: every parenthesis closed, none closed that was not opened. It
/// knows quotes and backslashes here and nothing else, so `$(( $(case a in a) echo 1;; esac) ))` is none.
fn balanced(text: &[u8]) -> bool {
    let mut depth = 0usize;
    let mut i = 0usize;
    while let Some(&b) = text.get(i) {
        match b {
            b'(' => depth += 1,
            b')' if depth == 0 => return false,
            b')' => depth -= 1,
            b'\\' => i += 1,
            b'\'' | b'"' => {
                i += 1;
                while let Some(&q) = text.get(i)
                    && q != b
                {
                    i += if b == b'"' && q == b'\\' { 2 } else { 1 };
                }
            }
            _ => {}
        }
        i += 1;
    }
    depth == 0
}

/// Undoes the escapes of `$'…'`. A NUL ends the string, as in bash.
fn decode(text: &[u8]) -> Bytes {
    let mut out = Bytes::new();
    let mut i = 0usize;
    let at = |i: usize| text.get(i).copied();
    while let Some(b) = at(i) {
        i += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let Some(c) = at(i) else {
            out.push(b'\\');
            break;
        };
        i += 1;
        let byte = match c {
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => letter(c).unwrap_or(c),
            b'e' | b'E' => 27,
            b'\\' | b'\'' | b'"' | b'?' => c,
            b'0'..=b'7' => {
                let (n, next) = digits(text, i - 1, 3, 8);
                i = next;
                (n & 0xff) as u8
            }
            b'x' => {
                let braced = at(i) == Some(b'{');
                let from = if braced { i + 1 } else { i };
                let (n, mut next) = digits(text, from, if braced { usize::MAX } else { 2 }, 16);
                if next == from {
                    // No digit: the text stands as it is.
                    out.extend_from_slice(b"\\x");
                    continue;
                }
                if braced && at(next) == Some(b'}') {
                    next += 1;
                }
                i = next;
                (n & 0xff) as u8
            }
            b'u' | b'U' => {
                let (n, next) = digits(text, i, if c == b'u' { 4 } else { 8 }, 16);
                if next == i {
                    out.extend([b'\\', c]);
                    continue;
                }
                i = next;
                if n == 0 {
                    return out;
                }
                utf8(n, &mut out);
                continue;
            }
            b'c' => {
                let Some(x) = at(i) else {
                    out.extend_from_slice(b"\\c");
                    break;
                };
                i += 1;
                // `\c\\` is control-backslash.
                if x == b'\\' && at(i) == Some(b'\\') {
                    i += 1;
                }
                if x == b'?' { 0x7f } else { x.to_ascii_uppercase() & 0x1f }
            }
            _ => {
                out.extend([b'\\', c]);
                continue;
            }
        };
        if byte == 0 {
            return out;
        }
        out.push(byte);
    }
    out
}

/// Up to `most` digits of the base from `from` on, with the place after them.
fn digits(text: &[u8], from: usize, most: usize, base: u32) -> (u32, usize) {
    let mut n = 0u32;
    let mut i = from;
    while i - from < most
        && let Some(d) = text.get(i).and_then(|&b| char::from(b).to_digit(base))
    {
        n = n.wrapping_mul(base).wrapping_add(d);
        i += 1;
    }
    (n, i)
}

/// A code point as UTF-8, in the old six-byte form where it is past Unicode, as bash writes it.
fn utf8(n: u32, out: &mut Bytes) {
    if n < 0x80 {
        out.push(n as u8);
        return;
    }
    let extra = match n {
        0x80..0x800 => 1u32,
        0x800..0x1_0000 => 2,
        0x1_0000..0x20_0000 => 3,
        0x20_0000..0x400_0000 => 4,
        _ => 5,
    };
    // As many leading ones as the sequence has bytes.
    let lead = 0xff_u32 << (7 - extra) & 0xff;
    out.push((lead | n.checked_shr(6 * extra).unwrap_or(0)) as u8);
    for k in (0..extra).rev() {
        out.push((0x80 | n >> (6 * k) & 0x3f) as u8);
    }
}
