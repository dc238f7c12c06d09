//! What becomes of content that was got: it is installed, built, applied, trusted, kept as a program.
//!
//! In: fetches and clones. Out: the effect that puts the content to use, for the rules about how it came.

use super::Facts;
use crate::effect::path::Mark;
use crate::effect::{Effect, EffectId, Object, Props, Verb};
use std::collections::HashMap;

/// What the stated settings are that decide which packages are trusted, and where they come from.
const TRUSTS: &[&str] = &["trusted-keys", "keys", "package-sources"];

/// True for an effect by which content is put to use: packages are installed or built, a cluster is changed, keys are
/// trusted.
fn puts_to_use(e: &Effect) -> bool {
    match (e.verb, &e.object) {
        (Verb::Install | Verb::ResourceChange, _) => true,
        (Verb::Configure, Object::Stated(what)) => TRUSTS.contains(what),
        (Verb::Create, Object::Stated(what)) => matches!(*what, "image" | "build-output"),
        (Verb::Evaluate, Object::Stated(_)) => true,
        (Verb::Spawn, Object::Stated(what)) => *what == "containers",
        _ => false,
    }
}

/// True where the program that gets it puts to use what it gets.
pub(super) fn is_taken_in(facts: &Facts<'_>, got: &Effect) -> bool {
    const USES: &[Verb] =
        &[Verb::Install, Verb::ResourceChange, Verb::Configure, Verb::Create, Verb::Evaluate, Verb::Spawn];
    // What goes on to standard output or into a file is judged where it ends.
    facts.with(USES).any(|o| o.process == got.process && puts_to_use(o))
}

/// What another program sets up with the content of each effect: keys that are trusted, a cluster (`curl u | apt-key add -`).
/// In one pass over all, for [`Facts::set_up_by`]; the first counts.
pub(super) fn set_up(facts: &Facts<'_>) -> HashMap<EffectId, EffectId> {
    let mut out = HashMap::new();
    for o in facts.with(&[Verb::Configure, Verb::ResourceChange]).filter(|o| puts_to_use(o)) {
        for r in facts.sources(o) {
            if facts.graph.effect(r.from).is_some_and(|from| from.process != o.process) {
                out.entry(r.from).or_insert(o.id);
            }
        }
    }
    out
}

/// Marks of files that decide what runs, who may log in, and whose packages and certificates are trusted.
const DECIDE: &[Mark] = &[
    Mark::SearchPath,
    Mark::Program,
    Mark::Keys,
    Mark::Trust,
    Mark::SshAccess,
    Mark::Service,
    Mark::Schedule,
    Mark::ShellStartup,
    Mark::LoginStartup,
    Mark::Loader,
    Mark::Privilege,
    Mark::RepositoryHook,
];

/// Where the content of each effect is kept as a program: among the programs that are found by their names, or made
/// executable; or as what decides about programs and logins. In one pass over all, for [`Facts::kept_as_program`]; the
/// first counts.
pub(super) fn kept_as_programs(facts: &Facts<'_>) -> HashMap<EffectId, EffectId> {
    let runs = facts.with(&[Verb::Mode]).filter(|m| m.props.has(Props::EXECUTABLE));
    // In the order of the effects: the last one of each path stays.
    let made: HashMap<&str, EffectId> = runs.filter_map(|m| Some((facts.path(m)?.text.as_str(), m.id))).collect();
    let mut out = HashMap::new();
    for w in facts.with(&[Verb::Write, Verb::Append]).filter(|w| !w.props.has(Props::HEAD_ONLY)) {
        let Some(place) = facts.path(w) else { continue };
        if place.marks.any(DECIDE) || made.get(place.text.as_str()).is_some_and(|m| *m > w.id) {
            for r in facts.sources(w) {
                out.entry(r.from).or_insert(w.id);
            }
        }
    }
    out
}
