//! What calls give, by the names that `grammars/languages` uses.
//!
//! In: what the arguments brought about. Out: [`Data`]: things that remember their file, connection and content, text that
//! was read, what a transform or an operation computes.

use super::call::Args;
use super::data::Object;
use super::text::transformed;
use super::{Data, Interp, Run};
use crate::command::calls::CallFact;
use crate::effect::EffectId;
use crate::source::Place;
use crate::value::{Channel, Piece, Taint, Value, Why};
use std::rc::Rc;

/// What the arguments of a call brought about.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// What the call is a method of.
    pub(super) object: Option<Data>,
    /// A connection, fetch, opened file.
    pub(super) effect: Option<EffectId>,
    /// The file.
    pub(super) path: Option<Value>,
    /// Content that was read, or output that was captured.
    pub(super) content: Option<Value>,
    /// A host that waits for its port.
    pub(super) host: Option<Value>,
    /// The descriptor of the connection.
    pub(super) fd: Option<u32>,
    /// The words of what was run.
    pub(super) runs: Vec<Value>,
    /// The connection that is the standard input of what is run.
    pub(super) input: Option<EffectId>,
    /// The text that what is run reads.
    pub(super) text: Option<Value>,
    /// What evaluated code gave.
    pub(super) value: Option<Data>,
}

