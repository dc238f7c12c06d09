//! The list of hosts that mean something: `grammars/lists/hosts.list`, as a table.
//!
//! In: the text of the list, which is compiled in and read when the first host is looked at. Out: what it says of a
//! host. Imports nothing of the project.

use std::collections::HashMap;
use std::sync::OnceLock;

macro_rules! kinds {
    ($($(#[$m:meta])* $variant:ident = $text:literal,)+) => {
        /// Kinds of hosts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum HostKind { $($(#[$m])* $variant,)+ }
        impl HostKind {
            /// Its name in the list and in output.
            pub const fn name(self) -> &'static str {
                match self { $(HostKind::$variant => $text,)+ }
            }
            fn from_name(name: &str) -> Option<HostKind> {
                match name { $($text => Some(HostKind::$variant),)+ _ => None }
            }
        }
    };
}

kinds! {
    /// Leads somewhere that its name does not tell.
    Shortener = "shortener",
    /// Gives the identity and keys of a cloud machine.
    Metadata = "metadata",
    /// Never leaves the machine or its network.
    Private = "private",
    /// Takes text from anyone.
    Paste = "paste",
    /// Takes files from anyone.
    Upload = "upload",
    /// Passes requests on to whoever made the address.
    Webhook = "webhook",
    /// Leads to a machine that nobody else knows.
    Tunnel = "tunnel",
    /// Tells its owner about look-ups.
    Callback = "callback",
    /// Answers questions about names, and is therefore known by its number.
    Resolver = "resolver",
    /// Stands for any host in documentation.
    Documentation = "documentation",
    /// A hidden service.
    Onion = "onion",
}

type Entry = (HostKind, &'static str);

struct List {
    exact: HashMap<&'static str, Vec<Entry>>,
    below: HashMap<&'static str, Vec<Entry>>,
    wrong: Vec<&'static str>,
}

const TEXT: &str = include_str!("../../grammars/lists/hosts.list");

fn list() -> &'static List {
    static LIST: OnceLock<List> = OnceLock::new();
    LIST.get_or_init(|| {
        let mut list = List { exact: HashMap::new(), below: HashMap::new(), wrong: Vec::new() };
        for line in TEXT.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let mut words = line.splitn(3, ' ');
            match (words.next().and_then(HostKind::from_name), words.next(), words.next()) {
                (Some(kind), Some(host), Some(what)) => match host.strip_prefix('.') {
                    Some(suffix) => list.below.entry(suffix).or_default().push((kind, what)),
                    None => list.exact.entry(host).or_default().push((kind, what)),
                },
                _ => list.wrong.push(line),
            }
        }
        list
    })
}

/// What the list says of a host (in lower case, without a trailing dot), where it has it as that kind.
pub fn kind_of(host: &str, kind: HostKind) -> Option<&'static str> {
    let list = list();
    let pick = |found: Option<&Vec<Entry>>| found?.iter().find(|(k, _)| *k == kind).map(|(_, what)| *what);
    if let Some(what) = pick(list.exact.get(host)) {
        return Some(what);
    }
    let mut rest = host;
    // A name has at most 127 labels (RFC 1035); a longer one is none.
    for _ in 0..128 {
        if let Some(what) = pick(list.below.get(rest)) {
            return Some(what);
        }
        rest = rest.split_once('.')?.1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_an_entry() {
        assert_eq!(list().wrong, Vec::<&str>::new());
    }

    #[test]
    fn finds_names_and_names_below() {
        assert!(kind_of("bit.ly", HostKind::Shortener).is_some());
        assert!(kind_of("a.b.ngrok.io", HostKind::Tunnel).is_some());
        assert!(kind_of("notngrok.io", HostKind::Tunnel).is_none());
        assert!(kind_of("evil.bit.ly", HostKind::Shortener).is_none());
        assert!(kind_of("x.localhost", HostKind::Private).is_some());
    }
}
