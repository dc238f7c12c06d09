//! Putting the hook into an agent's settings, and taking it out again.
//!
//! In: the text of the settings file as it is, the command that the agent is to run. Out: the text as it has to be, which
//! differs in the entry of this hook alone: comments, order, other hooks and line ends stay, byte for byte. A file that
//! the agent could not read, or a form that is not understood here, is refused. Pure functions: files are the caller's.

mod file;
pub mod health;
mod json;
mod toml;
mod yaml;

use serde_json::Value;
use std::path::{Path, PathBuf};

pub use health::{Off, Problem, Switch, Where};

/// Where the hook of an agent is configured.
#[derive(Debug)]
pub struct Settings {
    /// The file, below [`Settings::home`]; where its name is `*`, every one of that ending in the directory, of which the
    /// user names one.
    pub file: &'static str,
    /// A variable that names the directory of the agent's settings, and what it stands for below the home directory.
    pub home: Option<(&'static str, &'static str)>,
    /// How the entry looks.
    pub entry: Entry,
    /// True where the agent's matchers stand for a part of a tool's name.
    pub partial: bool,
    /// Settings that switch every hook off.
    pub switches: &'static [Switch],
    /// What else has to be done, for people.
    pub note: &'static str,
}

/// The entry, in the format of the file.
#[derive(Debug)]
pub enum Entry {
    /// An element of a list in a JSON object.
    Json {
        /// The keys that lead to the list.
        at: &'static [&'static str],
        /// The element; `%COMMAND%` stands for the command.
        element: &'static str,
        /// Members that the top object needs beside: key and JSON.
        beside: &'static [(&'static str, &'static str)],
        /// True where the agent reads comments and trailing commas.
        comments: bool,
    },
    /// An item of a list in a YAML mapping: the keys that lead to it, and its lines.
    Yaml {
        /// The two keys.
        at: (&'static str, &'static str),
        /// The lines of the item; `%COMMAND%` stands for the command.
        item: &'static [&'static str],
    },
    /// A table of an array in a TOML file.
    Toml {
        /// The array.
        table: &'static str,
        /// The lines of the table; `%COMMAND%` stands for the command.
        lines: &'static [&'static str],
    },
    /// A file of its own.
    File {
        /// Its text.
        text: &'static str,
        /// What stands for the command in it.
        place: &'static str,
        /// True where the command is put there as a text in double quotes.
        quoted: bool,
        /// True where the agent runs the file itself.
        executable: bool,
    },
}

/// One hook that the settings run.
#[derive(Clone, Debug, PartialEq)]
pub struct Installed {
    /// Its command.
    pub command: String,
    /// The element of the list that it stands in.
    pub outer: Value,
    /// Its own members.
    pub inner: Value,
}

/// Why the settings are left as they are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The agent itself could not read it.
    #[error("it is broken: {0}")]
    Broken(String),
    /// It could, but this program does not know how to change it.
    #[error("it has a form that is not changed by machine: {0}")]
    Unknown(String),
}

/// The hook in a settings file.
#[derive(Clone, Copy, Debug)]
pub struct Hook<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// The command that the agent is to run.
    pub command: &'a str,
    /// Whether a program, as a settings file names it, is this one, whatever it is called.
    pub own: fn(&str) -> bool,
}

/// True for this program under its own name.
pub fn has_own_name(program: &str) -> bool {
    Path::new(program).file_stem().is_some_and(|n| n == env!("CARGO_PKG_NAME"))
}

