//! Assignments, also where they are arguments of declaration builtins.

use super::command::push_word;
use super::{Kid, Lowering, kids, push_literal};
use crate::source::Span;
use crate::syntax::ast::{ArrayElement, AssignValue, Assignment, Part, PartKind, Word};

impl<'t> Lowering<'t> {
    /// `name=value`.
    pub(super) fn assignment(&mut self, kid: Kid<'t>) -> Option<Assignment> {
        let (mut name, mut subscript, mut append) = (String::new(), None, false);
        let mut value = None;
        let mut after = kid.span.end;
        for piece in kids(kid.node) {
            if piece.is("name") {
                after = piece.span.end;
            }
            match piece.kind {
                "variable_name" if piece.is("name") => {
                    name = String::from_utf8_lossy(self.bytes(piece.span)).into_owned()
                }
                "subscript" if piece.is("name") => {
                    let (base, index) = self.subscript(piece);
                    name = base;
                    subscript = Some(index);
                }
                "=" | "+=" if piece.span.start != after => {
                    // `a[b] +=c`
                    self.not_lowered(kid.span);
                    return None;
                }
                "=" => after = piece.span.end,
                "+=" => {
                    after = piece.span.end;
                    append = true;
                }
                "ERROR" => {}
                "array" => value = Some(self.array(piece)),
                _ if piece.is("value") => {
                    // `a= b` is an empty value and a word, whatever the tree says.
                    if piece.span.start != after {
                        self.not_lowered(piece.span);
                    }
                    value = Some(AssignValue::Word(self.word(piece)));
                }
                _ => self.not_lowered(piece.span),
            }
        }
        if name.is_empty() {
            self.not_lowered(kid.span);
            return None;
        }
        let empty = Word { parts: Vec::new(), span: Span { start: after, end: after }, assignment: None };
        let value = value.unwrap_or(AssignValue::Word(empty));
        Some(Assignment { name, subscript, append, value, span: kid.span })
    }

    fn array(&mut self, kid: Kid<'t>) -> AssignValue {
        let mut words: Vec<Word> = Vec::new();
        for piece in kids(kid.node) {
            match piece.kind {
                "(" | ")" | "ERROR" => {}
                _ => {
                    for word in self.words_of(piece) {
                        push_word(self.text, &mut words, word);
                    }
                }
            }
        }
        let element = |value| ArrayElement { subscript: None, append: false, value };
        AssignValue::Array(words.into_iter().map(element).collect())
    }
}

/// POSIX XBD 3.230.
pub(super) fn is_name(name: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    name.bytes().all(word) && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

/// The argument of a declaration builtin that has the shape of an assignment.
pub(super) fn assignment_word(assignment: Assignment, text: &[u8]) -> Word {
    let span = assignment.span;
    let mut parts: Vec<Part> = Vec::new();
    match &assignment.value {
        AssignValue::Word(value) => {
            let head = Span { start: span.start, end: value.span.start.max(span.start) };
            push_literal(&mut parts, head.of(text), head);
            for part in &value.parts {
                match &part.kind {
                    PartKind::Literal(bytes) => push_literal(&mut parts, bytes, part.span),
                    _ => parts.push(part.clone()),
                }
            }
        }
        AssignValue::Array(_) => push_literal(&mut parts, span.of(text), span),
    }
    Word { parts, span, assignment: Some(Box::new(assignment)) }
}
