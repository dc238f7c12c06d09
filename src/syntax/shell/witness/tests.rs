//! What the tree is lowered to, shown as text: words in `<>`, parts by a letter, commands in order.

use super::*;
use crate::syntax::ast::*;
use std::time::Instant;

fn show(text: &str) -> String {
    let program = read(text.as_bytes()).unwrap();
    let mut out = lists(&program.lists);
    for gap in &program.unparsed {
        out.push_str(&format!(" !{:?}({})", gap.reason, String::from_utf8_lossy(gap.span.of(text.as_bytes()))));
    }
    out
}

fn lists(all: &[List]) -> String {
    all.iter().map(list).collect::<Vec<_>>().join(" \\n ")
}

fn list(list: &List) -> String {
    let items = list.items.iter().map(|item| {
        let mut out = pipeline(&item.first);
        for (op, p) in &item.rest {
            out.push_str(if *op == AndOrOp::And { " && " } else { " || " });
            out.push_str(&pipeline(p));
        }
        if item.background { format!("{out} &") } else { out }
    });
    items.collect::<Vec<_>>().join(" ; ")
}

fn pipeline(p: &Pipeline) -> String {
    let mut out = String::new();
    if p.timed.is_some() {
        out.push_str("time ");
    }
    if p.negated {
        out.push_str("! ");
    }
    assert_eq!(p.pipe_stderr.len(), p.stages.len().saturating_sub(1));
    for (i, stage) in p.stages.iter().enumerate() {
        if i > 0 {
            out.push_str(if p.pipe_stderr[i - 1] { " |& " } else { " | " });
        }
        out.push_str(&command(stage));
    }
    out
}

fn command(c: &Command) -> String {
    let mut out = match &c.kind {
        CommandKind::Simple(s) => {
            let mut all: Vec<String> = s.assignments.iter().map(assignment).collect();
            all.extend(s.words.iter().map(word));
            all.join(" ")
        }
        CommandKind::Subshell(l) => format!("( {} )", list(l)),
        CommandKind::Group(l) => format!("{{ {} }}", list(l)),
        CommandKind::If(i) => {
            let mut out = String::from("if");
            for (a, b) in &i.branches {
                out.push_str(&format!(" [{}] [{}]", list(a), list(b)));
            }
            if let Some(l) = &i.otherwise {
                out.push_str(&format!(" else [{}]", list(l)));
            }
            out
        }
        CommandKind::For(f) | CommandKind::Select(f) => {
            let words = f.words.as_ref().map(|w| w.iter().map(word).collect::<Vec<_>>().join(" "));
            format!("for {} in {words:?} do {}", f.name, list(&f.body))
        }
        CommandKind::ArithFor(f) => format!(
            "for (({};{};{})) {}",
            parts(&f.init.parts),
            parts(&f.test.parts),
            parts(&f.step.parts),
            list(&f.body)
        ),
        CommandKind::Loop(l) => format!("loop {} [{}] [{}]", l.until, list(&l.condition), list(&l.body)),
        CommandKind::Case(c) => {
            let arms = c.arms.iter().map(|a| {
                let patterns = a.patterns.iter().map(word).collect::<Vec<_>>().join("|");
                format!("{patterns}) {} {:?}", list(&a.body), a.end)
            });
            format!("case {} {}", word(&c.word), arms.collect::<Vec<_>>().join(", "))
        }
        CommandKind::Function(f) => format!("fn {} {}", f.name, command(&f.body)),
        CommandKind::Coproc(c) => format!("coproc {} {}", c.name, command(&c.body)),
        CommandKind::Cond(c) => format!("[[ {} ]]", cond(c)),
        CommandKind::Arith(t) => format!("(({}))", parts(&t.parts)),
    };
    for r in &c.redirects {
        let fd = match &r.fd {
            RedirectFd::Default => String::new(),
            RedirectFd::Number(n) => n.to_string(),
            RedirectFd::Variable(v) => format!("{{{v}}}"),
        };
        out.push_str(&format!(" {fd}{:?}{}", r.op, word(&r.target)));
        if let Some(h) = &r.heredoc {
            let sign = if h.quoted { "'" } else { "" };
            out.push_str(&format!("{sign}[{}]{}", parts(&h.parts).escape_debug(), if h.closed { "" } else { "..." }));
        }
    }
    out
}

