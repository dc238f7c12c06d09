//! Classes of a script: what they define, what their instances do, which function a method's name means.
//!
//! In: class bodies and calls on objects. Out: [`Data`] with the effects of the functions that run. What a language calls
//! of itself (destructors, context managers, hooks) is data; where it is not known what an object is, every method of that
//! name may be meant.

use super::Interp;
use super::call::Args;
use super::data::{Data, Object};
use super::state::{End, Run};
use crate::command::calls;
use crate::effect::Language;
use crate::source::{Place, TextId};
use crate::syntax::script::{Expr, Function, Kind, Receiver, Stmt, StmtKind, Target};
use crate::value::Taint;
use std::cell::RefCell;
use std::rc::Rc;

/// A method that runs: its class and name, its object, and what it got.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    class: String,
    method: String,
    object: Data,
    args: Args,
}

/// Most classes that one has above it.
const MAX_BASES: u32 = 16;

/// Most methods of one name that are looked at where the object is not known.
const MAX_CANDIDATES: usize = 4;

/// Most functions that are called at the end because something may call them.
const MAX_HELD: usize = 256;

/// Most names of methods that the language calls of itself.
const MAX_IMPLICIT: usize = 128;

/// A function with the text its body stands in, and the class that defines it.
type Method = (Rc<Function>, TextId, String);

/// The name under which a method finds its object; `None` where that is its first parameter.
fn own_name(language: Language) -> Option<&'static str> {
    match language {
        Language::JavaScript => Some("this"),
        Language::Php | Language::PowerShell => Some("$this"),
        Language::Ruby | Language::Lua => Some("self"),
        _ => None,
    }
}

/// `A` of `A.prototype`.
pub(super) fn prototype(e: &Expr) -> Option<&str> {
    match &e.kind {
        Kind::Attribute(o, p) if p == "prototype" => match &o.kind {
            Kind::Name(n) => Some(n),
            _ => None,
        },
        _ => None,
    }
}

impl Run {
    pub(super) fn is_class(&self, name: &str) -> bool {
        !name.is_empty() && self.classes.iter().any(|(n, _)| n == name)
    }

    /// The class whose method runs.
    pub(super) fn class_now(&self) -> Option<String> {
        self.frames.last().map(|f| f.class.clone())
    }

    pub(super) fn add_class(&mut self, name: &str) {
        if !self.is_class(name) && self.classes.len() < 1_024 {
            self.classes.push((name.to_string(), Vec::new()));
        }
    }

    /// What a class or the nearest of its bases defines under a name.
    pub(super) fn member(&self, class: &str, name: &str, depth: u32) -> Option<(&Data, &str)> {
        let own = self.classes.iter().find(|(n, _)| n == class);
        if let Some(d) = self.get(&format!("{class}.{name}")) {
            return Some((d, own.map_or("", |(n, _)| n)));
        }
        let (_, bases) = own?;
        if depth >= MAX_BASES {
            return None;
        }
        bases.iter().find_map(|b| self.member(b, name, depth.saturating_add(1)))
    }

    pub(super) fn method(&self, class: &str, name: &str, depth: u32) -> Option<Method> {
        match self.member(class, name, depth)? {
            (Data::Function(f, text), owner) => {
                let owner = if owner.is_empty() { class } else { owner };
                Some((Rc::clone(f), *text, owner.to_string()))
            }
            _ => None,
        }
    }

    /// Something that may call a function later got it.
    pub(super) fn hold(&mut self, d: &Data) {
        if let Data::Function(f, _) = d
            && self.held.len() < MAX_HELD
            && self.holds.insert(Rc::as_ptr(f))
        {
            self.held.push(d.clone());
        }
    }

    /// A method by its own name.
    fn add_method(&mut self, name: &str, f: &Rc<Function>, text: TextId) {
        if self.methods.len() < 4_096 && !self.methods.iter().any(|(n, g, _)| n == name && Rc::ptr_eq(f, g)) {
            self.methods.push((name.to_string(), Rc::clone(f), text));
            if self.implicit.len() < MAX_IMPLICIT
                && calls::is_implicit(self.language, name)
                && !self.implicit.iter().any(|n| n == name)
            {
                self.implicit.push(name.to_string());
            }
        }
    }
}

