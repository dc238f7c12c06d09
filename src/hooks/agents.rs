//! The one list of agents: where their questions have what, and the shape of the answer.
//!
//! Sources: the hook documentation of each agent. Names of tools are those that run a command in a shell; everything
//! else an agent does is none of our business here.

use super::input::Form;
use super::install::{Entry, Off, Settings, Switch, Where};
use super::{Answer, Reply, shape};
use crate::effect::Language;
use crate::glob;
use Language::{Bash, PowerShell};
use serde_json::Value;

/// One agent.
#[derive(Debug)]
pub struct Agent {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The questions it sends; the first is the one that is answered where a question cannot be read.
    pub forms: &'static [Form],
    /// Whether it can ask its user because we say so.
    pub asks: Asks,
    /// Puts an answer into its words.
    pub reply: fn(&Answer<'_>) -> Reply,
    /// Where its hooks are configured, where that is done by machine.
    pub settings: Option<Settings>,
}

/// Whether an agent asks its user because we say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// It does.
    Yes,
    /// It cannot.
    No,
    /// It does, but where the question has a text at that place that fits the glob: there it takes a question for a yes.
    Unless(&'static str, &'static str),
}

impl Asks {
    /// True where it asks about this question.
    pub fn about(self, question: &Value) -> bool {
        match self {
            Asks::Yes => true,
            Asks::No => false,
            Asks::Unless(at, pattern) => {
                let text = question.pointer(at).and_then(Value::as_str).unwrap_or_default();
                !glob::matches(pattern.as_bytes(), text.as_bytes())
            }
        }
    }
}

/// The agent with that name.
pub fn find(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|a| a.name == name)
}

