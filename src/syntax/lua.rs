//! Lua.
//!
//! In: the text of a program (`lua -e`, a script file). Out: a [`Script`]. Tables with names are maps, others are lists; a
//! method is an attribute that is called; `a.b = function` is a function of that name. Metatables and coroutines are not
//! followed. Floor 2; imports `syntax`.

use super::ast::Bytes;
use super::lowering;
use super::script::{Arg, Expr, Function, Kind, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, attribute, field, kids, span, stmt};
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    tree::read(Grammar::Lua, text, block)
}

/// The statements among the children.
fn block(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    low.block(n, statement)
}

fn body(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Vec<Stmt> {
    field(n, name).map(|b| block(low, b)).unwrap_or_default()
}

fn statement(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    match n.kind() {
        "variable_declaration" | "block" => {
            for k in kids(n) {
                statement(low, k, out);
            }
        }
        "assignment_statement" => {
            let lists = kids(n);
            let (Some(left), Some(right)) = (lists.first(), lists.get(1)) else { return };
            let mut targets: Vec<Target> = kids(*left).into_iter().filter_map(|k| target(low, k)).collect();
            let mut values: Vec<Expr> = kids(*right).into_iter().map(|k| expr(low, k)).collect();
            match (targets.len(), values.len()) {
                (1, 1) => {
                    if let (Some(t), Some(v)) = (targets.pop(), values.pop()) {
                        out.push(stmt(StmtKind::Assign(t, v), at));
                    }
                }
                // `local line, error = t:receive()`: the first result is the one that matters.
                (_, 1) => {
                    if let (Some(first), Some(v)) = (targets.first().cloned(), values.pop()) {
                        out.push(stmt(StmtKind::Assign(first, v), at));
                    }
                    for t in targets.into_iter().skip(1) {
                        out.push(stmt(StmtKind::Assign(t, Expr::new(Kind::Other(Vec::new()), at)), at));
                    }
                }
                _ => {
                    let list = Expr::new(Kind::List(values), at);
                    out.push(stmt(StmtKind::Assign(Target::List(targets), list), at));
                }
            }
        }
        "function_declaration" => {
            let name = field(n, "name").map(|k| low.text(k).replace(':', ".")).unwrap_or_default();
            let f = function(low, n, name);
            out.push(stmt(StmtKind::Function(Rc::new(f)), at));
        }
        "if_statement" => {
            out.push(low.branches(n, ("consequence", "elseif_statement", "else_statement"), body, expr));
        }
        "while_statement" => {
            let condition = Some(part(low, n, "condition"));
            let inner = body(low, n, "body");
            out.push(lowering::repeated(condition, inner, at));
        }
        "repeat_statement" => {
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::Block(inner.clone()), at));
            let test = part(low, n, "condition");
            let condition = Some(Expr::new(Kind::Operator("not".into(), vec![test]), at));
            out.push(lowering::repeated(condition, inner, at));
        }
        "for_statement" => {
            let inner = body(low, n, "body");
            let Some(clause) = field(n, "clause") else { return };
            let (name, over) = if clause.kind() == "for_numeric_clause" {
                let name = field(clause, "name").and_then(|k| target(low, k));
                let (a, b) = (part(low, clause, "start"), part(low, clause, "end"));
                (name, Some(Expr::call("..", vec![a, b], span(clause))))
            } else {
                let parts = kids(clause);
                let names: Vec<Target> = parts
                    .first()
                    .map(|l| kids(*l))
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(|k| target(low, k))
                    .collect();
                let over = parts.get(1).and_then(|l| kids(*l).first().copied()).map(|k| expr(low, k));
                let name = match names.as_slice() {
                    [one] => Some(one.clone()),
                    _ => Some(Target::List(names)),
                };
                (name, over)
            };
            out.push(lowering::each(name, over, inner, at));
        }
        "do_statement" => {
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::Block(inner), at));
        }
        "return_statement" => {
            let items = kids(n).first().map(|l| kids(*l)).unwrap_or_default();
            let v = items.first().map(|k| expr(low, *k));
            for k in items.iter().skip(1) {
                let e = expr(low, *k);
                out.push(tree::run(e));
            }
            out.push(stmt(StmtKind::Return(v), at));
        }
        "break_statement" => out.push(stmt(StmtKind::Break, at)),
        "goto_statement" | "label_statement" | "empty_statement" | "hash_bang_line" => {}
        _ => {
            let e = expr(low, n);
            out.push(tree::run(e));
        }
    }
}

fn function(low: &mut Lowering<'_>, n: Node<'_>, name: String) -> Function {
    let mut params = Vec::new();
    for p in field(n, "parameters").map(kids).unwrap_or_default() {
        match p.kind() {
            "vararg_expression" => params.push(("*...".to_string(), None)),
            _ => params.push((low.text(p).to_string(), None)),
        }
    }
    let inner = body(low, n, "body");
    lowering::function(name, params, inner)
}

