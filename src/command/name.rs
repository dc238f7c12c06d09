//! The command word: the base name, and the file where it names one of its own.
//!
//! In: a command word, as far as known. Out: [`Command`].

use super::grammar;
use crate::glob;
use crate::value::Value;

/// What a command word says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    /// The base name, where known.
    pub name: Option<String>,
    /// The file it names, where that is not one in a directory of system programs.
    pub file: Option<Value>,
}

/// Reads a command word. `/usr/bin/curl` is `curl`; `./curl` is `curl`, too, but a file of its own; in `$DIR/curl` the
/// directory is not known, so that is one, too.
pub fn of(word: &Value) -> Command {
    let text = word.as_str();
    // `C:\Windows\System32\cmd.exe`: in a POSIX shell a backslash in a name is possible, but no real program has one.
    let shown = text.as_deref().map_or_else(|| word.show().into(), std::borrow::Cow::Borrowed);
    let windows = !shown.contains('/') && shown.contains('\\');
    let cut = word.rsplit_once(if windows { b'\\' } else { b'/' });
    let Some((dir, base)) = cut else {
        return Command { name: text.filter(|t| !t.is_empty()).map(|t| t.into_owned()), file: None };
    };
    let name = base.as_str().filter(|t| !t.is_empty()).map(|t| t.into_owned());
    let system = dir.as_literal().is_some_and(|d| {
        let text = String::from_utf8_lossy(&d).to_ascii_lowercase();
        let dirs = grammar::system_dirs();
        dirs.iter().any(|g| glob::any(g, if windows { text.as_bytes() } else { &d }))
    });
    Command { name, file: (!system).then(|| word.clone()) }
}
