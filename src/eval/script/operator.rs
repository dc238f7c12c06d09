//! Operators over values.
//!
//! In: an operator's sign and its parts. Out: [`Data`]; unknown, with what it came from, where it is not computed.

use super::Data;
use super::data::same;
use crate::limits;
use crate::source::Place;
use crate::value::transform;
use crate::value::{Taint, Value};

/// Most parts of a text that is not known as a whole.
const MAX_PARTS: usize = 64;

/// An operator over what is known.
pub(super) fn operator(op: &str, parts: &[Data], at: Place) -> Data {
    let mut taint = Taint::default();
    parts.iter().for_each(|d| taint.join(&d.taint()));
    let unknown = Data::unknown("operator", at, taint.clone());
    match (op, parts) {
        ("not" | "!", [a]) => a.truth().map_or(unknown, |t| Data::Bool(!t)),
        ("and" | "&&", [a, b]) => match a.truth() {
            Some(true) => b.clone(),
            Some(false) => a.clone(),
            None => unknown,
        },
        ("or" | "||" | "//" | "??", [a, b]) if op != "//" || a.number().is_none() || matches!(a, Data::Text(_)) => {
            match a.truth() {
                Some(true) => a.clone(),
                Some(false) => b.clone(),
                None => Data::either(a.clone(), b.clone(), at),
            }
        }
        ("==" | "===" | "eq" | "is", [a, b]) => equal(a, b).map_or(unknown, Data::Bool),
        ("!=" | "!==" | "ne", [a, b]) => equal(a, b).map_or(unknown, |t| Data::Bool(!t)),
        ("+", [a, rest @ .., b]) if !rest.is_empty() => {
            let mut sum = a.clone();
            for d in rest.iter().chain([b]) {
                sum = add(sum, d, at);
            }
            sum
        }
        ("in" | "not in", [a, b]) => contains(a, b).map_or(unknown, |t| Data::Bool(t == (op == "in"))),
        ("~", [a]) => a.number().map_or(unknown, |n| Data::Number(!n)),
        ("*", [Data::List(a), Data::Number(n)]) => match usize::try_from(*n).unwrap_or(0) {
            n if n.saturating_mul(a.len()) <= 65_536 => {
                Data::List(std::iter::repeat_n(a, n).flatten().cloned().collect())
            }
            _ => unknown,
        },
        ("+", [Data::List(a), Data::List(b)]) => Data::List(a.iter().chain(b).cloned().collect()),
        ("+", [Data::Number(a), Data::Number(b)]) => Data::Number(a.wrapping_add(*b)),
        ("-", [Data::Number(a)]) => Data::Number(a.wrapping_neg()),
        ("+" | "." | "..", [a, b]) => {
            let mut v = a.value(at);
            v.push(b.value(at));
            // A text that grows in a loop by what is not known: its parts say no more than its whole.
            if v.pieces.len() > MAX_PARTS && !v.is_known() { unknown } else { Data::Text(v) }
        }
        ("*" | "x", [Data::Text(a), b]) => match (a.as_literal(), b.number().and_then(|n| usize::try_from(n).ok())) {
            (Some(s), Some(n)) if s.len().saturating_mul(n) <= limits::MAX_VALUE => {
                Data::Text(Value::computed(&s.repeat(n), at, taint))
            }
            _ => unknown,
        },
        ("%", [Data::Text(f), Data::Map(m)]) => named_format(f, m, at).map_or(unknown, Data::Text),
        ("%", [Data::Text(f), b]) => {
            let mut words = vec![f.clone()];
            words.extend(b.words(at));
            Data::Text(transform::printf_values(&words, at, transform::Flavour::Bash).0)
        }
        // Paths are joined by `/`.
        ("/", [Data::Text(a), b @ Data::Text(_)]) => {
            Data::Text(super::process::path(&[Data::Text(a.clone()), b.clone()], at))
        }
        (_, [a, b]) => match (ordinal(op, a, b), ordinal(op, b, a)) {
            (Some(a), Some(b)) => number(op, a, b).unwrap_or(unknown),
            _ => unknown,
        },
        _ => unknown,
    }
}

/// A number; a byte is one where it is joined with a number bit by bit (an element of Python's `bytes`).
fn ordinal(op: &str, d: &Data, other: &Data) -> Option<i64> {
    match (d, other) {
        (Data::Text(v), Data::Number(_)) if matches!(op, "^" | "|" | "&" | "<<" | ">>" | "-") => {
            // A number does not say what it came from.
            match v.as_literal().as_deref() {
                Some([b]) if v.taint().is_empty() => Some(i64::from(*b)),
                Some([_]) => None,
                _ => d.number(),
            }
        }
        _ => d.number(),
    }
}

