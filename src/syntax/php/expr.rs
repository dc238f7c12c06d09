//! PHP's expressions.
//!
//! In: a node. Out: an expression of the common language.

use super::super::ast::Bytes;
use super::super::lowering;
use super::super::script::{Arg, Expr, Kind};
use super::super::tree::{Lowering, attribute, field, has_token, kid, kids, span};
use super::{function, part, statement, target};
use std::rc::Rc;
use tree_sitter::Node;

pub(super) fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| Expr::new(kind(low, n), span(n)))
}

/// A name without its leading backslash; functions are known in small letters.
fn named(low: &Lowering<'_>, n: Node<'_>) -> Expr {
    low.name(low.text(n).trim_start_matches('\\'), span(n))
}

fn function_name(low: &Lowering<'_>, n: Node<'_>) -> Expr {
    let mut e = named(low, n);
    if let Kind::Name(name) = &mut e.kind {
        name.make_ascii_lowercase();
    }
    e
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let all = |low: &mut Lowering<'_>| low.all(n, expr);
    match n.kind() {
        "variable_name" => low.name(low.text(n), at).kind,
        "name" | "qualified_name" | "namespace_name" | "relative_scope" => named(low, n).kind,
        "string" | "encapsed_string" | "heredoc" | "nowdoc" => text(low, n),
        "shell_command_expression" => {
            let inner = Expr::new(text(low, n), at);
            Kind::Shell(Box::new(inner))
        }
        "integer" => number(low.text(n)),
        "float" => Kind::Text(low.bytes(low.text(n))),
        "boolean" => Kind::Bool(low.text(n).eq_ignore_ascii_case("true")),
        "null" => Kind::Null,
        "parenthesized_expression"
        | "error_suppression_expression"
        | "reference_assignment_expression"
        | "argument"
        | "by_ref"
        | "clone_expression"
        | "throw_expression"
            if kids(n).len() == 1 =>
        {
            kids(n).first().map(|k| expr(low, *k).kind).unwrap_or(Kind::Null)
        }
        "cast_expression" => part(low, n, "value").kind,
        "dynamic_variable_name" => match kids(n).first() {
            // `${'x'}`, `$$x`
            Some(k) => match expr(low, *k).kind {
                Kind::Text(b) => Kind::Name(format!("${}", String::from_utf8_lossy(&b))),
                other => Kind::Other(vec![Expr::new(other, at)]),
            },
            None => Kind::Other(Vec::new()),
        },
        "function_call_expression" => {
            let callee = match field(n, "function") {
                Some(f) if matches!(f.kind(), "name" | "qualified_name") => function_name(low, f),
                // `$1=f()`: what is wrong stands before the name.
                Some(f) if f.kind() == "variable_name" && f.has_error() => match kid(f, "name") {
                    Some(name) => function_name(low, name),
                    None => expr(low, f),
                },
                Some(f) => expr(low, f),
                None => Expr::new(Kind::Null, at),
            };
            // `f(...)` is the function itself.
            if field(n, "arguments").is_some_and(|a| kid(a, "variadic_placeholder").is_some()) {
                return callee.kind;
            }
            let args = arguments(low, field(n, "arguments"));
            Kind::Call(Box::new(callee), args)
        }
        "object_creation_expression" => {
            let parts = kids(n);
            let callee = parts.first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at));
            let args = arguments(low, kid(n, "arguments"));
            Kind::Call(Box::new(callee), args)
        }
        "member_call_expression" | "nullsafe_member_call_expression" => {
            let object = part(low, n, "object");
            let args = arguments(low, field(n, "arguments"));
            Kind::Call(Box::new(member(low, n, object)), args)
        }
        "scoped_call_expression" => {
            let object = part(low, n, "scope");
            let args = arguments(low, field(n, "arguments"));
            Kind::Call(Box::new(member(low, n, object)), args)
        }
        "member_access_expression" | "nullsafe_member_access_expression" => {
            let object = part(low, n, "object");
            member(low, n, object).kind
        }
        "scoped_property_access_expression" | "class_constant_access_expression" => {
            let parts = kids(n);
            match parts.as_slice() {
                [a, b] => {
                    let object = expr(low, *a);
                    attribute(object, low.text(*b).trim_start_matches('$'), at).kind
                }
                _ => Kind::Other(all(low)),
            }
        }
        "subscript_expression" => {
            let parts = kids(n);
            match parts.as_slice() {
                [o, k] => Kind::Index(Box::new(expr(low, *o)), Box::new(expr(low, *k))),
                // `$list[] = x`
                [o] => Kind::Index(Box::new(expr(low, *o)), Box::new(Expr::new(Kind::Null, at))),
                _ => Kind::Other(all(low)),
            }
        }
        "yield_expression" => Kind::Yield(all(low)),
        "array_creation_expression" | "list_literal" => array(low, n),
        "assignment_expression" | "reference_assignment_expression" => {
            let v = part(low, n, "right");
            match field(n, "left").and_then(|l| target(low, l)) {
                Some(t) => Kind::Assign(Box::new(t), Box::new(v)),
                None => Kind::Other(vec![v]),
            }
        }
        "augmented_assignment_expression" => {
            let v = part(low, n, "right");
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or(".=");
            lowering::combined(op, field(n, "left").and_then(|l| target(low, l)), v, at)
        }
        "update_expression" => {
            let op = if has_token(n, "--") { "-" } else { "+" };
            lowering::stepped(op, field(n, "argument").and_then(|l| target(low, l)), at)
        }
        "binary_expression" => {
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or_default();
            let (l, r) = (part(low, n, "left"), part(low, n, "right"));
            Kind::Operator(op.to_ascii_lowercase(), vec![l, r])
        }
        "unary_op_expression" => {
            let e = field(n, "argument").or_else(|| kids(n).last().copied()).map(|k| expr(low, k));
            let e = e.unwrap_or(Expr::new(Kind::Null, at));
            match low.text(n).chars().next() {
                Some('!') => Kind::Operator("not".into(), vec![e]),
                Some('-') => Kind::Operator("-".into(), vec![e]),
                Some('~') => Expr::call("~", vec![e], at).kind,
                _ => e.kind,
            }
        }
        "conditional_expression" => {
            let test = part(low, n, "condition");
            let other = Box::new(part(low, n, "alternative"));
            match field(n, "body") {
                Some(b) => Kind::Choice(Box::new(test), Box::new(expr(low, b)), other),
                None => Kind::Operator("or".into(), vec![test, *other]),
            }
        }
        "match_expression" => {
            let mut parts = vec![part(low, n, "condition")];
            for arm in field(n, "body").map(kids).unwrap_or_default() {
                parts.push(part(low, arm, "return_expression"));
            }
            Kind::Other(parts)
        }
        "anonymous_function" | "arrow_function" | "anonymous_function_creation_expression" => {
            Kind::Lambda(Rc::new(function(low, n, String::new())))
        }
        "print_intrinsic" => {
            let args = all(low);
            Expr::call("echo", args, at).kind
        }
        "include_expression" | "include_once_expression" | "require_expression" | "require_once_expression" => {
            let args = all(low);
            Expr::call("include", args, at).kind
        }
        "exit_statement" => {
            let mut out = Vec::new();
            statement(low, n, &mut out);
            Kind::Do(out)
        }
        _ => Kind::Other(all(low)),
    }
}

