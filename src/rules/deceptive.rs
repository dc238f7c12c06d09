//! Text that deceives its reader: characters that are not seen, that redraw the screen, or that look like others.
//!
//! In: the texts, for characters that `text` marks; the words of commands and the paths of effects, for letters that
//! look like others. Out: findings of the family *deceptive text*, with the code points and a rendering in which every
//! character can be seen. Prose is left alone: what an argument says in its own language is nobody's trick.

use super::{Category, Draft, Facts, Findings, Rule};
use crate::effect::{CLIPBOARD, Object, Verb};
use crate::finding::Severity;
use crate::source::{Place, Span, TextId};
use crate::text::{Kind, Mark, confusable, disguised, false_hyphen, points, shown};
use crate::value::Value;

/// Most places of one kind that a finding shows.
const MAX_SHOWN: usize = 8;
/// Blanks on one line that push what follows out of sight: more than a screen is wide.
const MANY_BLANKS: usize = 160;
/// Empty lines that do: more than a screen is high.
const MANY_LINES: usize = 60;

const fn rule(
    names: (&'static str, &'static str, Severity),
    words: (&'static str, &'static str),
    examples: (&'static [&'static str], &'static [&'static str]),
    check: fn(&Facts<'_>, &'static Rule, &mut Findings),
) -> Rule {
    Rule::of_disguise(Category::Evasion, names, words, examples, check)
}

pub(super) const RULES: &[Rule] = &[
    rule(
        ("bidi_controls", "Characters that turn the direction of text", Severity::High),
        (
            "The text has characters that make a screen show it in another order than it is run in. Remove them before \
             the command is run.",
            "Remove the characters; type the command again.",
        ),
        (&["echo שלום"], &["echo safe\u{202E}fr- mr\u{202C}"]),
        |f, r, out| of_kinds(f, r, &[Kind::Bidi], out),
    ),
    rule(
        ("zero_width_chars", "Characters without width", Severity::Medium),
        (
            "The text has characters that take no room on the screen, so that a name is another one than it reads. \
             Remove them before the command is run.",
            "Remove the characters; type the command again.",
        ),
        (&["echo 👩\u{200D}💻", "echo می\u{200C}خواهم"], &["echo a\u{200B}b", "ls \u{2060}x"]),
        |f, r, out| of_kinds(f, r, &[Kind::ZeroWidth], out),
    ),
    rule(
        ("unicode_tags", "Hidden text in tag characters", Severity::High),
        (
            "The text has tag characters: ASCII that no screen shows, and that a language model reads. Remove them before \
             the command is run.",
            "Remove the characters.",
        ),
        (&["echo 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"], &["echo hi\u{E0072}\u{E006D}"]),
        |f, r, out| of_kinds(f, r, &[Kind::Tag], out),
    ),
    rule(
        ("variation_selectors", "Variation selectors with nothing to vary", Severity::Medium),
        (
            "The text has variation selectors where there is nothing for them to choose the form of: they are not seen, \
             and can carry hidden data. Remove them before the command is run.",
            "Remove the characters.",
        ),
        (&["echo ❤\u{FE0F}"], &["echo a\u{FE01}\u{FE02}\u{FE03}"]),
        |f, r, out| of_kinds(f, r, &[Kind::Selector], out),
    ),
    rule(
        ("invisible_fillers", "Letters that are blank", Severity::Medium),
        (
            "The text has letters or operators that show as a blank or as nothing, though no shell takes them as one. \
             Remove them before the command is run.",
            "Remove the characters; type the command again.",
        ),
        (&["echo ⠓⠊⠀⠓⠊"], &["cat f\u{3164}"]),
        |f, r, out| of_kinds(f, r, &[Kind::Filler], out),
    ),
    rule(
        ("ansi_escapes", "Escape sequences of the terminal", Severity::High),
        (
            "The text has bytes that a terminal obeys: they colour, move, erase or hide what is shown, set the title or \
             the clipboard, or end a paste. What is seen is then not what is run. Remove them, or write them as \\e in \
             quotes.",
            "Remove the sequences; to colour output, write them as printf '\\033[…m'.",
        ),
        (
            &["printf '\\033[31mred\\033[0m'", "echo -e '\\e[1mbold\\e[0m'"],
            &["echo \u{1b}[2J", "ls \u{1b}]52;c;aWQ=\u{7}"],
        ),
        escapes,
    ),
    rule(
        ("control_chars", "Control characters", Severity::High),
        (
            "The text has control characters that a terminal obeys: a carriage return writes over what stands before it, \
             a backspace takes it back, others ring or stop. What is seen is then not what is run. Remove them.",
            "Remove the characters; type the command again.",
        ),
        (&["echo a\r\necho b\r\n", "printf 'a\\rb'"], &["rm x #\rls      ", "rm\u{8}\u{8}ls"]),
        |f, r, out| of_kinds(f, r, &[Kind::Back, Kind::Overprint, Kind::Control], out),
    ),
    rule(
        ("hidden_text", "Text pushed out of sight", Severity::Medium),
        (
            "So many blanks or empty lines stand before a part of the text that it is not on the screen where the \
             beginning is. Look at the whole text before it is run.",
            "Scroll to the end, or look at it with the blanks removed.",
        ),
        (
            &["echo a; echo b", "cat <<E\na\n\n\n\nb\nE"],
            &[
                "ls                                                                                                                                                                                                  ; id",
            ],
        ),
        hidden,
    ),
    rule(
        ("confusable_text", "Letters that look like others", Severity::High),
        (
            "A command, option or path has letters of another script that look like ASCII ones, or a dash that is no \
             hyphen: it is another one than it reads. Type it again.",
            "Type the word again, in plain letters.",
        ),
        (
            &["echo привет", "cat 日本語.txt", "git commit -m '– done'", "echo – rf"],
            &["ѕudo id", "cat /etc/раsswd", "rm –rf x"],
        ),
        confusables,
    ),
];

