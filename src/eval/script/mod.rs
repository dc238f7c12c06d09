//! Runs the scripts of embedded languages over values.
//!
//! In: a [`Script`] (every language lowers to it) and the process that evaluates it. Out: effects in the same graph as
//! the shell's; what calls do is data in `grammars/languages`. Files, descriptors and nested programs are the shell
//! interpreter's, so content flows across the border of languages and back.

mod call;
mod class;
mod data;
mod ops;
mod process;
mod text;

use super::Interp;
use crate::command::calls;
use crate::effect::graph::{DoubtKind, Reach};
use crate::effect::{Certainty, Language, Object as Thing, ProcessId, Verb};
use crate::limits;
use crate::source::{Place, Span, TextId};
use crate::syntax::ast::SyntaxError;
use crate::syntax::script::Expr;
use crate::syntax::script::{Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use crate::value::{Taint, Value, Why};
pub(crate) use data::Data;
use std::collections::HashMap;
use std::rc::Rc;

/// How a run of statements ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    Next,
    Break,
    Continue,
    Return(Data),
    Exit,
}

/// Names with what they hold, innermost scope last. A copy for a branch costs nothing until the branch sets something.
type Scopes = Vec<Rc<HashMap<String, Data>>>;

/// The state of one script.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) language: Language,
    pub(crate) by: ProcessId,
    /// Names, innermost scope last.
    scopes: Scopes,
    /// Modules whose names are all visible (`from os import *`).
    open: Vec<String>,
    /// The script's classes with their bases.
    classes: Vec<(String, Vec<String>)>,
    /// Methods of the script's classes, by their own names.
    methods: Vec<(String, Rc<Function>, TextId)>,
    /// Methods that are active, the innermost last.
    frames: Vec<class::Frame>,
    /// What the active functions handed out so far.
    yields: Vec<Vec<Data>>,
    /// Functions that something was given which may call them later.
    held: Vec<Data>,
    /// Functions that were called.
    called: std::collections::HashSet<*const Function>,
    /// Names that a function takes from the scope around: the function's depth, the name.
    outer: Vec<(usize, String)>,
    /// The program was left.
    left: bool,
    /// A `return`, `break` or `continue` inside an expression.
    leaving: Option<End>,
    /// The value of the last statement, for languages where that is what a body gives.
    last: Data,
    /// Functions that are called back once the statement is done, with their arguments.
    later: Vec<(Data, call::Args, Place)>,
    /// Functions that are active.
    calls: u32,
    depth: u32,
}

/// Most elements of one list that a loop or comprehension goes over one by one.
const MAX_ELEMENTS: usize = 4_096;

/// Deepest nesting of expressions, statements and calls that is followed.
const MAX_SCRIPT_DEPTH: u32 = 200;

