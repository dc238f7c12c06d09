//! A level of a grammar that is decoded when it is first asked for: `git` has a hundred sub-commands, a call needs one.

use super::code::{Bytes, Coded};
use super::model::Level;
use std::sync::OnceLock;

/// A [`Level`], decoded or not yet.
#[derive(Clone, Debug, Default)]
pub struct Lazy {
    stored: Option<Bytes>,
    level: OnceLock<Box<Level>>,
}

impl Lazy {
    /// One that is there.
    pub fn new(level: Level) -> Self {
        Lazy { stored: None, level: OnceLock::from(Box::new(level)) }
    }
    /// The level; an empty one where the stored form is broken (the build makes sure it is not).
    pub fn get(&self) -> &Level {
        self.level.get_or_init(|| Box::new(self.stored.and_then(|mut b| Level::take(&mut b)).unwrap_or_default()))
    }
}

impl PartialEq for Lazy {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Coded for Lazy {
    fn put(&self, out: &mut Vec<u8>) {
        let mut own = Vec::new();
        self.get().put(&mut own);
        (own.len() as u64).put(out);
        out.extend_from_slice(&own);
    }
    fn take(from: &mut Bytes) -> Option<Self> {
        let n = usize::try_from(u64::take(from)?).ok()?;
        Some(Lazy { stored: Some(Bytes(from.run(n)?)), level: OnceLock::new() })
    }
}
