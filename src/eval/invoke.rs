//! Simple commands: words → invocation → effects.
//!
//! In: a simple command of the tree, or the words of a command that another one runs. Out: a process, the effects that
//! its grammar says it has, what it writes to its descriptors, and whatever it runs in turn. No program is named here.

mod alias;
mod external;
mod wrapped;

use super::scope::End;
use super::{Flow, Interp};
use crate::command::{self, Invocation, Role, Stdin};
use crate::effect::graph::Process;
use crate::effect::{EffectId, Language, Object, ProcessId, Verb};
use crate::limits;
use crate::source::Place;
use crate::syntax::ast::{AssignValue, Command, Simple};
use crate::value::{Piece, Value, Why};
pub(crate) use wrapped::replace_mark;
pub(crate) use wrapped::splitting;

/// What one invocation reads, fetches and makes, while its effects are found.
#[derive(Default)]
pub(crate) struct Work {
    /// Content of what it reads, in order.
    pub(crate) content: Value,
    /// The same, one by one.
    pub(crate) files: Vec<Value>,
    /// True where anything was read.
    pub(crate) read: bool,
    /// Effects that bring content from elsewhere.
    pub(crate) fetched: Vec<EffectId>,
    /// Standard input, where the invocation reads it.
    pub(crate) stdin: Option<Value>,
    /// Host and port of a connection, to be joined.
    pub(crate) host: Option<(Value, Place)>,
    pub(crate) port: Option<(Value, Place)>,
    /// Where it sends to.
    pub(crate) target: Option<Object>,
}

