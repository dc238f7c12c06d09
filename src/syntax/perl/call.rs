//! Perl's calls: of functions, with lists of arguments; `map`, `grep`, `sort` and `eval` with their blocks.
//!
//! In: a node. Out: an expression of the common language. Functions that take `$_` or `@_` by default get it.

use super::super::lowering;
use super::super::script::{Arg, Expr, Kind, StmtKind, Target};
use super::super::tree::{self, Lowering, attribute, field, kid, kids, reading, span, stmt};
use super::block;
use super::expr::{expr, followed, is_list, name};
use crate::source::Span;
use tree_sitter::Node;

/// Arguments: `name => value` has a name, lists are flattened.
pub(super) fn arguments(low: &mut Lowering<'_>, given: &[Node<'_>], barewords: bool) -> Vec<Arg> {
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

pub(super) fn function_call(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
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
            args.insert(0, lowering::plain(program));
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
pub(super) fn call(low: &mut Lowering<'_>, _: Node<'_>, function: &str, args: &[Node<'_>], at: Span) -> Kind {
    if function == "shift" || function == "pop" {
        let list = match args.first() {
            Some(k) => expr(low, *k),
            None => Expr::new(name("@_"), at),
        };
        return taken(list, function == "shift", at);
    }
    let mut args = arguments(low, args, false);
    // `push @list, …` changes the list that the name holds.
    if matches!(function, "push" | "unshift" | "splice")
        && args.first().is_some_and(|a| matches!(&a.value.kind, Kind::Name(n) if n.starts_with('@')))
    {
        let list = args.remove(0).value;
        return Kind::Call(Box::new(attribute(list, function, at)), args);
    }
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
pub(super) fn over(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
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
pub(super) fn evaluated(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
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
