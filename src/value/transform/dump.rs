//! Dumps: `od` and `hexdump`, in the forms that are usual.
//!
//! In: data, the format options. Out: the dump. Not computed: floating point, several formats at once, strings.

use super::super::Why;
use super::{Call, Output};
use crate::limits;

/// How one unit of a dump is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hex,
    Octal,
    Unsigned,
    Signed,
    Char,
}

#[derive(Clone, Copy)]
struct Format {
    kind: Kind,
    size: usize,
    /// The text column of `-t x1z`.
    text: bool,
}

/// Dumps on either of two programs.
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    if matches!(call.program, "hexdump" | "hd") { hexdump(call) } else { od(call) }
}

fn number(text: &[u8]) -> Result<usize, Why> {
    let text = std::str::from_utf8(text).map_err(|_| Why::NotComputed("number"))?;
    let parsed = match text.strip_prefix("0x") {
        Some(h) => usize::from_str_radix(h, 16),
        None if text.len() > 1 && text.starts_with('0') => usize::from_str_radix(text, 8),
        None => text.parse(),
    };
    parsed.map_err(|_| Why::NotComputed("number"))
}

/// The value of a unit, least byte first; what is missing at the end counts as zero.
fn value(unit: &[u8]) -> u64 {
    unit.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

fn show(f: Format, unit: &[u8]) -> String {
    let v = value(unit);
    let bits = u32::try_from(f.size).unwrap_or(8).saturating_mul(8);
    match f.kind {
        Kind::Hex => format!("{v:0width$x}", width = f.size.saturating_mul(2)),
        Kind::Octal => format!("{v:0width$o}", width = width(f)),
        Kind::Unsigned => v.to_string(),
        Kind::Signed => {
            let shift = 64u32.saturating_sub(bits);
            (v.wrapping_shl(shift).cast_signed() >> shift).to_string()
        }
        Kind::Char => character(unit.first().copied().unwrap_or(0)),
    }
}

/// The digits that the largest value has.
fn width(f: Format) -> usize {
    match (f.kind, f.size) {
        (Kind::Hex, n) => n.saturating_mul(2),
        (Kind::Char, _) | (Kind::Octal | Kind::Unsigned, 1) => 3,
        (Kind::Signed, 1) => 4,
        (Kind::Octal, 2) | (Kind::Signed, 2) => 6,
        (Kind::Unsigned, 2) => 5,
        (Kind::Octal | Kind::Signed, 4) => 11,
        (Kind::Unsigned, 4) => 10,
        (Kind::Octal, _) => 22,
        (Kind::Unsigned | Kind::Signed, _) => 20,
    }
}

fn character(b: u8) -> String {
    match b {
        0 => "\\0".into(),
        7 => "\\a".into(),
        8 => "\\b".into(),
        9 => "\\t".into(),
        10 => "\\n".into(),
        11 => "\\v".into(),
        12 => "\\f".into(),
        13 => "\\r".into(),
        0x20..=0x7e => char::from(b).to_string(),
        b => format!("{b:03o}"),
    }
}

fn printable(bytes: &[u8]) -> String {
    bytes.iter().map(|b| if matches!(b, 0x20..=0x7e) { char::from(*b) } else { '.' }).collect()
}

/// The options that skip and cut: `-j`/`-s` and `-N`/`-n`.
fn part<'a>(data: &'a [u8], skip: Option<&[u8]>, length: Option<&[u8]>) -> Result<(usize, &'a [u8]), Why> {
    let skip = skip.map_or(Ok(0), number)?;
    let data = data.get(skip..).ok_or(Why::NotComputed("skip past the end"))?;
    let n = length.map_or(Ok(data.len()), number)?;
    Ok((skip, data.get(..n).unwrap_or(data)))
}

