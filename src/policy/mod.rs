//! Policy: what the people in charge have decided, as data.
//!
//! In: a policy file (TOML). Out: [`Policy`], with a default for everything that the file leaves out. A file that cannot
//! be read or has a name that is not known is an error with its place: a mistyped setting must not be taken for none.
//! Floor 4; imports `analyzer` and what it stands on. [`Policy::apply`] is called
//! after the rules; [`find`] says which files hold.

mod asks;
mod broken;
mod canonical;
mod entry;
pub mod find;
mod gate;
pub mod globs;
mod grammars;
mod hermes;
mod hooks;
mod join;
mod model;
mod presets;
mod rule;
mod scoped;
mod state;

pub use asks::{Ask, Same};
pub use broken::BROKEN_RULE;
pub use entry::Origin;
pub use find::{Loaded, config_dir, load};
pub use gate::{GatePolicy, Mode, Unattended};
pub use grammars::Tried;
pub use hermes::HermesSettings;
pub use hooks::{Failing, HookPolicy, NoAsk, OnBlock, OnWarn};

pub use model::ModelPolicy;
pub use presets::{PRESETS, Preset, find as preset};
pub use rule::{FAILED, Rule, fields_markdown};
pub use scoped::{Allow, Texts};
pub use state::StatePolicy;

use crate::analyzer::{Analysis, Options};
use crate::finding::{Finding, Severity};
use crate::options::Stances;
use crate::verdict::{Action, Class, PolicyEntry as Applied};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything that a policy file may say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The preset that it extends.
    pub preset: Option<String>,
    /// Other severities of built-in rules, by the id of the finding: a severity, or `off`. The floor stays.
    pub rules: BTreeMap<String, String>,
    /// Further rules, as lists of words.
    pub ask: Vec<Ask>,
    /// Further rules, as expressions: as they are written.
    #[serde(rename = "rule")]
    written: Vec<rule::Written>,
    /// Those rules, read and checked.
    #[serde(skip)]
    pub custom: Vec<Rule>,
    /// Findings that are mere notes.
    pub allow: Vec<Allow>,
    /// What may be called safe.
    pub assess: Stances,
    /// How hooks answer their hosts.
    pub hooks: HookPolicy,
    /// How the gate decides.
    pub gate: GatePolicy,
    /// The model that is asked.
    pub model: ModelPolicy,
    /// What is kept between runs.
    pub state: StatePolicy,
    /// Further grammars: files, and directories of them.
    pub grammars: Vec<PathBuf>,
    /// Directories whose project policy may loosen, too.
    pub trust: Vec<PathBuf>,
    /// Severities that a project wants: each counts where it is higher.
    #[serde(skip)]
    stricter: Vec<BTreeMap<String, String>>,
    /// The files and presets that it was made of, the first first.
    #[serde(skip)]
    origins: Vec<Origin>,
}

/// Why a policy cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("cannot read the policy file {}: {error}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Its content is wrong.
    #[error("the policy file {} is wrong: {error}", path.display())]
    Wrong {
        /// Which.
        path: PathBuf,
        /// Where and why.
        error: String,
    },
}

impl PolicyError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            PolicyError::Unreadable { path, .. } | PolicyError::Wrong { path, .. } => path,
        }
    }
    /// What is wrong, without the file.
    pub fn what(&self) -> String {
        match self {
            PolicyError::Unreadable { error, .. } => format!("cannot be read: {error}"),
            PolicyError::Wrong { error, .. } => error.clone(),
        }
    }
}

impl Policy {
    /// Reads a policy from the text of a file without a name.
    pub fn parse(text: &str) -> Result<Policy, String> {
        Policy::parse_named("policy", text)
    }

