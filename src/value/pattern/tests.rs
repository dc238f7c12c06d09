//! Patterns against bash itself, with generated patterns and texts.

use super::*;
use crate::value::oracle::{Bash, Rng};

const EXT: Flags = Flags { extglob: true, nocase: false, path: false, dotglob: false };

#[test]
fn quoted_parts_are_plain() {
    let p = Pattern::parse(&[PatPiece::Literal(b"*"), PatPiece::Active(b"*")], EXT);
    assert!(p.matches(b"*x").unwrap());
    assert!(!p.matches(b"x").unwrap());
    let p = Pattern::parse(&[PatPiece::Active(b"[a"), PatPiece::Literal(b"-"), PatPiece::Active(b"z]")], EXT);
    assert!(p.matches(b"-").unwrap());
    assert!(!p.matches(b"m").unwrap());
    assert_eq!(Pattern::from_text(b"a\\*b", EXT).as_literal().unwrap(), b"a*b");
    assert_eq!(Pattern::from_text(b"a*b", EXT).as_literal(), None);
}

#[test]
fn one_character_is_not_one_byte() {
    assert!(Pattern::from_text(b"?", EXT).matches("é".as_bytes()).unwrap());
    assert!(Pattern::from_text(b"??", EXT).matches(b"\xff\xfe").unwrap());
    assert!(Pattern::from_text("[à-ü]".as_bytes(), EXT).matches("é".as_bytes()).unwrap());
}

#[test]
fn file_name_rules() {
    let path = Flags { path: true, ..EXT };
    assert!(!Pattern::from_text(b"*", path).matches(b".x").unwrap());
    assert!(!Pattern::from_text(b"/*", path).matches(b"/a/b").unwrap());
    assert!(Pattern::from_text(b"/.*", path).matches(b"/.x").unwrap());
    assert!(!Pattern::from_text(b"/?x", path).matches(b"/.x").unwrap());
    assert!(Pattern::from_text(b"/[a/b]", path).matches(b"/[a/b]").unwrap());
    assert!(Pattern::from_text(b"*", Flags { dotglob: true, ..path }).matches(b".x").unwrap());
}

#[test]
fn hard_patterns_end() {
    let text = vec![b'a'; 2000];
    let p = Pattern::from_text(b"*(*(*(a)))b", EXT);
    let _ = p.matches(&text);
    let mut deep = b"@(".repeat(5000);
    deep.extend(b")".repeat(5000));
    assert_eq!(Pattern::from_text(&deep, EXT).matches(b"a"), Err(Limit));
    let p = Pattern::from_text(b"*a*a*a*a*a*a*a*a*a*a*a*a*b", EXT);
    assert_eq!(p.matches(&text), Ok(false));
}

fn pattern(rng: &mut Rng, depth: u32) -> String {
    let mut out = String::new();
    // No empty alternatives: where `@(|a)` may be empty in a replacement, bash's length guesses get in the way.
    for _ in 0..rng.below(4).max(u64::from(depth < 2)) {
        let atom = match rng.below(if depth == 0 { 12 } else { 16 }) {
            0 => "*",
            1 => "?",
            2 => "[ab]",
            3 => "[!a]",
            4 => "[^b-d]",
            5 => "[[:upper:]]",
            6 => "[]a]",
            7 => "\\*",
            8 => "é",
            // A bracket that never closes; inside a group bash lets it swallow the rest.
            9 if depth == 2 => "[a-",
            10 => "b",
            9 | 11 => "a",
            // bash has its own mind about `*` right before a group.
            _ if out.ends_with('*') => "b",
            _ => {
                out.push(*rng.pick(&['?', '*', '+', '@', '!']));
                out.push('(');
                out.push_str(&pattern(rng, depth - 1));
                for _ in 0..rng.below(3) {
                    out.push('|');
                    out.push_str(&pattern(rng, depth - 1));
                }
                out.push(')');
                continue;
            }
        };
        out.push_str(atom);
    }
    out
}

fn text(rng: &mut Rng) -> String {
    (0..rng.below(7)).map(|_| *rng.pick(&['a', 'b', 'c', 'A', 'é', '*', '-', ']', '[', '(', ')'])).collect()
}

#[test]
fn agrees_with_bash() {
    let Some(bash) = Bash::find() else { return };
    let mut rng = Rng::new(7);
    let cases: Vec<(String, String)> = (0..4000).map(|_| (pattern(&mut rng, 2), text(&mut rng))).collect();
    let mut script = String::from("shopt -s extglob; LC_ALL=C.UTF-8\nR='<&>'\n");
    for (p, t) in &cases {
        // The pattern stands in a variable, so that nothing of it is read by the parser.
        script.push_str(&format!("p='{p}' t='{t}'\n"));
        script.push_str(concat!(
            "[[ $t == $p ]]; printf '%s\\0' $? \"${t#$p}\" \"${t##$p}\" \"${t%$p}\" \"${t%%$p}\" ",
            "\"${t/$p/$R}\" \"${t//$p/$R}\" \"${t/#$p/$R}\" \"${t/%$p/$R}\"\n"
        ));
    }
    let out = bash.fields(&script);
    assert_eq!(out.len(), cases.len() * 9);
    let with = Replacement::parse(&[PatPiece::Active(b"<&>")]);
    let mut wrong = Vec::new();
    for ((p, t), real) in cases.iter().zip(out.chunks(9)) {
        let (pat, b) = (Pattern::from_text(p.as_bytes(), EXT), t.as_bytes());
        let ours = [
            if pat.matches(b).unwrap() { b"0".to_vec() } else { b"1".to_vec() },
            pat.strip_prefix(b, Extent::Shortest).unwrap().to_vec(),
            pat.strip_prefix(b, Extent::Longest).unwrap().to_vec(),
            pat.strip_suffix(b, Extent::Shortest).unwrap().to_vec(),
            pat.strip_suffix(b, Extent::Longest).unwrap().to_vec(),
            pat.replace(b, &with, false).unwrap(),
            pat.replace(b, &with, true).unwrap(),
            pat.replace_prefix(b, &with).unwrap(),
            pat.replace_suffix(b, &with).unwrap(),
        ];
        for (i, (a, b)) in ours.iter().zip(real).enumerate() {
            // bash guesses that `+(…)` and `@(…)` have some length, and does not try a text that is shorter.
            let guessed = i >= 5 && t.chars().count() < 2 && (p.contains("+(") || p.contains("@("));
            if a != b && !guessed {
                wrong.push(format!(
                    "{p} on {t} ({i}): ours {} bash {}",
                    String::from_utf8_lossy(a),
                    String::from_utf8_lossy(b)
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n")
    );
}
