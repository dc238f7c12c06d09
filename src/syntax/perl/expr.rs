//! Perl's expressions.

use super::super::ast::Bytes;
use super::super::script::{Arg, Expr, Kind, StmtKind, Target};
use super::super::tree::{self, Lowering, attribute, field, has_token, kid, kids, reading, span, stmt};
use super::{block, expression, subroutine, text};
use crate::source::Span;
use std::rc::Rc;
use tree_sitter::Node;

/// Lowers an expression.
pub(super) fn expr(low: &mut Lowering<'_>, n: Node<'_>) -> Expr {
    low.deeper(n, Expr::new(Kind::Other(Vec::new()), span(n)), |low| Expr::new(kind(low, n), span(n)))
}

fn part(low: &mut Lowering<'_>, n: Node<'_>, name: &str) -> Expr {
    match field(n, name) {
        Some(k) => expr(low, k),
        None => Expr::new(Kind::Null, span(n)),
    }
}

fn name(s: &str) -> Kind {
    Kind::Name(s.to_string())
}

/// The name of a variable with its sign; `Err` is the reference that is followed (`@{$r}`, `$$r`).
fn variable<'n>(low: &Lowering<'_>, n: Node<'n>, sign: char) -> Result<String, Option<Node<'n>>> {
    match kid(n, "varname") {
        Some(v) if kids(v).is_empty() => Ok(format!("{sign}{}", low.text(v))),
        Some(v) => Err(kids(v).first().copied()),
        None => Err(kids(n).first().copied()),
    }
}

/// What a reference is followed to.
fn followed(low: &mut Lowering<'_>, n: Option<Node<'_>>) -> Kind {
    match n {
        Some(b) if b.kind() == "block" => Kind::Do(block(low, b)),
        Some(k) => expr(low, k).kind,
        None => Kind::Other(Vec::new()),
    }
}

