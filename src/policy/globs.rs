//! The user's deny and allow rules: globs over every command that would run. The one place that matches them.

use super::GatePolicy;
use crate::analyzer::Analysis;
use crate::effect::graph::Graph;
use crate::finding::{Confidence, Evidence, Finding, Severity, SpanOut};
use crate::glob;
use crate::redact;
use crate::verdict::{Action, Class, Verdict};

/// The id of the finding that stands for a deny rule.
pub const DENY_RULE: &str = "user_deny_rule";

/// The commands of a graph as texts: as they are written, and by the name of the program where that differs.
pub fn commands(graph: &Graph) -> Vec<String> {
    let mut out = Vec::new();
    for p in &graph.processes {
        let words: Vec<String> = p.argv.iter().map(crate::value::Value::show).collect();
        let by_name = std::iter::once(p.name.clone()).chain(words.iter().skip(1).cloned());
        let by_name = by_name.collect::<Vec<_>>().join(" ");
        let written = words.join(" ");
        if written != by_name {
            out.push(written);
        }
        out.push(by_name);
    }
    out
}

impl GatePolicy {
    /// The deny rule that matches the text or one of the commands.
    pub fn denied_by(&self, text: &str, commands: &[String]) -> Option<&str> {
        let hit = |rule: &&String| glob::folded(rule, text) || commands.iter().any(|c| glob::folded(rule, c));
        self.deny.iter().filter(|r| !r.trim().is_empty()).find(hit).map(String::as_str)
    }

    /// True where every command matches an allow rule: `git *` allows no `git log; rm -r x`.
    pub fn allows(&self, commands: &[String]) -> bool {
        let allowed = |c: &String| self.allow.iter().any(|rule| glob::folded(rule, c));
        !commands.is_empty() && commands.iter().all(allowed)
    }

    /// Puts the rules into a verdict: a deny rule is a finding that nothing lets through, an allow rule makes findings
    /// that are not on the floor mere notes.
    ///
    /// Gives the key of the entries that had a say, the index of one of them, and what it did.
    pub(super) fn apply(&self, analysis: &mut Analysis, text: &[u8]) -> Option<(&'static str, Option<usize>, String)> {
        if self.deny.is_empty() && self.allow.is_empty() {
            return None;
        }
        let commands = commands(&analysis.graph);
        let text = String::from_utf8_lossy(text);
        let verdict = &mut analysis.verdict;
        if let Some(rule) = self.denied_by(text.trim(), &commands) {
            verdict.findings.insert(0, denied(rule, &text));
            verdict.action = Action::Block;
            verdict.assessment.class = Class::Risk;
            verdict.assessment.reasons.insert(0, format!("the deny rule {rule:?}"));
            let index = self.deny.iter().position(|r| r == rule);
            return Some(("deny", index, format!("denies it: {:?}", redact::text(rule))));
        }
        let notes = self.allows(&commands) && note_allowed(verdict);
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
