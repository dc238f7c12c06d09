//! A map from names to values that is cheap to copy, and two copies of which are cheap to compare.
//!
//! In: names. Out: a balanced (AVL) tree whose nodes are shared between copies: a copy is one pointer, a change copies
//! the way to the root, and [`Map::differences`] walks only what two copies do not share. The interpreter copies its
//! state at every branch of a script and joins the copies after it, so that both have to cost as much as the branch
//! changed, not as much as the script has variables. Floor 5; imports nothing. A tree of n names is at most 1.44 log n
//! deep, and so is the recursion here.

use std::cmp::Ordering;
use std::rc::Rc;

/// A map from names to values.
#[derive(Debug)]
pub(crate) struct Map<V> {
    root: Link<V>,
}

type Link<V> = Option<Rc<Node<V>>>;

#[derive(Debug)]
struct Node<V> {
    name: Rc<str>,
    value: Rc<V>,
    height: u8,
    left: Link<V>,
    right: Link<V>,
}

/// A name whose value differs between two maps, with its value in each.
pub(crate) type Difference<V> = (Rc<str>, Option<Rc<V>>, Option<Rc<V>>);

impl<V> Clone for Map<V> {
    fn clone(&self) -> Self {
        Map { root: self.root.clone() }
    }
}

impl<V> Clone for Node<V> {
    fn clone(&self) -> Self {
        Node {
            name: Rc::clone(&self.name),
            value: Rc::clone(&self.value),
            height: self.height,
            left: self.left.clone(),
            right: self.right.clone(),
        }
    }
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Map { root: None }
    }
}

impl<V> Map<V> {
    /// True where it has no names.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_none()
    }
    /// The value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.node(name).map(|n| n.value.as_ref())
    }
    /// The value of a name, to be kept without a copy.
    pub(crate) fn shared(&self, name: &str) -> Option<Rc<V>> {
        self.node(name).map(|n| Rc::clone(&n.value))
    }
    fn node(&self, name: &str) -> Option<&Node<V>> {
        let mut at = self.root.as_deref();
        while let Some(n) = at {
            at = match name.cmp(&n.name) {
                Ordering::Less => n.left.as_deref(),
                Ordering::Greater => n.right.as_deref(),
                Ordering::Equal => return Some(n),
            };
        }
        None
    }
    /// True where the name has a value.
    pub(crate) fn contains_key(&self, name: &str) -> bool {
        self.node(name).is_some()
    }
    /// Gives a name a value.
    pub(crate) fn insert(&mut self, name: &str, value: V) {
        self.put(name, Rc::new(value));
    }
    /// Gives a name a value that is there already.
    pub(crate) fn put(&mut self, name: &str, value: Rc<V>) {
        insert(&mut self.root, name, value);
    }
    /// Takes a name out.
    pub(crate) fn remove(&mut self, name: &str) {
        if self.contains_key(name) {
            remove(&mut self.root, name);
        }
    }
    /// True where both are one and the same.
    pub(crate) fn ptr_eq(&self, other: &Self) -> bool {
        same(&self.root, &other.root)
    }
    /// The names with their values, in the order of the names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        let mut open = Vec::new();
        descend(self.root.as_deref(), &mut open);
        std::iter::from_fn(move || {
            let n = open.pop()?;
            descend(n.right.as_deref(), &mut open);
            Some((n.name.as_ref(), n.value.as_ref()))
        })
    }
    /// The names whose values are not one and the same in both, in order.
    pub(crate) fn differences(&self, other: &Self) -> Vec<Difference<V>> {
        let mut out = Vec::new();
        let (mut a, mut b) = (Walk::new(&self.root), Walk::new(&other.root));
        loop {
            match (a.0.last(), b.0.last()) {
                (None, None) => return out,
                (Some(Step::Tree(x)), Some(Step::Tree(y))) => {
                    // Trees that are left begin with the same name or hold nothing in common. The higher one is opened
                    // first: so a part that both share is met as a whole.
                    if Rc::ptr_eq(x, y) {
                        a.0.pop();
                        b.0.pop();
                    } else if x.height >= y.height {
                        a.open();
                    } else {
                        b.open();
                    }
                }
                (Some(Step::Tree(_)), _) => a.open(),
                (_, Some(Step::Tree(_))) => b.open(),
                (Some(Step::One(x)), Some(Step::One(y))) => match x.name.cmp(&y.name) {
                    Ordering::Less => out.extend(a.take().map(|x| x.only(true))),
                    Ordering::Greater => out.extend(b.take().map(|y| y.only(false))),
                    Ordering::Equal => {
                        if !Rc::ptr_eq(&x.value, &y.value) {
                            out.push((Rc::clone(&x.name), Some(Rc::clone(&x.value)), Some(Rc::clone(&y.value))));
                        }
                        a.0.pop();
                        b.0.pop();
                    }
                },
                (Some(Step::One(_)), None) => out.extend(a.take().map(|x| x.only(true))),
                (None, Some(Step::One(_))) => out.extend(b.take().map(|y| y.only(false))),
            }
        }
    }
}

