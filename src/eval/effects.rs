//! Roles → effects: what each value of an invocation does.
//!
//! In: the uses of an invocation. Out: effects with the flows between them, and the content that the invocation writes.
//! First what comes in (reads, fetches), then what goes out (writes, sends), so that flows have their sources.

mod stated;

use super::Interp;
use super::invoke::Work;
use crate::command::{Invocation, Role, Stdout, Use};
use crate::effect::path::{Base, Mark, resolve};
use crate::effect::{EffectId, Object, ProcessId, Props, Verb};
use crate::limits;
use crate::source::Place;
use crate::value::{Channel, Taint, Value, Why};
pub(crate) use stated::ENVIRONMENT;
use stated::here;
pub(crate) use stated::host_port;
use stated::is_answer;
use stated::is_environment;
use stated::is_taken;
pub(crate) use stated::split_assign;
use stated::unescaped;

impl Interp<'_> {
    /// What comes in through one use.
    pub(crate) fn use_in(&mut self, u: &Use, inv: &Invocation, by: ProcessId, w: &mut Work) {
        let at = u.value.place();
        match u.role {
            Role::UrlFetch => {
                let id = self.effect(Verb::Fetch, Object::Url(u.value.clone()), by, at);
                self.with_props(id, u.props);
                self.flow(id, &u.value.taint());
                w.fetched.push(id);
                w.target.get_or_insert_with(|| Object::Url(u.value.clone()));
                // A file of this machine, by an address: `curl file:///etc/shadow`.
                if let Some(path) = local_file(&u.value) {
                    let read = self.effect(Verb::Read, Object::Path(path), by, at);
                    w.fetched.push(read);
                }
            }
            Role::UrlClone => {
                let id = self.effect(Verb::Clone, Object::Url(u.value.clone()), by, at);
                self.with_props(id, u.props);
                self.flow(id, &u.value.taint());
                w.fetched.push(id);
            }
            Role::UrlOpen => {
                let id = self.effect(Verb::Connect, Object::Url(u.value.clone()), by, at);
                self.with_props(id, u.props);
            }
            Role::UrlSend => w.target = Some(Object::Url(u.value.clone())),
            Role::Image => {
                let id = self.effect(Verb::Fetch, Object::Named("image", u.value.clone()), by, at);
                self.with_props(id, u.props);
                self.flow(id, &u.value.taint());
                // What the program of an image prints is as foreign as the image.
                if inv.stdout == Stdout::Fetched {
                    w.fetched.push(id);
                }
            }
            Role::Host | Role::RemoteHost if w.host.is_none() => {
                w.host = Some((u.value.clone(), at));
            }
            Role::Port => w.port = Some((u.value.clone(), at)),
            Role::Socket => {
                let (host, port) = host_port(&u.value);
                let object = Object::Socket(host, port);
                let id = self.effect(Verb::Connect, object.clone(), by, at);
                self.with_props(id, u.props);
                w.fetched.push(id);
                w.target.get_or_insert(object);
            }
            Role::SocketListen => {
                let (host, port) = host_port(&u.value);
                let id = self.effect(Verb::Listen, Object::Socket(host, port), by, at);
                self.with_props(id, u.props);
                w.fetched.push(id);
            }
            Role::PortListen => {
                let id = self.effect(Verb::Listen, Object::Socket(Value::default(), u.value.clone()), by, at);
                self.with_props(id, u.props);
                w.fetched.push(id);
            }
            Role::HostProbe => {
                let id = self.effect(Verb::Probe, Object::Host(u.value.clone()), by, at);
                // What a name server answers is text of somebody else's.
                if inv.stdout == Stdout::Fetched {
                    w.fetched.push(id);
                }
                self.flow(id, &u.value.taint());
            }
            // An empty one is none: `unset http_proxy`.
            Role::HostProxy if u.value.as_literal().is_some_and(|v| v.is_empty()) => {}
            Role::HostProxy => {
                let id = self.effect(Verb::Configure, Object::Host(u.value.clone()), by, at);
                self.with_props(id, Props::PROXY);
            }
            Role::RemoteRead => {
                if crate::command::is_remote(&u.value) {
                    let id = self.effect(Verb::Fetch, Object::Url(u.value.clone()), by, at);
                    w.fetched.push(id);
                } else {
                    self.read_use(u, by, w);
                }
            }
            Role::PathRead | Role::PathCopy | Role::PathUpdate | Role::PathArchive => self.read_use(u, by, w),
            Role::PathConfig => {
                let id = self.effect(Verb::Read, Object::Path(u.value.clone()), by, at);
                self.with_props(id, u.props.with(Props::USED));
                if let Some(c) = self.written(&u.value) {
                    self.flow(id, &c.taint());
                }
            }
            Role::PathList | Role::PathWatch => {
                let id = self.effect(Verb::List, Object::Path(u.value.clone()), by, at);
                self.with_props(id, u.props);
            }
            Role::Secret => {
                let id = self.effect(Verb::Secret, Object::Named("secret", u.value.clone()), by, at);
                self.with_props(id, u.props);
            }
            _ => {}
        }
    }

    fn read_use(&mut self, u: &Use, by: ProcessId, w: &mut Work) {
        let (v, id) = self.read_file(&u.value, by, u.value.place());
        if let Some(id) = id {
            self.with_props(id, u.props);
        }
        w.read = true;
        w.files.push(v.clone());
        w.content.push(v);
    }

    fn with_props(&mut self, id: EffectId, props: Props) {
        if props != Props::default() {
            self.amend(id, |e| e.props = e.props.with(props));
        }
    }

    /// What the invocation makes of what came in.
    pub(crate) fn product(&mut self, inv: &Invocation, words: &[Value], w: &Work, at: Place, by: ProcessId) -> Value {
        let stdin = w.stdin.clone();
        let mut input = w.content.clone();
        if !w.read
            && let Some(s) = &stdin
        {
            input = s.clone();
        }
        // A decoder or encoder is a step of its own on the way.
        let mut coded = Taint::default();
        for s in inv.stated.iter().filter(|s| matches!(s.verb, Verb::Decode | Verb::Encode)) {
            let id = self.effect(s.verb, Object::Stated(s.object), by, s.place);
            let mut t = input.taint();
            inv.operands.iter().for_each(|o| t.join(&o.taint()));
            self.flow(id, &t);
            coded.join(&Taint::of(id));
        }
        // What shows all variables is where their values come from, and a service is where its answer does.
        for s in inv.stated.iter().filter(|s| is_environment(s) || is_answer(s, inv)) {
            let id = self.effect(s.verb, Object::Stated(s.object), by, s.place);
            coded.join(&Taint::of(id));
        }
        if let Stdout::Transform(name) = inv.makes
            && let Some(verb) = coding(name)
        {
            let id = self.effect(verb, Object::Stated(name), by, at);
            self.flow(id, &input.taint());
            coded.join(&Taint::of(id));
        }
        let taken: Vec<EffectId> = inv
            .stated
            .iter()
            .filter(|s| is_taken(s, inv))
            .map(|s| self.effect(s.verb, Object::Stated(s.object), by, s.place))
            .collect();
        if !w.fetched.is_empty() || !taken.is_empty() {
            let mut taint = Taint::default();
            taken.iter().for_each(|id| taint.join(&Taint::of(*id)));
            w.fetched.iter().for_each(|id| taint.join(&Taint::of(*id)));
            taint.join(&coded);
            return Value::unknown_tainted(Why::Network, at, taint);
        }
        let filtered = |mut v: Value| {
            v.step(Channel::Filter);
            v
        };
        let mut out = match inv.makes {
            Stdout::Constant => Value::unknown(Why::Output(inv.name.clone()), at),
            Stdout::Listing => self.listed(inv, at),
            Stdout::Names => Value::unknown(Why::Names(inv.name.clone()), at),
            Stdout::ListingOf(place) => match inv.props.has(Props::FILTERED) {
                true => Value::unknown(Why::Output(inv.name.clone()), at),
                false => Value::computed(place.as_bytes(), at, Taint::default())
                    .near(at)
                    .map(super::invoke::splitting)
                    .unwrap_or_default(),
            },
            Stdout::CopyStdin => stdin.map(filtered).unwrap_or_else(|| Value::unknown(Why::Stdin, at)),
            Stdout::ContentOperands => match (w.read, stdin) {
                (true, _) => filtered(input),
                (false, Some(s)) => filtered(s),
                (false, None) => Value::unknown(Why::Stdin, at),
            },
            Stdout::Transform(name) => self.compute(name, inv, words, w, at),
            Stdout::Command => Value::default(),
            Stdout::Nothing | Stdout::Unknown | Stdout::Fetched => {
                let mut taint = input.taint();
                if let Some(s) = &stdin {
                    taint.join(&s.taint());
                }
                taint.step(Channel::Filter);
                Value::unknown_tainted(Why::Output(inv.name.clone()), at, taint)
            }
        };
        // What a pattern chooses (`env | grep CI_`) is no longer all that was shown.
        if inv.uses.iter().any(|u| u.role == Role::Pattern) {
            let shown = |o| self.graph.effect(o).is_some_and(|e| e.verb == Verb::Inspect);
            out.drop_sources(&shown);
        }
        out.add_taint(&coded);
        out
    }

    /// What goes out through one use.
    pub(crate) fn use_out(
        &mut self,
        u: &Use,
        inv: &Invocation,
        by: ProcessId,
        w: &Work,
        product: &Value,
        simulated: bool,
    ) {
        let at = u.value.place();
        let verb = match u.role {
            Role::PathWrite | Role::PathTruncate => {
                if !self.is_special(&u.value) {
                    let id = self.open_write(&u.value, false, by, at);
                    self.out(id, u, simulated);
                    if u.role == Role::PathTruncate {
                        self.with_props(id, Props::WIPE);
                    }
                    if u.role == Role::PathWrite {
                        self.flow(id, &product.taint());
                        let key = self.file_key(&u.value);
                        self.add_content(&key, product.clone());
                        self.note_document(id, &key);
                    }
                } else {
                    self.emit_special(&u.value, product);
                }
                return;
            }
            Role::PathAppend => {
                if !self.is_special(&u.value) {
                    let id = self.open_write(&u.value, true, by, at);
                    self.out(id, u, simulated);
                    self.flow(id, &product.taint());
                    let key = self.file_key(&u.value);
                    self.add_content(&key, product.clone());
                }
                return;
            }
            Role::PathCopy => {
                if let Some(dest) = &u.other {
                    let content = self.written(&u.value);
                    let id = self.effect(Verb::Write, Object::Path(dest.clone()), by, dest.place());
                    self.out(id, u, simulated);
                    self.flow(id, &w.content.taint());
                    self.amend(id, |e| e.other = Some(Box::new(Object::Path(u.value.clone()))));
                    let content = content.unwrap_or_else(|| w.content.clone());
                    self.put_at(dest, &u.value, content);
                    self.copy_below(&u.value, dest);
                }
                return;
            }
            Role::PathMove => {
                let content = self.written(&u.value);
                let id = self.effect(Verb::Move, Object::Path(u.value.clone()), by, at);
                self.out(id, u, simulated);
                if let Some(dest) = &u.other {
                    self.amend(id, |e| e.other = Some(Box::new(Object::Path(dest.clone()))));
                    let id = self.effect(Verb::Write, Object::Path(dest.clone()), by, dest.place());
                    self.out(id, u, simulated);
                    self.amend(id, |e| e.other = Some(Box::new(Object::Path(u.value.clone()))));
                    self.copy_below(&u.value, dest);
                    if let Some(c) = content {
                        self.flow(id, &c.taint());
                        self.forget(&u.value);
                        self.put_at(dest, &u.value, c);
                    } else if resolve(&u.value, self.sh.cwd.as_ref(), Base::default()).marks.has(Mark::Credential) {
                        // A secret under another name stays one.
                        self.note_link(dest, &u.value);
                    }
                }
                return;
            }
            Role::PathLink => {
                let link = u.other.clone().unwrap_or_else(|| u.value.clone());
                let id = self.effect(Verb::Link, Object::Path(link.clone()), by, at);
                self.out(id, u, simulated);
                self.amend(id, |e| e.other = Some(Box::new(Object::Path(u.value.clone()))));
                self.note_link(&link, &u.value);
                if let Some(c) = self.written(&u.value) {
                    self.flow(id, &c.taint());
                    self.put_at(&link, &u.value, c);
                }
                return;
            }
            Role::RemoteWrite => {
                if crate::command::is_remote(&u.value) {
                    let id = self.effect(Verb::Send, Object::Url(u.value.clone()), by, at);
                    self.out(id, u, simulated);
                    self.flow(id, &w.content.taint());
                } else {
                    let id = self.effect(Verb::Write, Object::Path(u.value.clone()), by, at);
                    self.out(id, u, simulated);
                    self.flow(id, &product.taint());
                    self.arrived(u, inv, product);
                    // Between two places of this machine.
                    for from in inv.uses.iter().filter(|f| f.role == Role::RemoteRead) {
                        if let Some(c) = self.written(&from.value).filter(|_| !crate::command::is_remote(&from.value)) {
                            self.put_at(&u.value, &from.value, c);
                        }
                        self.copy_below(&from.value, &u.value);
                    }
                }
                return;
            }
            Role::DataSend => {
                let object = w.target.clone().unwrap_or_default();
                let id = self.effect(Verb::Send, object, by, at);
                self.out(id, u, simulated);
                self.flow(id, &u.value.taint());
                return;
            }
            Role::PathSend => {
                let (v, read) = self.read_file(&u.value, by, at);
                let object = w.target.clone().unwrap_or_default();
                let id = self.effect(Verb::Send, object, by, at);
                self.out(id, u, simulated);
                self.flow(id, &v.taint());
                if let Some(r) = read {
                    self.flow(id, &Taint::of(r));
                }
                self.amend(id, |e| e.other = Some(Box::new(Object::Path(u.value.clone()))));
                return;
            }
            Role::UrlSend => {
                let id = self.effect(Verb::Send, Object::Url(u.value.clone()), by, at);
                self.out(id, u, simulated);
                let mut t = w.content.taint();
                if let Some(s) = &w.stdin {
                    t.join(&s.taint());
                }
                self.flow(id, &t);
                return;
            }
            Role::PathExec => {
                let id = self.effect(Verb::Execute, Object::Path(u.value.clone()), by, at);
                if let Some(c) = self.written(&u.value) {
                    self.flow(id, &c.taint());
                }
                return;
            }
            Role::EnvAssign | Role::EnvName => {
                // In front of a command they are noted with the command that gets them.
                if !inv.uses.iter().any(|u| u.role == Role::Command) {
                    let (name, value) = split_assign(&u.value);
                    let id = self.effect(Verb::Environment, Object::Named("variable", name), by, at);
                    self.out(id, u, simulated);
                    self.amend(id, |e| e.other = value.map(|v| Box::new(Object::Named("value", v))));
                }
                return;
            }
            // A file of names, one a line: those of a text that is known.
            Role::Package(eco) if u.lines => {
                let Some(text) = self.written(&u.value) else { return };
                let name = |v: &Value| v.as_str().is_some_and(|s| s.starts_with(|c: char| c.is_ascii_alphanumeric()));
                for v in text.split(|b| b == b'\n').into_iter().filter(name).take(limits::MAX_READINGS) {
                    let id = self.effect(Verb::Install, Object::Package(eco, v), by, at);
                    self.out(id, u, simulated);
                }
                return;
            }
            Role::Package(eco) => {
                let verb = if inv.props.has(Props::REMOVE) { Verb::Uninstall } else { Verb::Install };
                let id = self.effect(verb, Object::Package(eco, u.value.clone()), by, at);
                self.out(id, u, simulated);
                return;
            }
            Role::Pid | Role::ProcessName => {
                let id = self.effect(Verb::Kill, Object::Named("process", u.value.clone()), by, at);
                self.out(id, u, simulated);
                return;
            }
            Role::Volume => {
                let id = self.effect(Verb::Mount, Object::Named("volume", u.value.clone()), by, at);
                self.out(id, u, simulated);
                return;
            }
            Role::Setting => {
                let id = self.effect(Verb::Configure, Object::Named("setting", u.value.clone()), by, at);
                self.out(id, u, simulated);
                return;
            }
            Role::PathArchive => {
                let target = u.other.clone().unwrap_or_else(|| Value::computed(b".", at, Taint::default()));
                let id = self.effect(Verb::Extract, Object::Path(target), by, at);
                self.out(id, u, simulated);
                self.flow(id, &w.content.taint());
                self.note_tree(&u.other.clone().unwrap_or_else(|| here(at)), false, Taint::of(id));
                return;
            }
            Role::PathUpdate => Verb::Update,
            Role::PathCreate => Verb::Create,
            Role::PathDelete | Role::PathDeleteTree => Verb::Delete,
            Role::PathMode => Verb::Mode,
            Role::PathOwner => Verb::Owner,
            Role::PathChdir => Verb::Chdir,
            Role::PathExtract => Verb::Extract,
            Role::Device => Verb::Write,
            Role::DeviceFormat => Verb::Format,
            _ => return,
        };
        let id = self.effect(verb, Object::Path(u.value.clone()), by, at);
        self.out(id, u, simulated);
        match u.role {
            Role::PathDeleteTree => self.amend(id, |e| e.props = e.props.with(Props::RECURSIVE)),
            Role::PathUpdate if product.is_known() && matches!(inv.makes, Stdout::Transform(_)) => {
                // One file, edited in place.
                let one = inv.uses.iter().filter(|o| o.role == Role::PathUpdate).count() == 1;
                if one && self.files.contains_key(&self.file_key(&u.value)) {
                    self.flow(id, &product.taint());
                    self.set_content(&u.value, product.clone());
                }
            }
            Role::Device | Role::PathUpdate => self.flow(id, &product.taint()),
            Role::PathExtract => {
                let mut t = w.content.taint();
                t.join(&product.taint());
                self.flow(id, &t);
                self.note_tree(&u.value, false, Taint::of(id));
            }
            _ => {}
        }
        if verb == Verb::Delete && !simulated {
            self.forget(&u.value);
        }
    }

    /// What came from another machine lies under its name in the place that was given, and the place, where it is a
    /// directory, holds nothing else that is known.
    fn arrived(&mut self, to: &Use, inv: &Invocation, product: &Value) {
        // What a program gets from a service of its own has a name there that looks like a path: `mc cp store/b/x x`.
        let own = inv.stdout == Stdout::Fetched && !product.taint().is_empty();
        let from = |u: &&Use| u.role == Role::RemoteRead && (own || crate::command::is_remote(&u.value));
        let mut flat = false;
        for u in inv.uses.iter().filter(from) {
            self.put_at(&to.value, &u.value, product.clone());
            // `h:dir/`: what is in it, not itself.
            flat |= u.value.show().ends_with(['/', '*', '.']);
        }
        self.note_tree(&to.value, flat, product.taint());
    }

    fn out(&mut self, id: EffectId, u: &Use, simulated: bool) {
        let props = if simulated { u.props.with(Props::SIMULATED) } else { u.props };
        self.with_props(id, props);
    }

    /// What was copied or moved is found under the new name, and below it where that is a directory.
    fn put_at(&mut self, dest: &Value, from: &Value, content: Value) {
        let base = from.show();
        let base = base.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default().to_string();
        let mut below = dest.clone();
        let sep: &[u8] = if dest.show().ends_with('/') { b"" } else { b"/" };
        below.push(Value::computed(sep, dest.place(), Taint::default()));
        below.push(Value::computed(base.as_bytes(), from.place(), Taint::default()));
        self.set_content(&below, content.clone());
        self.set_content(dest, content);
    }

    fn is_special(&self, path: &Value) -> bool {
        path.as_str().is_some_and(|p| matches!(&*p, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "-"))
    }

    fn emit_special(&mut self, path: &Value, v: &Value) {
        match path.as_str().as_deref() {
            Some("/dev/stdout" | "-") => self.emit(1, v.clone()),
            Some("/dev/stderr") => self.emit(2, v.clone()),
            _ => {}
        }
    }
}

