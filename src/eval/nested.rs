//! Code in code: text that a command evaluates becomes a program of its own and is run in turn.
//!
//! In: a language and the value of the text. Out: an `evaluate` effect with the flows into it, a program in the graph,
//! and whatever that program does. Pieces of the text that are not known stand in it as markers, so that what is known
//! around them is read all the same.

use super::expand::{MARK_CLOSE, MARK_OPEN};
use super::scope::{Content, Shell, Var};
use super::{Flow, Interp};
use crate::command::grammar::is_exported;
use crate::effect::graph::{DoubtKind, Reach};
use crate::effect::{Certainty, EffectId, Language, Object, ProcessId, Verb};
use crate::limits;
use crate::source::{Place, Segment};
use crate::value::{Piece, Value, Why};
use std::rc::Rc;

/// The state in which nested shell code runs.
pub(crate) enum Env {
    /// The current shell: `eval`, `source`. With parameters of its own where given.
    Current(Option<Vec<Value>>),
    /// A copy of the current shell.
    Subshell(Option<Vec<Value>>),
    /// A new shell process: exported variables only; `$0` and the positional parameters.
    Fresh(Option<Value>, Option<Vec<Value>>),
}

impl Interp<'_> {
    /// Evaluates code. Gives the `evaluate` effect, and how the code ended.
    pub(crate) fn evaluate(
        &mut self,
        language: Language,
        code: Value,
        reach: Reach,
        by: ProcessId,
        at: Place,
        env: Env,
    ) -> (EffectId, Flow) {
        let id = self.effect(Verb::Evaluate, Object::Code(language, code.clone()), by, at);
        self.flow(id, &code.taint());
        let code = match self.around.take() {
            Some((mut whole, after)) => {
                whole.push(code);
                whole.push(after);
                whole
            }
            None => code,
        };
        if self.depth == 0 {
            let start = std::time::Instant::now();
            let r = self.evaluate_known(language, code, reach, by, at, env);
            self.nested_time += start.elapsed();
            return (id, r);
        }
        (id, self.evaluate_known(language, code, reach, by, at, env))
    }

    fn evaluate_known(
        &mut self,
        language: Language,
        code: Value,
        reach: Reach,
        by: ProcessId,
        at: Place,
        env: Env,
    ) -> Flow {
        if self.depth >= limits::MAX_PROGRAM_DEPTH {
            self.limit("programs in programs", at);
            return Flow::Next;
        }
        if code.pieces.is_empty() {
            return Flow::Next;
        }
        // Text of which no byte is known: there is nothing to read.
        let readable = |p: &Piece| match p {
            Piece::Literal(l) => l.bytes.iter().any(|b| !b.is_ascii_whitespace()),
            Piece::OneOf(_) => true,
            Piece::Glob(..) | Piece::Unknown(_) => false,
        };
        if !code.is_known() && !code.pieces.iter().any(readable) {
            // Nor is it known what it prints.
            self.emit(1, Value::unknown(Why::Output(language.name().to_string()), at));
            self.doubt(DoubtKind::UnknownCode, code.show(), at);
            return Flow::Next;
        }
        let mut readings = code.readings();
        readings.truncate(8);
        let several = readings.len() > 1;
        let mut flow = Flow::Next;
        let mut ends = Vec::new();
        let start = several.then(|| self.sh.clone());
        for r in readings {
            if let Some(s) = &start {
                self.sh = s.clone();
            }
            let f = if several {
                self.conditional(|me| me.evaluate_reading(language, &r, reach, by, at, &env))
            } else {
                self.evaluate_reading(language, &r, reach, by, at, &env)
            };
            if several {
                ends.push((f, self.sh.clone()));
            } else {
                flow = f;
            }
        }
        if several {
            flow = self.meet(ends, None);
            self.sh.status = None;
        }
        flow
    }

    fn evaluate_reading(
        &mut self,
        language: Language,
        code: &Value,
        reach: Reach,
        by: ProcessId,
        at: Place,
        env: &Env,
    ) -> Flow {
        let (bytes, segments, unknown) = self.marked(code);
        if bytes.len() > limits::MAX_VALUE {
            self.limit("size of nested code", at);
            return Flow::Next;
        }
        if !self.spend(1 + bytes.len() as u64 / 16) {
            return Flow::Exit;
        }
        if unknown && !(language.takes_text() && code.is_settled()) {
            self.doubt(DoubtKind::UnknownCode, code.show(), at);
        }
        let active =
            self.active_texts.iter().filter(|(l, t)| *l == language && *self.source.bytes(*t) == *bytes).count();
        if active > 0 && !self.enter_again(active, &bytes, by, at, env) {
            return Flow::Next;
        }
        let text = self.source.add(&bytes, at, segments);
        let before = self.enter_program(language, text, at, reach, Some(by));
        self.active_texts.push((language, text));
        // What surrounds the text that is entered first says nothing of what it does to itself.
        let forking = self.forking;
        self.forking = active > 0 && forking;
        let saved_text = std::mem::replace(&mut self.text, text);
        let saved_parent = self.parent.replace(by);
        self.depth = self.depth.saturating_add(1);
        let flow = match language {
            Language::Sh | Language::Bash | Language::Zsh | Language::Ksh | Language::Fish => {
                self.shell_code(language, &bytes, env)
            }
            other => {
                let mine = match env {
                    Env::Fresh(zero, Some(args)) if reach == Reach::File => Some(Rc::new((zero.clone(), args.clone()))),
                    // What follows inline code is all arguments.
                    Env::Fresh(zero, Some(args)) => Some(Rc::new((None, zero.iter().chain(args).cloned().collect()))),
                    // Code that a program evaluates itself has the program's.
                    _ => self.arguments.clone(),
                };
                let outer = std::mem::replace(&mut self.arguments, mine);
                self.script_code(other, &bytes, by, at);
                self.arguments = outer;
                Flow::Next
            }
        };
        self.depth = self.depth.saturating_sub(1);
        self.parent = saved_parent;
        self.text = saved_text;
        self.program = before;
        self.active_texts.pop();
        self.forking = forking;
        flow
    }

    /// Whether a text that is being run is run once more by itself. Where it starts itself in the background or a pipe,
    /// or goes on starting new shells, on every path, it exhausts the machine; all such turns share one budget, since a
    /// text that runs itself twice doubles the work with each level.
    fn enter_again(&mut self, active: usize, text: &[u8], by: ProcessId, at: Place, env: &Env) -> bool {
        self.again = self.again.saturating_add(1);
        let spent = self.again > limits::MAX_ENTRIES || active >= limits::MAX_CALLS as usize;
        let multiplies = self.forking || (spent && matches!(env, Env::Fresh(..)));
        if multiplies && self.certainty == Certainty::Certain {
            let name = Value::computed(text, at, Default::default());
            self.effect(Verb::Exhaust, Object::Named("process", name), by, at);
            self.sh.status = None;
            return false;
        }
        if spent {
            self.limit("runs of a text by itself", at);
            self.sh.status = None;
        }
        !spent
    }

    pub(super) fn shell_code(&mut self, language: Language, bytes: &[u8], env: &Env) -> Flow {
        if matches!(env, Env::Current(_)) {
            // The text is read now, with the aliases that there are.
            self.sh.apply_aliases();
        }
        let prog = self.read_shell(language, bytes);
        let broken = !prog.unparsed.is_empty();
        let saved_language = self.language;
        let flow = match env {
            Env::Current(args) => {
                let before = args.as_ref().map(|a| self.sh.positional.replace(Rc::new(a.clone())));
                let flow = self.statements(&prog);
                if let Some(p) = before {
                    self.sh.positional = p;
                }
                flow
            }
            Env::Subshell(args) => {
                let args = args.clone();
                let status = self.subshell(|me| {
                    if let Some(a) = args {
                        me.sh.positional = Some(Rc::new(a));
                    }
                    me.statements(&prog);
                });
                self.sh.status = status;
                Flow::Next
            }
            Env::Fresh(zero, args) => {
                self.language = language;
                let fresh = self.fresh(zero.clone(), args.clone());
                let saved = std::mem::replace(&mut self.sh, fresh);
                let calls = (std::mem::take(&mut self.calls), std::mem::take(&mut self.sourced));
                // An error ends the new shell alone; what a trap or a condition around it is to this one is nothing to it.
                let (certainty, ended, fatal) = (self.certainty, self.ended, std::mem::take(&mut self.fatal));
                if fatal {
                    self.certainty = self.certainty.min(Certainty::Conditional);
                }
                let (unchecked, in_trap) = (std::mem::take(&mut self.unchecked), std::mem::take(&mut self.in_trap));
                self.dialect_options(language);
                let start = (language == Language::Sh).then(|| self.sh.clone());
                let hooks = std::mem::take(&mut self.hooks);
                let pending = self.pending.len();
                self.statements(&prog);
                self.run_hooks();
                self.run_exit_trap();
                self.end_pending(pending);
                let status = if self.ended && !ended { None } else { self.sh.status };
                if let Some(start) = start {
                    self.also_without_extensions(bytes, start);
                }
                self.hooks = hooks;
                (self.certainty, self.ended, self.fatal) = (certainty, ended, fatal);
                (self.unchecked, self.in_trap) = (unchecked, in_trap);
                (self.calls, self.sourced) = calls;
                self.sh = saved;
                self.sh.status = status;
                Flow::Next
            }
        };
        self.language = saved_language;
        if broken {
            self.sh.status = None;
        }
        flow
    }

    /// The state of a new shell process.
    fn fresh(&self, zero: Option<Value>, args: Option<Vec<Value>>) -> Shell {
        let mut vars = super::map::Map::default();
        let inherited = |n: &str, v: &Var| v.attrs.exported || (is_exported(n) && !matches!(v.content, Content::Unset));
        for (n, v) in self.sh.vars.iter().filter(|(n, v)| inherited(n, v)) {
            let attrs = super::scope::Attrs { exported: true, ..Default::default() };
            vars.insert(n, Var { content: v.content.clone(), attrs });
        }
        Shell {
            vars,
            positional: Some(Rc::new(args.unwrap_or_default())),
            zero,
            functions: self.sh.exported_functions(),
            fds: self.sh.fds.clone(),
            cwd: self.sh.cwd.clone(),
            ..Shell::default()
        }
    }

    /// The bytes of a value with markers for what is not known; true where there are any.
    pub(crate) fn marked(&mut self, v: &Value) -> (Vec<u8>, Vec<Segment>, bool) {
        if let Some((bytes, segments)) = v.to_text() {
            return (bytes, segments, false);
        }
        let mut bytes = Vec::new();
        let mut segments = Vec::new();
        for p in &v.pieces {
            let start = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            match p {
                Piece::Literal(l) => {
                    segments.push(Segment { start, from: l.from, exact: l.exact });
                    bytes.extend_from_slice(&l.bytes);
                }
                Piece::Glob(_, at) => {
                    let text = Value { pieces: smallvec::smallvec![p.clone()] }.show();
                    segments.push(Segment { start, from: *at, exact: false });
                    bytes.extend_from_slice(text.as_bytes());
                }
                other => {
                    let from = Value { pieces: smallvec::smallvec![other.clone()] }.place();
                    segments.push(Segment { start, from, exact: false });
                    if self.markers.len() < 100_000 {
                        bytes.push(MARK_OPEN);
                        bytes.extend_from_slice(self.markers.len().to_string().as_bytes());
                        bytes.push(MARK_CLOSE);
                        self.markers.push(other.clone());
                    }
                }
            }
        }
        (bytes, segments, true)
    }
}

