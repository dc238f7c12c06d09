//! Paths: what place of the file system a word names, and what that place is.
//!
//! In: the [`Value`] of a path as it was written, the working directory at that time, and what is known of the machine
//! ([`Base`]: start directory, home). Out: a [`Resolved`] path: normalised (`.`, `..`, `//`, `~`, `$HOME`), with its
//! [`Class`] and [`Marks`] from `grammars/lists/paths.list`. It never looks at the file system: links are not followed,
//! and globs and unknown pieces stay what they are. Floor 3; imports `value`.

#[expect(dead_code, reason = "the build reads the list by its names, and shares the file")]
mod kind;
mod list;
mod part;

use crate::value::{Glob, Piece, Value, Why};
use list::{Anchor, Area};
pub use list::{Mark, Marks};
pub use part::Part;
use part::{QUESTION, STAR, UNKNOWN};

/// Most components that are kept of one path.
const MAX_PARTS: usize = 256;

/// What is known of the place where the command would run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Base<'a> {
    /// The directory it starts in, absolute.
    pub cwd: Option<&'a str>,
    /// The home directory, absolute.
    pub home: Option<&'a str>,
}

/// Where a path begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At `/`.
    Root,
    /// At a home: of the named user, or of the one who runs the command (empty).
    Home(String),
    /// At the directory that the command starts in, which is not known further.
    Project,
    /// At something that is not known: the variable or output that it is.
    Unknown(Why),
}

super::named! {
    /// What kind of place a path is, least delicate first.
    Class {
        /// A device that keeps nothing: `/dev/null`, terminals.
        HarmlessDevice = "harmless-device",
        /// Made to be thrown away.
        Temporary = "temporary",
        /// Made anew by the programs that use it.
        Cache = "cache",
        /// Below the directory that the command starts in.
        Project = "project",
        /// That directory itself.
        ProjectRoot = "project-root",
        /// Not known.
        Unknown = "unknown",
        /// Somewhere else: neither system nor home nor project.
        Outside = "outside",
        /// `/dev/tcp/HOST/PORT`, `\\\\server\\share`.
        Network = "network",
        /// Below a home, no dotfile.
        HomeContent = "home-content",
        /// Below a home, in a file or directory whose name begins with a dot.
        HomeDotfile = "home-dotfile",
        /// A file of the kernel: `/proc`, `/sys`.
        Kernel = "kernel",
        /// Something in a system directory.
        SystemContent = "system-content",
        /// A home.
        Home = "home",
        /// The directory of all homes.
        Homes = "homes",
        /// A system directory itself.
        SystemDirectory = "system-directory",
        /// Storage or memory in the raw.
        Device = "device",
        /// `/`.
        Root = "root",
    }
}

impl Class {
    /// True where what lies there is the command's own business: project, temporary, cache, a device that keeps nothing.
    pub fn is_local(self) -> bool {
        self <= Class::ProjectRoot
    }
}

/// A path that was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Where it begins.
    pub start: Start,
    /// Steps (`..`) above a beginning that is not known.
    pub ups: usize,
    /// The components below.
    pub parts: Vec<Part>,
    /// True where a glob that is a whole component stood at the end: everything in the directory, not the directory.
    pub contents: bool,
    /// The kind of place.
    pub class: Class,
    /// The kind of place it is where the value it hangs on is empty: `"$X/"` is `/` then.
    pub if_empty: Option<Class>,
    /// What it is known for.
    pub marks: Marks,
    /// What the list says that it is.
    pub what: Option<&'static str>,
    /// For people: normalised.
    pub text: String,
}

impl Resolved {
    /// How many components it has below its beginning.
    pub fn depth(&self) -> usize {
        self.parts.len()
    }
    /// True where it is the directory that the command starts in, or lies below it.
    pub fn is_project(&self) -> bool {
        matches!(self.class, Class::Project | Class::ProjectRoot)
    }
    /// True where every component is known.
    pub fn is_known(&self) -> bool {
        !matches!(self.start, Start::Unknown(_)) && self.parts.iter().all(Part::is_known)
    }
    /// The last component, where known.
    pub fn name(&self) -> Option<&str> {
        self.parts.last().filter(|p| p.is_known()).map(|p| p.0.as_str())
    }
    /// The host and port of `/dev/tcp/HOST/PORT` and `/dev/udp/HOST/PORT` (bash(1), REDIRECTION).
    pub fn socket(&self) -> Option<(String, String)> {
        match self.parts.as_slice() {
            [dev, kind, host, port] if self.start == Start::Root && dev.0 == "dev" => {
                (kind.0 == "tcp" || kind.0 == "udp").then(|| (host.show(), port.show()))
            }
            _ => None,
        }
    }
    /// The mark that says most about it, with what the list says.
    pub fn mark(&self) -> Option<Mark> {
        self.marks.iter().next()
    }
}

