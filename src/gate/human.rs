//! Layer 10: a person.

use super::{Answer, Case, Layer, Outcome, Outside, Scope, Unreadable, outcome::titles};

/// Asks a person; whatever is no clear yes is a no.
pub fn decide(case: &Case<'_>, outside: &mut dyn Outside) -> Outcome {
    let always = case.may_be_permanent();
    let mut outcome = match outside.ask(case, always) {
        Answer::Approve(scope) => {
            let scope = if scope == Scope::Always && !always { Scope::Session } else { scope };
            outside.remember(case, scope);
            let how = match scope {
                Scope::Once => "once",
                Scope::Session => "session",
                Scope::Always => "always",
            };
            said(true, how)
        }
        Answer::Deny => said(false, "denied"),
        Answer::Timeout => said(false, "timeout"),
        Answer::Later(ticket) => {
            let doubt = match case.unreadable {
                Some(Unreadable::Unprovable) => " What it would do cannot be proven to its end (unprovable).",
                _ => "",
            };
            let message = format!("This needs the user's approval: {}.{doubt}", titles(case));
            let mut o = Outcome::denied(Layer::Human, message);
            // Without a request that waits there is nothing to wait for: the question is the caller's.
            o.status = Some(if ticket.is_some() { "pending_approval" } else { "approval_required" });
            if let Some(ticket) = ticket {
                (o.approval_id, o.digest) = (Some(ticket.id), Some(ticket.digest));
            }
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
