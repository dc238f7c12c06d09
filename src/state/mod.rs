//! What is kept between runs: approvals, requests that wait, the log of decisions, blocked texts.
//!
//! In: a directory of the user's own ([`dir`]). Everything in it is for the user alone (directory 0700, files 0600). Floor
//! 7; imports `policy`, `redact`, `limits`, and points in time from `audit`. It judges nothing.
//!
//! **Why no database.** What is kept is some hundred records that are read by a process that lives for a millisecond.
//! [`journal`] keeps them in one file of lines with checksums: one line is one transaction, writers queue for a lock that
//! the kernel gives back when its holder dies, readers need none. Opening a database costs more than a whole check; this
//! costs one `read`, and only where a finding is open at all. `tests/state.rs` kills its users by the hundred and compares
//! with a model.

pub mod approvals;
pub mod blocked;
mod journal;
mod lock;
pub mod log;
mod model;
#[cfg(test)]
mod tests;

pub use approvals::{Submitted, Wanted};
pub use model::{Answered, Duration, Grant, Key, Model, Pending};

use crate::policy::StatePolicy;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// Why something could not be kept or answered.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The place is not known.
    #[error("no place for state is known: neither SHELLWARD_STATE nor XDG_STATE_HOME nor HOME is an absolute path")]
    Nowhere,
    /// Reading or writing failed.
    #[error("{}: {error}", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The lock was not to be had in time.
    #[error("{} is in use by another process for too long", path.display())]
    Busy {
        /// Which.
        path: PathBuf,
    },
    /// An answer that does not fit.
    #[error("{0}")]
    Refused(String),
}

/// The directory: `SHELLWARD_STATE`, the policy's `state.dir`, `$XDG_STATE_HOME/shellward`, `~/.local/state/shellward`.
pub fn dir(policy: &StatePolicy) -> Result<PathBuf, StateError> {
    let absolute = |p: &PathBuf| p.is_absolute();
    let variable = std::env::var_os("SHELLWARD_STATE").map(PathBuf::from).filter(absolute);
    let named = || policy.dir.clone().filter(absolute);
    let xdg = || crate::policy::find::xdg("XDG_STATE_HOME", ".local/state");
    variable.or_else(named).or_else(xdg).ok_or(StateError::Nowhere)
}

/// The state of a user. Nothing is opened before it is used.
#[derive(Clone, Debug)]
pub struct State {
    dir: PathBuf,
    policy: StatePolicy,
}

impl State {
    /// The state that the policy speaks of.
    pub fn new(policy: &StatePolicy) -> Result<State, StateError> {
        Ok(State { dir: dir(policy)?, policy: policy.clone() })
    }
    /// The state in this directory.
    pub fn at(dir: &Path, policy: &StatePolicy) -> State {
        State { dir: dir.to_path_buf(), policy: policy.clone() }
    }
    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
    /// Makes the directory, for the user alone.
    fn make(&self) -> Result<(), StateError> {
        make_dir(&self.dir)
    }
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StateError {
    let path = path.to_path_buf();
    move |error| StateError::Io { path, error }
}

/// Makes a directory that only its owner can look into; one that is there stays as it is.
fn make_dir(path: &Path) -> Result<(), StateError> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(io(path))
}

/// Options to open a file that only its owner can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
