//! Layer 8: nobody is there to be asked.

use super::{Case, Layer, Outcome, outcome::titles};
use crate::policy::Unattended;

/// Decides where nobody is watching.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    if !case.request.context.is_unattended() {
        return None;
    }
    let outcome = match case.policy.unattended {
        Unattended::Approve if !case.lacks_rules() => {
            Outcome::approved(Layer::Unattended, "nobody is watching, and the policy approves then")
        }
        Unattended::Approve | Unattended::Deny => {
            let fix: Vec<&str> = case.open.iter().take(3).map(|m| m.finding.remediation.as_str()).collect();
            let message =
                format!("BLOCKED: {}. Nobody is there to be asked. What would pass: {}", titles(case), fix.join(" "));
            Outcome::denied(Layer::Unattended, message)
        }
    };
    Some(outcome.about(case))
}
