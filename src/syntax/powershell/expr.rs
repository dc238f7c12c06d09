//! PowerShell's expressions.
//!
//! In: a node. Out: an expression of the common language.

use super::super::lowering;
use super::super::script::{Arg, Expr, Kind, Stmt, StmtKind};
use super::super::tree::{self, Lowering, attribute, kid, kids, reading, span};
use super::command::{command, written};
use super::word::{bare, expandable, number, variable};
use super::{core, part, statement, target};
use tree_sitter::Node;

pub(super) fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| {
        let n = core(n);
        Expr::new(kind(low, n), span(n))
    })
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let all = |low: &mut Lowering<'_>| low.all(n, expr);
    match n.kind() {
        "variable" | "braced_variable" => variable(low, n),
        "decimal_integer_literal" | "hexadecimal_integer_literal" | "integer_literal" => number(low.text(n)),
        "real_literal" => Kind::Text(low.bytes(low.text(n))),
        "verbatim_string_characters" => {
            let inner = low.text(n).trim_start_matches('\'').strip_suffix('\'').unwrap_or_default();
            Kind::Text(low.bytes(&inner.replace("''", "'")))
        }
        "verbatim_here_string_characters" => {
            let inner = low.text(n).trim_start_matches("@'").trim_end_matches("'@").trim_matches(['\r', '\n']);
            Kind::Text(low.bytes(inner))
        }
        "expandable_string_literal" | "expandable_here_string_literal" => expandable(low, n),
        "generic_token" | "command_parameter" | "simple_name" | "bareword" | "path_command_name" | "command_name" => {
            bare(low, n)
        }
        "type_literal" => Kind::Name(type_name(low.text(n))),
        "command" => command(low, n, None),
        "pipeline_chain" => {
            let mut before: Option<Expr> = None;
            for k in kids(n) {
                let k = core(k);
                let e = match k.kind() {
                    "redirection" | "redirections" => Expr::new(written(low, k, before.take()), span(k)),
                    "command" => Expr::new(command(low, k, before.take()), span(k)),
                    _ => expr(low, k),
                };
                before = Some(e);
            }
            before.map_or(Kind::Null, |e| e.kind)
        }
        "pipeline" | "statement_list" | "sub_expression" | "array_expression" | "statement_block" | "script_block" => {
            let mut body = Vec::new();
            for k in kids(n) {
                statement(low, k, &mut body);
            }
            for s in &mut body {
                if let StmtKind::Expr(Expr { kind: Kind::Command { printed, .. }, .. }) = &mut s.kind {
                    *printed = false;
                }
            }
            match body.as_slice() {
                [Stmt { kind: StmtKind::Expr(e), .. }] => e.kind.clone(),
                _ => Kind::Do(body),
            }
        }
        "parenthesized_expression" => match kids(n).first() {
            Some(k) => expr(low, *k).kind,
            None => Kind::Null,
        },
        "script_block_expression" => {
            // It keeps its braces, by which it is told from the name of a command.
            Kind::Text(low.bytes(low.text(n).trim()))
        }
        "assignment_expression" => {
            let v = part(low, n, "value");
            let op = kid(n, "assignement_operator").map(|o| low.text(o)).unwrap_or("=");
            match kids(n).first().and_then(|l| target(low, *l)) {
                Some(t) if op == "=" => Kind::Assign(Box::new(t), Box::new(v)),
                Some(t) => {
                    let whole = tree::combined(op, reading(&t, at), v, at);
                    Kind::Assign(Box::new(t), Box::new(whole))
                }
                None => Kind::Other(vec![v]),
            }
        }
        "post_increment_expression"
        | "pre_increment_expression"
        | "post_decrement_expression"
        | "pre_decrement_expression" => {
            let op = if n.kind().contains("decrement") { "-" } else { "+" };
            lowering::stepped(op, kids(n).first().and_then(|k| target(low, *k)), at)
        }
        "array_literal_expression" => Kind::List(all(low)),
        "hash_literal_expression" => {
            let mut items = Vec::new();
            for e in kids(n).into_iter().flat_map(|k| if k.kind() == "hash_entry" { vec![k] } else { kids(k) }) {
                let parts = kids(e);
                if let [k, v] = parts.as_slice() {
                    items.push((expr(low, *k), expr(low, *v)));
                }
            }
            Kind::Map(items)
        }
        "cast_expression" => {
            let parts = kids(n);
            match parts.as_slice() {
                [t, v] => {
                    let name = format!("[{}]", type_name(low.text(*t)));
                    let v = expr(low, *v);
                    Expr::call(&name, vec![v], at).kind
                }
                _ => Kind::Other(all(low)),
            }
        }
        "invokation_expression" | "member_access" => {
            let parts = kids(n);
            let Some(object) = parts.first().map(|k| expr(low, *k)) else { return Kind::Null };
            let name =
                parts.get(1).map(|m| core(*m)).map(|m| low.text(m).trim_matches(['"', '\'']).to_ascii_lowercase());
            let member = attribute(object, &name.unwrap_or_default(), at);
            match kid(n, "argument_list") {
                Some(a) => {
                    let args = arguments(low, a);
                    // `[Type]::new(…)`
                    match member.kind {
                        Kind::Attribute(o, m) if m == "new" => Kind::Call(o, args),
                        other => Kind::Call(Box::new(Expr::new(other, at)), args),
                    }
                }
                None => member.kind,
            }
        }
        "element_access" => match kids(n).as_slice() {
            [o, k] => Kind::Index(Box::new(expr(low, *o)), Box::new(expr(low, *k))),
            _ => Kind::Other(all(low)),
        },
        "range_expression" => {
            let parts = all(low);
            Expr::call("..", parts, at).kind
        }
        "format_expression" => {
            let parts: Vec<Node<'_>> = kids(n).into_iter().filter(|k| k.kind() != "format_operator").collect();
            let mut args = Vec::new();
            for p in parts {
                match expr(low, p).kind {
                    Kind::List(l) => args.extend(l),
                    other => args.push(Expr::new(other, span(p))),
                }
            }
            Expr::call("-f", args, at).kind
        }
        "expression_with_unary_operator" => {
            let op = low
                .text(n)
                .split(|c: char| c.is_whitespace() || c == '(')
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase();
            let e = kids(n).last().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at));
            match op.as_str() {
                "-not" | "!" => Kind::Operator("not".into(), vec![e]),
                "-join" => Expr::call("-join", vec![e], at).kind,
                "-split" => Expr::call("-split", vec![e], at).kind,
                _ => e.kind,
            }
        }
        "logical_expression"
        | "comparison_expression"
        | "additive_expression"
        | "multiplicative_expression"
        | "bitwise_expression"
        | "logical_argument_expression"
        | "comparison_argument_expression"
        | "additive_argument_expression" => binary(low, n),
        _ => Kind::Other(all(low)),
    }
}

