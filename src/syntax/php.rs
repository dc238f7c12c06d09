//! PHP.
//!
//! In: code without an opening tag (`php -r`), or a page with PHP in it. Out: a [`Script`]. Variables keep their sign
//! (`$x`), `A\B` and `A::b` are `A.b`-like names without a leading backslash; `echo`, `print`, `include` and `exit` are calls.
//! References and magic methods are not followed. Floor 2; imports `syntax`.

use super::ast::Bytes;
use super::script::{Arg, Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, attribute, field, has_token, kid, kids, reading, span, stmt, temporary};
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
    low.deeper(n, Vec::new(), |low| {
        let mut out = Vec::new();
        for k in kids(n) {
            statement(low, k, &mut out);
        }
        out
    })
}

fn body(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Vec<Stmt> {
    let Some(b) = field(n, name) else { return Vec::new() };
    if matches!(b.kind(), "compound_statement" | "colon_block" | "declaration_list") {
        return block(low, b);
    }
    let mut out = Vec::new();
    statement(low, b, &mut out);
    out
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
            for k in kids(n) {
                let e = expr(low, k);
                out.push(tree::run(e));
            }
            out.push(stmt(StmtKind::Exit, at));
        }
        "if_statement" => {
            let test = part(low, n, "condition");
            let mut branches = vec![(test, body(low, n, "body"))];
            let mut otherwise = Vec::new();
            for k in kids(n) {
                match k.kind() {
                    "else_if_clause" => branches.push((part(low, k, "condition"), body(low, k, "body"))),
                    "else_clause" => otherwise = body(low, k, "body"),
                    _ => {}
                }
            }
            out.push(stmt(StmtKind::If(branches, otherwise), at));
        }
        "while_statement" => {
            let condition = Some(part(low, n, "condition"));
            let inner = body(low, n, "body");
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body: inner }, at));
        }
        "do_statement" => {
            let inner = body(low, n, "body");
            let condition = Some(part(low, n, "condition"));
            out.push(stmt(StmtKind::Block(inner.clone()), at));
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body: inner }, at));
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
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body: inner }, at));
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
            out.push(stmt(StmtKind::Loop { target: Some(listed), over, condition: None, body: inner }, at));
        }
        "switch_statement" => {
            let value = part(low, n, "condition");
            let name = Target::Name(temporary(at));
            out.push(stmt(StmtKind::Assign(name.clone(), value), at));
            let mut branches = Vec::new();
            let mut otherwise = Vec::new();
            for c in field(n, "body").map(kids).unwrap_or_default() {
                let value = field(c, "value");
                let mut inner = Vec::new();
                for k in kids(c).into_iter().filter(|k| value.is_none_or(|v| v.id() != k.id())) {
                    if k.kind() != "break_statement" {
                        statement(low, k, &mut inner);
                    }
                }
                match value {
                    Some(v) => {
                        let v = expr(low, v);
                        let test = Kind::Operator("==".into(), vec![reading(&name, span(c)), v]);
                        branches.push((Expr::new(test, span(c)), inner));
                    }
                    None => otherwise = inner,
                }
            }
            out.push(stmt(StmtKind::If(branches, otherwise), at));
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
            let name = field(n, "name").map(|k| low.text(k).to_string()).unwrap_or_default();
            let mut f = function(low, n, name);
            if n.kind() == "method_declaration" && f.name == "__construct" {
                f.name = "__init__".into();
                promoted(low, n, &mut f.body);
            }
            out.push(stmt(StmtKind::Function(Rc::new(f)), at));
        }
        "class_declaration" | "trait_declaration" | "enum_declaration" | "interface_declaration" => {
            let name = field(n, "name").map(|k| low.text(k).to_string()).unwrap_or_default();
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
    Function { name, params, body: inner, receiver: Receiver::Object }
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
    match expr(low, n).kind {
        Kind::Name(v) => Some(Target::Name(v)),
        Kind::Attribute(o, a) => Some(Target::Attribute(o, a)),
        Kind::Index(o, k) => Some(Target::Index(o, k)),
        _ => None,
    }
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

/// A name without its leading backslash; functions are known in small letters.
fn named(low: &Lowering<'_>, n: Node<'_>) -> Expr {
    low.name(low.text(n).trim_start_matches('\\'), span(n))
}

fn function_name(low: &Lowering<'_>, n: Node<'_>) -> Expr {
    let mut e = named(low, n);
    if let Kind::Name(name) = &mut e.kind {
        name.make_ascii_lowercase();
    }
    e
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let all = |low: &mut Lowering<'_>| kids(n).into_iter().map(|k| expr(low, k)).collect::<Vec<_>>();
    match n.kind() {
        "variable_name" => low.name(low.text(n), at).kind,
        "name" | "qualified_name" | "namespace_name" | "relative_scope" => named(low, n).kind,
        "string" | "encapsed_string" | "heredoc" | "nowdoc" => text(low, n),
        "shell_command_expression" => {
            let inner = Expr::new(text(low, n), at);
            Kind::Shell(Box::new(inner))
        }
        "integer" => number(low.text(n)),
        "float" => Kind::Text(low.bytes(low.text(n))),
        "boolean" => Kind::Bool(low.text(n).eq_ignore_ascii_case("true")),
        "null" => Kind::Null,
        "parenthesized_expression"
        | "error_suppression_expression"
        | "reference_assignment_expression"
        | "argument"
        | "by_ref"
        | "clone_expression"
        | "throw_expression"
            if kids(n).len() == 1 =>
        {
            kids(n).first().map(|k| expr(low, *k).kind).unwrap_or(Kind::Null)
        }
        "cast_expression" => part(low, n, "value").kind,
        "dynamic_variable_name" => match kids(n).first() {
            // `${'x'}`, `$$x`
            Some(k) => match expr(low, *k).kind {
                Kind::Text(b) => Kind::Name(format!("${}", String::from_utf8_lossy(&b))),
                other => Kind::Other(vec![Expr::new(other, at)]),
            },
            None => Kind::Other(Vec::new()),
        },
        "function_call_expression" => {
            let callee = match field(n, "function") {
                Some(f) if matches!(f.kind(), "name" | "qualified_name") => function_name(low, f),
                // `$1=f()`: what is wrong stands before the name.
                Some(f) if f.kind() == "variable_name" && f.has_error() => match kid(f, "name") {
                    Some(name) => function_name(low, name),
                    None => expr(low, f),
                },
                Some(f) => expr(low, f),
                None => Expr::new(Kind::Null, at),
            };
            let args = arguments(low, field(n, "arguments"));
            Kind::Call(Box::new(callee), args)
        }
        "object_creation_expression" => {
            let parts = kids(n);
            let callee = parts.first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at));
            let args = arguments(low, kid(n, "arguments"));
            Kind::Call(Box::new(callee), args)
        }
        "member_call_expression" | "nullsafe_member_call_expression" => {
            let object = part(low, n, "object");
            let args = arguments(low, field(n, "arguments"));
            Kind::Call(Box::new(member(low, n, object)), args)
        }
        "scoped_call_expression" => {
            let object = part(low, n, "scope");
            let args = arguments(low, field(n, "arguments"));
            Kind::Call(Box::new(member(low, n, object)), args)
        }
        "member_access_expression" | "nullsafe_member_access_expression" => {
            let object = part(low, n, "object");
            member(low, n, object).kind
        }
        "scoped_property_access_expression" | "class_constant_access_expression" => {
            let parts = kids(n);
            match parts.as_slice() {
                [a, b] => {
                    let object = expr(low, *a);
                    attribute(object, low.text(*b).trim_start_matches('$'), at).kind
                }
                _ => Kind::Other(all(low)),
            }
        }
        "subscript_expression" => {
            let parts = kids(n);
            match parts.as_slice() {
                [o, k] => Kind::Index(Box::new(expr(low, *o)), Box::new(expr(low, *k))),
                // `$list[] = x`
                [o] => Kind::Index(Box::new(expr(low, *o)), Box::new(Expr::new(Kind::Null, at))),
                _ => Kind::Other(all(low)),
            }
        }
        "yield_expression" => Kind::Yield(all(low)),
        "array_creation_expression" | "list_literal" => array(low, n),
        "assignment_expression" | "reference_assignment_expression" => {
            let v = part(low, n, "right");
            match field(n, "left").and_then(|l| target(low, l)) {
                Some(t) => Kind::Assign(Box::new(t), Box::new(v)),
                None => Kind::Other(vec![v]),
            }
        }
        "augmented_assignment_expression" => {
            let v = part(low, n, "right");
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or(".=");
            match field(n, "left").and_then(|l| target(low, l)) {
                Some(t) => {
                    let whole = tree::combined(op, reading(&t, at), v, at);
                    Kind::Assign(Box::new(t), Box::new(whole))
                }
                None => Kind::Other(vec![v]),
            }
        }
        "update_expression" => {
            let op = if has_token(n, "--") { "-" } else { "+" };
            match field(n, "argument").and_then(|l| target(low, l)) {
                Some(t) => {
                    let sum = vec![reading(&t, at), Expr::new(Kind::Number(1), at)];
                    Kind::Assign(Box::new(t), Box::new(Expr::new(Kind::Operator(op.into(), sum), at)))
                }
                None => Kind::Other(Vec::new()),
            }
        }
        "binary_expression" => {
            let op = field(n, "operator").map(|o| low.text(o)).unwrap_or_default();
            let (l, r) = (part(low, n, "left"), part(low, n, "right"));
            Kind::Operator(op.to_ascii_lowercase(), vec![l, r])
        }
        "unary_op_expression" => {
            let e = field(n, "argument").or_else(|| kids(n).last().copied()).map(|k| expr(low, k));
            let e = e.unwrap_or(Expr::new(Kind::Null, at));
            match low.text(n).chars().next() {
                Some('!') => Kind::Operator("not".into(), vec![e]),
                Some('-') => Kind::Operator("-".into(), vec![e]),
                Some('~') => Expr::call("~", vec![e], at).kind,
                _ => e.kind,
            }
        }
        "conditional_expression" => {
            let test = part(low, n, "condition");
            let other = Box::new(part(low, n, "alternative"));
            match field(n, "body") {
                Some(b) => Kind::Choice(Box::new(test), Box::new(expr(low, b)), other),
                None => Kind::Operator("or".into(), vec![test, *other]),
            }
        }
        "match_expression" => {
            let mut parts = vec![part(low, n, "condition")];
            for arm in field(n, "body").map(kids).unwrap_or_default() {
                parts.push(part(low, arm, "return_expression"));
            }
            Kind::Other(parts)
        }
        "anonymous_function" | "arrow_function" | "anonymous_function_creation_expression" => {
            Kind::Lambda(Rc::new(function(low, n, String::new())))
        }
        "print_intrinsic" => {
            let args = all(low);
            Expr::call("echo", args, at).kind
        }
        "include_expression" | "include_once_expression" | "require_expression" | "require_once_expression" => {
            let args = all(low);
            Expr::call("include", args, at).kind
        }
        "exit_statement" => {
            let mut out = Vec::new();
            statement(low, n, &mut out);
            Kind::Do(out)
        }
        _ => Kind::Other(all(low)),
    }
}

