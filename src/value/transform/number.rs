//! Numbers as C's `strtoimax` and `printf` read and write them.
//!
//! In: an argument's text, a conversion. Out: the number, the field.

/// An argument read as a number, and whether all of it was one.
pub(super) struct Read {
    pub(super) value: i128,
    pub(super) whole: bool,
}

/// Reads an integer as shells' printf does: blanks, sign, `0x`, `0`; `'c` is the number of a character.
pub(super) fn integer(text: &[u8]) -> Read {
    if let [b'\'' | b'"', rest @ ..] = text {
        let first = rest.utf8_chunks().next();
        let value = match first.and_then(|c| c.valid().chars().next()) {
            Some(c) => i128::from(u32::from(c)),
            None => rest.first().map_or(0, |b| i128::from(*b)),
        };
        return Read { value, whole: true };
    }
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (base, digits) = match digits {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => (16, rest),
        [b'0', ..] => (8, digits),
        _ => (10, digits),
    };
    let mut value = 0i128;
    let mut used = 0usize;
    for b in digits {
        let Some(d) = char::from(*b).to_digit(base) else { break };
        value = value.saturating_mul(i128::from(base)).saturating_add(i128::from(d));
        used = used.saturating_add(1);
    }
    let whole = used == digits.len() && (used > 0 || text.is_empty());
    Read { value: if negative { value.saturating_neg() } else { value }, whole }
}

/// The flags, width and precision of a conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spec {
    pub(super) left: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) alternative: bool,
    pub(super) zero: bool,
    pub(super) width: usize,
    pub(super) precision: Option<usize>,
}

impl Spec {
    /// A field of text: cut to the precision, filled to the width with blanks (both in bytes).
    pub(super) fn text(&self, text: &[u8]) -> Vec<u8> {
        let cut = text.get(..self.precision.unwrap_or(usize::MAX)).unwrap_or(text);
        self.pad(b"", cut, false)
    }

    /// Fills to the width: blanks before or after, or zeros between the sign and the digits.
    pub(super) fn pad(&self, sign: &[u8], body: &[u8], zeros: bool) -> Vec<u8> {
        let fill = self.width.saturating_sub(sign.len()).saturating_sub(body.len());
        let mut out = Vec::with_capacity(self.width);
        if !self.left && !zeros {
            out.resize(fill, b' ');
        }
        out.extend_from_slice(sign);
        if !self.left && zeros {
            out.resize(out.len().saturating_add(fill), b'0');
        }
        out.extend_from_slice(body);
        if self.left {
            out.resize(out.len().saturating_add(fill), b' ');
        }
        out
    }

    pub(super) fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.plus, self.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (_, _, true) => b" ",
            _ => b"",
        }
    }

    /// A field of an integer: `d i u o x X`.
    pub(super) fn integer(&self, value: i128, conversion: u8) -> Vec<u8> {
        let (sign, number): (&[u8], u64) = match conversion {
            b'd' | b'i' => {
                let v = i64::try_from(value.clamp(i128::from(i64::MIN), i128::from(i64::MAX))).unwrap_or(0);
                (self.sign(v < 0), v.unsigned_abs())
            }
            _ => {
                let most = i128::from(u64::MAX);
                // A negative number wraps; one out of range is the largest.
                let inside = value.abs() <= most;
                (b"", if inside { u64::try_from(value & most).unwrap_or(u64::MAX) } else { u64::MAX })
            }
        };
        let mut digits = match conversion {
            b'o' => format!("{number:o}"),
            b'x' => format!("{number:x}"),
            b'X' => format!("{number:X}"),
            _ => number.to_string(),
        };
        if self.precision == Some(0) && number == 0 {
            digits.clear();
        }
        let least = self.precision.unwrap_or(0);
        if digits.len() < least {
            digits.insert_str(0, &"0".repeat(least.saturating_sub(digits.len())));
        }
        if self.alternative && conversion == b'o' && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let prefix: &[u8] = match conversion {
            b'x' if self.alternative && number != 0 => b"0x",
            b'X' if self.alternative && number != 0 => b"0X",
            _ => sign,
        };
        self.pad(prefix, digits.as_bytes(), self.zero && self.precision.is_none())
    }
}
