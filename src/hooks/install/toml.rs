//! Settings in TOML: one table of an array of tables, at the end of the file.

use super::{Installed, Refusal};

/// The tables of the array. A file that is no TOML is refused.
fn tables(text: &str, table: &str) -> Result<Vec<toml::Table>, Refusal> {
    let all: toml::Table = toml::from_str(text).map_err(|e| Refusal::Broken(e.message().to_string()))?;
    let list = all.get(table).and_then(toml::Value::as_array).cloned().unwrap_or_default();
    Ok(list.into_iter().filter_map(|v| v.try_into().ok()).collect())
}

/// The commands of the tables.
pub(super) fn commands(text: &str, table: &str) -> Result<Vec<String>, Refusal> {
    let command = |t: toml::Table| t.get("command").and_then(toml::Value::as_str).map(str::to_string);
    Ok(tables(text, table)?.into_iter().filter_map(command).collect())
}

/// Every hook of the tables.
pub(super) fn entries(text: &str, table: &str) -> Result<Vec<Installed>, Refusal> {
    let entry = |t: toml::Table| {
        let command = t.get("command").and_then(toml::Value::as_str)?.to_string();
        let value = serde_json::to_value(t).unwrap_or_default();
        Some(Installed { command, outer: value.clone(), inner: value })
    };
    Ok(tables(text, table)?.into_iter().filter_map(entry).collect())
}

/// Puts a table at the end.
pub(super) fn add(text: &str, table: &str, lines: &[String]) -> Result<String, Refusal> {
    let had = tables(text, table)?.len();
    let mut out = text.to_string();
    if !out.is_empty() {
        out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
    }
    out.push_str(&format!("[[{table}]]\n"));
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
    match tables(&out, table) {
        Ok(now) if now.len() == had.saturating_add(1) => Ok(out),
        _ => Err(Refusal::Unknown(format!("`{table}` is not written as [[{table}]]"))),
    }
}

/// Takes out the first table whose command `ours` names.
pub(super) fn remove(text: &str, table: &str, ours: &dyn Fn(&str) -> bool) -> Result<Option<String>, Refusal> {
    let before = tables(text, table)?;
    let header = format!("[[{table}]]");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (start, _) in lines.iter().enumerate().filter(|(_, l)| l.trim() == header) {
        let body = lines.get(start.saturating_add(1)..).unwrap_or_default();
        let length = body.iter().position(|l| l.trim_start().starts_with('[')).unwrap_or(body.len());
        let end = start.saturating_add(length).saturating_add(1);
        let own = lines.get(start..end).unwrap_or_default().concat();
        if !commands(&own, table).is_ok_and(|c| c.iter().any(|c| ours(c))) {
            continue;
        }
        let head = lines.get(..start).unwrap_or_default().concat();
        let tail = lines.get(end..).unwrap_or_default().concat();
        // The empty line that stood before it.
        let head = if tail.is_empty() {
            head.strip_suffix('\n').filter(|h| h.ends_with('\n')).unwrap_or(&head)
        } else {
            &head
        };
        let out = format!("{head}{tail}");
        return match tables(&out, table) {
            Ok(now) if now.len().saturating_add(1) == before.len() => Ok(Some(out)),
            _ => Err(Refusal::Unknown("the entry cannot be taken out without changing more".into())),
        };
    }
    Ok(None)
}
