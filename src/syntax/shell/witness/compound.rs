//! Compound commands and function definitions.

use std::rc::Rc;

use super::{Kid, Lowering, kids};
use crate::source::Span;
use crate::syntax::ast::{
    ArithFor, ArithText, Case, CaseArm, CaseEnd, Command, CommandKind, For, Function, If, List, Loop, Word,
};

impl<'t> Lowering<'t> {
    /// Any command that is not a simple one.
    pub(super) fn compound(&mut self, kid: Kid<'t>) -> Option<Command> {
        let at = kid.span;
        let pieces = kids(kid.node);
        let open = pieces.first().map_or("", |k| k.kind);
        let mut redirects = Vec::new();
        let kind = match kid.kind {
            "subshell" => CommandKind::Subshell(self.body(within(&pieces, "(", ")"), at)),
            "compound_statement" if open == "((" => CommandKind::Arith(self.arithmetic_inside(kid)),
            "compound_statement" | "do_group" => CommandKind::Group(self.group(kid)),
            "if_statement" => CommandKind::If(Box::new(self.if_command(&pieces, at))),
            "while_statement" => CommandKind::Loop(Box::new(self.loop_command(&pieces, at))),
            "for_statement" => {
                let command = Box::new(self.for_command(&pieces, at));
                if open == "select" { CommandKind::Select(command) } else { CommandKind::For(command) }
            }
            "c_style_for_statement" => CommandKind::ArithFor(Box::new(self.arith_for(&pieces, at))),
            "case_statement" => CommandKind::Case(Box::new(self.case(&pieces))),
            "test_command" => return self.test(kid),
            "function_definition" => {
                let name = pieces.iter().find(|k| k.is("name")).map_or(Vec::new(), |k| {
                    let word = self.word(*k);
                    word.literal().unwrap_or_else(|| self.bytes(k.span).to_vec())
                });
                let body = pieces.iter().find(|k| k.is("body"))?;
                let body = self.nest(body.span, |l| l.compound(*body)).flatten()?;
                let name = String::from_utf8_lossy(&name).into_owned();
                let mut command = Command {
                    kind: CommandKind::Function(Box::new(Function { name, body: Rc::new(body), event: false })),
                    redirects,
                    span: at,
                };
                for piece in pieces.iter().filter(|k| k.is("redirect")) {
                    if let Some(lowered) = self.redirect(*piece) {
                        self.add_redirect(&mut command, lowered.redirect);
                        for word in lowered.words {
                            self.not_lowered(word.span);
                        }
                    }
                }
                return Some(command);
            }
            // A statement where only a command can stand.
            kind if super::command::is_statement(kind) => {
                let list = self.nest(at, |l| l.and_or(kid)).flatten()?;
                let mut stages = if list.rest.is_empty() { list.first.stages } else { Vec::new() };
                match (stages.pop(), stages.is_empty()) {
                    (Some(only), true) => {
                        redirects.extend(only.redirects);
                        only.kind
                    }
                    _ => {
                        self.not_lowered(at);
                        return None;
                    }
                }
            }
            _ => {
                self.not_lowered(at);
                return None;
            }
        };
        Some(Command { kind, redirects, span: at })
    }

    /// `{ …; }` and `do … done`.
    fn group(&mut self, kid: Kid<'t>) -> List {
        let pieces = kids(kid.node);
        let (open, close) = if kid.kind == "do_group" { ("do", "done") } else { ("{", "}") };
        self.nest(kid.span, |l| l.body(within(&pieces, open, close), kid.span)).unwrap_or_default()
    }

