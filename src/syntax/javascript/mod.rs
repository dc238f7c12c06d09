//! JavaScript, and TypeScript as far as the same grammar reads it.
//!
//! In: the text of a program (`node -e`, a here-document, a script file). Out: a [`Script`]. Modules are dotted names
//! (`require('node:fs')` is `fs`), the global object is left out of names, classes and prototypes are kept as far as calls
//! go through them. Types, generators and the order of promises are not followed: what is awaited has happened. Floor 2;
//! imports `syntax`.

mod expr;

use super::lowering;
use super::script::{Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, attribute, field, kid, kids, reading, span, stmt, temporary};
use expr::expr;
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    tree::read(Grammar::JavaScript, text, block)
}

/// The statements among the children.
fn block(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    low.block(n, statement)
}

/// A statement that is a body: a block, or one alone.
fn body(low: &mut Lowering<'_>, n: Option<Node<'_>>) -> Vec<Stmt> {
    n.map(|n| low.body(n, &["statement_block"], statement)).unwrap_or_default()
}

fn statement(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    match n.kind() {
        "expression_statement" => {
            for k in kids(n) {
                expression(low, k, out);
            }
        }
        "lexical_declaration" | "variable_declaration" | "using_declaration" => {
            for d in kids(n) {
                let Some(name) = field(d, "name") else { continue };
                match field(d, "value") {
                    Some(v) => {
                        let v = expr(low, v);
                        assign(low, name, v, out);
                    }
                    None if d.kind() == "variable_declarator" => {
                        assign(low, name, Expr::new(Kind::Null, span(d)), out);
                    }
                    None => {}
                }
            }
        }
        "function_declaration" | "generator_function_declaration" => {
            let name = low.named(n, "name");
            let f = function(low, n, name);
            out.push(stmt(StmtKind::Function(Rc::new(f)), at));
        }
        "class_declaration" | "abstract_class_declaration" => out.push(class(low, n)),
        "if_statement" => {
            let test = part(low, n, "condition");
            let then = body(low, field(n, "consequence"));
            let otherwise = field(n, "alternative").map(|e| block(low, e)).unwrap_or_default();
            out.push(stmt(StmtKind::If(vec![(test, then)], otherwise), at));
        }
        "else_clause" | "statement_block" | "program" | "finally_clause" | "class_static_block" => {
            let inner = block(low, n);
            out.push(stmt(StmtKind::Block(inner), at));
        }
        "for_statement" => {
            if let Some(i) = field(n, "initializer") {
                statement(low, i, out);
            }
            let condition = field(n, "condition").filter(|c| c.is_named()).map(|c| condition(low, c));
            let mut inner = body(low, field(n, "body"));
            if let Some(u) = field(n, "increment") {
                expression(low, u, &mut inner);
            }
            out.push(lowering::repeated(condition, inner, at));
        }
        "for_in_statement" => {
            let over = part(low, n, "right");
            let name = Target::Name(temporary(at));
            let mut inner = Vec::new();
            if let Some(left) = field(n, "left") {
                let item = reading(&name, span(left));
                assign(low, left, item, &mut inner);
            }
            inner.append(&mut body(low, field(n, "body")));
            out.push(lowering::each(Some(name), Some(over), inner, at));
        }
        "while_statement" => {
            let condition = Some(part(low, n, "condition"));
            let inner = body(low, field(n, "body"));
            out.push(lowering::repeated(condition, inner, at));
        }
        "do_statement" => {
            // The body runs once in any case.
            let inner = body(low, field(n, "body"));
            let condition = Some(part(low, n, "condition"));
            out.push(stmt(StmtKind::Block(inner.clone()), at));
            out.push(lowering::repeated(condition, inner, at));
        }
        "try_statement" => {
            let inner = body(low, field(n, "body"));
            out.push(stmt(StmtKind::Block(inner), at));
            if let Some(h) = field(n, "handler") {
                let inner = body(low, field(h, "body"));
                out.push(stmt(StmtKind::Maybe(inner), span(h)));
            }
            if let Some(f) = field(n, "finalizer") {
                statement(low, f, out);
            }
        }
        "switch_statement" => {
            let value = part(low, n, "value");
            let cases = field(n, "body").map(kids).unwrap_or_default();
            low.switch(value, cases, (statement, expr), out);
        }
        "return_statement" => {
            let v = kids(n).first().map(|k| expr(low, *k));
            out.push(stmt(StmtKind::Return(v), at));
        }
        "break_statement" => out.push(stmt(StmtKind::Break, at)),
        "continue_statement" => out.push(stmt(StmtKind::Continue, at)),
        "labeled_statement" => {
            let inner = body(low, field(n, "body"));
            out.push(stmt(StmtKind::Block(inner), at));
        }
        "with_statement" => {
            let object = part(low, n, "object");
            out.push(tree::run(object));
            let inner = body(low, field(n, "body"));
            out.push(stmt(StmtKind::Block(inner), at));
        }
        "import_statement" => import(low, n, out),
        "export_statement" => {
            for k in kids(n) {
                match k.kind() {
                    "export_clause" | "string" => {}
                    _ => statement(low, k, out),
                }
            }
        }
        "empty_statement" | "debugger_statement" | "hash_bang_line" => {}
        _ => expression(low, n, out),
    }
}

