//! The grammars: compiled tables of `grammars/`, and how to look a program up.
//!
//! In: a program's base name, or the text of a further grammar file. Out: [`Grammar`]. Floor 4; imports the role list
//! and the vocabulary. It is all data: no program is named here.

pub mod code;
pub mod condition;
pub mod example;
mod extra;
pub mod held;
pub mod model;
pub mod named;
pub mod read;
mod slot;
pub mod table;

use code::{Bytes, Coded};
pub use extra::extend;
pub use model::Grammar;
use std::borrow::Cow;
use std::sync::OnceLock;

use crate::effect::Language;

/// A glob: the byte that all it stands for begin with (0: any), the glob, the number of what it names.
type Glob = (u8, &'static str, u16);

include!(concat!(env!("OUT_DIR"), "/grammars.rs"));

static DECODED: [OnceLock<Option<Box<Grammar>>>; PROGRAMS] = [const { OnceLock::new() }; PROGRAMS];

/// The grammar with that number.
fn decoded(index: u16) -> Option<&'static Grammar> {
    let cell = DECODED.get(usize::from(index))?;
    cell.get_or_init(|| {
        let at = usize::try_from(*OFFSETS.get(usize::from(index))?).ok()?;
        Grammar::take(&mut Bytes(BLOB.get(at..)?)).map(Box::new)
    })
    .as_deref()
}

/// The grammar of the program with that base name, in any shell.
///
/// A name that no grammar has as it stands is looked up without `.exe` and its like, and then in lower case: file
/// systems of macOS and Windows do not tell them apart, and where they do, such a program rarely exists.
pub fn lookup(name: &str) -> Option<&'static Grammar> {
    lookup_in(None, name)
}

/// As [`lookup`], with those first that hold only in the shell of that language (cmdlets and aliases).
pub fn lookup_in(shell: Option<Language>, name: &str) -> Option<&'static Grammar> {
    let own = shell.map(Language::name).filter(|s| !s.is_empty());
    // Nearly every name is in lower case already, and then there is nothing more to look for.
    let changed = name.bytes().any(|b| b.is_ascii_uppercase());
    let lower = if changed { Cow::Owned(name.to_ascii_lowercase()) } else { Cow::Borrowed(name) };
    let bare = [".exe", ".cmd", ".bat", ".com", ".ps1"].iter().find_map(|x| lower.strip_suffix(x));
    // `sc.exe` is the program, though `sc` is an alias of the shell.
    let whole = || own.into_iter().chain([""]).find_map(|realm| find(realm, name));
    let other = || {
        own.into_iter().chain([""]).find_map(|realm| {
            None.or_else(|| bare.and_then(|b| find(realm, b)))
                .or_else(|| changed.then(|| find(realm, &lower)).flatten())
                .or_else(|| {
                    // Cmdlets are declared in their usual spelling.
                    if realm.is_empty() { None } else { find_nocase(realm, &lower) }
                })
        })
    };
    whole().or_else(other)
}

/// The grammar of the build for a base name, whatever was loaded at run time.
pub fn shipped(realm: &str, name: &str) -> Option<&'static Grammar> {
    find_shipped(realm, name)
}

fn find(realm: &str, name: &str) -> Option<&'static Grammar> {
    extra::find(realm, name).or_else(|| find_shipped(realm, name))
}

fn find_shipped(realm: &str, name: &str) -> Option<&'static Grammar> {
    if let Some(i) = in_realm(realm, name) {
        return decoded(i);
    }
    let globs = GLOBS.iter().find(|(s, _)| *s == realm).map_or(&[][..], |(_, t)| t);
    let first = name.bytes().next();
    let is = |(_, g, _): &&Glob| crate::glob::any(g, name.as_bytes());
    globs.iter().filter(|(b, ..)| may_begin(*b, first)).find(is).and_then(|(.., i)| decoded(*i))
}

/// False where a glob that begins with that byte (0: with any) cannot stand for a text that begins with the other.
fn may_begin(glob: u8, text: Option<u8>) -> bool {
    glob == 0 || Some(glob) == text
}

