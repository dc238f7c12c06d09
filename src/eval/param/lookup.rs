//! What a parameter holds: variables, elements, special parameters, references.
//!
//! In: a name and its subscript. Out: a value, a list, or nothing where it is unset.

use super::super::Interp;
use super::super::scope::Content;
use super::{Got, is_several};
use crate::effect::Language;
use crate::source::Place;
use crate::syntax::ast::{ArithText, Param, Subscript};
use crate::value::{Piece, Taint, Value, Why};

impl Interp<'_> {
    pub(super) fn got(&mut self, name: &str, subscript: Option<&Subscript>, at: Place) -> Got {
        let parameter = |n: &str| Value::unknown(Why::Parameter(n.to_string()), at);
        match name {
            "@" | "*" => {
                let star = name == "*";
                return match &self.sh.positional {
                    Some(list) => Got::Many(list.as_ref().clone(), star),
                    None => {
                        let mut v =
                            if self.sh.outer_positional { parameter(name) } else { Value::unknown(Why::Joined, at) };
                        if let Some(Piece::Unknown(u)) = v.pieces.first_mut() {
                            u.splits = true;
                        }
                        Got::Many(vec![v], star)
                    }
                };
            }
            "#" => {
                return Got::One(Some(match &self.sh.positional {
                    Some(l) if l.iter().any(is_several) => Value::unknown(Why::NotComputed("number of elements"), at),
                    Some(l) => Value::computed(l.len().to_string().as_bytes(), at, Taint::default()),
                    None => parameter(name),
                }));
            }
            "?" => {
                return Got::One(Some(match self.sh.status {
                    Some(n) => Value::computed(n.to_string().as_bytes(), at, Taint::default()),
                    None => parameter(name),
                }));
            }
            "0" => return Got::One(Some(self.zero(at))),
            "$" | "!" | "-" => return Got::One(Some(parameter(name))),
            "_" if self.sh.var("_").is_none_or(|v| !v.attrs.readonly) => {
                return Got::One(Some(self.sh.last_arg.clone().unwrap_or_else(|| parameter(name))));
            }
            _ => {}
        }
        if name.bytes().all(|b| b.is_ascii_digit()) {
            let n: usize = name.parse().unwrap_or(usize::MAX);
            return match &self.sh.positional {
                Some(l) => Got::One(n.checked_sub(1).and_then(|i| among(l.get(i), l.iter().take(i)))),
                None => Got::One(Some(parameter(name))),
            };
        }
        let Some(target) = self.sh.referred(name).map(std::borrow::Cow::into_owned) else {
            return match subscript {
                Some(s @ (Subscript::At | Subscript::Star)) => Got::Many(Vec::new(), matches!(s, Subscript::Star)),
                _ => Got::One(None),
            };
        };
        if target == "_" && name != "_" {
            return self.got("_", subscript, at);
        }
        // A nameref may point at an element: `declare -n r=a[1]`.
        if let Some((base, rest)) = target.split_once('[')
            && subscript.is_none()
        {
            let (base, rest) = (base.to_string(), rest.to_string());
            return self.element_text(&base, &rest, at);
        }
        let name = target.as_str();
        if name == "FUNCNAME" && self.sh.var(name).is_none() && !self.calls.is_empty() {
            let names: Vec<Value> = self
                .calls
                .iter()
                .rev()
                .filter(|n| !n.contains(' '))
                .map(|n| Value::computed(n.as_bytes(), at, Taint::default()))
                .collect();
            return match subscript {
                None => Got::One(names.into_iter().next()),
                Some(s @ (Subscript::At | Subscript::Star)) => {
                    // Outside of all functions is one more, of the shell's own.
                    let mut all = names;
                    all.push(Self::many_words(Why::Parameter(name.to_string()), at, Taint::default()));
                    Got::Many(all, matches!(s, Subscript::Star))
                }
                Some(Subscript::Index(t)) => {
                    let i = self.arith(t).ok().and_then(|n| usize::try_from(n).ok());
                    let v = i.and_then(|i| names.into_iter().nth(i));
                    Got::One(Some(v.unwrap_or_else(|| Value::unknown(Why::Parameter(name.to_string()), at))))
                }
            };
        }
        let Some(var) = self.sh.var(name) else {
            let v = match name {
                "HOME" => Value::unknown(Why::Home(String::new()), at),
                "PWD" => self.place_now(at),
                "IFS" => Value::computed(b" \t\n", at, Taint::default()),
                "OPTIND" => Value::computed(b"1", at, Taint::default()),
                _ => Value::unknown(Why::Environment(name.to_string()), at),
            };
            if let Some(Subscript::Index(t)) = subscript {
                // What is substituted in it runs, whatever the variable is.
                let fatal = self.fatal;
                let _ = self.arith(t);
                self.fatal = fatal;
            }
            let mut v = v;
            let many = matches!(subscript, Some(Subscript::At | Subscript::Star));
            // It may be unset, or an array.
            if let Some(Piece::Unknown(u)) = v.pieces.first_mut()
                && many
            {
                u.splits = true;
            }
            return match subscript {
                Some(Subscript::At) => Got::Many(vec![v], false),
                Some(Subscript::Star) => Got::Many(vec![v], true),
                _ => Got::One(Some(v)),
            };
        };
        match (&var.content, subscript) {
            (Content::Unset, Some(s @ (Subscript::At | Subscript::Star))) => {
                Got::Many(Vec::new(), matches!(s, Subscript::Star))
            }
            (Content::Unset, _) => Got::One(None),
            (Content::Opaque(o), Some(s @ (Subscript::At | Subscript::Star))) => {
                Got::Many(o.list(at), matches!(s, Subscript::Star))
            }
            (Content::Opaque(o), None) => Got::One(Some(o.element(at))),
            (Content::Scalar(v), None) => Got::One(Some(v.clone())),
            (Content::Scalar(v), Some(Subscript::At)) => Got::Many(vec![v.clone()], false),
            (Content::Scalar(v), Some(Subscript::Star)) => Got::Many(vec![v.clone()], true),
            (Content::Indexed(m), None) if self.counts_from_one() => Got::Many(m.values().cloned().collect(), true),
            (Content::Indexed(m), None) => Got::One(m.get(&0).cloned()),
            (Content::Assoc(m), None) => Got::One(m.iter().find(|(k, _)| k == b"0").map(|(_, v)| v.clone())),
            (Content::Indexed(m), Some(s @ (Subscript::At | Subscript::Star))) => {
                Got::Many(m.values().cloned().collect(), matches!(s, Subscript::Star))
            }
            (Content::Assoc(m), Some(s @ (Subscript::At | Subscript::Star))) => {
                let star = matches!(s, Subscript::Star);
                Got::Many(table_order(m).into_iter().map(|(_, v)| v.clone()).collect(), star)
            }
            (c, Some(Subscript::Index(t))) if self.counts_from_one() && !matches!(c, Content::Assoc(_)) => {
                let name = name.to_string();
                self.zsh_subscript(&name, t, at)
            }
            (_, Some(Subscript::Index(t))) => {
                let name = name.to_string();
                Got::One(self.indexed(&name, t, at))
            }
        }
    }

    /// `$PWD`
    fn place_now(&self, at: Place) -> Value {
        let start = || Value::unknown(Why::Environment("PWD".into()), at);
        let Some(cwd) = &self.sh.cwd else { return start() };
        let [Piece::OneOf(all)] = cwd.pieces.as_slice() else { return cwd.clone() };
        let each = all.iter().map(|v| if v.pieces.is_empty() { start() } else { v.clone() });
        each.reduce(Value::either).unwrap_or_else(start)
    }

    /// True where arrays are those of zsh: the first element is the first, and the name alone is all of them.
    pub(crate) fn counts_from_one(&self) -> bool {
        self.language == Language::Zsh && !self.sh.opts.from_zero
    }

    /// `${name[subscript]}`
    pub(super) fn indexed(&mut self, name: &str, subscript: &ArithText, at: Place) -> Option<Value> {
        if matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_))) {
            let key = self.key_parts(&subscript.parts);
            return match key.as_literal() {
                Some(k) => self.element(name, &k, at),
                None => Some(self.any_element(name, key.taint(), at)),
            };
        }
        match self.arith(subscript) {
            Ok(n) => {
                let found = self.element(name, n.to_string().as_bytes(), at);
                let Some(Content::Indexed(m)) = self.sh.var(name).map(|v| &v.content) else { return found };
                let size = m.len();
                let v = match n < 0 {
                    true => {
                        among(found.as_ref(), m.values().rev().take(usize::try_from(n.saturating_neg()).unwrap_or(0)))
                    }
                    false => among(found.as_ref(), m.range(..n).map(|(_, v)| v)),
                };
                self.spend(size as u64 / 64);
                v
            }
            Err(t) => Some(self.any_element(name, t, at)),
        }
    }

    pub(crate) fn any_element(&self, name: &str, mut taint: Taint, at: Place) -> Value {
        if let Some(Content::Opaque(o)) = self.sh.var(name).map(|v| &v.content) {
            return o.element(at);
        }
        let values: Vec<Value> = match self.sh.var(name).map(|v| &v.content) {
            Some(Content::Indexed(m)) => m.values().cloned().collect(),
            Some(Content::Assoc(m)) => m.iter().map(|(_, v)| v.clone()).collect(),
            Some(Content::Scalar(v)) => vec![v.clone()],
            _ => Vec::new(),
        };
        values.iter().for_each(|v| taint.join(&v.taint()));
        let open = Value::unknown_tainted(Why::NotComputed("element of an array"), at, taint);
        if (1..crate::limits::MAX_READINGS).contains(&values.len()) {
            // There may be none of that key.
            let keyed = matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_)));
            let mut v = Value::default();
            v.pieces.push(Piece::OneOf(values.into_iter().chain(keyed.then_some(open)).collect()));
            return v;
        }
        open
    }

    /// The element with that key.
    pub(crate) fn element(&self, name: &str, key: &[u8], at: Place) -> Option<Value> {
        match self.sh.var(name).map(|v| &v.content) {
            Some(Content::Assoc(m)) => m.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone()),
            Some(Content::Indexed(m)) => {
                let n: i64 = std::str::from_utf8(key).ok()?.trim().parse().ok()?;
                let n = if n < 0 {
                    m.keys().next_back().copied().unwrap_or(-1).checked_add(1)?.checked_add(n)?
                } else {
                    n
                };
                m.get(&n).cloned()
            }
            Some(Content::Scalar(v)) => (key == b"0" || key == b"-1").then(|| v.clone()),
            Some(Content::Unset) => None,
            Some(Content::Opaque(o)) => Some(o.element(at)),
            None => Some(Value::unknown(Why::Environment(name.to_string()), at)),
        }
    }

    pub(crate) fn keys(&mut self, name: &str, at: Place) -> Vec<Value> {
        let name = self.sh.target(name).into_owned();
        match self.sh.var(&name).map(|v| &v.content) {
            Some(Content::Indexed(m)) => {
                m.keys().map(|k| Value::computed(k.to_string().as_bytes(), at, Taint::default())).collect()
            }
            Some(Content::Assoc(m)) => {
                table_order(m).into_iter().map(|(k, _)| Value::computed(k, at, Taint::default())).collect()
            }
            Some(Content::Scalar(_)) => vec![Value::computed(b"0", at, Taint::default())],
            Some(Content::Opaque(o)) => {
                let mut all = vec![Self::many_words(Why::Joined, at, Taint::default())];
                all.extend(o.keys.iter().cloned().reduce(Value::either));
                all
            }
            Some(Content::Unset) => Vec::new(),
            None => vec![Self::many_words(Why::Environment(name), at, Taint::default())],
        }
    }

    /// `${!name}`
    pub(super) fn indirect(&mut self, p: &Param, at: Place) -> Got {
        // `${!ref}` of a nameref gives the name it refers to.
        if let Some(var) = self.sh.var(&p.name)
            && var.attrs.nameref
            && let Content::Scalar(v) = &var.content
        {
            return Got::One(Some(v.clone()));
        }
        if p.name == "#" && self.outer_parameters() {
            // `${!#}`: the last parameter, or `$0` where there are none.
            return Got::One(Some(self.zero(at)));
        }
        let name = match self.got(&p.name, p.subscript.as_ref(), at) {
            Got::One(Some(v)) => v,
            Got::One(None) => return Got::One(None),
            // `${!@}` without parameters.
            Got::Many(l, star) if l.is_empty() => return Got::Many(l, star),
            Got::Many(mut l, _) if l.len() == 1 => l.pop().unwrap_or_default(),
            Got::Many(..) => return Got::One(Some(Value::unknown(Why::NotComputed("indirect expansion"), at))),
        };
        let Some(text) = name.as_str() else {
            return Got::One(Some(Value::unknown_tainted(Why::NotComputed("indirect expansion"), at, name.taint())));
        };
        match text.split_once('[') {
            Some((base, rest)) => self.element_text(base, rest, at),
            None => self.got(&text, None, at),
        }
    }

    /// `name[…]` given as text, without the opening bracket.
    pub(super) fn element_text(&mut self, base: &str, rest: &str, at: Place) -> Got {
        let subscript = rest.strip_suffix(']').unwrap_or(rest);
        match subscript {
            "@" => self.got(base, Some(&Subscript::At), at),
            "*" => self.got(base, Some(&Subscript::Star), at),
            _ => {
                let base = self.sh.target(base).into_owned();
                match self.key_text(&base, subscript, at) {
                    Some(key) => Got::One(self.element(&base, &key, at)),
                    None => Got::One(Some(self.any_element(&base, Taint::default(), at))),
                }
            }
        }
    }
}

/// The element at a place of a list, with what stands before it: where one of those may be several, it is perhaps one of
/// them.
fn among<'a>(found: Option<&Value>, mut before: impl Iterator<Item = &'a Value>) -> Option<Value> {
    match (before.find(|v| is_several(v)), found) {
        (None, found) => found.cloned(),
        (Some(several), None) => Some(several.clone()),
        (Some(several), Some(found)) => Some(Value::either(several.clone(), found.clone())),
    }
}

/// The elements of an associative array in the order in which bash gives them: that of its hash table of 1,024 buckets
/// (hashlib.c: FNV-1, 32 bits), the newest first in each.
pub(crate) fn table_order(map: &[(Vec<u8>, Value)]) -> Vec<&(Vec<u8>, Value)> {
    let bucket = |key: &[u8]| {
        key.iter().fold(2_166_136_261_u32, |h, b| h.wrapping_mul(16_777_619) ^ i32::from(*b as i8) as u32) & 0x3ff
    };
    let mut out: Vec<&(Vec<u8>, Value)> = map.iter().rev().collect();
    out.sort_by_key(|(k, _)| bucket(k));
    out
}
