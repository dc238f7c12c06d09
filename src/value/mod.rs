//! What a word can be: literal pieces, sets, patterns and unknown pieces, each with its provenance.
//!
//! Floor 2; imports `source`, `limits`. A [`Value`] is what the interpreter knows of a string before anything runs: the
//! concatenation of its pieces. A piece that is not known says why and names what it came from, so that a command word
//! that stays unknown is a fact, and data that was downloaded stays recognisable however often it is copied.

pub mod arithmetic;
mod brace;
#[cfg(test)]
pub(crate) mod oracle;
pub mod pattern;
pub mod quote;
pub mod split;
pub mod transform;

pub mod slice;

use crate::source::{Place, Segment};
use smallvec::SmallVec;
use std::rc::Rc;

pub use crate::syntax::ast::Bytes;

/// Which effect produced a piece of content. The effect graph hands these out (`effect::EffectId` is this type).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u32);

/// How content got from one place to the next; what flow edges are labelled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// `|`, `|&`, a coprocess
    Pipe,
    /// `$(…)`, backquotes
    Substitution,
    /// `<(…)`, `>(…)`
    ProcessSubstitution,
    /// `<<<`
    HereString,
    /// `<<`
    Heredoc,
    /// A file written and read in the same text.
    File,
    /// A variable.
    Variable,
    /// An argument.
    Argument,
    /// A program between (tee, sed, jq …) that passes on what it reads, changed or not.
    Filter,
    /// A network connection on a descriptor.
    Socket,
}

/// Where content comes from: the effects that produced it, each with the way it took.
///
/// Most values have none, and those that have one are copied often: copies share it until one is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taint(Option<Rc<Vec<(Origin, Way)>>>);

/// The steps between an effect and a piece of content.
pub type Way = SmallVec<[Channel; 4]>;

impl Taint {
    /// Content of one effect.
    pub fn of(origin: Origin) -> Self {
        Taint(Some(Rc::new(vec![(origin, Way::new())])))
    }
    /// True where nothing is known to have produced it.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
    /// The effects, each with the way from it.
    pub fn sources(&self) -> &[(Origin, Way)] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
    /// Drops the sources for which that holds.
    pub fn drop_sources(&mut self, gone: &dyn Fn(Origin) -> bool) {
        if let Some(all) = &mut self.0
            && all.iter().any(|(o, _)| gone(*o))
        {
            Rc::make_mut(all).retain(|(o, _)| !gone(*o));
            if all.is_empty() {
                self.0 = None;
            }
        }
    }
    /// Takes in another's sources.
    pub fn join(&mut self, other: &Taint) {
        match (&mut self.0, &other.0) {
            (_, None) => {}
            (None, Some(_)) => *self = other.clone(),
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => {}
            (Some(a), Some(b)) => {
                for (o, via) in b.iter() {
                    if a.len() < crate::limits::MAX_READINGS && !a.iter().any(|(p, _)| p == o) {
                        Rc::make_mut(a).push((*o, via.clone()));
                    }
                }
            }
        }
    }
    /// Notes one more step of the way (a repeated step is kept once).
    pub fn step(&mut self, channel: Channel) {
        let Some(all) = &mut self.0 else { return };
        let new = |via: &Way| via.last() != Some(&channel) && via.len() < 16;
        if !all.iter().any(|(_, via)| new(via)) {
            return;
        }
        for (_, via) in Rc::make_mut(all) {
            if via.last() != Some(&channel) && via.len() < 16 {
                via.push(channel);
            }
        }
    }
}

