//! Word splitting: POSIX XCU 2.6.5, bash manual 3.5.7.
//!
//! In: the runs of one word after expansion, each said to be split or not, and IFS. Out: the fields, each a [`Value`]
//! whose pieces keep their places. Quoted empty text makes a field, unquoted empty text none. It does not match file
//! names; on request it turns the pattern characters of split text into globs. Floor 2; imports `source`, `value`.

use super::{Bytes, Glob, Literal, Piece, Unknown, Value, Why};
use crate::limits;
use crate::source::{Place, Span};
use smallvec::SmallVec;

pub use super::brace::brace_range;

/// What a run of a word is, for splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// Quoted: kept as it is; makes a field even where it is empty.
    Quoted,
    /// Unquoted text of the word itself: kept as it is.
    Text,
    /// The result of an unquoted expansion: split.
    Expanded,
}

/// One run of a word.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its value.
    pub value: Value,
    /// How it is treated.
    pub kind: RunKind,
}

/// What is known of IFS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ifs {
    /// Unset, or known. [`Ifs::default`] is blank, tab, newline.
    Known(Vec<u8>),
    /// Not known: every run that would be split becomes unknown.
    Unknown,
}

impl Default for Ifs {
    fn default() -> Self {
        Ifs::Known(b" \t\n".to_vec())
    }
}

/// Splits a word into fields. `globs`: pattern characters of split text become globs (not under `set -f`).
pub fn split(runs: &[Run], ifs: &Ifs, globs: bool) -> Vec<Value> {
    let mut s =
        Splitter { ifs, globs, fields: Vec::new(), current: Value::default(), open: false, closed_by_blank: false };
    for run in runs {
        match run.kind {
            RunKind::Quoted => s.keep(&run.value, true),
            RunKind::Text => s.keep(&run.value, false),
            RunKind::Expanded => run.value.pieces.iter().for_each(|p| s.piece(p)),
        }
        if s.fields.len() > limits::MAX_FIELDS {
            break;
        }
    }
    if s.fields.len() > limits::MAX_FIELDS {
        // Too many words to keep: one that stands for any number of them.
        let at = runs.first().map(|r| r.value.place()).unwrap_or_default();
        s.fields.clear();
        s.current = Value::default();
        s.unknown(Why::Limit, at, &super::Taint::default());
    }
    s.close();
    s.fields
}

struct Splitter<'a> {
    ifs: &'a Ifs,
    globs: bool,
    fields: Vec<Value>,
    current: Value,
    /// A field was begun: it has text or a quoted part.
    open: bool,
    /// The last field was ended by IFS white space, so one more separator belongs to the same end.
    closed_by_blank: bool,
}

