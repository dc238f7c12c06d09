//! Lines of any input, in bounded memory: a line over the limit is read to its end and dropped.

use std::io::{BufRead, BufReader, ErrorKind, Read};

/// One line was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The whole of it.
    Whole,
    /// It has more bytes than the limit and was dropped.
    TooLong,
}

/// Reads lines.
pub struct Lines<R> {
    input: BufReader<R>,
    most: usize,
    /// Bytes read so far.
    pub bytes: u64,
}

impl<R: Read> Lines<R> {
    /// Lines of at most `most` bytes.
    pub fn new(input: R, most: usize) -> Self {
        Lines { input: BufReader::with_capacity(256 << 10, input), most, bytes: 0 }
    }

    /// Reads the next line without its newline into `line`. `None` at the end of the input.
    pub fn next(&mut self, line: &mut Vec<u8>) -> std::io::Result<Option<Line>> {
        line.clear();
        let mut kind = Line::Whole;
        let mut any = false;
        loop {
            let chunk = match self.input.fill_buf() {
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                other => other?,
            };
            if chunk.is_empty() {
                return Ok(any.then_some(kind));
            }
            any = true;
            let end = memchr::memchr(b'\n', chunk);
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
            if line.len().saturating_add(part.len()) > self.most {
                kind = Line::TooLong;
                *line = Vec::new();
            }
            if kind == Line::Whole {
                line.extend_from_slice(part);
            }
            let used = part.len().saturating_add(usize::from(end.is_some()));
            self.input.consume(used);
            self.bytes = self.bytes.saturating_add(u64::try_from(used).unwrap_or(0));
            if end.is_some() {
                return Ok(Some(kind));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_dropped_and_the_rest_is_read() {
        let mut lines = Lines::new(&b"abcd\n\nabcdefg\nab"[..], 5);
        let mut line = Vec::new();
        let mut got = Vec::new();
        while let Some(kind) = lines.next(&mut line).unwrap() {
            got.push((kind, line.clone()));
        }
        let want = [(Line::Whole, "abcd"), (Line::Whole, ""), (Line::TooLong, ""), (Line::Whole, "ab")];
        assert_eq!(got, want.map(|(k, t)| (k, t.as_bytes().to_vec())));
        assert_eq!(lines.bytes, 16);
    }
}
