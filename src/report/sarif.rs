//! Findings in files → SARIF 2.1.0 (OASIS), the form that code hosts and editors read. Floor 8.

use crate::audit::engine::Judged;
use crate::audit::filter::Filter;
use crate::audit::rows::Rows;
use crate::audit::scan::run::{Fix, Located};
use crate::audit::stats::shown;
use crate::audit::time;
use crate::finding::{Finding, Severity};
use crate::redact;
use crate::rules;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The findings of a scan as a log with one run.
pub fn log(found: &[Located]) -> String {
    let ids: BTreeSet<&str> = found.iter().map(|l| l.finding.rule_id).collect();
    let index = |id: &str| ids.iter().position(|i| *i == id).unwrap_or(0);
    let results: Vec<String> = found.iter().map(|l| result(l, index(l.finding.rule_id)).to_string()).collect();
    let ids: Vec<&str> = ids.iter().copied().collect();
    let (before, after) = frame(&ids);
    format!("{before}{}{after}", results.join(","))
}

/// The commands with findings of an audit as a log. A finding over several commands has the others as related places.
#[derive(Debug, Default)]
pub struct Audit {
    rows: Rows<Box<str>>,
    /// The rules in the order in which they came.
    ids: Vec<&'static str>,
}

impl Audit {
    /// Takes a command that has findings to report.
    pub fn add(&mut self, name: &str, judged: &Judged, filter: &Filter) {
        let Some(worst) = filter.of(&judged.judgement).map(|f| f.severity).max() else { return };
        let Audit { rows, ids } = self;
        rows.add(worst, || {
            let mut out = String::new();
            for f in filter.of(&judged.judgement) {
                let index = ids.iter().position(|i| *i == f.rule_id).unwrap_or(ids.len());
                if index == ids.len() {
                    ids.push(f.rule_id);
                }
                let comma = if out.is_empty() { "" } else { "," };
                let result = redact::with(&judged.judgement.secrets, || row(name, judged, f, index).to_string());
                out.push_str(comma);
                out.push_str(&result);
            }
            let bytes = out.len();
            (out.into(), bytes)
        });
    }

    /// Writes the log.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (before, after) = frame(&self.ids);
        out.write_all(before.as_bytes())?;
        for (i, row) in self.rows.all.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(out, "{comma}{}", row.part)?;
        }
        out.write_all(after.as_bytes())
    }
}

fn row(name: &str, r: &Judged, f: &Finding, index: usize) -> Value {
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
        "locations": [place(name, e.line, &e.command)],
        "relatedLocations": related,
        "properties": {
            "severity": f.severity, "confidence": f.confidence, "time": e.at.map(time::show), "user": e.user.as_deref(),
            "host": e.host.as_deref(), "session": e.session.as_deref(),
        },
    })
}

/// Where the form of the log is described.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What stands before the results of the run, and behind them.
fn frame(ids: &[&str]) -> (String, &'static str) {
    let driver = json!({
        "name": env!("CARGO_PKG_NAME"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": ids.iter().map(|id| descriptor(id)).collect::<Vec<_>>(),
    });
    let before = format!(
        "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"columnKind\":\"unicodeCodePoints\",\
         \"tool\":{{\"driver\":{driver}}},\"results\":["
    );
    (before, "]}]}\n")
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
    // A list without members says the same as none.
    let fixes: Vec<Value> = l.fix.iter().map(|fix| change(l, fix)).collect();
    json!({
        "ruleId": f.rule_id,
        "ruleIndex": index,
        "level": level(f.severity),
        "fixes": fixes,
        "message": { "text": format!("{}. {}", f.title, f.description) },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&l.path) }, "region": region } }],
        "partialFingerprints": { "shellward/v1": l.fingerprint() },
        "properties": { "severity": f.severity, "confidence": f.confidence },
    })
}

/// A change of the file, as editors and code hosts offer it.
fn change(l: &Located, fix: &Fix) -> Value {
    let region = json!({
        "startLine": fix.start.0, "startColumn": fix.start.1, "endLine": fix.end.0, "endColumn": fix.end.1,
    });
    json!({
        "description": { "text": l.finding.remediation },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(&l.path) },
            "replacements": [{ "deletedRegion": region, "insertedContent": { "text": fix.text } }],
        }],
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
