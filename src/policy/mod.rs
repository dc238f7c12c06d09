//! Policy: what the people in charge have decided, as data.
//!
//! In: a policy file (TOML). Out: [`Policy`], with a default for everything that the file leaves out. A file that cannot
//! be read or has a name that is not known is an error with its place: a mistyped setting must not be taken for none.
//! Floor 3; imports nothing of the line but `verdict`.

mod hooks;

pub use hooks::{Failing, HookPolicy, NoAsk, OnBlock, OnWarn};

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Everything that a policy file may say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// How hooks answer their hosts.
    pub hooks: HookPolicy,
}

/// Why a policy cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("cannot read the policy file {}: {error}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Its content is wrong.
    #[error("the policy file {} is wrong: {error}", path.display())]
    Wrong {
        /// Which.
        path: PathBuf,
        /// Where and why.
        error: String,
    },
}

impl Policy {
    /// Reads a policy from the text of a file.
    pub fn parse(text: &str) -> Result<Policy, String> {
        toml::from_str(text).map_err(|e| e.to_string())
    }

    /// Reads a policy file.
    pub fn read(path: &Path) -> Result<Policy, PolicyError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| PolicyError::Unreadable { path: path.to_path_buf(), error })?;
        Policy::parse(&text).map_err(|error| PolicyError::Wrong { path: path.to_path_buf(), error })
    }

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
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|h| h.join(".config"))).map(|d| d.join("shellward"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_a_default_and_a_wrong_name_is_an_error() {
        let policy = Policy::parse("[hooks]\nfail = 'open'\n").unwrap();
        assert_eq!((policy.hooks.fail, policy.hooks.warn), (Failing::Open, OnWarn::Ask));
        for wrong in ["[hooks]\nfial = 'open'", "[hooks]\nfail = 'maybe'", "[hook]", "fail = "] {
            assert!(Policy::parse(wrong).is_err(), "{wrong}");
        }
    }
}
