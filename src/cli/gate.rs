//! `shellward gate`: one request, as JSON on standard input or as a command in the arguments, and the decision on it.

use super::decide::{self, Desk, Person};
use super::exit::{Exit, Failure};
use super::output;
use crate::gate::{Context, Request};
use crate::limits::MAX_HOOK_INPUT;
use crate::policy::Policy;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

pub(super) fn describe(command: Command) -> Command {
    command
        .about("Decide one request by the layers of the approval flow")
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Answer as one JSON object, which a request on standard input always gets"),
        )
        .arg(
            Arg::new("policy")
                .long("policy")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("The policy file [default: the user's, and the project's where that is stricter]"),
        )
        .arg(
            Arg::new("prompt")
                .long("prompt")
                .value_name("WHEN")
                .value_parser(["auto", "always", "never"])
                .default_value("auto")
                .help("Ask on the terminal [auto: where standard error is one and the context is interactive]"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(0..)
                .trailing_var_arg(true)
                .value_parser(clap::value_parser!(OsString))
                .help("The command, after `--`; without it a request is read from standard input"),
        )
        .after_help(
            "The request is an object on standard input: {\"command\", \"shell\"?, \"cwd\"?, \"backend\"?, \
             \"host_access\"?, \"session\"?, \"context\"? (interactive, gateway, cron, single_query, webhook), \"force\"?, \
             \"yolo\"?}.\nWhat it leaves open comes from the environment: HERMES_INTERACTIVE, HERMES_GATEWAY_SESSION, \
             HERMES_EXEC_ASK, HERMES_CRON_SESSION, HERMES_SINGLE_QUERY_SESSION, HERMES_SESSION_KEY, HERMES_YOLO_MODE, \
             SUDO_PASSWORD.\nExit: 0 approved, 1 denied, 2 a person has to be asked.",
        )
}

/// A request as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    command: String,
    shell: Option<String>,
    cwd: Option<String>,
    backend: Option<String>,
    #[serde(default)]
    host_access: bool,
    session: Option<String>,
    context: Option<Context>,
    #[serde(default)]
    force: bool,
    yolo: Option<bool>,
}

/// The request on standard input, with what it leaves open taken from the environment.
fn from_stdin() -> Result<Request, Failure> {
    let mut text = Vec::new();
    let most = u64::try_from(MAX_HOOK_INPUT).unwrap_or(u64::MAX).saturating_add(1);
    let read = std::io::stdin().lock().take(most).read_to_end(&mut text);
    read.map_err(|e| Failure::io("cannot read the request", &e))?;
    if text.len() > MAX_HOOK_INPUT {
        return Err(Failure::usage(format!("the request has more than {MAX_HOOK_INPUT} bytes")));
    }
    let input: Input = serde_json::from_slice(&text).map_err(|e| Failure::usage(format!("this is no request: {e}")))?;
    let open = decide::request(input.command.into_bytes());
    let shell = match &input.shell {
        Some(name) => {
            super::shell::from_name(name).ok_or_else(|| Failure::usage(format!("there is no shell {name:?}")))?
        }
        None => open.shell,
    };
    Ok(Request {
        shell,
        cwd: input.cwd.filter(|d| d.starts_with('/')),
        session: input.session.filter(|s| !s.is_empty()).or(open.session),
        backend: input.backend,
        host_access: input.host_access,
        context: input.context.unwrap_or(open.context),
        force: input.force,
        yolo: input.yolo.unwrap_or(open.yolo),
        ..open
    })
}

/// A command in the arguments: it would run here, and whoever typed it is there.
fn from_words(words: &[OsString]) -> Request {
    let here = std::env::current_dir().ok().map(|d| d.to_string_lossy().into_owned());
    let open = decide::request(super::check::joined(words));
    let context = match open.context {
        Context::Unknown if std::io::stdin().is_terminal() => Context::Interactive,
        other => other,
    };
    Request { cwd: here, context, ..open }
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let words: Vec<OsString> = matches.get_many::<OsString>("command").into_iter().flatten().cloned().collect();
    let request = if words.is_empty() { from_stdin()? } else { from_words(&words) };
    let policy = match matches.get_one::<PathBuf>("policy") {
        Some(path) => {
            let mut policy = Policy::read(path).map_err(|e| Failure { exit: Exit::Config, message: e.to_string() })?;
            super::policy::use_grammars(&policy);
            decide::with_hermes(&mut policy);
            policy
        }
        None => decide::policy_for(request.cwd.as_deref().map(Path::new)),
    };
    let when = matches.get_one::<String>("prompt").map_or("auto", String::as_str);
    let interactive = request.context == Context::Interactive;
    let person = match when {
        "always" => Person::Terminal,
        "auto" if interactive && std::io::stderr().is_terminal() => Person::Terminal,
        _ if request.context == Context::Gateway => Person::Request(&|_| true),
        _ => Person::Caller,
    };
    let desk = Desk { source: "gate".to_string(), policy: &policy, person, time: None, told: None };
    let decision = decide::on_stack(&desk, &request)
        .map_err(|e| Failure { exit: Exit::Internal, message: format!("internal error: {e}") })?;
    let outcome = decision.outcome;
    let text = if words.is_empty() || matches.get_flag("json") {
        format!("{}\n", serde_json::to_string(&outcome).unwrap_or_default())
    } else {
        let word = match (outcome.approved, outcome.status) {
            (true, _) => "approved",
            (false, Some(_)) => "not approved yet",
            (false, None) => "denied",
        };
        let mut text = format!("{word} ({}): {}\n", outcome.layer, crate::report::visible::line(&outcome.message));
        if let (Some(id), Some(digest)) = (outcome.approval_id, &outcome.digest) {
            text.push_str(&super::approvals::how_to_answer(id, digest));
        }
        text
    };
    output::print(text.as_bytes())?;
    Ok(match (outcome.approved, outcome.status) {
        (true, _) => Exit::Allow,
        (false, Some(_)) => Exit::Warn,
        (false, None) => Exit::Block,
    })
}
