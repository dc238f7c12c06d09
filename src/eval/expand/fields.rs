//! Runs → fields: splitting at IFS, and characters that are patterns.
//!
//! In: runs of pieces, each with how it was quoted. Out: fields, in which a pattern that may match files is a piece.

use super::super::Interp;
use super::super::scope::Content;
use super::Border;
use super::Mode;
use super::Run;
use crate::source::{Place, Span};
use crate::syntax::ast::{Part, PartKind};
use crate::value::split::{self, Ifs, Run as SplitRun, RunKind};
use crate::value::{Bytes, Glob, Literal, Piece, Taint, Value};

impl Interp<'_> {
    /// Field splitting and globbing of one word's runs.
    pub(crate) fn split(&mut self, mut runs: Vec<Run>, out: &mut Vec<Value>) {
        self.drop_glued_parameters(&mut runs);
        let noglob = self.sh.opts.noglob;
        // Without anything that was expanded there is nothing to split: one field, if there is anything at all.
        if !runs.iter().any(|r| matches!(r, Run::Piece(_, Mode::Expanded) | Run::Break(_))) {
            if !runs.is_empty() {
                let mut v = Value::default();
                for r in runs {
                    if let Run::Piece(p, _) = r {
                        push_glob(&mut v, p, noglob);
                    }
                }
                out.push(v);
            }
            return;
        }
        let ifs = match self.ifs() {
            _ if self.sh.opts.no_split => Ifs::Known(Vec::new()),
            Some(b) => Ifs::Known(b),
            None => Ifs::Unknown,
        };
        // Unquoted elements are joined with a first character of IFS that is no blank, and split at it again: empty ones
        // survive that.
        let between = match &ifs {
            Ifs::Known(k) => k.first().copied().filter(|b| !matches!(b, b' ' | b'\t' | b'\n')),
            Ifs::Unknown => None,
        };
        let mut group: Vec<SplitRun> = Vec::new();
        for r in runs {
            match (r, between) {
                (Run::Break(Border::At | Border::Star), Some(b)) => {
                    let value = Value::computed(&[b], Place::default(), Taint::default());
                    group.push(SplitRun { value, kind: RunKind::Expanded });
                }
                (Run::Break(_), _) => out.append(&mut split::split(&std::mem::take(&mut group), &ifs, !noglob)),
                (Run::Null, _) => group.push(SplitRun { value: Value::default(), kind: RunKind::Quoted }),
                (Run::Piece(p, mode), _) => {
                    let mut value = Value::default();
                    push_glob(&mut value, p, noglob);
                    let kind = match mode {
                        Mode::Quoted => RunKind::Quoted,
                        Mode::Plain => RunKind::Text,
                        Mode::Expanded => RunKind::Expanded,
                    };
                    group.push(SplitRun { value, kind });
                }
            }
        }
        out.append(&mut split::split(&group, &ifs, !noglob));
    }

    /// The value of IFS: `None` where it is not known.
    pub(crate) fn ifs(&self) -> Option<Vec<u8>> {
        match self.sh.var("IFS").map(|v| &v.content) {
            None | Some(Content::Unset) => Some(b" \t\n".to_vec()),
            Some(Content::Scalar(v)) => v.as_literal().map(|b| b.into_owned()),
            Some(_) => None,
        }
    }

    pub(super) fn bracket_text(&mut self, parts: &[Part]) -> Value {
        // Inside a bracket expression a quoted character is only itself: written with a backslash for the matcher.
        let mut v = Value::default();
        for p in parts {
            match &p.kind {
                PartKind::Escaped(b) | PartKind::Single(b) | PartKind::AnsiC(b) => {
                    let mut t = Vec::new();
                    for c in b.iter() {
                        t.push(b'\\');
                        t.push(*c);
                    }
                    v.push(Value::computed(&t, self.at(p.span), Taint::default()));
                }
                PartKind::GlobStar => v.push(Value::literal(b"*", self.at(p.span))),
                PartKind::GlobQuestion => v.push(Value::literal(b"?", self.at(p.span))),
                _ => {
                    let mut runs = Vec::new();
                    self.part(p, false, &mut runs);
                    v.push(self.joined(runs, false));
                }
            }
        }
        v
    }
}

/// True for a word that one of its readings leaves out.
pub(crate) fn may_vanish(v: &Value) -> bool {
    matches!(v.pieces.as_slice(), [Piece::OneOf(vs)] if vs.iter().any(|v| v.pieces.is_empty()))
}

/// Appends a piece; a glob is plain text where no file names are generated.
pub(super) fn push_glob(v: &mut Value, p: Piece, noglob: bool) {
    match p {
        Piece::Glob(_, at) if noglob => {
            let text = Value { pieces: smallvec::smallvec![p] }.show();
            v.push(Value::literal(text.as_bytes(), at));
        }
        p => v.push_piece(p),
    }
}

