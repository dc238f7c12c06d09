//! A program → all simple commands in it, in the order of their first bytes.
//!
//! The tree is no deeper than [`crate::limits::MAX_DEPTH`] (a promise of both readers), so this may recurse.

use crate::source::Span;
use crate::syntax::ast::*;

/// A simple command, or the redirections of a compound one.
pub(super) struct Entry<'a> {
    /// First byte of the first word, assignment or redirection.
    pub(super) start: u32,
    pub(super) span: Span,
    pub(super) command: &'a Command,
    /// The pipeline that begins with the command, where it has more stages.
    pub(super) pipeline: Option<&'a Pipeline>,
}

impl Entry<'_> {
    /// One past the last byte of the command and of its here-documents.
    pub(super) fn end(&self) -> u32 {
        let bodies = self.command.redirects.iter().filter_map(|r| r.heredoc.as_ref()).map(|h| h.span.end);
        bodies.max().unwrap_or(0).max(self.span.end)
    }
}

/// The commands of a program, sorted.
pub(super) fn commands(program: &Program) -> Vec<Entry<'_>> {
    let mut walk = Walk { out: Vec::new() };
    walk.program(program);
    walk.out.sort_by_key(|e| e.start);
    walk.out
}

struct Walk<'a> {
    out: Vec<Entry<'a>>,
}

impl<'a> Walk<'a> {
    fn program(&mut self, program: &'a Program) {
        program.lists.iter().for_each(|l| self.list(l));
    }

    fn list(&mut self, list: &'a List) {
        for item in &list.items {
            self.pipeline(&item.first);
            item.rest.iter().for_each(|(_, p)| self.pipeline(p));
        }
    }

    fn pipeline(&mut self, pipeline: &'a Pipeline) {
        let mut whole = (pipeline.stages.len() > 1).then_some(pipeline);
        pipeline.stages.iter().for_each(|c| self.command(c, whole.take()));
    }

    fn command(&mut self, command: &'a Command, pipeline: Option<&'a Pipeline>) {
        let simple = match &command.kind {
            CommandKind::Simple(simple) => Some(simple),
            _ => None,
        };
        let starts = simple
            .into_iter()
            .flat_map(|s| s.assignments.iter().map(|a| a.span).chain(s.words.first().map(|w| w.span)))
            .chain(command.redirects.iter().map(|r| r.span))
            .map(|s| s.start);
        if let Some(start) = starts.min() {
            self.out.push(Entry { start, span: command.span, command, pipeline });
        }
        match &command.kind {
            CommandKind::Simple(simple) => {
                simple.assignments.iter().for_each(|a| self.assignment(a));
                simple.words.iter().for_each(|w| self.word(w));
            }
            CommandKind::Subshell(list) | CommandKind::Group(list) => self.list(list),
            CommandKind::If(all) => {
                for (condition, body) in &all.branches {
                    self.list(condition);
                    self.list(body);
                }
                all.otherwise.iter().for_each(|l| self.list(l));
            }
            CommandKind::For(all) | CommandKind::Select(all) => {
                all.words.iter().flatten().for_each(|w| self.word(w));
                self.list(&all.body);
            }
            CommandKind::ArithFor(all) => {
                [&all.init, &all.test, &all.step].into_iter().for_each(|a| self.parts(&a.parts));
                self.list(&all.body);
            }
            CommandKind::Loop(all) => {
                self.list(&all.condition);
                self.list(&all.body);
            }
            CommandKind::Case(all) => {
                self.word(&all.word);
                for arm in &all.arms {
                    arm.patterns.iter().for_each(|w| self.word(w));
                    self.list(&arm.body);
                }
            }
            CommandKind::Function(all) => self.command(&all.body, None),
            CommandKind::Coproc(all) => self.command(&all.body, None),
            CommandKind::Cond(cond) => self.cond(cond),
            CommandKind::Arith(text) => self.parts(&text.parts),
        }
        for redirect in &command.redirects {
            self.word(&redirect.target);
            redirect.heredoc.iter().for_each(|h| self.parts(&h.parts));
        }
    }

    fn cond(&mut self, cond: &'a Cond) {
        match cond {
            Cond::Not(a) | Cond::Group(a) => self.cond(a),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.cond(a);
                self.cond(b);
            }
            Cond::Unary(_, w) | Cond::Word(w) => self.word(w),
            Cond::Binary(_, a, b) => {
                self.word(a);
                self.word(b);
            }
        }
    }

    fn assignment(&mut self, assignment: &'a Assignment) {
        assignment.subscript.iter().for_each(|s| self.parts(&s.parts));
        match &assignment.value {
            AssignValue::Word(word) => self.word(word),
            AssignValue::Array(elements) => {
                for element in elements {
                    element.subscript.iter().for_each(|s| self.parts(&s.parts));
                    self.word(&element.value);
                }
            }
        }
    }

    fn word(&mut self, word: &'a Word) {
        // The parts and the assignment are two views of one text; an array's commands are in the assignment only.
        match &word.assignment {
            Some(assignment) => self.assignment(assignment),
            None => self.parts(&word.parts),
        }
    }

    fn parts(&mut self, parts: &'a [Part]) {
        for part in parts {
            match &part.kind {
                PartKind::Double(inner) | PartKind::Locale(inner) | PartKind::GlobBracket(inner) => self.parts(inner),
                PartKind::Param(param) => self.param(param),
                PartKind::Command(p)
                | PartKind::Backquote(p)
                | PartKind::ProcessIn(p)
                | PartKind::ProcessOut(p)
                | PartKind::ProcessFile(p) => self.program(p),
                PartKind::Arith(text) => self.parts(&text.parts),
                PartKind::Braces(all) | PartKind::ExtGlob(_, all) => all.iter().for_each(|p| self.parts(p)),
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

    fn param(&mut self, param: &'a Param) {
        if let Some(Subscript::Index(text)) = &param.subscript {
            self.parts(&text.parts);
        }
        match &param.op {
            ParamOp::Default(_, w)
            | ParamOp::Assign(_, w)
            | ParamOp::Error(_, w)
            | ParamOp::Alternative(_, w)
            | ParamOp::RemovePrefix(_, w)
            | ParamOp::RemoveSuffix(_, w)
            | ParamOp::Case(_, _, w) => self.word(w),
            ParamOp::Replace(_, a, b) => {
                self.word(a);
                b.iter().for_each(|w| self.word(w));
            }
            ParamOp::Substring(a, b) => {
                self.parts(&a.parts);
                b.iter().for_each(|t| self.parts(&t.parts));
            }
            ParamOp::Other(parts) => self.parts(parts),
            ParamOp::None | ParamOp::Length | ParamOp::Transform(_) | ParamOp::Names(_) | ParamOp::Keys(_) => {}
        }
    }
}
