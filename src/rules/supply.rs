//! Software that comes past the registries: packages from an address, charts and manifests, repositories whose programs
//! are run as soon as they are there.
//!
//! In: installations, clones and fetches with what their processes do besides. Out: findings of the family
//! *supply-chain*. What a registry serves by its name is no finding here.

use super::facts::{Power, Reaching, power};
use super::listed::is_listed;
use super::{Category, Facts, Findings, Rule};
use crate::effect::{Effect, Object, Props, Verb};
use crate::finding::{Confidence, Severity};
use crate::url::{Address, Reach};
use crate::value::{Piece, Value, Why};
use std::collections::HashSet;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "foreign_package",
        title: "Package from an address",
        severity: Severity::Low,
        confidence: Confidence::High,
        category: Category::SupplyChain,
        mitre: Some("T1195.001"),
        floor: false,
        description: "A package is installed or run straight from an address, past the registry: nobody has looked at it, its \
                      content may change from one day to the next, and its scripts run with your rights. Install it from the \
                      registry, or pin the address to a commit or a checksum and read it first.",
        remediation: "Install it from the registry, or pin a commit or checksum and read it first.",
        good: &[
            "npm i express",
            "pip install requests",
            "pip install -e .",
            "cargo install ripgrep",
            "go install ./...",
        ],
        bad: &[
            "npm i https://e.example/p.tgz",
            "pip install https://e.example/p.tar.gz",
            "nix run github:o/r",
            "cargo install --git https://e.example/x",
        ],
        check: foreign_package,
    },
    Rule {
        id: "remote_manifest",
        title: "Manifest from an address is applied",
        severity: Severity::Low,
        confidence: Confidence::High,
        category: Category::SupplyChain,
        mitre: Some("T1610"),
        floor: false,
        description: "A manifest or chart is put to work in a cluster straight from an address, unread: it may start anything \
                      with any rights. Download it, read it, then apply the file.",
        remediation: "Download it, read it, then apply the file.",
        good: &["kubectl apply -f m.yaml", "helm install x ./chart", "helm install x repo/chart"],
        bad: &[
            "curl -s https://e.example/m.yaml | kubectl apply -f -",
            "kubectl apply -f https://e.example/m.yaml",
            "helm install x https://e.example/c.tgz",
        ],
        check: remote_manifest,
    },
    Rule {
        id: "clone_executed",
        title: "Program of a cloned repository is run",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::SupplyChain,
        mitre: Some("T1195.002"),
        floor: false,
        description: "A repository is cloned, and a program in it is run at once, unread. Look at the program before it is run, \
                      and pin the commit that was looked at.",
        remediation: "Read the program before it is run, and pin the commit.",
        good: &["git clone https://e.example/r.git && cd r && ls", "cd r && ./install.sh"],
        bad: &[
            "git clone https://e.example/r.git && cd r && ./install.sh",
            "git clone https://e.example/r.git; sh r/install.sh",
            "ansible-pull -U https://e.example/r.git",
        ],
        check: clone_executed,
    },
];

/// Addresses that no registry stands behind.
fn is_foreign(a: &Address) -> bool {
    !a.is_near() && a.reach() != Reach::Unknown
}

/// True for `github:owner/repo` and `owner/repo`, false for the name of a directory.
fn is_short_name(v: &Value) -> bool {
    v.as_str().is_some_and(|t| t.contains([':', '/']))
}

fn same_process<'s, 'a>(facts: &'s Facts<'a>, e: &Effect, verbs: &'s [Verb]) -> impl Iterator<Item = &'a Effect> + 's {
    let by = e.process;
    facts.with(verbs).filter(move |o| o.process == by)
}

