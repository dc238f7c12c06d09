//! Addresses in commands: the cases of `tests/urls/*.toml`, and every number form of two addresses that matter.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use shellward::analyzer::{Options, analyze};
use shellward::finding::Severity;
use shellward::rules;
use shellward::url::{Address, Reach};
use std::path::Path;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    run: String,
    rules: Vec<String>,
}

/// The rules that the cases speak of.
const RULES: &[&str] = &[
    "confusable_domain",
    "mixed_script_in_label",
    "punycode_domain",
    "non_ascii_hostname",
    "invalid_host_chars",
    "trailing_dot_whitespace",
    "lookalike_tld",
    "non_standard_port",
    "homoglyph_in_path",
    "double_encoding",
    "userinfo_trick",
    "package_typosquat",
    "bidi_controls",
    "zero_width_chars",
    "unicode_tags",
    "variation_selectors",
    "invisible_fillers",
    "ansi_escapes",
    "control_chars",
    "hidden_text",
    "confusable_text",
];

fn found(command: &str) -> Vec<String> {
    let options = Options { home: None, cwd: None, ..Options::default() };
    let findings = analyze(command.as_bytes(), &options).verdict.findings;
    let ours = findings.iter().filter(|f| f.severity > Severity::Info && RULES.contains(&f.rule_id));
    let mut ids: Vec<String> = ours.map(|f| f.rule_id.to_string()).collect();
    ids.sort();
    ids.dedup();
    ids
}

#[test]
fn cases() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/urls");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for entry in std::fs::read_dir(dir).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for mut case in toml::from_str::<File>(&text).unwrap().case {
            case.rules.sort();
            let found = found(&case.run);
            if found != case.rules {
                wrong.push(format!("{:?}: {found:?} instead of {:?}", case.run, case.rules));
            }
            count += 1;
        }
    }
    assert!(count > 20 && RULES.iter().all(|r| rules::find(r).is_some()));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn lists_ranges_and_backslashes_are_read_as_the_program_reads_them() {
    for command in [
        "curl 'http://169.254.169.{254}/latest/meta-data/'",
        "curl 'http://169.254.{168,169}.254/latest/'",
        "curl http://169.254.169.25[3-5]/latest/",
        "curl -s 'http://[168-169].254.169.254/'",
        "curl 'http://e.example\\@169.254.169.254/latest/'",
        "wget 'http://e.example\\@169.254.169.254/latest/'",
        "curl 'http://169.254.169.254\\@e.example/latest/'",
    ] {
        let findings = analyze(command.as_bytes(), &Options::default()).verdict.findings;
        assert!(findings.iter().any(|f| f.rule_id == "metadata_endpoint"), "{command}");
    }
    for command in
        ["curl -g 'http://e.example/{169.254.169.254}'", "curl 'http://e.example/{a,b}/[1-3].png' -o '#1_#2'"]
    {
        let findings = analyze(command.as_bytes(), &Options::default()).verdict.findings;
        assert!(!findings.iter().any(|f| f.rule_id == "metadata_endpoint"), "{command}");
    }
}

/// One number as a part of an address: decimal, octal or hexadecimal, with zeros in front, in either case.
fn number(n: u32) -> impl Strategy<Value = String> {
    (0usize..3, 0usize..4, any::<bool>()).prop_map(move |(radix, zeros, upper)| {
        let zeros = "0".repeat(zeros);
        match radix {
            0 => format!("{n}"),
            1 => format!("0{zeros}{n:o}"),
            _ if upper => format!("0X{zeros}{n:X}"),
            _ => format!("0x{zeros}{n:x}"),
        }
    })
}

