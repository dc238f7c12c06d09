//! Obfuscated texts have the findings of what they hide: `tests/obfuscation/cases.txt`.

use shellward::analyzer::{Options, analyze};
use shellward::effect::Language;
use std::collections::BTreeSet;

fn ids(command: &str) -> BTreeSet<String> {
    let options = Options { home: None, cwd: None, shell: Language::Bash, ..Options::default() };
    analyze(command.as_bytes(), &options).verdict.findings.iter().map(|f| f.rule_id.to_string()).collect()
}

#[test]
fn what_is_hidden_is_found() {
    let text = include_str!("obfuscation/cases.txt");
    let (mut wanted, mut wrong, mut count) = (BTreeSet::new(), Vec::new(), 0);
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with("# ")) {
        if let Some(plain) = line.strip_prefix("= ") {
            wanted = ids(plain);
            assert!(!wanted.is_empty(), "{plain} is found nothing");
            continue;
        }
        count += 1;
        let found = ids(&line.replace('␤', "\n"));
        if !wanted.is_subset(&found) {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} stay hidden:\n{}", wrong.len(), wrong.join("\n"));
}
