//! Emacs Lisp (its reference manual): lists whose first element names a function.
//!
//! `(f a (g b))` is the call `f(a, g(b))`; quoted lists are data.

use crate::escape::{Dialect, push_escape};
use crate::source::Span;
use crate::syntax::script::{Expr, Kind, Stmt, StmtKind, Target};

/// Deepest nesting of lists that is read.
const DEPTH: u32 = 60;

/// Reads a text of forms.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut at = 0usize;
    let mut out = Vec::new();
    while at < whole.len() {
        let before = at;
        if let Some(e) = form(whole, &mut at, 0, false) {
            out.push(Stmt { span: e.span, kind: StmtKind::Expr(e) });
        }
        at = at.max(before.saturating_add(1));
    }
    out
}

fn form(whole: &[u8], at: &mut usize, depth: u32, quoted: bool) -> Option<Expr> {
    loop {
        match whole.get(*at)? {
            b' ' | b'\t' | b'\n' | b'\r' => *at = at.saturating_add(1),
            b';' => *at = at.saturating_add(super::run(whole.get(*at..)?, |b| b != b'\n')),
            _ => break,
        }
    }
    let start = *at;
    let rest = whole.get(start..)?;
    if depth > DEPTH {
        return None;
    }
    match rest.first()? {
        b'"' => {
            let mut text = Vec::new();
            let mut i = 1usize;
            while let Some(c) = rest.get(i) {
                i = i.saturating_add(1);
                match c {
                    b'"' => break,
                    b'\\' => {
                        // An escaped blank or end of line stands for nothing.
                        i = i.saturating_add(match rest.get(i) {
                            Some(b' ' | b'\n') => 1,
                            _ => push_escape(&mut text, rest.get(i..).unwrap_or_default(), Dialect::Elisp),
                        });
                    }
                    c => text.push(*c),
                }
            }
            *at = start.saturating_add(i);
            Some(Expr::text(&text, Span::new(start, *at)))
        }
        b'\'' | b'`' => {
            *at = start.saturating_add(1);
            form(whole, at, depth.saturating_add(1), true)
        }
        // `#'f` is the function `f`.
        b'#' | b',' => {
            *at = start.saturating_add(1);
            if rest.get(1) == Some(&b'\'') {
                *at = start.saturating_add(2);
            }
            form(whole, at, depth.saturating_add(1), false)
        }
        b')' => None,
        b'(' | b'[' => {
            *at = start.saturating_add(1);
            let mut items = Vec::new();
            loop {
                let before = *at;
                // What lies too deep is passed over bracket by bracket: it is not understood.
                let inner = if depth < DEPTH { form(whole, at, depth.saturating_add(1), quoted) } else { None };
                match inner {
                    Some(e) => items.push(e),
                    None => {
                        let closed = matches!(whole.get(*at), Some(b')' | b']'));
                        if closed || whole.get(*at).is_none() {
                            *at = at.saturating_add(usize::from(closed));
                            break;
                        }
                        items.push(Expr::call("(nested too deep)", Vec::new(), Span::new(*at, *at)));
                    }
                }
                *at = (*at).max(before.saturating_add(1));
            }
            let span = Span::new(start, *at);
            Some(if quoted { Expr::new(Kind::List(items), span) } else { list(items, span) })
        }
        _ => {
            let n = super::run(rest, |b| {
                !b.is_ascii_whitespace() && !matches!(b, b'(' | b')' | b'"' | b'\'' | b';' | b'[' | b']')
            })
            .max(1);
            *at = start.saturating_add(n);
            let span = Span::new(start, *at);
            let word = String::from_utf8_lossy(rest.get(..n)?).into_owned();
            Some(match word.as_str() {
                "nil" => Expr::new(Kind::Null, span),
                "t" => Expr::new(Kind::Bool(true), span),
                w => match w.parse() {
                    Ok(n) => Expr::new(Kind::Number(n), span),
                    Err(_) if quoted || w.starts_with(':') => Expr::text(w.as_bytes(), span),
                    Err(_) => Expr::new(Kind::Name(word), span),
                },
            })
        }
    }
}

/// A list that is evaluated.
fn list(items: Vec<Expr>, span: Span) -> Expr {
    let mut it = items.into_iter();
    let Some(first) = it.next() else { return Expr::new(Kind::Null, span) };
    let name = match first.kind {
        Kind::Name(n) => n,
        kind => {
            let mut all = vec![Expr::new(kind, first.span)];
            all.extend(it);
            return Expr::new(Kind::Other(all), span);
        }
    };
    let mut args: Vec<Expr> = it.collect();
    match name.as_str() {
        "setq" | "setq-default" if args.len() == 2 => {
            let value = args.pop().map(Box::new);
            match (args.pop().map(|e| e.kind), value) {
                (Some(Kind::Name(n)), Some(v)) => Expr::new(Kind::Assign(Box::new(Target::Name(n)), v), span),
                (_, Some(v)) => *v,
                _ => Expr::new(Kind::Null, span),
            }
        }
        "progn"
        | "when"
        | "unless"
        | "if"
        | "let"
        | "let*"
        | "lambda"
        | "defun"
        | "save-excursion"
        | "condition-case"
        | "with-temp-buffer"
        | "dolist"
        | "while"
        | "cond"
        | "and"
        | "or"
        | "ignore-errors"
        | "with-current-buffer"
        | "prog1" => Expr::new(Kind::Other(args), span),
        _ => Expr::call(&name, args, span),
    }
}
