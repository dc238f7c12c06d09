//! Judgements of commands that were judged already.
//!
//! The key is 128 bits of a keyed hash of the command and what else its judgement depends on: the keys are random for
//! each run, so nobody can make two commands meet. Two generations bound the memory: when the young one is full it
//! becomes the old one, and what is asked for in the old one comes back into the young. Of one command that comes twice
//! at the same time one is judged and the other waits.

use super::Judgement;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock};

/// Which command, in which place.
pub(crate) type Key = (u64, u64);
type Slot = Arc<OnceLock<Arc<Judgement>>>;

const SHARDS: usize = 64;

/// The cache.
pub(crate) struct Cache {
    hashers: (RandomState, RandomState),
    shards: Vec<Mutex<Shard>>,
    /// Weight at which a generation of a shard is full.
    full: usize,
    /// One for all commands that nothing is to be said of.
    quiet: [Arc<Judgement>; 2],
}

/// Keys are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }
    fn write_u64(&mut self, n: u64) {
        // The lower bits of the first half choose the shard.
        self.0 = self.0.rotate_left(32) ^ n;
    }
}

type Slots = HashMap<Key, Slot, BuildHasherDefault<Hashed>>;

#[derive(Default)]
struct Shard {
    young: Slots,
    old: Slots,
    weight: usize,
}

impl Cache {
    /// A cache for about `most` commands without findings in each generation.
    pub(crate) fn new(most: usize) -> Self {
        use crate::verdict::Class;
        let quiet = |class| Arc::new(Judgement::quiet(class));
        Cache {
            hashers: (RandomState::new(), RandomState::new()),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            full: most / SHARDS,
            quiet: [quiet(Class::Safe), quiet(Class::Unknown)],
        }
    }

    /// The key of something.
    pub(crate) fn key(&self, what: &impl Hash) -> Key {
        (self.hashers.0.hash_one(what), self.hashers.1.hash_one(what))
    }

    /// The judgement under a key, made by `judge` where it is not there. True where it was made.
    pub(crate) fn get(&self, key: Key, judge: impl FnOnce() -> Judgement) -> (Arc<Judgement>, bool) {
        let shard = self.shards.get(usize::try_from(key.0).unwrap_or(0) % SHARDS);
        let Some(Ok(mut held)) = shard.map(Mutex::lock) else { return (Arc::new(judge()), true) };
        let slot = held.slot(key, self.full);
        drop(held);
        let mut made = 0;
        let judgement = slot.get_or_init(|| {
            let new = judge();
            made = new.weight();
            self.quiet.iter().find(|q| ***q == new).map_or_else(|| Arc::new(new), Arc::clone)
        });
        if made > 1
            && let Some(Ok(mut held)) = shard.map(Mutex::lock)
        {
            held.weight = held.weight.saturating_add(made);
        }
        (Arc::clone(judgement), made > 0)
    }
}

impl Shard {
    fn slot(&mut self, key: Key, full: usize) -> Slot {
        if let Some(slot) = self.young.get(&key) {
            return Arc::clone(slot);
        }
        let slot = self.old.get(&key).cloned().unwrap_or_default();
        if self.weight >= full {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight = self.weight.saturating_add(slot.get().map_or(1, |j| j.weight()));
        self.young.insert(key, Arc::clone(&slot));
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Class;

    fn quiet() -> Judgement {
        Judgement::quiet(Class::Safe)
    }

    #[test]
    fn judges_once_and_forgets_what_is_long_past() {
        let cache = Cache::new(SHARDS * 4);
        let ask = |n: u32| cache.get(cache.key(&n), quiet).1;
        assert!(ask(1) && !ask(1));
        for n in 10..2_000 {
            ask(n);
        }
        assert!(ask(1));
        let held: usize = cache.shards.iter().map(|s| s.lock().map(|s| s.young.len() + s.old.len()).unwrap()).sum();
        assert!(held <= SHARDS * 8, "{held}");
    }
}
