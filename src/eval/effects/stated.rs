//! What a grammar says of an invocation as a whole, and the roles that are about variables and sockets.
//!
//! In: the invocation. Out: effects, and what they mean to the shell's own variables.

use super::super::Interp;
use super::super::invoke::Work;
use super::super::scope::End;
use crate::command::{Invocation, Role, Stated, Stdout};
use crate::effect::{Object, ProcessId, Props, Verb};
use crate::source::Place;
use crate::value::{Taint, Value};

impl Interp<'_> {
    /// Effects that the grammar states.
    pub(crate) fn stated(&mut self, inv: &Invocation, by: ProcessId, w: &Work, simulated: bool) {
        for s in &inv.stated {
            let made = is_environment(s) || is_taken(s, inv) || is_answer(s, inv);
            if matches!(s.verb, Verb::Decode | Verb::Encode) || made {
                continue;
            }
            // What is written without end uses the machine up where nothing takes it up: `yes > /dev/null`, not `yes | head`.
            let taken_up = matches!(self.sh.fd(1), End::Sink(_) | End::Outer(_) | End::Socket(_));
            if s.verb == Verb::Exhaust && s.object == ENDLESS_OUTPUT && taken_up {
                continue;
            }
            let object = match &s.value {
                Some(v) => stated_object(s.verb, s.object, v.clone()),
                // `list .`, `delete .`: the working directory, with everything in it.
                None if s.object == "." => {
                    stated_object(s.verb, s.object, Value::computed(b".", s.place, Default::default()))
                }
                None => Object::Stated(s.object),
            };
            let id = self.effect(s.verb, object, by, s.place);
            if s.verb == Verb::Delete && s.object == "." {
                self.with_props(id, Props::RECURSIVE);
            }
            if simulated && s.verb != Verb::Inspect {
                self.with_props(id, Props::SIMULATED);
            }
            let mut t = w.content.taint();
            if let Some(v) = &s.value {
                t.join(&v.taint());
            }
            // `curl u | apt-key add -`, `curl u | kubectl apply -f -`: what it is set up with.
            if matches!(s.verb, Verb::Configure | Verb::ResourceChange)
                && let Some(v) = &w.stdin
            {
                t.join(&v.taint());
            }
            // `curl u | tar x`: an archive that is read from standard input.
            if s.verb == Verb::Extract
                && let Some(v) = &w.stdin
            {
                t.join(&v.taint());
                self.note_tree(&here(s.place), false, Taint::of(id));
            }
            self.flow(id, &t);
        }
    }

    /// A variable in front of a command: what it is to that command.
    pub(crate) fn environment(&mut self, name: &str, value: Value, at: Place, by: ProcessId, inv: &Invocation) {
        let id = self.effect(
            Verb::Environment,
            Object::Named("variable", Value::computed(name.as_bytes(), at, Taint::default())),
            by,
            at,
        );
        self.flow(id, &value.taint());
        self.amend(id, |e| e.other = Some(Box::new(Object::Named("value", value.clone()))));
        self.variable_roles(name, value, at, by, inv.grammar);
    }

    /// An assignment that stays in the shell: noted where the variable has a meaning to programs.
    pub(crate) fn note_variable(&mut self, name: &str, value: Option<Value>, at: Place, by: Option<ProcessId>) {
        if by.is_none() && !crate::command::is_environment(name) {
            self.shell_variable(name, value, at);
            return;
        }
        let by = by.unwrap_or_else(|| self.process("", Vec::new(), at, true));
        let id = self.effect(
            Verb::Environment,
            Object::Named("variable", Value::computed(name.as_bytes(), at, Taint::default())),
            by,
            at,
        );
        let value = value.unwrap_or_default();
        self.flow(id, &value.taint());
        self.amend(id, |e| e.other = Some(Box::new(Object::Named("value", value.clone()))));
        self.variable_roles(name, value, at, by, None);
    }

    /// An assignment to a variable that the shell itself runs or expands (a prompt), whether exported or not.
    pub(super) fn shell_variable(&mut self, name: &str, value: Option<Value>, at: Place) {
        let Some(value) = value else { return };
        let shell = crate::command::grammar::lookup(self.language.name());
        let Some(set) = crate::command::argv::variable(shell, name, &value) else { return };
        for u in set.uses {
            match u.role {
                Role::Code(language) => {
                    let by = self.process("", Vec::new(), at, true);
                    self.deferred(u.value, language, by, at);
                }
                Role::Expanded => self.expand_later(&u.value),
                _ => {}
            }
        }
    }

    /// Text that the shell expands at some later time, if at all.
    pub(crate) fn expand_later(&mut self, text: &Value) {
        let saved = self.sh.clone();
        self.conditional(|me| me.expand_again(text.clone(), text.place()));
        self.sh = saved;
    }

    /// The roles that a variable's value has: code that is run, files that are loaded.
    pub(crate) fn variable_roles(
        &mut self,
        name: &str,
        value: Value,
        at: Place,
        by: ProcessId,
        grammar: Option<&'static str>,
    ) {
        let grammar = grammar.and_then(crate::command::grammar::lookup);
        let Some(set) = crate::command::argv::variable(grammar, name, &value) else { return };
        if let Some(p) = self.graph.processes.get_mut(by.0 as usize) {
            p.props = p.props.with(set.props);
        }
        for mut u in set.uses {
            u.props = u.props.with(set.props);
            match u.role {
                Role::Code(language) => {
                    self.deferred(u.value, language, by, at);
                }
                Role::Expanded => self.expand_later(&u.value),
                Role::CommandString | Role::Command => {
                    let words =
                        super::super::nested::quoted_words(&u.value).unwrap_or_else(|| self.split_string(&u.value));
                    if words.is_empty() {
                        continue;
                    }
                    let id = self.effect(Verb::Spawn, Object::Command(words.clone()), by, at);
                    self.flow(id, &value.taint());
                    let parent = self.parent.replace(by);
                    self.conditional(|me| {
                        me.subshell(|me| {
                            me.run_words(words, at, None, &[], false);
                        })
                    });
                    self.parent = parent;
                }
                Role::PathScript => {
                    let content = self.written(&u.value);
                    let id = self.effect(Verb::Execute, Object::Path(u.value.clone()), by, at);
                    if let Some(c) = content {
                        self.flow(id, &c.taint());
                        let own = grammar.and_then(|g| g.names.first()).and_then(|n| crate::command::language(n));
                        let language = u.language.or(own).unwrap_or(crate::effect::Language::Sh);
                        self.deferred(c, language, by, at);
                    }
                }
                _ => {
                    let mut w = Work::default();
                    let inv = Invocation::default();
                    self.use_in(&u, &inv, by, &mut w);
                    self.connection(&mut w, &inv, by);
                    self.use_out(&u, &inv, by, &w, &Value::default(), false);
                }
            }
        }
    }
}

