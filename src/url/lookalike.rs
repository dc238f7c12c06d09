//! Hosts that are read as others: the tricks in an address, each with what shows it.
//!
//! In: an [`Address`], with its text as it was written. Out: [`Look`]s: letters of several scripts in one label, names
//! that are read as a known one (UTS 39 skeletons, near misses of ASCII names, a known name in front of another
//! domain), names in punycode, characters that a host cannot have or that cannot be seen. Whose host it is stays open:
//! nothing is looked up. Honest names in one script, or in the mixtures that Japanese, Chinese and Korean are written
//! in, give nothing. A leaf: imports `url` and `text`
//! only.

use super::{Address, Host, known};
use crate::text::{is_alike, is_ascii_in_disguise, is_unseen};
use unicode_script::{Script, UnicodeScript};
use unicode_security::{GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection};

/// What is done to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trick {
    /// Characters that cannot be seen, or turn the direction.
    Invisible,
    /// Characters that a host cannot have, or that programs turn into others without a word.
    Invalid,
    /// Letters of several scripts in one label.
    MixedScript,
    /// Letters outside ASCII, read as a known name.
    Confusable,
    /// Letters of one other script that all look like ASCII.
    WholeScript,
    /// An ASCII name whose digits or letter pairs are read as those of a known one.
    Swapped,
    /// An ASCII name one letter away from a known one.
    OneLetter,
    /// A known name under an ending that is read as its own.
    Ending,
    /// A known name in front of another domain.
    InFront,
    /// Letters outside ASCII that are not those of the domain's language.
    Foreign,
    /// A name in punycode.
    Punycode,
    /// A name in punycode that stands for nothing.
    BadPunycode,
    /// A domain that is the ending of names of files.
    FileLike,
}

/// One trick in one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// What.
    pub trick: Trick,
    /// The host as a reader would see it.
    pub shown: String,
    /// The known name that it is read as.
    pub known: Option<&'static str>,
    /// The characters that do it.
    pub points: Vec<char>,
}

/// Stands for what is not known in the texts of an address.
const UNKNOWN: char = '…';

/// The tricks in the host of an address.
pub fn looks(a: &Address) -> Vec<Look> {
    let text = a.host_text.trim_end_matches('.');
    if text.is_empty() || matches!(a.host, Host::Ip(_)) && text.is_ascii() {
        return Vec::new();
    }
    let lower = text.to_ascii_lowercase();
    if lower.is_ascii() && !lower.contains("xn--") && !lower.contains('%') {
        return plain(&lower, a.schemeless);
    }
    let decoded = percent_decoded(&lower);
    let mut out = Vec::new();
    let mut add = |trick, shown: &str, known, points| out.push(Look { trick, shown: shown.into(), known, points });
    let unseen: Vec<char> = decoded.chars().filter(|c| is_unseen(*c)).collect();
    if !unseen.is_empty() {
        add(Trick::Invisible, &decoded, None, unseen);
    }
    // What UTS 46 turns into ASCII: full-width letters, letters in circles, the ideographic full stop.
    let (unicode, valid) = idna::domain_to_unicode(&decoded);
    let turned: Vec<char> = decoded
        .chars()
        .filter(|c| !c.is_ascii() && *c != UNKNOWN && !is_unseen(*c))
        .filter(|c| !c.is_alphabetic() && !is_mark(*c) || is_ascii_in_disguise(*c))
        .filter(|c| !unicode.contains(*c) || !c.is_alphanumeric() && !c.identifier_allowed())
        .collect();
    if !turned.is_empty() || decoded != lower {
        add(Trick::Invalid, &decoded, None, turned);
    }
    let written = lower.split('.').any(|l| l.starts_with("xn--"));
    if written {
        let good = valid.is_ok() && !unicode.contains('\u{FFFD}');
        let points = unicode.chars().filter(|c| !c.is_ascii()).collect();
        add(if good { Trick::Punycode } else { Trick::BadPunycode }, &unicode, None, points);
    }
    let top = unicode.rsplit('.').next().unwrap_or_default();
    if unicode.is_ascii() {
        out.extend(plain(&unicode, a.schemeless));
        return out;
    }
    for label in unicode.split('.').filter(|l| !l.is_ascii() && !l.contains([UNKNOWN, '\u{FFFD}'])) {
        if let Some((trick, known)) = label_trick(label, top) {
            let points = label.chars().filter(|c| !c.is_ascii()).collect();
            out.push(Look { trick, shown: unicode.clone(), known, points });
        }
    }
    out.extend(in_front(&unicode));
    out
}

