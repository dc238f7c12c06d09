//! bash's history file (bash manual, 9.1): one command a line, or with `HISTTIMEFORMAT` set a line `#SECONDS` before
//! each command.
//!
//! As bash reads it: where the first line is a time stamp, all lines up to the next stamp are one command. Where it is
//! not, nothing in the file says where a command ends, and bash takes each line for one; but it wrote quotes and
//! here-documents, and with `lithist` all else, with the newlines in them (`echo 'two`, `lines'`). So a line that leaves one open goes on with the
//! next, for as long as [`MOST_LINES`]; where it is still open then, each of these lines stands alone.

use super::{Batch, Columns, Format, Growing, Hint, Reader};
use crate::audit::Entry;
use crate::effect::Language;
use crate::syntax::ast::SyntaxError;
use crate::syntax::shell::{self, Dialect};

/// Most lines, and most bytes, that are taken together where nothing but an open quote says that they belong together.
const MOST_LINES: usize = 100;
const MOST_BYTES: usize = 64 << 10;

/// Words that begin what has an end of its own.
const OPENERS: &[&[u8]] =
    &[b"do", b"then", b"else", b"elif", b"if", b"for", b"while", b"until", b"case", b"select", b"{"];

pub(super) static FORMAT: Format = Format {
    name: "bash",
    about: "bash history, with or without time stamps",
    shell: Some(Language::Bash),
    fits,
    open: |_: &Columns| Box::new(Bash::default()),
    table: None,
};

fn fits(hint: &Hint<'_>) -> u8 {
    let name = hint.name();
    if name.ends_with("bash_history") || name == ".ash_history" {
        return 90;
    }
    if hint.lines().next().is_some_and(|l| stamp(l).is_some_and(|s| s > 100_000_000)) { 70 } else { 0 }
}

#[derive(Default)]
pub(super) struct Bash {
    /// The first line was a stamp, so commands may have several lines.
    stamped: Option<bool>,
    at: Option<i64>,
    text: Growing,
    begin: u64,
    /// Lines that leave something open, where there are no stamps.
    open: Vec<Vec<u8>>,
}

/// The seconds of a stamp line.
fn stamp(line: &[u8]) -> Option<i64> {
    let digits = line.strip_prefix(b"#")?.trim_ascii_end();
    let fits = !digits.is_empty() && digits.len() < 18 && digits.iter().all(u8::is_ascii_digit);
    fits.then(|| std::str::from_utf8(digits).ok()?.parse().ok()).flatten()
}

/// True where a shell would wait for more after this text: a command on the next line would become part of it.
fn leaves_open(text: &[u8]) -> bool {
    let marked = text.iter().any(|b| matches!(b, b'\'' | b'"' | b'`' | b'<' | b'(' | b'\\' | b'|'));
    let words = || text.split(u8::is_ascii_whitespace);
    if !marked && !text.trim_ascii_end().ends_with(b"&&") && !words().any(|w| OPENERS.contains(&w)) {
        return false;
    }
    let mut probe = text.to_vec();
    probe.extend_from_slice(b"\n:");
    let program = shell::read(&probe, Dialect::BASH);
    match program.unparsed.first() {
        Some(broken) => broken.reason == SyntaxError::UnexpectedEnd,
        None => program.lists.last().is_some_and(|l| (l.span.start as usize) <= text.len()),
    }
}

impl Bash {
    fn flush(&mut self, out: &mut Batch) {
        let text = self.text.take(out);
        self.emit(text, self.begin, out);
    }

    fn emit(&self, text: Vec<u8>, begin: u64, out: &mut Batch) {
        if !text.trim_ascii().is_empty() {
            out.entries.push(Entry { at: self.at, ..Entry::new(text, begin) });
        }
    }

    /// A line of a file without stamps.
    fn loose(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        if self.open.is_empty() {
            self.begin = number;
        }
        let held: usize = self.open.iter().map(Vec::len).sum();
        self.open.push(line.to_vec());
        let full = self.open.len() >= MOST_LINES || held.saturating_add(line.len()) > MOST_BYTES;
        let text = self.open.join(&b'\n');
        if full || !leaves_open(&text) {
            if full {
                self.apart(out);
            } else {
                self.open.clear();
                self.emit(text, self.begin, out);
            }
            self.at = None;
        }
    }

    /// The held lines, each for itself.
    fn apart(&mut self, out: &mut Batch) {
        let mut number = self.begin;
        for line in std::mem::take(&mut self.open) {
            self.emit(line, number, out);
            number = number.saturating_add(1);
        }
    }
}

impl Reader for Bash {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let at = stamp(line);
        let several = *self.stamped.get_or_insert(at.is_some());
        if at.is_some() {
            self.apart(out);
            self.flush(out);
            self.at = at;
            self.begin = number.saturating_add(1);
        } else if several {
            if !self.text.is_empty() {
                self.text.add(b"\n");
            }
            self.text.add(line);
        } else {
            self.loose(number, line, out);
        }
    }
    fn end(&mut self, out: &mut Batch) {
        self.apart(out);
        self.flush(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_waits_after_open_quotes_and_documents() {
        for open in [
            "echo 'a",
            "cat <<X\nbody",
            "echo \"$(ls",
            "a |",
            "a \\",
            "cat <<X\nX y",
            "for i in 1; do",
            "f() {\nls",
            "a &&",
        ] {
            assert!(leaves_open(open.as_bytes()), "{open}");
        }
        for whole in [
            "echo 'a'",
            "cat <<X\nbody\nX",
            "ls",
            "echo a)",
            "it's fine'",
            "a | b",
            "cat <<< x",
            "# it's",
            "if a; then b; fi",
            "echo for",
        ] {
            assert!(!leaves_open(whole.as_bytes()), "{whole}");
        }
    }

    #[test]
    fn a_stray_quote_swallows_nothing() {
        let mut reader = Bash::default();
        let mut out = Batch::default();
        for n in 1..=250 {
            reader.line(n, if n == 1 { b"echo it's" } else { b"ls" }, &mut out);
        }
        reader.end(&mut out);
        assert_eq!(out.entries.len(), 250);
        assert_eq!(out.entries.iter().map(|e| e.line).collect::<Vec<_>>(), (1..=250).collect::<Vec<_>>());
    }
}
