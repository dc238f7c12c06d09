//! `sort`, in the C locale: by bytes, by numbers, by keys.
//!
//! In: options and content. Out: the lines in order. Not computed: keys that begin inside a field, versions, months.

use super::super::Why;
use super::{Call, Output, count, lines};
use std::cmp::Ordering;

/// One key of `sort -k`.
#[derive(Clone, Copy, Default)]
struct Key {
    first: usize,
    last: Option<usize>,
    numeric: bool,
    reverse: bool,
    fold: bool,
    blanks: bool,
}

/// `sort`: options `-r -n -u -f -b -s -t -k` (keys by whole fields).
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    let global = Key {
        first: 1,
        last: None,
        numeric: call.has("-n"),
        reverse: call.has("-r"),
        fold: call.has("-f"),
        blanks: call.has("-b"),
    };
    let mut keys: Vec<Key> = Vec::new();
    for text in call.values("-k") {
        keys.push(key(text, global)?);
    }
    let separator = match call.value("-t") {
        None => None,
        Some([t]) => Some(*t),
        Some(b"\\0") => Some(0),
        Some(_) => return Err(Why::NotComputed("separator")),
    };
    let used = if keys.is_empty() { vec![global] } else { keys };
    let compare = |a: &[u8], b: &[u8]| {
        used.iter()
            .map(|k| {
                let (x, y) = (field(a, k, separator), field(b, k, separator));
                let order = if k.numeric {
                    numeric(x, y)
                } else if k.fold {
                    x.to_ascii_uppercase().cmp(&y.to_ascii_uppercase())
                } else {
                    x.cmp(y)
                };
                if k.reverse { order.reverse() } else { order }
            })
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    let input = call.input_lines();
    let mut all = lines(&input).0;
    if call.has("-u") {
        all.sort_by(|a, b| compare(a, b));
        all.dedup_by(|b, a| compare(a, b).is_eq());
    } else if call.has("-s") {
        all.sort_by(|a, b| compare(a, b));
    } else {
        all.sort_by(|a, b| compare(a, b).then_with(|| if global.reverse { b.cmp(a) } else { a.cmp(b) }));
    }
    let mut out = Vec::with_capacity(input.len());
    for line in all {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    Output::computed(out)
}

/// Reads `F[,F]` with options; keys that begin inside a field are not computed.
fn key(text: &[u8], global: Key) -> Result<Key, Why> {
    let text = std::str::from_utf8(text).map_err(|_| Why::NotComputed("key"))?;
    let mut own = Key::default();
    let mut any = false;
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let digits = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        for c in part.get(digits.len()..).unwrap_or("").chars() {
            any = true;
            match c {
                'n' => own.numeric = true,
                'r' => own.reverse = true,
                'f' => own.fold = true,
                'b' => own.blanks = true,
                _ => return Err(Why::NotComputed("key")),
            }
        }
        numbers.push(count(digits.as_bytes())?);
    }
    let mut k = if any { own } else { global };
    match numbers.as_slice() {
        [a] if *a > 0 => (k.first, k.last) = (*a, None),
        [a, b] if *a > 0 && *b > 0 => (k.first, k.last) = (*a, Some(*b)),
        _ => return Err(Why::NotComputed("key")),
    }
    Ok(k)
}

/// The part of a line that a key names: fields with the blanks before them, or between separators.
fn field<'a>(line: &'a [u8], k: &Key, separator: Option<u8>) -> &'a [u8] {
    if k.first == 1 && k.last.is_none() {
        return if k.blanks { line.trim_ascii_start() } else { line };
    }
    let mut bounds: Vec<(usize, usize)> = Vec::new();
    let mut start = 0usize;
    match separator {
        Some(s) => {
            for part in line.split(|b| *b == s) {
                let end = start.saturating_add(part.len());
                bounds.push((start, end));
                start = end.saturating_add(1);
            }
        }
        None => {
            while start < line.len() {
                let rest = line.get(start..).unwrap_or(&[]);
                let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
                let word = rest.iter().skip(blanks).take_while(|b| !matches!(b, b' ' | b'\t')).count();
                let end = start.saturating_add(blanks).saturating_add(word);
                bounds.push((start, end));
                start = end;
            }
        }
    }
    let first = bounds.get(k.first.saturating_sub(1)).map_or(line.len(), |b| b.0);
    let last = k.last.and_then(|n| bounds.get(n.saturating_sub(1))).map_or(line.len(), |b| b.1);
    let part = line.get(first..last.max(first)).unwrap_or(&[]);
    if k.blanks { part.trim_ascii_start() } else { part }
}

/// Compares as numbers: blanks, a minus sign, digits, a fraction; what is no number is 0.
fn numeric(a: &[u8], b: &[u8]) -> Ordering {
    let parts = |t: &[u8]| -> (bool, Vec<u8>, Vec<u8>) {
        let t: Vec<u8> = t.iter().copied().skip_while(|b| matches!(b, b' ' | b'\t')).collect();
        let (negative, t) = match t.strip_prefix(b"-") {
            Some(rest) => (true, rest.to_vec()),
            None => (false, t),
        };
        let whole: Vec<u8> = t.iter().copied().take_while(u8::is_ascii_digit).collect();
        let fraction: Vec<u8> = match t.get(whole.len()) {
            Some(b'.') => {
                t.iter().copied().skip(whole.len().saturating_add(1)).take_while(u8::is_ascii_digit).collect()
            }
            _ => Vec::new(),
        };
        let whole: Vec<u8> = whole.into_iter().skip_while(|b| *b == b'0').collect();
        let end = fraction.iter().rposition(|b| *b != b'0').map_or(0, |i| i.saturating_add(1));
        let fraction = fraction.get(..end).unwrap_or(&[]).to_vec();
        let zero = whole.is_empty() && fraction.is_empty();
        (negative && !zero, whole, fraction)
    };
    let ((na, wa, fa), (nb, wb, fb)) = (parts(a), parts(b));
    let size = wa.len().cmp(&wb.len()).then_with(|| wa.cmp(&wb)).then_with(|| fa.cmp(&fb));
    match (na, nb) {
        (false, false) => size,
        (true, true) => size.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::check;

    #[test]
    fn sort_agrees() {
        check(
            "sort",
            0.95,
            &[
                &[],
                &[("-r", None)],
                &[("-n", None)],
                &[("-u", None)],
                &[("-f", None)],
                &[("-n", None), ("-r", None)],
                &[("-k", Some(b"2"))],
                &[("-t", Some(b":")), ("-k", Some(b"2,2n"))],
                &[("-k", Some(b"2,3")), ("-s", None)],
                &[("-f", None), ("-u", None)],
                &[("-n", None), ("-u", None)],
                &[("-b", None), ("-r", None), ("-k", Some(b"1,1"))],
            ],
        );
    }
}
