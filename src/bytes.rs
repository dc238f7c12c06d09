//! A run of bytes that is cheap to copy.
//!
//! In: bytes. Out: the same bytes. Up to [`SHORT`] of them, which is nearly every word of a shell text, stand in the value
//! itself; longer runs are shared between copies until one of them is changed. The interpreter copies words into argument
//! lists, effects and variables all the time, so that a copy must not cost what the text has in bytes. Floor 1; imports
//! nothing.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Most bytes that need no allocation.
const SHORT: usize = 22;

/// A run of bytes.
#[derive(Clone)]
pub struct Bytes(Repr);

#[derive(Clone)]
enum Repr {
    Short { len: u8, buf: [u8; SHORT] },
    Long(Rc<Vec<u8>>),
}

impl Bytes {
    /// No bytes.
    pub const fn new() -> Self {
        Bytes(Repr::Short { len: 0, buf: [0; SHORT] })
    }
    /// A copy of these bytes.
    pub fn from_slice(bytes: &[u8]) -> Self {
        let mut buf = [0; SHORT];
        match (buf.get_mut(..bytes.len()), u8::try_from(bytes.len())) {
            (Some(to), Ok(len)) => {
                to.copy_from_slice(bytes);
                Bytes(Repr::Short { len, buf })
            }
            _ => Bytes(Repr::Long(Rc::new(bytes.to_vec()))),
        }
    }
    /// These bytes.
    pub fn from_vec(bytes: Vec<u8>) -> Self {
        if bytes.len() <= SHORT { Bytes::from_slice(&bytes) } else { Bytes(Repr::Long(Rc::new(bytes))) }
    }
    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Repr::Short { len, buf } => buf.get(..usize::from(*len)).unwrap_or(buf),
            Repr::Long(v) => v,
        }
    }
    /// One more byte.
    pub fn push(&mut self, byte: u8) {
        self.extend_from_slice(&[byte]);
    }
    /// More bytes.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Repr::Long(v) => Rc::make_mut(v).extend_from_slice(bytes),
            Repr::Short { len, buf } => {
                let old = usize::from(*len);
                let new = old.saturating_add(bytes.len());
                match (buf.get_mut(old..new), u8::try_from(new)) {
                    (Some(to), Ok(n)) => {
                        to.copy_from_slice(bytes);
                        *len = n;
                    }
                    _ => {
                        let mut v = Vec::with_capacity(new.saturating_mul(2));
                        v.extend_from_slice(buf.get(..old).unwrap_or(&[]));
                        v.extend_from_slice(bytes);
                        self.0 = Repr::Long(Rc::new(v));
                    }
                }
            }
        }
    }
    /// Keeps the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        match &mut self.0 {
            Repr::Long(v) if len > SHORT => Rc::make_mut(v).truncate(len),
            _ => *self = Bytes::from_slice(self.get(..len).unwrap_or(&[])),
        }
    }
    /// Takes the last byte off.
    pub fn pop(&mut self) -> Option<u8> {
        let last = *self.last()?;
        self.truncate(self.len().saturating_sub(1));
        Some(last)
    }
    /// Takes all bytes away.
    pub fn clear(&mut self) {
        *self = Bytes::new();
    }
    /// The bytes, to be kept.
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Long(v) => Rc::unwrap_or_clone(v),
            Repr::Short { .. } => self.as_slice().to_vec(),
        }
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Bytes::new()
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Repr::Short { len, buf } => buf.get_mut(..usize::from(*len)).unwrap_or_default(),
            Repr::Long(v) => Rc::make_mut(v).as_mut_slice(),
        }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Long(a), Repr::Long(b)) if Rc::ptr_eq(a, b) => true,
            _ => self.as_slice() == other.as_slice(),
        }
    }
}

impl Eq for Bytes {}

impl Hash for Bytes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Bytes::from_slice(bytes)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from_vec(bytes)
    }
}

impl FromIterator<u8> for Bytes {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        Bytes::from_vec(bytes.into_iter().collect())
    }
}

impl Extend<u8> for Bytes {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, bytes: I) {
        bytes.into_iter().for_each(|b| self.push(b));
    }
}

impl<'a> IntoIterator for &'a Bytes {
    type Item = &'a u8;
    type IntoIter = std::slice::Iter<'a, u8>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, SHORT};

    #[test]
    fn holds_what_it_was_given() {
        for n in [0, 1, SHORT - 1, SHORT, SHORT + 1, 300] {
            let text: Vec<u8> = (0..n).map(|i| (i % 251) as u8).collect();
            let mut grown = Bytes::new();
            text.iter().for_each(|b| grown.push(*b));
            for b in [Bytes::from_slice(&text), Bytes::from_vec(text.clone()), text.iter().copied().collect(), grown] {
                assert_eq!(b.as_slice(), text);
                assert_eq!(b, Bytes::from_slice(&text));
                assert_eq!(b.clone().into_vec(), text);
                let mut longer = b.clone();
                longer.extend_from_slice(b"0123456789");
                assert_eq!(longer.len(), n + 10);
                assert!(longer.starts_with(&text) && longer.ends_with(b"0123456789"));
                assert_eq!(b.as_slice(), text, "a copy changed");
                longer.truncate(n);
                assert_eq!(longer, b);
            }
        }
    }

    #[test]
    fn is_small() {
        assert_eq!(std::mem::size_of::<Bytes>(), 24);
    }
}
