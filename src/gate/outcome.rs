//! What the gate says, and whom it can ask.

use super::{Case, Grants};
use serde::Serialize;

crate::effect::named! {
    /// The layer that decided.
    Layer {
        /// Sent again after an approval.
        Force = "force",
        /// Isolated backends.
        Container = "container",
        /// What no mode lets through.
        Floor = "floor",
        /// Passwords on standard input.
        Sudo = "sudo_stdin",
        /// The user's deny rules.
        Deny = "deny_rule",
        /// No questions asked.
        Bypass = "bypass",
        /// The user's allow rules.
        Allowlist = "allowlist",
        /// Nothing was found, or it was approved before.
        Findings = "findings",
        /// Nobody is there.
        Unattended = "unattended",
        /// A model.
        Smart = "smart",
        /// A person.
        Human = "human",
    }
}

impl Serialize for Layer {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.name())
    }
}

/// How long an approval holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// For this command, now.
    Once,
    /// For the session.
    Session,
    /// For ever.
    Always,
}

/// A request that waits for its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its number.
    pub id: u64,
    /// The digest that an answer has to repeat.
    pub digest: String,
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, for so long.
    Approve(Scope),
    /// No.
    Deny,
    /// Nothing in time.
    Timeout,
    /// They cannot be asked from here: the caller has to, or the answer comes later to this request.
    Later(Option<Ticket>),
}

/// What a model says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Review {
    /// Harmless.
    Approve,
    /// Dangerous.
    Deny,
    /// It does not know, said something else, failed, or there is none.
    Escalate,
}

/// Who can be asked, and what is known from before.
pub trait Outside {
    /// What was approved before, in this session and for ever.
    fn grants(&mut self, case: &Case<'_>) -> Grants;
    /// A model's opinion.
    fn review(&mut self, case: &Case<'_>) -> Review;
    /// How many times in a row the model has said no.
    fn denials(&self) -> u32;
    /// A person's answer. `always`: whether approving for ever may be offered.
    fn ask(&mut self, case: &Case<'_>, always: bool) -> Answer;
    /// A person has said yes to what is open, for so long.
    fn remember(&mut self, case: &Case<'_>, scope: Scope);
}

/// The decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// May it run?
    pub approved: bool,
    /// Who says so.
    pub layer: Layer,
    /// Why, for the agent and its user.
    pub message: String,
    /// `approval_required` (the caller has to ask) or `pending_approval` (the answer comes later).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    /// The number of the request that waits for its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<u64>,
    /// The digest that the answer has to repeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The key of the first finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern_key: Option<String>,
    /// The keys of all open findings.
    pub pattern_keys: Vec<String>,
    /// What was found, in one line.
    pub description: String,
    /// Approving for ever may be offered.
    pub allow_permanent: bool,
    /// A model approved it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub smart_approved: bool,
    /// A person approved it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub user_approved: bool,
    /// It is on the floor.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hardline: bool,
    /// A deny rule of the user forbids it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub user_deny: bool,
    /// Why it cannot be judged, or not to its end: `too_large`, `unparsable`, `unprovable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<&'static str>,
    /// How a question ended: `once`, `session`, `always`, `denied`, `timeout`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
}

impl Outcome {
    fn new(approved: bool, layer: Layer, message: impl Into<String>) -> Outcome {
        Outcome {
            approved,
            layer,
            message: message.into(),
            status: None,
            approval_id: None,
            digest: None,
            pattern_key: None,
            pattern_keys: Vec::new(),
            description: String::new(),
            allow_permanent: false,
            smart_approved: false,
            user_approved: false,
            hardline: false,
            user_deny: false,
            unreadable: None,
            outcome: None,
        }
    }
    /// Yes.
    pub fn approved(layer: Layer, message: impl Into<String>) -> Outcome {
        Outcome::new(true, layer, message)
    }
    /// No.
    pub fn denied(layer: Layer, message: impl Into<String>) -> Outcome {
        Outcome::new(false, layer, message)
    }
    /// True where the text could not be judged at all.
    pub fn unreadable(&self) -> bool {
        self.unreadable.is_some_and(|w| w != super::Unreadable::Unprovable.name())
    }
    /// With the open findings of the case.
    #[must_use]
    pub fn about(mut self, case: &Case<'_>) -> Outcome {
        self.pattern_keys = case.open.iter().map(|m| m.key.clone()).collect();
        self.pattern_key = self.pattern_keys.first().cloned();
        self.description = titles(case);
        self.unreadable = case.unreadable.map(super::Unreadable::name);
        self
    }
}

/// The titles of the open findings.
pub fn titles(case: &Case<'_>) -> String {
    case.open.iter().map(|m| m.finding.title.as_str()).collect::<Vec<_>>().join("; ")
}
