//! Statements, pipelines and simple commands.

use super::assign::{assignment_word, is_name};
use super::redirect::Lowered;
use super::{Kid, Lowering, kids, push_double, push_literal};
use crate::source::Span;
use crate::syntax::ast::{AndOr, AndOrOp, Command, CommandKind, List, Part, PartKind, Pipeline, Simple, Word};

impl<'t> Lowering<'t> {
    /// Statements with their terminators: one list a line. Tokens that the caller has dealt with must not be among
    /// them.
    pub(super) fn statements(&mut self, pieces: &[Kid<'t>]) -> Vec<List> {
        let mut lists = Vec::new();
        let mut items: Vec<AndOr> = Vec::new();
        let flush = |items: &mut Vec<AndOr>, lists: &mut Vec<List>, possible: bool| {
            if let (Some(first), Some(last)) = (items.first(), items.last()) {
                let span = first.span.to(last.span);
                lists.push(List { items: std::mem::take(items), span, possible });
            }
        };
        let mut end = pieces.first().map_or(0, |k| k.span.start);
        for kid in pieces {
            // The newline that ends a statement has no node.
            if (Span { start: end, end: kid.span.start.max(end) }).of(self.text).contains(&b'\n') {
                flush(&mut items, &mut lists, false);
            }
            end = kid.span.end;
            match kid.kind {
                ";" => {}
                "&" => {
                    if let Some(item) = items.last_mut() {
                        item.background = true;
                    }
                }
                ";;" => self.not_lowered(kid.span),
                // What the grammar recognised inside a broken region may be there.
                "ERROR" => {
                    flush(&mut items, &mut lists, false);
                    let inner: Vec<Kid<'t>> = kids(kid.node).into_iter().filter(|k| is_statement(k.kind)).collect();
                    for mut list in self.nest(kid.span, |l| l.statements(&inner)).unwrap_or_default() {
                        list.possible = true;
                        lists.push(list);
                    }
                }
                _ => {
                    if let Some(Some(item)) = self.nest(kid.span, |l| l.and_or(*kid)) {
                        items.push(item);
                    }
                }
            }
        }
        flush(&mut items, &mut lists, false);
        lists
    }

    /// The statements of a body as one list.
    pub(super) fn body(&mut self, pieces: &[Kid<'t>], at: Span) -> List {
        let mut all = List { items: Vec::new(), span: at, possible: false };
        for list in self.statements(pieces) {
            all.possible |= list.possible;
            all.items.extend(list.items);
        }
        if let (Some(first), Some(last)) = (all.items.first(), all.items.last()) {
            all.span = first.span.to(last.span);
        }
        all
    }

    /// A statement as an and-or list.
    pub(super) fn and_or(&mut self, kid: Kid<'t>) -> Option<AndOr> {
        match kid.kind {
            "list" => self.list(kid),
            "pipeline" => self.piped(kid),
            "redirected_statement" => self.redirected(kid),
            _ => {
                let first = self.pipeline(kid)?;
                Some(AndOr { span: first.span, first, rest: Vec::new(), background: false })
            }
        }
    }

    /// `a && b || c …` leans to the left in the tree: walked down in a loop.
    fn list(&mut self, kid: Kid<'t>) -> Option<AndOr> {
        let mut rights: Vec<(AndOrOp, Kid<'t>)> = Vec::new();
        let mut at = kid;
        while at.kind == "list" {
            let (mut left, mut op, mut right) = (None, AndOrOp::And, None);
            for piece in kids(at.node) {
                match piece.kind {
                    "&&" => op = AndOrOp::And,
                    "||" => op = AndOrOp::Or,
                    "ERROR" => {}
                    _ if left.is_none() => left = Some(piece),
                    _ if right.is_none() => right = Some(piece),
                    _ => self.not_lowered(piece.span),
                }
            }
            if let Some(right) = right {
                rights.push((op, right));
            }
            match left {
                Some(left) => at = left,
                None => {
                    self.not_lowered(at.span);
                    return None;
                }
            }
        }
        let mut list = self.nest(at.span, |l| l.and_or(at)).flatten();
        while let Some((op, kid)) = rights.pop() {
            let Some(Some(right)) = self.nest(kid.span, |l| l.and_or(kid)) else { continue };
            match &mut list {
                Some(list) => {
                    list.span = list.span.to(right.span);
                    list.rest.push((op, right.first));
                    list.rest.extend(right.rest);
                }
                None => list = Some(right),
            }
        }
        list
    }

    fn redirected(&mut self, kid: Kid<'t>) -> Option<AndOr> {
        let pieces = kids(kid.node);
        let body = pieces.iter().find(|k| k.is("body"));
        let mut list = match body {
            Some(body) => self.nest(body.span, |l| l.and_or(*body)).flatten()?,
            None => {
                single(Command { kind: CommandKind::Simple(Simple::default()), redirects: Vec::new(), span: kid.span })
            }
        };
        let mut end = pieces.first().map_or(0, |k| k.span.start);
        for piece in &pieces {
            let gap = Span { start: end, end: piece.span.start.max(end) };
            self.skipped_word(&mut list, gap);
            end = piece.span.end;
            match piece.kind {
                "file_redirect" | "herestring_redirect" => {
                    if let Some(lowered) = self.redirect(*piece) {
                        self.attach(&mut list, lowered);
                    }
                }
                "heredoc_redirect" => self.attach_heredoc(&mut list, *piece),
                "ERROR" => {}
                _ if piece.is("body") => {}
                _ => self.not_lowered(piece.span),
            }
        }
        Some(list)
    }

    /// The grammar's scanner skips a lone `-` before `<<` (`python3 - <<E`): no token covers it.
    fn skipped_word(&mut self, list: &mut AndOr, gap: Span) {
        let text = self.bytes(gap);
        let Some(at) = text.iter().position(|b| *b == b'-') else { return };
        if text.iter().all(|b| matches!(b, b' ' | b'\t' | b'-')) && text.iter().filter(|b| **b == b'-').count() == 1 {
            let start = (gap.start as usize).saturating_add(at);
            let span = Span::new(start, start.saturating_add(1));
            let parts = vec![Part { kind: PartKind::Literal(b"-".as_slice().into()), span }];
            let pipeline = list.rest.last_mut().map_or(&mut list.first, |(_, p)| p);
            if let Some(command) = pipeline.stages.last_mut() {
                self.add_word(command, Word { parts, span, assignment: None });
                self.recovered.insert(gap);
            }
        }
    }

    /// `a | b`. A stage may be a whole list in the tree (`a && b <c | d` has `a && b` as its first stage): the bars join
    /// what stands next to them.
    fn piped(&mut self, kid: Kid<'t>) -> Option<AndOr> {
        let mut all: Option<AndOr> = None;
        let mut stderr = false;
        for piece in kids(kid.node) {
            match piece.kind {
                "|" => stderr = false,
                "|&" => stderr = true,
                "ERROR" => {}
                _ => {
                    let Some(Some(next)) = self.nest(piece.span, |l| l.and_or(piece)) else { continue };
                    match &mut all {
                        None => all = Some(next),
                        Some(all) => pipe(all, stderr, next),
                    }
                }
            }
        }
        all
    }

    fn pipeline(&mut self, kid: Kid<'t>) -> Option<Pipeline> {
        match kid.kind {
            "negated_command" => {
                let inner = kids(kid.node).into_iter().find(|k| k.node.is_named())?;
                let mut pipeline = self.nest(inner.span, |l| l.stages(inner)).flatten()?;
                pipeline.negated = !pipeline.negated;
                pipeline.span = kid.span;
                Some(pipeline)
            }
            _ => {
                let command = self.command(kid)?;
                let mut list = single(command);
                self.reserved(&mut list.first);
                Some(list.first)
            }
        }
    }

    /// A node that stands for one or more stages of a pipeline. An and-or list there is more than a pipeline can hold
    /// and is kept together as a group.
    fn stages(&mut self, kid: Kid<'t>) -> Option<Pipeline> {
        let list = self.and_or(kid)?;
        if list.rest.is_empty() {
            return Some(list.first);
        }
        let span = list.span;
        let group = List { items: vec![list], span, possible: true };
        Some(single(Command { kind: CommandKind::Group(group), redirects: Vec::new(), span }).first)
    }

    fn command(&mut self, kid: Kid<'t>) -> Option<Command> {
        match kid.kind {
            "command" | "declaration_command" | "unset_command" | "variable_assignments" => {
                Some(self.simple(kid.span, &kids(kid.node), kid.kind == "declaration_command"))
            }
            "variable_assignment" => Some(self.simple(kid.span, &[kid], false)),
            _ => self.compound(kid),
        }
    }

    fn simple(&mut self, at: Span, pieces: &[Kid<'t>], declaration: bool) -> Command {
        let mut command = Command { kind: CommandKind::Simple(Simple::default()), redirects: Vec::new(), span: at };
        for piece in pieces.iter().copied() {
            match piece.kind {
                "variable_assignment" => {
                    let Some(assignment) = self.assignment(piece) else { continue };
                    if declaration || !is_name(&assignment.name) {
                        let mut word = assignment_word(assignment, self.text);
                        // `1a=b` is a word.
                        word.assignment = word.assignment.filter(|a| is_name(&a.name));
                        self.add_word(&mut command, word);
                        continue;
                    }
                    self.taking(&mut command, piece.span, |_, command| {
                        if let CommandKind::Simple(simple) = &mut command.kind {
                            simple.assignments.push(assignment);
                        }
                    });
                }
                "file_redirect" | "herestring_redirect" => {
                    if let Some(Lowered { redirect, words }) = self.redirect(piece) {
                        self.add_redirect(&mut command, redirect);
                        for word in words {
                            self.add_word(&mut command, word);
                        }
                    }
                }
                "command_name" => {
                    for name in kids(piece.node) {
                        for word in self.words_of(name) {
                            self.add_word(&mut command, word);
                        }
                    }
                }
                // `name (…)`: the grammar reads `time (…)` so.
                "subshell" => {
                    if let Some(Some(inner)) = self.nest(piece.span, |l| l.compound(piece)) {
                        return self.prefixed(command, inner);
                    }
                }
                "ERROR" => {}
                _ if piece.node.is_named() || matches!(piece.kind, "$" | "==" | "=~") => {
                    for word in self.words_of(piece) {
                        self.add_word(&mut command, word);
                    }
                }
                "declare" | "typeset" | "export" | "readonly" | "local" | "unset" | "unsetenv" => {
                    let mut parts = Vec::new();
                    push_literal(&mut parts, self.bytes(piece.span), piece.span);
                    self.add_word(&mut command, Word { parts, span: piece.span, assignment: None });
                }
                _ => self.not_lowered(piece.span),
            }
        }
        command
    }

    /// A command word followed by a subshell. The word is kept before it, as a pipeline of its own would be, if it is
    /// the reserved word `time`; any other is no command of the shell.
    fn prefixed(&mut self, before: Command, inner: Command) -> Command {
        if let CommandKind::Simple(simple) = &before.kind
            && let [word] = simple.words.as_slice()
            && word.literal().as_deref() == Some(b"time")
        {
            return inner;
        }
        self.not_lowered(before.span);
        let span = before.span.to(inner.span);
        let items = [before, inner].into_iter().map(single).collect();
        Command { kind: CommandKind::Group(List { items, span, possible: true }), redirects: Vec::new(), span }
    }
}

/// Joins a list to the last pipeline of another.
pub(super) fn pipe(list: &mut AndOr, stderr: bool, next: AndOr) {
    list.span = list.span.to(next.span);
    let pipeline = list.rest.last_mut().map_or(&mut list.first, |(_, p)| p);
    pipeline.span = pipeline.span.to(next.first.span);
    if !pipeline.stages.is_empty() && !next.first.stages.is_empty() {
        pipeline.pipe_stderr.push(stderr);
    }
    pipeline.pipe_stderr.extend(next.first.pipe_stderr);
    pipeline.stages.extend(next.first.stages);
    list.rest.extend(next.rest);
}

/// A list of one command.
pub(super) fn single(command: Command) -> AndOr {
    let span = command.span;
    let first = Pipeline { negated: false, timed: None, stages: vec![command], pipe_stderr: Vec::new(), span };
    AndOr { first, rest: Vec::new(), background: false, span }
}

/// Adds a word; joins it to the one before where only line continuations, or nothing, stand between them
/// (`/etc/pa\` newline `sswd`, `a<(b)`).
pub(super) fn push_word(text: &[u8], words: &mut Vec<Word>, mut word: Word) {
    word.parts = super::braces::expand(word.parts);
    if let Some(last) = words.last_mut()
        && last.span.end <= word.span.start
        && last.assignment.is_none()
        && (Span { start: last.span.end, end: word.span.start }).of(text).chunks(2).all(|c| c == b"\\\n")
    {
        last.span = last.span.to(word.span);
        let dollar = matches!(last.parts.last(), Some(Part { kind: PartKind::Literal(t), .. }) if t.ends_with(b"$"));
        for part in word.parts {
            match part.kind {
                PartKind::Literal(bytes) => push_literal(&mut last.parts, &bytes, part.span),
                PartKind::Double(inner) => push_double(&mut last.parts, inner, part.span),
                _ => last.parts.push(part),
            }
        }
        if dollar {
            last.parts = super::text::parameters(std::mem::take(&mut last.parts));
        }
        return;
    }
    words.push(word);
}

/// The kinds that stand for statements.
pub(super) fn is_statement(kind: &str) -> bool {
    matches!(
        kind,
        "redirected_statement"
            | "variable_assignment"
            | "variable_assignments"
            | "command"
            | "declaration_command"
            | "unset_command"
            | "test_command"
            | "negated_command"
            | "for_statement"
            | "c_style_for_statement"
            | "while_statement"
            | "if_statement"
            | "case_statement"
            | "pipeline"
            | "list"
            | "compound_statement"
            | "function_definition"
            | "subshell"
    )
}
