//! Settings of the gate.

use crate::finding::Severity;
use serde::{Deserialize, Deserializer};
use std::path::PathBuf;

/// How requests are decided that nothing has decided before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A person is asked.
    Manual,
    /// A model is asked first, then a person.
    #[default]
    Smart,
    /// Nobody: all that is not on the floor or denied by a rule is let through.
    Off,
}

impl Mode {
    /// The mode of that name.
    pub fn named(word: &str) -> Option<Mode> {
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        match () {
            () if is("manual") => Some(Mode::Manual),
            () if is("smart") => Some(Mode::Smart),
            () if is("off") => Some(Mode::Off),
            () => None,
        }
    }
}

impl<'de> Deserialize<'de> for Mode {
    /// An unknown mode is `manual`, which asks most; `policy check` says that it is none. YAML's `off` is `false`.
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Word {
            Text(String),
            Flag(bool),
        }
        match Word::deserialize(d).map_err(|_| serde::de::Error::custom("expected manual, smart or off"))? {
            Word::Text(t) => Ok(Mode::named(&t).unwrap_or(Mode::Manual)),
            Word::Flag(false) => Ok(Mode::Off),
            Word::Flag(true) => Ok(Mode::Manual),
        }
    }
}

/// What happens to a warning or block where nobody is watching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unattended {
    /// It is final.
    #[default]
    Deny,
    /// It is let through.
    Approve,
}

/// The section `[gate]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GatePolicy {
    /// `mode`.
    pub mode: Mode,
    /// `deny`: globs; a request is denied where one matches its text or any command that it would run.
    pub deny: Vec<String>,
    /// `allow`: globs; a request is approved where each command that it would run matches one.
    pub allow: Vec<String>,
    /// `unattended`.
    pub unattended: Unattended,
    /// `hermes_config`: the `config.yaml` of Hermes Agent, whose settings on approvals count as the user's own.
    pub hermes_config: Option<PathBuf>,
    /// Keys of approvals, or rules, that such a file allows for ever.
    #[serde(skip)]
    pub granted: Vec<String>,
    /// Policies that are there and cannot be used, each with its file, line and what is wrong. Their deny rules are lost,
    /// so nothing is let through without a question.
    #[serde(skip)]
    pub broken: Vec<String>,
    /// `isolated`: backends whose commands cannot reach this machine.
    pub isolated: Vec<String>,
    /// `model_ceiling`: the worst finding that a model may approve.
    #[serde(deserialize_with = "severity")]
    pub model_ceiling: Severity,
    /// `model_denials`: after so many denials in a row the model is not asked any more.
    pub model_denials: u32,
}

impl Default for GatePolicy {
    fn default() -> Self {
        let isolated = ["docker", "singularity", "modal", "daytona", "vercel_sandbox"];
        GatePolicy {
            mode: Mode::default(),
            deny: Vec::new(),
            allow: Vec::new(),
            unattended: Unattended::default(),
            hermes_config: None,
            granted: Vec::new(),
            broken: Vec::new(),
            isolated: isolated.iter().map(|s| (*s).to_string()).collect(),
            model_ceiling: Severity::High,
            model_denials: 3,
        }
    }
}

/// Reads a severity by its name in lower or upper case.
pub(super) fn severity<'de, D: Deserializer<'de>>(d: D) -> Result<Severity, D::Error> {
    let word = String::deserialize(d)?;
    super::severity(&word).ok_or_else(|| serde::de::Error::custom(format!("there is no severity {word:?}")))
}
