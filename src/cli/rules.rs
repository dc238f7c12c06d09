//! `shellward rules [ID]`: what is looked for, as a table, as pages or as data.

use super::exit::{Exit, Failure};
use super::output;
use crate::rules;
use clap::{Arg, ArgAction, ArgMatches, Command};

pub(super) fn describe(command: Command) -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    command
        .about("Print what is looked for: all rules, or one with its description and examples")
        .arg(Arg::new("id").value_name("ID").help("The id of a rule, or of a finding"))
        .arg(flag("json", "As JSON: a list, or with ID one object"))
        .arg(flag("markdown", "As Markdown pages").conflicts_with("json"))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let one = match matches.get_one::<String>("id") {
        Some(id) => Some(rules::find(id).ok_or_else(|| unknown(id))?),
        None => None,
    };
    let text = if matches.get_flag("json") {
        let value = match one {
            Some(rule) => rules::json(rule),
            None => rules::all().map(rules::json).collect(),
        };
        format!("{value:#}\n")
    } else if let Some(rule) = one {
        rules::markdown(rule)
    } else if matches.get_flag("markdown") {
        rules::all().map(rules::markdown).collect::<Vec<_>>().join("\n")
    } else {
        table()
    };
    output::print(text.as_bytes())?;
    Ok(Exit::Allow)
}

/// One line a rule: severity, id, what it finds.
fn table() -> String {
    let width = rules::all().map(|r| r.id.len()).max().unwrap_or_default();
    rules::all()
        .map(|r| {
            let severity = format!("{:?}", r.severity).to_uppercase();
            format!("{severity:<8}  {:<width$}  {}\n", r.id, r.title)
        })
        .collect()
}

fn unknown(id: &str) -> Failure {
    Failure::usage(format!("there is no rule {id:?}; `shellward rules` lists them"))
}
