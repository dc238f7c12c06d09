//! `echo`: the dialects of bash and dash.
//!
//! In: the words after the name, known or not. Out: what is printed; unknown pieces stay in their places.

use super::super::split::part;
use super::super::{Literal, Piece, Value, Why};
use super::build::{Build, operand_values, to_output};
use super::{Call, Flavour, Output};
use crate::escape::{Dialect, Escape, escape, push_char};
use crate::source::Place;

/// What `echo` prints for these words (all that stand after the name, options included).
pub fn echo_values(args: &[Value], at: Place, flavour: Flavour) -> Value {
    let (mut newline, mut escapes) = (true, flavour == Flavour::Dash);
    let mut rest = args;
    while let Some((first, more)) = rest.split_first() {
        let Some(word) = first.as_literal() else { break };
        match (flavour, word.as_ref()) {
            (_, b"-n") => newline = false,
            (Flavour::Bash, [b'-', flags @ ..])
                if !flags.is_empty() && flags.iter().all(|f| matches!(f, b'n' | b'e' | b'E')) =>
            {
                for f in flags {
                    match f {
                        b'n' => newline = false,
                        f => escapes = *f == b'e',
                    }
                }
            }
            _ => break,
        }
        rest = more;
        // dash looks at one option only.
        if flavour == Flavour::Dash {
            break;
        }
    }
    print(rest, at, newline, escapes, flavour)
}

fn print(words: &[Value], at: Place, newline: bool, escapes: bool, flavour: Flavour) -> Value {
    let dialect = if flavour == Flavour::Dash { Dialect::Dash } else { Dialect::BashEcho };
    let mut out = Build::new(at);
    for (i, word) in words.iter().enumerate() {
        if i > 0 {
            out.computed(b" ");
        }
        if !escapes {
            out.copy(word);
        } else if push_unescaped(&mut out, word, dialect) {
            return out.finish();
        }
        if out.is_over() {
            break;
        }
    }
    if newline {
        out.computed(b"\n");
    }
    out.finish()
}

/// Appends a value with its escapes decoded; true where `\c` ends the output. What has no escape stays a copy.
pub(super) fn push_unescaped(out: &mut Build, value: &Value, dialect: Dialect) -> bool {
    for p in &value.pieces {
        match p {
            Piece::Literal(l) => {
                if push_literal(out, l, dialect) {
                    return true;
                }
            }
            // Which of its readings stops the output is not known; a set without escapes is copied.
            Piece::OneOf(vs) if vs.iter().any(|v| v.as_literal().is_none_or(|t| t.contains(&b'\\'))) => {
                let mut taint = super::super::Taint::default();
                vs.iter().for_each(|v| taint.join(&v.taint()));
                out.unknown(Why::Joined, taint);
            }
            other => out.piece(other.clone()),
        }
    }
    false
}

fn push_literal(out: &mut Build, l: &Literal, dialect: Dialect) -> bool {
    let (mut from, mut at) = (0usize, 0usize);
    while let Some(&b) = l.bytes.get(at) {
        let next = at.saturating_add(1);
        if b != b'\\' {
            at = next;
            continue;
        }
        let (what, used) = escape(l.bytes.get(next..).unwrap_or(&[]), dialect);
        if what == Escape::None {
            at = next;
            continue;
        }
        out.piece(Piece::Literal(part(l, from, at)));
        match what {
            Escape::Byte(b) => out.computed_from(&[b], &l.taint),
            Escape::Char(n) => {
                let mut bytes = Vec::new();
                push_char(&mut bytes, n);
                out.computed_from(&bytes, &l.taint);
            }
            Escape::Stop | Escape::None => return true,
        }
        at = next.saturating_add(used);
        from = at;
    }
    out.piece(Piece::Literal(part(l, from, l.bytes.len())));
    false
}

/// The transform. Options may be given as such, or stand before the operands.
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    let values = operand_values(call.operands);
    let at = Place::default();
    if call.options.is_empty() {
        return to_output(&echo_values(&values, at, call.flavour));
    }
    let last = call.options.iter().rev().find(|(n, _)| *n != "-n").map(|(n, _)| *n);
    let escapes = call.flavour == Flavour::Dash || last == Some("-e");
    to_output(&print(&values, at, !call.has("-n"), escapes, call.flavour))
}

#[cfg(test)]
mod tests {
    use super::super::PieceFrom;
    use super::super::check::{Rng, compare_shells};
    use super::*;

    #[test]
    fn copies_keep_their_place() {
        let out = run(&Call { operands: &[b"-e", b"rm\\x20-rf"], ..Call::default() }).unwrap();
        assert_eq!(out.bytes, b"rm -rf\n");
        assert_eq!(out.pieces[0], (0..2, PieceFrom::Operand(1, 0)));
        assert_eq!(out.pieces[1], (2..3, PieceFrom::Computed));
        assert_eq!(out.pieces[2], (3..6, PieceFrom::Operand(1, 6)));
    }

    #[test]
    fn unknown_words_stay() {
        let u = Value::unknown(Why::Stdin, Place::default());
        let v = echo_values(&[Value::literal(b"a", Place::default()), u], Place::default(), Flavour::Bash);
        assert_eq!(v.show(), "a <standard input>\n");
    }

    #[test]
    fn agrees_with_the_shells() {
        let mut rng = Rng::new(23);
        compare_shells("echo", 3000, || {
            let parts = [
                "-n", "-e", "-E", "-nE", "-x", "a", "\\", "x", "0", "41", "101", "n", "c", "u", "U", "e", "'", "\"",
                "é", " ", "8", "--", "\\\\", "\\0", "\\x", "\\c", "\\u0041", "\\e", "",
            ];
            (0..rng.below(5))
                .map(|_| (0..1 + rng.below(4)).map(|_| *rng.pick(&parts)).collect::<String>().into_bytes())
                .collect()
        });
    }
}
