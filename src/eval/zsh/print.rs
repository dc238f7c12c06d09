//! `print`, as zsh and ksh have it.
//!
//! In: its words. Out: what it prints. Facts: zshbuiltins(1), ksh(1).

use super::super::{Flow, Interp};
use crate::effect::Language;
use crate::source::Place;
use crate::value::{Taint, Value};

impl Interp<'_> {
    /// `print` of zsh and ksh. `None` for options that make something else of the words.
    pub(crate) fn print_words(&mut self, args: &[Value], at: Place) -> Option<Flow> {
        if !matches!(self.language, Language::Zsh | Language::Ksh) {
            return None;
        }
        let (mut letters, mut words) = (String::new(), args);
        while let Some((first, rest)) = words.split_first() {
            let Some(text) = first.as_str().filter(|t| t.starts_with('-')) else { break };
            words = rest;
            if matches!(&*text, "-" | "--") {
                break;
            }
            letters.push_str(text.get(1..)?);
        }
        if letters.chars().any(|c| !"nlrREe".contains(c)) {
            return None;
        }
        let raw = letters.contains(['r', 'R']);
        let mut call = vec![Value::computed(if raw { b"-E" } else { b"-e" }, at, Taint::default())];
        if letters.contains('n') {
            call.push(Value::computed(b"-n", at, Taint::default()));
        }
        match letters.contains('l') {
            true => {
                let mut all = Value::default();
                for (i, w) in words.iter().enumerate() {
                    if i > 0 {
                        all.push(Value::computed(b"\n", at, Taint::default()));
                    }
                    all.push(w.clone());
                }
                call.push(all);
            }
            false => call.extend(words.iter().cloned()),
        }
        let xpg = std::mem::replace(&mut self.sh.opts.xpg_echo, false);
        let v = self.echo(&call, at);
        self.sh.opts.xpg_echo = xpg;
        self.emit(1, v);
        self.sh.status = Some(0);
        Some(Flow::Next)
    }
}