fn kind(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    match n.kind() {
        "scalar" => match variable(low, n, '$') {
            Ok(v) => low.name(&v, at).kind,
            Err(inner) => followed(low, inner),
        },
        "array" | "slice_container_variable" => match variable(low, n, '@') {
            Ok(v) => name(&v),
            Err(inner) => followed(low, inner),
        },
        "hash" => match variable(low, n, '%') {
            Ok(v) => name(&v),
            Err(inner) => followed(low, inner),
        },
        "glob" => match variable(low, n, '*') {
            Ok(v) => name(v.trim_start_matches('*')),
            Err(inner) => followed(low, inner),
        },
        "function" => match kid(n, "varname") {
            // `&f` and `\&f`
            Some(v) if kids(v).is_empty() => name(low.text(v)),
            Some(v) => followed(low, kids(v).first().copied()),
            None => call(low, n, low.text(n), &[], at),
        },
        "bareword" | "filehandle" | "package" => match field(n, "varname").or_else(|| kid(n, "varname")) {
            Some(v) => name(&format!("${}", low.text(v))),
            None => low.name(low.text(n), at).kind,
        },
        "arraylen" => Kind::Other(Vec::new()),
        "autoquoted_bareword" => Kind::Text(low.bytes(low.text(n))),
        "number" => number(low.text(n)),
        "version" => version(low.text(n)),
        "string_literal" => Kind::Text(text::plain(low, n)),
        "interpolated_string_literal" => text::string(low, n),
        "command_string" | "command_heredoc_token" => {
            let inner = Expr::new(text::string(low, n), at);
            Kind::Shell(Box::new(inner))
        }
        "heredoc_token" => match low.bodies.pop() {
            Some(e) => e.kind,
            None => Kind::Other(Vec::new()),
        },
        "quoted_word_list" => Kind::List(text::words(low, n)),
        "parenthesized_expression" => match kids(n).as_slice() {
            [] => Kind::List(Vec::new()),
            [one] => expr(low, *one).kind,
            many => Kind::List(many.iter().map(|k| expr(low, *k)).collect()),
        },
        "stub_expression" => Kind::List(Vec::new()),
        "list_expression" => flat(low, &kids(n), at),
        "anonymous_array_expression" => {
            let items = match kids(n).as_slice() {
                [one] if one.kind() == "list_expression" => kids(*one),
                other => other.to_vec(),
            };
            flat(low, &items, at)
        }
        "anonymous_hash_expression" => pairs(low, n),
        "variable_declaration" | "localization_expression" => declared(low, n),
        "assignment_expression" => assignment(low, n),
        "array_element_expression" | "hash_element_expression" => element(low, n),
        "slice_expression" | "keyval_expression" => Kind::Other(kids(n).into_iter().map(|k| expr(low, k)).collect()),
        "anonymous_slice_expression" => {
            let items = kids(n);
            match items.split_first() {
                Some((l, keys)) if keys.len() == 1 => {
                    let l = expr(low, *l);
                    let key = keys.first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at));
                    Kind::Index(Box::new(l), Box::new(key))
                }
                _ => Kind::Other(items.into_iter().map(|k| expr(low, k)).collect()),
            }
        }
        "array_deref_expression" | "scalar_deref_expression" | "hash_deref_expression" | "refgen_expression" => {
            followed(low, kids(n).first().copied())
        }
        "function_call_expression" | "ambiguous_function_call_expression" => function_call(low, n),
        "func1op_call_expression" | "func0op_call_expression" => {
            let function = field(n, "function").map(|f| low.text(f)).unwrap_or_default();
            call(low, n, function, &kids(n), at)
        }
        "coderef_call_expression" => {
            let items = kids(n);
            let callee = items.first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at));
            let args = field(n, "arguments").map(|a| arguments(low, &[a], false)).unwrap_or_default();
            Kind::Call(Box::new(callee), args)
        }
        "method_call_expression" => {
            let object = part(low, n, "invocant");
            let args = field(n, "arguments").map(|a| arguments(low, &[a], true)).unwrap_or_default();
            match field(n, "method") {
                Some(m) if !kids(m).is_empty() => {
                    // `$o->$method(…)`
                    let which = expr(low, kids(m).first().copied().unwrap_or(m));
                    let mut all = vec![object, which];
                    all.extend(args.into_iter().map(|a| a.value));
                    Expr::call("->", all, at).kind
                }
                m => {
                    let which = m.map(|m| low.text(m)).unwrap_or_default();
                    Kind::Call(Box::new(attribute(object, which, at)), args)
                }
            }
        }
        "map_grep_expression" | "sort_expression" => over(low, n),
        "eval_expression" => evaluated(low, n),
        "do_expression" => match kid(n, "block") {
            Some(b) => Kind::Do(block(low, b)),
            None => Kind::Other(kids(n).into_iter().map(|k| expr(low, k)).collect()),
        },
        "require_expression" => match kids(n).first() {
            Some(k) if k.kind() != "bareword" => {
                let e = expr(low, *k);
                Expr::call("require", vec![e], at).kind
            }
            _ => Kind::Null,
        },
        "undef_expression" => Kind::Null,
        "binary_expression" | "equality_expression" | "relational_expression" | "lowprec_logical_expression" => {
            binary(low, n)
        }
        "unary_expression" | "logical_not_expression" => {
            let e = field(n, "operand").or_else(|| kids(n).first().copied()).map(|k| expr(low, k));
            let e = e.unwrap_or(Expr::new(Kind::Null, at));
            match field(n, "operator").map(|o| low.text(o)) {
                Some("!" | "not") => Kind::Operator("not".into(), vec![e]),
                Some("-") => Kind::Operator("-".into(), vec![e]),
                Some("+") => e.kind,
                _ => Kind::Other(vec![e]),
            }
        }
        "preinc_expression" | "postinc_expression" => {
            let op = if has_token(n, "--") { "-" } else { "+" };
            match field(n, "operand").and_then(|o| target(low, o)) {
                Some(t) => {
                    let sum = vec![reading(&t, at), Expr::new(Kind::Number(1), at)];
                    Kind::Assign(Box::new(t), Box::new(Expr::new(Kind::Operator(op.into(), sum), at)))
                }
                None => Kind::Other(Vec::new()),
            }
        }
        "conditional_expression" => Kind::Choice(
            Box::new(part(low, n, "condition")),
            Box::new(part(low, n, "consequent")),
            Box::new(part(low, n, "alternative")),
        ),
        "match_regexp" | "quoted_regexp" => pattern(low, n),
        "substitution_regexp" | "transliteration_expression" => changed(low, n, Target::Name("$_".into())),
        "readline_expression" | "fileglob_expression" => {
            let handle = match kid(n, "filehandle").or_else(|| kids(n).first().copied()) {
                Some(h) => expr(low, h),
                None => Expr::new(name("STDIN"), at),
            };
            Expr::call("readline", vec![handle], at).kind
        }
        "anonymous_subroutine_expression" | "anonymous_method_expression" => {
            let inner = field(n, "body").map(|b| block(low, b)).unwrap_or_default();
            Kind::Lambda(Rc::new(subroutine(String::new(), inner)))
        }
        "block" => Kind::Do(block(low, n)),
        "postfix_conditional_expression"
        | "postfix_loop_expression"
        | "postfix_for_expression"
        | "return_expression"
        | "loopex_expression" => {
            let mut out = Vec::new();
            expression(low, n, &mut out);
            Kind::Do(out)
        }
        _ => Kind::Other(kids(n).into_iter().map(|k| expr(low, k)).collect()),
    }
}