/// Why a piece is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A variable that the text does not set.
    Environment(String),
    /// A positional or special parameter of the surrounding shell.
    Parameter(String),
    /// What a command prints that cannot be computed here; its name.
    Output(String),
    /// The same where it is surely no option: hashes, names, absolute paths; the command's name.
    Names(String),
    /// Where a program lies, as `which NAME` prints it: the name.
    Program(String),
    /// The content of a file that the text did not write; its path as far as known.
    File(String),
    /// What comes from a network address.
    Network,
    /// Standard input of the whole text.
    Stdin,
    /// Which file names a pattern matches.
    Glob(String),
    /// Different on each path through a branch or loop, with too many readings to keep.
    Joined,
    /// A limit of the analysis was reached.
    Limit,
    /// An operation that is not computed; which.
    NotComputed(&'static str),
    /// The home directory of a user other than the current one, or the current one (name empty).
    Home(String),
    /// A variable of the environment or a parameter that the shell makes sure is not empty (`${NAME:?}`).
    NotEmpty(String),
    /// What a program that packs makes of a text, which is there to be unpacked: the program's transform, the text.
    Packed(&'static str, Box<Value>),
    /// A place, or something below it, or its text with a part cut off: what is listed there, or what an operation on
    /// its text gives. Made by [`Value::near`], so that none lies in another.
    Near(Box<Value>),
}

/// A run of known bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The bytes.
    pub bytes: Bytes,
    /// Where they come from.
    pub from: Place,
    /// True where they are a byte-for-byte copy of that place.
    pub exact: bool,
    /// The effects they went through (a decoder, a file read); empty for text that simply stands there.
    pub taint: Taint,
}

/// A piece that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Why.
    pub why: Why,
    /// Where it stands.
    pub from: Place,
    /// What produced it.
    pub taint: Taint,
    /// True where it is unquoted, so that it may become no word, one, or several.
    pub splits: bool,
}

/// A pattern piece left in a word: a glob whose matches the file system decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Glob {
    /// `*`
    Star,
    /// `?`
    Question,
    /// `[…]`, the text between the brackets.
    Bracket(Bytes),
    /// An extended pattern, as it would be written.
    Ext(Bytes),
}

/// One piece of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Known bytes.
    Literal(Literal),
    /// An active glob.
    Glob(Glob, Place),
    /// One of several readings, at most [`crate::limits::MAX_READINGS`].
    OneOf(Vec<Value>),
    /// Not known.
    Unknown(Box<Unknown>),
}

/// What is known of a string.
#[derive(Debug, Default, PartialEq)]
pub struct Value {
    /// The pieces, to be read one after the other.
    pub pieces: SmallVec<[Piece; 1]>,
}

impl Clone for Value {
    fn clone(&self) -> Self {
        // Nearly every value is one piece, and values are copied all the time.
        let pieces = match self.pieces.as_slice() {
            [one] => SmallVec::from_buf([one.clone()]),
            many => many.iter().cloned().collect(),
        };
        Value { pieces }
    }
}

/// Pieces after which literals are joined whatever their places.
const MANY_PIECES: usize = 64;