impl Hook<'_> {
    /// True where a command of the settings runs this program's hook for this agent, from whatever directory.
    fn is_run_by(&self, command: &str) -> bool {
        if command == self.command {
            return true;
        }
        self.program(command).is_some_and(|p| has_own_name(p) || (self.own)(p))
    }
    /// The program of a command `PROGRAM hook AGENT`, and nothing else. What only ends in these words is a command of another
    /// program (`audit-wrapper PROGRAM hook AGENT`), or one under another policy (`SHELLWARD_POLICY=x PROGRAM hook AGENT`).
    pub fn program<'c>(&self, command: &'c str) -> Option<&'c str> {
        let before = command.trim_end().strip_suffix(self.agent)?.trim_end().strip_suffix("hook")?;
        let program = before.strip_suffix([' ', '\t'])?.trim();
        let (others, program) = match program.chars().last() {
            // Quoted, the blanks in it are its own.
            Some(quote @ ('"' | '\'')) => program.strip_suffix(quote)?.rsplit_once(quote)?,
            _ => program.rsplit_once([' ', '\t']).unwrap_or(("", program)),
        };
        others.trim().is_empty().then_some(program)
    }
    fn fill(&self, template: &str) -> String {
        // The three formats agree on a text in double quotes with backslashes.
        template.replace("%COMMAND%", &serde_json::Value::from(self.command).to_string())
    }
}

impl Settings {
    /// The settings file, where the home directory is known. `variable` looks up the environment.
    pub fn path(&self, home: Option<&Path>, variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        if let Some((name, below)) = self.home
            && let Some(dir) = variable(name).filter(|d| d.is_absolute())
        {
            let rest = Path::new(self.file).strip_prefix(below).ok()?;
            return Some(dir.join(rest));
        }
        home.map(|h| h.join(self.file))
    }

    /// The text with the hook in it: `Ok(None)` where it is there already. An absent file is an empty text.
    pub fn install(&self, text: &str, hook: Hook<'_>) -> Result<Option<String>, Refusal> {
        let entries = self.entries(text)?;
        let (ours, others): (Vec<_>, Vec<_>) =
            entries.iter().filter(|e| hook.is_run_by(&e.command)).partition(|e| e.command == hook.command);
        // One that would not work gives way, too.
        let works = |e: &&Installed| !self.problems(e, hook, 0).iter().any(|p| p.off);
        if others.is_empty() && ours.len() == 1 && ours.iter().all(works) {
            return Ok(None);
        }
        // An entry that names another place of the binary gives way.
        let cleared = self.uninstall(text, hook)?;
        let text = cleared.as_deref().unwrap_or(text);
        match &self.entry {
            Entry::Json { at, element, beside, comments } => {
                json::add(text, at, &hook.fill(element), beside, *comments).map(Some)
            }
            Entry::Yaml { at, item } => {
                let item: Vec<String> = item.iter().map(|l| hook.fill(l)).collect();
                yaml::add(text, *at, &item).map(Some)
            }
            Entry::Toml { table, lines } => {
                let lines: Vec<String> = lines.iter().map(|l| hook.fill(l)).collect();
                toml::add(text, table, &lines).map(Some)
            }
            Entry::File { .. } => file::add(text, &self.entry, hook).map(Some),
        }
    }

    /// The text without the hook: `Ok(None)` where there is none.
    pub fn uninstall(&self, text: &str, hook: Hook<'_>) -> Result<Option<String>, Refusal> {
        let ours = |command: &str| hook.is_run_by(command);
        let mut text = text.to_string();
        let mut changed = false;
        // One entry after the other; each round takes one out, so this ends.
        loop {
            let next = match &self.entry {
                Entry::Json { at, comments, .. } => json::remove(&text, at, *comments, &ours)?,
                Entry::Yaml { at, .. } => yaml::remove(&text, *at, &ours)?,
                Entry::Toml { table, .. } => toml::remove(&text, table, &ours)?,
                Entry::File { .. } => file::remove(&text)?,
            };
            match next {
                Some(next) => (text, changed) = (next, true),
                None => return Ok(changed.then_some(text)),
            }
        }
    }

