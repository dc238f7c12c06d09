//! Programs that pass on what they read, or a part of it: `cat`, `tee`, `head`, `tail`, `tac`, `rev`.
//!
//! In: contents. Out: what is printed; copies keep their places.

use super::super::Why;
use super::{Call, Output, PieceFrom, count, lines};

/// Where a copy of `input[offset..]` comes from.
fn later(from: PieceFrom, offset: usize) -> PieceFrom {
    match from {
        PieceFrom::Operand(i, a) => PieceFrom::Operand(i, a.saturating_add(offset)),
        PieceFrom::File(i, a) => PieceFrom::File(i, a.saturating_add(offset)),
        PieceFrom::Stdin(a) => PieceFrom::Stdin(a.saturating_add(offset)),
        PieceFrom::Computed => PieceFrom::Computed,
    }
}

/// `cat`: options `-u -n -b -s -E -T -A -e -t -v` (with `-v`, ASCII and control characters).
pub(super) fn cat(call: &Call<'_>) -> Result<Output, Why> {
    let any = |names: &[&str]| names.iter().any(|n| call.has(n));
    if !any(&["-n", "-b", "-s", "-E", "-T", "-A", "-e", "-t", "-v"]) {
        return tee(call);
    }
    let (ends, tabs) = (any(&["-E", "-A", "-e"]), any(&["-T", "-A", "-t"]));
    let visible = any(&["-v", "-A", "-e", "-t"]);
    let numbered = any(&["-n", "-b"]);
    let input = call.input();
    let (all, ended) = lines(&input);
    let mut out = Vec::new();
    let (mut number, mut blank) = (0usize, false);
    for (i, line) in all.iter().enumerate() {
        if any(&["-s"]) && line.is_empty() && blank {
            continue;
        }
        blank = line.is_empty();
        if numbered && !(line.is_empty() && call.has("-b")) {
            number = number.saturating_add(1);
            out.extend_from_slice(format!("{number:6}\t").as_bytes());
        }
        for &b in *line {
            match b {
                b'\t' if tabs => out.extend_from_slice(b"^I"),
                b'\t' => out.push(b),
                b if visible => {
                    let low = b & 0x7f;
                    if b >= 0x80 {
                        out.extend_from_slice(b"M-");
                    }
                    match low {
                        0x7f => out.extend_from_slice(b"^?"),
                        0..0x20 => out.extend_from_slice(&[b'^', low | 0x40]),
                        _ => out.push(low),
                    }
                }
                b => out.push(b),
            }
        }
        let last = i.saturating_add(1) == all.len();
        if !last || ended {
            if ends {
                out.push(b'$');
            }
            out.push(b'\n');
        }
    }
    Output::computed(out)
}

/// `tee`: prints what it reads.
pub(super) fn tee(call: &Call<'_>) -> Result<Output, Why> {
    let mut out = Output::default();
    for (bytes, from) in call.inputs() {
        out.push(bytes, from)?;
    }
    Ok(out)
}

/// How much `head` and `tail` print.
enum Amount {
    /// So many lines or bytes.
    First(usize),
    /// All but so many, or (`tail`) from that one on.
    Other(usize),
}

fn amount(text: &[u8], other: u8) -> Result<Amount, Why> {
    match text {
        [sign, rest @ ..] if *sign == other => Ok(Amount::Other(count(rest)?)),
        [b'-' | b'+', rest @ ..] => Ok(Amount::First(count(rest)?)),
        all => Ok(Amount::First(count(all)?)),
    }
}

/// The byte offset after `n` lines.
fn after_lines(text: &[u8], n: usize) -> usize {
    if n == 0 {
        return 0;
    }
    let mut ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n');
    ends.nth(n.saturating_sub(1)).map_or(text.len(), |(i, _)| i.saturating_add(1))
}

/// The number of lines; a last line without newline counts.
fn line_count(text: &[u8]) -> usize {
    let ends = text.iter().filter(|b| **b == b'\n').count();
    ends.saturating_add(usize::from(!text.is_empty() && !text.ends_with(b"\n")))
}

fn one_input<'a>(call: &Call<'a>) -> Result<(&'a [u8], PieceFrom), Why> {
    match call.inputs().as_slice() {
        [one] => Ok(*one),
        // Several files get headings with their names.
        _ => Err(Why::NotComputed("several files")),
    }
}

