//! Text that holds markers, made fit for parsers that want UTF-8.
//!
//! In: the bytes of a nested program, in which `0xF8 DIGITS 0xF9` stands for a piece that is not known (eval puts it
//! there). Out: [`Readable`]: UTF-8 of the same length, so that spans hold, in which a marker is a letter of two bytes
//! with the same digits — a name in code, plain text in a literal — and the way back. A byte that is no UTF-8 becomes
//! `?`. Floor 2; imports `syntax::ast`.

use super::ast::Bytes;
use std::borrow::Cow;

/// First byte of a marker.
pub const OPEN: u8 = 0xF8;
/// Last byte of a marker.
pub const CLOSE: u8 = 0xF9;

/// Letters of two bytes that names may begin with in every language that is read here. The first that the text does not
/// hold stands for markers.
const LETTERS: [char; 6] = ['\u{1C3}', '\u{1C0}', '\u{1C1}', '\u{1C2}', '\u{1AA}', '\u{1BE}'];

/// A text as UTF-8 of the same length.
#[derive(Debug)]
pub struct Readable<'a> {
    text: Cow<'a, str>,
    /// What stands for a marker, where there are any.
    letter: Option<char>,
    /// The digits of the markers.
    numbers: Vec<String>,
}

impl<'a> Readable<'a> {
    /// Reads bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Readable { text: Cow::Borrowed(text), letter: None, numbers: Vec::new() };
        }
        let lossy = String::from_utf8_lossy(bytes);
        let letter = LETTERS.into_iter().find(|c| !lossy.contains(*c));
        let mut out = String::with_capacity(bytes.len());
        let mut numbers: Vec<String> = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let good = match std::str::from_utf8(rest) {
                Ok(s) => s,
                Err(e) => rest.get(..e.valid_up_to()).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or_default(),
            };
            out.push_str(good);
            rest = rest.get(good.len()..).unwrap_or_default();
            if let (Some(letter), Some(digits)) = (letter, digits(rest)) {
                out.push(letter);
                out.push_str(digits);
                // A letter of two bytes stands for the first byte and the last.
                rest = rest.get(digits.len().saturating_add(2)..).unwrap_or_default();
                if !numbers.iter().any(|n| n == digits) {
                    numbers.push(digits.to_string());
                }
            } else if !rest.is_empty() {
                out.push('?');
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        // The longest first: `5` must not be found in `57`.
        numbers.sort_by_key(|n| std::cmp::Reverse(n.len()));
        let letter = letter.filter(|_| !numbers.is_empty());
        Readable { text: Cow::Owned(out), letter, numbers }
    }
    /// The same with a line end behind its last line, for parsers that look for one without an end.
    #[must_use]
    pub fn whole_lines(mut self) -> Self {
        if !self.text.ends_with('\n') {
            self.text.to_mut().push('\n');
        }
        self
    }
    /// The text for the parser.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Whether a part of the text holds a marker.
    pub fn marked(&self, part: &str) -> bool {
        self.letter.is_some_and(|c| part.contains(c))
    }
    /// A part of the text (a literal's content, a name) with its markers put back.
    pub fn bytes(&self, part: &str) -> Bytes {
        let Some(letter) = self.letter.filter(|c| part.contains(*c)) else {
            return Bytes::from_slice(part.as_bytes());
        };
        let mut out = Bytes::new();
        let mut rest = part;
        while let Some((head, tail)) = rest.split_once(letter) {
            out.extend_from_slice(head.as_bytes());
            match self.numbers.iter().find(|n| tail.starts_with(n.as_str())) {
                Some(n) => {
                    out.push(OPEN);
                    out.extend_from_slice(n.as_bytes());
                    out.push(CLOSE);
                    rest = tail.get(n.len()..).unwrap_or_default();
                }
                None => {
                    out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                    rest = tail;
                }
            }
        }
        out.extend_from_slice(rest.as_bytes());
        out
    }
}

/// The digits of the marker that the text begins with.
fn digits(text: &[u8]) -> Option<&str> {
    let inner = text.strip_prefix(&[OPEN])?;
    let end = inner.iter().position(|b| !b.is_ascii_digit())?;
    if end == 0 || inner.get(end) != Some(&CLOSE) {
        return None;
    }
    std::str::from_utf8(inner.get(..end)?).ok()
}

/// The deepest nesting of brackets, in one pass: a bound for parsers that recurse. Quotes
/// and comments are not told apart, so it may be more than there is.
pub fn nesting(text: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut most = 0usize;
    for b in text {
        match b {
            b'(' | b'[' | b'{' => depth = depth.saturating_add(1),
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        most = most.max(depth);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_become_names_of_the_same_length_and_come_back() {
        let text = b"f('a\xF812\xF93', \xF81\xF9)\xFF";
        let r = Readable::new(text);
        assert_eq!(r.text().len(), text.len());
        assert_eq!(r.text(), "f('a\u{1C3}123', \u{1C3}1)?");
        assert!(r.marked("\u{1C3}1") && !r.marked("f"));
        assert_eq!(r.bytes("a\u{1C3}123").as_slice(), b"a\xF812\xF93");
    }

    #[test]
    fn a_text_that_holds_the_letter_takes_another_and_plain_text_is_not_copied() {
        let r = Readable::new("\u{1C3} \u{e4}".as_bytes());
        assert!(!r.marked("\u{1C3}"));
        let mixed = [("\u{1C3}1 ").as_bytes(), b"\xF81\xF9"].concat();
        let r = Readable::new(&mixed);
        assert_eq!(r.bytes(r.text()).as_slice(), mixed.as_slice());
    }

    #[test]
    fn nesting_counts_open_brackets() {
        assert_eq!(nesting(b"((()))[{}]"), 3);
        assert_eq!(nesting(b")))("), 1);
    }
}
