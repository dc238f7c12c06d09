//! `printf`, as the builtin of bash and dash.
//!
//! In: the format and its arguments, known or not. Out: what is printed. An unknown argument leaves an unknown piece
//! where it is printed. Not computed: `%(…)T`, `%a`, `%n`, `%Q`, and fractions that depend on binary rounding.

use super::super::quote::backslash_quote;
use super::super::{Value, Why};
use super::build::{Build, operand_values, slice, to_output};
use super::echo::push_unescaped;
use super::number::{Spec, integer};
use super::{Call, Flavour, Output, decimal};
use crate::escape::{Dialect, Escape, escape, push_char, unescape};
use crate::limits;
use crate::source::Place;

/// What `printf FORMAT ARG…` prints, and its exit status (`args`: all words after the name and its options).
pub fn printf_values(args: &[Value], at: Place, flavour: Flavour) -> (Value, u8) {
    let Some((format, args)) = args.split_first() else { return (Value::default(), 2) };
    let Some(text) = format.as_literal() else {
        let mut taint = format.taint();
        args.iter().for_each(|a| taint.join(&a.taint()));
        let why = why_unknown(format);
        return (Value::unknown_tainted(why, at, taint), 0);
    };
    let mut p = Printer { format, text: &text, args, next: 0, out: Build::new(at), flavour, status: 0 };
    // The format is used again as long as it takes arguments and some are left.
    loop {
        let before = p.next;
        if p.once() || p.next >= args.len() || p.next == before || p.out.is_over() {
            break;
        }
    }
    (p.out.finish(), p.status)
}

/// Why a value is not known: the reason of its first unknown piece.
fn why_unknown(value: &Value) -> Why {
    use super::super::Piece;
    value
        .pieces
        .iter()
        .find_map(|p| match p {
            Piece::Unknown(u) => Some(u.why.clone()),
            Piece::OneOf(_) => Some(Why::Joined),
            Piece::Glob(..) => Some(Why::Glob(value.show())),
            Piece::Literal(_) => None,
        })
        .unwrap_or(Why::Joined)
}

struct Printer<'a> {
    format: &'a Value,
    text: &'a [u8],
    args: &'a [Value],
    next: usize,
    out: Build,
    flavour: Flavour,
    status: u8,
}

impl<'a> Printer<'a> {
    fn copy_format(&mut self, from: usize, to: usize) {
        slice(self.format, from, to).into_iter().for_each(|p| self.out.piece(p));
    }

