//! Perl's operators and patterns: matches, substitutions, transliterations.
//!
//! In: a node. Out: an expression of the common language; code in a pattern, and a substitution with `/e`, is evaluated.

use super::super::lowering;
use super::super::script::{Expr, Kind, Target};
use super::super::tree::{self, Lowering, attribute, field, kid, kids, reading, span};
use super::expr::{expr, number, target};
use super::text;
use tree_sitter::Node;

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

pub(super) fn binary(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
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
pub(super) fn pattern(low: &mut Lowering<'_>, n: Node<'_>) -> Kind {
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
pub(super) fn changed(low: &mut Lowering<'_>, n: Node<'_>, t: Target) -> Kind {
    let at = span(n);
    let before = reading(&t, at);
    let from = field(n, "content").map(|c| low.text(c)).unwrap_or_default();
    let into = kid(n, "replacement");
    let to = into.map(|r| low.text(r)).unwrap_or_default();
    let method = |name: &str, a: &str, b: &str| {
        let args = [low.literal(a, at), low.literal(b, at)];
        let args = args.into_iter().map(lowering::plain).collect();
        Kind::Call(Box::new(attribute(before.clone(), name, at)), args)
    };
    let result = if n.kind() == "transliteration_expression" {
        method("tr", &text::ranges(from), &text::ranges(to))
    } else {
        let flags = field(n, "modifiers").map(|m| low.text(m)).unwrap_or_default();
        if flags.contains('e') {
            let code = low.literal(to, at);
            // Each further `e` evaluates what came out.
            let again = flags.matches('e').count().min(4);
            let run = (0..again).fold(code, |code, _| Expr::call("eval", vec![code], at));
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
            let args = args.into_iter().map(lowering::plain).collect();
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