impl Value {
    /// Known bytes that are a copy of `from`.
    pub fn literal(bytes: &[u8], from: Place) -> Self {
        Value::from_literal(Literal {
            bytes: Bytes::from_slice(bytes),
            from,
            exact: from.span.len() == bytes.len(),
            taint: Taint::default(),
        })
    }
    /// Known bytes that were computed from what stands at `from`.
    pub fn computed(bytes: &[u8], from: Place, taint: Taint) -> Self {
        Value::from_literal(Literal { bytes: Bytes::from_slice(bytes), from, exact: false, taint })
    }
    /// A value of one literal piece.
    pub fn from_literal(l: Literal) -> Self {
        Value { pieces: SmallVec::from_buf([Piece::Literal(l)]) }
    }
    /// A value that is not known.
    pub fn unknown(why: Why, from: Place) -> Self {
        Value::unknown_tainted(why, from, Taint::default())
    }
    /// A value that is not known, and what produced it.
    pub fn unknown_tainted(why: Why, from: Place, taint: Taint) -> Self {
        let mut v = Value::default();
        v.pieces.push(Piece::Unknown(Box::new(Unknown { why, from, taint, splits: false })));
        v
    }
    /// The whole text where every piece is known.
    pub fn as_literal(&self) -> Option<std::borrow::Cow<'_, [u8]>> {
        use std::borrow::Cow;
        match self.pieces.as_slice() {
            [] => Some(Cow::Borrowed(&[])),
            [Piece::Literal(l)] => Some(Cow::Borrowed(&l.bytes)),
            many => {
                let mut out = Vec::new();
                for p in many {
                    match p {
                        Piece::Literal(l) => out.extend_from_slice(&l.bytes),
                        _ => return None,
                    }
                }
                Some(Cow::Owned(out))
            }
        }
    }
    /// The whole text, where known and UTF-8.
    pub fn as_str(&self) -> Option<std::borrow::Cow<'_, str>> {
        use std::borrow::Cow;
        match self.as_literal()? {
            Cow::Borrowed(b) => std::str::from_utf8(b).ok().map(Cow::Borrowed),
            Cow::Owned(b) => String::from_utf8(b).ok().map(Cow::Owned),
        }
    }
    /// True where every piece is known.
    pub fn is_known(&self) -> bool {
        self.pieces.iter().all(|p| matches!(p, Piece::Literal(_)))
    }
    /// True where nothing decides over it but the machine: what is not known of it is a number or a home directory.
    pub fn is_settled(&self) -> bool {
        self.pieces.iter().all(|p| match p {
            Piece::Literal(_) => true,
            Piece::Unknown(u) => u.why.is_one_word(),
            _ => false,
        })
    }
    /// The known bytes before the first piece that is not.
    pub fn prefix(&self) -> std::borrow::Cow<'_, [u8]> {
        use std::borrow::Cow;
        match self.pieces.as_slice() {
            [Piece::Literal(l)] => return Cow::Borrowed(&l.bytes),
            [Piece::Literal(l), next, ..] if !matches!(next, Piece::Literal(_)) => return Cow::Borrowed(&l.bytes),
            _ => {}
        }
        let mut out = Vec::new();
        for p in &self.pieces {
            match p {
                Piece::Literal(l) => out.extend_from_slice(&l.bytes),
                _ => break,
            }
        }
        Cow::Owned(out)
    }
    /// Appends another value's pieces; two literals that stand beside each other in one text become one.
    pub fn push(&mut self, other: Value) {
        for p in other.pieces {
            self.push_piece(p);
        }
    }
    /// Appends one piece.
    pub fn push_piece(&mut self, piece: Piece) {
        if self.pieces.len() >= crate::limits::MAX_PIECES {
            let (from, taint) = (self.place(), self.taint());
            self.pieces.clear();
            self.pieces.push(Piece::Unknown(Box::new(Unknown { why: Why::Limit, from, taint, splits: false })));
        }
        if let (Some(Piece::Literal(a)), Piece::Literal(b)) = (self.pieces.last_mut(), &piece)
            && a.exact
            && b.exact
            && a.from.text == b.from.text
            && a.from.span.end == b.from.span.start
            && a.taint == b.taint
        {
            a.bytes.extend_from_slice(&b.bytes);
            a.from = a.from.to(b.from);
            return;
        }
        // A value that is put together of very many bits forgets where each of them came from, not what it is.
        if self.pieces.len() > MANY_PIECES
            && let (Some(Piece::Literal(a)), Piece::Literal(b)) = (self.pieces.last_mut(), &piece)
            && a.taint == b.taint
        {
            a.bytes.extend_from_slice(&b.bytes);
            a.exact = false;
            return;
        }
        self.pieces.push(piece);
    }
    /// How many pieces it has, those of sets included.
    pub fn nodes(&self) -> usize {
        let of = |p: &Piece| match p {
            Piece::OneOf(vs) => vs.iter().map(Value::nodes).sum::<usize>().saturating_add(1),
            Piece::Literal(_) | Piece::Glob(..) | Piece::Unknown(_) => 1,
        };
        self.pieces.iter().map(of).sum()
    }
    /// About how much work it is to copy, in units of the work budget.
    pub fn weight(&self) -> u64 {
        let of = |p: &Piece| match p {
            Piece::Literal(l) => 1 + l.bytes.len() as u64 / 64,
            Piece::OneOf(vs) => vs.iter().map(Value::weight).sum::<u64>().saturating_add(1),
            Piece::Glob(..) | Piece::Unknown(_) => 1,
        };
        self.pieces.iter().map(of).sum::<u64>() / 2
    }
    /// Every effect that any piece came from.
    pub fn taint(&self) -> Taint {
        let mut t = Taint::default();
        self.each_taint(&mut |u| t.join(u));
        t
    }
    fn each_taint(&self, f: &mut dyn FnMut(&Taint)) {
        for p in &self.pieces {
            match p {
                Piece::Literal(l) => f(&l.taint),
                Piece::Unknown(u) => f(&u.taint),
                Piece::OneOf(vs) => vs.iter().for_each(|v| v.each_taint(f)),
                Piece::Glob(..) => {}
            }
        }
    }
    /// Drops the sources for which that holds from everything in it.
    pub fn drop_sources(&mut self, gone: &dyn Fn(Origin) -> bool) {
        for p in &mut self.pieces {
            match p {
                Piece::Literal(l) => l.taint.drop_sources(gone),
                Piece::Unknown(u) => u.taint.drop_sources(gone),
                Piece::OneOf(vs) => vs.iter_mut().for_each(|v| v.drop_sources(gone)),
                Piece::Glob(..) => {}
            }
        }
    }
    /// Notes one more step on the way of everything in it.
    pub fn step(&mut self, channel: Channel) {
        for p in &mut self.pieces {
            match p {
                Piece::Literal(l) => l.taint.step(channel),
                Piece::Unknown(u) => u.taint.step(channel),
                Piece::OneOf(vs) => vs.iter_mut().for_each(|v| v.step(channel)),
                Piece::Glob(..) => {}
            }
        }
    }
    /// Adds a source to everything in it.
    pub fn add_taint(&mut self, taint: &Taint) {
        for p in &mut self.pieces {
            match p {
                Piece::Literal(l) => l.taint.join(taint),
                Piece::Unknown(u) => u.taint.join(taint),
                Piece::OneOf(vs) => vs.iter_mut().for_each(|v| v.add_taint(taint)),
                Piece::Glob(..) => {}
            }
        }
    }
    /// Where it stands: the first piece's place joined with the others' of the same text.
    pub fn place(&self) -> Place {
        let mut it = self.pieces.iter().map(|p| match p {
            Piece::Literal(l) => l.from,
            Piece::Glob(_, at) => *at,
            Piece::Unknown(u) => u.from,
            Piece::OneOf(vs) => vs.first().map(Value::place).unwrap_or_default(),
        });
        let first = it.next().unwrap_or_default();
        it.fold(first, Place::to)
    }
    /// The readings of a value with finite sets in it: every combination, up to
    /// [`crate::limits::MAX_READINGS`]; past that, and for a value without sets, the value itself.
    pub fn readings(&self) -> Vec<Value> {
        if let [Piece::Literal(_) | Piece::Glob(..) | Piece::Unknown(_)] = self.pieces.as_slice() {
            return vec![self.clone()];
        }
        let mut out = vec![Value::default()];
        for p in &self.pieces {
            match p {
                Piece::OneOf(vs) => {
                    let choices: Vec<Value> = vs.iter().flat_map(Value::readings).collect();
                    if choices.is_empty() || out.len().saturating_mul(choices.len()) > crate::limits::MAX_READINGS {
                        return vec![self.clone()];
                    }
                    out = out
                        .iter()
                        .flat_map(|a| {
                            choices.iter().map(move |c| {
                                let mut v = a.clone();
                                v.push(c.clone());
                                v
                            })
                        })
                        .collect();
                }
                other => out.iter_mut().for_each(|v| v.push_piece(other.clone())),
            }
        }
        out
    }
    /// Either of two values: what a variable is after a branch.
    pub fn either(a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        let flat = |v: Value| match <[Piece; 1]>::try_from(v.pieces.into_vec()) {
            Ok([Piece::OneOf(vs)]) => vs,
            Ok([p]) => vec![Value { pieces: SmallVec::from_vec(vec![p]) }],
            Err(ps) => vec![Value { pieces: SmallVec::from_vec(ps) }],
        };
        let mut all = flat(a);
        for v in flat(b) {
            if !all.contains(&v) {
                all.push(v);
            }
        }
        let size: usize = all.iter().map(Value::nodes).sum();
        if all.len() > crate::limits::MAX_READINGS || size > crate::limits::MAX_SET_NODES {
            let mut taint = Taint::default();
            all.iter().for_each(|v| taint.join(&v.taint()));
            let at = all.first().map(Value::place).unwrap_or_default();
            return Value::unknown_tainted(Why::Joined, at, taint);
        }
        let mut v = Value::default();
        v.pieces.push(Piece::OneOf(all));
        v
    }
    /// The bytes and the segment map of a known value, to be added to a [`crate::source::Source`] as a nested text.
    pub fn to_text(&self) -> Option<(Vec<u8>, Vec<Segment>)> {
        let mut bytes = Vec::new();
        let mut segments = Vec::new();
        for p in &self.pieces {
            let Piece::Literal(l) = p else { return None };
            segments.push(Segment {
                start: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
                from: l.from,
                exact: l.exact,
            });
            bytes.extend_from_slice(&l.bytes);
        }
        Some((bytes, segments))
    }
    /// The value for people: known text as it is, globs as written, unknown pieces as `<why>`.
    pub fn show(&self) -> String {
        let mut out = String::new();
        for p in &self.pieces {
            match p {
                Piece::Literal(l) => out.push_str(&String::from_utf8_lossy(&l.bytes)),
                Piece::Glob(Glob::Star, _) => out.push('*'),
                Piece::Glob(Glob::Question, _) => out.push('?'),
                Piece::Glob(Glob::Bracket(b), _) => {
                    out.push('[');
                    out.push_str(&String::from_utf8_lossy(b));
                    out.push(']');
                }
                Piece::Glob(Glob::Ext(b), _) => out.push_str(&String::from_utf8_lossy(b)),
                Piece::OneOf(vs) => {
                    let all: Vec<String> = vs.iter().map(Value::show).collect();
                    out.push_str(&format!("<{}>", all.join("|")));
                }
                Piece::Unknown(u) => out.push_str(&u.why.show()),
            }
        }
        out
    }
}

