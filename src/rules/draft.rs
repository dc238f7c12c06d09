//! Making findings: a [`Draft`] is begun with a rule and a place, so that no finding lacks one, and [`Findings`] keeps
//! them apart, in order, and each once.

use super::{Facts, Rule};
use crate::effect::{Certainty, Effect, ProcessId};
use crate::finding::{Confidence, Evidence, Finding, Severity};
use crate::limits::MAX_FINDINGS;
use crate::redact;
use crate::source::Place;
use std::borrow::Cow;
use std::collections::HashSet;

/// A finding in the making.
pub struct Draft<'f, 'a> {
    facts: &'f Facts<'a>,
    id: &'static str,
    severity: Severity,
    confidence: Confidence,
    title: Cow<'static, str>,
    description: &'static str,
    remediation: Cow<'static, str>,
    evidence: Vec<Evidence>,
    place: Place,
    process: Option<ProcessId>,
    certainty: Certainty,
    mitre: Option<&'static str>,
    fix: Option<String>,
    floor: bool,
}

impl Rule {
    /// Begins a finding about an effect, placed at the bytes that say so.
    pub fn about<'f, 'a>(&'static self, facts: &'f Facts<'a>, e: &Effect) -> Draft<'f, 'a> {
        let mut d = self.at(facts, facts.command_place(e).to(e.place));
        d.process = Some(e.process);
        d.certainty = facts.certainty(e);
        d
    }
    /// Begins a finding at a place.
    pub fn at<'f, 'a>(&'static self, facts: &'f Facts<'a>, place: Place) -> Draft<'f, 'a> {
        Draft {
            facts,
            id: self.id,
            severity: self.severity,
            confidence: self.confidence,
            title: Cow::Borrowed(self.title),
            description: self.description,
            remediation: Cow::Borrowed(self.remediation),
            evidence: Vec::new(),
            place,
            process: None,
            certainty: Certainty::Certain,
            mitre: self.mitre,
            fix: None,
            floor: self.floor,
        }
    }
}

impl Draft<'_, '_> {
    /// The line that names the real things.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Cow::Owned(title.into());
        self
    }
    /// Another name for it, from the list of names.
    pub fn id(mut self, id: &'static str) -> Self {
        self.id = id;
        self
    }
    /// A severity other than the rule's.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
    /// A confidence other than the rule's.
    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }
    /// What to do instead, where the rule's own words can be made to fit better.
    pub fn remediation(mut self, text: impl Into<String>) -> Self {
        self.remediation = Cow::Owned(text.into());
        self
    }
    /// The command rewritten.
    pub fn fix(mut self, fix: Option<String>) -> Self {
        self.fix = fix;
        self
    }
    /// Whether no mode may let it through.
    pub fn floor(mut self, floor: bool) -> Self {
        self.floor = floor;
        self
    }
    /// Another technique than the rule's.
    pub fn mitre(mut self, id: &'static str) -> Self {
        self.mitre = Some(id);
        self
    }
    /// Puts the finding at both: its own place and that one.
    pub fn also_at(mut self, place: Place) -> Self {
        self.place = self.place.to(place);
        self
    }
    /// Content came from an effect that is less sure: so is the finding.
    pub fn also(mut self, e: &Effect) -> Self {
        self.certainty = self.certainty.min(self.facts.certainty(e));
        self
    }
    /// A piece of evidence: its kind, what it does, and the bytes that show it.
    pub fn evidence(self, kind: &'static str, label: impl Into<String>, place: Place) -> Self {
        let source = self.facts.source;
        let bytes = source.get(place.text).map_or(&[][..], |t| place.span.of(&t.bytes));
        // Of a long text only what is shown is looked at: one text may hold any number of findings.
        let ends = (bytes.get(..MAX_ENDS), bytes.len().checked_sub(MAX_ENDS).and_then(|n| bytes.get(n..)));
        let shown = match ends {
            (Some(head), Some(tail)) if bytes.len() > MAX_ENDS * 2 => {
                Cow::Owned(String::from_utf8_lossy(head).into_owned() + &String::from_utf8_lossy(tail))
            }
            _ => String::from_utf8_lossy(bytes),
        };
        self.evidence_as(kind, label, shown, place)
    }
    /// A piece of evidence with its text in another form than it stands there.
    pub fn evidence_as(
        mut self,
        kind: &'static str,
        label: impl Into<String>,
        matched: impl AsRef<str>,
        place: Place,
    ) -> Self {
        let span = self.facts.span(place);
        let matched = shown(Cow::Borrowed(matched.as_ref()));
        self.evidence.push(Evidence { kind, label: label.into(), matched, span, details: Vec::new() });
        self
    }
    /// A further fact about the last piece of evidence.
    pub fn detail(mut self, name: &str, value: impl Into<String>) -> Self {
        if let Some(e) = self.evidence.last_mut() {
            let value = value.into();
            let redacted = match redact::text(&value) {
                Cow::Borrowed(_) => None,
                Cow::Owned(redacted) => Some(redacted),
            };
            e.details.push((name.to_string(), redacted.unwrap_or(value)));
        }
        self
    }
}

