//! What is kept of the verdict on one command.

use crate::analyzer::Analysis;
use crate::finding::{Finding, Severity};
use crate::verdict::{Action, Class, Verdict};

/// What is thought of one command: the part of its verdict that an audit needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What a check would have said.
    pub action: Action,
    /// Whether it is safe, unknown or a risk.
    pub class: Class,
    /// Why, the most important first.
    pub findings: Box<[Finding]>,
}

impl Judgement {
    /// From an analysis.
    pub fn of(analysis: Analysis) -> Self {
        Judgement::of_verdict(analysis.verdict)
    }
    /// From a verdict.
    pub fn of_verdict(verdict: Verdict) -> Self {
        Judgement { action: verdict.action, class: verdict.assessment.class, findings: verdict.findings.into() }
    }
    /// The worst severity.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }
    /// How much room it takes in the cache, in units of a judgement without findings.
    pub(crate) fn weight(&self) -> usize {
        self.findings.iter().fold(1, |n, f| {
            let bytes = f.title.len() + f.description.len() + f.remediation.len() + f.evidence.len() * 160;
            n.saturating_add(8).saturating_add(bytes >> 7)
        })
    }
}
