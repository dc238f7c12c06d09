//! What one command leaves behind for the commands after it, and what it takes from those before it.
//!
//! In: the analysis of one command. Out: names: of files that it writes or uses, of variables, functions and aliases that
//! it defines or needs, and whether it changes the directory. Only names: which file a name means is worked out by the
//! analyzer, once the commands are put together.

use crate::analyzer::Analysis;
use crate::effect::graph::DoubtKind;
use crate::effect::{Effect, Language, Object, Site, Verb};
use crate::source::TextId;
use crate::syntax::ast::{CommandKind, Program};
use crate::syntax::shell::{self, Dialect};
use crate::value::{Piece, Value, Why};
use std::path::Path;

/// Most names of one kind that are kept of one command, and the longest of them in bytes.
const MOST: usize = 32;
const LONGEST: usize = 255;

/// Names, each once.
pub(super) type Names = Vec<Box<str>>;

/// The facts of one command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// It changes the directory; true where to a place that does not depend on the one before.
    pub(super) moves: Option<bool>,
    /// Last components of files that change.
    pub(super) writes: Names,
    /// Some of these get content from outside, or content that stands in the command.
    pub(super) source: bool,
    /// Last components of files that are read, run or moved away.
    pub(super) uses: Names,
    /// Something is run, sent or installed.
    pub(super) runs: bool,
    /// Variables, functions and aliases that get a meaning.
    pub(super) defines: Names,
    /// Those of the variables that have that meaning afterwards whatever they had before, so that earlier commands which
    /// define them no longer matter.
    pub(super) settles: Names,
    /// Variables and command words without a known meaning.
    pub(super) needs: Names,
    /// It cannot be put before or after other commands: a part of it is open or broken.
    pub(super) broken: bool,
}

impl Facts {
    /// The facts of an analysed command; `None` where there are none.
    pub(crate) fn of(analysis: &Analysis, shell: Language) -> Option<Box<Facts>> {
        let graph = &analysis.graph;
        let mut facts = Facts::default();
        for effect in graph.effects.iter().filter(|e| e.site == Site::Local) {
            facts.effect(effect);
        }
        for process in &graph.processes {
            if !process.known {
                add(&mut facts.needs, &process.name);
            }
            process.argv.iter().for_each(|v| facts.unknowns(v));
        }
        let text = analysis.source.bytes(TextId::ROOT);
        // An assignment or a function has one of these.
        if text.iter().any(|b| matches!(b, b'=' | b'(' | b'{')) {
            facts.definitions(&text, shell);
        }
        facts.broken = graph.doubts.iter().any(|d| matches!(d.kind, DoubtKind::Unparsed | DoubtKind::Unfinished));
        let Facts { writes, defines, needs, .. } = &facts;
        let any = facts.moves.is_some() || facts.runs || !(writes.is_empty() && defines.is_empty() && needs.is_empty());
        any.then(|| Box::new(facts))
    }

    fn effect(&mut self, effect: &Effect) {
        if let Some(value) = effect.object.value() {
            self.unknowns(value);
        }
        let path = match &effect.object {
            Object::Path(value) => Some(value),
            _ => None,
        };
        match effect.verb {
            Verb::Write | Verb::Append | Verb::Update => {
                self.source |= effect.inputs.is_empty();
                files(&mut self.writes, path);
            }
            Verb::Create | Verb::Link | Verb::Mode | Verb::Delete | Verb::Extract => files(&mut self.writes, path),
            Verb::Fetch | Verb::Clone => self.source = true,
            Verb::Read => files(&mut self.uses, path),
            Verb::Move => {
                files(&mut self.uses, path);
                if let Some(Object::Path(to)) = effect.other.as_deref() {
                    files(&mut self.writes, Some(to));
                }
            }
            Verb::Execute => {
                self.runs = true;
                files(&mut self.uses, path);
            }
            // Code that stands there whole runs nothing that others left; what it does is told by its own effects.
            Verb::Evaluate if is_own(effect) => {}
            Verb::Evaluate | Verb::Send | Verb::Install | Verb::Schedule => self.runs = true,
            Verb::Chdir => {
                let to = path.map(Value::prefix).unwrap_or_default();
                self.moves.get_or_insert(matches!(to.first(), Some(b'/' | b'~')));
                files(&mut self.uses, path);
            }
            Verb::Configure | Verb::Environment => {
                if let Object::Named("alias" | "variable", name) = &effect.object
                    && let Some(name) = name.as_str()
                {
                    add(&mut self.defines, &name);
                }
            }
            _ => {}
        }
    }

