//! Ruby.
//!
//! In: the text of a program (`ruby -e`, a here-document, a script file). Out: a [`Script`]. A name that nothing assigns is a
//! call; a block is a function that is the last argument; symbols are text; `A::B` is one name. Refinements, method
//! objects and `method_missing` are not followed. Floor 2; imports `syntax`.

mod expr;

use super::lowering;
use super::script::{Expr, Function, Kind, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, field, kid, kids, reading, span, stmt, temporary};
use expr::{expr, is_loop, text};
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    tree::read(Grammar::Ruby, text, |low, root| {
        if low.text(root).contains("<<") {
            bodies(low, root);
        }
        block(low, root)
    })
}

/// The bodies of here-documents, the first last.
fn bodies(low: &mut Lowering<'_>, root: Node<'_>) {
    let mut out = Vec::new();
    let mut c = root.walk();
    'all: loop {
        let n = c.node();
        if n.kind() == "heredoc_body" {
            out.push(Expr::new(text(low, n), span(n)));
        } else if c.goto_first_child() {
            continue;
        }
        loop {
            if c.goto_next_sibling() {
                break;
            }
            if !c.goto_parent() {
                break 'all;
            }
        }
    }
    out.reverse();
    low.bodies = out;
}

/// The statements among the children.
fn block(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Stmt> {
    low.block(n, statement)
}

fn body(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Vec<Stmt> {
    let blocks = ["then", "do", "else", "body_statement", "block_body", "begin"];
    field(n, name).map(|b| low.body(b, &blocks, statement)).unwrap_or_default()
}

fn statement(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    low.deeper(n, (), |low| statement_at(low, n, out));
}

fn statement_at(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    match n.kind() {
        "if" | "unless" | "elsif" | "conditional" => out.push(conditional(low, n)),
        "if_modifier" | "unless_modifier" => {
            let mut test = part(low, n, "condition");
            if n.kind() == "unless_modifier" {
                test = lowering::not(test);
            }
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::If(vec![(test, inner)], Vec::new()), at));
        }
        "while" | "until" | "while_modifier" | "until_modifier" => {
            let mut test = part(low, n, "condition");
            if n.kind().starts_with("until") {
                test = lowering::not(test);
            }
            let inner = body(low, n, "body");
            out.push(lowering::repeated(Some(test), inner, at));
        }
        // `loop { … }` goes on without end, as `while true` does (Kernel#loop).
        "call" | "method_call" if is_loop(low, n) => {
            let test = Expr::new(Kind::Bool(true), at);
            let inner = match kid(n, "do_block").or_else(|| kid(n, "block")) {
                Some(b) => body(low, b, "body"),
                None => Vec::new(),
            };
            out.push(lowering::repeated(Some(test), inner, at));
        }
        "for" => {
            let name = field(n, "pattern").and_then(|p| target(low, p));
            let over = field(n, "value").and_then(|v| kids(v).first().copied()).map(|v| expr(low, v));
            let inner = body(low, n, "body");
            out.push(lowering::each(name, over, inner, at));
        }
        "case" | "case_match" => case(low, n, out),
        "method" | "singleton_method" => {
            let name = field(n, "name").map(|k| low.text(k)).unwrap_or_default();
            let name = if name == "initialize" { "__init__" } else { name };
            let f = function(low, n, name.to_string());
            out.push(stmt(StmtKind::Function(Rc::new(f)), at));
        }
        "class" | "module" | "singleton_class" => {
            let name = low.named(n, "name");
            let base = field(n, "superclass").and_then(|s| kids(s).first().copied()).map(|b| expr(low, b));
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::Class { name, bases: base.into_iter().collect(), body: inner }, at));
        }
        "begin"
        | "body_statement"
        | "block_body"
        | "then"
        | "do"
        | "else"
        | "ensure"
        | "begin_block"
        | "end_block"
        | "parenthesized_statements" => {
            let inner = block(low, n);
            out.push(stmt(StmtKind::Block(inner), at));
        }
        "rescue" => {
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::Maybe(inner), at));
        }
        "rescue_modifier" => {
            let mut inner = body(low, n, "body");
            out.append(&mut inner);
            let inner = body(low, n, "handler");
            out.push(stmt(StmtKind::Maybe(inner), at));
        }
        "return" => {
            let v = returned(low, n);
            out.push(stmt(StmtKind::Return(v), at));
        }
        "break" => out.push(stmt(StmtKind::Break, at)),
        "next" | "redo" | "retry" => out.push(stmt(StmtKind::Continue, at)),
        "assignment" => {
            if let (Some(l), Some(r)) = (field(n, "left"), field(n, "right")) {
                let v = expr(low, r);
                if let Some(t) = target(low, l) {
                    out.push(stmt(StmtKind::Assign(t, v), at));
                    return;
                }
                out.push(tree::run(v));
            }
        }
        "empty_statement" | "heredoc_body" | "uninterpreted" | "undef" => {}
        // `alias new old`
        "alias" => {
            if let (Some(new), Some(old)) = (field(n, "name"), field(n, "alias")) {
                let new = low.text(new).trim_start_matches(':').to_string();
                let old = low.text(old).trim_start_matches(':').to_string();
                out.push(stmt(StmtKind::Assign(Target::Name(new), Expr::new(Kind::Name(old), at)), at));
            }
        }
        _ => {
            let e = expr(low, n);
            out.push(tree::run(e));
        }
    }
}

