//! Layer 2: what no mode, grant or model lets through.

use super::{Case, Layer, Outcome, Unreadable};

/// Denies what is on the floor, and what cannot be judged at all.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    let message = match (case.unreadable, case.floor.first()) {
        (Some(Unreadable::TooLarge), _) => {
            "BLOCKED: the command is too large to be read (too_large). Split it into smaller ones.".to_string()
        }
        (Some(Unreadable::Unparsable), _) => "BLOCKED: no part of the command can be read as shell commands \
                                              (unparsable). Send it again, correctly quoted."
            .to_string(),
        (_, Some(f)) => {
            format!("BLOCKED: {}. This is never run, whatever the mode or approval. {}", f.title, f.remediation)
        }
        (None | Some(Unreadable::Unprovable), None) => return None,
    };
    let mut outcome = Outcome::denied(Layer::Floor, message).about(case);
    outcome.hardline = true;
    Some(outcome)
}
