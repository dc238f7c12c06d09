//! Arrays whose elements differ from path to path: what they came from, and what may be among them.
//!
//! In: the contents of a variable on each path. Out: lists and elements with every known reading in them.

use super::Content;
use crate::limits;
use crate::source::Place;
use crate::value::{Piece, Taint, Value, Why};
use std::rc::Rc;

/// The elements of an array that differs from path to path.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Open {
    /// What they came from.
    pub(crate) taint: Taint,
    /// Some that may be among them.
    pub(crate) values: Rc<Vec<Value>>,
    /// Keys that are not known whole.
    pub(crate) keys: Rc<Vec<Value>>,
}

impl Open {
    pub(crate) fn of(taint: Taint) -> Self {
        Open { taint, ..Open::default() }
    }
    /// Takes in a value that may be among them.
    pub(crate) fn add(&mut self, v: &Value) {
        if let [Piece::OneOf(vs)] = v.pieces.as_slice() {
            return vs.iter().for_each(|v| self.add(v));
        }
        self.taint.join(&v.taint());
        if !v.pieces.is_empty() && self.values.len() < limits::MAX_READINGS && !self.values.contains(v) {
            Rc::make_mut(&mut self.values).push(v.clone());
        }
    }
    /// Takes in a key.
    pub(crate) fn add_key(&mut self, key: &Value) {
        if self.keys.len() < limits::MAX_READINGS && !self.keys.contains(key) {
            Rc::make_mut(&mut self.keys).push(key.clone());
        }
    }
    /// Takes in everything that a variable holds.
    pub(crate) fn take_in(&mut self, c: &Content) {
        match c {
            Content::Unset => {}
            Content::Scalar(v) => self.add(v),
            Content::Indexed(m) => m.values().for_each(|v| self.add(v)),
            Content::Assoc(m) => m.iter().for_each(|(k, v)| {
                self.add_key(&Value::computed(k, Default::default(), Taint::default()));
                self.add(v);
            }),
            Content::Opaque(o) => {
                self.taint.join(&o.taint);
                o.values.iter().for_each(|v| self.add(v));
                o.keys.iter().for_each(|k| self.add_key(k));
            }
        }
    }
    /// Any of them.
    fn known(&self) -> Option<Value> {
        let mut it = self.values.iter().cloned();
        let first = it.next()?;
        Some(it.fold(first, Value::either))
    }
    /// One of them.
    pub(crate) fn element(&self, at: Place) -> Value {
        let open = Value::unknown_tainted(Why::Joined, at, self.taint.clone());
        self.known().map_or(open.clone(), |v| Value::either(v, open))
    }
    /// All of them.
    pub(crate) fn list(&self, at: Place) -> Vec<Value> {
        let mut out = vec![super::super::Interp::many_words(Why::Joined, at, self.taint.clone())];
        out.extend(self.known());
        out
    }
}
