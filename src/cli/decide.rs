//! The gate's outside: what was granted, who can be asked, what is written down. The one place of its input and output,
//! for hooks and `shellward gate` alike.

use super::{guard, prompt};
use crate::analyzer::{Analysis, Options, analyze};
use crate::finding::Severity;
use crate::gate::{self, Answer, Case, Context, Grants, Outcome, Outside, Request, Review, Scope, Ticket};
use crate::hooks::Ruling;
use crate::limits::MAX_INPUT;
use crate::model;
use crate::policy::{HermesSettings, Policy};
use crate::state::log::Entry;
use crate::state::{Duration, Key, State, StateError, Submitted, Wanted};
use crate::verdict::{Action, Verdict};
use std::path::{Path, PathBuf};

/// Variables by which Hermes Agent is known to be the one that asks.
const HERMES_VARIABLES: &[&str] =
    &["HERMES_HOME", "HERMES_INTERACTIVE", "HERMES_GATEWAY_SESSION", "HERMES_CRON_SESSION", "HERMES_SESSION_KEY"];

/// How a person is reached.
pub(super) enum Person<'a> {
    /// At the terminal of this process.
    Terminal,
    /// By the caller, who is told that approval is needed.
    Caller,
    /// By a request that waits, where this says so of what stays open; else by the caller.
    Request(&'a dyn Fn(Action) -> bool),
}

/// What the caller of a decision is told.
pub(super) type Told<'a> = dyn Fn(&Verdict, &Outcome) -> Ruling + 'a;

/// One decision, with all that it takes.
pub(super) struct Desk<'a> {
    /// Who asks: `hook AGENT`, `gate`.
    pub source: String,
    /// The policy.
    pub policy: &'a Policy,
    /// How a person is reached.
    pub person: Person<'a>,
    /// How long a model may take at most, beside what the policy says.
    pub time: Option<std::time::Duration>,
    /// What the caller is told, where that is not the decision itself: a host that cannot ask is told no.
    pub told: Option<&'a Told<'a>>,
}

/// What came of it.
pub(super) struct Decision {
    /// The verdict, without what was approved before.
    pub verdict: Verdict,
    /// The decision.
    pub outcome: Outcome,
}

/// True where the environment says yes.
pub(super) fn says_yes(name: &str) -> bool {
    let value = std::env::var(name).unwrap_or_default();
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}

/// Who is there, by the environment of the described system.
pub(super) fn context() -> Context {
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

/// A request with what the environment says of it.
pub(super) fn request(command: Vec<u8>) -> Request {
    let variable = |name| std::env::var(name).ok().filter(|v: &String| !v.is_empty());
    Request {
        home: variable("HOME").filter(|h| h.starts_with('/')),
        session: variable("HERMES_SESSION_KEY"),
        context: context(),
        yolo: says_yes("HERMES_YOLO_MODE"),
        sudo_password: variable("SUDO_PASSWORD").is_some(),
        ..Request::new(command)
    }
}

/// What an approval of the open findings would be for.
pub(super) fn keys(case: &Case<'_>) -> Vec<Key> {
    case.open.iter().map(|m| Key { key: m.key.clone(), content: m.content }).collect()
}

/// The state's words for a request.
pub(super) fn wanted<'a>(request: &'a Request, source: &'a str, case: &Case<'_>) -> Wanted<'a> {
    Wanted {
        command: &request.command,
        shell: request.shell.name(),
        cwd: request.cwd.as_deref(),
        session: request.session.as_deref(),
        source,
        titles: case.open.iter().map(|m| m.finding.title.clone()).collect(),
        keys: keys(case),
    }
}

/// The analysis of a request, judged by the policy but for its deny and allow rules; `None` where it is too large.
pub(super) fn analysis(request: &Request, policy: &Policy) -> Option<Analysis> {
    if request.command.len() > MAX_INPUT {
        return None;
    }
    let options = Options {
        shell: request.shell,
        cwd: request.cwd.clone(),
        home: request.home.clone(),
        stances: policy.assess,
        ..super::threats::options()
    };
    let mut analysis = analyze(&request.command, &options);
    policy.assess(&mut analysis, &options);
    Some(analysis)
}

