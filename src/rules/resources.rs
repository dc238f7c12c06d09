//! Things with a life of their own: repositories, databases, containers, clusters, clouds, packages.
//!
//! In: effects that grammars state about them. Out: findings of the families *destruction* and *supply-chain*.

use super::grades::graded;
use super::{Category, Facts, Findings, Rule, fix};
use crate::effect::path::Class;
use crate::effect::{Object, Props, Verb};
use crate::finding::{Confidence, Severity};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "vcs_discard",
        title: "Work that is not committed is thrown away",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "Changes or files that are nowhere else are thrown away. Stash or commit them first.",
        remediation: "Stash (git stash -u) or commit first.",
        good: &["git status", "git reset HEAD x", "git checkout main", "git clean -n"],
        bad: &["git reset --hard", "git clean -fdx", "git checkout -- ."],
        check: |f, r, o| graded(f, r, o, Verb::VcsDiscard),
    },
    Rule {
        id: "vcs_rewrite",
        title: "History that others have is replaced",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "History that is published, or that everything hangs on, is replaced or deleted: the work of others may be \
                      lost. Add a commit that undoes the change, or use --force-with-lease.",
        remediation: "Use git revert, or --force-with-lease.",
        good: &["git push", "git push --force-with-lease", "git branch -d x"],
        bad: &["git push --force origin main", "git push -f"],
        check: |f, r, o| graded(f, r, o, Verb::VcsRewrite),
    },
    Rule {
        id: "resource_delete",
        title: "Resources are deleted for good",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "Containers, volumes, machines or cloud resources are deleted with what is in them. List what would go first, \
                      and make sure that there is a copy.",
        remediation: "List what would go first, and make sure that there is a copy.",
        good: &["docker ps -a", "kubectl get pods", "terraform plan"],
        bad: &["terraform destroy -auto-approve", "kubectl delete namespace prod"],
        check: |f, r, o| graded(f, r, o, Verb::ResourceDelete),
    },
    Rule {
        id: "data_delete",
        title: "Data of a database is deleted",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "Rows, tables or whole databases are deleted for good. Make a dump first, and delete with a condition inside a \
                      transaction.",
        remediation: "Make a dump first, and delete with a condition inside a transaction.",
        good: &["psql -c 'select 1'", "redis-cli get x"],
        bad: &["dropdb prod", "redis-cli flushall"],
        check: |f, r, o| graded(f, r, o, Verb::DataDelete),
    },
    Rule {
        id: "signature_unverified",
        title: "Signatures of packages are not checked",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::SupplyChain,
        mitre: Some("T1195.002"),
        floor: false,
        description: "Packages are installed without a check of their signature, so that anyone on the way, or who runs a mirror, can \
                      replace them. Add the key of the repository instead.",
        remediation: "Add the repository's key and leave the check on.",
        good: &["apt-get install -y curl", "pip install requests"],
        bad: &["apt-get install --allow-unauthenticated x", "yum install --nogpgcheck x"],
        check: unsigned,
    },
    Rule {
        id: "archive_extract",
        title: "Archive is unpacked over the system",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::SupplyChain,
        mitre: Some("T1105"),
        floor: false,
        description: "A downloaded archive is unpacked, unread, over the system or a home, where it may replace any file. Unpack it \
                      into a new directory, look at it, then copy what is needed.",
        remediation: "Unpack it into a new directory and look at it first.",
        good: &[
            "curl https://e.example/x.tgz | tar xz",
            "curl -L https://e.example/go.tgz | sudo tar -C /usr/local -xz",
        ],
        bad: &["curl https://e.example/x.tgz | sudo tar xz -C /"],
        check: unpacked,
    },
];

fn unsigned(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    // Lists and sources of packages are what is installed later.
    let mut told = Vec::new();
    for e in facts.with(&[Verb::Install, Verb::Fetch, Verb::Configure, Verb::Connect, Verb::Clone]) {
        let props = facts.props(e);
        let again = e.verb != Verb::Install && told.contains(&e.process);
        if props.has(Props::SIGNATURE_UNVERIFIED) && !again && e.object != Object::None {
            told.push(e.process);
            out.add(
                rule.about(facts, e)
                    .title(format!("{}: {}", rule.title, e.object.show()))
                    .evidence("command_pattern", "leaves the check out", facts.command_place(e))
                    .fix(fix::without(facts, e, Props::SIGNATURE_UNVERIFIED)),
            );
        }
    }
    super::environment::by_kind(facts, rule, out, "signature");
}

fn unpacked(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Extract]) {
        let Some(p) = facts.path(e).filter(|_| !facts.contained(e)) else { continue };
        if !matches!(p.class, Class::Root | Class::SystemDirectory | Class::Home) {
            continue;
        }
        for (from, _) in facts.sources_with(e, &[Verb::Fetch]) {
            out.add(
                rule.about(facts, e)
                    .also(from)
                    .title(format!("{}: {}", rule.title, p.text))
                    .evidence_as("path", "is unpacked over", &p.text, e.place)
                    .evidence("url", "is where it comes from", from.place),
            );
        }
    }
}
