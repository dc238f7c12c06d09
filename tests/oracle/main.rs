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
//! `command` fields of the JSON-lines files in `SHELLWARD_CORPORA`. Both skip loudly without bash or `unshare`. Several
//! roots work side by side (`SHELLWARD_ORACLE_JOBS`); what differs is asked again when all of them are done, alone.

#![expect(clippy::print_stderr, reason = "a test says what it skips and what differs")]
#![expect(clippy::indexing_slicing, reason = "the generator picks from lists of its own")]

mod compare;
mod generate;
mod odd;
mod sandbox;
mod wide;

use compare::{Tally, compare};
use sandbox::Sandbox;
use std::sync::Mutex;

/// Texts that one bash is given.
const CHUNK: usize = 250;

#[test]
fn generated() {
    let Some(sandbox) = Sandbox::new() else { return };
    let count: usize = std::env::var("SHELLWARD_ORACLE_TEXTS").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000);
    let seed: u64 = std::env::var("SHELLWARD_ORACLE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut generator = generate::Generator::new(seed);
    let texts = (0..count).map(move |_| generator.text());
    let tally = judge(&sandbox, texts, true);
    eprintln!("generated: {tally}");
    assert_eq!(tally.texts + tally.refused, count, "every text is asked");
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
        let texts = text
            .lines()
            .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok())
            .filter_map(|v| v.get("command")?.as_str().map(str::to_string))
            .filter(|t| t.len() < 4_000 && !t.contains('\0'));
        let tally = judge(&sandbox, texts, false);
        eprintln!("{suite}: {tally}");
    }
}

/// Runs all texts through both and counts. The sandbox is for what is asked again; the others have one each.
fn judge(sandbox: &Sandbox, texts: impl Iterator<Item = String> + Send, known: bool) -> Tally {
    let number = |name: &str, else_: usize| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(else_);
    let shown = number("SHELLWARD_ORACLE_SHOW", 20);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // One more than cores: a text that waits for nothing waits three seconds.
    let jobs = number("SHELLWARD_ORACLE_JOBS", cores.saturating_add(1)).max(1);
    let texts = Mutex::new(texts);
    let all = Mutex::new((Tally::default(), Vec::new()));
    let work = || {
        let Some(own) = Sandbox::new() else { return };
        loop {
            let Ok(chunk) = texts.lock().map(|mut t| t.by_ref().take(CHUNK).collect::<Vec<String>>()) else { return };
            if chunk.is_empty() {
                return;
            }
            let theirs = own.run(&chunk, known);
            let (mut tally, mut odd) = (Tally::default(), Vec::new());
            for (text, events) in chunk.into_iter().zip(theirs) {
                let Some(events) = events else {
                    tally.refused += 1;
                    continue;
                };
                let mut one = Tally::default();
                if compare(&text, &events, &mut one).is_some() || one.faults > 0 {
                    odd.push(text);
                } else {
                    tally.add(&one);
                }
            }
            if let Ok(mut a) = all.lock() {
                a.0.add(&tally);
                a.1.append(&mut odd);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            // A debug build's frames are large.
            let _ = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work);
        }
    });
    let (mut tally, odd) = all.into_inner().unwrap_or_default();
    // A machine that is short of processes or time loses commands of bash's: what differs is asked again, alone.
    for text in odd {
        let Some(events) = sandbox.run(std::slice::from_ref(&text), known).pop().flatten() else {
            tally.refused += 1;
            continue;
        };
        if let Some(d) = compare(&text, &events, &mut tally)
            && tally.shown < shown
        {
            tally.shown += 1;
            eprintln!("--- {}\n{text}\n    {}", d.kind, d.detail);
        }
    }
    tally
}
