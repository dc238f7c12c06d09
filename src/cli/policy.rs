//! `shellward policy`: the policies that ship, and whether a file is one.

use super::exit::{Exit, Failure};
use super::output;
use crate::policy::{PRESETS, Policy, preset};
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
