//! awk programs → the common language of scripts.
//!
//! In: a program's text. Out: a [`Script`]. `BEGIN` actions run first, the others for each record (the name `$0`), `END`
//! actions last. What reaches outside becomes a call with a name of its own: `print > f` is `print.file(f, …)`,
//! `print | c` is `print.pipe(c, …)`, `c | getline` is `getline.pipe(c)`, gawk's `|&` is `print.both`, `getline.both`,
//! `getline < f` is `getline.file(f)`. What the calls do is data.

use super::token::{Token, tokens};
use crate::limits;
use crate::source::Span;
use crate::syntax::ast::{SyntaxError, Unparsed};
use crate::syntax::script::{Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use std::rc::Rc;

/// Reads a program.
pub(in crate::syntax) fn read(text: &[u8]) -> Script {
    let whole = Span::new(0, text.len());
    if text.len() > limits::MAX_SCRIPT_INPUT {
        return Script { body: Vec::new(), unparsed: vec![Unparsed { span: whole, reason: SyntaxError::TooLarge }] };
    }
    let (tokens, rest) = tokens(text);
    let mut p = Parser { tokens, at: 0, depth: 0, plain_print: false, in_for: false, end: whole };
    let (mut begin, mut each, mut end, mut functions) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut unparsed: Vec<Unparsed> =
        rest.into_iter().map(|span| Unparsed { span, reason: SyntaxError::UnexpectedEnd }).collect();
    loop {
        p.blank();
        let (token, at) = p.peek();
        let before = p.at;
        match token {
            Token::End => break,
            Token::Name(n) if n == "BEGIN" => {
                p.at = p.at.saturating_add(1);
                begin.extend(p.action());
            }
            Token::Name(n) if n == "END" => {
                p.at = p.at.saturating_add(1);
                end.extend(p.action());
            }
            Token::Name(n) if n == "function" || n == "func" => functions.extend(p.function()),
            // `@include "file"`, `@load "library"`
            Token::Sign("@") => {
                p.at = p.at.saturating_add(1);
                let (name, _) = p.next();
                let arg = p.unary();
                if let Token::Name(n) | Token::Call(n) = name {
                    functions.push(statement(Expr::call(&format!("@{n}"), vec![arg], at)));
                }
            }
            Token::Sign("{") => each.extend(p.action()),
            _ => {
                let test = p.expr();
                let mut parts = vec![test];
                while p.take(",") {
                    p.blank();
                    parts.push(p.expr());
                }
                let body = if p.is("{") { p.action() } else { Vec::new() };
                let test = Expr::new(Kind::Other(parts), at);
                each.push(Stmt { kind: StmtKind::If(vec![(test, body)], Vec::new()), span: at });
            }
        }
        if p.at == before {
            if unparsed.len() < 16 {
                unparsed.push(Unparsed { span: at, reason: SyntaxError::UnexpectedToken });
            }
            p.at = p.at.saturating_add(1);
        }
    }
    let mut body = functions;
    body.extend(begin);
    if !each.is_empty() {
        let kind = StmtKind::Loop {
            target: Some(Target::Name("$0".into())),
            over: Some(Expr::call("records", Vec::new(), whole)),
            condition: None,
            body: each,
        };
        body.push(Stmt { kind, span: whole });
    }
    body.extend(end);
    Script { body, unparsed }
}

pub(super) struct Parser {
    pub(super) tokens: Vec<(Token, Span)>,
    pub(super) at: usize,
    pub(super) depth: u32,
    /// In the bare list of a `print`, `>` is a redirection.
    pub(super) plain_print: bool,
    /// In the head of a `for`, `in` is its own.
    pub(super) in_for: bool,
    pub(super) end: Span,
}

pub(super) fn statement(e: Expr) -> Stmt {
    let span = e.span;
    Stmt { kind: StmtKind::Expr(e), span }
}

impl Parser {
    pub(super) fn peek(&self) -> (Token, Span) {
        self.tokens.get(self.at).cloned().unwrap_or((Token::End, Span { start: self.end.end, end: self.end.end }))
    }
    pub(super) fn next(&mut self) -> (Token, Span) {
        let t = self.peek();
        self.at = self.at.saturating_add(1);
        t
    }
    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Sign(s), _)) if *s == sign)
    }
    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Name(s) | Token::Call(s), _)) if s == name)
    }
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let here = self.is(sign);
        if here {
            self.at = self.at.saturating_add(1);
        }
        here
    }
    pub(super) fn take_name(&mut self, name: &str) -> bool {
        let here = self.is_name(name);
        if here {
            self.at = self.at.saturating_add(1);
        }
        here
    }
    pub(super) fn blank(&mut self) {
        while matches!(self.tokens.get(self.at), Some((Token::Newline | Token::Sign(";"), _))) {
            self.at = self.at.saturating_add(1);
        }
    }
    pub(super) fn newlines(&mut self) {
        while matches!(self.tokens.get(self.at), Some((Token::Newline, _))) {
            self.at = self.at.saturating_add(1);
        }
    }

    pub(super) fn deeper<T>(&mut self, flat: T, body: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= limits::MAX_SCRIPT_NESTING {
            self.at = self.at.saturating_add(1);
            return flat;
        }
        self.depth = self.depth.saturating_add(1);
        let r = stacker::maybe_grow(64 << 10, 1 << 20, || body(self));
        self.depth = self.depth.saturating_sub(1);
        r
    }

    pub(super) fn function(&mut self) -> Option<Stmt> {
        let (_, at) = self.next();
        let (Token::Name(name) | Token::Call(name)) = self.next().0 else { return None };
        let mut params = Vec::new();
        if self.take("(") {
            while let (Token::Name(p), _) = self.peek() {
                self.at = self.at.saturating_add(1);
                params.push((p, None));
                self.take(",");
                self.newlines();
            }
            self.take(")");
        }
        self.newlines();
        let body = self.action();
        Some(Stmt {
            kind: StmtKind::Function(Rc::new(Function { name, params, body, receiver: Receiver::Object })),
            span: at,
        })
    }

    /// `{ … }`
    pub(super) fn action(&mut self) -> Vec<Stmt> {
        if !self.take("{") {
            return Vec::new();
        }
        let mut out = Vec::new();
        loop {
            self.blank();
            if self.take("}") || self.peek().0 == Token::End {
                return out;
            }
            let before = self.at;
            out.extend(self.stmt());
            if self.at == before {
                self.at = self.at.saturating_add(1);
            }
        }
    }

    pub(super) fn body(&mut self) -> Vec<Stmt> {
        self.newlines();
        if self.take(";") {
            return Vec::new();
        }
        self.stmt()
    }

    pub(super) fn stmt(&mut self) -> Vec<Stmt> {
        self.deeper(Vec::new(), Self::stmt_inner)
    }

    pub(super) fn stmt_inner(&mut self) -> Vec<Stmt> {
        let (token, at) = self.peek();
        let one = |kind| vec![Stmt { kind, span: at }];
        let word = match &token {
            Token::Sign("{") => return self.action(),
            Token::Name(n) | Token::Call(n) => n.as_str(),
            _ => return vec![statement(self.expr())],
        };
        match word {
            "if" => {
                self.at = self.at.saturating_add(1);
                let test = self.unary();
                let body = self.body();
                let mark = self.at;
                self.blank();
                let other = if self.take_name("else") {
                    self.body()
                } else {
                    self.at = mark;
                    Vec::new()
                };
                one(StmtKind::If(vec![(test, body)], other))
            }
            "while" => {
                self.at = self.at.saturating_add(1);
                let condition = Some(self.unary());
                let body = self.body();
                one(StmtKind::Loop { target: None, over: None, condition, body })
            }
            "do" => {
                self.at = self.at.saturating_add(1);
                let body = self.body();
                self.blank();
                let condition = self.take_name("while").then(|| self.unary());
                // The body runs once in any case.
                let mut all = body.clone();
                all.extend(one(StmtKind::Loop { target: None, over: None, condition, body }));
                all
            }
            "for" => self.each(at),
            "print" | "printf" => self.print(word == "printf", at),
            "return" | "exit" => {
                let exit = word == "exit";
                self.at = self.at.saturating_add(1);
                let ends = matches!(self.peek().0, Token::Newline | Token::End | Token::Sign(";" | "}"));
                let value = (!ends).then(|| self.expr());
                match (exit, value) {
                    (false, v) => one(StmtKind::Return(v)),
                    (true, v) => v.map(statement).into_iter().chain(one(StmtKind::Exit)).collect(),
                }
            }
            "break" | "continue" | "next" | "nextfile" => {
                let kind = if word == "break" { StmtKind::Break } else { StmtKind::Continue };
                self.at = self.at.saturating_add(1);
                one(kind)
            }
            "delete" => {
                self.at = self.at.saturating_add(1);
                vec![statement(self.expr())]
            }
            _ => vec![statement(self.expr())],
        }
    }

    /// `for (k in a)`, `for (a; b; c)`
    pub(super) fn each(&mut self, at: Span) -> Vec<Stmt> {
        self.at = self.at.saturating_add(1);
        self.take("(");
        let in_array = matches!(self.tokens.get(self.at..self.at.saturating_add(2)), Some([(Token::Name(_), _), (Token::Name(i), _)]) if i == "in");
        if in_array {
            let (Token::Name(k), _) = self.next() else { return Vec::new() };
            self.at = self.at.saturating_add(1);
            let over = Some(self.expr());
            self.take(")");
            let body = self.body();
            let target = Some(Target::Name(k));
            return vec![Stmt { kind: StmtKind::Loop { target, over, condition: None, body }, span: at }];
        }
        let mut parts: [Option<Expr>; 3] = [None, None, None];
        for (i, part) in parts.iter_mut().enumerate() {
            self.newlines();
            if !self.is(";") && !self.is(")") {
                *part = Some(self.expr());
            }
            if i < 2 {
                self.take(";");
            }
        }
        self.take(")");
        let [first, condition, step] = parts;
        let mut body = self.body();
        body.extend(step.map(statement));
        let mut out: Vec<Stmt> = first.map(statement).into_iter().collect();
        out.push(Stmt { kind: StmtKind::Loop { target: None, over: None, condition, body }, span: at });
        out
    }

    pub(super) fn print(&mut self, formatted: bool, at: Span) -> Vec<Stmt> {
        self.at = self.at.saturating_add(1);
        let mut args = Vec::new();
        let saved = std::mem::replace(&mut self.plain_print, true);
        // `print (a, b) > f`: what stands in brackets is the list.
        if self.is("(") && self.closes_list() {
            self.at = self.at.saturating_add(1);
            self.plain_print = false;
            args = self.list(")");
        } else {
            while !matches!(
                self.peek().0,
                Token::Newline | Token::End | Token::Sign(";" | "}" | ">" | ">>" | "|" | "|&")
            ) {
                let before = self.at;
                args.push(self.expr());
                if !self.take(",") || self.at == before {
                    break;
                }
                self.newlines();
            }
        }
        self.plain_print = saved;
        if args.is_empty() && !formatted {
            args.push(Expr::new(Kind::Name("$0".into()), at));
        }
        let name = match self.peek().0 {
            Token::Sign(">") => "print.file",
            Token::Sign(">>") => "print.append",
            Token::Sign("|") => "print.pipe",
            Token::Sign("|&") => "print.both",
            _ => return vec![statement(Expr::call("print", args, at))],
        };
        self.at = self.at.saturating_add(1);
        let to = self.concatenation();
        let text = match formatted {
            true => Expr::call("sprintf", args, at),
            false => {
                let mut parts = Vec::new();
                for a in args {
                    if !parts.is_empty() {
                        parts.push(Expr::text(b" ", at));
                    }
                    parts.push(a);
                }
                parts.push(Expr::text(b"\n", at));
                Expr::new(Kind::Concat(parts), at)
            }
        };
        vec![statement(Expr::call(name, vec![to, text], at))]
    }

    /// Whether the bracket that opens here closes right before the end of the `print` or its redirection.
    pub(super) fn closes_list(&self) -> bool {
        let mut depth = 0usize;
        for (i, (t, _)) in self.tokens.iter().enumerate().skip(self.at).take(4_096) {
            match t {
                Token::Sign("(") | Token::Call(_) if matches!(t, Token::Sign(_)) => depth = depth.saturating_add(1),
                Token::Sign(")") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        let next = self.tokens.get(i.saturating_add(1)).map(|(t, _)| t);
                        return matches!(
                            next,
                            None | Some(Token::Newline | Token::Sign(";" | "}" | ">" | ">>" | "|" | "|&"))
                        );
                    }
                }
                _ => {}
            }
        }
        false
    }
}
