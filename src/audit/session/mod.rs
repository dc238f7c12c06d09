//! The commands of one session, one after the other: what an earlier one wrote and a later one runs.
//!
//! In: the commands of a history in order, each with its judgement. Out: for a command that runs, sends or names what
//! earlier ones left behind, those commands and it as one text, which the analyzer judges as it judges any other, and
//! then the findings that only the whole of it gives, with all their places. So nothing is judged here, either, and what
//! counts as a chain is what counts as one inside a single command.
//!
//! Memory is bounded: of each session the last commands that left something behind are kept, of all sessions together so
//! many bytes. Sessions that were not heard of for long are forgotten first.

mod chain;
mod facts;

#[cfg(test)]
mod tests;

pub use chain::Step;
pub(crate) use chain::{Chain, Finished};
pub use facts::Facts;

use super::{Entry, Judgement};
use crate::limits::{
    CHAINS_PER_BYTE, MAX_CHAIN_CREDIT, MAX_PAST, MAX_PAST_COMMAND, MAX_SESSION_BYTES, MAX_SESSIONS, MAX_TRAIL,
};
use crate::verdict::Class;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// A command that left something behind.
#[derive(Debug)]
pub(crate) struct Past {
    /// Its number in its session.
    number: u64,
    entry: Entry,
    name: Arc<str>,
    judgement: Arc<Judgement>,
    /// The changes of directory before it.
    trail: Trail,
}

/// Changes of directory, each without a trail of its own.
type Trail = Arc<[Arc<Past>]>;

impl Past {
    fn facts(&self) -> Option<&Facts> {
        self.judgement.facts.as_deref()
    }
    fn room(&self) -> usize {
        self.entry.command.len().saturating_add(400)
    }
}

/// What is remembered of one session.
#[derive(Debug, Default)]
struct Session {
    /// Commands so far.
    count: u64,
    past: VecDeque<Arc<Past>>,
    /// Commands that ran a file of which nothing was known.
    runs: VecDeque<Arc<Past>>,
    trail: Trail,
    bytes: usize,
    used: u64,
}

/// All sessions of an audit.
#[derive(Debug)]
pub(crate) struct Sessions {
    held: HashMap<(Arc<str>, Option<Arc<str>>), Session>,
    bytes: usize,
    tick: u64,
    /// Bytes of commands that may yet be judged a second time, as parts of chains.
    credit: usize,
    /// Chains that were not judged because there were too many of them.
    pub(crate) dropped: u64,
}

impl Default for Sessions {
    fn default() -> Self {
        Sessions { held: HashMap::new(), bytes: 0, tick: 0, credit: MAX_CHAIN_CREDIT, dropped: 0 }
    }
}

impl Sessions {
    /// Takes the next command of an input. Gives the chain that it completes, where there may be one.
    pub(crate) fn next(&mut self, name: &Arc<str>, entry: &Entry, judgement: &Arc<Judgement>) -> Option<Chain> {
        // So the work stays in proportion to the text, whatever stands in it.
        let earned = entry.command.len().saturating_mul(CHAINS_PER_BYTE);
        self.credit = self.credit.saturating_add(earned).min(MAX_CHAIN_CREDIT);
        let facts = judgement.facts.as_deref()?;
        if facts.broken || entry.command.len() > MAX_PAST_COMMAND {
            return None;
        }
        self.tick = self.tick.saturating_add(1);
        // A session that has a name of its own may go on in the next file.
        let key = match &entry.session {
            Some(session) => (Arc::clone(session), entry.user.clone()),
            None => (Arc::clone(name), None),
        };
        let session = self.held.entry(key).or_default();
        session.used = self.tick;
        let before = session.bytes;
        let chain = session.next(name, entry, judgement, facts);
        self.bytes = self.bytes.saturating_sub(before).saturating_add(session.bytes);
        if self.bytes > MAX_SESSION_BYTES || self.held.len() > MAX_SESSIONS {
            self.forget();
        }
        let cost = chain.as_ref()?.cost();
        match self.credit.checked_sub(cost) {
            Some(rest) => self.credit = rest,
            None => {
                self.dropped = self.dropped.saturating_add(1);
                return None;
            }
        }
        chain
    }

    /// Drops the half of the sessions that was not heard of for longest.
    fn forget(&mut self) {
        let mut used: Vec<u64> = self.held.values().map(|s| s.used).collect();
        used.sort_unstable();
        let middle = used.get(used.len() / 2).copied().unwrap_or(0);
        self.held.retain(|_, s| s.used > middle);
        self.bytes = self.held.values().map(|s| s.bytes).sum();
    }
}

