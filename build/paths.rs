//! The tables of places: entries in the order of the list, and indexes by the component that they begin or end with.

use crate::kind::{Anchor, Area, Mark};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

/// A pattern as it is written: `/` between components, `~` or `**` at the start, `**` at the end.
struct Pattern<'a> {
    anchor: Anchor,
    parts: Vec<&'a str>,
    tree: bool,
}

impl<'a> Pattern<'a> {
    fn new(text: &'a str) -> Self {
        let (anchor, rest) = if let Some(r) = text.strip_prefix("**/") {
            (Anchor::Anywhere, r)
        } else if let Some(r) = text.strip_prefix('~') {
            (Anchor::Home, r)
        } else {
            (Anchor::Root, text)
        };
        let mut parts: Vec<&str> = rest.split('/').filter(|p| !p.is_empty()).collect();
        let tree = parts.last() == Some(&"**");
        if tree {
            parts.pop();
        }
        Pattern { anchor, parts, tree }
    }
    fn rust(&self) -> String {
        format!("Pattern {{ anchor: Anchor::{:?}, parts: &{:?}, tree: {} }}", self.anchor, self.parts, self.tree)
    }
}

/// Which entries a component may belong to.
#[derive(Default)]
struct Index<'a> {
    by_name: BTreeMap<&'a str, Vec<usize>>,
    open: Vec<usize>,
}

impl<'a> Index<'a> {
    fn add(&mut self, part: Option<&&'a str>, entry: usize) {
        match part.filter(|p| !p.contains(['*', '?'])) {
            Some(name) => self.by_name.entry(name).or_default().push(entry),
            None => self.open.push(entry),
        }
    }
    fn write(&self, name: &str, out: &mut String) {
        let _ = writeln!(out, "static {name}: Index = Index {{ by_name: &[");
        for (part, entries) in &self.by_name {
            let _ = writeln!(out, "({part:?}, &{entries:?}),");
        }
        let _ = writeln!(out, "], open: &{:?} }};", self.open);
    }
}

#[derive(Default)]
struct Tables<'a> {
    areas: Vec<String>,
    marks: Vec<String>,
    public: Vec<String>,
    variables: BTreeMap<&'a str, &'a str>,
    outputs: BTreeMap<&'a str, &'a str>,
    areas_root: Index<'a>,
    areas_home: Index<'a>,
    marks_root: Index<'a>,
    marks_home: Index<'a>,
    /// By their last component: those that begin anywhere and end where the path ends.
    marks_last: Index<'a>,
    /// By their first component: those that begin anywhere and stand for what is below, too.
    marks_within: Index<'a>,
}

/// The tables of `src/effect/path/list.rs`.
pub(crate) fn table(lines: &[&str], out: &mut String) -> Result<(), String> {
    let mut t = Tables::default();
    let mut seen = HashSet::new();
    for line in lines {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let [kind, pattern, what] = *words.as_slice() else { return Err((*line).to_string()) };
        // Of two entries of a kind for one place, one would never be told.
        if !seen.insert((kind, pattern)) || t.add(kind, pattern, what).is_none() {
            return Err((*line).to_string());
        }
    }
    for (name, kind, entries) in [("AREAS", "Entry<Area>", &t.areas), ("MARKS", "Entry<Mark>", &t.marks)] {
        let _ = writeln!(out, "static {name}: &[{kind}] = &[{}];", entries.join(",\n"));
    }
    let _ = writeln!(out, "static PUBLIC: &[Pattern] = &[{}];", t.public.join(",\n"));
    for (name, pairs) in [("VARIABLES", &t.variables), ("OUTPUTS", &t.outputs)] {
        let _ = writeln!(out, "static {name}: &[(&str, &str)] = &{:?};", Vec::from_iter(pairs));
    }
    t.areas_root.write("AREAS_ROOT", out);
    t.areas_home.write("AREAS_HOME", out);
    t.marks_root.write("MARKS_ROOT", out);
    t.marks_home.write("MARKS_HOME", out);
    t.marks_last.write("MARKS_LAST", out);
    t.marks_within.write("MARKS_WITHIN", out);
    Ok(())
}

impl<'a> Tables<'a> {
    /// Adds an entry; `None` where it is none.
    fn add(&mut self, kind: &'a str, text: &'a str, what: &'a str) -> Option<()> {
        match kind {
            "variable" => self.variables.insert(text, what),
            "output" => self.outputs.insert(text, what),
            _ => return self.place(kind, &Pattern::new(text), what),
        };
        Some(())
    }

    fn place(&mut self, kind: &str, pattern: &Pattern<'a>, what: &str) -> Option<()> {
        let (first, last) = (pattern.parts.first(), pattern.parts.last());
        let entry = |kind: &str| format!("Entry {{ kind: {kind}, pattern: {}, what: {what:?} }}", pattern.rust());
        match Area::from_name(kind) {
            Some(Area::Public) => self.public.push(pattern.rust()),
            Some(area) => {
                let index = match pattern.anchor {
                    Anchor::Root => &mut self.areas_root,
                    Anchor::Home => &mut self.areas_home,
                    // A place that may be anywhere says nothing about where it is.
                    Anchor::Anywhere => return None,
                };
                index.add(first, self.areas.len());
                self.areas.push(entry(&format!("Area::{area:?}")));
            }
            None => {
                let mark = Mark::from_name(kind)?;
                let (index, part) = match (pattern.anchor, pattern.tree) {
                    (Anchor::Root, _) => (&mut self.marks_root, first),
                    (Anchor::Home, _) => (&mut self.marks_home, first),
                    (Anchor::Anywhere, false) => (&mut self.marks_last, last),
                    (Anchor::Anywhere, true) => (&mut self.marks_within, first),
                };
                index.add(part, self.marks.len());
                self.marks.push(entry(&format!("Mark::{mark:?}")));
            }
        }
        Some(())
    }
}
