//! What is asked about a name alone: a builtin's semantics, a program's language, what a variable means.
//!
//! In: names. Out: facts of the grammars.

use super::{Use, grammar};
use crate::effect::{Language, Props};
use crate::value::Value;

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

/// What the value of a variable is to a program (by its grammar's first name), or to every program.
pub fn environment_uses(program: Option<&str>, name: &str, value: &Value) -> Vec<Use> {
    let Some(env) = grammar::variable(program.and_then(grammar::lookup), name) else { return Vec::new() };
    let Some(slot) = env.word.either.first() else { return Vec::new() };
    let parts = match slot.split {
        None => vec![value.clone()],
        Some("lines") => value.split(|b| b == b'\n'),
        Some("words") => value.split(|b| b.is_ascii_whitespace()),
        Some(set) => value.split(|b| set.as_bytes().contains(&b)),
    };
    let made = |v: &Value| Use { props: Props(slot.props), ..Use::new(slot.role, v.clone()) };
    parts.iter().filter(|v| !v.pieces.is_empty()).map(made).collect()
}
