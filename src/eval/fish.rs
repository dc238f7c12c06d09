//! fish: how its words expand, and the builtins that other shells have not, or have otherwise.
//!
//! In: parts of a tree that `syntax::fish` read, and invocations. Out: fields, and the new state. A word is the product of
//! the lists of its parts; a variable is a list of strings; nothing is split but the lines of a command substitution.
//! Facts: fish-doc, fish 3.6. Names here are those of the language.

use super::nested::Env;
use super::scope::{Attrs, Content};
use super::{Flow, Interp};
use crate::command::Invocation;
use crate::effect::graph::Reach;
use crate::effect::{Language, ProcessId};
use crate::limits;
use crate::source::Place;
use crate::syntax::ast::{Param, ParamOp, Part, PartKind, Subscript};
use crate::value::{Piece, Taint, Value, Why};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Builtins that only compute or print: what they print is not known here.
const PRINTS: &[&str] = &[
    "argparse",
    "contains",
    "functions",
    "isatty",
    "math",
    "random",
    "set_color",
    "status",
    "commandline",
    "path",
    "fish_add_path",
    "fish_config",
    "block",
    "disown",
    "jobs",
    "type",
    "ulimit",
    "umask",
];

/// True for what stands for any number of elements.
fn many(v: &Value) -> bool {
    v.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits))
}

