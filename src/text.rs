//! Characters that deceive: what is in a text and is not seen, or is seen and is not there.
//!
//! In: bytes. Out: [`Mark`]s, each a run of such characters with its kind and place. It knows the honest uses (joiners
//! in emoji and in the scripts that need them, a variation selector after an emoji, flags made of tags, line ends of
//! DOS) and leaves them out. It judges nothing. A leaf: imports nothing of the project. Facts: UAX 9 (direction), UTS 51
//! (emoji), ECMA-48 (control functions), XTerm Control Sequences (OSC).

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};

/// Kinds of deceptive characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Turns the direction of the text around it (Trojan Source, CVE-2021-42574).
    Bidi,
    /// Has no width.
    ZeroWidth,
    /// A tag: ASCII that no one sees.
    Tag,
    /// Chooses a form of the character before it, and can carry hidden data where there is none.
    Selector,
    /// A letter or operator that is blank.
    Filler,
    /// An escape sequence that colours text.
    Colour,
    /// An escape sequence that moves, erases or hides what the terminal shows.
    Screen,
    /// An escape sequence that talks to the terminal: title, clipboard, link, the end of a paste.
    Terminal,
    /// A control character that takes back what stands before it (backspace, delete).
    Back,
    /// Another control character.
    Control,
    /// A carriage return with text behind it, which is written over what stands before.
    Overprint,
}

impl Kind {
    /// What such characters do, for people.
    pub const fn says(self) -> &'static str {
        match self {
            Kind::Bidi => "turns the direction of text",
            Kind::ZeroWidth => "has no width",
            Kind::Tag => "is hidden text",
            Kind::Selector => "varies nothing",
            Kind::Filler => "is blank",
            Kind::Colour => "colours the text",
            Kind::Screen => "moves, erases or hides what is shown",
            Kind::Terminal => "talks to the terminal",
            Kind::Back => "takes back what stands before it",
            Kind::Control => "is a control character",
            Kind::Overprint => "writes over what stands before it",
        }
    }
}

/// A run of deceptive characters of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its kind.
    pub kind: Kind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// True for a character without a glyph or width of its own, blanks aside.
pub fn is_unseen(c: char) -> bool {
    kind_of(c).is_some_and(|k| matches!(k, Kind::Bidi | Kind::ZeroWidth | Kind::Tag | Kind::Selector | Kind::Filler))
}

/// The kind of one character by itself.
fn kind_of(c: char) -> Option<Kind> {
    Some(match u32::from(c) {
        0x202A..=0x202E | 0x2066..=0x2069 => Kind::Bidi,
        // The last ranges are shorthand and hieroglyph controls, and what Unicode sets aside for more of the kind (DerivedCoreProperties,
        // Default_Ignorable_Code_Point).
        0xAD
        | 0x34F
        | 0x61C
        | 0x180E
        | 0x200B..=0x200F
        | 0x2060
        | 0x206A..=0x206F
        | 0xFEFF
        | 0xFFF0..=0xFFFB
        | 0x13430..=0x1343F
        | 0x1BCA0..=0x1BCA3
        | 0xE0080..=0xE00FF
        | 0xE01F0..=0xE0FFF => Kind::ZeroWidth,
        0xE0000..=0xE007F => Kind::Tag,
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF | 0x180B..=0x180D | 0x180F => Kind::Selector,
        0x115F
        | 0x1160
        | 0x17B4
        | 0x17B5
        | 0x2028
        | 0x2029
        | 0x2061..=0x2065
        | 0x2800
        | 0x3164
        | 0xFFA0
        | 0x1D173..=0x1D17A => Kind::Filler,
        0x08 | 0x7F => Kind::Back,
        0x01..=0x07 | 0x0B | 0x0C | 0x0E..=0x1A | 0x1C..=0x1F | 0x80..=0x9F => Kind::Control,
        _ => return None,
    })
}

/// The deceptive characters of a text, in order. Bytes that are no UTF-8 are passed over.
pub fn marks(bytes: &[u8]) -> Vec<Mark> {
    let mut out = Vec::new();
    // Nearly every command is plain: nothing but printable ASCII, tabs and line ends.
    if bytes.iter().all(|b| matches!(b, b' '..=b'~' | b'\t' | b'\n')) {
        return out;
    }
    let mut base = 0usize;
    for chunk in bytes.utf8_chunks() {
        in_text(chunk.valid(), base, &mut out);
        base = base.saturating_add(chunk.valid().len()).saturating_add(chunk.invalid().len());
    }
    out
}

