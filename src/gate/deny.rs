//! Layer 4: the user's deny rules, against the text and against every command that would run.

use super::{Case, Layer, Outcome};
use crate::policy::glob;

/// Denies what a rule of the user names.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    let hit = |rule: &&String| glob::matches(rule, &case.text) || case.commands.iter().any(|c| glob::matches(rule, c));
    let rule = case.policy.deny.iter().filter(|r| !r.trim().is_empty()).find(hit)?;
    let message =
        format!("BLOCKED: the user's deny rule {rule:?} forbids it. Nothing lets it through; find another way.");
    let mut outcome = Outcome::denied(Layer::Deny, message).about(case);
    outcome.user_deny = true;
    Some(outcome)
}
