//! Addresses: what a URL, a host or a `host:path` names.
//!
//! In: the [`Value`] of an address as it was written. Out: an [`Address`] with its parts, the raw text kept beside them,
//! and the [`Reach`] of its host (this machine, a private network, a metadata service, the world). Parts that are not
//! known stay so. It reads addresses as the programs do (RFC 3986, WHATWG URL, inet_aton(3)), looks nothing up, and
//! judges nothing. A leaf: imports `value` only.

pub mod globbing;
pub mod known;
mod list;
pub mod lookalike;
pub mod registry;
/// The lists of hosts, as `build/lists.rs` makes them of `grammars/lists`.
mod tables {
    include!(concat!(env!("OUT_DIR"), "/hosts.rs"));
}

use crate::value::{Piece, Value};
pub use list::{HostKind, Kinds, kind_of};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Stands in a text for a piece that is not known.
const UNKNOWN: char = '\u{F0003}';
/// Longest address that is looked at, in characters: RFC 9110 asks for 8,000.
const MAX_ADDRESS: usize = 16_384;

/// Who a host is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A name, in lower case, as written otherwise.
    Name(String),
    /// An address, in whichever form it was written.
    Ip(IpAddr),
    /// Not known.
    Unknown,
}

/// Where a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// This machine.
    Loopback,
    /// A private network, a name that only exists in one, or a name for tests.
    Private,
    /// The metadata service of a cloud.
    Metadata,
    /// Anywhere.
    Public,
    /// Not known.
    Unknown,
}

/// An address, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The text as it was written; unknown pieces as `…`.
    pub raw: String,
    /// The scheme in lower case; empty where none is known.
    pub scheme: String,
    /// True where it stood without a scheme, so that `scheme` is what the program assumes.
    pub schemeless: bool,
    /// What stands before `@`, up to a `:`.
    pub user: Option<String>,
    /// What stands between `:` and `@`.
    pub password: Option<String>,
    /// The host.
    pub host: Host,
    /// The host as it was written.
    pub host_text: String,
    /// The port as it was written.
    pub port: Option<String>,
    /// Path, query and fragment, from the `/` on.
    pub path: String,
    /// True where a tab or line break stood in it, which programs drop (WHATWG URL).
    pub has_blanks: bool,
    /// Where its host is, and what the list of hosts says of it: asked again and again.
    known: (Reach, Kinds),
}

impl Address {
    /// Takes an address apart; `None` for a text that is none (empty, `-`, `data:`, `file:`, an option).
    /// `assumed` is the scheme that the program takes where none is written.
    pub fn parse(value: &Value, assumed: &str) -> Option<Address> {
        Self::parse_text(&flatten(value), assumed)
    }

