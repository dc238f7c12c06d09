//! Programs that work on fields and lines: `cut`, `paste`, `fold`, `nl`, `wc`, `uniq`.
//!
//! In: options and content. Out: what is printed. Columns and characters are bytes, as in GNU coreutils.

use super::super::Why;
use super::number::Spec;
use super::{Call, Output, count, lines};
use crate::limits;

/// Ranges of a list: `1,3-5,-2,7-`; positions from 1.
fn ranges(text: &[u8]) -> Result<Vec<(usize, usize)>, Why> {
    let wrong = || Why::NotComputed("list");
    text.split(|b| matches!(b, b',' | b' ' | b'\t'))
        .map(|part| {
            let mut ends = part.splitn(2, |b| *b == b'-');
            let (a, b) = (ends.next().unwrap_or(b""), ends.next());
            let low = if a.is_empty() { 1 } else { count(a)? };
            let high = match b {
                None => low,
                Some(b"") if a.is_empty() => return Err(wrong()),
                Some(b"") => usize::MAX,
                Some(b) => count(b)?,
            };
            if low == 0 || high < low { Err(wrong()) } else { Ok((low, high)) }
        })
        .collect()
}

/// `cut`: options `-b -c -f -d -s --complement --output-delimiter -z`.
pub(super) fn cut(call: &Call<'_>) -> Result<Output, Why> {
    let by_bytes = call.value("-b").or(call.value("-c"));
    let list = ranges(by_bytes.or(call.value("-f")).ok_or(Why::NotComputed("list"))?)?;
    let complement = call.has("--complement");
    let selected = |n: usize| list.iter().any(|(a, b)| *a <= n && n <= *b) != complement;
    let begins = |n: usize| list.iter().any(|(a, _)| *a == n);
    let joiner = call.value("--output-delimiter");
    let end = if call.has("-z") { 0u8 } else { b'\n' };
    let input = call.input_lines();
    let mut out = Vec::new();
    let mut all: Vec<&[u8]> = input.split(|b| *b == end).collect();
    if all.last().is_some_and(|l| l.is_empty()) {
        all.pop();
    }
    let delimiter = match call.value("-d") {
        None => b'\t',
        Some([d]) => *d,
        Some(_) => return Err(Why::NotComputed("delimiter")),
    };
    for line in all {
        if by_bytes.is_some() {
            let mut before = None;
            for (n, b) in line.iter().enumerate().map(|(i, b)| (i.saturating_add(1), b)) {
                if !selected(n) {
                    continue;
                }
                // The output delimiter stands between ranges, not between adjacent bytes of one.
                if let (Some(j), Some(last)) = (joiner, before)
                    && (n > usize::saturating_add(last, 1) || !complement && begins(n) && !joined(&list, n))
                {
                    out.extend_from_slice(j);
                }
                out.push(*b);
                before = Some(n);
            }
            out.push(end);
            continue;
        }
        let fields: Vec<&[u8]> = line.split(|b| *b == delimiter).collect();
        if fields.len() == 1 {
            if !call.has("-s") {
                out.extend_from_slice(line);
                out.push(end);
            }
            continue;
        }
        let mut first = true;
        for (n, f) in fields.iter().enumerate().map(|(i, f)| (i.saturating_add(1), f)) {
            if selected(n) {
                if !first {
                    out.extend_from_slice(joiner.unwrap_or(&[delimiter]));
                }
                first = false;
                out.extend_from_slice(f);
            }
        }
        out.push(end);
    }
    Output::computed(out)
}

/// True where a range that begins at `n` overlaps one that began before.
fn joined(list: &[(usize, usize)], n: usize) -> bool {
    list.iter().any(|(a, b)| *a < n && n <= *b)
}

