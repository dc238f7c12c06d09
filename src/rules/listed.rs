//! Things with a name that mean something by themselves: `grammars/lists/things.list`.
//!
//! In: effects whose object has a name (a unit, a process, a key of the registry, a stated noun), names of programs and
//! of files that are run or fetched. Out: the findings that the list gives them, for the rules that it names.

use super::{Facts, Findings, Rule};
use crate::effect::{Effect, Object, Props, Verb};
use crate::finding::Severity;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

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
    rule: &'static str,
    severity: Severity,
    technique: Option<&'static str>,
    deed: Deed,
    noun: &'static str,
    /// In lower case.
    pattern: &'static str,
    why: &'static str,
}

const TEXT: &str = include_str!("../../grammars/lists/things.list");

/// What the list has for one rule. Every rule asks in every check, so what it asks for is at hand.
#[derive(Default)]
struct Group {
    /// What effects are compared with.
    deeds: Vec<Entry>,
    /// The verbs of these; whatever may end a thing where one of them asks for that.
    verbs: Vec<Verb>,
    /// [`Deed::Run`].
    runs: Vec<Entry>,
    /// [`Deed::Search`].
    searches: Vec<Entry>,
}

impl Group {
    fn all(&self) -> impl Iterator<Item = &Entry> {
        self.deeds.iter().chain(&self.runs).chain(&self.searches)
    }
}

fn list() -> &'static HashMap<&'static str, Group> {
    static LIST: OnceLock<HashMap<&'static str, Group>> = OnceLock::new();
    LIST.get_or_init(|| {
        let mut groups: HashMap<&'static str, Group> = HashMap::new();
        for entry in TEXT.lines().filter_map(entry) {
            let group = groups.entry(entry.rule).or_default();
            let verbs: &[Verb] = match &entry.deed {
                Deed::Verb(verb) => std::slice::from_ref(verb),
                Deed::Ended => &ENDING,
                Deed::Run | Deed::Search => &[],
            };
            for verb in verbs {
                if !group.verbs.contains(verb) {
                    group.verbs.push(*verb);
                }
            }
            match entry.deed {
                Deed::Run => group.runs.push(entry),
                Deed::Search => group.searches.push(entry),
                Deed::Verb(_) | Deed::Ended => group.deeds.push(entry),
            }
        }
        groups
    })
}

/// The verbs that can end a thing.
const ENDING: [Verb; 4] = [Verb::Kill, Verb::Uninstall, Verb::Delete, Verb::Service];

fn entry(line: &'static str) -> Option<Entry> {
    let mut w = line.trim().splitn(6, ' ');
    let (rule, severity, technique) = (w.next()?, w.next()?, w.next()?);
    let (deed, what, why) = (w.next()?, w.next()?, w.next()?);
    let severity = match severity {
        "high" => Severity::High,
        "medium" => Severity::Medium,
        "low" => Severity::Low,
        "info" => Severity::Info,
        _ => return None,
    };
    let deed = match deed {
        "ended" => Deed::Ended,
        "run" => Deed::Run,
        "search" => Deed::Search,
        verb => Deed::Verb(Verb::from_name(verb)?),
    };
    let (noun, pattern) = what.split_once('=').unwrap_or((what, "*"));
    let technique = (technique != "-").then_some(technique);
    Some(Entry { rule, severity, technique, deed, noun, pattern, why })
}

/// The part of a name that counts: without directories, without the ending of Windows' programs.
fn base_name(text: &str) -> &str {
    let base = text.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(text);
    match base.split_at_checked(base.len().saturating_sub(4)) {
        Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
        _ => base,
    }
}