    /// As [`Address::parse`], for a text.
    pub fn parse_text(text: &str, assumed: &str) -> Option<Address> {
        let has_blanks = text.trim().contains(['\t', '\n', '\r']);
        let text: String = text.trim().chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).take(MAX_ADDRESS).collect();
        if text.is_empty() || text.starts_with('-') || text.starts_with("./") || text.starts_with('/') {
            return None;
        }
        let (scheme, rest, schemeless) = split_scheme(&text, assumed)?;
        if matches!(scheme.as_str(), "data" | "file" | "about" | "javascript" | "mailto") {
            return None;
        }
        let (authority, path) = if scheme == "scp" {
            split_scp(rest)
        } else {
            // A backslash is a slash to browsers, see [`Address::without_backslashes`].
            let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
            rest.split_at(end)
        };
        let (info, host_port) = match authority.rsplit_once('@') {
            Some((i, h)) => (Some(i), h),
            None => (None, authority),
        };
        let (user, password) = match info.map(|i| i.split_once(':').unwrap_or((i, ""))) {
            Some((u, p)) => (Some(show(u)), (!p.is_empty()).then(|| show(p))),
            None => (None, None),
        };
        let (host_text, port) = split_port(host_port);
        let host = read_host(host_text);
        let scheme = if scheme == "scp" { "ssh".into() } else { scheme };
        let kinds = match &host {
            Host::Name(n) => list::kinds_of(n),
            Host::Ip(ip) => list::kinds_of(&ip.to_string()),
            Host::Unknown => Default::default(),
        };
        let known = (reach_of(&host, &kinds), kinds);
        Some(Address {
            raw: show(&text),
            scheme: show(&scheme),
            schemeless,
            user,
            password,
            host,
            host_text: show(host_text),
            port: port.map(show),
            path: show(path),
            has_blanks,
            known,
        })
    }

    /// As curl, wget and git read it, to whom a backslash before an `@` is a letter of the name that stands before the host:
    /// `http://a.example\@b.example/` goes to the second, a browser goes to the first.
    pub fn without_backslashes(&self) -> Option<Address> {
        let plain = self.raw.contains('\\') && self.raw.contains('@');
        plain.then(|| Self::parse_text(&self.raw.replace('\\', "%5C"), &self.scheme))?
    }

    /// Where its host is.
    pub fn reach(&self) -> Reach {
        self.known.0
    }
    /// True where the connection stays on this machine or in a private network.
    pub fn is_near(&self) -> bool {
        matches!(self.reach(), Reach::Loopback | Reach::Private)
    }
    /// True where its host is a number, or a name that the list of hosts has.
    pub fn is_listed(&self) -> bool {
        matches!(self.host, Host::Ip(_)) || self.known.1.iter().any(Option::is_some)
    }
    /// True where what is sent and got can be read and changed on the way.
    pub fn is_cleartext(&self) -> bool {
        matches!(self.scheme.as_str(), "http" | "ftp" | "ws" | "tftp" | "telnet" | "gopher" | "git" | "svn" | "rsync")
    }
    /// The host for people: a name as written, an address in its plain form.
    pub fn host_shown(&self) -> String {
        match &self.host {
            Host::Name(n) => n.clone(),
            Host::Ip(ip) => ip.to_string(),
            Host::Unknown => self.host_text.clone(),
        }
    }
    /// What the list of hosts says of its host.
    pub fn kind(&self, kind: HostKind) -> Option<&'static str> {
        self.known.1.get(kind as usize).copied().flatten()
    }
    /// True where its host is a number that is not written as numbers usually are: in hexadecimal or octal, as one whole
    /// number, inside IPv6, encoded, in other digits. `127.1` is how people write it.
    pub fn is_disguised(&self) -> bool {
        let Host::Ip(ip) = &self.host else { return false };
        let text = self.host_text.trim_end_matches('.');
        match ip {
            IpAddr::V6(_) => false,
            IpAddr::V4(_) if text == "0" => false,
            IpAddr::V4(v4) => {
                let plain = |p: &str| p.bytes().all(|b| b.is_ascii_digit()) && (p == "0" || !p.starts_with('0'));
                text != v4.to_string() && !(text.contains('.') && text.split('.').all(plain))
            }
        }
    }
    /// The number of its port, written or usual for its scheme.
    pub fn port_number(&self) -> Option<u16> {
        match &self.port {
            Some(p) => p.parse().ok(),
            None => match self.scheme.as_str() {
                "http" | "ws" => Some(80),
                "https" | "wss" => Some(443),
                "ftp" => Some(21),
                "ssh" | "sftp" => Some(22),
                "git" => Some(9418),
                _ => None,
            },
        }
    }
}

