//! Effect graph → the plain lists of a verdict (`programs`, `commands`, `effects`).
//!
//! In: the texts and the graph of one analysis. Out: [`ProgramOut`], [`CommandOut`] and [`EffectOut`], spans in the outermost text,
//! secrets taken out, every string bounded. Floor 3; imports `source`, `limits`, `value`, `effect`, `redact`. It judges nothing.

use super::{CommandOut, EffectOut, FlowOut, ProgramOut, UnknownOut};
use crate::effect::graph::{Graph, Process, ProgramNode, Reach};
use crate::effect::{Certainty, Effect, Object, ProcessId, Site};
use crate::finding::SpanOut;
use crate::limits::{MAX_PROGRAM_TEXTS_OUT, MAX_SHOWN, MAX_TEXT_OUT};
use crate::source::{Place, Source};
use crate::value::{Channel, Piece, Value};
use std::borrow::Cow;

/// How far behind a cut the end of a secret is looked for, in bytes: more than a private key has.
const LONGEST_SECRET: usize = 8 << 10;

impl Reach {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Reach::Root => "root",
            Reach::Substitution => "substitution",
            Reach::Heredoc => "heredoc",
            Reach::Argument => "argument",
            Reach::Stdin => "stdin",
            Reach::File => "file",
            Reach::Variable => "variable",
            Reach::Deferred => "deferred",
            Reach::Later => "later",
        }
    }
}

impl Certainty {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Possible => "possible",
            Certainty::Conditional => "conditional",
            Certainty::Certain => "certain",
        }
    }
}

impl Channel {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Channel::Pipe => "pipe",
            Channel::Substitution => "substitution",
            Channel::ProcessSubstitution => "process_substitution",
            Channel::HereString => "here_string",
            Channel::Heredoc => "heredoc",
            Channel::File => "file",
            Channel::Variable => "variable",
            Channel::Argument => "argument",
            Channel::Filter => "filter",
            Channel::Socket => "socket",
        }
    }
}

impl Object {
    /// The name of its kind in output; for a thing with a name the kind that the grammar gave it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Object::None => "none",
            Object::Path(_) => "path",
            Object::Url(_) => "url",
            Object::Host(_) => "host",
            Object::Socket(..) => "socket",
            Object::Code(..) => "code",
            Object::Command(_) => "command",
            Object::Package(..) => "package",
            Object::Named(kind, _) => kind,
            Object::Stated(_) => "stated",
        }
    }
}

/// The span of `place` in the outermost text.
pub fn span_out(source: &Source, place: Place) -> SpanOut {
    let span = source.outermost(place);
    SpanOut { start: span.start, end: span.end }
}

/// Every program of the graph, the root first, texts cut to [`MAX_TEXT_OUT`] bytes each and [`MAX_PROGRAM_TEXTS_OUT`]
/// together, so that a text nested a hundred deep is not printed a hundred times.
pub fn programs(source: &Source, graph: &Graph) -> Vec<ProgramOut> {
    let mut left = MAX_PROGRAM_TEXTS_OUT;
    graph
        .programs
        .iter()
        .map(|node| {
            let bytes = program_text(source, node);
            let text = hidden_cut(bytes, left.min(MAX_TEXT_OUT));
            left = left.saturating_sub(text.len());
            ProgramOut {
                language: node.language.name(),
                text,
                span: if node.parent.is_some() {
                    span_out(source, node.place)
                } else {
                    SpanOut { start: 0, end: u32::try_from(bytes.len()).unwrap_or(u32::MAX) }
                },
                reached: node.reach.name(),
                by: node.by.and_then(|p| graph.process(p)).map(|p| cut(p.name.as_bytes(), MAX_SHOWN)),
                parent: node.parent.map(|p| p.0),
            }
        })
        .collect()
}

/// The bytes of a program: a text of its own, or for one that was read along with the program around it (`$(…)`), the
/// part of that text that it is.
pub fn program_text<'a>(source: &'a Source, node: &ProgramNode) -> &'a [u8] {
    let bytes = source.get(node.text).map_or(&[][..], |t| &t.bytes);
    if node.parent.is_some() && node.place.text == node.text { node.place.span.of(bytes) } else { bytes }
}

