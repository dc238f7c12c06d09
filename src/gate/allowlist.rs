//! Layer 6: the user's allow rules. Each command that would run has to match one, so `git *` approves no
//! `git log; rm -r x` and no `git log $(rm -r x)`.

use super::{Case, Layer, Outcome};

/// Approves what is allowed for ever.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    if case.lacks_rules() || !case.policy.allows(&case.commands) {
        return None;
    }
    Some(Outcome::approved(Layer::Allowlist, "the user's allow rules cover every command of it").about(case))
}
