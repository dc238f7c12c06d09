//! SQL with the commands of its clients (psql, mysql, sqlite3): what a statement is, and what in it reaches outside.
//!
//! Every statement is a call by its first word (`select`, `drop`; `delete.all` and `update.all` without a condition).
//! Commands of clients keep their sign: `\!`, `.shell`, `system`. Clauses that name a file or a program become calls of
//! their own: `copy.program`, `copy.to`, `copy.from`, `into.outfile`, `infile`. Functions are `fn.NAME`.

use super::call;
use crate::source::Span;
use crate::syntax::script::{Expr, Kind, Stmt};

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(Vec<u8>),
    Sign(u8),
}

/// Reads statements.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut at = 0usize;
    let mut fresh = true;
    let mut tokens: Vec<(Token, Span)> = Vec::new();
    while let Some(b) = whole.get(at).copied() {
        let rest = whole.get(at..).unwrap_or_default();
        let start = at;
        match b {
            b' ' | b'\t' | b'\r' | b'\n' => at = at.saturating_add(1),
            b'-' if rest.starts_with(b"--") => at = at.saturating_add(super::run(rest, |b| b != b'\n')),
            b'#' if fresh => at = at.saturating_add(super::run(rest, |b| b != b'\n')),
            b'/' if rest.starts_with(b"/*") => {
                let n = rest.windows(2).skip(2).position(|w| w == b"*/").map_or(rest.len(), |n| n.saturating_add(4));
                at = at.saturating_add(n);
            }
            // `\! cmd` anywhere in psql and mysql, `.shell cmd` at the beginning of a line in sqlite3.
            b'\\' => {
                at = client(whole, at, &mut out);
            }
            b'.' if fresh => at = client(whole, at, &mut out),
            b';' => {
                statement(&tokens, &mut out);
                tokens.clear();
                at = at.saturating_add(1);
                fresh = true;
                continue;
            }
            b'\'' | b'"' | b'`' => {
                let mut text = Vec::new();
                at = at.saturating_add(1);
                while let Some(c) = whole.get(at).copied() {
                    at = at.saturating_add(1);
                    match c {
                        c if c == b && whole.get(at) == Some(&b) => {
                            text.push(c);
                            at = at.saturating_add(1);
                        }
                        c if c == b => break,
                        b'\\' if whole.get(at) == Some(&b) => {
                            text.push(b);
                            at = at.saturating_add(1);
                        }
                        c => text.push(c),
                    }
                }
                let span = Span::new(start, at);
                tokens.push((
                    if b == b'\'' {
                        Token::Text(text)
                    } else {
                        Token::Word(String::from_utf8_lossy(&text).into_owned())
                    },
                    span,
                ));
            }
            b'$' if rest.starts_with(b"$$") => {
                let n = rest.windows(2).skip(2).position(|w| w == b"$$").map_or(rest.len(), |n| n.saturating_add(4));
                at = at.saturating_add(n);
                let text = rest.get(2..n.saturating_sub(2)).unwrap_or_default().to_vec();
                tokens.push((Token::Text(text), Span::new(start, at)));
            }
            crate::syntax::marker::OPEN => {
                let n = super::run(rest, |b| b != crate::syntax::marker::CLOSE).saturating_add(1);
                at = at.saturating_add(n);
                tokens.push((Token::Text(rest.get(..n).unwrap_or_default().to_vec()), Span::new(start, at)));
            }
            c if c.is_ascii_alphanumeric() || c == b'_' || c == b'@' => {
                let n = super::run(rest, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'@' | b'$'));
                at = at.saturating_add(n.max(1));
                let word = String::from_utf8_lossy(rest.get(..n).unwrap_or_default()).to_ascii_lowercase();
                // The mysql client's own words run to the end of the line.
                if fresh && matches!(word.as_str(), "system" | "source" | "pager" | "tee") {
                    let end = start.saturating_add(super::run(rest, |b| b != b'\n' && b != b';'));
                    out.push(call(&word, vec![super::text(whole, at, end)], Span::new(start, end)));
                    at = end;
                    continue;
                }
                tokens.push((Token::Word(word), Span::new(start, at)));
            }
            c => {
                tokens.push((Token::Sign(c), Span::new(start, start.saturating_add(1))));
                at = at.saturating_add(1);
            }
        }
        if b != b' ' && b != b'\t' && b != b'\r' {
            fresh = b == b'\n' && tokens.is_empty();
        }
    }
    statement(&tokens, &mut out);
    out
}

