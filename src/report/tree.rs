//! Syntax tree → an indented list of its nodes, one a line: the name, the byte range, the text where it is a leaf.
//!
//! For people who look at what a reader made of a text. Floor 8. Its depth is the tree's, which the readers bound.

use super::visible;
use crate::source::Span;
use crate::syntax::ast::{
    AndOr, AndOrOp, ArithText, AssignValue, Assignment, Case, Command, CommandKind, Cond, For, List, Param, ParamOp,
    Part, PartKind, Pipeline, Program, Redirect, RedirectFd, Simple, Subscript, Word,
};

/// The tree of a program.
pub fn program(program: &Program) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    printer.program("program", program);
    printer.out
}

struct Printer {
    out: String,
    depth: usize,
}

impl Printer {
    /// One line; `text` as a string literal where given.
    fn node(&mut self, name: &str, span: Option<Span>, text: Option<&[u8]>) {
        self.out.extend(std::iter::repeat_n("  ", self.depth));
        self.out.push_str(name);
        if let Some(span) = span {
            self.out.push_str(&format!(" {}..{}", span.start, span.end));
        }
        if let Some(text) = text {
            self.out.push_str(&format!(" \"{}\"", visible::line(&String::from_utf8_lossy(text))));
        }
        self.out.push('\n');
    }

    /// A line with children.
    fn with(&mut self, name: &str, span: Option<Span>, children: impl FnOnce(&mut Self)) {
        self.node(name, span, None);
        self.depth = self.depth.saturating_add(1);
        children(self);
        self.depth = self.depth.saturating_sub(1);
    }

    fn program(&mut self, name: &str, p: &Program) {
        self.with(name, Some(p.span), |s| {
            p.lists.iter().for_each(|l| s.list("list", l));
            p.comments.iter().for_each(|c| s.node("comment", Some(*c), None));
            p.unparsed.iter().for_each(|u| s.node(&format!("unparsed {:?}", u.reason), Some(u.span), None));
        });
    }

    fn list(&mut self, name: &str, l: &List) {
        let name = if l.possible { format!("{name} possible") } else { name.to_string() };
        self.with(&name, Some(l.span), |s| l.items.iter().for_each(|a| s.and_or(a)));
    }

    fn and_or(&mut self, a: &AndOr) {
        if a.rest.is_empty() && !a.background {
            return self.pipeline("pipeline", &a.first);
        }
        self.with(if a.background { "and-or background" } else { "and-or" }, Some(a.span), |s| {
            s.pipeline("pipeline", &a.first);
            for (op, p) in &a.rest {
                s.pipeline(if *op == AndOrOp::And { "&& pipeline" } else { "|| pipeline" }, p);
            }
        });
    }

    fn pipeline(&mut self, name: &str, p: &Pipeline) {
        if p.stages.len() == 1
            && !p.negated
            && p.timed.is_none()
            && name == "pipeline"
            && let Some(only) = p.stages.first()
        {
            return self.command("command", only);
        }
        let mut name = name.to_string();
        if p.negated {
            name.push_str(" negated");
        }
        if p.timed.is_some() {
            name.push_str(" timed");
        }
        self.with(&name, Some(p.span), |s| {
            for (i, c) in p.stages.iter().enumerate() {
                let after_both = i.checked_sub(1).and_then(|i| p.pipe_stderr.get(i)).copied().unwrap_or(false);
                s.command(if after_both { "|& command" } else { "command" }, c);
            }
        });
    }

