//! Backslash escapes, in the dialects of `$'…'`, echo and printf, and of the strings of small languages.
//!
//! In: text with escapes. Out: bytes. Facts: bash manual 3.1.2.4 and its `echo` and `printf`, dash(1), and what the
//! programs do. Floor 1; imports nothing.

/// Whose escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `$'…'` and `${x@E}`: quotes, `\cX`, octal without a leading zero; a NUL ends the text.
    AnsiC,
    /// `echo -e` of bash: octal as `\0nnn`, `\c` ends all output.
    BashEcho,
    /// The format of bash's printf: octal as `\nnn`, `\"`.
    BashFormat,
    /// `%b` of bash's printf: octal as `\nnn` and `\0nnn`, `\c` ends all output.
    BashB,
    /// `echo` and `%b` of dash: octal as `\nnn` and `\0nnn`, no hexadecimal, `\c` ends all output.
    Dash,
    /// The format of dash's printf.
    DashFormat,
    /// A string of C, Vim script, R and Julia: octal without a leading zero, `\u{…}`. Any other escape is its character.
    Code,
    /// A word of Tcl (Tcl(n), rule 9): one to eight digits after `\u` and `\U`, no `\e`.
    Tcl,
    /// A string of Emacs Lisp (its manual, 2.4.3): `\s` and `\d`, as many digits after `\x` as there are.
    Elisp,
}

/// The control characters that `a b f n r t v` stand for after a backslash, in C and in all that took its strings over.
pub const fn letter(c: u8) -> Option<u8> {
    Some(match c {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        _ => return None,
    })
}

/// What one escape stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// One byte.
    Byte(u8),
    /// A character by its number, in UTF-8.
    Char(u32),
    /// `\c`: nothing more is printed.
    Stop,
    /// No escape: the backslash stands for itself, the text goes on after it.
    None,
}

/// Reads the escape whose backslash was just passed; gives what it stands for and how many bytes it took.
pub fn escape(after: &[u8], dialect: Dialect) -> (Escape, usize) {
    use Dialect::{AnsiC, BashB, BashEcho, BashFormat, Code, Dash, DashFormat, Elisp, Tcl};
    let dash = matches!(dialect, Dash | DashFormat);
    let Some(&c) = after.first() else { return (Escape::None, 0) };
    if let Some(control) = letter(c) {
        return (Escape::Byte(control), 1);
    }
    let simple = match c {
        b'e' if dialect != Tcl => 27,
        b'E' if !dash && !matches!(dialect, Code | Tcl | Elisp) => 27,
        b's' if dialect == Elisp => b' ',
        b'd' if dialect == Elisp => 127,
        b'\\' => b'\\',
        b'\'' | b'"' | b'?' if matches!(dialect, AnsiC | BashFormat) => c,
        b'0' if matches!(dialect, BashEcho | BashB | Dash) => {
            let (value, n) = digits(after.get(1..).unwrap_or(&[]), 3, 8);
            return (Escape::Byte(low(value)), n.saturating_add(1));
        }
        b'0'..=b'7' if dialect != BashEcho => {
            let (value, n) = digits(after, 3, 8);
            return (Escape::Byte(low(value)), n);
        }
        b'x' if !dash => {
            let rest = after.get(1..).unwrap_or(&[]);
            let (value, used) = match rest.strip_prefix(b"{") {
                Some(inner) if matches!(dialect, AnsiC | Code) => {
                    let (value, n) = digits(inner, usize::MAX, 16);
                    let close = usize::from(inner.get(n) == Some(&b'}'));
                    (value, n.saturating_add(1).saturating_add(close))
                }
                _ => digits(rest, if dialect == Elisp { usize::MAX } else { 2 }, 16),
            };
            if dialect == Elisp && value > 0xff {
                return (Escape::Char(value), used.saturating_add(1));
            }
            return if used == 0 { (Escape::None, 0) } else { (Escape::Byte(low(value)), used.saturating_add(1)) };
        }
        b'u' | b'U' if !dash => {
            let rest = after.get(1..).unwrap_or(&[]);
            if let (Some(inner), Code) = (rest.strip_prefix(b"{"), dialect) {
                let (value, n) = digits(inner, 8, 16);
                let close = usize::from(inner.get(n) == Some(&b'}'));
                return (Escape::Char(value), n.saturating_add(2).saturating_add(close));
            }
            let (value, n) = digits(rest, if c == b'u' { 4 } else { 8 }, 16);
            return if n == 0 { (Escape::None, 0) } else { (Escape::Char(value), n.saturating_add(1)) };
        }
        b'c' if dialect == AnsiC => {
            return match (after.get(1), after.get(2)) {
                (Some(b'\\'), Some(b'\\')) => (Escape::Byte(0x1c), 3),
                (Some(b'?'), _) => (Escape::Byte(0x7f), 2),
                (Some(x), _) => (Escape::Byte(x.to_ascii_uppercase() & 0x1f), 2),
                (None, _) => (Escape::None, 0),
            };
        }
        b'c' if matches!(dialect, BashEcho | BashB | Dash) => return (Escape::Stop, 1),
        _ => return (Escape::None, 0),
    };
    (Escape::Byte(simple), 1)
}

