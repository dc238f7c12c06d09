//! `shellward policy`: the policies that ship, and whether a file is one.

use super::exit::{Exit, Failure};
use super::output;
use crate::policy::{PRESETS, Policy, preset};
use crate::rules;
use clap::{Arg, ArgMatches, Command};
use std::path::PathBuf;

pub(super) fn describe(command: Command) -> Command {
    let name = Arg::new("name").value_name("NAME").help("Print this one, as the file that it is");
    let file = Arg::new("file").value_name("FILE").required(true).value_parser(clap::value_parser!(PathBuf));
    command
        .about("List the policies that ship, or check a policy file")
        .subcommand_required(true)
        .subcommand(Command::new("presets").about("List the policies that ship, or print one").arg(name))
        .subcommand(Command::new("check").about("Say whether a file is a policy").arg(file))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let text = match matches.subcommand() {
        Some(("check", m)) => {
            let path = m.get_one::<PathBuf>("file").cloned().unwrap_or_default();
            let policy = Policy::read(&path).map_err(|e| Failure { exit: Exit::Config, message: e.to_string() })?;
            // A file for a newer version may name rules that are not there yet: it is read, but a check says so.
            let known = |id: &str| rules::find(id).is_some() || policy.ask.iter().any(|a| a.id == id);
            if let Some(id) = policy.rules.keys().find(|id| !known(id)) {
                let message =
                    format!("{}: rules.{id}: there is no such rule; `shellward rules` lists them", path.display());
                return Err(Failure { exit: Exit::Config, message });
            }
            format!("{} is a policy with {} rules of its own or its preset\n", path.display(), policy.ask.len())
        }
        Some((_, m)) => match m.get_one::<String>("name") {
            Some(name) => {
                let found = preset(name).ok_or_else(|| Failure::usage(format!("there is no preset {name:?}")))?;
                found.text.to_string()
            }
            None => PRESETS.iter().map(|p| format!("{:<8} {}\n", p.name, p.about)).collect(),
        },
        None => String::new(),
    };
    output::print(text.as_bytes())?;
    Ok(Exit::Allow)
}
