//! `shellward approvals`: requests that wait for an answer, and approvals that hold.

use super::decide;
use super::exit::{Exit, Failure};
use super::{guard, output};
use crate::analyzer::Analysis;
use crate::audit::time;
use crate::gate::{Case, Context, Grants, Request};
use crate::policy::{self, Policy};
use crate::report::visible;
use crate::state::approvals::{DIGEST_SHOWN, word};
use crate::state::log::Entry;
use crate::state::{Answered, Duration, Grant, Pending, State, StateError};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::Write as _;

pub(super) fn describe(command: Command) -> Command {
    let json = || Arg::new("json").long("json").action(ArgAction::SetTrue).help("Answer as JSON");
    let id = || Arg::new("id").value_name("ID").required(true).value_parser(clap::value_parser!(u64));
    let digest = || {
        let digest = Arg::new("digest").value_name("DIGEST").required(true);
        digest.help("The digest that `show` prints: an answer names what it is about")
    };
    let sub = |name: &'static str, about: &'static str| Command::new(name).about(about).arg(json());
    command
        .about("Requests that wait for an answer, and approvals that hold")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            sub("list", "Requests that wait, and approvals that hold").arg(
                Arg::new("all").long("all").action(ArgAction::SetTrue).help("Those that are over, too, for a day"),
            ),
        )
        .subcommand(sub("show", "One request or approval: the whole command and what was found").arg(id()))
        .subcommand(
            sub("approve", "Say yes to a request").arg(id()).arg(digest()).arg(
                Arg::new("for")
                    .long("for")
                    .value_name("HOW-LONG")
                    .value_parser(["once", "session", "always"])
                    .default_value("once")
                    .help("For one run, for the agent's session, or for ever"),
            ),
        )
        .subcommand(sub("deny", "Say no to a request").arg(id()).arg(digest()))
        .subcommand(sub("revoke", "Take an approval back").arg(id()))
        .subcommand(
            sub("test", "What the approvals that hold make of a command; nothing is asked or kept")
                .arg(Arg::new("session").long("session").value_name("NAME").help("The session it would run in"))
                .arg(
                    Arg::new("command")
                        .value_name("COMMAND")
                        .required(true)
                        .num_args(1..)
                        .trailing_var_arg(true)
                        .value_parser(clap::value_parser!(OsString)),
                ),
        )
        .after_help("Exit: 0 done, 1 denied (test), 2 a person would be asked (test), 64 the answer fits no request.")
}

impl From<StateError> for Failure {
    fn from(e: StateError) -> Failure {
        let exit = match e {
            StateError::Refused(_) => Exit::Usage,
            StateError::Nowhere => Exit::Config,
            StateError::Io { .. } | StateError::Busy { .. } => Exit::Io,
        };
        Failure { exit, message: e.to_string() }
    }
}

/// The policy of this user and this directory, and the state it speaks of.
pub(super) fn here() -> Result<(Policy, State), Failure> {
    let cwd = std::env::current_dir().ok();
    let loaded = policy::load(cwd.as_deref());
    let state = State::new(&loaded.policy.state)?;
    Ok((loaded.policy, state))
}

/// How a request is answered, for people.
pub(super) fn how_to_answer(id: u64, digest: &str) -> String {
    let digest = digest.get(..DIGEST_SHOWN).unwrap_or(digest);
    format!("request {id}: `shellward approvals approve {id} {digest}` (or deny); `shellward approvals show {id}`\n")
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let (name, m) = matches.subcommand().ok_or_else(|| Failure::usage("no sub-command was given"))?;
    let (policy, state) = here()?;
    let id = || m.get_one::<u64>("id").copied().unwrap_or_default();
    let digest = || m.get_one::<String>("digest").map(String::as_str).unwrap_or_default();
    let (value, text, exit) = match name {
        "list" => list(&state, m.get_flag("all"))?,
        "show" => show(&state, id())?,
        "approve" => {
            let duration = match m.get_one::<String>("for").map(String::as_str) {
                Some("session") => Duration::Session,
                Some("always") => Duration::Always,
                _ => Duration::Once,
            };
            answer(&policy, &state, id(), digest(), Answered::Approved(duration))?
        }
        "deny" => answer(&policy, &state, id(), digest(), Answered::Denied)?,
        "revoke" => revoke(&state, id())?,
        _ => test(&policy, &state, m)?,
    };
    let text = if m.get_flag("json") { format!("{value}\n") } else { text };
    output::print(text.as_bytes())?;
    Ok(exit)
}

type Told = (Value, String, Exit);

