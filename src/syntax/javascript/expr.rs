//! JavaScript's expressions.
//!
//! In: a node. Out: an expression of the common language.

use super::super::ast::Bytes;
use super::super::lowering;
use super::super::script::{Arg, Expr, Kind, Receiver};
use super::super::tree::{self, Lowering, field, kids, span};
use super::{assign, class, function, part, target};
use std::rc::Rc;
use tree_sitter::Node;

pub(super) fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| {
        let kind = expr_kind(low, n);
        match kind {
            Ok(kind) => Expr::new(kind, span(n)),
            Err(e) => e,
        }
    })
}

/// What an expression is; `Err` is one that stands for itself.
fn expr_kind(low: &mut Lowering<'_>, n: Node<'_>) -> Result<Kind, Expr> {
    let at = span(n);
    let all = |low: &mut Lowering<'_>| low.all(n, expr);
    Ok(match n.kind() {
        "identifier" | "this" | "super" | "import" | "property_identifier" | "shorthand_property_identifier" => {
            return Err(low.name(low.text(n), at));
        }
        "parenthesized_expression"
        | "await_expression"
        | "as_expression"
        | "satisfies_expression"
        | "non_null_expression" => match kids(n).first() {
            Some(k) => return Err(expr(low, *k)),
            None => Kind::Null,
        },
        "yield_expression" if tree::has_token(n, "*") => match kids(n).first() {
            Some(k) => {
                let over = expr(low, *k);
                tree::yield_all(over, at)
            }
            None => Kind::Null,
        },
        "yield_expression" => Kind::Yield(all(low)),
        "sequence_expression" => {
            let parts = all(low);
            Kind::Do(parts.into_iter().map(tree::run).collect())
        }
        "string" | "template_string" => text(low, n),
        "number" => number(low.text(n)),
        "true" => Kind::Bool(true),
        "false" => Kind::Bool(false),
        "null" | "undefined" => Kind::Null,
        "regex" => {
            let text = |name: &str| field(n, name).map(|k| low.literal(low.text(k), at));
            let empty = || Expr::text(b"", at);
            let parts = vec![text("pattern").unwrap_or_else(empty), text("flags").unwrap_or_else(empty)];
            return Err(Expr::call("RegExp", parts, at));
        }
        "member_expression" => {
            let name = field(n, "property").map(|p| low.text(p)).unwrap_or_default();
            let object = field(n, "object");
            // `globalThis.require`, `global.process`, `window.fetch`
            if object.is_some_and(|o| matches!(low.text(o), "globalThis" | "global" | "window" | "self")) {
                return Err(low.name(name, at));
            }
            Kind::Attribute(Box::new(part(low, n, "object")), name.to_string())
        }
        "subscript_expression" => Kind::Index(Box::new(part(low, n, "object")), Box::new(part(low, n, "index"))),
        "call_expression" => {
            let callee = part(low, n, "function");
            let args = field(n, "arguments");
            match args {
                Some(a) if a.kind() == "template_string" => {
                    let e = expr(low, a);
                    Kind::Call(Box::new(callee), vec![lowering::plain(e)])
                }
                _ => Kind::Call(Box::new(callee), arguments(low, args)),
            }
        }
        "new_expression" => {
            let callee = part(low, n, "constructor");
            Kind::Call(Box::new(callee), arguments(low, field(n, "arguments")))
        }
        "array" => {
            if kids(n).iter().any(|k| k.kind() == "spread_element") {
                // `[...a, b]` is a list joined from lists.
                let mut whole: Option<Expr> = None;
                for k in kids(n) {
                    let e = match (k.kind(), kids(k).first()) {
                        // Text is its letters.
                        ("spread_element", Some(inner)) => Expr::call("Array.from", vec![expr(low, *inner)], span(k)),
                        _ => Expr::new(Kind::List(vec![expr(low, k)]), span(k)),
                    };
                    whole = Some(match whole {
                        None => e,
                        Some(w) => Expr::new(Kind::Operator("+".into(), vec![w, e]), at),
                    });
                }
                return Err(whole.unwrap_or(Expr::new(Kind::List(Vec::new()), at)));
            }
            Kind::List(all(low))
        }
        "object" => object(low, n),
        "arrow_function" | "function_expression" | "function" | "generator_function" => {
            let name = low.named(n, "name");
            Kind::Lambda(Rc::new(function(low, n, name)))
        }
        "class" => {
            let c = class(low, n);
            Kind::Do(vec![c])
        }
        "assignment_expression" => {
            let v = part(low, n, "right");
            match field(n, "left").and_then(|l| target(low, l)) {
                Some(t) => Kind::Assign(Box::new(t), Box::new(v)),
                None => {
                    let mut out = Vec::new();
                    if let Some(l) = field(n, "left") {
                        assign(low, l, v, &mut out);
                    }
                    Kind::Do(out)
                }
            }
        }
        "augmented_assignment_expression" => {
            let v = part(low, n, "right");
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or("+=");
            lowering::combined(op, field(n, "left").and_then(|l| target(low, l)), v, at)
        }
        "update_expression" => {
            let op = if low.text(n).contains("--") { "-" } else { "+" };
            lowering::stepped(op, field(n, "argument").and_then(|l| target(low, l)), at)
        }
        "ternary_expression" => Kind::Choice(
            Box::new(part(low, n, "condition")),
            Box::new(part(low, n, "consequence")),
            Box::new(part(low, n, "alternative")),
        ),
        "binary_expression" => {
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or_default();
            let op = match op {
                "===" => "==",
                "!==" => "!=",
                other => other,
            };
            Kind::Operator(op.to_string(), vec![part(low, n, "left"), part(low, n, "right")])
        }
        "unary_expression" => {
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or_default();
            let e = part(low, n, "argument");
            match op {
                "!" => Kind::Operator("not".into(), vec![e]),
                "-" => Kind::Operator("-".into(), vec![e]),
                _ => Kind::Other(vec![e]),
            }
        }
        _ => Kind::Other(all(low)),
    })
}

