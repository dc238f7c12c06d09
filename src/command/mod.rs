//! argv of values → [`Invocation`], by the program's grammar. A pure function.
//!
//! Floor 4; imports `source`, `limits`, `value`, `effect`. It knows no program by name: everything comes from
//! `grammars/commands/*.toml`, compiled to static tables by `build.rs`.

pub mod argv;
pub mod calls;
pub mod describe;
mod facts;
pub mod grammar;
mod mode;
pub mod name;
mod options;
pub mod role;
mod uses;
mod variable;

use crate::effect::{Language, Props, Site, Verb, graph::DoubtKind};
use crate::source::Place;
use crate::value::Value;
pub use argv::read;
pub use describe::is_remote;
pub(crate) use mode::props as mode_props;
pub use role::{Role, Stdin, Stdout};
pub use variable::{Readers, builtin, is_environment, language, logs_in};

/// One value with the role it plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Use {
    /// What it is.
    pub role: Role,
    /// The value itself. For `at_file` options the file's name without the `@`, with the role of a file that is sent.
    pub value: Value,
    /// For [`Role::Command`]: its words. Else empty.
    pub words: Vec<Value>,
    /// Properties of this use alone.
    pub props: Props,
    /// The option it belongs to, as its first name in the grammar; `None` for operands.
    pub option: Option<&'static str>,
    /// Where the nested program or command runs, where the grammar says so (`place`).
    pub site: Option<Site>,
    /// The second value of roles that have two (`ln` target, `mv` destination, `scp` destination).
    pub other: Option<Value>,
    /// A text before which `{}` or the like is replaced by input (xargs -I, find -exec): the placeholder.
    pub placeholder: Option<Vec<u8>>,
    /// Where the placeholder does not stand in the words, what it stands for is the last of them (`fd -x rm`).
    pub append: bool,
    /// For [`Role::PathScript`]: its language, where it is not the program's ([`Invocation::language`]).
    pub language: Option<Language>,
    /// The scheme that the program assumes where an address has none.
    pub scheme: Option<&'static str>,
    /// For code: it is one line of a text of which the others are values of the same option.
    pub lines: bool,
    /// For [`Role::Command`]: words that begin a list of what it is run with.
    pub sources: &'static [&'static str],
}

impl Use {
    /// A value with a role and nothing else.
    pub fn new(role: Role, value: Value) -> Self {
        Use { role, value, ..Use::default() }
    }
}

/// An effect that the grammar states without an argument for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// The verb.
    pub verb: Verb,
    /// The object's text, as the grammar has it.
    pub object: &'static str,
    /// An operand that says more about it (`systemctl stop UNIT`), where the grammar names one.
    pub value: Option<Value>,
    /// Where in the argv.
    pub place: Place,
}

/// Something in the argv that the grammar cannot account for.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgDoubt {
    /// What kind.
    pub kind: DoubtKind,
    /// The word or name.
    pub detail: String,
    /// Where.
    pub place: Place,
}

/// What an argv means.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The base name that the command word has (`curl`), where known.
    pub name: String,
    /// The grammar's first name (`curl`, `python3`), `None` where no grammar describes the program.
    pub grammar: Option<&'static str>,
    /// The sub-commands that were taken (`["push"]`).
    pub subs: Vec<&'static str>,
    /// How many words stand behind the last of those, or behind the program where none was taken.
    pub behind: usize,
    /// The values with roles, in argv order.
    pub uses: Vec<Use>,
    /// Properties of the whole.
    pub props: Props,
    /// What it does with standard input.
    pub stdin: Stdin,
    /// What it writes to standard output.
    pub stdout: Stdout,
    /// What it makes, which an option may have sent elsewhere.
    pub makes: Stdout,
    /// Effects that no argument carries.
    pub stated: Vec<Stated>,
    /// The shell builtin semantics that the interpreter runs for it (`cd`, `export`, `eval`), from the grammar.
    pub builtin: Option<&'static str>,
    /// The language of the program's scripts and inline code.
    pub language: Option<Language>,
    /// Parameters of a stdout transform or builtin that are not roles: option names and values, operands, in order.
    pub options: Vec<(&'static str, Option<Value>)>,
    /// All operands in order.
    pub operands: Vec<Value>,
    /// What could not be accounted for.
    pub doubts: Vec<ArgDoubt>,
    /// What options put before and behind the code, the outermost first.
    pub around: Vec<(String, String)>,
    /// Files that the program runs by itself: names by preference, their language, and the arguments they get where those
    /// are not the operands.
    pub implied: Vec<(Vec<Value>, Language, Vec<Value>)>,
    /// True where an information option (`--help`) withholds every effect.
    pub info: bool,
    /// True where a dry-run option withholds changing effects.
    pub simulated: bool,
}

impl Invocation {
    /// True where the option was given (by its first name in the grammar).
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|(n, _)| *n == option)
    }
    /// The last value given to an option.
    pub fn value_of(&self, option: &str) -> Option<&Value> {
        self.options.iter().rev().find(|(n, _)| *n == option).and_then(|(_, v)| v.as_ref())
    }
}