impl Splitter<'_> {
    fn close(&mut self) {
        if self.open {
            self.fields.push(std::mem::take(&mut self.current));
            self.open = false;
        }
    }

    fn add(&mut self, piece: Piece) {
        self.current.push_piece(piece);
        self.open = true;
        self.closed_by_blank = false;
    }

    fn keep(&mut self, value: &Value, quoted: bool) {
        for p in &value.pieces {
            if !matches!(p, Piece::Literal(l) if l.bytes.is_empty()) {
                self.add(p.clone());
            }
        }
        if quoted {
            self.open = true;
            self.closed_by_blank = false;
        }
    }

    fn unknown(&mut self, why: Why, from: Place, taint: &super::Taint) {
        self.add(Piece::Unknown(Box::new(Unknown { why, from, taint: taint.clone(), splits: true })));
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Literal(l) => self.literal(l),
            Piece::Glob(..) => self.add(piece.clone()),
            Piece::Unknown(u) => {
                let splits = !matches!(self.ifs, Ifs::Known(k) if k.is_empty()) && !u.why.is_one_word();
                let mut u = u.clone();
                u.splits = splits;
                self.add(Piece::Unknown(u));
            }
            Piece::OneOf(vs) => {
                // Readings that are one word each stay a set; where one of them would be split, how many words there
                // are is not known.
                let one = |v: &Value| {
                    // Nothing is no word by itself, and adds nothing to the word that it is a part of.
                    if v.pieces.is_empty() {
                        return Some(v.clone());
                    }
                    if let [Piece::Unknown(_)] = v.pieces.as_slice() {
                        let mut v = v.clone();
                        if let (Some(Piece::Unknown(u)), false) =
                            (v.pieces.first_mut(), matches!(self.ifs, Ifs::Known(k) if k.is_empty()))
                        {
                            u.splits = !u.why.is_one_word();
                        }
                        return Some(v);
                    }
                    // Text that is not known, with known text around it in which nothing separates words.
                    let whole = |p: &Piece| match (p, self.ifs) {
                        (Piece::Unknown(_), _) => true,
                        (Piece::Literal(l), Ifs::Known(k)) => !l.bytes.iter().any(|b| k.contains(b)),
                        _ => false,
                    };
                    if v.pieces.iter().all(whole) && !v.is_known() {
                        let mut v = v.clone();
                        for p in &mut v.pieces {
                            if let Piece::Unknown(u) = p {
                                u.splits = !u.why.is_one_word();
                            }
                        }
                        return Some(v);
                    }
                    let run = [Run { value: v.clone(), kind: RunKind::Expanded }];
                    match split(&run, self.ifs, self.globs).as_slice() {
                        [one] if one == v => Some(one.clone()),
                        _ => None,
                    }
                };
                if let Some(whole) = vs.iter().map(one).collect::<Option<Vec<Value>>>() {
                    self.add(Piece::OneOf(whole));
                } else {
                    let v = Value { pieces: SmallVec::from_vec(vec![piece.clone()]) };
                    self.unknown(Why::Joined, v.place(), &v.taint());
                }
            }
        }
    }

    fn literal(&mut self, l: &Literal) {
        let Ifs::Known(ifs) = self.ifs else {
            self.unknown(Why::Environment("IFS".into()), l.from, &l.taint);
            return;
        };
        let mut start = 0usize;
        for (i, b) in l.bytes.iter().enumerate() {
            if !ifs.contains(b) {
                continue;
            }
            self.text(l, start, i);
            start = i.saturating_add(1);
            if matches!(b, b' ' | b'\t' | b'\n') {
                self.closed_by_blank |= self.open;
                self.close();
            } else {
                // `a : b` has one separator; `a::b` has an empty field in it.
                let belongs = self.closed_by_blank && !self.open;
                if !belongs {
                    self.open = true;
                    self.close();
                }
                self.closed_by_blank = false;
            }
            if self.fields.len() > limits::MAX_FIELDS {
                return;
            }
        }
        self.text(l, start, l.bytes.len());
    }

    /// Adds bytes of a literal that hold no separator.
    fn text(&mut self, l: &Literal, start: usize, end: usize) {
        if start >= end {
            return;
        }
        let mut from = start;
        let mut at = start;
        while self.globs && at < end {
            let (glob, next) = match l.bytes.get(at) {
                Some(b'*') => (Glob::Star, at.saturating_add(1)),
                Some(b'?') => (Glob::Question, at.saturating_add(1)),
                Some(b'[') => match bracket_end(&l.bytes, at.saturating_add(1), end) {
                    Some(close) => {
                        let inner = l.bytes.get(at.saturating_add(1)..close).unwrap_or(&[]);
                        (Glob::Bracket(Bytes::from_slice(inner)), close.saturating_add(1))
                    }
                    None => {
                        at = at.saturating_add(1);
                        continue;
                    }
                },
                _ => {
                    at = at.saturating_add(1);
                    continue;
                }
            };
            if from < at {
                self.add(Piece::Literal(part(l, from, at)));
            }
            self.add(Piece::Glob(glob, part(l, at, next).from));
            from = next;
            at = next;
        }
        if from < end {
            self.add(Piece::Literal(part(l, from, end)));
        }
    }
}

/// The `]` that ends the bracket expression whose text begins at `start`.
fn bracket_end(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let mut at = start;
    if matches!(bytes.get(at), Some(b'!' | b'^')) {
        at = at.saturating_add(1);
    }
    // A `]` in the first place is a member.
    if bytes.get(at) == Some(&b']') {
        at = at.saturating_add(1);
    }
    while at < end {
        match (bytes.get(at)?, bytes.get(at.saturating_add(1))) {
            (b']', _) => return Some(at),
            (b'[', Some(mark @ (b':' | b'=' | b'.'))) => {
                let inner = at.saturating_add(2);
                let closes = |w: &[u8]| w == [*mark, b']'];
                match bytes.get(inner..end)?.windows(2).position(closes) {
                    Some(n) => at = inner.saturating_add(n).saturating_add(2),
                    None => at = at.saturating_add(1),
                }
            }
            _ => at = at.saturating_add(1),
        }
    }
    None
}

