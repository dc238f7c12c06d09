//! Decimal fractions, exactly: the floating-point conversions of printf.
//!
//! In: an argument's text and a conversion `f e g`. Out: the field, where it does not depend on how the machine rounds
//! the number to binary; `None` where it may.

use super::number::Spec;

/// Digits that binary formats keep for sure.
const SURE: usize = 15;

/// `0.d1d2d3… × 10^exponent`
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

/// Reads a decimal number; the second is false where text is left behind it.
fn read(text: &[u8]) -> Option<(Decimal, bool)> {
    let text = text.trim_ascii_start();
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    // Hexadecimal, infinity, not a number, and characters are left to the machine.
    if matches!(rest, [b'0', b'x' | b'X', ..] | [b'i' | b'I' | b'n' | b'N' | b'\'' | b'"', ..]) {
        return None;
    }
    let mut digits = Vec::new();
    let mut exponent = 0i64;
    let mut point = false;
    let mut any = false;
    let mut at = 0usize;
    while let Some(&b) = rest.get(at) {
        match b {
            b'0'..=b'9' => {
                any = true;
                if !(digits.is_empty() && b == b'0') {
                    digits.push(b.saturating_sub(b'0'));
                    exponent = exponent.saturating_add(i64::from(!point));
                } else if point {
                    exponent = exponent.saturating_sub(1);
                }
            }
            b'.' if !point => point = true,
            _ => break,
        }
        at = at.saturating_add(1);
    }
    if !any {
        return (text.is_empty()).then_some((Decimal { negative: false, digits, exponent: 0 }, true));
    }
    if let Some(b'e' | b'E') = rest.get(at) {
        let tail = rest.get(at.saturating_add(1)..).unwrap_or(&[]);
        let sign = usize::from(matches!(tail.first(), Some(b'+' | b'-')));
        let number = tail.get(sign..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii_digit()).count();
        if number > 4 {
            return None;
        }
        if number > 0 {
            let end = sign.saturating_add(number);
            let e: i64 = std::str::from_utf8(tail.get(..end)?).ok()?.trim_start_matches('+').parse().ok()?;
            exponent = exponent.saturating_add(e);
            at = at.saturating_add(1).saturating_add(end);
        }
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    if digits.is_empty() {
        exponent = 0;
    }
    (digits.len() <= SURE && exponent.unsigned_abs() < 300)
        .then_some((Decimal { negative, digits, exponent }, at == rest.len()))
}

impl Decimal {
    /// The digits rounded after `keep` of them (which may be none); `None` where the machine decides.
    fn rounded(&self, keep: i64) -> Option<Decimal> {
        let mut out = Decimal { negative: self.negative, digits: self.digits.clone(), exponent: self.exponent };
        let keep_digits = usize::try_from(keep.max(0)).ok()?;
        if keep < 0 {
            out.digits.clear();
            return Some(out);
        }
        if keep_digits >= self.digits.len() {
            // More digits than the machine keeps would show its rounding.
            let shown = usize::try_from(keep).ok()?;
            return (shown <= 17 || self.digits.is_empty() || self.is_integer()).then_some(out);
        }
        let (kept, cut) = self.digits.split_at_checked(keep_digits)?;
        let up = match cut {
            [5] => {
                // A tie is a tie in binary only where the number is one: then the even digit wins.
                if !self.is_dyadic()? {
                    return None;
                }
                kept.last().is_some_and(|d| d % 2 == 1)
            }
            [d, ..] => *d >= 5,
            [] => false,
        };
        out.digits = kept.to_vec();
        if up {
            let mut i = out.digits.len();
            loop {
                let Some(before) = i.checked_sub(1) else {
                    out.digits.insert(0, 1);
                    out.digits.truncate(keep_digits.max(1));
                    out.exponent = out.exponent.saturating_add(1);
                    if keep_digits == 0 {
                        out.digits = vec![1];
                    }
                    break;
                };
                let d = out.digits.get_mut(before)?;
                if *d == 9 {
                    *d = 0;
                    i = before;
                } else {
                    *d = d.saturating_add(1);
                    break;
                }
            }
        }
        Some(out)
    }

    fn is_integer(&self) -> bool {
        i64::try_from(self.digits.len()).is_ok_and(|n| n <= self.exponent)
    }

    /// True where the number is a fraction of a power of two.
    fn is_dyadic(&self) -> Option<bool> {
        let places = i64::try_from(self.digits.len()).ok()?.saturating_sub(self.exponent);
        if places <= 0 {
            return Some(true);
        }
        let number = self.digits.iter().fold(0u64, |n, d| n.saturating_mul(10).saturating_add(u64::from(*d)));
        let fives = 5u64.checked_pow(u32::try_from(places).ok()?)?;
        Some(number.checked_rem(fives)? == 0)
    }

    fn digit(&self, i: i64) -> u8 {
        usize::try_from(i).ok().and_then(|i| self.digits.get(i)).map_or(b'0', |d| d.saturating_add(b'0'))
    }

    fn fixed(&self, places: usize) -> String {
        let mut s = String::new();
        if self.exponent <= 0 {
            s.push('0');
        }
        for i in 0..self.exponent.max(0) {
            s.push(char::from(self.digit(i)));
        }
        if places > 0 {
            s.push('.');
            for i in 0..i64::try_from(places).unwrap_or(0) {
                s.push(char::from(self.digit(self.exponent.saturating_add(i))));
            }
        }
        s
    }

    fn scientific(&self, places: usize, letter: char) -> String {
        let mut s = String::from(char::from(self.digit(0)));
        if places > 0 {
            s.push('.');
            for i in 1..=i64::try_from(places).unwrap_or(0) {
                s.push(char::from(self.digit(i)));
            }
        }
        let e = if self.digits.is_empty() { 0 } else { self.exponent.saturating_sub(1) };
        s.push_str(&format!("{letter}{}{:02}", if e < 0 { '-' } else { '+' }, e.unsigned_abs()));
        s
    }
}

/// The field of a conversion, and whether all of the argument was a number.
pub(super) fn field(text: &[u8], spec: &Spec, conversion: u8) -> Option<(Vec<u8>, bool)> {
    let (number, whole) = read(text)?;
    let precision = spec.precision.unwrap_or(6);
    if precision > 1000 {
        return None;
    }
    let places = i64::try_from(precision).ok()?;
    let upper = conversion.is_ascii_uppercase();
    let letter = if upper { 'E' } else { 'e' };
    let mut body = match conversion.to_ascii_lowercase() {
        b'f' => number.rounded(number.exponent.saturating_add(places))?.fixed(precision),
        b'e' => number.rounded(places.saturating_add(1))?.scientific(precision, letter),
        b'g' => {
            let significant = places.max(1);
            let r = number.rounded(significant)?;
            let x = if r.digits.is_empty() { 0 } else { r.exponent.saturating_sub(1) };
            let mut s = if x < -4 || x >= significant {
                r.scientific(usize::try_from(significant.saturating_sub(1)).ok()?, letter)
            } else {
                r.fixed(usize::try_from(significant.saturating_sub(1).saturating_sub(x)).ok()?)
            };
            if !spec.alternative && s.contains('.') {
                let (mantissa, tail) = match s.find(letter) {
                    Some(i) => s.split_at(i),
                    None => (s.as_str(), ""),
                };
                s = format!("{}{tail}", mantissa.trim_end_matches('0').trim_end_matches('.'));
            }
            s
        }
        _ => return None,
    };
    if spec.alternative && !body.contains('.') {
        return None;
    }
    body = body.to_string();
    Some((spec.pad(spec.sign(number.negative), body.as_bytes(), spec.zero), whole))
}
