//! The reader against bash itself, for development: reads JSON lines from the files named in SHELLWARD_READ_FILES (colon separated), each with a
//! `command`, and prints those where the reader and `bash -n` differ in what they accept. Skips when the variable is
//! not set.

use std::io::{BufRead, Write};
use std::process::{Command, Stdio};

#[test]
fn acceptance_equals_bash() {
    let Ok(files) = std::env::var("SHELLWARD_READ_FILES") else {
        eprintln!("skipped: SHELLWARD_READ_FILES is not set");
        return;
    };
    let (mut total, mut differ) = (0usize, 0usize);
    for file in files.split(':') {
        let reader = std::io::BufReader::new(std::fs::File::open(file).unwrap());
        for line in reader.lines() {
            let value: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            let Some(text) = value.get("command").and_then(|c| c.as_str()) else { continue };
            total += 1;
            let program = shellward::syntax::shell::read(text.as_bytes(), shellward::syntax::shell::Dialect::BASH);
            let ours = program.unparsed.is_empty();
            let mut child = Command::new("bash")
                .args(["-O", "extglob", "-n"])
                .stdin(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut input = child.stdin.take().unwrap();
            let bytes = text.as_bytes().to_vec();
            let writer = std::thread::spawn(move || {
                let _ = input.write_all(&bytes);
            });
            let out = child.wait_with_output().unwrap();
            writer.join().unwrap();
            let message = String::from_utf8_lossy(&out.stderr).into_owned();
            let theirs = out.status.success() && message.lines().all(|l| l.contains("warning"));
            if ours != theirs {
                differ += 1;
                println!("--- {file}: ours {ours} bash {theirs} {message}\n{text}\n    {:?}", program.unparsed);
            }
        }
    }
    println!("{differ} of {total} differ");
}
