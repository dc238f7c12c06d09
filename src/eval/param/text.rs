//! The operators that change text: length, removal, replacement, part of it.
//!
//! In: a value and the operator's words. Out: the value they make of it; unknown, with what it came from, where that is not known.

use super::super::Interp;
use super::super::expand::{Mode, Run};
use super::super::glob::compile;
use crate::effect::Language;
use crate::source::Place;
use crate::syntax::ast::{ArithText, ReplaceAt, Word};
use crate::value::pattern::{Extent, PatPiece, Replacement};
use crate::value::{Bytes, Glob, Piece, Taint, Value, Why};

impl Interp<'_> {
    /// A slice of a list of which a part may be any number of elements: what stands before that part is counted.
    pub(super) fn slice_of_open(
        &mut self,
        list: Vec<Value>,
        off: &ArithText,
        len: Option<&ArithText>,
        positional: bool,
        at: Place,
    ) -> Vec<Value> {
        let known = list.iter().take_while(|v| !is_several(v)).count();
        let mut taint = Taint::default();
        list.iter().for_each(|v| taint.join(&v.taint()));
        let off = self.arith(off).ok();
        let len = len.map(|l| self.arith(l).ok());
        let first = off.and_then(|n| usize::try_from(n).ok()).map(|n| if positional { n.saturating_sub(1) } else { n });
        match first {
            // The whole of it.
            Some(0) if len.is_none() && !(positional && off == Some(0)) => list,
            Some(n) if n <= known && !(positional && off == Some(0)) => {
                let rest = list.into_iter().skip(n);
                match len {
                    Some(Some(l)) if usize::try_from(l).is_ok_and(|l| n.saturating_add(l) <= known) => {
                        rest.take(usize::try_from(l).unwrap_or(0)).collect()
                    }
                    None => rest.collect(),
                    Some(_) => {
                        // Those that are counted, and the first of which it is not known how many there are.
                        let counted = known.saturating_sub(n).saturating_add(1);
                        let most = match len {
                            Some(Some(l)) => usize::try_from(l).unwrap_or(0).min(counted),
                            _ => counted,
                        };
                        rest.take(most).collect()
                    }
                }
            }
            _ => {
                if list.len() == 1 && !positional {
                    return list;
                }
                // Any of those that may be several.
                let open: Vec<Value> = list.into_iter().filter(is_several).take(crate::limits::MAX_READINGS).collect();
                if open.is_empty() { vec![Self::many_words(Why::Joined, at, taint)] } else { open }
            }
        }
    }

    pub(super) fn length(&mut self, v: Value, at: Place) -> Value {
        let taint = v.taint();
        match v.as_literal() {
            Some(b) => {
                let n = match std::str::from_utf8(&b) {
                    Ok(s) => s.chars().count(),
                    Err(_) => b.len(),
                };
                Value::computed(n.to_string().as_bytes(), at, Taint::default())
            }
            None => Value::unknown_tainted(Why::NotComputed("length of text"), at, taint),
        }
    }

    pub(super) fn remove(&mut self, v: Value, pat: &Value, long: bool, prefix: bool, at: Place) -> Value {
        if pat.pieces.is_empty() {
            return v;
        }
        // `${f%.txt}` of text whose end is known needs no more than that.
        if let (Some(p), false) = (pat.as_literal(), v.is_known()) {
            let mut v = v;
            let end = if prefix { v.pieces.first_mut() } else { v.pieces.last_mut() };
            if let Some(Piece::Literal(l)) = end {
                let cut = if prefix {
                    l.bytes.strip_prefix(p.as_ref()).map(Bytes::from_slice)
                } else {
                    l.bytes.strip_suffix(p.as_ref()).map(Bytes::from_slice)
                };
                if let Some(rest) = cut {
                    l.exact = false;
                    l.bytes = rest;
                    return v;
                }
                if l.bytes.len() >= p.len() {
                    return v;
                }
            }
            let taint = v.taint();
            return Value::unknown_tainted(Why::NotComputed("part of text"), at, taint);
        }
        let Some(pattern) = compile(pat, false) else {
            return Value::unknown_tainted(Why::NotComputed("part of text"), at, v.taint());
        };
        map_known(v, at, |b| {
            let extent = if long { Extent::Longest } else { Extent::Shortest };
            let rest = if prefix { pattern.strip_prefix(b, extent) } else { pattern.strip_suffix(b, extent) };
            rest.ok().map(<[u8]>::to_vec)
        })
    }

    /// The word after the second `/`: its bytes, and whether an `&` in them stands for what was matched. `Err` with what
    /// it comes from where it is not known.
    pub(super) fn replacement(&mut self, word: Option<&Word>) -> Result<Vec<(Vec<u8>, bool)>, Taint> {
        let mut runs = Vec::new();
        if let Some(w) = word {
            self.runs(&w.parts, false, &mut runs);
        }
        // Other shells know no `&`.
        let active = matches!(self.language, Language::Bash | Language::Sh);
        let mut out = Vec::new();
        for r in runs {
            match r {
                Run::Piece(Piece::Literal(l), mode) => out.push((l.bytes.to_vec(), active && mode != Mode::Quoted)),
                Run::Piece(p, _) => {
                    let v = super::super::builtin::globs_as_text(&Value { pieces: smallvec::smallvec![p] });
                    match v.as_literal() {
                        Some(b) => out.push((b.into_owned(), active)),
                        None => return Err(v.taint()),
                    }
                }
                Run::Break(_) => out.push((b" ".to_vec(), false)),
                Run::Null => {}
            }
        }
        Ok(out)
    }

    pub(super) fn replace(
        &mut self,
        v: Value,
        where_: ReplaceAt,
        pat: &Value,
        rep: &Result<Vec<(Vec<u8>, bool)>, Taint>,
        at: Place,
    ) -> Value {
        if pat.pieces.is_empty() && matches!(where_, ReplaceAt::First | ReplaceAt::All) {
            return v;
        }
        let (Some(pattern), Ok(rep)) = (compile(pat, false), rep) else {
            let mut t = v.taint();
            if let Err(r) = rep {
                t.join(r);
            }
            return Value::unknown_tainted(Why::NotComputed("replacement in text"), at, t);
        };
        let pieces: Vec<PatPiece<'_>> =
            rep.iter().map(|(b, active)| if *active { PatPiece::Active(b) } else { PatPiece::Literal(b) }).collect();
        let with = Replacement::parse(&pieces);
        map_known(v, at, |b| {
            match where_ {
                ReplaceAt::First => pattern.replace(b, &with, false),
                ReplaceAt::All => pattern.replace(b, &with, true),
                ReplaceAt::Start => pattern.replace_prefix(b, &with),
                ReplaceAt::End => pattern.replace_suffix(b, &with),
            }
            .ok()
        })
    }

    pub(super) fn substring(&mut self, v: Value, off: &ArithText, len: Option<&ArithText>, at: Place) -> Value {
        let unknown = |t: Taint| Value::unknown_tainted(Why::NotComputed("part of text"), at, t);
        let off = match self.arith(off) {
            Ok(n) => n,
            Err(t) => return unknown(t),
        };
        let len = match len.map(|l| self.arith(l)) {
            None => None,
            Some(Ok(n)) => Some(n),
            Some(Err(t)) => return unknown(t),
        };
        let failed = std::cell::Cell::new(false);
        let r = map_known(v, at, |b| {
            let text = std::str::from_utf8(b).ok();
            let n = i64::try_from(text.map_or(b.len(), |s| s.chars().count())).ok()?;
            let start = if off < 0 { n.saturating_add(off) } else { off };
            if start < 0 || start > n {
                return Some(Vec::new());
            }
            let end = match len {
                None => n,
                Some(l) if l < 0 => n.saturating_add(l),
                Some(l) => start.saturating_add(l).min(n),
            };
            if end < start {
                failed.set(true);
                return None;
            }
            let (s, e) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
            Some(match text {
                Some(t) => t.chars().skip(s).take(e.saturating_sub(s)).collect::<String>().into_bytes(),
                None => b.get(s..e)?.to_vec(),
            })
        });
        if failed.get() && matches!(self.language, Language::Bash | Language::Sh) {
            // An error that ends the shell.
            self.leave_on_error();
            return Value::default();
        }
        r
    }
}

