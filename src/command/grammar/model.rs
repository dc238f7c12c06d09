//! What a grammar file says, as plain data.
//!
//! Floor 4; imports the role list. [`super::read`] makes it from TOML, [`super::code`] stores it, `argv` reads command
//! lines by it. `grammars/README.md` explains each part to those who write the files; names are the same here.

use super::code::{coded, coded_enum};
use super::named::{HasNames, Named};
use crate::command::role::Role;

coded_enum! {
    /// How options are told from operands.
    enum Style {
        /// getopt_long: `-x`, `--long`, bundles, options after operands, abbreviated long names.
        #[default]
        Gnu = "gnu",
        /// As `gnu`, but long names must be whole.
        Exact = "exact",
        /// As `gnu`, but the first operand ends the options.
        Posix = "posix",
        /// `-name`.
        Long1 = "long1",
        /// The first word may be a bundle without a dash (tar).
        Bundle = "bundle",
        /// `name=value` (dd).
        Keyword = "keyword",
        /// `-Name value`, `-Name:value`, no case, abbreviable.
        PowerShell = "powershell",
        /// `/x`, `/x:value`, no case.
        Dos = "dos",
        /// No options.
        Raw = "raw",
    }
    /// What the program does with an option it does not have.
    enum UnknownOption {
        /// It fails, or we do not know the option: a doubt.
        #[default]
        Error = "error",
        /// It is taken as a flag of no consequence.
        Value = "value",
        /// The word is an operand and ends the options.
        Operand = "operand",
        /// The program skips it.
        Ignore = "ignore",
    }
    /// Whether an option's value must be there.
    enum Presence {
        /// It must: attached, or the next word.
        #[default]
        Required = "required",
        /// Only where it is attached.
        Attached = "attached",
        /// Attached, or the next word where that does not look like an option.
        Next = "next",
    }
    /// Whether a flag makes the program print and exit.
    enum Info {
        /// It does not.
        #[default]
        No = "no",
        /// It does.
        Yes = "yes",
        /// Only as the very first word.
        First = "first",
    }
    /// Which operands an entry takes.
    enum At {
        /// All that are left.
        #[default]
        Rest = "rest",
        /// The next one from the front.
        First = "first",
        /// The last one.
        Last = "last",
        /// The words after `--`.
        Dashes = "--",
    }
    /// What a part of a condition asks.
    enum Ask {
        /// The option is given (with `text`: with a value that matches).
        #[default]
        Option = "option",
        /// The number of operands is `number`.
        Equal = "=",
        /// It is less.
        Less = "<",
        /// It is more.
        More = ">",
        /// Any operand matches `text`.
        Any = "operand",
        /// The first does.
        First = "first",
        /// The last does.
        Last = "last",
        /// The value that the condition is about does.
        Value = "value",
        /// The name that the program was called by does.
        Name = "name",
        /// A value with `dash` is `-`.
        Dash = "dash",
        /// A `--` ended the options.
        Dashes = "--",
        /// The operand with that `number`, counted from one, matches `text`.
        Nth = "nth",
        /// No sub-command was given.
        Bare = "bare",
        /// All words after the program's name, joined by blanks, match `text`.
        Words = "words",
        /// The word before the option that the condition is about matches `text`.
        After = "after",
    }
    /// Where a nested command runs.
    enum Where {
        /// On another machine.
        #[default]
        Remote = "remote",
        /// In a container, pod, chroot.
        Contained = "contained",
    }
}

