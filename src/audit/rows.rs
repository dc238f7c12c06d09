//! What is kept of the commands with findings of an audit for a report that needs all of them at once. Bounded, in
//! number and bytes: where there are too many, the least severe go first, and how many went is counted.

use crate::finding::Severity;
use crate::limits::{MAX_ROW_BYTES, MAX_ROWS};

/// What is kept of one command.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// How bad its worst finding is.
    pub worst: Severity,
    /// What the report has of it.
    pub part: T,
    bytes: usize,
}

/// What is kept of all.
#[derive(Debug)]
pub struct Rows<T> {
    /// In the order of the inputs.
    pub all: Vec<Row<T>>,
    /// How many were left out.
    pub left_out: u64,
    bytes: usize,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows { all: Vec::new(), left_out: 0, bytes: 0 }
    }
}

impl<T> Rows<T> {
    /// Keeps what `make` gives, with its size in bytes, of a command whose worst finding is that bad. True where others
    /// were dropped for it.
    pub fn add(&mut self, worst: Severity, make: impl FnOnce() -> (T, usize)) -> bool {
        let mut dropped = false;
        if self.all.len() >= MAX_ROWS || self.bytes >= MAX_ROW_BYTES {
            let least = self.all.iter().map(|r| r.worst).min().unwrap_or(worst);
            if worst <= least {
                self.left_out = self.left_out.saturating_add(1);
                return false;
            }
            let before = self.all.len();
            self.all.retain(|r| r.worst > least);
            let gone = before.saturating_sub(self.all.len());
            self.left_out = self.left_out.saturating_add(u64::try_from(gone).unwrap_or(0));
            self.bytes = self.all.iter().map(|r| r.bytes).sum();
            dropped = true;
        }
        let (part, bytes) = make();
        self.bytes = self.bytes.saturating_add(bytes);
        self.all.push(Row { worst, part, bytes });
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_severe_go_first() {
        let mut rows = Rows::default();
        let half = MAX_ROW_BYTES / 2;
        for (worst, part) in
            [(Severity::High, 1), (Severity::Low, 2), (Severity::Low, 3), (Severity::High, 4), (Severity::Medium, 5)]
        {
            rows.add(worst, || (part, half));
        }
        assert_eq!(rows.all.iter().map(|r| r.part).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(rows.left_out, 3);
    }
}
