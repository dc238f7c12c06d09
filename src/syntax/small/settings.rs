//! Settings: files of names and values, a line each, or JSON.
//!
//! Every setting is the call `set.NAME` of its name in lower case with its value, and, where the value is one short word, the call
//! `set.NAME.VALUE`, too. Read are `name = value`, `name: value`, `name value` and a lone `name`; comments and headers of
//! sections are skipped. apt's list of sources: `deb [option=value …] ADDRESS …`. Its settings: `A::B { "value"; };`.

use super::{call, lines, run, text};
use crate::source::Span;
use crate::syntax::script::{Expr, Stmt};

/// Most settings of one file that are looked at.
const MAX_SETTINGS: usize = 512;
/// The longest value that is also part of a name.
const MAX_WORD: usize = 16;
/// How deep structures are looked into.
const MAX_DEPTH: usize = 4;

pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    if whole.trim_ascii_start().starts_with(b"{") {
        if let Ok(value) = serde_json::from_slice(whole) {
            structure(&value, whole, MAX_DEPTH, &mut out);
        }
        return out;
    }
    for (start, end) in lines(whole) {
        if out.len() >= MAX_SETTINGS {
            break;
        }
        line(whole, start, end, &mut out);
    }
    out
}

/// The settings of a JSON file: scalars, and those in lists.
fn structure(value: &serde_json::Value, whole: &[u8], depth: usize, out: &mut Vec<Stmt>) {
    let (serde_json::Value::Object(map), Some(depth)) = (value, depth.checked_sub(1)) else { return };
    for (name, value) in map.iter().take(MAX_SETTINGS) {
        let mut scalar = |v: &serde_json::Value| {
            let shown = match v {
                serde_json::Value::String(s) => s.clone(),
                serde_json::Value::Bool(_) | serde_json::Value::Number(_) => v.to_string(),
                _ => return,
            };
            let at = memchr::memmem::find(whole, shown.as_bytes()).unwrap_or(0);
            let span = Span::new(at, at.saturating_add(shown.len()).min(whole.len()));
            setting(name, Some(Expr::text(shown.as_bytes(), span)), &shown, span, out);
        };
        match value {
            serde_json::Value::Array(items) => items.iter().take(MAX_SETTINGS).for_each(&mut scalar),
            serde_json::Value::Object(_) => structure(value, whole, depth, out),
            other => scalar(other),
        }
    }
}

fn line(whole: &[u8], start: usize, end: usize, out: &mut Vec<Stmt>) {
    let part = whole.get(start..end).unwrap_or_default();
    let lead = run(part, |b| b.is_ascii_whitespace() || b == b'-');
    let from = start.saturating_add(lead);
    let rest = whole.get(from..end).unwrap_or_default();
    if rest.first().is_none_or(|b| matches!(b, b'#' | b';' | b'[' | b'/' | b'!' | b'<')) {
        return;
    }
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'@' | b'/');
    let n = run(rest, is_name);
    let name = rest.get(..n).unwrap_or_default();
    // A colon at its end separates.
    let bare = name.strip_suffix(b":").unwrap_or(name);
    let name = String::from_utf8_lossy(bare).into_owned();
    let mut at = from.saturating_add(n);
    let skip =
        |at: usize, accept: &dyn Fn(u8) -> bool| at.saturating_add(run(whole.get(at..end).unwrap_or_default(), accept));
    at = skip(at, &|b| b.is_ascii_whitespace() || b == b'=');
    if matches!(name.as_str(), "deb" | "deb-src") && whole.get(at) == Some(&b'[') {
        let inner = at.saturating_add(1);
        let close = skip(inner, &|b| b != b']');
        let mut word = inner;
        while word < close {
            let begin = skip(word, &|b| b.is_ascii_whitespace()).min(close);
            let stop = skip(begin, &|b| !b.is_ascii_whitespace() && b != b']').min(close);
            let option = whole.get(begin..stop).unwrap_or_default();
            if let Some(equals) = option.iter().position(|b| *b == b'=') {
                let key = String::from_utf8_lossy(option.get(..equals).unwrap_or_default()).into_owned();
                value_of(&key, whole, begin.saturating_add(equals).saturating_add(1), stop, out);
            }
            word = stop.max(word.saturating_add(1));
        }
        at = skip(close.saturating_add(1).min(end), &|b| b.is_ascii_whitespace());
    }
    if name.starts_with("deb") {
        let stop = skip(at, &|b| !b.is_ascii_whitespace());
        value_of(&name, whole, at, stop, out);
    } else {
        value_of(&name, whole, at, end, out);
    }
}

/// A setting whose value stands between those places, without quotes and braces around it.
fn value_of(name: &str, whole: &[u8], start: usize, end: usize, out: &mut Vec<Stmt>) {
    let part = whole.get(start..end).unwrap_or_default();
    let before = |b: &u8| b.is_ascii_whitespace() || *b == b'{';
    let behind = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'}' | b';' | b',');
    let mut begin = part.iter().position(|b| !before(b)).unwrap_or(part.len());
    let mut stop = part.iter().rposition(|b| !behind(b)).map_or(begin, |i| i.saturating_add(1)).max(begin);
    if let [first @ (b'"' | b'\''), .., last] = part.get(begin..stop).unwrap_or_default()
        && first == last
    {
        begin = begin.saturating_add(1);
        stop = stop.saturating_sub(1);
    }
    let (from, to) = (start.saturating_add(begin), start.saturating_add(stop));
    let shown = String::from_utf8_lossy(part.get(begin..stop).unwrap_or_default()).into_owned();
    let value = (!shown.is_empty()).then(|| text(whole, from, to));
    setting(name, value, &shown, Span::new(from, to.max(from)), out);
}

fn setting(name: &str, value: Option<Expr>, shown: &str, span: Span, out: &mut Vec<Stmt>) {
    let name = name.to_ascii_lowercase();
    if name.is_empty() || out.len() >= MAX_SETTINGS {
        return;
    }
    out.push(call(&format!("set.{name}"), value.into_iter().collect(), span));
    let word = shown.len() <= MAX_WORD && !shown.is_empty() && shown.bytes().all(|b| b.is_ascii_alphanumeric());
    if word {
        out.push(call(&format!("set.{name}.{}", shown.to_ascii_lowercase()), Vec::new(), span));
    }
}