/// Every way to write an IPv4 address: one to four numbers, the last one filling what is left; as part of an IPv6
/// address; in full-width letters and percent signs; with a dot at the end.
fn forms(ip: u32) -> impl Strategy<Value = String> {
    let [a, b, c, d] = ip.to_be_bytes().map(u32::from);
    let plain = prop_oneof![
        number(ip),
        (number(a), number(ip & 0xff_ffff)).prop_map(|(x, y)| format!("{x}.{y}")),
        (number(a), number(b), number(ip & 0xffff)).prop_map(|(x, y, z)| format!("{x}.{y}.{z}")),
        (number(a), number(b), number(c), number(d)).prop_map(|(x, y, z, w)| format!("{x}.{y}.{z}.{w}")),
    ];
    let wide = |c: char| match c {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => char::from_u32(u32::from(c) - 0x21 + 0xFF01).unwrap(),
        '.' => '\u{3002}',
        c => c,
    };
    let percent = |text: &str, wanted: fn(u8) -> bool| -> String {
        text.bytes().map(|b| if wanted(b) { format!("%{b:02x}") } else { char::from(b).to_string() }).collect()
    };
    let disguised = (plain, 0usize..8).prop_map(move |(text, how)| match how {
        0 => text.chars().map(wide).collect(),
        1 => percent(&text, |b| b == b'.'),
        2 => format!("{text}."),
        3 => percent(&text, |_| true),
        4 => percent(&text, |b| b % 2 == 0),
        5 => percent(&text.chars().map(wide).collect::<String>(), |b| b > 127),
        _ => text,
    });
    let six = (ip_in_six(ip), any::<bool>())
        .prop_map(|(text, upper)| if upper { format!("[{}]", text.to_uppercase()) } else { format!("[{text}]") });
    prop_oneof![6 => disguised, 2 => six]
}

/// The address inside an IPv6 one: mapped, translated, behind NAT64, 6to4; zeros compressed, written out, or in front.
fn ip_in_six(ip: u32) -> impl Strategy<Value = String> {
    let [a, b, c, d] = ip.to_be_bytes();
    let (high, low) = (ip >> 16, ip & 0xffff);
    let tails = vec![format!("{a}.{b}.{c}.{d}"), format!("{high:x}:{low:x}"), format!("{high:04x}:{low:04x}")];
    let heads = [
        "::ffff:",
        "0:0:0:0:0:ffff:",
        "0000:0000:0000:0000:0000:ffff:",
        "0::ffff:",
        "::0:ffff:",
        "::ffff:0:",
        "64:ff9b::",
        "0064:ff9b:0:0:0:0:",
        "64:ff9b:1::",
    ];
    let joined =
        (prop::sample::select(heads.to_vec()), prop::sample::select(tails)).prop_map(|(h, t)| format!("{h}{t}"));
    prop_oneof![4 => joined, 1 => Just(format!("2002:{high:x}:{low:x}::1"))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_form_of_the_loopback_address_is_this_machine(host in forms(0x7f00_0001), user in any::<bool>()) {
        let info = if user { "example.com:80@" } else { "" };
        let a = Address::parse_text(&format!("http://{info}{host}:8080/x"), "http").unwrap();
        prop_assert_eq!(a.reach(), Reach::Loopback, "{}", host);
        let a = Address::parse_text(&format!("{host}/x"), "http").unwrap();
        prop_assert_eq!(a.reach(), Reach::Loopback, "{}", host);
        let a = Address::parse_text(&format!("git@{host}:o/r.git"), "ssh").unwrap();
        prop_assert_eq!(a.reach(), Reach::Loopback, "git@{}:o/r.git", host);
    }

    #[test]
    fn every_form_of_the_metadata_address_is_that_service(host in forms(0xa9fe_a9fe)) {
        let a = Address::parse_text(&format!("http://{host}/latest/meta-data/"), "http").unwrap();
        prop_assert_eq!(a.reach(), Reach::Metadata, "{}", host);
        let a = Address::parse_text(&format!("{host}:80"), "http").unwrap();
        prop_assert_eq!(a.reach(), Reach::Metadata, "{}:80", host);
    }
}
