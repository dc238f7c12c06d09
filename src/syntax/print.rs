//! The tree as text: what `shellward ast` shows.
//!
//! In: a [`Program`] and the text it was read from. Out: one line per node, indented by depth, with its byte range and,
//! where it says something, its text. Nothing is left out. As deep as the tree, which the readers bound. Floor 2.

use super::ast::{
    AndOrOp, ArithText, AssignValue, Assignment, BraceRange, CaseEnd, Command, CommandKind, Cond, For, List, Param,
    ParamOp, Part, PartKind, Pipeline, Program, Redirect, RedirectFd, Subscript, Word,
};
use crate::source::Span;

/// The whole tree, indented, with spans.
pub fn tree(program: &Program, text: &[u8]) -> String {
    let mut p = Printer { text, out: String::new(), level: 0 };
    p.program("program", program);
    p.out
}

struct Printer<'t> {
    text: &'t [u8],
    out: String,
    level: usize,
}

/// Bytes as they may be shown on one line.
fn show(bytes: &[u8]) -> String {
    let mut s = String::from("\"");
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '"' => s.push_str("\\\""),
            c if c.is_control() || c == '\\' => s.extend(c.escape_default()),
            c => s.push(c),
        }
    }
    s.push('"');
    s
}

impl Printer<'_> {
    fn line(&mut self, span: Span, what: &str) {
        let pad = self.level * 2;
        self.out.push_str(&format!("{:pad$}{what} {}..{}\n", "", span.start, span.end));
    }

    fn deeper(&mut self, f: impl FnOnce(&mut Self)) {
        self.level += 1;
        f(self);
        self.level -= 1;
    }

    fn program(&mut self, name: &str, p: &Program) {
        self.line(p.span, name);
        self.deeper(|s| {
            p.lists.iter().for_each(|l| s.list("list", l));
            for c in &p.comments {
                s.line(*c, &format!("comment {}", show(c.of(s.text))));
            }
            for u in &p.unparsed {
                s.line(u.span, &format!("unparsed {:?}", u.reason));
            }
        });
    }

    fn list(&mut self, name: &str, l: &List) {
        let possible = if l.possible { " possible" } else { "" };
        self.line(l.span, &format!("{name}{possible}"));
        self.deeper(|s| {
            for item in &l.items {
                if item.rest.is_empty() && !item.background {
                    s.pipeline(&item.first);
                    continue;
                }
                s.line(item.span, if item.background { "and-or background" } else { "and-or" });
                s.deeper(|s| {
                    s.pipeline(&item.first);
                    for (op, p) in &item.rest {
                        s.line(p.span, if *op == AndOrOp::And { "&&" } else { "||" });
                        s.deeper(|s| s.pipeline(p));
                    }
                });
            }
        });
    }

    fn pipeline(&mut self, p: &Pipeline) {
        if let (false, None, [one]) = (p.negated, p.timed, p.stages.as_slice()) {
            return self.command(one);
        }
        let negated = if p.negated { " negated" } else { "" };
        let timed = if p.timed.is_some() { " timed" } else { "" };
        self.line(p.span, &format!("pipeline{negated}{timed}"));
        self.deeper(|s| {
            for (n, stage) in p.stages.iter().enumerate() {
                s.command(stage);
                if p.pipe_stderr.get(n) == Some(&true) {
                    s.line(Span::new(stage.span.end as usize, stage.span.end as usize), "|&");
                }
            }
        });
    }

    fn command(&mut self, c: &Command) {
        match &c.kind {
            CommandKind::Simple(simple) => {
                self.line(c.span, "simple");
                self.deeper(|s| {
                    simple.assignments.iter().for_each(|a| s.assignment(a));
                    simple.words.iter().for_each(|w| s.word("word", w));
                });
            }
            CommandKind::Subshell(l) => self.block(c.span, "subshell", |s| s.list("list", l)),
            CommandKind::Group(l) => self.block(c.span, "group", |s| s.list("list", l)),
            CommandKind::If(i) => self.block(c.span, "if", |s| {
                for (condition, body) in &i.branches {
                    s.list("condition", condition);
                    s.list("then", body);
                }
                i.otherwise.iter().for_each(|l| s.list("else", l));
            }),
            CommandKind::For(f) => self.for_words(c.span, "for", f),
            CommandKind::Select(f) => self.for_words(c.span, "select", f),
            CommandKind::ArithFor(f) => self.block(c.span, "for-arithmetic", |s| {
                s.arith("init", &f.init);
                s.arith("test", &f.test);
                s.arith("step", &f.step);
                s.list("do", &f.body);
            }),
            CommandKind::Loop(l) => self.block(c.span, if l.until { "until" } else { "while" }, |s| {
                s.list("condition", &l.condition);
                s.list("do", &l.body);
            }),
            CommandKind::Case(k) => self.block(c.span, "case", |s| {
                s.word("subject", &k.word);
                for arm in &k.arms {
                    let end = match arm.end {
                        CaseEnd::Break => "arm",
                        CaseEnd::FallThrough => "arm ;&",
                        CaseEnd::Continue => "arm ;;&",
                    };
                    s.line(arm.body.span, end);
                    s.deeper(|s| {
                        arm.patterns.iter().for_each(|w| s.word("pattern", w));
                        s.list("list", &arm.body);
                    });
                }
            }),
            CommandKind::Function(f) => {
                self.block(c.span, &format!("function {}", show(f.name.as_bytes())), |s| s.command(&f.body));
            }
            CommandKind::Coproc(p) => self.block(c.span, &format!("coproc {}", p.name), |s| s.command(&p.body)),
            CommandKind::Cond(e) => self.block(c.span, "[[", |s| s.cond(e)),
            CommandKind::Arith(a) => self.block(c.span, "((", |s| s.arith("expression", a)),
        }
        self.deeper(|s| c.redirects.iter().for_each(|r| s.redirect(r)));
    }

    fn block(&mut self, span: Span, name: &str, f: impl FnOnce(&mut Self)) {
        self.line(span, name);
        self.deeper(f);
    }

    fn for_words(&mut self, span: Span, name: &str, f: &For) {
        let all = if f.words.is_none() { " over the positional parameters" } else { "" };
        self.block(span, &format!("{name} {}{all}", show(f.name.as_bytes())), |s| {
            f.words.iter().flatten().for_each(|w| s.word("word", w));
            s.list("do", &f.body);
        });
    }

    fn redirect(&mut self, r: &Redirect) {
        let fd = match &r.fd {
            RedirectFd::Default => String::new(),
            RedirectFd::Number(n) => format!(" {n}"),
            RedirectFd::Variable(v) => format!(" {{{v}}}"),
        };
        self.line(r.span, &format!("redirect{fd} {:?}", r.op));
        self.deeper(|s| {
            s.word("target", &r.target);
            if let Some(h) = &r.heredoc {
                let quoted = if h.quoted { " quoted" } else { "" };
                let open = if h.closed { "" } else { " open" };
                s.line(h.span, &format!("body{quoted}{open}"));
                s.deeper(|s| s.parts(&h.parts));
            }
        });
    }

    fn assignment(&mut self, a: &Assignment) {
        self.line(a.span, &format!("assign {}{}", a.name, if a.append { " +=" } else { "" }));
        self.deeper(|s| {
            a.subscript.iter().for_each(|t| s.arith("subscript", t));
            match &a.value {
                AssignValue::Word(w) => s.word("value", w),
                AssignValue::Array(elements) => {
                    for e in elements {
                        s.line(e.value.span, if e.append { "element +=" } else { "element" });
                        s.deeper(|s| {
                            e.subscript.iter().for_each(|t| s.arith("subscript", t));
                            s.word("value", &e.value);
                        });
                    }
                }
            }
        });
    }

    fn word(&mut self, name: &str, w: &Word) {
        if let [Part { kind: PartKind::Literal(b), .. }] = w.parts.as_slice() {
            self.line(w.span, &format!("{name} {}", show(b)));
        } else {
            self.line(w.span, name);
            self.deeper(|s| s.parts(&w.parts));
        }
        if let Some(a) = &w.assignment {
            self.deeper(|s| s.assignment(a));
        }
    }

    fn arith(&mut self, name: &str, a: &ArithText) {
        self.line(a.span, name);
        self.deeper(|s| s.parts(&a.parts));
    }

    fn parts(&mut self, parts: &[Part]) {
        parts.iter().for_each(|p| self.part(p));
    }

    fn part(&mut self, part: &Part) {
        let span = part.span;
        match &part.kind {
            PartKind::Literal(b) => self.line(span, &format!("literal {}", show(b))),
            PartKind::Escaped(b) => self.line(span, &format!("escaped {}", show(b))),
            PartKind::Single(b) => self.line(span, &format!("single {}", show(b))),
            PartKind::AnsiC(b) => self.line(span, &format!("ansi-c {}", show(b))),
            PartKind::Double(p) => self.block(span, "double", |s| s.parts(p)),
            PartKind::Locale(p) => self.block(span, "locale", |s| s.parts(p)),
            PartKind::Param(p) => self.param(span, p),
            PartKind::Command(p) => self.block(span, "substitution", |s| s.program("program", p)),
            PartKind::Backquote(p) => self.block(span, "backquote", |s| s.program("program", p)),
            PartKind::Arith(a) => self.block(span, "arithmetic", |s| s.arith("expression", a)),
            PartKind::ProcessIn(p) => self.block(span, "process-in", |s| s.program("program", p)),
            PartKind::ProcessOut(p) => self.block(span, "process-out", |s| s.program("program", p)),
            PartKind::ProcessFile(p) => self.block(span, "process-file", |s| s.program("program", p)),
            PartKind::Braces(a) => self.alternatives(span, "braces", a),
            PartKind::BraceRange(range) => {
                let BraceRange { from: a, to: b, step } = range.as_ref();
                let step = step.as_ref().map_or(String::new(), |s| format!(" step {}", show(s)));
                self.line(span, &format!("range {} {}{step}", show(a), show(b)));
            }
            PartKind::Tilde(user) => self.line(span, &format!("tilde {}", show(user))),
            PartKind::GlobStar => self.line(span, "glob *"),
            PartKind::GlobQuestion => self.line(span, "glob ?"),
            PartKind::GlobBracket(p) => self.block(span, "glob []", |s| s.parts(p)),
            PartKind::ExtGlob(op, a) => self.alternatives(span, &format!("glob {}()", char::from(*op)), a),
        }
    }

    fn alternatives(&mut self, span: Span, name: &str, alternatives: &[Vec<Part>]) {
        self.block(span, name, |s| {
            for a in alternatives {
                let at = a
                    .first()
                    .zip(a.last())
                    .map_or(Span::new(span.start as usize, span.start as usize), |(a, b)| a.span.to(b.span));
                s.block(at, "alternative", |s| s.parts(a));
            }
        });
    }

    fn param(&mut self, span: Span, p: &Param) {
        let sub = match &p.subscript {
            None | Some(Subscript::Index(_)) => "",
            Some(Subscript::At) => "[@]",
            Some(Subscript::Star) => "[*]",
        };
        let indirect = if p.indirect { " indirect" } else { "" };
        self.block(span, &format!("param {}{sub}{indirect}", p.name), |s| {
            if let Some(Subscript::Index(a)) = &p.subscript {
                s.arith("subscript", a);
            }
            let colon = |c: bool| if c { ":" } else { "" };
            let twice = |op: &str, c: bool| if c { format!("{op}{op}") } else { op.to_string() };
            match &p.op {
                ParamOp::None => {}
                ParamOp::Length => s.line(span, "length"),
                ParamOp::Default(c, w) => s.word(&format!("{}-", colon(*c)), w),
                ParamOp::Assign(c, w) => s.word(&format!("{}=", colon(*c)), w),
                ParamOp::Error(c, w) => s.word(&format!("{}?", colon(*c)), w),
                ParamOp::Alternative(c, w) => s.word(&format!("{}+", colon(*c)), w),
                ParamOp::RemovePrefix(c, w) => s.word(&twice("#", *c), w),
                ParamOp::RemoveSuffix(c, w) => s.word(&twice("%", *c), w),
                ParamOp::Replace(at, pattern, with) => {
                    s.word(&format!("replace {at:?}"), pattern);
                    with.iter().for_each(|w| s.word("with", w));
                }
                ParamOp::Substring(a, b) => {
                    s.arith("offset", a);
                    b.iter().for_each(|b| s.arith("length", b));
                }
                ParamOp::Case(op, c, w) => s.word(&twice(&char::from(*op).to_string(), *c), w),
                ParamOp::Transform(op) => s.line(span, &format!("@{}", char::from(*op))),
                ParamOp::Names(at) => s.line(span, if *at { "names @" } else { "names *" }),
                ParamOp::Keys(at) => s.line(span, if *at { "keys @" } else { "keys *" }),
                ParamOp::Other(parts) => s.block(span, "other", |s| s.parts(parts)),
            }
        });
    }

    fn cond(&mut self, e: &Cond) {
        match e {
            Cond::Not(a) => self.unspanned("!", |s| s.cond(a)),
            Cond::Group(a) => self.unspanned("( )", |s| s.cond(a)),
            Cond::And(a, b) => self.unspanned("&&", |s| {
                s.cond(a);
                s.cond(b);
            }),
            Cond::Or(a, b) => self.unspanned("||", |s| {
                s.cond(a);
                s.cond(b);
            }),
            Cond::Unary(op, w) => self.unspanned(op, |s| s.word("operand", w)),
            Cond::Binary(op, a, b) => self.unspanned(op, |s| {
                s.word("left", a);
                s.word("right", b);
            }),
            Cond::Word(w) => self.word("word", w),
        }
    }

    fn unspanned(&mut self, name: &str, f: impl FnOnce(&mut Self)) {
        let pad = self.level * 2;
        self.out.push_str(&format!("{:pad$}{name}\n", ""));
        self.deeper(f);
    }
}
