//! Judged commands as records: JSON lines and CSV. Floor 8. Both are stable: fields are added, never changed.

use crate::audit::engine::{Judged, Source};
use crate::audit::filter::Filter;
use crate::audit::session::Step;
use crate::audit::stats::{Stats, shown};
use crate::audit::time;
use crate::finding::{Finding, Severity};
use serde_json::{Value, json};
use std::fmt::Write;

/// `CRITICAL` and so on.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "CRITICAL",
        Severity::High => "HIGH",
        Severity::Medium => "MEDIUM",
        Severity::Low => "LOW",
        Severity::Info => "INFO",
    }
}

/// A finding without its prose, which `shellward rules ID` prints. `with` names the other commands of the session that it
/// is about.
fn finding(f: &Finding, steps: &[Step]) -> Value {
    let mut out = json!({
        "rule_id": f.rule_id,
        "severity": f.severity,
        "confidence": f.confidence,
        "title": f.title,
        "mitre_id": f.mitre_id,
        "span": f.span,
        "evidence": f.evidence,
        "floor": f.floor,
    });
    if !steps.is_empty()
        && let Some(out) = out.as_object_mut()
    {
        out.insert("with".into(), steps.iter().map(step).collect());
    }
    out
}

fn step(s: &Step) -> Value {
    json!({
        "file": &*s.file, "line": s.line, "time": s.at.map(time::show), "command": shown(&s.command), "span": s.span,
    })
}

/// One command with its findings, as a line of JSON. The spans are bytes of the command as it stands in the history;
/// the text that is shown has its secrets replaced.
pub fn json_line(name: &str, judged: &Judged, filter: &Filter) -> String {
    let e = &judged.entry;
    let object = json!({
        "type": "command",
        "file": name,
        "line": e.line,
        "time": e.at.map(time::show),
        "user": e.user.as_deref(),
        "host": e.host.as_deref(),
        "session": e.session.as_deref(),
        "remote": e.remote.as_deref(),
        "cwd": e.cwd.as_deref(),
        "shell": judged.shell.name(),
        "command": shown(&e.command),
        "action": judged.judgement.action,
        "class": judged.judgement.class,
        "severity": filter.of(&judged.judgement).map(|f| f.severity).max(),
        "findings": filter.of(&judged.judgement).map(|f| finding(f, judged.judgement.steps(f))).collect::<Vec<_>>(),
    });
    format!("{object}\n")
}

/// What became of an input, as a line of JSON.
pub fn json_source(s: &Source) -> String {
    let object = json!({
        "type": "source", "file": s.name, "format": s.format, "lines": s.lines, "bytes": s.bytes,
        "commands": s.commands, "undecodable": s.undecodable, "too_long": s.too_long,
        "unchained": s.unchained, "untimed": s.untimed, "problem": s.problem,
    });
    format!("{object}\n")
}

/// The last line: the whole in numbers.
pub fn json_summary(stats: &Stats, distinct: u64, seconds: f64, whole: bool) -> String {
    let severities: serde_json::Map<String, Value> = SEVERITIES
        .iter()
        .map(|s| (severity(*s).to_string(), json!(stats.severities.get(*s as usize).copied().unwrap_or(0))))
        .collect();
    let rules: std::collections::BTreeMap<&str, u64> = stats.rules.iter().map(|(r, c)| (*r, c.commands)).collect();
    let groups: std::collections::BTreeMap<&str, u64> = stats.groups.iter().map(|(g, c)| (&**g, c.commands)).collect();
    let object = json!({
        "type": "summary",
        "commands": stats.commands,
        "distinct": distinct,
        "with_findings": stats.found,
        "severities": severities,
        "rules": rules,
        "groups": groups,
        "first": stats.range.map(|r| time::show(r.0)),
        "last": stats.range.map(|r| time::show(r.1)),
        "skipped_files": stats.skipped,
        "complete": whole,
        "seconds": (seconds * 1e3).round() / 1e3,
    });
    format!("{object}\n")
}

/// The severities, the worst first.
pub const SEVERITIES: [Severity; 5] =
    [Severity::Critical, Severity::High, Severity::Medium, Severity::Low, Severity::Info];

/// The header of the table.
pub const CSV_HEADER: &str =
    "time,user,host,session,remote,file,line,severity,confidence,rule,title,mitre,start,end,command\r\n";

/// One command as rows of a table (RFC 4180), one for each finding.
pub fn csv_rows(name: &str, judged: &Judged, filter: &Filter) -> String {
    let e = &judged.entry;
    let command = shown(&e.command);
    let mut out = String::new();
    for f in filter.of(&judged.judgement) {
        let confidence = format!("{:?}", f.confidence).to_lowercase();
        let (line, start, end) = (e.line.to_string(), f.span.start.to_string(), f.span.end.to_string());
        let time = e.at.map(time::show).unwrap_or_default();
        let text = |t: &Option<std::sync::Arc<str>>| t.as_deref().unwrap_or_default().to_string();
        let (user, host, session, remote) = (text(&e.user), text(&e.host), text(&e.session), text(&e.remote));
        let cells = [
            time.as_str(),
            &user,
            &host,
            &session,
            &remote,
            name,
            &line,
            severity(f.severity),
            &confidence,
            f.rule_id,
            &f.title,
            f.mitre_id.unwrap_or_default(),
            &start,
            &end,
            &command,
        ];
        let cells: Vec<String> = cells.iter().map(|c| cell(c)).collect();
        let _ = write!(out, "{}\r\n", cells.join(","));
    }
    out
}

/// A cell. What a spreadsheet would compute (`=cmd|…`) gets an apostrophe before it: the texts come from attackers.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_string() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        assert_eq!(cell("ls -l"), "ls -l");
        assert_eq!(cell("echo \"a\", b"), "\"echo \"\"a\"\", b\"");
        assert_eq!(cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
    }
}
