//! Perl's quoted text: interpolation, escapes, here-documents, lists of words.

use super::super::ast::Bytes;
use super::super::script::{Expr, Kind};
use super::super::tree::{Lowering, field, kids, span};
use super::expr::expr;
use tree_sitter::Node;

/// The bodies of here-documents, in the order in which they stand.
pub(super) fn bodies(low: &mut Lowering<'_>, root: Node<'_>, out: &mut Vec<Expr>) {
    let mut c = root.walk();
    loop {
        let n = c.node();
        if n.kind() == "heredoc_content" {
            let end = kids(n).into_iter().find(|k| k.kind() == "heredoc_end").map_or(n.end_byte(), |e| e.start_byte());
            let kind = interpolated(low, n, n.start_byte(), end);
            out.push(Expr::new(kind, span(n)));
        } else if c.goto_first_child() {
            continue;
        }
        loop {
            if c.goto_next_sibling() {
                break;
            }
            if !c.goto_parent() {
                return;
            }
        }
    }
}

/// Text with variables in it.
pub(super) fn string(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let Some((start, end)) = between(n) else { return Kind::Text(Bytes::new()) };
    match field(n, "content") {
        Some(c) => interpolated(low, c, start, end),
        None => {
            let mut bytes = Bytes::new();
            unescape(low, low.slice(start, end), &mut bytes);
            Kind::Text(bytes)
        }
    }
}

/// What stands between the delimiters. The grammar's own content node leaves out white space at its ends.
fn between(n: Node<'_>) -> Option<(usize, usize)> {
    let last = n.child_count().checked_sub(1)?;
    let content = field(n, "content");
    let opening = (0..last).filter_map(|i| n.child(i)).take_while(|k| Some(*k) != content).last()?;
    let closing = n.child(last)?;
    (opening.end_byte() <= closing.start_byte()).then(|| (opening.end_byte(), closing.start_byte()))
}

fn interpolated(low: &mut Lowering<'_>, n: Node<'_>, start: usize, end: usize) -> Kind {
    let hole = |k: &Node<'_>| {
        !matches!(k.kind(), "escape_sequence" | "escaped_delimiter" | "heredoc_end" | "string_content") && !k.is_error()
    };
    let mut parts = Vec::new();
    let mut from = start;
    let push = |low: &mut Lowering<'_>, parts: &mut Vec<Expr>, a: usize, b: usize| {
        if a < b {
            let mut bytes = Bytes::new();
            unescape(low, low.slice(a, b), &mut bytes);
            parts.push(Expr::new(Kind::Text(bytes), crate::source::Span::new(a, b)));
        }
    };
    for k in kids(n).into_iter().filter(hole) {
        push(low, &mut parts, from, k.start_byte());
        let e = expr(low, k);
        parts.push(match k.kind() {
            // The elements stand with a space between.
            "array" | "slice_expression" | "array_deref_expression" => {
                let at = span(k);
                Expr::call("join", vec![Expr::text(b" ", at), e], at)
            }
            _ => e,
        });
        from = k.end_byte();
    }
    push(low, &mut parts, from, end);
    match parts.pop() {
        None => Kind::Text(Bytes::new()),
        Some(Expr { kind: Kind::Text(b), .. }) if parts.is_empty() => Kind::Text(b),
        Some(last) => {
            parts.push(last);
            Kind::Concat(parts)
        }
    }
}

/// Text between single quotes: a backslash keeps its meaning before the delimiter and itself alone.
pub(super) fn plain(low: &Lowering<'_>, n: Node<'_>) -> Bytes {
    let Some((start, end)) = between(n) else { return Bytes::new() };
    let mut out = Bytes::new();
    let mut from = start;
    for k in field(n, "content")
        .map(kids)
        .unwrap_or_default()
        .into_iter()
        .filter(|k| matches!(k.kind(), "escape_sequence" | "escaped_delimiter"))
    {
        out.extend_from_slice(&low.bytes(low.slice(from, k.start_byte())));
        out.extend_from_slice(&low.bytes(low.text(k).strip_prefix('\\').unwrap_or_default()));
        from = k.end_byte();
    }
    out.extend_from_slice(&low.bytes(low.slice(from, end)));
    out
}

/// The words of `qw(…)`.
pub(super) fn words(low: &Lowering<'_>, n: Node<'_>) -> Vec<Expr> {
    let text = field(n, "content").map(|c| low.text(c)).unwrap_or_default();
    text.split_whitespace().map(|w| low.literal(w, span(n))).collect()
}

/// The escapes of double-quoted text (perlop, "Quote and Quote-like Operators").
fn unescape(low: &Lowering<'_>, s: &str, out: &mut Bytes) {
    let mut rest = s;
    while let Some((head, tail)) = rest.split_once('\\') {
        out.extend_from_slice(&low.bytes(head));
        let mut chars = tail.chars();
        let Some(c) = chars.next() else {
            rest = "";
            break;
        };
        rest = chars.as_str();
        let simple = match c {
            'n' => Some(b'\n'),
            't' => Some(b'\t'),
            'r' => Some(b'\r'),
            'a' => Some(7),
            'b' => Some(8),
            'f' => Some(12),
            'e' => Some(27),
            _ => None,
        };
        if let Some(b) = simple {
            out.push(b);
            continue;
        }
        match c {
            // Case and quoting of what follows: the text stays.
            'Q' | 'E' | 'L' | 'U' | 'l' | 'u' => {}
            'x' => {
                let (digits, after) = match rest.strip_prefix('{').and_then(|r| r.split_once('}')) {
                    Some((d, after)) => (d, after),
                    None => {
                        let n = rest.bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
                        rest.split_at(n)
                    }
                };
                rest = after;
                put(u32::from_str_radix(digits.trim(), 16).unwrap_or(0), out);
            }
            '0'..='7' => {
                let whole = tail;
                let n = whole.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let (digits, after) = whole.split_at(n);
                rest = after;
                put(u32::from_str_radix(digits, 8).unwrap_or(0), out);
            }
            'c' => {
                let mut chars = rest.chars();
                if let Some(k) = chars.next().and_then(|k| u8::try_from(k.to_ascii_uppercase()).ok()) {
                    out.push(k ^ 64);
                }
                rest = chars.as_str();
            }
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.extend_from_slice(&low.bytes(rest));
}

fn put(code: u32, out: &mut Bytes) {
    match u8::try_from(code) {
        Ok(b) => out.push(b),
        Err(_) => {
            if let Some(c) = char::from_u32(code) {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
}

/// `a-z` of `tr` written out.
pub(super) fn ranges(s: &str) -> String {
    let chars: Vec<char> = s.chars().collect();
    let mut out = String::new();
    let mut i = 0usize;
    while let Some(&c) = chars.get(i) {
        let next = chars.get(i.saturating_add(1)).copied();
        let last = chars.get(i.saturating_add(2)).copied();
        match (next, last) {
            (Some('-'), Some(z)) if c <= z && u32::from(z).saturating_sub(u32::from(c)) < 512 => {
                out.extend(c..=z);
                i = i.saturating_add(3);
            }
            _ => {
                out.push(c);
                i = i.saturating_add(1);
            }
        }
    }
    out
}
