//! The one list of agents: where their questions have what, and the shape of the answer.
//!
//! Sources: the hook documentation of each agent. Names of tools are those that run a command in a shell; everything
//! else an agent does is none of our business here.

use super::input::Form;
use super::{Answer, Reply, shape};
use crate::effect::Language;
use Language::{Bash, PowerShell};

/// One agent.
#[derive(Debug)]
pub struct Agent {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The questions it sends; the first is the one that is answered where a question cannot be read.
    pub forms: &'static [Form],
    /// True where it can ask its user because we say so.
    pub asks: bool,
    /// Puts an answer into its words.
    pub reply: fn(&Answer<'_>) -> Reply,
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
        command_at: &["/tool_input/command", "/toolInput/command"],
        cwd_at: &["/cwd"],
        session_at: &["/session_id", "/sessionId"],
    }
}

const CLAUDE_TOOLS: &[(&str, Language)] = &[("Bash", Bash), ("PowerShell", PowerShell), ("Monitor", Bash)];
const CODEX_TOOLS: &[(&str, Language)] =
    &[("Bash", Bash), ("shell", Bash), ("shell_command", Bash), ("exec_command", Bash)];
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

/// Every agent that is answered.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        title: "Claude Code",
        forms: &[claude_form("PreToolUse", CLAUDE_TOOLS), claude_form("PermissionRequest", CLAUDE_TOOLS)],
        asks: true,
        reply: shape::specific::full,
    },
    Agent {
        name: "codex",
        title: "Codex",
        forms: &[claude_form("PreToolUse", CODEX_TOOLS), claude_form("PermissionRequest", CODEX_TOOLS)],
        asks: false,
        reply: shape::specific::deny_only,
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        forms: &[claude_form("BeforeTool", &[("run_shell_command", Bash)])],
        asks: false,
        reply: shape::decision::gemini,
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
            cwd_at: &["/toolCall/args/Cwd", "/toolCall/args/cwd", "/cwd"],
            session_at: &["/conversationId"],
        }],
        asks: true,
        reply: shape::decision::antigravity,
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
                cwd_at: &["/tool_input/working_directory", "/tool_input/cwd", "/cwd", "/workspace_roots/0"],
                session_at: &["/conversation_id"],
            },
        ],
        asks: true,
        reply: shape::permission::cursor,
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
            cwd_at: &["/cwd"],
            session_at: &["/sessionId", "/session_id"],
        }],
        asks: true,
        reply: shape::copilot::copilot,
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
            cwd_at: &["/tool_info/cwd", "/cwd"],
            session_at: &["/trajectory_id"],
        }],
        asks: false,
        reply: shape::exit_code::two,
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
            cwd_at: &["/tool_input/workdir", "/cwd"],
            session_at: &["/session_id"],
        }],
        asks: false,
        reply: shape::action::hermes,
    },
    Agent {
        name: "cline",
        title: "Cline",
        forms: &[Form {
            event: "PreToolUse",
            also: &["preToolUse"],
            event_at: &["/hookName", "/hook_event_name"],
            tool_at: &["/preToolUse/toolName", "/preToolUse/tool"],
            tools: &[("execute_command", Bash), ("bash", Bash), ("run_commands", Bash)],
            command_at: &["/preToolUse/parameters/command"],
            cwd_at: &["/preToolUse/parameters/cwd", "/workspaceRoots/0"],
            session_at: &["/taskId"],
        }],
        asks: false,
        reply: shape::cancel::cline,
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
            cwd_at: &["/tool_input/working_dir", "/cwd"],
            session_at: &["/session_id"],
        }],
        asks: false,
        reply: shape::exit_code::two,
    },
    Agent {
        name: "droid",
        title: "Factory Droid",
        forms: &[claude_form("PreToolUse", SHELL_TOOLS)],
        asks: true,
        reply: shape::specific::full,
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        forms: &[claude_form("PreToolUse", SHELL_TOOLS), claude_form("PermissionRequest", SHELL_TOOLS)],
        asks: true,
        reply: shape::specific::full,
    },
    Agent {
        name: "kimi",
        title: "Kimi Code",
        forms: &[claude_form("PreToolUse", SHELL_TOOLS)],
        asks: false,
        reply: shape::specific::deny_only,
    },
    Agent {
        name: "grok",
        title: "Grok",
        forms: &[Form { also: &["pre_tool_use", "preToolUse"], ..claude_form("PreToolUse", SHELL_TOOLS) }],
        asks: false,
        reply: shape::decision::grok,
    },
];
