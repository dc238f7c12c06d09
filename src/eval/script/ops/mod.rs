//! What calls compute: the operations that languages share, by the names that `grammars/languages` uses.
//!
//! In: an operation's name, its object and arguments. Out: [`Data`]. What is not computed is unknown and keeps what it
//! came from. The operations are of no one language: which call of which language is which one is data.

mod function;
mod list;
mod stream;
mod text;

use super::call::Args;
use super::{Data, Interp, Run};
use crate::limits;
use crate::source::Place;
use crate::value::{Taint, Value};

/// What an operation works on.
pub(super) struct Given<'a> {
    /// The object, where there is one, and the arguments without a name.
    pub(super) all: &'a [Data],
    /// All arguments, with their names.
    pub(super) args: &'a Args,
    /// The numbers behind the operation's name: positions of arguments.
    pub(super) positions: (usize, Option<usize>),
    /// What they all came from.
    pub(super) taint: Taint,
    pub(super) at: Place,
}

impl Given<'_> {
    pub(super) fn first(&self) -> Option<Data> {
        self.all.first().cloned()
    }
    pub(super) fn text(&self, i: usize) -> Option<String> {
        self.all.get(i)?.value(self.at).as_str().map(|s| s.into_owned())
    }
    pub(super) fn bytes(&self, i: usize) -> Option<Vec<u8>> {
        self.all.get(i)?.value(self.at).as_literal().map(|b| b.into_owned())
    }
    /// Text that was computed from what was given.
    pub(super) fn made(&self, b: &[u8]) -> Option<Data> {
        (b.len() <= limits::MAX_VALUE).then(|| Data::Text(Value::computed(b, self.at, self.taint.clone())))
    }
}

impl Interp<'_> {
    /// An operation by its name.
    pub(super) fn operation(
        &mut self,
        run: &mut Run,
        op: &str,
        object: Option<Data>,
        args: &Args,
        at: Place,
    ) -> Option<Data> {
        let mut all: Vec<Data> = object.into_iter().collect();
        all.extend(args.iter().filter(|(n, _)| n.is_none()).map(|(_, d)| d.clone()));
        let mut taint = Taint::default();
        all.iter().for_each(|d| taint.join(&d.taint()));
        // `NAME NUMBER NUMBER`: the numbers are positions of arguments.
        let mut words = op.split(' ');
        let op = words.next().unwrap_or_default();
        let mut number = || words.next().and_then(|n| n.parse::<usize>().ok());
        let positions = (number().unwrap_or(0), number());
        let given = Given { all: &all, args, positions, taint, at };
        self.spend(1 + given.bytes(0).map_or(0, |b| b.len() as u64 / 64));
        self.on_process(run, op, &given)
            .or_else(|| self.on_functions(run, op, &given))
            .or_else(|| self.on_streams(run, op, &given))
            .or_else(|| self.on_lists(run, op, &given))
            .or_else(|| self.on_text(run, op, &given))
    }
}
