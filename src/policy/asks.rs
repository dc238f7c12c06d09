//! Rules of a policy: what else is worth a question, said over effects, as data.
//!
//! In: an analysis and the rules. Out: findings beside those of the built-in rules. A rule names verbs, properties, kinds
//! of places, programs, words; all that it names has to hold of one effect (or, where it names no verb, of one process
//! or doubt). What programs are called is the policy's knowledge; nothing here knows one.

use crate::analyzer::{Analysis, Options};
use crate::effect::graph::{Graph, Process};
use crate::effect::path::{Base, resolve};
use crate::effect::{Effect, Object, ProcessId, Props};
use crate::finding::{Confidence, Evidence, Finding, Severity, SpanOut};
use crate::glob;
use crate::redact;
use crate::source::{Place, Source};
use serde::Deserialize;

/// One rule of a policy. Every list is met by any of its members; globs take `*`, `?` and `[…]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The id of its findings.
    pub id: String,
    /// What it finds, in a few words.
    pub title: String,
    /// How bad that is: low or medium asks, high or critical blocks.
    #[serde(deserialize_with = "super::gate::severity")]
    pub severity: Severity,
    /// Verbs of effects.
    #[serde(default)]
    pub verbs: Vec<String>,
    /// Properties of the effect or its process, all of them.
    #[serde(default)]
    pub props: Vec<String>,
    /// Properties that it must not have.
    #[serde(default)]
    pub without: Vec<String>,
    /// Globs over the object: as written, and a path also in full.
    #[serde(default)]
    pub objects: Vec<String>,
    /// Globs over objects, as written, that are left out.
    #[serde(default)]
    pub except: Vec<String>,
    /// Languages of code that is evaluated.
    #[serde(default)]
    pub languages: Vec<String>,
    /// How that code is reached.
    #[serde(default)]
    pub reached: Vec<String>,
    /// Globs over the name of the program that does it.
    #[serde(default)]
    pub by: Vec<String>,
    /// Globs over names of programs that run that program.
    #[serde(default)]
    pub under: Vec<String>,
    /// Globs over the words of the command.
    #[serde(default)]
    pub words: Vec<String>,
    /// Globs over words that the command must not have.
    #[serde(default)]
    pub unless: Vec<String>,
    /// The same path has an effect of this verb, with this property.
    #[serde(default)]
    pub same: Option<Same>,
    /// Kinds of doubts.
    #[serde(default)]
    pub doubts: Vec<String>,
    /// What to do instead.
    #[serde(default)]
    pub instead: String,
}

/// Another effect on the same path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Same {
    /// Its verb.
    pub verb: String,
    /// A property that it has.
    pub prop: String,
}

impl Ask {
    /// What is wrong with the rule itself.
    pub(super) fn problem(&self) -> Option<String> {
        use crate::effect::{Language, Verb};
        let verbs = self.verbs.iter().chain(self.same.iter().map(|s| &s.verb));
        let unknown_verb = verbs.into_iter().find(|v| Verb::from_name(v).is_none());
        let props = self.props.iter().chain(&self.without).chain(self.same.iter().map(|s| &s.prop));
        let unknown_prop = props.into_iter().find(|p| Props::from_name(p).is_none());
        let unknown_language = self.languages.iter().find(|l| Language::from_name(l).is_none());
        let unknown_doubt = self.doubts.iter().find(|d| crate::effect::graph::DoubtKind::from_name(d).is_none());
        let says_nothing = self.verbs.is_empty() && self.by.is_empty() && self.doubts.is_empty();
        let what = unknown_verb.map(|v| format!("there is no verb {v:?}"));
        let what = what.or_else(|| unknown_prop.map(|p| format!("there is no property {p:?}")));
        let what = what.or_else(|| unknown_language.map(|l| format!("there is no language {l:?}")));
        let what = what.or_else(|| unknown_doubt.map(|d| format!("there is no kind of doubt {d:?}")));
        let what = what.or_else(|| says_nothing.then(|| "it names neither verbs nor programs nor doubts".to_string()));
        what.map(|what| format!("the rule {:?} is wrong: {what}", self.id))
    }
}

/// What rules look at.
struct Scene<'a> {
    graph: &'a Graph,
    source: &'a Source,
    base: Base<'a>,
}

/// The findings of the rules, each with the index of its rule.
pub(super) fn findings(asks: &[Ask], analysis: &Analysis, options: &Options) -> Vec<(usize, Finding)> {
    let base = Base { cwd: options.cwd.as_deref(), home: options.home.as_deref() };
    let scene = Scene { graph: &analysis.graph, source: &analysis.source, base };
    let mut out: Vec<(usize, Finding)> = Vec::new();
    for (i, ask) in asks.iter().enumerate() {
        for (process, place, what) in scene.hits(ask) {
            if out.len() >= crate::limits::MAX_FINDINGS {
                return out;
            }
            let finding = scene.finding(ask, process, place, &what);
            if !out.iter().any(|(_, f)| f.rule_id == finding.rule_id && f.span == finding.span) {
                out.push((i, finding));
            }
        }
    }
    out
}

fn any(globs: &[String], text: &str) -> bool {
    globs.iter().any(|g| glob::folded(g, text))
}

