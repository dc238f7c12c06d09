//! `tr`: translating, deleting and squeezing bytes (GNU; it knows bytes, not characters).
//!
//! In: the sets and the input. Out: what is printed. Sets are read with their escapes, ranges, classes and repeats.

use super::super::Why;
use super::{Call, Output};
use crate::escape::letter;

/// A set as it is written: bytes in order, with what fills up.
struct Set {
    bytes: Vec<u8>,
    /// `[x*]`: where it stands and what fills.
    fill: Option<(usize, u8)>,
    /// Where case classes stand, for `tr '[:lower:]' '[:upper:]'`.
    cases: Vec<(usize, bool)>,
    /// A class other than upper and lower stands in it.
    classes: bool,
}

const WRONG: Why = Why::NotComputed("tr set");

/// One unit of a set: a byte, and whether it was escaped.
fn units(text: &[u8]) -> Vec<(u8, bool)> {
    let mut out = Vec::new();
    let mut at = 0usize;
    while let Some(&b) = text.get(at) {
        at = at.saturating_add(1);
        let Some(&e) = text.get(at).filter(|_| b == b'\\') else {
            out.push((b, false));
            continue;
        };
        at = at.saturating_add(1);
        out.push((
            match e {
                b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => letter(e).unwrap_or(e),
                b'0'..=b'7' => {
                    let mut n = u32::from(e.saturating_sub(b'0'));
                    for _ in 0..2 {
                        let Some(d @ b'0'..=b'7') = text.get(at) else { break };
                        let next = n.saturating_mul(8).saturating_add(u32::from(d.saturating_sub(b'0')));
                        // `\400` is `\40` and a `0`.
                        if next > 0xff {
                            break;
                        }
                        n = next;
                        at = at.saturating_add(1);
                    }
                    n.to_le_bytes()[0]
                }
                other => other,
            },
            true,
        ));
    }
    out
}

fn class(name: &[u8]) -> Option<Vec<u8>> {
    let test: fn(&u8) -> bool = match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |b| matches!(b, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |b| matches!(b, 0x20..=0x7e),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |b| matches!(b, b' ' | 9..=13),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    };
    Some((0u8..=255).filter(test).collect())
}

fn parse(text: &[u8], second: bool) -> Result<Set, Why> {
    let units = units(text);
    let mut set = Set { bytes: Vec::new(), fill: None, cases: Vec::new(), classes: false };
    let mut at = 0usize;
    let active = |i: usize, b: u8| units.get(i) == Some(&(b, false));
    while let Some(&(b, escaped)) = units.get(at) {
        let next = at.saturating_add(1);
        if b == b'[' && !escaped {
            let after = next.saturating_add(1);
            let mark = units.get(next).filter(|u| !u.1).map(|u| u.0);
            if let Some(m @ (b':' | b'=')) = mark {
                let close = (after..units.len()).find(|i| active(*i, m) && active(i.saturating_add(1), b']'));
                if let Some(close) = close {
                    let name: Vec<u8> = units.get(after..close).unwrap_or(&[]).iter().map(|u| u.0).collect();
                    if m == b'=' {
                        let [one] = name.as_slice() else { return Err(WRONG) };
                        set.bytes.push(*one);
                        set.classes = true;
                    } else {
                        match name.as_slice() {
                            b"lower" | b"upper" => set.cases.push((set.bytes.len(), name == b"upper")),
                            _ => set.classes = true,
                        }
                        set.bytes.extend(class(&name).ok_or(WRONG)?);
                    }
                    at = close.saturating_add(2);
                    continue;
                }
            }
            // `[x*n]`, `[x*]`
            if let (Some(&(x, _)), true) = (units.get(next), active(after, b'*')) {
                let digits = after.saturating_add(1);
                let close = (digits..units.len()).find(|i| active(*i, b']'));
                if let Some(close) = close {
                    let n: Vec<u8> = units.get(digits..close).unwrap_or(&[]).iter().map(|u| u.0).collect();
                    if n.iter().all(u8::is_ascii_digit) {
                        let text = String::from_utf8_lossy(&n).into_owned();
                        let radix = if n.first() == Some(&b'0') { 8 } else { 10 };
                        let times =
                            if n.is_empty() { 0 } else { usize::from_str_radix(&text, radix).map_err(|_| WRONG)? };
                        match times {
                            0 if set.fill.is_some() || !second => return Err(WRONG),
                            0 => set.fill = Some((set.bytes.len(), x)),
                            n if n > 65_536 => return Err(Why::Limit),
                            n => set.bytes.resize(set.bytes.len().saturating_add(n), x),
                        }
                        at = close.saturating_add(1);
                        continue;
                    }
                }
            }
        }
        if active(next, b'-')
            && let Some(&(high, _)) = units.get(next.saturating_add(1))
        {
            if high < b {
                return Err(WRONG);
            }
            set.bytes.extend(b..=high);
            at = next.saturating_add(2);
            continue;
        }
        set.bytes.push(b);
        at = next;
    }
    Ok(set)
}

