//! Perl's expressions.

use super::super::ast::Bytes;
use super::super::lowering;
use super::super::script::{Expr, Kind, StmtKind, Target};
use super::super::tree::{self, Lowering, attribute, field, has_token, kid, kids, reading, span, stmt};
use super::call::{arguments, call, evaluated, function_call, over};
use super::pattern::{binary, changed, pattern};
use super::{block, expression, subroutine, text};
use crate::source::Span;
use std::rc::Rc;
use tree_sitter::Node;

/// Lowers an expression.
pub(super) fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| Expr::new(kind(low, n), span(n)))
}

fn part(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Expr {
    low.part(n, name, expr)
}

pub(super) fn name(s: &str) -> Kind {
    Kind::Name(s.to_string())
}

/// The name of a variable with its sign; `Err` is the reference that is followed (`@{$r}`, `$$r`).
fn variable<'n>(low: &Lowering<'_>, n: Node<'n>, sign: char) -> Result<String, Option<Node<'n>>> {
    match kid(n, "varname") {
        Some(v) if kids(v).is_empty() => Ok(format!("{sign}{}", low.text(v))),
        Some(v) => Err(kids(v).first().copied()),
        None => Err(kids(n).first().copied()),
    }
}

/// What a reference is followed to.
pub(super) fn followed(low: &mut Lowering<'_>, n: Option<Node<'_>>) -> Kind {
    match n {
        Some(b) if b.kind() == "block" => Kind::Do(block(low, b)),
        Some(k) => expr(low, k).kind,
        None => Kind::Other(Vec::new()),
    }
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    match n.kind() {
        "scalar" => match variable(low, n, '$') {
            Ok(v) => low.name(&v, at).kind,
            Err(inner) => followed(low, inner),
        },
        "array" | "slice_container_variable" => match variable(low, n, '@') {
            Ok(v) => name(&v),
            Err(inner) => followed(low, inner),
        },
        "hash" => match variable(low, n, '%') {
            Ok(v) => name(&v),
            Err(inner) => followed(low, inner),
        },
        "glob" => match variable(low, n, '*') {
            Ok(v) => name(v.trim_start_matches('*')),
            Err(inner) => followed(low, inner),
        },
        "function" => match kid(n, "varname") {
            // `&f` and `\&f`
            Some(v) if kids(v).is_empty() => name(low.text(v)),
            Some(v) => followed(low, kids(v).first().copied()),
            None => call(low, n, low.text(n), &[], at),
        },
        "bareword" | "filehandle" | "package" => match field(n, "varname").or_else(|| kid(n, "varname")) {
            Some(v) => name(&format!("${}", low.text(v))),
            None => low.name(low.text(n), at).kind,
        },
        "arraylen" => Kind::Other(Vec::new()),
        "autoquoted_bareword" => Kind::Text(low.bytes(low.text(n))),
        "number" => number(low.text(n)),
        "version" => version(low.text(n)),
        "string_literal" => Kind::Text(text::plain(low, n)),
        "interpolated_string_literal" => text::string(low, n),
        "command_string" | "command_heredoc_token" => {
            let inner = Expr::new(text::string(low, n), at);
            Kind::Shell(Box::new(inner))
        }
        "heredoc_token" => match low.bodies.pop() {
            Some(e) => e.kind,
            None => Kind::Other(Vec::new()),
        },
        "quoted_word_list" => Kind::List(text::words(low, n)),
        "parenthesized_expression" => match kids(n).as_slice() {
            [] => Kind::List(Vec::new()),
            [one] => expr(low, *one).kind,
            many => Kind::List(many.iter().map(|k| expr(low, *k)).collect()),
        },
        "stub_expression" => Kind::List(Vec::new()),
        "list_expression" => flat(low, &kids(n), at),
        "anonymous_array_expression" => {
            let items = match kids(n).as_slice() {
                [one] if one.kind() == "list_expression" => kids(*one),
                other => other.to_vec(),
            };
            flat(low, &items, at)
        }
        "anonymous_hash_expression" => pairs(low, n),
        "variable_declaration" | "localization_expression" => declared(low, n),
        "assignment_expression" => assignment(low, n),
        "array_element_expression" | "hash_element_expression" => element(low, n),
        "slice_expression" | "keyval_expression" => Kind::Other(kids(n).into_iter().map(|k| expr(low, k)).collect()),
        "anonymous_slice_expression" => {
            let items = kids(n);
            match items.split_first() {
                Some((l, keys)) if keys.len() == 1 => {
                    let l = expr(low, *l);
                    let key = keys.first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at));
                    Kind::Index(Box::new(l), Box::new(key))
                }
                _ => Kind::Other(items.into_iter().map(|k| expr(low, k)).collect()),
            }
        }
        "array_deref_expression" | "scalar_deref_expression" | "hash_deref_expression" | "refgen_expression" => {
            followed(low, kids(n).first().copied())
        }
        "function_call_expression" | "ambiguous_function_call_expression" => function_call(low, n),
        "func1op_call_expression" | "func0op_call_expression" => {
            let function = field(n, "function").map(|f| low.text(f)).unwrap_or_default();
            call(low, n, function, &kids(n), at)
        }
        "coderef_call_expression" => {
            let items = kids(n);
            let callee = items.first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at));
            let args = field(n, "arguments").map(|a| arguments(low, &[a], false)).unwrap_or_default();
            Kind::Call(Box::new(callee), args)
        }
        "method_call_expression" => {
            let object = part(low, n, "invocant");
            let args = field(n, "arguments").map(|a| arguments(low, &[a], true)).unwrap_or_default();
            match field(n, "method") {
                Some(m) if !kids(m).is_empty() => {
                    // `$o->$method(…)`
                    let inner = kids(m).first().copied().unwrap_or(m);
                    let which = expr(low, if m.kind() == "scalar" { m } else { inner });
                    let mut all = vec![object, which];
                    all.extend(args.into_iter().map(|a| a.value));
                    Expr::call("->", all, at).kind
                }
                m => {
                    let which = m.map(|m| low.text(m)).unwrap_or_default();
                    Kind::Call(Box::new(attribute(object, which, at)), args)
                }
            }
        }
        "map_grep_expression" | "sort_expression" => over(low, n),
        "eval_expression" => evaluated(low, n),
        "do_expression" => match kid(n, "block") {
            Some(b) => Kind::Do(block(low, b)),
            None => Kind::Other(kids(n).into_iter().map(|k| expr(low, k)).collect()),
        },
        "require_expression" => match kids(n).first() {
            Some(k) if k.kind() != "bareword" => {
                let e = expr(low, *k);
                Expr::call("require", vec![e], at).kind
            }
            Some(k) => {
                let module = low.text(*k).to_string();
                Kind::Do(vec![stmt(StmtKind::Import { path: module.clone(), alias: module }, at)])
            }
            _ => Kind::Null,
        },
        "undef_expression" => Kind::Null,
        "binary_expression" | "equality_expression" | "relational_expression" | "lowprec_logical_expression" => {
            binary(low, n)
        }
        "unary_expression" | "logical_not_expression" => {
            let e = field(n, "operand").or_else(|| kids(n).first().copied()).map(|k| expr(low, k));
            let e = e.unwrap_or(Expr::new(Kind::Null, at));
            match field(n, "operator").map(|o| low.text(o)) {
                Some("!" | "not") => Kind::Operator("not".into(), vec![e]),
                Some("-") => Kind::Operator("-".into(), vec![e]),
                Some("+") => e.kind,
                _ => Kind::Other(vec![e]),
            }
        }
        "preinc_expression" | "postinc_expression" => {
            let op = if has_token(n, "--") { "-" } else { "+" };
            lowering::stepped(op, field(n, "operand").and_then(|o| target(low, o)), at)
        }
        "conditional_expression" => Kind::Choice(
            Box::new(part(low, n, "condition")),
            Box::new(part(low, n, "consequent")),
            Box::new(part(low, n, "alternative")),
        ),
        "match_regexp" | "quoted_regexp" => pattern(low, n),
        "substitution_regexp" | "transliteration_expression" => changed(low, n, Target::Name("$_".into())),
        // `<>`, `<<>>`, `<ARGV>`: what the arguments name, each opened as `open` opens it.
        "readline_expression" if matches!(low.text(n), "<>" | "<<>>" | "<ARGV>") => {
            Expr::call("readline.argv", vec![Expr::new(name("@ARGV"), at)], at).kind
        }
        "fileglob_expression" if kid(n, "scalar").is_none() => {
            let pattern = text::string(low, n);
            Expr::call("glob", vec![Expr::new(pattern, at)], at).kind
        }
        "readline_expression" | "fileglob_expression" => {
            let handle = match kid(n, "filehandle").or_else(|| kids(n).first().copied()) {
                Some(h) => expr(low, h),
                None => Expr::new(name("STDIN"), at),
            };
            Expr::call("readline", vec![handle], at).kind
        }
        "anonymous_subroutine_expression" | "anonymous_method_expression" => {
            let inner = field(n, "body").map(|b| block(low, b)).unwrap_or_default();
            Kind::Lambda(Rc::new(subroutine(String::new(), inner)))
        }
        "block" => Kind::Do(block(low, n)),
        "postfix_conditional_expression"
        | "postfix_loop_expression"
        | "postfix_for_expression"
        | "return_expression"
        | "loopex_expression" => {
            let mut out = Vec::new();
            expression(low, n, &mut out);
            Kind::Do(out)
        }
        _ => Kind::Other(kids(n).into_iter().map(|k| expr(low, k)).collect()),
    }
}

