//! `shellward log`: the decisions that were made; `shellward why`: one of them, explained.

use super::approvals::here;
use super::exit::{Exit, Failure};
use super::output;
use crate::audit::time;
use crate::policy::BROKEN_RULE;
use crate::policy::globs::DENY_RULE;
use crate::report::visible;
use crate::rules;
use crate::state::log::Entry;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::collections::VecDeque;
use std::fmt::Write as _;

pub(super) fn describe(command: Command) -> Command {
    command
        .about("Show the log of decisions, oldest first")
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("One JSON object a line"))
        .arg(
            Arg::new("since")
                .long("since")
                .value_name("WHEN")
                .help("From then on: 2026-11-30, 2026-11-30T12:00:00Z, or how long ago: 90m, 24h, 7d, 2w"),
        )
        .arg(Arg::new("rule").long("rule").value_name("ID").help("Only where this rule found something"))
        .arg(
            Arg::new("decision")
                .long("decision")
                .value_name("WHAT")
                .value_parser(["allow", "ask", "deny", "grant", "revoke", "install", "uninstall"])
                .help("Only these decisions"),
        )
        .arg(Arg::new("source").long("source").value_name("WHO").help("Only from there: `hook claude`, `gate`, …"))
        .arg(
            Arg::new("last")
                .long("last")
                .short('n')
                .value_name("N")
                .value_parser(clap::value_parser!(usize))
                .help("Only the last N"),
        )
}

pub(super) fn describe_why(command: Command) -> Command {
    command
        .about("Explain a decision: who made it, why, and what would change it")
        .arg(
            Arg::new("id")
                .value_name("ID")
                .help("Its id in the log, or the beginning or end of one [default: the last that was no yes]"),
        )
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("The entry of the log as JSON"))
}

/// The layer of a decision in words, the same wherever people read it.
pub(super) fn layer<'e>(source: &str, decision: &str, layer: &'e str) -> &'e str {
    match (layer, decision) {
        // Nobody has said anything yet: the host asks, or an answer is waited for.
        ("human", "deny" | "ask") if source != ANSWERS => "needs a person",
        ("human", _) => "a person",
        _ => layer,
    }
}

/// Where answers of people come from in the log.
pub(super) const ANSWERS: &str = "approvals";

fn line(e: &Entry) -> String {
    let rules = if e.rules.is_empty() { String::new() } else { format!(" [{}]", e.rules.join(" ")) };
    let command = visible::line(&e.command);
    let command: String = command.chars().take(100).collect();
    let decision = format!("{} ({})", e.decision, layer(&e.source, &e.decision, &e.layer));
    format!("{} {} {:<12} {decision:<20} {command}{rules}\n", time::show(e.at), e.id, e.source)
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let since = match text("since") {
        Some(when) => {
            let unknown = || {
                let forms = "2026-11-30, 2026-11-30T12:00:00Z, or how long ago: 90m, 24h, 7d, 2w";
                Failure::usage(format!("{when:?} is no point in time; expected {forms}"))
            };
            Some(time::limit(when, time::now()).ok_or_else(unknown)?)
        }
        None => None,
    };
    let (rule, decision, source) = (text("rule"), text("decision"), text("source"));
    let wanted = |e: &Entry| {
        since.is_none_or(|s| e.at >= s)
            && rule.is_none_or(|r| e.rules.iter().any(|x| x == r))
            && decision.is_none_or(|d| e.decision == d)
            && source.is_none_or(|s| e.source == s)
    };
    let (policy, state) = here()?;
    let last = matches.get_one::<usize>("last").copied();
    let json = matches.get_flag("json");
    let mut lines: VecDeque<String> = VecDeque::new();
    let mut seen = rule.is_none_or(|id| policy.knows(id));
    let unread = state.read_log(|e| {
        seen |= rule.is_some_and(|id| e.rules.iter().any(|r| r == id));
        if wanted(&e) {
            lines.push_back(if json {
                format!("{}\n", serde_json::to_string(&e).unwrap_or_default())
            } else {
                line(&e)
            });
            if last.is_some_and(|n| lines.len() > n) {
                lines.pop_front();
            }
        }
        true
    })?;
    if let (false, Some(id)) = (seen, rule) {
        return Err(Failure::usage(format!("no rule is called {id}; `shellward rules` lists them")));
    }
    if unread > 0 {
        output::complain(&format!("{unread} lines of the log cannot be read"));
    }
    output::print(lines.into_iter().collect::<String>().as_bytes())?;
    Ok(Exit::Allow)
}