/// Claude's form of question: event and tool in snake case, arguments in `tool_input`.
const fn claude_form(event: &'static str, tools: &'static [(&'static str, Language)]) -> Form {
    Form {
        event,
        also: &[],
        event_at: &["/hook_event_name", "/hookEventName"],
        tool_at: &["/tool_name", "/toolName"],
        tools,
        command_at: &["/tool_input/command", "/toolInput/command", "/tool_input/cmd"],
        scripts_at: &[],
        // A tool that is told where to run says so before the conversation does (Codex: workdir; Gemini: directory,
        // dir_path).
        cwd_at: &[
            "/tool_input/workdir",
            "/tool_input/directory",
            "/tool_input/dir_path",
            "/tool_input/working_directory",
            "/tool_input/cwd",
            "/cwd",
        ],
        session_at: &["/session_id", "/sessionId"],
    }
}

const CLAUDE_TOOLS: &[(&str, Language)] = &[("Bash", Bash), ("PowerShell", PowerShell), ("Monitor", Bash)];
const CODEX_TOOLS: &[(&str, Language)] = &[
    ("Bash", Bash),
    ("shell", Bash),
    ("shell_command", Bash),
    ("exec_command", Bash),
    ("local_shell", Bash),
    ("unified_exec", Bash),
];
const SHELL_TOOLS: &[(&str, Language)] = &[
    ("Bash", Bash),
    ("bash", Bash),
    ("Shell", Bash),
    ("shell", Bash),
    ("Execute", Bash),
    ("run_shell_command", Bash),
    ("run_terminal_command", Bash),
    ("run_terminal_cmd", Bash),
    ("execute_command", Bash),
];

/// Settings of the user, the project and the machine count together.
const CLAUDE_SWITCHES: &[Switch] = &[
    Switch { file: Where::Own, at: "/disableAllHooks", off: Off::Is("true") },
    Switch { file: Where::Project(".claude/settings.json"), at: "/disableAllHooks", off: Off::Is("true") },
    Switch { file: Where::Project(".claude/settings.local.json"), at: "/disableAllHooks", off: Off::Is("true") },
    Switch {
        file: Where::Machine("/etc/claude-code/managed-settings.json"),
        at: "/disableAllHooks",
        off: Off::Is("true"),
    },
    Switch {
        file: Where::Machine("/etc/claude-code/managed-settings.json"),
        at: "/allowManagedHooksOnly",
        off: Off::Is("true"),
    },
];

const GEMINI_SWITCHES: &[Switch] = &[
    Switch { file: Where::Own, at: "/hooksConfig/enabled", off: Off::Is("false") },
    Switch { file: Where::Own, at: "/hooksConfig/disabled", off: Off::Names },
    Switch { file: Where::Own, at: "/hooks/enabled", off: Off::Is("false") },
    Switch { file: Where::Own, at: "/hooks/disabled", off: Off::Names },
    Switch { file: Where::Own, at: "/tools/enableHooks", off: Off::Is("false") },
    Switch { file: Where::Project(".gemini/settings.json"), at: "/hooksConfig/enabled", off: Off::Is("false") },
    Switch { file: Where::Project(".gemini/settings.json"), at: "/hooksConfig/disabled", off: Off::Names },
];

const QWEN_SWITCHES: &[Switch] = &[
    Switch { file: Where::Own, at: "/disableAllHooks", off: Off::Is("true") },
    Switch { file: Where::Own, at: "/hooksConfig/enabled", off: Off::Is("false") },
    Switch { file: Where::Own, at: "/hooksConfig/disabled", off: Off::Names },
    Switch { file: Where::Project(".qwen/settings.json"), at: "/disableAllHooks", off: Off::Is("true") },
];

/// Every agent that is answered.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        title: "Claude Code",
        forms: &[claude_form("PreToolUse", CLAUDE_TOOLS), claude_form("PermissionRequest", CLAUDE_TOOLS)],
        asks: Asks::Yes,
        reply: shape::specific::full,
        settings: Some(Settings {
            file: ".claude/settings.json",
            home: Some(("CLAUDE_CONFIG_DIR", ".claude")),
            entry: Entry::Json {
                at: &["hooks", "PreToolUse"],
                element: r#"{"matcher": "Bash|PowerShell|Monitor", "hooks": [{"type": "command", "command": %COMMAND%, "timeout": 10}]}"#,
                beside: &[],
                comments: false,
            },
            partial: false,
            switches: CLAUDE_SWITCHES,
            note: "",
        }),
    },
    Agent {
        name: "codex",
        title: "Codex",
        forms: &[claude_form("PreToolUse", CODEX_TOOLS), claude_form("PermissionRequest", CODEX_TOOLS)],
        asks: Asks::No,
        reply: shape::specific::deny_only,
        settings: Some(Settings {
            file: ".codex/hooks.json",
            home: Some(("CODEX_HOME", ".codex")),
            entry: Entry::Json {
                at: &["hooks", "PreToolUse"],
                element: r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": %COMMAND%, "timeout": 10}]}"#,
                beside: &[],
                comments: false,
            },
            partial: true,
            switches: &[
                Switch { file: Where::Beside("config.toml"), at: "/features/hooks", off: Off::Is("false") },
                Switch { file: Where::Beside("config.toml"), at: "/features/codex_hooks", off: Off::Is("false") },
            ],
            note: "Codex asks at its next start in a terminal to trust the hook, and again after each change of it (/hooks). Until then it runs without it, and `codex exec` says no word about that.",
        }),
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        forms: &[claude_form("BeforeTool", &[("run_shell_command", Bash)])],
        asks: Asks::No,
        reply: shape::decision::gemini,
        settings: Some(Settings {
            file: ".gemini/settings.json",
            home: None,
            entry: Entry::Json {
                at: &["hooks", "BeforeTool"],
                element: r#"{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": %COMMAND%, "name": "shellward", "timeout": 10000}]}"#,
                beside: &[],
                comments: true,
            },
            partial: true,
            switches: GEMINI_SWITCHES,
            note: "",
        }),
    },
    Agent {
        name: "antigravity",
        title: "Antigravity",
        forms: &[Form {
            event: "PreToolUse",
            also: &[],
            event_at: &["/hook_event_name", "/hookEventName"],
            tool_at: &["/toolCall/name"],
            tools: &[("run_command", Bash)],
            command_at: &["/toolCall/args/CommandLine", "/toolCall/args/commandLine"],
            scripts_at: &[],
            cwd_at: &["/toolCall/args/Cwd", "/toolCall/args/cwd", "/cwd"],
            session_at: &["/conversationId"],
        }],
        asks: Asks::Yes,
        reply: shape::decision::antigravity,
        settings: Some(Settings {
            file: ".gemini/config/hooks.json",
            home: None,
            entry: Entry::Json {
                at: &["shellward", "PreToolUse"],
                element: r#"{"matcher": "run_command", "hooks": [{"type": "command", "command": %COMMAND%, "timeout": 10}]}"#,
                beside: &[],
                comments: false,
            },
            partial: false,
            switches: &[Switch { file: Where::Own, at: "/shellward/enabled", off: Off::Is("false") }],
            note: "",
        }),
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        forms: &[
            Form {
                event: "beforeShellExecution",
                also: &[],
                event_at: &["/hook_event_name"],
                tool_at: &[],
                tools: &[],
                command_at: &["/command"],
                scripts_at: &[],
                cwd_at: &["/cwd", "/workspace_roots/0"],
                session_at: &["/conversation_id"],
            },
            Form {
                event: "preToolUse",
                also: &["PreToolUse"],
                event_at: &["/hook_event_name"],
                tool_at: &["/tool_name"],
                tools: SHELL_TOOLS,
                command_at: &["/tool_input/command"],
                scripts_at: &[],
                cwd_at: &["/tool_input/working_directory", "/tool_input/cwd", "/cwd", "/workspace_roots/0"],
                session_at: &["/conversation_id"],
            },
        ],
        asks: Asks::Yes,
        reply: shape::permission::cursor,
        settings: Some(Settings {
            file: ".cursor/hooks.json",
            home: None,
            entry: Entry::Json {
                at: &["hooks", "beforeShellExecution"],
                element: r#"{"command": %COMMAND%, "timeout": 10, "failClosed": true}"#,
                beside: &[("version", "1")],
                comments: true,
            },
            partial: false,
            switches: &[],
            note: "Its command line (cursor-agent) takes a question for a yes; there `hooks.warn = \"deny\"` makes a no of it.",
        }),
    },
    Agent {
        name: "copilot",
        title: "GitHub Copilot",
        forms: &[Form {
            event: "PreToolUse",
            also: &["preToolUse"],
            event_at: &["/hook_event_name", "/hookEventName"],
            tool_at: &["/toolName", "/tool_name"],
            tools: &[
                ("bash", Bash),
                ("powershell", PowerShell),
                ("Bash", Bash),
                ("run_in_terminal", Bash),
                ("runInTerminal", Bash),
            ],
            command_at: &["/toolArgs/command", "/tool_args/command", "/tool_input/command", "/toolInput/command"],
            scripts_at: &[],
            cwd_at: &["/cwd"],
            session_at: &["/sessionId", "/session_id"],
        }],
        asks: Asks::Yes,
        reply: shape::copilot::copilot,
        settings: Some(Settings {
            file: ".copilot/hooks/shellward.json",
            home: Some(("COPILOT_HOME", ".copilot")),
            entry: Entry::Json {
                at: &["hooks", "preToolUse"],
                element: r#"{"type": "command", "bash": %COMMAND%, "timeoutSec": 10}"#,
                beside: &[("version", "1")],
                comments: false,
            },
            partial: false,
            switches: &[
                Switch { file: Where::Own, at: "/disableAllHooks", off: Off::Is("true") },
                Switch { file: Where::Beside("../config.json"), at: "/disableAllHooks", off: Off::Is("true") },
            ],
            note: "",
        }),
    },
    Agent {
        name: "windsurf",
        title: "Windsurf",
        forms: &[Form {
            event: "pre_run_command",
            also: &[],
            event_at: &["/agent_action_name"],
            tool_at: &[],
            tools: &[],
            command_at: &["/tool_info/command_line"],
            scripts_at: &[],
            cwd_at: &["/tool_info/cwd", "/cwd"],
            session_at: &["/trajectory_id"],
        }],
        asks: Asks::No,
        reply: shape::exit_code::two,
        settings: Some(Settings {
            file: ".codeium/windsurf/hooks.json",
            home: None,
            entry: Entry::Json {
                at: &["hooks", "pre_run_command"],
                element: r#"{"command": %COMMAND%, "show_output": false}"#,
                beside: &[],
                comments: false,
            },
            partial: false,
            switches: &[],
            note: "",
        }),
    },
    Agent {
        name: "hermes",
        title: "Hermes Agent",
        forms: &[Form {
            event: "pre_tool_call",
            also: &[],
            event_at: &["/hook_event_name"],
            tool_at: &["/tool_name"],
            tools: &[("terminal", Bash)],
            command_at: &["/tool_input/command"],
            scripts_at: &[],
            cwd_at: &["/tool_input/workdir", "/cwd"],
            session_at: &["/session_id"],
        }],
        asks: Asks::No,
        reply: shape::action::block,
        settings: Some(Settings {
            file: ".hermes/config.yaml",
            home: Some(("HERMES_HOME", ".hermes")),
            entry: Entry::Yaml {
                at: ("hooks", "pre_tool_call"),
                item: &["matcher: \"terminal\"", "command: %COMMAND%", "timeout: 10"],
            },
            partial: false,
            switches: &[Switch {
                file: Where::Beside("shell-hooks-allowlist.json"),
                at: "/approvals",
                off: Off::Lacks,
            }],
            note: "Hermes asks once for consent to a new hook; for a gateway or cron set HERMES_ACCEPT_HOOKS=1 for one run.",
        }),
    },
    Agent {
        name: "cline",
        title: "Cline",
        forms: &[
            Form {
                event: "PreToolUse",
                also: &["preToolUse"],
                event_at: &["/hookName", "/hook_event_name"],
                tool_at: &["/preToolUse/toolName", "/preToolUse/tool"],
                tools: &[("execute_command", Bash), ("bash", Bash), ("run_commands", Bash)],
                command_at: &["/preToolUse/parameters/command"],
                scripts_at: &[],
                cwd_at: &["/preToolUse/parameters/cwd", "/workspaceRoots/0"],
                session_at: &["/taskId"],
            },
            // The command line and what is built on its kit: the event in other words, and several commands in one question.
            Form {
                event: "tool_call",
                also: &[],
                event_at: &["/hookName"],
                tool_at: &["/tool_call/name"],
                tools: &[("run_commands", Bash), ("execute_command", Bash), ("bash", Bash)],
                command_at: &["/tool_call/input/cmd"],
                scripts_at: &["/tool_call/input/commands", "/tool_call/input"],
                cwd_at: &["/workspaceRoots/0"],
                session_at: &["/taskId"],
            },
        ],
        asks: Asks::No,
        reply: shape::cancel::cline,
        settings: Some(Settings {
            file: "Documents/Cline/Hooks/PreToolUse",
            home: None,
            entry: Entry::File {
                text: "#!/bin/sh\n# Made by `shellward hook install cline`: asks Shellward before a command runs.\nexec %COMMAND%\n",
                place: "%COMMAND%",
                quoted: false,
                executable: true,
            },
            partial: false,
            switches: &[],
            note: "The extension runs hooks where its settings have them switched on (Features, Enable Hooks), on Linux and macOS; the command line always does, and ends its turn at a no.",
        }),
    },
    Agent {
        name: "kiro",
        title: "Kiro",
        forms: &[Form {
            event: "preToolUse",
            also: &["PreToolUse"],
            event_at: &["/hook_event_name"],
            tool_at: &["/tool_name"],
            tools: &[("execute_bash", Bash), ("shell", Bash), ("executeBash", Bash), ("execute_cmd", Bash)],
            command_at: &["/tool_input/command"],
            scripts_at: &[],
            cwd_at: &["/tool_input/working_dir", "/cwd"],
            session_at: &["/session_id"],
        }],
        asks: Asks::No,
        reply: shape::exit_code::two,
        settings: Some(Settings {
            file: ".kiro/agents/*.json",
            home: None,
            entry: Entry::Json {
                at: &["hooks", "preToolUse"],
                element: r#"{"matcher": "execute_bash", "command": %COMMAND%, "timeout_ms": 10000}"#,
                beside: &[],
                comments: false,
            },
            partial: false,
            switches: &[],
            note: "The hook holds for this agent of Kiro alone; `kiro-cli agent set-default NAME` makes it the usual one.",
        }),
    },
    Agent {
        name: "opencode",
        title: "opencode",
        forms: &[Form {
            event: "tool.execute.before",
            also: &[],
            event_at: &["/event"],
            tool_at: &["/tool"],
            tools: &[("bash", Bash), ("shell", Bash)],
            command_at: &["/args/command"],
            scripts_at: &[],
            cwd_at: &["/args/workdir", "/directory"],
            session_at: &["/sessionID"],
        }],
        asks: Asks::No,
        reply: shape::action::block,
        settings: Some(Settings {
            file: ".config/opencode/plugin/shellward.js",
            home: Some(("OPENCODE_CONFIG_DIR", ".config/opencode")),
            entry: Entry::File {
                text: include_str!("../../integrations/opencode/shellward.js"),
                place: "\"shellward hook opencode\"",
                quoted: true,
                executable: false,
            },
            partial: false,
            switches: &[],
            note: "opencode loads plugins when it starts.",
        }),
    },
    Agent {
        name: "droid",
        title: "Factory Droid",
        forms: &[claude_form("PreToolUse", SHELL_TOOLS)],
        asks: Asks::Unless("/permission_mode", "auto-*"),
        reply: shape::specific::full,
        settings: Some(Settings {
            file: ".factory/settings.json",
            home: None,
            entry: Entry::Json {
                at: &["hooks", "PreToolUse"],
                element: r#"{"matcher": "Execute", "hooks": [{"type": "command", "command": %COMMAND%, "timeout": 10}]}"#,
                beside: &[],
                comments: true,
            },
            partial: false,
            switches: &[
                Switch { file: Where::Own, at: "/hooksDisabled", off: Off::Is("true") },
                Switch { file: Where::Own, at: "/disableAllHooks", off: Off::Is("true") },
            ],
            note: "",
        }),
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        forms: &[claude_form("PreToolUse", SHELL_TOOLS), claude_form("PermissionRequest", SHELL_TOOLS)],
        asks: Asks::Yes,
        reply: shape::specific::full,
        settings: Some(Settings {
            file: ".qwen/settings.json",
            home: None,
            entry: Entry::Json {
                at: &["hooks", "PreToolUse"],
                element: r#"{"matcher": "run_shell_command|Bash|Shell", "hooks": [{"type": "command", "command": %COMMAND%, "name": "shellward"}]}"#,
                beside: &[],
                comments: true,
            },
            partial: true,
            switches: QWEN_SWITCHES,
            note: "",
        }),
    },
    Agent {
        name: "kimi",
        title: "Kimi Code",
        forms: &[claude_form("PreToolUse", SHELL_TOOLS)],
        asks: Asks::No,
        reply: shape::specific::deny_only,
        settings: Some(Settings {
            file: ".kimi-code/config.toml",
            home: Some(("KIMI_CODE_HOME", ".kimi-code")),
            entry: Entry::Toml {
                table: "hooks",
                lines: &["event = \"PreToolUse\"", "matcher = \"Bash|Shell\"", "command = %COMMAND%", "timeout = 10"],
            },
            partial: false,
            switches: &[],
            note: "",
        }),
    },
    Agent {
        name: "grok",
        title: "Grok",
        forms: &[Form { also: &["pre_tool_use", "preToolUse"], ..claude_form("PreToolUse", SHELL_TOOLS) }],
        asks: Asks::No,
        reply: shape::decision::grok,
        settings: Some(Settings {
            file: ".grok/hooks/shellward.json",
            home: None,
            entry: Entry::Json {
                at: &["hooks", "PreToolUse"],
                element: r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": %COMMAND%, "timeout": 10}]}"#,
                beside: &[],
                comments: false,
            },
            partial: false,
            switches: &[],
            note: "",
        }),
    },
];
