//! Windsurf and Kiro: exit code 2 blocks, standard error says why; 0 goes on.

use crate::hooks::{Answer, Reply, Ruling};

/// The answer.
pub fn two(answer: &Answer<'_>) -> Reply {
    match answer.ruling {
        Ruling::Deny => Reply::refusal(&answer.reason),
        Ruling::Silent | Ruling::Allow | Ruling::Ask => Reply::default(),
    }
}
