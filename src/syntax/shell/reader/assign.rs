//! Assignments: bash manual "Shell Parameters" and "Arrays", POSIX XCU 2.10.2 rule 7.
//!
//! In: the reader at a word that begins like `name=`, `name+=` or `name[`. Out: an [`Assignment`], or the word that it
//! is after all. Floor 2.

use super::lexer::{META, NAME, class, name_start};
use super::word::Mode;
use super::{R, Reader};
use crate::source::Span;
use crate::syntax::ast::{ArithText, ArrayElement, AssignValue, Assignment, Part, PartKind, Word};

/// How a word begins.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) name: String,
    /// `[` follows the name; `value` is its place. Else `value` is the place after `=`.
    pub(super) subscript: bool,
    pub(super) append: bool,
    pub(super) value: usize,
}

impl Reader<'_> {
    /// The head of an assignment at `start`, if one stands there.
    pub(super) fn head(&self, start: usize) -> Option<Head> {
        if !name_start(self.at(start)) {
            return None;
        }
        let mut at = start;
        while class(self.at(at)) & NAME != 0 {
            at += 1;
        }
        let mut name: Vec<u8> = Vec::new();
        if self.at(at) == b'\\' {
            // Only line continuations may stand inside a name.
            at = start;
            loop {
                let (b, p) = self.look(at);
                at = p;
                if class(b) & NAME == 0 {
                    break;
                }
                name.push(b);
                at += 1;
            }
        }
        let subscript = match self.at(at) {
            b'=' => false,
            b'+' if self.dialect.append => {
                let (b, p) = self.look(at + 1);
                if b != b'=' {
                    return None;
                }
                return Some(Head {
                    name: self.text_name(name, start, at),
                    subscript: false,
                    append: true,
                    value: p + 1,
                });
            }
            b'[' if self.dialect.arrays => true,
            _ => return None,
        };
        let value = if subscript { at } else { at + 1 };
        Some(Head { name: self.text_name(name, start, at), subscript, append: false, value })
    }

    fn text_name(&self, name: Vec<u8>, start: usize, end: usize) -> String {
        let bytes = if name.is_empty() { self.text.get(start..end).unwrap_or(&[]) } else { &name };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Reads the assignment that begins here. In command position bash takes everything up to the matching `]` as one
    /// piece (`a[x y]=1`), and if no `=` follows the whole is a word like any other: that comes back as `Err`.
    pub(super) fn assignment(&mut self, head: Head) -> R<Result<Assignment, Word>> {
        let start = self.pos;
        let mut append = head.append;
        let mut subscript = None;
        self.pos = head.value;
        if head.subscript {
            self.pos += 1;
            let text = self.deeper(|this| this.arith(b'[', b']'))?;
            let close = self.pos;
            self.pos += 1;
            let (b, p) = self.look(self.pos);
            if b == b'=' {
                self.pos = p + 1;
            } else if b == b'+' && self.look(p + 1).0 == b'=' {
                append = true;
                self.pos = self.look(p + 1).1 + 1;
            } else {
                let mut parts = vec![literal(head.name.as_bytes(), start, head.value)];
                parts.push(bracket(text, head.value, close + 1));
                return self.word_after(start, parts, Mode::First).map(Err);
            }
            subscript = Some(text);
        }
        let value = if self.at(self.pos) == b'(' && self.dialect.arrays {
            let open = self.pos;
            let elements = self.array()?;
            if class(self.at(self.pos)) & META == 0 {
                // `a=(1)b` is a plain string to bash: the text as it stands, with all that is in it.
                let parts = self.filled(flatten(elements), open);
                let word = self.word_after(open, parts, Mode::Value)?;
                AssignValue::Word(word)
            } else {
                AssignValue::Array(elements)
            }
        } else {
            AssignValue::Word(self.word(Mode::Value)?)
        };
        Ok(Ok(Assignment { name: head.name, subscript, append, value, span: Span::new(start, self.pos) }))
    }

    /// Parts with the text between them, from `start` to here: bash keeps one blank between two elements.
    fn filled(&mut self, parts: Vec<Part>, start: usize) -> Vec<Part> {
        let mut out = Vec::with_capacity(parts.len() * 2 + 1);
        let mut at = start;
        for p in parts {
            let (from, to) = (p.span.start as usize, p.span.end as usize);
            if from > at {
                out.push(between(&self.bytes(at, from), at, from));
            }
            at = at.max(to);
            out.push(p);
        }
        if self.pos > at {
            out.push(between(&self.bytes(at, self.pos), at, self.pos));
        }
        out
    }

    /// `( … )` after `name=`.
    fn array(&mut self) -> R<Vec<ArrayElement>> {
        self.pos += 1;
        self.deeper(|this| {
            let mut elements = Vec::new();
            loop {
                this.newlines()?;
                match this.at(this.pos) {
                    b')' => {
                        this.pos += 1;
                        return Ok(elements);
                    }
                    b'[' => elements.push(this.keyed_element()?),
                    _ if this.at_word() => {
                        let value = this.word(Mode::Word)?;
                        elements.push(ArrayElement { subscript: None, append: false, value });
                    }
                    _ => return this.unexpected(),
                }
            }
        })
    }

    /// `[key]=value`, `[key]+=value`, or a word that begins with a bracket expression.
    fn keyed_element(&mut self) -> R<ArrayElement> {
        let start = self.pos;
        self.pos += 1;
        let text = self.deeper(|this| this.arith(b'[', b']'))?;
        self.pos += 1;
        let close = self.pos;
        let (b, p) = self.look(close);
        let (append, value) = match b {
            b'=' => (false, p + 1),
            b'+' if self.look(p + 1).0 == b'=' => (true, self.look(p + 1).1 + 1),
            _ => {
                let parts = vec![bracket(text, start, close)];
                let value = self.word_after(start, parts, Mode::Word)?;
                return Ok(ArrayElement { subscript: None, append: false, value });
            }
        };
        self.pos = value;
        // Braces are expanded over the whole element.
        let value = self.word(Mode::Word)?;
        Ok(ArrayElement { subscript: Some(text), append, value })
    }

    /// `name=(…)` as an argument of a declaration builtin.
    pub(super) fn declared_array(&mut self) -> R<Word> {
        let start = self.pos;
        let Some(head) = self.head(start) else { return self.word(Mode::Word) };
        match self.assignment(head)? {
            Err(word) => Ok(word),
            Ok(assignment) => {
                let text = Span::new(start, self.pos).of(self.text);
                let parts = vec![literal(text, start, self.pos)];
                Ok(Word { parts, span: Span::new(start, self.pos), assignment: Some(Box::new(assignment)) })
            }
        }
    }

    /// `name=value` as an argument of a declaration builtin: an ordinary word to the reader, with its assignment told
    /// apart afterwards.
    pub(super) fn declared_word(&mut self) -> R<Word> {
        let start = self.pos;
        let copies = self.copies;
        let raw = self.raw_word(Mode::Word)?;
        let span = Span::new(start, self.pos);
        let notes = raw.notes;
        // Keeping the parts twice is safe only where nothing inside was kept twice already: else a few hundred bytes
        // of nested `export a=$(export b=$(…))` would double with every level.
        let inner_copies = self.copies != copies;
        let Some((name, subscript, append, value)) = split(&raw.parts) else {
            return self.finish_word(raw.parts, notes, span, Mode::Word);
        };
        let expands = raw.parts.iter().any(|p| !matches!(p.kind, PartKind::Literal(_)));
        let whole = if inner_copies {
            vec![literal(span.of(self.text), start, self.pos)]
        } else {
            if expands {
                self.copies += 1;
            }
            raw.parts.clone()
        };
        let whole = self.finish_word(whole, notes, span, Mode::Word)?;
        // `export a={1,2}` assigns twice: then only the whole word says what happens.
        if whole.parts.iter().any(|p| matches!(p.kind, PartKind::Braces(_) | PartKind::BraceRange(..))) {
            return if inner_copies { self.finish_word(raw.parts, notes, span, Mode::Word) } else { Ok(whole) };
        }
        let value_span =
            value.first().zip(value.last()).map_or(Span::new(self.pos, self.pos), |(a, b)| a.span.to(b.span));
        let subscript = subscript.map(|parts| {
            let span = parts.first().zip(parts.last()).map_or(Span::default(), |(a, b)| a.span.to(b.span));
            ArithText { parts, span }
        });
        let value = self.finish_word(value, notes, value_span, Mode::Value)?;
        let assignment = Assignment { name, subscript, append, value: AssignValue::Word(value), span };
        Ok(Word { assignment: Some(Box::new(assignment)), ..whole })
    }
}

