//! Variables that change what programs do: `grammars/lists/variables.list`.
//!
//! In: variables that are set or unset for the shell or a child. Out: findings of the family *environment*.

use super::listed::is_listed;
use super::{Category, Facts, Findings, Rule, fix};
use crate::effect::path::{Class, Mark};
use crate::effect::{Effect, Object, Verb};
use crate::finding::{Confidence, Severity};
use crate::glob;
use crate::value::{Piece, Value, Why};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "code_injection_env",
        title: "Library is loaded into every program",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Environment,
        mitre: Some("T1574.006"),
        floor: false,
        description: "The variable makes the loader put a library into every program that is started, which then runs with \
                      that program's rights. Start the one program that needs it without the variable, or link it.",
        remediation: "Start the program without the variable.",
        good: &["LANG=C sort x", "LD_LIBRARY_PATH=/usr/local/lib ./x", "export PATH=\"$HOME/bin:$PATH\""],
        bad: &["LD_PRELOAD=/tmp/x.so ls", "export LD_PRELOAD=./hook.so", "DYLD_INSERT_LIBRARIES=x.dylib ls"],
        check: |f, r, o| by_kind(f, r, o, "loader"),
    },
    Rule {
        id: "shell_injection_env",
        title: "Variable that shells run",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Environment,
        mitre: Some("T1546.004"),
        floor: false,
        description: "Shells run what the variable holds or names, at times when nobody asked for it. Run the file or command \
                      where it is meant to run.",
        remediation: "Run the command itself, where it is meant to run.",
        good: &["PS1='$ ' bash", "export EDITOR=vim"],
        bad: &["BASH_ENV=/tmp/x.sh bash -c true", "export PROMPT_COMMAND='curl https://e.example/x'"],
        check: |f, r, o| by_kind(f, r, o, "shell"),
    },
    Rule {
        id: "interpreter_hijack_env",
        title: "Variable that interpreters run",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Environment,
        mitre: Some("T1574"),
        floor: false,
        description: "Every interpreter of that language that is started runs or loads what the variable names. Give it to the \
                      one program that needs it, as an argument.",
        remediation: "Give it to the one program that needs it, as an argument.",
        good: &["NODE_OPTIONS=--max-old-space-size=4096 npm run build", "PYTHONPATH=src pytest"],
        bad: &["PERL5OPT='-Mevil' perl x.pl", "NODE_OPTIONS='--require /tmp/x.js' node y.js"],
        check: |f, r, o| by_kind(f, r, o, "interpreter"),
    },
    Rule {
        id: "insecure_tls_env",
        title: "Certificates are not checked",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1557"),
        floor: false,
        description: "The variable switches the check of certificates off, so that anyone on the way can pose as the server. \
                      Add the certificate to those that are trusted instead.",
        remediation: "Leave the check on; give the certificate that is trusted.",
        good: &["SSL_CERT_FILE=/etc/ssl/certs/ca.pem curl https://e.example/"],
        bad: &["NODE_TLS_REJECT_UNAUTHORIZED=0 node x.js", "GIT_SSL_NO_VERIFY=1 git pull"],
        check: |f, r, o| by_kind(f, r, o, "tls"),
    },
    Rule {
        id: "history_off",
        title: "History is not kept",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Evasion,
        mitre: Some("T1562.003"),
        floor: false,
        description: "The shell is told not to keep what is typed, so that nobody can see afterwards what was done. Leave the \
                      history on; keep secrets out of commands instead.",
        remediation: "Leave the history on.",
        good: &["export HISTSIZE=10000", "export HISTFILE=~/.bash_history"],
        bad: &["unset HISTFILE", "export HISTSIZE=0", "HISTFILE=/dev/null bash"],
        check: |f, r, o| by_kind(f, r, o, "history"),
    },
    Rule {
        id: "path_hijack_env",
        title: "Programs are looked for elsewhere first",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Environment,
        mitre: Some("T1574.007"),
        floor: false,
        description: "Programs are looked for first in a directory where anyone, or anything in the project, can put one named \
                      like a command. Put directories of one's own behind the others, by their full path.",
        remediation: "Name a directory that only you can write, by its full path.",
        good: &["export PATH=\"$PATH:/usr/local/go/bin\"", "PATH=\"$HOME/.local/bin:$PATH\" x"],
        bad: &["export PATH=/tmp/bin:$PATH", "PATH=.:$PATH make"],
        check: path_hijack,
    },
    Rule {
        id: "script_injection",
        title: "Text that strangers write is put into a script",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Execution,
        mitre: Some("T1059"),
        floor: false,
        description: "The pipeline puts the text into the script before the shell reads it, so that whoever may open an issue or \
                      a pull request can write commands there, which run with the rights and secrets of the pipeline. Hand it \
                      over in a variable (`env:`) and quote that.",
        remediation: "Hand the text over in a variable (`env: TITLE: …`) and write \"$TITLE\" in the script.",
        good: &["echo \"$GITHUB_HEAD_REF\"", "echo \"$TITLE\"", "echo ${github_sha}"],
        bad: &["echo \"${github_event_issue_title}\"", "b=${github_head_ref}; git checkout $b"],
        check: script_injection,
    },
];

