//! fish: text → the same tree as the other shells, by a small reader of its own.
//!
//! In: bytes. Out: a [`Program`] whose nodes have fish's meaning: a word expands to the product of the lists of its parts,
//! and nothing is split; the evaluator knows that by the language. fish reads a whole text before it runs any of it, so
//! behind a syntax error all of it is marked `possible`. Facts: fish-doc "The fish language", fish 3.6. Floor 2; imports
//! `source`, `limits`, `syntax::ast`. Linear, and no deeper than [`MAX_DEPTH`].

mod block;
mod word;

use crate::limits::{MAX_DEPTH, MAX_INPUT, MAX_NODES};
use crate::source::Span;
use crate::syntax::ast::{
    AndOr, AndOrOp, Command, CommandKind, List, Pipeline, Program, Redirect, RedirectFd, RedirectOp, Simple,
    SyntaxError, Unparsed, Word,
};

/// Reads a text.
pub fn read(text: &[u8]) -> Program {
    let span = Span::new(0, text.len());
    if text.len() > MAX_INPUT {
        return Program {
            unparsed: vec![Unparsed { span, reason: SyntaxError::TooLarge }],
            span,
            ..Program::default()
        };
    }
    let mut reader = Reader { text, pos: 0, depth: 0, nodes: 0, comments: Vec::new() };
    let (list, stop) = reader.top();
    let mut program = Program { span, comments: reader.comments, ..Program::default() };
    if let Some((at, reason)) = stop {
        program.unparsed.push(Unparsed { span: Span::new(at.min(text.len()), text.len()), reason });
    }
    if !list.items.is_empty() {
        program.lists.push(List { possible: stop.is_some(), ..list });
    }
    program
}

/// Where and why reading stopped.
type Stop = (usize, SyntaxError);
type R<T> = Result<T, Stop>;

struct Reader<'a> {
    text: &'a [u8],
    pos: usize,
    depth: u32,
    nodes: u32,
    comments: Vec<Span>,
}