impl<V: Clone> Map<V> {
    /// The value of a name, to be changed.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        if !self.contains_key(name) {
            return None;
        }
        let mut at = self.root.as_mut();
        while let Some(n) = at {
            let n = Rc::make_mut(n);
            at = match name.cmp(&n.name) {
                Ordering::Less => n.left.as_mut(),
                Ordering::Greater => n.right.as_mut(),
                Ordering::Equal => return Some(Rc::make_mut(&mut n.value)),
            };
        }
        None
    }
}

impl<V: PartialEq> PartialEq for Map<V> {
    fn eq(&self, other: &Self) -> bool {
        self.differences(other).into_iter().all(|(_, a, b)| a == b)
    }
}

/// What is left of one map in a comparison, the next on top.
struct Walk<'a, V>(Vec<Step<'a, V>>);

enum Step<'a, V> {
    /// A tree that is not opened yet.
    Tree(&'a Rc<Node<V>>),
    /// One name: the trees beside it are handled on their own.
    One(&'a Node<V>),
}

impl<'a, V> Walk<'a, V> {
    fn new(root: &'a Link<V>) -> Self {
        Walk(root.iter().map(Step::Tree).collect())
    }
    fn open(&mut self) {
        if let Some(Step::Tree(n)) = self.0.pop() {
            self.0.extend(n.right.iter().map(Step::Tree));
            self.0.push(Step::One(n));
            self.0.extend(n.left.iter().map(Step::Tree));
        }
    }
    fn take(&mut self) -> Option<&'a Node<V>> {
        match self.0.pop() {
            Some(Step::One(n)) => Some(n),
            _ => None,
        }
    }
}

impl<V> Node<V> {
    fn only(&self, left: bool) -> Difference<V> {
        let v = Some(Rc::clone(&self.value));
        if left { (Rc::clone(&self.name), v, None) } else { (Rc::clone(&self.name), None, v) }
    }
    fn measure(&mut self) {
        self.height = height(&self.left).max(height(&self.right)).saturating_add(1);
    }
}

fn same<V>(a: &Link<V>, b: &Link<V>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

fn descend<'a, V>(mut at: Option<&'a Node<V>>, open: &mut Vec<&'a Node<V>>) {
    while let Some(n) = at {
        open.push(n);
        at = n.left.as_deref();
    }
}

fn height<V>(link: &Link<V>) -> u8 {
    link.as_ref().map_or(0, |n| n.height)
}

fn insert<V>(link: &mut Link<V>, name: &str, value: Rc<V>) {
    let Some(n) = link else {
        *link = Some(Rc::new(Node { name: Rc::from(name), value, height: 1, left: None, right: None }));
        return;
    };
    let n = Rc::make_mut(n);
    match name.cmp(&n.name) {
        Ordering::Less => insert(&mut n.left, name, value),
        Ordering::Greater => insert(&mut n.right, name, value),
        Ordering::Equal => n.value = value,
    }
    balance(link);
}

fn remove<V>(link: &mut Link<V>, name: &str) {
    let Some(n) = link else { return };
    let n = Rc::make_mut(n);
    match name.cmp(&n.name) {
        Ordering::Less => remove(&mut n.left, name),
        Ordering::Greater => remove(&mut n.right, name),
        Ordering::Equal => match (n.left.take(), n.right.take()) {
            (one, None) | (None, one) => {
                *link = one;
                return;
            }
            (left, mut right) => {
                // The next name takes the place.
                if let Some(mut next) = take_first(&mut right) {
                    let node = Rc::make_mut(&mut next);
                    node.left = left;
                    node.right = right;
                    *link = Some(next);
                }
            }
        },
    }
    balance(link);
}

fn take_first<V>(link: &mut Link<V>) -> Link<V> {
    let n = Rc::make_mut(link.as_mut()?);
    if n.left.is_none() {
        let right = n.right.take();
        return std::mem::replace(link, right);
    }
    let first = take_first(&mut n.left);
    balance(link);
    first
}

