//! Files of the project that are run as they lie there: `python3 tool.py`, `./run.sh`, `. env/bin/activate`.
//!
//! In: processes and what they execute and evaluate. Out: those that run nothing but such files, where the stance
//! [`crate::options::Stances::project_code`] takes the project's own code for safe. What the text itself wrote is known,
//! and judged as such; what it fetched or unpacked has other effects, which end *safe*.

use super::Facts;
use crate::effect::path::Class;
use crate::effect::{Effect, Object, ProcessId, Verb};
use crate::value::{Piece, Value, Why};
use std::collections::HashSet;

/// Verbs that bring a file from elsewhere.
const BRINGS: &[Verb] = &[Verb::Extract, Verb::Clone, Verb::Fetch, Verb::Move, Verb::Link];

/// The processes whose code is the project's own.
pub(super) fn scripts(facts: &Facts<'_>) -> HashSet<ProcessId> {
    let mut own = HashSet::new();
    if !facts.options.stances.project_code || BRINGS.iter().any(|v| facts.any(*v)) {
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
    let inside = |e: &Effect| facts.path(e).is_some_and(|p| p.class == Class::Project && p.is_known());
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

/// True where code is the content of that file and nothing else.
fn is_content(code: &Value, file: &Object) -> bool {
    let [Piece::Unknown(u)] = code.pieces.as_slice() else { return false };
    matches!((&u.why, file.value()), (Why::File(name), Some(path)) if *name == path.show())
}
