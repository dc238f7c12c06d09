//! Verdict → text for people: what, where, why, the safer way.
//!
//! In: the verdict and the command's bytes. Out: text, coloured where asked. Work and output are bounded whatever the
//! command's size: only the part around a finding is shown. Floor 8.

use super::visible::{self, Visible};
use crate::finding::{Finding, Severity, SpanOut};
use crate::redact::{self, Secret};
use crate::verdict::{Action, Class, Verdict};
use annotate_snippets::{AnnotationKind, Group, Level, Message, Renderer, Snippet};

/// How to write.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// With terminal colours.
    pub colour: bool,
    /// Columns.
    pub width: usize,
}

/// Most bytes of the command shown before and after a place, on its line.
const AROUND: usize = 300;
/// Most bytes of one place that are shown.
const SHOWN: usize = 2_000;
/// Most places shown for one finding.
const PLACES: usize = 6;
/// Most findings shown; the rest are counted.
const FINDINGS: usize = 20;
/// Most reasons of the assessment shown.
const REASONS: usize = 8;

/// The whole report. `command` may be empty where it is not to be shown.
pub fn verdict(verdict: &Verdict, command: &[u8], style: Style) -> String {
    let mut out = String::new();
    for finding in verdict.findings.iter().take(FINDINGS) {
        out.push_str(&one(finding, command, style));
        out.push_str("\n\n");
    }
    let rest = verdict.findings.len().saturating_sub(FINDINGS);
    if rest > 0 {
        out.push_str(&format!("and {rest} more findings (all of them with --json)\n\n"));
    }
    out.push_str(&summary(verdict, style));
    out
}

/// The last lines: the answer, and what could not be proven.
fn summary(verdict: &Verdict, style: Style) -> String {
    let (level, word) = match verdict.action {
        Action::Allow => (Level::INFO, "allow"),
        Action::Warn => (Level::WARNING, "warn"),
        Action::Block => (Level::ERROR, "block"),
    };
    let text = match (verdict.findings.len(), verdict.assessment.class) {
        (0, Class::Safe) => "every effect is known and harmless".to_string(),
        (0, _) => "nothing dangerous was found, but it is not proven safe".to_string(),
        (1, _) => "1 finding".to_string(),
        (n, _) => format!("{n} findings"),
    };
    let mut group = Group::with_title(level.with_name(word).primary_title(text));
    if verdict.assessment.class == Class::Unknown {
        for reason in verdict.assessment.reasons.iter().take(REASONS) {
            group = group.element(message("unknown", reason, style));
        }
        let rest = verdict.assessment.reasons.len().saturating_sub(REASONS);
        if rest > 0 {
            group = group.element(message("unknown", &format!("and {rest} more reasons"), style));
        }
    }
    for entry in verdict.policy.iter().take(REASONS) {
        group = group.element(message("policy", &entry.to_string(), style));
    }
    let rest = verdict.policy.len().saturating_sub(REASONS);
    if rest > 0 {
        group = group.element(message("policy", &format!("and {rest} more entries"), style));
    }
    let mut text = render(group, style);
    text.push('\n');
    text
}

/// One finding, with its places in the command.
pub fn finding(finding: &Finding, command: &[u8], style: Style) -> String {
    one(finding, command, style)
}

fn one(finding: &Finding, command: &[u8], style: Style) -> String {
    let level = match finding.severity {
        Severity::Critical | Severity::High => Level::ERROR,
        Severity::Medium | Severity::Low => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let name = match finding.severity {
        Severity::Critical => "CRITICAL",
        Severity::High => "HIGH",
        Severity::Medium => "MEDIUM",
        Severity::Low => "LOW",
        Severity::Info => "INFO",
    };
    let mut group =
        Group::with_title(level.with_name(name).primary_title(visible::line(&finding.title)).id(finding.rule_id));
    let window = Window::around(finding, command);
    if let Some(window) = &window {
        group = group.element(window.snippet(finding));
    }
    let mut why = finding.description.clone();
    if let Some(id) = finding.mitre_id {
        why.push_str(&format!(" [{id}]"));
    }
    group = group.element(message("why", &why, style));
    if finding.path.len() > 1 {
        let steps: Vec<String> = finding.path.iter().map(|s| format!("{} ({})", s.language, s.reached)).collect();
        group = group.element(message("inside", &steps.join(" > "), style));
    }
    // The description ends with the safer way; it is not said twice.
    if !finding.remediation.is_empty() && !finding.description.contains(&finding.remediation) {
        group = group.element(message("safer", &finding.remediation, style));
    }
    if let Some(fix) = &finding.fix {
        group = group.element(message("instead", fix, style));
    }
    render(group, style)
}

/// A line of prose below a snippet, wrapped, with nothing invisible in it.
fn message<'a>(name: &'static str, text: &str, style: Style) -> Message<'a> {
    // The gutter, the name and the sign before the text take their part of the line.
    let room = style.width.saturating_sub(name.len().saturating_add(10)).max(30);
    Level::NOTE.with_name(name).message(wrap(&visible::lines(text), room))
}

