//! What is kept of the verdict on one command.

use super::session::{Facts, Step};
use crate::analyzer::Analysis;
use crate::effect::Language;
use crate::finding::{Finding, Severity};
use crate::redact::Words;
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
    /// For each finding the other commands of its session that belong to it; empty where none has any.
    pub across: Box<[Box<[Step]>]>,
    /// What it means for the commands after it.
    pub facts: Option<Box<Facts>>,
    /// The words that are not to be shown; where nothing was found, the command is not shown.
    pub secrets: Words,
}

impl Judgement {
    /// From an analysis of a text of that language.
    pub fn of(analysis: Analysis, shell: Language) -> Self {
        let facts = Facts::of(&analysis, shell);
        Judgement { facts, ..Judgement::of_verdict(analysis.verdict) }
    }
    /// From a verdict.
    pub fn of_verdict(verdict: Verdict) -> Self {
        Judgement {
            secrets: if verdict.findings.is_empty() { Words::default() } else { verdict.secrets },
            action: verdict.action,
            class: verdict.assessment.class,
            findings: verdict.findings.into(),
            across: Box::default(),
            facts: None,
        }
    }
    /// Nothing is to be said of it.
    pub(crate) fn quiet(class: Class) -> Self {
        Judgement {
            action: Action::Allow,
            class,
            findings: Box::default(),
            across: Box::default(),
            facts: None,
            secrets: Words::default(),
        }
    }
    /// The commands before, and where the clock says so after it, that one of its findings is about, too.
    pub fn steps(&self, finding: &Finding) -> &[Step] {
        let at = self.findings.iter().position(|f| std::ptr::eq(f, finding));
        at.and_then(|i| self.across.get(i)).map(|s| &**s).unwrap_or_default()
    }
    /// The worst severity.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }
    /// How much room it takes in the cache, in units of a judgement without findings.
    pub(crate) fn weight(&self) -> usize {
        let facts = 2 * usize::from(self.facts.is_some());
        self.findings.iter().fold(1usize.saturating_add(facts), |n, f| {
            let bytes = f.title.len() + f.description.len() + f.remediation.len() + f.evidence.len() * 160;
            n.saturating_add(8).saturating_add(bytes >> 7)
        })
    }
}