/// What is wrong with one label outside ASCII.
fn label_trick(label: &str, top: &str) -> Option<(Trick, Option<&'static str>)> {
    let known = known::read_as(label);
    let letters: String = label.chars().filter(|c| c.is_alphanumeric()).collect();
    let scripts: Vec<Script> = letters.chars().map(|c| c.script()).collect();
    let latin = |s: &Script| matches!(s, Script::Latin | Script::Common | Script::Inherited);
    if scripts.iter().all(latin) {
        return match known {
            Some(_) => Some((Trick::Confusable, known)),
            None if known::is_at_home(label, top) => None,
            None => Some((Trick::Foreign, None)),
        };
    }
    // A letter that no identifier has makes a mixture with Latin worse (UTS 39, 5.2: unrestricted). Chinese, Japanese and Korean
    // are written with Latin letters among theirs.
    let beside =
        |s: &Script| matches!(s, Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo);
    let strange = |c: char| !c.identifier_allowed() && !latin(&c.script()) && !beside(&c.script());
    if scripts.contains(&Script::Latin) && letters.chars().any(strange) {
        return Some((Trick::MixedScript, known));
    }
    // Marks and signs that identifiers do not have are told elsewhere; here only the mixture counts.
    let usual: String = label.chars().filter(|c| c.identifier_allowed()).collect();
    if usual.as_str().detect_restriction_level() > RestrictionLevel::HighlyRestrictive {
        return Some((Trick::MixedScript, known));
    }
    if usual.as_str().detect_restriction_level() == RestrictionLevel::HighlyRestrictive {
        // `bュockchain`: one such letter in the place of another.
        let masked: String = label.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
        return known::within(label).or_else(|| known::read_as(&masked)).map(|k| (Trick::Confusable, Some(k)));
    }
    // One script: read as a known name, or made of nothing but letters that look like ASCII.
    let several = letters.chars().count() > 1;
    let all_alike = several && known::fold(label).is_ascii();
    let script = scripts.iter().find(|s| !latin(s)).copied().unwrap_or(Script::Unknown);
    match (all_alike, known) {
        (true, Some(_)) => Some((Trick::WholeScript, known)),
        (true, None) if known::is_skeleton_ascii(label) && !known::writes_in(top, script) => {
            Some((Trick::WholeScript, None))
        }
        _ => None,
    }
}

/// The tricks in a host of ASCII letters.
fn plain(host: &str, schemeless: bool) -> Vec<Look> {
    let mut out = Vec::new();
    let mut add = |trick, known, points| out.push(Look { trick, shown: host.to_string(), known, points });
    // Globs of curl ({a,b}, [1-3]), pieces that are not known, and names of services with an underscore are fine.
    let odd = |c: &char| !(c.is_ascii_alphanumeric() || ".-_{}[],*?:%~".contains(*c));
    let invalid: Vec<char> = host.chars().filter(odd).collect();
    if !invalid.is_empty() {
        // Without a scheme it may be no host at all.
        if schemeless {
            return out;
        }
        add(Trick::Invalid, None, invalid);
        return out;
    }
    if known::known(host).is_some() {
        return out;
    }
    let Some((main, suffix)) = known::registered(host) else { return out };
    if known::is_file_like(suffix) {
        add(Trick::FileLike, None, Vec::new());
    }
    if let Some((known, how)) = known::near(main, suffix) {
        let trick = match how {
            known::Near::Swapped => Trick::Swapped,
            known::Near::Letter => Trick::OneLetter,
            known::Near::Ending => Trick::Ending,
        };
        add(trick, Some(known), Vec::new());
    } else if let Some(known) = known::undotted(main, suffix) {
        add(Trick::InFront, Some(known), Vec::new());
    }
    out.extend(in_front(host));
    out
}

/// `github.com.evil.example`: a known domain in front of another one.
fn in_front(host: &str) -> Option<Look> {
    let labels: Vec<&str> = host.split('.').collect();
    let count = labels.len();
    // What follows has to be a domain of its own: `google.com.br` is the country's.
    for end in 2..count.saturating_sub(1) {
        let Some(front) = labels.get(..end) else { break };
        if let Some(known) = known::known(&front.join(".")) {
            return Some(Look { trick: Trick::InFront, shown: host.into(), known: Some(known), points: Vec::new() });
        }
    }
    // `github.com-login.example`, below other names, too: a known domain, a hyphen, and a domain of somebody's.
    labels.windows(2).enumerate().find_map(|(i, pair)| {
        let [first, second] = pair else { return None };
        let (ending, _) = second.split_once('-')?;
        let whole = format!("{first}.{ending}");
        let known = known::known(&whole).filter(|k| *k == whole && labels.len() > i.saturating_add(2))?;
        Some(Look { trick: Trick::InFront, shown: host.into(), known: Some(known), points: Vec::new() })
    })
}

fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_string();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().peekable();
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    while let Some(b) = bytes.next() {
        let mut ahead = bytes.clone();
        match (b, ahead.next().and_then(digit), ahead.next().and_then(digit)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high << 4) | low);
                bytes = ahead;
            }
            _ => out.push(b),
        }
    }
    String::from_utf8_lossy(&out).to_lowercase()
}

