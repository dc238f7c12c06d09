//! The answer to one command: action, findings, assessment.
//!
//! Floor 3; imports `finding`. Plain data that serialises to the JSON object of `shellward schema`.

pub mod convert;
pub mod incomplete;
pub(crate) mod secrets;

use crate::finding::{Finding, Severity, SpanOut};
use serde::Serialize;

/// The version of the JSON object.
pub const SCHEMA_VERSION: u32 = 3;

/// What to do with the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Let it run.
    Allow,
    /// Say something, or ask.
    Warn,
    /// Do not let it run.
    Block,
}

impl Action {
    /// The exit code of `shellward check`.
    pub fn exit_code(self) -> u8 {
        match self {
            Action::Allow => 0,
            Action::Block => 1,
            Action::Warn => 2,
        }
    }
    /// What findings call for together: what the worst of them does.
    pub fn of_all(findings: &[Finding]) -> Self {
        findings.iter().map(|f| Action::of(f.severity)).max().unwrap_or(Action::Allow)
    }
    /// What a severity calls for when no policy says otherwise.
    pub fn of(severity: Severity) -> Self {
        match severity {
            Severity::Info => Action::Allow,
            Severity::Low | Severity::Medium => Action::Warn,
            Severity::High | Severity::Critical => Action::Block,
        }
    }
}

/// Whether the command may be approved without asking anyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Every effect is known and harmless.
    Safe,
    /// Something could not be proven.
    Unknown,
    /// A finding says it is dangerous.
    Risk,
}

/// The auto-approval answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assessment {
    /// Which class.
    pub class: Class,
    /// Why it is not safe, in words; empty for safe.
    pub reasons: Vec<String>,
}

/// One program, outer or nested.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgramOut {
    /// Its language.
    pub language: &'static str,
    /// Its text, secrets redacted.
    pub text: String,
    /// Where it comes from in the outermost text.
    pub span: SpanOut,
    /// How it was reached.
    pub reached: &'static str,
    /// The command that evaluates it.
    pub by: Option<String>,
    /// Index of the program around it in this list.
    pub parent: Option<u32>,
}

/// One command that would run, with the words that the shell would give it, as `--effects` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CommandOut {
    /// The name of the program, without its folder.
    pub name: String,
    /// Its words after all expansions, the command word first, secrets redacted. A word that is not known is shown as
    /// far as it is.
    pub argv: Vec<String>,
    /// The words that are not known whole.
    pub unknown: Vec<UnknownOut>,
    /// Where, in the outermost text.
    pub span: SpanOut,
    /// `certain`, `conditional` or `possible`.
    pub certainty: &'static str,
    /// Index of the program that it stands in.
    pub program: u32,
    /// Index of the command that runs it, in this list.
    pub by: Option<u32>,
}

/// A word of a command that is not known whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnknownOut {
    /// Its index in `argv`.
    pub word: u32,
    /// Why, for each part that is not known.
    pub why: Vec<String>,
    /// True where it may be no word, or several.
    pub splits: bool,
    /// What it may be, where that is a few texts.
    pub readings: Vec<String>,
}

/// One effect, as `--effects` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectOut {
    /// Its number, which `inputs` of others name.
    pub id: u32,
    /// The verb.
    pub verb: &'static str,
    /// The object, secrets redacted.
    pub object: String,
    /// The kind of object.
    pub kind: &'static str,
    /// Properties.
    pub props: Vec<&'static str>,
    /// The command that does it.
    pub by: String,
    /// Where, in the outermost text.
    pub span: SpanOut,
    /// `certain`, `conditional` or `possible`.
    pub certainty: &'static str,
    /// `local`, or where else.
    pub site: String,
    /// Effects whose content goes in, with the channels it went through.
    pub inputs: Vec<FlowOut>,
    /// In words.
    pub text: String,
}

/// One flow edge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowOut {
    /// The number of the effect it comes from.
    pub from: u32,
    /// The channels.
    pub via: Vec<&'static str>,
}

/// An entry of a policy that changed a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyEntry {
    /// The entry as the file names it: `rules.world_writable`, `gate.deny[0]`, `rule prod_delete`.
    pub entry: String,
    /// The file, or the preset; empty where it is not known.
    pub file: String,
    /// Its line, from 1; 0 where it is not known.
    pub line: usize,
    /// What it did.
    pub did: String,
}

impl std::fmt::Display for PolicyEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let PolicyEntry { entry, file, line, did } = self;
        match (file.is_empty(), line) {
            (true, _) => write!(f, "{entry} {did}"),
            (false, 0) => write!(f, "{file}: {entry} {did}"),
            (false, _) => write!(f, "{file}:{line}: {entry} {did}"),
        }
    }
}

/// Time spent in each tier, in milliseconds; `None` for a tier that was not entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Timings {
    /// Input checks.
    pub tier0_ms: Option<f64>,
    /// Outer program read and evaluated.
    pub tier1_ms: Option<f64>,
    /// Nested programs.
    pub tier2_ms: Option<f64>,
    /// URLs, hosts, threat data.
    pub tier3_ms: Option<f64>,
    /// All of it.
    pub total_ms: f64,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What to do.
    pub action: Action,
    /// Why, most important first.
    pub findings: Vec<Finding>,
    /// The auto-approval answer.
    pub assessment: Assessment,
    /// How far the work went: 0 input checks, 1 outer program, 2 nested programs, 3 addresses and threat data.
    pub tier_reached: u8,
    /// How long it took.
    pub timings_ms: Timings,
    /// Every program found.
    pub programs: Vec<ProgramOut>,
    /// The effect graph, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<EffectOut>>,
    /// Every command that would run, in order as far as known, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<CommandOut>>,
    /// How many addresses were found in roles that use them.
    pub urls_extracted_count: u32,
    /// A bypass was asked for.
    pub bypass_requested: bool,
    /// And given.
    pub bypass_honored: bool,
    /// A terminal was found.
    pub interactive_detected: bool,
    /// The policy file that was used.
    pub policy_path_used: Option<String>,
    /// The entries of the policy that had a say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<PolicyEntry>,
    /// The words of the command that are secrets; for [`crate::redact::with`], never shown.
    #[serde(skip)]
    pub secrets: crate::redact::Words,
}