impl Reader<'_> {
    fn at(&self, i: usize) -> u8 {
        self.text.get(i).copied().unwrap_or(0)
    }

    fn here(&self) -> u8 {
        self.at(self.pos)
    }

    fn ended(&self) -> bool {
        self.pos >= self.text.len()
    }

    fn step(&mut self, n: usize) {
        self.pos = self.pos.saturating_add(n).min(self.text.len());
    }

    fn span(&self, from: usize) -> Span {
        Span::new(from, self.pos)
    }

    fn unexpected<T>(&self) -> R<T> {
        let reason = if self.ended() { SyntaxError::UnexpectedEnd } else { SyntaxError::UnexpectedToken };
        Err((self.pos, reason))
    }

    fn count(&mut self) -> R<()> {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > MAX_NODES { Err((self.pos, SyntaxError::TooLarge)) } else { Ok(()) }
    }

    fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        if self.depth >= MAX_DEPTH {
            return Err((self.pos, SyntaxError::TooDeep));
        }
        self.depth = self.depth.saturating_add(1);
        let r = f(self);
        self.depth = self.depth.saturating_sub(1);
        r
    }

    /// The whole text, as far as it can be read.
    fn top(&mut self) -> (List, Option<Stop>) {
        let mut list = List::default();
        let stop = match self.items(&mut list) {
            Err(stop) => Some(stop),
            Ok(()) if self.ended() => None,
            // `end`, `else`, `case` or `)` without what they belong to.
            Ok(()) => Some((self.pos, SyntaxError::UnexpectedToken)),
        };
        (list, stop)
    }

    /// Statements up to the end, a `)`, or a word that ends or divides a block; that is left unread.
    fn items(&mut self, list: &mut List) -> R<()> {
        loop {
            self.between();
            if self.ended() || self.here() == b')' || self.divider() {
                return Ok(());
            }
            let from = self.pos;
            let joins = self.joining();
            let mut item = self.and_or()?;
            self.blanks();
            match self.here() {
                b'&' => {
                    item.background = true;
                    self.step(1);
                }
                b';' | b'\n' | b'\r' => self.step(1),
                b')' | b'#' => {}
                _ if self.ended() => {}
                _ => return self.unexpected(),
            }
            // `a; and b` runs b where a did not fail: the same as `a && b`.
            match (joins, list.items.last_mut()) {
                (Some(op), Some(last)) if !last.background => {
                    last.span = last.span.to(item.span);
                    last.rest.push((op, item.first));
                    last.rest.append(&mut item.rest);
                    last.background |= item.background;
                }
                _ => {
                    list.span = if list.items.is_empty() { item.span } else { list.span.to(item.span) };
                    list.items.push(item);
                }
            }
            list.span = list.span.to(self.span(from));
        }
    }

    /// Blanks and continued lines.
    fn blanks(&mut self) {
        loop {
            match self.here() {
                b' ' | b'\t' => self.step(1),
                b'\\' if self.at(self.pos.saturating_add(1)) == b'\n' => self.step(2),
                _ => return,
            }
        }
    }

    /// What may stand between two statements.
    fn between(&mut self) {
        loop {
            self.blanks();
            match self.here() {
                b'\n' | b'\r' | b';' => self.step(1),
                b'#' => self.comment(),
                _ => return,
            }
        }
    }

    /// Newlines and comments, after an operator that goes on.
    fn newlines(&mut self) {
        loop {
            self.blanks();
            match self.here() {
                b'\n' | b'\r' => self.step(1),
                b'#' => self.comment(),
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        let from = self.pos;
        let rest = self.text.get(from..).unwrap_or(&[]);
        self.step(rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()));
        let span = self.span(from);
        self.comments.push(span);
    }

    /// The bare word at this place, where it is nothing else than letters.
    fn keyword(&self) -> &[u8] {
        let rest = self.text.get(self.pos..).unwrap_or(&[]);
        let n = rest.iter().take(16).take_while(|b| b.is_ascii_lowercase()).count();
        let ends = match rest.get(n) {
            None => true,
            Some(b) => matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b')' | b'#'),
        };
        if ends { rest.get(..n).unwrap_or(&[]) } else { &[] }
    }

    /// True at a word that ends or divides the block around it.
    fn divider(&self) -> bool {
        matches!(self.keyword(), b"end" | b"else" | b"case") || self.here() == b'}' && self.depth > 0
    }

    /// Takes a word if it stands here.
    fn take(&mut self, word: &[u8]) -> bool {
        let here = self.keyword() == word;
        if here {
            self.step(word.len());
        }
        here
    }

    /// `and` or `or` before a statement.
    fn joining(&mut self) -> Option<AndOrOp> {
        let op = match self.keyword() {
            b"and" => AndOrOp::And,
            b"or" => AndOrOp::Or,
            _ => return None,
        };
        let n = self.keyword().len();
        self.step(n);
        self.blanks();
        Some(op)
    }

    /// Pipelines joined by `&&` and `||`.
    fn and_or(&mut self) -> R<AndOr> {
        let first = self.pipeline()?;
        let mut span = first.span;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let op = match (self.here(), self.at(self.pos.saturating_add(1))) {
                (b'&', b'&') => AndOrOp::And,
                (b'|', b'|') => AndOrOp::Or,
                _ => return Ok(AndOr { first, rest, background: false, span }),
            };
            self.step(2);
            self.newlines();
            let next = self.pipeline()?;
            span = span.to(next.span);
            rest.push((op, next));
        }
    }

    fn pipeline(&mut self) -> R<Pipeline> {
        let start = self.pos;
        let mut p = Pipeline {
            negated: false,
            timed: None,
            stages: Vec::new(),
            pipe_stderr: Vec::new(),
            span: Span::new(start, start),
        };
        loop {
            self.blanks();
            let from = self.pos;
            if self.take(b"not") || self.here() == b'!' && matches!(self.at(from.saturating_add(1)), b' ' | b'\t') {
                if self.here() == b'!' {
                    self.step(1);
                }
                p.negated = !p.negated;
            } else if self.take(b"time") {
                p.timed = Some(self.span(from));
            } else {
                break;
            }
        }
        loop {
            let (command, piped) = self.command()?;
            p.stages.push(command);
            p.span = self.span(start);
            let both = match piped {
                Some(both) => both,
                None => {
                    self.blanks();
                    match (self.here(), self.at(self.pos.saturating_add(1))) {
                        (b'|', b'|') => return Ok(p),
                        (b'|', _) => {
                            self.step(1);
                            false
                        }
                        (b'&', b'|') => {
                            self.step(2);
                            true
                        }
                        _ => return Ok(p),
                    }
                }
            };
            p.pipe_stderr.push(both);
            self.newlines();
        }
    }

    /// A command with its redirections; and where `2>|` ended it: whether standard error is piped.
    fn command(&mut self) -> R<(Command, Option<bool>)> {
        self.count()?;
        self.blanks();
        let start = self.pos;
        let mut redirects = Vec::new();
        let kind = match self.deeper(Self::block)? {
            Some(kind) => {
                let piped = self.redirects(&mut redirects)?;
                return Ok((Command { kind, redirects, span: self.span(start) }, piped));
            }
            None => Simple::default(),
        };
        let mut simple = kind;
        let mut piped = None;
        let mut end = self.pos;
        loop {
            self.blanks();
            if let Some(pipe) = self.redirect(&mut redirects)? {
                end = self.pos;
                if pipe.is_some() {
                    piped = pipe;
                    break;
                }
                continue;
            }
            if self.ends_word() || self.here() == b'#' {
                break;
            }
            if simple.words.is_empty()
                && let Some(read) = self.assignment()?
            {
                match read {
                    Ok(assignment) => simple.assignments.push(assignment),
                    // fish knows no assignment but `set`.
                    Err(word) => return Err((word.span.start as usize, SyntaxError::UnexpectedToken)),
                }
            } else {
                let word = self.word()?;
                simple.words.push(word);
            }
            end = self.pos;
        }
        if simple.words.is_empty() {
            // `a=b` alone is an error, and so are redirections alone.
            return self.unexpected();
        }
        let span = Span::new(start, end);
        Ok((Command { kind: CommandKind::Simple(simple), redirects, span }, piped))
    }

    /// Redirections after a block.
    fn redirects(&mut self, out: &mut Vec<Redirect>) -> R<Option<bool>> {
        loop {
            self.blanks();
            match self.redirect(out)? {
                Some(None) => {}
                Some(pipe) => return Ok(pipe),
                None => return Ok(None),
            }
        }
    }

    /// A redirection, where one begins here. `2>|` is a pipe: then whether it carries standard error.
    fn redirect(&mut self, out: &mut Vec<Redirect>) -> R<Option<Option<bool>>> {
        let start = self.pos;
        let mut fd = RedirectFd::Default;
        let digits = self.text.get(start..).unwrap_or(&[]).iter().take(9).take_while(|b| b.is_ascii_digit()).count();
        let mut at = start;
        if digits > 0 {
            let text = self.text.get(start..start.saturating_add(digits)).unwrap_or(&[]);
            let n = text.iter().fold(0u32, |n, d| n.saturating_mul(10).saturating_add(u32::from(d.wrapping_sub(b'0'))));
            fd = RedirectFd::Number(n);
            at = start.saturating_add(digits);
        }
        let rest = self.text.get(at..).unwrap_or(&[]);
        let (op, n) = match rest {
            [b'>', b'|', ..] if digits > 0 => {
                self.pos = at;
                self.step(2);
                return Ok(Some(Some(fd == RedirectFd::Number(2))));
            }
            [b'&', b'>', b'>', ..] if digits == 0 => (RedirectOp::BothAppend, 3),
            [b'&', b'>', b'?', ..] if digits == 0 => (RedirectOp::BothWrite, 3),
            [b'&', b'>', ..] if digits == 0 => (RedirectOp::BothWrite, 2),
            [b'>', b'>', ..] => (RedirectOp::Append, 2),
            [b'>', b'?', ..] => (RedirectOp::Write, 2),
            [b'>', b'&', ..] => (RedirectOp::DupOut, 2),
            [b'>', ..] => (RedirectOp::Write, 1),
            [b'<', b'&', ..] => (RedirectOp::DupIn, 2),
            [b'<', b'?', ..] => (RedirectOp::Read, 2),
            [b'<', b'<' | b'(', ..] => {
                self.pos = at;
                return self.unexpected();
            }
            [b'<', ..] => (RedirectOp::Read, 1),
            _ => return Ok(None),
        };
        self.pos = at;
        self.step(n);
        self.blanks();
        if self.ends_word() {
            return self.unexpected();
        }
        let target = self.word()?;
        out.push(Redirect { fd, op, target, heredoc: None, span: self.span(start) });
        Ok(Some(None))
    }

    /// True where no word can go on.
    fn ends_word(&self) -> bool {
        match self.here() {
            b' ' | b'\t' | b'\n' | b'\r' | b';' | b'|' | b'<' | b'>' | b')' => true,
            // Within a word it is itself: `http://h/?a=b&c=d`.
            b'&' => matches!(
                self.at(self.pos.saturating_add(1)),
                0 | b' ' | b'\t' | b'\n' | b'\r' | b';' | b'|' | b'<' | b'>' | b'&' | b')'
            ),
            0 => self.ended(),
            _ => false,
        }
    }

    /// An empty word at a place, for nodes that the text only implies.
    fn implied(&self, parts: Vec<crate::syntax::ast::Part>, span: Span) -> Word {
        Word { parts, span, assignment: None }
    }
}

#[cfg(test)]
mod tests;
