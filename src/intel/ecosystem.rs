//! Names of package ecosystems: feeds, package URLs and grammars call the same one differently.
//! `grammars/lists/ecosystems.list` says which names are one.

use std::collections::HashMap;
use std::sync::OnceLock;

const TEXT: &str = include_str!("../../grammars/lists/ecosystems.list");

/// Words that begin a line about properties.
const PROPERTIES: &[&str] = &["groups", "tags", "paths", "zeros", "default"];

/// The name that this program uses for an ecosystem; `None` where it knows none of that name.
pub fn canonical(name: &str) -> Option<&'static str> {
    static LIST: OnceLock<HashMap<String, &'static str>> = OnceLock::new();
    let list = LIST.get_or_init(|| {
        let entry = |l: &&str| {
            !l.is_empty() && !l.starts_with('#') && !PROPERTIES.iter().any(|p| l.split(' ').next() == Some(p))
        };
        let lines = TEXT.lines().map(str::trim).filter(entry);
        let words = lines.filter_map(|l| Some((l.split_whitespace().next()?, l.split_whitespace())));
        words.flat_map(|(first, all)| all.map(move |w| (w.to_ascii_lowercase(), first))).collect()
    });
    list.get(&name.trim().to_ascii_lowercase()).copied()
}

/// True where the list says so of an ecosystem: `groups`, `tags`, `paths`, `zeros` (see there).
pub fn has(ecosystem: &str, property: &str) -> bool {
    let said = properties().filter(|(p, _)| *p == property);
    let canonical = canonical(ecosystem);
    canonical.is_some_and(|c| said.flat_map(|(_, of)| of.split_whitespace()).any(|e| e == c))
}

/// A name without the registry that is meant where none is named.
pub fn without_default<'n>(ecosystem: &str, name: &'n str) -> &'n str {
    let mut rest = name;
    for (_, said) in properties().filter(|(p, _)| *p == "default") {
        let mut words = said.split_whitespace();
        if words.next() == Some(ecosystem) {
            rest = words.fold(rest, |rest, prefix| rest.strip_prefix(prefix).unwrap_or(rest));
        }
    }
    rest
}

/// The lines that begin with a property: it, and the rest.
fn properties() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.lines().filter_map(|l| l.trim().split_once(' ')).filter(|(p, _)| PROPERTIES.contains(p))
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_feeds_are_those_of_grammars() {
        for (name, want) in [("PyPI", Some("pip")), ("crates.io", Some("cargo")), ("deno", Some("npm")), ("x", None)] {
            assert_eq!(super::canonical(name), want);
        }
    }
}
