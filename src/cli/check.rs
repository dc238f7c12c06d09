//! `shellward check`: one command from the arguments or standard input, or many as JSON lines (`batch`).

use super::exit::{Exit, Failure};
use super::policy::PolicyArgs;
use super::{batch, guard, output, shell};
use crate::analyzer::{Analysis, Options, analyze};
use crate::effect::Language;
use crate::finding::Severity;
use crate::limits::MAX_INPUT;
use crate::policy::Policy;
use crate::report;
use crate::verdict::{Action, Verdict};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

/// Arguments of `check`.
#[derive(Debug, Args)]
struct CheckArgs {
    /// Print the verdict as one JSON object (see `shellward schema`)
    #[arg(long)]
    json: bool,
    /// Take it that nobody is watching: no terminal is looked for
    #[arg(long)]
    non_interactive: bool,
    /// The shell that would read the command
    #[arg(long, value_name = "NAME", default_value = "bash", value_parser = shells())]
    shell: Language,
    /// The directory the command would run in [default: the current one; with --batch: not known]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// The lowest severity that gives an exit code other than 0 [default: what the verdict says]
    #[arg(long, value_name = "LEVEL", ignore_case = true, value_parser = levels())]
    fail_on: Option<Severity>,
    /// Put every effect of the command into the verdict
    #[arg(long)]
    effects: bool,
    /// Show the tree of programs and commands, with their values and effects
    #[arg(long)]
    explain: bool,
    /// Read JSON lines {"id","command","shell"?,"cwd"?} from standard input, print one verdict a line
    #[arg(long, conflicts_with_all = ["explain", "fail_on", "command"])]
    batch: bool,
    /// When to colour
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    color: output::Colour,
    /// The command, after `--`; several words are joined with spaces, as "$*" does. Without it, standard input is read
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    command: Vec<OsString>,
}

pub(super) fn shells() -> impl TypedValueParser<Value = Language> {
    // The parser has let only names of the list through.
    PossibleValuesParser::new(shell::SHELLS.iter().map(|(name, _)| *name))
        .map(|name| shell::from_name(&name).unwrap_or(Language::Bash))
}

pub(super) fn levels() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["info", "low", "medium", "high", "critical"]).map(|name| {
        match name.to_ascii_lowercase().as_str() {
            "critical" => Severity::Critical,
            "high" => Severity::High,
            "medium" => Severity::Medium,
            "low" => Severity::Low,
            _ => Severity::Info,
        }
    })
}

pub(super) fn describe(command: Command) -> Command {
    // After the arguments: those bring the comment of their struct along as the text about it.
    CheckArgs::augment_args(command)
        .about("Say what a command would do, and whether to let it run")
        .after_help(super::exit::TABLE)
}

/// The same for a text on standard input that is about to be pasted: no words of a command, no batch.
pub(super) fn describe_paste(command: Command) -> Command {
    CheckArgs::augment_args(command)
        .mut_arg("command", |a| a.hide(true))
        .mut_arg("batch", |a| a.hide(true))
        .mut_arg("cwd", |a| a.help("The directory the command would run in [default: the current one]"))
        .about("Say what a text from the clipboard would do where it is pasted; it is read from standard input")
        .after_help(super::exit::TABLE)
}

/// What holds for every command of one run.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// What the analyzer is told.
    pub options: Options,
    /// A person at a terminal can be asked.
    pub interactive: bool,
    /// The policy file, as it was named.
    pub policy_path: Option<String>,
    /// What it says.
    pub policy: Policy,
}

impl Settings {
    /// The verdict on one command with what the command line knows put in, and whatever else `look` takes from the
    /// analysis.
    pub(super) fn judge<T>(&self, command: &[u8], look: impl FnOnce(&Analysis) -> T) -> T {
        self.judge_with(&self.options, command, look)
    }

    /// The same where the analyzer is told something else.
    pub(super) fn judge_with<T>(&self, options: &Options, command: &[u8], look: impl FnOnce(&Analysis) -> T) -> T {
        let mut analysis = analyze(command, options);
        self.policy.apply(&mut analysis, options);
        self.stamp(&mut analysis.verdict);
        let secrets = std::sync::Arc::clone(&analysis.verdict.secrets);
        crate::redact::with(&secrets, || look(&analysis))
    }

    /// Puts in what only the command line knows.
    pub(super) fn stamp(&self, verdict: &mut Verdict) {
        verdict.interactive_detected = self.interactive;
        verdict.policy_path_used.clone_from(&self.policy_path);
    }

    /// The verdict where there is no analysis.
    pub(super) fn incomplete(&self, why: &str, length: usize) -> Verdict {
        let mut verdict = Verdict::incomplete(why, length);
        self.stamp(&mut verdict);
        verdict
    }
}

/// Runs `paste`.
pub(super) fn run_paste(matches: &ArgMatches) -> Result<Exit, Failure> {
    if matches.contains_id("command") || matches.get_flag("batch") {
        return Err(Failure::usage("paste reads one text, from standard input"));
    }
    answer(matches, true)
}

/// Runs `check`.
pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    answer(matches, false)
}