/// The most delicate reading of a path. `cwd` is the effect's working directory: `None` or empty is where the command
/// starts.
pub fn resolve(path: &Value, cwd: Option<&Value>, base: Base<'_>) -> Resolved {
    let sets = |v: &Value| v.pieces.iter().any(|p| matches!(p, Piece::OneOf(_)));
    let cwds: Vec<Option<Value>> = match cwd {
        Some(c) if sets(c) => c.readings().into_iter().map(Some).collect(),
        _ => Vec::new(),
    };
    if !sets(path) && cwds.is_empty() {
        return resolve_one(path, cwd, base);
    }
    let cwds: Vec<Option<&Value>> = match cwds.as_slice() {
        [] => vec![cwd],
        several => several.iter().map(Option::as_ref).collect(),
    };
    path.readings()
        .iter()
        .flat_map(|v| cwds.iter().map(|c| resolve_one(v, *c, base)).collect::<Vec<_>>())
        .max_by_key(|r| (!r.marks.is_empty(), r.class))
        .unwrap_or_else(|| resolve_one(path, cwd, base))
}

fn resolve_one(path: &Value, cwd: Option<&Value>, base: Base<'_>) -> Resolved {
    let (start, text) = beginning(path);
    let network = start.is_none() && text.starts_with("\\\\");
    let mut at = Walk { start: Start::Project, ups: 0, parts: Vec::new() };
    match start {
        Some(s) => at.start = s,
        None if text.starts_with('/') => at.start = Start::Root,
        None => {
            if let Some(b) = base.cwd {
                at.start = Start::Root;
                at.walk(b);
            }
            if let Some(dir) = cwd {
                let (s, t) = beginning(dir);
                match s {
                    Some(s) => at = Walk { start: s, ups: 0, parts: Vec::new() },
                    None if t.starts_with('/') => at = Walk { start: Start::Root, ups: 0, parts: Vec::new() },
                    None => {}
                }
                at.walk(&t);
            }
        }
    }
    if at.start == Start::Project && text.is_empty() {
        // An empty word is no file name; nothing is there.
        return finish(at, false, false, base, path);
    }
    if let Some(b) = base.cwd
        && at.start == Start::Project
    {
        at.start = Start::Root;
        at.walk(b);
    }
    at.walk(&text);
    let contents = at.parts.last().is_some_and(Part::is_everything);
    if contents {
        at.parts.pop();
    }
    at.canon(base.home);
    finish(at, contents, network, base, path)
}

struct Walk {
    start: Start,
    ups: usize,
    parts: Vec<Part>,
}

impl Walk {
    fn walk(&mut self, text: &str) {
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    let above = self.parts.pop().is_none() && self.start != Start::Root;
                    self.ups = self.ups.saturating_add(usize::from(above));
                }
                p if self.parts.len() < MAX_PARTS => self.parts.push(Part(p.to_string())),
                _ => {}
            }
        }
    }

    /// Homes that are written as absolute paths become homes, and `..` out of a home becomes the directory of homes.
    fn canon(&mut self, home: Option<&str>) {
        if let Start::Home(_) = self.start
            && self.ups > 0
        {
            let above = self.ups.saturating_sub(1);
            self.start = Start::Root;
            self.ups = 0;
            if above == 0 {
                self.parts.insert(0, Part("home".into()));
            }
        }
        if self.start != Start::Root {
            return;
        }
        if let Some(home) = home {
            let own: Vec<&str> = home.split('/').filter(|p| !p.is_empty()).collect();
            if !own.is_empty() && self.parts.len() >= own.len() && self.parts.iter().zip(&own).all(|(a, b)| a.0 == *b) {
                self.parts.drain(..own.len());
                self.start = Start::Home(String::new());
                return;
            }
        }
        let (n, user) = match self.parts.as_slice() {
            [a, ..] if a.0 == "root" => (1, "root".to_string()),
            [a, b, ..] if (a.0 == "home" || a.0 == "Users") && b.0 != "Shared" => (2, b.show()),
            [a, b, c, ..] if a.0 == "var" && b.0 == "root" && !c.0.is_empty() => (2, "root".to_string()),
            _ => return,
        };
        self.parts.drain(..n);
        self.start = Start::Home(user);
    }
}