/// The transform: options `-c -d -s -t`, operands the sets.
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    let (complement, delete, squeeze) = (call.has("-c"), call.has("-d"), call.has("-s"));
    let (first, second) = match call.operands {
        [a] => (parse(a, false)?, None),
        [a, b] => (parse(a, false)?, Some(parse(b, true)?)),
        _ => return Err(Why::NotComputed("operands")),
    };
    let mut members = [false; 256];
    for b in &first.bytes {
        if let Some(m) = members.get_mut(usize::from(*b)) {
            *m = true;
        }
    }
    if complement {
        members.iter_mut().for_each(|m| *m = !*m);
    }
    let has = |set: &[bool; 256], b: u8| set.get(usize::from(b)).copied().unwrap_or(false);
    let input = call.input();
    let mut map: Vec<u8> = (0..=255).collect();
    let mut squeezed = members;
    match &second {
        Some(s) if !delete => {
            let from: Vec<u8> =
                if complement { (0u8..=255).filter(|b| has(&members, *b)).collect() } else { first.bytes.clone() };
            let to = fit(s, &first, from.len(), complement, call.has("-t"))?;
            for (a, b) in from.iter().zip(&to) {
                if let Some(m) = map.get_mut(usize::from(*a)) {
                    *m = *b;
                }
            }
            squeezed = [false; 256];
            for b in to.iter().chain(&s.bytes) {
                if let Some(m) = squeezed.get_mut(usize::from(*b)) {
                    *m = true;
                }
            }
        }
        Some(s) => {
            // With both -d and -s the second set is what is squeezed.
            if !squeeze || s.fill.is_some() {
                return Err(Why::NotComputed("operands"));
            }
            squeezed = [false; 256];
            for b in &s.bytes {
                if let Some(m) = squeezed.get_mut(usize::from(*b)) {
                    *m = true;
                }
            }
        }
        None if delete != squeeze => {}
        None => return Err(Why::NotComputed("operands")),
    }
    let mut out: Vec<u8> = Vec::with_capacity(input.len());
    for b in input.iter() {
        if delete && has(&members, *b) {
            continue;
        }
        let b = map.get(usize::from(*b)).copied().unwrap_or(*b);
        if squeeze && has(&squeezed, b) && out.last() == Some(&b) {
            continue;
        }
        out.push(b);
    }
    Output::computed(out)
}

/// The second set, as long as the first.
fn fit(second: &Set, first: &Set, length: usize, complement: bool, truncate: bool) -> Result<Vec<u8>, Why> {
    // Case classes have to stand at the same place in both; other classes have no place in the second.
    if second.classes || complement && !second.cases.is_empty() {
        return Err(WRONG);
    }
    if second.cases.iter().any(|(at, _)| !first.cases.iter().any(|(f, _)| f == at)) {
        return Err(WRONG);
    }
    let mut to = second.bytes.clone();
    if let Some((at, fill)) = second.fill {
        let missing = length.saturating_sub(to.len());
        to.splice(at..at, std::iter::repeat_n(fill, missing));
    }
    match to.last().copied() {
        _ if truncate => {}
        Some(last) => to.resize(to.len().max(length), last),
        None => return Err(WRONG),
    }
    // The complement of a class has no order that could be mapped to one.
    let mapped = to.get(..length).unwrap_or(&to);
    if complement && (first.classes || !first.cases.is_empty()) && mapped.iter().any(|b| Some(b) != to.first()) {
        return Err(WRONG);
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::super::check::{Compare, Options, Rng, text};

    #[test]
    fn agrees_with_the_program() {
        let mut rng = Rng::new(43);
        let mut c = Compare::new("tr", "tr");
        let sets = [
            "a-z",
            "A-Z",
            "[:lower:]",
            "[:upper:]",
            "abc",
            "b-zA",
            "a",
            "\\n",
            " ",
            "\\141\\142",
            "[x*]",
            "[y*3]z",
            "[:alpha:]",
            "[:digit:]",
            "[:space:]",
            "\\\\",
            "a\\-z",
            "-",
            "é",
            "[=a=]",
            "0-9",
            "n-za-mN-ZA-M",
            "a-zA-Z",
            "\t\n",
            "[:punct:]",
            "x-",
            "-x",
            "[a-c]",
            "xy[q*]z",
        ];
        for _ in 0..500 {
            let data = text(&mut rng);
            let (a, b) = (rng.pick(&sets).as_bytes(), rng.pick(&sets).as_bytes());
            let (options, two): (Options<'_>, bool) = match rng.below(9) {
                0 => (&[("-d", None)], false),
                1 => (&[("-s", None)], false),
                2 => (&[("-d", None), ("-s", None)], true),
                3 => (&[("-c", None)], true),
                4 => (&[("-c", None), ("-d", None)], false),
                5 => (&[("-s", None)], true),
                6 => (&[("-t", None)], true),
                _ => (&[], true),
            };
            let operands: &[&[u8]] = if two { &[a, b] } else { &[a] };
            if operands.iter().any(|o| o.starts_with(b"-")) {
                continue;
            }
            c.case(options, operands, &data);
        }
        c.finish(0.5);
    }
}
