//! AppleScript (its language guide): the commands that run a shell or another script, with the texts that they take.
//!
//! `do shell script "…" & name` is the call `do shell script("…" & name)`; `set n to …` assigns. Lines that name none of
//! these steer other programs, which the call `tell` stands for.

use super::{call, lines};
use crate::source::Span;
use crate::syntax::script::{Expr, Kind, Stmt, StmtKind, Target};

/// Commands that take a text.
const COMMANDS: &[&str] = &["do shell script", "do script", "run script", "open location", "load script"];

/// Phrases of the language that are calls of their own, next to the command they stand in.
const PHRASES: &[&str] = &["hidden answer", "login item"];

/// Reads a script.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    for (start, end) in lines(whole) {
        let line = whole.get(start..end).unwrap_or_default();
        let trimmed = line.trim_ascii();
        let span = Span::new(start, end);
        if trimmed.is_empty() || trimmed.starts_with(b"--") || trimmed.starts_with(b"#") {
            continue;
        }
        let lower = outside_quotes(line).to_ascii_lowercase();
        let found = COMMANDS.iter().filter_map(|c| Some((position(&lower, c.as_bytes())?, *c))).min();
        let assigned = || -> Option<String> {
            let rest = trimmed.strip_prefix(b"set ")?;
            let n = super::run(rest, |b| b.is_ascii_alphanumeric() || b == b'_');
            rest.get(n..)?
                .trim_ascii_start()
                .starts_with(b"to ")
                .then(|| String::from_utf8_lossy(rest.get(..n)?).into_owned().into())
                .flatten()
        };
        // Phrases that make a harmless command another: what is typed is not shown; what is made runs at every login.
        for phrase in PHRASES.iter().filter(|p| position(&lower, p.as_bytes()).is_some()) {
            out.push(call(phrase, Vec::new(), span));
        }
        match found {
            Some((i, name)) => {
                let from = i.saturating_add(name.len());
                let e = Expr::call(
                    name,
                    vec![value(line.get(from..).unwrap_or_default(), start.saturating_add(from))],
                    span,
                );
                out.push(match assigned() {
                    Some(n) => Stmt { kind: StmtKind::Assign(Target::Name(n), e), span },
                    None => Stmt { kind: StmtKind::Expr(e), span },
                });
            }
            None => match (assigned(), position(&lower, b" to ")) {
                (Some(n), Some(i)) => {
                    let from = i.saturating_add(4);
                    let e = value(line.get(from..).unwrap_or_default(), start.saturating_add(from));
                    out.push(Stmt { kind: StmtKind::Assign(Target::Name(n), e), span });
                }
                _ => {
                    let n = super::run(trimmed, |b| b.is_ascii_alphabetic());
                    let word = String::from_utf8_lossy(trimmed.get(..n).unwrap_or_default()).to_ascii_lowercase();
                    out.push(call(&word, Vec::new(), span));
                }
            },
        }
    }
    out
}

/// Text with what stands in quotes blanked out, so that a word in it is no command.
fn outside_quotes(line: &[u8]) -> Vec<u8> {
    let mut quoted = false;
    let mut escaped = false;
    let mut out = Vec::with_capacity(line.len());
    for b in line {
        match b {
            b'"' if !escaped => quoted = !quoted,
            _ if quoted => {
                escaped = *b == b'\\' && !escaped;
                out.push(b'.');
                continue;
            }
            _ => {}
        }
        escaped = false;
        out.push(*b);
    }
    out
}

fn position(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|w| w == what)
}

/// Texts and names joined by `&`; what follows a value (`with administrator privileges`) is no part of it.
fn value(text: &[u8], start: usize) -> Expr {
    let mut parts = Vec::new();
    let mut at = 0usize;
    let mut wants = true;
    while let Some(b) = text.get(at).copied() {
        let from = at;
        match b {
            b' ' | b'\t' | b'(' | b')' => at = at.saturating_add(1),
            b'&' => {
                wants = true;
                at = at.saturating_add(1);
            }
            b'"' if wants => {
                let mut content = Vec::new();
                at = at.saturating_add(1);
                while let Some(c) = text.get(at).copied() {
                    at = at.saturating_add(1);
                    match c {
                        b'"' => break,
                        b'\\' => {
                            content.extend(text.get(at).map(|c| match c {
                                b'n' => b'\n',
                                b't' => b'\t',
                                c => *c,
                            }));
                            at = at.saturating_add(1);
                        }
                        c => content.push(c),
                    }
                }
                parts.push(Expr::text(&content, Span::new(start.saturating_add(from), start.saturating_add(at))));
                wants = false;
            }
            _ if wants => {
                let n = super::run(text.get(at..).unwrap_or_default(), |b| {
                    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
                })
                .max(1);
                at = at.saturating_add(n);
                let name = text.get(from..at).unwrap_or_default();
                // `quoted form of x` is x in quotes.
                if !matches!(name, b"quoted" | b"form" | b"of" | b"the") {
                    let span = Span::new(start.saturating_add(from), start.saturating_add(at));
                    parts.push(if name.first() == Some(&crate::syntax::marker::OPEN) {
                        Expr::text(name, span)
                    } else {
                        Expr::new(Kind::Name(String::from_utf8_lossy(name).into_owned()), span)
                    });
                    wants = false;
                }
            }
            _ => break,
        }
    }
    let span = Span::new(start, start.saturating_add(text.len()));
    match <[Expr; 1]>::try_from(parts) {
        Ok([one]) => one,
        Err(parts) => Expr::new(Kind::Concat(parts), span),
    }
}
