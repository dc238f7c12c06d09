//! The line, put together: text → verdict. What the faces (command line, hooks, audits) call.
//!
//! Floor 6; imports every stage below. It decides the order of the stages and the tiers, and judges nothing.

use crate::effect::{Language, graph::Graph};
use crate::source::Source;
use crate::verdict::Verdict;

/// What the caller knows about the place where the command would run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The shell that would read it.
    pub shell: Language,
    /// The directory it would run in, absolute, where known.
    pub cwd: Option<String>,
    /// The home directory, where known.
    pub home: Option<String>,
    /// Put the effect graph into the verdict.
    pub effects: bool,
    /// Let the second reader check the first.
    pub witness: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { shell: Language::Bash, cwd: None, home: None, effects: false, witness: true }
    }
}

/// Everything that one analysis found.
#[derive(Debug)]
pub struct Analysis {
    /// The texts.
    pub source: Source,
    /// The effects.
    pub graph: Graph,
    /// The answer.
    pub verdict: Verdict,
}
