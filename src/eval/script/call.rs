//! Calls: what is called, of the script or by name, and what is handed to it.
//!
//! In: a callee and arguments. Out: [`Data`]. A call of something that no fact describes has no effect of its own;
//! functions that are handed to it are called.

use super::assign::as_target;
use super::recursion::{self, Step};
use super::state::End;
use super::{Data, Interp, Run};
use crate::command::calls;
use crate::effect::Language;
use crate::effect::graph::DoubtKind;
use crate::source::{Place, TextId};
use crate::syntax::script::{Arg, Expr, Function, Kind};
use crate::value::Taint;
use std::collections::HashMap;
use std::rc::Rc;

/// Most things that a function which was handed over is called with.
const MAX_HANDED: usize = 4;

/// Arguments with their names.
pub(super) type Args = Vec<(Option<String>, Data)>;

impl Interp<'_> {
    pub(super) fn call(&mut self, run: &mut Run, callee: &Expr, args: &[Arg], at: Place) -> Data {
        if let Some(d) = self.change(run, callee, args, at) {
            return d;
        }
        let (callee, receiver) = self.callee(run, callee, at);
        let mut given: Args = Vec::with_capacity(args.len());
        for a in args {
            let v = self.expr(run, &a.value);
            let v = self.all_of(run, v, at);
            match (a.spread, v) {
                (true, Data::List(l)) => given.extend(l.into_iter().map(|d| (None, d))),
                (true, Data::Map(m)) => {
                    given.extend(
                        m.into_iter()
                            .map(|(k, d)| (Data::Text(k.value(at)).value(at).as_str().map(|s| s.into_owned()), d)),
                    );
                }
                (_, v) => given.push((a.name.clone(), v)),
            }
        }
        if let (Data::Function(f, text), Some(receiver)) = (&callee, receiver) {
            return self.call_on(run, &Rc::clone(f), *text, receiver, given, at);
        }
        let assigns = match &callee {
            Data::Path(p) => calls::lookup(run.language, p),
            Data::Bound(_, name) => calls::lookup(run.language, &format!(".{name}")),
            _ => None,
        };
        let assigns = assigns.filter(|f| !f.assigns.is_empty());
        let result = self.apply(run, callee, given, at);
        // `open(F, …)`, `exec($command, $lines)`
        if let Some(fact) = assigns
            && let Some(i) = fact.params.iter().position(|p| *p == fact.assigns)
            && let Some(t) = args.get(i).and_then(|a| as_target(&a.value))
        {
            self.assign_target(run, &t, result.clone());
        }
        result
    }

    /// `list.append(x)`: a list or map that a name holds is changed where it is.
    pub(super) fn change(&mut self, run: &mut Run, callee: &Expr, args: &[Arg], at: Place) -> Option<Data> {
        let Kind::Attribute(object, method) = &callee.kind else { return None };
        let Kind::Name(name) = &object.kind else { return None };
        // A list of perl is there before anything is in it, the program's arguments with them in it.
        if run.language == Language::Perl && name.starts_with('@') && run.get(name).is_none() {
            let d = match self.name(run, name) {
                d @ Data::List(_) => d,
                _ => Data::List(Vec::new()),
            };
            run.set(name, d);
        }
        let held = matches!(run.get(name), Some(Data::List(_) | Data::Map(_)));
        let fact = if held { calls::lookup(run.language, &format!(".{method}")) } else { None };
        let op = fact?.result.strip_prefix("op.change ")?;
        let mut given: Vec<Data> = Vec::with_capacity(args.len());
        for a in args {
            match self.expr(run, &a.value) {
                Data::List(l) if a.spread => given.extend(l),
                d => given.push(d),
            }
        }
        let mut result = Data::Null;
        run.change(name, |d| result = super::list::change(op, d, given, at));
        Some(result)
    }

    /// Calls something.
    pub(super) fn apply(&mut self, run: &mut Run, callee: Data, args: Args, at: Place) -> Data {
        match callee {
            Data::Function(f, text) if run.is_class(&f.name) => self.constructed(run, &f, text, args, at),
            Data::Function(f, text) => self.call_script(run, &f, text, args, None, at),
            Data::Path(p) if p == "super" => self.superior(run, args, at),
            Data::Path(p) => self.call_named(run, &p, args, at),
            Data::Partial(f, mut all) => {
                all.extend(args);
                self.apply(run, *f, all, at)
            }
            // An object that is called.
            Data::Object(_) => self.call_method(run, callee, "__call__", args, at),
            Data::Bound(object, name) => self.call_method(run, *object, &name, args, at),
            Data::Text(v) => {
                // A function named by text (`$f('id')`); code that is called (`Function(code)()`).
                match v.as_str().map(|s| s.into_owned()) {
                    Some(name) if name.len() < 256 => self.call_named(run, &name, args, at),
                    _ => {
                        let mut t = v.taint();
                        args.iter().for_each(|(_, d)| t.join(&d.taint()));
                        self.doubt(DoubtKind::UnknownCode, v.show(), at);
                        Data::unknown("call of something that is not known", at, t)
                    }
                }
            }
            // `[new A, "method"]()`, `["A", "method"]()`
            Data::List(l) if run.language == Language::Php && l.len() == 2 => {
                let mut parts = l.into_iter();
                let (object, name) = (parts.next().unwrap_or(Data::Null), parts.next().unwrap_or(Data::Null));
                let object = match (&object, object.value(at).as_str()) {
                    (Data::Text(_), Some(class)) => Data::Path(class.into_owned()),
                    _ => object,
                };
                let name = name.value(at).as_str().map(|s| s.into_owned()).unwrap_or_default();
                let callee = match object {
                    Data::Path(_) => self.attribute(run, object, &name, at),
                    other => Data::Bound(Box::new(other), name),
                };
                self.apply(run, callee, args, at)
            }
            other => {
                let mut t = other.taint();
                args.iter().for_each(|(_, d)| t.join(&d.taint()));
                self.doubt(DoubtKind::OpaqueCode, "a call of what is not known".to_string(), at);
                self.handed(run, None, &args, at);
                Data::unknown("call", at, t)
            }
        }
    }

    /// A call by a dotted name.
    pub(super) fn call_named(&mut self, run: &mut Run, name: &str, args: Args, at: Place) -> Data {
        if let Some((f, text, receiver)) = self.of_class(run, name) {
            return self.call_on(run, &f, text, receiver, args, at);
        }
        if let Some(d) = run.get(name).cloned()
            && !matches!(&d, Data::Path(p) if p == name)
        {
            return self.apply(run, d, args, at);
        }
        if let Some(fact) = calls::lookup(run.language, name) {
            return self.known_call(run, name, fact, None, args, at);
        }
        // A class of the script: its constructor runs, the result has its methods.
        if run.is_class(name) || run.get(name).is_some() {
            return self.instance(run, name, args, at);
        }
        if let Some(class) = name.strip_suffix(".new").filter(|c| run.is_class(c)) {
            return self.instance(run, class, args, at);
        }
        // What the last part says of any object, it says of this one.
        if let Some((object, last)) = name.rsplit_once('.')
            && let whole @ Data::Text(_) = self.all_of(run, Data::Path(object.to_string()), at)
        {
            return self.call_method(run, whole, last, args, at);
        }
        if let Some((object, last)) = name.rsplit_once('.')
            && let Some(fact) = calls::lookup(run.language, &format!(".{last}"))
        {
            return self.known_call(run, name, fact, Some(Data::Path(object.to_string())), args, at);
        }
        if calls::harmless(run.language, name) {
            return self.unknown_call(run, args, at);
        }
        // `base::system`, where a name is one word with that of its module.
        if let Some((module, rest)) = name.split_once('.')
            && calls::transparent(run.language, module)
        {
            return self.call_named(run, rest, args, at);
        }
        // `A::B::f()` of a package that the script has.
        if run.language == Language::Perl
            && name.contains("::")
            && let Some(f @ Data::Function(..)) = run.get(&name.replace("::", ".")).cloned()
        {
            return self.apply(run, f, args, at);
        }
        // A method of the object that runs, or of some class of the script.
        let last = name.rsplit('.').next().unwrap_or(name);
        if let Some(d) = self.by_name(run, last, &args, at) {
            return d;
        }
        self.doubt(DoubtKind::OpaqueCode, name.to_string(), at);
        self.unknown_call(run, args, at)
    }

    fn unknown_call(&mut self, run: &mut Run, args: Args, at: Place) -> Data {
        let mut t = Taint::default();
        args.iter().for_each(|(_, d)| t.join(&d.taint()));
        self.handed(run, None, &args, at);
        Data::unknown("call", at, t)
    }

    /// Functions among arguments that were not called: whoever got them may call them, with what else it was given.
    pub(super) fn handed(&mut self, run: &mut Run, object: Option<&Data>, args: &Args, at: Place) {
        let language = run.language;
        let acts = |n: &str| calls::lookup(language, n).is_some_and(|f| !f.args.is_empty() || !f.effects.is_empty());
        let callable = |d: &Data| match d {
            Data::Function(..) | Data::Partial(..) => true,
            Data::Path(p) => acts(p),
            Data::Bound(_, n) => acts(&format!(".{n}")),
            Data::Text(v) if language == Language::Php => v.as_str().is_some_and(|n| acts(&n)),
            _ => false,
        };
        if !args.iter().any(|(_, d)| callable(d)) {
            return;
        }
        let others = object.into_iter().chain(args.iter().map(|(_, d)| d).filter(|d| !callable(d)));
        let mut given: Vec<Data> = Vec::new();
        for d in others {
            match d {
                Data::List(l) => given.extend(l.iter().take(MAX_HANDED).cloned()),
                Data::Null | Data::Bool(_) => {}
                d => given.push(d.clone()),
            }
        }
        given.truncate(MAX_HANDED);
        for (_, f) in args.iter().filter(|(_, d)| callable(d)) {
            if matches!(f, Data::Function(g, _) if run.called.contains(&Rc::as_ptr(g))) {
                continue;
            }
            if given.is_empty() {
                self.callback(run, f.clone(), Vec::new(), at);
            }
            for d in &given {
                self.callback(run, f.clone(), vec![(None, d.clone())], at);
            }
        }
    }

    /// A function that is handed over is called.
    pub(super) fn callback(&mut self, run: &mut Run, d: Data, args: Args, at: Place) {
        match d {
            Data::Function(f, text) => {
                let unknown = || (None, Data::unknown("argument of a callback", at, Taint::default()));
                let named = args.iter().filter(|(n, _)| n.is_none()).count();
                let more = f.params.iter().filter(|(n, d)| d.is_none() && !n.starts_with('*')).skip(named);
                let args = args.into_iter().chain(more.map(|_| unknown())).collect();
                self.perhaps(run, |me, run| me.call_script(run, &f, text, args, None, at));
            }
            Data::Partial(..) | Data::Bound(..) => {
                self.perhaps(run, |me, run| me.apply(run, d, args, at));
            }
            // In some languages text names a function.
            Data::Text(v) if run.language == Language::Php => {
                if let Some(name) = v.as_str().filter(|n| calls::lookup(run.language, n).is_some()) {
                    let name = Data::Path(name.into_owned());
                    self.callback(run, name, args, at);
                }
            }
            // A function of a module, if it is known to do something; any other name is a value like others.
            Data::Path(p) => {
                let known = calls::lookup(run.language, &p).filter(|f| !f.args.is_empty() || !f.effects.is_empty());
                if let Some(fact) = known {
                    let args = match args.is_empty() {
                        true => vec![(None, Data::unknown("argument of a callback", at, Taint::default()))],
                        false => args,
                    };
                    self.perhaps(run, |me, run| me.known_call(run, &p, fact, None, args, at));
                }
            }
            _ => {}
        }
    }

    fn call_method(&mut self, run: &mut Run, object: Data, name: &str, args: Args, at: Place) -> Data {
        if let Data::Object(o) = &object {
            let class = o.try_borrow().map(|o| o.class.clone()).unwrap_or_default();
            if let Some((f, text, _)) = run.method(&class, name, 0) {
                return self.call_on(run, &f, text, object, args, at);
            }
            let field =
                o.try_borrow().ok().and_then(|o| o.fields.iter().find(|(n, _)| n == name).map(|(_, d)| d.clone()));
            match field {
                Some(Data::Function(f, text)) => return self.call_on(run, &f, text, object, args, at),
                Some(d @ (Data::Path(_) | Data::Partial(..) | Data::Bound(..))) if !args.is_empty() => {
                    return self.apply(run, d, args, at);
                }
                // `object.name` without a list is a call in some languages.
                Some(d) if args.is_empty() => return d,
                _ => {}
            }
            if let Some(fact) = calls::lookup(run.language, &format!("{class}.{name}")) {
                return self.known_call(run, name, fact, Some(object), args, at);
            }
        }
        // `$stdout << text`; a number is shifted by numbers.
        if let (Data::Number(1 | 2), Some((None, Data::Text(_)))) = (&object, args.first())
            && let Some(fact) = calls::lookup(run.language, &format!("descriptor.{name}"))
        {
            return self.known_call(run, name, fact, Some(object), args, at);
        }
        if let Some(fact) = calls::lookup(run.language, &format!(".{name}")) {
            return self.known_call(run, name, fact, Some(object), args, at);
        }
        // Text, numbers and structures have no method that reaches outside; what else has one is not known.
        let plain = match &object {
            Data::Text(v) => v.is_known(),
            Data::Object(_) | Data::Bound(..) | Data::Path(_) => false,
            _ => true,
        };
        // `super().method()`
        if let Data::Bound(_, of) = &object
            && of == "super"
            && let Some(d) = self.superior_named(run, name, args.clone(), at)
        {
            return d;
        }
        let harmless = calls::harmless(run.language, &format!(".{name}"));
        if !plain
            && !harmless
            && let Some(d) = self.by_name(run, name, &args, at)
        {
            return d;
        }
        if !plain && !harmless {
            self.doubt(DoubtKind::OpaqueCode, format!(".{name}"), at);
        }
        let mut t = object.taint();
        args.iter().for_each(|(_, d)| t.join(&d.taint()));
        self.handed(run, Some(&object), &args, at);
        Data::unknown("call", at, t)
    }

    /// Calls a function of the script; a method with what it is called on, under the name that its language has for it.
    pub(super) fn call_script(
        &mut self,
        run: &mut Run,
        f: &Rc<Function>,
        text: TextId,
        args: Vec<(Option<String>, Data)>,
        receiver: Option<(&str, Data)>,
        at: Place,
    ) -> Data {
        let id = Rc::as_ptr(f);
        let step = run.recursion.enter(id, run.calls, run.depth, &args, receiver.as_ref().map(|(_, d)| d));
        let args = match step {
            Step::Once => args,
            Step::Any => recursion::any(args, at),
            Step::Known => return Data::unknown("recursion", at, recursion::taint(&args)),
            Step::Limit => {
                self.limit("calls of a function by itself", at);
                return Data::unknown("recursion", at, Taint::default());
            }
        };
        let effects = self.graph.effects.len();
        let before = (step == Step::Any).then(|| run.scopes.clone());
        run.calls = run.calls.saturating_add(1);
        run.called.insert(id);
        let saved = std::mem::replace(&mut self.text, text);
        let mut scope = HashMap::new();
        if let Some((name, d)) = receiver {
            scope.insert(name.to_string(), d);
        }
        // Whoever calls it back says what `this` is; a block is what `yield` calls.
        for (name, d) in args.iter().filter(|(n, _)| n.as_deref() == Some("this")) {
            scope.insert(name.clone().unwrap_or_default(), d.clone());
        }
        if run.language == Language::Ruby
            && let Some((_, block @ Data::Function(..))) = args.last()
        {
            scope.insert("&".to_string(), block.clone());
        }
        let mut positional: Vec<Data> = args.iter().filter(|(n, _)| n.is_none()).map(|(_, d)| d.clone()).collect();
        positional.reverse();
        for (name, default) in &f.params {
            if let Some(rest) = name.strip_prefix('*') {
                let mut all = std::mem::take(&mut positional);
                all.reverse();
                scope.insert(rest.trim_start_matches('*').to_string(), Data::List(all));
                continue;
            }
            let named = args.iter().find(|(n, _)| n.as_deref() == Some(name)).map(|(_, d)| d.clone());
            let v = match named.or_else(|| positional.pop()) {
                Some(v) => v,
                None => match default {
                    Some(d) => self.expr(run, d),
                    None => Data::Null,
                },
            };
            scope.insert(name.clone(), v);
        }
        run.scopes.push(Rc::new(scope));
        run.yields.push(Vec::new());
        let end = self.block(run, &f.body);
        let handed_out = run.yields.pop().unwrap_or_default();
        let depth = run.scopes.len();
        run.outer.retain(|(d, _)| *d < depth);
        run.scopes.pop();
        self.text = saved;
        run.calls = run.calls.saturating_sub(1);
        run.recursion.leave(id, step);
        if let Some(before) = before {
            recursion::forget(&mut run.scopes, &before, at);
            // What it does to something that is not known may be more than it has been seen to do.
            if self.graph.effects.iter().skip(effects).any(recursion::acts) {
                self.limit("calls of a function by itself", at);
            }
            return Data::unknown("recursion", at, recursion::taint(&args));
        }
        match end {
            End::Exit => {
                run.left = true;
                Data::Null
            }
            _ if !handed_out.is_empty() => Data::List(handed_out),
            End::Return(d) => d,
            _ if matches!(run.language, Language::Ruby | Language::Perl | Language::PowerShell) => {
                std::mem::replace(&mut run.last, Data::Null)
            }
            _ => Data::Null,
        }
    }
}
