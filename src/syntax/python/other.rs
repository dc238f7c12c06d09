//! Python through tree-sitter-python: what the first reader refuses.
use super::super::marker::Readable;
use crate::source::Span;
use crate::syntax::ast::{SyntaxError, Unparsed};
use crate::syntax::script::Script;

pub(super) fn read(text: &Readable<'_>) -> Script {
    Script {
        body: Vec::new(),
        unparsed: vec![Unparsed { span: Span::new(0, text.text().len()), reason: SyntaxError::UnexpectedToken }],
    }
}
