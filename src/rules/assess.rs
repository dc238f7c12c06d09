//! Whether a command may be approved without asking: safe, unknown or a risk.
//!
//! In: the graph and its findings. Out: the [`Assessment`]: *risk* where a finding warns or blocks; *safe* where every
//! process is known, nothing is in doubt and every effect only looks at things; *unknown*, with the reasons in words, for
//! all else. Also the rules about the analysis itself.

use super::concern::{concern, even_dry, started};
use super::own::Own;
use super::{Apart, Category, Facts, Findings, Rule};
use crate::effect::graph::{Doubt, DoubtKind, Process};
use crate::effect::{Effect, ProcessId, Props};
use crate::finding::{Confidence, Finding, Severity};
use crate::source::Place;
use crate::verdict::{Action, Assessment, Class};

/// Most reasons that are listed: a person reads the first few.
const MAX_REASONS: usize = 12;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "analysis_incomplete",
        title: "Part of the command could not be analysed",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::Analysis,
        mitre: None,
        floor: false,
        description: "A part of the command is past the limits of the analysis or cannot be read as the shell would read it, \
                      so that nothing is known of what it would do. Read that part yourself, or write it more simply.",
        remediation: "Read that part yourself, or split the command into smaller ones.",
        good: &["echo hello"],
        bad: &["echo a; )"],
        check: incomplete,
    },
    Rule {
        id: "parse_disagreement",
        title: "Two readings of the command differ",
        severity: Severity::Info,
        confidence: Confidence::Medium,
        category: Category::Analysis,
        mitre: None,
        floor: false,
        description: "Two independent readers of the shell's language do not find the same commands in the text; both \
                      readings were analysed. Write the command in a plainer way if it matters.",
        remediation: "Write the command in a plainer way.",
        good: &["echo hello"],
        bad: &[],
        check: disagreement,
    },
];

fn incomplete(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let wanted = |d: &&Doubt| {
        matches!(d.kind, DoubtKind::Limit | DoubtKind::Unparsed | DoubtKind::Uncovered | DoubtKind::Unfinished)
    };
    // One finding for each kind: a text with a thousand unreadable places is one problem.
    for kind in [DoubtKind::Limit, DoubtKind::Unparsed, DoubtKind::Uncovered, DoubtKind::Unfinished] {
        let mut all = facts.graph.doubts.iter().filter(wanted).filter(|d| d.kind == kind);
        let Some(first) = all.next() else { continue };
        let more = all.count();
        let severity = if kind == DoubtKind::Unfinished { Severity::Info } else { rule.severity };
        let mut d = rule
            .at(facts, first.place)
            .severity(severity)
            .title(format!("{}: {}", rule.title, first.detail))
            .evidence("text", explain(first), first.place);
        if more > 0 {
            d = d.detail("more places", more.to_string());
        }
        out.add(d);
    }
    if facts.was_cut() {
        let Some(root) = facts.graph.programs.first() else { return };
        out.add(rule.at(facts, root.place).title(format!("{}: too many flows", rule.title)).evidence(
            "flow",
            "has more sources than are followed",
            root.place,
        ));
    }
}

fn disagreement(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let mut all = facts.graph.doubts.iter().filter(|d| d.kind == DoubtKind::Disagreement);
    let Some(first) = all.next() else { return };
    let more = all.count();
    let mut d = rule.at(facts, first.place).title(format!("{}: {}", rule.title, first.detail)).evidence(
        "text",
        "is read in two ways",
        first.place,
    );
    if more > 0 {
        d = d.detail("more places", more.to_string());
    }
    out.add(d);
}

/// A doubt in words.
fn explain(d: &Doubt) -> String {
    let what = &d.detail;
    match d.kind {
        DoubtKind::UnknownProgram => format!("nothing is known of the program {what}"),
        DoubtKind::UnknownCommand => format!("which program runs is not known: {what}"),
        DoubtKind::UnknownOption => format!("the program has no such option: {what}"),
        DoubtKind::UnknownSubcommand => format!("the program has no such sub-command: {what}"),
        DoubtKind::UnknownOperand => format!("the program takes no such operand: {what}"),
        DoubtKind::UnknownValue => format!("a word that matters is not known: {what}"),
        DoubtKind::UnknownCode => format!("text is run that is not known: {what}"),
        DoubtKind::OpaqueCode => format!("code is not understood: {what}"),
        DoubtKind::Environment => format!("a variable that matters is set: {what}"),
        DoubtKind::Limit => format!("a limit of the analysis was reached: {what}"),
        DoubtKind::Unparsed => format!("could not be read: {what}"),
        DoubtKind::Unfinished => format!("ends before it is complete: {what}"),
        DoubtKind::Uncovered => format!("an expansion was not visited: {what}"),
        DoubtKind::Disagreement => format!("two readings differ: {what}"),
        DoubtKind::Unconfirmed => format!("read by one reader alone: {what}"),
        DoubtKind::Bytes => format!("bytes that no command should hold: {what}"),
    }
}

