//! Inputs: files and standard input, compressed or not, as one stream of bytes each, and what is wrong with them.

use super::format::{Columns, Format};
use crate::effect::Language;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// Where an input's bytes are.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// One input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where its bytes are.
    pub origin: Origin,
    /// Its format, where it is not to be found out.
    pub format: Option<&'static Format>,
    /// Only to be read where its format is known for sure: it was found in a directory, not named.
    pub only_known: bool,
    /// What formats with columns are told.
    pub columns: Columns,
    /// Whose history it is, where the file does not say.
    pub user: Option<Arc<str>>,
    /// The shell of its commands, where the format does not say.
    pub shell: Language,
    /// The home directory of its user.
    pub home: Option<String>,
}

impl Input {
    /// Its name in reports.
    pub fn name(&self) -> Arc<str> {
        match &self.origin {
            Origin::File(path) => path.to_string_lossy().into(),
            Origin::Stdin => "-".into(),
        }
    }

    /// Opens it. Of a regular file at most what it has now is read: something may be writing to it.
    pub fn open(&self) -> std::io::Result<Box<dyn Read>> {
        match &self.origin {
            Origin::Stdin => inflated(Box::new(std::io::stdin())),
            Origin::File(path) => {
                let file = File::open(path)?;
                let about = file.metadata()?;
                if about.is_dir() {
                    return Err(std::io::ErrorKind::IsADirectory.into());
                }
                if about.is_file() {
                    let length = about.len();
                    return inflated(Box::new(file.take(length)));
                }
                inflated(Box::new(file))
            }
        }
    }
}

/// Undoes compression, by the first bytes: gzip, zstd, xz, bzip2.
fn inflated(mut raw: Box<dyn Read>) -> std::io::Result<Box<dyn Read>> {
    let mut head = Vec::new();
    raw.by_ref().take(6).read_to_end(&mut head)?;
    let kind = head.clone();
    let whole = std::io::Cursor::new(head).chain(raw);
    Ok(match kind.as_slice() {
        [0x1F, 0x8B, ..] => Box::new(flate2::read::MultiGzDecoder::new(whole)),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(whole).map_err(std::io::Error::other)?;
            Box::new(decoder)
        }
        [0xFD, b'7', b'z', b'X', b'Z', 0] => Box::new(lzma_rust2::XzReader::new(whole, true)),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Box::new(bzip2::read::MultiBzDecoder::new(whole)),
        _ => Box::new(whole),
    })
}

/// True for bytes that no list of commands begins with: many control characters.
pub fn is_binary(head: &[u8]) -> bool {
    let odd = head.iter().filter(|b| **b < 7 || matches!(**b, 14..=26 | 28..=31)).count();
    odd.saturating_mul(20) > head.len()
}
