//! Ruby's expressions.
//!
//! In: a node. Out: an expression of the common language.

use super::super::ast::Bytes;
use super::super::lowering;
use super::super::script::{Arg, Expr, Function, Kind, Target};
use super::super::tree::{Lowering, attribute, field, kid, kids, span};
use super::{block, body, parameters, part, statement, target};
use std::rc::Rc;
use tree_sitter::Node;

pub(super) fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| Expr::new(kind(low, n), span(n)))
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let all = |low: &mut Lowering<'_>| low.all(n, expr);
    match n.kind() {
        "identifier" => {
            let name = low.text(n);
            let e = low.name(name, at);
            if matches!(e.kind, Kind::Text(_)) || low.locals.contains(name) {
                return e.kind;
            }
            let call = Kind::Call(Box::new(e), Vec::new());
            match name {
                // What was read last is `$_`, too.
                "gets" | "readline" => Kind::Assign(Box::new(Target::Name("$_".into())), Box::new(Expr::new(call, at))),
                _ => call,
            }
        }
        "instance_variable" | "class_variable" => {
            let object = Expr::new(Kind::Name("self".into()), at);
            attribute(object, low.text(n).trim_start_matches('@'), at).kind
        }
        "constant" | "global_variable" | "self" => low.name(low.text(n), at).kind,
        "scope_resolution" => Kind::Name(low.text(n).trim_start_matches("::").to_string()),
        "string" | "string_content" | "bare_string" | "bare_symbol" | "delimited_symbol" | "heredoc_body" | "regex" => {
            text(low, n)
        }
        "chained_string" => Kind::Concat(all(low)),
        "character" => Kind::Text(low.bytes(low.text(n).trim_start_matches('?'))),
        "simple_symbol" => Kind::Text(low.bytes(low.text(n).trim_start_matches(':'))),
        "hash_key_symbol" => Kind::Text(low.bytes(low.text(n))),
        "subshell" => {
            let inner = Expr::new(text(low, n), at);
            Kind::Shell(Box::new(inner))
        }
        "heredoc_beginning" => match low.bodies.pop() {
            Some(e) if low.text(n).contains('`') => Kind::Shell(Box::new(e)),
            Some(e) => e.kind,
            None => Kind::Other(Vec::new()),
        },
        "string_array" | "symbol_array" | "array" | "right_assignment_list" => Kind::List(all(low)),
        "integer" => number(low.text(n)),
        "float" | "rational" | "complex" => Kind::Text(low.bytes(low.text(n))),
        "true" => Kind::Bool(true),
        "false" => Kind::Bool(false),
        "nil" => Kind::Null,
        "hash" => {
            let mut items = Vec::new();
            let mut rest = Vec::new();
            for p in kids(n) {
                match (field(p, "key"), field(p, "value")) {
                    (Some(k), Some(v)) => items.push((expr(low, k), expr(low, v))),
                    (Some(k), None) => items.push((expr(low, k), low.name(low.text(k), span(k)))),
                    _ => rest.push(expr(low, p)),
                }
            }
            if rest.is_empty() {
                return Kind::Map(items);
            }
            rest.push(Expr::new(Kind::Map(items), at));
            Kind::Other(rest)
        }
        "call" => call(low, n),
        "element_reference" => {
            let items = kids(n);
            let object = Box::new(part(low, n, "object"));
            match items.get(1..) {
                Some([range]) if range.kind() == "range" => {
                    let bound = |low: &mut Lowering<'_>, f: &str| field(*range, f).map(|k| Box::new(expr(low, k)));
                    let (start, end) = (bound(low, "begin"), bound(low, "end"));
                    // `[a..b]` counts its end.
                    let end = match end {
                        Some(e) if !low.text(*range).contains("...") => match e.kind {
                            Kind::Number(-1) => None,
                            Kind::Number(v) => Some(Box::new(Expr::new(Kind::Number(v.saturating_add(1)), e.span))),
                            _ => Some(e),
                        },
                        other => other,
                    };
                    Kind::Slice(object, start, end, None)
                }
                Some([key]) => Kind::Index(object, Box::new(expr(low, *key))),
                Some(keys) => {
                    let keys: Vec<Expr> = keys.iter().map(|k| expr(low, *k)).collect();
                    let args = keys.into_iter().map(lowering::plain).collect();
                    Kind::Call(Box::new(attribute(*object, "slice", at)), args)
                }
                None => Kind::Other(vec![*object]),
            }
        }
        "assignment" => match (field(n, "left").and_then(|l| target(low, l)), field(n, "right")) {
            (Some(t), Some(r)) => Kind::Assign(Box::new(t), Box::new(expr(low, r))),
            (_, Some(r)) => expr(low, r).kind,
            _ => Kind::Null,
        },
        "operator_assignment" => {
            let v = part(low, n, "right");
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or("+=");
            lowering::combined(op, field(n, "left").and_then(|l| target(low, l)), v, at)
        }
        "binary" => {
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or_default();
            let (l, r) = (part(low, n, "left"), part(low, n, "right"));
            match op {
                // `list << x`, `out << text`
                "<<" => {
                    let args = vec![lowering::plain(r)];
                    let named = match &l.kind {
                        Kind::Name(n) => Some(Target::Name(n.clone())),
                        _ => None,
                    };
                    let longer = Kind::Call(Box::new(attribute(l, "<<", at)), args);
                    match named {
                        Some(t) => Kind::Assign(Box::new(t), Box::new(Expr::new(longer, at))),
                        None => longer,
                    }
                }
                other => Kind::Operator(other.to_string(), vec![l, r]),
            }
        }
        "unary" => {
            let e = part(low, n, "operand");
            match field(n, "operator").map(|o| low.text(o)) {
                Some("!" | "not") => Kind::Operator("not".into(), vec![e]),
                Some("-") => Kind::Operator("-".into(), vec![e]),
                _ => Kind::Other(vec![e]),
            }
        }
        "conditional" => Kind::Choice(
            Box::new(part(low, n, "condition")),
            Box::new(part(low, n, "consequence")),
            Box::new(part(low, n, "alternative")),
        ),
        "range" => {
            let (a, b) = (part(low, n, "begin"), part(low, n, "end"));
            Expr::call("..", vec![a, b], at).kind
        }
        "parenthesized_statements" => match kids(n).as_slice() {
            [one] => expr(low, *one).kind,
            _ => Kind::Do(block(low, n)),
        },
        "lambda" => {
            let params = field(n, "parameters").map(|p| parameters(low, p)).unwrap_or_default();
            let inner = match field(n, "body") {
                Some(b) => body(low, b, "body"),
                None => Vec::new(),
            };
            Kind::Lambda(Rc::new(lowering::function(String::new(), params, inner)))
        }
        "block" | "do_block" => Kind::Lambda(Rc::new(function_of(low, n))),
        "interpolation" => match kids(n).as_slice() {
            [one] => expr(low, *one).kind,
            _ => Kind::Do(block(low, n)),
        },
        "yield" => Kind::Yield(match kids(n).as_slice() {
            [list] if list.kind() == "argument_list" => kids(*list).into_iter().map(|k| expr(low, k)).collect(),
            _ => all(low),
        }),
        // Without a list it hands on what the method got.
        "super" => Expr::call("super", vec![Expr::new(Kind::Name("super.arguments".into()), at)], at).kind,
        "if" | "unless" | "if_modifier" | "unless_modifier" | "while" | "until" | "while_modifier"
        | "until_modifier" | "for" | "case" | "case_match" | "begin" | "rescue_modifier" | "return" | "break"
        | "next" | "redo" | "retry" | "method" | "class" | "module" | "singleton_method" | "then" | "do" => {
            let mut out = Vec::new();
            statement(low, n, &mut out);
            Kind::Do(out)
        }
        _ => Kind::Other(all(low)),
    }
}

