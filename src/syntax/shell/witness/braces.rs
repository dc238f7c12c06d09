//! Brace expressions: the grammar knows `{1..3}` only, everything else with braces is text.
//!
//! Braces nested deeper than [`limits::MAX_WITNESS_BRACES`] stay text.

use super::push_literal;
use crate::limits;
use crate::source::Span;
use crate::syntax::ast::{BraceRange, Bytes, Part, PartKind};

/// An open brace and what stands behind it.
#[derive(Default)]
struct Open {
    at: Span,
    /// Finished alternatives, each with the place of the comma behind it.
    done: Vec<(Vec<Part>, Span)>,
    current: Vec<Part>,
}

/// Finds the brace expressions in the unquoted text of a word.
pub(super) fn expand(parts: Vec<Part>) -> Vec<Part> {
    let brace = |p: &Part| matches!(&p.kind, PartKind::Literal(text) if text.contains(&b'{'));
    if !parts.iter().any(brace) {
        return parts;
    }
    let mut stack: Vec<Open> = vec![Open::default()];
    for part in parts {
        let PartKind::Literal(text) = &part.kind else {
            if let Some(top) = stack.last_mut() {
                top.current.push(part);
            }
            continue;
        };
        let exact = text.len() == part.span.len();
        for (i, piece) in pieces(text) {
            let start = (part.span.start as usize).saturating_add(i);
            let at = if exact { Span::new(start, start.saturating_add(piece.len())) } else { part.span };
            let depth = stack.len();
            let Some(top) = stack.last_mut() else { break };
            match piece {
                b"{" if depth <= limits::MAX_WITNESS_BRACES => stack.push(Open { at, ..Open::default() }),
                b"," if depth > 1 => top.done.push((std::mem::take(&mut top.current), at)),
                b"}" if depth > 1 => {
                    if let Some(closed) = stack.pop()
                        && let Some(below) = stack.last_mut()
                    {
                        close(closed, at, &mut below.current);
                    }
                }
                text => push_literal(&mut top.current, text, at),
            }
        }
    }
    let mut out = Vec::new();
    for (i, open) in stack.into_iter().enumerate() {
        unclosed(open, i > 0, &mut out);
    }
    out
}

/// The text in pieces: each brace and comma alone, and the runs between them.
fn pieces(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|r| !r.is_empty())?;
        let run = rest.iter().position(|b| b"{,}".contains(b)).unwrap_or(rest.len()).max(1);
        let piece = rest.get(..run)?;
        let start = at;
        at = at.saturating_add(run);
        Some((start, piece))
    })
}

fn close(mut open: Open, at: Span, out: &mut Vec<Part>) {
    let span = open.at.to(at);
    if !open.done.is_empty() {
        let mut all: Vec<Vec<Part>> = open.done.into_iter().map(|(parts, _)| parts).collect();
        all.push(open.current);
        out.push(Part { kind: PartKind::Braces(all), span });
        return;
    }
    if let [Part { kind: PartKind::Literal(text), .. }] = open.current.as_slice()
        && let Some(kind) = range(text)
    {
        out.push(Part { kind, span });
        return;
    }
    push_literal(out, b"{", open.at);
    append(std::mem::take(&mut open.current), out);
    push_literal(out, b"}", at);
}

fn unclosed(open: Open, brace: bool, out: &mut Vec<Part>) {
    if brace {
        push_literal(out, b"{", open.at);
    }
    for (parts, comma) in open.done {
        append(parts, out);
        push_literal(out, b",", comma);
    }
    append(open.current, out);
}

fn append(parts: Vec<Part>, out: &mut Vec<Part>) {
    for part in parts {
        match part.kind {
            PartKind::Literal(text) => push_literal(out, &text, part.span),
            _ => out.push(part),
        }
    }
}

/// `a..e`, `1..9`, `1..9..2`.
fn range(text: &[u8]) -> Option<PartKind> {
    let text = std::str::from_utf8(text).ok()?;
    let mut fields = text.split("..");
    let (from, to, step) = (fields.next()?, fields.next()?, fields.next());
    let number = |s: &str| s.parse::<i64>().is_ok();
    let letter = |s: &str| s.len() == 1 && s.bytes().all(|b| b.is_ascii_alphabetic());
    let good = number(from) && number(to) || letter(from) && letter(to);
    let bytes = |s: &str| Bytes::from_slice(s.as_bytes());
    (good && step.is_none_or(number) && fields.next().is_none())
        .then(|| BraceRange { from: bytes(from), to: bytes(to), step: step.map(bytes) })
        .map(|range| PartKind::BraceRange(Box::new(range)))
}
