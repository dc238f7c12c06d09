//! Rollouts of Codex (`~/.codex/sessions/…/rollout-*.jsonl`): items as JSON lines, newer ones inside `payload`.
//!
//! A command is the argument of a `function_call` (`command`: a text or the list of words; `cmd`: a text), or the
//! action of a `local_shell_call`. Words are quoted into one text. `session_meta` and `turn_context` name the session
//! and the directory.

use super::json::{self, Last};
use super::{Batch, Columns, Format, Hint, Reader, quoted};
use crate::audit::{Entry, time};
use serde_json::Value;

pub(super) static FORMAT: Format = Format {
    name: "codex",
    about: "Codex rollout",
    shell: None,
    fits: |hint: &Hint<'_>| {
        let named = hint.name().starts_with("rollout-");
        let items = ["\"session_meta\"", "\"response_item\"", "\"function_call\"", "\"local_shell_call\""];
        let fits = items.iter().any(|i| json::has(hint, i));
        if named && fits { 96 } else { 80 * u8::from(fits) }
    },
    open: |_: &Columns| Box::new(Codex::default()),
    table: None,
};

#[derive(Default)]
struct Codex {
    session: Last,
    cwd: Last,
    here: Option<String>,
    id: Option<String>,
}

/// A command given as a text or as a list of words.
fn text(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Array(words) => {
            let words: Option<Vec<&[u8]>> = words.iter().map(|w| w.as_str().map(str::as_bytes)).collect();
            Some(quoted(words?)).filter(|t| !t.is_empty())
        }
        _ => None,
    }
}

impl Reader for Codex {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let Some(line) = json::read::<Value>(line, out) else { return };
        let item = line.get("payload").unwrap_or(&line);
        let field = |v: &Value, name: &str| v.get(name).and_then(Value::as_str).map(str::to_string);
        let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
        match line.get("type").and_then(Value::as_str).unwrap_or_default() {
            "session_meta" => {
                self.id = field(item, "id").or(self.id.take());
                self.here = field(item, "cwd").or(self.here.take());
                return;
            }
            "turn_context" => {
                self.here = field(item, "cwd").or(self.here.take());
                return;
            }
            _ => {}
        }
        let (command, cwd) = match kind {
            "function_call" => {
                let arguments = item.get("arguments").and_then(Value::as_str).unwrap_or_default();
                let Ok(arguments) = serde_json::from_str::<Value>(arguments) else { return };
                let command = arguments.get("command").or_else(|| arguments.get("cmd")).and_then(text);
                (command, field(&arguments, "workdir"))
            }
            "local_shell_call" => {
                let Some(action) = item.get("action") else { return };
                (action.get("command").and_then(text), field(action, "working_directory"))
            }
            _ => return,
        };
        if let Some(command) = command {
            out.entries.push(Entry {
                at: line.get("timestamp").and_then(Value::as_str).and_then(time::parse),
                session: self.session.share(self.id.as_deref()),
                cwd: self.cwd.share(cwd.as_deref().or(self.here.as_deref())),
                ..Entry::new(command, number)
            });
        }
    }
}
