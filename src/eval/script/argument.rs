//! What one argument of a call brings about, by its role.
//!
//! In: a role and a value. Out: effects, and what they leave for the result: content, a connection, the words of a command.

use super::super::nested::Env;
use super::result::Outcome;
use super::{Data, Interp, Run};
use crate::command::Role;
use crate::command::calls;
use crate::effect::graph::Reach;
use crate::effect::{EffectId, Language, Object as Thing, Props, Verb};
use crate::source::Place;
use crate::value::{Taint, Value, Why};

impl Interp<'_> {
    /// The effect of one argument.
    pub(super) fn argument(
        &mut self,
        run: &mut Run,
        role: Role,
        data: Data,
        out: &mut Outcome,
        made: &mut Vec<EffectId>,
        at: Place,
    ) {
        let mut value = data.value(at);
        if let Some(file) = value.as_str().and_then(|n| calls::file(run.language, &n)) {
            value = Value::computed(file.as_bytes(), at, value.taint());
        }
        if calls::expands_tilde(run.language) && !matches!(role, Role::Code(_) | Role::Command | Role::DataText) {
            self.expand_tilde(&mut value);
        }
        let mut add = |me: &mut Self, verb: Verb, thing: Thing| {
            let id = me.effect(verb, thing, run.by, at);
            me.flow(id, &value.taint());
            made.push(id);
            id
        };
        match role {
            Role::Code(language) => {
                let text = match &data {
                    Data::List(words) => {
                        let mut v = Value::default();
                        for (i, w) in words.iter().enumerate() {
                            if i > 0 {
                                v.push(Value::computed(b" ", at, Taint::default()));
                            }
                            v.push(w.value(at));
                        }
                        v
                    }
                    _ => value.clone(),
                };
                let by = run.by;
                if language == run.language {
                    out.value = Some(self.evaluate_here(run, text, at));
                    return;
                }
                let env = crate::eval::nested::Env::Fresh(None, None);
                let mut id = None;
                let input = out.input;
                if language == Language::Sh {
                    let word = |w: &[u8]| Value::computed(w, at, Taint::default());
                    out.runs = vec![word(b"sh"), word(b"-c"), text.clone()];
                }
                let given = out.text.clone();
                let printed = self.capture(|me| {
                    me.connect_input(input);
                    me.read_text(given);
                    id = Some(me.evaluate(language, text, Reach::Argument, by, at, env).0);
                });
                out.effect = id;
                out.content = Some(printed);
            }
            Role::Command | Role::CommandString => {
                let mut words = data.words(at);
                if let (Role::CommandString, [one]) = (role, words.as_slice()) {
                    words = self.split_string(&one.clone());
                }
                if words.is_empty() {
                    return;
                }
                let id = self.effect(Verb::Spawn, Thing::Command(words.clone()), run.by, at);
                if let Some(w) = words.first() {
                    self.flow(id, &w.taint());
                }
                made.push(id);
                let parent = self.parent.replace(run.by);
                let input = out.input;
                out.runs = words.clone();
                let given = out.text.clone();
                let printed = self.capture(|me| {
                    me.connect_input(input);
                    me.read_text(given);
                    me.run_words(words, at, None, &[], false);
                });
                self.parent = parent;
                out.effect = Some(id);
                out.content = Some(printed);
            }
            Role::UrlFetch => out.effect = Some(add(self, Verb::Fetch, Thing::Url(value.clone()))),
            Role::UrlSend => {
                let id = add(self, Verb::Send, Thing::Url(value.clone()));
                if let Some(content) = &out.content {
                    self.flow(id, &content.taint());
                }
                out.effect = Some(id);
            }
            Role::UrlOpen => out.effect = Some(add(self, Verb::Connect, Thing::Url(value.clone()))),
            Role::Socket | Role::SocketListen => {
                let (host, port) = match &data {
                    Data::List(l) => (
                        l.first().map(|d| d.value(at)).unwrap_or_default(),
                        l.get(1).map(|d| d.value(at)).unwrap_or_default(),
                    ),
                    _ => crate::eval::effects::host_port(&value),
                };
                let verb = if role == Role::Socket { Verb::Connect } else { Verb::Listen };
                let id = add(self, verb, Thing::Socket(host, port));
                out.effect = Some(id);
                out.fd = self.connection_fd(id);
            }
            Role::Host | Role::RemoteHost => out.host = Some(value.clone()),
            Role::Port => {
                let host = out.host.take().unwrap_or_default();
                let id = add(self, Verb::Connect, Thing::Socket(host, value.clone()));
                out.effect = Some(id);
                out.fd = self.connection_fd(id);
            }
            Role::PortListen => {
                out.effect = Some(add(self, Verb::Listen, Thing::Socket(Value::default(), value.clone())));
            }
            Role::HostProbe => {
                add(self, Verb::Probe, Thing::Host(value.clone()));
            }
            Role::DataSend => {
                // Where the object that is sent on was opened, or the call itself.
                let opened = match &out.object {
                    Some(Data::Object(o)) => o.try_borrow().ok().and_then(|o| o.effect),
                    _ => None,
                };
                let thing = opened.or(out.effect).and_then(|e| self.graph.effect(e)).map(|e| e.object.clone());
                let thing = thing.unwrap_or_default();
                let id = self.effect(Verb::Send, thing, run.by, at);
                let whole = self.surroundings(run, &data, 0, at);
                self.flow(id, &whole);
                self.flow(id, &data.taint());
                self.amend(id, |e| e.other = Some(Box::new(Thing::Named("data", parts_of(&data, at)))));
                made.push(id);
            }
            Role::DataText => {
                let value = match &data {
                    Data::List(l) => {
                        let mut v = Value::default();
                        l.iter().for_each(|d| v.push(d.value(at)));
                        v
                    }
                    _ => value.clone(),
                };
                // A process reads what is written to it.
                let runs = out.object.as_ref().map(Data::runs).unwrap_or_default();
                if !runs.is_empty() {
                    out.content = Some(self.feed(run, runs, value, at));
                    return;
                }
                // What was opened for writing in the same call (`file_put_contents(path, text)`, `path.write_text(text)`).
                match out.object.clone() {
                    Some(object @ Data::Object(_)) => self.pour(run, value, &object, at),
                    _ if out.path.is_some() => self.write_out(out.path.as_ref(), out.effect, value),
                    Some(object @ (Data::Number(_) | Data::Path(_))) => self.pour(run, value, &object, at),
                    _ => self.emit(1, value),
                }
            }
            // A descriptor in place of a name.
            Role::PathRead if matches!(data, Data::Number(_)) => {
                let n = data.number().and_then(|n| u32::try_from(n).ok());
                out.content = match n {
                    Some(0) => Some(self.standard_input(run, at)),
                    Some(n) => self.read_all(n),
                    None => None,
                };
            }
            Role::PathRead | Role::PathSend => {
                let (content, id) = self.read_file(&value, run.by, at);
                made.extend(id);
                // `archive.add(path)`: what is read goes into the file that the object stands for.
                let opened = match &out.object {
                    Some(Data::Object(o)) => o.try_borrow().ok().and_then(|o| o.effect),
                    _ => None,
                };
                let writes =
                    |e: &EffectId| self.graph.effect(*e).is_some_and(|e| matches!(e.verb, Verb::Write | Verb::Append));
                if let Some(e) = opened.filter(writes) {
                    let mut t = content.taint();
                    id.iter().for_each(|id| t.join(&Taint::of(*id)));
                    self.flow(e, &t);
                    self.amend(e, |e| e.props = e.props.with(Props::PACKS));
                }
                out.path = Some(value.clone());
                out.content = Some(content);
                out.effect = id;
            }
            Role::PathWrite | Role::PathAppend => {
                let id = self.open_write(&value, role == Role::PathAppend, run.by, at);
                made.push(id);
                out.path = Some(value.clone());
                if let Some(c) = out.effect {
                    // What was fetched goes into the file.
                    self.flow(id, &Taint::of(c));
                    let key = self.file_key(&value);
                    self.add_content(&key, Value::unknown_tainted(Why::Network, at, Taint::of(c)));
                }
                out.effect = Some(id);
            }
            Role::PathScript => {
                let content = self.read_script(run.language, &value, run.by, at);
                let (language, by) = (run.language, run.by);
                self.evaluate(language, content, Reach::File, by, at, Env::Fresh(None, None));
            }
            Role::PathCopy | Role::PathMove | Role::PathLink => {
                let verb = if role == Role::PathMove { Verb::Move } else { Verb::Read };
                add(self, verb, Thing::Path(value.clone()));
                out.content = self.written(&value);
                out.path = Some(value.clone());
            }
            Role::PathDest => {
                let id = add(self, Verb::Write, Thing::Path(value.clone()));
                if let Some(c) = out.content.take() {
                    self.flow(id, &c.taint());
                    self.set_content(&value, c);
                }
            }
            Role::PathChdir => {
                add(self, Verb::Chdir, Thing::Path(value.clone()));
                self.change_dir(&value);
            }
            Role::PathDeleteTree => {
                let id = add(self, Verb::Delete, Thing::Path(value.clone()));
                self.amend(id, |e| e.props = e.props.with(Props::RECURSIVE));
            }
            Role::EnvName | Role::EnvAssign => {
                add(self, Verb::Environment, Thing::Named("variable", value.clone()));
            }
            Role::Package(eco) => {
                add(self, Verb::Install, Thing::Package(eco, value.clone()));
            }
            Role::Pid | Role::ProcessName => {
                add(self, Verb::Kill, Thing::Named("process", value.clone()));
            }
            Role::Secret => {
                add(self, Verb::Secret, Thing::Named("secret", value.clone()));
            }
            other => {
                if let Some(verb) = path_verb(other) {
                    let id = add(self, verb, Thing::Path(value.clone()));
                    // A file that is opened for reading and writing.
                    if other == Role::PathUpdate {
                        (out.path, out.effect) = (Some(value.clone()), Some(id));
                    }
                }
            }
        }
    }
}

/// The values that a structure is made of, one after the other.
fn parts_of(d: &Data, at: Place) -> Value {
    match d {
        Data::List(l) => l.iter().take(256).fold(Value::default(), |mut v, d| {
            v.push(d.value(at));
            v
        }),
        Data::Map(m) => m.iter().take(256).fold(Value::default(), |mut v, (_, d)| {
            v.push(d.value(at));
            v
        }),
        other => other.value(at),
    }
}

/// The verbs of roles that only name a path.
fn path_verb(role: Role) -> Option<Verb> {
    Some(match role {
        Role::PathList | Role::PathWatch => Verb::List,
        Role::PathUpdate => Verb::Update,
        Role::PathCreate => Verb::Create,
        Role::PathTruncate | Role::Device => Verb::Write,
        Role::PathDelete => Verb::Delete,
        Role::PathMode => Verb::Mode,
        Role::PathOwner => Verb::Owner,
        Role::PathConfig => Verb::Read,
        Role::PathExec => Verb::Execute,
        Role::PathArchive | Role::PathExtract => Verb::Extract,
        Role::DeviceFormat => Verb::Format,
        _ => return None,
    })
}
