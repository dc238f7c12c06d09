//! The hosts that are worth imitating, and how letters are read: `grammars/lists/known_hosts.list` and `letters.list`.
//!
//! In: the lists, most of which the build compiles to sorted tables; what is said of letters outside ASCII is read when the
//! first one is met. Out: whether a domain is known, which known name another is near to, what a letter looks like.
//! Imports nothing of the project.

use super::tables::{FILE_ENDINGS, FRONTS, KNOWN_BY_LENGTH, KNOWN_HOSTS, REGISTRIES, SECOND_LEVELS, SWAPS, TYPOS};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::OnceLock;
use unicode_normalization::char::is_combining_mark;
use unicode_script::Script;

const LETTERS: &str = include_str!("../../grammars/lists/letters.list");

/// Shortest name that is compared letter by letter: shorter ones are a letter away from too much.
const MIN_NEAR: usize = 6;
/// Shortest name for which exchanged digits, and two letters in each other's place, are told.
const MIN_SWAPPED: usize = 5;

/// Shortest name that stands out of a longer one without a separator.
const MIN_JOINED: usize = 8;
/// Shortest name of which two letters in each other's place are told where the ending is the same: `ghrc.io`.
const MIN_SHORT: usize = 4;
/// Shortest name whose ending counts: the rest is the same.
const MIN_ENDED: usize = 3;
/// Letters that look alike in the short word of an ending.
const PAIRS: [(u8, u8); 7] =
    [(b'i', b'l'), (b'h', b'b'), (b'm', b'n'), (b'u', b'v'), (b'c', b'e'), (b'q', b'g'), (b'v', b'w')];

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
}

/// A known domain: the whole, and its first label (`github` of `github.com`).
type Known = (&'static str, &'static str);

#[derive(Default)]
struct Letters {
    of_domain: HashMap<&'static str, &'static str>,
    of_script: Vec<(Script, Vec<&'static str>)>,
    looks: HashMap<char, &'static str>,
    wrong: Vec<&'static str>,
}

fn letters() -> &'static Letters {
    static LETTERS_READ: OnceLock<Letters> = OnceLock::new();
    LETTERS_READ.get_or_init(|| {
        let mut out = Letters::default();
        for line in lines(LETTERS) {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            let pair = rest.split_once(' ');
            match (kind, pair) {
                ("letters", Some((domains, all))) => out.of_domain.extend(domains.split(',').map(|d| (d, all))),
                ("script", Some((name, domains))) => match Script::from_short_name(name) {
                    Some(script) => out.of_script.push((script, domains.split(',').collect())),
                    None => out.wrong.push(line),
                },
                ("looks", Some((letter, text))) => match letter.chars().next() {
                    Some(c) if letter.chars().count() == 1 => {
                        out.looks.insert(c, text);
                    }
                    _ => out.wrong.push(line),
                },
                // The build has made tables of these.
                ("swap", Some(_)) | ("second" | "typo" | "file" | "front" | "registry", _) => {}
                _ => out.wrong.push(line),
            }
        }
        out
    })
}

/// True where a sorted list has the word.
fn has(list: &[&str], word: &str) -> bool {
    list.binary_search(&word).is_ok()
}

/// The known domain that a host is, or lies under.
pub fn known(host: &str) -> Option<&'static str> {
    let mut rest = host;
    // A name has at most 127 labels (RFC 1035).
    for _ in 0..128 {
        if let Some(found) = KNOWN_HOSTS.binary_search(&rest).ok().and_then(|i| KNOWN_HOSTS.get(i)) {
            return Some(found);
        }
        rest = rest.split_once('.')?.1;
    }
    None
}

/// The label that somebody registered, and what it is registered under: `b`, `co.uk` of `a.b.co.uk`.
pub fn registered(host: &str) -> Option<(&str, &str)> {
    let (mut front, last) = host.rsplit_once('.')?;
    let mut suffix = last;
    if last.len() == 2
        && let Some((before, second)) = front.rsplit_once('.')
        && has(SECOND_LEVELS, second)
    {
        front = before;
        suffix = host.get(before.len().saturating_add(1)..).unwrap_or(last);
    }
    let main = front.rsplit('.').next().unwrap_or(front);
    (!main.is_empty()).then_some((main, suffix))
}

/// True for a domain that is also the ending of names of files.
pub fn is_file_like(suffix: &str) -> bool {
    has(FILE_ENDINGS, suffix)
}

/// True where the letters outside ASCII in a label are those of the language of its domain.
pub fn is_at_home(label: &str, top: &str) -> bool {
    let Some(own) = letters().of_domain.get(top) else { return false };
    label.chars().all(|c| c.is_ascii() || own.contains(c))
}

/// True where the domain is of a country that writes in that script.
pub fn writes_in(top: &str, script: Script) -> bool {
    !top.is_ascii() || letters().of_script.iter().any(|(s, tops)| *s == script && tops.contains(&top))
}

