//! The list of places that mean something: `grammars/lists/paths.list`, as a table.
//!
//! In: the text of the list, which is compiled in and read when the first path is looked at. Out: which entries a path
//! matches. Judges nothing. Floor 3; imports nothing of the project but its parent.

use super::Part;
use std::sync::OnceLock;

macro_rules! marks {
    ($($(#[$m:meta])* $variant:ident = $text:literal,)+) => {
        /// What a place is known for, next to its class.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Mark { $($(#[$m])* $variant,)+ }
        impl Mark {
            /// Every one of them.
            pub const ALL: &'static [Mark] = &[$(Mark::$variant,)+];
            /// Its name in the list and in output.
            pub const fn name(self) -> &'static str {
                match self { $(Mark::$variant => $text,)+ }
            }
            fn from_name(name: &str) -> Option<Mark> {
                match name { $($text => Some(Mark::$variant),)+ _ => None }
            }
        }
    };
}

marks! {
    /// Secrets: keys, tokens, passwords.
    Credential = "credential",
    /// A shell runs it when it starts.
    ShellStartup = "shell-startup",
    /// Runs at login, for a desktop session or at boot.
    LoginStartup = "login-startup",
    /// Cron, timers.
    Schedule = "schedule",
    /// Units and init scripts.
    Service = "service",
    /// Says who may log in.
    SshAccess = "ssh-access",
    /// Says who may become root.
    Privilege = "privilege",
    /// Users, groups, password hashes.
    Accounts = "accounts",
    /// Code that is loaded into other programs.
    Loader = "loader",
    /// Names and routes of the network.
    Resolver = "resolver",
    /// Code or settings that a version control system runs.
    RepositoryHook = "repository-hook",
    /// What the machine starts from.
    Boot = "boot",
    /// Records of what was done.
    Log = "log",
    /// What a shell remembers of commands.
    History = "history",
    /// Settings of coding agents, of their hooks and of this gate.
    Agent = "agent",
    /// Where people keep their own files.
    UserData = "user-data",
    /// Memory and environment of other processes.
    ProcessMemory = "process-memory",
    /// Gives the rights of the container daemon.
    ContainerSocket = "container-socket",
    /// Settings of what protects the machine.
    Guard = "guard",
    /// Certificates that the machine trusts.
    Trust = "trust",
    /// A write makes the kernel do something to the whole machine.
    Switch = "switch",
    /// Mail of users.
    Mailbox = "mailbox",
    /// Programs and libraries that everybody runs.
    Program = "program",
    /// Programs that are found by their names alone, beside those of the system.
    SearchPath = "search-path",
    /// What build tools, test runners and package managers run or obey in a project.
    Build = "build",
}

/// A set of [`Mark`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u32);

impl Marks {
    /// True where the mark is in it.
    pub fn has(self, mark: Mark) -> bool {
        self.0 >> (mark as u8) & 1 == 1
    }
    /// True where one of them is in it.
    pub fn any(self, marks: &[Mark]) -> bool {
        marks.iter().any(|m| self.has(*m))
    }
    /// Adds one.
    pub fn add(&mut self, mark: Mark) {
        self.0 |= 1 << (mark as u8);
    }
    /// Those in it.
    pub fn iter(self) -> impl Iterator<Item = Mark> {
        Mark::ALL.iter().copied().filter(move |m| self.has(*m))
    }
    /// True where none is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// How an entry classes the place it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    System,
    Homes,
    Outside,
    Temporary,
    Cache,
    Kernel,
    Device,
    Harmless,
    /// Nothing there is secret, whatever its name looks like: cancels [`Mark::Credential`].
    Public,
}

/// Where a pattern begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Root,
    Home,
    Anywhere,
}

/// A pattern of the list.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) anchor: Anchor,
    parts: Vec<&'static str>,
    /// True for `**` at the end.
    tree: bool,
}

