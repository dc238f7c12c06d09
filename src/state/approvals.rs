//! Approvals and requests: what can be done with them. Each change is one transaction of the journal.

use super::model::Record;
use super::{Answered, Duration, Grant, Key, Model, Pending, State, StateError};
use crate::audit::time;
use crate::redact;
use sha2::{Digest, Sha256};

/// Digits of a digest that an answer has to give at least: 64 bits, beyond anybody's search for a second command.
pub const DIGEST_SHOWN: usize = 16;
/// Most requests that wait at a time: whoever asks for more floods the user.
const MAX_WAITING: usize = 50;
/// Longest command that is kept with a request, in bytes.
const MAX_COMMAND: usize = 16 << 10;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// The command, to the byte.
    pub command: &'a [u8],
    /// The shell that would read it.
    pub shell: &'a str,
    /// The directory it would run in.
    pub cwd: Option<&'a str>,
    /// The conversation it belongs to.
    pub session: Option<&'a str>,
    /// Who asks.
    pub source: &'a str,
    /// What was found.
    pub titles: Vec<String>,
    /// What an approval would be for.
    pub keys: Vec<Key>,
}

impl Wanted<'_> {
    /// SHA-256 over everything that makes it this request, in hexadecimal digits.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let parts: [&[u8]; 4] = [
            self.command,
            self.shell.as_bytes(),
            self.cwd.unwrap_or_default().as_bytes(),
            self.session.unwrap_or_default().as_bytes(),
        ];
        for part in parts {
            // With their lengths, so that nothing can move from one part to the next.
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// It waits.
    Waits(Pending),
    /// It was approved for one run, and this is the run.
    Approved(Pending),
    /// It was denied not long ago.
    Denied(Pending),
}

/// A command for people: redacted, and cut where it is very long.
pub(super) fn shown(command: &[u8], most: usize) -> String {
    // Redacted before it is cut: half a secret is still one.
    let text = String::from_utf8_lossy(command);
    let text = redact::text(&text);
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), command.len()),
        None => text.into_owned(),
    }
}

impl State {
    /// Everything that is kept; and true where the file is damaged, so that nothing in it is believed.
    pub fn look(&self) -> Result<(Model, bool), StateError> {
        let seen = self.contents()?;
        Ok(if seen.damaged { (Model::default(), true) } else { (seen.model, false) })
    }

    /// The keys that are approved in that session, and those that are approved for ever.
    pub fn granted(&self, session: Option<&str>) -> Result<(Vec<String>, Vec<String>), StateError> {
        let (model, _) = self.look()?;
        let now = time::now();
        let (mut here, mut always) = (Vec::new(), Vec::new());
        for grant in model.grants.into_values().filter(|g| g.holds(now) && g.is_for(session)) {
            if grant.session.is_some() { here.extend(grant.keys) } else { always.extend(grant.keys) }
        }
        Ok((here, always))
    }

    /// Asks. Identical requests share one number and one answer; an approval for one run goes to one of them.
    pub fn submit(&self, wanted: &Wanted<'_>) -> Result<Submitted, StateError> {
        let digest = wanted.digest();
        let now = time::now();
        self.transact(false, |model| {
            let same = model.requests.values().rev().find(|p| p.digest == digest && !p.used && now < p.expires);
            match same.map(|p| (p, p.answer)) {
                Some((p, None)) => return Ok((Vec::new(), Submitted::Waits(p.clone()))),
                Some((p, Some(Answered::Denied))) => return Ok((Vec::new(), Submitted::Denied(p.clone()))),
                Some((p, Some(Answered::Approved(Duration::Once)))) => {
                    return Ok((vec![Record::Used { id: p.id }], Submitted::Approved(p.clone())));
                }
                // Its approval has been revoked, or is for other keys than today's.
                Some((_, Some(Answered::Approved(_)))) | None => {}
            }
            if model.requests.values().filter(|p| p.waits(now)).count() >= MAX_WAITING {
                return Err(StateError::Refused(format!("{MAX_WAITING} requests wait already")));
            }
            let pending = Pending {
                id: model.next.max(1),
                digest,
                command: shown(wanted.command, MAX_COMMAND),
                cwd: wanted.cwd.map(str::to_string),
                session: wanted.session.map(str::to_string),
                source: wanted.source.to_string(),
                titles: wanted.titles.clone(),
                keys: wanted.keys.clone(),
                made: now,
                expires: now.saturating_add(i64::from(self.policy.request_minutes).saturating_mul(60)),
                answer: None,
                used: false,
            };
            Ok((vec![Record::Request(pending.clone())], Submitted::Waits(pending)))
        })
    }

