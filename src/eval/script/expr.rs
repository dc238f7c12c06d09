//! Expressions.
//!
//! In: an expression. Out: [`Data`]. What is not computed keeps what it came from; parts of it are run all the same.

use super::super::nested::Env;
use super::{Data, Interp, Run};
use crate::effect::Language;
use crate::effect::graph::Reach;
use crate::source::Place;
use crate::syntax::script::{Expr, Function, Kind};
use crate::value::{Taint, Value};
use std::rc::Rc;

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
            Kind::Name(n) => {
                let d = self.name(run, n);
                run.hold(&d);
                d
            }
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
                super::list::slice(object, s, t, u, at)
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
                    super::state::End::Next => {}
                    super::state::End::Exit => run.left = true,
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
                    ("^" | "|" | "&", [Data::Text(a), Data::Text(b)]) if bits => super::operator::bitwise(op, a, b, at),
                    _ => super::operator::operator(op, &parts, at),
                }
            }
            Kind::Lambda(f) => {
                self.defaults(run, f);
                let d = Data::Function(Rc::clone(f), self.text);
                // It is there for something to call it.
                run.hold(&d);
                d
            }
            Kind::Comprehension { element, target, over, condition } => {
                let over = self.expr(run, over);
                let over = self.iterated(run, over, at);
                let (items, known) = super::data::elements(over, at);
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

    /// What parameters are by default is computed where the function is made.
    pub(super) fn defaults(&mut self, run: &mut Run, f: &Function) {
        if run.language == Language::Python {
            for d in f.params.iter().filter_map(|(_, d)| d.as_ref()) {
                self.expr(run, d);
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
            return super::operator::operator(op, &[first, second], at);
        }
        let wanted = matches!(op, "and" | "&&");
        let truth = match &first {
            // What a structure has not under that name may be missing, or a method of any structure.
            Data::Bound(o, _) if matches!(**o, Data::Map(_) | Data::List(_) | Data::Null) => None,
            d => d.truth(),
        };
        match truth {
            Some(t) if t == wanted => self.expr(run, b),
            Some(_) => first,
            None => {
                let second = self.perhaps(run, |me, run| me.expr(run, b));
                super::operator::operator(op, &[first, second], at)
            }
        }
    }
}