coded! {
    /// One part of a condition.
    struct Atom {
        /// True where it must not hold.
        not: bool,
        /// What it asks.
        ask: Ask,
        /// The option's first name.
        name: &'static str,
        /// The glob, where there is one.
        text: Option<&'static str>,
        /// The number of operands.
        number: u64,
    }
    /// Parts that must all hold.
    struct All {
        /// The parts.
        parts: Vec<Atom>,
    }
    /// When something holds.
    struct Cond {
        /// One of these must, where there are any.
        when: Vec<All>,
        /// None of these may.
        unless: Vec<All>,
    }
    /// A value that begins so is something else.
    struct Prefix {
        /// The text it begins with; `*` stands for any text without `=`.
        glob: &'static str,
        /// What follows is.
        slot: Slot,
    }
    /// What a value is, under a condition.
    struct Slot {
        /// The role.
        role: Role,
        /// When.
        cond: Cond,
        /// Beginnings that change it.
        prefixes: Vec<Prefix>,
        /// Separators of a list; `lines` or `words`.
        split: Option<&'static str>,
        /// `-` is a standard stream.
        dash: bool,
        /// The scheme that the program assumes.
        schemeless: Option<&'static str>,
        /// Properties of this value.
        props: u64,
        /// Prefixes, and conditions over its value, match in any case.
        nocase: bool,
        /// The language of a script.
        language: Option<&'static str>,
        /// Names of options or operands that are the other end.
        other: Vec<&'static str>,
        /// Roles that the value has besides.
        also: Vec<Role>,
        /// What stands before a password in the value, and what behind it.
        password: Vec<&'static str>,
        /// For code: this and the following words are one text, joined by blanks.
        join: bool,
        /// For a command: what stands before its first word in the names of grammars. For options: before each word.
        spelled: Option<&'static str>,
        /// For options in variables: the variable that has the value, by the same number (`KEY_*`, `VALUE_*`).
        with: Option<&'static str>,
        /// The role that the last part of the address or path has, too.
        basename: Option<Role>,
        /// What the program takes off the end of that part.
        strip: Option<&'static str>,
        /// Names of options or operands that are the directory of that.
        into: Vec<&'static str>,
        /// Where the command runs: the kind, and the option or operand that says so.
        place: Option<Located>,
        /// Words that end a command.
        until: Vec<&'static str>,
        /// Placeholders, or options that name them.
        placeholder: Vec<&'static str>,
        /// Assignments may stand before the command.
        assignments: bool,
        /// Where the placeholder does not stand in the command, what it stands for is its last word.
        append: bool,
        /// For code: values of the same option are lines of one text.
        lines: bool,
        /// For a command: words that begin a list of what it is run with.
        sources: Vec<&'static str>,
    }
    /// A place that an option or operand names.
    struct Located {
        /// The kind.
        kind: Where,
        /// The option or operand.
        of: &'static str,
    }
    /// Properties under a condition.
    struct Sets {
        /// The bits.
        props: u64,
        /// When.
        cond: Cond,
    }
    /// A stated effect.
    struct Claim {
        /// The verb's name.
        verb: &'static str,
        /// The object.
        object: &'static str,
        /// The option or operand whose values say more.
        of: Option<&'static str>,
        /// When.
        cond: Cond,
    }
    /// What a standard stream is, under a condition.
    struct Stream {
        /// Its name.
        is: &'static str,
        /// When.
        cond: Cond,
    }
    /// One word that an option takes: the alternatives, the first that holds counts.
    struct Word {
        /// The alternatives.
        either: Vec<Slot>,
    }
    /// An option.
    struct Opt {
        /// Its names, the main one first.
        names: Vec<&'static str>,
        /// The words it takes.
        words: Vec<Word>,
        /// Whether the word must be there.
        presence: Presence,
        /// It takes all words up to the next option.
        many: bool,
        /// Its value may be attached to a name of any length.
        joined: bool,
        /// It holds after sub-commands.
        global: bool,
        /// It ends the options.
        stops: bool,
        /// Properties of the whole.
        sets: Vec<Sets>,
        /// Stated effects.
        effects: Vec<Claim>,
        /// It withholds every effect.
        info: Info,
        /// It withholds changing effects.
        simulate: bool,
        /// Standard output carries nothing.
        redirects_stdout: bool,
        /// What it puts before and behind the code; `%` is its value.
        around: Vec<&'static str>,
    }
    /// Files that the program runs by itself, the first that is there.
    struct Implied {
        /// Their names.
        names: Vec<&'static str>,
        /// Their language.
        language: Option<&'static str>,
        /// When.
        cond: Cond,
        /// Names of options or operands that are their directory.
        into: Vec<&'static str>,
        /// The arguments that they get, where not the operands.
        args: Vec<&'static str>,
    }
    /// An entry for operands.
    struct Operand {
        /// Its name.
        name: Option<&'static str>,
        /// Which it takes.
        at: At,
        /// When it takes any.
        cond: Cond,
        /// What they are.
        word: Word,
    }
    /// What one level (program or sub-command) takes.
    struct Level {
        /// Names of the sub-command, the main one first; empty for programs.
        names: Vec<&'static str>,
        /// How options are read.
        style: Style,
        /// Long options may be shortened.
        abbreviate: bool,
        /// Options may follow operands.
        permute: bool,
        /// `--` ends the options.
        double_dash: bool,
        /// Names match in any case.
        nocase: bool,
        /// `-o=V` gives `V`, not `=V`.
        short_equals: bool,
        /// `--no-x` undoes every `--x`.
        negatable: bool,
        /// What an unknown option is.
        unknown_option: UnknownOption,
        /// All options hold after sub-commands.
        inherit: bool,
        /// Sub-commands may be shortened.
        sub_prefix: bool,
        /// Which operand names the sub-command, from 1.
        sub_at: u64,
        /// The first operand is a program.
        multicall: bool,
        /// The semantics of a shell builtin.
        builtin: Option<&'static str>,
        /// The language of its programs.
        language: Option<&'static str>,
        /// Properties of the whole.
        sets: Vec<Sets>,
        /// Stated effects.
        effects: Vec<Claim>,
        /// Standard input; empty: as the level above.
        stdin: Vec<Stream>,
        /// Standard output; empty: as the level above.
        stdout: Vec<Stream>,
        /// The options.
        options: Named<Opt>,
        /// The operands.
        operands: Vec<Operand>,
        /// Files that it runs by itself.
        files: Vec<Implied>,
        /// Some option begins with no dash, or takes text right after a long name: most levels have none, and looking for
        /// them costs a walk over all options for each word.
        signs: bool,
        /// Sub-commands.
        subs: Named<Sub>,
    }
    /// A sub-command.
    struct Sub {
        /// Its names.
        names: Vec<&'static str>,
        /// The level.
        level: Level,
    }
    /// An environment variable.
    struct Env {
        /// Names, with globs.
        names: Vec<&'static str>,
        /// What its value is.
        word: Word,
        /// Properties of the whole.
        sets: Vec<Sets>,
        /// Stated effects.
        effects: Vec<Claim>,
    }
    /// `environment.toml`: what matters to every program.
    struct Environment {
        /// Variables.
        env: Vec<Env>,
        /// Globs of directories that hold system programs.
        bin: Vec<&'static str>,
        /// Variables that every login exports.
        exported: Vec<&'static str>,
    }
    /// Other names that stand for options.
    struct Alias {
        /// The names.
        names: Vec<&'static str>,
        /// The words that come first.
        args: Vec<&'static str>,
    }
    /// One program.
    struct Grammar {
        /// Its names, the main one first, with globs.
        names: Vec<&'static str>,
        /// Where the facts come from.
        source: &'static str,
        /// Languages of the shells it holds in; empty: all.
        shells: Vec<&'static str>,
        /// What it takes.
        top: Level,
        /// Variables.
        env: Vec<Env>,
        /// Further names.
        aliases: Vec<Alias>,
    }
}

impl HasNames for Opt {
    fn names(&self) -> &[&'static str] {
        &self.names
    }
}

impl HasNames for Sub {
    fn names(&self) -> &[&'static str] {
        &self.names
    }
}