fn foreign_package(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Install, Verb::Clone, Verb::Fetch]) {
        // A clone is one for a package where the program says so (`cargo install --git`).
        let own = if e.verb == Verb::Fetch { e.props } else { facts.props(e) };
        if !own.has(Props::FROM_URL) || facts.contained(e) {
            continue;
        }
        let raw = match facts.address(e) {
            // What sets up a distributor's own packages comes from the distributor.
            Some(a) if a.scheme == "https" && is_listed(rule.id, "distributor", &a.host_shown()) => continue,
            Some(a) if is_foreign(a) => a.raw.clone(),
            Some(a) if a.is_near() && a.raw.contains("://") => continue,
            // `github:owner/repo`: a forge by its short name.
            // A plain name is a directory that lies here.
            _ if e.props.has(Props::FROM_URL) && e.object.value().is_some_and(is_short_name) => e.object.show(),
            _ => continue,
        };
        out.add(rule.about(facts, e).title(format!("{}: {raw}", rule.title)).evidence_as(
            "url",
            "is installed",
            &raw,
            e.place,
        ));
    }
}

fn remote_manifest(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    // `curl u | kubectl apply -f -`
    for change in facts.with(&[Verb::ResourceChange]).filter(|c| matches!(c.object, Object::Stated("cluster"))) {
        let Some(given) = facts.process(change).and_then(|p| p.stdin.as_ref()) else { continue };
        let got = |r: &Reaching| facts.graph.effect(r.from).filter(|f| f.verb == Verb::Fetch);
        let Some(from) = facts.sources_of(given).iter().find_map(got) else { continue };
        let Some(a) = facts.address(from).filter(|a| is_foreign(a)) else { continue };
        out.add(
            rule.about(facts, change)
                .also(from)
                .title(format!("{}: {}", rule.title, a.raw))
                .evidence_as("url", "is applied", &a.raw, from.place)
                .evidence("command_pattern", "changes the cluster", facts.command_place(change)),
        );
    }
    for e in facts.with(&[Verb::Fetch]) {
        let Some(a) = facts.address(e).filter(|a| is_foreign(a)) else { continue };
        let Some(change) = same_process(facts, e, &[Verb::ResourceChange]).next() else { continue };
        if !matches!(change.object, Object::Stated("cluster")) {
            continue;
        }
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, a.raw))
                .evidence_as("url", "is applied", &a.raw, e.place)
                .evidence("command_pattern", "changes the cluster", facts.command_place(change)),
        );
    }
}

/// True for a file of a shell's or another full language that is run and whose text is not known.
fn is_unread_script(e: &Effect) -> bool {
    let from_file = |p: &Piece| matches!(p, Piece::Unknown(u) if matches!(u.why, Why::File(_)));
    match &e.object {
        Object::Code(language, v) => power(*language) == Power::Full && v.pieces.iter().any(from_file),
        _ => false,
    }
}

fn clone_executed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Clone]) {
        let Some(a) = facts.address(e).filter(|a| !a.is_near() && !facts.props(e).has(Props::FROM_URL)) else {
            continue;
        };
        let own = same_process(facts, e, &[Verb::Evaluate]).find(|o| matches!(o.object, Object::Stated(_)));
        let place = same_process(facts, e, &[Verb::Create]).find_map(|c| facts.path(c)).map(|p| p.text.as_str());
        let inside = |x: &&Effect| {
            let below = |dir: &str| facts.path(x)?.text.strip_prefix(dir)?.strip_prefix('/');
            place.is_some_and(|dir| !dir.is_empty() && below(dir).is_some())
        };
        let run = facts.with(&[Verb::Execute]).filter(|x| x.id > e.id).find(inside);
        // `sh r/install.sh`: an interpreter is given a script that came with it.
        let given = || {
            let by: HashSet<_> = facts.with(&[Verb::Read]).filter(inside).map(|r| r.process).collect();
            let script = |x: &&Effect| x.id > e.id && by.contains(&x.process) && is_unread_script(x);
            facts.with(&[Verb::Evaluate]).find(script)
        };
        let Some(run) = own.or(run).or_else(given) else { continue };
        out.add(
            rule.about(facts, e)
                .also_at(facts.command_place(run))
                .also(run)
                .title(format!("{}: {}", rule.title, a.raw))
                .evidence_as("url", "is cloned", &a.raw, e.place)
                .evidence("command_pattern", "runs what is in it", facts.command_place(run)),
        );
    }
}
