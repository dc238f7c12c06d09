//! Base encodings: `base64`, `base32`, `basenc` of coreutils.
//!
//! In: data or its encoding. Out: the other. Decoding is as lenient as the programs: newlines are skipped, with `-i` all
//! that is no digit; broken input gives what was decoded before, and a status.

use super::super::Why;
use super::{Call, Output, count};

/// One encoding: its digits and how many bits each carries.
#[derive(Clone, Copy)]
struct Encoding {
    digits: &'static [u8],
    bits: u32,
    /// Digits in a whole group, filled up with `=`; 1 where there is no filling.
    group: usize,
}

const BASE64: Encoding =
    Encoding { digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bits: 6, group: 4 };
const BASE64URL: Encoding =
    Encoding { digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", bits: 6, group: 4 };
const BASE32: Encoding = Encoding { digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, group: 8 };
const BASE32HEX: Encoding = Encoding { digits: b"0123456789ABCDEFGHIJKLMNOPQRSTUV", bits: 5, group: 8 };
const BASE16: Encoding = Encoding { digits: b"0123456789ABCDEF", bits: 4, group: 2 };
const BASE2: Encoding = Encoding { digits: b"01", bits: 1, group: 8 };

/// `base64`: options `-d -i -w`.
pub(super) fn base64(call: &Call<'_>) -> Result<Output, Why> {
    either(call, BASE64, call.has("-d"))
}
/// `base64 -d` under a name of its own.
pub(super) fn base64_decode(call: &Call<'_>) -> Result<Output, Why> {
    either(call, BASE64, true)
}
/// `base32`: options `-d -i -w`.
pub(super) fn base32(call: &Call<'_>) -> Result<Output, Why> {
    either(call, BASE32, call.has("-d"))
}
/// `base32 -d` under a name of its own.
pub(super) fn base32_decode(call: &Call<'_>) -> Result<Output, Why> {
    either(call, BASE32, true)
}
/// `basenc`: options `--base64 --base64url --base32 --base32hex --base16 --base2msbf -d -i -w`.
pub(super) fn basenc(call: &Call<'_>) -> Result<Output, Why> {
    let encoding = call.options.iter().rev().find_map(|(n, _)| {
        Some(match *n {
            "--base64" => BASE64,
            "--base64url" => BASE64URL,
            "--base32" => BASE32,
            "--base32hex" => BASE32HEX,
            "--base16" => BASE16,
            "--base2msbf" => BASE2,
            _ => return None,
        })
    });
    either(call, encoding.ok_or(Why::NotComputed("encoding"))?, call.has("-d"))
}

fn either(call: &Call<'_>, e: Encoding, decoding: bool) -> Result<Output, Why> {
    let input = call.input();
    if decoding {
        let (bytes, good) = decode(&input, e, call.has("-i"));
        return Ok(Output::computed(bytes)?.with_status(u8::from(!good)));
    }
    let wrap = call.value("-w").map_or(Ok(76), count)?;
    let mut out = Vec::new();
    let mut column = 0usize;
    for d in encode(&input, e) {
        if wrap > 0 && column == wrap {
            out.push(b'\n');
            column = 0;
        }
        out.push(d);
        column = column.saturating_add(1);
    }
    if wrap > 0 && !out.is_empty() {
        out.push(b'\n');
    }
    Output::computed(out)
}

/// Base64 without line breaks.
pub(super) fn encode64(input: &[u8]) -> Vec<u8> {
    encode(input, BASE64)
}

/// Base64 decoded; the second is false where it is broken.
pub(super) fn decode64(input: &[u8]) -> (Vec<u8>, bool) {
    decode(input, BASE64, false)
}

fn encode(input: &[u8], e: Encoding) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut held, mut bits) = (0u32, 0u32);
    let digit = |n: u32| usize::try_from(n).ok().and_then(|n| e.digits.get(n)).copied().unwrap_or(b'=');
    let mask = 1u32.wrapping_shl(e.bits).wrapping_sub(1);
    for b in input {
        held = (held << 8 | u32::from(*b)) & 0xff_ffff;
        bits = bits.saturating_add(8);
        while bits >= e.bits {
            bits = bits.saturating_sub(e.bits);
            out.push(digit(held.wrapping_shr(bits) & mask));
        }
    }
    if bits > 0 {
        out.push(digit(held.wrapping_shl(e.bits.saturating_sub(bits)) & mask));
    }
    while !out.len().is_multiple_of(e.group) {
        out.push(b'=');
    }
    out
}

