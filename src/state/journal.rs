//! A file of records that survives crashes: one line is one transaction, `CHECKSUM JSON`.
//!
//! A writer holds the lock of a file beside it, reads everything, cuts off what a killed writer left half done at the end,
//! and appends its line in one write. A line whose end or checksum is missing was never committed. When most lines are of
//! the past, the writer puts a new file in the place of the old one at once, by renaming. Readers take no lock: they see
//! the whole lines of one file, old or new.
//!
//! A wrong line before the end is no crash but damage. Then nothing in the file is believed: approvals are asked for
//! again, and the next writer keeps the file aside.

use super::model::{Model, Record};
use super::{State, StateError, io, lock, private};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Below this many bytes a journal is never rewritten.
const SMALL: u64 = 64 << 10;
/// Largest journal that is read: more than can come of rewriting at [`SMALL`].
const LARGEST: u64 = 64 << 20;

/// What was read.
pub(super) struct Contents {
    /// The state.
    pub model: Model,
    /// Bytes of whole lines.
    good: u64,
    /// A line before the end is wrong.
    pub damaged: bool,
}

/// FNV-1a of 64 bits: enough to tell a torn line, which is all that it is for.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn line(records: &[Record]) -> Vec<u8> {
    let json = serde_json::to_string(records).unwrap_or_default();
    format!("{:016x} {json}\n", checksum(json.as_bytes())).into_bytes()
}

fn parse(line: &[u8]) -> Option<Vec<Record>> {
    let (sum, json) = line.split_at_checked(16)?;
    let json = json.strip_prefix(b" ")?;
    let sum = u64::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    if sum != checksum(json) {
        return None;
    }
    serde_json::from_slice(json).ok()
}

fn contents(bytes: &[u8]) -> Contents {
    let mut out = Contents { model: Model::default(), good: 0, damaged: false };
    let mut rest = bytes;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let (Some(text), Some(after)) = (rest.get(..end), rest.get(end.saturating_add(1)..)) else { break };
        match parse(text) {
            Some(records) => records.into_iter().for_each(|r| out.model.apply(r)),
            None => {
                // A torn line is the last one; the writer after it would have cut it off.
                out.damaged = !after.is_empty();
                return out;
            }
        }
        out.good = out.good.saturating_add(u64::try_from(end).unwrap_or(u64::MAX)).saturating_add(1);
        rest = after;
    }
    out
}

fn read_all(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl State {
    fn journal(&self) -> PathBuf {
        self.dir.join("state.jsonl")
    }

    /// What is kept. Nothing, where there is no file yet.
    pub(super) fn contents(&self) -> Result<Contents, StateError> {
        let path = self.journal();
        let look = || -> Result<Contents, StateError> {
            match File::open(&path) {
                Ok(mut file) => Ok(contents(&read_all(&mut file).map_err(io(&path))?)),
                Err(e) if e.kind() == ErrorKind::NotFound => Ok(contents(&[])),
                Err(e) => Err(io(&path)(e)),
            }
        };
        let seen = look()?;
        if !seen.damaged {
            return Ok(seen);
        }
        // A writer may just have been cutting off a torn line: look again while there is none.
        let _held = self.lock_file(false, lock::HASTE)?;
        look()
    }

    fn lock_file(&self, exclusive: bool, patience: Duration) -> Result<File, StateError> {
        let path = self.dir.join("state.lock");
        let file = private().create(true).truncate(false).write(true).read(true).open(&path).map_err(io(&path))?;
        lock::lock(&file, &path, exclusive, patience)?;
        Ok(file)
    }

    /// Changes the state: `work` looks at what is kept and says what is to be added, and what it made of it. All of it
    /// is kept, or nothing. `durable`, for what a person has decided: it outlives a loss of power, too, and waits its turn.
    pub(super) fn transact<T>(
        &self,
        durable: bool,
        work: impl FnOnce(&Model) -> Result<(Vec<Record>, T), StateError>,
    ) -> Result<T, StateError> {
        self.make()?;
        let _held = self.lock_file(true, if durable { lock::PATIENCE } else { lock::HASTE })?;
        let path = self.journal();
        let open = || private().create(true).truncate(false).read(true).write(true).open(&path).map_err(io(&path));
        let mut file = open()?;
        let mut seen = contents(&read_all(&mut file).map_err(io(&path))?);
        if seen.damaged {
            let aside = self.dir.join("state.damaged");
            std::fs::rename(&path, &aside).map_err(io(&path))?;
            // Numbers go on: an answer for a lost request must not fit a new one.
            let next = seen.model.next.saturating_add(1_000);
            seen = contents(&[]);
            seen.model.next = next;
            file = open()?;
        }
        let (records, made) = work(&seen.model)?;
        if records.is_empty() {
            return Ok(made);
        }
        let mut model = seen.model;
        records.iter().cloned().for_each(|r| model.apply(r));
        let new = line(&records);
        let length = file.metadata().map_err(io(&path))?.len();
        if seen.good > SMALL {
            let now = crate::audit::time::now();
            let whole = line(&model.live(now));
            if u64::try_from(whole.len()).unwrap_or(u64::MAX) < seen.good / 2 {
                self.replace(&whole)?;
                return Ok(made);
            }
        }
        if seen.good < length {
            file.set_len(seen.good).map_err(io(&path))?;
        }
        file.seek(SeekFrom::Start(seen.good)).map_err(io(&path))?;
        file.write_all(&new).map_err(io(&path))?;
        if durable {
            file.sync_data().map_err(io(&path))?;
        }
        Ok(made)
    }

    /// Puts a new journal in the place of the old one, at once.
    fn replace(&self, whole: &[u8]) -> Result<(), StateError> {
        let new = self.dir.join("state.new");
        let mut file = private().create(true).truncate(true).write(true).open(&new).map_err(io(&new))?;
        file.write_all(whole).map_err(io(&new))?;
        file.sync_all().map_err(io(&new))?;
        std::fs::rename(&new, self.journal()).map_err(io(&new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_end_was_never_committed_and_a_wrong_line_is_damage() {
        let one = line(&[Record::Denials { count: 1 }]);
        let two = line(&[Record::Denials { count: 2 }]);
        let both = [one.clone(), two.clone()].concat();
        for cut in 0..=two.len() {
            let seen = contents(&both[..one.len() + cut]);
            assert_eq!((seen.model.denials, seen.damaged), (if cut == two.len() { 2 } else { 1 }, false), "{cut}");
        }
        let mut wrong = both.clone();
        wrong[20] ^= 1;
        assert!(contents(&wrong).damaged);
        // A last line with its end and a wrong sum may be a torn one that a crash of the machine left.
        let mut wrong = both;
        let end = wrong.len() - 2;
        wrong[end] ^= 1;
        let seen = contents(&wrong);
        assert_eq!((seen.model.denials, seen.damaged, seen.good), (1, false, one.len() as u64));
    }
}
