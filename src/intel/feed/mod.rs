//! Public feeds of threat data, read as they are published.
//!
//! In: a file (or for [`osv`] a folder of files). Out: indicators with their records, one after the other, so that no feed
//! has to fit into memory twice. What a feed has that is no indicator is counted and left out; a file that is not of the
//! format at all is an error. A format is one entry of [`FORMATS`].

mod abuse;
mod csv;
mod datadog;
mod lists;
mod osv;
mod phishtank;

use super::db::{Builder, Record, Source, Threat, day_of};
use super::indicator::Indicator;
use std::path::{Path, PathBuf};

/// A format of feeds.
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, and where it is from.
    pub about: &'static str,
    /// How its own numbers are written (see [`Source::reference`]).
    reference: &'static str,
    read: fn(&Path, &mut Sink<'_>) -> Result<(), FeedError>,
}

/// Every format.
pub const FORMATS: &[Format] = &[
    Format {
        name: "osv",
        about: "OSV records of malicious packages: a file or a folder of them (ossf/malicious-packages)",
        reference: "MAL-%",
        read: osv::read,
    },
    Format {
        name: "datadog",
        about: "manifest.json in a folder named by the ecosystem (DataDog/malicious-software-packages-dataset)",
        reference: "",
        read: datadog::read,
    },
    Format {
        name: "urlhaus",
        about: "URLs that spread malware, CSV or JSON (urlhaus.abuse.ch)",
        reference: "https://urlhaus.abuse.ch/url/#/",
        read: abuse::urlhaus,
    },
    Format {
        name: "feodo",
        about: "servers that control botnets, CSV or JSON (feodotracker.abuse.ch)",
        reference: "",
        read: abuse::feodo,
    },
    Format {
        name: "phishtank",
        about: "verified phishing pages, CSV or JSON (phishtank.org)",
        reference: "https://phishtank.org/phish_detail.php?phish_id=#",
        read: phishtank::read,
    },
    Format {
        name: "hosts",
        about: "hosts, domains, addresses and networks, one a line: plain, /etc/hosts, *.zone, ||zone^, dnsmasq",
        reference: "",
        read: lists::hosts,
    },
    Format {
        name: "tor",
        about: "exits of the Tor network: a list of addresses, or exit-addresses (check.torproject.org)",
        reference: "",
        read: lists::tor,
    },
    Format { name: "hashes", about: "hashes of malicious files, one a line", reference: "", read: lists::hashes },
    Format {
        name: "list",
        about: "anything, one a line: URL, host, address, network, hash, ECOSYSTEM:NAME[@VERSION]",
        reference: "",
        read: lists::anything,
    },
];

/// The format with that name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|f| f.name == name)
}

/// Why a feed could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    /// A file of it cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is not of the format.
    #[error("{} is not of the format {format}: {why}", path.display())]
    Wrong {
        /// Which.
        path: PathBuf,
        /// The format that it was to have.
        format: &'static str,
        /// What is wrong.
        why: String,
    },
    /// The database takes no more.
    #[error("{0}")]
    Full(String),
}

impl FeedError {
    fn io(path: &Path, error: std::io::Error) -> FeedError {
        FeedError::Io { path: path.to_path_buf(), error }
    }
    fn wrong(path: &Path, format: &'static str, why: impl ToString) -> FeedError {
        FeedError::Wrong { path: path.to_path_buf(), format, why: why.to_string() }
    }
}

/// Takes what a feed has.
struct Sink<'a> {
    builder: &'a mut Builder,
    read: u64,
    skipped: u64,
}

impl Sink<'_> {
    /// One entry; one that is no indicator is counted.
    fn add(&mut self, indicator: Option<Indicator>, threat: Threat, at: Option<i64>, reference: u32) {
        let Some(indicator) = indicator else {
            self.skipped = self.skipped.saturating_add(1);
            return;
        };
        self.read = self.read.saturating_add(1);
        self.builder.add(&indicator, Record { threat, source: 0, day: at.map_or(0, day_of), reference });
    }
}

/// What was read of a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Indicators.
    pub read: u64,
    /// Entries that are none.
    pub skipped: u64,
}

/// Reads a feed into a database that is being made. `name` is what findings call it.
pub fn read(format: &Format, path: &Path, name: &str, builder: &mut Builder) -> Result<Read, FeedError> {
    let changed = std::fs::metadata(path).and_then(|m| m.modified()).map_err(|e| FeedError::io(path, e))?;
    let at = changed.duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let source = Source {
        name: name.to_string(),
        reference: format.reference.to_string(),
        at: i64::try_from(at).unwrap_or(0),
        records: 0,
    };
    builder.source(source).map_err(FeedError::Full)?;
    let mut sink = Sink { builder, read: 0, skipped: 0 };
    (format.read)(path, &mut sink)?;
    Ok(Read { read: sink.read, skipped: sink.skipped })
}

/// Calls `each` with every line of a file, lossily as text, without its line break.
fn lines(path: &Path, mut each: impl FnMut(&str)) -> Result<(), FeedError> {
    use std::io::BufRead;
    /// Longest line that is looked at.
    const MAX_LINE: u64 = 1 << 20;
    let file = std::fs::File::open(path).map_err(|e| FeedError::io(path, e))?;
    let mut reader = std::io::BufReader::with_capacity(1 << 18, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let n = std::io::Read::take(&mut reader, MAX_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|e| FeedError::io(path, e))?;
        if n == 0 {
            return Ok(());
        }
        each(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
    }
}

/// A whole file as JSON.
fn json<T: serde::de::DeserializeOwned>(path: &Path, format: &'static str) -> Result<T, FeedError> {
    let bytes = std::fs::read(path).map_err(|e| FeedError::io(path, e))?;
    serde_json::from_slice(&bytes).map_err(|e| FeedError::wrong(path, format, e))
}

/// True where the first byte that is no blank begins a JSON value.
fn is_json(path: &Path) -> Result<bool, FeedError> {
    let mut head = [0u8; 256];
    let n = std::fs::File::open(path)
        .and_then(|mut f| std::io::Read::read(&mut f, &mut head))
        .map_err(|e| FeedError::io(path, e))?;
    let first = head.iter().take(n).find(|b| !b.is_ascii_whitespace());
    Ok(matches!(first, Some(b'{' | b'[')))
}

#[cfg(test)]
mod tests;