/// Decodes as coreutils does; the second is false where the input is broken.
fn decode(input: &[u8], e: Encoding, ignore_garbage: bool) -> (Vec<u8>, bool) {
    let value = |b: u8| e.digits.iter().position(|d| *d == b).and_then(|n| u32::try_from(n).ok());
    let mut out = Vec::new();
    let mut group: Vec<u8> = Vec::with_capacity(e.group);
    for &b in input {
        if b == b'\n' || ignore_garbage && b != b'=' && value(b).is_none() {
            continue;
        }
        group.push(b);
        if group.len() == e.group {
            if !decode_group(&group, e, &value, &mut out) {
                return (out, false);
            }
            group.clear();
        }
    }
    let good = group.is_empty();
    if !good {
        decode_group(&group, e, &value, &mut out);
    }
    (out, good)
}

/// Decodes one group: as many bytes as its digits give; false where it is not whole and right.
fn decode_group(group: &[u8], e: Encoding, value: &dyn Fn(u8) -> Option<u32>, out: &mut Vec<u8>) -> bool {
    // base32 and the encodings without filling give nothing of a group that is cut off.
    if group.len() < e.group && e.bits != 6 {
        return false;
    }
    let digits = group.iter().take_while(|b| value(**b).is_some()).count();
    let filled = group.iter().skip(digits).all(|b| *b == b'=');
    let (mut held, mut bits, mut made) = (0u64, 0u32, 0usize);
    for b in group.iter().take(digits) {
        held = held << e.bits | u64::from(value(*b).unwrap_or(0));
        bits = bits.saturating_add(e.bits);
        if bits >= 8 {
            bits = bits.saturating_sub(8);
            out.push(held.wrapping_shr(bits).to_le_bytes()[0]);
            made = made.saturating_add(1);
        }
    }
    // So many digits can stand before the filling.
    let fits = match (e.group, digits) {
        (4, 2..=4) => true,
        (8, 2 | 4 | 5 | 7 | 8) if e.bits == 5 => true,
        (n, d) => n == d,
    };
    made > 0 && fits && group.len() == e.group && filled
}

#[cfg(test)]
mod tests {
    use super::super::check::{Compare, Rng, text};

    #[test]
    fn agrees_with_the_programs() {
        let mut rng = Rng::new(31);
        for (program, transform) in [("base64", "base64"), ("base32", "base32")] {
            let mut c = Compare::new(program, transform);
            for _ in 0..250 {
                let data = text(&mut rng);
                let wrap = *rng.pick(&[Some("0"), Some("5"), Some("76"), None]);
                let mut options: Vec<(&str, Option<&[u8]>)> = Vec::new();
                options.extend(wrap.map(|w| ("-w", Some(w.as_bytes()))));
                c.case(&options, &[], &data);
                let encoded = super::super::run(
                    transform,
                    &super::super::Call { stdin: &data, options: &options, ..Default::default() },
                )
                .unwrap()
                .bytes;
                // Whole, cut off, and with garbage.
                let cut = encoded.len() - (rng.below(4) as usize).min(encoded.len());
                let mut broken = encoded[..cut].to_vec();
                if rng.below(3) == 0 && !broken.is_empty() {
                    let at = rng.below(broken.len() as u64) as usize;
                    broken.insert(at, *rng.pick(b"!= \n-a\r"));
                }
                let ignore = rng.below(3) == 0;
                let decode: &[(&str, Option<&[u8]>)] =
                    if ignore { &[("-d", None), ("-i", None)] } else { &[("-d", None)] };
                c.case(decode, &[], &broken);
            }
            c.finish(0.99);
        }
        let mut c = Compare::new("basenc", "basenc");
        for name in ["--base64url", "--base16", "--base32hex", "--base2msbf"] {
            for _ in 0..40 {
                let data = text(&mut rng);
                c.case(&[(name, None)], &[], &data);
                let call = super::super::Call { stdin: &data, options: &[(name, None)], ..Default::default() };
                let encoded = super::super::run("basenc", &call).unwrap().bytes;
                c.case(&[(name, None), ("-d", None)], &[], &encoded);
            }
        }
        c.finish(0.99);
    }
}
