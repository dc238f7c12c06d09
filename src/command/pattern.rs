//! The globs of grammars: `*`, `?`, `[a-z]`, `[!a-z]`, `|` between alternatives. Linear in practice: one star is
//! retried at a time.

/// True where the text matches one of the glob's alternatives.
pub fn matches(glob: &str, text: &[u8]) -> bool {
    glob.as_bytes().split(|b| *b == b'|').any(|g| one(g, text))
}

fn one(glob: &[u8], text: &[u8]) -> bool {
    let (mut g, mut t) = (glob, text);
    // What is left of the glob and the text when the last star is to take one more byte.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        if let Some((b'*', rest)) = g.split_first() {
            star = Some((rest, t));
            g = rest;
            continue;
        }
        let step = match t.split_first() {
            None if g.is_empty() => return true,
            None => None,
            Some((c, after)) => take(g, *c).map(|rest| (rest, after)),
        };
        match (step, star) {
            (Some((rest, after)), _) => (g, t) = (rest, after),
            (None, Some((rest, from))) => {
                let Some((_, next)) = from.split_first() else { return false };
                star = Some((rest, next));
                (g, t) = (rest, next);
            }
            (None, None) => return false,
        }
    }
}

/// The glob after the part that takes `c`.
fn take(glob: &[u8], c: u8) -> Option<&[u8]> {
    let (first, rest) = glob.split_first()?;
    match first {
        b'?' => Some(rest),
        b'[' => match rest.iter().skip(1).position(|b| *b == b']') {
            None => (c == b'[').then_some(rest),
            Some(n) => {
                let (set, after) = rest.split_at_checked(n.saturating_add(1))?;
                bracket(set, c).then(|| after.get(1..).unwrap_or_default())
            }
        },
        b'\\' => {
            let (quoted, after) = rest.split_first()?;
            (*quoted == c).then_some(after)
        }
        b => (*b == c).then_some(rest),
    }
}

fn bracket(set: &[u8], c: u8) -> bool {
    let (not, mut set) = match set {
        [b'!' | b'^', rest @ ..] => (true, rest),
        all => (false, all),
    };
    let mut found = false;
    loop {
        set = match set {
            [a, b'-', b, rest @ ..] => {
                found |= (*a..=*b).contains(&c);
                rest
            }
            [a, rest @ ..] => {
                found |= *a == c;
                rest
            }
            [] => return found != not,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs_match_whole_texts() {
        for (glob, text, is) in [
            ("python3.[0-9]*", "python3.12", true),
            ("python3.[0-9]*", "python3.x", false),
            ("python3.[0-9]*", "python3", false),
            ("*.core*=!", "a.b.core.x=!", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("[!a-c]x", "dx", true),
            ("[!a-c]x", "bx", false),
            ("GET|HEAD", "HEAD", true),
            ("GET|HEAD", "GETHEAD", false),
            ("[", "[", true),
            ("", "", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(glob, text.as_bytes()), is, "{glob} {text}");
        }
    }
}
