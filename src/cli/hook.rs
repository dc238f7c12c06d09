//! `shellward hook AGENT`: the question of an agent on standard input, its answer on standard output.

use super::exit::{Exit, Failure};
use super::{guard, hook_settings, output};
use crate::analyzer::{Options, analyze};
use crate::hooks::{self, Agent, Reply, Request};
use crate::limits::{MAX_HOOK_INPUT, MAX_INPUT};
use crate::policy::Policy;
use crate::verdict::Verdict;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

pub(super) fn describe(command: Command) -> Command {
    let command = command
        .about("Answer an agent's hook, or put it into the agent's settings")
        .long_about(
            "Answers an agent's hook: the agent's JSON on standard input, the answer it reads on standard output.\n\
             With a sub-command: puts the hook into the agent's settings, takes it out, lists or tests it.",
        )
        .arg(agent_argument().required(true))
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .after_help("The exit code of an answer is the agent's: 0, or 2 where that is its word for no.");
    hook_settings::describe(command)
}

/// The name of an agent.
pub(super) fn agent_argument() -> Arg {
    let names = hooks::AGENTS.iter().map(|a| a.name);
    Arg::new("agent").value_name("AGENT").value_parser(PossibleValuesParser::new(names))
}

/// The agent that was named.
pub(super) fn agent_of(matches: &ArgMatches) -> Result<&'static Agent, Failure> {
    let name = matches.get_one::<String>("agent").map(String::as_str).unwrap_or_default();
    hooks::find(name).ok_or_else(|| Failure::usage(format!("there is no agent {name:?}")))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some((name, matches)) => hook_settings::run(name, matches),
        None => give(&reply(agent_of(matches)?)),
    }
}

/// Writes a reply. A host that does not read standard output to its end has decided without it.
fn give(reply: &Reply) -> Result<Exit, Failure> {
    if !reply.stdout.is_empty() {
        output::print(reply.stdout.as_bytes())?;
    }
    if !reply.stderr.is_empty() {
        output::note(&reply.stderr);
    }
    Ok(if reply.exit == 2 { Exit::Warn } else { Exit::Allow })
}

/// The reply to what stands on standard input. A policy that cannot be read counts as the strictest one: whoever breaks
/// it must not switch the hook off.
fn reply(agent: &'static Agent) -> Reply {
    let policy = match Policy::of_user() {
        Ok((policy, _)) => policy,
        Err(e) => {
            output::complain(&format!("{e}; the defaults are used"));
            Policy::default()
        }
    };
    let mut input = Vec::new();
    let most = u64::try_from(MAX_HOOK_INPUT).unwrap_or(u64::MAX).saturating_add(1);
    if let Err(e) = std::io::stdin().lock().take(most).read_to_end(&mut input) {
        return hooks::unread(agent, &policy.hooks, &format!("standard input cannot be read ({e})"));
    }
    if input.len() > MAX_HOOK_INPUT {
        return hooks::unread(agent, &policy.hooks, &format!("the input has more than {MAX_HOOK_INPUT} bytes"));
    }
    let caught = guard::catch(|| hooks::answer(agent, &input, &policy.hooks, |request| judge(request, &policy)));
    caught.unwrap_or_else(|panic| hooks::unread(agent, &policy.hooks, &format!("an internal error ({panic})")))
}

/// The verdict, or why there is none. The analysis has a thread of its own so that the answer can be given in time
/// without it; it ends with the process.
fn judge(request: &Request, policy: &Policy) -> Result<Verdict, String> {
    let deadline_ms = policy.hooks.deadline_ms;
    if request.command.len() > MAX_INPUT {
        return Ok(Verdict::incomplete(&format!("it is too large, over {MAX_INPUT} bytes"), request.command.len()));
    }
    if deadline_ms == 0 {
        return Err("the policy leaves no time for it (hooks.deadline_ms = 0)".into());
    }
    let (send, receive) = mpsc::channel();
    let (command, policy) = (request.command.clone(), policy.clone());
    let options = Options {
        shell: request.shell,
        cwd: request.cwd.clone().filter(|d| d.starts_with('/')),
        home: std::env::var("HOME").ok().filter(|h| h.starts_with('/')),
        stances: policy.assess,
        ..super::threats::options()
    };
    let work = move || {
        // Nobody listens any more where the deadline has passed.
        let _ = send.send(guard::catch(|| {
            let mut analysis = analyze(&command, &options);
            policy.apply(&mut analysis, &options);
            analysis.verdict
        }));
    };
    std::thread::Builder::new()
        .name("analysis".into())
        .stack_size(guard::STACK)
        .spawn(work)
        .map_err(|e| format!("no thread can be started ({e})"))?;
    match receive.recv_timeout(Duration::from_millis(deadline_ms)) {
        Ok(Ok(verdict)) => Ok(verdict),
        Ok(Err(panic)) => Err(format!("the analysis failed with an internal error ({panic})")),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(format!("the analysis took longer than {deadline_ms} ms")),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err("the analysis ended without a verdict".into()),
    }
}
