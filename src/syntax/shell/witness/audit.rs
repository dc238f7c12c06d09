//! One walk over the whole tree that finds what lowering must not miss: error nodes, missing tokens, comments, and
//! bytes that no token covers. Iterative, linear.

use tree_sitter::Tree;

use super::span;
use crate::source::Span;
use crate::syntax::ast::{SyntaxError, Unparsed};

/// What the walk found.
#[derive(Default)]
pub(super) struct Audit {
    pub(super) comments: Vec<Span>,
    pub(super) unparsed: Vec<Unparsed>,
}

/// Walks the tree.
pub(super) fn walk(tree: &Tree, text: &[u8]) -> Audit {
    let mut audit = Audit::default();
    let mut cursor = tree.walk();
    let mut covered = 0usize;
    // For each node above: whether what lies between its tokens is content, which lowering takes as text.
    let mut above: Vec<bool> = Vec::new();
    let mut errors = 0usize;
    loop {
        let node = cursor.node();
        let kind = node.kind();
        if node.is_missing() {
            audit.unparsed.push(Unparsed { span: span(node), reason: SyntaxError::UnexpectedEnd });
        }
        if node.is_error() && errors == 0 {
            audit.unparsed.push(Unparsed { span: span(node), reason: SyntaxError::UnexpectedToken });
        }
        if kind == "comment" {
            audit.comments.push(span(node));
        }
        let content = above.last() == Some(&true);
        if cursor.goto_first_child() {
            // The bytes before the first child belong to this node, those before the node to the one above.
            if !content {
                audit.gap(text, covered, node.start_byte());
            }
            covered = covered.max(node.start_byte());
            above.push(matches!(kind, "string" | "heredoc_body"));
            errors = errors.saturating_add(node.is_error() as usize);
            continue;
        }
        if !content {
            audit.gap(text, covered, node.start_byte());
        }
        covered = covered.max(node.end_byte());
        while !cursor.goto_next_sibling() {
            let content = above.pop() == Some(true);
            if !cursor.goto_parent() {
                audit.gap(text, covered, text.len());
                return audit;
            }
            let parent = cursor.node();
            if !content {
                audit.gap(text, covered, parent.end_byte());
            }
            covered = covered.max(parent.end_byte());
            errors = errors.saturating_sub(parent.is_error() as usize);
        }
    }
}

impl Audit {
    /// Bytes between two tokens: blanks, newlines and line continuations, or a region that was not read. The grammar
    /// also skips `\ `, form feeds and carriage returns, all of which the shell takes as part of a word.
    fn gap(&mut self, text: &[u8], start: usize, end: usize) {
        if start >= end {
            return;
        }
        let gap = text.get(start..end).unwrap_or(&[]);
        let mut rest = gap;
        loop {
            rest = match rest {
                [] => return,
                [b' ' | b'\t' | b'\n', tail @ ..] => tail,
                [b'\\', b'\n', tail @ ..] => tail,
                _ => break,
            };
        }
        self.unparsed.push(Unparsed { span: Span::new(start, end), reason: SyntaxError::NotLowered });
    }
}
