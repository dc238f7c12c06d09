//! Redirections, and putting them where the shell has them.

use super::{Kid, Lowering, kids};
use crate::source::Span;
use crate::syntax::ast::{
    AndOr, Command, CommandKind, List, Part, PartKind, Redirect, RedirectFd, RedirectOp, Simple, Word,
};

/// A redirection and the words behind its target, which the grammar counts as further targets
/// (`rm </dev/null -rf ~`): they are arguments.
pub(super) struct Lowered {
    pub(super) redirect: Redirect,
    pub(super) words: Vec<Word>,
}

impl<'t> Lowering<'t> {
    /// `file_redirect` or `herestring_redirect`.
    pub(super) fn redirect(&mut self, kid: Kid<'t>) -> Option<Lowered> {
        let (mut fd, mut op, mut targets) = (RedirectFd::Default, None, Vec::new());
        let mut span = kid.span;
        for piece in kids(kid.node) {
            let close = Span { start: piece.span.end.saturating_sub(1), end: piece.span.end };
            match piece.kind {
                "file_descriptor" => fd = self.descriptor(piece.span),
                "<" => op = Some(RedirectOp::Read),
                ">" => op = Some(RedirectOp::Write),
                ">|" => op = Some(RedirectOp::Clobber),
                ">>" => op = Some(RedirectOp::Append),
                "<>" => op = Some(RedirectOp::ReadWrite),
                "<&" => op = Some(RedirectOp::DupIn),
                ">&" => op = Some(RedirectOp::DupOut),
                "&>" => op = Some(RedirectOp::BothWrite),
                "&>>" => op = Some(RedirectOp::BothAppend),
                "<<<" => op = Some(RedirectOp::HereString),
                "<&-" | ">&-" => {
                    op = Some(if piece.kind == "<&-" { RedirectOp::DupIn } else { RedirectOp::DupOut });
                    let parts = vec![Part { kind: PartKind::Literal(b"-".as_slice().into()), span: close }];
                    targets.push(Word { parts, span: close, assignment: None });
                }
                _ if piece.node.is_named() && !piece.node.is_error() => {
                    let word = self.word(piece);
                    super::command::push_word(self.text, &mut targets, word);
                }
                "ERROR" => {}
                _ => self.not_lowered(piece.span),
            }
        }
        let mut targets = targets.into_iter();
        let (Some(op), Some(target)) = (op, targets.next()) else {
            self.not_lowered(kid.span);
            return None;
        };
        span.end = target.span.end.max(span.start);
        Some(Lowered { redirect: Redirect { fd, op, target, heredoc: None, span }, words: targets.collect() })
    }

    /// `$(<file)`: a command that is nothing but a redirection.
    pub(super) fn only_redirect(&mut self, kid: Kid<'t>) -> Option<List> {
        let command = Command { kind: CommandKind::Simple(Simple::default()), redirects: Vec::new(), span: kid.span };
        let mut item = super::command::single(command);
        let lowered = self.redirect(kid)?;
        self.attach(&mut item, lowered);
        Some(List { span: item.span, items: vec![item], possible: false })
    }

    pub(super) fn descriptor(&mut self, at: Span) -> RedirectFd {
        match std::str::from_utf8(self.bytes(at)).ok().and_then(|s| s.parse().ok()) {
            Some(n) => RedirectFd::Number(n),
            None => {
                self.not_lowered(at);
                RedirectFd::Default
            }
        }
    }

    /// Puts a redirection onto the last command of a list: without brackets, that is whose it is.
    pub(super) fn attach(&mut self, list: &mut AndOr, lowered: Lowered) {
        let Lowered { redirect, words } = lowered;
        list.span = list.span.to(redirect.span);
        let pipeline = list.rest.last_mut().map_or(&mut list.first, |(_, p)| p);
        pipeline.span = pipeline.span.to(redirect.span);
        let Some(command) = pipeline.stages.last_mut() else {
            self.not_lowered(redirect.span);
            return;
        };
        add_redirect(command, redirect);
        for word in words {
            self.add_word(command, word);
        }
    }

    /// Adds an argument to a command.
    pub(super) fn add_word(&mut self, command: &mut Command, word: Word) {
        command.span = command.span.to(word.span);
        match &mut command.kind {
            CommandKind::Simple(simple) => super::command::push_word(self.text, &mut simple.words, word),
            _ => self.not_lowered(word.span),
        }
    }
}

/// Adds a redirection to a command; for a function definition it belongs to the body.
pub(super) fn add_redirect(command: &mut Command, mut redirect: Redirect) {
    command.span = command.span.to(redirect.span);
    match &mut command.kind {
        CommandKind::Function(function) => {
            if let Some(body) = std::rc::Rc::get_mut(&mut function.body) {
                body.span = body.span.to(redirect.span);
                body.redirects.push(redirect);
                return;
            }
        }
        // `{name}>file`: the grammar has the braces as an argument before the operator.
        CommandKind::Simple(simple) if redirect.fd == RedirectFd::Default => {
            if let Some(name) = simple.words.last().filter(|w| w.span.end == redirect.span.start).and_then(variable) {
                redirect.fd = RedirectFd::Variable(name);
                if let Some(word) = simple.words.pop() {
                    redirect.span = word.span.to(redirect.span);
                }
            }
        }
        _ => {}
    }
    command.redirects.push(redirect);
}

fn variable(word: &Word) -> Option<String> {
    let [Part { kind: PartKind::Literal(text), .. }] = word.parts.as_slice() else { return None };
    let name = text.strip_prefix(b"{")?.strip_suffix(b"}")?;
    let first = name.first()?;
    let good = !first.is_ascii_digit() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    good.then(|| name.iter().map(|&b| b as char).collect())
}
