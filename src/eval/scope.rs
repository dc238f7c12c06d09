//! What a shell remembers: variables, functions, positional parameters, descriptors, working directory, options.
//!
//! Floor 5; imports `source`, `syntax::ast`, `value`. Cheap to copy (copy on write), since every subshell and every
//! branch whose condition is not known works on a copy; [`Shell::join`] makes one state of two.

use crate::source::TextId;
use crate::syntax::ast;
use crate::value::{Taint, Value, Why};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

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
    /// An array of which not even the keys are known, and what its elements came from.
    Opaque(Taint),
}

/// Attributes of a variable, as `declare` gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attrs {
    pub(crate) exported: bool,
    pub(crate) readonly: bool,
    pub(crate) integer: bool,
    pub(crate) lower: bool,
    pub(crate) upper: bool,
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
    pub(crate) body: Rc<ast::Command>,
    pub(crate) text: TextId,
    /// True where one of the joined paths does not define it.
    pub(crate) maybe: bool,
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
    pub(crate) errexit: bool,
    pub(crate) nullglob: bool,
    pub(crate) nocasematch: bool,
    pub(crate) expand_aliases: bool,
    pub(crate) lastpipe: bool,
    pub(crate) posix: bool,
    pub(crate) xpg_echo: bool,
    /// zsh: unquoted expansions are not split.
    pub(crate) no_split: bool,
}

/// The state of one shell.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    pub(crate) vars: Rc<HashMap<String, Var>>,
    pub(crate) functions: Rc<HashMap<String, Func>>,
    pub(crate) aliases: Rc<HashMap<String, Value>>,
    /// What `alias` and `unalias` did since this complete command was read: a shell expands aliases when it reads, so
    /// they count from the next one on. A name without a value is taken back; `None` takes back all.
    pub(crate) alias_changes: Vec<Option<(String, Option<Value>)>>,
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
    /// Saved variables of the functions that are active, innermost last: restored when the function returns.
    pub(crate) locals: Vec<Vec<(String, Option<Var>)>>,
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
            vars: Rc::default(),
            functions: Rc::default(),
            aliases: Rc::default(),
            alias_changes: Vec::new(),
            positional: None,
            outer_positional: true,
            zero: None,
            fds: vec![(0, End::Outer(0)), (1, End::Outer(1)), (2, End::Outer(2))],
            cwd: None,
            dirs: Vec::new(),
            opts: Opts::default(),
            locals: Vec::new(),
            status: Some(0),
            last_arg: None,
            subshell: false,
        }
    }
}

