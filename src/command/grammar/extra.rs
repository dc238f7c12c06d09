//! Grammars that were loaded at run time. They are asked before those of the build, so that whoever runs this can add
//! programs and put facts right. Where none was loaded, asking costs one atomic read.

use super::Grammar;
use super::read::is_glob;
use crate::glob;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};

static ANY: AtomicBool = AtomicBool::new(false);
static ALL: RwLock<Vec<&'static Grammar>> = RwLock::new(Vec::new());

/// Adds grammars for this process; the later ones come first.
pub fn extend(grammars: &[&'static Grammar]) {
    if grammars.is_empty() {
        return;
    }
    let mut all = ALL.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    all.splice(0..0, grammars.iter().copied());
    ANY.store(true, Ordering::Release);
}

/// The first one that has the name, in the shell of that name; without one, in all.
pub(super) fn find(realm: &str, name: &str) -> Option<&'static Grammar> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    let all = ALL.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    let here = |g: &&&Grammar| if g.shells.is_empty() { realm.is_empty() } else { g.shells.contains(&realm) };
    let named = |n: &&'static str| *n == name || is_glob(n) && glob::any(n, name.as_bytes());
    let has = |g: &&&Grammar| g.names.iter().any(&named) || g.aliases.iter().any(|a| a.names.contains(&name));
    all.iter().filter(here).find(has).copied()
}
