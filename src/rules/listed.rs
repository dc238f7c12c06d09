//! Things with a name that mean something by themselves: `grammars/lists/things.list`.
//!
//! In: effects whose object has a name (a unit, a process, a key of the registry, a stated noun), names of programs and
//! of files that are run or fetched. Out: the findings that the list gives them, for the rules that it names.

use super::{Facts, Findings, Rule};
use crate::effect::graph::Process;
use crate::effect::{Effect, Object, Props, Verb};
use crate::finding::Severity;
use smallvec::SmallVec;

/// What has to happen to the thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// It is done by an effect with that verb.
    Verb(Verb),
    /// It is stopped, ended, removed.
    Ended,
    /// A program or file of that name is run, fetched or installed.
    Run,
    /// Rules ask for it by [`is_listed`].
    Search,
}

struct Entry {
    severity: Severity,
    technique: Option<&'static str>,
    deed: Deed,
    noun: &'static str,
    /// In lower case.
    pattern: &'static str,
    why: &'static str,
}

/// What the list has for one rule. Every rule asks in every check, so what it asks for is at hand.
pub(super) struct Group {
    /// Its id.
    rule: &'static str,
    /// What effects are compared with.
    deeds: &'static [Entry],
    /// Which of these effects with a verb are compared with.
    verbs: &'static [(Verb, &'static [u16])],
    /// The bits of these verbs.
    mask: u64,
    /// [`Deed::Run`].
    runs: Runs,
    /// [`Deed::Search`].
    searches: &'static [Entry],
}

/// Names of programs and files, by the byte that they begin with: there are hundreds, and each program is looked up.
struct Runs {
    all: &'static [Entry],
    /// Which of them may stand for a name with that first byte.
    by_first: &'static [(u8, &'static [u16])],
    /// A bit for each first byte of a name that any of them may stand for.
    firsts: Firsts,
    /// Which may stand for any other name.
    open: &'static [u16],
}

/// A bit for each first byte of a name.
type Firsts = [u64; 4];

impl Runs {
    /// The first that stands for the name.
    fn find(&self, name: &str, also: impl Fn(&Entry) -> bool) -> Option<&'static Entry> {
        let first = name.bytes().next().unwrap_or_default().to_ascii_lowercase();
        let at = self.by_first.binary_search_by_key(&first, |(b, _)| *b);
        let may = at.ok().and_then(|i| self.by_first.get(i)).map_or(self.open, |(_, may)| may);
        // Names with one beginning differ in the second letter mostly.
        let second = name.as_bytes().get(1).map(|b| b.to_ascii_lowercase());
        let may_be = |x: &&Entry| match x.pattern.as_bytes() {
            [b'*' | b'?', ..] | [_, b'*' | b'?', ..] => true,
            pattern => pattern.get(1).copied() == second,
        };
        let may = may.iter().filter_map(|i| self.all.get(usize::from(*i))).filter(may_be);
        may.into_iter().find(|x| also(x) && is_like(x.pattern, name))
    }
}

// `GROUPS`: the list, as the build reads it, in the order of the rules' ids.
include!(concat!(env!("OUT_DIR"), "/things.rs"));

/// What the list has for the rule with that id.
fn group(rule: &str) -> Option<&'static Group> {
    GROUPS.binary_search_by(|g| g.rule.cmp(rule)).ok().and_then(|i| GROUPS.get(i))
}

impl Group {
    fn all(&self) -> impl Iterator<Item = &Entry> {
        self.deeds.iter().chain(self.runs.all).chain(self.searches)
    }
}

/// The part of a name that counts: without directories, without the ending of Windows' programs.
fn base_name(text: &str) -> &str {
    let base = text.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(text);
    match base.split_at_checked(base.len().saturating_sub(4)) {
        Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
        _ => base,
    }
}

/// The kind of thing that an effect is about.
fn noun(e: &Effect) -> Option<&'static str> {
    Some(match &e.object {
        Object::Stated(s) => s,
        Object::Named(kind, _) => kind,
        Object::Package(..) => "package",
        Object::Path(_) => "path",
        _ => return None,
    })
}

/// Its name.
fn name_of(facts: &Facts<'_>, e: &Effect) -> Option<String> {
    Some(match &e.object {
        Object::Stated(_) => String::new(),
        Object::Named(_, v) | Object::Package(_, v) => v.show(),
        Object::Path(_) => facts.path(e)?.text.clone(),
        _ => return None,
    })
}

