//! The typed syntax tree of a shell program, one for all shells and for both readers.
//!
//! In: nothing. Out: plain data. Floor 2; imports only `source` and `bytes`. Names are those of POSIX XCU 2 and the bash manual.
//! All spans are byte ranges of the text that was read, also inside backquotes, whose text is unescaped before it is
//! read again: the reader maps those positions back. Every byte of a text belongs to a node, a comment, white space, or
//! an [`Unparsed`] region.

use crate::source::Span;

/// Bytes of a word after quote removal.
pub use crate::bytes::Bytes;

/// A whole text as the shell reads it: one complete command after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The lists, in order; bash runs each before it reads the next.
    pub lists: Vec<List>,
    /// Comments, without their newline.
    pub comments: Vec<Span>,
    /// What could not be read. Everything in `lists` that ends before the first of these is known to run.
    pub unparsed: Vec<Unparsed>,
    /// The whole text.
    pub span: Span,
}

impl Program {
    /// A program that is one command.
    pub fn of(command: &Command) -> Program {
        let span = command.span;
        let stages = vec![command.clone()];
        let first = Pipeline { negated: false, timed: None, stages, pipe_stderr: Vec::new(), span };
        let items = vec![AndOr { first, rest: Vec::new(), background: false, span }];
        let lists = vec![List { items, span, possible: false }];
        Program { lists, comments: Vec::new(), unparsed: Vec::new(), span }
    }
}

/// A region that the reader could not turn into a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Unparsed {
    /// The bytes.
    pub span: Span,
    /// Why.
    pub reason: SyntaxError,
}

/// Why a region is [`Unparsed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxError {
    /// A token that cannot stand here; what the shell calls `syntax error near unexpected token`.
    UnexpectedToken,
    /// A quote, substitution or compound command that is still open at the end of the text.
    UnexpectedEnd,
    /// A word or name that the construct does not take (`for 1x in`, a bad function name).
    BadName,
    /// `${…}` with contents that the shell refuses (`bad substitution`).
    BadSubstitution,
    /// Nested deeper than [`crate::limits::MAX_DEPTH`].
    TooDeep,
    /// More nodes, here-documents or bytes than the limits allow.
    TooLarge,
    /// The reader that was asked (the witness) has no node for this.
    NotLowered,
}

/// A sequence of and-or lists (`a && b; c & d`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List {
    /// The members, in order.
    pub items: Vec<AndOr>,
    /// From the first byte of the first to the last of the last.
    pub span: Span,
    /// True where this was read after a syntax error, so that the shell may never reach it.
    pub possible: bool,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, Debug, PartialEq)]
