//! The summary: counts, and the commands to look at first. Bounded whatever the input.

use super::engine::{Judged, Source};
use super::filter::Filter;
use super::{Judgement, time};
use crate::effect::Language;
use crate::finding::Severity;
use crate::limits::{MAX_COMMAND_OUT, MAX_GROUPS, MAX_SUMMED};
use crate::redact;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

/// What findings are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The rule.
    Rule,
    /// The user.
    User,
    /// The day.
    Day,
    /// The machine.
    Host,
    /// The input.
    File,
    /// The session.
    Session,
}

impl Group {
    /// Every one with its name.
    pub const ALL: &'static [(&'static str, Group)] = &[
        ("rule", Group::Rule),
        ("user", Group::User),
        ("day", Group::Day),
        ("host", Group::Host),
        ("file", Group::File),
        ("session", Group::Session),
    ];
}

/// What is counted for one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Commands.
    pub commands: u64,
    /// The worst severity.
    pub worst: Option<Severity>,
    /// Commands by their worst severity, INFO first.
    pub levels: [u64; 5],
}

impl Count {
    fn add(&mut self, worst: Severity) {
        self.commands = self.commands.saturating_add(1);
        self.worst = self.worst.max(Some(worst));
        if let Some(n) = self.levels.get_mut(worst as usize) {
            *n = n.saturating_add(1);
        }
    }

    /// Adds another one.
    pub fn join(&mut self, other: &Count) {
        self.commands = self.commands.saturating_add(other.commands);
        self.worst = self.worst.max(other.worst);
        for (n, more) in self.levels.iter_mut().zip(other.levels) {
            *n = n.saturating_add(more);
        }
    }
}

/// One command with findings, however often it ran.
#[derive(Clone, Debug)]
pub struct Top {
    /// The command as it was typed, its beginning where it is long. Not to be shown before its secrets are replaced.
    pub command: Box<[u8]>,
    /// What is thought of it.
    pub judgement: Arc<Judgement>,
    /// The shell it was read as.
    pub shell: Language,
    /// How often it ran.
    pub times: u64,
    /// When it ran first, where known.
    pub first: Option<i64>,
    /// When it ran last.
    pub last: Option<i64>,
    /// The input and line of one of its places.
    pub place: (Arc<str>, u64),
    /// Who ran it there.
    pub user: Option<Arc<str>>,
}

/// The summary of an audit.
#[derive(Debug)]
pub struct Stats {
    group: Group,
    hasher: RandomState,
    /// Commands.
    pub commands: u64,
    /// Commands with findings that are reported.
    pub found: u64,
    /// Commands by their worst severity, INFO first.
    pub severities: [u64; 5],
    /// Findings by rule.
    pub rules: HashMap<&'static str, Count>,
    /// Commands with findings by the name that was asked for.
    pub groups: HashMap<Arc<str>, Count>,
    /// Commands with findings by day.
    pub days: HashMap<i64, Count>,
    /// Commands with findings by hour of the day and day of the week, Monday first, in UTC.
    pub hours: [[u64; 24]; 7],
    /// Findings by ATT&CK technique.
    pub techniques: HashMap<&'static str, Count>,
    /// Commands with findings by machine, where known.
    pub hosts: HashMap<Arc<str>, Count>,
    /// Commands with findings by user, where known.
    pub users: HashMap<Arc<str>, Count>,
    /// Commands with findings, by a hash of their text.
    tops: HashMap<u64, Top>,
    /// True where there were more different ones than are kept.
    pub overflow: bool,
    /// The time of the first and the last command.
    pub range: Option<(i64, i64)>,
    /// The inputs that were read or could not be.
    pub sources: Vec<Source>,
    /// Files that are no histories.
    pub skipped: u64,
}

impl Stats {
    /// An empty one.
    pub fn new(group: Group) -> Self {
        Stats {
            group,
            hasher: RandomState::new(),
            commands: 0,
            found: 0,
            severities: [0; 5],
            rules: HashMap::new(),
            groups: HashMap::new(),
            days: HashMap::new(),
            hours: [[0; 24]; 7],
            techniques: HashMap::new(),
            hosts: HashMap::new(),
            users: HashMap::new(),
            tops: HashMap::new(),
            overflow: false,
            range: None,
            sources: Vec::new(),
            skipped: 0,
        }
    }

    /// What findings are counted by beside the rule.
    pub fn group(&self) -> Group {
        self.group
    }

    /// Takes the account of an input.
    pub fn done(&mut self, source: Source) {
        if source.skipped && source.problem.is_none() {
            self.skipped = self.skipped.saturating_add(1);
        } else if self.sources.len() < MAX_GROUPS {
            self.sources.push(source);
        }
    }

