//! `jq`, as far as one value is taken out of another: constants, paths, `@base64d`.
//!
//! In: a filter and JSON. Out: what it prints. Every other filter is not computed.

use super::super::Why;
use super::base::{decode64, encode64};
use super::{Call, Output};
use serde_json::Value as Json;

const NO: Why = Why::NotComputed("jq filter");

/// Most stages of a filter.
const MAX_STAGES: usize = 32;

pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    let filter = call.operands.first().and_then(|o| std::str::from_utf8(o).ok()).ok_or(NO)?;
    let stages = stages(filter)?;
    let mut value = if call.has("-n") { Json::Null } else { serde_json::from_slice(&call.input()).map_err(|_| NO)? };
    for stage in stages {
        value = step(stage.trim(), value)?;
    }
    let mut out = match &value {
        Json::String(s) if call.has("-r") || call.has("-j") => s.clone().into_bytes(),
        v if call.has("-c") => serde_json::to_vec(v).map_err(|_| NO)?,
        v => serde_json::to_vec_pretty(v).map_err(|_| NO)?,
    };
    if !call.has("-j") {
        out.push(b'\n');
    }
    Output::computed(out)
}

/// The parts between bars that are in no text.
fn stages(filter: &str) -> Result<Vec<&str>, Why> {
    let (mut out, mut from, mut quoted, mut escaped) = (Vec::new(), 0usize, false, false);
    for (i, c) in filter.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '|' if !quoted => {
                out.push(filter.get(from..i).ok_or(NO)?);
                from = i.saturating_add(1);
            }
            _ => {}
        }
        if out.len() > MAX_STAGES {
            return Err(NO);
        }
    }
    out.push(filter.get(from..).ok_or(NO)?);
    Ok(out)
}

fn step(stage: &str, value: Json) -> Result<Json, Why> {
    match stage {
        "." => Ok(value),
        "@base64d" => {
            let (bytes, _) = decode64(value.as_str().ok_or(NO)?.as_bytes());
            Ok(Json::String(String::from_utf8(bytes).map_err(|_| NO)?))
        }
        "@base64" => {
            let bytes = encode64(value.as_str().ok_or(NO)?.as_bytes());
            Ok(Json::String(String::from_utf8(bytes).map_err(|_| NO)?))
        }
        text if text.starts_with('"') && !text.contains("\\(") => serde_json::from_str(text).map_err(|_| NO),
        path if path.starts_with('.') => along(path, value),
        _ => Err(NO),
    }
}

/// `.a.b[0]`, `.["a"]`
fn along(path: &str, mut value: Json) -> Result<Json, Why> {
    let mut rest = path;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let (key, after) = match rest.strip_prefix('[') {
            Some(inner) => inner.split_once(']').ok_or(NO)?,
            None => {
                let n = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                rest.split_at_checked(n).ok_or(NO)?
            }
        };
        let next = match (&mut value, key.trim_matches('"')) {
            (_, "") => return Err(NO),
            (Json::Object(m), key) => m.remove(key).unwrap_or(Json::Null),
            (Json::Array(l), index) => match index.parse::<usize>() {
                Ok(i) if i < l.len() => l.swap_remove(i),
                _ => return Err(NO),
            },
            _ => return Err(NO),
        };
        value = next;
        rest = after;
    }
    Ok(value)
}
