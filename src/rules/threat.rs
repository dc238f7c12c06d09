//! What signed threat data says of the addresses and packages that a command uses.
//!
//! In: fetches, sends, clones, connections and installations, and the databases in use. Out: findings of the family
//! *threat data*, each with the source, the source's own number and how fresh that is. Without an address or a package no
//! database is opened; without a database nothing is said.

use super::{Category, Draft, Facts, Findings, Rule};
use crate::effect::{Effect, Object, Verb};
use crate::finding::{Confidence, Severity};
use crate::intel::db::Threat;
use crate::intel::ecosystem;
use crate::intel::indicator::{Indicator, Kind, of_given, of_use};
use crate::intel::store::Hit;
use crate::time;
use crate::url::Reach;
use crate::value::{Piece, Value};

/// A rule of this family. Its examples need a database: they stand in the tests.
const fn rule(
    (id, title, severity): (&'static str, &'static str, Severity),
    (category, mitre): (Category, &'static str),
    (description, remediation): (&'static str, &'static str),
    check: fn(&Facts<'_>, &'static Rule, &mut Findings),
) -> Rule {
    Rule {
        id,
        title,
        severity,
        confidence: Confidence::High,
        category,
        mitre: Some(mitre),
        floor: false,
        description,
        remediation,
        good: &["curl https://example.com/", "pip install requests"],
        bad: &[],
        check,
    }
}

pub(super) const RULES: &[Rule] = &[
    rule(
        ("threat_malicious_package", "Package that is known to be malicious", Severity::Critical),
        (Category::SupplyChain, "T1195.002"),
        (
            "Threat data names this package: it was made, or taken over, to harm whoever installs it. Do not install it; \
             if it is installed already, take the machine's secrets for stolen.",
            "Do not install it; look for the package that was meant.",
        ),
        packages,
    ),
    rule(
        ("threat_malicious_ip", "Address that is known to be malicious", Severity::High),
        (Category::RemoteControl, "T1071"),
        (
            "Threat data names this address: it spreads malware, or controls machines that have it. Do not connect to it.",
            "Do not connect to it.",
        ),
        |f, r, o| addresses(f, r, o, &[Kind::Ip, Kind::Network]),
    ),
    rule(
        ("threat_malicious_url", "URL or host that is known to be malicious", Severity::High),
        (Category::Execution, "T1204.001"),
        (
            "Threat data names this URL or host: it spreads malware, or asks for secrets in another's name. Do not open it.",
            "Do not open it.",
        ),
        |f, r, o| addresses(f, r, o, &[Kind::Url, Kind::Host, Kind::Zone]),
    ),
    rule(
        ("threat_data_unusable", "Threat data cannot be used", Severity::Info),
        (Category::Analysis, "T1562"),
        (
            "There is threat data, but it is refused, so that addresses and packages were not looked up in it. \
             See `shellward threats status`; get it anew with `shellward threats update`.",
            "Look at `shellward threats status`, and get the data anew.",
        ),
        unusable,
    ),
];

/// Verbs that use an address.
const USES: &[Verb] =
    &[Verb::Fetch, Verb::Send, Verb::Clone, Verb::Connect, Verb::Probe, Verb::Install, Verb::Configure];

/// What an installer is given, where all of it is known; a glob (`pkg[extra]`) stays as it is written, since no file has
/// such a name.
fn as_given(value: &Value) -> Option<String> {
    let known = |p: &Piece| matches!(p, Piece::Literal(_) | Piece::Glob(..));
    value.pieces.iter().all(known).then(|| value.show())
}

/// Everything that may be listed of what an effect uses.
fn indicators(facts: &Facts<'_>, e: &Effect) -> Vec<Indicator> {
    let given = match &e.object {
        Object::Package(ecosystem, value) => Some((*ecosystem, value)),
        Object::Named(kind, value) if ecosystem::canonical(kind) == Some(*kind) => Some((*kind, value)),
        _ => None,
    };
    if let Some((ecosystem, value)) = given
        && let Some(spec) = as_given(value)
        && !spec.contains("://")
    {
        return of_given(ecosystem, &spec);
    }
    // What stays on this machine is in no list.
    facts.address(e).filter(|a| !matches!(a.reach(), Reach::Loopback | Reach::Unknown)).map(of_use).unwrap_or_default()
}

/// What the databases say of what an effect uses, and why they could not be asked. Nothing is opened where it uses no
/// address and no package.
pub(super) fn look_up(facts: &Facts<'_>, e: &Effect) -> (Vec<Hit>, Vec<String>) {
    let Some(store) = facts.options.threats.as_deref() else { return Default::default() };
    let named = |kind: &str| ecosystem::canonical(kind) == Some(kind);
    let is_of_use = match &e.object {
        Object::Package(..) => true,
        Object::Named(kind, _) if named(kind) => true,
        _ => facts.address(e).is_some(),
    };
    if !is_of_use || store.opened().is_empty() {
        return Default::default();
    }
    let all = indicators(facts, e);
    if all.is_empty() { Default::default() } else { store.find(&all, time::now()) }
}

fn hits<'f>(facts: &'f Facts<'_>, e: &Effect) -> &'f [Hit] {
    facts.threats(e).map_or(&[], |(hits, _)| hits)
}

fn with_source<'f, 'a>(d: Draft<'f, 'a>, hit: &Hit) -> Draft<'f, 'a> {
    let mut d = d
        .detail("listed", hit.indicator.to_string())
        .detail("as", hit.record.threat.name())
        .detail("source", hit.source.as_str())
        .detail("freshness", hit.freshness(time::now()));
    if let Some(reference) = &hit.reference {
        d = d.detail("reference", reference.as_str());
    }
    d
}

fn packages(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Install, Verb::Fetch]) {
        for hit in
            hits(facts, e).iter().filter(|h| matches!(h.indicator.kind, Kind::Package | Kind::Version | Kind::Versions))
        {
            let name = hit.indicator.key.as_str();
            // Which version would come is not known here.
            let some = hit.indicator.kind == Kind::Versions;
            let title = match some {
                true => format!("Package with malicious versions: {name}"),
                false => format!("{}: {name}", rule.title),
            };
            let mut d = rule.about(facts, e).title(title);
            if some {
                d = d
                    .severity(Severity::Medium)
                    .confidence(Confidence::Medium)
                    .remediation("Give a version that is known to be good.");
            }
            out.add(with_source(d.evidence_as("threat_data", "is listed", e.object.show(), e.place), hit));
        }
    }
}

