//! The hooks of interactive shells: the `init` lines in the files that a shell reads when it starts, and whether a line that
//! is typed into such a shell is really held back.

use super::hook_health::{CANARY, found};
use super::hook_settings::is_own;
use super::{guard, shell};
use crate::analyzer::{Options, analyze};
use crate::effect::Language;
use crate::hooks::install::{Problem, has_own_name};
use crate::value::Value;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Largest start-up file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// How long an interactive shell may take to start, and to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A line in a start-up file.
#[derive(Clone, Debug)]
pub(super) struct ShellHook {
    /// The shell that reads the file.
    pub shell: &'static str,
    /// The file.
    pub file: PathBuf,
    /// The words of the command.
    pub words: Vec<String>,
    /// What keeps it from working.
    pub problems: Vec<Problem>,
}

/// The files that interactive shells read, where they are there.
fn files() -> Vec<(&'static str, PathBuf)> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let Some(home) = std::env::home_dir().filter(|h| h.is_absolute()) else { return Vec::new() };
    let config = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let zsh = variable("ZDOTDIR").unwrap_or_else(|| home.clone());
    let mut out = vec![
        ("bash", home.join(".bashrc")),
        ("bash", home.join(".bash_profile")),
        ("bash", home.join(".profile")),
        ("bash", PathBuf::from("/etc/bash.bashrc")),
        ("zsh", zsh.join(".zshrc")),
        ("zsh", PathBuf::from("/etc/zsh/zshrc")),
        ("fish", config.join("fish/config.fish")),
        ("powershell", config.join("powershell/profile.ps1")),
        ("powershell", config.join("powershell/Microsoft.PowerShell_profile.ps1")),
    ];
    let parts = std::fs::read_dir(config.join("fish/conf.d")).into_iter().flatten().flatten().map(|e| e.path());
    let mut parts: Vec<PathBuf> = parts.filter(|p| p.extension().is_some_and(|e| e == "fish")).take(200).collect();
    parts.sort();
    out.extend(parts.into_iter().map(|p| ("fish", p)));
    out
}

/// Every hook that a start-up file of this user evaluates.
pub(super) fn find() -> Vec<ShellHook> {
    let mut out: Vec<ShellHook> = Vec::new();
    for (shell, file) in files() {
        let mut text = String::new();
        let read = std::fs::File::open(&file).and_then(|f| f.take(MAX_FILE).read_to_string(&mut text));
        // Most of these files are not there; one that mentions nothing is not read further.
        if read.is_err() || !text.contains("init") {
            continue;
        }
        for words in commands(shell, &text) {
            let problems = problems(shell, &words);
            out.push(ShellHook { shell, file: file.clone(), words, problems });
        }
    }
    out
}

/// The commands `PROGRAM init SHELL …` that a text runs.
fn commands(shell: &str, text: &str) -> Vec<Vec<String>> {
    let language = shell::from_name(shell).unwrap_or(Language::Bash);
    let ours = |words: &Vec<String>| {
        let program = words.first().map(String::as_str).unwrap_or_default();
        words.get(1).is_some_and(|w| w == "init") && (has_own_name(program) || is_own(program))
    };
    let read = |text: &str| -> Vec<Vec<String>> {
        let options = Options { shell: language, ..Options::default() };
        let analyzed = guard::run(|| analyze(text.as_bytes(), &options).graph);
        let Ok(graph) = analyzed else { return Vec::new() };
        let words = |p: &crate::effect::graph::Process| p.argv.iter().map(Value::show).collect::<Vec<_>>();
        graph.processes.iter().map(words).filter(ours).collect()
    };
    let mut all = read(text);
    if all.is_empty() && matches!(language, Language::Fish | Language::PowerShell) {
        // Blocks of these cannot all be read: their lines can.
        all = text.lines().flat_map(|line| read(line.trim())).collect();
    }
    all.dedup();
    all
}

/// What is wrong with a line.
fn problems(shell: &str, words: &[String]) -> Vec<Problem> {
    let mut out = Vec::new();
    let program = words.first().map(String::as_str).unwrap_or_default();
    if found(program).is_none() {
        out.push(Problem::off(format!("{program} cannot be run, so that the shell starts without the hook")));
    }
    match words.get(2).map(String::as_str) {
        Some(named) if named == shell => {}
        named => out.push(Problem::off(format!("it is for {}, not for {shell}", named.unwrap_or("no shell")))),
    }
    if words.iter().any(|w| w == "--warn-only") {
        out.push(Problem::degraded("it says what was found and runs the line all the same (--warn-only)"));
    }
    out
}