    /// Reads a policy from the text of a file with that name.
    pub fn parse_named(name: &str, text: &str) -> Result<Policy, String> {
        let mut policy: Policy = toml::from_str(text).map_err(|e| broken::in_line(text, &e))?;
        let origin = Origin { name: name.into(), text: text.into() };
        let unknown = policy.rules.iter().find(|(_, s)| *s != "off" && severity(s).is_none());
        if let Some((id, word)) = unknown {
            let what = format!("rules.{id}: {word:?} is neither a severity nor \"off\"");
            return Err(broken::at_word(text, id, &what));
        }
        if let Some((ask, problem)) = policy.ask.iter().find_map(|a| Some((a, a.problem()?))) {
            return Err(broken::at_word(text, &ask.id, &problem));
        }
        for (i, allow) in policy.allow.iter_mut().enumerate() {
            let keys = ["allow", &i.to_string()];
            if let Some(problem) = allow.problem() {
                let line = origin.line(&keys).unwrap_or(1);
                return Err(format!("line {line}: {problem}"));
            }
            allow.origin = (Arc::clone(&origin.name), origin.line(&keys).unwrap_or(0));
        }
        policy.grammars.iter_mut().for_each(|g| *g = grammars::resolve(g, name));
        policy.trust.iter_mut().filter(|t| t.starts_with("~")).for_each(|t| *t = grammars::resolve(t, name));
        if let Some(problem) = policy.problem() {
            return Err(broken::at_word(text, problem.0, &problem.1));
        }
        let written = std::mem::take(&mut policy.written);
        for rule in &written {
            let rule = rule.compile(&origin.name, text)?;
            if policy.custom.iter().any(|r| r.id == rule.id) || policy.ask.iter().any(|a| a.id == rule.id) {
                return Err(format!("line {}: there are two rules {:?}", rule.line, rule.id));
            }
            policy.custom.push(rule);
        }
        policy.origins = vec![origin];
        let Some(name) = &policy.preset else { return Ok(policy) };
        let Some(preset) = preset(name) else {
            return Err(broken::at_word(text, "preset", &format!("there is no preset {name:?}")));
        };
        let base = Policy::of_preset(preset.name)?;
        let ask = base.ask.into_iter().chain(policy.ask).collect();
        let rules = base.rules.into_iter().chain(policy.rules).collect();
        let custom = base.custom.into_iter().chain(policy.custom).collect();
        let allow = base.allow.into_iter().chain(policy.allow).collect();
        let origins = base.origins.into_iter().chain(policy.origins).collect();
        Ok(Policy { ask, rules, custom, allow, origins, ..policy })
    }

    /// A setting that no run could follow: its name and what is wrong with it.
    fn problem(&self) -> Option<(&'static str, String)> {
        let endpoint = self.model.endpoint.as_deref()?;
        let known = endpoint.split_once("://").is_some_and(|(s, rest)| {
            ["http", "https"].iter().any(|known| s.eq_ignore_ascii_case(known)) && !rest.is_empty()
        });
        (!known).then(|| ("endpoint", format!("model.endpoint = {endpoint:?}: expected an http or https address")))
    }

    /// The policy that a preset is.
    pub fn of_preset(name: &str) -> Result<Policy, String> {
        let preset = preset(name).ok_or_else(|| format!("there is no preset {name:?}"))?;
        Policy::parse_named(&format!("preset {name}"), preset.text)
    }

    /// Judges once more by this policy: other severities, findings of its own rules, and the user's deny and allow rules.
    /// What is on the floor stays. For whoever asks for a verdict alone; the gate has layers for the last two.
    pub fn apply(&self, analysis: &mut Analysis, options: &Options) {
        let secrets = Arc::clone(&analysis.verdict.secrets);
        crate::redact::with(&secrets, || self.apply_all(analysis, options));
    }

    fn apply_all(&self, analysis: &mut Analysis, options: &Options) {
        self.assess(analysis, options);
        let text = analysis.source.bytes(crate::source::TextId::ROOT);
        if let Some((key, index, did)) = self.gate.apply(analysis, &text) {
            let index = index.map(|i| i.to_string());
            let keys: Vec<&str> = ["gate", key].into_iter().chain(index.as_deref()).collect();
            let entry = index.as_ref().map_or(format!("gate.{key}"), |i| format!("gate.{key}[{i}]"));
            analysis.verdict.policy.push(self.applied(&keys, entry, did));
        }
    }

