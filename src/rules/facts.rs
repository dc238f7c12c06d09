//! What rules may ask about a graph: resolved paths, addresses, where content came from, who runs whom.
//!
//! In: the texts, the effect graph, the options. Out: answers, each worked out once and only when a rule asks. It
//! judges nothing. Effects that a dry-run option withholds are not shown to rules at all.

use super::alias;
use super::listed::Running;
use super::secrets::Written;
use crate::command::Readers;
use crate::effect::graph::{Graph, Process};
use crate::effect::path::{Base, Mark, Resolved, resolve};
use crate::effect::{Certainty, Effect, EffectId, Flow, Language, Object, ProcessId, Props, Site, Verb};
use crate::finding::{PathStep, SpanOut};
use crate::intel::store::Hit;
use crate::options::Options;
use crate::source::{Place, Source, Span, TextId};
use crate::text::{Mark as Deceptive, marks};
use crate::url::Address;
use crate::url::lookalike::{Look, looks};
use crate::url::registry;
use crate::value::{Channel, Glob, Piece, Value, Why};
use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, VecDeque};

/// Most sources that are followed back from one effect: a bound on work, whose being reached is reported.
const MAX_SOURCES: usize = 512;

/// One effect whose content reaches another, with the way it took, nearest step first.
#[derive(Clone, Debug)]
pub struct Reaching {
    /// The effect that it comes from.
    pub from: EffectId,
    /// The steps, from the effect that was asked about backwards.
    pub way: Vec<Flow>,
}

impl Reaching {
    /// The channels, from the source on, for people.
    pub fn shown(&self) -> String {
        let names: Vec<&str> = self.way.iter().rev().flat_map(|f| f.via.iter().map(|c| channel_name(*c))).collect();
        names.join(", ")
    }
    /// True where some step went through that channel.
    pub fn through(&self, channel: Channel) -> bool {
        self.way.iter().any(|f| f.via.contains(&channel))
    }
}

#[derive(Default)]
struct Memory {
    path: OnceCell<Option<Resolved>>,
    other: OnceCell<Option<Resolved>>,
    address: OnceCell<Option<Address>>,
    looks: OnceCell<Vec<Look>>,
    threats: OnceCell<(Vec<Hit>, Vec<String>)>,
    sources: OnceCell<Vec<Reaching>>,
}

/// The facts of one analysis.
pub struct Facts<'a> {
    /// The texts.
    pub source: &'a Source,
    /// The graph.
    pub graph: &'a Graph,
    /// What is known of the place where the command would run.
    pub options: &'a Options,
    memory: Vec<Memory>,
    /// In order of verbs, then of execution.
    by_verb: Vec<(Verb, EffectId)>,
    /// A bit for each verb of them: nearly every rule asks for verbs that no effect has.
    verbs: u64,
    sinks: OnceCell<HashMap<EffectId, EffectId>>,
    set_up: OnceCell<HashMap<EffectId, EffectId>>,
    kept: OnceCell<HashMap<EffectId, EffectId>>,
    cut: Cell<bool>,
    marks: OnceCell<Vec<(TextId, Deceptive)>>,
    readers: OnceCell<Readers>,
    running: OnceCell<Running<'a>>,
    written: OnceCell<Vec<Written>>,
}

impl<'a> Facts<'a> {
    /// Facts of a graph.
    pub fn new(source: &'a Source, graph: &'a Graph, options: &'a Options) -> Self {
        let mut by_verb: Vec<(Verb, EffectId)> =
            graph.effects.iter().filter(|e| !e.props.has(Props::SIMULATED)).map(|e| (e.verb, e.id)).collect();
        by_verb.sort_unstable();
        let memory = graph.effects.iter().map(|_| Memory::default()).collect();
        let verbs = by_verb.iter().fold(0, |all, (v, _)| all | v.bit());
        Facts {
            source,
            graph,
            options,
            memory,
            by_verb,
            verbs,
            sinks: OnceCell::new(),
            set_up: OnceCell::new(),
            kept: OnceCell::new(),
            cut: Cell::new(false),
            marks: OnceCell::new(),
            readers: OnceCell::new(),
            running: OnceCell::new(),
            written: OnceCell::new(),
        }
    }