impl Desk<'_> {
    /// Decides a request and writes it down. Runs on the stack that it is given (see [`guard::STACK`]).
    pub(super) fn decide(&self, request: &Request) -> Decision {
        let state = State::new(&self.policy.state).ok();
        let analysis = analysis(request, self.policy);
        // The question, the log, the approvals: none of them shows what a grammar knows to be a secret.
        let secrets = analysis.as_ref().map(|a| std::sync::Arc::clone(&a.verdict.secrets)).unwrap_or_default();
        crate::redact::with(&secrets, || self.decide_on(request, state.as_ref(), analysis))
    }

    fn decide_on(&self, request: &Request, state: Option<&State>, analysis: Option<Analysis>) -> Decision {
        let mut case = Case::new(request, analysis.as_ref(), &self.policy.gate);
        let mut outside = Here { desk: self, state, request, analysis: analysis.as_ref() };
        let outcome = gate::decide(&mut case, &mut outside);
        let open: Vec<bool> = match &analysis {
            Some(a) => {
                a.verdict.findings.iter().map(|f| case.open.iter().any(|m| std::ptr::eq(m.finding, f))).collect()
            }
            None => Vec::new(),
        };
        let verdict = match analysis {
            Some(analysis) => {
                let mut verdict = analysis.verdict;
                let mut open = open.into_iter();
                verdict.findings.retain(|f| {
                    let is_open = open.next().unwrap_or(true);
                    is_open || f.severity == Severity::Info
                });
                verdict.action = Action::of_all(&verdict.findings);
                verdict
            }
            None => Verdict::incomplete(&format!("it is too large, over {MAX_INPUT} bytes"), request.command.len()),
        };
        if let Some(state) = state {
            self.write_down(state, request, &outcome, &verdict);
        }
        Decision { verdict, outcome }
    }

    /// The log, and the blocked text where it is kept. What cannot be written is seen by `shellward status`; it changes
    /// no decision.
    fn write_down(&self, state: &State, request: &Request, outcome: &Outcome, verdict: &Verdict) {
        let decision = match (self.told.map(|told| told(verdict, outcome)), outcome.approved, outcome.status) {
            (Some(Ruling::Deny), ..) | (None, false, None) => "deny",
            (Some(Ruling::Ask), ..) | (None, false, Some(_)) => "ask",
            // A host that is told nothing runs it, or asks by its own rules.
            (Some(Ruling::Silent | Ruling::Allow), ..) | (None, true, _) => "allow",
        };
        let findings = verdict.findings.iter().filter(|f| f.severity > Severity::Info);
        let mut entry = Entry {
            layer: outcome.layer.name().to_string(),
            rules: findings.map(|f| f.rule_id.to_string()).collect(),
            keys: outcome.pattern_keys.clone(),
            message: outcome.message.clone(),
            digest: outcome.digest.clone(),
            request: outcome.approval_id,
            cwd: request.cwd.clone(),
            session: request.session.clone(),
            unreadable: outcome.unreadable.map(str::to_string),
            ..Entry::now(&self.source, decision, &request.command)
        };
        if decision == "deny"
            && let Ok(Some(path)) = state.keep_blocked(&entry.id, &request.command)
        {
            entry.kept = Some(path.to_string_lossy().into_owned());
        }
        // Best effort, see above.
        let _ = state.log(&entry);
    }
}

/// Writes down that there is no verdict.
pub(super) fn write_failure(policy: &Policy, source: &str, request: &Request, why: &str, denied: bool) {
    let Ok(state) = State::new(&policy.state) else { return };
    let entry = Entry {
        layer: "failure".to_string(),
        message: why.to_string(),
        cwd: request.cwd.clone(),
        session: request.session.clone(),
        ..Entry::now(source, if denied { "deny" } else { "allow" }, &request.command)
    };
    // Best effort: the answer must not wait for it.
    let _ = state.log(&entry);
}

/// The outside of one decision.
struct Here<'a> {
    desk: &'a Desk<'a>,
    state: Option<&'a State>,
    request: &'a Request,
    analysis: Option<&'a Analysis>,
}

impl Here<'_> {
    /// Keeps how many times in a row the model has said no. Best effort: a count that is lost asks it once more.
    fn note_denials(&self, count: u32) {
        if let Some(state) = self.state
            && self.denials() != count
        {
            let _ = state.set_denials(count);
        }
    }
    fn submit(&self, case: &Case<'_>) -> Result<Submitted, StateError> {
        let state = self.state.ok_or(StateError::Nowhere)?;
        state.submit(&wanted(self.request, &self.desk.source, case))
    }
}

