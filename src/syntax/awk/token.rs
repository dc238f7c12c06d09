//! Tokens of awk programs, whether a `/` divides or begins a pattern decided by what stands before it.

use crate::escape::letter;
use crate::source::Span;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    /// A name with `(` right behind it: a call of a function of the program.
    Call(String),
    Number(i64),
    Text(Vec<u8>),
    Regex(Vec<u8>),
    Sign(&'static str),
    Newline,
    End,
}

/// Signs, the longest first.
const SIGNS: &[&str] = &[
    "**=", "|&", "||", "&&", "==", "!=", "<=", ">=", ">>", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", "!~",
    "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|", "?", ":", "~", "$", "=",
    "@",
];

/// The tokens with their places. What is no token (a quote that is not closed) ends the list early.
pub(super) fn tokens(text: &[u8]) -> (Vec<(Token, Span)>, Option<Span>) {
    let mut out: Vec<(Token, Span)> = Vec::new();
    let mut at = 0usize;
    while let Some(b) = text.get(at).copied() {
        let start = at;
        let rest = text.get(at..).unwrap_or_default();
        let value = matches!(
            out.last(),
            Some((Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Regex(_), _))
                | Some((Token::Sign(")" | "]" | "$" | "++" | "--"), _))
        );
        let token = match b {
            b' ' | b'\t' | b'\r' => {
                at = at.saturating_add(1);
                continue;
            }
            b'\\' if rest.get(1) == Some(&b'\n') => {
                at = at.saturating_add(2);
                continue;
            }
            b'#' => {
                at = at.saturating_add(rest.iter().position(|c| *c == b'\n').unwrap_or(rest.len()));
                continue;
            }
            b'\n' => {
                at = at.saturating_add(1);
                Token::Newline
            }
            b'"' => {
                let Some((text, n)) = string(rest) else { return (out, Some(Span::new(at, text.len()))) };
                at = at.saturating_add(n);
                Token::Text(text)
            }
            b'/' if !value => {
                let Some(n) = regex(rest) else { return (out, Some(Span::new(at, text.len()))) };
                at = at.saturating_add(n);
                Token::Regex(rest.get(1..n.saturating_sub(1)).unwrap_or_default().to_vec())
            }
            b'0'..=b'9' | b'.' => {
                let n = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'.').count().max(1);
                at = at.saturating_add(n);
                let digits = rest.get(..n).and_then(|d| std::str::from_utf8(d).ok()).unwrap_or_default();
                Token::Number(digits.split('.').next().and_then(|d| d.parse().ok()).unwrap_or(0))
            }
            // A piece that is not known: `0xF8 DIGITS 0xF9`.
            crate::syntax::marker::OPEN => {
                let n = rest.iter().position(|c| *c == crate::syntax::marker::CLOSE).map_or(1, |n| n.saturating_add(1));
                at = at.saturating_add(n);
                Token::Text(rest.get(..n).unwrap_or_default().to_vec())
            }
            c if c.is_ascii_alphabetic() || c == b'_' => {
                let n = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b':')).count();
                at = at.saturating_add(n);
                let name = String::from_utf8_lossy(rest.get(..n).unwrap_or_default()).into_owned();
                if text.get(at) == Some(&b'(') { Token::Call(name) } else { Token::Name(name) }
            }
            _ => match SIGNS.iter().find(|s| rest.starts_with(s.as_bytes())) {
                Some(s) => {
                    at = at.saturating_add(s.len());
                    Token::Sign(s)
                }
                None => {
                    at = at.saturating_add(1);
                    continue;
                }
            },
        };
        out.push((token, Span::new(start, at)));
    }
    (out, None)
}

/// A string's content with its escapes undone, and its length with both quotes.
fn string(rest: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut out = Vec::new();
    let mut i = 1usize;
    loop {
        match rest.get(i)? {
            b'"' => return Some((out, i.saturating_add(1))),
            b'\n' => return None,
            b'\\' => {
                i = i.saturating_add(1);
                let c = *rest.get(i)?;
                match c {
                    b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => out.extend(letter(c)),
                    b'\n' => {}
                    b'0'..=b'7' => {
                        let n = rest.get(i..)?.iter().take(3).take_while(|d| (b'0'..=b'7').contains(d)).count();
                        let digits = rest.get(i..i.saturating_add(n))?;
                        let v = digits.iter().fold(0u32, |v, d| v * 8 + u32::from(d.saturating_sub(b'0')));
                        out.push(u8::try_from(v & 0xFF).unwrap_or(b'?'));
                        i = i.saturating_add(n.saturating_sub(1));
                    }
                    b'x' => {
                        let from = i.saturating_add(1);
                        let n = rest.get(from..)?.iter().take(2).take_while(|d| d.is_ascii_hexdigit()).count();
                        let digits = std::str::from_utf8(rest.get(from..from.saturating_add(n))?).ok()?;
                        out.push(u8::from_str_radix(digits, 16).unwrap_or(b'x'));
                        i = i.saturating_add(n);
                    }
                    c => out.push(c),
                }
            }
            c => out.push(*c),
        }
        i = i.saturating_add(1);
    }
}

/// The length of a pattern with both slashes.
fn regex(rest: &[u8]) -> Option<usize> {
    let mut i = 1usize;
    let mut class = false;
    loop {
        match rest.get(i)? {
            b'\n' => return None,
            b'\\' => i = i.saturating_add(1),
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Some(i.saturating_add(1)),
            _ => {}
        }
        i = i.saturating_add(1);
    }
}