impl Interp<'_> {
    /// A new process.
    pub(crate) fn process(&mut self, name: &str, argv: Vec<Value>, place: Place, known: bool) -> ProcessId {
        let id = ProcessId(u32::try_from(self.graph.processes.len()).unwrap_or(u32::MAX));
        if self.graph.processes.len() >= limits::MAX_EFFECTS {
            self.limit("commands of one text", place);
            self.work = 0;
            return ProcessId(id.0.saturating_sub(1));
        }
        let captured = !matches!(self.sh.fd(1), End::Outer(_));
        self.graph.processes.push(Process {
            id,
            name: name.to_string(),
            argv,
            place,
            program: self.program,
            parent: self.parent,
            certainty: self.sure(),
            site: self.site.clone(),
            props: self.inherited,
            known,
            stdin: None,
            patterns: Vec::new(),
            captured,
        });
        self.last_process = Some(id);
        id
    }

    /// A simple command.
    pub(crate) fn simple(&mut self, s: &Simple, c: &Command) -> Flow {
        let at = self.at(c.span);
        self.run_debug_trap();
        if let Some(flow) = self.alias_text(s, c) {
            return flow;
        }
        let pending = self.pending.len();
        let substitutions = self.substitutions;
        // Declarations take assignments as arguments: those are not split.
        let declaration = s.words.first().and_then(|w| w.literal()).and_then(|name| self.declaration(&name));
        let argv = match (&declaration, s.words.as_slice()) {
            (Some(_), [first, rest @ ..]) => {
                let mut v = Vec::new();
                self.field_word(first, &mut v);
                for w in rest {
                    match w.assignment.as_deref() {
                        // The assignment itself runs in `declare`; here it is only shown.
                        Some(_) => v.push(Value::literal(w.span.of(&self.source.bytes(self.text)), self.at(w.span))),
                        None => v.push(Value::literal(w.span.of(&self.source.bytes(self.text)), self.at(w.span))),
                    }
                }
                v
            }
            _ => {
                let mut v = self.fields(&s.words);
                self.drop_leading_parameters(&mut v);
                v
            }
        };
        self.only_parameters = false;
        let flow = if argv.is_empty() {
            if !c.redirects.is_empty() {
                let saved = self.redirect_all(&c.redirects, c.span, None);
                self.restore_fds(saved);
                // zsh shows what is redirected into no command, with the pager that READNULLCMD names (zshmisc(1)).
                let read = |r: &crate::syntax::ast::Redirect| r.op == crate::syntax::ast::RedirectOp::Read;
                if self.language == Language::Zsh
                    && s.assignments.is_empty()
                    && c.redirects.iter().all(read)
                    && let Some(by) = self.last_process
                {
                    self.effect(Verb::Spawn, Object::Stated("pager"), by, at);
                }
            }
            for a in &s.assignments {
                if self.sh.var(&self.sh.target(&a.name)).is_some_and(|v| v.attrs.readonly) {
                    // An error that ends the shell.
                    self.leave_on_error();
                    break;
                }
                let v = self.assign(a);
                let at = self.at(a.span);
                if let (Some(twin), AssignValue::Array(_), true) =
                    (zsh_twin(&a.name), &a.value, self.language == Language::Zsh)
                {
                    // zsh keeps the two in step.
                    let all = self.variable(&a.name, at).unwrap_or_default();
                    let list = super::param::map_known(all, at, |b| {
                        Some(b.iter().map(|c| if *c == b' ' { b':' } else { *c }).collect())
                    });
                    self.sh.set(twin, super::scope::Content::Scalar(list.clone()));
                    self.note_variable(twin, Some(list), at, None);
                }
                self.note_variable(&a.name, v, at, None);
            }
            // The status of a command without a name is that of the last command substitution in it.
            if substitutions == self.substitutions && !self.fatal {
                self.sh.status = Some(0);
            }
            self.sh.last_arg = Some(Value::default());
            Flow::Next
        } else if let Some(kind) = declaration {
            let by = self.process(&argv.first().map(Value::show).unwrap_or_default(), argv, at, true);
            let saved = self.redirect_all(&c.redirects, c.span, Some(by));
            let rest = s.words.get(1..).unwrap_or(&[]);
            // What is still to be read (`IFS=, declare -a 'a=($x)'`) sees the assignments before it, what was expanded
            // does not.
            let seen = !s.assignments.is_empty() && rest.iter().all(|w| w.assignment.is_none());
            let mut old = Vec::new();
            for a in s.assignments.iter().filter(|_| seen) {
                let target = self.sh.target(&a.name).into_owned();
                old.push((target.clone(), self.sh.vars.shared(&target)));
                let _ = self.assign(a);
            }
            let last = self.declare(kind, rest);
            if matches!(kind, "declare" | "typeset") {
                self.only_in_bash();
            }
            for (name, var) in old.into_iter().rev() {
                self.sh.put_back(&name, var);
            }
            self.sh.last_arg = match rest.last() {
                None => s.words.first().map(|w| self.single(w)),
                Some(w) => Some(match w.assignment.as_deref() {
                    Some(a) if last.is_none() => self.declared_text(a),
                    _ => last.unwrap_or_default(),
                }),
            };
            // Assignments before it hold for nothing that is expanded here; what is substituted in them runs.
            let (vars, status) = (self.sh.vars.clone(), self.sh.status);
            for a in s.assignments.iter().filter(|_| !seen) {
                let _ = self.assign(a);
            }
            (self.sh.vars, self.sh.status) = (vars, status);
            for w in rest {
                if let Some(a) = w.assignment.as_deref() {
                    let v = self.variable(&a.name, at);
                    if kind == "export" || self.sh.var(&a.name).is_some_and(|v| v.attrs.exported) {
                        self.note_variable(&a.name, v, self.at(a.span), Some(by));
                    }
                }
            }
            self.restore_fds(saved);
            Flow::Next
        } else {
            // Prefix assignments hold for this command only, and not for its redirections.
            let plain = (!s.assignments.is_empty()).then(|| self.sh.vars.clone());
            let outer = std::mem::replace(&mut self.unprefixed, plain);
            let base = self.prefixed.len();
            let mut env = Vec::new();
            for a in &s.assignments {
                let target = self.sh.target(&a.name).into_owned();
                // What the value itself assigns (`x=${x:=a} cmd`) stays.
                let early = match (&a.value, &a.subscript) {
                    (AssignValue::Word(w), None) if !target.contains('[') => Some(self.single(w)),
                    _ => None,
                };
                let var = self.sh.vars.shared(&target);
                self.prefixed.push((target.clone(), var, false));
                let v = match early {
                    Some(v) => {
                        self.assign_scalar(&target, v.clone(), a.append, self.at(a.span));
                        Some(v)
                    }
                    None => self.assign(a),
                };
                env.push((a.name.clone(), v.unwrap_or_default(), self.at(a.span)));
            }
            for (n, _, _) in &env {
                self.sh.attrs(n, |a| {
                    a.exported = true;
                    a.temporary = true;
                });
            }
            let only_parameters = argv.iter().all(super::outer::is_parameters);
            let flow = self.alias_or_run(argv, at, &c.redirects, &env, c);
            self.unprefixed = outer;
            // `a=b $*` without parameters is an assignment and nothing else.
            while self.prefixed.len() > base {
                let Some((name, var, back)) = self.prefixed.pop() else { break };
                if !only_parameters && !back {
                    self.sh.put_back(&name, var);
                }
            }
            self.only_parameters = only_parameters;
            flow
        };
        self.run_pending(pending);
        flow
    }

    /// The builtin semantics of a declaration command, by its name as a literal.
    fn declaration(&self, name: &[u8]) -> Option<&'static str> {
        let name = std::str::from_utf8(name).ok()?;
        if self.sh.functions.contains_key(name) {
            return None;
        }
        match super::builtin::named(name)? {
            b @ ("declare" | "typeset" | "local" | "export" | "readonly") => Some(b),
            _ => None,
        }
    }

    /// Reads the operands of a program that takes them from standard input where none are given. True where there were some.
    fn piped_operands(&mut self, inv: &mut Invocation, argv: &mut Vec<Value>) -> bool {
        if inv.stdin != Stdin::Items || !inv.operands.is_empty() || !matches!(self.sh.fd(0), End::Input(_)) {
            return false;
        }
        let items = self.read_all(0).map(|v| self.split_string(&v)).unwrap_or_default();
        argv.extend(items);
        *inv = self.read_argv(argv);
        true
    }

    /// Runs a command given as words: of a simple command, or of a command that another one runs.
    pub(crate) fn run_words(
        &mut self,
        mut argv: Vec<Value>,
        at: Place,
        redirects: Option<&[crate::syntax::ast::Redirect]>,
        env: &[(String, Value, Place)],
        functions: bool,
    ) -> Flow {
        if !self.spend(1 + argv.len() as u64 / 8) {
            return Flow::Exit;
        }
        let Some(word) = argv.first() else { return Flow::Next };
        if let Some(known) = self.known_programs(word).or_else(|| self.own_shell(word))
            && let Some(w) = argv.first_mut()
        {
            *w = known;
        }
        let Some(word) = argv.first() else { return Flow::Next };
        let own_functions = functions && !std::mem::take(&mut self.skip_functions);
        let readings = if let [Piece::Literal(_)] = word.pieces.as_slice() { Vec::new() } else { word.readings() };
        if readings.len() > 1 || readings.first().is_some_and(|r| r != word) {
            // A command word with several readings: each of them.
            let start = self.sh.clone();
            let mut ends = Vec::new();
            for r in readings.into_iter().take(limits::MAX_READINGS) {
                self.sh = start.clone();
                let mut words = argv.clone();
                if r.pieces.is_empty() && super::expand::may_vanish(word) {
                    words.remove(0);
                } else if let Some(w) = words.first_mut() {
                    *w = r;
                }
                let flow = self.conditional(|me| me.run_words(words, at, redirects, env, functions));
                ends.push((flow, self.sh.clone()));
            }
            let flow = self.meet(ends, None);
            self.sh.status = None;
            return flow;
        }
        let name = word.as_str().map(|s| s.into_owned());
        self.sh.last_arg = argv.last().cloned();
        if own_functions
            && let Some(n) = &name
            && let Some(f) = self.sh.functions.get(n).cloned()
        {
            let saved = self.redirect_unprefixed(redirects, at, None);
            if !f.others.is_empty() {
                // It depends on the path which of them it is.
                let start = self.sh.clone();
                let mut ends = Vec::new();
                for one in f.each() {
                    self.sh = start.clone();
                    let flow = self.conditional(|me| me.call_function(n, &one, &argv, at));
                    ends.push((flow, self.sh.clone()));
                }
                if f.maybe {
                    ends.push((Flow::Next, start));
                }
                let flow = self.meet(ends, None);
                self.sh.status = None;
                self.restore_fds(saved);
                if f.maybe {
                    return self.conditional(|me| me.run_words(argv, at, redirects, env, false));
                }
                return flow;
            }
            if !f.maybe {
                let flow = self.call_function(n, &f, &argv, at);
                self.sh.last_arg = argv.last().cloned();
                self.restore_fds(saved);
                return flow;
            }
            let before = self.sh.clone();
            let flow = self.conditional(|me| me.call_function(n, &f, &argv, at));
            self.after_branch(flow, before);
            self.restore_fds(saved);
            return self.conditional(|me| me.run_words(argv, at, redirects, env, false));
        }
        if functions
            && let Some(n) = &name
            && let Some(path) = self.sh.hashed.get(n).cloned()
            && super::builtin::named(n).is_none()
            && let Some(w) = argv.first_mut()
        {
            *w = self.known_programs(&path).unwrap_or(path);
        }
        let Some(word) = argv.first() else { return Flow::Next };
        if let Some(rest) = self.without_unset(word, &argv) {
            let before = self.sh.clone();
            let flow = self.conditional(|me| me.run_words(rest, at, redirects, env, functions));
            self.after_branch(flow, before);
        }
        let mut inv = self.read_argv(&argv);
        // `gci ~ | Remove-Item`: what comes in is what it is done to.
        self.piped_operands(&mut inv, &mut argv);
        self.words_of_environment(&mut argv, &mut inv, env);
        let Some(word) = argv.first() else { return Flow::Next };
        let shown = if inv.name.is_empty() { word.show() } else { inv.name.clone() };
        let by = self.process(&shown, argv.clone(), at, inv.grammar.is_some());
        // The redirections of a program are expanded in its own process: what they assign is gone with it.
        let own = argv.first().and_then(|w| super::builtin::named(&w.as_str()?)).is_none() && inv.builtin.is_none();
        let vars = own.then(|| self.sh.vars.clone());
        let saved = self.redirect_unprefixed(redirects, at, Some(by));
        if let Some(v) = vars {
            self.sh.vars = v;
        }
        // Its own redirections may be what it reads them from.
        if self.piped_operands(&mut inv, &mut argv)
            && let Some(p) = self.graph.processes.get_mut(by.0 as usize)
        {
            p.argv.clone_from(&argv);
        }
        if let Some((without, fewer)) = self.without_parameters(&argv, &inv) {
            (inv, argv) = (without, fewer);
        }
        for (n, v, p) in env {
            self.environment(n, v.clone(), *p, by, &inv);
        }
        self.exported_roles(&inv, at, by);
        self.last_process = Some(by);
        let mut flow = self.run_invocation(&inv, &argv, at, by, functions);
        if flow == Flow::Exit && self.may_fail(redirects) {
            // Then it does not run, and the shell goes on.
            self.ended = true;
            self.sh.status = None;
            flow = Flow::Next;
        }
        // `exec >file` keeps its redirections.
        let keeps = inv.builtin == Some("exec") && inv.operands.is_empty() && functions;
        if !keeps {
            self.restore_fds(saved);
        }
        flow
    }

    /// True where one of the redirections may fail: it opens a file.
    fn may_fail(&self, redirects: Option<&[crate::syntax::ast::Redirect]>) -> bool {
        use crate::syntax::ast::RedirectOp;
        redirects.unwrap_or(&[]).iter().any(|r| {
            let null =
                r.target.literal().is_some_and(|t| matches!(&*t, b"/dev/null" | b"/dev/stderr" | b"/dev/stdout"));
            !null
                && !matches!(
                    r.op,
                    RedirectOp::DupIn | RedirectOp::DupOut | RedirectOp::Heredoc | RedirectOp::HereString
                )
        })
    }

    /// What an argv means, in the language of the current text.
    pub(crate) fn read_argv(&self, argv: &[Value]) -> Invocation {
        let shell = matches!(self.language, Language::PowerShell | Language::Cmd).then_some(self.language);
        crate::command::argv::read_in(shell, argv)
    }

    /// Redirections are expanded before assignments in front of the command take effect.
    fn redirect_unprefixed(
        &mut self,
        redirects: Option<&[crate::syntax::ast::Redirect]>,
        at: Place,
        by: Option<ProcessId>,
    ) -> super::streams::Saved {
        let Some(redirects) = redirects else { return Vec::new() };
        match self.unprefixed.take() {
            Some(plain) if !redirects.is_empty() => {
                let vars = std::mem::replace(&mut self.sh.vars, plain.clone());
                let saved = self.redirect_all(redirects, at.span, by);
                let after = std::mem::replace(&mut self.sh.vars, vars);
                // What was assigned while they were expanded stays.
                for (name, _, new) in plain.differences(&after) {
                    self.sh.put_back(&name, new);
                }
                saved
            }
            _ => self.redirect_all(redirects, at.span, by),
        }
    }

    fn run_invocation(&mut self, inv: &Invocation, argv: &[Value], at: Place, by: ProcessId, functions: bool) -> Flow {
        let props = inv.props.with(self.inherited);
        if let Some(p) = self.graph.processes.get_mut(by.0 as usize) {
            // What variables in front of it said stays.
            p.props = p.props.with(props);
        }
        for d in &inv.doubts {
            self.doubt(d.kind, d.detail.clone(), d.place);
        }
        if functions
            && self.language == Language::Fish
            && let Some(flow) = self.fish_builtin(inv, argv, at, by)
        {
            return flow;
        }
        if functions && self.language == Language::Zsh {
            self.zsh_options(argv);
        }
        if let Some(path) = self.own_program(argv) {
            return self.execute_file(&path, argv, at, by);
        }
        if inv.grammar.is_none() {
            return self.unknown_program(inv, argv, at, by);
        }
        // A file of that name is no builtin.
        let is_file = inv.uses.iter().any(|u| u.role == Role::PathExec && u.option.is_none());
        if functions
            && !is_file
            && let Some(b) = argv.first().and_then(|w| super::builtin::named(&w.as_str()?)).or(inv.builtin)
            && let Some(flow) = self.builtin(b, inv, argv, at, by)
        {
            return flow;
        }
        self.sh.status = None;
        if let (End::File { .. }, true) = (self.sh.fd(2), self.sh.fd(2) != self.sh.fd(1)) {
            // What it says of its errors, if anything.
            self.emit(2, Value::unknown(Why::Output(inv.name.clone()), at));
        }
        if inv.info {
            self.emit(1, Value::unknown(Why::Output(inv.name.clone()), at));
            return Flow::Next;
        }
        self.external(inv, argv.get(1..).unwrap_or(&[]), at, by, functions)
    }

    pub(crate) fn note_stdin(&mut self, by: ProcessId, stdin: &Option<Value>) {
        if let Some(p) = self.graph.processes.get_mut(by.0 as usize) {
            p.stdin = stdin.clone();
        }
    }
}

