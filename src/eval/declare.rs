//! Declarations: `declare`, `typeset`, `export`, `local`, `readonly`.
//!
//! In: words of a declaration builtin, as the tree has them or as they were expanded. Out: variables and their attributes.

use super::Interp;
use super::param::{array_text, letters};
use super::scope::{Attrs, Content};
use crate::source::Place;
use crate::syntax::ast::{AssignValue, Assignment};
use crate::value::{Piece, Taint, Value, Why};
use std::collections::BTreeMap;

impl Interp<'_> {
    /// `declare`, `typeset`, `local`, `export`, `readonly` with the words of the tree: assignments in them are no
    /// fields, so they are neither split nor globbed. Gives the last field, where the last word is no assignment.
    pub(crate) fn declare(&mut self, kind: &str, words: &[crate::syntax::ast::Word]) -> Option<Value> {
        let mut d = Declaration::new(kind, !self.calls.is_empty());
        let mut last = None;
        if kind == "local"
            && self.calls.iter().all(|c| c.contains(' '))
            && matches!(self.language, crate::effect::Language::Bash | crate::effect::Language::Sh)
        {
            // It can only be used in a function; what is substituted in its words runs.
            for w in words {
                last = Some(self.single(w));
            }
            self.sh.status = Some(1);
            return last;
        }
        for w in words {
            last = None;
            if let Some(a) = w.assignment.as_deref()
                && !d.print
            {
                d.options = false;
                if d.refuses(&self.sh, &a.name) {
                    d.status = Some(1);
                    continue;
                }
                if d.attrs.nameref && d.attrs.integer && self.language == crate::effect::Language::Bash {
                    // What is referred to would have to be a number: bash makes no such variable.
                    if let AssignValue::Word(v) = &a.value {
                        let _ = self.single(v);
                    }
                    self.sh.unset(&a.name);
                    d.status = Some(1);
                    continue;
                }
                if a.subscript.is_some() && matches!(kind, "export" | "readonly") {
                    // Not a valid identifier.
                    d.status = Some(1);
                    continue;
                }
                let name = if d.attrs.nameref || d.off.nameref {
                    a.name.clone()
                } else {
                    self.sh.target(&a.name).into_owned()
                };
                // The value is expanded before the name becomes local: `local x=$x`.
                let early = match (&a.value, &a.subscript) {
                    (AssignValue::Word(v), None) => Some(self.single(v)),
                    _ => None,
                };
                if self.sh.var(&name).is_some_and(|v| v.attrs.readonly) {
                    d.status = Some(1);
                    continue;
                }
                if d.local() {
                    self.sh.make_local(&name);
                }
                self.prepare(&name, &d);
                match early {
                    Some(v) if d.attrs.nameref => self.refer(&mut d, &name, v),
                    Some(v) => {
                        let at = self.at(a.span);
                        if !self.declared_array(&d, &name, &v, at) {
                            self.assign_scalar(&name, v, a.append, at);
                        }
                    }
                    None => {
                        self.declared_subscript(&name, a);
                        let _ = self.assign(a);
                    }
                }
                self.finish(&name, &d);
                continue;
            }
            let mut fields = Vec::new();
            self.field_word(w, &mut fields);
            let at = self.at(w.span);
            for f in &fields {
                self.declare_field(&mut d, f, at);
            }
            last = fields.pop();
        }
        if words.is_empty() || d.options {
            // It prints every variable.
            let at = Place::new(self.text, Default::default());
            self.print_variables(at);
        }
        self.sh.status = d.status;
        last
    }

    /// Prints every variable with its value.
    pub(crate) fn print_variables(&mut self, at: Place) {
        let by = self.last_process.unwrap_or(crate::effect::ProcessId(0));
        let shown = crate::effect::Object::Stated(super::effects::ENVIRONMENT);
        let id = self.effect(crate::effect::Verb::Inspect, shown, by, at);
        self.emit(1, Value::unknown_tainted(Why::NotComputed("list of variables"), at, Taint::of(id)));
    }

    /// The same with words that were expanded already, which is all that there is where the name of the builtin was
    /// computed.
    pub(crate) fn declare_fields(&mut self, kind: &str, words: &[Value], at: Place) {
        let mut d = Declaration::new(kind, !self.calls.is_empty());
        for f in words {
            self.declare_field(&mut d, f, at);
        }
        self.sh.status = d.status;
    }

    fn declare_field(&mut self, d: &mut Declaration, f: &Value, at: Place) {
        let f = super::builtin::globs_as_text(f);
        let prefix = String::from_utf8_lossy(&f.prefix()).into_owned();
        // The name has to be known, what it is set to need not.
        if !f.is_known() && !prefix.contains('=') {
            d.status = None;
            return;
        }
        if d.options && prefix == "--" {
            d.options = false;
            return;
        }
        if d.options && prefix.len() > 1 && prefix.starts_with(['-', '+']) {
            d.option(&prefix);
            return;
        }
        d.options = false;
        if d.functions {
            if d.kind == "export"
                && let Some(f) = self.sh.functions.get(&prefix).cloned()
            {
                self.sh.functions.insert(&prefix, super::scope::Func { exported: true, ..f });
                return;
            }
            d.status = if self.sh.functions.contains_key(&prefix) { d.status } else { None };
            self.emit(1, Value::unknown(Why::NotComputed("declaration of a function"), at));
            return;
        }
        if d.print {
            let (text, status) = self.declaration_text(&prefix, at);
            self.emit(1, text);
            match status {
                Some(0) => {}
                other => {
                    self.emit(2, Value::unknown(Why::NotComputed("message of an error"), at));
                    d.status = other;
                }
            }
            return;
        }
        let (name, value) = match prefix.split_once('=') {
            Some((n, _)) => (n.to_string(), Some(f.split_at(n.len().saturating_add(1)).1)),
            None => (prefix, None),
        };
        let (name, append) = match name.strip_suffix('+') {
            Some(n) if value.is_some() => (n.to_string(), true),
            _ => (name, false),
        };
        let valid = |n: &str| {
            n.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && n.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        let (base, subscript) = match name.split_once('[') {
            Some((b, s)) => (b.to_string(), Some(s.strip_suffix(']').unwrap_or(s).to_string())),
            None => (name, None),
        };
        if d.attrs.nameref && d.attrs.integer && matches!(self.language, crate::effect::Language::Bash) {
            // What is referred to would have to be a number: bash makes no such variable.
            d.status = Some(1);
            self.sh.unset(&base);
            return;
        }
        if !valid(&base) || (subscript.is_some() && matches!(d.kind.as_str(), "export" | "readonly")) {
            d.status = Some(1);
            return;
        }
        if d.refuses(&self.sh, &base) {
            d.status = Some(1);
            return;
        }
        let name = if d.attrs.nameref || d.off.nameref { base } else { self.sh.target(&base).into_owned() };
        // Of a reference to an element it is the array.
        let name = match name.split_once('[') {
            Some((array, _)) if value.is_none() => array.to_string(),
            _ => name,
        };
        if value.is_some() && self.sh.var(&name).is_some_and(|v| v.attrs.readonly) {
            d.status = Some(1);
            return;
        }
        if d.local() {
            self.sh.make_local(&name);
        }
        self.prepare(&name, d);
        match (value, subscript) {
            (Some(v), None) if d.attrs.nameref => self.refer(d, &name, v),
            (Some(v), None) if self.declared_array(d, &name, &v, at) => {}
            (Some(v), None) => self.assign_scalar(&name, v, append, at),
            (Some(v), Some(s)) => match self.key_text(&name, &s, at) {
                Some(k) => self.set_element(&name, &k, v),
                None => self.sh.set(&name, Content::Opaque(super::scope::Open::of(v.taint()))),
            },
            (None, _) => {}
        }
        self.finish(&name, d);
    }

    /// An assignment as a word: what `$_` is after a declaration.
    pub(crate) fn declared_text(&mut self, a: &Assignment) -> Value {
        let at = self.at(a.span);
        let mut out = Value::computed(a.name.as_bytes(), at, Taint::default());
        if let (AssignValue::Word(_), None) = (&a.value, &a.subscript) {
            out.push(Value::computed(if a.append { b"+=" } else { b"=" }, at, Taint::default()));
            let own = match self.sh.var(&a.name) {
                Some(super::scope::Var { content: Content::Scalar(v), attrs }) if attrs.nameref => Some(v.clone()),
                _ => self.variable(&a.name, at),
            };
            out.push(own.unwrap_or_default());
        }
        out
    }

    /// `declare -n name=target`
    fn refer(&mut self, d: &mut Declaration, name: &str, v: Value) {
        if let Some(text) = v.as_str() {
            let base = text.split('[').next().unwrap_or_default();
            let valid = base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && base.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if !valid {
                d.status = Some(1);
                self.sh.unset(name);
                d.attrs.nameref = false;
                self.sh.attrs(name, |a| a.nameref = false);
                d.attrs.nameref = true;
                return;
            }
        }
        self.sh.set(name, Content::Scalar(v));
    }

    /// `declare m[$k]=v`: the subscript of an associative array is expanded, and what that gives is expanded once more.
    fn declared_subscript(&mut self, name: &str, a: &Assignment) {
        if let Some(s) = &a.subscript
            && matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_)))
        {
            let at = self.at(s.span);
            let key = self.quoted_parts(&s.parts);
            let _ = self.expand_key(key, at);
        }
    }

    /// `declare -a 'a=(…)'`: the shell reads the text between the parentheses, and runs what is substituted in it.
    fn declared_array(&mut self, d: &Declaration, name: &str, v: &Value, at: Place) -> bool {
        let array = d.array
            || d.assoc
            || matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Indexed(_) | Content::Assoc(_)));
        let text = v.as_literal().is_some_and(|b| b.first() == Some(&b'(') && b.last() == Some(&b')'));
        if !array || !text {
            return false;
        }
        let mut line = Value::computed(format!("{name}=").as_bytes(), at, Taint::default());
        line.push(v.clone());
        let text = line.as_literal().unwrap_or_default();
        self.spend(1 + text.len() as u64 / 16);
        let read = crate::syntax::shell::read(&text, Self::dialect(self.language)).unparsed.is_empty();
        let by = self.process("", Vec::new(), at, true);
        let env = super::nested::Env::Current(None);
        self.evaluate(self.language, line, crate::effect::graph::Reach::Argument, by, at, env);
        if !read {
            // An error that ends the shell.
            self.leave_on_error();
        }
        true
    }

    /// `declare -p name`
    fn declaration_text(&mut self, name: &str, at: Place) -> (Value, Option<i32>) {
        let Some(var) = self.sh.var(name).cloned() else {
            // No variable has such a name; any other may be one of the surroundings.
            let valid = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let status = if valid { None } else { Some(1) };
            return (
                if valid { Value::unknown(Why::Environment(name.to_string()), at) } else { Value::default() },
                status,
            );
        };
        let unknown = Value::unknown(Why::NotComputed("declaration of a variable"), at);
        if var.attrs.maybe_unset {
            return (unknown, None);
        }
        let mut flags = String::from_utf8_lossy(&letters(var.attrs, &var.content)).into_owned();
        if flags.is_empty() {
            flags.push('-');
        }
        let mut out = Value::computed(format!("declare -{flags} {name}").as_bytes(), at, Taint::default());
        let text = |t: &str| Value::computed(t.as_bytes(), at, Taint::default());
        match &var.content {
            Content::Unset => return (Value::default(), Some(1)),
            Content::Opaque(_) => return (unknown, Some(0)),
            Content::Scalar(v) => match v.as_literal() {
                Some(b) => {
                    out.push(text("="));
                    out.push(Value::computed(&crate::value::quote::double_quote(&b), at, v.taint()));
                }
                None => return (unknown, Some(0)),
            },
            array @ (Content::Indexed(_) | Content::Assoc(_)) => match array_text(array, at) {
                Some(elements) => {
                    out.push(text("="));
                    out.push(elements);
                }
                None => return (unknown, Some(0)),
            },
        }
        out.push(text("\n"));
        (out, Some(0))
    }

    /// Attributes that hold before the value is assigned.
    fn prepare(&mut self, name: &str, d: &Declaration) {
        let Declaration { attrs, off, array, assoc, .. } = *d;
        if assoc && !matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_))) {
            self.sh.set(name, Content::Assoc(Vec::new()));
        } else if array && !matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Indexed(_))) {
            let old = match self.sh.var(name).map(|v| v.content.clone()) {
                Some(Content::Scalar(s)) => BTreeMap::from([(0, s)]),
                _ => BTreeMap::new(),
            };
            self.sh.set(name, Content::Indexed(old));
        }
        if attrs == Attrs::default() && off == Attrs::default() {
            return;
        }
        self.sh.attrs(name, |a| {
            a.integer = (a.integer || attrs.integer) && !off.integer;
            a.lower = (a.lower || attrs.lower) && !off.lower && !attrs.upper;
            a.upper = (a.upper || attrs.upper) && !off.upper && !attrs.lower;
            a.capital = (a.capital || attrs.capital) && !off.capital;
            a.nameref = (a.nameref || attrs.nameref) && !off.nameref;
            a.exported = (a.exported || attrs.exported) && !off.exported;
        });
    }

    fn finish(&mut self, name: &str, d: &Declaration) {
        let Declaration { attrs, remove, .. } = *d;
        if attrs.readonly || remove {
            self.sh.attrs(name, |a| {
                a.readonly |= attrs.readonly;
                a.exported &= !remove;
            });
        }
    }
}

