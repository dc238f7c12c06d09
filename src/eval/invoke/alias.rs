//! Aliases: a first word that stands for other text, which is read anew.
//!
//! In: a simple command and the shell's aliases. Out: what is run instead, or nothing where no alias takes effect.

use super::super::nested::Env;
use super::super::{Flow, Interp};
use crate::command::Invocation;
use crate::effect::graph::Reach;
use crate::effect::{Certainty, Language};
use crate::source::Place;
use crate::syntax::ast::{Command, CommandKind, Simple};
use crate::value::{Taint, Value};

impl Interp<'_> {
    /// A command whose word is an alias for certain: the text that the alias stands for takes the place of the word
    /// before anything is read, so it may even open a loop that the words after it close.
    pub(super) fn alias_text(&mut self, s: &Simple, c: &Command) -> Option<Flow> {
        if self.sh.aliases.is_empty() || !s.assignments.is_empty() || !self.expands_aliases() {
            return None;
        }
        let name = |w: &crate::syntax::ast::Word| {
            if w.is_quoted() { None } else { w.literal().and_then(|b| String::from_utf8(b).ok()) }
        };
        let first = s.words.first()?;
        let word = name(first)?;
        let active = format!("alias {word}");
        let moved = |r: &crate::syntax::ast::Redirect| r.heredoc.is_some() || r.span.start < first.span.start;
        let mut text = self.sh.aliases.get(&word)?.clone();
        if self.calls.contains(&active) || self.calls.len() >= 32 || c.redirects.iter().any(moved) {
            return None;
        }
        let mut end = first.span.end;
        // After an alias that ends in a blank the next word is looked up, too.
        for w in s.words.iter().skip(1).take(32) {
            let blank = text.as_literal().is_some_and(|b| matches!(b.last(), Some(b' ' | b'\t')));
            let Some(more) = name(w).filter(|_| blank).and_then(|n| self.sh.aliases.get(&n)) else { break };
            text.push(more.clone());
            end = w.span.end;
        }
        let rest = crate::source::Span { start: end, end: c.span.end.max(end) };
        let at = self.at(c.span);
        let bytes = self.source.bytes(self.text);
        let tail = rest.of(&bytes);
        if tail.contains(&super::super::expand::MARK_OPEN) {
            let tail = tail.to_vec();
            self.unmark(&tail, self.at(rest), false, &mut text);
        } else {
            text.push(Value::literal(tail, self.at(rest)));
        }
        self.calls.push(active);
        let by = self.process(&word, Vec::new(), at, true);
        let (_, flow) = self.evaluate(self.language, text, Reach::Deferred, by, at, Env::Current(None));
        self.calls.pop();
        Some(flow)
    }

    pub(super) fn expands_aliases(&self) -> bool {
        self.interactive || self.sh.opts.expand_aliases || self.language == Language::Sh
    }

    pub(super) fn alias_or_run(
        &mut self,
        argv: Vec<Value>,
        at: Place,
        redirects: &[crate::syntax::ast::Redirect],
        env: &[(String, Value, Place)],
        c: &Command,
    ) -> Flow {
        let plain = matches!(&c.kind, CommandKind::Simple(s) if s.words.first().is_some_and(|w| w.literal().is_some() && !w.is_quoted()));
        if !self.sh.aliases.is_empty()
            && plain
            && let Some(name) = argv.first().and_then(|v| v.as_str().map(|s| s.into_owned()))
            && let Some(body) = self.sh.aliases.get(&name).cloned()
            && self.calls.len() < 32
            && !self.calls.contains(&format!("alias {name}"))
        {
            // What the alias stands for, with the words that follow it, in place of the command. A script does not
            // expand aliases unless it is told to, so there it is only possible.
            let mut text = body;
            // After an alias that ends in a blank the next word is looked up, too.
            let mut rest = argv.get(1..).unwrap_or(&[]);
            let mut turns = 0u32;
            while text.as_literal().is_some_and(|b| matches!(b.last(), Some(b' ' | b'\t')))
                && let Some((next, more)) = rest.split_first()
                && let Some(body) = next.as_str().and_then(|n| self.sh.aliases.get(n.as_ref()))
                && turns < 32
            {
                text.push(body.clone());
                rest = more;
                turns = turns.saturating_add(1);
            }
            for w in rest {
                text.push(Value::computed(b" ", at, Taint::default()));
                let quoted = match w.as_literal() {
                    Some(b) => Value::computed(&crate::value::quote::shell_quote(&b), w.place(), w.taint()),
                    None => w.clone(),
                };
                text.push(quoted);
            }
            self.calls.push(format!("alias {name}"));
            let certain = self.expands_aliases();
            // The name itself is run, if at all, as a command of its own.
            let by = self.process(&name, Vec::new(), at, true);
            let saved = self.certainty;
            if !certain {
                self.certainty = Certainty::Possible;
            }
            let env_kind = if certain { Env::Current(None) } else { Env::Subshell(None) };
            let fds = self.redirect_all(redirects, at.span, Some(by));
            let (_, flow) = self.evaluate(self.language, text, Reach::Deferred, by, at, env_kind);
            self.restore_fds(fds);
            self.certainty = saved;
            self.calls.pop();
            if certain {
                return flow;
            }
        }
        self.run_words(argv, at, Some(redirects), env, true)
    }

    /// `Set-Alias NAME VALUE`: the script that runs it has another name for a command.
    pub(super) fn set_alias(&mut self, inv: &Invocation) {
        let mut left = inv.operands.iter();
        let mut given = |option: &str| inv.value_of(option).or_else(|| left.next()).cloned();
        if let (Some(name), Some(value), Some(run)) = (given("-Name"), given("-Value"), self.evaluating.as_mut())
            && let Some(name) = name.as_str()
        {
            run.set_alias(&name, value);
        }
    }
}
