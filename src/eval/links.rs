//! Links that the text makes: a path that goes through one is also the path that it points to.
//!
//! In: links as they are made, paths as they are used. Out: paths with both readings, as the name may have been a
//! directory in which the link was made. Imports what its parent does.

use super::Interp;
use crate::limits;
use crate::value::{Taint, Value};

impl Interp<'_> {
    /// Remembers a link. A link that is made in a directory has the name of what it points to.
    pub(crate) fn note_link(&mut self, link: &Value, target: &Value) {
        if self.links.len() >= limits::MAX_LINKS {
            return;
        }
        let prefix = link.prefix();
        let (dir, named) = (prefix.ends_with(b"/"), link.as_literal().is_some());
        if named && !dir && !matches!(&*prefix, b"." | b"..") {
            let key = self.file_key(link);
            self.links.insert(key, target.clone());
        }
        let shown = target.show();
        let base = shown.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if named && !base.is_empty() {
            let mut below = link.clone();
            if !dir {
                below.push(Value::computed(b"/", link.place(), Taint::default()));
            }
            below.push(Value::computed(base.as_bytes(), link.place(), Taint::default()));
            let key = self.file_key(&below);
            self.links.insert(key, target.clone());
        }
    }

    /// The path, and where it leads through the first link on it. `itself`: the last name is meant itself where it is a
    /// link, as for a deletion.
    pub(crate) fn through_links(&self, path: Value, itself: bool) -> Value {
        if self.links.is_empty() {
            return path;
        }
        let prefix = path.prefix();
        let known = path.as_literal().is_some();
        let slashes = prefix.iter().enumerate().filter(|(i, b)| **b == b'/' && *i > 0).map(|(i, _)| i);
        let whole = (known && !itself).then_some(prefix.len());
        for end in slashes.chain(whole).take(limits::MAX_LINKS) {
            let (name, rest) = path.split_at(end);
            let Some(target) = self.links.get(&self.file_key(&name)) else { continue };
            let mut through = target.clone();
            through.push(rest);
            return Value::either(path, through);
        }
        path
    }
}
