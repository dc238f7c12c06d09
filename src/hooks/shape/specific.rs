//! `hookSpecificOutput`: the shape of Claude Code (hooks reference, PreToolUse decision control), which Codex, Droid,
//! Qwen Code and Kimi read, too. `allow` skips the host's own question, so it is said only where policy wants that.

use crate::hooks::{Answer, Reply, Ruling};
use serde_json::{Value, json};

/// Hosts that read allow, deny and ask.
pub fn full(answer: &Answer<'_>) -> Reply {
    if answer.event == PERMISSION_REQUEST {
        return permission_request(answer);
    }
    match word(answer.ruling) {
        Some(word) => Reply::json(&pre_tool_use(answer, word)),
        None => Reply::default(),
    }
}

/// Hosts that read only a deny with a reason, and take everything else for a failed hook: silence is their allow.
pub fn deny_only(answer: &Answer<'_>) -> Reply {
    if answer.event == PERMISSION_REQUEST {
        return permission_request(answer);
    }
    match answer.ruling {
        Ruling::Deny => Reply::json(&pre_tool_use(answer, "deny")),
        _ => Reply::default(),
    }
}

const PERMISSION_REQUEST: &str = "PermissionRequest";

/// The words of a decision.
pub(super) fn word(ruling: Ruling) -> Option<&'static str> {
    match ruling {
        Ruling::Silent => None,
        Ruling::Allow => Some("allow"),
        Ruling::Ask => Some("ask"),
        Ruling::Deny => Some("deny"),
    }
}

pub(super) fn pre_tool_use(answer: &Answer<'_>, word: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": answer.event,
        "permissionDecision": word,
        "permissionDecisionReason": answer.reason,
    }})
}

/// The host is about to ask its user. A question of ours is the same question, so it is left to the host.
fn permission_request(answer: &Answer<'_>) -> Reply {
    let decision = match answer.ruling {
        Ruling::Silent | Ruling::Ask => return Reply::default(),
        Ruling::Allow => json!({"behavior": "allow"}),
        Ruling::Deny => json!({"behavior": "deny", "message": answer.reason}),
    };
    Reply::json(&json!({"hookSpecificOutput": {"hookEventName": answer.event, "decision": decision}}))
}
