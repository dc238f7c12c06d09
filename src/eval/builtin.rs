//! The shell's own builtins: those that change the shell's state or decide what it runs.
//!
//! In: the semantics' name from the grammar (`builtin = "cd"`), and the invocation. Out: the new state. Names here are
//! those of the language (POSIX XCU 2.14, bash manual 4), not of programs. `None` where a builtin is treated like any
//! other program by its grammar.

mod mapfile;
mod state;
mod trap;

use super::nested::Env;
use super::param::empty;
use super::scope::Content;
use super::{Flow, Interp};
use crate::command::Invocation;
use crate::effect::graph::Reach;
use crate::effect::{Object, ProcessId, Verb};
use crate::limits;
use crate::source::Place;
use crate::value::{Piece, Taint, Value, Why};
use state::closed;
use std::rc::Rc;

/// The builtin that a command word names: those whose semantics are here, by the names that the language gives them
/// (POSIX XCU 2.14, bash manual 4). Other names have the semantics that their grammar states.
pub(crate) fn named(word: &str) -> Option<&'static str> {
    const NAMES: &[&str] = &[
        ":", "true", "false", "cd", "pushd", "popd", "echo", "printf", "eval", "exec", "command", "builtin", "test",
        "[", "read", "mapfile", "set", "shift", "unset", "let", "getopts", "alias", "unalias", "trap", "return",
        "exit", "logout", "break", "continue", "shopt", "source", "declare", "typeset", "local", "export", "readonly",
        "enable", "hash", "history", "wait", "print",
    ];
    match word {
        "." => Some("source"),
        "readarray" => Some("mapfile"),
        "chdir" => Some("cd"),
        other => NAMES.iter().find(|n| **n == other).copied(),
    }
}

