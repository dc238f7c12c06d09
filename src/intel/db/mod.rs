//! The database of threat data: one signed file that is read where it lies.
//!
//! ```text
//! header      signed: version, times, sources, counts, and the digest of every digest block
//! signature   512 bytes: a minisign signature of the header, or the header's SHA-256 where it is not signed; then zeros
//! digests     blocks of 4,096 bytes: 256 digests of 16 bytes, one for each page
//! pages       512 bytes: how many records, 11 zeros, up to 25 records of 20 bytes in the order of their fingerprints
//! ```
//!
//! Opening reads and checks the header only. A look-up works out from the fingerprint which page it is on, reads the
//! block with that page's digest (once) and the page, and checks both before it believes them: a change of any bit is
//! found when it is used, and [`Database::verify`] reads everything. Nothing is mapped into memory, nothing is parsed
//! but the header, and records are found whatever their number by one read.

mod build;
mod header;
mod read;
pub mod sign;

pub use build::{Builder, Plan};
pub use header::{Header, Source};
pub use read::{Database, Keys};

use crate::intel::indicator::{FINGERPRINT, Fingerprint};

/// Bytes of a page.
const PAGE: usize = 512;
/// Bytes before its records.
const PAGE_HEAD: usize = 12;
/// Bytes of a record.
const RECORD: usize = FINGERPRINT + 8;
/// Records that fit.
const PER_PAGE: usize = (PAGE - PAGE_HEAD) / RECORD;
/// Records of a page when the database is built, on the average: room for those that chance puts together.
const LOAD: usize = 20;
/// Bytes of a digest of a page.
const DIGEST: usize = 16;
/// Bytes of a block of digests.
const BLOCK: usize = 4_096;
/// Digests in a block.
const PER_BLOCK: usize = BLOCK / DIGEST;
/// Bytes of the digest of a block.
const BLOCK_DIGEST: usize = 32;
/// Bytes of the signature.
const SIGNATURE: usize = 512;

crate::effect::named! {
    /// What an indicator is listed for.
    Threat {
        /// Malicious software.
        Malware = "malware",
        /// A page that asks for secrets in another's name.
        Phishing = "phishing",
        /// A server that controls infected machines.
        Control = "command and control",
        /// A package made to harm whoever installs it.
        Package = "malicious package",
        /// A way out of the Tor network: anyone may be behind it.
        TorExit = "Tor exit",
        /// It is on a list that says no more.
        Listed = "listed",
    }
}

/// What a database says of one indicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// What it is listed for.
    pub threat: Threat,
    /// Which of the database's sources says so.
    pub source: u8,
    /// When it was reported, in days since 2000-01-01; 0 where that is not known.
    pub day: u16,
    /// The source's own number for it; 0 where it has none.
    pub reference: u32,
}

/// A record as it stands in a page.
type Raw = [u8; RECORD];

impl Record {
    fn to_raw(self, fingerprint: Fingerprint) -> Raw {
        let mut out = [0; RECORD];
        let threat = Threat::ALL.iter().position(|t| *t == self.threat).and_then(|i| u8::try_from(i).ok()).unwrap_or(0);
        let [d0, d1] = self.day.to_le_bytes();
        let [r0, r1, r2, r3] = self.reference.to_le_bytes();
        let tail = [self.source, threat, d0, d1, r0, r1, r2, r3];
        out.iter_mut().zip(fingerprint.into_iter().chain(tail)).for_each(|(o, b)| *o = b);
        out
    }
    fn of_raw(raw: &[u8]) -> Option<Record> {
        let &[source, threat, d0, d1, r0, r1, r2, r3] = raw.get(FINGERPRINT..)? else { return None };
        Some(Record {
            threat: *Threat::ALL.get(usize::from(threat))?,
            source,
            day: u16::from_le_bytes([d0, d1]),
            reference: u32::from_le_bytes([r0, r1, r2, r3]),
        })
    }
    /// When it was reported, in seconds since 1970.
    pub fn reported(&self) -> Option<i64> {
        (self.day > 0).then(|| DAY_ZERO.saturating_add(i64::from(self.day)).saturating_mul(86_400))
    }
}

/// 2000-01-01 in days since 1970.
const DAY_ZERO: i64 = 10_957;

/// A point in time as a record keeps it.
pub fn day_of(seconds: i64) -> u16 {
    u16::try_from(seconds.div_euclid(86_400).saturating_sub(DAY_ZERO)).unwrap_or(0)
}

/// The page of `pages` where a fingerprint belongs.
fn home(fingerprint: &[u8], pages: u32) -> u32 {
    let head = fingerprint.iter().take(8).fold(0u64, |n, b| n << 8 | u64::from(*b));
    u32::try_from((u128::from(head) * u128::from(pages)) >> 64).unwrap_or(0)
}

/// Why a database is not used.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is something else.
    #[error("is no threat database")]
    Foreign,
    /// It is of a form that this version does not know.
    #[error("has the format {0}, which this version does not read")]
    Format(u32),
    /// Its end is missing, or there is more than there should be.
    #[error("is truncated or has more than belongs to it: {found} bytes in place of {expected}")]
    Length {
        /// Bytes that it should have.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// It has no signature.
    #[error("is not signed")]
    Unsigned,
    /// It is signed by someone who is not trusted.
    #[error("is signed by the key {0}, which is not trusted")]
    Key(String),
    /// No key is trusted.
    #[error("cannot be checked: no key is trusted")]
    NoKeys,
    /// The signature is not that of this header.
    #[error("is damaged or forged: the signature does not fit")]
    Signature,
    /// A part is not what was signed.
    #[error("is damaged or forged: {0} does not have the digest that was signed")]
    Damaged(&'static str),
    /// It is older than what is there.
    #[error("is older than the one in use: version {offered} after {installed}")]
    Older {
        /// The version that is in use, or was.
        installed: u64,
        /// The one that was offered.
        offered: u64,
    },
    /// It is the one that is there.
    #[error("is the one in use already: version {0}")]
    Same(u64),
    /// Its time is over.
    #[error("has expired on {0}")]
    Expired(String),
    /// It was made later than now.
    #[error("was made in the future, on {0}")]
    Future(String),
}
