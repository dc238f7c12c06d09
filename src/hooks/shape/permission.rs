//! Cursor: `permission` with a message for the user and one for the agent. Older versions read the messages in camel
//! case, newer ones in snake case; both ignore what they do not know.

use crate::hooks::{Answer, Reply, shape::specific::word};
use serde_json::json;

/// The answer to beforeShellExecution and preToolUse.
pub fn cursor(answer: &Answer<'_>) -> Reply {
    let Some(word) = word(answer.ruling) else { return Reply::json(&json!({})) };
    let reason = &answer.reason;
    Reply::json(&json!({
        "permission": word,
        "user_message": reason,
        "agent_message": reason,
        "userMessage": reason,
        "agentMessage": reason,
    }))
}