/// What the options of a declaration builtin ask for.
struct Declaration {
    kind: String,
    attrs: Attrs,
    off: Attrs,
    array: bool,
    assoc: bool,
    /// `+a`, `+A`
    array_off: bool,
    assoc_off: bool,
    global: bool,
    /// `export -n`
    remove: bool,
    print: bool,
    functions: bool,
    in_function: bool,
    /// Options may still come.
    options: bool,
    status: Option<i32>,
}

impl Declaration {
    fn new(kind: &str, in_function: bool) -> Self {
        let attrs = Attrs { exported: kind == "export", readonly: kind == "readonly", ..Attrs::default() };
        Declaration {
            kind: kind.to_string(),
            attrs,
            off: Attrs::default(),
            array: false,
            assoc: false,
            array_off: false,
            assoc_off: false,
            global: false,
            remove: false,
            print: false,
            functions: false,
            in_function,
            options: true,
            status: Some(0),
        }
    }

    /// True for what bash refuses: both kinds of array, or an array that is to be none.
    fn refuses(&self, sh: &super::scope::Shell, name: &str) -> bool {
        let target = sh.target(name);
        let content = sh.var(&target).map(|v| &v.content);
        (self.array && self.assoc)
            || (self.array_off && matches!(content, Some(Content::Indexed(_))))
            || (self.assoc_off && matches!(content, Some(Content::Assoc(_))))
    }

