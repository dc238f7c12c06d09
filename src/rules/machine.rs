//! The machine as a whole: power, processes, services, protections, the kernel, rights.
//!
//! In: effects that grammars state, and signals. Out: findings of the families *availability*, *evasion*, *privilege*.

use super::grades::graded;
use super::listed::listed;
use super::{Category, Facts, Findings, Rule};
use crate::effect::graph::Process;
use crate::effect::path::{Class, Mark, Part};
use crate::effect::{Effect, Object, Props, Verb};
use crate::finding::{Confidence, Severity};
use crate::value::{Glob, Piece, Value, Why};
use std::collections::HashSet;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "power_off",
        title: "Machine is halted or restarted",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Availability,
        mitre: Some("T1529"),
        floor: true,
        description: "The machine is switched off, halted, restarted or put to sleep: everything that runs on it ends, this \
                      session included. Let a person do it.",
        remediation: "Let a person do it.",
        good: &["echo shutdown -h now", "uptime", "systemctl status"],
        bad: &["shutdown -h now", "sudo reboot", "systemctl poweroff", "init 0", "halt -f"],
        check: |f, r, o| graded(f, r, o, Verb::Power),
    },
    Rule {
        id: "kill_all",
        title: "Every process is ended",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Availability,
        mitre: Some("T1489"),
        floor: true,
        description: "The signal goes to every process that may be reached, the session and the services included. Name the \
                      process that is meant.",
        remediation: "Name the process that is meant.",
        good: &["ps aux | grep node | awk '{print $2}' | xargs kill", "kill 4242", "kill -9 %1", "pkill -f myserver"],
        bad: &["ps -eo pid= | xargs kill -9", "kill $(ps aux | awk '{print $2}')", "kill -9 -1", "kill -TERM -- -1"],
        check: kill_all,
    },
    Rule {
        id: "fork_bomb",
        title: "Fork bomb",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Availability,
        mitre: Some("T1499.001"),
        floor: true,
        description: "A function starts itself again and again without end, until the machine can start nothing more and has to \
                      be switched off. Give the loop an end.",
        remediation: "Give it an end, and a limit with ulimit -u.",
        good: &[
            "while true; do ./poll & sleep 5; done",
            "for i in 1 2 3; do ./w & done; wait",
            "f() { echo hi; }; f | cat",
        ],
        bad: &[
            "python3 -c 'import os\nwhile True: os.fork()'",
            "while :; do sleep 99 & done",
            ":(){ :|:& };:",
            "bomb() { bomb | bomb & }; bomb",
        ],
        check: fork_bomb,
    },
    Rule {
        id: "resource_abuse",
        title: "Machine is used up",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Availability,
        mitre: Some("T1496"),
        floor: false,
        description: "The program uses the machine's processors or storage without an end of its own. Give it a limit, and run it \
                      where it disturbs nobody.",
        remediation: "Give it a limit (timeout, nice, ulimit).",
        good: &["sleep 1"],
        bad: &[],
        check: exhaust,
    },
    Rule {
        id: "protection_off",
        title: "Protection is switched off",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Evasion,
        mitre: Some("T1562.001"),
        floor: false,
        description: "A protection of the machine, such as its firewall, access control, audit or updates, is switched off. Add \
                      the one exception that is needed instead.",
        remediation: "Add the one exception that is needed.",
        good: &["ufw status", "getenforce", "ufw allow 22"],
        bad: &["setenforce 0", "ufw disable", "iptables -F"],
        check: |f, r, o| {
            graded(f, r, o, Verb::ProtectionOff);
            listed(f, r, o);
        },
    },
    Rule {
        id: "system_disruption",
        title: "Machine may not start or work any more",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Availability,
        mitre: Some("T1495"),
        floor: false,
        description: "Firmware, the entries that the machine starts from, or all of its file systems at once are changed or taken \
                      away: a mistake keeps it from starting or working. Let a person do it who can reach the machine.",
        remediation: "Let a person do it who can reach the machine.",
        good: &["umount /mnt", "efibootmgr -v", "flashrom --version"],
        bad: &["umount -a", "efibootmgr -b 0001 -B", "flashrom -p internal -w x.rom"],
        check: listed,
    },
    Rule {
        id: "gate_override",
        title: "The user's say is taken away",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Evasion,
        mitre: Some("T1562.001"),
        floor: false,
        description: "The command answers a question that this gate asks its user, or takes the gate's hook out of an agent's \
                      settings. Whoever asks must not decide, so no mode and no approval lets it through: the user runs it in a \
                      terminal of their own.",
        remediation: "Tell the user what is wanted and why; they can run it in a terminal of their own.",
        good: &["shellward approvals list", "shellward hook list", "shellward hook install claude", "shellward status"],
        bad: &["shellward approvals approve 7 0123456789abcdef", "shellward hook uninstall claude"],
        check: |f, r, o| guard(f, r, o, false),
    },
    Rule {
        id: "hook_test",
        title: "Harmless test of the hooks",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Evasion,
        mitre: None,
        floor: true,
        description: "Nothing is wrong with this command: it prints one line. Every working hook stops it, so that a hook can be \
                      tried without harm. That it was stopped means that the hook works.",
        remediation: "Nothing has to be done: the hook works.",
        good: &["shellward doctor"],
        bad: &["shellward canary"],
        check: |f, r, o| guard(f, r, o, true),
    },
    Rule {
        id: "service_stop",
        title: "Service is stopped",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Availability,
        mitre: Some("T1489"),
        floor: false,
        description: "A service is stopped or kept from starting: what it serves is gone for everybody who uses it. Restart or \
                      reload it where that is enough.",
        remediation: "Restart or reload it where that is enough.",
        good: &["systemctl status nginx", "systemctl start nginx", "systemctl reload nginx"],
        bad: &["systemctl stop nginx redis", "systemctl mask x"],
        check: service_stop,
    },
    Rule {
        id: "sudo_password_stdin",
        title: "Password is piped to become root",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Privilege,
        mitre: Some("T1548.003"),
        floor: true,
        description: "A password is given through standard input to become another user: it stands in the command, in the history \
                      and in the list of processes, and nobody was asked. Let a person type it, or allow the one command.",
        remediation: "Let a person type it, or allow the one command in sudoers.",
        good: &["sudo ls", "sudo -n true"],
        bad: &["echo hunter2 | sudo -S ls", "sudo -S ls <<< hunter2"],
        check: password_stdin,
    },
    Rule {
        id: "setuid_set",
        title: "Program runs with its owner's rights",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Privilege,
        mitre: Some("T1548.001"),
        floor: false,
        description: "Whoever runs the file then runs it with the rights of its owner, often root: a way back in that is easily \
                      overlooked. Allow the one command in sudoers instead.",
        remediation: "Allow the one command in sudoers instead.",
        good: &["chmod 755 x", "chmod g+w x", "find . -type d -exec chmod g+s {} +"],
        bad: &["chmod u+s /tmp/sh", "chmod 4755 x", "chmod g+s x", "install -m 4755 x /usr/local/bin/x"],
        check: setuid,
    },
    Rule {
        id: "privilege_gain",
        title: "Rights are given",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Privilege,
        mitre: Some("T1548"),
        floor: false,
        description: "A program or user gets rights that go past its own. Give the one right that is needed, to the one program \
                      that needs it.",
        remediation: "Give the one right that is needed.",
        good: &["id", "groups"],
        bad: &["setcap cap_setuid+ep ./x"],
        check: |f, r, o| graded(f, r, o, Verb::Privilege),
    },
    Rule {
        id: "kernel_change",
        title: "Kernel is changed",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Privilege,
        mitre: Some("T1547.006"),
        floor: false,
        description: "Code is loaded into the kernel, or the way it works is changed, for every program on the machine. Let a \
                      person do it.",
        remediation: "Let a person do it.",
        good: &["lsmod", "sysctl -a", "uname -r"],
        bad: &["insmod x.ko"],
        check: |f, r, o| graded(f, r, o, Verb::Kernel),
    },
    Rule {
        id: "container_escape",
        title: "Container gets the machine",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Privilege,
        mitre: Some("T1611"),
        floor: false,
        description: "A container is started with the machine's own file system, devices or daemon in its hands: what runs in it \
                      is root on the machine. Mount the one directory that is needed, and drop the rest.",
        remediation: "Mount the one directory that is needed; leave --privileged out.",
        good: &["docker run --rm -v \"$PWD\":/src alpine ls", "docker run -v data:/data x"],
        bad: &["docker run -v /:/host alpine chroot /host", "docker run --privileged alpine sh"],
        check: container_escape,
    },
];

