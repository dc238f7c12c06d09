//! Simple commands: words → invocation → effects.
//!
//! In: a simple command of the tree, or the words of a command that another one runs. Out: a process, the effects that
//! its grammar says it has, what it writes to its descriptors, and whatever it runs in turn. No program is named here.

use super::nested::Env;
use super::scope::{Content, End};
use super::{Flow, Interp};
use crate::command::{self, Invocation, Role, Stdin, Stdout, Use};
use crate::effect::graph::{DoubtKind, Process, Reach};
use crate::effect::{Certainty, EffectId, Language, Object, ProcessId, Props, Site, Verb};
use crate::limits;
use crate::source::Place;
use crate::syntax::ast::{Command, CommandKind, Simple};
use crate::value::{Channel, Glob, Piece, Taint, Value, Why};

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
                self.note_variable(&a.name, v, self.at(a.span), None);
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
            self.declare(kind, rest);
            for (name, var) in old.into_iter().rev() {
                self.sh.put_back(&name, var);
            }
            self.sh.last_arg = match rest.last() {
                None => s.words.first().map(|w| self.single(w)),
                Some(w) => Some(match w.assignment.as_deref() {
                    Some(a) => self.declared_text(a),
                    None => self.single(w),
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
            let mut old = Vec::new();
            let mut env = Vec::new();
            for a in &s.assignments {
                let target = self.sh.target(&a.name).into_owned();
                let var = self.sh.vars.shared(&target);
                old.push((target, var));
                let v = self.assign(a);
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
            if !only_parameters {
                for (name, var) in old.into_iter().rev() {
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

    /// A command whose word is an alias for certain: the text that the alias stands for takes the place of the word
    /// before anything is read, so it may even open a loop that the words after it close.
    fn alias_text(&mut self, s: &Simple, c: &Command) -> Option<Flow> {
        if self.sh.aliases.is_empty() || !s.assignments.is_empty() || !self.expands_aliases() {
            return None;
        }
        let name = |w: &crate::syntax::ast::Word| {
            if w.is_quoted() { None } else { w.literal().and_then(|b| String::from_utf8(b).ok()) }
        };
        let first = s.words.first()?;
        let word = name(first)?;
        let active = format!("alias {word}");
        let moved = |r: &crate::syntax::ast::Redirect| r.heredoc.is_some() || r.span.start < first.span.start;
        let mut text = self.sh.aliases.get(&word)?.clone();
        if self.calls.contains(&active) || self.calls.len() >= 32 || c.redirects.iter().any(moved) {
            return None;
        }
        let mut end = first.span.end;
        // After an alias that ends in a blank the next word is looked up, too.
        for w in s.words.iter().skip(1).take(32) {
            let blank = text.as_literal().is_some_and(|b| matches!(b.last(), Some(b' ' | b'\t')));
            let Some(more) = name(w).filter(|_| blank).and_then(|n| self.sh.aliases.get(&n)) else { break };
            text.push(more.clone());
            end = w.span.end;
        }
        let rest = crate::source::Span { start: end, end: c.span.end.max(end) };
        let at = self.at(c.span);
        let bytes = self.source.bytes(self.text);
        let tail = rest.of(&bytes);
        if tail.contains(&super::expand::MARK_OPEN) {
            let tail = tail.to_vec();
            self.unmark(&tail, self.at(rest), false, &mut text);
        } else {
            text.push(Value::literal(tail, self.at(rest)));
        }
        self.calls.push(active);
        let by = self.process(&word, Vec::new(), at, true);
        let (_, flow) = self.evaluate(self.language, text, Reach::Deferred, by, at, Env::Current(None));
        self.calls.pop();
        Some(flow)
    }

    fn expands_aliases(&self) -> bool {
        self.interactive || self.sh.opts.expand_aliases || self.language == Language::Sh
    }

    fn alias_or_run(
        &mut self,
        argv: Vec<Value>,
        at: Place,
        redirects: &[crate::syntax::ast::Redirect],
        env: &[(String, Value, Place)],
        c: &Command,
    ) -> Flow {
        let plain = matches!(&c.kind, CommandKind::Simple(s) if s.words.first().is_some_and(|w| w.literal().is_some() && !w.is_quoted()));
        if !self.sh.aliases.is_empty()
            && plain
            && let Some(name) = argv.first().and_then(|v| v.as_str().map(|s| s.into_owned()))
            && let Some(body) = self.sh.aliases.get(&name).cloned()
            && self.calls.len() < 32
            && !self.calls.contains(&format!("alias {name}"))
        {
            // What the alias stands for, with the words that follow it, in place of the command. A script does not
            // expand aliases unless it is told to, so there it is only possible.
            let mut text = body;
            // After an alias that ends in a blank the next word is looked up, too.
            let mut rest = argv.get(1..).unwrap_or(&[]);
            let mut turns = 0u32;
            while text.as_literal().is_some_and(|b| matches!(b.last(), Some(b' ' | b'\t')))
                && let Some((next, more)) = rest.split_first()
                && let Some(body) = next.as_str().and_then(|n| self.sh.aliases.get(n.as_ref()))
                && turns < 32
            {
                text.push(body.clone());
                rest = more;
                turns = turns.saturating_add(1);
            }
            for w in rest {
                text.push(Value::computed(b" ", at, Taint::default()));
                let quoted = match w.as_literal() {
                    Some(b) => Value::computed(&crate::value::quote::shell_quote(&b), w.place(), w.taint()),
                    None => w.clone(),
                };
                text.push(quoted);
            }
            self.calls.push(format!("alias {name}"));
            let certain = self.expands_aliases();
            // The name itself is run, if at all, as a command of its own.
            let by = self.process(&name, Vec::new(), at, true);
            let saved = self.certainty;
            if !certain {
                self.certainty = Certainty::Possible;
            }
            let env_kind = if certain { Env::Current(None) } else { Env::Subshell(None) };
            let fds = self.redirect_all(redirects, at.span, Some(by));
            let (_, flow) = self.evaluate(self.language, text, Reach::Deferred, by, at, env_kind);
            self.restore_fds(fds);
            self.certainty = saved;
            self.calls.pop();
            if certain {
                return flow;
            }
        }
        self.run_words(argv, at, Some(redirects), env, true)
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
        let readings = word.readings();
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
        if let Some(rest) = self.without_unset(word, &argv) {
            let before = self.sh.clone();
            let flow = self.conditional(|me| me.run_words(rest, at, redirects, env, functions));
            self.after_branch(flow, before);
        }
        let mut inv = self.read_argv(&argv);
        // `gci ~ | Remove-Item`: what comes in is what it is done to.
        if inv.stdin == Stdin::Items && inv.operands.is_empty() && matches!(self.sh.fd(0), End::Input(_)) {
            let items = self.read_all(0).map(|v| self.split_string(&v)).unwrap_or_default();
            argv.extend(items);
            inv = self.read_argv(&argv);
        }
        self.add_from_environment(&mut argv, &mut inv);
        let Some(word) = argv.first() else { return Flow::Next };
        if let Some(longer) = self.options_of_environment(&inv, &argv, env) {
            inv = self.read_argv(&longer);
        }
        let shown = if inv.name.is_empty() { word.show() } else { inv.name.clone() };
        let by = self.process(&shown, argv.clone(), at, inv.grammar.is_some());
        // The redirections of a program are expanded in its own process: what they assign is gone with it.
        let own = argv.first().and_then(|w| super::builtin::named(&w.as_str()?)).is_none() && inv.builtin.is_none();
        let vars = own.then(|| self.sh.vars.clone());
        let saved = self.redirect_unprefixed(redirects, at, Some(by));
        if let Some(v) = vars {
            self.sh.vars = v;
        }
        if let Some((without, fewer)) = self.without_parameters(&argv, &inv) {
            (inv, argv) = (without, fewer);
        }
        for (n, v, p) in env {
            self.environment(n, v.clone(), *p, by, &inv);
        }
        self.exported_roles(&inv, at, by);
        self.last_process = Some(by);
        let flow = self.run_invocation(&inv, &argv, at, by, functions);
        // `exec >file` keeps its redirections.
        let keeps = inv.builtin == Some("exec") && inv.operands.is_empty() && functions;
        if !keeps {
            self.restore_fds(saved);
        }
        flow
    }

    /// Arguments that a program takes from variables as if they stood at the end (`TF_CLI_ARGS`, `MAKEFLAGS`).
    fn add_from_environment(&mut self, argv: &mut Vec<Value>, inv: &mut Invocation) {
        let Some(grammar) = inv.grammar.and_then(crate::command::grammar::lookup) else { return };
        let at = argv.first().map(Value::place).unwrap_or_default();
        let mut more: Vec<Value> = Vec::new();
        for name in crate::command::argv::argument_variables(grammar) {
            let name = name.replace("{}", inv.subs.first().copied().unwrap_or_default());
            if self.sh.var(&name).is_some_and(|v| v.attrs.exported) {
                more.extend(self.variable(&name, at));
            }
        }
        if more.is_empty() {
            return;
        }
        for v in more {
            let words = super::nested::quoted_words(&v).unwrap_or_else(|| self.split_string(&v));
            argv.extend(words);
        }
        *inv = self.read_argv(argv);
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
            p.props = props;
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

    /// A program that no grammar describes, or a command word that is not known.
    fn unknown_program(&mut self, inv: &Invocation, argv: &[Value], at: Place, by: ProcessId) -> Flow {
        self.sh.status = None;
        let Some(word) = argv.first() else { return Flow::Next };
        let executed = inv.uses.iter().find(|u| u.role == Role::PathExec);
        // `curl -o /usr/local/bin/t u && t`: the text itself has put it where programs are looked for.
        if executed.is_none()
            && let Some(path) = self.put_among_programs(word)
        {
            return self.execute_file(&path, argv, at, by);
        }
        // What the shell calls where it finds no program (bash manual, Command Search and Execution; zshmisc(1)).
        let hook = ["command_not_found_handle", "command_not_found_handler"]
            .into_iter()
            .find(|h| self.sh.functions.contains_key(h));
        if let (Some(hook), true, None) = (hook, word.is_known(), executed)
            && let Some(f) = self.sh.functions.get(hook).cloned()
            && !self.calls.iter().any(|c| c == hook)
        {
            let mut words = vec![Value::computed(hook.as_bytes(), at, Taint::default())];
            words.extend(argv.iter().cloned());
            self.conditional(|me| me.call_function(hook, &f, &words, at));
        }
        if word.is_known() && executed.is_none() {
            self.doubt(DoubtKind::UnknownProgram, inv.name.clone(), word.place());
            let stdin = self.peek_all(0);
            self.note_stdin(by, &stdin);
            let mut taint = stdin.map(|v| v.taint()).unwrap_or_default();
            argv.iter().skip(1).for_each(|v| taint.join(&v.taint()));
            if !word.taint().is_empty() {
                let id = self.effect(Verb::Spawn, Object::Command(argv.to_vec()), by, word.place());
                self.flow(id, &word.taint());
            }
            taint.step(Channel::Filter);
            self.emit(1, Value::unknown_tainted(Why::Output(inv.name.clone()), at, taint));
            return Flow::Next;
        }
        if let Some(u) = executed {
            return self.execute_file(&u.value.clone(), argv, at, by);
        }
        self.doubt(DoubtKind::UnknownCommand, word.show(), word.place());
        let nothing = argv.iter().all(super::outer::is_parameters).then(|| word.clone());
        let id = self.effect(Verb::Spawn, Object::Command(argv.to_vec()), by, word.place());
        self.flow(id, &word.taint());
        let stdin = self.peek_all(0);
        self.note_stdin(by, &stdin);
        let taint = stdin.map(|v| v.taint()).unwrap_or_default();
        // Where there are no parameters no command runs and nothing is printed.
        let output = nothing.unwrap_or_else(|| Value::unknown_tainted(Why::Output(word.show()), at, taint));
        self.emit(1, output);
        Flow::Next
    }

    /// The file of that name that the text wrote into a directory in which programs are looked for.
    fn put_among_programs(&self, word: &Value) -> Option<Value> {
        let name = word.as_str().filter(|n| !n.is_empty() && !n.contains('/'))?;
        // Shells of Windows look in the working directory first.
        if matches!(self.language, Language::Cmd | Language::PowerShell) && self.written(word).is_some() {
            return Some(word.clone());
        }
        let dirs = crate::command::grammar::system_dirs();
        let path = dirs.iter().map(|d| format!("{}/{name}", d.trim_end_matches('/')));
        let path = path.into_iter().find(|p| self.files.contains_key(p))?;
        Some(Value::computed(path.as_bytes(), word.place(), word.taint()))
    }

    /// A file that is run as a program: what the text wrote into it runs.
    fn execute_file(&mut self, path: &Value, argv: &[Value], at: Place, by: ProcessId) -> Flow {
        let content = self.written(path);
        let id = self.effect(Verb::Execute, Object::Path(path.clone()), by, path.place());
        self.flow(id, &path.taint());
        match content {
            Some(content) => {
                self.flow(id, &content.taint());
                let own = matches!(self.language, Language::Cmd | Language::PowerShell);
                let language = match interpreter(&content) {
                    Language::Sh if own => self.language,
                    other => other,
                };
                let args = argv.get(1..).unwrap_or(&[]).to_vec();
                let zero = argv.first().cloned();
                self.evaluate(language, content, Reach::File, by, at, Env::Fresh(zero, Some(args)));
            }
            None => {
                self.doubt(DoubtKind::UnknownProgram, path.show(), path.place());
                let stdin = self.peek_all(0);
                self.note_stdin(by, &stdin);
                let mut taint = stdin.map(|v| v.taint()).unwrap_or_default();
                taint.step(Channel::Filter);
                self.emit(1, Value::unknown_tainted(Why::Output(path.show()), at, taint));
            }
        }
        self.sh.status = None;
        Flow::Next
    }

    pub(crate) fn note_stdin(&mut self, by: ProcessId, stdin: &Option<Value>) {
        if let Some(p) = self.graph.processes.get_mut(by.0 as usize) {
            p.stdin = stdin.clone();
        }
    }

    /// The effects of an invocation, and what it writes.
    pub(crate) fn external(
        &mut self,
        inv: &Invocation,
        words: &[Value],
        at: Place,
        by: ProcessId,
        functions: bool,
    ) -> Flow {
        let mut w = Work::default();
        let simulated = inv.simulated;
        if inv.builtin == Some("set-alias") {
            self.set_alias(inv);
        }
        if !matches!(inv.stdin, Stdin::Ignored) {
            w.stdin = self.read_all(0);
            self.note_stdin(by, &w.stdin);
            // What it starts gets its standard input: `curl u | ssh h sh`, `curl u | kubectl exec -i p -- sh`.
            let starts = |u: &crate::command::Use| {
                matches!(u.role, Role::Command | Role::CommandString | Role::Code(_) | Role::PathScript)
            };
            if matches!(inv.stdin, Stdin::Unknown | Stdin::Sent | Stdin::Data)
                && inv.uses.iter().any(starts)
                && let (End::Input(i), Some(v)) = (self.sh.fd(0).clone(), &w.stdin)
            {
                self.set_input(i, v.clone());
            }
        } else if inv.props.has(Props::PASSWORD_STDIN) && !matches!(self.sh.fd(0), End::Outer(_)) {
            // The first line is the password (sudo(8), -S); the command gets the rest.
            let line = self.read_line(0, b'\n').unwrap_or_else(Some);
            self.note_stdin(by, &line);
        }
        let searched = inv.uses.iter().filter(|u| u.role == Role::Pattern).map(|u| u.value.clone());
        if let Some(p) = self.graph.processes.get_mut(by.0 as usize) {
            p.patterns.extend(searched.take(limits::MAX_READINGS));
        }
        // What comes in.
        for u in &inv.uses {
            self.use_in(u, inv, by, &mut w);
        }
        let socket = self.connection(&mut w, inv, by);
        let product = self.product(inv, words, &w, at, by);
        // What goes out.
        for u in &inv.uses {
            self.use_out(u, inv, by, &w, &product, simulated);
        }
        self.stated(inv, by, &w, simulated);
        if inv.stdin == Stdin::Sent
            && let Some(v) = w.stdin.clone()
            && !v.pieces.is_empty()
        {
            let object = w.target.clone().unwrap_or_default();
            let id = self.effect(Verb::Send, object, by, at);
            self.flow(id, &v.taint());
        }
        match inv.stdout {
            Stdout::Nothing | Stdout::Command => {}
            _ => self.emit(1, product.clone()),
        }
        // What it runs.
        let mut flow = Flow::Next;
        let mut joined: Option<(Language, Value, Option<Site>)> = None;
        let variables = inv.uses.iter().filter(|u| u.role == Role::CodeVariable);
        self.presets = variables
            .filter_map(|u| {
                let (name, value) = super::effects::split_assign(&u.value);
                Some((name.as_str()?.into_owned(), value?))
            })
            .collect();
        self.prints_value = inv.props.has(Props::PRINTS_VALUE);
        let mut lines: Option<Value> = None;
        for (i, u) in inv.uses.iter().enumerate() {
            let next_joins = matches!(inv.uses.get(i.saturating_add(1)), Some(n) if n.role == u.role && u.option.is_none() && n.option.is_none());
            match u.role {
                Role::Code(language) => {
                    // Operands that are code one after the other are one text with blanks between them (ssh, eval).
                    let value = match joined.take() {
                        Some((_, mut v, _)) => {
                            v.push(Value::computed(b" ", u.value.place(), Taint::default()));
                            v.push(u.value.clone());
                            v
                        }
                        None => u.value.clone(),
                    };
                    let value = match inv.props.has(Props::ENCODED) && u.option.is_some() {
                        true => self.encoded(&value, by),
                        false => value,
                    };
                    if next_joins {
                        joined = Some((language, value, u.site.clone()));
                        continue;
                    }
                    // `-e A -e B` is one text of two lines.
                    let value = match lines.take() {
                        Some(mut v) => {
                            v.push(Value::computed(b"\n", u.value.place(), Taint::default()));
                            v.push(value);
                            v
                        }
                        None => value,
                    };
                    let more = |n: &Use| n.lines && n.role == u.role;
                    if u.lines && inv.uses.iter().skip(i.saturating_add(1)).any(more) {
                        lines = Some(value);
                        continue;
                    }
                    let env = self.code_env(inv, u);
                    self.surround(inv, at);
                    self.within((u, by), inv, socket, |me| {
                        me.evaluate(language, value, Reach::Argument, by, u.value.place(), env);
                    });
                }
                Role::PathScript => {
                    let language = u.language.or_else(|| language_of(inv)).unwrap_or(Language::Other);
                    let (content, _) = self.read_file(&u.value, by, u.value.place());
                    let env = self.code_env(inv, u);
                    self.surround(inv, at);
                    self.within((u, by), inv, socket, |me| {
                        me.evaluate(language, content, Reach::File, by, u.value.place(), env);
                    });
                }
                Role::Command if is_operand_command(u) && inv.uses.iter().any(is_string_option) => {}
                Role::Command | Role::CommandString => {
                    flow = self.wrapped(u, inv, by, at, &w, socket, functions);
                }
                Role::Expanded => self.expand_later(&u.value),
                _ => {}
            }
        }
        for (names, language, args) in &inv.implied {
            let Some(path) = names.iter().find(|n| self.written(n).is_some()) else { continue };
            let (content, _) = self.read_file(path, by, at);
            let args = if args.is_empty() { inv.operands.clone() } else { args.clone() };
            let env = Env::Fresh(Some(path.clone()), Some(args));
            self.within_site(None, by, inv, socket, |me| {
                me.evaluate(*language, content, Reach::File, by, at, env);
            });
        }
        if let (Stdin::Code(language), Some(code)) = (inv.stdin, w.stdin.clone()) {
            let env = Env::Fresh(None, Some(inv.operands.clone()));
            let place = if code.pieces.is_empty() { at } else { code.place() };
            let reach = if is_heredoc(&code) { Reach::Heredoc } else { Reach::Stdin };
            self.surround(inv, at);
            self.within_site(None, by, inv, socket, |me| {
                me.evaluate(language, code, reach, by, place, env);
            });
        } else if let (Stdin::Code(language), None) = (inv.stdin, &w.stdin) {
            let id = self.effect(Verb::Evaluate, Object::Code(language, Value::unknown(Why::Stdin, at)), by, at);
            self.amend(id, |e| e.props = e.props.with(Props::INTERACTIVE));
        }
        self.presets.clear();
        self.prints_value = false;
        self.around = None;
        flow
    }

    /// `Set-Alias NAME VALUE`: the script that runs it has another name for a command.
    fn set_alias(&mut self, inv: &Invocation) {
        let mut left = inv.operands.iter();
        let mut given = |option: &str| inv.value_of(option).or_else(|| left.next()).cloned();
        if let (Some(name), Some(value), Some(run)) = (given("-Name"), given("-Value"), self.evaluating.as_mut())
            && let Some(name) = name.as_str()
        {
            run.set_alias(&name, value);
        }
    }

    /// Notes what the options of an invocation put around its code.
    fn surround(&mut self, inv: &Invocation, at: Place) {
        if inv.around.is_empty() {
            return;
        }
        let text = |s: &str| Value::computed(s.as_bytes(), at, Taint::default());
        let before: String = inv.around.iter().map(|(b, _)| b.as_str()).collect();
        let after: String = inv.around.iter().rev().map(|(_, a)| a.as_str()).collect();
        self.around = Some((text(&before), text(&after)));
    }

    /// Host and port → a connection.
    fn connection(&mut self, w: &mut Work, inv: &Invocation, by: ProcessId) -> Option<EffectId> {
        let (host, place) = w.host.take()?;
        let object = match w.port.take() {
            Some((port, _)) => Object::Socket(host, port),
            None => Object::Host(host),
        };
        let id = self.effect(Verb::Connect, object.clone(), by, place);
        if inv.stdout == Stdout::Fetched || inv.stdin == Stdin::Sent || inv.props.has(Props::EXEC_PEER) {
            w.fetched.push(id);
        }
        w.target.get_or_insert(object);
        Some(id)
    }

    /// Runs something with what the use says of its place, and with what the invocation gives to what it runs.
    fn within(
        &mut self,
        (u, by): (&Use, ProcessId),
        inv: &Invocation,
        socket: Option<EffectId>,
        body: impl FnOnce(&mut Self),
    ) {
        let site = u.site.clone();
        self.within_site(site, by, inv, socket, body);
    }

    fn within_site(
        &mut self,
        site: Option<Site>,
        by: ProcessId,
        inv: &Invocation,
        socket: Option<EffectId>,
        body: impl FnOnce(&mut Self),
    ) {
        let saved_site = self.site.clone();
        let saved_elsewhere = self.elsewhere.clone();
        if let Some(s) = site {
            self.site = s;
            let at = self.graph.process(by).map_or(Place::default(), |p| p.place);
            let out = self.sh.fd(1).clone();
            self.elsewhere = Some(super::streams::Elsewhere { by, at, out, taken: None });
        }
        let passed = Props::ELEVATED.with(Props::DETACHED).with(Props::PRIVILEGED).with(Props::HOST_ACCESS);
        let saved = self.inherited;
        self.inherited = Props(saved.0 | (inv.props.0 & passed.0));
        if inv.props.has(Props::EXEC_PEER)
            && let Some(id) = socket
        {
            let fds = self.sh.fds.clone();
            for n in 0..3 {
                self.sh.set_fd(n, End::Socket(id));
            }
            body(self);
            self.sh.fds = fds;
        } else {
            body(self);
        }
        self.inherited = saved;
        self.site = saved_site;
        self.elsewhere = saved_elsewhere;
    }

    /// A command that this one runs.
    #[expect(clippy::too_many_arguments, reason = "all of them are the one invocation")]
    fn wrapped(
        &mut self,
        u: &Use,
        inv: &Invocation,
        by: ProcessId,
        at: Place,
        w: &Work,
        socket: Option<EffectId>,
        functions: bool,
    ) -> Flow {
        let mut words = u.words.clone();
        if u.role == Role::CommandString && words.is_empty() {
            words = super::nested::quoted_words(&u.value).unwrap_or_else(|| self.split_string(&u.value));
            // `env -S 'a b' c`: the operands follow the words of the string.
            if u.option.is_some() {
                words.extend(inv.uses.iter().filter(|o| is_operand_command(o)).flat_map(|o| o.words.clone()));
            }
        }
        let mut env = Vec::new();
        // NAME=value words before the command are handed over as uses of their own.
        for e in inv.uses.iter().filter(|e| e.role == Role::EnvAssign) {
            if let Some(text) = e.value.as_str()
                && let Some((n, v)) = text.split_once('=')
            {
                env.push((
                    n.to_string(),
                    Value::computed(v.as_bytes(), e.value.place(), e.value.taint()),
                    e.value.place(),
                ));
            }
        }
        let input = match inv.stdin {
            // A file of items takes the place of standard input.
            Stdin::Args if w.read => Some(w.content.clone()),
            Stdin::Args | Stdin::CommandList => {
                w.stdin.clone().or_else(|| Some(Self::many_words(Why::Stdin, at, Taint::default())))
            }
            _ => None,
        };
        let lists = words.iter().position(|x| x.as_str().is_some_and(|s| u.sources.contains(&&*s)));
        let known = input.as_ref().is_some_and(|v| !v.pieces.is_empty() && v.is_known());
        if lists.is_some() || (inv.stdin == Stdin::CommandList && known) {
            let composed = self.composed(u, &words, lists, input, at);
            let id = self.effect(Verb::Spawn, Object::Command(words.clone()), by, at);
            self.amend(id, |e| e.props = e.props.with(u.props));
            for code in composed {
                self.within((u, by), inv, socket, |me| {
                    me.evaluate(Language::Sh, code, Reach::Stdin, by, at, Env::Fresh(None, None));
                });
            }
            return Flow::Next;
        }
        let placeholder = u.placeholder.clone();
        let mut runs: Vec<Vec<Value>> = Vec::new();
        match (&placeholder, input) {
            (Some(mark), input) => {
                let items: Vec<Value> = match input {
                    Some(v) => self.lines(&v),
                    None => vec![self.found(inv, at)],
                };
                let absent =
                    u.append && !words.iter().any(|w| w.show().as_bytes().windows(mark.len()).any(|x| x == mark));
                for item in items.into_iter().take(limits::MAX_TURNS as usize) {
                    let mut run: Vec<Value> = words.iter().map(|x| replace_mark(x, mark, &item)).collect();
                    if absent {
                        run.push(item);
                    }
                    runs.push(run);
                }
                if runs.is_empty() {
                    runs.push(words);
                }
            }
            (None, Some(v)) => {
                let mut more = self.appended(inv, &v);
                if inv.stdin == Stdin::CommandList && words.is_empty() {
                    // Each line is a command of its own.
                    let mut code = v;
                    code.step(Channel::Pipe);
                    self.within((u, by), inv, socket, |me| {
                        me.evaluate(Language::Sh, code, Reach::Stdin, by, at, Env::Fresh(None, None));
                    });
                    return Flow::Next;
                }
                words.append(&mut more);
                runs.push(words);
            }
            (None, None) => runs.push(words),
        }
        let mut flow = Flow::Next;
        // Builtins that run a command of this very shell keep its state; every other wrapper starts a process.
        let same_shell = functions && matches!(inv.builtin, Some("command" | "builtin"));
        let saved_parent = self.parent;
        if self.wrappers >= limits::MAX_WRAPPERS {
            self.limit("commands that run commands", at);
            self.parent = saved_parent;
            return Flow::Next;
        }
        self.wrappers = self.wrappers.saturating_add(1);
        for argv in runs {
            if argv.is_empty() {
                continue;
            }
            let place = argv.iter().map(Value::place).reduce(Place::to).unwrap_or(at);
            let place = if place.text == at.text && at.span.contains(place.span) { place } else { at };
            self.parent = Some(by);
            let id = self.effect(Verb::Spawn, Object::Command(argv.clone()), by, place);
            self.amend(id, |e| e.props = e.props.with(u.props));
            let mut taint = Taint::default();
            argv.first().into_iter().for_each(|v| taint.join(&v.taint()));
            self.flow(id, &taint);
            self.surround(inv, at);
            self.within((u, by), inv, socket, |me| {
                if same_shell {
                    me.skip_functions = true;
                    flow = me.run_words(argv, place, None, &env, true);
                } else {
                    let chdir = inv.uses.iter().find(|x| x.role == Role::PathChdir).map(|x| x.value.clone());
                    let status = me.subshell(|me| {
                        if let Some(d) = chdir {
                            me.change_dir(&d);
                        }
                        // A process of its own knows no functions; a shell that it becomes knows those handed to it.
                        me.sh.functions = me.sh.exported_functions();
                        me.skip_functions = true;
                        me.run_words(argv, place, None, &env, true);
                    });
                    me.sh.status = status;
                }
            });
        }
        self.wrappers = self.wrappers.saturating_sub(1);
        self.parent = saved_parent;
        flow
    }

    /// What `{}` stands for: names below the places that the invocation lists.
    fn found(&mut self, inv: &Invocation, at: Place) -> Value {
        let mut out: Option<Value> = None;
        for u in inv.uses.iter().filter(|u| u.role == Role::PathList).take(limits::MAX_READINGS) {
            let mut v = u.value.clone();
            if !v.prefix().ends_with(b"/") {
                v.push(Value::computed(b"/", u.value.place(), Taint::default()));
            }
            v.push_piece(Piece::Glob(Glob::Star, u.value.place()));
            out = Some(match out {
                None => v,
                Some(o) => Value::either(o, v),
            });
        }
        if out.is_none() && inv.operands.is_empty() {
            return below_here(at);
        }
        out.unwrap_or_else(|| Value::unknown(Why::Output(inv.name.clone()), at))
    }

    /// What a listing prints: names at or below the places that it lists. What a pattern chooses is not the whole of
    /// them, and says nothing.
    pub(crate) fn listed(&mut self, inv: &Invocation, at: Place) -> Value {
        let unknown = || Value::unknown(Why::Output(inv.name.clone()), at);
        if inv.props.has(Props::FILTERED) {
            return unknown();
        }
        let mut out: Option<Value> = None;
        let places = || inv.uses.iter().filter(|u| u.role == Role::PathList);
        for u in places().take(limits::MAX_READINGS) {
            let mut place = u.value.clone();
            if u.props.has(Props::RECURSIVE) && !place.pieces.iter().any(|p| matches!(p, Piece::Glob(..))) {
                if !place.prefix().ends_with(b"/") {
                    place.push(Value::computed(b"/", at, Taint::default()));
                }
                // What a test leaves a little out of is told from everything by the form of its pattern.
                let star = match inv.props.has(Props::NEARLY_ALL) {
                    true => Glob::Ext(crate::value::Bytes::from_slice(b"*")),
                    false => Glob::Star,
                };
                place.push_piece(Piece::Glob(star, u.value.place()));
            }
            let v = place.near(at).unwrap_or_else(unknown);
            out = Some(match out {
                None => v,
                Some(o) => Value::either(o, v),
            });
        }
        if out.is_none() && inv.operands.is_empty() {
            out = below_here(at).near(at);
        }
        splitting(out.unwrap_or_else(unknown))
    }

    /// The environment in which code of this invocation runs: its parameters are the operands that follow it.
    /// The text of code that is given as base64 of UTF-16; what is neither stays as it is.
    fn encoded(&mut self, v: &Value, by: ProcessId) -> Value {
        use crate::value::transform::{Call, run};
        let text = v.as_literal().and_then(|b| {
            let packed = run("base64.decode", &Call { stdin: &b, ..Call::default() }).ok()?.bytes;
            let units: Vec<u16> =
                packed.chunks_exact(2).filter_map(|p| Some(u16::from_le_bytes([*p.first()?, *p.get(1)?]))).collect();
            String::from_utf16(&units).ok()
        });
        match text {
            Some(t) => {
                let id = self.effect(Verb::Decode, Object::None, by, v.place());
                let mut taint = v.taint();
                taint.join(&Taint::of(id));
                Value::computed(t.as_bytes(), v.place(), taint)
            }
            None => v.clone(),
        }
    }

    fn code_env(&self, inv: &Invocation, u: &Use) -> Env {
        let place = u.value.place();
        let index = inv.operands.iter().position(|o| o.place() == place && *o == u.value);
        let after = match index {
            Some(i) => inv.operands.get(i.saturating_add(1)..).unwrap_or(&[]),
            None => &inv.operands,
        };
        match u.role {
            Role::PathScript => Env::Fresh(Some(u.value.clone()), Some(after.to_vec())),
            _ => Env::Fresh(after.first().cloned(), Some(after.get(1..).unwrap_or(&[]).to_vec())),
        }
    }

    /// The words that text on standard input becomes: split at blanks, unless an option says at what else, or the text
    /// itself has NULs in it.
    fn appended(&mut self, inv: &Invocation, v: &Value) -> Vec<Value> {
        let said =
            inv.uses.iter().find(|u| u.role == Role::Delimiter).map(|u| u.value.as_literal().map(|b| b.into_owned()));
        let nul = || v.pieces.iter().any(|p| matches!(p, Piece::Literal(l) if l.bytes.contains(&0)));
        match said {
            Some(d) => match d.as_deref() {
                Some([b'\\', b'n'] | [b'\n']) => self.items(v, b'\n'),
                Some([b'\\', b't']) => self.items(v, b'\t'),
                Some([b'\\', b'0', ..]) => self.items(v, 0),
                Some([one]) => self.items(v, *one),
                _ => vec![Self::many_words(Why::NotComputed("items"), v.place(), v.taint())],
            },
            None if nul() => self.items(v, 0),
            None => self.split_string(v),
        }
    }

    /// Text split at blanks, as xargs and `command.string` do (quotes hold words together).
    pub(crate) fn split_string(&mut self, v: &Value) -> Vec<Value> {
        let mut out = Vec::new();
        let mut runs = Vec::new();
        for p in &v.pieces {
            runs.push(super::expand::Run::Piece(p.clone(), super::expand::Mode::Expanded));
        }
        let noglob = std::mem::replace(&mut self.sh.opts.noglob, true);
        let ifs = self.sh.vars.clone();
        self.sh.set("IFS", Content::Unset);
        let no_split = std::mem::replace(&mut self.sh.opts.no_split, false);
        self.split(runs, &mut out);
        self.sh.opts.no_split = no_split;
        self.sh.vars = ifs;
        self.sh.opts.noglob = noglob;
        out
    }

    /// The lines of a value.
    pub(super) fn lines(&mut self, v: &Value) -> Vec<Value> {
        self.items(v, b'\n')
    }

    /// What stands between the delimiters of a value.
    fn items(&mut self, v: &Value, delimiter: u8) -> Vec<Value> {
        let End::Input(i) = self.new_input(v.clone()) else { return Vec::new() };
        let fd = 250;
        self.sh.set_fd(fd, End::Input(i));
        let mut out = Vec::new();
        while out.len() < limits::MAX_TURNS as usize {
            match self.read_line(fd, delimiter) {
                Ok(Some(l)) => out.push(l),
                Ok(None) => break,
                Err(l) => {
                    if !l.pieces.is_empty() {
                        out.push(l);
                    }
                    break;
                }
            }
        }
        self.sh.fds.retain(|(n, _)| *n != fd);
        out
    }
}

/// A value that may be several words.
pub(super) fn splitting(mut v: Value) -> Value {
    if let [Piece::Unknown(u)] = v.pieces.as_mut_slice() {
        u.splits = true;
    }
    v
}

/// Everything in the working directory, which programs that list take where no place is named.
fn below_here(at: Place) -> Value {
    let mut here = Value::computed(b"./", at, Taint::default());
    here.push_piece(Piece::Glob(Glob::Star, at));
    here
}

/// Replaces every occurrence of a placeholder in a word.
pub(super) fn replace_mark(word: &Value, mark: &[u8], with: &Value) -> Value {
    if mark.is_empty() {
        return word.clone();
    }
    let mut out = Value::default();
    for p in &word.pieces {
        let Piece::Literal(l) = p else {
            out.push_piece(p.clone());
            continue;
        };
        let mut rest: &[u8] = &l.bytes;
        let mut any = false;
        while let Some(i) = rest.windows(mark.len()).position(|w| w == mark) {
            any = true;
            let (head, tail) = rest.split_at(i);
            if !head.is_empty() {
                out.push(Value::computed(head, l.from, l.taint.clone()));
            }
            out.push(with.clone());
            rest = tail.get(mark.len()..).unwrap_or(&[]);
        }
        if !any {
            out.push_piece(p.clone());
        } else if !rest.is_empty() {
            out.push(Value::computed(rest, l.from, l.taint.clone()));
        }
    }
    out
}

/// A command that stands in the operands.
fn is_operand_command(u: &Use) -> bool {
    u.role == Role::Command && u.option.is_none()
}

/// An option whose text is the beginning of a command.
fn is_string_option(u: &Use) -> bool {
    u.role == Role::CommandString && u.option.is_some()
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
