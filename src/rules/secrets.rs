//! Keys, tokens, passwords: read, swept together, or written into the command itself.
//!
//! In: reads of files that are marked as secret, words of commands. Out: findings of the family *credentials*.

use super::{Category, Facts, Findings, Rule};
use crate::effect::Verb;
use crate::effect::path::{Class, Mark};
use crate::finding::{Confidence, Severity};
use crate::redact;
use crate::source::Place;
use std::collections::HashSet;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "credential_file_sweep",
        title: "Several stores of secrets are read",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Credentials,
        mitre: Some("T1552.001"),
        floor: false,
        description: "One command reads several stores of secrets that have nothing to do with each other, which is what a search \
                      for secrets looks like. Read the one that is needed.",
        remediation: "Read the one that is needed.",
        good: &["cat ~/.ssh/config", "cat .env"],
        bad: &["cat ~/.ssh/id_rsa ~/.aws/credentials ~/.netrc"],
        check: sweep,
    },
    Rule {
        id: "credential_file_read",
        title: "Store of secrets is read",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Credentials,
        mitre: Some("T1552.001"),
        floor: false,
        description: "A file is read that holds keys, tokens or password hashes, and its content is shown or passed on. Let the \
                      program that needs the secret read it itself.",
        remediation: "Let the program that needs the secret read it itself.",
        good: &[
            "cat ~/.ssh/id_rsa.pub",
            "cat .env",
            "ls -la ~/.ssh",
            "ssh -i ~/.ssh/id_rsa host",
            "chmod 600 ~/.ssh/id_rsa",
        ],
        bad: &["cat /etc/shadow", "cat ~/.ssh/id_rsa", "base64 ~/.aws/credentials"],
        check: read,
    },
    Rule {
        id: "proc_mem_access",
        title: "Memory of another process is read",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Credentials,
        mitre: Some("T1003.007"),
        floor: false,
        description: "Memory or environment of another process, or of the kernel, is read or written: it holds keys and passwords in \
                      clear. Use a debugger on a process of one's own.",
        remediation: "Use a debugger on a process of your own.",
        good: &["cat /proc/cpuinfo", "cat /proc/self/status"],
        bad: &["cat /proc/1/environ", "strings /proc/4242/mem", "dd if=/dev/mem of=x"],
        check: process_memory,
    },
    Rule {
        id: "credential_in_text",
        title: "Secret stands in the command",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::Credentials,
        mitre: Some("T1552.003"),
        floor: false,
        description: "A token or key of a known shape stands in the command itself, where the history, logs and the list of \
                      processes keep it. Put it into a file or variable that only you can read, and change it.",
        remediation: "Put it into a file or variable that only you can read, and change it.",
        good: &["curl -H \"Authorization: Bearer $TOKEN\" https://api.example/", "echo AKIAXXXXXXXXXXXXXXXX"],
        bad: &["aws configure set aws_access_key_id AKIAIOSFODNN7EXAMPL0"],
        check: in_text,
    },
    Rule {
        id: "private_key_exposed",
        title: "Private key stands in the command",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Credentials,
        mitre: Some("T1552.004"),
        floor: false,
        description: "A private key stands in the command itself, where the history and logs keep it. Put it into a file that only \
                      you can read, and replace the key.",
        remediation: "Put it into a file that only you can read, and replace the key.",
        good: &["grep -r 'BEGIN PRIVATE KEY' ."],
        bad: &[],
        check: private_key,
    },
];

fn sweep(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let mut places = HashSet::new();
    let mut reads = Vec::new();
    for e in facts.with(&[Verb::Read]) {
        let Some(p) = facts.path(e).filter(|p| p.marks.has(Mark::Credential) && p.class != Class::Project) else {
            continue;
        };
        // Two files of one store are one store.
        let store = p.text.rsplit_once('/').map_or(p.text.as_str(), |(dir, _)| dir).to_string();
        let store = if store.starts_with("~") && store.len() <= 1 { p.text.clone() } else { store };
        if places.insert(store) {
            reads.push(e);
        }
    }
    if reads.len() < 3 {
        return;
    }
    let Some(first) = reads.first() else { return };
    let mut d = rule.about(facts, first).title(format!("{} ({})", rule.title, reads.len()));
    for e in reads.iter().take(8) {
        d = d.also(e).evidence("path", "is read", e.place);
    }
    out.add(d);
}

fn read(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Read]) {
        let Some(p) = facts.path(e).filter(|p| p.marks.has(Mark::Credential)) else { continue };
        // What lies in a container is its own, and rarely a person's.
        let severity = if facts.contained(e) { Severity::Low } else { rule.severity };
        // Secrets of the project itself are its own business, and so are files that a program only uses.
        if matches!(p.class, Class::Project | Class::Unknown | Class::Temporary) || !facts.is_passed_on(e) {
            continue;
        }
        out.add(rule.about(facts, e).severity(severity).title(format!("{}: {}", rule.title, p.text)).evidence_as(
            "path",
            p.what.unwrap_or("is read"),
            &p.text,
            e.place,
        ));
    }
}

fn process_memory(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Read, Verb::Write, Verb::Append, Verb::Update]) {
        let Some(p) = facts.path(e).filter(|p| p.marks.has(Mark::ProcessMemory) && !facts.contained(e)) else {
            continue;
        };
        // A process that reads its own environment does what `env` does.
        let own = e.verb == Verb::Read && p.text == "/proc/self/environ";
        out.add(
            rule.about(facts, e)
                .severity(if own { Severity::Info } else { rule.severity })
                .title(format!("{}: {}", rule.title, p.text))
                .evidence_as("path", p.what.unwrap_or("is read"), &p.text, e.place),
        );
    }
}

/// A secret that stands in a word of a command: the place of the command, its kind, its own place.
pub(super) type Written = (Place, &'static str, Place);

/// Every secret that stands in a word of a command.
pub(super) fn in_words(facts: &Facts<'_>) -> Vec<Written> {
    let mut out = Vec::new();
    for p in &facts.graph.processes {
        for w in p.argv.iter().skip(1).chain(p.stdin.as_ref()) {
            // Secrets stand in the text; what was computed shows them once more.
            for piece in &w.pieces {
                let crate::value::Piece::Literal(l) = piece else { continue };
                if l.bytes.len() < 16 || !l.taint.is_empty() {
                    continue;
                }
                out.extend(redact::secrets(&l.bytes).into_iter().map(|s| (p.place, s.kind, l.from)));
            }
        }
    }
    out
}

fn in_text(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (command, kind, place) in facts.written_secrets() {
        // Passwords in addresses and headers are too often examples; private keys have a rule of their own.
        if !matches!(*kind, "private-key" | "url-password" | "authorization" | "json-web-token") {
            let title = format!("{}: {kind}", rule.title);
            out.add(rule.at(facts, *command).title(title).evidence("text", "holds it", *place));
        }
    }
}

fn private_key(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (command, _, place) in facts.written_secrets().iter().filter(|(_, kind, _)| *kind == "private-key") {
        out.add(rule.at(facts, *command).title(rule.title).evidence("text", "holds it", *place));
    }
}
