//! awk programs: whether one only computes and prints.
//!
//! In: the text of a program. Out: yes, or no. Yes means that it starts no command, reads and writes no file of its own
//! and loads no code, whatever its input: it has no `system`, no `getline`, no pipe and no redirection of `print`. The
//! text is read as tokens (POSIX awk, "Grammar"; gawk's `@load`, `|&` and indirect calls `@f()` as well); whatever is not
//! sure is a no. Floor 2; imports nothing.

mod expr;
mod lower;
mod token;

pub(super) use lower::read;

/// What stands before a `/` decides whether it divides or begins a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Value,
    Operator,
}

/// True where the program only computes and prints.
pub fn only_computes(text: &[u8]) -> bool {
    let mut at = 0usize;
    let mut before = Before::Operator;
    // In a `print` statement, with the depth of brackets at which it stands.
    let mut print: Option<usize> = None;
    let mut depth = 0usize;
    while let Some(b) = text.get(at).copied() {
        let next = text.get(at.saturating_add(1)).copied();
        let step = match b {
            b' ' | b'\t' | b'\r' => 1,
            b'\\' if next == Some(b'\n') => 2,
            b'#' => line_end(text, at),
            // A `print` may go on behind a newline (after a comma), so that only these end it for sure.
            b';' | b'}' | b'{' => {
                print = None;
                before = Before::Operator;
                1
            }
            b'\n' => {
                before = Before::Operator;
                1
            }
            b'"' => match closing(text, at, b'"') {
                Some(n) => {
                    before = Before::Value;
                    n
                }
                None => return false,
            },
            b'/' if before == Before::Operator => match closing(text, at, b'/') {
                Some(n) => {
                    before = Before::Value;
                    n
                }
                None => return false,
            },
            b'|' if next == Some(b'|') => {
                before = Before::Operator;
                2
            }
            // A pipe to or from a command; gawk's coprocess; includes, loads and indirect calls.
            b'|' | b'@' => return false,
            b'>' if print == Some(depth) => return false,
            b'(' | b'[' => {
                depth = depth.saturating_add(1);
                before = Before::Operator;
                1
            }
            b')' | b']' => {
                depth = depth.saturating_sub(1);
                before = Before::Value;
                1
            }
            b'0'..=b'9' | b'.' => {
                before = Before::Value;
                text.get(at..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|c| c.is_ascii_alphanumeric() || **c == b'.')
                    .count()
            }
            c if c.is_ascii_alphabetic() || c == b'_' => {
                let rest = text.get(at..).unwrap_or_default();
                let n = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_').count();
                match rest.get(..n).unwrap_or_default() {
                    b"system" | b"getline" | b"extension" => return false,
                    b"print" | b"printf" => {
                        print = Some(depth);
                        before = Before::Operator;
                    }
                    b"in" | b"return" | b"case" | b"do" | b"else" => before = Before::Operator,
                    _ => before = Before::Value,
                }
                n
            }
            c if c.is_ascii() => {
                before = if matches!((b, next), (b'+', Some(b'+')) | (b'-', Some(b'-'))) {
                    before
                } else {
                    Before::Operator
                };
                if matches!((b, next), (b'+', Some(b'+')) | (b'-', Some(b'-'))) { 2 } else { 1 }
            }
            _ => return false,
        };
        at = at.saturating_add(step.max(1));
    }
    true
}

/// Bytes up to the end of the line.
fn line_end(text: &[u8], at: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().position(|c| *c == b'\n').unwrap_or(text.len().saturating_sub(at))
}

/// Bytes from the quote or slash at `at` to the one that closes it; in a pattern a bracket may hold a slash.
fn closing(text: &[u8], at: usize, end: u8) -> Option<usize> {
    let mut i = at.saturating_add(1);
    loop {
        match text.get(i)? {
            b'\\' => i = i.saturating_add(1),
            b'\n' => return None,
            // Awks differ on `[/]`: what one takes for the end, another takes for a member.
            b'[' if end == b'/' && bracket_holds_slash(text, i) => return None,
            c if *c == end => return Some(i.saturating_sub(at).saturating_add(1)),
            _ => {}
        }
        i = i.saturating_add(1);
    }
}

fn bracket_holds_slash(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let close = rest.iter().skip(2).position(|c| *c == b']').map(|p| p.saturating_add(2));
    let slash = rest.iter().position(|c| *c == b'/');
    matches!((close, slash), (Some(c), Some(s)) if s < c)
}

#[cfg(test)]
mod tests {
    use super::only_computes;

    #[test]
    fn tells_computing_from_doing() {
        for yes in [
            "{print $1, $2}",
            "NR==1 {min=max=$1} {if($1<min)min=$1} END{print min,max}",
            "$1 > 10",
            "{if ($1 > 10) print}",
            "/pattern|other/ {print; next}",
            "$1 ~ /a\\/b/ || $2 == \"x|y > z\"",
            "{ n += $1 / 2 } END { printf(\"%d\\n\", n) } # > f",
            "{ print ($1 > 3) }",
            "BEGIN { while (i++ < 5) print i }",
            "",
        ] {
            assert!(only_computes(yes.as_bytes()), "{yes}");
        }
        for no in [
            "BEGIN {system(\"id\")}",
            "{print >> \"out.txt\"}",
            "{print > $1\".txt\"}",
            "{print $1 | \"sh\"}",
            "BEGIN{\"id\" | getline x}",
            "BEGIN{s=\"/inet/tcp/0/h/1\"; s |& getline c}",
            "@load \"filefuncs\"; {print}",
            "BEGIN { f = \"system\"; @f(\"id\") }",
            "{ printf \"%s\", $0 > \"f\" }",
            "{print \"unterminated}",
            "/[/]/ {print} > \"/x/\"",
            "{ print($1) > \"f\" }",
            "{ print $1,\n $2 > \"f\" }",
            "while ((getline line < file) > 0) n++",
        ] {
            assert!(!only_computes(no.as_bytes()), "{no}");
        }
    }
}
