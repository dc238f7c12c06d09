//! What the caller of an analysis knows about the place where the command would run.
//!
//! Floor 4; imports `effect` and `intel`. Plain data, read by the interpreter, the rules and the faces.

use crate::effect::Language;
use crate::intel::store::Store;
use std::sync::Arc;

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
    /// Threat data, opened when the first address or package asks for it.
    pub threats: Option<Arc<Store>>,
}

impl Default for Options {
    fn default() -> Self {
        Options { shell: Language::Bash, cwd: None, home: None, effects: false, witness: true, threats: None }
    }
}
