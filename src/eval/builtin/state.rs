//! What builtins do to options, variables by name, and the working directory.
//!
//! In: words of an invocation. Out: the new state.

use super::super::Interp;
use super::super::scope::Content;
use crate::limits;
use crate::source::Place;
use crate::value::{Piece, Taint, Value, Why};
use std::rc::Rc;

impl Interp<'_> {
    /// `enable` and `hash`: which names are builtins, and which program a name stands for.
    pub(super) fn names_of_commands(&mut self, builtin: &str, inv: &crate::command::Invocation, args: &[Value]) {
        let names = || inv.operands.iter().filter_map(|v| v.as_str().map(|s| s.into_owned()));
        if builtin == "enable" {
            for n in names() {
                let n = super::named(&n).map_or(n.clone(), str::to_string);
                self.sh.disabled.retain(|d| *d != n);
                if inv.has("-n") && self.sh.disabled.len() < limits::MAX_LINKS {
                    self.sh.disabled.push(n);
                }
            }
            return;
        }
        if args.iter().any(|a| a.as_str().is_some_and(|s| s == "-r")) {
            self.sh.hashed = Default::default();
        }
        if let Some(path) = inv.value_of("-p").cloned() {
            names().for_each(|n| self.sh.hashed.insert(&n, path.clone()));
        }
        if inv.has("-d") {
            names().for_each(|n| {
                self.sh.hashed.remove(&n);
            });
        }
        // zsh: `hash name=path`.
        for v in inv.operands.iter().filter(|_| self.language == crate::effect::Language::Zsh) {
            let prefix = v.prefix().into_owned();
            let Some(i) = prefix.iter().position(|b| *b == b'=') else { continue };
            let (name, path) = v.split_at(i.saturating_add(1));
            let name = name.show();
            self.sh.hashed.insert(name.trim_end_matches('='), path);
        }
    }

    pub(super) fn unset_element(&mut self, base: &str, key: &[u8]) {
        let content = match self.sh.var(base).map(|v| v.content.clone()) {
            Some(Content::Indexed(mut m)) => {
                if let Some(n) = std::str::from_utf8(key).ok().and_then(|s| s.parse::<i64>().ok()) {
                    let end = m.keys().next_back().copied().unwrap_or(-1).saturating_add(1);
                    let n = if n < 0 { end.saturating_add(n) } else { n };
                    if m.range(..=n).any(|(_, v)| super::super::param::is_several(v)) {
                        // Where an element may be several, it may be one of those that goes.
                        let mut open = super::super::scope::Open::default();
                        m.values().for_each(|v| open.add(v));
                        return self.sh.set(base, Content::Opaque(open));
                    }
                    m.remove(&n);
                }
                Content::Indexed(m)
            }
            Some(Content::Assoc(mut m)) => {
                m.retain(|(k, _)| k != key);
                Content::Assoc(m)
            }
            Some(Content::Scalar(_)) if key == b"0" => return self.sh.unset(base),
            _ => return,
        };
        self.sh.set(base, content);
    }

    /// Unsets a variable. One that an assignment in front of the command set has the value again that it had before.
    pub(super) fn unset_variable(&mut self, name: &str) {
        let temporary = self.sh.var(name).is_some_and(|v| v.attrs.temporary);
        let before = self.prefixed.iter_mut().rev().find(|(n, _, back)| temporary && n == name && !back);
        match before {
            Some((_, old, back)) => {
                *back = true;
                let old = old.clone();
                self.sh.put_back(name, old);
            }
            None => self.sh.unset(name),
        }
    }

    /// Sets a variable or an element by the text of its name.
    pub(crate) fn assign_name(&mut self, name: &str, v: Value, at: Place) {
        match name.split_once('[') {
            Some((base, rest)) => {
                let base = self.sh.target(base).into_owned();
                match self.key_text(&base, closed(rest), at) {
                    Some(key) => self.set_element(&base, &key, v),
                    None => self.sh.set(&base, Content::Opaque(super::super::scope::Open::of(v.taint()))),
                }
            }
            None => {
                let target = self.sh.target(name).into_owned();
                self.assign_scalar(&target, v, false, at);
            }
        }
    }

    /// The key of an element whose subscript is text that the shell expands now (`read 'a[i]'`, `unset 'a[$x]'`,
    /// `${!ref}`): commands that are substituted in it run. `None` where it is not known.
    pub(crate) fn key_text(&mut self, base: &str, subscript: &str, at: Place) -> Option<Vec<u8>> {
        let text = Value::computed(subscript.as_bytes(), at, Taint::default());
        if matches!(self.sh.var(base).map(|v| &v.content), Some(Content::Assoc(_))) {
            return self.expand_key(text, at).as_literal().map(|b| b.into_owned());
        }
        let text = self.expand_again(text, at);
        self.arith_of(&text).ok().map(|n| n.to_string().into_bytes())
    }

    /// The new working directory.
    pub(crate) fn change_dir(&mut self, target: &Value) {
        let old = self.sh.cwd.clone();
        let places = old.as_ref().map_or_else(|| vec![Value::default()], Value::readings);
        let targets = target.readings();
        if places.len().saturating_mul(targets.len()) <= 1 {
            return self.change_dir_from(target);
        }
        // Each place from each place.
        let mut all: Option<Value> = None;
        for place in &places {
            for target in &targets {
                self.sh.cwd = Some(place.clone()).filter(|v| !v.pieces.is_empty());
                self.change_dir_from(target);
                let new = self.sh.cwd.take().unwrap_or_default();
                all = Some(match all {
                    Some(a) => Value::either(a, new),
                    None => new,
                });
            }
        }
        self.sh.cwd = all.filter(|v| !v.pieces.is_empty());
        let prev = old.unwrap_or_else(|| Value::unknown(Why::Environment("PWD".into()), target.place()));
        self.sh.set_scalar("OLDPWD", prev);
    }

    fn change_dir_from(&mut self, target: &Value) {
        let led = self.through_links(target.clone(), false);
        // The directory that a link leads to, where the text made one of that name.
        let led = if led == *target { None } else { led.readings().into_iter().next_back() };
        let target = led.as_ref().unwrap_or(target);
        let old = self.sh.cwd.clone();
        let text = target.show();
        // `C:\dir`
        let drive = matches!(text.as_bytes(), [c, b':', ..] if c.is_ascii_alphabetic());
        let absolute =
            drive || text.starts_with('/') || text.starts_with('~') || text.starts_with('$') || text.starts_with('<');
        let new = match (&old, absolute) {
            (_, true) | (None, false) => match target.as_str() {
                Some(t) => {
                    let n = super::super::streams::normalize(&t);
                    if n == t { target.clone() } else { Value::computed(n.as_bytes(), target.place(), target.taint()) }
                }
                None => target.clone(),
            },
            (Some(base), false) => {
                let mut v = base.clone();
                v.push(Value::computed(b"/", target.place(), Taint::default()));
                v.push(target.clone());
                match v.as_str() {
                    Some(t) => {
                        let n = super::super::streams::normalize(&t);
                        Value::computed(n.as_bytes(), target.place(), v.taint())
                    }
                    None => v,
                }
            }
        };
        let at = target.place();
        // No system has a directory of such a name; where a text goes deeper and deeper, each step would cost the whole.
        let size = |p: &Piece| if let Piece::Literal(l) = p { l.bytes.len() } else { 64 };
        let long = new.pieces.iter().map(size).sum::<usize>() > limits::MAX_PATH;
        let new = if long { Value::unknown_tainted(Why::Limit, at, new.taint()) } else { new };
        let prev = old.unwrap_or_else(|| Value::unknown(Why::Environment("PWD".into()), at));
        self.sh.set_scalar("OLDPWD", prev);
        // `cd d; cd ..`: where the text starts.
        self.sh.cwd = Some(new).filter(|v| !v.pieces.is_empty() && v.as_literal().is_none_or(|b| !b.is_empty()));
    }

    /// The directory that `cd` finds: a relative name is looked up in the first entry of CDPATH, where the text sets it
    /// (POSIX, cd).
    pub(super) fn found_by_path(&mut self, name: &Value, at: Place) -> Value {
        let shown = name.prefix();
        let relative = !shown.is_empty() && !matches!(shown.first(), Some(b'/' | b'.' | b'-'));
        if !relative || self.sh.var("CDPATH").is_none() {
            return name.clone();
        }
        let list = self.variable("CDPATH", at).unwrap_or_default();
        let first = match list.as_literal() {
            Some(text) => {
                let entry = text.split(|b| *b == b':').next().unwrap_or_default();
                Value::computed(entry, list.place(), list.taint())
            }
            None => list,
        };
        if first.pieces.is_empty() || first.as_literal().is_some_and(|t| t.is_empty()) {
            return name.clone();
        }
        let mut v = first;
        v.push(Value::computed(b"/", at, Taint::default()));
        v.push(name.clone());
        v
    }

    /// `set`
    pub(super) fn set_builtin(&mut self, args: &[Value]) {
        if args.is_empty() {
            // It prints every variable.
            let at = Place::new(self.text, Default::default());
            self.emit(1, Value::unknown(Why::NotComputed("list of variables"), at));
        }
        // ksh and zsh: `set -A name words` fills an array.
        if let [option, name, words @ ..] = args
            && matches!(self.language, crate::effect::Language::Ksh | crate::effect::Language::Zsh)
            && option.as_str().as_deref() == Some("-A")
            && let Some(name) = name.as_str().map(|s| s.into_owned())
        {
            let map = words.iter().take(limits::MAX_FIELDS).cloned().enumerate().map(|(i, v)| (i as i64, v)).collect();
            self.sh.set(&name, Content::Indexed(map));
            self.sh.status = Some(0);
            return;
        }
        let mut i = 0usize;
        let mut positional = false;
        while let Some(a) = args.get(i) {
            let Some(text) = a.as_str().map(|s| s.into_owned()) else {
                positional = true;
                break;
            };
            if text == "--" {
                i = i.saturating_add(1);
                positional = true;
                break;
            }
            if text == "-" {
                i = i.saturating_add(1);
                positional = args.get(i).is_some();
                break;
            }
            let on = text.starts_with('-');
            if text.len() < 2 || !(on || text.starts_with('+')) {
                positional = true;
                break;
            }
            i = i.saturating_add(1);
            for c in text.chars().skip(1) {
                match c {
                    'f' => self.sh.opts.noglob = on,
                    'u' => self.sh.opts.nounset = on,
                    'a' => self.sh.opts.allexport = on,
                    'e' => self.sh.opts.errexit = on,
                    'E' => self.sh.opts.errtrace = on,
                    'T' => self.sh.opts.functrace = on,
                    // An interactive shell pays no heed to it.
                    'n' if on => self.ended = true,
                    'o' => {
                        if let Some(name) = args.get(i).and_then(|v| v.as_str()) {
                            match name.as_ref() {
                                "noglob" => self.sh.opts.noglob = on,
                                "nounset" => self.sh.opts.nounset = on,
                                "allexport" => self.sh.opts.allexport = on,
                                "pipefail" => self.sh.opts.pipefail = on,
                                "errexit" => self.sh.opts.errexit = on,
                                "errtrace" => self.sh.opts.errtrace = on,
                                "functrace" => self.sh.opts.functrace = on,
                                "noexec" if on => self.ended = true,
                                "posix" => self.sh.opts.posix = on,
                                _ => {}
                            }
                            i = i.saturating_add(1);
                        }
                    }
                    _ => {}
                }
            }
        }
        if positional {
            self.sh.positional = Some(Rc::new(args.get(i..).unwrap_or(&[]).to_vec()));
        }
        self.sh.status = Some(0);
    }
}

/// A subscript without its closing bracket.
pub(super) fn closed(rest: &str) -> &str {
    rest.strip_suffix(']').unwrap_or(rest)
}
