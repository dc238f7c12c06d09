//! Hermes Agent: `{"action": "block", "message"}` for pre_tool_call, `{}` for everything else.

use crate::hooks::{Answer, Reply, Ruling};
use serde_json::json;

/// The answer to pre_tool_call.
pub fn hermes(answer: &Answer<'_>) -> Reply {
    Reply::json(&match answer.ruling {
        Ruling::Deny => json!({"action": "block", "message": answer.reason}),
        Ruling::Silent | Ruling::Allow | Ruling::Ask => json!({}),
    })
}
