//! What calls of embedded languages do: the tables of `grammars/languages/*.toml`.
//!
//! In: a language and a dotted name. Out: the facts. Floor 4; imports `effect`'s vocabulary. Compiled in by `build.rs`.

use crate::effect::Language;

/// One argument of a call.
#[derive(Clone, Copy, Debug)]
pub struct ArgFact {
    /// Its position, from 0, or [`SELF`] for the object of a method; a named argument counts as the position of its parameter.
    pub at: usize,
    /// Its role, by name.
    pub role: &'static str,
    /// It has the role only if this holds: `param = value` or `param ~ characters`.
    pub when: &'static str,
    /// And only if this does not.
    pub unless: &'static str,
    /// The parameter whose words follow those of the argument (`spawn(program, words)`); `*` for all arguments behind it.
    pub with: &'static str,
    /// Characters that are taken off both ends first (`open(F, "cmd |")`).
    pub strip: &'static str,
    /// The entry of the argument, a map, that is meant (`spawn({cmd: …})`).
    pub key: &'static str,
}

/// Stands for the object that a method is called on.
pub const SELF: usize = 254;

/// What a call does.
#[derive(Clone, Copy, Debug)]
pub struct CallFact {
    /// The names of its parameters, in order.
    pub params: &'static [&'static str],
    /// The roles of its arguments.
    pub args: &'static [ArgFact],
    /// What it gives (grammars/languages/README.md).
    pub result: &'static str,
    /// Effects that no argument carries: verb, object.
    pub effects: &'static [(&'static str, &'static str)],
    /// Properties of its effects, each with what has to hold for certain (empty: always).
    pub sets: &'static [(&'static str, &'static str)],
    /// The parameters that name what descriptors 0, 1 and 2 of the started process are connected to.
    pub fds: &'static [&'static str],
    /// The parameter (or an entry of it: `options.input`) that what is started reads.
    pub input: &'static str,
    /// The parameter (or an entry of it) that holds variables of what is started; `*` for any map before the others.
    pub env: &'static str,
    /// The parameter that is the object, for functions on handles.
    pub object: &'static str,
    /// The parameter that is assigned the result.
    pub assigns: &'static str,
    /// It calls the functions that it is given: 0 for never, else which of their arguments what it got is, from 1.
    pub callback: u8,
    /// The names that hold what a function gets which is called back (`$_`).
    pub binds: &'static [&'static str],
}

/// The calls of one language.
#[derive(Debug)]
struct Table {
    language: &'static str,
    /// Names in order, with the index of the call.
    names: &'static [(&'static str, usize)],
    calls: &'static [CallFact],
    /// Modules and names of which everything without a fact only computes, in order.
    harmless: &'static [&'static str],
    /// Names whose parts are visible without them.
    transparent: &'static [&'static str],
    /// Its functions on files take `~` for the user's directory.
    tilde: bool,
    /// Names that hold text or numbers, in order.
    constants: &'static [(&'static str, &'static str)],
    /// Methods that the language calls of itself on objects of a class that has them.
    implicit: &'static [&'static str],
    /// Those of them that give a function and its arguments, which is called then.
    applied: &'static [&'static str],
    /// Files of a module by its name (`%.py`).
    modules: &'static [&'static str],
    /// Modules of the language itself and of libraries that are widely used, in order; none where nothing is said of them.
    known: &'static [&'static str],
    /// Names of files that stand for others (`php://stdin`).
    files: &'static [(&'static str, &'static str)],
}

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// The facts of a call, by its whole name.
pub fn lookup(language: Language, name: &str) -> Option<&'static CallFact> {
    let table = table(language)?;
    let i = table.names.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
    let (_, call) = table.names.get(i)?;
    table.calls.get(*call)
}

fn table(language: Language) -> Option<&'static Table> {
    LANGUAGES.iter().find(|t| t.language == language.name())
}

/// Whether a name without facts is known to only compute: it, or a module that it is in, is listed.
pub fn harmless(language: Language, name: &str) -> bool {
    let Some(table) = table(language) else { return false };
    let has = |part: &str| table.harmless.binary_search(&part).is_ok();
    has(name)
        || name
            .char_indices()
            .filter(|(i, c)| matches!(c, '.' | ':') && *i > 0)
            .any(|(i, _)| name.get(..i).is_some_and(has))
}

