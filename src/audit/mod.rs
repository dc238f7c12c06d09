//! Histories, transcripts and scripts in bulk: what dangerous things happened here, when, by whom.
//!
//! In: files of many formats, of any size. Out: each command with its [`Judgement`], in the order of the files, and a
//! [`stats::Stats`] of the whole. Nothing is judged here: every command goes to the caller's judge, which is the
//! analyzer. Memory is bounded whatever the input: lines, entries in flight, the cache and the summary have limits.
//! Floor 7; imports `analyzer` and what lies below.
//!
//! A history format is one file in [`format`] and one line in its list.

pub mod discover;
pub mod engine;
pub mod filter;
pub mod format;
pub mod input;
pub mod known;
pub mod lines;
pub mod rows;
pub mod scan;
pub mod session;
pub mod stats;
pub use crate::time;

mod cache;
mod judgement;

pub use judgement::Judgement;

use crate::effect::Language;
use std::sync::Arc;

/// One command of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The command as it was typed.
    pub command: Vec<u8>,
    /// The line of the file on which it begins, from 1.
    pub line: u64,
    /// When it ran, in seconds since 1970.
    pub at: Option<i64>,
    /// Who ran it.
    pub user: Option<Arc<str>>,
    /// The machine it ran on.
    pub host: Option<Arc<str>>,
    /// The session it belongs to.
    pub session: Option<Arc<str>>,
    /// The address it came from.
    pub remote: Option<Arc<str>>,
    /// The directory it ran in.
    pub cwd: Option<Arc<str>>,
    /// The shell that read it, where the history says so.
    pub shell: Option<Language>,
}

impl Entry {
    /// An entry of which only the command and its place are known.
    pub fn new(command: impl Into<Vec<u8>>, line: u64) -> Self {
        Entry { command: command.into(), line, ..Entry::default() }
    }
}
