use super::*;
use crate::source::Place;
use crate::value::{Value, Why};

fn address(text: &str) -> Address {
    Address::parse_text(text, "http").unwrap()
}

#[test]
fn takes_addresses_apart() {
    let a = address("https://user:pw@Host.Example:8443/p/q?x=1#f");
    assert_eq!((a.scheme.as_str(), a.schemeless), ("https", false));
    assert_eq!((a.user.as_deref(), a.password.as_deref()), (Some("user"), Some("pw")));
    assert_eq!((a.host, a.port.as_deref()), (Host::Name("host.example".into()), Some("8443")));
    assert_eq!(a.path, "/p/q?x=1#f");
    let b = address("evil.example/x.sh");
    assert_eq!((b.scheme.as_str(), b.schemeless, b.host), ("http", true, Host::Name("evil.example".into())));
    assert_eq!(address("https:/one.example").host, Host::Name("one.example".into()));
    assert_eq!(address("https://good.example\\@evil.example/").host, Host::Name("good.example".into()));
    assert_eq!(address("https://good.example@evil.example/").host, Host::Name("evil.example".into()));
    assert_eq!(address("host.example:8080/x").port.as_deref(), Some("8080"));
    assert_eq!(address("git+https://h.example/r").scheme, "https");
    assert!(Address::parse_text("data:text/plain,x", "http").is_none());
    assert!(Address::parse_text("file:///etc/passwd", "http").is_none());
    assert!(Address::parse_text("-", "http").is_none());
    let scp = Address::parse_text("git@github.example:o/r.git", "ssh").unwrap();
    assert_eq!((scp.scheme.as_str(), scp.host), ("ssh", Host::Name("github.example".into())));
}

#[test]
fn every_number_form_of_an_address_is_that_address() {
    for form in [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "0177.0x0.0.1",
        "017700000001",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "127%2e0.0.1",
        "１２７.0.0.1",
    ] {
        let a = address(&format!("http://{form}/x"));
        assert_eq!(a.host, Host::Ip(IpAddr::V4(Ipv4Addr::LOCALHOST)), "{form}");
        assert_eq!(a.reach(), Reach::Loopback, "{form}");
    }
    for form in ["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "[::ffff:a9fe:a9fe]"] {
        assert_eq!(address(&format!("http://{form}/")).reach(), Reach::Metadata, "{form}");
    }
    for not in ["1.2.3.4.5", "256.1.1.1", "1.2.3.256", "08.1.1.1", "4294967296", "a.b"] {
        assert_eq!(inet_aton(not), None, "{not}");
    }
}

#[test]
fn knows_where_hosts_are() {
    for (host, want) in [
        ("localhost", Reach::Loopback),
        ("0.0.0.0", Reach::Loopback),
        ("[::1]", Reach::Loopback),
        ("10.1.2.3", Reach::Private),
        ("192.168.0.1", Reach::Private),
        ("172.20.0.1", Reach::Private),
        ("172.32.0.1", Reach::Public),
        ("printer.local", Reach::Private),
        ("db", Reach::Private),
        ("metadata.google.internal", Reach::Metadata),
        ("example.com", Reach::Public),
        ("8.8.8.8", Reach::Public),
        ("[fd12::1]", Reach::Private),
        ("[2001:db8::1]", Reach::Public),
    ] {
        assert_eq!(address(&format!("http://{host}:8080/")).reach(), want, "{host}");
    }
}

#[test]
fn what_is_not_known_stays_so() {
    let unknown = |n: &str| Value::unknown(Why::Environment(n.into()), Place::default());
    let lit = |t: &str| Value::literal(t.as_bytes(), Place::default());
    let mut v = lit("https://");
    v.push(unknown("HOST"));
    v.push(lit("/x"));
    assert_eq!(Address::parse(&v, "http").unwrap().reach(), Reach::Unknown);
    let mut v = lit("https://");
    v.push(unknown("DATA"));
    v.push(lit(".evil.example/x"));
    assert_eq!(Address::parse(&v, "http").unwrap().host, Host::Name("evil.example".into()));
    let a = Address::parse(&unknown("URL"), "http").unwrap();
    assert_eq!((a.scheme.as_str(), a.schemeless, a.host), ("", false, Host::Unknown));
}
