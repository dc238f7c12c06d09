//! Compares what bash ran with what the graph says.

use super::sandbox::{Events, PASSED, Words};
use shellward::analyzer::{Options, analyze};
use shellward::effect::Certainty;
use shellward::effect::graph::Process;
use shellward::value::{Piece, Value, Why};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts over many texts.
#[derive(Default)]
pub(crate) struct Tally {
    /// Texts compared.
    pub(crate) texts: usize,
    /// Texts that bash cannot read, or did not end.
    pub(crate) refused: usize,
    /// Words compared.
    pub(crate) words: usize,
    /// Texts with something wrong.
    pub(crate) faults: usize,
    /// Words that bash computed and we did not.
    pub(crate) misses: usize,
    /// Lists of commands (programs, builtins) that depend on something that is not known.
    pub(crate) undecided: usize,
    /// Differences printed.
    pub(crate) shown: usize,
}

/// Misses printed, by all.
static MISSES_SHOWN: AtomicUsize = AtomicUsize::new(0);

impl Tally {
    /// Adds what another one counted.
    pub(crate) fn add(&mut self, other: &Tally) {
        self.texts += other.texts;
        self.refused += other.refused;
        self.words += other.words;
        self.faults += other.faults;
        self.misses += other.misses;
        self.undecided += other.undecided;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} texts, {} refused by bash, {} undecided, {} words, {} faults, {} misses",
            self.texts, self.refused, self.undecided, self.words, self.faults, self.misses
        )
    }
}

/// What differs.
pub(crate) struct Difference {
    pub(crate) kind: &'static str,
    pub(crate) detail: String,
}

/// Names that bash itself runs, so that they never reach the handler.
const OWN: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Builtins whose words are compared, too: bash traces them as it runs them. Declarations are not among them, since it
/// traces those in a form of its own.
const TRACED: &[&str] =
    &["[", "cd", "echo", "eval", "printf", "read", "set", "shift", "test", "trap", "unset", "getopts", "false"];

