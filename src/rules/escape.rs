//! Code of another language that starts a shell.
//!
//! In: programs in programs. Out: findings of the family *execution*. A shell that is reached through an interpreter is
//! past whoever allows the interpreter and past whoever looks for shells.

use super::{Category, Facts, Findings, Rule};
use crate::command;
use crate::effect::graph::{ProgramNode, Reach};
use crate::effect::{Language, ProgramId};
use crate::finding::{Confidence, Severity};

pub(super) const RULES: &[Rule] = &[Rule {
    id: "shell_from_code",
    title: "Code on the command line starts a shell",
    severity: Severity::Medium,
    confidence: Confidence::Medium,
    category: Category::Execution,
    mitre: Some("T1059"),
    floor: false,
    description: "Code of another language that stands in the command starts a shell: what the shell runs is behind an \
                  interpreter, where lists of allowed programs and readers do not look. Run the command itself.",
    remediation: "Run the command in the shell, without the interpreter around it.",
    good: &[
        "perl -e 'print 1'",
        "python3 -c 'import subprocess; subprocess.run([\"ls\", \"-l\"])'",
        "awk '{ system(\"mv \" $1 \" x\") }' list",
        "echo \"perl -e 'system(1)'\"",
    ],
    bad: &[
        "perl -e 'exec \"/bin/sh\";'",
        "ruby -e 'system(\"id; ls\")'",
        "python3 -c 'import os; os.system(\"id\")'",
        "python3 -c 'import pty; pty.spawn(\"/bin/bash\")'",
    ],
    check: shell_from_code,
}];

/// Languages that are written on a command line to compute, of which starting a shell is no part.
fn computes(language: Language) -> bool {
    use Language as L;
    matches!(language, L::Python | L::JavaScript | L::Ruby | L::Perl | L::Php | L::Lua | L::Tcl | L::R | L::Julia)
}

fn is_shell(language: Language) -> bool {
    use Language as L;
    matches!(language, L::Sh | L::Bash | L::Zsh | L::Ksh | L::Csh | L::Fish | L::PowerShell | L::Cmd)
}

fn shell_from_code(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let graph = facts.graph;
    let inline = |id: ProgramId| -> Option<&ProgramNode> {
        graph.program(id).filter(|p| computes(p.language) && matches!(p.reach, Reach::Argument | Reach::Heredoc))
    };
    let code =
        graph.programs.iter().filter(|p| is_shell(p.language)).filter_map(|p| Some((inline(p.parent?)?, p.place)));
    let started = graph.processes.iter().filter_map(|p| {
        let outer = inline(p.program)?;
        command::language(&p.name).filter(|l| is_shell(*l)).map(|_| (outer, p.place))
    });
    for (outer, place) in code.chain(started) {
        out.add(rule.at(facts, place).title(format!("{} code starts a shell", outer.language.name())).evidence(
            "command_pattern",
            "starts a shell",
            place,
        ));
    }
}
