//! The header of a database: what is in it, since when, and the digests that the rest is checked against.

use super::{BLOCK, BLOCK_DIGEST, PAGE, PER_BLOCK, Refusal, SIGNATURE};

/// The first bytes of the file.
const MAGIC: &[u8] = b"shellward threats\n";
/// The form that is written and read.
const FORMAT: u32 = 1;
/// Longest header: 32 bytes for each digest block, of which 200 MB have about 1,500.
pub(super) const MAX_HEADER: u32 = 4 << 20;
/// Longest text in a header.
const MAX_TEXT: usize = 200;

/// A feed that went into a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// How its own numbers are written: `#` stands for the number.
    pub reference: String,
    /// When it was got, in seconds since 1970.
    pub at: i64,
    /// How many records are from it.
    pub records: u64,
}

impl Source {
    /// The source's own name for a record.
    pub fn show(&self, reference: u32) -> Option<String> {
        // OSV numbers have a year.
        let year = (reference >> 24).saturating_add(2_000);
        let text = self.reference.replace('%', &format!("{year}-{}", reference & 0xFF_FFFF));
        (reference != 0 && !text.is_empty()).then(|| text.replace('#', &reference.to_string()))
    }
}

/// Everything that is known of a database without reading its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// What it calls itself.
    pub name: String,
    /// Its number: a later one has a greater one.
    pub version: u64,
    /// When it was made, in seconds since 1970.
    pub made: i64,
    /// When its time is over; 0 for never.
    pub expires: i64,
    /// The feeds that went into it.
    pub sources: Vec<Source>,
    /// How many records there are.
    pub records: u64,
    /// How many records of each kind of indicator there are, in the order of `Kind::ALL`.
    pub kinds: Vec<u64>,
    /// Which lengths of prefix its IPv4 networks have, a bit each.
    pub nets4: u64,
    /// Which lengths of prefix its IPv6 networks have.
    pub nets6: u128,
    /// Pages that fingerprints are spread over.
    pub homes: u32,
    /// Pages in all: those at the end take what did not fit.
    pub pages: u32,
    /// The digest of each digest block.
    pub blocks: Vec<[u8; BLOCK_DIGEST]>,
}

impl Header {
    /// True where its time is over.
    pub fn is_expired(&self, now: i64) -> bool {
        self.expires != 0 && now >= self.expires
    }
    /// Digest blocks that so many pages need.
    pub(super) fn blocks_of(pages: u32) -> u32 {
        pages.div_ceil(u32::try_from(PER_BLOCK).unwrap_or(u32::MAX))
    }
    /// Bytes of a file with a header of that length and so many pages.
    pub(super) fn file_length(header: u64, pages: u32) -> u64 {
        let of = |n: u32, size: usize| u64::from(n).saturating_mul(u64::try_from(size).unwrap_or(0));
        header
            .saturating_add(of(1, SIGNATURE))
            .saturating_add(of(Self::blocks_of(pages), BLOCK))
            .saturating_add(of(pages, PAGE))
    }

    /// The bytes that are signed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        text(&mut body, &self.name);
        body.extend(self.version.to_le_bytes());
        body.extend(self.made.to_le_bytes());
        body.extend(self.expires.to_le_bytes());
        body.extend(u8::try_from(self.sources.len()).unwrap_or(u8::MAX).to_le_bytes());
        for s in self.sources.iter().take(usize::from(u8::MAX)) {
            text(&mut body, &s.name);
            text(&mut body, &s.reference);
            body.extend(s.at.to_le_bytes());
            body.extend(s.records.to_le_bytes());
        }
        body.extend(self.records.to_le_bytes());
        body.extend(u8::try_from(self.kinds.len()).unwrap_or(u8::MAX).to_le_bytes());
        self.kinds.iter().for_each(|n| body.extend(n.to_le_bytes()));
        body.extend(self.nets4.to_le_bytes());
        body.extend(self.nets6.to_le_bytes());
        body.extend(self.homes.to_le_bytes());
        body.extend(self.pages.to_le_bytes());
        self.blocks.iter().for_each(|b| body.extend(b));

