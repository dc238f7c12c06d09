//! Operations of calls that reach the process: programs that are started, what is printed and read, paths of the user.
//!
//! In: an operation's name and its arguments. Out: [`Data`], and effects. Which call of which language is which operation
//! is data.

use super::call::Args;
use super::data::Data;
use super::ops::Given;
use super::result::{received, thing};
use super::{Interp, Run};
use crate::command::calls;
use crate::effect::graph::Reach;
use crate::effect::{Language, Object, Verb};
use crate::eval::nested::Env;
use crate::eval::scope::End;
use crate::limits;
use crate::source::{Place, Span};
use crate::value::{Taint, Value, Why};

impl Interp<'_> {
    /// An operation by its name; `None` where it is none of these, or cannot be computed.
    pub(super) fn on_process(&mut self, run: &mut Run, op: &str, given: &Given<'_>) -> Option<Data> {
        let (all, args, at, (position, rest)) = (given.all, given.args, given.at, given.positions);
        match op {
            // `execl(path, name, a, b)`, `execv(path, [name, a, b])`: the process becomes the program.
            "become" => {
                self.start(run, all.get(position..)?, at);
                run.left = true;
                Some(Data::Null)
            }
            // The same with the program beside the process.
            "start" => {
                self.start(run, all.get(position..)?, at);
                Some(Data::unknown("process", at, Taint::default()))
            }
            // The arguments are the words of a command.
            "words" => {
                let words: Vec<Value> = all.iter().flat_map(|d| d.words(at)).collect();
                let out = self.words_of_command(run, words, at);
                Some(thing("process", None, None, Some(out)))
            }
            // `call-process PROGRAM … ARGUMENTS`: where the program stands, and where its arguments begin.
            "program" => {
                let from = rest.unwrap_or(position.saturating_add(1));
                let mut words = vec![all.get(position)?.value(at)];
                words.extend(all.iter().skip(from).flat_map(|d| d.words(at)));
                let out = self.words_of_command(run, words, at);
                Some(Data::Text(out))
            }
            // What a filter has read is run by the shell.
            "space" => {
                let code = self.standard_input(run, at);
                let by = run.by;
                let out = self.capture(|me| {
                    me.evaluate(Language::Sh, code, Reach::Stdin, by, at, Env::Fresh(None, None));
                });
                self.emit(1, out);
                Some(Data::Null)
            }
            "print" => {
                self.print_line(run, all, args, at);
                Some(Data::Null)
            }
            // A program, and its arguments as one text.
            "commandline" => {
                let mut words = vec![all.first()?.value(at)];
                for d in all.iter().skip(1) {
                    match d.value(at).as_str() {
                        Some(s) => {
                            let parts = s.split_whitespace().take(limits::MAX_FIELDS);
                            words.extend(parts.map(|w| Value::computed(w.as_bytes(), at, d.taint())));
                        }
                        None => words.extend(d.words(at)),
                    }
                }
                let out = self.words_of_command(run, words, at);
                Some(Data::Text(out))
            }
            // The entries of a map as the parameters of a command, a list as its words.
            "splat" => match all.first()? {
                Data::Map(m) => {
                    let mut words = Vec::new();
                    for (k, v) in m.iter().take(64) {
                        let mut name = Value::computed(b"-", at, Taint::default());
                        name.push(k.value(at));
                        match v {
                            Data::Bool(false) | Data::Null => {}
                            Data::Bool(true) => words.push(Data::Text(name)),
                            v => words.extend([Data::Text(name), v.clone()]),
                        }
                    }
                    Some(Data::List(words))
                }
                d => Some(d.clone()),
            },
            // Content that goes into a file that is among the arguments.
            "put" => {
                let (from, to) = (all.first()?, all.get(1).unwrap_or(&Data::Number(1)).clone());
                let content = self.held(from, at);
                self.pour(run, content, &to, at);
                Some(Data::Null)
            }
            // A command for the shell, and the text that it reads.
            "feed" => {
                let (code, text) = (all.first()?.value(at), all.get(1)?.value(at));
                let out = self.capture(|me| {
                    let end = me.new_input(text);
                    me.sh.set_fd(0, end);
                    me.evaluate(Language::Sh, code, Reach::Argument, run.by, at, Env::Fresh(None, None));
                });
                self.emit(1, out);
                Some(Data::Null)
            }
            // A two-way pipe of awk: `/inet/PROTOCOL/LOCAL/HOST/REMOTE` is a connection, all else a command.
            "inet" | "inet.file" => {
                let to = all.first()?.value(at);
                let Some(object) = to.as_str().and_then(|s| network_file(&s, at)) else {
                    if op == "inet.file" {
                        return Some(Data::Null);
                    }
                    let by = run.by;
                    return Some(Data::Text(self.capture(|me| {
                        me.evaluate(Language::Sh, to, Reach::Argument, by, at, Env::Fresh(None, None));
                    })));
                };
                let verb = if matches!(&object, Object::Socket(h, _) if h.pieces.is_empty()) {
                    Verb::Listen
                } else {
                    Verb::Connect
                };
                let same = |e: &&crate::effect::Effect| e.verb == verb && e.process == run.by && e.object == object;
                let id = match self.graph.effects.iter().find(same).map(|e| e.id) {
                    Some(id) => id,
                    None => self.effect(verb, object.clone(), run.by, at),
                };
                if let Some(text) = all.get(1) {
                    let sent = self.effect(Verb::Send, object, run.by, at);
                    self.flow(sent, &text.taint());
                }
                Some(Data::Text(received(id, at)))
            }
            "line" => match self.read_line(0, b'\n') {
                Ok(Some(v)) | Err(v) => Some(Data::Text(v)),
                // It has ended.
                Ok(None) if self.reads_known(0) => Some(Data::Null),
                Ok(None) => {
                    let v = self.standard_input(run, at);
                    // One line is the line; which of several comes next is not known.
                    match v.as_str() {
                        Some(s) if s.lines().nth(1).is_none() => {
                            Some(Data::Text(Value::computed(s.trim_end_matches('\n').as_bytes(), at, v.taint())))
                        }
                        _ => Some(Data::unknown("line", at, v.taint())),
                    }
                }
            },
            // The lines of standard input.
            "records" => {
                let v = match self.records.clone() {
                    Some(v) => v,
                    None => self.standard_input(run, at),
                };
                let Some(text) = v.as_str() else { return Some(Data::Text(v)) };
                let line = |s: &str| Data::Text(Value::computed(s.as_bytes(), at, v.taint()));
                Some(Data::List(text.lines().take(4_096).map(line).collect()))
            }
            // The lines of a text, or of what a thing holds.
            "lines" => {
                let v = all.first()?.value(at);
                let text = v.as_str()?;
                let line = |s: &str| Data::Text(Value::computed(s.as_bytes(), at, v.taint()));
                Some(Data::List(text.lines().take(4_096).map(line).collect()))
            }
            // A connection that was accepted, with the address of its peer.
            "pair" => {
                let first = all.first()?.clone();
                let taint = first.taint();
                Some(Data::List(vec![first, Data::unknown("address", at, taint)]))
            }
            // Values with a blank between them.
            "spaced" => {
                let mut v = Value::default();
                for (i, d) in all.iter().enumerate() {
                    if i > 0 {
                        v.push(Value::computed(b" ", at, Taint::default()));
                    }
                    v.push(d.value(at));
                }
                Some(Data::Text(v))
            }
            // Each line of standard input to a function.
            "each" if matches!(all.first(), Some(Data::Text(_))) => None,
            "each" => {
                let v = self.standard_input(run, at);
                let lines: Vec<Data> = match v.as_str() {
                    Some(s) => {
                        let line = |s: &str| Data::Text(Value::computed(s.as_bytes(), at, v.taint()));
                        s.lines().take(4_096).map(line).collect()
                    }
                    None => vec![Data::Text(v.clone())],
                };
                if let Some(f @ Data::Function(..)) = all.last().cloned() {
                    for l in lines {
                        self.perhaps(run, |me, run| me.apply(run, f.clone(), vec![(None, l)], at));
                    }
                    return Some(Data::Null);
                }
                Some(Data::List(lines))
            }
            "first" => all.first().cloned(),
            "expanduser" => {
                let v = all.first()?.value(at);
                let text = v.as_str()?;
                match text.strip_prefix('~') {
                    Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                        let mut out = self.home(at);
                        out.push(Value::computed(rest.as_bytes(), at, v.taint()));
                        Some(Data::Text(out))
                    }
                    _ => Some(Data::Text(v.clone())),
                }
            }
            "cwd" => {
                Some(Data::Text(self.sh.cwd.clone().unwrap_or_else(|| Value::computed(b".", at, Taint::default()))))
            }
            "dict" => match all.first() {
                None => Some(Data::Map(named(args, at))),
                Some(Data::Map(m)) => Some(Data::Map(m.iter().cloned().chain(named(args, at)).collect())),
                Some(Data::List(pairs)) => {
                    let pair = |d: &Data| match d {
                        Data::List(kv) => Some((kv.first()?.clone(), kv.get(1)?.clone())),
                        _ => None,
                    };
                    Some(Data::Map(pairs.iter().map(pair).collect::<Option<Vec<_>>>()?))
                }
                _ => None,
            },
            // White space, or given characters, off either end: which end is no matter for what the text means.
            "trim" => {
                let v = all.first()?.value(at);
                let text = v.as_str()?;
                let out = match all.get(1).map(|d| d.value(at)) {
                    None => text.trim(),
                    Some(set) => {
                        let set = set.as_str()?.into_owned();
                        text.trim_matches(|c| set.contains(c))
                    }
                };
                Some(Data::Text(Value::computed(out.as_bytes(), at, v.taint())))
            }
            _ => None,
        }
    }

    /// A program by its path and its arguments, the first of which is its own name; a map at the end is its environment.
    pub(super) fn start(&mut self, run: &mut Run, all: &[Data], at: Place) {
        let Some((program, rest)) = all.split_first() else { return };
        let mut words = vec![program.value(at)];
        let given: Vec<Value> = rest.iter().filter(|d| !matches!(d, Data::Map(_))).flat_map(|d| d.words(at)).collect();
        words.extend(given.into_iter().skip(1));
        let out = self.words_of_command(run, words, at);
        self.emit(1, out);
    }

    /// Runs a command of a shell language: a function of the script, or a program, with the script's names for code that
    /// the command evaluates. Gives what it prints.
    pub(super) fn shell_command(&mut self, run: &mut Run, words: &[Data], input: Option<Data>, at: Place) -> Data {
        let Some((first, rest)) = words.split_first() else { return Data::Null };
        let mut name = first.value(at).as_str().map(|s| s.to_ascii_lowercase());
        let other = name.as_ref().and_then(|n| run.alias(n));
        let first = other.as_ref().unwrap_or(first);
        if other.is_some() {
            name = first.value(at).as_str().map(|s| s.to_ascii_lowercase());
        }
        if let Some(n) = &name
            && let Some(f @ Data::Function(..)) = run.get(n).cloned()
        {
            let args = rest.iter().map(|d| (None, d.clone())).collect();
            return self.apply(run, f, args, at);
        }
        if let Some(d) = &input {
            run.set("$_", d.clone());
        }
        // A block among the words runs, once or for each thing that comes in.
        for block in rest.iter().filter(|d| matches!(d, Data::Function(..))) {
            self.callback(run, block.clone(), Vec::new(), at);
        }
        // `& $block`: text in braces is no name of a program.
        if run.language == Language::PowerShell
            && let Some(block) = block_of(first)
        {
            return self.evaluate_here(run, block, at);
        }
        let mut argv: Vec<Value> = std::iter::once(first).chain(rest).flat_map(|d| d.words(at)).collect();
        // Either slash parts the directories of a program's path.
        if run.language == Language::PowerShell
            && let Some(path) = argv.first().and_then(|v| v.as_str()).filter(|p| p.starts_with(['.', '\\']))
            && path.contains('\\')
        {
            let path = path.replace('\\', "/");
            if let Some(first) = argv.first_mut() {
                *first = Value::computed(path.as_bytes(), at, first.taint());
            }
        }
        // Providers of PowerShell take `~` for the user's directory, quoted or not.
        if run.language == Language::PowerShell {
            argv.iter_mut().skip(1).for_each(|v| self.expand_tilde(v));
        }
        let (language, by) = (run.language, run.by);
        let before = self.graph.effects.len();
        let lent = std::mem::replace(run, Run::new(language, by));
        let outer = self.evaluating.replace(lent);
        let shell = std::mem::replace(&mut self.language, language);
        let parent = self.parent.replace(by);
        let mut place = self.sh.cwd.clone();
        let out = self.capture(|me| {
            if let Some(d) = &input {
                let mut v = d.value(at);
                v.step(crate::value::Channel::Pipe);
                let end = me.new_input(v);
                me.sh.set_fd(0, end);
            }
            me.run_words(argv, at, None, &[], false);
            place = me.sh.cwd.clone();
        });
        self.parent = parent;
        // The working directory is the process's own.
        self.sh.cwd = place;
        self.language = shell;
        if let Some(back) = std::mem::replace(&mut self.evaluating, outer) {
            *run = back;
        }
        // Blocks that the command took and of which it is not known what it does with them (`sort { … }`).
        let new = self.graph.effects.get(before..).unwrap_or_default();
        if run.language == Language::PowerShell && !new.iter().any(|e| e.verb == Verb::Evaluate) {
            let mut blocks: Vec<Value> = Vec::new();
            for d in rest {
                match d {
                    Data::Map(m) => blocks.extend(m.iter().filter_map(|(_, v)| block_of(v))),
                    d => blocks.extend(block_of(d)),
                }
            }
            for b in blocks.into_iter().take(16) {
                self.perhaps(run, |me, run| me.evaluate_here(run, b, at));
            }
        }
        Data::Text(out)
    }

    /// Runs a command given as words; gives what it prints.
    pub(super) fn words_of_command(&mut self, run: &mut Run, words: Vec<Value>, at: Place) -> Value {
        let id = self.effect(Verb::Spawn, Object::Command(words.clone()), run.by, at);
        if let Some(w) = words.first() {
            self.flow(id, &w.taint());
        }
        let parent = self.parent.replace(run.by);
        let out = self.capture(|me| {
            me.run_words(words, at, None, &[], false);
        });
        self.parent = parent;
        out
    }

    /// Whether what a descriptor gives is all known to have been read.
    fn reads_known(&self, fd: u32) -> bool {
        matches!(self.sh.fd(fd), End::Input(_) | End::Nothing)
    }

    /// Something is written to a process: what that runs reads it.
    pub(super) fn feed(&mut self, run: &Run, words: Vec<Value>, text: Value, at: Place) -> Value {
        let parent = self.parent.replace(run.by);
        let out = self.capture(|me| {
            let end = me.new_input(text);
            me.sh.set_fd(0, end);
            me.run_words(words, at, None, &[], false);
        });
        self.parent = parent;
        out
    }

    /// Sets a variable that what is started from now on gets.
    pub(super) fn export(&mut self, name: &Value, value: Value) {
        if let Some(n) = name.as_str()
            && !n.is_empty()
        {
            self.sh.set_scalar(&n, value);
            self.sh.attrs(&n, |a| a.exported = true);
        }
    }

    /// A module that the text wrote runs when it is imported; one that nothing is known of may be the project's own.
    pub(super) fn imported(&mut self, run: &Run, name: &str, span: Span) {
        let at = self.at(span);
        self.import(run, name, at);
    }

    /// The same at a place of its own.
    pub(super) fn import(&mut self, run: &Run, name: &str, at: Place) {
        if !self.import_written(run, name, at) {
            self.import_unknown(run, name, at);
        }
    }

    /// The code of a module that is neither the language's own nor a widely used library's: it runs, and nobody read it.
    fn import_unknown(&mut self, run: &Run, name: &str, at: Place) {
        if name.starts_with("http://") || name.starts_with("https://") {
            let id = self.effect(
                Verb::Fetch,
                Object::Url(Value::computed(name.as_bytes(), at, Taint::default())),
                run.by,
                at,
            );
            let content = Value::unknown_tainted(Why::Network, at, Taint::of(id));
            self.evaluate(run.language, content, Reach::Argument, run.by, at, Env::Fresh(None, None));
            return;
        }
        if calls::knows_module(run.language, name) == Some(false) {
            let what = if name.contains("://") { "package-code" } else { "project-code" };
            self.effect(Verb::Evaluate, Object::Stated(what), run.by, at);
        }
    }

    /// Runs a module that the text wrote; false where it wrote none of that name.
    fn import_written(&mut self, run: &Run, name: &str, at: Place) -> bool {
        if self.files.is_empty() {
            return false;
        }
        // `import './x.mjs'` names the file itself.
        let names = match calls::modules(run.language) {
            [] if name.starts_with(['.', '/']) => &["%"],
            names => names,
        };
        let file = match names {
            ["%", ..] => name.to_string(),
            _ => name.trim_start_matches('.').replace('.', "/"),
        };
        let paths = names.iter().map(|m| Value::computed(m.replace('%', &file).as_bytes(), at, Taint::default()));
        // `from a import b` names what is in `a`.
        let above = file.rsplit_once('/').map_or("", |(m, _)| m);
        let around = names.iter().map(|m| Value::computed(m.replace('%', above).as_bytes(), at, Taint::default()));
        let Some(path) = paths.chain(around).find(|p| self.written(p).is_some()) else { return false };
        let (content, _) = self.read_file(&path, run.by, at);
        let outer = self.evaluating.take();
        self.evaluate(run.language, content, Reach::File, run.by, at, Env::Fresh(None, None));
        self.evaluating = outer;
        true
    }

    /// What the process of the script reads on its standard input.
    pub(super) fn standard_input(&mut self, run: &Run, at: Place) -> Value {
        // The program's own reading of it may have taken it away already.
        let given = self.graph.process(run.by).and_then(|p| p.stdin.clone());
        let left = self.read_all(0).filter(|v| !v.pieces.is_empty());
        given.or(left).unwrap_or_else(|| Value::unknown(Why::Stdin, at))
    }

    fn print_line(&mut self, run: &Run, all: &[Data], args: &Args, at: Place) {
        let named = |n: &str| args.iter().find(|(m, _)| m.as_deref() == Some(n)).map(|(_, d)| d.clone());
        let mut text = Value::default();
        for (i, d) in all.iter().enumerate() {
            if i > 0 {
                text.push(named("sep").map_or_else(|| Value::computed(b" ", at, Taint::default()), |s| s.value(at)));
            }
            text.push(d.value(at));
        }
        text.push(named("end").map_or_else(|| Value::computed(b"\n", at, Taint::default()), |s| s.value(at)));
        match named("file") {
            None => self.emit(1, text),
            Some(to @ (Data::Object(_) | Data::Number(_) | Data::Path(_))) => self.pour(run, text, &to, at),
            Some(_) => self.emit(2, text),
        }
    }

    /// `~` at the beginning of a path becomes the user's directory.
    pub(super) fn expand_tilde(&mut self, v: &mut Value) {
        let (first, rest) = v.split_at(1);
        let (next, _) = rest.split_at(1);
        let ends = |t: Option<std::borrow::Cow<'_, [u8]>>| matches!(t.as_deref(), Some([] | b"/" | b"\\"));
        if first.as_literal().as_deref() == Some(b"~") && ends(next.as_literal()) {
            let mut out = self.home(v.place());
            out.push(rest);
            *v = out;
        }
    }

    /// The user's directory.
    fn home(&mut self, at: Place) -> Value {
        self.variable("HOME", at).unwrap_or_else(|| Value::unknown(crate::value::Why::Home(String::new()), at))
    }
}

