//! The examples of every rule, and the cases in `tests/rules/*.md`, through the whole line.
//!
//! A case is a fenced `sh` block (or one of `zsh`, `fish`, `powershell`, `cmd`) and the line `expect:` behind it, with the action, the names of all findings that are
//! more than information (in any order), and `safe`, `unknown` or `risk` where the assessment matters:
//!
//! ```text
//! expect: block curl_pipe_shell plain_http_to_sink
//! expect: allow safe
//! ```

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use shellward::analyzer::{Options, analyze};
use shellward::effect::Language;
use shellward::finding::{Finding, Severity};
use shellward::rules;
use shellward::verdict::{Action, Class};

fn options() -> Options {
    Options { home: None, cwd: None, ..Options::default() }
}

fn named(f: &[Finding], names: &[&str]) -> bool {
    f.iter().any(|f| names.contains(&f.rule_id))
}

#[test]
fn examples_of_rules_fire_and_stay_silent() {
    let mut wrong = Vec::new();
    for rule in rules::all() {
        let names = rules::names(rule);
        for bad in rule.bad {
            let found = analyze(bad.as_bytes(), &options()).verdict.findings;
            if !named(&found, &names) {
                wrong.push(format!("{}: misses  {bad}", rule.id));
            }
            if let Some(f) = found.iter().find(|f| names.contains(&f.rule_id)) {
                assert!(!f.title.is_empty() && !f.evidence.is_empty(), "{bad}");
                assert!(f.span.end as usize <= bad.len() && f.span.start < f.span.end, "{bad}: {:?}", f.span);
            }
        }
        for good in rule.good {
            if named(&analyze(good.as_bytes(), &options()).verdict.findings, &names) {
                wrong.push(format!("{}: fires on  {good}", rule.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

struct Case {
    file: String,
    shell: Language,
    command: String,
    expect: Vec<String>,
}

fn cases() -> Vec<Case> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut out = Vec::new();
    for path in files.into_iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut command: Option<Vec<&str>> = None;
        let mut waiting: Vec<(Language, String)> = Vec::new();
        let mut shell = Language::Bash;
        for line in text.lines() {
            match &mut command {
                Some(lines) if line == "```" => {
                    waiting.push((shell, lines.join("\n")));
                    command = None;
                }
                Some(lines) => lines.push(line),
                None if line.starts_with("```") => {
                    shell = match line.trim_start_matches('`') {
                        "sh" => Language::Bash,
                        other => Language::from_name(other).unwrap(),
                    };
                    command = Some(Vec::new());
                }
                None => {
                    if let Some(expect) = line.strip_prefix("expect: ") {
                        assert!(!waiting.is_empty(), "{file}: no command before {line}");
                        let expect: Vec<String> = expect.split_whitespace().map(String::from).collect();
                        for (shell, command) in waiting.drain(..) {
                            out.push(Case { file: file.clone(), shell, command, expect: expect.clone() });
                        }
                    }
                }
            }
        }
        assert!(waiting.is_empty() && command.is_none(), "{file}: a command without expectation");
    }
    out
}

#[test]
fn cases_have_their_verdicts() {
    let all = cases();
    assert!(all.len() > 50);
    let mut wrong = Vec::new();
    for case in &all {
        let verdict = analyze(case.command.as_bytes(), &Options { shell: case.shell, ..options() }).verdict;
        let mut expect: Vec<&str> = case.expect.iter().map(String::as_str).collect();
        let action = match expect.remove(0) {
            "allow" => Action::Allow,
            "warn" => Action::Warn,
            "block" => Action::Block,
            other => panic!("{}: {other} is no action", case.file),
        };
        let class = |w: &str| match w {
            "safe" => Some(Class::Safe),
            "unknown" => Some(Class::Unknown),
            "risk" => Some(Class::Risk),
            _ => None,
        };
        let wanted_class = expect.iter().find_map(|w| class(w));
        let mut ids: Vec<&str> = expect.into_iter().filter(|w| class(w).is_none()).collect();
        let mut found: Vec<&str> =
            verdict.findings.iter().filter(|f| f.severity > Severity::Info).map(|f| f.rule_id).collect();
        ids.sort_unstable();
        found.sort_unstable();
        found.dedup();
        let fits =
            verdict.action == action && ids == found && wanted_class.is_none_or(|c| c == verdict.assessment.class);
        if !fits {
            wrong.push(format!(
                "{}: {}\n    expected {}\n    found    {:?} {found:?} {:?} {:?}",
                case.file,
                case.command,
                case.expect.join(" "),
                verdict.action,
                verdict.assessment.class,
                verdict.assessment.reasons
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}
