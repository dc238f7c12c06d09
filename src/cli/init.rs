//! `shellward init SHELL`: the hook for an interactive shell, as a script of that shell.
//!
//! The scripts bind the Enter key: they hand the line to `shellward line` ([`super::line`]) and run it, keep it or ask as
//! that says. A binary that is missing or dies leaves its user a way out: the same line once more runs.

use super::exit::{Exit, Failure};
use super::{line, output};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// The name of a shell, its script, how a word is quoted in it.
pub(super) type Script = (&'static str, &'static str, fn(&str) -> String);

pub(super) const SCRIPTS: &[Script] = &[
    ("bash", include_str!("init/hook.bash"), quoted_posix),
    ("zsh", include_str!("init/hook.zsh"), quoted_posix),
    ("fish", include_str!("init/hook.fish"), quoted_fish),
    ("powershell", include_str!("init/hook.ps1"), quoted_powershell),
];

fn quoted_posix(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn quoted_fish(word: &str) -> String {
    format!("'{}'", word.replace('\\', r"\\").replace('\'', r"\'"))
}

fn quoted_powershell(word: &str) -> String {
    format!("'{}'", word.replace('\'', "''"))
}

pub(super) fn describe(command: Command) -> Command {
    command
        .about("Print the hook for an interactive shell, to be evaluated where it starts")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(PossibleValuesParser::new(SCRIPTS.iter().map(|(name, ..)| *name))),
        )
        .arg(
            Arg::new("warn_only")
                .long("warn-only")
                .action(ArgAction::SetTrue)
                .help("Say what was found and run the line all the same"),
        )
        .arg(line::bypass_argument())
        .after_help(
            "bash and zsh: eval \"$(shellward init bash)\"; fish: shellward init fish | source; \
             powershell: shellward init powershell | Out-String | Invoke-Expression",
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let name = matches.get_one::<String>("shell").map(String::as_str).unwrap_or_default();
    let found = SCRIPTS.iter().find(|(shell, ..)| *shell == name);
    let (_, script, quoted) = found.ok_or_else(|| Failure::usage(format!("there is no hook for {name:?}")))?;
    let binary = std::env::current_exe().map_err(|e| Failure::io("cannot find this binary", &e))?;
    let mut options: Vec<String> = Vec::new();
    if matches.get_flag("warn_only") {
        options.push("--warn-only".to_string());
    }
    if let Some(name) = matches.get_one::<String>("bypass") {
        options.push(format!("--bypass={name}"));
    }
    let text = script.replace("%BIN%", &quoted(&binary.to_string_lossy())).replace("%OPTIONS%", &options.join(" "));
    output::print(text.as_bytes())?;
    Ok(Exit::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There is no PowerShell on every machine that runs this: the script is read at least, and whole.
    #[test]
    fn the_hook_for_powershell_can_be_read() {
        use crate::effect::Language;
        use crate::effect::graph::DoubtKind;
        let (_, script, _) = SCRIPTS.iter().find(|(name, ..)| *name == "powershell").unwrap();
        let text = script.replace("%BIN%", "'C:\\x\\shellward.exe'").replace("%OPTIONS%", "");
        let options = crate::analyzer::Options { shell: Language::PowerShell, ..Default::default() };
        let read = |text: &str| {
            let graph = crate::analyzer::analyze(text.as_bytes(), &options).graph;
            let torn = |d: &crate::effect::graph::Doubt| {
                matches!(d.kind, DoubtKind::Unparsed | DoubtKind::Unfinished) || d.detail.contains("syntax")
            };
            let words: Vec<Vec<String>> =
                graph.processes.iter().map(|p| p.argv.iter().map(crate::value::Value::show).collect()).collect();
            (graph.doubts.iter().any(torn), words)
        };
        let (torn, commands) = read(&text);
        assert!(!torn, "a part cannot be read");
        let keys = commands.iter().filter(|w| w.first().is_some_and(|n| n == "Set-PSReadLineKeyHandler"));
        let key = keys.max_by_key(|w| w.concat().len()).unwrap();
        assert!(key.windows(2).any(|w| w[0] == "-Chord" && w[1] == "Enter"), "{key:?}");
        // The block is one argument, to its last brace; what stands in it can be read, too.
        let block = key.last().unwrap().trim();
        assert!(block.starts_with('{') && block.ends_with('}') && block.contains("InvokePrompt"), "{block}");
        let (torn, _) = read(block.trim_matches(['{', '}']));
        assert!(!torn, "a part of the block cannot be read");
        assert!(read("if ($x {").0, "a torn text is seen");
    }

    #[test]
    fn a_path_stays_one_word() {
        assert_eq!(quoted_posix("/a b/it's"), r"'/a b/it'\''s'");
        assert_eq!(quoted_fish(r"C:\it's"), r"'C:\\it\'s'");
        assert_eq!(quoted_powershell("C:\\it's"), "'C:\\it''s'");
    }
}
