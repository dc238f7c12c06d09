//! Layer 1: a backend that cannot reach this machine. The user's deny rules hold even there.

use super::{Case, Layer, Outcome, deny};

/// Approves what runs in an isolated backend.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    let backend = case.request.backend.as_deref()?;
    let isolated = case.policy.isolated.iter().any(|b| b == backend) && !case.request.host_access;
    if !isolated {
        return None;
    }
    let approved = || Outcome::approved(Layer::Container, format!("it runs in {backend}, apart from this machine"));
    // Deny rules that cannot be read may be those that hold here.
    deny::decide(case).or_else(|| (!case.lacks_rules()).then(approved))
}