/// The names that hold in the shell of that language; without a name, in all.
fn of_realm(tables: &'static [(&str, &[(&str, u16)])], realm: &str) -> &'static [(&'static str, u16)] {
    tables.iter().find(|(s, _)| *s == realm).map_or(&[], |(_, t)| t)
}

/// The number of the grammar that has the name, in the shell of that language; without one, in all.
fn in_realm(realm: &str, name: &str) -> Option<u16> {
    let names = of_realm(NAMES, realm);
    if !realm.is_empty() {
        return names.binary_search_by(|(n, _)| (*n).cmp(name)).ok().and_then(|i| names.get(i)).map(|(_, i)| *i);
    }
    let mut at = name.bytes().fold(crate::hash::START, crate::hash::add) as usize;
    loop {
        // A free slot ends the search; half of them are free.
        let slot = SLOTS.get(at % SLOTS.len()).copied().unwrap_or_default();
        let (n, i) = names.get(usize::from(slot).checked_sub(1)?)?;
        if *n == name {
            return Some(*i);
        }
        at = at.saturating_add(1);
    }
}

fn find_nocase(realm: &str, lower: &str) -> Option<&'static Grammar> {
    of_realm(NAMES, realm).iter().find(|(n, _)| n.eq_ignore_ascii_case(lower)).and_then(|(_, i)| decoded(*i))
}

/// The variable of `environment.toml` with that number.
fn decoded_variable(index: u16) -> Option<&'static model::Env> {
    static DECODED: [OnceLock<Option<Box<model::Env>>>; VARIABLE_COUNT] = [const { OnceLock::new() }; VARIABLE_COUNT];
    let cell = DECODED.get(usize::from(index))?;
    cell.get_or_init(|| {
        let at = usize::try_from(*VARIABLE_OFFSETS.get(usize::from(index))?).ok()?;
        model::Env::take(&mut Bytes(BLOB.get(at..)?)).map(Box::new)
    })
    .as_deref()
}

/// What a variable is to a program, or to every program.
pub fn variable(grammar: Option<&'static Grammar>, name: &str) -> Option<&'static model::Env> {
    if let Some(own) = grammar.and_then(|g| own_variable(g, name)) {
        return Some(own);
    }
    let plain = VARIABLES.binary_search_by(|(n, _)| (*n).cmp(name)).ok().and_then(|i| VARIABLES.get(i));
    let first = name.bytes().next();
    let is = |(_, g, _): &&Glob| crate::glob::any(g, name.as_bytes());
    let glob = VARIABLE_GLOBS.iter().filter(|(b, ..)| may_begin(*b, first)).find(is);
    // Of two entries that stand for the name, the first in the file counts.
    let index = plain.map(|(_, i)| *i).into_iter().chain(glob.map(|(.., i)| *i)).min()?;
    decoded_variable(index)
}

/// What a variable is to a program by itself.
pub fn own_variable(grammar: &'static Grammar, name: &str) -> Option<&'static model::Env> {
    grammar.env.iter().find(|e| e.names.iter().any(|g| crate::glob::any(g, name.as_bytes())))
}

/// Globs of the directories that hold system programs: a command word with one of them names the program itself.
pub fn system_dirs() -> &'static [&'static str] {
    SYSTEM_DIRS
}

/// True for variables that every login exports: what is assigned to one is seen by whatever the shell starts.
pub fn is_exported(name: &str) -> bool {
    EXPORTED.contains(&name)
}

/// Reads further grammars at run time, by the rules of the build. Gives the grammar, which lives as long as the program.
/// Such a grammar is handed to [`crate::command::argv::read_with`], or to [`extend`] for all that follows.
pub fn load(text: &str) -> Result<&'static Grammar, Vec<table::Problem>> {
    read::program(text).map(|g| &*Box::leak(Box::new(g)))
}

/// Every grammar, in the order of their files.
pub fn all() -> impl Iterator<Item = &'static Grammar> {
    (0..u16::try_from(PROGRAMS).unwrap_or(u16::MAX)).filter_map(decoded)
}
