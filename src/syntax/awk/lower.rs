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
use crate::syntax::script::{Arg, Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
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

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: u32,
    /// In the bare list of a `print`, `>` is a redirection.
    plain_print: bool,
    /// In the head of a `for`, `in` is its own.
    in_for: bool,
    end: Span,
}

fn statement(e: Expr) -> Stmt {
    let span = e.span;
    Stmt { kind: StmtKind::Expr(e), span }
}

impl Parser {
    fn peek(&self) -> (Token, Span) {
        self.tokens.get(self.at).cloned().unwrap_or((Token::End, Span { start: self.end.end, end: self.end.end }))
    }
    fn next(&mut self) -> (Token, Span) {
        let t = self.peek();
        self.at = self.at.saturating_add(1);
        t
    }
    fn is(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Sign(s), _)) if *s == sign)
    }
    fn is_name(&self, name: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Name(s) | Token::Call(s), _)) if s == name)
    }
    fn take(&mut self, sign: &str) -> bool {
        let here = self.is(sign);
        if here {
            self.at = self.at.saturating_add(1);
        }
        here
    }
    fn take_name(&mut self, name: &str) -> bool {
        let here = self.is_name(name);
        if here {
            self.at = self.at.saturating_add(1);
        }
        here
    }
    fn blank(&mut self) {
        while matches!(self.tokens.get(self.at), Some((Token::Newline | Token::Sign(";"), _))) {
            self.at = self.at.saturating_add(1);
        }
    }
    fn newlines(&mut self) {
        while matches!(self.tokens.get(self.at), Some((Token::Newline, _))) {
            self.at = self.at.saturating_add(1);
        }
    }

    fn deeper<T>(&mut self, flat: T, body: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= limits::MAX_SCRIPT_NESTING {
            self.at = self.at.saturating_add(1);
            return flat;
        }
        self.depth = self.depth.saturating_add(1);
        let r = stacker::maybe_grow(64 << 10, 1 << 20, || body(self));
        self.depth = self.depth.saturating_sub(1);
        r
    }

    fn function(&mut self) -> Option<Stmt> {
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
    fn action(&mut self) -> Vec<Stmt> {
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

    fn body(&mut self) -> Vec<Stmt> {
        self.newlines();
        if self.take(";") {
            return Vec::new();
        }
        self.stmt()
    }

    fn stmt(&mut self) -> Vec<Stmt> {
        self.deeper(Vec::new(), Self::stmt_inner)
    }

    fn stmt_inner(&mut self) -> Vec<Stmt> {
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
                one(StmtKind::Loop { target: None, over: None, condition, body })
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
    fn each(&mut self, at: Span) -> Vec<Stmt> {
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

    fn print(&mut self, formatted: bool, at: Span) -> Vec<Stmt> {
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
    fn closes_list(&self) -> bool {
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

    fn list(&mut self, close: &str) -> Vec<Expr> {
        let mut out = Vec::new();
        loop {
            self.newlines();
            if self.take(close) || self.peek().0 == Token::End {
                return out;
            }
            let before = self.at;
            out.push(self.expr());
            self.take(",");
            if self.at == before {
                self.at = self.at.saturating_add(1);
            }
        }
    }

    fn expr(&mut self) -> Expr {
        let at = self.peek().1;
        self.deeper(Expr::new(Kind::Other(Vec::new()), at), Self::choice)
    }

    /// `a ? b : c`, and assignments.
    fn choice(&mut self) -> Expr {
        let test = self.binary(0);
        let at = test.span;
        if self.take("?") {
            self.newlines();
            let a = self.expr();
            self.newlines();
            self.take(":");
            self.newlines();
            let b = self.expr();
            return Expr::new(Kind::Choice(Box::new(test), Box::new(a), Box::new(b)), at);
        }
        let op = match self.peek().0 {
            Token::Sign(s @ ("=" | "+=" | "-=" | "*=" | "/=" | "%=" | "^=" | "**=")) => s,
            _ => return test,
        };
        self.at = self.at.saturating_add(1);
        self.newlines();
        let value = self.expr();
        let value = match op.trim_end_matches('=') {
            "" => value,
            op => Expr::new(Kind::Operator(op.to_string(), vec![test.clone(), value]), at),
        };
        match target(&test) {
            Some(t) => Expr::new(Kind::Assign(Box::new(t), Box::new(value)), at),
            None => Expr::new(Kind::Other(vec![test, value]), at),
        }
    }

    /// Operators by how tightly they bind: `||`, `&&`, `in`, `~`, comparisons and pipes into `getline`.
    fn binary(&mut self, level: usize) -> Expr {
        if level == 5 {
            return self.piped();
        }
        let mut left = self.binary(level.saturating_add(1));
        let mut turns = 0u32;
        while turns < 48 {
            turns = turns.saturating_add(1);
            let op = match (level, self.peek().0) {
                (0, Token::Sign("||")) => "or",
                (1, Token::Sign("&&")) => "and",
                (2, Token::Name(n)) if n == "in" && !self.in_for => "in",
                (3, Token::Sign(s @ ("~" | "!~"))) => s,
                (4, Token::Sign(s @ ("<" | "<=" | "==" | "!=" | ">="))) => s,
                (4, Token::Sign(">")) if !self.plain_print => ">",
                _ => break,
            };
            self.at = self.at.saturating_add(1);
            self.newlines();
            let right = self.binary(level.saturating_add(1));
            let at = left.span;
            left = Expr::new(Kind::Operator(op.into(), vec![left, right]), at);
        }
        left
    }

    /// `command | getline [variable]`
    fn piped(&mut self) -> Expr {
        let mut left = self.concatenation();
        let mut turns = 0u32;
        while turns < 48 {
            turns = turns.saturating_add(1);
            let name = match self.peek().0 {
                Token::Sign("|") => "getline.pipe",
                Token::Sign("|&") => "getline.both",
                _ => break,
            };
            let next = self.tokens.get(self.at.saturating_add(1)).map(|(t, _)| t);
            if !matches!(next, Some(Token::Name(n) | Token::Call(n)) if n == "getline") {
                break;
            }
            self.at = self.at.saturating_add(2);
            let at = left.span;
            let t = self.filled();
            left = Expr::new(Kind::Assign(Box::new(t), Box::new(Expr::call(name, vec![left], at))), at);
        }
        left
    }

    /// What `getline` fills: a variable, a field, or `$0`.
    fn filled(&mut self) -> Target {
        let named = matches!(self.peek().0, Token::Name(n) if n != "in") || self.is("$");
        let e = named.then(|| self.primary());
        e.and_then(|e| target(&e)).unwrap_or(Target::Name("$0".into()))
    }

    /// Values side by side.
    fn concatenation(&mut self) -> Expr {
        let first = self.sum();
        let at = first.span;
        let mut parts = vec![first];
        loop {
            let begins = match self.peek().0 {
                Token::Name(n) => !matches!(n.as_str(), "in" | "getline" | "else" | "while"),
                Token::Call(_) | Token::Number(_) | Token::Text(_) | Token::Regex(_) => true,
                Token::Sign(s) => matches!(s, "$" | "!" | "(" | "-" | "+" | "++" | "--"),
                Token::Newline | Token::End => false,
            };
            if !begins || parts.len() > 4_096 {
                break;
            }
            let before = self.at;
            parts.push(self.sum());
            if self.at == before {
                break;
            }
        }
        match <[Expr; 1]>::try_from(parts) {
            Ok([one]) => one,
            Err(parts) => Expr::new(Kind::Concat(parts), at),
        }
    }

    fn sum(&mut self) -> Expr {
        let mut left = self.unary();
        let mut turns = 0u32;
        while let (Token::Sign(op @ ("+" | "-" | "*" | "/" | "%" | "^" | "**")), _) = self.peek()
            && turns < 48
        {
            turns = turns.saturating_add(1);
            self.at = self.at.saturating_add(1);
            let right = self.unary();
            let at = left.span;
            left = Expr::new(Kind::Operator(op.into(), vec![left, right]), at);
        }
        left
    }

    fn unary(&mut self) -> Expr {
        let at = self.peek().1;
        self.deeper(Expr::new(Kind::Other(Vec::new()), at), |p| {
            let op = match p.peek().0 {
                Token::Sign("!") => "not",
                Token::Sign("-") => "-",
                Token::Sign("+") => "",
                Token::Sign("++" | "--") => "",
                _ => return p.primary(),
            };
            p.at = p.at.saturating_add(1);
            let e = p.unary();
            if op.is_empty() { e } else { Expr::new(Kind::Operator(op.into(), vec![e]), at) }
        })
    }

    fn primary(&mut self) -> Expr {
        let (token, at) = self.next();
        let e = match token {
            Token::Number(n) => Expr::new(Kind::Number(n), at),
            Token::Text(t) => Expr::text(&t, at),
            Token::Regex(_) => Expr::new(Kind::Other(Vec::new()), at),
            Token::Sign("(") => {
                let saved = std::mem::replace(&mut self.plain_print, false);
                let mut all = self.list(")");
                self.plain_print = saved;
                match all.len() {
                    1 => all.pop().unwrap_or(Expr::new(Kind::Null, at)),
                    _ => Expr::new(Kind::List(all), at),
                }
            }
            Token::Sign("$") => {
                let n = self.unary_field();
                match n.kind {
                    Kind::Number(0) => Expr::new(Kind::Name("$0".into()), at),
                    _ => {
                        let parts = ["$0", "FS"].map(|v| Expr::new(Kind::Name(v.into()), at));
                        Expr::call("field", parts.into_iter().chain([n]).collect(), at)
                    }
                }
            }
            // gawk: `@f(a)` calls the function whose name `f` holds.
            Token::Sign("@") => {
                let callee = self.next().0;
                let args = if self.take("(") { self.list(")") } else { Vec::new() };
                let name = match callee {
                    Token::Name(n) | Token::Call(n) => n,
                    _ => String::new(),
                };
                let callee = Box::new(Expr::new(Kind::Concat(vec![Expr::new(Kind::Name(name), at)]), at));
                let args = args.into_iter().map(|value| Arg { name: None, spread: false, value }).collect();
                Expr::new(Kind::Call(callee, args), at)
            }
            Token::Call(n) | Token::Name(n) if n == "getline" => {
                let t = self.filled();
                let read = match self.take("<") {
                    true => Expr::call("getline.file", vec![self.sum()], at),
                    false => Expr::call("getline", Vec::new(), at),
                };
                Expr::new(Kind::Assign(Box::new(t), Box::new(read)), at)
            }
            Token::Call(n) => {
                self.take("(");
                let saved = std::mem::replace(&mut self.plain_print, false);
                let pattern = match self.peek() {
                    (Token::Regex(r), at) => Some(Expr::text(&r, at)),
                    _ => None,
                };
                let mut args = self.list(")");
                self.plain_print = saved;
                // `gsub(/a/, "b", t)` changes `t`, or the record.
                if matches!(n.as_str(), "sub" | "gsub") {
                    if let (Some(p), Some(first)) = (pattern, args.first_mut()) {
                        *first = p;
                    }
                    if args.len() == 2 {
                        args.push(Expr::new(Kind::Name("$0".into()), at));
                    }
                    if let Some(t) = args.get(2).and_then(target) {
                        return Expr::new(Kind::Assign(Box::new(t), Box::new(Expr::call(&n, args, at))), at);
                    }
                }
                // Positions count from 1.
                if n == "substr"
                    && let Some(start) = args.get_mut(1)
                {
                    let one = Expr::new(Kind::Number(1), at);
                    let old = std::mem::replace(start, Expr::new(Kind::Null, at));
                    *start = Expr::new(Kind::Operator("-".into(), vec![old, one]), at);
                }
                Expr::call(&n, args, at)
            }
            Token::Name(n) => {
                let name = Expr::new(Kind::Name(n), at);
                if self.take("[") {
                    let mut keys = self.list("]");
                    let key = if keys.len() == 1 { keys.pop() } else { Some(Expr::new(Kind::List(keys), at)) };
                    let key = key.unwrap_or(Expr::new(Kind::Null, at));
                    Expr::new(Kind::Index(Box::new(name), Box::new(key)), at)
                } else {
                    name
                }
            }
            _ => {
                self.at = self.at.saturating_sub(1);
                return Expr::new(Kind::Other(Vec::new()), at);
            }
        };
        if !self.take("++") {
            self.take("--");
        }
        e
    }

    /// The number behind `$`.
    fn unary_field(&mut self) -> Expr {
        let at = self.peek().1;
        self.deeper(Expr::new(Kind::Other(Vec::new()), at), Self::primary)
    }
}

/// What an expression is as the left side of an assignment.
fn target(e: &Expr) -> Option<Target> {
    match &e.kind {
        Kind::Name(n) => Some(Target::Name(n.clone())),
        Kind::Index(o, k) => Some(Target::Index(o.clone(), k.clone())),
        Kind::Call(..) => Some(Target::Name("$0".into())),
        _ => None,
    }
}