impl Interp<'_> {
    /// Expands a word to its fields.
    pub(crate) fn fish_word(&mut self, parts: &[Part], out: &mut Vec<Value>) {
        let mut words = vec![Value::default()];
        for p in parts {
            let list = self.fish_part(p);
            // One value, as nearly every part gives: the words grow where they stand.
            if let [one] = list.as_slice() {
                if !self.spend(1 + words.len() as u64 / 16) {
                    break;
                }
                words.iter_mut().for_each(|w| w.push(one.clone()));
                continue;
            }
            let made = words.len().saturating_mul(list.len());
            if made > limits::MAX_FIELDS || !self.spend(1 + made as u64 / 16) {
                let at = self.at(p.span);
                self.limit("words of one command", at);
                out.push(Self::many_words(Why::Limit, at, Taint::default()));
                return;
            }
            let mut all = Vec::with_capacity(made);
            // The list that stands first changes fastest.
            for tail in &list {
                for head in &words {
                    let mut v = head.clone();
                    v.push(tail.clone());
                    all.push(v);
                }
            }
            words = all;
        }
        out.append(&mut words);
    }

    /// Expands parts to one value.
    pub(crate) fn fish_single(&mut self, parts: &[Part]) -> Value {
        let mut words = Vec::new();
        self.fish_word(parts, &mut words);
        joined(&words, b" ")
    }

    fn fish_part(&mut self, part: &Part) -> Vec<Value> {
        let at = self.at(part.span);
        match &part.kind {
            PartKind::Double(inner) => {
                let mut v = Value::default();
                for q in inner {
                    match &q.kind {
                        PartKind::Param(p) => {
                            let list = self.fish_param(p, self.at(q.span));
                            v.push(joined(&list, b" "));
                        }
                        PartKind::Command(prog) => v.push(self.substitution(prog, q.span)),
                        _ => self.fish_part(q).into_iter().for_each(|x| v.push(x)),
                    }
                }
                for p in &mut v.pieces {
                    if let Piece::Unknown(u) = p {
                        u.splits = false;
                    }
                }
                vec![v]
            }
            PartKind::Param(p) => self.fish_param(p, at),
            PartKind::Command(prog) => {
                let v = self.substitution(prog, part.span);
                self.fish_lines(&v)
            }
            PartKind::Braces(alternatives) => {
                let mut out = Vec::new();
                for a in alternatives {
                    if out.len() >= limits::MAX_FIELDS {
                        self.limit("words of one brace expansion", at);
                        break;
                    }
                    self.fish_word(a, &mut out);
                }
                out
            }
            _ => vec![self.part_value(part)],
        }
    }

    /// The lines that a command substitution gives.
    fn fish_lines(&mut self, v: &Value) -> Vec<Value> {
        if v.pieces.is_empty() {
            return Vec::new();
        }
        if !v.is_known() {
            let mut v = v.clone();
            match v.pieces.as_mut_slice() {
                [Piece::Unknown(u)] => u.splits = true,
                [Piece::OneOf(_)] => {}
                // Of how many lines it is a part is not known.
                _ => return vec![Self::many_words(Why::Joined, v.place(), v.taint())],
            }
            return vec![v];
        }
        let mut out = Vec::new();
        let mut rest = v.clone();
        while out.len() < limits::MAX_FIELDS {
            let Some(text) = rest.as_literal() else { break };
            let Some(n) = text.iter().position(|b| *b == b'\n') else { break };
            let (head, tail) = rest.split_at(n);
            out.push(head);
            rest = tail.split_at(1).1;
            if !self.spend(1) {
                break;
            }
        }
        out.push(rest);
        out
    }

    /// `$x`, `$x[…]`, `$$x`, `(cmd)[…]`
    fn fish_param(&mut self, p: &Param, at: Place) -> Vec<Value> {
        let list = match (&p.op, p.name.as_str()) {
            (ParamOp::Other(parts), "") => parts.iter().flat_map(|q| self.fish_part(q)).collect(),
            (ParamOp::Other(_), _) => {
                vec![Self::many_words(Why::NotComputed("indirect expansion"), at, Taint::default())]
            }
            (_, name) => self.fish_variable(name, at),
        };
        let list = match &p.subscript {
            Some(Subscript::Index(t)) => {
                let text = self.fish_single(&t.parts);
                self.fish_slice(list, &text, at)
            }
            _ => list,
        };
        if !p.indirect {
            return list;
        }
        let mut out = Vec::new();
        for v in list {
            match v.as_str().map(|s| s.into_owned()) {
                Some(name) => out.extend(self.fish_variable(&name, at)),
                None => out.push(Self::many_words(Why::NotComputed("indirect expansion"), at, v.taint())),
            }
        }
        out
    }

    /// The elements of a variable.
    fn fish_variable(&mut self, name: &str, at: Place) -> Vec<Value> {
        match name {
            "status" => return self.variable("?", at).into_iter().collect(),
            "argv" => {
                return match &self.sh.positional {
                    Some(list) => list.as_ref().clone(),
                    None => vec![Self::many_words(Why::Parameter("@".into()), at, Taint::default())],
                };
            }
            _ => {}
        }
        match self.sh.var(name).map(|v| &v.content) {
            Some(Content::Unset) => Vec::new(),
            Some(Content::Scalar(v)) => vec![v.clone()],
            Some(Content::Indexed(m)) => m.values().cloned().collect(),
            Some(Content::Assoc(m)) => m.iter().map(|(_, v)| v.clone()).collect(),
            Some(Content::Opaque(o)) => o.list(at),
            None => {
                let mut v = self.variable(name, at).unwrap_or_default();
                for p in &mut v.pieces {
                    // It may be unset, or a list.
                    if let Piece::Unknown(u) = p
                        && matches!(u.why, Why::Environment(_))
                    {
                        u.splits = true;
                    }
                }
                vec![v]
            }
        }
    }

    /// The elements that a subscript names: `1`, `-1`, `2..3`, several of them.
    fn fish_slice(&mut self, list: Vec<Value>, subscript: &Value, at: Place) -> Vec<Value> {
        let unknown = |list: &[Value]| {
            let mut t = Taint::default();
            list.iter().for_each(|v| t.join(&v.taint()));
            vec![Self::many_words(Why::NotComputed("element of an array"), at, t)]
        };
        let Some(text) = subscript.as_str() else { return unknown(&list) };
        // What comes before an element that may be several is counted.
        let known = list.iter().take_while(|v| !many(v)).count();
        let open = known < list.len();
        let len = i64::try_from(list.len()).unwrap_or(i64::MAX);
        let place = |n: i64| if n < 0 { len.saturating_add(n).saturating_add(1) } else { n };
        let mut out = Vec::new();
        for item in text.split_whitespace() {
            let (a, b) = item.split_once("..").unwrap_or((item, item));
            let end = |t: &str, empty: i64| if t.is_empty() { Some(empty) } else { t.parse::<i64>().ok() };
            let (Some(a), Some(b)) = (end(a, 1), end(b, -1)) else { return unknown(&list) };
            let reaches = |n: i64| n < 0 || usize::try_from(n).is_ok_and(|n| n > known);
            if open && (reaches(a) || reaches(b)) {
                return unknown(&list);
            }
            let (a, b) = (place(a), place(b));
            let (low, high) = (a.min(b).max(1), a.max(b).min(len));
            let mut part: Vec<Value> = (low..=high)
                .filter_map(|i| usize::try_from(i).ok())
                .filter_map(|i| list.get(i.saturating_sub(1)).cloned())
                .collect();
            if a > b {
                part.reverse();
            }
            if out.len().saturating_add(part.len()) > limits::MAX_FIELDS || !self.spend(1 + part.len() as u64 / 16) {
                self.limit("elements of an array", at);
                return unknown(&list);
            }
            out.append(&mut part);
        }
        out
    }

    /// Runs a builtin of fish. `None`: it is none of those that differ.
    pub(crate) fn fish_builtin(&mut self, inv: &Invocation, argv: &[Value], at: Place, by: ProcessId) -> Option<Flow> {
        let name = argv.first()?.as_str()?.into_owned();
        let args = argv.get(1..).unwrap_or(&[]);
        let unknown = || Value::unknown(Why::Output(name.clone()), at);
        match name.as_str() {
            "set" => self.fish_set(args, at, by),
            "source" | "." if args.iter().all(|a| a.as_str().is_some_and(|a| a == "-")) => {
                let code = self.read_all(0).unwrap_or_else(|| Value::unknown(Why::Stdin, at));
                self.note_stdin(by, &Some(code.clone()));
                let place = if code.pieces.is_empty() { at } else { code.place() };
                let (_, flow) =
                    self.evaluate(Language::Fish, code, Reach::Stdin, by, place, Env::Current(Some(Vec::new())));
                return Some(if flow == Flow::Return { Flow::Next } else { flow });
            }
            "bind" | "abbr" => {
                // What a key or an abbreviation stands for.
                let words = args.iter().filter(|a| !a.prefix().starts_with(b"-")).skip(1);
                let code = joined(&words.cloned().collect::<Vec<_>>(), b" ");
                self.deferred(code, Language::Fish, by, at);
                self.sh.status = Some(0);
            }
            "alias" => {
                let plain: Vec<Value> = args.iter().filter(|a| !a.prefix().starts_with(b"-")).cloned().collect();
                let text = joined(&plain, b" ");
                let prefix = text.prefix();
                if let Some(n) = prefix.iter().position(|b| matches!(b, b'=' | b' ')) {
                    // A function that is called with the rest of the line.
                    let name = String::from_utf8_lossy(prefix.get(..n).unwrap_or(&[])).into_owned();
                    let body = text.split_at(n.saturating_add(1)).1;
                    let mut code = Value::computed(format!("function {name}; ").as_bytes(), at, Taint::default());
                    code.push(body);
                    code.push(Value::computed(b" $argv; end", at, Taint::default()));
                    self.evaluate(Language::Fish, code, Reach::Argument, by, at, Env::Current(None));
                }
                self.sh.status = Some(0);
            }
            "emit" => self.sh.status = Some(0),
            "count" => {
                let open = args.iter().any(many) || args.is_empty();
                let n = Value::computed(format!("{}\n", args.len()).as_bytes(), at, Taint::default());
                let v = if open { unknown() } else { n };
                self.emit(1, v);
                self.sh.status = if open { None } else { Some(i32::from(args.is_empty())) };
            }
            "string" => {
                let input = self.peek_all(0).unwrap_or_default();
                let whole = args.first().and_then(Value::as_str).is_some_and(|v| v == "collect");
                let v = super::fish_string::run(self, args, at);
                let v = v.unwrap_or_else(|| {
                    if whole && !input.pieces.is_empty() {
                        return input.clone();
                    }
                    let mut t = input.taint();
                    args.iter().for_each(|a| t.join(&a.taint()));
                    Value::unknown_tainted(Why::Output(name.clone()), at, t)
                });
                self.emit(1, v);
                self.sh.status = None;
            }
            "read" => {
                let (line, _) = (self.read_line(0, b'\n'), ());
                let line = match line {
                    Ok(l) => l.unwrap_or_default(),
                    Err(l) => l,
                };
                let mut names: Vec<String> = Vec::new();
                let words = inv.operands.iter().chain(args.iter().filter(|a| !a.prefix().starts_with(b"-")));
                for n in words.filter_map(|v| v.as_str().map(|s| s.into_owned())) {
                    if !names.contains(&n) && names.len() < limits::MAX_LINKS {
                        names.push(n);
                    }
                }
                for (i, n) in names.iter().enumerate() {
                    let v = if names.len() == 1 || i == 0 && !line.is_known() {
                        line.clone()
                    } else {
                        Value::unknown_tainted(Why::Stdin, at, line.taint())
                    };
                    self.sh.set(n, Content::Scalar(v));
                }
                self.sh.status = None;
            }
            n if PRINTS.contains(&n) => {
                let v = unknown();
                self.emit(1, v);
                self.sh.status = None;
            }
            _ => return None,
        }
        Some(Flow::Next)
    }

    /// `set`
    fn fish_set(&mut self, args: &[Value], at: Place, by: ProcessId) {
        let mut o = Set::default();
        let mut rest = args;
        while let Some((first, more)) = rest.split_first() {
            let Some(text) = first.as_str().map(|s| s.into_owned()) else { break };
            if text == "--" {
                rest = more;
                break;
            }
            if !text.starts_with('-') || text.len() < 2 {
                break;
            }
            o.option(&text);
            rest = more;
        }
        let Some((target, values)) = rest.split_first() else {
            self.emit(1, Value::unknown(Why::NotComputed("list of variables"), at));
            self.sh.status = Some(0);
            return;
        };
        if o.query {
            self.sh.status = self.fish_query(rest);
            return;
        }
        if o.erase {
            for t in rest {
                self.fish_erase(t, at);
            }
            self.sh.status = None;
            return;
        }
        let target = super::builtin::globs_as_text(target);
        let Some(target) = target.as_str().map(|s| s.into_owned()) else { return };
        let (name, index) = match target.split_once('[') {
            Some((n, i)) => (n.to_string(), Some(i.trim_end_matches(']').to_string())),
            None => (target, None),
        };
        let mut values = values.to_vec();
        let old = || Vec::new();
        let before = if o.append || o.prepend || index.is_some() { self.fish_variable(&name, at) } else { old() };
        if o.append {
            let mut all = before.clone();
            all.append(&mut values);
            values = all;
        } else if o.prepend {
            values.extend(before.iter().cloned());
        }
        if let Some(i) = index {
            values = replaced(before, &i, values).unwrap_or_else(|| {
                vec![Self::many_words(Why::NotComputed("element of an array"), at, Taint::default())]
            });
        }
        if name == "argv" {
            self.sh.positional = Some(Rc::new(values));
            return;
        }
        let in_function = !self.sh.locals.is_empty();
        if in_function && (o.local || !o.global && self.sh.var(&name).is_none()) {
            self.sh.make_local(&name);
        }
        let whole = joined(&values, if name.ends_with("PATH") { b":" } else { b" " });
        let content = match <[Value; 1]>::try_from(values) {
            Ok([one]) => Content::Scalar(one),
            Err(values) => {
                Content::Indexed(values.into_iter().enumerate().map(|(i, v)| (i as i64, v)).collect::<BTreeMap<_, _>>())
            }
        };
        self.sh.set(&name, content);
        self.sh.attrs(&name, |a: &mut Attrs| a.exported = (a.exported || o.export) && !o.unexport);
        let exported = self.sh.var(&name).is_some_and(|v| v.attrs.exported);
        let process = if exported { Some(by) } else { None };
        if name == "fish_user_paths" {
            // They come before those of PATH.
            self.note_variable("PATH", Some(whole.clone()), at, Some(by));
        }
        self.note_variable(&name, Some(whole), at, process);
    }

    /// `set -q`: how many of them are not set.
    fn fish_query(&self, names: &[Value]) -> Option<i32> {
        let mut missing = 0;
        for n in names {
            let name = n.as_str()?.into_owned();
            match self.sh.var(&name)? {
                v if v.attrs.maybe_unset => return None,
                v if v.content == Content::Unset => missing += 1,
                v if matches!(v.content, Content::Opaque(_)) => return None,
                _ => {}
            }
        }
        Some(missing)
    }

    fn fish_erase(&mut self, target: &Value, at: Place) {
        let target = super::builtin::globs_as_text(target);
        let Some(name) = target.as_str().map(|s| s.into_owned()) else { return };
        match name.split_once('[') {
            None if name == "argv" => self.sh.positional = Some(Rc::default()),
            None => self.sh.unset(&name),
            Some((name, index)) => {
                let list = self.fish_variable(name, at);
                let index = index.trim_end_matches(']').parse::<i64>().ok();
                let len = i64::try_from(list.len()).unwrap_or(i64::MAX);
                let n = index.map(|n| if n < 0 { len.saturating_add(n) } else { n.saturating_sub(1) });
                let n = n.and_then(|n| usize::try_from(n).ok());
                let list: Vec<Value> = match n {
                    Some(n) if !list.iter().any(many) => {
                        list.into_iter().enumerate().filter(|(i, _)| *i != n).map(|(_, v)| v).collect()
                    }
                    _ => vec![Self::many_words(Why::NotComputed("element of an array"), at, Taint::default())],
                };
                if name == "argv" {
                    self.sh.positional = Some(Rc::new(list));
                } else {
                    let map = list.into_iter().enumerate().map(|(i, v)| (i as i64, v)).collect();
                    self.sh.set(name, Content::Indexed(map));
                }
            }
        }
    }
}

