//! The witness: tree-sitter-bash's reading of a text, lowered to the project's tree.
//!
//! In: bytes. Out: a [`Program`], or why there is none. Floor 2; imports `source`, `limits`, `syntax::ast` and the
//! grammar, and nothing of the authority's code, so that the two readings stay independent.
//!
//! Lowering is strict. Every node kind is taken by name; an error node, a missing token, a kind without a name here and
//! every byte that no token covers become [`Unparsed`]. The tree is taken at its word where the grammar is only loose
//! (a redirection that swallows the arguments behind its target, a pipe inside a here-document's node): those are put
//! where the shell has them. What it does not try: to repair a tree that is clean and wrong. Such a reading is a
//! difference for [`super::compare`] to find.

mod assign;
mod audit;
mod braces;
mod command;
mod compound;
mod cond;
mod expansion;
mod heredoc;
mod redirect;
mod reserved;
mod text;
mod word;

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;

use tree_sitter::{Node, Parser, Tree};

use crate::limits;
use crate::source::Span;
use crate::syntax::ast::{Part, PartKind, Program, SyntaxError, Unparsed};
use crate::syntax::bounded::{self, Allowance};

/// Why the witness has no reading of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Longer than [`limits::MAX_WITNESS_INPUT`].
    TooLong,
    /// Of a shape that is known to take it quadratic time.
    Costly,
    /// Not done within [`limits::WITNESS_DEADLINE_MS`].
    TooLate,
    /// The parser cannot be set up (a grammar of another version).
    Unavailable,
}

impl Refusal {
    /// For people.
    pub const fn reason(self) -> &'static str {
        match self {
            Refusal::TooLong => "the text is too long for the second",
            Refusal::Costly => "the text takes the second too much time",
            Refusal::TooLate => "the second took too long",
            Refusal::Unavailable => "there is no second",
        }
    }
}

/// Reads a text with tree-sitter-bash. The result holds what could be lowered; its `unparsed` says what could not.
pub fn read(text: &[u8]) -> Result<Program, Refusal> {
    if text.len() > limits::MAX_WITNESS_INPUT {
        return Err(Refusal::TooLong);
    }
    if costly(text) {
        return Err(Refusal::Costly);
    }
    let tree = parse(text, Duration::from_millis(limits::WITNESS_DEADLINE_MS))?;
    Ok(lower(&tree, text))
}

/// True for the shapes that make the grammar's scanner slow: it keeps the here-documents that wait for their bodies in
/// a list that it copies at every token, so `<<A <<B …` takes quadratic time, and so does a run `<<<<<<`.
fn costly(text: &[u8]) -> bool {
    let (mut on_line, mut waiting, mut run) = (0usize, 0usize, 0usize);
    for &b in text {
        if b == b'<' {
            run = run.saturating_add(1);
            if run == 2 {
                on_line = on_line.saturating_add(1);
                waiting = waiting.saturating_add(1);
            }
            if run > 3 || on_line > limits::MAX_WITNESS_HEREDOCS || waiting > limits::MAX_HEREDOCS {
                return true;
            }
        } else {
            run = 0;
            if b == b'\n' {
                on_line = 0;
            }
        }
    }
    false
}

thread_local! {
    // Made at the first use in a thread: a process that never asks for a second reading does not pay for it.
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

fn parse(text: &[u8], time: Duration) -> Result<Tree, Refusal> {
    PARSER.with(|cell| {
        let mut slot = cell.try_borrow_mut().map_err(|_| Refusal::Unavailable)?;
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).map_err(|_| Refusal::Unavailable)?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut().ok_or(Refusal::Unavailable)?;
        let allowance = Allowance {
            free: if text.len() <= limits::SHORT_WITNESS_INPUT { limits::MIN_WITNESS_STEPS } else { 0 },
            time,
            bytes: limits::MIN_LOOKED_AT.saturating_add(text.len().saturating_mul(limits::LOOKED_AT_PER_BYTE)),
        };
        bounded::parse(parser, text, allowance).ok_or(Refusal::TooLate)
    })
}

