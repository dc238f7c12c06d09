//! Settings in JSON, with or without comments: a list of hooks that is reached through keys.
//!
//! The text is read into nodes with their places, and changed by putting in or cutting out bytes at these places.

use super::{Installed, Refusal};
use crate::limits::MAX_DEPTH;
use serde_json::Value;
use std::ops::Range;

/// A value and where it stands.
#[derive(Debug)]
struct Node {
    at: Range<usize>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Object(Vec<(String, Range<usize>, Node)>),
    Array(Vec<Node>),
    Other(Value),
}

impl Node {
    /// The member with that name, and which one it is. Two of one name are refused: which counts depends on the reader.
    fn member(&self, key: &str) -> Result<Option<(usize, &Node)>, Refusal> {
        let Kind::Object(members) = &self.kind else {
            return Err(Refusal::Unknown(format!("there is no object to hold {key:?}")));
        };
        let mut found = members.iter().enumerate().filter(|(_, (k, ..))| k == key).map(|(i, (_, _, v))| (i, v));
        let first = found.next();
        match found.next() {
            Some(_) => Err(Refusal::Broken(format!("{key:?} stands twice in one object"))),
            None => Ok(first),
        }
    }
    fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|(k, _, v)| (k.clone(), v.value())).collect(),
            Kind::Array(items) => items.iter().map(Node::value).collect(),
            Kind::Other(v) => v.clone(),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }
    fn skip(&mut self, n: usize) {
        self.at = self.at.saturating_add(n).min(self.text.len());
    }
    fn wrong(&self, what: &str) -> Refusal {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.matches('\n').count().saturating_add(1);
        Refusal::Broken(format!("line {line}: {what}"))
    }
    /// Skips white space and comments.
    fn gap(&mut self) -> Result<(), Refusal> {
        loop {
            let rest = self.rest();
            let blank = rest.len().saturating_sub(rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{FEFF}']).len());
            if blank > 0 {
                self.skip(blank);
            } else if rest.starts_with("//") {
                let n = rest.find('\n').unwrap_or(rest.len());
                self.skip(n);
            } else if let Some(body) = rest.strip_prefix("/*") {
                let n = body.find("*/").ok_or_else(|| self.wrong("a comment has no end"))?;
                self.skip(n.saturating_add(4));
            } else {
                return Ok(());
            }
        }
    }
    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.skip(c.len_utf8());
        }
        found
    }
    fn node(&mut self, depth: u32) -> Result<Node, Refusal> {
        self.gap()?;
        let start = self.at;
        let kind = if depth > MAX_DEPTH {
            return Err(self.wrong("it is nested too deep"));
        } else if self.take('{') {
            let mut members = Vec::new();
            while self.more('}', !members.is_empty())? {
                let key_start = self.at;
                let Kind::Other(Value::String(key)) = self.scalar()? else {
                    return Err(self.wrong("the name of a member is no text"));
                };
                let key_at = key_start..self.at;
                self.gap()?;
                if !self.take(':') {
                    return Err(self.wrong("a colon is missing"));
                }
                members.push((key, key_at, self.node(depth.saturating_add(1))?));
            }
            Kind::Object(members)
        } else if self.take('[') {
            let mut items = Vec::new();
            while self.more(']', !items.is_empty())? {
                items.push(self.node(depth.saturating_add(1))?);
            }
            Kind::Array(items)
        } else {
            self.scalar()?
        };
        Ok(Node { at: start..self.at, kind })
    }
    /// Goes to the next element, or past the end of the list.
    fn more(&mut self, end: char, comma: bool) -> Result<bool, Refusal> {
        self.gap()?;
        if self.take(end) {
            return Ok(false);
        }
        if comma && !self.take(',') {
            return Err(self.wrong("a comma is missing"));
        }
        self.gap()?;
        // A comma at the end.
        Ok(!(comma && self.take(end)))
    }
    fn scalar(&mut self) -> Result<Kind, Refusal> {
        let rest = self.rest();
        let length = if rest.starts_with('"') {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|(_, c)| {
                let end = *c == '"' && !escaped;
                escaped = *c == '\\' && !escaped;
                end
            });
            end.map_or(rest.len(), |(i, _)| i.saturating_add(1))
        } else {
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.')).unwrap_or(rest.len())
        };
        let value = serde_json::from_str(rest.get(..length).unwrap_or_default());
        let value = value.map_err(|_| self.wrong("there is no value"))?;
        self.skip(length);
        Ok(Kind::Other(value))
    }
}