/// What asks a program, by long custom, to say what it is and nothing else (GNU coding standards, Command-Line Interfaces).
const ASKS: &[&str] = &["--help", "--version", "-h"];

/// True where a program is called by its name, to be asked for its help or version alone.
fn asks_for_help(p: &Process) -> bool {
    let [name, asked] = p.argv.as_slice() else { return false };
    let by_name = name.as_str().is_some_and(|n| !n.contains(['/', '\\']));
    by_name && p.stdin.is_none() && asked.as_str().is_some_and(|a| ASKS.contains(&a.as_ref()))
}

/// What there is to say of the commands one by one: those that are known and harmless by themselves, each of which would be
/// *safe* where it stood alone (none where something is in doubt that belongs to no command); and those around whose words
/// something else is done, by a redirection or by a variable that is set for it.
pub(super) fn apart(facts: &Facts<'_>, findings: &[Finding]) -> Apart {
    let own = Own::of(facts);
    let process = |id: ProcessId| facts.graph.process(id);
    let mut doubtful: Vec<ProcessId> = facts.graph.doubts.iter().filter_map(|d| d.process).collect();
    let variables = facts.graph.doubts.iter().filter(|d| d.kind == DoubtKind::Environment);
    let mut around: Vec<ProcessId> = variables.filter_map(|d| d.process).collect();
    for e in &facts.graph.effects {
        let concerned = match e.props.has(Props::SIMULATED) {
            true => even_dry(facts, e, &own),
            false => concern(facts, e, &own),
        };
        if concerned.is_some() {
            doubtful.push(e.process);
            around.extend(process(e.process).filter(|p| is_around(p, e)).map(|p| p.id));
        }
    }
    let found: Vec<_> = findings.iter().filter(|f| Action::of(f.severity) > Action::Allow).map(|f| f.span).collect();
    let meets = |p: &&Process| {
        let span = facts.span(p.place);
        found.iter().any(|f| f.start < span.end && span.start < f.end)
    };
    for all in [&mut doubtful, &mut around] {
        all.sort_unstable();
        all.dedup();
    }
    let unsure =
        facts.was_cut() || facts.graph.doubts.iter().any(|d| d.process.is_none()) || started(facts).next().is_some();
    let plain = facts.graph.processes.iter().filter(|p| p.known && doubtful.binary_search(&p.id).is_err() && !unsure);
    Apart { harmless: plain.filter(|p| !meets(p)).map(|p| p.id).collect(), around }
}

/// Most words of a command among which the place of an effect is looked for; what a later one says counts as around them.
const MAX_WORDS: usize = 256;

/// True where an effect is said by what stands around the words of a command: `> file`, `NAME=x` before it.
fn is_around(p: &Process, e: &Effect) -> bool {
    let at = e.place;
    let within =
        |outer: Place| outer.text == at.text && outer.span.start <= at.span.end && at.span.start <= outer.span.end;
    let words = p.argv.iter().take(MAX_WORDS).any(|w| within(w.place()));
    at.text == p.place.text && at.span != p.place.span && !words
}

/// The assessment that goes with those findings.
pub(super) fn assess(facts: &Facts<'_>, findings: &[Finding]) -> Assessment {
    let risky = |f: &&Finding| Action::of(f.severity) > Action::Allow;
    let class = if findings.iter().any(|f| risky(&f)) { Class::Risk } else { Class::Unknown };
    let asked = |id: ProcessId| facts.options.stances.help && facts.graph.process(id).is_some_and(asks_for_help);
    let own = Own::of(facts);
    let trusted = |id: ProcessId| own.has(id);
    let told = |d: &&Doubt| match d.kind {
        DoubtKind::UnknownProgram => !d.process.is_some_and(|p| asked(p) || trusted(p)),
        DoubtKind::UnknownCode => !d.process.is_some_and(trusted),
        _ => true,
    };
    let unknown = |p: &&Process| !p.known && !asked(p.id) && !trusted(p.id);
    let dry = |e: &&Effect| e.props.has(Props::SIMULATED);
    let titles = findings.iter().filter(risky).map(|f| f.title.clone());
    let doubts = facts.graph.doubts.iter().filter(told).map(explain);
    let programs = facts.graph.processes.iter().filter(unknown);
    let programs = programs.map(|p| format!("nothing is known of the program {}", p.name));
    let runs = facts.graph.effects.iter().filter(dry).filter_map(|e| even_dry(facts, e, &own));
    let concerns = facts.effects().filter_map(|e| concern(facts, e, &own));
    let mut reasons: Vec<String> = Vec::new();
    // A long script has thousands of reasons: no more are worked out than are told.
    for r in titles.chain(doubts).chain(programs).chain(runs).chain(concerns).chain(started(facts)) {
        let r = super::draft::shown(r.into());
        if !reasons.contains(&r) {
            reasons.push(r);
        }
        if reasons.len() >= MAX_REASONS {
            break;
        }
    }
    match reasons.is_empty() {
        true => Assessment { class: Class::Safe, reasons },
        false => Assessment { class, reasons },
    }
}