/// The member that is named, also by a variable (`$o->$name()`).
fn member(low: &mut Lowering<'_>, n: Node<'_>, object: Expr) -> Expr {
    match field(n, "name") {
        Some(m) if m.kind() == "name" => attribute(object, low.text(m), span(n)),
        Some(m) => {
            let name = expr(low, m);
            Expr::new(Kind::Index(Box::new(object), Box::new(name)), span(n))
        }
        None => object,
    }
}

fn arguments(low: &mut Lowering<'_>, n: Option<Node<'_>>) -> Vec<Arg> {
    let mut out = Vec::new();
    for a in n.map(kids).unwrap_or_default() {
        let name = field(a, "name").map(|k| low.text(k).to_string());
        let inner = kids(a).last().copied().filter(|_| a.kind() == "argument").unwrap_or(a);
        let (spread, inner) = match inner.kind() {
            "variadic_unpacking" => (true, kids(inner).first().copied().unwrap_or(inner)),
            _ => (false, inner),
        };
        out.push(Arg { name, spread, value: expr(low, inner) });
    }
    out
}

fn array(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let items: Vec<Vec<Node<'_>>> =
        kids(n).into_iter().map(|k| if k.kind() == "array_element_initializer" { kids(k) } else { vec![k] }).collect();
    if items.iter().all(|i| i.len() == 1) {
        return Kind::List(items.iter().flatten().map(|k| expr(low, *k)).collect());
    }
    let mut out = Vec::new();
    let mut next = 0i64;
    for i in items {
        match i.as_slice() {
            [k, v] => out.push((expr(low, *k), expr(low, *v))),
            [v] => {
                out.push((Expr::new(Kind::Number(next), span(*v)), expr(low, *v)));
                next = next.saturating_add(1);
            }
            _ => {}
        }
    }
    Kind::Map(out)
}

/// Text with variables and escapes; between single quotes only the quote and the backslash are escaped.
fn text(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let n = field(n, "value").unwrap_or(n);
    let mut pieces = lowering::Pieces::default();
    for k in kids(n) {
        match k.kind() {
            "string_content" | "nowdoc_string" => pieces.text.extend_from_slice(&low.bytes(low.text(k))),
            "escape_sequence" => escape(low.text(k), &mut pieces.text),
            "heredoc_start" | "heredoc_end" => {}
            _ => {
                let e = expr(low, k);
                pieces.push(e, span(n));
            }
        }
    }
    pieces.end(span(n))
}

/// One escape (PHP manual, "Strings").
fn escape(e: &str, out: &mut Bytes) {
    let rest = e.strip_prefix('\\').unwrap_or(e);
    let mut chars = rest.chars();
    let b = match chars.next() {
        Some('n') => 10,
        Some('t') => 9,
        Some('r') => 13,
        Some('v') => 11,
        Some('e') => 27,
        Some('f') => 12,
        Some('x') => u8::from_str_radix(chars.as_str(), 16).unwrap_or(0),
        Some('0'..='7') => u8::try_from(u32::from_str_radix(rest, 8).unwrap_or(0) & 255).unwrap_or(0),
        Some('u') => {
            let digits = chars.as_str().trim_matches(['{', '}']);
            lowering::character(u32::from_str_radix(digits, 16).unwrap_or(u32::MAX), out);
            return;
        }
        Some(c) => {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
        None => return,
    };
    out.push(b);
}

fn number(s: &str) -> Kind {
    lowering::number(s, &[("0x", 16), ("0b", 2), ("0o", 8), ("0", 8)])
}
