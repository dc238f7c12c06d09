//! Hooks as agents meet them: the built binary, a question on standard input, the answer to the byte.
//!
//! `tests/hooks/AGENT.toml` hold questions (several versions, and broken ones) with what has to be at that host's decision
//! field. Those below a line `# recorded from AGENT VERSION` are what that version wrote, with paths and ids made neutral;
//! the others are written after the agent's hook documentation. Anyone can add one.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/program.rs"]
mod program;

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BIN: &str = env!("CARGO_BIN_EXE_shellward");

/// A file of cases of one agent.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    agent: String,
    case: Vec<Case>,
}

/// One question and its answer.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What it shows.
    name: String,
    /// What the agent writes.
    input: String,
    /// The policy file; none where empty.
    #[serde(default)]
    policy: String,
    /// The exit code.
    #[serde(default)]
    exit: i32,
    /// Standard output, to the byte, without the line feed at its end.
    stdout: Option<String>,
    /// Values of the answer by JSON pointer; `absent` for what must not be there, `"filled"` for any non-empty text.
    #[serde(default)]
    json: BTreeMap<String, toml::Value>,
    /// Texts that standard error has. Where none is given, it is empty.
    #[serde(default)]
    stderr_has: Vec<String>,
    /// Texts that standard output has.
    #[serde(default)]
    stdout_has: Vec<String>,
}

fn hook(agent: &str, input: &[u8], policy: Option<&Path>) -> Output {
    let mut command = Command::new(BIN);
    // No settings of the machine that runs the test.
    command.args(["hook", agent]).env("XDG_CONFIG_HOME", "/nonexistent").env_remove("SHELLWARD_POLICY");
    // A state of its own for each question: an answer must not depend on the one before.
    let state = fresh_state();
    command.env("SHELLWARD_STATE", &state);
    if let Some(policy) = policy {
        command.env("SHELLWARD_POLICY", policy);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let out = std::thread::scope(|s| {
        s.spawn(move || pipe.write_all(input));
        child.wait_with_output().unwrap()
    });
    // Not there where nothing was kept.
    let _ = std::fs::remove_dir_all(state);
    out
}

/// A directory for state that nobody uses yet.
fn fresh_state() -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("shellward-hook-state-{}-{number}", std::process::id()))
}

fn wrong(case: &Case, out: &Output) -> Vec<String> {
    let mut wrong = Vec::new();
    let stdout = String::from_utf8_lossy(&out.stdout);
    let stderr = String::from_utf8_lossy(&out.stderr);
    if out.status.code() != Some(case.exit) {
        wrong.push(format!("ended with {} instead of {}", out.status, case.exit));
    }
    if case.stdout.as_ref().is_some_and(|want| *want != stdout.trim_end_matches('\n')) {
        wrong.push(format!("standard output is {stdout:?}"));
    }
    wrong.extend(case.stdout_has.iter().filter(|t| !stdout.contains(*t)).map(|t| format!("stdout lacks {t:?}")));
    wrong.extend(case.stderr_has.iter().filter(|t| !stderr.contains(*t)).map(|t| format!("stderr lacks {t:?}")));
    if case.stderr_has.is_empty() && !stderr.is_empty() {
        wrong.push(format!("standard error is {stderr:?}"));
    }
    if !case.json.is_empty() {
        let value: Value = serde_json::from_str(&stdout).unwrap_or_default();
        for (pointer, want) in &case.json {
            let want = serde_json::to_value(want).unwrap();
            match value.pointer(pointer) {
                None if want == "absent" => {}
                Some(Value::String(s)) if want == "filled" && !s.is_empty() => {}
                Some(got) if *got == want => {}
                got => wrong.push(format!("{pointer} is {got:?} instead of {want}")),
            }
        }
    }
    wrong
}

