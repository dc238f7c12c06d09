//! Programs that are no builtins: a known one has its grammar's uses, in the order in which they take effect.
//!
//! In: an invocation. Out: its effects, what it prints, and the programs in it, run on the machine and with the rights that the
//! invocation says.

use super::super::nested::Env;
use super::super::scope::{Content, End};
use super::super::{Flow, Interp};
use super::Work;
use super::interpreter;
use super::is_heredoc;
use super::language_of;
use super::wrapped::is_operand_command;
use super::wrapped::is_string_option;
use crate::command::{Invocation, Role, Stdin, Stdout, Use};
use crate::effect::graph::{Doubt, DoubtKind, Reach};
use crate::effect::{EffectId, Language, Object, ProcessId, Props, Site, Verb};
use crate::limits;
use crate::source::Place;
use crate::value::{Channel, Piece, Taint, Value, Why};

/// Directories of a user's own programs, which logins put on PATH (systemd file-hierarchy(7)).
const USER_DIRS: &[&str] = &["~/.local/bin", "~/bin"];

impl Interp<'_> {
    /// Keys that are typed into a terminal go to whatever runs there: what a shell could not read was not meant for one.
    fn typed(&mut self, doubts: usize, at: Place) {
        let unread = |d: &Doubt| {
            use DoubtKind as K;
            matches!(d.kind, K::Unparsed | K::Unfinished | K::Uncovered | K::Disagreement | K::Unconfirmed)
        };
        let since = self.graph.doubts.split_off(doubts.min(self.graph.doubts.len()));
        let (gone, kept): (Vec<Doubt>, Vec<Doubt>) = since.into_iter().partition(unread);
        self.graph.doubts.extend(kept);
        if !gone.is_empty() {
            self.doubt(DoubtKind::OpaqueCode, "keys".into(), at);
        }
    }

    /// A program that no grammar describes, or a command word that is not known.
    pub(super) fn unknown_program(&mut self, inv: &Invocation, argv: &[Value], at: Place, by: ProcessId) -> Flow {
        self.sh.status = None;
        let Some(word) = argv.first() else { return Flow::Next };
        let executed = inv.uses.iter().find(|u| u.role == Role::PathExec);
        // `curl -o /usr/local/bin/t u && t`: the text itself has put it where programs are looked for.
        if executed.is_none()
            && let Some(path) = self.put_among_programs(word)
        {
            return self.execute_file(&path, argv, at, by);
        }
        // `python -m x` of a file that the text wrote.
        if let Some((before, module)) = inv.name.rsplit_once(' ')
            && let Some(language) = before.split(' ').next().and_then(crate::command::language)
            && let Some(path) = self.module_file(language, &module.replace('.', "/"), at)
        {
            let (content, _) = self.read_file(&path, by, at);
            let env = Env::Fresh(Some(path), argv.get(1..).map(<[Value]>::to_vec));
            self.evaluate(language, content, Reach::File, by, at, env);
            return Flow::Next;
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
        let nothing = argv.iter().all(super::super::outer::is_parameters).then(|| word.clone());
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

    /// The file that the text wrote and that a command word names: by its path, or by PATH as the text sets it.
    pub(super) fn own_program(&self, argv: &[Value]) -> Option<Value> {
        if self.files.is_empty() {
            return None;
        }
        let word = argv.first()?;
        let made = |path: &Value| {
            let file = self.files.get(&self.file_key(path))?;
            (!file.substitution && !file.content.pieces.is_empty()).then(|| path.clone())
        };
        if word.prefix().contains(&b'/') {
            return made(word);
        }
        let name = word.as_str()?;
        let Content::Scalar(path) = &self.sh.var("PATH")?.content else { return None };
        if super::super::builtin::named(&name).is_some() {
            return None;
        }
        path.split(|b| b == b':').into_iter().take(limits::MAX_READINGS).find_map(|dir| {
            let mut file = dir;
            file.push(Value::computed(format!("/{name}").as_bytes(), word.place(), Taint::default()));
            made(&file)
        })
    }

    /// A file whose first line names a program that is no interpreter of a language: the program runs with the file.
    fn run_by_first_line(&mut self, content: &Value, argv: &[Value], at: Place) -> bool {
        let prefix = content.prefix().into_owned();
        let line = prefix.split(|b| *b == b'\n').next().unwrap_or_default();
        let Some(line) = line.strip_prefix(b"#!") else { return false };
        let line = String::from_utf8_lossy(line).trim().to_string();
        let word = |s: &str| Value::computed(s.as_bytes(), at, content.taint());
        let mut words = match line.split_once([' ', '\t']) {
            Some((program, argument)) => vec![word(program), word(argument.trim())],
            None if line.is_empty() => return false,
            None => vec![word(&line)],
        };
        words.extend(argv.iter().cloned());
        self.subshell(|me| {
            me.run_words(words, at, None, &[], false);
        });
        true
    }

    /// The file of that name that the text wrote into a directory in which programs are looked for.
    pub(super) fn put_among_programs(&self, word: &Value) -> Option<Value> {
        let name = word.as_str().filter(|n| !n.is_empty() && !n.contains('/'))?;
        // Shells of Windows look in the working directory first.
        if matches!(self.language, Language::Cmd | Language::PowerShell) && self.written(word).is_some() {
            return Some(word.clone());
        }
        if self.files.is_empty() {
            return None;
        }
        let dirs = crate::command::grammar::system_dirs();
        let path = dirs.iter().chain(USER_DIRS).map(|d| format!("{}/{name}", d.trim_end_matches('/')));
        let path = path.into_iter().find(|p| self.files.contains_key(p))?;
        Some(Value::computed(path.as_bytes(), word.place(), word.taint()))
    }

    /// A file that is run as a program: what the text wrote into it runs.
    pub(super) fn execute_file(&mut self, path: &Value, argv: &[Value], at: Place, by: ProcessId) -> Flow {
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
                let parent = self.parent.replace(by);
                let done = language == Language::Other && self.run_by_first_line(&content, argv, at);
                self.parent = parent;
                if !done {
                    self.evaluate(language, content, Reach::File, by, at, Env::Fresh(zero, Some(args)));
                }
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

    /// The secrets in what a program reads passwords from: `NAME:SECRET` (chpasswd) or the line.
    fn secret_lines(&mut self, given: &Value, by: ProcessId, at: Place) {
        for line in given.split(|b| b == b'\n').into_iter().take(limits::MAX_READINGS) {
            if line.pieces.is_empty() || !line.is_known() {
                continue;
            }
            let prefix = line.prefix();
            let name =
                prefix.iter().position(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b'-' | b'.' | b'$'));
            let named = name.filter(|n| *n > 0 && prefix.get(*n) == Some(&b':'));
            let secret = named.map_or_else(|| line.clone(), |n| line.split_at(n.saturating_add(1)).1);
            self.effect(Verb::Secret, Object::Named("secret", secret), by, at);
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
        // The providers of PowerShell find the files that a pattern means, quoted or not.
        let globbed = (self.language == Language::PowerShell).then(|| with_patterns(inv)).flatten();
        let inv = globbed.as_ref().unwrap_or(inv);
        let mut w = Work::default();
        let simulated = inv.simulated;
        if inv.builtin == Some("set-alias") {
            self.set_alias(inv);
        }
        // A cmdlet changes the directory of the process that it is part of.
        if inv.builtin == Some("cd")
            && matches!(self.language, Language::PowerShell | Language::Cmd)
            && let Some(u) = inv.uses.iter().find(|u| u.role == Role::PathChdir)
        {
            let target = u.value.clone();
            self.change_dir(&target);
        }
        if !matches!(inv.stdin, Stdin::Ignored) {
            w.stdin = self.read_all(0);
            self.note_stdin(by, &w.stdin);
            // What it starts gets its standard input: `curl u | ssh h sh`, `curl u | kubectl exec -i p -- sh`.
            let starts = |u: &crate::command::Use| {
                matches!(u.role, Role::Command | Role::CommandString | Role::Code(_) | Role::PathScript)
            };
            if inv.stdin == Stdin::Secret
                && let Some(v) = w.stdin.clone()
            {
                self.secret_lines(&v, by, at);
            }
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
            if let Some(v) = line {
                self.secret_lines(&v, by, at);
            }
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
                let (name, value) = super::super::effects::split_assign(&u.value);
                Some((name.as_str()?.into_owned(), value?))
            })
            .collect();
        self.prints_value = inv.props.has(Props::PRINTS_VALUE);
        let records = w.read.then(|| w.content.clone());
        let records = std::mem::replace(&mut self.records, records);
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
                    let doubts = self.graph.doubts.len();
                    self.within((u, by), inv, socket, |me| {
                        let id = me.evaluate(language, value, Reach::Argument, by, u.value.place(), env).0;
                        // A connection that the code is given to.
                        if u.props.has(Props::EXEC_PEER) {
                            me.amend(id, |e| e.props = e.props.with(Props::EXEC_PEER));
                        }
                    });
                    if u.props.has(Props::INTERACTIVE) {
                        self.typed(doubts, u.value.place());
                    }
                }
                Role::PathScript => {
                    let language = u.language.or_else(|| language_of(inv)).unwrap_or(Language::Other);
                    let content = self.read_script(language, &u.value, by, u.value.place());
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
        self.records = records;
        self.presets.clear();
        self.prints_value = false;
        self.around = None;
        flow
    }

    /// Notes what the options of an invocation put around its code.
    pub(super) fn surround(&mut self, inv: &Invocation, at: Place) {
        if inv.around.is_empty() {
            return;
        }
        let text = |s: &str| Value::computed(s.as_bytes(), at, Taint::default());
        let before: String = inv.around.iter().map(|(b, _)| b.as_str()).collect();
        let after: String = inv.around.iter().rev().map(|(_, a)| a.as_str()).collect();
        self.around = Some((text(&before), text(&after)));
    }

    /// Host and port → a connection.
    pub(crate) fn connection(&mut self, w: &mut Work, inv: &Invocation, by: ProcessId) -> Option<EffectId> {
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
    pub(super) fn within(
        &mut self,
        (u, by): (&Use, ProcessId),
        inv: &Invocation,
        socket: Option<EffectId>,
        body: impl FnOnce(&mut Self),
    ) {
        let site = u.site.clone();
        self.within_site(site, by, inv, socket, body);
    }

    pub(super) fn within_site(
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
            self.elsewhere = Some(super::super::streams::Elsewhere { by, at, out, taken: None });
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

    /// The text of code that is given as base64 of UTF-16; what is neither stays as it is.
    pub(super) fn encoded(&mut self, v: &Value, by: ProcessId) -> Value {
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

    /// The environment in which code of this invocation runs: its parameters are the operands that follow it.
    pub(super) fn code_env(&self, inv: &Invocation, u: &Use) -> Env {
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
}

/// The same, with patterns in the paths that it changes; nothing where there are none.
fn with_patterns(inv: &Invocation) -> Option<Invocation> {
    let changes = |r: Role| {
        matches!(r, Role::PathDelete | Role::PathDeleteTree | Role::PathTruncate | Role::PathMove | Role::PathWrite)
    };
    let star = |v: &Value| v.pieces.iter().any(|p| matches!(p, Piece::Literal(l) if l.bytes.contains(&b'*')));
    if !inv.uses.iter().any(|u| changes(u.role) && star(&u.value)) {
        return None;
    }
    let mut out = inv.clone();
    for u in out.uses.iter_mut().filter(|u| changes(u.role) && star(&u.value)) {
        let mut value = Value::default();
        for p in std::mem::take(&mut u.value).pieces {
            match p {
                Piece::Literal(l) => super::super::expand::glob_literal(&l, &mut |p| value.push_piece(p)),
                other => value.push_piece(other),
            }
        }
        u.value = value;
    }
    Some(out)
}