    fn command(&mut self, name: &str, c: &Command) {
        let kind = match &c.kind {
            CommandKind::Simple(_) => "simple",
            CommandKind::Subshell(_) => "subshell",
            CommandKind::Group(_) => "group",
            CommandKind::If(_) => "if",
            CommandKind::For(_) => "for",
            CommandKind::ArithFor(_) => "arithmetic for",
            CommandKind::Loop(l) if l.until => "until",
            CommandKind::Loop(_) => "while",
            CommandKind::Case(_) => "case",
            CommandKind::Select(_) => "select",
            CommandKind::Function(_) => "function",
            CommandKind::Coproc(_) => "coproc",
            CommandKind::Cond(_) => "[[ ]]",
            CommandKind::Arith(_) => "(( ))",
        };
        let name = if name == "command" { kind.to_string() } else { format!("{name}: {kind}") };
        self.with(&name, Some(c.span), |s| {
            match &c.kind {
                CommandKind::Simple(simple) => s.simple(simple),
                CommandKind::Subshell(l) | CommandKind::Group(l) => s.list("list", l),
                CommandKind::If(i) => {
                    for (condition, body) in &i.branches {
                        s.list("condition", condition);
                        s.list("then", body);
                    }
                    i.otherwise.iter().for_each(|l| s.list("else", l));
                }
                CommandKind::For(f) | CommandKind::Select(f) => s.for_loop(f),
                CommandKind::ArithFor(f) => {
                    s.arith("init", &f.init);
                    s.arith("test", &f.test);
                    s.arith("step", &f.step);
                    s.list("body", &f.body);
                }
                CommandKind::Loop(l) => {
                    s.list("condition", &l.condition);
                    s.list("body", &l.body);
                }
                CommandKind::Case(case) => s.case(case),
                CommandKind::Function(f) => {
                    s.node("name", None, Some(f.name.as_bytes()));
                    s.command("command", &f.body);
                }
                CommandKind::Coproc(c) => {
                    s.node("name", None, Some(c.name.as_bytes()));
                    s.command("command", &c.body);
                }
                CommandKind::Cond(e) => s.cond(e),
                CommandKind::Arith(a) => s.arith("expression", a),
            }
            c.redirects.iter().for_each(|r| s.redirect(r));
        });
    }

    fn simple(&mut self, simple: &Simple) {
        simple.assignments.iter().for_each(|a| self.assignment(a));
        simple.words.iter().for_each(|w| self.word("word", w));
    }

    fn for_loop(&mut self, f: &For) {
        self.node("name", None, Some(f.name.as_bytes()));
        for w in f.words.iter().flatten() {
            self.word("in", w);
        }
        self.list("body", &f.body);
    }

    fn case(&mut self, case: &Case) {
        self.word("word", &case.word);
        for arm in &case.arms {
            self.with(&format!("clause ends {:?}", arm.end), None, |s| {
                arm.patterns.iter().for_each(|p| s.word("pattern", p));
                s.list("body", &arm.body);
            });
        }
    }