/// The text of a value with a marker for each piece that is not known.
fn flatten(value: &Value) -> String {
    let mut out = String::new();
    for p in &value.pieces {
        match p {
            Piece::Literal(l) => out.push_str(&String::from_utf8_lossy(&l.bytes)),
            Piece::Glob(crate::value::Glob::Question, _) => out.push('?'),
            // curl takes [1-3] and {a,b} itself; a star stands for itself where no file matches.
            Piece::Glob(crate::value::Glob::Star, _) => out.push('*'),
            Piece::Glob(crate::value::Glob::Bracket(b), _) => {
                out.push('[');
                out.push_str(&String::from_utf8_lossy(b));
                out.push(']');
            }
            Piece::Glob(crate::value::Glob::Ext(b), _) => out.push_str(&String::from_utf8_lossy(b)),
            Piece::OneOf(all) => match all.first() {
                Some(v) => out.push_str(&flatten(v)),
                None => out.push(UNKNOWN),
            },
            Piece::Unknown(_) => out.push(UNKNOWN),
        }
        if out.len() > MAX_ADDRESS.saturating_mul(4) {
            break;
        }
    }
    out
}

fn show(text: &str) -> String {
    text.replace(UNKNOWN, "…")
}

/// Scheme, the rest behind `://`, and whether the scheme was assumed.
fn split_scheme<'a>(text: &'a str, assumed: &str) -> Option<(String, &'a str, bool)> {
    if let Some((scheme, rest)) = text.split_once(':') {
        let is_scheme = scheme.chars().next().is_some_and(|c| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        if is_scheme && (rest.starts_with("//") || rest.starts_with("\\\\")) {
            let lower = scheme.to_ascii_lowercase();
            // git+https://, registry+https:// and the like name the carrier behind the plus.
            let carrier = lower.rsplit('+').next().unwrap_or(&lower).to_string();
            return Some((carrier, rest.trim_start_matches(['/', '\\']), false));
        }
        if is_scheme && matches!(scheme.to_ascii_lowercase().as_str(), "data" | "about" | "javascript" | "mailto") {
            return None;
        }
        // curl and browsers take http:/host and http:host as well.
        if is_scheme && matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https" | "ftp") {
            return Some((scheme.to_ascii_lowercase(), rest.trim_start_matches(['/', '\\']), false));
        }
        // git@host:path; without a user the host has a dot, or it is a name of the user's own for one.
        let before_path = scheme.rsplit('@').next().unwrap_or(scheme);
        let host = scheme.contains('@') || before_path.trim_matches('.').contains('.');
        if host && !scheme.contains('/') && !before_path.is_empty() && assumed == "ssh" && !rest.starts_with("//") {
            return Some(("scp".into(), text, true));
        }
    }
    if text.starts_with(UNKNOWN) {
        return Some((String::new(), text, false));
    }
    if let Some(at) = text.find("://")
        && text.get(..at).is_some_and(|s| s.contains(UNKNOWN))
    {
        return Some((String::new(), text.get(at.saturating_add(3)..).unwrap_or_default(), false));
    }
    Some((assumed.to_string(), text, true))
}

/// `user@host:path`, where the host may be in brackets.
fn split_scp(text: &str) -> (&str, &str) {
    let bracket =
        text.find(']').filter(|_| text.split_once('@').is_some_and(|(_, host)| host.starts_with('['))).unwrap_or(0);
    let colon = text.get(bracket..).and_then(|t| t.find(':')).map(|i| bracket.saturating_add(i));
    match colon.and_then(|i| Some((text.get(..i)?, text.get(i.saturating_add(1)..)?))) {
        Some(parts) => parts,
        None => (text, ""),
    }
}

fn split_port(text: &str) -> (&str, Option<&str>) {
    if text.starts_with('[') {
        return match text.split_once(']') {
            Some((h, p)) => (h.trim_start_matches('['), p.strip_prefix(':').filter(|p| !p.is_empty())),
            None => (text, None),
        };
    }
    match text.rsplit_once(':') {
        // More than one colon without brackets: an IPv6 address.
        Some((h, _)) if h.contains(':') => (text, None),
        Some((h, p)) => (h, Some(p).filter(|p| !p.is_empty())),
        None => (text, None),
    }
}