fn files() -> Vec<(PathBuf, File)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hooks");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path, file)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn cases() {
    let mut failed = Vec::new();
    let scratch = std::env::temp_dir().join(format!("shellward-hooks-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    for (path, file) in files() {
        for (number, case) in file.case.iter().enumerate() {
            let policy = scratch.join(format!("{}-{number}.toml", file.agent));
            std::fs::write(&policy, &case.policy).unwrap();
            let out = hook(&file.agent, case.input.trim().as_bytes(), Some(&policy));
            for w in wrong(case, &out) {
                failed.push(format!("{}: {}: {w}", path.display(), case.name));
            }
        }
    }
    std::fs::remove_dir_all(&scratch).unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Every agent, whatever it is sent: an exit code that its host reads, and either nothing or one JSON object.
#[test]
fn nothing_breaks_the_protocol() {
    let covered: Vec<String> = files().into_iter().map(|(_, f)| f.agent).collect();
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let inputs: &[&[u8]] =
        &[b"", b"{", b"null", b"[]", b"{}", b"\xFF\xFE", b"{\"tool_name\": 7}", deep.as_bytes(), b"{\"command\": {}}"];
    for agent in shellward::hooks::AGENTS {
        assert!(covered.iter().any(|c| c == agent.name), "no question of {}", agent.name);
        for input in inputs {
            let out = hook(agent.name, input, None);
            let code = out.status.code();
            let refused = code == Some(2) && !out.stderr.is_empty() && out.stdout.is_empty();
            let object = serde_json::from_slice::<Value>(&out.stdout).is_ok_and(|v| v.is_object());
            assert!(refused || (code == Some(0) && object), "{}: {input:?}: {out:?}", agent.name);
        }
    }
}

#[test]
fn huge_input_is_answered() {
    let command = "a".repeat(shellward::limits::MAX_HOOK_INPUT + 10);
    let input =
        format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#);
    let out = hook("claude", input.as_bytes(), None);
    let value: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(value["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn under_a_broken_policy_every_command_is_asked_about() {
    let path = std::env::temp_dir().join(format!("shellward-broken-{}.toml", std::process::id()));
    std::fs::write(&path, "[gate]\ndeny = ['ls -l']\n[hooks]\nwarn = 'perhaps'\n").unwrap();
    for (command, want) in [("rm -rf ~", "deny"), ("ls", "ask"), ("ls -l", "deny")] {
        let input = serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}});
        let out = hook("claude", input.to_string().as_bytes(), Some(&path));
        let value: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(value["hookSpecificOutput"]["permissionDecision"], want, "{command}");
        let reason = value["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
        assert!(want == "deny" || (reason.contains("line 4") && reason.contains(path.to_str().unwrap())), "{reason}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("policy"));
    }
    std::fs::remove_file(&path).unwrap();
}

/// A host that leaves its end of the pipe open is answered; so is one that says half of a question.
#[test]
fn a_question_without_an_end_is_answered() {
    let whole = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}"#;
    for (input, has) in [(whole, "[recursive_delete"), (&whole[..40], "has no end")] {
        let mut command = Command::new(BIN);
        command.args(["hook", "claude"]).env("XDG_CONFIG_HOME", "/nonexistent").env("SHELLWARD_STATE", fresh_state());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(input.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        drop(pipe);
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(text.contains("\"deny\"") && text.contains(has), "{text}");
    }
}

/// A no that cannot be written is said by the exit code.
#[cfg(target_os = "linux")]
#[test]
fn a_no_that_is_not_heard_is_an_exit_code() {
    for (command, code) in [("rm -rf ~", 2), ("ls", 0)] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut run = Command::new(BIN);
        run.args(["hook", "gemini"]).env("XDG_CONFIG_HOME", "/nonexistent").env("SHELLWARD_STATE", fresh_state());
        let mut child = run.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let input = serde_json::json!({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": {"command": command}});
        child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(code), "{command}: {out:?}");
    }
}

/// The whole way of a user: install, test, list, uninstall, with nothing else touched.
#[test]
fn hooks_are_installed_tested_and_removed() {
    let home = std::env::temp_dir().join(format!("shellward-home-{}", std::process::id()));
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    let settings = home.join(".claude/settings.json");
    let before = "{\n  \"model\": \"x\",\n  \"hooks\": {\"Stop\": []}\n}\n";
    std::fs::write(&settings, before).unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(BIN);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &home).arg("hook").args(args);
        let out = command.stdin(Stdio::null()).output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        (out.status.code().unwrap(), text)
    };
    let mut wrong = Vec::new();
    for agent in shellward::hooks::AGENTS {
        let name = agent.name;
        if name == "kiro" {
            // Which of its agents is meant, the user says.
            let (code, text) = run(&["install", name]);
            assert!(code == 78 && text.contains("--file") && text.contains(".kiro/agents"), "{text}");
            let file = home.join(".kiro/agents/mine.json");
            assert_eq!(run(&["install", name, "--file", file.to_str().unwrap()]).0, 0);
            let (code, text) = run(&["test", name, "--file", file.to_str().unwrap()]);
            assert!(code == 0, "{text}");
            assert!(run(&["list"]).1.lines().any(|l| l.starts_with("kiro") && l.contains("installed ")));
            continue;
        }
        assert_eq!(run(&["test", name]).0, 78, "{name}: not installed yet");
        let (code, text) = run(&["install", name, "--dry-run"]);
        assert!(code == 0 && text.contains(&format!("hook {name}")), "{name}: {text}");
        assert_eq!(run(&["test", name]).0, 78, "{name}: a dry run installs nothing");
        let (code, text) = run(&["install", name]);
        assert!(code == 0 && text.contains("+"), "{name}: {text}");
        let (code, text) = run(&["install", name]);
        assert!(code == 0 && text.contains("already"), "{name}: {text}");
        let (code, text) = run(&["test", name]);
        if code != 0 {
            wrong.push(format!("{name}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (_, listed) = run(&["list"]);
    assert!(listed.lines().any(|l| l.starts_with("claude") && l.contains("installed")), "{listed}");
    assert_eq!(std::fs::read_to_string(home.join(".claude/settings.json.shellward-backup")).unwrap(), before);
    assert_eq!(run(&["uninstall", "claude"]).0, 0);
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), before);
    // A file of the hook's own goes away whole, and one of somebody else's is left alone.
    let plugin = home.join(".config/opencode/plugin/shellward.js");
    assert!(plugin.exists() && run(&["uninstall", "opencode"]).0 == 0 && !plugin.exists());
    let script = home.join("Documents/Cline/Hooks/PreToolUse");
    assert!(script.exists() && run(&["uninstall", "cline"]).0 == 0 && !script.exists());
    std::fs::write(&script, "#!/bin/sh\nexit 0\n").unwrap();
    let (code, text) = run(&["install", "cline"]);
    assert!(code == 78 && text.contains("hook cline"), "{text}");
    assert_eq!(std::fs::read_to_string(&script).unwrap(), "#!/bin/sh\nexit 0\n");

    std::fs::write(&settings, "{ broken").unwrap();
    let (code, text) = run(&["install", "claude"]);
    assert!(code == 78 && text.contains("broken"), "{text}");
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "{ broken");
    std::fs::remove_dir_all(&home).unwrap();
}

/// A no at an agent that cannot ask has a request; the user's yes lets the same command through, once or for the session,
/// and the log, `why`, `status` and `doctor` know of all of it.
#[test]
fn a_denied_command_can_be_approved_by_the_user() {
    let home = std::env::temp_dir().join(format!("shellward-approve-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    let run = |args: &[&str], stdin: &str| {
        let mut command = Command::new(BIN);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &home).args(args);
        let command = command.current_dir(&home).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A sub-command that reads nothing may have ended.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let out = child.wait_with_output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        (out.status.code().unwrap(), text)
    };
    let json = |args: &[&str]| serde_json::from_str::<Value>(&run(args, "").1).unwrap();
    let ask = |command: &str, session: &str| {
        let input = serde_json::json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
            "session_id": session, "cwd": "/home/u/p"
        });
        run(&["hook", "codex"], &input.to_string()).1
    };
    const RISK: &str = "chmod 777 /srv/out";
    let denied = ask(RISK, "s1");
    assert!(denied.contains("deny") && denied.contains("shellward approvals approve 1 "), "{denied}");
    assert_eq!(ask(RISK, "s1"), denied, "the same request");
    let p = &json(&["approvals", "list", "--json"])["requests"][0];
    assert_eq!((p["id"].as_u64(), p["command"].as_str(), p["session"].as_str()), (Some(1), Some(RISK), Some("s1")));
    let digest = p["digest"].as_str().unwrap();
    assert_eq!(run(&["approvals", "approve", "1", "0123456789abcdef"], "").0, 64);
    let (code, text) = run(&["approvals", "approve", "1", &digest[..16], "--for", "session"], "");
    assert!(code == 0 && text.contains(digest), "{text}");
    assert_eq!(ask(RISK, "s1"), "", "approved for this session");
    assert!(ask(RISK, "s2").contains("deny"), "and for no other");
    assert!(ask("chmod 777 /srv/other", "s1").contains("deny"), "and no other place");
    // The agent cannot answer for its user, whatever it is approved.
    for own in ["shellward approvals approve 2 0123456789abcdef", "shellward hook uninstall codex"] {
        let text = ask(own, "s1");
        assert!(text.contains("deny") && !text.contains("Only the user"), "{own}: {text}");
    }
    let grant = &json(&["approvals", "list", "--json"])["grants"][0];
    assert_eq!(run(&["approvals", "revoke", &grant["id"].to_string()], "").0, 0);
    assert!(ask(RISK, "s1").contains("deny"));

    let log = |args: &[&str]| run(&[&["log", "--json"], args].concat(), "").1.lines().count();
    assert_eq!((log(&["--decision", "grant"]), log(&["--decision", "revoke"])), (1, 1));
    assert_eq!(log(&["--decision", "allow", "--source", "hook codex"]), 1);
    assert!(log(&["--rule", "world_writable", "--since", "1h"]) >= 4 && log(&["--since", "2100-01-01"]) == 0);
    let (_, why) = run(&["why"], "");
    assert!(why.contains(RISK) && why.contains("world_writable") && why.contains("what would change it"), "{why}");

    // Nothing is installed: off. Installed and working: scanning, and the doctor sees it stop the test.
    assert_eq!(run(&["status"], "").0, 1);
    assert_eq!(run(&["hook", "install", "codex"], "").0, 0);
    let status = json(&["status", "--json"]);
    assert_eq!((&status["state"], &status["hooks"][0]["agent"]), (&"scanning".into(), &"codex".into()), "{status}");
    // The agent cannot ask, so it was told no: that is what the log has.
    assert_eq!(status["hooks"][0]["last"]["decision"], "deny", "{status}");
    let (code, text) = run(&["doctor"], "");
    assert!(code == 0 && text.contains("hook codex"), "{text}");
    // A hook whose program is gone.
    let settings = home.join(".codex/hooks.json");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, text.replace(BIN, "/nonexistent/shellward")).unwrap();
    assert_eq!(json(&["status", "--json"])["hooks"][0]["state"], "off");
    assert_eq!(run(&["status"], "").0, 1);
    assert_eq!(run(&["doctor"], "").0, 1);
    std::fs::remove_dir_all(&home).unwrap();
}

