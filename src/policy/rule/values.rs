//! The facts of an analysis as values of the expression language, and the functions that expressions may call.
//!
//! Every field of `fields` is there for every value: what an effect does not have is empty, so that no question about it
//! is an error. Texts are as long as they are shown at most.

use super::fields::{ADDRESS, CONTEXT, DOUBT, EFFECT, PATH, PROCESS, Record, SOURCE};
use crate::effect::graph::{Doubt, Process};
use crate::effect::path::Resolved;
use crate::effect::{Effect, Object, Props, Site};
use crate::glob;
use crate::limits::MAX_PATH;
use crate::rules::Facts;
use crate::url::{Address, Reach};
use crate::verdict::convert;
use cel::extractors::This;
use cel::objects::Key;
use cel::{Context, ExecutionError, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Most sources of an effect, words of a command and programs above it that an expression sees.
pub(super) const MAX_LISTED: usize = 256;

/// Builds values from facts.
pub(super) struct Scene<'s, 'a> {
    pub facts: &'s Facts<'a>,
    /// Whether somebody asks for the sources of effects: working them out takes time.
    pub sources: bool,
}

fn text(bytes: &str) -> Value {
    Value::String(Arc::new(convert::cut(bytes.as_bytes(), MAX_PATH)))
}

fn texts<'t>(all: impl Iterator<Item = &'t str>) -> Value {
    Value::List(Arc::new(all.take(MAX_LISTED).map(text).collect()))
}

/// A record whose fields are given in the order of its table.
fn record<const N: usize>(record: &Record, values: [Value; N]) -> Value {
    debug_assert_eq!(record.fields.len(), N, "{}", record.name);
    let named = record.fields.iter().map(|f| Key::from(f.0)).zip(values);
    Value::from(named.collect::<HashMap<Key, Value>>())
}

fn site(site: &Site) -> (Value, Value) {
    match site {
        Site::Local => (text("local"), text("")),
        Site::Remote(v) => (text("remote"), text(&convert::show(v))),
        Site::Contained(v) => (text("contained"), text(&convert::show(v))),
    }
}

impl Scene<'_, '_> {
    pub(super) fn effect(&self, e: &Effect) -> Value {
        let facts = self.facts;
        let (place, where_) = site(&e.site);
        let (language, package, ecosystem) = match &e.object {
            Object::Code(language, _) => (language.name(), String::new(), ""),
            Object::Package(ecosystem, v) => ("", convert::show(v), *ecosystem),
            _ => ("", String::new(), ""),
        };
        let sources = if self.sources { facts.sources(e) } else { &[] };
        let sources = sources.iter().take(MAX_LISTED).filter_map(|r| facts.graph.effect(r.from));
        let sources = sources.map(|s| self.source(s)).collect();
        record(
            &EFFECT,
            [
                text(e.verb.name()),
                text(e.object.kind()),
                text(&convert::show_object(&e.object)),
                texts(facts.props(e).names()),
                text(facts.name(e)),
                text(facts.certainty(e).name()),
                place,
                where_,
                Value::Bool(facts.elevated(e)),
                Value::Bool(facts.is_filtered(e)),
                path(facts.path(e)),
                path(facts.other_path(e)),
                address(facts.address(e)),
                text(language),
                text(&package),
                text(ecosystem),
                Value::List(Arc::new(sources)),
            ],
        )
    }

    fn source(&self, e: &Effect) -> Value {
        let facts = self.facts;
        record(
            &SOURCE,
            [
                text(e.verb.name()),
                text(&convert::show_object(&e.object)),
                texts(facts.props(e).names()),
                text(facts.name(e)),
                path(facts.path(e)),
                address(facts.address(e)),
            ],
        )
    }

    pub(super) fn process(&self, p: &Process) -> Value {
        let (place, where_) = site(&p.site);
        let words: Vec<String> = p.argv.iter().skip(1).take(MAX_LISTED).map(convert::show).collect();
        let above = || self.facts.lineage(p.id).skip(1);
        record(
            &PROCESS,
            [
                text(&p.name),
                texts(words.iter().map(String::as_str)),
                texts(above().map(|q| q.name.as_str())),
                texts(p.props.names()),
                Value::Bool(p.known),
                Value::Bool(self.facts.lineage(p.id).any(|q| q.props.has(Props::ELEVATED))),
                text(p.certainty.name()),
                place,
                where_,
            ],
        )
    }

    pub(super) fn context(&self) -> Value {
        let options = self.facts.options;
        let or_empty = |t: &Option<String>| text(t.as_deref().unwrap_or_default());
        record(&CONTEXT, [or_empty(&options.cwd), or_empty(&options.home), text(options.shell.name())])
    }
}

pub(super) fn doubt(d: &Doubt) -> Value {
    record(&DOUBT, [text(d.kind.name()), text(&d.detail)])
}

fn path(r: Option<&Resolved>) -> Value {
    let Some(r) = r else {
        let empty = || text("");
        let none = Value::List(Arc::default());
        return record(&PATH, [empty(), empty(), empty(), none, Value::Bool(false), Value::Bool(false)]);
    };
    record(
        &PATH,
        [
            text(&r.text),
            text(r.name().unwrap_or_default()),
            text(r.class.name()),
            texts(r.marks.iter().map(|m| m.name())),
            Value::Bool(r.is_project()),
            Value::Bool(r.is_known()),
        ],
    )
}

fn address(a: Option<&Address>) -> Value {
    let Some(a) = a else {
        let empty = || text("");
        return record(&ADDRESS, [empty(), empty(), empty(), Value::Int(0), empty(), empty()]);
    };
    let reach = match a.reach() {
        Reach::Loopback => "loopback",
        Reach::Private => "private",
        Reach::Metadata => "metadata",
        Reach::Public => "public",
        Reach::Unknown => "unknown",
    };
    record(
        &ADDRESS,
        [
            text(&a.raw),
            text(&a.scheme),
            text(&a.host_shown()),
            Value::Int(a.port_number().map_or(0, i64::from)),
            text(&a.path),
            text(reach),
        ],
    )
}

/// A context with the functions that are there beside those of the language.
pub(super) fn functions() -> Context<'static, 'static> {
    let mut context = Context::default();
    // They fail only where the language has one of that name, and then that one is called.
    let _ = context
        .add_function("glob", |This(text): This<Arc<String>>, pattern: Arc<String>| glob::folded(&pattern, &text));
    let _ = context.add_function("lower", |This(text): This<Arc<String>>| text.to_lowercase());
    let _ = context.add_function("matches", |This(text): This<Arc<String>>, pattern: Arc<String>| {
        cached(&pattern).map(|r| r.is_match(&text)).map_err(|e| ExecutionError::function_error("matches", e))
    });
    context
}

/// A regular expression of bounded size.
pub(super) fn regex(pattern: &str) -> Result<regex::Regex, String> {
    let built = regex::RegexBuilder::new(pattern).size_limit(256 << 10).dfa_size_limit(1 << 20).build();
    built.map_err(|e| e.to_string().lines().last().unwrap_or_default().trim().to_string())
}

fn cached(pattern: &str) -> Result<regex::Regex, String> {
    const MOST: usize = 64;
    thread_local!(static KNOWN: RefCell<HashMap<String, Result<regex::Regex, String>>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| {
        if let Some(found) = known.get(pattern) {
            return found.clone();
        }
        if known.len() >= MOST {
            known.clear();
        }
        let made = regex(pattern);
        known.insert(pattern.to_string(), made.clone());
        made
    })
}
