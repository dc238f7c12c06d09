//! What a script's expression can be.
//!
//! In: values. Out: [`Data`], the values of all embedded languages together: text, numbers, lists, maps, functions,
//! objects with an identity (a socket, a file), and names that are not bound to anything the script says (`os.system`).

use crate::effect::EffectId;
use crate::source::{Place, TextId};
use crate::syntax::script::Function;
use crate::value::{Taint, Value, Why};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Most items of structures that stand in structures.
const MAX_NESTED: u32 = 16_384;
/// Deepest nesting of structures.
const MAX_DEPTH: u32 = 64;

/// What an expression gives.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// Text or bytes, as far as known.
    Text(Value),
    Number(i64),
    Bool(bool),
    Null,
    List(Vec<Data>),
    Map(Vec<(Data, Data)>),
    /// A module, class, function by its dotted name.
    Path(String),
    /// A function of the script, with the text its body stands in.
    Function(Rc<Function>, TextId),
    /// A thing with a state.
    Object(Rc<RefCell<Object>>),
    /// A function with some of its arguments.
    Partial(Box<Data>, Vec<(Option<String>, Data)>),
    /// A function of an object that is called next: what it is bound to, and the name.
    Bound(Box<Data>, String),
}

/// The state of a thing that a call made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    /// The dotted name of what it is.
    pub(crate) class: String,
    /// The effect that made it (a connection, an opened file).
    pub(crate) effect: Option<EffectId>,
    /// The file it stands for.
    pub(crate) path: Option<Value>,
    /// Its content, where it can be read.
    pub(crate) content: Option<Value>,
    /// Its descriptor, for a connection.
    pub(crate) fd: Option<u32>,
    /// The words of the command that it is the process of.
    pub(crate) runs: Vec<Value>,
    /// Attributes that the script set.
    pub(crate) fields: Vec<(String, Data)>,
}

