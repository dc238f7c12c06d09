//! Rules: effect graph → findings and assessment.
//!
//! In: the texts, the effect graph, the options. Out: findings, the worst first, and whether the command is safe,
//! unknown or a risk. A rule is one entry in one file of a family: its id, its words, its examples and its check. Rules
//! speak of effects and flows, never of programs. Floor 4; imports `effect`, `value`, `source`, `finding`, `verdict`
//! and the leaves `url`, `intel`, `time` and `redact`.

mod access;
mod alias;
mod assess;
mod behaviour;
mod concern;
mod deceptive;
mod destruction;
mod docs;
mod draft;
mod environment;
mod escape;
mod execution;
mod facts;
mod fix;
mod grades;
mod hostile;
mod listed;
mod lookalike;
mod machine;
mod own;
mod remote;
mod resources;
mod secrets;
mod sent;
mod squat;
mod supply;
mod taken;
mod threat;
mod transport;
mod unread;
mod writes;

pub use docs::{json, markdown, technique};
pub use draft::{Draft, Findings};
pub use facts::Facts;

use crate::effect::graph::Graph;
use crate::finding::{Confidence, Finding, Severity};
use crate::options::Options;
use crate::source::Source;
use crate::verdict::Assessment;

crate::effect::named! {
    /// What a rule is about.
    Category {
        /// Text from elsewhere is run.
        Execution = "execution",
        /// How content travels.
        Transport = "transport",
        /// Where content goes.
        Exfiltration = "exfiltration",
        /// Control from afar.
        RemoteControl = "remote-control",
        /// What cannot be brought back.
        Destruction = "destruction",
        /// What runs by itself later.
        Persistence = "persistence",
        /// Rights.
        Privilege = "privilege",
        /// What hides or disarms.
        Evasion = "evasion",
        /// Keys, tokens, passwords.
        Credentials = "credentials",
        /// Variables that change what programs do.
        Environment = "environment",
        /// Software from elsewhere.
        SupplyChain = "supply-chain",
        /// Availability of the machine.
        Availability = "availability",
        /// The analysis itself.
        Analysis = "analysis",
    }
}

/// A rule: everything there is to know about it.
#[derive(Debug)]
pub struct Rule {
    /// Its name, stable.
    pub id: &'static str,
    /// What it finds, in a few words.
    pub title: &'static str,
    /// How bad that is, where the check does not say otherwise.
    pub severity: Severity,
    /// How sure the check is, where it does not say otherwise.
    pub confidence: Confidence,
    /// What it is about.
    pub category: Category,
    /// MITRE ATT&CK technique.
    pub mitre: Option<&'static str>,
    /// True where no mode may let it through.
    pub floor: bool,
    /// One paragraph: what happens, why it matters, and the safer way.
    pub description: &'static str,
    /// What to do instead.
    pub remediation: &'static str,
    /// Commands that must not fire it.
    pub good: &'static [&'static str],
    /// Commands that must.
    pub bad: &'static [&'static str],
    /// Looks for it.
    pub check: fn(&Facts<'_>, &'static Rule, &mut Findings),
}

impl Rule {
    /// A rule about text or addresses that are read as something else: its names, its words, what must not fire it and
    /// what must.
    const fn of_disguise(
        category: Category,
        (id, title, severity): (&'static str, &'static str, Severity),
        (description, remediation): (&'static str, &'static str),
        (good, bad): (&'static [&'static str], &'static [&'static str]),
        check: fn(&Facts<'_>, &'static Rule, &mut Findings),
    ) -> Rule {
        Rule {
            id,
            title,
            severity,
            confidence: Confidence::High,
            category,
            mitre: Some("T1036"),
            floor: false,
            description,
            remediation,
            good,
            bad,
            check,
        }
    }
}

/// The one list: every family, in the order in which equally severe findings are shown.
const FAMILIES: &[&[Rule]] = &[
    threat::RULES,
    remote::RULES,
    lookalike::RULES,
    deceptive::RULES,
    transport::RULES,
    execution::RULES,
    escape::RULES,
    destruction::RULES,
    machine::RULES,
    writes::RULES,
    secrets::RULES,
    squat::RULES,
    resources::RULES,
    supply::RULES,
    unread::RULES,
    access::RULES,
    environment::RULES,
    hostile::RULES,
    behaviour::RULES,
    assess::RULES,
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|f| f.iter())
}

/// The rule with that id, or with that name of a finding.
pub fn find(id: &str) -> Option<&'static Rule> {
    let own = |id: &str| all().find(|r| r.id == id);
    own(id).or_else(|| own(alias::rule_of(id)?))
}

/// The names that findings of a rule may have: its id, and those that depend on the source.
pub fn names(rule: &'static Rule) -> Vec<&'static str> {
    let mut out = vec![rule.id];
    for a in alias::all().iter().filter(|a| a.rule == rule.id && !a.is_silent()) {
        if !out.contains(&a.id) {
            out.push(a.id);
        }
    }
    out
}

/// What there is to say of the commands of a graph one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Those that are known and harmless by themselves.
    pub harmless: Vec<crate::effect::ProcessId>,
    /// Those around whose words something else is done: a redirection that matters, a variable that is set for them.
    pub around: Vec<crate::effect::ProcessId>,
}

/// Looks at the commands of a graph one by one, whatever is to be thought of the others.
pub fn apart(facts: &Facts<'_>, findings: &[Finding]) -> Apart {
    assess::apart(facts, findings)
}

/// Judges a graph: the findings, the worst first, and the assessment.
pub fn judge(source: &Source, graph: &Graph, options: &Options) -> (Vec<Finding>, Assessment) {
    let facts = Facts::new(source, graph, options);
    let mut findings = Findings::default();
    for rule in all() {
        (rule.check)(&facts, rule, &mut findings);
    }
    let findings = findings.finish();
    let assessment = assess::assess(&facts, &findings);
    (findings, assessment)
}

#[cfg(test)]
mod graphs;
#[cfg(test)]
mod tests;
