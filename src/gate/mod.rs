//! The gate: whether one command may run, decided by layers in a fixed order. The first that has an answer wins.
//!
//! In: a [`Case`] (a [`Request`], the analysis of its command, the policy) and an [`Outside`] that knows what was granted and
//! can ask a model and a person. Out: an [`Outcome`]. Each layer stands in a file of its own and is a pure function over [`Case`]; only the
//! last two reach outside, through the trait. Floor 7; imports `analyzer`, `policy` and what they stand on.

pub mod allowlist;
pub mod bypass;
pub mod case;
pub mod container;
pub mod deny;
pub mod findings;
pub mod floor;
pub mod human;
pub mod key;
pub mod outcome;
pub mod smart;
pub mod sudo;
pub mod unattended;

pub use case::{Case, Context, Grants, Matter, Request, Unreadable};
pub use outcome::{Answer, Layer, Outcome, Outside, Review, Scope, Ticket};

/// Decides one request. What stays open in the case afterwards is what was asked about.
pub fn decide(case: &mut Case<'_>, outside: &mut dyn Outside) -> Outcome {
    if case.request.force {
        // What a person has already said yes to: only the floor and the deny rules are left.
        let left = floor::decide(case).or_else(|| deny::decide(case));
        return left.unwrap_or_else(|| Outcome::approved(Layer::Force, "approved before, and sent with force"));
    }
    let early = container::decide(case)
        .or_else(|| floor::decide(case))
        .or_else(|| sudo::decide(case))
        .or_else(|| deny::decide(case))
        .or_else(|| bypass::decide(case))
        .or_else(|| allowlist::decide(case));
    if let Some(outcome) = early {
        return outcome;
    }
    if !case.open.is_empty() {
        // Only now: most commands have no findings, and what was granted is kept in a file.
        let grants = outside.grants(case);
        case.drop_granted(&grants);
    }
    let silent = findings::decide(case).or_else(|| unattended::decide(case));
    silent.or_else(|| smart::decide(case, outside)).unwrap_or_else(|| human::decide(case, outside))
}

#[cfg(test)]
mod tests;