/// What a value begins with, where that is no text, and its text with markers for what is open.
fn beginning(v: &Value) -> (Option<Start>, String) {
    let (start, out) = beginning_of(v);
    let windows = match (&start, v.pieces.first()) {
        // `$env:APPDATA\\x`: what follows a known beginning is a path as Windows writes it.
        (None, Some(Piece::Unknown(_))) if out.contains('\\') => drive(&out).or_else(|| Some(out.replace('\\', "/"))),
        (Some(Start::Home(_)), Some(Piece::Unknown(_))) if out.contains('\\') => Some(out.replace('\\', "/")),
        (None, _) => drive(&out),
        _ => None,
    };
    (start, windows.map(|w| wild(&w)).unwrap_or(out))
}

/// The same, as it is written.
fn beginning_of(v: &Value) -> (Option<Start>, String) {
    let mut out = String::new();
    let mut start = None;
    for (i, piece) in v.pieces.iter().enumerate() {
        match piece {
            Piece::Literal(l) => out.push_str(&String::from_utf8_lossy(&l.bytes)),
            Piece::Glob(Glob::Star, _) | Piece::Glob(Glob::Ext(_), _) => out.push(STAR),
            Piece::Glob(_, _) => out.push(QUESTION),
            Piece::OneOf(_) => out.push(UNKNOWN),
            Piece::Unknown(u) if i == 0 => match meaning(&u.why) {
                None if let Why::Near(place) = &u.why => {
                    let inner = beginning_of(place);
                    start = inner.0;
                    out.push_str(&inner.1);
                }
                // `$(which NAME)`: somewhere, among programs, by that name.
                None if let Why::Program(name) = &u.why => {
                    start = Some(Start::Unknown(u.why.clone()));
                    out.push_str("/bin/");
                    out.push_str(name);
                }
                Some(Meaning::Home(user)) => start = Some(Start::Home(user)),
                Some(Meaning::Place(p)) => match p.strip_prefix('~') {
                    Some(rest) => {
                        start = Some(Start::Home(String::new()));
                        out.push_str(rest);
                    }
                    None => out.push_str(p),
                },
                None => start = Some(Start::Unknown(u.why.clone())),
            },
            // `~/$(ls ~)`: the names of what lies in a directory, below that directory.
            Piece::Unknown(u) if lists_here(&u.why, start.as_ref(), &out) => out.push(STAR),
            Piece::Unknown(_) => out.push(UNKNOWN),
        }
    }
    (start, out)
}

/// Patterns as programs of Windows read them, quoted or not.
fn wild(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '*' => STAR,
            '?' => QUESTION,
            other => other,
        })
        .collect()
}

/// True for names that were listed in the directory that the text so far is.
fn lists_here(why: &Why, start: Option<&Start>, text: &str) -> bool {
    let Why::Near(place) = why else { return false };
    let Some(dir) = text.strip_suffix(['/', '\\']) else { return false };
    let (inner, listed) = beginning_of(place);
    let ends = ['/', '\\', STAR];
    inner.as_ref() == start && listed.trim_end_matches(ends) == dir.trim_end_matches(ends)
}