fn answer(matches: &ArgMatches, pasted: bool) -> Result<Exit, Failure> {
    let args = CheckArgs::from_arg_matches(matches).map_err(|e| Failure::usage(e.to_string()))?;
    let settings = settings(&args)?;
    if args.batch {
        return batch::run(&settings);
    }
    let mut command = command_of(&args.command)?;
    if command.len() > MAX_INPUT {
        let verdict = settings.incomplete(&too_large(), command.len());
        let bytes = shown(&args, &verdict, &[], None);
        output::print(&bytes)?;
        return Ok(exit(&args, &verdict));
    }
    if let (true, Some(typed)) = (pasted, at_the_terminal(&command)) {
        // A lone carriage return deceives the reader, too: the text as it is seen is judged, where that is worse.
        let action = |text: &[u8]| guard::run(|| settings.judge(text, |a| a.verdict.action)).unwrap_or(Action::Block);
        if !typed.lone || action(&typed.text) >= action(&command) {
            command = typed.text;
        }
    }
    let work = || {
        settings.judge(&command, |analysis| {
            let verdict = &analysis.verdict;
            (shown(&args, verdict, &command, Some(analysis)), exit(&args, verdict))
        })
    };
    let answer = if guard::may_go_deep(&command) { guard::run(work) } else { guard::catch(work) };
    let (bytes, exit) = answer.unwrap_or_else(|panic| {
        let verdict = settings.incomplete(&internal(&panic), command.len());
        // The command is left out: showing it may be what failed.
        (shown(&args, &verdict, &[], None), exit(&args, &verdict))
    });
    output::print(&bytes)?;
    Ok(exit)
}

/// The clause of an incomplete verdict for a command over the limit.
pub(super) fn too_large() -> String {
    format!("it is too large, over {MAX_INPUT} bytes")
}

/// The clause of an incomplete verdict for an analysis that broke.
pub(super) fn internal(panic: &str) -> String {
    format!("the analysis failed with an internal error ({panic})")
}

/// A text as a shell gets it that is pasted into a terminal.
struct Typed {
    text: Vec<u8>,
    /// It had a carriage return that no line feed follows.
    lone: bool,
}

/// What a terminal sends for a text with carriage returns: Enter for each, and one for a pair with a line feed (xterm, VTE;
/// Readline's bracketed paste takes it so, too). In a command that a program hands over they are part of the words.
fn at_the_terminal(text: &[u8]) -> Option<Typed> {
    text.contains(&b'\r').then(|| {
        let mut typed = Typed { text: Vec::with_capacity(text.len()), lone: false };
        let mut rest = text;
        while let Some((b, after)) = rest.split_first() {
            rest = if *b == b'\r' { after.strip_prefix(b"\n").unwrap_or(after) } else { after };
            typed.lone |= *b == b'\r' && after.first() != Some(&b'\n');
            typed.text.push(if *b == b'\r' { b'\n' } else { *b });
        }
        typed
    })
}

fn settings(args: &CheckArgs) -> Result<Settings, Failure> {
    let here = || std::env::current_dir().ok();
    let cwd = match &args.cwd {
        Some(dir) if dir.is_absolute() => Some(dir.clone()),
        Some(dir) => here().map(|h| h.join(dir)),
        None if args.batch => None,
        None => here(),
    };
    let (policy, policy_path) = args.policy.load(cwd.as_deref())?;
    let options = Options {
        shell: args.shell,
        cwd: cwd.map(|d| d.to_string_lossy().into_owned()),
        home: std::env::var("HOME").ok().filter(|h| h.starts_with('/')),
        effects: args.effects || (args.explain && args.json),
        stances: policy.assess,
        ..super::threats::options()
    };
    // Someone can be asked where a terminal is at hand; with a piped command standard input is none.
    let interactive = !args.non_interactive && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    Ok(Settings { options, interactive, policy_path, policy })
}

/// The command from the arguments, or from standard input where there are none.
pub(super) fn command_of(words: &[OsString]) -> Result<Vec<u8>, Failure> {
    if words.is_empty() { from_stdin() } else { Ok(joined(words)) }
}

/// The words as one command, joined as `"$*"` joins them. The bytes are those of the arguments, whatever they are.
pub(super) fn joined(words: &[OsString]) -> Vec<u8> {
    let words: Vec<&[u8]> = words.iter().map(|w| w.as_encoded_bytes()).collect();
    words.join(&b' ')
}

/// Standard input up to one byte over the limit. What follows is left unread: it may have no end.
pub(super) fn from_stdin() -> Result<Vec<u8>, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        output::complain("reading the command from the terminal; end it with Ctrl-D on a line of its own");
    }
    let mut command = Vec::new();
    let most = u64::try_from(MAX_INPUT).unwrap_or(u64::MAX).saturating_add(1);
    match stdin.lock().take(most).read_to_end(&mut command) {
        Ok(_) => Ok(command),
        Err(e) => Err(Failure::io("cannot read the command from standard input", &e)),
    }
}

/// The answer as it was asked for.
fn shown(args: &CheckArgs, verdict: &Verdict, command: &[u8], analysis: Option<&Analysis>) -> Vec<u8> {
    if args.json {
        let mut bytes = report::json::verdict(verdict);
        bytes.push(b'\n');
        return bytes;
    }
    let style = report::human::Style { colour: output::colour(args.color), width: output::width() };
    let mut text = report::human::verdict(verdict, command, style);
    if args.explain
        && let Some(analysis) = analysis
    {
        text.push('\n');
        text.push_str(&report::explain::tree(&analysis.source, &analysis.graph));
    }
    text.into_bytes()
}

/// The exit code: the verdict's own, or with `--fail-on` one that counts only findings of that severity and above.
fn exit(args: &CheckArgs, verdict: &Verdict) -> Exit {
    let Some(level) = args.fail_on else { return verdict.action.into() };
    match verdict.findings.iter().map(|f| f.severity).max() {
        Some(worst) if worst >= level => Exit::from(verdict.action.max(Action::Warn)),
        _ => Exit::Allow,
    }
}
