//! A command as its grammar reads it, for rules that name it in plain words.
//!
//! In: a process. Out: texts that begin with the program and its sub-command, whatever options stand in front of that,
//! whichever of its names it is called by. `git -C x push -f origin` is `git push -f origin` and `git push origin`;
//! `docker container rm x` is `docker rm x`. Imports `command`, `effect`.

use crate::command::argv::read_in;
use crate::command::grammar;
use crate::command::grammar::model::{Grammar, Level};
use crate::effect::Language;
use crate::effect::graph::{Graph, Process};
use crate::value::Value;

/// Most names of program and sub-commands that are put together.
const MAX_HEADS: usize = 64;
/// What file systems and shells add to the name of a program.
const ENDINGS: &[&str] = &[".exe", ".cmd", ".bat", ".com", ".ps1"];

/// The texts; none where no grammar describes the program, or where it was given neither sub-command nor operand.
pub(super) fn canonical(graph: &Graph, p: &Process) -> Vec<String> {
    let shell: Option<Language> = graph.program(p.program).map(|n| n.language);
    let inv = read_in(shell, &p.argv);
    let Some(main) = inv.grammar else { return Vec::new() };
    if inv.subs.is_empty() && inv.operands.is_empty() {
        return Vec::new();
    }
    let found = p.argv.first().and_then(Value::as_str).and_then(|_| grammar::lookup_in(shell, &p.name));
    let names = found.map_or_else(Vec::new, |g| paths(g, &inv.subs));
    let tail = p.argv.len().saturating_sub(inv.behind);
    let rest: Vec<&Value> = p.argv.iter().skip(tail.max(1)).collect();
    // The words behind the sub-command: as they stand, the operands alone, and the options first.
    let mut operands = inv.operands.iter().peekable();
    let (mut plain, mut options): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for word in &rest {
        let is_next = operands.peek().is_some_and(|o| o == word);
        if is_next {
            operands.next();
        }
        if is_next { plain.push(word.show()) } else { options.push(word.show()) }
    }
    let as_written: Vec<String> = rest.iter().map(|w| w.show()).collect();
    options.extend(plain.iter().cloned());
    let programs = programs(&p.name, main);
    let mut out: Vec<String> = Vec::new();
    for path in &names {
        for program in &programs {
            for tail in [&as_written, &plain, &options] {
                let words = std::iter::once(program.as_str()).chain(path.iter().copied());
                let text = words.chain(tail.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
                if !out.contains(&text) {
                    out.push(text);
                }
            }
        }
    }
    out
}

/// The names of a program: as it is called, without what a system adds, and the main one of its grammar where it is called
/// by that with a version behind it (`pip3`).
fn programs(called: &str, main: &'static str) -> Vec<String> {
    let lower = called.to_ascii_lowercase();
    let bare = ENDINGS.iter().find_map(|e| lower.strip_suffix(e)).unwrap_or(&lower);
    let mut out = vec![bare.to_string()];
    let version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
    if bare.strip_prefix(main).is_some_and(|rest| !rest.is_empty() && version(rest)) {
        out.push(main.to_string());
    }
    out
}

/// Every way to name a sub-command: by each of its names, and where another place of the grammar has the same one (`docker
/// rm`, `docker container rm`).
fn paths(grammar: &'static Grammar, subs: &[&'static str]) -> Vec<Vec<&'static str>> {
    let mut out: Vec<Vec<&'static str>> = vec![Vec::new()];
    let mut level: &'static Level = &grammar.top;
    for name in subs {
        let Some(sub) = level.subs.find(name.as_bytes(), level.nocase) else { break };
        let longer = |path: &Vec<&'static str>| {
            let path = path.clone();
            sub.names.iter().map(move |n| path.iter().copied().chain([*n]).collect::<Vec<_>>())
        };
        out = out.iter().flat_map(longer).take(MAX_HEADS).collect();
        level = &sub.level;
    }
    let Some(last) = subs.last() else { return out };
    // The same deed: what is done, to what, under which options.
    let alike = |a: &Level| {
        let says = !a.effects.is_empty() || !a.operands.is_empty();
        says && a.effects == level.effects && a.operands == level.operands && a.options == level.options
    };
    let same = |l: &'static Level| l.subs.find(last.as_bytes(), l.nocase).filter(|s| alike(&s.level));
    let short = same(&grammar.top).into_iter().flat_map(|s| s.names.iter().map(|n| vec![*n]));
    let groups = grammar.top.subs.iter().filter(|g| same(&g.level).is_some());
    let long = groups.filter_map(|g| Some(vec![*g.names.first()?, *last]));
    for path in short.chain(long).take(MAX_HEADS) {
        if !out.contains(&path) {
            out.push(path);
        }
    }
    out
}