fn in_text(text: &str, base: usize, out: &mut Vec<Mark>) {
    let mut before = None;
    let mut skip_to = 0;
    // True inside a flag of a country's part: a black flag and tags up to the cancel tag.
    let mut flag = false;
    for (at, c) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        let end = at.saturating_add(c.len_utf8());
        let after = text.get(end..).and_then(|t| t.chars().next());
        let mut put = |kind, end: usize| {
            let (start, end) = (base.saturating_add(at), base.saturating_add(end));
            match out.last_mut() {
                Some(last) if last.kind == kind && last.end == start => last.end = end,
                _ => out.push(Mark { kind, start, end }),
            }
        };
        if c == '\u{1B}' || c == '\u{9B}' || c == '\u{9D}' {
            let (kind, length) = escape(text.get(at..).unwrap_or_default());
            skip_to = at.saturating_add(length);
            put(kind, skip_to);
        } else if c == '\r' {
            // Before a line end, or at the very end, it is how DOS ends lines.
            if !matches!(after, None | Some('\n' | '\r')) {
                put(Kind::Overprint, end);
            }
        } else if let Some(kind) = kind_of(c) {
            flag = kind == Kind::Tag && (flag || before == Some('\u{1F3F4}'));
            if !is_honest(c, before, after, flag) {
                put(kind, end);
            }
        } else {
            flag = false;
        }
        before = Some(c);
    }
}

/// True where a character without a glyph does what it is for.
fn is_honest(c: char, before: Option<char>, after: Option<char>, flag: bool) -> bool {
    let other = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && kind_of(c).is_none_or(|k| k == Kind::Selector));
    match c {
        // Joiners join emoji, and letters of Persian, Hindi and their kin.
        '\u{200C}' | '\u{200D}' => other(before) && other(after) && !is_latin(before) && !is_latin(after),
        // Marks of direction beside letters that run from right to left.
        '\u{200E}' | '\u{200F}' | '\u{61C}' => is_rtl(before) || is_rtl(after),
        // Emoji style, after an emoji or in a keycap (1️⃣); text style likewise.
        '\u{FE0E}' | '\u{FE0F}' => {
            after == Some('\u{20E3}') || other(before) && !before.is_some_and(char::is_alphabetic)
        }
        // Forms of ideographs and of Mongolian letters.
        '\u{FE00}'..='\u{FE0D}' | '\u{E0100}'..='\u{E01EF}' => before.is_some_and(is_ideograph),
        '\u{180B}'..='\u{180F}' => before.is_some_and(|c| matches!(c, '\u{1800}'..='\u{18AF}')),
        '\u{E0020}'..='\u{E007F}' => flag,
        // Controls of shorthand and of hieroglyphs, among them.
        '\u{1BCA0}'..='\u{1BCA3}' => before.is_some_and(|c| matches!(c, '\u{1BC00}'..='\u{1BC9F}')),
        '\u{13430}'..='\u{1343F}' => before.is_some_and(|c| matches!(c, '\u{13000}'..='\u{1345F}')),
        '\u{115F}' | '\u{1160}' => before.is_some_and(|c| matches!(c, '\u{1100}'..='\u{11FF}')),
        // Braille text has blanks.
        '\u{2800}' => {
            let braille = |c: Option<char>| c.is_some_and(|c| matches!(c, '\u{2801}'..='\u{28FF}'));
            braille(before) || braille(after)
        }
        _ => false,
    }
}

fn is_latin(c: Option<char>) -> bool {
    c.is_some_and(|c| c.script() == Script::Latin)
}

