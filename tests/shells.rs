//! What `shellward init` prints, in real shells at a pseudo-terminal that Python makes: lines are typed, and what ran is
//! seen by the files it left. Skipped, loudly, for each shell that is missing.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by panicking, and tells what it skips")]

use std::path::{Path, PathBuf};
use std::process::Command;

const BIN: &str = env!("CARGO_BIN_EXE_shellward");

/// Types steps into a program on a new terminal.
const DRIVER: &str = include_str!("support/terminal.py");

/// One interactive shell in a directory of its own.
struct Shell {
    name: &'static str,
    dir: PathBuf,
}

impl Shell {
    /// Ready to start with the hook in its start file; `None` where it is missing.
    fn new(name: &'static str, test: &str, options: &[&str]) -> Option<Shell> {
        for program in [name, "python3"] {
            if Command::new(program).args(["-c", "0"]).output().is_err() {
                eprintln!("SKIPPED: {program} is missing, so its hook is not tested");
                return None;
            }
        }
        // Not below /tmp: what is done to scratch files is nobody's concern.
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shells-{test}-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(dir.join("home")).unwrap();
        std::fs::create_dir_all(dir.join("work/sub")).unwrap();
        let made = Command::new(BIN).args(["init", name]).args(options).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        std::fs::write(dir.join("hook"), &made.stdout).unwrap();
        let shell = Shell { name, dir };
        shell.write_start(&format!("source {}\n", shell.dir.join("hook").display()));
        Some(shell)
    }

