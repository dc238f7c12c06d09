//! What a shell remembers: variables, functions, positional parameters, descriptors, working directory, options.
//!
//! Floor 5; imports `source`, `syntax::ast`, `value`, [`super::map`]. Cheap to copy (copies share what did not change), since
//! every subshell and every branch whose condition is not known works on a copy; [`Shell::join`] makes one state of two,
//! and costs what the two differ in.

mod open;

use super::map::Map;
use crate::source::TextId;
use crate::syntax::ast;
use crate::value::{Taint, Value, Why};
use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) use open::Open;

/// Bodies that a function may have beside one, on other paths.
const MAX_OTHERS: usize = 7;

/// The variables that a function made local, with what they were before.
pub(crate) type Frame = Rc<Vec<(String, Option<Rc<Var>>)>>;

/// Content of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// Known to be unset.
    Unset,
    /// A string.
    Scalar(Value),
    /// An indexed array.
    Indexed(BTreeMap<i64, Value>),
    /// An associative array, in order of first assignment.
    Assoc(Vec<(Vec<u8>, Value)>),
    /// An array of which not even the keys are known.
    Opaque(Open),
}

/// Attributes of a variable, as `declare` gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attrs {
    pub(crate) exported: bool,
    pub(crate) readonly: bool,
    pub(crate) integer: bool,
    pub(crate) lower: bool,
    pub(crate) upper: bool,
    /// `declare -c`: the first letter in upper case, the others in lower case.
    pub(crate) capital: bool,
    pub(crate) nameref: bool,
    /// An assignment before a command, which holds for that command.
    pub(crate) temporary: bool,
    /// True where one of the joined paths leaves it unset.
    pub(crate) maybe_unset: bool,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Var {
    pub(crate) content: Content,
    pub(crate) attrs: Attrs,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Func {
    /// Handed to shells that this one starts (`export -f`).
    pub(crate) exported: bool,
    pub(crate) body: Rc<ast::Command>,
    pub(crate) text: TextId,
    /// True where one of the joined paths does not define it.
    pub(crate) maybe: bool,
    /// What other paths define it as.
    pub(crate) others: Vec<(Rc<ast::Command>, TextId)>,
}

impl Func {
    /// Each of the functions that it may be.
    pub(crate) fn each(&self) -> Vec<Func> {
        let one = |(body, text): &(Rc<ast::Command>, TextId)| Func {
            exported: self.exported,
            body: Rc::clone(body),
            text: *text,
            maybe: false,
            others: Vec::new(),
        };
        std::iter::once(&(Rc::clone(&self.body), self.text)).chain(&self.others).map(one).collect()
    }
}

/// What a descriptor is connected to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// What the surrounding process has there: 0 standard input, 1 standard output, 2 standard error.
    Outer(u32),
    /// `/dev/null`, or closed.
    Nothing,
    /// Content that can be read: an index into the interpreter's inputs.
    Input(usize),
    /// A buffer that collects what is written: an index into the interpreter's sinks.
    Sink(usize),
    /// A file: its key in the interpreter's files, and the effect of opening it for writing (if for writing).
    File { key: String, write: Option<crate::effect::EffectId>, read: bool },
    /// A network connection, by the effect that opened it.
    Socket(crate::effect::EffectId),
    /// Not known.
    Unknown,
}

/// Shell options that change what text means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opts {
    pub(crate) noglob: bool,
    pub(crate) nounset: bool,
    pub(crate) allexport: bool,
    pub(crate) pipefail: bool,
    pub(crate) errexit: bool,
    pub(crate) errtrace: bool,
    pub(crate) functrace: bool,
    pub(crate) failglob: bool,
    pub(crate) nullglob: bool,
    pub(crate) nocasematch: bool,
    pub(crate) expand_aliases: bool,
    pub(crate) lastpipe: bool,
    pub(crate) posix: bool,
    pub(crate) xpg_echo: bool,
    /// zsh: arrays begin with 0, and their name alone is their first element (`KSH_ARRAYS`).
    pub(crate) from_zero: bool,
    /// zsh: unquoted expansions are not split.
    pub(crate) no_split: bool,
    /// `exec` of what cannot be started does not end the shell.
    pub(crate) execfail: bool,
}

