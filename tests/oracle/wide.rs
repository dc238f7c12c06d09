//! Commands and words that are rarer: options of the shell, traps, descriptors, attributes, patterns, odd definitions.

use super::generate::Generator;

impl Generator {
    /// A command of the rarer kinds. Whatever it changes that would change all that follows, it takes back.
    pub(crate) fn wide(&mut self, d: usize) -> String {
        let name = self.name();
        match self.below(64) {
            0 => format!(
                "select v in {} {}; do {name} \"$v\" \"$REPLY\"; break; done <<< {}",
                self.word(d),
                self.word(d),
                self.pick(&["1", "2", "9", "x", "''"])
            ),
            1 => format!(
                "fn() {{ local -n r=$1; {name} \"$r\" \"${{!r}}\"; r={}; }}; fn {v}; {} \"${v}\"",
                self.word(d),
                self.name(),
                v = self.var()
            ),
            2 => format!("declare -n rr; for rr in a b d; do {name} \"$rr\"; done; unset -n rr"),
            3 => format!(
                "w=([2]={} [5]={} [9]={}); unset 'w[{}]'; {name} ${{#w[@]}} \"${{!w[@]}}\" \"${{w[@]:{}}}\" \"${{w[-1]}}\"",
                self.word(d),
                self.word(d),
                self.word(d),
                self.pick(&["2", "5", "-1", "7"]),
                self.below(6)
            ),
            4 => {
                let f = self.pick(&[
                    "%q", "%b", "%s %q", "%5s|", "%-6sx", "%.2s", "%x", "%o", "%c", "%03d", "%+d", "%i", "%%%s",
                ]);
                let w = if f.ends_with(['x', 'o', 'd', 'i']) { self.below(90).to_string() } else { self.word(d) };
                format!("printf -v r '{f}' {w}; {name} \"$r\"")
            }
            5 => format!("printf -v 'arr[{}]' %s {}; {name} \"${{arr[@]}}\"", self.below(4), self.quotedword(d)),
            6 => format!(
                "mapfile {} w <<< $'l1\\nl 2\\n\\nl4'; {name} \"${{w[@]}}\" ${{#w[@]}} \"${{!w[@]}}\"",
                self.pick(&["-t -n 2", "-t -s 1", "-s 2 -n 1", "-t -O 3", "-t -d 2", "-n 0 -t", "-ts1 -n1"])
            ),
            7 => format!(
                "read {} <<< {}; {name} \"$x\" \"$y\" $?",
                self.pick(&[
                    "-d c x",
                    "-rd ' ' x",
                    "-n 2 -r x",
                    "-N 3 x",
                    "-t 5 x y",
                    "-rp pr x y",
                    "-d '' x",
                    "-rs x y",
                    "-r x y",
                    "x y"
                ]),
                self.word(d)
            ),
            8 => format!(
                "read -a w -{} <<< 'p\\ q r:s t'; {name} \"${{w[@]}}\" ${{#w[@]}}",
                self.pick(&["r", "d :", "n 4", "rd ' '"])
            ),
            9 => {
                let inner = self.command(d.min(1));
                format!(
                    "trap {} ERR; {}; {}; trap - ERR",
                    self.trap(0),
                    self.pick(&["false", "true", "(exit 3)", "! true", "false || :", "[[ a = b ]]"]),
                    inner
                )
            }
            10 => format!("fn() {{ trap {} RETURN; {}; }}; fn; trap - RETURN", self.trap(0), self.simple(d)),
            11 => format!(
                "( set -e; {}; {}; {} )",
                self.simple(0),
                self.pick(&[
                    "false",
                    "true",
                    "false || :",
                    "if false; then :; fi",
                    "! true",
                    "false | true",
                    "true && false",
                    "(exit 2)"
                ]),
                self.simple(d)
            ),
            12 => format!(
                "( set -u; {} \"$a\"; {} ${{{}}}; {} end )",
                self.name(),
                name,
                self.pick(&["u", "u-x", "u:-", "a", "arr[7]", "arr[1]", "@", "u+x", "9", "#u"]),
                self.name()
            ),
            13 => format!(
                "( set -o pipefail; {} | {}; {name} $? )",
                self.pick(&["false", "true", "(exit 3)"]),
                self.pick(&["true", "false", ":"])
            ),
            14 => format!("set -f; {name} {} *; set +f", self.word(d)),
            15 => format!("( shopt -s nullglob; {name} {} nothere* end )", self.word(d)),
            16 => format!(
                "shopt -s nocasematch; case {} in {}) {name} hit;; *) {} no;; esac; [[ ABC == {} ]]; {} $?; shopt -u nocasematch",
                self.word(d),
                self.pattern(),
                self.name(),
                self.pattern(),
                self.name()
            ),
            17 => format!("( shopt -s lastpipe; {} | read -r x; {name} \"$x\" )", self.printed(d)),
            18 => format!(
                "IFS={}; set -- {}; {name} $* \"$*\" $@ \"$@\" ${{arr[*]}} \"${{arr[*]}}\"; IFS=$' \\t\\n'; set -- first 'sec ond' third",
                self.odd_ifs(),
                self.word(d)
            ),
            19 => format!("unset IFS; {name} $b $* \"$*\" {}; IFS=$' \\t\\n'", self.word(d)),
            20 => format!(
                "{{ read -r x; read -r y; }} <<E\nl\\\nong $a {}\n${{b}} \\$d \\\\ \"q\" 'r' `echo s`\nE\n{name} \"$x\" \"$y\"",
                self.pick(&[
                    "${a:-\"z\"}",
                    "${c:-'z'}",
                    "$((e+1))",
                    "$(echo \"in ner\")",
                    "${d//b/\"x\"}",
                    "\\`",
                    "$'x'"
                ])
            ),
            21 => format!(
                "{{ read -r x; read -r y; }} <<-E\n\t\tt $a\n\t  s {}\n\tE\n{name} \"$x\" \"$y\"",
                self.pick(&["$e", "\\", "${d%c}", "\\$"])
            ),
            22 => format!(
                "case {} in {}) {name} 1 {} {}) {} 2 {} *) {} 3;; esac",
                self.word(d),
                self.wide_pattern(),
                self.pick(&[";;", ";&", ";;&"]),
                self.wide_pattern(),
                self.name(),
                self.pick(&[";;", ";&", ";;&"]),
                self.name()
            ),
            23 => format!(
                "[[ {} =~ {} ]] && {name} \"${{BASH_REMATCH[0]}}\" \"${{BASH_REMATCH[1]-none}}\" ${{#BASH_REMATCH[@]}}",
                self.quotedword(d),
                self.wide_regex()
            ),
            24 => format!("(( {} )); {name} $? $x $n $e; e=3", self.wide_arithmetic(2)),
            25 => format!("{name} $(( {} )) $x $n; n=5", self.wide_arithmetic(2)),
            26 => format!(
                "declare -{} w={}; w+={}; {name} \"$w\" \"${{w@a}}\"; unset w",
                self.pick(&["u", "l", "c", "x", "a", "ua", "lx"]),
                self.word(d),
                self.flat(d)
            ),
            27 => format!(
                "declare -i w=3; w={}; {name} \"$w\"; w+=2; {} \"$w\" \"${{w@a}}\"; unset w",
                self.pick(&["4+5", "e*n", "'e + 1'", "0x10", "010", "-n", "2**5", "17#g"]),
                self.name()
            ),
            28 => format!("readonly ro$((k++))={}; {name} \"$ro0\"", self.word(d)),
            29 => format!("exec 3<<< {}; read -r x <&3; {name} \"$x\"; exec 3<&-", self.word(d)),
            30 => format!("exec 4>&1; x=$({} 4>&1; echo z >&4); {name} \"$x\"; exec 4>&-", self.simple(0)),
            31 => format!("( a={}; {name} \"$a\" ); {} \"$a\"", self.word(d), self.name()),
            32 => format!("{} | while read -r a; do {name} \"$a\"; done; {} \"$a\"", self.printed(d), self.name()),
            33 => format!("a={} | {name} \"$a\"; {} \"$a\"", self.word(d), self.name()),
            34 => format!("{{ a={}; }} > /dev/null; {name} \"$a\"", self.word(d)),
            35 => format!(
                "{} {{ {name} \"$1\" \"$#\"; }}\nfn {}",
                self.pick(&["function fn", "function fn ()", "fn ()", "fn( )"]),
                self.word(d)
            ),
            36 => format!("fn() ( a={}; {name} \"$a\" ); fn; {} \"$a\"", self.word(d), self.name()),
            37 => format!(
                "fn() if {}; then {name} \"$@\"; else {} \"$@\"; fi; fn {}",
                self.condition(d),
                self.name(),
                self.word(d)
            ),
            38 => format!("fn() for v in \"$@\"; do {name} \"$v\"; done; fn {}", self.word(d)),
            39 => format!("fn() {{ {name} \"$1\"; }} >/dev/null 2>&1; fn {}", self.word(d)),
            40 => format!("fn() case $1 in x) {name} is;; *) {} \"$1\";; esac; fn {}", self.name(), self.word(d)),
            41 => {
                format!("fn() while [ $# -gt 0 ]; do {name} \"$1\"; shift; done; fn {} {}", self.word(d), self.word(d))
            }
            42 => format!("{} {}", self.pick(&["time", "time -p", "!", "! !", "! time", "time !"]), self.simple(d)),
            43 => format!("! {}; {name} $?", self.condition(d)),
            44 => format!(
                "fn() {{ {name} $#; [ $# -gt 0 ] && {{ shift; fn \"$@\"; }}; }}; fn {} {}",
                self.word(d),
                self.word(d)
            ),
            45 => format!(
                "fn() {{ local IFS={}; {name} \"$*\" $1; }}; fn {} {}; {} $b",
                self.ifs(),
                self.word(d),
                self.word(d),
                self.name()
            ),
            46 => format!(
                "fn() {{ local -a w=({}); w+=({}); {name} \"${{w[@]}}\"; }}; fn; {} \"${{w-none}}\"",
                self.word(d),
                self.word(d),
                self.name()
            ),
            47 => format!(
                "fn() {{ local {v}; {name} \"${{{v}-unset}}\"; {v}={}; gn; }}; gn() {{ {} \"${v}\"; }}; fn; gn",
                self.word(d),
                self.name(),
                v = self.var()
            ),
            48 => format!(
                "fn() {{ unset {v}; {name} \"${{{v}-gone}}\"; }}; {v}={} fn; {} \"${{{v}-gone}}\"; {v}=x",
                self.word(d),
                self.name(),
                v = self.var()
            ),
            49 => format!(
                "{v}={} {name} \"${v}\"; {v}={} eval '{} \"${v}\"'; {} \"${v}\"",
                self.word(d),
                self.word(d),
                self.name(),
                self.name(),
                v = self.var()
            ),
            50 => format!("a={} b=$a {name} \"$b\"; a={} b=$a; {} \"$b\"", self.word(d), self.word(d), self.name()),
            51 => format!(
                "alias al='{} {} '\nshopt -s expand_aliases\nalias be={}\nal be {}\nunalias al be\nshopt -u expand_aliases",
                name,
                self.pick(&["x", "", "-n"]),
                self.name(),
                self.word(d)
            ),
            52 => format!(
                "set -- {} {}; while [ $# -gt 0 ]; do {name} \"$1\" $#; shift {}; done; set -- first 'sec ond' third",
                self.word(d),
                self.word(d),
                self.pick(&["", "1", "|| break"])
            ),
            53 => format!("for v; do {name} \"$v\"; done; for v in; do {} never; done", self.name()),
            54 => format!(
                "for v in a b c; do for w in 1 2; do [ $v$w = {} ] && {} 2; {name} $v$w; done; done; unset w",
                self.pick(&["a1", "b2", "c1", "b1"]),
                self.pick(&["continue", "break"])
            ),
            55 => {
                format!("x=$({}; exit {}) || {name} \"$x\" $?; {} \"$x\"", self.printed(d), self.below(3), self.name())
            }
            56 => format!(
                "fn() {{ {}; return {}; }}; if fn; then {name} yes; else {} no $?; fi",
                self.simple(d),
                self.below(3),
                self.name()
            ),
            57 => format!(
                "eval {} {}; {name} \"$x\" \"$a\"",
                self.pick(&["'x=$a;'", "\"x=\\$b\" \\;", "'x=(1 2)' ';'", "x=\\$e \\;"]),
                self.simple(0)
            ),
            58 => format!(
                "source /dev/stdin {} <<< {}; {} \"$#\"",
                self.word(d),
                self.quoted(&format!("{name} \"$1\" \"$a\"")),
                self.name()
            ),
            59 => format!(
                "unset -v {v}; {name} \"${{{v}-un}}\" ${{{v}:-und}}; {v}=x; unset -f fn; {} end",
                self.name(),
                v = self.var()
            ),
            60 => format!(
                "m+=([{}]={}); {name} \"${{m[@]@Q}}\"; unset m; declare -A m=([k]=v1 [l m]='v 2')",
                self.key(),
                self.word(d)
            ),
            61 => format!(
                "{name} \"${{!ar@}}\" \"${{!ar*}}\" {}; x=arr; {} \"${{!x}}\"; x='arr[1]'; {} \"${{!x}}\"; x=arr[@]; {} \"${{!x}}\"",
                self.word(d),
                self.name(),
                self.name(),
                self.name()
            ),
            62 => format!("set -a; z={}; {name} \"${{z@a}}\"; set +a; unset z", self.word(d)),
            _ => format!("cd /tmp && {name} \"$PWD\" ~+; cd - && {} \"$OLDPWD\"", self.name()),
        }
    }

