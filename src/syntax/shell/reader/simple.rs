//! Simple commands, assignments and redirections: POSIX XCU 2.7, 2.9.1; bash manual "Simple Commands", "Arrays".
//!
//! In: the reader where a command's words begin. Out: a [`Command`] (a function definition where `()` follows the first
//! word). Floor 2.

use super::assign::Head;
use super::lexer::{META, class};
use super::word::Mode;
use super::{R, Reader, add};
use crate::limits::MAX_HEREDOCS;
use crate::source::Span;
use crate::syntax::ast::{Command, CommandKind, Heredoc, Redirect, RedirectFd, RedirectOp, Simple, SyntaxError, Word};

impl Reader<'_> {
    /// A simple command that begins here.
    pub(super) fn simple(&mut self, start: usize) -> R<Command> {
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut end = self.pos;
        // Words of the form name=(…) are read as arrays after the builtins that bash reads so.
        let mut declares = false;
        loop {
            self.blank();
            match self.at(self.pos) {
                0 | b'\n' | b';' | b'|' | b')' => break,
                b'(' => {
                    let defines = simple.words.len() == 1 && simple.assignments.is_empty() && redirects.is_empty();
                    if let (true, Some(word)) = (defines, simple.words.first()) {
                        let bytes = word.literal().unwrap_or_else(|| word.span.of(self.text).to_vec());
                        let name = String::from_utf8_lossy(&bytes).into_owned();
                        let kind = self.deeper(|this| this.function_parentheses(name))?;
                        return Ok(Command { kind, redirects, span: Span::new(start, self.pos) });
                    }
                    return self.unexpected();
                }
                b'<' | b'>' | b'&' | b'{' | b'0'..=b'9' => {
                    if let Some(redirect) = self.redirect()? {
                        add(&mut redirects, redirect);
                        end = self.pos;
                        declares = false;
                        continue;
                    }
                    if self.at(self.pos) == b'&' {
                        break;
                    }
                }
                // zsh closes a group without a separator before it: { a }
                b'}' if self.dialect.zsh && self.reserved(self.pos).is_some() => break,
                _ => {}
            }
            if simple.words.is_empty() {
                if let Some(head) = self.head(self.pos) {
                    match self.assignment(head)? {
                        Ok(assignment) => add(&mut simple.assignments, assignment),
                        Err(word) => add(&mut simple.words, word),
                    }
                } else {
                    let word = self.word(Mode::First)?;
                    declares = self.dialect.arrays && declaration(&word);
                    add(&mut simple.words, word);
                }
            } else {
                let word = if declares { self.declared()? } else { self.word(Mode::Word)? };
                // `command export a=b` and `builtin export a=b` declare, too, but read no arrays.
                add(&mut simple.words, word);
            }
            end = self.pos;
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return self.unexpected();
        }
        Ok(Command { kind: CommandKind::Simple(simple), redirects, span: Span::new(start, end) })
    }

    /// An argument of a declaration builtin.
    fn declared(&mut self) -> R<Word> {
        match self.head(self.pos) {
            Some(Head { subscript: false, value, .. }) if self.at(value) == b'(' => self.declared_array(),
            Some(_) => self.declared_word(),
            None => self.word(Mode::Word),
        }
    }

    /// True where a word begins here.
    pub(super) fn at_word(&self) -> bool {
        let b = self.at(self.pos);
        class(b) & META == 0 || self.dialect.process && matches!(b, b'<' | b'>') && self.look(self.pos + 1).0 == b'('
    }

    /// A redirection, where one begins here.
    pub(super) fn redirect(&mut self) -> R<Option<Redirect>> {
        let start = self.pos;
        let mut at = start;
        let mut fd = RedirectFd::Default;
        match self.at(at) {
            b'<' | b'>' | b'&' => {}
            b'0'..=b'9' => {
                let mut n = 0u32;
                loop {
                    let (b, p) = self.look(at);
                    if !b.is_ascii_digit() {
                        at = p;
                        break;
                    }
                    n = n.saturating_mul(10).saturating_add(u32::from(b - b'0'));
                    at = p + 1;
                }
                fd = RedirectFd::Number(n);
            }
            b'{' if self.dialect.fd_variable => {
                let Some((name, end)) = self.fd_variable(at + 1) else { return Ok(None) };
                fd = RedirectFd::Variable(name);
                at = end;
            }
            _ => return Ok(None),
        }
        let Some((op, end)) = self.redirect_op(at, fd == RedirectFd::Default) else { return Ok(None) };
        self.pos = end;
        self.blank();
        let dup = matches!(op, RedirectOp::DupIn | RedirectOp::DupOut);
        if !self.at_word() || !dup && self.at_descriptor() {
            return self.unexpected();
        }
        self.count(1)?;
        let mut heredoc = None;
        let target = match op {
            RedirectOp::Heredoc | RedirectOp::HeredocTabs => {
                if self.pending.len() >= MAX_HEREDOCS {
                    return Err(super::Stop { reason: SyntaxError::TooLarge, at: self.pos });
                }
                let (word, id) = self.delimiter(op == RedirectOp::HeredocTabs)?;
                heredoc = Some(Heredoc {
                    quoted: false,
                    parts: Vec::new(),
                    span: Span { start: id, end: u32::MAX },
                    closed: false,
                });
                word
            }
            RedirectOp::HereString => self.word(Mode::Case)?,
            _ => self.word(Mode::Word)?,
        };
        Ok(Some(Redirect { fd, op, target, heredoc, span: Span::new(start, self.pos) }))
    }

    /// True where a descriptor stands before another redirection: `>2>x` is a syntax error.
    fn at_descriptor(&self) -> bool {
        let mut at = self.pos;
        if self.at(at) == b'{' && self.dialect.fd_variable {
            return self.fd_variable(at + 1).is_some_and(|(_, p)| self.look(p + 1).0 != b'(');
        }
        while self.at(at).is_ascii_digit() {
            at = self.look(at + 1).1;
        }
        at > self.pos && matches!(self.at(at), b'<' | b'>') && self.look(at + 1).0 != b'('
    }

    /// `name}` or `name[sub]}` after `{`, followed by `<` or `>`.
    fn fd_variable(&self, from: usize) -> Option<(String, usize)> {
        let mut name = Vec::new();
        let mut at = from;
        loop {
            let (b, p) = self.look(at);
            at = p + 1;
            match b {
                b'}' if !name.is_empty() => break,
                b'[' | b']' if !name.is_empty() => name.push(b),
                _ if b.is_ascii_alphanumeric() || b == b'_' => name.push(b),
                _ => return None,
            }
        }
        if name.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let (b, p) = self.look(at);
        matches!(b, b'<' | b'>').then(|| (String::from_utf8_lossy(&name).into_owned(), p))
    }

    /// The redirection operator at `at`, with the place after it. `bare`: no descriptor stands before it.
    fn redirect_op(&self, at: usize, bare: bool) -> Option<(RedirectOp, usize)> {
        let d = self.dialect;
        let (second, p) = self.look(at + 1);
        let one = p + 1;
        Some(match (self.at(at), second) {
            (b'<' | b'>', b'(') if d.process => return None,
            (b'<', b'<') => {
                let (third, q) = self.look(one);
                match third {
                    b'-' => (RedirectOp::HeredocTabs, q + 1),
                    b'<' if d.here_string => (RedirectOp::HereString, q + 1),
                    _ => (RedirectOp::Heredoc, one),
                }
            }
            (b'<', b'&') => (RedirectOp::DupIn, one),
            (b'<', b'>') => (RedirectOp::ReadWrite, one),
            (b'<', _) => (RedirectOp::Read, at + 1),
            (b'>', b'>') => (RedirectOp::Append, one),
            (b'>', b'&') => (RedirectOp::DupOut, one),
            (b'>', b'|') => (RedirectOp::Clobber, one),
            (b'>', b'!') if d.zsh => (RedirectOp::Clobber, one),
            (b'>', _) => (RedirectOp::Write, at + 1),
            (b'&', b'>') if bare && d.both => {
                let (third, q) = self.look(one);
                if third == b'>' { (RedirectOp::BothAppend, q + 1) } else { (RedirectOp::BothWrite, one) }
            }
            _ => return None,
        })
    }
}

/// True for the builtins after which bash reads `name=(…)`: those that its table marks as assignment builtins, and
/// `eval` and `let`. This belongs to the language: after any other word such text is a syntax error.
fn declaration(word: &Word) -> bool {
    use crate::syntax::ast::PartKind;
    let [part] = word.parts.as_slice() else { return false };
    let PartKind::Literal(text) = &part.kind else { return false };
    matches!(text.as_slice(), b"declare" | b"typeset" | b"local" | b"export" | b"readonly" | b"eval" | b"let")
}
