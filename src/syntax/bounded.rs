//! A parse by a tree-sitter grammar that ends: in what its scanner looks at, and in processor time.
//!
//! In: a parser, a text, what it may take. Out: the tree, or none. A grammar's scanner is code that may look from every
//! token to the end of the text, or from the start of the line to the token, and the recovery from errors tries each
//! state it knows; both make short texts of a costly shape take minutes. So the text is handed out in pieces, which are
//! counted. Floor 2; imports nothing of the project.

use std::ops::ControlFlow;
use std::time::Duration;
use tree_sitter::{ParseOptions, Parser, Tree};

/// Bytes of the text that are handed out at a time.
const PIECE: usize = 1_024;

/// What a parse may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Steps of 100 parser operations that are free of the clock, which begins with the last of them.
    pub free: u32,
    /// Processor time of this thread: what other programs take does not count.
    pub time: Duration,
    /// Bytes that may be looked at.
    pub bytes: usize,
}

/// The tree of the text; `None` where the allowance did not last.
pub(super) fn parse(parser: &mut Parser, text: &[u8], allowance: Allowance) -> Option<Tree> {
    // The clock is a call of the system: nearly every text ends before it is asked at all.
    let mut begun: Option<Duration> = None;
    let left = std::cell::Cell::new(allowance.bytes);
    let mut steps = 0u32;
    let mut stop = |_: &tree_sitter::ParseState| {
        steps = steps.saturating_add(1);
        let mut late = || {
            let now = spent();
            now.saturating_sub(*begun.get_or_insert(now)) > allowance.time
        };
        let stop = left.get() == 0 || steps >= allowance.free && late();
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut stop);
    let mut input = |offset: usize, _| {
        let piece = text.get(offset..).unwrap_or_default();
        let piece = piece.get(..PIECE).unwrap_or(piece);
        // Where nothing is left the text ends here, and the parse at its next step.
        let rest = left.get().checked_sub(piece.len());
        left.set(rest.unwrap_or(0));
        if rest.is_some() { piece } else { &[] }
    };
    let tree = parser.parse_with_options(&mut input, None, Some(options));
    // A parser that was stopped would go on with the old text.
    parser.reset();
    tree.filter(|_| left.get() > 0)
}

/// Processor time of this thread so far.
#[cfg(unix)]
fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Time since the first question, where a thread's own is not known.
#[cfg(not(unix))]
fn spent() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed()
}