type Marked = (TextId, Mark);

fn of_kinds(facts: &Facts<'_>, rule: &'static Rule, kinds: &[Kind], out: &mut Findings) {
    if facts.deceptive().is_empty() {
        return;
    }
    let found = facts.deceptive().iter().filter(|(_, m)| kinds.contains(&m.kind)).collect::<Vec<_>>();
    report(facts, rule, &found, out);
}

/// One finding for all of them, placed at the first.
fn report(facts: &Facts<'_>, rule: &'static Rule, found: &[&Marked], out: &mut Findings) {
    if let Some(d) = drawn(facts, rule, found) {
        let control = |m: &Mark| m.kind == Kind::Control;
        let mild = found.iter().all(|(_, m)| control(m));
        out.add(if mild { d.severity(Severity::Medium) } else { d });
    }
}

fn drawn<'f, 'a>(facts: &'f Facts<'a>, rule: &'static Rule, found: &[&Marked]) -> Option<Draft<'f, 'a>> {
    let place = |id: TextId, m: &Mark| Place::new(id, Span::new(m.start, m.end));
    let (id, first) = found.first()?;
    let mut d = rule.at(facts, place(*id, first)).title(match found.len() {
        1 => format!("{}: {}", rule.title, around(facts, *id, first)),
        n => format!("{}: {} ({n} places)", rule.title, around(facts, *id, first)),
    });
    for (id, m) in found.iter().take(MAX_SHOWN) {
        let bytes = facts.source.bytes(*id);
        let run = String::from_utf8_lossy(bytes.get(m.start..m.end).unwrap_or_default()).into_owned();
        d = d
            .evidence_as("text", m.kind.says(), around(facts, *id, m), place(*id, m))
            .detail("code_points", points(&run.chars().collect::<Vec<_>>()));
        // Tags are ASCII, shifted: what they say can be shown.
        let said: String = run.chars().filter_map(untagged).collect();
        if !said.is_empty() {
            d = d.detail("says", said);
        }
    }
    Some(d)
}

fn untagged(c: char) -> Option<char> {
    let ascii = u32::from(c).checked_sub(0xE0000).filter(|n| (0x20..0x7F).contains(n))?;
    char::from_u32(ascii)
}

/// The mark with the text around it, all of it visible.
fn around(facts: &Facts<'_>, id: TextId, m: &Mark) -> String {
    const AROUND: usize = 24;
    let bytes = facts.source.bytes(id);
    let start = m.start.saturating_sub(AROUND);
    let end = m.end.min(m.start.saturating_add(120)).saturating_add(AROUND).min(bytes.len());
    let text = String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).into_owned();
    shown(text.trim_matches('\u{FFFD}'))
}

fn escapes(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    // A computed text may well colour what it prints.
    let all: Vec<&Marked> = facts
        .deceptive()
        .iter()
        .filter(|(id, m)| *id == TextId::ROOT && matches!(m.kind, Kind::Colour | Kind::Screen | Kind::Terminal))
        .collect();
    // Colour hides nothing, but is not what is typed either.
    let colour = all.iter().all(|(_, m)| m.kind == Kind::Colour);
    if let Some(d) = drawn(facts, rule, &all) {
        out.add(if colour { d.severity(Severity::Low) } else { d });
    }
    // What a program makes of its words and prints (printf '\e]52;…').
    for e in facts.effects().filter(|e| e.verb == Verb::Interact) {
        if let Object::Stated(what @ CLIPBOARD) = e.object {
            out.add(
                rule.at(facts, e.place)
                    .severity(Severity::Medium)
                    .title(format!("{}: the clipboard is set", rule.title))
                    .evidence_as("text", "sets the clipboard", what, e.place),
            );
        }
    }
    // Words whose quotes make such bytes ($'\e]52;…'): what is sent to the terminal talks to it.
    for word in facts.graph.processes.iter().flat_map(|p| &p.argv) {
        let Some(bytes) = word.as_literal().filter(|b| b.contains(&0x1B)) else { continue };
        if bytes.windows(4).any(|w| w == b"\x1b]52") {
            let text = shown(&String::from_utf8_lossy(&bytes));
            out.add(
                rule.at(facts, word.place())
                    .severity(Severity::Medium)
                    .title(format!("{}: the clipboard is set", rule.title))
                    .evidence_as("text", "sets the clipboard", text, word.place()),
            );
        }
    }
}

