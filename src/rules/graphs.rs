//! Graphs made by hand, for tests of rules: a text, processes and effects found in it by their words.

use super::judge;
use crate::effect::graph::{Doubt, DoubtKind, Graph, Process, ProgramNode, Reach};
use crate::effect::{Certainty, EffectId, Flow, Language, Object, ProcessId, ProgramId, Props, Site, Verb};
use crate::finding::Finding;
use crate::options::Options;
use crate::source::{Place, Source, Span, TextId};
use crate::value::{Channel, Literal, Piece, Taint, Unknown, Value, Why};
use crate::verdict::Assessment;

pub(super) struct Made {
    source: Source,
    text: String,
    pub(super) graph: Graph,
    pub(super) options: Options,
}

/// Begins a graph of that text.
pub(super) fn of(text: &str) -> Made {
    let source = Source::new(text.as_bytes());
    let mut graph = Graph::default();
    graph.programs.push(ProgramNode {
        language: Language::Bash,
        text: TextId::ROOT,
        place: Place::new(TextId::ROOT, Span::new(0, text.len())),
        reach: Reach::Root,
        by: None,
        parent: None,
    });
    Made { source, text: text.into(), graph, options: Options::default() }
}

impl Made {
    /// The place of some words in the text.
    pub(super) fn at(&self, words: &str) -> Place {
        let start = self.text.find(words).unwrap();
        Place::new(TextId::ROOT, Span::new(start, start + words.len()))
    }
    /// A known value that stands in the text.
    pub(super) fn word(&self, words: &str) -> Value {
        Value::literal(words.as_bytes(), self.at(words))
    }
    /// A process with those words.
    pub(super) fn run(&mut self, words: &str) -> ProcessId {
        let id = ProcessId(self.graph.processes.len() as u32);
        // Words of a command stand behind those of the command before it.
        let after = self.graph.processes.last().map_or(0, |p| p.place.span.end as usize);
        let start = self.text[after..].find(words).map_or_else(|| self.text.find(words).unwrap(), |i| after + i);
        let place = Place::new(TextId::ROOT, Span::new(start, start + words.len()));
        let argv: Vec<Value> = words.split(' ').map(|w| Value::literal(w.as_bytes(), place)).collect();
        let name = words.split(' ').next().unwrap().rsplit('/').next().unwrap().to_string();
        self.graph.processes.push(Process {
            id,
            name,
            argv,
            place,
            program: ProgramId(0),
            parent: None,
            certainty: Certainty::Certain,
            site: Site::Local,
            props: Props::default(),
            known: true,
            stdin: None,
            patterns: Vec::new(),
            captured: false,
        });
        id
    }
    /// An effect of a process, with what flows in.
    pub(super) fn does(
        &mut self,
        by: ProcessId,
        verb: Verb,
        object: Object,
        inputs: &[(EffectId, Channel)],
    ) -> EffectId {
        let place = object.value().map_or(self.graph.processes[by.0 as usize].place, Value::place);
        let mut e = self.graph.next_effect(verb, object, by, place);
        e.inputs = inputs.iter().map(|(from, via)| Flow { from: *from, via: vec![*via] }).collect();
        let id = e.id;
        self.graph.effects.push(e);
        id
    }
    /// Adds properties to an effect.
    pub(super) fn with(&mut self, id: EffectId, props: Props) {
        let e = &mut self.graph.effects[id.0 as usize];
        e.props = e.props.with(props);
    }
    /// Content that is not known and comes from an effect.
    pub(super) fn from(&self, id: EffectId, why: Why) -> Value {
        Value::unknown_tainted(why, self.graph.effects[id.0 as usize].place, Taint::of(id))
    }
    pub(super) fn doubt(&mut self, kind: DoubtKind, words: &str) {
        let place = self.at(words);
        self.graph.doubts.push(Doubt { kind, detail: words.into(), place, process: None });
    }
    pub(super) fn judge(&self) -> (Vec<Finding>, Assessment) {
        judge(&self.source, &self.graph, &self.options)
    }
    pub(super) fn ids(&self) -> Vec<&'static str> {
        self.judge().0.iter().map(|f| f.rule_id).collect()
    }
}

/// A path as a test writes it: a leading `~` is the home, a leading `$NAME` a variable that is not set, `*` active.
pub(super) fn path(text: &str, at: Place) -> Value {
    let mut v = Value::default();
    let mut rest = text;
    let mut unknown =
        |why| v.push_piece(Piece::Unknown(Box::new(Unknown { why, from: at, taint: Taint::default(), splits: false })));
    if let Some(r) = rest.strip_prefix('~') {
        unknown(Why::Home(String::new()));
        rest = r;
    } else if let Some(r) = rest.strip_prefix('$') {
        let end = r.find('/').unwrap_or(r.len());
        unknown(Why::Environment(r[..end].into()));
        rest = &r[end..];
    }
    for (i, part) in rest.split('*').enumerate() {
        if i > 0 {
            v.push_piece(Piece::Glob(crate::value::Glob::Star, at));
        }
        if !part.is_empty() {
            let l = Literal { bytes: part.as_bytes().into(), from: at, exact: false, taint: Taint::default() };
            v.push_piece(Piece::Literal(l));
        }
    }
    v
}