/// Part of a literal, with the place that it has.
pub(super) fn part(l: &Literal, start: usize, end: usize) -> Literal {
    let from = if l.exact {
        let first = l.from.span.start as usize;
        Place::new(l.from.text, Span::new(first.saturating_add(start), first.saturating_add(end)))
    } else {
        l.from
    };
    Literal {
        bytes: Bytes::from_slice(l.bytes.get(start..end).unwrap_or(&[])),
        from,
        exact: l.exact,
        taint: l.taint.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::TextId;
    use crate::value::oracle::{Bash, Rng};

    fn run(text: &str, kind: RunKind) -> Run {
        let at = Place::new(TextId::ROOT, Span::new(0, text.len()));
        Run { value: Value::literal(text.as_bytes(), at), kind }
    }

    #[test]
    fn places_survive() {
        let fields = split(&[run("rm -rf", RunKind::Expanded)], &Ifs::default(), true);
        assert_eq!(fields.len(), 2);
        assert_eq!(fields[1].place().span, Span::new(3, 6));
    }

    #[test]
    fn split_text_has_globs() {
        let fields = split(&[run("a*[!x]b [", RunKind::Expanded)], &Ifs::default(), true);
        assert_eq!(fields[0].pieces.len(), 4);
        assert!(matches!(&fields[0].pieces[2], Piece::Glob(Glob::Bracket(b), _) if b.as_slice() == b"!x"));
        assert_eq!(fields[1].as_literal().unwrap().as_ref(), b"[");
        assert!(split(&[run("a*", RunKind::Quoted)], &Ifs::default(), true)[0].is_known());
    }

    #[test]
    fn unknown_text_may_be_any_number_of_words() {
        let u = Value::unknown(Why::Stdin, Place::default());
        let fields = split(&[Run { value: u, kind: RunKind::Expanded }], &Ifs::default(), true);
        assert!(matches!(&fields[0].pieces[0], Piece::Unknown(u) if u.splits));
        let both = Value::either(Value::literal(b"a", Place::default()), Value::literal(b"b c", Place::default()));
        let fields = split(&[Run { value: both, kind: RunKind::Expanded }], &Ifs::default(), true);
        assert!(matches!(&fields[0].pieces[0], Piece::Unknown(u) if u.splits));
    }

    #[test]
    fn too_many_fields_are_one_unknown() {
        let many = "a ".repeat(limits::MAX_FIELDS + 5);
        let fields = split(&[run(&many, RunKind::Expanded)], &Ifs::default(), true);
        assert_eq!(fields.len(), 1);
        assert!(!fields[0].is_known());
    }

    #[test]
    fn agrees_with_bash() {
        let Some(bash) = Bash::find() else { return };
        let mut rng = Rng::new(3);
        let mut script = String::from("set -f\n");
        let mut cases = Vec::new();
        for _ in 0..3000 {
            let ifs = *rng.pick(&[" \t\n", ":", " :", "", ": ", "a", "\n", "::", "x "]);
            let mut word = String::new();
            script.push_str(&format!("IFS='{ifs}'; "));
            let mut runs = Vec::new();
            for i in 0..rng.below(4) {
                let t: String = (0..rng.below(5)).map(|_| *rng.pick(&['a', 'b', ' ', ':', '\n', 'x', ' '])).collect();
                match rng.below(4) {
                    0 => {
                        word.push_str(&format!("'{t}'"));
                        runs.push(run(&t, RunKind::Quoted));
                    }
                    1 => {
                        let t: String = t.chars().filter(|c| !c.is_whitespace()).collect();
                        word.push_str(&t);
                        runs.push(run(&t, RunKind::Text));
                    }
                    _ => {
                        script.push_str(&format!("v{i}='{t}'; "));
                        word.push_str(&format!("${{v{i}}}"));
                        runs.push(run(&t, RunKind::Expanded));
                    }
                }
            }
            script.push_str(&format!("set -- {word}; printf '%s\\0' \"$#\" \"${{@/%/|}}\"\n"));
            cases.push((format!("IFS={ifs:?} {runs:?}"), split(&runs, &Ifs::Known(ifs.into()), false)));
        }
        let out = bash.fields(&script);
        let mut at = out.iter();
        for (shown, ours) in cases {
            let n: usize = String::from_utf8_lossy(at.next().unwrap()).parse().unwrap();
            let mut real: Vec<Vec<u8>> = (0..n).map(|_| at.next().unwrap().clone()).collect();
            if n == 0 {
                // `"${@/%/|}"` is no word at all, and printf then prints one empty argument.
                real.clear();
            }
            let ours: Vec<Vec<u8>> = ours.iter().map(|v| [v.as_literal().unwrap().as_ref(), b"|"].concat()).collect();
            assert_eq!(ours, real, "{shown}");
        }
    }
}