fn kill_all(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Kill]).filter(|e| !facts.contained(e)) {
        let value = e.object.value();
        let everything =
            value.is_some_and(|v| v.as_str().is_some_and(|v| v.trim() == "-1") || names_every_process(facts, v, e));
        let stated = matches!(e.object, Object::Stated(_)) && facts.props(e).has(Props::ALL);
        if everything || stated {
            out.add(rule.about(facts, e).title(format!("{}: {}", rule.title, facts.name(e))).evidence(
                "command_pattern",
                "reaches every process",
                facts.command_place(e),
            ));
        }
    }
}

/// The directory in which the kernel shows processes.
const PROCESSES: &str = "proc";

/// `$(ps -eo pid=)`, `/proc/[0-9]*`: the numbers of all processes, as they are listed.
fn names_every_process(facts: &Facts<'_>, v: &Value, e: &Effect) -> bool {
    v.pieces.iter().any(|p| match p {
        Piece::Unknown(u) => match &u.why {
            Why::Near(place) => {
                let p = facts.resolve(place, e);
                let open = |rest: &[Part]| rest.is_empty() || matches!(rest, [one] if !one.is_known());
                p.parts.split_first().is_some_and(|(first, rest)| first.show() == PROCESSES && open(rest))
            }
            _ => false,
        },
        // `kill ${p#/proc/}` for each of `/proc/[0-9]*`
        Piece::Glob(g, _) => *g == Glob::Star && v.pieces.iter().all(|p| matches!(p, Piece::Glob(..))),
        _ => false,
    })
}

