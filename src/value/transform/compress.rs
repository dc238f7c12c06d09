//! Decompression: gzip, zlib, bzip2, xz, lzma, zstd.
//!
//! In: compressed data. Out: what it holds, at most [`limits::MAX_VALUE`] bytes of it. Broken or cut-off data is not
//! computed (how much the programs print before they notice differs); bytes behind the end are passed over as they do.
//! Compressing is not computed: the bytes differ from version to version.

use super::super::Why;
use super::{Call, Output};
use crate::limits;
use std::io::Read;

/// Largest dictionary that is given memory, in bytes (`xz -9` has 64 MiB).
const MAX_DICTIONARY: u64 = 64 << 20;
const BROKEN: Why = Why::NotComputed("compressed data");

/// `gzip -d`
pub(super) fn gzip(call: &Call<'_>) -> Result<Output, Why> {
    each(call, gunzip)
}
/// `bzip2 -d`
pub(super) fn bzip2(call: &Call<'_>) -> Result<Output, Why> {
    each(call, bunzip2)
}
/// `xz -d`, also of the older lzma format.
pub(super) fn xz(call: &Call<'_>) -> Result<Output, Why> {
    each(call, unxz)
}
/// `zstd -d`
pub(super) fn zstd(call: &Call<'_>) -> Result<Output, Why> {
    each(call, unzstd)
}
/// `zlib-flate -uncompress`, `openssl zlib -d`, `pigz -dz`
pub(super) fn zlib(call: &Call<'_>) -> Result<Output, Why> {
    each(call, |data| read(flate2::read::ZlibDecoder::new(data)))
}
/// Whatever the data says it is.
pub(super) fn any(call: &Call<'_>) -> Result<Output, Why> {
    each(call, |data| match data {
        [0x1f, 0x8b, ..] => gunzip(data),
        [b'B', b'Z', b'h', ..] => bunzip2(data),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => unzstd(data),
        _ => unxz(data),
    })
}

