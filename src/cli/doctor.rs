//! `shellward doctor`: tries everything that has to work, hooks included: each is sent a harmless command that it has to
//! stop. `shellward canary` is that command.

use super::exit::{Exit, Failure};
use super::hook_health::{self, CANARY};
use super::status::{self, Word};
use super::{guard, hook_settings, output, shell_hooks};
use crate::analyzer::{Options, analyze};
use crate::hooks;
use crate::policy;
use crate::report::visible;
use crate::state::State;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use std::fmt::Write as _;

pub(super) fn describe(command: Command) -> Command {
    command
        .about("Try everything that has to work: each installed hook is sent a harmless command that it has to stop")
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Answer as one JSON object"))
        .after_help("Exit: 0 everything works, 2 something is missing, 1 something fails.")
}

pub(super) fn describe_canary(command: Command) -> Command {
    command.about("Do nothing: the harmless command that every working hook stops").hide(true)
}

pub(super) fn run_canary(_: &ArgMatches) -> Result<Exit, Failure> {
    output::print(b"The canary ran, so no working hook of Shellward stands before this shell.\n")?;
    Ok(Exit::Allow)
}

/// One thing that was tried.
#[derive(Debug, Serialize)]
struct Check {
    name: String,
    result: Went,
    detail: String,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Went {
    Ok,
    Missing,
    Fails,
}

fn check(name: impl Into<String>, result: Went, detail: impl Into<String>) -> Check {
    Check { name: name.into(), result, detail: detail.into() }
}

fn analysis() -> Check {
    let stops = guard::run(|| analyze(CANARY.as_bytes(), &Options::default()).verdict.findings.iter().any(|f| f.floor));
    match stops {
        Ok(true) => check("analysis", Went::Ok, "the test command is on the floor"),
        Ok(false) => check("analysis", Went::Fails, "the test command is let through"),
        Err(e) => check("analysis", Went::Fails, e),
    }
}

fn policy_check() -> Check {
    let loaded = policy::load(std::env::current_dir().ok().as_deref());
    let used = loaded.path().map_or("the defaults".to_string(), |p| p.display().to_string());
    let grammars: Vec<String> =
        loaded.policy.use_grammars().iter().map(|p| format!("{p}; this grammar is left out")).collect();
    if !grammars.is_empty() {
        return check(
            "policy",
            Went::Fails,
            loaded.problems.iter().chain(&grammars).cloned().collect::<Vec<_>>().join("; "),
        );
    }
    match (loaded.broken, loaded.problems.is_empty()) {
        (true, _) => check("policy", Went::Fails, loaded.problems.join("; ")),
        (false, false) => check("policy", Went::Missing, loaded.problems.join("; ")),
        (false, true) => check("policy", Went::Ok, used),
    }
}

fn state_check() -> Check {
    let loaded = policy::load(None);
    let tried = State::new(&loaded.policy.state).and_then(|s| {
        s.writable()?;
        let (_, damaged) = s.look()?;
        Ok((s, damaged))
    });
    match tried {
        Ok((s, true)) => check("state", Went::Fails, format!("{} is damaged", s.dir().display())),
        Ok((s, false)) => match others_may_look(&s) {
            true => check("state", Went::Missing, format!("others may look into {}", s.dir().display())),
            false => check("state", Went::Ok, s.dir().display().to_string()),
        },
        Err(e) => check("state", Went::Fails, e.to_string()),
    }
}

#[cfg(unix)]
fn others_may_look(state: &State) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(state.dir()).is_ok_and(|m| m.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_may_look(_: &State) -> bool {
    false
}

/// The threat data, every byte of it; nothing where there is none.
fn threat_check() -> Option<Check> {
    let store = super::threats::options().threats?;
    let opened = store.opened();
    if opened.is_empty() {
        return None;
    }
    let problems: Vec<String> = opened.problems.iter().cloned().chain(store.damage(None)).collect();
    Some(match problems.is_empty() {
        true => check("threat data", Went::Ok, format!("{} databases, whole", opened.serving.len())),
        false => check("threat data", Went::Fails, problems.join("; ")),
    })
}

fn hook_checks() -> Vec<Check> {
    let mut out = Vec::new();
    for agent in hooks::AGENTS {
        let Some(settings) = agent.settings.as_ref() else { continue };
        for path in hook_settings::files_of(settings) {
            let name = format!("hook {}", agent.name);
            match hook_health::look(agent, settings, &path) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    out.push(match hook_health::self_test(agent, &found.command) {
                        Ok(_) => check(&name, Went::Ok, format!("stopped the test command: {}", found.command)),
                        Err(e) => check(&name, Went::Fails, e.message),
                    });
                    // What keeps the agent from asking it at all is nothing that it could answer.
                    out.extend(found.problems.into_iter().map(|p| {
                        check(
                            &name,
                            if p.off { Went::Fails } else { Went::Missing },
                            format!("{}: {}", path.display(), p.what),
                        )
                    }));
                }
                Err(e) => out.push(check(name, Went::Fails, e.message)),
            }
        }
    }
    for hook in shell_hooks::find() {
        let name = format!("shell {}", hook.shell);
        if hook.problems.iter().all(|p| !p.off) {
            out.push(match shell_hooks::try_it(&hook) {
                // One that only warns is not expected to hold anything back.
                _ if hook.problems.iter().any(|p| !p.off) => check(&name, Went::Ok, shell_hooks::shown(&hook)),
                Ok(Some(what)) => check(&name, Went::Ok, what),
                Ok(None) => check(&name, Went::Ok, format!("{} (not tried: no `script`)", shell_hooks::shown(&hook))),
                Err(why) => check(&name, Went::Fails, why),
            });
        }
        let shown = shell_hooks::shown(&hook);
        out.extend(
            hook.problems
                .into_iter()
                .map(|p| check(&name, if p.off { Went::Fails } else { Went::Missing }, format!("{shown}: {}", p.what))),
        );
    }
    if out.is_empty() {
        let what = "none is installed: `shellward hook install AGENT`, `shellward init SHELL`";
        out.push(check("hooks", Went::Missing, what));
    }
    out
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let mut checks = vec![analysis(), policy_check(), state_check()];
    checks.extend(threat_check());
    checks.extend(hook_checks());
    let status = status::look();
    let known = |s: &&String| !checks.iter().any(|c| c.detail.contains(s.as_str()));
    let more: Vec<String> = status.why.iter().filter(known).cloned().collect();
    if !more.is_empty() && status.state != Word::Off {
        checks.push(check("status", Went::Missing, more.join("; ")));
    }
    let worst = checks.iter().map(|c| c.result).max().unwrap_or(Went::Fails);
    let text = if matches.get_flag("json") {
        format!("{}\n", serde_json::json!({"result": worst, "checks": checks}))
    } else {
        let mut text = String::new();
        for c in &checks {
            let word = match c.result {
                Went::Ok => "ok",
                Went::Missing => "missing",
                Went::Fails => "FAILS",
            };
            let _ = writeln!(text, "{word:<8} {:<16} {}", c.name, visible::line(&c.detail));
        }
        text
    };
    output::print(text.as_bytes())?;
    Ok(match worst {
        Went::Ok => Exit::Allow,
        Went::Missing => Exit::Warn,
        Went::Fails => Exit::Block,
    })
}
