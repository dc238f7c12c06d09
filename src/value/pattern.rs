//! Shell patterns: POSIX XCU 2.14 and bash's extended patterns (bash manual 3.5.8.1).
//!
//! In: the pieces of a pattern word after expansion, each either quoted (matched as it is) or active. Out: a
//! [`Pattern`] that answers whole-string matches, prefixes and suffixes (`${x#p}` …) and replacements (`${x/p/r}`).
//! It does not look at a file system; names that every system has are in [`known`]. Floor 2; imports `limits`.
//!
//! Matching propagates *sets of positions* through the pattern, so there is no backtracking: the cost is the length of
//! the pattern times that of the text, but for nested `*(…)` and `!(…)`, which a work limit bounds.

pub mod known;
mod matching;
mod replace;
mod set;

use crate::limits;
use set::Bracket;
pub(super) use set::{lower, upper};

pub use known::{is_listed, known_paths};
pub use replace::Replacement;

/// The work limit was reached: whether the pattern matches is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit;

/// One run of a pattern word after expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatPiece<'a> {
    /// Quoted: every byte stands for itself.
    Literal(&'a [u8]),
    /// Active: `*`, `?`, `[`, extended operators and backslashes mean something.
    Active(&'a [u8]),
}

/// How a pattern is read and matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `@(…)` and the like are operators: `shopt -s extglob`, and always in `[[ x == p ]]`.
    pub extglob: bool,
    /// `shopt -s nocasematch` (or nocaseglob).
    pub nocase: bool,
    /// File names: `/` matches only itself, and a leading dot only a dot.
    pub path: bool,
    /// With `path`: `shopt -s dotglob`.
    pub dotglob: bool,
}

/// Which part of the text a pattern removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// `#`, `%`
    Shortest,
    /// `##`, `%%`
    Longest,
}

/// A character of valid text, or [`RAW`] plus a byte that belongs to none.
pub(super) type Unit = u32;
const RAW: Unit = 0x11_0000;

/// The five operators of extended patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExtKind {
    /// `?(…)`
    Optional,
    /// `*(…)`
    Any,
    /// `+(…)`
    Some,
    /// `@(…)`
    One,
    /// `!(…)`
    Not,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Unit(Unit),
    Question,
    Star,
    Bracket(Box<Bracket>),
    Ext(ExtKind, Vec<Vec<Node>>),
}

/// A pattern that was read.
#[derive(Clone, Debug)]
pub struct Pattern {
    flags: Flags,
    chars: Vec<Node>,
    /// The pattern byte by byte, for texts that are not UTF-8; `None` where it has ASCII only.
    bytes: Option<Vec<Node>>,
    /// The pattern itself is no UTF-8: only `bytes` is used.
    only_bytes: bool,
    /// Nested deeper than is followed: every answer is [`Limit`].
    too_deep: bool,
}

/// A unit of the pattern's text and whether it was quoted.
type Quoted = (Unit, bool);

impl Pattern {
    /// Reads a pattern from its pieces. Never fails: what is no operator stands for itself, as in the shell.
    pub fn parse(pieces: &[PatPiece<'_>], flags: Flags) -> Pattern {
        let all: Vec<u8> = pieces
            .iter()
            .flat_map(|p| match p {
                PatPiece::Literal(b) | PatPiece::Active(b) => b.iter().copied(),
            })
            .collect();
        let utf8 = std::str::from_utf8(&all).is_ok();
        let mut too_deep = false;
        let mut read = |by_bytes: bool| {
            let text = quoted_units(pieces, by_bytes);
            let mut p = Parser { text: &text, at: 0, flags, too_deep: false };
            let nodes = p.sequence(0);
            too_deep |= p.too_deep;
            nodes
        };
        let bytes = (!all.is_ascii()).then(|| read(true));
        let chars = if utf8 { read(false) } else { Vec::new() };
        Pattern { flags, chars, bytes, only_bytes: !utf8, too_deep }
    }

    /// Reads a pattern held in a variable: all of it is active, backslashes quote.
    pub fn from_text(text: &[u8], flags: Flags) -> Pattern {
        Pattern::parse(&[PatPiece::Active(text)], flags)
    }

    /// The one text that it matches, where no operator is left in it (and case counts).
    pub fn as_literal(&self) -> Option<Vec<u8>> {
        if self.too_deep || self.flags.nocase {
            return None;
        }
        let nodes = if self.only_bytes { self.bytes.as_ref()? } else { &self.chars };
        let mut out = Vec::new();
        for n in nodes {
            let Node::Unit(u) = n else { return None };
            push_unit(&mut out, *u);
        }
        Some(out)
    }
}

/// The text of a pattern as units; a backslash in an active piece quotes the unit after it, also across pieces.
fn quoted_units(pieces: &[PatPiece<'_>], by_bytes: bool) -> Vec<Quoted> {
    let mut out = Vec::new();
    let mut escaped = false;
    for piece in pieces {
        match piece {
            PatPiece::Literal(b) => {
                if escaped {
                    out.push((Unit::from(b'\\'), true));
                    escaped = false;
                }
                out.extend(units(b, by_bytes).into_iter().map(|u| (u, true)));
            }
            PatPiece::Active(b) => {
                for u in units(b, by_bytes) {
                    if escaped {
                        out.push((u, true));
                        escaped = false;
                    } else if u == Unit::from(b'\\') {
                        escaped = true;
                    } else {
                        out.push((u, false));
                    }
                }
            }
        }
    }
    if escaped {
        out.push((Unit::from(b'\\'), true));
    }
    out
}

/// Decodes text to units: characters where it is UTF-8, else (or on request) bytes.
pub(super) fn units(text: &[u8], by_bytes: bool) -> Vec<Unit> {
    if by_bytes {
        return text
            .iter()
            .map(|&b| if b < 0x80 { Unit::from(b) } else { RAW.saturating_add(Unit::from(b)) })
            .collect();
    }
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.extend(chunk.valid().chars().map(Unit::from));
        out.extend(chunk.invalid().iter().map(|&b| RAW.saturating_add(Unit::from(b))));
    }
    out
}

/// Appends a unit's bytes.
pub(super) fn push_unit(out: &mut Vec<u8>, unit: Unit) {
    match char::from_u32(unit) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.push(u8::try_from(unit.saturating_sub(RAW)).unwrap_or(b'?')),
    }
}

