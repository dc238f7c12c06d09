//! PowerShell's words: variables, text with expressions in it, numbers.
//!
//! In: a node. Out: an expression of the common language.

use super::super::ast::Bytes;
use super::super::lowering;
use super::super::script::{Expr, Kind};
use super::super::tree::{Lowering, kids, span};
use super::expr::expr;
use tree_sitter::Node;

pub(super) fn variable(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let raw = low.text(n);
    let name = raw.trim_start_matches(['$', '@']).trim_matches(['{', '}']);
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "true" => Kind::Bool(true),
        "false" => Kind::Bool(false),
        "null" => Kind::Null,
        _ => {
            if let Some(v) = lower.strip_prefix("env:") {
                let key = name.get(name.len().saturating_sub(v.len())..).unwrap_or_default();
                let key = low.literal(key, at);
                return Kind::Index(Box::new(Expr::new(Kind::Name("$env".into()), at)), Box::new(key));
            }
            let bare = ["global:", "script:", "local:", "private:"]
                .iter()
                .find_map(|p| lower.strip_prefix(p))
                .unwrap_or(&lower);
            low.name(&format!("${bare}"), at).kind
        }
    }
}

/// A word that stands without quotes; a backquote keeps the character behind it.
pub(super) fn bare(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let mut out = String::new();
    let mut chars = low.text(n).chars();
    while let Some(c) = chars.next() {
        match c {
            '`' => out.extend(chars.next()),
            '"' | '\'' => {}
            other => out.push(other),
        }
    }
    Kind::Text(low.bytes(&out))
}

/// `"text $x $(command) `n"`
pub(super) fn expandable(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let text = low.text(n);
    let here = text.starts_with('@');
    let (mut from, end) = match here {
        true => (n.start_byte().saturating_add(2), n.end_byte().saturating_sub(2)),
        false => (n.start_byte().saturating_add(1), n.end_byte().saturating_sub(1)),
    };
    let mut parts = Vec::new();
    let push = |low: &Lowering<'_>, parts: &mut Vec<Expr>, a: usize, b: usize| {
        if a < b {
            let text = low.slice(a, b);
            let text = if here { text.trim_matches(['\r', '\n']) } else { text };
            let mut out = String::new();
            let mut chars = text.chars().peekable();
            while let Some(c) = chars.next() {
                match c {
                    '`' => out.extend(chars.next().map(|c| match c {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        '0' => '\0',
                        'a' => '\u{7}',
                        'b' => '\u{8}',
                        'e' => '\u{1b}',
                        other => other,
                    })),
                    '"' if !here && chars.peek() == Some(&'"') => {
                        chars.next();
                        out.push('"');
                    }
                    other => out.push(other),
                }
            }
            parts.push(Expr::new(Kind::Text(low.bytes(&out)), crate::source::Span::new(a, b)));
        }
    };
    for k in kids(n).into_iter().filter(|k| matches!(k.kind(), "variable" | "sub_expression" | "braced_variable")) {
        push(low, &mut parts, from, k.start_byte());
        let e = expr(low, k);
        parts.push(e);
        from = k.end_byte();
    }
    push(low, &mut parts, from, end);
    match parts.as_slice() {
        [] => Kind::Text(Bytes::new()),
        [Expr { kind: Kind::Text(b), .. }] => Kind::Text(b.clone()),
        _ => Kind::Concat(parts),
    }
}

pub(super) fn number(s: &str) -> Kind {
    lowering::number(s, &[("0x", 16)])
}
