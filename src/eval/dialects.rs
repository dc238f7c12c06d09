//! Which shells read the root text.
//!
//! In: the shell that was named, and the text. Out: the graph of all readings. Floor 5; imports `syntax`. The name is a
//! claim: POSIX `sh` may be bash or dash, so what either of them would do counts, and a text that the named shell cannot
//! read is read as bash, too, so that a wrong name hides nothing. A further reading starts from the same state, what it
//! does is conditional, and where it does the same as the first it leaves no trace.

use super::Interp;
use super::scope::{End, Shell};
use crate::effect::Language;
use crate::effect::graph::{DoubtKind, Process};
use crate::source::{Place, Span};
use crate::syntax::ast::Program;
use crate::syntax::shell::{self, Dialect};
use crate::value::Value;

/// Programs around a nested text that is read a second time.
const MAX_REREAD: u32 = 3;

/// True where bash sees a command that fish takes for text: between backquotes, behind a quote that ends elsewhere.
fn hides(fish: &Program, bash: &Program, text: &[u8]) -> bool {
    // Words that fish reads as parts of the language, and bash as commands.
    const WORDS: &[&[u8]] = &[b"and", b"or", b"not", b"begin", b"end", b"else", b"case", b"switch", b"function"];
    let own = |at: u32| {
        let rest = text.get(at as usize..).unwrap_or(&[]);
        let n = rest.iter().take(16).take_while(|b| b.is_ascii_lowercase()).count();
        rest.get(..n).is_some_and(|w| WORDS.contains(&w))
    };
    let seen = shell::compare::starts(fish);
    bash.unparsed.is_empty()
        && shell::compare::starts(bash).into_iter().any(|s| seen.binary_search(&s).is_err() && !own(s))
}

impl Interp<'_> {
    /// Runs the root text.
    pub(crate) fn root(&mut self, language: Language, bytes: &[u8]) {
        let start = self.sh.clone();
        let doubts = self.graph.doubts.len();
        match language {
            Language::Bash => self.first(language, bytes),
            Language::Sh => {
                self.first(language, bytes);
                let dash = shell::read(bytes, Dialect::POSIX);
                if self.escapes_differ || dash != shell::read(bytes, Dialect::BASH) {
                    self.again(language, &dash, start, true);
                }
            }
            Language::Zsh | Language::Ksh => {
                self.first(language, bytes);
                if self.unreadable(doubts) {
                    self.again(Language::Bash, &shell::read(bytes, Dialect::BASH), start, false);
                }
            }
            Language::Fish => {
                self.first(language, bytes);
                let bash = shell::read(bytes, Dialect::BASH);
                if self.unreadable(doubts) || hides(&crate::syntax::fish::read(bytes), &bash, bytes) {
                    self.again(Language::Bash, &bash, start, false);
                }
            }
            other => {
                let at = Place::new(self.text, Span::new(0, bytes.len()));
                if crate::syntax::foreign(other, bytes).is_some() {
                    let by = self.process("", Vec::new(), at, true);
                    self.script_code(other, bytes, by, at);
                    // Nearly every line of bash can be read as one of these: what it would do there counts, too.
                    self.again(Language::Bash, &shell::read(bytes, Dialect::BASH), start, false);
                } else {
                    // There is no reader for it: as bash reads it, which is how most of its commands are written.
                    self.doubt(DoubtKind::OpaqueCode, other.name().to_string(), at);
                    self.language = Language::Bash;
                    self.first(Language::Bash, bytes);
                    self.language = other;
                }
            }
        }
    }

    fn first(&mut self, language: Language, bytes: &[u8]) {
        let prog = self.read_shell(language, bytes);
        self.statements(&prog);
        self.run_hooks();
        self.run_exit_trap();
        self.end_pending(0);
    }

    /// True where something of the text could not be read since then.
    fn unreadable(&self, doubts: usize) -> bool {
        self.graph
            .doubts
            .iter()
            .skip(doubts)
            .any(|d| matches!(d.kind, DoubtKind::Unparsed | DoubtKind::Unfinished | DoubtKind::Uncovered))
    }

    /// A further reading.
    fn again(&mut self, language: Language, prog: &Program, start: Shell, dash: bool) {
        let marks =
            (self.graph.processes.len(), self.graph.effects.len(), self.graph.programs.len(), self.graph.doubts.len());
        let files = std::mem::take(&mut self.files);
        let named = std::mem::replace(&mut self.language, language);
        self.sh = start;
        self.dialect_options(language);
        self.sh.opts.xpg_echo = dash;
        self.ended = false;
        self.fatal = false;
        let pending = self.pending.len();
        self.conditional(|me| {
            me.statements(prog);
            me.run_hooks();
            me.run_exit_trap();
            me.end_pending(pending);
        });
        self.language = named;
        self.files = files;
        // What it doubts is no doubt of the first reading; that a limit was reached is.
        let limits: Vec<_> =
            self.graph.doubts.split_off(marks.3).into_iter().filter(|d| d.kind == DoubtKind::Limit).collect();
        self.graph.doubts.extend(limits);
        // That includes what it takes for programs: `$x`, `1..3` and cmdlets are none of bash's.
        self.graph.processes.iter_mut().skip(marks.0).for_each(|p| p.known = true);
        if self.same_since(marks.0, marks.1) {
            self.graph.processes.truncate(marks.0);
            self.graph.effects.truncate(marks.1);
            self.graph.programs.truncate(marks.2);
        }
    }

    /// What a shell that has nothing beyond POSIX's language makes of a nested text, where that differs.
    pub(crate) fn also_without_extensions(&mut self, bytes: &[u8], start: Shell) {
        let plain = shell::read(bytes, Dialect::POSIX);
        if self.depth > MAX_REREAD || plain == shell::read(bytes, Dialect::BASH) {
            return;
        }
        // What it prints was printed by the first reading.
        let sinks = start.fds.iter().filter_map(|(_, e)| if let End::Sink(i) = e { Some(*i) } else { None });
        let printed: Vec<(usize, Value)> = sinks.map(|i| (i, self.sinks.get(i).cloned().unwrap_or_default())).collect();
        self.again(Language::Sh, &plain, start, true);
        for (i, v) in printed {
            if let Some(s) = self.sinks.get_mut(i) {
                *s = v;
            }
        }
    }

    /// True where everything that was found since then was found before, one by one.
    fn same_since(&self, processes: usize, effects: usize) -> bool {
        let (a, b) = self.graph.processes.split_at(processes.min(self.graph.processes.len()));
        let (c, d) = self.graph.effects.split_at(effects.min(self.graph.effects.len()));
        let words = |p: &Process| p.argv.iter().map(Value::show).collect::<Vec<_>>();
        // A reading that ends early finds the beginning of what the other found.
        b.len() <= a.len()
            && d.len() <= c.len()
            && a.iter().zip(b).all(|(x, y)| x.argv.len() == y.argv.len() && words(x) == words(y))
            && c.iter().zip(d).all(|(x, y)| x.verb == y.verb)
    }
}
