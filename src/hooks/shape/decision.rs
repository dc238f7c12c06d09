//! A `decision` at the top: Gemini CLI (hooks reference, BeforeTool), Antigravity, Grok.

use crate::hooks::{Answer, Reply, Ruling};
use serde_json::json;

/// Gemini CLI: allow or deny; `systemMessage` is shown to the user. `continue: false` would end the agent and is never
/// sent.
pub fn gemini(answer: &Answer<'_>) -> Reply {
    Reply::json(&match answer.ruling {
        Ruling::Silent | Ruling::Ask => json!({}),
        Ruling::Allow => json!({"decision": "allow"}),
        Ruling::Deny => json!({"decision": "deny", "reason": answer.reason, "systemMessage": answer.reason}),
    })
}

/// Antigravity: `ask` gives way to the user's own grants there, `force_ask` does not.
pub fn antigravity(answer: &Answer<'_>) -> Reply {
    let decision = match answer.ruling {
        Ruling::Silent => return Reply::json(&json!({})),
        Ruling::Allow => "allow",
        Ruling::Ask => "force_ask",
        Ruling::Deny => "deny",
    };
    Reply::json(&json!({"decision": decision, "reason": answer.reason}))
}

/// Grok: a deny with its reason; nothing else is needed.
pub fn grok(answer: &Answer<'_>) -> Reply {
    match answer.ruling {
        Ruling::Silent | Ruling::Ask => Reply::default(),
        Ruling::Allow => Reply::json(&json!({"decision": "allow"})),
        Ruling::Deny => Reply::json(&json!({"decision": "deny", "reason": answer.reason})),
    }
}
