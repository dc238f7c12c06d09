//! Walks a finished tree to change what was not known while it was read: places (for text that was unescaped before it
//! was read) and here-document bodies (which come after the command they belong to).
//!
//! In: a tree. Out: the same tree, changed. As deep as the tree, which is bounded by [`crate::limits::MAX_DEPTH`].
//! Floor 2.

use crate::source::Span;
use crate::syntax::ast::{
    ArithText, AssignValue, Assignment, Command, CommandKind, Cond, Heredoc, List, ParamOp, Part, PartKind, Pipeline,
    Program, Redirect, Subscript, Word,
};

/// What is done at each place.
trait Change {
    fn span(&mut self, _: &mut Span) {}
    fn redirect(&mut self, _: &mut Redirect) {}
}

struct Map<'r> {
    /// Runs of the read text: where each begins there, and in the outer text.
    runs: &'r [(usize, usize)],
}

impl Map<'_> {
    fn place(&self, at: usize) -> usize {
        let n = self.runs.partition_point(|r| r.0 <= at);
        let (from, to) = n.checked_sub(1).and_then(|i| self.runs.get(i)).copied().unwrap_or((0, 0));
        to + at.saturating_sub(from)
    }
}

impl Change for Map<'_> {
    fn span(&mut self, span: &mut Span) {
        let start = self.place(span.start as usize);
        // The end goes with the last byte, so that what stands between two runs belongs to neither.
        let end = if span.is_empty() { start } else { self.place(span.end as usize - 1) + 1 };
        *span = Span::new(start, end);
    }
}

struct Fill<'b> {
    bodies: &'b mut [Option<Heredoc>],
}

impl Change for Fill<'_> {
    fn redirect(&mut self, redirect: &mut Redirect) {
        if let Some(h) = &mut redirect.heredoc
            && h.span.end == u32::MAX
            && let Some(body) = self.bodies.get_mut(h.span.start as usize).and_then(Option::take)
        {
            *h = body;
        }
    }
}

/// Moves every place of a program by the runs.
pub(super) fn map_program(program: &mut Program, runs: &[(usize, usize)]) {
    walk_program(program, &mut Map { runs });
}

/// Moves every place of some parts by the runs.
pub(super) fn map_parts(parts: &mut [Part], runs: &[(usize, usize)]) {
    walk_parts(parts, &mut Map { runs });
}

/// Puts here-document bodies in their places.
pub(super) fn fill_list(list: &mut List, bodies: &mut [Option<Heredoc>]) {
    walk_list(list, &mut Fill { bodies });
}

/// Puts here-document bodies in their places.
pub(super) fn fill_parts(parts: &mut [Part], bodies: &mut [Option<Heredoc>]) {
    walk_parts(parts, &mut Fill { bodies });
}

fn walk_program(p: &mut Program, c: &mut impl Change) {
    c.span(&mut p.span);
    p.comments.iter_mut().for_each(|s| c.span(s));
    p.unparsed.iter_mut().for_each(|u| c.span(&mut u.span));
    p.lists.iter_mut().for_each(|l| walk_list(l, c));
}

fn walk_list(l: &mut List, c: &mut impl Change) {
    c.span(&mut l.span);
    for item in &mut l.items {
        c.span(&mut item.span);
        walk_pipeline(&mut item.first, c);
        item.rest.iter_mut().for_each(|(_, p)| walk_pipeline(p, c));
    }
}

fn walk_pipeline(p: &mut Pipeline, c: &mut impl Change) {
    c.span(&mut p.span);
    p.timed.iter_mut().for_each(|s| c.span(s));
    p.stages.iter_mut().for_each(|s| walk_command(s, c));
}

