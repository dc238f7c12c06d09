//! Assignments and declarations: `a=b`, `a+=b`, `a[i]=b`, `a=(…)`, `declare`, `export`, `local`, `readonly`.
//!
//! In: the tree's assignments, or words of a declaration builtin. Out: variables.

use super::Interp;
use super::expand::has_braces;
use super::scope::{Attrs, Content, put};
use crate::limits;
use crate::source::Place;
use crate::syntax::ast::{ArithText, ArrayElement, AssignValue, Assignment, Part, PartKind};
use crate::value::{Piece, Taint, Value, Why};
use std::collections::BTreeMap;

impl Interp<'_> {
    /// Runs one assignment in the current shell. Gives the value that was assigned, for strings.
    pub(crate) fn assign(&mut self, a: &Assignment) -> Option<Value> {
        let at = self.at(a.span);
        let name = self.sh.target(&a.name).into_owned();
        match &a.value {
            AssignValue::Word(w) => {
                let v = self.single(w);
                match &a.subscript {
                    // A reference to an element.
                    None if name.contains('[') => {
                        let v = match a.append {
                            true => {
                                let mut old = self.variable(&name, at).unwrap_or_default();
                                old.push(v.clone());
                                old
                            }
                            false => v.clone(),
                        };
                        self.assign_name(&name, v, at);
                    }
                    None => self.assign_scalar(&name, v.clone(), a.append, at),
                    Some(s) => self.assign_element(&name, s, v.clone(), a.append, at),
                }
                Some(v)
            }
            // An element holds no array: an error that ends the shell.
            AssignValue::Array(_) if name.contains('[') => {
                self.leave_on_error();
                None
            }
            AssignValue::Array(elements) => {
                self.assign_array(&name, elements, a.append, at);
                None
            }
        }
    }

    /// `name=value` and `name+=value`, with the variable's attributes at work.
    pub(crate) fn assign_scalar(&mut self, name: &str, v: Value, append: bool, at: Place) {
        if name == "OPTIND" {
            // Options are looked at from the beginning of a word again.
            self.sh.unset("OPTIND ");
        }
        let attrs = self.sh.var(name).map(|v| v.attrs).unwrap_or_default();
        let v = if append {
            if attrs.integer {
                let old = self.variable(name, at).unwrap_or_default();
                match (self.arith_of(&old), self.arith_of(&v)) {
                    (Ok(a), Ok(b)) => number(a.wrapping_add(b), at),
                    _ => Value::unknown(Why::NotComputed("arithmetic"), at),
                }
            } else {
                let mut old = self.variable(name, at).unwrap_or_default();
                // A name that only the text uses is not set yet: `s+=a` begins with nothing, unless the environment has it.
                if self.sh.var(name).is_none() && !super::nested::is_inherited(name) {
                    old = Value::either(Value::default(), old);
                }
                old.push(v);
                old
            }
        } else if attrs.integer {
            match self.arith_of(&v) {
                Ok(n) => number(n, at),
                Err(t) => Value::unknown_tainted(Why::NotComputed("arithmetic"), at, t),
            }
        } else {
            v
        };
        let v = cased(v, attrs, at);
        let v = self.bounded(v, at);
        self.sh.set_scalar(name, v);
    }

    /// A value that grew over the limits is only known to be too large.
    fn bounded(&mut self, v: Value, at: Place) -> Value {
        if v.pieces.len() < 16 && v.pieces.iter().all(|p| matches!(p, Piece::Literal(l) if l.bytes.len() < 4_096)) {
            return v;
        }
        let bytes: usize = v.pieces.iter().map(|p| if let Piece::Literal(l) = p { l.bytes.len() } else { 0 }).sum();
        if bytes > limits::MAX_VALUE || v.nodes() > limits::MAX_PIECES {
            self.limit("size of a value", at);
            return Value::unknown_tainted(Why::Limit, at, v.taint());
        }
        self.spend(v.weight());
        v
    }

    fn assign_element(&mut self, name: &str, subscript: &ArithText, v: Value, append: bool, at: Place) {
        let blank = |p: &Part| matches!(&p.kind, PartKind::Literal(b) if b.iter().all(u8::is_ascii_whitespace));
        if subscript.parts.iter().all(blank) {
            // A bad subscript.
            self.leave_on_error();
            return;
        }
        let assoc = matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_)));
        let key = if assoc {
            self.key_parts(&subscript.parts).as_literal().map(|b| b.into_owned())
        } else {
            let first = i64::from(self.counts_from_one());
            self.arith(subscript).ok().map(|n| if n > 0 { n.saturating_sub(first) } else { n }.to_string().into_bytes())
        };
        if self.language == crate::effect::Language::Zsh {
            self.zsh_code_table(name, &v, at);
        }
        let Some(key) = key else {
            let taint = v.taint();
            self.sh.set(name, Content::Opaque(taint));
            return;
        };
        let attrs = self.sh.var(name).map(|v| v.attrs).unwrap_or_default();
        let v = match (append, attrs.integer) {
            (false, false) => v,
            (true, false) => {
                let mut old = self.element(name, &key, at).unwrap_or_default();
                old.push(v);
                old
            }
            (append, true) => {
                let old = if append { self.element(name, &key, at).unwrap_or_default() } else { Value::default() };
                match (self.arith_of(&old), self.arith_of(&v)) {
                    (Ok(a), Ok(b)) => number(a.wrapping_add(b), at),
                    _ => Value::unknown_tainted(Why::NotComputed("arithmetic"), at, v.taint()),
                }
            }
        };
        if let (Some(Content::Indexed(m)), Some(n)) =
            (self.sh.var(name).map(|v| &v.content), std::str::from_utf8(&key).ok().and_then(|s| s.parse::<i64>().ok()))
            && n < 0
            && m.keys().next_back().copied().unwrap_or(-1).saturating_add(1).saturating_add(n) < 0
        {
            // A bad subscript.
            self.leave_on_error();
            return;
        }
        let v = cased(v, attrs, at);
        self.set_element(name, &key, v);
    }

    /// Sets the element with that key (a number as text, or the key of an associative array).
    pub(crate) fn set_element(&mut self, name: &str, key: &[u8], v: Value) {
        let Some(var) = self.sh.vars.get(name) else {
            let n = index(key);
            return self.sh.set(name, Content::Indexed(BTreeMap::from([(n.max(0), v)])));
        };
        if var.attrs.readonly {
            return;
        }
        // Looking for the key takes a look at every key; a copy is made where another path still has the array.
        let size = match &var.content {
            Content::Assoc(m) => m.len(),
            _ => 0,
        };
        self.spend(size as u64 / 64);
        let Some(var) = self.sh.vars.get_mut(name) else { return };
        var.attrs.maybe_unset = false;
        match &mut var.content {
            Content::Assoc(m) => {
                if m.len() < limits::MAX_FIELDS || m.iter().any(|(k, _)| k == key) {
                    put(m, key, v);
                }
            }
            Content::Opaque(t) => t.join(&v.taint()),
            other => {
                if !matches!(other, Content::Indexed(_)) {
                    let first = match std::mem::replace(other, Content::Unset) {
                        Content::Scalar(s) => BTreeMap::from([(0, s)]),
                        _ => BTreeMap::new(),
                    };
                    *other = Content::Indexed(first);
                }
                if let Content::Indexed(m) = other {
                    let n = index(key);
                    let n = if n < 0 {
                        m.keys().next_back().copied().unwrap_or(-1).saturating_add(1).saturating_add(n)
                    } else {
                        n
                    };
                    if m.len() < limits::MAX_FIELDS {
                        m.insert(n, v);
                    }
                }
            }
        }
    }

    /// The value of `[key]=value` among the elements of an array. In bash 5.2 no tilde expands there, in others it does.
    fn keyed_value(&mut self, value: &crate::syntax::ast::Word) -> Value {
        if !value.parts.iter().any(|p| matches!(p.kind, PartKind::Tilde(_))) {
            return self.single(value);
        }
        let mut plain = value.clone();
        for p in &mut plain.parts {
            if let PartKind::Tilde(user) = &p.kind {
                let text = [b"~", &**user].concat();
                p.kind = PartKind::Literal(crate::value::Bytes::from_vec(text));
            }
        }
        Value::either(self.single(value), self.single(&plain))
    }

    fn assign_array(&mut self, name: &str, elements: &[ArrayElement], append: bool, at: Place) {
        let assoc = matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_)));
        if assoc {
            let mut m = match (append, self.sh.var(name).map(|v| v.content.clone())) {
                (true, Some(Content::Assoc(m))) => m,
                _ => Vec::new(),
            };
            let mut pending: Option<Vec<u8>> = None;
            // Elements without a subscript are pairs only where none has one.
            let keyed = elements.iter().any(|e| e.subscript.is_some());
            for e in elements.iter().filter(|e| e.subscript.is_some() || !keyed) {
                match &e.subscript {
                    Some(s) => {
                        let key = self.key_parts(&s.parts);
                        let v = self.keyed_value(&e.value);
                        match key.as_literal() {
                            Some(k) => put(&mut m, &k, v),
                            None => m.push((Vec::new(), v)),
                        }
                    }
                    // `declare -A a=(k v k v)`
                    None => {
                        let mut words = Vec::new();
                        self.field_word(&e.value, &mut words);
                        for w in words {
                            match pending.take() {
                                None => pending = Some(w.as_literal().map(|b| b.into_owned()).unwrap_or_default()),
                                Some(k) => put(&mut m, &k, w),
                            }
                        }
                    }
                }
            }
            self.sh.set(name, Content::Assoc(m));
            return;
        }
        if append && matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Opaque(_))) {
            return;
        }
        let attrs = self.sh.var(name).map(|v| v.attrs).unwrap_or_default();
        // All values are expanded before the first subscript is evaluated: `([i++]=$i [i++]=$i)`.
        let mut values = Vec::with_capacity(elements.len());
        let mut plain = Vec::new();
        for e in elements {
            let mut words = Vec::new();
            match &e.subscript {
                Some(s) if has_braces(&e.value.parts) => {
                    // Braces are expanded before subscripts are looked for, and what comes of that is no subscript.
                    let mut word = e.value.clone();
                    let text = [b"[", s.span.of(&self.source.bytes(self.text)), b"]="].concat();
                    let kind = PartKind::Literal(crate::value::Bytes::from_vec(text));
                    word.parts.insert(0, Part { kind, span: s.span });
                    self.field_word(&word, &mut words);
                    plain.push(values.len());
                }
                Some(_) => words.push(self.keyed_value(&e.value)),
                None => {
                    self.field_word(&e.value, &mut words);
                    if elements.len() > 1 {
                        self.drop_parameters_beside(&mut words);
                    }
                }
            }
            values.push(words);
        }
        let grows = append && !attrs.integer && !attrs.readonly && elements.iter().all(|e| e.subscript.is_none());
        if grows && let Some(Content::Indexed(m)) = self.sh.vars.get_mut(name).map(|v| &mut v.content) {
            // The array grows where it is: a script may add to it in every line.
            let mut next = m.keys().next_back().map_or(0, |k| k.saturating_add(1));
            let room = limits::MAX_FIELDS.saturating_sub(m.len());
            let full = values.iter().map(Vec::len).sum::<usize>() > room;
            for w in values.into_iter().flatten().take(room) {
                m.insert(next, cased(w, attrs, at));
                next = next.saturating_add(1);
            }
            if full {
                self.limit("elements of an array", at);
            }
            return;
        }
        let mut m = match (append, self.sh.var(name).map(|v| v.content.clone())) {
            (true, Some(Content::Indexed(m))) => m,
            (true, Some(Content::Scalar(s))) if !from_outside(&s) => BTreeMap::from([(0, s)]),
            _ => BTreeMap::new(),
        };
        let mut next = m.keys().next_back().map_or(0, |k| k.saturating_add(1));
        for (i, (e, mut words)) in elements.iter().zip(values).enumerate() {
            match &e.subscript {
                Some(s) if !plain.contains(&i) => {
                    let index = self.arith(s).unwrap_or(next);
                    let mut v = words.pop().unwrap_or_default();
                    if e.append
                        && let Some(mut old) = m.get(&index).cloned()
                    {
                        old.push(v);
                        v = old;
                    }
                    m.insert(index, cased(v, attrs, at));
                    next = index.saturating_add(1);
                }
                _ => {
                    for w in words {
                        if m.len() >= limits::MAX_FIELDS {
                            self.limit("elements of an array", at);
                            break;
                        }
                        let w = if attrs.integer {
                            // A pattern in it matches no file that it could be the name of.
                            match self.arith_of(&super::builtin::globs_as_text(&w)) {
                                Ok(n) => number(n, at),
                                Err(t) => Value::unknown_tainted(Why::NotComputed("arithmetic"), at, t),
                            }
                        } else {
                            cased(w, attrs, at)
                        };
                        m.insert(next, w);
                        next = next.saturating_add(1);
                    }
                }
            }
        }
        self.sh.set(name, Content::Indexed(m));
    }

    /// `declare`, `typeset`, `local`, `export`, `readonly` with the words of the tree: assignments in them are no
    /// fields, so they are neither split nor globbed.
    pub(crate) fn declare(&mut self, kind: &str, words: &[crate::syntax::ast::Word]) {
        let mut d = Declaration::new(kind, !self.calls.is_empty());
        for w in words {
            if let Some(a) = w.assignment.as_deref()
                && !d.print
            {
                d.options = false;
                if d.refuses(&self.sh, &a.name) {
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
            for f in fields {
                self.declare_field(&mut d, &f, at);
            }
        }
        if words.is_empty() || d.options {
            // It prints every variable.
            let at = Place::new(self.text, Default::default());
            self.print_variables(at);
        }
        self.sh.status = d.status;
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
        if !valid(&base) || (subscript.is_some() && matches!(d.kind.as_str(), "export" | "readonly")) {
            d.status = Some(1);
            return;
        }
        if d.refuses(&self.sh, &base) {
            d.status = Some(1);
            return;
        }
        let name = if d.attrs.nameref || d.off.nameref { base } else { self.sh.target(&base).into_owned() };
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
                None => self.sh.set(&name, Content::Opaque(v.taint())),
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
        let a = var.attrs;
        let mut flags = String::new();
        let kind = match var.content {
            Content::Indexed(_) => Some('a'),
            Content::Assoc(_) => Some('A'),
            _ => None,
        };
        flags.extend(kind);
        let letters =
            [(a.integer, 'i'), (a.nameref, 'n'), (a.readonly, 'r'), (a.exported, 'x'), (a.lower, 'l'), (a.upper, 'u')];
        flags.extend(letters.iter().filter(|(on, _)| *on).map(|(_, c)| *c));
        if flags.is_empty() {
            flags.push('-');
        }
        let mut out = Value::computed(format!("declare -{flags} {name}").as_bytes(), at, Taint::default());
        let text = |t: &str| Value::computed(t.as_bytes(), at, Taint::default());
        let quoted =
            |v: &Value| v.as_literal().and_then(|b| double_quoted(&b)).map(|q| Value::computed(&q, at, v.taint()));
        match &var.content {
            Content::Unset => return (Value::default(), Some(1)),
            Content::Opaque(_) => return (unknown, Some(0)),
            Content::Scalar(v) => match quoted(v) {
                Some(q) => {
                    out.push(text("="));
                    out.push(q);
                }
                None => return (unknown, Some(0)),
            },
            Content::Indexed(m) => {
                out.push(text("=("));
                for (i, (k, v)) in m.iter().enumerate() {
                    let Some(q) = quoted(v) else { return (unknown, Some(0)) };
                    out.push(text(&format!("{}[{k}]=", if i > 0 { " " } else { "" })));
                    out.push(q);
                }
                out.push(text(")"));
            }
            Content::Assoc(m) => {
                out.push(text("=("));
                for (k, v) in super::param::table_order(m) {
                    let key = String::from_utf8_lossy(k).into_owned();
                    let plain = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                    let (true, Some(q)) = (plain, quoted(v)) else {
                        return (unknown, Some(0));
                    };
                    out.push(text(&format!("[{key}]=")));
                    out.push(q);
                    out.push(text(" "));
                }
                out.push(text(")"));
            }
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

/// Text between double quotes, as `declare -p` writes it; `None` for what it writes with `$'…'`.
fn double_quoted(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = vec![b'"'];
    for b in text {
        match b {
            b'"' | b'$' | b'`' | b'\\' => out.push(b'\\'),
            0..=8 | 11..=31 | 127.. => return None,
            _ => {}
        }
        out.push(*b);
    }
    out.push(b'"');
    Some(out)
}

/// True for what a variable holds that only the surroundings may have set, and that they usually do not.
fn from_outside(v: &Value) -> bool {
    matches!(v.pieces.as_slice(), [Piece::Unknown(u)] if matches!(&u.why, Why::Environment(n) if !super::nested::is_inherited(n)))
}

/// The index that a key stands for.
fn index(key: &[u8]) -> i64 {
    std::str::from_utf8(key).ok().and_then(|s| s.trim().parse().ok()).unwrap_or(0)
}

fn number(n: i64, at: Place) -> Value {
    Value::computed(n.to_string().as_bytes(), at, Taint::default())
}

/// `declare -l`, `declare -u`
fn cased(v: Value, attrs: Attrs, at: Place) -> Value {
    if attrs.lower {
        super::param::map_known(v, at, |b| Some(String::from_utf8_lossy(b).to_lowercase().into_bytes()))
    } else if attrs.upper {
        super::param::map_known(v, at, |b| Some(String::from_utf8_lossy(b).to_uppercase().into_bytes()))
    } else {
        v
    }
}
