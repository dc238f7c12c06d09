//! The samples in `tests/threats`, read and looked up again.

use super::*;
use crate::intel::db::{Database, Keys, Plan};
use crate::intel::store::find_in;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threats").join(name)
}

/// A database of one sample, and what was read.
fn database(name: &str, file: &str) -> (Database, Read) {
    let mut builder = Builder::new();
    let done = read(format(name).unwrap(), &sample(file), name, &mut builder).unwrap();
    let out = std::env::temp_dir().join(format!("shellward-feed-{}-{}.db", std::process::id(), file.replace('/', "-")));
    builder.write(&out, &Plan { name: "test".into(), version: 1, made: 1, expires: 0 }).unwrap();
    let database = Database::open(&out, &Keys::default(), true).unwrap();
    std::fs::remove_file(&out).unwrap();
    (database, done)
}

/// What a database says of something, as a person may write it.
fn says(d: &Database, text: &str) -> Vec<String> {
    let mut out: Vec<String> = find_in(d, &Indicator::guess(text), 0)
        .unwrap()
        .into_iter()
        .map(|h| {
            let day = h.record.reported().map(crate::time::day).unwrap_or_default();
            [h.indicator.kind.name(), h.record.threat.name(), &day, &h.reference.unwrap_or_default()].join("|")
        })
        .collect();
    out.sort();
    out
}

#[test]
fn packages_of_osv() {
    let (d, done) = database("osv", "osv");
    assert_eq!(done, Read { read: 4, skipped: 0 });
    for spec in ["npm:evil-sample-pkg", "npm:evil-sample-pkg@9.9.9", "npm:evil-sample-pkg@^1"] {
        assert_eq!(says(&d, spec), ["package|malicious package|2026-05-01|MAL-2026-101"], "{spec}");
    }
    assert_eq!(says(&d, "pip:Half_Bad.Sample==2.2"), ["version|malicious package|2026-06-01|MAL-2026-7"]);
    assert_eq!(says(&d, "pypi:half-bad-sample"), ["versions|malicious package|2026-06-01|MAL-2026-7"]);
    for honest in ["pip:half-bad-sample==2.3", "npm:honest-sample-pkg", "pip:evil-sample-pkg"] {
        assert_eq!(says(&d, honest), Vec::<String>::new(), "{honest}");
    }
}

#[test]
fn packages_of_manifests() {
    let (d, _) = database("datadog", "datadog/pypi/manifest.json");
    assert_eq!(says(&d, "pip:evil_sample_two==1"), ["package|malicious package||"]);
    assert_eq!(says(&d, "pip:taken-over-sample==3.1.5"), ["version|malicious package||"]);
    assert!(says(&d, "pip:taken-over-sample==3.1.6").is_empty());
}

#[test]
fn addresses_of_abuse_ch() {
    let (d, done) = database("urlhaus", "urlhaus.csv");
    assert_eq!(done.skipped, 0);
    let link = |n: u32| format!("https://urlhaus.abuse.ch/url/{n}/");
    assert_eq!(
        says(&d, "http://0xCB007142:8080/bins/x.sh"),
        [format!("ip|malware|2026-07-01|{}", link(3_900_001)), format!("url|malware|2026-07-01|{}", link(3_900_001))]
    );
    assert_eq!(
        says(&d, "http://shared.example:80/u/42/setup.exe?a=1,2#x"),
        [format!("url|malware|2026-07-02|{}", link(3_900_002))]
    );
    // The host has many users.
    assert!(says(&d, "https://shared.example/u/43/notes.txt").is_empty());
    let (d, _) = database("urlhaus", "urlhaus.json");
    assert_eq!(says(&d, "drop.example/a"), [format!("url|malware|2026-07-03|{}", link(3_900_003))]);
    for (file, ip, day) in [("feodo.csv", "198.51.100.23", "2026-03-04"), ("feodo.json", "198.51.100.24", "2026-03-05")]
    {
        let (d, done) = database("feodo", file);
        assert_eq!(done, Read { read: 1, skipped: 0 });
        assert_eq!(says(&d, ip), [format!("ip|command and control|{day}|")]);
    }
}

#[test]
fn pages_of_phishtank() {
    let (d, done) = database("phishtank", "phishtank.csv");
    assert_eq!(done, Read { read: 1, skipped: 1 });
    assert_eq!(says(&d, "https://login.bank-sample.example/a,b").len(), 1);
    assert!(says(&d, "https://unverified.example/").is_empty());
    let (d, _) = database("phishtank", "phishtank.json");
    let found = says(&d, "http://pay.sample.example");
    assert_eq!(found, ["url|phishing|2026-07-06|https://phishtank.org/phish_detail.php?phish_id=9000003"]);
}

#[test]
fn lists_in_every_form() {
    let (d, done) = database("hosts", "hosts.txt");
    assert_eq!(done, Read { read: 11, skipped: 1 });
    for (text, kind) in [
        ("tracker.sample.example", "host"),
        ("two.sample.example", "host"),
        ("three.sample.example", "host"),
        ("four.sample.example", "host"),
        ("plain.sample.example", "host"),
        ("a.b.zone.example", "zone"),
        ("adblock.example", "zone"),
        ("x.dnsmasq.example", "zone"),
        ("198.51.100.200", "network"),
        ("2001:db8:bad::1", "network"),
        ("192.0.2.1", "ip"),
    ] {
        assert_eq!(says(&d, text), [format!("{kind}|listed||")], "{text}");
    }
    for honest in [
        "sub.plain.sample.example",
        "198.51.100.1",
        "2001:db8::1",
        "sample.example",
        "127.0.0.1",
        "0.0.0.0",
        "198.51.100.53",
    ] {
        assert!(says(&d, honest).is_empty(), "{honest}");
    }
    let (d, _) = database("tor", "tor.txt");
    assert_eq!(says(&d, "192.0.2.77"), ["ip|Tor exit|2026-07-01|"]);
    assert_eq!(says(&d, "192.0.2.78"), ["ip|Tor exit||"]);
    let (d, _) = database("hashes", "hashes.txt");
    assert_eq!(says(&d, &"0123456789ABCDEF".repeat(4)), ["hash|malware||"]);
    let (d, done) = database("list", "list.txt");
    assert_eq!(done, Read { read: 11, skipped: 0 });
    for text in [
        "maven:com.own:bad-lib:1",
        "image:own-bad/image:latest",
        "npm:own-bad-pkg@1",
        "pip:own-bad==1.0",
        "http://own.example/x?y=1",
        "own-host.example",
        "a.own-zone.example",
    ] {
        assert_eq!(says(&d, text).len(), 1, "{text}");
    }
    assert!(says(&d, "maven:com.own:other-lib").is_empty());
}

#[test]
fn another_file_is_no_feed() {
    let mut builder = Builder::new();
    for (name, file) in
        [("osv", "feodo.json"), ("urlhaus", "hosts.txt"), ("feodo", "urlhaus.csv"), ("datadog", "urlhaus.json")]
    {
        let e = read(format(name).unwrap(), &sample(file), name, &mut builder).unwrap_err();
        assert!(matches!(e, FeedError::Wrong { .. }), "{name} {file}: {e}");
    }
}
