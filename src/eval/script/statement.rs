//! Statements: what runs, in which order, how often, and what it leaves behind.
//!
//! In: statements. Out: how they ended. Where a condition is not known, both sides are run and their names joined; a loop
//! that is left early is run once more with nothing known of what it changes.

use super::data::elements;
use super::state::{End, Run, Scopes, join_scopes};
use super::{Data, Interp, MAX_ELEMENTS, MAX_SCRIPT_DEPTH};
use crate::command::calls;
use crate::effect::{Certainty, Language, Object as Thing, Verb};
use crate::source::{Place, Span};
use crate::syntax::script::{Expr, Kind, Stmt, StmtKind, Target};
use crate::value::{Taint, Value};
use std::rc::Rc;

impl Interp<'_> {
    /// Calls the functions that wait for what the statement began (`const s = net.connect(port, () => s.pipe(sh.stdin))`).
    fn called_back(&mut self, run: &mut Run) {
        for (f, args, at) in std::mem::take(&mut run.later) {
            self.callback(run, f, args, at);
        }
    }

    /// Runs something that may not run: what it leaves (a loop, a function, the program) it leaves perhaps.
    pub(super) fn perhaps<T>(&mut self, run: &mut Run, body: impl FnOnce(&mut Self, &mut Run) -> T) -> T {
        let (left, leaving) = (run.left, run.leaving.take());
        let r = self.conditional(|me| body(me, run));
        run.left = left;
        run.leaving = leaving;
        r
    }

    pub(super) fn block(&mut self, run: &mut Run, body: &[Stmt]) -> End {
        // Functions are known before their place in the text is reached.
        for s in body {
            if let StmtKind::Function(f) = &s.kind {
                self.define(run, f);
            }
        }
        for s in body {
            if !self.spend(1) {
                return End::Exit;
            }
            match self.statement(run, s) {
                End::Next => {}
                other => return other,
            }
        }
        End::Next
    }

    pub(super) fn statement(&mut self, run: &mut Run, s: &Stmt) -> End {
        if run.depth >= MAX_SCRIPT_DEPTH {
            self.limit("nesting of a script", self.at(s.span));
            return End::Next;
        }
        run.depth = run.depth.saturating_add(1);
        let end = stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.statement_inner(run, s));
        run.depth = run.depth.saturating_sub(1);
        end
    }

    fn statement_inner(&mut self, run: &mut Run, s: &Stmt) -> End {
        match &s.kind {
            StmtKind::Expr(e) => {
                run.last = self.expr(run, e);
                self.called_back(run);
                return run.end();
            }
            StmtKind::Assign(t, e) => {
                let v = self.expr(run, e);
                run.last = v.clone();
                self.assign_target(run, t, v);
                self.called_back(run);
                return run.end();
            }
            StmtKind::If(branches, otherwise) => return self.script_if(run, branches, otherwise, s.span),
            StmtKind::Loop { target, over, condition, body } => {
                return self.script_loop(run, target.as_ref(), over.as_ref(), condition.as_ref(), body, s.span);
            }
            StmtKind::Function(f) => {
                self.defaults(run, f);
                self.define(run, f);
            }
            StmtKind::Class { name, bases, body } => self.class(run, name, bases, body),
            StmtKind::Return(e) => {
                let v = e.as_ref().map_or(Data::Null, |e| self.expr(run, e));
                return match run.end() {
                    End::Next => End::Return(v),
                    other => other,
                };
            }
            StmtKind::Break => return End::Break,
            StmtKind::Continue => return End::Continue,
            StmtKind::Import { path, alias } => {
                self.imported(run, path, s.span);
                if alias == "*" {
                    run.open.push(path.clone());
                } else {
                    run.set(alias, Data::Path(path.clone()));
                }
            }
            StmtKind::Block(body) => return self.block(run, body),
            StmtKind::Maybe(body) => {
                let before = run.scopes.clone();
                let end = self.perhaps(run, |me, run| me.block(run, body));
                run.join(before, self.at(s.span));
                // Whether it ran is not known, so what follows may run.
                return match end {
                    End::Exit if self.exhausted() => End::Exit,
                    _ => End::Next,
                };
            }
            StmtKind::Outer(names) => {
                let depth = run.scopes.len();
                if run.outer.len() < 1_024 {
                    run.outer.extend(names.iter().map(|n| (depth, n.clone())));
                }
            }
            StmtKind::Exit => return End::Exit,
        }
        End::Next
    }

    fn script_if(&mut self, run: &mut Run, branches: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt], span: Span) -> End {
        let saved = self.certainty;
        let mut joined: Option<Scopes> = None;
        let at = self.at(span);
        let mut all_left = true;
        let mut last = End::Next;
        let mut settled = false;
        for (test, body) in branches {
            let t = self.expr(run, test).truth();
            match t {
                Some(false) => continue,
                Some(true) => {
                    let end = self.block(run, body);
                    settled = true;
                    all_left &= !matches!(end, End::Next);
                    last = end;
                    break;
                }
                None => {
                    let before = run.scopes.clone();
                    self.certainty = saved.min(Certainty::Conditional);
                    let left = std::mem::replace(&mut run.left, false);
                    let end = self.block(run, body);
                    run.left = left;
                    if matches!(end, End::Next) {
                        all_left = false;
                        let after = std::mem::replace(&mut run.scopes, before);
                        joined = Some(match joined.take() {
                            None => after,
                            Some(j) => join_scopes(j, after, at),
                        });
                    } else {
                        last = end;
                        run.scopes = before;
                    }
                }
            }
        }
        if !settled {
            let end = self.block(run, otherwise);
            all_left &= !matches!(end, End::Next);
            if !matches!(end, End::Next) {
                last = end;
            }
        }
        self.certainty = saved;
        if let Some(j) = joined {
            run.join(j, at);
        }
        if all_left { last } else { End::Next }
    }

    /// What a thing gives that is gone over (`for line in sys.stdin`).
    pub(super) fn iterated(&mut self, run: &mut Run, d: Data, at: Place) -> Data {
        match d {
            Data::Path(p) if calls::lookup(run.language, &format!("{p}.__iter__")).is_some() => {
                self.call_named(run, &format!("{p}.__iter__"), Vec::new(), at)
            }
            d => d,
        }
    }

    fn script_loop(
        &mut self,
        run: &mut Run,
        target: Option<&Target>,
        over: Option<&Expr>,
        condition: Option<&Expr>,
        body: &[Stmt],
        span: Span,
    ) -> End {
        let at = self.at(span);
        let saved = self.certainty;
        // A loop may take a part of the work that is left: what it would do beyond is seen in one turn with nothing known.
        let floor = self.work_left().saturating_sub(self.work_left() / 3);
        if let Some(over) = over {
            let over = self.expr(run, over);
            let items = match self.iterated(run, over, at) {
                // `for line in f do`: the function gives each.
                f @ Data::Function(..) if run.language == Language::Lua => {
                    self.perhaps(run, |me, run| me.apply(run, f, Vec::new(), at))
                }
                d => d,
            };
            let (items, known) = elements(items, at);
            let taint = Data::List(items.iter().take(64).cloned().collect()).taint();
            let mut items = items.into_iter();
            for (turn, item) in items.by_ref().enumerate() {
                if let Some(t) = target {
                    self.assign_target(run, t, item);
                }
                if !known {
                    self.certainty = self.certainty.min(Certainty::Conditional);
                }
                let end = self.block(run, body);
                self.certainty = saved;
                match end {
                    End::Next | End::Continue => {}
                    End::Break => return End::Next,
                    other if known => return other,
                    _ => {}
                }
                if !self.spend(1) {
                    return End::Exit;
                }
                if turn >= MAX_ELEMENTS || self.work_left() < floor {
                    break;
                }
            }
            if !known || items.next().is_some() {
                let rest = target.map(|t| (t, Data::unknown("element of a long list", at, taint)));
                self.turn_unknown(run, rest, body, at);
            }
            return End::Next;
        }
        let started = self.graph.effects.len();
        for turn in 0.. {
            let go = condition.map_or(Some(true), |c| self.expr(run, c).truth());
            let endless = condition.is_none_or(|c| matches!(c.kind, Kind::Bool(true) | Kind::Number(1)));
            if go == Some(false) {
                return End::Next;
            }
            if go.is_none() {
                self.certainty = self.certainty.min(Certainty::Conditional);
            }
            let before = self.graph.effects.len();
            let end = self.block(run, body);
            self.certainty = saved;
            match end {
                End::Next | End::Continue => {}
                End::Break => return End::Next,
                other if go == Some(true) => return other,
                _ => break,
            }
            // `while True: os.fork()`, `fork while fork`: turns that do nothing but multiply the process.
            let asked = go.is_none() && before > started;
            if (go == Some(true) && endless || asked) && self.forks_only(started, body.len()) {
                let name = Value::computed(b"fork", at, Taint::default());
                self.effect(Verb::Exhaust, Thing::Named("process", name), run.by, at);
                return End::Next;
            }
            // A turn that depends on something outside is looked at twice, an endless one as long as it adds something.
            let quiet = self.graph.effects.len() == before;
            if (go.is_none() && turn >= 1)
                || (turn >= 2 && endless)
                || (turn >= 64 && !quiet)
                || self.work_left() < floor
            {
                break;
            }
            if !self.spend(1) {
                return End::Exit;
            }
        }
        self.turn_unknown(run, None, body, at);
        End::Next
    }

    /// True where all that was done since then is that the process was multiplied, once or more for each statement.
    fn forks_only(&self, since: usize, statements: usize) -> bool {
        let new = self.graph.effects.get(since..).unwrap_or_default();
        let fork = |e: &crate::effect::Effect| e.verb == Verb::Spawn && matches!(e.object, Thing::Stated("fork"));
        !new.is_empty() && new.len() >= statements && new.iter().all(fork)
    }

    /// One more turn of a loop that was left early: what it changes is not known from then on.
    fn turn_unknown(&mut self, run: &mut Run, element: Option<(&Target, Data)>, body: &[Stmt], at: Place) {
        let before = run.scopes.clone();
        if let Some((t, d)) = element {
            self.assign_target(run, t, d);
        }
        self.perhaps(run, |me, run| me.block(run, body));
        for (scope, old) in run.scopes.iter_mut().zip(&before) {
            if Rc::ptr_eq(scope, old) {
                continue;
            }
            let scope = Rc::make_mut(scope);
            for (name, d) in scope.iter_mut() {
                if old.get(name).is_none_or(|o| !o.is(d))
                    && !matches!(d, Data::Function(..) | Data::Object(_) | Data::Path(_))
                {
                    let mut taint = d.taint();
                    if let Some(o) = old.get(name) {
                        taint.join(&o.taint());
                    }
                    *d = Data::unknown("changed in a loop", at, taint);
                }
            }
        }
    }
}
