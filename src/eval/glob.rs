//! Patterns over values: matching in `case`, `[[`, parameter operators, and globs that name well-known programs.
//!
//! In: values whose active glob characters are pieces. Out: compiled patterns, and answers that may be *not known*.

use super::Interp;
use super::expand::pattern_text;
use crate::value::pattern::{Flags, Pattern, known_paths};
use crate::value::{Glob, Piece, Value, Why};

/// Compiles a value as a pattern; `None` where a piece of it is not known.
pub(crate) fn compile(v: &Value, nocase: bool) -> Option<Pattern> {
    let mut text = Vec::new();
    if !pattern_text(v, &mut text) {
        return None;
    }
    Some(Pattern::from_text(&text, Flags { extglob: true, nocase, ..Flags::default() }))
}

impl Interp<'_> {
    /// Whether a value matches a pattern; `None` where that is not known.
    pub(crate) fn matches(&mut self, word: &Value, pattern: &Value) -> Option<bool> {
        // `*` matches whatever the word is.
        if let [Piece::Glob(Glob::Star, _)] = pattern.pieces.as_slice() {
            return Some(true);
        }
        let pat = compile(pattern, self.sh.opts.nocasematch)?;
        let mut answer = None;
        for reading in word.readings() {
            let text = reading.as_literal()?;
            self.spend(1 + text.len() as u64 / 64);
            let hit = pat.matches(&text).ok()?;
            match answer {
                None => answer = Some(hit),
                Some(a) if a != hit => return None,
                Some(_) => {}
            }
        }
        answer
    }

    /// The readings of a glob that stands where a command is named (`/bin/c?t`, `/???/b?n/c*l`): the well-known programs
    /// that it matches. `None` where it matches none of them.
    pub(crate) fn known_programs(&mut self, word: &Value) -> Option<Value> {
        if let Some(located) = located(word) {
            return Some(located);
        }
        if !word.pieces.iter().any(|p| matches!(p, Piece::Glob(..))) {
            return None;
        }
        let mut text = Vec::new();
        if !pattern_text(word, &mut text) {
            return None;
        }
        let pat = Pattern::from_text(&text, Flags { extglob: true, path: true, ..Flags::default() });
        let names = known_paths(&pat).ok()?;
        let at = word.place();
        let mut out: Option<Value> = None;
        for n in names.into_iter().take(crate::limits::MAX_READINGS) {
            let v = Value::computed(n.as_bytes(), at, word.taint());
            out = Some(match out {
                None => v,
                Some(o) => Value::either(o, v),
            });
        }
        out
    }
}

/// The programs that a word names which is nothing but what `which` prints, once or several times
/// (`$(which python3 || which python)`): whichever is there is run.
fn located(word: &Value) -> Option<Value> {
    let mut out: Option<Value> = None;
    for p in &word.pieces {
        let Piece::Unknown(u) = p else { return None };
        let v = match &u.why {
            Why::Program(name) => Value::computed(name.as_bytes(), u.from, word.taint()),
            // `$(realpath /bin/x)`
            Why::Near(place) => Value::computed(&place.as_literal()?, u.from, word.taint()),
            _ => return None,
        };
        out = Some(match out {
            None => v,
            Some(o) => Value::either(o, v),
        });
    }
    out
}
