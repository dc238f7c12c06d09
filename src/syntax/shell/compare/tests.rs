use super::*;
use crate::syntax::shell::{self, Dialect, witness};

fn kinds(ours: &str, theirs: &str, text: &str) -> Vec<DifferenceKind> {
    let ours = witness::read(ours.as_bytes()).unwrap();
    let theirs = witness::read(theirs.as_bytes()).unwrap();
    differences(&ours, &theirs, text.as_bytes()).into_iter().map(|d| d.kind).collect()
}

#[test]
fn spelling_is_no_difference_but_a_protected_glob_is() {
    assert_eq!(kinds("ls 'ab'", "ls ab  ", "ls 'ab'"), []);
    assert_eq!(kinds("ls \\a\"b\"", "ls ab", ""), []);
    assert_eq!(kinds("ls '*'", "ls *", ""), [DifferenceKind::Words]);
    assert_eq!(kinds("a >f 2>&1", "a >f 2>&1", ""), []);
    assert_eq!(kinds("a >f", "a >>f", ""), [DifferenceKind::Words]);
}

#[test]
fn a_command_that_one_reader_misses_is_found_at_any_depth() {
    // A body of a function, a default value, a here-document.
    for (with, without) in [
        ("f() { rm x; }", "f() { :   ; }"),
        ("echo ${x:-$(rm)}", "echo ${x:-$[1 ]}"),
        ("cat <<E\n$(rm)\nE\n", "cat <<E\n     \nE\n"),
        ("a=(b $(rm))", "a=(b      )"),
        ("[[ -n $(rm) ]]", "[[ -n      x ]]"),
        ("echo \"$(( $(rm) + 1 ))\"", "echo \"$(( 3     + 1 ))\""),
    ] {
        let found = differences(
            &witness::read(without.as_bytes()).unwrap(),
            &witness::read(with.as_bytes()).unwrap(),
            with.as_bytes(),
        );
        let seen = found.iter().filter(|d| d.kind != DifferenceKind::OnlyOurs);
        assert!(
            seen.clone().any(|d| d.span.of(with.as_bytes()).starts_with(b"rm"))
                && seen.filter_map(|d| d.witness.as_ref()).all(|l| l.possible),
            "{with}: {found:?}"
        );
    }
}

#[test]
fn a_nested_command_is_handed_on_once() {
    let ours = witness::read(b"").unwrap();
    let text = b"a $(b $(c))";
    let found = differences(&ours, &witness::read(text).unwrap(), text);
    assert_eq!(found.len(), 3);
    assert_eq!(found.iter().filter(|d| d.witness.is_some()).count(), 1);
}

#[test]
fn what_the_witness_could_not_read_is_doubtful() {
    use crate::syntax::ast::{SyntaxError, Unparsed};
    let text = b"a b; c d";
    let mut theirs = witness::read(b"a x; c y").unwrap();
    let mut ours = witness::read(text).unwrap();
    let doubtful = |ours: &Program, theirs: &Program| {
        differences(ours, theirs, text).iter().map(|d| d.doubtful).collect::<Vec<_>>()
    };
    assert_eq!(doubtful(&ours, &theirs), [false, false]);
    let gap = Unparsed { span: Span::new(2, 3), reason: SyntaxError::NotLowered };
    theirs.unparsed.push(gap.clone());
    assert_eq!(doubtful(&ours, &theirs), [true, false]);
    let error = Unparsed { span: Span::new(0, 1), reason: SyntaxError::UnexpectedToken };
    theirs.unparsed.push(error);
    assert_eq!(doubtful(&ours, &theirs), [true, true]);
    theirs.unparsed.pop();
    // Where neither could read it, the second reading counts.
    ours.unparsed.push(gap);
    assert_eq!(doubtful(&ours, &theirs), [false, false]);
}