/// `head`: options `-n -c -NUM -q -v`.
pub(super) fn head(call: &Call<'_>) -> Result<Output, Why> {
    let (input, from) = one_input(call)?;
    let end = match (call.value("-c"), call.value("-n").or(call.value("-NUM"))) {
        (Some(c), None) => match amount(c, b'-')? {
            Amount::First(n) => n.min(input.len()),
            Amount::Other(n) => input.len().saturating_sub(n),
        },
        (None, n) => match amount(n.unwrap_or(b"10"), b'-')? {
            Amount::First(n) => after_lines(input, n),
            Amount::Other(n) => after_lines(input, line_count(input).saturating_sub(n)),
        },
        _ => return Err(Why::NotComputed("lines and bytes")),
    };
    let mut out = Output::default();
    out.push(input.get(..end).unwrap_or(input), from)?;
    Ok(out)
}

/// `tail`: options `-n -c -NUM -q`.
pub(super) fn tail(call: &Call<'_>) -> Result<Output, Why> {
    let (input, from) = one_input(call)?;
    let start = match (call.value("-c"), call.value("-n").or(call.value("-NUM"))) {
        (Some(c), None) => match amount(c, b'+')? {
            Amount::First(n) => input.len().saturating_sub(n),
            Amount::Other(n) => n.saturating_sub(1).min(input.len()),
        },
        (None, n) => match amount(n.unwrap_or(b"10"), b'+')? {
            Amount::First(n) => after_lines(input, line_count(input).saturating_sub(n)),
            Amount::Other(n) => after_lines(input, n.saturating_sub(1)),
        },
        _ => return Err(Why::NotComputed("lines and bytes")),
    };
    let mut out = Output::default();
    out.push(input.get(start..).unwrap_or(&[]), later(from, start))?;
    Ok(out)
}

/// `tac`: option `-s`. Each file's records in reverse order; a last one without separator is joined to the one before.
pub(super) fn tac(call: &Call<'_>) -> Result<Output, Why> {
    let separator = call.value("-s").unwrap_or(b"\n");
    if separator.is_empty() {
        return Err(Why::NotComputed("separator"));
    }
    let mut out = Output::default();
    for (input, from) in call.inputs() {
        // Separators are looked for from the end, without overlaps. A record ends with its separator, so one at the very
        // end closes the last record.
        let length = separator.len();
        let mut end = input.len();
        let mut limit = end;
        while let Some(at) = input.get(..limit).and_then(|t| t.windows(length).rposition(|w| w == separator)) {
            let after = at.saturating_add(length);
            if after < end {
                out.push(input.get(after..end).unwrap_or(&[]), later(from, after))?;
                end = after;
            }
            limit = at;
        }
        out.push(input.get(..end).unwrap_or(&[]), from)?;
    }
    Ok(out)
}

/// `rev`: the characters of each line in reverse order.
pub(super) fn rev(call: &Call<'_>) -> Result<Output, Why> {
    let input = call.input();
    let text = std::str::from_utf8(&input).map_err(|_| Why::NotComputed("text that is not UTF-8"))?;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |b| (b, "\n"));
        out.extend(body.chars().rev());
        out.push_str(end);
    }
    Output::computed(out.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::check::{Compare, Rng, text};
    use super::super::{Call, PieceFrom, run};

    #[test]
    fn copies_keep_their_place() {
        let out = run("tail", &Call { options: &[("-n", Some(b"1"))], stdin: b"a\nrm\n", ..Call::default() }).unwrap();
        assert_eq!(out.pieces, [(0..3, PieceFrom::Stdin(2))]);
    }

    #[test]
    fn agrees_with_the_programs() {
        let mut rng = Rng::new(41);
        for program in ["cat", "head", "tail", "tac", "rev"] {
            let mut c = Compare::new(program, program);
            for _ in 0..150 {
                let data = text(&mut rng);
                let n = *rng.pick(&["0", "1", "2", "3", "-1", "+2", "+0", "-3", "30"]);
                let options: Vec<(&str, Option<&[u8]>)> = match program {
                    "head" | "tail" => vec![(*rng.pick(&["-n", "-c"]), Some(n.as_bytes()))],
                    "cat" => (0..rng.below(3))
                        .map(|_| (*rng.pick(&["-n", "-b", "-s", "-E", "-T", "-A", "-v"]), None))
                        .collect(),
                    "tac" if rng.below(2) == 0 => vec![("-s", Some(*rng.pick(&[&b":"[..], b"a", b"\n\n", b"o"])))],
                    _ => Vec::new(),
                };
                c.case(&options, &[], &data);
            }
            c.finish(0.9);
        }
    }
}
