//! What is asked about a name alone: a builtin's semantics, a program's language, what a variable means.
//!
//! In: names. Out: facts of the grammars.

use super::grammar;
use crate::effect::Language;

/// The builtin semantics of the command with that name.
pub fn builtin(name: &str) -> Option<&'static str> {
    grammar::lookup(name)?.top.builtin
}

/// The language in which the program with that name reads its programs.
pub fn language(name: &str) -> Option<Language> {
    grammar::lookup(name)?.top.language.and_then(Language::from_name)
}

/// True where a variable means something to every program.
pub fn is_environment(name: &str) -> bool {
    grammar::variable(None, name).is_some()
}

/// True where a variable means something to the program with that name.
pub fn has_variable(program: &str, name: &str) -> bool {
    grammar::lookup(program).is_some_and(|g| grammar::variable(Some(g), name).is_some())
}