/// True where a command begins there, or behind a separator there.
fn begins_command(facts: &Facts<'_>, at: usize) -> bool {
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    let near = at..=at.saturating_add(4);
    facts.graph.processes.iter().any(|p| p.place.text == TextId::ROOT && near.contains(&p.place.span.start))
}

fn hidden(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let bytes = facts.source.bytes(TextId::ROOT);
    if bytes.len() < MANY_LINES {
        return;
    }
    let (mut blanks, mut lines) = (0usize, 0usize);
    // Nothing is hidden by blanks at the begin or end.
    let mut begun = false;
    for (at, b) in bytes.iter().enumerate() {
        match b {
            b' ' | b'\t' => blanks = blanks.saturating_add(1),
            b'\n' | b'\r' => {
                blanks = 0;
                lines = lines.saturating_add(1);
            }
            _ => {
                if begun && (blanks >= MANY_BLANKS || lines >= MANY_LINES) && begins_command(facts, at) {
                    let end = bytes.len().min(at.saturating_add(80));
                    let place = Place::new(TextId::ROOT, Span::new(at, end));
                    let what = shown(&facts.source.show(place));
                    out.add(
                        rule.at(facts, place)
                            .title(format!("{}: {what}", rule.title))
                            .evidence_as("text", "stands out of sight", &what, place)
                            .detail("blanks", blanks.to_string())
                            .detail("lines", lines.to_string()),
                    );
                    return;
                }
                begun = true;
                (blanks, lines) = (0, 0);
            }
        }
    }
}

fn confusables(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let mut add = |word: &Value, text: &str, all: &[char], severity, says: &str| {
        out.add(
            rule.at(facts, word.place())
                .severity(severity)
                .title(format!("{}: {} ({})", rule.title, shown(text), points(all)))
                .evidence_as("text", says, shown(text), word.place())
                .detail("code_points", points(all))
                .detail("read_as", crate::url::known::fold(text)),
        );
    };
    let plain = |word: &Value| word.as_literal().is_none_or(|b| b.is_ascii());
    // Names and paths, as the grammars know them. Of other words only those are told that could be names.
    let mut told: Vec<String> = Vec::new();
    for e in facts.effects() {
        let (named, says) = match &e.object {
            Object::Path(v) => (v, "is another path than it reads"),
            Object::Package(_, v) | Object::Named(_, v) => (v, "is another name than it reads"),
            _ => continue,
        };
        if plain(named) {
            continue;
        }
        let Some(text) = named.as_str() else { continue };
        let is_name = matches!(e.object, Object::Path(_)) || !text.contains(char::is_whitespace);
        let all = confusable(&text, false);
        if is_name && !all.is_empty() && !told.iter().any(|t| *t == text) {
            add(named, &text, &all, Severity::Medium, says);
            told.push(text.into_owned());
        }
    }
    for p in &facts.graph.processes {
        for (i, word) in p.argv.iter().enumerate().filter(|(_, w)| !plain(w)) {
            let Some(text) = word.as_str() else { continue };
            // A blank that the shell takes for a letter: one that was copied along, mostly.
            let blanks: Vec<char> = text.trim().chars().filter(|c| c.is_whitespace() && !c.is_ascii()).collect();
            if !blanks.is_empty() && !text.contains(' ') && (i == 0 || text.starts_with('-')) {
                add(word, &text, &blanks, Severity::Low, "has a blank in it that separates nothing");
            }
            if i == 0 {
                let all = confusable(&text, true);
                if !all.is_empty() {
                    // All of it full-width: what an input method writes, and no command at all.
                    let typed = text.chars().all(crate::text::is_ascii_in_disguise);
                    let severity = if typed { Severity::Info } else { Severity::High };
                    add(word, &text, &all, severity, "is another command than it reads");
                }
            } else if let Some(dash) = false_hyphen(&text) {
                // Mostly the work of a text processor.
                add(word, &text, &[dash], Severity::Info, "is no option");
            } else if text.starts_with('-') {
                let name = text.split('=').next().unwrap_or(&text);
                let all = confusable(name, false);
                // The text of a message may follow a short option without a blank.
                if !all.is_empty() && !name.contains(' ') {
                    add(word, name, &all, Severity::Medium, "is another option than it reads");
                }
            } else if !text.contains('.') && !told.iter().any(|t| text.contains(t.as_str())) {
                // With a dot it may be a host, whose letters have rules of their own.
                let all = disguised(&text);
                if !all.is_empty() {
                    add(word, &text, &all, Severity::Low, "is another word than it reads");
                }
            }
        }
    }
}