/// Reads a host as programs do: percent signs decoded, full-width letters folded (UTS 46), IPv4 in any number form.
fn read_host(text: &str) -> Host {
    // `10.0.0.1$PATH`: nothing that could follow makes another host of a whole number address.
    if let Some((head, _)) = text.split_once(UNKNOWN)
        && let Ok(ip) = head.parse::<Ipv4Addr>()
    {
        return Host::Ip(IpAddr::V4(ip));
    }
    if text.is_empty() || text.contains(UNKNOWN) && known_suffix(text).is_none() {
        return Host::Unknown;
    }
    if let Some(suffix) = known_suffix(text) {
        return Host::Name(suffix.to_ascii_lowercase());
    }
    let mut name = text.trim_end_matches('.').to_ascii_lowercase();
    if (name.contains('%') || !name.is_ascii())
        && let Ok(h) = url::Host::parse(&name)
    {
        match h {
            url::Host::Domain(d) => name = d,
            url::Host::Ipv4(ip) => return Host::Ip(IpAddr::V4(ip)),
            url::Host::Ipv6(ip) => return Host::Ip(plain(ip)),
        }
    }
    if let Some(ip) = inet_aton(&name) {
        return Host::Ip(IpAddr::V4(ip));
    }
    let no_zone = name.split(['%']).next().unwrap_or(&name);
    match no_zone.parse::<Ipv6Addr>() {
        Ok(ip) => Host::Ip(plain(ip)),
        Err(_) => Host::Name(name),
    }
}

/// The end of a name whose first labels alone are not known (`$X.evil.example`): enough to say whose it is.
fn known_suffix(text: &str) -> Option<&str> {
    let at = text.rfind(UNKNOWN)?;
    let rest = text.get(at.saturating_add(UNKNOWN.len_utf8())..)?;
    let tail = rest.strip_prefix('.')?;
    (tail.contains('.') && !tail.ends_with('.')).then_some(tail)
}

/// An IPv4 address inside an IPv6 one is that address.
fn plain(ip: Ipv6Addr) -> IpAddr {
    match ip.to_ipv4_mapped() {
        Some(v4) => IpAddr::V4(v4),
        None => match ip.segments() {
            // 64:ff9b::/96 and 64:ff9b:1::/48, the NAT64 prefixes (RFC 6052, 8215); ::ffff:0:0:0/96, translated (RFC 2765)
            [0x64, 0xff9b, 0 | 1, 0, 0, 0, a, b] | [0, 0, 0, 0, 0xffff, 0, a, b] => {
                IpAddr::V4(Ipv4Addr::from((u32::from(a) << 16) | u32::from(b)))
            }
            // 2002::/16, 6to4 (RFC 3056)
            [0x2002, a, b, ..] => IpAddr::V4(Ipv4Addr::from((u32::from(a) << 16) | u32::from(b))),
            [0, 0, 0, 0, 0, 0, a, b] if a != 0 => IpAddr::V4(Ipv4Addr::from((u32::from(a) << 16) | u32::from(b))),
            _ => IpAddr::V6(ip),
        },
    }
}

/// IPv4 as inet_aton(3) reads it: one to four numbers, each decimal, octal (0…) or hexadecimal (0x…), the last one
/// filling the bytes that are left.
pub fn inet_aton(text: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = text.split('.').collect();
    if parts.is_empty() || parts.len() > 4 {
        return None;
    }
    let last = parts.len().saturating_sub(1);
    let mut out: u64 = 0;
    for (i, p) in parts.iter().enumerate() {
        let n = number(p)?;
        if i < last {
            if n > 255 {
                return None;
            }
            out |= n << (24u32.saturating_sub(8u32.saturating_mul(u32::try_from(i).ok()?)));
        } else {
            let bits = 32u32.saturating_sub(8u32.saturating_mul(u32::try_from(last).ok()?));
            if n >= 1u64 << bits {
                return None;
            }
            out |= n;
        }
    }
    u32::try_from(out).ok().map(Ipv4Addr::from)
}

