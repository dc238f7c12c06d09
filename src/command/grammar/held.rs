//! What a grammar's own examples say of it, and whether it says anything.
//!
//! In: a grammar and its [`Example`]s. Out: what is found of their command lines and not as it is stated, a line each: the
//! one comparison for the grammars of the build and for those that are loaded at run time.

use super::example::Example;
use super::model::{Grammar, Level, Slot, Word};
use crate::command::Role;
use crate::command::argv::read_in;
use crate::effect::Language;
use crate::source::{Place, Span, TextId};
use crate::value::{Piece, Value, Why};

impl Grammar {
    /// False where no part of it says what the program does, so that every call looks harmless.
    pub fn says_something(&self) -> bool {
        let acts = |s: &Slot| {
            let roles = || std::iter::once(&s.role).chain(&s.also);
            s.join || roles().any(|r| matches!(r, Role::Command | Role::Code(_)) || !r.verbs().is_empty())
        };
        let word = |w: &Word| w.either.iter().any(acts);
        let mut left: Vec<&Level> = vec![&self.top];
        while let Some(level) = left.pop() {
            let own = !level.effects.is_empty()
                || !level.files.is_empty()
                || level.multicall
                || level.builtin.is_some()
                || level.operands.iter().any(|o| word(&o.word))
                || level.options.iter().any(|o| !o.effects.is_empty() || o.words.iter().any(word));
            if own {
                return true;
            }
            left.extend(level.subs.iter().map(|s| &s.level));
        }
        false
    }
}

impl Example {
    /// What is found of the command line and not as it is stated, a line each; `program` is the grammar of its file, which
    /// has to be among those that are looked up.
    pub fn differences(&self, program: &Grammar) -> Vec<String> {
        let shell = program.shells.first().and_then(|s| Language::from_name(s));
        let inv = read_in(shell, &words(self.run));
        let main = program.names.first().copied().unwrap_or_default();
        if inv.grammar != Some(main) {
            return vec![match inv.grammar {
                Some(other) => format!("it does not run {main}, but {other}"),
                None => format!("it does not run {main}, but something without a grammar"),
            }];
        }
        let mut out = Vec::new();
        let mut differ = |what: &str, found: Vec<String>, stated: Vec<String>| {
            if found != stated {
                out.push(format!("{what} stated {stated:?}, found {found:?}"));
            }
        };
        differ("effects", sorted(inv.describe()), sorted(&self.effects));
        differ("doubts", sorted(inv.describe_doubts()), sorted(&self.doubts));
        if let Some(with) = &self.with {
            differ("with", sorted(inv.props.names()), sorted(with));
        }
        if let Some(s) = self.stdin {
            differ("stdin", vec![inv.stdin.name().into()], vec![s.into()]);
        }
        if let Some(s) = self.stdout {
            differ("stdout", vec![inv.stdout.name().into()], vec![s.into()]);
        }
        out
    }
}

fn sorted<S: ToString>(lines: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut all: Vec<String> = lines.into_iter().map(|l| l.to_string()).collect();
    all.sort();
    all.dedup();
    all
}

/// The words of a command line as a shell splits it, as far as examples need: blanks, both quotes, backslashes, `$NAME` (not
/// known).
fn words(line: &str) -> Vec<Value> {
    let bytes = line.as_bytes();
    let mut words: Vec<Value> = Vec::new();
    let mut word: Option<Value> = None;
    let place = |from: usize, to: usize| Place::new(TextId::ROOT, Span::new(from, to));
    let (mut i, mut quote) = (0usize, 0u8);
    while let Some(&b) = bytes.get(i) {
        let next = i.saturating_add(1);
        let literal = |at: usize| {
            let end = at.saturating_add(1);
            Value::literal(bytes.get(at..end).unwrap_or_default(), place(at, end))
        };
        let mut after = next;
        match b {
            b' ' | b'\t' | b'\n' if quote == 0 => words.extend(word.take()),
            b'\'' | b'"' if quote == 0 => {
                quote = b;
                word.get_or_insert_with(Value::default);
            }
            _ if quote != 0 && b == quote => quote = 0,
            b'\\' if quote != b'\'' && next < bytes.len() => {
                word.get_or_insert_with(Value::default).push(literal(next));
                after = next.saturating_add(1);
            }
            b'$' if quote != b'\'' && bytes.get(next).is_some_and(u8::is_ascii_alphabetic) => {
                let name = line.get(next..).unwrap_or_default();
                let length = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
                after = next.saturating_add(length);
                let name = name.get(..length).unwrap_or_default();
                let mut v = Value::unknown(Why::Environment(name.into()), place(i, after));
                if quote == 0
                    && let Some(Piece::Unknown(u)) = v.pieces.first_mut()
                {
                    u.splits = true;
                }
                word.get_or_insert_with(Value::default).push(v);
            }
            _ => word.get_or_insert_with(Value::default).push(literal(i)),
        }
        i = after;
    }
    words.extend(word);
    words
}