fn low(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

/// Up to `most` digits: their value and number.
fn digits(text: &[u8], most: usize, base: u32) -> (u32, usize) {
    let mut value = 0u32;
    let mut n = 0usize;
    while n < most {
        let Some(d) = text.get(n).and_then(|b| char::from(*b).to_digit(base)) else { break };
        value = value.wrapping_mul(base).wrapping_add(d);
        n = n.saturating_add(1);
    }
    (value, n)
}

/// Appends a character by number as bash does: UTF-8, in its old form of up to six bytes for numbers that are no
/// character.
pub fn push_char(out: &mut Vec<u8>, number: u32) {
    if let Some(c) = char::from_u32(number) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    }
    let (lead, more): (u32, u32) = match number {
        0..=0xffff => (0xe0, 2),
        0x1_0000..=0x1f_ffff => (0xf0, 3),
        0x20_0000..=0x3ff_ffff => (0xf8, 4),
        _ => (0xfc, 5),
    };
    out.push(low(lead | number.wrapping_shr(more.saturating_mul(6))));
    for i in (0..more).rev() {
        out.push(low(0x80 | number.wrapping_shr(i.saturating_mul(6)) & 0x3f));
    }
}

/// Appends what the escape whose backslash was just passed stands for in a string of a language, where a backslash before
/// any other character is that character; gives how many bytes it took.
pub fn push_escape(out: &mut Vec<u8>, after: &[u8], dialect: Dialect) -> usize {
    match (escape(after, dialect), after.first()) {
        ((Escape::Byte(b), used), _) => {
            out.push(b);
            used
        }
        ((Escape::Char(number), used), _) => {
            push_char(out, number);
            used
        }
        ((Escape::Stop | Escape::None, _), Some(c)) => {
            out.push(*c);
            1
        }
        ((Escape::Stop | Escape::None, _), None) => 0,
    }
}

/// Decodes all escapes of a text; the second is true where `\c` ended it.
pub fn unescape(text: &[u8], dialect: Dialect) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&c, after)) = rest.split_first() {
        rest = after;
        if c != b'\\' {
            out.push(c);
            continue;
        }
        let (what, used) = escape(after, dialect);
        rest = after.get(used..).unwrap_or(&[]);
        match what {
            Escape::Byte(0) | Escape::Char(0) if dialect == Dialect::AnsiC => return (out, false),
            Escape::Byte(b) => out.push(b),
            Escape::Char(n) => push_char(&mut out, n),
            Escape::Stop => return (out, true),
            Escape::None => out.push(b'\\'),
        }
    }
    (out, false)
}

/// True where letters or digits are written as numeric escapes: `\x72`, `\162`, `\u0072`.
pub fn masks_letters(text: &[u8]) -> bool {
    let digits = |from: usize, base: u32, most: usize| -> Option<u32> {
        let all = text.get(from..)?.iter().take(most);
        let run: Vec<u32> = all.map_while(|b| char::from(*b).to_digit(base)).collect();
        (!run.is_empty()).then(|| run.iter().fold(0, |n: u32, d| n.wrapping_mul(base).wrapping_add(*d)))
    };
    let code = |at: usize| match text.get(at)? {
        b'x' => digits(at.saturating_add(1), 16, 2),
        b'u' => digits(at.saturating_add(1), 16, 4),
        b'U' => digits(at.saturating_add(1), 16, 8),
        b'0' => digits(at, 8, 4),
        b'1'..=b'7' => digits(at, 8, 3),
        _ => None,
    };
    let mut at = 0usize;
    while let Some(i) = text.get(at..).and_then(|t| t.iter().position(|b| *b == b'\\')) {
        let next = at.saturating_add(i).saturating_add(1);
        let letter = code(next).and_then(char::from_u32).is_some_and(|c| c.is_ascii_alphanumeric());
        if letter {
            return true;
        }
        at = next.saturating_add(1);
    }
    false
}

#[cfg(test)]
mod tests {
    #[test]
    fn letters_as_numbers_are_told_from_other_escapes() {
        for masked in [r"\x72m", r"a\162", r"\u0072", r"\0162", r"\\\x41"] {
            assert!(super::masks_letters(masked.as_bytes()), "{masked}");
        }
        for plain in [r"a\nb", r"\033[1m", r"\x1b[0m", r"\\x72", r"\e[31m", r"\x", ""] {
            assert!(!super::masks_letters(plain.as_bytes()), "{plain}");
        }
    }
}
