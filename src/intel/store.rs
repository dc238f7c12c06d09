//! The databases that are in use, and how a new one takes the place of an old one.
//!
//! A folder holds `threats.db`, the one before it as `threats.previous.db`, the greatest version that was ever in use as
//! `threats.version`, and the user's own databases in `overlays/`. The keys that are trusted stand in a file of their own, beside
//! the settings. Nothing is opened before the first look-up. The main database has to be signed by a trusted key; an
//! overlay may be unsigned: whoever can write there could trust a key as well.

use super::db::{Database, Keys, Record, Refusal};
use super::indicator::Indicator;
use crate::time;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The main database.
const MAIN: &str = "threats.db";
/// The one before it.
const PREVIOUS: &str = "threats.previous.db";
/// The greatest version that was in use.
const VERSION: &str = "threats.version";
/// Largest database that is taken, in bytes.
pub const MAX_SIZE: u64 = 1 << 30;
/// How far the clocks of maker and user may differ, in seconds.
const SKEW: i64 = 86_400;
/// Most overlays that are read.
const MAX_OVERLAYS: usize = 32;

/// Where threat data lies, opened when it is first asked.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    keys: PathBuf,
    opened: OnceLock<Opened>,
    previous: OnceLock<Option<Database>>,
}

/// A database in use.
#[derive(Debug)]
pub struct Serving {
    /// Its file.
    pub path: PathBuf,
    /// It.
    pub database: Database,
    /// True for one of the user's own.
    pub overlay: bool,
}

/// What was found when the folder was opened.
#[derive(Debug, Default)]
pub struct Opened {
    /// The databases that are asked, the main one first.
    pub serving: Vec<Serving>,
    /// What is not used, and why.
    pub problems: Vec<String>,
    /// The keys that are trusted.
    pub keys: Keys,
}

impl Opened {
    /// True where there is no threat data, not even any that is refused.
    pub fn is_empty(&self) -> bool {
        self.serving.is_empty() && self.problems.is_empty()
    }
}

/// One thing that a database says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// What is listed: the thing that was asked about, or a network or zone around it.
    pub indicator: Indicator,
    /// What for.
    pub record: Record,
    /// The source's name.
    pub source: String,
    /// The source's own name for it.
    pub reference: Option<String>,
    /// The database: name and version.
    pub database: String,
    /// When the database was made, in seconds since 1970.
    pub made: i64,
    /// Its time is over.
    pub expired: bool,
}

impl Hit {
    /// How fresh it is, in words: the database, its age, and when the thing was reported.
    pub fn freshness(&self, now: i64) -> String {
        let days = now.saturating_sub(self.made).max(0).div_euclid(86_400);
        let reported = self.record.reported().map(|at| format!(", reported {}", time::day(at))).unwrap_or_default();
        let expired = if self.expired { ", expired" } else { "" };
        format!("{}, made {} ({days} days ago){expired}{reported}", self.database, time::day(self.made))
    }
}

/// What an update did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// The version before, where there was one.
    pub from: Option<u64>,
    /// The version now.
    pub to: u64,
    /// Records now.
    pub records: u64,
}

/// Why an update was not made. What was in use goes on being used.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The new database is refused.
    #[error("the new database {0}")]
    Refused(#[from] Refusal),
    /// It breaks off.
    #[error("the new database cannot be read to its end: {0}")]
    Source(std::io::Error),
    /// The folder cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Folder {
        /// What.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file of keys is wrong.
    #[error("the trusted keys cannot be used: {0}")]
    Keys(String),
    /// It is too large.
    #[error("the new database has more than {MAX_SIZE} bytes")]
    Large,
}

impl Store {
    /// The store in a folder, with the keys in that file. Opens nothing.
    pub fn new(dir: PathBuf, keys: PathBuf) -> Store {
        Store { dir, keys, opened: OnceLock::new(), previous: OnceLock::new() }
    }

