//! The words that go with an answer: what is wrong with the command, and what would pass.

use crate::finding::{Finding, Severity};
use crate::verdict::Verdict;
use std::fmt::Write as _;

/// Most findings that are told.
const MAX_TOLD: usize = 5;

/// What the agent and its user are told of a verdict: each finding that matters in one line, then what to do instead,
/// and the rewritten command where there is one. Never empty.
pub fn reason(verdict: &Verdict) -> String {
    let matter: Vec<&Finding> = verdict.findings.iter().filter(|f| f.severity > Severity::Info).collect();
    if matter.is_empty() {
        return "Shellward: every effect of this command is known and harmless.".to_string();
    }
    let mut out = String::from("Shellward: ");
    let titles: Vec<String> = matter.iter().take(MAX_TOLD).map(|f| format!("{} [{}]", f.title, f.rule_id)).collect();
    out.push_str(&titles.join("; "));
    if let Some(more) = matter.len().checked_sub(MAX_TOLD).filter(|n| *n > 0) {
        let _ = write!(out, "; and {more} more");
    }
    out.push('.');
    let mut told: Vec<&str> = Vec::new();
    for f in matter.iter().take(MAX_TOLD).filter(|f| !f.remediation.is_empty()) {
        if !told.contains(&f.remediation.as_str()) {
            told.push(&f.remediation);
        }
    }
    if !told.is_empty() {
        let _ = write!(out, " What would pass: {}", told.join(" "));
    }
    if let Some(fix) = matter.iter().find_map(|f| f.fix.as_deref()) {
        let _ = write!(out, " For example: {fix}");
    }
    out
}
