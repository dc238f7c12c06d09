//! Reading a database where it lies.

use super::{
    BLOCK, BLOCK_DIGEST, DIGEST, Header, PAGE, PAGE_HEAD, PER_BLOCK, PER_PAGE, RECORD, Record, Refusal, SIGNATURE,
    home, sign,
};
use crate::intel::indicator::{FINGERPRINT, Fingerprint, Indicator, Kind, masked};
use minisign_verify::PublicKey;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read as _;
use std::net::IpAddr;
use std::path::Path;
use std::sync::OnceLock;

/// The keys whose signatures are trusted.
#[derive(Clone, Default)]
pub struct Keys {
    keys: Vec<PublicKey>,
    ids: Vec<String>,
}

impl Keys {
    /// Keys from a text: the public key files of minisign, one behind the other; lines that begin with # or with
    /// `untrusted comment:` are skipped. A line that is no key is an error.
    pub fn parse(text: &str) -> Result<Keys, String> {
        let mut out = Keys::default();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') || line.starts_with("untrusted comment:") {
                continue;
            }
            let key =
                PublicKey::from_base64(line).map_err(|e| format!("{line:?} is no public key of minisign: {e}"))?;
            out.keys.push(key);
            out.ids.push(sign::key_id(line));
        }
        Ok(out)
    }
    /// The ids of the keys.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Keys").field(&self.ids).finish()
    }
}

/// A database whose header has been checked.
#[derive(Debug)]
pub struct Database {
    file: File,
    header: Header,
    signer: Option<String>,
    /// Where the digest blocks begin.
    digests_at: u64,
    pages_at: u64,
    /// Digest blocks that have been read and checked.
    blocks: Vec<OnceLock<Box<[u8; BLOCK]>>>,
}

impl Database {
    /// Reads the first bytes and looks whether they are those of a database; gives them.
    pub fn begins(from: &mut dyn std::io::Read) -> Result<Vec<u8>, Refusal> {
        let mut head = Vec::new();
        let wanted = u64::try_from(Header::prefix()).unwrap_or(0);
        std::io::Read::take(from, wanted).read_to_end(&mut head)?;
        Header::length_of(&head)?;
        Ok(head)
    }
    /// Opens a database that one of the keys has signed, or, with `unsigned`, nobody.
    pub fn open(path: &Path, keys: &Keys, unsigned: bool) -> Result<Database, Refusal> {
        let file = File::open(path)?;
        let found = file.metadata()?.len();
        let bytes = sign::header_of(&file)?;
        let mut field = [0; SIGNATURE];
        let signature_at = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        read_at(&file, &mut field, signature_at).map_err(|_| Refusal::Signature)?;
        let signer = sign::check(&bytes, &field, &keys.keys)?;
        if signer.is_none() && !unsigned {
            return Err(Refusal::Unsigned);
        }
        let header = Header::of_bytes(&bytes)?;
        let expected = Header::file_length(signature_at, header.pages);
        if expected != found {
            return Err(Refusal::Length { expected, found });
        }
        let digests_at = signature_at.saturating_add(u64::try_from(SIGNATURE).unwrap_or(0));
        let blocks = header.blocks.iter().map(|_| OnceLock::new()).collect::<Vec<_>>();
        let pages_at = digests_at.saturating_add(offset(blocks.len(), BLOCK));
        Ok(Database { file, header, signer, digests_at, pages_at, blocks })
    }

    /// What is known of it.
    pub fn header(&self) -> &Header {
        &self.header
    }
    /// The id of the key that signed it.
    pub fn signer(&self) -> Option<&str> {
        self.signer.as_deref()
    }

    /// What it says of an indicator; for an IP address of the networks that it lies in, too.
    pub fn find(&self, indicator: &Indicator) -> Result<Vec<(Indicator, Record)>, Refusal> {
        let mut out = Vec::new();
        if self.has(indicator.kind) {
            let found = self.of_fingerprint(&indicator.fingerprint())?;
            out.extend(found.into_iter().map(|r| (indicator.clone(), r)));
        }
        if let (Kind::Ip, Ok(ip), true) = (indicator.kind, indicator.key.parse::<IpAddr>(), self.has(Kind::Network)) {
            let lengths = if ip.is_ipv4() { u128::from(self.header.nets4) } else { self.header.nets6 };
            for length in (0..128u8).filter(|n| lengths >> n & 1 == 1) {
                let Some(network) = Indicator::network(masked(ip, length), length) else { continue };
                let found = self.of_fingerprint(&network.fingerprint())?;
                out.extend(found.into_iter().map(|r| (network.clone(), r)));
            }
        }
        Ok(out)
    }

    /// True where it has some indicator of the kind.
    pub fn has(&self, kind: Kind) -> bool {
        let place = Kind::ALL.iter().position(|k| *k == kind);
        place.and_then(|i| self.header.kinds.get(i)).is_some_and(|n| *n > 0)
    }

