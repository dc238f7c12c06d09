//! Expressions of languages with the usual calls: R, Julia, and those in Vim script and gdb.
//!
//! Read tolerantly: operands with operators between them, calls with their arguments, texts, assignments. Words that only
//! steer (`if`, `end`, `function`) are passed over, so that every call is seen, in order, as if it ran.

use crate::escape::{Dialect, push_escape};
use crate::limits;
use crate::source::Span;
use crate::syntax::script::{Arg, Expr, Function, Kind, Receiver, Stmt, StmtKind, Target};
use std::rc::Rc;

/// How a language writes things.
#[derive(Debug)]
pub(super) struct Style {
    /// Begins a comment to the end of the line.
    comment: &'static [u8],
    /// Quotes of texts in which a backslash escapes.
    quotes: &'static [u8],
    /// Quotes of texts in which nothing does.
    raw: &'static [u8],
    /// Backquotes hold a command (Julia).
    command: bool,
    /// `$name` and `$(…)` in texts stand for values.
    dollar: bool,
    /// Signs that assign.
    assign: &'static [&'static str],
    /// Signs that join texts.
    join: &'static [&'static str],
    /// Words that are no operands.
    words: &'static [&'static str],
}

pub(super) const R: Style = Style {
    comment: b"#",
    quotes: b"\"'",
    raw: b"",
    command: false,
    dollar: false,
    assign: &["<<-", "<-", "=", ":="],
    join: &[],
    words: &["if", "else", "for", "while", "repeat", "function", "in", "next", "break", "return"],
};
pub(super) const JULIA: Style = Style {
    comment: b"#",
    quotes: b"\"",
    raw: b"",
    command: true,
    dollar: true,
    assign: &["="],
    join: &["*"],
    words: &[
        "if", "elseif", "else", "end", "for", "while", "function", "begin", "let", "do", "in", "return", "break",
        "continue", "try", "catch", "finally", "global", "local", "const", "quote", "macro", "using", "import",
        "module", "struct",
    ],
};
pub(super) const VIM: Style = Style {
    comment: b"",
    quotes: b"\"",
    raw: b"'",
    command: false,
    dollar: false,
    assign: &["=", ".="],
    join: &[".", ".."],
    words: &[],
};
pub(super) const C: Style = Style {
    comment: b"",
    quotes: b"\"",
    raw: b"",
    command: false,
    dollar: false,
    assign: &["="],
    join: &[],
    words: &["int", "void", "char", "long", "unsigned"],
};

/// Reads a program.
pub(super) fn read(whole: &[u8], style: &'static Style) -> Vec<Stmt> {
    values(whole, 0, style)
        .into_iter()
        .map(|e| {
            let span = e.span;
            match e.kind {
                Kind::Assign(t, v) => Stmt { kind: StmtKind::Assign(*t, *v), span },
                _ => Stmt { span, kind: StmtKind::Expr(e) },
            }
        })
        .collect()
}

/// The expressions of a text that begins at an offset of another.
pub(super) fn values(text: &[u8], offset: usize, style: &'static Style) -> Vec<Expr> {
    let mut p = Parser { text, at: 0, offset, style, depth: 0 };
    let mut out = Vec::new();
    while p.at < text.len() {
        let before = p.at;
        p.skip(true);
        if let Some(e) = p.expr() {
            out.push(e);
        }
        if p.at == before {
            p.at = p.at.saturating_add(1);
        }
    }
    out
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    offset: usize,
    style: &'static Style,
    depth: u32,
}

