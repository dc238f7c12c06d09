//! PHP.
//!
//! In: code without an opening tag (`php -r`), or a page with PHP in it. Out: a [`Script`]. Variables keep their sign
//! (`$x`), `A\B` and `A::b` are `A.b`-like names without a leading backslash; `echo`, `print`, `include` and `exit` are calls.
//! References and magic methods are not followed. Floor 2; imports `syntax`.

mod expr;

use super::lowering;
use super::script::{Expr, Function, Kind, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, field, kid, kids, reading, span, stmt, temporary};
use expr::expr;
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    let page = text.windows(2).any(|w| w == b"<?");
    let grammar = if page { Grammar::PhpPage } else { Grammar::Php };
    tree::read(grammar, text, block)
}

/// The statements among the children.
fn block(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    low.block(n, statement)
}

fn body(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Vec<Stmt> {
    let blocks = ["compound_statement", "colon_block", "declaration_list"];
    field(n, name).map(|b| low.body(b, &blocks, statement)).unwrap_or_default()
}

fn statement(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    low.deeper(n, (), |low| statement_at(low, n, out));
}

fn statement_at(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    match n.kind() {
        "expression_statement" => {
            for k in kids(n) {
                statement(low, k, out);
            }
        }
        "compound_statement" | "colon_block" | "finally_clause" | "namespace_definition" | "declare_statement" => {
            let inner = match field(n, "body") {
                Some(b) => block(low, b),
                None if n.kind() == "compound_statement" || n.kind() == "colon_block" => block(low, n),
                None => Vec::new(),
            };
            out.push(stmt(StmtKind::Block(inner), at));
        }
        "echo_statement" => {
            let mut args = Vec::new();
            for k in kids(n) {
                if k.kind() == "sequence_expression" {
                    args.extend(kids(k).into_iter().map(|x| expr(low, x)).collect::<Vec<_>>());
                } else {
                    args.push(expr(low, k));
                }
            }
            out.push(tree::run(Expr::call("echo", args, at)));
        }
        "exit_statement" => {
            let args = kids(n).into_iter().map(|k| expr(low, k)).collect();
            out.push(tree::run(Expr::call("exit", args, at)));
            out.push(stmt(StmtKind::Exit, at));
        }
        "if_statement" => {
            out.push(low.branches(n, ("body", "else_if_clause", "else_clause"), body, expr));
        }
        "while_statement" => {
            let condition = Some(part(low, n, "condition"));
            let inner = body(low, n, "body");
            out.push(lowering::repeated(condition, inner, at));
        }
        "do_statement" => {
            let inner = body(low, n, "body");
            let condition = Some(part(low, n, "condition"));
            out.push(stmt(StmtKind::Block(inner.clone()), at));
            out.push(lowering::repeated(condition, inner, at));
        }
        "for_statement" => {
            if let Some(i) = field(n, "initialize") {
                statement(low, i, out);
            }
            let condition = field(n, "condition").map(|c| expr(low, c));
            let mut inner = body(low, n, "body");
            if let Some(u) = field(n, "update") {
                statement(low, u, &mut inner);
            }
            out.push(lowering::repeated(condition, inner, at));
        }
        "foreach_statement" => {
            let parts = kids(n);
            let over = parts.first().map(|k| expr(low, *k));
            let mut inner = Vec::new();
            let item = Target::Name(temporary(at));
            let mut listed = item.clone();
            if let Some(name) = parts.get(1) {
                match (name.kind(), kids(*name).as_slice()) {
                    ("pair", [k, v]) => {
                        let (k, v) = (target(low, *k), target(low, *v));
                        if let (Some(k), Some(v)) = (k, v) {
                            listed = Target::List(vec![k, v]);
                        }
                    }
                    _ => {
                        if let Some(t) = target(low, *name) {
                            inner.push(stmt(StmtKind::Assign(t, reading(&item, at)), at));
                        }
                    }
                }
            }
            let paired = matches!(listed, Target::List(_));
            inner.append(&mut body(low, n, "body"));
            let over = over.map(|o| if paired { Expr::call("=>", vec![o], at) } else { o });
            out.push(lowering::each(Some(listed), over, inner, at));
        }
        "switch_statement" => {
            let value = part(low, n, "condition");
            let cases = field(n, "body").map(kids).unwrap_or_default();
            low.switch(value, cases, (statement, expr), out);
        }
        "try_statement" => {
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::Block(inner), at));
            for k in kids(n) {
                match k.kind() {
                    "catch_clause" => {
                        let inner = body(low, k, "body");
                        out.push(stmt(StmtKind::Maybe(inner), span(k)));
                    }
                    "finally_clause" => statement(low, k, out),
                    _ => {}
                }
            }
        }
        "function_definition" | "method_declaration" => {
            let name = low.named(n, "name");
            let mut f = function(low, n, name);
            if n.kind() == "method_declaration" && f.name == "__construct" {
                f.name = "__init__".into();
                promoted(low, n, &mut f.body);
            }
            out.push(stmt(StmtKind::Function(Rc::new(f)), at));
        }
        "class_declaration" | "trait_declaration" | "enum_declaration" | "interface_declaration" => {
            let name = low.named(n, "name");
            let inner = body(low, n, "body");
            let bases = ["base_clause", "class_interface_clause"].into_iter().filter_map(|k| kid(n, k)).flat_map(kids);
            let mut bases: Vec<Expr> = bases.map(|b| expr(low, b)).collect();
            for u in
                field(n, "body").map(kids).unwrap_or_default().into_iter().filter(|k| k.kind() == "use_declaration")
            {
                bases.extend(kids(u).into_iter().map(|b| expr(low, b)));
            }
            out.push(stmt(StmtKind::Class { name, bases, body: inner }, at));
        }
        "return_statement" => {
            let v = kids(n).first().map(|k| expr(low, *k));
            out.push(stmt(StmtKind::Return(v), at));
        }
        "break_statement" => out.push(stmt(StmtKind::Break, at)),
        "continue_statement" => out.push(stmt(StmtKind::Continue, at)),
        "assignment_expression" => match (field(n, "left").and_then(|l| target(low, l)), field(n, "right")) {
            (Some(t), Some(r)) => {
                let v = expr(low, r);
                out.push(stmt(StmtKind::Assign(t, v), at));
            }
            _ => {
                let e = expr(low, n);
                out.push(tree::run(e));
            }
        },
        "const_declaration"
        | "global_declaration"
        | "namespace_use_declaration"
        | "empty_statement"
        | "php_tag"
        | "text"
        | "text_interpolation"
        | "php_end_tag"
        | "use_declaration"
        | "goto_statement"
        | "named_label_statement" => {}
        _ => {
            let e = expr(low, n);
            out.push(tree::run(e));
        }
    }
}