/// `C:\\x` and `C:/x` as `/x`: the drive says nothing that matters here.
fn drive(text: &str) -> Option<String> {
    // `\\\\?\\…` and `\\\\.\\…`: the same names, past the checks of the interface; copies that Windows keeps of a
    // volume are the volume itself.
    if let Some(rest) = text.strip_prefix("\\\\?\\").or_else(|| text.strip_prefix("\\\\.\\")) {
        let rest = match rest.split_once("HarddiskVolumeShadowCopy") {
            Some((_, tail)) => tail.trim_start_matches(|c: char| c.is_ascii_digit()).to_string(),
            None => rest.to_string(),
        };
        return drive(&rest).or_else(|| Some(rest.replace('\\', "/")));
    }
    let (letter, rest) = text.split_once(':')?;
    let is_drive = letter.len() == 1 && letter.chars().all(|c| c.is_ascii_alphabetic());
    if !is_drive {
        return None;
    }
    // `C:` alone is the drive. `C:x` lies where that drive's directory is, which is not known: as if at its root.
    match rest.starts_with(['/', '\\']) {
        true => Some(rest.replace('\\', "/")),
        false if rest.is_empty() || letter.chars().all(|c| c.is_ascii_uppercase()) => {
            Some(format!("/{}", rest.replace('\\', "/")))
        }
        false => None,
    }
}

/// True where the list of places knows what a program with that name prints: the path of a place.
pub fn prints_place(program: &str) -> bool {
    list::of_output(program.split(' ').next().unwrap_or(program)).is_some()
}

/// True where the value begins with `/`: it is the path of a place that the list knows by a variable's name.
pub fn is_absolute(value: &Value) -> bool {
    match value.pieces.first() {
        Some(Piece::Literal(l)) => l.bytes.first() == Some(&b'/'),
        Some(Piece::Unknown(u)) => !matches!(u.why, Why::Output(_)) && meaning(&u.why).is_some(),
        _ => false,
    }
}

