//! fish's history file: a list in the form of YAML, which fish writes and reads with code of its own.
//!
//! `- cmd: TEXT` begins an entry, `  when: SECONDS` and `  paths:` follow. In TEXT a backslash is `\\` and a newline `\n`.

use super::{Batch, Columns, Format, Hint, Reader};
use crate::audit::Entry;
use crate::effect::Language;

pub(super) static FORMAT: Format = Format {
    name: "fish",
    about: "fish history",
    shell: Some(Language::Fish),
    fits,
    open: |_: &Columns| Box::new(Fish::default()),
    table: None,
};

fn fits(hint: &Hint<'_>) -> u8 {
    let first = hint.lines().next().is_some_and(|l| l.starts_with(b"- cmd: "));
    match (hint.name().ends_with("fish_history"), first) {
        (_, true) => 95,
        (true, false) => 80,
        (false, false) => 0,
    }
}

#[derive(Default)]
struct Fish {
    entry: Option<Entry>,
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(b) = bytes.next() {
        match (b, bytes.as_slice().first()) {
            (b'\\', Some(b'n')) => {
                out.push(b'\n');
                bytes.next();
            }
            (b'\\', Some(b'\\')) => {
                out.push(b'\\');
                bytes.next();
            }
            _ => out.push(*b),
        }
    }
    out
}

impl Fish {
    fn flush(&mut self, out: &mut Batch) {
        out.entries.extend(self.entry.take().filter(|e| !e.command.trim_ascii().is_empty()));
    }
}

impl Reader for Fish {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        if let Some(text) = line.strip_prefix(b"- cmd:") {
            self.flush(out);
            self.entry = Some(Entry::new(unescape(text.trim_ascii_start()), number));
        } else if let Some(when) = line.strip_prefix(b"  when:") {
            let at = std::str::from_utf8(when).ok().and_then(|w| w.trim().parse().ok());
            if let Some(entry) = &mut self.entry {
                entry.at = at;
            }
        } else if !line.is_empty() && !line.starts_with(b"  ") {
            out.undecodable = out.undecodable.saturating_add(1);
        }
    }
    fn end(&mut self, out: &mut Batch) {
        self.flush(out);
    }
}
