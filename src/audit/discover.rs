//! Which files an audit reads where it is not told: the histories of users, and what is in directories.
//!
//! Where programs keep histories is data: `grammars/lists/histories.list`.

use super::engine::Source;
use super::format::{self, Columns, Format};
use super::input::{Input, Origin};
use crate::effect::Language;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TEXT: &str = include_str!("../../grammars/lists/histories.list");
/// Deepest directory that is looked into.
const DEEPEST: usize = 32;

/// What holds for all inputs.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// The format, where it is not to be found out.
    pub format: Option<&'static Format>,
    /// What formats with columns are told.
    pub columns: Columns,
    /// The shell of commands of which nothing says which.
    pub shell: Language,
}

/// A home directory and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Home {
    /// The directory.
    pub path: PathBuf,
    /// The user.
    pub user: Option<Arc<str>>,
}

impl Defaults {
    /// An input that was named.
    pub fn input(&self, origin: Origin) -> Input {
        let home = match &origin {
            Origin::File(path) => home_of(path),
            Origin::Stdin => None,
        };
        Input {
            origin,
            format: self.format,
            only_known: false,
            columns: self.columns.clone(),
            user: home.as_ref().and_then(|h| h.user.clone()),
            shell: self.shell,
            home: home.map(|h| h.path.to_string_lossy().into_owned()),
        }
    }

    /// The histories in a home, in order of their names.
    pub fn of_home(&self, home: &Home) -> Vec<Input> {
        let mut out = Vec::new();
        for line in TEXT.lines().filter(|l| !l.starts_with('#')) {
            let Some((name, path)) = line.split_once(' ') else { continue };
            let parts: Vec<&str> = path.split('/').collect();
            for file in matching(&home.path, &parts) {
                let mut input = self.input(Origin::File(file));
                input.format = self.format.or_else(|| format::named(name));
                input.user.clone_from(&home.user);
                input.home = Some(home.path.to_string_lossy().into_owned());
                out.push(input);
            }
        }
        out
    }

    /// All files below a directory. Only those whose format is known for sure will be read.
    pub fn below(&self, folder: &Path, problems: &mut Vec<Source>) -> Vec<Input> {
        files_below(folder, problems)
            .into_iter()
            .map(|file| Input { only_known: true, ..self.input(Origin::File(file)) })
            .collect()
    }
}

/// The home that a path lies in, by its form: `…/home/NAME/…`, `/root/…`, `…/Users/NAME/…`.
fn home_of(path: &Path) -> Option<Home> {
    let path = std::path::absolute(path).ok()?;
    let mut sofar = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        let top = sofar.parent().is_none() && !sofar.as_os_str().is_empty();
        sofar.push(part);
        let name = part.as_os_str();
        if top && name == "root" {
            return Some(Home { path: sofar, user: Some("root".into()) });
        }
        if name == "home" || name == "Users" {
            let user = parts.next()?;
            // A file right under `home` is nobody's home.
            parts.clone().next()?;
            sofar.push(user);
            return Some(Home { path: sofar, user: Some(user.as_os_str().to_string_lossy().into()) });
        }
    }
    None
}

/// The home of whoever runs this.
pub fn own_home() -> Option<Home> {
    let path = PathBuf::from(std::env::var_os("HOME").filter(|h| !h.is_empty())?);
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok().filter(|u| !u.is_empty());
    let user = user.map(Arc::from).or_else(|| home_of(&path.join("x")).and_then(|h| h.user));
    Some(Home { path, user })
}

/// The homes of this machine: those of the user database, and the directories under `/home` and `/Users`.
pub fn all_homes() -> Vec<Home> {
    let mut homes: Vec<Home> = Vec::new();
    let mut add = |path: PathBuf, user: &str| {
        if path.parent().is_some() && path.is_dir() && !homes.iter().any(|h| h.path == path) {
            homes.push(Home { path, user: Some(user.into()) });
        }
    };
    let database = std::fs::read("/etc/passwd").unwrap_or_default();
    for line in String::from_utf8_lossy(&database).lines() {
        let fields: Vec<&str> = line.split(':').collect();
        if let [name, _, _, _, _, home, ..] = fields.as_slice() {
            add(PathBuf::from(home), name);
        }
    }
    for folder in ["/home", "/Users"] {
        for (path, name) in children(Path::new(folder)) {
            add(path, &name);
        }
    }
    homes.sort();
    homes
}