fn walk_command(command: &mut Command, c: &mut impl Change) {
    c.span(&mut command.span);
    for r in &mut command.redirects {
        c.redirect(r);
        c.span(&mut r.span);
        walk_word(&mut r.target, c);
        if let Some(h) = &mut r.heredoc {
            c.span(&mut h.span);
            walk_parts(&mut h.parts, c);
        }
    }
    match &mut command.kind {
        CommandKind::Simple(s) => {
            s.assignments.iter_mut().for_each(|a| walk_assignment(a, c));
            s.words.iter_mut().for_each(|w| walk_word(w, c));
        }
        CommandKind::Subshell(l) | CommandKind::Group(l) => walk_list(l, c),
        CommandKind::If(i) => {
            for (condition, body) in &mut i.branches {
                walk_list(condition, c);
                walk_list(body, c);
            }
            i.otherwise.iter_mut().for_each(|l| walk_list(l, c));
        }
        CommandKind::For(f) | CommandKind::Select(f) => {
            f.words.iter_mut().flatten().for_each(|w| walk_word(w, c));
            walk_list(&mut f.body, c);
        }
        CommandKind::ArithFor(f) => {
            walk_arith(&mut f.init, c);
            walk_arith(&mut f.test, c);
            walk_arith(&mut f.step, c);
            walk_list(&mut f.body, c);
        }
        CommandKind::Loop(l) => {
            walk_list(&mut l.condition, c);
            walk_list(&mut l.body, c);
        }
        CommandKind::Case(k) => {
            walk_word(&mut k.word, c);
            for arm in &mut k.arms {
                arm.patterns.iter_mut().for_each(|w| walk_word(w, c));
                walk_list(&mut arm.body, c);
            }
        }
        CommandKind::Function(f) => {
            // Nobody else holds the body while the tree is being built.
            if let Some(body) = std::rc::Rc::get_mut(&mut f.body) {
                walk_command(body, c);
            }
        }
        CommandKind::Coproc(p) => walk_command(&mut p.body, c),
        CommandKind::Cond(e) => walk_cond(e, c),
        CommandKind::Arith(a) => walk_arith(a, c),
    }
}

fn walk_cond(e: &mut Cond, c: &mut impl Change) {
    match e {
        Cond::Not(a) | Cond::Group(a) => walk_cond(a, c),
        Cond::And(a, b) | Cond::Or(a, b) => {
            walk_cond(a, c);
            walk_cond(b, c);
        }
        Cond::Unary(_, w) | Cond::Word(w) => walk_word(w, c),
        Cond::Binary(_, a, b) => {
            walk_word(a, c);
            walk_word(b, c);
        }
    }
}

fn walk_assignment(a: &mut Assignment, c: &mut impl Change) {
    c.span(&mut a.span);
    a.subscript.iter_mut().for_each(|s| walk_arith(s, c));
    match &mut a.value {
        AssignValue::Word(w) => walk_word(w, c),
        AssignValue::Array(elements) => {
            for e in elements {
                e.subscript.iter_mut().for_each(|s| walk_arith(s, c));
                walk_word(&mut e.value, c);
            }
        }
    }
}

fn walk_word(w: &mut Word, c: &mut impl Change) {
    c.span(&mut w.span);
    walk_parts(&mut w.parts, c);
    if let Some(a) = &mut w.assignment {
        walk_assignment(a, c);
    }
}

fn walk_arith(a: &mut ArithText, c: &mut impl Change) {
    c.span(&mut a.span);
    walk_parts(&mut a.parts, c);
}

fn walk_parts(parts: &mut [Part], c: &mut impl Change) {
    for part in parts {
        c.span(&mut part.span);
        match &mut part.kind {
            PartKind::Double(p) | PartKind::Locale(p) | PartKind::GlobBracket(p) => walk_parts(p, c),
            PartKind::Braces(a) | PartKind::ExtGlob(_, a) => a.iter_mut().for_each(|p| walk_parts(p, c)),
            PartKind::Command(p)
            | PartKind::Backquote(p)
            | PartKind::ProcessIn(p)
            | PartKind::ProcessOut(p)
            | PartKind::ProcessFile(p) => walk_program(p, c),
            PartKind::Arith(a) => walk_arith(a, c),
            PartKind::Param(p) => {
                if let Some(Subscript::Index(a)) = &mut p.subscript {
                    walk_arith(a, c);
                }
                match &mut p.op {
                    ParamOp::Default(_, w)
                    | ParamOp::Assign(_, w)
                    | ParamOp::Error(_, w)
                    | ParamOp::Alternative(_, w)
                    | ParamOp::RemovePrefix(_, w)
                    | ParamOp::RemoveSuffix(_, w)
                    | ParamOp::Case(_, _, w) => walk_word(w, c),
                    ParamOp::Replace(_, a, b) => {
                        walk_word(a, c);
                        b.iter_mut().for_each(|w| walk_word(w, c));
                    }
                    ParamOp::Substring(a, b) => {
                        walk_arith(a, c);
                        b.iter_mut().for_each(|a| walk_arith(a, c));
                    }
                    ParamOp::Other(p) => walk_parts(p, c),
                    ParamOp::None | ParamOp::Length | ParamOp::Transform(_) | ParamOp::Names(_) | ParamOp::Keys(_) => {}
                }
            }
            PartKind::Literal(_)
            | PartKind::Escaped(_)
            | PartKind::Single(_)
            | PartKind::AnsiC(_)
            | PartKind::BraceRange(..)
            | PartKind::Tilde(_)
            | PartKind::GlobStar
            | PartKind::GlobQuestion => {}
        }
    }
}
