use super::read;
use crate::syntax::ast::{CommandKind, PartKind};

/// What a text is read as: one line per node that matters here.
fn shape(text: &str) -> String {
    let program = read(text.as_bytes());
    if !program.unparsed.is_empty() {
        return format!("unparsed at {}", program.unparsed.first().map_or(0, |u| u.span.start));
    }
    let mut out = Vec::new();
    for item in program.lists.iter().flat_map(|l| &l.items) {
        for stage in item.first.stages.iter().chain(item.rest.iter().flat_map(|(_, p)| &p.stages)) {
            out.push(match &stage.kind {
                CommandKind::Simple(s) => s
                    .words
                    .iter()
                    .map(|w| String::from_utf8_lossy(w.span.of(text.as_bytes())))
                    .collect::<Vec<_>>()
                    .join("·"),
                CommandKind::Group(l) => format!("group {}", l.items.len()),
                CommandKind::If(i) => format!("if {} {}", i.branches.len(), i.otherwise.is_some()),
                CommandKind::For(f) => format!("for {} {}", f.name, f.words.as_ref().map_or(0, Vec::len)),
                CommandKind::Loop(_) => "while".into(),
                CommandKind::Case(c) => format!("switch {}", c.arms.len()),
                CommandKind::Function(f) => format!("function {} {}", f.name, f.event),
                other => format!("{other:?}"),
            });
        }
    }
    out.join(" / ")
}

#[test]
fn reads_blocks_and_words() {
    for (text, expected) in [
        ("echo 'a\\'b' \"c $x d\" e\\ f", "echo·'a\\'b'·\"c $x d\"·e\\ f"),
        ("begin; a; b; end | c", "group 2 / c"),
        ("if a; and b; c; else if d; e; else; f; end", "if 2 true"),
        ("for x in 1 2 3; echo $x; end; while true; a; end", "for x 3 / while"),
        ("switch $x; case a 'b*'; c; case '*'; d; end", "switch 2"),
        ("function f -a p q --on-event fish_prompt; echo $p; end; f 1", "function f true / f·1"),
        ("a; and b; or c # d", "a / b / c"),
        ("curl http://h/?a=b&c=d &; e 2>&1 >/dev/null", "curl·http://h/?a=b&c=d / e"),
        (
            "echo (ls | grep a)[1..2] $x[1] $$y {a,b{c,d}} $(date)",
            "echo·(ls | grep a)[1..2]·$x[1]·$$y·{a,b{c,d}}·$(date)",
        ),
        ("A=b env; not false", "env / false"),
        ("echo ${x}", "unparsed at 6"),
        ("if a; b", "unparsed at 7"),
        ("end", "unparsed at 0"),
        ("echo 'a", "unparsed at 7"),
        ("cat <<E", "unparsed at 4"),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
}

#[test]
fn psub_is_a_file() {
    let program = read(b"source (curl u | psub)");
    let CommandKind::Simple(s) = &program.lists[0].items[0].first.stages[0].kind else { panic!("no command") };
    assert!(matches!(s.words[1].parts[0].kind, PartKind::ProcessIn(_)));
}

#[test]
fn no_text_costs_more_than_it_is_long() {
    for unit in ["(", "{", "{a,", "begin;", "if a;", "\"$(", "$x[", "'", "\\", "a=b ", "not ", "a|", "function f;"] {
        let text = unit.repeat(20_000);
        let _ = read(text.as_bytes());
    }
}
