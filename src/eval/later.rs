//! Files that something else runs later: what the text writes into them is a program, too.
//!
//! In: the files that the text wrote, once all of it has run. Out: programs in the graph, reached *later*, with what they
//! do. A start-up file of a shell is read by that shell, a table of jobs by cron, a script by the interpreter that its
//! first line names. Nothing here says that it is wrong to write them.

use super::Interp;
use super::invoke::interpreter;
use super::nested::Env;
use crate::effect::graph::Reach;
use crate::effect::path::{Base, Mark, resolve};
use crate::effect::{Language, Object, ProcessId, Props, Site, Verb};
use crate::source::Place;
use crate::value::{Piece, Value, Why};
use std::collections::HashSet;

/// Most files that are looked at: a text that lays down more is no honest one-liner, and its own effects show it.
const MAX_FILES: usize = 32;

impl Interp<'_> {
    /// Runs what was laid down for later.
    pub(crate) fn later(&mut self) {
        self.note_emptied();
        let mut seen = HashSet::new();
        let mut found: Vec<(Language, Value, ProcessId, Place)> = Vec::new();
        for e in &self.graph.effects {
            let written = matches!(e.verb, Verb::Write | Verb::Append) && !e.props.has(Props::SIMULATED);
            let Object::Path(path) = &e.object else { continue };
            if !written || e.site != Site::Local || found.len() >= MAX_FILES {
                continue;
            }
            let marks = resolve(path, e.cwd.as_ref(), Base::default()).marks;
            let run_by_itself =
                [Mark::ShellStartup, Mark::Schedule, Mark::LoginStartup, Mark::RepositoryHook, Mark::Settings];
            if !marks.any(&run_by_itself) || !seen.insert(path.show()) {
                continue;
            }
            let Some(content) = self.written(path).map(own_text) else { continue };
            let script = content.prefix().starts_with(b"#!");
            let language = if marks.has(Mark::ShellStartup) {
                match path.show().rsplit_once('.') {
                    Some((_, "ps1")) => Language::PowerShell,
                    Some((_, "fish")) => Language::Fish,
                    _ => Language::Bash,
                }
            } else if script {
                interpreter(&content)
            } else if marks.has(Mark::Schedule) {
                Language::Crontab
            } else if marks.has(Mark::Settings) {
                Language::Settings
            } else {
                // Units, desktop entries: not a program as they stand.
                continue;
            };
            found.push((language, content, e.process, e.place));
        }
        for (language, content, by, at) in found {
            if content.pieces.is_empty() || !self.spend(1) {
                continue;
            }
            let saved = self.sh.clone();
            self.conditional(|me| {
                me.evaluate(language, content, Reach::Later, by, at, Env::Fresh(None, None));
            });
            self.sh = saved;
        }
    }
}

impl Interp<'_> {
    /// Notes which files are opened for writing and get nothing: `: > f`.
    fn note_emptied(&mut self) {
        let mut emptied = Vec::new();
        for e in self.graph.effects.iter().filter(|e| e.verb == Verb::Write) {
            let Object::Path(path) = &e.object else { continue };
            if e.inputs.is_empty() && self.written(path).is_some_and(|v| v.pieces.is_empty()) {
                emptied.push(e.id);
            }
        }
        for id in emptied.into_iter().take(MAX_FILES) {
            self.amend(id, |e| e.props = e.props.with(Props::WIPE));
        }
    }
}

/// The content without what stood in the file before.
fn own_text(content: Value) -> Value {
    let before = |p: &Piece| matches!(p, Piece::Unknown(u) if matches!(u.why, Why::File(_)));
    if !content.pieces.first().is_some_and(before) {
        return content;
    }
    let mut out = Value::default();
    content.pieces.into_iter().skip(1).for_each(|p| out.push_piece(p));
    out
}
