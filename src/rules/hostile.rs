//! Kinds of doings that attacks consist of and honest work seldom needs, as `grammars/lists/things.list` names them.
//!
//! In: effects that grammars state, names of programs and files. Out: findings of the families *persistence*,
//! *privilege*, *credentials*, *evasion*, *exfiltration* and *remote-control*. What many do for good reasons is a low one.

use super::listed::{is_listed, listed};
use super::{Category, Facts, Findings, Rule};
use crate::effect::{Object, Verb};
use crate::finding::{Confidence, Severity};
use crate::value::{Piece, Value, Why};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "attack_tool",
        title: "Tool for attacks",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::RemoteControl,
        mitre: Some("T1588.002"),
        floor: false,
        description: "The program is known for breaking into machines, taking passwords or searching for ways to more \
                      rights. On a machine of one's own, or with its owner's leave, let a person run it.",
        remediation: "Let a person run it, with the leave of the machine's owner.",
        good: &["echo mimikatz", "man nmap", "grep linpeas notes.txt"],
        bad: &["./linpeas.sh", "sh /opt/LinEnum.sh", "git clone https://github.com/gentilkiwi/mimikatz"],
        check: listed,
    },
    Rule {
        id: "autostart_setting",
        title: "Setting makes code run by itself",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Persistence,
        mitre: Some("T1547.001"),
        floor: false,
        description: "A key of the registry, a setting or a subscription is set that makes the system run a program at login, \
                      at boot or on events, long after this command. Make sure that what it names is meant to run by \
                      itself.",
        remediation: "Show what would run to the person whose machine it is, first.",
        good: &[
            "reg query HKCU\\\\Software\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\Run",
            "defaults read com.apple.dock",
        ],
        bad: &[
            "reg add HKCU\\\\Software\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\Run /v x /d 'C:\\x.exe' /f",
            "defaults write com.apple.loginwindow LoginHook /tmp/x.sh",
        ],
        check: listed,
    },
    Rule {
        id: "credential_store_access",
        title: "Secrets are taken from a store",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Credentials,
        mitre: Some("T1555"),
        floor: false,
        description: "Passwords, keys or hashes are asked from the store that keeps them, and shown or written in clear. Let the \
                      program that needs the secret ask for it itself.",
        remediation: "Let the program that needs the secret ask for it itself.",
        good: &["security list-keychains", "kubectl get pods", "reg query HKLM\\\\Software"],
        bad: &["security dump-keychain -d login.keychain", "reg save 'HKLM\\sam' sam.hiv"],
        check: listed,
    },
    Rule {
        id: "account_change",
        title: "Account or its rights change",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Privilege,
        mitre: Some("T1136"),
        floor: false,
        description: "An account is made, opened, or put among those who administer the machine or the cloud: a way in that \
                      stays. Let the person who answers for the accounts do it.",
        remediation: "Let the person who answers for the accounts do it.",
        good: &["id root", "net user", "aws iam list-users", "passwd", "sudo passwd bob"],
        bad: &["net user evil P4ss /add", "aws iam create-access-key --user-name admin", "yes x | passwd root"],
        check: |f, r, o| {
            listed(f, r, o);
            password_fed(f, r, o);
        },
    },
    Rule {
        id: "proxy_execution",
        title: "Program of the system runs foreign code",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Execution,
        mitre: Some("T1218"),
        floor: false,
        description: "A program that belongs to the system is made to load or run code that was given to it, which passes the \
                      checks that a program of its own would meet. Run the program itself.",
        remediation: "Run the program itself, after looking at it.",
        good: &["msbuild app.sln", "certutil -hashfile x.zip SHA256"],
        bad: &["regsvr32 /s x.dll", "mshta https://e.example/a.hta"],
        check: listed,
    },
    Rule {
        id: "remote_execution",
        title: "Command is run on another machine",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::RemoteControl,
        mitre: Some("T1021"),
        floor: false,
        description: "A command is run on another machine of the network by its management services, or such a service is \
                      opened. Make sure that the machine is meant, and that its owner knows.",
        remediation: "Make sure that the machine is meant, and that its owner knows.",
        good: &["ssh host uptime", "wmic os get caption"],
        bad: &["psexec '\\\\host' cmd.exe", "wmic /node:host process call create calc.exe"],
        check: listed,
    },
    Rule {
        id: "capture",
        title: "What people do is recorded",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Credentials,
        mitre: Some("T1056"),
        floor: false,
        description: "Keys, the screen, sound or passwords that somebody types are recorded. Whoever sits at the machine should \
                      know of it.",
        remediation: "Ask the person who sits at the machine.",
        good: &["xinput list", "echo screenshot"],
        bad: &["logkeys --start", "xinput test 8", "trap 'echo \"$BASH_COMMAND\" >> /tmp/x' DEBUG"],
        check: |f, r, o| {
            listed(f, r, o);
            commands_recorded(f, r, o);
        },
    },
    Rule {
        id: "trust_change",
        title: "What the machine trusts changes",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Evasion,
        mitre: Some("T1553"),
        floor: false,
        description: "Certificates, signatures or marks of origin that the machine goes by are added, removed or no longer \
                      checked: what comes from anybody may then pass for trusted. Trust the one thing that is needed, after \
                      checking where it is from.",
        remediation: "Check where it is from, and trust that one thing only.",
        good: &["security find-identity -v", "xattr -l x.app"],
        bad: &["security add-trusted-cert -d -r trustRoot x.crt", "certutil -addstore Root x.cer"],
        check: listed,
    },
    Rule {
        id: "hidden_thing",
        title: "Something is hidden",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Evasion,
        mitre: Some("T1564"),
        floor: false,
        description: "A file, account or window is made to be overlooked. Leave it where its owner sees it.",
        remediation: "Leave it where its owner sees it.",
        good: &["attrib x.txt", "dscl . -list /Users"],
        bad: &["attrib +h x.txt", "chflags hidden x"],
        check: listed,
    },
    Rule {
        id: "tunnel_program",
        title: "Program opens the machine to the outside",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::RemoteControl,
        mitre: Some("T1572"),
        floor: false,
        description: "A program is run that leads connections from outside through walls to this machine or its network, or \
                      lets somebody else see and drive it. Close it when it is no longer needed, and let its owner know.",
        remediation: "Ask the network's owner; close it when it is no longer needed.",
        good: &["ssh -L 8080:localhost:80 host", "curl https://ngrok.com"],
        bad: &["chisel client e.example:8000 R:socks", "cloudflared tunnel --url http://localhost:22"],
        check: listed,
    },
];