fn arguments(low: &mut Lowering<'_>, n: Option<Node<'_>>) -> Vec<Arg> {
    let mut out = Vec::new();
    for k in n.map(kids).unwrap_or_default() {
        let (spread, inner) = match (k.kind(), kids(k).first()) {
            ("spread_element", Some(inner)) => (true, *inner),
            _ => (false, k),
        };
        out.push(Arg { name: None, spread, value: expr(low, inner) });
    }
    out
}

fn object(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let mut items = Vec::new();
    let mut rest = Vec::new();
    for k in kids(n) {
        let at = span(k);
        match k.kind() {
            "pair" => {
                let Some(key) = field(k, "key") else { continue };
                let key = match key.kind() {
                    "property_identifier" | "private_property_identifier" => low.literal(low.text(key), span(key)),
                    "computed_property_name" => match kids(key).first() {
                        Some(e) => expr(low, *e),
                        None => continue,
                    },
                    _ => expr(low, key),
                };
                items.push((key, part(low, k, "value")));
            }
            "shorthand_property_identifier" => {
                items.push((low.literal(low.text(k), at), low.name(low.text(k), at)));
            }
            "method_definition" => {
                let name = field(k, "name").map(|x| low.text(x)).unwrap_or_default();
                let mut f = function(low, k, name.to_string());
                if tree::has_token(k, "get") {
                    f.receiver = Receiver::Read;
                }
                items.push((low.literal(name, at), Expr::new(Kind::Lambda(Rc::new(f)), at)));
            }
            "spread_element" => rest.extend(kids(k).first().map(|e| expr(low, *e))),
            _ => rest.push(expr(low, k)),
        }
    }
    if rest.is_empty() {
        return Kind::Map(items);
    }
    rest.push(Expr::new(Kind::Map(items), span(n)));
    Kind::Other(rest)
}

/// A string or template: fragments, escapes and expressions.
fn text(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let mut pieces = lowering::Pieces::default();
    for k in kids(n) {
        match k.kind() {
            "string_fragment" => pieces.text.extend_from_slice(&low.bytes(low.text(k))),
            "escape_sequence" => escape(low.text(k), &mut pieces.text),
            _ => {
                let inner = kids(k).first().copied().filter(|_| k.kind() == "template_substitution");
                if let Some(e) = inner {
                    let e = expr(low, e);
                    pieces.push(e, span(n));
                }
            }
        }
    }
    pieces.end(span(n))
}

/// One escape of ECMAScript.
fn escape(e: &str, out: &mut Bytes) {
    let rest = e.strip_prefix('\\').unwrap_or(e);
    let mut chars = rest.chars();
    let c = match chars.next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('v') => '\u{b}',
        Some('\n' | '\r') | None => return,
        Some('x' | 'u') => {
            let digits = chars.as_str().trim_matches(['{', '}']);
            match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
                Some(c) => c,
                None => return,
            }
        }
        Some('0'..='7') => match u32::from_str_radix(rest, 8).ok().and_then(char::from_u32) {
            Some(c) => c,
            None => return,
        },
        Some(c) => c,
    };
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn number(s: &str) -> Kind {
    lowering::number(s.trim_end_matches('n'), &[("0x", 16), ("0o", 8), ("0b", 2)])
}