/// gawk's names of connections: `/inet/tcp/0/HOST/PORT`; with host `0` one that others open.
fn network_file(name: &str, at: Place) -> Option<Object> {
    let mut parts = name.strip_prefix('/')?.split('/');
    if !matches!(parts.next()?, "inet" | "inet4" | "inet6") {
        return None;
    }
    let text = |s: &str| Value::computed(s.as_bytes(), at, Taint::default());
    let (_, local, host, remote) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some(match host {
        "0" => Object::Socket(Value::default(), text(local)),
        host => Object::Socket(text(host), text(remote)),
    })
}

/// Parts of a path joined by `/`.
pub(super) fn path(all: &[Data], at: Place) -> Value {
    let mut out = Value::default();
    for d in all {
        let v = d.value(at);
        let absolute = v.as_str().is_some_and(|s| s.starts_with('/'));
        if absolute || out.pieces.is_empty() {
            out = v;
            continue;
        }
        let ends = out.as_str().is_some_and(|s| s.ends_with('/'));
        if !ends {
            out.push(Value::computed(b"/", at, Taint::default()));
        }
        out.push(v);
    }
    out
}

/// Named arguments as a map.
pub(super) fn named(args: &Args, at: Place) -> Vec<(Data, Data)> {
    let text = |n: &String| Data::Text(Value::computed(n.as_bytes(), at, Taint::default()));
    args.iter().filter_map(|(n, d)| Some((text(n.as_ref()?), d.clone()))).collect()
}

/// Text that is a block in braces.
fn block_of(d: &Data) -> Option<Value> {
    let Data::Text(v) = d else { return None };
    let prefix = v.prefix();
    prefix.trim_ascii_start().starts_with(b"{").then(|| v.clone())
}