/// Whether a transform decodes or encodes.
fn coding(transform: &str) -> Option<Verb> {
    match transform.rsplit_once('.') {
        Some((_, "decode")) => Some(Verb::Decode),
        Some((_, "encode")) => Some(Verb::Encode),
        None if transform == "decompress" => Some(Verb::Decode),
        _ => None,
    }
}

/// The path in an address of the scheme `file`.
fn local_file(value: &Value) -> Option<Value> {
    let Some(text) = value.as_str() else {
        // `file://$HOME/x`: what follows the two slashes is the path.
        const SCHEME: &[u8] = b"file://";
        let prefix = value.prefix();
        let local = prefix.get(..SCHEME.len()).is_some_and(|s| s.eq_ignore_ascii_case(SCHEME));
        return local.then(|| value.split_at(SCHEME.len()).1);
    };
    let scheme = text.get(..5).filter(|s| s.eq_ignore_ascii_case("file:"))?;
    let rest = text.get(scheme.len()..)?;
    // With an empty host or that of this machine.
    let path = rest.strip_prefix("//").map_or(rest, |r| r.strip_prefix("localhost").unwrap_or(r));
    let path = path.split(['?', '#']).next().filter(|p| p.starts_with('/'))?;
    Some(Value::computed(&unescaped(path.as_bytes()), value.place(), value.taint()))
}
