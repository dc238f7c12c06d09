//! What the targets of the embedded languages share: a program through its front end, then as an argument of its
//! interpreter through the whole line.

use shellward::analyzer::{Options, analyze};
use shellward::effect::Language;
use shellward::syntax::foreign;

/// Any bytes give a tree, the same one twice, and a verdict whose findings lie inside the text.
pub fn holds(language: Language, interpreter: &str, program: &[u8]) {
    let once = format!("{:?}", foreign(language, program));
    let twice = format!("{:?}", foreign(language, program));
    assert_eq!(once, twice, "{language}");
    if interpreter.is_empty() {
        return;
    }
    let mut command = interpreter.as_bytes().to_vec();
    command.extend_from_slice(b" '");
    for b in program {
        match b {
            b'\'' => command.extend_from_slice(b"'\\''"),
            b => command.push(*b),
        }
    }
    command.push(b'\'');
    let options = Options { effects: true, ..Options::default() };
    let verdict = analyze(&command, &options).verdict;
    for finding in &verdict.findings {
        assert!(finding.span.end as usize <= command.len(), "{} lies outside", finding.rule_id);
    }
}