/// Reads a settings file; `None` for one without any content.
fn read(text: &str, comments: bool) -> Result<Option<Node>, Refusal> {
    let bare = text.trim_start_matches('\u{FEFF}');
    if bare.trim().is_empty() {
        return Ok(None);
    }
    if !comments {
        serde_json::from_str::<Value>(bare).map_err(|e| Refusal::Broken(e.to_string()))?;
    }
    let mut reader = Reader { text, at: 0 };
    let node = reader.node(0)?;
    reader.gap()?;
    if !reader.rest().is_empty() {
        return Err(reader.wrong("there is more after the end"));
    }
    match node.kind {
        Kind::Object(_) => Ok(Some(node)),
        _ => Err(Refusal::Broken("it is no object".into())),
    }
}

/// The list at the end of the keys.
fn list<'n>(root: &'n Node, at: &[&str]) -> Result<Option<(&'n Node, &'n [Node])>, Refusal> {
    let mut here = root;
    for key in at {
        match here.member(key)? {
            Some((_, next)) => here = next,
            None => return Ok(None),
        }
    }
    match &here.kind {
        Kind::Array(items) => Ok(Some((here, items))),
        _ => Err(Refusal::Broken(format!("{} is no list", at.join(".")))),
    }
}

/// Commands in an element: its own, or those of the hooks in it.
fn own_command(node: &Node) -> Option<String> {
    let value = node.value();
    ["command", "bash"].iter().find_map(|k| value.get(k)?.as_str().map(str::to_string))
}

fn inner(node: &Node) -> &[Node] {
    match node.member("hooks") {
        Ok(Some((_, Node { kind: Kind::Array(items), .. }))) => items,
        _ => &[],
    }
}

/// Every hook in the list.
pub(super) fn entries(text: &str, at: &[&str], comments: bool) -> Result<Vec<Installed>, Refusal> {
    let Some(root) = read(text, comments)? else { return Ok(Vec::new()) };
    let Some((_, items)) = list(&root, at)? else { return Ok(Vec::new()) };
    Ok(items.iter().flat_map(of_element).collect())
}

/// The hooks of one element of the list: itself, or those in it.
fn of_element(element: &Node) -> Vec<Installed> {
    let one = |n: &Node| {
        let command = own_command(n)?;
        Some(Installed { command, outer: element.value(), inner: n.value() })
    };
    std::iter::once(element).chain(inner(element)).filter_map(one).collect()
}

/// The hook in the text of one element.
pub(super) fn entry(element: &str) -> Option<Installed> {
    of_element(&read(element, false).ok()??).pop()
}

/// The whole of a file, comments or not.
pub(super) fn value(text: &str) -> Option<Value> {
    Some(read(text, true).ok()??.value())
}

/// The white space before the first thing of the line that the offset stands in, and whether the offset is that thing.
fn indent(text: &str, offset: usize) -> (&str, bool) {
    let start = text.get(..offset).and_then(|t| t.rfind('\n')).map_or(0, |i| i.saturating_add(1));
    let line = text.get(start..).unwrap_or_default();
    let width = line.len().saturating_sub(line.trim_start_matches([' ', '\t']).len());
    (line.get(..width).unwrap_or_default(), start.saturating_add(width) == offset)
}

/// How lines are laid out.
struct Style<'a> {
    line_end: &'static str,
    unit: &'a str,
}