        let fixed = MAGIC.len().saturating_add(8);
        let length = u32::try_from(fixed.saturating_add(body.len())).unwrap_or(u32::MAX);
        let mut out = MAGIC.to_vec();
        out.extend(FORMAT.to_le_bytes());
        out.extend(length.to_le_bytes());
        out.extend(body);
        out
    }

    /// Bytes that have to be read to know the length of a header.
    pub(super) const fn prefix() -> usize {
        MAGIC.len() + 8
    }
    /// The length of the header that begins so.
    pub(super) fn length_of(prefix: &[u8]) -> Result<u32, Refusal> {
        let mut r = Reader(prefix);
        if r.take(MAGIC.len()) != Some(MAGIC) {
            return Err(Refusal::Foreign);
        }
        let format = r.u32().ok_or(Refusal::Foreign)?;
        if format != FORMAT {
            return Err(Refusal::Format(format));
        }
        r.u32().filter(|n| *n <= MAX_HEADER).ok_or(Refusal::Damaged("the header"))
    }

    /// Reads a header whose bytes have been checked.
    pub fn of_bytes(bytes: &[u8]) -> Result<Header, Refusal> {
        let length = Self::length_of(bytes)?;
        let whole = usize::try_from(length).is_ok_and(|n| n == bytes.len());
        let body = bytes.get(Self::prefix()..).filter(|_| whole);
        body.and_then(|b| Self::of_body(Reader(b))).ok_or(Refusal::Damaged("the header"))
    }

    fn of_body(mut r: Reader<'_>) -> Option<Header> {
        let mut h =
            Header { name: r.text()?, version: r.u64()?, made: r.i64()?, expires: r.i64()?, ..Header::default() };
        for _ in 0..r.u8()? {
            h.sources.push(Source { name: r.text()?, reference: r.text()?, at: r.i64()?, records: r.u64()? });
        }
        h.records = r.u64()?;
        for _ in 0..r.u8()? {
            h.kinds.push(r.u64()?);
        }
        h.nets4 = r.u64()?;
        h.nets6 = u128::from_le_bytes(r.array()?);
        h.homes = r.u32()?;
        h.pages = r.u32()?;
        for _ in 0..Self::blocks_of(h.pages) {
            h.blocks.push(r.array()?);
        }
        (r.0.is_empty() && h.homes > 0 && h.homes <= h.pages).then_some(h)
    }
}

/// A text with its length before it.
fn text(out: &mut Vec<u8>, text: &str) {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let text = text.get(..end).unwrap_or_default();
    out.push(u8::try_from(text.len()).unwrap_or(0));
    out.extend(text.as_bytes());
}

/// Takes bytes off the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }
    fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }
    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
    fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }
    fn text(&mut self) -> Option<String> {
        let n = self.u8()?;
        String::from_utf8(self.take(usize::from(n))?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let h = Header {
            name: "тест".into(),
            version: 7,
            made: 1,
            expires: 2,
            sources: vec![Source { name: "a".into(), reference: "MAL-%".into(), at: 3, records: 4 }],
            records: 4,
            kinds: vec![1, 0, 3],
            nets4: 1 << 24,
            nets6: 1 << 100,
            homes: 300,
            pages: 301,
            blocks: vec![[7; BLOCK_DIGEST]; 2],
        };
        let bytes = h.to_bytes();
        assert_eq!(Header::of_bytes(&bytes).unwrap(), h);
        for cut in 0..bytes.len() {
            assert!(Header::of_bytes(&bytes[..cut]).is_err(), "{cut}");
        }
        assert!(matches!(Header::of_bytes(b"#!/bin/sh\necho this is something else"), Err(Refusal::Foreign)));
        assert_eq!(h.sources[0].show(26 << 24 | 123), Some("MAL-2026-123".into()));
    }
}
