//! Blocks of fish: `begin`, `if`, `while`, `for`, `switch`, `function`, each up to its `end`.
//!
//! In: the reader where a command begins. Out: the compound command, or nothing where none begins here. Floor 2.

use super::{R, Reader};
use crate::source::Span;
use crate::syntax::ast::{
    AndOr, ArithText, Bytes, Case, CaseArm, CaseEnd, Command, CommandKind, For, Function, If, List, Loop, Param,
    ParamOp, Part, PartKind, Pipeline, Simple, Subscript, Word,
};

impl Reader<'_> {
    /// The block that begins here.
    pub(super) fn block(&mut self) -> R<Option<CommandKind>> {
        let brace = self.here() == b'{' && matches!(self.at(self.pos.saturating_add(1)), b' ' | b'\t' | b'\n');
        Ok(Some(match self.keyword() {
            b"begin" => {
                self.take(b"begin");
                let body = self.body()?;
                self.end()?;
                CommandKind::Group(body)
            }
            b"if" => CommandKind::If(Box::new(self.if_block()?)),
            b"while" => {
                self.take(b"while");
                let condition = self.condition()?;
                let body = self.body()?;
                self.end()?;
                CommandKind::Loop(Box::new(Loop { until: false, condition, body }))
            }
            b"for" => self.for_block()?,
            b"switch" => self.switch_block()?,
            b"function" => self.function_block()?,
            _ if brace => {
                self.step(1);
                let body = self.body()?;
                if self.here() != b'}' {
                    return self.unexpected();
                }
                self.step(1);
                CommandKind::Group(body)
            }
            _ => return Ok(None),
        }))
    }

    fn body(&mut self) -> R<List> {
        let mut list = List { span: Span::new(self.pos, self.pos), ..List::default() };
        self.items(&mut list)?;
        Ok(list)
    }

    fn end(&mut self) -> R<()> {
        if self.take(b"end") { Ok(()) } else { self.unexpected() }
    }

    /// One statement, with those behind it that `and` and `or` join to it.
    fn condition(&mut self) -> R<List> {
        self.blanks();
        let from = self.pos;
        let mut item = self.and_or()?;
        loop {
            let (pos, comments) = (self.pos, self.comments.len());
            self.between();
            match self.joining() {
                Some(op) => {
                    let next = self.and_or()?;
                    item.rest.push((op, next.first));
                    item.rest.extend(next.rest);
                    item.span = self.span(from);
                }
                None => {
                    self.pos = pos;
                    self.comments.truncate(comments);
                    return Ok(List { span: item.span, items: vec![item], possible: false });
                }
            }
        }
    }

    fn if_block(&mut self) -> R<If> {
        self.take(b"if");
        let mut branches = Vec::new();
        let mut otherwise = None;
        let condition = self.condition()?;
        branches.push((condition, self.body()?));
        while self.take(b"else") {
            self.blanks();
            if self.take(b"if") {
                let condition = self.condition()?;
                branches.push((condition, self.body()?));
            } else {
                otherwise = Some(self.body()?);
                break;
            }
        }
        self.end()?;
        Ok(If { branches, otherwise })
    }

    fn for_block(&mut self) -> R<CommandKind> {
        self.take(b"for");
        self.blanks();
        let name = self.word()?.literal().and_then(|b| String::from_utf8(b).ok());
        self.blanks();
        let (Some(name), true) = (name, self.take(b"in")) else { return self.unexpected() };
        let words = self.words()?;
        let body = self.body()?;
        self.end()?;
        Ok(CommandKind::For(Box::new(For { name, words: Some(words), body })))
    }

    /// The words up to the end of the statement.
    fn words(&mut self) -> R<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            if self.ends_word() || self.here() == b'#' {
                return Ok(words);
            }
            self.count()?;
            words.push(self.word()?);
        }
    }

    fn switch_block(&mut self) -> R<CommandKind> {
        self.take(b"switch");
        self.blanks();
        let word = self.word()?;
        let mut arms = Vec::new();
        self.between();
        while self.take(b"case") {
            let mut patterns = self.words()?;
            patterns.iter_mut().for_each(activate);
            let body = self.body()?;
            arms.push(CaseArm { patterns, body, end: CaseEnd::Break });
        }
        self.end()?;
        Ok(CommandKind::Case(Box::new(Case { word, arms })))
    }

    fn function_block(&mut self) -> R<CommandKind> {
        let start = self.pos;
        self.take(b"function");
        let words = self.words()?;
        let mut body = self.body()?;
        self.end()?;
        let mut event = false;
        let mut names: Vec<Word> = Vec::new();
        let mut name = None;
        let mut it = words.into_iter().peekable();
        while let Some(w) = it.next() {
            let text = w.literal().unwrap_or_default();
            match text.as_slice() {
                b"-a" | b"--argument-names" => {
                    while let Some(n) = it.next_if(|w| w.literal().is_some_and(|t| !t.starts_with(b"-"))) {
                        names.push(n);
                    }
                }
                b"-e" | b"--on-event" | b"-v" | b"--on-variable" | b"-j" | b"--on-job-exit" | b"-p"
                | b"--on-process-exit" | b"-s" | b"--on-signal" => {
                    event = true;
                    it.next();
                }
                b"-d" | b"--description" | b"-w" | b"--wraps" | b"-V" | b"--inherit-variable" => {
                    it.next();
                }
                t if t.starts_with(b"--on-") => event = true,
                t if t.starts_with(b"-") && name.is_some() => {}
                _ if name.is_none() => name = Some(text),
                _ => names.push(w),
            }
        }
        let Some(name) = name.and_then(|n| String::from_utf8(n).ok()).filter(|n| !n.is_empty()) else {
            return Err((start, crate::syntax::ast::SyntaxError::BadName));
        };
        for (i, w) in names.into_iter().enumerate().rev() {
            let span = w.span;
            body.items.insert(0, argument(w, i.saturating_add(1), span));
        }
        let span = self.span(start);
        let body = Command { kind: CommandKind::Group(body), redirects: Vec::new(), span };
        Ok(CommandKind::Function(Box::new(Function { name, body: std::rc::Rc::new(body), event })))
    }
}