fn render(group: Group<'_>, style: Style) -> String {
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(style.width).render(&[group])
}

/// Breaks lines at spaces so that none has more than `room` characters, words that are longer aside.
fn wrap(text: &str, room: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let mut used = 0usize;
        for word in line.split(' ') {
            let length = word.chars().count();
            if used > 0 && used.saturating_add(length).saturating_add(1) > room {
                out.push('\n');
                used = 0;
            } else if used > 0 {
                out.push(' ');
                used = used.saturating_add(1);
            }
            out.push_str(word);
            used = used.saturating_add(length);
        }
    }
    out
}

/// The part of the command that a finding is about.
struct Window {
    /// Where it begins in the command.
    start: usize,
    /// The line it begins on, from 1.
    line: usize,
    /// What is shown, with a mark where the line goes on.
    shown: Visible,
    /// Bytes of the mark before it.
    lead: usize,
    /// The bytes of the command that are shown.
    length: usize,
}

impl Window {
    fn around(finding: &Finding, command: &[u8]) -> Option<Window> {
        let at = clip(primary(finding), command);
        if command.is_empty() {
            return None;
        }
        let before = command.get(..at.0)?;
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i.saturating_add(1));
        let start = line_start.max(at.0.saturating_sub(AROUND));
        let last = at.1.saturating_sub(1).max(at.0);
        let after = command.get(last..)?;
        let line_end = after.iter().position(|b| *b == b'\n').map_or(command.len(), |i| last.saturating_add(i));
        let end = line_end.min(at.1.saturating_add(AROUND)).max(start);
        let (start, end) = (boundary(command, start), boundary(command, end));
        let bytes = command.get(start..end)?;
        // A secret may begin before what is shown, or end after it.
        let from = start.saturating_sub(AROUND).max(line_start);
        let near = command.get(from..end.saturating_add(AROUND).min(command.len()))?;
        let inside = |at: usize| from.saturating_add(at).clamp(start, end).saturating_sub(start);
        let mark = "…".as_bytes();
        let lead = if start > line_start { mark.len() } else { 0 };
        let mut text = Vec::with_capacity(bytes.len().saturating_add(6));
        text.extend_from_slice(mark.get(..lead).unwrap_or_default());
        text.extend_from_slice(bytes);
        if end < line_end {
            text.extend_from_slice(mark);
        }
        let line = before.iter().filter(|b| **b == b'\n').count().saturating_add(1);
        let secrets: Vec<Secret> = redact::concealed(near)
            .into_iter()
            .map(|s| Secret {
                start: inside(s.start).saturating_add(lead),
                end: inside(s.end).saturating_add(lead),
                ..s
            })
            .filter(|s| s.start < s.end)
            .collect();
        Some(Window { start, line, shown: Visible::hiding(&text, &secrets), lead, length: bytes.len() })
    }

    /// The range of the shown text for a span of the command, where it lies in the window.
    fn range(&self, span: SpanOut) -> Option<std::ops::Range<usize>> {
        let (start, end) = (span.start as usize, span.end as usize);
        let window_end = self.start.saturating_add(self.length);
        if start < self.start || start > window_end {
            return None;
        }
        let inside = |at: usize| at.min(window_end).saturating_sub(self.start).saturating_add(self.lead);
        Some(self.shown.range(inside(start), inside(end)))
    }

    fn snippet(&self, finding: &Finding) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let mut snippet = Snippet::source(self.shown.text.as_str()).line_start(self.line);
        let mut marks: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        for evidence in finding.evidence.iter().take(PLACES) {
            let Some(range) = self.range(evidence.span) else { continue };
            let label = visible::line(&evidence.label);
            match marks.iter_mut().find(|(r, _)| *r == range) {
                Some((_, text)) if !text.contains(&label) => *text = format!("{text}; {label}"),
                Some(_) => {}
                None => marks.push((range, label)),
            }
        }
        if marks.is_empty() {
            marks.extend(self.range(finding.span).map(|r| (r, String::new())));
        }
        for (i, (range, label)) in marks.into_iter().enumerate() {
            let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let mut annotation = kind.span(range);
            if !label.is_empty() {
                annotation = annotation.label(label);
            }
            snippet = snippet.annotation(annotation);
        }
        snippet
    }
}

/// The place that the window is put around: the finding's own, which covers its evidence.
fn primary(finding: &Finding) -> SpanOut {
    let spans = finding.evidence.iter().take(PLACES).map(|e| e.span);
    spans.fold(finding.span, |a, b| SpanOut { start: a.start.min(b.start), end: a.end.max(b.end) })
}

