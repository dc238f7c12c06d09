//! What holds for every agent and every form of its settings.

use super::*;
use crate::hooks::AGENTS;

fn hook(agent: &str) -> Hook<'_> {
    Hook { agent, command: "/opt/x/shellward hook AGENT", own: has_own_name }
}

fn settings(agent: &str) -> &'static Settings {
    crate::hooks::find(agent).unwrap().settings.as_ref().unwrap()
}

/// Installs, and proves that it is idempotent and that uninstalling gives the text back.
fn there_and_back(agent: &str, text: &str) -> String {
    let command = format!("/opt/x/shellward hook {agent}");
    let hook = Hook { agent, command: &command, own: has_own_name };
    let s = settings(agent);
    let with = s.install(text, hook).unwrap().unwrap();
    assert_eq!(s.install(&with, hook).unwrap(), None, "{agent}: not idempotent:\n{with}");
    assert_eq!(s.installed(&with, hook).unwrap().map(|e| e.command), Some(command.clone()), "{with}");
    let moved = Hook { agent, command: &format!("\"/other dir/shellward\" hook {agent}"), own: has_own_name };
    let replaced = s.install(&with, moved).unwrap().unwrap();
    assert_eq!(s.entries(&replaced).unwrap().iter().filter(|e| moved.is_run_by(&e.command)).count(), 1, "{replaced}");
    let back = s.uninstall(&with, hook).unwrap().unwrap();
    assert_eq!(s.uninstall(&back, hook).unwrap(), None);
    if !text.trim().is_empty() {
        assert_eq!(back, text, "{agent}: not restored from\n{with}");
    }
    with
}

#[test]
fn every_agent_takes_a_missing_and_an_empty_file() {
    for agent in AGENTS.iter().filter(|a| a.settings.is_some()) {
        there_and_back(agent.name, "");
        there_and_back(agent.name, "\n");
    }
}

#[test]
fn what_stands_in_json_stays_as_it_is() {
    let other = r#"{
    "model": "x",
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "other hook claude"}]}
        ],
        "Stop": []
    },
    "z": [1.50, 1e3, "\u00e9"]
}
"#;
    for text in [
        "{}\n",
        "{\"a\":1}",
        "{\n\t\"a\": 1\n}\n",
        "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Edit\", \"hooks\": []}\n    ]\n  }\n}",
        "\u{FEFF}{\"a\": 1}",
        other,
    ] {
        let with = there_and_back("claude", text);
        assert!(serde_json::from_str::<serde_json::Value>(with.trim_start_matches('\u{FEFF}')).is_ok(), "{with}");
        assert_eq!(with.contains("\r\n"), text.contains("\r\n"));
        assert!(!text.contains("\r\n") || with.matches('\n').count() == with.matches("\r\n").count(), "{with:?}");
    }
}

#[test]
fn comments_and_trailing_commas_stay_where_the_agent_reads_them() {
    let text = "// mine\n{\n  /* one */ \"ui\": {\"theme\": \"x\"}, // two\n  \"hooks\": {\n    \"BeforeTool\": [\n      \
                {\"matcher\": \"write_file\", \"hooks\": []}, // three\n    ],\n  },\n}\n";
    let with = there_and_back("gemini", text);
    for kept in ["// mine", "/* one */", "// two", "// three"] {
        assert!(with.contains(kept), "{with}");
    }
    assert!(matches!(settings("claude").install(text, hook("claude")), Err(Refusal::Broken(_))));
}

#[test]
fn a_hook_inside_another_entry_is_taken_out_alone() {
    let text = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
  {"type":"command","command":"first"},
  {"type":"command","command":"shellward hook claude"},
  {"type":"command","command":"shellward hook gemini"}]}]}}"#;
    let out = settings("claude").uninstall(text, hook("claude")).unwrap().unwrap();
    let left: Vec<String> = settings("claude").entries(&out).unwrap().into_iter().map(|e| e.command).collect();
    assert_eq!(left, ["first", "shellward hook gemini"]);
}

#[test]
fn broken_settings_are_refused() {
    for text in [
        "{",
        "[]",
        "{\"hooks\": []}",
        "{\"hooks\": {\"PreToolUse\": {}}}",
        "{} {}",
        "{\"a\" 1}",
        "null",
        "{\"hooks\":{},\"hooks\":{}}",
    ] {
        let hook = Hook { agent: "claude", command: "shellward hook claude", own: has_own_name };
        assert!(settings("claude").install(text, hook).is_err(), "{text}");
    }
    for text in [
        "a: 1\n--- \nb: 2\n",
        "hooks: {pre_tool_call: []}\n",
        "- a\n",
        "{a: 1}\n",
        "just text\n",
        "hooks:\n\tx: 1\n",
        "hooks:\nhooks:\n",
        "hooks:\n  pre_tool_call: [x]\n",
    ] {
        let hook = Hook { agent: "hermes", command: "shellward hook hermes", own: has_own_name };
        assert!(settings("hermes").install(text, hook).is_err(), "{text}");
    }
    for text in ["a =", "hooks = []\n", "[hooks]\na = 1\n"] {
        let hook = Hook { agent: "kimi", command: "shellward hook kimi", own: has_own_name };
        assert!(settings("kimi").install(text, hook).is_err(), "{text}");
    }
}

