//! Where the command line meets the analyzer.

use crate::analyzer::{Analysis, Options};
use crate::effect::graph::Graph;
use crate::source::Source;
use crate::verdict::{Action, Assessment, Class, SCHEMA_VERSION, Timings, Verdict};

/// Analyses one command.
pub(super) fn analyze(command: &[u8], _: &Options) -> Analysis {
    Analysis {
        source: Source::new(command),
        graph: Graph::default(),
        verdict: Verdict {
            schema_version: SCHEMA_VERSION,
            action: Action::Allow,
            findings: Vec::new(),
            assessment: Assessment { class: Class::Unknown, reasons: Vec::new() },
            tier_reached: 0,
            timings_ms: Timings::default(),
            programs: Vec::new(),
            effects: None,
            urls_extracted_count: 0,
            bypass_requested: false,
            bypass_honored: false,
            interactive_detected: false,
            policy_path_used: None,
        },
    }
}
