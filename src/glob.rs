//! Globs against whole texts: those of grammars, lists, policies and path classes.
//!
//! In: a pattern and a text. Out: whether the pattern stands for the whole text. `*` is any run of characters, `?` one,
//! `[a-z]` and `[!a-z]` a set (a `]` right after the start is a member, a `[` without an end stands for itself), `\x` the
//! character x. Time is at most the product of the two lengths: one star is retried at a time. The shell's own patterns,
//! with classes and extended globs, are `value::pattern`'s. Floor 1; imports nothing.

/// True where the pattern stands for the whole text. Bytes that are no UTF-8 are characters of their own.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    // Nearly all patterns that begin with a star end in a letter that nearly no text ends in.
    if let Some(last) = pattern.last().filter(|b| is_plain(**b) && **b != b']')
        && text.last() != Some(last)
    {
        return false;
    }
    let (mut p, mut t) = (pattern, text);
    // What is left of the pattern and the text when the last star is to take one more character.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        match (p, t) {
            // Nearly all are letters that stand for themselves, and nearly all texts differ in the first of them.
            ([a, rest @ ..], [b, after @ ..]) if a == b && is_plain(*a) => {
                (p, t) = (rest, after);
                continue;
            }
            ([a, ..], _) if star.is_none() && is_plain(*a) => return false,
            ([b'*'], _) => return true,
            ([b'*', rest @ ..], _) => {
                star = Some((rest, t));
                p = rest;
                continue;
            }
            _ => {}
        }
        let step = match character(t) {
            None if p.is_empty() => return true,
            None => None,
            Some((c, after)) => take(p, c).map(|rest| (rest, after)),
        };
        match (step, star) {
            (Some((rest, after)), _) => (p, t) = (rest, after),
            (None, Some((rest, from))) => {
                let Some((_, mut next)) = character(from) else { return false };
                if let Some(first) = rest.first().filter(|b| is_plain(**b)) {
                    // No byte of a longer character is one of ASCII.
                    let at = memchr::memchr(*first, next).and_then(|at| next.get(at..));
                    let Some(at) = at else { return false };
                    next = at;
                }
                star = Some((rest, next));
                (p, t) = (rest, next);
            }
            (None, None) => return false,
        }
    }
}

/// True for a byte of a pattern that stands for itself, and is a character by itself.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii() && !matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

/// True where one of the patterns between `|` stands for the whole text.
pub fn any(patterns: &str, text: &[u8]) -> bool {
    patterns.as_bytes().split(|b| *b == b'|').any(|p| matches(p, text))
}

/// [`matches`] without regard to case, and with `\` as a character like any other: the globs that people write about
/// whole commands, in which it is part of a path.
pub fn folded(pattern: &str, text: &str) -> bool {
    matches(pattern.to_lowercase().replace('\\', "\\\\").as_bytes(), text.to_lowercase().as_bytes())
}

/// The first character and what follows it.
fn character(text: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = text.split_first()?;
    let width = match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return Some((u32::from(*first), rest)),
    };
    let whole = text.split_at_checked(width).and_then(|(c, rest)| Some((std::str::from_utf8(c).ok()?, rest)));
    match whole.and_then(|(c, rest)| Some((c.chars().next()?, rest))) {
        Some((c, rest)) => Some((u32::from(c), rest)),
        None => Some((u32::from(*first), rest)),
    }
}

/// The pattern after the part that takes the character.
fn take(pattern: &[u8], c: u32) -> Option<&[u8]> {
    let (first, rest) = character(pattern)?;
    match u8::try_from(first) {
        Ok(b'?') => Some(rest),
        Ok(b'[') => {
            let from = usize::from(matches!(rest.first(), Some(b'!' | b'^')));
            let end = rest.iter().skip(from.saturating_add(1)).position(|b| *b == b']');
            let Some(end) = end.map(|n| n.saturating_add(from).saturating_add(1)) else {
                return (c == first).then_some(rest);
            };
            let (set, after) = rest.split_at_checked(end)?;
            let inside = holds(set.get(from..).unwrap_or_default(), c);
            (inside != (from == 1)).then(|| after.get(1..).unwrap_or_default())
        }
        Ok(b'\\') => {
            let (quoted, after) = character(rest)?;
            (quoted == c).then_some(after)
        }
        _ => (first == c).then_some(rest),
    }
}

/// True where the members of a set, characters and ranges, hold the character.
fn holds(mut set: &[u8], c: u32) -> bool {
    while let Some((low, rest)) = character(set) {
        let range = rest.strip_prefix(b"-").and_then(character);
        set = match range {
            Some((high, _)) if (low..=high).contains(&c) => return true,
            Some((_, after)) => after,
            None if low == c => return true,
            None => rest,
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_the_whole_text() {
        for (pattern, text, is) in [
            ("python3.[0-9]*", "python3.12", true),
            ("python3.[0-9]*", "python3.x", false),
            ("python3.[0-9]*", "python3", false),
            ("*.core*=!", "a.b.core.x=!", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("[!a-c]x", "dx", true),
            ("[!a-c]x", "bx", false),
            ("a[]]", "a]", true),
            ("a[!]]", "a]", false),
            ("[", "[", true),
            ("a[", "a[", true),
            ("[a-]", "-", true),
            ("", "", true),
            ("*", "", true),
            ("", "x", false),
            ("?", "", false),
            ("?x", "äx", true),
            ("[ä-ü]", "ö", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("\\", "\\", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), is, "{pattern} {text}");
        }
        assert!(matches(b"?", b"\xff") && matches(b"??", b"\xc3(") && !matches(b"?", b"\xc3("));
    }

    #[test]
    fn bars_part_patterns() {
        assert!(any("GET|HEAD", b"HEAD") && !any("GET|HEAD", b"GETHEAD") && any("a|", b""));
    }

    #[test]
    fn case_and_backslashes_do_not_matter_to_people() {
        assert!(folded("*--FORCE*", "git push --force origin") && folded("del c:\\*", "DEL C:\\x"));
        assert!(folded("a[!b-d]e", "aXe") && !folded("a[!b-d]e", "aCe") && !folded("git push*", "echo git push"));
    }
}
