//! PowerShell's commands.
//!
//! In: a command's node. Out: its words, its input and its redirections; what makes an object or runs a block is a call.

use super::super::lowering;
use super::super::script::{Expr, Kind};
use super::super::tree::{Lowering, field, kid, kids, span};
use super::core;
use super::expr::{arguments, expr, type_name};
use tree_sitter::Node;

/// Where a redirection goes, and whether it appends.
fn redirected(low: &mut Lowering<'_>, n: Node<'_>) -> Option<(Expr, bool)> {
    let append = low.text(n).contains(">>");
    let to = kid(n, "redirected_file_name")?;
    let to = kids(to).into_iter().find(|x| x.kind() != "command_argument_sep")?;
    Some((expr(low, to), append))
}

/// `"text" > file`: what an expression gives goes into files.
pub(super) fn written(low: &mut Lowering<'_>, n: Node<'_>, input: Option<Expr>) -> Kind {
    let all = if n.kind() == "redirection" { vec![n] } else { kids(n) };
    let writes = all.into_iter().filter_map(|r| redirected(low, r)).collect();
    let words = vec![Expr::text(b"Write-Output", span(n))];
    Kind::Command { words, input: input.map(Box::new), writes, printed: false }
}

/// A command with its words; `New-Object Type args` is a call of the type.
pub(super) fn command(low: &mut Lowering<'_>, n: Node<'_>, input: Option<Expr>) -> Kind {
    let at = span(n);
    let Some(name) = field(n, "command_name") else { return Kind::Other(Vec::new()) };
    // `1..5` alone is read as the name of a command.
    let range =
        low.text(name).split_once("..").and_then(|(a, b)| Some((a.parse::<i64>().ok()?, b.parse::<i64>().ok()?)));
    if let Some((a, b)) = range {
        let bound = |n: i64| Expr::new(Kind::Number(n), at);
        return Expr::call("..", vec![bound(a), bound(b)], at).kind;
    }
    let mut words = vec![expr(low, name)];
    let mut writes = Vec::new();
    for k in field(n, "command_elements")
        .map(|e| if e.kind() == "command_elements" { kids(e) } else { vec![e] })
        .unwrap_or_default()
    {
        match k.kind() {
            "command_argument_sep" => {}
            "redirection" => writes.extend(redirected(low, k)),
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
                    // `@options`: the entries of a map are parameters.
                    _ if low
                        .text(word)
                        .strip_prefix('@')
                        .is_some_and(|n| n.starts_with(|c: char| c.is_alphabetic())) =>
                    {
                        let options = expr(low, word);
                        words.push(Expr::call("splat", vec![options], span(word)));
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
                    Kind::List(l) => args.extend(l.into_iter().map(lowering::plain)),
                    _ => args.push(lowering::plain(w)),
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
