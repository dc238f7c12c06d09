//! zsh's history file: `: SECONDS:ELAPSED;command` with `EXTENDED_HISTORY`, else the command alone.
//!
//! A newline in a command is written as backslash and newline. Bytes that mean something to zsh's line editor, all of
//! 0x83 to 0xA2 and NUL, are *metafied*: 0x83, then the byte with bit 0x20 flipped (zsh, `Src/utils.c`). A command that
//! ends in backslashes gets a space after them, so that they do not continue it.

use super::{Batch, Columns, Format, Growing, Hint, Reader};
use crate::audit::Entry;
use crate::effect::Language;

pub(super) static FORMAT: Format = Format {
    name: "zsh",
    about: "zsh history, plain or extended",
    shell: Some(Language::Zsh),
    fits,
    open: |_: &Columns| Box::new(Zsh::default()),
    table: None,
};

fn fits(hint: &Hint<'_>) -> u8 {
    let name = hint.name();
    if name.ends_with("zsh_history") || name == ".zhistory" || name == ".histfile" {
        return 90;
    }
    if hint.lines().next().is_some_and(|l| head(l).is_some()) { 85 } else { 0 }
}

#[derive(Default)]
struct Zsh {
    text: Growing,
    begin: u64,
    at: Option<i64>,
    open: bool,
}

/// Takes `: 1700000000:0;` off.
fn head(line: &[u8]) -> Option<(i64, &[u8])> {
    let rest = line.strip_prefix(b": ")?;
    let colon = rest.iter().take(20).position(|b| *b == b':')?;
    let at = std::str::from_utf8(rest.get(..colon)?).ok()?.trim().parse().ok()?;
    let rest = rest.get(colon.saturating_add(1)..)?;
    let semicolon = rest.iter().take(20).position(|b| *b == b';')?;
    let elapsed = rest.get(..semicolon)?;
    (!elapsed.is_empty() && elapsed.iter().all(u8::is_ascii_digit))
        .then(|| (at, rest.get(semicolon.saturating_add(1)..).unwrap_or_default()))
}

/// Undoes the metafying.
fn plain(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut bytes = line.iter();
    while let Some(b) = bytes.next() {
        match b {
            0x83 => out.extend(bytes.next().map(|b| b ^ 0x20)),
            b => out.push(*b),
        }
    }
    out
}

impl Zsh {
    fn flush(&mut self, out: &mut Batch) {
        let mut text = self.text.take(out);
        if text.ends_with(b" ") && text.trim_ascii_end().ends_with(b"\\") {
            text.pop();
        }
        if !text.trim_ascii().is_empty() {
            out.entries.push(Entry { at: self.at, ..Entry::new(text, self.begin) });
        }
        self.open = false;
        self.at = None;
    }
}

impl Reader for Zsh {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let mut line = line;
        if !self.open {
            self.begin = number;
            if let Some((at, rest)) = head(line) {
                self.at = Some(at);
                line = rest;
            } else if line.starts_with(b"\\:") {
                // Without stamps, a command that begins with a colon gets a backslash before it.
                line = line.get(1..).unwrap_or_default();
            }
        }
        let body = line.strip_suffix(b"\\");
        self.text.add(&plain(body.unwrap_or(line)));
        if body.is_some() {
            self.text.add(b"\n");
            self.open = true;
        } else {
            self.flush(out);
        }
    }
    fn end(&mut self, out: &mut Batch) {
        self.flush(out);
    }
}
