//! An audit → one HTML file that needs nothing else: charts, pictures of the worst commands, and all findings to search.
//!
//! Floor 8. Everything that comes from a history is escaped where it is put into the page ([`text`]), and the findings
//! are data that the page's script puts into the document as text, never as markup. A policy in the page lets no other
//! script run, and nothing be loaded. What needs no script (summary, charts, pictures) is there without one.

mod chart;
mod data;
pub mod flow;

pub use data::Findings;

use super::records::{SEVERITIES, severity};
use super::{counted, number};
use crate::audit::stats::{Count, Stats};
use crate::audit::time;
use crate::finding::Severity;
use crate::rules;
use std::fmt::Write;
use std::hash::BuildHasher;
use std::io;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the page is made of.
#[derive(Debug)]
pub struct Page<'a> {
    /// The summary.
    pub stats: &'a Stats,
    /// The commands with findings.
    pub findings: &'a Findings,
    /// Pictures of the worst commands.
    pub pictures: Vec<flow::Picture>,
    /// False where the audit was stopped.
    pub whole: bool,
}

/// A text for the content of an element or a quoted attribute.
pub(crate) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The class of a severity in the style sheet.
fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "critical",
        Severity::High => "high",
        Severity::Medium => "medium",
        Severity::Low => "low",
        Severity::Info => "info",
    }
}

/// Writes the whole file.
pub fn write(page: &Page<'_>, file: &mut impl io::Write) -> io::Result<()> {
    // The page's own script is the one that knows this word.
    let nonce = format!("{:016x}", std::collections::hash_map::RandomState::new().hash_one("page"));
    let mut out = String::with_capacity(1 << 16);
    let stats = page.stats;
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Shellward audit</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<a class=\"skip\" href=\"#findings\">Skip to the findings</a>\n<header>\n<h1>Shellward audit</h1>\n"
    );
    let _ = writeln!(out, "<p>{}</p>", text(&headline(stats)));
    if !page.whole {
        out.push_str("<p class=\"note\">Stopped before the end: this is what was seen so far.</p>\n");
    }
    out.push_str("</header>\n<main>\n");
    tiles(&mut out, stats);
    out.push_str("<div class=\"charts\">\n");
    chart::timeline(&mut out, stats);
    chart::hours(&mut out, stats);
    let rules = stats.rules.iter().map(|(r, c)| ((*r).to_string(), *c)).collect();
    breakdown(&mut out, "Rules", "rule", rules, |id| rules::find(id).map(|r| r.title));
    let techniques = stats.techniques.iter().map(|(t, c)| ((*t).to_string(), *c)).collect();
    breakdown(&mut out, "ATT&CK techniques", "mitre", techniques, rules::technique);
    let hosts = stats.hosts.iter().map(|(h, c)| (h.to_string(), *c)).collect();
    breakdown(&mut out, "Hosts", "host", hosts, |_| None);
    let users = stats.users.iter().map(|(u, c)| (u.to_string(), *c)).collect();
    breakdown(&mut out, "Users", "user", users, |_| None);
    out.push_str("</div>\n");
    flow::section(&mut out, &page.pictures);
    out.push_str(FINDINGS);
    let left_out = page.findings.left_out();
    if left_out > 0 {
        let _ = writeln!(out, "<p class=\"note\">{} less severe commands are not in this list.</p>", number(left_out));
    }
    out.push_str("</section>\n");
    problems(&mut out, stats);
    out.push_str("</main>\n<script type=\"application/json\" id=\"data\">");
    file.write_all(out.as_bytes())?;
    page.findings.write(file)?;
    write!(file, "</script>\n<script nonce=\"{nonce}\">\n{SCRIPT}</script>\n</body>\n</html>\n")
}