impl<'a> Style<'a> {
    fn of(text: &'a str, root: &Node) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = match &root.kind {
            Kind::Object(members) => members.first().map(|(_, key, _)| indent(text, key.start)),
            _ => None,
        };
        let unit = first.filter(|(i, own)| *own && !i.is_empty()).map_or("  ", |(i, _)| i);
        Style { line_end, unit }
    }
    /// A JSON text over several lines, the first without indentation.
    fn lines(&self, json: &Value, indent: &str) -> String {
        let pretty = format!("{json:#}");
        let mut out = String::new();
        for (i, line) in pretty.lines().enumerate() {
            let content = line.trim_start_matches(' ');
            let depth = line.len().saturating_sub(content.len()) / 2;
            if i > 0 {
                out.push_str(self.line_end);
                out.push_str(indent);
                out.push_str(&self.unit.repeat(depth));
            }
            out.push_str(content);
        }
        out
    }
    /// The edit that puts `what` (with `name` before it) last into a list or object.
    fn append(&self, text: &str, node: &Node, name: Option<&str>, what: &Value) -> (Range<usize>, String) {
        let last = match &node.kind {
            Kind::Object(members) => members.last().map(|(_, key, v)| (key.start, v.at.end)),
            Kind::Array(items) => items.last().map(|v| (v.at.start, v.at.end)),
            Kind::Other(_) => None,
        };
        let label = name.map(|n| format!("{}: ", Value::from(n))).unwrap_or_default();
        match last {
            Some((start, end)) => match indent(text, start) {
                (indent, true) => (end..end, format!(",{}{indent}{label}{}", self.line_end, self.lines(what, indent))),
                (_, false) => (end..end, format!(", {label}{what}")),
            },
            None => {
                let (outer, _) = indent(text, node.at.start);
                let deeper = format!("{outer}{}", self.unit);
                let body = format!("{0}{deeper}{label}{1}{0}{outer}", self.line_end, self.lines(what, &deeper));
                // Comments in an empty list stay.
                let end = node.at.end.saturating_sub(1);
                let inside = text.get(node.at.start.saturating_add(1)..end).unwrap_or_default();
                let from = if inside.trim().is_empty() { node.at.start.saturating_add(1) } else { end };
                (from..end, body)
            }
        }
    }
}

fn edit(text: &str, (at, new): (Range<usize>, String)) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(new.len()));
    out.push_str(text.get(..at.start).unwrap_or_default());
    out.push_str(&new);
    out.push_str(text.get(at.end..).unwrap_or_default());
    out
}

/// Puts an element last into the list, making the list and what leads to it where they are missing.
pub(super) fn add(
    text: &str,
    at: &[&str],
    element: &str,
    beside: &[(&str, &str)],
    comments: bool,
) -> Result<String, Refusal> {
    let broken = |e: serde_json::Error| Refusal::Unknown(format!("the entry is no JSON ({e})"));
    let element: Value = serde_json::from_str(element).map_err(broken)?;
    let fresh = read(text, comments)?.is_none();
    let mut text = if fresh { "{}\n".to_string() } else { text.to_string() };
    for (key, value) in beside {
        let Some(root) = read(&text, comments)? else { continue };
        if root.member(key)?.is_none() {
            let value = serde_json::from_str(value).map_err(broken)?;
            let change = Style::of(&text, &root).append(&text, &root, Some(key), &value);
            text = edit(&text, change);
        }
    }
    let Some(root) = read(&text, comments)? else { return Ok(text) };
    let before = root.value();
    let style = Style::of(&text, &root);
    let mut here = &root;
    let mut rest = at;
    while let Some((key, below)) = rest.split_first() {
        match here.member(key)? {
            Some((_, next)) => (here, rest) = (next, below),
            None => break,
        }
    }
    let change = match (rest.split_first(), &here.kind) {
        (None, Kind::Array(_)) => style.append(&text, here, None, &element),
        (None, _) => return Err(Refusal::Broken(format!("{} is no list", at.join(".")))),
        (Some((key, below)), _) => {
            let list = Value::Array(vec![element.clone()]);
            let value =
                below.iter().rev().fold(list, |v, k| Value::Object([((*k).to_string(), v)].into_iter().collect()));
            style.append(&text, here, Some(key), &value)
        }
    };
    let after = edit(&text, change);
    // The change is proven: with the element the values are the same, and nothing else is.
    let mut wanted = before;
    let mut spot = &mut wanted;
    for key in at {
        if spot.is_null() {
            *spot = Value::Object(serde_json::Map::new());
        }
        let Value::Object(map) = spot else { break };
        spot = map.entry((*key).to_string()).or_insert(Value::Null);
    }
    match spot {
        Value::Array(items) => items.push(element),
        other => *other = Value::Array(vec![element]),
    }
    if read(&after, comments)?.map(|n| n.value()) != Some(wanted) {
        return Err(Refusal::Unknown("the entry cannot be put in without changing more".into()));
    }
    Ok(after)
}

