//! CI pipelines in YAML: the `run` of steps (GitHub workflows and actions), `script` and its kin (GitLab).

use super::{Kind, Piece, interpreter, lines, program, without_expressions};
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
    /// The path of a `!reference`.
    Reference,
}

fn pieces(bytes: &[u8], keys: &[&str]) -> Vec<Piece> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let rows: Vec<(usize, &[u8])> = lines(bytes).collect();
    let mut out = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    // Texts under an anchor that are no script where they stand, but may be one where the anchor is used.
    let mut held: BTreeMap<usize, Vec<Piece>> = BTreeMap::new();
    let mut references = References::default();
    // By how deep the step lies: code for an action, and the action.
    let mut code: Vec<(usize, Piece)> = Vec::new();
    let mut actions: Vec<(usize, String)> = Vec::new();
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
            Event::SequenceStart(anchor, tag) => {
                anchors.push(anchor);
                let refers = tag.is_some_and(|t| t.suffix == "reference");
                if refers {
                    references.begin(wanted);
                }
                open.push(if refers { Open::Reference } else { Open::List(wanted) });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                anchors.pop();
                // An action that runs code which it is given.
                let here = open.len();
                while let Some((_, text)) = code.pop_if(|(at, _)| *at >= here) {
                    let runs =
                        actions.iter().find(|(at, _)| *at == here).and_then(|(_, action)| program("action", action));
                    out.extend(runs.map(|runs| text.given_to(runs)));
                }
                actions.retain(|(at, _)| *at < here);
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
            Event::Scalar(value, ..) if matches!(open.last(), Some(Open::Reference)) => references.part(&value),
            Event::Scalar(value, style, anchor, _) => {
                let default = is_default(&open);
                let place = (span.start.line(), span.start.col());
                let path = if wanted { Vec::new() } else { keys_of(&open) };
                match path.as_slice() {
                    [.., with, script] if with == "with" && script == "script" => {
                        code.push((open.len().saturating_sub(1), piece(&value, style, place, &rows)));
                    }
                    [.., uses] if uses == "uses" => actions.push((open.len(), value.to_string())),
                    _ => {}
                }
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
                    let text = piece(&value, style, place, &rows);
                    held.entry(anchor).or_default().push(text);
                }
                if wanted {
                    out.push(piece(&value, style, place, &rows));
                } else if !is_key && path.len() == 2 && keys.contains(&"script") {
                    references.held.entry(path).or_default().push(piece(&value, style, place, &rows));
                }
            }
            _ => {}
        }
    }
    out.extend(references.used());
    out
}

/// The keys that a scalar stands under, the top one first.
fn keys_of(open: &[Open]) -> Vec<String> {
    let key = |o: &Open| if let Open::Map(Some(key), ..) = o { Some(key.clone()) } else { None };
    open.iter().filter_map(key).collect()
}

/// What `!reference [JOB, KEY]` names, wherever in the file that stands.
#[derive(Default)]
struct References {
    /// The paths that scripts name.
    named: Vec<Vec<String>>,
    /// The last one belongs to a script.
    wanted: bool,
    /// Texts that are no script where they stand, by the two keys they stand under.
    held: BTreeMap<Vec<String>, Vec<Piece>>,
}

impl References {
    fn begin(&mut self, wanted: bool) {
        self.wanted = wanted;
        if wanted {
            self.named.push(Vec::new());
        }
    }
    fn part(&mut self, name: &str) {
        if self.wanted
            && let Some(last) = self.named.last_mut()
        {
            last.push(name.to_string());
        }
    }
    fn used(mut self) -> Vec<Piece> {
        self.named.iter().flat_map(|path| self.held.remove(path).unwrap_or_default()).collect()
    }
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
            let runs = shell.split_ascii_whitespace().next().and_then(|name| program("code", name));
            let mut at = 0usize;
            out.retain_mut(|p| {
                at = at.saturating_add(1);
                if at > from
                    && p.shell.is_none()
                    && let Some(runs) = runs
                {
                    *p = std::mem::take(p).given_to(runs);
                    p.shell = Some(crate::effect::Language::Bash);
                }
                at <= from || p.shell.is_some()
            });
        }
    }
}

/// A scalar as a piece. Each line of a literal block stands in the file with its indentation before it; of other scalars
/// those that stand on one line as they are have their place, the rest have that of their beginning.
fn piece(value: &str, style: ScalarStyle, place: (usize, usize), rows: &[(usize, &[u8])]) -> Piece {
    let (line, column) = place;
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
