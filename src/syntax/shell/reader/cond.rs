//! `[[ … ]]`: bash manual "Conditional Constructs", "Bash Conditional Expressions".
//!
//! In: the reader after `[[`. Out: a [`Cond`]. Floor 2.

use super::lexer::{META, class};
use super::word::Mode;
use super::{R, Reader};
use crate::syntax::ast::{CommandKind, Cond, PartKind, Word};

impl Reader<'_> {
    pub(super) fn cond_command(&mut self) -> R<CommandKind> {
        let cond = self.cond_or()?;
        if !self.at_cond_end() {
            return self.unexpected();
        }
        self.pos = self.cond_end_place();
        Ok(CommandKind::Cond(Box::new(cond)))
    }

    fn cond_or(&mut self) -> R<Cond> {
        let mut left = self.cond_and()?;
        while let Some(end) = self.pair(b'|', b'|') {
            self.pos = end;
            // Right-nested trees of any length would be as deep as the text is long.
            let right = self.deeper(Self::cond_and)?;
            left = Cond::Or(Box::new(left), Box::new(right));
            self.cond_chain()?;
        }
        Ok(left)
    }

    fn cond_and(&mut self) -> R<Cond> {
        let mut left = self.cond_term()?;
        while let Some(end) = self.pair(b'&', b'&') {
            self.pos = end;
            let right = self.cond_term()?;
            left = Cond::And(Box::new(left), Box::new(right));
            self.cond_chain()?;
        }
        Ok(left)
    }

    /// A chain of `&&` or `||` nests to the left: its links count as levels, so that whoever walks the tree is safe.
    fn cond_chain(&mut self) -> R<()> {
        self.cond_links = self.cond_links.saturating_add(1);
        if self.cond_links > crate::limits::MAX_DEPTH {
            return Err(super::Stop { reason: crate::syntax::ast::SyntaxError::TooDeep, at: self.pos });
        }
        Ok(())
    }

    fn cond_term(&mut self) -> R<Cond> {
        self.newlines()?;
        self.count(1)?;
        if self.at_cond_end() {
            return self.unexpected();
        }
        if self.at(self.pos) == b'(' {
            self.pos += 1;
            let inner = self.deeper(Self::cond_or)?;
            self.close(b')')?;
            self.newlines()?;
            return Ok(Cond::Group(Box::new(inner)));
        }
        // `!` as a word, and `!(` which is no extended glob here.
        if self.at(self.pos) == b'!' {
            let (next, p) = self.look(self.pos + 1);
            if class(next) & META != 0 {
                self.pos = p;
                return Ok(Cond::Not(Box::new(self.deeper(Self::cond_term)?)));
            }
        }
        if !self.at_word() {
            return self.unexpected();
        }
        let left = self.word(Mode::Case)?;
        self.blank();
        if let Some(op) = operator(&left, is_unary) {
            // An operator is one only if an operand follows; `[[ -f ]]` is an error, `[[ -f == x ]]` too.
            if !self.at_word() || self.at_cond_end() {
                return self.unexpected();
            }
            let operand = self.word(Mode::Case)?;
            self.newlines()?;
            return Ok(Cond::Unary(op, operand));
        }
        let op = match self.at(self.pos) {
            b @ (b'<' | b'>') if self.look(self.pos + 1).0 != b'(' => {
                self.pos += 1;
                char::from(b).to_string()
            }
            b'&' if self.pair(b'&', b'&').is_some() => return Ok(Cond::Word(left)),
            b'|' if self.pair(b'|', b'|').is_some() => return Ok(Cond::Word(left)),
            b')' => return Ok(Cond::Word(left)),
            _ if self.at_cond_end() => return Ok(Cond::Word(left)),
            _ if self.at_word() => {
                let word = self.word(Mode::Case)?;
                match operator(&word, is_binary) {
                    Some(op) => op,
                    None => return self.unexpected(),
                }
            }
            _ => return self.unexpected(),
        };
        self.blank();
        let mode = match op.as_str() {
            "==" | "!=" | "=" => Mode::Pattern,
            "=~" => Mode::Regex,
            _ => Mode::Case,
        };
        let regex_group = mode == Mode::Regex && matches!(self.at(self.pos), b'(' | b'|');
        if !regex_group && (!self.at_word() || self.at_cond_end()) {
            return self.unexpected();
        }
        let right = self.word(mode)?;
        self.newlines()?;
        Ok(Cond::Binary(op, left, right))
    }

    fn at_cond_end(&self) -> bool {
        let (a, p) = self.look(self.pos);
        let (b, q) = self.look(p + 1);
        a == b']' && b == b']' && class(self.look(q + 1).0) & META != 0
    }

    fn cond_end_place(&self) -> usize {
        let (_, p) = self.look(self.pos);
        self.look(p + 1).1 + 1
    }
}

/// The text of a word that is an unquoted operator.
fn operator(word: &Word, is: fn(&[u8]) -> bool) -> Option<String> {
    let mut text = Vec::new();
    for part in &word.parts {
        match &part.kind {
            PartKind::Literal(b) => text.extend_from_slice(b),
            _ => return None,
        }
    }
    is(&text).then(|| String::from_utf8_lossy(&text).into_owned())
}

fn is_unary(text: &[u8]) -> bool {
    matches!(text, [b'-', c] if b"abcdefghknoprstuvwxzGLNORS".contains(c))
}

fn is_binary(text: &[u8]) -> bool {
    matches!(
        text,
        b"=" | b"==" | b"!=" | b"=~" | b"-nt" | b"-ot" | b"-ef" | b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge"
    )
}
