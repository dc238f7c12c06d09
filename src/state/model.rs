//! What the records of the journal mean.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How long a request or approval that is over is still shown, in seconds.
const SHOWN_AFTER: i64 = 86_400;
/// Most requests that are over and still kept.
const MAX_OVER: usize = 100;

/// How long an approval holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Duration {
    /// For one run of this command.
    Once,
    /// For the conversation.
    Session,
    /// For ever.
    Always,
}

/// What an approval is for: a rule, the shape of the command, and the places it works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// `RULE SHAPE @ SCOPE`, or a rule alone for all of it.
    pub key: String,
    /// It is about how a text looks, not about what it does: no approval for ever.
    #[serde(default)]
    pub content: bool,
}

/// An approval that holds for more than one command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Its number.
    pub id: u64,
    /// What it is for.
    pub keys: Vec<String>,
    /// The session it holds in; all of them where absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// When it was made.
    pub made: i64,
    /// When it ends.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<i64>,
    /// The command that it was asked for, secrets redacted.
    pub command: String,
}

impl Grant {
    /// True while it holds.
    pub fn holds(&self, now: i64) -> bool {
        self.expires.is_none_or(|e| now < e)
    }
    /// True where it holds in that session.
    pub fn is_for(&self, session: Option<&str>) -> bool {
        self.session.is_none() || self.session.as_deref() == session
    }
}

/// How a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answered {
    /// No.
    Denied,
    /// Yes, for so long.
    Approved(Duration),
}

/// A request that waits, or waited, for its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Its number.
    pub id: u64,
    /// The digest of what is asked for: command, shell, directory, session.
    pub digest: String,
    /// The command, secrets redacted.
    pub command: String,
    /// The directory it would run in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cwd: Option<String>,
    /// The conversation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// Who asks: an agent, or `gate`.
    pub source: String,
    /// What was found, by title.
    pub titles: Vec<String>,
    /// What an approval would be for.
    pub keys: Vec<Key>,
    /// When it was made.
    pub made: i64,
    /// When it ends.
    pub expires: i64,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<Answered>,
    /// The one run that was approved has begun.
    #[serde(default)]
    pub used: bool,
}

impl Pending {
    /// True while an answer can be given.
    pub fn waits(&self, now: i64) -> bool {
        self.answer.is_none() && now < self.expires
    }
    /// True while the one run that was approved has not begun.
    pub fn may_run(&self, now: i64) -> bool {
        self.answer == Some(Answered::Approved(Duration::Once)) && !self.used && now < self.expires
    }
    /// True where approving for ever may be offered: not everything is about how a text looks.
    pub fn may_be_permanent(&self) -> bool {
        self.keys.iter().any(|k| !k.content)
    }
}

/// One change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(super) enum Record {
    /// An approval begins.
    Grant(Grant),
    /// An approval ends.
    Revoked { id: u64 },
    /// A request begins to wait.
    Request(Pending),
    /// It was answered.
    Answer { id: u64, answer: Answered },
    /// The one run began.
    Used { id: u64 },
    /// So many times in a row the model has said no.
    Denials { count: u32 },
    /// The first number that is free.
    Next { id: u64 },
}

/// Everything that is kept.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The first number that is free.
    pub next: u64,
    /// Approvals by number.
    pub grants: BTreeMap<u64, Grant>,
    /// Requests by number.
    pub requests: BTreeMap<u64, Pending>,
    /// Denials of the model in a row.
    pub denials: u32,
}

impl Model {
    pub(super) fn apply(&mut self, record: Record) {
        match record {
            Record::Grant(g) => {
                self.next = self.next.max(g.id.saturating_add(1));
                self.grants.insert(g.id, g);
            }
            Record::Revoked { id } => {
                self.grants.remove(&id);
            }
            Record::Request(p) => {
                self.next = self.next.max(p.id.saturating_add(1));
                self.requests.insert(p.id, p);
            }
            Record::Answer { id, answer } => {
                if let Some(p) = self.requests.get_mut(&id) {
                    p.answer = Some(answer);
                }
            }
            Record::Used { id } => {
                if let Some(p) = self.requests.get_mut(&id) {
                    p.used = true;
                }
            }
            Record::Denials { count } => self.denials = count,
            Record::Next { id } => self.next = self.next.max(id),
        }
    }

    /// The records that make this state, without what has been over for a day.
    pub(super) fn live(&self, now: i64) -> Vec<Record> {
        let late = now.saturating_sub(SHOWN_AFTER);
        let grants = self.grants.values().filter(|g| g.holds(late)).cloned().map(Record::Grant);
        let (waiting, over): (Vec<&Pending>, Vec<&Pending>) =
            self.requests.values().filter(|p| late < p.expires).partition(|p| now < p.expires && !p.used);
        let over = over.iter().skip(over.len().saturating_sub(MAX_OVER)).copied();
        let requests = over.chain(waiting).cloned().map(Record::Request);
        let rest = [Record::Next { id: self.next }, Record::Denials { count: self.denials }];
        rest.into_iter().chain(grants).chain(requests).collect()
    }
}
