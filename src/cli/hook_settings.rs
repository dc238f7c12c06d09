//! `shellward hook install|uninstall|list|test`: the hook in the settings of agents.
//!
//! Every change is shown as a diff, the file before it is kept, and the new one takes its place at once or not at all.

use super::exit::{Exit, Failure};
use super::{hook, output};
use crate::hooks::install::{Hook, Refusal, Settings, diff};
use crate::hooks::{self, Agent};
use crate::policy::HookPolicy;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Most copies of settings that are kept beside a file.
const MAX_COPIES: u32 = 100;
/// How long a hook that is tested may take: what hosts wait at least.
const PATIENCE: Duration = Duration::from_secs(5);

/// A command that does nothing and that every hook has to stop: what this program's own grammar says of it is on the
/// floor.
pub(super) const CANARY: &str = "shellward canary";

pub(super) fn describe(command: Command) -> Command {
    let agent = || hook::agent_argument().required(true);
    let file = || Arg::new("file").long("file").value_name("FILE").help("The settings file [default: the agent's own]");
    let path = || file().value_parser(clap::value_parser!(PathBuf));
    let dry = || {
        let flag = Arg::new("dry_run").long("dry-run").action(ArgAction::SetTrue);
        flag.help("Show the change, make none")
    };
    let runs = || {
        let value = Arg::new("command").long("command").value_name("COMMAND");
        value.help("What the agent is to run [default: this binary with `hook AGENT`]")
    };
    let sub = |name: &'static str, about: &'static str| Command::new(name).about(about);
    command
        .subcommand(
            sub("install", "Put the hook into an agent's settings").arg(agent()).arg(path()).arg(runs()).arg(dry()),
        )
        .subcommand(
            sub("uninstall", "Take the hook out of an agent's settings")
                .arg(agent())
                .arg(path())
                .arg(runs())
                .arg(dry()),
        )
        .subcommand(sub("list", "Show every agent, and whether the hook is in its settings"))
        .subcommand(
            sub("test", "Send a question to the hook that an agent's settings run, and look at the answer")
                .arg(agent())
                .arg(path()),
        )
}

pub(super) fn run(name: &str, matches: &ArgMatches) -> Result<Exit, Failure> {
    match name {
        "list" => list(),
        "test" => test(matches),
        _ => change(name == "install", matches),
    }
}

/// The settings of an agent that are changed by machine.
fn settings(agent: &'static Agent) -> Result<&'static Settings, Failure> {
    agent.settings.as_ref().ok_or_else(|| {
        let what = format!(
            "the hook of {} is set up by hand: have it run `{}` before a command (see its hook documentation)",
            agent.title,
            own_command(agent).unwrap_or_else(|_| format!("shellward hook {}", agent.name))
        );
        Failure { exit: Exit::Config, message: what }
    })
}

/// The command line that runs this binary's hook: agents may have another search path than this shell.
fn own_command(agent: &Agent) -> Result<String, Failure> {
    let binary = std::env::current_exe().map_err(|e| Failure::io("cannot find this binary", &e))?;
    let path = binary.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:\\".contains(c);
    let quoted = if path.chars().all(plain) { path.into_owned() } else { format!("\"{path}\"") };
    Ok(format!("{quoted} hook {}", agent.name))
}

pub(super) fn file_of(settings: &Settings, given: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    let home = std::env::home_dir().filter(|h| h.is_absolute());
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let path = given.cloned().or_else(|| settings.path(home.as_deref(), variable));
    path.ok_or_else(|| Failure::usage("the home directory is not known; name the settings with --file"))
}

/// The text of a file; empty where there is none.
fn read(path: &Path) -> Result<String, Failure> {
    match std::fs::read_to_string(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(|e| Failure::io(&format!("cannot read {}", path.display()), &e)),
    }
}

fn refused(path: &Path, why: &Refusal) -> Failure {
    Failure { exit: Exit::Config, message: format!("{} is left as it is: {why}", path.display()) }
}

fn change(install: bool, matches: &ArgMatches) -> Result<Exit, Failure> {
    let agent = hook::agent_of(matches)?;
    let settings = settings(agent)?;
    let path = file_of(settings, matches.get_one("file"))?;
    let command = match matches.get_one::<String>("command") {
        Some(command) => command.clone(),
        None => own_command(agent)?,
    };
    let hook = Hook { agent: agent.name, command: &command };
    let before = read(&path)?;
    let after = if install { settings.install(&before, hook) } else { settings.uninstall(&before, hook) };
    let Some(after) = after.map_err(|why| refused(&path, &why))? else {
        let state = if install { "already has the hook" } else { "has no hook of shellward" };
        return said(&format!("{} {state}: {}\n", agent.title, path.display()));
    };
    let mut text = format!("{}\n{}", path.display(), diff(&before, &after));
    if matches.get_flag("dry_run") {
        text.push_str("Nothing was changed (--dry-run).\n");
        return said(&text);
    }
    let copy = replace(&path, &before, &after, true)?;
    let done = if install { "installed" } else { "removed" };
    let _ = writeln!(text, "The hook of {} is {done}.", agent.title);
    if let Some(copy) = copy {
        let _ = writeln!(text, "The settings before are kept in {}.", copy.display());
    }
    if install && !settings.note.is_empty() {
        let _ = writeln!(text, "{}", settings.note);
    }
    said(&text)
}

fn said(text: &str) -> Result<Exit, Failure> {
    output::print(text.as_bytes())?;
    Ok(Exit::Allow)
}

/// Puts texts last into a list at the top of a YAML file; nothing else in it changes.
pub(super) fn add_to_list(path: &Path, key: &str, values: &[&str]) -> Result<(), Failure> {
    let before = read(path)?;
    let mut after = before.clone();
    for value in values {
        after = hooks::install::add_to_list(&after, key, value).map_err(|why| refused(path, &why))?;
    }
    if after != before {
        // One copy is kept, of the file as it was before the first change: approvals are many.
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".shellward-backup");
        replace(path, &before, &after, !path.with_file_name(name).exists())?;
    }
    Ok(())
}

