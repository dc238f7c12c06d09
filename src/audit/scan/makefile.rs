//! Makefiles: the lines of recipes, which begin with a tab or follow a `;`, and what `$(shell …)` runs. make takes `@`, `-`
//! and `+` off, turns `$$` into `$`, and puts in its own variables first: those that are set once, to a text, are known
//! here; others become shell variables of their name, of unknown value as all that comes from outside. `NAME != command`
//! runs it at once, `define` holds lines of a recipe, and `.RECIPEPREFIX` is another sign than the tab (GNU make, 5).

use super::{Kind, Piece, lines};
use crate::effect::Language;
use std::collections::BTreeMap;

pub(super) static KIND: Kind = Kind {
    name: "makefile",
    fits: |hint| {
        let name = hint.name();
        matches!(name, "Makefile" | "makefile" | "GNUmakefile") || name.ends_with(".mk")
    },
    pieces: |_, bytes| pieces(bytes),
    plain: false,
};

/// Variables that are set once, to a text in which nothing is left to put in.
type Known<'a> = BTreeMap<&'a [u8], Option<&'a [u8]>>;

/// The variables that a file sets.
fn variables(bytes: &[u8]) -> Known<'_> {
    let mut out = Known::new();
    for (_, line) in lines(bytes).filter(|(_, l)| !l.starts_with(b"\t") && !l.starts_with(b"define ")) {
        let Some(sign) = memchr::memchr(b'=', line) else { continue };
        let (name, value) = line.split_at(sign);
        let adds = name.ends_with(b"+") || name.ends_with(b"!");
        let name = name.strip_suffix(b"+").or_else(|| name.strip_suffix(b"!")).unwrap_or(name);
        let name = name.strip_suffix(b"?").unwrap_or(name);
        let name = name.strip_suffix(b"::").or_else(|| name.strip_suffix(b":")).unwrap_or(name).trim_ascii();
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let is_name = !name.is_empty() && name.iter().all(is_part_of_name);
        // An empty one is there to be given from outside (`DESTDIR =`).
        let plain = !adds && !value.is_empty() && !value.iter().any(|b| matches!(b, b'$' | b'#' | b'\\'));
        if is_name {
            let again = out.contains_key(name);
            out.insert(name, Some(value).filter(|_| plain && !again));
        }
    }
    out
}

fn is_part_of_name(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || *b == b'_'
}

/// The sign that a line sets for the lines of recipes; without one it is the tab again.
fn sign(line: &[u8]) -> Option<u8> {
    let rest = line.strip_prefix(b".RECIPEPREFIX")?.trim_ascii_start();
    let rest = rest.strip_prefix(b":").unwrap_or(rest).strip_prefix(b"=")?.trim_ascii_start();
    Some(rest.first().copied().unwrap_or(b'\t'))
}

/// The command of `NAME != COMMAND`, by where it begins.
fn assigned(line: &[u8]) -> Option<usize> {
    let at = memchr::memmem::find(line, b"!=")?;
    let name = line.get(..at)?.trim_ascii();
    let command = line.get(at.saturating_add(2)..)?;
    let is_name = !name.is_empty() && name.iter().all(|b| is_part_of_name(b) || *b == b'.');
    (is_name && !command.trim_ascii().is_empty()).then(|| line.len().saturating_sub(command.trim_ascii_start().len()))
}