    /// The variables of the surrounding shell that a value hangs on.
    fn unknowns(&mut self, value: &Value) {
        for piece in &value.pieces {
            if let Piece::Unknown(unknown) = piece
                && let Why::Environment(name) = &unknown.why
            {
                add(&mut self.needs, name);
            }
        }
    }

    /// The variables and functions that the outermost commands define.
    fn definitions(&mut self, text: &[u8], language: Language) {
        let dialect = match language {
            Language::Sh | Language::Bash => Dialect::BASH,
            Language::Zsh => Dialect::ZSH,
            Language::Ksh => Dialect::KSH,
            _ => return,
        };
        let program: Program = shell::read(text, dialect);
        let all = || program.lists.iter().flat_map(|l| &l.items);
        for item in all().filter(|a| !a.background) {
            if let [command] = item.first.stages.as_slice()
                && let CommandKind::Simple(simple) = &command.kind
                && simple.words.is_empty()
            {
                let whole = simple.assignments.iter().filter(|a| !a.append && a.subscript.is_none());
                whole.for_each(|a| add(&mut self.settles, &a.name));
            }
        }
        let all = all();
        let pipelines = all.flat_map(|a| std::iter::once(&a.first).chain(a.rest.iter().map(|r| &r.1)));
        for pipeline in pipelines {
            let [command] = pipeline.stages.as_slice() else { continue };
            match &command.kind {
                CommandKind::Simple(simple) if simple.words.is_empty() => {
                    simple.assignments.iter().for_each(|a| add(&mut self.defines, &a.name));
                }
                CommandKind::Function(function) => add(&mut self.defines, &function.name),
                _ => {}
            }
        }
    }
}

/// True for code that stands in the command, every byte of it.
fn is_own(effect: &Effect) -> bool {
    let whole = matches!(&effect.object, Object::Code(_, v) if v.is_known() && v.taint().is_empty());
    whole && effect.inputs.is_empty()
}

/// Adds a name that is not there yet.
fn add(names: &mut Names, name: &str) {
    let fits = !name.is_empty() && name.len() <= LONGEST && names.len() < MOST;
    if fits && !names.iter().any(|n| **n == *name) {
        names.push(name.into());
    }
}

/// Adds the last component of a path, of each of its readings.
fn files(names: &mut Names, path: Option<&Value>) {
    for reading in path.map(Value::readings).unwrap_or_default() {
        let Some(text) = reading.as_str() else { continue };
        if let Some(name) = Path::new(text.as_ref()).file_name().and_then(|n| n.to_str()) {
            add(names, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyzer::{Options, analyze};

    fn of(text: &str) -> Facts {
        Facts::of(&analyze(text.as_bytes(), &Options::default()), Language::Bash).map(|f| *f).unwrap_or_default()
    }
    fn names(names: &Names) -> Vec<&str> {
        names.iter().map(|n| &**n).collect()
    }

    #[test]
    fn a_download_writes_and_a_run_uses() {
        let facts = of("curl -s https://h.example/a/b.sh -o /tmp/c.sh");
        assert_eq!((names(&facts.writes), facts.source, facts.runs), (vec!["c.sh"], true, false));
        let facts = of("bash ./c.sh now");
        assert_eq!((names(&facts.uses), facts.runs), (vec!["c.sh"], true));
        let facts = of("mv c.sh d.sh");
        assert_eq!((names(&facts.uses), names(&facts.writes)), (vec!["c.sh"], vec!["d.sh"]));
    }

    #[test]
    fn names_that_the_shell_keeps() {
        let facts = of("x=1; f() { :; }; alias g='ls -l'");
        assert_eq!(names(&facts.defines), ["g", "x", "f"]);
        assert_eq!(names(&facts.settles), ["x"]);
        assert_eq!(names(&of("a=1 && b=2; c+=3; d[0]=4; e=5 &").settles), ["a"]);
        assert_eq!(names(&of("curl $x | frobnicate").needs), ["x", "frobnicate"]);
    }

    #[test]
    fn where_it_goes() {
        assert_eq!(of("cd /tmp || cd x").moves, Some(true));
        assert_eq!(of("cd x").moves, Some(false));
        assert_eq!(Facts::of(&analyze(b"ls -la", &Options::default()), Language::Bash), None);
    }
}
