//! Time and memory for 1 MiB of each hostile shape: `cargo bench --bench stress [-- NAME]`.
//!
//! Prints the shapes by processor time, with the peak memory, the exit code, and `!` where one is over what is promised: 1 s
//! and 200 MiB. The shapes are those of `tests/stress.rs`. Memory is measured by GNU time.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench speaks and may fail")]

#[path = "../tests/support/shapes.rs"]
mod shapes;

use std::path::Path;
use std::process::{Command, Stdio};

/// Bytes of each text.
const SIZE: usize = 1 << 20;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let bin = std::env::var("SHELLWARD").unwrap_or_else(|_| env!("CARGO_BIN_EXE_shellward").to_string());
    if !Path::new("/usr/bin/time").exists() {
        return println!("skipped: /usr/bin/time is missing");
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stress.sh");
    let mut rows = Vec::new();
    for (name, text) in shapes::all(SIZE) {
        if !wanted.is_empty() && !wanted.iter().any(|w| name.contains(w.as_str())) {
            continue;
        }
        std::fs::write(&file, text).unwrap();
        let out = Command::new("/usr/bin/time")
            .args(["-f", "%U %S %M", &bin, "check", "--json"])
            .stdin(std::fs::File::open(&file).unwrap())
            .stdout(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        let mut last = said.lines().last().unwrap_or_default().split(' ').map(|n| n.parse().unwrap_or(f64::NAN));
        let (user, system, kib) = (last.next(), last.next(), last.next());
        rows.push((
            user.unwrap_or(f64::NAN) + system.unwrap_or(f64::NAN),
            kib.unwrap_or(f64::NAN) / 1024.0,
            out.status.code(),
            name,
        ));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (seconds, mib, code, name) in rows {
        let over = if seconds > 1.0 || mib > 200.0 || !matches!(code, Some(0..=2)) { "!" } else { " " };
        println!(
            "{over} {seconds:6.2} s {mib:6.0} MiB  exit {}  {name}",
            code.map_or("signal".to_string(), |c| c.to_string())
        );
    }
}
