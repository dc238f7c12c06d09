//! The abstract interpreter: runs a program over values instead of running it.
//!
//! In: a text and what is known of the place it would run in. Out: the effect graph. Floor 5; imports every floor
//! below. It expands words ([`expand`], [`param`]), walks commands ([`shell`]), connects descriptors ([`streams`]),
//! turns invocations into effects ([`invoke`]), runs nested programs again through `syntax` ([`nested`]) and has the
//! semantics of the shell's own builtins ([`builtin`], [`declare`], [`cond`]). It judges nothing. One work budget bounds everything;
//! where it runs out, a doubt says so.

mod arith;
mod assign;
mod builtin;
mod compute;
mod cond;
mod declare;
mod dialects;
mod effects;
mod environment;
mod expand;
mod fish;
mod fish_string;
mod getopts;
mod glob;
mod hooks;
mod invoke;
mod later;
mod links;
mod loops;
mod map;
mod nested;
mod outer;
mod param;
mod read;
mod scope;
mod script;
mod shell;
mod streams;
mod subshell;
mod zsh;

use crate::effect::graph::{Doubt, DoubtKind, Graph, ProgramNode, Reach};
use crate::effect::{Certainty, Effect, EffectId, Language, Object, ProcessId, ProgramId, Props, Site, Verb};
use crate::limits;
use crate::source::{Place, Source, Span, TextId};
use crate::syntax::ast::Program;
use crate::syntax::shell::Dialect;
use crate::value::{Piece, Taint, Unknown, Value, Why};
use scope::Shell;
use std::collections::HashMap;
use std::rc::Rc;

/// What is known before the text runs.
#[derive(Clone, Debug)]
pub struct Context {
    /// The shell that reads it.
    pub shell: Language,
    /// The directory it would run in, where known.
    pub cwd: Option<String>,
    /// Work units it may use.
    pub work: u64,
    /// True for an interactive shell: aliases take effect.
    pub interactive: bool,
    /// Let the second reader check the first.
    pub witness: bool,
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// Everything that was found.
    pub graph: Graph,
    /// How long nested programs took, of the whole.
    pub nested_time: std::time::Duration,
}

/// A file that the text wrote.
#[derive(Clone, Debug)]
struct FileEntry {
    content: Value,
    /// Set for `/dev/fd/N` of a process substitution.
    substitution: bool,
}

/// Whether execution goes on in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It does.
    Next,
    /// `break n`
    Break(u32),
    /// `continue n`
    Continue(u32),
    /// `return`
    Return,
    /// `exit`, or an error that ends the shell.
    Exit,
}