/// Whether the parts of a name are the same without it (`builtins.print`).
pub fn transparent(language: Language, name: &str) -> bool {
    table(language).is_some_and(|t| t.transparent.contains(&name))
}

/// Whether functions on files take `~` for the user's directory.
pub fn expands_tilde(language: Language) -> bool {
    table(language).is_some_and(|t| t.tilde)
}

/// The text or number that a name holds.
pub fn constant(language: Language, name: &str) -> Option<&'static str> {
    let constants = table(language)?.constants;
    let i = constants.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
    constants.get(i).map(|(_, v)| *v)
}

/// Whether the language calls a method of that name of itself. One `*` in a name of the table is any text.
pub fn is_implicit(language: Language, method: &str) -> bool {
    let fits = |p: &&str| match p.split_once('*') {
        Some((a, b)) => method.len() >= a.len().saturating_add(b.len()) && method.starts_with(a) && method.ends_with(b),
        None => *p == method,
    };
    table(language).is_some_and(|t| t.implicit.iter().any(fits))
}

/// Whether a module is known: the facts speak of it or of something in it, or loading it is known to do nothing.
pub fn is_module(language: Language, name: &str) -> bool {
    let Some(table) = table(language) else { return false };
    let within = |n: &str| n.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']));
    let from = table.names.partition_point(|(n, _)| *n < name);
    let facts = table.names.get(from..).unwrap_or_default().iter().map(|(n, _)| *n);
    let from = table.harmless.partition_point(|n| *n < name);
    let calm = table.harmless.get(from..).unwrap_or_default().iter().copied();
    facts.take_while(|n| n.starts_with(name)).any(within)
        || calm.take_while(|n| n.starts_with(name)).any(within)
        || table.known.binary_search(&name).is_ok()
}

/// Whether such a method gives a function and its arguments, which is called then.
pub fn applied(language: Language, method: &str) -> bool {
    table(language).is_some_and(|t| t.applied.contains(&method))
}

/// The file that a name of the language stands for.
pub fn file(language: Language, name: &str) -> Option<&'static str> {
    let files = table(language)?.files;
    files.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
}

/// Whether a module is the language's own or one of a library that is widely used; `None` for languages whose file says
/// nothing of modules. `name` may be a part of a module (`os.path`, `node:fs/promises`, `@scope/name/part`).
pub fn knows_module(language: Language, name: &str) -> Option<bool> {
    let known = table(language)?.known;
    if known.is_empty() {
        return None;
    }
    let has = |n: &str| known.binary_search(&n).is_ok();
    let name = name.trim_start_matches("node:");
    if has(name) {
        return Some(true);
    }
    let scoped = name.strip_prefix('@').and_then(|n| n.match_indices('/').nth(1)).and_then(|(i, _)| name.get(..=i));
    let top = scoped.unwrap_or_else(|| name.split(['.', '/']).next().unwrap_or_default());
    Some(has(top))
}

/// Whether a file of those components would be taken for a module that is known by its name (`json.py`,
/// `requests/__init__.py`).
pub fn stands_for_module(parts: &[String]) -> bool {
    LANGUAGES.iter().filter(|t| !t.known.is_empty()).any(|t| {
        t.modules.iter().any(|form| {
            let form: Vec<&str> = form.split('/').collect();
            let Some(from) = parts.len().checked_sub(form.len()) else { return false };
            let mut name = None;
            let fits = form.iter().zip(parts.get(from..).unwrap_or_default()).all(|(f, p)| match f.split_once('%') {
                Some((before, after)) => {
                    name = p.strip_prefix(before).and_then(|p| p.strip_suffix(after));
                    name.is_some()
                }
                None => f == p,
            });
            fits && name.is_some_and(|n| t.known.binary_search(&n).is_ok())
        })
    })
}

/// The files that a module of the language may be, with `%` for its name.
pub fn modules(language: Language) -> &'static [&'static str] {
    table(language).map_or(&[], |t| t.modules)
}