/// True where the thing stops to be, or to work.
fn ends(facts: &Facts<'_>, e: &Effect) -> bool {
    let props = facts.props(e);
    let stays = props.has(Props::START) || props.has(Props::ENABLE);
    match e.verb {
        Verb::Kill | Verb::Uninstall | Verb::Delete => true,
        Verb::Service => !stays && (props.has(Props::STOP) || props.has(Props::DISABLE)),
        _ => false,
    }
}

/// True where the list has the name as a thing of that kind, whatever is done to it (`search`), for that rule.
pub(super) fn is_listed(rule: &str, noun: &str, name: &str) -> bool {
    group(rule).is_some_and(|g| g.all().any(|x| x.noun == noun && is_like(x.pattern, name)))
}

/// Finds what the list says under that rule's name.
pub(super) fn listed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let Some(mine) = facts.running().groups.iter().find(|g| g.rule == rule.id) else { return };
    let mut effects: Vec<(&Effect, &[u16])> = Vec::new();
    for (verb, entries) in mine.verbs.iter().filter(|(v, _)| facts.any(*v)) {
        effects.extend(facts.with(std::slice::from_ref(verb)).map(|e| (e, *entries)));
    }
    effects.sort_unstable_by_key(|(e, _)| e.id);
    for (e, entries) in effects {
        let Some(noun) = noun(e) else { continue };
        let wanted = |x: &&Entry| if x.deed == Deed::Ended { ends(facts, e) } else { x.noun == noun };
        let mut entries = entries.iter().filter_map(|i| mine.deeds.get(usize::from(*i))).filter(wanted).peekable();
        if entries.peek().is_none() || (facts.contained(e) && e.verb != Verb::Secret) {
            continue;
        }
        let Some(name) = name_of(facts, e) else { continue };
        let base = base_name(&name);
        let hit = entries.find(|x| match x.deed {
            Deed::Ended => is_like(x.pattern, base),
            _ => is_like(x.pattern, &name),
        });
        if let Some(x) = hit {
            let shown = e.object.show();
            let mut severity = x.severity;
            if facts.asks(e) {
                severity = severity.min(Severity::Info);
            }
            out.add(
                found(rule.about(facts, e), x, severity)
                    .title(format!("{}: {}", rule.title, if shown.is_empty() { facts.name(e) } else { &shown }))
                    .evidence("command_pattern", x.why, facts.command_place(e)),
            );
        }
    }
    runs(facts, rule, out, &mine.runs);
}

fn found<'f, 'a>(draft: super::Draft<'f, 'a>, x: &Entry, severity: Severity) -> super::Draft<'f, 'a> {
    let draft = draft.severity(severity);
    match x.technique {
        Some(t) => draft.mitre(t),
        None => draft,
    }
}