impl Interp<'_> {
    /// A function gets its name; `A.f` makes `A` something with methods.
    pub(super) fn define(&mut self, run: &mut Run, f: &Rc<Function>) {
        // A program of awk has no function that nothing calls; `PROCINFO["sorted_in"]` and `asort` call by name.
        if run.language == Language::Awk {
            run.hold(&Data::Function(Rc::clone(f), self.text));
        }
        if let Some((class, method)) = f.name.rsplit_once("::") {
            let class = class.replace("::", ".");
            run.add_class(&class);
            run.set(&format!("{class}.{method}"), Data::Function(Rc::clone(f), self.text));
            run.add_method(method, f, self.text);
        }
        if let Some((class, method)) = f.name.rsplit_once('.') {
            run.add_class(class);
            run.add_method(method, f, self.text);
        } else {
            let own = f.name.rsplit("::").next().unwrap_or_default();
            if calls::is_implicit(run.language, own) {
                run.add_method(own, f, self.text);
            }
        }
        run.set(&f.name, Data::Function(Rc::clone(f), self.text));
    }

    /// A class: what its body defines is `Name.x`.
    pub(super) fn class(&mut self, run: &mut Run, name: &str, bases: &[Expr], body: &[Stmt]) {
        let mut above = Vec::new();
        for b in bases {
            match self.expr(run, b) {
                Data::Path(p) => above.push(p),
                Data::Function(f, _) => above.push(f.name.clone()),
                _ => {}
            }
        }
        run.add_class(name);
        run.set(name, Data::Path(name.to_string()));
        run.scopes.push(Rc::new(std::collections::HashMap::new()));
        self.members(run, name, body, &mut above);
        run.scopes.pop();
        if let Some((_, own)) = run.classes.iter_mut().find(|(n, _)| n == name) {
            above.retain(|b| b != name && !own.contains(b));
            own.extend(above.into_iter().take(MAX_BASES as usize));
        }
    }

    fn members(&mut self, run: &mut Run, name: &str, body: &[Stmt], above: &mut Vec<String>) {
        let mut own: Vec<(String, Data)> = Vec::new();
        for s in body {
            match &s.kind {
                StmtKind::Function(f) => {
                    own.push((f.name.clone(), Data::Function(Rc::clone(f), self.text)));
                    run.add_method(&f.name, f, self.text);
                }
                StmtKind::Class { name: inner, body, .. } if inner.is_empty() => self.members(run, name, body, above),
                StmtKind::Block(b) => self.members(run, name, b, above),
                _ => {}
            }
        }
        // They are known while the rest of the body runs, and outside of it under the class's name.
        let place = run.scopes.len().saturating_sub(2);
        let give = |run: &mut Run, key: &str, d: Data| {
            if let Some(s) = run.scopes.last_mut() {
                Rc::make_mut(s).insert(key.to_string(), d.clone());
            }
            if let Some(s) = run.scopes.get_mut(place) {
                Rc::make_mut(s).insert(format!("{name}.{key}"), d);
            }
        };
        for (key, d) in own {
            give(run, &key, d);
        }
        for s in body {
            match &s.kind {
                StmtKind::Function(_) => {}
                StmtKind::Class { name, .. } if name.is_empty() => {}
                StmtKind::Block(b) if b.iter().any(|s| matches!(s.kind, StmtKind::Function(_))) => {}
                StmtKind::Assign(Target::Name(n), e) => {
                    let d = self.expr(run, e);
                    if n == "@ISA"
                        && let Data::List(l) = &d
                    {
                        let at = self.at(s.span);
                        above.extend(l.iter().filter_map(|d| d.value(at).as_str().map(|s| s.into_owned())));
                    }
                    give(run, n, d);
                }
                _ => {
                    let end = self.statement(run, s);
                    if matches!(end, End::Exit) {
                        return;
                    }
                }
            }
        }
    }

    /// A new thing of a class of the script. What the language calls of itself on such a thing runs some time.
    pub(super) fn instance(&mut self, run: &mut Run, class: &str, args: Args, at: Place) -> Data {
        let object = Data::object(class);
        if let Some((f, text, _)) = run.method(class, "__init__", 0) {
            self.call_on(run, &f, text, object.clone(), args, at);
        } else {
            for (_, d) in &args {
                self.callback(run, d.clone(), Vec::new(), at);
            }
        }
        self.hooks(run, class, &object, at);
        object
    }

    /// `new A()` of a function that has methods.
    pub(super) fn constructed(&mut self, run: &mut Run, f: &Rc<Function>, text: TextId, args: Args, at: Place) -> Data {
        let object = Data::object(&f.name);
        let made = self.call_on(run, f, text, object.clone(), args, at);
        if matches!(made, Data::Null) { object } else { made }
    }

    /// Methods that run without being called: those that the language calls, and, of a class whose base is not the
    /// script's, any that the base may call.
    fn hooks(&mut self, run: &mut Run, class: &str, object: &Data, at: Place) {
        let mut names: Vec<(String, Rc<Function>, TextId)> = Vec::new();
        for name in &run.implicit {
            if let Some((f, text, _)) = run.method(class, name, 0) {
                names.push((name.clone(), f, text));
            }
        }
        for (name, f, text) in names {
            if run.called.contains(&Rc::as_ptr(&f)) {
                continue;
            }
            let own = usize::from(own_name(run.language).is_none());
            let given = f.params.iter().filter(|(n, _)| !n.starts_with('*')).skip(own);
            let args: Args = given.map(|_| (None, Data::unknown("argument of a hook", at, Taint::default()))).collect();
            let object = object.clone();
            let result = self.perhaps(run, |me, run| me.call_on(run, &f, text, object, args, at));
            // What restores an object is a function and its arguments.
            if calls::applied(run.language, &name)
                && let Data::List(l) = result
                && let [callee, Data::List(args), ..] = l.as_slice()
            {
                let args = args.iter().map(|d| (None, d.clone())).collect();
                let callee = callee.clone();
                self.perhaps(run, |me, run| me.apply(run, callee, args, at));
            }
        }
    }

    /// Calls a method on what stands before it.
    pub(super) fn call_on(
        &mut self,
        run: &mut Run,
        f: &Rc<Function>,
        text: TextId,
        receiver: Data,
        args: Args,
        at: Place,
    ) -> Data {
        let class = match &receiver {
            Data::Object(o) => o.try_borrow().map(|o| o.class.clone()).unwrap_or_default(),
            Data::Path(p) => p.clone(),
            _ => String::new(),
        };
        let owner = run.method(&class, &f.name, 0).map_or(class, |(_, _, owner)| owner);
        run.frames.push(Frame { class: owner, method: f.name.clone(), object: receiver.clone(), args: args.clone() });
        let d = match (own_name(run.language), f.receiver) {
            (Some(name), _) => self.call_script(run, f, text, args, Some((name, receiver)), at),
            (None, Receiver::Nothing) => self.call_script(run, f, text, args, None, at),
            // `A.method(object, …)`: the object is among the arguments.
            (None, Receiver::Object) if matches!((run.language, &receiver), (Language::Python, Data::Path(_))) => {
                self.call_script(run, f, text, args, None, at)
            }
            (None, _) => {
                let first = match receiver {
                    Data::Path(p) if run.language == Language::Perl => {
                        Data::Text(crate::value::Value::computed(p.as_bytes(), at, Taint::default()))
                    }
                    other => other,
                };
                let all = std::iter::once((None, first)).chain(args).collect();
                self.call_script(run, f, text, all, None, at)
            }
        };
        run.frames.pop();
        d
    }

    /// A function that a dotted name means as a method of a class (`A.method`, `parent.method`, `super.method`).
    pub(super) fn of_class(&mut self, run: &Run, name: &str) -> Option<(Rc<Function>, TextId, Data)> {
        let (class, method) = name.rsplit_once('.')?;
        match class {
            "super" | "parent" => {
                let (f, text, object) = above(run, method)?;
                Some((f, text, object))
            }
            // `self::method()`, `static::method()`
            "self" | "static" | "$this" | "this" => {
                let frame = run.frames.last()?;
                let (f, text, _) = run.method(&frame.class, method, 0)?;
                Some((f, text, frame.object.clone()))
            }
            class if run.is_class(class) => {
                let (f, text, _) = run.method(class, method, 0)?;
                Some((f, text, Data::Path(class.to_string())))
            }
            _ => None,
        }
    }

    /// `super(…)`: the method of the same name above; in Python, a thing whose methods are those above.
    pub(super) fn superior(&mut self, run: &mut Run, mut args: Args, at: Place) -> Data {
        let Some(frame) = run.frames.last().cloned() else { return Data::unknown("super", at, Taint::default()) };
        if run.language == Language::Python {
            return Data::Bound(Box::new(frame.object), "super".into());
        }
        if matches!(args.as_slice(), [(None, Data::Path(p))] if p == "super.arguments") {
            args = frame.args.clone();
        }
        match self.superior_named(run, &frame.method, args, at) {
            Some(d) => d,
            None => Data::Null,
        }
    }

    pub(super) fn superior_named(&mut self, run: &mut Run, method: &str, args: Args, at: Place) -> Option<Data> {
        let (f, text, object) = above(run, method)?;
        Some(self.call_on(run, &f, text, object, args, at))
    }

    /// A method by its name alone: of the object that runs, else every one that the script has under it.
    pub(super) fn by_name(&mut self, run: &mut Run, name: &str, args: &Args, at: Place) -> Option<Data> {
        if let Some(frame) = run.frames.last().cloned()
            && let Some((f, text, _)) = run.method(&frame.class, name, 0)
        {
            return Some(self.call_on(run, &f, text, frame.object, args.clone(), at));
        }
        let named = run.methods.iter().filter(|(n, _, _)| n == name);
        let found: Vec<_> = named.rev().take(MAX_CANDIDATES).map(|(_, f, text)| (Rc::clone(f), *text)).collect();
        if found.is_empty() {
            return None;
        }
        let mut out: Option<Data> = None;
        for (f, text) in found {
            let object = Data::unknown("object", at, Taint::default());
            let d = self.perhaps(run, |me, run| me.call_on(run, &f, text, object, args.clone(), at));
            out = Some(match out {
                None => d,
                Some(o) => Data::either(o, d, at),
            });
        }
        out
    }

    /// What is called, and what it is called on where that matters: a function that a list, a map or a table holds.
    pub(super) fn callee(&mut self, run: &mut Run, callee: &Expr, at: Place) -> (Data, Option<Data>) {
        let Kind::Attribute(object, name) = &callee.kind else { return (self.expr(run, callee), None) };
        // `t:go(x)` where `t.go` was defined.
        if let Kind::Name(n) = &object.kind
            && let Some(f @ Data::Function(..)) = run.get(&format!("{n}.{name}")).cloned()
            && let Some(d @ (Data::List(_) | Data::Map(_))) = run.get(n).cloned()
        {
            return (f, Some(d));
        }
        let object = self.expr(run, object);
        match &object {
            Data::Map(_) => {
                let d = self.attribute(run, object.clone(), name, at);
                (d, Some(object))
            }
            Data::Path(p) if run.is_class(p) && run.method(p, name, 0).is_some() => {
                (Data::Path(format!("{p}.{name}")), None)
            }
            // A method is called, not read.
            Data::Object(_) => (Data::Bound(Box::new(object), name.clone()), None),
            _ => (self.attribute(run, object, name, at), None),
        }
    }

    /// `object.name`: a field, what the class has under that name, or a method that is called next.
    pub(super) fn of_object(&mut self, run: &mut Run, o: Rc<RefCell<Object>>, name: &str, at: Place) -> Data {
        let (field, class) = match o.try_borrow() {
            Ok(o) => (o.fields.iter().find(|(n, _)| n == name).map(|(_, d)| d.clone()), o.class.clone()),
            Err(_) => (None, String::new()),
        };
        if let Some(d) = field {
            return d;
        }
        match run.member(&class, name, 0).map(|(d, _)| d.clone()) {
            Some(Data::Function(f, text)) if f.receiver == Receiver::Read => {
                self.call_on(run, &f, text, Data::Object(o), Vec::new(), at)
            }
            Some(d) if !matches!(d, Data::Function(..)) => d,
            _ => Data::Bound(Box::new(Data::Object(o)), name.to_string()),
        }
    }

    /// What something was given, or the language calls of itself, and nothing called: it may be called after all.
    pub(super) fn call_held(&mut self, run: &mut Run) {
        let own = run.methods.iter().filter(|(n, _, _)| run.implicit.contains(n));
        let own: Vec<Data> = own.map(|(_, f, text)| Data::Function(Rc::clone(f), *text)).take(MAX_HELD).collect();
        own.iter().for_each(|d| run.hold(d));
        // What is called may hand on others.
        for _ in 0..4 {
            for d in std::mem::take(&mut run.held) {
                if let Data::Function(f, text) = d
                    && !run.called.contains(&Rc::as_ptr(&f))
                {
                    let at = Place::new(text, crate::source::Span::default());
                    let given = f.params.iter().filter(|(n, _)| !n.starts_with('*'));
                    let args = given.map(|_| (None, Data::unknown("argument", at, Taint::default()))).collect();
                    self.perhaps(run, |me, run| me.call_script(run, &f, text, args, None, at));
                }
            }
        }
    }
}

/// The method of that name in the classes above the one whose method runs, and the object.
fn above(run: &Run, method: &str) -> Option<(Rc<Function>, TextId, Data)> {
    let frame = run.frames.last()?;
    let (_, bases) = run.classes.iter().find(|(n, _)| *n == frame.class)?;
    let (f, text, _) = bases.iter().find_map(|b| run.method(b, method, 0))?;
    Some((f, text, frame.object.clone()))
}
