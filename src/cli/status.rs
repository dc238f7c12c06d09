//! `shellward status`: whether commands are looked at, hook by hook, and why not where they are not. Changes nothing.

use super::exit::{Exit, Failure};
use super::hook_settings::{self, CANARY};
use super::{hook, output};
use crate::audit::time;
use crate::hooks::{self, Agent};
use crate::policy::{self, Failing, Mode};
use crate::report::visible;
use crate::state::log::Entry;
use crate::state::{State, StateError};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(super) fn describe(command: Command) -> Command {
    command
        .about("Say whether commands are looked at: scanning, degraded or off, and why")
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Answer as one JSON object"))
        .after_help("Exit: 0 scanning, 2 degraded, 1 off.")
}

/// How well something works, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    /// Every command is looked at.
    Scanning,
    /// It is, but something is missing.
    Degraded,
    /// It is not.
    Off,
}

impl Word {
    pub(super) fn name(self) -> &'static str {
        match self {
            Word::Scanning => "scanning",
            Word::Degraded => "degraded",
            Word::Off => "off",
        }
    }
    pub(super) fn exit(self) -> Exit {
        match self {
            Word::Scanning => Exit::Allow,
            Word::Degraded => Exit::Warn,
            Word::Off => Exit::Block,
        }
    }
}

/// A hook that is installed, or was used before.
#[derive(Clone, Debug, Serialize)]
pub(super) struct HookState {
    /// The agent.
    pub agent: &'static str,
    /// How well it works.
    pub state: Word,
    /// Why not better.
    pub why: Vec<String>,
    /// The settings file.
    pub settings: Option<PathBuf>,
    /// What the settings run.
    pub command: Option<String>,
    /// Its last decision.
    pub last: Option<Last>,
}

/// A decision in short.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Last {
    id: String,
    at: String,
    decision: String,
    layer: String,
    command: String,
}

/// The whole answer.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Status {
    /// The worst of all that is installed.
    pub state: Word,
    /// Why not better, beside what each hook says.
    pub why: Vec<String>,
    /// The hooks.
    pub hooks: Vec<HookState>,
    /// The policy files that hold.
    pub policy: Vec<PathBuf>,
    /// `closed` or `open`: what happens where there is no verdict.
    pub fail: &'static str,
    /// Where state is.
    pub state_dir: Option<PathBuf>,
    /// Requests that wait for an answer.
    pub waiting: usize,
    /// Approvals that hold.
    pub approvals: usize,
    /// How old the threat data is, in seconds; none is installed where absent.
    pub threat_data_age_s: Option<u64>,
}

/// Looks at everything.
pub(super) fn look() -> Status {
    let cwd = std::env::current_dir().ok();
    let loaded = policy::load(cwd.as_deref());
    let mut why = loaded.problems.clone();
    if loaded.policy.gate.mode == Mode::Off {
        why.push("gate.mode is off: all that is not on the floor or denied by a rule is let through".to_string());
    }
    let open = loaded.policy.hooks.fail == Failing::Open;
    if open {
        why.push("hooks.fail is open: a command that cannot be judged runs".to_string());
    }
    let threats = super::threats::options().threats;
    let opened = threats.as_ref().map(|t| t.opened());
    why.extend(opened.into_iter().flat_map(|o| o.problems.iter().cloned()));
    // The youngest counts: a small database of the user's own may be old and right.
    let made = opened.and_then(|o| o.serving.iter().map(|s| s.database.header().made).max());
    let state = State::new(&loaded.policy.state);
    let mut last: BTreeMap<String, Entry> = BTreeMap::new();
    let (mut waiting, mut approvals) = (0usize, 0usize);
    match &state {
        Ok(state) => {
            if let Err(e) = look_at(state, &mut last, &mut waiting, &mut approvals, &mut why) {
                why.push(format!("state cannot be used: {e}"));
            }
        }
        Err(e) => why.push(e.to_string()),
    }
    let hooks: Vec<HookState> =
        hooks::AGENTS.iter().filter_map(|a| hook_state(a, last.get(&hook::source(a)))).collect();
    let mut word = hooks.iter().map(|h| h.state).max().unwrap_or(Word::Off);
    if hooks.is_empty() {
        why.push("no hook is installed: `shellward hook install AGENT`".to_string());
    }
    if !why.is_empty() {
        word = word.max(Word::Degraded);
    }
    Status {
        state: word,
        why,
        hooks,
        policy: loaded.user.into_iter().chain(loaded.project).collect(),
        fail: if open { "open" } else { "closed" },
        state_dir: state.ok().map(|s| s.dir().to_path_buf()),
        waiting,
        approvals,
        threat_data_age_s: made.and_then(|m| u64::try_from(time::now().saturating_sub(m)).ok()),
    }
}

