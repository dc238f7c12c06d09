//! `shellward policy`: the policies that ship, whether a file is one, and what holds here.

use super::exit::{Exit, Failure};
use super::output;
use crate::policy::find::PROJECT_FILE;
use crate::policy::{self, Mode, PRESETS, Policy, preset};
use crate::rules;
use clap::{Arg, ArgMatches, Args, Command};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Which policy holds.
#[derive(Debug, Args)]
pub(super) struct PolicyArgs {
    /// The policy file to judge by [default: the user's, and the project's `.shellward.toml` where that is stricter]
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    policy: Option<PathBuf>,
    /// The policy that ships under this name (see `shellward policy presets`)
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
}

impl PolicyArgs {
    /// The policy, and the file that it came from as it was named.
    pub(super) fn load(&self, cwd: Option<&std::path::Path>) -> Result<(Policy, Option<String>), Failure> {
        match (&self.policy, &self.preset) {
            (Some(path), _) => {
                let wrong = |e: policy::PolicyError| Failure { exit: Exit::Config, message: e.to_string() };
                let policy = Policy::read(path).map_err(wrong)?;
                use_grammars(&policy);
                Ok((policy, Some(path.to_string_lossy().into_owned())))
            }
            (None, Some(name)) => Ok((Policy::of_preset(name).map_err(Failure::usage)?, None)),
            (None, None) => {
                let loaded = policy::load(cwd);
                loaded.problems.iter().for_each(|p| output::complain(p));
                use_grammars(&loaded.policy);
                let path = loaded.path().map(|p| p.to_string_lossy().into_owned());
                Ok((loaded.policy, path))
            }
        }
    }
}

/// Lets the further grammars of a policy hold; one that is wrong is left out with a word.
pub(super) fn use_grammars(policy: &Policy) {
    policy.use_grammars().iter().for_each(|p| output::complain(&format!("{p}; it is left out")));
}

pub(super) fn describe(command: Command) -> Command {
    let name = Arg::new("name").value_name("NAME").help("Print this one, as the file that it is");
    let file = Arg::new("file").value_name("FILE").value_parser(clap::value_parser!(PathBuf));
    let file = file.help("The file [default: those that hold in this directory, the user's and the project's]");
    command
        .about("List the policies that ship, check a policy file, list what rules may name")
        .subcommand_required(true)
        .subcommand(Command::new("presets").about("List the policies that ship, or print one").arg(name))
        .subcommand(
            Command::new("check")
                .about("Say whether a file is a policy, and which settings of a project's are ignored")
                .arg(file)
                .after_help("Exit: 0 all of it holds, 2 a part of it is ignored, 78 it is broken."),
        )
        .subcommand(Command::new("fields").about("List what the expression of a [[rule]] may name"))
}

/// What a policy says of rules that there are none of: a file for a newer version may, so it is read all the same.
fn unknown_rules(policy: &Policy) -> Vec<String> {
    let named = policy.rules.keys().map(|id| (format!("rules.{id}"), id.as_str()));
    let allowed = policy.allow.iter().flat_map(|a| a.rules().map(|id| (format!("allow: {id}"), id)));
    let said = |(entry, id): (String, &str)| {
        let line = policy.line_of(id).map(|n| format!("line {n}: ")).unwrap_or_default();
        format!("{line}{entry}: there is no such rule; `shellward rules` lists them")
    };
    named.chain(allowed).filter(|(_, id)| !policy.knows(id)).map(said).collect()
}

/// What a file names as the gate's mode where there is no such mode. The gate takes it for `manual`.
fn unknown_mode(path: &Path) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Words {
        gate: Gate,
    }
    #[derive(serde::Deserialize)]
    struct Gate {
        mode: toml::Spanned<String>,
    }
    let text = std::fs::read_to_string(path).ok()?;
    let Words { gate: Gate { mode } } = toml::from_str(&text).ok()?;
    let line = text.get(..mode.span().start)?.matches('\n').count().saturating_add(1);
    let word = mode.get_ref();
    Mode::named(word).is_none().then(|| {
        format!(
            "line {line}: gate.mode: there is no mode {word:?}, expected manual, smart or off; it is taken for manual"
        )
    })
}