/// The member that is named, also by a variable (`$o->$name()`).
fn member(low: &mut Lowering<'_>, n: Node<'_>, object: Expr) -> Expr {
    match field(n, "name") {
        Some(m) if m.kind() == "name" => attribute(object, low.text(m), span(n)),
        Some(m) => {
            let name = expr(low, m);
            Expr::new(Kind::Index(Box::new(object), Box::new(name)), span(n))
        }
        None => object,
    }
}

fn arguments(low: &mut Lowering<'_>, n: Option<Node<'_>>) -> Vec<Arg> {
    let mut out = Vec::new();
    for a in n.map(kids).unwrap_or_default() {
        let name = field(a, "name").map(|k| low.text(k).to_string());
        let inner = kids(a).last().copied().filter(|_| a.kind() == "argument").unwrap_or(a);
        let (spread, inner) = match inner.kind() {
            "variadic_unpacking" => (true, kids(inner).first().copied().unwrap_or(inner)),
            _ => (false, inner),
        };
        out.push(Arg { name, spread, value: expr(low, inner) });
    }
    out
}

fn array(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let items: Vec<Vec<Node<'_>>> =
        kids(n).into_iter().map(|k| if k.kind() == "array_element_initializer" { kids(k) } else { vec![k] }).collect();
    if items.iter().all(|i| i.len() == 1) {
        return Kind::List(items.iter().flatten().map(|k| expr(low, *k)).collect());
    }
    let mut out = Vec::new();
    let mut next = 0i64;
    for i in items {
        match i.as_slice() {
            [k, v] => out.push((expr(low, *k), expr(low, *v))),
            [v] => {
                out.push((Expr::new(Kind::Number(next), span(*v)), expr(low, *v)));
                next = next.saturating_add(1);
            }
            _ => {}
        }
    }
    Kind::Map(out)
}

