//! The verdict for a command that could not be analysed at all: larger than the limits, or the analysis itself failed.
//!
//! Never *allow*: what was not looked at is not harmless. Floor 3; imports `finding`.

use super::{Action, Assessment, Class, SCHEMA_VERSION, Timings, Verdict};
use crate::finding::{Confidence, Evidence, Finding, Severity, SpanOut};

/// The id of the finding that says that a verdict does not rest on the whole text.
pub const RULE_ID: &str = "analysis_incomplete";

impl Verdict {
    /// A warning that the command, `length` bytes long as far as known, was not analysed, and why: a clause such as
    /// `it has more than 16777216 bytes`.
    pub fn incomplete(why: &str, length: usize) -> Verdict {
        let span = SpanOut { start: 0, end: u32::try_from(length).unwrap_or(u32::MAX) };
        let finding = Finding {
            rule_id: RULE_ID,
            severity: Severity::Medium,
            confidence: Confidence::High,
            title: "Command was not analysed".into(),
            description: format!(
                "The command could not be analysed: {why}. Nothing is known of what it would do. Read it yourself before \
                 it runs, or split it into smaller commands and check those."
            ),
            evidence: vec![Evidence {
                kind: "text",
                label: "was not analysed".into(),
                matched: String::new(),
                span,
                details: Vec::new(),
            }],
            span,
            path: Vec::new(),
            mitre_id: None,
            remediation: "Read the command yourself, or split it into smaller ones and check those.".into(),
            fix: None,
            floor: false,
        };
        Verdict {
            schema_version: SCHEMA_VERSION,
            action: Action::of(finding.severity),
            findings: vec![finding],
            assessment: Assessment { class: Class::Unknown, reasons: vec![format!("not analysed: {why}")] },
            tier_reached: 0,
            timings_ms: Timings { tier0_ms: Some(0.0), ..Timings::default() },
            programs: Vec::new(),
            effects: None,
            commands: None,
            urls_extracted_count: 0,
            bypass_requested: false,
            bypass_honored: false,
            interactive_detected: false,
            policy_path_used: None,
            policy: Vec::new(),
            secrets: std::sync::Arc::default(),
        }
    }
}
