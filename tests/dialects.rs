//! The dialects against the shells themselves: zsh, dash, ksh and fish run harmless texts, and the words that they give
//! to the command `c1` have to be the words that we say they give.
//!
//! `tests/examples/dialects.jsonl`, a line each: `shell`, and the `command` that uses no program but `c1`. Skips loudly the
//! shells that are missing.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value as Json;
use shellward::analyzer::{Options, analyze};
use shellward::effect::Certainty;
use shellward::value::Value;
use std::collections::BTreeSet;
use std::process::Command;

const CASES: &str = include_str!("examples/dialects.jsonl");

/// What the shell gives to `c1`, call by call; `None` without the shell.
fn theirs(shell: &str, text: &str) -> Option<Vec<Vec<String>>> {
    let (options, prelude): (&[&str], &str) = match shell {
        "fish" => (&["--no-config"], "function c1; printf '%s\\x1f' $argv; printf '\\x1e'; end\n"),
        "zsh" => (&["-f"], "c1() { printf '%s\\x1f' \"$@\"; printf '\\x1e' }\n"),
        _ => (&[], "c1() { printf '%s\\037' \"$@\"; printf '\\036'; }\n"),
    };
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dialects");
    std::fs::create_dir_all(&dir).unwrap();
    let out = Command::new(find(shell)?)
        .args(options)
        .args(["-c", &format!("{prelude}{text}")])
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("HOME", &dir)
        .env("LC_ALL", "C.UTF-8")
        .current_dir(&dir)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    Some(
        text.split_terminator('\u{1e}')
            .map(|call| {
                // `printf` without words prints its format once.
                let words: Vec<String> = call.split_terminator('\u{1f}').map(str::to_string).collect();
                if words == [""] { Vec::new() } else { words }
            })
            .collect(),
    )
}

fn find(shell: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|d| d.join(shell)).find(|p| p.exists())
}

/// What we say it gets, and whether that is certain.
fn ours(shell: &str, text: &str) -> Vec<(Vec<String>, bool)> {
    let shell = shellward::cli::shell::from_name(shell).unwrap();
    let options = Options { shell, witness: false, ..Options::default() };
    let analysis = analyze(text.as_bytes(), &options);
    let calls =
        analysis.graph.processes.iter().filter(|p| p.argv.first().and_then(Value::as_str).as_deref() == Some("c1"));
    calls.map(|p| (p.argv.iter().skip(1).map(Value::show).collect(), p.certainty == Certainty::Certain)).collect()
}

#[test]
fn dialects_expand_as_their_shells_do() {
    let (mut wrong, mut missing) = (Vec::new(), BTreeSet::new());
    for line in CASES.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let (shell, text) = (case["shell"].as_str().unwrap(), case["command"].as_str().unwrap());
        let Some(theirs) = theirs(shell, text) else {
            missing.insert(shell.to_string());
            continue;
        };
        let ours = ours(shell, text);
        // All that runs is there, in order; and all that is certain runs. What sh is, dash or bash, is not certain.
        let mut at = ours.iter();
        let there = theirs.iter().all(|t| at.any(|(o, _)| o == t));
        let certain = ours.iter().filter(|(_, c)| *c).all(|(o, _)| theirs.contains(o));
        if !there || (!certain && shell != "dash") {
            wrong.push(format!("{shell}: {text}\n    ours  {ours:?}\n    shell {theirs:?}"));
        }
    }
    for shell in missing {
        eprintln!("SKIPPED: {shell} is missing, so its texts are not compared");
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
