//! PowerShell.
//!
//! In: the text of a program (`pwsh -c`, `-EncodedCommand`, a script file). Out: a [`Script`]. A command keeps its words, and
//! what the command before it in the pipeline gave; a script block that is a word is its text, which the command
//! evaluates. Names do not depend on case and are in small letters; `[Type]::Method` and `New-Object Type` are calls of
//! `type.method` and `type`, without `system.`. Parameter binding and types are not followed. Floor 2; imports `syntax`.

use super::ast::Bytes;
use super::script::{Arg, Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use super::tree::{self, Grammar, Lowering, attribute, field, kid, kids, reading, span, stmt};
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    tree::read(Grammar::PowerShell, text, program)
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
    low.deeper(n, Vec::new(), |low| {
        let mut out = Vec::new();
        for k in kids(n) {
            statement(low, k, &mut out);
        }
        out
    })
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
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body: inner }, at));
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
            out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body: inner }, at));
        }
        "foreach_statement" => {
            let parts = kids(n);
            let name = parts.first().and_then(|k| target(low, *k));
            let over = parts.iter().skip(1).find(|k| k.kind() != "statement_block").map(|k| expr(low, *k));
            let inner = body(low, n);
            out.push(stmt(StmtKind::Loop { target: name, over, condition: None, body: inner }, at));
        }
        "switch_statement" => {
            let mut inner = Vec::new();
            for c in tree::kid(n, "switch_body").map(kids).unwrap_or_default().into_iter().flat_map(kids) {
                inner.append(&mut body(low, c));
            }
            out.push(stmt(StmtKind::Maybe(inner), at));
        }
        "function_statement" => {
            let name = kid(n, "function_name").map(|k| low.text(k).to_ascii_lowercase()).unwrap_or_default();
            let mut params = Vec::new();
            for v in kid(n, "function_parameter_declaration").map(variables).unwrap_or_default() {
                params.push((low.text(v).to_ascii_lowercase(), None));
            }
            let inner = body(low, n);
            out.push(stmt(
                StmtKind::Function(Rc::new(Function { name, params, body: inner, receiver: Receiver::Object })),
                at,
            ));
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
                let f = Function { name: own, params, body, receiver: Receiver::Object };
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
        _ => match expr(low, n).kind {
            Kind::Name(v) => Some(Target::Name(v)),
            Kind::Attribute(o, a) => Some(Target::Attribute(o, a)),
            Kind::Index(o, k) => Some(Target::Index(o, k)),
            _ => None,
        },
    }
}

fn part(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Expr {
    match field(n, name) {
        Some(k) => expr(low, k),
        None => Expr::new(Kind::Null, span(n)),
    }
}

fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| {
        let n = core(n);
        Expr::new(kind(low, n), span(n))
    })
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let all = |low: &mut Lowering<'_>| kids(n).into_iter().map(|k| expr(low, k)).collect::<Vec<_>>();
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
            let inner = low.text(n).trim().trim_start_matches('{').trim_end_matches('}').trim();
            Kind::Text(low.bytes(inner))
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
            match kids(n).first().and_then(|k| target(low, *k)) {
                Some(t) => {
                    let sum = vec![reading(&t, at), Expr::new(Kind::Number(1), at)];
                    Kind::Assign(Box::new(t), Box::new(Expr::new(Kind::Operator(op.into(), sum), at)))
                }
                None => Kind::Other(Vec::new()),
            }
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

fn arguments(low: &mut Lowering<'_>, n: Node<'_>) -> Vec<Arg> {
    let list = kids(n);
    let items = match list.first() {
        Some(l) if l.kind() == "argument_expression_list" => kids(*l),
        _ => list,
    };
    items.into_iter().map(|k| Arg { name: None, spread: false, value: expr(low, k) }).collect()
}

/// A type's name in small letters, without brackets and `system.`.
fn type_name(s: &str) -> String {
    let s = s.trim_matches(['[', ']']).to_ascii_lowercase();
    s.strip_prefix("system.").unwrap_or(&s).to_string()
}

fn variable(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let raw = low.text(n);
    let name = raw.trim_start_matches(['$', '@']).trim_matches(['{', '}']);
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "true" => Kind::Bool(true),
        "false" => Kind::Bool(false),
        "null" => Kind::Null,
        _ => {
            if let Some(v) = lower.strip_prefix("env:") {
                let key = name.get(name.len().saturating_sub(v.len())..).unwrap_or_default();
                let key = low.literal(key, at);
                return Kind::Index(Box::new(Expr::new(Kind::Name("$env".into()), at)), Box::new(key));
            }
            let bare = ["global:", "script:", "local:", "private:"]
                .iter()
                .find_map(|p| lower.strip_prefix(p))
                .unwrap_or(&lower);
            low.name(&format!("${bare}"), at).kind
        }
    }
}

/// A word that stands without quotes; a backquote keeps the character behind it.
fn bare(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let mut out = String::new();
    let mut chars = low.text(n).chars();
    while let Some(c) = chars.next() {
        match c {
            '`' => out.extend(chars.next()),
            '"' | '\'' => {}
            other => out.push(other),
        }
    }
    Kind::Text(low.bytes(&out))
}

