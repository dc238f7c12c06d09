//! Lists, and-or lists, pipelines and commands: POSIX XCU 2.9, bash manual "Shell Commands".
//!
//! In: the reader at the start of a construct. Out: its node, the reader after it; or where and why it stopped. Floor 2.

use super::lexer::Reserved;
use super::{R, Reader, Stop, add};
use crate::limits::{MAX_DEPTH, MAX_NODES};
use crate::source::Span;
use crate::syntax::ast::{AndOr, AndOrOp, Command, CommandKind, List, Pipeline, SyntaxError};

impl Reader<'_> {
    /// Runs `f` one level deeper.
    pub(super) fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop { reason: SyntaxError::TooDeep, at: self.pos });
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Counts nodes against the limit.
    pub(super) fn count(&mut self, nodes: usize) -> R<()> {
        self.nodes = self.nodes.saturating_add(u32::try_from(nodes).unwrap_or(u32::MAX));
        if self.nodes > MAX_NODES { Err(Stop { reason: SyntaxError::TooLarge, at: self.pos }) } else { Ok(()) }
    }

    /// One complete command: everything up to a newline or the end of the text, which is left unread.
    pub(super) fn line(&mut self) -> R<List> {
        let mut list = List::default();
        loop {
            let mut item = self.and_or()?;
            self.blank();
            let mut done = false;
            match self.at(self.pos) {
                b';' if self.case_end().is_none() => self.pos += 1,
                b'&' => {
                    item.background = true;
                    self.pos += 1;
                    self.disown();
                }
                b'\n' => done = true,
                0 => done = true,
                _ => return self.unexpected(),
            }
            push(&mut list, item);
            self.blank();
            if done || matches!(self.at(self.pos), b'\n' | 0) {
                return Ok(list);
            }
        }
    }

    /// zsh `&|` and `&!`.
    fn disown(&mut self) {
        if self.dialect.zsh && matches!(self.at(self.pos), b'|' | b'!') {
            self.pos += 1;
        }
    }

    /// The list inside a compound command, up to whatever ends it (`)`, a reserved word, `;;`). May come back empty.
    pub(super) fn compound_list(&mut self) -> R<List> {
        let mut list = List::default();
        self.newlines()?;
        list.span = Span::new(self.pos, self.pos);
        loop {
            if matches!(self.at(self.pos), 0 | b')')
                || self.reserved(self.pos).is_some_and(|(w, _)| w.ends_list())
                || self.case_end().is_some()
            {
                return Ok(list);
            }
            if self.dialect.zsh && self.at(self.pos) == b';' {
                self.pos += 1;
                self.newlines()?;
                continue;
            }
            let mut item = self.and_or()?;
            self.blank();
            let more = match self.at(self.pos) {
                b';' if self.case_end().is_none() => {
                    self.pos += 1;
                    true
                }
                b'&' => {
                    item.background = true;
                    self.pos += 1;
                    self.disown();
                    true
                }
                b'\n' => true,
                _ => false,
            };
            push(&mut list, item);
            if !more {
                return Ok(list);
            }
            self.newlines()?;
        }
    }

    /// A list that the grammar wants non-empty.
    pub(super) fn body(&mut self) -> R<List> {
        let list = self.compound_list()?;
        if list.items.is_empty() && !self.dialect.zsh { self.unexpected() } else { Ok(list) }
    }

    /// Pipelines joined by `&&` and `||`.
    pub(super) fn and_or(&mut self) -> R<AndOr> {
        let first = self.pipeline()?;
        let mut span = first.span;
        let mut rest = Vec::new();
        loop {
            self.blank();
            let (op, end) = if let Some(end) = self.pair(b'&', b'&') {
                (AndOrOp::And, end)
            } else if let Some(end) = self.pair(b'|', b'|') {
                (AndOrOp::Or, end)
            } else {
                return Ok(AndOr { first, rest, background: false, span });
            };
            self.pos = end;
            self.newlines()?;
            let next = self.pipeline()?;
            span = span.to(next.span);
            add(&mut rest, (op, next));
        }
    }

    fn pipeline(&mut self) -> R<Pipeline> {
        self.blank();
        let start = self.pos;
        let mut p = Pipeline {
            negated: false,
            timed: None,
            stages: Vec::new(),
            pipe_stderr: Vec::new(),
            span: Span::new(start, start),
        };
        let mut prefix = false;
        let word_time = self.word_time == start;
        loop {
            match self.reserved(self.pos) {
                Some((Reserved::Bang, end)) => {
                    p.negated = !p.negated;
                    self.pos = end;
                }
                Some((Reserved::Time, end)) => {
                    let from = self.pos;
                    self.pos = end;
                    p.timed = Some(Span::new(from, self.time_options()));
                }
                _ => break,
            }
            prefix = true;
            p.span = Span::new(start, self.pos);
            self.blank();
        }
        // `time` and `!` alone are commands of their own: `!; echo $?`.
        if prefix && (matches!(self.at(self.pos), b'\n' | 0) || self.at(self.pos) == b';' && self.case_end().is_none())
        {
            return Ok(p);
        }
        // `$(time list)`: bash reads the list twice, and the first time `time` is no reserved word there. So a compound
        // command after it is a syntax error, and `$(time)` is none.
        if word_time && prefix {
            if self.at(self.pos) == b')' {
                return Ok(p);
            }
            if self.at_compound() {
                return self.unexpected();
            }
        }
        loop {
            let command = self.command()?;
            p.span = Span::new(start, start).to(command.span);
            add(&mut p.stages, command);
            self.blank();
            if self.at(self.pos) != b'|' {
                return Ok(p);
            }
            let (next, at) = self.look(self.pos + 1);
            let stderr = match next {
                b'|' => return Ok(p),
                b'&' if self.dialect.pipe_stderr => true,
                _ => false,
            };
            self.pos = if stderr { at + 1 } else { self.pos + 1 };
            add(&mut p.pipe_stderr, stderr);
            self.newlines()?;
            // `a | ! b` is a syntax error; `a | time b` runs a program of that name.
            if matches!(self.reserved(self.pos), Some((Reserved::Bang, _))) {
                return self.unexpected();
            }
        }
    }

    /// `-p` and `--` after the reserved word `time`; gives the end of the last one.
    fn time_options(&mut self) -> usize {
        let mut end = self.pos;
        for option in [b"-p", b"--"] {
            self.blank();
            let at = self.pos;
            if self.text.get(at..at + 2) == Some(option)
                && super::lexer::class(self.at(at + 2)) & super::lexer::META != 0
            {
                self.pos = at + 2;
                end = self.pos;
            }
        }
        end
    }

    /// A command with its redirections.
    pub(super) fn command(&mut self) -> R<Command> {
        self.blank();
        self.count(1)?;
        let start = self.pos;
        let Some(kind) = self.compound()? else { return self.simple(start) };
        let mut redirects = Vec::new();
        let mut end = self.pos;
        loop {
            self.blank();
            let Some(redirect) = self.redirect()? else { break };
            add(&mut redirects, redirect);
            end = self.pos;
        }
        self.pos = self.pos.max(end);
        Ok(Command { kind, redirects, span: Span::new(start, end) })
    }

    /// A compound command where one begins here, without its redirections.
    fn compound(&mut self) -> R<Option<CommandKind>> {
        if self.at(self.pos) == b'(' {
            return self.parenthesis().map(Some);
        }
        let Some((word, end)) = self.reserved(self.pos) else { return Ok(None) };
        let after = |this: &mut Self| this.pos = end;
        match word {
            Reserved::Time => return Ok(None),
            Reserved::Bang | Reserved::In | Reserved::CondEnd => return self.unexpected(),
            w if w.ends_list() => return self.unexpected(),
            _ => after(self),
        }
        self.deeper(|this| {
            Ok(Some(match word {
                Reserved::LBrace => this.group()?,
                Reserved::If => this.if_command()?,
                Reserved::For => this.for_command()?,
                Reserved::Select => CommandKind::Select(Box::new(this.for_words()?)),
                Reserved::While => this.loop_command(false)?,
                Reserved::Until => this.loop_command(true)?,
                Reserved::Case => this.case_command()?,
                Reserved::DBracket => this.cond_command()?,
                Reserved::Function => this.function_keyword()?,
                Reserved::Coproc => this.coproc()?,
                Reserved::Repeat => this.repeat()?,
                _ => return this.unexpected(),
            }))
        })
    }

    /// True where a compound command begins here.
    pub(super) fn at_compound(&self) -> bool {
        self.at(self.pos) == b'(' || self.reserved(self.pos).is_some_and(|(w, _)| w.begins_compound())
    }
}

/// Adds an item and widens the list's span.
fn push(list: &mut List, item: AndOr) {
    list.span = if list.items.is_empty() { item.span } else { list.span.to(item.span) };
    add(&mut list.items, item);
}