fn number(text: &str) -> Option<u64> {
    if text.is_empty() || text.len() > 40 || !text.chars().all(|c| c.is_ascii_hexdigit() || c == 'x') {
        return None;
    }
    let read = |digits: &str, radix| {
        let d = digits.trim_start_matches('0');
        if d.is_empty() { Some(0) } else { u64::from_str_radix(d, radix).ok() }
    };
    match text.strip_prefix("0x") {
        Some("") => Some(0),
        Some(hex) => read(hex, 16),
        None if text.starts_with('0') && text.len() > 1 => read(text, 8),
        None => read(text, 10),
    }
}

/// Where a host is of which the list says that.
fn reach_of(host: &Host, kinds: &Kinds) -> Reach {
    let kind = |kind: HostKind| kinds.get(kind as usize).copied().flatten();
    if kind(HostKind::Metadata).is_some() {
        return Reach::Metadata;
    }
    let name = match host {
        Host::Unknown => return Reach::Unknown,
        Host::Ip(ip) => return reach_ip(*ip),
        Host::Name(n) => n,
    };
    if kind(HostKind::Mirror).is_some()
        && let Some(ip) = written_in(name)
    {
        let own = list::kinds_of(&ip.to_string());
        return reach_of(&Host::Ip(ip), &own);
    }
    match kind(HostKind::Private) {
        Some(what) if what.starts_with("this machine") => Reach::Loopback,
        Some(_) => Reach::Private,
        // One label is a name of the local network: a container, a service, a machine next door.
        None if !name.contains('.') => Reach::Private,
        None => Reach::Public,
    }
}

/// The address that is written in a name, between dots or dashes (`10.0.0.1.nip.io`, `app-10-0-0-1.nip.io`), in
/// hexadecimal (`app-0a000001.nip.io`), or with dashes for the colons of IPv6 (`--1.sslip.io`).
fn written_in(name: &str) -> Option<IpAddr> {
    let parts: Vec<&str> = name.split(['.', '-']).take(64).collect();
    let dotted = || parts.windows(4).rev().find_map(|w| w.join(".").parse::<Ipv4Addr>().ok());
    let packed = || {
        let whole = |p: &&&str| p.len() == 8 && p.bytes().all(|b| b.is_ascii_hexdigit());
        let digits = parts.iter().rev().find(whole)?;
        u32::from_str_radix(digits, 16).ok().map(Ipv4Addr::from)
    };
    let long = || {
        let labels = name.split('.').take(64).filter(|l| l.contains('-'));
        labels.filter_map(|l| l.replace('-', ":").parse::<Ipv6Addr>().ok()).last().map(plain)
    };
    dotted().or_else(packed).map(IpAddr::V4).or_else(long)
}

fn reach_ip(ip: IpAddr) -> Reach {
    match ip {
        IpAddr::V4(v4) if v4.is_loopback() || v4.is_unspecified() => Reach::Loopback,
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let shared = a == 100 && (64..128).contains(&b);
            if v4.is_private() || v4.is_link_local() || shared || v4.is_broadcast() || v4.is_multicast() {
                Reach::Private
            } else {
                Reach::Public
            }
        }
        IpAddr::V6(v6) if v6.is_loopback() || v6.is_unspecified() => Reach::Loopback,
        IpAddr::V6(v6) => {
            let first = v6.segments().first().copied().unwrap_or(0);
            let near = first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80 || first & 0xff00 == 0xff00;
            if near { Reach::Private } else { Reach::Public }
        }
    }
}

/// Reads a host that stands alone (a `host` operand, the host of a socket).
pub fn host_of(value: &Value) -> Host {
    let text = flatten(value);
    let (h, _) = split_port(text.trim());
    read_host(h.rsplit('@').next().unwrap_or(h))
}

#[cfg(test)]
mod tests;