    fn if_command(&mut self, pieces: &[Kid<'t>], at: Span) -> If {
        let mut all = If { branches: Vec::new(), otherwise: None };
        let (mut condition, mut body, mut then) = (Vec::new(), Vec::new(), false);
        for piece in pieces {
            match piece.kind {
                "if" | "fi" | "elif" => {}
                "then" => then = true,
                "elif_clause" | "else_clause" => {}
                _ if then => body.push(*piece),
                _ => condition.push(*piece),
            }
        }
        let branch = (self.body(&condition, at), self.body(&body, at));
        all.branches.push(branch);
        for piece in pieces {
            match piece.kind {
                "elif_clause" => {
                    let inner = kids(piece.node);
                    let nested = self.nest(piece.span, |l| l.if_command(&inner, piece.span));
                    all.branches.extend(nested.into_iter().flat_map(|i| i.branches));
                }
                "else_clause" => {
                    let inner = kids(piece.node);
                    let body = inner.get(1..).unwrap_or(&[]);
                    all.otherwise = self.nest(piece.span, |l| l.body(body, piece.span));
                }
                _ => {}
            }
        }
        all
    }

    fn loop_command(&mut self, pieces: &[Kid<'t>], at: Span) -> Loop {
        let until = pieces.first().is_some_and(|k| k.kind == "until");
        let condition: Vec<Kid<'t>> =
            pieces.iter().filter(|k| !matches!(k.kind, "while" | "until" | "do_group")).copied().collect();
        let condition = self.body(&condition, at);
        Loop { until, condition, body: self.loop_body(pieces, at) }
    }

    fn loop_body(&mut self, pieces: &[Kid<'t>], at: Span) -> List {
        match pieces.iter().find(|k| k.is("body")) {
            Some(body) => self.group(*body),
            None => {
                self.not_lowered(at);
                List::default()
            }
        }
    }

    fn for_command(&mut self, pieces: &[Kid<'t>], at: Span) -> For {
        let mut name = String::new();
        let mut words: Option<Vec<Word>> = None;
        for piece in pieces {
            match piece.kind {
                "for" | "select" | ";" | "\n" | "&" | ";;" | "do_group" | "ERROR" => {}
                "in" => words = Some(Vec::new()),
                _ if piece.is("variable") => name = String::from_utf8_lossy(self.bytes(piece.span)).into_owned(),
                _ if piece.is("value") => {
                    for word in self.words_of(*piece) {
                        super::command::push_word(self.text, words.get_or_insert_default(), word);
                    }
                }
                _ => self.not_lowered(piece.span),
            }
        }
        For { name, words, body: self.loop_body(pieces, at) }
    }

    fn arith_for(&mut self, pieces: &[Kid<'t>], at: Span) -> ArithFor {
        let mut fields: Vec<ArithText> = Vec::new();
        let mut inner: Vec<Kid<'t>> = Vec::new();
        let mut start: Option<u32> = None;
        for piece in pieces {
            match (piece.kind, start) {
                ("((", _) => start = Some(piece.span.end),
                (";" | "))" | "\n", Some(from)) => {
                    let taken = std::mem::take(&mut inner);
                    fields.push(self.arithmetic(&taken, Span { start: from, end: piece.span.start }));
                    start = (piece.kind != "))").then_some(piece.span.end);
                }
                (_, Some(_)) => inner.push(*piece),
                _ => {}
            }
        }
        if fields.len() != 3 {
            self.not_lowered(at);
        }
        let mut fields = fields.into_iter();
        let mut next = || fields.next().unwrap_or_default();
        let (init, test, step) = (next(), next(), next());
        ArithFor { init, test, step, body: self.loop_body(pieces, at) }
    }

    fn case(&mut self, pieces: &[Kid<'t>]) -> Case {
        let mut case = Case { word: Word::default(), arms: Vec::new() };
        for piece in pieces {
            match piece.kind {
                "case" | "in" | "esac" | ";" | "\n" | "&" | ";;" | "ERROR" => {}
                "case_item" => {
                    let arm = self.nest(piece.span, |l| l.case_arm(*piece));
                    case.arms.extend(arm);
                }
                _ if piece.is("value") => case.word = self.word(*piece),
                _ => self.not_lowered(piece.span),
            }
        }
        case
    }

    fn case_arm(&mut self, kid: Kid<'t>) -> CaseArm {
        let pieces = kids(kid.node);
        let mut arm = CaseArm { patterns: Vec::new(), body: List::default(), end: CaseEnd::Break };
        let head = pieces.iter().position(|k| k.kind == ")").unwrap_or(pieces.len());
        let mut pattern: Vec<Kid<'t>> = Vec::new();
        for (i, piece) in pieces.iter().take(head.saturating_add(1)).enumerate() {
            match piece.kind {
                "(" if i == 0 => {}
                "|" | ")" => {
                    let taken = std::mem::take(&mut pattern);
                    if let (Some(first), Some(last)) = (taken.first(), taken.last()) {
                        let word = self.word_of(&taken, first.span.to(last.span));
                        arm.patterns.push(word);
                    }
                }
                _ => pattern.push(*piece),
            }
        }
        let mut body: Vec<Kid<'t>> = pieces.get(head.saturating_add(1)..).unwrap_or(&[]).to_vec();
        if let Some(last) = body.last().copied()
            && (last.is("termination") || last.is("fallthrough") || last.kind == ";;")
        {
            body.pop();
            arm.end = match last.kind {
                ";&" => CaseEnd::FallThrough,
                ";;&" => CaseEnd::Continue,
                _ => CaseEnd::Break,
            };
        }
        arm.body = self.body(&body, kid.span);
        arm
    }
}

/// The pieces between the opening and the closing token, where they are there.
fn within<'a, 't>(pieces: &'a [Kid<'t>], open: &str, close: &str) -> &'a [Kid<'t>] {
    let pieces = match pieces {
        [first, rest @ ..] if first.kind == open => rest,
        all => all,
    };
    match pieces {
        [rest @ .., last] if last.kind == close => rest,
        all => all,
    }
}
