//! Markdown: fenced blocks whose info string names a shell. In blocks of a terminal (`console`) only the lines after a
//! prompt are commands.

use super::{Kind, Piece, interpreter, lines, unindented};

pub(super) static KIND: Kind = Kind {
    name: "markdown",
    fits: |hint| hint.name().ends_with(".md") || hint.name().ends_with(".markdown"),
    pieces: |_, bytes| pieces(bytes),
    plain: true,
};

/// The line without its indentation and the marks of quotations, and how many bytes those were.
fn quoted(line: &[u8]) -> (usize, &[u8]) {
    let (mut skip, mut rest) = unindented(line);
    while let Some(inner) = rest.strip_prefix(b">") {
        let (blanks, inner) = unindented(inner);
        skip = skip.saturating_add(1).saturating_add(blanks);
        rest = inner;
    }
    (skip, rest)
}

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut rest = lines(bytes);
    while let Some((_, line)) = rest.next() {
        let (_, open) = quoted(line);
        let Some(mark) = open.first().copied().filter(|b| matches!(b, b'`' | b'~')) else { continue };
        let length = open.iter().take_while(|b| **b == mark).count();
        if length < 3 {
            continue;
        }
        let info = String::from_utf8_lossy(open.get(length..).unwrap_or_default()).to_ascii_lowercase();
        let info = info.split(|c: char| !c.is_alphanumeric()).find(|w| !w.is_empty()).unwrap_or_default().to_string();
        let terminal = matches!(info.as_str(), "console" | "terminal");
        let shell = if info == "shell" { Some(crate::effect::Language::Bash) } else { interpreter(&info) };
        let mut piece = Piece { shell, ..Piece::default() };
        let open_quote = line.trim_ascii_start().starts_with(b">");
        for (at, line) in rest.by_ref() {
            let (indent, body) = quoted(line);
            let close = body.iter().take_while(|b| **b == mark).count();
            if close >= length && body.len() == close {
                break;
            }
            let (skip, body) = match (terminal, body) {
                (true, [b'$' | b'#' | b'%', b' ', body @ ..]) => (indent.saturating_add(2), body),
                (true, _) => continue,
                // Many write a prompt in other blocks, too; no command is called `$`.
                (false, [b'$', b' ', body @ ..]) => (indent.saturating_add(2), body),
                (false, _) if line.trim_ascii_start().starts_with(b">") && open_quote => (indent, body),
                (false, _) => (0, line),
            };
            if !piece.text.is_empty() {
                piece.text.push(b'\n');
            }
            piece.copy(body, at.saturating_add(skip));
        }
        if (terminal || shell.is_some()) && !piece.text.is_empty() {
            out.push(piece);
        }
    }
    out
}
