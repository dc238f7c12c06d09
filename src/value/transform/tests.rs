//! Every transform on noise: it answers, within the limits, and never panics.

use super::check::{Rng, text};
use super::*;

#[test]
fn noise_is_answered() {
    let mut rng = Rng::new(101);
    let scripts = [
        "s/a*/b/g",
        "{print $1}",
        "a-z",
        "A-Z",
        "[:alpha:]",
        "\\",
        "(",
        "[",
        "{",
        "$",
        "*",
        "1",
        "-5",
        "99999999999999999999",
        "%s\\n",
        "%*d",
        "^a|b$",
        "1,3p",
        ":a;ba",
        "BEGIN{while(1);}",
        "/x/,/y/d",
        "y/ab/ba/",
        "",
        "é",
        "\u{0}",
        "/1 \"%02x\"",
        "x1z",
        "2,",
        "-",
        "1 + 1",
        "0x10",
        "UTF-16",
        "BEGIN{printf \"%s%d\", $1}",
        "\\(a\\)*",
        "a{1,9999}",
        "((((((a))))))",
        "s/x/\\1/",
        "+",
        "2^99999",
    ];
    let start = std::time::Instant::now();
    let mut answered = 0;
    for t in TABLE {
        for _ in 0..120 {
            let word = |rng: &mut Rng| match rng.below(3) {
                0 => text(rng),
                _ => rng.pick(&scripts).as_bytes().to_vec(),
            };
            let values: Vec<Vec<u8>> = (0..6).map(|_| word(&mut rng)).collect();
            let mut options: Vec<(&str, Option<&[u8]>)> = Vec::new();
            for i in 0..rng.below(3) {
                if !t.options.is_empty() {
                    let name = rng.pick(t.options).split(' ').next().unwrap();
                    let value = (rng.below(2) == 0).then(|| values[i as usize].as_slice());
                    options.push((name, value));
                }
            }
            let operands: Vec<&[u8]> = values[3..3 + rng.below(4) as usize].iter().map(Vec::as_slice).collect();
            let mut stdin = text(&mut rng).repeat(1 + rng.below(3) as usize);
            stdin.extend((0..rng.below(9)).map(|_| rng.next() as u8));
            let program = *rng.pick(&["", "hexdump", "hd", "egrep", "fgrep"]);
            let flavour = if rng.below(2) == 0 { Flavour::Bash } else { Flavour::Dash };
            let call =
                Call { options: &options, operands: &operands, stdin: &stdin, flavour, program, ..Call::default() };
            if let Ok(out) = run(t.names[0], &call) {
                answered += 1;
                assert!(out.bytes.len() <= limits::MAX_VALUE);
                // The pieces cover the output, in order, and copies are copies.
                let mut at = 0;
                for (range, from) in &out.pieces {
                    assert_eq!(range.start, at, "{:?} {call:?}", t.names);
                    at = range.end;
                    let source = match from {
                        PieceFrom::Operand(i, o) => &operands[*i][*o..],
                        PieceFrom::Stdin(o) => &stdin[*o..],
                        PieceFrom::File(..) | PieceFrom::Computed => continue,
                    };
                    assert_eq!(&source[..range.len()], &out.bytes[range.clone()], "{:?} {call:?}", t.names);
                }
                assert_eq!(at, out.bytes.len());
            }
        }
    }
    assert!(answered > 1000, "{answered}");
    assert!(start.elapsed().as_secs() < 120);
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = TABLE.iter().flat_map(|t| t.names.iter().copied()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn unknown_options_are_not_computed() {
    let call = Call { options: &[("--no-such", None)], stdin: b"a", ..Call::default() };
    assert!(TABLE.iter().all(|t| run(t.names[0], &call).is_err()));
}

#[test]
fn hostile_searches_end() {
    let long = vec![b'a'; 900_000];
    let start = std::time::Instant::now();
    for (name, script) in
        [("sed", "s/a*b\\|a/X/g"), ("sed", ":a;s/a/b/;ta"), ("grep", "a*b\\|a"), ("awk", "{gsub(/a*b|a/,\"x\");print}")]
    {
        let options: &[(&str, Option<&[u8]>)] = if name == "grep" { &[("-o", None)] } else { &[] };
        let call = Call { options, operands: &[script.as_bytes()], stdin: &long, ..Call::default() };
        assert_eq!(run(name, &call), Err(Why::Limit), "{name} {script}");
    }
    assert!(start.elapsed().as_secs() < 30);
}
