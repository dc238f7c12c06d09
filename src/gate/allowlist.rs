//! Layer 6: the user's allow rules. Each command that would run has to match one, or to be harmless by itself, so `git *`
//! approves `cd x && git log | tail`, and no `git log; rm -r x` and no `git log $(rm -r x)`.

use super::{Case, Layer, Outcome};

/// Approves what is allowed for ever.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    if case.lacks_rules() {
        return None;
    }
    let rules = case.policy.allowed_by(&case.runs)?;
    let named = rules.iter().map(|r| format!("{r:?}")).collect::<Vec<_>>().join(", ");
    let message = format!("the user's allow rules cover it: gate.allow {named}");
    Some(Outcome::approved(Layer::Allowlist, message).about(case))
}