fn pending_json(p: &Pending, now: i64) -> Value {
    let state = match p.answer {
        Some(answer) => word(answer),
        None if now < p.expires => "waits",
        None => "expired",
    };
    let mut value = serde_json::to_value(p).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("state".into(), state.into());
        map.insert("allow_permanent".into(), p.may_be_permanent().into());
    }
    value
}

fn list(state: &State, all: bool) -> Result<Told, Failure> {
    let (model, damaged) = state.look()?;
    let now = time::now();
    let requests: Vec<&Pending> = model.requests.values().filter(|p| all || p.waits(now) || p.may_run(now)).collect();
    let grants: Vec<&Grant> = model.grants.values().filter(|g| all || g.holds(now)).collect();
    let mut text = String::new();
    if damaged {
        let _ = writeln!(text, "{} is damaged: no approval holds", state.dir().display());
    }
    for p in &requests {
        let value = pending_json(p, now);
        let word = value.get("state").and_then(Value::as_str).unwrap_or_default();
        let digest = p.digest.get(..DIGEST_SHOWN).unwrap_or(&p.digest);
        let _ = writeln!(text, "request {:<4} {digest}  {word:<8} {:<12} {}", p.id, p.source, short(&p.command));
        let _ = writeln!(text, "             {}", short(&p.titles.join("; ")));
    }
    for g in &grants {
        let until = g.expires.map_or("no end".to_string(), |e| format!("until {}", time::show(e)));
        let place = g.session.as_ref().map_or("always".to_string(), |s| format!("session {}", visible::line(s)));
        let _ = writeln!(text, "approval {:<3} {place}, {until}", g.id);
        for key in &g.keys {
            let _ = writeln!(text, "             {}", visible::line(key));
        }
    }
    if requests.is_empty() && grants.is_empty() {
        text.push_str("no request waits, and no approval holds\n");
    }
    let requests: Vec<Value> = requests.into_iter().map(|p| pending_json(p, now)).collect();
    let value = json!({"requests": requests, "grants": grants, "damaged": damaged});
    Ok((value, text, Exit::Allow))
}

/// One line of at most a screen's width.
fn short(text: &str) -> String {
    let line = visible::line(text);
    match line.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

fn show(state: &State, id: u64) -> Result<Told, Failure> {
    let (model, _) = state.look()?;
    let now = time::now();
    if let Some(p) = model.requests.get(&id) {
        return Ok((pending_json(p, now), described(p, now), Exit::Allow));
    }
    let Some(g) = model.grants.get(&id) else {
        return Err(Failure::usage(format!("there is no request or approval {id}")));
    };
    let mut text = format!("approval {} of {}\n", g.id, time::show(g.made));
    let _ = writeln!(text, "asked for: {}", visible::line(&g.command));
    let _ = writeln!(text, "holds: {}", g.session.as_ref().map_or("always".into(), |s| format!("in session {s}")));
    let _ = writeln!(text, "until: {}", g.expires.map_or("it is revoked".to_string(), time::show));
    for key in &g.keys {
        let _ = writeln!(text, "covers: {}", visible::line(key));
    }
    let mut value = serde_json::to_value(g).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("state".into(), if g.holds(now) { "holds" } else { "expired" }.into());
    }
    Ok((value, text, Exit::Allow))
}

fn described(p: &Pending, now: i64) -> String {
    let mut text = format!("request {} of {} from {}\n", p.id, time::show(p.made), p.source);
    let _ = writeln!(text, "digest: {}", p.digest);
    for line in visible::lines(&p.command).lines() {
        let _ = writeln!(text, "    {line}");
    }
    if let Some(cwd) = &p.cwd {
        let _ = writeln!(text, "in: {}", visible::line(cwd));
    }
    if let Some(session) = &p.session {
        let _ = writeln!(text, "session: {}", visible::line(session));
    }
    for title in &p.titles {
        let _ = writeln!(text, "found: {}", visible::line(title));
    }
    for key in &p.keys {
        let most = if key.content { " (for the session at most)" } else { "" };
        let _ = writeln!(text, "an approval covers: {}{most}", visible::line(&key.key));
    }
    let state = match p.answer {
        Some(answer) => word(answer).to_string(),
        None if now < p.expires => format!("waits until {}", time::show(p.expires)),
        None => format!("expired at {}", time::show(p.expires)),
    };
    let _ = writeln!(text, "state: {state}");
    if p.waits(now) {
        text.push_str(&how_to_answer(p.id, &p.digest));
    }
    text
}

