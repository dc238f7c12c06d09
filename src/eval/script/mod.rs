//! Runs the scripts of embedded languages over values.
//!
//! In: a [`Script`] (every language lowers to it) and the process that evaluates it. Out: effects in the same graph as
//! the shell's; what calls do is data in `grammars/languages`. Files, descriptors and nested programs are the shell
//! interpreter's, so content flows across the border of languages and back.

mod argument;
mod assign;
mod call;
mod class;
mod condition;
mod data;
mod expr;
mod known;
mod list;
mod name;
mod operator;
mod ops;
mod output;
mod process;
mod recursion;
mod result;
mod state;
mod statement;
mod text;

use super::Interp;
use crate::command::calls;
use crate::effect::graph::{DoubtKind, Reach};
use crate::effect::{Certainty, Language, Object as Thing, ProcessId, Verb};
use crate::limits;
use crate::source::{Place, Span};
use crate::syntax::ast::SyntaxError;
use crate::syntax::script::{Expr, Function, Kind, Receiver, Script, StmtKind};
use crate::value::{Taint, Value, Why};
pub(crate) use data::Data;
use state::End;
pub(crate) use state::Run;
use std::rc::Rc;

/// Most elements of one list that a loop or comprehension goes over one by one.
const MAX_ELEMENTS: usize = 4_096;

/// Deepest nesting of expressions, statements and calls that is followed.
const MAX_SCRIPT_DEPTH: u32 = 200;

