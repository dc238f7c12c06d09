//! The structural guard: does the tree account for every byte of the text?
//!
//! In: a tree and its text. Out: the places that no node, comment, blank, operator or `Unparsed` region explains, and
//! those where `$(`, `${`, a backquote, `<(` or `>(` lies in text that the tree calls plain. A tree of
//! [`super::shell::read`] has none; whoever finds one must not call the text safe. Time: linear, and the sorting of a
//! command's words. Floor 2.

use super::ast::{
    ArithText, AssignValue, Assignment, Command, CommandKind, Cond, List, ParamOp, Part, PartKind, Pipeline, Program,
    Subscript, Word,
};
use crate::source::Span;

/// The places of `text` that `program` does not account for, in order.
pub fn gaps(program: &Program, text: &[u8]) -> Vec<Span> {
    let mut cover = Cover { text, gaps: Vec::new(), late: Vec::new(), mapped: text.contains(&0) };
    cover.program(program);
    cover.gaps.sort_unstable();
    cover.gaps
}

struct Cover<'t> {
    text: &'t [u8],
    gaps: Vec<Span>,
    /// Bodies that stand after the substitution they belong to: `echo $(cat <<E)`, then the body.
    late: Vec<Span>,
    /// Inside backquotes that were unescaped: places are mapped, and backslashes may lie between them.
    mapped: bool,
}

/// What stands between the words of commands, besides operators.
const RESERVED: &[&[u8]] = &[
    b"if", b"then", b"elif", b"else", b"fi", b"while", b"until", b"do", b"done", b"case", b"esac", b"in", b"time",
    b"-p", b"--", b"repeat", b"always",
];

