//! Encodings that stand beside the base programs: `openssl base64`, `uudecode`, `iconv`.
//!
//! In: encoded data. Out: the data. Not computed: ciphers, headers that name files, other character sets.

use super::super::Why;
use super::{Call, Output, base};

/// `openssl base64`, `openssl enc -base64`: options `-d -e -a -A -base64`.
pub(super) fn base64(call: &Call<'_>) -> Result<Output, Why> {
    let input = call.input();
    let one_line = call.has("-A");
    if !call.has("-d") {
        let mut out = base::encode64(&input);
        if !one_line {
            out = out.chunks(64).flat_map(|l| [l, b"\n"].concat()).collect();
        }
        return Output::computed(out);
    }
    // Without a newline in it, the data is not taken for encoded lines, and nothing is printed.
    if !one_line && !input.contains(&b'\n') {
        return Output::computed(Vec::new());
    }
    let body = input.strip_suffix(b"\n").unwrap_or(&input);
    let lines: Vec<&[u8]> = body.split(|b| *b == b'\n').collect();
    let whole = lines.iter().all(|l| l.len() <= 76 && l.len().is_multiple_of(4));
    let only_digits = body.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\n'));
    let filled = body.iter().position(|b| *b == b'=').is_none_or(|i| i.saturating_add(2) >= body.len());
    if !only_digits || !filled || if one_line { lines.len() > 1 || !body.len().is_multiple_of(4) } else { !whole } {
        return Err(Why::NotComputed("base64 lines"));
    }
    let (bytes, good) = base::decode64(body);
    if good { Output::computed(bytes) } else { Err(Why::NotComputed("base64 lines")) }
}

/// `uudecode -o -`, `uudecode -o /dev/stdout`: what stands between `begin` and `end`.
pub(super) fn uudecode(call: &Call<'_>) -> Result<Output, Why> {
    let input = call.input();
    let mut lines = input.split(|b| *b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l));
    let not = || Why::NotComputed("uuencoded text");
    let base64 = loop {
        let line = lines.next().ok_or_else(not)?;
        if line.starts_with(b"begin-base64 ") {
            break true;
        }
        if line.starts_with(b"begin ") {
            break false;
        }
    };
    let mut out = Vec::new();
    for line in lines {
        if base64 {
            if line == b"====" {
                return Output::computed(out);
            }
            let (bytes, good) = base::decode64(line);
            if !good {
                return Err(not());
            }
            out.extend(bytes);
            continue;
        }
        if line == b"end" {
            return Output::computed(out);
        }
        let value = |b: &u8| b.wrapping_sub(b' ') & 0x3f;
        let Some((first, rest)) = line.split_first() else { continue };
        let length = usize::from(value(first));
        let mut bytes = Vec::new();
        for group in rest.chunks(4) {
            let v = group.iter().fold(0u32, |n, b| n << 6 | u32::from(value(b)));
            let missing = u32::try_from(4usize.saturating_sub(group.len())).unwrap_or(0);
            let [_, a, b, c] = v.wrapping_shl(missing.saturating_mul(6)).to_be_bytes();
            bytes.extend([a, b, c]);
        }
        if bytes.len() < length {
            return Err(not());
        }
        bytes.truncate(length);
        out.extend(bytes);
    }
    Err(not())
}

