//! The findings as the data that the page's script reads: JSON without a `<`, so that no text in it can end the element
//! that holds it.
//!
//! Each command is written as it comes, so that the page is never held twice, and nothing of the judgement is kept.

use crate::audit::engine::Judged;
use crate::audit::filter::Filter;
use crate::audit::rows::Rows;
use crate::audit::stats::shown;
use crate::finding::{Finding, SpanOut};
use crate::limits::MAX_COMMAND_OUT;
use crate::redact;
use crate::report::visible::{self, Visible};
use crate::rules;
use serde_json::{Value, json};
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::sync::Arc;

/// The commands with findings, as the page will have them.
#[derive(Debug, Default)]
pub struct Findings {
    rows: Rows<Line>,
    /// The different commands; those that no row has any more are empty.
    commands: Vec<Box<str>>,
    known: HashMap<u64, u32>,
    hasher: RandomState,
    /// Texts that rows point at.
    names: Names,
    /// Texts that findings point at, the same for most findings of a rule.
    texts: Names,
    /// The names of the techniques.
    techniques: BTreeMap<&'static str, &'static str>,
}

/// One run of a command: which, in seconds since 1970, the user, host, session and file by number, the line.
#[derive(Debug)]
struct Line {
    command: u32,
    at: Option<i64>,
    names: [Option<u32>; 3],
    file: u32,
    line: u64,
}

/// Bytes of a run in the page and in memory.
const LINE: usize = 64;

impl Findings {
    /// Takes a command that has findings to report.
    pub fn add(&mut self, name: &Arc<str>, judged: &Judged, filter: &Filter) {
        let Some(worst) = filter.of(&judged.judgement).map(|f| f.severity).max() else { return };
        let Findings { rows, commands, known, hasher, names, texts, techniques } = self;
        let ids = filter.of(&judged.judgement).filter_map(|f| f.mitre_id);
        techniques.extend(ids.filter_map(|id| Some((id, rules::technique(id)?))));
        let dropped = rows.add(worst, || {
            let e = &judged.entry;
            // The same run after another download is something else, and so is one in another directory.
            let titles: Vec<_> = filter.of(&judged.judgement).map(|f| (f.rule_id, &f.title, f.severity)).collect();
            let across: Vec<_> = judged.judgement.across.iter().flatten().map(|s| (&s.command, s.line)).collect();
            let key = hasher.hash_one((&e.command, titles, across));
            let mut bytes = LINE;
            let command = *known.entry(key).or_insert_with(|| {
                let text = redact::with(&judged.judgement.secrets, || command(judged, filter, texts).to_string());
                bytes = bytes.saturating_add(text.len());
                commands.push(text.replace('<', "\\u003c").into());
                u32::try_from(commands.len().saturating_sub(1)).unwrap_or(u32::MAX)
            });
            let mut place = |name: &Option<Arc<str>>| name.as_deref().map(|n| names.place(&visible::line(n)));
            let about = [place(&e.user), place(&e.host), place(&e.session)];
            let file = names.place(&visible::line(name));
            (Line { command, at: e.at, names: about, file, line: e.line }, bytes)
        });
        if dropped {
            self.forget();
        }
    }

    /// How many were left out.
    pub(super) fn left_out(&self) -> u64 {
        self.rows.left_out
    }

    /// Drops the texts of commands that no row has any more.
    fn forget(&mut self) {
        let mut used = vec![false; self.commands.len()];
        for row in &self.rows.all {
            if let Some(used) = used.get_mut(row.part.command as usize) {
                *used = true;
            }
        }
        self.known.retain(|_, at| used.get(*at as usize).copied().unwrap_or(false));
        for (text, used) in self.commands.iter_mut().zip(used) {
            if !used {
                *text = Box::default();
            }
        }
    }

    /// `names`: texts that rows point at; `texts`: those that findings point at; `techniques`: their names; `commands`: before, marked part, after,
    /// findings; `rows`: command, seconds, user, host, session, file, line.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let list = |names: &Names| {
            json!(names.all.iter().map(|n| &**n).collect::<Vec<_>>()).to_string().replace('<', "\\u003c")
        };
        let (names, texts, techniques) = (list(&self.names), list(&self.texts), json!(self.techniques));
        write!(out, "{{\"names\":{names},\"texts\":{texts},\"techniques\":{techniques},\"commands\":[")?;
        let comma = |i: usize| if i == 0 { "" } else { "," };
        // Rows point at commands by their number, so that one that is not there any more leaves its place.
        for (i, text) in self.commands.iter().enumerate() {
            write!(out, "{}{}", comma(i), if text.is_empty() { "0" } else { text })?;
        }
        out.write_all(b"],\"rows\":[")?;
        for (i, row) in self.rows.all.iter().enumerate() {
            let Line { command, at, names: [user, host, session], file, line } = &row.part;
            write!(out, "{}{}", comma(i), json!([command, at, user, host, session, file, line]))?;
        }
        out.write_all(b"]}")
    }
}