/// `set -l name $argv[i]`, which is what the name of an argument means.
fn argument(name: Word, i: usize, span: Span) -> AndOr {
    let literal = |t: &[u8]| Part { kind: PartKind::Literal(Bytes::from_slice(t)), span };
    let word = |t: &[u8]| Word { parts: vec![literal(t)], span, assignment: None };
    let index = ArithText { parts: vec![literal(i.to_string().as_bytes())], span };
    let param =
        Param { name: "argv".into(), subscript: Some(Subscript::Index(index)), indirect: false, op: ParamOp::None };
    let value = Word { parts: vec![Part { kind: PartKind::Param(Box::new(param)), span }], span, assignment: None };
    let words = vec![word(b"set"), word(b"-l"), name, value];
    let simple = CommandKind::Simple(Simple { assignments: Vec::new(), words });
    let stages = vec![Command { kind: simple, redirects: Vec::new(), span }];
    let first = Pipeline { negated: false, timed: None, stages, pipe_stderr: Vec::new(), span };
    AndOr { first, rest: Vec::new(), background: false, span }
}

/// The wildcards of a pattern count in quotes, too: `case '*.txt'`.
fn activate(word: &mut Word) {
    let mut parts = Vec::with_capacity(word.parts.len());
    for part in word.parts.drain(..) {
        let text = match &part.kind {
            PartKind::Literal(b) | PartKind::Single(b) => b.clone(),
            PartKind::Double(inner) => match inner.as_slice() {
                [Part { kind: PartKind::Literal(b), .. }] => b.clone(),
                _ => {
                    parts.push(part);
                    continue;
                }
            },
            _ => {
                parts.push(part);
                continue;
            }
        };
        for run in text.split_inclusive(|b| matches!(b, b'*' | b'?')) {
            let (wild, plain) = match run.split_last() {
                Some((b'*', plain)) => (Some(PartKind::GlobStar), plain),
                Some((b'?', plain)) => (Some(PartKind::GlobQuestion), plain),
                _ => (None, run),
            };
            if !plain.is_empty() {
                parts.push(Part { kind: PartKind::Escaped(Bytes::from_slice(plain)), span: part.span });
            }
            parts.extend(wild.map(|kind| Part { kind, span: part.span }));
        }
        if text.is_empty() {
            parts.push(part);
        }
    }
    word.parts = parts;
}
