//! `shellward hook install|uninstall|list|test`: the hook in the settings of agents.
//!
//! Every change is shown as a diff, the file before it is kept, and the new one takes its place at once or not at all.

use super::exit::{Exit, Failure};
use super::hook_health::{self, self_test};
use super::{hook, output};
use crate::hooks::install::{Hook, Refusal, Settings, diff};
use crate::hooks::{self, Agent};
use crate::report::visible;
use crate::state::State;
use crate::state::log::Entry;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Most copies of settings that are kept beside a file.
const MAX_COPIES: u32 = 100;
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
    let binary = as_called(&binary).unwrap_or(binary);
    let path = binary.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:\\".contains(c);
    let quoted = if path.chars().all(plain) { path.into_owned() } else { format!("\"{path}\"") };
    Ok(format!("{quoted} hook {}", agent.name))
}

/// The path by which this binary was called, where that is a link to it: what links lead to changes its name with each
/// version of many package managers, and a hook whose program is gone holds nothing back.
fn as_called(binary: &Path) -> Option<PathBuf> {
    let called = std::env::args_os().next()?;
    let path = hook_health::found(called.to_str()?)?;
    let path = std::path::absolute(path).ok()?;
    let leads = std::fs::canonicalize(&path).ok()? == std::fs::canonicalize(binary).ok()?;
    leads.then_some(path)
}

/// The settings file that is meant.
fn file_of(agent: &Agent, settings: &Settings, given: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(given) = given {
        return Ok(given.clone());
    }
    let pattern = pattern_of(settings)?;
    if !pattern.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"*")) {
        return Ok(pattern);
    }
    let there: Vec<String> = files_of(settings).iter().map(|p| p.display().to_string()).collect();
    let there = if there.is_empty() { "none is there yet".to_string() } else { there.join(", ") };
    let what = format!(
        "{} keeps hooks in the file of each of its agents: name the one that is meant, `shellward hook install {} --file FILE` \
         ({}: {there})",
        agent.title,
        agent.name,
        pattern.display()
    );
    Err(Failure { exit: Exit::Config, message: what })
}

/// The settings file as the agent names it; its name may be a `*`.
fn pattern_of(settings: &Settings) -> Result<PathBuf, Failure> {
    let home = std::env::home_dir().filter(|h| h.is_absolute());
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let path = settings.path(home.as_deref(), variable);
    path.ok_or_else(|| Failure::usage("the home directory is not known; name the settings with --file"))
}

/// Every settings file of an agent: the one, or those that are there.
pub(super) fn files_of(settings: &Settings) -> Vec<PathBuf> {
    let Ok(pattern) = pattern_of(settings) else { return Vec::new() };
    let name = pattern.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(ending) = name.strip_prefix('*') else { return vec![pattern] };
    let entries = pattern.parent().and_then(|d| std::fs::read_dir(d).ok());
    let files = entries.into_iter().flatten().flatten().map(|e| e.path());
    let mut out: Vec<PathBuf> = files.filter(|p| p.to_string_lossy().ends_with(ending)).take(1_000).collect();
    out.sort();
    out
}

/// True where a program, as a settings file names it, is this binary under another name or in another place.
pub(super) fn is_own(program: &str) -> bool {
    let Ok(own) = std::env::current_exe() else { return false };
    let named = Path::new(program);
    if own.file_stem().is_some() && own.file_stem() == named.file_stem() {
        return true;
    }
    let Some(path) = hook_health::found(program) else { return false };
    let same = |a: &Path, b: &Path| match (std::fs::canonicalize(a), std::fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    let length = |p: &Path| std::fs::metadata(p).map(|m| m.len()).ok();
    // A copy has its length; only then is it read.
    let copy = || length(&path) == length(&own) && std::fs::read(&path).ok() == std::fs::read(&own).ok();
    same(&path, &own) || copy()
}

/// The text of a file; empty where there is none.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    match std::fs::read_to_string(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(|e| Failure::io(&format!("cannot read {}", path.display()), &e)),
    }
}

pub(super) fn refused(path: &Path, why: &Refusal) -> Failure {
    Failure { exit: Exit::Config, message: format!("{} is left as it is: {why}", path.display()) }
}