    fn cond(&mut self, e: &Cond) {
        match e {
            Cond::Not(e) => self.with("not", None, |s| s.cond(e)),
            Cond::Group(e) => self.with("group", None, |s| s.cond(e)),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.with(if matches!(e, Cond::And(..)) { "and" } else { "or" }, None, |s| {
                    s.cond(a);
                    s.cond(b);
                });
            }
            Cond::Unary(op, w) => self.with(&format!("test {op}"), None, |s| s.word("word", w)),
            Cond::Binary(op, a, b) => self.with(&format!("test {op}"), None, |s| {
                s.word("left", a);
                s.word("right", b);
            }),
            Cond::Word(w) => self.word("word", w),
        }
    }

    fn assignment(&mut self, a: &Assignment) {
        let op = if a.append { "+=" } else { "=" };
        self.with(&format!("assignment {}{op}", visible::line(&a.name)), Some(a.span), |s| {
            a.subscript.iter().for_each(|i| s.arith("subscript", i));
            match &a.value {
                AssignValue::Word(w) => s.word("value", w),
                AssignValue::Array(elements) => {
                    for e in elements {
                        s.with(if e.append { "element +=" } else { "element" }, None, |s| {
                            e.subscript.iter().for_each(|i| s.arith("subscript", i));
                            s.word("value", &e.value);
                        });
                    }
                }
            }
        });
    }

    fn redirect(&mut self, r: &Redirect) {
        let fd = match &r.fd {
            RedirectFd::Default => String::new(),
            RedirectFd::Number(n) => format!(" {n}"),
            RedirectFd::Variable(v) => format!(" {{{}}}", visible::line(v)),
        };
        self.with(&format!("redirect{fd} {:?}", r.op), Some(r.span), |s| {
            s.word("target", &r.target);
            if let Some(h) = &r.heredoc {
                let name = format!(
                    "heredoc{}{}",
                    if h.quoted { " quoted" } else { "" },
                    if h.closed { "" } else { " not closed" }
                );
                s.with(&name, Some(h.span), |s| s.parts(&h.parts));
            }
        });
    }

    fn word(&mut self, name: &str, w: &Word) {
        match w.parts.as_slice() {
            [Part { kind: PartKind::Literal(b), .. }] if w.assignment.is_none() => {
                self.node(name, Some(w.span), Some(b))
            }
            parts => self.with(name, Some(w.span), |s| {
                s.parts(parts);
                w.assignment.iter().for_each(|a| s.assignment(a));
            }),
        }
    }

    fn parts(&mut self, parts: &[Part]) {
        parts.iter().for_each(|p| self.part(p));
    }

    fn alternatives(&mut self, all: &[Vec<Part>]) {
        all.iter().for_each(|parts| self.with("alternative", None, |s| s.parts(parts)));
    }

    fn part(&mut self, part: &Part) {
        let at = Some(part.span);
        match &part.kind {
            PartKind::Literal(b) => self.node("literal", at, Some(b)),
            PartKind::Escaped(b) => self.node("escaped", at, Some(b)),
            PartKind::Single(b) => self.node("single-quoted", at, Some(b)),
            PartKind::AnsiC(b) => self.node("$'quoted'", at, Some(b)),
            PartKind::Double(parts) => self.with("double-quoted", at, |s| s.parts(parts)),
            PartKind::Locale(parts) => self.with("$\"quoted\"", at, |s| s.parts(parts)),
            PartKind::Param(p) => self.param(p, part.span),
            PartKind::Command(p) => self.nested("$( )", part, p),
            PartKind::Backquote(p) => self.nested("backquotes", part, p),
            PartKind::Arith(a) => self.with("$(( ))", at, |s| s.arith("expression", a)),
            PartKind::ProcessIn(p) => self.nested("<( )", part, p),
            PartKind::ProcessOut(p) => self.nested(">( )", part, p),
            PartKind::ProcessFile(p) => self.nested("=( )", part, p),
            PartKind::Braces(all) => self.with("braces", at, |s| s.alternatives(all)),
            PartKind::BraceRange(range) => self.with("brace range", at, |s| {
                s.node("from", None, Some(&range.from));
                s.node("to", None, Some(&range.to));
                range.step.iter().for_each(|b| s.node("step", None, Some(b)));
            }),
            PartKind::Tilde(b) => self.node("tilde", at, Some(b)),
            PartKind::GlobStar => self.node("glob *", at, None),
            PartKind::GlobQuestion => self.node("glob ?", at, None),
            PartKind::GlobBracket(parts) => self.with("glob [ ]", at, |s| s.parts(parts)),
            PartKind::ExtGlob(op, all) => {
                self.with(&format!("glob {}( )", char::from(*op)), at, |s| s.alternatives(all));
            }
        }
    }

    fn nested(&mut self, name: &str, part: &Part, p: &Program) {
        self.with(name, Some(part.span), |s| s.program("program", p));
    }

    fn arith(&mut self, name: &str, a: &ArithText) {
        self.with(name, Some(a.span), |s| s.parts(&a.parts));
    }

    fn param(&mut self, p: &Param, span: Span) {
        let bang = if p.indirect { "!" } else { "" };
        self.with(&format!("parameter {bang}{}", visible::line(&p.name)), Some(span), |s| {
            match &p.subscript {
                None => {}
                Some(Subscript::At) => s.node("subscript @", None, None),
                Some(Subscript::Star) => s.node("subscript *", None, None),
                Some(Subscript::Index(a)) => s.arith("subscript", a),
            }
            s.op(&p.op);
        });
    }

    fn op(&mut self, op: &ParamOp) {
        let colon = |c: &bool| if *c { ":" } else { "" };
        match op {
            ParamOp::None => {}
            ParamOp::Length => self.node("length", None, None),
            ParamOp::Default(c, w) => self.word(&format!("{}-", colon(c)), w),
            ParamOp::Assign(c, w) => self.word(&format!("{}=", colon(c)), w),
            ParamOp::Error(c, w) => self.word(&format!("{}?", colon(c)), w),
            ParamOp::Alternative(c, w) => self.word(&format!("{}+", colon(c)), w),
            ParamOp::RemovePrefix(longest, w) => self.word(if *longest { "##" } else { "#" }, w),
            ParamOp::RemoveSuffix(longest, w) => self.word(if *longest { "%%" } else { "%" }, w),
            ParamOp::Replace(at, pattern, with) => self.with(&format!("replace {at:?}"), None, |s| {
                s.word("pattern", pattern);
                with.iter().for_each(|w| s.word("with", w));
            }),
            ParamOp::Substring(from, length) => self.with("substring", None, |s| {
                s.arith("from", from);
                length.iter().for_each(|l| s.arith("length", l));
            }),
            ParamOp::Case(op, all, w) => {
                let op = char::from(*op);
                self.word(&if *all { format!("{op}{op}") } else { op.to_string() }, w);
            }
            ParamOp::Transform(op) => self.node(&format!("@{}", char::from(*op)), None, None),
            ParamOp::Names(words) => self.node(if *words { "names @" } else { "names *" }, None, None),
            ParamOp::Keys(words) => self.node(if *words { "keys @" } else { "keys *" }, None, None),
            ParamOp::Other(parts) => self.with("other", None, |s| s.parts(parts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::shell::{Dialect, read};

    #[test]
    fn the_tree_of_a_pipe() {
        let text = "curl -s \"$u\" | sh >f";
        let want = "\
program 0..20
  list 0..20
    pipeline 0..20
      simple 0..12
        word 0..4 \"curl\"
        word 5..7 \"-s\"
        word 8..12
          double-quoted 8..12
            parameter u 9..11
      simple 15..20
        word 15..17 \"sh\"
        redirect Write 18..20
          target 19..20 \"f\"
";
        assert_eq!(program(&read(text.as_bytes(), Dialect::BASH)), want);
    }

    #[test]
    fn every_kind_of_node_has_a_line() {
        let text = "if a; then b; elif c; then d; else e; fi; for i in x; do y; done; for ((i=0;i<1;i++)); do :; done\n\
            while a; do b; done; until a; do b; done; case w in (p|q) r;; *) s;& esac; select v in a; do b; done\n\
            f() { g; }; coproc h; [[ ! -f a && ( b == c* || d ) ]]; ((1+1)); (k) |& l & time m; ! n\n\
            A=1 B+=2 C=([0]=x y) export D=3 <<E 2>&1 {fd}<g <<<h\nt $v ${w:-x} `z`\nE\n\
            echo 'a' $'b' $\"c\" \\d ~ * ? [x] @(a|b) {a,b} {1..3} $((1)) <(a) >(b) ${x[@]} ${#x} ${x/a/b} ${x:1:2} ${x^^} ${x@Q} ${!p*}\n\
            #c\nfoo 'unclosed";
        let tree = program(&read(text.as_bytes(), Dialect::BASH));
        for name in [
            "if",
            "condition",
            "then",
            "else",
            "for",
            "arithmetic for",
            "while",
            "until",
            "case",
            "pattern",
            "select",
            "function",
            "coproc",
            "[[ ]]",
            "not",
            "test -f",
            "or",
            "(( ))",
            "subshell",
            "and-or background",
            "assignment B+=",
            "element",
            "subscript",
            "redirect Heredoc",
            "heredoc",
            "redirect 2 DupOut",
            "redirect {fd} Read",
            "redirect HereString",
            ":-",
            "backquotes",
            "single-quoted",
            "$'quoted'",
            "escaped",
            "tilde",
            "glob *",
            "glob ?",
            "glob [ ]",
            "glob @( )",
            "braces",
            "brace range",
            "$(( ))",
            "<( )",
            ">( )",
            "subscript @",
            "length",
            "replace First",
            "substring",
            "^^",
            "@Q",
            "names *",
            "comment",
            "unparsed UnexpectedEnd",
        ] {
            assert!(tree.lines().any(|l| l.trim_start().starts_with(name)), "{name} is missing:\n{tree}");
        }
    }
}