/// True for an element of a list that may be any number of elements: a pattern, or text that is split.
pub(crate) fn is_several(v: &Value) -> bool {
    v.pieces.iter().any(|p| match p {
        Piece::Unknown(u) => u.splits,
        Piece::Glob(..) => true,
        Piece::Literal(_) | Piece::OneOf(_) => false,
    })
}

/// What an operation made of text that is not wholly known, as something near the place that the text named.
pub(super) fn keeps_place(before: Value, after: Value, at: Place) -> Value {
    match after.pieces.as_slice() {
        [Piece::Unknown(u)] if matches!(u.why, Why::NotComputed(_)) && crate::effect::path::is_absolute(&before) => {
            before.near(at).unwrap_or(after)
        }
        _ => after,
    }
}

/// True for the pattern `/*`: of an absolute path it takes everything.
pub(super) fn is_all_from_root(pat: &Value) -> bool {
    matches!(pat.pieces.as_slice(), [Piece::Literal(l), Piece::Glob(Glob::Star, _)] if &*l.bytes == b"/")
}

/// The elements of a list as one text; `None` where there are none.
pub(super) fn joined_list(list: &[Value], at: Place) -> Option<Value> {
    if list.is_empty() {
        return None;
    }
    let mut v = Value::default();
    for (i, x) in list.iter().enumerate() {
        if i > 0 {
            v.push(Value::computed(b" ", at, Taint::default()));
        }
        v.push(x.clone());
    }
    Some(v)
}