impl Parser<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }
    fn span(&self, from: usize) -> Span {
        Span::new(self.offset.saturating_add(from), self.offset.saturating_add(self.at))
    }
    /// White space and comments; newlines and separators only where `all` says so.
    fn skip(&mut self, all: bool) {
        loop {
            match self.rest().first() {
                Some(b' ' | b'\t' | b'\r') => self.at = self.at.saturating_add(1),
                Some(b'\n' | b';' | b'{' | b'}' | b',') if all => self.at = self.at.saturating_add(1),
                Some(c) if self.style.comment.contains(c) => {
                    self.at = self.at.saturating_add(super::run(self.rest(), |b| b != b'\n'));
                }
                _ => return,
            }
        }
    }

    fn expr(&mut self) -> Option<Expr> {
        if self.depth >= limits::MAX_SCRIPT_NESTING {
            self.at = self.text.len();
            return Some(Expr::call("(nested too deep)", Vec::new(), self.span(self.at)));
        }
        self.depth = self.depth.saturating_add(1);
        let e = stacker::maybe_grow(64 << 10, 1 << 20, || self.expr_inner());
        self.depth = self.depth.saturating_sub(1);
        e
    }

    fn expr_inner(&mut self) -> Option<Expr> {
        let from = self.at;
        let mut parts = vec![self.operand()?];
        let mut joined = true;
        loop {
            self.skip(false);
            let rest = self.rest();
            let n = super::run(rest, |b| {
                matches!(
                    b,
                    b'+' | b'-'
                        | b'*'
                        | b'/'
                        | b'<'
                        | b'>'
                        | b'='
                        | b'!'
                        | b'&'
                        | b'|'
                        | b'%'
                        | b'^'
                        | b'~'
                        | b'.'
                        | b':'
                        | b'?'
                )
            });
            if n == 0 {
                break;
            }
            let sign = std::str::from_utf8(rest.get(..n).unwrap_or_default()).unwrap_or_default().to_string();
            self.at = self.at.saturating_add(n);
            self.skip(false);
            if self.style.assign.contains(&sign.as_str()) && parts.len() == 1 {
                let value = self.expr()?;
                let span = self.span(from);
                let target = match parts.pop().map(|e| e.kind) {
                    Some(Kind::Name(n)) => Target::Name(n),
                    _ => Target::List(Vec::new()),
                };
                return Some(Expr::new(Kind::Assign(Box::new(target), Box::new(value)), span));
            }
            // `x |> f(y)` is `f(x, y)`.
            if sign == "|>" {
                let into = self.operand();
                let (Some(value), Some(into)) = (parts.pop(), into) else { break };
                let span = into.span;
                let (callee, mut args) = match into.kind {
                    Kind::Call(callee, args) => (callee, args),
                    kind => (Box::new(Expr::new(kind, span)), Vec::new()),
                };
                args.insert(0, Arg { name: None, spread: false, value });
                parts.push(Expr::new(Kind::Call(callee, args), span));
                continue;
            }
            joined &= self.style.join.contains(&sign.as_str());
            match self.operand() {
                Some(e) => parts.push(e),
                None => break,
            }
            if parts.len() > 4_096 {
                break;
            }
        }
        let span = self.span(from);
        Some(match <[Expr; 1]>::try_from(parts) {
            Ok([one]) => one,
            Err(parts) if joined => Expr::new(Kind::Concat(parts), span),
            Err(parts) => Expr::new(Kind::Other(parts), span),
        })
    }

    fn operand(&mut self) -> Option<Expr> {
        self.skip(false);
        let from = self.at;
        let c = *self.rest().first()?;
        let mut e = match c {
            b'(' => {
                self.at = self.at.saturating_add(1);
                let mut all = self.list(b')');
                match all.len() {
                    1 => all.pop().map(|a| a.value)?,
                    _ => Expr::new(Kind::List(all.into_iter().map(|a| a.value).collect()), self.span(from)),
                }
            }
            b'[' => {
                self.at = self.at.saturating_add(1);
                let all = self.list(b']');
                Expr::new(Kind::List(all.into_iter().map(|a| a.value).collect()), self.span(from))
            }
            b'`' if self.style.command => self.string(b'`', true),
            c if self.style.quotes.contains(&c) => self.string(c, true),
            c if self.style.raw.contains(&c) => self.string(c, false),
            b'0'..=b'9' => {
                let n = super::run(self.rest(), |b| b.is_ascii_alphanumeric() || b == b'.');
                let digits = String::from_utf8_lossy(self.rest().get(..n).unwrap_or_default()).into_owned();
                self.at = self.at.saturating_add(n);
                let kind = digits.trim_end_matches('L').parse().map_or(Kind::Other(Vec::new()), Kind::Number);
                Expr::new(kind, self.span(from))
            }
            crate::syntax::marker::OPEN => {
                let n = super::run(self.rest(), |b| b != crate::syntax::marker::CLOSE).saturating_add(1);
                self.at = self.at.saturating_add(n).min(self.text.len());
                Expr::text(self.text.get(from..self.at).unwrap_or_default(), self.span(from))
            }
            b'!' | b'-' | b'+' | b'~' | b'@' | b'&' | b'*' | b'$' | b'\\' => {
                self.at = self.at.saturating_add(1);
                self.expr()?
            }
            c if name_byte(c) => {
                let n = super::run(self.rest(), |b| name_byte(b) || matches!(b, b'.' | b':' | b'$' | b'@'));
                let n = n.saturating_sub(usize::from(self.rest().get(n.wrapping_sub(1)) == Some(&b':')));
                let name = String::from_utf8_lossy(self.rest().get(..n).unwrap_or_default()).into_owned();
                self.at = self.at.saturating_add(n.max(1));
                // `function(x, y = 1) …`: what parameters are by default is an operand like others.
                if name == "function" && self.rest().starts_with(b"(") && self.style.assign.contains(&"<-") {
                    self.at = self.at.saturating_add(1);
                    let params = self.list(b')').into_iter().map(|a| match (a.name, a.value) {
                        (Some(name), default) => (name, Some(default)),
                        (None, Expr { kind: Kind::Name(name), .. }) => (name, None),
                        (None, default) => (String::new(), Some(default)),
                    });
                    let params = params.collect();
                    self.skip(false);
                    while self.rest().first() == Some(&b'{') {
                        self.at = self.at.saturating_add(1);
                        self.skip(true);
                    }
                    let value = self.expr();
                    let span = self.span(from);
                    let body = vec![Stmt { kind: StmtKind::Return(value), span }];
                    let f = Function { name: String::new(), params, body, receiver: Receiver::Nothing };
                    return Some(Expr::new(Kind::Lambda(Rc::new(f)), span));
                }
                if self.style.words.contains(&name.as_str()) {
                    // `for (x in l)`, `return x`: what follows is an operand of its own.
                    self.skip(false);
                    return match self.rest().first() {
                        Some(b'\n' | b';' | b'{' | b'}' | b')' | b',') | None => {
                            Some(Expr::new(Kind::Null, self.span(from)))
                        }
                        _ => self.expr(),
                    };
                }
                Expr::new(Kind::Name(name.replace(":::", ".").replace("::", ".")), self.span(from))
            }
            _ => return None,
        };
        // Calls and elements of it.
        let mut turns = 0u32;
        while turns < 32 {
            turns = turns.saturating_add(1);
            match self.rest().first() {
                Some(b'(') => {
                    self.at = self.at.saturating_add(1);
                    let args = self.list(b')');
                    let span = self.span(from);
                    e = Expr::new(Kind::Call(Box::new(e), args), span);
                }
                Some(b'[') => {
                    self.at = self.at.saturating_add(1);
                    let mut parts = vec![e];
                    parts.extend(self.list(b']').into_iter().map(|a| a.value));
                    e = Expr::new(Kind::Other(parts), self.span(from));
                }
                _ => break,
            }
        }
        Some(e)
    }

    /// Arguments up to a bracket, `name = value` among them.
    fn list(&mut self, close: u8) -> Vec<Arg> {
        let mut out = Vec::new();
        loop {
            self.skip(true);
            match self.rest().first() {
                None => return out,
                Some(c) if *c == close => {
                    self.at = self.at.saturating_add(1);
                    return out;
                }
                Some(_) => {}
            }
            let before = self.at;
            if let Some(e) = self.expr() {
                out.push(match e.kind {
                    Kind::Assign(t, v) => match *t {
                        Target::Name(n) => Arg { name: Some(n), spread: false, value: *v },
                        _ => Arg { name: None, spread: false, value: *v },
                    },
                    _ => Arg { name: None, spread: false, value: e },
                });
            }
            if self.at == before {
                self.at = self.at.saturating_add(1);
            }
        }
    }

    /// A text; `"""` as well.
    fn string(&mut self, quote: u8, escapes: bool) -> Expr {
        let from = self.at;
        let triple = [quote; 3];
        let long = self.rest().starts_with(&triple) && quote != b'\'';
        let end: &[u8] = if long { &triple } else { triple.get(..1).unwrap_or(&[]) };
        self.at = self.at.saturating_add(end.len());
        let mut parts: Vec<Expr> = Vec::new();
        let mut plain: Vec<u8> = Vec::new();
        while let Some(c) = self.rest().first().copied() {
            if self.rest().starts_with(end) {
                self.at = self.at.saturating_add(end.len());
                break;
            }
            self.at = self.at.saturating_add(1);
            match c {
                b'\\' if escapes => {
                    let used = push_escape(&mut plain, self.rest(), Dialect::Code);
                    self.at = self.at.saturating_add(used);
                }
                b'$' if self.style.dollar => {
                    if !plain.is_empty() {
                        parts.push(Expr::text(&plain, self.span(from)));
                        plain.clear();
                    }
                    let begin = self.at;
                    if self.rest().starts_with(b"(") {
                        self.at = self.at.saturating_add(1);
                        let inner = self.list(b')');
                        parts.extend(inner.into_iter().map(|a| a.value));
                    } else {
                        let n = super::run(self.rest(), name_byte);
                        let name = String::from_utf8_lossy(self.rest().get(..n).unwrap_or_default()).into_owned();
                        self.at = self.at.saturating_add(n);
                        parts.push(Expr::new(Kind::Name(name), self.span(begin)));
                    }
                }
                c => plain.push(c),
            }
        }
        let span = self.span(from);
        if parts.is_empty() {
            return Expr::text(&plain, span);
        }
        if !plain.is_empty() {
            parts.push(Expr::text(&plain, span));
        }
        Expr::new(Kind::Concat(parts), span)
    }
}

fn name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || (0x80..crate::syntax::marker::OPEN).contains(&b)
}