/// The interpreter.
pub(crate) struct Interp<'a> {
    pub(crate) source: &'a mut Source,
    pub(crate) graph: Graph,
    pub(crate) sh: Shell,
    /// The text whose tree is being walked.
    pub(crate) text: TextId,
    /// The program it belongs to.
    pub(crate) program: ProgramId,
    pub(crate) language: Language,
    pub(crate) interactive: bool,
    /// Collected output of captures and pipes.
    sinks: Vec<Value>,
    /// Content behind readable descriptors; what was read is taken away.
    inputs: Vec<Value>,
    /// Those of the inputs that are here-documents.
    documents: std::collections::HashSet<usize>,
    /// Directories whose content came from elsewhere as a whole (unpacked archives, copies from another machine), with
    /// what is known of any file in them.
    trees: Vec<(String, bool, Value)>,
    /// Where what is printed comes from, while something runs on another machine or in a container.
    pub(crate) elsewhere: Option<streams::Elsewhere>,
    /// Pieces in all of them.
    unread: usize,
    files: HashMap<String, FileEntry>,
    /// The links that the text makes: what each points to, by the key of the link.
    links: HashMap<String, Value>,
    /// Unknown pieces that stand in nested texts as markers.
    pub(crate) markers: Vec<Piece>,
    /// Output process substitutions of the command that is being run: sink, program, place.
    pending: Vec<(usize, Rc<Program>, Place, String)>,
    work: u64,
    pub(crate) certainty: Certainty,
    pub(crate) site: Site,
    /// Properties that wrappers give to what they run (elevated …).
    pub(crate) inherited: Props,
    pub(crate) parent: Option<ProcessId>,
    /// What variables held before assignments in front of commands, outermost first; true once `unset` gave it back.
    prefixed: Vec<(String, Option<Rc<scope::Var>>, bool)>,
    /// Files around the current command that `source` runs.
    sourced: u32,
    /// Functions that the shell calls by itself.
    hooks: Vec<String>,
    /// Functions that are active.
    calls: Vec<String>,
    /// Nested texts that are being run, outermost first.
    active_texts: Vec<(Language, TextId)>,
    /// The arguments of the program in another language that is being run: its own name where it is a file, the rest.
    arguments: Option<Rc<(Option<Value>, Vec<Value>)>>,
    /// How often one of them ran itself.
    again: u32,
    /// Programs around the current one.
    depth: u32,
    /// Constructs around the current command, over all programs.
    level: u32,
    /// True inside a `&` list or a pipeline of the active function.
    forking: bool,
    /// True where the condition of the surrounding construct is the reason that it runs (`if`, `&&`).
    loops: u32,
    /// The next `/dev/fd/N` of a process substitution: bash counts down, and frees them with the command.
    fd_names: u32,
    /// The next command word names no function (`command`, `builtin`).
    skip_functions: bool,
    /// Command substitutions that were run so far.
    substitutions: u64,
    /// An error ended the shell: what follows runs only if there was none after all.
    ended: bool,
    /// Conditions around the current command, whose failures are no errors (`set -e`, `trap … ERR`).
    unchecked: u32,
    /// A list of elements (`$@`) stands between the same double quotes.
    beside_list: bool,
    /// The code of a trap is being run.
    in_trap: bool,
    /// `echo` printed something with a backslash in it, which shells treat differently.
    escapes_differ: bool,
    /// The variables without the assignments in front of the command that is about to run.
    unprefixed: Option<map::Map<scope::Var>>,
    /// An expansion failed, which ends a shell that is not interactive.
    pub(crate) fatal: bool,
    /// How often something was walked that may not run.
    forks: u64,
    /// The last command was the surrounding shell's parameters and nothing else.
    only_parameters: bool,
    /// Commands that are being run by commands.
    wrappers: u32,
    pub(crate) witness: bool,
    /// Time that nested programs took.
    pub(crate) nested_time: std::time::Duration,
    /// Redirections of the current simple command opened these for writing: what it prints goes in.
    pub(crate) last_process: Option<ProcessId>,
    /// The script whose code text in its own language is about to be evaluated in its scope.
    evaluating: Option<script::Run>,
    /// The value of the last statement of the script that runs next is printed.
    prints_value: bool,
    /// What stands before and behind the code that is evaluated next.
    around: Option<(Value, Value)>,
    /// Variables of the script that runs next.
    presets: Vec<(String, Value)>,
    /// What the files hold that the code of a filter goes over.
    records: Option<Value>,
}

/// Reads and runs the root text of `source`.
pub fn run(source: &mut Source, context: &Context) -> Outcome {
    let text = TextId::ROOT;
    let bytes = source.bytes(text);
    let span = Span::new(0, bytes.len());
    let place = Place::new(text, span);
    let mut graph = Graph::default();
    graph.programs.push(ProgramNode {
        language: context.shell,
        text,
        place,
        reach: Reach::Root,
        by: None,
        parent: None,
    });
    let mut sh = Shell::default();
    if let Some(cwd) = &context.cwd {
        sh.cwd = Some(Value::computed(cwd.as_bytes(), place, Taint::default()));
    }
    let mut it = Interp {
        source,
        graph,
        sh,
        text,
        program: ProgramId(0),
        language: context.shell,
        interactive: context.interactive,
        sinks: Vec::new(),
        inputs: Vec::new(),
        documents: std::collections::HashSet::new(),
        trees: Vec::new(),
        elsewhere: None,
        unread: 0,
        files: HashMap::new(),
        links: HashMap::new(),
        markers: Vec::new(),
        pending: Vec::new(),
        work: context.work,
        certainty: Certainty::Certain,
        site: Site::Local,
        inherited: Props::default(),
        parent: None,
        prefixed: Vec::new(),
        sourced: 0,
        hooks: Vec::new(),
        calls: Vec::new(),
        active_texts: Vec::new(),
        arguments: None,
        again: 0,
        depth: 0,
        level: 0,
        forking: false,
        loops: 0,
        fd_names: 63,
        skip_functions: false,
        substitutions: 0,
        ended: false,
        unchecked: 0,
        in_trap: false,
        beside_list: false,
        escapes_differ: false,
        unprefixed: None,
        fatal: false,
        forks: 0,
        only_parameters: false,
        wrappers: 0,
        witness: context.witness,
        nested_time: std::time::Duration::ZERO,
        last_process: None,
        evaluating: None,
        prints_value: false,
        around: None,
        presets: Vec::new(),
        records: None,
    };
    it.dialect_options(context.shell);
    it.root(context.shell, &bytes);
    it.later();
    Outcome { graph: it.graph, nested_time: it.nested_time }
}

