//! The abstract interpreter: runs a program over values instead of running it.
//!
//! In: a text and what is known of the place it would run in. Out: the effect graph. Floor 5; imports every floor
//! below. It expands words ([`expand`], [`param`]), walks commands ([`shell`]), connects descriptors ([`streams`]),
//! turns invocations into effects ([`invoke`]), runs nested programs again through `syntax` ([`nested`]) and has the
//! semantics of the shell's own builtins ([`builtin`], [`cond`]). It judges nothing. One work budget bounds everything;
//! where it runs out, a doubt says so.

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
mod zsh;

use crate::effect::graph::{Doubt, DoubtKind, Graph, ProgramNode, Reach};
use crate::effect::{Certainty, Effect, EffectId, Language, Object, ProcessId, ProgramId, Props, Site, Verb};
use crate::limits;
use crate::source::{Place, Source, Span, TextId};
use crate::syntax::ast::{ArithText, Program};
use crate::syntax::shell::Dialect;
use crate::value::arithmetic::{self, Lookup, Subscript};
use crate::value::{Channel, Piece, Taint, Unknown, Value, Why};
use scope::{Content, End, Shell};
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

    /// Runs something in a subshell whose standard output is collected, and gives what it wrote.
    pub(crate) fn capture(&mut self, body: impl FnOnce(&mut Self)) -> Value {
        let sink = self.new_sink();
        let status = self.subshell(|me| {
            me.sh.set_fd(1, End::Sink(sink));
            // What is substituted does not end at the first failure, unless the shell is told so.
            me.sh.opts.errexit &= me.sh.opts.posix;
            body(me);
        });
        self.sh.status = status;
        self.take_sink(sink)
    }

    pub(crate) fn new_sink(&mut self) -> usize {
        self.sinks.push(Value::default());
        self.sinks.len().saturating_sub(1)
    }

    pub(crate) fn take_sink(&mut self, sink: usize) -> Value {
        self.sinks.get_mut(sink).map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn new_input(&mut self, v: Value) -> End {
        self.unread = self.unread.saturating_add(v.pieces.len());
        self.inputs.push(v);
        End::Input(self.inputs.len().saturating_sub(1))
    }

    /// Runs something on a copy of the shell's state, and gives its exit status.
    pub(crate) fn subshell(&mut self, body: impl FnOnce(&mut Self)) -> Option<i32> {
        let saved = self.sh.clone();
        // An error ends the subshell alone.
        let (certainty, ended) = (self.certainty, self.ended);
        let fatal = std::mem::replace(&mut self.fatal, false);
        if fatal {
            // An expansion before this one failed: the command is given up, with all that it would still expand.
            self.certainty = self.certainty.min(Certainty::Conditional);
        }
        self.sh.subshell = true;
        self.sh.exit_trap = None;
        if !self.sh.opts.errtrace {
            self.sh.err_trap = None;
        }
        if !self.sh.opts.functrace {
            self.sh.debug_trap = None;
        }
        let pending = self.pending.len();
        body(self);
        self.run_exit_trap();
        self.end_pending(pending);
        let status = if self.ended && !ended { None } else { self.sh.status };
        self.sh = saved;
        (self.certainty, self.ended, self.fatal) = (certainty, ended, fatal);
        status
    }

    /// The body of `$( … )`. `$(< file)` gives the file's content.
    fn substitution_body(&mut self, prog: &Program, at: Place) {
        use crate::syntax::ast::{CommandKind, RedirectOp};
        if let [list] = prog.lists.as_slice()
            && let [item] = list.items.as_slice()
            && item.rest.is_empty()
            && let [cmd] = item.first.stages.as_slice()
            && let CommandKind::Simple(s) = &cmd.kind
            && s.words.is_empty()
            && s.assignments.is_empty()
            && let [r] = cmd.redirects.as_slice()
            && r.op == RedirectOp::Read
        {
            let path = self.single(&r.target);
            let by = self.process("", vec![], at, true);
            let (v, _) = self.read_file(&path, by, self.at(r.target.span));
            self.emit(1, v);
            self.sh.status = None;
            return;
        }
        self.nested_program(prog, at, Reach::Substitution);
    }

    /// A program of the same text inside a word: noted as a program of its own, run in the current state.
    pub(crate) fn nested_program(&mut self, prog: &Program, at: Place, reach: Reach) {
        let before = self.enter_program(self.language, self.text, at, reach, self.parent);
        if prog.lists.is_empty() {
            self.sh.status = Some(0);
        }
        self.doubt_unparsed(&prog.unparsed);
        self.statements(prog);
        self.program = before;
    }

    /// Notes a program; gives the one that was current.
    pub(crate) fn enter_program(
        &mut self,
        language: Language,
        text: TextId,
        place: Place,
        reach: Reach,
        by: Option<ProcessId>,
    ) -> ProgramId {
        let before = self.program;
        let seen = self
            .graph
            .programs
            .iter()
            .rev()
            .take(64)
            .position(|p| p.text == text && p.place == place && p.reach == reach && p.language == language)
            .map(|i| self.graph.programs.len().saturating_sub(1).saturating_sub(i));
        let id = match seen {
            Some(i) => i,
            None if self.graph.programs.len() >= 2_000 => before.0 as usize,
            None => {
                self.graph.programs.push(ProgramNode { language, text, place, reach, by, parent: Some(before) });
                self.graph.programs.len().saturating_sub(1)
            }
        };
        self.program = ProgramId(u32::try_from(id).unwrap_or(u32::MAX));
        before
    }

    /// `<( … )`: the name of a file that holds the output of the program.
    pub(crate) fn process_in(&mut self, prog: &Program, span: Span) -> Value {
        let at = self.at(span);
        let status = self.sh.status;
        let mut content = self.capture(|me| {
            me.sh.set_fd(0, End::Nothing);
            me.nested_program(prog, at, Reach::Substitution);
        });
        self.sh.status = status;
        content.step(Channel::ProcessSubstitution);
        let (name, value) = self.fd_name(at, content.taint());
        self.files.insert(name, FileEntry { content, substitution: true });
        value
    }

    /// `>( … )`: the name of a file whose content the program reads; it is run when the command has run.
    pub(crate) fn process_out(&mut self, prog: &Program, span: Span) -> Value {
        let at = self.at(span);
        let sink = self.new_sink();
        let (name, value) = self.fd_name(at, Taint::default());
        self.pending.push((sink, Rc::new(prog.clone()), at, name));
        value
    }

    fn fd_name(&mut self, at: Place, taint: Taint) -> (String, Value) {
        let name = format!("/dev/fd/{}", self.fd_names);
        self.fd_names = self.fd_names.saturating_sub(1).max(10);
        let v = Value::computed(name.as_bytes(), at, taint);
        (name, v)
    }

    /// Runs the output process substitutions that were made since `from`, each with what was written to it. One that a
    /// descriptor of the shell stays connected to (`exec > >(…)`) waits until the shell ends.
    pub(crate) fn run_pending(&mut self, from: usize) {
        if self.pending.len() <= from {
            return;
        }
        let made = self.pending.split_off(from);
        let open = |sh: &Shell, sink: usize, name: &str| {
            sh.fds.iter().any(|(_, e)| match e {
                End::File { key, .. } => key == name,
                End::Sink(s) => *s == sink,
                _ => false,
            })
        };
        let (kept, done): (Vec<_>, Vec<_>) = made.into_iter().partition(|(sink, _, _, n)| open(&self.sh, *sink, n));
        self.pending.extend(kept);
        done.into_iter().rev().for_each(|p| self.run_reader(p));
    }

    /// Runs those that are left when the shell that made them ends.
    pub(crate) fn end_pending(&mut self, from: usize) {
        while self.pending.len() > from {
            let Some(p) = self.pending.pop() else { break };
            self.run_reader(p);
        }
    }

    fn run_reader(&mut self, (sink, prog, at, name): (usize, Rc<Program>, Place, String)) {
        let mut content = self.take_sink(sink);
        if let Some(f) = self.files.remove(&name) {
            content.push(f.content);
        }
        content.step(Channel::ProcessSubstitution);
        let status = self.sh.status;
        // It may have been made in a text that has been left since.
        let text = std::mem::replace(&mut self.text, at.text);
        self.subshell(|me| {
            let end = me.new_input(content);
            me.sh.set_fd(0, end);
            me.nested_program(&prog, at, Reach::Substitution);
        });
        self.text = text;
        self.sh.status = status;
    }

    /// Text that is expanded once more, as `${x@P}` and prompts are.
    pub(crate) fn expand_again(&mut self, v: Value, at: Place) -> Value {
        let Some((bytes, segments)) = v.to_text() else {
            return Value::unknown_tainted(Why::NotComputed("prompt"), at, v.taint());
        };
        if !bytes.iter().any(|b| matches!(b, b'$' | b'`' | b'\\')) {
            return v;
        }
        let text = self.source.add(&bytes, at, segments);
        let parts = crate::syntax::shell::read_quoted(&bytes, Self::dialect(self.language));
        let saved = std::mem::replace(&mut self.text, text);
        let before = self.enter_program(self.language, text, at, Reach::Variable, self.parent);
        let out = self.quoted_parts(&parts);
        self.program = before;
        self.text = saved;
        out
    }

    /// Text that is expanded once more as the key of an associative array: its quotes go, too.
    pub(crate) fn expand_key(&mut self, v: Value, at: Place) -> Value {
        let Some((bytes, segments)) = v.to_text() else { return v };
        if !bytes.iter().any(|b| matches!(b, b'$' | b'`' | b'\\' | b'"' | b'\'')) {
            return v;
        }
        // Read where a key stands: as the subscript of an assignment.
        let mut line = b"_[".to_vec();
        line.extend_from_slice(&bytes);
        line.extend_from_slice(b"]=");
        let mut shifted = vec![crate::source::Segment { start: 0, from: at, exact: false }];
        shifted.extend(segments.into_iter().map(|s| crate::source::Segment { start: s.start.saturating_add(2), ..s }));
        let text = self.source.add(&line, at, shifted);
        let prog = crate::syntax::shell::read(&line, Dialect::BASH);
        let key = prog.lists.first().and_then(|l| l.items.first()).and_then(|i| i.first.stages.first());
        let Some(crate::syntax::ast::CommandKind::Simple(s)) = key.map(|c| &c.kind) else { return v };
        let Some(subscript) = s.assignments.first().and_then(|a| a.subscript.as_ref()) else { return v };
        let saved = std::mem::replace(&mut self.text, text);
        let before = self.enter_program(self.language, text, at, Reach::Variable, self.parent);
        let out = self.quoted_parts(&subscript.parts);
        self.program = before;
        self.text = saved;
        out
    }

    /// Evaluates arithmetic; `Err` with what it depends on where the result is not known.
    pub(crate) fn arith(&mut self, text: &ArithText) -> Result<i64, Taint> {
        let v = self.quoted_parts(&text.parts);
        let v = self.drop_parameters_within(v);
        if self.quoted_outside_keys(text) {
            self.fatal = true;
            return Err(v.taint());
        }
        self.arith_of(&v)
    }

    /// Single quotes are no part of arithmetic; of the key of an associative array they are.
    fn quoted_outside_keys(&self, text: &ArithText) -> bool {
        use crate::syntax::ast::PartKind;
        if !text.parts.iter().any(|p| matches!(p.kind, PartKind::Single(_) | PartKind::AnsiC(_))) {
            return false;
        }
        let (mut open, mut name) = (Vec::new(), String::new());
        for p in &text.parts {
            match &p.kind {
                PartKind::Literal(b) => {
                    for c in b.iter() {
                        match c {
                            b'[' => {
                                let target = self.sh.target(&name);
                                open.push(matches!(
                                    self.sh.var(&target).map(|v| &v.content),
                                    Some(Content::Assoc(_) | Content::Opaque(_))
                                ));
                                name.clear();
                            }
                            b']' => {
                                open.pop();
                                name.clear();
                            }
                            c if c.is_ascii_alphanumeric() || *c == b'_' => name.push(char::from(*c)),
                            _ => name.clear(),
                        }
                    }
                }
                PartKind::Single(_) | PartKind::AnsiC(_) if !open.contains(&true) => return true,
                _ => name.clear(),
            }
        }
        false
    }

    /// Evaluates arithmetic that was expanded already.
    pub(crate) fn arith_of(&mut self, v: &Value) -> Result<i64, Taint> {
        let Some(bytes) = v.as_literal() else {
            // `l m …` is no expression, whatever comes next.
            let prefix = v.prefix();
            let whole = prefix.iter().rposition(u8::is_ascii_whitespace).and_then(|n| prefix.get(..n)).unwrap_or(&[]);
            self.spend(1 + whole.len() as u64 / 64);
            self.fatal |= arithmetic::goes_wrong(whole);
            return Err(v.taint());
        };
        let bytes = bytes.into_owned();
        self.spend(1 + bytes.len() as u64 / 64);
        let mut vars = ArithVars { it: self, taint: Taint::default() };
        match arithmetic::eval(&bytes, &mut vars) {
            Ok(n) => Ok(n),
            Err(e) => {
                // bash follows variables that name variables for long, but not for ever.
                let fatal = !matches!(e, arithmetic::ArithError::Unknown);
                let mut t = vars.taint;
                t.join(&v.taint());
                self.fatal |= fatal && v.is_known();
                Err(t)
            }
        }
    }

    /// An error that ends a shell that is not interactive (`${x:?}`).
    pub(crate) fn leave_on_error(&mut self) {
        self.sh.status = Some(1);
        self.fatal = true;
    }

    /// A piece that may be any number of words.
    pub(crate) fn many_words(why: Why, from: Place, taint: Taint) -> Value {
        let mut v = Value::default();
        v.pieces.push(Piece::Unknown(Box::new(Unknown { why, from, taint, splits: true })));
        v
    }
}

