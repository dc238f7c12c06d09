//! A tree in one line, without places: what tests compare.
//!
//! In: a [`Program`]. Out: its lists, one a line. Words keep the shell's look; what is active in them stands in `⟨ ⟩`
//! (`⟨*⟩`, `⟨a|b⟩` for braces, `⟨~⟩`), what is quoted in `'…'` or `"…"`. Commands are `[words]`, redirections `{fd op
//! target}`, compound commands `(name …)`. Floor 2.

use super::ast::{
    AndOrOp, ArithText, AssignValue, Assignment, BraceRange, CaseEnd, Command, CommandKind, Cond, List, Param, ParamOp,
    Part, PartKind, Pipeline, Program, Redirect, RedirectFd, ReplaceAt, Subscript, Word,
};

/// The lists of a program, one a line; a list that may never be reached begins with `?`, what could not be read is
/// `!reason`.
pub fn compact(program: &Program) -> String {
    let mut lines: Vec<(u32, String)> = program
        .lists
        .iter()
        .map(|l| (l.span.start, format!("{}{}", if l.possible { "? " } else { "" }, list(l))))
        .chain(program.unparsed.iter().map(|u| (u.span.start, format!("!{:?}", u.reason))))
        .collect();
    lines.sort_by_key(|l| l.0);
    lines.into_iter().map(|l| l.1).collect::<Vec<_>>().join("\n")
}

fn join<T>(items: &[T], by: &str, f: impl Fn(&T) -> String) -> String {
    items.iter().map(f).collect::<Vec<_>>().join(by)
}

fn program(p: &Program) -> String {
    compact(p).replace('\n', " ↵ ")
}

fn list(l: &List) -> String {
    let mut out = String::new();
    for (n, item) in l.items.iter().enumerate() {
        if n > 0 {
            out.push_str(if l.items.get(n.saturating_sub(1)).is_some_and(|i| i.background) { " " } else { "; " });
        }
        out.push_str(&pipeline(&item.first));
        for (op, p) in &item.rest {
            out.push_str(if *op == AndOrOp::And { " && " } else { " || " });
            out.push_str(&pipeline(p));
        }
        if item.background {
            out.push_str(" &");
        }
    }
    out
}

fn pipeline(p: &Pipeline) -> String {
    let mut out = String::new();
    if p.timed.is_some() {
        out.push_str("time ");
    }
    if p.negated {
        out.push_str("! ");
    }
    for (n, c) in p.stages.iter().enumerate() {
        if n > 0 {
            out.push_str(if p.pipe_stderr.get(n.saturating_sub(1)) == Some(&true) { " |& " } else { " | " });
        }
        out.push_str(&command(c));
    }
    out
}

fn command(c: &Command) -> String {
    let mut redirects = join(&c.redirects, "", |r| format!(" {}", redirect(r)));
    let kind = match &c.kind {
        CommandKind::Simple(s) => {
            let mut words: Vec<String> = s.assignments.iter().map(assignment).collect();
            words.extend(s.words.iter().map(word));
            if words.is_empty() {
                redirects = redirects.trim_start().to_string();
            }
            return format!("[{}{redirects}]", words.join(" "));
        }
        CommandKind::Subshell(l) => format!("(sub {})", list(l)),
        CommandKind::Group(l) => format!("(group {})", list(l)),
        CommandKind::If(i) => {
            let branches = join(&i.branches, " elif ", |(c, b)| format!("{} then {}", list(c), list(b)));
            let otherwise = i.otherwise.as_ref().map_or(String::new(), |l| format!(" else {}", list(l)));
            format!("(if {branches}{otherwise})")
        }
        CommandKind::For(f) | CommandKind::Select(f) => {
            let name = if matches!(c.kind, CommandKind::For(_)) { "for" } else { "select" };
            let words = f.words.as_ref().map_or(String::new(), |w| format!(" in {}", join(w, " ", word)));
            format!("({name} {}{words} do {})", f.name, list(&f.body))
        }
        CommandKind::ArithFor(f) => {
            format!("(for (({};{};{})) do {})", arith(&f.init), arith(&f.test), arith(&f.step), list(&f.body))
        }
        CommandKind::Loop(l) => {
            format!("({} {} do {})", if l.until { "until" } else { "while" }, list(&l.condition), list(&l.body))
        }
        CommandKind::Case(k) => {
            let arms = join(&k.arms, " ", |a| {
                let end = match a.end {
                    CaseEnd::Break => ";;",
                    CaseEnd::FallThrough => ";&",
                    CaseEnd::Continue => ";;&",
                };
                format!("{}) {}{end}", join(&a.patterns, "|", word), list(&a.body))
            });
            format!("(case {} {arms})", word(&k.word))
        }
        CommandKind::Function(f) => format!("(function {} {})", f.name, command(&f.body)),
        CommandKind::Coproc(p) => format!("(coproc {} {})", p.name, command(&p.body)),
        CommandKind::Cond(e) => format!("(cond {})", cond(e)),
        CommandKind::Arith(a) => format!("(arith {})", arith(a)),
    };
    format!("{kind}{redirects}")
}

fn redirect(r: &Redirect) -> String {
    let fd = match &r.fd {
        RedirectFd::Default => String::new(),
        RedirectFd::Number(n) => format!("{n} "),
        RedirectFd::Variable(v) => format!("{{{v}}} "),
    };
    let body = r.heredoc.as_ref().map_or(String::new(), |h| {
        let open = if h.closed { "" } else { " open" };
        format!(" {}{}{open}", if h.quoted { "quoted " } else { "" }, parts(&h.parts).replace('\n', "↵"))
    });
    format!("{{{fd}{:?} {}{body}}}", r.op, word(&r.target))
}