pub struct AndOr {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others, each with the operator before it.
    pub rest: Vec<(AndOrOp, Pipeline)>,
    /// Ended by `&`.
    pub background: bool,
    /// The bytes, without the terminator.
    pub span: Span,
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AndOrOp {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|` or `|&`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// An odd number of `!` before it.
    pub negated: bool,
    /// The reserved word `time`, with its options, before it.
    pub timed: Option<Span>,
    /// The commands. Empty for a lone `time` or `!`.
    pub stages: Vec<Command>,
    /// The operator after each stage but the last: true for `|&`, which pipes standard error, too.
    pub pipe_stderr: Vec<bool>,
    /// The bytes.
    pub span: Span,
}

/// A command with its redirections.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// Its redirections, left to right, wherever they stood among the words.
    pub redirects: Vec<Redirect>,
    /// The bytes, redirections included, here-document bodies not.
    pub span: Span,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(Simple),
    /// `( list )`
    Subshell(List),
    /// `{ list; }`
    Group(List),
    /// `if … fi`
    If(Box<If>),
    /// `for name in words; do …`
    For(Box<For>),
    /// `for (( init; test; step ))`
    ArithFor(Box<ArithFor>),
    /// `while` or `until`
    Loop(Box<Loop>),
    /// `case word in …`
    Case(Box<Case>),
    /// `select name in words; do …`
    Select(Box<For>),
    /// `name() body` or `function name body`
    Function(Box<Function>),
    /// `coproc [name] command`
    Coproc(Box<Coproc>),
    /// `[[ expression ]]`
    Cond(Box<Cond>),
    /// `(( expression ))`
    Arith(ArithText),
}

/// A simple command: POSIX XCU 2.9.1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simple {
    /// Assignments before the first word.
    pub assignments: Vec<Assignment>,
    /// The command word and its arguments. May be empty.
    pub words: Vec<Word>,
}

/// `name=value`, `name+=value`, `name[sub]=value`, `name=(…)`. Also the arguments of declaration builtins have this
/// shape; there they are words whose [`Word::assignment`] is set.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// The subscript's parts, where there is one.
    pub subscript: Option<ArithText>,
    /// `+=`
    pub append: bool,
    /// What is assigned.
    pub value: AssignValue,
    /// The bytes.
    pub span: Span,
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignValue {
    /// One word (empty for `name=`).
    Word(Word),
    /// `( … )`: elements, each with an optional subscript (`[k]=v`, `[k]+=v`).
    Array(Vec<ArrayElement>),
}

/// One element of a compound array assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayElement {
    /// `[subscript]=` before it.
    pub subscript: Option<ArithText>,
    /// `[subscript]+=`.
    pub append: bool,
    /// The value.
    pub value: Word,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// What stands before the operator.
    pub fd: RedirectFd,
    /// The operator.
    pub op: RedirectOp,
    /// The word after it; for here-documents the delimiter word as written.
    pub target: Word,
    /// The body, for `<<` and `<<-`.
    pub heredoc: Option<Heredoc>,
    /// The bytes of descriptor, operator and word.
    pub span: Span,
}

/// The descriptor a redirection is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectFd {
    /// None written: the operator's own (0 for `<`, 1 for `>`; both for `&>`).
    Default,
    /// A number.
    Number(u32),
    /// `{name}`: the shell picks one and stores it in the variable.
    Variable(String),
}

/// Redirection operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DupIn,
    /// `>&`
    DupOut,
    /// `&>`
    BothWrite,
    /// `&>>`
    BothAppend,
    /// `<<`
    Heredoc,
    /// `<<-`
    HeredocTabs,
    /// `<<<`
    HereString,
}

/// The body of a here-document.
#[derive(Clone, Debug, PartialEq)]
pub struct Heredoc {
    /// True where any part of the delimiter was quoted: the body is data as it stands.
    pub quoted: bool,
    /// The body: one literal where `quoted`, else literals and expansions. Leading tabs already removed for `<<-`.
    pub parts: Vec<Part>,
    /// The body's bytes, without the delimiter line.
    pub span: Span,
    /// False where the text ended before the delimiter (bash warns and takes what there is).
    pub closed: bool,
}

/// A word: what becomes zero or more arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    /// Its parts, left to right. Never empty for a word that was read (an empty `''` is a part).
    pub parts: Vec<Part>,
    /// The bytes.
    pub span: Span,
    /// Set where the word has the shape of an assignment and the command may be a declaration builtin
    /// (`export a=b`, `declare -a x=(1 2)`). `parts` then still holds the whole word (for arrays: a literal of its
    /// text), so that a command that is none gets what it would get.
    pub assignment: Option<Box<Assignment>>,
}

/// A part of a word, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// The bytes, quotes and sigils included.
    pub span: Span,
}

/// The kinds of word parts.
#[derive(Clone, Debug, PartialEq)]
pub enum PartKind {
    /// Unquoted text (line continuations taken out). Never holds an unquoted glob character.
    Literal(Bytes),
    /// `\c`: the character, quoted.
    Escaped(Bytes),
    /// `'…'`
    Single(Bytes),
    /// `$'…'`, decoded.
    AnsiC(Bytes),
    /// `"…"`. Text inside is `Literal` (escapes undone: nothing in it globs or splits).
    Double(Vec<Part>),
    /// `$"…"`
    Locale(Vec<Part>),
    /// `$name`, `${…}`
    Param(Box<Param>),
    /// `$( … )`, also `${ …; }` and `${| …; }` of newer shells.
    Command(Box<Program>),
    /// `` ` … ` ``
    Backquote(Box<Program>),
    /// `$(( … ))` or `$[ … ]`
    Arith(ArithText),
    /// `<( … )`
    ProcessIn(Box<Program>),
    /// `>( … )`
    ProcessOut(Box<Program>),
    /// zsh `=( … )`
    ProcessFile(Box<Program>),
    /// `{a,b}`: each alternative as parts.
    Braces(Vec<Vec<Part>>),
    /// `{1..9..2}` or `{a..z}`: the two ends and the step, as written.
    BraceRange(Box<BraceRange>),
    /// `~`, `~user`, `~+`, `~-` where it expands: the bytes after `~`.
    Tilde(Bytes),
    /// `*`
    GlobStar,
    /// `?`
    GlobQuestion,
    /// `[…]`: a bracket expression's parts without the outer brackets; quoted bytes in it are `Escaped` or `Single`.
    GlobBracket(Vec<Part>),
    /// `?( *( +( @( !(`: the operator and the alternatives.
    ExtGlob(u8, Vec<Vec<Part>>),
}

/// The ends of a `{1..9..2}`, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct BraceRange {
    /// The first.
    pub from: Bytes,
    /// The last.
    pub to: Bytes,
    /// The step.
    pub step: Option<Bytes>,
}

/// Text that is expanded like a double-quoted string and then read as an arithmetic expression (or, for an
/// associative array, as a key).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArithText {
    /// Literals and expansions.
    pub parts: Vec<Part>,
    /// The bytes between the brackets.
    pub span: Span,
}

/// A parameter expansion.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// `name`, `1`, `@`, `*`, `#`, `?`, `-`, `$`, `!`, `0`, `_`.
    pub name: String,
    /// `[subscript]`.
    pub subscript: Option<Subscript>,
    /// `${!name…}`
    pub indirect: bool,
    /// What is done with it.
    pub op: ParamOp,
}

/// The subscript of an array reference.
#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    /// Anything else.
    Index(ArithText),
}

/// The operator of a parameter expansion.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamOp {
    /// `$x`, `${x}`
    None,
    /// `${#x}`
    Length,
    /// `${x-w}` `${x:-w}`: the flag is the colon.
    Default(bool, Word),
    /// `${x=w}` `${x:=w}`
    Assign(bool, Word),
    /// `${x?w}` `${x:?w}`
    Error(bool, Word),
    /// `${x+w}` `${x:+w}`
    Alternative(bool, Word),
    /// `${x#p}` and, with the flag, `${x##p}`
    RemovePrefix(bool, Word),
    /// `${x%p}` and, with the flag, `${x%%p}`
    RemoveSuffix(bool, Word),
    /// `${x/p/r}`
    Replace(ReplaceAt, Word, Option<Word>),
    /// `${x:off}` `${x:off:len}`
    Substring(ArithText, Option<ArithText>),
    /// `${x^p}` `${x^^p}` `${x,p}` `${x,,p}` `${x~p}` `${x~~p}`: the operator, doubled or not, the pattern.
    Case(u8, bool, Word),
    /// `${x@Q}` and its like: the operator letter.
    Transform(u8),
    /// `${!prefix*}` and, with the flag, `${!prefix@}`
    Names(bool),
    /// `${!name[@]}`, `${!name[*]}`: the keys.
    Keys(bool),
    /// zsh flags, `${(f)x}` and the like, and anything that a dialect reads and the evaluator does not compute: the
    /// parts of its text, all of them visited.
    Other(Vec<Part>),
}

/// Where a `${x/p/r}` replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceAt {
    /// `/`: the first match.
    First,
    /// `//`: every match.
    All,
    /// `/#`: at the start.
    Start,
    /// `/%`: at the end.
    End,
}

/// `if`, its `elif`s and `else`.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// Condition and body of `if` and each `elif`.
    pub branches: Vec<(List, List)>,
    /// `else`
    pub otherwise: Option<List>,
}

/// `for` and `select`.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The variable.
    pub name: String,
    /// The words after `in`; `None` where there is no `in` (the positional parameters).
    pub words: Option<Vec<Word>>,
    /// The body.
    pub body: List,
}

/// `for (( ; ; ))`
#[derive(Clone, Debug, PartialEq)]
pub struct ArithFor {
    /// First expression.
    pub init: ArithText,
    /// Second.
    pub test: ArithText,
    /// Third.
    pub step: ArithText,
    /// The body.
    pub body: List,
}

/// `while` and `until`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// True for `until`.
    pub until: bool,
    /// The condition.
    pub condition: List,
    /// The body.
    pub body: List,
}

