//! `getopts`: one option a call, as POSIX XCU getopts and bash's manual have it.
//!
//! In: the invocation, the parameters, OPTIND. Out: variables, and the status.

use super::Interp;
use super::scope::Content;
use crate::command::Invocation;
use crate::source::Place;
use crate::value::{Taint, Value, Why};

impl Interp<'_> {
    /// `getopts`: one option a call, by OPTIND and the letters already taken of a bundle.
    pub(super) fn getopts(&mut self, inv: &Invocation, at: Place) {
        let spec = inv.operands.first().and_then(|v| v.as_str().map(|s| s.into_owned()));
        let name = inv.operands.get(1).and_then(|v| v.as_str().map(|s| s.into_owned()));
        let (Some(spec), Some(name)) = (spec, name) else {
            self.sh.status = None;
            return;
        };
        let args: Option<Vec<Value>> = match inv.operands.get(2..) {
            Some(rest) if !rest.is_empty() => Some(rest.to_vec()),
            _ => self.sh.positional.as_ref().map(|p| p.as_ref().clone()),
        };
        let index = match self.variable("OPTIND", at) {
            None => Some(1),
            Some(v) => v.as_str().and_then(|s| s.parse::<usize>().ok()),
        };
        let word = |args: &[Value], i: usize| i.checked_sub(1).and_then(|i| args.get(i)).cloned();
        let unknown = match (&args, index) {
            (Some(a), Some(i)) => word(a, i).is_some_and(|w| !w.is_known()),
            _ => true,
        };
        let (Some(args), Some(index), false) = (args, index.map(|i| i.max(1)), unknown) else {
            let unknown = Value::unknown(Why::NotComputed("options of the surrounding shell"), at);
            self.assign_name(&name, unknown.clone(), at);
            self.assign_name("OPTARG", unknown, at);
            self.sh.status = None;
            return;
        };
        let silent = spec.starts_with(':');
        let taken = match self.sh.var("OPTIND ").map(|v| v.content.clone()) {
            Some(Content::Scalar(v)) => v.as_str().and_then(|s| s.parse::<usize>().ok()).unwrap_or(1),
            _ => 1,
        };
        let set = |me: &mut Self, n: &str, s: &str| {
            me.assign_name(n, Value::computed(s.as_bytes(), at, Taint::default()), at)
        };
        let text = word(&args, index).and_then(|v| v.as_str().map(|s| s.into_owned()));
        let Some(text) = text.filter(|w| w.len() > 1 && w.starts_with('-') && w != "--") else {
            let ended = word(&args, index).and_then(|v| v.as_str().map(|s| s == "--")) == Some(true);
            set(self, &name, "?");
            self.sh.unset("OPTARG");
            // It is set by every call, whatever it was before.
            set(self, "OPTIND", &index.saturating_add(usize::from(ended)).to_string());
            self.sh.status = Some(1);
            return;
        };
        let valid = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let letter = text.chars().nth(taken).unwrap_or('?');
        let rest: String = text.chars().skip(taken.saturating_add(1)).collect();
        let takes = spec
            .find(letter)
            .filter(|_| letter != ':')
            .map(|i| spec.get(i.saturating_add(letter.len_utf8())..).is_some_and(|r| r.starts_with(':')));
        let (mut next, mut offset) = (index, taken.saturating_add(1));
        if rest.is_empty() {
            next = index.saturating_add(1);
            offset = 1;
        }
        match takes {
            None => {
                set(self, &name, "?");
                if silent {
                    set(self, "OPTARG", &letter.to_string());
                } else {
                    self.sh.unset("OPTARG");
                }
            }
            Some(false) => {
                set(self, &name, &letter.to_string());
                self.sh.unset("OPTARG");
            }
            Some(true) => {
                let argument = if rest.is_empty() { word(&args, index.saturating_add(1)) } else { None };
                match (argument, rest.is_empty()) {
                    (_, false) => {
                        set(self, &name, &letter.to_string());
                        set(self, "OPTARG", &rest);
                        next = index.saturating_add(1);
                    }
                    (Some(v), true) => {
                        set(self, &name, &letter.to_string());
                        self.assign_name("OPTARG", v, at);
                        next = index.saturating_add(2);
                    }
                    (None, true) if silent => {
                        set(self, &name, ":");
                        set(self, "OPTARG", &letter.to_string());
                    }
                    (None, true) => {
                        set(self, &name, "?");
                        self.sh.unset("OPTARG");
                    }
                }
                offset = 1;
            }
        }
        set(self, "OPTIND", &next.to_string());
        self.sh.set_scalar("OPTIND ", Value::computed(offset.to_string().as_bytes(), at, Taint::default()));
        self.sh.status = Some(i32::from(!valid));
    }
}
