//! Histories that the shells themselves write, read back: lines are typed into a real shell at a pseudo-terminal, and
//! the reader has to find them in the file that the shell leaves. Skipped, loudly, for each shell that is missing.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by panicking, and tells what it skips")]

use shellward::audit::Entry;
use shellward::audit::format::{self, Batch, Columns, Hint};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Types steps into a program on a new terminal.
const DRIVER: &str = include_str!("support/terminal.py");

/// A shell, its start file, where its history is, and which format that has to be.
struct Shell {
    name: &'static str,
    start: (&'static str, &'static str),
    history: &'static str,
    format: &'static str,
    stamps: bool,
}

/// What the shell writes, line by line, for what is typed line by line.
type Typed = (&'static str, &'static str);

/// One line is one line everywhere. In UTF-8 `у` and `à` have bytes that zsh writes in another way.
const COMMON: &[Typed] = &[
    ("echo one", "echo one"),
    ("echo 'two\rlines'", "echo 'two\nlines'"),
    ("echo \"ümläut € у à\"", "echo \"ümläut € у à\""),
    ("echo back\\\\slash", "echo back\\\\slash"),
    ("echo end\\\\", "echo end\\\\"),
    ("echo \\: 'a\\nb' ';'", "echo \\: 'a\\nb' ';'"),
    (": 1700000000:0;echo colon", ": 1700000000:0;echo colon"),
];

