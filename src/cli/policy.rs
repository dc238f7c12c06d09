//! `shellward policy`: the policies that ship, whether a file is one, and what holds here.

use super::exit::{Exit, Failure};
use super::output;
use crate::policy::find::PROJECT_FILE;
use crate::policy::{self, PRESETS, Policy, preset};
use crate::rules;
use clap::{Arg, ArgMatches, Command};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(super) fn describe(command: Command) -> Command {
    let name = Arg::new("name").value_name("NAME").help("Print this one, as the file that it is");
    let file = Arg::new("file").value_name("FILE").value_parser(clap::value_parser!(PathBuf));
    let file = file.help("The file [default: those that hold in this directory, the user's and the project's]");
    command
        .about("List the policies that ship, or check a policy file")
        .subcommand_required(true)
        .subcommand(Command::new("presets").about("List the policies that ship, or print one").arg(name))
        .subcommand(
            Command::new("check")
                .about("Say whether a file is a policy, and which settings of a project's are ignored")
                .arg(file)
                .after_help("Exit: 0 all of it holds, 2 a part of it is ignored, 78 it is broken."),
        )
}

/// The rules that a policy names and that there are none of: a file for a newer version may, so it is read all the same.
fn unknown_rules(policy: &Policy) -> Vec<&String> {
    let known = |id: &str| rules::find(id).is_some() || policy.ask.iter().any(|a| a.id == id);
    policy.rules.keys().filter(|id| !known(id)).collect()
}

/// What there is to say of one file.
fn check_file(path: &Path) -> Result<(String, Exit), Failure> {
    let wrong = |message: String| Failure { exit: Exit::Config, message };
    let policy = Policy::read(path).map_err(|e| wrong(e.to_string()))?;
    if let Some(id) = unknown_rules(&policy).first() {
        let what = format!("{}: rules.{id}: there is no such rule; `shellward rules` lists them", path.display());
        return Err(wrong(what));
    }
    let text = format!("{} is a policy with {} rules of its own or its preset\n", path.display(), policy.ask.len());
    if path.file_name().is_none_or(|n| n != PROJECT_FILE) {
        return Ok((text, Exit::Allow));
    }
    // As the project's that it is.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let loaded = policy::load(path.parent());
    let ignored: Vec<&String> = loaded.problems.iter().filter(|p| p.starts_with(&*path.to_string_lossy())).collect();
    let said = ignored.iter().fold(text, |text, problem| format!("{text}{problem}\n"));
    Ok((said, if ignored.is_empty() { Exit::Allow } else { Exit::Warn }))
}

/// What there is to say of the policies that hold in this directory.
fn check_here() -> Result<(String, Exit), Failure> {
    let loaded = policy::load(std::env::current_dir().ok().as_deref());
    if !loaded.policy.gate.broken.is_empty() {
        return Err(Failure { exit: Exit::Config, message: loaded.problems.join("\n") });
    }
    let mut text = String::new();
    for (whose, path) in [("user", &loaded.user), ("project", &loaded.project)] {
        let path = path.as_ref().map_or("none".to_string(), |p| p.display().to_string());
        let _ = writeln!(text, "{whose}: {path}");
    }
    let unknown = unknown_rules(&loaded.policy);
    let strange = unknown.iter().map(|id| format!("rules.{id}: there is no such rule; `shellward rules` lists them"));
    let problems: Vec<String> = loaded.problems.iter().cloned().chain(strange).collect();
    for problem in &problems {
        let _ = writeln!(text, "{problem}");
    }
    Ok((text, if problems.is_empty() { Exit::Allow } else { Exit::Warn }))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let (text, exit) = match matches.subcommand() {
        Some(("check", m)) => match m.get_one::<PathBuf>("file") {
            Some(path) => check_file(path)?,
            None => check_here()?,
        },
        Some((_, m)) => match m.get_one::<String>("name") {
            Some(name) => {
                let found = preset(name).ok_or_else(|| Failure::usage(format!("there is no preset {name:?}")))?;
                (found.text.to_string(), Exit::Allow)
            }
            None => (PRESETS.iter().map(|p| format!("{:<8} {}\n", p.name, p.about)).collect(), Exit::Allow),
        },
        None => (String::new(), Exit::Allow),
    };
    output::print(text.as_bytes())?;
    Ok(exit)
}
