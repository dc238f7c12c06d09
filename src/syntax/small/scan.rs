//! Code of languages that no reader is for: its calls with texts for arguments, which look alike in nearly all of them.
//!
//! In: text. Out: for each name before a text the call of that name with the texts that follow: `system("x")`,
//! `(system "x")`, `System.cmd("x", ["y"])`, `"x".execute()`, `!x` at the beginning of a line, `syscmd(x)` as `syscmd()`.
//! What else the code does is not seen, so it is never more than a hint beside a doubt.

use super::{call, lines, run};
use crate::source::Span;
use crate::syntax::script::{Expr, Stmt};

/// Most calls that are looked at.
const MAX_CALLS: usize = 512;
/// Most texts of one call.
const MAX_TEXTS: usize = 32;
/// The longest argument without quotes.
const MAX_RAW: usize = 4_096;

pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    for (start, end) in lines(whole) {
        let line = whole.get(start..end).unwrap_or_default();
        if line.first() == Some(&b'!') && out.len() < MAX_CALLS {
            let from = start.saturating_add(1);
            out.push(call("!", vec![super::text(whole, from, end)], Span::new(start, end)));
        }
    }
    let mut at = 0usize;
    while at < whole.len() && out.len() < MAX_CALLS {
        let rest = whole.get(at..).unwrap_or_default();
        let n = name(rest);
        if n > 0 {
            let after = at.saturating_add(n);
            calls(whole, at, after, &mut out);
            at = after;
        } else if rest.first() == Some(&b'"') {
            let (text, next) = quoted(whole, at);
            // `"ls".execute()`
            let tail = whole.get(next..).unwrap_or_default();
            if let (Some(text), Some(method)) = (text, tail.strip_prefix(b".")) {
                let n = name(method);
                let called = String::from_utf8_lossy(method.get(..n).unwrap_or_default()).into_owned();
                if n > 0 {
                    out.push(call(&called, vec![text], Span::new(at, next)));
                }
            }
            at = next;
        } else {
            at = at.saturating_add(1);
        }
    }
    out
}

/// The length of a name: letters, digits and what languages put between the parts of one.
fn name(text: &[u8]) -> usize {
    match text.first() {
        Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {
            run(text, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'-' | b'?'))
        }
        _ => 0,
    }
}

/// The call of a name, if texts follow it.
fn calls(whole: &[u8], from: usize, after: usize, out: &mut Vec<Stmt>) {
    let name = String::from_utf8_lossy(whole.get(from..after).unwrap_or_default()).into_owned();
    let blanks = |at: usize| at.saturating_add(run(whole.get(at..).unwrap_or_default(), |b| matches!(b, b' ' | b'\t')));
    let mut at = blanks(after);
    let bracket = matches!(whole.get(at), Some(b'(' | b'$' | b'['));
    if bracket {
        at = blanks(at.saturating_add(1));
    }
    let mut texts = Vec::new();
    let mut end = at;
    while let (Some(b'"' | b'\''), true) = (whole.get(at), texts.len() < MAX_TEXTS) {
        let (Some(text), next) = quoted(whole, at) else { break };
        texts.push(text);
        end = next;
        at = next.saturating_add(run(whole.get(next..).unwrap_or_default(), |b| {
            matches!(b, b' ' | b'\t' | b'\n' | b',' | b'[' | b']' | b'(' | b')')
        }));
    }
    if !texts.is_empty() {
        out.push(call(&name, texts, Span::new(from, end)));
    } else if bracket && after < whole.len() && whole.get(after) == Some(&b'(') {
        let inner = after.saturating_add(1);
        let rest = whole.get(inner..).unwrap_or_default();
        let rest = rest.get(..MAX_RAW).unwrap_or(rest);
        if let Some(n) = memchr::memchr(b')', rest) {
            let end = inner.saturating_add(n);
            out.push(call(&format!("{name}()"), vec![super::text(whole, inner, end)], Span::new(from, end)));
        }
    }
}

/// A text in quotes, and where it ends; in single quotes only where they are closed in the same line.
fn quoted(whole: &[u8], at: usize) -> (Option<Expr>, usize) {
    let quote = whole.get(at).copied().unwrap_or_default();
    let inner = at.saturating_add(1);
    let mut bytes = Vec::new();
    let mut i = inner;
    while let Some(b) = whole.get(i).copied() {
        if b == quote {
            let end = i.saturating_add(1);
            return (Some(Expr::text(&bytes, Span::new(at, end))), end);
        }
        if b == b'\n' && quote == b'\'' {
            break;
        }
        i = i.saturating_add(1);
        if b == b'\\'
            && let Some(next) = whole.get(i).copied()
        {
            i = i.saturating_add(1);
            bytes.push(match next {
                b'n' => b'\n',
                b't' => b'\t',
                other => other,
            });
            continue;
        }
        bytes.push(b);
    }
    (None, inner)
}
