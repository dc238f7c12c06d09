//! Texts so plain that both readers must agree, so that the second reading can be spared.

/// True where the text is made of safe words, simple quotes, `|`, `&&`, `||`, `;` and newlines, and nothing else. One
/// pass over the bytes. A property test holds both readers to agreement on such texts.
pub fn plain(text: &[u8]) -> bool {
    let mut rest = text;
    // Length of the word so far, or `None` where it is longer than any reserved word or has a quote in it.
    let mut word: Option<&[u8]> = Some(&[]);
    let mut begun: &[u8] = text;
    let mut in_word = false;
    // An operator has to stand between commands: `;;`, `| |`, a leading `&&` are the parser's business.
    let mut may_end = false;
    let mut new_line = false;
    // It joins lines where there are operators, too (`a | b | c` newline `d && e`).
    let (mut operators, mut lines) = (false, false);
    // True behind an operator that waits for a command.
    let mut waits = false;
    while let [b, tail @ ..] = rest {
        if !in_word {
            lines |= new_line && b.is_ascii_alphabetic();
            begun = rest;
            word = Some(&[]);
        }
        match b {
            // In a command word the grammar takes `a%`, `a@`, `a:` for the beginning of an assignment, and what does
            // not begin with a letter it may take for an argument of the line before.
            b'0'..=b'9' | b'-' | b'_' if !may_end && !in_word => return false,
            b'.' | b'/' | b'\'' | b'"' if !may_end && !in_word && new_line => return false,
            b',' | b':' | b'@' | b'%' | b'+' if !may_end => return false,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'/' | b',' | b':' | b'@' | b'%' | b'+' | b'-' => {
                in_word = true;
                let taken = begun.len().saturating_sub(tail.len());
                word = word.and_then(|_| begun.get(..taken));
                rest = tail;
            }
            b'\'' | b'"' => {
                // Text that is data in both kinds of quotes and in every grammar.
                let Some(close) = tail.iter().position(|c| c == b) else { return false };
                let inside = tail.get(..close).unwrap_or(&[]);
                let data = |c: &u8| matches!(c, b' '..=b'~') && !b"$`\\!\"'".contains(c);
                if inside.is_empty() || !inside.iter().all(data) {
                    return false;
                }
                in_word = true;
                word = None;
                rest = tail.get(close.saturating_add(1)..).unwrap_or(&[]);
            }
            b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' => {
                if in_word {
                    if word.is_some_and(special) {
                        return false;
                    }
                    in_word = false;
                    may_end = true;
                    new_line = false;
                }
                operators |= matches!(b, b'|' | b'&');
                waits = matches!(b, b'|' | b'&') || waits && matches!(b, b' ' | b'\t' | b'\n') && !may_end;
                rest = match (b, tail) {
                    (b' ' | b'\t', _) => tail,
                    (b'\n', _) => {
                        may_end = false;
                        new_line = true;
                        tail
                    }
                    (b'|', [b'|', after @ ..]) | (b'&', [b'&', after @ ..]) if may_end => {
                        may_end = false;
                        after
                    }
                    (b'|', [next, ..]) if may_end && *next != b'&' => {
                        may_end = false;
                        tail
                    }
                    (b';', _) if may_end && !tail.starts_with(b";") => {
                        may_end = false;
                        tail
                    }
                    _ => return false,
                };
            }
            _ => return false,
        }
    }
    !(in_word && word.is_some_and(special) || operators && lines || waits && !in_word && !may_end)
}

/// Words that a shell may take for more than a word, anywhere: too plain a test to ask where they stand.
fn special(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 24] = [
        b"if",
        b"then",
        b"elif",
        b"else",
        b"fi",
        b"for",
        b"select",
        b"in",
        b"while",
        b"until",
        b"do",
        b"done",
        b"case",
        b"esac",
        b"function",
        b"time",
        b"coproc",
        b"declare",
        b"typeset",
        b"export",
        b"readonly",
        b"local",
        b"unset",
        b"unsetenv",
    ];
    WORDS.contains(&word)
}
