//! Settings of what is kept between runs: grants, requests, the log, blocked texts.

use serde::Deserialize;
use std::path::PathBuf;

/// The section `[state]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StatePolicy {
    /// `dir`: where it is kept; `SHELLWARD_STATE` comes before it, `$XDG_STATE_HOME/shellward` after.
    pub dir: Option<PathBuf>,
    /// `log`: whether decisions are logged.
    pub log: bool,
    /// `log_bytes`: how large the log may grow before a new one is begun.
    pub log_bytes: u64,
    /// `log_files`: how many old ones are kept.
    pub log_files: u32,
    /// `save_blocked`: whether a command that was denied is kept as a file, redacted.
    pub save_blocked: bool,
    /// `blocked_files`: how many of those are kept.
    pub blocked_files: usize,
    /// `blocked_days`: for how long.
    pub blocked_days: u32,
    /// `session_hours`: how long an approval for a session holds at most.
    pub session_hours: u32,
    /// `permanent_days`: how long one for ever holds; 0 for no end.
    pub permanent_days: u32,
    /// `request_minutes`: how long a request waits for its answer.
    pub request_minutes: u32,
    /// `prompt_seconds`: how long a question on a terminal waits.
    pub prompt_seconds: u32,
}

impl Default for StatePolicy {
    fn default() -> Self {
        StatePolicy {
            dir: None,
            log: true,
            log_bytes: 8 << 20,
            log_files: 4,
            save_blocked: false,
            blocked_files: 50,
            blocked_days: 14,
            session_hours: 24,
            permanent_days: 0,
            request_minutes: 30,
            prompt_seconds: 60,
        }
    }
}
