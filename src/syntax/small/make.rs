//! Makefiles (GNU make manual): recipes, `$(shell …)`, `!=`, `include`, and the variables that they are made of.

use super::{call, lines};
use crate::source::Span;
use crate::syntax::script::{Expr, Kind, Stmt, StmtKind, Target};

/// A recipe line is `recipe(command)`; a function with a command in it is `shell(command)`.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    for (start, end) in lines(whole) {
        let line = whole.get(start..end).unwrap_or_default();
        let span = Span::new(start, end);
        if let Some(recipe) = line.strip_prefix(b"\t") {
            recipe_line(recipe, start.saturating_add(1), &mut out);
            continue;
        }
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() || trimmed.starts_with(b"#") {
            continue;
        }
        for word in [b"include ".as_slice(), b"-include ", b"sinclude "] {
            if let Some(file) = trimmed.strip_prefix(word) {
                out.push(call("include", vec![value(file.trim_ascii(), span, 0)], span));
            }
        }
        if let Some((name, op, rest)) = assignment(trimmed) {
            let e = value(rest, span, 0);
            let e = if op == b'!' { Expr::call("shell", vec![e], span) } else { e };
            out.push(Stmt { kind: StmtKind::Assign(Target::Name(name), e), span });
            continue;
        }
        // `target: prerequisites ; recipe`
        if let Some(i) = line.iter().position(|b| *b == b':') {
            let rest = line.get(i..).unwrap_or_default();
            if let Some(j) = rest.iter().position(|b| *b == b';') {
                let from = i.saturating_add(j).saturating_add(1);
                recipe_line(line.get(from..).unwrap_or_default(), start.saturating_add(from), &mut out);
                continue;
            }
        }
        let e = value(trimmed, span, 0);
        if !matches!(e.kind, Kind::Text(_)) {
            out.push(Stmt { kind: StmtKind::Expr(e), span });
        }
    }
    out
}

fn recipe_line(line: &[u8], start: usize, out: &mut Vec<Stmt>) {
    let head = super::run(line, |b| matches!(b, b'@' | b'-' | b'+' | b' ' | b'\t'));
    let command = line.get(head..).unwrap_or_default();
    let from = start.saturating_add(head);
    if !command.trim_ascii().is_empty() {
        let span = Span::new(from, from.saturating_add(command.len()));
        out.push(call("recipe", vec![value(command, span, 0)], span));
    }
}

/// `NAME = value` in its spellings: the name, `!` or another sign, the value.
fn assignment(line: &[u8]) -> Option<(String, u8, &[u8])> {
    let line =
        line.strip_prefix(b"export ").or_else(|| line.strip_prefix(b"override ")).unwrap_or(line).trim_ascii_start();
    let n = super::run(line, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    let rest = line.get(n..)?.trim_ascii_start();
    let signs = super::run(rest, |b| matches!(b, b':' | b'?' | b'+' | b'!'));
    if n == 0 || rest.get(signs) != Some(&b'=') {
        return None;
    }
    let name = String::from_utf8_lossy(line.get(..n)?).into_owned();
    let op = rest.get(signs.wrapping_sub(1)).copied().unwrap_or(b'=');
    Some((name, op, rest.get(signs.saturating_add(1)..)?.trim_ascii()))
}

/// Text with `$(NAME)`, `$(shell command)` and `$$` in it.
fn value(text: &[u8], span: Span, depth: u32) -> Expr {
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
            Expr::call(&name, vec![value(arg, span, depth.saturating_add(1))], span)
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

fn push_plain(parts: &mut Vec<Expr>, plain: &mut Vec<u8>, span: Span) {
    if !plain.is_empty() {
        parts.push(Expr::text(plain, span));
        plain.clear();
    }
}
