//! An [`Invocation`] as lines of text: the notation of `grammars/README.md`, in which the examples of grammars are
//! written. Deterministic: uses in argv order, then stated effects, each line once.

use super::{Invocation, Role, Use};
use crate::effect::{Props, Site, Verb};
use crate::value::Value;

impl Invocation {
    /// Its effects, one a line: `verb object -> other @ place [properties]`. None under an information option.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = Lines { simulated: self.simulated, all: Vec::new() };
        if self.info {
            return lines.all;
        }
        for u in &self.uses {
            self.use_lines(u, &mut lines);
        }
        for s in &self.stated {
            let object = match &s.value {
                Some(v) => format!("{}: {}", s.object, v.show()),
                None => s.object.to_owned(),
            };
            lines.add(s.verb, &object, "", Props::default());
        }
        lines.all
    }

    /// Its doubts, one a line: `kind detail`.
    pub fn describe_doubts(&self) -> Vec<String> {
        self.doubts.iter().map(|d| format!("{} {}", d.kind.name(), d.detail)).collect()
    }

    fn use_lines(&self, u: &Use, lines: &mut Lines) {
        let object = u.value.show();
        let other = u.other.as_ref().map(|o| format!(" -> {}", o.show())).unwrap_or_default();
        let site = match &u.site {
            None | Some(Site::Local) => String::new(),
            Some(Site::Remote(h)) => format!(" @ remote {}", h.show()),
            Some(Site::Contained(c)) => format!(" @ contained {}", c.show()),
        };
        let written = |lines: &mut Lines| {
            if let Some(o) = &u.other {
                lines.add(Verb::Write, &o.show(), "", u.props);
            }
        };
        match u.role {
            Role::Command => {
                let words: Vec<String> = u.words.iter().map(Value::show).collect();
                lines.add(Verb::Spawn, &words.join(" "), &site, u.props);
            }
            Role::Code(l) => lines.add(Verb::Evaluate, &format!("{l}: {object}"), &site, u.props),
            Role::PathScript => {
                lines.add(Verb::Read, &object, "", u.props);
                let language = u.language.or(self.language).map_or("other", |l| l.name());
                lines.add(Verb::Evaluate, &format!("{language}: file {object}"), &site, u.props);
            }
            Role::PathCopy | Role::PathMove => {
                let verb = if u.role == Role::PathCopy { Verb::Read } else { Verb::Move };
                lines.add(verb, &object, &other, u.props);
                written(lines);
            }
            Role::RemoteRead | Role::RemoteWrite => {
                let (here, there) =
                    if u.role == Role::RemoteRead { (Verb::Read, Verb::Fetch) } else { (Verb::Write, Verb::Send) };
                lines.add(if is_remote(&u.value) { there } else { here }, &object, &other, u.props);
            }
            // What stands in the file is known only to who reads it.
            Role::Package(_) if u.lines => {}
            Role::Package(eco) => {
                let remove = self.props.with(u.props).has(Props::REMOVE);
                let verb = if remove { Verb::Uninstall } else { Verb::Install };
                lines.add(verb, &format!("{eco}: {object}"), "", u.props);
            }
            role => {
                let props = if role == Role::PathDeleteTree { u.props.with(Props::RECURSIVE) } else { u.props };
                for v in role.verbs() {
                    lines.add(*v, &object, &format!("{other}{site}"), props);
                }
            }
        }
    }
}

struct Lines {
    simulated: bool,
    all: Vec<String>,
}

impl Lines {
    fn add(&mut self, verb: Verb, object: &str, tail: &str, props: Props) {
        let mut names: Vec<&str> = props.names().collect();
        if self.simulated && changes(verb) {
            names.push(Props::SIMULATED.names().next().unwrap_or_default());
        }
        let props = if names.is_empty() { String::new() } else { format!(" [{}]", names.join(" ")) };
        let line = format!("{verb} {object}{tail}{props}");
        let line = line.trim_end().to_owned();
        if !self.all.contains(&line) {
            self.all.push(line);
        }
    }
}

/// True for what a dry run withholds: everything but looking. Code that is given is run (`rename -n 's/a/b/'`): where it is
/// not (`sh -n`), the option is one of `info`.
pub fn changes(verb: Verb) -> bool {
    !matches!(
        verb,
        Verb::Read
            | Verb::List
            | Verb::Inspect
            | Verb::Probe
            | Verb::Fetch
            | Verb::Connect
            | Verb::Chdir
            | Verb::Environment
            | Verb::Secret
            | Verb::Evaluate
    )
}

/// True for a path on another machine: `[user@]host:path`, where a colon stands before any slash (rcp's rule, which scp and
/// rsync keep), or an address (`rsync://`, `scp://`). A host may have a name of one letter (`h:x`); a drive of Windows is told
/// from it by what only Windows writes: a backslash behind the colon, or a capital with a slash (`C:/x`). A host that is
/// not known is one all the same: `$host:x`.
pub fn is_remote(value: &Value) -> bool {
    let text = value.show();
    let head = text.split('/').next().unwrap_or_default();
    let drive = match text.as_bytes() {
        [d, b':', b'\\', ..] => d.is_ascii_alphabetic(),
        [d, b':', b'/', ..] => d.is_ascii_uppercase(),
        _ => false,
    };
    !drive && head.find(':').is_some_and(|c| c > 0)
}

#[cfg(test)]
mod tests {
    use super::is_remote;
    use crate::value::Value;

    #[test]
    fn tells_other_machines_from_files() {
        for remote in [
            "h:x",
            "h:/srv",
            "h1:x",
            "me@h:x",
            "host.example:/srv/x",
            "host:",
            "rsync://h/m",
            "scp://me@h:22/x",
            "host::module",
        ] {
            assert!(is_remote(&Value::literal(remote.as_bytes(), Default::default())), "{remote}");
        }
        for local in ["x", "./a:b", "/a:b", "C:\\x", "c:\\x", "C:/x", ":x", "a/b:c", ""] {
            assert!(!is_remote(&Value::literal(local.as_bytes(), Default::default())), "{local}");
        }
    }
}
