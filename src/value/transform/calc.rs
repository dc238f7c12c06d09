//! Programs that compute on their operands: `seq`, `basename`, `dirname`, `expr`.
//!
//! In: operands. Out: what is printed. Not computed: formats of `seq`.

use super::super::Why;
use super::regex::{Matcher, Syntax};
use super::{Call, Output};
use crate::limits;

/// A decimal number as an integer and its number of places.
fn decimal(text: &[u8]) -> Result<(i128, usize), Why> {
    let not = || Why::NotComputed("number");
    let text = std::str::from_utf8(text).map_err(|_| not())?;
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.trim_start_matches(['-', '+']);
    let fine = |t: &str| t.chars().all(|c| c.is_ascii_digit());
    if !fine(digits) || !fine(places) || digits.len().saturating_add(places.len()) > 30 || digits.is_empty() {
        return Err(not());
    }
    let n: i128 = format!("{}{places}", whole.trim_start_matches('+')).parse().map_err(|_| not())?;
    Ok((n, places.len()))
}

fn scaled(n: i128, from: usize, to: usize) -> Option<i128> {
    let by = u32::try_from(to.saturating_sub(from)).ok()?;
    n.checked_mul(10i128.checked_pow(by)?)
}

fn shown(n: i128, places: usize, width: usize) -> String {
    let sign = if n < 0 { "-" } else { "" };
    let mut digits = format!("{:0width$}", n.unsigned_abs(), width = places.saturating_add(1));
    if places > 0 {
        digits.insert(digits.len().saturating_sub(places), '.');
    }
    let zeros = width.saturating_sub(sign.len()).saturating_sub(digits.len());
    format!("{sign}{}{digits}", "0".repeat(zeros))
}

/// Most numbers that `seq` is asked to count out.
const MAX_NUMBERS: i128 = 20_000;

/// `seq`: options `-s -w`, one to three numbers.
pub(super) fn seq(call: &Call<'_>) -> Result<Output, Why> {
    let numbers = call.operands.iter().map(|o| decimal(o)).collect::<Result<Vec<_>, _>>()?;
    let ((first, fp), (step, sp), (last, lp)) = match numbers.as_slice() {
        [last] => ((1, 0), (1, 0), *last),
        [first, last] => (*first, (1, 0), *last),
        [first, step, last] => (*first, *step, *last),
        _ => return Err(Why::NotComputed("operands")),
    };
    // The last number does not make the others more precise.
    let places = fp.max(sp);
    let common = places.max(lp);
    let scale = |n, p| scaled(n, p, common).ok_or(Why::NotComputed("number"));
    let (mut at, step, end) = (scale(first, fp)?, scale(step, sp)?, scale(last, lp)?);
    if step == 0 {
        return Err(Why::NotComputed("step"));
    }
    let back = common.saturating_sub(places);
    let divisor = scaled(1, 0, back).unwrap_or(1);
    let width = if call.has("-w") {
        // Zeros that are written in front count.
        if call
            .operands
            .iter()
            .any(|o| matches!(o.trim_ascii_start(), [b'0' | b'-' | b'+', b'0'..=b'9', _, ..] | [b'0', b'0'..=b'9']))
        {
            return Err(Why::NotComputed("width"));
        }
        let whole = |n: i128| shown(n.checked_div(divisor).unwrap_or(n), places, 0).len();
        whole(at).max(whole(end))
    } else {
        0
    };
    let separator = call.value("-s").unwrap_or(b"\n");
    let mut out = Vec::new();
    // What many numbers are is no matter; a text of them that is read again would take all the work there is.
    let count = end.saturating_sub(at).checked_div(step).unwrap_or(0);
    if count > MAX_NUMBERS {
        return Err(Why::NotComputed("so many numbers"));
    }
    while if step > 0 { at <= end } else { at >= end } {
        if !out.is_empty() {
            out.extend_from_slice(separator);
        }
        out.extend_from_slice(shown(at.checked_div(divisor).unwrap_or(at), places, width).as_bytes());
        at = at.saturating_add(step);
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    if !out.is_empty() {
        out.push(b'\n');
    }
    Output::computed(out)
}

fn base(path: &[u8], suffix: Option<&[u8]>) -> Vec<u8> {
    let end = path.iter().rposition(|b| *b != b'/').map_or(0, |i| i.saturating_add(1));
    let Some(trimmed) = path.get(..end).filter(|t| !t.is_empty()) else {
        return if path.is_empty() { Vec::new() } else { b"/".to_vec() };
    };
    let name = trimmed.rsplit(|b| *b == b'/').next().unwrap_or(trimmed);
    match suffix.and_then(|s| name.strip_suffix(s)) {
        Some(short) if !short.is_empty() => short.to_vec(),
        _ => name.to_vec(),
    }
}

/// `basename`: options `-a -s -z`.
pub(super) fn basename(call: &Call<'_>) -> Result<Output, Why> {
    let many = call.has("-a") || call.has("-s");
    let (names, suffix) = match call.operands {
        all if many => (all, call.value("-s")),
        [_] => (call.operands, None),
        [name, suffix] => (std::slice::from_ref(name), Some(*suffix)),
        _ => return Err(Why::NotComputed("operands")),
    };
    let end = if call.has("-z") { 0 } else { b'\n' };
    let mut out = Vec::new();
    for n in names {
        out.extend(base(n, suffix));
        out.push(end);
    }
    Output::computed(out)
}

/// `dirname`: option `-z`.
pub(super) fn dirname(call: &Call<'_>) -> Result<Output, Why> {
    let end = if call.has("-z") { 0 } else { b'\n' };
    let mut out = Vec::new();
    for path in call.operands {
        let last =
            |t: &[u8], slash: bool| t.iter().rposition(|b| (*b == b'/') == slash).map_or(0, |i| i.saturating_add(1));
        let without_slashes = path.get(..last(path, false)).unwrap_or(path);
        let dir = without_slashes.get(..last(without_slashes, true)).unwrap_or(&[]);
        let short = dir.get(..last(dir, false)).unwrap_or(dir);
        out.extend_from_slice(match (short, dir, *path) {
            ([], [], [b'/', ..]) | ([], [_, ..], _) => b"/",
            ([], [], _) => b".",
            (s, ..) => s,
        });
        out.push(end);
    }
    Output::computed(out)
}

/// `expr`: all operands are the expression.
pub(super) fn expr(call: &Call<'_>) -> Result<Output, Why> {
    let operands = match call.operands {
        [first, rest @ ..] if *first == b"--" => rest,
        all => all,
    };
    let mut e = Expr { words: operands, at: 0, depth: 0 };
    let v = e.binary(0)?;
    if e.at < operands.len() {
        return Err(Why::NotComputed("expression"));
    }
    let null = is_null(&v);
    let mut out = v;
    out.push(b'\n');
    Ok(Output::computed(out)?.with_status(u8::from(null)))
}

fn is_null(v: &[u8]) -> bool {
    v.is_empty() || integer(v) == Some(0)
}

fn integer(v: &[u8]) -> Option<i128> {
    let digits = v.strip_prefix(b"-").unwrap_or(v);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(())?;
    std::str::from_utf8(v).ok()?.parse().ok()
}

struct Expr<'a> {
    words: &'a [&'a [u8]],
    at: usize,
    depth: u32,
}

