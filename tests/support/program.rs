//! Programs that a test puts somewhere and runs.

use std::path::Path;
use std::process::Command;

/// Copies a program, by a process of its own: a file that this process wrote may still be open for writing in a child that
/// another test is just starting, and such a file cannot be run ("Text file busy").
pub(crate) fn place(from: &Path, to: &Path) {
    let done = Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(done.success(), "cannot copy {} to {}", from.display(), to.display());
}
