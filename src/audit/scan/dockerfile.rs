//! Dockerfiles: `RUN`, `CMD` and `ENTRYPOINT`, in shell form, as a list of words, or with here-documents; `SHELL` says
//! which shell reads them (Dockerfile reference). A backslash at the end of a line goes on with the next; lines of
//! comment in between do not count.

use super::{Kind, Piece, interpreter, lines, unindented};
use crate::audit::format::quoted;
use crate::effect::Language;

pub(super) static KIND: Kind = Kind {
    name: "dockerfile",
    fits: |hint| {
        let name = hint.name().to_ascii_lowercase();
        ["dockerfile", "containerfile"].iter().any(|n| name == *n || name.starts_with(&format!("{n}.")))
            || name.ends_with(".dockerfile")
    },
    pieces: |_, bytes| pieces(bytes),
    plain: true,
};

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut shell = Some(Language::Sh);
    let mut rest = lines(bytes);
    while let Some((at, line)) = rest.next() {
        let (indent, line) = unindented(line);
        if line.starts_with(b"#") || line.is_empty() {
            continue;
        }
        // The whole instruction, with the lines that go on.
        let mut piece = Piece::at(line, at.saturating_add(indent));
        while piece.text.trim_ascii_end().ends_with(b"\\") {
            let Some((at, line)) = rest.next() else { break };
            if unindented(line).1.starts_with(b"#") {
                continue;
            }
            piece.text.push(b'\n');
            piece.copy(line, at);
        }
        // `ONBUILD RUN …`, `HEALTHCHECK --interval=5s CMD …`: the last instruction word counts.
        let mut skip = 0usize;
        let mut word = first(&piece.text, skip);
        while matches!(word.to_ascii_uppercase().as_slice(), b"ONBUILD" | b"HEALTHCHECK") || word.starts_with(b"--") {
            skip = next(&piece.text, skip);
            word = first(&piece.text, skip);
        }
        let name = word.to_ascii_uppercase();
        skip = next(&piece.text, skip);
        while first(&piece.text, skip).starts_with(b"--") {
            skip = next(&piece.text, skip);
        }
        let body = piece.text.get(skip..).unwrap_or_default().to_vec();
        let list = serde_json::from_slice::<Vec<String>>(&body).ok();
        match name.as_slice() {
            b"SHELL" => shell = list.and_then(|l| interpreter(l.first()?)),
            b"RUN" | b"CMD" | b"ENTRYPOINT" => {
                let mut text = Piece { shell, ..Piece::default() };
                if list.is_some() {
                    text.shell = Some(Language::Sh);
                    for (at, written, word) in strings(&body) {
                        let at = skip.saturating_add(at);
                        let shown = quoted([word.as_bytes()]);
                        if !text.text.is_empty() {
                            text.computed(b" ", piece.offset(at));
                        }
                        // Without quotes of the shell or escapes of the list it stands there as it is.
                        if shown == written && piece.is_exact(at, at.saturating_add(written.len())) {
                            text.copy(&shown, piece.offset(at));
                        } else {
                            text.computed(&shown, piece.offset(at));
                        }
                    }
                } else {
                    let marks = delimiters(&body);
                    let alone = marks.len() == 1 && body.starts_with(b"<<") && !body.trim_ascii().contains(&b' ');
                    if !alone {
                        text.text = body;
                        text.map = piece
                            .map
                            .iter()
                            .map(|(t, f, exact)| {
                                let before = skip.saturating_sub(*t);
                                (t.saturating_sub(skip), f.saturating_add(before), *exact)
                            })
                            .collect();
                    }
                    for mark in marks {
                        for (at, line) in rest.by_ref() {
                            let end = line.trim_ascii_start() == mark.as_slice();
                            if !(alone && end) {
                                if !text.text.is_empty() {
                                    text.text.push(b'\n');
                                }
                                text.copy(line, at);
                            }
                            if end {
                                break;
                            }
                        }
                    }
                }
                out.push(text);
            }
            _ => {}
        }
    }
    out
}

/// The strings of a list in JSON: where each begins behind its quote, how it is written, and what it says.
fn strings(list: &[u8]) -> Vec<(usize, &[u8], String)> {
    let mut out = Vec::new();
    let mut at = 0usize;
    while let Some(open) = list.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
        let begin = at.saturating_add(open).saturating_add(1);
        let mut end = begin;
        while let Some(b) = list.get(end).filter(|b| **b != b'"') {
            end = end.saturating_add(if *b == b'\\' { 2 } else { 1 });
        }
        let whole = list.get(begin.saturating_sub(1)..=end).unwrap_or_default();
        if let Ok(word) = serde_json::from_slice::<String>(whole) {
            out.push((begin, list.get(begin..end).unwrap_or_default(), word));
        }
        at = end.saturating_add(1);
    }
    out
}

/// The word at an offset.
fn first(text: &[u8], at: usize) -> &[u8] {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// The offset of the word after the one at `at`. A line that goes on counts as blank.
fn next(text: &[u8], at: usize) -> usize {
    let mut at = at.saturating_add(first(text, at).len());
    while let Some(b) = text.get(at) {
        let goes_on = *b == b'\\' && text.get(at.saturating_add(1)) == Some(&b'\n');
        if !b.is_ascii_whitespace() && !goes_on {
            break;
        }
        at = at.saturating_add(1);
    }
    at
}

/// The delimiters of the here-documents that an instruction begins.
fn delimiters(body: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = body;
    while let Some(i) = memchr::memmem::find(rest, b"<<") {
        rest = rest.get(i.saturating_add(2)..).unwrap_or_default();
        rest = rest.strip_prefix(b"-").unwrap_or(rest);
        let quote = rest.first().copied().filter(|b| matches!(b, b'"' | b'\''));
        let name = rest.get(usize::from(quote.is_some())..).unwrap_or_default();
        let end = name.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(name.len());
        if end > 0 {
            out.push(name.get(..end).unwrap_or_default().to_vec());
        }
    }
    out
}