#[test]
fn what_is_plain() {
    for text in [
        "",
        "ls -la /tmp",
        "a | b && c || d ; e\n",
        "a b\nc; d\n\n e",
        "a | b ",
        "a | b;",
        "git commit -m 'say > this (now)'",
        "a;b",
        "echo \"x y\"",
        "awk '{print $1}' f",
        "python3 -c 'import x\nx.y()' | b",
        "echo \"it's $x of ${y}\" $z/a ${z}:b",
        "a $x",
        "a *",
        "a ~ b/*.c",
        "a --b=c d=e",
        "a \"b'c\"",
        "a > b",
        "a b >c 2>&1 | d 2>/dev/null && e >> f; g < h",
        "find . -name \"*.c\" -exec a {} \\; | b {}",
        "find . \\( -a -o \\! -b \\) -exec c {} +",
        "a \"b\\n\\t\\\\ \\\"c\\\" $d\"",
    ] {
        assert!(plain(text.as_bytes()), "{text}");
    }
    for text in [
        "a `b`",
        "a\\\nb",
        "a & b",
        "if a",
        "if'#'",
        "a |& b",
        "a;;b",
        "| a",
        "a # b",
        "a 'x",
        "a ''",
        "a {b,c}",
        "x=1 a",
        "a (b)",
        "a \u{e9}",
        "a\rb",
        "! a",
        "time a",
        "a |",
        "a && ",
        "a | \n",
        "a [ b",
        "a=b",
        "$x a",
        "* a",
        "a =b",
        "a $1",
        "a $x:h",
        "a $x[1]",
        "a ${x:-b}",
        "a \"$(b)\"",
        "a \"b\\\"",
        "a \"b\\$c\"",
        "a \"b\\`c\"",
        "a \"b\\!\"",
        "a \"\"",
        "a {}b",
        "a b{}",
        "a {}|b",
        "{} a",
        "a \\;b",
        "a b\\;",
        "\\( a",
        "a \\",
        "a > b c",
        "a >b $x",
        "a >$x",
        "> a",
        "a 12>b",
        "a b>c",
        "a &> b",
        "a >| b",
        "a << b",
        "a <(b)",
        "a > if",
        "'a$x' b",
    ] {
        assert!(!plain(text.as_bytes()), "{text}");
    }
}

