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
    let (mut refused, mut elsewhere) = (0usize, 0usize);
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
            // `[[ ]]` ends bash without a word and with status 0: it runs nothing of the text.
            let silent = text.contains("[[ ]]");
            let theirs = out.status.success() && !silent;
            if silent {
                continue;
            }
            if let (false, false, Some(u)) = (ours, theirs, program.unparsed.first()) {
                let upto = text.as_bytes().get(..u.span.end as usize).unwrap_or_default();
                let line = 1 + upto.iter().filter(|b| **b == b'\n').count();
                let said = message
                    .lines()
                    .filter(|l| !l.contains("warning"))
                    .find_map(|l| l.split("line ").nth(1)?.split(':').next()?.parse::<usize>().ok());
                refused += 1;
                // What is still open at the end bash notices one line later.
                if said.is_some_and(|n| n != line && n != line + 1) {
                    elsewhere += 1;
                    println!("--- {file}: refused at line {line}, by bash at {said:?} {message}\n{text}");
                }
            }
            if ours != theirs {
                differ += 1;
                println!("--- {file}: ours {ours} bash {theirs} {message}\n{text}\n    {:?}", program.unparsed);
            }
        }
    }
    println!("{differ} of {total} differ; of {refused} that both refuse, {elsewhere} at another line");
}
