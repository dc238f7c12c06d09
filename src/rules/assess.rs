//! Whether a command may be approved without asking: safe, unknown or a risk.
//!
//! In: the graph and its findings. Out: the [`Assessment`]: *risk* where a finding warns or blocks; *safe* where every
//! process is known, nothing is in doubt and every effect only looks at things; *unknown*, with the reasons in words, for
//! all else. Also the rules about the analysis itself.

use super::{Category, Facts, Findings, Rule};
use crate::effect::graph::{Doubt, DoubtKind};
use crate::effect::path::{Class as PathClass, Mark};
use crate::effect::{Effect, Object, Props, Site, Verb};
use crate::finding::{Confidence, Finding, Severity};
use crate::url::Reach;
use crate::value::{Piece, Why};
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
        DoubtKind::Bytes => format!("bytes that no command should hold: {what}"),
    }
}

/// The assessment that goes with those findings.
pub(super) fn assess(facts: &Facts<'_>, findings: &[Finding]) -> Assessment {
    let mut reasons: Vec<String> = Vec::new();
    let mut add = |r: String| {
        let r = crate::redact::text(&super::draft::short(&r)).into_owned();
        if reasons.len() < MAX_REASONS && !reasons.contains(&r) {
            reasons.push(r);
        }
    };
    let risky = |f: &&Finding| Action::of(f.severity) > Action::Allow;
    findings.iter().filter(risky).for_each(|f| add(f.title.clone()));
    let class = if findings.iter().any(|f| risky(&f)) { Class::Risk } else { Class::Unknown };
    for d in &facts.graph.doubts {
        add(explain(d));
    }
    for p in facts.graph.processes.iter().filter(|p| !p.known) {
        add(format!("nothing is known of the program {}", p.name));
    }
    // A dry run of an installation still fetches, and may build.
    for e in facts.graph.effects.iter().filter(|e| matches!(e.verb, Verb::Install | Verb::Publish)) {
        if e.props.has(Props::SIMULATED) {
            add(format!("{} may fetch and build even in a dry run", facts.name(e)));
        }
    }
    for e in facts.effects() {
        if let Some(r) = concern(facts, e) {
            add(r);
        }
    }
    match reasons.is_empty() {
        true => Assessment { class: Class::Safe, reasons },
        false => Assessment { class, reasons },
    }
}

/// True where every unknown part of a path is what a command prints or standard input holds.
fn is_listed(o: &Object) -> bool {
    let listed = |p: &Piece| match p {
        Piece::Unknown(u) => matches!(u.why, Why::Output(_) | Why::Stdin),
        Piece::OneOf(_) => false,
        _ => true,
    };
    o.value().is_some_and(|v| v.pieces.iter().all(listed))
}

/// Why an effect is more than looking at things; `None` where it is not.
fn concern(facts: &Facts<'_>, e: &Effect) -> Option<String> {
    let shown = || match facts.path(e) {
        Some(p) => p.text.clone(),
        None => e.object.show(),
    };
    if facts.elevated(e) {
        return Some(format!("{} runs with other rights", facts.name(e)));
    }
    if let Site::Remote(_) = e.site
        && e.verb != Verb::Connect
    {
        return Some(format!("{} runs on another machine", facts.name(e)));
    }
    match e.verb {
        Verb::Read | Verb::List => match facts.path(e) {
            None => None,
            Some(p) if p.marks.any(&[Mark::Credential, Mark::ProcessMemory, Mark::History]) => {
                Some(format!("reads {}: {}", p.what.unwrap_or("a secret"), p.text)).filter(|_| e.verb == Verb::Read)
            }
            Some(p) if p.class == PathClass::Network => Some(format!("opens a connection: {}", p.text)),
            Some(p) if p.class == PathClass::Device => Some(format!("reads a device: {}", p.text)),
            // `git ls-files | xargs cat`: what the machine itself lists is only shown, as long as nothing leaves it.
            Some(p) if p.class == PathClass::Unknown && e.verb == Verb::Read && is_listed(&e.object) => {
                let leaves = [Verb::Send, Verb::Connect, Verb::VcsPush, Verb::Publish].iter().any(|v| facts.any(*v));
                leaves.then(|| format!("which file is read and sent is not known: {}", p.text))
            }
            Some(p) if p.class == PathClass::Unknown && e.verb == Verb::Read => {
                Some(format!("which file is read is not known: {}", p.text))
            }
            Some(_) => None,
        },
        Verb::Inspect | Verb::Decode | Verb::Encode | Verb::Spawn | Verb::Probe | Verb::Chdir => None,
        Verb::Write | Verb::Append | Verb::Update | Verb::Create
            if facts.path(e).is_some_and(|p| p.class == PathClass::HarmlessDevice) =>
        {
            None
        }
        Verb::Evaluate => match &e.object {
            Object::Code(_, v) if v.is_known() => None,
            Object::Code(l, _) => Some(format!("runs {l} code that is not known")),
            _ => Some("runs code that is not known".into()),
        },
        Verb::Fetch => match facts.address(e) {
            Some(a) if matches!(a.reach(), Reach::Public | Reach::Loopback) && !a.raw.contains('…') => {
                e.props.has(Props::TLS_UNVERIFIED).then(|| format!("fetches unchecked: {}", a.raw))
            }
            _ => Some(format!("fetches {}", shown())),
        },
        Verb::Write | Verb::Append | Verb::Update => Some(format!("writes {}", shown())),
        verb => Some(format!("{} {}", verb.name(), shown()).trim_end().to_string()),
    }
}
