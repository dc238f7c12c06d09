//! Further grammars of a policy: `grammars = ["DIR", "FILE.toml"]`, in the format of `grammars/README.md`.
//!
//! In: paths. Out: grammars, checked by the rules of the build, and what is wrong with the others, with file and line.
//! Imports `command`.

use super::Policy;
use super::find::read_text;
use crate::command::grammar::example::examples;
use crate::command::grammar::{self, Grammar};
use std::path::{Path, PathBuf};

/// Most files that are read.
const MAX_FILES: usize = 1_000;

/// A path of a policy file: below the home, below the directory of the file, or absolute.
pub(super) fn resolve(path: &Path, policy: &str) -> PathBuf {
    if let Ok(rest) = path.strip_prefix("~")
        && let Some(home) = std::env::home_dir()
    {
        return home.join(rest);
    }
    Path::new(policy).parent().map_or_else(|| path.to_path_buf(), |dir| dir.join(path))
}

/// What there is to say of the further grammars of a policy.
#[derive(Debug, Default)]
pub struct Tried {
    /// The first names of those that hold, in their order.
    pub names: Vec<&'static str>,
    /// How many examples they have.
    pub examples: usize,
    /// What is wrong: a grammar that is left out, an example that does not hold.
    pub problems: Vec<String>,
    /// What is worth knowing: a grammar that ships and does not hold any more, one that says nothing of what its program
    /// does.
    pub notes: Vec<String>,
}

impl Policy {
    /// Reads the further grammars and lets them hold in this process. Gives what is wrong with those that are left out.
    pub fn use_grammars(&self) -> Vec<String> {
        if self.grammars.is_empty() {
            return Vec::new();
        }
        let mut problems = Vec::new();
        let found: Vec<&'static Grammar> = self.loaded(&mut problems).into_iter().map(|(_, g)| g).collect();
        grammar::extend(&found);
        problems
    }

    /// As [`Policy::use_grammars`], and runs the examples that stand in the files.
    pub fn test_grammars(&self) -> Tried {
        let mut out = Tried::default();
        let found = self.loaded(&mut out.problems);
        let all: Vec<&'static Grammar> = found.iter().map(|(_, g)| *g).collect();
        grammar::extend(&all);
        for (file, grammar) in &found {
            out.names.extend(grammar.names.first());
            out.notes.extend(notes(file, grammar));
            out.examples = out.examples.saturating_add(run_examples(file, grammar, &mut out.problems));
        }
        out
    }

    /// The grammars of the files. Names are unique over all of them: a second grammar for one is left out.
    fn loaded(&self, problems: &mut Vec<String>) -> Vec<(PathBuf, &'static Grammar)> {
        let mut out: Vec<(PathBuf, &'static Grammar)> = Vec::new();
        for file in self.files(problems) {
            let Some(grammar) = read(&file, problems) else { continue };
            let twice = out.iter().find_map(|(other, g)| {
                let same = g.shells == grammar.shells || g.shells.iter().any(|s| grammar.shells.contains(s));
                let name = names(grammar).find(|n| same && names(g).any(|m| m == *n))?;
                Some(format!("{}:1: {} has a grammar of {name}, too", file.display(), other.display()))
            });
            match twice {
                Some(what) => problems.push(what),
                None => out.push((file, grammar)),
            }
        }
        out
    }

    /// The line of the policy file that names a path.
    fn place_of(&self, path: &Path) -> String {
        let line = self.origins.iter().rev().find_map(|o| {
            (0..self.grammars.len()).map(|i| i.to_string()).find_map(|i| {
                let said = o.text_of(&["grammars", &i])?;
                let is = resolve(Path::new(&said), &o.name) == path;
                is.then(|| o.line(&["grammars", &i])).flatten().map(|line| format!("{}:{line}: ", o.name))
            })
        });
        line.unwrap_or_default()
    }

    /// The files that the paths stand for, in their order; those of a directory by name.
    fn files(&self, problems: &mut Vec<String>) -> Vec<PathBuf> {
        let mut out = Vec::new();
        for path in &self.grammars {
            if !path.is_dir() {
                match path.exists() {
                    true => out.push(path.clone()),
                    false => problems.push(format!("{}there is no grammar {}", self.place_of(path), path.display())),
                }
                continue;
            }
            match std::fs::read_dir(path) {
                Err(e) => {
                    let place = self.place_of(path);
                    problems.push(format!("{place}cannot read the grammars in {}: {e}", path.display()));
                }
                Ok(entries) => {
                    let is_one = |p: &PathBuf| p.extension().is_some_and(|x| x == "toml");
                    let mut all: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(is_one).collect();
                    all.sort();
                    out.extend(all);
                }
            }
        }
        if out.len() > MAX_FILES {
            problems.push(format!("there are more than {MAX_FILES} grammar files; the first {MAX_FILES} are read"));
            out.truncate(MAX_FILES);
        }
        out
    }
}

fn read(file: &Path, problems: &mut Vec<String>) -> Option<&'static Grammar> {
    match read_text(file) {
        Err(e) => problems.push(format!("cannot read the grammar {}: {e}", file.display())),
        Ok(text) => match grammar::load(&text) {
            Ok(found) => return Some(found),
            Err(all) => problems.extend(all.iter().map(|p| format!("{}:{}: {}", file.display(), p.line, p.reason))),
        },
    }
    None
}

/// Every name that a grammar holds for.
fn names(g: &'static Grammar) -> impl Iterator<Item = &'static str> {
    g.names.iter().chain(g.aliases.iter().flat_map(|a| &a.names)).copied()
}

/// What is worth knowing of a grammar.
fn notes(file: &Path, g: &'static Grammar) -> Vec<String> {
    let realms = || g.shells.iter().copied().chain(g.shells.is_empty().then_some(""));
    let ships = names(g).find(|n| realms().any(|realm| grammar::shipped(realm, n).is_some()));
    let mut out = Vec::new();
    if let Some(name) = ships {
        out.push(format!("{} stands in for the grammar of {name} that ships, with all that it knows", file.display()));
    }
    if !g.says_something() {
        let name = g.names.first().copied().unwrap_or_default();
        out.push(format!(
            "{} states no effect, so that every call of {name} counts as harmless; a program that only looks at things says so \
             with `effect = [\"inspect …\"]`",
            file.display()
        ));
    }
    out
}

/// Holds what the examples of a file state against what is found; gives how many there are.
fn run_examples(file: &Path, grammar: &'static Grammar, problems: &mut Vec<String>) -> usize {
    let Ok(text) = read_text(file) else { return 0 };
    let Ok(all) = examples(&text) else { return 0 };
    for e in &all {
        let line = super::entry::line_at(&text, e.at);
        let said =
            e.differences(grammar).into_iter().map(|what| format!("{}:{line}: {}: {what}", file.display(), e.run));
        problems.extend(said);
    }
    all.len()
}
