//! Settings of Hermes Agent that speak of approvals: `approvals.mode`, `.deny` and `.cron_mode`, and `command_allowlist`, in
//! its `config.yaml`.
//!
//! The agent may be able to write that file. So by itself it makes the gate stricter only; what would loosen counts where
//! the user's policy names the file (`gate.hermes_config`).

use super::{Mode, Policy, Unattended};
use crate::rules;
use saphyr_parser::{Event, Parser};

/// Most events of the file that are looked at.
const EVENTS: usize = 200_000;
/// Most entries of a list.
const ENTRIES: usize = 1_000;

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HermesSettings {
    /// `approvals.mode`.
    pub mode: Option<String>,
    /// `approvals.cron_mode`.
    pub cron_mode: Option<String>,
    /// `approvals.deny`: globs.
    pub deny: Vec<String>,
    /// `command_allowlist`: globs over commands, and keys of approvals.
    pub allow: Vec<String>,
}

/// An open collection.
enum Open {
    Map(Option<String>),
    List,
}

impl HermesSettings {
    /// Reads the text of a `config.yaml`.
    pub fn parse(text: &str) -> Result<HermesSettings, String> {
        let mut out = HermesSettings::default();
        let mut open: Vec<Open> = Vec::new();
        for event in Parser::new_from_str(text).take(EVENTS) {
            let (event, _) = event.map_err(|e| e.to_string())?;
            match event {
                Event::MappingStart(..) => open.push(Open::Map(None)),
                Event::SequenceStart(..) => open.push(Open::List),
                Event::MappingEnd | Event::SequenceEnd => {
                    open.pop();
                    value_ends(&mut open);
                }
                Event::Alias(_) => {
                    if let Some(Open::Map(Some(key))) = open.first()
                        && matches!(key.as_str(), "approvals" | "command_allowlist" | "<<")
                    {
                        // What it stands for would be lost without a word, a deny rule for instance.
                        return Err(format!(
                            "`{key}` has an alias (`*…`), which is not followed: write out what it stands for"
                        ));
                    }
                    value_ends(&mut open);
                }
                Event::Scalar(value, ..) => {
                    if let Some(Open::Map(key @ None)) = open.last_mut() {
                        *key = Some(value.to_string());
                        continue;
                    }
                    let text = || matches!(open.as_slice(), [Open::Map(Some(a)), Open::Map(Some(b))] if a == "approvals" && b == "deny");
                    if text() && !matches!(value.trim(), "" | "~" | "null") {
                        return Err(format!("approvals.deny is no list, but the text {value:?}"));
                    }
                    out.take(&open, &value);
                    value_ends(&mut open);
                }
                _ => {}
            }
        }
        Ok(out)
    }

    fn take(&mut self, open: &[Open], value: &str) {
        let key = |i: usize| match open.get(i) {
            Some(Open::Map(Some(key))) => key.as_str(),
            Some(Open::List) => "*",
            _ => "",
        };
        let entry = |list: &mut Vec<String>| {
            if list.len() < ENTRIES && !value.trim().is_empty() {
                list.push(value.trim().to_string());
            }
        };
        match (open.len(), [key(0), key(1), key(2)]) {
            (2, ["approvals", "mode", _]) => self.mode = Some(value.trim().to_string()),
            (2, ["approvals", "cron_mode", _]) => self.cron_mode = Some(value.trim().to_string()),
            (3, ["approvals", "deny", "*"]) => entry(&mut self.deny),
            (2, ["command_allowlist", "*", _]) => entry(&mut self.allow),
            _ => {}
        }
    }
}

fn value_ends(open: &mut [Open]) {
    if let Some(Open::Map(key)) = open.last_mut() {
        *key = None;
    }
}

impl Policy {
    /// Joins what Hermes Agent is told. `named`: the user's policy names the file, so that it may loosen, too.
    pub fn join_hermes(&mut self, settings: &HermesSettings, named: bool) {
        let gate = &mut self.gate;
        gate.deny.extend(settings.deny.iter().cloned());
        if let Some(word) = &settings.mode {
            // YAML reads a bare `off` as false; a mode that is not known asks a person.
            let mode = match word.to_ascii_lowercase().as_str() {
                "off" | "false" | "no" => Mode::Off,
                "smart" => Mode::Smart,
                _ => Mode::Manual,
            };
            if named || mode == Mode::Manual || gate.mode == Mode::Off {
                gate.mode = mode;
            }
        }
        if let Some(word) = &settings.cron_mode {
            let lets = matches!(
                word.to_ascii_lowercase().as_str(),
                "approve" | "off" | "false" | "no" | "allow" | "yes" | "true" | "on"
            );
            match lets {
                true if named => gate.unattended = Unattended::Approve,
                true => {}
                false => gate.unattended = Unattended::Deny,
            }
        }
        if named {
            for entry in &settings.allow {
                // A key begins with the name of a rule, or is what its class is called.
                let first = entry.split(' ').next().unwrap_or_default();
                let class = self.ask.iter().find(|a| a.title.eq_ignore_ascii_case(entry));
                if let Some(ask) = class {
                    gate.granted.push(ask.id.clone());
                } else if rules::find(first).is_some() || self.ask.iter().any(|a| a.id == first) {
                    gate.granted.push(entry.clone());
                } else {
                    gate.allow.push(entry.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# mine\nmodel: x\napprovals:\n  mode: off  # quick\n  timeout: 60\n  cron_mode: approve\n  deny:\n  - git push*\n  - 'a: b'\n  other: {mode: z, deny: [q]}\ncommand_allowlist:\n- podman *\n- world_writable chmod @ mode project /p\n- recursive delete\nmode: w\n";

    #[test]
    fn only_what_stands_at_its_place_counts() {
        let read = HermesSettings::parse(FILE).unwrap();
        assert_eq!((read.mode.as_deref(), read.cron_mode.as_deref()), (Some("off"), Some("approve")));
        assert_eq!(read.deny, ["git push*", "a: b"]);
        assert_eq!(read.allow, ["podman *", "world_writable chmod @ mode project /p", "recursive delete"]);
        assert_eq!(HermesSettings::parse("").unwrap(), HermesSettings::default());
        assert_eq!(HermesSettings::parse("- a\n- b\n").unwrap(), HermesSettings::default());
        assert!(HermesSettings::parse("approvals: [").is_err());
    }

    #[test]
    fn by_itself_it_makes_the_gate_stricter_only() {
        let read = HermesSettings::parse(FILE).unwrap();
        let mut policy = Policy::parse("preset = 'hermes'").unwrap();
        policy.join_hermes(&read, false);
        assert_eq!((policy.gate.mode, policy.gate.unattended), (Mode::Smart, Unattended::Deny));
        assert_eq!(policy.gate.deny.len(), 2);
        assert!(policy.gate.allow.is_empty() && policy.gate.granted.is_empty());
        policy.join_hermes(&read, true);
        assert_eq!((policy.gate.mode, policy.gate.unattended), (Mode::Off, Unattended::Approve));
        assert_eq!(policy.gate.allow, ["podman *"]);
        assert_eq!(policy.gate.granted, ["world_writable chmod @ mode project /p", "recursive_delete"]);
        let manual = HermesSettings::parse("approvals:\n  mode: whatever\n").unwrap();
        let mut policy = Policy::default();
        policy.join_hermes(&manual, false);
        assert_eq!(policy.gate.mode, Mode::Manual);
    }
}