impl Interp<'_> {
    /// Runs a builtin.
    pub(crate) fn builtin(
        &mut self,
        name: &str,
        inv: &Invocation,
        argv: &[Value],
        at: Place,
        by: ProcessId,
    ) -> Option<Flow> {
        let args = argv.get(1..).unwrap_or(&[]);
        let asked = args.first().and_then(Value::as_str).is_some_and(|a| a == "--help");
        if asked && self.bash_or_sh() && !matches!(name, ":" | "true" | "false" | "echo" | "test" | "[") {
            // It says what it would do.
            self.emit(1, Value::unknown(Why::Output(name.to_string()), at));
            self.sh.status = Some(2);
            return Some(Flow::Next);
        }
        if self.sh.disabled.iter().any(|n| n == name) && !has_program(name) {
            // Switched off: there is no such command.
            self.sh.status = None;
            return Some(Flow::Next);
        }
        match name {
            ":" | "true" => self.sh.status = Some(0),
            "false" => self.sh.status = Some(1),
            // Too many arguments: it fails, and the shell stays where it is.
            "cd" if inv.operands.iter().filter(|v| v.is_known()).count() > 1
                && matches!(self.language, crate::effect::Language::Bash) =>
            {
                self.sh.status = Some(1);
            }
            "cd" => {
                let target = match inv.operands.first() {
                    Some(v) => self.found_by_path(v, at),
                    None => self.variable("HOME", at).unwrap_or_default(),
                };
                let target = if target.as_str().as_deref() == Some("-") {
                    self.variable("OLDPWD", at).unwrap_or_default()
                } else {
                    target
                };
                let id = self.effect(Verb::Chdir, Object::Path(target.clone()), by, at);
                self.flow(id, &target.taint());
                self.change_dir(&target);
                // It may fail; what follows is judged as if it did not, and `cd x && rm` runs only then.
                self.sh.status = None;
            }
            "pushd" => {
                let old = self.sh.cwd.clone();
                self.sh.dirs.push(old);
                if let Some(v) = inv.operands.first() {
                    let v = v.clone();
                    self.change_dir(&v);
                }
                self.sh.status = None;
            }
            "popd" => {
                if let Some(d) = self.sh.dirs.pop() {
                    self.sh.cwd = d;
                }
                self.sh.status = None;
            }
            "echo" => {
                let v = self.echo(args, at);
                self.emit(1, v);
                self.sh.status = Some(0);
            }
            "printf" => {
                let (v, status) = self.printf(&inv.operands, at);
                let target = inv.value_of("-v").and_then(|t| t.as_str().map(|s| s.into_owned()));
                match target {
                    Some(var) => {
                        // A variable ends before its first NUL.
                        let nul = v.as_literal().and_then(|b| b.iter().position(|b| *b == 0));
                        let v = nul.map_or(v.clone(), |n| v.split_at(n).0);
                        self.assign_name(&var, v, at);
                    }
                    None => self.emit(1, v),
                }
                self.sh.status = Some(status);
            }
            "eval" => {
                let mut code = Value::default();
                for (i, a) in inv.operands.iter().enumerate() {
                    if i > 0 {
                        code.push(Value::computed(b" ", a.place(), Taint::default()));
                    }
                    code.push(a.clone());
                }
                if empty(&code) != Some(false) {
                    self.sh.status = Some(0);
                }
                let place = if code.pieces.is_empty() { at } else { code.place() };
                let (_, flow) = self.evaluate(self.language, code, Reach::Argument, by, place, Env::Current(None));
                return Some(flow);
            }
            "source" => {
                let Some(path) = inv.operands.first().cloned() else {
                    self.sh.status = Some(2);
                    return Some(Flow::Next);
                };
                let (content, _) = self.read_file(&path, by, path.place());
                let args = inv.operands.get(1..).filter(|a| !a.is_empty()).map(<[Value]>::to_vec);
                self.sourced = self.sourced.saturating_add(1);
                let (_, flow) =
                    self.evaluate(self.language, content, Reach::File, by, path.place(), Env::Current(args));
                self.sourced = self.sourced.saturating_sub(1);
                let unknown = self.written(&path).is_none();
                if unknown {
                    self.sh.status = None;
                }
                return Some(if flow == Flow::Return { Flow::Next } else { flow });
            }
            "exec" => {
                if inv.operands.is_empty() {
                    self.sh.status = Some(0);
                    return Some(Flow::Next);
                }
                // The command replaces the shell: what follows does not run.
                self.external(inv, args, at, by, true);
                if self.certain_exec(inv) {
                    return Some(Flow::Exit);
                }
                // The shell may still be there.
                self.ended |= inv.doubts.is_empty();
                self.sh.status = None;
            }
            // Too many arguments: that ends the shell.
            "history" if args.len() > 1 && args.iter().all(|a| a.is_known() && !a.prefix().starts_with(b"-")) => {
                self.leave_on_error();
            }
            "history" if matches!(args, [a] if a.as_str().is_some_and(|s| s.starts_with(|c: char| c.is_ascii_alphabetic()))) =>
            {
                self.sh.status = Some(1);
            }
            "history" => return None,
            "enable" | "hash" => {
                self.names_of_commands(name, inv, args);
                return None;
            }
            "print" => return self.print_words(args, at),
            "wait" => {
                if let Some(n) = inv.value_of("-p").and_then(|v| globs_as_text(v).as_str().map(|s| s.into_owned())) {
                    let v = Value::unknown(Why::NotComputed("number of a process"), at);
                    self.conditional(|me| me.assign_name(&n, v, at));
                }
                return None;
            }
            "declare" | "typeset" | "local" | "export" | "readonly" => self.declare_fields(name, args, at),
            "command" | "builtin" | "test" | "[" | "read" | "mapfile" | "set" | "shift" | "unset" | "let"
            | "getopts" | "alias" | "unalias" | "trap" | "return" | "exit" | "logout" | "break" | "continue"
            | "shopt" => {
                return self.builtin_state(name, inv, args, at, by);
            }
            _ => return None,
        }
        Some(Flow::Next)
    }

    /// True where it replaces the shell for certain: there is a command, and the shell ends where it is not found.
    fn certain_exec(&self, inv: &Invocation) -> bool {
        let word = |v: &Value| !v.pieces.iter().all(|p| matches!(p, Piece::Unknown(u) if u.splits));
        inv.doubts.is_empty() && !self.interactive && !self.sh.opts.execfail && inv.operands.iter().any(word)
    }

    fn bash_or_sh(&self) -> bool {
        matches!(self.language, crate::effect::Language::Bash | crate::effect::Language::Sh)
    }

    fn builtin_state(
        &mut self,
        name: &str,
        inv: &Invocation,
        args: &[Value],
        at: Place,
        by: ProcessId,
    ) -> Option<Flow> {
        match name {
            // An option that it does not have: it runs nothing.
            "command"
                if matches!(self.language, crate::effect::Language::Bash)
                    && args.first().and_then(Value::as_str).is_some_and(|a| {
                        a.len() > 1 && a != "--" && a.starts_with('-') && a.chars().skip(1).any(|c| !"pvV".contains(c))
                    }) =>
            {
                self.sh.status = Some(2);
            }
            "command" | "builtin" => {
                if !inv.info && inv.uses.iter().any(|u| u.role == crate::command::Role::Command) {
                    return None;
                }
                self.sh.status = None;
                if inv.grammar.is_some() {
                    let option = |v: &&Value| v.prefix().starts_with(b"-");
                    let names: Vec<Value> = args.iter().skip_while(option).cloned().collect();
                    let located = super::compute::located(&names, at);
                    self.emit(
                        1,
                        if names.is_empty() { Value::unknown(Why::Output(inv.name.clone()), at) } else { located },
                    );
                }
            }
            // Other shells have no `==` there.
            "test" | "["
                if self.language == crate::effect::Language::Sh
                    && args.iter().any(|a| a.as_str().is_some_and(|s| s == "==")) =>
            {
                self.sh.status = None;
            }
            "test" => self.sh.status = self.test(args),
            "[" => {
                self.sh.status = match args.split_last() {
                    Some((last, inner)) if last.as_str().as_deref() == Some("]") => self.test(inner),
                    Some((last, _)) if !last.is_known() => None,
                    // No closing bracket.
                    _ => Some(2),
                };
            }
            "read" => self.read(inv, at),
            "mapfile" => self.mapfile(inv, at, by),
            "set" => {
                if args.is_empty() {
                    self.print_variables(at);
                }
                self.set_builtin(args);
                // `set +o history`
                self.stated(inv, by, &super::invoke::Work::default(), false);
            }
            "shift" if inv.operands.len() > 1 && inv.operands.iter().all(Value::is_known) => self.leave_on_error(),
            "shift" => {
                let n = match inv.operands.first() {
                    None => Some(1),
                    Some(v) => v.as_str().and_then(|s| s.trim().parse::<usize>().ok()),
                };
                match (&self.sh.positional, n) {
                    // What may be several may be left: it stays.
                    (Some(p), Some(n)) if p.iter().take(n).any(super::param::is_several) => {
                        let known = p.iter().take_while(|v| !super::param::is_several(v)).count();
                        let rest = p.get(known..).unwrap_or(&[]).to_vec();
                        self.sh.positional = Some(Rc::new(rest));
                        self.sh.status = None;
                    }
                    (Some(p), Some(n)) if n <= p.len() => {
                        let rest = p.get(n..).unwrap_or(&[]).to_vec();
                        self.sh.positional = Some(Rc::new(rest));
                        self.sh.status = Some(0);
                    }
                    (Some(_), Some(_)) => self.sh.status = Some(1),
                    _ => {
                        self.sh.positional = None;
                        self.sh.status = None;
                    }
                }
            }
            "unset" => {
                for v in &inv.operands {
                    let v = &globs_as_text(v);
                    let Some(n) = v.as_str().map(|s| s.into_owned()) else { continue };
                    if inv.has("-f") {
                        self.sh.functions.remove(&n);
                        continue;
                    }
                    match n.split_once('[') {
                        Some((base, rest)) => {
                            let base = self.sh.target(base).into_owned();
                            if let Some(key) = self.key_text(&base, closed(rest), v.place()) {
                                self.unset_element(&base, &key);
                            } else {
                                let taint = v.taint();
                                self.sh.set(&base, Content::Opaque(super::scope::Open::of(taint)));
                            }
                        }
                        None if self.sh.var(&n).is_none_or(|v| v.content == Content::Unset)
                            && self.sh.functions.contains_key(&n) =>
                        {
                            self.sh.functions.remove(&n);
                        }
                        None => {
                            let n = if inv.has("-n") { n } else { self.sh.target(&n).into_owned() };
                            self.unset_variable(&n);
                            self.note_variable(&n, None, v.place(), Some(by));
                        }
                    }
                }
                self.sh.status = Some(0);
            }
            "let" => {
                let mut status = None;
                let posix = self.language == crate::effect::Language::Sh;
                for v in &inv.operands {
                    status = match self.arith_inner(|me| me.arith_of(&globs_as_text(v))) {
                        Ok(n) => n.map(|n| i32::from(n == 0)),
                        Err(()) => Some(1),
                    };
                }
                self.sh.status = status.filter(|_| !posix);
            }
            "getopts" => self.getopts(inv, at),
            "alias" => {
                if inv.operands.is_empty() || inv.operands.iter().any(|v| !v.prefix().contains(&b'=')) {
                    self.emit(1, Value::unknown(Why::NotComputed("list of aliases"), at));
                }
                for v in &inv.operands {
                    let prefix = v.prefix();
                    let Some(i) = prefix.iter().position(|b| *b == b'=') else { continue };
                    let name = String::from_utf8_lossy(prefix.get(..i).unwrap_or(&[])).into_owned();
                    let mut body = Value::default();
                    let rest = prefix.get(i.saturating_add(1)..).unwrap_or(&[]);
                    if !rest.is_empty() {
                        body.push(Value::computed(rest, v.place(), v.taint()));
                    }
                    let known = v.pieces.iter().take_while(|p| matches!(p, Piece::Literal(_))).count();
                    v.pieces.iter().skip(known).for_each(|p| body.push_piece(p.clone()));
                    let id = self.effect(
                        Verb::Configure,
                        Object::Named("alias", Value::computed(name.as_bytes(), v.place(), Taint::default())),
                        by,
                        v.place(),
                    );
                    self.amend(id, |e| e.other = Some(Box::new(Object::Named("value", body.clone()))));
                    // What the name will do when somebody types it.
                    if name.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'$' | b'`' | b'/' | b'"' | b'\'')) {
                        self.deferred(body.clone(), self.language, by, v.place());
                    }
                    if self.sh.alias_changes.len() < limits::MAX_FIELDS {
                        self.sh.alias_changes.push(Some((name, Some(body))));
                    }
                }
                self.sh.status = Some(0);
            }
            "unalias" => {
                if inv.has("-a") {
                    self.sh.alias_changes.push(None);
                }
                let mut known = true;
                for v in &inv.operands {
                    if let Some(n) = v.as_str() {
                        // One that the text did not make may come from the surroundings.
                        known &= self.sh.aliases.contains_key(&n);
                        self.sh.alias_changes.push(Some((n.into_owned(), None)));
                    }
                }
                self.sh.status = known.then_some(0);
            }
            "trap" => self.trap(inv, by, at),
            // Outside of functions and sourced files bash refuses it, and goes on.
            "return"
                if self.calls.iter().all(|c| c.contains(' '))
                    && self.sourced == 0
                    && matches!(self.language, crate::effect::Language::Bash | crate::effect::Language::Sh) =>
            {
                self.sh.status = Some(2);
            }
            // No shell that runs a text is a login shell, unless it is told to be.
            "logout" => {
                self.sh.status = Some(1);
                self.ended = true;
            }
            "return" | "exit" => {
                self.sh.status = match inv.operands.first() {
                    None => self.sh.status,
                    // What is no number is an error.
                    Some(v) => v.as_str().map(|s| s.trim().parse::<i64>().map_or(2, |n| (n & 0xff) as i32)),
                };
                return Some(if name == "exit" { Flow::Exit } else { Flow::Return });
            }
            "break" | "continue" if inv.operands.len() > 1 && inv.operands.iter().all(Value::is_known) => {
                // Too many arguments: that ends the shell.
                self.leave_on_error();
            }
            "break" | "continue" => {
                let n = match inv.operands.first() {
                    None => 1,
                    Some(v) => v.as_str().and_then(|s| s.trim().parse::<u32>().ok()).unwrap_or(1),
                };
                self.sh.status = Some(0);
                // Outside of loops it does nothing; at most all of them are left.
                let n = n.clamp(1, self.loops.max(1));
                return Some(match (self.loops, name) {
                    (0, _) => Flow::Next,
                    (_, "break") => Flow::Break(n),
                    _ => Flow::Continue(n),
                });
            }
            "shopt" if inv.has("-o") => {
                let sign = if inv.has("-s") { "-o" } else { "+o" };
                let set = inv.has("-s") || inv.has("-u");
                for v in inv.operands.iter().filter(|_| set) {
                    self.set_builtin(&[Value::computed(sign.as_bytes(), at, Taint::default()), v.clone()]);
                }
                self.sh.status = None;
            }
            "shopt" => {
                let on = inv.has("-s");
                if on || inv.has("-u") {
                    let mut known = true;
                    for v in &inv.operands {
                        match v.as_str().as_deref() {
                            Some("expand_aliases") => self.sh.opts.expand_aliases = on,
                            Some("nullglob") => self.sh.opts.nullglob = on,
                            Some("nocasematch") => self.sh.opts.nocasematch = on,
                            Some("lastpipe") => self.sh.opts.lastpipe = on,
                            Some("xpg_echo") => self.sh.opts.xpg_echo = on,
                            Some("failglob") => self.sh.opts.failglob = on,
                            Some("execfail") => self.sh.opts.execfail = on,
                            // Which options there are depends on the version.
                            _ => known = false,
                        }
                    }
                    self.sh.status = known.then_some(0);
                } else {
                    self.sh.status = None;
                }
            }
            _ => return None,
        }
        Some(Flow::Next)
    }
}

/// True for builtins that are programs, too: where the builtin is switched off the program does the same.
fn has_program(name: &str) -> bool {
    matches!(name, ":" | "true" | "false" | "echo" | "printf" | "test" | "[" | "enable" | "hash" | "wait")
}

/// A word that names a variable: a subscript in it (`a[1]`) is a pattern that matches no file.
pub(crate) fn globs_as_text(v: &Value) -> Value {
    let mut out = Value::default();
    for p in &v.pieces {
        match p {
            Piece::Glob(crate::value::Glob::Bracket(b), at) => {
                let mut text = vec![b'['];
                text.extend(b.iter().filter(|c| **c != b'\\'));
                text.push(b']');
                out.push(Value::computed(&text, *at, Taint::default()));
            }
            Piece::Glob(_, at) => {
                let text = Value { pieces: smallvec::smallvec![p.clone()] }.show();
                out.push(Value::computed(text.as_bytes(), *at, Taint::default()));
            }
            other => out.push_piece(other.clone()),
        }
    }
    out
}