/// Types a harmless command into that shell on a terminal of its own, and looks whether it is held back. `Ok(None)` where
/// there is no way to try.
pub(super) fn try_it(hook: &ShellHook) -> Result<Option<String>, String> {
    let start = match hook.shell {
        "bash" => "bash -i",
        "zsh" => "zsh -i",
        "fish" => "fish -i",
        _ => return Ok(None),
    };
    let program = hook.words.first().map(String::as_str).unwrap_or_default();
    // What is typed has to be known to the hook by the program's own name.
    let typed = match has_own_name(program) {
        true => CANARY.replacen("shellward", program, 1),
        false => CANARY.to_string(),
    };
    let Some(mut child) = terminal(start) else { return Ok(None) };
    let went = talk(&mut child, &typed);
    // It is on a terminal of its own: with that it ends.
    let _ = child.kill();
    let _ = child.wait();
    went.map(Some)
}

/// The shell on a terminal of its own, by the `script` of the system.
fn terminal(start: &str) -> Option<Child> {
    found("script")?;
    let mut command = Command::new("script");
    if cfg!(target_os = "macos") {
        command.args(["-q", "/dev/null"]).args(start.split(' '));
    } else {
        command.args(["-qec", start, "/dev/null"]);
    }
    // What is typed here is none of the user's history.
    command.env("HISTFILE", "/dev/null").env("fish_history", "").env("TERM", "xterm");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()
}

/// Types, and reads what comes of it.
fn talk(child: &mut Child, typed: &str) -> Result<String, String> {
    let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the shell has no terminal".to_string());
    };
    let seen: Arc<Mutex<String>> = Arc::default();
    let all = Arc::clone(&seen);
    std::thread::spawn(move || {
        let mut part = [0u8; 4_096];
        while let Ok(n @ 1..) = from.read(&mut part) {
            let text = String::from_utf8_lossy(part.get(..n).unwrap_or_default()).into_owned();
            all.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push_str(&text);
        }
    });
    let text = || seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    let end = |e: std::io::Error| format!("the shell ended: {e}");
    let started = Instant::now();
    // A prompt is what nothing comes after.
    let (mut length, mut quiet) = (0, 0);
    while started.elapsed() < PATIENCE && quiet < 8 {
        std::thread::sleep(Duration::from_millis(50));
        let now = text().len();
        quiet = if now == length && now > 0 { quiet + 1 } else { 0 };
        length = now;
        // fish asks what terminal this is.
        if text().contains("\x1b[c") || text().contains("\x1b[0c") {
            to.write_all(b"\x1b[?62c").map_err(end)?;
            seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
        }
    }
    to.write_all(typed.as_bytes()).and_then(|()| to.write_all(b"\r")).map_err(end)?;
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
        let now = text();
        if now.contains("shellward: not run") {
            return Ok(format!("stopped the test command: {typed}"));
        }
        if now.contains("The canary ran") || now.contains("not found") || now.contains("Unknown command") {
            return Err(format!("a line is run that the hook has to stop: {typed}"));
        }
    }
    Err(format!("the shell says nothing to {typed} within {PATIENCE:?}"))
}

/// A start-up file and the line in it, for people.
pub(super) fn shown(hook: &ShellHook) -> String {
    format!("{}: {}", hook.file.display(), hook.words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_run_is_a_hook() {
        let one = |shell: &str, text: &str| commands(shell, text).concat().join(" ");
        for (shell, text, want) in [
            ("bash", "x=1\neval \"$(shellward init bash)\"\n", "shellward init bash"),
            (
                "bash",
                "if [ -x /b/shellward ]; then eval \"$(/b/shellward init bash --warn-only)\"; fi",
                "/b/shellward init bash --warn-only",
            ),
            ("bash", "# eval \"$(shellward init bash)\"\necho 'shellward init bash'\n", ""),
            ("zsh", "source <(shellward init zsh)\n", "shellward init zsh"),
            ("fish", "if status is-interactive\n  shellward init fish | source\nend\n", "shellward init fish"),
            ("fish", "# shellward init fish | source\n", ""),
            ("powershell", "shellward init powershell | Out-String | Invoke-Expression", "shellward init powershell"),
            ("bash", "eval \"$(direnv hook bash)\"; git init x", ""),
        ] {
            assert_eq!(one(shell, text), want, "{text}");
        }
        let said = |words: &str| problems("bash", &words.split(' ').map(str::to_string).collect::<Vec<_>>());
        assert!(said("/nonexistent/shellward init bash").iter().any(|p| p.off));
        assert!(said("sh init zsh").iter().any(|p| p.off && p.what.contains("not for bash")));
        assert!(said("sh init bash --warn-only").iter().all(|p| !p.off));
    }
}
