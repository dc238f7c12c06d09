//! PowerShell's commands.
//!
//! In: a command's node. Out: its words, its input and its redirections; what makes an object or runs a block is a call.

use super::super::lowering;
use super::super::script::{Expr, Kind};
use super::super::tree::{Lowering, field, kid, kids, span};
use super::core;
use super::expr::{arguments, expr, type_name};
use tree_sitter::Node;

/// A command with its words; `New-Object Type args` is a call of the type.
pub(super) fn command(low: &mut Lowering<'_>, n: Node<'_>, input: Option<Expr>) -> Kind {
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
                    Kind::List(l) => args.extend(l.into_iter().map(|value| lowering::plain(value))),
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