impl Data {
    /// Something that is not known.
    pub(crate) fn unknown(what: &'static str, at: Place, taint: Taint) -> Data {
        Data::Text(Value::unknown_tainted(Why::NotComputed(what), at, taint))
    }
    /// A new thing of a class.
    pub(crate) fn object(class: &str) -> Data {
        Data::Object(Rc::new(RefCell::new(Object { class: class.to_string(), ..Object::default() })))
    }
    /// The words of the command whose process it is, or is a stream of.
    pub(crate) fn runs(&self) -> Vec<Value> {
        match self {
            Data::Object(o) => o.try_borrow().map(|o| o.runs.clone()).unwrap_or_default(),
            Data::Bound(d, _) => d.runs(),
            _ => Vec::new(),
        }
    }
    /// The effect that made the thing that it is or belongs to.
    pub(crate) fn effect(&self) -> Option<EffectId> {
        match self {
            Data::Object(o) => o.try_borrow().ok().and_then(|o| o.effect),
            Data::Bound(d, _) => d.effect(),
            _ => None,
        }
    }
    /// The content of the thing that it is or belongs to, where it is known that there is one.
    pub(crate) fn content(&self) -> Option<Value> {
        match self {
            Data::Object(o) => o.try_borrow().ok().and_then(|o| o.content.clone()),
            Data::Bound(d, _) => d.content(),
            _ => None,
        }
    }
    /// The same as text, as `str()` gives it.
    pub(crate) fn value(&self, at: Place) -> Value {
        match self {
            Data::Text(v) => v.clone(),
            Data::Number(n) => Value::computed(n.to_string().as_bytes(), at, Taint::default()),
            Data::Bool(b) => Value::computed(if *b { b"True" } else { b"False" }, at, Taint::default()),
            Data::Null => Value::default(),
            // A name that the script says nothing of: what it holds is not known.
            Data::Path(_) => Value::unknown_tainted(Why::NotComputed("name"), at, Taint::default()),
            Data::Object(o) => {
                let o = o.borrow();
                match (&o.content, &o.path) {
                    (Some(c), _) => c.clone(),
                    (None, Some(p)) => p.clone(),
                    (None, None) => Value::unknown_tainted(
                        Why::NotComputed("object"),
                        at,
                        o.effect.map(Taint::of).unwrap_or_default(),
                    ),
                }
            }
            Data::List(_) | Data::Map(_) | Data::Function(..) | Data::Bound(..) | Data::Partial(..) => {
                Value::unknown_tainted(Why::NotComputed("structure"), at, self.taint())
            }
        }
    }
    /// True where it is surely the same as another: what a name holds still, so that nothing that lies far inside may be
    /// passed over.
    pub(crate) fn is(&self, other: &Data) -> bool {
        self.is_at(other, 0)
    }
    fn is_at(&self, other: &Data, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let next = depth.saturating_add(1);
        match (self, other) {
            (Data::Text(x), Data::Text(y)) => x == y,
            (Data::Number(x), Data::Number(y)) => x == y,
            (Data::Bool(x), Data::Bool(y)) => x == y,
            (Data::Null, Data::Null) => true,
            (Data::Path(x), Data::Path(y)) => x == y,
            (Data::Function(x, _), Data::Function(y, _)) => Rc::ptr_eq(x, y),
            (Data::Object(x), Data::Object(y)) => Rc::ptr_eq(x, y),
            (Data::List(x), Data::List(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.is_at(y, next)),
            (Data::Map(x), Data::Map(y)) => {
                let pair = |((k, v), (l, w)): (&(Data, Data), &(Data, Data))| k.is_at(l, next) && v.is_at(w, next);
                x.len() == y.len() && x.iter().zip(y).all(pair)
            }
            (Data::Bound(x, n), Data::Bound(y, m)) => n == m && x.is_at(y, next),
            _ => false,
        }
    }
    /// About how much a copy of it costs, in units of work.
    pub(crate) fn weight(&self) -> u64 {
        let n = match self {
            Data::Text(v) => v
                .pieces
                .iter()
                .map(|p| match p {
                    crate::value::Piece::Literal(l) => 1 + l.bytes.len() / 256,
                    _ => 4,
                })
                .sum(),
            Data::List(l) => l.len(),
            Data::Map(m) => m.len().saturating_mul(2),
            _ => 0,
        };
        u64::try_from(n / 16).unwrap_or(u64::MAX)
    }
    /// The same, or something that is not known where it is too large: `x = [x, x]`, said twenty times, is a million.
    pub(crate) fn bounded(self) -> Data {
        let mut left = MAX_NESTED;
        if self.fits(0, &mut left) {
            return self;
        }
        Data::Text(Value::unknown_tainted(Why::Limit, Place::default(), self.taint()))
    }
    /// True where it is no deeper and holds no more than a structure may; what a flat list holds does not count.
    fn fits(&self, depth: u32, left: &mut u32) -> bool {
        let next = depth.saturating_add(1);
        if depth > MAX_DEPTH {
            return false;
        }
        let mut all = |d: &Data| {
            if depth > 0 {
                match left.checked_sub(1) {
                    Some(n) => *left = n,
                    None => return false,
                }
            }
            d.fits(next, left)
        };
        match self {
            Data::List(items) => items.iter().all(all),
            Data::Map(items) => items.iter().all(|(k, v)| all(k) && all(v)),
            Data::Partial(d, args) => all(d) && args.iter().all(|(_, d)| all(d)),
            Data::Bound(d, _) => all(d),
            _ => true,
        }
    }
    /// The words of a command given as a list.
    pub(crate) fn words(&self, at: Place) -> Vec<Value> {
        match self {
            Data::List(items) => items.iter().map(|d| d.value(at)).collect(),
            other => vec![other.value(at)],
        }
    }
    /// Everything that any part of it came from.
    pub(crate) fn taint(&self) -> Taint {
        let mut t = Taint::default();
        self.join_taint(&mut t, 0, &mut HashMap::new());
        t
    }
    /// `seen`: the least depth at which each object was met. From there all that lies as deep is in `t` already, so that
    /// objects which hold each other in many attributes are not walked once for each way to them.
    fn join_taint(&self, t: &mut Taint, depth: u32, seen: &mut HashMap<*const RefCell<Object>, u32>) {
        if depth > 8 {
            return;
        }
        let next = depth.saturating_add(1);
        match self {
            Data::Text(v) => t.join(&v.taint()),
            Data::List(items) => items.iter().take(256).for_each(|d| d.join_taint(t, next, seen)),
            Data::Map(items) => items.iter().take(256).for_each(|(k, v)| {
                k.join_taint(t, next, seen);
                v.join_taint(t, next, seen);
            }),
            Data::Object(o) => {
                if seen.get(&Rc::as_ptr(o)).is_some_and(|d| *d <= depth) {
                    return;
                }
                seen.insert(Rc::as_ptr(o), depth);
                if let Ok(o) = o.try_borrow() {
                    if let Some(c) = &o.content {
                        t.join(&c.taint());
                    }
                    if let Some(e) = o.effect {
                        t.join(&Taint::of(e));
                    }
                    o.fields.iter().for_each(|(_, d)| d.join_taint(t, next, seen));
                }
            }
            Data::Bound(d, _) => d.join_taint(t, next, seen),
            Data::Partial(d, args) => {
                d.join_taint(t, next, seen);
                args.iter().for_each(|(_, d)| d.join_taint(t, next, seen));
            }
            Data::Number(_) | Data::Bool(_) | Data::Null | Data::Path(_) | Data::Function(..) => {}
        }
    }
    /// Whether it counts as true; `None` where that is not known.
    pub(crate) fn truth(&self) -> Option<bool> {
        match self {
            Data::Text(v) => crate::eval::param::empty(v).map(|e| !e),
            Data::Number(n) => Some(*n != 0),
            Data::Bool(b) => Some(*b),
            Data::Null => Some(false),
            Data::List(l) => Some(!l.is_empty()),
            Data::Map(m) => Some(!m.is_empty()),
            Data::Path(_) | Data::Object(_) => None,
            Data::Function(..) | Data::Bound(..) | Data::Partial(..) => Some(true),
        }
    }
    /// As a whole number, where it is one or text of one.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Data::Number(n) => Some(*n),
            Data::Bool(b) => Some(i64::from(*b)),
            Data::Text(v) => v.as_str()?.trim().parse().ok(),
            _ => None,
        }
    }
    /// Either of two, after a branch.
    pub(crate) fn either(a: Data, b: Data, at: Place) -> Data {
        match (a, b) {
            (Data::Text(a), Data::Text(b)) => Data::Text(Value::either(a, b)),
            (Data::Number(a), Data::Number(b)) if a == b => Data::Number(a),
            (Data::Path(a), Data::Path(b)) if a == b => Data::Path(a),
            (Data::Object(a), Data::Object(b)) if Rc::ptr_eq(&a, &b) => Data::Object(a),
            (Data::Function(a, t), Data::Function(b, _)) if Rc::ptr_eq(&a, &b) => Data::Function(a, t),
            (Data::Null, d) | (d, Data::Null) => d,
            // Where one of the two can be run or reached, that one matters.
            (d @ (Data::Object(_) | Data::Function(..) | Data::Path(_)), _)
            | (_, d @ (Data::Object(_) | Data::Function(..) | Data::Path(_))) => d,
            (a, b) => Data::Text(Value::either(a.value(at), b.value(at))),
        }
    }
}

