//! Real bash is the judge: what it would run, word by word, has to be what the interpreter says.
//!
//! bash expands texts in a root of its own in which nothing real is: no programs (an empty PATH, and a handler that
//! records the words of every command that is not found), no network, limits on processes, files and time. The words it
//! records are compared with the processes of the effect graph:
//!
//! - **fault**: a word that we call known differs from bash's, or a command that we say runs does not, or the other way
//!   round where the control flow is known;
//! - **miss**: a word that bash computed from the text alone is unknown to us.
//!
//! `generated` runs a seeded generator (`SHELLWARD_ORACLE_TEXTS` sets how many texts, default 3,000); `corpus` runs the
//! `command` fields of the JSON-lines files in `SHELLWARD_CORPORA`. Both skip loudly without bash or `unshare`.

#![expect(clippy::print_stderr, reason = "a test says what it skips and what differs")]
#![expect(clippy::indexing_slicing, reason = "the generator picks from lists of its own")]

mod compare;
mod generate;
mod odd;
mod sandbox;
mod wide;

use compare::{Tally, compare};
use sandbox::Sandbox;

#[test]
fn generated() {
    let Some(sandbox) = Sandbox::new() else { return };
    let count: usize = std::env::var("SHELLWARD_ORACLE_TEXTS").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000);
    let seed: u64 = std::env::var("SHELLWARD_ORACLE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut generator = generate::Generator::new(seed);
    let texts: Vec<String> = (0..count).map(|_| generator.text()).collect();
    let tally = judge(&sandbox, &texts, true);
    eprintln!("generated: {tally}");
    assert_eq!(tally.faults, 0, "faults: real bash runs something else");
    assert!(tally.misses * 200 <= tally.words.max(1), "over 0.5 % of the words are unknown that bash could compute");
}

#[test]
fn corpus() {
    let Some(dir) = std::env::var_os("SHELLWARD_CORPORA") else {
        eprintln!("SKIPPED: SHELLWARD_CORPORA names no folder of JSON-lines files");
        return;
    };
    let Some(sandbox) = Sandbox::new() else { return };
    let only = std::env::var("SHELLWARD_SUITES").unwrap_or_else(|_| {
        "conformance benign_tldr benign_nl2bash benign_cheat benign_readme benign_dockerfile".into()
    });
    for suite in only.split_whitespace() {
        let path = std::path::Path::new(&dir).join(format!("{suite}.jsonl"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("SKIPPED: {} cannot be read", path.display());
            continue;
        };
        let texts: Vec<String> = text
            .lines()
            .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok())
            .filter_map(|v| v.get("command")?.as_str().map(str::to_string))
            .filter(|t| t.len() < 4_000 && !t.contains('\0'))
            .collect();
        let tally = judge(&sandbox, &texts, false);
        eprintln!("{suite}: {tally}");
    }
}

/// Runs all texts through both and counts.
fn judge(sandbox: &Sandbox, texts: &[String], known: bool) -> Tally {
    let mut tally = Tally::default();
    let shown = std::env::var("SHELLWARD_ORACLE_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(20usize);
    for chunk in texts.chunks(200) {
        let theirs = sandbox.run(chunk, known);
        for (text, events) in chunk.iter().zip(theirs) {
            let Some(mut events) = events else {
                tally.refused += 1;
                continue;
            };
            // A machine that is short of processes or time loses commands of bash's: what differs is asked again, alone.
            let mut trial = Tally::default();
            let _ = compare(text, &events, &mut trial);
            if trial.faults > 0 {
                match sandbox.run(std::slice::from_ref(text), true).pop().flatten() {
                    Some(again) => events = again,
                    None => {
                        tally.refused += 1;
                        continue;
                    }
                }
            }
            let difference = compare(text, &events, &mut tally);
            if let Some(d) = difference
                && tally.shown < shown
            {
                tally.shown += 1;
                eprintln!("--- {}\n{text}\n    {}", d.kind, d.detail);
            }
        }
    }
    tally
}
