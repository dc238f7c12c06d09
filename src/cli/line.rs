//! `shellward line`: one line of an interactive shell, on standard input, and whether it is run. Called by what `init`
//! prints.

use super::decide::{self, Desk, Person};
use super::exit::{Exit, Failure};
use super::{check, guard, output};
use crate::analyzer::{Options, analyze};
use crate::effect::Language;
use crate::effect::graph::DoubtKind;
use crate::gate::{Context, Request};
use crate::policy::Failing;
use crate::report::{human, visible};
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::path::Path;

/// The name that switches questions off for one line.
pub(super) fn bypass_argument() -> Arg {
    let name = |text: &str| -> Result<String, String> {
        let letters = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        match letters && text.bytes().next().is_some_and(|b| !b.is_ascii_digit()) {
            true => Ok(text.to_string()),
            false => Err("it has to be the name of a variable".to_string()),
        }
    };
    Arg::new("bypass").long("bypass").value_name("NAME").value_parser(name).help(
        "A line that begins with NAME=1 runs without questions, but for the floor and deny rules. Choose a name of your \
         own: a text that you paste must not know it",
    )
}

pub(super) fn describe(command: Command) -> Command {
    let flag = |id: &'static str, long: &'static str| Arg::new(id).long(long).action(ArgAction::SetTrue);
    command
        .about("Decide a line of an interactive shell, for what `init` prints")
        .arg(Arg::new("shell").long("shell").value_name("NAME").default_value("bash").value_parser(check::shells()))
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("NAME")
                .help("The shell that approvals for a session are for"),
        )
        .arg(flag("ask", "ask").help("Ask on the terminal; without it, exit code 2 says that there is a question"))
        .arg(
            flag("more", "more")
                .help("Exit code 3 says that the text would be asked about, but that it is not complete"),
        )
        .arg(flag("warn_only", "warn-only").help("Say what was found and let it run"))
        .arg(bypass_argument())
        .after_help("Exit: 0 run it, 1 do not, 2 a person has to be asked, 3 the text has no end yet.")
}

/// True where the line begins by setting that variable to 1.
fn bypassed(text: &[u8], name: &str, shell: Language) -> bool {
    let start = match shell {
        Language::PowerShell => format!("${name}=1;"),
        _ => format!("{name}=1 "),
    };
    text.trim_ascii_start().starts_with(start.as_bytes())
}

/// Most lines of a text without an end.
const LINES: usize = 64;

/// True where a shell that reads this goes on reading, without having run anything of it: no line of it ends a command.
fn goes_on(text: &[u8], shell: Language) -> bool {
    let text = text.trim_ascii_end();
    let options = Options { shell, ..Options::default() };
    let open = |text: &[u8]| {
        let analysis = analyze(text, &options);
        analysis.graph.doubts.iter().any(|d| d.kind == DoubtKind::Unfinished)
    };
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text).chain([text.len()]).collect();
    ends.len() <= LINES && ends.iter().all(|end| open(text.get(..*end).unwrap_or_default()))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let command = check::from_stdin()?;
    let shell = matches.get_one::<Language>("shell").copied().unwrap_or(Language::Bash);
    let here = std::env::current_dir().ok().map(|d| d.to_string_lossy().into_owned());
    let policy = decide::policy_for(here.as_deref().map(Path::new));
    let yolo = matches.get_one::<String>("bypass").is_some_and(|name| bypassed(&command, name, shell));
    let request = Request {
        shell,
        cwd: here,
        session: matches.get_one::<String>("session").cloned(),
        context: Context::Interactive,
        yolo,
        ..decide::request(command)
    };
    let warn_only = matches.get_flag("warn_only");
    if matches.get_flag("more") && matches!(guard::run(|| goes_on(&request.command, shell)), Ok(true)) {
        return Ok(Exit::More);
    }
    let asks = matches.get_flag("ask") && !warn_only;
    let person = if asks { Person::Terminal } else { Person::Caller };
    let desk = Desk { source: format!("shell {shell}"), policy: &policy, person, time: None, told: None };
    let decision = match decide::on_stack(&desk, &request) {
        Ok(decision) => decision,
        Err(why) if policy.hooks.fail == Failing::Open || warn_only => {
            output::complain(&format!("this line is run without being judged: internal error: {why}"));
            return Ok(Exit::Allow);
        }
        Err(why) => return Err(Failure { exit: Exit::Internal, message: format!("internal error: {why}") }),
    };
    let outcome = &decision.outcome;
    if outcome.approved {
        return Ok(Exit::Allow);
    }
    if outcome.status.is_some() && !asks && !warn_only {
        return Ok(Exit::Warn);
    }
    let mut text = String::new();
    // Whoever was asked has seen what was found.
    if outcome.outcome.is_none() {
        let style = human::Style { colour: output::colour(output::Colour::Auto), width: output::width() };
        text.push_str(&human::verdict(&decision.verdict, &request.command, style));
    }
    let word = if warn_only { "runs all the same" } else { "not run" };
    text.push_str(&format!("shellward: {word}: {}\n", visible::line(&outcome.message)));
    output::print(text.as_bytes())?;
    Ok(match (warn_only, outcome.status) {
        (true, _) => Exit::Allow,
        (false, Some(_)) => Exit::Warn,
        (false, None) => Exit::Block,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_goes_on_where_none_of_its_lines_ends_a_command() {
        for (text, want) in [
            ("if true; then\n", true),
            ("for i in a; do\nrm $i\n", true),
            ("echo 'a\nb", true),
            ("ls |", true),
            ("ls\n", false),
            ("rm x\nif true; then\n", false),
            ("if true; then\nrm x\nfi\nif true; then", false),
            ("", false),
        ] {
            assert_eq!(goes_on(text.as_bytes(), Language::Bash), want, "{text:?}");
        }
        assert!(!goes_on("if true; then\n".repeat(100).as_bytes(), Language::Bash));
    }

    #[test]
    fn only_the_first_word_switches_questions_off() {
        for (text, shell, want) in [
            ("trust=1 rm x", Language::Bash, true),
            ("  trust=1 rm x", Language::Zsh, true),
            ("$trust=1; rm x", Language::PowerShell, true),
            ("trust=10 rm x", Language::Bash, false),
            ("echo trust=1 rm x", Language::Bash, false),
            ("mistrust=1 rm x", Language::Bash, false),
        ] {
            assert_eq!(bypassed(text.as_bytes(), "trust", shell), want, "{text}");
        }
    }
}
