//! What names mean: variables, parts of modules, attributes and elements of things.
//!
//! In: a name, an object with an attribute or a key. Out: [`Data`]; a name that the script says nothing of is a path
//! (`os.system`), a constant of its module, or something from outside.

use super::data::{Object, same};
use super::{Data, Interp, Run};
use crate::command::calls;
use crate::effect::{Language, Object as Thing, Verb};
use crate::limits;
use crate::source::Place;
use crate::value::{Taint, Value, Why};
use std::rc::Rc;

impl Interp<'_> {
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
            // All of a module that only computes; the language's own names stay what they are.
            let own = calls::lookup(run.language, n).is_some() || calls::harmless(run.language, n);
            if !own && calls::harmless(run.language, &whole) && !calls::transparent(run.language, n) {
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
            // `shutil.os`, `random._os`: a module that another one has imported.
            Data::Path(p)
                if run.language == Language::Python
                    && calls::is_module(run.language, &p)
                    && calls::is_module(run.language, name.trim_start_matches('_'))
                    && !calls::is_module(run.language, &format!("{p}.{name}")) =>
            {
                Data::Path(name.trim_start_matches('_').to_string())
            }
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
            // `$class::method` of a class that text names.
            Data::Text(v) if run.language == Language::Php && v.as_str().is_some_and(|c| run.is_class(&c)) => {
                let class = v.as_str().map(|c| c.into_owned()).unwrap_or_default();
                self.attribute(run, Data::Path(class), name, at)
            }
            // `$_.FullName` of a file that is known by its name.
            Data::Text(v) if calls::lookup(run.language, &format!(".{name}")).is_some_and(|f| f.result == "self") => {
                Data::Text(v)
            }
            other => Data::Bound(Box::new(other), name.to_string()),
        }
    }

    pub(super) fn item(&mut self, run: &mut Run, object: Data, key: Data, at: Place) -> Data {
        match (&object, &key) {
            (Data::List(l), k) if !matches!(k, Data::List(_)) => {
                if let Some(n) = k.number() {
                    // Lua counts from one.
                    let n = if run.language == Language::Lua { n.saturating_sub(1) } else { n };
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
            // Several at once.
            (Data::Text(_) | Data::List(_), Data::List(keys)) if keys.len() <= 1_024 => {
                let keys = keys.clone();
                return Data::List(keys.into_iter().map(|k| self.item(run, object.clone(), k, at)).collect());
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

    /// What names that stand for everything in the surroundings give where they are parts of a structure.
    pub(super) fn surroundings(&mut self, run: &Run, d: &Data, depth: u32, at: Place) -> Taint {
        let mut taint = Taint::default();
        let next = depth.saturating_add(1);
        match d {
            Data::Path(_) if depth > 0 => taint.join(&self.all_of(run, d.clone(), at).taint()),
            Data::List(l) if depth < 4 => {
                l.iter().take(64).for_each(|d| taint.join(&self.surroundings(run, d, next, at)))
            }
            Data::Map(m) if depth < 4 => {
                m.iter().take(64).for_each(|(_, d)| taint.join(&self.surroundings(run, d, next, at)));
            }
            _ => {}
        }
        taint
    }

    /// A name that stands for everything in the surroundings (`os.environ`, `process.env`), where it is used as a whole.
    pub(super) fn all_of(&mut self, run: &Run, d: Data, at: Place) -> Data {
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
}
