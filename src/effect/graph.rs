//! The graph of effects: every process, program and effect of one text, with the flows between effects.
//!
//! In: what the interpreter finds, in order of execution. Out: plain vectors that rules read. It judges nothing.

use super::{Certainty, Effect, EffectId, Flow, Language, Object, ProcessId, ProgramId, Props, Site, Verb};
use crate::source::{Place, TextId};
use crate::value::{Taint, Value};

/// How a program was reached from the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It is the text that was given.
    Root,
    /// A substitution: `$(…)`, backquotes, `<(…)`.
    Substitution,
    /// A here-document or here-string body.
    Heredoc,
    /// An argument (`sh -c`, `eval`, `ssh host`).
    Argument,
    /// Standard input, through a pipe.
    Stdin,
    /// A file that the text wrote.
    File,
    /// The value of a variable or environment variable.
    Variable,
    /// An alias or trap.
    Deferred,
    /// A file that something runs later: the shell when it starts, cron.
    Later,
}

/// One program: the outer text or a nested one.
#[derive(Clone, Debug)]
pub struct ProgramNode {
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: TextId,
    /// Where its text stands in the text around it.
    pub place: Place,
    /// How it was reached.
    pub reach: Reach,
    /// The process that evaluates it; `None` for the root.
    pub by: Option<ProcessId>,
    /// The program around it.
    pub parent: Option<ProgramId>,
}

/// One process, or builtin or function call: a command that is run.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its id: its index in [`Graph::processes`].
    pub id: ProcessId,
    /// The program's base name where the command word is known (`curl` for `/usr/bin/curl`), else what is known of it.
    pub name: String,
    /// Its words, the command word first.
    pub argv: Vec<Value>,
    /// The bytes of the whole simple command.
    pub place: Place,
    /// The program it stands in.
    pub program: ProgramId,
    /// The process that runs it (`sudo`, `xargs`, `find`), for wrapped commands.
    pub parent: Option<ProcessId>,
    /// How surely it runs.
    pub certainty: Certainty,
    /// Where.
    pub site: Site,
    /// What the grammar found of its invocation (`elevated` from sudo carries over to what it wraps).
    pub props: Props,
    /// True where a grammar describes it or it is a function or builtin of the shell.
    pub known: bool,
    /// What its standard input holds, where something is connected to it.
    pub stdin: Option<Value>,
    /// What it searches for: patterns and words of the search, as far as its grammar tells.
    pub patterns: Vec<Value>,
    /// True where its standard output goes on into a pipe, substitution or file.
    pub captured: bool,
}

/// Something that could not be proven.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// What kind.
    pub kind: DoubtKind,
    /// For people: the name, word or reason.
    pub detail: String,
    /// Where.
    pub place: Place,
    /// The process it is about.
    pub process: Option<ProcessId>,
}

super::named! {
    /// Kinds of doubts. `Limit`, `Unparsed`, `Uncovered` end in a warning `analysis_incomplete`; the others end *safe*.
    DoubtKind {
        /// No grammar describes the program.
        UnknownProgram = "unknown_program",
        /// The command word is not known.
        UnknownCommand = "unknown_command",
        /// The program has no such option.
        UnknownOption = "unknown_option",
        /// The program has no such sub-command.
        UnknownSubcommand = "unknown_subcommand",
        /// A word that the program's description does not account for.
        UnknownOperand = "unknown_operand",
        /// A word that decides what is done is not known.
        UnknownValue = "unknown_value",
        /// Text is evaluated that is not known.
        UnknownCode = "unknown_code",
        /// Code in a language that is not read here, or a part of it that is not understood.
        OpaqueCode = "opaque_code",
        /// An environment variable that can change what a program does is set.
        Environment = "environment",
        /// A limit of the analysis was reached.
        Limit = "limit",
        /// A part of the text could not be read.
        Unparsed = "unparsed",
        /// The text ends inside a quote or construct: a shell that is given it runs nothing of that part.
        Unfinished = "unfinished",
        /// An expansion lies outside every node that was visited.
        Uncovered = "uncovered",
        /// The two readers differ.
        Disagreement = "parse_disagreement",
        /// One reader alone read the text: it is too long, or of a shape that takes the second one too much time.
        Unconfirmed = "unconfirmed",
        /// The text holds bytes that no shell text should (NUL, invalid UTF-8): readers, terminals and logs do not agree on
        /// them.
        Bytes = "bytes",
    }
}

/// Everything that was found out about one text.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The effects, by id.
    pub effects: Vec<Effect>,
    /// The processes, by id.
    pub processes: Vec<Process>,
    /// The programs, the root first.
    pub programs: Vec<ProgramNode>,
    /// What could not be proven.
    pub doubts: Vec<Doubt>,
}

impl Graph {
    /// The effect with that id.
    pub fn effect(&self, id: EffectId) -> Option<&Effect> {
        self.effects.get(id.0 as usize)
    }
    /// The process with that id.
    pub fn process(&self, id: ProcessId) -> Option<&Process> {
        self.processes.get(id.0 as usize)
    }
    /// The program with that id.
    pub fn program(&self, id: ProgramId) -> Option<&ProgramNode> {
        self.programs.get(id.0 as usize)
    }
    /// All effects with that verb.
    pub fn with(&self, verb: Verb) -> impl Iterator<Item = &Effect> {
        self.effects.iter().filter(move |e| e.verb == verb)
    }
    /// Every effect whose content reaches `effect`, directly or through others, nearest first; each once.
    pub fn sources(&self, effect: &Effect) -> Vec<(EffectId, Vec<Flow>)> {
        let mut seen = std::collections::HashSet::new();
        let mut queue: std::collections::VecDeque<(EffectId, Vec<Flow>)> =
            effect.inputs.iter().map(|f| (f.from, vec![f.clone()])).collect();
        let mut out = Vec::new();
        while let Some((id, way)) = queue.pop_front() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(e) = self.effect(id) {
                for f in &e.inputs {
                    let mut w = way.clone();
                    w.push(f.clone());
                    queue.push_back((f.from, w));
                }
            }
            out.push((id, way));
        }
        out
    }
    /// The process and those that run it, innermost first.
    pub fn lineage(&self, id: ProcessId) -> impl Iterator<Item = &Process> {
        let mut next = self.process(id);
        std::iter::from_fn(move || {
            let p = next?;
            // A parent always has a smaller id, so the walk ends.
            next = p.parent.filter(|q| q.0 < p.id.0).and_then(|q| self.process(q));
            Some(p)
        })
    }
    /// The flows that a value's taint stands for.
    pub fn flows(taint: &Taint) -> Vec<Flow> {
        taint.sources().iter().map(|(from, via)| Flow { from: *from, via: via.to_vec() }).collect()
    }
    /// A new effect with the next id; the caller fills in the rest.
    pub fn next_effect(&self, verb: Verb, object: Object, process: ProcessId, place: Place) -> Effect {
        Effect {
            id: super::EffectId { 0: u32::try_from(self.effects.len()).unwrap_or(u32::MAX) },
            verb,
            object,
            props: Props::default(),
            process,
            place,
            certainty: Certainty::Certain,
            site: Site::Local,
            inputs: Vec::new(),
            cwd: None,
            other: None,
        }
    }
}
