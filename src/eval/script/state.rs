//! The state of a script that runs: its names in their scopes, its classes, what waits to be called.
//!
//! In: names and values. Out: what a name holds. A copy of the scopes for a branch costs nothing until the branch sets
//! something.

use super::{Data, call, class};
use crate::effect::{Language, ProcessId};
use crate::source::{Place, TextId};
use crate::syntax::script::Function;
use crate::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// How a run of statements ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    Next,
    Break,
    Continue,
    Return(Data),
    Exit,
}

/// Names with what they hold, innermost scope last. A copy for a branch costs nothing until the branch sets something.
pub(super) type Scopes = Vec<Rc<HashMap<String, Data>>>;

/// The state of one script.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) language: Language,
    pub(crate) by: ProcessId,
    /// Names, innermost scope last.
    pub(super) scopes: Scopes,
    /// Modules whose names are all visible (`from os import *`).
    pub(super) open: Vec<String>,
    /// The script's classes with their bases.
    pub(super) classes: Vec<(String, Vec<String>)>,
    /// Methods of the script's classes, by their own names.
    pub(super) methods: Vec<(String, Rc<Function>, TextId)>,
    /// Methods that are active, the innermost last.
    pub(super) frames: Vec<class::Frame>,
    /// What the active functions handed out so far.
    pub(super) yields: Vec<Vec<Data>>,
    /// Names of methods that the language calls of itself, as far as the script has such.
    pub(super) implicit: Vec<String>,
    /// Functions that something was given which may call them later.
    pub(super) held: Vec<Data>,
    /// The same, to hold each once.
    pub(super) holds: std::collections::HashSet<*const Function>,
    /// Functions that were called.
    pub(super) called: std::collections::HashSet<*const Function>,
    /// Names that a function takes from the scope around: the function's depth, the name.
    pub(super) outer: Vec<(usize, String)>,
    /// The program was left.
    pub(super) left: bool,
    /// A `return`, `break` or `continue` inside an expression.
    pub(super) leaving: Option<End>,
    /// The value of the last statement, for languages where that is what a body gives.
    pub(super) last: Data,
    /// Functions that are called back once the statement is done, with their arguments.
    pub(super) later: Vec<(Data, call::Args, Place)>,
    /// Functions that are active.
    pub(super) calls: u32,
    /// The functions that are active, and how each is followed.
    pub(super) recursion: super::recursion::Active,
    pub(super) depth: u32,
}

impl Run {
    pub(super) fn new(language: Language, by: ProcessId) -> Self {
        Run {
            language,
            by,
            scopes: vec![Rc::new(HashMap::new())],
            open: Vec::new(),
            classes: Vec::new(),
            methods: Vec::new(),
            frames: Vec::new(),
            yields: Vec::new(),
            implicit: Vec::new(),
            held: Vec::new(),
            holds: std::collections::HashSet::new(),
            called: std::collections::HashSet::new(),
            left: false,
            leaving: None,
            last: Data::Null,
            outer: Vec::new(),
            later: Vec::new(),
            calls: 0,
            recursion: super::recursion::Active::default(),
            depth: 0,
        }
    }

    /// How a statement ended whose expression may have left something.
    pub(super) fn end(&mut self) -> End {
        match self.leaving.take() {
            _ if self.left => End::Exit,
            Some(end) => end,
            None => End::Next,
        }
    }

    pub(super) fn set(&mut self, name: &str, v: Data) {
        let v = v.bounded();
        // A name of an outer scope stays what it is there, unless it was set there before (closures change it).
        let depth = self.scopes.len();
        if self.outer.iter().any(|(d, n)| *d == depth && n == name) {
            let place = self.scopes.iter().rev().skip(1).position(|s| s.contains_key(name));
            let index = place.map_or(0, |i| depth.saturating_sub(i.saturating_add(2)));
            if let Some(s) = self.scopes.get_mut(index) {
                Rc::make_mut(s).insert(name.to_string(), v);
            }
            return;
        }
        let index = match self.scopes.iter().rposition(|s| s.contains_key(name)) {
            Some(i) if self.language != Language::Python || i == depth.saturating_sub(1) => i,
            _ => depth.saturating_sub(1),
        };
        if let Some(s) = self.scopes.get_mut(index)
            && (s.len() < 4_096 || s.contains_key(name))
        {
            Rc::make_mut(s).insert(name.to_string(), v);
        }
    }

    /// Gives a command another name.
    pub(in crate::eval) fn set_alias(&mut self, name: &str, value: Value) {
        self.set(&format!("alias {}", name.to_ascii_lowercase()), Data::Text(value));
    }

    /// The command that a name stands for.
    pub(super) fn alias(&self, name: &str) -> Option<Data> {
        self.get(&format!("alias {name}")).cloned()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Data> {
        self.scopes.iter().rev().find_map(|s| s.get(name))
    }

    pub(super) fn change(&mut self, name: &str, f: impl FnOnce(&mut Data)) {
        let scope = self.scopes.iter_mut().rev().find(|s| s.contains_key(name));
        if let Some(d) = scope.and_then(|s| Rc::make_mut(s).get_mut(name)) {
            f(d);
            *d = std::mem::replace(d, Data::Null).bounded();
        }
    }

    pub(super) fn join(&mut self, other: Scopes, at: Place) {
        let mine = std::mem::take(&mut self.scopes);
        self.scopes = join_scopes(mine, other, at);
    }
}

pub(super) fn join_scopes(a: Scopes, b: Scopes, at: Place) -> Scopes {
    a.into_iter()
        .zip(b)
        .map(|(mut shared, y)| {
            if Rc::ptr_eq(&shared, &y) {
                return shared;
            }
            let x = Rc::make_mut(&mut shared);
            for (k, v) in Rc::unwrap_or_clone(y) {
                let joined = match x.remove(&k) {
                    Some(u) => Data::either(u, v, at),
                    None => v,
                };
                x.insert(k, joined);
            }
            shared
        })
        .collect()
}
