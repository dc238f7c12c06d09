//! Perl.
//!
//! In: the text of a program (`perl -e`, a here-document, a script file). Out: a [`Script`]. Scalars, arrays and hashes
//! keep their signs in names (`$x`, `@x`, `%x`); references are what they refer to; handles are variables that hold what
//! was opened. A substitution with `/e`, and code in a pattern, is text that is evaluated. Formats, ties and overloading
//! are not followed. Floor 2; imports `syntax`.

mod call;
mod expr;
mod pattern;
mod text;

use super::lowering;
use super::script::{Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, field, has_token, kids, span, stmt};
use crate::source::Span;
use expr::{expr, target};
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    tree::read(Grammar::Perl, text, |low, root| {
        let mut bodies = Vec::new();
        if low.text(root).contains("<<") {
            text::bodies(low, root, &mut bodies);
        }
        bodies.reverse();
        low.bodies = bodies;
        block(low, root)
    })
}

/// The statements among the children.
fn block(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    low.deeper(n, Vec::new(), |low| {
        let mut out = Vec::new();
        // `package A;` holds up to the next one.
        let mut package: Option<(String, Span, Vec<Stmt>)> = None;
        for k in kids(n) {
            if k.kind() == "package_statement" {
                end_package(package.take(), &mut out);
                let name = field(k, "name").map(|p| low.text(p).to_string()).unwrap_or_default();
                let inner = body(low, k);
                if !inner.is_empty() {
                    end_package(Some((name, span(k), inner)), &mut out);
                } else if name != "main" {
                    package = Some((name, span(k), Vec::new()));
                }
                continue;
            }
            statement(low, k, package.as_mut().map_or(&mut out, |(_, _, body)| body));
        }
        end_package(package, &mut out);
        out
    })
}

/// A package with subroutines is a class.
fn end_package(package: Option<(String, Span, Vec<Stmt>)>, out: &mut Vec<Stmt>) {
    if let Some((name, at, body)) = package {
        out.push(stmt(StmtKind::Class { name: name.replace("::", "."), bases: Vec::new(), body }, at));
    }
}

/// The block in a field, or the one child that is a block.
fn body(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    let found = field(n, "block").or_else(|| field(n, "body")).or_else(|| tree::kid(n, "block"));
    found.map(|b| block(low, b)).unwrap_or_default()
}

fn statement(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    match n.kind() {
        "expression_statement" => {
            for k in kids(n) {
                expression(low, k, out);
            }
        }
        "conditional_statement" => out.push(conditional(low, n)),
        "loop_statement" => {
            let inner = body(low, n);
            looped(low, n, inner, out);
        }
        "for_statement" => {
            let name = field(n, "variable").and_then(|v| target(low, v));
            let over = field(n, "list").map(|l| list(low, l));
            let inner = body(low, n);
            let name = name.unwrap_or_else(|| Target::Name("$_".into()));
            out.push(lowering::each(Some(name), over, inner, at));
        }
        "cstyle_for_statement" => {
            let part = |name: &str| field(n, name).filter(|k| k.is_named());
            if let Some(i) = part("initialiser") {
                statement(low, i, out);
            }
            let condition = part("condition").map(|c| only(low, c));
            let mut inner = body(low, n);
            if let Some(u) = part("iterator") {
                statement(low, u, &mut inner);
            }
            out.push(lowering::repeated(condition, inner, at));
        }
        "subroutine_declaration_statement" | "method_declaration_statement" => {
            let name = low.named(n, "name");
            let inner = body(low, n);
            out.push(stmt(StmtKind::Function(Rc::new(subroutine(name, inner))), at));
        }
        "block_statement" | "block" | "phaser_statement" => {
            let inner = if n.kind() == "phaser_statement" { body(low, n) } else { block(low, n) };
            out.push(stmt(StmtKind::Block(inner), at));
        }
        "try_statement" | "defer_statement" => {
            for (i, k) in kids(n).into_iter().filter(|k| k.kind() == "block").enumerate() {
                let inner = block(low, k);
                let kind = if i == 0 { StmtKind::Block(inner) } else { StmtKind::Maybe(inner) };
                out.push(stmt(kind, span(k)));
            }
        }
        // `use parent -norequire, 'A'`
        "use_statement" if low.text(n).starts_with("use parent") || low.text(n).starts_with("use base") => {
            let names = kids(n).into_iter().skip(1).map(|k| expr(low, k)).collect();
            let target = Target::Name("@ISA".into());
            out.push(stmt(StmtKind::Assign(target, Expr::new(Kind::List(names), at)), at));
        }
        "use_statement" => used(low, n, out),
        "use_version_statement"
        | "package_statement"
        | "heredoc_content"
        | "eof_marker"
        | "data_section"
        | "pod"
        | "comment"
        | "label" => {}
        _ => expression(low, n, out),
    }
}

