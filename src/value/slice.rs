//! Cutting values without losing where their bytes come from.
//!
//! In: a [`Value`]. Out: parts of it. A byte-for-byte literal keeps an exact place for each part; a computed one keeps
//! the place of the whole. Pieces that are not known stay whole and go to the part they stand in.

use super::{Bytes, Literal, Piece, Value};
use crate::source::{Place, Span};

impl Literal {
    /// The bytes from `start` up to `end` (clamped), with their place.
    pub fn slice(&self, start: usize, end: usize) -> Literal {
        let end = end.min(self.bytes.len());
        let start = start.min(end);
        let bytes = Bytes::from_slice(self.bytes.get(start..end).unwrap_or_default());
        let from = if self.exact {
            let at = self.from.span.start as usize;
            Place::new(self.from.text, Span::new(at.saturating_add(start), at.saturating_add(end)))
        } else {
            self.from
        };
        Literal { bytes, from, exact: self.exact, taint: self.taint.clone() }
    }
}

impl Value {
    /// The parts before and after the first `n` known bytes. Fewer known bytes than that: all of them are in the first.
    pub fn split_at(&self, n: usize) -> (Value, Value) {
        let (mut head, mut tail) = (Value::default(), Value::default());
        let mut left = n;
        for p in &self.pieces {
            match p {
                Piece::Literal(l) if left > 0 => {
                    let take = left.min(l.bytes.len());
                    head.push_piece(Piece::Literal(l.slice(0, take)));
                    if take < l.bytes.len() {
                        tail.push_piece(Piece::Literal(l.slice(take, l.bytes.len())));
                    }
                    left = left.saturating_sub(take);
                }
                p => {
                    left = 0;
                    tail.push_piece(p.clone());
                }
            }
        }
        if tail.pieces.is_empty() {
            // An empty rest still stands somewhere: `--output=` has its value after the sign.
            let end = self.place().span.end;
            let at = Place::new(self.place().text, Span { start: end, end });
            tail = Value::literal(b"", at);
        }
        (head, tail)
    }
    /// What follows `prefix`, where the value is known to begin so.
    pub fn strip_prefix(&self, prefix: &[u8]) -> Option<Value> {
        self.prefix().starts_with(prefix).then(|| self.split_at(prefix.len()).1)
    }
    /// What stands before `suffix`, where the value is known to end so.
    pub fn strip_suffix(&self, suffix: &[u8]) -> Option<Value> {
        let Some(Piece::Literal(last)) = self.pieces.last() else { return suffix.is_empty().then(|| self.clone()) };
        let keep = last.bytes.len().checked_sub(suffix.len())?;
        if !last.bytes.ends_with(suffix) {
            return None;
        }
        let mut v = self.clone();
        v.pieces.pop();
        v.push_piece(Piece::Literal(last.slice(0, keep)));
        Some(v)
    }
    /// The parts between bytes for which `separator` holds; at least one.
    pub fn split(&self, separator: impl Fn(u8) -> bool) -> Vec<Value> {
        let mut parts = vec![Value::default()];
        let add = |parts: &mut Vec<Value>, p: Piece| {
            if let Some(v) = parts.last_mut() {
                v.push_piece(p);
            }
        };
        for p in &self.pieces {
            let Piece::Literal(l) = p else {
                add(&mut parts, p.clone());
                continue;
            };
            let mut start = 0usize;
            for (i, b) in l.bytes.iter().enumerate() {
                if separator(*b) {
                    add(&mut parts, Piece::Literal(l.slice(start, i)));
                    parts.push(Value::default());
                    start = i.saturating_add(1);
                }
            }
            if start < l.bytes.len() {
                add(&mut parts, Piece::Literal(l.slice(start, l.bytes.len())));
            }
        }
        parts
    }
    /// The parts before and after the first `byte` among the known bytes at the beginning.
    pub fn split_once(&self, byte: u8) -> Option<(Value, Value)> {
        let at = self.prefix().iter().position(|b| *b == byte)?;
        let (head, rest) = self.split_at(at);
        Some((head, rest.split_at(1).1))
    }
    /// What stands after the last `byte`, and what stands before it; `None` where the last piece that could hold one is
    /// not known or none has one.
    pub fn rsplit_once(&self, byte: u8) -> Option<(Value, Value)> {
        for (i, p) in self.pieces.iter().enumerate().rev() {
            let Piece::Literal(l) = p else { continue };
            let Some(at) = l.bytes.iter().rposition(|b| *b == byte) else { continue };
            let (mut head, mut tail) = (Value::default(), Value::default());
            self.pieces.iter().take(i).for_each(|q| head.push_piece(q.clone()));
            head.push_piece(Piece::Literal(l.slice(0, at)));
            tail.push_piece(Piece::Literal(l.slice(at.saturating_add(1), l.bytes.len())));
            self.pieces.iter().skip(i.saturating_add(1)).for_each(|q| tail.push_piece(q.clone()));
            return Some((head, tail));
        }
        None
    }
    /// True where it may be any number of words: an unknown piece stands unquoted in it.
    pub fn splits(&self) -> bool {
        self.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::TextId;
    use crate::value::Why;

    fn at(start: usize, end: usize) -> Place {
        Place::new(TextId::ROOT, Span::new(start, end))
    }

    #[test]
    fn parts_of_an_exact_literal_know_their_bytes() {
        let v = Value::literal(b"--output=f", at(5, 15));
        let rest = v.strip_prefix(b"--output=").unwrap();
        assert_eq!(rest.as_str().unwrap(), "f");
        assert_eq!(rest.place(), at(14, 15));
        assert_eq!(v.split_once(b'=').unwrap().0.place(), at(5, 13));
    }

    #[test]
    fn an_empty_rest_stands_at_the_end() {
        let v = Value::literal(b"--output=", at(5, 14));
        assert_eq!(v.strip_prefix(b"--output=").unwrap().place(), at(14, 14));
    }

    #[test]
    fn computed_literals_keep_the_place_of_the_whole() {
        let v = Value::computed(b"ab", at(0, 8), crate::value::Taint::default());
        assert_eq!(v.split_at(1).1.place(), at(0, 8));
    }

    #[test]
    fn unknown_pieces_stay_whole() {
        let mut v = Value::literal(b"a,b", at(0, 3));
        v.push(Value::unknown(Why::Environment("X".into()), at(3, 5)));
        v.push(Value::literal(b",c", at(5, 7)));
        let parts: Vec<String> = v.split(|b| b == b',').iter().map(Value::show).collect();
        assert_eq!(parts, ["a", "b$X", "c"]);
        assert!(v.strip_prefix(b"a,bc").is_none());
        assert_eq!(v.rsplit_once(b',').unwrap().1.place(), at(6, 7));
        assert_eq!(v.strip_suffix(b"c").unwrap().show(), "a,b$X,");
    }
}