impl Cover<'_> {
    fn program(&mut self, p: &Program) {
        let mut leaves = Vec::new();
        p.lists.iter().for_each(|l| self.list(l, &mut leaves));
        leaves.extend(&p.comments);
        leaves.extend(p.unparsed.iter().map(|u| u.span));
        leaves.append(&mut self.late);
        leaves.sort_unstable();
        let mut at = p.span.start;
        for leaf in leaves {
            if leaf.start > at {
                self.between(Span { start: at, end: leaf.start.min(p.span.end) });
            }
            at = at.max(leaf.end);
            if leaf.start >= p.span.end {
                self.late.push(leaf);
            }
        }
        if p.span.end > at {
            self.between(Span { start: at, end: p.span.end });
        }
    }

    /// Bytes outside all words: blanks, operators and reserved words.
    fn between(&mut self, span: Span) {
        let bytes = span.of(self.text);
        let mut i = 0usize;
        while let Some(&b) = bytes.get(i) {
            match b {
                b'\\' if bytes.get(i + 1) == Some(&b'\n') || self.mapped => i += 1,
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'!' | b'<'
                | b'>' | b'=' | b'~' => i += 1,
                0 => i += 1,
                _ => {
                    let mut word = Vec::new();
                    let from = i;
                    while let Some(&c) = bytes.get(i) {
                        // A reserved word may be continued on the next line.
                        if c == b'\\' && (bytes.get(i + 1) == Some(&b'\n') || self.mapped) {
                            i += if bytes.get(i + 1) == Some(&b'\n') { 2 } else { 1 };
                            continue;
                        }
                        if !(c.is_ascii_alphanumeric() || c == b'-' || c == 0 && self.mapped) {
                            break;
                        }
                        if c != 0 {
                            word.push(c);
                        }
                        i += 1;
                    }
                    i = i.max(from + 1);
                    let operator = matches!(word.as_slice(), [b'-', c] | [b'-', c, _] if c.is_ascii_alphabetic());
                    if !operator && !RESERVED.contains(&word.as_slice()) {
                        let start = span.start as usize + from;
                        self.gaps.push(Span::new(start, span.start as usize + i));
                    }
                }
            }
        }
    }

    fn list(&mut self, l: &List, leaves: &mut Vec<Span>) {
        for item in &l.items {
            self.pipeline(&item.first, leaves);
            item.rest.iter().for_each(|(_, p)| self.pipeline(p, leaves));
        }
    }

    fn pipeline(&mut self, p: &Pipeline, leaves: &mut Vec<Span>) {
        p.stages.iter().for_each(|c| self.command(c, leaves));
    }

    fn command(&mut self, c: &Command, leaves: &mut Vec<Span>) {
        for r in &c.redirects {
            leaves.push(r.span);
            // Nothing in a delimiter expands, whatever it looks like.
            if r.heredoc.is_none() {
                self.word(&r.target);
            }
            if let Some(h) = &r.heredoc {
                leaves.push(if h.closed { self.with_delimiter(h.span) } else { h.span });
                if !h.quoted {
                    self.parts(&h.parts, h.span, Inside::Heredoc);
                }
            }
        }
        // Between the start of a command and `place` there is only its head: a name and reserved words.
        let head = |place: Span| Span { start: c.span.start, end: place.start };
        match &c.kind {
            CommandKind::Simple(s) => {
                for a in &s.assignments {
                    leaves.push(a.span);
                    self.assignment(a);
                }
                for w in &s.words {
                    leaves.push(w.span);
                    self.word(w);
                }
            }
            CommandKind::Subshell(l) | CommandKind::Group(l) => self.list(l, leaves),
            CommandKind::If(i) => {
                for (condition, body) in &i.branches {
                    self.list(condition, leaves);
                    self.list(body, leaves);
                }
                i.otherwise.iter().for_each(|l| self.list(l, leaves));
            }
            CommandKind::For(f) | CommandKind::Select(f) => {
                let first = f.words.iter().flatten().next().map_or(f.body.span, |w| w.span);
                leaves.push(head(first));
                for w in f.words.iter().flatten() {
                    leaves.push(w.span);
                    self.word(w);
                }
                self.list(&f.body, leaves);
            }
            CommandKind::ArithFor(f) => {
                leaves.push(head(f.init.span));
                for a in [&f.init, &f.test, &f.step] {
                    leaves.push(a.span);
                    self.arith(a);
                }
                self.list(&f.body, leaves);
            }
            CommandKind::Loop(l) => {
                self.list(&l.condition, leaves);
                self.list(&l.body, leaves);
            }
            CommandKind::Case(k) => {
                leaves.push(k.word.span);
                self.word(&k.word);
                for arm in &k.arms {
                    for w in &arm.patterns {
                        leaves.push(w.span);
                        self.word(w);
                    }
                    self.list(&arm.body, leaves);
                }
            }
            CommandKind::Function(f) => {
                leaves.push(head(f.body.span));
                self.command(&f.body, leaves);
            }
            CommandKind::Coproc(p) => {
                leaves.push(head(p.body.span));
                self.command(&p.body, leaves);
            }
            CommandKind::Cond(e) => self.cond(e, leaves),
            CommandKind::Arith(a) => {
                leaves.push(a.span);
                self.arith(a);
            }
        }
    }

    /// A body with the line that ends it.
    fn with_delimiter(&self, body: Span) -> Span {
        let mut end = body.end as usize;
        while let Some(&b) = self.text.get(end) {
            end += 1;
            if b == b'\n' && self.text.get(end.saturating_sub(2)) != Some(&b'\\') {
                break;
            }
        }
        Span::new(body.start as usize, end)
    }

    fn cond(&mut self, e: &Cond, leaves: &mut Vec<Span>) {
        let mut word = |this: &mut Self, w: &Word| {
            leaves.push(w.span);
            this.word(w);
        };
        match e {
            Cond::Not(a) | Cond::Group(a) => self.cond(a, leaves),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.cond(a, leaves);
                self.cond(b, leaves);
            }
            Cond::Unary(_, w) | Cond::Word(w) => word(self, w),
            Cond::Binary(_, a, b) => {
                word(self, a);
                word(self, b);
            }
        }
    }

    fn assignment(&mut self, a: &Assignment) {
        a.subscript.iter().for_each(|s| self.arith(s));
        match &a.value {
            AssignValue::Word(w) => self.word(w),
            AssignValue::Array(elements) => {
                for e in elements {
                    e.subscript.iter().for_each(|s| self.arith(s));
                    self.word(&e.value);
                }
            }
        }
    }

    fn word(&mut self, w: &Word) {
        match &w.assignment {
            // The parts of an array are its text; what is in it is in the assignment.
            Some(a) => self.assignment(a),
            None => self.parts(&w.parts, w.span, Inside::Word),
        }
    }

    fn arith(&mut self, a: &ArithText) {
        self.parts(&a.parts, a.span, Inside::Arithmetic);
    }

    /// Parts have to lie side by side, with only line continuations between.
    fn parts(&mut self, parts: &[Part], span: Span, inside: Inside) {
        let mut at = span.start;
        for p in parts {
            if p.span.start > at {
                self.beside(Span { start: at, end: p.span.start }, inside);
            }
            at = at.max(p.span.end);
            self.part(p, inside);
        }
        if span.end > at {
            self.beside(Span { start: at, end: span.end }, inside);
        }
    }

    fn beside(&mut self, span: Span, inside: Inside) {
        if self.mapped || inside == Inside::Words {
            return;
        }
        let bytes = span.of(self.text);
        // Between the parts of a body that `<<-` took the tabs from there are tabs.
        if !bytes.iter().all(|b| matches!(b, b'\\' | b'\n') || inside == Inside::Heredoc && *b == b'\t') {
            self.gaps.push(span);
        }
    }

    fn part(&mut self, p: &Part, inside: Inside) {
        match &p.kind {
            PartKind::Literal(_) => self.literal(p.span, inside),
            PartKind::Double(inner) | PartKind::Locale(inner) => {
                let open = if matches!(p.kind, PartKind::Locale(_)) { 2 } else { 1 };
                let within = Span::new(p.span.start as usize + open, (p.span.end as usize).saturating_sub(1));
                self.parts(inner, within, Inside::Double);
            }
            PartKind::Command(program)
            | PartKind::ProcessIn(program)
            | PartKind::ProcessOut(program)
            | PartKind::ProcessFile(program) => self.program(program),
            PartKind::Backquote(program) => {
                let before = self.mapped;
                self.mapped |= program.span.of(self.text).contains(&b'\\');
                self.program(program);
                self.mapped = before;
            }
            PartKind::Arith(a) => self.arith(a),
            PartKind::GlobBracket(inner) => self.parts(inner, Span::default(), Inside::Words),
            PartKind::Braces(alternatives) | PartKind::ExtGlob(_, alternatives) => {
                alternatives.iter().for_each(|a| self.parts(a, Span::default(), Inside::Words));
            }
            PartKind::Param(param) => {
                if let Some(Subscript::Index(a)) = &param.subscript {
                    self.arith(a);
                }
                match &param.op {
                    ParamOp::Default(_, w)
                    | ParamOp::Assign(_, w)
                    | ParamOp::Error(_, w)
                    | ParamOp::Alternative(_, w)
                    | ParamOp::RemovePrefix(_, w)
                    | ParamOp::RemoveSuffix(_, w)
                    | ParamOp::Case(_, _, w) => self.parts(&w.parts, w.span, Inside::Double),
                    ParamOp::Replace(_, a, b) => {
                        self.parts(&a.parts, a.span, Inside::Double);
                        b.iter().for_each(|w| self.parts(&w.parts, w.span, Inside::Double));
                    }
                    ParamOp::Substring(a, b) => {
                        self.arith(a);
                        b.iter().for_each(|b| self.arith(b));
                    }
                    ParamOp::Other(parts) => self.parts(parts, Span::default(), Inside::Words),
                    ParamOp::None | ParamOp::Length | ParamOp::Transform(_) | ParamOp::Names(_) | ParamOp::Keys(_) => {}
                }
            }
            PartKind::Escaped(_)
            | PartKind::Single(_)
            | PartKind::AnsiC(_)
            | PartKind::BraceRange(..)
            | PartKind::Tilde(_)
            | PartKind::GlobStar
            | PartKind::GlobQuestion => {}
        }
    }

    /// Text that the tree calls plain: nothing in it may be expanded by the shell.
    fn literal(&mut self, span: Span, inside: Inside) {
        if self.mapped {
            return;
        }
        let bytes = span.of(self.text);
        let mut i = 0usize;
        while let Some(&b) = bytes.get(i) {
            let next = bytes.get(i + 1).copied();
            let expands = match b {
                b'\\' => {
                    i += 2;
                    continue;
                }
                b'`' => true,
                b'$' => matches!(next, Some(b'(' | b'{')),
                b'<' | b'>' => inside == Inside::Word && next == Some(b'('),
                _ => false,
            };
            if expands {
                self.gaps.push(Span::new(span.start as usize + i, span.start as usize + i + 2));
            }
            i += 1;
        }
    }
}

/// What parts stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// A word of a command.
    Word,
    /// Double quotes, and words inside `${…}`.
    Double,
    Heredoc,
    Arithmetic,
    /// Parts whose outer bounds the tree does not tell.
    Words,
}
