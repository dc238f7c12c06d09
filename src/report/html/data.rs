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

/// `names`: texts that rows point at; `texts`: those that findings point at, the same for most findings of a rule;
/// `commands`: before, marked part, after, findings; `rows`: command, seconds, user, host, session, file, line.
///
/// Each part is written out as it is made: a report of a hundred thousand commands would be held three times otherwise.
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
    let mut texts = Texts::default();
    let mut commands = Parts::default();
    let mut places: HashMap<(&[u8], *const crate::audit::Judgement), usize> = HashMap::new();
    let mut out = Parts::default();
    for row in &rows.all {
        let key = (row.entry.command.as_slice(), Arc::as_ptr(&row.judgement));
        let at = *places.entry(key).or_insert_with(|| {
            commands.push(&redact::with(&row.judgement.secrets, || command(row, filter, &mut texts)));
            commands.count.saturating_sub(1)
        });
        let e = &row.entry;
        out.push(&json!([
            at,
            e.at,
            name(e.user.as_ref()),
            name(e.host.as_ref()),
            name(e.session.as_ref()),
            name(Some(&row.name)),
            e.line
        ]));
    }
    let (names, texts) = (json!(names), json!(texts.all));
    let (commands, rows) = (commands.text, out.text);
    format!("{{\"names\":{names},\"texts\":{texts},\"commands\":[{commands}],\"rows\":[{rows}]}}")
        .replace('<', "\\u003c")
}

/// The members of a list, written one after the other.
#[derive(Default)]
struct Parts {
    text: String,
    count: usize,
}

impl Parts {
    fn push(&mut self, value: &Value) {
        if self.count > 0 {
            self.text.push(',');
        }
        self.text.push_str(&value.to_string());
        self.count = self.count.saturating_add(1);
    }
}

/// Texts that many findings have.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    known: HashMap<String, usize>,
}

impl Texts {
    fn place(&mut self, text: &str) -> usize {
        if let Some(at) = self.known.get(text) {
            return *at;
        }
        let at = self.all.len();
        self.all.push(text.to_string());
        self.known.insert(text.to_string(), at);
        at
    }
}

fn command(row: &Row, filter: &Filter, texts: &mut Texts) -> Value {
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
            json!([
                f.rule_id,
                f.severity as usize,
                visible::line(&f.title),
                f.mitre_id,
                texts.place(&f.description),
                steps
            ])
        })
        .collect();
    json!([part(0..marked.start), part(marked.clone()), part(marked.end..whole), list])
}
