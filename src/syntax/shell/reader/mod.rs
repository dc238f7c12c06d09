//! The shell reader: text → [`ast::Program`](crate::syntax::ast::Program), exactly as the shell itself reads it.
//!
//! In: bytes and a [`Dialect`]. Out: a tree that covers every byte, with what could not be read as `Unparsed` regions.
//! It never fails, takes linear time, and nests no deeper than [`MAX_DEPTH`](crate::limits::MAX_DEPTH). It does not
//! expand aliases, evaluate anything, or know any program. Floor 2; imports `source`, `limits`, `syntax::ast`.
//!
//! Like bash it reads one complete command after the other: what stands before a syntax error runs. The command that
//! holds the error is `Unparsed`; reading goes on at the next line, and what is read there is marked `possible`.
//!
//! Three readings of bash are remembered here because they shape the code: a syntax error inside `$(…)` is one of the
//! whole line, while the text of backquotes, of here-document bodies and of `$((…)` that is no arithmetic is read as a
//! program of its own when it runs; here-document bodies begin at the next newline *token*, which may be far away; and
//! `((` is told from `( (` by what closes it.

mod arith;
mod assign;
mod brace;
mod compound;
mod cond;
mod dialect;
mod finish;
mod heredoc;
mod lexer;
mod param;
mod parser;
mod quote;
mod simple;
mod spans;
#[cfg(test)]
mod stress;
mod word;

pub use dialect::Dialect;

use crate::limits::{MAX_DEPTH, MAX_INPUT};
use crate::source::Span;
use crate::syntax::ast::{Heredoc, List, Part, Program, SyntaxError, Unparsed};
use std::collections::HashMap;

/// Reads a text. Every place in the result is a byte range of `text`.
pub fn read(text: &[u8], dialect: Dialect) -> Program {
    let whole = Span::new(0, text.len());
    if text.len() > MAX_INPUT {
        let unparsed = vec![Unparsed { span: whole, reason: SyntaxError::TooLarge }];
        return Program { unparsed, span: whole, ..Program::default() };
    }
    if !text.contains(&0) {
        let mut reader = Reader::new(text, dialect);
        return reader.program();
    }
    // bash drops NUL bytes while it reads.
    let mut copy = Vec::with_capacity(text.len());
    let mut runs = Vec::new();
    let mut at = 0usize;
    for run in text.split(|&b| b == 0) {
        if !run.is_empty() {
            runs.push((copy.len(), at));
            copy.extend_from_slice(run);
        }
        at += run.len() + 1;
    }
    let mut program = Reader::new(&copy, dialect).program();
    spans::map_program(&mut program, &runs);
    program.span = whole;
    program
}

/// Reads a text as if it stood in an unquoted here-document: literals and expansions, blanks and quotes kept. What the
/// shell does to a prompt, to `${x@P}`, and to subscripts that it expands once more.
pub fn read_quoted(text: &[u8], dialect: Dialect) -> Vec<Part> {
    if text.len() > MAX_INPUT {
        return Vec::new();
    }
    Reader::new(text, dialect).body_parts()
}

type R<T> = Result<T, Stop>;

/// Adds to a vector that nearly always gets one item: the first takes room for itself alone, not for four.
fn add<T>(to: &mut Vec<T>, item: T) {
    if to.capacity() == 0 {
        to.reserve_exact(1);
    }
    to.push(item);
}

/// Why and where reading stopped.
#[derive(Clone, Copy, Debug)]
struct Stop {
    reason: SyntaxError,
    at: usize,
}

/// What `((` or `$((` at a place turned out to be, where it is not arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    /// `( (`
    Subshell,
    /// `$( (`, closed by the parenthesis at that place.
    Command(usize),
}

/// A point that the reader can go back to.
struct Mark {
    pos: usize,
    comments: usize,
    pending: usize,
    nodes: u32,
    hole: Option<(usize, usize)>,
}

