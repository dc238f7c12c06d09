//! Further grammars of a policy: `grammars = ["DIR", "FILE.toml"]`, in the format of `grammars/README.md`.
//!
//! In: paths. Out: grammars, checked by the rules of the build, and what is wrong with the others, with file and line.
//! Imports `command`, `analyzer`.

use super::Policy;
use super::find::read_text;
use crate::analyzer::{Options, analyze};
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

impl Policy {
    /// Reads the further grammars and lets them hold in this process. Gives what is wrong with those that are left out.
    pub fn use_grammars(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let found: Vec<&'static Grammar> =
            self.files(&mut problems).iter().filter_map(|f| read(f, &mut problems)).collect();
        grammar::extend(&found);
        problems
    }

    /// As [`Policy::use_grammars`], and runs the examples that stand in the files.
    pub fn test_grammars(&self) -> Vec<String> {
        let mut problems = self.use_grammars();
        if problems.is_empty() {
            let files = self.files(&mut problems);
            files.iter().for_each(|f| run_examples(f, &mut problems));
        }
        problems
    }

    /// The files that the paths stand for, in their order; those of a directory by name.
    fn files(&self, problems: &mut Vec<String>) -> Vec<PathBuf> {
        let mut out = Vec::new();
        for path in &self.grammars {
            if !path.is_dir() {
                out.push(path.clone());
                continue;
            }
            match std::fs::read_dir(path) {
                Err(e) => problems.push(format!("cannot read the grammars in {}: {e}", path.display())),
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

/// Holds what the examples of a file state against what is found.
fn run_examples(file: &Path, problems: &mut Vec<String>) {
    let Ok(text) = read_text(file) else { return };
    let (Ok(all), Ok(grammar)) = (examples(&text), grammar::load(&text)) else { return };
    for e in all {
        let analysis = analyze(e.run.as_bytes(), &Options::default());
        let Some(process) = analysis.graph.processes.first() else { continue };
        let sorted = |mut all: Vec<String>| {
            all.sort();
            all.dedup();
            all
        };
        let found = sorted(crate::command::argv::read_with(grammar, &process.argv).describe());
        let stated = sorted(e.effects.iter().map(ToString::to_string).collect());
        if found != stated {
            let line = super::entry::line_at(&text, e.at);
            let what = format!("{}:{line}: {}: stated {stated:?}, found {found:?}", file.display(), e.run);
            problems.push(what);
        }
    }
}
