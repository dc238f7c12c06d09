//! Names that systems have: the readings of a glob in a command word.
//!
//! In: a pattern that begins with `/`. Out: the well-known paths that it matches (`/bin/c?t`, `/???/b?n/c*l`). The
//! list is data, `grammars/known_paths.txt`; it says what is usual, not what is installed here, so the readings are
//! candidates for the interpreter and never a proof that nothing else matches.

use super::{Limit, Node, Pattern, Unit};
use std::sync::OnceLock;

static DATA: &str = include_str!("../../../grammars/known_paths.txt");

/// Every path of the list, sorted.
fn paths() -> &'static [String] {
    static PATHS: OnceLock<Vec<String>> = OnceLock::new();
    PATHS.get_or_init(|| {
        let mut all = Vec::new();
        let mut dirs: Vec<&str> = Vec::new();
        for line in DATA.lines() {
            let line = line.split('#').next().unwrap_or("");
            let names = match line.split_once(':') {
                Some((head, rest)) => {
                    dirs = head.split_whitespace().collect();
                    rest
                }
                None => line,
            };
            for name in names.split_whitespace() {
                all.extend(dirs.iter().map(|d| format!("{}/{name}", d.trim_end_matches('/'))));
            }
        }
        all.sort();
        all.dedup();
        all
    })
}

/// The well-known paths that a pattern matches as a file name, in order. Empty for a relative pattern: what that
/// matches depends on the working directory.
pub fn known_paths(pattern: &Pattern) -> Result<Vec<&'static str>, Limit> {
    let slash = Node::Unit(Unit::from(b'/'));
    let nodes = &pattern.chars;
    if nodes.first() != Some(&slash) {
        return Ok(Vec::new());
    }
    // Slashes match only themselves, so without groups the number of components must agree: that spares most matches.
    let groups = nodes.iter().any(|n| matches!(n, Node::Ext(..)));
    let slashes = nodes.iter().filter(|n| **n == slash).count();
    let mut as_path = pattern.clone();
    as_path.flags.path = true;
    let mut out = Vec::new();
    for p in paths() {
        if (groups || p.bytes().filter(|b| *b == b'/').count() == slashes) && as_path.matches(p.as_bytes())? {
            out.push(p.as_str());
        }
    }
    Ok(out)
}

/// Whether the list has that path; `None` where it says nothing of the directory.
pub fn is_listed(path: &str) -> Option<bool> {
    let (dir, _) = path.rsplit_once('/')?;
    if paths().binary_search_by(|p| p.as_str().cmp(path)).is_ok() {
        return Some(true);
    }
    let inside = |p: &String| p.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    (!dir.is_empty() && paths().iter().any(inside)).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, PatPiece};
    use super::*;

    fn readings(p: &str) -> Vec<&'static str> {
        known_paths(&Pattern::parse(&[PatPiece::Active(p.as_bytes())], Flags { path: true, ..Flags::default() }))
            .unwrap()
    }

    #[test]
    fn globs_name_programs() {
        assert_eq!(readings("/bin/c?t"), ["/bin/cat", "/bin/cut"]);
        assert!(readings("/???/b?n/c*l").contains(&"/usr/bin/curl"));
        assert!(readings("/???/b?n/c*l").iter().all(|p| p.starts_with("/usr/bin/c")));
        assert_eq!(readings("/bin/r[m]"), ["/bin/rm"]);
        assert_eq!(readings("/e?c/p?ssw?"), ["/etc/passwd"]);
        assert!(readings("bin/cat").is_empty());
        assert!(readings("/etc").contains(&"/etc"));
    }
}