/// The variables of a shell, as arithmetic sees them.
struct ArithVars<'i, 'a> {
    it: &'i mut Interp<'a>,
    taint: Taint,
}

impl arithmetic::Variables for ArithVars<'_, '_> {
    fn get(&mut self, name: &str, subscript: Option<&Subscript>) -> Lookup {
        let at = Place::new(self.it.text, Span::default());
        let v = match subscript {
            None => self.it.variable(name, at),
            Some(s) => {
                let target = self.it.sh.target(name).into_owned();
                match key_of(s) {
                    Some(k) => self.it.element(&target, &k, at),
                    None => return Lookup::Unknown,
                }
            }
        };
        match v {
            None => Lookup::Unset,
            Some(v) => match v.as_literal() {
                Some(b) => Lookup::Text(b.into_owned()),
                None => {
                    self.taint.join(&v.taint());
                    Lookup::Unknown
                }
            },
        }
    }
    fn set(&mut self, name: &str, subscript: Option<&Subscript>, value: Option<i64>) {
        let at = Place::new(self.it.text, Span::default());
        let v = match value {
            Some(n) => Value::computed(n.to_string().as_bytes(), at, Taint::default()),
            None => Value::unknown(Why::NotComputed("arithmetic"), at),
        };
        let target = self.it.sh.target(name).into_owned();
        match subscript.map(key_of) {
            None if target.contains('[') => self.it.assign_name(&target, v, at),
            None => self.it.sh.set_scalar(&target, v),
            Some(Some(k)) => self.it.set_element(&target, &k, v),
            Some(None) => self.it.sh.set(&target, Content::Scalar(Value::unknown(Why::Joined, at))),
        }
    }
    fn is_associative(&self, name: &str) -> bool {
        let target = self.it.sh.target(name);
        matches!(self.it.sh.var(&target).map(|v| &v.content), Some(Content::Assoc(_)))
    }
    fn expand(&mut self, text: &[u8]) -> Option<Vec<u8>> {
        if !text.iter().any(|b| matches!(b, b'$' | b'`' | b'"' | b'\'' | b'\\')) {
            return Some(text.to_vec());
        }
        let at = Place::new(self.it.text, Span::default());
        let v = self.it.expand_again(Value::computed(text, at, Taint::default()), at);
        self.taint.join(&v.taint());
        v.as_literal().map(|b| b.into_owned())
    }
}

/// The key of an element, as `element` takes it.
fn key_of(s: &Subscript) -> Option<Vec<u8>> {
    match s {
        Subscript::Index(n) => n.map(|n| n.to_string().into_bytes()),
        Subscript::Key(k) => k.clone(),
    }
}

#[cfg(test)]
mod tests;
