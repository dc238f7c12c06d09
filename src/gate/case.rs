//! What the layers look at: a request with everything that was found out about it.

use crate::analyzer::Analysis;
use crate::effect::graph::{DoubtKind, Graph};
use crate::finding::{Finding, Severity};
use crate::policy::GatePolicy;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Who is there to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Context {
    /// A person at a terminal.
    Interactive,
    /// A person at the other end of a channel, who answers later.
    Gateway,
    /// A scheduled run.
    Cron,
    /// One question from a script.
    #[serde(alias = "single-query")]
    SingleQuery,
    /// A call from another program.
    Webhook,
    /// Not known: taken for nobody.
    Unknown,
}

impl Context {
    /// True where nobody can be asked.
    pub fn is_unattended(self) -> bool {
        !matches!(self, Context::Interactive | Context::Gateway)
    }
}

/// A command that wants to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its text.
    pub command: Vec<u8>,
    /// Where it would run: `local`, `docker`, …
    pub backend: Option<String>,
    /// True where the backend reaches this machine's files.
    pub host_access: bool,
    /// Who is there.
    pub context: Context,
    /// A person has approved this very command: skip the question.
    pub force: bool,
    /// The process or session runs without questions.
    pub yolo: bool,
    /// A password for privileged commands is configured.
    pub sudo_password: bool,
}

/// Approvals given before, as keys: a rule's id for all of it, or the id with the shape of the command.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// For this session.
    pub session: BTreeSet<String>,
    /// For ever.
    pub permanent: BTreeSet<String>,
}

impl Grants {
    /// True where the key, or all of its rule, is granted.
    pub fn has(&self, key: &str) -> bool {
        let rule = key.split(' ').next().unwrap_or(key);
        [&self.session, &self.permanent].iter().any(|set| set.contains(key) || set.contains(rule))
    }
}

/// Why a command cannot be judged at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It has more bytes than are read.
    TooLarge,
    /// No part of it can be read as commands.
    Unparsable,
}

/// A finding that is to be decided, with the key that a grant for it has.
#[derive(Clone, Debug)]
pub struct Matter<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// Its key: `RULE SHAPE`.
    pub key: String,
}

/// A request with what was found out.
#[derive(Debug)]
pub struct Case<'a> {
    /// The request.
    pub request: &'a Request,
    /// The policy.
    pub policy: &'a GatePolicy,
    /// The text, for people and globs.
    pub text: String,
    /// Every command that would run, its words joined with spaces.
    pub commands: Vec<String>,
    /// Why it cannot be judged.
    pub unreadable: Option<Unreadable>,
    /// A program would take a password for other rights from what is piped into it.
    pub password_piped: bool,
    /// On the floor.
    pub floor: Vec<&'a Finding>,
    /// Warnings and blocks that no grant covers.
    pub open: Vec<Matter<'a>>,
}

impl<'a> Case<'a> {
    /// Puts together what the layers look at.
    pub fn new(
        request: &'a Request,
        analysis: Option<&'a Analysis>,
        policy: &'a GatePolicy,
        grants: &Grants,
    ) -> Case<'a> {
        let findings: &[Finding] = analysis.map(|a| a.verdict.findings.as_slice()).unwrap_or_default();
        let graph = analysis.map(|a| &a.graph);
        let matters = findings.iter().filter(|f| f.severity > Severity::Info).map(|finding| {
            let shape = analysis.map(|a| shape(a, finding)).unwrap_or_default();
            Matter { finding, key: format!("{} {shape}", finding.rule_id).trim_end().to_string() }
        });
        Case {
            request,
            policy,
            text: String::from_utf8_lossy(&request.command).trim().to_string(),
            commands: graph.map(commands).unwrap_or_default(),
            unreadable: match graph {
                None => Some(Unreadable::TooLarge),
                Some(g) if unparsed(g) => Some(Unreadable::Unparsable),
                Some(_) => None,
            },
            password_piped: findings.iter().any(|f| f.rule_id == super::sudo::RULE),
            floor: findings.iter().filter(|f| f.floor && f.rule_id != super::sudo::RULE).collect(),
            open: matters.filter(|m| !grants.has(&m.key)).collect(),
        }
    }
}

/// True where nothing of the text could be read.
fn unparsed(graph: &Graph) -> bool {
    graph.processes.is_empty() && graph.doubts.iter().any(|d| d.kind == DoubtKind::Unparsed)
}

/// The commands of a graph as texts: as they are written, and by the name of the program where that differs.
fn commands(graph: &Graph) -> Vec<String> {
    let mut out = Vec::new();
    for p in &graph.processes {
        let words: Vec<String> = p.argv.iter().map(crate::value::Value::show).collect();
        let by_name = std::iter::once(p.name.clone()).chain(words.iter().skip(1).cloned());
        let by_name = by_name.collect::<Vec<_>>().join(" ");
        let written = words.join(" ");
        if written != by_name {
            out.push(written);
        }
        out.push(by_name);
    }
    out
}

/// The shape of the commands that a finding is about: their names and options, without what they work on. A grant for
/// `rm -r ./a` so covers `rm -r ./b` of the same rule, and no other way to the same finding.
fn shape(analysis: &Analysis, finding: &Finding) -> String {
    let touches = |p: &&crate::effect::graph::Process| {
        let span = analysis.source.outermost(p.place);
        span.start < finding.span.end && finding.span.start < span.end
    };
    let option = |w: &String| w.starts_with('-') && w.len() > 1;
    let one = |p: &crate::effect::graph::Process| {
        let mut options: Vec<String> = p.argv.iter().skip(1).map(crate::value::Value::show).filter(option).collect();
        options.sort();
        options.dedup();
        std::iter::once(p.name.clone()).chain(options).collect::<Vec<_>>().join(" ")
    };
    analysis.graph.processes.iter().filter(touches).map(one).collect::<Vec<_>>().join(" | ")
}
