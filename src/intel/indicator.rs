//! Indicators: what threat data names, in one spelling each.
//!
//! In: hosts, addresses, networks, URLs, packages with versions and file hashes as feeds, commands and people write them.
//! Out: an [`Indicator`], whose key is the same whichever way it was written, and its [`Fingerprint`], which is all that
//! a database keeps of it. Imports `url` for the reading of addresses.

use super::ecosystem;
use crate::url::{Address, Host};
use sha2::{Digest, Sha256};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

crate::effect::named! {
    /// What an indicator names.
    Kind {
        /// A host, exactly.
        Host = "host",
        /// A host and every name below it.
        Zone = "zone",
        /// An address with its path.
        Url = "url",
        /// An IP address.
        Ip = "ip",
        /// A network: an address and the length of its prefix.
        Network = "network",
        /// A package of an ecosystem, every version.
        Package = "package",
        /// One version of a package.
        Version = "version",
        /// A package some of whose versions are named.
        Versions = "versions",
        /// The hash of a file.
        Hash = "hash",
    }
}

/// Bytes of a fingerprint that are kept: 96 bits. Among five million indicators another name is taken for one of them with
/// a probability of 2^-73.
pub const FINGERPRINT: usize = 12;

/// The beginning of the SHA-256 of an indicator's kind and key.
pub type Fingerprint = [u8; FINGERPRINT];

/// Most labels of a host that are looked up as zones, from the right.
const MAX_ZONES: usize = 6;
/// Longest key.
const MAX_KEY: usize = 4_096;

/// One thing that threat data may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indicator {
    /// What it is.
    pub kind: Kind,
    /// Its one spelling.
    pub key: String,
}

impl Indicator {
    fn new(kind: Kind, key: String) -> Option<Indicator> {
        (!key.is_empty() && key.len() <= MAX_KEY).then_some(Indicator { kind, key })
    }

    /// A host by its name or number; `None` for what can be none.
    pub fn host(text: &str) -> Option<Indicator> {
        match Address::parse_text(&format!("http://{}/", text.trim()), "http")?.host {
            Host::Name(n) if is_name(&n) => Self::new(Kind::Host, ascii(&n)),
            Host::Ip(ip) => Some(Self::ip(ip)),
            _ => None,
        }
    }
    /// A host and all below it, written `*.h`, `.h` or `h`.
    pub fn zone(text: &str) -> Option<Indicator> {
        let text = text.trim().trim_start_matches("*").trim_start_matches('.');
        Self::host(text).map(|i| if i.kind == Kind::Host { Indicator { kind: Kind::Zone, ..i } } else { i })
    }
    /// An IP address.
    pub fn ip(ip: IpAddr) -> Indicator {
        Indicator { kind: Kind::Ip, key: ip.to_canonical().to_string() }
    }
    /// A network; one of full length is an address.
    pub fn network(ip: IpAddr, length: u8) -> Option<Indicator> {
        let ip = ip.to_canonical();
        let whole = if ip.is_ipv4() { 32 } else { 128 };
        match length.cmp(&whole) {
            std::cmp::Ordering::Greater => None,
            std::cmp::Ordering::Equal => Some(Self::ip(ip)),
            std::cmp::Ordering::Less => Self::new(Kind::Network, format!("{}/{length}", masked(ip, length))),
        }
    }
    /// An address with its path; without a scheme, since a server answers both.
    pub fn url(text: &str) -> Option<Indicator> {
        Self::of_address(&Address::parse_text(text, "http")?)
    }
    /// As [`Indicator::url`], of an address that was taken apart. `None` where its host is not known.
    pub fn of_address(a: &Address) -> Option<Indicator> {
        let host = match &a.host {
            Host::Name(n) => ascii(n),
            Host::Ip(ip @ IpAddr::V6(_)) => format!("[{ip}]"),
            Host::Ip(ip) => ip.to_string(),
            Host::Unknown => return None,
        };
        let usual =
            matches!((a.scheme.as_str(), a.port.as_deref()), (_, None) | ("http", Some("80")) | ("https", Some("443")));
        let port = if usual { String::new() } else { format!(":{}", a.port.as_deref().unwrap_or_default()) };
        let path = a.path.split('#').next().unwrap_or_default().replace('\\', "/");
        let (path, query) = path.split_once('?').map_or((path.as_str(), ""), |(p, q)| (p, q));
        let path = without_dots(&unescaped(path));
        let query = if query.is_empty() { String::new() } else { format!("?{}", unescaped(query)) };
        let slash = if path.starts_with('/') { "" } else { "/" };
        Self::new(Kind::Url, format!("{host}{port}{slash}{path}{query}"))
    }
    /// A package, every version of it.
    pub fn package(ecosystem: &str, name: &str) -> Option<Indicator> {
        Self::of_package(Kind::Package, ecosystem, name)
    }
    /// A package some of whose versions are named.
    pub fn versions(ecosystem: &str, name: &str) -> Option<Indicator> {
        Self::of_package(Kind::Versions, ecosystem, name)
    }
    /// One version of a package.
    pub fn version(ecosystem: &str, name: &str, version: &str) -> Option<Indicator> {
        let package = Self::of_package(Kind::Version, ecosystem, name)?;
        let version = version.trim().trim_start_matches('=').trim_start_matches('v');
        if version.is_empty() {
            return None;
        }
        Self::new(Kind::Version, format!("{}@{version}", package.key))
    }
    fn of_package(kind: Kind, ecosystem: &str, name: &str) -> Option<Indicator> {
        let eco = ecosystem::canonical(ecosystem)?;
        let name = super::names::normal(eco, ecosystem::without_default(eco, name.trim()));
        if name.is_empty() || name.contains(char::is_whitespace) {
            return None;
        }
        Self::new(kind, format!("{eco}:{name}"))
    }
    /// The hash of a file in hexadecimal digits: MD5, SHA-1, SHA-256, SHA-384 or SHA-512, which its length tells.
    pub fn hash(text: &str) -> Option<Indicator> {
        let text = text.trim();
        let text =
            text.split_once(':').filter(|(a, _)| a.to_ascii_lowercase().starts_with("sha")).map_or(text, |(_, h)| h);
        let is_hash = matches!(text.len(), 32 | 40 | 64 | 96 | 128) && text.bytes().all(|b| b.is_ascii_hexdigit());
        is_hash.then(|| Indicator { kind: Kind::Hash, key: text.to_ascii_lowercase() })
    }

