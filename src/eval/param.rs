//! Parameter expansion: `$name` and `${…}` with every operator, over values.
//!
//! In: the tree's `Param` and the shell's state. Out: runs. An operator on text that is not known gives an unknown
//! piece that keeps what the text came from.

mod lookup;
mod shown;
mod text;

use super::Interp;
use super::expand::{Border, Mode, Run};
use super::glob::compile;
use super::scope::Content;
use crate::effect::Language;
use crate::effect::graph::DoubtKind;
use crate::source::{Place, Span};
use crate::syntax::ast::{Param, ParamOp, Word};
use crate::value::quote::{self, Case};
use crate::value::{Piece, Taint, Value, Why};
pub(crate) use lookup::table_order;
pub(crate) use shown::{array_text, letters};
pub(crate) use text::empty;
use text::is_all_from_root;
use text::joined_list;
use text::keeps_place;
pub(crate) use text::{is_several, map_known};

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
            ParamOp::Other(_) if self.function_substitution(span, quoted, out) => return,
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
            if let ParamOp::Substring(off, len) = &p.op {
                // The numbers are evaluated all the same.
                for text in std::iter::once(off).chain(len) {
                    let _ = self.arith_inner(|me| me.arith(text));
                }
            }
            return self.many_runs(Vec::new(), p.name == "*", quoted, at, out);
        }
        if p.op == ParamOp::Length
            && p.subscript.is_none()
            && matches!(self.language, Language::Bash | Language::Sh)
            && self.sh.target(&p.name).contains('[')
        {
            // bash takes the name of an element that a reference leads to for that of a variable, of which there is none.
            return self.value_runs(Value::computed(b"0", at, Taint::default()), quoted, out);
        }
        let got = if p.indirect { self.indirect(p, at) } else { self.got(&p.name, p.subscript.as_ref(), at) };
        match got {
            Got::One(v) => {
                if let Some(taken) = self.word_operator(p, &v) {
                    return self.take(p, taken, v, at, quoted, out);
                }
                if v.is_none() && self.sh.opts.nounset {
                    // An error that ends the shell.
                    self.leave_on_error();
                    return;
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
                if let ParamOp::Transform(op @ (b'A' | b'K' | b'k')) = &p.op
                    && let Some(words) = self.shown_list(p, *op, &list, at)
                {
                    return self.many_runs(words, star, quoted, at, out);
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

    fn operate_many(&mut self, p: &Param, list: Vec<Value>, at: Place) -> Result<Vec<Value>, Value> {
        let many_unknown = list.iter().any(is_several);
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
                    Some(last) => i128::from(*last).saturating_add(1),
                    None => i128::try_from(all.len()).unwrap_or(i128::MAX),
                };
                let bad = |t: Taint| Value::unknown_tainted(Why::NotComputed("slice of an array"), at, t);
                let off = i128::from(self.arith(off).map_err(bad)?);
                let len = match len {
                    Some(l) => Some(self.arith(l).map_err(bad)?),
                    None => None,
                };
                let start = if off < 0 { n.saturating_add(off) } else { off };
                if start >= 0 && start <= n && len.is_some_and(|l| l < 0) {
                    // An error that ends the shell.
                    self.leave_on_error();
                }
                if start < 0 || start > n || len.is_some_and(|l| l < 0) {
                    return Ok(Vec::new());
                }
                if let Some(keys) = keys {
                    let first = keys.partition_point(|k| i128::from(*k) < start);
                    let count = len.and_then(|l| usize::try_from(l).ok()).unwrap_or(usize::MAX);
                    return Ok(all.into_iter().skip(first).take(count).collect());
                }
                let end = len.map_or(n, |l| start.saturating_add(i128::from(l)).min(n));
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
                    if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                        return Some(Value::default());
                    }
                    let target = self.sh.target(base);
                    return Some(match self.sh.var(&target) {
                        Some(v) => Value::computed(&letters(v.attrs, &v.content), at, Taint::default()),
                        None => unknown,
                    });
                }
                if *op == b'A' || *op == b'K' || *op == b'k' {
                    let known = v.as_ref().is_none_or(Value::is_known);
                    if let Some(shown) = known.then(|| self.shown(p, *op, v.as_ref(), at)).flatten() {
                        return Some(shown);
                    }
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
