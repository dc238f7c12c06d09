//! What is asked about a name alone: a builtin's semantics, a program's language, what a variable means.
//!
//! In: names. Out: facts of the grammars.

use super::grammar;
use super::role::Role;
use crate::effect::Language;
use std::collections::HashSet;

/// The builtin semantics of the command with that name.
pub fn builtin(name: &str) -> Option<&'static str> {
    grammar::lookup(name)?.top.builtin
}

/// The language in which the program with that name reads its programs.
pub fn language(name: &str) -> Option<Language> {
    grammar::lookup(name)?.top.language.and_then(Language::from_name)
}

/// True where the program with that name logs in to other machines: its grammar has a word for one.
pub fn logs_in(name: &str) -> bool {
    let remote = |s: &grammar::model::Slot| matches!(s.role, Role::RemoteHost | Role::RemoteRead | Role::RemoteWrite);
    let any = |w: &grammar::model::Word| w.either.iter().any(remote);
    grammar::lookup(name).is_some_and(|g| g.top.operands.iter().any(|o| any(&o.word)))
}

/// True where a variable means something to every program.
pub fn is_environment(name: &str) -> bool {
    grammar::variable(None, name).is_some()
}

/// The programs of one analysis, asked whether a variable means something to any of them.
#[derive(Debug, Default)]
pub struct Readers {
    /// What their names begin with, in lower case: `git` of `git-lfs`.
    families: HashSet<String>,
    /// Those that have variables of their own.
    grammars: Vec<&'static grammar::Grammar>,
    /// True where one of them is known: what every program reads, it reads.
    known: bool,
}

impl Readers {
    /// Those programs, by their names.
    pub fn of<'n>(programs: impl Iterator<Item = &'n str>) -> Self {
        let mut out = Readers::default();
        let mut seen = HashSet::new();
        for name in programs.filter(|n| seen.insert(*n)) {
            let family = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            out.families.insert(family.to_ascii_lowercase());
            let Some(grammar) = grammar::lookup(name) else { continue };
            out.known = true;
            if !grammar.env.is_empty() && !out.grammars.iter().any(|g| std::ptr::eq(*g, grammar)) {
                out.grammars.push(grammar);
            }
        }
        out
    }

    /// True where one of them has the variable in its grammar, or the variable is called after one (`GIT_…` is git's,
    /// `PYTHONPATH` python's).
    pub fn have(&self, name: &str) -> bool {
        let family = name.split('_').next().unwrap_or_default().to_ascii_lowercase();
        let begins = |end: usize| family.get(..end).is_some_and(|f| self.families.contains(f));
        self.families.contains(&family)
            || (4..family.len()).any(begins)
            || self.known && is_environment(name)
            || self.grammars.iter().any(|g| grammar::own_variable(g, name).is_some())
    }
}
