//! Crontabs (crontab(5)): five fields of time or `@NAME`, in system tables a user, then the command. The first `%` that
//! has no backslash ends it.

use super::{Kind, Piece, lines, unindented};
use crate::effect::Language;

pub(super) static KIND: Kind = Kind {
    name: "crontab",
    fits: |hint| hint.name().ends_with("crontab") || hint.path.contains("/cron.d/") || hint.path.contains("/crontabs/"),
    pieces: |hint, bytes| {
        let system = hint.path.contains("/cron.d/") || hint.path.ends_with("etc/crontab");
        pieces(bytes, system)
    },
    plain: false,
};

fn pieces(bytes: &[u8], system: bool) -> Vec<Piece> {
    let mut out = Vec::new();
    for (at, line) in lines(bytes) {
        let (indent, rest) = unindented(line);
        let times = if rest.starts_with(b"@") { 1 } else { 5 };
        let is_time = rest.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'*' | b'@'));
        if !is_time {
            continue;
        }
        let mut skip = indent;
        for _ in 0..usize::from(system).saturating_add(times) {
            let rest = line.get(skip..).unwrap_or_default();
            let word = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            skip = skip.saturating_add(word);
            skip = skip.saturating_add(unindented(line.get(skip..).unwrap_or_default()).0);
        }
        // A table in a project may be one for the system, which names a user before the command.
        let mut body = line.get(skip..).unwrap_or_default();
        if let Some(rest) =
            body.strip_prefix(b"root").filter(|r| !system && r.first().is_some_and(u8::is_ascii_whitespace))
        {
            let (blanks, rest) = unindented(rest);
            skip = skip.saturating_add(4).saturating_add(blanks);
            body = rest;
        }
        let mut before = 0u8;
        let end = body.iter().position(|b| {
            let ends = *b == b'%' && before != b'\\';
            before = *b;
            ends
        });
        let body = body.get(..end.unwrap_or(body.len())).unwrap_or_default();
        if !body.is_empty() {
            out.push(Piece { shell: Some(Language::Sh), ..Piece::at(body, at.saturating_add(skip)) });
        }
    }
    out
}
