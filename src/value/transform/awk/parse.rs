//! Reading awk programs.
//!
//! In: the program's text. Out: rules as trees. What is not computed (functions, files, pipes, `getline`) is refused
//! here, so that a program that is read is run in full.

use super::super::super::Why;
use super::token::{Token, tokens};
use crate::limits;

pub(super) const NOT: Why = Why::NotComputed("awk program");

/// When a rule runs.
#[derive(Debug)]
pub(super) enum When {
    Begin,
    End,
    Always,
    If(Expr),
}

#[derive(Debug)]
pub(super) enum Statement {
    Print(Vec<Expr>),
    Printf(Vec<Expr>),
    Expr(Expr),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    For(Option<Box<Statement>>, Option<Expr>, Option<Box<Statement>>, Box<Statement>),
    Block(Vec<Statement>),
    Next,
    Exit(Option<Expr>),
    Break,
    Continue,
}

#[derive(Debug, Clone)]
pub(super) enum Expr {
    Number(f64),
    Text(String),
    /// A pattern that stands alone is matched against `$0`.
    Regex(String),
    Name(String),
    Element(String, Vec<Expr>),
    Field(Box<Expr>),
    Assign(Box<Expr>, Option<char>, Box<Expr>),
    /// `++x` (true) and `x++`, by 1 or -1.
    Step(Box<Expr>, f64, bool),
    Unary(char, Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    In(Vec<Expr>, String),
    Call(String, Vec<Expr>),
    Group(Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Or,
    And,
    Match,
    NoMatch,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Concat,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Power,
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    /// In a bare list of `print`, `>` is a redirection.
    no_greater: bool,
    no_in: bool,
}

/// Reads a program.
pub(super) fn program(text: &str) -> Result<Vec<(When, Option<Statement>)>, Why> {
    let mut p = Parser { tokens: tokens(text)?, at: 0, depth: 0, no_greater: false, no_in: false };
    let mut rules = Vec::new();
    loop {
        p.terminators();
        if p.peek() == &Token::End {
            return Ok(rules);
        }
        let when = match p.peek() {
            Token::Name(n) if n == "BEGIN" => {
                p.next();
                When::Begin
            }
            Token::Name(n) if n == "END" => {
                p.next();
                When::End
            }
            Token::Sign("{") => When::Always,
            _ => When::If(p.expr()?),
        };
        if p.peek() == &Token::Sign(",") {
            return Err(NOT);
        }
        let action = if p.peek() == &Token::Sign("{") { Some(p.block()?) } else { None };
        if action.is_none() && !matches!(when, When::If(_)) {
            return Err(NOT);
        }
        rules.push((when, action));
    }
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let t = self.peek().clone();
        self.at = self.at.saturating_add(1);
        t
    }

    fn take(&mut self, sign: &str) -> bool {
        let here = matches!(self.peek(), Token::Sign(s) if *s == sign);
        if here {
            self.at = self.at.saturating_add(1);
        }
        here
    }

    fn need(&mut self, sign: &str) -> Result<(), Why> {
        if self.take(sign) { Ok(()) } else { Err(NOT) }
    }

    fn terminators(&mut self) {
        while matches!(self.peek(), Token::Newline | Token::Sign(";")) {
            self.at = self.at.saturating_add(1);
        }
    }

    fn newlines(&mut self) {
        while self.peek() == &Token::Newline {
            self.at = self.at.saturating_add(1);
        }
    }

    fn deeper(&mut self) -> Result<(), Why> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > limits::MAX_ARITHMETIC_DEPTH { Err(Why::Limit) } else { Ok(()) }
    }

    fn block(&mut self) -> Result<Statement, Why> {
        self.need("{")?;
        self.deeper()?;
        let mut all = Vec::new();
        loop {
            self.terminators();
            if self.take("}") {
                self.depth = self.depth.saturating_sub(1);
                return Ok(Statement::Block(all));
            }
            all.push(self.statement()?);
        }
    }

    fn statement(&mut self) -> Result<Statement, Why> {
        if self.peek() == &Token::Sign("{") {
            return self.block();
        }
        let keyword = match self.peek() {
            Token::Name(n) => n.clone(),
            _ => String::new(),
        };
        self.deeper()?;
        let s = match keyword.as_str() {
            "if" => {
                self.next();
                self.need("(")?;
                let test = self.expr()?;
                self.need(")")?;
                self.newlines();
                let yes = self.statement()?;
                let mark = self.at;
                self.terminators();
                let no = if matches!(self.peek(), Token::Name(n) if n == "else") {
                    self.next();
                    self.newlines();
                    Some(Box::new(self.statement()?))
                } else {
                    self.at = mark;
                    None
                };
                Statement::If(test, Box::new(yes), no)
            }
            "while" => {
                self.next();
                self.need("(")?;
                let test = self.expr()?;
                self.need(")")?;
                self.newlines();
                Statement::While(test, Box::new(self.statement()?))
            }
            "for" => {
                self.next();
                self.need("(")?;
                self.no_in = true;
                let first = if self.peek() == &Token::Sign(";") { None } else { Some(Box::new(self.simple()?)) };
                self.no_in = false;
                self.need(";")?;
                let test = if self.peek() == &Token::Sign(";") { None } else { Some(self.expr()?) };
                self.need(";")?;
                let step = if self.peek() == &Token::Sign(")") { None } else { Some(Box::new(self.simple()?)) };
                self.need(")")?;
                self.newlines();
                // An empty body.
                let body = if self.take(";") { Statement::Block(Vec::new()) } else { self.statement()? };
                Statement::For(first, test, step, Box::new(body))
            }
            _ => {
                let s = self.simple()?;
                if !matches!(self.peek(), Token::Newline | Token::Sign(";" | "}") | Token::End) {
                    return Err(NOT);
                }
                s
            }
        };
        self.depth = self.depth.saturating_sub(1);
        Ok(s)
    }