/// The names under which programs and files run: several rules look for theirs among them.
pub(super) struct Running<'a> {
    /// The groups of the list that may have one of them, or something to say of an effect: nearly always few or none.
    groups: SmallVec<[&'static Group; 4]>,
    processes: Vec<(&'a Process, &'a str)>,
    /// Names in lower case.
    effects: Vec<(&'a Effect, Vec<String>)>,
}

impl<'a> Running<'a> {
    pub(super) fn of(facts: &Facts<'a>) -> Self {
        let run = facts.graph.processes.iter().filter(|p| !p.argv.is_empty() && !asks_for_help(p));
        let processes: Vec<(&Process, &str)> = run.map(|p| (p, base_name(&p.name))).collect();
        let got = facts.with(&[Verb::Read, Verb::Execute, Verb::Fetch, Verb::Clone, Verb::Install]);
        let effects: Vec<(&Effect, Vec<String>)> =
            got.map(|e| (e, run_names(facts, e))).filter(|(_, names)| !names.is_empty()).collect();
        let mut firsts: Firsts = [0; 4];
        for name in processes.iter().map(|(_, n)| *n).chain(effects.iter().flat_map(|(_, all)| all).map(String::as_str))
        {
            let first = name.bytes().next().unwrap_or_default().to_ascii_lowercase();
            if let Some(bits) = firsts.get_mut(usize::from(first / 64)) {
                *bits |= 1 << (first % 64);
            }
        }
        let may = |g: &&Group| {
            let named = g.runs.firsts.iter().zip(&firsts).any(|(a, b)| a & b != 0);
            named || facts.any_of(g.mask)
        };
        Running { groups: GROUPS.iter().filter(may).collect(), processes, effects }
    }
}

fn run_names(facts: &Facts<'_>, e: &Effect) -> Vec<String> {
    let lower = |name: &str| base_name(name).to_ascii_lowercase();
    match &e.object {
        // A file that is only looked at is not run.
        Object::Path(_) if e.verb == Verb::Read && !evaluates(facts, e) => Vec::new(),
        Object::Path(_) => facts.path(e).and_then(|p| p.name()).map(lower).into_iter().collect(),
        Object::Url(v) => {
            // Names may stand in any part of the path: `…/OWNER/TOOL/releases/download/v1/tool_linux`.
            let text = v.show();
            let parts = text.split('/').skip(3).map(|part| lower(part.split(['?', '#']).next().unwrap_or(part)));
            parts.map(|n| n.strip_suffix(".git").map(str::to_string).unwrap_or(n)).collect()
        }
        Object::Package(_, v) => vec![lower(&v.show())],
        _ => Vec::new(),
    }
}

/// Programs and files whose own name is listed.
fn runs(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, entries: &Runs) {
    if entries.all.is_empty() {
        return;
    }
    let running = facts.running();
    let mut seen: Vec<String> = Vec::new();
    for (p, name) in &running.processes {
        let Some(x) = entries.find(name, |x| x.noun != "file") else { continue };
        let name = name.to_ascii_lowercase();
        if !seen.contains(&name) {
            let mut d = found(rule.at(facts, p.place), x, x.severity);
            d = d.title(format!("{}: {name}", rule.title)).evidence("command_pattern", x.why, p.place);
            out.add(d);
            seen.push(name);
        }
    }
    for (e, names) in &running.effects {
        let hit = names.iter().find_map(|n| entries.find(n, |_| true).map(|x| (n, x)));
        let Some((name, x)) = hit else { continue };
        if !seen.contains(name) {
            out.add(found(rule.about(facts, e), x, x.severity).title(format!("{}: {name}", rule.title)).evidence(
                "command_pattern",
                x.why,
                facts.command_place(e),
            ));
            seen.push(name.clone());
        }
    }
}

/// `x --help`, `x -v`: nothing but a question about the program.
fn asks_for_help(p: &Process) -> bool {
    match p.argv.as_slice() {
        [_, only] => only.as_str().is_some_and(|w| matches!(&*w, "--help" | "-h" | "--version" | "-v" | "-V" | "help")),
        _ => false,
    }
}

fn evaluates(facts: &Facts<'_>, read: &Effect) -> bool {
    facts.with(&[Verb::Evaluate]).any(|e| e.process == read.process)
}

/// `*` and `?` in a pattern against a name, without recursion. The pattern is in lower case, the name in any.
fn is_like(pattern: &str, name: &str) -> bool {
    let (p, n) = (pattern.as_bytes(), name.as_bytes());
    let (mut i, mut j, mut star) = (0usize, 0usize, None::<(usize, usize)>);
    while j < n.len() {
        match p.get(i) {
            Some(b'*') => {
                star = Some((i, j));
                i = i.saturating_add(1);
            }
            Some(c) if *c == b'?' || n.get(j).is_some_and(|b| b.eq_ignore_ascii_case(c)) => {
                i = i.saturating_add(1);
                j = j.saturating_add(1);
            }
            _ => match star {
                Some((s, from)) => {
                    star = Some((s, from.saturating_add(1)));
                    i = s.saturating_add(1);
                    j = from.saturating_add(1);
                }
                None => return false,
            },
        }
    }
    p.get(i..).is_none_or(|rest| rest.iter().all(|c| *c == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_of_a_rule() {
        assert!(GROUPS.iter().flat_map(Group::all).count() > 500);
        for group in GROUPS {
            assert!(crate::rules::all().any(|r| r.id == group.rule), "no rule {}", group.rule);
            for x in group.all() {
                assert_eq!(x.pattern, x.pattern.to_ascii_lowercase(), "names are compared in lower case");
            }
        }
    }

    #[test]
    fn patterns_hold_for_whole_names() {
        assert!(is_like("*\\currentversion\\run*", "hkcu\\software\\microsoft\\windows\\currentversion\\runonce"));
        assert!(is_like("falcon*", "falcon-sensor") && !is_like("falcon", "falcon-sensor"));
        assert!(is_like("falcon*", "Falcon-Sensor"));
        assert!(!is_like("a*b*c", "abd") && is_like("a*b*c", "axxbxxc"));
        assert_eq!(base_name("C:\\Tools\\Mimikatz.EXE"), "Mimikatz");
    }
}
