//! Globs over commands, as in the deny rules of the described system: `*`, `?` and `[…]` against the whole text, without
//! regard to case. Time is at most the product of the two lengths.

/// True where the glob matches the whole text.
pub fn matches(glob: &str, text: &str) -> bool {
    let fold = |s: &str| s.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let (glob, text) = (fold(glob), fold(text));
    let (mut g, mut t) = (0usize, 0usize);
    // Where the last star stood, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = text.get(t) {
        let step = match glob.get(g) {
            Some('*') => {
                star = Some((g.saturating_add(1), t));
                g = g.saturating_add(1);
                continue;
            }
            Some('?') => Some(1),
            Some('[') => class(glob.get(g..).unwrap_or_default(), *c),
            Some(d) if d == c => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(width), _) => (g, t) = (g.saturating_add(width), t.saturating_add(1)),
            (None, Some((after, taken))) => {
                let taken = taken.saturating_add(1);
                star = Some((after, taken));
                (g, t) = (after, taken);
            }
            (None, None) => return false,
        }
    }
    glob.get(g..).unwrap_or_default().iter().all(|c| *c == '*')
}

/// The width of a bracket expression that takes the character; a `[` without an end stands for itself.
fn class(glob: &[char], c: char) -> Option<usize> {
    let negated = matches!(glob.get(1), Some('!' | '^'));
    let from = if negated { 2usize } else { 1 };
    // A bracket right after the start is a member.
    let end = glob.iter().skip(from.saturating_add(1)).position(|x| *x == ']');
    let Some(end) = end.map(|e| e.saturating_add(from).saturating_add(1)) else { return (c == '[').then_some(1) };
    let members = glob.get(from..end).unwrap_or_default();
    let mut i = 0usize;
    let mut found = false;
    while let Some(low) = members.get(i) {
        match (members.get(i.saturating_add(1)), members.get(i.saturating_add(2))) {
            (Some('-'), Some(high)) => {
                found |= (*low..=*high).contains(&c);
                i = i.saturating_add(3);
            }
            _ => {
                found |= *low == c;
                i = i.saturating_add(1);
            }
        }
    }
    (found != negated).then(|| end.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_texts() {
        for (glob, text, want) in [
            ("git push*", "git push --force", true),
            ("git push*", "echo git push", false),
            ("*--FORCE*", "git push --force origin", true),
            ("rm ?", "rm x", true),
            ("rm ?", "rm", false),
            ("a[!b-d]e", "aXe", true),
            ("a[!b-d]e", "ace", false),
            ("a[]]", "a]", true),
            ("a[", "a[", true),
            ("", "", true),
            ("*", "", true),
            ("*a*b*c", "xaxbxcxc", true),
            ("*a*b*c", "xaxbx", false),
        ] {
            assert_eq!(matches(glob, text), want, "{glob} {text}");
        }
    }
}
