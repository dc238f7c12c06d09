//! `${…}`: bash manual "Shell Parameter Expansion".
//!
//! In: the reader after `${`. Out: the expansion as a [`Part`], with every word in it parsed as a word. What the shell
//! would refuse (`bad substitution`) keeps its text as parts, so that no substitution in it is lost. Floor 2.

use super::lexer::{NAME, class, name_start};
use super::word::{Mode, Quoted};
use super::{R, Reader};
use crate::source::Span;
use crate::syntax::ast::{Param, ParamOp, Part, PartKind, ReplaceAt, Subscript, Word};

impl Reader<'_> {
    /// The rest of `${`, whose `$` is at `start`.
    pub(super) fn braced(&mut self, start: usize, around: Option<Quoted>) -> R<Part> {
        let from = self.pos;
        // `${ list; }` and `${| list; }` run a list in newer shells and are refused by bash 5.2, which reads their
        // text as it reads any `${`: kept as parts.
        let read = match self.reference() {
            Some((name, indirect, length)) => self.operation(name, indirect, length, around)?,
            None => {
                self.pos = from;
                Err(Param { name: String::new(), subscript: None, indirect: false, op: ParamOp::None })
            }
        };
        self.pos = self.look(self.pos).1;
        let param = match read {
            Ok(param) if self.at(self.pos) == b'}' => param,
            Ok(mut param) | Err(mut param) => {
                // A bad substitution: what is left of it, as plain parts.
                let rest = match around {
                    Some(_) if !self.dialect.zsh => self.quoted(brace_of(around))?,
                    _ => self.word(Mode::Brace)?.parts,
                };
                param.op = ParamOp::Other(rest);
                param
            }
        };
        if self.at(self.pos) != b'}' {
            return self.open_end();
        }
        self.pos += 1;
        Ok(Part { kind: PartKind::Param(Box::new(param)), span: Span::new(start, self.pos) })
    }

    /// The name, with `!` and `#` before it.
    fn reference(&mut self) -> Option<(String, bool, bool)> {
        let (b, p) = self.look(self.pos);
        let (c, q) = self.look(p + 1);
        let (d, _) = self.look(q + 1);
        let mut indirect = false;
        let mut length = false;
        match b {
            b'#' if class(c) & NAME != 0
                || matches!(c, b'@' | b'*' | b'?' | b'-' | b'$' | b'!' | b'#') && d == b'}' =>
            {
                length = true;
                self.pos = q;
            }
            b'!' if class(c) & NAME != 0 || matches!(c, b'#' | b'@' | b'*' | b'?') && matches!(d, b'}' | b':') => {
                indirect = true;
                self.pos = q;
            }
            _ => self.pos = p,
        }
        let (b, p) = self.look(self.pos);
        let name = if name_start(b) {
            self.name(p)
        } else if b.is_ascii_digit() {
            let mut name = String::new();
            let mut at = p;
            loop {
                let (b, p) = self.look(at);
                if !b.is_ascii_digit() {
                    break;
                }
                name.push(char::from(b));
                at = p + 1;
            }
            self.pos = at;
            name
        } else if b == b'$' && matches!(self.look(p + 1).0, b'(' | b'{' | b'[') {
            // ${${x}}: a bad substitution with an expansion in it.
            return None;
        } else if matches!(b, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            self.pos = p + 1;
            char::from(b).to_string()
        } else {
            return None;
        };
        Some((name, indirect, length))
    }

    /// Subscript and operator. `Err` is a bad substitution, as far as it was read.
    fn operation(
        &mut self,
        name: String,
        indirect: bool,
        length: bool,
        around: Option<Quoted>,
    ) -> R<Result<Param, Param>> {
        let mut subscript = None;
        let (b, p) = self.look(self.pos);
        if b == b'['
            && self.dialect.arrays
            && (self.dialect.zsh || name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()))
        {
            self.pos = p + 1;
            let text = self.arith_in_braces()?;
            if self.at(self.pos) == b'}' {
                let param = Param { name, subscript: Some(Subscript::Index(text)), indirect, op: ParamOp::None };
                return Ok(Err(param));
            }
            self.pos += 1;
            let bytes = text.span.of(self.text);
            subscript = Some(match bytes {
                b"@" => Subscript::At,
                b"*" => Subscript::Star,
                _ => Subscript::Index(text),
            });
        }
        let mut param = Param { name, subscript, indirect, op: ParamOp::None };
        let (b, p) = self.look(self.pos);
        if length {
            param.op = ParamOp::Length;
            return Ok(if b == b'}' { Ok(param) } else { Err(param) });
        }
        if b == b'}' {
            if indirect && let Some(Subscript::At | Subscript::Star) = param.subscript {
                param.op = ParamOp::Keys(param.subscript == Some(Subscript::At));
                param.subscript = None;
            }
            return Ok(Ok(param));
        }
        let (c, q) = self.look(p + 1);
        let doubled = c == b;
        self.pos = p + 1;
        param.op = match b {
            b'*' | b'@' if indirect && c == b'}' && param.subscript.is_none() => ParamOp::Names(b == b'@'),
            b'@' if c.is_ascii_alphabetic() && self.look(q + 1).0 == b'}' => {
                self.pos = q + 1;
                ParamOp::Transform(c)
            }
            b'-' | b'=' | b'?' | b'+' => self.default_op(b, false, around)?,
            b':' if matches!(c, b'-' | b'=' | b'?' | b'+') => {
                self.pos = q + 1;
                self.default_op(c, true, around)?
            }
            // zsh: ${name:l} and its like.
            b':' if self.dialect.zsh && (c.is_ascii_alphabetic() || c == b'&') => {
                self.pos = p;
                return Ok(Err(param));
            }
            b':' => self.substring()?,
            b'#' | b'%' | b'^' | b',' | b'~' => {
                if doubled {
                    self.pos = q + 1;
                }
                self.pattern_op(b, doubled)?
            }
            b'/' => {
                let at = match c {
                    b'/' => ReplaceAt::All,
                    b'#' => ReplaceAt::Start,
                    b'%' => ReplaceAt::End,
                    _ => ReplaceAt::First,
                };
                if at != ReplaceAt::First {
                    self.pos = q + 1;
                }
                self.replace(at)?
            }
            _ => {
                self.pos = p;
                return Ok(Err(param));
            }
        };
        Ok(Ok(param))
    }

    fn default_op(&mut self, op: u8, colon: bool, around: Option<Quoted>) -> R<ParamOp> {
        let word = self.default_word(around)?;
        Ok(match op {
            b'-' => ParamOp::Default(colon, word),
            b'=' => ParamOp::Assign(colon, word),
            b'?' => ParamOp::Error(colon, word),
            _ => ParamOp::Alternative(colon, word),
        })
    }

    fn pattern_op(&mut self, op: u8, doubled: bool) -> R<ParamOp> {
        let pattern = self.word(Mode::Brace)?;
        Ok(match op {
            b'#' => ParamOp::RemovePrefix(doubled, pattern),
            b'%' => ParamOp::RemoveSuffix(doubled, pattern),
            _ => ParamOp::Case(op, doubled, pattern),
        })
    }

    fn replace(&mut self, at: ReplaceAt) -> R<ParamOp> {
        let from = self.pos;
        let mut pattern = Word { parts: Vec::new(), span: Span::new(from, from), assignment: None };
        if at == ReplaceAt::All && self.at(self.pos) == b'/' {
            // `${x////c}`: right behind the operator a slash is part of the pattern.
            self.pos += 1;
            let kind = PartKind::Literal(self.bytes(from, self.pos));
            pattern.parts.push(Part { kind, span: Span::new(from, self.pos) });
        }
        let rest = self.word(Mode::BraceSlash)?;
        pattern.parts.extend(rest.parts);
        pattern.span = Span::new(from, self.pos);
        let mut with = None;
        if self.at(self.pos) == b'/' {
            self.pos += 1;
            with = Some(self.word(Mode::Brace)?);
        }
        Ok(ParamOp::Replace(at, pattern, with))
    }

    fn substring(&mut self) -> R<ParamOp> {
        let offset = self.arith_until_colon()?;
        let mut len = None;
        if self.at(self.pos) == b':' {
            self.pos += 1;
            // Further colons belong to the length.
            let from = self.pos;
            let mut text = self.arith_until_colon()?;
            while self.at(self.pos) == b':' {
                let kind = PartKind::Literal(self.bytes(self.pos, self.pos + 1));
                text.parts.push(Part { kind, span: Span::new(self.pos, self.pos + 1) });
                self.pos += 1;
                let more = self.arith_until_colon()?;
                text.parts.extend(more.parts);
                text.span = Span::new(from, self.pos);
            }
            len = Some(text);
        }
        Ok(ParamOp::Substring(offset, len))
    }

    /// The word of `${x:-word}` and its like: in double quotes it is double-quoted text.
    fn default_word(&mut self, around: Option<Quoted>) -> R<Word> {
        if around.is_none() {
            return self.word(Mode::Brace);
        }
        let start = self.pos;
        let parts = self.quoted(brace_of(around))?;
        Ok(Word { parts, span: Span::new(start, self.pos), assignment: None })
    }
}

fn brace_of(around: Option<Quoted>) -> Quoted {
    match around {
        Some(Quoted::Heredoc | Quoted::BraceHeredoc) => Quoted::BraceHeredoc,
        _ => Quoted::Brace,
    }
}
