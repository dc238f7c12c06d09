//! Functions of a script that call themselves.
//!
//! In: the functions that are active, and the arguments of a call. Out: how the call is followed. A function is followed
//! call by call as long as that is short. From then on once more with arguments of which nothing is known: whatever
//! it does to any arguments it does to those, so that further calls add nothing. What it changed outside of itself is not
//! known afterwards.

use super::data::Data;
use super::state::Scopes;
use crate::effect::{Effect, Object, Verb};
use crate::limits;
use crate::source::Place;
use crate::syntax::script::Function;
use crate::value::{Taint, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Most calls of one function that are followed one by one while it is active.
const MAX_ONCE: u32 = 64;

/// Deepest nesting at which a function that calls itself is followed call by call.
const DEEP: u32 = super::MAX_SCRIPT_DEPTH / 2;

/// Most functions that are active where one is followed once more.
const MAX_ACTIVE: usize = 32;

/// How a call is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// As it stands.
    Once,
    /// With any arguments.
    Any,
    /// Not at all: it is being followed with any arguments.
    Known,
    /// Not at all: a limit is reached.
    Limit,
}

/// The functions that are active.
#[derive(Debug, Default)]
pub(super) struct Active {
    stack: Vec<*const Function>,
    any: HashSet<*const Function>,
    times: HashMap<*const Function, u32>,
}

impl Active {
    /// A function is called: `calls` functions are active, at that nesting.
    pub(super) fn enter(
        &mut self,
        id: *const Function,
        calls: u32,
        depth: u32,
        args: &[(Option<String>, Data)],
        receiver: Option<&Data>,
    ) -> Step {
        let again = self.stack.contains(&id);
        if again && self.any.contains(&id) {
            return Step::Known;
        }
        let times = self.times.entry(id).or_default();
        *times = if again { times.saturating_add(1) } else { 0 };
        let full = calls >= limits::MAX_CALLS;
        // Things are changed in place: what a call does to one cannot be told afterwards.
        let things = args.iter().map(|(_, d)| d).chain(receiver).any(|d| matches!(d, Data::Object(_)));
        let step = match again && (full || depth >= DEEP || *times > MAX_ONCE) && !things {
            true if self.stack.len() < MAX_ACTIVE && depth < super::MAX_SCRIPT_DEPTH => Step::Any,
            _ if full || depth >= super::MAX_SCRIPT_DEPTH => return Step::Limit,
            _ => Step::Once,
        };
        self.stack.push(id);
        if step == Step::Any {
            self.any.insert(id);
        }
        step
    }

    /// It has returned.
    pub(super) fn leave(&mut self, id: *const Function, step: Step) {
        self.stack.pop();
        if step == Step::Any {
            self.any.remove(&id);
        }
    }
}

/// True for more than looking at something that is not known.
pub(super) fn acts(e: &Effect) -> bool {
    let looks = matches!(
        e.verb,
        Verb::Read
            | Verb::List
            | Verb::Inspect
            | Verb::Chdir
            | Verb::Environment
            | Verb::Fetch
            | Verb::Decode
            | Verb::Encode
    );
    let known = e.object.value().is_some_and(Value::is_known) || matches!(e.object, Object::Stated(_));
    !looks && !known
}

/// What the arguments of a call come from.
pub(super) fn taint(args: &[(Option<String>, Data)]) -> Taint {
    args.iter().fold(Taint::default(), |mut all, (_, d)| {
        all.join(&d.taint());
        all
    })
}

/// Arguments of which nothing is known but the place that they name, and the functions among them.
pub(super) fn any(args: Vec<(Option<String>, Data)>, at: Place) -> Vec<(Option<String>, Data)> {
    let one = |d: Data| match d {
        Data::Function(..) | Data::Path(_) | Data::Partial(..) | Data::Bound(..) => d,
        Data::Text(v) if v.near(at).is_some() => v.near(at).map_or(Data::Null, Data::Text),
        other => Data::unknown("recursion", at, other.taint()),
    };
    args.into_iter().map(|(name, d)| (name, one(d))).collect()
}

/// Forgets what the names around a function held, where it has changed that.
pub(super) fn forget(scopes: &mut Scopes, before: &Scopes, at: Place) {
    for (now, then) in scopes.iter_mut().zip(before) {
        if Rc::ptr_eq(now, then) {
            continue;
        }
        let changed = |(name, d): &(&String, &Data)| then.get(*name).is_none_or(|t| !d.is(t));
        let names: Vec<String> = now.iter().filter(changed).map(|(name, _)| name.clone()).collect();
        let now = Rc::make_mut(now);
        for name in names {
            if let Some(d) = now.get_mut(&name) {
                *d = Data::unknown("recursion", at, d.taint());
            }
        }
    }
}
