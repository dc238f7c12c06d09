//! The tokens of awk.
//!
//! In: the program's text. Out: its tokens; a slash is a pattern's begin or a division, by what stands before it.

use super::super::super::Why;
use super::parse::NOT;
use crate::escape::letter;

/// Built-in functions that are computed.
const FUNCTIONS: &[&str] =
    &["length", "substr", "index", "split", "sub", "gsub", "toupper", "tolower", "sprintf", "int"];

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    Regex(String),
    Name(String),
    Function(String),
    Sign(&'static str),
    Newline,
    End,
}

const SIGNS: &[&str] = &[
    "**=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "<=", ">=", "!=", "!~", ">>", "**", "{",
    "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|", "?", ":", "~", "$", "=",
];

/// What the surroundings give a program (POSIX XCU awk, gawk): a text that asks for one is not computed here, however it
/// asks (`ENVIRON["HOME"]`, `k in ENVIRON`).
const GIVEN: &[&str] = &["ENVIRON", "ARGV", "ARGC", "ARGIND", "FILENAME", "PROCINFO"];

/// The tokens of a program.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Why> {
    let mut out: Vec<Token> = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r']);
        if let Some(r) = rest.strip_prefix("\\\n") {
            rest = r;
            continue;
        }
        let Some(c) = rest.chars().next() else { break };
        if c == '#' {
            rest = rest.find('\n').and_then(|i| rest.get(i..)).unwrap_or("");
            continue;
        }
        if c == '\n' {
            out.push(Token::Newline);
            rest = rest.get(1..).unwrap_or("");
            continue;
        }
        // After an operand a slash divides; elsewhere it begins a pattern.
        let operand = matches!(
            out.last(),
            Some(Token::Number(_) | Token::Text(_) | Token::Name(_) | Token::Sign(")" | "]" | "$" | "++" | "--"))
        );
        if c == '"' || c == '/' && !operand {
            let (inner, after) = quoted(rest.get(1..).unwrap_or(""), c)?;
            out.push(if c == '"' { Token::Text(inner) } else { Token::Regex(inner) });
            rest = after;
            continue;
        }
        if c.is_ascii_digit() || c == '.' && rest.get(1..2).is_some_and(|d| d.starts_with(|d: char| d.is_ascii_digit()))
        {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let (digits, after) = rest.split_at(end);
            if after.starts_with(['e', 'E', 'x', 'X']) {
                return Err(NOT);
            }
            out.push(Token::Number(digits.parse().map_err(|_| NOT)?));
            rest = after;
            continue;
        }
        if c.is_ascii_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if GIVEN.contains(&name) {
                return Err(NOT);
            }
            out.push(if FUNCTIONS.contains(&name) { Token::Function(name.into()) } else { Token::Name(name.into()) });
            rest = after;
            continue;
        }
        let sign = SIGNS.iter().find(|s| rest.starts_with(**s)).ok_or(NOT)?;
        out.push(Token::Sign(sign));
        rest = rest.get(sign.len()..).unwrap_or("");
    }
    out.push(Token::End);
    Ok(out)
}

/// A string's or pattern's text up to its end; escapes of strings are decoded.
fn quoted(text: &str, end: char) -> Result<(String, &str), Why> {
    let mut out = String::new();
    let mut it = text.char_indices();
    while let Some((i, c)) = it.next() {
        if c == end {
            return Ok((out, text.get(i.saturating_add(c.len_utf8())..).unwrap_or("")));
        }
        if c == '\n' {
            return Err(NOT);
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let (_, e) = it.next().ok_or(NOT)?;
        if end == '/' {
            if e != '/' {
                out.push('\\');
            }
            out.push(e);
            continue;
        }
        out.push(match e {
            'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' => u8::try_from(e).ok().and_then(letter).map_or(e, char::from),
            '\\' => '\\',
            '"' => '"',
            '/' => '/',
            '0'..='7' => {
                let mut n = e.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let mut ahead = it.clone();
                    let Some(d) = ahead.next().and_then(|(_, d)| d.to_digit(8)) else { break };
                    n = n.saturating_mul(8).saturating_add(d);
                    it = ahead;
                }
                char::from_u32(n).filter(char::is_ascii).ok_or(NOT)?
            }
            // Programs differ in the others.
            _ => return Err(NOT),
        });
    }
    Err(NOT)
}
