//! What an earlier audit already said, read from its JSON lines.
//!
//! A finding is known where the earlier report has the same rule for the same command by the same user on the same host
//! at the same time. Lines do not count: they move when a history is cut at its beginning. Where no time is known, a
//! command that stood there three times is known three times, and new the fourth time.

use super::engine::Judged;
use super::filter::Filter;
use super::{Judgement, stats, time};
use crate::redact;
use serde::Deserialize;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::BufRead;
use std::sync::Arc;

/// The findings of an earlier audit.
#[derive(Debug, Default)]
pub struct Known {
    hasher: RandomState,
    counts: HashMap<u64, u32>,
    /// Findings that were left out because they are known.
    pub left_out: u64,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    command: Option<String>,
    time: Option<String>,
    user: Option<String>,
    host: Option<String>,
    #[serde(default)]
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    rule_id: String,
}

impl Known {
    /// Reads a report. Lines of other kinds are passed over; one that is no JSON object is an error.
    pub fn read(report: impl BufRead) -> std::io::Result<Known> {
        let mut known = Known::default();
        for (number, line) in (1u64..).zip(report.lines()) {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let line: Line = serde_json::from_str(&line)
                .map_err(|e| std::io::Error::other(format!("line {number} is not of an audit's --json: {e}")))?;
            if line.kind != "command" {
                continue;
            }
            let command = line.command.unwrap_or_default();
            let text = |t: &Option<String>| t.clone().unwrap_or_default();
            for finding in line.findings {
                let key =
                    (finding.rule_id.as_str(), &*command, &*text(&line.time), &*text(&line.user), &*text(&line.host));
                let count = known.counts.entry(known.hasher.hash_one(key)).or_default();
                *count = count.saturating_add(1);
            }
        }
        Ok(known)
    }

    /// Takes known findings out of a judgement.
    pub fn only_new(&mut self, judged: &mut Judged, filter: &Filter) {
        if filter.of(&judged.judgement).next().is_none() {
            return;
        }
        let entry = &judged.entry;
        let command = redact::with(&judged.judgement.secrets, || stats::shown(&entry.command));
        let time = entry.at.map(time::show).unwrap_or_default();
        let text = |t: &Option<Arc<str>>| t.as_deref().unwrap_or_default().to_string();
        let (user, host) = (text(&entry.user), text(&entry.host));
        let old = Arc::clone(&judged.judgement);
        let mut kept = Vec::new();
        for (i, finding) in old.findings.iter().enumerate() {
            let key = self.hasher.hash_one((finding.rule_id, &*command, &*time, &*user, &*host));
            match self.counts.get_mut(&key).filter(|n| **n > 0) {
                Some(count) => {
                    *count = count.saturating_sub(1);
                    self.left_out = self.left_out.saturating_add(1);
                }
                None => kept.push((finding.clone(), old.across.get(i).cloned().unwrap_or_default())),
            }
        }
        if kept.len() < old.findings.len() {
            let (findings, across): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
            let (action, class) = (old.action, old.class);
            let new = Judgement {
                action,
                class,
                findings: findings.into(),
                across: across.into(),
                facts: None,
                secrets: Arc::clone(&old.secrets),
            };
            judged.judgement = Arc::new(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_is_none_is_refused() {
        assert!(Known::read(&b"{\"type\":\"summary\"}\n\n"[..]).is_ok());
        let error = Known::read(&b"{\"type\":\"summary\"}\nls\n"[..]).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