/// Compares one text.
pub(crate) fn compare(text: &str, theirs: &Events, tally: &mut Tally) -> Option<Difference> {
    let options = Options { witness: false, ..Options::default() };
    let analysis = analyze(text.as_bytes(), &options);
    tally.texts += 1;
    let graph = &analysis.graph;
    // The commands around one. An alias is none.
    let around = |p: &Process| {
        let mut names = Vec::new();
        let mut q = p.parent.and_then(|q| graph.process(q));
        while let Some(p) = q {
            if !p.argv.is_empty() {
                names.push(p.name.clone());
            }
            q = p.parent.and_then(|q| graph.process(q));
        }
        names
    };
    let ours: Vec<&Process> = graph
        .processes
        .iter()
        .filter(|p| !p.argv.is_empty())
        // What `eval` runs counts, what a program runs does not: bash never starts that program. Nor does it tell of
        // what `exec` starts.
        .filter(|p| around(p).iter().all(|q| OWN.contains(&q.as_str()) && q != "exec"))
        .filter(|p| around(p).first().is_none_or(|q| q != "builtin"))
        .collect();
    let name = |p: &Process| p.argv.first().and_then(Value::as_str).map(|s| s.into_owned());
    let function =
        |n: &str| [format!("{n}()"), format!("{n} ()"), format!("function {n}")].iter().any(|f| text.contains(f));
    // `set +x` ends the trace, and with it what is known of filters and of programs named by a path.
    let silent = ours
        .iter()
        .any(|p| name(p).as_deref() == Some("set") && p.argv.iter().skip(1).any(|v| v.show().starts_with('+')));
    let heard = |n: &str| !silent || !(PASSED.contains(&n) || n.contains('/'));
    let programs: Vec<&Process> = ours
        .iter()
        .filter(|p| {
            name(p).is_none_or(|n| {
                !OWN.contains(&n.as_str()) && heard(&n) && !(PASSED.contains(&n.as_str()) && function(&n))
            })
        })
        .copied()
        .collect();
    // A function of that name is traced like the builtin.
    let traced = |n: &str| TRACED.contains(&n) && !function(n);
    // bash traces `builtin echo a`, not the echo in it.
    let builtins: Vec<&Process> = ours
        .iter()
        .filter(|p| name(p).is_some_and(|n| traced(&n)) && !around(p).iter().any(|q| q == "command"))
        .copied()
        .collect();
    let their_builtins: Vec<&Words> = theirs.traced.iter().filter(|w| w.first().is_some_and(|n| traced(n))).collect();
    let limits = graph.doubts.iter().any(|d| d.kind.name() == "limit");
    // Which of two processes is faster is no one's to say.
    // Nor is what follows a command that may have left the shell.
    let race = ours.iter().any(|p| match name(p).as_deref() {
        Some("kill" | "wait" | "suspend") => true,
        Some("exit" | "return" | "exec" | "break" | "continue") => p.certainty != Certainty::Certain,
        _ => false,
    });
    // `%name` resumes a job.
    let jobs = ours.iter().any(|p| name(p).is_some_and(|n| n.starts_with('%')));
    // What a text cannot do in an empty place says nothing, nor does a text that changes where programs are.
    // Nor does one that computes with an interpreter that is not there, or completes words.
    let elsewhere = [
        "PATH=",
        "python",
        "coproc",
        "compgen",
        "bind ",
        "LC_ALL=",
        "BASH_XTRACEFD",
        "extdebug",
        "$(which",
        "`which",
        "readlink",
    ];
    // Whether this is a pattern or a negated group is up to an option that is on in the place where texts run.
    let either = ["if !(", "[[ !("].iter().any(|e| text.contains(e)) && !text.contains("shopt -s extglob\n");
    // A divisor that the text does not set may be set in the place where it runs.
    let outer = |n: &String| {
        n.len() > 1 && n.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.contains(&format!("{n}="))
    };
    let either = either || theirs.divisors.iter().any(outer);
    // A loop without end is stopped from outside: what stands behind it says nothing.
    let endless = theirs.commands.len().saturating_add(theirs.traced.len()) > 500;
    if theirs.failed || limits || jobs || endless || either || elsewhere.iter().any(|e| text.contains(e)) {
        tally.undecided += 1;
        return None;
    }
    let their_programs: Vec<&Words> = theirs
        .commands
        .iter()
        .chain(theirs.found.iter().filter(|w| w.first().is_none_or(|n| !function(n) && heard(n))))
        .collect();
    let first = sides(text, &programs, &their_programs, race, tally);
    // `set +x` ends the trace.
    let untraced = builtins
        .iter()
        .any(|p| name(p).as_deref() == Some("set") && p.argv.get(1).is_some_and(|v| v.show().starts_with(['+', '-'])));
    first.or_else(|| if untraced { None } else { sides(text, &builtins, &their_builtins, race, tally) })
}

/// One list of commands against the other.
fn sides(text: &str, ours: &[&Process], theirs: &[&Words], race: bool, tally: &mut Tally) -> Option<Difference> {
    let certain = ours.iter().filter(|p| p.certainty == Certainty::Certain).count();
    let splits = |p: &Process| p.argv.iter().any(open);
    let missing = |t: &Words, ours: &[&Process]| Difference {
        kind: "FAULT (missing)",
        detail: format!("bash runs {t:?}; ours: {}", show(ours)),
    };
    let other = |p: &Process| Difference {
        kind: "FAULT (ours does not run, or runs with other words)",
        detail: format!("ours {:?}; bash: {theirs:?}", p.argv.iter().map(Value::show).collect::<Vec<_>>()),
    };
    if race || certain != ours.len() || ours.iter().any(|p| splits(p)) {
        tally.undecided += 1;
        // Every command that bash ran has to be among ours, and what we are certain of among bash's.
        if let Some(t) = theirs.iter().find(|t| !ours.iter().any(|p| fits(&p.argv, t))) {
            tally.faults += 1;
            return Some(missing(t, ours));
        }
        if race {
            return None;
        }
        for p in ours.iter().filter(|p| p.certainty == Certainty::Certain && !splits(p) && !may_fail(p)) {
            if !theirs.iter().any(|t| fits(&p.argv, t)) {
                tally.faults += 1;
                return Some(other(p));
            }
            count(text, p, tally);
        }
        return None;
    }
    // Stages of pipelines and background lists run side by side: their order is no one's.
    let mut left: Vec<&&Words> = theirs.iter().collect();
    // What is known whole is matched first, so that a word that is not known takes nothing away from it.
    let (known, open): (Vec<&&Process>, Vec<&&Process>) = ours.iter().partition(|p| p.argv.iter().all(Value::is_known));
    for p in known.into_iter().chain(open) {
        let Some(i) = left.iter().position(|t| fits(&p.argv, t)) else {
            if may_fail(p) {
                return None;
            }
            tally.faults += 1;
            return Some(other(p));
        };
        left.remove(i);
        count(text, p, tally);
    }
    if let Some(t) = left.first() {
        tally.faults += 1;
        return Some(missing(t, ours));
    }
    None
}

