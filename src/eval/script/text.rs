//! Text that a script works on: structures from text, patterns replaced, numbers as bytes.
//!
//! In: known text. Out: [`Data`] or text; `None` where it is not worked out.

use super::data::Data;
use crate::limits;
use crate::source::Place;
use crate::value::{Taint, Value};

/// A value from its text in JSON.
pub(super) fn json(text: &str, at: Place, taint: &Taint) -> Option<Data> {
    let v: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(from_json(&v, at, taint))
}

fn from_json(v: &serde_json::Value, at: Place, taint: &Taint) -> Data {
    let text = |s: &str| Data::Text(Value::computed(s.as_bytes(), at, taint.clone()));
    match v {
        serde_json::Value::Null => Data::Null,
        serde_json::Value::Bool(b) => Data::Bool(*b),
        serde_json::Value::Number(n) => n.as_i64().map_or_else(|| text(&n.to_string()), Data::Number),
        serde_json::Value::String(s) => text(s),
        serde_json::Value::Array(l) => Data::List(l.iter().take(4_096).map(|v| from_json(v, at, taint)).collect()),
        serde_json::Value::Object(m) => {
            Data::Map(m.iter().take(4_096).map(|(k, v)| (text(k), from_json(v, at, taint))).collect())
        }
    }
}

/// A pattern as the languages write them, compiled within limits.
fn pattern(source: &str) -> Option<regex::Regex> {
    if source.len() > 1_024 {
        return None;
    }
    regex::RegexBuilder::new(source).size_limit(1 << 18).dfa_size_limit(1 << 18).build().ok()
}

/// Every match of a pattern replaced, or the first; groups of the replacement are `\1` or `$1`.
pub(super) fn substituted(subject: &str, source: &str, with: &str, once: bool) -> Option<String> {
    let pattern = pattern(source)?;
    let with = groups(with);
    let out = pattern.replacen(subject, usize::from(once), with.as_str()).into_owned();
    (out.len() <= limits::MAX_VALUE).then_some(out)
}

/// `\1` and `$1` as the pattern engine writes them.
fn groups(with: &str) -> String {
    let mut out = String::with_capacity(with.len());
    let mut chars = with.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\' | '$', Some(d)) if d.is_ascii_digit() => {
                out.push_str("${");
                out.extend(chars.next());
                out.push('}');
            }
            ('\\', Some(_)) => out.extend(chars.next()),
            ('$', _) => out.push_str("$$"),
            _ => out.push(c),
        }
    }
    out
}

/// The groups of the first match, the whole first; `None` where it does not match or is not worked out.
pub(super) fn matched(subject: &str, source: &str) -> Option<Vec<String>> {
    let pattern = pattern(source)?;
    let found = pattern.captures(subject)?;
    Some(found.iter().take(10).map(|g| g.map(|m| m.as_str().to_string()).unwrap_or_default()).collect())
}

/// A whole number as so many bytes (`n.to_bytes(15, 'big')`); numbers past what fits into a word stand as digits.
pub(super) fn wide_bytes(n: Data, all: &[Data], at: Place) -> Option<Vec<u8>> {
    let length = usize::try_from(all.get(1)?.number()?).ok().filter(|n| *n <= 65_536)?;
    let order = all.get(2).map(|d| d.value(at));
    let little = order.is_some_and(|v| v.as_str().is_some_and(|s| s == "little"));
    let mut out = match n {
        Data::Number(n) => n.to_be_bytes().to_vec(),
        other => unhex(&other.value(at).as_str()?)?,
    };
    let zeros = out.iter().take_while(|b| **b == 0).count();
    out.drain(..zeros);
    if out.len() > length {
        return None;
    }
    let mut padded = vec![0; length.saturating_sub(out.len())];
    padded.append(&mut out);
    if little {
        padded.reverse();
    }
    Some(padded)
}

/// `0x…` that is too long for a number.
fn unhex(s: &str) -> Option<Vec<u8>> {
    let digits = s.strip_prefix("0x")?;
    let padded = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_string() };
    let pairs = padded.as_bytes().chunks_exact(2);
    pairs.map(|p| std::str::from_utf8(p).ok().and_then(|p| u8::from_str_radix(p, 16).ok())).collect()
}

/// The parts of a text: between blanks, between a sign, or between what a pattern matches.
pub(super) fn parts(text: &str, separator: Option<&str>) -> Option<Vec<String>> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    Some(match separator {
        None | Some(" " | "") => text.split_whitespace().map(str::to_string).collect(),
        Some(s) if s.chars().count() == 1 => text.split(s).map(str::to_string).collect(),
        Some(s) => pattern(s)?.split(text).map(str::to_string).collect(),
    })
}
