//! The secrets that stand in a command by what its grammars say: `-pX` is a password of one program and a port of another.
//!
//! In: the texts and the graph. Out: the words to hide wherever this command is shown or kept. Imports `effect`, `redact`.

use crate::effect::graph::Graph;
use crate::effect::{Object, Verb};
use crate::redact::{self, Word, Words};
use crate::source::{Source, TextId};

/// Most words of one command.
const MAX_WORDS: usize = 64;
/// Longest text that is searched for names of secrets, in bytes: of a longer one each part is still searched when shown.
const MAX_SEARCHED: usize = 256 << 10;
/// Shortest password that is hidden wherever it stands.
const LEAST: usize = 4;
/// Shortest value of a name: a short one is a word like any other too often.
const LEAST_NAMED: usize = 6;

/// The words.
pub(crate) fn words(source: &Source, graph: &Graph) -> Words {
    let mut out: Vec<Word> = Vec::new();
    let mut add = |kind, text: &[u8], least| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        // What is typed ends with a key (`send "x\r"`).
        let text = text.trim_end_matches(char::is_control);
        if text.len() >= least && out.len() < MAX_WORDS && !out.iter().any(|w| w.text == text) {
            out.push(Word { kind, text: text.to_string() });
        }
    };
    for e in graph.with(Verb::Secret) {
        if let Object::Named("secret", value) = &e.object
            && let Some(bytes) = value.as_literal()
        {
            add("password", &bytes, LEAST);
        }
    }
    // What a name says of a word in the text holds for that word alone, too.
    let root = source.bytes(TextId::ROOT);
    if root.len() <= MAX_SEARCHED {
        for s in redact::concealed(&root) {
            add(s.kind, root.get(s.start..s.end).unwrap_or_default(), LEAST_NAMED);
        }
    }
    out.into()
}
