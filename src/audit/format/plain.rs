//! Plain lists: one command a line.

use super::{Batch, Columns, Format, Hint, Reader};
use crate::audit::Entry;

pub(super) static FORMAT: Format =
    Format { name: "plain", about: "One command a line", shell: None, fits: |_: &Hint<'_>| 1, open, table: None };

struct Plain;

fn open(_: &Columns) -> Box<dyn Reader> {
    Box::new(Plain)
}

impl Reader for Plain {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        if !line.trim_ascii().is_empty() {
            out.entries.push(Entry::new(line, number));
        }
    }
}
