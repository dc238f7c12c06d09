//! What keeps a hook from working though it stands in the settings: a matcher that leaves the shell out, a switch that turns
//! every hook off, a time that is too short. Pure: files are the caller's.

use super::Installed;
use serde_json::Value;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// True where no command is held back because of it.
    pub off: bool,
    /// What, for people.
    pub what: String,
}

impl Problem {
    /// Nothing is held back.
    pub fn off(what: impl Into<String>) -> Problem {
        Problem { off: true, what: what.into() }
    }
    /// Not everything is.
    pub fn degraded(what: impl Into<String>) -> Problem {
        Problem { off: false, what: what.into() }
    }
}

/// A setting by which an agent runs no hooks.
#[derive(Debug)]
pub struct Switch {
    /// The file it stands in.
    pub file: Where,
    /// Its place there, as a JSON pointer.
    pub at: &'static str,
    /// When it is off.
    pub off: Off,
}

/// Which file.
#[derive(Debug)]
pub enum Where {
    /// The settings file itself.
    Own,
    /// One in the same directory.
    Beside(&'static str),
    /// One in the directory that the agent works in.
    Project(&'static str),
    /// One of the machine.
    Machine(&'static str),
}

/// What the value means.
#[derive(Debug)]
pub enum Off {
    /// Off where it is this, as JSON.
    Is(&'static str),
    /// Off where it is a list that names the hook: `shellward`, or its command.
    Names,
    /// Not on yet where no element of the list has its command: the user's consent.
    Lacks,
}

impl Switch {
    /// What is wrong by the content of the file; `None` for a file that is not there.
    pub fn problem(&self, file: &str, content: Option<&Value>, command: &str) -> Option<Problem> {
        let value = content.and_then(|c| c.pointer(self.at));
        let items = || value.and_then(Value::as_array).into_iter().flatten();
        let name = self.at.trim_start_matches('/').replace('/', ".");
        match self.off {
            Off::Is(word) => {
                let is = value.is_some() && value == serde_json::from_str::<Value>(word).ok().as_ref();
                is.then(|| Problem::off(format!("{file} has {name} = {word}: the agent runs no hooks")))
            }
            Off::Names => {
                let ours = |v: &Value| v.as_str().is_some_and(|s| s == env!("CARGO_PKG_NAME") || s == command);
                items().any(ours).then(|| Problem::off(format!("{file} names it in {name}: the agent does not run it")))
            }
            Off::Lacks => {
                let given = items().any(|v| v.get("command").and_then(Value::as_str) == Some(command));
                let what =
                    || format!("{file} has no consent to it yet: the agent asks at its next start in a terminal");
                (!given).then(|| Problem::degraded(what()))
            }
        }
    }
}

/// Members that say nothing about whether it works.
const FREE: &[&str] = &["matcher", "hooks", "command", "bash", "name", "description", "show_output"];
/// Members that say how long it may take.
const TIMES: &[&str] = &["timeout", "timeoutSec", "timeout_ms"];
/// What the time is in an entry of this program, in milliseconds.
const FRESH_MS: u64 = 10_000;

/// What is wrong with an entry, compared with a fresh one.
pub(super) fn problems(entry: &Installed, fresh: &Installed, partial: bool, deadline_ms: u64) -> Vec<Problem> {
    let mut out = Vec::new();
    if let (Some(got), Some(want)) = (entry.outer.as_str(), fresh.outer.as_str()) {
        if got != want {
            out.push(Problem::degraded("its file was changed, or is of another version of this program"));
        }
        return out;
    }
    matcher(entry, fresh, partial, &mut out);
    for (got, want) in [(&entry.outer, &fresh.outer), (&entry.inner, &fresh.inner)] {
        let members = want.as_object().into_iter().flatten();
        for (key, value) in members.filter(|(k, _)| !FREE.contains(&k.as_str()) && !TIMES.contains(&k.as_str())) {
            if got.get(key) != Some(value) {
                let got = got.get(key).map_or("missing".to_string(), Value::to_string);
                let what = format!("its {key} is {got} and not {value}");
                // A flag makes it weaker; any other word makes it another hook.
                out.push(if value.is_boolean() { Problem::degraded(what) } else { Problem::off(what) });
            }
        }
        let yes = |key: &str| got.get(key) == Some(&Value::Bool(true));
        if yes("async") || yes("asyncRewake") {
            out.push(Problem::off("it runs beside the command (async), which it cannot hold back"));
        }
        if yes("disabled") || got.get("enabled") == Some(&Value::Bool(false)) {
            out.push(Problem::off("it is switched off in its own entry"));
        }
        if let Some(condition) = got.get("if").and_then(Value::as_str) {
            out.push(Problem::degraded(format!("its condition leaves commands out: if {condition}")));
        }
        for key in TIMES {
            let number = |v: &Value| v.get(key).and_then(Value::as_u64);
            if let (Some(given), Some(usual)) = (number(got), number(want).filter(|n| *n > 0)) {
                let ms = given.saturating_mul(FRESH_MS).checked_div(usual).unwrap_or(FRESH_MS);
                if deadline_ms > 0 && ms <= deadline_ms {
                    out.push(Problem::degraded(format!(
                        "its {key} is {ms} ms, but a verdict may take {deadline_ms} ms (hooks.deadline_ms): most agents run a \
                         command whose hook is late"
                    )));
                }
            }
        }
    }
    let mut seen: Vec<Problem> = Vec::new();
    out.retain(|p| {
        let new = !seen.contains(p);
        seen.push(p.clone());
        new
    });
    out
}

/// What the matcher leaves out.
fn matcher(entry: &Installed, fresh: &Installed, partial: bool, out: &mut Vec<Problem>) {
    let got = match entry.outer.get("matcher") {
        None | Some(Value::Null) => return,
        Some(Value::String(text)) if matches!(text.trim(), "" | "*" | ".*") => return,
        Some(Value::String(text)) => text.trim(),
        Some(other) => {
            out.push(Problem::off(format!("its matcher is no text: {other}")));
            return;
        }
    };
    let Some(wanted) = fresh.outer.get("matcher").and_then(Value::as_str) else {
        // Of an event that is about shells alone, so it is about the command.
        out.push(Problem::degraded(format!("its matcher {got:?} leaves commands out")));
        return;
    };
    let pattern = if partial { got.to_string() } else { format!("^(?:{got})$") };
    // As hosts do with one that is no pattern.
    let matches = |tool: &str| regex::Regex::new(&pattern).map_or(got == tool, |r| r.is_match(tool));
    let left: Vec<&str> = wanted.split('|').filter(|tool| !matches(tool)).collect();
    let first = wanted.split('|').next();
    if left.first().copied() == first {
        let tool = first.unwrap_or_default();
        out.push(Problem::off(format!("its matcher {got:?} leaves out {tool}, the tool that runs commands")));
    } else if !left.is_empty() {
        out.push(Problem::degraded(format!("its matcher {got:?} leaves out {}", left.join(", "))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::install::{Hook, has_own_name};

    fn of(agent: &str, text: &str) -> Vec<(bool, String)> {
        let hook = Hook { agent, command: "", own: has_own_name };
        let settings = crate::hooks::find(agent).unwrap().settings.as_ref().unwrap();
        let entry = settings.installed(text, hook).unwrap().unwrap_or_else(|| panic!("not found in {text}"));
        settings.problems(&entry, hook, 4_000).into_iter().map(|p| (p.off, p.what)).collect()
    }

    fn claude(matcher: &str, more: &str) -> Vec<(bool, String)> {
        let matcher = if matcher.is_empty() { String::new() } else { format!(r#""matcher": {matcher},"#) };
        of(
            "claude",
            &format!(
                r#"{{"hooks":{{"PreToolUse":[{{{matcher}"hooks":[{{"type":"command","command":"/b/shellward hook claude"{more}}}]}}]}}}}"#
            ),
        )
    }

    #[test]
    fn a_matcher_has_to_let_the_shell_in() {
        for fine in ["", r#""*""#, r#""""#, r#""Bash|PowerShell|Monitor""#, r#""Bash|.*""#] {
            assert_eq!(claude(fine, ""), [], "{fine}");
        }
        for (wrong, off) in [
            (r#""Edit|Write""#, true),
            (r#""bash""#, true),
            (r#""Bas""#, true),
            (r#""(""#, true),
            ("7", true),
            (r#""Bash""#, false),
        ] {
            let got = claude(wrong, "");
            assert!(got.len() == 1 && got[0].0 == off, "{wrong}: {got:?}");
        }
        // Where a part of the name will do.
        let gemini = |m: &str| {
            let entry =
                format!(r#"{{"matcher":"{m}","hooks":[{{"type":"command","command":"shellward hook gemini"}}]}}"#);
            of("gemini", &format!(r#"{{"hooks":{{"BeforeTool":[{entry}]}}}}"#)).len()
        };
        assert_eq!((gemini("run_shell"), gemini("^run_shell_command$"), gemini("write_file")), (0, 0, 1));
    }

    #[test]
    fn an_entry_has_to_hold_the_command_back_in_time() {
        for (more, off) in [(r#","async":true"#, true), (r#","timeout":4"#, false), (r#","if":"Bash(git *)""#, false)] {
            let got = claude("", more);
            assert!(got.len() == 1 && got[0].0 == off, "{more}: {got:?}");
        }
        assert_eq!(claude("", r#","timeout":5"#), []);
        let cursor = |more: &str| {
            let entry = format!(r#"{{"command":"shellward hook cursor"{more}}}"#);
            of("cursor", &format!(r#"{{"hooks":{{"beforeShellExecution":[{entry}]}}}}"#))
        };
        assert_eq!(cursor(r#","failClosed":true"#), []);
        assert_eq!(cursor("").len(), 1);
        assert_eq!(cursor(r#","failClosed":true,"matcher":"curl""#).len(), 1);
        let kimi = "[[hooks]]\nevent = 'Stop'\ncommand = 'shellward hook kimi'\nmatcher = 'Bash|Shell'\n";
        assert!(of("kimi", kimi).iter().any(|(off, _)| *off));
        let hermes = "hooks:\n  pre_tool_call:\n  - matcher: write_file\n    command: shellward hook hermes\n";
        assert!(of("hermes", hermes).iter().any(|(off, what)| *off && what.contains("terminal")));
    }

    #[test]
    fn a_switch_turns_every_hook_off() {
        for agent in crate::hooks::AGENTS.iter().filter_map(|a| a.settings.as_ref()) {
            for switch in agent.switches {
                assert!(switch.at.starts_with('/'), "{switch:?}");
                let content = |leaf: Value| {
                    switch
                        .at
                        .split('/')
                        .skip(1)
                        .collect::<Vec<_>>()
                        .into_iter()
                        .rev()
                        .fold(leaf, |v, k| Value::Object([(k.to_string(), v)].into_iter().collect()))
                };
                let (bad, good) = match switch.off {
                    Off::Is(word) => (serde_json::from_str(word).unwrap(), Value::from("x")),
                    Off::Names => (serde_json::json!(["shellward"]), serde_json::json!(["other"])),
                    Off::Lacks => (serde_json::json!([{"command": "y"}]), serde_json::json!([{"command": "x"}])),
                };
                assert!(switch.problem("f", Some(&content(bad)), "x").is_some(), "{switch:?}");
                assert!(switch.problem("f", Some(&content(good)), "x").is_none(), "{switch:?}");
            }
        }
    }
}
