//! Cline: `cancel` with `errorMessage`.

use crate::hooks::{Answer, Reply, Ruling};
use serde_json::json;

/// The answer to PreToolUse.
pub fn cline(answer: &Answer<'_>) -> Reply {
    Reply::json(&match answer.ruling {
        Ruling::Deny => json!({"cancel": true, "errorMessage": answer.reason}),
        Ruling::Silent | Ruling::Allow | Ruling::Ask => json!({"cancel": false}),
    })
}
