//! Threat data through the whole line: the samples of `tests/threats`, made into a signed database, and the commands of
//! `tests/threats/cases.toml`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use shellward::analyzer::{Options, analyze};
use shellward::finding::Finding;
use shellward::intel::db::{Builder, Plan, sign};
use shellward::intel::feed;
use shellward::intel::store::Store;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    run: String,
    rules: Vec<String>,
    severity: Option<String>,
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threats")
}

/// A store with a signed database of all samples, in a folder of its own that is removed at the end.
struct Made(PathBuf);

impl Drop for Made {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Made {
    fn new(name: &str) -> Made {
        let dir = std::env::temp_dir().join(format!("shellward-threats-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        let mut builder = Builder::new();
        for (format, file) in [
            ("osv", "osv"),
            ("datadog", "datadog/pypi/manifest.json"),
            ("urlhaus", "urlhaus.csv"),
            ("feodo", "feodo.csv"),
            ("phishtank", "phishtank.json"),
            ("hosts", "hosts.txt"),
            ("tor", "tor.txt"),
            ("list", "list.txt"),
        ] {
            feed::read(feed::format(format).unwrap(), &samples().join(file), format, &mut builder).unwrap();
        }
        let file = dir.join("made.db");
        builder.write(&file, &Plan { name: "samples".into(), version: 7, made: 1_700_000_000, expires: 0 }).unwrap();
        let (public, secret) = sign::new_keys().unwrap();
        sign::sign(&file, &secret, "").unwrap();
        std::fs::write(dir.join("threats.pub"), public).unwrap();
        let made = Made(dir);
        made.store().update(&mut std::fs::File::open(&file).unwrap(), 1_700_000_100).unwrap();
        made
    }
    fn store(&self) -> Store {
        Store::new(self.0.clone(), self.0.join("threats.pub"))
    }
}

fn of_threats(command: &str, store: Option<Arc<Store>>) -> Vec<Finding> {
    let options = Options { threats: store, ..Options::default() };
    let findings = analyze(command.as_bytes(), &options).verdict.findings;
    findings.into_iter().filter(|f| f.rule_id.starts_with("threat_")).collect()
}

#[test]
fn cases() {
    let made = Made::new("cases");
    let store = Arc::new(made.store());
    let text = std::fs::read_to_string(samples().join("cases.toml")).unwrap();
    let mut wrong = Vec::new();
    for case in toml::from_str::<Cases>(&text).unwrap().case {
        let found = of_threats(&case.run, Some(store.clone()));
        let mut ids: Vec<&str> = found.iter().map(|f| f.rule_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let worst = found.iter().map(|f| f.severity).max().map(|s| format!("{s:?}").to_lowercase());
        if ids != case.rules || worst != case.severity {
            wrong.push(format!("{:?}: {ids:?} {worst:?} instead of {:?} {:?}", case.run, case.rules, case.severity));
        }
        assert!(of_threats(&case.run, None).is_empty(), "{}: without a database", case.run);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_finding_says_where_it_is_from_and_how_fresh_that_is() {
    let made = Made::new("fresh");
    let found = of_threats("npm i evil-sample-pkg", Some(Arc::new(made.store())));
    let details = &found[0].evidence[0].details;
    let of = |name: &str| details.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str()).unwrap_or_default();
    assert_eq!(of("listed"), "package npm:evil-sample-pkg");
    assert_eq!((of("as"), of("source"), of("reference")), ("malicious package", "osv", "MAL-2026-101"));
    let freshness = of("freshness");
    assert!(freshness.starts_with("samples 7, made 2023-11-14 ("), "{freshness}");
    assert!(freshness.ends_with("reported 2026-05-01"), "{freshness}");
}

#[test]
fn a_damaged_database_is_told_and_changes_no_verdict() {
    let made = Made::new("damaged");
    let file = made.0.join("threats.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 600;
    bytes[last..].iter_mut().for_each(|b| *b ^= 0x55);
    std::fs::write(&file, bytes).unwrap();
    let found = of_threats("npm i evil-sample-pkg", Some(Arc::new(made.store())));
    let ids: Vec<&str> = found.iter().map(|f| f.rule_id).collect();
    assert_eq!(ids, ["threat_data_unusable"]);
    assert!(found[0].title.contains("damaged or forged"), "{}", found[0].title);
    assert!(of_threats("ls -l", Some(Arc::new(made.store()))).is_empty());
}

/// Runs the binary in a folder that is its store; what it printed, and its exit code.
fn cli(dir: &Path, args: &[&str]) -> (String, i32) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_shellward"))
        .args(args)
        .env("SHELLWARD_THREATS", dir)
        .current_dir(samples())
        .output()
        .unwrap();
    let text = [out.stdout, out.stderr].concat();
    (String::from_utf8(text).unwrap(), out.status.code().unwrap())
}

#[test]
fn from_feeds_to_a_verdict_on_the_command_line() {
    let dir = std::env::temp_dir().join(format!("shellward-threats-cli-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let made = Made(dir.clone());
    let file = |name: &str| made.0.join(name).to_string_lossy().into_owned();
    let (one, two, key) = (file("one.db"), file("two.db"), file("key"));
    let steps: &[(&[&str], i32, &str)] = &[
        (&["threats", "status"], 0, "threat data: none"),
        (
            &["threats", "build", "--out", &one, "--version", "1", "osv=ossf:osv", "feodo:feodo.csv"],
            0,
            "version 1, 5 records",
        ),
        (&["threats", "build", "--out", &two, "--version", "2", "osv=ossf:osv", "urlhaus:urlhaus.csv"], 0, "version 2"),
        (&["threats", "build", "--out", &two, "feodo:hosts.txt"], 64, "not of the format feodo"),
        (&["threats", "build", "--out", &two, "no-such:hosts.txt"], 64, "no format"),
        (&["threats", "update", &one], 78, "is not signed"),
        (&["threats", "keys", &key], 0, "key.pub"),
        (&["threats", "keys", &key], 74, "exists"),
        (&["threats", "sign", "--key", &file("key.key"), &one], 0, "is signed by the key"),
        (&["threats", "update", &one], 78, "no key is trusted"),
        (&["threats", "verify", "--keys", &file("key.pub"), &one], 0, "every byte is as it was signed"),
    ];
    let check = |(args, exit, says): &(&[&str], i32, &str)| {
        let (text, code) = cli(&dir, args);
        assert!(code == *exit && text.contains(says), "{args:?}: {code}, {text}");
    };
    steps.iter().for_each(check);
    std::fs::copy(file("key.pub"), file("threats.pub")).unwrap();
    let steps: &[(&[&str], i32, &str)] = &[
        (&["threats", "update", &one], 0, "none → 1: 5 records in use"),
        (&["threats", "status"], 0, "threat data: in use"),
        (&["threats", "explain", "198.51.100.23"], 2, "command and control, says feodo"),
        (&["threats", "explain", "npm:evil-sample-pkg@1.0"], 2, "says ossf (MAL-2026-101); threats 1, made"),
        (&["threats", "explain", "example.com"], 0, "not listed"),
        (&["threats", "explain", ""], 64, "is no URL"),
        (&["check", "--", "npm i evil-sample-pkg"], 1, "threat_malicious_package"),
        (&["check", "--json", "--", "nc 198.51.100.23 443"], 1, "threat_malicious_ip"),
        (&["threats", "update", "http://e.example/threats.db"], 64, "only https"),
        (&["threats", "update", "/no/such/file"], 64, "cannot read"),
        (&["threats", "sign", "--key", &file("key.key"), &two], 0, "is signed"),
        (&["threats", "diff", &one, &two], 0, "1 → 2: 3 added, 1 removed, 4 kept"),
        (&["threats", "update", &two], 0, "1 → 2"),
        (&["threats", "update", &one], 78, "older than the one in use: version 1 after 2; version 2 stays in use"),
        (&["check", "--", "nc 198.51.100.23 443"], 0, ""),
    ];
    steps.iter().for_each(check);
    let (text, _) = cli(&dir, &["threats", "status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&status["state"], &status["version_floor"]), (&"in use".into(), &2.into()));
    assert_eq!(status["databases"][0]["records"], 7);
}