/// `paste`: options `-s -d`, one input (or its lines dealt to several `-` operands, which come as operands here).
pub(super) fn paste(call: &Call<'_>) -> Result<Output, Why> {
    let delimiters: Vec<Vec<u8>> = match call.value("-d") {
        None => vec![b"\t".to_vec()],
        Some(d) if d.contains(&b'\\') => {
            let mut all = Vec::new();
            let mut it = d.iter();
            while let Some(b) = it.next() {
                all.push(match (b, if *b == b'\\' { it.next() } else { None }) {
                    (b'\\', Some(b'0')) => Vec::new(),
                    (b'\\', Some(b'n')) => b"\n".to_vec(),
                    (b'\\', Some(b't')) => b"\t".to_vec(),
                    (b'\\', Some(b'\\')) => b"\\".to_vec(),
                    (b'\\', _) => return Err(Why::NotComputed("delimiter")),
                    (b, _) => vec![*b],
                });
            }
            all
        }
        Some(b"") => vec![Vec::new()],
        Some(d) => d.iter().map(|b| vec![*b]).collect(),
    };
    let between =
        |i: usize| i.checked_rem(delimiters.len()).and_then(|n| delimiters.get(n)).map_or(&[][..], Vec::as_slice);
    let mut out = Vec::new();
    let inputs: Vec<&[u8]> = if call.files.is_empty() { vec![call.stdin] } else { call.files.to_vec() };
    if call.has("-s") {
        for input in inputs {
            for (i, line) in lines(input).0.iter().enumerate() {
                if let Some(before) = i.checked_sub(1) {
                    out.extend_from_slice(between(before));
                }
                out.extend_from_slice(line);
            }
            out.push(b'\n');
        }
        return Output::computed(out);
    }
    let dashes = call.operands.iter().filter(|o| **o == b"-").count();
    let columns: Vec<Vec<&[u8]>> = if dashes > 1 && call.files.is_empty() {
        let all = lines(call.stdin).0;
        (0..dashes).map(|c| all.iter().skip(c).step_by(dashes).copied().collect()).collect()
    } else {
        inputs.iter().map(|i| lines(i).0).collect()
    };
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        for (i, c) in columns.iter().enumerate() {
            if let Some(before) = i.checked_sub(1) {
                out.extend_from_slice(between(before));
            }
            out.extend_from_slice(c.get(row).copied().unwrap_or(b""));
        }
        out.push(b'\n');
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    Output::computed(out)
}

/// `fold`: options `-w -b -s -NUM`.
pub(super) fn fold(call: &Call<'_>) -> Result<Output, Why> {
    let width = call.value("-w").or(call.value("-NUM")).map_or(Ok(80), count)?;
    if width == 0 {
        return Err(Why::NotComputed("width"));
    }
    let (by_bytes, at_blanks) = (call.has("-b"), call.has("-s"));
    let step = |column: usize, b: u8| match b {
        _ if by_bytes => column.saturating_add(1),
        8 => column.saturating_sub(1),
        b'\r' => 0,
        b'\t' => column.saturating_add(8) & !7,
        _ => column.saturating_add(1),
    };
    let input = call.input();
    let mut out: Vec<u8> = Vec::with_capacity(input.len());
    let mut line: Vec<u8> = Vec::new();
    let mut column = 0usize;
    for &b in input.iter() {
        if b == b'\n' {
            out.append(&mut line);
            out.push(b);
            column = 0;
            continue;
        }
        // What does not fit goes to the next line, which may still be too short for a tab.
        loop {
            let next = step(column, b);
            if next <= width || line.is_empty() {
                column = next;
                line.push(b);
                break;
            }
            let blank = line.iter().rposition(|c| matches!(c, b' ' | b'\t')).filter(|_| at_blanks);
            let keep = blank.map_or(line.len(), |i| i.saturating_add(1));
            let rest = line.split_off(keep);
            out.append(&mut line);
            out.push(b'\n');
            line = rest;
            column = line.iter().fold(0, |c, b| step(c, *b));
        }
    }
    out.append(&mut line);
    Output::computed(out)
}

/// `nl`: options `-b -s -w -v -i`.
pub(super) fn nl(call: &Call<'_>) -> Result<Output, Why> {
    let style = call.value("-b").unwrap_or(b"t");
    if !matches!(style, b"t" | b"a" | b"n") {
        return Err(Why::NotComputed("style"));
    }
    let width = call.value("-w").map_or(Ok(6), count)?.min(1000);
    let separator = call.value("-s").unwrap_or(b"\t");
    let mut number = call.value("-v").map_or(Ok(1), count)?;
    let step = call.value("-i").map_or(Ok(1), count)?;
    let input = call.input_lines();
    let mut out = Vec::new();
    for line in lines(&input).0 {
        if line.starts_with(b"\\:") {
            return Err(Why::NotComputed("sections"));
        }
        if style == b"a" || style == b"t" && !line.is_empty() {
            out.extend_from_slice(format!("{number:width$}").as_bytes());
            out.extend_from_slice(separator);
            number = number.saturating_add(step);
        } else {
            out.resize(out.len().saturating_add(width).saturating_add(separator.len()), b' ');
        }
        out.extend_from_slice(line);
        out.push(b'\n');
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    Output::computed(out)
}

/// `wc` of standard input: options `-l -w -c -m`.
pub(super) fn wc(call: &Call<'_>) -> Result<Output, Why> {
    if !call.files.is_empty() {
        return Err(Why::NotComputed("names of files"));
    }
    let input = call.stdin;
    let none = call.options.is_empty();
    let mut numbers = Vec::new();
    if none || call.has("-l") {
        numbers.push(input.iter().filter(|b| **b == b'\n').count());
    }
    if none || call.has("-w") {
        if !input.iter().all(|b| matches!(b, b'\t'..=b'\r' | b' '..=b'~')) {
            return Err(Why::NotComputed("words"));
        }
        numbers.push(input.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).count());
    }
    if call.has("-m") {
        numbers.push(std::str::from_utf8(input).map_err(|_| Why::NotComputed("characters"))?.chars().count());
    }
    if none || call.has("-c") {
        numbers.push(input.len());
    }
    let width = if numbers.len() == 1 { 1 } else { 7 };
    let shown: Vec<String> = numbers.iter().map(|n| format!("{n:width$}")).collect();
    Output::computed(format!("{}\n", shown.join(" ")).into_bytes())
}