impl Interp<'_> {
    /// Runs a script as the process `by`.
    pub(crate) fn run_script(&mut self, language: Language, script: &Script, by: ProcessId) {
        self.doubt_unread(language, script);
        self.sh.status = Some(0);
        // Code that a script of the same language evaluates sees that script's names.
        match self.evaluating.take() {
            Some(mut run) if run.language == language => {
                run.last = Data::Null;
                match self.block(&mut run, &script.body) {
                    End::Return(d) => run.last = d,
                    End::Exit => run.left = true,
                    _ => {}
                }
                self.evaluating = Some(run);
            }
            other => {
                // Variables that the program sets are its own.
                let (vars, place) = (self.sh.vars.clone(), self.sh.cwd.clone());
                let mut run = Run::new(language, by);
                for (name, v) in std::mem::take(&mut self.presets) {
                    run.set(&name, Data::Text(v));
                }
                let prints = std::mem::take(&mut self.prints_value);
                self.block(&mut run, &script.body);
                self.call_held(&mut run);
                self.sh.vars = vars;
                self.sh.cwd = place;
                self.evaluating = other;
                if prints {
                    let at = self.at(Span::default());
                    let mut v = run.last.value(at);
                    v.push(Value::computed(b"\n", at, Taint::default()));
                    self.emit(1, v);
                }
            }
        }
    }

    /// What a front end could not read is code that is not understood: a grammar is no judge of what runs.
    fn doubt_unread(&mut self, language: Language, script: &Script) {
        for u in script.unparsed.iter().take(16) {
            let at = self.at(u.span);
            match u.reason {
                SyntaxError::TooDeep => self.doubt(DoubtKind::Limit, "nesting of the text".into(), at),
                SyntaxError::TooLarge => self.doubt(DoubtKind::Limit, "size of the text".into(), at),
                _ => self.doubt(DoubtKind::OpaqueCode, format!("{language} syntax"), at),
            }
        }
    }

    /// Evaluates text as code of the script's own language, with its names. Gives the value of the last statement.
    pub(super) fn evaluate_here(&mut self, run: &mut Run, code: Value, at: Place) -> Data {
        let (language, by) = (run.language, run.by);
        let mine = std::mem::replace(run, Run::new(language, by));
        let outer = self.evaluating.replace(mine);
        self.evaluate(language, code, Reach::Argument, by, at, super::nested::Env::Fresh(None, None));
        if let Some(r) = std::mem::replace(&mut self.evaluating, outer) {
            *run = r;
        }
        std::mem::replace(&mut run.last, Data::Null)
    }

    /// Text → a function whose body it is (`new Function(code)`, `load(code)`). What it does shows when it is called.
    pub(super) fn function_of(&mut self, run: &mut Run, params: Vec<String>, code: &Value, at: Place) -> Data {
        let id = self.effect(Verb::Evaluate, Thing::Code(run.language, code.clone()), run.by, at);
        self.flow(id, &code.taint());
        if !code.is_known() {
            self.doubt(DoubtKind::UnknownCode, code.show(), at);
        }
        let (bytes, segments, _) = self.marked(code);
        if bytes.len() > limits::MAX_VALUE || !self.spend(1 + bytes.len() as u64 / 16) {
            return Data::unknown("code", at, code.taint());
        }
        let Some(script) = crate::syntax::foreign(run.language, &bytes) else {
            self.doubt(DoubtKind::OpaqueCode, run.language.name().to_string(), at);
            return Data::unknown("code", at, code.taint());
        };
        let text = self.source.add(&bytes, at, segments);
        let before = self.enter_program(run.language, text, at, Reach::Argument, Some(run.by));
        let outer = std::mem::replace(&mut self.text, text);
        self.doubt_unread(run.language, &script);
        self.text = outer;
        self.program = before;
        let params = params.into_iter().map(|p| (p, None)).collect();
        Data::Function(
            Rc::new(Function { name: String::new(), params, body: script.body, receiver: Receiver::Object }),
            text,
        )
    }

    /// Code in a language whose front end is there; a doubt for all others.
    pub(crate) fn script_code(&mut self, language: Language, bytes: &[u8], by: ProcessId, at: Place) {
        // Shells that no reader is for: plain commands are the same in them, so what our shells would do is possible.
        if matches!(language, Language::Fish | Language::Csh | Language::Nushell) {
            self.doubt(DoubtKind::OpaqueCode, language.name().to_string(), at);
            let saved = std::mem::replace(&mut self.certainty, Certainty::Possible);
            self.shell_code(Language::Sh, bytes, &super::nested::Env::Fresh(None, None));
            self.certainty = saved;
            self.sh.status = None;
            return;
        }
        // Programs that only shape what they read: there is nothing to run or to doubt.
        if only_shapes(language, bytes) {
            self.sh.status = None;
            return;
        }
        match crate::syntax::foreign(language, bytes) {
            Some(script) => self.run_script(language, &script, by),
            None => {
                self.sh.status = None;
                self.emit(1, Value::unknown(Why::Output(language.name().to_string()), at));
                self.doubt(DoubtKind::OpaqueCode, language.name().to_string(), at);
                self.hinted(bytes, by);
            }
        }
    }

    /// What calls in code that no reader is for would do, where they are what nearly all languages call them.
    fn hinted(&mut self, bytes: &[u8], by: ProcessId) {
        if !self.spend(1 + bytes.len() as u64 / 64) {
            return;
        }
        let mut script = crate::syntax::small::scan(bytes);
        // Of `a.b.system` the last part says it.
        script.body.retain_mut(|s| {
            let StmtKind::Expr(Expr { kind: Kind::Call(callee, _), .. }) = &mut s.kind else { return false };
            let Kind::Name(name) = &mut callee.kind else { return false };
            let last = name.rsplit(['.', ':']).next().unwrap_or_default().to_string();
            let known = |n: &str| calls::lookup(Language::Other, n).is_some();
            if !known(name) && known(&last) {
                *name = last;
            }
            known(name)
        });
        if script.body.is_empty() {
            return;
        }
        let saved = std::mem::replace(&mut self.certainty, Certainty::Possible);
        self.run_script(Language::Other, &script, by);
        self.certainty = saved;
        self.sh.status = None;
    }
}

/// True where code is known to shape only what it reads: it starts nothing, and reads and writes no file of its own.
fn only_shapes(language: Language, text: &[u8]) -> bool {
    match language {
        Language::Awk => crate::syntax::awk::only_computes(text),
        Language::Sed => crate::value::transform::sed_only_edits(text),
        _ => false,
    }
}
