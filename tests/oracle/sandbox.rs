//! bash in a root of its own.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The prepared root.
pub(crate) struct Sandbox {
    root: PathBuf,
}

/// One command that bash would have run: its words.
pub(crate) type Words = Vec<String>;

/// What runs the texts inside: each in a subshell of its own, with a handler that records what is not found.
const DRIVER: &str = r#"
command_not_found_handle() {
  local _a; builtin printf -v _a '\x1f%s' "$@"
  builtin printf '\x1eC%s\x1d' "$_a" >>/log
  return 0
}
ulimit -u 200 -f 2000 -t 5 -v 1000000 2>/dev/null
shopt -s extglob
i=0
for f in /texts/*; do
  builtin printf '\x1eB\x1f%s\x1d' "${f##*/}" >>/log
  cd /work
  ( set -- ; unset i; eval "$(</texts/${f##*/})" ) </dev/null >/dev/null 2>&1 || :
  # Whether bash can read it at all.
done
"#;

impl Sandbox {
    /// Prepares it; `None`, with a word why, where that cannot be done.
    pub(crate) fn new() -> Option<Sandbox> {
        let bash = Path::new("/bin/bash");
        if !bash.exists() {
            eprintln!("SKIPPED: there is no /bin/bash");
            return None;
        }
        let root = std::env::temp_dir().join(format!("shellward-oracle-{}", std::process::id()));
        for d in ["work", "tmp", "dev", "texts", "home/user", "etc", "bin"] {
            std::fs::create_dir_all(root.join(d)).ok()?;
        }
        std::fs::copy(bash, root.join("bash")).ok()?;
        let ldd = Command::new("ldd").arg(bash).output().ok()?;
        for word in String::from_utf8_lossy(&ldd.stdout).split_whitespace().filter(|w| w.starts_with('/')) {
            let to = root.join(word.trim_start_matches('/'));
            std::fs::create_dir_all(to.parent()?).ok()?;
            std::fs::copy(word, to).ok()?;
        }
        std::fs::write(root.join("driver"), DRIVER).ok()?;
        let s = Sandbox { root };
        let probe = s.run(&["probe a 'b c'".to_string()]);
        if !matches!(probe.as_slice(), [Some(w)] if w == &[vec!["probe".to_string(), "a".into(), "b c".into()]]) {
            eprintln!("SKIPPED: bash cannot be run in a root of its own here (unshare, chroot)");
            return None;
        }
        Some(s)
    }

    /// What bash would run for each text; `None` where it cannot read the text, or did not end in time.
    pub(crate) fn run(&self, texts: &[String]) -> Vec<Option<Vec<Words>>> {
        let dir = self.root.join("texts");
        let _ = std::fs::remove_dir_all(&dir);
        let _ = std::fs::remove_dir_all(self.root.join("work"));
        let _ = std::fs::create_dir_all(&dir);
        let _ = std::fs::create_dir_all(self.root.join("work"));
        let mut readable = vec![true; texts.len()];
        for (i, t) in texts.iter().enumerate() {
            let _ = std::fs::write(dir.join(format!("{i:05}")), t);
        }
        // One process asks bash which texts it can read.
        let mut check = String::new();
        for i in 0..texts.len() {
            check.push_str(&format!(
                "bash --norc -O extglob -n '{0}/{i:05}' 2>/dev/null </dev/null || echo {i}\n",
                dir.display()
            ));
        }
        if let Ok(mut p) = Command::new("bash").arg("--norc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
            if let Some(mut stdin) = p.stdin.take() {
                let _ = stdin.write_all(check.as_bytes());
            }
            if let Ok(out) = p.wait_with_output() {
                for n in String::from_utf8_lossy(&out.stdout).lines().filter_map(|l| l.parse::<usize>().ok()) {
                    if let Some(r) = readable.get_mut(n) {
                        *r = false;
                    }
                }
            }
        }
        for (i, r) in readable.iter().enumerate() {
            if !r {
                let _ = std::fs::remove_file(dir.join(format!("{i:05}")));
            }
        }
        let _ = std::fs::write(self.root.join("log"), "");
        let _ = Command::new("timeout")
            .args([
                "-s",
                "KILL",
                "60",
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
            .arg("chroot")
            .arg(&self.root)
            .args(["/bash", "--norc", "/driver"])
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let log = std::fs::read(self.root.join("log")).unwrap_or_default();
        let mut events: HashMap<usize, Vec<Words>> = HashMap::new();
        let mut current = usize::MAX;
        for record in log.split(|b| *b == 0x1e) {
            let record = record.strip_suffix(&[0x1d]).unwrap_or(record);
            let mut fields = record.split(|b| *b == 0x1f).map(|f| String::from_utf8_lossy(f).into_owned());
            match fields.next().as_deref() {
                Some("B") => {
                    current = fields.next().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
                    events.entry(current).or_default();
                }
                Some("C") => events.entry(current).or_default().push(fields.collect()),
                _ => {}
            }
        }
        // The last text that was begun may not have ended in time: what came after it never began.
        readable.iter().enumerate().map(|(i, r)| if *r { events.remove(&i) } else { None }).collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
