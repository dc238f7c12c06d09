//! Code of another language that starts a shell.
//!
//! In: programs in programs. Out: findings of the family *execution*. A shell that is reached through an interpreter is
//! past whoever allows the interpreter and past whoever looks for shells.

use super::concern::concern;
use super::own::Own;
use super::{Category, Facts, Findings, Rule};
use crate::command;
use crate::effect::graph::{ProgramNode, Reach};
use crate::effect::{Effect, Language, Object, ProcessId, ProgramId, Verb};
use crate::finding::{Confidence, Severity};
use crate::source::Place;
use std::collections::HashMap;

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
    let all: Vec<(&ProgramNode, Place)> = code.chain(started).collect();
    if all.is_empty() {
        return;
    }
    let severity = if only_looks(facts, &|id| inline(id).is_some()) { Severity::Info } else { rule.severity };
    for (outer, place) in all {
        out.add(
            rule.at(facts, place)
                .severity(severity)
                .title(format!("{} code starts a shell", outer.language.name()))
                .evidence("command_pattern", "starts a shell", place),
        );
    }
}

/// What says who and where one is: the first thing that an intruder asks.
const WHERE_ONE_IS: &[&str] = &["users", "system", "processes", "network", "environment"];

/// True where all that such shells run is known and only looks at files and the project, as it would be without the code
/// around it: `execSync('git rev-parse HEAD')`.
fn only_looks(facts: &Facts<'_>, inline: &dyn Fn(ProgramId) -> bool) -> bool {
    let graph = facts.graph;
    // Whether a program stands in code, at any depth; programs come after those that they stand in.
    let mut inside: HashMap<ProgramId, bool> = HashMap::new();
    for (i, p) in graph.programs.iter().enumerate() {
        let below = p.parent.is_some_and(|o| inline(o) || inside.get(&o).copied().unwrap_or_default());
        inside.insert(ProgramId(u32::try_from(i).unwrap_or(u32::MAX)), below);
    }
    let is_inside = |p: ProcessId| {
        let program = graph.process(p).map(|p| p.program);
        program.is_some_and(|id| inside.get(&id).copied().unwrap_or_default())
    };
    let own = Own::of(facts);
    let looks = |e: &Effect| {
        let scouts =
            e.verb == Verb::Inspect && matches!(e.object, Object::Stated(what) if WHERE_ONE_IS.contains(&what));
        !scouts && concern(facts, e, &own).is_none()
    };
    let mut ran = graph.processes.iter().filter(|p| is_inside(p.id)).peekable();
    ran.peek().is_some()
        && ran.all(|p| p.known && command::language(&p.name).is_none())
        && graph.doubts.iter().all(|d| d.process.is_some_and(|p| !is_inside(p)))
        && facts.effects().filter(|e| is_inside(e.process)).all(looks)
}
