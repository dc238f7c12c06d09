//! What Python becomes, and that no text is too much.

use super::*;
use crate::syntax::script::{Kind, StmtKind};

/// The names of calls, in order, as far as they are plain.
fn calls(text: &str) -> Vec<String> {
    let script = read(text.as_bytes());
    assert!(script.unparsed.is_empty(), "{text}: {:?}", script.unparsed);
    let debug = format!("{:?}", script.body);
    debug.split("Call(Expr { kind: Name(\"").skip(1).filter_map(|s| s.split('"').next()).map(String::from).collect()
}

#[test]
fn python_2_and_newer_python_are_read_by_the_second_reader() {
    assert_eq!(calls("print 'a', f(1)"), ["print", "f"]);
    assert_eq!(calls("exec 'x = 1'"), ["exec"]);
    // A body that is one call may leave: its handlers stand in front of it.
    assert_eq!(
        calls(
            "try:
  f()
except E, e:
  g(e)
"
        ),
        ["g", "f"]
    );
    assert_eq!(calls("print(f'{d[\"k\"]} {'a' + f('b')}')"), ["print", "f"]);
    assert_eq!(calls("for i in 0777, 10L: print i,\n"), ["print"]);
}

#[test]
fn both_readers_undo_escapes() {
    for text in ["x = 'a\\x41\\n\\u00e9\\101\\q'", "x = 'a\\x41\\n\\u00e9\\101\\q'; print 1"] {
        let script = read(text.as_bytes());
        let first = script.body.into_iter().next().map(|s| s.kind);
        let Some(StmtKind::Assign(_, e)) = first else { panic!("{text}: {first:?}") };
        let Kind::Text(b) = e.kind else { panic!("{text}: {:?}", e.kind) };
        assert_eq!(String::from_utf8_lossy(&b), "aA\n\u{e9}A\\q");
    }
}

#[test]
fn what_stands_around_a_mistake_is_read() {
    let script = read(b"import os\nos.system('id')\nx = = 3\nos.system('ls')\n");
    assert!(!script.unparsed.is_empty());
    assert_eq!(format!("{:?}", script.body).matches("\"system\"").count(), 2);
}

#[test]
fn an_unknown_piece_is_text_in_code_and_in_literals() {
    let script = read(b"f(\xF80\xF9, 'a\xF81\xF9b')");
    let debug = format!("{:?}", script.body);
    assert!(script.unparsed.is_empty());
    assert_eq!(debug.matches("Text(").count(), 2, "{debug}");
    let script = read(b"f(b'a\xF81\xF9b')");
    assert!(script.unparsed.is_empty());
}

#[test]
fn deep_and_long_texts_end() {
    for text in [
        "(".repeat(100_000),
        "[".repeat(5_000) + &"]".repeat(5_000),
        "a+".repeat(50_000) + "a",
        "-".repeat(50_000) + "a",
        "not ".repeat(50_000) + "a",
        "a".to_string() + &".a".repeat(20_000),
        "f".to_string() + &"()".repeat(20_000),
        "lambda: ".repeat(5_000) + "1",
        "x if y else ".repeat(5_000) + "z",
        "if a:\n x\nel".repeat(3_000) + "se:\n y\n",
        (0..300).map(|i| " ".repeat(i) + "if a:\n").collect::<String>() + &" ".repeat(300) + "b\n",
        "f'{".repeat(1_000),
        "\"".repeat(1_001),
        "a = ".repeat(20_000) + "1",
        "@d\n".repeat(2_000) + "def f(): pass\n",
        "\u{0}\u{feff}\\\n\t\r\u{c}".repeat(100),
    ] {
        let _ = read(text.as_bytes());
    }
}

#[test]
fn a_long_sum_keeps_its_parts() {
    let script = read(("x = ".to_string() + &"chr(1)+".repeat(900) + "chr(2)").as_bytes());
    assert!(script.unparsed.is_empty());
    assert_eq!(format!("{:?}", script.body).matches("\"chr\"").count(), 901);
}