const FINDINGS: &str = "<section id=\"findings\" aria-labelledby=\"findings-title\" tabindex=\"-1\">\n\
<h2 id=\"findings-title\">Findings</h2>\n<noscript><p class=\"note\">The list needs JavaScript.</p></noscript>\n\
<form id=\"filters\" role=\"search\">\n\
<label>Search <input type=\"search\" id=\"search\" placeholder=\"command, rule, file\" autocomplete=\"off\"></label>\n\
<label>Severity <select id=\"severity\"></select></label>\n<label>Rule <select id=\"rule\"></select></label>\n\
<label>Technique <select id=\"mitre\"></select></label>\n<label>User <select id=\"user\"></select></label>\n\
<label>Host <select id=\"host\"></select></label>\n<label>From <input type=\"date\" id=\"from\"></label>\n\
<label>To <input type=\"date\" id=\"to\"></label>\n<button type=\"reset\">Clear</button>\n</form>\n\
<p id=\"count\" role=\"status\"></p>\n<div class=\"split\">\n\
<div id=\"list\" role=\"grid\" tabindex=\"0\" aria-label=\"Commands with findings\">\
<div class=\"row head\" role=\"row\" aria-rowindex=\"1\"><span role=\"columnheader\">Severity</span>\
<span role=\"columnheader\">When (UTC)</span><span role=\"columnheader\">Who</span><span role=\"columnheader\">Command</span></div>\
<div id=\"space\" role=\"rowgroup\"></div></div>\n\
<article id=\"detail\" tabindex=\"0\" aria-live=\"polite\" aria-label=\"The chosen command\"></article>\n</div>\n";

fn headline(stats: &Stats) -> String {
    let read = stats.sources.iter().filter(|s| !s.format.is_empty()).count();
    let mut line = format!(
        "{} from {}, {} with findings",
        counted(stats.commands, "command"),
        counted(u64::try_from(read).unwrap_or(0), "input"),
        number(stats.found)
    );
    if let Some((first, last)) = stats.range {
        let _ = write!(line, ", {} to {} (UTC)", time::day(first), time::day(last));
    }
    line
}

fn tiles(out: &mut String, stats: &Stats) {
    out.push_str("<ul class=\"tiles\">\n");
    for s in SEVERITIES {
        let n = stats.severities.get(s as usize).copied().unwrap_or(0);
        let _ = writeln!(
            out,
            "<li><button type=\"button\" class=\"tile {}\" data-field=\"severity\" data-value=\"{}\"><b>{}</b> {}</button></li>",
            class(s),
            s as usize,
            number(n),
            severity(s)
        );
    }
    out.push_str("</ul>\n");
}

/// Most rows of a breakdown.
const ROWS: usize = 20;

fn breakdown(
    out: &mut String,
    title: &str,
    field: &str,
    mut rows: Vec<(String, Count)>,
    about: impl Fn(&str) -> Option<&'static str>,
) {
    if rows.is_empty() {
        return;
    }
    rows.sort_by(|a, b| (b.1.worst, b.1.commands, &a.0).cmp(&(a.1.worst, a.1.commands, &b.0)));
    let rest = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    let most = rows.iter().map(|r| r.1.commands).max().unwrap_or(1).max(1);
    let _ = writeln!(out, "<section class=\"card\"><h2>{}</h2>\n<ul class=\"bars\">", text(title));
    for (name, count) in &rows {
        let shown = super::visible::line(name);
        let width = count.commands.saturating_mul(100).div_ceil(most);
        let long = about(name).map(|a| format!(" title=\"{}\"", text(a))).unwrap_or_default();
        let about = about(name).map(|a| format!(" <i>{}</i>", text(a))).unwrap_or_default();
        let _ = writeln!(
            out,
            "<li><button type=\"button\"{long} data-field=\"{field}\" data-value=\"{value}\"><span>{name}{about}</span> <b>{n}</b>\
             <svg aria-hidden=\"true\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\"><rect class=\"{class}\" \
             width=\"{width}\" height=\"4\"/></svg></button></li>",
            value = text(&shown),
            name = text(&shown),
            n = number(count.commands),
            class = class(count.worst.unwrap_or(Severity::Info)),
        );
    }
    out.push_str("</ul>\n");
    if rest > 0 {
        let _ = writeln!(out, "<p>and {rest} more</p>");
    }
    out.push_str("</section>\n");
}

fn problems(out: &mut String, stats: &Stats) {
    let told = stats.sources.iter().map(|s| (s, s.oddities())).filter(|(_, facts)| !facts.is_empty());
    let odd: Vec<_> = told.take(1_000).collect();
    if odd.is_empty() {
        return;
    }
    out.push_str("<section class=\"card\"><h2>Not read, or not wholly</h2>\n<ul>\n");
    for (source, facts) in odd {
        let line = super::visible::line(&format!("{}: {}", source.name, facts.join("; ")));
        let _ = writeln!(out, "<li>{}</li>", text(&line));
    }
    out.push_str("</ul>\n</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(text("<b a='\"'>&"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
    }
}
