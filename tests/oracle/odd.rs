//! Texts in odd forms: where words, lines, here-documents and compound commands begin and end.

use super::generate::Generator;

impl Generator {
    /// A command in an odd form.
    pub(crate) fn odd(&mut self, d: usize) -> String {
        let name = self.name();
        match self.below(48) {
            0 => format!("{name} a\\\nb {} \\\n{}", self.word(d), self.word(d)),
            1 => format!(
                "cat <<A - <<B | {{ read -r x; read -r y; {name} \"$x\" \"${{y-}}\"; }}\none $a\nA\ntwo {}\nB\n",
                self.pick(&["$b", "`echo z`", "\\$b"])
            ),
            2 => {
                format!("x=$(cat <<E\nin {} )\n\"q\nE\n); {name} \"$x\"", self.pick(&["$a", "'", "${d%c}", "(", "\\`"]))
            }
            3 => format!("{name} \"$(cat <<'E'\nin ' $a )\nE\n)\" {}", self.word(d)),
            4 => format!(
                "for v in {} {}; do {name} \"$v\" || break; done > out 2>&1 < /dev/null",
                self.word(d),
                self.word(d)
            ),
            5 => format!("while read -r l <&3; do {name} \"$l\"; done 3<<< {}", self.word(d)),
            6 => format!("{} |& {{ read -r x; {name} \"$x\"; }}", self.printed(d)),
            7 => format!("{{ {}; }} | ( read -r x; {name} \"$x\" )", self.printed(d)),
            8 => format!(
                "if {}\nthen\n{}\nelif {}\nthen {name} b\nelse\n{} c\nfi",
                self.condition(d),
                self.command(d),
                self.condition(d),
                self.name()
            ),
            9 => format!(
                "[[ ( {} == x || -n {} ) && ! ( {} != {} ) ]]; {name} $?",
                self.quotedword(d),
                self.quotedword(d),
                self.quotedword(d),
                self.pattern()
            ),
            10 => format!("[[ {} ==\n{} &&\n-n x ]] && {name} y", self.quotedword(d), self.pattern()),
            11 => format!("{name} ~/x a:~ ~+ {} a=~ \"~\" '~' \\~ x~", self.word(d)),
            12 => format!("HOME=/h/u; x=~/y:~; {name} \"${{x#*/}}\"; x=a:~:b; {} \"${{x//[^:]}}\"", self.name()),
            13 => format!("x=b=c y=a=\"$b\"; {name} \"$x\" \"$y\"; x+=d; {} \"$x\"", self.name()),
            14 => format!("w=(1 2); w+=(3); w[1]+=x; w[7]=y; {name} \"${{w[@]}}\" ${{#w[@]}} \"${{!w[@]}}\"",),
            15 => format!("{name} $ \"$\" a$ \"a$ b\" $\\a {}", self.word(d)),
            16 => format!("{name} a{{b c}}d {{}} {{ }} {{a}} a{{b}} {{a,}} {}", self.word(d)),
            17 => format!("{name} if then else fi for in do done while until case esac function time {{ }} ! [[ ]]"),
            18 => format!("case {} in (a) {name} 1;; (x|b) {} 2;; esac; case x in\nesac", self.word(d), self.name()),
            19 => format!("case if in if) {name} kw;; esac; case in in in) {} in;; esac", self.name()),
            20 => format!("{} # not {{ run\n{name} # {}\n: ;", self.simple(d), self.pick(&["c9", "'", "$(c1", "<<E"])),
            21 => format!("{name} a#b '#' \\#c {}#d", self.word(d)),
            22 => format!("(({} > 2)) && {name} y || {} n", self.arithmetic(1), self.name()),
            23 => format!("( ( {name} {} ) ); ((1)); ( (( 0 )) ); {} $?", self.word(d), self.name()),
            24 => format!("for ((i=0, k=3; i<k; i++, k--)); do {name} $i $k; done"),
            25 => format!("for v in a b\ndo {name} $v\ndone; for v in a b; {{ {} $v; }}", self.name()),
            26 => format!("f-n.1() {{ {name} \"$1\"; }}; f-n.1 {}", self.word(d)),
            27 => format!(
                "fn() {{ declare -g z={}; local x=1; declare y=2; }}; fn; {name} \"$z\" \"${{x-none}}\"; unset z",
                self.word(d)
            ),
            28 => format!("fn() {{ local - ; set -f; {name} $f; }}; fn; set +f"),
            29 => format!(
                "x={}; {name} \"${{x@P}}\" \"${{x@E}}\"",
                self.pick(&["'a$b'", "'\\\\t'", "'$(echo hi)'", "'\\x41'", "'`echo y`'", "a"])
            ),
            30 => format!("exec 5<<E\nl1 $a\nl2\nE\nread -r x <&5; read -r -u 5 y; {name} \"$x\" \"$y\"; exec 5<&-"),
            31 => format!(
                "{{ {name} {}; }} 3>&1 4>&2 >&3-; exec {{fd}}>/dev/null; {} x >&$fd; exec {{fd}}>&-",
                self.word(d),
                self.name()
            ),
            32 => format!(
                "echo {} > out; read -r x < out; {name} \"$x\"; echo more >> out; {} \"$(<out)\"",
                self.flat(d),
                self.name()
            ),
            33 => format!(
                "cat > out <<E\n{}\nE\nmapfile -t w < out; {name} \"${{w[@]}}\"",
                self.word(d).replace('\n', " ").replace("${d:$((e-1)):1}", "$d")
            ),
            34 => format!("true {{fd}}<<< x; {name} $((fd>9)); exec {{fd}}<&-"),
            35 => format!(
                "trap '{} \"$?\"' EXIT; ( {}; exit {} ); {name} $?; trap - EXIT",
                self.name(),
                self.simple(d),
                self.below(3)
            ),
            36 => format!(
                "k=0; fn() {{ {name} $((k++)) $1; (( k < {} )) && fn $k; }}; fn {}",
                self.below(4),
                self.word(d)
            ),
            37 => format!(
                "x=5; (x=6; {name} $x); {{ x=7; }}; {} $x; x=8 | :; {} $x; $(x=9); {} $x",
                self.name(),
                self.name(),
                self.name()
            ),
            38 => format!(
                "set -- -a -b val -c rest; while getopts ab:c o; do {name} $o ${{OPTARG-}}; done; shift $((OPTIND-1)); {} \"$@\"; set -- first 'sec ond' third; OPTIND=1",
                self.name()
            ),
            39 => format!(
                "fn() {{ OPTIND=1; local o; while getopts x:y o; do {name} $o ${{OPTARG-}}; done; }}; fn -y -x {}; OPTIND=1",
                self.word(d)
            ),
            40 => format!(
                "hash=x; {name} ${{hash#x}}${{#hash}} ${{hash:+y}} ${{hash/x/$b}} \"${{hash/x/\"$b\"}}\" ${{hash/#/p}} ${{hash/%/s}}"
            ),
            41 => format!(
                "v={}; {name} \"${{v//$'\\n'/;}}\" \"${{v//\\\\/-}}\" \"${{v//\\\"/-}}\" \"${{v//\\'/-}}\"",
                self.word(d)
            ),
            42 => format!("printf '%s,' {} {} | {{ IFS= read -rd '' x; {name} \"$x\"; }}", self.word(d), self.word(d)),
            43 => format!("x=$(printf '%s\\n' {}); {name} \"$x\" $x", self.word(d)),
            44 => format!(
                "echo -e {} | {{ read -r x; {name} \"$x\"; }}",
                self.pick(&["'a\\tb'", "'\\x41\\0101'", "'a\\cb'", "'\\\\n'", "a\\\\b", "-n x", "'\\u41'"])
            ),
            45 => format!(
                "printf {} | {{ read -r x; {name} \"$x\"; }}",
                self.pick(&[
                    "'%b' 'a\\tb'",
                    "'%d %x' 10 0x1f",
                    "'%s %s\\n' a b c",
                    "'%5.2s|' abc",
                    "'%*d' 4 7",
                    "'%q' \"a b\"",
                    "'\\101\\x42'",
                    "'%d' \"'a\"",
                    "-- '-x'",
                    "'%.3d' 5",
                    "'%e'",
                    "'%c' abc"
                ])
            ),
            46 => format!("let x=2+3 'y = x * 2' z=x,y; {name} $x $y $z $?; unset z"),
            _ => format!(
                "[ {} ]; {name} $?",
                self.pick(&[
                    "-n \"\"",
                    "! a",
                    "a -a b",
                    "\"\" -o b",
                    "( a )",
                    "! ( a )",
                    "a = a -a b != b",
                    "1 -eq 01",
                    "a \\< b",
                    "-z",
                    "=",
                    "! =",
                    "a = ",
                    "-n = x",
                    "( = )",
                    "1 -lt 2 -a 3 -gt 2",
                    "! ! a",
                    "-a",
                    "-o a"
                ])
            ),
        }
    }
}
