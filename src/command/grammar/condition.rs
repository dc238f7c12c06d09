//! Conditions of grammar files, and the names that may stand in them.
//!
//! In: `when`, `unless` texts, and the [`Scope`] of options and operands that are declared. Out: [`Cond`], with every
//! option by its main name.

use super::model::{All, Ask, Atom, Cond};
use super::table::{Table, Text};

/// The options and operands that a level declares, and those of the levels above.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Options: their names, the main one first.
    pub options: Vec<Vec<&'static str>>,
    /// Names of operands.
    pub operands: Vec<&'static str>,
}

impl Scope {
    /// The main name of an option.
    pub fn option(&self, name: &str) -> Option<&'static str> {
        // The nearest level's option comes last.
        self.options.iter().rev().find(|names| names.contains(&name)).and_then(|names| names.first().copied())
    }
    /// An option or an operand.
    pub fn refer(&self, name: &str) -> Option<&'static str> {
        self.option(name).or_else(|| self.operands.iter().copied().find(|o| *o == name))
    }
}

/// The condition that a table's `when` and `unless` make.
pub fn condition(table: &Table, scope: &Scope) -> Cond {
    let parts = |key| table.texts(key).into_iter().map(|t| all(table, t, scope)).collect();
    Cond { when: parts("when"), unless: parts("unless") }
}

fn all(table: &Table, text: Text, scope: &Scope) -> All {
    let atom = |part: &'static str| match atom(part.trim(), scope) {
        Ok(a) => Some(a),
        Err(why) => {
            table.context().wrong(text.at, why);
            None
        }
    };
    All { parts: text.text.split(" & ").filter_map(atom).collect() }
}

fn atom(part: &'static str, scope: &Scope) -> Result<Atom, String> {
    let (not, part) = match part.strip_prefix('!') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, part),
    };
    let (subject, glob) = match part.split_once(" = ") {
        Some((s, g)) => (s.trim_end(), Some(g.trim_start())),
        // `first =`: an empty word.
        None => match part.strip_suffix(" =") {
            Some(s) => (s.trim_end(), Some("")),
            None => (part, None),
        },
    };
    let plain = |ask| Ok(Atom { not, ask, text: glob, ..Atom::default() });
    let with_glob = |ask: Ask| match glob {
        Some(_) => plain(ask),
        None => Err(format!("`{part}`: `{}` needs ` = GLOB`", ask.name())),
    };
    match subject {
        "operand" => with_glob(Ask::Any),
        "first" => with_glob(Ask::First),
        "last" => with_glob(Ask::Last),
        "value" => with_glob(Ask::Value),
        "name" => with_glob(Ask::Name),
        "words" => with_glob(Ask::Words),
        "after" => with_glob(Ask::After),
        "--" if glob.is_none() => plain(Ask::Dashes),
        "dash" if glob.is_none() => plain(Ask::Dash),
        "bare" if glob.is_none() => plain(Ask::Bare),
        _ if subject.starts_with("operand ") => {
            let number = subject.trim_start_matches("operand ").trim().parse().ok().filter(|n| *n > 0);
            match (number, glob) {
                (Some(number), Some(_)) => Ok(Atom { not, ask: Ask::Nth, text: glob, number, ..Atom::default() }),
                _ => Err(format!("`{part}`: write `operand N = GLOB`, counted from one")),
            }
        }
        _ if subject.starts_with("operands") => {
            let words: Vec<&str> = part.split_whitespace().collect();
            let (ask, number) = match words.as_slice() {
                ["operands", op, n] => (Ask::from_name(op), n.parse().ok()),
                _ => (None, None),
            };
            match (ask, number) {
                (Some(ask @ (Ask::Equal | Ask::Less | Ask::More)), Some(number)) => {
                    Ok(Atom { not, ask, number, ..Atom::default() })
                }
                _ => Err(format!("`{part}`: write `operands = N`, `operands < N` or `operands > N`")),
            }
        }
        name => match scope.option(name) {
            Some(name) => Ok(Atom { not, ask: Ask::Option, name, text: glob, number: 0 }),
            None => Err(format!("condition `{part}`: no option `{name}` is declared")),
        },
    }
}
