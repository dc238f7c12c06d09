//! Texts so plain that both readers must agree, so that the second reading can be spared.
//!
//! The class is defined by bytes, not by what the first reader makes of them: a text is plain where it is made of words
//! of safe characters, quotes around data, `$NAME` in arguments, `|`, `&&`, `||`, `;`, newlines, and redirections behind
//! the last word of a command. In none of these have the two readers a choice: no character stands there that either
//! takes for something else in another place, and the places where the grammar of the witness is loose (a command word
//! that may be an assignment, words behind the target of a redirection) are left out. A property test makes texts of the
//! class and holds both readers to the same words and redirections, and to those that were meant.

/// True where the text is plain. One pass over the bytes.
pub fn plain(text: &[u8]) -> bool {
    let mut rest = text;
    // The word so far, or `None` where it has a quote or an expansion in it.
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
    // True behind a redirection: the grammar would take a further word for a further target.
    let mut redirected = false;
    while let [b, tail @ ..] = rest {
        if !in_word {
            lines |= new_line && b.is_ascii_alphabetic();
            begun = rest;
            word = Some(&[]);
            let blank = matches!(b, b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'>' | b'<');
            if redirected && !blank && !matches!(rest, [b'0'..=b'9', b'>' | b'<', ..]) {
                return false;
            }
        }
        match b {
            // In a command word the grammar takes `a%`, `a@`, `a:` for the beginning of an assignment, and what does
            // not begin with a letter it may take for an argument of the line before.
            b'0'..=b'9' | b'-' | b'_' if !may_end && !in_word => return false,
            b'.' | b'/' | b'\'' | b'"' if !may_end && !in_word && new_line => return false,
            b',' | b':' | b'@' | b'%' | b'+' | b'*' | b'?' | b'~' | b'^' | b'=' | b'$' if !may_end => return false,
            // A pattern of the shell, or what another one would expand.
            b'=' | b'^' if !in_word => return false,
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'_'
            | b'.'
            | b'/'
            | b','
            | b':'
            | b'@'
            | b'%'
            | b'+'
            | b'-'
            | b'*'
            | b'?'
            | b'~'
            | b'^'
            | b'=' => {
                in_word = true;
                let taken = begun.len().saturating_sub(tail.len());
                word = word.and_then(|_| begun.get(..taken));
                rest = tail;
            }
            // `-exec x {} \;`: a word by itself.
            b'{' | b'\\' if may_end && !in_word => {
                let Some(after) = mark(rest) else { return false };
                in_word = true;
                word = None;
                rest = after;
            }
            b'$' => {
                // `if'x'` is one word to the shell; the grammar sees a reserved one.
                if in_word && word.is_some_and(special) {
                    return false;
                }
                let Some(after) = expansion(tail) else { return false };
                in_word = true;
                word = None;
                rest = after;
            }
            b'\'' | b'"' => {
                // `if'x'` is one word to the shell; the grammar sees a reserved one.
                if in_word && word.is_some_and(special) {
                    return false;
                }
                let Some(after) = quoted(*b, tail, may_end) else { return false };
                in_word = true;
                word = None;
                rest = after;
            }
            b'>' | b'<' if may_end => {
                // `a>b` is a word and a redirection, `2>b` a redirection, and `12>b` is left to the readers.
                if in_word && !word.is_some_and(|w| matches!(w, [b'0'..=b'9'])) {
                    return false;
                }
                let Some(after) = target(rest) else { return false };
                in_word = false;
                redirected = true;
                rest = after;
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
                redirected &= matches!(b, b' ' | b'\t');
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

/// What follows a pair of braces with nothing in it, or a quoted operator, that is a whole word.
fn mark(text: &[u8]) -> Option<&[u8]> {
    let ends = |after: &[u8]| matches!(after, [] | [b' ' | b'\t' | b'\n' | b';', ..]);
    match text {
        [b'{', b'}', after @ ..] | [b'\\', b';' | b'(' | b')' | b'!', after @ ..] => ends(after).then_some(after),
        _ => None,
    }
}

/// What follows the quoted text, where that is data in every grammar: printable text, and in arguments between single
/// quotes lines, too, and between double ones variables and quoted characters.
fn quoted(quote: u8, text: &[u8], argument: bool) -> Option<&[u8]> {
    if quote == b'"' && argument {
        return double(text);
    }
    let close = text.iter().position(|c| *c == quote)?;
    let (inside, after) = (text.get(..close)?, text.get(close.saturating_add(1)..)?);
    let printable = |c: &u8| matches!(c, b' '..=b'~');
    let whole = match quote {
        _ if inside.is_empty() => false,
        b'\'' if argument => inside.iter().all(|c| printable(c) || matches!(c, b'\n' | b'\t')),
        _ => inside.iter().all(|c| printable(c) && !b"$`\\!\"'".contains(c)),
    };
    whole.then_some(after)
}

/// The same for an argument between double quotes.
fn double(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    loop {
        rest = match rest {
            [b'"', after @ ..] => return (after.len().saturating_add(1) < text.len()).then_some(after),
            [b'$', tail @ ..] => expansion(tail)?,
            [b'\\', b' '..=b'~', tail @ ..] if !matches!(rest.get(1), Some(b'$' | b'`' | b'!')) => tail,
            [b'`' | b'\\' | b'!', ..] => return None,
            [b' '..=b'~', tail @ ..] => tail,
            _ => return None,
        };
    }
}

/// What follows the name of a variable behind `$`, braces or none. Digits (`$12`), and what zsh reads behind a name
/// (`$x:h`, `$x[1]`), are left to the readers.
fn expansion(text: &[u8]) -> Option<&[u8]> {
    let (name, braces) = match text {
        [b'{', name @ ..] => (name, true),
        name => (name, false),
    };
    if !name.first().is_some_and(|c| c.is_ascii_alphabetic() || *c == b'_') {
        return None;
    }
    let end = name.iter().position(|c| !c.is_ascii_alphanumeric() && *c != b'_').unwrap_or(name.len());
    let after = name.get(end..)?;
    match (braces, after) {
        (true, [b'}', after @ ..]) => Some(after),
        (true, _) | (false, [b':' | b'[', ..]) => None,
        (false, after) => Some(after),
    }
}

/// What follows a redirection and its target: a plain word, or a digit behind `>&`.
fn target(text: &[u8]) -> Option<&[u8]> {
    let ends = |after: &[u8]| matches!(after, [] | [b' ' | b'\t' | b'\n' | b';' | b'|' | b'&', ..]);
    let name = match text {
        [b'>', b'&', b'0'..=b'9', after @ ..] => return ends(after).then_some(after),
        [b'>', b'>', name @ ..] | [b'>' | b'<', name @ ..] => name,
        _ => return None,
    };
    let blanks = name.iter().position(|c| !matches!(c, b' ' | b'\t'))?;
    let name = name.get(blanks..)?;
    let inner = |c: &u8| c.is_ascii_alphanumeric() || b"_./,:@%+-".contains(c);
    let end = name.iter().position(|c| !inner(c)).unwrap_or(name.len());
    let (word, after) = name.split_at_checked(end)?;
    let begins = word.first().is_some_and(|c| c.is_ascii_alphanumeric() || b"_./".contains(c));
    (begins && !special(word) && ends(after)).then_some(after)
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
    word.len() <= 9 && WORDS.contains(&word)
}