    fn simple(&mut self) -> Result<Statement, Why> {
        let keyword = match self.peek() {
            Token::Name(n) => n.clone(),
            _ => String::new(),
        };
        match keyword.as_str() {
            "print" | "printf" => {
                self.next();
                self.no_greater = true;
                let list = self.list_of_print()?;
                self.no_greater = false;
                // Redirections and pipes leave this program.
                if matches!(self.peek(), Token::Sign(">" | ">>" | "|")) {
                    return Err(NOT);
                }
                Ok(if keyword == "print" { Statement::Print(list) } else { Statement::Printf(list) })
            }
            "next" | "exit" | "break" | "continue" => {
                self.next();
                Ok(match keyword.as_str() {
                    "next" => Statement::Next,
                    "break" => Statement::Break,
                    "continue" => Statement::Continue,
                    _ if matches!(self.peek(), Token::Newline | Token::Sign(";" | "}") | Token::End) => {
                        Statement::Exit(None)
                    }
                    _ => Statement::Exit(Some(self.expr()?)),
                })
            }
            "function" | "func" | "getline" | "delete" | "do" | "return" | "nextfile" | "system" | "close"
            | "fflush" | "switch" | "case" | "default" => Err(NOT),
            _ => Ok(Statement::Expr(self.expr()?)),
        }
    }

    fn list_of_print(&mut self) -> Result<Vec<Expr>, Why> {
        if matches!(self.peek(), Token::Newline | Token::Sign(";" | "}" | ">" | ">>" | "|") | Token::End) {
            return Ok(Vec::new());
        }
        // `print (a, b)` is a list in parentheses; `print (a)(b)` an expression.
        if self.peek() == &Token::Sign("(") {
            let mark = self.at;
            self.next();
            let (greater, _) = (self.no_greater, ());
            self.no_greater = false;
            let list = self.list()?;
            self.no_greater = greater;
            if list.len() > 1
                && self.take(")")
                && matches!(self.peek(), Token::Newline | Token::Sign(";" | "}" | ">" | ">>" | "|") | Token::End)
            {
                return Ok(list);
            }
            self.at = mark;
        }
        self.list()
    }

    fn list(&mut self) -> Result<Vec<Expr>, Why> {
        let mut all = vec![self.expr()?];
        while self.take(",") {
            self.newlines();
            all.push(self.expr()?);
        }
        Ok(all)
    }

    fn expr(&mut self) -> Result<Expr, Why> {
        self.deeper()?;
        let left = self.binary(0)?;
        let e = match self.peek() {
            Token::Sign("?") => {
                self.next();
                let yes = self.expr()?;
                self.need(":")?;
                Expr::Choice(Box::new(left), Box::new(yes), Box::new(self.expr()?))
            }
            Token::Sign(s @ ("=" | "+=" | "-=" | "*=" | "/=" | "%=" | "^=" | "**=")) => {
                let op = match *s {
                    "=" => None,
                    "**=" => Some('^'),
                    s => s.chars().next(),
                };
                if !matches!(left, Expr::Name(_) | Expr::Element(..) | Expr::Field(_)) {
                    return Err(NOT);
                }
                self.next();
                self.newlines();
                Expr::Assign(Box::new(left), op, Box::new(self.expr()?))
            }
            _ => left,
        };
        self.depth = self.depth.saturating_sub(1);
        Ok(e)
    }

    /// The binary operator that stands here, and how tightly it binds.
    fn operator(&self) -> Option<(Op, u8)> {
        Some(match self.peek() {
            Token::Sign("||") => (Op::Or, 1),
            Token::Sign("&&") => (Op::And, 2),
            Token::Sign("~") => (Op::Match, 4),
            Token::Sign("!~") => (Op::NoMatch, 4),
            Token::Sign("<") => (Op::Less, 5),
            Token::Sign("<=") => (Op::LessEqual, 5),
            Token::Sign("==") => (Op::Equal, 5),
            Token::Sign("!=") => (Op::NotEqual, 5),
            Token::Sign(">") if !self.no_greater => (Op::Greater, 5),
            Token::Sign(">=") => (Op::GreaterEqual, 5),
            Token::Sign("+") => (Op::Add, 7),
            Token::Sign("-") => (Op::Sub, 7),
            Token::Sign("*") => (Op::Mul, 8),
            Token::Sign("/") => (Op::Div, 8),
            Token::Sign("%") => (Op::Mod, 8),
            Token::Number(_) | Token::Text(_) | Token::Function(_) | Token::Sign("$" | "(" | "!") => (Op::Concat, 6),
            Token::Name(n) if n != "in" && n != "getline" => (Op::Concat, 6),
            Token::Sign("++" | "--") => (Op::Concat, 6),
            _ => return None,
        })
    }