struct Parser<'a> {
    text: &'a [Quoted],
    at: usize,
    flags: Flags,
    too_deep: bool,
}

impl Parser<'_> {
    fn active(&self, at: usize) -> Option<u8> {
        match self.text.get(at) {
            Some(&(u, false)) => u8::try_from(u).ok(),
            _ => None,
        }
    }

    /// Reads up to the end, or in a group (`depth > 0`) up to an active `|` or `)`.
    fn sequence(&mut self, depth: u32) -> Vec<Node> {
        let mut out = Vec::new();
        while let Some(&(unit, _)) = self.text.get(self.at) {
            let active = self.active(self.at);
            if depth > 0 && matches!(active, Some(b'|' | b')')) {
                break;
            }
            let next = self.at.saturating_add(1);
            if self.flags.extglob
                && let Some(kind) = active.and_then(ext_kind)
                && self.active(next) == Some(b'(')
                && self.group_end(next).is_some()
            {
                self.at = next.saturating_add(1);
                out.push(self.group(kind, depth.saturating_add(1)));
                continue;
            }
            match active {
                Some(b'?') => out.push(Node::Question),
                // A run of stars is one star.
                Some(b'*') if out.last() == Some(&Node::Star) => {}
                Some(b'*') => out.push(Node::Star),
                Some(b'[') => {
                    if let Some((set, end)) = Bracket::parse(self.text, next, self.flags) {
                        out.push(Node::Bracket(Box::new(set)));
                        self.at = end;
                        continue;
                    }
                    out.push(Node::Unit(unit));
                }
                _ => out.push(Node::Unit(unit)),
            }
            self.at = next;
        }
        out
    }

    fn group(&mut self, kind: ExtKind, depth: u32) -> Node {
        if depth > limits::MAX_PATTERN_DEPTH {
            self.too_deep = true;
            self.at = self.text.len();
            return Node::Star;
        }
        let mut alternatives = Vec::new();
        loop {
            alternatives.push(self.sequence(depth));
            let stop = self.active(self.at);
            self.at = self.at.saturating_add(1);
            if stop != Some(b'|') {
                return Node::Ext(kind, alternatives);
            }
        }
    }

    /// The `)` that closes the `(` at `open`. Without one, the operator stands for itself.
    fn group_end(&mut self, open: usize) -> Option<usize> {
        let mut depth = 0u32;
        let mut i = open;
        while i < self.text.len() {
            match self.active(i) {
                Some(b'(') => depth = depth.saturating_add(1),
                Some(b')') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(i);
                    }
                }
                // Parentheses inside a bracket expression do not count.
                Some(b'[') => {
                    if let Some((_, end)) = Bracket::parse(self.text, i.saturating_add(1), self.flags) {
                        i = end;
                        continue;
                    }
                }
                _ => {}
            }
            i = i.saturating_add(1);
        }
        None
    }
}

fn ext_kind(b: u8) -> Option<ExtKind> {
    Some(match b {
        b'?' => ExtKind::Optional,
        b'*' => ExtKind::Any,
        b'+' => ExtKind::Some,
        b'@' => ExtKind::One,
        b'!' => ExtKind::Not,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
