//! The list of hosts that mean something: `grammars/lists/hosts.list`, as a table.
//!
//! In: the list, which the build compiles to a sorted table. Out: what it says of a host. Imports nothing of the project.

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
            const ALL: &[HostKind] = &[$(HostKind::$variant,)+];
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
    /// Names that stand for the address that is written in them.
    Mirror = "mirror",
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

use super::tables::{HOSTS, SOME_HOSTS};

/// False where the list has neither the host nor anything that it lies below: known at a glance, and asked for each kind.
fn may_be_listed(host: &str) -> bool {
    let has = |h: u32| SOME_HOSTS.get(h as usize % 4096 / 64).is_some_and(|bits| bits >> (h % 64) & 1 == 1);
    let mut h = crate::hash::START;
    for b in host.bytes().rev() {
        if b == b'.' && has(h) {
            return true;
        }
        h = crate::hash::add(h, b);
    }
    has(h)
}

/// What the list says of a host, for each kind.
pub type Kinds = [Option<&'static str>; HostKind::ALL.len()];

/// All that the list says of a host (in lower case, without a trailing dot).
pub(super) fn kinds_of(host: &str) -> Kinds {
    let mut out = Kinds::default();
    if !may_be_listed(host) {
        return out;
    }
    // What is said of the name itself comes before what is said of all below a name.
    let mut add = |name: &str, below: bool| {
        let from = HOSTS.partition_point(|(h, ..)| *h < name);
        let of_name = HOSTS.get(from..).unwrap_or_default().iter().take_while(|(h, ..)| *h == name);
        for (_, _, kind, what) in of_name.filter(|(_, b, ..)| *b == below) {
            let at = HostKind::ALL.iter().position(|k| k.name() == *kind);
            if let Some(slot) = at.and_then(|i| out.get_mut(i)) {
                slot.get_or_insert(what);
            }
        }
    };
    add(host, false);
    let mut rest = host;
    // A name has at most 127 labels (RFC 1035); a longer one is none.
    for _ in 0..128 {
        add(rest, true);
        match rest.split_once('.') {
            Some((_, above)) => rest = above,
            None => break,
        }
    }
    out
}

/// What the list says of a host, where it has it as that kind.
pub fn kind_of(host: &str, kind: HostKind) -> Option<&'static str> {
    kinds_of(host).get(kind as usize).copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_an_entry() {
        for (host, _, kind, _) in HOSTS {
            assert!(HostKind::ALL.iter().any(|k| k.name() == *kind), "{host}: {kind}");
        }
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
