//! POSIX regular expressions with GNU's extensions, as `sed`, `grep`, `awk` and `expr` use them.
//!
//! In: a basic, extended or Perl-like pattern. Out: a matcher that finds the leftmost longest match. Back references are
//! not computed. The engine is the `regex` crate's, linear in the text; where its match (the leftmost *first*) is not
//! the longest, the result is not computed either, so a match that is given is the right one.

use super::super::Why;
use crate::limits;
use regex::bytes::{Captures, Regex, RegexBuilder};
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};
use std::cell::{Cell, RefCell};

/// Whose syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// `\(…\)`, `\|`, `\{…\}`
    Basic,
    /// `(…)`, `|`, `{…}`
    Extended,
    /// As in Perl, as far as it is regular.
    Perl,
}

const NOT: Why = Why::NotComputed("regular expression");

/// A compiled pattern.
pub(super) struct Matcher {
    regex: Regex,
    /// Finds the longest match; absent where there is no choice that could make a difference.
    longest: Option<(DFA, RefCell<Cache>)>,
    /// Bytes that searches may still look at, for patterns that can look far ahead: finding all matches of `a*b\|a` in
    /// a long line takes the square of its length.
    left: Option<Cell<usize>>,
}

impl Matcher {
    pub(super) fn new(pattern: &[u8], syntax: Syntax, nocase: bool) -> Result<Matcher, Why> {
        let text = std::str::from_utf8(pattern).map_err(|_| NOT)?;
        if text.len() > 4096 {
            return Err(Why::Limit);
        }
        let translated = match syntax {
            Syntax::Perl => text.to_string(),
            _ => translate(text, syntax == Syntax::Extended)?,
        };
        let regex = RegexBuilder::new(&translated)
            .case_insensitive(nocase)
            .dot_matches_new_line(syntax != Syntax::Perl)
            .size_limit(1 << 20)
            .nest_limit(50)
            .build()
            .map_err(|_| NOT)?;
        let choice = translated.contains(['|', '(']);
        let longest = if choice && syntax != Syntax::Perl {
            let dfa = DFA::builder()
                .configure(DFA::config().match_kind(MatchKind::All).skip_cache_capacity_check(true))
                .syntax(
                    syntax::Config::new()
                        .case_insensitive(nocase)
                        .dot_matches_new_line(true)
                        .utf8(false)
                        .nest_limit(50),
                )
                .build(&translated)
                .map_err(|_| NOT)?;
            let cache = dfa.create_cache();
            Some((dfa, RefCell::new(cache)))
        } else {
            None
        };
        let left = translated.contains(['*', '+', '{']).then(|| Cell::new(limits::MAX_REGEX_WORK));
        Ok(Matcher { regex, longest, left })
    }

    /// True where the text has a match.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }

    /// The first match at or after `at`, with its groups.
    pub(super) fn find_at<'t>(&self, text: &'t [u8], at: usize) -> Result<Option<Captures<'t>>, Why> {
        if let Some(left) = &self.left {
            let cost = text.len().saturating_sub(at);
            left.set(left.get().checked_sub(cost).ok_or(Why::Limit)?);
        }
        let Some(found) = self.regex.captures_at(text, at) else { return Ok(None) };
        if let (Some((dfa, cache)), Some(whole)) = (&self.longest, found.get(0)) {
            let input = Input::new(text).range(whole.start()..).anchored(Anchored::Yes);
            let end = dfa.try_search_fwd(&mut cache.borrow_mut(), &input).map_err(|_| NOT)?;
            if end.is_some_and(|e| e.offset() != whole.end()) {
                return Err(Why::NotComputed("ambiguous match"));
            }
        }
        Ok(Some(found))
    }
}