    /// What a person may mean by a text: a hash, an address with a path, a network, a host or IP address,
    /// `ecosystem:name` or `ecosystem:name@version`. All that it can be, the likeliest first.
    pub fn guess(text: &str) -> Vec<Indicator> {
        let text = text.trim();
        if let Some(hash) = Self::hash(text) {
            return vec![hash];
        }
        if let Some(network) = network_of(text) {
            return vec![network];
        }
        let eco = text.split_once(':').filter(|(e, rest)| !rest.starts_with("//") && ecosystem::canonical(e).is_some());
        if let Some((eco, spec)) = eco {
            return of_given(eco, spec);
        }
        match Address::parse_text(text, "http") {
            Some(a) => of_use(&a),
            None => Vec::new(),
        }
    }

    /// The fingerprint that a database keeps of it.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hash = Sha256::new();
        hash.update(self.kind.name().as_bytes());
        hash.update([0]);
        hash.update(self.key.as_bytes());
        let mut out = [0; FINGERPRINT];
        out.iter_mut().zip(hash.finalize()).for_each(|(o, b)| *o = b);
        out
    }
}

impl std::fmt::Display for Indicator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.key)
    }
}

/// A network in the form `address/length`, or an IPv6 address without brackets.
pub fn network_of(text: &str) -> Option<Indicator> {
    let (ip, length) = match text.split_once('/') {
        Some((ip, length)) => (ip.parse::<IpAddr>().ok()?, length.parse::<u8>().ok()?),
        None => (IpAddr::V6(text.parse::<Ipv6Addr>().ok()?), 128),
    };
    Indicator::network(ip, length)
}

/// Everything that may be listed of an address that is used: itself, its host, the zones it lies in.
pub fn of_use(a: &Address) -> Vec<Indicator> {
    let mut out: Vec<Indicator> = Indicator::of_address(a).into_iter().collect();
    match &a.host {
        Host::Ip(ip) => out.push(Indicator::ip(*ip)),
        Host::Name(name) if is_name(name) => {
            let name = ascii(name);
            let labels: Vec<&str> = name.split('.').collect();
            for from in labels.len().saturating_sub(MAX_ZONES)..labels.len().saturating_sub(1) {
                let zone = labels.get(from..).unwrap_or_default().join(".");
                out.extend(Indicator::new(Kind::Zone, zone));
            }
            out.extend(Indicator::new(Kind::Host, name));
        }
        _ => {}
    }
    out
}