/// Texts by number.
#[derive(Debug, Default)]
struct Names {
    all: Vec<Arc<str>>,
    known: HashMap<Arc<str>, u32>,
}

impl Names {
    fn place(&mut self, text: &str) -> u32 {
        if let Some(at) = self.known.get(text) {
            return *at;
        }
        let at = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        self.all.push(Arc::clone(&text));
        self.known.insert(text, at);
        at
    }
}

fn command(judged: &Judged, filter: &Filter, texts: &mut Names) -> Value {
    let mut findings: Vec<_> = filter.of(&judged.judgement).collect();
    findings.sort_by_key(|f| std::cmp::Reverse((f.severity, f.confidence)));
    let span = findings.first().map_or(SpanOut { start: 0, end: 0 }, |f| f.span);
    let [before, marked, after] = parts(&judged.entry.command, span.start as usize, span.end as usize);
    let list: Vec<Value> = findings.iter().map(|f| finding(f, judged, texts)).collect();
    json!([before, marked, after, list])
}

/// Rule, severity, title, technique, and by number why and what to do instead; the command rewritten; the other commands.
fn finding(f: &Finding, judged: &Judged, texts: &mut Names) -> Value {
    let steps: Vec<Value> = judged
        .judgement
        .steps(f)
        .iter()
        .map(|s| json!([visible::line(&s.file), s.line, visible::Visible::new(shown(&s.command).as_bytes()).text]))
        .collect();
    let fix = f.fix.as_deref().map(|fix| Visible::new(shown(fix.as_bytes()).as_bytes()).text);
    let (why, safer) = (texts.place(&f.description), texts.place(&f.remediation));
    json!([f.rule_id, f.severity as usize, visible::line(&f.title), f.mitre_id, why, safer, fix, steps])
}

/// What stands before the place, in it, and behind it; of a long command what is near.
fn parts(command: &[u8], start: usize, end: usize) -> [String; 3] {
    // Secrets are looked for in more than is shown, so that none is cut in two.
    let from = if end > MAX_COMMAND_OUT { start.saturating_sub(2 * MAX_COMMAND_OUT) } else { 0 };
    let near = command.get(from..).unwrap_or_default();
    let near = near.get(..4 * MAX_COMMAND_OUT).unwrap_or(near);
    let text = Visible::hiding(near, &redact::concealed(near));
    let marked = text.range(start.saturating_sub(from), end.saturating_sub(from));
    let part = |range: std::ops::Range<usize>| text.text.get(range).unwrap_or_default();
    let (before, inside, after) = (part(0..marked.start), part(marked.clone()), part(marked.end..text.text.len()));
    let more = from > 0 || before.len() > MAX_COMMAND_OUT;
    let skip = before.char_indices().map(|(i, _)| i).find(|i| before.len() - i <= MAX_COMMAND_OUT / 2);
    let before = match (more, skip) {
        (true, skip) => format!("…{}", skip.and_then(|i| before.get(i..)).unwrap_or_default()),
        (false, _) => before.to_string(),
    };
    [before, head(inside, MAX_COMMAND_OUT), head(after, MAX_COMMAND_OUT)]
}

/// The beginning of a text.
fn head(text: &str, most: usize) -> String {
    match text.char_indices().map(|(i, _)| i).find(|i| *i >= most) {
        Some(end) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_command_what_is_near_is_shown() {
        assert_eq!(parts(b"a; rm x; b", 3, 7), ["a; ", "rm x", "; b"].map(String::from));
        let long = [b"echo ".repeat(9_000), b"rm -rf ~; ls".to_vec()].concat();
        let [before, inside, after] = parts(&long, 45_000, 45_008);
        assert_eq!((inside.as_str(), after.as_str()), ("rm -rf ~", "; ls"));
        assert!(before.starts_with('…') && before.ends_with("echo ") && before.len() < 4_096, "{}", before.len());
        let [_, inside, _] = parts(&long, 0, 45_008);
        assert!(inside.starts_with("echo") && inside.ends_with('…') && inside.len() < 5_000, "{}", inside.len());
    }
}