impl Pattern {
    fn new(text: &'static str) -> Pattern {
        let (anchor, rest) = if let Some(r) = text.strip_prefix("**/") {
            (Anchor::Anywhere, r)
        } else if let Some(r) = text.strip_prefix('~') {
            (Anchor::Home, r)
        } else {
            (Anchor::Root, text)
        };
        let mut parts: Vec<&'static str> = rest.split('/').filter(|p| !p.is_empty()).collect();
        let tree = parts.last() == Some(&"**");
        if tree {
            parts.pop();
        }
        Pattern { anchor, parts, tree }
    }

    /// How many components the pattern has.
    pub(super) fn depth(&self) -> usize {
        self.parts.len()
    }

    /// True where the pattern stands for the place with those components (or, with `below`, for one above it).
    pub(super) fn matches(&self, parts: &[Part], below: bool) -> bool {
        if self.anchor == Anchor::Anywhere && !self.tree && !below {
            // It ends where the path ends, so it begins in one place only.
            let from = parts.len().checked_sub(self.parts.len());
            return from.and_then(|i| parts.get(i..)).is_some_and(|p| !p.is_empty() && self.matches_from(p, below));
        }
        if self.anchor == Anchor::Anywhere {
            return (0..parts.len()).any(|i| parts.get(i..).is_some_and(|p| self.matches_from(p, below)));
        }
        self.matches_from(parts, below)
    }

    fn matches_from(&self, parts: &[Part], below: bool) -> bool {
        let fits = if self.tree || below { parts.len() >= self.parts.len() } else { parts.len() == self.parts.len() };
        fits && self.parts.iter().zip(parts).all(|(pattern, part)| part.may_be(pattern))
    }
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) areas: Vec<(Area, Pattern, &'static str)>,
    pub(super) marks: Vec<(Mark, Pattern, &'static str)>,
    pub(super) variables: Vec<(&'static str, &'static str)>,
    pub(super) outputs: Vec<(&'static str, &'static str)>,
    /// Lines that are no entry: none, a test holds that.
    pub(super) wrong: Vec<&'static str>,
}

const TEXT: &str = include_str!("../../../grammars/lists/paths.list");

impl List {
    /// The table, read once.
    pub(super) fn get() -> &'static List {
        static LIST: OnceLock<List> = OnceLock::new();
        LIST.get_or_init(|| List::read(TEXT))
    }

    fn read(text: &'static str) -> List {
        let mut list = List::default();
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let mut words = line.splitn(3, ' ');
            let (Some(kind), Some(pattern), Some(what)) = (words.next(), words.next(), words.next()) else {
                list.wrong.push(line);
                continue;
            };
            let area = match kind {
                "system" => Area::System,
                "homes" => Area::Homes,
                "outside" => Area::Outside,
                "temporary" => Area::Temporary,
                "cache" => Area::Cache,
                "kernel" => Area::Kernel,
                "device" => Area::Device,
                "harmless" => Area::Harmless,
                "public" => Area::Public,
                "variable" => {
                    list.variables.push((pattern, what));
                    continue;
                }
                "output" => {
                    list.outputs.push((pattern, what));
                    continue;
                }
                other => {
                    match Mark::from_name(other) {
                        Some(m) => list.marks.push((m, Pattern::new(pattern), what)),
                        None => list.wrong.push(line),
                    }
                    continue;
                }
            };
            list.areas.push((area, Pattern::new(pattern), what));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_an_entry() {
        let list = List::get();
        assert_eq!(list.wrong, Vec::<&str>::new());
        assert!(list.areas.len() > 50 && list.marks.len() > 150);
        for m in Mark::ALL {
            assert!(list.marks.iter().any(|(n, ..)| n == m), "no place is marked {}", m.name());
        }
    }

    #[test]
    fn no_entry_stands_twice() {
        let mut seen = std::collections::HashSet::new();
        for line in TEXT.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
            let key: Vec<&str> = line.splitn(3, ' ').take(2).collect();
            assert!(seen.insert(key.clone()), "{key:?} stands twice");
        }
    }
}