/// The kind of thing that an effect is about, and its name.
fn named(facts: &Facts<'_>, e: &Effect) -> Option<(&'static str, String)> {
    Some(match &e.object {
        Object::Stated(s) => (s, String::new()),
        Object::Named(kind, v) => (kind, v.show()),
        Object::Package(_, v) => ("package", v.show()),
        Object::Path(_) => ("path", facts.path(e)?.text.clone()),
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
    list().get(rule).is_some_and(|g| g.all().any(|x| x.noun == noun && is_like(x.pattern, name)))
}

/// Finds what the list says under that rule's name.
pub(super) fn listed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let Some(mine) = list().get(rule.id) else { return };
    for e in facts.effects().filter(|e| mine.verbs.contains(&e.verb)) {
        let wanted = |x: &&Entry| match x.deed {
            Deed::Verb(v) => v == e.verb,
            Deed::Ended => ends(facts, e),
            Deed::Run | Deed::Search => false,
        };
        let mut entries = mine.deeds.iter().filter(wanted).peekable();
        if entries.peek().is_none() || (facts.contained(e) && e.verb != Verb::Secret) {
            continue;
        }
        let Some((noun, name)) = named(facts, e) else { continue };
        let base = base_name(&name);
        let hit = entries.find(|x| match x.deed {
            Deed::Ended => is_like(x.pattern, base),
            _ => x.noun == noun && is_like(x.pattern, &name),
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

/// Programs and files whose own name is listed.
fn runs(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let mut seen = HashSet::new();
    for p in facts.graph.processes.iter().filter(|p| !p.argv.is_empty() && !asks_for_help(p)) {
        let name = base_name(&p.name);
        if let Some(x) = entries.iter().find(|x| x.noun != "file" && is_like(x.pattern, name))
            && seen.insert(name.to_ascii_lowercase())
        {
            let name = name.to_ascii_lowercase();
            let mut d = found(rule.at(facts, p.place), x, x.severity);
            d = d.title(format!("{}: {name}", rule.title)).evidence("command_pattern", x.why, p.place);
            out.add(d);
        }
    }
    for e in facts.with(&[Verb::Read, Verb::Execute, Verb::Fetch, Verb::Clone, Verb::Install]) {
        let name = match &e.object {
            // A file that is only looked at is not run.
            Object::Path(_) if e.verb == Verb::Read && !evaluates(facts, e) => continue,
            Object::Path(_) => facts.path(e).and_then(|p| p.name().map(|n| base_name(n).to_ascii_lowercase())),
            Object::Url(v) => {
                // Names may stand in any part of the path: `…/OWNER/TOOL/releases/download/v1/tool_linux`.
                let text = v.show();
                let hit = text
                    .split('/')
                    .skip(3)
                    .map(|part| base_name(part.split(['?', '#']).next().unwrap_or(part)).to_ascii_lowercase());
                let stem = |n: String| n.strip_suffix(".git").map(str::to_string).unwrap_or(n);
                hit.map(stem).find(|n| entries.iter().any(|x| is_like(x.pattern, n)))
            }
            Object::Package(_, v) => Some(base_name(&v.show()).to_ascii_lowercase()),
            _ => None,
        };
        let Some(name) = name else { continue };
        if let Some(x) = entries.iter().find(|x| is_like(x.pattern, &name))
            && seen.insert(name.clone())
        {
            out.add(found(rule.about(facts, e), x, x.severity).title(format!("{}: {name}", rule.title)).evidence(
                "command_pattern",
                x.why,
                facts.command_place(e),
            ));
        }
    }
}

/// `x --help`, `x -v`: nothing but a question about the program.
fn asks_for_help(p: &crate::effect::graph::Process) -> bool {
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
    fn every_line_of_the_list_is_an_entry_of_a_rule() {
        let all: Vec<&Entry> = list().values().flat_map(Group::all).collect();
        assert_eq!(all.len(), TEXT.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).count());
        for x in all {
            assert!(crate::rules::all().any(|r| r.id == x.rule), "no rule {}", x.rule);
            assert_eq!(x.pattern, x.pattern.to_ascii_lowercase(), "names are compared in lower case");
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
