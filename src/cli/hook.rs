//! `shellward hook AGENT`: the question of an agent on standard input, its answer on standard output.

use super::decide::{self, Desk, Person};
use super::exit::{Exit, Failure};
use super::{guard, hook_settings, output};
use crate::gate::{self, Context, Outcome};
use crate::hooks::input::Question;
use crate::hooks::{self, Agent, Judged, Reply, Request, Ruling};
use crate::limits::MAX_HOOK_INPUT;
use crate::options::Stances;
use crate::policy::{Failing, Policy};
use crate::verdict::{Class, Verdict};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use std::io::Read;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

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

/// Writes a reply. A no that its host cannot hear is said by the exit code.
fn give(reply: &Reply) -> Result<Exit, Failure> {
    if !reply.stdout.is_empty()
        && let Err(e) = output::write(reply.stdout.as_bytes())
    {
        if reply.holds_back {
            output::note(&format!("{}(standard output cannot be written: {e})", reply.stdout));
            return Ok(Exit::Warn);
        }
        return Ok(Exit::Allow);
    }
    if !reply.stderr.is_empty() {
        output::note(&reply.stderr);
    }
    Ok(if reply.exit == 2 { Exit::Warn } else { Exit::Allow })
}

/// How long a host may take to write its question.
const QUESTION_TIME: Duration = Duration::from_secs(3);

/// The reply to what stands on standard input. A policy that cannot be read counts as the strictest one: whoever breaks
/// it must not switch the hook off.
fn reply(agent: &'static Agent) -> Reply {
    let started = Instant::now();
    let mut input = Vec::new();
    let read = read_question(&mut input, started);
    let asked = hooks::input::read(agent, &input);
    // Where the command would run is in the input; what is wrong with that is answered by the user's own policy.
    let cwd = match &asked.1 {
        Question::Command(request, _) => request.cwd.as_deref().filter(|d| d.starts_with('/')).map(Path::new),
        _ => None,
    };
    let policy = guard::catch(|| decide::policy_for(cwd)).unwrap_or_else(|panic| {
        let mut policy = Policy::default();
        policy.note_broken(format!("it cannot be read: internal error ({panic})"));
        policy
    });
    let note = |why: &str| {
        let closed = policy.hooks.fail == Failing::Closed;
        decide::write_failure(&policy, &source(agent), &decide::request(Vec::new()), why, closed);
    };
    let unread = |why: &str| {
        note(why);
        hooks::unread(agent, &policy.hooks, why)
    };
    if let Err(why) = read {
        return unread(&why);
    }
    if let Question::Broken(why, _) = &asked.1 {
        note(why);
    }
    let asks = agent.asks.about(&asked.0);
    let judge = |r: &Request| judge((agent, asks), r, &policy, started);
    let caught = guard::catch(|| hooks::answer(agent, &asked, &policy.hooks, judge));
    caught.unwrap_or_else(|panic| unread(&format!("an internal error ({panic})")))
}

/// Reads the question to its end. A host that leaves its pipe open is not waited for: what is whole without an end is taken,
/// what is not is given up in time to say so.
fn read_question(input: &mut Vec<u8>, started: Instant) -> Result<(), String> {
    let mut stdin = std::io::stdin().lock();
    let mut part = vec![0u8; 64 << 10];
    loop {
        if !comes(Duration::from_millis(200)) {
            if serde_json::from_slice::<serde::de::IgnoredAny>(input).is_ok() {
                return Ok(());
            }
            if started.elapsed() > QUESTION_TIME {
                return Err("the question has no end".to_string());
            }
            continue;
        }
        match stdin.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(n) => input.extend_from_slice(part.get(..n).unwrap_or_default()),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(format!("standard input cannot be read ({e})")),
        }
        if input.len() > MAX_HOOK_INPUT {
            return Err(format!("the input has more than {MAX_HOOK_INPUT} bytes"));
        }
    }
}

/// Waits until standard input has something, or its end.
#[cfg(unix)]
fn comes(time: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = std::io::stdin();
    let time = Timespec::try_from(time).ok();
    // What cannot be waited for is read.
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], time.as_ref()).map_or(true, |n| n > 0)
}

#[cfg(not(unix))]
fn comes(_: Duration) -> bool {
    true
}