/// Turns a node whose sides differ in height by two.
fn balance<V>(link: &mut Link<V>) {
    let Some(n) = link else { return };
    let (left, right) = (height(&n.left), height(&n.right));
    if left > right.saturating_add(1) {
        let n = Rc::make_mut(n);
        if n.left.as_ref().is_some_and(|l| height(&l.left) < height(&l.right)) {
            turn_left(&mut n.left);
        }
        turn_right(link);
    } else if right > left.saturating_add(1) {
        let n = Rc::make_mut(n);
        if n.right.as_ref().is_some_and(|r| height(&r.right) < height(&r.left)) {
            turn_right(&mut n.right);
        }
        turn_left(link);
    } else if n.height != left.max(right).saturating_add(1) {
        Rc::make_mut(n).measure();
    }
}

fn turn_right<V>(link: &mut Link<V>) {
    let Some(mut n) = link.take() else { return };
    let Some(mut l) = Rc::make_mut(&mut n).left.take() else {
        *link = Some(n);
        return;
    };
    let (node, top) = (Rc::make_mut(&mut n), Rc::make_mut(&mut l));
    node.left = top.right.take();
    node.measure();
    top.right = Some(n);
    top.measure();
    *link = Some(l);
}

fn turn_left<V>(link: &mut Link<V>) {
    let Some(mut n) = link.take() else { return };
    let Some(mut r) = Rc::make_mut(&mut n).right.take() else {
        *link = Some(n);
        return;
    };
    let (node, top) = (Rc::make_mut(&mut n), Rc::make_mut(&mut r));
    node.right = top.left.take();
    node.measure();
    top.left = Some(n);
    top.measure();
    *link = Some(r);
}

#[cfg(test)]
mod tests {
    use super::{Map, height};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn depth<V>(link: &super::Link<V>) -> u8 {
        link.as_ref().map_or(0, |n| {
            let (l, r) = (depth(&n.left), depth(&n.right));
            assert!(l.abs_diff(r) <= 1, "not balanced");
            assert_eq!(n.height, l.max(r) + 1);
            n.height
        })
    }

    proptest! {
        /// Each change gives what the standard map gives, and leaves every copy as it was.
        #[test]
        fn as_a_map(changes in prop::collection::vec((0u8..60, prop::option::weighted(0.7, 0u8..4)), 0..200)) {
            let (mut map, mut model) = (Map::default(), BTreeMap::new());
            let mut copies = Vec::new();
            for (key, value) in changes {
                let name = format!("v{key}");
                copies.push((map.clone(), model.clone()));
                match value {
                    Some(0) => {
                        if let Some(v) = map.get_mut(&name) {
                            *v += 1u8;
                        }
                        model.entry(name).and_modify(|v| *v += 1);
                    }
                    Some(v) => {
                        map.insert(&name, v);
                        model.insert(name, v);
                    }
                    None => {
                        map.remove(&name);
                        model.remove(&name);
                    }
                }
                prop_assert_eq!(depth(&map.root), height(&map.root));
            }
            copies.push((map.clone(), model));
            for (copy, model) in &copies {
                let all: Vec<(&str, u8)> = copy.iter().map(|(n, v)| (n, *v)).collect();
                prop_assert_eq!(all, model.iter().map(|(n, v)| (n.as_str(), *v)).collect::<Vec<_>>());
                let differ = |n: &&String| copy.get(n) != map.get(n);
                let names: std::collections::BTreeSet<&String> = model.keys().chain(copies.iter().flat_map(|(_, m)| m.keys())).collect();
                let found: Vec<String> = copy
                    .differences(&map)
                    .into_iter()
                    .filter(|(_, a, b)| a != b)
                    .map(|(n, a, b)| {
                        assert_eq!(a.as_deref(), copy.get(&n));
                        assert_eq!(b.as_deref(), map.get(&n));
                        n.to_string()
                    })
                    .collect();
                prop_assert_eq!(found, names.into_iter().filter(differ).cloned().collect::<Vec<_>>());
            }
        }
    }

    /// A comparison looks at what changed, not at the whole.
    #[test]
    fn shares_what_is_the_same() {
        let mut map = Map::default();
        for i in 0..10_000 {
            map.insert(&format!("v{i}"), i);
        }
        let before = map.clone();
        map.insert("v77", 0);
        map.insert("w", 1);
        assert_eq!(before.differences(&map).len(), 2);
        assert!(before != map);
        map.remove("w");
        map.insert("v77", 77);
        assert!(before == map);
        assert!(before.ptr_eq(&before.clone()) && !before.ptr_eq(&map));
    }
}
