//! Where the authority and the witness read a text differently.
//!
//! In: two [`Program`]s of one text. Out: [`Difference`]s. Floor 2; imports `source`, `limits`, `syntax::ast`.
//!
//! Both programs are flattened into the simple commands that they hold, at any depth (substitutions, function bodies,
//! here-document bodies, arithmetic), sorted by their first byte and merged: linear but for the sort. Two commands with
//! the same first byte have to agree in words, assignments and redirections. What is written in two ways but means one
//! thing agrees (see [`key`]). The order and the operators between commands are not compared: what could be hidden is a
//! command, and every command is here.

mod flatten;
mod key;
mod plain;

pub use plain::plain;

use crate::limits;
use crate::source::Span;
use crate::syntax::ast::{AndOr, Command, List, Pipeline, Program, SyntaxError};
use flatten::Entry;

/// What kind of difference it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The witness sees no command here.
    OnlyOurs,
    /// Only the witness sees a command here.
    OnlyWitness,
    /// Both see a command here, with other words, assignments or redirections.
    Words,
}

/// A place where the readers differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The command that differs: the witness's, or ours where it has none.
    pub span: Span,
    /// How.
    pub kind: DifferenceKind,
    /// What the witness reads here, marked as possible, with all that is nested in it. `None` for `OnlyOurs`, and for
    /// a command inside one that an earlier difference holds already.
    pub witness: Option<List>,
    /// True where the witness itself says that it could not read the region whole, or stands behind a syntax error of
    /// its own (after a second here-document on a line it takes the body for commands), and the authority could read
    /// it. The witness's errors stop nobody: such a difference is no evidence, only a place that was read once.
    pub doubtful: bool,
}

/// The places where two readings of `text` differ, in order; at most [`limits::MAX_DIFFERENCES`].
pub fn differences(ours: &Program, theirs: &Program, text: &[u8]) -> Vec<Difference> {
    let gaps = (Gaps::new(ours), Gaps::new(theirs));
    let ours = flatten::commands(ours);
    let theirs = flatten::commands(theirs);
    let mut merge = Merge { out: Vec::new(), held: 0, gaps };
    let (mut a, mut b) = (ours.as_slice(), theirs.as_slice());
    while merge.out.len() < limits::MAX_DIFFERENCES {
        (a, b) = match (a, b) {
            ([], []) => break,
            ([x, rest @ ..], []) => {
                merge.only_ours(x);
                (rest, b)
            }
            ([], [y, rest @ ..]) => {
                merge.witness(y, None);
                (a, rest)
            }
            ([x, xs @ ..], [y, ys @ ..]) => match x.start.cmp(&y.start) {
                std::cmp::Ordering::Less => {
                    merge.only_ours(x);
                    (xs, b)
                }
                std::cmp::Ordering::Greater => {
                    merge.witness(y, None);
                    (a, ys)
                }
                std::cmp::Ordering::Equal => {
                    if key::of(x, text) != key::of(y, text) {
                        merge.witness(y, Some(x));
                    }
                    (xs, ys)
                }
            },
        };
    }
    merge.out
}

/// Where the simple commands of a program begin, in order.
pub fn starts(program: &Program) -> Vec<u32> {
    flatten::commands(program).iter().map(|e| e.start).collect()
}

struct Merge {
    out: Vec<Difference>,
    /// Up to where the differences so far hold what the witness reads, so that a command nested in one of them is not
    /// handed on twice.
    held: u32,
    /// What ours and theirs could not read.
    gaps: (Gaps, Gaps),
}

impl Merge {
    fn only_ours(&mut self, entry: &Entry<'_>) {
        let doubtful = self.doubtful(entry.start, entry.end());
        self.out.push(Difference { span: entry.span, kind: DifferenceKind::OnlyOurs, witness: None, doubtful });
    }

    fn witness(&mut self, entry: &Entry<'_>, ours: Option<&Entry<'_>>) {
        // A pipeline that only the witness sees is handed on whole: `curl U | sh; echo "` ends too early for the other.
        let whole = entry.pipeline.filter(|_| ours.is_none());
        let witness = (entry.end() > self.held).then(|| match whole {
            Some(pipeline) => possible(pipeline.clone()),
            None => possible_command(entry.command),
        });
        self.held = self.held.max(entry.end()).max(whole.map_or(0, |p| p.span.end));
        let kind = if ours.is_some() { DifferenceKind::Words } else { DifferenceKind::OnlyWitness };
        let end = ours.map_or(0, Entry::end).max(entry.end());
        let doubtful = self.doubtful(entry.start, end);
        self.out.push(Difference { span: entry.span, kind, witness, doubtful });
    }

    fn doubtful(&self, start: u32, end: u32) -> bool {
        let (ours, theirs) = &self.gaps;
        let behind = theirs.broken.is_some_and(|at| at <= end) && ours.broken.is_none_or(|at| at > end);
        behind || theirs.touch(start, end) && !ours.touch(start, end)
    }
}

/// The regions that a reader could not read, to be asked for overlaps.
struct Gaps {
    /// Start of a region, and the furthest end of it and those before it; sorted.
    regions: Vec<(u32, u32)>,
    /// Where the first syntax error begins.
    broken: Option<u32>,
}

impl Gaps {
    fn new(program: &Program) -> Self {
        let mut regions: Vec<(u32, u32)> = program.unparsed.iter().map(|u| (u.span.start, u.span.end)).collect();
        regions.sort_unstable();
        let errors = program.unparsed.iter().filter(|u| u.reason != SyntaxError::NotLowered);
        let broken = errors.map(|u| u.span.start).min();
        let mut furthest = 0;
        for region in &mut regions {
            furthest = region.1.max(furthest);
            region.1 = furthest;
        }
        Gaps { regions, broken }
    }

    /// True where a region overlaps these bytes or stands next to them (a token that is missing has no bytes).
    fn touch(&self, start: u32, end: u32) -> bool {
        let before = self.regions.partition_point(|r| r.0 <= end);
        before.checked_sub(1).and_then(|last| self.regions.get(last)).is_some_and(|r| r.1 >= start)
    }
}

/// A command as a list of its own that may run.
fn possible_command(command: &Command) -> List {
    let span = command.span;
    possible(Pipeline { negated: false, timed: None, stages: vec![command.clone()], pipe_stderr: Vec::new(), span })
}

/// A pipeline as a list of its own that may run.
fn possible(first: Pipeline) -> List {
    let span = first.span;
    let item = AndOr { first, rest: Vec::new(), background: false, span };
    List { items: vec![item], span, possible: true }
}

#[cfg(test)]
mod tests;