/// Every effect of the graph, in order of execution as far as known.
pub fn effects(source: &Source, graph: &Graph) -> Vec<EffectOut> {
    graph.effects.iter().map(|e| effect(source, graph, e)).collect()
}

/// Every command of the graph that has words, with those words.
pub fn commands(source: &Source, graph: &Graph) -> Vec<CommandOut> {
    let listed: Vec<&Process> = graph.processes.iter().filter(|p| !p.argv.is_empty()).collect();
    let index = |id: ProcessId| listed.binary_search_by_key(&id.0, |p| p.id.0).ok().and_then(|i| u32::try_from(i).ok());
    let mut left = MAX_PROGRAM_TEXTS_OUT;
    listed
        .iter()
        .map(|p| {
            let argv: Vec<String> = p
                .argv
                .iter()
                .map(|v| {
                    let text = match v.as_literal() {
                        Some(b) => hidden_cut(&b, left.min(MAX_TEXT_OUT)),
                        None => hidden(show(v)),
                    };
                    left = left.saturating_sub(text.len());
                    text
                })
                .collect();
            let unknown =
                p.argv.iter().enumerate().filter(|(_, v)| !v.is_known()).map(|(i, v)| unknown(i, v)).collect();
            CommandOut {
                name: cut(p.name.as_bytes(), MAX_SHOWN),
                argv,
                unknown,
                span: span_out(source, p.place),
                certainty: p.certainty.name(),
                program: p.program.0,
                by: p.parent.and_then(index),
            }
        })
        .collect()
}

fn unknown(index: usize, v: &Value) -> UnknownOut {
    let mut why = Vec::new();
    let mut splits = false;
    for p in &v.pieces {
        match p {
            Piece::Literal(_) => {}
            Piece::Glob(..) => {
                why.push("glob".to_string());
                splits = true;
            }
            Piece::Unknown(u) => {
                why.push(hidden(u.why.show()));
                splits |= u.splits;
            }
            Piece::OneOf(_) => why.push("depends on a branch".to_string()),
        }
    }
    let readings = v.readings();
    let few = readings.len() > 1 && readings.iter().all(Value::is_known);
    UnknownOut {
        word: u32::try_from(index).unwrap_or(u32::MAX),
        why,
        splits,
        readings: if few { readings.iter().map(|r| hidden(show(r))).collect() } else { Vec::new() },
    }
}

fn effect(source: &Source, graph: &Graph, e: &Effect) -> EffectOut {
    EffectOut {
        id: e.id.0,
        verb: e.verb.name(),
        object: hidden(show_object(&e.object)),
        kind: e.object.kind(),
        props: e.props.names().collect(),
        by: graph.process(e.process).map(|p| cut(p.name.as_bytes(), MAX_SHOWN)).unwrap_or_default(),
        span: span_out(source, e.place),
        certainty: e.certainty.name(),
        site: hidden(show_site(&e.site)),
        inputs: e
            .inputs
            .iter()
            .map(|f| FlowOut { from: f.from.0, via: f.via.iter().map(|c| c.name()).collect() })
            .collect(),
        text: hidden(sentence(e)),
    }
}

/// One effect in words: `delete /tmp/x (recursive, force)`, `move a -> b`, secrets not yet taken out.
pub fn sentence(e: &Effect) -> String {
    let mut out = e.verb.name().to_string();
    let object = show_object(&e.object);
    if !object.is_empty() {
        out.push(' ');
        out.push_str(&object);
    }
    if let Some(other) = &e.other {
        let other = show_object(other);
        if !other.is_empty() {
            out.push_str(" -> ");
            out.push_str(&other);
        }
    }
    let mut notes: Vec<&str> = e.props.names().collect();
    if e.certainty != Certainty::Certain {
        notes.push(e.certainty.name());
    }
    if !notes.is_empty() {
        out.push_str(" (");
        out.push_str(&notes.join(", "));
        out.push(')');
    }
    if e.site != Site::Local {
        out.push_str(" on ");
        out.push_str(&show_site(&e.site));
    }
    out
}

