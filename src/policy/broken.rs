//! A policy that is there and cannot be used: what is wrong in which line, what of it still holds, and the finding that
//! asks about every command until it is mended. Its deny rules are lost, so silence would be a yes that nobody gave.

use super::Policy;
use crate::finding::{Confidence, Evidence, Finding, Severity, SpanOut};
use crate::redact;

/// The id of the finding.
pub const BROKEN_RULE: &str = "policy_broken";

/// An error of the reader in one line, with the number of the line that it is in.
pub(super) fn in_line(text: &str, e: &toml::de::Error) -> String {
    let what = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
    match e.span().and_then(|s| text.get(..s.start)) {
        Some(before) => format!("line {}: {what}", before.matches('\n').count().saturating_add(1)),
        None => what,
    }
}

/// What is wrong with a setting that the reader takes, with the first line that names it.
pub(super) fn at_word(text: &str, word: &str, what: &str) -> String {
    let names = |line: &str| {
        let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
        !line.trim_start().starts_with('#') && words.any(|w| w == word)
    };
    match text.lines().position(names) {
        Some(i) => format!("line {}: {what}", i.saturating_add(1)),
        None => what.to_string(),
    }
}

/// The deny rules of a text that is TOML, though no policy: those can be read, and they only make it stricter.
pub(super) fn deny_rules(text: &str) -> Vec<String> {
    let Ok(table) = toml::from_str::<toml::Table>(text) else { return Vec::new() };
    let list = table.get("gate").and_then(|g| g.get("deny")).and_then(toml::Value::as_array);
    list.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

impl Policy {
    /// Notes that a policy is broken. What would let a question go unasked does not hold then.
    pub fn note_broken(&mut self, what: String) {
        use super::{Failing, NoAsk, OnWarn};
        self.gate.broken.push(what);
        self.hooks.fail = Failing::Closed;
        self.hooks.no_ask = NoAsk::Deny;
        if self.hooks.warn == OnWarn::Silent {
            self.hooks.warn = OnWarn::Ask;
        }
    }
}

/// The finding about a policy that is broken, over the whole of a text.
pub(super) fn finding(what: &str, length: usize) -> Finding {
    let span = SpanOut { start: 0, end: u32::try_from(length).unwrap_or(u32::MAX) };
    let what = redact::text(what);
    Finding {
        rule_id: BROKEN_RULE,
        severity: Severity::Medium,
        confidence: Confidence::High,
        title: format!("Policy is broken: {what}"),
        description: format!(
            "A policy cannot be used, so its deny rules may be missing, and every command is asked about: {what}. The user \
             mends the file; `shellward policy check` says what is wrong with it."
        ),
        evidence: vec![Evidence {
            kind: "text",
            label: "is judged without it".into(),
            matched: String::new(),
            span,
            details: Vec::new(),
        }],
        span,
        path: Vec::new(),
        mitre_id: None,
        remediation: "Tell the user to mend the policy file; nothing is wrong with the command itself.".into(),
        fix: None,
        floor: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_has_its_line() {
        for (text, line) in [
            ("# x\n[hooks]\nfial = 'open'\n", 3),
            ("a = \n", 1),
            ("[gate]\nmode = 'off'\n[rules]\nnice_rule = 'loud'\n", 4),
            ("\npreset = 'none'\n", 2),
            ("[[ask]]\ntitle='X'\nid='my-rule'\nseverity='high'\nverbs=['x']", 3),
        ] {
            let said = Policy::parse(text).unwrap_err();
            assert!(said.starts_with(&format!("line {line}: ")) && !said.contains('\n'), "{text}: {said}");
        }
    }

    #[test]
    fn deny_rules_outlive_what_is_wrong_elsewhere() {
        assert_eq!(deny_rules("[gate]\ndeny = ['a *', 7, 'b']\nmoed = 'x'\n"), ["a *", "b"]);
        assert!(deny_rules("[gate\ndeny = ['a']").is_empty());
    }
}