    /// Answers a request. The answer has to name it by number and digest.
    pub fn answer(&self, id: u64, digest: &str, answer: Answered) -> Result<(Pending, Vec<Grant>), StateError> {
        let now = time::now();
        let refuse = |why: String| Err(StateError::Refused(why));
        self.transact(true, |model| {
            let Some(p) = model.requests.get(&id) else { return refuse(format!("there is no request {id}")) };
            let given = digest.to_ascii_lowercase();
            if given.len() < DIGEST_SHOWN || !p.digest.starts_with(&given) {
                return refuse(format!("the digest is not that of request {id}; `approvals show {id}` has it"));
            }
            if let Some(before) = p.answer {
                return refuse(format!("request {id} is answered already: {}", word(before)));
            }
            if now >= p.expires {
                return refuse(format!("request {id} expired at {}", time::show(p.expires)));
            }
            let grants = match answer {
                Answered::Approved(duration) => {
                    self.grants_for(model, &p.keys, p.session.as_deref(), &p.command, duration, now)?
                }
                Answered::Denied => Vec::new(),
            };
            let answered = Pending { answer: Some(answer), ..p.clone() };
            let records = grants.iter().cloned().map(Record::Grant);
            // A person's yes closes the breaker of the model, as one at a prompt does.
            let closes = answer != Answered::Denied && model.denials > 0;
            let breaker = closes.then_some(Record::Denials { count: 0 });
            let records = std::iter::once(Record::Answer { id, answer }).chain(records).chain(breaker).collect();
            Ok((records, (answered, grants)))
        })
    }

    /// Approves without a request that waits: a person has said yes on a terminal.
    pub fn grant(&self, wanted: &Wanted<'_>, duration: Duration) -> Result<Vec<Grant>, StateError> {
        let now = time::now();
        self.transact(true, |model| {
            let command = shown(wanted.command, MAX_COMMAND);
            let grants = self.grants_for(model, &wanted.keys, wanted.session, &command, duration, now)?;
            Ok((grants.iter().cloned().map(Record::Grant).collect(), grants))
        })
    }

    /// The approvals that an answer makes. What is about how a text looks is approved for the session at most.
    fn grants_for(
        &self,
        model: &Model,
        keys: &[Key],
        session: Option<&str>,
        command: &str,
        duration: Duration,
        now: i64,
    ) -> Result<Vec<Grant>, StateError> {
        let refuse = |why: &str| Err(StateError::Refused(why.to_string()));
        let (always, here): (Vec<&Key>, Vec<&Key>) = match duration {
            Duration::Once => return Ok(Vec::new()),
            Duration::Session if session.is_none() => {
                return refuse("the request names no session: approve it once or always");
            }
            Duration::Session => (Vec::new(), keys.iter().collect()),
            Duration::Always => keys.iter().partition(|k| !k.content),
        };
        if duration == Duration::Always && always.is_empty() {
            return refuse("everything that was found is about how a text looks: approve it once or for the session");
        }
        let until = |n: u32, unit: i64| (n > 0).then(|| now.saturating_add(i64::from(n).saturating_mul(unit)));
        let grant = |keys: Vec<&Key>, session: Option<&str>, expires| Grant {
            id: model.next.max(1),
            keys: keys.into_iter().map(|k| k.key.clone()).collect(),
            session: session.map(str::to_string),
            made: now,
            expires,
            command: command.to_string(),
        };
        let permanent = (!always.is_empty()).then(|| grant(always, None, until(self.policy.permanent_days, 86_400)));
        let hours = self.policy.session_hours.max(1);
        // Without a session there is nothing that the rest of a mixed request could hold in.
        let session = session.filter(|_| !here.is_empty());
        let mut out: Vec<Grant> = permanent.into_iter().collect();
        if let Some(session) = session {
            let mut grant = grant(here, Some(session), until(hours, 3_600));
            grant.id = grant.id.saturating_add(u64::try_from(out.len()).unwrap_or(0));
            out.push(grant);
        }
        Ok(out)
    }

    /// Takes an approval back.
    pub fn revoke(&self, id: u64) -> Result<Grant, StateError> {
        self.transact(true, |model| match model.grants.get(&id) {
            Some(grant) => Ok((vec![Record::Revoked { id }], grant.clone())),
            None => Err(StateError::Refused(format!("there is no approval {id}"))),
        })
    }

    /// Notes how many times in a row a model has said no.
    pub fn set_denials(&self, count: u32) -> Result<(), StateError> {
        self.transact(false, |model| {
            let changed = model.denials != count;
            Ok((if changed { vec![Record::Denials { count }] } else { Vec::new() }, ()))
        })
    }
}

/// An answer in one word.
pub fn word(answer: Answered) -> &'static str {
    match answer {
        Answered::Denied => "denied",
        Answered::Approved(Duration::Once) => "approved once",
        Answered::Approved(Duration::Session) => "approved for the session",
        Answered::Approved(Duration::Always) => "approved for ever",
    }
}