/// Most parts of a path that are looked up.
const MAX_PARTS: usize = 8;

/// A version in the spellings that an ecosystem takes for equal: `1.2`, `1.2.0` where zeros at the end do not count.
fn same_versions(ecosystem: &str, version: &str) -> Vec<String> {
    let mut out = vec![version.to_string()];
    if ecosystem::has(ecosystem, "zeros") {
        let mut short = version;
        while let Some(rest) = short.strip_suffix(".0").filter(|r| !r.is_empty()) {
            short = rest;
        }
        out.extend(["", ".0", ".0.0"].map(|zeros| format!("{short}{zeros}")).into_iter().filter(|v| v != version));
    }
    out
}

/// Everything that may be listed of a package that is installed: itself, its version, some of its versions.
pub fn of_spec(ecosystem: &str, name: &str, (plain, version): &(String, Option<String>)) -> Vec<Indicator> {
    let name = if plain.is_empty() { name } else { plain };
    let mut names = vec![name];
    if ecosystem::has(ecosystem, "paths") {
        // A module is named by a path, and what lies below it is a part of it.
        let ends = name.match_indices('/').map(|(i, _)| i).skip(1).take(MAX_PARTS);
        names.extend(ends.filter_map(|i| name.get(..i)));
    }
    let mut out: Vec<Indicator> = Vec::new();
    for name in names {
        out.extend(Indicator::package(ecosystem, name));
        match version {
            Some(v) => {
                out.extend(same_versions(ecosystem, v).iter().filter_map(|v| Indicator::version(ecosystem, name, v)))
            }
            None => out.extend(Indicator::versions(ecosystem, name)),
        }
    }
    out
}

/// As [`split_version`], in an ecosystem: the names of some have a colon in them (`com.example:lib`), and what stands behind
/// the second one is the version; those of others have tags (`host:5000/image:1.2@sha256:…`).
pub fn split_in(ecosystem: &str, spec: &str) -> (String, Option<String>) {
    let spec = spec.trim();
    if ecosystem::has(ecosystem, "groups")
        && let Some((group, rest)) = spec.split_once(':')
    {
        let (name, version) = split_version(rest);
        return (format!("{group}:{name}"), version);
    }
    if ecosystem::has(ecosystem, "tags") {
        let plain = spec.split('@').next().unwrap_or_default();
        let at = plain.rfind('/').map_or(0, |i| i.saturating_add(1));
        let tag = plain.get(at..).and_then(|last| last.split_once(':')).map(|(_, tag)| tag);
        let length = plain.len().saturating_sub(tag.map_or(0, |t| t.len().saturating_add(1)));
        let name = plain.get(..length).unwrap_or_default();
        return (name.to_string(), tag.filter(|t| !t.is_empty()).map(str::to_string));
    }
    split_version(spec)
}

/// Everything that may be listed of what an installer is given in an ecosystem: `x@npm:y@1` is the package that the other
/// name stands for.
pub fn of_given(ecosystem: &str, spec: &str) -> Vec<Indicator> {
    let plain = !ecosystem::has(ecosystem, "groups") && !ecosystem::has(ecosystem, "tags");
    let other = spec.split_once(':').filter(|_| plain).and_then(|(before, rest)| {
        let name = before.rsplit('@').next()?;
        Some((ecosystem::canonical(name)?, rest))
    });
    let (ecosystem, spec) = other.unwrap_or((ecosystem, spec));
    of_spec(ecosystem, spec, &split_in(ecosystem, spec))
}

/// Name and exact version of what an installer is given: `x==1.2`, `x[extra]==1.2`, `@s/x@1.2`, `x@1.2`, `x:1.2`. A range
/// or a tag is no version.
pub fn split_version(spec: &str) -> (String, Option<String>) {
    let spec = spec.trim();
    let from = usize::from(spec.starts_with('@'));
    let end = spec
        .char_indices()
        .find(|(i, c)| {
            *i >= from && matches!(c, '@' | '[' | '=' | '<' | '>' | '!' | '~' | ';' | ' ' | ':' | ',' | '^' | '*')
        })
        .map_or(spec.len(), |(i, _)| i);
    let (name, rest) = spec.split_at(end);
    let rest = rest.split(';').next().unwrap_or_default();
    let rest = rest.split_once(']').map_or(rest, |(_, r)| r).trim();
    let exact = ["===", "==", "@=", "=", "@", ":"].iter().find_map(|sign| rest.strip_prefix(sign));
    let version = exact.map(str::trim).filter(|v| {
        let v = v.trim_start_matches('v');
        v.starts_with(|c: char| c.is_ascii_digit())
            && v.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_' | '!'))
    });
    (name.to_string(), version.map(str::to_string))
}

