//! The verdicts that are promised for a set of commands: one thing in many spellings, and what only looks like it.
//!
//! `tests/examples/verdicts.jsonl`, a line each: `command`, the `action`, and in `rules`, where given, the ids of all
//! findings, the most important first or not. `tests/examples/shells.jsonl` says how shells read: `command`, the `shell`,
//! the `action`, and in `runs`, where given, the words of a command that runs.

use serde_json::Value;
use shellward::analyzer::{Options, analyze};

const VERDICTS: &str = include_str!("examples/verdicts.jsonl");

#[test]
fn the_examples_have_the_promised_verdicts() {
    let mut wrong = Vec::new();
    for line in VERDICTS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let command = case["command"].as_str().unwrap();
        let verdict = analyze(command.as_bytes(), &Options::default()).verdict;
        let action = serde_json::to_value(verdict.action).unwrap();
        let mut rules: Vec<&str> = verdict.findings.iter().map(|f| f.rule_id).collect();
        rules.sort_unstable();
        let mut promised: Option<Vec<&str>> =
            case["rules"].as_array().map(|r| r.iter().filter_map(Value::as_str).collect());
        promised.iter_mut().for_each(|p| p.sort_unstable());
        if action != case["action"] || promised.is_some_and(|p| p != rules) {
            wrong.push(format!("{line}\n    gives {action} {rules:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), VERDICTS.lines().count(), wrong.join("\n"));
}

const SHELLS: &str = include_str!("examples/shells.jsonl");

#[test]
fn shells_run_what_they_are_said_to_run() {
    let mut wrong = Vec::new();
    for line in SHELLS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let command = case["command"].as_str().unwrap();
        let shell = shellward::cli::shell::from_name(case["shell"].as_str().unwrap()).unwrap();
        let options = Options { shell, effects: true, ..Options::default() };
        let verdict = analyze(command.as_bytes(), &options).verdict;
        let action = serde_json::to_value(verdict.action).unwrap();
        let commands: Vec<Value> =
            verdict.commands.iter().flatten().map(|c| serde_json::to_value(&c.argv).unwrap()).collect();
        if action != case["action"] || case.get("runs").is_some_and(|r| !commands.contains(r)) {
            wrong.push(format!("{line}\n    gives {action}, runs {commands:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), SHELLS.lines().count(), wrong.join("\n"));
}
