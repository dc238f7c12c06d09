//! Rules of a policy whose condition is an expression in CEL (Common Expression Language) over effects: `[[rule]]`.
//!
//! In: an analysis and the rules. Out: findings beside those of the built-in rules, and one for each rule that could not
//! be asked. An expression that names `effect` is asked about each effect, one that names `process` alone about each
//! command, any other once. Nothing of this runs where a policy has no such rule. An expression is checked when the
//! policy is read, and the cost of asking it is worked out before it is asked, so that it always ends in time.

mod check;
mod fields;
mod values;

pub use check::markdown as fields_markdown;

use super::asks::{intern, shown};
use crate::effect::graph::Process;
use crate::effect::{Certainty, Effect, PROPS, Props};
use crate::finding::{Confidence, Evidence, Finding, Severity, SpanOut};
use crate::rules::Facts;
use crate::source::{Place, Span, TextId};
use crate::verdict::PolicyEntry as Applied;
use cel::{Context, Program, Value};
use serde::Deserialize;
use std::sync::Arc;

/// The id of the finding that says that a rule of the policy could not be asked.
pub const FAILED: &str = "policy_rule_failed";
/// Longest expression, in bytes.
const MAX_EXPRESSION: usize = 4 << 10;
/// Most steps that all questions of one rule about one text may take together. A step takes about a third of a
/// microsecond in a release build, so a rule takes about a second at worst.
const MAX_STEPS: u64 = 10_000_000;
/// An expression that takes more steps than this in a text with lists of eight is never worth asking.
const MAX_STEPS_SMALL: u64 = 100_000;
/// Stack for reading and asking an expression: both recurse to the depth of the expression.
const STACK: usize = 16 << 20;

/// A rule as the file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    id: String,
    title: String,
    #[serde(deserialize_with = "super::gate::severity")]
    severity: Severity,
    when: toml::Spanned<String>,
    #[serde(default)]
    why: String,
    #[serde(default)]
    instead: String,
    #[serde(default)]
    mitre: Option<String>,
}

/// A rule that was read and checked.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The id of its findings.
    pub id: String,
    /// What it finds, in a few words.
    pub title: String,
    /// How bad that is: low or medium asks, high or critical blocks.
    pub severity: Severity,
    /// Why it matters.
    pub why: String,
    /// What to do instead.
    pub instead: String,
    /// MITRE ATT&CK technique.
    pub mitre: Option<String>,
    /// The condition.
    when: Arc<When>,
    /// Its file, or preset.
    pub file: Arc<str>,
    /// The line of its condition in that file.
    pub line: usize,
}

#[derive(Debug)]
struct When {
    program: Program,
    variables: Vec<&'static str>,
    sources: bool,
}

impl Written {
    /// Reads the condition. A mistake is told with its line.
    pub(super) fn compile(&self, file: &Arc<str>, text: &str) -> Result<Rule, String> {
        let line = super::entry::line_at(text, self.when.span().start);
        let wrong = |line: usize, what: &str| format!("line {line}: the rule {:?} is wrong: {what}", self.id);
        let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '.');
        if self.id.is_empty() || !self.id.chars().all(is_id) {
            return Err(wrong(line, "an id has small letters, digits, `_`, `-` and `.`"));
        }
        if crate::rules::find(&self.id).is_some() || self.id == FAILED {
            return Err(wrong(line, "there is a built-in rule of that name"));
        }
        let when = compile(self.when.get_ref()).map_err(|(at, what)| {
            let source = text.get(self.when.span()).unwrap_or_default();
            let value = self.when.get_ref();
            let within = value.get(..at).unwrap_or(value).matches('\n').count();
            // A text of several lines begins on the line after its quotes.
            let first = usize::from(source.starts_with("'''\n") || source.starts_with("\"\"\"\n"));
            wrong(line.saturating_add(within).saturating_add(first), &what)
        })?;
        Ok(Rule {
            id: self.id.clone(),
            title: self.title.clone(),
            severity: self.severity,
            why: self.why.clone(),
            instead: self.instead.clone(),
            mitre: self.mitre.clone(),
            when: Arc::new(when),
            file: Arc::clone(file),
            line,
        })
    }
}