/// `scan` names an expression of a pipeline as a variable in lower case; the runner's own variables are in capitals.
fn script_injection(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let written = |v: &Value| {
        v.pieces.iter().find_map(|p| match p {
            Piece::Unknown(u) => match &u.why {
                Why::Environment(n)
                    if !n.bytes().any(|b| b.is_ascii_uppercase()) && is_listed(rule.id, "variable", n) =>
                {
                    Some((n.clone(), u.from))
                }
                _ => None,
            },
            _ => None,
        })
    };
    for p in &facts.graph.processes {
        let Some((name, place)) = p.argv.iter().chain(&p.stdin).find_map(written) else { continue };
        out.add(rule.at(facts, p.place).title(format!("{}: {name}", rule.title)).evidence_as(
            "text",
            "is put in before the shell reads it",
            name,
            place,
        ));
    }
}

struct Entry {
    name: &'static str,
    value: Option<&'static str>,
    what: &'static str,
}

// `VARIABLES`: the list by kind, as the build reads it.
include!(concat!(env!("OUT_DIR"), "/variables.rs"));

/// The entries of that kind.
fn of_kind(kind: &str) -> &'static [Entry] {
    VARIABLES.iter().find(|(k, _)| *k == kind).map_or(&[][..], |(_, all)| all)
}

/// The name and value of a variable that is set; no value where it is only named or unset.
fn variable(e: &Effect) -> Option<(String, Option<&Value>)> {
    let Object::Named(_, name) = &e.object else { return None };
    let value = match e.other.as_deref() {
        Some(Object::Named(_, v)) => Some(v),
        _ => None,
    };
    Some((name.as_str()?.into_owned(), value))
}

pub(super) fn by_kind(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, kind: &str) {
    let entries = of_kind(kind);
    for e in facts.with(&[Verb::Environment]) {
        let Some((name, value)) = variable(e) else { continue };
        let mut named = entries.iter().filter(|entry| is(entry.name, &name)).peekable();
        if named.peek().is_none() {
            continue;
        }
        let text = value.map(Value::show).unwrap_or_default();
        let found = named.find(|entry| match entry.value {
            None => value.is_some() && !text.is_empty(),
            Some(pattern) => is(pattern, &text),
        });
        let Some(entry) = found else { continue };
        // `BASH_ENV=/dev/null` makes sure that nothing is run.
        let nothing = |v: &Value| facts.resolve(v, e).class == Class::HarmlessDevice;
        if is_kept(&name, &text) || (kind == "shell" && value.is_some_and(nothing)) {
            continue;
        }
        let fix = if kind == "tls" { fix::unassigned(facts, e) } else { None };
        // A library of the system is one that its owner has installed.
        let installed = kind == "loader" && value.is_some_and(|v| is_installed(facts, e, v));
        out.add(
            rule.about(facts, e)
                .severity(if installed { Severity::Medium } else { rule.severity })
                .title(format!("{}: {name}", rule.title))
                .evidence_as("environment", entry.what, format!("{name}={text}"), e.place)
                .fix(fix),
        );
    }
}