/// The names in a directory, sorted; none where it cannot be read.
fn children(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut out: Vec<(PathBuf, String)> =
        entries.map(|e| (e.path(), e.file_name().to_string_lossy().into_owned())).collect();
    out.sort();
    out
}

/// The files under `root` whose path fits these parts.
fn matching(root: &Path, parts: &[&str]) -> Vec<PathBuf> {
    let mut level = vec![root.to_path_buf()];
    for (i, part) in parts.iter().enumerate() {
        let last = i.saturating_add(1) == parts.len();
        level = match *part {
            "**" => level.iter().flat_map(|f| folders_below(f)).collect(),
            part if part.contains('*') => {
                let fits = |name: &str| fits(part, name);
                level.iter().flat_map(|f| children(f)).filter(|(_, n)| fits(n)).map(|(p, _)| p).collect()
            }
            part => level.iter().map(|f| f.join(part)).collect(),
        };
        level.retain(|p| if last { p.is_file() } else { p.is_dir() });
    }
    level
}

/// Whether a name fits a pattern with stars.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at.saturating_add(part.len())..).unwrap_or_default();
    }
    rest.is_empty()
}

/// A directory and those below it. Links are not followed, so the walk ends.
fn folders_below(root: &Path) -> Vec<PathBuf> {
    let mut out = vec![root.to_path_buf()];
    let mut level = vec![root.to_path_buf()];
    for _ in 0..DEEPEST {
        let real = |p: &PathBuf| p.symlink_metadata().is_ok_and(|m| m.is_dir());
        level = level.iter().flat_map(|f| children(f)).map(|(p, _)| p).filter(real).collect();
        out.extend(level.iter().cloned());
    }
    out
}

/// A directory that cannot be looked into, and why.
pub fn barred(folder: &Path) -> Option<Source> {
    let problem = std::fs::read_dir(folder).err()?.to_string();
    Some(Source { name: folder.to_string_lossy().into_owned(), problem: Some(problem), ..Source::default() })
}

/// All regular files below a directory, sorted. Directories that cannot be read are said.
fn files_below(root: &Path, problems: &mut Vec<Source>) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for folder in folders_below(root) {
        problems.extend(barred(&folder));
        let files = children(&folder).into_iter().map(|(p, _)| p);
        out.extend(files.filter(|p| p.symlink_metadata().is_ok_and(|m| m.is_file())));
    }
    out.sort();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_names_a_format() {
        let lines: Vec<&str> = TEXT.lines().filter(|l| !l.starts_with('#')).collect();
        assert!(lines.len() > 10);
        for line in lines {
            let (name, path) = line.split_once(' ').unwrap();
            assert!(format::named(name).is_some() && !path.is_empty(), "{line}");
        }
    }

    #[test]
    fn stars_stand_for_parts_of_names() {
        assert!(fits("rollout-*.jsonl", "rollout-1.jsonl") && fits("*", "") && fits("a*b*c", "axbyc"));
        assert!(!fits("rollout-*.jsonl", "rollout-1.json") && !fits("a*b*c", "abx") && !fits("a*", "ba"));
    }

    #[test]
    fn the_owner_is_in_the_path() {
        let user = |p: &str| home_of(Path::new(p)).and_then(|h| h.user).map(|u| u.to_string());
        assert_eq!(user("/home/bob/.bash_history").as_deref(), Some("bob"));
        assert_eq!(user("/mnt/disk/home/eve/x/y").as_deref(), Some("eve"));
        assert_eq!(user("/root/.zsh_history").as_deref(), Some("root"));
        assert_eq!(user("/srv/root/x"), None);
        assert_eq!(user("/home/list.txt"), None);
    }
}
