//! Walks lists, pipelines and compound commands in the order in which the shell runs them.
//!
//! In: the tree. Out: the interpreter's state and the graph. Where a condition is known, the branch that is taken is
//! walked; where it is not, every branch, each from the same state, and the states are joined.

use super::scope::{End, Shell};
use super::{Flow, Interp};
use crate::effect::graph::{DoubtKind, Reach};
use crate::effect::{Certainty, Language};
use crate::source::Span;
use crate::syntax::ast::{
    AndOr, AndOrOp, ArithText, CaseEnd, Command, CommandKind, List, Pipeline, Program, SyntaxError, Unparsed,
};
use crate::syntax::shell::{compare, witness};
use crate::value::{Channel, Value};
use std::rc::Rc;

/// Constructs and nested programs that may be open at once, over all texts. The stack grows as it is needed.
const MAX_LEVEL: u32 = 2_000;
/// Constructs that may be open before the stack is looked at: a level takes up to 10 KiB, in a debug build 40.
const SHALLOW: u32 = 8;

impl Interp<'_> {
    /// The code of `trap … EXIT`: what the shell runs before it leaves.
    pub(crate) fn run_exit_trap(&mut self) {
        if let Some((code, by, at, certainty)) = self.sh.exit_trap.take() {
            let saved = self.certainty;
            self.certainty = saved.min(certainty);
            self.evaluate(self.language, code, Reach::Deferred, by, at, super::nested::Env::Current(None));
            self.certainty = saved;
        }
    }

    /// Reads a shell text: the reader's tree, and after it what only the witness sees, marked as possible.
    pub(crate) fn read_shell(&mut self, language: Language, bytes: &[u8]) -> Program {
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
            if self.ended {
                self.certainty = self.certainty.min(Certainty::Conditional);
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
        let mut flow = self.pipeline(&item.first);
        // The state where a part of an && chain failed: what follows in the chain does not run in it. In
        // `git clone u && cd r && ./x` the last runs where cd went.
        let mut failed: Option<Shell> = None;
        for (op, next) in &item.rest {
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
                Some(true) => flow = self.pipeline(next),
                Some(false) => {}
                None if *op == AndOrOp::And => {
                    let before = self.sh.clone();
                    let without = match failed.take() {
                        Some(f) => f.join(before),
                        None => before,
                    };
                    if self.conditional(|me| me.pipeline(next)) == Flow::Next {
                        failed = Some(without);
                    } else {
                        self.sh = without;
                    }
                    self.sh.status = None;
                    flow = Flow::Next;
                }
                None => {
                    let before = self.sh.clone();
                    flow = self.conditional(|me| me.pipeline(next));
                    flow = self.after_branch(flow, before);
                }
            }
        }
        self.rejoin(&mut failed);
        flow
    }

    /// Goes on in both states: where the parts before ran, and where one of them failed.
    fn rejoin(&mut self, failed: &mut Option<Shell>) {
        if let Some(without) = failed.take() {
            let with = std::mem::take(&mut self.sh);
            self.sh = with.join(without);
            self.sh.status = None;
        }
    }

    /// Runs something that may or may not run.
    pub(crate) fn conditional<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let saved = self.certainty;
        self.forks = self.forks.saturating_add(1);
        self.certainty = self.certainty.min(Certainty::Conditional);
        let r = body(self);
        self.certainty = saved;
        r
    }

    /// Joins the state after a branch with the state where it was not taken; a branch that leaves counts no more.
    pub(crate) fn after_branch(&mut self, flow: Flow, without: Shell) -> Flow {
        if flow == Flow::Next {
            let with = std::mem::take(&mut self.sh);
            self.sh = with.join(without);
        } else {
            self.sh = without;
        }
        self.sh.status = None;
        Flow::Next
    }

    /// Runs a pipeline.
    fn pipeline(&mut self, p: &Pipeline) -> Flow {
        let flow = match p.stages.as_slice() {
            [] => {
                self.sh.status = Some(0);
                Flow::Next
            }
            [one] => self.command(one),
            many => {
                let forking = std::mem::replace(&mut self.forking, true);
                let mut input: Option<End> = None;
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
                        me.command(stage);
                    };
                    if i == last && (self.sh.opts.lastpipe || self.language == Language::Zsh) {
                        let fd0 = self.sh.fd(0).clone();
                        run(self);
                        self.sh.set_fd(0, fd0);
                    } else {
                        let status = self.subshell(run);
                        self.sh.status = status;
                    }
                    if let Some(s) = sink {
                        let mut v = self.take_sink(s);
                        v.step(Channel::Pipe);
                        input = Some(self.new_input(v));
                    }
                }
                self.forking = forking;
                Flow::Next
            }
        };
        if p.negated {
            self.sh.status = self.sh.status.map(|s| i32::from(s == 0));
        }
        flow
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
                self.certainty = self.certainty.min(Certainty::Conditional);
                self.ended = true;
                self.sh.status = None;
            }
            return flow;
        }
        if let CommandKind::Function(f) = &c.kind {
            let func = super::scope::Func { body: Rc::clone(&f.body), text: self.text, maybe: false, exported: false };
            self.sh.functions.insert(&f.name, func);
            self.sh.status = Some(0);
            return Flow::Next;
        }
        let pending = self.pending.len();
        let saved = self.redirect_all(&c.redirects, c.span, None);
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

    /// `(( … ))`
    fn arith_command(&mut self, t: &ArithText) {
        self.sh.status = match self.arith_inner(|me| me.arith(t)) {
            Ok(n) => n.map(|n| i32::from(n == 0)),
            Err(()) => Some(1),
        };
    }

    /// Arithmetic of a command: an expression that the shell cannot evaluate is an error of the command alone.
    pub(crate) fn arith_inner<T>(&mut self, eval: impl FnOnce(&mut Self) -> Result<i64, T>) -> Result<Option<i64>, ()> {
        let fatal = std::mem::replace(&mut self.fatal, false);
        let r = eval(self);
        let failed = std::mem::replace(&mut self.fatal, fatal);
        if failed { Err(()) } else { Ok(r.ok()) }
    }

    /// `if`: conditions in order until one is known to hold.
    fn branches(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> Flow {
        let mut ends: Vec<(Flow, Shell)> = Vec::new();
        let saved = self.certainty;
        let mut settled = false;
        for (condition, body) in branches {
            let flow = self.list(condition);
            if flow != Flow::Next {
                self.certainty = saved;
                return self.meet(ends, Some(flow));
            }
            match self.sh.status {
                Some(0) => {
                    let flow = self.list(body);
                    ends.push((flow, self.sh.clone()));
                    settled = true;
                    break;
                }
                Some(_) => {}
                None => {
                    let before = self.sh.clone();
                    let flow = self.conditional(|me| me.list(body));
                    ends.push((flow, std::mem::replace(&mut self.sh, before)));
                    // From here on, everything depends on this condition.
                    self.certainty = self.certainty.min(Certainty::Conditional);
                }
            }
        }
        if !settled {
            let flow = match otherwise {
                Some(l) => self.list(l),
                None => {
                    if ends.is_empty() {
                        self.sh.status = Some(0);
                    }
                    Flow::Next
                }
            };
            ends.push((flow, self.sh.clone()));
        }
        self.certainty = saved;
        self.meet(ends, None)
    }

    /// One state of the ends of several branches. Where all leave, so does the whole.
    pub(crate) fn meet(&mut self, ends: Vec<(Flow, Shell)>, last: Option<Flow>) -> Flow {
        let mut state: Option<Shell> = None;
        let mut left: Option<(Flow, Shell)> = None;
        for (flow, sh) in ends {
            if flow == Flow::Next {
                state = Some(match state {
                    None => sh,
                    Some(s) => s.join(sh),
                });
            } else {
                left.get_or_insert((flow, sh));
            }
        }
        match (state, left) {
            (Some(s), _) => {
                self.sh = s;
                Flow::Next
            }
            (None, Some((f, s))) => {
                if last.is_none() {
                    self.sh = s;
                }
                last.unwrap_or(f)
            }
            (None, None) => last.unwrap_or(Flow::Next),
        }
    }

    /// `case`: the first arm that matches; where that is not known, every arm that may.
    fn case(&mut self, k: &crate::syntax::ast::Case) -> Flow {
        let word = self.single(&k.word);
        let mut ends: Vec<(Flow, Shell)> = Vec::new();
        let saved = self.certainty;
        let mut falling = false;
        let mut settled = false;
        for arm in &k.arms {
            let mut hit = Some(false);
            if falling {
                hit = Some(true);
            } else {
                for p in &arm.patterns {
                    let pat = self.pattern(p);
                    match self.matches(&word, &pat) {
                        Some(true) => {
                            hit = Some(true);
                            break;
                        }
                        None => hit = None,
                        Some(false) => {}
                    }
                }
            }
            if hit == Some(false) {
                continue;
            }
            if arm.body.items.is_empty() {
                self.sh.status = Some(0);
            }
            if hit == Some(true) {
                let flow = self.list(&arm.body);
                falling = arm.end == CaseEnd::FallThrough && flow == Flow::Next;
                if falling || (arm.end == CaseEnd::Continue && flow == Flow::Next) {
                    continue;
                }
                ends.push((flow, self.sh.clone()));
                settled = true;
                break;
            }
            let before = self.sh.clone();
            let flow = self.conditional(|me| me.list(&arm.body));
            ends.push((flow, std::mem::replace(&mut self.sh, before)));
            self.certainty = self.certainty.min(Certainty::Conditional);
        }
        self.certainty = saved;
        if !settled {
            if !falling {
                // No arm.
                self.sh.status = Some(0);
            }
            ends.push((Flow::Next, self.sh.clone()));
        }
        self.meet(ends, None)
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
        let flow = self.command(&func.body);
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
