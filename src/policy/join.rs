//! A project's policy joined to the user's: the stricter of each setting; of a trusted project, the project's.

use super::{Failing, Mode, NoAsk, OnBlock, OnWarn, Policy, Unattended, severity};
use crate::rules;
use toml::Table;

impl Policy {
    /// Joins a project's policy to this one. `said` is its file, which tells what it sets from what it leaves out. Gives
    /// the names of settings that are ignored because they would loosen.
    pub(super) fn join(&mut self, project: &Policy, said: &Table, trusted: bool) -> Vec<String> {
        let says = |section: &str, key: &str| said.get(section).and_then(|s| s.get(key)).is_some();
        let mut ignored: Vec<String> = Vec::new();
        // More findings are stricter; a rule of the project never takes the place of one of the user's.
        self.ask.extend(project.ask.iter().cloned());
        self.custom.extend(project.custom.iter().cloned());
        self.origins.extend(project.origins.iter().cloned());
        if trusted {
            self.rules.extend(project.rules.clone());
            self.allow.extend(project.allow.iter().cloned());
            self.grammars.extend(project.grammars.iter().cloned());
        } else {
            let milder = project.rules.iter().filter(|(id, word)| self.loosens(id, word));
            ignored.extend(milder.map(|(id, _)| format!("rules.{id}")));
            self.stricter.push(project.rules.clone());
            if !project.allow.is_empty() {
                ignored.push("allow".to_string());
            }
            // A grammar says that a program is known, and what it does not do.
            if !project.grammars.is_empty() {
                ignored.push("grammars".to_string());
            }
        }
        self.stricter.extend(project.stricter.iter().cloned());

        let mut take = |name: &'static str, stricter: bool, set: &mut dyn FnMut()| {
            if trusted || stricter {
                set();
            } else {
                ignored.push(name.to_string());
            }
        };
        let (mine, theirs) = (&mut self.hooks, &project.hooks);
        if says("hooks", "fail") && mine.fail != theirs.fail {
            take("hooks.fail", theirs.fail == Failing::Closed, &mut || mine.fail = theirs.fail);
        }
        if says("hooks", "warn") && mine.warn != theirs.warn {
            let rank = |w| match w {
                OnWarn::Silent => 0,
                OnWarn::Ask => 1,
                OnWarn::Deny => 2,
            };
            take("hooks.warn", rank(theirs.warn) > rank(mine.warn), &mut || mine.warn = theirs.warn);
        }
        if says("hooks", "block") && mine.block != theirs.block {
            take("hooks.block", theirs.block == OnBlock::Deny, &mut || mine.block = theirs.block);
        }
        if says("hooks", "no_ask") && mine.no_ask != theirs.no_ask {
            take("hooks.no_ask", theirs.no_ask == NoAsk::Deny, &mut || mine.no_ask = theirs.no_ask);
        }
        if says("hooks", "allow_safe") && mine.allow_safe != theirs.allow_safe {
            take("hooks.allow_safe", !theirs.allow_safe, &mut || mine.allow_safe = theirs.allow_safe);
        }
        if says("hooks", "deadline_ms") && mine.deadline_ms != theirs.deadline_ms {
            // A shorter one lets more through where the hook fails open.
            take("hooks.deadline_ms", false, &mut || mine.deadline_ms = theirs.deadline_ms);
        }
        let (mine, theirs) = (&mut self.gate, &project.gate);
        mine.deny.extend(theirs.deny.iter().cloned());
        if !theirs.allow.is_empty() {
            take("gate.allow", false, &mut || mine.allow.extend(theirs.allow.iter().cloned()));
        }
        if says("gate", "mode") && mine.mode != theirs.mode {
            let rank = |m| match m {
                Mode::Off => 0,
                Mode::Smart => 1,
                Mode::Manual => 2,
            };
            take("gate.mode", rank(theirs.mode) > rank(mine.mode), &mut || mine.mode = theirs.mode);
        }
        if says("gate", "unattended") && mine.unattended != theirs.unattended {
            take("gate.unattended", theirs.unattended == Unattended::Deny, &mut || mine.unattended = theirs.unattended);
        }
        if says("gate", "hermes_config") {
            take("gate.hermes_config", false, &mut || mine.hermes_config.clone_from(&theirs.hermes_config));
        }
        if says("gate", "isolated") && theirs.isolated.iter().any(|b| !mine.isolated.contains(b)) {
            take("gate.isolated", false, &mut || mine.isolated.extend(theirs.isolated.iter().cloned()));
        }
        if says("gate", "model_ceiling") && mine.model_ceiling != theirs.model_ceiling {
            take("gate.model_ceiling", theirs.model_ceiling < mine.model_ceiling, &mut || {
                mine.model_ceiling = theirs.model_ceiling;
            });
        }
        if says("gate", "model_denials") && mine.model_denials != theirs.model_denials {
            take("gate.model_denials", theirs.model_denials < mine.model_denials, &mut || {
                mine.model_denials = theirs.model_denials;
            });
        }
        let (mine, theirs) = (&mut self.assess, &project.assess);
        if says("assess", "writes") && mine.writes != theirs.writes {
            take("assess.writes", theirs.writes < mine.writes, &mut || mine.writes = theirs.writes);
        }
        if says("assess", "repository") && mine.repository != theirs.repository {
            take("assess.repository", !theirs.repository, &mut || mine.repository = theirs.repository);
        }
        if says("assess", "network") && mine.network != theirs.network {
            take("assess.network", !theirs.network, &mut || mine.network = theirs.network);
        }
        if says("assess", "project_code") && mine.project_code != theirs.project_code {
            take("assess.project_code", !theirs.project_code, &mut || mine.project_code = theirs.project_code);
        }
        if says("assess", "help") && mine.help != theirs.help {
            take("assess.help", !theirs.help, &mut || mine.help = theirs.help);
        }
        if says("assess", "variables") && mine.variables != theirs.variables {
            take("assess.variables", !theirs.variables, &mut || mine.variables = theirs.variables);
        }
        // Where state is kept and who is trusted is the user's business, whatever a project says.
        if said.contains_key("state") {
            ignored.push("state".to_string());
        }
        // The model would see every command that is asked about.
        if said.contains_key("model") {
            ignored.push("model".to_string());
        }
        if said.contains_key("trust") {
            ignored.push("trust".to_string());
        }
        ignored
    }

    /// True where a severity, or `off`, is milder than what holds for a rule.
    fn loosens(&self, id: &str, word: &str) -> bool {
        let wanted = severity(word);
        match self.rules.get(id) {
            Some(mine) => wanted < severity(mine),
            // A rule that is not known finds nothing.
            None => rules::find(id).is_some_and(|r| wanted < Some(r.severity)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(user: &str, project: &str, trusted: bool) -> (Policy, Vec<String>) {
        let mut policy = Policy::parse(user).unwrap();
        let ignored = policy.join(&Policy::parse(project).unwrap(), &toml::from_str(project).unwrap(), trusted);
        (policy, ignored)
    }

    const LOOSE: &str = "[hooks]\nfail='open'\nwarn='silent'\nblock='ask'\nno_ask='silent'\nallow_safe=true\n\
                         deadline_ms=1\n[gate]\nmode='off'\nallow=['*']\nunattended='approve'\nisolated=['ssh']\n\
                         model_ceiling='critical'\nmodel_denials=9\n[assess]\nwrites='project'\nproject_code=true\n[state]\nlog=false\n";

    #[test]
    fn a_project_may_tighten_and_not_loosen() {
        let before = Policy::parse("").unwrap();
        let (policy, ignored) = joined("", LOOSE, false);
        assert_eq!(
            (&policy.hooks, &policy.gate, &policy.state, policy.assess),
            (&before.hooks, &before.gate, &before.state, before.assess)
        );
        assert_eq!(ignored.len(), 15, "{ignored:?}");
        let (policy, ignored) = joined(LOOSE, "[hooks]\nfail='closed'\n[gate]\nmode='manual'\ndeny=['x']", false);
        assert_eq!((policy.hooks.fail, policy.gate.mode), (Failing::Closed, Mode::Manual));
        assert_eq!((policy.gate.deny, ignored.len()), (vec!["x".to_string()], 0));
        // What a project leaves out is not its default.
        assert_eq!(policy.hooks.warn, OnWarn::Silent);
    }

    #[test]
    fn a_trusted_project_has_its_way_but_for_the_state() {
        let (policy, ignored) = joined("", LOOSE, true);
        assert_eq!(
            (policy.hooks.fail, policy.gate.mode, ignored),
            (Failing::Open, Mode::Off, vec!["state".to_string()])
        );
        assert!(policy.state.log);
    }

    #[test]
    fn rules_of_a_project_only_raise() {
        let judge = |user: &str, project: &str, trusted| {
            let (policy, _) = joined(user, project, trusted);
            let options = crate::analyzer::Options::default();
            let mut analysis = crate::analyzer::analyze(b"chmod 777 ./out", &options);
            policy.apply(&mut analysis, &options);
            analysis.verdict
        };
        let plain = judge("", "", false);
        let id = plain.findings.first().unwrap().rule_id;
        let off = format!("rules.{id} = 'off'");
        let high = format!("rules.{id} = 'high'");
        let kept = judge("", &off, false);
        assert_eq!(kept.action, plain.action);
        assert!(kept.findings[0].description.contains("which is ignored"), "{}", kept.findings[0].description);
        let ignored = |user: &str, project: &str| joined(user, project, false).1;
        assert_eq!(ignored("", &off), [format!("rules.{id}")]);
        assert!(ignored(&off, &off).is_empty() && ignored("", &high).is_empty());
        assert_eq!(ignored(&high, &format!("rules.{id} = 'medium'")), [format!("rules.{id}")]);
        assert_eq!(judge("", &off, true).action, crate::verdict::Action::Allow);
        assert_eq!(judge("", &high, false).action, crate::verdict::Action::Block);
        assert_eq!(judge(&high, &format!("rules.{id} = 'low'"), false).action, crate::verdict::Action::Block);
    }
}
