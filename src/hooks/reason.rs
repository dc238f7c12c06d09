//! The words that go with an answer: what is wrong with the command, and what would pass.

use super::{Judged, Ruling};
use crate::finding::{Finding, Severity};
use crate::gate::Layer;
use crate::state::approvals::DIGEST_SHOWN;
use crate::verdict::{Action, Verdict};
use std::fmt::Write as _;

/// Most findings that are told.
const MAX_TOLD: usize = 5;

/// What the agent and its user are told: each finding that matters in one line, then what to do instead, the rewritten
/// command where there is one, and how the user can let it through where that is possible. Never empty.
pub fn reason(judged: &Judged, ruling: Ruling) -> String {
    let outcome = &judged.outcome;
    if ruling == Ruling::Allow {
        return allowed(judged);
    }
    let mut out = findings(&judged.verdict, judged.passes.as_deref());
    // What does not come from a finding is told in the words of the layer that decided.
    let said = !outcome.approved && outcome.status.is_none() && (outcome.layer != Layer::Floor || outcome.unreadable());
    if said {
        out = format!("Shellward: {}", outcome.message);
    }
    if let (Ruling::Deny, Some(id), Some(digest)) = (ruling, outcome.approval_id, &outcome.digest) {
        let digest = digest.get(..DIGEST_SHOWN).unwrap_or(digest);
        let _ = write!(
            out,
            " Only the user can let it through, in a terminal of their own: `shellward approvals approve {id} {digest}`; \
             then send the same command again."
        );
    }
    out
}

/// Why it may run without a question: what the policy says, or what was proven.
fn allowed(judged: &Judged) -> String {
    match (judged.outcome.layer, judged.by_stance) {
        (Layer::Allowlist, _) => format!("Shellward: {}.", judged.outcome.message),
        (_, Some(setting)) => {
            format!(
                "Shellward: every effect of this command is known, and the user's policy takes it for safe ({setting})."
            )
        }
        (_, None) => "Shellward: every effect of this command is known and harmless.".to_string(),
    }
}

fn findings(verdict: &Verdict, passes: Option<&str>) -> String {
    let matter: Vec<&Finding> = verdict.findings.iter().filter(|f| f.severity > Severity::Info).collect();
    if matter.is_empty() {
        return "Shellward: nothing was found that the user is asked about.".to_string();
    }
    let mut out = String::from("Shellward: ");
    let titles: Vec<String> = matter.iter().take(MAX_TOLD).map(|f| format!("{} [{}]", f.title, f.rule_id)).collect();
    out.push_str(&titles.join("; "));
    if let Some(more) = matter.len().checked_sub(MAX_TOLD).filter(|n| *n > 0) {
        let _ = write!(out, "; and {more} more");
    }
    out.push('.');
    let mut told: Vec<&str> = Vec::new();
    for f in matter.iter().take(MAX_TOLD).filter(|f| !f.remediation.is_empty()) {
        if !told.contains(&f.remediation.as_str()) {
            told.push(&f.remediation);
        }
    }
    if !told.is_empty() {
        let _ = write!(out, " What would pass: {}", told.join(" "));
    }
    if let Some(command) = passes {
        // In the marks of code, so that nobody takes what follows for a part of it.
        let ticks = if command.contains('`') { "``" } else { "`" };
        let _ = write!(out, " For example: {ticks}{command}{ticks}.");
    }
    out
}

/// Most rewritings of a command that are tried.
const MAX_TRIED: usize = 4;

/// The command with its findings mended one after the other, as far as they say how, where nothing is found in what comes
/// out: an example that is denied in its turn is worse than none. `judge` gives the verdict on a text.
pub fn passing(verdict: &Verdict, judge: impl Fn(&str) -> Option<Verdict>) -> Option<String> {
    let fix = |v: &Verdict| {
        let matter = v.findings.iter().filter(|f| f.severity > Severity::Info);
        matter.max_by_key(|f| (f.severity, f.fix.is_some())).and_then(|f| f.fix.clone())
    };
    let mut text = fix(verdict)?;
    for _ in 0..MAX_TRIED {
        let next = judge(&text)?;
        if next.action == Action::Allow {
            return Some(text);
        }
        text = fix(&next)?;
    }
    None
}