/// The working directory.
pub(super) fn here(at: Place) -> Value {
    Value::computed(b".", at, Taint::default())
}

/// True for what a program gets from a service of its own and prints.
pub(super) fn is_taken(s: &Stated, inv: &Invocation) -> bool {
    s.verb == Verb::Fetch && s.value.is_none() && inv.stdout == Stdout::Fetched
}

/// True for what a program is told by a service that it asks, and prints: text that others wrote.
pub(super) fn is_answer(s: &Stated, inv: &Invocation) -> bool {
    s.verb == Verb::Inspect && s.value.is_none() && inv.stdout == Stdout::Fetched && !is_environment(s)
}

/// The object of the effect of what writes to its standard output without end.
const ENDLESS_OUTPUT: &str = "output";

/// True for what shows every variable with its value.
pub(super) fn is_environment(s: &Stated) -> bool {
    s.verb == Verb::Inspect && (s.object == ENVIRONMENT || s.object == TYPED)
}

/// The object of the effect of what shows the commands that were typed.
const TYPED: &str = "typed-commands";

/// The object of the effect of what shows every variable.
pub(crate) const ENVIRONMENT: &str = "environment";

/// The object of a stated effect that an operand says more about.
pub(super) fn stated_object(verb: Verb, kind: &'static str, v: Value) -> Object {
    match verb {
        Verb::Read
        | Verb::List
        | Verb::Write
        | Verb::Append
        | Verb::Update
        | Verb::Create
        | Verb::Delete
        | Verb::Move
        | Verb::Link
        | Verb::Mode
        | Verb::Owner
        | Verb::Extract
        | Verb::Execute
        | Verb::Format => Object::Path(v),
        Verb::Fetch | Verb::Clone => Object::Url(v),
        _ => Object::Named(kind, v),
    }
}

/// `host:port`, `[v6]:port`, or a lone host.
pub(crate) fn host_port(v: &Value) -> (Value, Value) {
    let text = v.show();
    match text.rsplit_once(':') {
        Some((h, p)) if !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()) => {
            let make = |s: &str| Value::computed(s.as_bytes(), v.place(), v.taint());
            if v.is_known() { (make(h.trim_matches(['[', ']'])), make(p)) } else { (v.clone(), make(p)) }
        }
        _ => (v.clone(), Value::default()),
    }
}

/// `NAME=value`
pub(crate) fn split_assign(v: &Value) -> (Value, Option<Value>) {
    let prefix = v.prefix();
    match prefix.iter().position(|b| *b == b'=') {
        Some(i) => {
            let name = Value::computed(prefix.get(..i).unwrap_or(&[]), v.place(), Taint::default());
            let rest = prefix.get(i.saturating_add(1)..).unwrap_or(&[]);
            let mut value = Value::default();
            if !rest.is_empty() {
                value.push(Value::computed(rest, v.place(), v.taint()));
            }
            let known = v.pieces.iter().take_while(|p| matches!(p, crate::value::Piece::Literal(_))).count();
            v.pieces.iter().skip(known).for_each(|p| value.push_piece(p.clone()));
            (name, Some(value))
        }
        None => (v.clone(), None),
    }
}

/// Bytes that `%XX` stands for.
pub(super) fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&b, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| b == b'%').and_then(|d| std::str::from_utf8(d).ok());
        match digits.and_then(|d| u8::from_str_radix(d, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                out.push(b);
                rest = after;
            }
        }
    }
    out
}
