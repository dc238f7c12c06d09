//! The user's deny and allow rules: globs over every command that would run. The one place that matches them.
//!
//! A deny rule is matched against a command as it is written, and against what its grammar reads it as ([`canonical`]), so
//! that `git push*` denies `git -C x push` as well. An allow rule is matched against the words as they are written alone.

use super::GatePolicy;
use super::canonical::canonical;
use crate::analyzer::Analysis;
use crate::effect::graph::Graph;
use crate::finding::{Confidence, Evidence, Finding, Severity, SpanOut};
use crate::glob;
use crate::redact;
use crate::verdict::{Action, Class, Verdict};

/// The id of the finding that stands for a deny rule.
pub const DENY_RULE: &str = "user_deny_rule";

/// A command that would run, as the rules see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Its words joined with spaces: as they are written, and by the name of the program where that differs.
    pub texts: Vec<String>,
    /// As its grammar reads it, where that differs from the words. Worked out only where there are deny rules.
    pub canonical: Vec<String>,
    /// It is known and harmless by itself. Worked out only where there are allow rules.
    pub harmless: bool,
    /// Something is done around its words that a rule over words does not name: a redirection, a variable. As above.
    pub around: bool,
}

impl GatePolicy {
    /// The commands of an analysis, as far as these rules ask.
    pub fn runs(&self, analysis: &Analysis) -> Vec<Run> {
        let (graph, apart): (&Graph, _) = (&analysis.graph, &analysis.apart);
        let run = |p: &crate::effect::graph::Process| {
            let words: Vec<String> = p.argv.iter().map(crate::value::Value::show).collect();
            let by_name = std::iter::once(p.name.clone()).chain(words.iter().skip(1).cloned());
            let by_name = by_name.collect::<Vec<_>>().join(" ");
            let written = words.join(" ");
            let mut texts = vec![by_name];
            if texts.first() != Some(&written) {
                texts.push(written);
            }
            let mut canonical = if self.deny.is_empty() { Vec::new() } else { canonical(graph, p) };
            canonical.retain(|c| !texts.contains(c));
            Run {
                texts,
                canonical,
                harmless: apart.harmless.binary_search(&p.id).is_ok(),
                around: apart.around.binary_search(&p.id).is_ok(),
            }
        };
        graph.processes.iter().map(run).collect()
    }

    /// The deny rule that matches the text or one of the commands.
    pub fn denied_by(&self, text: &str, runs: &[Run]) -> Option<&str> {
        let all = || runs.iter().flat_map(|r| r.texts.iter().chain(&r.canonical));
        let hit = |rule: &&String| glob::folded(rule, text) || all().any(|c| glob::folded(rule, c));
        self.deny.iter().filter(|r| !r.trim().is_empty()).find(hit).map(String::as_str)
    }

    /// The allow rules that let all of it through: each command matches one, or is harmless by itself, and one at least
    /// does match. `git *` allows `cd sub && git log | tail`, and no `git log; rm -r x`, nor `git log > ~/.bashrc`.
    pub fn allowed_by(&self, runs: &[Run]) -> Option<Vec<&str>> {
        let rule = |c: &String| self.allow.iter().find(|rule| glob::folded(rule, c));
        let mut used: Vec<&str> = Vec::new();
        for run in runs {
            if run.around {
                return None;
            }
            match run.texts.iter().map(rule).collect::<Option<Vec<&String>>>() {
                Some(rules) => used.extend(rules.into_iter().map(String::as_str)),
                None if run.harmless => {}
                None => return None,
            }
        }
        used.sort_unstable();
        used.dedup();
        (!used.is_empty()).then_some(used)
    }

    /// Puts the rules into a verdict: a deny rule is a finding that nothing lets through, an allow rule makes findings
    /// that are not on the floor mere notes.
    ///
    /// Gives the key of the entries that had a say, the index of one of them, and what it did.
    pub(super) fn apply(&self, analysis: &mut Analysis, text: &[u8]) -> Option<(&'static str, Option<usize>, String)> {
        if self.deny.is_empty() && self.allow.is_empty() {
            return None;
        }
        let runs = self.runs(analysis);
        let text = String::from_utf8_lossy(text);
        let verdict = &mut analysis.verdict;
        if let Some(rule) = self.denied_by(text.trim(), &runs) {
            verdict.findings.insert(0, denied(rule, &text));
            verdict.action = Action::Block;
            verdict.assessment.class = Class::Risk;
            verdict.assessment.reasons.insert(0, format!("the deny rule {rule:?}"));
            let index = self.deny.iter().position(|r| r == rule);
            return Some(("deny", index, format!("denies it: {:?}", redact::text(rule))));
        }
        let notes = self.allowed_by(&runs).is_some() && note_allowed(verdict);
        notes.then(|| ("allow", None, "cover every command of it, so that its findings are notes".to_string()))
    }
}

fn note_allowed(verdict: &mut Verdict) -> bool {
    let mut changed = false;
    for f in verdict.findings.iter_mut().filter(|f| !f.floor && f.severity > Severity::Info) {
        f.severity = Severity::Info;
        f.description.push_str(" The user's allow rules cover every command of it.");
        changed = true;
    }
    if changed {
        verdict.action = Action::of_all(&verdict.findings);
        if verdict.action == Action::Allow {
            // Allowed is not proven harmless.
            verdict.assessment.class = Class::Unknown;
            verdict.assessment.reasons.insert(0, "the user's allow rules cover every command of it".to_string());
        }
    }
    changed
}

fn denied(rule: &str, text: &str) -> Finding {
    let span = SpanOut { start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX) };
    let shown: String = text.chars().take(crate::limits::MAX_SHOWN).collect();
    Finding {
        rule_id: DENY_RULE,
        severity: Severity::Critical,
        confidence: Confidence::High,
        title: format!("Denied by a rule of the user: {}", redact::text(rule)),
        description:
            "The policy's deny rules (gate.deny) name a command that would run. Nothing lets it through; find \
                      another way."
                .to_string(),
        evidence: vec![Evidence {
            kind: "command_pattern",
            label: "is denied".into(),
            matched: redact::text(&shown).into_owned(),
            span,
            details: Vec::new(),
        }],
        span,
        path: Vec::new(),
        mitre_id: None,
        remediation: "Find a way without the denied command, or ask the user.".into(),
        fix: None,
        floor: true,
    }
}
