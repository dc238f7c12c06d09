//! Transcripts of Claude Code (`~/.claude/projects/DIR/ID.jsonl`): messages as JSON lines. A command is the input of a
//! `tool_use` block with a `command` in it, inside a message of the assistant.

use super::json::{self, Last};
use super::{Batch, Columns, Format, Hint, Reader};
use crate::audit::{Entry, time};
use serde::Deserialize;
use serde_json::Value;

pub(super) static FORMAT: Format = Format {
    name: "claude",
    about: "Claude Code transcript",
    shell: None,
    fits: |hint: &Hint<'_>| {
        let fits = json::has(hint, "\"sessionId\"") && json::has(hint, "\"uuid\"");
        if fits { 95 } else { 0 }
    },
    open: |_: &Columns| Box::new(Claude::default()),
    table: None,
};

#[derive(Default)]
struct Claude {
    session: Last,
    cwd: Last,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    timestamp: Option<String>,
    session_id: Option<String>,
    cwd: Option<String>,
    message: Option<Value>,
}

impl Reader for Claude {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let Some(line) = json::read::<Line>(line, out) else { return };
        let blocks = line.message.as_ref().and_then(|m| m.get("content")?.as_array());
        for block in blocks.into_iter().flatten() {
            let is_call = block.get("type").and_then(Value::as_str) == Some("tool_use");
            let command = block.get("input").and_then(|i| i.get("command")?.as_str());
            if let (true, Some(command)) = (is_call, command) {
                out.entries.push(Entry {
                    at: line.timestamp.as_deref().and_then(time::parse),
                    session: self.session.share(line.session_id.as_deref()),
                    cwd: self.cwd.share(line.cwd.as_deref()),
                    ..Entry::new(command, number)
                });
            }
        }
    }
}