/// The elements of something that is gone over; false where how many there are is not known.
pub(super) fn elements(d: Data, at: Place) -> (Vec<Data>, bool) {
    match d {
        Data::List(l) => (l, true),
        Data::Map(m) => (m.into_iter().map(|(k, _)| k).collect(), true),
        Data::Text(v) => match v.as_str() {
            Some(s) if s.len() <= 4_096 => (
                s.chars().map(|c| Data::Text(Value::computed(c.to_string().as_bytes(), at, v.taint()))).collect(),
                true,
            ),
            _ => (vec![Data::Text(v.clone())], false),
        },
        other => (vec![Data::Text(other.value(at))], false),
    }
}

/// Whether two known values are equal, for keys.
pub(super) fn same(a: &Data, b: &Data) -> bool {
    match (a, b) {
        (Data::Text(x), Data::Text(y)) => matches!((x.as_literal(), y.as_literal()), (Some(x), Some(y)) if x == y),
        (Data::Number(x), Data::Number(y)) => x == y,
        (Data::Bool(x), Data::Bool(y)) => x == y,
        (Data::Null, Data::Null) => true,
        _ => false,
    }
}

/// Whether a key of a map is that name.
pub(super) fn named(key: &Data, name: &str) -> bool {
    matches!(key, Data::Text(v) if v.as_str().is_some_and(|s| s == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_far_inside_is_not_the_same() {
        let list = |last: i64| Data::List((0..300).chain([last]).map(Data::Number).collect());
        assert!(list(1).is(&list(1)) && !list(1).is(&list(2)));
        let bound = |name: &str| Data::Bound(Box::new(Data::Path("os".into())), name.into());
        assert!(bound("system").is(&bound("system")) && !bound("system").is(&bound("popen")));
    }

    #[test]
    fn objects_that_hold_each_other_many_times_are_walked_once() {
        let effect: EffectId = crate::value::Origin(7);
        let mut object = Data::object("last");
        if let Data::Object(o) = &object {
            o.borrow_mut().effect = Some(effect);
        }
        // Seven levels of two hundred ways each.
        for _ in 0..7 {
            let outer = Data::object("outer");
            if let Data::Object(o) = &outer {
                o.borrow_mut().fields = (0..200).map(|i| (format!("f{i}"), object.clone())).collect();
            }
            object = outer;
        }
        assert_eq!(object.taint(), Taint::of(effect));
    }
}
