//! zsh: the expansions that other shells have not, subscripts from one, glob qualifiers that run code, options.
//!
//! In: the text of a `${…}` that is no expansion of bash, subscripts, qualifiers, invocations. Out: runs, values, and the
//! new state. What is computed is computed as zsh does; the rest is unknown with its reason. Facts: zshexpn(1),
//! zshparam(1), zshoptions(1), zsh 5.9. Names here are those of the language.

mod print;

use super::Interp;
use super::expand::{Border, Mode, Run};
use super::param::Got;
use super::scope::Content;
use crate::effect::Language;
use crate::limits;
use crate::source::{Place, Segment};
use crate::syntax::ast::{ArithText, CommandKind, Part};
use crate::value::{Piece, Taint, Value, Why};

/// The variables that expansions of nested values go through.
const NESTED: &str = "__nested";
const UNSET: &str = "__unset";

/// Flags that do not change which words there are, as far as anything here tells.
const SAME: &[u8] = b"@AaocOnu~%#VXp1!-+";

impl Interp<'_> {
    /// `${(flags)name…}`, `${=name}`, `${name:l}`, `${${…}…}` and the like. False where it is not understood.
    pub(crate) fn zsh_expansion(&mut self, text: &[u8], at: Place, quoted: bool, out: &mut Vec<Run>) -> bool {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.zsh_expanded(text, at, quoted, out))
    }

    fn zsh_expanded(&mut self, text: &[u8], at: Place, quoted: bool, out: &mut Vec<Run>) -> bool {
        let Some(inner) = text.strip_prefix(b"${").and_then(|t| t.strip_suffix(b"}")) else { return false };
        if !self.spend(1 + text.len() as u64 / 16) {
            return false;
        }
        let (flags, mut rest) = match flags(inner) {
            Some(parsed) => parsed,
            None => return false,
        };
        let (mut splits, mut globs, mut length) = (false, false, false);
        loop {
            match rest {
                [b'=', b'=', more @ ..] => rest = more,
                [b'=', more @ ..] if !more.is_empty() => {
                    splits = true;
                    rest = more;
                }
                [b'~', b'~', more @ ..] | [b'^', b'^', more @ ..] | [b'^', more @ ..] => rest = more,
                [b'~', more @ ..] => {
                    globs = true;
                    rest = more;
                }
                [b'#', more @ ..] if more.iter().any(|b| *b != b'#') => {
                    length = true;
                    rest = more;
                }
                _ => break,
            }
        }
        if let [b'+', name @ ..] = rest {
            let set = self.zsh_is_set(name);
            let v = match set {
                Some(set) => Value::computed(if set { b"1" } else { b"0" }, at, Taint::default()),
                None => Value::unknown(Why::NotComputed("whether a variable is set"), at),
            };
            out.extend(v.pieces.into_iter().map(|p| Run::Piece(p, Mode::Quoted)));
            return true;
        }
        let base = base_end(rest);
        let (base, mut core) = rest.split_at(base.min(rest.len()));
        let modifiers = modifiers(core);
        if modifiers.is_some() {
            core = b"";
        }
        // What nothing can be taken off would be read as the same again, and for ever.
        let hash: &[u8] = if length { b"#" } else { b"" };
        let whole: Vec<u8> = [&b"${"[..], hash, base, core, &b"}"[..]].concat();
        if whole == text && flags.is_empty() && !nested(base) && !base.is_empty() {
            return false;
        }
        let Some(list) = self.zsh_base(base, core, &flags, length, at) else { return false };
        let mut list = list;
        for m in modifiers.iter().flatten() {
            list = list.into_iter().map(|v| modified(v, m, at)).collect();
        }
        for f in &flags {
            list = self.zsh_flag(f, list, at);
        }
        if splits {
            list = self.zsh_words(list, at);
        }
        let joined = quoted && !flags.iter().any(|f| matches!(f.letter, b'@' | b's' | b'f' | b'z' | b'0'));
        for (i, v) in list.into_iter().enumerate() {
            if i > 0 {
                out.push(Run::Break(if quoted && !joined { Border::Quoted } else { Border::Star }));
                if joined {
                    out.pop();
                    let blank = Value::computed(b" ", at, Taint::default());
                    out.extend(blank.pieces.into_iter().map(|p| Run::Piece(p, Mode::Quoted)));
                }
            }
            if v.pieces.is_empty() && quoted {
                out.push(Run::Null);
            }
            let mode = if globs && !quoted { Mode::Expanded } else { Mode::Quoted };
            out.extend(v.pieces.into_iter().map(|p| Run::Piece(p, mode)));
        }
        true
    }

    /// The values that the flags are applied to.
    fn zsh_base(&mut self, base: &[u8], core: &[u8], flags: &[Flag], length: bool, at: Place) -> Option<Vec<Value>> {
        let has = |c: u8| flags.iter().any(|f| f.letter == c);
        let hash: &[u8] = if length { b"#" } else { b"" };
        let name = std::str::from_utf8(base).ok()?;
        if has(b'k') && core.is_empty() {
            return Some(self.keys(name, at));
        }
        if nested(base) {
            let list = self.zsh_read(base, at)?;
            if core.is_empty() && !length {
                return Some(list);
            }
            let content = match <[Value; 1]>::try_from(list) {
                Ok([one]) => Content::Scalar(one),
                Err(list) => Content::Indexed(list.into_iter().enumerate().map(|(i, v)| (i as i64, v)).collect()),
            };
            let saved = self.sh.vars.shared(NESTED);
            self.sh.set(NESTED, content);
            let r = self.zsh_read(&[b"${", hash, NESTED.as_bytes(), core, b"}"].concat(), at);
            self.sh.put_back(NESTED, saved);
            return r;
        }
        if base.is_empty() {
            if core.is_empty() {
                return Some(Vec::new());
            }
            let saved = self.sh.vars.shared(UNSET);
            self.sh.unset(UNSET);
            let r = self.zsh_read(&[b"${", UNSET.as_bytes(), core, b"}"].concat(), at);
            self.sh.put_back(UNSET, saved);
            return r;
        }
        if has(b'P') {
            let names = self.zsh_read(&[b"${", base, b"}"].concat(), at)?;
            let mut out = Vec::new();
            for n in names {
                match n.as_str().map(|s| s.into_owned()) {
                    Some(n) if is_name(n.as_bytes()) => {
                        out.append(&mut self.zsh_read(&[b"${", hash, n.as_bytes(), core, b"}"].concat(), at)?);
                    }
                    _ => out.push(Value::unknown_tainted(Why::NotComputed("indirect expansion"), at, n.taint())),
                }
            }
            return Some(out);
        }
        self.zsh_read(&[b"${", hash, base, core, b"}"].concat(), at)
    }

    /// Text that stands for one word, read and expanded: its elements.
    fn zsh_read(&mut self, text: &[u8], at: Place) -> Option<Vec<Value>> {
        let line = [b": ", text].concat();
        let prog = crate::syntax::shell::read(&line, Self::dialect(Language::Zsh));
        if !prog.unparsed.is_empty() {
            return None;
        }
        let command = prog.lists.first()?.items.first()?.first.stages.first()?;
        let CommandKind::Simple(s) = &command.kind else { return None };
        let [_, word] = s.words.as_slice() else { return None };
        // The same text again would be read for ever.
        if let [Part { kind: crate::syntax::ast::PartKind::Param(p), .. }] = word.parts.as_slice()
            && matches!(p.op, crate::syntax::ast::ParamOp::Other(_))
            && !matches!(text.get(2), Some(b'(' | b'=' | b'~' | b'^' | b'#' | b'+' | b'$' | b'"' | b':'))
            && modifiers(text.get(2..).unwrap_or(&[])).is_none()
        {
            return None;
        }
        let source = self.source.add(&line, at, vec![Segment { start: 0, from: at, exact: false }]);
        let saved = std::mem::replace(&mut self.text, source);
        let mut runs = Vec::new();
        self.runs(&word.parts, false, &mut runs);
        self.text = saved;
        let mut out = vec![Value::default()];
        let empty = runs.is_empty();
        for r in runs {
            match r {
                Run::Break(_) => out.push(Value::default()),
                Run::Piece(p, _) => {
                    if let Some(v) = out.last_mut() {
                        v.push_piece(p);
                    }
                }
                Run::Null => {}
            }
        }
        Some(if empty { Vec::new() } else { out })
    }

    fn zsh_is_set(&self, name: &[u8]) -> Option<bool> {
        let name = std::str::from_utf8(name).ok().filter(|n| is_name(n.as_bytes()))?;
        let v = self.sh.var(name).filter(|v| !v.attrs.maybe_unset)?;
        Some(v.content != Content::Unset)
    }

    fn zsh_flag(&mut self, f: &Flag, list: Vec<Value>, at: Place) -> Vec<Value> {
        let bytes = |f: fn(&[u8]) -> Vec<u8>| move |b: &[u8]| Some(f(b));
        let each = |list: Vec<Value>, g: &dyn Fn(&[u8]) -> Option<Vec<u8>>| -> Vec<Value> {
            list.into_iter().map(|v| super::param::map_known(v, at, g)).collect()
        };
        let upper = |b: &[u8]| String::from_utf8_lossy(b).to_uppercase().into_bytes();
        let lower = |b: &[u8]| String::from_utf8_lossy(b).to_lowercase().into_bytes();
        match f.letter {
            b'U' => each(list, &bytes(upper)),
            b'L' => each(list, &bytes(lower)),
            b'j' => vec![super::fish::joined(&list, &f.argument)],
            b'F' => vec![super::fish::joined(&list, b"\n")],
            b's' => split_at(list, &f.argument, at),
            b'f' => split_at(list, b"\n", at),
            b'0' => split_at(list, b"\0", at),
            b'z' | b'Z' => self.zsh_words(list, at),
            b'e' => list.into_iter().map(|v| self.expand_again(v, at)).collect(),
            b'Q' => each(list, &|b| {
                let plain = !b.iter().any(|c| matches!(c, b'\'' | b'"' | b'\\'));
                if plain { Some(b.to_vec()) } else { unquoted(b) }
            }),
            b'q' => each(list, &|b| Some(crate::value::quote::shell_quote(b))),
            b'P' | b'k' => list,
            b'v' if list.len() < 2 => list,
            c if SAME.contains(&c) => list,
            _ => {
                let mut t = Taint::default();
                list.iter().for_each(|v| t.join(&v.taint()));
                vec![Self::many_words(Why::NotComputed("expansion of another shell"), at, t)]
            }
        }
    }

    /// Words of each value, split at blanks (`${=x}`, `${(z)x}`).
    fn zsh_words(&mut self, list: Vec<Value>, at: Place) -> Vec<Value> {
        let mut out = Vec::new();
        for v in list {
            match v.as_literal().map(|b| b.into_owned()) {
                Some(b) if !self.spend(1 + b.len() as u64 / 32) || out.len() > limits::MAX_FIELDS => return out,
                Some(b) => {
                    let words = b.split(|c| matches!(c, b' ' | b'\t' | b'\n')).filter(|w| !w.is_empty());
                    out.extend(
                        words.map(|w| Value::computed(w, if v.pieces.is_empty() { at } else { v.place() }, v.taint())),
                    );
                }
                None => {
                    let mut v = v;
                    let n = v.pieces.len();
                    match v.pieces.first_mut() {
                        Some(Piece::Unknown(u)) if n == 1 => u.splits = true,
                        _ => v = Self::many_words(Why::Joined, at, v.taint()),
                    }
                    out.push(v);
                }
            }
        }
        out
    }

    /// `$x[1]`, `$x[2,-1]`: elements of an array, characters of a string, from one.
    pub(crate) fn zsh_subscript(&mut self, name: &str, subscript: &ArithText, at: Place) -> Got {
        let text = self.quoted_parts(&subscript.parts);
        let unknown = |me: &Self| {
            let mut v = me.any_element(name, text.taint(), at);
            if let Some(Piece::Unknown(u)) = v.pieces.first_mut() {
                u.splits = true;
            }
            Got::Many(vec![v], true)
        };
        let Some(text) = text.as_str().map(|s| s.into_owned()) else { return unknown(self) };
        if text.starts_with('(') {
            return unknown(self);
        }
        let mut ends = Vec::new();
        for part in text.splitn(2, ',') {
            let v = Value::computed(part.as_bytes(), at, Taint::default());
            match self.arith_of(&v) {
                Ok(n) => ends.push(n),
                Err(_) => return unknown(self),
            }
        }
        let range = ends.len() > 1;
        let slice = |len: usize| {
            let len = i64::try_from(len).unwrap_or(i64::MAX);
            let place = |n: i64| if n < 0 { len.saturating_add(n).saturating_add(1) } else { n };
            let (a, b) = (ends.first().copied().unwrap_or(0), ends.last().copied().unwrap_or(0));
            let (a, b) = (place(a), place(b).min(len));
            let from = usize::try_from(a.saturating_sub(1).max(0)).unwrap_or(usize::MAX);
            let count = usize::try_from(b.saturating_sub(a.max(1)).saturating_add(1)).unwrap_or(0);
            if a < 1 && !range { (0, 0) } else { (from, count) }
        };
        match self.sh.var(name).map(|v| &v.content) {
            Some(Content::Indexed(m)) => {
                let many = |v: &Value| v.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits));
                if m.values().any(many) {
                    return unknown(self);
                }
                let (from, count) = slice(m.len());
                let list: Vec<Value> = m.values().skip(from).take(count).cloned().collect();
                if range { Got::Many(list, true) } else { Got::One(list.into_iter().next()) }
            }
            Some(Content::Scalar(v)) => match v.as_str() {
                Some(s) => {
                    let (from, count) = slice(s.chars().count());
                    let part: String = s.chars().skip(from).take(count).collect();
                    Got::One(Some(Value::computed(part.as_bytes(), v.place(), v.taint())))
                }
                None => unknown(self),
            },
            Some(Content::Unset) => Got::One(None),
            _ => unknown(self),
        }
    }

    /// `*(e:'cmd':)`, `*(+cmd)`: qualifiers that run code for each file.
    pub(crate) fn zsh_qualifier(&mut self, text: &Value, at: Place) {
        let Some(bytes) = text.as_literal().map(|b| b.into_owned()) else { return };
        let mut i = if bytes.starts_with(b"#q") { 2 } else { 0 };
        while let Some(c) = bytes.get(i).copied() {
            i = i.saturating_add(1);
            let (from, end) = match c {
                b'e' => {
                    let Some(open) = bytes.get(i).copied().filter(|c| !c.is_ascii_alphanumeric()) else { continue };
                    let close = match open {
                        b'{' => b'}',
                        b'[' => b']',
                        b'(' => b')',
                        b'<' => b'>',
                        c => c,
                    };
                    let from = i.saturating_add(1);
                    let body = bytes.get(from..).unwrap_or(&[]);
                    let Some(n) = body.iter().position(|c| *c == close) else { continue };
                    (from, from.saturating_add(n))
                }
                b'+' => {
                    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                    let n = bytes.get(i..).unwrap_or(&[]).iter().take_while(|b| word(b)).count();
                    (i, i.saturating_add(n))
                }
                _ => continue,
            };
            let (_, tail) = text.split_at(from);
            let (code, _) = tail.split_at(end.saturating_sub(from));
            i = end.saturating_add(1);
            if !code.pieces.is_empty() && self.spend(1) {
                let by = self.process("", Vec::new(), at, true);
                self.deferred(code, Language::Zsh, by, at);
            }
        }
    }

    /// `functions[f]=…`, `aliases[a]=…`: code that a name stands for from now on.
    pub(crate) fn zsh_code_table(&mut self, name: &str, value: &Value, at: Place) {
        if matches!(name, "functions" | "aliases" | "galiases" | "saliases" | "dis_functions") {
            let by = self.process("", Vec::new(), at, true);
            self.deferred(value.clone(), Language::Zsh, by, at);
        }
    }

    /// `setopt`, `unsetopt`, `emulate`: what changes how words are read.
    pub(crate) fn zsh_options(&mut self, argv: &[Value]) {
        let Some(name) = argv.first().and_then(Value::as_str).map(|s| s.into_owned()) else { return };
        let words: Vec<String> = argv
            .iter()
            .skip(1)
            .filter_map(|v| v.as_str().map(|s| s.into_owned()))
            .filter(|w| !w.starts_with('-'))
            .collect();
        match name.as_str() {
            // As a prompt: what is substituted in it runs where PROMPT_SUBST is on.
            "print" if argv.iter().skip(1).any(|a| a.prefix().starts_with(b"-") && a.prefix().contains(&b'P')) => {
                for a in argv.iter().skip(1).filter(|a| !a.prefix().starts_with(b"-")) {
                    let at = a.place();
                    self.conditional(|me| me.expand_again(a.clone(), at));
                }
            }
            "setopt" | "unsetopt" => {
                for w in words {
                    let plain = w.to_ascii_lowercase().replace('_', "");
                    let (plain, off) = match plain.strip_prefix("no") {
                        Some(p) => (p.to_string(), true),
                        None => (plain, false),
                    };
                    let on = (name == "setopt") != off;
                    match plain.as_str() {
                        "shwordsplit" => self.sh.opts.no_split = !on,
                        "ksharrays" => self.sh.opts.from_zero = on,
                        "aliases" => self.sh.opts.expand_aliases = on,
                        _ => {}
                    }
                }
            }
            "emulate" => match words.first().map(String::as_str) {
                Some("sh" | "ksh" | "bash") => {
                    self.sh.opts.no_split = false;
                    self.sh.opts.from_zero = words.first().is_some_and(|w| w == "ksh");
                }
                Some("zsh") => {
                    self.sh.opts.no_split = true;
                    self.sh.opts.from_zero = false;
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// A flag of `${(…)…}` with its argument.
struct Flag {
    letter: u8,
    argument: Vec<u8>,
}

/// The flags before a name, and what stands after them.
fn flags(text: &[u8]) -> Option<(Vec<Flag>, &[u8])> {
    let Some(mut rest) = text.strip_prefix(b"(") else { return Some((Vec::new(), text)) };
    let mut out = Vec::new();
    loop {
        let (&letter, more) = rest.split_first()?;
        rest = more;
        match letter {
            b')' => return Some((out, rest)),
            b's' | b'j' | b'g' | b'I' | b'Z' | b'_' => {
                let (&open, more) = rest.split_first()?;
                let close = match open {
                    b'(' => b')',
                    b'[' => b']',
                    b'{' => b'}',
                    b'<' => b'>',
                    c => c,
                };
                let n = more.iter().position(|b| *b == close)?;
                let raw = more.get(..n)?;
                let argument = if raw == b"\\n" { b"\n".to_vec() } else { raw.to_vec() };
                out.push(Flag { letter, argument });
                rest = more.get(n.saturating_add(1)..)?;
            }
            letter => out.push(Flag { letter, argument: Vec::new() }),
        }
    }
}

/// Where the name, the nested expansion or the quoted text at the beginning ends.
fn base_end(text: &[u8]) -> usize {
    match text.first() {
        Some(b'$' | b'"' | b'\'' | b'`') => {
            let mut depth = 0usize;
            let mut quote = 0u8;
            let mut i = 0usize;
            while let Some(&c) = text.get(i) {
                match c {
                    b'\\' if quote != b'\'' => i = i.saturating_add(1),
                    b'\'' if quote == 0 || quote == b'\'' => quote ^= b'\'',
                    b'"' if depth == 0 => quote ^= b'"',
                    b'`' if quote != b'\'' && depth == 0 => quote ^= b'`',
                    b'{' | b'(' if quote != b'\'' => depth = depth.saturating_add(1),
                    b'}' | b')' if quote != b'\'' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                i = i.saturating_add(1);
                let name = text.first() == Some(&b'$') && !matches!(text.get(1), Some(b'{' | b'('));
                let over = if name {
                    !text.get(i).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
                } else {
                    depth == 0 && quote == 0 && i > 1
                };
                if over {
                    return i;
                }
            }
            text.len()
        }
        Some(b'@' | b'*' | b'?') => 1,
        _ => text.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count(),
    }
}

/// True where an expansion or quoted text stands in place of a name.
fn nested(base: &[u8]) -> bool {
    matches!(base.first(), Some(b'$' | b'"' | b'\'' | b'`'))
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// `:l`, `:t:r`, `:s/a/b/` behind a name; `None` where something else stands there.
fn modifiers(core: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut rest = core;
    let mut out = Vec::new();
    while !rest.is_empty() {
        let more = rest.strip_prefix(b":")?;
        let global = usize::from(more.first() == Some(&b'g'));
        match more.get(global) {
            Some(b's') => {
                let by = *more.get(global.saturating_add(1))?;
                let body = more.get(global.saturating_add(2)..)?;
                let a = body.iter().position(|b| *b == by)?;
                let tail = body.get(a.saturating_add(1)..)?;
                let b = tail.iter().position(|c| *c == by).unwrap_or(tail.len());
                let n = global.saturating_add(2).saturating_add(a).saturating_add(1).saturating_add(b);
                out.push(more.get(..n)?.to_vec());
                rest = more.get(n.saturating_add(1)..).unwrap_or(&[]);
            }
            Some(c) if c.is_ascii_alphabetic() || *c == b'&' => {
                out.push(more.get(..global.saturating_add(1))?.to_vec());
                rest = more.get(global.saturating_add(1)..).unwrap_or(&[]);
            }
            _ => return None,
        }
    }
    if out.is_empty() { None } else { Some(out) }
}

/// A value after one modifier.
fn modified(v: Value, modifier: &[u8], at: Place) -> Value {
    let slash = |b: &[u8]| b.iter().rposition(|c| *c == b'/');
    let dot = move |b: &[u8]| {
        let name = slash(b).map_or(0, |i| i.saturating_add(1));
        b.get(name..).and_then(|n| n.iter().rposition(|c| *c == b'.')).map(|i| i.saturating_add(name))
    };
    super::param::map_known(v, at, |b| match modifier {
        b"l" => Some(String::from_utf8_lossy(b).to_lowercase().into_bytes()),
        b"u" => Some(String::from_utf8_lossy(b).to_uppercase().into_bytes()),
        b"t" => b.get(slash(b).map_or(0, |i| i.saturating_add(1))..).map(<[u8]>::to_vec),
        b"h" => Some(match slash(b) {
            Some(0) => b"/".to_vec(),
            Some(i) => b.get(..i)?.to_vec(),
            None => b".".to_vec(),
        }),
        b"r" => b.get(..dot(b).unwrap_or(b.len())).map(<[u8]>::to_vec),
        b"e" => Some(dot(b).and_then(|i| b.get(i.saturating_add(1)..)).unwrap_or(&[]).to_vec()),
        b"Q" => unquoted(b),
        m => {
            let (every, m) = match m.strip_prefix(b"gs") {
                Some(m) => (true, m),
                None => (false, m.strip_prefix(b"s")?),
            };
            let (by, body) = m.split_first()?;
            let n = body.iter().position(|c| c == by)?;
            let (from, to) = (
                std::str::from_utf8(body.get(..n)?).ok()?,
                std::str::from_utf8(body.get(n.saturating_add(1)..)?).ok()?,
            );
            let text = std::str::from_utf8(b).ok()?;
            if from.is_empty() || text.len().saturating_mul(to.len().saturating_add(1)) > limits::MAX_VALUE {
                return None;
            }
            Some(if every { text.replace(from, to) } else { text.replacen(from, to, 1) }.into_bytes())
        }
    })
}

/// The pieces of known values between a separator.
fn split_at(list: Vec<Value>, by: &[u8], at: Place) -> Vec<Value> {
    let mut out = Vec::new();
    for v in list {
        let Some(text) = v.as_literal().map(|b| b.into_owned()) else {
            out.push(Interp::many_words(Why::Joined, at, v.taint()));
            continue;
        };
        let mut from = 0usize;
        let place = if v.pieces.is_empty() { at } else { v.place() };
        while out.len() < limits::MAX_FIELDS {
            let rest = text.get(from..).unwrap_or(&[]);
            let found = match by.is_empty() {
                true => (rest.len() > 1).then_some(1),
                false => memchr::memmem::find(rest, by),
            };
            let end = found.unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or(&[]);
            if !word.is_empty() {
                out.push(Value::computed(word, place, v.taint()));
            }
            if found.is_none() {
                break;
            }
            from = from.saturating_add(end).saturating_add(by.len());
        }
    }
    out
}

/// One level of quotes taken off.
fn unquoted(b: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(b.len());
    let mut it = b.iter().copied();
    let mut quote = 0u8;
    while let Some(c) = it.next() {
        match (quote, c) {
            (0, b'\'' | b'"') => quote = c,
            (q, c) if q != 0 && q == c => quote = 0,
            (0 | b'"', b'\\') => out.push(it.next()?),
            (_, c) => out.push(c),
        }
    }
    (quote == 0).then_some(out)
}