fn assignment(a: &Assignment) -> String {
    let sub = a.subscript.as_ref().map_or(String::new(), |s| format!("[{}]", arith(s)));
    let value = match &a.value {
        AssignValue::Word(w) => word(w),
        AssignValue::Array(elements) => {
            let inner = join(elements, " ", |e| {
                let op = if e.append { "+=" } else { "=" };
                let key = e.subscript.as_ref().map_or(String::new(), |s| format!("[{}]{op}", arith(s)));
                format!("{key}{}", word(&e.value))
            });
            format!("({inner})")
        }
    };
    format!("⟨{}{sub}{}⟩{value}", a.name, if a.append { "+=" } else { "=" })
}

fn word(w: &Word) -> String {
    w.assignment.as_ref().map_or_else(|| parts(&w.parts), |a| assignment(a))
}

fn arith(a: &ArithText) -> String {
    parts(&a.parts)
}

fn parts(p: &[Part]) -> String {
    join(p, "", part)
}

fn text(b: &[u8]) -> String {
    String::from_utf8_lossy(b).into_owned()
}

fn part(p: &Part) -> String {
    match &p.kind {
        PartKind::Literal(b) => text(b),
        PartKind::Escaped(b) | PartKind::Single(b) => format!("'{}'", text(b)),
        PartKind::AnsiC(b) => format!("$'{}'", text(b)),
        PartKind::Double(inner) => format!("\"{}\"", parts(inner)),
        PartKind::Locale(inner) => format!("$\"{}\"", parts(inner)),
        PartKind::Param(p) => param(p),
        PartKind::Command(p) => format!("$({})", program(p)),
        PartKind::Backquote(p) => format!("`{}`", program(p)),
        PartKind::Arith(a) => format!("$(({}))", arith(a)),
        PartKind::ProcessIn(p) => format!("<({})", program(p)),
        PartKind::ProcessOut(p) => format!(">({})", program(p)),
        PartKind::ProcessFile(p) => format!("=({})", program(p)),
        PartKind::Braces(a) => format!("⟨{}⟩", join(a, "|", |p| parts(p))),
        PartKind::BraceRange(range) => {
            let BraceRange { from: a, to: b, step } = range.as_ref();
            let step = step.as_ref().map_or(String::new(), |s| format!("..{}", text(s)));
            format!("⟨{}..{}{step}⟩", text(a), text(b))
        }
        PartKind::Tilde(user) => format!("⟨~{}⟩", text(user)),
        PartKind::GlobStar => "⟨*⟩".into(),
        PartKind::GlobQuestion => "⟨?⟩".into(),
        PartKind::GlobBracket(inner) => format!("⟨[{}]⟩", parts(inner)),
        PartKind::ExtGlob(op, a) => format!("⟨{}({})⟩", char::from(*op), join(a, "|", |p| parts(p))),
    }
}

fn param(p: &Param) -> String {
    let sub = match &p.subscript {
        None => String::new(),
        Some(Subscript::At) => "[@]".into(),
        Some(Subscript::Star) => "[*]".into(),
        Some(Subscript::Index(a)) => format!("[{}]", arith(a)),
    };
    let twice = |op: &str, two: bool| if two { op.repeat(2) } else { op.to_string() };
    let colon = |c: bool| if c { ":" } else { "" };
    let op = match &p.op {
        ParamOp::None | ParamOp::Length => String::new(),
        ParamOp::Default(c, w) => format!("{}-{}", colon(*c), word(w)),
        ParamOp::Assign(c, w) => format!("{}={}", colon(*c), word(w)),
        ParamOp::Error(c, w) => format!("{}?{}", colon(*c), word(w)),
        ParamOp::Alternative(c, w) => format!("{}+{}", colon(*c), word(w)),
        ParamOp::RemovePrefix(two, w) => format!("{}{}", twice("#", *two), word(w)),
        ParamOp::RemoveSuffix(two, w) => format!("{}{}", twice("%", *two), word(w)),
        ParamOp::Case(op, two, w) => format!("{}{}", twice(&char::from(*op).to_string(), *two), word(w)),
        ParamOp::Replace(at, a, b) => {
            let op = match at {
                ReplaceAt::First => "/",
                ReplaceAt::All => "//",
                ReplaceAt::Start => "/#",
                ReplaceAt::End => "/%",
            };
            format!("{op}{}{}", word(a), b.as_ref().map_or(String::new(), |b| format!("/{}", word(b))))
        }
        ParamOp::Substring(a, b) => {
            format!(":{}{}", arith(a), b.as_ref().map_or(String::new(), |b| format!(":{}", arith(b))))
        }
        ParamOp::Transform(op) => format!("@{}", char::from(*op)),
        ParamOp::Names(at) => if *at { "@" } else { "*" }.into(),
        ParamOp::Keys(at) => if *at { "[@]" } else { "[*]" }.into(),
        ParamOp::Other(inner) => format!(" other {}", parts(inner)),
    };
    let length = if matches!(p.op, ParamOp::Length) { "#" } else { "" };
    format!("${{{length}{}{}{sub}{op}}}", if p.indirect { "!" } else { "" }, p.name)
}

fn cond(e: &Cond) -> String {
    match e {
        Cond::Not(a) => format!("! {}", cond(a)),
        Cond::Group(a) => format!("({})", cond(a)),
        Cond::And(a, b) => format!("{} && {}", cond(a), cond(b)),
        Cond::Or(a, b) => format!("{} || {}", cond(a), cond(b)),
        Cond::Unary(op, w) => format!("{op} {}", word(w)),
        Cond::Binary(op, a, b) => format!("{} {op} {}", word(a), word(b)),
        Cond::Word(w) => word(w),
    }
}