/// Applies a function to every known reading of a value; what is not known stays unknown, with what it came from.
pub(crate) fn map_known(v: Value, at: Place, f: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Value {
    if v.pieces.iter().any(|p| matches!(p, Piece::OneOf(_))) {
        let mut it = v.readings().into_iter();
        if let Some(first) = it.next()
            && first != v
        {
            let mut out = map_known(first, at, &f as &dyn Fn(&[u8]) -> Option<Vec<u8>>);
            for r in it {
                out = Value::either(out, map_known(r, at, &f as &dyn Fn(&[u8]) -> Option<Vec<u8>>));
            }
            return out;
        }
    }
    let taint = v.taint();
    match v.as_literal().and_then(|b| f(&b).map(|r| (r == *b, r))) {
        Some((true, _)) => v,
        Some((false, r)) if r.len() <= crate::limits::MAX_VALUE => {
            if r.is_empty() {
                return Value::default();
            }
            Value::computed(&r, if v.pieces.is_empty() { at } else { v.place() }, taint)
        }
        Some(_) => Value::unknown_tainted(Why::Limit, at, taint),
        None => Value::unknown_tainted(Why::NotComputed("text operation"), at, taint),
    }
}

/// Whether a value is the empty string; `None` where that is not known.
pub(crate) fn empty(v: &Value) -> Option<bool> {
    let mut unknown = false;
    for p in &v.pieces {
        match p {
            Piece::Literal(l) if !l.bytes.is_empty() => return Some(false),
            Piece::Literal(_) => {}
            Piece::Glob(..) => return Some(false),
            Piece::Unknown(u) if matches!(u.why, Why::Home(_) | Why::NotEmpty(_)) => return Some(false),
            Piece::Unknown(_) => unknown = true,
            Piece::OneOf(vs) => {
                let all: Vec<Option<bool>> = vs.iter().map(empty).collect();
                if all.iter().all(|e| *e == Some(false)) {
                    return Some(false);
                }
                if !all.iter().all(|e| *e == Some(true)) {
                    unknown = true;
                }
            }
        }
    }
    if unknown { None } else { Some(true) }
}