impl Interp<'_> {
    /// Runs a script as the process `by`.
    pub(crate) fn run_script(&mut self, language: Language, script: &Script, by: ProcessId) {
        self.doubt_unread(language, script);
        self.sh.status = Some(0);
        // Code that a script of the same language evaluates sees that script's names.
        match self.evaluating.take() {
            Some(mut run) if run.language == language => {
                run.last = Data::Null;
                match self.block(&mut run, &script.body) {
                    End::Return(d) => run.last = d,
                    End::Exit => run.left = true,
                    _ => {}
                }
                self.evaluating = Some(run);
            }
            other => {
                // Variables that the program sets are its own.
                let vars = self.sh.vars.clone();
                let mut run = Run::new(language, by);
                for (name, v) in std::mem::take(&mut self.presets) {
                    run.set(&name, Data::Text(v));
                }
                let prints = std::mem::take(&mut self.prints_value);
                self.block(&mut run, &script.body);
                self.call_held(&mut run);
                self.sh.vars = vars;
                self.evaluating = other;
                if prints {
                    let at = self.at(Span::default());
                    let mut v = run.last.value(at);
                    v.push(Value::computed(b"\n", at, Taint::default()));
                    self.emit(1, v);
                }
            }
        }
    }

    /// What a front end could not read is code that is not understood: a grammar is no judge of what runs.
    fn doubt_unread(&mut self, language: Language, script: &Script) {
        for u in script.unparsed.iter().take(16) {
            let at = self.at(u.span);
            match u.reason {
                SyntaxError::TooDeep => self.doubt(DoubtKind::Limit, "nesting of the text".into(), at),
                SyntaxError::TooLarge => self.doubt(DoubtKind::Limit, "size of the text".into(), at),
                _ => self.doubt(DoubtKind::OpaqueCode, format!("{language} syntax"), at),
            }
        }
    }

    /// Evaluates text as code of the script's own language, with its names. Gives the value of the last statement.
    pub(super) fn evaluate_here(&mut self, run: &mut Run, code: Value, at: Place) -> Data {
        let (language, by) = (run.language, run.by);
        let mine = std::mem::replace(run, Run::new(language, by));
        let outer = self.evaluating.replace(mine);
        self.evaluate(language, code, Reach::Argument, by, at, super::nested::Env::Fresh(None, None));
        if let Some(r) = std::mem::replace(&mut self.evaluating, outer) {
            *run = r;
        }
        std::mem::replace(&mut run.last, Data::Null)
    }

    /// Text → a function whose body it is (`new Function(code)`, `load(code)`). What it does shows when it is called.
    pub(super) fn function_of(&mut self, run: &mut Run, params: Vec<String>, code: &Value, at: Place) -> Data {
        let id = self.effect(Verb::Evaluate, Thing::Code(run.language, code.clone()), run.by, at);
        self.flow(id, &code.taint());
        if !code.is_known() {
            self.doubt(DoubtKind::UnknownCode, code.show(), at);
        }
        let (bytes, segments, _) = self.marked(code);
        if bytes.len() > limits::MAX_VALUE || !self.spend(1 + bytes.len() as u64 / 16) {
            return Data::unknown("code", at, code.taint());
        }
        let Some(script) = crate::syntax::foreign(run.language, &bytes) else {
            self.doubt(DoubtKind::OpaqueCode, run.language.name().to_string(), at);
            return Data::unknown("code", at, code.taint());
        };
        let text = self.source.add(&bytes, at, segments);
        let before = self.enter_program(run.language, text, at, Reach::Argument, Some(run.by));
        let outer = std::mem::replace(&mut self.text, text);
        self.doubt_unread(run.language, &script);
        self.text = outer;
        self.program = before;
        let params = params.into_iter().map(|p| (p, None)).collect();
        Data::Function(
            Rc::new(Function { name: String::new(), params, body: script.body, receiver: Receiver::Object }),
            text,
        )
    }

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

    fn block(&mut self, run: &mut Run, body: &[Stmt]) -> End {
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

    fn statement(&mut self, run: &mut Run, s: &Stmt) -> End {
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
            StmtKind::Function(f) => self.define(run, f),
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
            let items = match self.expr(run, over) {
                // `for line in sys.stdin`
                Data::Path(p) if calls::lookup(run.language, &format!("{p}.__iter__")).is_some() => {
                    self.call_named(run, &format!("{p}.__iter__"), Vec::new(), at)
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
                if old.get(name).is_none_or(|o| !unchanged(o, d))
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

    pub(super) fn assign_target(&mut self, run: &mut Run, t: &Target, v: Data) {
        match t {
            // A table of Lua that has methods is their class.
            Target::Name(n)
                if run.language == Language::Lua && run.is_class(n) && matches!(&v, Data::List(l) if l.is_empty()) =>
            {
                run.set(n, Data::Path(n.clone()));
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
        if run.calls >= limits::MAX_CALLS || run.depth >= MAX_SCRIPT_DEPTH {
            self.limit("calls of a function by itself", at);
            return Data::unknown("recursion", at, Taint::default());
        }
        run.calls = run.calls.saturating_add(1);
        run.called.insert(Rc::as_ptr(f));
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

    /// Code in a language whose front end is there; a doubt for all others.
    pub(crate) fn script_code(&mut self, language: Language, bytes: &[u8], by: ProcessId, at: Place) {
        // Shells that no reader is for: plain commands are the same in them, so what our shells would do is possible.
        if matches!(language, Language::Fish | Language::Csh | Language::Nushell) {
            self.doubt(DoubtKind::OpaqueCode, language.name().to_string(), at);
            let saved = std::mem::replace(&mut self.certainty, Certainty::Possible);
            self.shell_code(Language::Sh, bytes, &super::nested::Env::Fresh(None, None));
            self.certainty = saved;
            self.sh.status = None;
            return;
        }
        // Programs that only shape what they read: there is nothing to run or to doubt.
        if only_shapes(language, bytes) {
            self.sh.status = None;
            return;
        }
        match crate::syntax::foreign(language, bytes) {
            Some(script) => self.run_script(language, &script, by),
            None => {
                self.sh.status = None;
                self.emit(1, Value::unknown(Why::Output(language.name().to_string()), at));
                self.doubt(DoubtKind::OpaqueCode, language.name().to_string(), at);
            }
        }
    }
}

/// True where code is known to shape only what it reads: it starts nothing, and reads and writes no file of its own.
fn only_shapes(language: Language, text: &[u8]) -> bool {
    match language {
        Language::Awk => crate::syntax::awk::only_computes(text),
        Language::Sed => crate::value::transform::sed_only_edits(text),
        _ => false,
    }
}

impl Run {
    fn new(language: Language, by: ProcessId) -> Self {
        Run {
            language,
            by,
            scopes: vec![Rc::new(HashMap::new())],
            open: Vec::new(),
            classes: Vec::new(),
            methods: Vec::new(),
            frames: Vec::new(),
            yields: Vec::new(),
            held: Vec::new(),
            called: std::collections::HashSet::new(),
            left: false,
            leaving: None,
            last: Data::Null,
            outer: Vec::new(),
            later: Vec::new(),
            calls: 0,
            depth: 0,
        }
    }
    /// How a statement ended whose expression may have left something.
    fn end(&mut self) -> End {
        match self.leaving.take() {
            _ if self.left => End::Exit,
            Some(end) => end,
            None => End::Next,
        }
    }
    fn set(&mut self, name: &str, v: Data) {
        // A name of an outer scope stays what it is there, unless it was set there before (closures change it).
        let depth = self.scopes.len();
        if self.outer.iter().any(|(d, n)| *d == depth && n == name) {
            let place = self.scopes.iter().rev().skip(1).position(|s| s.contains_key(name));
            let index = place.map_or(0, |i| depth.saturating_sub(i.saturating_add(2)));
            if let Some(s) = self.scopes.get_mut(index) {
                Rc::make_mut(s).insert(name.to_string(), v);
            }
            return;
        }
        let index = match self.scopes.iter().rposition(|s| s.contains_key(name)) {
            Some(i) if self.language != Language::Python || i == depth.saturating_sub(1) => i,
            _ => depth.saturating_sub(1),
        };
        if let Some(s) = self.scopes.get_mut(index)
            && (s.len() < 4_096 || s.contains_key(name))
        {
            Rc::make_mut(s).insert(name.to_string(), v);
        }
    }
    /// Gives a command another name.
    pub(in crate::eval) fn set_alias(&mut self, name: &str, value: Value) {
        self.set(&format!("alias {}", name.to_ascii_lowercase()), Data::Text(value));
    }
    /// The command that a name stands for.
    fn alias(&self, name: &str) -> Option<Data> {
        self.get(&format!("alias {name}")).cloned()
    }
    fn get(&self, name: &str) -> Option<&Data> {
        self.scopes.iter().rev().find_map(|s| s.get(name))
    }
    fn change(&mut self, name: &str, f: impl FnOnce(&mut Data)) {
        let scope = self.scopes.iter_mut().rev().find(|s| s.contains_key(name));
        if let Some(d) = scope.and_then(|s| Rc::make_mut(s).get_mut(name)) {
            f(d);
        }
    }
    fn join(&mut self, other: Scopes, at: Place) {
        let mine = std::mem::take(&mut self.scopes);
        self.scopes = join_scopes(mine, other, at);
    }
}

fn join_scopes(a: Scopes, b: Scopes, at: Place) -> Scopes {
    a.into_iter()
        .zip(b)
        .map(|(mut shared, y)| {
            if Rc::ptr_eq(&shared, &y) {
                return shared;
            }
            let x = Rc::make_mut(&mut shared);
            for (k, v) in Rc::unwrap_or_clone(y) {
                let joined = match x.remove(&k) {
                    Some(u) => Data::either(u, v, at),
                    None => v,
                };
                x.insert(k, joined);
            }
            shared
        })
        .collect()
}

/// The elements of something that is gone over; false where how many there are is not known.
fn elements(d: Data, at: Place) -> (Vec<Data>, bool) {
    match d {
        Data::List(l) => (l, true),
        Data::Map(m) => (m.into_iter().map(|(k, _)| k).collect(), true),
        Data::Text(v) => match v.as_str() {
            Some(s) if s.len() <= 4_096 => (
                s.chars().map(|c| Data::Text(Value::computed(c.to_string().as_bytes(), at, v.taint()))).collect(),
                true,
            ),
            _ => (vec![Data::Text(v.clone())], false),
        },
        other => (vec![Data::Text(other.value(at))], false),
    }
}

/// Whether a name still holds what it held.
fn unchanged(a: &Data, b: &Data) -> bool {
    match (a, b) {
        (Data::Text(x), Data::Text(y)) => x == y,
        (Data::Number(x), Data::Number(y)) => x == y,
        (Data::Bool(x), Data::Bool(y)) => x == y,
        (Data::Null, Data::Null) => true,
        (Data::Path(x), Data::Path(y)) => x == y,
        (Data::Function(x, _), Data::Function(y, _)) => Rc::ptr_eq(x, y),
        (Data::Object(x), Data::Object(y)) => Rc::ptr_eq(x, y),
        (Data::List(x), Data::List(y)) => x.len() == y.len() && x.iter().zip(y).take(256).all(|(x, y)| unchanged(x, y)),
        (Data::Map(x), Data::Map(y)) => {
            x.len() == y.len() && x.iter().zip(y).take(256).all(|(x, y)| unchanged(&x.0, &y.0) && unchanged(&x.1, &y.1))
        }
        (Data::Bound(x, n), Data::Bound(y, m)) => n == m && unchanged(x, y),
        _ => false,
    }
}

/// Whether two known values are equal, for keys.
pub(super) fn same(a: &Data, b: &Data) -> bool {
    match (a, b) {
        (Data::Text(x), Data::Text(y)) => matches!((x.as_literal(), y.as_literal()), (Some(x), Some(y)) if x == y),
        (Data::Number(x), Data::Number(y)) => x == y,
        (Data::Bool(x), Data::Bool(y)) => x == y,
        (Data::Null, Data::Null) => true,
        _ => false,
    }
}
