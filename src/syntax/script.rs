//! The one small language that all embedded languages are lowered to.
//!
//! In: nothing. Out: plain data. Floor 2; imports `source`, `syntax::ast`. A front end (Python, JavaScript, Ruby, Perl,
//! PHP, Lua …) turns its tree into this; `eval::script` runs it over values, with what calls do taken from
//! `grammars/languages`. It keeps what carries values and effects: assignments, calls, string building, branches, loops,
//! functions, imports. Everything else is [`Kind::Other`] with its parts, so that calls in it are still seen.

use crate::source::Span;
use crate::syntax::ast::{Bytes, Unparsed};
use std::rc::Rc;

/// A whole text.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Its statements.
    pub body: Vec<Stmt>,
    /// What could not be read.
    pub unparsed: Vec<Unparsed>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// The bytes.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression for its effects.
    Expr(Expr),
    /// `a = e`; also `a, b = e` (a list target).
    Assign(Target, Expr),
    /// Conditions with their bodies, in order; the last body is `else`.
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    /// `for target in over`, or `while condition`: at most one of `over` and `condition` is there.
    Loop {
        /// What each turn assigns.
        target: Option<Target>,
        /// What it goes over.
        over: Option<Expr>,
        /// What each turn asks.
        condition: Option<Expr>,
        /// The body.
        body: Vec<Stmt>,
    },
    /// A function, method or subroutine with a name.
    Function(Rc<Function>),
    /// A class or module: what its body defines is `Name.x`.
    Class {
        /// Its name; empty for a body that belongs to the class around it.
        name: String,
        /// What it takes what it does not define itself from.
        bases: Vec<Expr>,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `return e`
    Return(Option<Expr>),
    /// `break`, `last`
    Break,
    /// `continue`, `next`
    Continue,
    /// Binds `alias` to `path` (`import a.b as c`: path `a.b`, alias `c`).
    Import {
        /// The dotted name of what is imported.
        path: String,
        /// The name it has here; `*` for everything in it.
        alias: String,
    },
    /// Statements that run in order (blocks, `with`, `try` bodies).
    Block(Vec<Stmt>),
    /// Statements that may or may not run (`except`, `catch`, `rescue`).
    Maybe(Vec<Stmt>),
    /// These names are those of the scope around (`global x`, `nonlocal x`).
    Outer(Vec<String>),
    /// The program ends here.
    Exit,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name; empty for a lambda.
    pub name: String,
    /// Parameters in order, with defaults. A name that starts with `*` takes the rest.
    pub params: Vec<(String, Option<Expr>)>,
    /// The body. A lambda's is one `return`.
    pub body: Vec<Stmt>,
    /// What it gets besides its arguments where it is a method.
    pub receiver: Receiver,
}

/// What a method gets besides its arguments. Languages that give it a name of its own (`this`) give it to any method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Receiver {
    /// The object first, if it is called on one.
    #[default]
    Object,
    /// The class first.
    Class,
    /// Nothing.
    Nothing,
    /// The object first; it is called where its name is read (`@property`, `get x()`).
    Read,
}

/// What can be assigned to.
#[derive(Clone, Debug)]
pub enum Target {
    /// A name, sigils taken off where the language has them.
    Name(String),
    /// `object.attribute`
    Attribute(Box<Expr>, String),
    /// `object[key]`
    Index(Box<Expr>, Box<Expr>),
    /// Several at once.
    List(Vec<Target>),
    /// `*rest` among several: what the others leave.
    Rest(Box<Target>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// The bytes.
    pub span: Span,
}

/// An argument.
#[derive(Clone, Debug)]
pub struct Arg {
    /// `name=` before it.
    pub name: Option<String>,
    /// `*e`, `...e`: its elements are the arguments.
    pub spread: bool,
    /// The value.
    pub value: Expr,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Text or bytes, escapes undone.
    Text(Bytes),
    /// A whole number.
    Number(i64),
    /// True or false.
    Bool(bool),
    /// Nothing: None, null, nil, undef.
    Null,
    /// A variable or a function, module, class by its name.
    Name(String),
    /// `object.attribute`, `Module::name`
    Attribute(Box<Expr>, String),
    /// `object[key]`
    Index(Box<Expr>, Box<Expr>),
    /// `object[start:end:step]`
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// A call, also of constructors (`new X(…)`).
    Call(Box<Expr>, Vec<Arg>),
    /// A list, tuple, set.
    List(Vec<Expr>),
    /// A map.
    Map(Vec<(Expr, Expr)>),
    /// Text with expressions in it: interpolation, f-strings, `.`-concatenation.
    Concat(Vec<Expr>),
    /// An operator by its usual sign: `+ - * / % // ** == != < > <= >= and or not in & | ^ << >> =~`.
    Operator(String, Vec<Expr>),
    /// A function without a name.
    Lambda(Rc<Function>),
    /// `[element for target in over if condition]`; `map`-like block calls may be lowered to it, too.
    Comprehension {
        /// What each turn gives.
        element: Box<Expr>,
        /// What each turn assigns.
        target: Box<Target>,
        /// What it goes over.
        over: Box<Expr>,
        /// Which turns count.
        condition: Option<Box<Expr>>,
    },
    /// `test ? a : b`
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An assignment inside an expression: gives the value.
    Assign(Box<Target>, Box<Expr>),
    /// Backquotes, `qx`, `%x`: a command for the shell; gives its output.
    Shell(Box<Expr>),
    /// A command of a shell: its words, what comes in, where its output goes (true: appended), and whether what is left of
    /// it is printed. Gives its output.
    Command {
        /// The command word first.
        words: Vec<Expr>,
        /// What the command before it in the pipeline gave.
        input: Option<Box<Expr>>,
        /// Files that take its output.
        writes: Vec<(Expr, bool)>,
        /// The output goes where the program prints.
        printed: bool,
    },
    /// A value that the function hands out before it goes on (`yield e`).
    Yield(Vec<Expr>),
    /// Statements where an expression stands (`do { … }`, `x or return`); gives the value of the last.
    Do(Vec<Stmt>),
    /// Anything else: its parts are evaluated for their effects, the result is not known.
    Other(Vec<Expr>),
}

impl Expr {
    /// An expression from its parts.
    pub fn new(kind: Kind, span: Span) -> Self {
        Expr { kind, span }
    }
    /// Text.
    pub fn text(bytes: &[u8], span: Span) -> Self {
        Expr { kind: Kind::Text(Bytes::from_slice(bytes)), span }
    }
    /// A call of a named function.
    pub fn call(name: &str, args: Vec<Expr>, span: Span) -> Self {
        let callee = Expr { kind: Kind::Name(name.to_string()), span };
        let args = args.into_iter().map(|value| Arg { name: None, spread: false, value }).collect();
        Expr { kind: Kind::Call(Box::new(callee), args), span }
    }
}
