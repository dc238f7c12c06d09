//! Texts of hostile shapes end in a verdict, whatever they are: no crash, no stall, exit code 0, 1 or 2.
//!
//! The shapes are data in `tests/support/shapes.rs`. Here they are short, so that a debug build reads all of them in
//! seconds; `cargo bench --bench stress` takes 1 MiB of each and measures time and memory.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/shapes.rs"]
mod shapes;

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;

const BIN: &str = env!("CARGO_BIN_EXE_shellward");

/// The exit code, and the answer on standard output.
fn check(text: &[u8]) -> (Option<i32>, Vec<u8>) {
    let mut child = Command::new(BIN)
        .args(["check", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    let out = child.wait_with_output().unwrap();
    (out.status.code(), out.stdout)
}

#[test]
fn every_shape_ends_in_a_verdict() {
    let all: Mutex<Vec<_>> = Mutex::new(shapes::all(6_000).collect());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((name, text)) = all.lock().unwrap().pop() else { return };
            let (code, out) = check(&text);
            let verdict = serde_json::from_slice::<serde_json::Value>(&out).unwrap_or_default();
            let action = verdict.get("action").and_then(serde_json::Value::as_str);
            let expected = match action {
                Some("allow") => Some(0),
                Some("block") => Some(1),
                Some("warn") => Some(2),
                _ => None,
            };
            if code.is_none() || code != expected {
                wrong.lock().unwrap().push(format!("{name}: exit code {code:?}, action {action:?}"));
            }
        }
    };
    std::thread::scope(|s| (0..4).for_each(|_| drop(s.spawn(work))));
    assert_eq!(wrong.into_inner().unwrap(), Vec::<String>::new());
}

/// A text that cannot be read to its end is never allowed in silence.
#[test]
fn what_is_over_a_limit_is_said() {
    for deep in ["$(", "{ ", "if "] {
        let (code, out) = check(deep.repeat(20_000).as_bytes());
        assert_eq!(code, Some(2), "{deep}");
        let verdict: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        assert!(verdict.to_string().contains("analysis_incomplete"), "{deep}");
    }
}