/// `iconv` between UTF-8, ASCII, ISO 8859-1 and UTF-16: options `-f -t`.
pub(super) fn iconv(call: &Call<'_>) -> Result<Output, Why> {
    let not = || Why::NotComputed("character set");
    let name = |v: Option<&[u8]>| -> String {
        let text = String::from_utf8_lossy(v.unwrap_or(b"UTF-8")).to_ascii_uppercase();
        text.replace(['-', '_'], "")
    };
    let input = call.input();
    let text = match name(call.value("-f")).as_str() {
        "UTF8" => String::from_utf8(input.into_owned()).map_err(|_| not())?,
        "ASCII" | "USASCII" if input.is_ascii() => String::from_utf8(input.into_owned()).map_err(|_| not())?,
        "ISO88591" | "LATIN1" => input.iter().map(|b| char::from(*b)).collect(),
        set @ ("UTF16LE" | "UTF16BE" | "UTF16") => {
            if !input.len().is_multiple_of(2) {
                return Err(not());
            }
            let big = set == "UTF16BE" || set == "UTF16" && input.starts_with(&[0xfe, 0xff]);
            let marked = set == "UTF16" && (input.starts_with(&[0xfe, 0xff]) || input.starts_with(&[0xff, 0xfe]));
            let units = input.chunks_exact(2).skip(usize::from(marked)).map(|p| match (p, big) {
                ([a, b], true) => u16::from_be_bytes([*a, *b]),
                ([a, b], false) => u16::from_le_bytes([*a, *b]),
                _ => 0,
            });
            char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| not())?
        }
        _ => return Err(not()),
    };
    let out = match name(call.value("-t")).as_str() {
        "UTF8" => text.into_bytes(),
        "ASCII" | "USASCII" if text.is_ascii() => text.into_bytes(),
        "ISO88591" | "LATIN1" => {
            text.chars().map(|c| u8::try_from(u32::from(c))).collect::<Result<_, _>>().map_err(|_| not())?
        }
        "UTF16LE" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "UTF16BE" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => return Err(not()),
    };
    Output::computed(out)
}

#[cfg(test)]
mod tests {
    use super::super::check::{Rng, real, text};
    use super::super::{Call, run};

    #[test]
    fn agrees_with_openssl() {
        let mut rng = Rng::new(89);
        for i in 0..30 {
            let data = text(&mut rng).repeat(1 + i % 4);
            for extra in [&[][..], &["-A"]] {
                let words: Vec<&[u8]> =
                    std::iter::once(&b"base64"[..]).chain(extra.iter().map(|e| e.as_bytes())).collect();
                let Some((encoded, 0)) = real("openssl", &words, &data) else { return };
                let mut options: Vec<(&str, Option<&[u8]>)> = extra.iter().map(|e| (*e, None)).collect();
                let call = Call { options: &options, stdin: &data, ..Call::default() };
                assert_eq!(run("openssl.base64", &call).unwrap().bytes, encoded);
                options.push(("-d", None));
                let call = Call { options: &options, stdin: &encoded, ..Call::default() };
                assert_eq!(run("openssl.base64", &call).unwrap().bytes, data);
            }
        }
    }

    #[test]
    fn uuencoded_text_is_decoded() {
        let call = Call { stdin: b"begin 644 x\n#:&D*\n`\nend\n", ..Call::default() };
        assert_eq!(run("uudecode", &call).unwrap().bytes, b"hi\n");
        let call = Call { stdin: b"begin-base64 644 x\naGkK\n====\n", ..Call::default() };
        assert_eq!(run("uudecode", &call).unwrap().bytes, b"hi\n");
        assert!(run("uudecode", &Call { stdin: b"no", ..Call::default() }).is_err());
    }

    #[test]
    fn iconv_agrees() {
        for (f, t, data) in [
            ("UTF-8", "UTF-16LE", "aé€😀\n".as_bytes()),
            ("utf8", "latin1", "aé".as_bytes()),
            ("UTF-16LE", "UTF-8", b"r\0m\0\n\0"),
            ("UTF-16", "UTF-8", b"\xff\xfer\0m\0"),
            ("ISO-8859-1", "UTF-8", b"\xe9"),
        ] {
            let words: [&[u8]; 4] = [b"-f", f.as_bytes(), b"-t", t.as_bytes()];
            let Some((printed, 0)) = real("iconv", &words, data) else { continue };
            let options = [("-f", Some(f.as_bytes())), ("-t", Some(t.as_bytes()))];
            let ours = run("iconv", &Call { options: &options, stdin: data, ..Call::default() }).unwrap();
            assert_eq!(ours.bytes, printed, "{f} {t}");
        }
    }
}
