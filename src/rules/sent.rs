//! Secrets that leave by their name: variables that hold a token by convention, what a key store prints.
//!
//! In: what processes send, ask for and look up, word for word. Out: findings of the rule `data_exfiltration`. A header
//! is where a token for the service itself goes, and a token goes to whoever issued it: neither is a finding.

use super::listed::is_listed;
use super::{Facts, Findings, Rule};
use crate::effect::path::Class;
use crate::effect::{Effect, Object, Verb};
use crate::finding::Severity;
use crate::url::Reach;
use crate::url::known::registered;
use crate::value::{Glob, Piece, Value, Why};
use std::collections::HashSet;

/// A field of a header (RFC 9110): a name of letters and dashes, a colon.
fn is_header(v: &Value) -> bool {
    let Some(Piece::Literal(l)) = v.pieces.first() else { return false };
    let name: Vec<u8> = l.bytes.iter().copied().take_while(|b| b.is_ascii_alphanumeric() || *b == b'-').collect();
    !name.is_empty() && matches!(l.bytes.get(name.len()), Some(b':')) && !l.bytes.starts_with(b"http")
}

/// The pieces of an address that are no way to a thing but words to its owner: what follows a `?`.
fn query(v: &Value) -> impl Iterator<Item = &Piece> {
    let asks = |p: &&Piece| match p {
        Piece::Literal(l) => !l.bytes.contains(&b'?'),
        // Without quotes it is a pattern to the shell.
        Piece::Glob(g, _) => *g != Glob::Question,
        _ => true,
    };
    v.pieces.iter().skip_while(asks)
}

/// True where a variable of that name holds a token of one issuer, and the host is not that issuer's: what counts is the
/// name that somebody registered, since what stands before it (`github.e.example`) is its owner's to choose.
fn is_foreign(rule: &'static Rule, variable: &str, host: &str) -> bool {
    let issuer = variable.split('_').next().unwrap_or(variable).to_ascii_lowercase();
    let host = host.to_ascii_lowercase();
    let own = registered(&host).is_some_and(|(main, suffix)| {
        main == issuer || is_listed(rule.id, &issuer, &format!("{main}.{suffix}")) || is_listed(rule.id, &issuer, &host)
    });
    is_listed(rule.id, "variable", variable) && !own
}

/// Secrets in what is sent, asked for or looked up.
pub(super) fn sent(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let stated = |e: &&Effect| matches!(e.object, Object::Stated(_));
    let stores: HashSet<&str> = facts.with(&[Verb::Secret]).filter(stated).map(|e| facts.name(e)).collect();
    let mut seen = HashSet::new();
    for e in facts.with(&[Verb::Send, Verb::Fetch, Verb::Probe]) {
        let address = facts.address(e);
        if address.is_some_and(|a| a.reach() == Reach::Loopback) {
            continue;
        }
        let (Some(process), Some(to)) = (facts.process(e), e.object.value()) else { continue };
        let host = match (e.verb, address) {
            (Verb::Probe, _) => to.show(),
            (_, Some(a)) => a.host_shown(),
            _ => continue,
        };
        let mut pieces: Vec<&Piece> = Vec::new();
        match e.verb {
            Verb::Probe => pieces.extend(&to.pieces),
            Verb::Fetch => pieces.extend(query(to)),
            _ => {
                let word = |v: &&Value| v.place() == e.place && !is_header(v);
                pieces.extend(process.argv.iter().skip(1).filter(word).flat_map(|v| &v.pieces));
                pieces.extend(process.stdin.iter().flat_map(|v| &v.pieces));
                // What a script hands over.
                if let Some(Object::Named("data", v)) = e.other.as_deref() {
                    pieces.extend(&v.pieces);
                }
            }
        }
        for p in pieces {
            let Piece::Unknown(u) = p else { continue };
            let (name, severity) = match &u.why {
                Why::Environment(n) if is_foreign(rule, n, &host) => (n, Severity::Medium),
                Why::Output(n) if stores.contains(n.as_str()) => (n, Severity::High),
                _ => continue,
            };
            if !seen.insert((process.id, name.as_str())) {
                continue;
            }
            out.add(
                rule.about(facts, e)
                    .severity(severity)
                    .title(format!("{}: {name} → {host}", rule.title))
                    .evidence_as("variable", "is a secret", name, process.place)
                    .evidence_as("url", "is where it goes", &host, e.place),
            );
        }
    }
}

/// True for what shows every variable with its value.
fn shows_all(e: &Effect) -> bool {
    matches!(e.object, Object::Stated("environment"))
}

/// All variables at once, in what is sent, asked for or looked up.
pub(super) fn surroundings(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    if !facts.with(&[Verb::Inspect]).any(shows_all) {
        return;
    }
    let mut seen = HashSet::new();
    for e in facts.with(&[Verb::Send, Verb::Fetch, Verb::Probe]) {
        if matches!(facts.address(e).map(|a| a.reach()), Some(Reach::Loopback)) {
            continue;
        }
        let Some((from, _)) = facts.sources_with(e, &[Verb::Inspect]).find(|(from, _)| shows_all(from)) else {
            continue;
        };
        if seen.insert(e.process) {
            out.add(
                rule.about(facts, e)
                    .also(from)
                    .title(format!("{}: {}", rule.title, e.object.show()))
                    .evidence("command_pattern", "shows all variables", facts.command_place(from))
                    .evidence("url", "is where it goes", e.place),
            );
        }
    }
}

/// All variables at once, in files that everybody can reach.
pub(super) fn laid_down(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    if !facts.with(&[Verb::Inspect]).any(shows_all) {
        return;
    }
    for e in facts.with(&[Verb::Write, Verb::Append]).filter(|e| !facts.contained(e)) {
        let Some(p) = facts.path(e).filter(|p| p.class == Class::Temporary && p.depth() > 1) else { continue };
        let Some((from, _)) = facts.sources_with(e, &[Verb::Inspect]).find(|(from, _)| shows_all(from)) else {
            continue;
        };
        out.add(
            rule.about(facts, e)
                .also(from)
                .title(format!("{}: {}", rule.title, p.text))
                .evidence("command_pattern", "shows all variables", facts.command_place(from))
                .evidence_as("path", "gets them", &p.text, e.place),
        );
    }
}