/// An expression as a statement; what is taken apart becomes several.
fn expression(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    match n.kind() {
        "assignment_expression" => {
            if let (Some(l), Some(r)) = (field(n, "left"), field(n, "right")) {
                let v = expr(low, r);
                assign(low, l, v, out);
                return;
            }
            let e = expr(low, n);
            out.push(tree::run(e));
        }
        "sequence_expression" => {
            for k in kids(n) {
                let e = expr(low, k);
                out.push(tree::run(e));
            }
        }
        _ => {
            let e = expr(low, n);
            out.push(tree::run(e));
        }
    }
}

/// `import d, {a as b} from 'm'`, `import * as n from 'm'`
fn import(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    let path = field(n, "source").map(|s| module(low.text(s).trim_matches(['"', '\'', '`']))).unwrap_or_default();
    let mut bind = |path: String, alias: &str| {
        out.push(stmt(StmtKind::Import { path, alias: alias.to_string() }, at));
    };
    let Some(clause) = kid(n, "import_clause") else {
        bind(path.clone(), &path);
        return;
    };
    for k in kids(clause) {
        match k.kind() {
            "identifier" => bind(path.clone(), low.text(k)),
            "namespace_import" => {
                if let Some(name) = kids(k).first() {
                    bind(path.clone(), low.text(*name));
                }
            }
            "named_imports" => {
                for s in kids(k) {
                    let Some(name) = field(s, "name").map(|x| low.text(x)) else { continue };
                    let alias = field(s, "alias").map_or(name, |x| low.text(x));
                    match name {
                        "default" => bind(path.clone(), alias),
                        _ => bind(format!("{path}.{name}"), alias),
                    }
                }
            }
            _ => {}
        }
    }
}

/// A module's name as facts have it.
fn module(name: &str) -> String {
    name.trim_start_matches("node:").trim_end_matches(".js").to_string()
}

fn class(low: &mut Lowering<'_>, n: Node<'_>) -> Stmt {
    let name = low.named(n, "name");
    let mut out = Vec::new();
    for m in field(n, "body").map(kids).unwrap_or_default() {
        match m.kind() {
            "method_definition" => {
                let own = low.named(m, "name");
                let own = if own == "constructor" { "__init__".to_string() } else { own };
                let mut f = function(low, m, own);
                if tree::has_token(m, "get") {
                    f.receiver = Receiver::Read;
                } else if tree::has_token(m, "set") {
                    f.name = format!("set {}", f.name);
                }
                out.push(stmt(StmtKind::Function(Rc::new(f)), span(m)));
            }
            "field_definition" | "public_field_definition" => {
                if let Some(v) = field(m, "value") {
                    let e = expr(low, v);
                    out.push(match field(m, "property").or_else(|| field(m, "name")) {
                        Some(p) => stmt(StmtKind::Assign(Target::Name(low.text(p).to_string()), e), span(m)),
                        None => tree::run(e),
                    });
                }
            }
            _ => statement(low, m, &mut out),
        }
    }
    let heritage = tree::kid(n, "class_heritage").map(kids).unwrap_or_default();
    let bases = heritage.into_iter().map(|b| expr(low, b)).collect();
    stmt(StmtKind::Class { name, bases, body: out }, span(n))
}

/// A function.
fn function(low: &mut Lowering<'_>, n: Node<'_>, name: String) -> Function {
    let mut params = Vec::new();
    let mut inner = Vec::new();
    if let Some(p) = field(n, "parameter") {
        params.push((low.text(p).to_string(), None));
    }
    for p in field(n, "parameters").map(kids).unwrap_or_default() {
        let (pattern, default) = match p.kind() {
            "assignment_pattern" => (field(p, "left"), field(p, "right").map(|v| expr(low, v))),
            "required_parameter" | "optional_parameter" => {
                (field(p, "pattern"), field(p, "value").map(|v| expr(low, v)))
            }
            _ => (Some(p), None),
        };
        let Some(pattern) = pattern else { continue };
        match pattern.kind() {
            "identifier" => params.push((low.text(pattern).to_string(), default)),
            "rest_pattern" => {
                let name = kids(pattern).first().map(|k| low.text(*k)).unwrap_or_default();
                params.push((format!("*{name}"), None));
            }
            _ => {
                let name = temporary(span(pattern));
                params.push((name.clone(), default));
                assign(low, pattern, Expr::new(Kind::Name(name), span(pattern)), &mut inner);
            }
        }
    }
    if let Some(b) = field(n, "body") {
        if b.kind() == "statement_block" {
            inner.append(&mut block(low, b));
        } else {
            let e = expr(low, b);
            inner.push(stmt(StmtKind::Return(Some(e)), span(b)));
        }
    }
    lowering::function(name, params, inner)
}