type Split = (String, Option<Vec<Part>>, bool, Vec<Part>);

/// Takes `name[sub]+=value` apart, over parts that were not looked at for braces or globs yet.
fn split(parts: &[Part]) -> Option<Split> {
    let first = parts.first()?;
    let PartKind::Literal(head) = &first.kind else { return None };
    let n = head.iter().take_while(|&&b| class(b) & NAME != 0).count();
    let name = String::from_utf8_lossy(head.get(..n)?).into_owned();
    let mut index = 0usize;
    let mut at = n;
    let mut subscript = None;
    if head.get(n) == Some(&b'[') {
        let mut depth = 0usize;
        let mut inner = Vec::new();
        at = n + 1;
        'search: loop {
            let part = parts.get(index)?;
            if let PartKind::Literal(text) = &part.kind {
                let from = at;
                while let Some(&b) = text.get(at) {
                    match b {
                        b'[' => depth += 1,
                        b']' if depth == 0 => {
                            if at > from {
                                inner.push(slice(part, from, at));
                            }
                            break 'search;
                        }
                        b']' => depth -= 1,
                        _ => {}
                    }
                    at += 1;
                }
                if at > from {
                    inner.push(slice(part, from, at));
                }
            } else {
                inner.push(part.clone());
            }
            index += 1;
            at = 0;
        }
        subscript = Some(inner);
        at += 1;
    }
    let part = parts.get(index)?;
    let PartKind::Literal(text) = &part.kind else { return None };
    let append = text.get(at) == Some(&b'+');
    if append {
        at += 1;
    }
    if text.get(at) != Some(&b'=') {
        return None;
    }
    at += 1;
    let mut value = Vec::new();
    if at < text.len() {
        value.push(slice(part, at, text.len()));
    }
    value.extend(parts.iter().skip(index + 1).cloned());
    Some((name, subscript, append, value))
}

