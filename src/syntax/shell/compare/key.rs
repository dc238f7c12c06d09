//! A command as bytes that are equal where two readings mean the same.
//!
//! Quoting counts only where it protects something: `'a'`, `a` and `\a` are one thing, `\*` and `*` are two. Braces,
//! globs and tildes are written out again as text, since a reader may leave them in a literal. An expansion is its
//! place and its name: the text under a place is the same for both, and the commands inside are compared on their own.

use super::flatten::Entry;
use crate::source::Span;
use crate::syntax::ast::*;

/// The key of a simple command (or of a compound one's redirections).
pub(super) fn of(entry: &Entry<'_>, text: &[u8]) -> Vec<u8> {
    let mut key = Key { out: Vec::new(), text };
    if let CommandKind::Simple(simple) = &entry.command.kind {
        for assignment in &simple.assignments {
            key.out.push(b'\x10');
            key.assignment(assignment);
        }
        for word in &simple.words {
            key.out.push(b'\x11');
            match &word.assignment {
                Some(assignment) => key.assignment(assignment),
                None => key.parts(&word.parts, false),
            }
        }
    }
    let mut redirects: Vec<&Redirect> = entry.command.redirects.iter().collect();
    redirects.sort_by_key(|r| r.span.start);
    for redirect in redirects {
        key.redirect(redirect);
    }
    key.out
}

struct Key<'a> {
    out: Vec<u8>,
    text: &'a [u8],
}

impl Key<'_> {
    fn place(&mut self, tag: u8, span: Span) {
        self.out.push(tag);
        self.out.extend_from_slice(&span.start.to_le_bytes());
        self.out.extend_from_slice(&span.end.to_le_bytes());
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.out.extend_from_slice(assignment.name.as_bytes());
        if let Some(subscript) = &assignment.subscript {
            self.out.push(b'[');
            self.out.extend_from_slice(subscript.span.of(self.text));
            self.out.push(b']');
        }
        self.out.extend_from_slice(if assignment.append { b"+=" } else { b"=" });
        match &assignment.value {
            AssignValue::Word(word) => self.parts(&word.parts, false),
            // Elements are shown in several ways (`[k]=v` as a subscript or as text): the text decides.
            AssignValue::Array(_) => self.place(b'\x12', assignment.span),
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        self.out.push(b'\x13');
        match &redirect.fd {
            RedirectFd::Default => {}
            RedirectFd::Number(n) => self.out.extend_from_slice(n.to_string().as_bytes()),
            RedirectFd::Variable(name) => self.out.extend_from_slice(name.as_bytes()),
        }
        self.out.push(b'\x14');
        self.out.push(redirect.op as u8);
        self.parts(&redirect.target.parts, false);
        if let Some(heredoc) = &redirect.heredoc {
            self.out.push(if heredoc.quoted { b'\x15' } else { b'\x16' });
            self.parts(&heredoc.parts, true);
        }
    }

    fn parts(&mut self, parts: &[Part], quoted: bool) {
        for part in parts {
            match &part.kind {
                PartKind::Literal(bytes) => self.literal(bytes, quoted),
                PartKind::Escaped(bytes) | PartKind::Single(bytes) | PartKind::AnsiC(bytes) => {
                    self.literal(bytes, true)
                }
                PartKind::Double(inner) | PartKind::Locale(inner) => self.parts(inner, true),
                PartKind::Param(param) => {
                    self.place(b'\x01', part.span);
                    self.out.push(quoted as u8);
                    self.out.extend_from_slice(param.name.as_bytes());
                }
                PartKind::Command(_) => self.place(b'\x02', part.span),
                PartKind::Backquote(_) => self.place(b'\x03', part.span),
                PartKind::ProcessIn(_) | PartKind::ProcessOut(_) | PartKind::ProcessFile(_) => {
                    self.place(b'\x04', part.span);
                }
                PartKind::Arith(_) => self.place(b'\x05', part.span),
                PartKind::Braces(all) => self.alternatives(b"{", all, b',', b"}"),
                PartKind::BraceRange(range) => {
                    let BraceRange { from, to, step } = range.as_ref();
                    self.out.push(b'{');
                    self.out.extend_from_slice(from);
                    self.out.extend_from_slice(b"..");
                    self.out.extend_from_slice(to);
                    if let Some(step) = step {
                        self.out.extend_from_slice(b"..");
                        self.out.extend_from_slice(step);
                    }
                    self.out.push(b'}');
                }
                PartKind::Tilde(name) => {
                    self.out.push(b'~');
                    self.out.extend_from_slice(name);
                }
                PartKind::GlobStar => self.out.push(b'*'),
                PartKind::GlobQuestion => self.out.push(b'?'),
                PartKind::GlobBracket(inner) => {
                    self.out.push(b'[');
                    self.parts(inner, false);
                    self.out.push(b']');
                }
                PartKind::ExtGlob(op, all) => self.alternatives(&[*op, b'('], all, b'|', b")"),
            }
        }
    }

    fn alternatives(&mut self, open: &[u8], all: &[Vec<Part>], between: u8, close: &[u8]) {
        self.out.extend_from_slice(open);
        for (i, parts) in all.iter().enumerate() {
            if i > 0 {
                self.out.push(between);
            }
            self.parts(parts, false);
        }
        self.out.extend_from_slice(close);
    }

    fn literal(&mut self, bytes: &[u8], quoted: bool) {
        for &b in bytes {
            if quoted && b"*?[]{}~".contains(&b) {
                self.out.push(0);
            }
            self.out.push(b);
        }
    }
}