impl Session {
    fn next(&mut self, name: &Arc<str>, entry: &Entry, judgement: &Arc<Judgement>, facts: &Facts) -> Option<Chain> {
        self.count = self.count.saturating_add(1);
        let past = |trail: Trail| Past {
            number: self.count,
            entry: entry.clone(),
            name: Arc::clone(name),
            judgement: Arc::clone(judgement),
            trail,
        };
        let leaves = !(facts.writes.is_empty() && facts.defines.is_empty());
        // What is safe whatever its variables hold stays so when they are known.
        let asks = (facts.runs || !facts.needs.is_empty()) && judgement.class != Class::Safe;
        if !leaves && !asks && facts.moves.is_none() {
            return None;
        }
        let now = Arc::new(past(Arc::clone(&self.trail)));
        let mut chain = if asks { self.earlier(&now, facts) } else { None };
        if chain.is_none() && facts.source && entry.at.is_some() {
            chain = self.late(&now, facts);
        }
        if let Some(away) = facts.moves {
            let step = Arc::new(past(Trail::default()));
            let kept = if away { &[] } else { &*self.trail };
            let kept = kept.get(kept.len().saturating_sub(MAX_TRAIL)..).unwrap_or_default();
            self.trail = kept.iter().cloned().chain([step]).collect();
        }
        if facts.runs && chain.is_none() && entry.at.is_some() {
            self.bytes = self.bytes.saturating_add(keep(&mut self.runs, &now));
        }
        if leaves {
            self.bytes = self.bytes.saturating_add(keep(&mut self.past, &now));
        }
        while self.bytes > MAX_SESSION_BYTES / 4 || self.past.len() > MAX_PAST {
            let Some(old) = self.past.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(old.room());
        }
        while self.runs.len() > MAX_PAST / 2 {
            let Some(old) = self.runs.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(old.room());
        }
        chain
    }

    /// The earlier commands that left behind what this one uses, directly or through others.
    fn earlier(&self, now: &Arc<Past>, facts: &Facts) -> Option<Chain> {
        let mut files: Vec<&str> = Vec::new();
        let mut names: Vec<&str> = facts.needs.iter().map(|n| &**n).collect();
        if facts.runs {
            files.extend(facts.uses.iter().map(|n| &**n));
        }
        // What is below a directory that came from elsewhere is used by whoever runs something in it.
        let here = now.trail.iter().filter(|_| facts.runs).filter_map(|p| p.facts());
        let here: Vec<&Facts> = here.collect();
        files.extend(here.iter().flat_map(|f| &f.uses).map(|n| &**n));
        let mut picked: BTreeMap<u64, Arc<Past>> = BTreeMap::new();
        let mut source = false;
        for past in self.past.iter().rev() {
            let Some(f) = past.facts() else { continue };
            let hit = f.writes.iter().any(|w| files.contains(&&**w)) || f.defines.iter().any(|d| names.contains(&&**d));
            if hit {
                source |= f.source || !f.defines.is_empty() || past.judgement.worst().is_some();
                // What was there before an assignment is gone; what the assignment itself makes use of is not.
                names.retain(|n| !f.settles.iter().any(|s| **s == **n));
                files.extend(f.uses.iter().map(|n| &**n));
                names.extend(f.needs.iter().map(|n| &**n));
                picked.insert(past.number, Arc::clone(past));
            }
        }
        if !source {
            return None;
        }
        Chain::new(picked, now, now.number)
    }

    /// A command that ran, by the clock, after this one what this one writes, though the history has it before: several
    /// shells write one history, each when it ends.
    fn late(&self, now: &Arc<Past>, facts: &Facts) -> Option<Chain> {
        let ran = self.runs.iter().rev().find(|run| {
            let after = run.entry.at >= now.entry.at && run.entry.at.is_some();
            let uses = run.facts().is_some_and(|r| r.uses.iter().any(|u| facts.writes.contains(u)));
            after && uses
        })?;
        Chain::new(BTreeMap::from([(now.number, Arc::clone(now))]), ran, now.number)
    }
}

fn keep(list: &mut VecDeque<Arc<Past>>, past: &Arc<Past>) -> usize {
    list.push_back(Arc::clone(past));
    past.room()
}
