//! What the layers look at: a request with everything that was found out about it.

use super::key;
use crate::analyzer::Analysis;
use crate::effect::Language;
use crate::effect::graph::DoubtKind;
use crate::effect::path::Base;
use crate::finding::{Finding, Severity};
use crate::policy::globs::Run;
use crate::policy::{BROKEN_RULE, GatePolicy};
use crate::rules;
use crate::verdict::incomplete;
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
    /// The shell that would read it.
    pub shell: Language,
    /// The directory it would run in, absolute, where known.
    pub cwd: Option<String>,
    /// The home directory, absolute, where known.
    pub home: Option<String>,
    /// The conversation it belongs to.
    pub session: Option<String>,
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

impl Request {
    /// A request for a command of which nothing else is known: it would run here, and nobody is there.
    pub fn new(command: Vec<u8>) -> Request {
        Request {
            command,
            shell: Language::Bash,
            cwd: None,
            home: None,
            session: None,
            backend: None,
            host_access: false,
            context: Context::Unknown,
            force: false,
            yolo: false,
            sudo_password: false,
        }
    }
}

/// Approvals given before, as keys: those of [`key`](super::key), or a rule's id alone for all of it.
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

/// Why a command cannot be judged, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It has more bytes than are read.
    TooLarge,
    /// No part of it can be read as commands.
    Unparsable,
    /// It can be read, but a part of what it would do cannot be worked out.
    Unprovable,
}

impl Unreadable {
    /// What is so of a text.
    pub fn of(analysis: Option<&Analysis>) -> Option<Unreadable> {
        let Some(analysis) = analysis else { return Some(Unreadable::TooLarge) };
        let graph = &analysis.graph;
        if graph.processes.is_empty() && graph.doubts.iter().any(|d| d.kind == DoubtKind::Unparsed) {
            return Some(Unreadable::Unparsable);
        }
        let matters = |f: &&Finding| f.rule_id == incomplete::RULE_ID && f.severity > Severity::Info;
        let incomplete = analysis.verdict.findings.iter().any(|f| matters(&f));
        incomplete.then_some(Unreadable::Unprovable)
    }
    /// Its word in results and in the log.
    pub fn name(self) -> &'static str {
        match self {
            Unreadable::TooLarge => "too_large",
            Unreadable::Unparsable => "unparsable",
            Unreadable::Unprovable => "unprovable",
        }
    }
}

/// A finding that is to be decided, with the key that a grant for it has.
#[derive(Clone, Debug)]
pub struct Matter<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// Its key.
    pub key: String,
    /// It is about how a text looks or arrives, not about what the command does.
    pub content: bool,
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
    /// Every command that would run, as the user's rules see it.
    pub runs: Vec<Run>,
    /// Why it cannot be judged, or not to its end.
    pub unreadable: Option<Unreadable>,
    /// A program would take a password for other rights from what is piped into it.
    pub password_piped: bool,
    /// On the floor.
    pub floor: Vec<&'a Finding>,
    /// Warnings and blocks that no grant covers.
    pub open: Vec<Matter<'a>>,
}

impl<'a> Case<'a> {
    /// Puts together what the layers look at. `analysis` is that of the request's command; `None` where it is too large
    /// to be analysed.
    pub fn new(request: &'a Request, analysis: Option<&'a Analysis>, policy: &'a GatePolicy) -> Case<'a> {
        let findings: &[Finding] = analysis.map(|a| a.verdict.findings.as_slice()).unwrap_or_default();
        let base = Base { cwd: request.cwd.as_deref(), home: request.home.as_deref() };
        let matters = analysis.into_iter().flat_map(|analysis| {
            let open = analysis.verdict.findings.iter().filter(|f| f.severity > Severity::Info);
            open.map(move |finding| Matter {
                finding,
                key: key::key(analysis, finding, base),
                content: is_content(finding.rule_id),
            })
        });
        Case {
            request,
            policy,
            text: String::from_utf8_lossy(&request.command).trim().to_string(),
            runs: analysis.map(|a| policy.runs(a)).unwrap_or_default(),
            unreadable: Unreadable::of(analysis),
            password_piped: findings.iter().any(|f| f.rule_id == super::sudo::RULE),
            floor: findings.iter().filter(|f| f.floor && f.rule_id != super::sudo::RULE).collect(),
            open: matters.collect(),
        }
    }

    /// Leaves out what was approved before, finding by finding.
    pub fn drop_granted(&mut self, grants: &Grants) {
        self.open.retain(|m| !grants.has(&m.key));
    }

    /// True where a policy is broken, so that its deny rules are lost: nothing is let through without a person.
    pub fn lacks_rules(&self) -> bool {
        !self.policy.broken.is_empty()
    }

    /// True where approving for ever makes sense: some finding is about what the command does.
    pub fn may_be_permanent(&self) -> bool {
        self.open.iter().any(|m| !m.content)
    }
}

/// True for rules about how a text looks or arrives.
fn is_content(id: &str) -> bool {
    use rules::Category::{Analysis, Evasion, Transport};
    // A broken policy is to be mended, not to be lived with.
    if id == BROKEN_RULE {
        return true;
    }
    // A rule of a policy is about what a command does: it is said over effects.
    rules::find(id).is_some_and(|r| matches!(r.category, Analysis | Evasion | Transport))
}