/// The address with all bits behind the prefix cleared.
pub fn masked(ip: IpAddr, length: u8) -> IpAddr {
    let keep = |bits: u32, width: u32| if bits == 0 { 0 } else { u128::MAX << width.saturating_sub(bits).min(127) };
    match ip {
        IpAddr::V4(v4) => {
            let mask = u32::try_from(keep(u32::from(length), 32) & u128::from(u32::MAX)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from(u32::from(v4) & mask))
        }
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from(u128::from(v6) & keep(u32::from(length), 128))),
    }
}

/// A name in its ASCII form, as resolvers are asked for it.
fn ascii(name: &str) -> String {
    if name.is_ascii() { name.to_string() } else { idna::domain_to_ascii(name).unwrap_or_else(|_| name.to_string()) }
}

/// True for what can be the name of a host that others reach.
fn is_name(name: &str) -> bool {
    name.contains('.') && !name.contains(char::is_whitespace) && !name.contains('…')
}

/// A path as clients send it: `.` and `..` are taken out (RFC 3986, 5.2.4).
fn without_dots(path: &str) -> String {
    if !path.contains("/.") {
        return path.to_string();
    }
    let mut out: Vec<&str> = Vec::new();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match part {
            "." if last => out.push(""),
            "." => {}
            ".." => {
                // The first part stands before the slash at the beginning.
                if out.len() > 1 {
                    out.pop();
                }
                if last {
                    out.push("");
                }
            }
            _ => out.push(part),
        }
    }
    out.join("/")
}

