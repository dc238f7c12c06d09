//! What differs between shells when they read text, as one struct of flags.
//!
//! In: nothing. Out: [`Dialect`]. Facts: POSIX XCU 2, the bash 5.2 manual, dash(1), zshmisc(1), ksh(1). Floor 2;
//! imports nothing. Aliases are no part of it: they are not expanded while reading.

/// Which shell, and what it reads as syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// `[[ … ]]`
    pub cond: bool,
    /// `(( … ))`, `for (( … ))`
    pub arith_command: bool,
    /// `$[ … ]`
    pub old_arith: bool,
    /// `a=(…)`, `a[i]=v`
    pub arrays: bool,
    /// `a+=b`
    pub append: bool,
    /// `$'…'`
    pub ansi_c: bool,
    /// `$"…"`
    pub locale: bool,
    /// `<(…)`, `>(…)`
    pub process: bool,
    /// `&>`, `&>>`
    pub both: bool,
    /// `|&`
    pub pipe_stderr: bool,
    /// `<<<`
    pub here_string: bool,
    /// `{fd}>`
    pub fd_variable: bool,
    /// `{a,b}`, `{1..9}`
    pub braces: bool,
    /// `?(…)` and its like. bash reads them everywhere only under `shopt -s extglob`; without it such text is a syntax
    /// error outside `[[ ]]`, so reading them always hides nothing.
    pub extglob: bool,
    /// `;&`, `;;&`
    pub case_fall: bool,
    /// The reserved word `function`.
    pub function: bool,
    /// The reserved word `select`.
    pub select: bool,
    /// The reserved word `coproc`.
    pub coproc: bool,
    /// The reserved word `time`.
    pub time: bool,
    /// Any command as the body of a function (`f() echo a`), not only a compound one.
    pub any_body: bool,
    /// zsh: short loops, `repeat`, `always`, empty bodies, glob qualifiers, `=(…)`, flags in `${(…)…}`.
    pub zsh: bool,
}

impl Dialect {
    /// bash 5.2.
    pub const BASH: Dialect = Dialect {
        cond: true,
        arith_command: true,
        old_arith: true,
        arrays: true,
        append: true,
        ansi_c: true,
        locale: true,
        process: true,
        both: true,
        pipe_stderr: true,
        here_string: true,
        fd_variable: true,
        braces: true,
        extglob: true,
        case_fall: true,
        function: true,
        select: true,
        coproc: true,
        time: true,
        any_body: false,
        zsh: false,
    };
    /// POSIX as dash reads it.
    pub const POSIX: Dialect = Dialect {
        cond: false,
        arith_command: false,
        old_arith: false,
        arrays: false,
        append: false,
        ansi_c: false,
        locale: false,
        process: false,
        both: false,
        pipe_stderr: false,
        here_string: false,
        fd_variable: false,
        braces: false,
        extglob: false,
        case_fall: false,
        function: false,
        select: false,
        coproc: false,
        time: false,
        any_body: true,
        zsh: false,
    };
    /// zsh 5.9, as far as it shares its syntax with bash, and its most common own forms.
    pub const ZSH: Dialect = Dialect { zsh: true, any_body: true, ..Dialect::BASH };
    /// ksh93.
    pub const KSH: Dialect = Dialect { coproc: false, ..Dialect::BASH };
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect::BASH
    }
}
