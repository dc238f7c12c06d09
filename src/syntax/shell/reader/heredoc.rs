//! Here-documents: POSIX XCU 2.7.4, bash manual "Here Documents".
//!
//! In: a delimiter after `<<`, and later the newline after which bodies begin. Out: [`Heredoc`]s, kept by number until
//! the command they belong to is complete, then put in their places. Floor 2.

use super::assign::literal;
use super::word::{Mode, Quoted};
use super::{R, Reader, Stop, spans};
use crate::source::Span;
use crate::syntax::ast::{Heredoc, Part, PartKind, Program, SyntaxError, Unparsed, Word};

/// A here-document whose body has not come yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    id: u32,
    /// The delimiter without its quotes.
    delimiter: Vec<u8>,
    quoted: bool,
    /// `<<-`
    tabs: bool,
}

impl Reader<'_> {
    /// Reads the delimiter word and notes that a body has to come. Nothing in a delimiter is expanded: `<<E$(x)` waits
    /// for a line that reads so.
    pub(super) fn delimiter(&mut self, tabs: bool) -> R<(Word, u32)> {
        let word = self.word(Mode::Delimiter)?;
        let quoted = word.is_quoted();
        let mut delimiter = Vec::new();
        let mut plain = true;
        for part in &word.parts {
            match &part.kind {
                PartKind::Literal(b) | PartKind::Escaped(b) | PartKind::Single(b) | PartKind::AnsiC(b) => {
                    delimiter.extend_from_slice(b);
                }
                PartKind::Double(inner) | PartKind::Locale(inner) => {
                    for p in inner {
                        if let PartKind::Literal(b) = &p.kind {
                            delimiter.extend_from_slice(b);
                        } else {
                            plain = false;
                            delimiter.extend_from_slice(p.span.of(self.text));
                        }
                    }
                }
                _ => {
                    plain = false;
                    delimiter.extend_from_slice(part.span.of(self.text));
                }
            }
        }
        let id = u32::try_from(self.bodies.len()).unwrap_or(u32::MAX);
        self.bodies.push(None);
        self.pending.push(Pending { id, delimiter, quoted, tabs });
        let span = word.span;
        let word = if plain {
            word
        } else {
            let text = span.of(self.text);
            Word { parts: vec![literal(text, span.start as usize, span.end as usize)], span, assignment: None }
        };
        Ok((word, id))
    }

    /// Reads the bodies of all that wait, from the current place, the start of a line.
    pub(super) fn heredocs(&mut self) -> R<()> {
        let waiting = self.pending.split_off(self.pending_base.min(self.pending.len()));
        for p in waiting {
            self.body_of(&p)?;
        }
        Ok(())
    }

    /// Bodies that wait when the `)` of a substitution comes: bash reads them from the line after the current one, and
    /// goes on with the current line: `echo $(cat <<E) b`. The newline that ends the line then skips over them.
    pub(super) fn late_heredocs(&mut self) -> R<()> {
        let resume = self.pos;
        let newline = match self.hole {
            Some((newline, _)) if newline < resume => return self.torn(),
            Some((newline, _)) => newline,
            None => {
                let rest = self.text.get(resume..).unwrap_or(&[]);
                resume + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
            }
        };
        self.pos = match self.hole {
            Some((_, after)) => after,
            None => (newline + 1).min(self.text.len()),
        };
        self.heredocs()?;
        self.hole = Some((newline, self.pos));
        self.pos = resume;
        Ok(())
    }

    /// A quote went over the end of a line whose next lines were already taken as here-document bodies. bash reads on
    /// after the bodies; here that is left unread and said so.
    pub(super) fn torn<T>(&self) -> R<T> {
        Err(Stop { reason: SyntaxError::TooLarge, at: self.pos })
    }

    fn body_of(&mut self, p: &Pending) -> R<()> {
        let start = self.pos;
        let mut line = start;
        let (mut end, mut closed) = (self.text.len(), false);
        let mut stripped = false;
        while line < self.text.len() {
            let from = if p.tabs { self.after_tabs(line) } else { line };
            stripped |= from > line;
            if let Some(next) = self.delimiter_line(from, p) {
                end = line;
                closed = true;
                self.pos = next;
                break;
            }
            line = self.next_line(line, p.quoted);
        }
        if !closed {
            self.pos = self.text.len();
        }
        let span = Span::new(start.min(end), end);
        let parts = match (p.quoted, stripped) {
            (true, false) if span.is_empty() => Vec::new(),
            (true, false) => vec![literal(span.of(self.text), start, end)],
            (_, true) => {
                let (copy, runs) = self.without_tabs(start, end, p.quoted);
                if p.quoted {
                    vec![literal(&copy, start, end)]
                } else {
                    let mut sub = Reader::new(&copy, self.dialect);
                    sub.depth = self.depth;
                    sub.nodes = self.nodes;
                    let mut parts = sub.body_parts();
                    self.nodes = sub.nodes;
                    spans::map_parts(&mut parts, &runs);
                    parts
                }
            }
            (false, false) => {
                let mut sub = self.part(start, end);
                let parts = sub.body_parts();
                self.give_back(sub);
                parts
            }
        };
        self.count(parts.len())?;
        if let Some(slot) = self.bodies.get_mut(p.id as usize) {
            *slot = Some(Heredoc { quoted: p.quoted, parts, span, closed });
        }
        Ok(())
    }

    /// An unquoted body as parts. What goes wrong in it goes wrong when it is expanded, not when the line is read.
    pub(super) fn body_parts(&mut self) -> Vec<Part> {
        let start = self.pos;
        let mut parts = match self.deeper(|this| this.quoted(Quoted::Heredoc)) {
            Ok(parts) => parts,
            Err(stop) => {
                let span = Span::new(start, self.text.len());
                let unparsed = vec![Unparsed { span, reason: stop.reason }];
                let program = Program { unparsed, span, ..Program::default() };
                vec![Part { kind: PartKind::Command(Box::new(program)), span }]
            }
        };
        let mut bodies = std::mem::take(&mut self.bodies);
        if !bodies.is_empty() {
            self.unread(&mut bodies);
            spans::fill_parts(&mut parts, &mut bodies);
        }
        parts
    }

    /// Gives empty bodies to those whose text ended first.
    pub(super) fn unread(&mut self, bodies: &mut [Option<Heredoc>]) {
        let end = self.text.len();
        for p in self.pending.drain(..) {
            if let Some(slot) = bodies.get_mut(p.id as usize) {
                *slot = Some(Heredoc { quoted: p.quoted, parts: Vec::new(), span: Span::new(end, end), closed: false });
            }
        }
    }

    fn after_tabs(&self, mut at: usize) -> usize {
        while self.at(at) == b'\t' {
            at += 1;
        }
        at
    }

    /// The place after the line at `at` if it is the delimiter. In an unquoted body a continued line counts as one.
    fn delimiter_line(&self, at: usize, p: &Pending) -> Option<usize> {
        let mut i = at;
        for &want in &p.delimiter {
            let (b, q) = if p.quoted { (self.at(i), i) } else { self.look(i) };
            if b != want || q >= self.text.len() {
                return None;
            }
            i = q + 1;
        }
        let (b, q) = if p.quoted { (self.at(i), i) } else { self.look(i) };
        if q >= self.text.len() {
            return Some(self.text.len());
        }
        (b == b'\n').then_some(q + 1)
    }

    /// The start of the next line. In an unquoted body `\` newline joins lines.
    fn next_line(&self, mut at: usize, quoted: bool) -> usize {
        loop {
            match self.at(at) {
                0 if at >= self.text.len() => return self.text.len(),
                b'\n' => return at + 1,
                b'\\' if !quoted => at += 2,
                _ => at += 1,
            }
        }
    }

    /// The body without the tabs that `<<-` takes away, and where its runs come from.
    fn without_tabs(&self, start: usize, end: usize, quoted: bool) -> (Vec<u8>, Vec<(usize, usize)>) {
        let mut copy = Vec::with_capacity(end.saturating_sub(start));
        let mut runs = Vec::new();
        let mut line = start;
        while line < end {
            let next = self.next_line(line, quoted).min(end);
            let from = self.after_tabs(line).min(next);
            runs.push((copy.len(), from));
            copy.extend_from_slice(self.text.get(from..next).unwrap_or(&[]));
            line = next;
        }
        (copy, runs)
    }
}