fn is_bomb(e: &Effect) -> bool {
    // The interpreter names the function that starts itself; grammars state what their program does.
    matches!(e.object, Object::Named(..))
}

fn fork_bomb(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let mut seen = HashSet::new();
    for e in facts.with(&[Verb::Exhaust]).filter(|e| is_bomb(e)) {
        // It is defined in one place, and called in another and by itself.
        if !seen.insert(e.object.show()) {
            continue;
        }
        out.add(rule.about(facts, e).title(format!("{}: {}", rule.title, e.object.show())).evidence(
            "command_pattern",
            "starts itself without end",
            e.place,
        ));
    }
}

fn exhaust(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    listed(facts, rule, out);
    for e in facts.with(&[Verb::Exhaust]).filter(|e| !is_bomb(e)) {
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, facts.name(e)))
                .evidence("command_pattern", "uses the machine up", facts.command_place(e))
                .detail("what", e.object.show()),
        );
    }
}

/// What is done to this gate itself: its harmless test, or all the rest.
fn guard(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, test: bool) {
    for e in facts.with(&[Verb::Guard]).filter(|e| matches!(e.object, Object::Stated("canary")) == test) {
        let Some((severity, floor, why)) = super::grades::of(facts, e) else { continue };
        out.add(
            rule.about(facts, e)
                .severity(severity)
                .floor(floor)
                .title(format!("{}: {}", rule.title, facts.name(e)))
                .evidence("command_pattern", why, facts.command_place(e)),
        );
    }
}

fn service_stop(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let stopped = facts.with(&[Verb::Service]).filter(|e| facts.props(e).has(Props::STOP) && !facts.contained(e));
    let units: HashSet<String> = stopped.map(|e| e.object.show()).collect();
    for e in facts.with(&[Verb::Service]).filter(|e| !facts.contained(e)) {
        let props = facts.props(e);
        // What stops and starts again is a restart.
        let stops = props.has(Props::STOP) && !props.has(Props::START);
        if stops || props.has(Props::DISABLE) && !props.has(Props::ENABLE) {
            // What only no longer starts by itself serves on until somebody stops it.
            // So does what a program does with its own server (`pg_ctl stop`), or a user's session.
            let named = !matches!(e.object, Object::Stated(_));
            // What is masked is not started by anything any more.
            let masked = props.has(Props::DISABLE) && props.has(Props::FORCE);
            // One that is stopped by its name is started again by its name.
            let one = facts.path(e).is_none() && e.object.value().is_some_and(|v| v.is_known()) && units.len() == 1;
            let serious = named && (masked || (stops && !one));
            let severity = if serious { rule.severity } else { Severity::Info };
            out.add(
                rule.about(facts, e).severity(severity).title(format!("{}: {}", rule.title, e.object.show())).evidence(
                    "command_pattern",
                    "stops it",
                    facts.command_place(e),
                ),
            );
        }
    }
}