    fn argument(&mut self) -> Option<&'a Value> {
        let a = self.args.get(self.next);
        self.next = self.next.saturating_add(1);
        a
    }

    /// An argument is not what the conversion wants: what can be read of it is printed, and the status says so.
    fn refuse(&mut self, wrong: bool) {
        if wrong {
            self.status = 1;
        }
    }

    /// Ends the output at `\c`. bash forgets what went wrong before.
    fn stop<T>(&mut self) -> Option<T> {
        if self.flavour == Flavour::Bash {
            self.status = 0;
        }
        None
    }

    /// Prints the format once; true where the output ends there.
    fn once(&mut self) -> bool {
        let dialect = if self.flavour == Flavour::Dash { Dialect::DashFormat } else { Dialect::BashFormat };
        let (mut from, mut at) = (0usize, 0usize);
        while let Some(&b) = self.text.get(at) {
            let next = at.saturating_add(1);
            match b {
                b'\\' => {
                    let (what, used) = escape(self.text.get(next..).unwrap_or(&[]), dialect);
                    if what == Escape::None {
                        at = next;
                        continue;
                    }
                    self.copy_format(from, at);
                    match what {
                        Escape::Byte(b) => self.out.computed_from(&[b], &self.format.taint()),
                        Escape::Char(n) => {
                            let mut bytes = Vec::new();
                            push_char(&mut bytes, n);
                            self.out.computed_from(&bytes, &self.format.taint());
                        }
                        Escape::Stop | Escape::None => {}
                    }
                    at = next.saturating_add(used);
                    from = at;
                }
                b'%' if self.text.get(next) == Some(&b'%') => {
                    self.copy_format(from, next);
                    at = next.saturating_add(1);
                    from = at;
                }
                b'%' => {
                    self.copy_format(from, at);
                    match self.directive(next) {
                        Some(end) => at = end,
                        None => return true,
                    }
                    from = at;
                }
                _ => at = next,
            }
        }
        self.copy_format(from, at);
        false
    }

    fn star(&mut self) -> Option<i64> {
        match self.argument() {
            None => Some(0),
            Some(v) => {
                let n = integer(&v.as_literal()?);
                self.refuse(!n.whole);
                i64::try_from(n.value).ok()
            }
        }
    }

    /// Prints the directive whose text begins at `at`; gives where it ends. `None`: printing ends here.
    fn directive(&mut self, mut at: usize) -> Option<usize> {
        let mut spec = Spec::default();
        let mut known = true;
        let text = self.text;
        let byte = |at: usize| text.get(at).copied();
        while let Some(f) = byte(at) {
            match f {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zero = true,
                b'\'' if self.flavour == Flavour::Bash => {}
                _ => break,
            }
            at = at.saturating_add(1);
        }
        if byte(at) == Some(b'*') {
            at = at.saturating_add(1);
            match self.star() {
                Some(n) => {
                    spec.left |= n < 0;
                    spec.width = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
                }
                None => known = false,
            }
        } else {
            (spec.width, at) = digits(text, at);
        }
        if byte(at) == Some(b'.') {
            at = at.saturating_add(1);
            if byte(at) == Some(b'*') {
                at = at.saturating_add(1);
                match self.star() {
                    Some(n) => spec.precision = usize::try_from(n).ok(),
                    None => known = false,
                }
            } else {
                let (n, next) = digits(text, at);
                spec.precision = Some(n);
                at = next;
            }
        }
        while self.flavour == Flavour::Bash && matches!(byte(at), Some(b'h' | b'l' | b'j' | b'z' | b't' | b'L')) {
            at = at.saturating_add(1);
        }
        let Some(conversion) = byte(at) else {
            self.status = 1;
            return None;
        };
        let end = at.saturating_add(1);
        if spec.width > limits::MAX_VALUE || spec.precision.is_some_and(|p| p > limits::MAX_VALUE) {
            self.out.unknown(Why::Limit, super::super::Taint::default());
            return None;
        }
        if !self.convert(conversion, &spec, known)? {
            self.status = 1;
            return None;
        }
        Some(end)
    }

    /// Prints one conversion. `Some(false)`: the shell refuses it. `None`: `\c` ended the output.
    fn convert(&mut self, conversion: u8, spec: &Spec, known: bool) -> Option<bool> {
        let bash = self.flavour == Flavour::Bash;
        let kind = match conversion {
            b's' | b'b' | b'c' | b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'e' | b'E' | b'f' | b'g' | b'G' => {
                conversion
            }
            b'q' | b'F' if bash => conversion,
            b'a' | b'A' | b'(' | b'n' | b'Q' if bash => {
                // The shell prints something; what, and how the rest of the format goes on, is not computed.
                self.out.unknown(Why::NotComputed("printf conversion"), self.format.taint());
                return None;
            }
            b'F' | b'a' | b'A' => {
                self.out.unknown(Why::NotComputed("printf conversion"), self.format.taint());
                return None;
            }
            _ => return Some(false),
        };
        let argument = self.argument();
        let plain = known && spec.width == 0 && spec.precision.is_none();
        if plain && let Some(v) = argument {
            if kind == b's' {
                self.out.copy(v);
                return Some(true);
            }
            if kind == b'b' {
                let dialect = if bash { Dialect::BashB } else { Dialect::Dash };
                return if push_unescaped(&mut self.out, v, dialect) { self.stop() } else { Some(true) };
            }
        }
        let empty = Value::default();
        let value = argument.unwrap_or(&empty);
        let taint = value.taint();
        let text = match value.as_literal() {
            Some(t) if known => t,
            _ => {
                self.out.unknown(if known { why_unknown(value) } else { Why::NotComputed("printf width") }, taint);
                return Some(true);
            }
        };
        let field = match kind {
            b's' => spec.text(&text),
            b'q' => spec.text(&backslash_quote(&text)),
            b'b' => {
                let dialect = if bash { Dialect::BashB } else { Dialect::Dash };
                let (bytes, stop) = unescape(&text, dialect);
                self.out.computed_from(&spec.text(&bytes), &taint);
                return if stop { self.stop() } else { Some(true) };
            }
            b'c' => {
                // Of an empty argument the character is a NUL.
                Spec { precision: None, ..*spec }.text(&[text.first().copied().unwrap_or(0)])
            }
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                // dash takes bytes for characters: `'é` is the number of its first byte.
                let n = match text.as_ref() {
                    [q @ (b'\'' | b'"'), b, ..] if !bash && !b.is_ascii() => integer(&[*q, *b]),
                    _ => integer(&text),
                };
                let most = if matches!(kind, b'd' | b'i') { i128::from(i64::MAX) } else { i128::from(u64::MAX) };
                let over = n.value > most || n.value < most.saturating_neg().saturating_sub(1);
                // bash only warns of a number that is too large.
                self.refuse(!n.whole || over && !bash);
                spec.integer(n.value, kind)
            }
            _ => match decimal::field(&text, spec, kind) {
                Some((bytes, whole)) => {
                    self.refuse(!whole);
                    bytes
                }
                None => {
                    self.out.unknown(Why::NotComputed("floating point"), taint);
                    return Some(true);
                }
            },
        };
        self.out.computed_from(&field, &taint);
        Some(true)
    }
}

