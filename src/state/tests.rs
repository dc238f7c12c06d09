//! What state promises to one user at a time; `tests/state.rs` has many, and kills them.

use super::*;

struct Scratch(State, PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch::with(name, StatePolicy::default())
    }
    fn with(name: &str, policy: StatePolicy) -> Scratch {
        let dir = std::env::temp_dir().join(format!("shellward-state-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        Scratch(State::at(&dir, &policy), dir)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.1);
    }
}

fn key(key: &str, content: bool) -> Key {
    Key { key: key.into(), content }
}

fn wanted(command: &str) -> Wanted<'_> {
    Wanted {
        command: command.as_bytes(),
        shell: "bash",
        session: Some("s1"),
        source: "gate",
        keys: vec![key("a x", false), key("b y", true)],
        ..Wanted::default()
    }
}

fn waits(submitted: Submitted) -> Pending {
    match submitted {
        Submitted::Waits(p) => p,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_is_answered_by_number_and_digest() {
    let s = Scratch::new("answer");
    let p = waits(s.0.submit(&wanted("rm -r x")).unwrap());
    assert_eq!(waits(s.0.submit(&wanted("rm -r x")).unwrap()), p, "identical requests share one");
    let other = waits(s.0.submit(&wanted("rm -r y")).unwrap());
    assert_ne!((p.id, &p.digest), (other.id, &other.digest));
    let yes = Answered::Approved(Duration::Once);
    for (id, digest) in [(p.id, other.digest.as_str()), (p.id, &p.digest[..8]), (99, &p.digest), (p.id, "")] {
        assert!(s.0.answer(id, digest, yes).is_err(), "{id} {digest}");
    }
    s.0.set_denials(3).unwrap();
    s.0.answer(p.id, &p.digest[..approvals::DIGEST_SHOWN], yes).unwrap();
    assert_eq!(s.0.look().unwrap().0.denials, 0, "a yes closes the model's breaker");
    assert!(s.0.answer(p.id, &p.digest, Answered::Denied).is_err(), "one answer");
    assert!(matches!(s.0.submit(&wanted("rm -r x")).unwrap(), Submitted::Approved(_)));
    assert_ne!(waits(s.0.submit(&wanted("rm -r x")).unwrap()).id, p.id, "one run");
    s.0.answer(other.id, &other.digest, Answered::Denied).unwrap();
    assert!(matches!(s.0.submit(&wanted("rm -r y")).unwrap(), Submitted::Denied(_)));
}

#[test]
fn the_digest_covers_all_of_the_request() {
    let base = wanted("ab");
    let mut all = vec![base.digest()];
    for other in [
        Wanted { command: b"a", shell: "bbash", ..base.clone() },
        Wanted { cwd: Some("/x"), ..base.clone() },
        Wanted { session: Some("s2"), ..base.clone() },
        Wanted { session: None, cwd: Some("s1"), ..base.clone() },
        Wanted { shell: "zsh", ..base.clone() },
    ] {
        all.push(other.digest());
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn approvals_hold_where_and_as_long_as_they_should() {
    let s = Scratch::new("grants");
    let p = waits(s.0.submit(&wanted("c")).unwrap());
    let (_, grants) = s.0.answer(p.id, &p.digest, Answered::Approved(Duration::Always)).unwrap();
    assert_eq!(grants.len(), 2, "the rest of a mixed request is for the session");
    assert_eq!(s.0.granted(Some("s1")).unwrap(), (vec!["b y".to_string()], vec!["a x".to_string()]));
    assert_eq!(s.0.granted(Some("s2")).unwrap(), (vec![], vec!["a x".to_string()]));
    assert_eq!(s.0.granted(None).unwrap(), (vec![], vec!["a x".to_string()]));
    s.0.revoke(grants[0].id).unwrap();
    assert_eq!(s.0.granted(None).unwrap(), (vec![], vec![]));
    assert!(s.0.revoke(grants[0].id).is_err());

    let content = Wanted { keys: vec![key("b y", true)], ..wanted("c") };
    assert!(s.0.grant(&content, Duration::Always).is_err());
    assert!(s.0.grant(&Wanted { session: None, ..content.clone() }, Duration::Session).is_err());
    assert_eq!(s.0.grant(&content, Duration::Once).unwrap().len(), 0);

    let now = crate::audit::time::now();
    let mut grant = s.0.grant(&wanted("c"), Duration::Session).unwrap().remove(0);
    assert!(grant.holds(now) && grant.expires.is_some());
    grant.expires = Some(now);
    assert!(!grant.holds(now));
}

#[test]
fn requests_expire_and_are_bounded() {
    let s = Scratch::with("expire", StatePolicy { request_minutes: 0, ..StatePolicy::default() });
    let p = waits(s.0.submit(&wanted("c")).unwrap());
    assert!(s.0.answer(p.id, &p.digest, Answered::Denied).is_err());
    assert_ne!(waits(s.0.submit(&wanted("c")).unwrap()).id, p.id);

    let s = Scratch::new("flood");
    let many = (0..60).filter(|i| s.0.submit(&wanted(&format!("c{i}"))).is_ok()).count();
    assert_eq!(many, 50);
}

#[test]
fn a_journal_is_rewritten_and_loses_nothing() {
    let s = Scratch::new("rewrite");
    let kept = s.0.grant(&wanted("keep"), Duration::Always).unwrap();
    let mut largest = 0;
    for i in 0..200 {
        let g = s.0.grant(&wanted(&format!("c{i} {}", "x".repeat(900))), Duration::Session).unwrap();
        s.0.revoke(g[0].id).unwrap();
        largest = largest.max(std::fs::metadata(s.1.join("state.jsonl")).unwrap().len());
    }
    assert!((60 << 10..70 << 10).contains(&largest), "{largest}");
    let (model, damaged) = s.0.look().unwrap();
    assert!(!damaged);
    assert_eq!(model.grants.into_values().collect::<Vec<_>>(), kept);
    assert_eq!(model.next, kept.len() as u64 + 201, "numbers are not used again");
}

#[test]
fn damage_is_seen_and_nothing_is_believed() {
    let s = Scratch::new("damage");
    let first = s.0.grant(&wanted("c"), Duration::Always).unwrap();
    s.0.grant(&wanted("d"), Duration::Session).unwrap();
    let path = s.1.join("state.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("a x", "a z", 1)).unwrap();
    assert_eq!(s.0.granted(Some("s1")).unwrap(), (vec![], vec![]));
    assert!(s.0.look().unwrap().1);
    let after = s.0.grant(&wanted("e"), Duration::Always).unwrap();
    assert!(after[0].id > first[0].id + 100 && !s.0.look().unwrap().1);
    assert!(s.1.join("state.damaged").exists());
}

#[cfg(unix)]
#[test]
fn everything_is_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let s = Scratch::with("rights", StatePolicy { save_blocked: true, blocked_files: 2, ..StatePolicy::default() });
    s.0.grant(&wanted("c"), Duration::Always).unwrap();
    let secret = format!("echo AKIA{}", "Q7RT2NPLW4XVZB3K");
    s.0.log(&log::Entry::now("gate", "deny", secret.as_bytes())).unwrap();
    for id in ["1", "2", "3"] {
        s.0.keep_blocked(id, secret.as_bytes()).unwrap().unwrap();
    }
    let mut seen = 0;
    let blocked = s.1.join("blocked");
    for dir in [&s.1, &blocked] {
        assert_eq!(std::fs::metadata(dir).unwrap().permissions().mode() & 0o777, 0o700);
        for file in std::fs::read_dir(dir).unwrap().flatten().filter(|f| f.path().is_file()) {
            seen += 1;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.path());
            assert!(!std::fs::read_to_string(file.path()).unwrap().contains("Q7RT2NPLW4XVZB3K"), "{:?}", file.path());
        }
    }
    assert_eq!(seen, 5, "state, its lock, the log, two blocked texts");
}

#[test]
fn the_log_rotates_and_survives_torn_lines() {
    let policy = StatePolicy { log_bytes: 4 << 10, log_files: 2, ..StatePolicy::default() };
    let s = Scratch::with("log", policy);
    let entries = |s: &Scratch| {
        let mut out = Vec::new();
        let unread = s.0.read_log(|e| {
            out.push(e.command);
            true
        });
        (out, unread.unwrap())
    };
    for i in 0..10 {
        s.0.log(&log::Entry::now("gate", "allow", format!("c{i}").as_bytes())).unwrap();
    }
    let path = s.1.join("log.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.truncate(text.len() - 20);
    std::fs::write(&path, text).unwrap();
    s.0.log(&log::Entry::now("gate", "allow", b"after")).unwrap();
    let (commands, unread) = entries(&s);
    assert_eq!((commands.len(), unread, commands.last().unwrap().as_str()), (10, 1, "after"));
    for i in 0..100 {
        s.0.log(&log::Entry::now("gate", "allow", format!("d{i}").as_bytes())).unwrap();
    }
    let (commands, _) = entries(&s);
    assert_eq!(commands.last().unwrap(), "d99");
    assert!(commands.windows(2).all(|w| w[0].len() < w[1].len() || w[0] < w[1]), "in order");
    assert!(s.1.join("log.2.jsonl").exists() && !s.1.join("log.3.jsonl").exists());
    s.0.read_log(|e| {
        assert!(!e.id.is_empty() && e.at > 0);
        false
    })
    .unwrap();
    let off = State::at(&s.1.join("off"), &StatePolicy { log: false, ..StatePolicy::default() });
    off.log(&log::Entry::now("gate", "allow", b"c")).unwrap();
    assert!(!s.1.join("off").exists());
}
