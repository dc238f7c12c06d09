//! JSON lines with a field for the command: any log that was exported that way. `--column a.b` names the field; without
//! it the usual names are tried.

use super::fields::{self, Field};
use super::{Batch, Columns, Format, Hint, Reader, json, quoted};
use crate::audit::Entry;
use serde_json::Value;

pub(super) static FORMAT: Format = Format {
    name: "jsonl",
    about: "JSON lines with a named field (--column)",
    shell: None,
    fits: |hint: &Hint<'_>| {
        let ending = hint.name().rsplit_once('.').map_or("", |(_, e)| e);
        // Most, not all: a log that was cut in the middle of a line is one still. A shell's group is no object.
        let object = |l: &[u8]| l.starts_with(b"{") && serde_json::from_slice::<serde::de::IgnoredAny>(l).is_ok();
        if hint.share(object) >= 5 { 60 } else { 50 * u8::from(matches!(ending, "jsonl" | "ndjson")) }
    },
    open: |columns: &Columns| Box::new(JsonLines { column: columns.command.clone() }),
    table: None,
};

struct JsonLines {
    column: Option<String>,
}

/// The value at `a.b`: a key with a dot in it, or an object in an object.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    value.get(path).or_else(|| {
        let (first, rest) = path.split_once('.')?;
        at(value.get(first)?, rest)
    })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(s) => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

impl Reader for JsonLines {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let Some(value) = json::read::<Value>(line, out) else { return };
        // `user` may be an object of which `user.name` is the text that is looked for.
        let named = |names: &[&str]| names.iter().filter_map(|n| at(&value, n)).find(|v| !v.is_object());
        let mut entry = Entry::new(Vec::new(), number);
        for (field, names) in fields::NAMES {
            let found = match (&self.column, field) {
                (Some(column), Field::Command) => at(&value, column),
                _ => named(names),
            };
            match (field, found) {
                (Field::Command, Some(Value::Array(words))) => {
                    entry.command = quoted(words.iter().filter_map(Value::as_str).map(str::as_bytes));
                }
                (Field::Command, Some(found)) => entry.command = text(found).unwrap_or_default().into_bytes(),
                (_, Some(found)) => fields::set(&mut entry, *field, &text(found).unwrap_or_default()),
                (_, None) => {}
            }
        }
        if entry.command.trim_ascii().is_empty() {
            out.undecodable = out.undecodable.saturating_add(1);
        } else {
            out.entries.push(entry);
        }
    }
}