/// Reads and checks an expression; a mistake with its offset.
fn compile(text: &str) -> Result<When, (usize, String)> {
    if text.len() > MAX_EXPRESSION {
        return Err((0, format!("its condition has more than {MAX_EXPRESSION} bytes")));
    }
    stacker::grow(STACK, || {
        let program = Program::compile(text).map_err(|e| {
            let first = e.errors.first();
            let (line, column) = first.map_or((1, 1), |e| e.pos);
            let what = first.map_or_else(|| "it cannot be read".to_string(), |e| e.msg.clone());
            let before = usize::try_from(line.saturating_sub(1)).unwrap_or(0);
            let at: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
            let mut what = what.lines().next().unwrap_or_default().to_string();
            if what.contains("token recognition error at: '=") {
                what.push_str("; write == to compare");
            }
            (at, format!("`{}`, column {column}: {what}", one_line(text)))
        })?;
        let checked = check::check(program.expression(), program.source_info());
        if let Some(first) = checked.mistakes.first() {
            let at = text.char_indices().nth(first.at).map_or(text.len(), |(i, _)| i);
            return Err((at, format!("`{}`: {}", one_line(text.get(at..).unwrap_or_default()), first.what)));
        }
        if check::cost(program.expression(), 8) > MAX_STEPS_SMALL {
            return Err((0, "its condition would take too long to ask".into()));
        }
        Ok(When { program, variables: checked.variables, sources: checked.sources })
    })
}

fn one_line(text: &str) -> String {
    const SHOWN: usize = 48;
    let line: String = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SHOWN { line } else { line.chars().take(SHOWN).chain(['…']).collect() }
}