/// `use Module LIST`: what is in the list is computed first; the names that a module gives are known by themselves.
fn used(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    let mut words = low.text(n).split(|c: char| c.is_whitespace() || matches!(c, ';' | '\'' | '"' | '('));
    if words.next() != Some("use") {
        return;
    }
    let module = words.find(|w| !w.is_empty()).unwrap_or_default().to_string();
    for k in kids(n).into_iter().skip(1).filter(|k| !matches!(k.kind(), "quoted_word_list" | "number" | "version")) {
        let e = expr(low, k);
        // `use if CONDITION, 'Module'`
        let mut parts = std::slice::from_ref(&e);
        if let Kind::List(l) = &e.kind {
            parts = l;
        }
        let named: Vec<String> = parts
            .iter()
            .filter_map(|p| match &p.kind {
                Kind::Text(b) if matches!(module.as_str(), "if" | "autouse" | "aliased") => {
                    Some(String::from_utf8_lossy(b).into_owned())
                }
                _ => None,
            })
            .collect();
        out.push(tree::run(e));
        out.extend(named.into_iter().map(|m| stmt(StmtKind::Import { path: m.clone(), alias: m }, at)));
    }
    if module.starts_with(|c: char| c.is_alphabetic()) {
        out.push(stmt(StmtKind::Import { path: module.clone(), alias: module }, at));
    }
}

/// The one expression of a statement.
fn only(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    match kids(n).first() {
        Some(k) if n.kind() == "expression_statement" => expr(low, *k),
        _ => expr(low, n),
    }
}

/// A subroutine finds its arguments in `@_`.
fn subroutine(name: String, body: Vec<Stmt>) -> Function {
    Function { name, params: vec![("*@_".to_string(), None)], body, receiver: Receiver::Object }
}

/// `if`, `unless`, with `elsif` and `else`.
fn conditional(low: &mut Lowering<'_>, n: Node<'_>) -> Stmt {
    let mut branches = Vec::new();
    let mut otherwise = Vec::new();
    let mut next = Some(n);
    while let Some(c) = next {
        next = kids(c).into_iter().find(|k| matches!(k.kind(), "elsif" | "else"));
        if c.kind() == "else" {
            otherwise = body(low, c);
            break;
        }
        let mut test = match field(c, "condition") {
            Some(t) => expr(low, t),
            None => Expr::new(Kind::Null, span(c)),
        };
        if has_token(c, "unless") {
            test = lowering::not(test);
        }
        branches.push((test, body(low, c)));
    }
    stmt(StmtKind::If(branches, otherwise), span(n))
}

/// `while`, `until`; reading a handle goes over its lines.
fn looped(low: &mut Lowering<'_>, n: Node<'_>, inner: Vec<Stmt>, out: &mut Vec<Stmt>) {
    let at = span(n);
    let Some(c) = field(n, "condition") else {
        out.push(lowering::repeated(None, inner, at));
        return;
    };
    let (name, source) = match c.kind() {
        "readline_expression" => (Some(Target::Name("$_".into())), Some(c)),
        "assignment_expression" => (field(c, "left").and_then(|l| target(low, l)), field(c, "right")),
        _ => (None, None),
    };
    if let (Some(name), Some(source)) = (name, source)
        && source.kind() == "readline_expression"
    {
        let over = Some(expr(low, source));
        out.push(lowering::each(Some(name), over, inner, at));
        return;
    }
    let mut test = expr(low, c);
    if has_token(n, "until") {
        test = lowering::not(test);
    }
    out.push(lowering::repeated(Some(test), inner, at));
}

/// What is gone over: one list.
fn list(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    let e = expr(low, n);
    match &e.kind {
        Kind::Text(_) | Kind::Number(_) | Kind::Concat(_) => {
            let at = e.span;
            Expr::new(Kind::List(vec![e]), at)
        }
        _ => e,
    }
}

/// An expression as a statement: what modifies one becomes a statement around it.
fn expression(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    low.deeper(n, (), |low| expression_at(low, n, out));
}

fn expression_at(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    match n.kind() {
        "postfix_conditional_expression" => {
            let mut inner = Vec::new();
            let test = field(n, "condition");
            if let Some(k) = kids(n).into_iter().find(|k| test.is_none_or(|t| t.id() != k.id())) {
                expression(low, k, &mut inner);
            }
            let mut test = match test {
                Some(t) => expr(low, t),
                None => Expr::new(Kind::Null, at),
            };
            if has_token(n, "unless") {
                test = lowering::not(test);
            }
            out.push(stmt(StmtKind::If(vec![(test, inner)], Vec::new()), at));
        }
        "postfix_loop_expression" => {
            let mut inner = Vec::new();
            let test = field(n, "condition");
            if let Some(k) = kids(n).into_iter().find(|k| test.is_none_or(|t| t.id() != k.id())) {
                expression(low, k, &mut inner);
                if k.kind() == "do_expression" {
                    // The body runs once before the first test.
                    out.extend(inner.iter().cloned());
                }
            }
            looped(low, n, inner, out);
        }
        "postfix_for_expression" => {
            let mut inner = Vec::new();
            let over = field(n, "list");
            if let Some(k) = kids(n).into_iter().find(|k| over.is_none_or(|t| t.id() != k.id())) {
                expression(low, k, &mut inner);
            }
            let over = over.map(|l| list(low, l));
            let name = Some(Target::Name("$_".into()));
            out.push(lowering::each(name, over, inner, at));
        }
        "return_expression" => {
            let v = kids(n).first().map(|k| expr(low, *k));
            out.push(stmt(StmtKind::Return(v), at));
        }
        "loopex_expression" => out.push(stmt(
            match field(n, "loopex").map(|k| low.text(k)) {
                Some("next" | "redo") => StmtKind::Continue,
                _ => StmtKind::Break,
            },
            at,
        )),
        _ => {
            let e = expr(low, n);
            out.push(tree::run(e));
        }
    }
}
