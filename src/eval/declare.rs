//! Assignments and declarations: `a=b`, `a+=b`, `a[i]=b`, `a=(…)`, `declare`, `export`, `local`, `readonly`.
//!
//! In: the tree's assignments, or words of a declaration builtin. Out: variables.

use super::Interp;
use super::scope::{Attrs, Content, put};
use crate::limits;
use crate::source::Place;
use crate::syntax::ast::{ArithText, ArrayElement, AssignValue, Assignment};
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
                    None => self.assign_scalar(&name, v.clone(), a.append, at),
                    Some(s) => self.assign_element(&name, s, v.clone(), a.append, at),
                }
                Some(v)
            }
            AssignValue::Array(elements) => {
                self.assign_array(&name, elements, a.append, at);
                None
            }
        }
    }

    /// `name=value` and `name+=value`, with the variable's attributes at work.
    pub(crate) fn assign_scalar(&mut self, name: &str, v: Value, append: bool, at: Place) {
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
        let assoc = matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_)));
        let key = if assoc {
            self.quoted_parts(&subscript.parts).as_literal().map(|b| b.into_owned())
        } else {
            self.arith(subscript).ok().map(|n| n.to_string().into_bytes())
        };
        let Some(key) = key else {
            let taint = v.taint();
            self.sh.set(name, Content::Scalar(Value::unknown_tainted(Why::Joined, at, taint)));
            return;
        };
        let v = if append {
            let mut old = self.element(name, &key, at).unwrap_or_default();
            old.push(v);
            old
        } else {
            v
        };
        let attrs = self.sh.var(name).map(|v| v.attrs).unwrap_or_default();
        let v = cased(v, attrs, at);
        self.set_element(name, &key, v);
    }

    /// Sets the element with that key (a number as text, or the key of an associative array).
    pub(crate) fn set_element(&mut self, name: &str, key: &[u8], v: Value) {
        let old = self.sh.var(name).map(|v| v.content.clone());
        let content = match old {
            Some(Content::Assoc(mut m)) => {
                put(&mut m, key, v);
                Content::Assoc(m)
            }
            Some(Content::Opaque(mut t)) => {
                t.join(&v.taint());
                Content::Opaque(t)
            }
            other => {
                let mut m = match other {
                    Some(Content::Indexed(m)) => m,
                    Some(Content::Scalar(s)) => BTreeMap::from([(0, s)]),
                    _ => BTreeMap::new(),
                };
                let n: i64 = std::str::from_utf8(key).ok().and_then(|s| s.trim().parse().ok()).unwrap_or(0);
                let n = if n < 0 {
                    m.keys().next_back().copied().unwrap_or(-1).saturating_add(1).saturating_add(n)
                } else {
                    n
                };
                if m.len() < crate::limits::MAX_FIELDS {
                    m.insert(n, v);
                }
                Content::Indexed(m)
            }
        };
        self.sh.set(name, content);
    }

    fn assign_array(&mut self, name: &str, elements: &[ArrayElement], append: bool, at: Place) {
        let assoc = matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_)));
        if assoc {
            let mut m = match (append, self.sh.var(name).map(|v| v.content.clone())) {
                (true, Some(Content::Assoc(m))) => m,
                _ => Vec::new(),
            };
            let mut pending: Option<Vec<u8>> = None;
            for e in elements {
                match &e.subscript {
                    Some(s) => {
                        let key = self.quoted_parts(&s.parts);
                        let v = self.single(&e.value);
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
        let mut m = match (append, self.sh.var(name).map(|v| v.content.clone())) {
            (true, Some(Content::Indexed(m))) => m,
            (true, Some(Content::Scalar(s))) => BTreeMap::from([(0, s)]),
            _ => BTreeMap::new(),
        };
        let mut next = m.keys().next_back().map_or(0, |k| k.saturating_add(1));
        if append && matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Opaque(_))) {
            return;
        }
        let attrs = self.sh.var(name).map(|v| v.attrs).unwrap_or_default();
        for e in elements {
            match &e.subscript {
                Some(s) => {
                    let index = self.arith(s).unwrap_or(next);
                    let mut v = self.single(&e.value);
                    if e.append
                        && let Some(mut old) = m.get(&index).cloned()
                    {
                        old.push(v);
                        v = old;
                    }
                    m.insert(index, cased(v, attrs, at));
                    next = index.saturating_add(1);
                }
                None => {
                    let mut words = Vec::new();
                    self.field_word(&e.value, &mut words);
                    if elements.len() > 1 {
                        self.drop_parameters_beside(&mut words);
                    }
                    for w in words {
                        if m.len() >= crate::limits::MAX_FIELDS {
                            self.limit("elements of an array", at);
                            break;
                        }
                        let w = if attrs.integer {
                            match self.arith_of(&w) {
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
        let mut attrs = Attrs::default();
        let mut off = Attrs::default();
        let mut array = false;
        let mut assoc = false;
        let mut global = false;
        let mut remove = false;
        let mut print = false;
        let in_function = !self.calls.is_empty();
        attrs.exported = kind == "export";
        attrs.readonly = kind == "readonly";
        let mut options = true;
        for w in words {
            if let Some(a) = w.assignment.as_deref() {
                options = false;
                let local = kind == "local" || (matches!(kind, "declare" | "typeset") && in_function && !global);
                let name = if attrs.nameref { a.name.clone() } else { self.sh.target(&a.name).into_owned() };
                // The value is expanded before the name becomes local: `local x=$x`.
                let early = match (&a.value, &a.subscript) {
                    (AssignValue::Word(v), None) => Some(self.single(v)),
                    _ => None,
                };
                if local {
                    self.sh.make_local(&name);
                }
                self.prepare(&name, attrs, off, array, assoc);
                match early {
                    Some(v) if attrs.nameref => self.sh.set(&name, Content::Scalar(v)),
                    Some(v) => {
                        let at = self.at(a.span);
                        self.assign_scalar(&name, v, a.append, at);
                    }
                    None => {
                        let _ = self.assign(a);
                    }
                }
                self.finish(&name, attrs, remove);
                continue;
            }
            let mut fields = Vec::new();
            self.field_word(w, &mut fields);
            for f in fields {
                let Some(text) = f.as_str().map(|s| s.into_owned()) else { continue };
                if options && text == "--" {
                    options = false;
                    continue;
                }
                if options && text.len() > 1 && text.starts_with(['-', '+']) {
                    let on = text.starts_with('-');
                    let set = if on { &mut attrs } else { &mut off };
                    for c in text.chars().skip(1) {
                        match c {
                            'a' => array = true,
                            'A' => assoc = true,
                            'i' => set.integer = true,
                            'l' => set.lower = true,
                            'u' => set.upper = true,
                            'r' => set.readonly = true,
                            'x' => set.exported = true,
                            'n' if kind == "export" => remove = true,
                            'n' => set.nameref = true,
                            'g' => global = true,
                            'p' | 'f' | 'F' => print = true,
                            _ => {}
                        }
                    }
                    continue;
                }
                options = false;
                if print {
                    continue;
                }
                let at = self.at(w.span);
                let (name, value) = match text.split_once('=') {
                    Some((n, v)) => (n.to_string(), Some(v.to_string())),
                    None => (text, None),
                };
                let (name, append) = match name.strip_suffix('+') {
                    Some(n) if value.is_some() => (n.to_string(), true),
                    _ => (name, false),
                };
                if kind == "local" || (matches!(kind, "declare" | "typeset") && in_function && !global) {
                    self.sh.make_local(&name);
                }
                self.prepare(&name, attrs, off, array, assoc);
                if let Some(v) = value {
                    let v = Value::computed(v.as_bytes(), at, f.taint());
                    self.assign_scalar(&name, v, append, at);
                }
                self.finish(&name, attrs, remove);
            }
        }
        self.sh.status = Some(0);
    }

    /// Attributes that hold before the value is assigned.
    fn prepare(&mut self, name: &str, attrs: Attrs, off: Attrs, array: bool, assoc: bool) {
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

    fn finish(&mut self, name: &str, attrs: Attrs, remove: bool) {
        if attrs.readonly || remove {
            self.sh.attrs(name, |a| {
                a.readonly |= attrs.readonly;
                a.exported &= !remove;
            });
        }
    }
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
