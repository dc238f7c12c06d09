//! Text → typed tree. Knows nothing of programs or of danger; never fails, gives `Unparsed` regions with a reason.
//!
//! Floor 2; imports `source`, `limits`. One tree type ([`ast`]) for all shells and for both readers.

pub mod ast;
pub mod awk;
mod bounded;
pub mod cmd;
pub mod compact;
pub mod cover;
pub mod fish;
pub mod javascript;
mod lowering;
pub mod lua;
pub mod marker;
pub mod perl;
pub mod php;
pub mod powershell;
pub mod print;
pub mod python;
pub mod ruby;
pub mod script;
pub mod shell;
pub mod small;
mod tree;

/// Reads code of an embedded language. `None`: there is no front end for it.
pub fn foreign(language: crate::effect::Language, text: &[u8]) -> Option<script::Script> {
    use crate::effect::Language;
    match language {
        Language::Cmd => Some(cmd::read(text)),
        Language::JavaScript => Some(javascript::read(text)),
        Language::Awk => Some(awk::read(text)),
        Language::Python => Some(python::read(text)),
        Language::Lua => Some(lua::read(text)),
        Language::Perl => Some(perl::read(text)),
        Language::Php => Some(php::read(text)),
        Language::PowerShell => Some(powershell::read(text)),
        Language::Ruby => Some(ruby::read(text)),
        other => small::read(other, text),
    }
}
