//! Text that a script works on: structures from text, patterns replaced, numbers as bytes.
//!
//! In: known text. Out: [`Data`] or text; `None` where it is not worked out.

use super::data::Data;
use crate::limits;
use crate::source::Place;
use crate::value::transform::{self, Call};
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
pub(super) fn pattern(source: &str) -> Option<regex::Regex> {
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
        other => wide_hex(&other.value(at).as_str()?)?,
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
fn wide_hex(s: &str) -> Option<Vec<u8>> {
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

/// A value through a transform, `NAME OPTION…`.
pub(super) fn transformed(spec: &str, input: &Data, at: Place) -> Option<Data> {
    let mut words = spec.split(' ');
    let name = words.next()?;
    let options: Vec<(&str, Option<&[u8]>)> = words.map(|o| (o, None)).collect();
    let v = input.value(at);
    let bytes = v.as_literal()?;
    let out = transform::run(name, &Call { options: &options, stdin: &bytes, ..Call::default() }).ok()?;
    Some(Data::Text(Value::computed(&out.bytes, at, v.taint())))
}

pub(super) fn replace(s: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len());
    let mut rest = s;
    while let Some(i) = rest.windows(from.len()).position(|w| w == from) {
        out.extend_from_slice(rest.get(..i).unwrap_or(&[]));
        out.extend_from_slice(to);
        rest = rest.get(i.saturating_add(from.len())..).unwrap_or(&[]);
        if out.len() > limits::MAX_VALUE {
            return out;
        }
    }
    out.extend_from_slice(rest);
    out
}

/// A whole number in a base, as digits and small letters.
pub(super) fn radix(n: i64, base: u32) -> Option<String> {
    let mut rest = n.unsigned_abs();
    let mut out = Vec::new();
    loop {
        let digit = u32::try_from(rest.checked_rem(u64::from(base))?).ok()?;
        out.push(char::from_digit(digit, base)?);
        rest = rest.checked_div(u64::from(base))?;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        out.push('-');
    }
    Some(out.into_iter().rev().collect())
}

pub(super) fn unpercent(s: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len());
    let mut rest = s;
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok()).and_then(|h| u8::from_str_radix(h, 16).ok());
        match hex {
            Some(b) if *first == b'%' => {
                out.push(b);
                rest = tail.get(2..).unwrap_or(&[]);
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

pub(super) fn unhex(s: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = s.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    if digits.len() % 2 == 1 {
        return None;
    }
    digits.chunks_exact(2).map(|p| u8::try_from(p.first()?.checked_mul(16)?.checked_add(*p.get(1)?)?).ok()).collect()
}

pub(super) fn rot13(b: &[u8]) -> Vec<u8> {
    let turn = |c: u8, base: u8| base.wrapping_add(c.wrapping_sub(base).wrapping_add(13) % 26);
    b.iter()
        .map(|c| match c {
            b'a'..=b'z' => turn(*c, b'a'),
            b'A'..=b'Z' => turn(*c, b'A'),
            other => *other,
        })
        .collect()
}

/// The lines of a text with their ends; the text itself where it is not known.
pub(super) fn lines(v: &Value, at: Place) -> Data {
    match v.as_str() {
        Some(s) => {
            let line = |l: &str| Data::Text(Value::computed(l.as_bytes(), at, v.taint()));
            Data::List(s.split_inclusive('\n').take(4_096).map(line).collect())
        }
        None => Data::Text(v.clone()),
    }
}