/// Where an effect happens, as output names it.
pub fn show_site(site: &Site) -> String {
    match site {
        Site::Local => "local".into(),
        Site::Remote(v) => format!("remote {}", show(v)),
        Site::Contained(v) => format!("container {}", show(v)),
    }
}

/// An object for people, at most about [`MAX_SHOWN`] bytes for each value in it.
pub fn show_object(object: &Object) -> String {
    match object {
        Object::None => String::new(),
        Object::Path(v) | Object::Url(v) | Object::Host(v) | Object::Package(_, v) | Object::Named(_, v) => show(v),
        Object::Socket(h, p) => format!("{}:{}", show(h), show(p)),
        Object::Code(l, v) => format!("{l} {}", show(v)),
        Object::Command(words) => show_words(words),
        Object::Stated(s) => (*s).to_string(),
    }
}

/// The words of a command, joined with spaces, at most about [`MAX_SHOWN`] bytes.
pub fn show_words(words: &[Value]) -> String {
    let mut out = String::new();
    for w in words {
        if !out.is_empty() {
            out.push(' ');
        }
        if out.len() > MAX_SHOWN {
            out.push('…');
            break;
        }
        out.push_str(&show(w));
    }
    out
}

/// A value for people, at most about [`MAX_SHOWN`] bytes: a computed value may have a mebibyte, and an analysis may
/// have thousands of effects on it.
pub fn show(value: &Value) -> String {
    let mut out = String::new();
    for p in &value.pieces {
        if out.len() >= MAX_SHOWN {
            out.push('…');
            break;
        }
        match p {
            Piece::Literal(l) => out.push_str(&cut(&l.bytes, MAX_SHOWN)),
            Piece::Unknown(u) => out.push_str(&cut(u.why.show().as_bytes(), MAX_SHOWN)),
            // Sets and globs are small: their readings are bounded where they are made.
            Piece::OneOf(_) | Piece::Glob(..) => {
                let one = Value { pieces: std::iter::once(p.clone()).collect() };
                out.push_str(&cut(one.show().as_bytes(), MAX_SHOWN));
            }
        }
    }
    out
}

