//! Addresses that stand for several, as curl writes them (curl(1), GLOBBING): `{a,b}`, `[1-10]`, `[001-100:2]`, `[a-z]`.
//!
//! In: the text. Out: the addresses that it stands for, the first [`MOST`] of them; nothing where it stands for itself. A
//! leaf.

/// Most addresses that are looked at.
const MOST: usize = 64;

/// The addresses that a text stands for, where it has lists or ranges.
pub fn expanded(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    let mut found = false;
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let list = match (first, after) {
            (b'\\', [b @ (b'[' | b']' | b'{' | b'}'), more @ ..]) => {
                rest = more;
                all.iter_mut().for_each(|t| t.push(*b));
                continue;
            }
            (b'{', _) => between(after, b'}').map(|(inner, more)| {
                (inner.split(|b| *b == b',').take(MOST).map(<[u8]>::to_vec).collect::<Vec<_>>(), more)
            }),
            (b'[', _) => between(after, b']').and_then(|(inner, more)| Some((range(inner)?, more))),
            _ => None,
        };
        let Some((list, more)) = list else {
            rest = after;
            all.iter_mut().for_each(|t| t.push(*first));
            continue;
        };
        found = true;
        rest = more;
        let each = |t: &Vec<u8>| list.iter().map(|l| [t.as_slice(), l].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(each).take(MOST).collect();
    }
    found.then_some(all)
}

/// What stands up to a byte, and what stands behind it.
fn between(text: &[u8], end: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(end, text)?;
    Some((text.get(..at)?, text.get(at.saturating_add(1)..)?))
}

/// The members of a range; nothing for the number of IPv6 in its brackets.
fn range(inner: &[u8]) -> Option<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(inner).ok()?;
    let (ends, step) = text.split_once(':').unwrap_or((text, "1"));
    let (from, to) = ends.split_once('-')?;
    let step: usize = step.parse().ok().filter(|s| *s > 0)?;
    if let ([a], [b]) = (from.as_bytes(), to.as_bytes())
        && a.is_ascii_alphabetic()
        && b.is_ascii_alphabetic()
    {
        return Some((*a..=*b).step_by(step).take(MOST).map(|c| vec![c]).collect());
    }
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let (first, last): (u64, u64) = (digits(from).then(|| from.parse().ok())??, digits(to).then(|| to.parse().ok())??);
    let width = if from.starts_with('0') { from.len() } else { 0 };
    Some((first..=last).step_by(step).take(MOST).map(|n| format!("{n:0width$}").into_bytes()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        let all = |t: &str| {
            expanded(t.as_bytes())
                .map(|all| all.iter().map(|t| String::from_utf8_lossy(t).into_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            all("http://{a,b}.e/[1-2]").unwrap(),
            ["http://a.e/1", "http://a.e/2", "http://b.e/1", "http://b.e/2"]
        );
        assert_eq!(all("x[08-10:2]").unwrap(), ["x08", "x10"]);
        assert_eq!(all("x[a-c]").unwrap(), ["xa", "xb", "xc"]);
        for plain in ["http://[::1]/", "http://[fe80::1%25lo]:80/", "a[b", "a{b", "\\{a,b\\}"] {
            assert_eq!(all(plain), None, "{plain}");
        }
        assert_eq!(all("[1-9999]{a,b,c}").unwrap().len(), MOST);
    }
}
