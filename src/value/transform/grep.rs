//! `grep`: lines, or parts of them, that match.
//!
//! In: the pattern (the first operand, or `-e` options) and the input. Out: what is printed, and the status.

use super::super::Why;
use super::regex::{Matcher, Syntax};
use super::{Call, Output, lines};

/// The transform: options `-e -E -F -G -P -i -v -w -x -c -o -q -n -m -h -s -a`.
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    // With several files, lines begin with names.
    if call.files.len() > 1 && !call.has("-h") {
        return Err(Why::NotComputed("names of files"));
    }
    let mut patterns = call.values("-e");
    if patterns.is_empty() {
        patterns.extend(call.operands.first());
    }
    let syntax = match call.program {
        "egrep" => Syntax::Extended,
        _ if call.has("-P") => Syntax::Perl,
        _ if call.has("-E") => Syntax::Extended,
        _ => Syntax::Basic,
    };
    let fixed = call.has("-F") || call.program == "fgrep";
    let mut matchers = Vec::new();
    for p in patterns {
        for line in p.split(|b| *b == b'\n') {
            let escaped;
            let (text, syntax) = if fixed {
                let plain = std::str::from_utf8(line).map_err(|_| Why::NotComputed("pattern"))?;
                escaped = ::regex::escape(plain);
                (escaped.as_bytes(), Syntax::Perl)
            } else {
                (line, syntax)
            };
            if matchers.len() >= crate::limits::MAX_REGEXES {
                return Err(Why::Limit);
            }
            matchers.push(Matcher::new(text, syntax, call.has("-i"))?);
        }
    }
    let (words, whole) = (call.has("-w"), call.has("-x"));
    let input = call.input_lines();
    // Text with bytes that are no characters counts as binary: then only the fact of a match is printed.
    if !call.has("-a") && (std::str::from_utf8(&input).is_err() || input.contains(&0)) {
        return Err(Why::NotComputed("binary data"));
    }
    let most = call.value("-m").map_or(Ok(usize::MAX), super::count)?;
    let mut out = Vec::new();
    let mut found = 0usize;
    for (i, line) in lines(&input).0.iter().enumerate() {
        if found >= most {
            break;
        }
        let parts = matches_of(&matchers, line, words, whole, call.has("-o"))?;
        if parts.is_empty() != call.has("-v") {
            continue;
        }
        found = found.saturating_add(1);
        if call.has("-q") || call.has("-c") || call.has("-v") && call.has("-o") {
            continue;
        }
        let number = if call.has("-n") { format!("{}:", i.saturating_add(1)) } else { String::new() };
        if call.has("-o") {
            for (a, b) in parts.into_iter().filter(|(a, b)| a < b) {
                out.extend_from_slice(number.as_bytes());
                out.extend_from_slice(line.get(a..b).unwrap_or(&[]));
                out.push(b'\n');
            }
        } else {
            out.extend_from_slice(number.as_bytes());
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
    if call.has("-c") && !call.has("-q") {
        out.extend_from_slice(format!("{found}\n").as_bytes());
    }
    Ok(Output::computed(out)?.with_status(u8::from(found == 0)))
}

/// The matches in a line: the first, or with `all` every one.
fn matches_of(
    matchers: &[Matcher],
    line: &[u8],
    words: bool,
    whole: bool,
    all: bool,
) -> Result<Vec<(usize, usize)>, Why> {
    let mut out = Vec::new();
    let mut at = 0usize;
    if !all && !words && !whole {
        return Ok(if matchers.iter().any(|m| m.is_match(line)) { vec![(0, 0)] } else { out });
    }
    while at <= line.len() {
        // Of several patterns the leftmost match counts, and there the longest.
        let mut best: Option<(usize, usize)> = None;
        for m in matchers {
            if let Some(w) = m.find_at(line, at)?.and_then(|c| c.get(0)) {
                let better = best.is_none_or(|(a, b)| w.start() < a || w.start() == a && w.end() > b);
                if better {
                    best = Some((w.start(), w.end()));
                }
            }
        }
        let Some((a, b)) = best else { break };
        if words || whole {
            let word = |i: Option<&u8>| i.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80);
            let before = a.checked_sub(1).and_then(|i| line.get(i));
            let fits = if whole { a == 0 && b == line.len() } else { !word(before) && !word(line.get(b)) };
            if !fits {
                // grep then tries shorter matches at the same place, which the engine here cannot say.
                return Err(Why::NotComputed("match of a part of a word"));
            }
        }
        out.push((a, b));
        if !all {
            break;
        }
        at = if b > a { b } else { b.saturating_add(1) };
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::check::{Compare, Rng, text};

    #[test]
    fn agrees_with_the_program() {
        let mut rng = Rng::new(59);
        let mut c = Compare::new("grep", "grep");
        let patterns = [
            "a",
            "o*",
            "^f",
            "r$",
            "[a-c]\\+",
            "fo\\|ba",
            "(a|b)+",
            "a|ab|abc",
            "\\bfoo",
            "x y",
            "[[:digit:]]",
            ".",
            "^$",
            "f.o",
            "[^a]",
            "\\(o\\)",
            "o{2}",
            "a?",
            "\\.",
            "-r",
            "*",
            "é",
            "[]a]",
            "ba[rz]",
            "\\w+",
            "b.*r",
            "(f|fo)(o|oo)?",
        ];
        for _ in 0..500 {
            let data = text(&mut rng);
            let pattern = rng.pick(&patterns).as_bytes();
            let mut options: Vec<(&str, Option<&[u8]>)> = Vec::new();
            for (o, odds) in [("-E", 2), ("-o", 3), ("-i", 4), ("-v", 6), ("-c", 8), ("-n", 6), ("-F", 9), ("-q", 12)] {
                if rng.below(odds) == 0 {
                    options.push((o, None));
                }
            }
            if options.contains(&("-E", None)) && options.contains(&("-F", None)) {
                continue;
            }
            options.push(("-e", Some(pattern)));
            c.case(&options, &[], &data);
        }
        c.finish(0.8);
    }
}
