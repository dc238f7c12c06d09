//! Settings in YAML: an item of a list under two keys, in block style.
//!
//! Only what has to be understood is read: the lines of the two keys and of the list, by their indentation. In a block
//! mapping at the left margin every line of a value is indented, quoted and literal texts included, so a key at the
//! margin is a key. Any other style at the place of the list is refused.

use super::{Installed, Refusal};

/// One line that is neither empty nor a comment.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

fn significant<'a>(lines: &[&'a str]) -> Vec<Line<'a>> {
    let line = |(number, l): (usize, &&'a str)| {
        let text = l.trim_start_matches(' ');
        let content = text.trim_end();
        let skip = content.is_empty() || content.starts_with('#');
        (!skip).then(|| Line { number, indent: l.len().saturating_sub(text.len()), text: content })
    };
    lines.iter().enumerate().filter_map(line).collect()
}

/// What stands after `key:`, without a comment.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(key).or_else(|| {
        let quoted = text.strip_prefix(['"', '\''])?.strip_prefix(key)?;
        quoted.strip_prefix(['"', '\''])
    })?;
    let rest = rest.trim_start().strip_prefix(':')?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    Some(uncommented(rest).trim())
}

/// A value without the comment after it; `#` inside quotes is no comment.
fn uncommented(text: &str) -> &str {
    if text.trim_start().starts_with(['"', '\'']) {
        return text;
    }
    text.find(" #").and_then(|i| text.get(..i)).unwrap_or(text)
}

/// A key of a block mapping.
struct Key {
    /// Its line.
    line: usize,
    indent: usize,
    /// Lines below it, as numbers of the file: from, and one past the last significant one.
    body: (usize, usize),
    /// True where its value is nothing yet (`{}`, `[]`, `null`, nothing).
    empty: bool,
}

/// True for an item of a list, and not for the line that begins a document.
fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The key among the lines of `from..to` at the indentation of the first of them.
fn find(lines: &[&str], from: usize, to: usize, margin: bool, key: &str) -> Result<Option<Key>, Refusal> {
    let all = significant(lines);
    let inside: Vec<Line<'_>> = all.into_iter().filter(|l| l.number >= from && l.number < to).collect();
    let Some(indent) = (if margin { Some(0) } else { inside.first().map(|l| l.indent) }) else { return Ok(None) };
    let mut found = None;
    for (i, line) in inside.iter().enumerate().filter(|(_, l)| l.indent == indent) {
        let Some(value) = value_of(line.text, key) else { continue };
        if found.is_some() {
            return Err(Refusal::Broken(format!("`{key}` stands twice")));
        }
        let below = inside.iter().skip(i.saturating_add(1));
        // Items of a list may stand as far left as its key.
        let belongs = |l: &&Line<'_>| l.indent > indent || (l.indent == indent && is_item(l.text));
        let last = below.take_while(belongs).last().map(|l| l.number);
        let empty = match value {
            "" => last.is_none(),
            "{}" | "[]" | "null" | "~" if last.is_none() => true,
            _ => return Err(Refusal::Unknown(format!("`{key}` has its value on the same line"))),
        };
        let start = line.number.saturating_add(1);
        let end = last.map_or(start, |n| n.saturating_add(1));
        found = Some(Key { line: line.number, indent, body: (start, end), empty });
    }
    Ok(found)
}

/// The lines of the file, or why it is refused.
fn lines(text: &str) -> Result<Vec<&str>, Refusal> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut keys = 0usize;
    for (i, line) in significant(&lines).iter().enumerate() {
        if line.text.starts_with('\t') {
            return Err(Refusal::Broken(format!("line {}: a tab indents it", line.number.saturating_add(1))));
        }
        let other_document = i > 0 && line.indent == 0 && (line.text == "---" || line.text == "...");
        // Items of a list may stand as far left as its key, but there is no key before the first.
        let no_mapping = line.indent == 0
            && (line.text.starts_with(['{', '[']) || (line.text.starts_with('-') && !(keys > 0 && is_item(line.text))))
            && line.text != "---";
        if other_document || no_mapping {
            return Err(Refusal::Unknown(format!("line {}: {}", line.number.saturating_add(1), line.text)));
        }
        keys = keys.saturating_add(usize::from(line.indent == 0 && line.text.contains(':')));
        let key = (keys > 0 && is_item(line.text))
            || line.text.contains(':')
            || line.text.starts_with(['%', '}', ']'])
            || line.text == "---";
        if line.indent == 0 && !key {
            return Err(Refusal::Broken(format!("line {}: {} is no key", line.number.saturating_add(1), line.text)));
        }
    }
    Ok(lines)
}

