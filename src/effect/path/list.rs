//! The list of places that mean something: `grammars/lists/paths.list`, as tables that the build makes.
//!
//! In: the components of a path. Out: which entries it matches. A path is compared only with entries that have its first
//! component (or its last, for those that begin anywhere): most commands name some paths, and the list has hundreds of
//! entries. Judges nothing. Floor 3; imports nothing of the project but its parent.

use super::Part;
pub use super::kind::Mark;
pub(super) use super::kind::{Anchor, Area};
use smallvec::SmallVec;

include!(concat!(env!("OUT_DIR"), "/paths.rs"));

/// A set of [`Mark`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u32);

impl Marks {
    /// True where the mark is in it.
    pub fn has(self, mark: Mark) -> bool {
        self.0 >> (mark as u8) & 1 == 1
    }
    /// True where one of them is in it.
    pub fn any(self, marks: &[Mark]) -> bool {
        marks.iter().any(|m| self.has(*m))
    }
    /// Adds one.
    pub fn add(&mut self, mark: Mark) {
        self.0 |= 1 << (mark as u8);
    }
    /// Those in it.
    pub fn iter(self) -> impl Iterator<Item = Mark> {
        Mark::ALL.iter().copied().filter(move |m| self.has(*m))
    }
    /// True where none is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A pattern of the list.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) anchor: Anchor,
    parts: &'static [&'static str],
    /// True for `**` at the end.
    tree: bool,
}

impl Pattern {
    /// How many components the pattern has.
    pub(super) fn depth(&self) -> usize {
        self.parts.len()
    }

    /// True where the pattern stands for the place with those components (or, with `below`, for one above it).
    pub(super) fn matches(&self, parts: &[Part], below: bool) -> bool {
        if self.anchor == Anchor::Anywhere && !self.tree && !below {
            // It ends where the path ends, so it begins in one place only.
            let from = parts.len().checked_sub(self.parts.len());
            return from.and_then(|i| parts.get(i..)).is_some_and(|p| !p.is_empty() && self.matches_from(p, below));
        }
        if self.anchor == Anchor::Anywhere {
            return (0..parts.len()).any(|i| parts.get(i..).is_some_and(|p| self.matches_from(p, below)));
        }
        self.matches_from(parts, below)
    }

    fn matches_from(&self, parts: &[Part], below: bool) -> bool {
        let fits = if self.tree || below { parts.len() >= self.parts.len() } else { parts.len() == self.parts.len() };
        fits && self.parts.iter().zip(parts).all(|(pattern, part)| part.may_be(pattern))
    }
}

/// An entry: what kind of place, which places, what the list says of it.
#[derive(Debug)]
pub(super) struct Entry<K: 'static> {
    pub(super) kind: K,
    pub(super) pattern: Pattern,
    pub(super) what: &'static str,
}

/// Which entries a component may belong to, as places in a table of entries.
#[derive(Debug)]
struct Index {
    /// By the component that they have, in order.
    by_name: &'static [(&'static str, &'static [u16])],
    /// Those that have a pattern there, or nothing.
    open: &'static [u16],
}

/// Places in a table of entries.
type Places = SmallVec<[u16; 16]>;

impl Index {
    fn add(&self, part: Option<&Part>, out: &mut Places) {
        out.extend_from_slice(self.open);
        let Some(part) = part else { return };
        if let Some(name) = part.known() {
            let at = self.by_name.binary_search_by(|(n, _)| (*n).cmp(name));
            out.extend_from_slice(at.ok().and_then(|i| self.by_name.get(i)).map_or(&[][..], |(_, places)| places));
            return;
        }
        // What is known of its beginning and end, the name has, too.
        let (begin, end) = part.ends();
        if begin.is_empty() && end.is_empty() && part.is_open() {
            return;
        }
        let from = self.by_name.partition_point(|(n, _)| *n < begin);
        let same = self.by_name.get(from..).unwrap_or_default().iter().take_while(|(n, _)| n.starts_with(begin));
        same.filter(|(n, _)| n.ends_with(end)).for_each(|(_, places)| out.extend_from_slice(places));
    }
}

/// The entries at those places, in the order of the list.
fn in_order<K>(table: &'static [Entry<K>], mut places: Places) -> impl Iterator<Item = &'static Entry<K>> {
    places.sort_unstable();
    places.dedup();
    places.into_iter().filter_map(move |i| table.get(usize::from(i)))
}

/// The areas that may hold a path below the root or a home.
pub(super) fn areas(anchor: Anchor, parts: &[Part]) -> impl Iterator<Item = &'static Entry<Area>> {
    let mut places = Places::new();
    match anchor {
        Anchor::Root => AREAS_ROOT.add(parts.first(), &mut places),
        Anchor::Home => AREAS_HOME.add(parts.first(), &mut places),
        // The build refuses such areas.
        Anchor::Anywhere => {}
    }
    in_order(AREAS, places)
}

/// True where the list says that nothing there is secret.
pub(super) fn is_public(parts: &[Part]) -> bool {
    PUBLIC.iter().any(|p| p.matches(parts, false))
}

/// The marks that a path may have: those that begin anywhere, and those of the anchor.
pub(super) fn marks(anchor: Option<Anchor>, parts: &[Part]) -> impl Iterator<Item = &'static Entry<Mark>> {
    let mut places = Places::new();
    match anchor {
        Some(Anchor::Root) => MARKS_ROOT.add(parts.first(), &mut places),
        Some(Anchor::Home) => MARKS_HOME.add(parts.first(), &mut places),
        Some(Anchor::Anywhere) | None => {}
    }
    MARKS_LAST.add(parts.last(), &mut places);
    for part in parts {
        MARKS_WITHIN.add(Some(part), &mut places);
    }
    in_order(MARKS, places)
}

/// The place that a variable names.
pub(super) fn of_variable(name: &str) -> Option<&'static str> {
    find(VARIABLES, name)
}

/// The place that a program prints.
pub(super) fn of_output(program: &str) -> Option<&'static str> {
    find(OUTPUTS, program)
}

fn find(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    table.binary_search_by(|(n, _)| (*n).cmp(name)).ok().and_then(|i| table.get(i)).map(|(_, place)| *place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_has_a_place() {
        assert!(AREAS.len() > 50 && MARKS.len() > 150);
        for m in Mark::ALL {
            assert!(MARKS.iter().any(|e| e.kind == *m), "no place is marked {}", m.name());
        }
    }

    #[test]
    fn the_index_leaves_no_entry_out() {
        // A path that each pattern stands for, known and with a component that is not.
        for e in MARKS {
            let named: Vec<Part> = e.pattern.parts.iter().map(|p| Part(p.replace(['*', '?'], "x"))).collect();
            let anchor = Some(e.pattern.anchor);
            let found = |parts: &[Part]| marks(anchor, parts).any(|x| std::ptr::eq(x, e));
            assert!(found(&named), "{e:?}");
            for i in 0..named.len() {
                let mut open = named.clone();
                if let Some(part) = open.get_mut(i) {
                    part.0.insert(0, super::super::part::STAR);
                }
                assert!(!e.pattern.matches(&open, false) || found(&open), "{e:?} at {i}");
            }
        }
        for e in AREAS.iter().filter(|e| e.kind != Area::Public) {
            let named: Vec<Part> = e.pattern.parts.iter().map(|p| Part(p.replace(['*', '?'], "x"))).collect();
            assert!(areas(e.pattern.anchor, &named).any(|x| std::ptr::eq(x, e)), "{e:?}");
        }
    }
}
