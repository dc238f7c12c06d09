//! Brace ranges: `{1..5}`, `{01..10..3}`, `{a..e}` (bash manual 3.5.1).
//!
//! In: the two ends and the step as they are written. Out: the words. Floor 2; imports `limits`.

use super::pattern::Limit;
use crate::limits;

/// The words of `{a..b}` or `{a..b..step}`. `None` where bash leaves the braces as they are.
pub fn brace_range(a: &[u8], b: &[u8], step: Option<&[u8]>) -> Option<Result<Vec<Vec<u8>>, Limit>> {
    let step = match step {
        Some(s) => integer(s)?,
        None => 1,
    };
    let (from, to, letters) = match (a, b) {
        ([x], [y]) if x.is_ascii_alphabetic() && y.is_ascii_alphabetic() => (i64::from(*x), i64::from(*y), true),
        _ => (integer(a)?, integer(b)?, false),
    };
    // The sign of the step follows the ends, which bash cannot do with the least number; a step of 0 is 1.
    if step == i64::MIN && from < to {
        return None;
    }
    let size = step.saturating_abs().max(1);
    let count = from.abs_diff(to).checked_div(size.unsigned_abs()).unwrap_or(0).saturating_add(1);
    if count > limits::MAX_FIELDS as u64 {
        return Some(Err(Limit));
    }
    let width = if padded(a) || padded(b) { a.len().max(b.len()) } else { 0 };
    if width.saturating_mul(limits::MAX_FIELDS.min(usize::try_from(count).unwrap_or(usize::MAX))) > limits::MAX_VALUE {
        return Some(Err(Limit));
    }
    let mut words = Vec::new();
    let mut at = from;
    for _ in 0..count {
        words.push(match u8::try_from(at) {
            // A backslash that a range makes is taken for a quote and removed: `{Z..a}` has an empty word in it.
            Ok(b'\\') if letters => Vec::new(),
            Ok(c) if letters => vec![c],
            _ => format!("{at:0width$}").into_bytes(),
        });
        at = if from <= to { at.saturating_add(size) } else { at.saturating_sub(size) };
    }
    Some(Ok(words))
}

fn integer(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// True where an end is written with zeros in front, so that all numbers get its width.
fn padded(text: &[u8]) -> bool {
    matches!(text, [b'0', _, ..] | [b'-', b'0', _, ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::oracle::{Bash, Rng};

    #[test]
    fn large_ranges_are_limited() {
        assert_eq!(brace_range(b"1", b"9999999", None), Some(Err(Limit)));
        assert_eq!(brace_range(b"1", b"99999999999999999999", None), None);
    }

    #[test]
    fn agrees_with_bash() {
        let Some(bash) = Bash::find() else { return };
        let mut rng = Rng::new(5);
        let ends = [
            "1",
            "5",
            "-3",
            "07",
            "-02",
            "a",
            "z",
            "Z",
            "A",
            "e",
            "10",
            "000",
            "+3",
            "x1",
            "0",
            "-0",
            "_",
            "99",
            "0x3",
            "-",
            "9223372036854775807",
            "9223372036854775800",
        ];
        let steps = ["", "..1", "..2", "..-2", "..0", "..x", "..03"];
        let cases: Vec<[&str; 3]> =
            (0..1500).map(|_| [*rng.pick(&ends), *rng.pick(&ends), *rng.pick(&steps)]).collect();
        let cases: Vec<[&str; 3]> = cases
            .into_iter()
            .filter(|[a, b, s]| {
                !matches!(
                    brace_range(a.as_bytes(), b.as_bytes(), s.strip_prefix("..").map(str::as_bytes)),
                    Some(Err(_))
                )
            })
            .collect();
        let script: String =
            cases.iter().map(|[a, b, s]| format!("printf '%s|' {{{a}..{b}{s}}}; printf '\\0'\n")).collect();
        for ([a, b, s], real) in cases.iter().zip(bash.fields(&script)) {
            let ours = match brace_range(a.as_bytes(), b.as_bytes(), s.strip_prefix("..").map(str::as_bytes)) {
                Some(words) => words.unwrap().iter().map(|w| format!("{}|", String::from_utf8_lossy(w))).collect(),
                None => format!("{{{a}..{b}{s}}}|"),
            };
            assert_eq!(ours, String::from_utf8_lossy(&real), "{{{a}..{b}{s}}}");
        }
    }
}