/// The words of a command text that programs split themselves, quotes and backslashes taken off (`env -S`, `rsync -e`):
/// `sh -c "curl u | sh"` is three. `None` where the text is not known or has nothing to take off.
pub(crate) fn quoted_words(v: &Value) -> Option<Vec<Value>> {
    let text = v.as_str()?;
    if !text.contains(['\'', '"', '\\']) {
        return None;
    }
    let (mut out, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, ' ' | '\t' | '\n') => out.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(q), c) if c == q => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    // A quote that is never closed is an error of the program, not a command.
    quote.is_none().then(|| out.iter().map(|w| Value::computed(w.as_bytes(), v.place(), v.taint())).collect())
}

#[cfg(test)]
mod tests {
    use super::quoted_words;
    use crate::source::Place;
    use crate::value::{Taint, Value};

    #[test]
    fn quotes_hold_words_together() {
        let words = |t: &str| {
            let v = Value::computed(t.as_bytes(), Place::default(), Taint::default());
            quoted_words(&v).map(|ws| ws.iter().map(Value::show).collect::<Vec<_>>())
        };
        assert_eq!(words("sh -c \"a | b\" ''").unwrap(), ["sh", "-c", "a | b", ""]);
        assert_eq!(words(r"a\ b c").unwrap(), ["a b", "c"]);
        assert_eq!(words("a b"), None);
        assert_eq!(words("a 'b"), None);
    }
}
