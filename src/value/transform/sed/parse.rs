//! Reading sed scripts.
//!
//! In: the script's text. Out: commands with their jumps resolved.

use super::super::super::Why;
use super::super::regex::{Matcher, Syntax};
use crate::limits;
use std::rc::Rc;

pub(super) struct Script {
    pub(super) commands: Vec<Command>,
    /// The first line is `#n`.
    pub(super) quiet: bool,
}

pub(super) struct Command {
    pub(super) first: Option<Address>,
    pub(super) second: Option<Address>,
    pub(super) negated: bool,
    pub(super) verb: Verb,
}

pub(super) enum Address {
    Line(usize),
    Last,
    Regex(Rc<Matcher>),
    /// `first~step`
    Step(usize, usize),
    /// `,+n`
    Plus(usize),
}

pub(super) enum Verb {
    /// `{`: where its `}` is.
    Open(usize),
    Close,
    Substitute(Substitution),
    Translate(Vec<(char, char)>),
    Delete,
    DeleteFirst,
    Print,
    PrintFirst,
    Number,
    Next,
    Append,
    Quit(u8),
    QuitSilently(u8),
    Hold,
    HoldAppend,
    Get,
    GetAppend,
    Exchange,
    Insert(Vec<u8>),
    AppendText(Vec<u8>),
    Branch(usize),
    /// `t` (where something was replaced) and `T` (where not).
    BranchIf(usize, bool),
}

pub(super) struct Substitution {
    pub(super) regex: Rc<Matcher>,
    pub(super) with: Vec<Part>,
    pub(super) all: bool,
    pub(super) number: usize,
    pub(super) print: bool,
}

pub(super) enum Part {
    Text(Vec<u8>),
    Group(usize),
    Case(Case),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Upper,
    Lower,
    UpperOne,
    LowerOne,
    End,
}

const NOT: Why = Why::NotComputed("sed command");

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    extended: bool,
    last: Option<Rc<Matcher>>,
    regexes: usize,
}