fn target(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Target> {
    lowering::target_of(expr(low, n))
}

fn part(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Expr {
    low.part(n, name, expr)
}

fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| Expr::new(kind(low, n), span(n)))
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    match n.kind() {
        "identifier" => low.name(low.text(n), at).kind,
        "string" => string(low, n),
        "number" => number(low.text(n)),
        "true" => Kind::Bool(true),
        "false" => Kind::Bool(false),
        "nil" => Kind::Null,
        "vararg_expression" => Kind::Name("...".into()),
        "dot_index_expression" => {
            let name = field(n, "field").map(|f| low.text(f)).unwrap_or_default();
            let object = part(low, n, "table");
            // `_G.os.execute` is `os.execute`.
            match &object.kind {
                Kind::Name(g) if matches!(g.as_str(), "_G" | "_ENV") => Kind::Name(name.to_string()),
                _ => attribute(object, name, at).kind,
            }
        }
        "method_index_expression" => {
            let name = field(n, "method").map(|f| low.text(f)).unwrap_or_default();
            let object = part(low, n, "table");
            attribute(object, name, at).kind
        }
        "bracket_index_expression" => {
            let (object, key) = (part(low, n, "table"), part(low, n, "field"));
            Kind::Index(Box::new(object), Box::new(key))
        }
        "function_call" => {
            let callee = part(low, n, "name");
            let args = field(n, "arguments").map(kids).unwrap_or_default();
            let args = args
                .into_iter()
                .map(|k| Arg { name: None, spread: k.kind() == "vararg_expression", value: expr(low, k) })
                .collect();
            Kind::Call(Box::new(callee), args)
        }
        "function_definition" => Kind::Lambda(Rc::new(function(low, n, String::new()))),
        "parenthesized_expression" => match kids(n).first() {
            Some(k) => expr(low, *k).kind,
            None => Kind::Null,
        },
        "table_constructor" => {
            let fields: Vec<Node<'_>> = kids(n).into_iter().filter(|k| k.kind() == "field").collect();
            if fields.iter().all(|f| field(*f, "name").is_none()) {
                return Kind::List(fields.into_iter().map(|f| part(low, f, "value")).collect());
            }
            let mut items = Vec::new();
            let mut next = 1i64;
            for f in fields {
                let v = part(low, f, "value");
                let key = match field(f, "name") {
                    Some(k) if k.kind() == "identifier" => low.literal(low.text(k), span(k)),
                    Some(k) => expr(low, k),
                    None => {
                        next = next.saturating_add(1);
                        Expr::new(Kind::Number(next.saturating_sub(1)), span(f))
                    }
                };
                items.push((key, v));
            }
            Kind::Map(items)
        }
        "binary_expression" => {
            let (l, r) = (part(low, n, "left"), part(low, n, "right"));
            let op = n.child(1).map(|o| o.kind()).unwrap_or_default();
            let op = match op {
                "~=" => "!=",
                other => other,
            };
            Kind::Operator(op.to_string(), vec![l, r])
        }
        "unary_expression" => {
            let e = part(low, n, "operand");
            match n.child(0).map(|o| o.kind()) {
                Some("not") => Kind::Operator("not".into(), vec![e]),
                Some("-") => Kind::Operator("-".into(), vec![e]),
                Some("#") => Expr::call("#", vec![e], at).kind,
                _ => Kind::Other(vec![e]),
            }
        }
        _ => {
            let mut parts = Vec::new();
            for k in kids(n) {
                parts.push(expr(low, k));
            }
            Kind::Other(parts)
        }
    }
}

fn string(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let Some(c) = field(n, "content") else { return Kind::Text(Bytes::new()) };
    let mut out = Bytes::new();
    if low.text(n).starts_with('[') {
        return Kind::Text(low.bytes(low.text(c).strip_prefix('\n').unwrap_or(low.text(c))));
    }
    let mut from = c.start_byte();
    for k in kids(c) {
        out.extend_from_slice(&low.bytes(low.slice(from, k.start_byte())));
        escape(low.text(k), &mut out);
        from = k.end_byte();
    }
    out.extend_from_slice(&low.bytes(low.slice(from, c.end_byte())));
    Kind::Text(out)
}

/// One escape (Lua 5.4 reference manual, 3.1).
fn escape(e: &str, out: &mut Bytes) {
    let rest = e.strip_prefix('\\').unwrap_or(e);
    let mut chars = rest.chars();
    let b = match chars.next() {
        Some('n') => 10,
        Some('t') => 9,
        Some('r') => 13,
        Some('a') => 7,
        Some('b') => 8,
        Some('f') => 12,
        Some('v') => 11,
        Some('z') | None => return,
        Some('x') => u8::from_str_radix(chars.as_str(), 16).unwrap_or(0),
        Some('0'..='9') => rest.parse().unwrap_or(0),
        Some('u') => {
            let digits = chars.as_str().trim_matches(['{', '}']);
            lowering::character(u32::from_str_radix(digits, 16).unwrap_or(u32::MAX), out);
            return;
        }
        Some(c) => {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
    };
    out.push(b);
}

fn number(s: &str) -> Kind {
    lowering::number(s, &[("0x", 16)])
}