/// Takes out the first hook of the list that `ours` names, and what is empty then; `None` where there is none.
pub(super) fn remove(
    text: &str,
    at: &[&str],
    comments: bool,
    ours: &dyn Fn(&str) -> bool,
) -> Result<Option<String>, Refusal> {
    let Some(root) = read(text, comments)? else { return Ok(None) };
    let Some((_, items)) = list(&root, at)? else { return Ok(None) };
    let is_ours = |n: &Node| own_command(n).is_some_and(|c| ours(&c));
    for (i, item) in items.iter().enumerate() {
        let hooks = inner(item);
        let own = hooks.iter().position(is_ours);
        let cut = match own {
            Some(k) if hooks.len() > 1 => element_cut(text, hooks, k),
            Some(_) => container_cut(text, &root, at, items, i)?,
            None if is_ours(item) => container_cut(text, &root, at, items, i)?,
            None => continue,
        };
        return Ok(Some(edit(text, (cut, String::new()))));
    }
    Ok(None)
}

/// The bytes to cut for one of several elements.
fn element_cut(text: &str, items: &[Node], i: usize) -> Range<usize> {
    let places: Vec<Range<usize>> = items.iter().map(|n| n.at.clone()).collect();
    cut(text, &places, i)
}

fn cut(text: &str, places: &[Range<usize>], i: usize) -> Range<usize> {
    let Some(own) = places.get(i) else { return 0..0 };
    let before = i.checked_sub(1).and_then(|p| places.get(p));
    match (before, places.get(i.saturating_add(1))) {
        (Some(before), None) => before.end..own.end,
        (_, Some(next)) => own.start..next.start,
        (None, None) => {
            // The only one: the white space around it and a comma behind it go, too.
            let head = text.get(..own.start).unwrap_or_default().trim_end().len();
            let tail = text.get(own.end..).unwrap_or_default();
            let rest = tail.trim_start();
            let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            head..text.len().saturating_sub(rest.len())
        }
    }
}

/// The bytes to cut for an element of the list at the keys; where it is the only one, the list goes and so does each
/// object around it that holds nothing else.
fn container_cut(text: &str, root: &Node, at: &[&str], items: &[Node], i: usize) -> Result<Range<usize>, Refusal> {
    if items.len() > 1 {
        return Ok(element_cut(text, items, i));
    }
    let mut chain = Vec::new();
    let mut here = root;
    for key in at {
        let Some((index, next)) = here.member(key)? else { break };
        chain.push((here, index));
        here = next;
    }
    let mut best = element_cut(text, items, i);
    for (object, index) in chain.iter().rev() {
        let Kind::Object(members) = &object.kind else { break };
        let places: Vec<Range<usize>> = members.iter().map(|(_, key, v)| key.start..v.at.end).collect();
        best = cut(text, &places, *index);
        if members.len() > 1 {
            break;
        }
    }
    Ok(best)
}