impl Interp<'_> {
    /// The result of a call with facts.
    pub(super) fn result(
        &mut self,
        run: &mut Run,
        name: &str,
        fact: &CallFact,
        out: Outcome,
        args: Args,
        at: Place,
    ) -> Data {
        let mut taint = out.object.as_ref().map(Data::taint).unwrap_or_default();
        args.iter().for_each(|(_, d)| taint.join(&d.taint()));
        if let Some(c) = &out.content {
            taint.join(&c.taint());
        }
        let unknown = Data::unknown("result of a call", at, taint.clone());
        let positional: Vec<Data> = args.iter().filter(|(n, _)| n.is_none()).map(|(_, d)| d.clone()).collect();
        let (kind, rest) = fact.result.split_once([' ', '.']).unwrap_or((fact.result, ""));
        match kind {
            "null" => Data::Null,
            "constant" => Data::unknown("text of the program's own", at, Taint::default()),
            "self" => out.object.unwrap_or(unknown),
            "arg" => rest.parse::<usize>().ok().and_then(|i| positional.get(i)).cloned().unwrap_or(unknown),
            "content" | "output" => match (out.content, &out.object) {
                (Some(c), _) => Data::Text(c),
                (None, Some(Data::Object(o))) => match o.try_borrow().ok().and_then(|o| o.content.clone()) {
                    Some(c) => Data::Text(c),
                    None => unknown,
                },
                _ => match out.effect.filter(|e| self.fetches(*e)) {
                    Some(e) => Data::Text(Value::unknown_tainted(Why::Network, at, Taint::of(e))),
                    None => unknown,
                },
            },
            // What it printed went where the program prints; it gives its status.
            "printed" => {
                match (out.content, out.effect.filter(|e| self.fetches(*e))) {
                    (Some(c), _) => self.emit(1, c),
                    (None, Some(e)) => self.emit(1, Value::unknown_tainted(Why::Network, at, Taint::of(e))),
                    (None, None) => {}
                }
                Data::unknown("exit status", at, Taint::default())
            }
            "fetched" => match out.effect {
                Some(e) => Data::Text(Value::unknown_tainted(Why::Network, at, Taint::of(e))),
                None => unknown,
            },
            "received" => match out.object.as_ref().or(positional.first()) {
                Some(Data::Object(o)) => match o.try_borrow().ok().and_then(|o| o.effect) {
                    Some(e) => Data::Text(received(e, at)),
                    None => unknown,
                },
                _ => unknown,
            },
            // A thing of a class: a connection, a file, a process, a response.
            "object" => {
                let fetched = out.effect.filter(|e| self.fetches(*e));
                let content =
                    out.content.or_else(|| Some(Value::unknown_tainted(Why::Network, at, Taint::of(fetched?))));
                let made = thing(if rest.is_empty() { name } else { rest }, out.effect, out.path, content);
                if let Data::Object(o) = &made
                    && let Ok(mut o) = o.try_borrow_mut()
                {
                    o.runs = out.runs;
                    o.fd = out.fd;
                }
                made
            }
            // A connection that is opened on something that is there already.
            "connects" => {
                if let (Some(Data::Object(o)), Some(e)) = (&out.object, out.effect)
                    && let Ok(mut o) = o.try_borrow_mut()
                {
                    o.effect = Some(e);
                    o.fd = out.fd;
                }
                out.object.unwrap_or_else(|| thing("socket", out.effect, None, None))
            }
            // An opened file, or one of the process's own descriptors that becomes another (`open(STDIN, ">&S")`).
            "reopens" => match self.reopened(run, &positional, at) {
                Some(d) => d,
                // `io.output()`: what it is already.
                None if positional.is_empty() => Data::Number(1),
                None => {
                    let made = thing("file", out.effect, out.path, out.content);
                    if let Data::Object(o) = &made
                        && let Ok(mut o) = o.try_borrow_mut()
                    {
                        o.runs = out.runs;
                    }
                    made
                }
            },
            "path" => Data::Path(rest.to_string()),
            "value" => out.value.unwrap_or(unknown),
            "transform" => {
                let input = positional.first().cloned().or(out.object).unwrap_or(Data::Null);
                self.decoded(out.effect, transformed(rest, &input, at).unwrap_or(unknown), at)
            }
            "op" => {
                let d = self.operation(run, rest, out.object, &args, at).unwrap_or(unknown);
                self.decoded(out.effect, d, at)
            }
            _ => unknown,
        }
    }

    fn fetches(&self, e: EffectId) -> bool {
        self.graph.effect(e).is_some_and(|e| e.verb == crate::effect::Verb::Fetch)
    }

    /// What a call gives that decodes: it comes from that.
    fn decoded(&self, effect: Option<EffectId>, d: Data, at: Place) -> Data {
        let decodes = |e: &EffectId| self.graph.effect(*e).is_some_and(|e| e.verb == crate::effect::Verb::Decode);
        let Some(e) = effect.filter(decodes) else { return d };
        let mut taint = d.taint();
        taint.join(&Taint::of(e));
        match &d {
            Data::Text(v) => match v.as_literal() {
                Some(b) => Data::Text(Value::computed(&b, at, taint)),
                None => Data::unknown("decoded text", at, taint),
            },
            _ => d,
        }
    }

    /// `open(STDIN, ">&S")`, `open(STDIN, "<&", $s)`: the handle becomes what the other one is.
    fn reopened(&mut self, run: &Run, all: &[Data], at: Place) -> Option<Data> {
        let mode = all.get(1)?.value(at);
        let text = String::from_utf8_lossy(&mode.prefix()).into_owned();
        let (_, name) = text.split_once('&')?;
        let source = match all.get(2) {
            Some(d) => d.clone(),
            None => match run.get(name.trim_start_matches('=').trim()) {
                Some(d) => d.clone(),
                None => Data::Text(mode),
            },
        };
        if let (Some(e), Some(Data::Number(n))) = (self.peer_of(&source), all.first())
            && let Ok(fd) = u32::try_from(*n)
        {
            self.sh.set_fd(fd, crate::eval::scope::End::Socket(e));
        }
        Some(source)
    }
}

/// A connection's or file's object, with what it was made by.
pub(super) fn thing(class: &str, effect: Option<EffectId>, path: Option<Value>, content: Option<Value>) -> Data {
    Data::Object(Rc::new(std::cell::RefCell::new(Object {
        class: class.to_string(),
        effect,
        path,
        content,
        ..Object::default()
    })))
}

/// Content that came from an effect through a socket.
pub(super) fn received(effect: EffectId, at: Place) -> Value {
    let mut t = Taint::of(effect);
    t.step(Channel::Socket);
    let mut v = Value::default();
    v.pieces.push(Piece::Unknown(Box::new(crate::value::Unknown {
        why: Why::Network,
        from: at,
        taint: t,
        splits: false,
    })));
    v
}
