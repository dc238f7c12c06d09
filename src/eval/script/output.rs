//! Where what a script writes goes: descriptors, files, connections, processes.
//!
//! In: text and the thing that it is written to. Out: what is printed, the content of files, effects that send.

use super::{Data, Interp, Run};
use crate::command::calls;
use crate::effect::{EffectId, Object as Thing, Verb};
use crate::source::Place;
use crate::value::Value;

impl Interp<'_> {
    /// What can be read from a thing: its content, what comes from its connection.
    pub(super) fn held(&self, from: &Data, at: Place) -> Value {
        match (from, from.content(), from.effect()) {
            (Data::Object(_) | Data::Bound(..), Some(c), _) => c,
            (Data::Object(_) | Data::Bound(..), None, Some(e)) => super::result::received(e, at),
            _ => from.value(at),
        }
    }

    /// Text goes where a thing leads.
    pub(super) fn pour(&mut self, run: &Run, text: Value, to: &Data, at: Place) {
        match to {
            Data::Number(n) => self.emit(u32::try_from(*n).unwrap_or(2), text),
            // `sys.stdout`, `process.stdout`
            Data::Path(p) => match calls::file(run.language, p).and_then(|f| self.descriptor(f)) {
                Some(fd) => self.emit(fd, text),
                None if p.ends_with("stderr") => self.emit(2, text),
                None => self.emit(1, text),
            },
            Data::Object(o) => {
                let (path, effect, runs) = match o.try_borrow() {
                    Ok(o) => (o.path.clone(), o.effect, !o.runs.is_empty()),
                    Err(_) => return,
                };
                let sends = |e: &EffectId| {
                    let verb = self.graph.effect(*e).map(|e| e.verb);
                    matches!(verb, Some(Verb::Connect | Verb::Fetch | Verb::Send))
                };
                if runs {
                    let words = to.runs();
                    let out = self.feed(run, words, text, at);
                    self.emit(1, out);
                } else if path.is_none()
                    && let Some(e) = effect.filter(sends)
                {
                    self.flow(e, &text.taint());
                    let thing = self.graph.effect(e).map(|e| e.object.clone()).unwrap_or_default();
                    let id = self.effect(Verb::Send, thing, run.by, at);
                    self.flow(id, &text.taint());
                    self.amend(id, |e| e.other = Some(Box::new(Thing::Named("data", text))));
                } else {
                    self.write_out(path.as_ref(), effect, text);
                }
            }
            Data::Bound(d, _) => self.pour(run, text, d, at),
            _ => {}
        }
    }

    /// Text goes into the file, or out of the descriptor that its name means.
    pub(super) fn write_out(&mut self, path: Option<&Value>, effect: Option<EffectId>, text: Value) {
        if let Some(e) = effect {
            self.flow(e, &text.taint());
            // It was opened for reading, too.
            if self.graph.effect(e).is_some_and(|e| e.verb == Verb::Update) {
                self.amend(e, |e| e.verb = Verb::Write);
            }
        }
        let Some(path) = path else { return };
        match path.as_str().and_then(|p| self.descriptor(&p)) {
            Some(fd) => self.emit(fd, text),
            None => {
                let key = self.file_key(path);
                self.add_content(&key, text);
            }
        }
    }
}
