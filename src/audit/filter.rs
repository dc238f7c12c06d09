//! Which entries and findings an audit is about.

use super::{Entry, Judgement};
use crate::finding::{Finding, Severity};

/// What is asked for. Empty lists and `None` ask for everything.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Not before.
    pub since: Option<i64>,
    /// Before.
    pub until: Option<i64>,
    /// Only of these users.
    pub users: Vec<String>,
    /// Only findings of these rules.
    pub rules: Vec<String>,
    /// Only findings at least that bad.
    pub severity: Option<Severity>,
}

impl Filter {
    /// True where the entry is to be judged. One whose time is not known passes no limit of time.
    pub fn takes(&self, entry: &Entry) -> bool {
        let after = self.since.is_none_or(|s| entry.at.is_some_and(|at| at >= s));
        let before = self.until.is_none_or(|u| entry.at.is_some_and(|at| at < u));
        let user = || entry.user.as_deref().is_some_and(|u| self.users.iter().any(|w| w == u));
        after && before && (self.users.is_empty() || user())
    }
    /// True where the finding is to be reported.
    pub fn reports(&self, finding: &Finding) -> bool {
        let rule = || self.rules.iter().any(|r| r == finding.rule_id);
        self.severity.is_none_or(|s| finding.severity >= s) && (self.rules.is_empty() || rule())
    }
    /// The findings that are to be reported.
    pub fn of<'j>(&self, judgement: &'j Judgement) -> impl Iterator<Item = &'j Finding> {
        judgement.findings.iter().filter(|f| self.reports(f))
    }
}