/// Bytes at either end of a long text that are enough for what [`short`] keeps of it.
const MAX_ENDS: usize = 1_024;

/// A text of at most about 400 bytes, cut in the middle.
fn short(text: &str) -> Cow<'_, str> {
    const KEEP: usize = 200;
    if text.len() <= KEEP.saturating_mul(2) {
        return Cow::Borrowed(text);
    }
    let head: String = text.chars().take(KEEP).collect();
    let tail: Vec<char> = text.chars().rev().take(KEEP).collect();
    Cow::Owned(format!("{head} … {}", tail.into_iter().rev().collect::<String>()))
}

/// A text as it is shown: short, and without its secrets. Most are, and are handed on as they came.
pub(super) fn shown(text: Cow<'_, str>) -> String {
    let changed = match short(&text) {
        Cow::Borrowed(same) => match redact::text(same) {
            Cow::Borrowed(_) => None,
            Cow::Owned(redacted) => Some(redacted),
        },
        Cow::Owned(cut) => Some(redact::text(&cut).into_owned()),
    };
    changed.unwrap_or_else(|| text.into_owned())
}

/// The findings of one analysis.
#[derive(Default)]
pub struct Findings {
    list: Vec<Finding>,
    /// Those that are not in the list any more, or never were, for want of room.
    gone: HashSet<(&'static str, u32, u32, String)>,
    /// Findings past the limit.
    dropped: usize,
}

impl Findings {
    /// Adds a finding. What only one reader saw, or what stands behind a syntax error, is never more than a warning.
    pub fn add(&mut self, d: Draft<'_, '_>) {
        let span = d.facts.span(d.place);
        let title = shown(d.title);
        if self.list.iter().any(|f| f.span == span && f.rule_id == d.id && f.title == title) {
            return;
        }
        if self.list.len() >= MAX_FINDINGS {
            let key = (d.id, span.start, span.end, title.clone());
            if self.gone.contains(&key) {
                return;
            }
            // What matters most stays: a worse finding takes the place of the mildest.
            self.dropped = self.dropped.saturating_add(1);
            let mildest = self.list.iter().enumerate().min_by_key(|(_, f)| f.severity).map(|(i, f)| (i, f.severity));
            match mildest {
                Some((i, s)) if s < d.severity => {
                    let f = self.list.swap_remove(i);
                    self.gone.insert((f.rule_id, f.span.start, f.span.end, f.title));
                }
                _ => {
                    self.gone.insert(key);
                    return;
                }
            }
        }
        let possible = d.certainty == Certainty::Possible;
        let mut evidence = d.evidence;
        if evidence.is_empty() {
            evidence.push(Evidence {
                kind: "command_pattern",
                label: "is run".into(),
                matched: shown(Cow::Owned(d.facts.source.show(d.place))),
                span,
                details: Vec::new(),
            });
        }
        self.list.push(Finding {
            rule_id: d.id,
            severity: if possible { d.severity.min(Severity::Medium) } else { d.severity },
            confidence: if possible { Confidence::Low } else { d.confidence },
            title,
            description: d.description.to_string(),
            evidence,
            span,
            path: d.process.map(|p| d.facts.programs(p)).unwrap_or_default(),
            mitre_id: d.mitre,
            remediation: d.remediation.into_owned(),
            fix: d.fix.map(|f| redact::text(&f).into_owned()),
            floor: d.floor && !possible,
        });
    }
    /// How many did not fit.
    pub fn dropped(&self) -> usize {
        self.dropped
    }
    /// The findings, the worst first; among equals the floor first, then the order of the rules.
    pub fn finish(mut self) -> Vec<Finding> {
        self.list.sort_by_key(|f| (std::cmp::Reverse(f.severity), std::cmp::Reverse(f.floor)));
        self.list
    }
}