/// What is odd in the path of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathTrick {
    /// Letters that look like ASCII among ASCII ones, in one segment.
    Homoglyph(String, Vec<char>),
    /// Other characters outside ASCII.
    NonAscii(Vec<char>),
    /// Percent signs that are themselves encoded (`%252e`): checks and programs read it differently.
    DoubleEncoding,
}

/// The tricks in the path of an address, up to its query.
pub fn path_tricks(a: &Address) -> Vec<PathTrick> {
    let path = a.path.split(['?', '#']).next().unwrap_or_default();
    let mut out = Vec::new();
    if path.contains('%') && is_double(path) {
        out.push(PathTrick::DoubleEncoding);
    }
    if !path.is_ascii() {
        let mixed = path.split(['/', '\\']).find_map(|segment| {
            let alike: Vec<char> = segment.chars().filter(|c| *c != UNKNOWN && is_alike(*c)).collect();
            let ascii = segment.chars().any(|c| c.is_ascii_alphabetic());
            (!alike.is_empty() && ascii).then(|| PathTrick::Homoglyph(segment.to_string(), alike))
        });
        let others: Vec<char> = path.chars().filter(|c| !c.is_ascii() && *c != UNKNOWN).collect();
        if mixed.is_some() {
            out.extend(mixed);
        } else if !others.is_empty() {
            out.push(PathTrick::NonAscii(others));
        }
    }
    out
}

fn is_double(path: &str) -> bool {
    path.match_indices("%25").any(|(i, _)| {
        let after = path.get(i.saturating_add(3)..).and_then(|r| r.get(..2));
        after.is_some_and(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(host: &str) -> Vec<Trick> {
        let a = Address::parse_text(&format!("https://{host}/x"), "https").unwrap();
        looks(&a).into_iter().map(|l| l.trick).collect()
    }

    #[test]
    fn tricks_in_hosts() {
        use Trick::*;
        for (host, want) in [
            ("gïthub.com", vec![Confusable]),
            ("xn--gthub-zsa.com", vec![Punycode, Confusable]),
            ("gіthub.com", vec![MixedScript]),
            ("gѝthub.com", vec![MixedScript]),
            ("docӄer.com", vec![MixedScript]),
            ("ɢoogle.com", vec![Confusable]),
            ("gitʜub.com", vec![Confusable]),
            ("githuƅ.com", vec![Confusable]),
            ("раураӏ.com", vec![WholeScript]),
            ("paypa1.com", vec![Swapped]),
            ("githubb.com", vec![OneLetter]),
            ("github.com.evil.example", vec![InFront]),
            ("github.com-login.example", vec![InFront]),
            ("www.paypal.com-login.example", vec![InFront]),
            ("a.b.github.com-x.example", vec![InFront]),
            ("raw-githubusercontent.com", vec![InFront]),
            ("rawgithubusercontent.com", vec![InFront]),
            ("s3-eu-west-1-amazonaws.com", vec![InFront]),
            ("claude.al", vec![Ending]),
            ("git\u{200B}hub.com", vec![Invisible]),
            ("git\u{AD}hub.com", vec![Invisible]),
            ("xn--99999999.com", vec![BadPunycode]),
            ("ｇithub.com", vec![Invalid]),
            ("schöne-seite.com", vec![Foreign]),
            ("update.zip", vec![FileLike]),
        ] {
            assert_eq!(of(host), want, "{host}");
        }
    }

    #[test]
    fn honest_hosts() {
        for host in [
            "github.com",
            "raw.githubusercontent.com",
            "münchen.de",
            "例え.jp",
            "東京abcカナ.co.jp",
            "한국abc.kr",
            "новости.рф",
            "погода.com",
            "ελλάδα.gr",
            "google.com.br",
            "openssh.com",
            "openal.org",
            "crate.io",
            "google.de",
            "blog-github.com",
            "learn-python.org",
            "dl-cdn.alpinelinux.org",
            "host_a",
            "files{1,2}.example.org",
            "localhost",
        ] {
            assert_eq!(of(host), Vec::<Trick>::new(), "{host}");
        }
    }

    #[test]
    fn tricks_in_paths() {
        let of = |path: &str| path_tricks(&Address::parse_text(&format!("https://e.example{path}"), "https").unwrap());
        assert!(matches!(of("/inst\u{430}ll.sh")[..], [PathTrick::Homoglyph(..)]));
        assert!(matches!(of("/wiki/日本")[..], [PathTrick::NonAscii(_)]));
        assert!(matches!(of("/café/x")[..], [PathTrick::NonAscii(_)]));
        assert_eq!(of("/a%252fb"), [PathTrick::DoubleEncoding]);
        assert!(of("/a%20b?u=%252f").is_empty());
    }
}