impl Outside for Here<'_> {
    fn grants(&mut self, _: &Case<'_>) -> Grants {
        // State that cannot be read grants nothing: the question is asked again.
        let found = self.state.and_then(|s| s.granted(self.request.session.as_deref()).ok()).unwrap_or_default();
        let listed = self.desk.policy.gate.granted.iter().cloned();
        Grants { session: found.0.into_iter().collect(), permanent: found.1.into_iter().chain(listed).collect() }
    }
    fn review(&mut self, case: &Case<'_>) -> Review {
        let asked = model::review(&self.desk.policy.model, case, self.analysis, self.desk.time);
        let review = asked.unwrap_or_else(|why| {
            super::output::complain(&format!("the model could not be asked: {why}"));
            Review::Escalate
        });
        match review {
            Review::Approve => self.note_denials(0),
            Review::Deny => self.note_denials(self.denials().saturating_add(1)),
            Review::Escalate => {}
        }
        review
    }
    fn denials(&self) -> u32 {
        self.state.and_then(|s| s.look().ok()).map_or(0, |(model, _)| model.denials)
    }
    fn ask(&mut self, case: &Case<'_>, always: bool) -> Answer {
        let submit = match &self.desk.person {
            Person::Terminal => {
                let answer = prompt::ask(case, always, self.desk.policy.state.prompt_seconds);
                if matches!(answer, Answer::Approve(_)) {
                    self.note_denials(0);
                }
                return answer;
            }
            Person::Caller => false,
            Person::Request(wants) => {
                wants(case.open.iter().map(|m| Action::of(m.finding.severity)).max().unwrap_or(Action::Allow))
            }
        };
        if !submit {
            return Answer::Later(None);
        }
        match self.submit(case) {
            Ok(Submitted::Waits(p)) => Answer::Later(Some(Ticket { id: p.id, digest: p.digest })),
            Ok(Submitted::Approved(_)) => Answer::Approve(Scope::Once),
            Ok(Submitted::Denied(_)) => Answer::Deny,
            Err(_) => Answer::Later(None),
        }
    }
    fn remember(&mut self, case: &Case<'_>, scope: Scope) {
        let duration = match scope {
            Scope::Once => return,
            Scope::Session => Duration::Session,
            Scope::Always => Duration::Always,
        };
        let Some(state) = self.state else { return };
        if let Err(e) = state.grant(&wanted(self.request, &self.desk.source, case), duration) {
            super::output::complain(&format!("the approval holds for this command only: {e}"));
        }
        if scope == Scope::Always {
            // What is about how a text looks is never allowed for ever.
            let keys: Vec<&str> = case.open.iter().filter(|m| !m.content).map(|m| m.key.as_str()).collect();
            write_back(self.desk.policy, &keys);
        }
    }
}

/// Puts approvals for ever into the file of Hermes Agent that the policy names.
pub(super) fn write_back(policy: &Policy, keys: &[&str]) {
    if let Some(path) = &policy.gate.hermes_config
        && let Err(e) = super::hook_settings::add_to_list(path, "command_allowlist", keys)
    {
        super::output::complain(&format!("the approval is not in {}: {}", path.display(), e.message));
    }
}

/// Runs a decision on a stack that holds it.
pub(super) fn on_stack(desk: &Desk<'_>, request: &Request) -> Result<Decision, String> {
    guard::run(|| desk.decide(request))
}

/// The policy for a request: the named file, else the user's and the project's, with what Hermes Agent is told where it
/// is the one that asks. What is wrong with them is told.
pub(super) fn policy_for(cwd: Option<&Path>) -> Policy {
    let loaded = crate::policy::load(cwd);
    loaded.problems.iter().for_each(|p| super::output::complain(p));
    let mut policy = loaded.policy;
    let problems = policy.use_grammars();
    problems
        .iter()
        .for_each(|p| super::output::complain(&format!("{p}; it is left out, and every command is asked about")));
    if let Some(first) = problems.first() {
        // The rules that hang on it are silent, and silence would be a yes that nobody gave.
        let more = problems.len().saturating_sub(1);
        policy.note_broken(if more > 0 { format!("{first} (and {more} more)") } else { first.clone() });
    }
    with_hermes(&mut policy);
    policy
}

/// Joins the approval settings of Hermes Agent: those of the file that the policy names, else, where the environment is
/// that of Hermes, what makes its own file stricter.
pub(super) fn with_hermes(policy: &mut Policy) {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    let ours = || HERMES_VARIABLES.iter().any(|name| variable(name).is_some());
    let named = policy.gate.hermes_config.clone().filter(|p| p.is_absolute());
    let found = || {
        let home = variable("HERMES_HOME").map(PathBuf::from);
        let home = home.or_else(|| std::env::home_dir().map(|h| h.join(".hermes")));
        home.filter(|h| h.is_absolute()).map(|h| h.join("config.yaml"))
    };
    let Some(path) = named.clone().or_else(|| if ours() { found() } else { None }) else { return };
    let read = match crate::policy::find::read_text(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && named.is_none() => return,
        read => read.map_err(|e| e.to_string()),
    };
    match read.and_then(|text| HermesSettings::parse(&text)) {
        Ok(settings) => policy.join_hermes(&settings, named.is_some()),
        Err(e) => {
            // Its deny rules are lost with it.
            super::output::complain(&format!("{}: {e}; its approval settings are left out", path.display()));
            policy.note_broken(format!("{}, {e}", path.display()));
        }
    }
}

/// An outside that only knows what was granted: nobody is asked, nothing is kept.
pub(super) struct Dry<'a>(pub &'a Grants);

impl Outside for Dry<'_> {
    fn grants(&mut self, _: &Case<'_>) -> Grants {
        self.0.clone()
    }
    fn review(&mut self, _: &Case<'_>) -> Review {
        Review::Escalate
    }
    fn denials(&self) -> u32 {
        0
    }
    fn ask(&mut self, _: &Case<'_>, _: bool) -> Answer {
        Answer::Later(None)
    }
    fn remember(&mut self, _: &Case<'_>, _: Scope) {}
}