/// A home of its own, with the tools that a test needs.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Home {
        let dir = std::env::temp_dir().join(format!("shellward-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Home(dir)
    }
    fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    fn run(&self, bin: &Path, args: &[&str]) -> (i32, String) {
        let mut command = Command::new(bin);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &self.0).args(args);
        let out = command.current_dir(&self.0).stdin(Stdio::null()).output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        (out.status.code().unwrap(), text)
    }
    fn status(&self) -> Value {
        serde_json::from_str(&self.run(Path::new(BIN), &["status", "--json"]).1).unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What keeps a hook from working though it stands in the settings: `status` and `doctor` say which, and why.
#[test]
fn a_hook_that_does_not_work_is_seen() {
    let home = Home::new("health");
    let bin = Path::new(BIN);
    let settings = ".claude/settings.json";
    assert_eq!(home.run(bin, &["hook", "install", "claude"]).0, 0);
    assert_eq!(home.status()["state"], "scanning");
    let good = std::fs::read_to_string(home.0.join(settings)).unwrap();
    let fake = home.0.join("shellward");
    let script = home.0.join("script");
    std::fs::write(&script, "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    program::place(&script, &fake);
    let fake = fake.to_str().unwrap();
    for (from, to, state, why) in [
        ("Bash|PowerShell|Monitor", "Edit", "off", "leaves out Bash"),
        ("Bash|PowerShell|Monitor", "Bash", "degraded", "leaves out PowerShell"),
        ("{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\"", "off", "disableAllHooks"),
        (BIN, "/nonexistent/shellward", "off", "cannot be run"),
        (BIN, fake, "off", "does not deny a test command"),
        ("\"timeout\": 10", "\"timeout\": 2", "degraded", "timeout"),
        ("\"timeout\": 10", "\"async\": true", "off", "async"),
        ("{", "{ broken", "off", "broken"),
    ] {
        assert!(good.contains(from), "{from} is not in {good}");
        home.write(settings, &good.replacen(from, to, 1));
        let status = home.status();
        let hook = &status["hooks"][0];
        assert_eq!((&status["state"], &hook["state"]), (&state.into(), &state.into()), "{to}: {status}");
        assert!(hook["why"].to_string().contains(why), "{to}: {status}");
        let (code, text) = home.run(bin, &["doctor"]);
        assert!(code == if state == "off" { 1 } else { 2 } && text.contains(why), "{to}: {text}");
        let (_, listed) = home.run(bin, &["hook", "list"]);
        assert!(listed.lines().any(|l| l.starts_with("claude") && !l.contains("installed ")), "{to}: {listed}");
    }
    // What does not work is put right by installing once more.
    home.write(settings, &good.replacen("Bash|PowerShell|Monitor", "Edit", 1));
    assert_eq!(home.run(bin, &["hook", "install", "claude"]).0, 0);
    assert_eq!(std::fs::read_to_string(home.0.join(settings)).unwrap(), good);

    // The project switches hooks off, too.
    home.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    assert_eq!(home.status()["state"], "off");
    std::fs::remove_file(home.0.join(".claude/settings.local.json")).unwrap();

    // Taken out by its user: off, and the cause; a hook of another agent is no worse for it.
    assert_eq!(home.run(bin, &["hook", "uninstall", "claude"]).0, 0);
    let (code, text) = home.run(bin, &["status"]);
    assert!(code == 1 && text.contains("by `hook uninstall` at"), "{text}");
    assert_eq!(home.run(bin, &["hook", "install", "codex"]).0, 0);
    assert_eq!(home.status()["state"], "scanning");
    assert_eq!(home.run(bin, &["log", "--json", "--decision", "uninstall"]).1.lines().count(), 1);
}

/// A binary of another name is known wherever it is named.
#[test]
fn a_renamed_binary_is_known_as_this_program() {
    let home = Home::new("renamed");
    let other = home.0.join("guard");
    program::place(Path::new(BIN), &other);
    assert_eq!(home.run(&other, &["hook", "install", "claude"]).0, 0);
    for bin in [&other, &PathBuf::from(BIN)] {
        let (_, text) = home.run(bin, &["hook", "list"]);
        let word = if bin == &other { "installed " } else { "installed, but it runs another binary" };
        assert!(text.lines().any(|l| l.starts_with("claude") && l.contains(word)), "{text}");
        let (code, text) = home.run(bin, &["status"]);
        assert_eq!(code, 0, "{text}");
        let (code, text) = home.run(bin, &["hook", "install", "claude", "--dry-run"]);
        assert!(code == 0 && text.matches("hook claude").count() <= 2, "{text}");
    }
    assert_eq!(home.run(Path::new(BIN), &["hook", "uninstall", "claude"]).0, 0);
    assert!(!std::fs::read_to_string(home.0.join(".claude/settings.json")).unwrap().contains("hook claude"));
}

/// Hooks of shells, by the lines in their start-up files; the doctor types the test command into each shell.
#[test]
fn hooks_of_shells_are_seen_and_tried() {
    let home = Home::new("shells");
    let bin = Path::new(BIN);
    home.write(".bashrc", &format!("x=1\neval \"$({BIN} init bash)\"\n"));
    let status = home.status();
    assert_eq!(
        (&status["state"], &status["hooks"][0]["agent"]),
        (&"scanning".into(), &"shell bash".into()),
        "{status}"
    );
    let has = |tool: &str| std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|d| d.join(tool).is_file());
    if has("script") {
        home.write(".zshrc", &format!("eval \"$({BIN} init zsh)\"\n"));
        home.write(".config/fish/config.fish", &format!("if true\n    {BIN} init fish | source\nend\n"));
        let (code, text) = home.run(bin, &["doctor"]);
        for shell in ["bash", "zsh", "fish"].into_iter().filter(|s| has(s)) {
            let stopped = |l: &&str| l.contains(&format!("shell {shell}")) && l.contains("stopped the test command");
            assert!(text.lines().find(stopped).is_some(), "{shell}: {text}");
        }
        assert_eq!(code, 0, "{text}");
        // The line is there, but something behind it takes the key away again.
        home.write(".bashrc", &format!("eval \"$({BIN} init bash)\"\nbind '\"\\C-m\": accept-line'\n"));
        let (code, text) = home.run(bin, &["doctor"]);
        assert!(code == 1 && text.contains("a line is run that the hook has to stop"), "{text}");
        std::fs::remove_file(home.0.join(".zshrc")).unwrap();
        std::fs::remove_file(home.0.join(".config/fish/config.fish")).unwrap();
    }
    for (line, state, why) in [
        (format!("eval \"$({BIN} init bash --warn-only)\""), "degraded", "--warn-only"),
        (format!("eval \"$({BIN} init zsh)\""), "off", "not for bash"),
        ("eval \"$(/nonexistent/shellward init bash)\"".to_string(), "off", "cannot be run"),
        (format!("# eval \"$({BIN} init bash)\""), "off", "no hook is installed"),
    ] {
        home.write(".bashrc", &line);
        let status = home.status();
        assert!(status["state"] == state && status.to_string().contains(why), "{line}: {status}");
    }
}

/// The plugin for opencode, in Node.js as opencode runs it.
#[test]
fn the_plugin_for_opencode_throws_what_is_denied() {
    let home = Home::new("opencode");
    if Command::new("node").arg("--version").output().is_err() {
        use std::io::stderr;
        writeln!(stderr(), "SKIPPED: there is no node, so the plugin for opencode is not run").unwrap();
        return;
    }
    assert_eq!(home.run(Path::new(BIN), &["hook", "install", "opencode"]).0, 0);
    let plugin = home.0.join(".config/opencode/plugin/shellward.js");
    let module = home.0.join("shellward.mjs");
    std::fs::copy(&plugin, &module).unwrap();
    let driver = format!(
        r#"import {{ Shellward }} from "{}"
const hooks = await Shellward({{ directory: "/tmp" }})
for (const [tool, command] of [["bash", "ls"], ["bash", "rm -rf ~"], ["read", "rm -rf ~"], ["bash", 7]]) {{
  try {{ await hooks["tool.execute.before"]({{ tool, sessionID: "s", callID: "c" }}, {{ args: {{ command }} }}); console.log("runs") }}
  catch (e) {{ console.log("throws " + e.message) }}
}}"#,
        module.display()
    );
    home.write("driver.mjs", &driver);
    let run = |home: &Home| {
        let mut command = Command::new("node");
        command.arg("driver.mjs").current_dir(&home.0).env("HOME", &home.0).env("XDG_CONFIG_HOME", "/nonexistent");
        command.env("SHELLWARD_STATE", home.0.join("state"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let text = run(&home);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert_eq!((lines[0], lines[2]), ("runs", "runs"));
    assert!(lines[1].starts_with("throws Shellward: ") && lines[1].contains("recursive_delete"), "{text}");
    assert!(lines[3].starts_with("throws Shellward could not check"), "{text}");
    // Without its binary nothing runs.
    let text = std::fs::read_to_string(&module).unwrap();
    std::fs::write(&module, text.replace(BIN, "/nonexistent/shellward")).unwrap();
    assert!(run(&home).lines().nth(1).unwrap().contains("could not judge"));
}
