//! Putting an output together from pieces of values.
//!
//! In: parts of values and computed bytes. Out: a [`Value`] within the limits, or an [`Output`].

use super::super::split::part;
use super::super::{Literal, Piece, Taint, Unknown, Value, Why};
use super::{Output, PieceFrom};
use crate::limits;
use crate::source::{Place, Span, TextId};
use smallvec::SmallVec;

/// An output under construction.
pub(super) struct Build {
    pieces: Vec<Piece>,
    size: usize,
    at: Place,
    over: bool,
}

impl Build {
    /// `at`: what the bytes that are no copies are said to come from.
    pub(super) fn new(at: Place) -> Build {
        Build { pieces: Vec::new(), size: 0, at, over: false }
    }

    pub(super) fn piece(&mut self, piece: Piece) {
        let size = if let Piece::Literal(l) = &piece { l.bytes.len() } else { 1 };
        self.size = self.size.saturating_add(size);
        if self.size > limits::MAX_VALUE {
            self.over = true;
        } else if size > 0 {
            self.pieces.push(piece);
        }
    }

    pub(super) fn computed(&mut self, bytes: &[u8]) {
        self.computed_from(bytes, &Taint::default());
    }

    /// Computed bytes that carry the sources of what they were computed from.
    pub(super) fn computed_from(&mut self, bytes: &[u8], taint: &Taint) {
        if let Some(Piece::Literal(l)) = self.pieces.last_mut()
            && !l.exact
            && l.from == self.at
            && l.taint == *taint
            && self.size.saturating_add(bytes.len()) <= limits::MAX_VALUE
        {
            l.bytes.extend_from_slice(bytes);
            self.size = self.size.saturating_add(bytes.len());
            return;
        }
        self.piece(Piece::Literal(Literal {
            bytes: super::super::Bytes::from_slice(bytes),
            from: self.at,
            exact: false,
            taint: taint.clone(),
        }));
    }

    pub(super) fn copy(&mut self, value: &Value) {
        value.pieces.iter().for_each(|p| self.piece(p.clone()));
    }

    pub(super) fn unknown(&mut self, why: Why, taint: Taint) {
        self.piece(Piece::Unknown(Box::new(Unknown { why, from: self.at, taint, splits: false })));
    }

    /// True where the limit was reached, so that nothing more need be added.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    pub(super) fn finish(self) -> Value {
        if self.over {
            let mut taint = Taint::default();
            Value { pieces: SmallVec::from_vec(self.pieces) }.pieces.iter().for_each(|p| {
                if let Piece::Literal(Literal { taint: t, .. }) = p {
                    taint.join(t);
                }
            });
            return Value::unknown_tainted(Why::Limit, self.at, taint);
        }
        let mut out = Value::default();
        if self.pieces.len() < limits::MAX_PIECES / 2 {
            self.pieces.into_iter().for_each(|p| out.push_piece(p));
            return out;
        }
        // Too many pieces to keep apart: runs of known text become one each, without their places.
        let mut run: Option<Literal> = None;
        for p in self.pieces {
            match (p, &mut run) {
                (Piece::Literal(l), Some(r)) => {
                    r.bytes.extend_from_slice(&l.bytes);
                    r.taint.join(&l.taint);
                }
                (Piece::Literal(l), None) => run = Some(Literal { from: self.at, exact: false, ..l }),
                (other, _) => {
                    if let Some(r) = run.take() {
                        out.push_piece(Piece::Literal(r));
                    }
                    out.push_piece(other);
                }
            }
        }
        if let Some(r) = run {
            out.push_piece(Piece::Literal(r));
        }
        out
    }
}

/// Bytes `start..end` of a known value, with their places.
pub(super) fn slice(value: &Value, start: usize, end: usize) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = 0usize;
    for p in &value.pieces {
        let Piece::Literal(l) = p else { continue };
        let next = at.saturating_add(l.bytes.len());
        let (a, b) = (start.max(at), end.min(next));
        if a < b {
            out.push(Piece::Literal(part(l, a.saturating_sub(at), b.saturating_sub(at))));
        }
        at = next;
        if at >= end {
            break;
        }
    }
    out
}

/// Operands as values whose places are the operands themselves: text `n` is operand `n`.
pub(super) fn operand_values(operands: &[&[u8]]) -> Vec<Value> {
    let text = |i: usize| TextId(u32::try_from(i).unwrap_or(u32::MAX));
    operands.iter().enumerate().map(|(i, o)| Value::literal(o, Place::new(text(i), Span::new(0, o.len())))).collect()
}

/// The way back: a value made from [`operand_values`] as an output.
pub(super) fn to_output(value: &Value) -> Result<Output, Why> {
    let mut out = Output::default();
    for p in &value.pieces {
        match p {
            Piece::Literal(l) if l.exact && !l.bytes.is_empty() => {
                out.push(&l.bytes, PieceFrom::Operand(l.from.text.0 as usize, l.from.span.start as usize))?;
            }
            Piece::Literal(l) => out.push(&l.bytes, PieceFrom::Computed)?,
            Piece::Unknown(u) => return Err(u.why.clone()),
            _ => return Err(Why::NotComputed("pattern")),
        }
    }
    Ok(out)
}
