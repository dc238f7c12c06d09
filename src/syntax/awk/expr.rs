//! awk's expressions.
//!
//! In: the tokens from where an expression begins. Out: an expression of the common language.

use super::lower::Parser;
use super::token::Token;
use crate::syntax::script::{Arg, Expr, Kind, Target};

impl Parser {
    pub(super) fn list(&mut self, close: &str) -> Vec<Expr> {
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

    pub(super) fn expr(&mut self) -> Expr {
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
    pub(super) fn concatenation(&mut self) -> Expr {
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

    pub(super) fn unary(&mut self) -> Expr {
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