/// True where every library of the list lies among those of the system.
fn is_installed(facts: &Facts<'_>, e: &Effect, value: &Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    let mut all = text.split([':', ' ']).filter(|l| !l.is_empty()).peekable();
    let system = |l: &str| {
        let p = facts.resolve(&Value::computed(l.as_bytes(), e.place, Default::default()), e);
        p.marks.has(Mark::Program)
    };
    all.peek().is_some() && all.all(system)
}

/// True where all that a value of commands runs is what the list knows as harmless there: `history -a; $PROMPT_COMMAND`.
/// Two commands may be harmless together (`history -c; history -r`).
fn is_kept(name: &str, text: &str) -> bool {
    let blanks = |part: &str| part.split_whitespace().collect::<Vec<_>>().join("_");
    let parts = text.split(['\n', ';']).flat_map(|p| p.split("&&")).map(blanks).filter(|p| !p.is_empty());
    let parts: Vec<String> = parts.collect();
    let idle = |part: &str| of_kind("idle").iter().any(|e| e.name == name && e.value == Some(part));
    let mut rest = parts.as_slice();
    while let [first, after @ ..] = rest {
        rest = match after {
            _ if idle(first) => after,
            [second, after @ ..] if idle(&format!("{first};{second}")) => after,
            _ => return false,
        };
    }
    !parts.is_empty()
}

fn path_hijack(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Environment]) {
        let Some((name, Some(value))) = variable(e) else { continue };
        let first = value.prefix();
        let text = String::from_utf8_lossy(&first);
        let Some((first, _)) = text.split_once(':').filter(|_| name == "PATH") else { continue };
        let resolved = facts.resolve(&Value::computed(first.as_bytes(), e.place, Default::default()), e);
        let anyone = resolved.class == Class::Temporary;
        // An empty entry is the current directory (XBD 8.3).
        let here = first.is_empty() || first == ".";
        if anyone || here {
            out.add(
                rule.about(facts, e)
                    .title(format!("{}: {}", rule.title, if first.is_empty() { "." } else { first }))
                    .evidence_as("environment", "comes first", format!("PATH={}", value.show()), e.place),
            );
        }
    }
}

/// True for a variable that switches the check of certificates off.
pub(super) fn is_unchecked(e: &Effect) -> bool {
    let Some((name, value)) = variable(e) else { return false };
    let text = value.map(Value::show).unwrap_or_default();
    let fits = |pattern: &str| is(pattern, &text);
    of_kind("tls").iter().any(|x| is(x.name, &name) && x.value.map_or(value.is_some() && !text.is_empty(), fits))
}

/// True where the list says that some value of the variable changes what programs do.
pub(super) fn steers(name: &str) -> bool {
    VARIABLES.iter().filter(|(kind, _)| *kind != "plain").flat_map(|(_, all)| *all).any(|e| is(e.name, name))
}

/// True where the list says that the variable, with that value, only chooses a profile, a target, a look or a log level.
pub(super) fn is_plain(e: &Effect) -> bool {
    let Some((name, value)) = variable(e) else { return false };
    let text = value.and_then(Value::as_str);
    let fits = |v: &str| text.as_deref().is_some_and(|t| if v.is_empty() { t.is_empty() } else { is(v, t) });
    of_kind("plain").iter().any(|x| is(x.name, &name) && x.value.is_none_or(fits))
}

/// [`glob::matches`], after a look at the first byte: nearly every name differs there from nearly every pattern.
fn is(pattern: &str, text: &str) -> bool {
    let first = pattern.bytes().next();
    let other = first.is_some_and(|b| !b"*?[\\".contains(&b)) && first != text.bytes().next();
    !other && glob::matches(pattern.as_bytes(), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        assert!(is("*--require*", "--require x") && is("/tmp*", "/tmp/x") && is("", "") && is("\\*", "*"));
        assert!(!is("", "x") && !is("/tmp*", "/home/tmp") && !is("\\*", "ls") && !is("0", "10"));
        assert!(is("BASH_FUNC_*", "BASH_FUNC_x%%") && is("*-M*", "-Mx"));
    }
}
