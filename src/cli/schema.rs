//! `shellward schema`: the JSON Schema of a verdict.

use super::exit::{Exit, Failure};
use super::output;
use clap::{ArgMatches, Command};

pub(super) fn describe(command: Command) -> Command {
    command.about("Print the JSON Schema (2020-12) of the object that `check --json` prints")
}

pub(super) fn run(_: &ArgMatches) -> Result<Exit, Failure> {
    output::print(crate::report::json::SCHEMA.as_bytes())?;
    Ok(Exit::Allow)
}