    /// The records of a fingerprint.
    pub fn of_fingerprint(&self, wanted: &Fingerprint) -> Result<Vec<Record>, Refusal> {
        let mut out = Vec::new();
        let mut number = home(wanted, self.header.homes);
        let mut page = [0; PAGE];
        // A page that is full may go on in the next.
        while number < self.header.pages {
            self.page(number, &mut page)?;
            let records = records(&page)?;
            for raw in records.chunks_exact(RECORD) {
                let fingerprint = raw.get(..FINGERPRINT).unwrap_or_default();
                match fingerprint.cmp(wanted.as_slice()) {
                    std::cmp::Ordering::Less => {}
                    std::cmp::Ordering::Equal => out.extend(Record::of_raw(raw)),
                    std::cmp::Ordering::Greater => return Ok(out),
                }
            }
            if records.len() < PER_PAGE.saturating_mul(RECORD) {
                break;
            }
            number = number.saturating_add(1);
        }
        Ok(out)
    }

    /// Reads one page and checks it.
    fn page(&self, number: u32, page: &mut [u8; PAGE]) -> Result<(), Refusal> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let (block, within) = (number / PER_BLOCK, number % PER_BLOCK);
        let digests = self.block(block)?;
        let digest = digests.chunks_exact(DIGEST).nth(within);
        read_at(&self.file, page, self.pages_at.saturating_add(offset(number, PAGE)))?;
        let found = Sha256::digest(page.as_slice());
        if found.get(..DIGEST) != digest {
            return Err(Refusal::Damaged("a page"));
        }
        Ok(())
    }

    /// The digests of a block of pages, read and checked when first asked for.
    fn block(&self, number: usize) -> Result<&[u8; BLOCK], Refusal> {
        let cell = self.blocks.get(number).ok_or(Refusal::Damaged("a digest"))?;
        if let Some(block) = cell.get() {
            return Ok(block);
        }
        let mut block = Box::new([0; BLOCK]);
        read_at(&self.file, block.as_mut_slice(), self.digests_at.saturating_add(offset(number, BLOCK)))?;
        let wanted = self.header.blocks.get(number);
        let found: [u8; BLOCK_DIGEST] = Sha256::digest(block.as_slice()).into();
        if Some(&found) != wanted {
            return Err(Refusal::Damaged("a block of digests"));
        }
        Ok(cell.get_or_init(|| block))
    }

    /// Every fingerprint with its record, in order, each page checked. Stops at the first page that is damaged.
    pub fn all(&self) -> impl Iterator<Item = Result<(Fingerprint, Record), Refusal>> + '_ {
        (0..self.header.pages).flat_map(|number| {
            let mut page = [0; PAGE];
            let read = self.page(number, &mut page).and_then(|()| records(&page).map(<[u8]>::to_vec));
            let parsed = |raw: &[u8]| {
                let fingerprint = raw.get(..FINGERPRINT).and_then(|f| f.try_into().ok());
                fingerprint.zip(Record::of_raw(raw)).ok_or(Refusal::Damaged("a record"))
            };
            match read {
                Ok(records) => records.chunks_exact(RECORD).map(parsed).collect::<Vec<_>>(),
                Err(e) => vec![Err(e)],
            }
        })
    }

    /// Reads and checks everything.
    pub fn verify(&self) -> Result<(), Refusal> {
        self.verify_until(None).map(drop)
    }

    /// Reads and checks everything, or what can be before that time; true where it was everything.
    pub fn verify_until(&self, until: Option<std::time::Instant>) -> Result<bool, Refusal> {
        const STEP: u64 = 1_024;
        let mut count = 0u64;
        let mut last: Option<(Fingerprint, Record)> = None;
        for item in self.all() {
            let (fingerprint, record) = item?;
            if count.is_multiple_of(STEP) && until.is_some_and(|u| std::time::Instant::now() > u) {
                return Ok(false);
            }
            if last.is_some_and(|(f, _)| f > fingerprint) {
                return Err(Refusal::Damaged("the order of the records"));
            }
            last = Some((fingerprint, record));
            count = count.saturating_add(1);
        }
        if count == self.header.records { Ok(true) } else { Err(Refusal::Damaged("the number of records")) }
    }
}

/// The bytes of a page's records.
fn records(page: &[u8; PAGE]) -> Result<&[u8], Refusal> {
    let count = page.first().map_or(0, |n| usize::from(*n));
    let end = PAGE_HEAD.saturating_add(count.saturating_mul(RECORD));
    page.get(PAGE_HEAD..end).filter(|_| count <= PER_PAGE).ok_or(Refusal::Damaged("a page"))
}

fn offset(number: usize, size: usize) -> u64 {
    u64::try_from(number.saturating_mul(size)).unwrap_or(u64::MAX)
}

/// A length of a header as a number of bytes in memory.
pub(super) fn position(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Reads at a place, without moving the file's own: look-ups of many threads do not meet.
#[cfg(unix)]
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, at)
}

/// Reads at a place.
#[cfg(windows)]
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> std::io::Result<()> {
    let mut done = 0usize;
    while let Some(rest) = into.get_mut(done..).filter(|r| !r.is_empty()) {
        let n = std::os::windows::fs::FileExt::seek_read(file, rest, at.saturating_add(offset(done, 1)))?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        done = done.saturating_add(n);
    }
    Ok(())
}

/// Writes at a place.
#[cfg(unix)]
pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

/// Writes at a place.
#[cfg(windows)]
pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    let n = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
    if n == bytes.len() { Ok(()) } else { Err(std::io::ErrorKind::WriteZero.into()) }
}
