//! What the formats of JSON lines share: one object a line, looked at through typed structs.

use super::Batch;
use serde::Deserialize;
use std::sync::Arc;

/// Reads a line into a struct; a line that is no such object is counted. Blank lines are nothing.
pub(super) fn read<'a, T: Deserialize<'a>>(line: &'a [u8], out: &mut Batch) -> Option<T> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    match serde_json::from_slice(line) {
        Ok(value) => Some(value),
        Err(_) => {
            out.undecodable = out.undecodable.saturating_add(1);
            None
        }
    }
}

/// Names that come again and again, kept once: the last one is remembered.
#[derive(Default)]
pub(super) struct Last(Option<Arc<str>>);

impl Last {
    /// The shared form of the name.
    pub(super) fn share(&mut self, name: Option<&str>) -> Option<Arc<str>> {
        let name = name.filter(|n| !n.is_empty())?;
        if self.0.as_deref() != Some(name) {
            self.0 = Some(Arc::from(name));
        }
        self.0.clone()
    }
}

/// True where most of the first lines are JSON objects with this text in them.
pub(super) fn has(hint: &super::Hint<'_>, needle: &str) -> bool {
    let finder = memchr::memmem::Finder::new(needle);
    hint.head.trim_ascii_start().starts_with(b"{") && finder.find(hint.head).is_some()
}
