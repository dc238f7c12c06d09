//! How grave stated effects are: `grammars/lists/grades.list`.
//!
//! In: effects that grammars state in words. Out: their grade, and the findings of rules that rest on it alone.

use super::{Facts, Findings, Rule};
use crate::effect::{Effect, Object, Props, Verb};
use crate::finding::Severity;
use crate::value::{Piece, Taint, Value, Why};

/// A grade of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    /// No finding.
    None,
    /// A finding of that severity; with `true` no mode may let it through.
    Of(Severity, bool),
    /// A finding of that severity where many go at once, else information.
    Many(Severity),
}

struct Entry {
    verb: Verb,
    object: &'static str,
    /// Values that it must have, `a|b`; `None` for any.
    values: Option<&'static str>,
    grade: Grade,
    why: &'static str,
}

// `GRADES`: the list, as the build reads it.
include!(concat!(env!("OUT_DIR"), "/grades.rs"));

/// What the list says of an effect: how severe it is, whether it is on the floor, and why; `None` for no finding.
pub(super) fn of(facts: &Facts<'_>, e: &Effect) -> Option<(Severity, bool, &'static str)> {
    let noun = match &e.object {
        Object::Stated(s) | Object::Named(s, _) => s,
        _ => "*",
    };
    // A grammar's example may state the noun with its value.
    let noun = noun.split(':').next().unwrap_or(noun);
    let value = e.object.value().and_then(Value::as_str).map(|v| v.to_ascii_lowercase());
    let find = |o: &str| GRADES.iter().find(|x| x.verb == e.verb && x.object == o && x.values.is_none());
    let special = GRADES.iter().find(|x| {
        let has = |values: &str| value.as_deref().is_some_and(|v| values.split('|').any(|x| x == v));
        x.verb == e.verb && x.object == noun && x.values.is_some_and(has)
    });
    let entry = special.or_else(|| find(noun)).or_else(|| find("*"))?;
    let many = [Props::ALL, Props::RECURSIVE, Props::FORCE, Props::VOLUMES, Props::GLOBAL];
    match entry.grade {
        Grade::None => None,
        Grade::Of(s, floor) => Some((s, floor, entry.why)),
        Grade::Many(s) if many.iter().any(|p| facts.props(e).has(*p)) || is_list(facts, e) => {
            Some((s, false, entry.why))
        }
        Grade::Many(_) => Some((Severity::Info, false, entry.why)),
    }
}

/// True where what goes is not named but comes from a list: `redis-cli keys '*' | xargs redis-cli del`.
fn is_list(facts: &Facts<'_>, e: &Effect) -> bool {
    let open = |v: &Value| {
        v.pieces
            .iter()
            .any(|p| matches!(p, Piece::Unknown(u) if matches!(u.why, Why::Output(_) | Why::Names(_) | Why::Stdin | Why::Near(_) | Why::File(_))))
    };
    e.verb == Verb::DataDelete && facts.process(e).is_some_and(|p| p.argv.iter().any(open))
}

/// Finds every effect with that verb, as grave as the list says.
pub(super) fn graded(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, verb: Verb) {
    for e in facts.with(&[verb]) {
        // What happens in a container stays there, but for its own resources.
        let elsewhere = facts.contained(e) && !matches!(verb, Verb::ResourceDelete | Verb::DataDelete);
        if elsewhere || facts.props(e).has(Props::RECOVERABLE) {
            continue;
        }
        let Some((mut severity, floor, why)) = of(facts, e) else { continue };
        // A repository that the same text has just cloned holds nothing that could be lost.
        if verb == Verb::VcsDiscard && is_new(facts, e) {
            severity = severity.min(Severity::Info);
        }
        // `dropdb -i x`, `git restore -p`: a person is asked before anything happens.
        if facts.asks(e) {
            severity = severity.min(Severity::Info);
        }
        // `crontab -e`, `at now`: a person is asked what to lay down.
        let given = facts.process(e).is_some_and(|p| p.stdin.as_ref().is_some_and(|v| !v.pieces.is_empty()));
        let laid = [Verb::Read, Verb::Evaluate, Verb::Spawn, Verb::Execute];
        let says =
            |r: &Effect| !matches!(&r.object, Object::Code(_, v) if v.as_str().is_none_or(|t| t.trim().is_empty()));
        let reads = || facts.with(&laid).any(|r| r.process == e.process && says(r));
        if verb == Verb::Schedule && !given && !facts.props(e).has(Props::REMOVE) && e.inputs.is_empty() && !reads() {
            severity = severity.min(Severity::Info);
        }
        let shown = e.object.show();
        let what = match facts.short_command(e) {
            Some(words) => words,
            None if shown.is_empty() => facts.name(e).to_string(),
            None => format!("{} {shown}", facts.name(e)),
        };
        out.add(
            rule.about(facts, e)
                .severity(severity)
                .floor(floor)
                .title(format!("{}: {}", rule.title, what.trim()))
                .evidence("command_pattern", why, facts.command_place(e)),
        );
    }
}

/// True where the text cloned the repository of that effect before, or made the worktree that goes: git clones into no
/// directory that holds anything.
fn is_new(facts: &Facts<'_>, e: &Effect) -> bool {
    let by = |p| move |x: &&Effect| x.process == p;
    let gone = || facts.with(&[Verb::Delete]).filter(by(e.process)).filter_map(|d| facts.path(d));
    let checked_out = |c: &&Effect| c.id < e.id && facts.with(&[Verb::VcsChange]).any(|x| x.process == c.process);
    let made = |path: &str| {
        facts.with(&[Verb::Create]).filter(checked_out).any(|c| facts.path(c).is_some_and(|p| p.text == path))
    };
    if gone().next().is_some() && gone().all(|p| p.is_known() && made(&p.text)) {
        return true;
    }
    let here = facts.resolve(&Value::computed(b".", e.place, Taint::default()), e).text;
    let cloned = |x: &&Effect| x.id < e.id && matches!(x.object, Object::Stated("clone"));
    facts.with(&[Verb::VcsChange]).filter(cloned).any(|x| {
        let mut made = facts.with(&[Verb::Create]).filter(|c| c.process == x.process).filter_map(|c| facts.path(c));
        made.any(|p| here == p.text || here.starts_with(&format!("{}/", p.text)))
    })
}