enum Meaning {
    Home(String),
    Place(&'static str),
}

fn meaning(why: &Why) -> Option<Meaning> {
    match why {
        Why::Home(user) => Some(Meaning::Home(user.clone())),
        Why::Environment(name) | Why::NotEmpty(name) => list::of_variable(name).map(Meaning::Place),
        Why::Output(name) => list::of_output(name.split(' ').next().unwrap_or(name)).map(Meaning::Place),
        _ => None,
    }
}

fn finish(at: Walk, contents: bool, network: bool, base: Base<'_>, written: &Value) -> Resolved {
    // `$X/y`: what follows the value that is not known is a path from the root.
    let rest_is_absolute = matches!(written.pieces.get(1), Some(Piece::Literal(l)) if l.bytes.first() == Some(&b'/'));
    let Walk { start, ups, parts } = at;
    let text = show(&start, ups, &parts, contents, written);
    let mut r = Resolved {
        start,
        ups,
        parts,
        contents,
        class: Class::Unknown,
        if_empty: None,
        marks: Marks::default(),
        what: None,
        text,
    };
    r.class = if network { Class::Network } else { class_of(&mut r, base) };
    r.if_empty = if_empty(&r, rest_is_absolute, base);
    mark(&mut r);
    r
}

fn show(start: &Start, ups: usize, parts: &[Part], contents: bool, written: &Value) -> String {
    let mut out = match start {
        Start::Root => String::new(),
        Start::Home(user) => format!("~{user}"),
        Start::Project => ".".into(),
        Start::Unknown(why) => why.show(),
    };
    if *start == Start::Project && written.pieces.is_empty() {
        return String::new();
    }
    for _ in 0..ups {
        out.push_str("/..");
    }
    for p in parts {
        out.push('/');
        out.push_str(&p.show());
    }
    if contents {
        out.push_str("/*");
    }
    if out.is_empty() {
        out.push('/');
    }
    match out.strip_prefix("./") {
        Some(rest) if !parts.is_empty() || ups > 0 => rest.to_string(),
        _ => out,
    }
}

fn if_empty(r: &Resolved, rest_is_absolute: bool, base: Base<'_>) -> Option<Class> {
    let left = match &r.start {
        Start::Unknown(_) if rest_is_absolute => r.parts.as_slice(),
        Start::Root => match r.parts.split_last() {
            Some((last, left)) if last.0.chars().all(|c| c == UNKNOWN) => left,
            _ => return None,
        },
        _ => return None,
    };
    let mut at = Walk { start: Start::Root, ups: 0, parts: left.to_vec() };
    at.canon(base.home);
    let mut without = Resolved { start: at.start, parts: at.parts, what: None, text: String::new(), ..r.clone() };
    Some(class_of(&mut without, base))
}

fn class_of(r: &mut Resolved, base: Base<'_>) -> Class {
    match &r.start {
        Start::Unknown(_) => return Class::Unknown,
        Start::Project if r.ups > 0 => return Class::Outside,
        Start::Project => return if r.parts.is_empty() { Class::ProjectRoot } else { Class::Project },
        Start::Root | Start::Home(_) => {}
    }
    if r.socket().is_some() {
        return Class::Network;
    }
    let anchor = if r.start == Start::Root { Anchor::Root } else { Anchor::Home };
    // The directory itself and what lies below it are classed by the deepest entry that holds it.
    let deepest = list::areas(anchor, &r.parts)
        .filter(|e| e.pattern.matches(&r.parts, !e.kind.is_exact()))
        .max_by_key(|e| (e.pattern.depth(), e.kind.is_exact()));
    let here = deepest.is_some_and(|e| e.pattern.depth() == r.parts.len());
    if let Some(entry) = deepest {
        if here {
            r.what = Some(entry.what);
        }
        match entry.kind {
            Area::Device => return Class::Device,
            Area::Harmless => return Class::HarmlessDevice,
            Area::Temporary => return Class::Temporary,
            Area::Cache => return Class::Cache,
            Area::Kernel => return if here { Class::SystemDirectory } else { Class::Kernel },
            _ => {}
        }
    }
    if let Some(project) = within(r, base) {
        return project;
    }
    if let Start::Home(_) = r.start {
        return match r.parts.first() {
            None => Class::Home,
            Some(p) if p.0.starts_with('.') => Class::HomeDotfile,
            Some(_) => Class::HomeContent,
        };
    }
    match deepest.map(|e| e.kind) {
        None if r.parts.is_empty() => Class::Root,
        None => Class::Outside,
        Some(Area::Homes) => Class::Homes,
        Some(Area::System) if here => Class::SystemDirectory,
        Some(Area::System) => Class::SystemContent,
        Some(_) => Class::Outside,
    }
}

/// The class of a path that lies in a known start directory, where that is neither `/`, a home nor of the system.
fn within(r: &Resolved, base: Base<'_>) -> Option<Class> {
    // Most paths elsewhere do not have the name of the directory at its depth: that is seen without taking it apart.
    let cwd = base.cwd?;
    let name = cwd.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if !matches!(name, "" | "." | "..") && !r.parts.iter().any(|p| p.0 == name) {
        return None;
    }
    let mut project = Walk { start: Start::Root, ups: 0, parts: Vec::new() };
    project.walk(cwd);
    project.canon(base.home);
    let same_start = match (&project.start, &r.start) {
        (Start::Home(a), Start::Home(b)) => a == b,
        (a, b) => a == b,
    };
    if !same_start || project.parts.is_empty() || r.parts.len() < project.parts.len() {
        return None;
    }
    let is_system = project.start == Start::Root
        && list::areas(Anchor::Root, &project.parts)
            .any(|e| e.kind == Area::System && e.pattern.matches(&project.parts, false));
    if is_system || !r.parts.iter().zip(&project.parts).all(|(a, b)| a == b) {
        return None;
    }
    Some(if r.parts.len() == project.parts.len() { Class::ProjectRoot } else { Class::Project })
}

fn mark(r: &mut Resolved) {
    if r.class == Class::Network || r.parts.is_empty() {
        return;
    }
    let anchor = match &r.start {
        Start::Root => Some(Anchor::Root),
        Start::Home(_) => Some(Anchor::Home),
        // `$D/.ssh/authorized_keys`: whatever D is, that is whose keys they are.
        Start::Unknown(_) if r.parts.first().is_some_and(|p| p.0.starts_with('.')) => Some(Anchor::Home),
        _ => None,
    };
    for entry in list::marks(anchor, &r.parts).filter(|e| e.pattern.matches(&r.parts, false)) {
        if entry.kind == Mark::Credential && list::is_public(&r.parts) {
            continue;
        }
        if r.marks.is_empty() || r.what.is_none() {
            r.what = Some(entry.what);
        }
        r.marks.add(entry.kind);
    }
}

#[cfg(test)]
mod tests;
