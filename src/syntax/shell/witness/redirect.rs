//! Redirections, and putting them where the shell has them.

use super::command::single;
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
                    for word in self.words_of(piece) {
                        super::command::push_word(self.text, &mut targets, word);
                    }
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
        let mut item = single(command);
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
        self.add_redirect(command, redirect);
        for word in words {
            self.add_word(command, word);
        }
    }

    /// Adds an argument to a command.
    pub(super) fn add_word(&mut self, command: &mut Command, word: Word) {
        command.span = command.span.to(word.span);
        self.taking(command, word.span, |l, command| {
            command.span = command.span.to(word.span);
            match &mut command.kind {
                CommandKind::Simple(simple) => super::command::push_word(l.text, &mut simple.words, word),
                _ => l.not_lowered(word.span),
            }
        });
    }

    /// Adds a redirection to a command.
    pub(super) fn add_redirect(&mut self, command: &mut Command, redirect: Redirect) {
        command.span = command.span.to(redirect.span);
        self.taking(command, redirect.span, |_, command| add_redirect(command, redirect));
    }

    /// Runs `f` on the command that takes what stands at `at`: the last one in a group that is none of the text's own.
    ///
    /// A newline ends a simple command, yet the grammar joins lines at times (`a | b | c` newline `d && e` has a
    /// command `c d` in its tree). What stands behind the newline begins a command of its own: both are kept in a
    /// group, and the newline is reported.
    pub(super) fn taking(&mut self, command: &mut Command, at: Span, f: impl FnOnce(&mut Self, &mut Command)) {
        let mut command = command;
        // As deep as the groups are nested, which `nest` bounds.
        while own_group(command, self.text) {
            let CommandKind::Group(list) = &mut command.kind else { return };
            let Some(item) = list.items.last_mut() else { return };
            let pipeline = item.rest.last_mut().map_or(&mut item.first, |(_, p)| p);
            let Some(last) = pipeline.stages.last_mut() else { return };
            last.span = last.span.to(at);
            command = last;
        }
        let gap = content_end(command).map(|end| Span { start: end, end: at.start.max(end) });
        let Some(gap) = gap.filter(|gap| ends_line(self.bytes(*gap))) else {
            f(self, command);
            return;
        };
        self.not_lowered(gap);
        let mut second = Command { kind: CommandKind::Simple(Simple::default()), redirects: Vec::new(), span: at };
        f(self, &mut second);
        let span = command.span.to(at);
        let list = List { items: Vec::new(), span, possible: true };
        let group = Command { kind: CommandKind::Group(list), redirects: Vec::new(), span };
        let mut first = std::mem::replace(command, group);
        first.span.end = gap.start;
        if let CommandKind::Group(list) = &mut command.kind {
            list.items.extend([single(first), single(second)]);
        }
    }
}

/// True for a group that lowering has made, not the text.
fn own_group(command: &Command, text: &[u8]) -> bool {
    matches!(&command.kind, CommandKind::Group(list) if list.possible && !list.items.is_empty())
        && !command.span.of(text).starts_with(b"{")
}

/// Where the last word, assignment or redirection of a simple command ends.
fn content_end(command: &Command) -> Option<u32> {
    let CommandKind::Simple(simple) = &command.kind else { return None };
    let words = simple.words.last().map(|w| w.span.end);
    let assignments = simple.assignments.last().map(|a| a.span.end);
    let redirects = command.redirects.last().map(|r| r.span.end);
    words.into_iter().chain(assignments).chain(redirects).max()
}

/// True where a gap holds a newline that no backslash takes away.
fn ends_line(gap: &[u8]) -> bool {
    gap.iter().enumerate().any(|(i, b)| *b == b'\n' && (i == 0 || gap.get(i.saturating_sub(1)) != Some(&b'\\')))
}

/// Adds a redirection to a command; for a function definition it belongs to the body.
fn add_redirect(command: &mut Command, mut redirect: Redirect) {
    command.span = command.span.to(redirect.span);
    match &mut command.kind {
        CommandKind::Function(function) => {
            if let Some(body) = std::rc::Rc::get_mut(&mut function.body) {
                body.span = body.span.to(redirect.span);
                body.redirects.push(redirect);
                return;
            }
        }
        // `{name}>file`, `a 0<$b`: the grammar at times has the descriptor as an argument before the operator.
        CommandKind::Simple(simple) if redirect.fd == RedirectFd::Default => {
            if let Some(name) = simple
                .words
                .last()
                .filter(|w| w.span.end == redirect.span.start)
                .and_then(|w| descriptor(w, redirect.op))
            {
                redirect.fd = name;
                if let Some(word) = simple.words.pop() {
                    redirect.span = word.span.to(redirect.span);
                }
            }
        }
        _ => {}
    }
    command.redirects.push(redirect);
}

fn descriptor(word: &Word, op: RedirectOp) -> Option<RedirectFd> {
    let [Part { kind: PartKind::Literal(text), .. }] = word.parts.as_slice() else { return None };
    let text = std::str::from_utf8(text).ok()?;
    if let Some(name) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        return super::assign::is_name(name).then(|| RedirectFd::Variable(name.into()));
    }
    let takes = !matches!(op, RedirectOp::BothWrite | RedirectOp::BothAppend);
    (takes && text.bytes().all(|b| b.is_ascii_digit())).then_some(())?;
    text.parse().ok().map(RedirectFd::Number)
}
