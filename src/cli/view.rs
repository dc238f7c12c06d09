//! `shellward view`: a text with every character in it made visible, and a list of those that deceive.

use super::exit::{Exit, Failure};
use super::output;
use crate::limits::MAX_INPUT;
use crate::report::visible::Visible;
use crate::text;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::fmt::Write as _;
use std::io::Read;
use std::path::PathBuf;

/// Arguments of `view`.
#[derive(Debug, Args)]
struct ViewArgs {
    /// Print only the list of deceptive characters
    #[arg(long)]
    list: bool,
    /// The file; standard input where it is - or not given
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(super) fn describe(command: Command) -> Command {
    ViewArgs::augment_args(command)
        .about("Show a file with every invisible and deceptive character made visible")
        .after_help("Ends with 2 where there are deceptive characters, with 0 where there are none.")
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let args = ViewArgs::from_arg_matches(matches).map_err(|e| Failure::usage(e.to_string()))?;
    let bytes = read(args.file.as_deref())?;
    let mut out = String::new();
    if !args.list {
        out.push_str(&Visible::new(&bytes).text);
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
    }
    let found = text::marks(&bytes);
    let words = words(&bytes);
    if !args.list && (!found.is_empty() || !words.is_empty()) {
        out.push('\n');
    }
    let mut list: Vec<(usize, usize, &str)> = found.iter().map(|m| (m.start, m.end, m.kind.says())).collect();
    list.extend(words.iter().map(|(start, end)| (*start, *end, "has letters that look like others")));
    list.sort_unstable();
    // The line of the last mark, and where it begins: the text is walked once.
    let (mut row, mut begin, mut walked) = (1usize, 0usize, 0usize);
    for (start, end, says) in list {
        let since = bytes.get(walked..start).unwrap_or_default();
        row = row.saturating_add(since.iter().filter(|b| **b == b'\n').count());
        if let Some(last) = since.iter().rposition(|b| *b == b'\n') {
            begin = walked.saturating_add(last).saturating_add(1);
        }
        walked = start.max(walked);
        line(
            &mut out,
            row,
            bytes.get(begin..start).unwrap_or_default(),
            bytes.get(start..end).unwrap_or_default(),
            says,
        );
    }
    output::print(out.as_bytes())?;
    Ok(if found.is_empty() && words.is_empty() { Exit::Allow } else { Exit::Warn })
}

/// `LINE:COLUMN  WHAT  CHARACTERS`, the column in characters.
fn line(out: &mut String, row: usize, head: &[u8], run: &[u8], says: &str) {
    // A column past some thousand helps nobody, and a long line full of marks would be walked for each.
    let column = match head.len() {
        0..=4096 => String::from_utf8_lossy(head).chars().count().saturating_add(1),
        n => n.saturating_add(1),
    };
    let run = String::from_utf8_lossy(run);
    let points: Vec<String> =
        run.chars().filter(|c| !matches!(c, ' '..='~')).take(8).map(|c| format!("U+{:04X}", u32::from(c))).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{row}:{column}  {says}: {}  {}", text::shown(&run), points.join(" "));
}

/// The words that mix ASCII letters with letters that look like them.
fn words(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut at = 0usize;
    for word in bytes.split(|b| b.is_ascii_whitespace() || b.is_ascii_punctuation()) {
        let end = at.saturating_add(word.len());
        if !word.is_ascii() && std::str::from_utf8(word).is_ok_and(|w| !text::confusable(w, false).is_empty()) {
            out.push((at, end));
        }
        at = end.saturating_add(1);
    }
    out
}

fn read(file: Option<&std::path::Path>) -> Result<Vec<u8>, Failure> {
    let most = u64::try_from(MAX_INPUT).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let done = match file.filter(|f| f.as_os_str() != "-") {
        Some(f) => std::fs::File::open(f)
            .and_then(|open| open.take(most).read_to_end(&mut bytes))
            .map_err(|e| Failure::usage(format!("cannot read {}: {e}", f.display()))),
        None => std::io::stdin()
            .lock()
            .take(most)
            .read_to_end(&mut bytes)
            .map_err(|e| Failure::io("cannot read standard input", &e)),
    };
    done?;
    if bytes.len() > MAX_INPUT {
        return Err(Failure::usage(format!("the text has more than {MAX_INPUT} bytes")));
    }
    Ok(bytes)
}
