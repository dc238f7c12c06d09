//! Functions that the shell calls by itself: before a prompt, when the directory changes, at a signal.
//!
//! In: the functions that there are when a text ends. Out: what they would do, as something that may run. Facts:
//! zshmisc(1) "Special Functions", bash(1) COMMAND EXECUTION, fish-doc "Event handlers". Names are those of the languages.

use super::Interp;
use super::scope::Content;
use crate::effect::Language;
use crate::source::{Place, Span};
use crate::value::{Taint, Value};

/// Functions that zsh calls; each has an array of further ones, `NAME_functions`.
const ZSH: &[&str] = &[
    "chpwd",
    "periodic",
    "precmd",
    "preexec",
    "zshaddhistory",
    "zshexit",
    "zsh_directory_name",
    "command_not_found_handler",
];

/// Functions that fish calls.
const FISH: &[&str] = &[
    "fish_prompt",
    "fish_right_prompt",
    "fish_mode_prompt",
    "fish_greeting",
    "fish_title",
    "fish_command_not_found",
    "fish_user_key_bindings",
];

/// Most of them that are looked at.
const MAX_HOOKS: usize = 64;

impl Interp<'_> {
    /// Looks at what they would do.
    pub(crate) fn run_hooks(&mut self) {
        let mut names = std::mem::take(&mut self.hooks);
        match self.language {
            Language::Zsh => {
                let called = |n: &str| ZSH.contains(&n) || n.starts_with("TRAP");
                names.extend(self.sh.functions.iter().map(|(n, _)| n).filter(|n| called(n)).map(str::to_string));
                for hook in ZSH {
                    let listed = match self.sh.var(&format!("{hook}_functions")).map(|v| &v.content) {
                        Some(Content::Indexed(m)) => m.values().cloned().collect(),
                        Some(Content::Scalar(v)) => vec![v.clone()],
                        _ => Vec::new(),
                    };
                    names.extend(listed.iter().filter_map(|v| v.as_str().map(|s| s.into_owned())));
                }
            }
            Language::Fish => {
                names.extend(self.sh.functions.iter().map(|(n, _)| n).filter(|n| FISH.contains(n)).map(str::to_string));
            }
            Language::Bash | Language::Sh => names.push("command_not_found_handle".into()),
            _ => {}
        }
        names.sort();
        names.dedup();
        let at = Place::new(self.text, Span::default());
        for name in names.into_iter().take(MAX_HOOKS) {
            let Some(f) = self.sh.functions.get(&name).cloned() else { continue };
            if !self.spend(1) {
                return;
            }
            let saved = self.sh.clone();
            let word = Value::computed(name.as_bytes(), at, Taint::default());
            self.conditional(|me| me.call_function(&name, &f, &[word], at));
            self.sh = saved;
        }
    }
}