impl Expr<'_> {
    fn next(&mut self) -> Option<&[u8]> {
        let w = self.words.get(self.at).copied();
        self.at = self.at.saturating_add(1);
        w
    }

    fn binary(&mut self, least: u8) -> Result<Vec<u8>, Why> {
        const NOT: Why = Why::NotComputed("expression");
        self.depth = self.depth.saturating_add(1);
        if self.depth > limits::MAX_ARITHMETIC_DEPTH {
            return Err(Why::Limit);
        }
        let mut left = self.primary()?;
        while let Some(op) = self.words.get(self.at).copied() {
            let level = match op {
                b"|" => 1,
                b"&" => 2,
                b"<" | b"<=" | b"=" | b"==" | b"!=" | b">=" | b">" => 3,
                b"+" | b"-" => 4,
                b"*" | b"/" | b"%" => 5,
                b":" => 6,
                _ => break,
            };
            if level < least {
                break;
            }
            self.at = self.at.saturating_add(1);
            let right = self.binary(level.saturating_add(1))?;
            left = match op {
                b"|" if !is_null(&left) => left,
                b"|" if is_null(&right) => b"0".to_vec(),
                b"|" => right,
                b"&" if is_null(&left) || is_null(&right) => b"0".to_vec(),
                b"&" => left,
                b":" => matched(&left, &right)?,
                _ if level == 3 => {
                    let order = match (integer(&left), integer(&right)) {
                        (Some(a), Some(b)) => a.cmp(&b),
                        _ => left.cmp(&right),
                    };
                    let holds = match op {
                        b"<" => order.is_lt(),
                        b"<=" => order.is_le(),
                        b"=" | b"==" => order.is_eq(),
                        b"!=" => order.is_ne(),
                        b">=" => order.is_ge(),
                        _ => order.is_gt(),
                    };
                    if holds { b"1".to_vec() } else { b"0".to_vec() }
                }
                _ => {
                    let (a, b) = (integer(&left).ok_or(NOT)?, integer(&right).ok_or(NOT)?);
                    let n = match op {
                        b"+" => a.checked_add(b),
                        b"-" => a.checked_sub(b),
                        b"*" => a.checked_mul(b),
                        b"/" => a.checked_div(b),
                        _ => a.checked_rem(b),
                    };
                    n.ok_or(NOT)?.to_string().into_bytes()
                }
            };
        }
        self.depth = self.depth.saturating_sub(1);
        Ok(left)
    }

    fn primary(&mut self) -> Result<Vec<u8>, Why> {
        const NOT: Why = Why::NotComputed("expression");
        let utf8 = |v: Vec<u8>| String::from_utf8(v).map_err(|_| NOT);
        let word = self.next().ok_or(NOT)?.to_vec();
        match word.as_slice() {
            b"(" => {
                let v = self.binary(0)?;
                if self.next() == Some(b")") { Ok(v) } else { Err(NOT) }
            }
            b")" => Err(NOT),
            b"+" => Ok(self.next().ok_or(NOT)?.to_vec()),
            b"length" => {
                let n = utf8(self.binary(7)?)?.chars().count();
                Ok(n.to_string().into_bytes())
            }
            b"match" => {
                let (a, b) = (self.binary(7)?, self.binary(7)?);
                matched(&a, &b)
            }
            b"index" => {
                let (a, b) = (utf8(self.binary(7)?)?, utf8(self.binary(7)?)?);
                let at = a.chars().position(|c| b.contains(c)).map_or(0, |i| i.saturating_add(1));
                Ok(at.to_string().into_bytes())
            }
            b"substr" => {
                let text = utf8(self.binary(7)?)?;
                let (p, n) = (integer(&self.binary(7)?), integer(&self.binary(7)?));
                let (Some(p), Some(n)) = (p.filter(|p| *p > 0), n.filter(|n| *n > 0)) else { return Ok(Vec::new()) };
                let skip = usize::try_from(p.saturating_sub(1)).unwrap_or(usize::MAX);
                Ok(text
                    .chars()
                    .skip(skip)
                    .take(usize::try_from(n).unwrap_or(usize::MAX))
                    .collect::<String>()
                    .into_bytes())
            }
            _ => Ok(word),
        }
    }
}