/// What answers to a change: what was changed, by number and digest.
fn answer(policy: &Policy, state: &State, id: u64, digest: &str, answer: Answered) -> Result<Told, Failure> {
    let (p, grants) = state.answer(id, digest, answer)?;
    let entry = Entry {
        layer: "human".into(),
        keys: p.keys.iter().map(|k| k.key.clone()).collect(),
        message: word(answer).to_string(),
        digest: Some(p.digest.clone()),
        request: Some(p.id),
        cwd: p.cwd.clone(),
        session: p.session.clone(),
        ..Entry::now(
            super::log::ANSWERS,
            if answer == Answered::Denied { "deny" } else { "grant" },
            p.command.as_bytes(),
        )
    };
    if let Err(e) = state.log(&entry) {
        output::complain(&format!("it is not in the log: {e}"));
    }
    if answer == Answered::Approved(Duration::Always) {
        let keys: Vec<&str> = p.keys.iter().filter(|k| !k.content).map(|k| k.key.as_str()).collect();
        decide::write_back(policy, &keys);
    }
    let mut text = format!("request {} {} is {}\n", p.id, p.digest, word(answer));
    for g in &grants {
        let _ = writeln!(text, "approval {} holds; `shellward approvals revoke {}` takes it back", g.id, g.id);
    }
    let value = json!({"id": p.id, "digest": p.digest, "state": word(answer), "grants": grants});
    Ok((value, text, Exit::Allow))
}

fn revoke(state: &State, id: u64) -> Result<Told, Failure> {
    let grant = match state.revoke(id) {
        Ok(grant) => grant,
        Err(e) => {
            // A request has its number, and what it became another.
            let (model, _) = state.look()?;
            let of = model.requests.get(&id).map(|p| &p.command);
            let became = of.and_then(|command| model.grants.values().rev().find(|g| &g.command == command));
            return Err(match became {
                Some(g) => {
                    Failure::usage(format!("request {id} became approval {0}: `shellward approvals revoke {0}`", g.id))
                }
                None => e.into(),
            });
        }
    };
    let entry = Entry {
        layer: "human".into(),
        keys: grant.keys.clone(),
        session: grant.session.clone(),
        ..Entry::now(super::log::ANSWERS, "revoke", grant.command.as_bytes())
    };
    if let Err(e) = state.log(&entry) {
        output::complain(&format!("it is not in the log: {e}"));
    }
    Ok((json!({"id": id, "state": "revoked"}), format!("approval {id} is revoked\n"), Exit::Allow))
}

/// What the gate says under these approvals, and what there is to approve.
fn tested(
    request: &Request,
    analysis: Option<&Analysis>,
    policy: &Policy,
    grants: &Grants,
) -> (crate::gate::Outcome, Vec<Value>) {
    let mut case = Case::new(request, analysis, &policy.gate);
    let matters: Vec<Value> = case
        .open
        .iter()
        .map(|m| json!({"key": m.key, "title": m.finding.title, "approved": grants.has(&m.key), "content": m.content}))
        .collect();
    let outcome = crate::gate::decide(&mut case, &mut decide::Dry(grants));
    (outcome, matters)
}

fn test(policy: &Policy, state: &State, m: &ArgMatches) -> Result<Told, Failure> {
    let words: Vec<OsString> = m.get_many::<OsString>("command").into_iter().flatten().cloned().collect();
    let mut request = decide::request(super::check::joined(&words));
    request.cwd = std::env::current_dir().ok().map(|d| d.to_string_lossy().into_owned());
    request.context = Context::Interactive;
    request.session = m.get_one::<String>("session").cloned().or(request.session);
    let (here, always) = state.granted(request.session.as_deref())?;
    let grants = Grants { session: here.into_iter().collect(), permanent: always.into_iter().collect() };
    let work = || {
        let analysis = decide::analysis(&request, policy);
        let secrets = analysis.as_ref().map(|a| std::sync::Arc::clone(&a.verdict.secrets)).unwrap_or_default();
        crate::redact::with(&secrets, || tested(&request, analysis.as_ref(), policy, &grants))
    };
    let (outcome, matters) =
        guard::run(work).map_err(|e| Failure { exit: Exit::Internal, message: format!("internal error: {e}") })?;
    let exit = match (outcome.approved, outcome.status) {
        (true, _) => Exit::Allow,
        (false, Some(_)) => Exit::Warn,
        (false, None) => Exit::Block,
    };
    let mut text = format!("{}: {}\n", outcome.layer, visible::line(&outcome.message));
    for matter in &matters {
        let of = |name: &str| matter.get(name).and_then(Value::as_str).unwrap_or_default();
        let word = if matter.get("approved") == Some(&Value::Bool(true)) { "approved" } else { "open" };
        let _ = writeln!(text, "{word:<9} {}\n          {}", visible::line(of("title")), visible::line(of("key")));
    }
    let value = json!({"outcome": outcome, "matters": matters});
    Ok((value, text, exit))
}