/// The code of `trap … EXIT`: its text, who set it and where, and whether that is certain.
pub(crate) type ExitTrap = (Value, crate::effect::ProcessId, crate::source::Place, crate::effect::Certainty);

/// The state of one shell.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    pub(crate) vars: Map<Var>,
    pub(crate) functions: Map<Func>,
    pub(crate) aliases: Map<Value>,
    /// What `alias` and `unalias` did since this complete command was read: a shell expands aliases when it reads, so
    /// they count from the next one on. A name without a value is taken back; `None` takes back all.
    pub(crate) alias_changes: Vec<Option<(String, Option<Value>)>>,
    /// The programs that the shell has been told to start for a name (`hash -p`).
    pub(crate) hashed: Map<Value>,
    /// Builtins that are switched off (`enable -n`).
    pub(crate) disabled: Vec<String>,
    /// `None` where they belong to the surrounding shell.
    pub(crate) positional: Option<Rc<Vec<Value>>>,
    /// Where there are none: true if they are the surrounding shell's, false if they differ between paths.
    pub(crate) outer_positional: bool,
    /// `$0`, where set by the text.
    pub(crate) zero: Option<Value>,
    pub(crate) fds: Vec<(u32, End)>,
    /// `None`: where the text starts.
    pub(crate) cwd: Option<Value>,
    pub(crate) dirs: Vec<Option<Value>>,
    pub(crate) opts: Opts,
    /// The code of `trap … EXIT`, and who set it.
    pub(crate) exit_trap: Option<ExitTrap>,
    /// That of `trap … ERR`.
    pub(crate) err_trap: Option<ExitTrap>,
    /// That of `trap … RETURN`, which the end of the function runs that set it.
    pub(crate) return_trap: Option<ExitTrap>,
    /// That of `trap … DEBUG`.
    pub(crate) debug_trap: Option<ExitTrap>,
    /// Saved variables of the functions that are active, innermost last: restored when the function returns.
    pub(crate) locals: Vec<Frame>,
    /// Exit status of the last command, where known.
    pub(crate) status: Option<i32>,
    /// `$_`
    pub(crate) last_arg: Option<Value>,
    /// True where a path that is not taken left the shell before this point (`exit` under a condition).
    pub(crate) subshell: bool,
}

impl Default for Shell {
    fn default() -> Self {
        Shell {
            vars: Map::default(),
            functions: Map::default(),
            aliases: Map::default(),
            alias_changes: Vec::new(),
            hashed: Map::default(),
            disabled: Vec::new(),
            positional: None,
            outer_positional: true,
            zero: None,
            fds: vec![(0, End::Outer(0)), (1, End::Outer(1)), (2, End::Outer(2))],
            cwd: None,
            dirs: Vec::new(),
            opts: Opts::default(),
            exit_trap: None,
            err_trap: None,
            return_trap: None,
            debug_trap: None,
            locals: Vec::new(),
            status: Some(0),
            last_arg: None,
            subshell: false,
        }
    }
}

impl Shell {
    /// The functions that shells started by this one know, too.
    pub(crate) fn exported_functions(&self) -> Map<Func> {
        let mut out = Map::default();
        self.functions.iter().filter(|(_, f)| f.exported).for_each(|(n, f)| out.insert(n, f.clone()));
        out
    }