/// The number at `at`, and where it ends.
fn digits(text: &[u8], mut at: usize) -> (usize, usize) {
    let mut n = 0usize;
    while let Some(d @ b'0'..=b'9') = text.get(at) {
        n = n.saturating_mul(10).saturating_add(usize::from(d.saturating_sub(b'0')));
        at = at.saturating_add(1);
    }
    (n, at)
}

/// The transform: the format is the first operand.
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    // `printf -- FORMAT`
    let operands = match call.operands {
        [first, rest @ ..] if *first == b"--" => rest,
        all => all,
    };
    let skipped = call.operands.len().saturating_sub(operands.len());
    let values = operand_values(call.operands);
    let (value, status) = printf_values(values.get(skipped..).unwrap_or(&[]), Place::default(), call.flavour);
    Ok(to_output(&value)?.with_status(status))
}

#[cfg(test)]
mod tests {
    use super::super::PieceFrom;
    use super::super::check::{Rng, compare_shells};
    use super::*;

    #[test]
    fn copies_keep_their_place() {
        let out = run(&Call { operands: &[b"x%s\\n", b"rm"], ..Call::default() }).unwrap();
        assert_eq!(out.bytes, b"xrm\n");
        let from: Vec<_> = out.pieces.iter().map(|p| p.1).collect();
        assert_eq!(from, [PieceFrom::Operand(0, 0), PieceFrom::Operand(1, 0), PieceFrom::Computed]);
    }

    #[test]
    fn unknown_arguments_stay() {
        let u = Value::unknown(Why::Stdin, Place::default());
        let args = [Value::literal(b"<%s|%d>", Place::default()), u.clone(), u];
        assert_eq!(
            printf_values(&args, Place::default(), Flavour::Bash).0.show(),
            "<<standard input>|<standard input>>"
        );
    }

    #[test]
    fn many_arguments_are_joined() {
        let words: Vec<Vec<u8>> = (0..9000).map(|n| n.to_string().into_bytes()).collect();
        let mut operands: Vec<&[u8]> = vec![b"%s\n"];
        operands.extend(words.iter().map(Vec::as_slice));
        let out = run(&Call { operands: &operands, ..Call::default() }).unwrap();
        assert_eq!(out.bytes.iter().filter(|b| **b == b'\n').count(), 9000);
        let wide = run(&Call { operands: &[b"%999999999s", b"a"], ..Call::default() });
        assert_eq!(wide, Err(Why::Limit));
    }

    #[test]
    fn agrees_with_the_shells() {
        let mut rng = Rng::new(29);
        let formats = [
            "%s", "%d", "%i", "%x", "%X", "%o", "%u", "%c", "%b", "%q", "%5s", "%-5s|", "%05d", "%+d", "% d", "%.3d",
            "%.2s", "%#x", "%#o", "%*d", "%-*s", "%.*s", "%.2f", "%f", "%e", "%g", "%5.1f", "%08.3f", "%G", "%E", "%%",
            "%z", "%", "%5%", "\\x41", "\\101", "\\0101", "\\n", "\\c", "\\e", "\\\"", "\\\\", "\\u0041", "a", " ",
            "\n", "é", "%-8x|", "%ld", "%3c", "%.0f", "%+.2e", "\\", "\\8", "%5b", "%10q",
        ];
        let arguments = [
            "",
            "a",
            "abc",
            "5",
            "-7",
            "0x1F",
            "010",
            "3x",
            " 5",
            "5 ",
            "'a",
            "\"é",
            "1.5",
            "2.5",
            "0.125",
            "-0.5",
            "1e3",
            "1e-5",
            "99999999999999999999",
            "-99999999999999999999",
            "100",
            "12345.678",
            "a\\nb",
            "a\\cb",
            "\\x41\\0101\\101",
            "é",
            "a b",
            "~x",
            "0",
            "-0",
            "+3",
            "0x",
            "--",
            "1.005",
            "123456789",
            "0.0001",
            "9.995",
            "99.5",
            "18446744073709551615",
            "\\",
        ];
        compare_shells("printf", 6000, || {
            let format: String = (0..1 + rng.below(4)).map(|_| *rng.pick(&formats)).collect();
            // A huge width makes the real program print gigabytes.
            let from: &[&str] =
                if format.contains('*') { &["5", "-7", "a", "", "1.5", "é", "'a"] } else { &arguments };
            let mut words = vec![format.into_bytes()];
            words.extend((0..rng.below(5)).map(|_| rng.pick(from).as_bytes().to_vec()));
            words
        });
    }
}
