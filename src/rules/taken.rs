//! What becomes of content that was got: it is installed, built, applied, trusted, kept as a program.
//!
//! In: fetches and clones. Out: the effect that puts the content to use, for the rules about how it came.

use super::Facts;
use crate::effect::path::Mark;
use crate::effect::{Effect, Object, Props, Verb};

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

/// What another program sets up with the content: keys that are trusted, a cluster (`curl u | apt-key add -`).
pub(super) fn set_up_by<'f>(facts: &'f Facts<'_>, got: &Effect) -> Option<&'f Effect> {
    facts
        .with(&[Verb::Configure, Verb::ResourceChange])
        .find(|o| o.process != got.process && puts_to_use(o) && facts.sources(o).iter().any(|r| r.from == got.id))
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

/// Where content that was got is kept as a program: among the programs that are found by their names, or made executable;
/// or as what decides about programs and logins.
pub(super) fn made_program<'f>(facts: &'f Facts<'_>, got: &Effect) -> Option<&'f Effect> {
    facts.with(&[Verb::Write, Verb::Append]).find(|w| {
        if w.props.has(Props::HEAD_ONLY) || !facts.sources(w).iter().any(|r| r.from == got.id) {
            return false;
        }
        let Some(place) = facts.path(w) else { return false };
        let runs = |m: &&Effect| m.id > w.id && m.props.has(Props::EXECUTABLE);
        let made =
            || facts.with(&[Verb::Mode]).filter(runs).filter_map(|m| facts.path(m)).any(|p| p.text == place.text);
        place.marks.any(DECIDE) || made()
    })
}
