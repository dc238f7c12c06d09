//! Findings in files → SARIF 2.1.0 (OASIS), the form that code hosts and editors read. Floor 8.

use crate::audit::filter::Filter;
use crate::audit::rows::{Row, Rows};
use crate::audit::scan::run::Located;
use crate::audit::stats::shown;
use crate::audit::time;
use crate::finding::{Finding, Severity};
use crate::rules;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The log with one run.
pub fn log(found: &[Located]) -> String {
    let ids: BTreeSet<&str> = found.iter().map(|l| l.finding.rule_id).collect();
    let index = |id: &str| ids.iter().position(|i| *i == id).unwrap_or(0);
    let results: Vec<Value> = found.iter().map(|l| result(l, index(l.finding.rule_id))).collect();
    whole(&ids, &results)
}

/// The commands with findings of an audit as a log. A finding over several commands has the others as related places.
pub fn audit(rows: &Rows, filter: &Filter) -> String {
    let all = || rows.all.iter().flat_map(|r| filter.of(&r.judgement).map(move |f| (r, f)));
    let ids: BTreeSet<&str> = all().map(|(_, f)| f.rule_id).collect();
    let index = |id: &str| ids.iter().position(|i| *i == id).unwrap_or(0);
    let results: Vec<Value> =
        all().map(|(r, f)| crate::redact::with(&r.judgement.secrets, || row(r, f, index(f.rule_id)))).collect();
    whole(&ids, &results)
}

fn row(r: &Row, f: &Finding, index: usize) -> Value {
    let place = |file: &str, line: u64, command: &[u8]| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": uri(file) },
            "region": { "startLine": line.max(1), "snippet": { "text": shown(command) } },
        }})
    };
    let related: Vec<Value> = (0u64..)
        .zip(r.judgement.steps(f))
        .map(|(id, s)| {
            let mut place = place(&s.file, s.line, &s.command);
            if let Some(place) = place.as_object_mut() {
                place.insert("id".into(), id.into());
                place.insert("message".into(), json!({ "text": "is a part of it, too" }));
            }
            place
        })
        .collect();
    let e = &r.entry;
    json!({
        "ruleId": f.rule_id,
        "ruleIndex": index,
        "level": level(f.severity),
        "message": { "text": format!("{}. {}", f.title, f.description) },
        "locations": [place(&r.name, e.line, &e.command)],
        "relatedLocations": related,
        "properties": {
            "severity": f.severity, "confidence": f.confidence, "time": e.at.map(time::show), "user": e.user.as_deref(),
            "host": e.host.as_deref(), "session": e.session.as_deref(),
        },
    })
}

fn whole(ids: &BTreeSet<&str>, results: &[Value]) -> String {
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": ids.iter().map(|id| descriptor(id)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log}\n")
}

/// What a rule is. The name of a finding may be more exact than that of its rule.
fn descriptor(id: &str) -> Value {
    let Some(rule) = rules::find(id) else { return json!({ "id": id }) };
    let mut tags = vec!["security".to_string()];
    tags.extend(rule.mitre.map(|m| format!("external/mitre-attack/{m}")));
    json!({
        "id": id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.description },
        "help": { "text": rule.remediation },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": tags, "security-severity": score(rule.severity) },
    })
}

fn result(l: &Located, index: usize) -> Value {
    let f = &l.finding;
    let mut region = json!({
        "startLine": l.start.0,
        "startColumn": l.start.1,
        "snippet": { "text": l.text },
    });
    // A place without a byte has no end of its own.
    if l.end > l.start
        && let Some(region) = region.as_object_mut()
    {
        region.insert("endLine".into(), l.end.0.into());
        region.insert("endColumn".into(), l.end.1.into());
    }
    json!({
        "ruleId": f.rule_id,
        "ruleIndex": index,
        "level": level(f.severity),
        "message": { "text": format!("{}. {}", f.title, f.description) },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&l.path) }, "region": region } }],
        "partialFingerprints": { "shellward/v1": l.fingerprint() },
        "properties": { "severity": f.severity, "confidence": f.confidence },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium | Severity::Low => "warning",
        Severity::Info => "note",
    }
}

/// The number by which code hosts sort: a CVSS-like score.
fn score(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.5",
        Severity::High => "8.0",
        Severity::Medium => "5.5",
        Severity::Low => "3.0",
        Severity::Info => "0.0",
    }
}

/// A path as a URI reference (RFC 3986): relative as it is, absolute with its scheme.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("a b/ü.sh"), "a%20b/%C3%BC.sh");
        assert_eq!(uri("/x:y"), "file:///x%3Ay");
    }
}
