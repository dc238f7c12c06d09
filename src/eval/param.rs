//! Parameter expansion: `$name` and `${…}` with every operator, over values.
//!
//! In: the tree's `Param` and the shell's state. Out: runs. An operator on text that is not known gives an unknown
//! piece that keeps what the text came from.

use super::Interp;
use super::expand::{Border, Mode, Run};
use super::glob::compile;
use super::scope::Content;
use crate::effect::Language;
use crate::effect::graph::DoubtKind;
use crate::source::{Place, Span};
use crate::syntax::ast::{ArithText, Param, ParamOp, ReplaceAt, Subscript, Word};
use crate::value::pattern::{Extent, PatPiece, Replacement};
use crate::value::quote::{self, Case};
use crate::value::{Bytes, Glob, Piece, Taint, Value, Why};

/// What a parameter holds.
pub(crate) enum Got {
    /// One string, or unset.
    One(Option<Value>),
    /// The elements of `$@`, `$*`, an array with `[@]` or `[*]`. The flag is `*`.
    Many(Vec<Value>, bool),
}

impl Interp<'_> {
    /// One parameter expansion → runs.
    pub(crate) fn param(&mut self, p: &Param, span: Span, quoted: bool, out: &mut Vec<Run>) {
        let at = self.at(span);
        match &p.op {
            ParamOp::Names(at_sign) => {
                let prefix = p.name.as_str();
                let names = self.sh.vars.iter().map(|(n, _)| n).filter(|n| n.starts_with(prefix));
                let values: Vec<Value> = names.map(|n| Value::computed(n.as_bytes(), at, Taint::default())).collect();
                // The environment may hold further ones.
                return self.many_runs(values, !at_sign, quoted, at, out);
            }
            ParamOp::Keys(at_sign) => {
                let mut keys = self.keys(&p.name, at);
                if !at_sign && !quoted && keys.len() > 1 && self.ifs().is_some_and(|ifs| ifs.is_empty()) {
                    // With nothing to split at they are one word.
                    keys = joined_list(&keys, at).into_iter().collect();
                }
                return self.many_runs(keys, !at_sign, quoted, at, out);
            }
            ParamOp::Other(_)
                if self.language == Language::Zsh && {
                    let text = span.of(&self.source.bytes(self.text)).to_vec();
                    self.zsh_expansion(&text, at, quoted, out)
                } => {}
            ParamOp::Other(parts) => {
                // Every substitution in it is visited; the result is not computed.
                let inner = self.quoted_parts(parts);
                if matches!(self.language, Language::Sh | Language::Bash) {
                    // A bad substitution: the command is not run.
                    self.leave_on_error();
                }
                let v = Value::unknown_tainted(Why::NotComputed("expansion of another shell"), at, inner.taint());
                return self.value_runs(v, quoted, out);
            }
            _ => {}
        }
        if matches!(p.op, ParamOp::Other(_)) {
            return;
        }
        if let (ParamOp::Default(_, w), true, false) = (&p.op, self.outer_parameters(), p.indirect)
            && matches!(p.name.as_str(), "@" | "*")
        {
            // A command line has no parameters.
            self.doubt(DoubtKind::UnknownValue, format!("${}", p.name), at);
            return self.word_runs(w, quoted, out);
        }
        if self.outer_parameters() && matches!(p.name.as_str(), "@" | "*") && (p.indirect || p.op != ParamOp::None) {
            // `${@#x}`, `${!*}` of the surrounding shell: a command line has no parameters, a script is seldom cut this
            // way.
            self.doubt(DoubtKind::UnknownValue, format!("${}", p.name), at);
            return self.many_runs(Vec::new(), p.name == "*", quoted, at, out);
        }
        let got = if p.indirect { self.indirect(p, at) } else { self.got(&p.name, p.subscript.as_ref(), at) };
        match got {
            Got::One(v) => {
                if let Some(taken) = self.word_operator(p, &v) {
                    return self.take(p, taken, v, at, quoted, out);
                }
                let r = self.operate(p, v, at);
                if let Some(v) = r {
                    if quoted && v.pieces.is_empty() {
                        out.push(Run::Null);
                    } else {
                        self.value_runs(v, quoted, out);
                    }
                }
            }
            Got::Many(list, star) => {
                if matches!(p.op, ParamOp::Default(..) | ParamOp::Alternative(..)) {
                    let set = joined_list(&list, at);
                    if let Some(taken) = self.word_operator(p, &set) {
                        return match (taken, &p.op) {
                            (Taken::Value, ParamOp::Default(..)) => self.many_runs(list, star, quoted, at, out),
                            (taken, _) => self.take(p, taken, set, at, quoted, out),
                        };
                    }
                }
                let list = self.operate_many(p, list, at);
                // bash splits `${*:1}` where `$@` stands beside it in the same quotes.
                let star = star && !(quoted && self.beside_list && p.op != ParamOp::None);
                match list {
                    Ok(list) => self.many_runs(list, star, quoted, at, out),
                    Err(v) => self.value_runs(v, quoted, out),
                }
            }
        }
    }

    fn many_runs(&mut self, list: Vec<Value>, star: bool, quoted: bool, at: Place, out: &mut Vec<Run>) {
        if star && quoted {
            let sep: Vec<u8> = match self.ifs() {
                Some(ifs) => ifs.first().map(|b| vec![*b]).unwrap_or_default(),
                None => b" ".to_vec(),
            };
            let mut v = Value::default();
            for (i, item) in list.into_iter().enumerate() {
                if i > 0 && !sep.is_empty() {
                    v.push(Value::computed(&sep, at, Taint::default()));
                }
                v.push(item);
            }
            if v.pieces.is_empty() {
                out.push(Run::Null);
            }
            return self.value_runs(v, true, out);
        }
        for (i, v) in list.into_iter().enumerate() {
            if i > 0 {
                out.push(Run::Break(match (quoted, star) {
                    (true, _) => Border::Quoted,
                    (false, true) => Border::Star,
                    (false, false) => Border::At,
                }));
            }
            if v.pieces.is_empty() {
                if quoted {
                    out.push(Run::Null);
                }
            } else if quoted {
                // An unknown `"$@"` is any number of words even between quotes: its pieces keep their flag.
                for p in v.pieces {
                    out.push(Run::Piece(p, Mode::Quoted));
                }
            } else {
                self.value_runs(v, false, out);
            }
        }
    }

    /// The value of a plain variable, with what the shell itself gives to some; `None` where unset.
    pub(crate) fn variable(&mut self, name: &str, at: Place) -> Option<Value> {
        match self.got(name, None, at) {
            Got::One(v) => v,
            Got::Many(l, _) => joined_list(&l, at),
        }
    }

    fn got(&mut self, name: &str, subscript: Option<&Subscript>, at: Place) -> Got {
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
                Some(l) => Got::One(n.checked_sub(1).and_then(|i| l.get(i)).cloned()),
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
                "PWD" => self.sh.cwd.clone().unwrap_or_else(|| Value::unknown(Why::Environment("PWD".into()), at)),
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
            (Content::Opaque(t), Some(s @ (Subscript::At | Subscript::Star))) => {
                Got::Many(vec![Self::many_words(Why::Joined, at, t.clone())], matches!(s, Subscript::Star))
            }
            (Content::Opaque(t), None) => Got::One(Some(Value::unknown_tainted(Why::Joined, at, t.clone()))),
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

    /// True where arrays are those of zsh: the first element is the first, and the name alone is all of them.
    pub(crate) fn counts_from_one(&self) -> bool {
        self.language == Language::Zsh && !self.sh.opts.from_zero
    }

    /// `${name[subscript]}`
    fn indexed(&mut self, name: &str, subscript: &ArithText, at: Place) -> Option<Value> {
        if matches!(self.sh.var(name).map(|v| &v.content), Some(Content::Assoc(_))) {
            let key = self.key_parts(&subscript.parts);
            return match key.as_literal() {
                Some(k) => self.element(name, &k, at),
                None => Some(self.any_element(name, key.taint(), at)),
            };
        }
        match self.arith(subscript) {
            Ok(n) => self.element(name, n.to_string().as_bytes(), at),
            Err(t) => Some(self.any_element(name, t, at)),
        }
    }

    pub(crate) fn any_element(&self, name: &str, mut taint: Taint, at: Place) -> Value {
        let values: Vec<Value> = match self.sh.var(name).map(|v| &v.content) {
            Some(Content::Indexed(m)) => m.values().cloned().collect(),
            Some(Content::Assoc(m)) => m.iter().map(|(_, v)| v.clone()).collect(),
            Some(Content::Scalar(v)) => vec![v.clone()],
            _ => Vec::new(),
        };
        values.iter().for_each(|v| taint.join(&v.taint()));
        if (1..=crate::limits::MAX_READINGS).contains(&values.len()) {
            let mut v = Value::default();
            v.pieces.push(Piece::OneOf(values));
            return v;
        }
        Value::unknown_tainted(Why::NotComputed("element of an array"), at, taint)
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
            Some(Content::Opaque(t)) => Some(Value::unknown_tainted(Why::Joined, at, t.clone())),
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
            Some(Content::Opaque(_)) => vec![Self::many_words(Why::Joined, at, Taint::default())],
            Some(Content::Unset) => Vec::new(),
            None => vec![Self::many_words(Why::Environment(name), at, Taint::default())],
        }
    }

    /// `${!name}`
    fn indirect(&mut self, p: &Param, at: Place) -> Got {
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
    fn element_text(&mut self, base: &str, rest: &str, at: Place) -> Got {
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

    fn operate_many(&mut self, p: &Param, list: Vec<Value>, at: Place) -> Result<Vec<Value>, Value> {
        let many_unknown = list.iter().any(|v| v.pieces.iter().any(|q| matches!(q, Piece::Unknown(u) if u.splits)));
        match &p.op {
            ParamOp::None => Ok(list),
            ParamOp::Length => {
                if many_unknown {
                    return Err(Value::unknown(Why::NotComputed("number of elements"), at));
                }
                Err(Value::computed(list.len().to_string().as_bytes(), at, Taint::default()))
            }
            ParamOp::Substring(off, len) => {
                let positional = p.subscript.is_none();
                if many_unknown {
                    return Ok(self.slice_of_open(list, off, len.as_ref(), positional, at));
                }
                let mut all = list;
                // `$@` counts from `$0`; arrays count their elements.
                if positional {
                    all.insert(0, self.zero(at));
                }
                // An array is cut by its subscripts, which need not be consecutive.
                let target = self.sh.target(&p.name).into_owned();
                let keys: Option<Vec<i64>> = match self.sh.var(&target).map(|v| &v.content) {
                    Some(Content::Indexed(m)) if !positional && m.len() == all.len() => {
                        Some(m.keys().copied().collect())
                    }
                    _ => None,
                };
                let n = match keys.as_ref().and_then(|k| k.last()) {
                    Some(last) => last.saturating_add(1),
                    None => i64::try_from(all.len()).unwrap_or(i64::MAX),
                };
                let bad = |t: Taint| Value::unknown_tainted(Why::NotComputed("slice of an array"), at, t);
                let off = self.arith(off).map_err(bad)?;
                let len = match len {
                    Some(l) => Some(self.arith(l).map_err(bad)?),
                    None => None,
                };
                let start = if off < 0 { n.saturating_add(off) } else { off };
                if start < 0 || start > n || len.is_some_and(|l| l < 0) {
                    return Ok(Vec::new());
                }
                if let Some(keys) = keys {
                    let first = keys.partition_point(|k| *k < start);
                    let count = len.and_then(|l| usize::try_from(l).ok()).unwrap_or(usize::MAX);
                    return Ok(all.into_iter().skip(first).take(count).collect());
                }
                let end = len.map_or(n, |l| start.saturating_add(l).min(n));
                let (s, e) = (usize::try_from(start).unwrap_or(0), usize::try_from(end).unwrap_or(0));
                Ok(all.get(s..e.max(s)).map(<[Value]>::to_vec).unwrap_or_default())
            }
            _ => {
                let mut out = Vec::with_capacity(list.len());
                for v in list {
                    // What stands for any number of elements does so whatever is done to each.
                    let many = v.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits));
                    let mut v = self.operate(p, Some(v), at).unwrap_or_default();
                    for p in &mut v.pieces {
                        if let Piece::Unknown(u) = p {
                            u.splits |= many;
                        }
                    }
                    out.push(v);
                }
                Ok(out)
            }
        }
    }

    /// A slice of a list of which a part may be any number of elements: what stands before that part is counted.
    fn slice_of_open(
        &mut self,
        list: Vec<Value>,
        off: &ArithText,
        len: Option<&ArithText>,
        positional: bool,
        at: Place,
    ) -> Vec<Value> {
        let many = |v: &Value| v.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits));
        let known = list.iter().take_while(|v| !many(v)).count();
        let mut taint = Taint::default();
        list.iter().for_each(|v| taint.join(&v.taint()));
        let off = self.arith(off).ok();
        let len = len.map(|l| self.arith(l).ok());
        let first = off.and_then(|n| usize::try_from(n).ok()).map(|n| if positional { n.saturating_sub(1) } else { n });
        match first {
            // The whole of it.
            Some(0) if len.is_none() && !(positional && off == Some(0)) => list,
            Some(n) if n <= known && !(positional && off == Some(0)) => {
                let rest = list.into_iter().skip(n);
                match len {
                    Some(Some(l)) if usize::try_from(l).is_ok_and(|l| n.saturating_add(l) <= known) => {
                        rest.take(usize::try_from(l).unwrap_or(0)).collect()
                    }
                    None => rest.collect(),
                    Some(_) => {
                        let mut out: Vec<Value> = match len {
                            Some(Some(l)) if l > 0 => rest.take(known.saturating_sub(n)).collect(),
                            _ => Vec::new(),
                        };
                        out.push(Self::many_words(Why::Joined, at, taint));
                        out
                    }
                }
            }
            _ => {
                if list.len() == 1 && !positional {
                    return list;
                }
                vec![Self::many_words(Why::Joined, at, taint)]
            }
        }
    }

    /// Applies the operator to one value. `None`: the expansion is empty because the parameter is unset.
    fn operate(&mut self, p: &Param, v: Option<Value>, at: Place) -> Option<Value> {
        match &p.op {
            ParamOp::None => v,
            ParamOp::Length => Some(self.length(v.unwrap_or_default(), at)),
            // The operators that ask whether it is set are `take`'s.
            ParamOp::Default(..) | ParamOp::Assign(..) | ParamOp::Error(..) | ParamOp::Alternative(..) => v,
            ParamOp::RemovePrefix(long, w) => {
                let pat = self.pattern(w);
                Some(self.remove(v?, &pat, *long, true, at))
            }
            ParamOp::RemoveSuffix(long, w) => {
                let pat = self.pattern(w);
                let v = v?;
                if *long && is_all_from_root(&pat) && crate::effect::path::is_absolute(&v) {
                    return Some(Value::default());
                }
                Some(keeps_place(v.clone(), self.remove(v, &pat, *long, false, at), at))
            }
            ParamOp::Replace(where_, w, r) => {
                let pat = self.pattern(w);
                let rep = self.replacement(r.as_ref());
                let v = v?;
                let cut = pat.pieces.iter().any(|p| matches!(p, Piece::Literal(l) if l.bytes.contains(&b'/')));
                let before = v.clone();
                let r = self.replace(v, *where_, &pat, &rep, at);
                // With its slashes gone it is a name, and no path any more.
                Some(if cut { r } else { keeps_place(before, r, at) })
            }
            ParamOp::Substring(off, len) => {
                let v = v?;
                let before = v.clone();
                let r = self.substring(v, off, len.as_ref(), at);
                if r.is_known() || !matches!(self.arith(off), Ok(0)) {
                    return Some(r);
                }
                if let Some(Ok(1)) = len.as_ref().map(|l| self.arith(l))
                    && crate::effect::path::is_absolute(&before)
                {
                    return Some(Value::computed(b"/", at, before.taint()));
                }
                Some(keeps_place(before, r, at))
            }
            ParamOp::Case(op, double, w) => {
                let pat = self.pattern(w);
                let v = v?;
                let pattern = if pat.pieces.is_empty() { None } else { Some(compile(&pat, false)) };
                if let Some(None) = pattern {
                    return Some(Value::unknown_tainted(Why::NotComputed("case of text"), at, v.taint()));
                }
                let pattern = pattern.flatten();
                let case = match op {
                    b'^' => Case::Upper,
                    b',' => Case::Lower,
                    _ => Case::Toggle,
                };
                let before = v.clone();
                let r = map_known(v, at, |b| quote::change_case(b, case, *double, pattern.as_ref()).ok());
                Some(keeps_place(before, r, at))
            }
            ParamOp::Transform(op) => {
                if *op == b'a' {
                    let named = match p.indirect {
                        true => self.variable(&p.name, at).and_then(|v| v.as_str().map(|s| s.into_owned())),
                        false => Some(p.name.clone()),
                    };
                    let unknown = Value::unknown(Why::NotComputed("attributes of a variable"), at);
                    let Some(named) = named else { return Some(unknown) };
                    let base = named.split('[').next().unwrap_or_default();
                    let target = self.sh.target(base);
                    let attrs = self.sh.var(&target).map(|v| (v.attrs, v.content.clone()));
                    if attrs.is_none() {
                        return Some(unknown);
                    }
                    return Some(Value::computed(&attribute_letters(attrs), at, Taint::default()));
                }
                if *op == b'A' || *op == b'K' || *op == b'k' {
                    return Some(Value::unknown_tainted(
                        Why::NotComputed("declaration of a variable"),
                        at,
                        v.map(|v| v.taint()).unwrap_or_default(),
                    ));
                }
                if *op == b'P' {
                    // The prompt's escapes are decoded, then what is in it is expanded: `x='$(cmd)'; ${x@P}` runs cmd.
                    return Some(self.prompt(v?, at));
                }
                let op = *op;
                Some(map_known(v?, at, |b| match op {
                    b'Q' => Some(quote::shell_quote(b)),
                    b'E' => Some(quote::ansi_c_decode(b)),
                    b'U' => quote::change_case(b, Case::Upper, true, None).ok(),
                    b'u' => quote::change_case(b, Case::Upper, false, None).ok(),
                    b'L' => quote::change_case(b, Case::Lower, true, None).ok(),
                    _ => None,
                }))
            }
            ParamOp::Names(_) | ParamOp::Keys(_) | ParamOp::Other(_) => v,
        }
    }

    /// For the four operators that ask whether a parameter is set (and not empty): what holds.
    fn word_operator(&self, p: &Param, v: &Option<Value>) -> Option<Taken> {
        let (ParamOp::Default(colon, _)
        | ParamOp::Assign(colon, _)
        | ParamOp::Error(colon, _)
        | ParamOp::Alternative(colon, _)) = &p.op
        else {
            return None;
        };
        let Some(value) = v else { return Some(Taken::Word) };
        let outer = value.pieces.iter().any(|p| {
            matches!(p, Piece::Unknown(u) if matches!(u.why, Why::Environment(_) | Why::Parameter(_) | Why::Joined))
        });
        let maybe_unset = self.sh.var(&p.name).is_some_and(|v| v.attrs.maybe_unset);
        Some(match (empty(value), *colon) {
            _ if maybe_unset => Taken::Either,
            (Some(true), true) => Taken::Word,
            (Some(false), _) => Taken::Value,
            (_, false) if !outer => Taken::Value,
            _ => Taken::Either,
        })
    }

    /// Gives the value, the word, or what may be either of them.
    fn take(&mut self, p: &Param, taken: Taken, v: Option<Value>, at: Place, quoted: bool, out: &mut Vec<Run>) {
        let (ParamOp::Default(_, w) | ParamOp::Assign(_, w) | ParamOp::Error(_, w) | ParamOp::Alternative(_, w)) =
            &p.op
        else {
            return;
        };
        let alternative = matches!(p.op, ParamOp::Alternative(..));
        match (taken, &p.op) {
            (Taken::Word, ParamOp::Assign(..)) => {
                let v = self.single(w);
                self.assign_name(&p.name, v.clone(), at);
                self.push_value(v, quoted, out);
            }
            (Taken::Either, ParamOp::Assign(..)) => {
                let unset = self.conditional(|me| me.single(w));
                let v = Value::either(v.unwrap_or_default(), unset);
                self.assign_name(&p.name, v.clone(), at);
                self.push_value(v, quoted, out);
            }
            (Taken::Word, ParamOp::Error(..)) => {
                let _ = self.single(w);
                self.leave_on_error();
            }
            (Taken::Either, ParamOp::Error(colon, _)) => {
                let _ = self.conditional(|me| me.single(w));
                // The shell goes on only if it is set.
                self.certainty = self.certainty.min(crate::effect::Certainty::Conditional);
                self.ended = true;
                let mut v = v.unwrap_or_default();
                if let (true, [Piece::Unknown(u)]) = (*colon, v.pieces.as_mut_slice())
                    && let Why::Environment(n) | Why::Parameter(n) = &u.why
                    && *n == p.name
                {
                    let set = matches!(u.why, Why::Environment(_));
                    u.why = Why::NotEmpty(p.name.clone());
                    // What comes after it is only reached where it holds.
                    if set && self.sh.var(&p.name).is_none() {
                        self.assign_name(&p.name, v.clone(), at);
                    }
                }
                self.push_value(v, quoted, out);
            }
            (Taken::Value, ParamOp::Alternative(..)) | (Taken::Word, ParamOp::Default(..)) => {
                self.word_runs(w, quoted, out);
            }
            (Taken::Word, _) => {
                // `${unset:+word}` is nothing.
                if quoted {
                    out.push(Run::Null);
                }
            }
            (Taken::Value, _) => self.push_value(v.unwrap_or_default(), quoted, out),
            (Taken::Either, _) => {
                let word = self.conditional(|me| me.single(w));
                let other = if alternative { Value::default() } else { v.unwrap_or_default() };
                self.push_value(Value::either(other, word), quoted, out);
            }
        }
    }

    fn push_value(&mut self, v: Value, quoted: bool, out: &mut Vec<Run>) {
        if quoted && v.pieces.is_empty() {
            out.push(Run::Null);
        } else {
            self.value_runs(v, quoted, out);
        }
    }

    /// The word of an operator where it stands for the parameter: its own quotes count, the rest of it is split like
    /// the result of an expansion.
    fn word_runs(&mut self, w: &Word, quoted: bool, out: &mut Vec<Run>) {
        let start = out.len();
        self.runs(&w.parts, quoted, out);
        if quoted {
            if out.len() == start {
                out.push(Run::Null);
            }
            return;
        }
        for r in out.iter_mut().skip(start) {
            if let Run::Piece(_, mode) = r
                && *mode == Mode::Plain
            {
                *mode = Mode::Expanded;
            }
        }
    }

    /// Text as a prompt: escapes decoded, the rest expanded.
    fn prompt(&mut self, v: Value, at: Place) -> Value {
        let Some(text) = v.as_literal().map(|b| b.into_owned()) else {
            return Value::unknown_tainted(Why::NotComputed("prompt"), at, v.taint());
        };
        let mut out = Value::default();
        for part in quote::prompt(&text) {
            match part {
                quote::PromptPart::Text(t) => {
                    let t = Value::computed(&t, v.place(), v.taint());
                    out.push(self.expand_again(t, at));
                }
                quote::PromptPart::Unknown(what) => out.push(Value::unknown(Why::NotComputed(what), at)),
            }
        }
        out
    }

    fn length(&mut self, v: Value, at: Place) -> Value {
        let taint = v.taint();
        match v.as_literal() {
            Some(b) => {
                let n = match std::str::from_utf8(&b) {
                    Ok(s) => s.chars().count(),
                    Err(_) => b.len(),
                };
                Value::computed(n.to_string().as_bytes(), at, Taint::default())
            }
            None => Value::unknown_tainted(Why::NotComputed("length of text"), at, taint),
        }
    }

    fn remove(&mut self, v: Value, pat: &Value, long: bool, prefix: bool, at: Place) -> Value {
        if pat.pieces.is_empty() {
            return v;
        }
        // `${f%.txt}` of text whose end is known needs no more than that.
        if let (Some(p), false) = (pat.as_literal(), v.is_known()) {
            let mut v = v;
            let end = if prefix { v.pieces.first_mut() } else { v.pieces.last_mut() };
            if let Some(Piece::Literal(l)) = end {
                let cut = if prefix {
                    l.bytes.strip_prefix(p.as_ref()).map(Bytes::from_slice)
                } else {
                    l.bytes.strip_suffix(p.as_ref()).map(Bytes::from_slice)
                };
                if let Some(rest) = cut {
                    l.exact = false;
                    l.bytes = rest;
                    return v;
                }
                if l.bytes.len() >= p.len() {
                    return v;
                }
            }
            let taint = v.taint();
            return Value::unknown_tainted(Why::NotComputed("part of text"), at, taint);
        }
        let Some(pattern) = compile(pat, false) else {
            return Value::unknown_tainted(Why::NotComputed("part of text"), at, v.taint());
        };
        map_known(v, at, |b| {
            let extent = if long { Extent::Longest } else { Extent::Shortest };
            let rest = if prefix { pattern.strip_prefix(b, extent) } else { pattern.strip_suffix(b, extent) };
            rest.ok().map(<[u8]>::to_vec)
        })
    }

    /// The word after the second `/`: its bytes, and whether an `&` in them stands for what was matched. `Err` with what
    /// it comes from where it is not known.
    fn replacement(&mut self, word: Option<&Word>) -> Result<Vec<(Vec<u8>, bool)>, Taint> {
        let mut runs = Vec::new();
        if let Some(w) = word {
            self.runs(&w.parts, false, &mut runs);
        }
        // Other shells know no `&`.
        let active = matches!(self.language, Language::Bash | Language::Sh);
        let mut out = Vec::new();
        for r in runs {
            match r {
                Run::Piece(Piece::Literal(l), mode) => out.push((l.bytes.to_vec(), active && mode != Mode::Quoted)),
                Run::Piece(p, _) => {
                    let v = super::builtin::globs_as_text(&Value { pieces: smallvec::smallvec![p] });
                    match v.as_literal() {
                        Some(b) => out.push((b.into_owned(), active)),
                        None => return Err(v.taint()),
                    }
                }
                Run::Break(_) => out.push((b" ".to_vec(), false)),
                Run::Null => {}
            }
        }
        Ok(out)
    }

    fn replace(
        &mut self,
        v: Value,
        where_: ReplaceAt,
        pat: &Value,
        rep: &Result<Vec<(Vec<u8>, bool)>, Taint>,
        at: Place,
    ) -> Value {
        if pat.pieces.is_empty() && matches!(where_, ReplaceAt::First | ReplaceAt::All) {
            return v;
        }
        let (Some(pattern), Ok(rep)) = (compile(pat, false), rep) else {
            let mut t = v.taint();
            if let Err(r) = rep {
                t.join(r);
            }
            return Value::unknown_tainted(Why::NotComputed("replacement in text"), at, t);
        };
        let pieces: Vec<PatPiece<'_>> =
            rep.iter().map(|(b, active)| if *active { PatPiece::Active(b) } else { PatPiece::Literal(b) }).collect();
        let with = Replacement::parse(&pieces);
        map_known(v, at, |b| {
            match where_ {
                ReplaceAt::First => pattern.replace(b, &with, false),
                ReplaceAt::All => pattern.replace(b, &with, true),
                ReplaceAt::Start => pattern.replace_prefix(b, &with),
                ReplaceAt::End => pattern.replace_suffix(b, &with),
            }
            .ok()
        })
    }

    fn substring(&mut self, v: Value, off: &ArithText, len: Option<&ArithText>, at: Place) -> Value {
        let unknown = |t: Taint| Value::unknown_tainted(Why::NotComputed("part of text"), at, t);
        let off = match self.arith(off) {
            Ok(n) => n,
            Err(t) => return unknown(t),
        };
        let len = match len.map(|l| self.arith(l)) {
            None => None,
            Some(Ok(n)) => Some(n),
            Some(Err(t)) => return unknown(t),
        };
        map_known(v, at, |b| {
            let text = std::str::from_utf8(b).ok();
            let n = i64::try_from(text.map_or(b.len(), |s| s.chars().count())).ok()?;
            let start = if off < 0 { n.saturating_add(off) } else { off };
            if start < 0 || start > n {
                return Some(Vec::new());
            }
            let end = match len {
                None => n,
                Some(l) if l < 0 => n.saturating_add(l),
                Some(l) => start.saturating_add(l).min(n),
            };
            if end < start {
                return None;
            }
            let (s, e) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
            Some(match text {
                Some(t) => t.chars().skip(s).take(e.saturating_sub(s)).collect::<String>().into_bytes(),
                None => b.get(s..e)?.to_vec(),
            })
        })
    }
}

