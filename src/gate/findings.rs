//! Layer 7: what was found, less what was approved before. Nothing left means yes.

use super::{Case, Layer, Outcome};

/// Approves what has no open findings.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    case.open.is_empty().then(|| Outcome::approved(Layer::Findings, "nothing to ask about"))
}
