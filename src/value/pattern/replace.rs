//! Replacement: `${x/p/r}`, `${x//p/r}`, `${x/#p/r}`, `${x/%p/r}`.
//!
//! In: a pattern, a text, a replacement. Out: the text as bash 5.2 makes it (`patsub_replacement` is on by default:
//! an unquoted `&` in the replacement stands for what was matched). Known difference: bash guesses a least length for
//! groups that may be empty (`@(|a)`, `+(*(a))`) and then misses empty matches; here they are found.

use super::matching::Matcher;
use super::{ExtKind, Extent, Limit, Node, PatPiece, Pattern, Unit};
use crate::limits;

enum Part {
    Bytes(Vec<u8>),
    Matched,
}

/// What matches are replaced with.
pub struct Replacement(Vec<Part>);

impl Replacement {
    /// Text in which nothing is special.
    pub fn literal(text: &[u8]) -> Replacement {
        Replacement(vec![Part::Bytes(text.to_vec())])
    }

    /// Reads a replacement word after expansion: an unquoted `&` is the matched text, `\&` in active text an `&`.
    pub fn parse(pieces: &[PatPiece<'_>]) -> Replacement {
        let mut parts = Vec::new();
        let mut bytes = Vec::new();
        for piece in pieces {
            match piece {
                PatPiece::Literal(b) => bytes.extend_from_slice(b),
                PatPiece::Active(b) => {
                    let mut it = b.iter().copied().peekable();
                    while let Some(c) = it.next() {
                        match c {
                            b'\\' if it.peek() == Some(&b'&') => bytes.extend(it.next()),
                            b'\\' if it.peek() == Some(&b'\\') => bytes.extend(it.next()),
                            b'&' => {
                                parts.push(Part::Bytes(std::mem::take(&mut bytes)));
                                parts.push(Part::Matched);
                            }
                            c => bytes.push(c),
                        }
                    }
                }
            }
        }
        parts.push(Part::Bytes(bytes));
        Replacement(parts)
    }

    fn push(&self, out: &mut Vec<u8>, matched: &[u8]) -> Result<(), Limit> {
        for p in &self.0 {
            match p {
                Part::Bytes(b) => out.extend_from_slice(b),
                Part::Matched => out.extend_from_slice(matched),
            }
        }
        if out.len() > limits::MAX_VALUE { Err(Limit) } else { Ok(()) }
    }
}

impl Pattern {
    /// True where the pattern is the empty text.
    fn is_empty(&self) -> bool {
        !self.too_deep && self.chars.is_empty() && self.bytes.is_none()
    }

    /// True where bash finds an empty match at the end of a text: only where the pattern's text begins with `*`.
    fn may_be_empty_at_end(&self) -> bool {
        matches!(self.chars.first(), Some(Node::Star | Node::Ext(ExtKind::Any, _)))
    }

    /// In ASCII text bash takes these groups to be at least one character long when it looks at the end.
    fn seems_long(&self) -> bool {
        self.chars
            .iter()
            .find_map(|n| match n {
                Node::Star | Node::Ext(ExtKind::Any | ExtKind::Optional, _) => Some(false),
                Node::Ext(..) => Some(true),
                _ => None,
            })
            .unwrap_or(false)
    }

    /// bash surrounds a pattern with `*` to see whether it matches anywhere, unless its text begins and ends with a
    /// star; it takes a quoted star at the end for one too. Then only the whole text matches (`${x/*\*/}`).
    fn must_match_all(&self) -> bool {
        self.chars.first() == Some(&Node::Star) && self.chars.last() == Some(&Node::Unit(Unit::from(b'*')))
    }

    /// `${x/p/r}` (first match, the longest at the leftmost place) and, with `all`, `${x//p/r}`.
    pub fn replace(&self, text: &[u8], with: &Replacement, all: bool) -> Result<Vec<u8>, Limit> {
        if self.is_empty()
            || text.is_empty() && !self.may_be_empty_at_end()
            || self.must_match_all() && !self.matches(text)?
        {
            return Ok(text.to_vec());
        }
        let bytes = text;
        let (nodes, text) = self.prepare(bytes)?;
        let starts = self.starts(nodes, &text)?;
        let mut matcher = Matcher::new(&text, self);
        let mut out = Vec::with_capacity(bytes.len());
        let copy = |out: &mut Vec<u8>, a: usize, b: usize| {
            out.extend_from_slice(bytes.get(text.offset(a)..text.offset(b)).unwrap_or(&[]));
        };
        let mut done = 0usize;
        for start in starts {
            if start < done {
                continue;
            }
            // bash does not try a match at the very end of a text that is not empty.
            if start >= text.len() && text.len() > 0 {
                break;
            }
            let Some((_, end)) = matcher.ends(nodes, start)? else { continue };
            copy(&mut out, done, start);
            with.push(&mut out, bytes.get(text.offset(start)..text.offset(end)).unwrap_or(&[]))?;
            done = end;
            if !all {
                break;
            }
            if end == start && start < text.len() {
                // After an empty match one character is passed over.
                copy(&mut out, start, start.saturating_add(1));
                done = start.saturating_add(1);
            }
        }
        copy(&mut out, done, text.len());
        if out.len() > limits::MAX_VALUE { Err(Limit) } else { Ok(out) }
    }

    /// `${x/#p/r}`: the longest match at the start.
    pub fn replace_prefix(&self, text: &[u8], with: &Replacement) -> Result<Vec<u8>, Limit> {
        if !self.is_empty() && text.is_empty() && !self.may_be_empty_at_end()
            || self.must_match_all() && !self.matches(text)?
        {
            return Ok(text.to_vec());
        }
        let Some(n) = self.prefix(text, Extent::Longest)? else { return Ok(text.to_vec()) };
        let (matched, rest) = text.split_at_checked(n).unwrap_or((text, &[]));
        let mut out = Vec::new();
        with.push(&mut out, matched)?;
        out.extend_from_slice(rest);
        Ok(out)
    }

    /// `${x/%p/r}`: the longest match at the end.
    pub fn replace_suffix(&self, text: &[u8], with: &Replacement) -> Result<Vec<u8>, Limit> {
        let Some(n) = self.suffix(text, Extent::Longest)? else { return Ok(text.to_vec()) };
        if n == text.len() && n > 0 && text.is_ascii() && self.bytes.is_none() && self.seems_long() {
            return Ok(text.to_vec());
        }
        let (rest, matched) = text.split_at_checked(n).unwrap_or((text, &[]));
        let mut out = rest.to_vec();
        with.push(&mut out, matched)?;
        Ok(out)
    }
}
