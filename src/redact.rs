//! Secrets out of texts that are shown or kept.
//!
//! In: any text. Out: the same with each secret replaced by `[redacted:TYPE:FINGERPRINT]`. Known token shapes come from
//! `grammars/lists/secrets.list`; private keys, passwords in addresses and authorization headers are known by their
//! frame. What is given to a name that says so (`DB_PASSWORD=x`, `--token x`) is hidden, too. The fingerprint is the same
//! for the same secret, so that two reports can be compared; it is 32 bits of a hash, which tells nothing about a secret
//! that cannot be guessed. A password that nothing around it names (`-pX`, `-u user:X`) is known to grammars: the analyzer
//! gives such words, and [`with`] hides them, too, wherever they stand. A leaf: imports nothing of the project.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it is (`github-token`).
    pub kind: &'static str,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A word that is a secret in one command, by what its grammar says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What it is.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
}

/// The words of one command.
pub type Words = Arc<[Word]>;

thread_local! {
    static WORDS: RefCell<Words> = RefCell::new(Arc::default());
}

/// Does some work under which these words are hidden, too. What is shown and kept of a command goes through many hands;
/// so none of them has to know.
pub fn with<T>(words: &Words, work: impl FnOnce() -> T) -> T {
    struct Held(Words);
    impl Drop for Held {
        fn drop(&mut self) {
            WORDS.replace(Arc::clone(&self.0));
        }
    }
    if words.is_empty() {
        return work();
    }
    let _held = Held(WORDS.replace(Arc::clone(words)));
    work()
}

/// Where the words of [`with`] stand in a text. A part of a longer word does not count, but for what stands right behind
/// a letter option (`-pX`).
fn words(text: &[u8]) -> Vec<Secret> {
    let mut out = Vec::new();
    WORDS.with_borrow(|words| {
        for w in words.iter() {
            for start in memchr::memmem::find_iter(text, w.text.as_bytes()) {
                let end = start.saturating_add(w.text.len());
                let part = |c: Option<&u8>| c.is_some_and(u8::is_ascii_alphanumeric);
                let before = text.get(..start).unwrap_or_default();
                let option = matches!(before, [.., b'-', _] | [.., b'/', _]);
                if !part(text.get(end)) && (option || !part(before.last())) {
                    out.push(Secret { kind: w.kind, start, end });
                }
            }
        }
    });
    out
}

struct Shape {
    kind: &'static str,
    begin: &'static str,
    set: Set,
    least: usize,
    most: usize,
}

/// The characters of a token.
#[derive(Clone, Copy)]
enum Set {
    Upper,
    Alnum,
    Word,
    Base64,
    Hex,
}

