//! What the caller of an analysis knows about the place where the command would run, and what its user takes for safe.
//!
//! Floor 4; imports `effect` and `intel`. Plain data, read by the interpreter, the rules and the faces.

use crate::effect::Language;
use crate::intel::store::Store;
use serde::Deserialize;
use std::sync::Arc;

/// What the caller knows about the place where the command would run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The shell that would read it.
    pub shell: Language,
    /// The directory it would run in, absolute, where known.
    pub cwd: Option<String>,
    /// The home directory, where known.
    pub home: Option<String>,
    /// Put the effect graph into the verdict.
    pub effects: bool,
    /// Let the second reader check the first.
    pub witness: bool,
    /// Threat data, opened when the first address or package asks for it.
    pub threats: Option<Arc<Store>>,
    /// What may be called safe.
    pub stances: Stances,
}

/// Which changes of files below the start directory are safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Writes {
    /// None: what is safe only looks.
    None,
    /// New text that stands in the command itself as a here-document: nothing is written that a reader of the command
    /// does not see. Adding to files, editing and copying is not.
    #[default]
    Documents,
    /// Every write, copy, move, link and change of mode, wherever its content comes from.
    Project,
}

/// What may be called safe where opinions differ: the section `[assess]` of a policy. The defaults are those under which
/// a careful person would not want to be asked.
///
/// Whatever they say: files that programs run or obey (dotfiles, build files, settings of agents and of version control)
/// are never written safely, nothing is safe with other rights or on another machine, and a risk is a risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stances {
    /// `writes`: which changes of files below the start directory are safe.
    pub writes: Writes,
    /// `repository`: looking at a repository is safe, though its own settings may name helpers that run then
    /// (`git status` asks `core.fsmonitor`, `git diff` runs `textconv`: gitattributes(5), git-config(1)).
    pub repository: bool,
    /// `network`: requests that only get something from a public address or this machine are safe.
    pub network: bool,
    /// `project_code`: the project's own tests, build scripts, package scripts and other files of code are safe to run,
    /// and to build, which gets the packages that the project names.
    pub project_code: bool,
    /// `help`: a program of which nothing is known is safe to ask for its help or version, and for nothing else, where it
    /// is called by its name and not by the path of a file (`x --help`, but not `./x --help`).
    pub help: bool,
    /// `variables`: variables that no grammar and no list gives a meaning to a program that runs are safe to set.
    pub variables: bool,
}

impl Default for Stances {
    fn default() -> Self {
        Stances {
            writes: Writes::default(),
            repository: true,
            network: true,
            project_code: false,
            help: true,
            variables: true,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            shell: Language::Bash,
            cwd: None,
            home: None,
            effects: false,
            witness: true,
            threats: None,
            stances: Stances::default(),
        }
    }
}
