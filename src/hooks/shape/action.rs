//! Hermes Agent (pre_tool_call) and the plugin for opencode: `{"action": "block", "message"}`, `{}` for everything else.

use crate::hooks::{Answer, Reply, Ruling};
use serde_json::json;

/// The answer.
pub fn block(answer: &Answer<'_>) -> Reply {
    Reply::json(&match answer.ruling {
        Ruling::Deny => json!({"action": "block", "message": answer.reason}),
        Ruling::Silent | Ruling::Allow | Ruling::Ask => json!({}),
    })
}