impl Set {
    fn has(self, c: u8) -> bool {
        match self {
            Set::Upper => c.is_ascii_uppercase() || c.is_ascii_digit(),
            Set::Alnum => c.is_ascii_alphanumeric(),
            Set::Word => c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'),
            Set::Base64 => c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=' | b'_' | b'-' | b'.'),
            Set::Hex => c.is_ascii_digit() || (b'a'..=b'f').contains(&c),
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/secrets.rs"));

/// True where a token may begin with these bytes. Every text that is judged or shown is searched, so nearly every place
/// has to be passed over by a look at two of them.
fn begins_token(first: u8, second: u8) -> bool {
    TOKENS.get(usize::from(first)).is_some_and(|seconds| seconds >> (second & 31) & 1 == 1)
}

/// Bits of `CLASSES`, which the build makes of the list: begins a token, begins what is framed, stands in a name, ends a
/// name of a secret, stands between name and value, is a quote, is a letter, digit or `_`.
const TOKEN: u8 = 1;
const FRAME: u8 = 1 << 1;
const NAME: u8 = 1 << 2;
const NAME_END: u8 = 1 << 3;
const SIGN: u8 = 1 << 4;
const QUOTE: u8 = 1 << 5;
const WORD: u8 = 1 << 6;

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// False for a text that surely holds nothing to conceal, as nearly all do: [`secrets`] and [`named`] would find nothing.
/// One pass with a look at each byte.
fn may_hold(text: &[u8]) -> bool {
    // True where a token may begin here; where what stands before may be the name of a secret; where that name begins
    // with a dash, as far as it is looked at.
    let (mut fresh, mut ended, mut dashed) = (true, false, false);
    let mut run = 0usize;
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let Some(second) = tail.first() else { break };
        let c = class(*first);
        if c & (TOKEN | FRAME | SIGN) != 0 {
            let is_token = c & TOKEN != 0 && fresh && begins_token(*first, *second) && token(rest).is_some();
            let is_frame = c & FRAME != 0 && begins_frame(*first, *second) && framed(rest).is_some();
            let has_value = c & SIGN != 0 && ended && (dashed || *first != b' ');
            if is_token || is_frame || has_value && named(text, text.len().saturating_sub(rest.len())).is_some() {
                return true;
            }
        }
        if c & NAME != 0 {
            dashed = if run == 0 { c & WORD == 0 || *first == b'_' } else { dashed || run >= LONGEST_NAME };
            run = run.saturating_add(1);
        } else {
            run = 0;
        }
        ended = c & NAME_END != 0 || c & QUOTE != 0 && ended;
        fresh = c & WORD == 0;
        rest = tail;
    }
    false
}

/// Most bytes of a name that are looked at.
const LONGEST_NAME: usize = 64;

/// True where [`framed`] may find something that begins with these bytes.
fn begins_frame(first: u8, second: u8) -> bool {
    matches!((first, second), (b'-', b'-') | (b'/', b'/') | (b'A' | b'a', b'U' | b'u'))
}

/// Bytes of a private key's body; one of 16,384 bits has 13 KB. The search for its end goes no further, since a text may
/// begin a key in every line.
const LONGEST_KEY: usize = 32 << 10;

/// The secrets in a text, in order, none overlapping another. Linear in the text.
pub fn secrets(text: &[u8]) -> Vec<Secret> {
    let mut out: Vec<Secret> = Vec::new();
    if !may_hold(text) {
        return out;
    }
    let mut at = 0usize;
    let mut fresh = true;
    while let Some([first, second, ..]) = text.get(at..) {
        let found = if fresh && begins_token(*first, *second) || begins_frame(*first, *second) {
            let rest = text.get(at..).unwrap_or_default();
            if fresh { token(rest) } else { None }.or_else(|| framed(rest))
        } else {
            None
        };
        match found {
            Some((kind, from, len)) => {
                let start = at.saturating_add(from);
                out.push(Secret { kind, start, end: start.saturating_add(len) });
                at = start.saturating_add(len.max(1));
                fresh = false;
            }
            None => {
                // A token begins where no letter or digit stands before it.
                fresh = !first.is_ascii_alphanumeric() && *first != b'_';
                at = at.saturating_add(1);
            }
        }
    }
    out
}

/// What is not to be shown of a text: its secrets, and what is given to names that end like one of a secret. In order,
/// none overlapping another. Linear in the text: a name is looked at for 64 bytes at most.
pub fn concealed(text: &[u8]) -> Vec<Secret> {
    let mut out: Vec<Secret> = Vec::new();
    // Past the end where there is nothing to be found.
    let (mut at, sure) = if may_hold(text) { (0usize, secrets(text)) } else { (text.len(), Vec::new()) };
    let mut known = sure.into_iter().peekable();
    while at < text.len() {
        while let Some(s) = known.next_if(|s| s.start <= at) {
            at = at.max(s.end);
            out.push(s);
        }
        let found = match text.get(at) {
            Some(b'=' | b':' | b' ') => named(text, at),
            _ => None,
        };
        match found {
            // A token inside is told by its own kind.
            Some((start, end)) if known.peek().is_none_or(|s| s.start >= end) => {
                out.push(Secret { kind: "named", start, end });
                at = end;
            }
            _ => at = at.saturating_add(1),
        }
    }
    out.extend(known);
    let more = words(text);
    if more.is_empty() {
        return out;
    }
    out.extend(more);
    out.sort_by_key(|s| (s.start, std::cmp::Reverse(s.end)));
    let mut apart: Vec<Secret> = Vec::with_capacity(out.len());
    for s in out {
        match apart.last_mut().filter(|last| s.start < last.end) {
            Some(last) => last.end = last.end.max(s.end),
            None => apart.push(s),
        }
    }
    apart
}

/// The value that stands after the sign at a place, where the name before it ends like one of a secret.
fn named(text: &[u8], sign: usize) -> Option<(usize, usize)> {
    let is_name = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-');
    let before = text.get(sign.saturating_sub(LONGEST_NAME)..sign)?;
    // `"password": "x"`
    let before = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'")).unwrap_or(before);
    let n = before.iter().rev().take_while(|c| is_name(c)).count();
    let name = before.get(before.len().saturating_sub(n)..)?;
    let is = |c: &u8, want: &u8| c.eq_ignore_ascii_case(want) || *c == b'-' && *want == b'_';
    let ends_so =
        |end: &&&[u8]| name.len() >= end.len() && name.iter().rev().zip(end.iter().rev()).all(|(c, w)| is(c, w));
    let separated = text.get(sign) == Some(&b' ');
    if separated && !matches!(name.first(), Some(b'_' | b'-')) || !NAMED.iter().any(|end| ends_so(&end)) {
        return None;
    }
    let mut start = sign.saturating_add(1);
    while text.get(start) == Some(&b' ') && start < sign.saturating_add(8) && text.get(sign) != Some(&b'=') {
        start = start.saturating_add(1);
    }
    let quote = text.get(start).copied().filter(|c| matches!(c, b'"' | b'\''));
    start = start.saturating_add(usize::from(quote.is_some()));
    let ends = |c: &u8| match quote {
        Some(q) => *c == q || *c == b'\n',
        None => c.is_ascii_whitespace() || b";|&<>()\"'`,}".contains(c),
    };
    let value = text.get(start..)?;
    let value = value.get(..value.iter().position(ends).unwrap_or(value.len()))?;
    // Names of values, places to fill in, further options.
    let is_value = value.len() >= 4 && value.first().is_some_and(|c| !b"$<{%*-[/".contains(c)) && !is_example(value);
    (is_value && std::str::from_utf8(value).is_ok()).then(|| (start, start.saturating_add(value.len())))
}

/// True for a text with which a program asks for a secret (`Password:`), or a pattern for one.
pub fn is_prompt(text: &[u8]) -> bool {
    PROMPTS.iter().any(|p| memchr::memmem::find(text, p).is_some())
}

fn token(rest: &[u8]) -> Option<(&'static str, usize, usize)> {
    let begins = |s: &&Shape| s.begin.as_bytes().get(..2) == rest.get(..2);
    SHAPES.iter().filter(begins).find_map(|s| {
        let tail = rest.strip_prefix(s.begin.as_bytes())?;
        let n = tail.iter().take(s.most.saturating_add(1)).take_while(|c| s.set.has(**c)).count();
        let dull = tail.get(..n).is_none_or(is_example);
        let fits = n >= s.least && n <= s.most && !dull;
        fits.then(|| (s.kind, 0, s.begin.len().saturating_add(n)))
    })
}

/// True for what people write in place of a key: one character again and again (`XXXXXXXX`), the alphabet, digits in order.
fn is_example(text: &[u8]) -> bool {
    let mut same = 1usize;
    let mut rising = 1usize;
    let (mut longest_same, mut longest_rising) = (1usize, 1usize);
    for w in text.windows(2) {
        let (Some(a), Some(b)) = (w.first(), w.last()) else { continue };
        let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
        same = if a == b { same.saturating_add(1) } else { 1 };
        let next = b == a.wrapping_add(1) || (a, b) == (b'9', b'0');
        rising = if next { rising.saturating_add(1) } else { 1 };
        longest_same = longest_same.max(same);
        longest_rising = longest_rising.max(rising);
    }
    longest_same >= 6 || longest_rising >= 6
}

/// Secrets that are known by what stands around them: private keys, `//user:password@`, `Authorization: Bearer …`.
fn framed(rest: &[u8]) -> Option<(&'static str, usize, usize)> {
    match rest.first()? {
        b'-' => {
            let head = rest.strip_prefix(b"-----BEGIN ")?;
            let line = head.iter().take(40).position(|c| *c == b'-')?;
            if !head.get(..line)?.ends_with(b"PRIVATE KEY") {
                return None;
            }
            let end = b"PRIVATE KEY-----";
            let first = rest.get(..64).unwrap_or(rest);
            let first = first.windows(end.len()).position(|w| w == end)?.saturating_add(end.len());
            let more = rest.get(first..)?;
            let more = more.get(..LONGEST_KEY).unwrap_or(more);
            let last = more.windows(end.len()).position(|w| w == end);
            // A beginning alone, in a search pattern for instance, is no key.
            let body = last.unwrap_or(more.len());
            (body > 40).then(|| {
                let len = last.map_or(more.len(), |l| l.saturating_add(end.len())).saturating_add(first);
                ("private-key", 0, len)
            })
        }
        b'/' => {
            let info = rest.strip_prefix(b"//")?;
            let end = info.iter().take(512).position(|c| matches!(c, b'@' | b'/' | b' ' | b'"' | b'\'' | b'\n'))?;
            if info.get(end) != Some(&b'@') {
                return None;
            }
            let Some(colon) = info.get(..end)?.iter().position(|c| *c == b':') else {
                // A token in the place of a user is the usual form for repositories.
                let user = info.get(..end)?;
                let has = |of: fn(&u8) -> bool| user.iter().any(of);
                let random =
                    user.len() >= 20 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !is_example(user);
                return (random && user.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-')))
                    .then_some(("url-password", 2, user.len()));
            };
            let from = colon.saturating_add(1);
            let word = info.get(from..end)?;
            let is_name = word.first().is_some_and(|c| matches!(c, b'$' | b'<' | b'{' | b'%' | b'*'));
            (!word.is_empty() && !is_name).then(|| ("url-password", from.saturating_add(2), word.len()))
        }
        b'A' | b'a' => {
            if !rest.get(..14)?.eq_ignore_ascii_case(b"authorization:") {
                return None;
            }
            let mut from = 14usize;
            while rest.get(from) == Some(&b' ') {
                from = from.saturating_add(1);
            }
            // The scheme, then the credential.
            let tail = rest.get(from..)?;
            let scheme = tail.iter().take(16).position(|c| *c == b' ');
            match scheme {
                Some(n) if tail.get(..n)?.iter().all(u8::is_ascii_alphabetic) => {
                    from = from.saturating_add(n).saturating_add(1);
                }
                Some(_) => return None,
                // Without one it is a word that nobody would write for anything else.
                None if tail.iter().take(16).all(u8::is_ascii_alphanumeric)
                    && tail.iter().take(16).any(u8::is_ascii_digit) => {}
                None => return None,
            }
            let word = rest.get(from..)?;
            let n = word.iter().take_while(|c| c.is_ascii_alphanumeric() || b"+/=_-.~".contains(c)).count();
            (n >= 12).then_some(("authorization", from, n))
        }
        _ => None,
    }
}

/// A text without its secrets.
pub fn text(text: &str) -> Cow<'_, str> {
    let found = concealed(text.as_bytes());
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0usize;
    for s in found {
        let (Some(before), Some(secret)) = (text.get(at..s.start), text.get(s.start..s.end)) else { continue };
        out.push_str(before);
        out.push_str(&format!("[redacted:{}:{}]", s.kind, fingerprint(secret.as_bytes())));
        at = s.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Eight hexadecimal digits that are the same for the same bytes (FNV-1a, folded).
pub fn fingerprint(bytes: &[u8]) -> String {
    let hash =
        bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{:08x}", (hash >> 32) as u32 ^ hash as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_secrets_and_nothing_else() {
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        let out = text(&format!("aws --key {key} s3 ls")).into_owned();
        assert!(out.starts_with("aws --key [redacted:aws-access-key:") && out.ends_with("] s3 ls"), "{out}");
        assert_eq!(text(&key), text(&key));
        let url = text("git clone https://u:hunter2@h.example/r").into_owned();
        assert!(
            url.starts_with("git clone https://u:[redacted:url-password:") && url.ends_with("@h.example/r"),
            "{url}"
        );
        let head = text("curl -H 'Authorization: Bearer abcdefghijklmnop123' u").into_owned();
        assert!(head.contains("Bearer [redacted:authorization:") && head.ends_with("' u"), "{head}");
        let user = text("git clone https://9f3b7c1e5a8d2064b1e7f0c3d49a@h.example/r").into_owned();
        assert!(
            user.starts_with("git clone https://[redacted:url-password:") && user.ends_with("]@h.example/r"),
            "{user}"
        );
        let head = text("curl -H Authorization:9f3b7c1e5a8d2064b1e7 u").into_owned();
        assert!(head.contains("Authorization:[redacted:authorization:") && head.ends_with(" u"), "{head}");
        for plain in [
            "git clone ssh://git@h.example/r",
            "git clone https://some-long-user-name-of-mine@h.example/r",
            "Authorization:process.env.SOME_TOKEN",
            "grep -r AKIA src",
            "AKIAXXXXXXXXXXXXXXXX",
            "AKIA1234567890123456",
            "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
            "task-skip-over",
            "https://h.example:8080/a@b",
            "https://$USER:$PASS@h.example/",
            "-----BEGIN PRIVATE KEY-----",
            "Authorization: Bearer $TOKEN",
        ] {
            assert_eq!(text(plain), plain);
        }
    }

    #[test]
    fn hides_what_is_given_to_a_name_of_a_secret() {
        for (given, shown) in [
            ("DB_PASSWORD=hunter22 make", "DB_PASSWORD=# make"),
            ("export X_TOKEN='a b c d'; ls", "export X_TOKEN='#'; ls"),
            ("tool --api-key qwertz12 get", "tool --api-key # get"),
            ("curl -H 'X-Api-Key: s3cr3tvalue' u", "curl -H 'X-Api-Key: #' u"),
            ("{\"password\": \"hunter22\"}", "{\"password\": \"#\"}"),
            ("export GH_PAT=9f3b7c1e5a8d", "export GH_PAT=#"),
            ("curl -H 'Cookie: session=9f3b7c1e' u", "curl -H 'Cookie: #' u"),
            ("curl 'https://h.example/?token=abcd1234&x=1'", "curl 'https://h.example/?token=#&x=1'"),
        ] {
            let out = text(given).into_owned();
            let (head, tail) = shown.split_once('#').unwrap();
            assert!(out.starts_with(&format!("{head}[redacted:named:")) && out.ends_with(tail), "{out}");
        }
        for plain in
            ["PASSWORD=$PASS x", "--token-file path/to", "git log --grep token here", "TOKEN=", "reset password now"]
        {
            assert_eq!(text(plain), plain);
        }
    }

    #[test]
    fn hides_the_words_that_are_given() {
        let words: Words = [Word { kind: "password", text: "hunter".into() }].into();
        with(&words, || {
            for (given, shown) in [
                ("mysql -phunter db", "mysql -p# db"),
                ("curl -u me:hunter u", "curl -u me:# u"),
                ("x '/p:hunter'", "x '/p:#'"),
                ("hunters hunt", "hunters hunt"),
                ("thunter", "thunter"),
            ] {
                let out = text(given).replace(&format!("[redacted:password:{}]", fingerprint(b"hunter")), "#");
                assert_eq!(out, shown);
            }
        });
        assert_eq!(text("mysql -phunter db"), "mysql -phunter db");
    }

    #[test]
    fn hides_a_private_key() {
        let key = format!(
            "x -----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY----- y",
            "MIIEowIBAAKCAQEA".repeat(9)
        );
        let out = text(&key).into_owned();
        assert!(out.starts_with("x [redacted:private-key:") && out.ends_with("] y"), "{out}");
    }
}
