//! Names of shells on the command line. Floor 8; imports `effect`, `syntax`.

use crate::effect::Language;
use crate::syntax::shell::Dialect;

/// Every name that `--shell` takes, with the language it stands for. POSIX sh and dash have one grammar.
pub const SHELLS: &[(&str, Language)] = &[
    ("posix", Language::Sh),
    ("sh", Language::Sh),
    ("bash", Language::Bash),
    ("zsh", Language::Zsh),
    ("ksh", Language::Ksh),
    ("dash", Language::Sh),
    ("fish", Language::Fish),
    ("powershell", Language::PowerShell),
    ("pwsh", Language::PowerShell),
    ("cmd", Language::Cmd),
    ("nushell", Language::Nushell),
];

/// The shell with that name.
pub fn from_name(name: &str) -> Option<Language> {
    SHELLS.iter().find(|(n, _)| *n == name).map(|(_, l)| *l)
}

/// All names, for messages.
pub fn names() -> String {
    SHELLS.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ")
}

/// How a shell of the sh family reads text; `None` for the others.
pub fn dialect(language: Language) -> Option<Dialect> {
    match language {
        // What dash refuses, bash may run under the name sh: the tree of the wider language shows more.
        Language::Sh | Language::Bash => Some(Dialect::BASH),
        Language::Zsh => Some(Dialect::ZSH),
        Language::Ksh => Some(Dialect::KSH),
        _ => None,
    }
}
