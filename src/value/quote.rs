//! The transformations of `${x@Q}` and its kin, `printf %q`, and case conversion (bash manual 3.5.3).
//!
//! In: the value of a variable. Out: the new text. Floor 2; imports `value::{escape, pattern}`.

use super::pattern::{Limit, Pattern, Unit, lower, push_unit, units, upper};
use crate::escape::{Dialect, unescape};

/// `${x@Q}`: the text quoted so that it can be read again.
pub fn shell_quote(text: &[u8]) -> Vec<u8> {
    if needs_ansi_c(text) {
        return ansi_c_quote(text);
    }
    if text == b"'" {
        return b"\\'".to_vec();
    }
    let mut out = vec![b'\''];
    for &b in text {
        if b == b'\'' {
            out.extend_from_slice(b"'\\''");
        } else {
            out.push(b);
        }
    }
    out.push(b'\'');
    out
}

/// As `declare -p` writes values: between double quotes, or in `$'…'` where it has control characters.
pub fn double_quote(text: &[u8]) -> Vec<u8> {
    if needs_ansi_c(text) {
        return ansi_c_quote(text);
    }
    let mut out = vec![b'"'];
    for &b in text {
        if matches!(b, b'"' | b'$' | b'`' | b'\\') {
            out.push(b'\\');
        }
        out.push(b);
    }
    out.push(b'"');
    out
}

/// As `declare -p` writes keys: in quotes only where they have characters that mean something.
pub fn key_quote(text: &[u8]) -> Vec<u8> {
    let special = |b: &u8| b" \t\n'\"\\|&;()<>!{}*[]?^$`".contains(b);
    let home = text.first() == Some(&b'~') || text.windows(2).any(|w| matches!(w, [b'=' | b':', b'~']));
    if needs_ansi_c(text)
        || text.iter().any(special)
        || home
        || matches!(text, b"@" | b"*" | b"")
        || text.first() == Some(&b'#')
    {
        return double_quote(text);
    }
    text.to_vec()
}

/// `printf %q`: the text with backslashes, or in `$'…'` where it has control characters.
pub fn backslash_quote(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return b"''".to_vec();
    }
    if needs_ansi_c(text) {
        return ansi_c_quote(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut before = None;
    for &b in text {
        let special = match b {
            b' ' | b'!' | b'"' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b',' | b';' | b'<' | b'>' | b'?' | b'['
            | b'\\' | b']' | b'^' | b'`' | b'{' | b'|' | b'}' => true,
            // Special only where a comment or a home directory could begin.
            b'#' => before.is_none(),
            b'~' => matches!(before, None | Some(b':' | b'=')),
            _ => false,
        };
        if special {
            out.push(b'\\');
        }
        out.push(b);
        before = Some(b);
    }
    out
}

fn needs_ansi_c(text: &[u8]) -> bool {
    std::str::from_utf8(text).map_or(true, |t| t.chars().any(char::is_control))
}

fn ansi_c_quote(text: &[u8]) -> Vec<u8> {
    let mut out = b"$'".to_vec();
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let short = match c {
                '\u{7}' => b'a',
                '\u{8}' => b'b',
                '\u{b}' => b'v',
                '\u{c}' => b'f',
                '\n' => b'n',
                '\r' => b'r',
                '\t' => b't',
                '\u{1b}' => b'E',
                '\\' | '\'' => u8::try_from(c).unwrap_or(b'\\'),
                c => {
                    let mut buffer = [0; 4];
                    let encoded = c.encode_utf8(&mut buffer).as_bytes();
                    if c.is_control() {
                        encoded.iter().for_each(|b| octal(&mut out, *b));
                    } else {
                        out.extend_from_slice(encoded);
                    }
                    continue;
                }
            };
            out.push(b'\\');
            out.push(short);
        }
        chunk.invalid().iter().for_each(|b| octal(&mut out, *b));
    }
    out.push(b'\'');
    out
}

fn octal(out: &mut Vec<u8>, byte: u8) {
    out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
}

/// `${x@E}`: the escapes of `$'…'` decoded.
pub fn ansi_c_decode(text: &[u8]) -> Vec<u8> {
    unescape(text, Dialect::AnsiC).0
}

/// A change of case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// `^`, `^^`, `@u`, `@U`
    Upper,
    /// `,`, `,,`, `@L`
    Lower,
    /// `~`, `~~` (not documented)
    Toggle,
}

/// `${x^p}`, `${x,,p}` and the like: the characters that match the pattern (all without one), the first or all.
pub fn change_case(text: &[u8], case: Case, all: bool, pattern: Option<&Pattern>) -> Result<Vec<u8>, Limit> {
    let mut out = Vec::with_capacity(text.len());
    for (i, unit) in units(text, false).into_iter().enumerate() {
        let changes = (all || i == 0)
            && match pattern {
                None => true,
                Some(p) => {
                    let mut one = Vec::new();
                    push_unit(&mut one, unit);
                    p.matches(&one)?
                }
            };
        push_unit(&mut out, if changes { convert(unit, case) } else { unit });
    }
    Ok(out)
}

fn convert(unit: Unit, case: Case) -> Unit {
    match case {
        Case::Upper => upper(unit),
        Case::Lower => lower(unit),
        Case::Toggle if lower(unit) == unit => upper(unit),
        Case::Toggle => lower(unit),
    }
}

/// A part of a decoded prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptPart {
    /// Text that is expanded next like the inside of double quotes: its `$(…)` run.
    Text(Vec<u8>),
    /// Something that is not known here; what.
    Unknown(&'static str),
}