fn slice(part: &Part, from: usize, to: usize) -> Part {
    let PartKind::Literal(text) = &part.kind else { return part.clone() };
    let start = part.span.start as usize;
    literal(text.get(from..to).unwrap_or(&[]), start + from, start + to)
}

pub(super) fn literal(bytes: &[u8], start: usize, end: usize) -> Part {
    Part { kind: PartKind::Literal(bytes.into()), span: Span::new(start, end) }
}

fn bracket(text: ArithText, start: usize, end: usize) -> Part {
    Part { kind: PartKind::GlobBracket(text.parts), span: Span::new(start, end) }
}

/// Text between two elements, its blanks as bash keeps them.
fn between(text: &[u8], start: usize, end: usize) -> Part {
    let mut kept: Vec<u8> = Vec::with_capacity(text.len());
    for (i, b) in text.iter().enumerate() {
        let next = text.get(i + 1);
        match b {
            b' ' | b'\t' | b'\n' if matches!(kept.last(), Some(b' ' | b'(')) || next == Some(&b')') => {}
            b' ' | b'\t' | b'\n' => kept.push(b' '),
            b => kept.push(*b),
        }
    }
    literal(&kept, start, end)
}

/// The parts of all elements, one after the other: nothing in them is lost.
fn flatten(elements: Vec<ArrayElement>) -> Vec<Part> {
    let mut out = Vec::new();
    for e in elements {
        out.extend(e.subscript.into_iter().flat_map(|s| s.parts));
        out.extend(e.value.parts);
    }
    out
}