impl Scene<'_> {
    fn hits(&self, ask: &Ask) -> Vec<(Option<ProcessId>, Place, String)> {
        let doubts = self.graph.doubts.iter().filter(|d| ask.doubts.iter().any(|k| k == d.kind.name()));
        let mut out: Vec<_> = doubts.map(|d| (d.process, d.place, d.detail.clone())).collect();
        if ask.verbs.is_empty() && !ask.by.is_empty() {
            let processes = self.graph.processes.iter().filter(|p| self.process(ask, p));
            out.extend(processes.map(|p| (Some(p.id), p.place, p.name.clone())));
        }
        let effects = self.graph.effects.iter().filter(|e| !e.props.has(Props::SIMULATED));
        let effects = effects.filter(|e| self.effect(ask, e));
        out.extend(effects.map(|e| {
            let name = self.graph.process(e.process).map_or("", |p| p.name.as_str());
            (Some(e.process), e.place, format!("{name} {}", e.object.show()).trim().to_string())
        }));
        out
    }

    fn process(&self, ask: &Ask, p: &Process) -> bool {
        (ask.by.is_empty() || any(&ask.by, &p.name))
            && (ask.words.is_empty() || p.argv.iter().skip(1).any(|w| any(&ask.words, &w.show())))
            && !p.argv.iter().skip(1).any(|w| any(&ask.unless, &w.show()))
            && (ask.under.is_empty() || self.graph.lineage(p.id).skip(1).any(|q| any(&ask.under, &q.name)))
    }

    fn effect(&self, ask: &Ask, e: &Effect) -> bool {
        if !ask.verbs.iter().any(|v| v == e.verb.name()) {
            return false;
        }
        let Some(process) = self.graph.process(e.process) else { return false };
        let props = e.props.with(process.props);
        let has = |name: &String| Props::from_name(name).is_some_and(|p| props.has(p));
        let texts = self.texts(e);
        self.process(ask, process)
            && ask.props.iter().all(has)
            && !ask.without.iter().any(has)
            && (ask.objects.is_empty() || texts.iter().any(|t| any(&ask.objects, t)))
            && !texts.first().is_some_and(|t| any(&ask.except, t))
            && self.code(ask, e)
            && ask.same.as_ref().is_none_or(|same| self.same(same, e, &texts))
    }

    /// The object in words: as written, and a path in full.
    fn texts(&self, e: &Effect) -> Vec<String> {
        let mut out = vec![e.object.show()];
        if let Object::Path(v) = &e.object {
            out.push(resolve(v, e.cwd.as_ref(), self.base).text);
        }
        out
    }

    fn code(&self, ask: &Ask, e: &Effect) -> bool {
        if ask.languages.is_empty() && ask.reached.is_empty() {
            return true;
        }
        let Object::Code(language, _) = &e.object else { return false };
        let spoken = ask.languages.is_empty() || ask.languages.iter().any(|l| l == language.name());
        let reached = |r: &String| {
            let programs = self.graph.programs.iter().filter(|p| p.by == Some(e.process) && p.language == *language);
            programs.into_iter().any(|p| p.reach.name() == r)
        };
        spoken && (ask.reached.is_empty() || ask.reached.iter().any(reached))
    }

    fn same(&self, same: &Same, e: &Effect, texts: &[String]) -> bool {
        let prop = Props::from_name(&same.prop).unwrap_or_default();
        let others = self.graph.effects.iter().filter(|o| o.id != e.id && o.verb.name() == same.verb);
        others.filter(|o| o.props.has(prop)).any(|o| self.texts(o).last() == texts.last())
    }

    fn finding(&self, ask: &Ask, process: Option<ProcessId>, place: Place, what: &str) -> Finding {
        let whole = process.and_then(|p| self.graph.process(p)).map_or(place, |p| p.place);
        let span = |place| {
            let s = self.source.outermost(place);
            SpanOut { start: s.start, end: s.end }
        };
        let title = format!("{}: {}", ask.title, shown(what));
        Finding {
            // A policy is read once in a process, so this is bounded by its size.
            rule_id: intern(&ask.id),
            severity: ask.severity,
            confidence: Confidence::High,
            description: format!("The policy asks about this: {title}. {}", ask.instead).trim_end().to_string(),
            title,
            evidence: vec![Evidence {
                kind: "command_pattern",
                label: "is run".into(),
                matched: shown(&self.source.show(whole)),
                span: span(whole),
                details: Vec::new(),
            }],
            span: span(whole),
            path: Vec::new(),
            mitre_id: None,
            remediation: ask.instead.clone(),
            fix: None,
            floor: false,
        }
    }
}

/// A text for people, of bounded length and without secrets.
pub(super) fn shown(text: &str) -> String {
    let text: String = text.chars().take(crate::limits::MAX_SHOWN).collect();
    redact::text(&text).into_owned()
}

/// A text that lives as long as the process, once for each content.
pub(super) fn intern(text: &str) -> &'static str {
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(found) = known.get(text) {
        return found;
    }
    let kept: &'static str = Box::leak(text.to_string().into_boxed_str());
    known.insert(kept);
    kept
}
