//! Words of fish: quotes, escapes, variables, command substitutions, braces and wildcards.
//!
//! In: the reader where a word begins. Out: its parts. `$x` is a [`Param`] with the subscript as text; `(cmd)[1]` is one
//! without a name whose [`ParamOp::Other`] holds the substitution; `(cmd | psub)` is a process substitution. Floor 2.

use super::{R, Reader};
use crate::source::Span;
use crate::syntax::ast::{
    ArithText, AssignValue, Assignment, Bytes, CommandKind, List, Param, ParamOp, Part, PartKind, Program, Subscript,
    SyntaxError, Word,
};

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Plain,
    /// Between braces: blanks belong to it, commas do not.
    Brace,
    /// In a subscript.
    Index,
}

impl Reader<'_> {
    /// A word.
    pub(super) fn word(&mut self) -> R<Word> {
        let start = self.pos;
        let mut parts = Vec::new();
        if self.here() == b'~' {
            self.tilde(&mut parts);
        }
        self.parts(Place::Plain, &mut parts)?;
        if parts.is_empty() {
            return self.unexpected();
        }
        let span = self.span(start);
        Ok(self.implied(parts, span))
    }

    /// `~`, `~user`
    fn tilde(&mut self, out: &mut Vec<Part>) {
        let start = self.pos;
        self.step(1);
        let from = self.pos;
        while self.here().is_ascii_alphanumeric() || matches!(self.here(), b'_' | b'-' | b'.') {
            self.step(1);
        }
        let user = Bytes::from_slice(self.text.get(from..self.pos).unwrap_or(&[]));
        out.push(Part { kind: PartKind::Tilde(user), span: self.span(start) });
    }

    /// `name=value` before a command; a word of its own where no other follows it.
    pub(super) fn assignment(&mut self) -> R<Option<Result<Assignment, Word>>> {
        let start = self.pos;
        let rest = self.text.get(start..).unwrap_or(&[]);
        let n = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        if n == 0 || rest.get(n) != Some(&b'=') || rest.first().is_some_and(u8::is_ascii_digit) {
            return Ok(None);
        }
        let head = rest.get(..n.saturating_add(1)).unwrap_or(&[]);
        let name = String::from_utf8_lossy(rest.get(..n).unwrap_or(&[])).into_owned();
        let first =
            Part { kind: PartKind::Literal(Bytes::from_slice(head)), span: Span::new(start, start + head.len()) };
        self.step(n.saturating_add(1));
        let from = self.pos;
        let mut parts = Vec::new();
        self.parts(Place::Plain, &mut parts)?;
        let (span, whole) = (self.span(from), self.span(start));
        let end = self.pos;
        self.blanks();
        let alone = self.ends_word() || self.here() == b'#';
        self.pos = end;
        if alone {
            parts.insert(0, first);
            return Ok(Some(Err(self.implied(parts, whole))));
        }
        let value = AssignValue::Word(self.implied(parts, span));
        Ok(Some(Ok(Assignment { name, subscript: None, append: false, value, span: whole })))
    }

    fn parts(&mut self, place: Place, out: &mut Vec<Part>) -> R<()> {
        let mut text = Vec::new();
        let mut from = self.pos;
        macro_rules! flush {
            () => {
                if !text.is_empty() {
                    let kind = PartKind::Literal(Bytes::from_vec(std::mem::take(&mut text)));
                    out.push(Part { kind, span: Span::new(from, self.pos) });
                }
            };
        }
        loop {
            let b = self.here();
            let over = match place {
                Place::Plain => self.ends_word(),
                Place::Brace => self.ended() || matches!(b, b',' | b'}'),
                Place::Index => self.ended() || b == b']',
            };
            if over {
                flush!();
                return Ok(());
            }
            if text.is_empty() {
                from = self.pos;
            }
            match b {
                b'\\' if self.at(self.pos.saturating_add(1)) == b'\n' => self.step(2),
                b'\'' | b'"' | b'$' | b'(' | b'*' | b'?' | b'{' | b'\\' => {
                    flush!();
                    self.count()?;
                    let start = self.pos;
                    let kind = match b {
                        b'\'' => self.single()?,
                        b'"' => self.double()?,
                        b'(' => self.substitution()?,
                        b'*' => {
                            // `**` goes through folders, too.
                            while self.here() == b'*' {
                                self.step(1);
                            }
                            PartKind::GlobStar
                        }
                        b'?' => {
                            self.step(1);
                            PartKind::GlobQuestion
                        }
                        b'{' => self.deeper(Self::braces)?,
                        b'\\' => self.escape()?,
                        _ => self.dollar()?,
                    };
                    out.push(Part { kind, span: self.span(start) });
                }
                b => {
                    text.push(b);
                    self.step(1);
                }
            }
        }
    }

    fn single(&mut self) -> R<PartKind> {
        self.step(1);
        let mut text = Vec::new();
        loop {
            match (self.here(), self.at(self.pos.saturating_add(1))) {
                _ if self.ended() => return self.unexpected(),
                (b'\'', _) => break,
                (b'\\', c @ (b'\'' | b'\\')) => {
                    text.push(c);
                    self.step(2);
                }
                (b, _) => {
                    text.push(b);
                    self.step(1);
                }
            }
        }
        self.step(1);
        Ok(PartKind::Single(Bytes::from_vec(text)))
    }

    fn double(&mut self) -> R<PartKind> {
        self.step(1);
        let mut parts = Vec::new();
        let mut text = Vec::new();
        let mut from = self.pos;
        loop {
            if text.is_empty() {
                from = self.pos;
            }
            match (self.here(), self.at(self.pos.saturating_add(1))) {
                _ if self.ended() => return self.unexpected(),
                (b'\\', c @ (b'"' | b'$' | b'\\')) => {
                    text.push(c);
                    self.step(2);
                }
                (b'\\', b'\n') => self.step(2),
                (b @ (b'"' | b'$'), _) => {
                    if !text.is_empty() {
                        let kind = PartKind::Literal(Bytes::from_vec(std::mem::take(&mut text)));
                        parts.push(Part { kind, span: self.span(from) });
                    }
                    if b == b'"' {
                        break;
                    }
                    let start = self.pos;
                    let kind = self.dollar()?;
                    parts.push(Part { kind, span: self.span(start) });
                }
                (b, _) => {
                    text.push(b);
                    self.step(1);
                }
            }
        }
        self.step(1);
        Ok(PartKind::Double(parts))
    }

    /// What `$` begins.
    fn dollar(&mut self) -> R<PartKind> {
        let mut dollars = 0u32;
        while self.here() == b'$' {
            dollars = dollars.saturating_add(1);
            self.step(1);
        }
        if self.here() == b'(' && dollars == 1 {
            return self.substitution();
        }
        let from = self.pos;
        while self.here().is_ascii_alphanumeric() || self.here() == b'_' {
            self.step(1);
        }
        let name = String::from_utf8_lossy(self.text.get(from..self.pos).unwrap_or(&[])).into_owned();
        if name.is_empty() {
            // `${x}`, `$*` and the like are errors.
            return Err((from, SyntaxError::UnexpectedToken));
        }
        let subscript = self.index()?;
        // `$$x` is the variable that `$x` names; further ones are not followed.
        let op = if dollars > 2 { ParamOp::Other(Vec::new()) } else { ParamOp::None };
        Ok(PartKind::Param(Box::new(Param { name, subscript, indirect: dollars > 1, op })))
    }

    /// `[…]` right behind an expansion.
    fn index(&mut self) -> R<Option<Subscript>> {
        if self.here() != b'[' {
            return Ok(None);
        }
        self.step(1);
        let from = self.pos;
        let mut parts = Vec::new();
        self.deeper(|me| me.parts(Place::Index, &mut parts))?;
        let span = self.span(from);
        if self.here() != b']' {
            return self.unexpected();
        }
        self.step(1);
        Ok(Some(Subscript::Index(ArithText { parts, span })))
    }

    /// `(cmd)`, with a subscript where one follows.
    fn substitution(&mut self) -> R<PartKind> {
        let start = self.pos;
        self.step(1);
        let from = self.pos;
        let list = self.deeper(|me| {
            let mut list = List { span: Span::new(from, from), ..List::default() };
            me.items(&mut list)?;
            Ok(list)
        })?;
        let span = self.span(from);
        if self.here() != b')' {
            return self.unexpected();
        }
        self.step(1);
        let mut program = Program { span, ..Program::default() };
        if !list.items.is_empty() {
            program.lists.push(list);
        }
        let kind = if psub(&mut program) {
            PartKind::ProcessIn(Box::new(program))
        } else {
            PartKind::Command(Box::new(program))
        };
        let whole = self.span(start);
        Ok(match self.index()? {
            None => kind,
            subscript => {
                let op = ParamOp::Other(vec![Part { kind, span: whole }]);
                PartKind::Param(Box::new(Param { name: String::new(), subscript, indirect: false, op }))
            }
        })
    }

    /// `{a,b}`. Without a comma, and without a variable, it is text.
    fn braces(&mut self) -> R<PartKind> {
        let start = self.pos;
        // A tilde at the beginning of an alternative is at the beginning of a word.
        let before = start.checked_sub(1).map_or(b' ', |i| self.at(i));
        let leads = matches!(before, b' ' | b'\t' | b'\n' | b';' | b'(' | b'{' | b',');
        self.step(1);
        let mut alternatives = Vec::new();
        loop {
            let mut parts = Vec::new();
            if leads && self.here() == b'~' {
                self.tilde(&mut parts);
            }
            self.parts(Place::Brace, &mut parts)?;
            alternatives.push(parts);
            match self.here() {
                b',' => self.step(1),
                b'}' => break,
                _ => return self.unexpected(),
            }
        }
        self.step(1);
        if alternatives.len() > 1 {
            return Ok(PartKind::Braces(alternatives));
        }
        if let [only] = alternatives.as_slice()
            && only.iter().any(|p| matches!(p.kind, PartKind::Param(_)))
        {
            // With a variable in them braces are a list of one.
            return Ok(PartKind::Braces(alternatives));
        }
        let literal = |t: &[u8]| Part { kind: PartKind::Literal(Bytes::from_slice(t)), span: Span::new(start, start) };
        let mut inner = vec![literal(b"{")];
        inner.extend(alternatives.pop().unwrap_or_default());
        inner.push(literal(b"}"));
        // A single alternative: its parts, as they are.
        Ok(PartKind::Braces(vec![inner]))
    }

    /// A backslash outside quotes.
    fn escape(&mut self) -> R<PartKind> {
        let c = self.at(self.pos.saturating_add(1));
        if self.pos.saturating_add(1) >= self.text.len() {
            self.step(1);
            return self.unexpected();
        }
        self.step(2);
        let mut digits = |radix: u32, most: usize| {
            let mut n = 0u32;
            let mut k = 0usize;
            while let Some(d) = char::from(self.here()).to_digit(radix).filter(|_| k < most) {
                n = n.saturating_mul(radix).saturating_add(d);
                k = k.saturating_add(1);
                self.step(1);
            }
            n
        };
        let byte = |n: u32| vec![u8::try_from(n & 0xff).unwrap_or(0)];
        let text = match c {
            b'a' => vec![7],
            b'b' => vec![8],
            b'e' => vec![27],
            b'f' => vec![12],
            b'n' => vec![b'\n'],
            b'r' => vec![b'\r'],
            b't' => vec![b'\t'],
            b'v' => vec![11],
            b'x' | b'X' => byte(digits(16, 2)),
            b'u' => utf8(digits(16, 4)),
            b'U' => utf8(digits(16, 8)),
            b'0'..=b'7' => {
                self.pos = self.pos.saturating_sub(1);
                let mut n = 0u32;
                let mut k = 0u32;
                while let (b'0'..=b'7', true) = (self.here(), k < 3) {
                    n = n.saturating_mul(8).saturating_add(u32::from(self.here().wrapping_sub(b'0')));
                    k = k.saturating_add(1);
                    self.step(1);
                }
                byte(n)
            }
            b'c' => {
                let letter = self.here();
                self.step(1);
                vec![letter & 0x1f]
            }
            c => {
                let mut text = vec![c];
                // The rest of a character of several bytes.
                while self.here() & 0xc0 == 0x80 && c >= 0x80 {
                    text.push(self.here());
                    self.step(1);
                }
                text
            }
        };
        Ok(PartKind::Escaped(Bytes::from_vec(text)))
    }
}

fn utf8(n: u32) -> Vec<u8> {
    char::from_u32(n).map(|c| c.to_string().into_bytes()).unwrap_or_default()
}

/// Takes `| psub` off the end of a substitution: then it is the name of a file with the output.
fn psub(program: &mut Program) -> bool {
    let Some(item) = program.lists.last_mut().and_then(|l| l.items.last_mut()) else { return false };
    let pipeline = match item.rest.last_mut() {
        Some((_, p)) => p,
        None => &mut item.first,
    };
    let named = match pipeline.stages.last().map(|c| &c.kind) {
        Some(CommandKind::Simple(s)) => s.words.first().and_then(Word::literal).is_some_and(|n| n == b"psub"),
        _ => false,
    };
    let found = named && pipeline.stages.len() > 1;
    if found {
        pipeline.stages.pop();
        pipeline.pipe_stderr.pop();
    }
    found
}
