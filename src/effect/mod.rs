//! The vocabulary of what commands do.
//!
//! Floor 3; imports `source`, `limits`, `value`. An [`Effect`] is one thing that would happen: a verb, what it is done
//! to, by which process, where, how surely, and which content goes into it. [`graph::Graph`] holds all of them.

pub mod graph;
pub mod path;
pub mod vocabulary;

use crate::source::Place;
use crate::value::{Channel, Origin, Value};
pub(crate) use vocabulary::named;
pub use vocabulary::{Language, PROPS, Props, Verb};

/// Which effect of a graph. The same number marks the content it produced.
pub type EffectId = Origin;

/// Which process of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

/// Which program (outer or nested text in some language) of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProgramId(pub u32);

/// What [`Verb::Interact`] is about where a printed escape sequence puts text in the clipboard, for the next paste.
pub const CLIPBOARD: &str = "clipboard, by an escape sequence";

/// What an effect is done to.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Object {
    /// Nothing, or nothing that an argument carries.
    #[default]
    None,
    /// A path, as written; `effect::path` resolves and classes it (see [`Effect::path`]).
    Path(Value),
    /// A URL.
    Url(Value),
    /// A host name or address, without a port.
    Host(Value),
    /// A host and a port (for listeners the host is what is bound, often empty).
    Socket(Value, Value),
    /// A program text.
    Code(Language, Value),
    /// A command: its words.
    Command(Vec<Value>),
    /// A package of an ecosystem (pip, npm, apt, …).
    Package(&'static str, Value),
    /// A thing with a name: user, unit, process, image, container, variable, key. The kind first.
    Named(&'static str, Value),
    /// What a grammar states.
    Stated(&'static str),
}

impl Object {
    /// The value in it, where there is one.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Object::Path(v)
            | Object::Url(v)
            | Object::Host(v)
            | Object::Socket(v, _)
            | Object::Code(_, v)
            | Object::Package(_, v)
            | Object::Named(_, v) => Some(v),
            Object::Command(ws) => ws.first(),
            Object::None | Object::Stated(_) => None,
        }
    }
    /// For people.
    pub fn show(&self) -> String {
        match self {
            Object::None => String::new(),
            Object::Path(v) | Object::Url(v) | Object::Host(v) | Object::Package(_, v) | Object::Named(_, v) => {
                v.show()
            }
            Object::Socket(h, p) => format!("{}:{}", h.show(), p.show()),
            Object::Code(l, v) => format!("{l} {}", v.show()),
            Object::Command(ws) => ws.iter().map(Value::show).collect::<Vec<_>>().join(" "),
            Object::Stated(s) => (*s).to_string(),
        }
    }
}

/// How surely an effect happens when the text is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Only one reader saw it, or it stands behind a syntax error: worth a warning, never a block.
    Possible,
    /// On a branch or in a loop whose condition is not known.
    Conditional,
    /// Nothing stands in its way.
    #[default]
    Certain,
}

/// Where an effect happens.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Site {
    /// On this machine.
    #[default]
    Local,
    /// On another machine (ssh), named as far as known.
    Remote(Value),
    /// In a container, pod, chroot or virtual machine, named as far as known.
    Contained(Value),
}

/// Content of one effect that goes into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The effect that produced it.
    pub from: EffectId,
    /// The way it took.
    pub via: Vec<Channel>,
}

/// One thing that would happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Its id: its index in [`graph::Graph::effects`].
    pub id: EffectId,
    /// What is done.
    pub verb: Verb,
    /// To what.
    pub object: Object,
    /// How.
    pub props: Props,
    /// By whom.
    pub process: ProcessId,
    /// The bytes that say so: the operand, option value or redirection.
    pub place: Place,
    /// How surely.
    pub certainty: Certainty,
    /// Where.
    pub site: Site,
    /// The content that goes in.
    pub inputs: Vec<Flow>,
    /// The working directory at that time, as far as known (absolute, or starting with `~`, or empty for the start).
    pub cwd: Option<Value>,
    /// For `Link`, `Move`, `Send` of a file and the like: the other end.
    pub other: Option<Box<Object>>,
}
