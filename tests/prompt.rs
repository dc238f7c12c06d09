//! The question at a terminal, under a pseudo-terminal that Python makes. Skipped, loudly, where there is no Python.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by panicking, and tells what it skips")]

use std::path::PathBuf;
use std::process::Command;

const BIN: &str = env!("CARGO_BIN_EXE_shellward");

/// Runs its arguments after the second on a new terminal, types the first one after the question (each `|` waits until
/// the question stands), and prints everything that came. The second is typed before.
const DRIVER: &str = r#"
import os, pty, select, signal, sys, time
typed, early, argv = sys.argv[1].encode().decode("unicode_escape").encode("latin-1"), sys.argv[2].encode(), sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(argv[0], argv)
if early:
    os.write(fd, early)
out, sent, end = b"", not typed, time.time() + 30
while time.time() < end:
    if select.select([fd], [], [], 0.05)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    if not sent and b"(default: deny) > " in out:
        time.sleep(0.1)
        os.write(fd, typed)
        sent = True
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
sys.stdout.buffer.write(b"\nEXIT %d\n" % code)
"#;

struct Answered {
    text: String,
    code: i32,
}

/// What happens where this is typed; `None` without Python.
fn answer(state: &PathBuf, typed: &str, early: &str, policy: &str, command: &str) -> Option<Answered> {
    let file = state.with_extension("toml");
    std::fs::write(&file, policy).unwrap();
    let out = Command::new("python3")
        .args(["-c", DRIVER, typed, early, BIN, "gate", "--json", "--", command])
        .env("SHELLWARD_STATE", state)
        .env("SHELLWARD_POLICY", &file)
        .env("HERMES_SESSION_KEY", "s1")
        .env("HERMES_INTERACTIVE", "1")
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .current_dir("/")
        .output();
    std::fs::remove_file(&file).unwrap();
    let Ok(out) = out else {
        eprintln!("SKIPPED: python3 is missing, so nobody types at a terminal");
        return None;
    };
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let code = text.trim_end().rsplit("EXIT ").next().and_then(|c| c.trim().parse().ok());
    assert!(code.is_some(), "{text} {}", String::from_utf8_lossy(&out.stderr));
    Some(Answered { text, code: code.unwrap() })
}

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("shellward-prompt-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

const RISK: &str = "chmod 777 /srv/out";

#[test]
fn whatever_is_no_clear_yes_is_a_no() {
    let state = scratch("no");
    for (typed, outcome) in [
        ("\\n", "denied"),
        ("d\\n", "denied"),
        ("yes\\n", "denied"),
        ("\\x03", "denied"),
        ("o\\x03", "denied"),
        ("\\x04", "denied"),
    ] {
        let Some(a) = answer(&state, typed, "", "", RISK) else { return };
        assert!(
            a.code == 1 && a.text.contains(&format!("\"outcome\":\"{outcome}\"")),
            "{typed}: {} {}",
            a.code,
            a.text
        );
    }
    // What was typed before the question is no answer to it; silence is a no, and the time is told.
    let quick = "[state]\nprompt_seconds = 2\n";
    let Some(a) = answer(&state, "", "o\n", quick, RISK) else { return };
    assert!(a.code == 1 && a.text.contains("\"outcome\":\"timeout\""), "{}", a.text);
    assert!(a.text.contains("denied in 2 s") && a.text.contains("denied in 1 s"), "it counts down: {}", a.text);
    let _ = std::fs::remove_dir_all(&state);
}

#[test]
fn a_yes_holds_for_as_long_as_it_says() {
    let state = scratch("yes");
    let Some(a) = answer(&state, "o\\n", "", "", RISK) else { return };
    assert!(a.code == 0 && a.text.contains("\"outcome\":\"once\""), "{}", a.text);
    // The whole command, the finding with its place, every choice.
    for shown in ["    chmod 777 /srv/out", "[o] once", "[s] session", "[a] always", "[d] deny", "^"] {
        assert!(a.text.contains(shown), "{shown}: {}", a.text);
    }
    let a = answer(&state, "s\\n", "", "", RISK).unwrap();
    assert!(a.text.contains("\"outcome\":\"session\""), "once was for once: {}", a.text);
    let a = answer(&state, "d\\n", "", "", RISK).unwrap();
    assert!(a.code == 0 && a.text.contains("\"layer\":\"findings\""), "no question again: {}", a.text);
    let a = answer(&state, "d\\n", "", "", "chmod 777 /srv/other").unwrap();
    assert_eq!(a.code, 1, "another place: {}", a.text);
    let a = answer(&state, "a\\n", "", "", "chmod 777 /srv/other").unwrap();
    assert!(a.code == 0 && a.text.contains("\"outcome\":\"always\""), "{}", a.text);
    let _ = std::fs::remove_dir_all(&state);
}

#[test]
fn for_ever_is_not_offered_where_only_the_look_of_a_text_was_found() {
    let state = scratch("content");
    let Some(a) = answer(&state, "a\\n", "", "", "wget https://bit.ly/x -O f") else { return };
    assert!(!a.text.contains("[a] always") && a.text.contains("[s] session"), "{}", a.text);
    assert_eq!(a.code, 1, "what is not offered is a no: {}", a.text);
    // Nothing of the text is obeyed by the terminal.
    let a = answer(&state, "d\\n", "", "", "wget https://bit.ly/x -O 'f\u{1b}[2J\u{202e}'").unwrap();
    let shown = a.text.split("{\"approved\"").next().unwrap();
    assert!(!shown.contains("\u{1b}[2J") && !shown.contains('\u{202e}'), "{shown:?}");
    let _ = std::fs::remove_dir_all(&state);
}
