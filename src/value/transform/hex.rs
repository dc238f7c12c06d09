//! Hexadecimal dumps and the way back: `xxd`.
//!
//! In: data or a dump. Out: the other. Not computed: seeking, dumps as C code, reverse dumps whose offsets go back.

use super::super::Why;
use super::{Call, Output, count};
use crate::limits;

/// `xxd`: options `-r -p -u -c -l -g -b`.
pub(super) fn xxd(call: &Call<'_>) -> Result<Output, Why> {
    let input = call.input();
    let plain = call.has("-p");
    if call.has("-r") {
        let bytes = if plain { plain_reverse(&input) } else { reverse(&input)? };
        return Output::computed(bytes);
    }
    let bits = call.has("-b");
    let length = call.value("-l").map_or(Ok(usize::MAX), count)?;
    let data = input.get(..length).unwrap_or(&input);
    let columns = match call.value("-c").map(count).transpose()? {
        Some(n) if n > 0 && n <= 256 => n,
        Some(_) => return Err(Why::NotComputed("columns")),
        None if plain => 30,
        None if bits => 6,
        None => 16,
    };
    let group = match call.value("-g").map(count).transpose()? {
        Some(0) => columns,
        Some(n) => n,
        None if bits => 1,
        None => 2,
    };
    let upper = call.has("-u");
    let byte = |b: u8| match (bits, upper) {
        (true, _) => format!("{b:08b}"),
        (_, true) => format!("{b:02X}"),
        _ => format!("{b:02x}"),
    };
    let mut out = String::new();
    for (row, line) in data.chunks(columns).enumerate() {
        if plain {
            line.iter().for_each(|b| out.push_str(&byte(*b)));
            out.push('\n');
            continue;
        }
        out.push_str(&format!("{:08x}: ", row.saturating_mul(columns)));
        let width = if bits { 8 } else { 2 };
        let mut field = String::new();
        for (i, b) in line.iter().enumerate() {
            if i > 0 && i.is_multiple_of(group) {
                field.push(' ');
            }
            field.push_str(&byte(*b));
        }
        let gaps = columns.saturating_sub(1).checked_div(group).unwrap_or(0);
        let full = columns.saturating_mul(width).saturating_add(gaps);
        let shown: String = line.iter().map(|b| if matches!(b, 0x20..=0x7e) { char::from(*b) } else { '.' }).collect();
        out.push_str(&format!("{field:full$}  {shown}\n"));
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    Output::computed(out.into_bytes())
}

fn nibble(b: u8) -> Option<u8> {
    char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok())
}

/// The plain style: pairs of digits; blanks are skipped, other text breaks a pair, three such bytes end the line.
fn plain_reverse(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut n1, mut n2, mut n3): (Option<u8>, Option<u8>, Option<u8>);
    (n1, n2) = (None, None);
    // Before the first digit, all is passed over.
    let mut begun = false;
    let mut it = input.iter().copied();
    while let Some(b) = it.next() {
        if matches!(b, b'\r' | b' ' | b'\n' | b'\t') {
            continue;
        }
        (n3, n2, n1) = (n2, n1, nibble(b));
        begun |= n1.is_some();
        if !begun {
            continue;
        }
        match (n2, n1) {
            (Some(high), Some(low)) => {
                out.push(high << 4 | low);
                n1 = None;
            }
            (None, None) if n3.is_none() => {
                for skipped in it.by_ref() {
                    if skipped == b'\n' {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// The dump style: `offset: hex hex  text`.
fn reverse(input: &[u8]) -> Result<Vec<u8>, Why> {
    let mut out: Vec<u8> = Vec::new();
    for line in input.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let (head, rest) = line.split_at_checked(digits).unwrap_or((line, &[]));
        if head.is_empty() && line.is_empty() {
            continue;
        }
        let offset = std::str::from_utf8(head).ok().and_then(|h| usize::from_str_radix(h, 16).ok());
        let (Some(offset), Some(body)) = (offset, rest.strip_prefix(b": ")) else {
            return Err(Why::NotComputed("dump"));
        };
        // A jump forward is filled with zeros, as a pipe cannot be seeked.
        if offset < out.len() {
            return Err(Why::NotComputed("dump that goes back"));
        }
        if offset > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
        out.resize(offset, 0);
        // The text column stands behind two blanks.
        let hex_end = body.windows(2).position(|w| w == b"  ").unwrap_or(body.len());
        let mut pair: Option<u8> = None;
        for &b in body.get(..hex_end).unwrap_or(body) {
            match (pair.take(), nibble(b)) {
                (None, Some(n)) => pair = Some(n),
                (Some(high), Some(low)) => out.push(high << 4 | low),
                (None, None) if b == b' ' => {}
                _ => return Err(Why::NotComputed("dump")),
            }
        }
        if pair.is_some() {
            return Err(Why::NotComputed("dump"));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::check::{Compare, Options, Rng, text};
    use super::super::{Call, run};

    #[test]
    fn agrees_with_the_program() {
        let mut rng = Rng::new(37);
        let mut c = Compare::new("xxd", "xxd");
        for _ in 0..150 {
            let data = text(&mut rng);
            let sets: [Options<'_>; 9] = [
                &[],
                &[("-p", None)],
                &[("-u", None)],
                &[("-c", Some(b"5"))],
                &[("-p", None), ("-c", Some(b"7"))],
                &[("-g", Some(b"1"))],
                &[("-g", Some(b"3")), ("-c", Some(b"8"))],
                &[("-b", None)],
                &[("-l", Some(b"4"))],
            ];
            let options = *rng.pick(&sets);
            c.case(options, &[], &data);
            let dump = run("xxd", &Call { options, stdin: &data, ..Call::default() }).unwrap().bytes;
            if options.iter().any(|o| o.0 == "-p") {
                c.case(&[("-r", None), ("-p", None)], &[], &dump);
                let noise: Vec<u8> =
                    (0..rng.below(20)).map(|_| *rng.pick(b"0123456789abcdefABCDEF \n\\xg:,;zz")).collect();
                c.case(&[("-r", None), ("-p", None)], &[], &noise);
            } else if options.iter().all(|o| o.0 == "-u" || o.0 == "-l") {
                c.case(&[("-r", None)], &[], &dump);
            }
        }
        c.finish(0.9);
    }
}
