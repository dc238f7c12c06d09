//! Packages whose names are nearly those of widely used ones.
//!
//! In: installations of packages. Out: the rule `package_typosquat`. The lists and the steps between names stand in
//! `intel`; addresses that are installed from are judged with the look-alikes.

use super::{Category, Facts, Findings, Rule, fix};
use crate::effect::{Object, Verb};
use crate::finding::{Confidence, Severity};
use crate::intel::names::{name_of, nearly};
use crate::value::{Glob, Piece};

pub(super) const RULES: &[Rule] = &[Rule {
    id: "package_typosquat",
    title: "Package that is named nearly like a widely used one",
    severity: Severity::Medium,
    confidence: Confidence::Medium,
    category: Category::SupplyChain,
    mitre: Some("T1195.002"),
    floor: false,
    description: "The name of the package is one slip of the finger away from that of a widely used one. Such names are \
                  registered to be installed by mistake, and installing runs their code. Check the name before it is \
                  installed.",
    remediation: "Check the name; install the package that is meant.",
    good: &[
        "pip install requests",
        "npm install lodash@4",
        "pip uninstall reqeusts",
        "apt install python3-request",
        "docker pull grafana/grafana:11",
        "docker run nginx1",
    ],
    bad: &[
        "pip install reqeusts",
        "pip3 install 'djang0>=4'",
        "pip install reqeusts[socks]",
        "npm i expres",
        "npm install crossenv",
        "cargo add serdejson",
        "go install github.com/spf13/cobar@latest",
        "docker pull grafanna/grafana:11",
    ],
    check: typosquats,
}];

fn typosquats(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Install, Verb::Fetch]) {
        let (ecosystem, value) = match &e.object {
            Object::Package(ecosystem, value) => (ecosystem, value),
            Object::Named(image @ "image", value) => (image, value),
            _ => continue,
        };
        // `requests[socks]` is a pattern to the shell, which matches no file.
        let plain = |p: &Piece| matches!(p, Piece::Literal(_) | Piece::Glob(Glob::Bracket(_), _));
        if !value.pieces.iter().all(plain) {
            continue;
        }
        let spec = value.show();
        let spec = spec.strip_prefix("docker.io/").unwrap_or(&spec).to_string();
        let Some((name, (known, how))) = name_of(&spec).and_then(|n| Some((n, nearly(ecosystem, n)?))) else {
            continue;
        };
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {name} is not {known}", rule.title))
                .evidence_as("text", "is nearly the name of another", name, e.place)
                .detail("known", known)
                .detail("ecosystem", *ecosystem)
                .detail("difference", how.says())
                .fix(fix::renamed(facts, e, name, known)),
        );
    }
}
