//! Compound commands and function definitions: POSIX XCU 2.9.4 and 2.9.5, bash manual "Compound Commands".
//!
//! In: the reader just after the reserved word (or at the parenthesis). Out: the command's kind. Floor 2.

use super::lexer::Reserved;
use super::word::Mode;
use super::{Arithmetic, R, Reader, Stop};
use crate::source::Span;
use crate::syntax::ast::{
    ArithFor, ArithText, Case, CaseArm, CaseEnd, Command, CommandKind, Coproc, For, Function, If, List, Loop,
    SyntaxError,
};
use std::rc::Rc;

/// The name of a function without one.
const ANONYMOUS: &str = "(anon)";

impl Reader<'_> {
    /// `( list )` or `(( expression ))`, at the first parenthesis.
    ///
    /// bash reads `((` as arithmetic if the parenthesis that closes the second one is followed by `)` at once, and
    /// otherwise as a subshell in a subshell: `((a) ; (b))`. What was found is remembered, so that text inside is not
    /// tried again and again.
    pub(super) fn parenthesis(&mut self) -> R<CommandKind> {
        let open = self.pos;
        let (next, inner) = self.look(open + 1);
        if next == b')' && self.dialect.zsh {
            return self.anonymous(inner);
        }
        if self.dialect.arith_command && next == b'(' && self.tried(open).is_none() {
            let mark = self.mark();
            self.pos = inner + 1;
            let text = self.deeper(|this| this.arith(b'(', b')'))?;
            let (last, end) = self.look(self.pos + 1);
            if last == b')' {
                self.pos = end + 1;
                return Ok(CommandKind::Arith(text));
            }
            // bash 5.2 refuses `((a)` at the end of a line.
            if last == b'\n' {
                return Err(Stop { reason: SyntaxError::UnexpectedToken, at: end });
            }
            self.rewind(mark);
            self.try_failed(open, Arithmetic::Subshell);
        }
        self.pos = open + 1;
        self.deeper(|this| {
            let list = this.body()?;
            this.close(b')')?;
            Ok(CommandKind::Subshell(list))
        })
    }

    /// Steps over a closing byte that has to stand here.
    pub(super) fn close(&mut self, byte: u8) -> R<()> {
        if self.at(self.pos) == byte {
            self.pos += 1;
            Ok(())
        } else {
            self.unexpected()
        }
    }

    pub(super) fn group(&mut self) -> R<CommandKind> {
        let list = self.body()?;
        self.expect(Reserved::RBrace)?;
        // zsh: { try } always { finally }. Both run: one list after the other.
        if self.dialect.zsh && self.next_is(b"always") {
            self.newlines()?;
            self.expect(Reserved::LBrace)?;
            let last = self.body()?;
            self.expect(Reserved::RBrace)?;
            let mut both = list;
            both.span = both.span.to(last.span);
            both.items.extend(last.items);
            return Ok(CommandKind::Group(both));
        }
        Ok(CommandKind::Group(list))
    }

    /// Steps over a plain word of exactly this text, if it is next.
    fn next_is(&mut self, text: &[u8]) -> bool {
        let mut at = self.pos;
        while matches!(self.at(at), b' ' | b'\t') {
            at += 1;
        }
        let end = at + text.len();
        let found = self.text.get(at..end) == Some(text) && super::lexer::class(self.at(end)) & super::lexer::META != 0;
        if found {
            self.pos = end;
        }
        found
    }

    pub(super) fn if_command(&mut self) -> R<CommandKind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.body()?;
            if self.short_brace() {
                // zsh: if list { list } elif …
                let body = self.brace_body()?;
                branches.push((condition, body));
                let at = self.pos;
                self.blank();
                match self.reserved(self.pos) {
                    Some((Reserved::Elif, end)) => {
                        self.pos = end;
                        continue;
                    }
                    Some((Reserved::Else, end)) => {
                        self.pos = end;
                        self.newlines()?;
                        let otherwise = Some(self.brace_body()?);
                        return Ok(CommandKind::If(Box::new(If { branches, otherwise })));
                    }
                    _ => self.pos = at,
                }
                return Ok(CommandKind::If(Box::new(If { branches, otherwise: None })));
            }
            self.expect(Reserved::Then)?;
            let body = self.body()?;
            branches.push((condition, body));
            match self.reserved(self.pos) {
                Some((Reserved::Elif, end)) => self.pos = end,
                Some((Reserved::Else, end)) => {
                    self.pos = end;
                    let otherwise = Some(self.body()?);
                    self.expect(Reserved::Fi)?;
                    return Ok(CommandKind::If(Box::new(If { branches, otherwise })));
                }
                _ => {
                    self.expect(Reserved::Fi)?;
                    return Ok(CommandKind::If(Box::new(If { branches, otherwise: None })));
                }
            }
        }
    }

    fn short_brace(&mut self) -> bool {
        self.dialect.zsh && matches!(self.reserved(self.pos), Some((Reserved::LBrace, _)))
    }

    fn brace_body(&mut self) -> R<List> {
        self.expect(Reserved::LBrace)?;
        let list = self.body()?;
        self.expect(Reserved::RBrace)?;
        Ok(list)
    }

    pub(super) fn loop_command(&mut self, until: bool) -> R<CommandKind> {
        let condition = self.body()?;
        let body = if self.short_brace() { self.brace_body()? } else { self.do_body()? };
        Ok(CommandKind::Loop(Box::new(Loop { until, condition, body })))
    }

    fn do_body(&mut self) -> R<List> {
        self.expect(Reserved::Do)?;
        let body = self.body()?;
        self.expect(Reserved::Done)?;
        Ok(body)
    }

    /// `do … done`, or the old `{ … }` that bash takes after `for` and `select`.
    fn for_body(&mut self) -> R<List> {
        match self.reserved(self.pos) {
            Some((Reserved::LBrace, _)) => self.brace_body(),
            Some((Reserved::Do, _)) => self.do_body(),
            _ if self.dialect.zsh => self.short_body(),
            _ => self.unexpected(),
        }
    }

    /// zsh: one and-or list as the body.
    fn short_body(&mut self) -> R<List> {
        let item = self.and_or()?;
        Ok(List { span: item.span, items: vec![item], possible: false })
    }

    /// zsh: `repeat count do … done` or `repeat count command`.
    pub(super) fn repeat(&mut self) -> R<CommandKind> {
        self.blank();
        let count = self.word(Mode::Word)?;
        self.blank();
        if self.at(self.pos) == b';' {
            self.pos += 1;
        }
        self.newlines()?;
        let body = self.for_body()?;
        Ok(CommandKind::For(Box::new(For { name: String::new(), words: Some(vec![count]), body })))
    }

    pub(super) fn for_command(&mut self) -> R<CommandKind> {
        self.blank();
        if self.dialect.arith_command && self.at(self.pos) == b'(' && self.look(self.pos + 1).0 == b'(' {
            return self.arith_for();
        }
        Ok(CommandKind::For(Box::new(self.for_words()?)))
    }

    /// The rest of `for` and `select`. bash takes any word as the name and complains only when it runs.
    pub(super) fn for_words(&mut self) -> R<For> {
        self.blank();
        let name = self.name_word()?;
        self.blank();
        let mut words = None;
        if self.dialect.zsh && self.at(self.pos) == b'(' {
            self.pos += 1;
            words = Some(self.word_list(true)?);
            self.close(b')')?;
            self.blank();
            if self.at(self.pos) == b';' {
                self.pos += 1;
            }
        } else if self.at(self.pos) == b';' && self.case_end().is_none() {
            self.pos += 1;
        } else {
            self.newlines()?;
            if let Some((Reserved::In, end)) = self.reserved(self.pos) {
                self.pos = end;
                words = Some(self.word_list(false)?);
                match self.at(self.pos) {
                    b';' if self.case_end().is_none() => self.pos += 1,
                    b'\n' => {}
                    _ => return self.unexpected(),
                }
            }
        }
        self.newlines()?;
        let body = self.for_body()?;
        Ok(For { name, words, body })
    }

    fn word_list(&mut self, lines: bool) -> R<Vec<crate::syntax::ast::Word>> {
        let mut words = Vec::new();
        loop {
            if lines {
                self.newlines()?;
            }
            self.blank();
            if !self.at_word() {
                return Ok(words);
            }
            words.push(self.word(Mode::Word)?);
        }
    }

    /// A word whose text is a name: its literal text, or its bytes as written where it has expansions.
    pub(super) fn name_word(&mut self) -> R<String> {
        if !self.at_word() {
            return self.unexpected();
        }
        let word = self.word(Mode::Case)?;
        let bytes = word.literal().unwrap_or_else(|| word.span.of(self.text).to_vec());
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn arith_for(&mut self) -> R<CommandKind> {
        let open = self.pos;
        self.pos = self.look(self.pos + 1).1 + 1;
        let mut texts: [ArithText; 3] = Default::default();
        let mut n = 0usize;
        loop {
            let text = self.arith_until_semicolon()?;
            if let Some(slot) = texts.get_mut(n) {
                *slot = text;
            }
            n += 1;
            if self.at(self.pos) != b';' {
                break;
            }
            self.pos += 1;
        }
        // At `)`: the other one has to follow, and there have to be three expressions.
        let (last, end) = self.look(self.pos + 1);
        if last != b')' || n != 3 {
            return Err(Stop { reason: SyntaxError::UnexpectedToken, at: open });
        }
        self.pos = end + 1;
        self.blank();
        if self.at(self.pos) == b';' && self.case_end().is_none() {
            self.pos += 1;
        }
        self.newlines()?;
        let body = self.for_body()?;
        let [init, test, step] = texts;
        Ok(CommandKind::ArithFor(Box::new(ArithFor { init, test, step, body })))
    }

    pub(super) fn case_command(&mut self) -> R<CommandKind> {
        self.blank();
        if !self.at_word() {
            return self.unexpected();
        }
        let word = self.word(Mode::Case)?;
        self.newlines()?;
        self.expect(Reserved::In)?;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            // `esac` ends the command; after `(` it is a pattern: case esac in (esac) …
            if let Some((Reserved::Esac, end)) = self.reserved(self.pos) {
                self.pos = end;
                break;
            }
            if self.at(self.pos) == b'(' {
                self.pos += 1;
                self.blank();
            }
            let mut patterns = Vec::new();
            loop {
                if !self.at_word() {
                    return self.unexpected();
                }
                patterns.push(self.word(Mode::Pattern)?);
                self.blank();
                match self.at(self.pos) {
                    b'|' => self.pos += 1,
                    b')' => break,
                    _ => return self.unexpected(),
                }
                self.blank();
            }
            self.pos += 1;
            let body = self.compound_list()?;
            if let Some((end, at)) = self.case_end() {
                self.pos = at;
                arms.push(CaseArm { patterns, body, end });
            } else {
                arms.push(CaseArm { patterns, body, end: CaseEnd::Break });
                self.expect(Reserved::Esac)?;
                break;
            }
        }
        Ok(CommandKind::Case(Box::new(Case { word, arms })))
    }

    /// After the reserved word `function`: a name, perhaps `()`, and a body.
    pub(super) fn function_keyword(&mut self) -> R<CommandKind> {
        self.blank();
        let name = self.name_word()?;
        self.blank();
        if self.at(self.pos) == b'(' && self.at(self.blank_after(self.pos + 1)) == b')' {
            self.pos += 1;
            self.blank();
            self.pos += 1;
        }
        self.function_body(name)
    }

    /// The place of the next byte that is neither blank nor continuation.
    fn blank_after(&self, mut at: usize) -> usize {
        loop {
            let (b, p) = self.look(at);
            if !matches!(b, b' ' | b'\t') {
                return p;
            }
            at = p + 1;
        }
    }

    /// `()` and a body, for the function of that name; at the `(`.
    pub(super) fn function_parentheses(&mut self, name: String) -> R<CommandKind> {
        self.pos += 1;
        self.blank();
        self.close(b')')?;
        self.function_body(name)
    }

    fn function_body(&mut self, name: String) -> R<CommandKind> {
        self.newlines()?;
        if !self.at_compound() && !self.dialect.any_body {
            return self.unexpected();
        }
        let body = Rc::new(self.deeper(Self::command)?);
        Ok(CommandKind::Function(Box::new(Function { name, body, event: false })))
    }

    /// zsh: `() { … }` runs at once.
    fn anonymous(&mut self, close: usize) -> R<CommandKind> {
        self.pos = close + 1;
        self.newlines()?;
        self.expect(Reserved::LBrace)?;
        let from = self.pos;
        let body = self.deeper(Self::group)?;
        let span = Span::new(from, self.pos);
        let mut words = Vec::new();
        loop {
            self.blank();
            if !self.at_word() {
                break;
            }
            words.push(self.word(Mode::Word)?);
        }
        if words.is_empty() {
            return Ok(body);
        }
        // With arguments it is a function that is called once.
        let at = Span::new(close, close + 1);
        let name = crate::syntax::ast::PartKind::Literal(crate::syntax::ast::Bytes::from_slice(ANONYMOUS.as_bytes()));
        let part = crate::syntax::ast::Part { kind: name, span: at };
        words.insert(0, crate::syntax::ast::Word { parts: vec![part], span: at, assignment: None });
        let command = |kind, span| Command { kind, redirects: Vec::new(), span };
        let function = Function { name: ANONYMOUS.into(), body: Rc::new(command(body, span)), event: false };
        let whole = Span::new(close, self.pos);
        let stages = [
            command(CommandKind::Function(Box::new(function)), span),
            command(CommandKind::Simple(crate::syntax::ast::Simple { assignments: Vec::new(), words }), whole),
        ];
        let mut list = List { span: whole, ..List::default() };
        for stage in stages {
            let mut program = crate::syntax::ast::Program::of(&stage);
            list.items.extend(program.lists.pop().into_iter().flat_map(|l| l.items));
        }
        Ok(CommandKind::Group(list))
    }

    /// After `coproc`: a compound command, a name and a compound command, or a simple command.
    pub(super) fn coproc(&mut self) -> R<CommandKind> {
        self.blank();
        let mut name = String::from("COPROC");
        if self.reserved(self.pos).is_some_and(|(w, _)| !w.begins_compound() && w != Reserved::Time) {
            return self.unexpected();
        }
        if !self.at_compound() {
            let start = self.pos;
            let mut at = start;
            while super::lexer::class(self.at(at)) & super::lexer::META == 0
                && !matches!(self.at(at), b'\'' | b'"' | b'`' | b'$' | b'\\')
            {
                at += 1;
            }
            self.pos = at;
            self.blank();
            if at > start && self.at_compound() {
                name = String::from_utf8_lossy(Span::new(start, at).of(self.text)).into_owned();
            } else {
                self.pos = start;
            }
        }
        // `coproc time x` runs a program of that name.
        let body = if self.at_compound() { self.command()? } else { self.simple(self.pos)? };
        Ok(CommandKind::Coproc(Box::new(Coproc { name, body })))
    }
}
