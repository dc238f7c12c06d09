//! Tables of cron (crontab(5)): settings, and lines of five times or `@name` with a command behind them.

use super::{call, lines, run, text};
use crate::source::Span;
use crate::syntax::script::Stmt;

/// Every job is `job(command)`. In a command, `%` ends it: what follows is its standard input.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    for (start, end) in lines(whole) {
        let line = whole.get(start..end).unwrap_or_default();
        let blank = |b: u8| b == b' ' || b == b'\t';
        let mut at = run(line, blank);
        let first = line.get(at).copied().unwrap_or(b'#');
        if first == b'#' {
            continue;
        }
        let name = run(line.get(at..).unwrap_or_default(), |b| b.is_ascii_alphanumeric() || b == b'_');
        let behind = line.get(at.saturating_add(name)..).unwrap_or_default().trim_ascii_start();
        if first != b'*' && !first.is_ascii_digit() && behind.first() == Some(&b'=') {
            continue;
        }
        for _ in 0..if first == b'@' { 1 } else { 5 } {
            at = at.saturating_add(run(line.get(at..).unwrap_or_default(), |b| !blank(b)));
            at = at.saturating_add(run(line.get(at..).unwrap_or_default(), blank));
        }
        let command = line.get(at..).unwrap_or_default();
        let mut stop = command.len();
        for (i, b) in command.iter().enumerate() {
            if *b == b'%' && command.get(i.wrapping_sub(1)) != Some(&b'\\') {
                stop = i;
                break;
            }
        }
        let from = start.saturating_add(at);
        if stop > 0 {
            out.push(call("job", vec![text(whole, from, from.saturating_add(stop))], Span::new(start, end)));
        }
    }
    out
}
