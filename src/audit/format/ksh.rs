//! ksh93's history file (ksh93, `src/cmd/ksh93/edit/history.c`): 0x81 and 0x01, then commands, each ending with a newline
//! and one or two NUL, so that each begins on an even byte. 0x81 0x00 takes the command before it back; 0x82 0x00, three
//! bytes and 0x00 tell the number of the next.
//!
//! The file of the same name that other shells write is text: what does not begin so is read as bash's.

use super::bash::Bash;
use super::{Batch, Columns, Format, Growing, Hint, Reader};
use crate::audit::Entry;
use crate::effect::Language;

const MAGIC: &[u8] = b"\x81\x01";
const TAKEN_BACK: u8 = 0x81;
const NUMBER: u8 = 0x82;
/// Bytes of a number after the one that begins it.
const NUMBER_REST: usize = 5;

pub(super) static FORMAT: Format = Format {
    name: "ksh",
    about: "ksh history",
    shell: Some(Language::Ksh),
    fits,
    open: |_: &Columns| Box::new(Ksh::default()),
    table: None,
};

fn fits(hint: &Hint<'_>) -> u8 {
    match (hint.head.starts_with(MAGIC), hint.name() == ".sh_history") {
        (true, _) => 95,
        (false, true) => 90,
        (false, false) => 0,
    }
}

#[derive(Default)]
struct Ksh {
    /// It is no file of ksh93.
    other: Option<Bash>,
    text: Growing,
    begin: u64,
    /// Lines that belong to the command, its end not counted.
    lines: usize,
    /// Bytes of a number that are still to come; a newline may be one of them.
    skip: usize,
    last: Option<Entry>,
}

impl Ksh {
    /// The command is whole.
    fn flush(&mut self, out: &mut Batch) {
        let text = self.text.take(out);
        self.lines = 0;
        if !text.trim_ascii().is_empty() {
            out.entries.extend(self.last.replace(Entry::new(text, self.begin)));
        }
    }

    /// What stands before the first byte of a line's text: ends of commands, and marks.
    fn marks<'l>(&mut self, mut line: &'l [u8], out: &mut Batch) -> &'l [u8] {
        loop {
            let skipped = self.skip.min(line.len());
            line = line.get(skipped..).unwrap_or_default();
            self.skip = self.skip.saturating_sub(skipped);
            match line {
                [0, rest @ ..] => {
                    self.flush(out);
                    line = rest;
                }
                [TAKEN_BACK, 0, rest @ ..] if self.lines == 0 => {
                    self.last = None;
                    line = rest;
                }
                [NUMBER, rest @ ..] if self.lines == 0 => {
                    self.skip = NUMBER_REST;
                    line = rest;
                }
                _ => return line,
            }
        }
    }
}

impl Reader for Ksh {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let line = match line.strip_prefix(MAGIC) {
            Some(rest) if number == 1 => rest,
            None if number == 1 => {
                self.other = Some(Bash::default());
                line
            }
            _ => line,
        };
        if let Some(other) = &mut self.other {
            return other.line(number, line, out);
        }
        let text = self.marks(line, out);
        // The newline that ended this line was the next byte of a number.
        if self.skip > 0 {
            self.skip = self.skip.saturating_sub(1);
            return;
        }
        if self.lines == 0 {
            self.begin = number;
        } else {
            self.text.add(b"\n");
        }
        self.lines = self.lines.saturating_add(1);
        self.text.add(text);
    }
    fn end(&mut self, out: &mut Batch) {
        if let Some(other) = &mut self.other {
            return other.end(out);
        }
        self.flush(out);
        out.entries.extend(self.last.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_what_was_taken_back() {
        let bytes = b"\x81\x01ls\n\0echo 'a\nb'\n\0\0rm x\n\0\x81\0\x82\0\0\0\n\0id\n\0\0\x82\0\0\n\n\0w\n\0half";
        let (mut reader, mut out) = (Ksh::default(), Batch::default());
        for (number, line) in (1..).zip(bytes.split(|b| *b == b'\n')) {
            reader.line(number, line, &mut out);
        }
        reader.end(&mut out);
        let got: Vec<_> = out.entries.iter().map(|e| (e.line, String::from_utf8_lossy(&e.command))).collect();
        let want = [(1, "ls"), (2, "echo 'a\nb'"), (6, "id"), (9, "w"), (10, "half")];
        assert_eq!(got, want.map(|(n, t)| (n, t.into())));
    }
}
