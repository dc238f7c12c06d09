//! JavaScript, and TypeScript as far as the same grammar reads it.
//!
//! In: the text of a program (`node -e`, a here-document, a script file). Out: a [`Script`]. Modules are dotted names
//! (`require('node:fs')` is `fs`), the global object is left out of names, classes and prototypes are kept as far as calls
//! go through them. Types, generators and the order of promises are not followed: what is awaited has happened. Floor 2;
//! imports `syntax`.

use super::script::{Arg, Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, attribute, field, kid, kids, reading, span, stmt, temporary};
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    tree::read(Grammar::JavaScript, text, block)
}

/// The statements among the children.
fn block(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    low.deeper(n, Vec::new(), |low| {
        let mut out = Vec::new();
        for k in kids(n) {
            statement(low, k, &mut out);
        }
        out
    })
}

/// A statement that is a body: a block, or one alone.
fn body(low: &mut Lowering<'_>, n: Option<Node<'_>>) -> Vec<Stmt> {
    let Some(n) = n else { return Vec::new() };
    if n.kind() == "statement_block" {
        return block(low, n);
    }
    low.deeper(n, Vec::new(), |low| {
        let mut out = Vec::new();
        statement(low, n, &mut out);
        out
    })
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
            let name = field(n, "name").map(|k| low.text(k).to_string()).unwrap_or_default();
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
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body: inner }, at));
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
            out.push(stmt(StmtKind::Loop { target: Some(name), over: Some(over), condition: None, body: inner }, at));
        }
        "while_statement" => {
            let condition = Some(part(low, n, "condition"));
            let inner = body(low, field(n, "body"));
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body: inner }, at));
        }
        "do_statement" => {
            // The body runs once in any case.
            let inner = body(low, field(n, "body"));
            let condition = Some(part(low, n, "condition"));
            out.push(stmt(StmtKind::Block(inner.clone()), at));
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body: inner }, at));
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
            let name = Target::Name(temporary(at));
            out.push(stmt(StmtKind::Assign(name.clone(), value), at));
            let mut branches = Vec::new();
            let mut otherwise = Vec::new();
            for case in field(n, "body").map(kids).unwrap_or_default() {
                let mut inner = Vec::new();
                let value = field(case, "value");
                for k in kids(case).into_iter().filter(|k| value.is_none_or(|v| v.id() != k.id())) {
                    if k.kind() != "break_statement" {
                        statement(low, k, &mut inner);
                    }
                }
                match value {
                    Some(v) => {
                        let v = expr(low, v);
                        let test = Kind::Operator("==".into(), vec![reading(&name, span(case)), v]);
                        branches.push((Expr::new(test, span(case)), inner));
                    }
                    None => otherwise = inner,
                }
            }
            out.push(stmt(StmtKind::If(branches, otherwise), at));
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
    let name = field(n, "name").map(|k| low.text(k).to_string()).unwrap_or_default();
    let mut out = Vec::new();
    for m in field(n, "body").map(kids).unwrap_or_default() {
        match m.kind() {
            "method_definition" => {
                let own = field(m, "name").map(|k| low.text(k).to_string()).unwrap_or_default();
                let own = if own == "constructor" { "__init__".to_string() } else { own };
                let mut f = function(low, m, own);
                if tree::has_token(m, "get") {
                    f.receiver = Receiver::Read;
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
    Function { name, params, body: inner, receiver: Receiver::Object }
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
                let (name, inner, default) = match k.kind() {
                    "pair_pattern" => {
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
    match field(n, name) {
        Some(k) => expr(low, k),
        None => Expr::new(Kind::Null, span(n)),
    }
}

/// The test of a `for`, which the grammar makes a statement.
fn condition(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    match kids(n).first() {
        Some(k) if n.kind() == "expression_statement" => expr(low, *k),
        _ => expr(low, n),
    }
}

fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
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
    let all = |low: &mut Lowering<'_>| kids(n).into_iter().map(|k| expr(low, k)).collect::<Vec<_>>();
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
                    Kind::Call(Box::new(callee), vec![Arg { name: None, spread: false, value: e }])
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
            let name = field(n, "name").map(|k| low.text(k).to_string()).unwrap_or_default();
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
            match field(n, "left").and_then(|l| target(low, l)) {
                Some(t) => {
                    let whole = tree::combined(op, reading(&t, at), v, at);
                    Kind::Assign(Box::new(t), Box::new(whole))
                }
                None => Kind::Other(vec![v]),
            }
        }
        "update_expression" => {
            let op = if low.text(n).contains("--") { "-" } else { "+" };
            match field(n, "argument").and_then(|l| target(low, l)) {
                Some(t) => {
                    let one = Expr::new(Kind::Number(1), at);
                    let whole = Expr::new(Kind::Operator(op.into(), vec![reading(&t, at), one]), at);
                    Kind::Assign(Box::new(t), Box::new(whole))
                }
                None => Kind::Other(Vec::new()),
            }
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
    let mut parts: Vec<Expr> = Vec::new();
    let mut bytes = super::ast::Bytes::new();
    for k in kids(n) {
        match k.kind() {
            "string_fragment" => bytes.extend_from_slice(&low.bytes(low.text(k))),
            "escape_sequence" => escape(low.text(k), &mut bytes),
            _ => {
                if !bytes.is_empty() {
                    parts.push(Expr::new(Kind::Text(std::mem::take(&mut bytes)), span(n)));
                }
                match kids(k).first() {
                    Some(e) if k.kind() == "template_substitution" => parts.push(expr(low, *e)),
                    _ => {}
                }
            }
        }
    }
    if parts.is_empty() {
        return Kind::Text(bytes);
    }
    if !bytes.is_empty() {
        parts.push(Expr::new(Kind::Text(bytes), span(n)));
    }
    Kind::Concat(parts)
}

/// One escape of ECMAScript.
fn escape(e: &str, out: &mut super::ast::Bytes) {
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
    let s: String = s.chars().filter(|c| *c != '_' && *c != 'n').collect();
    let lower = s.to_ascii_lowercase();
    let v = if let Some(h) = lower.strip_prefix("0x") {
        i64::from_str_radix(h, 16).ok()
    } else if let Some(o) = lower.strip_prefix("0o") {
        i64::from_str_radix(o, 8).ok()
    } else if let Some(b) = lower.strip_prefix("0b") {
        i64::from_str_radix(b, 2).ok()
    } else {
        s.parse().ok()
    };
    match v {
        Some(n) => Kind::Number(n),
        None => Kind::Text(super::ast::Bytes::from_slice(s.as_bytes())),
    }
}
