//! Arithmetic against bash itself, with generated expressions.

use super::*;
use crate::value::oracle::{Bash, Rng};
use std::collections::BTreeMap;

#[derive(Default)]
struct Table {
    values: BTreeMap<(String, Option<i64>), Lookup>,
}

impl Table {
    fn with(pairs: &[(&str, &str)]) -> Table {
        let mut t = Table::default();
        for (n, v) in pairs {
            t.values.insert((n.to_string(), None), Lookup::Text(v.as_bytes().to_vec()));
        }
        t
    }
    fn key(name: &str, s: Option<&Subscript>) -> (String, Option<i64>) {
        let index = match s {
            Some(Subscript::Index(i)) => *i,
            _ => None,
        };
        // The scalar is the element 0.
        (name.to_string(), index.filter(|i| *i != 0))
    }
}

impl Variables for Table {
    fn get(&mut self, name: &str, s: Option<&Subscript>) -> Lookup {
        self.values.get(&Self::key(name, s)).cloned().unwrap_or(Lookup::Unset)
    }
    fn set(&mut self, name: &str, s: Option<&Subscript>, value: Option<i64>) {
        let text = value.map_or(Lookup::Unknown, |v| Lookup::Text(v.to_string().into_bytes()));
        self.values.insert(Self::key(name, s), text);
    }
    fn is_associative(&self, _: &str) -> bool {
        false
    }
}

const START: &[(&str, &str)] = &[("x", "5"), ("y", "x*2"), ("z", "-3"), ("e", ""), ("s", "z+=1")];

#[test]
fn plain_cases() {
    let run = |t: &str| eval(t.as_bytes(), &mut Table::with(START));
    assert_eq!(run("1 + 2 * 3"), Ok(7));
    assert_eq!(run("-2**2"), Ok(4));
    assert_eq!(run("2**3**2"), Ok(512));
    assert_eq!(run(""), Ok(0));
    assert_eq!(run("y"), Ok(10));
    assert_eq!(run("9223372036854775807 + 1"), Ok(i64::MIN));
    assert_eq!(run("1/0"), Err(ArithError::Math("division by 0")));
    assert_eq!(run("0 && 1/0"), Ok(0));
    assert_eq!(run("64#@_ , 16#ff"), Ok(255));
    assert!(matches!(run("1+x=5"), Err(ArithError::Syntax(_))));
    assert!(matches!(run("1 2"), Err(ArithError::Syntax(_))));
}

#[test]
fn unknown_stays_unknown() {
    let mut t = Table::with(START);
    t.values.insert(("u".into(), None), Lookup::Unknown);
    assert_eq!(eval(b"u + 1", &mut t), Err(ArithError::Unknown));
    assert_eq!(eval(b"u || 1", &mut t), Ok(1));
    assert_eq!(eval(b"u && (x = 9)", &mut t), Err(ArithError::Unknown));
    assert_eq!(t.values[&("x".into(), None)], Lookup::Unknown);
    assert_eq!(eval(b"(u, 3)", &mut t), Ok(3));
}

#[test]
fn nesting_is_limited() {
    for text in [b"(".repeat(100_000), b"-".repeat(100_000), b"1?".repeat(100_000), b"2**".repeat(100_000)] {
        assert!(eval(&text, &mut Table::default()).is_err());
    }
    assert_eq!(eval(b"a", &mut Table::with(&[("a", "b"), ("b", "a")])), Err(ArithError::Limit));
    let long = vec!["1"; 50_000].join("+");
    assert_eq!(eval(long.as_bytes(), &mut Table::default()), Ok(50_000));
}

fn expression(rng: &mut Rng, depth: u32) -> String {
    const ATOMS: &[&str] = &[
        "1",
        "0",
        "7",
        "x",
        "y",
        "z",
        "e",
        "n",
        "s",
        "0x1F",
        "017",
        "2#101",
        "36#Zz",
        "64#Zz",
        "99999999999999999999",
        "x++",
        "--x",
        "++ n",
        "y--",
        "a[1]",
        "a[x-4]",
        "a[z+4]++",
        "n[2]",
        "9223372036854775807",
    ];
    const ODD: &[&str] = &["08", "1#0", "3#5", "10#", "0x", "65#1", "-9223372036854775808", "010#11", "", "\\x", "1.5"];
    const BINARY: &[&str] = &[
        "+", "-", "*", "/", "%", "**", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||", ",",
        "+ -", "++", "--", "-",
    ];
    const ASSIGN: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|=", "**="];
    if depth == 0 {
        return (*rng.pick(ATOMS)).to_string();
    }
    let d = depth - 1;
    match rng.below(12) {
        0 if rng.below(6) == 0 => (*rng.pick(ODD)).to_string(),
        0 | 1 => (*rng.pick(ATOMS)).to_string(),
        2..=5 => format!("{}{}{}", expression(rng, d), rng.pick(BINARY), expression(rng, d)),
        6 => format!("({})", expression(rng, d)),
        7 => format!("{}{}", rng.pick(&["!", "~", "-", "+", "- ", "! "]), expression(rng, d)),
        8 => format!("{} ? {} : {}", expression(rng, d), expression(rng, d), expression(rng, d)),
        9 | 10 => format!("{} {} {}", rng.pick(&["x", "y", "n", "a[1]", "a[x]"]), rng.pick(ASSIGN), expression(rng, d)),
        _ => format!("{} {}", expression(rng, d), rng.pick(&["", ")", "1", "?", ":2", "=3", "@"])),
    }
}

#[test]
fn agrees_with_bash() {
    let Some(bash) = Bash::find() else { return };
    let mut rng = Rng::new(11);
    let cases: Vec<String> = (0..3000).map(|_| expression(&mut rng, 4)).collect();
    let mut script = String::new();
    for c in &cases {
        script.push_str("unset x y z e s n a; x=5 y='x*2' z=-3 e= s='z+=1'\n");
        // A failing expression ends the subshell.
        script.push_str(&format!(
            "t='{c}'; ( r=$(($t)); printf '%s\\0' \"$r $x $y $z $n ${{a[1]}} ${{a[5]}}\" ) 2>/dev/null || printf 'error\\0'\n"
        ));
    }
    let out = bash.fields(&script);
    assert_eq!(out.len(), cases.len());
    let mut wrong = Vec::new();
    let (mut good, mut bad) = (0, 0);
    for (c, real) in cases.iter().zip(&out) {
        let mut t = Table::with(START);
        let ours = match eval(c.as_bytes(), &mut t) {
            Ok(v) => {
                good += 1;
                let show = |n: &str, i: Option<i64>| match t.values.get(&(n.to_string(), i)) {
                    Some(Lookup::Text(b)) => String::from_utf8_lossy(b).into_owned(),
                    _ => String::new(),
                };
                format!(
                    "{v} {} {} {} {} {} {}",
                    show("x", None),
                    show("y", None),
                    show("z", None),
                    show("n", None),
                    show("a", Some(1)),
                    show("a", Some(5))
                )
            }
            Err(_) => {
                bad += 1;
                "error".to_string()
            }
        };
        let real = String::from_utf8_lossy(real);
        if ours != real {
            wrong.push(format!("{c}: ours {ours} bash {real}"));
        }
    }
    assert!(good > 1000 && bad > 300, "{good} good, {bad} bad: the generator is lopsided");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n")
    );
}
