//! Several commands of a session as one text, and what the analyzer says of it that it does not say of each alone.

use super::Past;
use crate::audit::{Entry, Judgement};
use crate::finding::{Finding, SpanOut};
use crate::limits::{MAX_CHAIN, MAX_CHAIN_COMMANDS, MAX_COMMAND_OUT};
use crate::value::quote::shell_quote;
use crate::verdict::{Action, Class, incomplete};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One of the commands that a finding is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The input it stands in.
    pub file: Arc<str>,
    /// Its line there.
    pub line: u64,
    /// When it ran.
    pub at: Option<i64>,
    /// The command, its beginning where it is long. Not to be shown before its secrets are replaced.
    pub command: Box<[u8]>,
    /// What the finding points at in it.
    pub span: SpanOut,
}

/// A command inside the text.
#[derive(Debug)]
struct Segment {
    past: Arc<Past>,
    start: usize,
    end: usize,
}

/// A text of several commands.
#[derive(Debug)]
pub(crate) struct Chain {
    segments: Vec<Segment>,
    /// The text up to the last command, and that command.
    text: Vec<u8>,
    /// Where the last command begins.
    last: usize,
    /// The segment of the command that is being looked at; the last one unless the clock put another behind it.
    own: usize,
    /// True where only the last components of the files agree.
    pub(crate) loose: Option<Box<Chain>>,
}

/// A judgement that holds for a command because of others.
pub(crate) type Finished = Arc<Judgement>;

impl Chain {
    /// The chain of some earlier commands and the one that runs what they left.
    pub(super) fn new(picked: BTreeMap<u64, Arc<Past>>, last: &Arc<Past>, own: u64) -> Option<Chain> {
        let skip = picked.len().saturating_sub(MAX_CHAIN_COMMANDS);
        let picked: Vec<Arc<Past>> = picked.into_values().skip(skip).collect();
        let strict = Chain::assemble(&picked, last, own, true)?;
        // Without a name for its session a history may come from several shells at once, each in its own directory.
        let mixed = last.entry.session.is_none() && last.entry.cwd.is_none();
        let near = picked.iter().any(|p| last.number.abs_diff(p.number) <= 50);
        // Where all of them stood in the same place, their directories agree anyway.
        let place = |p: &Arc<Past>| p.trail.last().map(|t| t.number);
        let apart = picked.iter().any(|p| place(p) != place(last));
        let loose = (mixed && near && apart).then(|| Chain::assemble(&picked, last, own, false)).flatten();
        let differs = |l: &Chain| l.text != strict.text;
        Some(Chain { loose: loose.filter(differs).map(Box::new), ..strict })
    }

    fn assemble(picked: &[Arc<Past>], last: &Arc<Past>, own: u64, trails: bool) -> Option<Chain> {
        let mut before: BTreeMap<u64, Arc<Past>> = BTreeMap::new();
        for past in picked.iter().chain([last]).filter(|_| trails) {
            // What the history says of the directory is better than what the changes add up to.
            let trail = if past.entry.cwd.is_some() { &[] } else { &*past.trail };
            before.extend(trail.iter().map(|p| (p.number, Arc::clone(p))));
        }
        before.extend(picked.iter().map(|p| (p.number, Arc::clone(p))));
        before.remove(&last.number);
        let mut out = Chain { segments: Vec::new(), text: Vec::new(), last: 0, own: 0, loose: None };
        let mut cwd: Option<&str> = None;
        for past in before.values().chain([last]) {
            if let Some(here) = past.entry.cwd.as_deref()
                && cwd != Some(here)
            {
                out.text.extend_from_slice(b"cd ");
                out.text.extend_from_slice(&shell_quote(here.as_bytes()));
                out.text.push(b'\n');
                cwd = Some(here);
            }
            if past.number == own {
                out.own = out.segments.len();
            }
            let start = out.text.len();
            out.text.extend_from_slice(&past.entry.command);
            out.segments.push(Segment { past: Arc::clone(past), start, end: out.text.len() });
            out.last = start;
            out.text.push(b'\n');
        }
        (out.text.len() <= MAX_CHAIN && out.segments.len() > 1).then_some(out)
    }

    /// Bytes that are judged for it.
    pub(super) fn cost(&self) -> usize {
        self.loose.iter().fold(self.text.len(), |n, l| n.saturating_add(l.text.len()))
    }

    /// The text of all commands, and that of all but the last.
    pub(crate) fn texts(&self) -> (&[u8], &[u8]) {
        (&self.text, self.text.get(..self.last).unwrap_or_default())
    }