/// What an operation made of text that is not wholly known, as something near the place that the text named.
fn keeps_place(before: Value, after: Value, at: Place) -> Value {
    match after.pieces.as_slice() {
        [Piece::Unknown(u)] if matches!(u.why, Why::NotComputed(_)) && crate::effect::path::is_absolute(&before) => {
            before.near(at).unwrap_or(after)
        }
        _ => after,
    }
}

/// True for the pattern `/*`: of an absolute path it takes everything.
fn is_all_from_root(pat: &Value) -> bool {
    matches!(pat.pieces.as_slice(), [Piece::Literal(l), Piece::Glob(Glob::Star, _)] if &*l.bytes == b"/")
}

/// What an operator that asks whether a parameter is set gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// The parameter is set (and not empty).
    Value,
    /// It is not.
    Word,
    /// Either.
    Either,
}

/// The elements of a list as one text; `None` where there are none.
fn joined_list(list: &[Value], at: Place) -> Option<Value> {
    if list.is_empty() {
        return None;
    }
    let mut v = Value::default();
    for (i, x) in list.iter().enumerate() {
        if i > 0 {
            v.push(Value::computed(b" ", at, Taint::default()));
        }
        v.push(x.clone());
    }
    Some(v)
}

/// Applies a function to every known reading of a value; what is not known stays unknown, with what it came from.
pub(crate) fn map_known(v: Value, at: Place, f: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Value {
    if v.pieces.iter().any(|p| matches!(p, Piece::OneOf(_))) {
        let mut it = v.readings().into_iter();
        if let Some(first) = it.next()
            && first != v
        {
            let mut out = map_known(first, at, &f as &dyn Fn(&[u8]) -> Option<Vec<u8>>);
            for r in it {
                out = Value::either(out, map_known(r, at, &f as &dyn Fn(&[u8]) -> Option<Vec<u8>>));
            }
            return out;
        }
    }
    let taint = v.taint();
    match v.as_literal().and_then(|b| f(&b).map(|r| (r == *b, r))) {
        Some((true, _)) => v,
        Some((false, r)) if r.len() <= crate::limits::MAX_VALUE => {
            if r.is_empty() {
                return Value::default();
            }
            Value::computed(&r, if v.pieces.is_empty() { at } else { v.place() }, taint)
        }
        Some(_) => Value::unknown_tainted(Why::Limit, at, taint),
        None => Value::unknown_tainted(Why::NotComputed("text operation"), at, taint),
    }
}

/// Whether a value is the empty string; `None` where that is not known.
pub(crate) fn empty(v: &Value) -> Option<bool> {
    let mut unknown = false;
    for p in &v.pieces {
        match p {
            Piece::Literal(l) if !l.bytes.is_empty() => return Some(false),
            Piece::Literal(_) => {}
            Piece::Glob(..) => return Some(false),
            Piece::Unknown(u) if matches!(u.why, Why::Home(_) | Why::NotEmpty(_)) => return Some(false),
            Piece::Unknown(_) => unknown = true,
            Piece::OneOf(vs) => {
                let all: Vec<Option<bool>> = vs.iter().map(empty).collect();
                if all.iter().all(|e| *e == Some(false)) {
                    return Some(false);
                }
                if !all.iter().all(|e| *e == Some(true)) {
                    unknown = true;
                }
            }
        }
    }
    if unknown { None } else { Some(true) }
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

fn attribute_letters(var: Option<(super::scope::Attrs, Content)>) -> Vec<u8> {
    let Some((a, c)) = var else { return Vec::new() };
    let mut out = Vec::new();
    match c {
        Content::Indexed(_) => out.push(b'a'),
        Content::Assoc(_) => out.push(b'A'),
        _ => {}
    }
    for (on, letter) in
        [(a.integer, b'i'), (a.lower, b'l'), (a.nameref, b'n'), (a.readonly, b'r'), (a.upper, b'u'), (a.exported, b'x')]
    {
        if on {
            out.push(letter);
        }
    }
    out
}