/// A client's own command, to the end of its line.
fn client(whole: &[u8], at: usize, out: &mut Vec<Stmt>) -> usize {
    let rest = whole.get(at..).unwrap_or_default();
    let end = at.saturating_add(super::run(rest, |b| b != b'\n'));
    let n = super::run(rest.get(1..).unwrap_or_default(), |b| b.is_ascii_alphanumeric() || b == b'_')
        .max(1)
        .saturating_add(1);
    let mut name = String::from_utf8_lossy(rest.get(..n).unwrap_or_default()).into_owned();
    let mut from = at.saturating_add(n);
    let arg = whole.get(from..end).unwrap_or_default();
    let lead = super::run(arg, |b| b == b' ' || b == b'\t');
    // `\o |cmd`, `.once '|cmd'`: a command instead of a file.
    let bare = arg.get(lead..).unwrap_or_default();
    let bare = bare.strip_prefix(b"'").or_else(|| bare.strip_prefix(b"\"")).unwrap_or(bare);
    if bare.starts_with(b"|") {
        name.push('|');
        from = end.saturating_sub(bare.len()).saturating_add(1);
        let stop = end.saturating_sub(usize::from(arg.ends_with(b"'") || arg.ends_with(b"\"")));
        out.push(call(&name, vec![super::text(whole, from, stop)], Span::new(at, end)));
        return end;
    }
    // `\set x `cmd``: psql runs what stands between backquotes.
    if name.starts_with('\\')
        && let Some(open) = arg.iter().position(|b| *b == b'`')
    {
        let first = from.saturating_add(open).saturating_add(1);
        let text = whole.get(first..end).unwrap_or_default();
        let last = first.saturating_add(super::run(text, |b| b != b'`'));
        out.push(call("`", vec![super::text(whole, first, last)], Span::new(at, end)));
    }
    if name == "\\copy" {
        let mut inner = vec![(Token::Word("copy".into()), Span::new(at, from))];
        inner.extend(words(whole, from, end));
        statement(&inner, out);
        return end;
    }
    out.push(call(&name, vec![super::text(whole, from, end)], Span::new(at, end)));
    end
}

/// Words and texts of a client's command.
fn words(whole: &[u8], start: usize, end: usize) -> Vec<(Token, Span)> {
    let mut out = Vec::new();
    let mut at = start;
    while at < end {
        let rest = whole.get(at..end).unwrap_or_default();
        match rest.first() {
            Some(b'\'') => {
                let n = super::run(rest.get(1..).unwrap_or_default(), |b| b != b'\'');
                let text = rest.get(1..n.saturating_add(1)).unwrap_or_default().to_vec();
                let next = at.saturating_add(n).saturating_add(2).min(end);
                out.push((Token::Text(text), Span::new(at, next)));
                at = next;
            }
            Some(c) if !c.is_ascii_whitespace() => {
                let n = super::run(rest, |b| !b.is_ascii_whitespace() && b != b'\'').max(1);
                let word = String::from_utf8_lossy(rest.get(..n).unwrap_or_default()).to_ascii_lowercase();
                // A file name without quotes stands where a text does.
                let text = matches!(out.last(), Some((Token::Word(w), _)) if w == "to" || w == "from")
                    && !matches!(word.as_str(), "program" | "stdin" | "stdout" | "pstdin" | "pstdout");
                let token =
                    if text { Token::Text(rest.get(..n).unwrap_or_default().to_vec()) } else { Token::Word(word) };
                out.push((token, Span::new(at, at.saturating_add(n))));
                at = at.saturating_add(n);
            }
            _ => at = at.saturating_add(1),
        }
    }
    out
}

