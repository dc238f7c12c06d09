//! `shellward completions SHELL`: a completion script, from the same description that parses the arguments.

use super::exit::{Exit, Failure};
use super::output;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

pub(super) fn describe(command: Command) -> Command {
    command
        .about("Print a completion script for a shell")
        .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    if let Some(shell) = matches.get_one::<Shell>("shell") {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut super::whole(), "shellward", &mut script);
        output::print(&script)?;
    }
    Ok(Exit::Allow)
}