impl Eq for Value {}

impl Value {
    /// What is not known but lies at or below the place that this value names, or is made from its text; `None` where
    /// the value has several readings or says nothing of a place.
    pub fn near(&self, at: Place) -> Option<Value> {
        if let [Piece::Unknown(u)] = self.pieces.as_slice()
            && let Why::Near(v) = &u.why
        {
            return Some(Value::unknown_tainted(Why::Near(v.clone()), at, self.taint()));
        }
        let named = |p: &Piece| match p {
            Piece::Literal(_) | Piece::Glob(..) => true,
            Piece::Unknown(u) => matches!(u.why, Why::Home(_) | Why::Environment(_) | Why::NotEmpty(_)),
            Piece::OneOf(_) => false,
        };
        let place = !self.pieces.is_empty() && self.pieces.iter().all(named);
        place.then(|| Value::unknown_tainted(Why::Near(Box::new(self.clone())), at, self.taint()))
    }
}

impl Why {
    /// True for what is one word wherever it stands: a home directory, a number.
    pub fn is_one_word(&self) -> bool {
        match self {
            Why::Home(_) => true,
            Why::Parameter(n) => matches!(n.as_str(), "?" | "#" | "$" | "!"),
            Why::NotComputed(what) => matches!(*what, "arithmetic" | "length of text" | "number of elements"),
            _ => false,
        }
    }
    /// For people: `$NAME` for variables, `<…>` for the rest.
    pub fn show(&self) -> String {
        match self {
            Why::Environment(n) | Why::Parameter(n) => format!("${n}"),
            Why::Output(n) | Why::Names(n) => format!("<output of {n}>"),
            Why::Program(n) => format!("<where {n} lies>"),
            Why::File(n) => format!("<content of {n}>"),
            Why::Packed(_, v) => format!("<packed {}>", v.show()),
            Why::Network => "<from the network>".into(),
            Why::Stdin => "<standard input>".into(),
            Why::Glob(p) => format!("<names that match {p}>"),
            Why::Joined => "<depends on a branch>".into(),
            Why::Limit => "<over the limits>".into(),
            Why::NotComputed(w) => format!("<{w}>"),
            Why::Home(u) => format!("~{u}"),
            Why::NotEmpty(n) => format!("${n}"),
            Why::Near(v) => format!("<from {}>", v.show()),
        }
    }
}
