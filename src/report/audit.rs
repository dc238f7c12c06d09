//! The summary of an audit → text for people: what to look at first, then the counts. Floor 8.

use super::records::{SEVERITIES, severity};
use super::visible::{self, Visible};
use super::{counted, number};
use crate::audit::filter::Filter;
use crate::audit::stats::{Count, Stats, Top};
use crate::audit::time;
use crate::finding::{Severity, SpanOut};
use crate::redact;
use std::fmt::Write;

/// What else the summary says.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Columns.
    pub width: usize,
    /// With terminal colours.
    pub colour: bool,
    /// Commands judged for the first time.
    pub distinct: u64,
    /// Time it took.
    pub seconds: f64,
    /// Commands to show.
    pub most: usize,
    /// False where it was stopped.
    pub whole: bool,
    /// Findings that were left out because an earlier audit has them.
    pub known: u64,
}

/// Rows of a table of counts.
const ROWS: usize = 15;

/// The whole summary.
pub fn summary(stats: &Stats, filter: &Filter, about: About) -> String {
    let mut out = String::new();
    head(&mut out, stats, about);
    let first = stats.first(about.most, filter);
    if !first.is_empty() {
        heading(&mut out, "Look at these first", about);
        for (i, top) in first.iter().enumerate() {
            one(&mut out, i.saturating_add(1), top, filter, about);
        }
        let rest = stats.first(usize::MAX, filter).len().saturating_sub(first.len());
        if rest > 0 {
            let more = if stats.overflow { " or more" } else { "" };
            let _ = writeln!(
                out,
                "and {}{more} other commands with findings (--top N, --json, --csv)",
                number(rest as u64)
            );
        }
    }
    let rules = stats.rules.iter().map(|(r, c)| ((*r).to_string(), *c)).collect();
    table(&mut out, "By rule", rules, false, about);
    let groups: Vec<(String, Count)> = stats.groups.iter().map(|(g, c)| (g.to_string(), *c)).collect();
    let by_day = stats.group() == crate::audit::stats::Group::Day;
    if groups.len() > 1 || by_day {
        let name = crate::audit::stats::Group::ALL.iter().find(|g| g.1 == stats.group()).map_or("", |g| g.0);
        table(&mut out, &format!("By {name}"), groups, by_day, about);
    }
    if !by_day {
        let days = stats.days.iter().map(|(d, c)| (time::day(d.saturating_mul(86_400)), *c)).collect();
        table(&mut out, "By day, the last ones", days, true, about);
    }
    problems(&mut out, stats, about);
    out
}

fn head(out: &mut String, stats: &Stats, about: About) {
    let read = stats.sources.iter().filter(|s| !s.format.is_empty()).count();
    let (inputs, commands) = (counted(read as u64, "input"), counted(stats.commands, "command"));
    let _ = write!(out, "{inputs}, {commands}, {} different", number(about.distinct));
    if let Some((first, last)) = stats.range {
        let _ = write!(out, ", {} to {}", time::day(first), time::day(last));
    }
    let rate = if about.seconds > 0.0 { stats.commands as f64 / about.seconds } else { 0.0 };
    let _ = writeln!(out, " ({:.1} s, {} a second)", about.seconds, number(rate as u64));
    if !about.whole {
        out.push_str("Stopped before the end: what follows is what was seen so far.\n");
    }
    if about.known > 0 {
        let _ = writeln!(out, "{} findings that the earlier audit has are left out.", number(about.known));
    }
    if stats.found == 0 {
        out.push_str("Nothing to report.\n");
        return;
    }
    let counts: Vec<String> = SEVERITIES
        .iter()
        .filter_map(|s| stats.severities.get(*s as usize).filter(|n| **n > 0).map(|n| (s, n)))
        .map(|(s, n)| format!("{} {}", number(*n), painted(*s, severity(*s), about)))
        .collect();
    let _ = writeln!(out, "{} with findings: {}", counted(stats.found, "command"), counts.join(", "));
}

