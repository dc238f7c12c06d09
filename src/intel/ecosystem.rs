//! Names of package ecosystems: feeds, package URLs and grammars call the same one differently.
//! `grammars/lists/ecosystems.list` says which names are one.

use std::collections::HashMap;
use std::sync::OnceLock;

const TEXT: &str = include_str!("../../grammars/lists/ecosystems.list");

/// The name that this program uses for an ecosystem; `None` where it knows none of that name.
pub fn canonical(name: &str) -> Option<&'static str> {
    static LIST: OnceLock<HashMap<String, &'static str>> = OnceLock::new();
    let list = LIST.get_or_init(|| {
        let lines = TEXT.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
        let words = lines.filter_map(|l| Some((l.split_whitespace().next()?, l.split_whitespace())));
        words.flat_map(|(first, all)| all.map(move |w| (w.to_ascii_lowercase(), first))).collect()
    });
    list.get(&name.trim().to_ascii_lowercase()).copied()
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