    fn odd_ifs(&mut self) -> &'static str {
        self.pick(&["':'", "', '", "'\t'", "'c '", "' :'", "$'\\n'", "'o'", "'\\'", "'*'", "'-'", "e", "3"])
    }

    fn wide_pattern(&mut self) -> String {
        self.pick(&[
            "+([a-c])",
            "?(x)",
            "*(p|q| )",
            "!(a*)",
            "@(a|b|*c)",
            "[!x]*",
            "[[:alpha:]]",
            "[[:upper:]]*",
            "\\*",
            "'*'",
            "a?c*",
            "\"$a\"",
            "$f",
            "*[ ]*",
            "[a-]",
            "[]x]",
            "x|y",
            "${a:+*}",
            "+(abc)",
            "*\\ *",
            "$'x'",
            "!(+([a-c]))",
            "''",
        ])
        .to_string()
    }

    fn wide_regex(&mut self) -> &'static str {
        self.pick(&[
            "^(.*)b(.*)$",
            "([a-z]+) ([a-z]+)",
            "^[[:space:]]*(.)",
            "(a)(b)?(z)?",
            "(x|y)+",
            "\\\"",
            "^$",
            "$a$",
            "\"$a\"$",
            "(b)c|a(b)",
            "[^a]+",
            "^.{2}",
            "([[:alpha:]])([[:alpha:]])",
            "\\.",
            "a\\ b|p\\ q",
            "${a}y?",
        ])
    }

    fn wide_arithmetic(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .pick(&[
                    "e", "n", "16#ff", "2#101", "36#z", "64#_", "017", "0x1F", "u", "arr[7]", "$e", "${#d}", "x=4",
                    "n++", "--n", "e+=2", "${e}0", "1", "-3", "!e", "~n", "m[none]", "$((1+1))", "${n:-4}",
                ])
                .to_string();
        }
        let d = depth - 1;
        match self.below(9) {
            0 => format!("({})", self.wide_arithmetic(d)),
            1 => format!("{} ? {} : {}", self.wide_arithmetic(d), self.wide_arithmetic(d), self.wide_arithmetic(d)),
            2 => format!("x = {}", self.wide_arithmetic(d)),
            3 => format!("{} , {}", self.wide_arithmetic(d), self.wide_arithmetic(d)),
            4 => format!("x {} {}", self.pick(&["+=", "-=", "*=", "|=", "^=", "&="]), self.wide_arithmetic(d)),
            5 => format!(
                "{} {} ({})",
                self.wide_arithmetic(d),
                self.pick(&["/", "%", "<<", ">>"]),
                self.pick(&["e+1", "2", "n", "u+1", "u"])
            ),
            6 => format!("2 ** ({} & 7)", self.wide_arithmetic(d)),
            _ => format!(
                "{} {} {}",
                self.wide_arithmetic(d),
                self.pick(&["+", "-", "*", "<", ">=", "==", "!=", "&&", "||", "&", "|", "^"]),
                self.wide_arithmetic(d)
            ),
        }
    }

    /// A part of a word of the rarer kinds.
    pub(crate) fn wide_part(&mut self, depth: usize) -> String {
        let v = self.var();
        match self.below(44) {
            0 => format!("${{{v}##{}}}", self.pick(&["+([a-c])", "@(a|p)", "*( )", "!(x)", "?(a)b", "[^x]"])),
            1 => format!("\"${{{v}%%{}}}\"", self.pick(&["+([a-c])", "!(a)", "@(c|q)", "*( )?", "'*'"])),
            2 => format!(
                "\"${{{v}//{}/{}}}\"",
                self.pick(&["+([a-b])", "@(a|q)", "[!a]", " ", "\"b\"", "?", "'*'", "\\\\"]),
                self.pick(&["-", "<&>", "$e", "", "\"$b\"", "'/'", "\\/"])
            ),
            3 => format!("\"${{{v}@{}}}\"", self.pick(&["A", "a", "K", "Q", "P", "k"])),
            4 => "\"${arr[@]@K}\"".into(),
            5 => "\"${arr[@]@A}\"".into(),
            6 => "\"${arr[*]@a}\"".into(),
            7 => "\"${m[@]@K}\"".into(),
            8 => format!(
                "\"${{arr[@]{}}}\"",
                self.pick(&["^^", ",,", "%o*", "##*w", "/e/E", "//[aeiou]", "@U", "@u", ": -1", ":0:2", ":1"])
            ),
            9 => format!(
                "\"${{@{}}}\"",
                self.pick(&["^", "^^", ",,", "//s/S", "%d", ":0:0", ":1:1", ":2", ": -1", "@Q", "@U", "#sec"])
            ),
            10 => format!("\"${{*{}}}\"", self.pick(&["^", "//i/I", ":2", "@Q", "%d"])),
            11 => {
                format!("${{{v}:{}}}", self.pick(&["1", "2:1", " -2", " -3:2", "0:-1", "(e-2)", "n-4:1", "9", "1:0"]))
            }
            12 => format!("\"${{{v}:{}}}\"", self.pick(&["1", "2:1", " -2", " -1:1", "0:-1", "e", "$((1)):2"])),
            13 => "${#arr[1]}".into(),
            14 => "${#@}${#*}".into(),
            15 => "\"${#ref}\"".into(),
            16 => "${arr[-1]}".into(),
            17 => "\"${arr[$((e-2))]}\"".into(),
            18 => "\"${!arr[@]}\"".into(),
            19 => "\"${m[l m]}\"".into(),
            20 => "\"${m['l m']}\"".into(),
            21 => "$'\\u41\\101\\cA\\e'".replace("\\cA\\e", ""),
            22 => "$\"loc $a\"".into(),
            23 => "\"a\\$b\\\"c\\\\d\\e\"".into(),
            24 => "'a\\b'".into(),
            25 => "~".replace('~', "x~"),
            26 => format!("$(({}))", self.wide_arithmetic(1)),
            27 => "$[e+1]".into(),
            28 => "\"$(printf 'a\\n\\n')\"x".into(),
            29 => "$(printf 'a b\\nc')".into(),
            30 => format!("\"`echo \"{}\"`\"", self.pick(&["$a", "\\$a", "\\\"q\\\"", "\\\\", "x y"])),
            31 => "{a,{b,c}d}{,e}".into(),
            32 => format!(
                "{{{}}}",
                self.pick(&[
                    "3..1", "a..e..2", "-1..1", "x,", "$a,y", "1..$e", "'a',b", "a\\,b,c", "c..a", "01..3", "1..3..0"
                ])
            ),
            33 => format!("${{{v}:-{{x,y}}}}", v = self.pick(&["c", "u"])),
            34 => "\"${u:-$(echo \"$b\")}\"".into(),
            35 => "\"${c:-${u:-${a}z}}\"".into(),
            36 => "${b:+\"$b\"}".into(),
            37 => "${b:+$b x}".into(),
            38 => "${u-'q q' r}".into(),
            39 => "\"${b+\"in $a\"}\"".into(),
            40 => "$((e>2?n:0))".into(),
            41 => {
                if depth == 0 {
                    "$(c1 a; echo $?)".into()
                } else {
                    format!("$({}; echo $?)", self.simple(depth - 1))
                }
            }
            42 => "\"$(cat <<< \"$b\")\"".into(),
            _ => "\"${PIPESTATUS[0]}\"".replace("${PIPESTATUS[0]}", "${e}"),
        }
    }
}