    /// True where the names become local to the function.
    fn local(&self) -> bool {
        self.kind == "local"
            || (matches!(self.kind.as_str(), "declare" | "typeset") && self.in_function && !self.global)
    }

    fn option(&mut self, text: &str) {
        let on = text.starts_with('-');
        let set = if on { &mut self.attrs } else { &mut self.off };
        for c in text.chars().skip(1) {
            match c {
                'a' if on => self.array = true,
                'A' if on => self.assoc = true,
                'a' => self.array_off = true,
                'A' => self.assoc_off = true,
                'i' => set.integer = true,
                'l' => set.lower = true,
                'u' => set.upper = true,
                'c' => set.capital = true,
                'r' => set.readonly = true,
                'x' => set.exported = true,
                'n' if self.kind == "export" => self.remove = true,
                'n' => set.nameref = true,
                'g' => self.global = true,
                'p' => self.print = true,
                'f' | 'F' => self.functions = true,
                _ => {}
            }
        }
    }
}

/// True for what a variable holds that only the surroundings may have set, and that they usually do not.
pub(super) fn from_outside(v: &Value) -> bool {
    matches!(v.pieces.as_slice(), [Piece::Unknown(u)] if matches!(&u.why, Why::Environment(n) if !crate::command::grammar::is_exported(n)))
}
