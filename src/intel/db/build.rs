//! Making a database.

use super::{
    BLOCK, DIGEST, Header, LOAD, PAGE, PAGE_HEAD, PER_BLOCK, PER_PAGE, RECORD, Raw, Record, Refusal, SIGNATURE, Source,
    home, sign,
};
use crate::intel::indicator::{Indicator, Kind};
use rayon::slice::ParallelSliceMut;
use sha2::{Digest, Sha256};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::net::IpAddr;
use std::path::Path;

/// What a database is to say of itself.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Its number: greater than that of every database before it.
    pub version: u64,
    /// When it is made, in seconds since 1970.
    pub made: i64,
    /// When its time is over; 0 for never.
    pub expires: i64,
}

/// Takes records and makes a database of them.
#[derive(Default)]
pub struct Builder {
    raw: Vec<Raw>,
    sources: Vec<Source>,
    kinds: Vec<u64>,
    nets4: u64,
    nets6: u128,
}

impl Builder {
    /// An empty one.
    pub fn new() -> Builder {
        Builder { kinds: vec![0; Kind::ALL.len()], ..Builder::default() }
    }
    /// Begins a source: the records that follow are from it. At most 255.
    pub fn source(&mut self, source: Source) -> Result<(), String> {
        if self.sources.len() >= usize::from(u8::MAX) {
            return Err("more than 255 sources".into());
        }
        self.sources.push(source);
        Ok(())
    }
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.raw.len()
    }
    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }
    /// Adds a record of the last source.
    pub fn add(&mut self, indicator: &Indicator, record: Record) {
        let source = self.sources.len().saturating_sub(1);
        let record = Record { source: u8::try_from(source).unwrap_or(u8::MAX), ..record };
        self.raw.push(record.to_raw(indicator.fingerprint()));
        if let Some(n) = Kind::ALL.iter().position(|k| *k == indicator.kind).and_then(|i| self.kinds.get_mut(i)) {
            *n = n.saturating_add(1);
        }
        if indicator.kind == Kind::Network
            && let Some((ip, length)) = indicator.key.split_once('/')
            && let (Ok(ip), Ok(length)) = (ip.parse::<IpAddr>(), length.parse::<u32>())
        {
            match ip {
                IpAddr::V4(_) => self.nets4 |= 1u64.checked_shl(length).unwrap_or(0),
                IpAddr::V6(_) => self.nets6 |= 1u128.checked_shl(length).unwrap_or(0),
            }
        }
    }

    /// Writes the database, not signed. The file appears whole or not at all.
    pub fn write(mut self, path: &Path, plan: &Plan) -> Result<Header, Refusal> {
        self.raw.par_sort_unstable();
        self.raw.dedup();
        // The same said twice by one source, on another day or under another number, is said once.
        self.raw.dedup_by(|a, b| a.get(..RECORD.saturating_sub(6)) == b.get(..RECORD.saturating_sub(6)));
        for raw in &self.raw {
            let source = Record::of_raw(raw).and_then(|r| self.sources.get_mut(usize::from(r.source)));
            if let Some(s) = source {
                s.records = s.records.saturating_add(1);
            }
        }
        let homes = u32::try_from(self.raw.len().div_ceil(LOAD).max(1)).unwrap_or(u32::MAX);
        let pages = pages_of(&self.raw, homes);
        let mut header = Header {
            name: plan.name.clone(),
            version: plan.version,
            made: plan.made,
            expires: plan.expires,
            sources: self.sources,
            records: u64::try_from(self.raw.len()).unwrap_or(u64::MAX),
            kinds: self.kinds,
            nets4: self.nets4,
            nets6: self.nets6,
            homes,
            pages,
            blocks: Vec::new(),
        };
        header.blocks = vec![[0; 32]; usize::try_from(Header::blocks_of(pages)).unwrap_or(0)];
        let head = header.to_bytes().len().saturating_add(SIGNATURE);
        let pages_at = head.saturating_add(header.blocks.len().saturating_mul(BLOCK));

        let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = dir.join(format!(".{name}.{}.new", std::process::id()));
        let written = write_all(&temporary, &self.raw, &mut header, head, pages_at);
        written.and_then(|()| std::fs::rename(&temporary, path)).inspect_err(|_| {
            // What is left of it is of no use; that it could not be removed changes nothing.
            let _ = std::fs::remove_file(&temporary);
        })?;
        Ok(header)
    }
}

/// How many pages it takes: as many as there are homes, and those behind them that the last ones run over into.
fn pages_of(raw: &[Raw], homes: u32) -> u32 {
    let mut at = Cursor::default();
    for r in raw {
        at.next(home(r, homes));
    }
    at.page.saturating_add(1).max(homes)
}

/// Where the next record goes: its own page, or the first one behind with room.
#[derive(Default)]
struct Cursor {
    page: u32,
    filled: usize,
}

impl Cursor {
    fn next(&mut self, home: u32) -> u32 {
        if home > self.page {
            (self.page, self.filled) = (home, 0);
        }
        if self.filled >= PER_PAGE {
            (self.page, self.filled) = (self.page.saturating_add(1), 0);
        }
        self.filled = self.filled.saturating_add(1);
        self.page
    }
}

fn write_all(path: &Path, raw: &[Raw], header: &mut Header, head: usize, pages_at: usize) -> std::io::Result<()> {
    let place = |n: usize| SeekFrom::Start(u64::try_from(n).unwrap_or(u64::MAX));
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    out.seek(place(pages_at))?;
    let mut digests: Vec<u8> = Vec::with_capacity(header.blocks.len().saturating_mul(BLOCK));
    let mut at = Cursor::default();
    let mut records = raw.iter().map(|r| (at.next(home(r, header.homes)), r)).peekable();
    for number in 0..header.pages {
        let mut page = Vec::with_capacity(PAGE);
        page.resize(PAGE_HEAD, 0);
        while let Some((_, r)) = records.next_if(|(n, _)| *n == number) {
            page.extend_from_slice(r);
        }
        let count = page.len().saturating_sub(PAGE_HEAD) / RECORD;
        page.resize(PAGE, 0);
        if let Some(first) = page.first_mut() {
            *first = u8::try_from(count).unwrap_or(0);
        }
        digests.extend(Sha256::digest(&page).iter().take(DIGEST));
        out.write_all(&page)?;
    }
    digests.resize(header.blocks.len().saturating_mul(PER_BLOCK).saturating_mul(DIGEST), 0);
    for (to, block) in header.blocks.iter_mut().zip(digests.chunks(BLOCK)) {
        *to = Sha256::digest(block).into();
    }
    out.seek(place(head))?;
    out.write_all(&digests)?;
    out.seek(SeekFrom::Start(0))?;
    let bytes = header.to_bytes();
    out.write_all(&bytes)?;
    out.write_all(&sign::unsigned(&bytes))?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()
}
