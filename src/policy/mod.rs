//! Policy: what the people in charge have decided, as data.
//!
//! In: a policy file (TOML). Out: [`Policy`], with a default for everything that the file leaves out. A file that cannot
//! be read or has a name that is not known is an error with its place: a mistyped setting must not be taken for none.
//! Floor 4; imports `analyzer` and what it stands on. [`Policy::apply`] is called
//! after the rules; [`find`] says which files hold.

mod asks;
mod broken;
pub mod find;
mod gate;
pub mod glob;
pub mod globs;
mod hermes;
mod hooks;
mod join;
mod model;
mod presets;
mod state;

pub use asks::{Ask, Same};
pub use broken::BROKEN_RULE;
pub use find::{Loaded, config_dir, load};
pub use gate::{GatePolicy, Mode, Unattended};
pub use hermes::HermesSettings;
pub use hooks::{Failing, HookPolicy, NoAsk, OnBlock, OnWarn};

pub use model::ModelPolicy;
pub use presets::{PRESETS, Preset, find as preset};
pub use state::StatePolicy;

use crate::analyzer::{Analysis, Options};
use crate::finding::{Finding, Severity};
use crate::options::Stances;
use crate::verdict::{Action, Class};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Everything that a policy file may say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The preset that it extends.
    pub preset: Option<String>,
    /// Other severities of built-in rules, by the id of the finding: a severity, or `off`. The floor stays.
    pub rules: BTreeMap<String, String>,
    /// Further rules.
    pub ask: Vec<Ask>,
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
    /// Directories whose project policy may loosen, too.
    pub trust: Vec<PathBuf>,
    /// Severities that a project wants: each counts where it is higher.
    #[serde(skip)]
    stricter: Vec<BTreeMap<String, String>>,
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
    /// Reads a policy from the text of a file.
    pub fn parse(text: &str) -> Result<Policy, String> {
        let policy: Policy = toml::from_str(text).map_err(|e| broken::in_line(text, &e))?;
        let unknown = policy.rules.iter().find(|(_, s)| *s != "off" && severity(s).is_none());
        if let Some((id, word)) = unknown {
            let what = format!("rules.{id}: {word:?} is neither a severity nor \"off\"");
            return Err(broken::at_word(text, id, &what));
        }
        if let Some((ask, problem)) = policy.ask.iter().find_map(|a| Some((a, a.problem()?))) {
            return Err(broken::at_word(text, &ask.id, &problem));
        }
        let Some(name) = &policy.preset else { return Ok(policy) };
        let Some(preset) = preset(name) else {
            return Err(broken::at_word(text, "preset", &format!("there is no preset {name:?}")));
        };
        let base = Policy::parse(preset.text)?;
        let ask = base.ask.into_iter().chain(policy.ask.iter().cloned()).collect();
        let rules = base.rules.into_iter().chain(policy.rules.clone()).collect();
        Ok(Policy { ask, rules, ..policy })
    }

    /// The policy that a preset is.
    pub fn of_preset(name: &str) -> Result<Policy, String> {
        let preset = preset(name).ok_or_else(|| format!("there is no preset {name:?}"))?;
        Policy::parse(preset.text)
    }

    /// Judges once more by this policy: other severities, findings of its own rules, and the user's deny and allow rules.
    /// What is on the floor stays. For whoever asks for a verdict alone; the gate has layers for the last two.
    pub fn apply(&self, analysis: &mut Analysis, options: &Options) {
        self.assess(analysis, options);
        let text = analysis.source.bytes(crate::source::TextId::ROOT);
        self.gate.apply(analysis, &text);
    }

    /// Other severities, and findings of this policy's own rules.
    pub fn assess(&self, analysis: &mut Analysis, options: &Options) {
        let judges = self.rules.is_empty() && self.ask.is_empty() && self.stricter.is_empty();
        if judges && self.gate.broken.is_empty() {
            return;
        }
        let more = asks::findings(&self.ask, analysis, options);
        let length = analysis.source.bytes(crate::source::TextId::ROOT).len();
        let verdict = &mut analysis.verdict;
        verdict.findings.retain_mut(|f: &mut Finding| match self.rules.get(f.rule_id) {
            Some(word) if !f.floor => match severity(word) {
                Some(severity) => {
                    f.severity = severity;
                    true
                }
                None => false,
            },
            _ => true,
        });
        let raised = |id: &str| self.stricter.iter().filter_map(|r| severity(r.get(id)?)).max();
        for f in &mut verdict.findings {
            f.severity = raised(f.rule_id).map_or(f.severity, |s| s.max(f.severity));
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
        if more.iter().any(|f| f.severity > Severity::Info) {
            verdict.assessment.class = Class::Risk;
            verdict.assessment.reasons.extend(more.iter().map(|f| f.title.clone()));
        }
        verdict.findings.extend(more);
        if !self.gate.broken.is_empty() {
            verdict.findings.extend(self.gate.broken.iter().map(|what| broken::finding(what, length)));
            if verdict.assessment.class == Class::Safe {
                verdict.assessment.class = Class::Unknown;
            }
            verdict.assessment.reasons.extend(self.gate.broken.iter().map(|b| format!("a policy is broken: {b}")));
        }
        verdict.findings.sort_by_key(|f| (std::cmp::Reverse(f.severity), std::cmp::Reverse(f.floor)));
        verdict.findings.truncate(crate::limits::MAX_FINDINGS);
        verdict.action = Action::of_all(&verdict.findings);
    }

    /// Reads a policy file.
    pub fn read(path: &Path) -> Result<Policy, PolicyError> {
        let text =
            find::read_text(path).map_err(|error| PolicyError::Unreadable { path: path.to_path_buf(), error })?;
        Policy::parse(&text).map_err(|error| PolicyError::Wrong { path: path.to_path_buf(), error })
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