/// What there is to say of one file.
fn check_file(path: &Path) -> Result<(String, Exit), Failure> {
    let wrong = |message: String| Failure { exit: Exit::Config, message };
    let policy = Policy::read(path).map_err(|e| wrong(e.to_string()))?;
    if let Some(what) = unknown_mode(path) {
        return Err(wrong(format!("{}, {what}", path.display())));
    }
    if let Some(what) = unknown_rules(&policy).first() {
        return Err(wrong(format!("{}, {what}", path.display())));
    }
    if let Some(what) = policy.hooks.time_problem() {
        return Err(wrong(format!("{}, {what}", path.display())));
    }
    let tried = policy.test_grammars();
    if !tried.problems.is_empty() {
        return Err(wrong(tried.problems.join("\n")));
    }
    let mut text = format!("{} holds: {}\n", path.display(), held(&policy, &tried));
    tried.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
    let idle = idle(&policy);
    idle.iter().for_each(|what| text.push_str(&format!("{what}\n")));
    let exit = if idle.is_empty() { Exit::Allow } else { Exit::Warn };
    if path.file_name().is_none_or(|n| n != PROJECT_FILE) {
        return Ok((text, exit));
    }
    // As the project's that it is.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let loaded = policy::load(path.parent());
    let ignored: Vec<&String> = loaded.problems.iter().filter(|p| p.starts_with(&*path.to_string_lossy())).collect();
    let said = ignored.iter().fold(text, |text, problem| format!("{text}{problem}\n"));
    Ok((said, if ignored.is_empty() { exit } else { Exit::Warn }))
}

/// What a policy has, in one line.
fn held(policy: &Policy, tried: &policy::Tried) -> String {
    let mut out: Vec<String> = policy.preset.iter().map(|name| format!("preset {name}")).collect();
    let mut count = |n: usize, one: &str, many: &str| {
        if n > 0 {
            out.push(format!("{n} {}", if n == 1 { one } else { many }));
        }
    };
    count(policy.ask.len().saturating_add(policy.custom.len()), "rule", "rules");
    count(policy.rules.len(), "severity", "severities");
    count(policy.allow.len(), "allow entry", "allow entries");
    count(policy.gate.deny.len(), "deny rule", "deny rules");
    count(policy.gate.allow.len(), "allow rule", "allow rules");
    count(policy.trust.len(), "trusted directory", "trusted directories");
    count(tried.names.len(), "grammar", "grammars");
    count(tried.examples, "example", "examples");
    if !tried.names.is_empty() {
        out.push(format!("grammars of {}", tried.names.join(" ")));
    }
    if out.is_empty() { "settings alone".to_string() } else { out.join(", ") }
}

/// Entries that never take effect.
fn idle(policy: &Policy) -> Vec<String> {
    let at = |id: &str| policy.line_of(id).map(|n| format!("line {n}: ")).unwrap_or_default();
    let floor = |id: &&str| rules::find(id).is_some_and(|r| r.floor);
    let milder = policy.rules.iter().filter(|(_, word)| !word.eq_ignore_ascii_case("critical"));
    let mut ids: Vec<&str> = milder.map(|(id, _)| id.as_str()).collect();
    ids.extend(policy.allow.iter().flat_map(|a| a.rules()));
    let mut out: Vec<String> = ids
        .into_iter()
        .filter(floor)
        .map(|id| format!("{}{id} is on the floor: nothing makes it milder, so this entry has no effect", at(id)))
        .collect();
    let gone = policy.trust.iter().filter(|dir| !dir.is_absolute() || !dir.is_dir());
    out.extend(gone.map(|dir| format!("trust: {} is no directory, so this entry has no effect", dir.display())));
    out.dedup();
    out
}

/// What there is to say of the policies that hold in this directory.
fn check_here() -> Result<(String, Exit), Failure> {
    let loaded = policy::load(std::env::current_dir().ok().as_deref());
    if !loaded.policy.gate.broken.is_empty() {
        return Err(Failure { exit: Exit::Config, message: loaded.problems.join("\n") });
    }
    let mut text = String::new();
    for (whose, path) in [("user", &loaded.user), ("project", &loaded.project)] {
        let path = path.as_ref().map_or("none".to_string(), |p| p.display().to_string());
        let _ = writeln!(text, "{whose}: {path}");
    }
    let tried = loaded.policy.test_grammars();
    let _ = writeln!(text, "in force: {}", held(&loaded.policy, &tried));
    let strange = unknown_rules(&loaded.policy).into_iter().chain(tried.problems).chain(idle(&loaded.policy));
    let strange = strange.chain(loaded.policy.hooks.time_problem());
    let problems: Vec<String> = loaded.problems.iter().cloned().chain(strange).collect();
    for line in problems.iter().chain(&tried.notes) {
        let _ = writeln!(text, "{line}");
    }
    Ok((text, if problems.is_empty() { Exit::Allow } else { Exit::Warn }))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let (text, exit) = match matches.subcommand() {
        Some(("check", m)) => match m.get_one::<PathBuf>("file") {
            Some(path) => check_file(path)?,
            None => check_here()?,
        },
        Some(("fields", _)) => (policy::fields_markdown(), Exit::Allow),
        Some((_, m)) => match m.get_one::<String>("name") {
            Some(name) => {
                let found = preset(name).ok_or_else(|| Failure::usage(format!("there is no preset {name:?}")))?;
                (found.text.to_string(), Exit::Allow)
            }
            None => (PRESETS.iter().map(|p| format!("{:<8} {}\n", p.name, p.about)).collect(), Exit::Allow),
        },
        None => (String::new(), Exit::Allow),
    };
    output::print(text.as_bytes())?;
    Ok(exit)
}
