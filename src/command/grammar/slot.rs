//! The value keys of grammar files: what a word is.
//!
//! In: the table of an option, operand or variable. Out: [`Word`]s and [`Slot`]s.

use super::condition::{Scope, condition};
use super::model::{Cond, Located, Prefix, Slot, Where, Word};
use super::read::{language, props, reference};
use super::table::{Entry, Table, Text};
use crate::command::role::Role;

/// Deepest nesting of prefixes in prefixes.
const MAX_PREFIXES: usize = 4;

impl Word {
    /// The same without conditions.
    pub(super) fn unconditional(mut self) -> Word {
        self.either.iter_mut().for_each(|s| s.cond = Cond::default());
        self
    }
}

/// The word that a table's `value` or `either` describes; without alternatives where it has neither.
pub(super) fn word(t: &Table, scope: &Scope) -> Word {
    let both = t.has("value") && t.has("either");
    if both {
        t.context().wrong(t.at, "`value` and `either`: only one of them");
    }
    let either: Vec<Slot> = t
        .tables("either")
        .iter()
        .map(|a| {
            let made = slot(a, scope);
            a.finish();
            made
        })
        .collect();
    if !either.is_empty() {
        return Word { either };
    }
    match t.entries("value").first() {
        None => Word::default(),
        Some(Entry::Text(_)) => Word { either: vec![slot(t, scope)] },
        Some(Entry::Table(v)) => {
            let made = slot(v, scope);
            v.finish();
            Word { either: vec![made] }
        }
    }
}

/// A word that is only a role.
pub(super) fn plain(t: &Table, name: Text) -> Word {
    Word { either: vec![word_of(t, name)] }
}

/// A slot that is only a role.
pub(super) fn word_of(t: &Table, name: Text) -> Slot {
    Slot { role: role(t, name), ..Slot::default() }
}

fn role(t: &Table, name: Text) -> Role {
    match Role::from_name(name.text) {
        Some(r) => r,
        None => {
            t.context().wrong(name.at, format!("unknown role `{}`; grammars/README.md lists them", name.text));
            Role::Text
        }
    }
}

/// The slot that a table's value keys describe.
pub(super) fn slot(t: &Table, scope: &Scope) -> Slot {
    nested(t, scope, 0)
}

fn nested(t: &Table, scope: &Scope, depth: usize) -> Slot {
    let role = match t.text("value") {
        Some(n) => role(t, n),
        None => {
            t.context().wrong(t.at, "`value` is missing: a role");
            Role::Text
        }
    };
    let made = Slot {
        role,
        cond: condition(t, scope),
        prefixes: prefixes(t, scope, depth),
        split: t.text("split").map(|s| s.text),
        dash: t.flag("dash"),
        schemeless: t.text("schemeless").map(|s| s.text),
        props: t.texts("props").into_iter().fold(0, |all, p| all | props(t, p)),
        nocase: t.flag("nocase"),
        language: t.text("language").and_then(|l| language(t, l)),
        other: t.texts("other").into_iter().filter_map(|o| reference(t, o, scope)).collect(),
        also: t.texts("also").into_iter().map(|n| self::role(t, n)).collect(),
        password: t.texts("password").iter().map(|p| p.text).collect(),
        join: t.flag("join"),
        spelled: t.text("as").map(|s| s.text),
        with: t.text("with").map(|s| s.text),
        basename: t.text("basename").map(|n| self::role(t, n)),
        strip: t.text("strip").map(|s| s.text),
        into: t.texts("into").into_iter().filter_map(|o| reference(t, o, scope)).collect(),
        place: place(t, scope),
        until: t.texts("until").iter().map(|u| u.text).collect(),
        placeholder: t.texts("placeholder").iter().map(|p| scope.option(p.text).unwrap_or(p.text)).collect(),
        assignments: t.flag("assignments"),
        append: t.flag("append"),
        lines: t.flag("lines"),
        sources: t.texts("sources").iter().map(|u| u.text).collect(),
    };
    if made.password.len() > 2 {
        t.context().wrong(t.at, "`password` is what stands before it and, where something does, what stands behind it");
    }
    let command = role == Role::Command;
    if !command && (!made.until.is_empty() || made.assignments || made.append || !made.placeholder.is_empty()) {
        t.context().wrong(t.at, "`until`, `placeholder`, `append` and `assignments` are for `command`");
    }
    if made.join && !matches!(role, Role::Code(_) | Role::CommandString) {
        t.context().wrong(t.at, "`join` is for `code.*` and `command.string`");
    }
    if made.spelled.is_some() && !command && !matches!(role, Role::CodeVariable | Role::Options | Role::Package(_)) {
        t.context().wrong(t.at, "`as` is for `command`, `variable`, `options` and `package.*`");
    }
    if made.with.is_some() && role != Role::Options {
        t.context().wrong(t.at, "`with` is for `options`");
    }
    if made.lines && !matches!(role, Role::Code(_) | Role::Package(_)) {
        t.context().wrong(t.at, "`lines` is for `code.*` and `package.*`");
    }
    if !made.sources.is_empty() && !command {
        t.context().wrong(t.at, "`sources` is for `command`");
    }
    if made.place.is_some() && !command && !matches!(role, Role::CommandString | Role::Code(_) | Role::PathScript) {
        t.context().wrong(t.at, "`place` is for `command` and `code.*`");
    }
    if made.language.is_some() && role != Role::PathScript {
        t.context().wrong(t.at, "`language` is for `path.script`; for code write `code.LANG`");
    }
    let two = matches!(
        role,
        Role::PathCopy
            | Role::PathMove
            | Role::PathLink
            | Role::PathArchive
            | Role::RemoteRead
            | Role::UrlFetch
            | Role::UrlClone
    );
    if !made.other.is_empty() && !two {
        t.context().wrong(t.at, format!("`{}` has no `other` end", role.name()));
    }
    made
}

fn prefixes(t: &Table, scope: &Scope, depth: usize) -> Vec<Prefix> {
    let Some(table) = t.table("prefix") else { return Vec::new() };
    if depth >= MAX_PREFIXES {
        t.context().wrong(table.at, "`prefix` is nested too deep");
        return Vec::new();
    }
    table
        .all()
        .into_iter()
        .map(|(glob, e)| {
            let slot = match e {
                Entry::Text(name) => word_of(t, name),
                Entry::Table(v) => {
                    let made = nested(&v, scope, depth.saturating_add(1));
                    v.finish();
                    made
                }
            };
            Prefix { glob: glob.text, slot }
        })
        .collect()
}

fn place(t: &Table, scope: &Scope) -> Option<Located> {
    let table = t.table("place")?;
    let mut found = None;
    for (key, kind) in [("remote", Where::Remote), ("contained", Where::Contained)] {
        if let Some(of) = table.text(key).and_then(|n| reference(t, n, scope)) {
            found = Some(Located { kind, of });
        }
    }
    table.finish();
    if found.is_none() {
        t.context().wrong(table.at, "`place` is { remote = NAME } or { contained = NAME }");
    }
    found
}
