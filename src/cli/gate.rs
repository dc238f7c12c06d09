//! `shellward gate`: one request as JSON on standard input, the decision as JSON on standard output.

use super::exit::{Exit, Failure};
use super::{guard, output};
use crate::analyzer::{Options, analyze};
use crate::gate::{self, Answer, Case, Context, Grants, Outside, Request, Review};
use crate::limits::{MAX_HOOK_INPUT, MAX_INPUT};
use crate::policy::Policy;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;

pub(super) fn describe(command: Command) -> Command {
    command
        .about("Decide one request by the layers of the approval flow")
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Answer as one JSON object (the only form)"))
        .arg(
            Arg::new("policy")
                .long("policy")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("The policy file [default: the user's]"),
        )
        .after_help(
            "The request is an object on standard input: {\"command\", \"shell\"?, \"cwd\"?, \"backend\"?, \
             \"host_access\"?, \"session\"?, \"context\"? (interactive, gateway, cron, single_query, webhook), \"force\"?, \
             \"yolo\"?, \"grants\"? {\"session\": [], \"permanent\": []}}.\nWhat it leaves open comes from the \
             environment: HERMES_INTERACTIVE, HERMES_GATEWAY_SESSION, HERMES_EXEC_ASK, HERMES_CRON_SESSION, \
             HERMES_SINGLE_QUERY_SESSION, HERMES_YOLO_MODE, SUDO_PASSWORD.\nExit: 0 approved, 1 denied, 2 a person has to \
             be asked.",
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
    /// Echoed to whoever keeps grants; not looked at here.
    #[serde(default, rename = "session")]
    _session: Option<String>,
    context: Option<Context>,
    #[serde(default)]
    force: bool,
    yolo: Option<bool>,
    #[serde(default)]
    grants: InputGrants,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct InputGrants {
    session: BTreeSet<String>,
    permanent: BTreeSet<String>,
}

/// Nobody can be asked from here: the caller asks, and sends the request again with `force`.
struct Caller;

impl Outside for Caller {
    fn review(&mut self, _: &Case<'_>) -> Review {
        Review::Escalate
    }
    fn denials(&self) -> u32 {
        0
    }
    fn ask(&mut self, _: &Case<'_>, _: bool) -> Answer {
        Answer::Later
    }
}

/// True where the environment says yes.
fn says_yes(name: &str) -> bool {
    let value = std::env::var(name).unwrap_or_default();
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}

fn context() -> Context {
    if says_yes("HERMES_CRON_SESSION") {
        Context::Cron
    } else if says_yes("HERMES_SINGLE_QUERY_SESSION") {
        Context::SingleQuery
    } else if says_yes("HERMES_GATEWAY_SESSION") || says_yes("HERMES_EXEC_ASK") {
        Context::Gateway
    } else if says_yes("HERMES_INTERACTIVE") {
        Context::Interactive
    } else {
        Context::Unknown
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let policy = match matches.get_one::<PathBuf>("policy") {
        Some(path) => Policy::read(path),
        None => Policy::of_user().map(|(policy, _)| policy),
    };
    let policy = policy.map_err(|e| Failure { exit: Exit::Config, message: e.to_string() })?;
    let mut text = Vec::new();
    let most = u64::try_from(MAX_HOOK_INPUT).unwrap_or(u64::MAX).saturating_add(1);
    let read = std::io::stdin().lock().take(most).read_to_end(&mut text);
    read.map_err(|e| Failure::io("cannot read the request", &e))?;
    if text.len() > MAX_HOOK_INPUT {
        return Err(Failure::usage(format!("the request has more than {MAX_HOOK_INPUT} bytes")));
    }
    let input: Input = serde_json::from_slice(&text).map_err(|e| Failure::usage(format!("this is no request: {e}")))?;
    let shell = match &input.shell {
        Some(name) => {
            super::shell::from_name(name).ok_or_else(|| Failure::usage(format!("there is no shell {name:?}")))?
        }
        None => Options::default().shell,
    };
    let options = Options {
        shell,
        cwd: input.cwd.filter(|d| d.starts_with('/')),
        home: std::env::var("HOME").ok().filter(|h| h.starts_with('/')),
        stances: policy.assess,
        ..super::threats::options()
    };
    let request = Request {
        command: input.command.into_bytes(),
        backend: input.backend,
        host_access: input.host_access,
        context: input.context.unwrap_or_else(context),
        force: input.force,
        yolo: input.yolo.unwrap_or_else(|| says_yes("HERMES_YOLO_MODE")),
        sudo_password: std::env::var_os("SUDO_PASSWORD").is_some_and(|p| !p.is_empty()),
    };
    let grants = Grants { session: input.grants.session, permanent: input.grants.permanent };
    let work = || {
        let analysis = (request.command.len() <= MAX_INPUT).then(|| {
            let mut analysis = analyze(&request.command, &options);
            policy.apply(&mut analysis, &options);
            analysis
        });
        gate::decide(&request, analysis.as_ref(), &policy.gate, &grants, &mut Caller)
    };
    let outcome =
        guard::run(work).map_err(|e| Failure { exit: Exit::Internal, message: format!("internal error: {e}") })?;
    let json = serde_json::to_string(&outcome).unwrap_or_default();
    output::print(format!("{json}\n").as_bytes())?;
    Ok(match (outcome.approved, outcome.status) {
        (true, _) => Exit::Allow,
        (false, Some(_)) => Exit::Warn,
        (false, None) => Exit::Block,
    })
}
