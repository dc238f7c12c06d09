//! Secrets that leave by their name: variables that hold a token by convention, what a key store prints.
//!
//! In: what processes send, ask for and look up, word for word. Out: findings of the rule `data_exfiltration`. A header
//! is where a token for the service itself goes, and a token goes to whoever issued it: neither is a finding.

use super::listed::is_listed;
use super::{Facts, Findings, Rule};
use crate::effect::path::{Class, Mark};
use crate::effect::{Effect, EffectId, Object, Verb};
use crate::finding::Severity;
use crate::source::Place;
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

/// True for a path or an address whose content is secret.
fn is_secret(facts: &Facts<'_>, e: &Effect) -> bool {
    let secret = |p: &crate::effect::path::Resolved| p.marks.any(&[Mark::Credential, Mark::ProcessMemory]);
    match e.verb {
        Verb::Read => facts.path(e).is_some_and(secret),
        Verb::Secret => matches!(e.object, Object::Stated(_)),
        _ => false,
    }
}

/// The part of a word that is no name to log in with: what follows the `@` of an address.
fn after_login(v: &Value) -> Value {
    let holds = |p: &Piece| matches!(p, Piece::Literal(l) if l.bytes.contains(&b'@'));
    let from = v.pieces.iter().rposition(holds).unwrap_or(0);
    Value { pieces: v.pieces.iter().skip(from).cloned().collect() }
}

/// Secret content in words that a program takes to another machine: the text of a message, a statement, a command, an
/// address. Passwords that the program logs in with are words of their own kind, and headers and names in front of an
/// `@` are where they stand else.
pub(super) fn in_words(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    if !facts.any(Verb::Read) && !facts.any(Verb::Secret) {
        return;
    }
    let mut seen = HashSet::new();
    for e in facts.with(&[Verb::Connect, Verb::Probe, Verb::Send, Verb::Clone, Verb::Install]) {
        let (Some(process), Some(a)) = (facts.process(e), facts.address(e)) else { continue };
        if a.is_near() || facts.contained(e) || !seen.insert(process.id) {
            continue;
        }
        let own = |s: &&Effect| s.process == process.id && matches!(s.object, Object::Named(..));
        let logins: Vec<Place> = facts.with(&[Verb::Secret]).filter(own).map(|s| s.place).collect();
        let is_login = |v: &Value| {
            let at = v.place();
            logins.iter().any(|l| l.text == at.text && l.span.start >= at.span.start && l.span.end <= at.span.end)
        };
        for v in process.argv.iter().skip(1).filter(|v| !v.is_known() && !is_header(v) && !is_login(v)) {
            let told: Vec<EffectId> = facts.sources(e).iter().map(|r| r.from).collect();
            for r in facts.sources_of(&after_login(v)) {
                let Some(from) = facts.graph.effect(r.from).filter(|f| is_secret(facts, f)) else { continue };
                if told.contains(&from.id) || from.process == process.id {
                    continue;
                }
                let name = facts.path(from).map_or_else(|| from.object.show(), |p| p.text.clone());
                let host = a.host_shown();
                out.add(
                    rule.about(facts, e)
                        .also_at(facts.command_place(from))
                        .also(from)
                        .title(format!("{}: {name} → {host}", rule.title))
                        .evidence_as("path", "is read", &name, from.place)
                        .evidence_as("url", "is where it goes", &host, v.place()),
                );
            }
        }
    }
}

/// A home, the root or a place of secrets, laid open to whoever asks for files.
pub(super) fn served(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Send]) {
        let Some(p) = facts.path(e).or_else(|| facts.other_path(e)) else { continue };
        let wide = matches!(p.class, Class::Root | Class::Home | Class::Homes | Class::SystemDirectory);
        let listens = || facts.with(&[Verb::Listen]).find(|l| l.process == e.process);
        let Some(listen) = listens().filter(|_| wide || p.marks.has(Mark::Credential)) else { continue };
        if facts.contained(e) || facts.address(listen).is_some_and(|a| a.reach() == Reach::Loopback) {
            continue;
        }
        out.add(
            rule.about(facts, e)
                .severity(Severity::High)
                .title(format!("{}: {} is open to whoever asks", rule.title, p.text))
                .evidence_as("path", "is served", &p.text, e.place)
                .evidence("host", "is where anybody asks", listen.place),
        );
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