fn is_rtl(c: Option<char>) -> bool {
    c.is_some_and(|c| matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'))
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{2FDF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// The kind and length in bytes of the escape sequence that a text begins with.
fn escape(text: &str) -> (Kind, usize) {
    let mut chars = text.char_indices();
    let first = chars.next().map_or('\0', |(_, c)| c);
    let (kind, body) = match first {
        '\u{9B}' => ('[', 2),
        '\u{9D}' => (']', 2),
        _ => match chars.next() {
            Some((_, c)) => (c, 1usize.saturating_add(c.len_utf8())),
            None => return (Kind::Control, text.len()),
        },
    };
    let rest = text.get(body..).unwrap_or_default();
    match kind {
        // Control sequence: parameters, then one final byte.
        '[' => {
            let last = rest.char_indices().find(|(_, c)| !matches!(c, '\u{20}'..='\u{3F}'));
            let Some((at, c)) = last else { return (Kind::Screen, text.len()) };
            let length = body.saturating_add(at).saturating_add(c.len_utf8());
            let conceals = rest.get(..at).is_some_and(|p| p.split(';').any(|n| n == "8"));
            match c {
                'm' if !conceals => (Kind::Colour, length),
                // 200~ and 201~ are the ends of a bracketed paste.
                '~' => (Kind::Terminal, length),
                _ => (Kind::Screen, length),
            }
        }
        // String sequences end with BEL, ST, or where the line ends.
        ']' | 'P' | '_' | '^' | 'X' => {
            let end = rest.find(['\u{7}', '\u{1B}', '\u{9C}', '\n']).unwrap_or(rest.len());
            let tail = rest.get(end..).unwrap_or_default();
            let closing = if tail.starts_with("\u{1B}\\") {
                2
            } else {
                tail.chars().next().filter(|c| matches!(c, '\u{7}' | '\u{9C}')).map_or(0, char::len_utf8)
            };
            (Kind::Terminal, body.saturating_add(end).saturating_add(closing))
        }
        _ => (Kind::Screen, body),
    }
}

/// True for a letter of another script that looks like an ASCII one. Letters with marks are letters of their language.
pub fn is_alike(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    let other = !matches!(c.script(), Script::Latin | Script::Common | Script::Inherited);
    (other && c.is_alphabetic() || is_ascii_in_disguise(c) && c.is_alphanumeric()) && {
        let mut buffer = [0; 4];
        let mut shown = unicode_security::skeleton(c.encode_utf8(&mut buffer));
        shown.next().is_some_and(|s| s.is_ascii()) && shown.all(|s| s.is_ascii())
    }
}

/// True for a letter that is an ASCII one in another form (full width, in a circle, bold).
pub fn is_ascii_in_disguise(c: char) -> bool {
    !c.is_ascii() && std::iter::once(c).nfkc().all(|n| n.is_ascii())
}

/// A text on one line in which every character can be seen: `<U+200B>` for those without a glyph.
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) || c.is_control() {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// True where a word mixes letters of ASCII with letters of other scripts that look like them, or (`whole`) is made of
/// nothing but such letters: gives those letters.
pub fn confusable(word: &str, whole: bool) -> Vec<char> {
    if word.is_ascii() {
        return Vec::new();
    }
    for part in word.split(|c: char| !c.is_alphanumeric() && !is_unseen(c)) {
        let alike: Vec<char> = part.chars().filter(|c| is_alike(*c)).collect();
        let ascii = part.chars().any(|c| c.is_ascii_alphabetic());
        let all = whole && alike.len() > 1 && part.chars().all(|c| c.is_ascii() || alike.contains(&c));
        if !alike.is_empty() && (ascii || all) {
            return alike;
        }
    }
    Vec::new()
}

/// The letters of other scripts in a word that, but for them, is ASCII, has no blank, and of which every one looks like an
/// ASCII letter: no word of any language.
pub fn disguised(word: &str) -> Vec<char> {
    let fits = |c: char| c.is_ascii_graphic() || is_alike(c);
    if word.is_ascii() || !word.chars().all(fits) {
        return Vec::new();
    }
    confusable(word, false)
}

/// The dash that stands for a hyphen at the begin of an option, which no program takes as one.
pub fn false_hyphen(word: &str) -> Option<char> {
    let first =
        word.chars().next().filter(|c| matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FF0D}'))?;
    let name = word.trim_start_matches([first, '-']);
    (name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.is_ascii()).then_some(first)
}

/// Code points, for people: `U+0430 а`.
pub fn points(all: &[char]) -> String {
    let mut seen: Vec<char> = Vec::new();
    for c in all.iter().take(64) {
        if !seen.contains(c) {
            seen.push(*c);
        }
    }
    let shown = seen.iter().map(|c| match is_unseen(*c) || c.is_control() {
        true => format!("U+{:04X}", u32::from(*c)),
        false => format!("U+{:04X} {c}", u32::from(*c)),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        marks(text.as_bytes()).into_iter().map(|m| m.kind).collect()
    }

    #[test]
    fn finds_what_is_not_seen() {
        for (text, want) in [
            ("a\u{202E}b", vec![Kind::Bidi]),
            ("su\u{200B}do id", vec![Kind::ZeroWidth]),
            ("echo \u{E0041}\u{E0042}", vec![Kind::Tag]),
            ("echo a\u{FE0F}\u{FE0F}", vec![Kind::Selector]),
            ("echo \u{3164}", vec![Kind::Filler]),
            ("echo \u{1b}[31mred\u{1b}[0m", vec![Kind::Colour, Kind::Colour]),
            ("echo \u{1b}[2J\u{1b}[8mx", vec![Kind::Screen]),
            ("\u{1b}]52;c;aWQ=\u{7}x", vec![Kind::Terminal]),
            ("\u{1b}[201~x", vec![Kind::Terminal]),
            ("ls\u{8}\u{8}rm", vec![Kind::Back]),
            ("curl evil\rls", vec![Kind::Overprint]),
            ("a\u{7}", vec![Kind::Control]),
        ] {
            let mut found = kinds(text);
            found.dedup_by(|a, b| *a == Kind::Screen && a == b);
            assert_eq!(found, want, "{text:?}");
        }
        let m = marks("x\u{1b}]0;t\u{1b}\\y".as_bytes());
        assert_eq!((m[0].start, m[0].end), (1, 8));
    }

    #[test]
    fn honest_text_has_none() {
        for text in [
            "echo ❤️ 1️⃣ 👩‍💻 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
            "echo 你好。ok",
            "echo می\u{200C}خواهم",
            "ls\r\nid\r\n",
            "echo שלום\u{200F}!",
            "plain\ttext\n",
            "葛\u{E0100}",
        ] {
            assert_eq!(kinds(text), Vec::<Kind>::new(), "{text:?}");
        }
    }

    #[test]
    fn confusable_words() {
        assert_eq!(confusable("ѕudo", false), ['ѕ']);
        assert_eq!(confusable("/etc/раsswd", false), ['р', 'а']);
        assert_eq!(confusable("сору", true).len(), 4);
        assert!(confusable("привет", true).is_empty() && confusable("日本語.txt", true).is_empty());
        assert!(confusable("café", false).is_empty());
        assert_eq!((false_hyphen("–rf"), false_hyphen("-rf"), false_hyphen("—")), (Some('–'), None, None));
    }
}