    /// Counts one command. True where it has findings to report.
    pub fn add(&mut self, name: &Arc<str>, judged: &Judged, filter: &Filter) -> bool {
        self.commands = self.commands.saturating_add(1);
        let entry = &judged.entry;
        if let Some(at) = entry.at {
            let (first, last) = self.range.unwrap_or((at, at));
            self.range = Some((first.min(at), last.max(at)));
        }
        let Some(worst) = filter.of(&judged.judgement).map(|f| f.severity).max() else { return false };
        self.found = self.found.saturating_add(1);
        if let Some(n) = self.severities.get_mut(worst as usize) {
            *n = n.saturating_add(1);
        }
        let mut seen: Vec<&str> = Vec::new();
        for finding in filter.of(&judged.judgement) {
            if !seen.contains(&finding.rule_id) {
                seen.push(finding.rule_id);
                self.rules.entry(finding.rule_id).or_default().add(finding.severity);
            }
        }
        let unknown = || Arc::from("unknown");
        let group = match self.group {
            Group::Rule => None,
            Group::User => Some(entry.user.clone().unwrap_or_else(unknown)),
            Group::Host => Some(entry.host.clone().unwrap_or_else(unknown)),
            Group::Session => Some(entry.session.clone().unwrap_or_else(unknown)),
            Group::File => Some(Arc::clone(name)),
            Group::Day => Some(entry.at.map_or_else(unknown, |at| time::day(at).into())),
        };
        if let Some(group) = group {
            let full = self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&group);
            let group = if full { Arc::from("others") } else { group };
            self.groups.entry(group).or_default().add(worst);
        }
        let techniques: std::collections::BTreeSet<_> =
            filter.of(&judged.judgement).filter_map(|f| f.mitre_id).collect();
        for technique in techniques {
            self.techniques.entry(technique).or_default().add(worst);
        }
        for (names, name) in [(&mut self.hosts, &entry.host), (&mut self.users, &entry.user)] {
            if let Some(name) = name
                && (names.len() < MAX_GROUPS || names.contains_key(name))
            {
                names.entry(Arc::clone(name)).or_default().add(worst);
            }
        }
        if let Some(at) = entry.at {
            // 1970 began on a Thursday.
            let day = usize::try_from(at.div_euclid(86_400).saturating_add(3).rem_euclid(7)).unwrap_or(0);
            let hour = usize::try_from(at.rem_euclid(86_400).div_euclid(3_600)).unwrap_or(0);
            if let Some(n) = self.hours.get_mut(day).and_then(|d| d.get_mut(hour)) {
                *n = n.saturating_add(1);
            }
        }
        if let Some(at) = entry.at
            && (self.days.len() < MAX_GROUPS || self.days.contains_key(&at.div_euclid(86_400)))
        {
            self.days.entry(at.div_euclid(86_400)).or_default().add(worst);
        }
        self.top(name, judged);
        true
    }

    fn top(&mut self, name: &Arc<str>, judged: &Judged) {
        let entry = &judged.entry;
        // The same run after another download is something else.
        let across: Vec<&[u8]> = judged.judgement.across.iter().flatten().map(|s| &*s.command).collect();
        let key = self.hasher.hash_one((&entry.command, across));
        if let Some(top) = self.tops.get_mut(&key) {
            top.times = top.times.saturating_add(1);
            top.first = top.first.into_iter().chain(entry.at).min();
            top.last = top.last.max(entry.at);
            return;
        }
        if self.tops.len() >= MAX_SUMMED {
            self.overflow = true;
            let mut ranks: Vec<u64> = self.tops.values().map(rank).collect();
            ranks.sort_unstable();
            let middle = ranks.get(ranks.len() / 2).copied().unwrap_or(0);
            // Where all are equally bad, those that came first stay.
            let mut room = ranks.len() / 2;
            self.tops.retain(|_, t| {
                let keep = rank(t) > middle || (rank(t) == middle && room > 0);
                room = room.saturating_sub(usize::from(keep));
                keep
            });
        }
        self.tops.insert(
            key,
            Top {
                command: entry.command.get(..MAX_COMMAND_OUT).unwrap_or(&entry.command).into(),
                judgement: Arc::clone(&judged.judgement),
                shell: judged.shell,
                times: 1,
                first: entry.at,
                last: entry.at,
                place: (Arc::clone(name), entry.line),
                user: entry.user.clone(),
            },
        );
    }

    /// The commands to look at first: the worst, the surest; of these one of each rule, then another of each, and so on,
    /// those with the most findings and the latest before others of their rule.
    pub fn first(&self, most: usize, filter: &Filter) -> Vec<&Top> {
        let mut tops: Vec<(_, &Top)> = Vec::with_capacity(self.tops.len());
        for top in self.tops.values() {
            if let Some(f) = filter.of(&top.judgement).max_by_key(|f| (f.severity, f.confidence)) {
                tops.push(((f.severity, f.confidence, f.rule_id, 0u64), top));
            }
        }
        tops.sort_by_key(|((severity, confidence, ..), t)| {
            let last = std::cmp::Reverse(t.place.clone());
            std::cmp::Reverse((*severity, *confidence, t.judgement.findings.len(), t.last, last))
        });
        let mut seen: HashMap<_, u64> = HashMap::new();
        for ((severity, confidence, rule, round), _) in &mut tops {
            let before = seen.entry((*severity, *confidence, *rule)).or_default();
            *round = *before;
            *before = before.saturating_add(1);
        }
        // The order of before decides the rest.
        tops.sort_by_key(|((severity, confidence, _, round), _)| (std::cmp::Reverse((*severity, *confidence)), *round));
        tops.into_iter().take(most).map(|(_, t)| t).collect()
    }
}

fn rank(top: &Top) -> u64 {
    top.judgement.findings.iter().map(|f| (f.severity as u64) << 8 | f.confidence as u64).max().unwrap_or(0)
}

/// A command for reports: secrets redacted, its beginning where it is long.
pub fn shown(command: &[u8]) -> String {
    let text = String::from_utf8_lossy(command.get(..MAX_COMMAND_OUT).unwrap_or(command));
    // A secret that the cut goes through would show its first half: it is found in the whole text first.
    if command.len() > MAX_COMMAND_OUT {
        let whole = String::from_utf8_lossy(command.get(..4 * MAX_COMMAND_OUT).unwrap_or(command));
        let clean = redact::text(&whole);
        let end = clean.char_indices().map(|(i, _)| i).take_while(|i| *i <= MAX_COMMAND_OUT).last().unwrap_or(0);
        return format!("{}…", clean.get(..end).unwrap_or_default());
    }
    redact::text(&text).into_owned()
}