#[test]
fn a_text_is_put_into_a_list_at_the_top_of_yaml() {
    for (before, after) in [
        ("", "list:\n- \"x y\"\n"),
        ("# c\na: 1", "# c\na: 1\nlist:\n- \"x y\"\n"),
        ("list: []  # mine\na: 1\n", "list:  # mine\n- \"x y\"\na: 1\n"),
        ("list:\n- a  # one\n# two\nb: 1\n", "list:\n- a  # one\n- \"x y\"\n# two\nb: 1\n"),
        ("list:\n  - 'a'\n\nb:\n- c\n", "list:\n  - 'a'\n  - \"x y\"\n\nb:\n- c\n"),
        ("list:\n- x y  # there\n", "list:\n- x y  # there\n"),
        ("list:\n- 'x y'\n", "list:\n- 'x y'\n"),
    ] {
        assert_eq!(add_to_list(before, "list", "x y").as_deref(), Ok(after), "{before}");
    }
    for refused in
        ["list: [a, b]\n", "list: a\n", "list:\n  a: 1\n", "- a\n", "list:\n- a\nlist:\n- b\n", "list:\n\t- a\n"]
    {
        assert!(add_to_list(refused, "list", "x y").is_err(), "{refused}");
    }
}

#[test]
fn lists_at_the_margin_of_yaml_are_in_nobodys_way() {
    let settings = settings("hermes");
    let hook = Hook { agent: "hermes", command: "/b/shellward hook hermes", own: has_own_name };
    // As the agent itself writes its file.
    let before = "command_allowlist:\n- podman *\nhooks:\n  on_start:\n  - command: x\nmodel: y\n";
    let after = settings.install(before, hook).unwrap().unwrap();
    assert!(
        after.starts_with("command_allowlist:\n- podman *\nhooks:\n  on_start:\n  - command: x\n  pre_tool_call:\n"),
        "{after}"
    );
    assert!(after.ends_with("model: y\n"), "{after}");
    assert_eq!(settings.uninstall(&after, hook).unwrap().as_deref(), Some(before));
}

#[test]
fn what_stands_in_yaml_stays_as_it_is() {
    for text in [
        "# mine\nmodel: x # why\napprovals:\n  mode: manual\n",
        "hooks:\n  post_tool_call:\n    - command: a\n      timeout: 3\n\n# after\nmodel: x\n",
        "hooks:\n  pre_tool_call:\n  - matcher: terminal\n    command: \"other\" # it\n  # end\n  on_end:\n  - command: b\nz: |\n  hooks:\n    x\n",
        "hooks:\n    pre_tool_call:\n        - command: other\n          matcher: terminal\nmodel: y\n",
        "---\nmodel: x\n",
        "text: \"a\n  hooks: b\"\nmodel: x\n",
    ] {
        let with = there_and_back("hermes", text);
        assert!(with.lines().count() > text.lines().count());
    }
    for (text, want) in [("hooks: {}\nm: 1\n", "hooks:\n  pre_tool_call:\n    - "), ("hooks:\nm: 1\n", "hooks:\n  pre")]
    {
        let hook = Hook { agent: "hermes", command: "shellward hook hermes", own: has_own_name };
        let with = settings("hermes").install(text, hook).unwrap().unwrap();
        assert!(with.starts_with(want) && with.ends_with("m: 1\n"), "{with}");
    }
}

#[test]
fn what_stands_in_toml_stays_as_it_is() {
    for text in ["# mine\nmodel = 'x' # why\n", "[[hooks]]\nevent = 'Stop'\ncommand = 'x'\n\n[a]\nb = 1\n", "a = 1"] {
        let command = "shellward hook kimi";
        let hook = Hook { agent: "kimi", command, own: has_own_name };
        let s = settings("kimi");
        let with = s.install(text, hook).unwrap().unwrap();
        let back = s.uninstall(&with, hook).unwrap().unwrap();
        assert_eq!(back.trim_end(), text.trim_end());
        assert!(toml::commands(&with, "hooks").unwrap().contains(&command.to_string()));
    }
}

#[test]
fn only_this_program_for_this_agent_is_ours() {
    let hook = Hook { agent: "claude", command: "x y", own: has_own_name };
    for ours in ["x y", "shellward hook claude", "'/a b/shellward' hook  claude", "C:\\x\\shellward.exe hook claude"] {
        assert!(hook.is_run_by(ours) || ours.contains('\\'), "{ours}");
    }
    for not in ["shellward hook gemini", "other hook claude", "shellward claude", "notshellward hook claude", ""] {
        assert!(!hook.is_run_by(not), "{not}");
    }
}

#[test]
fn a_variable_moves_the_settings() {
    let s = settings("claude");
    let home = Some(Path::new("/home/u"));
    assert_eq!(s.path(home, |_| None).unwrap(), Path::new("/home/u/.claude/settings.json"));
    let there = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| PathBuf::from("/x"));
    assert_eq!(s.path(home, there).unwrap(), Path::new("/x/settings.json"));
}

#[test]
fn a_diff_shows_the_lines_that_differ() {
    let d = diff("a\nb\nc\nd\ne\n", "a\nb\nc\nX\nd\ne\n");
    assert_eq!(d, "@@ line 4 @@\n a\n b\n c\n+X\n d\n e\n");
}
