//! Texts of a hostile shape and a given length: what a reader or interpreter that is not linear, not bounded or not
//! iterative stumbles over. Used by `tests/stress.rs` (small, for the verdict) and `benches/stress.rs` (1 MiB, for time
//! and memory). A new shape is one line here.

/// Where a shape's text comes from.
enum Make {
    /// A text again and again, cut at the length.
    Repeat(&'static str),
    /// Something before, a text again and again, something after it.
    Around(&'static str, &'static str, &'static str),
    /// A text that is opened again and again, a middle, and as often what closes it.
    Nest(&'static str, &'static str, &'static str),
    /// A text made from the number of the line, again and again.
    Count(fn(usize) -> String),
    /// Bytes.
    Bytes(fn(usize) -> Vec<u8>),
}

use Make::{Around, Bytes, Count, Nest, Repeat};

/// What has a meaning to a shell, and a little that has none.
const SYNTAX: &[u8] = b"$(){}[]`'\"\\|&;<>=*?~#! \nab1";

const SHAPES: &[(&str, Make)] = &[
    ("words", Repeat("word ")),
    ("one word", Repeat("w")),
    ("short words", Repeat("a ")),
    ("commands", Repeat("a;")),
    ("known commands", Repeat("ls;")),
    ("background", Repeat("a&")),
    ("pipes", Repeat("a|")),
    ("known pipes", Repeat("cat|")),
    ("and", Repeat("a&&")),
    ("known and", Repeat("true&&")),
    ("or", Repeat("a||")),
    ("lines", Repeat("a\n")),
    ("blank lines", Repeat("\n")),
    ("blanks", Repeat(" ")),
    ("comments", Repeat("# x\n")),
    ("continuations", Repeat("\\\n")),
    ("substitutions open", Repeat("$(")),
    ("substitutions", Nest("$(", "a", ")")),
    ("substitutions in quotes", Nest("\"$(", "a", ")\"")),
    ("substitutions side by side", Repeat("$(a)")),
    ("subshells open", Repeat("(")),
    ("subshells", Nest("(", "a", ")")),
    ("double parentheses", Repeat("((")),
    ("arithmetic open", Repeat("$((")),
    ("arithmetic", Nest("$((", "1", "))")),
    ("arithmetic sums", Around("echo $((", "1+", "1))")),
    ("arithmetic brackets", Around("(( a[", "a[", "1")),
    ("groups open", Repeat("{ ")),
    ("groups", Nest("{ ", "a;", " }")),
    ("single quotes", Repeat("'")),
    ("double quotes", Repeat("\"")),
    ("ansi quotes", Repeat("$'\\x41'")),
    ("quoted words", Repeat("'a b' ")),
    ("mixed quotes", Repeat("\"'`")),
    ("backquotes", Repeat("`")),
    ("escaped backquotes", Repeat("`\\`\\\\")),
    ("backslashes", Repeat("\\")),
    ("if open", Repeat("if ")),
    ("if", Nest("if a; then ", "b", "; fi")),
    ("if chain", Around("if a; then b; ", "elif a; then b; ", "fi")),
    ("if side by side", Repeat("if a; then x=1; else x=2; fi\n")),
    ("while", Nest("while a; do ", "b", "; done")),
    ("for", Nest("for i in 1 2 3; do ", "echo $i", "; done")),
    ("loops side by side", Repeat("for i in a b c; do echo $i; done\n")),
    ("case open", Repeat("case a in ")),
    ("case arms", Around("case $x in ", "a) b;; ", "esac")),
    ("case patterns", Around("case $x in ", "a|", "a) b;; esac")),
    ("functions", Count(|n| format!("f{n}() {{ f{}; }}\n", n.wrapping_sub(1)))),
    ("functions called", Count(|n| format!("f{n}() {{ f{}; }}; f{n}\n", n.wrapping_sub(1)))),
    ("functions that branch", Count(|n| format!("f{n}() {{ local x=$1; [ $x ] && y{n}=$x; }}; f{n} $z\n"))),
    ("function nest", Nest("f() { ", "a", "; }")),
    ("heredocs on a line", Around("cat ", "<<E ", "\n")),
    ("heredocs", Repeat("cat <<E\n$x `a`\nE\n")),
    ("heredoc body", Around("cat <<E\n", "$(a) text\n", "E\n")),
    ("here-strings", Repeat("a<<<b ")),
    ("redirections", Repeat(">a ")),
    ("duplications", Repeat("2>&1 ")),
    ("assignments", Count(|n| format!("v{n}=x\n"))),
    ("assignments in branches", Count(|n| format!("[ $c ] && v{n}=x\n"))),
    ("one variable in branches", Count(|n| format!("[ $c ] && v=x{n}\n"))),
    ("prefix assignments", Repeat("a=b ")),
    ("appended", Repeat("x+=abcdefgh;")),
    ("appended in branches", Repeat("[ $c ] && x+=$y\n")),
    ("doubled", Around("x=a;", "x=$x$x;", "")),
    ("array elements", Count(|n| format!("a[{n}]=x\n"))),
    ("array appended", Repeat("a+=(x y)\n")),
    ("array appended in branches", Repeat("[ $c ] && a+=(x)\n")),
    ("array words", Around("a=(", "x ", ")")),
    ("associative", Count(|n| if n == 0 { "declare -A m\n".into() } else { format!("m[k{n}]=v\n") })),
    ("expansions", Repeat("$x")),
    ("defaults open", Repeat("${x:-")),
    ("defaults", Nest("${x:-", "a", "}")),
    ("replacements", Repeat("${x//a/b}")),
    ("substrings", Repeat("${x:1:2}")),
    ("positional", Repeat("$@ ")),
    ("eval", Repeat("eval ")),
    ("eval quoted", Repeat("eval 'a' ")),
    ("sudo", Repeat("sudo ")),
    ("env", Repeat("env ")),
    ("nohup", Repeat("nohup ")),
    ("xargs", Repeat("xargs ")),
    ("exec", Repeat("exec ")),
    ("shells in shells", Repeat("sh -c ")),
    ("braces", Repeat("{a,b}")),
    ("brace words", Repeat("{a,b} ")),
    ("braces open", Repeat("{a,")),
    ("brace ranges", Repeat("{1..9}")),
    ("brace long range", Around("echo ", "{1..99999} ", "")),
    ("conditions open", Repeat("[[ ")),
    ("conditions", Repeat("[[ a == b ]] &&")),
    ("condition links", Around("[[ a ", "&& a ", "]]")),
    ("condition groups", Nest("[[ ( ", "a", " ) ]]")),
    ("aliases", Count(|n| format!("alias a{n}='a{} x'\n", n.wrapping_sub(1)))),
    ("aliases called", Count(|n| format!("alias a{n}='a{} x'\na{n}\n", n.wrapping_sub(1)))),
    ("traps", Repeat("trap 'echo x' EXIT\n")),
    ("set", Repeat("set -- a b\nshift\n")),
    ("cd", Repeat("cd a\n")),
    ("files", Count(|n| format!("echo x > f{n}; cat f{n}\n"))),
    ("one file", Repeat("echo x >> f\n")),
    ("tee", Repeat("|tee a")),
    ("curl", Count(|n| format!("curl http://h{n}.example/x | sh\n"))),
    ("urls", Count(|n| format!("curl -o f{n} https://h{n}.example/; sh f{n}\n"))),
    ("rm", Repeat("rm -rf $x/*;")),
    ("printf", Around("printf '", "%s", "' a")),
    ("printf widths", Repeat("printf %1000000s;")),
    ("seq", Repeat("seq 1000000;")),
    ("decoders", Repeat("base64 -d <<<YQ==|")),
    ("sed", Around("sed '", "s/a*b/c/g;", "'")),
    ("awk", Around("awk '", "{print $1}", "'")),
    ("tr", Repeat("tr a b|")),
    ("globs", Repeat("*?[")),
    ("stars", Repeat("*a")),
    ("glob brackets", Repeat("[a-z]")),
    ("extended globs", Nest("@(", "a", ")")),
    ("tildes", Repeat("~ ")),
    ("process substitutions", Repeat("<(a) ")),
    ("process substitutions nested", Nest("<(", "a", ")")),
    ("coprocesses", Repeat("coproc a;")),
    ("private keys", Repeat("-----BEGIN PRIVATE KEY-")),
    ("addresses with passwords", Repeat("//a:b@")),
    ("tokens", Repeat("AKIA ")),
    ("deceptive", Repeat("\u{202e}a\u{200b}")),
    ("python", Around("python3 - <<E\n", "x = [1, (2), {3: 4}]\n", "E\n")),
    ("python nested", Around("python3 -c '", "(", "'")),
    ("node", Around("node -e '", "f(function(){ return [1]; });", "'")),
    ("node nested", Around("node -e '", "f(", "'")),
    ("perl", Around("perl -e '", "$x = q(a) . \"b\";", "'")),
    ("ruby", Around("ruby -e '", "x = [1, 2].map { |y| y }; ", "'")),
    ("php", Around("php -r '", "$x = [1, \"b\"];", "'")),
    ("lua", Around("lua -e '", "x = {1, f(2)} ", "'")),
    ("powershell", Around("pwsh -c '", "$x = @(1, 2) | Select a; ", "'")),
    (
        "languages in languages",
        Count(|n| if n % 2 == 0 { "python3 -c \"import os; os.system('".into() } else { "node -e 'x(`".into() }),
    ),
    ("NULs", Bytes(|n| vec![0; n])),
    ("bytes of every kind", Bytes(|n| (0..n).map(|i| (i % 256) as u8).collect())),
    ("random bytes", Bytes(|n| random(n, |r| r as u8))),
    ("random syntax", Bytes(|n| random(n, |r| SYNTAX.get(r as usize % SYNTAX.len()).copied().unwrap_or_default()))),
    ("invalid UTF-8", Bytes(|n| b"a\xff\xfe\x80 ".iter().copied().cycle().take(n).collect())),
    ("zeros", Repeat("\0")),
    ("zeros in a program", Around("python3 - <<'E'\n", "\0", "\nE\n")),
    ("perl here-documents open", Around("perl -e '<<F\n", "$>", "'")),
    ("perl statements", Around("perl - <<'E'\n", "a->b;", "\nE\n")),
    ("perl arrays", Around("perl - <<'E'\n", "@a", "\nE\n")),
    ("perl divisions", Around("perl -e '", "a /b ", "'")),
    ("lua names", Around("lua - <<'E'\n", "a ", "\nE\n")),
    ("ruby literals open", Around("ruby - <<'E'\n", "%{", "\nE\n")),
    ("javascript errors", Around("node - <<'E'\n", "lambda x:x ", "\nE\n")),
    ("python structures that hold themselves", Around("python3 - <<'E'\nx=[1]\n", "x=[x]\n", "E\n")),
    ("python structures that double", Around("python3 - <<'E'\nx=[1]\n", "x=[x,x]\n", "E\n")),
    ("javascript structures that double", Around("node - <<'E'\nlet x=[1];\n", "x=[x,x];\n", "E\n")),
    ("sed commands", Around("sed '", "s/a/b/;", "' f")),
    ("sed brackets open", Around("sed '", "s/[/b/;", "' f")),
    ("statements of sql", Around("psql -c \"", "drop table x; ", "\"")),
    ("powershell variables open", Around("pwsh -c '", "${", "'")),
    ("powershell substitutions", Around("pwsh -c '", "$(a)", "'")),
    ("fish substitutions", Around("fish -c '", "$(a)", "'")),
];

/// The same bytes each time.
fn random(n: usize, byte: fn(u32) -> u8) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    };
    (0..n).map(|_| byte(next())).collect()
}

/// Every shape, `n` bytes long or a little less.
pub(crate) fn all(n: usize) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    SHAPES.iter().map(move |(name, make)| {
        let times = |text: &str, room: usize| text.repeat(room / text.len());
        let text = match make {
            Repeat(text) => times(text, n),
            Around(before, text, after) => {
                format!("{before}{}{after}", times(text, n.saturating_sub(before.len() + after.len())))
            }
            Nest(open, middle, close) => {
                let depth = n.saturating_sub(middle.len()) / (open.len() + close.len());
                format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
            }
            Count(line) => {
                let mut out = String::new();
                (0..)
                    .map(line)
                    .take_while(|l| {
                        out.len() + l.len() <= n && {
                            out.push_str(l);
                            true
                        }
                    })
                    .for_each(drop);
                out
            }
            Bytes(make) => return (*name, make(n)),
        };
        (*name, text.into_bytes())
    })
}
