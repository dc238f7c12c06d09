//! Expressions and calls: what a name means, what a call does, what it gives.
//!
//! In: expressions. Out: [`Data`], and the effects of calls by the facts of `grammars/languages`. A call of something
//! that no fact describes has no effect of its own; functions that are handed to it are called.

use super::super::nested::Env;
use super::data::{Data, Object};
use super::{Interp, Run, same};
use crate::command::Role;
use crate::command::calls::{self, ArgFact, CallFact};
use crate::effect::graph::{DoubtKind, Reach};
use crate::effect::{EffectId, Language, Object as Thing, Props, Verb};
use crate::limits;
use crate::source::Place;
use crate::syntax::script::{Arg, Expr, Kind, Stmt, StmtKind, Target};
use crate::value::{Channel, Piece, Taint, Value, Why};
use std::rc::Rc;

/// Arguments with their names.
pub(super) type Args = Vec<(Option<String>, Data)>;

impl Interp<'_> {
    /// Evaluates an expression.
    pub(super) fn expr(&mut self, run: &mut Run, e: &Expr) -> Data {
        if run.depth >= super::MAX_SCRIPT_DEPTH || !self.spend(1) {
            let at = self.at(e.span);
            if run.depth >= super::MAX_SCRIPT_DEPTH {
                self.limit("nesting of a script", at);
            }
            return Data::unknown("nested too deep", at, Taint::default());
        }
        run.depth = run.depth.saturating_add(1);
        let d = stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.expr_inner(run, e));
        run.depth = run.depth.saturating_sub(1);
        d
    }

    fn expr_inner(&mut self, run: &mut Run, e: &Expr) -> Data {
        let at = self.at(e.span);
        match &e.kind {
            Kind::Text(b) => {
                let mut v = Value::default();
                if self.markers.is_empty() {
                    v = Value::computed(b, at, Taint::default());
                } else {
                    self.unmark(b, at, false, &mut v);
                }
                Data::Text(v)
            }
            Kind::Number(n) => Data::Number(*n),
            Kind::Bool(b) => Data::Bool(*b),
            Kind::Null => Data::Null,
            Kind::Name(n) => self.name(run, n),
            Kind::Attribute(o, name) => {
                let object = self.expr(run, o);
                self.attribute(run, object, name, at)
            }
            Kind::Index(o, key) => {
                let object = self.expr(run, o);
                let key = self.expr(run, key);
                self.item(run, object, key, at)
            }
            Kind::Slice(o, start, end, step) => {
                let object = self.expr(run, o);
                let mut part = |e: &Option<Box<Expr>>| e.as_ref().map(|e| self.expr(run, e));
                let (s, t, u) = (part(start), part(end), part(step));
                super::ops::slice(object, s, t, u, at)
            }
            Kind::Call(callee, args) => self.call(run, callee, args, at),
            Kind::List(items) => Data::List(items.iter().map(|i| self.expr(run, i)).collect()),
            Kind::Map(items) => Data::Map(items.iter().map(|(k, v)| (self.expr(run, k), self.expr(run, v))).collect()),
            Kind::Concat(parts) => {
                let mut v = Value::default();
                for p in parts {
                    let d = self.expr(run, p);
                    v.push(self.all_of(run, d, at).value(at));
                }
                Data::Text(v)
            }
            Kind::Command { words, input, writes, printed } => {
                let input = input.as_ref().map(|i| self.expr(run, i));
                let words: Vec<Data> = words.iter().map(|w| self.expr(run, w)).collect();
                let out = self.shell_command(run, &words, input, at);
                let to: Vec<(Data, bool)> = writes.iter().map(|(w, a)| (self.expr(run, w), *a)).collect();
                for (path, append) in &to {
                    let path = path.value(at);
                    let id = self.open_write(&path, *append, run.by, at);
                    self.flow(id, &out.taint());
                    let key = self.file_key(&path);
                    self.add_content(&key, out.value(at));
                }
                if *printed && to.is_empty() {
                    self.emit(1, out.value(at));
                }
                out
            }
            Kind::Do(body) => {
                run.last = Data::Null;
                match self.block(run, body) {
                    super::End::Next => {}
                    super::End::Exit => run.left = true,
                    end => run.leaving = Some(end),
                }
                std::mem::replace(&mut run.last, Data::Null)
            }
            Kind::Operator(op, parts)
                if matches!(op.as_str(), "and" | "or" | "&&" | "||" | "//" | "??") && parts.len() == 2 =>
            {
                self.either_or(run, op, parts, at)
            }
            Kind::Operator(op, parts) => {
                let parts: Vec<Data> = parts.iter().map(|p| self.expr(run, p)).collect();
                let bits = matches!(run.language, Language::Perl | Language::Php);
                match (op.as_str(), parts.as_slice()) {
                    // In these, two texts are joined bit by bit (perlop, Bitwise String Operators).
                    ("^" | "|" | "&", [Data::Text(a), Data::Text(b)]) if bits => super::ops::bitwise(op, a, b, at),
                    _ => super::ops::operator(op, &parts, at),
                }
            }
            Kind::Lambda(f) => Data::Function(Rc::clone(f), self.text),
            Kind::Comprehension { element, target, over, condition } => {
                let over = self.expr(run, over);
                let (items, known) = super::elements(over, at);
                let mut out = Vec::new();
                // It may take a part of the work that is left; what it would give beyond is not known.
                let floor = self.work_left().saturating_sub(self.work_left() / 3);
                let mut known = known;
                for (i, item) in items.into_iter().enumerate() {
                    if i >= super::MAX_ELEMENTS || self.work_left() < floor {
                        known = false;
                        let rest = Data::unknown("element of a long list", at, item.taint());
                        self.assign_target(run, target, rest);
                        out.push(self.perhaps(run, |me, run| me.expr(run, element)));
                        break;
                    }
                    self.assign_target(run, target, item);
                    let wanted = condition.as_ref().and_then(|c| self.expr(run, c).truth());
                    if wanted != Some(false) {
                        out.push(self.expr(run, element));
                    }
                    if !self.spend(1) {
                        break;
                    }
                }
                if known { Data::List(out) } else { Data::unknown("list", at, Data::List(out).taint()) }
            }
            Kind::Choice(test, a, b) => match self.expr(run, test).truth() {
                Some(true) => self.expr(run, a),
                Some(false) => self.expr(run, b),
                None => {
                    let x = self.perhaps(run, |me, run| me.expr(run, a));
                    let y = self.perhaps(run, |me, run| me.expr(run, b));
                    Data::either(x, y, at)
                }
            },
            Kind::Assign(t, e) => {
                let v = self.expr(run, e);
                self.assign_target(run, t, v.clone());
                v
            }
            Kind::Shell(command) => {
                let code = self.expr(run, command).value(at);
                let out = self.capture(|me| {
                    me.evaluate(Language::Sh, code, Reach::Argument, run.by, at, Env::Fresh(None, None));
                });
                Data::Text(out)
            }
            Kind::Yield(parts) => {
                let mut given: Vec<Data> = parts.iter().map(|p| self.expr(run, p)).collect();
                if run.language == Language::Ruby {
                    let block = run.get("&").cloned().unwrap_or(Data::Null);
                    return self.apply(run, block, given.into_iter().map(|d| (None, d)).collect(), at);
                }
                let v = if given.len() == 1 { given.pop().unwrap_or(Data::Null) } else { Data::List(given) };
                let taint = v.taint();
                if let Some(all) = run.yields.last_mut()
                    && all.len() < super::MAX_ELEMENTS
                {
                    all.push(v);
                }
                Data::unknown("sent value", at, taint)
            }
            Kind::Other(parts) => {
                let mut taint = Taint::default();
                for p in parts {
                    taint.join(&self.expr(run, p).taint());
                }
                Data::unknown("expression", at, taint)
            }
        }
    }

    /// `a and b`, `a or b`: the second is evaluated only where the first does not decide.
    fn either_or(&mut self, run: &mut Run, op: &str, parts: &[Expr], at: Place) -> Data {
        let [a, b] = parts else { return Data::Null };
        let first = self.expr(run, a);
        // `//` divides numbers and means `or` for what may be missing.
        if op == "//" && first.number().is_some() && !matches!(first, Data::Text(_)) {
            let second = self.expr(run, b);
            return super::ops::operator(op, &[first, second], at);
        }
        let wanted = matches!(op, "and" | "&&");
        match first.truth() {
            Some(t) if t == wanted => self.expr(run, b),
            Some(_) => first,
            None => {
                let second = self.perhaps(run, |me, run| me.expr(run, b));
                super::ops::operator(op, &[first, second], at)
            }
        }
    }

    pub(super) fn name(&mut self, run: &mut Run, n: &str) -> Data {
        if let Some(d) = run.get(n) {
            let d = d.clone();
            self.spend(d.weight());
            return d;
        }
        for module in run.open.iter().rev() {
            let whole = format!("{module}.{n}");
            if calls::lookup(run.language, &whole).is_some() || calls::constant(run.language, &whole).is_some() {
                return self.path(run, whole);
            }
        }
        self.path(run, n.to_string())
    }

    /// What a dotted name is that the script says nothing of: a constant of its module, or just that name.
    pub(super) fn path(&mut self, run: &Run, whole: String) -> Data {
        match calls::constant(run.language, &whole) {
            Some(form @ ("$@" | "$0 $@" | "$_ $0 $@")) => match self.arguments.as_deref() {
                Some((zero, args)) => {
                    let own = Value::computed(run.language.name().as_bytes(), Place::default(), Taint::default());
                    let zero = match (form, zero) {
                        ("$@", _) => [None, None],
                        ("$0 $@", z) => [None, Some(z.clone().unwrap_or(own))],
                        (_, z) => [Some(own), z.clone()],
                    };
                    let all = zero.into_iter().flatten().chain(args.iter().cloned());
                    Data::List(all.take(limits::MAX_FIELDS).map(Data::Text).collect())
                }
                None => Data::Path(whole),
            },
            Some(text) => match text.parse() {
                Ok(n) => Data::Number(n),
                Err(_) => Data::Text(Value::computed(text.as_bytes(), Place::default(), Taint::default())),
            },
            // cmd.exe tells no cases apart in the names of variables.
            None if run.language == Language::Cmd && whole.starts_with('%') => {
                let name = whole.trim_start_matches('%').to_ascii_uppercase();
                Data::Text(Value::unknown(Why::Environment(name), Place::default()))
            }
            // about_Automatic_Variables: the user's directory.
            None if run.language == Language::PowerShell && whole.eq_ignore_ascii_case("$home") => {
                Data::Text(Value::unknown(Why::Home(String::new()), Place::default()))
            }
            // A variable that the script does not set holds something from outside, or nothing.
            None if whole.starts_with(['$', '@', '%']) && !whole.contains('.') => {
                let known = calls::lookup(run.language, &format!("{whole}.__getitem__")).is_some();
                if known { Data::Path(whole) } else { Data::unknown("variable", Place::default(), Taint::default()) }
            }
            None => Data::Path(whole),
        }
    }

    pub(super) fn attribute(&mut self, run: &mut Run, object: Data, name: &str, at: Place) -> Data {
        match object {
            // `builtins.exec` is `exec`.
            Data::Path(p) if calls::transparent(run.language, &p) => self.name(run, name),
            Data::Path(p) => {
                let whole = format!("{p}.{name}");
                let get = format!("{p}.__getattr__");
                match run.get(&whole) {
                    Some(d) => d.clone(),
                    // `process.env.HOME`
                    None if calls::lookup(run.language, &get).is_some() => {
                        let key = Data::Text(Value::computed(name.as_bytes(), at, Taint::default()));
                        self.call_named(run, &get, vec![(None, key)], at)
                    }
                    None => self.path(run, whole),
                }
            }
            Data::Object(o) => self.of_object(run, o, name, at),
            Data::Map(m) => {
                let key = Data::Text(Value::computed(name.as_bytes(), at, Taint::default()));
                match m.iter().find(|(k, _)| same(k, &key)) {
                    Some((_, v)) => v.clone(),
                    None => Data::Bound(Box::new(Data::Map(m)), name.to_string()),
                }
            }
            // `$_.FullName` of a file that is known by its name.
            Data::Text(v) if calls::lookup(run.language, &format!(".{name}")).is_some_and(|f| f.result == "self") => {
                Data::Text(v)
            }
            other => Data::Bound(Box::new(other), name.to_string()),
        }
    }

    fn item(&mut self, run: &mut Run, object: Data, key: Data, at: Place) -> Data {
        match (&object, &key) {
            (Data::List(l), k) => {
                if let Some(n) = k.number() {
                    let i = if n < 0 { i64::try_from(l.len()).unwrap_or(0).saturating_add(n) } else { n };
                    return usize::try_from(i).ok().and_then(|i| l.get(i)).cloned().unwrap_or(Data::Null);
                }
            }
            (Data::Map(m), k) => {
                if let Some((_, v)) = m.iter().find(|(x, _)| same(x, k)) {
                    return v.clone();
                }
            }
            (Data::Object(o), k) => {
                let key = k.value(at).as_str().map(|s| s.into_owned());
                let o = Rc::clone(o);
                let field = |o: &Object| {
                    let key = key.as_deref()?;
                    o.fields.iter().find(|(n, _)| n == key).map(|(_, d)| d.clone())
                };
                let (found, process) = o.try_borrow().map_or((None, false), |o| (field(&o), !o.runs.is_empty()));
                match (found, key) {
                    (Some(d), _) => return d,
                    // A stream of a process (`$pipes[0]`).
                    (None, Some(key)) if process => return Data::Bound(Box::new(object), key),
                    _ => {}
                }
            }
            // `block[x]` calls it.
            (Data::Function(..), _) if run.language == Language::Ruby => {
                return self.apply(run, object, vec![(None, key)], at);
            }
            // `globals()['name']`, `os.environ['X']`, `process['binding']`
            (Data::Path(p), Data::Text(k)) => {
                if let Some(k) = k.as_str() {
                    let p = p.clone();
                    let args = vec![(None, key.clone())];
                    if calls::lookup(run.language, &format!("{p}.__getitem__")).is_some() {
                        return self.call_named(run, &format!("{p}.__getitem__"), args, at);
                    }
                    return self.attribute(run, Data::Path(p), &k, at);
                }
            }
            (Data::Text(v), k) => {
                if let (Some(s), Some(n)) = (v.as_str(), k.number()) {
                    let chars: Vec<char> = s.chars().collect();
                    let i = if n < 0 { i64::try_from(chars.len()).unwrap_or(0).saturating_add(n) } else { n };
                    if let Some(c) = usize::try_from(i).ok().and_then(|i| chars.get(i)) {
                        return Data::Text(Value::computed(c.to_string().as_bytes(), at, v.taint()));
                    }
                }
            }
            _ => {}
        }
        let mut t = object.taint();
        t.join(&key.taint());
        Data::unknown("element", at, t)
    }

    fn call(&mut self, run: &mut Run, callee: &Expr, args: &[Arg], at: Place) -> Data {
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

    /// A name that stands for everything in the surroundings (`os.environ`, `process.env`), where it is used as a whole.
    fn all_of(&mut self, run: &Run, d: Data, at: Place) -> Data {
        let Data::Path(p) = &d else { return d };
        let Some(fact) = calls::lookup(run.language, &format!("{p}.__all__")) else { return d };
        let mut taint = Taint::default();
        for (verb, thing) in fact.effects {
            if let Some(v) = Verb::from_name(verb) {
                taint.join(&Taint::of(self.effect(v, Thing::Stated(thing), run.by, at)));
            }
        }
        Data::unknown("everything in it", at, taint)
    }

    /// `list.append(x)`: a list or map that a name holds is changed where it is.
    fn change(&mut self, run: &mut Run, callee: &Expr, args: &[Arg], at: Place) -> Option<Data> {
        let Kind::Attribute(object, method) = &callee.kind else { return None };
        let Kind::Name(name) = &object.kind else { return None };
        let held = matches!(run.get(name), Some(Data::List(_) | Data::Map(_)));
        let fact = if held { calls::lookup(run.language, &format!(".{method}")) } else { None };
        let op = fact?.result.strip_prefix("op.change ")?;
        let given: Vec<Data> = args.iter().map(|a| self.expr(run, &a.value)).collect();
        let mut result = Data::Null;
        run.change(name, |d| result = super::ops::change(op, d, given, at));
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
            other => {
                let mut t = other.taint();
                args.iter().for_each(|(_, d)| t.join(&d.taint()));
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
        for (_, d) in args {
            t.join(&d.taint());
            self.callback(run, d, Vec::new(), at);
        }
        Data::unknown("call", at, t)
    }

    /// A function that is handed over is called.
    pub(super) fn callback(&mut self, run: &mut Run, d: Data, args: Args, at: Place) {
        match d {
            Data::Function(f, text) => {
                self.perhaps(run, |me, run| me.call_script(run, &f, text, args, None, at));
            }
            Data::Partial(..) => {
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
                // `object.name` without a list is a call in some languages.
                Some(d) if args.is_empty() => return d,
                _ => {}
            }
            if let Some(fact) = calls::lookup(run.language, &format!("{class}.{name}")) {
                return self.known_call(run, name, fact, Some(object), args, at);
            }
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
        for (_, d) in args {
            self.callback(run, d, vec![(None, object.clone())], at);
        }
        Data::unknown("call", at, t)
    }

    /// A call with facts: its effects, then its result.
    fn known_call(
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
        let get = |i: usize| -> Option<&Data> {
            let named = fact.params.get(i).and_then(|p| args.iter().find(|(n, _)| n.as_deref() == Some(*p)));
            named.or_else(|| args.iter().filter(|(n, _)| n.is_none()).nth(i)).map(|(_, d)| d)
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
        let props = fact.sets.iter().filter_map(|s| Props::from_name(s)).fold(Props::default(), Props::with);
        let mut out = super::ops::Outcome { object: object.clone(), ..Default::default() };
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
            named.or_else(|| all.iter().filter(|(n, _)| n.is_none()).nth(i)).map(|(_, d)| d)
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
                Some(Role::EnvName) => {
                    if let (Some(k), Some(v)) = (get(arg.at), get(arg.at.saturating_add(1))) {
                        self.export(&k.value(at), v.value(at));
                    }
                }
                Some(Role::EnvAssign) => {
                    if let Some(v) = get(arg.at).map(|d| d.value(at)) {
                        let (name, value) = super::super::effects::split_assign(&v);
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
                if matches!(v, Verb::Connect | Verb::Fetch | Verb::Listen | Verb::Read | Verb::Decode) {
                    out.effect = Some(id);
                }
                let mut t = Taint::default();
                args.iter().for_each(|(_, d)| t.join(&d.taint()));
                self.flow(id, &t);
            }
        }
        if props != Props::default() {
            for id in made {
                self.amend(id, |e| e.props = e.props.with(props));
            }
        }
        if fact.callback == 0 {
            return self.result(run, name, fact, out, args, at);
        }
        let got = out
            .content
            .clone()
            .map(Data::Text)
            .or_else(|| out.effect.map(|e| Data::Text(Value::unknown_tainted(Why::Network, at, Taint::of(e)))));
        let result = self.result(run, name, fact, out, args.clone(), at);
        // A thing that was made is what the function gets (`File.open(path) { |f| … }`).
        let got = if matches!(result, Data::Object(_)) { Some(result.clone()) } else { got };
        for (_, d) in &args {
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

    /// The connection that something is, belongs to, or came from.
    pub(super) fn peer_of(&self, d: &Data) -> Option<EffectId> {
        let connected =
            |e: EffectId| self.graph.effect(e).is_some_and(|e| matches!(e.verb, Verb::Connect | Verb::Listen));
        d.taint().sources().iter().map(|(o, _)| *o).find(|o| connected(*o))
    }

    /// A connection takes the lowest descriptor that is free; what is run then has it, too (`exec("sh <&3")`).
    fn connection_fd(&mut self, e: EffectId) -> Option<u32> {
        let free = (3u32..64).find(|n| {
            matches!(self.sh.fd(*n), super::super::scope::End::Outer(_) | super::super::scope::End::Nothing)
        })?;
        self.sh.set_fd(free, super::super::scope::End::Socket(e));
        Some(free)
    }

    /// Makes a connection the standard input of what runs next.
    pub(super) fn connect_input(&mut self, connection: Option<EffectId>) {
        if let Some(e) = connection {
            self.sh.set_fd(0, super::super::scope::End::Socket(e));
        }
    }

    /// Makes a text the standard input of what runs next.
    fn read_text(&mut self, text: Option<Value>) {
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
    ) -> Vec<(u32, super::super::scope::End)> {
        let mut before = Vec::new();
        for (fd, name) in (0u32..).zip(fact.fds) {
            let Some(i) = fact.params.iter().position(|p| p == name) else { continue };
            let Some(Data::Object(o)) = get(i) else { continue };
            let Some(effect) = o.try_borrow().ok().and_then(|o| o.effect) else { continue };
            let connection = self.graph.effect(effect).is_some_and(|e| matches!(e.verb, Verb::Connect | Verb::Listen));
            if connection {
                before.push((fd, self.sh.fd(fd).clone()));
                self.sh.set_fd(fd, super::super::scope::End::Socket(effect));
            }
        }
        before
    }

    /// The effect of one argument.
    fn argument(
        &mut self,
        run: &mut Run,
        role: Role,
        data: Data,
        out: &mut super::ops::Outcome,
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
                let env = super::super::nested::Env::Fresh(None, None);
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
            Role::UrlSend => out.effect = Some(add(self, Verb::Send, Thing::Url(value.clone()))),
            Role::UrlOpen => out.effect = Some(add(self, Verb::Connect, Thing::Url(value.clone()))),
            Role::Socket | Role::SocketListen => {
                let (host, port) = match &data {
                    Data::List(l) => (
                        l.first().map(|d| d.value(at)).unwrap_or_default(),
                        l.get(1).map(|d| d.value(at)).unwrap_or_default(),
                    ),
                    _ => super::super::effects::host_port(&value),
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
                // Text that goes into the file, or out of the descriptor, that the object stands for.
                match &out.object {
                    Some(Data::Object(o)) => {
                        let (path, effect) = o.try_borrow().map(|o| (o.path.clone(), o.effect)).unwrap_or_default();
                        if let Some(e) = effect {
                            self.flow(e, &value.taint());
                        }
                        if let Some(p) = path {
                            let key = self.file_key(&p);
                            self.add_content(&key, value.clone());
                        }
                    }
                    // What was opened for writing in the same call (`file_put_contents(path, text)`, `path.write_text(text)`).
                    _ if out.path.is_some() => {
                        if let Some(e) = out.effect {
                            self.flow(e, &value.taint());
                        }
                        if let Some(p) = out.path.clone() {
                            let key = self.file_key(&p);
                            self.add_content(&key, value.clone());
                        }
                    }
                    Some(Data::Number(n)) => self.emit(u32::try_from(*n).unwrap_or(2), value.clone()),
                    _ => self.emit(1, value.clone()),
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
                let (content, _) = self.read_file(&value, run.by, at);
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
                    add(self, verb, Thing::Path(value.clone()));
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
        Role::PathChdir => Verb::Chdir,
        Role::PathArchive | Role::PathExtract => Verb::Extract,
        Role::DeviceFormat => Verb::Format,
        _ => return None,
    })
}

/// The words of an argument and those that follow it.
fn joined<'d>(first: Data, more: impl Iterator<Item = &'d Data>) -> Data {
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

/// Whether the conditions of an argument hold; where that is not known, they do.
fn holds<'d>(arg: &ArgFact, fact: &CallFact, get: &dyn Fn(usize) -> Option<&'d Data>) -> bool {
    let test = |text: &str| -> Option<bool> {
        let (param, rest) = text.split_once(' ')?;
        let (op, want) = rest.split_once(' ')?;
        let (param, key) = param.split_once('.').unwrap_or((param, ""));
        let at = fact.params.iter().position(|p| *p == param)?;
        let mut data = get(at);
        if !key.is_empty() {
            data = match data {
                Some(Data::Map(m)) => m.iter().find(|(k, _)| named(k, key)).map(|(_, v)| v),
                Some(Data::Text(v)) if !v.is_known() => return None,
                _ => None,
            };
        }
        let Some(data) = data else { return Some(op == "=" && want == "absent") };
        let data = match data {
            Data::Text(v) => v.as_str()?.into_owned(),
            Data::Number(n) => n.to_string(),
            Data::Bool(b) => b.to_string(),
            Data::List(_) => "list".to_string(),
            Data::Map(_) => "map".to_string(),
            Data::Null => "null".to_string(),
            _ => return None,
        };
        Some(match op {
            "~" => data.chars().any(|c| want.contains(c)),
            "^" => data.starts_with(want),
            "$" => data.ends_with(want),
            _ => data == want,
        })
    };
    let all = |text: &str| -> Option<bool> {
        let mut known = true;
        for t in text.split(" & ") {
            let (t, wanted) = t.strip_prefix('!').map_or((t, true), |t| (t, false));
            match test(t) {
                Some(r) if r != wanted => return Some(false),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(true)
    };
    let when = arg.when.is_empty() || all(arg.when).unwrap_or(true);
    let unless = !arg.unless.is_empty() && all(arg.unless).unwrap_or(false);
    when && !unless
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

/// What an argument that is assigned to names.
fn as_target(e: &Expr) -> Option<Target> {
    Some(match &e.kind {
        Kind::Name(n) => Target::Name(n.clone()),
        Kind::Index(o, k) => Target::Index(o.clone(), k.clone()),
        Kind::Attribute(o, n) => Target::Attribute(o.clone(), n.clone()),
        Kind::Assign(t, _) => (**t).clone(),
        // `open(my $f, …)`
        Kind::Do(body) => match body.as_slice() {
            [Stmt { kind: StmtKind::Assign(t, _), .. }] => t.clone(),
            _ => return None,
        },
        _ => return None,
    })
}

/// Whether a key of a map is that name.
fn named(key: &Data, name: &str) -> bool {
    matches!(key, Data::Text(v) if v.as_str().is_some_and(|s| s == name))
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
