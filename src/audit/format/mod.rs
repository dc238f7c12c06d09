//! History formats: lines in, entries out. One file each; this list is the only place that names them all.
//!
//! A reader is given one line after the other, so it never sees the whole file and a file may still be growing. It keeps
//! what it needs of earlier lines, within [`crate::limits::MAX_INPUT`], and never fails: what it cannot make sense of it
//! counts.

mod atuin;
mod auditd;
mod bash;
mod claude;
mod codex;
mod cowrie;
mod csv;
mod fields;
mod fish;
mod json;
mod jsonl;
mod ksh;
mod plain;
mod psreadline;
mod zsh;

use super::Entry;
use crate::effect::Language;

/// What readers put their entries into.
#[derive(Debug, Default)]
pub struct Batch {
    /// The entries so far.
    pub entries: Vec<Entry>,
    /// Lines that are not what the format has.
    pub undecodable: u64,
    /// Entries that were cut off because they have more bytes than any command that is read.
    pub too_long: u64,
}

/// Reads one file of one format.
pub trait Reader: Send {
    /// Takes the next line, without its newline. Lines are numbered from 1.
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch);
    /// The file ends: what was held back comes out.
    fn end(&mut self, _out: &mut Batch) {}
}

/// What formats with named columns are told.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The column or field that has the command; `a.b` goes into an object. Without it, usual names are tried.
    pub command: Option<String>,
}

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug)]
pub struct Hint<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its first bytes.
    pub head: &'a [u8],
}

impl<'a> Hint<'a> {
    /// The last component of the path, without the ending that compression adds.
    pub fn name(&self) -> &'a str {
        let name = self.path.rsplit(['/', '\\']).next().unwrap_or_default();
        [".gz", ".zst", ".xz", ".bz2"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(name)
    }
    /// The first lines that are wholly there and not blank.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        let whole = memchr::memrchr(b'\n', self.head).map_or(self.head, |i| self.head.get(..i).unwrap_or_default());
        whole.split(|b| *b == b'\n').map(|l| l.trim_ascii_end()).filter(|l| !l.is_empty()).take(64)
    }
    /// How many of the first lines the test holds for, of 10.
    pub fn share(&self, test: impl Fn(&[u8]) -> bool) -> usize {
        let all = self.lines().count();
        self.lines().filter(|l| test(l)).count().saturating_mul(10).checked_div(all).unwrap_or(0)
    }
}

/// A history format.
#[derive(Debug)]
pub struct Format {
    /// Its name, for `--format`.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The shell whose commands it has, where that is one.
    pub shell: Option<Language>,
    /// How well a file fits: 0 not at all, 1 where nothing better does, up to 100 for sure.
    pub fits: fn(&Hint<'_>) -> u8,
    /// A reader for one file.
    pub open: fn(&Columns) -> Box<dyn Reader>,
    /// Reads a file that is a database instead of lines.
    pub table: Option<Table>,
}

/// Reads a database: each entry in order goes to the function, which says whether to go on. Gives why it ended early.
pub type Table = fn(&std::path::Path, &mut dyn FnMut(Entry) -> bool) -> Result<(), String>;

/// Every format; the first of those that fit equally well is taken.
pub static FORMATS: &[&Format] = &[
    &atuin::FORMAT,
    &claude::FORMAT,
    &codex::FORMAT,
    &cowrie::FORMAT,
    &auditd::FORMAT,
    &fish::FORMAT,
    &zsh::FORMAT,
    &ksh::FORMAT,
    &bash::FORMAT,
    &psreadline::FORMAT,
    &jsonl::FORMAT,
    &csv::CSV,
    &csv::TSV,
    &plain::FORMAT,
];

/// The format with that name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|f| f.name == name)
}

/// The format that fits a file best, and how well.
pub fn detect(hint: &Hint<'_>) -> (&'static Format, u8) {
    let mut best: (&'static Format, u8) = (&plain::FORMAT, 0);
    for format in FORMATS {
        let fit = (format.fits)(hint);
        if fit > best.1 {
            best = (format, fit);
        }
    }
    best
}

/// Words as one line of shell text that gives these words again.
pub(crate) fn quoted<'a>(words: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for word in words {
        if !out.is_empty() {
            out.push(b' ');
        }
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(b);
        if !word.is_empty() && word.iter().all(plain) {
            out.extend_from_slice(word);
            continue;
        }
        out.push(b'\'');
        for byte in word {
            if *byte == b'\'' {
                out.extend_from_slice(b"'\\''");
            } else {
                out.push(*byte);
            }
        }
        out.push(b'\'');
    }
    out
}

/// Text that grows line by line, up to the longest command that is read.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    text: Vec<u8>,
    cut: bool,
}

impl Growing {
    /// Adds bytes; what is too much is left out and remembered.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        if self.text.len().saturating_add(bytes.len()) > crate::limits::MAX_INPUT {
            self.cut = true;
        } else if !self.cut {
            self.text.extend_from_slice(bytes);
        }
    }
    /// Takes the text out and counts it where it was cut.
    pub(crate) fn take(&mut self, out: &mut Batch) -> Vec<u8> {
        out.too_long = out.too_long.saturating_add(u64::from(std::mem::take(&mut self.cut)));
        std::mem::take(&mut self.text)
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}
