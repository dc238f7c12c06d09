//! Reading what an agent wrote: JSON → the command, where it would run, and which event asks.
//!
//! Three ends: a command, something that is none of our business (another tool, another event), or a question that is
//! about a command but cannot be read. The last must not be mistaken for the second, or a host that renames a field
//! would be unprotected without a word.

use super::{Agent, Request};
use crate::effect::Language;
use serde_json::Value;
use std::borrow::Cow;

/// One form of question that an agent sends. Places are JSON pointers, the first that leads to a string counts; a step
/// into a string reads that string as JSON (some hosts send arguments as text).
#[derive(Debug)]
pub struct Form {
    /// The event that is answered, in the host's spelling.
    pub event: &'static str,
    /// Other spellings of it.
    pub also: &'static [&'static str],
    /// Where the event's name stands; none where the host sends only one kind.
    pub event_at: &'static [&'static str],
    /// Where the tool's name stands; none where the event is about a shell anyway.
    pub tool_at: &'static [&'static str],
    /// Tools that run commands, with the shell that reads them.
    pub tools: &'static [(&'static str, Language)],
    /// Where the command stands: a string, or a list of words.
    pub command_at: &'static [&'static str],
    /// Where a list of whole commands stands, each of which a shell of its own reads; or one of them.
    pub scripts_at: &'static [&'static str],
    /// Where the working directory stands.
    pub cwd_at: &'static [&'static str],
    /// Where the name of the conversation stands.
    pub session_at: &'static [&'static str],
}

/// What was asked.
#[derive(Debug)]
pub enum Question {
    /// Whether this command may run.
    Command(Request, &'static Form),
    /// Nothing that is for us.
    Other,
    /// A question that cannot be read, and why.
    Broken(String, Option<&'static Form>),
}

impl Question {
    /// The event to answer.
    pub fn event(&self, agent: &Agent) -> &'static str {
        let form = match self {
            Question::Command(_, form) | Question::Broken(_, Some(form)) => Some(*form),
            Question::Other | Question::Broken(_, None) => agent.forms.first(),
        };
        form.map_or("", |f| f.event)
    }
}

/// Reads a question, and gives the JSON back for the answer.
pub fn read(agent: &Agent, input: &[u8]) -> (Value, Question) {
    // Hosts on Windows may put a byte order mark first.
    let input = input.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(input);
    let value: Value = match serde_json::from_slice(input) {
        Ok(value) => value,
        Err(e) => return (Value::Null, Question::Broken(format!("the hook's input is not JSON ({e})"), None)),
    };
    if !value.is_object() {
        return (value, Question::Broken("the hook's input is not a JSON object".into(), None));
    }
    let question = ask(agent, &value);
    (value, question)
}

fn ask(agent: &Agent, value: &Value) -> Question {
    let mut named = false;
    for form in agent.forms {
        match text(value, form.event_at) {
            Some(event) if event == form.event || form.also.contains(&event.as_str()) => return form.read(value),
            Some(_) => named = true,
            None => {}
        }
    }
    if named {
        return Question::Other;
    }
    // No event is named: the form whose command is there, else the first, which will say what it misses.
    let has_command = |f: &&Form| f.command_at.iter().any(|p| at(value, p).is_some());
    match agent.forms.iter().find(has_command).or_else(|| agent.forms.first()) {
        Some(form) => form.read(value),
        None => Question::Other,
    }
}

impl Form {
    fn read(&'static self, value: &Value) -> Question {
        let mut shell = Language::Bash;
        if !self.tool_at.is_empty() {
            let Some(tool) = text(value, self.tool_at) else {
                return Question::Broken("the hook's input names no tool".into(), Some(self));
            };
            match self.tools.iter().find(|(name, _)| *name == tool) {
                Some((_, language)) => shell = *language,
                None => return Question::Other,
            }
        }
        let commands = self.command_at.iter().filter_map(|p| at(value, p)).filter_map(|v| command(&v));
        let mut commands =
            commands.chain(self.scripts_at.iter().filter_map(|p| at(value, p)).filter_map(|v| scripts(&v)));
        let first = commands.next();
        // Which of them the tool runs is not known here.
        if commands.any(|c| Some(c) != first) {
            return Question::Broken("the hook's input holds two commands".into(), Some(self));
        }
        match first {
            Some(command) => {
                let session = text(value, self.session_at).filter(|t| !t.is_empty());
                let cwd = self.directory(value);
                Question::Command(Request { command, shell, cwd, session }, self)
            }
            None => Question::Broken("the hook's input holds no command".into(), Some(self)),
        }
    }
}

impl Form {
    /// Where the command would run: the first directory that is named; below the next one where it is relative.
    fn directory(&self, value: &Value) -> Option<String> {
        let named = self.cwd_at.iter().filter_map(|p| text(value, &[p])).filter(|t| !t.is_empty());
        let mut below = String::new();
        for dir in named {
            let whole = if below.is_empty() { dir } else { format!("{}/{below}", dir.trim_end_matches('/')) };
            if whole.starts_with(['/', '~']) || whole.get(1..2) == Some(":") {
                return Some(whole);
            }
            below = whole;
        }
        (!below.is_empty()).then_some(below)
    }
    /// A question of this form about a command, as the host sends it in its first spelling.
    pub fn sample(&self, command: &str) -> Value {
        let tool = self.tools.first().map_or("", |(name, _)| name);
        // The directory of the conversation is named last.
        let cwd = self.cwd_at.last().map(std::slice::from_ref).unwrap_or_default();
        let fields = [(self.event_at, self.event), (self.tool_at, tool), (self.command_at, command), (cwd, "/tmp")];
        let mut value = Value::Object(serde_json::Map::new());
        for (at, text) in fields {
            let Some(pointer) = at.first() else { continue };
            let mut here = &mut value;
            for step in pointer.split('/').skip(1) {
                if here.is_null() {
                    *here = Value::Object(serde_json::Map::new());
                }
                let Value::Object(map) = here else { break };
                here = map.entry(step).or_insert(Value::Null);
            }
            *here = Value::from(text);
        }
        value
    }
}

/// A command: a text, or the words of one, quoted so that a shell reads just these words.
fn command(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(s) => Some(s.clone().into_bytes()),
        Value::Array(words) if !words.is_empty() => {
            let words: Option<Vec<String>> = words.iter().map(|w| w.as_str().map(quoted)).collect();
            words.map(|w| w.join(" ").into_bytes())
        }
        _ => None,
    }
}

