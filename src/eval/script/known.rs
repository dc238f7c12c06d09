//! Calls with facts: the effects that `grammars/languages` states, then the result.
//!
//! In: a fact and the arguments. Out: effects, [`Data`]. What single arguments do is in `argument`, what the call gives in
//! `result`.

use super::call::Args;
use super::condition::{holds, surely};
use super::data::named;
use super::result::Outcome;
use super::{Data, Interp, Run};
use crate::command::Role;
use crate::command::calls::{self, ArgFact, CallFact};
use crate::effect::{EffectId, Language, Object as Thing, Props, Verb};
use crate::limits;
use crate::source::Place;
use crate::value::{Piece, Taint, Value, Why};

impl Interp<'_> {
    /// A call with facts: its effects, then its result.
    pub(super) fn known_call(
        &mut self,
        run: &mut Run,
        name: &str,
        fact: &'static CallFact,
        object: Option<Data>,
        args: Args,
        at: Place,
    ) -> Data {
        // `getenv()`: all of them.
        if fact.result == "op.environ" && args.is_empty() && object.is_none() {
            let id = self.effect(Verb::Inspect, Thing::Stated(crate::eval::effects::ENVIRONMENT), run.by, at);
            return Data::unknown("everything in it", at, Taint::of(id));
        }
        // What stands behind `...` is found by its name alone.
        let rest = fact.params.iter().position(|p| *p == "...").unwrap_or(usize::MAX);
        let get = |i: usize| -> Option<&Data> {
            let named = fact.params.get(i).and_then(|p| args.iter().find(|(n, _)| n.as_deref() == Some(*p)));
            named.or_else(|| args.iter().filter(|(n, _)| n.is_none()).nth(i).filter(|_| i <= rest)).map(|(_, d)| d)
        };
        let object = match fact.params.iter().position(|p| *p == fact.object) {
            Some(i) => object.or_else(|| get(i).cloned()),
            None => object,
        };
        let ends = self.connected(fact, &get);
        let entry = |name: &str| -> Option<Data> {
            let (param, key) = name.split_once('.').unwrap_or((name, ""));
            let data = fact.params.iter().position(|p| *p == param).and_then(get)?;
            match data {
                Data::Map(m) if !key.is_empty() => m.iter().find(|(k, _)| named(k, key)).map(|(_, v)| v.clone()),
                _ if !key.is_empty() => None,
                d => Some(d.clone()),
            }
        };
        let mut variables = if fact.env.is_empty() { None } else { entry(fact.env) };
        let fed = if fact.input.is_empty() { None } else { entry(fact.input) };
        let set = |(name, when): &(&str, &str)| Props::from_name(name).filter(|_| surely(when, fact, &get));
        let props = fact.sets.iter().filter_map(set).fold(Props::default(), Props::with);
        let mut out = Outcome { object: object.clone(), ..Default::default() };
        // A connection among the arguments is the standard input of what is run (`spawn('sh', {stdio: [s, s, s]})`).
        let runs = |a: &ArgFact| a.role.starts_with("code.") || a.role.starts_with("command");
        if fact.args.iter().any(runs) {
            out.input = args.iter().skip(1).find_map(|(_, d)| self.peer_of(d));
        }
        out.text = fed.filter(|d| matches!(d, Data::Text(_))).map(|d| d.value(at));
        // `system({"A" => "b"}, command)`
        let without: Args;
        let all: &Args = match args.split_first() {
            Some(((None, m @ Data::Map(_)), rest)) if fact.env == "*" => {
                variables = Some(m.clone());
                without = rest.to_vec();
                &without
            }
            _ => &args,
        };
        let get = |i: usize| -> Option<&Data> {
            let named = fact.params.get(i).and_then(|p| all.iter().find(|(n, _)| n.as_deref() == Some(*p)));
            named.or_else(|| all.iter().filter(|(n, _)| n.is_none()).nth(i).filter(|_| i <= rest)).map(|(_, d)| d)
        };
        let outer = variables.is_some().then(|| self.sh.vars.clone());
        if let Some(Data::Map(m)) = variables {
            for (k, v) in m.iter().take(64) {
                self.export(&k.value(at), v.value(at));
            }
        }
        let mut made: Vec<EffectId> = Vec::new();
        for arg in fact.args {
            let Some(role) = Role::from_name(arg.role) else { continue };
            let data = if arg.at == calls::SELF { object.as_ref() } else { get(arg.at) };
            let data = match data {
                Some(Data::Map(m)) if !arg.key.is_empty() => m.iter().find(|(k, _)| named(k, arg.key)).map(|(_, v)| v),
                _ if !arg.key.is_empty() => None,
                d => d,
            };
            let Some(data) = data.cloned() else { continue };
            if !holds(arg, fact, &get) {
                continue;
            }
            let data = if arg.strip.is_empty() { data } else { stripped(data, arg.strip, at) };
            let data = match arg.with {
                "" => data,
                "*" => {
                    joined(data, all.iter().filter(|(n, _)| n.is_none()).skip(arg.at.saturating_add(1)).map(|(_, d)| d))
                }
                with => {
                    let (param, key) = with.split_once('.').unwrap_or((with, ""));
                    let more = fact.params.iter().position(|p| *p == param).and_then(get);
                    let more = match more {
                        Some(Data::Map(m)) if !key.is_empty() => m.iter().find(|(k, _)| named(k, key)).map(|(_, v)| v),
                        d => d,
                    };
                    joined(data, more.filter(|d| matches!(d, Data::List(_))).into_iter())
                }
            };
            let whole = matches!(
                role,
                Role::Code(_)
                    | Role::Command
                    | Role::CommandString
                    | Role::Socket
                    | Role::SocketListen
                    | Role::DataSend
                    | Role::DataText
            );
            match data {
                // `unlink @files`
                Data::List(items) if !whole => {
                    for d in items.into_iter().take(limits::MAX_READINGS) {
                        self.argument(run, role, d, &mut out, &mut made, at);
                    }
                }
                data => self.argument(run, role, data, &mut out, &mut made, at),
            }
        }
        if let Some(vars) = outer {
            self.sh.vars = vars;
        }
        // A variable that is set is what is started later gets.
        for arg in fact.args {
            match Role::from_name(arg.role) {
                // What a mode gives, it gives to the files of the same call.
                Some(Role::ModeBits) => {
                    let Some(mode) = get(arg.at) else { continue };
                    let text = match mode {
                        Data::Number(n) => format!("{n:o}"),
                        d => d.value(at).as_str().map(|s| s.into_owned()).unwrap_or_default(),
                    };
                    let given = crate::command::mode_props(&text);
                    let modes = |e: &EffectId| self.graph.effect(*e).is_some_and(|e| e.verb == Verb::Mode);
                    for id in made.iter().copied().filter(modes).collect::<Vec<_>>() {
                        self.amend(id, |e| e.props = e.props.with(given));
                    }
                }
                Some(Role::EnvName) => {
                    if let (Some(k), Some(v)) = (get(arg.at), get(arg.at.saturating_add(1))) {
                        let (k, v) = (k.value(at), v.value(at));
                        if let Some(id) = made.last().copied() {
                            self.amend(id, |e| e.other = Some(Box::new(Thing::Named("value", v.clone()))));
                        }
                        self.export(&k, v);
                    }
                }
                Some(Role::EnvAssign) => {
                    if let Some(v) = get(arg.at).map(|d| d.value(at)) {
                        let (name, value) = crate::eval::effects::split_assign(&v);
                        self.export(&name, value.unwrap_or_default());
                    }
                }
                _ => {}
            }
        }
        // A thing that connects is connected before what it calls back runs.
        if let (Some(Data::Object(o)), Some(e)) = (&out.object, out.effect)
            && self.graph.effect(e).is_some_and(|e| e.verb == Verb::Connect)
            && let Ok(mut o) = o.try_borrow_mut()
            && o.effect.is_none()
        {
            o.effect = Some(e);
        }
        for (fd, end) in ends {
            self.sh.set_fd(fd, end);
        }
        for (verb, thing) in fact.effects {
            if let Some(v) = Verb::from_name(verb) {
                let id = self.effect(v, Thing::Stated(thing), run.by, at);
                made.push(id);
                if matches!(v, Verb::Connect | Verb::Fetch | Verb::Listen | Verb::Read | Verb::Decode | Verb::Encode) {
                    out.effect = Some(id);
                }
                let mut t = Taint::default();
                args.iter().for_each(|(_, d)| t.join(&d.taint()));
                self.carried(v, id, &made, out.path.as_ref(), &mut t);
                self.flow(id, &t);
            }
        }
        if props != Props::default() {
            // What is set up without a use holds for what the program does from then on (`https.Agent`, an SSL context).
            if made.is_empty()
                && let Some(p) = self.graph.processes.get_mut(run.by.0 as usize)
            {
                p.props = p.props.with(props);
            }
            for id in made {
                self.amend(id, |e| e.props = e.props.with(props));
            }
        }
        if fact.callback == 0 {
            let prints = fact.args.iter().any(|a| a.role == "data.text");
            let (object, before) = (out.object.clone(), self.graph.effects.len());
            let given = if prints { Vec::new() } else { args.clone() };
            let result = self.result(run, name, fact, out, args, at);
            if self.graph.effects.len() == before {
                self.handed(run, object.as_ref(), &given, at);
            }
            return result;
        }
        let got = out
            .content
            .clone()
            .map(Data::Text)
            .or_else(|| out.effect.map(|e| Data::Text(Value::unknown_tainted(Why::Network, at, Taint::of(e)))));
        let result = self.result(run, name, fact, out, args.clone(), at);
        // A thing that was made is what the function gets (`File.open(path) { |f| … }`).
        let listed = matches!(fact.result.split(' ').next(), Some("op.entries" | "op.entries.names" | "op.glob"));
        let got = if matches!(result, Data::Object(_)) || listed { Some(result.clone()) } else { got };
        if let Some(got) = &got {
            fact.binds.iter().for_each(|n| run.set(n, got.clone()));
        }
        // A function may stand in a map of options (`find({wanted => sub { … }}, …)`).
        let mut called: Vec<&Data> = Vec::new();
        for (_, d) in &args {
            match d {
                Data::Map(m) => called.extend(m.iter().map(|(_, v)| v).filter(|v| matches!(v, Data::Function(..)))),
                d => called.push(d),
            }
        }
        for d in called {
            let mut given: Args = Vec::new();
            if let Some(got) = &got {
                given.extend((1..fact.callback).map(|_| (None, Data::unknown("error", at, Taint::default()))));
                given.push((None, got.clone()));
                given.push((Some("this".into()), got.clone()));
            }
            // JavaScript calls back when the running code is done.
            if run.language == Language::JavaScript && run.later.len() < 64 {
                run.later.push((d.clone(), given, at));
            } else {
                self.callback(run, d.clone(), given, at);
            }
        }
        result
    }

    /// What a stated transfer carries: a fetch goes into the file that the same call writes, what it reads is sent.
    fn carried(&mut self, verb: Verb, id: EffectId, made: &[EffectId], path: Option<&Value>, t: &mut Taint) {
        let of = |me: &Self, verb: Verb| -> Vec<EffectId> {
            made.iter().copied().filter(|e| me.graph.effect(*e).is_some_and(|e| e.verb == verb)).collect()
        };
        match verb {
            Verb::Send => of(self, Verb::Read).into_iter().for_each(|e| t.join(&Taint::of(e))),
            Verb::Fetch => {
                for write in of(self, Verb::Write) {
                    self.flow(write, &Taint::of(id));
                }
                if let Some(path) = path {
                    let key = self.file_key(path);
                    self.add_content(&key, Value::unknown_tainted(Why::Network, path.place(), Taint::of(id)));
                }
            }
            _ => {}
        }
    }

    /// The connection that something is, belongs to, or came from.
    pub(super) fn peer_of(&self, d: &Data) -> Option<EffectId> {
        let connected =
            |e: EffectId| self.graph.effect(e).is_some_and(|e| matches!(e.verb, Verb::Connect | Verb::Listen));
        d.taint().sources().iter().map(|(o, _)| *o).find(|o| connected(*o))
    }

    /// A connection takes the lowest descriptor that is free; what is run then has it, too (`exec("sh <&3")`).
    pub(super) fn connection_fd(&mut self, e: EffectId) -> Option<u32> {
        let free = (3u32..64)
            .find(|n| matches!(self.sh.fd(*n), crate::eval::scope::End::Outer(_) | crate::eval::scope::End::Nothing))?;
        self.sh.set_fd(free, crate::eval::scope::End::Socket(e));
        Some(free)
    }

    /// Makes a connection the standard input of what runs next.
    pub(super) fn connect_input(&mut self, connection: Option<EffectId>) {
        if let Some(e) = connection {
            self.sh.set_fd(0, crate::eval::scope::End::Socket(e));
        }
    }

    /// Makes a text the standard input of what runs next.
    pub(super) fn read_text(&mut self, text: Option<Value>) {
        if let Some(v) = text {
            let end = self.new_input(v);
            self.sh.set_fd(0, end);
        }
    }

    /// Connects the descriptors of the process that a call starts to the things that the call names for them; gives
    /// what was there before.
    fn connected<'d>(
        &mut self,
        fact: &CallFact,
        get: &dyn Fn(usize) -> Option<&'d Data>,
    ) -> Vec<(u32, crate::eval::scope::End)> {
        let mut before = Vec::new();
        for (fd, name) in (0u32..).zip(fact.fds) {
            let Some(i) = fact.params.iter().position(|p| p == name) else { continue };
            let Some(Data::Object(o)) = get(i) else { continue };
            let Some(effect) = o.try_borrow().ok().and_then(|o| o.effect) else { continue };
            let connection = self.graph.effect(effect).is_some_and(|e| matches!(e.verb, Verb::Connect | Verb::Listen));
            if connection {
                before.push((fd, self.sh.fd(fd).clone()));
                self.sh.set_fd(fd, crate::eval::scope::End::Socket(effect));
            }
        }
        before
    }
}

/// The words of an argument and those that follow it.
pub(super) fn joined<'d>(first: Data, more: impl Iterator<Item = &'d Data>) -> Data {
    let mut words = match first {
        Data::List(l) => l,
        other => vec![other],
    };
    for d in more {
        match d {
            Data::List(l) => words.extend(l.iter().cloned()),
            other => words.push(other.clone()),
        }
    }
    Data::List(words)
}

/// Text without some characters at its ends.
fn stripped(d: Data, set: &str, at: Place) -> Data {
    let Data::Text(mut v) = d else { return d };
    let is = |b: &u8| set.as_bytes().contains(b);
    if let Some(Piece::Literal(l)) = v.pieces.first_mut() {
        let n = l.bytes.iter().take_while(|b| is(b)).count();
        l.bytes = l.bytes.get(n..).unwrap_or_default().into();
        (l.exact, l.from) = (false, at);
    }
    if let Some(Piece::Literal(l)) = v.pieces.last_mut() {
        let n = l.bytes.iter().rev().take_while(|b| is(b)).count();
        l.bytes.truncate(l.bytes.len().saturating_sub(n));
        (l.exact, l.from) = (false, at);
    }
    Data::Text(v)
}