    /// True where nothing of it changes a verdict.
    fn is_plain(&self) -> bool {
        self.rules.is_empty()
            && self.ask.is_empty()
            && self.custom.is_empty()
            && self.allow.is_empty()
            && self.stricter.iter().all(BTreeMap::is_empty)
            && self.gate.broken.is_empty()
    }

    /// Other severities, findings of this policy's own rules, and its allow entries.
    pub fn assess(&self, analysis: &mut Analysis, options: &Options) {
        if !self.gate.allow.is_empty() {
            let facts = crate::rules::Facts::new(&analysis.source, &analysis.graph, options);
            analysis.apart = crate::rules::apart(&facts, &analysis.verdict.findings);
        }
        if !self.is_plain() {
            let secrets = Arc::clone(&analysis.verdict.secrets);
            crate::redact::with(&secrets, || self.assess_all(analysis, options));
        }
    }

    fn assess_all(&self, analysis: &mut Analysis, options: &Options) {
        let mut applied: Vec<Applied> = Vec::new();
        let mut more: Vec<Finding> = Vec::new();
        for (i, finding) in asks::findings(&self.ask, analysis, options) {
            let id = finding.rule_id;
            if let Some(ask) = self.ask.get(i) {
                applied.push(self.applied_rule(ask));
            }
            more.extend((!more.iter().any(|f| f.rule_id == id && f.span == finding.span)).then_some(finding));
        }
        let Analysis { source, graph, verdict, .. } = analysis;
        // Facts are worked out when asked for, so that having them costs next to nothing.
        let facts = crate::rules::Facts::new(source, graph, options);
        for (finding, by) in rule::findings(&self.custom, &facts) {
            more.push(finding);
            applied.push(by);
        }
        let length = source.bytes(crate::source::TextId::ROOT).len();
        let had = verdict.findings.iter().filter(|f| f.severity > Severity::Info).count();
        let was = verdict.action;
        verdict.findings.append(&mut more);
        verdict.findings.retain_mut(|f: &mut Finding| {
            let Some(word) = self.rules.get(f.rule_id).filter(|_| !f.floor) else { return true };
            let (old, new) = (f.severity, severity(word));
            if new != Some(old) {
                applied.push(self.applied_severity(f.rule_id, word, old));
            }
            f.severity = new.unwrap_or(old);
            new.is_some()
        });
        applied.extend(scoped::apply(&self.allow, &mut verdict.findings, &facts));
        for f in &mut verdict.findings {
            let word = |r: &BTreeMap<String, String>| r.get(f.rule_id).and_then(|w| Some((severity(w)?, w.clone())));
            if let Some((raised, word)) = self.stricter.iter().filter_map(word).max()
                && raised > f.severity
            {
                applied.push(self.applied_severity(f.rule_id, &word, f.severity));
                f.severity = raised;
            }
            let milder = |word: &&String| severity(word).is_none_or(|s| s < f.severity);
            if let Some(word) = self.stricter.iter().filter_map(|r| r.get(f.rule_id)).find(milder) {
                let said = format!(
                    " The project's policy says `rules.{} = {word:?}`, which is ignored: it may only be stricter, unless \
                     the user's `trust` names its directory.",
                    f.rule_id
                );
                f.description.push_str(&said);
            }
        }
        verdict.findings.extend(self.gate.broken.iter().map(|what| broken::finding(what, length)));
        verdict.findings.sort_by_key(|f| (std::cmp::Reverse(f.severity), std::cmp::Reverse(f.floor)));
        verdict.findings.truncate(crate::limits::MAX_FINDINGS);
        verdict.action = Action::of_all(&verdict.findings);
        // What could not be asked is a doubt, not a risk.
        let doubts = |f: &&Finding| [FAILED, BROKEN_RULE].contains(&f.rule_id);
        let left = || verdict.findings.iter().filter(|f| f.severity > Severity::Info);
        let titles: Vec<String> = left().filter(|f| !doubts(f)).map(|f| f.title.clone()).collect();
        let unsure: Vec<String> = left().filter(doubts).map(|f| f.title.clone()).collect();
        if !unsure.is_empty() && verdict.assessment.class == Class::Safe {
            verdict.assessment.class = Class::Unknown;
        }
        verdict.assessment.reasons.extend(unsure);
        if !titles.is_empty() && verdict.assessment.class != Class::Risk {
            verdict.assessment.class = Class::Risk;
            verdict.assessment.reasons.extend(titles);
        } else if titles.is_empty() && had > 0 && was != Action::Allow {
            // What is allowed is not proven harmless.
            verdict.assessment.class = Class::Unknown;
            verdict.assessment.reasons.insert(0, "the policy lets its findings through".to_string());
        }
        applied.dedup();
        verdict.policy.append(&mut applied);
    }

