//! The command line: arguments in, one verdict or page out. Floor 8: it translates and never judges.
//!
//! One file for each sub-command, each with its arguments and a `run`. [`main`] is all that the binary calls. What does
//! not belong to one sub-command stands in [`exit`] (the one table of exit codes), [`output`] (the one writer) and
//! [`guard`] (no panic gets out, nothing runs out of stack).
//!
//! Start-up is paid for every command that is checked, so only the sub-command that was asked for is built: describing
//! all of them to clap costs more than the analysis of a short command.

mod approvals;
mod ast;
mod audit;
mod batch;
mod check;
mod completions;
mod decide;
mod doctor;
pub mod exit;
mod gate;
pub mod guard;
mod hook;
mod hook_health;
mod hook_settings;
mod init;
mod line;
mod log;
mod man;
pub mod output;
mod policy;
mod progress;
mod prompt;
mod rules;
mod scan;
mod schema;
pub mod shell;
mod shell_hooks;
mod status;
mod threats;
mod view;

use clap::{ArgMatches, Command};
use exit::{Exit, Failure};
use std::ffi::OsString;

/// One sub-command.
struct Sub {
    /// Its name.
    name: &'static str,
    /// Adds its arguments and its help.
    describe: fn(Command) -> Command,
    /// Does it.
    run: fn(&ArgMatches) -> Result<Exit, Failure>,
}

/// The one list of sub-commands: dispatch, help, completions and the manual come from it.
const SUBS: &[Sub] = &[
    Sub { name: "check", describe: check::describe, run: check::run },
    Sub { name: "gate", describe: gate::describe, run: gate::run },
    Sub { name: "hook", describe: hook::describe, run: hook::run },
    Sub { name: "init", describe: init::describe, run: init::run },
    Sub { name: "line", describe: line::describe, run: line::run },
    Sub { name: "approvals", describe: approvals::describe, run: approvals::run },
    Sub { name: "log", describe: log::describe, run: log::run },
    Sub { name: "why", describe: log::describe_why, run: log::run_why },
    Sub { name: "status", describe: status::describe, run: status::run },
    Sub { name: "doctor", describe: doctor::describe, run: doctor::run },
    Sub { name: "canary", describe: doctor::describe_canary, run: doctor::run_canary },
    Sub { name: "paste", describe: check::describe_paste, run: check::run_paste },
    Sub { name: "view", describe: view::describe, run: view::run },
    Sub { name: "audit", describe: audit::describe, run: audit::run },
    Sub { name: "policy", describe: policy::describe, run: policy::run },
    Sub { name: "threats", describe: threats::describe, run: threats::run },
    Sub { name: "scan", describe: scan::describe, run: scan::run },
    Sub { name: "ast", describe: ast::describe, run: ast::run },
    Sub { name: "rules", describe: rules::describe, run: rules::run },
    Sub { name: "schema", describe: schema::describe, run: schema::run },
    Sub { name: "completions", describe: completions::describe, run: completions::run },
    Sub { name: "man", describe: man::describe, run: man::run },
];

impl Sub {
    fn command(&self) -> Command {
        (self.describe)(Command::new(self.name))
    }
}

/// Everything, for help, completions and the manual.
pub(crate) fn whole() -> Command {
    Command::new("shellward")
        .version(env!("CARGO_PKG_VERSION"))
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .after_help(exit::TABLE)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(SUBS.iter().map(Sub::command))
}

/// Runs the command line with these arguments (the program's own name first) and returns the exit code. It never
/// panics: what goes wrong inside ends in an answer or in a message.
pub fn main(args: impl IntoIterator<Item = OsString>) -> std::process::ExitCode {
    guard::quiet_panics();
    let args: Vec<OsString> = args.into_iter().collect();
    let outcome = guard::catch(|| dispatch(&args))
        .unwrap_or_else(|panic| Err(Failure { exit: Exit::Internal, message: format!("internal error: {panic}") }));
    let exit = outcome.unwrap_or_else(|failure| {
        output::complain(&failure.message);
        failure.exit
    });
    exit.into()
}

fn dispatch(args: &[OsString]) -> Result<Exit, Failure> {
    let named = args.get(1).and_then(|a| a.to_str()).and_then(|a| SUBS.iter().find(|s| s.name == a));
    let parsed = match named {
        Some(sub) => {
            let command = sub.command().bin_name(format!("shellward {}", sub.name));
            command.try_get_matches_from(args.iter().skip(1)).map(|m| (sub, m))
        }
        None => whole().try_get_matches_from(args).and_then(|mut m| {
            let found = m.remove_subcommand();
            let found = found.and_then(|(name, m)| SUBS.iter().find(|s| s.name == name).map(|s| (s, m)));
            found.ok_or_else(|| whole().error(clap::error::ErrorKind::MissingSubcommand, "no sub-command was given"))
        }),
    };
    match parsed {
        Ok((sub, matches)) => (sub.run)(&matches),
        Err(e) => refuse(&e),
    }
}

/// What clap has to say instead of parsed arguments: help and version are an answer, the rest is a usage error.
fn refuse(e: &clap::Error) -> Result<Exit, Failure> {
    let text = e.render();
    if e.use_stderr() {
        output::note(&text.to_string());
        return Ok(Exit::Usage);
    }
    let text = if output::colour(output::Colour::Auto) { text.ansi().to_string() } else { text.to_string() };
    output::print(text.as_bytes())?;
    Ok(Exit::Allow)
}