/// A list in which lists are flattened.
fn flat(low: &mut Lowering<'_>, items: &[Node<'_>], at: Span) -> Kind {
    let mut whole: Option<Expr> = None;
    let mut single: Vec<Expr> = Vec::new();
    for k in items {
        let e = expr(low, *k);
        let list = is_list(*k) || matches!(e.kind, Kind::List(_));
        if !list {
            single.push(e);
            continue;
        }
        let mut add = |e: Expr| {
            whole = Some(match whole.take() {
                None => e,
                Some(w) => Expr::new(Kind::Operator("+".into(), vec![w, e]), at),
            });
        };
        if !single.is_empty() {
            add(Expr::new(Kind::List(std::mem::take(&mut single)), at));
        }
        add(e);
    }
    let rest = Expr::new(Kind::List(single), at);
    match whole {
        None => rest.kind,
        Some(w) => match &rest.kind {
            Kind::List(l) if l.is_empty() => w.kind,
            _ => Kind::Operator("+".into(), vec![w, rest]),
        },
    }
}

/// What gives several values in a list.
fn is_list(n: Node<'_>) -> bool {
    matches!(
        n.kind(),
        "array"
            | "array_deref_expression"
            | "quoted_word_list"
            | "map_grep_expression"
            | "sort_expression"
            | "parenthesized_expression"
            | "list_expression"
    )
}

/// `(a => 1, b => 2)` as a map.
fn pairs(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let items = match kids(n).as_slice() {
        [one] if one.kind() == "list_expression" => kids(*one),
        other => other.to_vec(),
    };
    if items.iter().any(|k| is_list(*k)) {
        return Kind::Other(items.into_iter().map(|k| expr(low, k)).collect());
    }
    let all: Vec<Expr> = items.into_iter().map(|k| expr(low, k)).collect();
    let mut out = Vec::new();
    let mut it = all.into_iter();
    while let (Some(k), Some(v)) = (it.next(), it.next()) {
        out.push((k, v));
    }
    Kind::Map(out)
}

/// `my $x`, `local @a`: empty until something is assigned.
fn declared(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    if low.text(n).starts_with("local") || low.text(n).starts_with("our") {
        return kids(n).first().map_or(Kind::Null, |k| expr(low, *k).kind);
    }
    let mut body = Vec::new();
    for k in kids(n) {
        if let Some(t) = target(low, k) {
            let v = match k.kind() {
                "array" => Kind::List(Vec::new()),
                "hash" => Kind::Map(Vec::new()),
                _ => Kind::Null,
            };
            body.push(stmt(StmtKind::Assign(t, Expr::new(v, span(k))), span(k)));
        }
    }
    Kind::Do(body)
}