    /// All effects that would happen.
    pub fn effects(&self) -> impl Iterator<Item = &'a Effect> {
        self.graph.effects.iter().filter(|e| !e.props.has(Props::SIMULATED))
    }
    /// Those with one of the verbs, by verb, in order of execution within each.
    pub fn with<'s>(&'s self, verbs: &'s [Verb]) -> impl Iterator<Item = &'a Effect> + 's {
        let any = verbs.iter().filter(|v| self.any(**v));
        any.flat_map(|v| self.of_verb(*v)).filter_map(|(_, id)| self.graph.effect(*id))
    }
    fn of_verb(&self, verb: Verb) -> &[(Verb, EffectId)] {
        let start = self.by_verb.partition_point(|(v, _)| *v < verb);
        let tail = self.by_verb.get(start..).unwrap_or_default();
        tail.get(..tail.partition_point(|(v, _)| *v == verb)).unwrap_or_default()
    }
    /// True where some effect has the verb.
    pub fn any(&self, verb: Verb) -> bool {
        self.any_of(verb.bit())
    }
    /// True where some effect has a verb with one of the bits.
    pub(super) fn any_of(&self, bits: u64) -> bool {
        self.verbs & bits != 0
    }
    fn memory(&self, e: &Effect) -> Option<&Memory> {
        self.memory.get(e.id.0 as usize)
    }
    fn base(&self) -> Base<'_> {
        Base { cwd: self.options.cwd.as_deref(), home: self.options.home.as_deref() }
    }

    /// The path that an effect is about, where it is about one.
    pub fn path(&self, e: &Effect) -> Option<&Resolved> {
        self.memory(e)?.path.get_or_init(|| self.resolve_object(&e.object, e)).as_ref()
    }
    /// The path at the other end (the target of a move or link).
    pub fn other_path(&self, e: &Effect) -> Option<&Resolved> {
        let other = e.other.as_deref()?;
        self.memory(e)?.other.get_or_init(|| self.resolve_object(other, e)).as_ref()
    }
    fn resolve_object(&self, o: &Object, e: &Effect) -> Option<Resolved> {
        match o {
            Object::Path(v) | Object::Named(".", v) => Some(resolve(v, e.cwd.as_ref(), self.base())),
            _ => None,
        }
    }
    /// Resolves another value as a path, at the time of that effect.
    pub fn resolve(&self, v: &Value, e: &Effect) -> Resolved {
        resolve(v, e.cwd.as_ref(), self.base())
    }

    /// The address that an effect is about, where it is about one.
    pub fn address(&self, e: &Effect) -> Option<&Address> {
        self.memory(e)?
            .address
            .get_or_init(|| {
                let ssh = |v: &Value| e.verb == Verb::Clone || is_copy_address(&v.show());
                match &e.object {
                    Object::Url(v) => Address::parse(v, if ssh(v) { "ssh" } else { "http" }),
                    Object::Host(v) | Object::Socket(v, _) => Address::parse(v, ""),
                    Object::Package(_, v) => match v.as_str() {
                        Some(spec) => registry::of_package(&spec),
                        None => Address::parse(v, "").filter(|a| !a.schemeless),
                    },
                    Object::Named("image", v) => registry::of_image(&v.as_str()?),
                    _ => None,
                }
            })
            .as_ref()
    }
    /// The tricks in the host of that address.
    pub fn looks(&self, e: &Effect) -> &[Look] {
        let Some(memory) = self.memory(e) else { return &[] };
        memory.looks.get_or_init(|| self.address(e).map(looks).unwrap_or_default())
    }
    /// What threat data says of what it is about, and why it could not be asked.
    pub(super) fn threats(&self, e: &Effect) -> Option<&(Vec<Hit>, Vec<String>)> {
        Some(self.memory(e)?.threats.get_or_init(|| super::threat::look_up(self, e)))
    }
    /// The deceptive characters of every text.
    pub fn deceptive(&self) -> &[(TextId, Deceptive)] {
        self.marks.get_or_init(|| {
            self.source.iter().flat_map(|(id, t)| marks(&t.bytes).into_iter().map(move |m| (id, m))).collect()
        })
    }
    /// The programs that run, asked what variables mean to them.
    pub(super) fn readers(&self) -> &Readers {
        self.readers.get_or_init(|| Readers::of(self.graph.processes.iter().map(|p| p.name.as_str())))
    }
    /// The names under which programs and files run.
    pub(super) fn running(&self) -> &Running<'a> {
        self.running.get_or_init(|| Running::of(self))
    }
    /// The secrets that stand in words of commands.
    pub(super) fn written_secrets(&self) -> &[Written] {
        self.written.get_or_init(|| super::secrets::in_words(self))
    }
    /// True where following content back was cut short somewhere.
    pub fn was_cut(&self) -> bool {
        self.cut.get()
    }

    /// Every effect whose content reaches this one, nearest first, each once.
    pub fn sources(&self, e: &Effect) -> &[Reaching] {
        let Some(memory) = self.memory(e) else { return &[] };
        memory.sources.get_or_init(|| self.find_sources(e))
    }
    fn find_sources(&self, e: &Effect) -> Vec<Reaching> {
        self.follow(e.inputs.iter().cloned(), Some(e.id))
    }
    /// Every effect whose content is in a word, nearest first, each once.
    pub(super) fn sources_of(&self, v: &Value) -> Vec<Reaching> {
        self.follow(Graph::flows(&v.taint()).into_iter(), None)
    }
    fn follow(&self, first: impl Iterator<Item = Flow>, of: Option<EffectId>) -> Vec<Reaching> {
        let mut queue: VecDeque<Reaching> = first.map(|f| Reaching { from: f.from, way: vec![f] }).collect();
        if queue.is_empty() {
            return Vec::new();
        }
        let mut seen: std::collections::HashSet<EffectId> = of.into_iter().collect();
        let mut out: Vec<Reaching> = Vec::new();
        while let Some(r) = queue.pop_front() {
            if !seen.insert(r.from) {
                continue;
            }
            if out.len() >= MAX_SOURCES {
                self.cut.set(true);
                break;
            }
            if let Some(from) = self.graph.effect(r.from) {
                let written = self.pipe_writers(from).map(|id| Flow { from: id, via: vec![Channel::File] });
                for f in from.inputs.iter().cloned().chain(written) {
                    let mut way = r.way.clone();
                    let next = f.from;
                    if way.len() < 32 {
                        way.push(f);
                    }
                    queue.push_back(Reaching { from: next, way });
                }
            }
            out.push(r);
        }
        out
    }
    /// The effects that write what a read of a named pipe gets, though they stand behind it in the text:
    /// `mkfifo f; cat f | sh | nc h p > f`.
    fn pipe_writers(&self, read: &Effect) -> impl Iterator<Item = EffectId> + '_ {
        let name = match read.verb {
            Verb::Read if self.any(Verb::Create) => self.path(read).map(|p| p.text.as_str()),
            _ => None,
        };
        let same = move |e: &&Effect| name.is_some() && self.path(e).map(|p| p.text.as_str()) == name;
        let made = name.is_some() && self.with(&[Verb::Create]).any(|e| same(&e));
        self.with(&[Verb::Write, Verb::Append]).filter(move |e| made && same(e)).map(|e| e.id)
    }
    /// The sources with one of the verbs.
    pub fn sources_with<'s>(
        &'s self,
        e: &Effect,
        verbs: &'s [Verb],
    ) -> impl Iterator<Item = (&'a Effect, &'s Reaching)> + 's {
        self.sources(e).iter().filter_map(move |r| {
            let from = self.graph.effect(r.from)?;
            (verbs.contains(&from.verb) && !from.props.has(Props::SIMULATED)).then_some((from, r))
        })
    }

    /// The first effect that runs or installs what a fetch or clone got.
    pub fn run_by(&self, get: &Effect) -> Option<&'a Effect> {
        let sinks = self.sinks.get_or_init(|| {
            let mut out = HashMap::new();
            if !super::transport::GETS.iter().any(|v| self.any(*v)) {
                return out;
            }
            for sink in self.with(super::execution::SINKS).chain(self.with(&[Verb::Install])) {
                for (from, way) in self.sources_with(sink, super::transport::GETS) {
                    if sink.verb == Verb::Install || super::execution::runs_it(sink, way) {
                        out.entry(from.id).or_insert(sink.id);
                    }
                }
            }
            out
        });
        sinks.get(&get.id).and_then(|id| self.graph.effect(*id))
    }

    /// What sets something up with the content that an effect gets.
    pub fn set_up_by(&self, get: &Effect) -> Option<&'a Effect> {
        let all = self.set_up.get_or_init(|| super::taken::set_up(self));
        all.get(&get.id).and_then(|id| self.graph.effect(*id))
    }

    /// Where the content that an effect gets is kept as a program, or as what decides about programs.
    pub fn kept_as_program(&self, get: &Effect) -> Option<&'a Effect> {
        let all = self.kept.get_or_init(|| super::taken::kept_as_programs(self));
        all.get(&get.id).and_then(|id| self.graph.effect(*id))
    }

    /// The process that does it.
    pub fn process(&self, e: &Effect) -> Option<&'a Process> {
        self.graph.process(e.process)
    }
    /// The base name of the program that does it, for people and for [`alias`].
    pub fn name(&self, e: &Effect) -> &'a str {
        self.process(e).map_or("", |p| p.name.as_str())
    }
    /// The words of its command, where they are few enough for a title, so that a reader sees which thing is meant.
    pub fn short_command(&self, e: &Effect) -> Option<String> {
        const MOST: usize = 60;
        let mut out = String::new();
        for word in &self.process(e)?.argv {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&word.show());
            if out.len() > MOST || out.contains('\n') {
                return None;
            }
        }
        (!out.is_empty()).then_some(out)
    }
    /// The process and all that run it, innermost first: those around it in its program, then the process that
    /// evaluates that program, and so on outwards.
    pub fn lineage(&self, id: ProcessId) -> impl Iterator<Item = &'a Process> {
        let graph = self.graph;
        let mut next = graph.process(id);
        let mut left = graph.processes.len();
        std::iter::from_fn(move || {
            let p = next?;
            left = left.checked_sub(1)?;
            let outer = p.parent.or_else(|| graph.program(p.program).and_then(|g| g.by));
            next = outer.filter(|q| q.0 < p.id.0).and_then(|q| graph.process(q));
            Some(p)
        })
    }
    /// The properties of an effect and of the invocation that does it.
    pub fn props(&self, e: &Effect) -> Props {
        self.process(e).map_or(e.props, |p| p.props.with(e.props))
    }
    /// True where a pattern or test chose what it is done to (`find -name x -exec rm {} +`), so that it is not all of it.
    pub fn is_filtered(&self, e: &Effect) -> bool {
        e.props.has(Props::FILTERED) || self.lineage(e.process).any(|p| p.props.has(Props::FILTERED))
    }
    /// True where what chose it leaves little out: one kind of file, one name (`find ~ -type f -delete`).
    pub fn spares_little(&self, e: &Effect) -> bool {
        let listed = |v: &Value| v.pieces.iter().any(|p| matches!(p, Piece::Glob(Glob::Ext(_), _)));
        let near = |p: &Piece| matches!(p, Piece::Unknown(u) if matches!(&u.why, Why::Near(place) if listed(place)));
        self.lineage(e.process).any(|p| p.props.has(Props::NEARLY_ALL))
            || e.object.value().is_some_and(|v| v.pieces.iter().any(near))
    }
    /// True where a person is asked before it is done (`rm -i`, `find -ok rm`). What a pipe or a file answers for
    /// (`yes | rm -i x`) asks nobody, nor does a program that is forced to it as well.
    pub fn asks(&self, e: &Effect) -> bool {
        let stdin = self.process(e).and_then(|p| p.stdin.as_ref());
        let answered = stdin.is_some_and(|v| !v.pieces.is_empty());
        let settled = answered || self.process(e).is_some_and(|p| p.props.has(Props::FORCE));
        let asks = |p: &Process| p.props.has(Props::ASKS) && !(settled && p.id == e.process);
        e.props.has(Props::ASKS) && !settled || self.lineage(e.process).any(asks)
    }
    /// True where it is done by a program that another one runs for the files that it lists (`find -exec`).
    pub fn lists_above(&self, e: &Effect) -> bool {
        let lists = |p: &Process| p.id != e.process && self.with(&[Verb::List]).any(|l| l.process == p.id);
        self.lineage(e.process).any(lists)
    }
    /// True where it is done with the rights of root or another user.
    pub fn elevated(&self, e: &Effect) -> bool {
        e.props.has(Props::ELEVATED) || self.lineage(e.process).any(|p| p.props.has(Props::ELEVATED))
    }
    /// True where it happens inside a container or the like, so that paths are not those of this machine.
    pub fn contained(&self, e: &Effect) -> bool {
        let inside = |s: &Site| matches!(s, Site::Contained(_));
        inside(&e.site) || self.process(e).is_some_and(|p| inside(&p.site))
    }
    /// How surely it happens: the effect or its process, whichever is less sure.
    pub fn certainty(&self, e: &Effect) -> Certainty {
        self.process(e).map_or(e.certainty, |p| p.certainty.min(e.certainty))
    }

    /// The bytes of the outermost text that a place comes from.
    pub fn span(&self, place: Place) -> SpanOut {
        let s: Span = self.source.outermost(place);
        SpanOut { start: s.start, end: s.end }
    }
    /// The place of the whole command that does it.
    pub fn command_place(&self, e: &Effect) -> Place {
        self.process(e).map_or(e.place, |p| p.place)
    }
    /// The chain of programs to a process, outermost first.
    pub fn programs(&self, id: ProcessId) -> Vec<PathStep> {
        let mut out = Vec::new();
        let mut next = self.graph.process(id).map(|p| p.program);
        let mut left = self.graph.programs.len();
        while let Some(program) = next.and_then(|id| self.graph.program(id)) {
            out.push(PathStep {
                language: program.language.name(),
                reached: program.reach.name(),
                span: self.span(program.place),
            });
            next = program.parent;
            left = match left.checked_sub(1) {
                Some(0) | None => break,
                Some(n) => n,
            };
        }
        out.reverse();
        out
    }
    /// What the content of this effect is called in the list of names, where the list has it.
    pub(super) fn alias(&self, rule: &str, e: &Effect) -> Option<&'static alias::Alias> {
        let own = match &e.object {
            Object::Stated(s) => Some((*s).to_string()),
            Object::Named(_, v) => v.as_str().map(|s| s.into_owned()),
            _ => None,
        };
        alias::of(rule, self.name(e)).or_else(|| alias::of(rule, own.as_deref()?))
    }
    /// True where what an effect reads goes on: into another effect, into a substitution or pipe, or to the screen. A file
    /// that a program only uses (a key for a login) does not.
    pub fn is_passed_on(&self, read: &Effect) -> bool {
        !read.props.has(Props::USED)
    }
    /// True where the path is marked with one of them.
    pub fn marked(&self, e: &Effect, marks: &[Mark]) -> bool {
        self.path(e).is_some_and(|p| p.marks.any(marks))
    }
}