impl Shell {
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
        let mut at = std::borrow::Cow::Borrowed(name);
        for _ in 0..8 {
            let next = match self.vars.get(at.as_ref()) {
                Some(Var { content: Content::Scalar(v), attrs }) if attrs.nameref => v.as_str().map(|s| s.into_owned()),
                _ => None,
            };
            match next {
                Some(n) if n != at.as_ref() => at = std::borrow::Cow::Owned(n),
                _ => break,
            }
        }
        at
    }
    /// Sets a variable's content, keeping its attributes; a readonly one stays as it is.
    pub(crate) fn set(&mut self, name: &str, content: Content) {
        if self.vars.get(name).is_some_and(|v| v.attrs.readonly) {
            return;
        }
        let vars = Rc::make_mut(&mut self.vars);
        match vars.get_mut(name) {
            Some(v) => {
                v.content = content;
                v.attrs.maybe_unset = false;
            }
            None => {
                vars.insert(name.to_string(), Var { content, attrs: Attrs::default() });
            }
        }
    }
    /// Sets a string variable.
    pub(crate) fn set_scalar(&mut self, name: &str, value: Value) {
        // `a=x` on an array sets element 0.
        let content = match self.vars.get(name).map(|v| &v.content) {
            Some(Content::Indexed(m)) => {
                let mut m = m.clone();
                m.insert(0, value);
                Content::Indexed(m)
            }
            Some(Content::Assoc(m)) => {
                let mut m = m.clone();
                put(&mut m, b"0", value);
                Content::Assoc(m)
            }
            _ => Content::Scalar(value),
        };
        self.set(name, content);
    }
    /// The aliases that were made or taken back take effect: the next complete command is read.
    pub(crate) fn apply_aliases(&mut self) {
        for change in std::mem::take(&mut self.alias_changes) {
            match change {
                Some((name, Some(body))) => {
                    Rc::make_mut(&mut self.aliases).insert(name, body);
                }
                Some((name, None)) => {
                    Rc::make_mut(&mut self.aliases).remove(&name);
                }
                None => self.aliases = Rc::default(),
            }
        }
    }
    /// Changes attributes; a variable that was not mentioned before keeps the value it has from outside.
    pub(crate) fn attrs(&mut self, name: &str, change: impl FnOnce(&mut Attrs)) {
        let vars = Rc::make_mut(&mut self.vars);
        if let Some(v) = vars.get_mut(name) {
            change(&mut v.attrs);
        } else {
            let mut attrs = Attrs::default();
            change(&mut attrs);
            let content = Content::Scalar(Value::unknown(Why::Environment(name.to_string()), Default::default()));
            vars.insert(name.to_string(), Var { content, attrs });
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
                    let (_, old) = frame.swap_remove(i);
                    let vars = Rc::make_mut(&mut self.vars);
                    match old {
                        Some(v) => vars.insert(name.to_string(), v),
                        None => vars.remove(name),
                    };
                    return;
                }
            }
        }
        Rc::make_mut(&mut self.vars).insert(name.to_string(), Var { content: Content::Unset, attrs: Attrs::default() });
    }
    /// Makes a variable local to the active function.
    pub(crate) fn make_local(&mut self, name: &str) {
        let old = self.vars.get(name).cloned();
        if let Some(frame) = self.locals.last_mut()
            && !frame.iter().any(|(n, _)| n == name)
        {
            // A local variable keeps the value that an assignment before the call gave it.
            let inherits = old.as_ref().is_some_and(|v| v.attrs.temporary);
            frame.push((name.to_string(), old));
            if !inherits {
                Rc::make_mut(&mut self.vars)
                    .insert(name.to_string(), Var { content: Content::Unset, attrs: Attrs::default() });
            }
        }
    }
    /// Takes back the variables of the function that returns.
    pub(crate) fn pop_locals(&mut self) {
        if let Some(frame) = self.locals.pop() {
            let vars = Rc::make_mut(&mut self.vars);
            for (name, old) in frame {
                match old {
                    Some(v) => vars.insert(name, v),
                    None => vars.remove(&name),
                };
            }
        }
    }
    /// True where nothing that a command could see differs.
    pub(crate) fn same(&self, other: &Shell) -> bool {
        (Rc::ptr_eq(&self.vars, &other.vars) || self.vars == other.vars)
            && self.cwd == other.cwd
            && self.fds == other.fds
            && match (&self.positional, &other.positional) {
                (None, None) => true,
                (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
                _ => false,
            }
            && Rc::ptr_eq(&self.functions, &other.functions)
    }
    /// The state after either of two paths.
    pub(crate) fn join(self, other: Shell) -> Shell {
        let mut out = self;
        if !Rc::ptr_eq(&out.vars, &other.vars) {
            let mut vars = (*out.vars).clone();
            for (name, b) in other.vars.iter() {
                match vars.get_mut(name) {
                    Some(a) if a == b => {}
                    Some(a) => {
                        a.content = join_content(a.content.clone(), b.content.clone());
                        a.attrs.maybe_unset |= b.attrs.maybe_unset
                            || matches!(b.content, Content::Unset)
                            || matches!(a.content, Content::Unset);
                        a.attrs.exported |= b.attrs.exported;
                    }
                    None => {
                        let mut v = b.clone();
                        let outer = outer(name);
                        v.content = join_content(outer, v.content);
                        v.attrs.maybe_unset = true;
                        vars.insert(name.clone(), v);
                    }
                }
            }
            for (name, a) in &mut vars {
                if !other.vars.contains_key(name) {
                    let outer = outer(name);
                    a.content = join_content(a.content.clone(), outer);
                    a.attrs.maybe_unset = true;
                }
            }
            out.vars = Rc::new(vars);
        }
        if !Rc::ptr_eq(&out.functions, &other.functions) {
            let mut f = (*other.functions).clone();
            for (k, v) in f.iter_mut() {
                v.maybe |= !out.functions.contains_key(k);
            }
            for (k, v) in out.functions.iter() {
                let mut v = v.clone();
                v.maybe |= !other.functions.contains_key(k);
                f.insert(k.clone(), v);
            }
            out.functions = Rc::new(f);
        }
        if !Rc::ptr_eq(&out.aliases, &other.aliases) {
            let mut f = (*other.aliases).clone();
            f.extend(out.aliases.iter().map(|(k, v)| (k.clone(), v.clone())));
            out.aliases = Rc::new(f);
        }
        // What one path takes back, the other may still have.
        let made = other.alias_changes.into_iter().filter(|c| matches!(c, Some((_, Some(_)))));
        out.alias_changes.extend(made);
        out.cwd = match (out.cwd, other.cwd) {
            (a, b) if a == b => a,
            (Some(a), Some(b)) => Some(Value::either(a, b)),
            (a, b) => a.or(b).map(|v| Value::either(v, Value::unknown(Why::Joined, Default::default()))),
        };
        if out.positional != other.positional {
            out.positional = match (out.positional, other.positional) {
                (Some(a), Some(b)) if a.len() == b.len() => {
                    Some(Rc::new(a.iter().zip(b.iter()).map(|(x, y)| Value::either(x.clone(), y.clone())).collect()))
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

/// What a variable is that the text has not set.
fn outer(name: &str) -> Content {
    if name == "IFS" {
        return Content::Scalar(Value::computed(b" \t\n", Default::default(), Taint::default()));
    }
    Content::Scalar(Value::unknown(Why::Environment(name.to_string()), Default::default()))
}

fn join_content(a: Content, b: Content) -> Content {
    if a == b {
        return a;
    }
    match (a, b) {
        (Content::Scalar(a), Content::Scalar(b)) => Content::Scalar(Value::either(a, b)),
        (Content::Unset, Content::Scalar(v)) | (Content::Scalar(v), Content::Unset) => {
            Content::Scalar(Value::either(Value::default(), v))
        }
        (Content::Indexed(a), Content::Indexed(b)) if a.keys().eq(b.keys()) => {
            Content::Indexed(a.into_iter().zip(b).map(|((k, x), (_, y))| (k, Value::either(x, y))).collect())
        }
        (a, b) => {
            let mut taint = Taint::default();
            for c in [&a, &b] {
                match c {
                    Content::Unset => {}
                    Content::Scalar(v) => taint.join(&v.taint()),
                    Content::Indexed(m) => m.values().for_each(|v| taint.join(&v.taint())),
                    Content::Assoc(m) => m.iter().for_each(|(_, v)| taint.join(&v.taint())),
                    Content::Opaque(t) => taint.join(t),
                }
            }
            Content::Opaque(taint)
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