/// `${x@P}` and PS1: the prompt escapes decoded (bash manual 6.9), before the expansion that follows.
pub fn prompt(text: &[u8]) -> Vec<PromptPart> {
    let mut parts = Vec::new();
    let mut plain = Vec::new();
    let mut rest = text;
    while let Some((&c, after)) = rest.split_first() {
        rest = after;
        let (b'\\', Some((&e, next))) = (c, after.split_first()) else {
            plain.push(c);
            continue;
        };
        rest = next;
        let unknown = match e {
            b'a' => Err(7),
            b'e' => Err(27),
            b'n' => Err(b'\n'),
            b'r' => Err(b'\r'),
            b'\\' => Err(b'\\'),
            b'0'..=b'7' => {
                let value = after.iter().take(3).take_while(|b| matches!(b, b'0'..=b'7'));
                let (mut n, mut byte) = (0usize, 0u8);
                for d in value {
                    byte = byte.wrapping_mul(8).wrapping_add(d.wrapping_sub(b'0'));
                    n = n.saturating_add(1);
                }
                rest = after.get(n..).unwrap_or(&[]);
                Err(byte)
            }
            // They only tell the line editor which characters take no room.
            b'[' | b']' => continue,
            b'u' => Ok("user name"),
            b'h' | b'H' => Ok("host name"),
            b'w' | b'W' => Ok("working directory"),
            b't' | b'T' | b'@' | b'A' | b'd' => Ok("date"),
            b'D' if next.first() == Some(&b'{') => {
                let end = next.iter().position(|b| *b == b'}').map_or(next.len(), |n| n.saturating_add(1));
                rest = next.get(end..).unwrap_or(&[]);
                Ok("date")
            }
            b'$' => Ok("prompt sign"),
            b's' => Ok("shell name"),
            b'v' | b'V' => Ok("shell version"),
            b'j' => Ok("number of jobs"),
            b'l' => Ok("terminal name"),
            b'!' | b'#' => Ok("history number"),
            _ => {
                plain.extend_from_slice(&[b'\\', e]);
                continue;
            }
        };
        match unknown {
            Err(byte) => plain.push(byte),
            Ok(what) => {
                if !plain.is_empty() {
                    parts.push(PromptPart::Text(std::mem::take(&mut plain)));
                }
                parts.push(PromptPart::Unknown(what));
            }
        }
    }
    if !plain.is_empty() {
        parts.push(PromptPart::Text(plain));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::oracle::{Bash, Rng};
    use crate::value::pattern::Flags;

    fn text(rng: &mut Rng) -> Vec<u8> {
        let parts: [&[u8]; 34] = [
            b"a",
            b"\\",
            b"x",
            b"0",
            b"1",
            b"7",
            b"4",
            b"'",
            b"\"",
            b"n",
            b"u",
            b"U",
            b"c",
            b"{",
            b"}",
            b"\xff",
            "é".as_bytes(),
            b"\n",
            b"\x1b",
            b"\x7f",
            b"#",
            b"~",
            b":",
            b"=",
            b"*",
            b"e",
            b"E",
            b" ",
            b"!",
            b"?",
            b"\\x",
            b"\\c",
            b"B",
            "ß".as_bytes(),
        ];
        (0..rng.below(8)).flat_map(|_| rng.pick(&parts).to_vec()).collect()
    }

    #[test]
    fn prompts_show_what_is_not_known() {
        assert_eq!(
            prompt(b"\\[\\e[1m\\]\\u:$(rm x)\\\\\\q\\101"),
            [
                PromptPart::Text(b"\x1b[1m".to_vec()),
                PromptPart::Unknown("user name"),
                PromptPart::Text(b":$(rm x)\\\\qA".to_vec())
            ]
        );
    }

    #[test]
    fn agrees_with_bash() {
        let Some(bash) = Bash::find() else { return };
        let mut rng = Rng::new(17);
        let cases: Vec<Vec<u8>> = (0..3000).map(|_| text(&mut rng)).collect();
        let mut script = String::from("export LC_ALL=C.UTF-8\n");
        for c in &cases {
            let octal: String = c.iter().map(|b| format!("\\{b:03o}")).collect();
            script.push_str(&format!("x=$'{octal}'\n"));
            script.push_str(concat!(
                "printf '%q\\0' \"$x\"; printf '%s\\0' \"${x@Q}\" \"${x@E}\" \"${x^}\" \"${x^^}\" \"${x,,}\" \"${x~~}\" ",
                "\"${x^^[a-n]}\" \"${x@u}\"\n"
            ));
        }
        let out = bash.fields(&script);
        assert_eq!(out.len(), cases.len() * 9);
        for (c, real) in cases.iter().zip(out.chunks(9)) {
            let p = Pattern::from_text(b"[a-n]", Flags::default());
            let case = |k, all, p: Option<&Pattern>| change_case(c, k, all, p).unwrap();
            let ours = [
                backslash_quote(c),
                shell_quote(c),
                ansi_c_decode(c),
                case(Case::Upper, false, None),
                case(Case::Upper, true, None),
                case(Case::Lower, true, None),
                case(Case::Toggle, true, None),
                case(Case::Upper, true, Some(&p)),
                case(Case::Upper, false, None),
            ];
            for (i, (a, b)) in ours.iter().zip(real).enumerate() {
                // `~~` of text that is no UTF-8 gives stray bytes in bash.
                if i == 6 && std::str::from_utf8(c).is_err() {
                    continue;
                }
                assert_eq!(
                    String::from_utf8_lossy(a),
                    String::from_utf8_lossy(b),
                    "{i} of {:?}",
                    String::from_utf8_lossy(c)
                );
            }
        }
    }
}
