//! `shellward ast`: the syntax tree that a reader makes of a text, for looking at what was understood.

use super::exit::{Exit, Failure};
use super::{check, guard, output};
use crate::report;
use crate::syntax::shell;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;

/// Arguments of `ast`.
#[derive(Debug, Args)]
struct AstArgs {
    /// The tree of the second, independent reader
    #[arg(long)]
    witness: bool,
    /// The shell that would read it
    #[arg(long, value_name = "NAME", default_value = "bash", value_parser = check::shells())]
    shell: crate::effect::Language,
    /// The text, after `--`; several words are joined with spaces. Without it, standard input is read
    #[arg(value_name = "TEXT", trailing_var_arg = true)]
    text: Vec<OsString>,
}

pub(super) fn describe(command: Command) -> Command {
    AstArgs::augment_args(command).about("Print the syntax tree of a shell text")
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let args = AstArgs::from_arg_matches(matches).map_err(|e| Failure::usage(e.to_string()))?;
    let text = check::command_of(&args.text)?;
    if text.len() > crate::limits::MAX_INPUT {
        return Err(Failure::usage(format!("the text has more than {} bytes", crate::limits::MAX_INPUT)));
    }
    let fish = args.shell == crate::effect::Language::Fish;
    let dialect = if fish { Some(shell::Dialect::BASH) } else { super::shell::dialect(args.shell) };
    let Some(dialect) = dialect else {
        return Err(Failure::usage(format!("there is no tree for {}", args.shell)));
    };
    let tree = guard::run(|| {
        if args.witness {
            let program = shell::witness::read(&text).map_err(|refusal| format!("not read: {refusal:?}\n"));
            return program.map_or_else(|refusal| refusal, |p| report::tree::program(&p));
        }
        if fish {
            return report::tree::program(&crate::syntax::fish::read(&text));
        }
        report::tree::program(&shell::read(&text, dialect))
    });
    let tree = tree.map_err(|panic| Failure { exit: Exit::Internal, message: format!("internal error: {panic}") })?;
    output::print(tree.as_bytes())?;
    Ok(Exit::Allow)
}