/// The name of a hook in the log.
pub(super) fn source(agent: &Agent) -> String {
    format!("hook {}", agent.name)
}

/// The decision, or why there is none.
fn judge(
    (agent, asks): (&'static Agent, bool),
    request: &Request,
    policy: &Policy,
    started: Instant,
) -> Result<Judged, String> {
    let open = decide::request(request.command.clone());
    let request = gate::Request {
        shell: request.shell,
        cwd: request.cwd.clone().filter(|d| d.starts_with('/')),
        session: request.session.clone().or(open.session),
        // An agent that asks before it runs has somebody to ask, unless its environment says otherwise.
        context: if open.context == Context::Unknown { Context::Interactive } else { open.context },
        ..open
    };
    let decided = in_time((agent, asks), &request, policy, started);
    if let Err(why) = &decided {
        let closed = policy.hooks.fail == Failing::Closed;
        decide::write_failure(policy, &source(agent), &request, why, closed);
    }
    decided
}

/// The setting of the policy without which a command that is safe were not: the reason of a yes has to be true.
fn by_stance(request: &gate::Request, policy: &Policy, verdict: &Verdict) -> Option<&'static str> {
    let (mine, usual) = (policy.assess, Stances::default());
    if !policy.hooks.allow_safe || verdict.assessment.class != Class::Safe {
        return None;
    }
    let code = Stances { project_code: usual.project_code, ..mine };
    let writes = Stances { writes: usual.writes, ..mine };
    let settings =
        [("assess.project_code", code, mine.project_code), ("assess.writes", writes, mine.writes > usual.writes)];
    settings.into_iter().filter(|(.., wider)| *wider).find_map(|(name, assess, _)| {
        let mut narrower = policy.clone();
        narrower.assess = assess;
        let safe = decide::analysis(request, &narrower)?.verdict.assessment.class == Class::Safe;
        (!safe).then_some(name)
    })
}

/// Decides within the time that the policy gives. The analysis has a thread of its own so that the answer can be given in
/// time without it; it ends with the process.
fn in_time(
    (agent, asks): (&'static Agent, bool),
    request: &gate::Request,
    policy: &Policy,
    started: Instant,
) -> Result<Judged, String> {
    let deadline_ms = policy.hooks.deadline_ms;
    if deadline_ms == 0 {
        return Err("the policy leaves no time for it (hooks.deadline_ms = 0)".into());
    }
    // What the host took to ask is over; half of the time is left at least.
    let spent = started.elapsed();
    let left = Duration::from_millis(deadline_ms);
    let left = left.saturating_sub(spent).max(left / 2);
    // A model has to answer while there is time left to say so.
    let time = Some(left.saturating_mul(3) / 4);
    let (send, receive) = mpsc::channel();
    let (request, policy) = (request.clone(), policy.clone());
    let work = move || {
        // Nobody listens any more where the deadline has passed.
        let _ = send.send(guard::catch(|| {
            // Where the agent is told no, the user can still say yes; where it asks, it asks.
            let wants = |action| hooks::question(action, &policy.hooks, asks) == Ruling::Deny;
            let told = |verdict: &Verdict, outcome: &Outcome| hooks::rule(verdict, outcome, &policy.hooks, asks);
            let person = Person::Request(&wants);
            let desk = Desk { source: source(agent), policy: &policy, person, time, told: Some(&told) };
            let decision = desk.decide(&request);
            let passes = hooks::passing(&decision.verdict, |text| {
                let request = gate::Request { command: text.into(), ..request.clone() };
                decide::analysis(&request, &policy).map(|a| a.verdict)
            });
            let by_stance = by_stance(&request, &policy, &decision.verdict);
            Judged { verdict: decision.verdict, outcome: decision.outcome, passes, by_stance }
        }));
    };
    std::thread::Builder::new()
        .name("analysis".into())
        .stack_size(guard::STACK)
        .spawn(work)
        .map_err(|e| format!("no thread can be started ({e})"))?;
    match receive.recv_timeout(left) {
        Ok(Ok(judged)) => Ok(judged),
        Ok(Err(panic)) => Err(format!("the analysis failed with an internal error ({panic})")),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(format!("the analysis took longer than {deadline_ms} ms")),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err("the analysis ended without a verdict".into()),
    }
}
