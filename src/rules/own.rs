//! Files of the project that are run as they lie there: `python3 tool.py`, `./run.sh`, `. env/bin/activate`.
//!
//! In: processes and what they execute and evaluate. Out: those that run nothing but such files, where the stance
//! [`crate::options::Stances::project_code`] takes the project's own code for safe. What the text itself wrote is known,
//! and judged as such where it is run by its name; where tests or a build may pick it up, the project's code is no longer
//! what it was. What it fetched or unpacked has other effects, which end *safe*.

use super::Facts;
use crate::effect::path::Class;
use crate::effect::{Effect, EffectId, Object, ProcessId, Verb};
use crate::value::{Piece, Value, Why};
use std::collections::HashSet;

/// Verbs that bring a file from elsewhere.
const BRINGS: &[Verb] = &[Verb::Extract, Verb::Clone, Verb::Fetch, Verb::Move, Verb::Link];

/// Verbs that put text into a file.
const LAYS: &[Verb] = &[Verb::Write, Verb::Append, Verb::Update, Verb::Move, Verb::Link];

/// Endings of the names of files that people read, and nothing runs or obeys.
const READ: &[&str] = &[
    "md", "markdown", "txt", "rst", "adoc", "org", "log", "out", "err", "csv", "tsv", "diff", "patch", "pdf", "png",
    "jpg", "jpeg", "gif", "svg", "css", "html", "tex",
];

/// Words in the names of files that do more than test and build.
const BEYOND: &[&str] = &[
    "deploy",
    "deployment",
    "publish",
    "release",
    "destroy",
    "teardown",
    "install",
    "uninstall",
    "reset",
    "rollback",
    "provision",
    "upload",
    "push",
    "prod",
    "production",
    "purge",
    "wipe",
    "drop",
    "nuke",
];

/// What of the text runs the project's own code and nothing else.
pub(super) struct Own {
    scripts: HashSet<ProcessId>,
    /// The first effect that lays down a file which the project's tests or its build may take up.
    laid: Option<EffectId>,
}

impl Own {
    /// What the stance takes for the project's own.
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        if !facts.options.stances.project_code {
            return Own { scripts: HashSet::new(), laid: None };
        }
        let laid = facts.with(LAYS).filter(|e| is_laid(facts, e)).map(|e| e.id).min();
        Own { scripts: scripts(facts), laid }
    }
    /// True where what that process runs is a file of the project.
    pub(super) fn has(&self, process: ProcessId) -> bool {
        self.scripts.contains(&process)
    }
    /// True where the text has laid down, before that effect, what may be a part of the project's code.
    pub(super) fn is_changed(&self, e: &Effect) -> bool {
        self.laid.is_some_and(|l| l < e.id)
    }
}

/// True for a file of the project that is more than something to read.
fn is_laid(facts: &Facts<'_>, e: &Effect) -> bool {
    let path = if e.verb == Verb::Move { facts.other_path(e) } else { facts.path(e) };
    let Some(p) = path.filter(|p| p.class == Class::Project) else { return false };
    let name = p.parts.last().map(|n| n.show().to_ascii_lowercase()).unwrap_or_default();
    let read = name.rsplit_once('.').is_some_and(|(_, ending)| READ.contains(&ending));
    !read || !p.marks.is_empty()
}

/// The processes whose code is the project's own.
fn scripts(facts: &Facts<'_>) -> HashSet<ProcessId> {
    let mut own = HashSet::new();
    if BRINGS.iter().any(|v| facts.any(*v)) {
        return own;
    }
    let mut others = HashSet::new();
    for e in facts.with(&[Verb::Execute, Verb::Evaluate]) {
        match runs(facts, e) {
            Some(true) => own.insert(e.process),
            Some(false) => others.insert(e.process),
            None => continue,
        };
    }
    own.retain(|p| !others.contains(p));
    own
}

/// True where what is run is a file of the project, false where it is anything else that is not known.
fn runs(facts: &Facts<'_>, e: &Effect) -> Option<bool> {
    let inside =
        |e: &Effect| facts.path(e).is_some_and(|p| p.class == Class::Project && p.is_known() && !is_beyond(&p.text));
    match &e.object {
        Object::Path(_) => Some(inside(e)),
        Object::Stated(_) => None,
        Object::Code(_, v) if v.is_known() => None,
        Object::Code(_, v) => {
            let mut reads = facts.with(&[Verb::Read]).filter(|r| r.process == e.process);
            Some(reads.any(|r| inside(r) && is_content(v, &r.object)))
        }
        _ => Some(false),
    }
}

/// True for a script that by its name deploys, publishes or takes away (`deploy.sh`, `scripts/release-all`).
fn is_beyond(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| BEYOND.contains(&word))
}

/// True where code is the content of that file and nothing else.
fn is_content(code: &Value, file: &Object) -> bool {
    let [Piece::Unknown(u)] = code.pieces.as_slice() else { return false };
    matches!((&u.why, file.value()), (Why::File(name), Some(path)) if *name == path.show())
}
