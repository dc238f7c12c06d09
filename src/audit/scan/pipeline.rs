//! CI pipelines in YAML: the `run` of steps (GitHub workflows and actions), `script` and its kin (GitLab).

use super::{Kind, Piece, interpreter, lines, without_expressions};
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::BTreeMap;

pub(super) static GITHUB: Kind = Kind {
    name: "github-actions",
    fits: |hint| {
        let name = hint.name();
        let yaml = name.ends_with(".yml") || name.ends_with(".yaml");
        let path = hint.path.replace('\\', "/");
        yaml && (path.contains(".github/workflows/") || name == "action.yml" || name == "action.yaml")
    },
    pieces: |_, bytes| pieces(bytes, &["run"]),
    plain: false,
};

pub(super) static GITLAB: Kind = Kind {
    name: "gitlab-ci",
    fits: |hint| hint.name().ends_with(".gitlab-ci.yml") || hint.name().ends_with(".gitlab-ci.yaml"),
    pieces: |_, bytes| pieces(bytes, &["script", "before_script", "after_script", "pre_get_sources_script"]),
    plain: false,
};

/// What an open collection is.
enum Open {
    /// A mapping: the key whose value comes next, the pieces before it, and the shell that it names for those in it.
    Map(Option<String>, usize, Option<String>),
    /// A sequence that is the value of one of the keys, or not.
    List(bool),
}

fn pieces(bytes: &[u8], keys: &[&str]) -> Vec<Piece> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let rows: Vec<(usize, &[u8])> = lines(bytes).collect();
    let mut out = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    // Texts under an anchor that are no script where they stand, but may be one where the anchor is used.
    let mut held: BTreeMap<usize, Vec<Piece>> = BTreeMap::new();
    let mut anchors: Vec<usize> = Vec::new();
    for event in Parser::new_from_str(text) {
        // What stands before a mistake is looked at.
        let Ok((event, span)) = event else { break };
        let wanted = match open.last() {
            Some(Open::Map(Some(key), ..)) => keys.contains(&key.as_str()),
            Some(Open::List(wanted)) => *wanted,
            _ => false,
        };
        match event {
            Event::MappingStart(anchor, _) => {
                anchors.push(anchor);
                open.push(Open::Map(None, out.len(), None));
            }
            Event::SequenceStart(anchor, _) => {
                anchors.push(anchor);
                open.push(Open::List(wanted));
            }
            Event::MappingEnd | Event::SequenceEnd => {
                anchors.pop();
                if let Some(Open::Map(_, from, Some(shell))) = open.pop() {
                    reread(&mut out, from, &shell);
                }
                if let Some(Open::Map(key, ..)) = open.last_mut() {
                    *key = None;
                }
            }
            Event::Alias(anchor) => {
                if wanted {
                    out.extend(held.remove(&anchor).unwrap_or_default());
                }
                if let Some(Open::Map(key, ..)) = open.last_mut() {
                    *key = None;
                }
            }
            Event::Scalar(value, style, anchor, _) => {
                let default = is_default(&open);
                let is_key = matches!(open.last(), Some(Open::Map(None, ..)));
                if let Some(Open::Map(Some(key), _, _)) = open.last()
                    && key == "shell"
                {
                    // `defaults: {run: {shell: NAME}}` holds for the job or workflow that it stands in.
                    let up = if default { 3usize } else { 1 };
                    let at = open.len().saturating_sub(up);
                    if let Some(Open::Map(_, _, shell)) = open.get_mut(at) {
                        *shell = Some(value.to_string());
                    }
                }
                if let Some(Open::Map(key, ..)) = open.last_mut() {
                    *key = if key.is_none() { Some(value.to_string()) } else { None };
                }
                let under = [anchor].into_iter().chain(anchors.iter().rev().copied()).find(|a| *a > 0);
                if let Some(anchor) = under.filter(|_| !wanted && !is_key) {
                    let text = piece(&value, style, span.start.line(), span.start.col(), &rows);
                    held.entry(anchor).or_default().push(text);
                }
                if wanted {
                    out.push(piece(&value, style, span.start.line(), span.start.col(), &rows));
                }
            }
            _ => {}
        }
    }
    out
}

/// True inside `defaults: {run: {…}}`.
fn is_default(open: &[Open]) -> bool {
    let key = |up: usize| match open.len().checked_sub(up).and_then(|i| open.get(i)) {
        Some(Open::Map(Some(key), ..)) => key.as_str(),
        _ => "",
    };
    key(2) == "run" && key(3) == "defaults"
}

/// The pieces of a step that names its shell (`pwsh`, `bash -e {0}`). What another interpreter reads is no shell text.
fn reread(out: &mut Vec<Piece>, from: usize, shell: &str) {
    match shell.split_ascii_whitespace().next().and_then(interpreter) {
        Some(language) => {
            for piece in out.iter_mut().skip(from) {
                piece.shell.get_or_insert(language);
            }
        }
        // An expression may be any shell: it stays what it is usually.
        None if shell.contains("${{") => {}
        None => {
            let mut at = 0usize;
            out.retain(|p| {
                at = at.saturating_add(1);
                at <= from || p.shell.is_some()
            });
        }
    }
}

/// A scalar as a piece. Each line of a literal block stands in the file with its indentation before it; of other scalars
/// those that stand on one line as they are have their place, the rest have that of their beginning.
fn piece(value: &str, style: ScalarStyle, line: usize, column: usize, rows: &[(usize, &[u8])]) -> Piece {
    let mut piece = Piece::default();
    let row = |n: usize| rows.get(n.saturating_sub(1)).copied().unwrap_or((0, &[]));
    let (at, source) = row(line);
    let mut next = line;
    for (i, text) in value.split('\n').enumerate() {
        if i > 0 {
            piece.text.push(b'\n');
        }
        let place = match style {
            ScalarStyle::Literal => {
                // The event begins at the `|` or at the text, by the version of the parser: the next line that ends so.
                let found =
                    (next..next.saturating_add(3)).find(|n| !text.is_empty() && row(*n).1.ends_with(text.as_bytes()));
                next = found.unwrap_or(next).saturating_add(usize::from(i > 0 || found.is_some()));
                found.map(|n| {
                    let (at, source) = row(n);
                    at.saturating_add(source.len()).saturating_sub(text.len())
                })
            }
            _ => {
                let column = String::from_utf8_lossy(source).chars().take(column).map(char::len_utf8).sum::<usize>();
                let rest = source.get(column..).unwrap_or_default();
                memchr::memmem::find(rest, text.as_bytes()).map(|i| at.saturating_add(column).saturating_add(i))
            }
        };
        without_expressions(&mut piece, text.as_bytes(), place.unwrap_or(at), b"${{", b"}}");
    }
    piece
}