    /// True where there is a rule of that name: a built-in one, or one of its own.
    pub fn knows(&self, id: &str) -> bool {
        let own = self.ask.iter().any(|a| a.id == id) || self.custom.iter().any(|r| r.id == id);
        own || crate::rules::find(id).is_some() || [FAILED, BROKEN_RULE, globs::DENY_RULE].contains(&id)
    }

    /// The line of the entry about a rule in the last file that has one.
    pub fn line_of(&self, id: &str) -> Option<usize> {
        let allowed = self.allow.iter().find(|a| a.rules().any(|r| r == id)).map(Allow::line);
        self.origins.iter().rev().find_map(|o| o.line(&["rules", id])).or(allowed)
    }

    fn applied_severity(&self, id: &str, word: &str, old: Severity) -> Applied {
        let did = match severity(word) {
            Some(new) => format!("made it {} that was {}", name_of(new), name_of(old)),
            None => format!("left out a finding that was {}", name_of(old)),
        };
        self.applied(&["rules", id], format!("rules.{id} = {word:?}"), did)
    }

    fn applied_rule(&self, ask: &Ask) -> Applied {
        let found = self.origins.iter().rev().find_map(|o| {
            let asks = 0..self.ask.len();
            asks.into_iter().map(|i| i.to_string()).find_map(|i| {
                let is = o.text_of(&["ask", &i, "id"])? == ask.id;
                is.then(|| Applied {
                    entry: format!("ask {}", ask.id),
                    file: o.name.to_string(),
                    line: o.line(&["ask", &i]).unwrap_or(0),
                    did: "found something".into(),
                })
            })
        });
        found.unwrap_or_else(|| self.applied(&[], format!("ask {}", ask.id), "found something".into()))
    }

    /// An entry with its place: that of the last file that has it.
    fn applied(&self, keys: &[&str], entry: String, did: String) -> Applied {
        let place = self.origins.iter().rev().find_map(|o| Some((o.name.to_string(), o.line(keys)?)));
        let (file, line) = place.unwrap_or_default();
        Applied { entry, file, line, did }
    }

    /// Reads a policy file.
    pub fn read(path: &Path) -> Result<Policy, PolicyError> {
        let text =
            find::read_text(path).map_err(|error| PolicyError::Unreadable { path: path.to_path_buf(), error })?;
        let parsed = Policy::parse_named(&path.to_string_lossy(), &text);
        parsed.map_err(|error| PolicyError::Wrong { path: path.to_path_buf(), error })
    }
}

fn name_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    }
}

