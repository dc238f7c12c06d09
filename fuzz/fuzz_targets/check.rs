//! The first byte picks a shell, the rest is its command → the whole line. It must end with a verdict: no panic, no
//! stall, the same answer twice, and every finding inside the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward::analyzer::{Options, analyze};
use shellward::effect::Language;

const SHELLS: [Language; 4] = [Language::Sh, Language::Bash, Language::Zsh, Language::Ksh];

fuzz_target!(|data: &[u8]| {
    let Some((pick, command)) = data.split_first() else { return };
    let Some(&shell) = SHELLS.get(usize::from(*pick) % SHELLS.len()) else { return };
    let options = Options { shell, effects: true, ..Options::default() };
    let once = analyze(command, &options);
    let twice = analyze(command, &options);
    assert_eq!(once.verdict.action, twice.verdict.action);
    assert_eq!(once.verdict.findings.len(), twice.verdict.findings.len());
    for finding in &once.verdict.findings {
        assert!(finding.span.end as usize <= command.len(), "{} lies outside", finding.rule_id);
    }
});