/// A list in which lists are flattened.
fn flat(low: &mut Lowering<'_>, items: &[Node<'_>], at: Span) -> Kind {
    let mut whole: Option<Expr> = None;
    let mut single: Vec<Expr> = Vec::new();
    for k in items {
        let e = expr(low, *k);
        let list = is_list(*k) || matches!(e.kind, Kind::List(_));
        if !list {
            single.push(e);
            continue;
        }
        let mut add = |e: Expr| {
            whole = Some(match whole.take() {
                None => e,
                Some(w) => Expr::new(Kind::Operator("+".into(), vec![w, e]), at),
            });
        };
        if !single.is_empty() {
            add(Expr::new(Kind::List(std::mem::take(&mut single)), at));
        }
        add(e);
    }
    let rest = Expr::new(Kind::List(single), at);
    match whole {
        None => rest.kind,
        Some(w) => match &rest.kind {
            Kind::List(l) if l.is_empty() => w.kind,
            _ => Kind::Operator("+".into(), vec![w, rest]),
        },
    }
}

/// What gives several values in a list.
pub(super) fn is_list(n: Node<'_>) -> bool {
    matches!(
        n.kind(),
        "array"
            | "array_deref_expression"
            | "quoted_word_list"
            | "map_grep_expression"
            | "sort_expression"
            | "parenthesized_expression"
            | "list_expression"
    )
}