fn addresses(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, kinds: &[Kind]) {
    for e in facts.with(USES) {
        let hits = hits(facts, e);
        let mut of_kind: Vec<&Hit> = hits.iter().filter(|h| kinds.contains(&h.indicator.kind)).collect();
        of_kind.sort_by_key(|h| std::cmp::Reverse(severity(h.record.threat)));
        // One finding for an address, with everything that is said of it.
        let Some(worst) = of_kind.first() else { continue };
        let title = match worst.record.threat {
            Threat::TorExit => format!("Exit of the Tor network: {}", worst.indicator.key),
            threat => format!("{}: {} ({threat})", rule.title, worst.indicator.key),
        };
        let mut d = rule.about(facts, e).severity(severity(worst.record.threat)).title(title);
        for hit in of_kind.iter().take(8) {
            d = with_source(d.evidence_as("threat_data", "is listed", e.object.show(), e.place), hit);
        }
        out.add(d);
    }
}

/// How bad it is to use what is listed for it.
fn severity(threat: Threat) -> Severity {
    match threat {
        Threat::Malware | Threat::Control | Threat::Package => Severity::Critical,
        Threat::Phishing | Threat::Listed => Severity::High,
        // Whoever is behind it may be honest.
        Threat::TorExit => Severity::Low,
    }
}

fn unusable(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    // Once for a command: it is about the data, not about the address.
    let problem = |e: &Effect| facts.threats(e).and_then(|(_, problems)| problems.first());
    if let Some((e, first)) = facts.with(USES).find_map(|e| Some((e, problem(e)?))) {
        out.add(rule.about(facts, e).title(format!("{}: {first}", rule.title)).evidence_as(
            "threat_data",
            "was not asked",
            first,
            e.place,
        ));
    }
}
