//! Programs that run on a copy of the shell's state: `(…)`, `$(…)`, `<(…)`.
//!
//! In: a program of the tree. Out: what it prints, or the name of the descriptor that it stands behind; what it changes stays in it.

use super::scope::{End, Shell};
use super::{FileEntry, Interp};
use crate::effect::graph::{ProgramNode, Reach};
use crate::effect::{Certainty, Language, ProcessId, ProgramId};
use crate::source::{Place, Span, TextId};
use crate::syntax::ast::Program;
use crate::value::{Channel, Taint, Value};
use std::rc::Rc;

impl Interp<'_> {
    /// Runs something in a subshell whose standard output is collected, and gives what it wrote.
    pub(crate) fn capture(&mut self, body: impl FnOnce(&mut Self)) -> Value {
        let sink = self.new_sink();
        let status = self.subshell(|me| {
            me.sh.set_fd(1, End::Sink(sink));
            // What is substituted does not end at the first failure, unless the shell is told so.
            me.sh.opts.errexit &= me.sh.opts.posix;
            body(me);
        });
        self.sh.status = status;
        self.take_sink(sink)
    }

    pub(crate) fn new_sink(&mut self) -> usize {
        self.sinks.push(Value::default());
        self.sinks.len().saturating_sub(1)
    }

    pub(crate) fn take_sink(&mut self, sink: usize) -> Value {
        self.sinks.get_mut(sink).map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn new_input(&mut self, v: Value) -> End {
        self.unread = self.unread.saturating_add(v.pieces.len());
        self.inputs.push(v);
        End::Input(self.inputs.len().saturating_sub(1))
    }

    /// Runs something on a copy of the shell's state, and gives its exit status.
    pub(crate) fn subshell(&mut self, body: impl FnOnce(&mut Self)) -> Option<i32> {
        let saved = self.sh.clone();
        // An error ends the subshell alone.
        let (certainty, ended) = (self.certainty, self.ended);
        let fatal = std::mem::replace(&mut self.fatal, false);
        if fatal {
            // An expansion before this one failed: the command is given up, with all that it would still expand.
            self.certainty = self.certainty.min(Certainty::Conditional);
        }
        self.sh.subshell = true;
        self.sh.exit_trap = None;
        if !self.sh.opts.errtrace {
            self.sh.err_trap = None;
        }
        if !self.sh.opts.functrace {
            self.sh.debug_trap = None;
        }
        let pending = self.pending.len();
        let prefixed = self.prefixed.clone();
        body(self);
        self.prefixed = prefixed;
        self.run_exit_trap();
        self.end_pending(pending);
        let status = if self.ended && !ended { None } else { self.sh.status };
        self.sh = saved;
        (self.certainty, self.ended, self.fatal) = (certainty, ended, fatal);
        status
    }

    /// The body of `$( … )`. `$(< file)` gives the file's content.
    pub(super) fn substitution_body(&mut self, prog: &Program, at: Place) {
        use crate::syntax::ast::{CommandKind, RedirectOp};
        if let [list] = prog.lists.as_slice()
            && let [item] = list.items.as_slice()
            && item.rest.is_empty()
            && let [cmd] = item.first.stages.as_slice()
            && let CommandKind::Simple(s) = &cmd.kind
            && s.words.is_empty()
            && s.assignments.is_empty()
            && let [r] = cmd.redirects.as_slice()
            && r.op == RedirectOp::Read
        {
            let path = self.single(&r.target);
            let by = self.process("", vec![], at, true);
            let (v, _) = self.read_file(&path, by, self.at(r.target.span));
            self.emit(1, v);
            self.sh.status = None;
            return;
        }
        self.nested_program(prog, at, Reach::Substitution);
    }

    /// `${ list; }` and `${| list; }` of ksh and bash 5.3, which run the list in this very shell. Older shells of that
    /// name refuse it, and what stands around it does not run. False where it is nothing of the kind.
    pub(super) fn function_substitution(
        &mut self,
        span: Span,
        quoted: bool,
        out: &mut Vec<super::expand::Run>,
    ) -> bool {
        let bytes = span.of(&self.source.bytes(self.text)).to_vec();
        let reply = bytes.get(2) == Some(&b'|');
        let open = matches!(bytes.get(2), Some(b' ' | b'\t' | b'\n' | b'|'));
        let start = if reply { 3 } else { 2 };
        let Some(code) = bytes.strip_suffix(b"}").and_then(|b| b.get(start..)).filter(|_| open) else { return false };
        if !matches!(self.language, Language::Bash | Language::Sh | Language::Ksh)
            || !self.spend(1 + code.len() as u64 / 16)
        {
            return false;
        }
        let at = self.at(span);
        let from = span.start.saturating_add(start as u32);
        let place = Place::new(self.text, Span { start: from, end: span.end.saturating_sub(1) });
        let segments = vec![crate::source::Segment { start: 0, from: place, exact: true }];
        let text = self.source.add(code, at, segments);
        let prog = crate::syntax::shell::read(code, Self::dialect(self.language));
        let sink = self.new_sink();
        let fd = self.sh.fd(1).clone();
        let before = self.sh.clone();
        self.sh.set_fd(1, End::Sink(sink));
        let outer = std::mem::replace(&mut self.text, text);
        let flow = self.conditional(|me| {
            me.nested_program(&prog, at, Reach::Substitution);
            super::Flow::Next
        });
        self.text = outer;
        self.sh.set_fd(1, fd);
        let mut v = self.take_sink(sink);
        if reply {
            v = self.variable("REPLY", at).unwrap_or_default();
        }
        self.after_branch(flow, before);
        super::expand::drop_nul(&mut v);
        super::expand::trim_newlines(&mut v);
        v.step(Channel::Substitution);
        if self.language != Language::Ksh {
            self.leave_on_error();
        }
        self.value_runs(v, quoted, out);
        true
    }

    /// A program of the same text inside a word: noted as a program of its own, run in the current state.
    pub(crate) fn nested_program(&mut self, prog: &Program, at: Place, reach: Reach) {
        let before = self.enter_program(self.language, self.text, at, reach, self.parent);
        if prog.lists.is_empty() {
            self.sh.status = Some(0);
        }
        self.doubt_unparsed(&prog.unparsed);
        self.statements(prog);
        self.program = before;
    }

    /// Notes a program; gives the one that was current.
    pub(crate) fn enter_program(
        &mut self,
        language: Language,
        text: TextId,
        place: Place,
        reach: Reach,
        by: Option<ProcessId>,
    ) -> ProgramId {
        let before = self.program;
        let seen = self
            .graph
            .programs
            .iter()
            .rev()
            .take(64)
            .position(|p| p.text == text && p.place == place && p.reach == reach && p.language == language)
            .map(|i| self.graph.programs.len().saturating_sub(1).saturating_sub(i));
        let id = match seen {
            Some(i) => i,
            None if self.graph.programs.len() >= 2_000 => before.0 as usize,
            None => {
                self.graph.programs.push(ProgramNode { language, text, place, reach, by, parent: Some(before) });
                self.graph.programs.len().saturating_sub(1)
            }
        };
        self.program = ProgramId(u32::try_from(id).unwrap_or(u32::MAX));
        before
    }

    /// `<( … )`: the name of a file that holds the output of the program.
    pub(crate) fn process_in(&mut self, prog: &Program, span: Span) -> Value {
        let at = self.at(span);
        let status = self.sh.status;
        let mut content = self.capture(|me| {
            me.sh.set_fd(0, End::Nothing);
            me.nested_program(prog, at, Reach::Substitution);
        });
        self.sh.status = status;
        content.step(Channel::ProcessSubstitution);
        let (name, value) = self.fd_name(at, content.taint());
        self.files.insert(name, FileEntry { content, substitution: true });
        value
    }

    /// `>( … )`: the name of a file whose content the program reads; it is run when the command has run.
    pub(crate) fn process_out(&mut self, prog: &Program, span: Span) -> Value {
        let at = self.at(span);
        let sink = self.new_sink();
        let (name, value) = self.fd_name(at, Taint::default());
        self.pending.push((sink, Rc::new(prog.clone()), at, name));
        value
    }

    pub(super) fn fd_name(&mut self, at: Place, taint: Taint) -> (String, Value) {
        let name = format!("/dev/fd/{}", self.fd_names);
        self.fd_names = self.fd_names.saturating_sub(1).max(10);
        let v = Value::computed(name.as_bytes(), at, taint);
        (name, v)
    }

    /// Runs the output process substitutions that were made since `from`, each with what was written to it. One that a
    /// descriptor of the shell stays connected to (`exec > >(…)`) waits until the shell ends.
    pub(crate) fn run_pending(&mut self, from: usize) {
        if self.pending.len() <= from {
            return;
        }
        let made = self.pending.split_off(from);
        let open = |sh: &Shell, sink: usize, name: &str| {
            sh.fds.iter().any(|(_, e)| match e {
                End::File { key, .. } => key == name,
                End::Sink(s) => *s == sink,
                _ => false,
            })
        };
        let (kept, done): (Vec<_>, Vec<_>) = made.into_iter().partition(|(sink, _, _, n)| open(&self.sh, *sink, n));
        self.pending.extend(kept);
        done.into_iter().rev().for_each(|p| self.run_reader(p));
    }

    /// Runs those that are left when the shell that made them ends.
    pub(crate) fn end_pending(&mut self, from: usize) {
        while self.pending.len() > from {
            let Some(p) = self.pending.pop() else { break };
            self.run_reader(p);
        }
    }

    pub(super) fn run_reader(&mut self, (sink, prog, at, name): (usize, Rc<Program>, Place, String)) {
        let mut content = self.take_sink(sink);
        if let Some(f) = self.files.remove(&name) {
            content.push(f.content);
        }
        content.step(Channel::ProcessSubstitution);
        let status = self.sh.status;
        // It may have been made in a text that has been left since.
        let text = std::mem::replace(&mut self.text, at.text);
        self.subshell(|me| {
            let end = me.new_input(content);
            me.sh.set_fd(0, end);
            me.nested_program(&prog, at, Reach::Substitution);
        });
        self.text = text;
        self.sh.status = status;
    }
}
