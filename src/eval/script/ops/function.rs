//! Operations on functions and names: what is called by a computed name, bound, mapped over a list.
//!
//! In: an operation and what it is given. Out: [`Data`], and the effects of what is called.

use super::super::call::Args;
use super::super::data::elements;
use super::super::{Data, Interp, Run};
use super::Given;

impl Interp<'_> {
    /// Operations that call something or find it by its name.
    pub(super) fn on_functions(&mut self, run: &mut Run, op: &str, given: &Given<'_>) -> Option<Data> {
        let (all, at) = (given.all, given.at);
        match op {
            // The name of an attribute, module or function as text.
            "getattr" => {
                let name = given.text(1)?;
                let object = given.first()?;
                Some(self.attribute(run, object, &name, at))
            }
            "import" => {
                // R writes the name of a package bare, perl's option takes a list behind it.
                let name = match given.first()? {
                    Data::Path(p) => p,
                    _ => given.text(0)?,
                };
                let name = name.trim_end_matches(".js").trim_start_matches("node:").trim_start_matches('-');
                let name = name.split(['=', ' ', ';']).next().unwrap_or_default();
                if !name.starts_with(['.', '/']) {
                    self.import(run, name, at);
                }
                Some(Data::Path(name.to_string()))
            }
            "name" => {
                let name =
                    given.text(if all.len() > 1 && matches!(given.first(), Some(Data::Path(_))) { 1 } else { 0 })?;
                let sign = if given.positions.0 == 1 { "$" } else { "" };
                Some(self.name(run, &format!("{sign}{name}")))
            }
            // `$o->$code(…)`
            "send" if matches!(all.get(1), Some(Data::Function(..) | Data::Path(_) | Data::Bound(..))) => {
                let callee = all.get(1)?.clone();
                let mut rest: Args = vec![(None, given.first()?)];
                rest.extend(all.iter().skip(2).map(|d| (None, d.clone())));
                Some(self.apply(run, callee, rest, at))
            }
            "send" => {
                let name = given.text(1)?;
                let object = given.first()?;
                let callee = match object {
                    Data::Path(_) => self.attribute(run, object, &name, at),
                    other => Data::Bound(Box::new(other), name),
                };
                let rest = all.iter().skip(2).cloned().map(|d| (None, d)).collect();
                Some(self.apply(run, callee, rest, at))
            }
            "call" => {
                let callee = given.first()?;
                let rest = all.iter().skip(1).cloned().map(|d| (None, d)).collect();
                Some(self.apply(run, callee, rest, at))
            }
            // `f.call(this, a)`, `f.apply(this, [a])`, `Reflect.apply(f, this, [a])`
            "method.call" => {
                let rest = all.iter().skip(2).cloned().map(|d| (None, d)).collect();
                Some(self.apply(run, given.first()?, rest, at))
            }
            "method.apply" | "reflect.construct" => {
                let at_list = if op == "method.apply" { 2 } else { 1 };
                let (rest, _) = all.get(at_list).cloned().map_or((Vec::new(), true), |l| elements(l, at));
                Some(self.apply(run, given.first()?, rest.into_iter().map(|d| (None, d)).collect(), at))
            }
            "array" => {
                let (items, known) = elements(given.first()?, at);
                if !known {
                    return None;
                }
                match all.get(1).cloned() {
                    Some(f) => {
                        let items = items.into_iter().take(1_024);
                        Some(Data::List(items.map(|i| self.apply(run, f.clone(), vec![(None, i)], at)).collect()))
                    }
                    None => Some(Data::List(items)),
                }
            }
            // `p.then(f)`: what the function makes of the object
            "then" => {
                let f = all.get(1)?.clone();
                Some(self.apply(run, f, vec![(None, given.first()?)], at))
            }
            // `new Function('a', 'b', 'return a + b')`: the last is the body
            "function" => {
                let (body, params) = all.split_last()?;
                let params = params.iter().filter_map(|p| p.value(at).as_str().map(|s| s.into_owned())).collect();
                Some(self.function_of(run, params, &body.value(at), at))
            }
            // `load(code, name)`: the first is the body
            "chunk" => Some(self.function_of(run, Vec::new(), &given.first()?.value(at), at)),
            // `Thread(target=f, args=(a, b))`: a function, and its arguments as a list.
            "apply" => {
                let named = |n: &str| given.args.iter().find(|(m, _)| m.as_deref() == Some(n)).map(|(_, d)| d.clone());
                let callable = |d: &&Data| matches!(d, Data::Path(_) | Data::Function(..) | Data::Bound(..));
                let place = all.iter().position(|d| callable(&d) || matches!(d, Data::Text(v) if v.is_known()));
                let callee = named("target").or_else(|| place.and_then(|i| all.get(i)).cloned())?;
                let list = named("args").or_else(|| all.iter().rfind(|d| matches!(d, Data::List(_))).cloned());
                let rest = match list {
                    Some(Data::List(l)) => l.into_iter().map(|d| (None, d)).collect(),
                    _ => match place {
                        Some(i) => all.iter().skip(i.saturating_add(1)).cloned().map(|d| (None, d)).collect(),
                        None => Vec::new(),
                    },
                };
                Some(self.apply(run, callee, rest, at))
            }
            // `reduce(f, list)`, `list.reduce(f)`: what the function makes of all elements, two at a time.
            "reduce" => {
                let place = all.iter().position(|d| !matches!(d, Data::List(_) | Data::Text(_)))?;
                let f = all.get(place)?.clone();
                let list = all.iter().find(|d| matches!(d, Data::List(_)))?.clone();
                let (items, _) = elements(list, at);
                let begin = if place == 0 { all.get(2) } else { all.get(place.saturating_add(1)) };
                let mut items = begin.cloned().into_iter().chain(items.into_iter().take(1_024));
                let mut sum = items.next()?;
                for i in items {
                    sum = self.apply(run, f.clone(), vec![(None, sum), (None, i)], at);
                }
                Some(sum)
            }
            // A function with some of its arguments: what is called with the others.
            "bind" => {
                let mut all = all.iter().cloned();
                let callee = all.next()?;
                let given = all.skip(given.positions.0).map(|d| (None, d)).collect();
                Some(Data::Partial(Box::new(callee), given))
            }
            // A map as a thing of a class (`bless {…}, 'A'`, `setmetatable({…}, A)`).
            "object" => {
                let class = match all.get(1) {
                    Some(Data::Path(p)) => p.clone(),
                    Some(Data::Map(_) | Data::List(_)) => String::new(),
                    Some(d) => d.value(at).as_str()?.replace("::", "."),
                    None => run.class_now()?,
                };
                // What a table of methods holds may be called without being named.
                if let Some(Data::Map(m)) = all.get(1) {
                    m.iter().for_each(|(_, d)| run.hold(d));
                }
                let made = Data::object(&class);
                if let (Data::Object(o), Some(Data::Map(m))) = (&made, given.all.first())
                    && let Ok(mut o) = o.try_borrow_mut()
                {
                    let field = |(k, v): &(Data, Data)| Some((k.value(at).as_str()?.into_owned(), v.clone()));
                    o.fields = m.iter().filter_map(field).take(256).collect();
                }
                Some(made)
            }
            "map" => {
                let f = given.first()?;
                let (items, _) = elements(all.get(1)?.clone(), at);
                let items = items.into_iter().take(1_024);
                Some(Data::List(items.map(|i| self.apply(run, f.clone(), vec![(None, i)], at)).collect()))
            }
            "method.map" => {
                let (items, _) = elements(given.first()?, at);
                let f = all.get(1)?.clone();
                let items = items.into_iter().take(1_024);
                Some(Data::List(items.map(|i| self.apply(run, f.clone(), vec![(None, i)], at)).collect()))
            }
            // The module above all that it names (`__import__("a.b")` gives `a`).
            "import.top" => {
                let name = given.text(0)?;
                self.import(run, &name, at);
                Some(Data::Path(name.split('.').next().unwrap_or_default().to_string()))
            }
            // The functions of modules become functions of the script.
            "include" => {
                for d in all.iter().take(16) {
                    if let Data::Path(p) = d
                        && run.open.len() < 64
                    {
                        run.open.push(p.clone());
                    }
                }
                Some(Data::Null)
            }
            // The method of that name, of what is given later.
            "methodcaller" => {
                let bound = Data::Path("operator.methodcaller()".into());
                Some(Data::Partial(Box::new(bound), given.args.clone()))
            }
            "methodcaller.call" => {
                let (object, name) = (all.last()?.clone(), given.text(0)?);
                let callee = match object {
                    Data::Path(_) => self.attribute(run, object, &name, at),
                    other => Data::Bound(Box::new(other), name),
                };
                let count = given.args.len().saturating_sub(1);
                let rest = given.args.iter().take(count).skip(1).cloned().collect();
                Some(self.apply(run, callee, rest, at))
            }
            // A name for a value, with the sign of variables where the number says so.
            "define" => {
                let name = given.text(0)?;
                let sign = if given.positions.0 == 1 { "$" } else { "" };
                run.set(&format!("{sign}{name}"), all.get(1)?.clone());
                Some(Data::Bool(true))
            }
            // Another name for a function.
            "alias" => {
                let (new, old) = match (given.text(0), given.text(1), given.text(2)) {
                    (_, Some(new), Some(old)) | (Some(new), Some(old), None) => (new, old),
                    _ => return None,
                };
                let function = self.name(run, &old);
                run.set(&new, function);
                Some(Data::Null)
            }
            // A text in place of a status is written to the descriptor that the number names.
            "exit" => {
                if let (Some(Data::Text(v)), Ok(fd @ 1..)) = (given.first(), u32::try_from(given.positions.0)) {
                    self.emit(fd, v);
                }
                run.left = true;
                Some(Data::Null)
            }
            "environ" => {
                let name = given.text(all.len().checked_sub(1)?.min(1)).or_else(|| given.text(0))?;
                let v = self.variable(&name, at).unwrap_or_default();
                Some(Data::Text(v))
            }
            _ => None,
        }
    }
}
