//! Variables as text that would make them anew: `${name@A}`, `@K`, `@k`, `@a`, `declare -p`.
//!
//! In: a variable's content and attributes. Out: that text; `None` where something in it is not known. Facts: bash manual 3.5.3.

use super::super::Interp;
use super::super::scope::{Attrs, Content};
use super::{is_several, table_order};
use crate::source::Place;
use crate::syntax::ast::{Param, Subscript};
use crate::value::{Taint, Value, quote};

impl Interp<'_> {
    /// Words of a `declare` or `set`: bash splits them although they are quoted, where IFS has a blank in it.
    fn words_of(&self, p: &Param, words: Vec<Value>, at: Place) -> Vec<Value> {
        let star = p.name == "*" || matches!(p.subscript, Some(Subscript::Star));
        if !star && self.ifs().is_none_or(|ifs| ifs.contains(&b' ')) {
            return words;
        }
        let mut one = Value::default();
        for (i, w) in words.into_iter().enumerate() {
            if i > 0 {
                one.push(Value::computed(b" ", at, Taint::default()));
            }
            one.push(w);
        }
        vec![one]
    }

    /// `@A`, `@K` and `@k` of all elements, as words.
    pub(super) fn shown_list(&self, p: &Param, op: u8, list: &[Value], at: Place) -> Option<Vec<Value>> {
        let text = |t: &[u8]| Value::computed(t, at, Taint::default());
        if p.indirect || list.iter().any(is_several) {
            return None;
        }
        if p.subscript.is_none() {
            // Parameters.
            let quoted = list.iter().map(|v| quoted(v, at, quote::shell_quote));
            let start = (op == b'A').then(|| [Some(text(b"set")), Some(text(b"--"))]).into_iter().flatten();
            let words: Vec<Value> = start.chain(quoted).collect::<Option<_>>()?;
            return Some(if op == b'A' { self.words_of(p, words, at) } else { words });
        }
        let name = self.sh.target(&p.name).into_owned();
        let var = self.sh.var(&name)?;
        if op == b'A' {
            let flags = letters(var.attrs, &var.content);
            let mut last = text(format!("{name}=").as_bytes());
            last.push(array_text(&var.content, at)?);
            let words = vec![text(b"declare"), text(&[b"-", flags.as_slice()].concat()), last];
            return Some(self.words_of(p, words, at));
        }
        let elements = elements(&var.content)?;
        if op == b'k' {
            return Some(elements.into_iter().flat_map(|(k, v)| [text(&k), v]).collect());
        }
        let keyed = matches!(var.content, Content::Assoc(_));
        let mut out = Value::default();
        for (i, (k, v)) in elements.into_iter().enumerate() {
            let start = if i > 0 && !keyed { b" ".as_slice() } else { b"" };
            let key = if keyed { quote::key_quote(&k) } else { k };
            out.push(text(&[start, &key, b" "].concat()));
            out.push(quoted(&v, at, quote::double_quote)?);
            out.push(text(if keyed { b" " } else { b"" }));
        }
        Some(if out.pieces.is_empty() { Vec::new() } else { vec![out] })
    }

    /// `@A` and `@K` of one value.
    pub(super) fn shown(&self, p: &Param, op: u8, v: Option<&Value>, at: Place) -> Option<Value> {
        let text = |t: &[u8]| Value::computed(t, at, Taint::default());
        let value = match v {
            Some(v) => Some(quoted(v, at, quote::shell_quote)?),
            None => None,
        };
        let named = match p.indirect {
            true => None,
            false => Some(p.name.clone()),
        };
        if op != b'A' || p.name.bytes().all(|b| b.is_ascii_digit()) {
            return Some(value.unwrap_or_default());
        }
        let name = self.sh.target(&named?).into_owned();
        let Some(var) = self.sh.var(&name) else { return v.is_none().then(Value::default) };
        if matches!(p.subscript, Some(Subscript::At | Subscript::Star)) || var.attrs.maybe_unset || name.contains('[') {
            return None;
        }
        let flags = letters(var.attrs, &var.content);
        let mut out = match flags.is_empty() {
            true => Value::default(),
            false => text(&[b"declare -", flags.as_slice(), b" "].concat()),
        };
        match value {
            Some(value) => {
                out.push(text(format!("{name}=").as_bytes()));
                out.push(value);
            }
            None if flags.is_empty() => {}
            None => out.push(text(name.as_bytes())),
        }
        Some(out)
    }
}

/// A value in quotes, with what it came from.
fn quoted(v: &Value, at: Place, how: impl Fn(&[u8]) -> Vec<u8>) -> Option<Value> {
    v.as_literal().map(|b| Value::computed(&how(&b), at, v.taint()))
}

/// Keys and values in the order in which bash gives them.
fn elements(content: &Content) -> Option<Vec<(Vec<u8>, Value)>> {
    match content {
        Content::Indexed(m) => Some(m.iter().map(|(k, v)| (k.to_string().into_bytes(), v.clone())).collect()),
        Content::Assoc(m) => Some(table_order(m).into_iter().cloned().collect()),
        _ => None,
    }
}

/// The elements of an array between parentheses.
pub(crate) fn array_text(content: &Content, at: Place) -> Option<Value> {
    let text = |t: &[u8]| Value::computed(t, at, Taint::default());
    let keyed = matches!(content, Content::Assoc(_));
    let mut out = text(b"(");
    for (i, (k, v)) in elements(content)?.into_iter().enumerate() {
        let start = if i > 0 && !keyed { b" [".as_slice() } else { b"[" };
        let key = if keyed { quote::key_quote(&k) } else { k };
        out.push(text(&[start, &key, b"]="].concat()));
        out.push(quoted(&v, at, quote::double_quote)?);
        out.push(text(if keyed { b" " } else { b"" }));
    }
    out.push(text(b")"));
    Some(out)
}

/// The letters of `declare` for a variable.
pub(crate) fn letters(a: Attrs, content: &Content) -> Vec<u8> {
    let known = [
        (matches!(content, Content::Indexed(_)), b'a'),
        (matches!(content, Content::Assoc(_)), b'A'),
        (a.integer, b'i'),
        (a.nameref, b'n'),
        (a.readonly, b'r'),
        (a.exported, b'x'),
        (a.capital, b'c'),
        (a.lower, b'l'),
        (a.upper, b'u'),
    ];
    known.into_iter().filter(|(on, _)| *on).map(|(_, letter)| letter).collect()
}