/// Whole commands as one: a single one as it is; of several each as the text of a shell of its own, so that a quote that
/// one leaves open and a directory that it changes to end with it.
fn scripts(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Array(list) => match list.as_slice() {
            [] => None,
            [one] => script(one).map(String::into_bytes),
            several => {
                let lines: Option<Vec<String>> =
                    several.iter().map(|v| script(v).map(|s| format!("bash -c {}", quoted(&s)))).collect();
                lines.map(|l| l.join("\n").into_bytes())
            }
        },
        one => script(one).map(String::into_bytes),
    }
}

/// One command: a text, or `{command, args}` where the program is run with just these words.
fn script(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(map) => {
            let program = map.get("command")?.as_str()?;
            match map.get("args") {
                None | Some(Value::Null) => Some(program.to_string()),
                Some(Value::Array(args)) => {
                    let args = args.iter().map(|a| a.as_str().map(quoted));
                    let words: Option<Vec<String>> = std::iter::once(Some(quoted(program))).chain(args).collect();
                    words.map(|w| w.join(" "))
                }
                Some(_) => None,
            }
        }
        _ => None,
    }
}

/// A word that a shell reads as just this text.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The first non-empty string that one of the pointers leads to; an empty one where there is no other.
fn text(value: &Value, pointers: &[&str]) -> Option<String> {
    let mut found = pointers.iter().filter_map(|p| at(value, p)).filter_map(|v| v.as_str().map(str::to_string));
    let first = found.next()?;
    if first.is_empty() { Some(found.find(|t| !t.is_empty()).unwrap_or(first)) } else { Some(first) }
}

/// What a JSON pointer leads to; a string on the way is read as JSON.
fn at(value: &Value, pointer: &str) -> Option<Value> {
    // Owned from the first string on that was read, borrowed before.
    let mut here = Cow::Borrowed(value);
    for step in pointer.split('/').skip(1) {
        if let Value::String(text) = here.as_ref() {
            here = Cow::Owned(serde_json::from_str(text).ok()?);
        }
        here = match here {
            Cow::Borrowed(v) => Cow::Borrowed(child(v, step)?),
            Cow::Owned(v) => Cow::Owned(child(&v, step)?.clone()),
        };
    }
    Some(here.into_owned())
}

fn child<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(step),
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_go_through_text_that_is_json() {
        let value = json!({"a": "{\"b\": [1, {\"c\": \"x\"}]}", "l": ["", "y"]});
        assert_eq!(at(&value, "/a/b/1/c"), Some(json!("x")));
        assert_eq!(at(&value, "/a/q"), None);
        assert_eq!(text(&value, &["/n", "/l/0", "/l/1"]), Some("y".into()));
    }

    #[test]
    fn every_form_reads_its_own_sample() {
        for agent in crate::hooks::AGENTS {
            for form in agent.forms {
                let sample = form.sample("ls /x").to_string();
                let (_, question) = read(agent, sample.as_bytes());
                assert_eq!(question.event(agent), form.event, "{sample}");
                assert!(matches!(question, Question::Command(r, _) if r.command == b"ls /x"), "{sample}");
            }
        }
    }

    #[test]
    fn a_list_of_words_is_quoted() {
        let words = json!(["bash", "-lc", "echo 'a b'"]);
        assert_eq!(command(&words).unwrap(), br"'bash' '-lc' 'echo '\''a b'\'''");
        assert_eq!(command(&json!([])), None);
        assert_eq!(command(&json!(["a", 1])), None);
    }

    #[test]
    fn of_several_commands_each_has_its_shell() {
        let read = |v: Value| scripts(&v).map(|b| String::from_utf8(b).unwrap());
        assert_eq!(read(json!(["echo 'a b'"])).unwrap(), "echo 'a b'");
        assert_eq!(read(json!("ls")).unwrap(), "ls");
        assert_eq!(read(json!(["echo '", "ls"])).unwrap(), "bash -c 'echo '\\'''\nbash -c 'ls'");
        assert_eq!(read(json!({"command": "rm", "args": ["-r", "a b"]})).unwrap(), "'rm' '-r' 'a b'");
        assert_eq!(read(json!([])), None);
        assert_eq!(read(json!(["ls", 1])), None);
        assert_eq!(read(json!({"commands": ["ls"]})), None);
    }
}
