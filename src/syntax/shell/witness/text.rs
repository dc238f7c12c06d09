//! Text of a leaf → word parts: escapes and quotes undone, glob characters told apart.
//!
//! Several of the grammar's leaves (words, patterns, the inside of strings) hold text that the shell reads on; this is
//! that reading. Of expansions it finds `$name` and `${name}`; any other in a leaf is reported.

use super::{Lowering, push_literal};
use crate::source::Span;
use crate::syntax::ast::{Bytes, Param, ParamOp, Part, PartKind};

/// Which rules hold for a piece of text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// Between double quotes.
    Double,
    /// In the body of a here-document whose delimiter is not quoted.
    Heredoc,
}

impl Lowering<'_> {
    /// Unquoted text.
    pub(super) fn unquoted(&mut self, at: Span, parts: &mut Vec<Part>) {
        let text = self.bytes(at);
        let base = at.start as usize;
        let (mut i, mut run) = (0usize, 0usize);
        let place = |from: usize, to: usize| Span::new(base.saturating_add(from), base.saturating_add(to));
        let mut expansion = false;
        while let Some(&b) = text.get(i) {
            let (kind, end) = match b {
                b'\\' => {
                    let end = i.saturating_add(1).saturating_add(char_len(text.get(i.saturating_add(1)..)));
                    let quoted = text.get(i.saturating_add(1)..end).unwrap_or(&[]);
                    match quoted {
                        b"\n" => (None, end),
                        b"" => (Some(PartKind::Literal(Bytes::from_slice(b"\\"))), end),
                        c => (Some(PartKind::Escaped(c.into())), end),
                    }
                }
                b'*' => (Some(PartKind::GlobStar), i.saturating_add(1)),
                b'?' => (Some(PartKind::GlobQuestion), i.saturating_add(1)),
                b'\'' => match find(text, i.saturating_add(1), b'\'') {
                    Some(close) => {
                        let inside = text.get(i.saturating_add(1)..close).unwrap_or(&[]);
                        (Some(PartKind::Single(inside.into())), close.saturating_add(1))
                    }
                    None => {
                        expansion = true;
                        i = i.saturating_add(1);
                        continue;
                    }
                },
                b'"' => {
                    let close = close_double(text, i.saturating_add(1));
                    let mut inner = Vec::new();
                    self.verbatim(place(i.saturating_add(1), close), Rules::Double, &mut inner);
                    (Some(PartKind::Double(inner)), close.saturating_add(1))
                }
                b'`' => {
                    expansion = true;
                    i = i.saturating_add(1);
                    continue;
                }
                b'$' => match leaf_param(text.get(i..).unwrap_or(&[])) {
                    Some((param, len)) => (Some(PartKind::Param(Box::new(param))), i.saturating_add(len)),
                    None => {
                        expansion |= text.get(i.saturating_add(1)).is_some_and(|&c| starts_expansion(c) || c == b'\'');
                        i = i.saturating_add(1);
                        continue;
                    }
                },
                _ => {
                    i = i.saturating_add(1);
                    continue;
                }
            };
            push_literal(parts, text.get(run..i).unwrap_or(&[]), place(run, i));
            let end = end.min(text.len());
            match kind {
                Some(PartKind::Literal(bytes)) => push_literal(parts, &bytes, place(i, end)),
                Some(kind) => parts.push(Part { kind, span: place(i, end) }),
                None => {}
            }
            i = end;
            run = end;
        }
        push_literal(parts, text.get(run..).unwrap_or(&[]), place(run, text.len()));
        if expansion {
            self.not_lowered(at);
        }
    }

    /// Text in which only `$`, a backquote and some escapes are special.
    pub(super) fn verbatim(&mut self, at: Span, rules: Rules, parts: &mut Vec<Part>) {
        let text = self.bytes(at);
        let base = at.start as usize;
        let (mut out, mut run) = (Vec::with_capacity(text.len()), 0usize);
        let mut rest = text;
        let mut expansion = false;
        loop {
            let here = text.len().saturating_sub(rest.len());
            rest = match rest {
                [] => break,
                [b'\\', b'\n', tail @ ..] => tail,
                [b'\\', c @ (b'$' | b'`' | b'\\'), tail @ ..] => {
                    out.push(*c);
                    tail
                }
                [b'\\', b'"', tail @ ..] if rules == Rules::Double => {
                    out.push(b'"');
                    tail
                }
                [b'$', tail @ ..] => match leaf_param(rest) {
                    Some((param, len)) => {
                        let (start, end) = (base.saturating_add(here), base.saturating_add(here).saturating_add(len));
                        push_literal(parts, &out, Span::new(base.saturating_add(run), start));
                        out.clear();
                        run = here.saturating_add(len);
                        parts.push(Part { kind: PartKind::Param(Box::new(param)), span: Span::new(start, end) });
                        rest.get(len..).unwrap_or(&[])
                    }
                    None => {
                        expansion |= tail.first().is_some_and(|&c| starts_expansion(c));
                        out.push(b'$');
                        tail
                    }
                },
                [b, tail @ ..] => {
                    expansion |= *b == b'`';
                    out.push(*b);
                    tail
                }
            };
        }
        push_literal(parts, &out, Span::new(base.saturating_add(run), at.end as usize));
        if expansion {
            self.not_lowered(at);
        }
    }
}