/// `TEXT : PATTERN`: the first group, or the number of characters matched, from the start.
fn matched(text: &[u8], pattern: &[u8]) -> Result<Vec<u8>, Why> {
    let m = Matcher::new(pattern, Syntax::Basic, false)?;
    let groups = pattern.windows(2).any(|w| w == b"\\(");
    let found = m.find_at(text, 0)?.filter(|c| c.get(0).is_some_and(|w| w.start() == 0));
    Ok(match found {
        Some(c) if groups => c.get(1).map_or(Vec::new(), |g| g.as_bytes().to_vec()),
        Some(c) => {
            let whole = c.get(0).map_or(&[][..], |w| w.as_bytes());
            let n = std::str::from_utf8(whole).map_err(|_| Why::NotComputed("text"))?.chars().count();
            n.to_string().into_bytes()
        }
        // A match further on is none, but the search would have to say whether one starts here, too.
        None if groups => Vec::new(),
        None => b"0".to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::check::{Compare, Rng};

    #[test]
    fn seq_and_names_agree() {
        let mut rng = Rng::new(73);
        let mut c = Compare::new("seq", "seq");
        let numbers = ["1", "3", "10", "0.5", "2.25", "-2", "0", "1.0", "007", "5", "-0.5"];
        for _ in 0..200 {
            let n = 1 + rng.below(3);
            let words: Vec<&[u8]> = (0..n).map(|_| rng.pick(&numbers).as_bytes()).collect();
            if words[0].starts_with(b"-") {
                continue;
            }
            let options: &[(&str, Option<&[u8]>)] = match rng.below(4) {
                0 => &[("-w", None)],
                1 => &[("-s", Some(b", "))],
                _ => &[],
            };
            c.case(options, &words, b"");
        }
        c.finish(0.7);
        let paths = ["/a/b/", "a.txt", "/", "", "a//b//", "///", "/a", "a", ".txt", "//a", "a/b/c.txt"];
        for program in ["basename", "dirname"] {
            let mut c = Compare::new(program, program);
            for p in paths {
                c.case(&[], &[p.as_bytes()], b"");
                if program == "basename" {
                    c.case(&[], &[p.as_bytes(), b".txt"], b"");
                }
            }
            c.finish(0.99);
        }
    }

    #[test]
    fn expr_agrees() {
        let mut rng = Rng::new(79);
        let mut c = Compare::new("expr", "expr");
        let atoms = ["1", "2", "0", "abc", "", "-3", "a.*", ".\\(b\\)", "10", "07", "é", "length", "x*"];
        let ops = ["+", "-", "*", "/", "%", ":", "=", "<", ">=", "|", "&", "!="];
        for _ in 0..500 {
            let mut words: Vec<&[u8]> = Vec::new();
            match rng.below(6) {
                0 => words.extend([&b"length"[..], rng.pick(&atoms).as_bytes()]),
                1 => words.extend([&b"substr"[..], b"hello", rng.pick(&atoms).as_bytes(), rng.pick(&atoms).as_bytes()]),
                2 => words.extend([&b"index"[..], b"hello", rng.pick(&["l", "xo", "", "h"]).as_bytes()]),
                _ => words.push(rng.pick(&atoms).as_bytes()),
            }
            for _ in 0..rng.below(3) {
                words.push(rng.pick(&ops).as_bytes());
                words.push(rng.pick(&atoms).as_bytes());
            }
            c.case(&[], &words, b"");
        }
        c.finish(0.3);
    }
}
