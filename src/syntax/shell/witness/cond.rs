//! `[[ … ]]` → [`Cond`], and `[ … ]`, which the grammar reads as syntax, back into a simple command.
//!
//! The grammar binds operators as arithmetic does (`[[ ! a == b ]]` compares `! a`), so only the order of the leaves
//! is taken from it, and the small grammar of conditional expressions (bash manual, Conditional Constructs) is read
//! from that.

use super::command::push_word;
use super::{Kid, Lowering, kids, push_literal};
use crate::source::Span;
use crate::syntax::ast::{Command, CommandKind, Cond, Simple, Word};

/// A leaf of an expression.
enum Token {
    /// `&&`, `||`, `!`, `(`, `)`, `==`, `-f` …: the text.
    Operator(String, Span),
    Word(Word),
}

impl<'t> Lowering<'t> {
    /// A `test_command`.
    pub(super) fn test(&mut self, kid: Kid<'t>) -> Option<Command> {
        let pieces = kids(kid.node);
        let [open, inner @ .., close] = pieces.as_slice() else {
            self.not_lowered(kid.span);
            return None;
        };
        let kind = match (open.kind, close.kind) {
            ("[[", "]]") => {
                let tokens = self.tokens(inner);
                let mut reading = Reading { rest: tokens.into_iter().peekable(), depth: self.depth };
                match reading.or() {
                    Some(cond) if reading.rest.peek().is_none() => CommandKind::Cond(Box::new(cond)),
                    _ => {
                        self.not_lowered(kid.span);
                        let inside = Span { start: open.span.end, end: close.span.start };
                        let parts = self.arithmetic(inner, inside).parts;
                        CommandKind::Cond(Box::new(Cond::Word(Word { parts, span: inside, assignment: None })))
                    }
                }
            }
            ("[", "]") => CommandKind::Simple(Simple { assignments: Vec::new(), words: self.words(&pieces) }),
            _ => {
                self.not_lowered(kid.span);
                return None;
            }
        };
        Some(Command { kind, redirects: Vec::new(), span: kid.span })
    }

    /// The leaves in order, found with a stack.
    fn leaves(pieces: &[Kid<'t>]) -> Vec<Kid<'t>> {
        let mut leaves = Vec::new();
        let mut stack: Vec<Kid<'t>> = pieces.iter().rev().copied().collect();
        while let Some(kid) = stack.pop() {
            match kid.kind {
                "binary_expression"
                | "unary_expression"
                | "ternary_expression"
                | "postfix_expression"
                | "parenthesized_expression" => stack.extend(kids(kid.node).into_iter().rev()),
                "ERROR" => {}
                _ => leaves.push(kid),
            }
        }
        leaves
    }

    fn leaf(&mut self, kid: Kid<'t>) -> Word {
        if kid.node.is_named() {
            return self.word(kid);
        }
        let mut parts = Vec::new();
        push_literal(&mut parts, self.bytes(kid.span), kid.span);
        Word { parts, span: kid.span, assignment: None }
    }

    /// The leaves as words; what stands next to each other is one word.
    fn words(&mut self, pieces: &[Kid<'t>]) -> Vec<Word> {
        let mut words = Vec::new();
        for kid in Self::leaves(pieces) {
            let word = self.leaf(kid);
            push_word(self.text, &mut words, word);
        }
        words
    }

    fn tokens(&mut self, pieces: &[Kid<'t>]) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::new();
        for kid in Self::leaves(pieces) {
            let operator = matches!(kid.kind, "&&" | "||" | "(" | ")" | "=" | "==" | "!=" | "=~" | "<" | ">" | "!")
                || kid.kind == "test_operator";
            if operator {
                tokens.push(Token::Operator(String::from_utf8_lossy(self.bytes(kid.span)).into_owned(), kid.span));
                continue;
            }
            // Arithmetic operators are characters of a word here.
            let word = self.leaf(kid);
            if let Some(Token::Word(last)) = tokens.last_mut() {
                let mut joined = vec![std::mem::take(last)];
                push_word(self.text, &mut joined, word);
                let mut joined = joined.into_iter();
                *last = joined.next().unwrap_or_default();
                tokens.extend(joined.map(Token::Word));
            } else {
                tokens.push(Token::Word(word));
            }
        }
        tokens
    }
}

struct Reading {
    rest: std::iter::Peekable<std::vec::IntoIter<Token>>,
    depth: u32,
}

impl Reading {
    fn takes(&mut self, want: &str) -> bool {
        self.rest.next_if(|t| matches!(t, Token::Operator(op, _) if op == want)).is_some()
    }

    fn or(&mut self) -> Option<Cond> {
        let mut left = self.and()?;
        let begun = self.depth;
        while self.takes("||") {
            self.deeper()?;
            left = Cond::Or(Box::new(left), Box::new(self.and()?));
        }
        self.depth = begun;
        Some(left)
    }

    fn and(&mut self) -> Option<Cond> {
        let mut left = self.not()?;
        let begun = self.depth;
        while self.takes("&&") {
            self.deeper()?;
            left = Cond::And(Box::new(left), Box::new(self.not()?));
        }
        self.depth = begun;
        Some(left)
    }

    fn not(&mut self) -> Option<Cond> {
        let begun = self.depth;
        let cond = if self.takes("!") {
            self.deeper()?;
            Cond::Not(Box::new(self.not()?))
        } else {
            self.primary()?
        };
        self.depth = begun;
        Some(cond)
    }

    fn primary(&mut self) -> Option<Cond> {
        match self.rest.next()? {
            Token::Operator(op, _) if op == "(" => {
                let begun = self.depth;
                self.deeper()?;
                let inner = self.or()?;
                self.depth = begun;
                self.takes(")").then(|| Cond::Group(Box::new(inner)))
            }
            Token::Operator(op, _) if op.starts_with('-') => match self.rest.next()? {
                Token::Word(word) => Some(Cond::Unary(op, word)),
                Token::Operator(..) => None,
            },
            Token::Operator(..) => None,
            Token::Word(left) => {
                let binary = |t: &Token| matches!(t, Token::Operator(op, _) if !matches!(op.as_str(), "&&" | "||" | "(" | ")" | "!"));
                match self.rest.next_if(binary) {
                    Some(Token::Operator(op, _)) => match self.rest.next()? {
                        Token::Word(right) => Some(Cond::Binary(op, left, right)),
                        // `[[ $x == -f ]]`
                        Token::Operator(text, span) => {
                            let mut parts = Vec::new();
                            push_literal(&mut parts, text.as_bytes(), span);
                            Some(Cond::Binary(op, left, Word { parts, span, assignment: None }))
                        }
                    },
                    _ => Some(Cond::Word(left)),
                }
            }
        }
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth = self.depth.saturating_add(1);
        (self.depth <= crate::limits::MAX_DEPTH).then_some(())
    }
}