/// The state of reading one text.
struct Reader<'a> {
    /// The text; ends where the region ends that is read.
    text: &'a [u8],
    pos: usize,
    dialect: Dialect,
    depth: u32,
    nodes: u32,
    comments: Vec<Span>,
    /// Here-documents that wait for their bodies, those of outer substitutions first.
    pending: Vec<heredoc::Pending>,
    /// How many of them belong to outer substitutions.
    pending_base: usize,
    /// Bodies by number, until they are put in their places.
    bodies: Vec<Option<Heredoc>>,
    /// A newline that was passed over: the lines after it, up to the second place, are here-document bodies already.
    hole: Option<(usize, usize)>,
    /// What earlier looks at `((` found, by place.
    arithmetic: HashMap<usize, Arithmetic>,
    /// How many words were kept twice (see `assign`).
    copies: u32,
    /// Links of `&&` and `||` in the `[[ ]]` being read.
    cond_links: u32,
    /// The place of a `time` that is the first word in `$(`.
    word_time: usize,
    /// Steps left for telling braces.
    brace_steps: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Reader {
            text,
            pos: 0,
            dialect,
            depth: 0,
            nodes: 0,
            comments: Vec::new(),
            pending: Vec::new(),
            pending_base: 0,
            bodies: Vec::new(),
            hole: None,
            arithmetic: HashMap::new(),
            copies: 0,
            cond_links: 0,
            word_time: usize::MAX,
            brace_steps: text.len().saturating_mul(64).saturating_add(1 << 16),
        }
    }

    /// The whole text, one complete command after the other.
    fn program(&mut self) -> Program {
        let base_depth = self.depth;
        let mut out = Program { span: Span::new(self.pos, self.text.len()), ..Program::default() };
        let mut possible = false;
        loop {
            let start = match self.newlines() {
                Ok(()) if self.ended() => break,
                Ok(()) => {
                    let start = self.pos;
                    match self.complete(start) {
                        Ok(mut list) => {
                            list.possible = possible;
                            out.lists.push(list);
                            continue;
                        }
                        Err(stop) => (start, stop),
                    }
                }
                Err(stop) => (self.pos, stop),
            };
            let (start, stop) = start;
            self.depth = base_depth;
            self.pending.clear();
            self.pending_base = 0;
            self.bodies.clear();
            self.cond_links = 0;
            let keep = self.comments.partition_point(|c| (c.start as usize) < start);
            self.comments.truncate(keep);
            let end = match stop.reason {
                SyntaxError::UnexpectedToken | SyntaxError::BadName => {
                    let at = stop.at.max(start);
                    let rest = self.text.get(at..).unwrap_or(&[]);
                    at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
                }
                _ => self.text.len(),
            };
            self.hole = None;
            out.unparsed.push(Unparsed { span: Span::new(start, end), reason: stop.reason });
            self.pos = end;
            possible = true;
        }
        out.comments = std::mem::take(&mut self.comments);
        out
    }

    /// One complete command, with the newline that ends it and the bodies after that.
    fn complete(&mut self, start: usize) -> R<List> {
        self.cond_links = 0;
        let mut list = self.line()?;
        if self.ended() {
            if self.hole.take().is_some_and(|(newline, _)| newline < self.pos) {
                return self.torn();
            }
        } else {
            self.newline()?;
        }
        if !self.bodies.is_empty() {
            let mut bodies = std::mem::take(&mut self.bodies);
            self.unread(&mut bodies);
            spans::fill_list(&mut list, &mut bodies);
        }
        debug_assert!(self.pos > start, "every complete command takes at least one byte");
        Ok(list)
    }

    /// A reader for a region of the same text, at the same places.
    fn part(&mut self, start: usize, end: usize) -> Reader<'a> {
        let text = self.text.get(..end).unwrap_or(self.text);
        let mut sub = Reader::new(text, self.dialect);
        sub.pos = start;
        sub.depth = self.depth;
        sub.nodes = self.nodes;
        sub.copies = self.copies;
        sub.brace_steps = self.brace_steps;
        sub.arithmetic = std::mem::take(&mut self.arithmetic);
        sub
    }

    /// Takes back what a region's reader has used and found.
    fn give_back(&mut self, sub: Reader<'a>) {
        self.nodes = sub.nodes;
        self.copies = sub.copies;
        self.brace_steps = sub.brace_steps;
        self.arithmetic = sub.arithmetic;
    }

    /// A region that is a program of its own: errors in it stay in it.
    fn region(&mut self, start: usize, end: usize) -> Program {
        if let Some(deep) = self.too_deep(Span::new(start, end)) {
            return deep;
        }
        let mut sub = self.part(start, end);
        sub.depth += 1;
        let program = sub.program();
        self.give_back(sub);
        program
    }

    /// The same for a text that was unescaped first; `runs` tell where its bytes come from.
    fn copied(&mut self, text: &[u8], runs: &[(usize, usize)], span: Span) -> Program {
        if let Some(deep) = self.too_deep(span) {
            return deep;
        }
        let mut sub = Reader::new(text, self.dialect);
        sub.depth = self.depth + 1;
        sub.nodes = self.nodes;
        sub.copies = self.copies;
        let mut program = sub.program();
        self.nodes = sub.nodes;
        self.copies = sub.copies;
        spans::map_program(&mut program, runs);
        program.span = span;
        program
    }

    fn too_deep(&self, span: Span) -> Option<Program> {
        (self.depth >= MAX_DEPTH).then(|| Program {
            unparsed: vec![Unparsed { span, reason: SyntaxError::TooDeep }],
            span,
            ..Program::default()
        })
    }

    fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            comments: self.comments.len(),
            pending: self.pending.len(),
            nodes: self.nodes,
            hole: self.hole,
        }
    }

    fn rewind(&mut self, mark: Mark) {
        self.pos = mark.pos;
        self.comments.truncate(mark.comments);
        self.pending.truncate(mark.pending);
        self.nodes = mark.nodes;
        self.hole = mark.hole;
    }

    fn tried(&self, open: usize) -> Option<Arithmetic> {
        self.arithmetic.get(&open).copied()
    }

    fn try_failed(&mut self, open: usize, found: Arithmetic) {
        self.arithmetic.insert(open, found);
    }
}