    fn binary(&mut self, least: u8) -> Result<Expr, Why> {
        self.deeper()?;
        let mut left = self.unary()?;
        loop {
            if least <= 3 && !self.no_in && matches!(self.peek(), Token::Name(n) if n == "in") {
                self.next();
                let Token::Name(array) = self.next() else { return Err(NOT) };
                left = Expr::In(vec![left], array);
                continue;
            }
            let Some((op, level)) = self.operator() else { break };
            if level < least || matches!(self.peek(), Token::Sign("!")) && op == Op::Concat {
                break;
            }
            if op != Op::Concat {
                self.next();
                if matches!(op, Op::And | Op::Or) {
                    self.newlines();
                }
            }
            // Comparisons do not chain.
            let right = self.binary(level.saturating_add(1))?;
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        self.depth = self.depth.saturating_sub(1);
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Why> {
        for (sign, name) in [("!", '!'), ("-", '-'), ("+", '+')] {
            if self.take(sign) {
                self.deeper()?;
                // `! x ~ y` differs from awk to awk.
                let e = self.unary()?;
                if name == '!' && matches!(self.peek(), Token::Sign("~" | "!~" | "<" | "<=" | "==" | "!=" | ">" | ">="))
                {
                    return Err(NOT);
                }
                self.depth = self.depth.saturating_sub(1);
                return Ok(Expr::Unary(name, Box::new(e)));
            }
        }
        let base = self.postfix()?;
        if self.take("^") || self.take("**") {
            self.deeper()?;
            let right = self.unary()?;
            self.depth = self.depth.saturating_sub(1);
            return Ok(Expr::Binary(Op::Power, Box::new(base), Box::new(right)));
        }
        Ok(base)
    }

    fn postfix(&mut self) -> Result<Expr, Why> {
        for (sign, by) in [("++", 1.0), ("--", -1.0)] {
            if self.take(sign) {
                let target = self.primary()?;
                return Ok(Expr::Step(Box::new(target), by, true));
            }
        }
        let e = self.primary()?;
        if matches!(e, Expr::Name(_) | Expr::Element(..) | Expr::Field(_)) {
            for (sign, by) in [("++", 1.0), ("--", -1.0)] {
                if self.take(sign) {
                    return Ok(Expr::Step(Box::new(e), by, false));
                }
            }
        }
        Ok(e)
    }

    fn primary(&mut self) -> Result<Expr, Why> {
        match self.next() {
            Token::Number(n) => Ok(Expr::Number(n)),
            Token::Text(t) => Ok(Expr::Text(t)),
            Token::Regex(r) => Ok(Expr::Regex(r)),
            Token::Sign("$") => {
                self.deeper()?;
                let inner = if matches!(self.peek(), Token::Sign("++" | "--" | "-")) {
                    return Err(NOT);
                } else {
                    self.primary()?
                };
                self.depth = self.depth.saturating_sub(1);
                Ok(Expr::Field(Box::new(inner)))
            }
            Token::Sign("(") => {
                let (greater, no_in) = (self.no_greater, self.no_in);
                (self.no_greater, self.no_in) = (false, false);
                let mut list = self.list()?;
                self.need(")")?;
                (self.no_greater, self.no_in) = (greater, no_in);
                if list.len() > 1 {
                    let Token::Name(n) = self.next() else { return Err(NOT) };
                    let (true, Token::Name(array)) = (n == "in", self.next()) else { return Err(NOT) };
                    return Ok(Expr::In(list, array));
                }
                list.pop().map(|e| Expr::Group(Box::new(e))).ok_or(NOT)
            }
            Token::Function(name) => {
                if !self.take("(") {
                    return if name == "length" { Ok(Expr::Call(name, Vec::new())) } else { Err(NOT) };
                }
                let (greater, no_in) = (self.no_greater, self.no_in);
                (self.no_greater, self.no_in) = (false, false);
                let list = if self.peek() == &Token::Sign(")") { Vec::new() } else { self.list()? };
                self.need(")")?;
                (self.no_greater, self.no_in) = (greater, no_in);
                Ok(Expr::Call(name, list))
            }
            Token::Name(name) => {
                if self.take("[") {
                    let list = self.list()?;
                    self.need("]")?;
                    return Ok(Expr::Element(name, list));
                }
                // A call of something else, or a word with a meaning.
                if self.peek() == &Token::Sign("(") || ["in", "getline", "function", "delete"].contains(&name.as_str())
                {
                    return Err(NOT);
                }
                Ok(Expr::Name(name))
            }
            _ => Err(NOT),
        }
    }
}