/// Text that is a pattern because it comes out of an expansion → pieces: `*`, `?`, brackets, groups, and backslashes
/// that take the meaning from what follows them.
pub(crate) fn glob_literal(l: &Literal, push: &mut dyn FnMut(Piece)) {
    if !l.bytes.iter().any(|b| matches!(b, b'*' | b'?' | b'[' | b'\\' | b'(')) {
        push(Piece::Literal(l.clone()));
        return;
    }
    let sub = |a: usize, b: usize| -> Literal {
        let bytes = l.bytes.get(a..b).unwrap_or(&[]);
        let from = if l.exact {
            let start = l.from.span.start.saturating_add(a as u32);
            Place::new(l.from.text, Span { start, end: start.saturating_add((b.saturating_sub(a)) as u32) })
        } else {
            l.from
        };
        Literal { bytes: Bytes::from_slice(bytes), from, exact: l.exact, taint: l.taint.clone() }
    };
    let mut start = 0;
    let mut i = 0;
    while let Some(b) = l.bytes.get(i).copied() {
        let next = i.saturating_add(1);
        if b == b'\\' && next < l.bytes.len() {
            // The byte after it is only itself.
            if i > start {
                push(Piece::Literal(sub(start, i)));
            }
            let end = next.saturating_add(1);
            push(Piece::Literal(sub(next, end)));
            start = end;
            i = end;
            continue;
        }
        let group = matches!(b, b'*' | b'?' | b'+' | b'@' | b'!') && l.bytes.get(next) == Some(&b'(');
        let (glob, end) = match b {
            _ if group && group_end(&l.bytes, next).is_some() => {
                let e = group_end(&l.bytes, next).unwrap_or(next);
                (Some(Glob::Ext(Bytes::from_slice(l.bytes.get(i..e).unwrap_or(&[])))), e)
            }
            b'*' => (Some(Glob::Star), next),
            b'?' => (Some(Glob::Question), next),
            b'[' => match bracket_end(&l.bytes, next) {
                Some(e) => {
                    let text = l.bytes.get(next..e).unwrap_or(&[]);
                    (Some(Glob::Bracket(Bytes::from_slice(text))), e.saturating_add(1))
                }
                None => (None, next),
            },
            _ => (None, next),
        };
        if let Some(g) = glob {
            if i > start {
                push(Piece::Literal(sub(start, i)));
            }
            push(Piece::Glob(g, sub(i, end).from));
            start = end;
        }
        i = end;
    }
    if i > start {
        push(Piece::Literal(sub(start, i)));
    }
}

/// One past the parenthesis that closes the one at `open`.
pub(super) fn group_end(b: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0u32;
    let mut i = open;
    while let Some(c) = b.get(i) {
        match c {
            b'\\' => i = i.saturating_add(1),
            b'(' => depth = depth.saturating_add(1),
            b')' if depth == 1 => return Some(i.saturating_add(1)),
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        i = i.saturating_add(1);
    }
    None
}

/// Where the bracket expression that was opened before `from` is closed.
pub(super) fn bracket_end(b: &[u8], from: usize) -> Option<usize> {
    let mut i = from;
    if matches!(b.get(i), Some(b'!' | b'^')) {
        i = i.saturating_add(1);
    }
    if b.get(i) == Some(&b']') {
        i = i.saturating_add(1);
    }
    let rest = b.get(i..)?;
    rest.iter().take(256).position(|c| *c == b']').map(|n| i.saturating_add(n))
}

/// The text of a value as a pattern: literal bytes with a backslash before what would be active. False where a piece is
/// not known.
pub(crate) fn pattern_text(v: &Value, out: &mut Vec<u8>) -> bool {
    let mut known = true;
    for p in &v.pieces {
        match p {
            Piece::Literal(l) => {
                for b in l.bytes.iter() {
                    if matches!(b, b'*' | b'?' | b'[' | b']' | b'\\' | b'(' | b')' | b'|' | b'!' | b'+' | b'@') {
                        out.push(b'\\');
                    }
                    out.push(*b);
                }
            }
            Piece::Glob(Glob::Star, _) => out.push(b'*'),
            Piece::Glob(Glob::Question, _) => out.push(b'?'),
            Piece::Glob(Glob::Bracket(b), _) => {
                out.push(b'[');
                out.extend_from_slice(b);
                out.push(b']');
            }
            Piece::Glob(Glob::Ext(b), _) => out.extend_from_slice(b),
            Piece::OneOf(_) | Piece::Unknown(_) => {
                known = false;
                out.push(b'*');
            }
        }
    }
    known
}