/// Rewrites a POSIX pattern in the syntax of the `regex` crate.
fn translate(text: &str, extended: bool) -> Result<String, Why> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0usize;
    let mut depth = 0u32;
    // Where an expression begins: there `*` is itself and `^` an anchor.
    let mut start = true;
    let peek = |i: usize| chars.get(i).copied();
    while let Some(c) = peek(at) {
        at = at.saturating_add(1);
        // Which operator this is, whatever the spelling.
        let (operator, c) = match c {
            '\\' => {
                let e = peek(at).ok_or(NOT)?;
                at = at.saturating_add(1);
                match e {
                    '(' | ')' | '{' | '}' | '|' | '+' | '?' => (!extended, e),
                    '1'..='9' => return Err(Why::NotComputed("back reference")),
                    'n' => (false, '\n'),
                    't' => (false, '\t'),
                    'r' => (false, '\r'),
                    'f' => (false, '\u{c}'),
                    'v' => (false, '\u{b}'),
                    'a' => (false, '\u{7}'),
                    'w' | 'W' | 's' | 'S' | 'b' | 'B' | '<' | '>' | '`' | '\'' => {
                        out.push_str(match e {
                            'w' => "\\w",
                            'W' => "\\W",
                            's' => "\\s",
                            'S' => "\\S",
                            'b' => "\\b",
                            'B' => "\\B",
                            '<' => "\\b{start}",
                            '>' => "\\b{end}",
                            '`' => "\\A",
                            _ => "\\z",
                        });
                        start = false;
                        continue;
                    }
                    // Number escapes differ from program to program.
                    'x' | 'o' | 'd' | 'c' => return Err(NOT),
                    other => (false, other),
                }
            }
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => (extended, c),
            '[' => {
                at = bracket(&chars, at, &mut out)?;
                start = false;
                continue;
            }
            '.' => {
                out.push('.');
                start = false;
                continue;
            }
            '*' if start && !extended => {
                out.push_str("\\*");
                start = false;
                continue;
            }
            '*' if start => return Err(NOT),
            '*' => {
                out.push('*');
                at = skip_stars(&chars, at);
                continue;
            }
            '^' if extended || start => {
                out.push('^');
                continue;
            }
            '$' if extended
                || peek(at).is_none()
                || (peek(at) == Some('\\') && matches!(peek(at.saturating_add(1)), Some(')' | '|'))) =>
            {
                out.push('$');
                start = false;
                continue;
            }
            c => (false, c),
        };
        if !operator {
            out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
            start = false;
            continue;
        }
        match c {
            '(' => {
                out.push('(');
                depth = depth.saturating_add(1);
                start = true;
            }
            ')' if depth > 0 => {
                out.push(')');
                depth = depth.saturating_sub(1);
                start = false;
            }
            ')' => return Err(NOT),
            '|' => {
                out.push('|');
                start = true;
            }
            _ if start => return Err(NOT),
            '{' => {
                let close = (at..chars.len()).find(|i| peek(*i) == Some('}')).ok_or(NOT)?;
                let end = if extended {
                    close
                } else {
                    close.checked_sub(1).filter(|i| peek(*i) == Some('\\')).ok_or(NOT)?
                };
                let inner: String = chars.get(at..end).unwrap_or(&[]).iter().collect();
                if !inner.chars().all(|c| c.is_ascii_digit() || c == ',') || inner.is_empty() {
                    return Err(NOT);
                }
                let inner = if inner.starts_with(',') { format!("0{inner}") } else { inner };
                out.push_str(&format!("{{{inner}}}"));
                at = close.saturating_add(1);
            }
            '}' => out.push_str("\\}"),
            repeat => out.push(repeat),
        }
        // A second repeat would make the first one lazy, or possessive, in the other syntax.
        if matches!(c, '+' | '?' | '{') && matches!(peek(at), Some('*' | '+' | '?' | '{' | '\\')) {
            let next = peek(at);
            let escaped = next == Some('\\') && matches!(peek(at.saturating_add(1)), Some('+' | '?' | '{'));
            if next != Some('\\') && (extended || next == Some('*')) || escaped && !extended {
                return Err(NOT);
            }
        }
    }
    if depth > 0 { Err(NOT) } else { Ok(out) }
}

/// Passes over further stars; a `+` or `?` after a star is left to fail or to be read by the caller.
fn skip_stars(chars: &[char], mut at: usize) -> usize {
    while chars.get(at) == Some(&'*') {
        at = at.saturating_add(1);
    }
    at
}

/// Rewrites a bracket expression that begins at `at` (after the `[`); gives the position after its `]`.
fn bracket(chars: &[char], mut at: usize, out: &mut String) -> Result<usize, Why> {
    let peek = |i: usize| chars.get(i).copied();
    out.push('[');
    if peek(at) == Some('^') {
        out.push('^');
        at = at.saturating_add(1);
    }
    let first = at;
    loop {
        let c = peek(at).ok_or(NOT)?;
        let next = at.saturating_add(1);
        match c {
            ']' if at > first => {
                out.push(']');
                return Ok(next);
            }
            '[' if matches!(peek(next), Some(':' | '=' | '.')) => {
                let mark = peek(next);
                let close = (next.saturating_add(1)..chars.len())
                    .find(|i| peek(*i) == mark && peek(i.saturating_add(1)) == Some(']'))
                    .ok_or(NOT)?;
                let name: String = chars.get(next.saturating_add(1)..close).unwrap_or(&[]).iter().collect();
                if mark == Some(':') {
                    // Letters are those of the language, as in a UTF-8 locale.
                    match name.as_str() {
                        "alpha" => out.push_str("\\p{L}"),
                        "alnum" => out.push_str("\\p{L}\\p{Nd}"),
                        "lower" => out.push_str("\\p{Ll}"),
                        "upper" => out.push_str("\\p{Lu}"),
                        _ => out.push_str(&format!("[:{name}:]")),
                    }
                } else if name.chars().count() == 1 {
                    out.push_str(&regex::escape(&name));
                } else {
                    return Err(NOT);
                }
                at = close.saturating_add(2);
            }
            '-' if at > first && peek(next) != Some(']') && !out.ends_with('[') => {
                let high = peek(next).ok_or(NOT)?;
                if high == '[' {
                    return Err(NOT);
                }
                out.push('-');
                push_member(out, high);
                at = next.saturating_add(1);
            }
            // GNU reads `\n` and the like in brackets, and otherwise a backslash as itself.
            '\\' if matches!(peek(next), Some('n' | 't' | 'r' | 'f' | 'v')) => {
                out.push('\\');
                out.push(peek(next).unwrap_or('n'));
                at = next.saturating_add(1);
            }
            '\\' if peek(next) == Some(']') => return Err(NOT),
            c => {
                push_member(out, c);
                at = next;
            }
        }
    }
}

fn push_member(out: &mut String, c: char) {
    if c.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(c);
}
