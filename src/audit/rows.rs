//! The commands with findings of an audit, kept for reports that need all of them at once. Bounded: where there are too
//! many, the least severe go first, and how many went is counted.

use super::engine::Judged;
use super::filter::Filter;
use super::{Entry, Judgement};
use crate::effect::Language;
use crate::finding::Severity;
use crate::limits::{MAX_COMMAND_OUT, MAX_ROWS};
use std::sync::Arc;

/// One command with findings.
#[derive(Clone, Debug)]
pub struct Row {
    /// The input.
    pub name: Arc<str>,
    /// The entry; of a long command only the beginning. Not to be shown before its secrets are replaced.
    pub entry: Entry,
    /// What is thought of it.
    pub judgement: Arc<Judgement>,
    /// The shell it was read as.
    pub shell: Language,
    worst: Severity,
}

/// The commands that are kept.
#[derive(Debug, Default)]
pub struct Rows {
    /// In the order of the inputs.
    pub all: Vec<Row>,
    /// How many were left out.
    pub left_out: u64,
}

impl Rows {
    /// Takes a command that has findings to report.
    pub fn add(&mut self, name: &Arc<str>, judged: &Judged, filter: &Filter) {
        let Some(worst) = filter.of(&judged.judgement).map(|f| f.severity).max() else { return };
        if self.all.len() >= MAX_ROWS {
            let least = self.all.iter().map(|r| r.worst).min().unwrap_or(worst);
            if worst <= least {
                self.left_out = self.left_out.saturating_add(1);
                return;
            }
            let before = self.all.len();
            self.all.retain(|r| r.worst > least);
            let gone = before.saturating_sub(self.all.len());
            self.left_out = self.left_out.saturating_add(u64::try_from(gone).unwrap_or(0));
        }
        let mut entry = judged.entry.clone();
        entry.command.truncate(MAX_COMMAND_OUT);
        entry.command.shrink_to_fit();
        let judgement = Arc::clone(&judged.judgement);
        self.all.push(Row { name: Arc::clone(name), entry, judgement, shell: judged.shell, worst });
    }
}
