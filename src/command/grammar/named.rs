//! Items with names, each decoded when it is first asked for: curl has 260 options, git a hundred sub-commands, and a call
//! needs a few of them.
//!
//! Floor 4; imports nothing but the binary form. The stored form begins with an index of names in order, so that a name is
//! found without decoding anything else.

use super::code::{Bytes, Coded};
use std::sync::OnceLock;

/// What has names.
pub trait HasNames {
    /// Its names, the main one first.
    fn names(&self) -> &[&'static str];
}

/// Items in the order of their declaration.
#[derive(Clone, Debug)]
pub struct Named<T> {
    stored: Stored,
    items: Vec<OnceLock<Box<T>>>,
}

/// Where the parts of the stored form are; all empty for items that were made in memory.
#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    /// [`ROW`] bytes a name, in the order of names: where it stands in `names` (4), its length (2), its item (2).
    index: &'static [u8],
    names: &'static [u8],
    /// Four bytes an item: where it stands in `bodies`.
    starts: &'static [u8],
    bodies: &'static [u8],
}

const ROW: usize = 8;

fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b))
}

impl Stored {
    /// How many names there are.
    fn len(&self) -> usize {
        self.index.len() / ROW
    }
    /// A name and the item that has it.
    fn name(&self, i: usize) -> Option<(&'static [u8], usize)> {
        let row = self.index.get(i.checked_mul(ROW)?..)?.get(..ROW)?;
        let (at, length, item) = (number(row.get(..4)?), number(row.get(4..6)?), number(row.get(6..)?));
        Some((self.names.get(at..)?.get(..length)?, item))
    }
    /// The first name that is not before the text.
    fn lower(&self, text: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.name(middle) {
                Some((name, _)) if name < text => low = middle.saturating_add(1),
                _ => high = middle,
            }
        }
        low
    }
    fn item(&self, i: usize) -> Option<Bytes> {
        let at = number(self.starts.get(i.checked_mul(4)?..)?.get(..4)?);
        self.bodies.get(at..).map(Bytes)
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named { stored: Stored::default(), items: Vec::new() }
    }
}

impl<T: Coded + Default + HasNames> Named<T> {
    /// Adds one behind the others. The stored form, if any, does not know its names: only those that are made in memory
    /// grow.
    pub fn push(&mut self, item: T) {
        self.items.push(OnceLock::from(Box::new(item)));
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The one with that number; an empty one where the stored form is broken (the build makes sure it is not).
    pub fn get(&self, i: usize) -> Option<&T> {
        let made = || Box::new(self.stored.item(i).and_then(|mut b| T::take(&mut b)).unwrap_or_default());
        self.items.get(i).map(|cell| &**cell.get_or_init(made))
    }
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        (0..self.items.len()).filter_map(|i| self.get(i))
    }
    /// The first that has the name.
    pub fn find(&self, name: &[u8], nocase: bool) -> Option<&T> {
        self.first(name, name.len(), nocase).next()
    }
    /// Those that have a name that begins so, each once, in order.
    pub fn beginning(&self, text: &[u8], nocase: bool) -> impl Iterator<Item = &T> {
        self.first(text, usize::MAX, nocase)
    }

    /// Those that have a name which begins so and is at most that long.
    fn first(&self, text: &[u8], most: usize, nocase: bool) -> impl Iterator<Item = &T> {
        let begins = |name: &[u8]| {
            let head = name.get(..text.len());
            name.len() <= most && head.is_some_and(|h| if nocase { h.eq_ignore_ascii_case(text) } else { h == text })
        };
        let mut found: Vec<usize> = Vec::new();
        if self.stored.len() == 0 {
            let has = |i: &usize| self.get(*i).is_some_and(|t| t.names().iter().any(|n| begins(n.as_bytes())));
            found.extend((0..self.items.len()).filter(has));
        } else {
            let from = if nocase { 0 } else { self.stored.lower(text) };
            for (name, item) in (from..self.stored.len()).filter_map(|i| self.stored.name(i)) {
                if begins(name) {
                    found.push(item);
                } else if !nocase {
                    // The names that begin so stand together, the shortest first.
                    break;
                }
            }
            found.sort_unstable();
            found.dedup();
        }
        found.into_iter().filter_map(|i| self.get(i))
    }
}

impl<T: Coded + Default + HasNames + PartialEq> PartialEq for Named<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T: Coded + Default + HasNames> Coded for Named<T> {
    fn put(&self, out: &mut Vec<u8>) {
        let four = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
        let two = |n: usize| u16::try_from(n).unwrap_or(u16::MAX).to_le_bytes();
        let (mut starts, mut bodies, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (i, item) in self.iter().enumerate() {
            starts.extend(four(bodies.len()));
            item.put(&mut bodies);
            rows.extend(item.names().iter().map(|n| (n.as_bytes(), i)));
        }
        rows.sort_unstable();
        let (mut index, mut names) = (Vec::new(), Vec::new());
        for (name, i) in rows {
            index.extend(four(names.len()));
            index.extend(two(name.len()));
            index.extend(two(i));
            names.extend_from_slice(name);
        }
        (self.len() as u64).put(out);
        for part in [index, names, starts, bodies] {
            (part.len() as u64).put(out);
            out.extend(part);
        }
    }

    fn take(from: &mut Bytes) -> Option<Self> {
        let n = usize::try_from(u64::take(from)?).ok()?;
        let mut part = || usize::try_from(u64::take(from)?).ok().and_then(|n| from.run(n));
        let stored = Stored { index: part()?, names: part()?, starts: part()?, bodies: part()? };
        // Four bytes an item, so a wrong length cannot ask for more memory than there are bytes.
        let n = n.min(stored.starts.len() / 4);
        Some(Named { stored, items: std::iter::repeat_with(OnceLock::new).take(n).collect() })
    }
}
