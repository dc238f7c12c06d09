//! Makefiles (GNU make manual): recipes, `$(shell …)`, `!=`, `include`, and the variables that they are made of.

use super::{call, lines};
use crate::source::Span;
use crate::syntax::script::{Expr, Kind, Stmt, StmtKind, Target};
use std::collections::HashMap;

/// Most bytes that all calls of functions which the file defines make together.
const MAX_EXPANDED: usize = 256 << 10;

/// What the file defines, as it stands there: a function is text with `$(1)` in it.
#[derive(Default)]
struct Definitions<'t> {
    texts: HashMap<&'t [u8], &'t [u8]>,
    left: usize,
}

/// A recipe line is `recipe(command)`; a function with a command in it is `shell(command)`.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut defs = Definitions { left: MAX_EXPANDED, ..Definitions::default() };
    // A rule stands above.
    let mut ruled = false;
    // `define NAME` up to `endef`: the name, and where its text begins.
    let mut defining: Option<(&[u8], usize)> = None;
    for (start, end) in lines(whole) {
        let line = whole.get(start..end).unwrap_or_default();
        let span = Span::new(start, end);
        let trimmed = line.trim_ascii();
        if let Some((name, from)) = defining {
            if trimmed == b"endef" {
                let text = whole.get(from..start).unwrap_or_default().trim_ascii_end();
                defs.texts.insert(name, text);
                let e = defs.value(text, Span::new(from, start), 0);
                let name = Target::Name(String::from_utf8_lossy(name).into_owned());
                out.push(Stmt { kind: StmtKind::Assign(name, e), span });
                defining = None;
            }
            continue;
        }
        if let Some(name) = trimmed.strip_prefix(b"define ") {
            let name = name.trim_ascii_start();
            let n = super::run(name, |b| !b.is_ascii_whitespace() && !matches!(b, b'=' | b':'));
            defining = Some((name.get(..n).unwrap_or_default(), end.saturating_add(1).min(whole.len())));
            continue;
        }
        // just(1) takes blanks for a tab.
        let blank = ruled && line.starts_with(b" ") && assignment(trimmed).is_none();
        if blank && !is_directive(trimmed) && !trimmed.starts_with(b"#") {
            let lead = super::run(line, |b| b == b' ');
            let recipe = line.get(lead..).unwrap_or_default();
            recipe_line(&mut defs, recipe, start.saturating_add(lead), &mut out);
            continue;
        }
        if let Some(recipe) = line.strip_prefix(b"\t") {
            recipe_line(&mut defs, recipe, start.saturating_add(1), &mut out);
            continue;
        }
        if trimmed.is_empty() || trimmed.starts_with(b"#") {
            continue;
        }
        for word in [b"include ".as_slice(), b"-include ", b"sinclude "] {
            if let Some(file) = trimmed.strip_prefix(word) {
                out.push(call("include", vec![defs.value(file.trim_ascii(), span, 0)], span));
            }
        }
        ruled |= line.contains(&b':') && assignment(trimmed).is_none();
        if let Some((name, op, rest)) = assignment(trimmed) {
            defs.texts.insert(name, rest);
            let e = defs.value(rest, span, 0);
            let name = String::from_utf8_lossy(name).into_owned();
            let e = if op == b'!' { Expr::call("shell", vec![e], span) } else { e };
            out.push(Stmt { kind: StmtKind::Assign(Target::Name(name), e), span });
            continue;
        }
        // `target: prerequisites ; recipe`
        if let Some(i) = line.iter().position(|b| *b == b':') {
            let rest = line.get(i..).unwrap_or_default();
            if let Some(j) = rest.iter().position(|b| *b == b';') {
                let from = i.saturating_add(j).saturating_add(1);
                recipe_line(&mut defs, line.get(from..).unwrap_or_default(), start.saturating_add(from), &mut out);
                continue;
            }
        }
        let e = defs.value(trimmed, span, 0);
        if !matches!(e.kind, Kind::Text(_)) {
            out.push(Stmt { kind: StmtKind::Expr(e), span });
        }
    }
    out
}

