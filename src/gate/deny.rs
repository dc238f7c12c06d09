//! Layer 4: the user's deny rules, against the text and against every command that would run.

use super::{Case, Layer, Outcome};

/// Denies what a rule of the user names.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    let rule = case.policy.denied_by(&case.text, &case.runs)?;
    let message =
        format!("BLOCKED: the user's deny rule {rule:?} forbids it. Nothing lets it through; find another way.");
    let mut outcome = Outcome::denied(Layer::Deny, message).about(case);
    outcome.user_deny = true;
    Some(outcome)
}
