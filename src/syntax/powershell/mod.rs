//! PowerShell.
//!
//! In: the text of a program (`pwsh -c`, `-EncodedCommand`, a script file). Out: a [`Script`]. A command keeps its words, and
//! what the command before it in the pipeline gave; a script block that is a word is its text, which the command
//! evaluates. Names do not depend on case and are in small letters; `[Type]::Method` and `New-Object Type` are calls of
//! `type.method` and `type`, without `system.`. Parameter binding and types are not followed. Floor 2; imports `syntax`.

mod command;
mod expr;
mod word;

use super::lowering;
use super::script::{Expr, Kind, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, field, kid, kids, span, stmt};
use expr::expr;
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    let script = tree::read(Grammar::PowerShell, text, program);
    // The grammar knows no command whose path is written with slashes: `./build.ps1`, `/opt/x/run.ps1`.
    if !script.unparsed.is_empty()
        && let Some(text) = with_backslashes(text)
    {
        let again = tree::read(Grammar::PowerShell, &text, program);
        if again.unparsed.is_empty() {
            return again;
        }
    }
    script
}

/// The same with backslashes in the paths that stand where a command does; nothing where there are none.
fn with_backslashes(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = text.to_vec();
    let (mut command, mut path, mut changed) = (true, false, false);
    let mut rest = text;
    for byte in &mut out {
        if command && !path {
            path = rest.starts_with(b"./") || rest.starts_with(b"../") || rest.starts_with(b"/");
        }
        match *byte {
            b';' | b'|' | b'&' | b'{' | b'(' | b'\n' | b'=' => (command, path) = (true, false),
            b' ' | b'\t' if !path => {}
            b'/' if path => (*byte, changed) = (b'\\', true),
            c => {
                path &= !c.is_ascii_whitespace() && !matches!(c, b')' | b'}');
                command = path;
            }
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    changed.then_some(out)
}

/// A whole text; one that is nothing but a block (`ForEach-Object { … }` hands its own on) is what is in it.
fn program(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    let mut inner = core(n);
    while inner.kind() == "statement_list" && inner.named_child_count() == 1 {
        match inner.named_child(0) {
            Some(k) => inner = core(k),
            None => break,
        }
    }
    match inner.kind() {
        "script_block_expression" => block(low, inner),
        _ => block(low, n),
    }
}

/// The node below those that only say how tightly an operator binds.
fn core(mut n: Node<'_>) -> Node<'_> {
    while n.child_count() == 1 && n.named_child_count() == 1 {
        if matches!(
            n.kind(),
            "command" | "variable" | "script_block_expression" | "script_block" | "statement_list" | "statement_block"
        ) {
            return n;
        }
        match n.named_child(0) {
            Some(k) => n = k,
            None => return n,
        }
    }
    n
}

/// The statements among the children.
fn block(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    low.block(n, statement)
}

/// The statements of the first block below.
fn body(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    kids(n)
        .into_iter()
        .find(|k| matches!(k.kind(), "statement_block" | "script_block"))
        .map(|b| block(low, b))
        .unwrap_or_default()
}

fn statement(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    low.deeper(n, (), |low| statement_at(low, core(n), out));
}

fn statement_at(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    match n.kind() {
        "program"
        | "statement_list"
        | "statement_block"
        | "script_block"
        | "script_block_body"
        | "named_block"
        | "named_block_list"
        | "finally_clause"
        | "inlinescript_statement"
        | "parallel_statement"
        | "sequence_statement" => {
            let mut inner = block(low, n);
            out.append(&mut inner);
        }
        "pipeline" => {
            // `a && b || c`
            for k in kids(n).into_iter().filter(|k| k.kind() != "pipeline_chain_tail") {
                statement(low, k, out);
            }
        }
        "if_statement" => {
            let mut branches = vec![(part(low, n, "condition"), body(low, n))];
            let mut otherwise = Vec::new();
            for k in field(n, "elseif_clauses").map(kids).unwrap_or_default() {
                branches.push((part(low, k, "condition"), body(low, k)));
            }
            if let Some(e) = field(n, "else_clause") {
                otherwise = body(low, e);
            }
            out.push(stmt(StmtKind::If(branches, otherwise), at));
        }
        "while_statement" | "do_statement" => {
            let condition = Some(part(low, n, "condition"));
            let inner = body(low, n);
            if n.kind() == "do_statement" {
                out.push(stmt(StmtKind::Block(inner.clone()), at));
            }
            out.push(lowering::repeated(condition, inner, at));
        }
        "for_statement" => {
            if let Some(i) = field(n, "for_initializer") {
                statement(low, i, out);
            }
            let condition = field(n, "for_condition").map(|c| expr(low, c));
            let mut inner = body(low, n);
            if let Some(u) = field(n, "for_iterator") {
                statement(low, u, &mut inner);
            }
            out.push(lowering::repeated(condition, inner, at));
        }
        "foreach_statement" => {
            let parts = kids(n);
            let name = parts.first().and_then(|k| target(low, *k));
            let over = parts.iter().skip(1).find(|k| k.kind() != "statement_block").map(|k| expr(low, *k));
            let inner = body(low, n);
            out.push(lowering::each(name, over, inner, at));
        }
        "switch_statement" => {
            let mut inner = Vec::new();
            for c in kid(n, "switch_condition").map(kids).unwrap_or_default() {
                let e = expr(low, c);
                out.push(tree::run(e));
            }
            for c in tree::kid(n, "switch_body").map(kids).unwrap_or_default().into_iter().flat_map(kids) {
                inner.append(&mut body(low, c));
            }
            out.push(stmt(StmtKind::Maybe(inner), at));
        }
        "function_statement" => {
            let name = kid(n, "function_name").map(|k| low.text(k).to_ascii_lowercase()).unwrap_or_default();
            let mut params = Vec::new();
            let list = kid(n, "function_parameter_declaration").and_then(|d| kid(d, "parameter_list"));
            for p in list.map(kids).unwrap_or_default() {
                let Some(v) = kid(p, "variable") else { continue };
                let default = kid(p, "script_parameter_default").and_then(|d| kids(d).first().copied());
                params.push((low.text(v).to_ascii_lowercase(), default.map(|d| expr(low, d))));
            }
            let inner = body(low, n);
            out.push(stmt(StmtKind::Function(Rc::new(lowering::function(name, params, inner))), at));
        }
        "try_statement" => {
            let inner = body(low, n);
            out.push(stmt(StmtKind::Block(inner), at));
            for k in kids(n).into_iter().filter(|k| k.kind() != "statement_block") {
                let mut clauses = if k.kind() == "catch_clauses" { kids(k) } else { vec![k] };
                if clauses.is_empty() {
                    clauses.push(k);
                }
                for c in clauses {
                    let inner = body(low, c);
                    let kind =
                        if c.kind() == "finally_clause" { StmtKind::Block(inner) } else { StmtKind::Maybe(inner) };
                    out.push(stmt(kind, span(c)));
                }
            }
        }
        "trap_statement" | "data_statement" => {
            let inner = body(low, n);
            out.push(stmt(StmtKind::Maybe(inner), at));
        }
        "flow_control_statement" => {
            let v = kids(n).first().map(|k| expr(low, *k));
            let word = low.text(n).to_ascii_lowercase();
            out.push(stmt(
                match word.split(|c: char| !c.is_ascii_alphabetic()).next() {
                    Some("break") => StmtKind::Break,
                    Some("continue") => StmtKind::Continue,
                    Some("exit") => StmtKind::Exit,
                    Some("throw") => StmtKind::Expr(v.unwrap_or(Expr::new(Kind::Null, at))),
                    _ => StmtKind::Return(v),
                },
                at,
            ));
        }
        "class_statement" => out.push(class(low, n)),
        "param_block" | "empty_statement" | "enum_statement" => {}
        _ => {
            let mut e = expr(low, n);
            // What a statement gives is printed.
            if let Kind::Command { printed, .. } = &mut e.kind {
                *printed = true;
            }
            out.push(tree::run(e));
        }
    }
}

/// A class: names in small letters as everywhere, its constructor as all languages' are.
fn class(low: &mut Lowering<'_>, n: Node<'_>) -> Stmt {
    let mut names = kids(n).into_iter().filter(|k| k.kind() == "simple_name").map(|k| low.text(k).to_ascii_lowercase());
    let name = names.next().unwrap_or_default();
    let bases = names.map(|b| Expr::new(Kind::Name(b), span(n))).collect();
    let mut inner = Vec::new();
    for m in kids(n) {
        let at = span(m);
        match m.kind() {
            "class_method_definition" => {
                let own = kid(m, "simple_name").map(|k| low.text(k).to_ascii_lowercase()).unwrap_or_default();
                let own = if own == name { "__init__".to_string() } else { own };
                let list = kid(m, "class_method_parameter_list").map(kids).unwrap_or_default();
                let params = list.into_iter().flat_map(variables).map(|v| (low.text(v).to_ascii_lowercase(), None));
                let params = params.collect();
                let body = body(low, m);
                let f = lowering::function(own, params, body);
                inner.push(stmt(StmtKind::Function(Rc::new(f)), at));
            }
            "class_property_definition" => {
                let parts = kids(m);
                let name = parts.iter().find(|k| k.kind() == "variable").map(|k| low.text(*k).to_ascii_lowercase());
                let value = parts.last().filter(|k| !matches!(k.kind(), "variable" | "type_literal"));
                if let (Some(name), Some(v)) = (name, value) {
                    let e = expr(low, *v);
                    let target = Target::Name(name.trim_start_matches('$').to_string());
                    inner.push(stmt(StmtKind::Assign(target, e), at));
                }
            }
            _ => {}
        }
    }
    stmt(StmtKind::Class { name, bases, body: inner }, span(n))
}

/// The variables of a declaration.
fn variables(n: Node<'_>) -> Vec<Node<'_>> {
    let mut out = Vec::new();
    let mut rest = vec![n];
    while let Some(k) = rest.pop() {
        match k.kind() {
            "variable" => out.push(k),
            _ => rest.extend(kids(k).into_iter().rev()),
        }
    }
    out
}

fn target(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Target> {
    let n = core(n);
    match n.kind() {
        // `[byte[]]$x = …`
        "cast_expression" => kids(n).last().and_then(|k| target(low, *k)),
        "array_literal_expression" | "left_assignment_expression" if kids(n).len() > 1 => {
            let all: Vec<Target> = kids(n).into_iter().filter_map(|k| target(low, k)).collect();
            Some(Target::List(all))
        }
        _ => lowering::target_of(expr(low, n)),
    }
}

fn part(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Expr {
    low.part(n, name, expr)
}
