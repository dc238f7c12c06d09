//! Layer 9: a model's opinion, for this command only. The verdict bounds what it may approve, so a text that talks the
//! model over gains nothing on what is worse than the ceiling.

use super::{Case, Layer, Outcome, Outside, Review, outcome::titles};
use crate::policy::Mode;

/// Asks the model, where the mode says so.
pub fn decide(case: &Case<'_>, outside: &mut dyn Outside) -> Option<Outcome> {
    let worst = case.open.iter().map(|m| m.finding.severity).max()?;
    if case.lacks_rules() || case.policy.mode != Mode::Smart || outside.denials() >= case.policy.model_denials {
        return None;
    }
    match outside.review(case) {
        Review::Approve if worst <= case.policy.model_ceiling => {
            let mut outcome = Outcome::approved(Layer::Smart, "a model found it harmless in this case").about(case);
            outcome.smart_approved = true;
            Some(outcome)
        }
        Review::Deny => {
            Some(Outcome::denied(Layer::Smart, format!("BLOCKED: {}, and a model agrees", titles(case))).about(case))
        }
        Review::Approve | Review::Escalate => None,
    }
}
