//! Whether a hook that stands in an agent's settings works: what keeps it from running, what program it runs, and what
//! that program says to a harmless command.

use super::exit::{Exit, Failure};
use super::hook_settings::{is_own, read, refused};
use crate::hooks::install::{self, Hook, Off, Problem, Settings, Where};
use crate::hooks::{self, Agent};
use crate::policy::{self, HookPolicy};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How long a hook that is tested may take: what hosts wait at least.
const PATIENCE: Duration = Duration::from_secs(5);

/// A command that does nothing and that every hook has to stop: what this program's own grammar says of it is on the
/// floor.
pub(super) const CANARY: &str = "shellward canary";

/// A hook in a settings file.
pub(super) struct Found {
    /// Its command.
    pub command: String,
    /// What keeps it from working.
    pub problems: Vec<Problem>,
    /// It runs another file than this binary.
    pub other_binary: bool,
}

/// The hook in a settings file, where there is one.
pub(super) fn look(agent: &Agent, settings: &Settings, path: &Path) -> Result<Option<Found>, Failure> {
    let hook = Hook { agent: agent.name, command: "", own: is_own };
    let text = read(path)?;
    let Some(entry) = settings.installed(&text, hook).map_err(|why| refused(path, &why))? else { return Ok(None) };
    let deadline_ms = policy::load(None).policy.hooks.deadline_ms;
    let mut problems = settings.problems(&entry, hook, deadline_ms);
    problems.extend(settings.switches.iter().filter_map(|s| {
        let file = match s.file {
            Where::Own => path.to_path_buf(),
            Where::Beside(name) => path.with_file_name(name),
            Where::Project(name) => std::env::current_dir().ok()?.join(name),
            Where::Machine(name) => PathBuf::from(name),
        };
        let content = std::fs::read_to_string(&file).ok();
        let content = content.and_then(|text| install::value(&file, &text));
        // A setting that allows what the switch forbids stands in another file, in words of the agent's own.
        let accepted = matches!(s.off, Off::Lacks) && text.contains("hooks_auto_accept: true");
        s.problem(&file.display().to_string(), content.as_ref(), &entry.command).filter(|_| !accepted)
    }));
    let program = hook.program(&entry.command).map(str::to_string);
    let mut other_binary = false;
    if let Some(program) = &program {
        match found(program) {
            None => problems.push(Problem::off(format!(
                "{program} cannot be run, and most agents go on without a hook that fails"
            ))),
            Some(path) => {
                let own = std::env::current_exe().and_then(std::fs::canonicalize).ok();
                other_binary = own.is_none() || std::fs::canonicalize(path).ok() != own;
            }
        }
    } else {
        other_binary = true;
    }
    #[cfg(unix)]
    if settings.executable() && !std::fs::metadata(path).is_ok_and(|m| executable(&m)) {
        problems.push(Problem::off(format!("{} is not executable", path.display())));
    }
    Ok(Some(Found { command: entry.command, problems, other_binary }))
}

/// Where a program is that settings name.
pub(super) fn found(program: &str) -> Option<PathBuf> {
    let runs = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|m| m.is_file() && executable(&m));
    if program.contains(['/', '\\']) {
        return Some(PathBuf::from(program)).filter(runs);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|d| d.join(program)).find(runs)
}

#[cfg(unix)]
fn executable(m: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&m.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_: &std::fs::Metadata) -> bool {
    true
}

/// Sends a question about a harmless command that no mode lets through to the hook, as the settings run it, and looks
/// whether the answer is this agent's no. Gives the answer.
pub(super) fn self_test(agent: &'static Agent, command: &str) -> Result<String, Failure> {
    let question = agent.forms.first().map(|f| f.sample(CANARY).to_string()).unwrap_or_default();
    let (code, stdout, stderr) = ask(command, &question)?;
    // What a no looks like at this agent, whatever the reason says.
    let no = hooks::unread(agent, &HookPolicy::default(), "a test");
    let says_no = match (parsed(&no.stdout), parsed(&stdout)) {
        (Some(want), Some(got)) => alike(&want, &got),
        (want, got) => want.is_none() && got.is_none(),
    };
    if says_no && code == i32::from(no.exit) {
        return Ok(format!("{stdout}{stderr}"));
    }
    let message = format!("the hook of {} does not deny a test command: exit {code}\n{stdout}{stderr}", agent.title);
    Err(Failure { exit: Exit::Block, message })
}

fn parsed(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// True where two answers say the same: sentences may differ, words and structure may not.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| alike(v, w)))
        }
        (Value::String(a), Value::String(b)) => a == b || (a.contains(' ') && b.contains(' ')),
        _ => a == b,
    }
}

/// Runs a hook as agents do, through a shell.
fn ask(command: &str, question: &str) -> Result<(i32, String, String), Failure> {
    let failed = |e: &std::io::Error| Failure::io(&format!("cannot run {command}"), e);
    let mut child = std::process::Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(&e))?;
    if let Some(mut pipe) = child.stdin.take() {
        // A hook that does not read is seen by its answer.
        let _ = pipe.write_all(question.as_bytes());
    }
    let started = Instant::now();
    while child.try_wait().map_err(|e| failed(&e))?.is_none() {
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            return Err(Failure {
                exit: Exit::Block,
                message: format!("no answer within {PATIENCE:?} from {command}"),
            });
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let out = child.wait_with_output().map_err(|e| failed(&e))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((out.status.code().unwrap_or(-1), text(&out.stdout), text(&out.stderr)))
}