fn look_at(
    state: &State,
    last: &mut BTreeMap<String, Entry>,
    waiting: &mut usize,
    approvals: &mut usize,
    why: &mut Vec<String>,
) -> Result<(), StateError> {
    state.writable()?;
    let (model, damaged) = state.look()?;
    let now = time::now();
    if damaged {
        why.push("the approvals are damaged: none holds until the next answer begins anew".to_string());
    }
    *waiting = model.requests.values().filter(|p| p.waits(now)).count();
    *approvals = model.grants.values().filter(|g| g.holds(now)).count();
    state.read_log(|e| {
        if e.command != CANARY {
            last.insert(e.source.clone(), e);
        }
        true
    })?;
    Ok(())
}

fn hook_state(agent: &'static Agent, last: Option<&Entry>) -> Option<HookState> {
    let mut why = Vec::new();
    let mut word = Word::Scanning;
    let mut worse = |to: Word, what: String, why: &mut Vec<String>| {
        word = word.max(to);
        why.push(what);
    };
    let settings = agent.settings.as_ref();
    let path = settings.and_then(|s| hook_settings::file_of(s, None).ok());
    let found = match (settings, &path) {
        (Some(s), Some(path)) => hook_settings::installed(agent, s, path),
        _ => Ok(None),
    };
    let command = match found {
        Ok(Some(command)) => {
            if let Some(problem) = binary_problem(agent, &command) {
                worse(Word::Off, problem, &mut why);
            }
            Some(command)
        }
        // Never used and not installed: none of the user's agents.
        Ok(None) if last.is_none() => return None,
        // One that is set up by hand is known by its questions alone.
        Ok(None) if settings.is_none() => None,
        Ok(None) => {
            worse(Word::Off, "it was used before and is not in the settings any more".to_string(), &mut why);
            None
        }
        Err(e) => {
            worse(Word::Off, e.message, &mut why);
            None
        }
    };
    if let Some(e) = last.filter(|e| e.layer == "failure") {
        worse(Word::Degraded, format!("its last question had no verdict: {}", e.message), &mut why);
    }
    let last = last.map(|e| Last {
        id: e.id.clone(),
        at: time::show(e.at),
        decision: e.decision.clone(),
        layer: e.layer.clone(),
        command: e.command.chars().take(200).collect(),
    });
    Some(HookState { agent: agent.name, state: word, why, settings: path, command, last })
}

/// What is wrong with the program that the settings run.
fn binary_problem(agent: &Agent, command: &str) -> Option<String> {
    let program = command.trim().strip_suffix(agent.name)?.trim_end().strip_suffix("hook")?.trim();
    let program = program.trim_matches(['"', '\'']);
    let runs = |path: &Path| std::fs::metadata(path).is_ok_and(|m| m.is_file() && executable(&m));
    let found = if program.contains(['/', '\\']) {
        runs(Path::new(program))
    } else {
        std::env::var_os("PATH").is_some_and(|p| std::env::split_paths(&p).any(|d| runs(&d.join(program))))
    };
    (!found).then(|| format!("{program} cannot be run, and most agents go on without a hook that fails"))
}

#[cfg(unix)]
fn executable(m: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&m.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_: &std::fs::Metadata) -> bool {
    true
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let status = look();
    let text = if matches.get_flag("json") {
        format!("{}\n", serde_json::to_string(&status).unwrap_or_default())
    } else {
        told(&status)
    };
    output::print(text.as_bytes())?;
    Ok(status.state.exit())
}

fn told(s: &Status) -> String {
    let mut out = format!("{}\n", s.state.name());
    for why in &s.why {
        let _ = writeln!(out, "  {}", visible::line(why));
    }
    for h in &s.hooks {
        let _ = writeln!(out, "{:<12} {}", h.agent, h.state.name());
        for why in &h.why {
            let _ = writeln!(out, "             {}", visible::line(why));
        }
        if let Some(l) = &h.last {
            let command: String = visible::line(&l.command).chars().take(80).collect();
            let _ = writeln!(out, "             last: {} {} ({}) {command}", l.at, l.decision, l.layer);
        }
    }
    for path in &s.policy {
        let _ = writeln!(out, "policy: {}", path.display());
    }
    let _ = writeln!(out, "without a verdict: fail {}", s.fail);
    if let Some(dir) = &s.state_dir {
        let _ = writeln!(out, "state: {}, {} requests wait, {} approvals hold", dir.display(), s.waiting, s.approvals);
    }
    let age = s.threat_data_age_s.map_or("none is installed".to_string(), |a| format!("{} days old", a / 86_400));
    let _ = writeln!(out, "threat data: {age}");
    out
}
