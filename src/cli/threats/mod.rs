//! `shellward threats`: make, sign, check, update and ask databases of threat data.

mod ask;
mod make;
mod update;

use super::exit::{Exit, Failure};
use crate::analyzer::Options;
use crate::intel::feed::FORMATS;
use crate::intel::store::Store;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// Options of an analysis with the threat data of this user: nothing is opened yet.
pub(super) fn options() -> Options {
    Options { threats: Store::of_user(crate::policy::config_dir()).map(Arc::new), ..Options::default() }
}

pub(super) fn describe(command: Command) -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).value_name("FILE").required(true).value_parser(value_parser!(PathBuf)).help(help)
    };
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let json = || Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print one JSON object");
    let keys = || {
        option("keys", "FILE", "The public keys that are trusted, in minisign's format [default: those of this user]")
            .value_parser(value_parser!(PathBuf))
    };
    let mut formats = String::from("Formats of feeds:\n");
    for f in FORMATS {
        // Writing to a string cannot fail.
        let _ = writeln!(formats, "  {:<10} {}", f.name, f.about);
    }
    command
        .about("Make, sign, check, update and ask databases of threat data")
        .subcommand_required(true)
        .subcommand(
            Command::new("build")
                .about("Make a database from feeds")
                .after_help(formats)
                .arg(file("out", "The database").long("out").short('o'))
                .arg(option("name", "NAME", "What it calls itself").default_value("threats"))
                .arg(
                    option("version", "NUMBER", "Greater than that of every one before [default: seconds since 1970]")
                        .value_parser(value_parser!(u64)),
                )
                .arg(
                    option("expires", "DAYS", "When its time is over; 0 for never")
                        .default_value("30")
                        .value_parser(value_parser!(u32)),
                )
                .arg(
                    Arg::new("feed")
                        .value_name("FORMAT[=NAME]:PATH")
                        .required(true)
                        .num_args(1..)
                        .help("A feed: its format, what findings call it, and its file or folder"),
                ),
        )
        .subcommand(
            Command::new("keys")
                .about("Make a pair of keys without a password, as minisign -G -W does: OUT.pub and OUT.key")
                .arg(Arg::new("out").value_name("OUT").required(true).value_parser(value_parser!(PathBuf))),
        )
        .subcommand(
            Command::new("header")
                .about("Print the bytes that are signed, for minisign -S elsewhere")
                .arg(file("file", "The database")),
        )
        .subcommand(
            Command::new("sign")
                .about("Sign a database; the password of the key is read from SHELLWARD_KEY_PASSWORD")
                .arg(
                    option("key", "FILE", "The secret key, in minisign's format")
                        .value_parser(value_parser!(PathBuf))
                        .required_unless_present("signature"),
                )
                .arg(
                    option("signature", "FILE", "Put in this signature, made elsewhere over the header")
                        .value_parser(value_parser!(PathBuf))
                        .conflicts_with("key"),
                )
                .arg(file("file", "The database")),
        )
        .subcommand(
            Command::new("verify")
                .about("Check a database: signature, length, every byte")
                .arg(keys())
                .arg(file("file", "The database")),
        )
        .subcommand(
            Command::new("update")
                .about("Take a newer database into use; whatever goes wrong, the one in use stays")
                .arg(Arg::new("from").value_name("FILE|URL").required(true).help("A file, or an https address")),
        )
        .subcommand(Command::new("status").about("Say which databases are in use, and how fresh they are").arg(json()))
        .subcommand(
            Command::new("explain")
                .about("Say what the databases in use know of a URL, host, address, network, hash or ECOSYSTEM:NAME[@VERSION]")
                .arg(json())
                .arg(Arg::new("indicator").value_name("INDICATOR").required(true)),
        )
        .subcommand(
            Command::new("diff")
                .about("Say how many records one database has that the other has not")
                .arg(json())
                .arg(keys())
                .arg(file("old", "The older one"))
                .arg(file("new", "The newer one")),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("build", m)) => make::build(m),
        Some(("keys", m)) => make::keys(m),
        Some(("header", m)) => make::header(m),
        Some(("sign", m)) => make::sign(m),
        Some(("verify", m)) => ask::verify(m),
        Some(("update", m)) => update::update(m),
        Some(("status", m)) => ask::status(m),
        Some(("explain", m)) => ask::explain(m),
        Some(("diff", m)) => ask::diff(m),
        _ => Err(Failure::usage("no sub-command was given")),
    }
}

/// The store of this user.
fn store() -> Result<Store, Failure> {
    Store::of_user(crate::policy::config_dir())
        .ok_or_else(|| Failure::usage("there is no place for threat data: set HOME or SHELLWARD_THREATS"))
}

/// The value of an option with a path.
fn path<'a>(m: &'a ArgMatches, name: &str) -> Result<&'a PathBuf, Failure> {
    m.get_one::<PathBuf>(name).ok_or_else(|| Failure::usage(format!("{name} is missing")))
}

/// Settings or data are not as they should be.
fn wrong(message: impl ToString) -> Failure {
    Failure { exit: Exit::Config, message: message.to_string() }
}
