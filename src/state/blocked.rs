//! Texts that were denied, kept for the user to read where the policy wants that: redacted, for the user alone, pruned.

use super::{State, StateError, io, make_dir, private};
use crate::redact;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Largest text that is kept, in bytes.
const MAX_TEXT: usize = 1 << 20;

impl State {
    /// Keeps a denied text under the name of its decision, and lets go of old ones. Gives the file, or `None` where the
    /// policy keeps none.
    pub fn keep_blocked(&self, id: &str, command: &[u8]) -> Result<Option<PathBuf>, StateError> {
        if !self.policy.save_blocked {
            return Ok(None);
        }
        let dir = self.dir.join("blocked");
        self.make()?;
        make_dir(&dir)?;
        let path = dir.join(format!("{id}.txt"));
        let text = String::from_utf8_lossy(command);
        let text = redact::text(&text);
        let part = text.as_bytes().get(..MAX_TEXT).unwrap_or(text.as_bytes());
        let mut file = private().create_new(true).write(true).open(&path).map_err(io(&path))?;
        file.write_all(part).map_err(io(&path))?;
        drop(file);
        self.prune(&dir)?;
        Ok(Some(path))
    }

    fn prune(&self, dir: &std::path::Path) -> Result<(), StateError> {
        let mut files: Vec<_> = std::fs::read_dir(dir)
            .map_err(io(dir))?
            .flatten()
            .filter_map(|f| Some((f.metadata().ok()?.modified().ok()?, f.path())))
            .collect();
        files.sort();
        let keep = self.policy.blocked_files;
        let oldest = Duration::from_secs(u64::from(self.policy.blocked_days).saturating_mul(86_400));
        let surplus = files.len().saturating_sub(keep);
        for (i, (made, path)) in files.iter().enumerate() {
            if i < surplus || made.elapsed().is_ok_and(|age| age > oldest) {
                // Another process may have been quicker.
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(())
    }
}
