//! The findings as the data that the page's script reads: JSON without a `<`, so that no text in it can end the element
//! that holds it.

use crate::audit::filter::Filter;
use crate::audit::rows::{Row, Rows};
use crate::audit::stats::shown;
use crate::redact;
use crate::report::visible::{self, Visible};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// `names`: texts that rows point at; `commands`: before, marked part, after, findings; `rows`: command, seconds, user,
/// host, session, file, line.
pub(super) fn json(rows: &Rows, filter: &Filter) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<Arc<str>, usize> = HashMap::new();
    let mut name = |text: Option<&Arc<str>>| -> Option<usize> {
        let text = text?;
        Some(*known.entry(Arc::clone(text)).or_insert_with(|| {
            names.push(visible::line(text));
            names.len().saturating_sub(1)
        }))
    };
    let mut commands: Vec<Value> = Vec::new();
    let mut places: HashMap<(&[u8], *const crate::audit::Judgement), usize> = HashMap::new();
    let mut out: Vec<Value> = Vec::with_capacity(rows.all.len());
    for row in &rows.all {
        let key = (row.entry.command.as_slice(), Arc::as_ptr(&row.judgement));
        let at = *places.entry(key).or_insert_with(|| {
            commands.push(redact::with(&row.judgement.secrets, || command(row, filter)));
            commands.len().saturating_sub(1)
        });
        let e = &row.entry;
        out.push(json!([
            at,
            e.at,
            name(e.user.as_ref()),
            name(e.host.as_ref()),
            name(e.session.as_ref()),
            name(Some(&row.name)),
            e.line
        ]));
    }
    let data = json!({ "names": names, "commands": commands, "rows": out });
    data.to_string().replace('<', "\\u003c")
}

fn command(row: &Row, filter: &Filter) -> Value {
    let mut findings: Vec<_> = filter.of(&row.judgement).collect();
    findings.sort_by_key(|f| std::cmp::Reverse((f.severity, f.confidence)));
    let shown_text = Visible::hiding(&row.entry.command, &redact::concealed(&row.entry.command));
    let span = findings.first().map(|f| (f.span.start as usize, f.span.end as usize)).unwrap_or_default();
    let marked = shown_text.range(span.0, span.1);
    let part = |range: std::ops::Range<usize>| shown_text.text.get(range).unwrap_or_default().to_string();
    let whole = shown_text.text.len();
    let list: Vec<Value> = findings
        .iter()
        .map(|f| {
            let steps: Vec<Value> = row
                .judgement
                .steps(f)
                .iter()
                .map(|s| json!([visible::line(&s.file), s.line, shown(&s.command)]))
                .collect();
            json!([f.rule_id, f.severity as usize, visible::line(&f.title), f.mitre_id, f.description, steps])
        })
        .collect();
    json!([part(0..marked.start), part(marked.clone()), part(marked.end..whole), list])
}
