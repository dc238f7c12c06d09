//! What a rule says: a finding, with its severity, its evidence and its place.
//!
//! Floor 3; imports `source`. Findings are made by rules only, and never without a place.

use serde::Serialize;

/// How bad it is if it happens. CRITICAL and HIGH block, MEDIUM and LOW warn, INFO allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Worth a look.
    Low,
    /// Worth a question.
    Medium,
    /// Should not run unasked.
    High,
    /// Should not run.
    Critical,
}

/// How sure the rule is that its reading is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It may well be something else.
    Low,
    /// Likely.
    Medium,
    /// Proven from the text.
    High,
}

/// A byte range of the outermost text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SpanOut {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// One piece of evidence. The first of a finding is the primary one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// What it shows: `command_pattern`, `url`, `host`, `path`, `code`, `flow`, `text`, `environment`, `threat_data`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What it is, in words: `fetches`, `is evaluated by`, `is written`.
    pub label: String,
    /// The text that matched, secrets redacted.
    pub matched: String,
    /// Where it stands in the outermost text.
    pub span: SpanOut,
    /// Further facts of its kind, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<(String, String)>,
}

/// One step of the way from the outermost program to the place of a finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathStep {
    /// The language of the program.
    pub language: &'static str,
    /// How it was reached (`root`, `argument`, `stdin`, …).
    pub reached: &'static str,
    /// Where its text stands in the outermost text.
    pub span: SpanOut,
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Which rule.
    pub rule_id: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// One line that names the real things: `Pipe to interpreter: curl | sh`.
    pub title: String,
    /// One paragraph; ends with the safer way.
    pub description: String,
    /// What shows it.
    pub evidence: Vec<Evidence>,
    /// Where, in the outermost text.
    pub span: SpanOut,
    /// The chain of programs to it, outermost first.
    pub path: Vec<PathStep>,
    /// MITRE ATT&CK technique, where one fits.
    pub mitre_id: Option<&'static str>,
    /// What to do instead.
    pub remediation: String,
    /// The command rewritten, where that can be done surely.
    pub fix: Option<String>,
    /// True where no mode may let it through.
    pub floor: bool,
}