/// The items of the list: the lines each takes, and the column of its dash.
fn items(lines: &[&str], list: &Key) -> Vec<(usize, usize, usize)> {
    let all = significant(lines);
    let inside = all.iter().filter(|l| l.number >= list.body.0 && l.number < list.body.1);
    let mut out: Vec<(usize, usize, usize)> = Vec::new();
    for line in inside {
        let column = out.first().map_or(line.indent, |i| i.2);
        match out.last_mut() {
            Some(last) if line.indent > column => last.1 = line.number.saturating_add(1),
            _ => out.push((line.number, line.number.saturating_add(1), column)),
        }
    }
    out
}

/// A scalar as it is meant.
fn scalar(value: &str) -> Option<String> {
    if value.starts_with('"') {
        return serde_json::from_str(value).ok();
    }
    match value.strip_prefix('\'').and_then(|v| v.strip_suffix('\'')) {
        Some(plain) => Some(plain.replace("''", "'")),
        None => Some(value.to_string()),
    }
}

/// A member of an item, where it stands on one line.
fn member(lines: &[&str], key: &str) -> Option<String> {
    lines.iter().find_map(|l| {
        let text = l.trim();
        let text = text.strip_prefix("- ").unwrap_or(text).trim_start();
        scalar(value_of(text, key)?)
    })
}

fn command_of(lines: &[&str]) -> Option<String> {
    member(lines, "command")
}

type Found = (Option<Key>, Option<Key>);

fn keys(lines: &[&str], at: (&str, &str)) -> Result<Found, Refusal> {
    let Some(outer) = find(lines, 0, lines.len(), true, at.0)? else { return Ok((None, None)) };
    // What is merged in is hidden by a key of the same name: hooks that the file has elsewhere would not run any more.
    for (from, to, margin) in [(0, lines.len(), true), (outer.body.0, outer.body.1, false)] {
        let all = significant(lines).into_iter().filter(|l| l.number >= from && l.number < to);
        let indent = if margin { 0 } else { all.clone().next().map_or(0, |l| l.indent) };
        let mut here = all.filter(|l| l.indent == indent);
        if let Some(line) = here.find(|l| value_of(l.text, "<<").is_some()) {
            let what = format!("line {}: it merges a mapping in (`<<`)", line.number.saturating_add(1));
            return Err(Refusal::Unknown(what));
        }
    }
    let inner = find(lines, outer.body.0, outer.body.1, false, at.1)?;
    Ok((Some(outer), inner))
}

/// The hooks of the list.
pub(super) fn entries(text: &str, at: (&str, &str)) -> Result<Vec<Installed>, Refusal> {
    let lines = lines(text)?;
    let (_, Some(list)) = keys(&lines, at)? else { return Ok(Vec::new()) };
    let item = |(from, to, _): (usize, usize, usize)| {
        let own = lines.get(from..to).unwrap_or_default();
        let command = command_of(own)?;
        let mut value = serde_json::Map::new();
        for key in ["matcher", "timeout"] {
            if let Some(text) = member(own, key) {
                let number = text.parse::<u64>().ok().map(serde_json::Value::from);
                value.insert(key.to_string(), number.unwrap_or(text.into()));
            }
        }
        let value = serde_json::Value::Object(value);
        Some(Installed { command, outer: value.clone(), inner: value })
    };
    Ok(items(&lines, &list).into_iter().filter_map(item).collect())
}