fn binary(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let parts: Vec<Node<'_>> = kids(n).into_iter().filter(|k| !k.kind().ends_with("operator")).collect();
    let (Some(l), Some(r)) = (parts.first(), parts.get(1)) else { return Kind::Other(Vec::new()) };
    let op = low.slice(l.end_byte(), r.start_byte()).trim().to_ascii_lowercase();
    let (l, r) = (expr(low, *l), expr(low, *r));
    let plain = op.trim_start_matches("-i").trim_start_matches("-c").trim_start_matches('-');
    let sign = match plain {
        "eq" | "q" => "==",
        "ne" => "!=",
        "lt" => "<",
        "gt" => ">",
        "le" => "<=",
        "ge" => ">=",
        "and" => "and",
        "or" => "or",
        "bxor" | "xor" => "^",
        "band" => "&",
        "bor" => "|",
        "replace" => {
            let mut args = match r.kind {
                Kind::List(l) => l,
                other => vec![Expr::new(other, at)],
            };
            args.insert(0, l);
            return Expr::call("-replace", args, at).kind;
        }
        "join" | "split" => return Expr::call(&format!("-{plain}"), vec![l, r], at).kind,
        _ if op.starts_with('-') && op.len() > 1 => return Kind::Other(vec![l, r]),
        _ => op.as_str(),
    };
    Kind::Operator(sign.to_string(), vec![l, r])
}

pub(super) fn arguments(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Arg> {
    let list = kids(n);
    let items = match list.first() {
        Some(l) if l.kind() == "argument_expression_list" => kids(*l),
        _ => list,
    };
    items.into_iter().map(|k| lowering::plain(expr(low, k))).collect()
}

/// A type's name in small letters, without brackets and `system.`.
pub(super) fn type_name(s: &str) -> String {
    let s = s.trim_matches(['[', ']']).to_ascii_lowercase();
    s.strip_prefix("system.").unwrap_or(&s).to_string()
}