fn password_stdin(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for p in facts.graph.processes.iter().filter(|p| p.props.has(Props::PASSWORD_STDIN)) {
        let mut d = rule.at(facts, p.place).title(format!("{}: {}", rule.title, p.name)).evidence(
            "command_pattern",
            "reads the password from standard input",
            p.place,
        );
        if let Some(stdin) = p.stdin.as_ref().filter(|v| !v.pieces.is_empty()) {
            d = d.evidence_as("text", "gives it", "[password]", stdin.place());
        }
        out.add(d);
    }
}

fn setuid(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Mode, Verb::Write, Verb::Create]) {
        let (owner, group) = (e.props.has(Props::SETUID), e.props.has(Props::SETGID));
        let Some(p) = facts.path(e).filter(|_| (owner || group) && !facts.contained(e)) else { continue };
        // On directories the group's bit only says whose new files are: `find . -type d -exec chmod g+s {} +`.
        let many = facts.is_filtered(e)
            || facts.spares_little(e)
            || p.class == Class::Unknown
            || e.props.has(Props::RECURSIVE);
        if !owner && many {
            continue;
        }
        // Where nothing says that it is a program, it is such a directory.
        let program = || {
            let laid = facts.with(&[Verb::Write, Verb::Append, Verb::Update]).filter_map(|w| facts.path(w));
            e.verb == Verb::Write
                || p.class == Class::Temporary
                || p.marks.any(&[Mark::Program, Mark::SearchPath])
                || laid.into_iter().any(|w| w.text == p.text)
        };
        let severity = match owner {
            true => rule.severity,
            false if program() => Severity::Medium,
            false => Severity::Info,
        };
        out.add(rule.about(facts, e).severity(severity).title(format!("{}: {}", rule.title, p.text)).evidence_as(
            "path",
            "runs with the rights of its owner or group",
            &p.text,
            e.place,
        ));
    }
}

fn container_escape(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Mount]) {
        let Object::Named("volume", v) = &e.object else { continue };
        // HOST:CONTAINER[:OPTIONS]; a name without a slash is a volume of the daemon's own.
        let (host, _) = split_volume(v);
        let p = facts.resolve(&host, e);
        let whole =
            matches!(p.class, Class::Root | Class::SystemDirectory | Class::Home | Class::Homes | Class::Device);
        let socket = p.marks.has(Mark::ContainerSocket);
        if p.parts.is_empty() && p.class != Class::Root && p.class != Class::Home || !(whole || socket) {
            continue;
        }
        let severity = if p.class == Class::Root { rule.severity } else { Severity::Medium };
        out.add(rule.about(facts, e).severity(severity).title(format!("{}: {}", rule.title, p.text)).evidence_as(
            "path",
            "is given to it",
            &p.text,
            e.place,
        ));
    }
    // Orders to the daemon that go past its client: whoever gives them is root on the machine.
    for e in facts.with(&[Verb::Send]) {
        let Object::Socket(place, _) = &e.object else { continue };
        let p = facts.resolve(place, e);
        if p.marks.has(Mark::ContainerSocket) && !facts.contained(e) {
            out.add(
                rule.about(facts, e)
                    .severity(Severity::Medium)
                    .title(format!("{}: orders to {}", rule.title, p.text))
                    .evidence_as("path", "does what it is told, as root", &p.text, e.place),
            );
        }
    }
    // What runs in such a container has its rights from there.
    let privileged = |p: &&Process| p.props.has(Props::PRIVILEGED);
    let inner = |p: &&Process| p.parent.and_then(|id| facts.graph.process(id)).is_some_and(|o| privileged(&o));
    for p in facts.graph.processes.iter().filter(|p| privileged(p) && !inner(p)) {
        out.add(
            rule.at(facts, p.place)
                .severity(Severity::Medium)
                .title(format!("{}: {} --privileged", rule.title, p.name))
                .evidence("command_pattern", "has all rights of the machine", p.place),
        );
    }
}

/// The part of a volume before the first colon, and what follows.
fn split_volume(v: &crate::value::Value) -> (crate::value::Value, bool) {
    let mut out = crate::value::Value::default();
    for p in &v.pieces {
        if let crate::value::Piece::Literal(l) = p
            && let Some(i) = l.bytes.iter().position(|b| *b == b':')
        {
            let head = l.bytes.get(..i).unwrap_or_default();
            if !head.is_empty() {
                out.push(crate::value::Value::computed(head, l.from, l.taint.clone()));
            }
            return (out, true);
        }
        out.push_piece(p.clone());
    }
    (out, false)
}