/// `"%(name)s" % {"name": value}`
fn named_format(format: &Value, map: &[(Data, Data)], at: Place) -> Option<Value> {
    let text = format.as_str()?;
    let mut out = Value::default();
    let mut rest: &str = &text;
    while let Some((before, after)) = rest.split_once("%(") {
        let (name, behind) = after.split_once(')')?;
        let behind = behind.strip_prefix(['s', 'd', 'r'])?;
        out.push(Value::computed(before.replace("%%", "%").as_bytes(), at, format.taint()));
        let value = map.iter().find(|(k, _)| super::data::named(k, name)).map(|(_, v)| v.value(at))?;
        out.push(value);
        rest = behind;
        if out.pieces.len() > MAX_PARTS {
            return None;
        }
    }
    out.push(Value::computed(rest.replace("%%", "%").as_bytes(), at, format.taint()));
    Some(out)
}

/// Two texts bit by bit: `^` and `|` as long as the longer one, `&` as the shorter one.
pub(super) fn bitwise(op: &str, a: &Value, b: &Value, at: Place) -> Data {
    let mut taint = a.taint();
    taint.join(&b.taint());
    let (Some(x), Some(y)) = (a.as_literal(), b.as_literal()) else {
        return Data::unknown("operator", at, taint);
    };
    let length = if op == "&" { x.len().min(y.len()) } else { x.len().max(y.len()) };
    let byte = |t: &[u8], i: usize| t.get(i).copied().unwrap_or(0);
    let joined: Vec<u8> = (0..length)
        .map(|i| match op {
            "&" => byte(&x, i) & byte(&y, i),
            "|" => byte(&x, i) | byte(&y, i),
            _ => byte(&x, i) ^ byte(&y, i),
        })
        .collect();
    Data::Text(Value::computed(&joined, at, taint))
}

/// `a + b`, without copying what is there already where both are known text.
pub(super) fn add(a: Data, b: &Data, at: Place) -> Data {
    match (a, b) {
        (Data::Text(mut x), Data::Text(y)) => {
            match (x.pieces.last_mut(), y.as_literal()) {
                (Some(crate::value::Piece::Literal(l)), Some(more))
                    if !l.exact && l.bytes.len().saturating_add(more.len()) <= limits::MAX_VALUE =>
                {
                    l.bytes.extend_from_slice(&more);
                    l.taint.join(&y.taint());
                }
                _ => x.push(y.clone()),
            }
            Data::Text(x)
        }
        (a, b) => operator("+", &[a, b.clone()], at),
    }
}

/// Whether `b` holds `a`, where both are known.
pub(super) fn contains(a: &Data, b: &Data) -> Option<bool> {
    match (a, b) {
        (Data::Text(x), Data::Text(y)) => Some(y.as_str()?.contains(x.as_str()?.as_ref())),
        (a, Data::List(l)) if l.iter().any(|d| same(a, d)) => Some(true),
        (a, Data::List(l)) => l.iter().all(|d| equal(a, d) == Some(false)).then_some(false),
        (a, Data::Map(m)) if m.iter().any(|(d, _)| same(a, d)) => Some(true),
        _ => None,
    }
}

pub(super) fn number(op: &str, a: i64, b: i64) -> Option<Data> {
    let shift = u32::try_from(b).ok();
    Some(Data::Number(match op {
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "//" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        "**" => a.checked_pow(u32::try_from(b).ok()?)?,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a.checked_shl(shift?)?,
        ">>" => a.checked_shr(shift?)?,
        "<" => return Some(Data::Bool(a < b)),
        ">" => return Some(Data::Bool(a > b)),
        "<=" => return Some(Data::Bool(a <= b)),
        ">=" => return Some(Data::Bool(a >= b)),
        _ => return None,
    }))
}

pub(super) fn equal(a: &Data, b: &Data) -> Option<bool> {
    if same(a, b) {
        return Some(true);
    }
    match (a, b) {
        (Data::Text(x), Data::Text(y)) => (x.is_known() && y.is_known()).then_some(false),
        (Data::Number(_), Data::Number(_)) | (Data::Bool(_), Data::Bool(_)) => Some(false),
        _ => None,
    }
}