fn folder(test: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("shellward-histories-{test}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn read(path: &Path, want: &str) -> Vec<Entry> {
    let bytes = std::fs::read(path).unwrap();
    let name = path.to_str().unwrap();
    let (format, _) = format::detect(&Hint { path: name, head: &bytes });
    assert_eq!(format.name, want, "{name}");
    let mut reader = (format.open)(&Columns::default());
    let mut out = Batch::default();
    let lines = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    for (number, line) in (1..).zip(lines.split(|b| *b == b'\n')) {
        reader.line(number, line, &mut out);
    }
    reader.end(&mut out);
    assert_eq!((out.undecodable, out.too_long), (0, 0), "{}", String::from_utf8_lossy(&bytes));
    out.entries
}

/// Types the lines into the shell, ends it, and reads what it left.
fn check(test: &str, shell: &Shell, typed: &[Typed]) {
    for program in [shell.name, "python3"] {
        if Command::new(program).args(["-c", "0"]).output().is_err() {
            eprintln!("SKIPPED: {program} is missing, so its history is not read");
            return;
        }
    }
    let dir = folder(test);
    let (file, start) = shell.start;
    let start_file = dir.join(file);
    std::fs::create_dir_all(start_file.parent().unwrap()).unwrap();
    std::fs::write(&start_file, start.replace("DIR", dir.to_str().unwrap())).unwrap();
    let mut steps: Vec<(String, Option<&str>)> =
        typed.iter().map(|(line, _)| (format!("{line}\r"), Some("READY"))).collect();
    steps.push(("exit\r".into(), None));
    let mut command = Command::new("python3");
    command.args(["-c", DRIVER, &serde_json::to_string(&steps).unwrap(), shell.name]);
    if shell.name == "bash" {
        command.arg("--rcfile").arg(&start_file);
    }
    let out = command
        .arg("-i")
        .current_dir(&dir)
        .env("HOME", &dir)
        .env("ZDOTDIR", &dir)
        .env("ENV", &start_file)
        .env("XDG_CONFIG_HOME", dir.join("config"))
        .env("XDG_DATA_HOME", dir.join("data"))
        .env("LC_ALL", "C.UTF-8")
        .env("TERM", "xterm")
        .env_remove("HISTCONTROL")
        .env_remove("HISTTIMEFORMAT")
        .env_remove("PROMPT_COMMAND")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(text.rsplit("MISSING ").next().unwrap().trim(), "null", "{test}: {text}");
    let entries = read(&dir.join(shell.history), shell.format);
    let got: Vec<_> = entries.iter().map(|e| String::from_utf8_lossy(&e.command).into_owned()).collect();
    let want: Vec<_> = typed.iter().map(|t| t.1).chain(["exit"]).collect();
    assert_eq!(got, want, "{test}");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    for entry in &entries {
        assert_eq!(entry.at.is_some(), shell.stamps, "{test}: {entry:?}");
        let age = entry.at.map_or(0, |at| i64::try_from(now).unwrap() - at);
        assert!((-5..600).contains(&age), "{test}: {entry:?}");
    }
    // A shell that is still writing its history is no failure.
    let _ = std::fs::remove_dir_all(dir);
}

fn bash(test: &str, start: &'static str, stamps: bool, more: &[Typed]) {
    let start = ("rc", start);
    let history = if stamps { "history" } else { ".bash_history" };
    check(test, &Shell { name: "bash", start, history, format: "bash", stamps }, &[COMMON, more].concat());
}

#[test]
fn bash_plain() {
    let start = "PS1='READY> ' HISTFILE=DIR/.bash_history\n";
    let more = [
        ("for i in 1 2; do\r:\rdone", "for i in 1 2; do :; done"),
        ("cat <<X\rit's\rX", "cat <<X\nit's\nX"),
        ("echo a \\\r  b", "echo a   b"),
        ("#1700000000 is no stamp", "#1700000000 is no stamp"),
    ];
    bash("bash-plain", start, false, &more);
}

#[test]
fn bash_plain_with_newlines_kept() {
    let start = "PS1='READY> ' HISTFILE=DIR/.bash_history\nshopt -s lithist\n";
    let more = [("for i in 1 2; do\r:\rdone", "for i in 1 2; do\n:\ndone"), ("(:\r:)", "(:\n:)")];
    bash("bash-lithist", start, false, &more);
}

#[test]
fn bash_with_stamps() {
    let start = "PS1='READY> ' HISTFILE=DIR/history HISTTIMEFORMAT=%F\n";
    let more = [
        ("for i in 1 2; do\r:\rdone", "for i in 1 2; do :; done"),
        ("#1700000000 is no stamp", "#1700000000 is no stamp"),
        ("cat <<X\rit's\rX", "cat <<X\nit's\nX\n"),
    ];
    bash("bash-stamps", start, true, &more);
}

#[test]
fn bash_with_stamps_and_newlines_kept() {
    let start = "PS1='READY> ' HISTFILE=DIR/history HISTTIMEFORMAT=%F\nshopt -s lithist\n";
    bash("bash-stamps-lithist", start, true, &[("for i in 1 2; do\r:\rdone", "for i in 1 2; do\n:\ndone")]);
}

#[test]
fn zsh_plain_and_extended() {
    let more = [
        ("for i in 1 2; do\r:\rdone", "for i in 1 2; do\n:\ndone"),
        ("cat <<X\rit's\rX", "cat <<X\nit's\nX"),
        ("echo a \\\r  b", "echo a \\\n  b"),
        ("echo c \\\\\\\r  d", "echo c \\\\\\\n  d"),
    ];
    let typed = [COMMON, &more].concat();
    let start = "PS1='READY> ' HISTFILE=DIR/histfile SAVEHIST=100 HISTSIZE=100\nsetopt EXTENDED_HISTORY\n";
    let shell = Shell { name: "zsh", start: (".zshrc", start), history: "histfile", format: "zsh", stamps: true };
    check("zsh-extended", &shell, &typed);
    let start = "PS1='READY> ' HISTFILE=DIR/.zsh_history SAVEHIST=100 HISTSIZE=100\n";
    let shell = Shell { name: "zsh", start: (".zshrc", start), history: ".zsh_history", format: "zsh", stamps: false };
    check("zsh-plain", &shell, &typed);
}

#[test]
fn fish() {
    let start = "function fish_prompt\necho -n 'READY> '\nend\nset -g fish_greeting ''\n";
    let more = [("for i in 1 2\r:\rend", "for i in 1 2\n:\nend"), ("echo a \\\r  b", "echo a \\\n  b")];
    let shell = Shell {
        name: "fish",
        start: ("config/fish/config.fish", start),
        history: "data/fish/fish_history",
        format: "fish",
        stamps: true,
    };
    check("fish", &shell, &[COMMON, &more].concat());
}

#[test]
fn ksh() {
    let start = "PS1='READY> ' HISTFILE=DIR/history\n";
    let more = [
        ("for i in 1 2; do\r:\rdone", "for i in 1 2; do\n:\ndone"),
        ("cat <<X\rit's\rX", "cat <<X\nit's\nX"),
        ("echo a \\\r  b", "echo a \\\n  b"),
    ];
    let shell = Shell { name: "ksh", start: ("rc", start), history: "history", format: "ksh", stamps: false };
    check("ksh", &shell, &[COMMON, &more].concat());
}