/// The bytes as text, lossily, at most `max` of them, with a mark where some were left out.
pub fn cut(bytes: &[u8], max: usize) -> String {
    match bytes.get(..max) {
        Some(head) if bytes.len() > max => {
            // Not inside a character: an error without a length is one that more bytes would have mended.
            let whole = match std::str::from_utf8(head) {
                Err(e) if e.error_len().is_none() => head.get(..e.valid_up_to()).unwrap_or(head),
                _ => head,
            };
            let left = bytes.len().saturating_sub(whole.len());
            format!("{}… ({left} more bytes)", String::from_utf8_lossy(whole))
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The text with its secrets taken out.
pub fn hidden(text: String) -> String {
    match crate::redact::text(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    }
}

/// At most `max` bytes as text with their secrets taken out, also one that goes on after them.
pub fn hidden_cut(bytes: &[u8], max: usize) -> String {
    if bytes.len() <= max {
        return hidden(cut(bytes, max));
    }
    let head = bytes.get(..max.saturating_add(LONGEST_SECRET)).unwrap_or(bytes);
    let end = crate::redact::concealed(head).iter().find(|s| s.start < max && s.end > max).map_or(max, |s| s.end);
    let left = bytes.len().saturating_sub(end);
    let clean = hidden(String::from_utf8_lossy(bytes.get(..end).unwrap_or(bytes)).into_owned());
    format!("{clean}… ({left} more bytes)")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::effect::graph::Process;
    use crate::effect::{Flow, Language, ProcessId, ProgramId, Props, Verb};
    use crate::source::{Segment, Span, TextId};

    pub(crate) fn nested() -> (Source, Graph) {
        let text = b"sh -c 'rm -rf x'";
        let mut source = Source::new(text);
        let at = Place::new(TextId::ROOT, Span::new(6, 16));
        let inside = Place::new(TextId::ROOT, Span::new(7, 15));
        let inner = source.add(b"rm -rf x", at, vec![Segment { start: 0, from: inside, exact: true }]);
        let mut graph = Graph::default();
        let program = |text, place, parent: Option<ProgramId>, by| ProgramNode {
            language: Language::Sh,
            text,
            place,
            reach: if parent.is_none() { Reach::Root } else { Reach::Argument },
            by,
            parent,
        };
        graph.programs.push(program(TextId::ROOT, Place::default(), None, None));
        graph.programs.push(program(inner, at, Some(ProgramId(0)), Some(ProcessId(0))));
        for (i, name) in ["sh", "rm"].into_iter().enumerate() {
            graph.processes.push(Process {
                id: ProcessId(i as u32),
                name: name.into(),
                argv: vec![],
                place: Place::default(),
                program: ProgramId(i as u32),
                parent: None,
                certainty: Certainty::Certain,
                site: Site::Local,
                props: Props::default(),
                known: true,
                stdin: None,
                patterns: Vec::new(),
                captured: false,
            });
        }
        let place = Place::new(inner, Span::new(7, 8));
        let mut e = graph.next_effect(Verb::Delete, Object::Path(Value::literal(b"x", place)), ProcessId(1), place);
        e.props = Props::RECURSIVE.with(Props::FORCE);
        e.inputs.push(Flow { from: e.id, via: vec![Channel::HereString] });
        graph.effects.push(e);
        (source, graph)
    }

    #[test]
    fn nested_programs_and_effects_point_into_the_outermost_text() {
        let (source, graph) = nested();
        let p = programs(&source, &graph);
        assert_eq!((p[0].text.as_str(), p[0].span.end, p[0].parent), ("sh -c 'rm -rf x'", 16, None));
        assert_eq!((p[1].text.as_str(), p[1].reached, p[1].by.as_deref()), ("rm -rf x", "argument", Some("sh")));
        let e = effects(&source, &graph);
        assert_eq!((e[0].verb, e[0].object.as_str(), e[0].kind, e[0].by.as_str()), ("delete", "x", "path", "rm"));
        assert_eq!((e[0].span.start, e[0].span.end), (14, 15));
        assert_eq!(e[0].text, "delete x (recursive, force)");
        assert_eq!(e[0].inputs[0].via, ["here_string"]);
    }

    #[test]
    fn a_program_that_was_read_along_has_its_part_of_the_text() {
        let (source, mut graph) = nested();
        let place = Place::new(TextId::ROOT, Span::new(7, 9));
        let parent = Some(ProgramId(0));
        graph.programs.push(ProgramNode { text: TextId::ROOT, place, parent, ..graph.programs[1].clone() });
        assert_eq!(programs(&source, &graph)[2].text, "rm");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("aé".as_bytes(), 3), "aé");
        assert_eq!(cut("aéb".as_bytes(), 2), "a… (3 more bytes)");
        assert_eq!(cut("aéb".as_bytes(), 3), "aé… (1 more bytes)");
        assert_eq!(cut(b"\xFF\xFE\xFD", 2).matches("more").count(), 1);
    }

    #[test]
    fn a_secret_is_not_shown_where_a_text_is_cut() {
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        let text = format!("aws --key {key} s3 ls");
        for max in 0..=text.len() {
            let shown = hidden_cut(text.as_bytes(), max);
            assert!(!shown.contains("AKIAI"), "{max}: {shown}");
        }
        assert!(hidden_cut(text.as_bytes(), 12).contains("[redacted:aws-access-key:"));
    }

    #[test]
    fn texts_of_many_programs_are_bounded_together() {
        let (mut source, mut graph) = nested();
        let big = vec![b'a'; MAX_TEXT_OUT];
        let last = graph.programs[1].clone();
        for _ in 0..1_000 {
            let id = source.add(&big, last.place, vec![]);
            graph.programs.push(ProgramNode { text: id, ..last.clone() });
        }
        let all: usize = programs(&source, &graph).iter().map(|p| p.text.len()).sum();
        assert!(all < MAX_PROGRAM_TEXTS_OUT + 1_002 * 40, "{all}");
    }
}