fn heading(out: &mut String, text: &str, about: About) {
    let _ = if about.colour { writeln!(out, "\n\x1b[1m{text}\x1b[0m") } else { writeln!(out, "\n{text}") };
}

/// One command: the finding, the line of its place with marks under it, how often and where.
fn one(out: &mut String, number_: usize, top: &Top, filter: &Filter, about: About) {
    redact::with(&top.judgement.secrets, || shown(out, number_, top, filter, about));
}

fn shown(out: &mut String, number_: usize, top: &Top, filter: &Filter, about: About) {
    let mut findings: Vec<_> = filter.of(&top.judgement).collect();
    findings.sort_by_key(|f| std::cmp::Reverse((f.severity, f.confidence)));
    let Some(worst) = findings.first() else { return };
    let mitre = worst.mitre_id.map(|m| format!(", {m}")).unwrap_or_default();
    let word = painted(worst.severity, severity(worst.severity), about);
    let _ = writeln!(out, "{number_:>3}. {word} {} ({}{mitre})", visible::line(&worst.title), worst.rule_id);
    let mut place = |command: &[u8], span: SpanOut, number_: Option<u64>| {
        let lead = number_.map(|n| format!("line {n}: ")).unwrap_or_default();
        let width = about.width.saturating_sub(lead.len());
        let (line, marks) = excerpt(command, span.start as usize, span.end as usize, width);
        let _ = writeln!(out, "       {lead}{line}");
        let _ = writeln!(out, "       {}{marks}", " ".repeat(lead.len()));
    };
    let steps = top.judgement.steps(worst);
    let before = steps.iter().filter(|s| s.line < top.place.1);
    before.for_each(|s| place(&s.command, s.span, Some(s.line)));
    place(&top.command, worst.span, (!steps.is_empty()).then_some(top.place.1));
    let after = steps.iter().filter(|s| s.line >= top.place.1);
    after.for_each(|s| place(&s.command, s.span, Some(s.line)));
    let mut facts = Vec::new();
    facts.push(if top.times == 1 { "once".to_string() } else { format!("{} times", number(top.times)) });
    match (top.first, top.last) {
        (Some(a), Some(b)) if a != b => facts.push(format!("{} to {}", time::show(a), time::show(b))),
        (_, Some(b)) => facts.push(time::show(b)),
        _ => {}
    }
    facts.extend(top.user.as_deref().map(|u| format!("by {}", visible::line(u))));
    facts.push(format!("{}:{}", visible::line(&top.place.0), top.place.1));
    let mut others: Vec<&str> = findings.iter().map(|f| f.rule_id).filter(|id| *id != worst.rule_id).collect();
    let mut seen = std::collections::HashSet::new();
    others.retain(|id| seen.insert(*id));
    if !others.is_empty() {
        facts.push(format!("also {}", others.join(", ")));
    }
    let _ = writeln!(out, "       {}", facts.join("; "));
    if !worst.remediation.is_empty() {
        let _ = writeln!(out, "       safer: {}", visible::line(&worst.remediation));
    }
}

/// The line of a command on which a place begins, clipped to the width, and marks under the place.
fn excerpt(command: &[u8], start: usize, end: usize, width: usize) -> (String, String) {
    let room = width.saturating_sub(8).max(20);
    let shown = Visible::hiding(command, &redact::concealed(command));
    let range = shown.range(start, end);
    let begin = shown.text.get(..range.start).and_then(|t| t.rfind('\n')).map_or(0, |i| i.saturating_add(1));
    let line = shown.text.get(begin..).unwrap_or_default().lines().next().unwrap_or_default();
    let before = shown.text.get(begin..range.start).unwrap_or_default().chars().count();
    let inside = shown.text.get(range).unwrap_or_default().lines().next().unwrap_or_default().chars().count();
    let skip = if before.saturating_add(inside) > room { before.saturating_sub(room / 4) } else { 0 };
    let mut text: String = line.chars().skip(skip).take(room).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let mut lead = before.saturating_sub(skip);
    if skip > 0 {
        text.insert(0, '…');
        lead = lead.saturating_add(1);
    }
    if line.chars().count() > skip.saturating_add(room) {
        text.push('…');
    }
    let marks = inside.clamp(1, room.saturating_sub(lead).max(1));
    (text, format!("{}{}", " ".repeat(lead), "^".repeat(marks)))
}

