//! Where in which file an entry of a policy stands.
//!
//! In: the texts of the policy files that were joined. Out: the line of an entry, worked out when somebody asks. Imports
//! nothing of the project.

use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A file, or a preset, that a policy was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its path, or the name of the preset.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

impl Origin {
    /// The line of the entry at these keys; of a list they name an index.
    pub fn line(&self, keys: &[&str]) -> Option<usize> {
        self.at(keys, |at, _| line_at(&self.text, at))
    }

    /// The text that stands at these keys.
    pub(super) fn text_of(&self, keys: &[&str]) -> Option<String> {
        self.at(keys, |_, value| value.as_str().map(str::to_string))?
    }

    fn at<T>(&self, keys: &[&str], take: impl FnOnce(usize, &DeValue<'_>) -> T) -> Option<T> {
        let root = DeTable::parse(&self.text).ok()?;
        let (first, rest) = keys.split_first()?;
        let (key, value) = root.get_ref().get_key_value(*first)?;
        let mut at = key.span().start;
        let mut value = value.get_ref();
        for key in rest {
            (at, value) = match value {
                DeValue::Table(t) => {
                    let (k, v) = t.get_key_value(*key)?;
                    (k.span().start, v.get_ref())
                }
                DeValue::Array(a) => {
                    let v = a.get(key.parse::<usize>().ok()?)?;
                    (v.span().start, v.get_ref())
                }
                _ => return None,
            };
        }
        Some(take(at, value))
    }
}

/// The line of a byte of a text, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b'\n', before).count().saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_lines() {
        let text = "preset = 'strict'\n\n[rules]\na = 'off'\n\n[gate]\ndeny = [\n  'x',\n  'y',\n]\n[[allow]]\nrule='a'\n[[allow]]\nrule='b'\n";
        let origin = Origin { name: "p".into(), text: text.into() };
        for (keys, line) in [
            (&["preset"][..], Some(1)),
            (&["rules", "a"], Some(4)),
            (&["rules", "b"], None),
            (&["gate", "deny", "1"], Some(9)),
            (&["gate", "deny", "2"], None),
            (&["allow", "1"], Some(13)),
        ] {
            assert_eq!(origin.line(keys), line, "{keys:?}");
        }
    }
}
