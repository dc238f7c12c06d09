//! Where the command line meets the analyzer.

use crate::analyzer::{Analysis, Options};
use crate::effect::graph::{Graph, ProgramNode, Reach};
use crate::source::{Place, Source, TextId};
use crate::verdict::{Action, Assessment, Class, SCHEMA_VERSION, Timings, Verdict, convert};

/// Analyses one command.
pub(super) fn analyze(command: &[u8], options: &Options) -> Analysis {
    let source = Source::new(command);
    let graph = Graph {
        programs: vec![ProgramNode {
            language: options.shell,
            text: TextId::ROOT,
            place: Place::default(),
            reach: Reach::Root,
            by: None,
            parent: None,
        }],
        ..Graph::default()
    };
    let programs = convert::programs(&source, &graph);
    let effects = options.effects.then(|| convert::effects(&source, &graph));
    Analysis {
        source,
        graph,
        verdict: Verdict {
            schema_version: SCHEMA_VERSION,
            action: Action::Allow,
            findings: Vec::new(),
            assessment: Assessment { class: Class::Unknown, reasons: Vec::new() },
            tier_reached: 0,
            timings_ms: Timings::default(),
            programs,
            effects,
            urls_extracted_count: 0,
            bypass_requested: false,
            bypass_honored: false,
            interactive_detected: false,
            policy_path_used: None,
        },
    }
}