/// What the options of `set` ask for.
#[derive(Default)]
struct Set {
    local: bool,
    global: bool,
    export: bool,
    unexport: bool,
    erase: bool,
    query: bool,
    append: bool,
    prepend: bool,
}

impl Set {
    fn option(&mut self, text: &str) {
        match text {
            "--local" | "--function" => self.local = true,
            "--global" | "--universal" => self.global = true,
            "--export" => self.export = true,
            "--unexport" => self.unexport = true,
            "--erase" => self.erase = true,
            "--query" => self.query = true,
            "--append" => self.append = true,
            "--prepend" => self.prepend = true,
            t if t.starts_with("--") => {}
            t => {
                for c in t.chars().skip(1) {
                    match c {
                        'l' | 'f' => self.local = true,
                        'g' | 'U' => self.global = true,
                        'x' => self.export = true,
                        'u' => self.unexport = true,
                        'e' => self.erase = true,
                        'q' => self.query = true,
                        'a' => self.append = true,
                        'p' => self.prepend = true,
                        _ => {}
                    }
                }
            }
        }
    }
}

/// `set x[i] v`: the list with that element changed.
fn replaced(mut list: Vec<Value>, index: &str, mut values: Vec<Value>) -> Option<Vec<Value>> {
    let n = index.trim().parse::<i64>().ok()?;
    let len = i64::try_from(list.len()).ok()?;
    let n = usize::try_from(if n < 0 { len.saturating_add(n) } else { n.saturating_sub(1) }).ok()?;
    if list.iter().any(many) || values.len() != 1 || n >= limits::MAX_FIELDS {
        return None;
    }
    while list.len() <= n {
        list.push(Value::default());
    }
    *list.get_mut(n)? = values.pop()?;
    Some(list)
}

/// The elements of a list with text between them.
pub(crate) fn joined(list: &[Value], between: &[u8]) -> Value {
    let mut v = Value::default();
    for (i, x) in list.iter().enumerate() {
        if i > 0 && !between.is_empty() {
            v.push(Value::computed(between, x.place(), Taint::default()));
        }
        v.push(x.clone());
    }
    v
}
