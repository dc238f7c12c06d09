//! Walks lists, pipelines and compound commands in the order in which the shell runs them.
//!
//! In: the tree. Out: the interpreter's state and the graph. [`branch`] takes the branches whose conditions are known, and
//! all of those whose are not; [`traps`] runs what comes between two commands.

mod branch;
mod traps;

use super::scope::{End, Shell};
use super::{Flow, Interp};
use crate::effect::graph::{DoubtKind, Reach};
use crate::effect::{Certainty, Language};
use crate::source::Span;
use crate::syntax::ast::{
    AndOr, AndOrOp, ArithText, Command, CommandKind, List, Pipeline, Program, SyntaxError, Unparsed,
};
use crate::syntax::shell::{compare, witness};
use crate::value::{Channel, Value};
use std::rc::Rc;

/// Constructs and nested programs that may be open at once, over all texts. The stack grows as it is needed.
const MAX_LEVEL: u32 = 2_000;
/// Constructs that may be open before the stack is looked at: a level takes up to 10 KiB, in a debug build 40.
const SHALLOW: u32 = 8;

impl Interp<'_> {
    /// The condition of an `if` or a loop.
    pub(crate) fn condition(&mut self, list: &List) -> Flow {
        self.unchecked(|me| me.list(list))
    }

    /// Reads a shell text: the reader's tree, and after it what only the witness sees, marked as possible.
    pub(crate) fn read_shell(&mut self, language: Language, bytes: &[u8]) -> Program {
        if language == Language::Fish {
            let prog = crate::syntax::fish::read(bytes);
            self.doubt_unparsed(&prog.unparsed);
            return prog;
        }
        let mut prog = crate::syntax::shell::read(bytes, Self::dialect(language));
        self.doubt_unparsed(&prog.unparsed);
        if !self.witness || compare::plain(bytes) {
            return prog;
        }
        let other = match witness::read(bytes) {
            Ok(other) => other,
            Err(refusal) => {
                // The first reader is the authority, so this is no reason to warn of honest work. But a text that nothing
                // was held against is not approved without a look either.
                let at = self.at(Span::new(0, bytes.len()));
                self.doubt(DoubtKind::Unconfirmed, refusal.reason().to_string(), at);
                return prog;
            }
        };
        // Where the witness could not read the text itself, what it says is no evidence.
        for d in compare::differences(&prog, &other, bytes).into_iter().filter(|d| !d.doubtful) {
            let at = self.at(d.span);
            let what = match d.kind {
                compare::DifferenceKind::OnlyOurs => "only the first reader sees a command here",
                compare::DifferenceKind::OnlyWitness => "only the second reader sees a command here",
                compare::DifferenceKind::Words => "the two readers see other words here",
            };
            self.doubt(DoubtKind::Disagreement, what.to_string(), at);
            prog.lists.extend(d.witness);
        }
        prog
    }

    /// Notes what could not be read.
    pub(crate) fn doubt_unparsed(&mut self, unparsed: &[Unparsed]) {
        for u in unparsed.iter().take(16) {
            let at = self.at(u.span);
            let (kind, reason) = match u.reason {
                SyntaxError::UnexpectedToken => (DoubtKind::Unparsed, "unexpected token"),
                SyntaxError::UnexpectedEnd => (DoubtKind::Unfinished, "unexpected end"),
                SyntaxError::BadName => (DoubtKind::Unparsed, "bad name"),
                SyntaxError::BadSubstitution => (DoubtKind::Unparsed, "bad substitution"),
                SyntaxError::NotLowered => (DoubtKind::Unparsed, "not understood"),
                SyntaxError::TooDeep => (DoubtKind::Limit, "nesting of the text"),
                SyntaxError::TooLarge => (DoubtKind::Limit, "size of the text"),
            };
            self.doubt(kind, reason.to_string(), at);
        }
    }

    /// Runs a whole program, one complete command after the other.
    pub(crate) fn statements(&mut self, prog: &Program) -> Flow {
        for list in &prog.lists {
            let saved = self.certainty;
            if list.possible {
                self.certainty = Certainty::Possible;
            }
            let flow = self.list(list);
            self.certainty = saved;
            self.sh.apply_aliases();
            // What is read after a syntax error is looked at whatever came before it.
            if flow != Flow::Next && !prog.lists.last().is_some_and(|l| l.possible) {
                return flow;
            }
        }
        Flow::Next
    }

    /// Runs a list.
    pub(crate) fn list(&mut self, list: &List) -> Flow {
        for item in &list.items {
            if !self.spend(1) {
                return Flow::Exit;
            }
            let flow = self.and_or(item);
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn and_or(&mut self, item: &AndOr) -> Flow {
        if item.background {
            let forking = std::mem::replace(&mut self.forking, true);
            self.subshell(|me| {
                if me.sh.fd(0) == &End::Outer(0) {
                    me.sh.set_fd(0, End::Nothing);
                }
                me.and_or_body(item);
            });
            self.forking = forking;
            self.sh.status = Some(0);
            return Flow::Next;
        }
        self.and_or_body(item)
    }

    fn and_or_body(&mut self, item: &AndOr) -> Flow {
        let last = item.rest.len();
        let sink = match self.sh.fd(1) {
            End::Sink(i) if last > 0 => Some((*i, self.sinks.get(*i).map_or(0, |s| s.pieces.len()))),
            _ => None,
        };
        let mut flow =
            if last == 0 { self.pipeline(&item.first) } else { self.unchecked(|me| me.pipeline(&item.first)) };
        // The state where a part of an && chain failed: what follows in the chain does not run in it. In
        // `git clone u && cd r && ./x` the last runs where cd went.
        let mut failed: Option<Shell> = None;
        for (i, (op, next)) in item.rest.iter().enumerate() {
            let run = |me: &mut Self| match i.saturating_add(1) == last {
                true => me.pipeline(next),
                false => me.unchecked(|me| me.pipeline(next)),
            };
            // A part that leaves the shell only under a condition leaves the others as they are.
            if flow != Flow::Next {
                return flow;
            }
            if *op == AndOrOp::Or {
                self.rejoin(&mut failed);
            }
            let wanted = match op {
                // Without parameters there is no command that could have failed.
                AndOrOp::And if self.only_parameters => Some(true),
                AndOrOp::And => self.sh.status.map(|s| s == 0),
                AndOrOp::Or => self.sh.status.map(|s| s != 0),
            };
            match wanted {
                Some(true) => flow = run(self),
                Some(false) => {}
                None if *op == AndOrOp::And => {
                    let before = self.sh.clone();
                    let without = match failed.take() {
                        Some(f) => f.join(before),
                        None => before,
                    };
                    if self.conditional(run) == Flow::Next {
                        failed = Some(without);
                    } else {
                        self.sh = without;
                    }
                    self.sh.status = None;
                    flow = Flow::Next;
                }
                None => {
                    let before = self.sh.clone();
                    let printed = sink.map(|(i, from)| (i, from, self.sinks.get(i).map_or(0, |s| s.pieces.len())));
                    flow = self.conditional(run);
                    flow = self.after_branch(flow, before);
                    self.one_or_other(printed);
                }
            }
        }
        self.rejoin(&mut failed);
        flow
    }

    /// `a || b`: what fails has printed nothing, unless it is known to have.
    fn one_or_other(&mut self, printed: Option<(usize, usize, usize)>) {
        let Some((sink, from, middle)) = printed else { return };
        let Some(s) = self.sinks.get_mut(sink).filter(|s| from < middle && middle < s.pieces.len()) else { return };
        let open = |p: &crate::value::Piece| matches!(p, crate::value::Piece::Unknown(_));
        if !s.pieces.iter().take(middle).skip(from).all(open) {
            return;
        }
        let part = |a: usize, b: usize| {
            let mut v = Value::default();
            s.pieces.iter().take(b).skip(a).for_each(|p| v.push_piece(p.clone()));
            v
        };
        let (mut whole, one, other) = (part(0, from), part(from, middle), part(middle, s.pieces.len()));
        whole.push(Value::either(one, other));
        *s = whole;
    }

    /// Runs a pipeline.
    fn pipeline(&mut self, p: &Pipeline) -> Flow {
        if p.negated {
            return self.unchecked(|me| {
                let flow = me.stages(p);
                me.sh.status = me.sh.status.map(|s| i32::from(s == 0));
                flow
            });
        }
        let flow = self.stages(p);
        let checks = match p.stages.as_slice() {
            [one] => matches!(
                one.kind,
                CommandKind::Simple(_) | CommandKind::Subshell(_) | CommandKind::Arith(_) | CommandKind::Cond(_)
            ),
            many => !many.is_empty(),
        };
        if flow == Flow::Next && checks && self.unchecked == 0 { self.check_failure() } else { flow }
    }

    fn stages(&mut self, p: &Pipeline) -> Flow {
        match p.stages.as_slice() {
            [] => {
                self.sh.status = Some(0);
                Flow::Next
            }
            [one] => self.command(one),
            many => {
                let forking = std::mem::replace(&mut self.forking, true);
                let debug = self.sh.debug_trap.clone();
                let mut input: Option<End> = None;
                let mut failed = Some(0);
                let last = many.len().saturating_sub(1);
                for (i, stage) in many.iter().enumerate() {
                    let sink = (i < last).then(|| self.new_sink());
                    let both = p.pipe_stderr.get(i).copied().unwrap_or(false);
                    let stdin = input.take();
                    let run = |me: &mut Self| {
                        if let Some(end) = stdin.clone() {
                            me.sh.set_fd(0, end);
                        }
                        if let Some(s) = sink {
                            me.sh.set_fd(1, End::Sink(s));
                            if both {
                                me.sh.set_fd(2, End::Sink(s));
                            }
                        }
                        if matches!(stage.kind, CommandKind::Simple(_)) {
                            me.sh.debug_trap.clone_from(&debug);
                        }
                        me.command(stage);
                    };
                    if i == last && (self.sh.opts.lastpipe || matches!(self.language, Language::Zsh | Language::Ksh)) {
                        let fd0 = self.sh.fd(0).clone();
                        run(self);
                        self.sh.set_fd(0, fd0);
                    } else {
                        let status = self.subshell(run);
                        self.sh.status = status;
                    }
                    // Under `pipefail` the last one that fails counts.
                    failed = match self.sh.status {
                        Some(0) => failed,
                        other => other,
                    };
                    if let Some(s) = sink {
                        let mut v = self.take_sink(s);
                        v.step(Channel::Pipe);
                        input = Some(self.new_input(v));
                    }
                }
                if self.sh.opts.pipefail {
                    self.sh.status = failed;
                }
                self.forking = forking;
                Flow::Next
            }
        }
    }

    /// Runs a command with its redirections.
    pub(crate) fn command(&mut self, c: &Command) -> Flow {
        if self.level >= MAX_LEVEL {
            self.limit("nesting of programs", self.at(c.span));
            return Flow::Next;
        }
        self.level = self.level.saturating_add(1);
        // Trees are at most MAX_DEPTH deep, but programs in programs and functions add up. The first levels fit into what
        // every thread has; asking how much is left costs a short run more than the analysis itself.
        let (names, held) = (self.fd_names, self.pending.len());
        let flow = if self.level <= SHALLOW {
            self.command_inner(c)
        } else {
            stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.command_inner(c))
        };
        if self.pending.len() <= held {
            self.fd_names = names;
        }
        self.level = self.level.saturating_sub(1);
        flow
    }

    fn command_inner(&mut self, c: &Command) -> Flow {
        if !self.spend(1) {
            return Flow::Exit;
        }
        if let CommandKind::Simple(s) = &c.kind {
            let flow = self.simple(s, c);
            if std::mem::take(&mut self.fatal) {
                // The shell ends here, with an error. What follows is looked at all the same, as something that may run.
                self.sh.status = None;
                if !std::mem::replace(&mut self.ended, true) && self.sh.exit_trap.is_some() {
                    let (saved, loops) = (self.sh.clone(), std::mem::take(&mut self.loops));
                    self.conditional(Self::run_exit_trap);
                    (self.sh, self.loops) = (saved, loops);
                }
            }
            return flow;
        }
        if let CommandKind::Function(f) = &c.kind {
            let func = super::scope::Func {
                body: Rc::clone(&f.body),
                text: self.text,
                maybe: false,
                exported: false,
                others: Vec::new(),
            };
            self.sh.functions.insert(&f.name, func);
            // ksh calls `name.get` where the variable is read, `name.set` where it is set.
            let discipline = self.language == Language::Ksh && f.name.contains('.');
            if (f.event || discipline) && self.hooks.len() < crate::limits::MAX_FIELDS {
                self.hooks.push(f.name.clone());
            }
            self.sh.status = Some(0);
            return Flow::Next;
        }
        let pending = self.pending.len();
        let saved = self.redirect_all(&c.redirects, c.span, None);
        if matches!(c.kind, CommandKind::Case(_) | CommandKind::Cond(_) | CommandKind::Arith(_)) {
            self.run_debug_trap();
        }
        let flow = match &c.kind {
            CommandKind::Simple(_) | CommandKind::Function(_) => Flow::Next,
            CommandKind::Subshell(l) => {
                let status = self.subshell(|me| {
                    me.list(l);
                });
                self.sh.status = status;
                Flow::Next
            }
            CommandKind::Group(l) => self.list(l),
            CommandKind::If(i) => self.branches(&i.branches, i.otherwise.as_ref()),
            CommandKind::For(f) => self.for_loop(f, false),
            CommandKind::Select(f) => self.for_loop(f, true),
            CommandKind::ArithFor(f) => self.arith_for(f),
            CommandKind::Loop(l) => self.while_loop(l),
            CommandKind::Case(k) => self.case(k),
            CommandKind::Coproc(k) => {
                let saved = self.sh.clone();
                self.sh.set_fd(0, End::Unknown);
                let sink = self.new_sink();
                self.sh.set_fd(1, End::Sink(sink));
                let forking = std::mem::replace(&mut self.forking, true);
                self.command(&k.body);
                self.forking = forking;
                self.sh = saved;
                let out = self.take_sink(sink);
                let read = self.new_input(out);
                self.sh.set_fd(63, read);
                self.coproc_fds(&k.name, c.span);
                // What is written to it later is what it reads: it is run once more with that, when the shell ends.
                let fed = self.new_sink();
                self.sh.set_fd(60, End::Sink(fed));
                let body = Rc::new(Program::of(&k.body));
                self.pending.push((fed, body, self.at(k.body.span), String::new()));
                self.sh.status = Some(0);
                Flow::Next
            }
            CommandKind::Cond(k) => {
                let r = self.cond(k);
                self.sh.status = r.map(|t| i32::from(!t));
                self.only_in_bash();
                Flow::Next
            }
            CommandKind::Arith(t) => {
                self.arith_command(t);
                Flow::Next
            }
        };
        self.restore_fds(saved);
        self.run_pending(pending);
        flow
    }

    /// What is no command of POSIX's: a shell that has nothing beyond it does not find it.
    pub(crate) fn only_in_bash(&mut self) {
        if self.language == Language::Sh {
            self.sh.status = None;
        }
    }

    /// `(( … ))`
    fn arith_command(&mut self, t: &ArithText) {
        self.sh.status = match self.arith_inner(|me| me.arith(t)) {
            Ok(n) => n.map(|n| i32::from(n == 0)),
            Err(()) => Some(1),
        };
        self.only_in_bash();
    }

    /// Arithmetic of a command: an expression that the shell cannot evaluate is an error of the command alone.
    pub(crate) fn arith_inner<T>(&mut self, eval: impl FnOnce(&mut Self) -> Result<i64, T>) -> Result<Option<i64>, ()> {
        let fatal = std::mem::replace(&mut self.fatal, false);
        let r = eval(self);
        let failed = std::mem::replace(&mut self.fatal, fatal);
        if failed { Err(()) } else { Ok(r.ok()) }
    }

    /// A function call: the body with its own positional parameters.
    pub(crate) fn call_function(
        &mut self,
        name: &str,
        func: &super::scope::Func,
        argv: &[Value],
        at: crate::source::Place,
    ) -> Flow {
        let active = self.calls.iter().filter(|n| *n == name).count();
        if active > 0 && self.forking && self.certainty == Certainty::Certain {
            // A function that starts itself again in the background or a pipe, on every path: a fork bomb.
            let by = self.process(name, argv.to_vec(), at, true);
            self.effect(
                crate::effect::Verb::Exhaust,
                crate::effect::Object::Named("process", Value::computed(name.as_bytes(), at, Default::default())),
                by,
                at,
            );
            self.sh.status = None;
            return Flow::Next;
        }
        if active >= crate::limits::MAX_CALLS as usize || self.calls.len() >= 64 {
            self.limit("calls of a function by itself", at);
            self.sh.status = None;
            return Flow::Next;
        }
        self.calls.push(name.to_string());
        let forking = self.forking;
        self.forking = active > 0 && forking;
        let positional = self.sh.positional.replace(Rc::new(argv.get(1..).unwrap_or(&[]).to_vec()));
        self.sh.locals.push(Rc::default());
        let text = std::mem::replace(&mut self.text, func.text);
        let loops = std::mem::replace(&mut self.loops, 0);
        // Functions do not have the caller's traps, but those that they set stay.
        let err = if self.sh.opts.errtrace { None } else { self.sh.err_trap.take() };
        let debug = if self.sh.opts.functrace { None } else { self.sh.debug_trap.take() };
        let back = if self.sh.opts.functrace { None } else { self.sh.return_trap.take() };
        let flow = self.command(&func.body);
        if let (Some(trap), true) = (self.sh.return_trap.clone(), flow != Flow::Exit) {
            self.run_trap(trap);
        }
        self.sh.return_trap = self.sh.return_trap.take().or(back);
        self.sh.err_trap = self.sh.err_trap.take().or(err);
        self.sh.debug_trap = self.sh.debug_trap.take().or(debug);
        self.loops = loops;
        self.text = text;
        self.sh.pop_locals();
        self.sh.positional = positional;
        self.forking = forking;
        self.calls.pop();
        match flow {
            Flow::Exit => Flow::Exit,
            _ => Flow::Next,
        }
    }

    /// Text that a later event runs (trap, alias, prompt).
    pub(crate) fn deferred(
        &mut self,
        code: Value,
        language: Language,
        by: crate::effect::ProcessId,
        at: crate::source::Place,
    ) {
        let saved = self.sh.clone();
        self.conditional(|me| {
            me.evaluate(language, code, Reach::Deferred, by, at, super::nested::Env::Subshell(None));
        });
        self.sh = saved;
    }
}
