//! Locks between processes. The kernel gives a lock back when the process that holds it ends, however it ends.

use super::{StateError, io};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a decision waits for a lock: an agent waits for it, and without the lock the question is asked again.
pub(super) const HASTE: Duration = Duration::from_secs(3);
/// How long a change waits that a person has made: it must not be lost because a hundred others write on a slow machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Locks a file for this process alone, or shared with other readers. Gives up after `patience`.
pub(super) fn lock(file: &File, path: &Path, exclusive: bool, patience: Duration) -> Result<(), StateError> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        let tried = if exclusive { file.try_lock() } else { file.try_lock_shared() };
        match tried {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() > patience => {
                return Err(StateError::Busy { path: path.to_path_buf() });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
            Err(TryLockError::Error(e)) => return Err(io(path)(e)),
        }
        // Longer pauses when many wait, but short enough that the queue moves.
        pause = (pause.saturating_mul(2)).min(Duration::from_millis(4));
    }
}
