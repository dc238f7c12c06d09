//! Fields of a line of comma-separated values (RFC 4180), and lines by the names of their columns.

use super::{FeedError, lines};
use std::path::Path;

/// The fields of a line: in quotes or not, quotes in quotes doubled.
pub(super) fn fields(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quoted) {
            ('"', true) if chars.peek() == Some(&'"') => {
                chars.next();
                if let Some(f) = out.last_mut() {
                    f.push('"');
                }
            }
            ('"', _) => quoted = !quoted,
            (',', false) => out.push(String::new()),
            _ => {
                if let Some(f) = out.last_mut() {
                    f.push(c);
                }
            }
        }
    }
    out.iter_mut().for_each(|f| *f = f.trim().to_string());
    out
}

/// Calls `each` with the wanted columns of every row. The names of the columns stand in the last comment, or in the first
/// line, whichever has the first of the wanted ones; a file without them is not of the format.
pub(super) fn rows<const N: usize>(
    path: &Path,
    format: &'static str,
    wanted: [&str; N],
    mut each: impl FnMut([&str; N]),
) -> Result<(), FeedError> {
    let mut places: Option<[usize; N]> = None;
    let find = |names: &[String]| -> Option<[usize; N]> {
        let all = wanted.map(|w| names.iter().position(|n| n.eq_ignore_ascii_case(w)));
        all.iter().all(Option::is_some).then(|| all.map(|p| p.unwrap_or(usize::MAX)))
    };
    lines(path, |line| {
        if line.trim().is_empty() {
            return;
        }
        let head = line.trim_start().strip_prefix('#');
        let all = fields(head.unwrap_or(line).trim_start());
        match places {
            None => places = find(&all),
            Some(_) if head.is_some() => {}
            Some(at) => each(at.map(|i| all.get(i).map_or("", String::as_str))),
        }
    })?;
    match places {
        Some(_) => Ok(()),
        None => Err(FeedError::wrong(path, format, format!("there are no columns {}", wanted.join(", ")))),
    }
}
