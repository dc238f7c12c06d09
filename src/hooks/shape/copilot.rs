//! GitHub Copilot: the command line reads the decision at the top of the object; VS Code, whose questions are in snake
//! case, reads it where Claude Code does.

use super::specific::{pre_tool_use, word};
use crate::hooks::{Answer, Reply};
use serde_json::json;

/// The answer, in the form of the host that asked.
pub fn copilot(answer: &Answer<'_>) -> Reply {
    let Some(word) = word(answer.ruling) else { return Reply::default() };
    let mut value = json!({"permissionDecision": word, "permissionDecisionReason": answer.reason});
    if answer.input.get("tool_name").is_some()
        && let (Some(flat), Some(nested)) = (value.as_object_mut(), pre_tool_use(answer, word).as_object())
    {
        // The command line may send snake case as well: it finds its own fields beside.
        flat.extend(nested.clone());
    }
    Reply::json(&value)
}