fn recipe_line(defs: &mut Definitions<'_>, line: &[u8], start: usize, out: &mut Vec<Stmt>) {
    let head = super::run(line, |b| matches!(b, b'@' | b'-' | b'+' | b' ' | b'\t'));
    let command = line.get(head..).unwrap_or_default();
    let from = start.saturating_add(head);
    if !command.trim_ascii().is_empty() {
        let span = Span::new(from, from.saturating_add(command.len()));
        out.push(call("recipe", vec![defs.value(command, span, 0)], span));
    }
}

/// Lines that make itself takes, indented or not.
fn is_directive(line: &[u8]) -> bool {
    let n = super::run(line, |b| b.is_ascii_alphabetic() || b == b'-');
    let words: [&[u8]; 14] = [
        b"ifeq",
        b"ifneq",
        b"ifdef",
        b"ifndef",
        b"else",
        b"endif",
        b"include",
        b"-include",
        b"sinclude",
        b"define",
        b"endef",
        b"export",
        b"unexport",
        b"vpath",
    ];
    line.get(..n).is_some_and(|w| words.contains(&w))
}

/// `NAME = value` in its spellings: the name, `!` or another sign, the value.
fn assignment(line: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let line =
        line.strip_prefix(b"export ").or_else(|| line.strip_prefix(b"override ")).unwrap_or(line).trim_ascii_start();
    let n = super::run(line, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    let rest = line.get(n..)?.trim_ascii_start();
    let signs = super::run(rest, |b| matches!(b, b':' | b'?' | b'+' | b'!'));
    if n == 0 || rest.get(signs) != Some(&b'=') {
        return None;
    }
    let name = line.get(..n)?;
    let op = rest.get(signs.wrapping_sub(1)).copied().unwrap_or(b'=');
    Some((name, op, rest.get(signs.saturating_add(1)..)?.trim_ascii()))
}

impl Definitions<'_> {
    /// Text with `$(NAME)`, `$(shell command)` and `$$` in it.
    fn value(&mut self, text: &[u8], span: Span, depth: u32) -> Expr {
        let mut parts: Vec<Expr> = Vec::new();
        let mut plain: Vec<u8> = Vec::new();
        let mut at = 0usize;
        while let Some(b) = text.get(at).copied() {
            at = at.saturating_add(1);
            if b != b'$' {
                plain.push(b);
                continue;
            }
            let open = text.get(at).copied();
            at = at.saturating_add(1);
            let close = match open {
                Some(b'(') => b')',
                Some(b'{') => b'}',
                Some(b'$') => {
                    plain.push(b'$');
                    continue;
                }
                Some(c) => {
                    push_plain(&mut parts, &mut plain, span);
                    parts.push(Expr::new(Kind::Name((c as char).to_string()), span));
                    continue;
                }
                None => break,
            };
            let rest = text.get(at..).unwrap_or_default();
            let mut level = 1usize;
            let mut n = 0usize;
            for c in rest {
                if Some(*c) == open {
                    level = level.saturating_add(1);
                } else if *c == close {
                    level = level.saturating_sub(1);
                }
                if level == 0 {
                    break;
                }
                n = n.saturating_add(1);
            }
            let inner = rest.get(..n).unwrap_or_default();
            at = at.saturating_add(n).saturating_add(1);
            push_plain(&mut parts, &mut plain, span);
            let word = super::run(inner, |b| !b.is_ascii_whitespace());
            let name = String::from_utf8_lossy(inner.get(..word).unwrap_or_default()).into_owned();
            let arg = inner.get(word..).unwrap_or_default().trim_ascii();
            parts.push(if arg.is_empty() {
                Expr::new(Kind::Name(name), span)
            } else if depth < 32 {
                let depth = depth.saturating_add(1);
                match name.as_str() {
                    "call" => self.called(arg, span, depth),
                    "file" => self.file(arg, span, depth),
                    _ => Expr::call(&name, vec![self.value(arg, span, depth)], span),
                }
            } else {
                Expr::new(Kind::Other(Vec::new()), span)
            });
        }
        push_plain(&mut parts, &mut plain, span);
        match <[Expr; 1]>::try_from(parts) {
            Ok([one]) => one,
            Err(parts) if parts.is_empty() => Expr::text(b"", span),
            Err(parts) => Expr::new(Kind::Concat(parts), span),
        }
    }

    /// `$(call f,a,b)`: the text of `f` with its arguments in it.
    fn called(&mut self, arg: &[u8], span: Span, depth: u32) -> Expr {
        let words = arguments(arg);
        let name = words.first().copied().unwrap_or_default().trim_ascii();
        let Some(text) = self.texts.get(name).copied() else {
            return Expr::call("call", vec![self.value(arg, span, depth)], span);
        };
        let mut out = Vec::new();
        let mut rest = text;
        while let Some(i) = memchr::memchr(b'$', rest) {
            out.extend_from_slice(rest.get(..i).unwrap_or_default());
            let after = rest.get(i.saturating_add(1)..).unwrap_or_default();
            // `$(1)`, `${1}`, `$1`
            let (digit, length) = match after {
                [b'(', d @ b'0'..=b'9', b')', ..] | [b'{', d @ b'0'..=b'9', b'}', ..] => (*d, 3),
                [d @ b'0'..=b'9', ..] => (*d, 1),
                _ => {
                    out.push(b'$');
                    rest = after;
                    // `$$` stays what it is.
                    if let Some(tail) = after.strip_prefix(b"$") {
                        out.push(b'$');
                        rest = tail;
                    }
                    continue;
                }
            };
            out.extend_from_slice(words.get(usize::from(digit.saturating_sub(b'0'))).copied().unwrap_or_default());
            rest = after.get(length..).unwrap_or_default();
            if out.len() > self.left {
                return Expr::call("(too long)", Vec::new(), span);
            }
        }
        out.extend_from_slice(rest);
        match self.left.checked_sub(out.len().saturating_add(1)) {
            Some(left) => self.left = left,
            None => return Expr::call("(too long)", Vec::new(), span),
        }
        self.value(&out, span, depth)
    }

    /// `$(file >name,text)`
    fn file(&mut self, arg: &[u8], span: Span, depth: u32) -> Expr {
        let i = memchr::memchr(b',', arg).unwrap_or(arg.len());
        let (to, text) = (arg.get(..i).unwrap_or_default(), arg.get(i.saturating_add(1)..).unwrap_or_default());
        let (name, path) = match to {
            [b'>', b'>', path @ ..] => ("file.append", path),
            [b'>', path @ ..] => ("file", path),
            [b'<', path @ ..] => ("file.read", path),
            path => ("file", path),
        };
        let args = vec![self.value(path.trim_ascii(), span, depth), self.value(text, span, depth)];
        Expr::call(name, args, span)
    }
}

/// What stands between commas that are in no brackets.
fn arguments(text: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    let (mut level, mut from) = (0usize, 0usize);
    for (i, b) in text.iter().enumerate() {
        match b {
            b'(' | b'{' => level = level.saturating_add(1),
            b')' | b'}' => level = level.saturating_sub(1),
            b',' if level == 0 && out.len() < 16 => {
                out.push(text.get(from..i).unwrap_or_default());
                from = i.saturating_add(1);
            }
            _ => {}
        }
    }
    out.push(text.get(from..).unwrap_or_default());
    out
}

fn push_plain(parts: &mut Vec<Expr>, plain: &mut Vec<u8>, span: Span) {
    if !plain.is_empty() {
        parts.push(Expr::text(plain, span));
        plain.clear();
    }
}