/// The known domain that a registered name is made of, with a dash, or nothing, where a dot belongs:
/// `raw-githubusercontent.com`.
pub fn undotted(main: &str, suffix: &str) -> Option<&'static str> {
    let is_known = |name: &str| {
        let whole = format!("{name}.{suffix}");
        known(&whole).filter(|k| *k == whole)
    };
    if let (Some((front, _)), Some((_, name))) = (main.split_once('-'), main.rsplit_once('-')) {
        return if has(FRONTS, front) { is_known(name) } else { None };
    }
    let joined = |front: &&str| main.strip_prefix(*front).filter(|n| n.len() >= MIN_JOINED).and_then(is_known);
    FRONTS.iter().find_map(joined)
}

/// What a reader sees who does not look closely: the skeleton of UTS 39 without marks, in lower case.
pub fn fold(text: &str) -> String {
    let looks = &letters().looks;
    let mut out = String::with_capacity(text.len());
    for c in unicode_security::skeleton(&looked(text, looks)).filter(|c| !is_combining_mark(*c)) {
        for c in c.to_lowercase() {
            match looks.get(&c) {
                Some(as_text) => out.push_str(as_text),
                None => out.push(c),
            }
        }
    }
    out
}

/// True where UTS 39 says of every letter that it is confused with ones of ASCII.
pub fn is_skeleton_ascii(text: &str) -> bool {
    unicode_security::skeleton(text).all(|c| c.is_ascii())
}

fn looked(text: &str, looks: &HashMap<char, &'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match looks.get(&c) {
            Some(as_text) => out.push_str(as_text),
            None => out.push(c),
        }
    }
    out
}

/// The known domain whose name a label with letters outside ASCII is read as: the same, a letter away, or with more
/// around it. Both sides are folded.
pub fn read_as(label: &str) -> Option<&'static str> {
    static FOLDED: OnceLock<Vec<(String, &'static str)>> = OnceLock::new();
    let table = FOLDED
        .get_or_init(|| KNOWN_BY_LENGTH.iter().flat_map(|(_, all)| *all).map(|(d, main)| (fold(main), *d)).collect());
    let shown = fold(label);
    let same = table.iter().find(|(f, _)| *f == shown);
    let near = || {
        table.iter().find(|(f, _)| {
            f.len() >= MIN_SWAPPED
                && (step(f.as_bytes(), shown.as_bytes()).is_some() || f.len() >= MIN_NEAR && shown.contains(f.as_str()))
        })
    };
    same.or_else(near).map(|(_, d)| *d)
}

/// The known name that stands by itself in a label of another script (`不能paypal打开`).
pub fn within(label: &str) -> Option<&'static str> {
    let mut runs = label.split(|c: char| !c.is_ascii_alphanumeric()).filter(|r| r.len() >= MIN_NEAR);
    runs.find_map(|run| {
        let (_, of_length) = KNOWN_BY_LENGTH.get(run.len())?;
        of_length.iter().find(|(_, main)| *main == run).map(|(d, _)| *d)
    })
}

/// How a name differs from a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Near {
    /// Digits and letters that are read as others: `paypa1`, `rnicrosoft`.
    Swapped,
    /// One letter more, less, or another; or two in each other's place.
    Letter,
    /// The name itself under an ending that is read as the real one.
    Ending,
}

/// The known domain that a registered name of ASCII letters is near to.
pub fn near(main: &str, suffix: &str) -> Option<(&'static str, Near)> {
    let around = main.len().saturating_sub(1)..=main.len().saturating_add(2);
    // Nearly all names are passed over by a look at their first letters.
    let candidates = |may: &dyn Fn(u8) -> bool| {
        let of_length = around.clone().filter_map(|n| KNOWN_BY_LENGTH.get(n));
        let letters = of_length.flat_map(|(letters, all)| letters.iter().zip(*all));
        letters.filter(|(c, _)| may(**c)).map(|(_, known)| known).collect::<SmallVec<[&Known; 16]>>()
    };
    let first = main.bytes().next();
    let same = candidates(&|c| Some(c) == first);
    if same.iter().any(|(_, known)| *known == main) {
        let registry = |(d, known): &&Known| *known == main && has(REGISTRIES, d);
        let typo = has(TYPOS, suffix) && (main.len() >= MIN_SWAPPED || same.iter().any(registry));
        let of_it = |(d, known): &&Known| *known == main && d.len().abs_diff(main.len() + 1 + suffix.len()) <= 1;
        // `claude.al`: an ending that looks like the real one.
        let alike = |(d, known): &&Known| {
            *known == main && main.len() >= MIN_ENDED && d.rsplit('.').next().is_some_and(|e| is_alike(e, suffix))
        };
        let near = same.iter().find(|k| typo && of_it(k) || alike(k));
        return near.map(|(d, _)| (*d, Near::Ending));
    }
    // A name that is near begins with the same letter, with what is read as it, or with the second one.
    let second = main.as_bytes().get(1).copied();
    let shown = swapped(main.as_bytes()).next();
    let bit = |c: u8| 1u128 << (c % 128);
    let swaps = SWAPS.iter().filter_map(|(from, _)| from.bytes().next()).fold(0, |all, c| all | bit(c));
    let begins = [first, second, shown].into_iter().flatten().fold(swaps, |all, c| all | bit(c));
    let may = |c: u8| begins & bit(c) != 0;
    for (domain, known) in candidates(&may) {
        let same_end = domain.strip_prefix(*known).and_then(|e| e.strip_prefix('.')) == Some(suffix);
        let enough = if same_end { MIN_ENDED } else { MIN_SWAPPED };
        if known.len() >= enough && swapped(known.as_bytes()).eq(swapped(main.as_bytes())) {
            return Some((domain, Near::Swapped));
        }
        let Some(step) = step(known.as_bytes(), main.as_bytes()) else { continue };
        let enough = match step {
            Step::Exchange if same_end => MIN_SHORT,
            Step::Exchange => MIN_SWAPPED,
            Step::Other | Step::First => MIN_NEAR,
        };
        if known.len() >= enough && step != Step::First {
            return Some((domain, Near::Letter));
        }
    }
    None
}