/// The password of root, or of whoever runs it, is set without anybody typing it.
fn password_fed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Account]).filter(|e| !facts.contained(e)) {
        let own = match &e.object {
            Object::Stated(what) => *what == "own-password",
            Object::Named("password", user) => user.as_str().is_some_and(|u| u == "root"),
            _ => false,
        };
        let fed = facts.process(e).and_then(|p| p.stdin.as_ref()).filter(|v| own && !v.pieces.is_empty());
        let Some(fed) = fed else { continue };
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, facts.name(e)))
                .evidence("command_pattern", "sets a password", facts.command_place(e))
                .evidence_as("text", "gives it", "[password]", fed.place()),
        );
    }
}

/// Every command that is typed goes into a file or to somebody: code that the shell runs before each of them.
fn commands_recorded(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let typed = |v: &Value| {
        let is = |p: &Piece| matches!(p, Piece::Unknown(u) if matches!(&u.why, Why::Environment(n) if is_listed(rule.id, "variable", n)));
        v.pieces.iter().any(is)
    };
    for hook in facts.with(&[Verb::Interact]).filter(|e| matches!(e.object, Object::Stated("debug-hook"))) {
        let inside = |p: &crate::effect::graph::Process| facts.lineage(p.id).any(|q| q.id == hook.process);
        let keeps = [Verb::Write, Verb::Append, Verb::Send, Verb::Connect];
        let kept = facts.with(&keeps).find(|e| {
            facts.process(e).is_some_and(|p| {
                inside(p)
                    && (p.argv.iter().any(typed)
                        || p.stdin.as_ref().is_some_and(typed)
                        || e.object.value().is_some_and(typed))
            })
        });
        if let Some(kept) = kept {
            out.add(
                rule.about(facts, kept)
                    .title(format!("{}: {}", rule.title, kept.object.show()))
                    .evidence("command_pattern", "runs before every command", facts.command_place(hook))
                    .evidence("flow", "keeps what is typed", facts.command_place(kept)),
            );
        }
    }
}
