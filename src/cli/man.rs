//! `shellward man`: the manual pages, from the same description that parses the arguments.

use super::exit::{Exit, Failure};
use super::output;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};

pub(super) fn describe(command: Command) -> Command {
    command.about("Print a manual page (roff): of the whole, or of one sub-command").arg(
        Arg::new("page")
            .value_name("SUBCOMMAND")
            .value_parser(PossibleValuesParser::new(super::SUBS.iter().map(|s| s.name))),
    )
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let mut whole = super::whole();
    // Fills in the usage lines of the sub-commands.
    whole.build();
    let command = match matches.get_one::<String>("page").and_then(|name| whole.find_subcommand(name)) {
        Some(sub) => sub.clone().display_name(format!("shellward-{}", sub.get_name())),
        None => whole,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(|e| Failure::io("cannot make the page", &e))?;
    output::print(&page)?;
    Ok(Exit::Allow)
}
