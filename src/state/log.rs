//! The log of decisions: one JSON object a line, in `log.jsonl`; older ones in `log.1.jsonl` and so on.
//!
//! A line is appended in one write, by one process at a time. What a killed process left half written is ended by the
//! next one, so it costs one line and never two. Secrets are redacted before anything is written.

use super::approvals::shown;
use super::{State, StateError, io, lock, private};
use crate::audit::time;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Longest command in the log, in characters.
const MAX_COMMAND: usize = 2 << 10;
/// Most rules and keys of one line.
const MAX_LISTED: usize = 20;
/// Longest line that is read.
const MAX_LINE: u64 = 1 << 20;

/// One decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name: the time in microseconds and the process, in hexadecimal digits.
    pub id: String,
    /// When: seconds since 1970.
    pub at: i64,
    /// Who asked: `hook AGENT`, `gate`, `approvals`.
    pub source: String,
    /// What the host was told: `allow`, `ask`, `deny`; `grant` and `revoke` for changes of approvals, `install` and `uninstall` of
    /// hooks.
    pub decision: String,
    /// The layer that decided.
    #[serde(default)]
    pub layer: String,
    /// The rules that found something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// What an approval would be for, or is: rule, shape and scope.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The command, secrets redacted.
    pub command: String,
    /// The digest of its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The request it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// The directory it would run in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Why it could not be judged: `too_large`, `unparsable`, `unprovable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// The file that keeps the blocked text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

impl Entry {
    /// An entry for a decision that is made now.
    pub fn now(source: &str, decision: &str, command: &[u8]) -> Entry {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let variable = |name| std::env::var(name).ok().filter(|v: &String| !v.is_empty());
        Entry {
            id: format!("{:x}-{:x}", since.as_micros(), std::process::id()),
            at: time::now(),
            source: source.to_string(),
            decision: decision.to_string(),
            command: shown(command, MAX_COMMAND),
            user: variable("USER").or_else(|| variable("LOGNAME")),
            host: host(),
            ..Entry::default()
        }
    }
}

/// The name of this machine, where the kernel says it in a file.
fn host() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_string()).filter(|n| !n.is_empty())
}

impl State {
    /// The log that is written, or an older one (1 is the last).
    fn log_path(&self, number: u32) -> PathBuf {
        self.dir.join(if number == 0 { "log.jsonl".to_string() } else { format!("log.{number}.jsonl") })
    }

    /// Appends an entry, where the policy wants a log.
    pub fn log(&self, entry: &Entry) -> Result<(), StateError> {
        if !self.policy.log {
            return Ok(());
        }
        self.make()?;
        let mut entry = entry.clone();
        entry.rules.truncate(MAX_LISTED);
        entry.keys.truncate(MAX_LISTED);
        entry.message = shown(entry.message.as_bytes(), MAX_COMMAND);
        let mut line = serde_json::to_string(&entry).unwrap_or_default();
        line.push('\n');
        let path = self.log_path(0);
        // Another process may rotate between opening and locking: then the open file is an old one by now.
        for _ in 0..8 {
            let mut file = private().create(true).append(true).read(true).open(&path).map_err(io(&path))?;
            lock::lock(&file, &path, true, lock::HASTE)?;
            if !is_at(&file, &path) {
                continue;
            }
            let length = file.metadata().map_err(io(&path))?.len();
            let more = u64::try_from(line.len()).unwrap_or(u64::MAX);
            if length > 0 && length.saturating_add(more) > self.policy.log_bytes.max(4 << 10) {
                self.rotate()?;
                continue;
            }
            if length > 0 && !ends_a_line(&mut file, length).map_err(io(&path))? {
                line.insert(0, '\n');
            }
            return file.write_all(line.as_bytes()).map_err(io(&path));
        }
        Err(StateError::Busy { path })
    }

    /// Moves every log to the next number; the oldest goes. The lock of the one that is written is held.
    fn rotate(&self) -> Result<(), StateError> {
        let last = self.policy.log_files.min(100);
        for number in (0..last).rev() {
            let (from, to) = (self.log_path(number), self.log_path(number.saturating_add(1)));
            match std::fs::rename(&from, &to) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(io(&from)(e)),
                _ => {}
            }
        }
        if last == 0 {
            let path = self.log_path(0);
            std::fs::remove_file(&path).map_err(io(&path))?;
        }
        Ok(())
    }

    /// Every entry, oldest first, handed to `take` until it says false; gives how many lines could not be read.
    pub fn read_log(&self, mut take: impl FnMut(Entry) -> bool) -> Result<usize, StateError> {
        let mut unread = 0usize;
        for number in (0..=100).rev() {
            let path = self.log_path(number);
            let file = match File::open(&path) {
                Ok(file) => file,
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                Err(e) => return Err(io(&path)(e)),
            };
            let mut reader = BufReader::new(file);
            let mut line = Vec::new();
            loop {
                line.clear();
                let read = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line).map_err(io(&path))?;
                if read == 0 {
                    break;
                }
                match serde_json::from_slice(&line) {
                    Ok(entry) => {
                        if !take(entry) {
                            return Ok(unread);
                        }
                    }
                    Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
                    Err(_) => unread = unread.saturating_add(1),
                }
            }
        }
        Ok(unread)
    }

    /// Whether an entry could be written now, and why not. Writes nothing.
    pub fn writable(&self) -> Result<(), StateError> {
        self.make()?;
        let path = self.log_path(0);
        private().create(true).append(true).open(&path).map(|_| ()).map_err(io(&path))
    }
}

/// True where the path still leads to the open file.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let number = |m: &std::fs::Metadata| (m.dev(), m.ino());
        match (file.metadata(), std::fs::metadata(path)) {
            (Ok(a), Ok(b)) => number(&a) == number(&b),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    {
        // A file that is open cannot be renamed there.
        let _ = file;
        path.exists()
    }
}

fn ends_a_line(file: &mut File, length: u64) -> std::io::Result<bool> {
    let mut last = [0u8];
    file.seek(SeekFrom::Start(length.saturating_sub(1)))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
