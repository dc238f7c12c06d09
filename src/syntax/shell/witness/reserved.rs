//! Reserved words that the grammar takes for command names.

use super::Lowering;
use crate::source::Span;
use crate::syntax::ast::{Command, CommandKind, Coproc, Part, PartKind, Pipeline, Simple, SyntaxError, Word};

impl Lowering<'_> {
    /// Takes reserved words off the front of a pipeline's first command. `time`, `!` and `coproc` have their places in
    /// the tree. A word that opens or closes a compound command (`}` in `coproc { a; }`) is never the name of a
    /// command: it is reported, and what stands behind it is kept.
    pub(super) fn reserved(&mut self, pipeline: &mut Pipeline) {
        let Some(Command { kind: CommandKind::Simple(simple), span, redirects }) = pipeline.stages.first_mut() else {
            return;
        };
        if !simple.assignments.is_empty() {
            return;
        }
        let mut taken = 0usize;
        let mut coproc = None;
        while let Some((text, place)) = simple.words.get(taken).and_then(bare) {
            match text {
                b"time" => {
                    let option = |w: &Word| bare(w).is_some_and(|(t, _)| t == b"-p" || t == b"--");
                    let options = simple.words.iter().skip(taken.saturating_add(1)).take_while(|w| option(w));
                    let (count, end) = options.fold((0usize, place), |(n, at), w| (n.saturating_add(1), at.to(w.span)));
                    pipeline.timed = Some(end);
                    taken = taken.saturating_add(count);
                }
                b"!" => pipeline.negated = !pipeline.negated,
                b"coproc" if coproc.is_none() => {
                    let mut name = String::from("COPROC");
                    // A name stands only before a compound command.
                    let next = simple.words.get(taken.saturating_add(1)).and_then(bare);
                    let after = simple.words.get(taken.saturating_add(2)).and_then(bare);
                    if let (Some((text, _)), Some((b"{", _))) = (next, after) {
                        name = String::from_utf8_lossy(text).into_owned();
                        taken = taken.saturating_add(1);
                    }
                    coproc = Some(name);
                }
                b"{" | b"}" | b"if" | b"then" | b"elif" | b"else" | b"fi" | b"while" | b"until" | b"do" | b"done"
                | b"esac" => self.refuse(place, SyntaxError::UnexpectedToken),
                _ => break,
            }
            taken = taken.saturating_add(1);
        }
        if taken == 0 {
            return;
        }
        simple.words.drain(..taken.min(simple.words.len()));
        match simple.words.first() {
            Some(word) => span.start = word.span.start,
            None if redirects.is_empty() => {
                pipeline.stages.clear();
                return;
            }
            None => {}
        }
        if let Some(name) = coproc {
            let simple: Simple = std::mem::take(simple);
            let (kind, redirects, span) = (CommandKind::Simple(simple), std::mem::take(redirects), *span);
            let body = Command { kind, redirects, span };
            let kind = CommandKind::Coproc(Box::new(Coproc { name, body }));
            if let Some(stage) = pipeline.stages.first_mut() {
                stage.kind = kind;
            }
        }
    }
}

/// The text of a word without quotes or expansions.
fn bare(word: &Word) -> Option<(&[u8], Span)> {
    match word.parts.as_slice() {
        [Part { kind: PartKind::Literal(text), span }] => Some((text, *span)),
        _ => None,
    }
}