/// What can be assigned to.
pub(super) fn target(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Target> {
    low.deeper(n, None, |low| match n.kind() {
        "variable_declaration" | "localization_expression" => {
            let all = kids(n);
            match all.as_slice() {
                [one] if !has_token(n, "(") => target(low, *one),
                many => Some(Target::List(
                    many.iter()
                        .map(|k| target(low, *k).unwrap_or_else(|| Target::Name(tree::temporary(span(*k)))))
                        .collect(),
                )),
            }
        }
        "parenthesized_expression" | "list_expression" => {
            let all = match kids(n).as_slice() {
                [one] if one.kind() == "list_expression" => kids(*one),
                other => other.to_vec(),
            };
            Some(Target::List(
                all.into_iter()
                    .map(|k| target(low, k).unwrap_or_else(|| Target::Name(tree::temporary(span(k)))))
                    .collect(),
            ))
        }
        _ => match expr(low, n).kind {
            Kind::Name(v) => Some(Target::Name(v)),
            Kind::Index(o, k) => Some(Target::Index(o, k)),
            Kind::Attribute(o, a) => Some(Target::Attribute(o, a)),
            _ => None,
        },
    })
}

fn assignment(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let Some(left) = field(n, "left") else { return Kind::Other(Vec::new()) };
    let op = field(n, "operator").map(|o| low.text(o)).unwrap_or("=");
    let listed = |k: &str| kids(left).first().is_some_and(|v| v.kind() == k) || left.kind() == k;
    let value = match field(n, "right") {
        Some(r) if listed("hash") && r.kind() == "parenthesized_expression" => Expr::new(pairs(low, r), span(r)),
        Some(r) if listed("array") && !is_list(r) && literal(r) => {
            let e = expr(low, r);
            Expr::new(Kind::List(vec![e]), span(r))
        }
        Some(r) => expr(low, r),
        None => Expr::new(Kind::Null, at),
    };
    match target(low, left) {
        Some(t) if op == "=" => Kind::Assign(Box::new(t), Box::new(value)),
        Some(t) => {
            let whole = tree::combined(op, reading(&t, at), value, at);
            Kind::Assign(Box::new(t), Box::new(whole))
        }
        None => {
            let l = expr(low, left);
            Kind::Other(vec![l, value])
        }
    }
}

fn literal(n: Node<'_>) -> bool {
    matches!(n.kind(), "string_literal" | "interpolated_string_literal" | "number" | "scalar")
}

fn element(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let (container, key) = match n.kind() {
        "array_element_expression" => ("array", field(n, "index")),
        _ => ("hash", field(n, "key")),
    };
    let object = match field(n, container) {
        Some(c) => match variable(low, c, if container == "array" { '@' } else { '%' }) {
            Ok(v) => Expr::new(name(&v), span(c)),
            Err(inner) => Expr::new(followed(low, inner), span(c)),
        },
        None => kids(n).first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at)),
    };
    let key = key.map(|k| expr(low, k)).unwrap_or(Expr::new(Kind::Null, at));
    Kind::Index(Box::new(object), Box::new(key))
}

/// Arguments: `name => value` has a name, lists are flattened.
fn arguments(low: &mut Lowering<'_>, given: &[Node<'_>], barewords: bool) -> Vec<Arg> {
    let items: Vec<Node<'_>> = match given {
        [one] if one.kind() == "list_expression" => kids(*one),
        [one] if one.kind() == "parenthesized_expression" => match kids(*one).as_slice() {
            [l] if l.kind() == "list_expression" => kids(*l),
            other => other.to_vec(),
        },
        other => other.to_vec(),
    };
    let mut out = Vec::new();
    let mut it = items.into_iter().peekable();
    while let Some(k) = it.next() {
        let named = k.kind() == "autoquoted_bareword" || (barewords && k.kind() == "bareword");
        if named && let Some(v) = it.peek().copied() {
            it.next();
            let value = expr(low, v);
            out.push(Arg { name: Some(low.text(k).to_string()), spread: false, value });
            continue;
        }
        let spread = is_list(k) || matches!(k.kind(), "hash" | "hash_deref_expression");
        out.push(Arg { name: None, spread, value: expr(low, k) });
    }
    out
}