/// A call of `loop` with a block and nothing else.
pub(super) fn is_loop(low: &Lowering<'_>, n: Node<'_>) -> bool {
    let block = kid(n, "do_block").or_else(|| kid(n, "block"));
    field(n, "receiver").is_none() && block.is_some() && field(n, "method").is_some_and(|m| low.text(m) == "loop")
}

/// A block: its parameters, its body; without parameters it has `it` and `_1`.
fn function_of(low: &mut Lowering<'_>, n: Node<'_>) -> Function {
    let mut params = field(n, "parameters").map(|p| parameters(low, p)).unwrap_or_default();
    if params.is_empty() && (low.text(n).contains("_1") || low.text(n).contains("it")) {
        let name = if low.text(n).contains("_1") { "_1" } else { "it" };
        low.locals.insert(name.into());
        params.push((name.into(), None));
    }
    let inner = body(low, n, "body");
    lowering::function(String::new(), params, inner)
}

fn call(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let name = field(n, "method").map(|m| low.text(m)).unwrap_or("call");
    let callee = match field(n, "receiver") {
        Some(r) => {
            let object = expr(low, r);
            attribute(object, name, at)
        }
        None => match field(n, "method") {
            // `super(x)`
            Some(m) if m.kind() == "super" => Expr::new(Kind::Name("super".into()), at),
            _ => low.name(name, at),
        },
    };
    let mut args = Vec::new();
    for k in field(n, "arguments").map(kids).unwrap_or_default() {
        match k.kind() {
            "pair" => {
                let (Some(key), Some(v)) = (field(k, "key"), field(k, "value")) else { continue };
                let value = expr(low, v);
                match key.kind() {
                    "hash_key_symbol" | "simple_symbol" => {
                        let name = Some(low.text(key).trim_start_matches(':').to_string());
                        args.push(Arg { name, spread: false, value });
                    }
                    _ => {
                        let key = expr(low, key);
                        let value = Expr::new(Kind::Map(vec![(key, value)]), span(k));
                        args.push(Arg { name: Some("=>".into()), spread: false, value });
                    }
                }
            }
            "splat_argument" | "hash_splat_argument" => {
                if let Some(e) = kids(k).first() {
                    args.push(Arg { name: None, spread: true, value: expr(low, *e) });
                }
            }
            "block_argument" => {
                // `&:upcase` and `&method`
                if let Some(e) = kids(k).first() {
                    let e = expr(low, *e);
                    args.push(Arg { name: Some("&".into()), spread: false, value: e });
                }
            }
            _ => args.push(lowering::plain(expr(low, k))),
        }
    }
    if let Some(b) = field(n, "block").or_else(|| kid(n, "do_block")).or_else(|| kid(n, "block")) {
        let f = function_of(low, b);
        if name == "lambda" || name == "proc" {
            return Kind::Lambda(Rc::new(f));
        }
        args.push(Arg { name: None, spread: false, value: Expr::new(Kind::Lambda(Rc::new(f)), span(b)) });
    }
    let call = Kind::Call(Box::new(callee), args);
    match name {
        // What was read last is `$_`, too.
        "gets" | "readline" => Kind::Assign(Box::new(Target::Name("$_".into())), Box::new(Expr::new(call, at))),
        _ => call,
    }
}