/// What can be assigned to by one name.
fn target(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Target> {
    Some(match n.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => Target::Name(low.text(n).to_string()),
        "member_expression" => {
            let e = expr(low, n);
            match e.kind {
                Kind::Attribute(o, name) => Target::Attribute(o, name),
                Kind::Name(name) => Target::Name(name),
                _ => return None,
            }
        }
        "subscript_expression" => Target::Index(Box::new(part(low, n, "object")), Box::new(part(low, n, "index"))),
        "parenthesized_expression" | "non_null_expression" => return kids(n).first().and_then(|k| target(low, *k)),
        _ => return None,
    })
}

/// Assigns to a name or takes a value apart: `{exec: e} = require('child_process')`, `[a, b = 1] = list`.
fn assign(low: &mut Lowering<'_>, left: Node<'_>, v: Expr, out: &mut Vec<Stmt>) {
    low.deeper(left, (), |low| assign_at(low, left, v, out));
}

fn assign_at(low: &mut Lowering<'_>, left: Node<'_>, v: Expr, out: &mut Vec<Stmt>) {
    let at = span(left);
    match left.kind() {
        "object_pattern" | "array_pattern" => {
            let whole = Target::Name(temporary(at));
            out.push(stmt(StmtKind::Assign(whole.clone(), v), at));
            for (i, k) in kids(left).into_iter().enumerate() {
                let whole = reading(&whole, at);
                let listed = left.kind() == "array_pattern";
                let mut computed = None;
                let (name, inner, default) = match k.kind() {
                    "pair_pattern" => {
                        // `{["exec" + "Sync"]: e}`
                        let named = field(k, "key").filter(|x| x.kind() == "computed_property_name");
                        computed = named.and_then(|x| kids(x).first().copied()).map(|x| expr(low, x));
                        let key = field(k, "key").map(|x| low.text(x).trim_matches(['"', '\''])).unwrap_or_default();
                        (key, field(k, "value"), None)
                    }
                    "object_assignment_pattern" | "assignment_pattern" => {
                        let l = field(k, "left");
                        (l.map(|l| low.text(l)).unwrap_or_default(), l, field(k, "right"))
                    }
                    "rest_pattern" => {
                        if let Some(r) = kids(k).first() {
                            assign(low, *r, whole, out);
                        }
                        continue;
                    }
                    _ => (low.text(k), Some(k), None),
                };
                let Some(mut inner) = inner else { continue };
                let mut default = default;
                if inner.kind() == "assignment_pattern" {
                    default = field(inner, "right");
                    match field(inner, "left") {
                        Some(l) => inner = l,
                        None => continue,
                    }
                }
                let mut e = if listed {
                    let key = Expr::new(Kind::Number(i64::try_from(i).unwrap_or(i64::MAX)), span(k));
                    Expr::new(Kind::Index(Box::new(whole), Box::new(key)), span(k))
                } else if let Some(key) = computed {
                    Expr::new(Kind::Index(Box::new(whole), Box::new(key)), span(k))
                } else {
                    attribute(whole, name, span(k))
                };
                if let Some(d) = default {
                    let d = expr(low, d);
                    e = Expr::new(Kind::Operator("??".into(), vec![e, d]), span(k));
                }
                assign(low, inner, e, out);
            }
        }
        "lexical_declaration" | "variable_declaration" => {
            if let Some(name) = kids(left).first().and_then(|d| field(*d, "name")) {
                assign(low, name, v, out);
            }
        }
        _ => match target(low, left) {
            Some(t) => out.push(stmt(StmtKind::Assign(t, v), at)),
            None => {
                let l = expr(low, left);
                out.push(tree::run(Expr::new(Kind::Other(vec![l, v]), at)));
            }
        },
    }
}

/// The expression in a field.
fn part(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Expr {
    low.part(n, name, expr)
}

/// The test of a `for`, which the grammar makes a statement.
fn condition(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    match kids(n).first() {
        Some(k) if n.kind() == "expression_statement" => expr(low, *k),
        _ => expr(low, n),
    }
}
