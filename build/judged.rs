//! The tables that rules compare effects with: things, grades, variables, aliases. The types are those of the modules
//! that include them.

use crate::vocabulary::Verb;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The verbs that can end a thing.
const ENDING: &[Verb] = &[Verb::Kill, Verb::Uninstall, Verb::Delete, Verb::Service];

/// A severity of a list, as Rust.
fn severity(word: &str) -> Option<&'static str> {
    Some(match word {
        "high" => "Severity::High",
        "medium" => "Severity::Medium",
        "low" => "Severity::Low",
        "info" => "Severity::Info",
        _ => return None,
    })
}

/// The first `N` words of a line; the last of them is the rest.
fn words<const N: usize>(line: &str) -> Option<[&str; N]> {
    let all: Vec<&str> = line.splitn(N, ' ').collect();
    all.try_into().ok()
}

/// What the list of things has for one rule.
#[derive(Default)]
struct Group<'a> {
    deeds: Vec<String>,
    /// For each verb the entries that it may be about.
    verbs: Vec<(Verb, Vec<usize>)>,
    runs: Vec<String>,
    /// The patterns of these.
    names: Vec<&'a str>,
    searches: Vec<String>,
}

/// For each first byte that a pattern has: the patterns that a name with it may fit, and those that fit names with any.
fn by_first(patterns: &[&str]) -> (Vec<(u8, Vec<usize>)>, Vec<usize>) {
    let first = |p: &&str| p.bytes().next().filter(|b| !b"*?".contains(b));
    let bytes: BTreeSet<u8> = patterns.iter().filter_map(first).collect();
    let may = |byte: Option<u8>| {
        let fits = move |(_, p): &(usize, &&str)| first(p).is_none_or(|b| Some(b) == byte);
        patterns.iter().enumerate().filter(fits).map(|(i, _)| i).collect()
    };
    (bytes.into_iter().map(|b| (b, may(Some(b)))).collect(), may(None))
}

/// A bit for each first byte of a name that a pattern may stand for.
fn firsts(by_first: &[(u8, Vec<usize>)], open: &[usize]) -> [u64; 4] {
    let mut bits = if open.is_empty() { [0; 4] } else { [u64::MAX; 4] };
    for (byte, _) in by_first {
        if let Some(all) = bits.get_mut(usize::from(byte / 64)) {
            *all |= 1 << (byte % 64);
        }
    }
    bits
}

/// A slice of slices, as Rust.
fn rows<K: std::fmt::Display>(rows: &[(K, Vec<usize>)]) -> String {
    rows.iter().map(|(key, all)| format!("({key}, &{all:?})")).collect::<Vec<_>>().join(", ")
}

/// By rule: what effects are compared with, their verbs, programs, patterns that the rule looks for itself.
pub(crate) fn things(lines: &[&str], out: &mut String) -> Result<(), String> {
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for line in lines {
        thing(line, &mut groups).ok_or(*line)?;
    }
    out.push_str("static GROUPS: &[Group] = &[\n");
    for (rule, g) in groups {
        let (deeds, runs, searches) = (g.deeds.join(", "), g.runs.join(", "), g.searches.join(", "));
        let mask = g.verbs.iter().fold(0u64, |all, (v, _)| all | v.bit());
        let verbs: Vec<_> = g.verbs.into_iter().map(|(v, all)| (format!("Verb::{v:?}"), all)).collect();
        let (first, open) = by_first(&g.names);
        let firsts = firsts(&first, &open);
        let (verbs, first) = (rows(&verbs), rows(&first));
        let _ = writeln!(
            out,
            "Group {{ rule: {rule:?}, deeds: &[{deeds}], verbs: &[{verbs}], mask: {mask}, searches: &[{searches}], \
             runs: Runs {{ all: &[{runs}], by_first: &[{first}], firsts: {firsts:?}, open: &{open:?} }} }},"
        );
    }
    out.push_str("];\n");
    Ok(())
}