/// Text with interpolations and escapes.
pub(super) fn text(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let mut pieces = lowering::Pieces::default();
    if n.kind() == "string_content" {
        return Kind::Text(low.bytes(low.text(n)));
    }
    for k in kids(n) {
        match k.kind() {
            "string_content" | "heredoc_content" => pieces.text.extend_from_slice(&low.bytes(low.text(k))),
            "escape_sequence" => escape(low.text(k), &mut pieces.text),
            "heredoc_end" => {}
            _ => {
                let e = expr(low, k);
                pieces.push(e, span(n));
            }
        }
    }
    // The line break behind the operator of a here-document is not part of it.
    if n.kind() == "heredoc_body" && pieces.is_plain() && pieces.text.first() == Some(&b'\n') {
        pieces.text = pieces.text.get(1..).unwrap_or_default().into();
    }
    pieces.end(span(n))
}

/// One escape of double-quoted text.
fn escape(e: &str, out: &mut Bytes) {
    let rest = e.strip_prefix('\\').unwrap_or(e);
    let mut chars = rest.chars();
    let code = match chars.next() {
        Some('n') => 10,
        Some('t') => 9,
        Some('r') => 13,
        Some('e') => 27,
        Some('a') => 7,
        Some('b') => 8,
        Some('s') => 32,
        Some('0'..='7') => u32::from_str_radix(rest, 8).unwrap_or(0),
        Some('x') => u32::from_str_radix(chars.as_str(), 16).unwrap_or(0),
        Some('u') => {
            for part in chars.as_str().trim_matches(['{', '}']).split_whitespace() {
                lowering::character(u32::from_str_radix(part, 16).unwrap_or(u32::MAX), out);
            }
            return;
        }
        Some('\n') | None => return,
        Some(c) => {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
    };
    if let Ok(b) = u8::try_from(code) {
        out.push(b);
    }
}

fn number(s: &str) -> Kind {
    lowering::number(s, &[("0x", 16), ("0b", 2)])
}