/// True for `[user@]host:path`, as scp(1) and rsync(1) write a place on another machine that one logs in to. What follows
/// the colon of an address without a scheme is a port.
fn is_copy_address(text: &str) -> bool {
    let Some((host, path)) = text.split_once(':') else { return false };
    let port = path.split('/').next().unwrap_or_default();
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    host.len() > 1 && !host.contains('/') && !path.starts_with("//") && !is_port
}

/// A channel's name in output.
fn channel_name(c: Channel) -> &'static str {
    match c {
        Channel::Pipe => "pipe",
        Channel::Substitution => "substitution",
        Channel::ProcessSubstitution => "process substitution",
        Channel::HereString => "here-string",
        Channel::Heredoc => "here-document",
        Channel::File => "file",
        Channel::Variable => "variable",
        Channel::Argument => "argument",
        Channel::Filter => "filter",
        Channel::Socket => "socket",
    }
}

/// How much a program in a language can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Power {
    /// Shapes data only.
    Data,
    /// Changes what it is pointed at, and can be made to start programs.
    Limited,
    /// Anything.
    Full,
}

/// How much a program in that language can do.
pub(super) fn power(language: Language) -> Power {
    match language {
        Language::Jq | Language::Settings => Power::Data,
        Language::Sql | Language::Sed | Language::Ed | Language::Awk | Language::Transfer => Power::Limited,
        _ => Power::Full,
    }
}
