//! Names that a finding has by the program or transform that its content comes from: `grammars/lists/aliases.list`.
//!
//! In: the list, as the build reads it. Out: the entry for a rule and a source. This keeps
//! names of programs out of the rules.

/// One entry of the list.
#[derive(Debug)]
pub(super) struct Alias {
    /// The rule that finds it.
    pub rule: &'static str,
    /// The program's base name, or the transform's name.
    pub source: &'static str,
    /// The name of the finding.
    pub id: &'static str,
    /// The command that keeps the content instead of running it.
    pub safer: &'static str,
}

impl Alias {
    /// True for a source that is no finding by itself.
    pub(super) fn is_silent(&self) -> bool {
        self.id == "."
    }
}

// `ALIASES`: every entry.
include!(concat!(env!("OUT_DIR"), "/aliases.rs"));

/// Every entry.
pub(super) fn all() -> &'static [Alias] {
    ALIASES
}

/// The entry for a rule and a source.
pub(super) fn of(rule: &str, source: &str) -> Option<&'static Alias> {
    all().iter().find(|a| a.rule == rule && a.source == source)
}

/// The rule that a name of a finding belongs to.
pub(super) fn rule_of(id: &str) -> Option<&'static str> {
    all().iter().find(|a| a.id == id).map(|a| a.rule)
}