/// Where the recipe of a line begins, which is the line after the sign, or what follows the `;` of a rule.
fn recipe(line: &[u8], sign: u8) -> Option<usize> {
    if line.first() == Some(&sign) {
        return Some(1);
    }
    let colon = memchr::memchr(b':', line)?;
    let head = line.get(..colon)?;
    let after = line.get(colon.saturating_add(1)..)?;
    let semicolon = memchr::memchr(b';', after)?;
    let before = after.get(..semicolon)?;
    let is_rule = !head.contains(&b'=') && !head.contains(&b'#') && !before.contains(&b'=') && !before.contains(&b'#');
    is_rule.then(|| colon.saturating_add(semicolon).saturating_add(2))
}

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let known = variables(bytes);
    let mut out = Vec::new();
    let mut rest = lines(bytes);
    let mut prefix = b'\t';
    let mut defines = false;
    while let Some((at, line)) = rest.next() {
        functions(&mut out, line, at, &known);
        if let Some(sign) = sign(line) {
            prefix = sign;
            continue;
        }
        let word = line.trim_ascii_start();
        if word.starts_with(b"define ") || word.starts_with(b"endef") {
            defines = word.starts_with(b"define ") && used(bytes, word);
            continue;
        }
        let begin = match defines {
            true => Some(usize::from(line.first() == Some(&prefix))),
            false => recipe(line, prefix).or_else(|| assigned(line)),
        };
        let Some(begin) = begin else { continue };
        let recipe = line.get(begin..).unwrap_or_default();
        let mut piece = Piece { shell: Some(Language::Sh), ..Piece::default() };
        let body = recipe.iter().position(|b| !matches!(b, b'@' | b'-' | b'+' | b' ' | b'\t')).unwrap_or(recipe.len());
        let start = at.saturating_add(begin).saturating_add(body);
        expanded(&mut piece, recipe.get(body..).unwrap_or_default(), start, &known);
        while piece.text.ends_with(b"\\") {
            let Some((at, line)) = rest.next() else { break };
            piece.text.push(b'\n');
            let tab = usize::from(line.first() == Some(&prefix));
            expanded(&mut piece, line.get(tab..).unwrap_or_default(), at.saturating_add(tab), &known);
        }
        if !piece.text.trim_ascii().is_empty() {
            out.push(piece);
        }
    }
    out
}

/// True where the lines of a `define` are a recipe: one of its lines is that variable and nothing else.
fn used(bytes: &[u8], define: &[u8]) -> bool {
    let name = define.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).nth(1).unwrap_or_default();
    let name = name.strip_suffix(b"=").unwrap_or(name);
    lines(bytes).any(|(_, line)| {
        let line = line.trim_ascii();
        let line = line.get(line.iter().take_while(|b| b"@-+> \t".contains(b)).count()..).unwrap_or_default();
        let inner = line.strip_prefix(b"$(").or_else(|| line.strip_prefix(b"${")).unwrap_or_default();
        let inner = inner.strip_prefix(b"call ").unwrap_or(inner);
        inner.strip_prefix(name).is_some_and(|r| r.first().is_some_and(|b| b",)}".contains(b)))
    })
}

/// The commands that make itself runs while it reads a line: `$(shell …)`.
fn functions(out: &mut Vec<Piece>, line: &[u8], at: usize, known: &Known<'_>) {
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
            expanded(
                &mut piece,
                body.get(..end.unwrap_or(body.len())).unwrap_or_default(),
                at.saturating_add(begin),
                known,
            );
            out.push(piece);
        }
    }
}

/// Adds a line with make's part done: `$$` is a dollar, `$(NAME)` and `$x` what the variable holds, as far as known.
fn expanded(piece: &mut Piece, line: &[u8], at: usize, known: &Known<'_>) {
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
        let inner = match next {
            Some(b'(' | b'{') => line.get(i.saturating_add(2)..i.saturating_add(length).saturating_sub(1)),
            _ => line.get(i.saturating_add(1)..i.saturating_add(2)),
        };
        let inner = inner.unwrap_or_default();
        let value = match known.get(inner) {
            _ if next == Some(b'$') => b"$".to_vec(),
            Some(Some(value)) => value.to_vec(),
            // What make sets by itself (GNU make, Implicit Variables).
            None if inner == b"RM" => b"rm -f".to_vec(),
            None if inner == b"MAKE" => b"make".to_vec(),
            _ if inner.iter().all(is_part_of_name) && inner.first().is_some_and(|b| !b.is_ascii_digit()) => {
                [b"${", inner, b"}"].concat()
            }
            _ => b"${make}".to_vec(),
        };
        piece.computed(&value, at.saturating_add(i));
        i = i.saturating_add(length);
        from = i;
    }
    piece.copy(line.get(from..).unwrap_or_default(), at.saturating_add(from));
}
