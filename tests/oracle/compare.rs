//! Compares what bash ran with what the graph says.

use super::sandbox::Words;
use shellward::analyzer::{Options, analyze};
use shellward::effect::Certainty;
use shellward::effect::graph::Process;
use shellward::value::{Piece, Value, Why};

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
    /// Texts whose commands depend on something that is not known.
    pub(crate) undecided: usize,
    /// Differences printed.
    pub(crate) shown: usize,
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
    "",
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

/// Compares one text.
pub(crate) fn compare(text: &str, theirs: &[Words], tally: &mut Tally) -> Option<Difference> {
    let options = Options { witness: false, ..Options::default() };
    let analysis = analyze(text.as_bytes(), &options);
    tally.texts += 1;
    let ours: Vec<&Process> = analysis
        .graph
        .processes
        .iter()
        .filter(|p| !p.argv.is_empty())
        // What `eval` runs counts, what a program runs does not: bash never starts that program.
        .filter(|p| {
            let by = p.parent.and_then(|q| analysis.graph.process(q));
            by.is_none_or(|q| OWN.contains(&q.name.as_str()))
        })
        .filter(|p| p.argv.first().and_then(Value::as_str).is_none_or(|n| !OWN.contains(&n.as_ref())))
        .collect();
    let certain: Vec<&&Process> = ours.iter().filter(|p| p.certainty == Certainty::Certain).collect();
    let decided = certain.len() == ours.len() && analysis.graph.doubts.iter().all(|d| d.kind.name() != "limit");
    let splits = |p: &Process| p.argv.iter().any(open);
    if !decided || ours.iter().any(|p| splits(p)) {
        tally.undecided += 1;
        // Every command that bash ran has to be among ours.
        for t in theirs {
            if !ours.iter().any(|p| fits(&p.argv, t)) {
                tally.faults += 1;
                return Some(Difference {
                    kind: "FAULT (missing)",
                    detail: format!("bash runs {t:?}; ours: {}", show(&ours)),
                });
            }
        }
        return None;
    }
    // Stages of pipelines and background lists run side by side: their order is no one's.
    let mut left: Vec<&Words> = theirs.iter().collect();
    for p in &ours {
        let Some(i) = left.iter().position(|t| fits(&p.argv, t)) else {
            tally.faults += 1;
            return Some(Difference {
                kind: "FAULT (ours does not run, or runs with other words)",
                detail: format!("ours {:?}; bash: {theirs:?}", p.argv.iter().map(Value::show).collect::<Vec<_>>()),
            });
        };
        let t = left.remove(i);
        let unknown = p.argv.iter().filter(|v| computable(v)).count();
        tally.words += t.len();
        tally.misses += unknown;
        if unknown > 0 && tally.shown < 5 {
            tally.shown += 1;
            eprintln!(
                "--- miss\n{text}\n    ours {:?}; bash {t:?}",
                p.argv.iter().map(Value::show).collect::<Vec<_>>()
            );
        }
    }
    if let Some(t) = left.first() {
        tally.faults += 1;
        return Some(Difference { kind: "FAULT (missing)", detail: format!("bash runs {t:?}; ours: {}", show(&ours)) });
    }
    None
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
        Some(b) => *b == *t.as_bytes(),
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
