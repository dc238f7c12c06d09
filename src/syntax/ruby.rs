//! Ruby.
//!
//! In: the text of a program (`ruby -e`, a here-document, a script file). Out: a [`Script`]. A name that nothing assigns is a
//! call; a block is a function that is the last argument; symbols are text; `A::B` is one name. Refinements, method
//! objects and `method_missing` are not followed. Floor 2; imports `syntax`.

use super::ast::Bytes;
use super::script::{Arg, Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, attribute, field, kid, kids, reading, span, stmt, temporary};
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
    low.deeper(n, Vec::new(), |low| {
        let mut out = Vec::new();
        for k in kids(n) {
            statement(low, k, &mut out);
        }
        out
    })
}

fn body(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Vec<Stmt> {
    match field(n, name) {
        Some(b) if matches!(b.kind(), "then" | "do" | "else" | "body_statement" | "block_body" | "begin") => {
            block(low, b)
        }
        Some(b) => {
            let mut out = Vec::new();
            statement(low, b, &mut out);
            out
        }
        None => Vec::new(),
    }
}

fn not(e: Expr) -> Expr {
    let at = e.span;
    Expr::new(Kind::Operator("not".into(), vec![e]), at)
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
                test = not(test);
            }
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::If(vec![(test, inner)], Vec::new()), at));
        }
        "while" | "until" | "while_modifier" | "until_modifier" => {
            let mut test = part(low, n, "condition");
            if n.kind().starts_with("until") {
                test = not(test);
            }
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition: Some(test), body: inner }, at));
        }
        // `loop { … }` goes on without end, as `while true` does (Kernel#loop).
        "call" | "method_call" if is_loop(low, n) => {
            let test = Expr::new(Kind::Bool(true), at);
            let inner = match kid(n, "do_block").or_else(|| kid(n, "block")) {
                Some(b) => body(low, b, "body"),
                None => Vec::new(),
            };
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition: Some(test), body: inner }, at));
        }
        "for" => {
            let name = field(n, "pattern").and_then(|p| target(low, p));
            let over = field(n, "value").and_then(|v| kids(v).first().copied()).map(|v| expr(low, v));
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::Loop { target: name, over, condition: None, body: inner }, at));
        }
        "case" | "case_match" => case(low, n, out),
        "method" | "singleton_method" => {
            let name = field(n, "name").map(|k| low.text(k)).unwrap_or_default();
            let name = if name == "initialize" { "__init__" } else { name };
            let f = function(low, n, name.to_string());
            out.push(stmt(StmtKind::Function(Rc::new(f)), at));
        }
        "class" | "module" | "singleton_class" => {
            let name = field(n, "name").map(|k| low.text(k).to_string()).unwrap_or_default();
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
        "empty_statement" | "heredoc_body" | "uninterpreted" | "alias" | "undef" => {}
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
            test = not(test);
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
    Function { name, params, body: inner, receiver: Receiver::Object }
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
    match field(n, name) {
        Some(k) => expr(low, k),
        None => Expr::new(Kind::Null, span(n)),
    }
}

fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| Expr::new(kind(low, n), span(n)))
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let all = |low: &mut Lowering<'_>| kids(n).into_iter().map(|k| expr(low, k)).collect::<Vec<_>>();
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
                    let args = keys.into_iter().map(|value| Arg { name: None, spread: false, value }).collect();
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
            match field(n, "left").and_then(|l| target(low, l)) {
                Some(t) => {
                    let whole = tree::combined(op, reading(&t, at), v, at);
                    Kind::Assign(Box::new(t), Box::new(whole))
                }
                None => Kind::Other(vec![v]),
            }
        }
        "binary" => {
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or_default();
            let (l, r) = (part(low, n, "left"), part(low, n, "right"));
            match op {
                // `list << x`, `out << text`
                "<<" => {
                    let args = vec![Arg { name: None, spread: false, value: r }];
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
            Kind::Lambda(Rc::new(Function { name: String::new(), params, body: inner, receiver: Receiver::Object }))
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
fn is_loop(low: &Lowering<'_>, n: Node<'_>) -> bool {
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
    Function { name: String::new(), params, body: inner, receiver: Receiver::Object }
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
            _ => args.push(Arg { name: None, spread: false, value: expr(low, k) }),
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
fn text(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let mut parts: Vec<Expr> = Vec::new();
    let mut bytes = Bytes::new();
    if n.kind() == "string_content" {
        return Kind::Text(low.bytes(low.text(n)));
    }
    for k in kids(n) {
        match k.kind() {
            "string_content" | "heredoc_content" => bytes.extend_from_slice(&low.bytes(low.text(k))),
            "escape_sequence" => escape(low.text(k), &mut bytes),
            "heredoc_end" => {}
            _ => {
                if !bytes.is_empty() {
                    parts.push(Expr::new(Kind::Text(std::mem::take(&mut bytes)), span(n)));
                }
                parts.push(expr(low, k));
            }
        }
    }
    // The line break behind the operator of a here-document is not part of it.
    if n.kind() == "heredoc_body" && parts.is_empty() && bytes.first() == Some(&b'\n') {
        bytes = bytes.get(1..).unwrap_or_default().into();
    }
    if parts.is_empty() {
        return Kind::Text(bytes);
    }
    if !bytes.is_empty() {
        parts.push(Expr::new(Kind::Text(bytes), span(n)));
    }
    Kind::Concat(parts)
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
                if let Some(c) = u32::from_str_radix(part, 16).ok().and_then(char::from_u32) {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
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
    let s: String = s.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    let v = if let Some(h) = s.strip_prefix("0x") {
        i64::from_str_radix(h, 16).ok()
    } else if let Some(b) = s.strip_prefix("0b") {
        i64::from_str_radix(b, 2).ok()
    } else {
        s.parse().ok()
    };
    v.map_or_else(|| Kind::Text(Bytes::from_slice(s.as_bytes())), Kind::Number)
}