/// A table of counts with bars: the most frequent first, or the last by name.
fn table(out: &mut String, title: &str, mut rows: Vec<(String, Count)>, by_name: bool, about: About) {
    if rows.is_empty() {
        return;
    }
    heading(out, title, about);
    if by_name {
        rows.sort_by(|a, b| b.0.cmp(&a.0));
    } else {
        rows.sort_by(|a, b| (b.1.worst, b.1.commands, &a.0).cmp(&(a.1.worst, a.1.commands, &b.0)));
    }
    let rest = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    if by_name {
        rows.reverse();
    }
    let most = rows.iter().map(|r| r.1.commands).max().unwrap_or(1).max(1);
    let names = rows.iter().map(|r| r.0.chars().count()).max().unwrap_or(0).min(60);
    for (name, count) in &rows {
        let worst = count.worst.unwrap_or(Severity::Info);
        let word = painted(worst, &format!("{:<8}", severity(worst)), about);
        let bar = usize::try_from(count.commands.saturating_mul(30).div_ceil(most)).unwrap_or(0);
        let name: String = visible::line(name).chars().take(60).collect();
        let _ = writeln!(out, "  {word}  {name:<names$}  {:>9}  {}", number(count.commands), "█".repeat(bar));
    }
    if rest > 0 {
        let _ = writeln!(out, "  and {} more", number(rest as u64));
    }
}

/// What was not read, or not wholly.
fn problems(out: &mut String, stats: &Stats, about: About) {
    let odd: Vec<_> = stats.sources.iter().map(|s| (s, s.oddities())).filter(|(_, facts)| !facts.is_empty()).collect();
    if odd.is_empty() && stats.skipped == 0 {
        return;
    }
    heading(out, "Not read", about);
    for (source, facts) in odd.iter().take(ROWS) {
        let _ = writeln!(out, "  {}: {}", visible::line(&source.name), visible::line(&facts.join("; ")));
    }
    if odd.len() > ROWS {
        let _ = writeln!(out, "  and {} more inputs", number(odd.len().saturating_sub(ROWS) as u64));
    }
    if stats.skipped > 0 {
        let _ = writeln!(out, "  {} not of a known format", counted(stats.skipped, "file"));
    }
}

fn painted(severity: Severity, text: &str, about: About) -> String {
    let code = match severity {
        Severity::Critical => "1;31",
        Severity::High => "31",
        Severity::Medium => "33",
        Severity::Low => "36",
        Severity::Info => "2",
    };
    if about.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1_000, 1_234_567].map(number).each_ref().map(String::as_str)
        );
    }

    #[test]
    fn an_excerpt_is_the_line_of_the_place() {
        let command = b"cd x\ncurl http://a | sh\nls";
        assert_eq!(excerpt(command, 5, 23, 80), ("curl http://a | sh".into(), "^".repeat(18)));
        let long = [b"echo ".repeat(100), b"rm -rf ~".to_vec()].concat();
        let (text, marks) = excerpt(&long, 500, 508, 60);
        assert!(text.starts_with('…') && text.ends_with("rm -rf ~") && text.chars().count() <= 60, "{text}");
        let lead = marks.chars().filter(|c| *c == ' ').count();
        assert_eq!(text.chars().skip(lead).collect::<String>(), "rm -rf ~");
    }
}