/// `uniq`: options `-c -d -u -i`.
pub(super) fn uniq(call: &Call<'_>) -> Result<Output, Why> {
    let input = call.input_lines();
    let same = |a: &[u8], b: &[u8]| if call.has("-i") { a.eq_ignore_ascii_case(b) } else { a == b };
    let mut groups: Vec<(&[u8], usize)> = Vec::new();
    for line in lines(&input).0 {
        match groups.last_mut() {
            Some((first, n)) if same(first, line) => *n = n.saturating_add(1),
            _ => groups.push((line, 1)),
        }
    }
    let mut out = Vec::new();
    for (line, n) in groups {
        if call.has("-d") && n < 2 || call.has("-u") && n > 1 {
            continue;
        }
        if call.has("-c") {
            let width = Spec { width: 7, ..Spec::default() };
            out.extend_from_slice(&width.text(n.to_string().as_bytes()));
            out.push(b' ');
        }
        out.extend_from_slice(line);
        out.push(b'\n');
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    Output::computed(out)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::check::{Compare, Options, Rng, text};

    pub(in super::super) fn check(program: &'static str, least: f64, sets: &[Options<'_>]) {
        let mut rng = Rng::new(47);
        let mut c = Compare::new(program, program);
        for _ in 0..30 * sets.len() {
            let data = text(&mut rng);
            let options: &[(&str, Option<&[u8]>)] = sets[rng.below(sets.len() as u64) as usize];
            c.case(options, &[], &data);
        }
        c.finish(least);
    }

    #[test]
    fn cut_agrees() {
        let lists: [&[u8]; 7] = [b"1", b"2-", b"-2", b"2,4", b"1-2,5", b"3,1", b"1-3,2-4"];
        let mut rng = Rng::new(53);
        let mut c = Compare::new("cut", "cut");
        for _ in 0..300 {
            let data = text(&mut rng);
            let list = Some(*rng.pick(&lists));
            let fields = rng.below(2) == 0;
            let mut options: Vec<(&str, Option<&[u8]>)> = vec![(if fields { "-f" } else { "-c" }, list)];
            if fields {
                options.push(("-d", Some(*rng.pick(&[&b" "[..], b":", b"o", b","]))));
            }
            if fields && rng.below(3) == 0 {
                options.push(("-s", None));
            }
            let mut argv: Vec<Vec<u8>> = Vec::new();
            for (n, v) in &options {
                argv.push(n.as_bytes().to_vec());
                argv.extend(v.map(<[u8]>::to_vec));
            }
            if rng.below(4) == 0 {
                options.push(("--output-delimiter", Some(b"_")));
                argv.push(b"--output-delimiter=_".to_vec());
            } else if rng.below(4) == 0 {
                options.push(("--complement", None));
                argv.push(b"--complement".to_vec());
            }
            c.case_argv(&argv, &options, &[], &data);
        }
        c.finish(0.95);
    }

    #[test]
    fn line_programs_agree() {
        check(
            "fold",
            0.95,
            &[
                &[("-w", Some(b"4"))],
                &[("-w", Some(b"3")), ("-s", None)],
                &[("-w", Some(b"9")), ("-s", None)],
                &[("-b", None), ("-w", Some(b"2"))],
            ],
        );
        check(
            "nl",
            0.95,
            &[
                &[],
                &[("-b", Some(b"a"))],
                &[("-w", Some(b"2")), ("-s", Some(b": "))],
                &[("-v", Some(b"7")), ("-i", Some(b"3"))],
            ],
        );
        check("wc", 0.5, &[&[], &[("-l", None)], &[("-c", None)], &[("-w", None), ("-l", None)], &[("-m", None)]]);
        check("uniq", 0.95, &[&[], &[("-c", None)], &[("-d", None)], &[("-u", None)], &[("-i", None), ("-c", None)]]);
        check(
            "paste",
            0.95,
            &[&[("-s", None)], &[("-s", None), ("-d", Some(b","))], &[("-s", None), ("-d", Some(b",\\n\\0"))], &[]],
        );
    }
}