/// Puts an item last into the list, making the list and its keys where they are missing.
pub(super) fn add(text: &str, at: (&str, &str), item: &[String]) -> Result<String, Refusal> {
    let all = lines(text)?;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = |column: usize| -> String {
        let line =
            |(i, l): (usize, &String)| format!("{}{}{l}{end}", " ".repeat(column), if i == 0 { "- " } else { "  " });
        item.iter().enumerate().map(line).collect()
    };
    let key = |indent: usize, name: &str| format!("{}{name}:{end}", " ".repeat(indent));
    let mut out: Vec<String> = all.iter().map(|l| (*l).to_string()).collect();
    if let Some(last) = out.last_mut()
        && !last.ends_with('\n')
    {
        last.push_str(end);
    }
    let mut put = |line: usize, key_line: Option<(usize, String)>, new: String| {
        if let Some((at, text)) = key_line
            && let Some(old) = out.get_mut(at)
        {
            *old = text;
        }
        out.insert(line.min(out.len()), new);
    };
    match keys(&all, at)? {
        (None, _) => put(usize::MAX, None, format!("{}{}{}", key(0, at.0), key(2, at.1), block(4))),
        (Some(outer), None) => {
            let indent = significant(&all).iter().find(|l| l.number >= outer.body.0).map(|l| l.indent);
            let indent = if outer.empty { 2 } else { indent.unwrap_or(2).max(1) };
            let renewed = outer.empty.then(|| (outer.line, key(0, at.0)));
            put(outer.body.1, renewed, format!("{}{}", key(indent, at.1), block(indent.saturating_add(2))));
        }
        (_, Some(list)) => {
            let column = items(&all, &list).first().map_or(list.indent.saturating_add(2), |i| i.2);
            let renewed = list.empty.then(|| (list.line, key(list.indent, at.1)));
            put(list.body.1, renewed, block(column));
        }
    }
    Ok(out.concat())
}

/// A plain or quoted text that is an item of a list.
fn text_of(item: &str) -> String {
    let value = item.trim().trim_start_matches('-').trim();
    if let Some(plain) = value.strip_prefix('\'').and_then(|v| v.strip_suffix('\'')) {
        return plain.replace("''", "'");
    }
    let unquoted = value.starts_with('"').then(|| serde_json::from_str(value).ok()).flatten();
    unquoted.unwrap_or_else(|| uncommented(value).trim().to_string())
}

/// Puts a text last into a list at the top, making it where it is missing.
pub(super) fn add_text(text: &str, name: &str, value: &str) -> Result<String, Refusal> {
    let all = lines(text)?;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = |column: usize| format!("{}- {}{end}", " ".repeat(column), serde_json::Value::from(value));
    let mut out: Vec<String> = all.iter().map(|l| (*l).to_string()).collect();
    if let Some(last) = out.last_mut()
        && !last.ends_with('\n')
    {
        last.push_str(end);
    }
    let Some(list) = find(&all, 0, all.len(), true, name)? else {
        out.push(format!("{name}:{end}{}", line(0)));
        return Ok(out.concat());
    };
    let items = items(&all, &list);
    if items.iter().any(|(at, ..)| all.get(*at).is_some_and(|l| text_of(l) == value)) {
        return Ok(text.to_string());
    }
    if items.iter().any(|(at, ..)| all.get(*at).is_some_and(|l| !is_item(l.trim()))) {
        return Err(Refusal::Unknown(format!("`{name}` is no list")));
    }
    if list.empty
        && let Some(old) = out.get_mut(list.line)
    {
        let comment =
            old.find(" #").and_then(|i| old.get(i..)).map(|c| format!(" {}", c.trim_end())).unwrap_or_default();
        *old = format!("{name}:{comment}{end}");
    }
    let column = items.first().map_or(0, |i| i.2);
    out.insert(list.body.1.min(out.len()), line(column));
    Ok(out.concat())
}

/// Takes out the first item whose command `ours` names, and the keys that hold nothing then.
pub(super) fn remove(text: &str, at: (&str, &str), ours: &dyn Fn(&str) -> bool) -> Result<Option<String>, Refusal> {
    let all = lines(text)?;
    let (Some(outer), Some(list)) = keys(&all, at)? else { return Ok(None) };
    let items = items(&all, &list);
    let own = items
        .iter()
        .find(|(from, to, _)| command_of(all.get(*from..*to).unwrap_or_default()).is_some_and(|c| ours(&c)));
    let Some((from, to, _)) = own.copied() else { return Ok(None) };
    let (from, to) = if items.len() > 1 {
        (from, to)
    } else {
        let alone = significant(&all).iter().all(|l| {
            l.number < outer.body.0 || l.number >= outer.body.1 || (l.number >= list.line && l.number < list.body.1)
        });
        (if alone { outer.line } else { list.line }, list.body.1)
    };
    let kept = |(i, _): &(usize, &&str)| *i < from || *i >= to;
    Ok(Some(all.iter().enumerate().filter(kept).map(|(_, l)| *l).collect()))
}
