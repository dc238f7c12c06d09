//! The line, put together: text → verdict. What the faces (command line, hooks, audits) call.
//!
//! Floor 6; imports every stage below. It decides the order of the stages and the tiers, and judges nothing.

use crate::effect::Object;
use crate::effect::graph::{Doubt, DoubtKind, Graph};
pub use crate::options::Options;
use crate::source::{Place, Source, Span, TextId};
use crate::verdict::{Action, SCHEMA_VERSION, Timings, Verdict, convert};
use crate::{eval, limits, redact, rules};
use std::time::{Duration, Instant};

/// Everything that one analysis found.
#[derive(Debug)]
pub struct Analysis {
    /// The texts.
    pub source: Source,
    /// The effects.
    pub graph: Graph,
    /// The answer.
    pub verdict: Verdict,
    /// The commands one by one; worked out only for a policy that asks for it.
    pub apart: rules::Apart,
}

/// Analyses one command or script: what it would do, and what is to be thought of it. Never fails; whatever could not be
/// worked out is in the verdict.
pub fn analyze(command: &[u8], options: &Options) -> Analysis {
    let start = Instant::now();
    let mut timings = Timings::default();
    let whole = command.len();
    let command = command.get(..limits::MAX_INPUT).unwrap_or(command);
    let mut source = Source::new(command);
    timings.tier0_ms = Some(ms(start.elapsed()));

    let entered = Instant::now();
    let bytes = u64::try_from(command.len()).unwrap_or(u64::MAX);
    let context = eval::Context {
        shell: options.shell,
        cwd: options.cwd.clone(),
        work: limits::MIN_WORK.saturating_add(limits::WORK_PER_BYTE.saturating_mul(bytes)),
        interactive: false,
        witness: options.witness,
    };
    let outcome = eval::run(&mut source, &context);
    let mut graph = outcome.graph;
    input_doubts(command, whole, &mut graph);
    let nested = graph.programs.len() > 1;
    let both = entered.elapsed();
    timings.tier1_ms = Some(ms(both.saturating_sub(outcome.nested_time)));
    timings.tier2_ms = nested.then(|| ms(outcome.nested_time));

    let entered = Instant::now();
    let addresses = graph.effects.iter().filter(|e| is_address(&e.object)).count();
    let secrets = crate::verdict::secrets::words(&source, &graph);
    let (findings, assessment) = redact::with(&secrets, || rules::judge(&source, &graph, options));
    if addresses > 0 {
        timings.tier3_ms = Some(ms(entered.elapsed()));
    }
    let action = Action::of_all(&findings);
    timings.total_ms = ms(start.elapsed());
    let verdict = Verdict {
        schema_version: SCHEMA_VERSION,
        action,
        findings,
        assessment,
        tier_reached: match (addresses > 0, nested) {
            (true, _) => 3,
            (false, true) => 2,
            (false, false) => 1,
        },
        timings_ms: timings,
        programs: redact::with(&secrets, || convert::programs(&source, &graph)),
        effects: options.effects.then(|| redact::with(&secrets, || convert::effects(&source, &graph))),
        commands: options.effects.then(|| redact::with(&secrets, || convert::commands(&source, &graph))),
        urls_extracted_count: u32::try_from(addresses).unwrap_or(u32::MAX),
        bypass_requested: false,
        bypass_honored: false,
        interactive_detected: false,
        policy_path_used: None,
        policy: Vec::new(),
        secrets,
    };
    Analysis { source, graph, verdict, apart: rules::Apart::default() }
}

/// What no shell text should hold, and what is too long to be looked at whole.
fn input_doubts(command: &[u8], whole: usize, graph: &mut Graph) {
    let mut doubt = |kind, detail: &str, span| {
        graph.doubts.push(Doubt {
            kind,
            detail: detail.to_string(),
            place: Place::new(TextId::ROOT, span),
            process: None,
        });
    };
    if whole > command.len() {
        doubt(DoubtKind::Limit, "size of the text", Span::new(command.len(), command.len()));
    }
    if let Some(i) = command.iter().position(|b| *b == 0) {
        doubt(DoubtKind::Bytes, "NUL byte", Span::new(i, i.saturating_add(1)));
    }
    if let Err(e) = std::str::from_utf8(command) {
        let i = e.valid_up_to();
        doubt(DoubtKind::Bytes, "invalid UTF-8", Span::new(i, i.saturating_add(1)));
    }
}

fn is_address(object: &Object) -> bool {
    matches!(object, Object::Url(_) | Object::Host(_) | Object::Socket(..))
}

fn ms(d: Duration) -> f64 {
    d.as_secs_f64() * 1e3
}