    fn write_start(&self, hook: &str) {
        let (file, text) = match self.name {
            "bash" => ("home/rc", format!("PS1='READY> '\n{hook}")),
            "zsh" => ("home/.zshrc", format!("PS1='READY> '\n{hook}")),
            _ => (
                "home/.config/fish/config.fish",
                format!("function fish_prompt\necho -n 'READY> '\nend\nset -g fish_greeting ''\n{hook}"),
            ),
        };
        let path = self.dir.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Types the steps; gives all that came to the screen.
    fn types(&self, steps: &[(&str, &str)]) -> String {
        let home = self.dir.join("home");
        let arguments: Vec<String> = match self.name {
            "bash" => vec!["bash".into(), "--rcfile".into(), home.join("rc").display().to_string(), "-i".into()],
            other => vec![other.into(), "-i".into()],
        };
        let out = Command::new("python3")
            .args(["-c", DRIVER, &serde_json::to_string(steps).unwrap()])
            .args(arguments)
            .current_dir(self.dir.join("work"))
            .env("HOME", &home)
            .env("ZDOTDIR", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_DATA_HOME", home.join(".local/share"))
            .env("SHELLWARD_STATE", self.dir.join("state"))
            .env("TERM", "xterm")
            .env_remove("PROMPT_COMMAND")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let missing = text.rsplit("MISSING ").next().unwrap().trim();
        assert_eq!(missing, "null", "{}: not seen: {missing}\n{text}", self.name);
        text
    }

    fn has(&self, file: &str) -> bool {
        self.dir.join("work").join(file).exists()
    }

    fn finish(self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];
const CLEAR: &str = "\u{15}";
const INTERRUPT: &str = "\u{3}";

#[test]
fn what_is_let_through_runs_as_it_would_without() {
    for name in SHELLS {
        let Some(shell) = Shell::new(name, "plain", &[]) else { continue };
        let fish = name == "fish";
        let many = if fish { "for i in 1 2\rtouch m$i\rend\r" } else { "for i in 1 2; do\rtouch m$i\rdone\r" };
        let status = if fish { "echo $status > status\r" } else { "echo $? > status\r" };
        shell.types(&[
            ("touch a\r", "READY"),
            ("\r", "READY"),
            ("   \r", "READY"),
            ("cd sub\r", "READY"),
            ("touch here\r", "READY"),
            ("cd ..\r", "READY"),
            (many, "READY"),
            ("\u{1b}[200~touch p1\ntouch p2\u{1b}[201~", "p2"),
            ("\r", "READY"),
            ("false\r", "READY"),
            (status, "READY"),
            ("sleep 60\r", "sleep"),
            (INTERRUPT, "READY"),
            ("touch half", "half"),
            (INTERRUPT, "READY"),
            ("touch h1\r", "READY"),
            ("rm h1\r", "READY"),
            ("\u{1b}[A\u{1b}[A\r", "READY"),
            ("touch 'it is' \"$HOME\"/q\r", "READY"),
        ]);
        for file in ["a", "sub/here", "m1", "m2", "p1", "p2", "h1", "it is", "../home/q"] {
            assert!(shell.has(file), "{name}: {file} is missing");
        }
        assert!(!shell.has("half"), "{name}: what was given up ran");
        let status = std::fs::read_to_string(shell.dir.join("work/status")).unwrap();
        assert_eq!(status.trim(), "1", "{name}: the exit code of the last command is lost");
        shell.finish();
    }
}

#[test]
fn what_is_not_let_through_does_not_run_and_can_be_edited() {
    for name in SHELLS {
        let Some(shell) = Shell::new(name, "block", &[]) else { continue };
        let block = if name == "fish" {
            "echo 'x\ry'; touch bad2; shellward canary\r"
        } else {
            "if true; then\rtouch bad2; shellward canary\rfi\r"
        };
        shell.types(&[
            ("touch bad1; shellward canary\r", "not run"),
            // The line is still there: its end is taken away, and the rest runs.
            ("\u{17}\u{17}", ""),
            ("touch mended\r", "READY"),
            (block, "not run"),
            (INTERRUPT, "READY"),
            (CLEAR, ""),
            ("touch after\r", "READY"),
            ("\u{1b}[200~touch bad3\nshellward canary\u{1b}[201~", "canary"),
            ("\r", "not run"),
            (INTERRUPT, "READY"),
            (CLEAR, ""),
            ("touch last\r", "READY"),
        ]);
        for file in ["bad2", "bad3"] {
            assert!(!shell.has(file), "{name}: {file}: a line ran that was not let through");
        }
        assert!(shell.has("bad1") && shell.has("mended"), "{name}: the mended line did not run");
        assert!(shell.has("after") && shell.has("last"), "{name}: nothing runs any more");
        shell.finish();
    }
}

#[test]
fn a_person_is_asked_and_the_answer_holds() {
    for name in SHELLS {
        let Some(shell) = Shell::new(name, "ask", &["--bypass", "trust"]) else { continue };
        std::fs::write(shell.dir.join("work/out"), "").unwrap();
        let work = |s: &str| format!("touch {s}; chmod 777 out\r");
        shell.types(&[
            (&work("no"), "(default: deny) > "),
            ("d\r", "not run"),
            (INTERRUPT, "READY"),
            (CLEAR, ""),
            (&work("silent"), "(default: deny) > "),
            (INTERRUPT, "not run"),
            (INTERRUPT, "READY"),
            (CLEAR, ""),
            (&work("once"), "(default: deny) > "),
            ("o\r", "READY"),
            ("touch then\r", "READY"),
            (&format!("trust=1 {}", work("never").replace("touch never; ", "")), "READY"),
            (&work("session"), "(default: deny) > "),
            ("s\r", "READY"),
            (&work("again"), "READY"),
        ]);
        for file in ["once", "then", "session", "again"] {
            assert!(shell.has(file), "{name}: {file} did not run");
        }
        for file in ["no", "silent"] {
            assert!(!shell.has(file), "{name}: {file} ran");
        }
        shell.finish();
    }
}

#[test]
fn warn_only_warns_and_runs() {
    for name in SHELLS {
        let Some(shell) = Shell::new(name, "warn", &["--warn-only"]) else { continue };
        std::fs::write(shell.dir.join("work/out"), "").unwrap();
        shell.types(&[("chmod 777 out; touch ran\r", "runs all the same"), ("touch b\r", "READY")]);
        assert!(shell.has("ran") && shell.has("b"), "{name}");
        shell.finish();
    }
}

#[test]
fn a_missing_binary_leaves_a_way_out() {
    for name in SHELLS {
        let Some(shell) = Shell::new(name, "gone", &[]) else { continue };
        let hook = std::fs::read_to_string(shell.dir.join("hook")).unwrap();
        let gone = hook.replace(&Path::new(BIN).display().to_string(), "/nonexistent/shellward");
        assert_ne!(gone, hook);
        std::fs::write(shell.dir.join("hook"), gone).unwrap();
        shell.types(&[("touch a\r", "could not judge"), ("\r", "READY"), ("", "")]);
        assert!(shell.has("a"), "{name}: the second Enter did not run it");
        shell.finish();
    }
}

/// Ways to a line, or past Enter, that are the shell's own.
#[test]
fn no_key_leads_past_the_question() {
    let editor = |shell: &Shell| {
        let path = shell.dir.join("editor");
        std::fs::write(&path, "echo 'touch bad; shellward canary' > \"$1\"\n").unwrap();
        format!("export VISUAL='sh {}'\n", path.display())
    };
    let stopped = [("\r", "not run"), (INTERRUPT, "READY"), (CLEAR, ""), ("touch after\r", "READY")];
    let hook = |shell: &Shell| format!("source {}\n", shell.dir.join("hook").display());
    let run = |shell: Shell, start: String, steps: &[(&str, &str)]| {
        shell.write_start(&start);
        shell.types(steps);
        assert!(!shell.has("bad") && shell.has("after"), "{}: {start}", shell.name);
        shell.finish();
    };
    let with = |first: &[(&'static str, &'static str)]| [first, &stopped].concat();
    if let Some(shell) = Shell::new("bash", "editor", &[]) {
        let start = hook(&shell) + &editor(&shell);
        run(shell, start, &with(&[("echo x", "x"), ("\u{18}\u{5}", "")]));
    }
    if let Some(shell) = Shell::new("bash", "vi", &[]) {
        let start = hook(&shell) + &editor(&shell) + "set -o vi\n";
        let steps =
            [("echo x", "x"), ("\u{1b}v", ""), ("\r", "not run"), (INTERRUPT, "READY"), ("touch after\r", "READY")];
        run(shell, start, &steps);
    }
    // What a prompt is told to do is set anew behind the hook: a here-document that was given up is no beginning.
    for (test, later) in [("later", "PROMPT_COMMAND=true\n"), ("each", "p() { PROMPT_COMMAND=p; }; PROMPT_COMMAND=p\n")]
    {
        if let Some(shell) = Shell::new("bash", test, &[]) {
            let start = hook(&shell) + later;
            run(
                shell,
                start,
                &with(&[("cat <<E\r", "> "), (INTERRUPT, "READY"), ("touch bad; shellward canary", "canary")]),
            );
        }
    }
    if let Some(shell) = Shell::new("zsh", "search", &[]) {
        let start = "print -s 'touch bad; shellward canary'\n".to_string() + &hook(&shell);
        run(shell, start, &with(&[("\u{12}", "bck"), ("canary", "")]));
    }
    if let Some(shell) = Shell::new("fish", "replace", &[]) {
        let start = hook(&shell) + "fish_vi_key_bindings\n";
        let steps = [
            ("touch bad; shellward canary", "canary"),
            ("\u{1b}R", ""),
            ("\r", "not run"),
            ("\u{1b}ddi", ""),
            ("touch after\r", "READY"),
        ];
        run(shell, start, &steps);
    }
}

/// What a program or function asks for with the shell's own line editor is an answer, no command.
#[test]
fn answers_are_not_judged() {
    for (name, line) in
        [("bash", "ask() { read -e x; echo $x > got; }; ask\r"), ("zsh", "x=; vared x; echo $x > got\r")]
    {
        let Some(shell) = Shell::new(name, "answer", &[]) else { continue };
        shell.types(&[(line, ""), ("shellward canary\r", "READY"), ("touch after\r", "READY")]);
        let got = std::fs::read_to_string(shell.dir.join("work/got")).unwrap_or_default();
        assert_eq!(got.trim(), "shellward canary", "{name}");
        shell.finish();
    }
}

#[test]
fn the_hook_of_powershell_can_be_read() {
    let made = Command::new(BIN).args(["init", "powershell"]).output().unwrap();
    let text = String::from_utf8(made.stdout).unwrap();
    assert!(text.contains(BIN) && !text.contains("%BIN%") && !text.contains("%OPTIONS%"), "{text}");
    let parse = "$e=$null; [void][System.Management.Automation.Language.Parser]::ParseInput(\
                 [Console]::In.ReadToEnd(), [ref]$null, [ref]$e); if ($e) { $e; exit 1 }";
    let Ok(mut child) =
        Command::new("pwsh").args(["-NoProfile", "-Command", parse]).stdin(std::process::Stdio::piped()).spawn()
    else {
        eprintln!("SKIPPED: pwsh is missing, so its hook is not read");
        return;
    };
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}