    /// The judgement of the command with what the whole chain says beyond it; `None` where that is nothing. The judgement
    /// of what comes before it is asked for only where it matters.
    pub(crate) fn finish(
        &self,
        alone: &Judgement,
        whole: &Judgement,
        before: impl FnOnce() -> Arc<Judgement>,
    ) -> Option<Finished> {
        let said = |f: &&Finding| alone.findings.iter().any(|a| a.rule_id == f.rule_id && a.severity >= f.severity);
        let more = |f: &&Finding| f.rule_id != incomplete::RULE_ID && !said(f);
        if !whole.findings.iter().any(|f| more(&f)) {
            return None;
        }
        let before = before();
        let known = |f: &Finding| before.findings.iter().any(|b| b.rule_id == f.rule_id && b.span == f.span);
        let new = whole.findings.iter().filter(more).filter(|f| !known(f));
        let mut all: Vec<(Finding, Box<[Step]>)> = Vec::new();
        for finding in new {
            let (finding, steps) = self.placed(finding);
            let known = |a: &Finding| a.rule_id == finding.rule_id && a.severity >= finding.severity;
            // Written, made executable and run: one way is enough to say.
            let told = |(a, s): &(Finding, Box<[Step]>)| known(a) && *s == steps;
            if !steps.is_empty() && !all.iter().any(told) {
                all.push((finding, steps));
            }
        }
        if all.is_empty() {
            return None;
        }
        all.extend(alone.findings.iter().map(|f| (f.clone(), Box::default())));
        all.sort_by_key(|(f, _)| std::cmp::Reverse((f.severity, f.confidence)));
        let (findings, across): (Vec<Finding>, Vec<Box<[Step]>>) = all.into_iter().unzip();
        Some(Arc::new(Judgement {
            action: Action::of_all(&findings),
            class: Class::Risk,
            findings: findings.into(),
            across: across.into(),
            facts: None,
            secrets: alone.secrets.iter().chain(whole.secrets.iter()).cloned().collect(),
        }))
    }

    /// A finding of the whole as one of the command that is looked at, and the other commands it is about.
    fn placed(&self, finding: &Finding) -> (Finding, Box<[Step]>) {
        // The outermost span may cover all commands in between: the evidence says which of them matter.
        let points: Vec<SpanOut> = finding.evidence.iter().map(|e| e.span).collect();
        let mut steps: Vec<Step> = Vec::new();
        for (i, segment) in self.segments.iter().enumerate().filter(|(i, _)| *i != self.own) {
            let hit = points.iter().find_map(|s| segment.cut(*s));
            // Where a text was written and then run, all of it stands in the command that wrote it.
            if let Some(span) = hit.or_else(|| (points.is_empty() && i == 0).then(|| segment.whole())) {
                steps.push(segment.step(span));
            }
        }
        if steps.is_empty()
            && let Some(first) = self.segments.iter().enumerate().find(|(i, _)| *i != self.own)
        {
            steps.push(first.1.step(first.1.whole()));
        }
        let mut out = finding.clone();
        let Some(own) = self.segments.get(self.own) else { return (out, steps.into()) };
        let exact = finding.evidence.iter().find_map(|e| own.cut(e.span));
        out.span = exact.unwrap_or_else(|| own.whole());
        for evidence in &mut out.evidence {
            match (own.cut(evidence.span), self.segments.iter().find(|s| s.cut(evidence.span).is_some())) {
                (Some(inside), _) => evidence.span = inside,
                (None, Some(other)) => {
                    evidence.details.push(("file".into(), other.past.name.to_string()));
                    evidence.details.push(("line".into(), other.past.entry.line.to_string()));
                    evidence.span = other.cut(evidence.span).unwrap_or(evidence.span);
                }
                (None, None) => {}
            }
        }
        out.path = Vec::new();
        out.fix = None;
        let lines: Vec<String> = steps.iter().map(|s| s.line.to_string()).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        out.title = format!("{}, with {word} {}", finding.title, lines.join(", "));
        (out, steps.into())
    }
}

impl Segment {
    /// The part of a span of the text that lies in this command, as a span of the command.
    fn cut(&self, span: SpanOut) -> Option<SpanOut> {
        let start = (span.start as usize).max(self.start);
        let end = (span.end as usize).min(self.end);
        (start < end).then(|| out(start.saturating_sub(self.start), end.saturating_sub(self.start)))
    }
    fn whole(&self) -> SpanOut {
        out(0, self.end.saturating_sub(self.start))
    }
    fn step(&self, span: SpanOut) -> Step {
        let Entry { command, line, at, .. } = &self.past.entry;
        Step {
            file: Arc::clone(&self.past.name),
            line: *line,
            at: *at,
            command: command.get(..MAX_COMMAND_OUT).unwrap_or(command).into(),
            span,
        }
    }
}

fn out(start: usize, end: usize) -> SpanOut {
    let short = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    SpanOut { start: short(start), end: short(end) }
}
