//! sed scripts that do more than edit (POSIX sed; GNU sed's `e`, `W`, `R` and the flags `e`, `w` of `s`).
//!
//! Scripts that only edit are known before they come here. Commands become `e(command)`, `r(file)`, `w(file)`, `s.e()`.

use super::{call, run, text};
use crate::source::Span;
use crate::syntax::script::{Expr, Kind, Stmt};

/// Reads a script.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut at = 0usize;
    while at < whole.len() {
        at = command(whole, at, &mut out).max(at.saturating_add(1));
    }
    out
}

/// One command; gives where the next begins.
fn command(whole: &[u8], start: usize, out: &mut Vec<Stmt>) -> usize {
    let rest = |at: usize| whole.get(at..).unwrap_or_default();
    let mut at = start.saturating_add(run(rest(start), |b| b.is_ascii_whitespace() || matches!(b, b';' | b'{' | b'}')));
    // Addresses: numbers, `$`, patterns, steps.
    loop {
        let c = rest(at).first().copied();
        at = match c {
            Some(b'0'..=b'9' | b'$' | b',' | b'~' | b'+' | b'!' | b' ' | b'\t') => at.saturating_add(1),
            Some(b'/') => part(whole, at.saturating_add(1), b'/').saturating_add(1),
            Some(b'\\') => match rest(at).get(1) {
                Some(q) => part(whole, at.saturating_add(2), *q).saturating_add(1),
                None => return whole.len(),
            },
            // Flags of a pattern; no command has these letters.
            Some(b'I' | b'M') => at.saturating_add(1),
            _ => break,
        };
    }
    let Some(c) = rest(at).first().copied() else { return whole.len() };
    let from = at.saturating_add(1);
    // Only what goes to the end of the line looks for it: a line may hold any number of commands.
    let end = || from.saturating_add(run(rest(from), |b| b != b'\n'));
    match c {
        b'#' | b'v' => end(),
        b'a' | b'i' | b'c' => {
            // Text, with lines that end in a backslash going on.
            let mut end = end();
            while end > from && whole.get(end.wrapping_sub(1)) == Some(&b'\\') && end < whole.len() {
                end = end.saturating_add(1);
                end = end.saturating_add(run(rest(end), |b| b != b'\n'));
            }
            end
        }
        b'e' => {
            let line_end = end();
            let (code, span) = (text(whole, from, line_end), Span::new(at, line_end));
            let empty = matches!(&code.kind, Kind::Text(t) if t.is_empty());
            // Without a command, what the pattern space holds is run.
            out.push(call(if empty { "e.space" } else { "e" }, if empty { Vec::new() } else { vec![code] }, span));
            line_end
        }
        b'r' | b'R' | b'w' | b'W' => {
            let line_end = end();
            out.push(call(&(c as char).to_string(), vec![text(whole, from, line_end)], Span::new(at, line_end)));
            line_end
        }
        b's' | b'y' => {
            let Some(quote) = rest(from).first().copied() else { return whole.len() };
            let first = part(whole, from.saturating_add(1), quote);
            let second = part(whole, first.saturating_add(1), quote);
            let mut at = second.saturating_add(1);
            if c == b'y' {
                return at;
            }
            while let Some(f) = rest(at).first().copied() {
                match f {
                    b'e' => {
                        // What the replacement makes of the line is run.
                        let with = whole.get(first.saturating_add(1)..second).unwrap_or_default();
                        let place = Span::new(first.saturating_add(1), second);
                        let unknown = || Expr::new(Kind::Other(Vec::new()), place);
                        // A replacement that stands for the whole line is the command; otherwise the line is around it.
                        let all = matches!(
                            whole.get(from.saturating_add(1)..first),
                            Some(b".*" | b"^.*" | b".*$" | b"^.*$" | b"$" | b"^")
                        );
                        let plain = !with.iter().any(|b| matches!(b, b'&' | b'\\'));
                        let code = Expr::text(with, place);
                        let code =
                            if all && plain { code } else { Expr::new(Kind::Concat(vec![code, unknown()]), place) };
                        out.push(call("e", vec![code], Span::new(from, at.saturating_add(1))));
                    }
                    b'w' => {
                        let end = at.saturating_add(run(rest(at), |b| b != b'\n'));
                        out.push(call("w", vec![text(whole, at.saturating_add(1), end)], Span::new(at, end)));
                        return end;
                    }
                    b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' => {}
                    _ => break,
                }
                at = at.saturating_add(1);
            }
            at
        }
        // Labels go to the end of the line, or to a semicolon.
        b':' | b'b' | b't' | b'T' => from.saturating_add(run(rest(from), |b| !matches!(b, b'\n' | b';' | b'}'))),
        b'q' | b'Q' | b'l' | b'L' => from.saturating_add(run(rest(from), |b| b == b' ' || b.is_ascii_digit())),
        _ => from,
    }
}

/// Longest bracket expression; a longer one is none, so that one that is not closed is not looked for to the end.
const MAX_BRACKET: usize = 1_024;

/// Where the part that begins at `at` is closed.
fn part(whole: &[u8], at: usize, quote: u8) -> usize {
    let mut i = at;
    let mut class = None;
    while let Some(c) = whole.get(i) {
        match c {
            b'\\' => i = i.saturating_add(1),
            b'[' if quote != b'[' => class = class.or(Some(i)),
            b']' | b'\n' => class = None,
            c if *c == quote && class.is_none() => return i,
            _ if class.is_some_and(|from| i.saturating_sub(from) > MAX_BRACKET) => break,
            _ => {}
        }
        i = i.saturating_add(1);
    }
    // A bracket that was none: the quote as it is.
    let rest = whole.get(at..).unwrap_or_default();
    at.saturating_add(rest.iter().position(|b| *b == quote).unwrap_or(rest.len()))
}
