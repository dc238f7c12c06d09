//! Bytes → text in which everything can be seen.
//!
//! A terminal obeys control characters, and a reader does not see bidirectional or zero-width ones; a report that
//! prints them as they are shows another command than the one that would run. In: bytes. Out: text with control pictures
//! for the C0 controls, `<U+202E>` for what has no glyph, `<0xFF>` for bytes that are no UTF-8, and for every byte the
//! place in that text where it is shown. Floor 8.

use crate::redact::{self, Secret};
use std::fmt::Write;

/// A text and where each byte of its original stands in it.
#[derive(Debug)]
pub struct Visible {
    /// What is shown.
    pub text: String,
    /// For each byte of the original, and its end, the offset in `text`.
    places: Vec<usize>,
}

impl Visible {
    /// The text for these bytes. Newlines and tabs stay.
    pub fn new(bytes: &[u8]) -> Visible {
        Visible::hiding(bytes, &[])
    }

    /// The text for these bytes, with these secrets, in order, replaced.
    pub fn hiding(bytes: &[u8], secrets: &[Secret]) -> Visible {
        let mut out = Visible {
            text: String::with_capacity(bytes.len()),
            places: Vec::with_capacity(bytes.len().saturating_add(1)),
        };
        let mut at = 0;
        for secret in secrets {
            out.plain(bytes.get(at..secret.start).unwrap_or_default());
            if let Some(hidden) = bytes.get(secret.start..secret.end) {
                out.places.extend(std::iter::repeat_n(out.text.len(), hidden.len()));
                out.text.push_str(&format!("[redacted:{}:{}]", secret.kind, redact::fingerprint(hidden)));
                at = secret.end;
            }
        }
        out.plain(bytes.get(at..).unwrap_or_default());
        out.places.push(out.text.len());
        out
    }

    fn plain(&mut self, bytes: &[u8]) {
        let Visible { text, places } = self;
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                places.extend(std::iter::repeat_n(text.len(), c.len_utf8()));
                push(text, c);
            }
            for b in chunk.invalid() {
                places.push(text.len());
                // Writing to a string cannot fail.
                let _ = write!(text, "<0x{b:02X}>");
            }
        }
    }

    /// The range of the text that shows this range of the original, clipped to what there is.
    pub fn range(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        let at = |i: usize| self.places.get(i).copied().unwrap_or(self.text.len());
        let start = at(start);
        start..at(end).max(start)
    }
}

/// One line of text for people, with nothing invisible in it and no line breaks.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('␊'),
            '\t' => out.push('␉'),
            c => push(&mut out, c),
        }
    }
    out
}

/// Several lines of text for people, with nothing invisible in it.
pub fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push(&mut out, c));
    out
}

fn push(out: &mut String, c: char) {
    match c {
        '\n' | '\t' => out.push(c),
        // U+2400 has the pictures of the C0 controls in their order.
        '\0'..='\x1F' => out.push(char::from_u32(0x2400 | u32::from(c)).unwrap_or('\u{FFFD}')),
        '\x7F' => out.push('␡'),
        c if invisible(c) => {
            // Writing to a string cannot fail.
            let _ = write!(out, "<U+{:04X}>", u32::from(c));
        }
        c => out.push(c),
    }
}

/// True for characters without a glyph: C1 controls, general category Cf, the separators that break lines, spaces other
/// than U+0020 (no shell splits at them), blank letters and variation selectors.
fn invisible(c: char) -> bool {
    matches!(u32::from(c),
        0x80..=0xA0 | 0xAD | 0x34F | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2
        | 0x115F..=0x1160 | 0x1680 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x2000..=0x200F | 0x2028..=0x202F
        | 0x205F..=0x206F | 0x2800 | 0x3000 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
        | 0x110BD | 0x110CD | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_hidden() {
        let shown = Visible::new("a\x1b[2J\r\u{202E}\u{200B}é\u{A0}".as_bytes());
        assert_eq!(shown.text, "a␛[2J␍<U+202E><U+200B>é<U+00A0>");
        assert_eq!(line("a\nb\tc\0"), "a␊b␉c␀");
        assert_eq!(lines("a\nb\u{85}"), "a\nb<U+0085>");
    }

    #[test]
    fn every_byte_has_its_place() {
        let bytes = b"x\xFF\xC3\xA9\x01y";
        let shown = Visible::new(bytes);
        assert_eq!(shown.text, "x<0xFF>é␁y");
        let of = |a, b| &shown.text[shown.range(a, b)];
        assert_eq!((of(0, 1), of(1, 2), of(2, 4), of(4, 5), of(5, 6)), ("x", "<0xFF>", "é", "␁", "y"));
        assert_eq!((of(6, 9), of(3, 2)), ("", ""));
    }
}