/// `(a => 1, b => 2)` as a map.
fn pairs(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let items = match kids(n).as_slice() {
        [one] if one.kind() == "list_expression" => kids(*one),
        other => other.to_vec(),
    };
    if items.iter().any(|k| is_list(*k)) {
        return Kind::Other(items.into_iter().map(|k| expr(low, k)).collect());
    }
    let all: Vec<Expr> = items.into_iter().map(|k| expr(low, k)).collect();
    let mut out = Vec::new();
    let mut it = all.into_iter();
    while let (Some(k), Some(v)) = (it.next(), it.next()) {
        out.push((k, v));
    }
    Kind::Map(out)
}

/// `my $x`, `local @a`: empty until something is assigned.
fn declared(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    if low.text(n).starts_with("local") || low.text(n).starts_with("our") {
        return kids(n).first().map_or(Kind::Null, |k| expr(low, *k).kind);
    }
    let mut body = Vec::new();
    for k in kids(n) {
        if let Some(t) = target(low, k) {
            let v = match k.kind() {
                "array" => Kind::List(Vec::new()),
                "hash" => Kind::Map(Vec::new()),
                _ => Kind::Null,
            };
            body.push(stmt(StmtKind::Assign(t, Expr::new(v, span(k))), span(k)));
        }
    }
    Kind::Do(body)
}