fn change(install: bool, matches: &ArgMatches) -> Result<Exit, Failure> {
    let agent = hook::agent_of(matches)?;
    let settings = settings(agent)?;
    let path = file_of(agent, settings, matches.get_one("file"))?;
    let command = match matches.get_one::<String>("command") {
        Some(command) => command.clone(),
        None => own_command(agent)?,
    };
    let hook = Hook { agent: agent.name, command: &command, own: is_own };
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
    if after.is_empty() {
        // A file of the hook's own.
        std::fs::remove_file(&path).map_err(|e| Failure::io(&format!("cannot remove {}", path.display()), &e))?;
    } else if settings.executable() {
        make_executable(&path)?;
    }
    note_change(agent, install, &command, &path);
    let done = if install { "installed" } else { "removed" };
    let _ = writeln!(text, "The hook of {} is {done}.", agent.title);
    if let Some(copy) = copy {
        let _ = writeln!(text, "The settings before are kept in {}.", copy.display());
    }
    if install && !settings.note.is_empty() {
        let _ = writeln!(text, "{}", settings.note);
    }
    if install {
        if let Ok(Some(found)) = hook_health::look(agent, settings, &path) {
            let off: BTreeSet<&str> = found.problems.iter().filter(|p| p.off).map(|p| p.what.as_str()).collect();
            for what in off {
                let _ = writeln!(text, "But it does not work yet: {what}");
            }
        }
        // Where it is looked for unasked, or by its name.
        let named =
            if files_of(settings).contains(&path) { String::new() } else { format!(" --file {}", path.display()) };
        let _ = writeln!(text, "`shellward hook test {}{named}` tries it.", agent.name);
    }
    said(&text)
}

/// Writes the change into the log, so that `status` can say who took a hook out.
fn note_change(agent: &Agent, install: bool, command: &str, path: &Path) {
    let entry = Entry {
        layer: "settings".to_string(),
        message: path.display().to_string(),
        ..Entry::now(&hook::source(agent), if install { "install" } else { "uninstall" }, command.as_bytes())
    };
    let cwd = std::env::current_dir().ok();
    let state = State::new(&crate::policy::load(cwd.as_deref()).policy.state);
    if let Err(e) = state.and_then(|s| s.log(&entry)) {
        output::complain(&format!("it is not in the log: {e}"));
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let failed = |e: &std::io::Error| Failure::io(&format!("cannot make {} executable", path.display()), e);
    let mode = std::fs::metadata(path).map_err(|e| failed(&e))?.permissions().mode();
    let all = std::fs::Permissions::from_mode(mode | 0o100 | ((mode & 0o044) >> 2));
    std::fs::set_permissions(path, all).map_err(|e| failed(&e))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<(), Failure> {
    Ok(())
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
        let Some(settings) = &agent.settings else {
            let _ = writeln!(out, "{:<12} set up by hand", agent.name);
            continue;
        };
        let files = files_of(settings);
        if files.is_empty() {
            let pattern = pattern_of(settings).map_or_else(|e| e.message, |p| p.display().to_string());
            let _ = writeln!(out, "{:<12} -          {pattern}", agent.name);
        }
        for path in files {
            let _ = writeln!(out, "{:<12} {:<10} {}", agent.name, state(agent, settings, &path), path.display());
        }
    }
    said(&out)
}

/// A word on the hook in a settings file.
fn state(agent: &Agent, settings: &Settings, path: &Path) -> String {
    match hook_health::look(agent, settings, path) {
        Ok(Some(found)) => match found.problems.first() {
            None if found.other_binary => "installed, but it runs another binary:".into(),
            None => "installed".into(),
            Some(p) => format!("installed, but {}:", visible::line(&p.what)),
        },
        Ok(None) => "-".into(),
        Err(e) => format!("unreadable ({}):", e.message),
    }
}

fn test(matches: &ArgMatches) -> Result<Exit, Failure> {
    let agent = hook::agent_of(matches)?;
    let settings = settings(agent)?;
    let given: Option<&PathBuf> = matches.get_one("file");
    // Of an agent with a file for each of its own agents: those that have the hook.
    let has = |p: &PathBuf| hook_health::look(agent, settings, p).is_ok_and(|found| found.is_some());
    let there: Vec<PathBuf> =
        if given.is_none() { files_of(settings).into_iter().filter(has).collect() } else { Vec::new() };
    let paths = if there.is_empty() { vec![file_of(agent, settings, given)?] } else { there };
    paths.iter().try_fold(Exit::Allow, |_, path| test_file(agent, settings, path))
}

fn test_file(agent: &'static Agent, settings: &Settings, path: &Path) -> Result<Exit, Failure> {
    let Some(found) = hook_health::look(agent, settings, path)? else {
        let what =
            format!("the hook is not in {}; `shellward hook install {}` puts it there", path.display(), agent.name);
        return Err(Failure { exit: Exit::Config, message: what });
    };
    let answer = self_test(agent, &found.command)?;
    if let Some(p) = found.problems.iter().find(|p| p.off) {
        let what = format!("the hook of {} denies a test command, but {}", agent.title, p.what);
        return Err(Failure { exit: Exit::Block, message: what });
    }
    let mut text = format!("The hook of {} works: a test command was denied.\n{answer}", agent.title);
    for p in &found.problems {
        let _ = writeln!(text, "But {}", p.what);
    }
    said(&text)
}