/// True for two endings that differ in one letter that looks like the other.
fn is_alike(a: &str, b: &str) -> bool {
    let same = |x: u8, y: u8| PAIRS.iter().any(|(p, q)| (*p, *q) == (x, y) || (*q, *p) == (x, y));
    let mut apart = a.bytes().zip(b.bytes()).filter(|(x, y)| x != y);
    a.len() == b.len() && apart.next().is_some_and(|(x, y)| same(x, y)) && apart.next().is_none()
}

/// A name as it is read, letter by letter, so that most comparisons end at the first.
fn swapped(name: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut rest = name;
    std::iter::from_fn(move || {
        let first = rest.first().copied()?;
        let swap = SWAPS.iter().find(|(from, _)| rest.starts_with(from.as_bytes()));
        rest = rest.get(swap.map_or(1, |(from, _)| from.len())..).unwrap_or_default();
        Some(swap.and_then(|(_, to)| to.bytes().next()).unwrap_or(first))
    })
}

/// One step between two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Two neighbours in each other's place.
    Exchange,
    /// Another first letter: mostly another word.
    First,
    /// One letter more, less, or another.
    Other,
}

/// The one step from `a` to `b`; `None` where it takes none, or more.
pub fn step(a: &[u8], b: &[u8]) -> Option<Step> {
    if a == b || a.len().abs_diff(b.len()) > 1 {
        return None;
    }
    let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(front..)?, b.get(front..)?);
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(..a.len().checked_sub(back)?)?, b.get(..b.len().checked_sub(back)?)?);
    match (a, b) {
        ([_], [_]) if front == 0 => Some(Step::First),
        ([], [_]) | ([_], []) if front == 0 => Some(Step::First),
        ([_], [_]) | ([], [_]) | ([_], []) => Some(Step::Other),
        ([p, q], [r, s]) if p == s && q == r => Some(Step::Exchange),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_an_entry() {
        assert_eq!(letters().wrong, Vec::<&str>::new());
        for domain in KNOWN_HOSTS {
            assert!(domain.contains('.') && domain.is_ascii() && !domain.contains(' '), "{domain}");
        }
    }

    #[test]
    fn counts_steps() {
        assert_eq!(step(b"github", b"githbu"), Some(Step::Exchange));
        assert_eq!(step(b"github", b"gihub"), Some(Step::Other));
        assert_eq!(step(b"github", b"githuub"), Some(Step::Other));
        assert_eq!(step(b"github", b"bithub"), Some(Step::First));
        assert_eq!((step(b"github", b"github"), step(b"github", b"gitlab")), (None, None));
    }

    #[test]
    fn near_names() {
        assert_eq!(near("paypa1", "com"), Some(("paypal.com", Near::Swapped)));
        assert_eq!(near("rnicrosoft", "com"), Some(("microsoft.com", Near::Swapped)));
        assert_eq!(near("githubb", "com").map(|n| n.1), Some(Near::Letter));
        assert_eq!(near("github", "cm").map(|n| n.1), Some(Near::Ending));
        for (main, suffix, known) in
            [("claude", "al", "claude.ai"), ("bun", "sb", "bun.sh"), ("pypl", "org", "pypi.org")]
        {
            assert_eq!(near(main, suffix).map(|n| n.0), Some(known), "{main}.{suffix}");
        }
        for (main, suffix) in
            [("github", "com"), ("stack", "com"), ("switch", "ch"), ("google", "de"), ("disco", "org")]
        {
            assert_eq!(near(main, suffix), None, "{main}.{suffix}");
        }
        assert_eq!(registered("a.b.co.uk"), Some(("b", "co.uk")));
        assert_eq!(registered("a.b.com"), Some(("b", "com")));
        assert_eq!(known("api.github.com"), Some("github.com"));
    }

    #[test]
    fn letters_are_read() {
        for (label, domain) in
            [("gïthub", "github.com"), ("bėśtchange", "bestchange.net"), ("mуetherwallet", "myetherwallet.com")]
        {
            assert_eq!(read_as(label).map(|d| d.split('.').next()), Some(domain.split('.').next()), "{label}");
        }
        assert!(is_at_home("münchen", "de") && !is_at_home("münchen", "com") && is_at_home("aþcdef", "is"));
    }
}
