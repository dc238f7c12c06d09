//! One component of a path, with what a glob or a value that is not known leaves open.
//!
//! In: the text of a component, open runs as markers. Out: whether it may be a name that the list of places has. Floor 3;
//! imports `glob`.

use crate::glob;

/// Stands for a run of characters that a glob leaves open.
pub(super) const STAR: char = '\u{F0001}';
/// Stands for one character that a glob leaves open.
pub(super) const QUESTION: char = '\u{F0002}';
/// Stands for a piece that is not known; may hold anything, `/` and nothing included.
pub(super) const UNKNOWN: char = '\u{F0003}';
/// The first byte of each of them.
const MARKER: u8 = 0xF3;

/// One component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part(pub(super) String);

impl Part {
    /// True where nothing of it is open.
    pub fn is_known(&self) -> bool {
        // The markers are the only characters in use that begin with this byte; most texts have none, and this is fast.
        !self.0.as_bytes().contains(&MARKER) || !self.0.contains([STAR, QUESTION, UNKNOWN])
    }
    /// Its name, where nothing of it is open.
    pub(super) fn known(&self) -> Option<&str> {
        self.is_known().then_some(self.0.as_str())
    }
    /// What it begins and ends with, as far as that is known.
    pub(super) fn ends(&self) -> (&str, &str) {
        let mut pieces = self.0.split([STAR, QUESTION, UNKNOWN]);
        (pieces.next().unwrap_or_default(), pieces.next_back().unwrap_or_default())
    }
    /// True where nothing of it is known.
    pub(super) fn is_open(&self) -> bool {
        self.0.chars().all(|c| matches!(c, STAR | QUESTION | UNKNOWN))
    }
    /// True where it is nothing but a glob (`*`, `.*`, `?*`).
    pub(super) fn is_everything(&self) -> bool {
        self.0.contains(STAR) && self.0.chars().all(|c| matches!(c, STAR | QUESTION | '.'))
    }
    /// True where it may be the name that `pattern` stands for. A part that is all glob is not taken for any one name
    /// (`cat ~/*` is no look at `.netrc`); `/etc/sh?dow` is.
    pub(super) fn may_be(&self, pattern: &str) -> bool {
        if self.is_known() {
            // Nearly every name differs from nearly every pattern in the first letter.
            let (first, mine) = (pattern.as_bytes().first(), self.0.as_bytes().first());
            let other = first != mine && !matches!(first, Some(b'*' | b'?'));
            return !other && wildcard(pattern, &self.0);
        }
        if self.0.starts_with(UNKNOWN) && self.0.len() == UNKNOWN.len_utf8() {
            return pattern == "*";
        }
        // The list leaves the component open itself: `/proc/*/environ`, `~/.ssh/i*`.
        if pattern == "*" {
            return !self.0.starts_with(['.', UNKNOWN]);
        }
        if pattern.contains(['*', '?']) {
            // Two patterns: they meet where the fixed beginning or end of one is that of the other.
            let fixed = pattern.split(['*', '?']).next().unwrap_or_default();
            let end = pattern.rsplit(['*', '?']).next().unwrap_or_default();
            let mine = self.0.split([STAR, QUESTION, UNKNOWN]).next().unwrap_or_default();
            let my_end = self.0.rsplit([STAR, QUESTION, UNKNOWN]).next().unwrap_or_default();
            return mine.len() > 1 && !fixed.is_empty() && (mine.starts_with(fixed) || fixed.starts_with(mine))
                || end.len() > 1 && my_end.ends_with(end);
        }
        // A part that leaves nearly everything open (`*l`) names nothing in particular.
        let fixed = self.0.chars().filter(|c| !matches!(*c, STAR | QUESTION | UNKNOWN)).count();
        if fixed == 0 || fixed.saturating_mul(3) < pattern.chars().count() {
            return false;
        }
        let mut glob = String::new();
        for c in self.0.chars() {
            match c {
                STAR | UNKNOWN => glob.push('*'),
                QUESTION => glob.push('?'),
                '*' | '?' | '[' | '\\' => glob.extend(['\\', c]),
                c => glob.push(c),
            }
        }
        wildcard(&glob, pattern)
    }
    /// For people.
    pub fn show(&self) -> String {
        self.0
            .chars()
            .map(|c| match c {
                STAR => '*',
                QUESTION => '?',
                UNKNOWN => '…',
                c => c,
            })
            .collect()
    }
}

/// [`glob::matches`], where a star at the start does not take a leading dot, as in the shell.
fn wildcard(pattern: &str, name: &str) -> bool {
    !(name.starts_with('.') && pattern.starts_with(['*', '?'])) && glob::matches(pattern.as_bytes(), name.as_bytes())
}