/// The variable of the environment that an array of zsh's stands for (zshparam(1)).
fn zsh_twin(name: &str) -> Option<&'static str> {
    match name {
        "path" => Some("PATH"),
        "cdpath" => Some("CDPATH"),
        "fpath" => Some("FPATH"),
        _ => None,
    }
}

/// The language of the program's own scripts.
fn language_of(inv: &Invocation) -> Option<Language> {
    inv.grammar.and_then(command::language)
}

/// The language that the first line of a file names; a text without one is run by the shell.
pub(crate) fn interpreter(content: &Value) -> Language {
    let prefix = content.prefix();
    let line = prefix.split(|b| *b == b'\n').next().unwrap_or(&[]);
    let Some(line) = line.strip_prefix(b"#!") else { return Language::Sh };
    let line = String::from_utf8_lossy(line);
    // `#!/usr/bin/env python3` names its interpreter in the second word.
    line.split_whitespace()
        .filter(|w| !w.starts_with('-') && !w.contains('='))
        .filter_map(|w| command::language(w.rsplit('/').next().unwrap_or(w)))
        .next_back()
        .unwrap_or(Language::Other)
}

pub(super) fn is_heredoc(v: &Value) -> bool {
    v.pieces.iter().any(|p| match p {
        Piece::Literal(l) => l.taint.is_empty() && l.exact && !l.from.span.is_empty(),
        _ => false,
    })
}