fn each(call: &Call<'_>, decode: impl Fn(&[u8]) -> Result<Vec<u8>, Why>) -> Result<Output, Why> {
    let mut out = Vec::new();
    for (data, _) in call.inputs() {
        out.extend_from_slice(&decode(data)?);
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    Output::computed(out)
}

/// Reads all of a decoder, within the limit.
fn read(from: impl Read) -> Result<Vec<u8>, Why> {
    let mut out = Vec::new();
    let most = u64::try_from(limits::MAX_VALUE).unwrap_or(u64::MAX).saturating_add(1);
    from.take(most).read_to_end(&mut out).map_err(|_| BROKEN)?;
    if out.len() > limits::MAX_VALUE { Err(Why::Limit) } else { Ok(out) }
}

fn gunzip(mut data: &[u8]) -> Result<Vec<u8>, Why> {
    let mut out = Vec::new();
    // Members follow one another; what follows the last one and is none is passed over with a warning.
    while data.starts_with(&[0x1f, 0x8b]) {
        let mut decoder = flate2::bufread::GzDecoder::new(data);
        out.extend(read(&mut decoder)?);
        data = decoder.into_inner();
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    if out.is_empty() && !data.is_empty() { Err(BROKEN) } else { Ok(out) }
}

fn bunzip2(mut data: &[u8]) -> Result<Vec<u8>, Why> {
    let mut out = Vec::new();
    let mut any = false;
    while data.starts_with(b"BZh") {
        let mut decoder = bzip2::bufread::BzDecoder::new(data);
        out.extend(read(&mut decoder)?);
        data = decoder.into_inner();
        any = true;
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    if any { Ok(out) } else { Err(BROKEN) }
}

fn unzstd(data: &[u8]) -> Result<Vec<u8>, Why> {
    let mut rest = data;
    let decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest).map_err(|_| BROKEN)?;
    let out = read(decoder)?;
    if rest.is_empty() { Ok(out) } else { Err(BROKEN) }
}

fn unxz(data: &[u8]) -> Result<Vec<u8>, Why> {
    let Some(rest) = data.strip_prefix(b"\xfd7zXZ\0") else {
        // The older format has no mark; its first byte is nearly always this.
        if data.first() != Some(&0x5d) {
            return Err(BROKEN);
        }
        let memory = u32::try_from(MAX_DICTIONARY >> 9).unwrap_or(u32::MAX);
        return read(lzma_rust2::LzmaReader::new_mem_limit(data, memory, None).map_err(|_| BROKEN)?);
    };
    let check = match rest.get(1).ok_or(BROKEN)? & 0x0f {
        0 => 0usize,
        1..=3 => 4,
        4..=6 => 8,
        7..=9 => 16,
        10..=12 => 32,
        _ => 64,
    };
    let mut rest = rest.get(6..).ok_or(BROKEN)?;
    let mut out = Vec::new();
    // Blocks, up to the index, which begins with a zero.
    while let Some(&size) = rest.first().filter(|b| **b != 0) {
        let length = usize::from(size).saturating_add(1).saturating_mul(4);
        let (header, body) = rest.split_at_checked(length).ok_or(BROKEN)?;
        let dictionary = dictionary(header).ok_or(BROKEN)?;
        if dictionary > MAX_DICTIONARY {
            return Err(Why::Limit);
        }
        let mut left = body;
        let decoder = lzma_rust2::Lzma2Reader::new(&mut left, u32::try_from(dictionary).unwrap_or(u32::MAX), None);
        out.extend(read(decoder)?);
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
        let used = body.len().saturating_sub(left.len());
        let padded = used.saturating_add(3) & !3;
        rest = body.get(padded.saturating_add(check)..).ok_or(BROKEN)?;
    }
    if rest.is_empty() { Err(BROKEN) } else { Ok(out) }
}

/// The dictionary size from a block header, where LZMA2 is its only filter.
fn dictionary(header: &[u8]) -> Option<u64> {
    let flags = *header.get(1)?;
    if flags & 3 != 0 {
        return None;
    }
    let mut at = 2usize;
    for bit in [0x40, 0x80] {
        if flags & bit != 0 {
            // A size, seven bits in a byte.
            while header.get(at)? & 0x80 != 0 {
                at = at.saturating_add(1);
            }
            at = at.saturating_add(1);
        }
    }
    let [0x21, 1, bits] = header.get(at..at.saturating_add(3))? else { return None };
    let base = 2u64 | u64::from(bits & 1);
    Some(base.wrapping_shl(u32::from(bits >> 1).saturating_add(11)).max(4096)).filter(|_| *bits < 40)
}

#[cfg(test)]
mod tests {
    use super::super::check::{Rng, real, text};
    use super::super::{Call, run};
    use super::*;

    #[test]
    fn undoes_what_the_programs_do() {
        let mut rng = Rng::new(67);
        let all: [(&str, &[&[u8]], &str); 6] = [
            ("gzip", &[b"-c"], "gzip.decode"),
            ("bzip2", &[b"-c"], "bzip2.decode"),
            ("xz", &[b"-c"], "xz.decode"),
            ("xz", &[b"-9c", b"--check=sha256"], "xz.decode"),
            ("xz", &[b"-c", b"--format=lzma"], "xz.decode"),
            ("zstd", &[b"-qc"], "zstd.decode"),
        ];
        for (program, args, transform) in all {
            for i in 0..6 {
                let data = text(&mut rng).repeat(1 + i * 40);
                let Some((packed, 0)) = real(program, args, &data) else { continue };
                for name in [transform, "decompress"] {
                    let call = Call { stdin: &packed, ..Call::default() };
                    assert_eq!(run(name, &call).unwrap().bytes, data, "{program} {i}");
                }
                // Broken data is an answer, too, and never a panic.
                for _ in 0..40 {
                    let mut broken = packed.clone();
                    let at = rng.below(broken.len() as u64) as usize;
                    broken[at] ^= 1 << rng.below(8);
                    broken.truncate(1 + rng.below(broken.len() as u64) as usize);
                    let _ = run(transform, &Call { stdin: &broken, ..Call::default() });
                }
            }
        }
    }

    #[test]
    fn bombs_are_limited() {
        for (program, args, transform) in [
            ("gzip", &[&b"-9c"[..]], "gzip.decode"),
            ("xz", &[b"-c"], "xz.decode"),
            ("zstd", &[b"-qc"], "zstd.decode"),
            ("bzip2", &[b"-c"], "bzip2.decode"),
        ] {
            let data = vec![0; limits::MAX_VALUE + 1];
            let Some((packed, 0)) = real(program, args, &data) else { continue };
            assert_eq!(run(transform, &Call { stdin: &packed, ..Call::default() }), Err(Why::Limit), "{program}");
        }
    }
}