/// `"text $x $(command) `n"`
fn expandable(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let text = low.text(n);
    let here = text.starts_with('@');
    let (mut from, end) = match here {
        true => (n.start_byte().saturating_add(2), n.end_byte().saturating_sub(2)),
        false => (n.start_byte().saturating_add(1), n.end_byte().saturating_sub(1)),
    };
    let mut parts = Vec::new();
    let push = |low: &Lowering<'_>, parts: &mut Vec<Expr>, a: usize, b: usize| {
        if a < b {
            let text = low.slice(a, b);
            let text = if here { text.trim_matches(['\r', '\n']) } else { text };
            let mut out = String::new();
            let mut chars = text.chars().peekable();
            while let Some(c) = chars.next() {
                match c {
                    '`' => out.extend(chars.next().map(|c| match c {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        '0' => '\0',
                        'a' => '\u{7}',
                        'b' => '\u{8}',
                        'e' => '\u{1b}',
                        other => other,
                    })),
                    '"' if !here && chars.peek() == Some(&'"') => {
                        chars.next();
                        out.push('"');
                    }
                    other => out.push(other),
                }
            }
            parts.push(Expr::new(Kind::Text(low.bytes(&out)), crate::source::Span::new(a, b)));
        }
    };
    for k in kids(n).into_iter().filter(|k| matches!(k.kind(), "variable" | "sub_expression" | "braced_variable")) {
        push(low, &mut parts, from, k.start_byte());
        let e = expr(low, k);
        parts.push(e);
        from = k.end_byte();
    }
    push(low, &mut parts, from, end);
    match parts.as_slice() {
        [] => Kind::Text(Bytes::new()),
        [Expr { kind: Kind::Text(b), .. }] => Kind::Text(b.clone()),
        _ => Kind::Concat(parts),
    }
}

fn number(s: &str) -> Kind {
    let lower = s.to_ascii_lowercase();
    let v = match lower.strip_prefix("0x") {
        Some(h) => i64::from_str_radix(h, 16).ok(),
        None => s.parse().ok(),
    };
    v.map_or_else(|| Kind::Text(Bytes::from_slice(s.as_bytes())), Kind::Number)
}

/// A command with its words; `New-Object Type args` is a call of the type.
fn command(low: &mut Lowering<'_>, n: Node<'_>, input: Option<Expr>) -> Kind {
    let at = span(n);
    let Some(name) = field(n, "command_name") else { return Kind::Other(Vec::new()) };
    let mut words = vec![expr(low, name)];
    let mut writes = Vec::new();
    for k in field(n, "command_elements")
        .map(|e| if e.kind() == "command_elements" { kids(e) } else { vec![e] })
        .unwrap_or_default()
    {
        match k.kind() {
            "command_argument_sep" => {}
            "redirection" => {
                let append = low.text(k).contains(">>");
                let to = kid(k, "redirected_file_name")
                    .and_then(|f| kids(f).into_iter().find(|x| x.kind() != "command_argument_sep"));
                if let Some(f) = to {
                    writes.push((expr(low, f), append));
                }
            }
            "stop_parsing" => {}
            // `(New-Object Net.WebClient).DownloadString('u')` as a word
            "argument_list" if matches!(words.last().map(|w| &w.kind), Some(Kind::Attribute(..))) => {
                let args = arguments(low, k);
                if let Some(callee) = words.pop() {
                    let at = callee.span.to(span(k));
                    words.push(Expr::new(Kind::Call(Box::new(callee), args), at));
                }
            }
            "argument_list" => {
                let list = arguments(low, k).into_iter().map(|a| a.value).collect();
                words.push(Expr::new(Kind::List(list), span(k)));
            }
            _ => {
                let word = core(k);
                match word.kind() {
                    // A block that is a word keeps its braces, by which commands tell it from a name.
                    "script_block_expression" => {
                        let text = low.bytes(low.text(word));
                        words.push(Expr::new(Kind::Text(text), span(word)));
                    }
                    _ => words.push(expr(low, k)),
                }
            }
        }
    }
    let first = match words.first().map(|w| &w.kind) {
        Some(Kind::Text(b)) => String::from_utf8_lossy(b).to_ascii_lowercase(),
        _ => String::new(),
    };
    if first == "new-object" {
        let mut rest =
            words.into_iter().skip(1).filter(|w| !matches!(&w.kind, Kind::Text(b) if b.first() == Some(&b'-')));
        if let Some(Expr { kind: Kind::Text(t), span }) = rest.next() {
            let class = Expr::new(Kind::Name(type_name(&String::from_utf8_lossy(&t))), span);
            let mut args = Vec::new();
            for w in rest {
                match w.kind {
                    Kind::List(l) => args.extend(l.into_iter().map(|value| Arg { name: None, spread: false, value })),
                    _ => args.push(Arg { name: None, spread: false, value: w }),
                }
            }
            return Kind::Call(Box::new(class), args);
        }
        return Kind::Other(Vec::new());
    }
    // `& { … }`, `. { … }`: a block that runs here.
    if core(name).kind() == "script_block_expression" {
        let code = words.into_iter().next().unwrap_or(Expr::new(Kind::Null, at));
        return Expr::call("&", vec![code], at).kind;
    }
    Kind::Command { words, input: input.map(Box::new), writes, printed: false }
}