/// Percent signs decoded where the character may stand plainly (RFC 3986, unreserved), in capitals elsewhere.
fn unescaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        out.push_str(rest.get(..at).unwrap_or_default());
        let code = rest.get(at.saturating_add(1)..at.saturating_add(3));
        match code.and_then(|c| u8::from_str_radix(c, 16).ok()) {
            Some(b) if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~') => out.push(char::from(b)),
            Some(b) => out.push_str(&format!("%{b:02X}")),
            None => {
                out.push('%');
                rest = rest.get(at.saturating_add(1)..).unwrap_or_default();
                continue;
            }
        }
        rest = rest.get(at.saturating_add(3)..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(i: Option<Indicator>) -> String {
        i.map(|i| i.to_string()).unwrap_or_default()
    }

    #[test]
    fn one_thing_has_one_key() {
        for (a, b) in [
            ("http://Evil.Example/a?b=1#c", "evil.example:80/a?b=1"),
            ("https://evil.example:443/%61%2f", "http://evil.example/a%2F"),
            ("http://0x7f.1:8080/x", "http://127.0.0.1:8080/x"),
            ("http://e.example/a/../m.exe", "http://e.example/m.exe?"),
            ("http://e.example/a/./b/..", "http://e.example/a/"),
            ("https://bücher.example", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(key(Indicator::url(a)), key(Indicator::url(b)), "{a}");
        }
        assert_ne!(key(Indicator::url("http://e.example:8080/")), key(Indicator::url("http://e.example/")));
        assert_eq!(key(Indicator::host("Evil.Example.")), "host evil.example");
        assert_eq!(key(Indicator::host("2130706433")), "ip 127.0.0.1");
        assert_eq!(key(Indicator::host("localhost")), "");
        assert_eq!(key(Indicator::zone("*.evil.example")), "zone evil.example");
        assert_eq!(key(Indicator::package("PyPI", "Foo_Bar.baz")), "package pip:foo-bar-baz");
        assert_eq!(key(Indicator::version("npm", "@A/b", "v1.2")), "version npm:@a/b@1.2");
        assert_eq!(key(Indicator::package("no such", "x")), "");
        let sha = "A".repeat(64);
        assert_eq!(key(Indicator::hash(&format!("sha256:{sha}"))), format!("hash {}", "a".repeat(64)));
    }

    #[test]
    fn networks_are_masked() {
        assert_eq!(key(network_of("203.0.113.77/24")), "network 203.0.113.0/24");
        assert_eq!(key(network_of("203.0.113.77/32")), "ip 203.0.113.77");
        assert_eq!(key(network_of("203.0.113.77/0")), "network 0.0.0.0/0");
        assert_eq!(key(network_of("2001:db8:ffff::1/33")), "network 2001:db8:8000::/33");
        assert_eq!(key(network_of("::/0")), "network ::/0");
        assert_eq!(key(network_of("1.2.3.4/33")), "");
    }

    #[test]
    fn versions_are_told_from_ranges() {
        for (spec, want) in [
            ("x==1.2", ("x", Some("1.2"))),
            ("x[a,b]==1.2; python_version>'3'", ("x", Some("1.2"))),
            ("@s/x@1.2.3-rc.1", ("@s/x", Some("1.2.3-rc.1"))),
            ("x@latest", ("x", None)),
            ("x>=1.2", ("x", None)),
            ("x@^1.2", ("x", None)),
            ("x:7.0", ("x", Some("7.0"))),
            ("x", ("x", None)),
        ] {
            let (name, version) = split_version(spec);
            assert_eq!((name.as_str(), version.as_deref()), want, "{spec}");
        }
        for (ecosystem, spec, want) in [
            ("maven", "com.example:lib:1.2", ("com.example:lib", Some("1.2"))),
            ("maven", "com.example:lib", ("com.example:lib", None)),
            ("docker", "evil/image:1", ("evil/image", Some("1"))),
            ("image", "r.example:5000/evil/image", ("r.example:5000/evil/image", None)),
            ("image", "evil/image@sha256:00", ("evil/image", None)),
        ] {
            let (name, version) = split_in(ecosystem, spec);
            assert_eq!((name.as_str(), version.as_deref()), want, "{spec}");
        }
    }

    #[test]
    fn what_is_given_is_looked_up_as_it_is_stored() {
        for (ecosystem, given, stored) in [
            ("npm", "x@npm:evil-pkg@1.0.0", Indicator::version("npm", "evil-pkg", "1.0.0")),
            ("npm", "npm:evil-pkg@1.0.0", Indicator::version("npm", "evil-pkg", "1.0.0")),
            ("pip", "evil-pkg[x]==1.2.0", Indicator::version("pip", "evil-pkg", "1.2")),
            ("pip", "evil-pkg==1.2", Indicator::version("pip", "evil-pkg", "1.2.0")),
            ("go", "github.com/evil/mod/cmd/x@latest", Indicator::package("go", "github.com/evil/mod")),
            ("image", "docker.io/evil/image:1", Indicator::package("docker", "evil/image")),
            ("image", "evil", Indicator::package("docker", "docker.io/library/evil")),
            ("maven", "com.evil:lib:1", Indicator::package("maven", "com.evil:lib")),
        ] {
            assert!(of_given(ecosystem, given).contains(&stored.unwrap()), "{given}: {:?}", of_given(ecosystem, given));
        }
        assert!(!of_given("maven", "com.evil:other").contains(&Indicator::package("maven", "com.evil:lib").unwrap()));
    }

    #[test]
    fn everything_that_may_be_listed_of_an_address() {
        let a = Address::parse_text("http://a.b.evil.example/x", "http").unwrap();
        let all: Vec<String> = of_use(&a).iter().map(ToString::to_string).collect();
        assert_eq!(
            all,
            [
                "url a.b.evil.example/x",
                "zone a.b.evil.example",
                "zone b.evil.example",
                "zone evil.example",
                "host a.b.evil.example"
            ]
        );
    }

    #[test]
    fn people_are_understood() {
        let first = |t: &str| Indicator::guess(t).first().map(ToString::to_string).unwrap_or_default();
        assert_eq!(first("npm:evil-pkg@1.0"), "package npm:evil-pkg");
        assert_eq!(first("http://e.example/x"), "url e.example/x");
        assert_eq!(first("203.0.113.0/24"), "network 203.0.113.0/24");
        assert_eq!(first("2001:db8::1"), "ip 2001:db8::1");
        assert_eq!(first(&"0".repeat(40)), format!("hash {}", "0".repeat(40)));
    }
}