/// `case`
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What is matched.
    pub word: Word,
    /// The clauses.
    pub arms: Vec<CaseArm>,
}

/// One clause of a `case`.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    /// The patterns between `|`.
    pub patterns: Vec<Word>,
    /// The list; may be empty.
    pub body: List,
    /// How it ends.
    pub end: CaseEnd,
}

/// `;;`, `;&` or `;;&`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;` or none before `esac`
    Break,
    /// `;&`: falls into the next body.
    FallThrough,
    /// `;;&`: goes on testing.
    Continue,
}

/// A function definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The name, as bytes of text (bash takes nearly any word).
    pub name: String,
    /// The body, with the redirections that apply at each call.
    pub body: std::rc::Rc<Command>,
    /// True where the shell calls it by itself, at some event (fish `--on-event`).
    pub event: bool,
}

/// `coproc`
#[derive(Clone, Debug, PartialEq)]
pub struct Coproc {
    /// The array's name; `COPROC` where none is given.
    pub name: String,
    /// The command.
    pub body: Command,
}

/// A conditional expression of `[[ ]]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    /// `! e`
    Not(Box<Cond>),
    /// `a && b`
    And(Box<Cond>, Box<Cond>),
    /// `a || b`
    Or(Box<Cond>, Box<Cond>),
    /// `( e )`
    Group(Box<Cond>),
    /// `-f w` and the like: the operator's text.
    Unary(String, Word),
    /// `a == b` and the like: the operator's text. The right side of `==`, `!=` is a pattern, of `=~` an expression.
    Binary(String, Word, Word),
    /// A lone word: true where it is not empty.
    Word(Word),
}

impl Word {
    /// The text of a word that is nothing but literal and quoted text without expansions; `None` for any other.
    pub fn literal(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        literal_parts(&self.parts, &mut out).then_some(out)
    }
    /// True where any part is quoted (a quoted word is no reserved word, alias or tilde).
    pub fn is_quoted(&self) -> bool {
        self.parts.iter().any(|p| {
            matches!(
                p.kind,
                PartKind::Escaped(_)
                    | PartKind::Single(_)
                    | PartKind::AnsiC(_)
                    | PartKind::Double(_)
                    | PartKind::Locale(_)
            )
        })
    }
}

fn literal_parts(parts: &[Part], out: &mut Vec<u8>) -> bool {
    parts.iter().all(|p| match &p.kind {
        PartKind::Literal(b) | PartKind::Escaped(b) | PartKind::Single(b) | PartKind::AnsiC(b) => {
            out.extend_from_slice(b);
            true
        }
        // A double quote holds only literals and expansions, so this goes one level down.
        PartKind::Double(inner) | PartKind::Locale(inner) => inner.iter().all(|q| {
            if let PartKind::Literal(b) | PartKind::Escaped(b) = &q.kind {
                out.extend_from_slice(b);
                return true;
            }
            false
        }),
        _ => false,
    })
}
