//! A scan: paths → files → pieces → judgements, on all cores; the results in the order of the paths.

use super::{Kind, Piece, kind, line_column};
use crate::analyzer::Options;
use crate::audit::engine::Judge;
use crate::audit::format::Hint;
use crate::audit::input::is_binary;
use crate::effect::Language;
use crate::finding::Finding;
use crate::limits::MAX_INPUT;
use crate::redact;
use rayon::prelude::*;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A finding at its place in a file.
#[derive(Clone, Debug)]
pub struct Located {
    /// The file.
    pub path: String,
    /// The kind of file.
    pub kind: &'static str,
    /// Where it begins: line and column in characters, from 1.
    pub start: (usize, usize),
    /// Where it ends.
    pub end: (usize, usize),
    /// The text there, secrets replaced, its beginning where it is long.
    pub text: String,
    /// What was found. Its spans are those of the piece of shell text.
    pub finding: Finding,
    /// The change that takes the finding away, where there is one that is sure.
    pub fix: Option<Fix>,
}

/// A change of a file: what stands between two places is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Where it begins: line and column in characters, from 1.
    pub start: (usize, usize),
    /// Where it ends.
    pub end: (usize, usize),
    /// What comes there.
    pub text: String,
}

impl Located {
    /// What names the finding in a baseline: file, rule and text, so that it stays the same when lines move.
    pub fn fingerprint(&self) -> String {
        let what = format!("{}\0{}\0{}", self.path, self.finding.rule_id, self.text);
        let turned: Vec<u8> = what.bytes().rev().collect();
        format!("{}{}", redact::fingerprint(what.as_bytes()), redact::fingerprint(&turned))
    }

    /// True for a word that such a name can be.
    pub fn is_fingerprint(word: &str) -> bool {
        word.len() == 16 && word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    }
}

/// What a scan gives.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The findings, by file and place.
    pub found: Vec<Located>,
    /// Files with shell text.
    pub files: usize,
    /// Pieces of shell text in them.
    pub pieces: usize,
    /// What could not be read.
    pub problems: Vec<String>,
}

/// Longest text of a place that is kept, in bytes.
const TEXT: usize = 500;

/// The files at these paths: those that are named, and below directories those that git would not ignore.
pub fn files(paths: &[PathBuf], problems: &mut Vec<String>) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for path in paths {
        if !path.is_dir() {
            out.push(path.clone());
            continue;
        }
        // Hidden files are looked at: pipelines stand in them. What belongs to git itself is not.
        let walk = ignore::WalkBuilder::new(path)
            .hidden(false)
            .require_git(false)
            .filter_entry(|e| e.file_name() != ".git")
            .sort_by_file_name(std::ffi::OsStr::cmp)
            .build();
        for entry in walk {
            match entry {
                Ok(e) if e.file_type().is_some_and(|t| t.is_file()) => out.push(e.into_path()),
                Ok(_) => {}
                Err(e) => problems.push(e.to_string()),
            }
        }
    }
    out
}

/// Scans files. One of those that were `named`, not found below a directory, is a problem where it has no kind.
pub fn run(
    files: &[PathBuf],
    named: &[PathBuf],
    markdown: bool,
    shell: Language,
    pool: &rayon::ThreadPool,
    judge: &Judge<'_>,
) -> Scanned {
    let one = |path: &PathBuf| file(path, named.contains(path), markdown, shell, judge);
    let each: Vec<Scanned> = pool.install(|| files.par_iter().map(one).collect());
    let mut whole = Scanned::default();
    for part in each {
        whole.found.extend(part.found);
        whole.files = whole.files.saturating_add(part.files);
        whole.pieces = whole.pieces.saturating_add(part.pieces);
        whole.problems.extend(part.problems);
    }
    whole
}