/// Reads a script.
pub(super) fn script(text: &[u8], extended: bool) -> Result<Script, Why> {
    let quiet = text == b"#n" || text.starts_with(b"#n\n");
    let mut r = Reader { text, at: 0, extended, last: None, regexes: 0 };
    let mut commands: Vec<Command> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut labels: Vec<(Vec<u8>, usize)> = Vec::new();
    let mut jumps: Vec<(usize, Vec<u8>)> = Vec::new();
    loop {
        r.skip(b" \t\n;");
        let Some(b) = r.peek() else { break };
        if b == b'#' {
            r.until_newline();
            continue;
        }
        let (first, second) = r.addresses()?;
        r.skip(b" \t");
        let mut negated = false;
        while r.peek() == Some(b'!') {
            negated = true;
            r.at = r.at.saturating_add(1);
            r.skip(b" \t");
        }
        let name = r.next().ok_or(NOT)?;
        let here = commands.len();
        let verb = match name {
            b'{' => {
                open.push(here);
                Verb::Open(0)
            }
            b'}' => {
                let begin = open.pop().ok_or(NOT)?;
                if let Some(Command { verb: Verb::Open(end), .. }) = commands.get_mut(begin) {
                    *end = here;
                }
                Verb::Close
            }
            b':' => {
                r.skip(b" \t");
                labels.push((r.label(), here));
                continue;
            }
            b's' => Verb::Substitute(r.substitution()?),
            b'y' => r.translation()?,
            b'd' => Verb::Delete,
            b'D' => Verb::DeleteFirst,
            b'p' => Verb::Print,
            b'P' => Verb::PrintFirst,
            b'=' => Verb::Number,
            b'n' => Verb::Next,
            b'N' => Verb::Append,
            b'h' => Verb::Hold,
            b'H' => Verb::HoldAppend,
            b'g' => Verb::Get,
            b'G' => Verb::GetAppend,
            b'x' => Verb::Exchange,
            b'q' => Verb::Quit(r.code()?),
            b'Q' => Verb::QuitSilently(r.code()?),
            b'i' => Verb::Insert(r.line_text()?),
            b'a' => Verb::AppendText(r.line_text()?),
            b'b' | b't' | b'T' => {
                r.skip(b" \t");
                jumps.push((here, r.label()));
                match name {
                    b'b' => Verb::Branch(0),
                    _ => Verb::BranchIf(0, name == b't'),
                }
            }
            _ => return Err(NOT),
        };
        r.skip(b" \t");
        if !matches!(name, b'{' | b'}') && !matches!(r.peek(), None | Some(b';' | b'\n' | b'}' | b'#')) {
            return Err(NOT);
        }
        commands.push(Command { first, second, negated, verb });
    }
    if !open.is_empty() {
        return Err(NOT);
    }
    for (at, label) in jumps {
        let to = if label.is_empty() {
            commands.len()
        } else {
            labels.iter().find(|(l, _)| *l == label).map(|(_, to)| *to).ok_or(NOT)?
        };
        if let Some(Command { verb: Verb::Branch(t) | Verb::BranchIf(t, _), .. }) = commands.get_mut(at) {
            *t = to;
        }
    }
    Ok(Script { commands, quiet })
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let b = self.peek();
        self.at = self.at.saturating_add(1);
        b
    }

    fn skip(&mut self, set: &[u8]) {
        while self.peek().is_some_and(|b| set.contains(&b)) {
            self.at = self.at.saturating_add(1);
        }
    }

    fn until_newline(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(b) = self.peek().filter(|b| *b != b'\n') {
            out.push(b);
            self.at = self.at.saturating_add(1);
        }
        out
    }

    fn label(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(b) = self.peek().filter(|b| !matches!(b, b'\n' | b';' | b' ' | b'\t' | b'}')) {
            out.push(b);
            self.at = self.at.saturating_add(1);
        }
        out
    }

    fn number(&mut self) -> Option<usize> {
        let digits = self.text.get(self.at..)?.iter().take_while(|b| b.is_ascii_digit()).count();
        let end = self.at.saturating_add(digits);
        let n = std::str::from_utf8(self.text.get(self.at..end)?).ok()?.parse().ok()?;
        self.at = end;
        Some(n)
    }

    fn code(&mut self) -> Result<u8, Why> {
        self.skip(b" \t");
        match self.number() {
            None => Ok(0),
            Some(n) => u8::try_from(n).map_err(|_| NOT),
        }
    }

    /// The text of `a` and `i`: GNU's one-line form, or after a backslash and a newline.
    fn line_text(&mut self) -> Result<Vec<u8>, Why> {
        self.skip(b" \t");
        if self.peek() == Some(b'\\') {
            self.at = self.at.saturating_add(1);
            self.skip(b" \t");
            if self.peek() == Some(b'\n') {
                self.at = self.at.saturating_add(1);
            }
        }
        let text = self.until_newline();
        if text.contains(&b'\\') || text.is_empty() { Err(NOT) } else { Ok(text) }
    }

    /// Text up to the delimiter, with escaped delimiters freed.
    fn delimited(&mut self, delimiter: u8, is_regex: bool) -> Result<Vec<u8>, Why> {
        let mut out = Vec::new();
        let mut bracket = false;
        loop {
            let b = self.next().ok_or(NOT)?;
            match b {
                b'\\' => {
                    let e = self.next().ok_or(NOT)?;
                    if e == delimiter && !bracket {
                        // An escaped delimiter that is an operator stays escaped.
                        if is_regex
                            && matches!(
                                e,
                                b'.' | b'*'
                                    | b'['
                                    | b']'
                                    | b'^'
                                    | b'$'
                                    | b'+'
                                    | b'?'
                                    | b'('
                                    | b')'
                                    | b'{'
                                    | b'}'
                                    | b'|'
                            )
                        {
                            return Err(NOT);
                        }
                        if !is_regex && e == b'&' {
                            out.push(b'\\');
                        }
                        out.push(e);
                    } else if e == b'\n' && is_regex {
                        out.extend_from_slice(b"\\n");
                    } else {
                        out.extend_from_slice(&[b, e]);
                    }
                }
                // A delimiter inside brackets does not end the pattern in GNU sed only where brackets are matched
                // first; sed does not do that, so it ends here.
                b if b == delimiter => return Ok(out),
                b'\n' if is_regex => return Err(NOT),
                b'[' if is_regex && !bracket => {
                    bracket = true;
                    out.push(b);
                    for extra in [b'^', b']'] {
                        if self.peek() == Some(extra) {
                            out.push(extra);
                            self.at = self.at.saturating_add(1);
                        }
                    }
                }
                b']' => {
                    bracket = false;
                    out.push(b);
                }
                b => out.push(b),
            }
        }
    }

    fn regex(&mut self, text: &[u8], nocase: bool) -> Result<Rc<Matcher>, Why> {
        if text.is_empty() {
            // The empty pattern is the last one that was used when the script runs, which is known only for one.
            return self.last.clone().ok_or(NOT);
        }
        let syntax = if self.extended { Syntax::Extended } else { Syntax::Basic };
        self.regexes = self.regexes.saturating_add(1);
        if self.regexes > limits::MAX_REGEXES {
            return Err(Why::Limit);
        }
        let m = Rc::new(Matcher::new(text, syntax, nocase)?);
        self.last = Some(Rc::clone(&m));
        Ok(m)
    }

    fn address(&mut self) -> Result<Option<Address>, Why> {
        Ok(Some(match self.peek() {
            Some(b'0'..=b'9') => {
                let n = self.number().ok_or(NOT)?;
                if self.peek() == Some(b'~') {
                    self.at = self.at.saturating_add(1);
                    Address::Step(n, self.number().unwrap_or(0))
                } else {
                    Address::Line(n)
                }
            }
            Some(b'$') => {
                self.at = self.at.saturating_add(1);
                Address::Last
            }
            Some(b @ (b'/' | b'\\')) => {
                self.at = self.at.saturating_add(1);
                let delimiter = if b == b'/' { b } else { self.next().ok_or(NOT)? };
                let text = self.delimited(delimiter, true)?;
                let nocase = self.peek() == Some(b'I');
                if nocase {
                    self.at = self.at.saturating_add(1);
                }
                Address::Regex(self.regex(&text, nocase)?)
            }
            _ => return Ok(None),
        }))
    }

    fn addresses(&mut self) -> Result<(Option<Address>, Option<Address>), Why> {
        let Some(first) = self.address()? else { return Ok((None, None)) };
        self.skip(b" \t");
        if self.peek() != Some(b',') {
            return if matches!(first, Address::Line(0)) { Err(NOT) } else { Ok((Some(first), None)) };
        }
        self.at = self.at.saturating_add(1);
        self.skip(b" \t");
        let second = if self.peek() == Some(b'+') {
            self.at = self.at.saturating_add(1);
            Address::Plus(self.number().ok_or(NOT)?)
        } else {
            self.address()?.ok_or(NOT)?
        };
        if matches!(first, Address::Line(0)) && !matches!(second, Address::Regex(_)) {
            return Err(NOT);
        }
        Ok((Some(first), Some(second)))
    }

    fn substitution(&mut self) -> Result<Substitution, Why> {
        let delimiter = self.next().filter(|d| !matches!(d, b'\n' | b'\\')).ok_or(NOT)?;
        let pattern = self.delimited(delimiter, true)?;
        let with = self.delimited(delimiter, false)?;
        let (mut all, mut number, mut print, mut nocase) = (false, 1, false, false);
        loop {
            match self.peek() {
                Some(b'g') => all = true,
                Some(b'p') => print = true,
                Some(b'i' | b'I') => nocase = true,
                Some(b'1'..=b'9') => {
                    number = self.number().ok_or(NOT)?;
                    continue;
                }
                Some(b'e' | b'w' | b'm' | b'M') => return Err(NOT),
                _ => break,
            }
            self.at = self.at.saturating_add(1);
        }
        let regex = self.regex(&pattern, nocase)?;
        Ok(Substitution { regex, with: replacement(&with)?, all, number, print })
    }

    fn translation(&mut self) -> Result<Verb, Why> {
        let delimiter = self.next().filter(|d| !matches!(d, b'\n' | b'\\')).ok_or(NOT)?;
        let (from, to) = (self.delimited(delimiter, false)?, self.delimited(delimiter, false)?);
        let chars = |t: &[u8]| -> Result<Vec<char>, Why> {
            let text = std::str::from_utf8(t).map_err(|_| NOT)?;
            let mut out = Vec::new();
            let mut it = text.chars();
            while let Some(c) = it.next() {
                out.push(match c {
                    '\\' => match it.next() {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some('\\') => '\\',
                        _ => return Err(NOT),
                    },
                    c => c,
                });
            }
            Ok(out)
        };
        let (from, to) = (chars(&from)?, chars(&to)?);
        if from.len() != to.len() {
            return Err(NOT);
        }
        Ok(Verb::Translate(from.into_iter().zip(to).collect()))
    }
}

/// Reads a replacement: `&`, `\1`, `\n`, `\U` and its kin.
fn replacement(text: &[u8]) -> Result<Vec<Part>, Why> {
    let mut parts = Vec::new();
    let mut plain = Vec::new();
    let mut it = text.iter().copied();
    while let Some(b) = it.next() {
        let part = match b {
            b'&' => Part::Group(0),
            b'\\' => match it.next().ok_or(NOT)? {
                d @ b'0'..=b'9' => Part::Group(usize::from(d.saturating_sub(b'0'))),
                b'U' => Part::Case(Case::Upper),
                b'L' => Part::Case(Case::Lower),
                b'u' => Part::Case(Case::UpperOne),
                b'l' => Part::Case(Case::LowerOne),
                b'E' => Part::Case(Case::End),
                e => {
                    plain.push(match e {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'a' => 7,
                        b'f' => 12,
                        b'v' => 11,
                        b'x' | b'o' | b'd' | b'c' => return Err(NOT),
                        other => other,
                    });
                    continue;
                }
            },
            b => {
                plain.push(b);
                continue;
            }
        };
        parts.push(Part::Text(std::mem::take(&mut plain)));
        parts.push(part);
    }
    parts.push(Part::Text(plain));
    Ok(parts)
}