fn function_call(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let Some(f) = field(n, "function") else { return Kind::Other(Vec::new()) };
    let args: Vec<Node<'_>> = field(n, "arguments").into_iter().collect();
    // `&$f(…)`, `&{…}(…)`
    if let Some(v) = kid(f, "varname") {
        let callee = match kids(v).first() {
            Some(inner) => Expr::new(followed(low, Some(*inner)), span(f)),
            None => Expr::new(name(low.text(v)), span(f)),
        };
        let args = arguments(low, &args, false);
        return Kind::Call(Box::new(callee), args);
    }
    let function = low.text(f);
    let object = kid(n, "indirect_object");
    match (function, args.as_slice(), object) {
        // `new Class(…)`
        ("new", [inner], None) if field(*inner, "function").is_some() => {
            let class = field(*inner, "function").map(|c| low.text(c)).unwrap_or_default();
            let given: Vec<Node<'_>> = field(*inner, "arguments").into_iter().collect();
            let args = arguments(low, &given, true);
            let class = Expr::new(name(class), span(*inner));
            return Kind::Call(Box::new(attribute(class, "new", at)), args);
        }
        // `print F "x"` with a handle that the grammar takes for a function
        ("print" | "printf" | "say", [inner], None) if inner.kind() == "ambiguous_function_call_expression" => {
            let handle = field(*inner, "function").map(|c| low.text(c)).unwrap_or_default();
            if handle.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
                let given: Vec<Node<'_>> = field(*inner, "arguments").into_iter().collect();
                let args = arguments(low, &given, false);
                let handle = Expr::new(name(handle), span(*inner));
                return Kind::Call(Box::new(attribute(handle, function, at)), args);
            }
        }
        // `exec {'/bin/sh'} '-sh'`: the program, then its words, the first of which is only its name
        ("exec" | "system", _, Some(o)) => {
            let program = kids(o).first().map(|k| expr(low, *k)).unwrap_or(Expr::new(Kind::Null, at));
            let mut args = arguments(low, &args, false);
            if !args.is_empty() {
                args.remove(0);
            }
            args.insert(0, Arg { name: None, spread: false, value: program });
            return Kind::Call(Box::new(Expr::new(name(function), span(f))), args);
        }
        // `print {$fh} "x"`, `print STDERR "x"`
        (_, _, Some(o)) => {
            let handle = match kids(o).first() {
                Some(k) if k.kind() == "block" => Expr::new(followed(low, Some(*k)), span(o)),
                Some(k) => expr(low, *k),
                None => low.name(low.text(o), span(o)),
            };
            let args = arguments(low, &args, false);
            return Kind::Call(Box::new(attribute(handle, function, at)), args);
        }
        _ => {}
    }
    call(low, n, function, &args, at)
}

