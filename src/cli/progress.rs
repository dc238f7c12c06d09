//! How far a long piece of work is: one line on standard error, on a terminal only; and Ctrl-C. Floor 8.

use super::output;
use crate::audit::engine::Progress;
use crate::audit::input::{Input, Origin};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks.
const STEP: Duration = Duration::from_millis(100);

/// The bytes of all inputs, where that can be known before they are read.
pub(super) fn total(inputs: &[Input]) -> Option<u64> {
    let packed =
        |p: &std::path::Path| p.extension().is_some_and(|e| ["gz", "zst", "xz", "bz2"].iter().any(|c| e == *c));
    inputs.iter().try_fold(0u64, |sum, input| match &input.origin {
        Origin::File(path) if !packed(path) => Some(sum.saturating_add(path.metadata().map_or(0, |m| m.len()))),
        _ => None,
    })
}

/// Lets Ctrl-C stop the work so that what was found so far is reported; a second one ends the process.
pub(super) fn stoppable(progress: &Progress) {
    use signal_hook::consts::SIGINT;
    use std::sync::Arc;
    // The order counts: the first Ctrl-C finds the flag down and puts it up. Where a handler cannot be set, Ctrl-C does
    // what it always does.
    let _ = signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&progress.stop));
    let _ = signal_hook::flag::register(SIGINT, Arc::clone(&progress.stop));
}

/// Shows the line until `done`. Standard output may be the same terminal: nothing is shown while it is written to.
pub(super) fn show(progress: &Progress, total: Option<u64>, done: &AtomicBool) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let begin = Instant::now();
    let mut shown = false;
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(STEP);
        let passed = begin.elapsed();
        if passed < Duration::from_millis(500) || done.load(Ordering::Relaxed) {
            continue;
        }
        let (bytes, commands) = (progress.bytes.load(Ordering::Relaxed), progress.commands.load(Ordering::Relaxed));
        let mut text = line(bytes, commands, total, passed);
        if progress.stop.load(Ordering::Relaxed) {
            text = "stopping, Ctrl-C again ends at once".to_string();
        }
        output::status(&text);
        shown = true;
    }
    if shown {
        output::status("");
    }
}

/// `[########    ]  64%  1,234,567 commands, 98,765 a second, 0:12 left`
fn line(bytes: u64, commands: u64, total: Option<u64>, passed: Duration) -> String {
    const WIDTH: u64 = 24;
    let seconds = passed.as_secs_f64().max(0.001);
    let counts = format!(
        "{} commands, {} a second",
        crate::report::number(commands),
        crate::report::number((commands as f64 / seconds) as u64)
    );
    let Some(total) = total.filter(|t| *t > 0) else { return counts };
    // A file that grows may give more than it had.
    let part = bytes.min(total);
    let full = part.saturating_mul(WIDTH) / total;
    let bar: String = (0..WIDTH).map(|i| if i < full { '#' } else { ' ' }).collect();
    let left = if part > 0 { seconds * (total.saturating_sub(part)) as f64 / part as f64 } else { 0.0 };
    let left = left.min(360_000.0) as u64;
    format!("[{bar}] {:>3}%  {counts}, {}:{:02} left", part.saturating_mul(100) / total, left / 60, left % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_share_rate_and_time_left() {
        let text = line(750, 3_000, Some(1_000), Duration::from_secs(3));
        assert_eq!(text, "[##################      ]  75%  3,000 commands, 1,000 a second, 0:01 left");
        assert_eq!(line(5, 10, None, Duration::from_secs(1)), "10 commands, 10 a second");
        assert!(line(0, 0, Some(10), Duration::ZERO).contains("  0%"));
    }
}