fn assignment(a: &Assignment) -> String {
    let value = match &a.value {
        AssignValue::Word(w) => word(w),
        AssignValue::Array(all) => format!("({})", all.iter().map(|e| word(&e.value)).collect::<Vec<_>>().join(" ")),
    };
    let subscript = a.subscript.as_ref().map(|s| format!("[{}]", parts(&s.parts))).unwrap_or_default();
    format!("{}{subscript}{}{value}", a.name, if a.append { "+=" } else { "=" })
}

fn cond(c: &Cond) -> String {
    match c {
        Cond::Not(a) => format!("! {}", cond(a)),
        Cond::Group(a) => format!("( {} )", cond(a)),
        Cond::And(a, b) => format!("{} && {}", cond(a), cond(b)),
        Cond::Or(a, b) => format!("{} || {}", cond(a), cond(b)),
        Cond::Unary(op, w) => format!("{op} {}", word(w)),
        Cond::Binary(op, a, b) => format!("{} {op} {}", word(a), word(b)),
        Cond::Word(w) => word(w),
    }
}

fn word(w: &Word) -> String {
    match &w.assignment {
        Some(a) => format!("<{}>", assignment(a)),
        None => format!("<{}>", parts(&w.parts)),
    }
}

fn parts(all: &[Part]) -> String {
    all.iter().map(part).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn part(p: &Part) -> String {
    match &p.kind {
        PartKind::Literal(b) => text(b),
        PartKind::Escaped(b) => format!("E({})", text(b)),
        PartKind::Single(b) => format!("S({})", text(b)),
        PartKind::AnsiC(b) => format!("C({})", text(b)),
        PartKind::Double(p) => format!("D({})", parts(p)),
        PartKind::Locale(p) => format!("L({})", parts(p)),
        PartKind::Param(p) => {
            let sub = match &p.subscript {
                None => String::new(),
                Some(Subscript::At) => "[@]".into(),
                Some(Subscript::Star) => "[*]".into(),
                Some(Subscript::Index(t)) => format!("[{}]", parts(&t.parts)),
            };
            let op = match &p.op {
                ParamOp::None => String::new(),
                ParamOp::Length => " #".into(),
                ParamOp::Default(c, w) => format!(" {}- {}", if *c { ":" } else { "" }, word(w)),
                ParamOp::Assign(c, w) => format!(" {}= {}", if *c { ":" } else { "" }, word(w)),
                ParamOp::Error(c, w) => format!(" {}? {}", if *c { ":" } else { "" }, word(w)),
                ParamOp::Alternative(c, w) => format!(" {}+ {}", if *c { ":" } else { "" }, word(w)),
                ParamOp::RemovePrefix(l, w) => format!(" {} {}", if *l { "##" } else { "#" }, word(w)),
                ParamOp::RemoveSuffix(l, w) => format!(" {} {}", if *l { "%%" } else { "%" }, word(w)),
                ParamOp::Replace(at, a, b) => {
                    format!(" {at:?} {} {}", word(a), b.as_ref().map(word).unwrap_or_default())
                }
                ParamOp::Substring(a, b) => {
                    format!(" :{}:{}", parts(&a.parts), b.as_ref().map(|t| parts(&t.parts)).unwrap_or_default())
                }
                ParamOp::Case(c, twice, w) => format!(" {}{twice}{}", *c as char, word(w)),
                ParamOp::Transform(c) => format!(" @{}", *c as char),
                ParamOp::Names(at) => format!(" names {at}"),
                ParamOp::Keys(at) => format!(" keys {at}"),
                ParamOp::Other(p) => format!(" other {}", parts(p)),
            };
            format!("${{{}{}{sub}{op}}}", if p.indirect { "!" } else { "" }, p.name)
        }
        PartKind::Command(p) => format!("$( {} )", lists(&p.lists)),
        PartKind::Backquote(p) => format!("` {} `", lists(&p.lists)),
        PartKind::Arith(t) => format!("$(({}))", parts(&t.parts)),
        PartKind::ProcessIn(p) => format!("<( {} )", lists(&p.lists)),
        PartKind::ProcessOut(p) => format!(">( {} )", lists(&p.lists)),
        PartKind::BraceRange(r) => format!("range({},{})", text(&r.from), text(&r.to)),
        PartKind::Tilde(b) => format!("~({})", text(b)),
        PartKind::GlobStar => "G*".into(),
        PartKind::GlobQuestion => "G?".into(),
        PartKind::GlobBracket(p) => format!("G[{}]", parts(p)),
        PartKind::Braces(all) => format!("{{{}}}", all.iter().map(|p| parts(p)).collect::<Vec<_>>().join("|")),
        other => format!("{other:?}"),
    }
}

/// Text, what it is lowered to.
const CASES: &[(&str, &str)] = &[
    ("a b", "<a> <b>"),
    ("a; b & c\nd", "<a> ; <b> & ; <c> \\n <d>"),
    ("a && b || c | d |& e", "<a> && <b> || <c> | <d> |& <e>"),
    ("! a | b", "! <a> | <b>"),
    ("time -p a b", "time <a> <b>"),
    ("coproc a b", "coproc COPROC <a> <b>"),
    ("a 'b c' \"d $e\" f\\ g $'\\x41\\n'", "<a> <S(b c)> <D(d ${e})> <fE( )g> <C(A\n)>"),
    ("a \"b\\\"c \\d\"", "<a> <D(b\"c \\d)>"),
    ("a $\"b\"", "<a> <L(b)>"),
    ("a * ?b [c-d]e ~/f ~g", "<a> <G*> <G?b> <G[c-d]e> <~()/f> <~(g)>"),
    ("a {1..3} {b,c}", "<a> <range(1,3)> <{b|c}>"),
    (
        "a x{b,{c,d}$e}y {f} {g,h {i..k} 'l{m,n}' o={p,q}",
        "<a> <x{b|{c|d}${e}}y> <{f}> <{g,h> <range(i,k)> <S(l{m,n})> <o={p|q}>",
    ),
    ("a={b,c}", "a=<{b,c}>"),
    ("a=b c+=d e[1]=f g", "a=<b> c+=<d> e[1]=<f> <g>"),
    ("a=(b 'c' $d)", "a=(<b> <S(c)> <${d}>)"),
    ("export a=b c", "<export> <a=<b>> <c>"),
    ("a=", "a=<>"),
    // Redirections, with the arguments that the grammar hides behind a target.
    ("a </dev/null -b c", "<a> <-b> <c> Read</dev/null>"),
    ("a 2>&1 >f >>g", "<a> 2DupOut<1> Write<f> Append<g>"),
    ("a >&- 3<&-", "<a> DupOut<-> 3DupIn<->"),
    ("1a=b c", "<1a=b> <c>"),
    ("1a=$(b)", "<1a=$( <b> )>"),
    ("a && b 0<$c | d", "<a> && <b> 0Read<${c}> | <d>"),
    ("a && b >f", "<a> && <b> Write<f>"),
    ("a <<< b c", "<a> <c> HereString<b>"),
    ("a &>f", "<a> BothWrite<f>"),
    // A newline ends a command, whatever the tree says.
    ("a | b | c\nd && e", "<a> | <b> | { <c> ; <d> } && <e> !NotLowered(\n)"),
    ("ls\n\\rm -rf ~", "{ <ls> ; <E(r)m> <-rf> <~()> } !NotLowered(\n)"),
    ("a | b | c && d >e", "<a> | <b> | <c> && <d> Write<e>"),
    ("a && b <c |& d", "<a> && <b> Read<c> |& <d>"),
    // Here-documents and what hangs on them.
    ("a <<E\nx $y\nE\n", "<a> Heredoc<E>[x ${y}\\n]"),
    ("a <<'E'\nx $y\nE\n", "<a> Heredoc<S(E)>'[x $y\\n]"),
    ("a <<-E\n\tx\n\ty\n\tE\n", "<a> HeredocTabs<E>[x\\ny\\n]"),
    ("a <<E | b\nx\nE\n", "<a> Heredoc<E>[x\\n] | <b>"),
    ("a <<E && b\nx\nE\n", "<a> Heredoc<E>[x\\n] && <b>"),
    ("a <<E >f\nx\nE\nb", "<a> Heredoc<E>[x\\n] Write<f> \\n <b>"),
    ("a <<E b\n\n  x\nE\n", "<a> <b> Heredoc<E>[\\n  x\\n]"),
    ("a - <<E\nx\nE\n", "<a> <-> Heredoc<E>[x\\n]"),
    ("until ((i == 0)); do a; done", "loop true [((i == 0))] [<a>]"),
    ("a ${b-(c)} ${b/$c} ${b##${c}x}", "<a> <${b - <(c)>}> <${b First <${c}> }> <${b ## <${c}x>}>"),
    // Compound commands.
    ("(a; b) >f", "( <a> ; <b> ) Write<f>"),
    ("{ a; b; }", "{ <a> ; <b> }"),
    ("if a; then b; elif c; then d; else e; fi", "if [<a>] [<b>] [<c>] [<d>] else [<e>]"),
    ("for x in a b; do c; done", "for x in Some(\"<a> <b>\") do <c>"),
    ("for x; do c; done", "for x in None do <c>"),
    ("for ((i=0; i<3; i++)); do a; done", "for ((i=0; i<3; i++)) <a>"),
    ("while a; do b; done", "loop false [<a>] [<b>]"),
    ("until a; do b; done", "loop true [<a>] [<b>]"),
    ("case $x in a|b) c;; *) d;& e) ;; esac", "case <${x}> <a>|<b>) <c> Break, <G*>) <d> FallThrough, <e>)  Break"),
    ("f() { a; } >g", "fn f { <a> } Write<g>"),
    ("function f { a; }", "fn f { <a> }"),
    ("((a + $b))", "((a + ${b}))"),
    ("[[ -f a && $b == c* || ! d =~ e ]]", "[[ -f <a> && <${b}> == <cG*> || ! <d> =~ <e> ]]"),
    ("[ -f a -a \"$b\" = c ]", "<[> <-f> <a> <-a> <D(${b})> <=> <c> <]>"),
    // Expansions.
    ("a $(b | c) `d` $((1+$e)) <(f) >(g)", "<a> <$( <b> | <c> )> <` <d> `> <$((1+${e}))> <<( <f> )> <>( <g> )>"),
    ("a $(<b)", "<a> <$(  Read<b> )>"),
    (
        "a ${b} ${#b} ${!b} ${b[1]} ${b[@]} ${!b[@]} ${!b@}",
        "<a> <${b}> <${b #}> <${!b}> <${b[1]}> <${b[@]}> <${b[@] keys true}> <${b names true}>",
    ),
    ("a ${b:-c} ${b=$(d)} ${b:?e} ${b+f}", "<a> <${b :- <c>}> <${b = <$( <d> )>}> <${b :? <e>}> <${b + <f>}>"),
    ("a ${b#c} ${b##c} ${b%c} ${b%%c}", "<a> <${b # <c>}> <${b ## <c>}> <${b % <c>}> <${b %% <c>}>"),
    ("a ${b/c/d} ${b//c} ${b/#c/d}", "<a> <${b First <c> <d>}> <${b All <c> }> <${b Start <c> <d>}>"),
    ("a ${b:1} ${b:1:2} ${b^^} ${b,} ${b@Q}", "<a> <${b :1:}> <${b :1:2}> <${b ^true<>}> <${b ,false<>}> <${b @Q}>"),
    ("a $1 $12 $@ $? $$", "<a> <${1}> <${1}2> <${@}> <${?}> <${$}>"),
    ("a b\\\nc", "<a> <bc>"),
    ("a # b", "<a>"),
    ("a \"$b $c\" \" $d$\"", "<a> <D(${b} ${c})> <D( ${d}$)>"),
    ("a [ b ] [ c ]", "<a> <[> <b> <]> <[> <c> <]>"),
    ("$ a b", "<$> <a> <b>"),
    ("a b_$$ >c.$$", "<a> <b_${$}> Write<c.${$}>"),
    ("a >$f-$g.m {$b,c}", "<a> <{${b}|c}> Write<${f}-${g}.m>"),
    ("a b{1..2}c", "<a> <brange(1,2)c>"),
    ("coproc { a; }", "coproc COPROC <a> ;  !UnexpectedToken({) !UnexpectedToken(})"),
];

#[test]
fn a_text_is_lowered_to_the_tree() {
    let wrong: Vec<String> = CASES
        .iter()
        .filter(|(text, want)| show(text) != *want)
        .map(|(text, want)| format!("{text:?}\n  want {want}\n  have {}", show(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_has_no_place_in_the_tree_is_reported() {
    for (text, region) in [
        ("a; )", ")"),
        ("a 'b", "'b"),
        // In the shell each of these is a part of a word, for the grammar it is white space.
        ("a b\u{c}c", "\u{c}"),
        ("a\r\nb", "\r"),
        ("a \\ b", "\\ "),
        // A backquote in a here-document has no node.
        ("a <<E\n`b`\nE\n", "`b`"),
    ] {
        let program = read(text.as_bytes()).unwrap();
        let at = text.find(region).unwrap();
        let found = program.unparsed.iter().any(|u| (u.span.start as usize) <= at && at < u.span.end as usize);
        assert!(found, "{text:?}: {}", show(text));
    }
}

#[test]
fn a_list_behind_a_break_is_only_possible() {
    let program = read(b"a\n)\nb\n").unwrap();
    let possible: Vec<bool> = program.lists.iter().map(|l| l.possible).collect();
    assert_eq!(possible.first(), Some(&false));
    assert_eq!(possible.last(), Some(&true));
}

#[test]
fn costly_and_long_texts_are_refused() {
    assert_eq!(read(&vec![b'a'; limits::MAX_WITNESS_INPUT + 1]), Err(Refusal::TooLong));
    let line: String = (0..1000).map(|n| format!("<<E{n} ")).collect();
    assert_eq!(read(line.as_bytes()), Err(Refusal::Costly));
    assert_eq!(read(&[b'<'; 5000]), Err(Refusal::Costly));
    assert_eq!(read("a <<E\nE\n".repeat(limits::MAX_HEREDOCS + 1).as_bytes()), Err(Refusal::Costly));
    assert!(read("a <<E\nE\n".repeat(50).as_bytes()).is_ok());
}

#[test]
fn depth_ends_in_a_reason_and_time_in_a_refusal() {
    let deep = |open: &str, close: &str| format!("{}a{}", open.repeat(10_000), close.repeat(10_000));
    for (open, close) in [
        ("$(", ")"),
        ("(", ")"),
        ("{ ", ";}"),
        ("\"$(", ")\""),
        ("if ", ""),
        ("$((", "))"),
        ("${a:-", "}"),
        ("! ", ""),
        ("a && ", ""),
        ("a | ", ""),
        ("[[ ( ", " ) ]]"),
        ("f() { ", ";}"),
        ("<(", ")"),
        ("`", "`"),
        ("a[", "]"),
        ("x=", ""),
        ("case a in a) ", ";; esac"),
        ("time ", ""),
        ("coproc ", ""),
        ("a <<E | ", "\nE\n"),
        ("\u{ff}\\", "'"),
    ] {
        let begun = Instant::now();
        match read(deep(open, close).as_bytes()) {
            Ok(_) | Err(Refusal::TooLong | Refusal::TooLate | Refusal::Costly) => {}
            Err(other) => panic!("{open}: {other:?}"),
        }
        // Generous: a debug build on a busy machine.
        assert!(begun.elapsed() < Duration::from_secs(5), "{open}: {:?}", begun.elapsed());
    }
    let program = read(format!("{}a{}", "$(".repeat(150), ")".repeat(150)).as_bytes()).unwrap();
    assert!(program.unparsed.iter().any(|u| u.reason == SyntaxError::TooDeep));
}

#[test]
fn the_parser_is_fit_for_use_after_a_text_that_was_too_late() {
    // A short text is read whatever the clock says.
    assert!(parse(b"for a in b; do c | d; done", Duration::ZERO).is_ok());
    let text = "a $(".repeat(30_000);
    assert_eq!(parse(text.as_bytes(), Duration::ZERO).err(), Some(Refusal::TooLate));
    assert_eq!(show("a | b"), "<a> | <b>");
}
