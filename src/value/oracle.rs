//! Test support: real programs as judges, and a small seeded generator.
//!
//! A program that is missing makes the test say so on stderr and pass.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs a program with the given standard input; `None` where it is not installed.
pub(crate) fn run(program: &str, args: &[&[u8]], stdin: &[u8]) -> Option<(Vec<u8>, i32)> {
    use std::os::unix::ffi::OsStrExt;
    let mut command = Command::new(program);
    command.args(args.iter().map(|a| std::ffi::OsStr::from_bytes(a)));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("LC_ALL", "C.UTF-8");
    command.env("TZ", "UTC").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(c) => c,
        Err(_) => {
            eprintln!("SKIPPED: {program} is not installed");
            return None;
        }
    };
    let mut input = child.stdin.take().unwrap();
    let text = stdin.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that stops reading early closes the pipe: that is no error.
        let _ = input.write_all(&text);
    });
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Some((out.stdout, out.status.code().unwrap_or(-1)))
}

/// Real bash, where it is installed.
pub(crate) struct Bash;

impl Bash {
    pub(crate) fn find() -> Option<Bash> {
        run("bash", &[b"-c", b":"], b"").map(|_| Bash)
    }
    /// What a script prints, split at NUL bytes.
    pub(crate) fn fields(&self, script: &str) -> Vec<Vec<u8>> {
        let (out, _) = run("bash", &[], script.as_bytes()).unwrap();
        let mut fields: Vec<Vec<u8>> = out.split(|b| *b == 0).map(<[u8]>::to_vec).collect();
        fields.pop();
        fields
    }
}

/// A xorshift generator: the same cases in every run.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}