pub(super) fn run_why(matches: &ArgMatches) -> Result<Exit, Failure> {
    let (_, state) = here()?;
    let id = matches.get_one::<String>("id");
    let mut found: Option<Entry> = None;
    state.read_log(|e| {
        let fits = match id {
            Some(id) => {
                e.id == *id || (id.len() >= 4 && (e.id.ends_with(id.as_str()) || e.id.starts_with(id.as_str())))
            }
            None => matches!(e.decision.as_str(), "deny" | "ask"),
        };
        if fits {
            found = Some(e);
        }
        true
    })?;
    let Some(e) = found else {
        let what = id.map_or("no command was denied or asked about".to_string(), |id| format!("no decision {id}"));
        return Err(Failure::usage(format!("the log in {} has {what}", state.dir().display())));
    };
    let text = if matches.get_flag("json") {
        format!("{}\n", serde_json::to_string(&e).unwrap_or_default())
    } else {
        explained(&e)
    };
    output::print(text.as_bytes())?;
    Ok(Exit::Allow)
}

fn explained(e: &Entry) -> String {
    let mut out = format!("{} at {}, asked by {}\n", e.id, time::show(e.at), e.source);
    for line in visible::lines(&e.command).lines() {
        let _ = writeln!(out, "    {line}");
    }
    for (name, value) in [("in", &e.cwd), ("session", &e.session), ("user", &e.user), ("machine", &e.host)] {
        if let Some(value) = value {
            let _ = writeln!(out, "{name}: {}", visible::line(value));
        }
    }
    let _ = writeln!(out, "decision: {} ({})", e.decision, layer(&e.source, &e.decision, &e.layer));
    if !e.message.is_empty() {
        let _ = writeln!(out, "in words: {}", visible::line(&e.message));
    }
    if let Some(word) = &e.unreadable {
        let meaning = match word.as_str() {
            "too_large" => "it has more bytes than are read",
            "unparsable" => "no part of it can be read as commands",
            _ => "a part of what it would do cannot be worked out",
        };
        let _ = writeln!(out, "it is {word}: {meaning}");
    }
    for id in &e.rules {
        match rules::find(id) {
            Some(rule) => {
                let _ = writeln!(out, "rule {id}: {}", rule.description);
            }
            None => {
                let what = match id.as_str() {
                    BROKEN_RULE => "a policy is broken, so that every command is asked about; `shellward policy check`",
                    DENY_RULE => "a deny rule of the policy (gate.deny)",
                    _ => "a rule of the policy",
                };
                let _ = writeln!(out, "rule {id}: {what}");
            }
        }
    }
    for key in e.keys.iter().filter(|_| e.layer != "floor") {
        let _ = writeln!(out, "an approval covers: {}", visible::line(key));
    }
    if let Some(path) = &e.kept {
        let _ = writeln!(out, "the text, without secrets, is kept to be read in {path}");
    }
    let _ = writeln!(out, "what would change it: {}", change(e));
    out
}

/// What makes another decision possible, by the layer that decided.
fn change(e: &Entry) -> String {
    match (e.decision.as_str(), e.layer.as_str()) {
        ("deny", "human") if e.source == ANSWERS => {
            "nothing for now: this no holds in its session until the request expires, half an hour after it was made; then \
             the command is asked about again"
                .into()
        }
        ("allow", _) => "a deny rule (gate.deny) or a severity (rules) in the policy".into(),
        (_, "floor") => "nothing: no mode, rule or approval lets it through".into(),
        (_, "sudo_stdin") => "a configured SUDO_PASSWORD, or running it yourself".into(),
        (_, "deny_rule") => "taking the rule out of gate.deny in the policy".into(),
        (_, "unattended") => "gate.unattended = \"approve\", or somebody who can be asked".into(),
        (_, "failure") => "sending it again, or hooks.fail = \"open\" (then nothing unchecked is held back)".into(),
        _ => match (e.request, &e.digest) {
            (Some(id), Some(_)) => format!("an answer to request {id}: `shellward approvals show {id}`"),
            _ => match e.rules.first() {
                Some(rule) => {
                    let key = e.keys.iter().find_map(|k| k.strip_prefix(rule.as_str()));
                    let program = key.and_then(|k| k.split_whitespace().next()).unwrap_or("NAME");
                    let file = crate::policy::config_dir().map(|d| d.join("policy.toml").display().to_string());
                    let file = file.unwrap_or_else(|| "the policy".to_string());
                    match of_one_command(&e.command) {
                        Some(command) => format!(
                            "an approval where it is asked for, or for this command alone in {file}:\n[gate]\nallow = [{command:?}]"
                        ),
                        None => format!(
                            "an approval where it is asked for, or in {file}, with a `path` or `host` where one fits:\n\
                             [[allow]]\nrule = {rule:?}\nprogram = [{program:?}]"
                        ),
                    }
                }
                None => "an approval where it is asked for, or an allow rule (gate.allow) in the policy".into(),
            },
        },
    }
}

/// The text where it is one plain command, which an allow rule can name as it stands.
fn of_one_command(text: &str) -> Option<&str> {
    let text = text.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_./:=@,+%".contains(c);
    (text.len() <= 200 && text.chars().all(plain)).then_some(text)
}
