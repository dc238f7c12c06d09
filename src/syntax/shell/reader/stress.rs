//! Inputs that are made to break a reader: each has to come back as a tree, in time, on the 2 MiB stack of a test
//! thread in a debug build.

use super::{Dialect, read};
use crate::syntax::ast::{Program, SyntaxError};

const LEVELS: usize = 20_000;

fn quick(text: &[u8]) -> Program {
    let begun = std::time::Instant::now();
    let program = read(text, Dialect::BASH);
    // A debug build takes 1 to 10 µs a byte; quadratic work on these inputs would take minutes.
    let limit = 2.0 + text.len() as f64 / 5e4;
    let took = begun.elapsed().as_secs_f64();
    assert!(took < limit, "{took} s for {} bytes: {:?}", text.len(), text.get(..20));
    program
}

#[test]
fn deep_nesting_ends_in_a_reason() {
    let openers: &[&str] = &[
        "$(",
        "(",
        "((",
        "$((",
        "{ ",
        "\"$(",
        "if ",
        "while ",
        "`",
        "${x:-",
        "\"${x:-",
        "<(",
        "$[",
        "[[ ( ",
        "a[",
        "a=(",
        "f() ",
        "! ",
        "case x in x) ",
        "@(",
        "for x in $(",
        "x${a[",
        "coproc ",
        "\"`",
        "((a)",
        "$((a) ",
        "cat <<E $(",
        "{a,",
        "until ",
        "$'",
        "time ",
        "function f { ",
        "[[ ! ",
        "declare a=$(",
        "select x in ",
        "if ((",
        "a && ",
        "a | ",
        "a\n",
    ];
    for opener in openers {
        let text = opener.repeat(LEVELS);
        let program = quick(text.as_bytes());
        let shown = crate::syntax::print::tree(&program, text.as_bytes());
        let complete = matches!(*opener, "a\n" | "`" | "$'" | "time " | "! " | "declare a=$(" | "{a,");
        assert!(shown.contains("unparsed") || complete, "{opener}");
    }
    for (opener, middle, closer) in [
        ("$(", "a", ")"),
        ("(", "a", ")"),
        ("( ", "a", ")"),
        ("{ ", "a", ";}"),
        ("\"$(", "a", ")\""),
        ("if a; then ", "a", "; fi"),
        ("${x:-", "a", "}"),
        ("$((", "1", "))"),
        ("[[ ( ", "a", " ) ]]"),
        ("{a,", "b", "}"),
        ("@(a|", "b", ")"),
        ("$((a); ", "b", ")"),
        ("((a); ", "b", ")"),
    ] {
        let text = format!("echo {}{middle}{}", opener.repeat(LEVELS), closer.repeat(LEVELS));
        let program = quick(text.as_bytes());
        if !matches!(opener, "$((") {
            let deep = program.unparsed.iter().any(|u| u.reason != SyntaxError::NotLowered);
            assert!(deep, "{opener}: {:?}", program.unparsed);
        }
        // Within the limit the same text is read whole.
        let text = format!("{}{middle}{}", opener.repeat(40), closer.repeat(40));
        quick(text.as_bytes());
    }
}

#[test]
fn wide_and_long_inputs_are_linear() {
    let big = 1 << 18;
    for unit in [
        "a ",
        "'",
        "\"",
        "\\\n",
        "[",
        "[[:a",
        "{a}",
        "{a,",
        "{",
        "$",
        "${",
        "$(",
        "`a`",
        "<<E ",
        "a;",
        "a&&",
        "a|",
        "\n",
        ")\n",
        "*",
        "~",
        "[a\"b\"",
        "${x/",
        "${x#",
        "a=",
        "a[1]=",
        "x=~:",
        "$((a)",
        "((a) ",
        "\\",
        "#",
        "# \n",
        "<",
        ">",
        "&",
        "!",
        "[]",
        "@(",
        "$'",
        "=",
        "{a..b}",
        "{1..2",
        "<<'E'\n",
        "cat <<E $(cat <<F)\n",
        "$(cat <<E)",
        "<<-E\n\t",
        "[[ a ]]\n",
        "${",
        "}",
        "a[",
        "export a=$(",
        "[[ a && ",
        "`\\`",
        "if a;then b;fi\n",
        "\"$x\" ",
    ] {
        let text = unit.repeat(big / unit.len() / 4);
        quick(text.as_bytes());
        quick(format!("echo {text}").as_bytes());
        quick(format!("echo \"{text}").as_bytes());
        quick(format!("cat <<E\n{text}\nE\necho").as_bytes());
    }
    quick(&vec![b'a'; 10 << 20]);
    quick(format!("cat {}\n", "<<E ".repeat(10_000)).as_bytes());
}

#[test]
fn random_bytes_never_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let pieces: &[&str] = &[
        "$(",
        ")",
        "((",
        "))",
        "`",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        "<<E",
        "\nE\n",
        "\n",
        "a",
        "b=",
        "${",
        "x",
        ":-",
        "/",
        "#",
        "\\",
        "|",
        "&",
        ";",
        ";;",
        "if ",
        "then ",
        "fi",
        "case ",
        " in ",
        "esac",
        "for ",
        "do ",
        "done",
        "<(",
        ">",
        "[[ ",
        " ]]",
        "=~",
        "$'",
        "$\"",
        "~",
        "*",
        "?",
        ",",
        "..",
        "1",
        " ",
        "\t",
        "!",
        "@(",
        "function ",
        "() ",
        "coproc ",
        "time ",
        "declare ",
        "a=(",
        "\0",
        "\u{e9}",
        "$",
        "<<-'E'",
        "=",
    ];
    for round in 0..20_000 {
        let mut text = Vec::new();
        for _ in 0..next() % 40 {
            if round % 4 == 0 {
                text.push((next() % 256) as u8);
            } else {
                text.extend_from_slice(pieces[next() as usize % pieces.len()].as_bytes());
            }
        }
        for dialect in [Dialect::BASH, Dialect::POSIX, Dialect::ZSH] {
            let program = read(&text, dialect);
            assert_eq!(program.span.len(), text.len());
            let gaps = crate::syntax::cover::gaps(&program, &text);
            assert!(
                gaps.is_empty(),
                "{:?}: {gaps:?}\n{}\n{dialect:?}",
                String::from_utf8_lossy(&text),
                crate::syntax::print::tree(&program, &text)
            );
        }
    }
}
