//! Digests of known text: `md5sum`, `sha1sum`, `sha256sum` and their kin, of standard input.
//!
//! In: the text. Out: the line that the program prints. Not computed: files by name, checking, other output formats.

use super::super::Why;
use super::{Call, Output};
use sha2::Digest;

fn hex<D: Digest>(text: &[u8]) -> String {
    D::digest(text).iter().map(|b| format!("{b:02x}")).collect()
}

/// The program of one algorithm: coreutils' `NAMEsum`.
fn line(call: &Call<'_>, digest: fn(&[u8]) -> String) -> Result<Output, Why> {
    if !call.files.is_empty() || !call.operands.iter().all(|o| *o == b"-") {
        return Err(Why::NotComputed("digest of a file"));
    }
    let mark = if call.has("-b") { " *-" } else { "  -" };
    let end = if call.has("-z") { '\0' } else { '\n' };
    Output::computed(format!("{}{mark}{end}", digest(call.stdin)).into_bytes())
}

pub(super) fn md5(call: &Call<'_>) -> Result<Output, Why> {
    line(call, hex::<md5::Md5>)
}
pub(super) fn sha1(call: &Call<'_>) -> Result<Output, Why> {
    line(call, hex::<sha1::Sha1>)
}
pub(super) fn sha224(call: &Call<'_>) -> Result<Output, Why> {
    line(call, hex::<sha2::Sha224>)
}
pub(super) fn sha256(call: &Call<'_>) -> Result<Output, Why> {
    line(call, hex::<sha2::Sha256>)
}
pub(super) fn sha384(call: &Call<'_>) -> Result<Output, Why> {
    line(call, hex::<sha2::Sha384>)
}
pub(super) fn sha512(call: &Call<'_>) -> Result<Output, Why> {
    line(call, hex::<sha2::Sha512>)
}

/// `shasum [-a ALGORITHM]`
pub(super) fn shasum(call: &Call<'_>) -> Result<Output, Why> {
    match call.value("-a") {
        None | Some(b"1") => sha1(call),
        Some(b"224") => sha224(call),
        Some(b"256") => sha256(call),
        Some(b"384") => sha384(call),
        Some(b"512") => sha512(call),
        Some(_) => Err(Why::NotComputed("algorithm")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Compare;

    #[test]
    fn digests_are_those_of_the_programs() {
        for (program, transform) in [
            ("md5sum", "digest.md5"),
            ("sha1sum", "digest.sha1"),
            ("sha224sum", "digest.sha224"),
            ("sha256sum", "digest.sha256"),
            ("sha384sum", "digest.sha384"),
            ("sha512sum", "digest.sha512"),
        ] {
            let mut c = Compare::new(program, transform);
            for text in [&b""[..], b"a", b"a\n", b"\0\xff\n\n", &[b'x'; 200]] {
                c.case(&[], &[], text);
                c.case(&[("-b", None)], &[], text);
            }
            c.finish(1.0);
        }
    }
}
