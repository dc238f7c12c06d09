//! The examples of grammar files.
//!
//! In: `[[example]]` tables. Out: [`Example`]s, checked as far as can be without running them.

use super::read::document;
use super::table::{Problem, Table};
use crate::command::role::{Stdin, Stdout};
use crate::effect::{Props, Verb};

/// A command line and what must be found out about it.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// Its line in the file.
    pub at: usize,
    /// The command line.
    pub run: &'static str,
    /// All of its effects, in the notation of `grammars/README.md`.
    pub effects: Vec<&'static str>,
    /// Its properties, where stated.
    pub with: Option<Vec<&'static str>>,
    /// Its standard input, where stated.
    pub stdin: Option<&'static str>,
    /// Its standard output, where stated.
    pub stdout: Option<&'static str>,
    /// What it does not account for.
    pub doubts: Vec<&'static str>,
}

/// The examples of a file's text.
pub fn examples(text: &str) -> Result<Vec<Example>, Vec<Problem>> {
    document(text, |root| root.tables("example").iter().map(example).collect())
}

/// Checks the examples of a document.
pub(super) fn check(root: &Table) {
    let all = root.tables("example");
    if all.is_empty() {
        root.context().wrong(root.at, "`[[example]]` is missing");
    }
    for t in &all {
        let _: Example = example(t);
    }
}

fn example(t: &Table) -> Example {
    let texts = |key| t.texts(key).iter().map(|n| n.text).collect::<Vec<_>>();
    let made = Example {
        at: t.at,
        run: t.text("run").map_or("", |r| r.text),
        effects: texts("effects"),
        with: t.has("with").then(|| texts("with")),
        stdin: t.text("stdin").map(|s| s.text),
        stdout: t.text("stdout").map(|s| s.text),
        doubts: texts("doubts"),
    };
    let wrong = |reason: String| t.context().wrong(t.at, reason);
    if made.run.trim().is_empty() {
        wrong("an example needs `run`".into());
    }
    if !t.has("effects") {
        wrong("an example needs `effects` (`[]` for none)".into());
    }
    for e in &made.effects {
        let verb = e.split_whitespace().next().unwrap_or_default();
        if Verb::from_name(verb).is_none() {
            wrong(format!("effect `{e}`: `{verb}` is no verb"));
        }
    }
    for p in made.with.iter().flatten() {
        if Props::from_name(p).is_none() {
            wrong(format!("`{p}` is no property"));
        }
    }
    if made.stdin.is_some_and(|s| Stdin::from_name(s).is_none()) {
        wrong("unknown stdin".into());
    }
    if made.stdout.is_some_and(|s| Stdout::from_name(s).is_none()) {
        wrong("unknown stdout".into());
    }
    t.finish();
    made
}