fn severity(word: &str) -> Option<Severity> {
    match word.to_ascii_lowercase().as_str() {
        "info" => Some(Severity::Info),
        "low" => Some(Severity::Low),
        "medium" => Some(Severity::Medium),
        "high" => Some(Severity::High),
        "critical" => Some(Severity::Critical),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_policy() {
        for preset in PRESETS {
            assert!(Policy::parse(preset.text).is_ok(), "{}: {:?}", preset.name, Policy::parse(preset.text));
        }
        let more = Policy::parse("preset = 'strict'\n[[ask]]\nid='x'\ntitle='X'\nseverity='high'\nby=['x']").unwrap();
        assert_eq!(more.ask.len(), Policy::of_preset("strict").unwrap().ask.len() + 1);
        for wrong in ["preset = 'x'", "rules.x = 'y'", "[[ask]]\nid='x'\ntitle='X'\nseverity='high'\nverbs=['x']"] {
            assert!(Policy::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_the_documentation_shows_is_a_policy() {
        let blocks: Vec<&str> = include_str!("../../docs/gate.md").split("```toml\n").skip(1).collect();
        assert!(blocks.len() >= 2);
        for block in blocks {
            let text = block.split("```").next().unwrap();
            assert!(Policy::parse(text).is_ok(), "{text}: {:?}", Policy::parse(text));
        }
    }

    #[test]
    fn rules_change_severities_but_not_the_floor() {
        let judge = |command: &str, policy: &str| {
            let options = Options::default();
            let mut analysis = crate::analyzer::analyze(command.as_bytes(), &options);
            Policy::parse(policy).unwrap().apply(&mut analysis, &options);
            analysis.verdict
        };
        let plain = judge("chmod 777 ./out", "");
        let id = plain.findings[0].rule_id;
        assert_eq!(plain.action, Action::Warn);
        assert_eq!(judge("chmod 777 ./out", &format!("rules.{id} = 'off'")).action, Action::Allow);
        assert_eq!(judge("chmod 777 ./out", &format!("rules.{id} = 'high'")).action, Action::Block);
        let floor = judge("rm -rf /", "");
        let id = floor.findings[0].rule_id;
        assert_eq!(judge("rm -rf /", &format!("rules.{id} = 'off'")).action, Action::Block);
    }

    #[test]
    fn stances_decide_what_is_safe() {
        let class = |policy: &str, command: &str| {
            let stances = Policy::parse(policy).unwrap().assess;
            let options = Options { stances, ..Options::default() };
            crate::analyzer::analyze(command.as_bytes(), &options).verdict.assessment.class
        };
        let document = "cat > a.txt <<'E'\nhi\nE";
        for (policy, command, expect) in [
            ("", document, Class::Safe),
            ("assess.writes = 'none'", document, Class::Unknown),
            ("", "cp a b", Class::Unknown),
            ("assess.writes = 'project'", "cp a b", Class::Safe),
            ("assess.writes = 'project'", "cp a ~/b", Class::Unknown),
            // What version control keeps is no file of the project, and what it runs is found whatever the stance.
            ("assess.writes = 'project'", "cp a .git/HEAD", Class::Unknown),
            ("assess.writes = 'project'", "cp a .git/hooks/pre-commit", Class::Risk),
            ("", "git status", Class::Safe),
            ("assess.repository = false", "git status", Class::Unknown),
            ("", "curl -s https://e.example/", Class::Safe),
            ("assess.network = false", "curl -s https://e.example/", Class::Unknown),
            ("", "X=1 ls", Class::Safe),
            ("assess.variables = false", "X=1 ls", Class::Unknown),
        ] {
            assert_eq!(class(policy, command), expect, "{policy}: {command}");
        }
    }

    #[test]
    fn what_is_left_out_has_a_default_and_a_wrong_name_is_an_error() {
        let policy = Policy::parse("[hooks]\nfail = 'open'\n").unwrap();
        assert_eq!((policy.hooks.fail, policy.hooks.warn), (Failing::Open, OnWarn::Ask));
        for wrong in ["[state]\nlgo = true", "[hooks]\nfial = 'open'", "[hooks]\nfail = 'maybe'", "[hook]", "fail = "] {
            assert!(Policy::parse(wrong).is_err(), "{wrong}");
        }
    }
}