    /// The descriptor's end; `Nothing` where it is closed.
    pub(crate) fn fd(&self, n: u32) -> &End {
        self.fds.iter().find(|(k, _)| *k == n).map_or(&End::Nothing, |(_, e)| e)
    }
    /// Connects a descriptor.
    pub(crate) fn set_fd(&mut self, n: u32, end: End) {
        if let Some((_, e)) = self.fds.iter_mut().find(|(k, _)| *k == n) {
            *e = end;
        } else if self.fds.len() < 256 {
            self.fds.push((n, end));
        }
    }
    /// The variable, where the text says anything about it.
    pub(crate) fn var(&self, name: &str) -> Option<&Var> {
        self.vars.get(name)
    }
    /// Follows namerefs to the name that is meant.
    pub(crate) fn target<'a>(&'a self, name: &'a str) -> std::borrow::Cow<'a, str> {
        self.referred(name).unwrap_or(std::borrow::Cow::Borrowed(name))
    }
    /// The same; `None` where they lead back to themselves.
    pub(crate) fn referred<'a>(&'a self, name: &'a str) -> Option<std::borrow::Cow<'a, str>> {
        let mut at = std::borrow::Cow::Borrowed(name);
        // bash follows eight of them.
        for _ in 0..9 {
            let next = match self.vars.get(at.as_ref()) {
                Some(Var { content: Content::Scalar(v), attrs }) if attrs.nameref => v.as_str().map(|s| s.into_owned()),
                _ => None,
            };
            match next {
                // In a function, `local -n x=x` is the variable further out.
                Some(n) if n == at.as_ref() => return if self.locals.is_empty() { None } else { Some(at) },
                Some(n) => at = std::borrow::Cow::Owned(n),
                None => return Some(at),
            }
        }
        None
    }
    /// Sets a variable's content, keeping its attributes; a readonly one stays as it is.
    pub(crate) fn set(&mut self, name: &str, content: Content) {
        if self.vars.get(name).is_some_and(|v| v.attrs.readonly) {
            return;
        }
        let exported = self.opts.allexport;
        match self.vars.get_mut(name) {
            Some(v) => {
                v.content = content;
                v.attrs.maybe_unset = false;
                v.attrs.exported |= exported;
            }
            None => self.vars.insert(name, Var { content, attrs: Attrs { exported, ..Attrs::default() } }),
        }
    }
    /// Sets a string variable.
    pub(crate) fn set_scalar(&mut self, name: &str, value: Value) {
        // `a=x` on an array sets element 0.
        let array = |v: &Var| matches!(v.content, Content::Indexed(_) | Content::Assoc(_)) && !v.attrs.readonly;
        if self.vars.get(name).is_some_and(array)
            && let Some(v) = self.vars.get_mut(name)
        {
            v.attrs.maybe_unset = false;
            match &mut v.content {
                Content::Indexed(m) => {
                    m.insert(0, value);
                }
                Content::Assoc(m) => put(m, b"0", value),
                _ => {}
            }
            return;
        }
        self.set(name, Content::Scalar(value));
    }
    /// The aliases that were made or taken back take effect: the next complete command is read.
    pub(crate) fn apply_aliases(&mut self) {
        for change in std::mem::take(&mut self.alias_changes) {
            match change {
                Some((name, Some(body))) => {
                    self.aliases.insert(&name, body);
                }
                Some((name, None)) => {
                    self.aliases.remove(&name);
                }
                None => self.aliases = Map::default(),
            }
        }
    }
    /// Changes attributes; a variable that was not mentioned before keeps the value it has from outside.
    pub(crate) fn attrs(&mut self, name: &str, change: impl FnOnce(&mut Attrs)) {
        if let Some(v) = self.vars.get_mut(name) {
            change(&mut v.attrs);
        } else {
            let mut attrs = Attrs::default();
            change(&mut attrs);
            let content = Content::Scalar(Value::unknown(Why::Environment(name.to_string()), Default::default()));
            self.vars.insert(name, Var { content, attrs });
        }
    }
    /// Unsets a variable.
    pub(crate) fn unset(&mut self, name: &str) {
        if self.vars.get(name).is_some_and(|v| v.attrs.readonly) {
            return;
        }
        // A local variable of a function further out: what it hides shows again.
        let outer = self.locals.len().saturating_sub(1);
        let own = self.locals.last().is_some_and(|f| f.iter().any(|(n, _)| n == name));
        if !own {
            for frame in self.locals.iter_mut().take(outer).rev() {
                if let Some(i) = frame.iter().position(|(n, _)| n == name) {
                    let (_, old) = Rc::make_mut(frame).swap_remove(i);
                    return self.put_back(name, old);
                }
            }
        }
        self.vars.insert(name, Var { content: Content::Unset, attrs: Attrs::default() });
    }
    /// Makes a variable local to the active function.
    pub(crate) fn make_local(&mut self, name: &str) {
        let old = self.vars.shared(name);
        if let Some(frame) = self.locals.last_mut()
            && !frame.iter().any(|(n, _)| n == name)
        {
            // A local variable keeps the value that an assignment before the call gave it.
            let inherits = old.as_ref().is_some_and(|v| v.attrs.temporary);
            Rc::make_mut(frame).push((name.to_string(), old));
            if inherits {
                self.attrs(name, |a| a.temporary = false);
            } else {
                self.vars.insert(name, Var { content: Content::Unset, attrs: Attrs::default() });
            }
        }
    }
    /// Takes back the variables of the function that returns.
    pub(crate) fn pop_locals(&mut self) {
        for (name, old) in self.locals.pop().iter().flat_map(|f| f.iter()) {
            self.put_back(name, old.clone());
        }
    }
    /// Gives a variable the value it had.
    pub(crate) fn put_back(&mut self, name: &str, old: Option<Rc<Var>>) {
        match old {
            Some(v) => self.vars.put(name, v),
            None => self.vars.remove(name),
        }
    }
    /// True where nothing that a command could see differs.
    pub(crate) fn same(&self, other: &Shell) -> bool {
        self.vars == other.vars
            && self.cwd == other.cwd
            && self.fds == other.fds
            && match (&self.positional, &other.positional) {
                (None, None) => true,
                (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
                _ => false,
            }
            && self.functions.ptr_eq(&other.functions)
    }
    /// Makes every variable that differs from `before` unknown; false where more than variables differs.
    pub(crate) fn widen(&mut self, before: &Shell) -> bool {
        for (name, a, b) in self.vars.differences(&before.vars) {
            let (Some(now), then) = (a, b) else { return false };
            if then.is_some_and(|then| *then == *now) {
                continue;
            }
            let Content::Scalar(v) = &now.content else { return false };
            let open = Open::of(v.taint());
            self.vars.insert(&name, Var { content: Content::Opaque(open), ..Var::clone(&now) });
        }
        self.same(&Shell { vars: self.vars.clone(), ..before.clone() })
    }
    /// Strings that differ from `before` may have any value from now on, those that they had among them.
    pub(crate) fn widen_strings(&mut self, before: &Shell) {
        for (name, now, then) in self.vars.differences(&before.vars) {
            let Some(now) = now.filter(|n| then.as_ref().is_none_or(|t| t != n)) else { continue };
            if matches!(now.content, Content::Scalar(_)) {
                let mut open = Open::default();
                open.take_in(&now.content);
                self.vars.insert(&name, Var { content: Content::Opaque(open), ..Var::clone(&now) });
            }
        }
    }
    /// The state after either of two paths.
    pub(crate) fn join(self, other: Shell) -> Shell {
        let mut out = self;
        for (name, a, b) in out.vars.differences(&other.vars) {
            match (a, b) {
                (Some(a), Some(b)) if a == b => {}
                (Some(a), Some(b)) => {
                    let mut v = Var::clone(&a);
                    v.content = join_content(v.content, &b.content);
                    v.attrs.maybe_unset |= b.attrs.maybe_unset
                        || matches!(b.content, Content::Unset)
                        || matches!(v.content, Content::Unset);
                    v.attrs.exported |= b.attrs.exported;
                    out.vars.insert(&name, v);
                }
                (Some(one), None) => {
                    let mut v = Var::clone(&one);
                    v.content = join_content(v.content, &outer(&name));
                    v.attrs.maybe_unset = true;
                    out.vars.insert(&name, v);
                }
                (None, Some(one)) => {
                    let mut v = Var::clone(&one);
                    v.content = join_content(outer(&name), &v.content);
                    v.attrs.maybe_unset = true;
                    out.vars.insert(&name, v);
                }
                (None, None) => {}
            }
        }
        for (name, a, b) in out.functions.differences(&other.functions) {
            match (a, b) {
                (Some(f), None) | (None, Some(f)) => {
                    out.functions.insert(&name, Func { maybe: true, ..Func::clone(&f) });
                }
                (Some(a), Some(b)) => {
                    let mut f = Func::clone(&a);
                    f.maybe |= b.maybe;
                    for (body, text) in b.each().into_iter().map(|g| (g.body, g.text)) {
                        let known = f.each().iter().any(|g| Rc::ptr_eq(&g.body, &body));
                        if !known && f.others.len() < MAX_OTHERS {
                            f.others.push((body, text));
                        }
                    }
                    out.functions.insert(&name, f);
                }
                (None, None) => {}
            }
        }
        for (name, a, b) in out.aliases.differences(&other.aliases) {
            if let (None, Some(body)) = (a, b) {
                out.aliases.put(&name, body);
            }
        }
        for (name, a, b) in out.hashed.differences(&other.hashed) {
            if let (None, Some(path)) = (a, b) {
                out.hashed.put(&name, path);
            }
        }
        for name in other.disabled {
            if !out.disabled.contains(&name) {
                out.disabled.push(name);
            }
        }
        out.opts.execfail |= other.opts.execfail;
        out.exit_trap = either_trap(out.exit_trap, other.exit_trap);
        out.err_trap = either_trap(out.err_trap, other.err_trap);
        out.return_trap = either_trap(out.return_trap, other.return_trap);
        out.debug_trap = either_trap(out.debug_trap, other.debug_trap);
        // Where it may be off nothing ends for certain.
        out.opts.errexit &= other.opts.errexit;
        out.opts.nounset &= other.opts.nounset;
        out.opts.allexport |= other.opts.allexport;
        // What one path takes back, the other may still have.
        let made = other.alias_changes.into_iter().filter(|c| matches!(c, Some((_, Some(_)))));
        out.alias_changes.extend(made);
        out.cwd = match (out.cwd, other.cwd) {
            (a, b) if a == b => a,
            (Some(a), Some(b)) => Some(Value::either(a, b)),
            // Where the text starts.
            (a, b) => a.or(b).map(|v| Value::either(v, Value::default())),
        };
        if out.positional != other.positional {
            out.positional = match (out.positional, other.positional) {
                (Some(a), Some(b)) if a.len() == b.len() => {
                    Some(Rc::new(a.iter().zip(b.iter()).map(|(x, y)| Value::either(x.clone(), y.clone())).collect()))
                }
                (Some(a), Some(b)) => {
                    // Any number of them.
                    let mut open = Open::default();
                    a.iter().chain(b.iter()).for_each(|v| open.add(v));
                    Some(Rc::new(open.list(Default::default())))
                }
                _ => {
                    out.outer_positional = false;
                    None
                }
            };
        }
        for (n, e) in &other.fds {
            if out.fd(*n) != e {
                out.set_fd(*n, End::Unknown);
            }
        }
        if out.status != other.status {
            out.status = None;
        }
        out
    }
}

fn either_trap(a: Option<ExitTrap>, b: Option<ExitTrap>) -> Option<ExitTrap> {
    match (a, b) {
        (Some((a, by, at, c)), Some((b, _, _, d))) => Some((Value::either(a, b), by, at, c.min(d))),
        // One of the paths sets none.
        (a, b) => a.or(b).map(|(v, by, at, c)| (v, by, at, c.min(crate::effect::Certainty::Conditional))),
    }
}

/// What a variable is that the text has not set.
fn outer(name: &str) -> Content {
    if name == "IFS" {
        return Content::Scalar(Value::computed(b" \t\n", Default::default(), Taint::default()));
    }
    Content::Scalar(Value::unknown(Why::Environment(name.to_string()), Default::default()))
}

fn join_content(a: Content, b: &Content) -> Content {
    if a == *b {
        return a;
    }
    match (a, b) {
        (Content::Scalar(a), Content::Scalar(b)) => Content::Scalar(Value::either(a, b.clone())),
        (Content::Unset, Content::Scalar(v)) => Content::Scalar(Value::either(Value::default(), v.clone())),
        (Content::Scalar(v), Content::Unset) => Content::Scalar(Value::either(Value::default(), v)),
        (Content::Indexed(a), Content::Indexed(b)) if a.keys().eq(b.keys()) => {
            let either = |((k, x), y): ((i64, Value), &Value)| (k, Value::either(x, y.clone()));
            Content::Indexed(a.into_iter().zip(b.values()).map(either).collect())
        }
        (a, b) => {
            let mut open = Open::default();
            open.take_in(&a);
            open.take_in(b);
            Content::Opaque(open)
        }
    }
}

/// Sets a key of an associative array.
pub(crate) fn put(map: &mut Vec<(Vec<u8>, Value)>, key: &[u8], value: Value) {
    match map.iter_mut().find(|(k, _)| k == key) {
        Some((_, v)) => *v = value,
        None => map.push((key.to_vec(), value)),
    }
}