fn lower(tree: &Tree, text: &[u8]) -> Program {
    let audit::Audit { comments, mut unparsed } = audit::walk(tree, text);
    let mut lowering = Lowering { text, unparsed: Vec::new(), recovered: HashSet::new(), depth: 0 };
    let root = tree.root_node();
    let mut lists = lowering.statements(&kids(root));
    unparsed.retain(|u| !lowering.recovered.contains(&u.span));
    unparsed.append(&mut lowering.unparsed);
    unparsed.sort_by_key(|u| (u.span.start, u.span.end));
    unparsed.dedup_by_key(|u| u.span);
    // What stands behind the first break may never run.
    if let Some(first) = unparsed.first().map(|u| u.span.start) {
        for list in lists.iter_mut().filter(|l| l.span.end > first) {
            list.possible = true;
        }
    }
    Program { lists, comments, unparsed, span: Span::new(0, text.len()) }
}

/// The state of one lowering.
struct Lowering<'t> {
    text: &'t [u8],
    unparsed: Vec<Unparsed>,
    /// Bytes that no token covers and that were read all the same.
    recovered: HashSet<Span>,
    depth: u32,
}

/// A child with what is asked of it most.
#[derive(Clone, Copy)]
struct Kid<'t> {
    node: Node<'t>,
    kind: &'t str,
    field: Option<&'t str>,
    span: Span,
}

impl Kid<'_> {
    fn is(&self, field: &str) -> bool {
        self.field == Some(field)
    }
}

fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// The children in order, without comments. A cursor, since asking a node for its n-th child takes n steps.
fn kids(node: Node<'_>) -> Vec<Kid<'_>> {
    let mut out = Vec::new();
    let mut cursor = node.walk();
    if cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if child.kind() != "comment" && !child.is_missing() {
                out.push(Kid { node: child, kind: child.kind(), field: cursor.field_name(), span: span(child) });
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    out
}

impl<'t> Lowering<'t> {
    fn refuse(&mut self, span: Span, reason: SyntaxError) {
        self.unparsed.push(Unparsed { span, reason });
    }

    fn not_lowered(&mut self, span: Span) {
        self.refuse(span, SyntaxError::NotLowered);
    }

    /// Runs `f` one level deeper, or records the region as too deep.
    fn nest<R>(&mut self, at: Span, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= limits::MAX_DEPTH {
            self.refuse(at, SyntaxError::TooDeep);
            return None;
        }
        self.depth = self.depth.saturating_add(1);
        let result = f(self);
        self.depth = self.depth.saturating_sub(1);
        Some(result)
    }

    fn bytes(&self, span: Span) -> &'t [u8] {
        span.of(self.text)
    }
}

/// Adds literal text; joins it to a literal before it, so that pieces of one run of text are one part.
fn push_literal(parts: &mut Vec<Part>, bytes: &[u8], span: Span) {
    if bytes.is_empty() {
        return;
    }
    if let Some(Part { kind: PartKind::Literal(before), span: place }) = parts.last_mut() {
        before.extend_from_slice(bytes);
        *place = place.to(span);
        return;
    }
    parts.push(Part { kind: PartKind::Literal(bytes.into()), span });
}

/// Adds `"…"`. A `$` right before it, which the grammar often has as a word of its own, makes it `$"…"`.
fn push_double(parts: &mut Vec<Part>, inner: Vec<Part>, span: Span) {
    let mut locale = false;
    if let Some(Part { kind: PartKind::Literal(before), span: place }) = parts.last_mut()
        && place.end == span.start
        && before.last() == Some(&b'$')
    {
        locale = true;
        before.pop();
        place.end = place.end.saturating_sub(1).max(place.start);
        if before.is_empty() {
            parts.pop();
        }
    }
    if locale {
        let span = Span { start: span.start.saturating_sub(1), end: span.end };
        parts.push(Part { kind: PartKind::Locale(inner), span });
    } else {
        parts.push(Part { kind: PartKind::Double(inner), span });
    }
}

#[cfg(test)]
mod tests;
