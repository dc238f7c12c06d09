//! Tcl and expect (Tcl(n), exec(n), expect(1)): commands of words, `[…]` and `{…}`.
//!
//! A command is a call by its first word with the other words; commands in brackets and bodies in braces are read, too. What
//! is sent after a password was asked for is a call of its own, `send_secret`.

use super::call;
use crate::escape::{Dialect, push_escape};
use crate::source::Span;
use crate::syntax::script::{Expr, Kind, Stmt, StmtKind, Target};

/// Deepest nesting of brackets and bodies that is read.
const DEPTH: u32 = 40;

/// Reads a script.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    commands(whole, 0, whole.len(), 0, Inside::default(), &mut out);
    out
}

/// Where commands stand.
#[derive(Clone, Copy, Default)]
struct Inside {
    /// In the body of `expect`: each is a pattern with what to do where it comes.
    patterns: bool,
    /// What came was a question for a secret.
    asked: bool,
}

fn commands(whole: &[u8], start: usize, end: usize, depth: u32, inside: Inside, out: &mut Vec<Stmt>) {
    let mut at = start;
    let mut inside = inside;
    while at < end {
        match whole.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | b';') => at = at.saturating_add(1),
            Some(b'#') => {
                while at < end && whole.get(at) != Some(&b'\n') {
                    at = at.saturating_add(1);
                }
            }
            _ => {
                let next = command(whole, at, end, depth, inside, out).max(at.saturating_add(1));
                let text = whole.get(at..next.min(end)).unwrap_or_default();
                // `expect "assword:"` and what is sent next.
                inside.asked = text.starts_with(b"expect") && crate::redact::is_prompt(text);
                at = next;
            }
        }
    }
}

/// One command up to a newline or `;`.
fn command(whole: &[u8], start: usize, end: usize, depth: u32, inside: Inside, out: &mut Vec<Stmt>) -> usize {
    let mut words: Vec<(Expr, bool)> = Vec::new();
    let mut at = start;
    while at < end {
        match whole.get(at) {
            Some(b' ' | b'\t') => at = at.saturating_add(1),
            Some(b'\\') if whole.get(at.saturating_add(1)) == Some(&b'\n') => at = at.saturating_add(2),
            None | Some(b'\n' | b';') => break,
            _ => {
                let before = at;
                let (word, braced) = word(whole, &mut at, end, depth, out);
                if words.len() < 256 {
                    words.push((word, braced));
                }
                at = at.max(before.saturating_add(1));
            }
        }
    }
    let span = Span::new(start, at);
    let mut it = words.into_iter();
    let Some((first, _)) = it.next() else { return at };
    let mut args = Vec::new();
    let rest: Vec<(Expr, bool)> = it.collect();
    let name = match &first.kind {
        Kind::Text(t) => String::from_utf8_lossy(t).into_owned(),
        _ => String::new(),
    };
    // Bodies (`if {…} {…}`, `proc f {} {…}`, `expect {…}`) are commands again.
    let mut asked = inside.patterns && crate::redact::is_prompt(name.as_bytes());
    for (word, braced) in rest {
        if !braced && let Kind::Text(pattern) = &word.kind {
            asked = crate::redact::is_prompt(pattern);
        }
        if braced && depth < DEPTH && word.span.len() > 2 && (inside.patterns || body_like(&name)) {
            let inner = (word.span.start as usize).saturating_add(1);
            let close = (word.span.end as usize).saturating_sub(1);
            let mut body = Vec::new();
            match name.as_str() {
                // What stands in brackets is run, the rest is no command.
                "subst" | "expr" => {
                    let mut at = inner;
                    while at < close {
                        let before = at;
                        let (e, _) = self::word(whole, &mut at, close, depth.saturating_add(1), &mut body);
                        let span = e.span;
                        body.push(Stmt { kind: StmtKind::Expr(e), span });
                        at = at.max(before.saturating_add(1));
                    }
                }
                _ => {
                    let into = Inside { patterns: name.starts_with("expect"), asked };
                    commands(whole, inner, close, depth.saturating_add(1), into, &mut body);
                }
            }
            out.push(Stmt { kind: StmtKind::Maybe(body), span: word.span });
        }
        args.push(word);
    }
    if inside.patterns && !args.is_empty() {
        // The pattern is no command; what is done where it comes was read.
    } else if name == "set" && args.len() == 2 {
        let value = args.pop();
        if let (Some(Expr { kind: Kind::Text(n), .. }), Some(v)) = (args.pop(), value) {
            let target = Target::Name(String::from_utf8_lossy(&n).into_owned());
            out.push(Stmt { kind: StmtKind::Assign(target, v), span });
        }
    } else if name.is_empty() {
        let args =
            args.into_iter().map(|value| crate::syntax::script::Arg { name: None, spread: false, value }).collect();
        out.push(Stmt { kind: StmtKind::Expr(Expr::new(Kind::Call(Box::new(first), args), span)), span });
    } else {
        let name = name.trim_start_matches("::");
        let name = if inside.asked && matches!(name, "send" | "exp_send") { "send_secret" } else { name };
        if name == "send_secret" {
            // What stands before it are options.
            args.drain(..args.len().saturating_sub(1));
        }
        out.push(call(name, args, span));
    }
    at
}