/// Parameters of a constructor that are fields, too (`__construct(public $x)`).
fn promoted(low: &Lowering<'_>, n: Node<'_>, body: &mut Vec<Stmt>) {
    for p in field(n, "parameters").map(kids).unwrap_or_default() {
        if p.kind() == "property_promotion_parameter"
            && let Some(name) = field(p, "name").map(|k| low.text(k))
        {
            let at = span(p);
            let this = Box::new(Expr::new(Kind::Name("$this".into()), at));
            let target = Target::Attribute(this, name.trim_start_matches('$').to_string());
            body.insert(0, stmt(StmtKind::Assign(target, Expr::new(Kind::Name(name.to_string()), at)), at));
        }
    }
}

fn function(low: &mut Lowering<'_>, n: Node<'_>, name: String) -> Function {
    let mut params = Vec::new();
    for p in field(n, "parameters").map(kids).unwrap_or_default() {
        let name = field(p, "name").map(|k| low.text(k).to_string()).unwrap_or_default();
        let default = field(p, "default_value").map(|v| expr(low, v));
        match p.kind() {
            "variadic_parameter" => params.push((format!("*{name}"), None)),
            _ => params.push((name, default)),
        }
    }
    let inner = match field(n, "body") {
        Some(b) if b.kind() == "compound_statement" => block(low, b),
        Some(b) => {
            let e = expr(low, b);
            vec![stmt(StmtKind::Return(Some(e)), span(b))]
        }
        None => Vec::new(),
    };
    lowering::function(name, params, inner)
}

fn target(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Target> {
    if matches!(n.kind(), "list_literal" | "array_creation_expression") {
        let all = kids(n);
        let inner = |low: &mut Lowering<'_>, k: Node<'_>| {
            let k = if k.kind() == "array_element_initializer" { kids(k).last().copied().unwrap_or(k) } else { k };
            target(low, k).unwrap_or_else(|| Target::Name(temporary(span(k))))
        };
        return Some(Target::List(all.into_iter().map(|k| inner(low, k)).collect()));
    }
    lowering::target_of(expr(low, n))
}

fn part(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Expr {
    low.part(n, name, expr)
}