    /// This program's hook that the settings run, where there is one; of several, the one with the least that is wrong.
    pub fn installed(&self, text: &str, hook: Hook<'_>) -> Result<Option<Installed>, Refusal> {
        let ours = self.entries(text)?.into_iter().filter(|e| hook.is_run_by(&e.command));
        Ok(ours.min_by_key(|e| {
            let problems = self.problems(e, hook, 0);
            (problems.iter().filter(|p| p.off).count(), problems.len())
        }))
    }

    /// What keeps an entry from working, beside its program. `deadline_ms`: how long a verdict may take.
    pub fn problems(&self, entry: &Installed, hook: Hook<'_>, deadline_ms: u64) -> Vec<Problem> {
        let hook = Hook { command: &entry.command, ..hook };
        // As this program would write it.
        let fresh = match &self.entry {
            Entry::Json { element, .. } => json::entry(&hook.fill(element)),
            Entry::Yaml { at, item } => {
                let item: Vec<String> = item.iter().map(|l| hook.fill(l)).collect();
                yaml::add("", *at, &item).ok().and_then(|t| yaml::entries(&t, *at).ok()?.pop())
            }
            Entry::Toml { table, lines } => {
                let lines: Vec<String> = lines.iter().map(|l| hook.fill(l)).collect();
                toml::add("", table, &lines).ok().and_then(|t| toml::entries(&t, table).ok()?.pop())
            }
            Entry::File { .. } => Some(file::entry(&self.entry, hook)),
        };
        fresh.map_or_else(Vec::new, |fresh| health::problems(entry, &fresh, self.partial, deadline_ms))
    }

    /// Every hook at the place of this one.
    fn entries(&self, text: &str) -> Result<Vec<Installed>, Refusal> {
        match &self.entry {
            Entry::Json { at, comments, .. } => json::entries(text, at, *comments),
            Entry::Yaml { at, .. } => yaml::entries(text, *at),
            Entry::Toml { table, .. } => toml::entries(text, table),
            Entry::File { .. } => Ok(file::entries(text, &self.entry)),
        }
    }

    /// True where the agent runs the file itself, so that it has to be executable.
    pub fn executable(&self) -> bool {
        matches!(self.entry, Entry::File { executable: true, .. })
    }
}

/// The content of a settings file as JSON, by the ending of its name; `None` where it cannot be read.
pub fn value(name: &Path, text: &str) -> Option<Value> {
    match name.extension().and_then(|e| e.to_str()) {
        Some("toml") => ::toml::from_str::<Value>(text).ok(),
        _ => json::value(text),
    }
}

/// The text of a YAML file with one more text in a list at its top, where it is not there yet.
pub fn add_to_list(text: &str, key: &str, value: &str) -> Result<String, Refusal> {
    yaml::add_text(text, key, value)
}

/// The lines that differ, with a few around them, as `diff -u` shows them. The change is taken to be in one place.
pub fn diff(before: &str, after: &str) -> String {
    const AROUND: usize = 3;
    let (a, b): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |x: &mut dyn Iterator<Item = (&&str, &&str)>| x.take_while(|(p, q)| p == q).count();
    let head = same(&mut a.iter().zip(&b));
    let most = a.len().min(b.len()).saturating_sub(head);
    let tail = same(&mut a.iter().rev().zip(b.iter().rev())).min(most);
    let (a_end, b_end) = (a.len().saturating_sub(tail), b.len().saturating_sub(tail));
    let from = head.saturating_sub(AROUND);
    let to = a.len().min(a_end.saturating_add(AROUND));
    let part = |lines: &[&str], from: usize, to: usize, mark: char| -> String {
        lines.get(from..to).unwrap_or_default().iter().map(|l| format!("{mark}{l}\n")).collect()
    };
    [
        format!("@@ line {} @@\n", head.saturating_add(1)),
        part(&a, from, head, ' '),
        part(&a, head, a_end, '-'),
        part(&b, head, b_end, '+'),
        part(&a, a_end, to, ' '),
    ]
    .concat()
}

#[cfg(test)]
mod tests;