/// Commands whose words in braces are bodies.
fn body_like(name: &str) -> bool {
    matches!(
        name,
        "if" | "while"
            | "for"
            | "foreach"
            | "proc"
            | "catch"
            | "try"
            | "eval"
            | "expect"
            | "expect_before"
            | "expect_after"
            | "after"
            | "switch"
            | "namespace"
            | "subst"
            | "expr"
            | "apply"
            | "dict"
            | "trace"
            | "uplevel"
            | "lmap"
            | "time"
            | "interp"
            | "oo::class"
            | "coroutine"
            | "tailcall"
            | "fileevent"
            | "bind"
            | "vwait"
            | "when"
    )
}

/// One word, and whether it stands in braces.
fn word(whole: &[u8], at: &mut usize, end: usize, depth: u32, out: &mut Vec<Stmt>) -> (Expr, bool) {
    let start = *at;
    let get = |i: usize| if i < end { whole.get(i).copied() } else { None };
    if get(start) == Some(b'{') {
        let mut level = 0usize;
        let mut i = start;
        while let Some(c) = get(i) {
            i = i.saturating_add(1);
            match c {
                b'\\' => i = i.saturating_add(1),
                b'{' => level = level.saturating_add(1),
                b'}' => {
                    level = level.saturating_sub(1);
                    if level == 0 {
                        break;
                    }
                }
                _ => {}
            }
        }
        *at = i.min(end);
        let inner = whole.get(start.saturating_add(1)..at.saturating_sub(1)).unwrap_or_default();
        return (Expr::text(inner, Span::new(start, *at)), true);
    }
    let quoted = get(start) == Some(b'"');
    let mut i = if quoted { start.saturating_add(1) } else { start };
    let mut parts: Vec<Expr> = Vec::new();
    let mut plain: Vec<u8> = Vec::new();
    let flush = |plain: &mut Vec<u8>, parts: &mut Vec<Expr>, i: usize| {
        if !plain.is_empty() {
            parts.push(Expr::text(plain, Span::new(start, i)));
            plain.clear();
        }
    };
    while let Some(c) = get(i) {
        match c {
            b'"' if quoted => {
                i = i.saturating_add(1);
                break;
            }
            b' ' | b'\t' | b'\n' | b';' if !quoted => break,
            b'\\' => {
                let after = whole.get(i.saturating_add(1)..end).unwrap_or_default();
                let used = push_escape(&mut plain, after, Dialect::Tcl);
                i = i.saturating_add(used);
            }
            b'$' => {
                let n = super::run(whole.get(i.saturating_add(1)..end).unwrap_or_default(), |b| {
                    b.is_ascii_alphanumeric() || matches!(b, b'_' | b':')
                });
                let name = whole.get(i.saturating_add(1)..i.saturating_add(1).saturating_add(n)).unwrap_or_default();
                flush(&mut plain, &mut parts, i);
                let name = String::from_utf8_lossy(name).into_owned();
                parts.push(Expr::new(Kind::Name(name), Span::new(i, i.saturating_add(1).saturating_add(n))));
                i = i.saturating_add(n);
            }
            b'[' if depth < DEPTH => {
                let mut level = 0usize;
                let from = i.saturating_add(1);
                while let Some(c) = get(i) {
                    match c {
                        b'\\' => i = i.saturating_add(1),
                        b'[' => level = level.saturating_add(1),
                        b']' => level = level.saturating_sub(1),
                        _ => {}
                    }
                    if level == 0 {
                        break;
                    }
                    i = i.saturating_add(1);
                }
                let mut inner = Vec::new();
                commands(whole, from, i.min(end), depth.saturating_add(1), Inside::default(), &mut inner);
                flush(&mut plain, &mut parts, i);
                parts.push(value_of(inner, out, Span::new(from, i.min(end))));
            }
            c => plain.push(c),
        }
        i = i.saturating_add(1);
    }
    flush(&mut plain, &mut parts, i);
    *at = i.min(end);
    let span = Span::new(start, *at);
    match <[Expr; 1]>::try_from(parts) {
        Ok([one]) => (Expr::new(one.kind, span), false),
        Err(parts) if parts.is_empty() => (Expr::text(b"", span), false),
        Err(parts) => (Expr::new(Kind::Concat(parts), span), false),
    }
}

/// The value of a command in brackets: the last call in it; what stands before it runs first.
fn value_of(mut inner: Vec<Stmt>, out: &mut Vec<Stmt>, span: Span) -> Expr {
    let last = inner.pop();
    out.append(&mut inner);
    match last.map(|s| s.kind) {
        Some(StmtKind::Expr(e)) => e,
        Some(kind) => {
            out.push(Stmt { kind, span });
            Expr::new(Kind::Other(Vec::new()), span)
        }
        None => Expr::text(b"", span),
    }
}