fn file(path: &Path, named: bool, markdown: bool, shell: Language, judge: &Judge<'_>) -> Scanned {
    let mut out = Scanned::default();
    let name = path.to_string_lossy();
    match read(path, &name, markdown) {
        Err(e) => out.problems.push(format!("{name}: {e}")),
        Ok(None) if named => {
            let why = match kind(&Hint { path: &name, head: b"" }, true) {
                Some(_) if !markdown => "--markdown reads its code blocks",
                _ => "neither its name nor its first line says what shell text it has",
            };
            out.problems.push(format!("{name}: not read: {why}"));
        }
        Ok(None) => {}
        Ok(Some((kind, bytes))) => {
            out.files = 1;
            let hint = Hint { path: &name, head: bytes.get(..4096).unwrap_or(&bytes) };
            for piece in (kind.pieces)(&hint, &bytes) {
                out.pieces = out.pieces.saturating_add(1);
                let options = Options { shell: piece.shell.unwrap_or(shell), ..Options::default() };
                let judgement = judge(&piece.text, &options);
                let of = |f: &Finding| located(&name, kind, &bytes, &piece, f);
                out.found
                    .extend(redact::with(&judgement.secrets, || judgement.findings.iter().map(of).collect::<Vec<_>>()));
            }
            out.found.sort_by_key(|l| (l.start, std::cmp::Reverse(l.finding.severity)));
        }
    }
    out
}

/// The bytes of a file that has shell text. Of others only the beginning is read.
fn read(path: &Path, name: &str, markdown: bool) -> std::io::Result<Option<(&'static Kind, Vec<u8>)>> {
    let file = std::fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let mut file = file.take(4096);
    file.read_to_end(&mut bytes)?;
    let Some(kind) = kind(&Hint { path: name, head: &bytes }, markdown) else { return Ok(None) };
    if is_binary(&bytes) {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "it is a binary file"));
    }
    // One byte more than the analyzer takes, so that it says that the file is too large.
    file.set_limit(u64::try_from(MAX_INPUT).unwrap_or(u64::MAX));
    file.read_to_end(&mut bytes)?;
    Ok(Some((kind, bytes)))
}

fn located(name: &str, kind: &Kind, bytes: &[u8], piece: &Piece, finding: &Finding) -> Located {
    let (start, end) = (finding.span.start as usize, finding.span.end as usize);
    let from = piece.offset(start);
    // The place of the last byte: the end itself may belong to the next run.
    let to = if end > start { piece.end(end) } else { from };
    // What was put in before a shell would see it is shown as it stands in the file.
    let text = match piece.is_exact(start, end) {
        true => piece.text.get(start..end),
        false => bytes.get(from..to),
    };
    let text = text.unwrap_or_default();
    let clean = redact::text(&String::from_utf8_lossy(text)).into_owned();
    Located {
        path: name.strip_prefix("./").unwrap_or(name).to_string(),
        kind: kind.name,
        start: line_column(bytes, from),
        end: line_column(bytes, to.max(from)),
        text: clean.char_indices().take_while(|(i, _)| *i < TEXT).map(|(_, c)| c).collect(),
        finding: finding.clone(),
        fix: fix(kind, bytes, piece, finding),
    }
}

/// The rewritten command as a change of the file, where what changes stands there as the shell gets it.
fn fix(kind: &Kind, bytes: &[u8], piece: &Piece, finding: &Finding) -> Option<Fix> {
    let (old, new) = (std::str::from_utf8(&piece.text).ok()?.trim_end(), finding.fix.as_deref()?);
    let same = |(a, b): &(char, char)| a == b;
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (rest, text) = (old.get(start..)?, new.get(start..)?);
    let tail: usize = rest.chars().rev().zip(text.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let text = text.get(..text.len().checked_sub(tail)?)?;
    let end = old.len().checked_sub(tail)?;
    // Other kinds of files have quotes, escapes and variables of their own.
    let plain = kind.plain || !text.contains(['"', '\'', '\\', '$', '%', '\n']);
    let (from, to) = (piece.offset(start), piece.offset(end));
    let stands = piece.is_exact(start.saturating_sub(1), end.saturating_add(1)) && to.checked_sub(from)? == end - start;
    if !plain || !stands || redact::text(text) != text {
        return None;
    }
    Some(Fix { start: line_column(bytes, from), end: line_column(bytes, to), text: text.to_string() })
}
