//! What small languages become, and that no text is too much for them.

use super::*;
use crate::syntax::script::Kind;

/// The calls that are statements: name, and the first argument where it is text.
fn calls(language: Language, text: &str) -> Vec<String> {
    let script = read(language, text.as_bytes()).unwrap_or_default();
    let mut out = Vec::new();
    for s in &script.body {
        let StmtKind::Expr(e) = &s.kind else { continue };
        let Kind::Call(callee, args) = &e.kind else { continue };
        let Kind::Name(name) = &callee.kind else { continue };
        let arg = match args.first().map(|a| &a.value.kind) {
            Some(Kind::Text(t)) => format!(" {}", String::from_utf8_lossy(t)),
            _ => String::new(),
        };
        out.push(format!("{name}{arg}"));
    }
    out
}

#[test]
fn editors() {
    assert_eq!(
        calls(Language::Ed, "1,$s/a/b/\na\n!not a command\n.\n!id\nr !ls -l\nw out\nq"),
        ["s", "! id", "r! ls -l", "w out", "q"]
    );
    assert_eq!(calls(Language::Ed, "g/x/!id"), ["! id"]);
    assert_eq!(calls(Language::Vim, ":silent !id | x"), ["! id | x"]);
    assert_eq!(calls(Language::Vim, "%s/a|b/c/"), ["s /a|b/c/"]);
    assert_eq!(
        calls(Language::Vim, "set nu | r !date\n:py3 import os; os.system('id')"),
        ["set nu", "r! date", "py3 import os; os.system('id')"]
    );
    assert_eq!(calls(Language::Vim, "call system('id')"), ["system id"]);
    assert_eq!(
        calls(Language::Gdb, "set x 1\n!id\npython\nimport os\nend\nshell ls"),
        ["set x 1", "! id", "python import os", "shell ls"]
    );
    assert_eq!(calls(Language::Gdb, "call (int)system(\"id\")"), ["system id"]);
}

#[test]
fn sed_commands_that_reach_outside() {
    assert_eq!(calls(Language::Sed, "1e id\n$!N;s/a/b/w out"), ["e id", "w out"]);
    assert_eq!(calls(Language::Sed, "/x/r f\ns/.*/id/e"), ["r f", "e id"]);
    assert_eq!(calls(Language::Sed, "s/[/]e/x/g; /a/{p;w y\n}"), ["w y"]);
    assert_eq!(calls(Language::Sed, "a\\\nw not\\\nr not\np"), Vec::<String>::new());
}

#[test]
fn cron_and_make() {
    assert_eq!(calls(Language::Crontab, "# c\nPATH=/bin\n*/5 * * * * id -u%x\n@daily ls\n"), ["job id -u", "job ls"]);
    assert_eq!(calls(Language::Make, "a: b\n\t@id\nc: ; ls\n"), ["recipe id", "recipe ls"]);
    assert_eq!(calls(Language::Make, "$(shell id)"), ["shell id"]);
}

#[test]
fn sql_and_the_commands_of_its_clients() {
    assert_eq!(calls(Language::Sql, "select ';' from t; drop table t"), ["select t", "drop t"]);
    assert_eq!(calls(Language::Sql, "delete from t; delete from t where a=1"), ["delete.all t", "delete t"]);
    assert_eq!(calls(Language::Sql, "\\! id\nselect 1"), ["\\! id", "select 1"]);
    assert_eq!(calls(Language::Sql, ".shell id\n.tables"), [".shell id", ".tables "]);
    assert_eq!(calls(Language::Sql, "copy t from program 'id'"), ["copy t", "copy.program id"]);
    assert_eq!(
        calls(Language::Sql, "select load_file('/etc/passwd') into outfile '/tmp/x'"),
        ["select load_file", "fn.load_file /etc/passwd", "into.outfile /tmp/x"]
    );
    assert_eq!(calls(Language::Sql, "exec xp_cmdshell 'dir'"), ["exec xp_cmdshell", "fn.xp_cmdshell dir"]);
}

#[test]
fn languages_of_calls() {
    assert_eq!(
        calls(Language::R, "x <- 1\nsystem('id')\nbase::system2(\"ls\", \"-l\")"),
        ["system id", "base.system2 ls"]
    );
    assert_eq!(calls(Language::Julia, "run(`id -u`); println(\"a\")"), ["run id -u", "println a"]);
    assert_eq!(calls(Language::Tcl, "set a 1\nexec id; puts [exec ls]"), ["exec id", "puts"]);
    assert_eq!(calls(Language::Elisp, "(shell-command \"id\") '(a b)"), ["shell-command id"]);
    assert_eq!(
        calls(Language::AppleScript, "do shell script \"id\" with administrator privileges"),
        ["do shell script id"]
    );
}

#[test]
fn no_text_is_too_much() {
    let all = [
        Language::AppleScript,
        Language::Crontab,
        Language::Ed,
        Language::Elisp,
        Language::Gdb,
        Language::Jq,
        Language::Julia,
        Language::Make,
        Language::R,
        Language::Sed,
        Language::Sql,
        Language::Tcl,
        Language::Vim,
        Language::Awk,
    ];
    let mut texts: Vec<Vec<u8>> = [
        "(", "[", "{", "\"", "'", "\\", "$(", "$", "`", "!", "/", "f(", "a|", "s/", "g/", "-", "if ", "x=", "a b c\n",
        "{a [b ", "'(", "a ? b :",
    ]
    .iter()
    .map(|p| p.as_bytes().repeat(2_000))
    .collect();
    texts.push(vec![0xF8; 3_000]);
    texts.push(b"\xF81\xF9".repeat(500));
    texts.push((0..=255u8).cycle().take(20_000).collect());
    for language in all {
        for text in &texts {
            let _ = crate::syntax::foreign(language, text);
        }
    }
}