/// Text with variables and escapes; between single quotes only the quote and the backslash are escaped.
fn text(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let n = field(n, "value").unwrap_or(n);
    let mut parts: Vec<Expr> = Vec::new();
    let mut bytes = Bytes::new();
    for k in kids(n) {
        match k.kind() {
            "string_content" | "nowdoc_string" => bytes.extend_from_slice(&low.bytes(low.text(k))),
            "escape_sequence" => escape(low.text(k), &mut bytes),
            "heredoc_start" | "heredoc_end" => {}
            _ => {
                if !bytes.is_empty() {
                    parts.push(Expr::new(Kind::Text(std::mem::take(&mut bytes)), span(n)));
                }
                parts.push(expr(low, k));
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

/// One escape (PHP manual, "Strings").
fn escape(e: &str, out: &mut Bytes) {
    let rest = e.strip_prefix('\\').unwrap_or(e);
    let mut chars = rest.chars();
    let b = match chars.next() {
        Some('n') => 10,
        Some('t') => 9,
        Some('r') => 13,
        Some('v') => 11,
        Some('e') => 27,
        Some('f') => 12,
        Some('x') => u8::from_str_radix(chars.as_str(), 16).unwrap_or(0),
        Some('0'..='7') => u8::try_from(u32::from_str_radix(rest, 8).unwrap_or(0) & 255).unwrap_or(0),
        Some('u') => {
            let digits = chars.as_str().trim_matches(['{', '}']);
            if let Some(c) = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            return;
        }
        Some(c) => {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
        None => return,
    };
    out.push(b);
}

fn number(s: &str) -> Kind {
    let s: String = s.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    let v = if let Some(h) = s.strip_prefix("0x") {
        i64::from_str_radix(h, 16).ok()
    } else if let Some(b) = s.strip_prefix("0b") {
        i64::from_str_radix(b, 2).ok()
    } else if s.len() > 1 && s.starts_with('0') {
        i64::from_str_radix(s.trim_start_matches("0o"), 8).ok()
    } else {
        s.parse().ok()
    };
    v.map_or_else(|| Kind::Text(Bytes::from_slice(s.as_bytes())), Kind::Number)
}
