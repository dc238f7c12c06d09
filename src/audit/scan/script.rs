//! Scripts of a shell: by the interpreter in the first line, else by the ending of the name. Which those are is data:
//! `grammars/lists/scripts.list`.

use super::{Kind, Piece, interpreter};
use crate::audit::format::Hint;
use crate::effect::Language;

pub(super) const NAMES: &str = include_str!("../../../grammars/lists/scripts.list");

pub(super) static KIND: Kind = Kind {
    name: "script",
    fits: |hint| shell(hint).is_some(),
    pieces: |hint, bytes| vec![Piece { shell: shell(hint), ..Piece::at(bytes, 0) }],
    plain: true,
};

/// The shell of a script. A first line that names another interpreter says that it is none.
fn shell(hint: &Hint<'_>) -> Option<Language> {
    if let Some(line) = hint.head.strip_prefix(b"#!") {
        let line = line.split(|b| *b == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line.get(..256).unwrap_or(line));
        // `#!/usr/bin/env -S bash -e`: the first word that names a shell, before any option of its own matters.
        return line.split_ascii_whitespace().take(3).find_map(interpreter);
    }
    let ending = hint.name().rsplit_once('.')?.1.to_ascii_lowercase();
    let endings = NAMES.lines().filter_map(|l| l.strip_prefix("ending ")?.split_once(' '));
    endings.into_iter().find(|(e, _)| *e == ending).and_then(|(_, l)| Language::from_name(l))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_decides_then_the_name() {
        let of = |path: &str, head: &str| shell(&Hint { path, head: head.as_bytes() });
        assert_eq!(of("run", "#!/bin/dash\n"), Some(Language::Sh));
        assert_eq!(of("run", "#!/usr/bin/env -S zsh -f\n"), Some(Language::Zsh));
        assert_eq!(of("run.sh", "#!/usr/bin/python3\n"), None);
        assert_eq!(of("a/run.sh", "ls\n"), Some(Language::Bash));
        assert_eq!(of("run", "ls\n"), None);
    }

    #[test]
    fn every_line_of_the_list_names_a_language() {
        for line in NAMES.lines().filter(|l| !l.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(
                matches!(words.as_slice(), ["ending" | "interpreter", _, l] if Language::from_name(l).is_some())
                    || matches!(words.as_slice(), ["code" | "action", _, _, ..]),
                "{line}"
            );
        }
    }
}
