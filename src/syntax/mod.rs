//! Text → typed tree. Knows nothing of programs or of danger; never fails, gives `Unparsed` regions with a reason.
//!
//! Floor 2; imports `source`, `limits`. One tree type ([`ast`]) for all shells and for both readers.

pub mod ast;
pub mod awk;
pub mod compact;
pub mod cover;
pub mod marker;
pub mod print;
pub mod script;
pub mod shell;

/// Reads code of an embedded language. `None`: there is no front end for it.
pub fn foreign(language: crate::effect::Language, text: &[u8]) -> Option<script::Script> {
    let _ = text;
    match language {
        _ => None,
    }
}

/// True where code of a language that has no front end is known to shape only what it reads: it starts nothing, and
/// reads and writes no file of its own.
pub fn only_shapes(language: crate::effect::Language, text: &[u8]) -> bool {
    match language {
        crate::effect::Language::Awk => awk::only_computes(text),
        crate::effect::Language::Sed => crate::value::transform::sed_only_edits(text),
        _ => false,
    }
}
