//! Where policies are: the user's file, and the project's `.shellward.toml`. The one place that decides which of them
//! holds, for `check`, hooks and the gate alike.
//!
//! The project's file comes with the project, so it may have been written by whoever wrote the commands: it may make
//! judgement stricter, never milder, unless the user's file trusts its directory. Where one of them is broken, its deny rules
//! may be lost, so every command is asked about ([`BROKEN_RULE`](super::BROKEN_RULE)): neither silence, which would be a way
//! around a denial, nor a refusal, which would let any project stop all work.

use super::{Policy, PolicyError};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The project's file.
pub const PROJECT_FILE: &str = ".shellward.toml";
/// Largest policy file, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// Most directories that are looked at for the project's file.
const MAX_ABOVE: usize = 64;

/// The policy that holds, and where it came from.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The policy.
    pub policy: Policy,
    /// The user's file, where there is one.
    pub user: Option<PathBuf>,
    /// The project's file, where there is one.
    pub project: Option<PathBuf>,
    /// What is wrong with them, for people: broken files, and settings of the project that would loosen.
    pub problems: Vec<String>,
    /// The user's file is there and cannot be used: the defaults hold in its place.
    pub broken: bool,
}

impl Loaded {
    /// The file to name as the one that was used: the user's, else the project's.
    pub fn path(&self) -> Option<&Path> {
        self.user.as_deref().or(self.project.as_deref())
    }
}

/// The policy for a command that would run in `cwd`. Never fails: of a file that cannot be used only the deny rules count,
/// as far as they can be read, and every command is asked about.
pub fn load(cwd: Option<&Path>) -> Loaded {
    let mut out = Loaded::default();
    match Policy::of_user() {
        Ok((policy, path)) => (out.policy, out.user) = (policy, path),
        Err(e) => {
            out.broken = true;
            out.is_broken(e.path(), &e.what());
            out.problems.push(format!("{e}; the defaults are used, and every command is asked about"));
        }
    }
    if let Some(path) = cwd.and_then(project_file) {
        out.join(&path);
    }
    out
}

impl Loaded {
    fn is_broken(&mut self, path: &Path, what: &str) {
        self.policy.note_broken(format!("{}, {what}", path.display()));
        let text = read_text(path).unwrap_or_default();
        self.policy.gate.deny.extend(super::broken::deny_rules(&text));
    }

    fn join(&mut self, path: &Path) {
        let read = || {
            let policy = Policy::read(path)?;
            let text = read_text(path).unwrap_or_default();
            Ok((policy, toml::from_str::<toml::Table>(&text).unwrap_or_default()))
        };
        match read() {
            Ok((project, said)) => {
                self.project = Some(path.to_path_buf());
                let trusted = self.policy.trust.iter().any(|dir| dir.is_absolute() && path.parent() == Some(dir));
                let ignored = self.policy.join(&project, &said, trusted);
                if !ignored.is_empty() {
                    let what = format!(
                        "{}: {} ignored; a project's policy may only be stricter, unless the user's `trust` names its \
                         directory",
                        path.display(),
                        ignored.join(", ")
                    );
                    self.problems.push(what);
                }
            }
            Err(e) => {
                let e: PolicyError = e;
                self.is_broken(path, &e.what());
                self.problems.push(format!("{e}; it is left out, and every command is asked about"));
            }
        }
    }
}

/// The nearest project file at or above a directory.
fn project_file(cwd: &Path) -> Option<PathBuf> {
    if !cwd.is_absolute() {
        return None;
    }
    // A pipe or device of that name would be waited for; only a file is one.
    let is_file = |p: &PathBuf| std::fs::metadata(p).is_ok_and(|m| m.is_file());
    cwd.ancestors().take(MAX_ABOVE).map(|d| d.join(PROJECT_FILE)).find(is_file)
}

/// The text of a policy file.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let read = std::fs::File::open(path)?.take(MAX_FILE.saturating_add(1)).read_to_string(&mut text)?;
    if u64::try_from(read).unwrap_or(u64::MAX) > MAX_FILE {
        let what = format!("it has more than {MAX_FILE} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, what));
    }
    Ok(text)
}

impl Policy {
    /// The policy of this user: the file named by `SHELLWARD_POLICY`, or `shellward/policy.toml` in the configuration
    /// directory (`XDG_CONFIG_HOME`, else `~/.config`) where there is one; and that file's name.
    pub fn of_user() -> Result<(Policy, Option<PathBuf>), PolicyError> {
        if let Some(path) = std::env::var_os("SHELLWARD_POLICY").filter(|p| !p.is_empty()) {
            let path = PathBuf::from(path);
            return Ok((Policy::read(&path)?, Some(path)));
        }
        let Some(path) = config_dir().map(|d| d.join("policy.toml")) else { return Ok((Policy::default(), None)) };
        match Policy::read(&path) {
            Ok(policy) => Ok((policy, Some(path))),
            Err(PolicyError::Unreadable { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok((Policy::default(), None))
            }
            Err(e) => Err(e),
        }
    }
}

/// The directory of this program's own settings.
pub fn config_dir() -> Option<PathBuf> {
    xdg("XDG_CONFIG_HOME", ".config")
}

/// This program's directory below one of the base directories of the XDG specification.
pub(crate) fn xdg(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    absolute(variable).or_else(|| absolute("HOME").map(|h| h.join(below_home))).map(|d| d.join("shellward"))
}
