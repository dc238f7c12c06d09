//! Pages of rules, from the entries themselves: Markdown for people, JSON for programs.

use super::{Rule, names};
use crate::verdict::Action;
use serde_json::{Value, json};

const TECHNIQUES: &str = include_str!("../../grammars/lists/techniques.list");

/// The name of an ATT&CK technique.
pub fn technique(id: &str) -> Option<&'static str> {
    TECHNIQUES.lines().filter_map(|l| l.split_once(' ')).find(|(i, _)| *i == id).map(|(_, name)| name)
}

/// The page of a rule.
pub fn markdown(rule: &'static Rule) -> String {
    let mut out = format!("# {}\n\n{}\n\n{}\n\n", rule.id, rule.title, rule.description);
    let mut row = |name: &str, value: String| out.push_str(&format!("- **{name}**: {value}\n"));
    row("severity", format!("{:?} ({})", rule.severity, action(rule)).to_lowercase());
    row("confidence", format!("{:?}", rule.confidence).to_lowercase());
    row("category", rule.category.name().to_string());
    if let Some(id) = rule.mitre {
        let link = format!("[{id}](https://attack.mitre.org/techniques/{}/)", id.replace('.', "/"));
        row("technique", technique(id).map_or(link.clone(), |name| format!("{link} {name}")));
    }
    if rule.floor {
        row("floor", "no mode may let it through".to_string());
    }
    let all = names(rule);
    if all.len() > 1 {
        row("names of its findings", all.join(", "));
    }
    row("instead", rule.remediation.to_string());
    for (head, list) in [("Fires on", rule.bad), ("Stays silent on", rule.good)] {
        if !list.is_empty() {
            out.push_str(&format!("\n## {head}\n\n```sh\n{}\n```\n", list.join("\n")));
        }
    }
    out
}

/// A rule as data.
pub fn json(rule: &'static Rule) -> Value {
    json!({
        "id": rule.id,
        "names": names(rule),
        "title": rule.title,
        "severity": rule.severity,
        "confidence": rule.confidence,
        "category": rule.category.name(),
        "action": action(rule),
        "mitre_id": rule.mitre,
        "floor": rule.floor,
        "description": rule.description,
        "remediation": rule.remediation,
        "bad": rule.bad,
        "good": rule.good,
    })
}

fn action(rule: &Rule) -> &'static str {
    match Action::of(rule.severity) {
        Action::Allow => "allow",
        Action::Warn => "warn",
        Action::Block => "block",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_technique_has_a_name() {
        for rule in crate::rules::all() {
            assert!(rule.mitre.is_none_or(|id| technique(id).is_some()), "{}: {:?}", rule.id, rule.mitre);
        }
        assert_eq!(technique("T1059.004"), Some("Unix shell"));
    }
}
