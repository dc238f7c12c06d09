//! Layer 10: a person.

use super::{Answer, Case, Context, Layer, Outcome, Outside, Scope, outcome::titles};
use crate::rules;

/// Asks a person; whatever is no clear yes is a no.
pub fn decide(case: &Case<'_>, outside: &mut dyn Outside) -> Outcome {
    let always = may_be_permanent(case);
    let mut outcome = match outside.ask(case, always) {
        Answer::Approve(Scope::Always) if !always => said(true, "session"),
        Answer::Approve(scope) => said(
            true,
            match scope {
                Scope::Once => "once",
                Scope::Session => "session",
                Scope::Always => "always",
            },
        ),
        Answer::Deny => said(false, "denied"),
        Answer::Timeout => said(false, "timeout"),
        Answer::Later => {
            let mut o = Outcome::denied(Layer::Human, format!("This needs the user's approval: {}", titles(case)));
            let pending = case.request.context == Context::Gateway;
            o.status = Some(if pending { "pending_approval" } else { "approval_required" });
            o
        }
    }
    .about(case);
    outcome.allow_permanent = always;
    outcome
}

fn said(approved: bool, how: &'static str) -> Outcome {
    let message = match how {
        "denied" => "BLOCKED: the user said no. Do not try it again in other words.",
        "timeout" => "BLOCKED: the user did not answer in time. Silence is not consent.",
        _ => "the user approved it",
    };
    let mut outcome =
        if approved { Outcome::approved(Layer::Human, message) } else { Outcome::denied(Layer::Human, message) };
    outcome.user_approved = approved;
    outcome.outcome = Some(how);
    outcome
}

/// True where approving for ever makes sense: some finding is about what the command does, not about how one text looks.
fn may_be_permanent(case: &Case<'_>) -> bool {
    use rules::Category::{Analysis, Evasion, Transport};
    let content = |id: &str| rules::find(id).is_none_or(|r| matches!(r.category, Analysis | Evasion | Transport));
    case.open.iter().any(|m| !content(m.finding.rule_id))
}