    /// The store of this user: the folder named by `SHELLWARD_THREATS`, else `shellward/threats` among the user's data
    /// (`XDG_DATA_HOME`, else `~/.local/share`); the keys from `threats.pub` beside the settings, or in that folder where
    /// it was named.
    pub fn of_user(config: Option<PathBuf>) -> Option<Store> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        if let Some(dir) = absolute("SHELLWARD_THREATS") {
            let keys = dir.join("threats.pub");
            return Some(Store::new(dir, keys));
        }
        let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|h| h.join(".local/share")))?;
        Some(Store::new(data.join("shellward/threats"), config?.join("threats.pub")))
    }

    /// Where it lies.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
    /// The file of the trusted keys.
    pub fn keys_file(&self) -> &Path {
        &self.keys
    }
    /// The keys that are trusted; none where there is no file.
    pub fn keys(&self) -> Result<Keys, String> {
        match std::fs::read_to_string(&self.keys) {
            Ok(text) => Keys::parse(&text).map_err(|e| format!("{}: {e}", self.keys.display())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Keys::default()),
            Err(e) => Err(format!("{}: {e}", self.keys.display())),
        }
    }

    /// What is in use; opened at the first call.
    pub fn opened(&self) -> &Opened {
        self.opened.get_or_init(|| self.open())
    }

    fn open(&self) -> Opened {
        let mut out = Opened::default();
        let main = self.dir.join(MAIN);
        let overlays = self.overlays();
        if !main.exists() && overlays.is_empty() {
            return out;
        }
        match self.keys() {
            Ok(keys) => out.keys = keys,
            Err(e) => out.problems.push(e),
        }
        let none_before = || !self.dir.join(PREVIOUS).exists();
        match Database::open(&main, &out.keys, false) {
            Ok(database) => out.serving.push(Serving { path: main, database, overlay: false }),
            Err(Refusal::Io(e)) if e.kind() == std::io::ErrorKind::NotFound && none_before() => {}
            Err(e) => {
                out.problems.push(format!("{} {e}", main.display()));
                let path = self.dir.join(PREVIOUS);
                if let Ok(database) = Database::open(&path, &out.keys, false) {
                    out.serving.push(Serving { path, database, overlay: false });
                }
            }
        }
        for path in overlays {
            match Database::open(&path, &out.keys, true) {
                Ok(database) => out.serving.push(Serving { path, database, overlay: true }),
                Err(e) => out.problems.push(format!("{} {e}", path.display())),
            }
        }
        out
    }

    /// The files of the overlays, in the order of their names.
    fn overlays(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.dir.join("overlays")) else { return Vec::new() };
        let files = entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "db"));
        let mut out: Vec<PathBuf> = files.take(MAX_OVERLAYS).collect();
        out.sort();
        out
    }

    /// What of the databases in use is damaged, as far as it can be read in that time; without one, all of it is read. A
    /// look-up finds damage only where it reads.
    pub fn damage(&self, time: Option<std::time::Duration>) -> Vec<String> {
        let until = time.and_then(|t| std::time::Instant::now().checked_add(t));
        let wrong = |s: &Serving| {
            let e = s.database.verify_until(until).err()?;
            let before = if s.overlay { "" } else { "; where it is, the one before it is asked" };
            Some(format!("{} {e}{before}; `shellward threats update` with a whole one puts it right", s.path.display()))
        };
        self.opened().serving.iter().filter_map(wrong).collect()
    }

    /// What the databases say of any of these, and what went wrong when they were asked.
    pub fn find(&self, indicators: &[Indicator], now: i64) -> (Vec<Hit>, Vec<String>) {
        let opened = self.opened();
        let (mut hits, mut problems) = (Vec::new(), opened.problems.clone());
        for s in &opened.serving {
            match find_in(&s.database, indicators, now) {
                Ok(found) => hits.extend(found),
                Err(e) => {
                    problems.push(format!("{} {e}", s.path.display()));
                    // The one before it goes on serving.
                    let before = || Database::open(&self.dir.join(PREVIOUS), &opened.keys, false).ok();
                    if !s.overlay
                        && let Some(previous) = self.previous.get_or_init(before)
                    {
                        hits.extend(find_in(previous, indicators, now).unwrap_or_default());
                    }
                }
            }
        }
        (hits, problems)
    }

    /// The greatest version that is or was in use.
    pub fn version(&self) -> Option<u64> {
        let noted = std::fs::read_to_string(self.dir.join(VERSION)).ok().and_then(|t| t.trim().parse::<u64>().ok());
        let main = self.opened().serving.iter().find(|s| !s.overlay).map(|s| s.database.header().version);
        noted.max(main)
    }

    /// Takes a new database into use: its signature and every byte are checked first, it has to be newer than every one
    /// before, and its time must not be over. It appears whole or not at all; the one that it takes the place of is kept.
    pub fn update(&self, from: &mut dyn Read, now: i64) -> Result<Updated, UpdateError> {
        let failed = |path: &Path, error| UpdateError::Folder { path: path.to_path_buf(), error };
        std::fs::create_dir_all(&self.dir).map_err(|e| failed(&self.dir, e))?;
        let lock = self.dir.join("threats.lock");
        let held = File::create(&lock).and_then(|f| f.lock().map(|()| f)).map_err(|e| failed(&lock, e))?;
        let fresh = self.dir.join(".threats.new");
        // Of an update that was killed.
        let _ = std::fs::remove_file(&fresh);
        let done = self.take(from, &fresh, now);
        if done.is_err() {
            // What is left of it is of no use; that it could not be removed changes nothing.
            let _ = std::fs::remove_file(&fresh);
        }
        drop(held);
        done
    }

    fn take(&self, from: &mut dyn Read, fresh: &Path, now: i64) -> Result<Updated, UpdateError> {
        let failed = |path: &Path, error| UpdateError::Folder { path: path.to_path_buf(), error };
        let keys = self.keys().map_err(UpdateError::Keys)?;
        // The bytes that are checked are those that will be used.
        let mut file = File::create(fresh).map_err(|e| failed(fresh, e))?;
        // What does not begin as a database does is not copied, whatever its length.
        let mut from = from.take(MAX_SIZE.saturating_add(1));
        let mut part = vec![0u8; 64 << 10];
        let head = Database::begins(&mut from)?;
        file.write_all(&head).map_err(|e| failed(fresh, e))?;
        let mut n = u64::try_from(head.len()).unwrap_or(u64::MAX);
        loop {
            let read = match from.read(&mut part) {
                Ok(0) => break,
                Ok(read) => part.get(..read).unwrap_or_default(),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(UpdateError::Source(e)),
            };
            file.write_all(read).map_err(|e| failed(fresh, e))?;
            n = n.saturating_add(u64::try_from(read.len()).unwrap_or(u64::MAX));
        }
        if n > MAX_SIZE {
            return Err(UpdateError::Large);
        }
        file.sync_all().map_err(|e| failed(fresh, e))?;
        let database = Database::open(fresh, &keys, false)?;
        database.verify()?;
        let h = database.header();
        let before = self.version();
        match before {
            Some(installed) if installed > h.version => {
                return Err(Refusal::Older { installed, offered: h.version }.into());
            }
            Some(installed) if installed == h.version && self.is_serving() => {
                return Err(Refusal::Same(installed).into());
            }
            _ => {}
        }
        if h.is_expired(now) {
            return Err(Refusal::Expired(time::day(h.expires)).into());
        }
        if h.made > now.saturating_add(SKEW) {
            return Err(Refusal::Future(time::day(h.made)).into());
        }
        let (main, previous) = (self.dir.join(MAIN), self.dir.join(PREVIOUS));
        // Only one that can serve is worth keeping: a damaged one must not take the place of the last whole one.
        if Database::open(&main, &keys, false).is_ok_and(|d| d.verify().is_ok()) {
            let aside = self.dir.join(".threats.old");
            let _ = std::fs::remove_file(&aside);
            let kept = std::fs::hard_link(&main, &aside).or_else(|_| std::fs::copy(&main, &aside).map(drop));
            kept.and_then(|()| std::fs::rename(&aside, &previous)).map_err(|e| failed(&previous, e))?;
        }
        // The version first: an update that stops here may be made again, and none can be rolled back.
        let noted = self.dir.join(VERSION);
        let written = File::create(&noted).and_then(|mut f| writeln!(f, "{}", h.version).and_then(|()| f.sync_all()));
        written.map_err(|e| failed(&noted, e))?;
        std::fs::rename(fresh, &main).map_err(|e| failed(&main, e))?;
        Ok(Updated { from: before, to: h.version, records: h.records })
    }

    /// True where the main database serves, whole: a damaged one may be replaced by the same version.
    fn is_serving(&self) -> bool {
        let main = self.opened().serving.iter().find(|s| !s.overlay && s.path.ends_with(MAIN));
        main.is_some_and(|s| s.database.verify().is_ok())
    }
}

/// What one database says.
pub fn find_in(database: &Database, indicators: &[Indicator], now: i64) -> Result<Vec<Hit>, Refusal> {
    let mut out = Vec::new();
    let h = database.header();
    for i in indicators {
        for (indicator, record) in database.find(i)? {
            let source = h.sources.get(usize::from(record.source));
            out.push(Hit {
                indicator,
                record,
                source: source.map_or_else(String::new, |s| s.name.clone()),
                reference: source.and_then(|s| s.show(record.reference)),
                database: format!("{} {}", h.name, h.version).trim().to_string(),
                made: h.made,
                expired: h.is_expired(now),
            });
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