/// The words of all simple commands, in order; `None` for one that is not known.
fn words(program: &Program) -> Vec<Vec<Option<String>>> {
    flatten::commands(program)
        .iter()
        .map(|e| match &e.command.kind {
            crate::syntax::ast::CommandKind::Simple(s) => {
                s.words.iter().map(|w| w.literal().map(|l| String::from_utf8(l).unwrap())).collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

mod property {
    use super::*;
    use proptest::prelude::*;

    /// A word as written and as it is read; what is not known is left out of the second.
    fn word(letters: &'static str) -> impl Strategy<Value = (String, String)> {
        let piece = prop_oneof![
            6 => letters.prop_map(|s| (s.clone(), s)),
            1 => "[ -~&&[^$`\\\\!\"']]{1,8}".prop_map(|s| (format!("'{s}'"), s)),
            1 => "[ -~&&[^$`\\\\!\"']]{1,8}".prop_map(|s| (format!("\"{s}\""), s)),
        ];
        prop::collection::vec(piece, 1..3).prop_map(|all| all.into_iter().unzip())
    }

    /// The same for an argument, which may be more.
    fn argument() -> impl Strategy<Value = (String, String)> {
        let piece = prop_oneof![
            6 => "[a-zA-Z0-9_./,:@%+*?~-][a-zA-Z0-9_./,:@%+*?~^=-]{0,7}".prop_map(|s| (s.clone(), s)),
            1 => "[ -&(-~\n\t]{1,8}".prop_map(|s| (format!("'{s}'"), s)),
            1 => "[ -~&&[^$`\\\\!\"]]{1,8}".prop_map(|s| (format!("\"{s}\""), s)),
            1 => prop::collection::vec("[ -~&&[^$`\\\\!\"]]{0,2}\\\\[ -~&&[^$`!]]", 1..4).prop_map(|all| in_double(&all.concat())),
            1 => "(\\$[a-zA-Z_][a-zA-Z_0-9]{0,3}|\\$\\{[a-zA-Z_][a-zA-Z_0-9]{0,3}\\})".prop_map(|s| (s, String::new())),
            1 => "[ #-\\[\\]-_a-~&&[^$`\\\\!]]{0,3}(\\$[a-z]{1,3}|\\$\\{[a-z]{1,3}\\})[ #-~&&[^$`\\\\!:\\[]]{0,3}"
                .prop_map(|s| (format!("\"{s}\""), s)),
        ];
        let mark = prop::sample::select(vec![("{}", "{}"), ("\\;", ";"), ("\\(", "("), ("\\)", ")"), ("\\!", "!")]);
        prop_oneof![
            8 => prop::collection::vec(piece, 1..4).prop_map(|all| all.into_iter().unzip()),
            1 => mark.prop_map(|(written, read)| (written.to_string(), read.to_string())),
        ]
    }

    /// A text between double quotes, and as it is read: a backslash is only taken away before what it protects.
    fn in_double(text: &str) -> (String, String) {
        let mut read = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match (c, rest.clone().next()) {
                ('\\', Some(next @ ('\\' | '"'))) => {
                    read.push(next);
                    rest.next();
                }
                _ => read.push(c),
            }
        }
        (format!("\"{text}\""), read)
    }

    /// Redirections behind the last word, as they are written.
    fn redirections() -> impl Strategy<Value = String> {
        let one = prop_oneof!["[12]?(>|>>|<)[ \t]?[a-zA-Z0-9_./][a-zA-Z0-9_./,:@%+-]{0,6}", "[12]?>&[0-9]",];
        prop_oneof![
            3 => Just(String::new()),
            1 => prop::collection::vec(one, 1..3).prop_map(|all| format!(" {}", all.join(" "))),
        ]
    }

    /// A text, the words that are meant where all are known, and how many commands it has.
    fn text() -> impl Strategy<Value = (String, Vec<Vec<String>>)> {
        let rest = prop::collection::vec(argument(), 0..4);
        let command = (word("[a-zA-Z./][a-zA-Z0-9_./-]{0,8}"), rest, redirections())
            .prop_map(|(first, rest, redirections)| ([vec![first], rest].concat(), redirections));
        let operators = prop::sample::select(vec![
            &[" | ", "|", " && ", "&&", " || ", "||", "; ", ";"][..],
            &["; ", ";", "\n", " ;\n", "\n\n\t"],
        ]);
        let commands = prop::collection::vec((command, 0..40usize, prop::sample::select(vec![" ", "  ", "\t"])), 1..6);
        (commands, operators).prop_map(|(all, operators)| {
            let (mut text, mut want) = (String::new(), Vec::new());
            let last = all.len().saturating_sub(1);
            for (i, ((command, redirections), operator, blank)) in all.into_iter().enumerate() {
                let (written, read): (Vec<String>, Vec<String>) = command.into_iter().unzip();
                text.push_str(&written.join(blank));
                text.push_str(&redirections);
                if i < last {
                    text.push_str(operators[operator % operators.len()]);
                }
                want.push(read);
            }
            (text, want)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_plain_text_is_read_alike((text, want) in text()) {
            prop_assume!(plain(text.as_bytes()));
            let theirs = witness::read(text.as_bytes()).unwrap();
            prop_assert_eq!(&theirs.unparsed, &vec![]);
            prop_assert!(theirs.comments.is_empty());
            for dialect in [Dialect::BASH, Dialect::ZSH, Dialect::KSH] {
                let ours = shell::read(text.as_bytes(), dialect);
                prop_assert_eq!(&ours.unparsed, &vec![]);
                prop_assert_eq!(starts(&ours), starts(&theirs));
                prop_assert_eq!(starts(&ours).len(), want.len());
                prop_assert!(differences(&ours, &theirs, text.as_bytes()).is_empty());
                // What both give is what was meant.
                for (words, want) in words(&ours).iter().zip(&want) {
                    prop_assert_eq!(words.len(), want.len());
                    for (word, want) in words.iter().zip(want) {
                        prop_assert!(word.is_none() || word.as_ref() == Some(want), "{:?} {:?}", word, want);
                    }
                }
            }
        }
    }
}
