//! Verdict → the JSON object that clients read, and the schema of it.

use crate::verdict::Verdict;

/// The JSON Schema (2020-12) of a verdict. `tests/cli.rs` holds it against real output.
pub const SCHEMA: &str = include_str!("verdict.schema.json");

/// The verdict as one JSON object on one line, without a newline.
pub fn verdict(verdict: &Verdict) -> Vec<u8> {
    // Plain structs with string keys, written to memory: there is nothing that could fail.
    serde_json::to_vec(verdict).unwrap_or_default()
}