/// `$name` or `${name}` in a leaf (the pattern of `${x/$y}` is one), with its length.
fn leaf_param(text: &[u8]) -> Option<(Param, usize)> {
    let after = text.strip_prefix(b"$")?;
    let (name, close) = match after.strip_prefix(b"{") {
        Some(inside) => (inside, 1usize),
        None => (after, 0),
    };
    let len = match name.first()? {
        b if b.is_ascii_alphabetic() || *b == b'_' => {
            name.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()
        }
        b if b.is_ascii_digit() || b"@*#?-$!".contains(b) => 1,
        _ => return None,
    };
    if close == 1 && name.get(len) != Some(&b'}') {
        return None;
    }
    let text = name.get(..len)?.iter().map(|&b| b as char).collect();
    let param = Param { name: text, subscript: None, indirect: false, op: ParamOp::None };
    Some((param, len.saturating_add(1).saturating_add(close).saturating_add(close)))
}

/// Finds parameters in the literal text of a word: the grammar takes the `$` of `a-$b` for a character at times.
pub(super) fn parameters(parts: Vec<Part>) -> Vec<Part> {
    let mut out = Vec::with_capacity(parts.len());
    for part in parts {
        let PartKind::Literal(text) = &part.kind else {
            out.push(part);
            continue;
        };
        if !text.contains(&b'$') || text.len() != part.span.len() {
            out.push(part);
            continue;
        }
        let place = |from: usize, to: usize| {
            let base = part.span.start as usize;
            Span::new(base.saturating_add(from), base.saturating_add(to))
        };
        let (mut at, mut run) = (0usize, 0usize);
        while let Some(rest) = text.get(at..).filter(|r| !r.is_empty()) {
            let Some((param, len)) = leaf_param(rest) else {
                at = at.saturating_add(1);
                continue;
            };
            push_literal(&mut out, text.get(run..at).unwrap_or(&[]), place(run, at));
            run = at.saturating_add(len);
            out.push(Part { kind: PartKind::Param(Box::new(param)), span: place(at, run) });
            at = run;
        }
        push_literal(&mut out, text.get(run..).unwrap_or(&[]), place(run, text.len()));
    }
    out
}

/// True for a byte that makes an expansion of a `$` before it (quotes aside).
fn starts_expansion(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"_{([@*#?-$!".contains(&b)
}

/// Length of the first character, at least 1 where there is one.
fn char_len(text: Option<&[u8]>) -> usize {
    let text = text.unwrap_or(&[]);
    let want = match text.first() {
        None => return 0,
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        Some(_) => 1,
    };
    if text.get(..want).is_some_and(|c| std::str::from_utf8(c).is_ok()) { want } else { 1 }
}

fn find(text: &[u8], from: usize, byte: u8) -> Option<usize> {
    text.iter().skip(from).position(|&b| b == byte).map(|n| n.saturating_add(from))
}

/// The offset of the closing `"`, or the end.
fn close_double(text: &[u8], from: usize) -> usize {
    let mut i = from;
    loop {
        match text.get(i) {
            None => return text.len(),
            Some(b'"') => return i,
            Some(b'\\') => i = i.saturating_add(2),
            Some(_) => i = i.saturating_add(1),
        }
    }
}

/// Decodes the inside of `$'…'` (bash manual, ANSI-C Quoting). A NUL ends the string, as in bash.
pub(super) fn ansi_c(text: &[u8]) -> Bytes {
    let mut out = Bytes::new();
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let [letter, tail @ ..] = rest else {
            out.push(b'\\');
            break;
        };
        rest = tail;
        let simple = match letter {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => *letter,
            b'0'..=b'7' => {
                let mut value = u32::from(letter.saturating_sub(b'0'));
                for _ in 0..2 {
                    let [d @ b'0'..=b'7', tail @ ..] = rest else { break };
                    value = value.wrapping_mul(8).wrapping_add(u32::from(d.saturating_sub(b'0')));
                    rest = tail;
                }
                if value & 0xff == 0 {
                    return out;
                }
                out.push((value & 0xff) as u8);
                continue;
            }
            b'x' | b'u' | b'U' => {
                let most = match letter {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                let (value, digits) = hex(rest, most);
                if digits == 0 {
                    out.extend_from_slice(&[b'\\', *letter]);
                    continue;
                }
                rest = rest.get(digits..).unwrap_or(&[]);
                if value == 0 {
                    return out;
                }
                if *letter == b'x' {
                    out.push((value & 0xff) as u8);
                } else if let Some(c) = char::from_u32(value) {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                continue;
            }
            b'c' => {
                let [c, tail @ ..] = rest else {
                    out.extend_from_slice(b"\\c");
                    break;
                };
                rest = tail;
                // `\c\\` takes both backslashes.
                if *c == b'\\' && rest.first() == Some(&b'\\') {
                    rest = rest.get(1..).unwrap_or(&[]);
                }
                if *c == b'?' { 127 } else { c.to_ascii_uppercase() & 0x1f }
            }
            other => {
                out.extend_from_slice(&[b'\\', *other]);
                continue;
            }
        };
        if simple == 0 {
            return out;
        }
        out.push(simple);
    }
    out
}

fn hex(text: &[u8], most: usize) -> (u32, usize) {
    let (mut value, mut digits) = (0u32, 0usize);
    for b in text.iter().take(most) {
        let Some(d) = (*b as char).to_digit(16) else { break };
        value = value.wrapping_mul(16).wrapping_add(d);
        digits = digits.saturating_add(1);
    }
    (value, digits)
}
