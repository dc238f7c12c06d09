//! `shellward status`: whether commands are looked at, hook by hook, and why not where they are not. Changes nothing.

use super::exit::{Exit, Failure};
use super::hook_health::{self, CANARY, Found};
use super::{hook, hook_settings, output, shell_hooks};
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
use std::path::PathBuf;

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
    /// The agent, or `shell NAME`.
    pub agent: String,
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
    /// It is not there because the user took it out: no fault.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub taken_out: bool,
}

impl HookState {
    fn is(&mut self, word: Word, why: impl Into<String>) {
        self.state = self.state.max(word);
        self.why.push(why.into());
    }
}

/// What the log knows of one hook.
#[derive(Default)]
struct Known {
    last: Option<Entry>,
    change: Option<Entry>,
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
    // Rules that hang on a grammar that is left out are silent.
    why.extend(loaded.policy.use_grammars().iter().map(|p| format!("{p}; this grammar is left out")));
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
    // Some millions of records; the rest is for `threats status` and the doctor.
    why.extend(threats.iter().flat_map(|t| t.damage(Some(std::time::Duration::from_millis(500)))));
    // The youngest counts: a small database of the user's own may be old and right.
    let made = opened.and_then(|o| o.serving.iter().map(|s| s.database.header().made).max());
    let state = State::new(&loaded.policy.state);
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    let (mut waiting, mut approvals) = (0usize, 0usize);
    match &state {
        Ok(state) => {
            if let Err(e) = look_at(state, &mut known, &mut waiting, &mut approvals, &mut why) {
                why.push(format!("state cannot be used: {e}"));
            }
        }
        Err(e) => why.push(e.to_string()),
    }
    let unknown = Known::default();
    let of = |source: &str| known.get(source).unwrap_or(&unknown);
    let mut hooks: Vec<HookState> = hooks::AGENTS.iter().flat_map(|a| agent_states(a, of(&hook::source(a)))).collect();
    hooks.extend(shell_hooks::find().iter().map(|h| shell_state(h, of(&format!("shell {}", h.shell)))));
    let counted = || hooks.iter().filter(|h| !h.taken_out);
    let mut word = counted().map(|h| h.state).max().unwrap_or(Word::Off);
    if counted().next().is_none() {
        let gone: Vec<String> = hooks.iter().flat_map(|h| h.why.iter().map(|w| format!("{}: {w}", h.agent))).collect();
        let gone = if gone.is_empty() { String::new() } else { format!(" ({})", gone.join("; ")) };
        why.push(format!("no hook is installed{gone}: `shellward hook install AGENT`, `shellward init SHELL`"));
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
    known: &mut BTreeMap<String, Known>,
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
        let k = known.entry(e.source.clone()).or_default();
        match e.decision.as_str() {
            "install" | "uninstall" => k.change = Some(e),
            _ if e.command.ends_with(CANARY) => {}
            _ => k.last = Some(e),
        }
        true
    })?;
    Ok(())
}

/// The states of an agent's hook: one for each of its settings files that has one.
fn agent_states(agent: &'static Agent, known: &Known) -> Vec<HookState> {
    let blank = |settings: Option<PathBuf>, command: Option<String>| HookState {
        agent: agent.name.to_string(),
        state: Word::Scanning,
        why: Vec::new(),
        settings,
        command,
        last: known.last.as_ref().map(short),
        taken_out: false,
    };
    let mut out = Vec::new();
    let mut files = Vec::new();
    if let Some(settings) = &agent.settings {
        files = hook_settings::files_of(settings);
        for path in &files {
            match hook_health::look(agent, settings, path) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    let mut h = blank(Some(path.clone()), Some(found.command.clone()));
                    judge(agent, &found, &mut h);
                    out.push(h);
                }
                Err(e) => {
                    let mut h = blank(Some(path.clone()), None);
                    h.is(Word::Off, e.message);
                    out.push(h);
                }
            }
        }
    }
    if out.is_empty() {
        let removed = known.change.as_ref().filter(|e| e.decision == "uninstall");
        let path = || if files.len() == 1 { files.first().cloned() } else { None };
        match (removed, &known.last) {
            (Some(e), _) => {
                let mut h = blank(path(), None);
                h.is(
                    Word::Off,
                    format!("it was taken out of {} by `hook uninstall` at {}", e.message, time::show(e.at)),
                );
                h.taken_out = true;
                return vec![h];
            }
            // Never used and not installed: none of the user's agents.
            (None, None) => return Vec::new(),
            // One that is set up by hand is known by its questions alone.
            (None, Some(_)) if agent.settings.is_none() => out.push(blank(None, None)),
            (None, Some(e)) => {
                let mut h = blank(path(), None);
                let what = format!(
                    "it was used until {} and is not in the settings any more, though nobody ran `hook uninstall`: somebody \
                     else took it out, or the agent's settings have moved; `shellward hook install {}` puts it back",
                    time::show(e.at),
                    agent.name
                );
                h.is(Word::Off, what);
                out.push(h);
            }
        }
    }
    for h in &mut out {
        failures(h, known);
    }
    out
}

/// Whether a hook that is installed works.
fn judge(agent: &'static Agent, found: &Found, h: &mut HookState) {
    for p in &found.problems {
        h.is(if p.off { Word::Off } else { Word::Degraded }, p.what.clone());
    }
    // Another file may be anything: it is asked. This one knows itself.
    if found.other_binary && !found.problems.iter().any(|p| p.off) {
        match hook_health::self_test(agent, &found.command) {
            Ok(_) => h.why.push("it runs another binary than this one, which stops the test command as well".into()),
            Err(e) => h.is(Word::Off, e.message),
        }
    }
}

fn failures(h: &mut HookState, known: &Known) {
    if let Some(e) = known.last.as_ref().filter(|e| e.layer == "failure") {
        h.is(Word::Degraded, format!("its last question had no verdict: {}", e.message));
    }
}

/// The state of a shell's hook.
fn shell_state(hook: &shell_hooks::ShellHook, known: &Known) -> HookState {
    let mut h = HookState {
        agent: format!("shell {}", hook.shell),
        state: Word::Scanning,
        why: Vec::new(),
        settings: Some(hook.file.clone()),
        command: Some(hook.words.join(" ")),
        last: known.last.as_ref().map(short),
        taken_out: false,
    };
    for p in &hook.problems {
        h.is(if p.off { Word::Off } else { Word::Degraded }, p.what.clone());
    }
    failures(&mut h, known);
    h
}

fn short(e: &Entry) -> Last {
    Last {
        id: e.id.clone(),
        at: time::show(e.at),
        decision: e.decision.clone(),
        layer: e.layer.clone(),
        command: e.command.chars().take(200).collect(),
    }
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
            let layer = super::log::layer("", &l.decision, &l.layer);
            let _ = writeln!(out, "             last: {} {} ({layer}) {command}", l.at, l.decision);
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