/// A call of a named function; those that take `$_` or `@_` by default get it.
fn call(low: &mut Lowering<'_>, _: Node<'_>, function: &str, args: &[Node<'_>], at: Span) -> Kind {
    if function == "shift" || function == "pop" {
        let list = match args.first() {
            Some(k) => expr(low, *k),
            None => Expr::new(name("@_"), at),
        };
        return taken(list, function == "shift", at);
    }
    let mut args = arguments(low, args, false);
    let defaults = matches!(
        function,
        "print"
            | "say"
            | "eval"
            | "unlink"
            | "rmdir"
            | "mkdir"
            | "chr"
            | "ord"
            | "lc"
            | "uc"
            | "lcfirst"
            | "ucfirst"
            | "hex"
            | "oct"
            | "length"
            | "reverse"
            | "chomp"
            | "chop"
            | "readlink"
            | "stat"
            | "lstat"
            | "chroot"
            | "require"
            | "quotemeta"
            | "int"
            | "abs"
            | "defined"
            | "ref"
            | "pos"
            | "split"
            | "unpack"
    );
    if args.is_empty() && defaults {
        args.push(Arg { name: None, spread: false, value: Expr::new(name("$_"), at) });
    }
    let mut callee = Expr::new(name(function), at);
    if function.contains('\'') {
        callee = Expr::new(name(&function.replace('\'', "::")), at);
    }
    Kind::Call(Box::new(callee), args)
}

/// `shift @list`, `pop @list`: the element, and the list without it.
fn taken(list: Expr, first: bool, at: Span) -> Kind {
    let index = |n: i64| Box::new(Expr::new(Kind::Number(n), at));
    let one = Expr::new(Kind::Index(Box::new(list.clone()), index(if first { 0 } else { -1 })), at);
    let Kind::Name(n) = &list.kind else { return one.kind };
    let (t, n) = (Target::Name(tree::temporary(at)), n.clone());
    let rest = match first {
        true => Kind::Slice(Box::new(list.clone()), Some(index(1)), None, None),
        false => Kind::Slice(Box::new(list.clone()), None, Some(index(-1)), None),
    };
    let value = tree::run(reading(&t, at));
    Kind::Do(vec![
        stmt(StmtKind::Assign(t, one), at),
        stmt(StmtKind::Assign(Target::Name(n), Expr::new(rest, at)), at),
        value,
    ])
}

/// `map { … } @list`, `grep`, `sort`: the block with `$_` for each element.
fn over(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let element = match field(n, "callback") {
        Some(b) if b.kind() == "block" => Expr::new(Kind::Do(block(low, b)), span(b)),
        Some(e) => expr(low, e),
        None => Expr::new(name("$_"), at),
    };
    let items = field(n, "list").map(|l| super::list(low, l)).unwrap_or(Expr::new(Kind::List(Vec::new()), at));
    if low.text(n).starts_with("map") {
        let target = Box::new(Target::Name("$_".into()));
        return Kind::Comprehension { element: Box::new(element), target, over: Box::new(items), condition: None };
    }
    if low.text(n).starts_with("grep") {
        let target = Box::new(Target::Name("$_".into()));
        let each = Box::new(Expr::new(name("$_"), at));
        return Kind::Comprehension {
            element: each,
            target,
            over: Box::new(items),
            condition: Some(Box::new(element)),
        };
    }
    // The order is not computed.
    Kind::Other(vec![element, items])
}

/// `eval { … }`, `eval TEXT`, `do FILE`
fn evaluated(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    if let Some(b) = kid(n, "block") {
        return Kind::Do(block(low, b));
    }
    let file = kid(n, "filename").and_then(|f| kids(f).first().copied());
    if let Some(f) = file {
        let f = expr(low, f);
        return Expr::call("do", vec![f], at).kind;
    }
    let e = kids(n).first().map(|k| expr(low, *k)).unwrap_or(Expr::new(name("$_"), at));
    let function = if low.text(n).starts_with("do") { "do" } else { "eval" };
    Expr::call(function, vec![e], at).kind
}

/// What stands in brackets.
fn inner(n: Node<'_>) -> Node<'_> {
    match (n.kind(), kids(n).as_slice()) {
        ("parenthesized_expression", [one]) => *one,
        _ => n,
    }
}

/// What an assignment assigns to, or the thing itself.
fn assigned(low: &mut Lowering<'_>, n: Node<'_>) -> Option<Target> {
    match (n.kind(), field(n, "left")) {
        ("assignment_expression", Some(left)) => target(low, left),
        _ => target(low, n),
    }
}

fn binary(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let op = field(n, "operator").map(|o| low.text(o)).unwrap_or_default();
    let (Some(l), Some(r)) = (field(n, "left"), field(n, "right")) else { return Kind::Other(Vec::new()) };
    if matches!(op, "=~" | "!~") {
        return match r.kind() {
            "substitution_regexp" | "transliteration_expression" => match assigned(low, inner(l)) {
                Some(t) => {
                    // `($c = "abc") =~ s/a/b/`
                    let before = matches!(inner(l).kind(), "assignment_expression").then(|| expr(low, inner(l)));
                    let after = changed(low, r, t);
                    match before {
                        Some(e) => Kind::Do(vec![tree::run(e), tree::run(Expr::new(after, at))]),
                        None => after,
                    }
                }
                None => Kind::Other(vec![expr(low, l), expr(low, r)]),
            },
            "match_regexp" => {
                let subject = expr(low, l);
                let code = Expr::new(pattern(low, r), span(r));
                let fixed = field(r, "content").filter(|c| kids(*c).iter().all(|k| k.kind() == "escape_sequence"));
                match fixed {
                    Some(c) => {
                        let source = low.literal(low.text(c), span(c));
                        let found = Expr::call("=~", vec![subject, source], at);
                        Kind::Operator("and".into(), vec![Expr::new(Kind::List(vec![code]), at), found])
                    }
                    None => Kind::Other(vec![subject, code]),
                }
            }
            _ => Kind::Other(vec![expr(low, l), expr(low, r)]),
        };
    }
    // `1..3` is read as `1.` `.` `3`.
    let range = op == ".." || (op == "." && l.kind() == "number" && low.text(l).ends_with('.'));
    if range {
        let (a, b) = (expr(low, l), expr(low, r));
        let a = match low.text(l).strip_suffix('.') {
            Some(digits) if l.kind() == "number" => Expr::new(number(digits), span(l)),
            _ => a,
        };
        return Expr::call("..", vec![a, b], at).kind;
    }
    Kind::Operator(op.to_string(), vec![expr(low, l), expr(low, r)])
}

/// A pattern: code in it is run.
fn pattern(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
    let at = span(n);
    let mut parts = Vec::new();
    if let Some(c) = field(n, "content") {
        let s = low.text(c);
        for lead in ["(?{", "(??{"] {
            for (i, _) in s.match_indices(lead) {
                let code = s.get(i.saturating_add(lead.len())..).unwrap_or_default();
                let code = code.split("})").next().unwrap_or_default();
                let code = low.literal(code, span(c));
                parts.push(Expr::call("eval", vec![code], at));
            }
        }
        parts.extend(kids(c).into_iter().filter(|k| k.kind() != "escape_sequence").map(|k| expr(low, k)));
    }
    Kind::Other(parts)
}

/// Whether a text has no expression in it but its own groups.
fn plain(n: Option<Node<'_>>) -> bool {
    n.is_none_or(|n| kids(n).iter().all(|k| matches!(k.kind(), "escape_sequence" | "scalar")))
}

/// `s/a/b/`, `tr/a/b/`: the variable holds the result.
fn changed(low: &mut Lowering<'_>, n: Node<'_>, t: Target) -> Kind {
    let at = span(n);
    let before = reading(&t, at);
    let from = field(n, "content").map(|c| low.text(c)).unwrap_or_default();
    let into = kid(n, "replacement");
    let to = into.map(|r| low.text(r)).unwrap_or_default();
    let method = |name: &str, a: &str, b: &str| {
        let args = [low.literal(a, at), low.literal(b, at)];
        let args = args.into_iter().map(|value| Arg { name: None, spread: false, value }).collect();
        Kind::Call(Box::new(attribute(before.clone(), name, at)), args)
    };
    let result = if n.kind() == "transliteration_expression" {
        method("tr", &text::ranges(from), &text::ranges(to))
    } else {
        let flags = field(n, "modifiers").map(|m| low.text(m)).unwrap_or_default();
        if flags.contains('e') {
            let code = low.literal(to, at);
            let run = Expr::call("eval", vec![code], at);
            // The groups are what the pattern found before the code runs.
            let found = Expr::call("=~", vec![before.clone(), low.literal(from, at)], at);
            Kind::Other(vec![found, run, Expr::new(pattern(low, n), at)])
        } else if from
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | ':' | ',' | '%' | '#' | '@'))
            && !to.contains(['$', '\\', '@'])
        {
            method("replace", from, to)
        } else if plain(field(n, "content")) && into.is_none_or(|r| plain(Some(r))) {
            let code = Expr::new(pattern(low, n), at);
            let args = [low.literal(from, at), low.literal(&to.replace("\\/", "/"), at), low.literal(flags, at)];
            let args = args.into_iter().map(|value| Arg { name: None, spread: false, value }).collect();
            let replaced = Kind::Call(Box::new(attribute(before.clone(), "s///", at)), args);
            Kind::Do(vec![tree::run(code), tree::run(Expr::new(replaced, at))])
        } else {
            let mut parts = vec![before.clone(), Expr::new(pattern(low, n), at)];
            if let Some(r) = into {
                parts.extend(kids(r).into_iter().filter(|k| k.kind() != "escape_sequence").map(|k| expr(low, k)));
            }
            Kind::Other(parts)
        }
    };
    Kind::Assign(Box::new(t), Box::new(Expr::new(result, at)))
}

fn number(s: &str) -> Kind {
    let clean: String = s.chars().filter(|c| *c != '_').collect();
    let lower = clean.to_ascii_lowercase();
    let v = if let Some(h) = lower.strip_prefix("0x") {
        i64::from_str_radix(h, 16).ok()
    } else if let Some(b) = lower.strip_prefix("0b") {
        i64::from_str_radix(b, 2).ok()
    } else if lower.len() > 1 && lower.starts_with('0') && lower.bytes().all(|b| b.is_ascii_digit()) {
        i64::from_str_radix(&lower, 8).ok()
    } else {
        clean.parse().ok()
    };
    v.map_or_else(|| Kind::Text(Bytes::from_slice(clean.as_bytes())), Kind::Number)
}

/// `v65.66` is text of those characters.
fn version(s: &str) -> Kind {
    let mut out = Bytes::new();
    for part in s.trim_start_matches('v').split('.') {
        match part.parse::<u32>().ok().and_then(char::from_u32) {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => return Kind::Text(Bytes::from_slice(s.as_bytes())),
        }
    }
    Kind::Text(out)
}