fn returned(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Expr> {
    let list = kids(n);
    let items = list.first().map(|a| if a.kind() == "argument_list" { kids(*a) } else { vec![*a] })?;
    match items.as_slice() {
        [one] => Some(expr(low, *one)),
        many => {
            let all = many.iter().map(|k| expr(low, *k)).collect();
            Some(Expr::new(Kind::List(all), span(n)))
        }
    }
}

fn conditional(low: &mut Lowering<'_>, n: Node<'_>) -> Stmt {
    let mut branches = Vec::new();
    let mut otherwise = Vec::new();
    let mut next = Some(n);
    while let Some(c) = next {
        if c.kind() == "else" {
            otherwise = block(low, c);
            break;
        }
        let mut test = part(low, c, "condition");
        if c.kind() == "unless" {
            test = lowering::not(test);
        }
        branches.push((test, body(low, c, "consequence")));
        next = field(c, "alternative");
        if let Some(a) = next
            && !matches!(a.kind(), "elsif" | "else")
        {
            statement(low, a, &mut otherwise);
            break;
        }
    }
    stmt(StmtKind::If(branches, otherwise), span(n))
}

fn case(low: &mut Lowering<'_>, n: Node<'_>, out: &mut Vec<Stmt>) {
    let at = span(n);
    let subject = Target::Name(temporary(at));
    let value = field(n, "value").map(|v| expr(low, v));
    let compared = value.is_some();
    if let Some(v) = value {
        out.push(stmt(StmtKind::Assign(subject.clone(), v), at));
    }
    let mut branches = Vec::new();
    let mut otherwise = Vec::new();
    for w in kids(n) {
        match w.kind() {
            "when" | "in_clause" => {
                let mut c = w.walk();
                let patterns: Vec<Node<'_>> = w.children_by_field_name("pattern", &mut c).collect();
                let mut tests = Vec::new();
                for p in patterns {
                    let e =
                        kids(p).first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Other(Vec::new()), span(p)));
                    let test = if compared {
                        Kind::Operator("==".into(), vec![reading(&subject, span(p)), e])
                    } else {
                        e.kind
                    };
                    tests.push(Expr::new(test, span(p)));
                }
                let mut it = tests.into_iter();
                let first = it.next().unwrap_or(Expr::new(Kind::Other(Vec::new()), span(w)));
                let test = it.fold(first, |a, b| Expr::new(Kind::Operator("or".into(), vec![a, b]), span(w)));
                branches.push((test, body(low, w, "body")));
            }
            "else" => otherwise = block(low, w),
            _ => {}
        }
    }
    out.push(stmt(StmtKind::If(branches, otherwise), at));
}

fn function(low: &mut Lowering<'_>, n: Node<'_>, name: String) -> Function {
    let params = field(n, "parameters").map(|p| parameters(low, p)).unwrap_or_default();
    let inner = match field(n, "body") {
        Some(b) if matches!(b.kind(), "block" | "do_block") => body(low, b, "body"),
        Some(_) => body(low, n, "body"),
        None => Vec::new(),
    };
    lowering::function(name, params, inner)
}

fn parameters(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<(String, Option<Expr>)> {
    let mut out = Vec::new();
    for p in kids(n) {
        let name = field(p, "name").unwrap_or(p);
        let name = low.text(name).to_string();
        low.locals.insert(name.clone());
        let default = field(p, "value").map(|v| expr(low, v));
        out.push(match p.kind() {
            "splat_parameter" => (format!("*{name}"), None),
            "hash_splat_parameter" => continue,
            _ => (name, default),
        });
    }
    out
}

/// What can be assigned to.
fn target(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Target> {
    low.deeper(n, None, |low| {
        Some(match n.kind() {
            "instance_variable" | "class_variable" => {
                let name = low.text(n).trim_start_matches('@').to_string();
                Target::Attribute(Box::new(Expr::new(Kind::Name("self".into()), span(n))), name)
            }
            "identifier" | "constant" | "global_variable" => {
                let name = low.text(n).to_string();
                low.locals.insert(name.clone());
                Target::Name(name)
            }
            "left_assignment_list" | "destructured_left_assignment" | "destructured_parameter" => Target::List(
                kids(n)
                    .into_iter()
                    .map(|k| target(low, k).unwrap_or_else(|| Target::Name(temporary(span(k)))))
                    .collect(),
            ),
            "rest_assignment" | "splat_argument" => {
                Target::Rest(Box::new(kids(n).first().and_then(|k| target(low, *k))?))
            }
            "element_reference" => {
                let items = kids(n);
                let object = part(low, n, "object");
                let key = items.get(1).map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, span(n)));
                Target::Index(Box::new(object), Box::new(key))
            }
            "call" => {
                let object = part(low, n, "receiver");
                let name = field(n, "method").map(|m| low.text(m).to_string()).unwrap_or_default();
                Target::Attribute(Box::new(object), name)
            }
            _ => return None,
        })
    })
}

fn part(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Expr {
    low.part(n, name, expr)
}
