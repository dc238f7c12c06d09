//! Hooks: how agents ask before they run a command, and how they are answered.
//!
//! In: the JSON that an agent writes, a judge that decides, the policy. Out: a [`Reply`], to the byte what that
//! agent reads. A host takes a crash, an unknown exit code or a field it does not know for "go on", so every path ends in
//! a reply: [`answer`] cannot fail. Nothing is judged here. Floor 8; imports `gate`,
//! `verdict`, `policy`, `effect`.
//!
//! [`agents`] holds one entry for each agent: where its JSON has what, and which [`shape`] its answer takes. To add one,
//! write an entry, and questions with their answers in `tests/hooks/`. Those are written after each agent's hook
//! documentation; none is a recording of the agent itself.

pub mod agents;
pub mod input;
pub mod install;
mod reason;
pub mod shape;

use crate::effect::Language;
use crate::gate::{Layer, Outcome};
use crate::policy::{Failing, HookPolicy, NoAsk, OnBlock, OnWarn};
use crate::verdict::{Action, Class, Verdict};
use input::Question;
use serde_json::Value;

pub use agents::{AGENTS, Agent, find};
pub use reason::{passing, reason};

/// What is said to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// Nothing: the host goes on by its own rules.
    Silent,
    /// Run it without a question.
    Allow,
    /// Ask the user.
    Ask,
    /// Do not run it.
    Deny,
}

/// What a shape puts into a host's words.
#[derive(Debug)]
pub struct Answer<'a> {
    /// What is said.
    pub ruling: Ruling,
    /// Why, for the agent and its user. Never empty for [`Ruling::Ask`] and [`Ruling::Deny`].
    pub reason: String,
    /// The event that is answered.
    pub event: &'static str,
    /// What the host wrote, where it was JSON: hosts with several dialects are answered in the one they speak.
    pub input: &'a Value,
}

/// What the process does: writes, and ends with that code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
    /// The exit code: 0, or 2 where that is the host's word for no.
    pub exit: u8,
    /// It is a no or a question: where it cannot be written, the process has to end with 2, which most hosts take for a no.
    pub holds_back: bool,
}

impl Reply {
    /// A JSON object on standard output.
    pub fn json(value: &Value) -> Reply {
        Reply { stdout: format!("{value}\n"), ..Reply::default() }
    }
    /// Exit code 2 with the reason on standard error.
    pub fn refusal(reason: &str) -> Reply {
        Reply { stderr: format!("{reason}\n"), exit: 2, ..Reply::default() }
    }
}

/// A command that an agent wants to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its bytes.
    pub command: Vec<u8>,
    /// The shell that reads it.
    pub shell: Language,
    /// The directory it runs in, where the agent says so.
    pub cwd: Option<String>,
    /// The agent's name for its conversation.
    pub session: Option<String>,
}

/// What the gate made of a command.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The verdict, without the findings that were approved before.
    pub verdict: Verdict,
    /// The decision.
    pub outcome: Outcome,
    /// The command rewritten so that nothing is found in it any more, where its findings say how.
    pub passes: Option<String>,
    /// The setting of the policy without which it were not safe (`assess.project_code`), where that is so.
    pub by_stance: Option<&'static str>,
}

/// Answers one question of an agent. `judge` decides about a command, or says why it cannot (the analysis broke or took
/// too long).
pub fn answer(
    agent: &Agent,
    (value, question): &(Value, Question),
    policy: &HookPolicy,
    judge: impl FnOnce(&Request) -> Result<Judged, String>,
) -> Reply {
    let event = question.event(agent);
    match question {
        Question::Other => say(agent, Ruling::Silent, String::new(), event, value),
        Question::Broken(why, _) => {
            let (ruling, reason) = failed(policy, why, Whose::Host);
            say(agent, ruling, reason, event, value)
        }
        Question::Command(request, _) => match judge(request) {
            Ok(judged) => {
                let ruling = rule(&judged.verdict, &judged.outcome, policy, agent.asks.about(value));
                let reason = if ruling == Ruling::Silent { String::new() } else { reason(&judged, ruling) };
                say(agent, ruling, reason, event, value)
            }
            Err(why) => {
                let (ruling, reason) = failed(policy, &why, Whose::Command);
                say(agent, ruling, reason, event, value)
            }
        },
    }
}

/// The reply where not even the question was read: standard input broke.
pub fn unread(agent: &Agent, policy: &HookPolicy, why: &str) -> Reply {
    let (ruling, reason) = failed(policy, why, Whose::Host);
    let event = agent.forms.first().map_or("", |f| f.event);
    say(agent, ruling, reason, event, &Value::Null)
}

fn say(agent: &Agent, ruling: Ruling, reason: String, event: &'static str, input: &Value) -> Reply {
    let reply = (agent.reply)(&Answer { ruling, reason, event, input });
    Reply { holds_back: matches!(ruling, Ruling::Ask | Ruling::Deny), ..reply }
}

/// What kept a verdict from being given.
#[derive(Clone, Copy)]
enum Whose {
    /// The command, or its analysis.
    Command,
    /// What the host wrote.
    Host,
}

fn failed(policy: &HookPolicy, why: &str, whose: Whose) -> (Ruling, String) {
    match policy.fail {
        Failing::Open => (Ruling::Silent, String::new()),
        Failing::Closed => (
            Ruling::Deny,
            format!(
                "Shellward could not check this command: {why}. Nothing unchecked is run (hooks.fail = \"closed\"). {}",
                match whose {
                    Whose::Command => "Send it again as one plain, shorter command, or tell the user.",
                    Whose::Host =>
                        "The command is not at fault: tell the user, whose agent and hook do not understand each other.",
                }
            ),
        ),
    }
}

/// What a decision becomes at a host that can ask or cannot.
pub fn rule(verdict: &Verdict, outcome: &Outcome, policy: &HookPolicy, asks: bool) -> Ruling {
    if outcome.approved {
        let safe = match outcome.layer {
            Layer::Findings => verdict.assessment.class == Class::Safe,
            layer => layer == Layer::Allowlist,
        };
        // What was approved once more by our own user still goes through the host's own rules.
        return if safe && policy.allow_safe { Ruling::Allow } else { Ruling::Silent };
    }
    if outcome.status.is_none() || verdict.findings.iter().any(|f| f.floor) {
        return Ruling::Deny;
    }
    question(verdict.action, policy, asks)
}

/// What a question about a warning or a block becomes.
pub fn question(action: Action, policy: &HookPolicy, asks: bool) -> Ruling {
    let wanted = match (action, policy.block, policy.warn) {
        (Action::Block, OnBlock::Deny, _) | (Action::Warn, _, OnWarn::Deny) => Ruling::Deny,
        (Action::Block, OnBlock::Ask, _) | (Action::Warn, _, OnWarn::Ask) => Ruling::Ask,
        (Action::Warn, _, OnWarn::Silent) | (Action::Allow, ..) => Ruling::Silent,
    };
    match (wanted, asks, policy.no_ask) {
        (Ruling::Ask, false, NoAsk::Deny) => Ruling::Deny,
        (Ruling::Ask, false, NoAsk::Silent) => Ruling::Silent,
        _ => wanted,
    }
}