/// What can be assigned to.
pub(super) fn target(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Target> {
    low.deeper(n, None, |low| match n.kind() {
        "variable_declaration" | "localization_expression" => {
            let all = kids(n);
            match all.as_slice() {
                [one] if !has_token(n, "(") => target(low, *one),
                many => Some(Target::List(
                    many.iter()
                        .map(|k| target(low, *k).unwrap_or_else(|| Target::Name(tree::temporary(span(*k)))))
                        .collect(),
                )),
            }
        }
        "parenthesized_expression" | "list_expression" => {
            let all = match kids(n).as_slice() {
                [one] if one.kind() == "list_expression" => kids(*one),
                other => other.to_vec(),
            };
            Some(Target::List(
                all.into_iter()
                    .map(|k| target(low, k).unwrap_or_else(|| Target::Name(tree::temporary(span(k)))))
                    .collect(),
            ))
        }
        _ => lowering::target_of(expr(low, n)),
    })
}

fn assignment(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let Some(left) = field(n, "left") else { return Kind::Other(Vec::new()) };
    let op = field(n, "operator").map(|o| low.text(o)).unwrap_or("=");
    let listed = |k: &str| kids(left).first().is_some_and(|v| v.kind() == k) || left.kind() == k;
    let value = match field(n, "right") {
        Some(r) if listed("hash") && r.kind() == "parenthesized_expression" => Expr::new(pairs(low, r), span(r)),
        Some(r) if listed("array") && !is_list(r) && literal(r) => {
            let e = expr(low, r);
            Expr::new(Kind::List(vec![e]), span(r))
        }
        Some(r) => expr(low, r),
        None => Expr::new(Kind::Null, at),
    };
    match target(low, left) {
        Some(t) if op == "=" => Kind::Assign(Box::new(t), Box::new(value)),
        Some(t) => {
            let whole = tree::combined(op, reading(&t, at), value, at);
            Kind::Assign(Box::new(t), Box::new(whole))
        }
        None => {
            let l = expr(low, left);
            Kind::Other(vec![l, value])
        }
    }
}

fn literal(n: Node<'_>) -> bool {
    matches!(n.kind(), "string_literal" | "interpolated_string_literal" | "number" | "scalar")
}

fn element(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let (container, key) = match n.kind() {
        "array_element_expression" => ("array", field(n, "index")),
        _ => ("hash", field(n, "key")),
    };
    let object = match field(n, container) {
        Some(c) => match variable(low, c, if container == "array" { '@' } else { '%' }) {
            Ok(v) => Expr::new(name(&v), span(c)),
            Err(inner) => Expr::new(followed(low, inner), span(c)),
        },
        None => kids(n).first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at)),
    };
    let key = key.map(|k| expr(low, k)).unwrap_or(Expr::new(Kind::Null, at));
    Kind::Index(Box::new(object), Box::new(key))
}

pub(super) fn number(s: &str) -> Kind {
    lowering::number(s, &[("0x", 16), ("0b", 2), ("0", 8)])
}

/// `v65.66` is text of those characters.
fn version(s: &str) -> Kind {
    let mut out = Bytes::new();
    for part in s.trim_start_matches('v').split('.') {
        match part.parse::<u32>().ok().and_then(char::from_u32) {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => return Kind::Text(Bytes::from_slice(s.as_bytes())),
        }
    }
    Kind::Text(out)
}
