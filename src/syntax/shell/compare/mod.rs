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
use crate::syntax::ast::{AndOr, Command, List, Pipeline, Program};
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
}

/// The places where two readings of `text` differ, in order; at most [`limits::MAX_DIFFERENCES`].
pub fn differences(ours: &Program, theirs: &Program, text: &[u8]) -> Vec<Difference> {
    let ours = flatten::commands(ours);
    let theirs = flatten::commands(theirs);
    let mut merge = Merge { out: Vec::new(), held: 0 };
    let (mut a, mut b) = (ours.as_slice(), theirs.as_slice());
    while merge.out.len() < limits::MAX_DIFFERENCES {
        (a, b) = match (a, b) {
            ([], []) => break,
            ([x, rest @ ..], []) => {
                merge.only_ours(x);
                (rest, b)
            }
            ([], [y, rest @ ..]) => {
                merge.only_witness(y, DifferenceKind::OnlyWitness);
                (a, rest)
            }
            ([x, xs @ ..], [y, ys @ ..]) => match x.start.cmp(&y.start) {
                std::cmp::Ordering::Less => {
                    merge.only_ours(x);
                    (xs, b)
                }
                std::cmp::Ordering::Greater => {
                    merge.only_witness(y, DifferenceKind::OnlyWitness);
                    (a, ys)
                }
                std::cmp::Ordering::Equal => {
                    if key::of(x, text) != key::of(y, text) {
                        merge.only_witness(y, DifferenceKind::Words);
                    }
                    (xs, ys)
                }
            },
        };
    }
    merge.out
}

struct Merge {
    out: Vec<Difference>,
    /// Up to where the differences so far hold what the witness reads, so that a command nested in one of them is not
    /// handed on twice.
    held: u32,
}

impl Merge {
    fn only_ours(&mut self, entry: &Entry<'_>) {
        self.out.push(Difference { span: entry.span, kind: DifferenceKind::OnlyOurs, witness: None });
    }

    fn only_witness(&mut self, entry: &Entry<'_>, kind: DifferenceKind) {
        let witness = (entry.end() > self.held).then(|| possible(entry.command));
        self.held = self.held.max(entry.end());
        self.out.push(Difference { span: entry.span, kind, witness });
    }
}

/// A command as a list of its own that may run.
fn possible(command: &Command) -> List {
    let span = command.span;
    let first = Pipeline { negated: false, timed: None, stages: vec![command.clone()], pipe_stderr: Vec::new(), span };
    let item = AndOr { first, rest: Vec::new(), background: false, span };
    List { items: vec![item], span, possible: true }
}

#[cfg(test)]
mod tests;