/// Counts the words of a command that fits, and those of them that bash computed and we did not.
fn count(text: &str, p: &Process, tally: &mut Tally) {
    let unknown = p.argv.iter().filter(|v| computable(v)).count();
    tally.words += p.argv.len();
    tally.misses += unknown;
    let limit = std::env::var("SHELLWARD_ORACLE_MISSES").ok().and_then(|n| n.parse().ok()).unwrap_or(5usize);
    if unknown > 0 && MISSES_SHOWN.fetch_add(1, Ordering::Relaxed) < limit {
        eprintln!("--- miss\n{text}\n    ours {:?}", p.argv.iter().map(Value::show).collect::<Vec<_>>());
    }
}

fn show(ours: &[&Process]) -> String {
    format!("{:?}", ours.iter().map(|p| p.argv.iter().map(Value::show).collect::<Vec<_>>()).collect::<Vec<_>>())
}

/// True where a word is not known although the text determines it: what depends on how a command ended, or on the
/// surroundings, is not determined.
fn computable(v: &Value) -> bool {
    let open = |w: &Why| matches!(w, Why::Joined | Why::Environment(_) | Why::Parameter(_) | Why::Home(_));
    !v.is_known()
        && v.pieces.iter().all(|p| match p {
            Piece::OneOf(_) => false,
            Piece::Unknown(u) => !open(&u.why) && u.why != Why::NotComputed("number of elements"),
            Piece::Literal(_) | Piece::Glob(..) => true,
        })
}

/// True where a word comes from text that is not known and that the shell may refuse: then the command is not run.
fn may_fail(p: &Process) -> bool {
    let refused = |w: &Why| matches!(w, Why::NotComputed("arithmetic" | "indirect expansion"));
    p.argv.iter().any(|v| v.pieces.iter().any(|q| matches!(q, Piece::Unknown(u) if refused(&u.why))))
}

/// True where a word may be several.
fn open(v: &Value) -> bool {
    v.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits) || matches!(p, Piece::Glob(..)))
}

/// Whether bash's words are among the readings of ours.
fn fits(ours: &[Value], theirs: &Words) -> bool {
    if let Some(i) = ours.iter().position(open) {
        // From the first word that may be several on, only the beginning and the end are compared.
        return ours.iter().take(i).zip(theirs).all(|(v, t)| reads(v, t)) && theirs.len() >= i;
    }
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(v, t)| reads(v, t))
}

fn reads(v: &Value, t: &str) -> bool {
    v.readings().iter().any(|r| match r.as_literal() {
        Some(b) => *b == *t.as_bytes() || String::from_utf8_lossy(&b) == t,
        None => {
            // Known pieces have to occur in their order.
            let mut rest = t;
            r.pieces.iter().all(|p| match p {
                Piece::Literal(l) => {
                    let s = String::from_utf8_lossy(&l.bytes);
                    match rest.find(s.as_ref()) {
                        Some(i) => {
                            rest = rest.get(i + s.len()..).unwrap_or("");
                            true
                        }
                        None => false,
                    }
                }
                _ => true,
            })
        }
    })
}
