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
    ] {
        assert!(plain(text.as_bytes()), "{text}");
    }
    for text in [
        "a $x",
        "a `b`",
        "a\\\nb",
        "a > b",
        "a & b",
        "if a",
        "a |& b",
        "a;;b",
        "| a",
        "a # b",
        "a 'x",
        "a ''",
        "a {b,c}",
        "x=1 a",
        "a *",
        "a (b)",
        "a \u{e9}",
        "a\rb",
        "! a",
        "a \"b'c\"",
        "time a",
        "a ~",
        "a |",
        "a && ",
        "a | \n",
        "a [ b",
        "a=b",
    ] {
        assert!(!plain(text.as_bytes()), "{text}");
    }
}

/// The words of all simple commands, in order.
fn words(program: &Program) -> Vec<Vec<String>> {
    flatten::commands(program)
        .iter()
        .map(|e| match &e.command.kind {
            crate::syntax::ast::CommandKind::Simple(s) => {
                s.words.iter().map(|w| String::from_utf8(w.literal().unwrap()).unwrap()).collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

mod property {
    use super::*;
    use proptest::prelude::*;

    /// A word as written and as it is read.
    fn word(letters: &'static str) -> impl Strategy<Value = (String, String)> {
        let piece = prop_oneof![
            6 => letters.prop_map(|s| (s.clone(), s)),
            1 => "[ -~&&[^$`\\\\!\"']]{1,8}".prop_map(|s| (format!("'{s}'"), s)),
            1 => "[ -~&&[^$`\\\\!\"']]{1,8}".prop_map(|s| (format!("\"{s}\""), s)),
        ];
        prop::collection::vec(piece, 1..3).prop_map(|all| all.into_iter().unzip())
    }

    fn text() -> impl Strategy<Value = (String, Vec<Vec<String>>)> {
        let rest = prop::collection::vec(word("[a-zA-Z0-9_./,:@%+-]{1,8}"), 0..4);
        let command =
            (word("[a-zA-Z./][a-zA-Z0-9_./-]{0,8}"), rest).prop_map(|(first, rest)| [vec![first], rest].concat());
        let operators = prop::sample::select(vec![
            &[" | ", "|", " && ", "&&", " || ", "||", "; ", ";"][..],
            &["; ", ";", "\n", " ;\n", "\n\n\t"],
        ]);
        let commands = prop::collection::vec((command, 0..40usize, prop::sample::select(vec![" ", "  ", "\t"])), 1..6);
        (commands, operators).prop_map(|(all, operators)| {
            let (mut text, mut want) = (String::new(), Vec::new());
            let last = all.len().saturating_sub(1);
            for (i, (command, operator, blank)) in all.into_iter().enumerate() {
                let (written, read): (Vec<String>, Vec<String>) = command.into_iter().unzip();
                text.push_str(&written.join(blank));
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
            prop_assert_eq!(&words(&theirs), &want);
            let ours = shell::read(text.as_bytes(), Dialect::BASH);
            prop_assert_eq!(&words(&ours), &want);
            prop_assert!(differences(&ours, &theirs, text.as_bytes()).is_empty());
        }
    }
}