/// Puts the new text in the place of the file, through links, keeping its rights; gives the copy of what was there.
fn replace(path: &Path, before: &str, after: &str, copies: bool) -> Result<Option<PathBuf>, Failure> {
    let fail = |what: &str, e: &std::io::Error| Failure::io(&format!("{what} {}", path.display()), e);
    // A link stays a link: settings are often kept elsewhere.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if let Some(dir) = target.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(|e| fail("cannot make the directory of", &e))?;
    }
    let rights = std::fs::metadata(&target).ok().map(|m| m.permissions());
    let keep =
        |rights| write_new(&target, "shellward-backup", before, Some(rights)).map_err(|e| fail("cannot copy", &e));
    let copy = rights.as_ref().filter(|_| copies).map(keep).transpose()?;
    let new =
        write_new(&target, "shellward-new", after, rights.as_ref()).map_err(|e| fail("cannot write beside", &e))?;
    if let Err(e) = std::fs::rename(&new, &target) {
        // Best effort: the failure that counts is the one before.
        let _ = std::fs::remove_file(&new);
        return Err(fail("cannot replace", &e));
    }
    Ok(copy)
}

/// Writes a text into a new file beside that one, whose name tells what it is.
fn write_new(beside: &Path, what: &str, text: &str, rights: Option<&std::fs::Permissions>) -> std::io::Result<PathBuf> {
    for number in 0..MAX_COPIES {
        let mut name = beside.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{what}"));
        if number > 0 {
            name.push(format!(".{number}"));
        }
        let path = beside.with_file_name(name);
        match std::fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                if let Some(rights) = rights {
                    file.set_permissions(rights.clone())?;
                }
                file.write_all(text.as_bytes())?;
                file.sync_all()?;
                return Ok(path);
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(std::io::Error::new(ErrorKind::AlreadyExists, "too many copies are kept beside it"))
}

fn list() -> Result<Exit, Failure> {
    let mut out = String::new();
    for agent in hooks::AGENTS {
        let state = match &agent.settings {
            None => "set up by hand".to_string(),
            Some(settings) => match file_of(settings, None) {
                Ok(path) => format!("{}  {}", state(agent, settings, &path), path.display()),
                Err(e) => e.message,
            },
        };
        let _ = writeln!(out, "{:<12} {state}", agent.name);
    }
    said(&out)
}

/// One word on the hook in a settings file.
fn state(agent: &Agent, settings: &Settings, path: &Path) -> String {
    let hook = Hook { agent: agent.name, command: "" };
    match read(path).map_err(|e| e.message).and_then(|t| settings.installed(&t, hook).map_err(|e| e.to_string())) {
        Ok(Some(_)) => "installed".into(),
        Ok(None) => "-        ".into(),
        Err(why) => format!("unreadable ({why})"),
    }
}

fn test(matches: &ArgMatches) -> Result<Exit, Failure> {
    let agent = hook::agent_of(matches)?;
    let settings = settings(agent)?;
    let path = file_of(settings, matches.get_one("file"))?;
    let Some(command) = installed(agent, settings, &path)? else {
        let what =
            format!("the hook is not in {}; `shellward hook install {}` puts it there", path.display(), agent.name);
        return Err(Failure { exit: Exit::Config, message: what });
    };
    let answer = self_test(agent, &command)?;
    said(&format!("The hook of {} works: a test command was denied.\n{answer}", agent.title))
}

/// The command of the hook in a settings file.
pub(super) fn installed(agent: &Agent, settings: &Settings, path: &Path) -> Result<Option<String>, Failure> {
    let hook = Hook { agent: agent.name, command: "" };
    settings.installed(&read(path)?, hook).map_err(|why| refused(path, &why))
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