fn thing<'a>(line: &'a str, groups: &mut BTreeMap<&'a str, Group<'a>>) -> Option<()> {
    let [rule, grave, technique, deed, what, why] = words(line)?;
    let grave = severity(grave)?;
    let technique = (technique != "-").then_some(technique);
    let (noun, pattern) = what.split_once('=').unwrap_or((what, "*"));
    let group = groups.entry(rule).or_default();
    let verb = Verb::from_name(deed);
    let name = match (deed, verb) {
        ("ended", _) => "Ended".to_string(),
        ("run", _) => "Run".to_string(),
        ("search", _) => "Search".to_string(),
        (_, verb) => format!("Verb(Verb::{:?})", verb?),
    };
    let entry = format!(
        "Entry {{ severity: {grave}, technique: {technique:?}, deed: Deed::{name}, noun: {noun:?}, pattern: {pattern:?}, \
         why: {why:?} }}"
    );
    let verbs: &[Verb] = match deed {
        "ended" => ENDING,
        _ => verb.as_slice(),
    };
    match deed {
        "run" => {
            group.runs.push(entry);
            group.names.push(pattern);
        }
        "search" => group.searches.push(entry),
        _ => {
            let at = group.deeds.len();
            group.deeds.push(entry);
            for verb in verbs {
                match group.verbs.iter_mut().find(|(v, _)| v == verb) {
                    Some((_, all)) => all.push(at),
                    None => group.verbs.push((*verb, vec![at])),
                }
            }
        }
    }
    Some(())
}

/// Grades of stated effects, in the order of the list.
pub(crate) fn grades(lines: &[&str], out: &mut String) -> Result<(), String> {
    out.push_str("static GRADES: &[Entry] = &[\n");
    for line in lines {
        grade(line, out).ok_or(*line)?;
    }
    out.push_str("];\n");
    Ok(())
}

fn grade(line: &str, out: &mut String) -> Option<()> {
    let [verb, object, grade, why] = words(line)?;
    let verb = Verb::from_name(verb)?;
    let (object, values) = object.split_once('=').map_or((object, None), |(o, v)| (o, Some(v)));
    let grade = match grade {
        "none" => "None".to_string(),
        "floor" => "Of(Severity::Critical, true)".to_string(),
        g => match g.strip_suffix('+') {
            Some(g) => format!("Many({})", severity(g)?),
            None => format!("Of({}, false)", severity(g)?),
        },
    };
    let _ = writeln!(
        out,
        "Entry {{ verb: Verb::{verb:?}, object: {object:?}, values: {values:?}, grade: Grade::{grade}, why: {why:?} }},"
    );
    Some(())
}

/// What variables do, by kind.
pub(crate) fn variables(lines: &[&str], out: &mut String) -> Result<(), String> {
    const KINDS: &[&str] =
        &["loader", "shell", "interpreter", "tls", "signature", "history", "steers", "idle", "plain"];
    let mut by_kind: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in lines {
        let [kind, spec, what] = words(line).filter(|w: &[&str; 3]| KINDS.contains(&w[0])).ok_or(*line)?;
        let (name, value) = spec.split_once('=').map_or((spec, None), |(n, v)| (n, Some(v)));
        let entry = format!("Entry {{ name: {name:?}, value: {value:?}, what: {what:?} }}");
        by_kind.entry(kind).or_default().push(entry);
    }
    out.push_str("static VARIABLES: &[(&str, &[Entry])] = &[\n");
    for (kind, entries) in by_kind {
        let _ = writeln!(out, "({kind:?}, &[{}]),", entries.join(",\n"));
    }
    out.push_str("];\n");
    Ok(())
}

/// Names of findings by the program that their content comes from.
pub(crate) fn aliases(lines: &[&str], out: &mut String) -> Result<(), String> {
    out.push_str("static ALIASES: &[Alias] = &[\n");
    for line in lines {
        let [rule, source, id, safer] = words(line).ok_or(*line)?;
        let id = if id == "-" { rule } else { id };
        let _ = writeln!(out, "Alias {{ rule: {rule:?}, source: {source:?}, id: {id:?}, safer: {safer:?} }},");
    }
    out.push_str("];\n");
    Ok(())
}
