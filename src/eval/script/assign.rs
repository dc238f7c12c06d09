//! Assignments: names, attributes and elements get values.
//!
//! In: a target and what it gets. Out: changed names; where nothing is known of the object, the effect that setting an
//! element of it has (`os.environ['X'] = v`).

use super::data::same;
use super::{Data, Interp, Run, class};
use crate::command::calls;
use crate::effect::Language;
use crate::source::Place;
use crate::syntax::script::{Expr, Kind, Stmt, StmtKind, Target};
use crate::value::{Piece, Taint, Value};

impl Interp<'_> {
    pub(super) fn assign_target(&mut self, run: &mut Run, t: &Target, v: Data) {
        match t {
            // A table of Lua that has methods is their class.
            Target::Name(n)
                if run.language == Language::Lua && run.is_class(n) && matches!(&v, Data::List(l) if l.is_empty()) =>
            {
                run.set(n, Data::Path(n.clone()));
            }
            // `$function:name = { … }`
            Target::Name(n) if run.language == Language::PowerShell && n.starts_with("$function:") => {
                let at = Place::default();
                let f = self.function_of(run, Vec::new(), &v.value(at), at);
                run.set(n.trim_start_matches("$function:"), f);
            }
            Target::Name(n) => run.set(n, v),
            Target::Attribute(o, name) => {
                if let Some(class) = class::prototype(o) {
                    run.add_class(class);
                    run.set(&format!("{class}.{name}"), v);
                    return;
                }
                if let (Kind::Name(n), Data::Function(..)) = (&o.kind, &v)
                    && run.get(n).is_some_and(|d| matches!(d, Data::List(_) | Data::Map(_)))
                {
                    run.set(&format!("{n}.{name}"), v.clone());
                }
                run.hold(&v);
                let object = self.expr(run, o);
                // `context.verify_mode = NONE`, whatever it is an attribute of.
                if let Some(fact) = calls::lookup(run.language, &format!(".{name}.__set__")) {
                    let (at, given) = (self.at(o.span), vec![(None, v.clone())]);
                    self.known_call(run, name, fact, Some(object.clone()), given, at);
                }
                match object {
                    Data::Object(o) => {
                        if let Ok(mut o) = o.try_borrow_mut() {
                            o.fields.retain(|(n, _)| n != name);
                            if o.fields.len() < 256 {
                                o.fields.push((name.clone(), v));
                            }
                        }
                    }
                    // `process.env.X = v`
                    Data::Path(p) if calls::lookup(run.language, &format!("{p}.__setitem__")).is_some() => {
                        let key = Data::Text(Value::computed(name.as_bytes(), self.at(o.span), Taint::default()));
                        self.set_item(run, Data::Path(p), key, v, self.at(o.span));
                    }
                    // `ssl._create_default_https_context = f`
                    Data::Path(p) if calls::lookup(run.language, &format!("{p}.{name}.__set__")).is_some() => {
                        run.set(&format!("{p}.{name}"), v.clone());
                        self.call_named(run, &format!("{p}.{name}.__set__"), vec![(None, v)], self.at(o.span));
                    }
                    // `builtins.len = f`
                    Data::Path(p) if calls::transparent(run.language, &p) => run.set(name, v),
                    Data::Path(p) => run.set(&format!("{p}.{name}"), v),
                    Data::Map(_) => {
                        if let Kind::Name(n) = &o.kind {
                            let key = Data::Text(Value::computed(name.as_bytes(), self.at(o.span), Taint::default()));
                            run.change(n, |d| {
                                if let Data::Map(m) = d {
                                    m.retain(|(x, _)| !same(x, &key));
                                    m.push((key, v));
                                }
                            });
                        }
                    }
                    _ => {}
                }
            }
            Target::Index(o, key) => {
                run.hold(&v);
                let k = self.expr(run, key);
                if let (Language::Awk | Language::Php | Language::Perl, Kind::Name(n)) = (run.language, &o.kind)
                    && run.get(n).is_none()
                    && calls::lookup(run.language, &format!("{n}.__setitem__")).is_none()
                {
                    run.set(n, Data::Map(Vec::new()));
                }
                if let Kind::Name(n) = &o.kind
                    && run.get(n).is_some_and(|d| !matches!(d, Data::Path(_)))
                {
                    let name = n.clone();
                    let at = self.at(o.span);
                    run.change(&name, |d| match d {
                        Data::Object(o) => {
                            if let (Ok(mut o), Some(n)) = (o.try_borrow_mut(), k.value(at).as_str()) {
                                o.fields.retain(|(x, _)| *x != n);
                                if o.fields.len() < 256 {
                                    o.fields.push((n.into_owned(), v.clone()));
                                }
                            }
                        }
                        // A list that is given a name is a map from then on; an array begins as nothing.
                        Data::List(l) if l.is_empty() && k.number().is_none_or(|n| n != 0) => {
                            *d = Data::Map(vec![(k.clone(), v.clone())]);
                        }
                        Data::List(l) if k.number() == i64::try_from(l.len()).ok() && l.len() < 4_096 => {
                            l.push(v.clone())
                        }
                        Data::Map(m) => {
                            m.retain(|(x, _)| !same(x, &k));
                            if m.len() < 1_024 {
                                m.push((k.clone(), v.clone()));
                            }
                        }
                        Data::List(l) => {
                            if let Some(i) = k.number().and_then(|n| usize::try_from(n).ok())
                                && let Some(slot) = l.get_mut(i)
                            {
                                *slot = v.clone();
                            }
                        }
                        other => {
                            let mut taint = other.taint();
                            taint.join(&v.taint());
                            *other = Data::unknown("element", at, taint);
                        }
                    });
                } else {
                    let object = self.expr(run, o);
                    let at = self.at(o.span);
                    self.set_item(run, object, k, v, at);
                }
            }
            Target::Rest(t) => self.assign_target(run, t, v),
            Target::List(ts) => {
                let at = Place::default();
                let taint = v.taint();
                let items = match v {
                    Data::List(l) => l,
                    // `for dir, _, files in os.walk(top)`: each may be any of the names.
                    Data::Text(v) if v.pieces.iter().any(|p| matches!(p, Piece::Glob(..))) => {
                        ts.iter().map(|_| Data::Text(v.clone())).collect()
                    }
                    _ => Vec::new(),
                };
                let mut it = items.into_iter();
                for (i, t) in ts.iter().enumerate() {
                    // `first, *rest = list`
                    if let Target::Rest(t) = t {
                        let after = ts.len().saturating_sub(i.saturating_add(1));
                        let n = it.len().saturating_sub(after);
                        let rest = it.by_ref().take(n).collect();
                        self.assign_target(run, t, Data::List(rest));
                        continue;
                    }
                    let v = it.next().unwrap_or_else(|| Data::unknown("element", at, taint.clone()));
                    self.assign_target(run, t, v);
                }
            }
        }
    }

    /// `object[key] = value` on something that is no variable: the environment of the process, mostly.
    fn set_item(&mut self, run: &mut Run, object: Data, key: Data, v: Data, at: Place) {
        if let Data::Path(p) = object {
            let args = vec![(None, key), (None, v)];
            self.call_named(run, &format!("{p}.__setitem__"), args, at);
        }
    }
}

/// What an argument that is assigned to names.
pub(super) fn as_target(e: &Expr) -> Option<Target> {
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
