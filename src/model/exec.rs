//! A model behind a program: the question on its standard input, the answer on its standard output.

use super::{ANSWER, Question};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Runs the program and reads its answer. One that takes too long is ended.
pub(super) fn ask(words: &[String], question: &Question, until: Instant) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("no program is named")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("{program} cannot be started: {e}"))?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let text = format!("{}\n\n{}", question.instructions, question.text);
    // Both ends have threads of their own: a program that neither reads nor writes must not hold this one.
    std::thread::spawn(move || {
        // A program that does not read to the end may answer all the same.
        let _ = stdin.map(|mut s| s.write_all(text.as_bytes()));
    });
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut answer = Vec::new();
        let read = stdout.map(|s| s.take(ANSWER.saturating_add(1)).read_to_end(&mut answer));
        // Nobody listens any more where the time is over.
        let _ = send.send(read.is_some_and(|r| r.is_ok()).then_some(answer));
    });
    let answer = receive.recv_timeout(until.saturating_duration_since(Instant::now()));
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if answer.is_ok() && Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                // It may have ended by itself in between.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    match (answer, status) {
        (Ok(Some(answer)), Some(status)) if status.success() => {
            if u64::try_from(answer.len()).unwrap_or(u64::MAX) > ANSWER {
                return Err(format!("{program} answers with more than {ANSWER} bytes"));
            }
            Ok(String::from_utf8_lossy(&answer).into_owned())
        }
        (_, Some(status)) => Err(format!("{program} failed ({status})")),
        (_, None) => Err(format!("{program} took too long")),
    }
}