fn od(call: &Call<'_>) -> Result<Output, Why> {
    let mut formats = Vec::new();
    for (name, v) in call.options {
        let (kind, size) = match *name {
            "-t" => {
                formats.push(od_type(v.unwrap_or(b""))?);
                continue;
            }
            "-b" => (Kind::Octal, 1),
            "-c" => (Kind::Char, 1),
            "-d" => (Kind::Unsigned, 2),
            "-o" => (Kind::Octal, 2),
            "-s" => (Kind::Signed, 2),
            "-x" => (Kind::Hex, 2),
            "-i" => (Kind::Signed, 4),
            "-l" => (Kind::Signed, 8),
            "-a" | "-f" | "-C" => return Err(Why::NotComputed("format")),
            _ => continue,
        };
        formats.push(Format { kind, size, text: false });
    }
    let f = match formats.as_slice() {
        [] => Format { kind: Kind::Octal, size: 2, text: false },
        [one] => *one,
        _ => return Err(Why::NotComputed("several formats")),
    };
    let radix = match call.value("-A") {
        None => b'o',
        Some([r @ (b'o' | b'x' | b'd' | b'n')]) => *r,
        Some(_) => return Err(Why::NotComputed("radix")),
    };
    let address = |n: usize| match radix {
        b'o' => format!("{n:07o}"),
        b'x' => format!("{n:06x}"),
        b'd' => format!("{n:07}"),
        _ => String::new(),
    };
    let row = match call.options.iter().rev().find(|o| o.0 == "-w") {
        Some((_, Some(w))) => number(w)?,
        Some((_, None)) => 32,
        None => 16,
    };
    if row == 0 || !row.is_multiple_of(f.size) || row > 4096 {
        return Err(Why::NotComputed("width"));
    }
    let input = call.input();
    let (skip, data) = part(&input, call.value("-j"), call.value("-N"))?;
    let column = width(f).saturating_add(1);
    let mut out = String::new();
    let mut before: Option<&[u8]> = None;
    let mut starred = false;
    for (i, line) in data.chunks(row).enumerate() {
        if !call.has("-v") && before == Some(line) {
            if !starred {
                out.push_str("*\n");
            }
            starred = true;
            continue;
        }
        (before, starred) = (Some(line), false);
        out.push_str(&address(skip.saturating_add(i.saturating_mul(row))));
        let mut body = String::new();
        for unit in line.chunks(f.size) {
            body.push_str(&format!("{:>column$}", show(f, unit)));
        }
        if f.text {
            let full = row.checked_div(f.size).unwrap_or(0).saturating_mul(column);
            body = format!("{body:full$}  >{}<", printable(line));
        }
        out.push_str(&body);
        out.push('\n');
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    if radix != b'n' {
        out.push_str(&address(skip.saturating_add(data.len())));
        out.push('\n');
    }
    Output::computed(out.into_bytes())
}

fn od_type(text: &[u8]) -> Result<Format, Why> {
    let (text, shown) = text.strip_suffix(b"z").map_or((text, false), |t| (t, true));
    let (kind, size) = text.split_first().ok_or(Why::NotComputed("format"))?;
    let kind = match kind {
        b'x' => Kind::Hex,
        b'o' => Kind::Octal,
        b'u' => Kind::Unsigned,
        b'd' => Kind::Signed,
        b'c' => Kind::Char,
        _ => return Err(Why::NotComputed("format")),
    };
    let size = match (kind, size) {
        (Kind::Char, b"") | (_, b"1" | b"C") => 1,
        (_, b"2" | b"S") => 2,
        (_, b"" | b"4" | b"I") => 4,
        (_, b"8" | b"L") => 8,
        _ => return Err(Why::NotComputed("format")),
    };
    if kind == Kind::Char && size != 1 {
        return Err(Why::NotComputed("format"));
    }
    Ok(Format { kind, size, text: shown })
}

fn hexdump(call: &Call<'_>) -> Result<Output, Why> {
    let input = call.input();
    let (skip, data) = part(&input, call.value("-s"), call.value("-n").or(call.value("-N")))?;
    if let Some(format) = call.value("-e") {
        // Without -v, equal lines become a star; which lines those are depends on the format.
        if !call.has("-v") && data.len() > 16 {
            return Err(Why::NotComputed("squeezed dump"));
        }
        return formatted(data, format);
    }
    let canonical = call.has("-C") || call.program == "hd";
    let f = |kind, size| Format { kind, size, text: false };
    let (format, column) = match () {
        () if canonical => (f(Kind::Hex, 1), 3),
        () if call.has("-b") => (f(Kind::Octal, 1), 4),
        () if call.has("-c") => (f(Kind::Char, 1), 4),
        () if call.has("-d") => (f(Kind::Unsigned, 2), 8),
        () if call.has("-o") => (f(Kind::Octal, 2), 8),
        () if call.has("-x") => (f(Kind::Hex, 2), 8),
        () => (f(Kind::Hex, 2), 5),
    };
    let digits = if canonical { 8 } else { 7 };
    let mut out = String::new();
    let mut before: Option<&[u8]> = None;
    let mut starred = false;
    for (i, line) in data.chunks(16).enumerate() {
        if !call.has("-v") && before == Some(line) {
            if !starred {
                out.push_str("*\n");
            }
            starred = true;
            continue;
        }
        (before, starred) = (Some(line), false);
        out.push_str(&format!("{:0digits$x}", skip.saturating_add(i.saturating_mul(16))));
        let mut body = String::new();
        for (n, unit) in line.chunks(format.size).enumerate() {
            let shown = match format.kind {
                Kind::Unsigned => format!("{:05}", value(unit)),
                _ => show(format, unit),
            };
            let gap = if canonical && n.is_multiple_of(8) { 4 } else { column };
            body.push_str(&format!("{shown:>gap$}"));
        }
        if canonical {
            out.push_str(&format!("{body:50}  |{}|\n", printable(line)));
        } else {
            let full = 16usize.checked_div(format.size).unwrap_or(0).saturating_mul(column);
            out.push_str(&format!("{body:full$}\n"));
        }
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    if !data.is_empty() {
        out.push_str(&format!("{:0digits$x}\n", skip.saturating_add(data.len())));
    }
    Output::computed(out.into_bytes())
}

/// `hexdump -e '1/1 "%02x"'`: one conversion for each byte, and the data a whole number of rows.
fn formatted(data: &[u8], format: &[u8]) -> Result<Output, Why> {
    let not = || Why::NotComputed("dump format");
    let text = std::str::from_utf8(format).map_err(|_| not())?.trim();
    let (head, rest) = text.split_once('"').ok_or_else(not)?;
    let (inner, tail) = rest.split_once('"').ok_or_else(not)?;
    let (times, size) = head.trim().split_once('/').ok_or_else(not)?;
    if size.trim() != "1" || !tail.trim().is_empty() || !matches!(times.trim(), "" | "1") {
        return Err(not());
    }
    let (before, spec) = inner.split_once('%').ok_or_else(not)?;
    let (conversion, after) = [("02x", 3), ("02X", 3), ("x", 1), ("03o", 3), ("c", 1), ("d", 1), ("u", 1), ("_p", 2)]
        .into_iter()
        .find(|(c, _)| spec.starts_with(c))
        .map(|(c, n)| (c, spec.get(n..).unwrap_or("")))
        .ok_or_else(not)?;
    if before.contains('\\') || after.contains(['%', '\\']) {
        return Err(not());
    }
    let mut out = Vec::new();
    for b in data {
        out.extend_from_slice(before.as_bytes());
        match conversion {
            "02x" => out.extend_from_slice(format!("{b:02x}").as_bytes()),
            "02X" => out.extend_from_slice(format!("{b:02X}").as_bytes()),
            "x" => out.extend_from_slice(format!("{b:x}").as_bytes()),
            "03o" => out.extend_from_slice(format!("{b:03o}").as_bytes()),
            "c" => out.push(*b),
            "_p" => out.extend_from_slice(printable(&[*b]).as_bytes()),
            "u" => out.extend_from_slice(b.to_string().as_bytes()),
            _ => return Err(not()),
        }
        out.extend_from_slice(after.as_bytes());
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    Output::computed(out)
}

#[cfg(test)]
mod tests {
    use super::super::check::{Rng, real, text};
    use super::super::{Call, run};

    type Options = &'static [(&'static str, Option<&'static [u8]>)];

    fn compare(program: &str, sets: &[Options]) {
        let mut rng = Rng::new(71);
        for options in sets {
            for i in 0..8 {
                let mut data = text(&mut rng).repeat(1 + i);
                data.extend(std::iter::repeat_n(b'x', if i == 7 { 80 } else { 0 }));
                data.extend((0..rng.below(20)).map(|_| rng.next() as u8));
                let mut words: Vec<&[u8]> = Vec::new();
                for (n, v) in *options {
                    words.push(n.as_bytes());
                    words.extend(*v);
                }
                let Ok(ours) = run("od", &Call { options, stdin: &data, program, ..Call::default() }) else { continue };
                let Some((printed, 0)) = real(program, &words, &data) else { continue };
                assert_eq!(
                    String::from_utf8_lossy(&ours.bytes),
                    String::from_utf8_lossy(&printed),
                    "{program} {options:?} {data:?}"
                );
            }
        }
    }

    #[test]
    fn agrees_with_the_programs() {
        compare(
            "od",
            &[
                &[],
                &[("-A", Some(b"n")), ("-t", Some(b"x1"))],
                &[("-t", Some(b"x1z"))],
                &[("-c", None)],
                &[("-b", None)],
                &[("-x", None), ("-v", None)],
                &[("-t", Some(b"d1")), ("-A", Some(b"d"))],
                &[("-t", Some(b"u4")), ("-A", Some(b"x"))],
                &[("-t", Some(b"o1")), ("-N", Some(b"5"))],
                &[("-t", Some(b"d2"))],
                &[("-t", Some(b"x8"))],
            ],
        );
        compare(
            "hexdump",
            &[
                &[],
                &[("-C", None)],
                &[("-b", None)],
                &[("-c", None)],
                &[("-x", None)],
                &[("-d", None)],
                &[("-o", None)],
                &[("-v", None), ("-e", Some(b"1/1 \"%02x\""))],
                &[("-v", None), ("-e", Some(b"/1 \"%02X \""))],
                &[("-C", None), ("-n", Some(b"5"))],
            ],
        );
    }
}