fn statement(tokens: &[(Token, Span)], out: &mut Vec<Stmt>) {
    let word = |i: usize| match tokens.get(i) {
        Some((Token::Word(w), _)) => w.as_str(),
        _ => "",
    };
    let text = |i: usize| match tokens.get(i) {
        Some((Token::Text(t), span)) => Some(Expr::text(t, *span)),
        _ => None,
    };
    let Some((_, first)) = tokens.first() else { return };
    let span = tokens.last().map_or(*first, |l| first.to(l.1));
    // `with x as (…) delete …`, `explain …`: the word that says what is done.
    let verb = (0..tokens.len())
        .map(word)
        .find(|w| matches!(*w, "select" | "insert" | "update" | "delete" | "merge" | "replace" | "values" | "table"))
        .filter(|_| matches!(word(0), "with" | "explain"))
        .unwrap_or(word(0));
    let has = |w: &str| (0..tokens.len()).any(|i| word(i) == w);
    // `where true`, `where 1 = 1`: a condition that every row meets.
    let all_rows = || {
        let behind = (0..tokens.len()).map(word).skip_while(|w| *w != "where").skip(1).filter(|w| !w.is_empty());
        matches!(behind.collect::<Vec<_>>().as_slice(), ["true" | "1"] | ["1", "1"] | ["1", "=", "1"])
    };
    let name = match verb {
        "" => "select".to_string(),
        "delete" | "update" if !has("limit") && (!has("where") || all_rows()) => format!("{verb}.all"),
        "drop" | "truncate" | "alter" if has("database") || has("schema") => format!("{verb}.database"),
        // `insert` adds, but with `or replace` it replaces as well.
        other => other.to_string(),
    };
    let subject = (1..tokens.len())
        .find(|i| {
            !matches!(
                word(*i),
                "from"
                    | "into"
                    | "table"
                    | "if"
                    | "exists"
                    | "not"
                    | "only"
                    | "database"
                    | "schema"
                    | "index"
                    | "view"
                    | "temporary"
                    | "temp"
                    | "or"
                    | "replace"
                    | "unique"
                    | "all"
                    | "distinct"
                    | "user"
                    | "role"
            ) && !word(*i).is_empty()
        })
        .map(|i| word(i).to_string())
        .unwrap_or_default();
    out.push(call(&name, vec![Expr::text(subject.as_bytes(), span)], span));
    for i in 0..tokens.len() {
        let next = i.saturating_add(1);
        let place = tokens.get(i).map_or(span, |t| t.1);
        match word(i) {
            "program" if verb == "copy" => {
                out.extend(text(next).map(|t| call("copy.program", vec![t], place)));
            }
            "to" | "from" if verb == "copy" => {
                out.extend(text(next).map(|t| call(&format!("copy.{}", word(i)), vec![t], place)));
            }
            "outfile" | "dumpfile" => out.extend(text(next).map(|t| call("into.outfile", vec![t], place))),
            "infile" => out.extend(text(next).map(|t| call("infile", vec![t], place))),
            "attach" => {
                out.extend(text(next).or_else(|| text(next.saturating_add(1))).map(|t| call("attach", vec![t], place)))
            }
            name if !name.is_empty() => {
                let procedure = name.rsplit('.').next().unwrap_or(name);
                let args: Vec<Expr> = if matches!(tokens.get(next), Some((Token::Sign(b'('), _))) {
                    tokens
                        .iter()
                        .skip(next.saturating_add(1))
                        .take_while(|(t, _)| *t != Token::Sign(b')'))
                        .filter(|(t, _)| *t != Token::Sign(b','))
                        .take(16)
                        .map(|(t, s)| match t {
                            Token::Text(t) => Expr::text(t, *s),
                            _ => Expr::new(Kind::Other(Vec::new()), *s),
                        })
                        .collect()
                } else if matches!(word(0), "exec" | "execute") && (i == 1 || name.starts_with("xp_")) {
                    text(next).into_iter().collect()
                } else {
                    continue;
                };
                out.push(call(&format!("fn.{procedure}"), args, place));
            }
            _ => {}
        }
    }
}
