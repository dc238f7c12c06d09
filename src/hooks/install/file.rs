//! A hook that is a file of its own: a plugin, or a script that the agent runs. One that somebody else wrote is refused.

use super::{Entry, Hook, Installed, Refusal};
use serde_json::Value;

/// What tells a file of this program from any other.
const MARK: &str = "Made by `shellward hook install";

/// The parts of the text around the command.
fn parts(entry: &Entry) -> Option<(&'static str, &'static str, bool)> {
    let Entry::File { text, place, quoted, .. } = entry else { return None };
    text.split_once(place).map(|(head, tail)| (head, tail, *quoted))
}

fn filled(entry: &Entry, command: &str) -> Option<String> {
    let (head, tail, quoted) = parts(entry)?;
    let command = if quoted { Value::from(command).to_string() } else { command.to_string() };
    Some(format!("{head}{command}{tail}"))
}

/// The command in a text of this program, whatever else has been changed in it.
fn command(text: &str, entry: &Entry) -> Option<String> {
    let (head, _, quoted) = parts(entry)?;
    // What stands before it on its line tells where it is.
    let before = head.rsplit('\n').next().unwrap_or(head);
    let line = text.lines().find(|l| !before.is_empty() && l.starts_with(before))?;
    let rest = line.strip_prefix(before)?;
    if !quoted {
        return Some(rest.trim().to_string());
    }
    serde_json::Deserializer::from_str(rest).into_iter::<String>().next()?.ok()
}

/// The hook in a file of this program.
pub(super) fn entries(text: &str, entry: &Entry) -> Vec<Installed> {
    let ours = text.contains(MARK).then(|| command(text, entry)).flatten();
    let whole = Value::from(text);
    ours.map(|command| Installed { command, outer: whole.clone(), inner: whole }).into_iter().collect()
}

/// The hook as this program would write it.
pub(super) fn entry(entry: &Entry, hook: Hook<'_>) -> Installed {
    let text = Value::from(filled(entry, hook.command).unwrap_or_default());
    Installed { command: hook.command.to_string(), outer: text.clone(), inner: text }
}

/// The text of the file.
pub(super) fn add(text: &str, entry: &Entry, hook: Hook<'_>) -> Result<String, Refusal> {
    if !text.trim().is_empty() && !text.contains(MARK) {
        let what = format!("another hook is in its place; let that one run `{}` and do as it says", hook.command);
        return Err(Refusal::Unknown(what));
    }
    filled(entry, hook.command).ok_or_else(|| Refusal::Unknown("its text names no command".into()))
}

/// An empty text stands for no file.
pub(super) fn remove(text: &str) -> Result<Option<String>, Refusal> {
    Ok(text.contains(MARK).then(String::new))
}
