//! Ways in that are left open: logins to hosts whose key is not checked, settings that make other programs run code.
//!
//! In: connections and settings with their properties. Out: findings of the families *transport* and *persistence*.

use super::{Category, Facts, Findings, Rule};
use crate::effect::path::Class;
use crate::effect::{Props, Verb};
use crate::finding::{Confidence, Severity};
use crate::url::{Address, Reach};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "host_key_unchecked",
        title: "Key of the host is not checked",
        severity: Severity::Low,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1557"),
        floor: false,
        description: "The check that tells whether the machine at the other end is the one that is meant is switched off: \
                      anybody on the way can take its place and read passwords and data. Get the host's key once, over a \
                      way that is trusted, or take new keys only (accept-new).",
        remediation: "Use StrictHostKeyChecking=accept-new, or put the host's key into known_hosts.",
        good: &[
            "ssh host",
            "ssh -o StrictHostKeyChecking=accept-new host",
            "ssh -o StrictHostKeyChecking=no localhost",
        ],
        bad: &["ssh -o StrictHostKeyChecking=no host"],
        check: host_key,
    },
    Rule {
        id: "setting_runs_code",
        title: "Setting makes a program run other code",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Persistence,
        mitre: Some("T1546"),
        floor: false,
        description: "A setting for all of a user's repositories or projects names code that a program runs from then on, each \
                      time it is used. Set it for the one project that needs it, after reading what it names.",
        remediation: "Set it for the one project that needs it.",
        good: &["git config user.name x", "git config core.hooksPath .githooks", "git config --global user.name x"],
        bad: &["git config --global core.hooksPath /tmp/x"],
        check: setting,
    },
];

fn host_key(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Connect, Verb::Send, Verb::Fetch]) {
        if !facts.props(e).has(Props::TLS_UNVERIFIED) {
            continue;
        }
        // A host that a data base or a package manager asks is none that one logs in to.
        if !crate::command::logs_in(facts.name(e)) {
            continue;
        }
        let login = |a: &&Address| matches!(a.scheme.as_str(), "" | "ssh" | "scp" | "sftp" | "rsync");
        let Some(a) = facts.address(e).filter(login) else { continue };
        // Names of the local network are where most logins go; a public name is found as a certificate that is not
        // checked.
        if a.reach() == Reach::Private && e.verb == Verb::Connect || !a.is_near() && e.verb != Verb::Connect {
            out.add(rule.about(facts, e).title(format!("{}: {}", rule.title, a.host_shown())).evidence_as(
                "host",
                "could be anybody",
                &a.raw,
                e.place,
            ));
        }
    }
}

fn setting(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Configure]).filter(|e| facts.props(e).has(Props::GLOBAL)) {
        let run = facts.with(&[Verb::Execute, Verb::Evaluate]).find(|x| x.process == e.process);
        let Some(run) = run.filter(|_| !facts.contained(e)) else { continue };
        // Hooks that lie with a user's other settings are that user's own.
        let own =
            |c: Class| matches!(c, Class::Project | Class::HomeContent | Class::HomeDotfile | Class::SystemContent);
        let foreign = facts.path(run).is_some_and(|p| !own(p.class));
        if !foreign {
            continue;
        }
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, e.object.show()))
                .evidence("command_pattern", "is set for everything", facts.command_place(e))
                .evidence("path", "is run from then on", run.place),
        );
    }
}
