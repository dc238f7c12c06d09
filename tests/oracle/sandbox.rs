//! bash in a root of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The prepared root.
pub(crate) struct Sandbox {
    root: PathBuf,
}

/// How many roots there have been.
static ROOTS: AtomicUsize = AtomicUsize::new(0);

/// The words of one command.
pub(crate) type Words = Vec<String>;

/// What bash did with one text.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// Commands that were not found.
    pub(crate) commands: Vec<Words>,
    /// Commands that are named by a path, and the filters that run.
    pub(crate) found: Vec<Words>,
    /// Builtins, functions and everything else that bash traces, by `set -x`.
    pub(crate) traced: Vec<Words>,
    /// Something failed because the place is empty: a file that is not there, a folder that cannot be written.
    pub(crate) failed: bool,
    /// The trace shows that the text was begun.
    began: bool,
    /// Variables that were divided by, and were 0.
    pub(crate) divisors: Vec<String>,
    /// It was begun, and no signal ended it.
    ended: bool,
}

/// Between two fields of a record.
const FIELD: &[u8] = b"\x1f\x02";

/// What runs the texts inside: each in a subshell and a directory of its own. A command that is not found is recorded by
/// a handler, everything else by the trace. A text has a second of processor time and three of any other, until the last
/// process that it started has gone; as process 1 of its own namespace the driver outlives whatever a text kills, and
/// kills whatever a text leaves behind. How the subshell ended is recorded last: one that the machine did not start, or
/// that a signal ended, says nothing of bash. Whether bash can read a text at all is asked of the same process: after
/// `set -n` it reads to the end and runs nothing. What a text leaves in the places that all share goes. Of texts that are
/// made here none does much: one whose record grows beyond 40 KiB has no end, and is ended.
const DRIVER: &str = r#"
command_not_found_handle() {
  set +x -- "$@"
  local _a; builtin printf -v _a '\x1f\x02%s' "$@"
  builtin printf '\x1eC%s\n' "$_a" >&250
  return 0
}
__l=2000; [[ -e /checked ]] && __l=40
ulimit -u 6000 -f "$__l" -v 1000000 2>/dev/null
shopt -s extglob
__s=(/* /tmp/* /home/user/*); __s=${__s[*]}
for __f in /texts/*; do
  __n=${__f##*/}
  cd "/work/$__n"
  : >"/logs/$__n"
  IFS= read -r -d '' __t <"$__f"
  if [[ -e /checked ]] || ( eval "set -n"$'\n'"$__t" ) </dev/null >/dev/null 2>&1; then
    exec {__p}< <(
      exec 251>&1 250>>"/logs/$__n"
      ( ulimit -t 1 2>/dev/null; set --; unset __f __n __p __o __s __l
        PS4=$'\x1eX\x1f\x02' BASH_XTRACEFD=250; set -x; builtin eval -- "$__t" ) </dev/null >/dev/null 2>"/errors/$__n"
      builtin printf '\x1eE\x1f\x02%s\n' $? >&250
    )
    IFS= read -r -d '' -t 3 -u "$__p" __o || [ $? -le 128 ] || builtin printf '\x1eT\n' >>"/logs/$__n"
    exec {__p}<&-
    kill -KILL -1 2>/dev/null
    __o=(/* /tmp/* /home/user/*)
    if [[ ${__o[*]} != "$__s" ]]; then
      for __o in /* /tmp/* /home/user/*; do
        [[ " $__s " == *" $__o "* ]] || /own/rm -rf -- "$__o"
      done
    fi
  fi
done
"#;

/// Filters that run for real, since what they print may be computed from the text.
pub(crate) const PASSED: &[&str] = &[
    "base64", "basename", "cat", "cut", "dirname", "expr", "fold", "grep", "head", "nl", "od", "paste", "rev", "sed",
    "seq", "sort", "tac", "tail", "tr", "uniq", "wc", "xxd",
];

/// Enters the root, with `/proc` (for `/dev/fd`) and the null device.
const INNER: &str = r#"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc none "$0/proc" && mount --bind /dev/null "$0/dev/null" && exec env PATH=/pass /usr/sbin/chroot "$0" /bash --norc /driver
"#;

impl Sandbox {
    /// Prepares it; `None`, with a word why, where that cannot be done.
    pub(crate) fn new() -> Option<Sandbox> {
        let bash = Path::new("/bin/bash");
        if !bash.exists() {
            eprintln!("SKIPPED: there is no /bin/bash");
            return None;
        }
        let number = ROOTS.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("shellward-oracle-{}-{number}", std::process::id()));
        for d in
            ["work", "tmp", "dev", "texts", "logs", "errors", "home/user", "etc", "bin", "proc", "pass", "own", "lib"]
        {
            std::fs::create_dir_all(root.join(d)).ok()?;
        }
        std::fs::copy(bash, root.join("bash")).ok()?;
        std::fs::write(root.join("dev/null"), "").ok()?;
        std::os::unix::fs::symlink("/proc/self/fd", root.join("dev/fd")).ok()?;
        let mut programs = vec![bash.to_path_buf()];
        for (to, name) in PASSED.iter().map(|n| ("pass", *n)).chain([("own", "rm")]) {
            for dir in ["/usr/bin", "/bin"] {
                let from = Path::new(dir).join(name);
                if from.exists() {
                    std::fs::copy(&from, root.join(to).join(name)).ok()?;
                    programs.push(from);
                    break;
                }
            }
        }
        let locale = root.join("usr/lib/locale/C.utf8");
        std::fs::create_dir_all(locale.join("LC_MESSAGES")).ok()?;
        for f in ["LC_CTYPE", "LC_COLLATE"] {
            let _ = std::fs::copy(Path::new("/usr/lib/locale/C.utf8").join(f), locale.join(f));
        }
        let ldd = Command::new("ldd").args(&programs).output().ok()?;
        for word in
            String::from_utf8_lossy(&ldd.stdout).split_whitespace().filter(|w| w.starts_with('/') && !w.ends_with(':'))
        {
            let to = root.join(word.trim_start_matches('/'));
            std::fs::create_dir_all(to.parent()?).ok()?;
            std::fs::copy(word, to).ok()?;
        }
        std::fs::write(root.join("driver"), DRIVER).ok()?;
        let s = Sandbox { root };
        let probe = s.run(&["probe a 'b c'".to_string()], true);
        if !matches!(probe.as_slice(), [Some(e)] if e.commands == [vec!["probe".to_string(), "a".into(), "b c".into()]])
        {
            eprintln!("SKIPPED: bash cannot be run in a root of its own here (unshare, chroot)");
            return None;
        }
        Some(s)
    }

    /// What bash would run for each text; `None` where it cannot read the text, or did not end in time. Texts that are
    /// `known` to be readable are not read an extra time.
    pub(crate) fn run(&self, texts: &[String], known: bool) -> Vec<Option<Events>> {
        for d in ["texts", "work", "logs", "errors", "tmp", "home/user"] {
            let dir = self.root.join(d);
            let _ = std::fs::remove_dir_all(&dir);
            let _ = std::fs::create_dir_all(&dir);
        }
        let checked = self.root.join("checked");
        let _ = if known { std::fs::write(&checked, "") } else { std::fs::remove_file(&checked) };
        for (i, t) in texts.iter().enumerate() {
            // As `$(<file)` gives it.
            let _ = std::fs::write(self.root.join(format!("texts/{i:05}")), t.trim_end_matches('\n'));
            let _ = std::fs::create_dir_all(self.root.join(format!("work/{i:05}")));
        }
        // A text may end the driver (`kill -USR1 $$`): the others are given to another one.
        let mut left = texts.len().saturating_add(1);
        while left > 0 {
            self.launch(left);
            let seen = |i: &usize| self.root.join(format!("logs/{i:05}")).exists();
            let (done, more): (Vec<usize>, Vec<usize>) = (0..texts.len()).partition(seen);
            if more.len() >= left {
                break;
            }
            left = more.len();
            for i in done {
                let _ = std::fs::remove_file(self.root.join(format!("texts/{i:05}")));
            }
        }
        (0..texts.len()).map(|i| self.events(i)).collect()
    }

    /// Runs the driver over the texts that lie there.
    fn launch(&self, texts: usize) {
        let _ = Command::new("timeout")
            .args(["-s", "KILL"])
            .arg(texts.saturating_mul(4).saturating_add(60).to_string())
            .args([
                "unshare",
                "--user",
                "--map-root-user",
                "--mount",
                "--pid",
                "--net",
                "--ipc",
                "--fork",
                "--kill-child=KILL",
            ])
            .args(["/bin/bash", "-c", INNER])
            .arg(&self.root)
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", "/home/user")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }

    /// What is recorded of a text. One that was not run, or did not end in time, has no record.
    fn events(&self, i: usize) -> Option<Events> {
        let log = std::fs::read(self.root.join(format!("logs/{i:05}"))).ok()?;
        let mut e = Events::default();
        for record in log.split(|b| *b == 0x1e) {
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            let text = String::from_utf8_lossy(record);
            let mut fields = text.split(std::str::from_utf8(FIELD).unwrap_or_default());
            match fields.next() {
                Some("T") => return None,
                Some("E") => {
                    let status: Option<u32> = fields.next().and_then(|n| n.trim_end().parse().ok());
                    e.ended = e.began && status.is_some_and(|s| s <= 128);
                }
                Some("C") => e.commands.push(fields.map(str::to_string).collect()),
                Some("X") => {
                    let mut words = trace_words(fields.next().unwrap_or_default());
                    if words.first().is_some_and(|w| w == "command")
                        && words.get(1).is_some_and(|w| PASSED.contains(&w.as_str()))
                    {
                        words.remove(0);
                    }
                    match words.first().map(String::as_str) {
                        // The driver's own.
                        Some("command_not_found_handle") | None => {}
                        Some("set") if words.get(1).is_some_and(|w| w == "+x") => {}
                        Some("builtin") if words.get(1).is_some_and(|w| w == "eval") => e.began = true,
                        Some(name) if (name.contains('/') && !name.contains('=')) || PASSED.contains(&name) => {
                            e.found.push(words)
                        }
                        Some(_) => e.traced.push(words),
                    }
                }
                _ => {}
            }
        }
        if !e.ended {
            return None;
        }
        let said = std::fs::read(self.root.join(format!("errors/{i:05}"))).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let signs = [
            ": No such file",
            ": Is a directory",
            ": Permission denied",
            "ambiguous redirect",
            "cannot overwrite",
            "Cannot allocate",
            "fork:",
            ": Bad file",
            "cannot create",
            // bash 5.2 does not find the end of `${b:$((1)):2}` in a here-document.
            "no closing `)' in",
            // After that bash's own reader is confused: it does not take a `while` in the next line for one.
            "unexpected EOF while looking for matching `\"'",
        ];
        let token = "division by 0 (error token is \"";
        e.divisors = said.split(token).skip(1).filter_map(|t| Some(t.split('"').next()?.to_string())).collect();
        e.failed = signs.iter().any(|s| said.contains(s));
        Some(e)
    }
}

/// The words of a line of `set -x`: bare, `'…'`, `$'…'`, backslashes.
fn trace_words(line: &str) -> Words {
    let (mut out, mut word, mut open) = (Words::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' => {
                if std::mem::take(&mut open) {
                    out.push(std::mem::take(&mut word));
                }
                continue;
            }
            '\'' => word.extend(chars.by_ref().take_while(|c| *c != '\'')),
            '$' if chars.peek() == Some(&'\'') => {
                chars.next();
                let mut coded = String::new();
                while let Some(c) = chars.next() {
                    match c {
                        '\'' => break,
                        '\\' => {
                            coded.push(c);
                            coded.extend(chars.next());
                        }
                        c => coded.push(c),
                    }
                }
                word.push_str(&String::from_utf8_lossy(&shellward::value::quote::ansi_c_decode(coded.as_bytes())));
            }
            '\\' => word.extend(chars.next()),
            c => word.push(c),
        }
        open = true;
    }
    if open {
        out.push(word);
    }
    out
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
