//! Assignments: `a=b`, `a+=b`, `a[i]=b`, `a=(…)`.
//!
//! In: the tree's assignments. Out: variables, changed as their attributes say.

use super::Interp;
use super::declare::from_outside;
use super::expand::has_braces;
use super::scope::{Attrs, Content, Open, put};
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
        let attrs = self.sh.var(name).map(|v| v.attrs).unwrap_or_else(|| attrs_of_own(name));
        if self.sh.var(name).is_none() && is_own_number(name) {
            // The text is evaluated, and the variable goes on giving what the shell gives it.
            let _ = self.arith_inner(|me| me.arith_of(&v));
            return;
        }
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
                if self.sh.var(name).is_none() && !crate::command::grammar::is_exported(name) {
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
    pub(super) fn bounded(&mut self, v: Value, at: Place) -> Value {
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

    pub(super) fn assign_element(&mut self, name: &str, subscript: &ArithText, v: Value, append: bool, at: Place) {
        let blank = |p: &Part| matches!(&p.kind, PartKind::Literal(b) if b.iter().all(u8::is_ascii_whitespace));
        if subscript.parts.iter().all(blank) {
            // A bad subscript.
            self.leave_on_error();
            return;
        }
        let assoc = matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_)));
        let mut open_key = None;
        let key = if assoc {
            let key = self.key_parts(&subscript.parts);
            let known = key.as_literal().map(|b| b.into_owned());
            open_key = known.is_none().then_some(key);
            known
        } else {
            let first = i64::from(self.counts_from_one());
            self.arith(subscript).ok().map(|n| if n > 0 { n.saturating_sub(first) } else { n }.to_string().into_bytes())
        };
        if self.language == crate::effect::Language::Zsh {
            self.zsh_code_table(name, &v, at);
        }
        self.name_table(name, subscript, &v);
        let Some(key) = key else {
            let mut open = Open::default();
            if let Some(before) = self.sh.var(name).map(|v| &v.content) {
                open.take_in(before);
            }
            if let Some(k) = open_key {
                open.add_key(&k);
            }
            open.add(&v);
            self.sh.set(name, Content::Opaque(open));
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
        let v = one_word(cased(v, attrs, at));
        self.set_element(name, &key, v);
    }

    /// The tables of bash and zsh that say what a command's name stands for.
    fn name_table(&mut self, table: &str, subscript: &ArithText, v: &Value) {
        if !matches!(table, "BASH_CMDS" | "BASH_ALIASES" | "commands") || self.sh.var(table).is_some() {
            return;
        }
        if (table == "commands") != (self.language == crate::effect::Language::Zsh) {
            return;
        }
        let Some(name) = self.key_parts(&subscript.parts).as_str().map(|s| s.into_owned()) else { return };
        match table {
            "BASH_ALIASES" if self.sh.alias_changes.len() < limits::MAX_FIELDS => {
                let at = v.place();
                let by = self.process("", Vec::new(), at, true);
                self.deferred(v.clone(), self.language, by, at);
                self.sh.alias_changes.push(Some((name, Some(v.clone()))));
            }
            "BASH_ALIASES" => {}
            _ => self.sh.hashed.insert(&name, v.clone()),
        }
    }

    /// The elements of an array that is filled at once, as its attributes make them.
    pub(crate) fn fill(&mut self, name: &str, map: BTreeMap<i64, Value>, at: Place) {
        let attrs = self.sh.var(name).map(|v| v.attrs).unwrap_or_default();
        let plain = !(attrs.integer || attrs.lower || attrs.upper || attrs.capital);
        let map = match plain {
            true => map,
            false => map
                .into_iter()
                .map(|(k, v)| match attrs.integer {
                    true => match self.arith_of(&v) {
                        Ok(n) => (k, number(n, at)),
                        Err(t) => (k, Value::unknown_tainted(Why::NotComputed("arithmetic"), at, t)),
                    },
                    false => (k, cased(v, attrs, at)),
                })
                .collect(),
        };
        self.sh.set(name, Content::Indexed(map));
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
            Content::Opaque(o) => o.add(&v),
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
    pub(super) fn keyed_value(&mut self, value: &crate::syntax::ast::Word) -> Value {
        if !value.parts.iter().any(|p| matches!(p.kind, PartKind::Tilde(_))) {
            return one_word(self.single(value));
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

    pub(super) fn assign_array(&mut self, name: &str, elements: &[ArrayElement], append: bool, at: Place) {
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
                        let v = match self.spread(&e.value) {
                            Some(v) => v,
                            None => self.keyed_value(&e.value),
                        };
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
        if append && let Some(Content::Opaque(open)) = self.sh.var(name).map(|v| &v.content) {
            let mut open = open.clone();
            for e in elements {
                let mut words = Vec::new();
                match &e.subscript {
                    Some(_) => words.push(self.keyed_value(&e.value)),
                    None => self.field_word(&e.value, &mut words),
                }
                words.iter().for_each(|w| open.add(w));
            }
            self.sh.set(name, Content::Opaque(open));
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
                    let all = match s.parts.as_slice() {
                        [Part { kind: PartKind::Literal(b) | PartKind::Escaped(b) | PartKind::Single(b), .. }] => {
                            matches!(&**b, b"*" | b"@" | b"\\*" | b"\\@")
                        }
                        [Part { kind: PartKind::GlobStar, .. }] => true,
                        _ => false,
                    };
                    if all {
                        // No index.
                        continue;
                    }
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
}

/// The attributes that a variable of bash's own has before the text says anything of it.
fn attrs_of_own(name: &str) -> Attrs {
    Attrs { integer: name == "OPTIND" || is_own_number(name), ..Attrs::default() }
}

/// True for a variable of bash's that is a number whatever is assigned to it: the text is evaluated as arithmetic.
fn is_own_number(name: &str) -> bool {
    matches!(name, "RANDOM" | "HISTCMD")
}

/// What is assigned is not split.
fn one_word(mut v: Value) -> Value {
    for p in &mut v.pieces {
        if let Piece::Unknown(u) = p {
            u.splits = false;
        }
    }
    v
}

/// The index that a key stands for.
pub(super) fn index(key: &[u8]) -> i64 {
    std::str::from_utf8(key).ok().and_then(|s| s.trim().parse().ok()).unwrap_or(0)
}

pub(super) fn number(n: i64, at: Place) -> Value {
    Value::computed(n.to_string().as_bytes(), at, Taint::default())
}

/// `declare -l`, `declare -u`
pub(super) fn cased(v: Value, attrs: Attrs, at: Place) -> Value {
    if attrs.lower {
        super::param::map_known(v, at, |b| Some(String::from_utf8_lossy(b).to_lowercase().into_bytes()))
    } else if attrs.upper {
        super::param::map_known(v, at, |b| Some(String::from_utf8_lossy(b).to_uppercase().into_bytes()))
    } else if attrs.capital {
        super::param::map_known(v, at, |b| {
            let lower = String::from_utf8_lossy(b).to_lowercase();
            crate::value::quote::change_case(lower.as_bytes(), crate::value::quote::Case::Upper, false, None).ok()
        })
    } else {
        v
    }
}
