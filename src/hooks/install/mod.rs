//! Putting the hook into an agent's settings, and taking it out again.
//!
//! In: the text of the settings file as it is, the command that the agent is to run. Out: the text as it has to be, which
//! differs in the entry of this hook alone: comments, order, other hooks and line ends stay, byte for byte. A file that
//! the agent could not read, or a form that is not understood here, is refused. Pure functions: files are the caller's.

mod json;
mod toml;
mod yaml;

use std::path::{Path, PathBuf};

/// Where the hook of an agent is configured.
#[derive(Debug)]
pub struct Settings {
    /// The file, below [`Settings::home`].
    pub file: &'static str,
    /// A variable that names the directory of the agent's settings, and what it stands for below the home directory.
    pub home: Option<(&'static str, &'static str)>,
    /// How the entry looks.
    pub entry: Entry,
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
}

impl Hook<'_> {
    /// True where a command of the settings runs this program's hook for this agent, from whatever directory.
    fn is_run_by(&self, command: &str) -> bool {
        if command == self.command {
            return true;
        }
        let Some(program) = command.trim_end().strip_suffix(self.agent) else { return false };
        let Some(program) = program.trim_end().strip_suffix(" hook") else { return false };
        let program = program.trim().trim_matches(['"', '\'']);
        Path::new(program).file_stem().is_some_and(|n| n == env!("CARGO_PKG_NAME"))
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
        let commands = self.commands(text)?;
        let (ours, others): (Vec<_>, Vec<_>) =
            commands.iter().filter(|c| hook.is_run_by(c)).partition(|c| *c == hook.command);
        if !ours.is_empty() && others.is_empty() {
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
            };
            match next {
                Some(next) => (text, changed) = (next, true),
                None => return Ok(changed.then_some(text)),
            }
        }
    }

    /// The command of this program's hook that the settings run, where there is one.
    pub fn installed(&self, text: &str, hook: Hook<'_>) -> Result<Option<String>, Refusal> {
        Ok(self.commands(text)?.into_iter().find(|c| hook.is_run_by(c)))
    }

    /// Every command at the place of the hook.
    fn commands(&self, text: &str) -> Result<Vec<String>, Refusal> {
        match &self.entry {
            Entry::Json { at, comments, .. } => json::commands(text, at, *comments),
            Entry::Yaml { at, .. } => yaml::commands(text, *at),
            Entry::Toml { table, .. } => toml::commands(text, table),
        }
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
