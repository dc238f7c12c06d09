//! Makefiles: the lines of recipes, which begin with a tab, and what `$(shell …)` runs. make takes `@`, `-` and `+` off, turns `$$` into `$`, and
//! puts in its own variables first; what these hold is not known here.

use super::{Kind, Piece, lines};
use crate::effect::Language;

pub(super) static KIND: Kind = Kind {
    name: "makefile",
    fits: |hint| {
        let name = hint.name();
        matches!(name, "Makefile" | "makefile" | "GNUmakefile") || name.ends_with(".mk")
    },
    pieces: |_, bytes| pieces(bytes),
};

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut rest = lines(bytes);
    while let Some((at, line)) = rest.next() {
        functions(&mut out, line, at);
        let Some(recipe) = line.strip_prefix(b"\t") else { continue };
        let mut piece = Piece { shell: Some(Language::Sh), ..Piece::default() };
        let body = recipe.iter().position(|b| !matches!(b, b'@' | b'-' | b'+' | b' ' | b'\t')).unwrap_or(recipe.len());
        let start = at.saturating_add(1).saturating_add(body);
        expanded(&mut piece, recipe.get(body..).unwrap_or_default(), start);
        while piece.text.ends_with(b"\\") {
            let Some((at, line)) = rest.next() else { break };
            piece.text.push(b'\n');
            let tab = usize::from(line.starts_with(b"\t"));
            expanded(&mut piece, line.get(tab..).unwrap_or_default(), at.saturating_add(tab));
        }
        if !piece.text.trim_ascii().is_empty() {
            out.push(piece);
        }
    }
    out
}

/// The commands that make itself runs while it reads a line: `$(shell …)`.
fn functions(out: &mut Vec<Piece>, line: &[u8], at: usize) {
    for call in [&b"$(shell "[..], b"${shell "] {
        for found in memchr::memmem::find_iter(line, call) {
            let begin = found.saturating_add(call.len());
            let open = call.get(1).copied().unwrap_or(b'(');
            let close = if open == b'(' { b')' } else { b'}' };
            let mut depth = 1usize;
            let body = line.get(begin..).unwrap_or_default();
            let end = body.iter().position(|b| {
                depth = depth.saturating_add(usize::from(*b == open)).saturating_sub(usize::from(*b == close));
                depth == 0
            });
            let mut piece = Piece { shell: Some(Language::Sh), ..Piece::default() };
            expanded(&mut piece, body.get(..end.unwrap_or(body.len())).unwrap_or_default(), at.saturating_add(begin));
            out.push(piece);
        }
    }
}

/// Adds a line with make's part done: `$$` is a dollar, `$(NAME)` and `$x` something unknown.
fn expanded(piece: &mut Piece, line: &[u8], at: usize) {
    let mut i = 0usize;
    let mut from = 0usize;
    while let Some(b) = line.get(i) {
        if *b != b'$' {
            i = i.saturating_add(1);
            continue;
        }
        piece.copy(line.get(from..i).unwrap_or_default(), at.saturating_add(from));
        let next = line.get(i.saturating_add(1)).copied();
        let length = match next {
            Some(b'(' | b'{') => {
                let close = if next == Some(b'(') { b')' } else { b'}' };
                let open = next.unwrap_or(b'(');
                let mut depth = 0usize;
                let inner = line.get(i.saturating_add(1)..).unwrap_or_default();
                let end = inner.iter().position(|b| {
                    depth = depth.saturating_add(usize::from(*b == open)).saturating_sub(usize::from(*b == close));
                    depth == 0
                });
                end.map_or(inner.len(), |e| e.saturating_add(1)).saturating_add(1)
            }
            _ => 2,
        };
        piece.computed(if next == Some(b'$') { b"$" } else { b"${make}" }, at.saturating_add(i));
        i = i.saturating_add(length);
        from = i;
    }
    piece.copy(line.get(from..).unwrap_or_default(), at.saturating_add(from));
}