impl Interp<'_> {
    fn dialect_options(&mut self, language: Language) {
        self.sh.opts.no_split = matches!(language, Language::Zsh | Language::Fish);
        self.sh.opts.xpg_echo = false;
        self.sh.opts.posix = language == Language::Sh;
    }

    /// The reader's dialect for a shell language.
    pub(crate) fn dialect(language: Language) -> Dialect {
        match language {
            Language::Zsh => Dialect::ZSH,
            Language::Ksh => Dialect::KSH,
            _ => Dialect::BASH,
        }
    }

    /// How certain it is that what is walked now runs: an error that ends the shell leaves all that follows it open.
    pub(crate) fn sure(&self) -> Certainty {
        if self.ended || self.fatal { self.certainty.min(Certainty::Conditional) } else { self.certainty }
    }

    /// Uses up work; false where none is left.
    pub(crate) fn spend(&mut self, units: u64) -> bool {
        if self.work == 0 {
            return false;
        }
        self.work = self.work.saturating_sub(units);
        if self.work == 0 {
            self.limit("work of the analysis", Place::new(self.text, Span::default()));
            return false;
        }
        true
    }

    /// The work that is left.
    pub(crate) fn work_left(&self) -> u64 {
        self.work
    }

    /// True where no work is left.
    pub(crate) fn exhausted(&self) -> bool {
        self.work == 0
    }

    /// Notes that a limit was reached.
    pub(crate) fn limit(&mut self, what: &str, place: Place) {
        self.doubt(DoubtKind::Limit, what.to_string(), place);
    }

    /// Notes something that could not be proven.
    pub(crate) fn doubt(&mut self, kind: DoubtKind, detail: String, place: Place) {
        let process = self.last_process;
        let same = |d: &Doubt| d.kind == kind && d.place == place && d.detail == detail;
        // The last ones are enough to keep a loop from repeating itself.
        let incomplete = matches!(kind, DoubtKind::Limit | DoubtKind::Unparsed | DoubtKind::Uncovered);
        let room = if incomplete { limits::MAX_DOUBTS.saturating_mul(2) } else { limits::MAX_DOUBTS };
        if self.graph.doubts.len() < room && !self.graph.doubts.iter().rev().take(64).any(same) {
            self.graph.doubts.push(Doubt { kind, detail, place, process });
        }
    }

    /// Adds an effect of a process; one that is there already (a loop's second turn) is not added again.
    pub(crate) fn effect(&mut self, verb: Verb, object: Object, process: ProcessId, place: Place) -> EffectId {
        let object = match object {
            Object::Path(path) if verb != Verb::Link => Object::Path(self.through_links(path, verb == Verb::Delete)),
            other => other,
        };
        let mut e = self.graph.next_effect(verb, object, process, place);
        if self.graph.effects.len() >= limits::MAX_EFFECTS {
            self.limit("effects of one command", place);
            self.work = 0;
            return EffectId { 0: u32::try_from(self.graph.effects.len().saturating_sub(1)).unwrap_or(u32::MAX) };
        }
        e.certainty = self.sure();
        e.site = self.site.clone();
        e.cwd = self.sh.cwd.clone();
        if let Some(p) = self.graph.process(process) {
            e.props = p.props;
        }
        let id = e.id;
        self.graph.effects.push(e);
        id
    }

    /// Changes an effect that was just added.
    pub(crate) fn amend(&mut self, id: EffectId, change: impl FnOnce(&mut Effect)) {
        if let Some(e) = self.graph.effects.get_mut(id.0 as usize) {
            change(e);
        }
    }

    /// Notes that content flows into an effect.
    pub(crate) fn flow(&mut self, into: EffectId, taint: &Taint) {
        let flows = Graph::flows(taint);
        self.amend(into, |e| {
            for f in flows {
                if f.from != into && !e.inputs.contains(&f) && e.inputs.len() < 256 {
                    e.inputs.push(f);
                }
            }
        });
    }

    /// A piece that may be any number of words.
    pub(crate) fn many_words(why: Why, from: Place, taint: Taint) -> Value {
        let mut v = Value::default();
        v.pieces.push(Piece::Unknown(Box::new(Unknown { why, from, taint, splits: true })));
        v
    }
}

#[cfg(test)]
mod tests;