/// What one question is about.
#[derive(Clone, Copy)]
enum About<'g> {
    Effect(&'g Effect),
    Process(&'g Process),
    Text,
}

/// The findings of the rules, each with the entry that it comes from.
pub(super) fn findings(rules: &[Rule], facts: &Facts<'_>) -> Vec<(Finding, Applied)> {
    if rules.is_empty() {
        return Vec::new();
    }
    stacker::grow(STACK, || {
        let asking = Asking::new(rules, facts);
        let mut out: Vec<(Finding, Applied)> = Vec::new();
        for rule in rules {
            asking.ask(rule, &mut out);
        }
        out
    })
}

struct Asking<'s, 'a> {
    facts: &'s Facts<'a>,
    scene: values::Scene<'s, 'a>,
    root: Context<'static, 'static>,
    effects: Vec<&'a Effect>,
    longest: u64,
}

impl<'s, 'a> Asking<'s, 'a> {
    fn new(rules: &[Rule], facts: &'s Facts<'a>) -> Self {
        let scene = values::Scene { facts, sources: rules.iter().any(|r| r.when.sources) };
        let effects: Vec<&Effect> = facts.graph.effects.iter().filter(|e| !e.props.has(Props::SIMULATED)).collect();
        let processes = &facts.graph.processes;
        let names = |name: &str| rules.iter().any(|r| r.when.variables.contains(&name));
        let mut root = values::functions();
        // No list is longer than this: words, properties, marks, sources.
        let words = processes.iter().map(|p| p.argv.len()).max().unwrap_or(0).min(values::MAX_LISTED);
        let mut longest = if scene.sources { values::MAX_LISTED } else { words.max(PROPS.len()) };
        let mut list = |name: &str, made: &dyn Fn() -> Vec<Value>| {
            if names(name) {
                let all = made();
                longest = longest.max(all.len());
                root.add_variable_from_value(name, Value::List(Arc::new(all)));
            }
        };
        list("effects", &|| effects.iter().map(|e| scene.effect(e)).collect());
        list("processes", &|| processes.iter().map(|p| scene.process(p)).collect());
        list("doubts", &|| facts.graph.doubts.iter().map(values::doubt).collect());
        if names("context") {
            root.add_variable_from_value("context", scene.context());
        }
        Asking { facts, scene, root, effects, longest: u64::try_from(longest).unwrap_or(u64::MAX) }
    }

    fn ask(&self, rule: &Rule, out: &mut Vec<(Finding, Applied)>) {
        let names = |name| rule.when.variables.contains(&name);
        let about: Vec<About<'_>> = if names("effect") {
            self.effects.iter().map(|e| About::Effect(e)).collect()
        } else if names("process") {
            self.facts.graph.processes.iter().map(About::Process).collect()
        } else {
            vec![About::Text]
        };
        let times = u64::try_from(about.len()).unwrap_or(u64::MAX);
        // Making the value of an effect takes about as long as a hundred steps, and half as many for each source.
        let made = if rule.when.sources { self.longest.saturating_mul(50) } else { 100 };
        let steps =
            check::cost(rule.when.program.expression(), self.longest).saturating_add(made).saturating_mul(times);
        if steps > MAX_STEPS {
            out.push(self.failed(rule, "it would take too long on a text with so much in it"));
            return;
        }
        for about in about {
            match self.holds(rule, about) {
                Ok(false) => {}
                Ok(true) => {
                    let finding = self.finding(rule, about);
                    let same = |(f, _): &(Finding, Applied)| f.rule_id == finding.rule_id && f.span == finding.span;
                    if out.len() < crate::limits::MAX_FINDINGS && !out.iter().any(same) {
                        out.push((finding, self.applied(rule, "found something")));
                    }
                }
                Err(why) => {
                    out.push(self.failed(rule, &why));
                    return;
                }
            }
        }
    }

    fn holds(&self, rule: &Rule, about: About<'_>) -> Result<bool, String> {
        let names = |name| rule.when.variables.contains(&name);
        let mut context = self.root.new_inner_scope();
        let process = match about {
            About::Effect(e) => {
                context.add_variable_from_value("effect", self.scene.effect(e));
                self.facts.graph.process(e.process)
            }
            About::Process(p) => Some(p),
            About::Text => None,
        };
        if let (true, Some(p)) = (names("process"), process) {
            context.add_variable_from_value("process", self.scene.process(p));
        }
        match rule.when.program.execute(&context) {
            Ok(Value::Bool(b)) => Ok(b),
            Ok(_) => Err("its condition is neither true nor false".into()),
            Err(e) => Err(e.to_string().chars().take(200).collect()),
        }
    }

    fn applied(&self, rule: &Rule, did: &str) -> Applied {
        let (entry, file) = (format!("rule {}", rule.id), rule.file.to_string());
        Applied { entry, file, line: rule.line, did: did.into() }
    }

    fn span(&self, place: Place) -> SpanOut {
        let s = self.facts.source.outermost(place);
        SpanOut { start: s.start, end: s.end }
    }

    fn whole(&self) -> Place {
        let length = self.facts.source.get(TextId::ROOT).map_or(0, |t| t.bytes.len());
        Place::new(TextId::ROOT, Span::new(0, length))
    }

    fn finding(&self, rule: &Rule, about: About<'_>) -> Finding {
        let graph = self.facts.graph;
        let (process, what, certainty) = match about {
            About::Effect(e) => {
                let shown = crate::verdict::convert::show_object(&e.object);
                (Some(e.process), format!("{} {shown}", self.facts.name(e)), self.facts.certainty(e))
            }
            About::Process(p) => (Some(p.id), p.name.clone(), p.certainty),
            About::Text => (None, String::new(), Certainty::Certain),
        };
        let place = process.and_then(|p| graph.process(p)).map_or(self.whole(), |p| p.place);
        let what = shown(what.trim());
        let title = if what.is_empty() { rule.title.clone() } else { format!("{}: {what}", rule.title) };
        // What only one reader saw, or what stands behind a syntax error, is never more than a warning.
        let possible = certainty == Certainty::Possible;
        let words = [rule.why.as_str(), rule.instead.as_str()];
        let about = format!("The rule {:?} of the policy ({}:{}) asks about this.", rule.id, rule.file, rule.line);
        let words = std::iter::once(about.as_str()).chain(words.into_iter().filter(|w| !w.is_empty()));
        Finding {
            rule_id: intern(&rule.id),
            severity: if possible { rule.severity.min(Severity::Medium) } else { rule.severity },
            confidence: if possible { Confidence::Low } else { Confidence::High },
            title,
            description: words.collect::<Vec<_>>().join(" "),
            evidence: vec![Evidence {
                kind: "command_pattern",
                label: "is run".into(),
                matched: shown(&self.facts.source.show(place)),
                span: self.span(place),
                details: Vec::new(),
            }],
            span: self.span(place),
            path: process.map(|p| self.facts.programs(p)).unwrap_or_default(),
            mitre_id: rule.mitre.as_deref().map(intern),
            remediation: rule.instead.clone(),
            fix: None,
            floor: false,
        }
    }

    /// A rule that cannot be asked is told of, and is a question: what it would have said is not known.
    fn failed(&self, rule: &Rule, why: &str) -> (Finding, Applied) {
        let (file, line) = (&rule.file, rule.line);
        let place = self.whole();
        let finding = Finding {
            rule_id: FAILED,
            severity: Severity::Medium,
            confidence: Confidence::High,
            title: format!("Rule of the policy could not be asked: {}", rule.id),
            description: format!(
                "{file}:{line}: the rule {:?} could not be asked about this command: {}. What it would have said is not \
                 known. Mend the rule, or look at the command yourself.",
                rule.id,
                shown(why)
            ),
            evidence: vec![Evidence {
                kind: "text",
                label: "was not asked about".into(),
                matched: shown(&self.facts.source.show(place)),
                span: self.span(place),
                details: Vec::new(),
            }],
            span: self.span(place),
            path: Vec::new(),
            mitre_id: None,
            remediation: "Mend the rule, or look at the command yourself.".into(),
            fix: None,
            floor: false,
        };
        (finding, self.applied(rule, &format!("could not be asked: {}", shown(why))))
    }
}

#[cfg(test)]
mod tests;