/// The span's offsets inside the command, its length bounded.
fn clip(span: SpanOut, command: &[u8]) -> (usize, usize) {
    let start = (span.start as usize).min(command.len());
    let end = (span.end as usize).clamp(start, command.len());
    (start, end.min(start.saturating_add(SHOWN)))
}

/// The offset moved back to the start of the character it lies in.
fn boundary(command: &[u8], mut at: usize) -> usize {
    for _ in 0..3 {
        match command.get(at) {
            Some(b) if b & 0xC0 == 0x80 => at = at.saturating_sub(1),
            _ => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Confidence, Evidence, PathStep};

    const PLAIN: Style = Style { colour: false, width: 80 };

    fn finding(spans: &[(u32, u32, &str)]) -> Finding {
        let span = |a: u32, b: u32| SpanOut { start: a, end: b };
        let evidence = spans.iter().map(|(a, b, label)| Evidence {
            kind: "flow",
            label: (*label).into(),
            matched: String::new(),
            span: span(*a, *b),
            details: vec![],
        });
        Finding {
            rule_id: "some_rule",
            severity: Severity::High,
            confidence: Confidence::High,
            title: "Pipe to interpreter: curl | sh".into(),
            description: "What is downloaded runs at once. Save it, read it, then run it.".into(),
            evidence: evidence.collect(),
            span: spans.iter().map(|(a, b, _)| span(*a, *b)).next().unwrap(),
            path: vec![],
            mitre_id: Some("T1059.004"),
            remediation: "curl -o x.sh U, read x.sh, sh x.sh".into(),
            fix: None,
            floor: false,
        }
    }

    #[test]
    fn a_finding_shows_what_where_why_and_the_safer_way() {
        let text = one(&finding(&[(8, 10, "is evaluated by"), (0, 6, "is fetched")]), b"curl -s | sh", PLAIN);
        let want = "\
HIGH[some_rule]: Pipe to interpreter: curl | sh
  |
1 | curl -s | sh
  | ------  ^^ is evaluated by
  | |
  | is fetched
  |
  = why: What is downloaded runs at once. Save it, read it, then run it.
         [T1059.004]
  = safer: curl -o x.sh U, read x.sh, sh x.sh";
        assert_eq!(text, want);
    }

    #[test]
    fn places_on_several_lines_keep_their_line_numbers() {
        let text = one(&finding(&[(3, 11, "here")]), b"ls\nfoo \\\nbar\nbaz", PLAIN);
        assert!(text.contains("2 | / foo \\\n3 | | bar\n  | |__^ here"), "{text}");
        assert!(!text.contains("baz"), "{text}");
    }

    #[test]
    fn the_mark_stands_under_wide_and_hidden_characters() {
        let command = "日本\u{202E}\x1b rm".as_bytes();
        let text = one(&finding(&[(6, 10, "hidden")]), command, PLAIN);
        assert!(text.contains("1 | 日本<U+202E>␛ rm\n  |     ^^^^^^^^^ hidden"), "{text}");
    }

    #[test]
    fn a_huge_command_is_shown_in_part() {
        let mut command = vec![b'a'; 5 << 20];
        command.extend_from_slice(b"; rm");
        let at = command.len() as u32;
        let text = one(&finding(&[(at - 2, at, "here")]), &command, PLAIN);
        assert!(text.len() < 2_000 && text.contains("; rm"), "{text}");
        let text = one(&finding(&[(0, at, "all of it")]), &command, PLAIN);
        assert!(text.len() < 4_000 && text.contains("all of it"), "{text}");
    }

    #[test]
    fn secrets_are_not_shown() {
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        let command = format!("aws --key {key} rm");
        let at = command.len() as u32;
        let text = one(&finding(&[(at - 2, at, "here"), (10, 30, "key")]), command.as_bytes(), PLAIN);
        assert!(!text.contains(&key) && text.contains("--key [redacted:aws-access-key:"), "{text}");
        assert!(text.contains("rm\n"), "{text}");
    }

    #[test]
    fn places_outside_the_command_are_survived() {
        for command in [&b""[..], b"ls", "é".as_bytes()] {
            for span in [(0, 0), (1, 1), (1, 2), (5, 9), (9, 5), (u32::MAX, u32::MAX)] {
                let text = one(&finding(&[(span.0, span.1, "here")]), command, PLAIN);
                assert!(text.starts_with("HIGH[some_rule]"), "{text}");
            }
        }
    }

    #[test]
    fn titles_cannot_drive_the_terminal() {
        let mut f = finding(&[(0, 1, "\x1b]0;x\x07")]);
        f.title = "\x1b[2J\nallow: fine".into();
        f.fix = Some("\x1b[1A".into());
        f.path = vec![PathStep { language: "sh", reached: "root", span: f.span }; 2];
        let text = one(&f, b"ls", PLAIN);
        assert!(!text.contains('\x1b') && !text.contains("\nallow"), "{text}");
    }
}
