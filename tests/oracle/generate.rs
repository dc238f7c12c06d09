//! Seeded shell texts: quoting, expansions, operators, control flow, redirections, functions, nested.

/// The generator (splitmix64).
pub(crate) struct Generator {
    state: u64,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        // One step of the sequence is no more than an addition: neighbouring seeds must not begin within it.
        let mut g = Generator { state: seed.wrapping_mul(0xd134_2543_de82_ef95) };
        g.state = g.next();
        g
    }
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub(crate) fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// One text: some set-up, then commands.
    pub(crate) fn text(&mut self) -> String {
        let mut out = String::new();
        // Every variable is set, so that nothing depends on the surroundings.
        out.push_str("a=x b='p q' c= d=abcabc e=3 f='*' n=5; arr=(one 'two 2' three); set -- first 'sec ond' third\n");
        out.push_str("declare -A m=([k]=v1 [l m]='v 2'); declare -n ref=d; unset u k r s w x y z OPTIND\n");
        let n = 1 + self.below(4);
        let depth = 2 + self.below(4);
        for _ in 0..n {
            let c = self.command(depth);
            out.push_str(&c);
            out.push_str(if c.ends_with('\n') { "" } else { self.pick(&["\n", "; ", "\n", "\n", "\n"]) });
            // What follows a command that is not there is not decided.
            if self.below(12) == 0 {
                out.push_str(": ; ");
            }
        }
        out.push_str("\nc9 end $?\n");
        out
    }

    pub(crate) fn command(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let d = depth - 1;
        match self.below(6) {
            0 | 1 => return self.wide(d),
            2 => return self.odd(d),
            _ => {}
        }
        let v = self.var();
        let name = self.name();
        match self.below(48) {
            0 => format!("if {}; then {}; else {}; fi", self.condition(d), self.command(d), self.command(d)),
            1 => format!("for v in {} {}; do {} \"$v\"; done", self.word(d), self.word(d), self.name()),
            2 => format!(
                "case {} in {}|{}) {}{} *) {};; esac",
                self.word(d),
                self.pattern(),
                self.pattern(),
                self.command(d),
                self.pick(&[";;", ";;", ";&", ";;&", "\n;;"]),
                self.command(d)
            ),
            3 => format!("{{ {}; {}; }}", self.command(d), self.command(d)),
            4 => format!("( {}; {} )", self.command(d), self.command(d)),
            5 => format!("fn() {{ {} \"$@\"; {}; }}; fn {}", self.name(), self.command(d), self.word(d)),
            6 => format!("{}={}; {}", self.var(), self.value(d), self.simple(d)),
            7 => format!("while [ $n -gt {} ]; do n=$((n-1)); {}; done", 2 + self.below(3), self.simple(d)),
            8 => {
                let inner = self.simple(d);
                format!("eval {}", self.quoted(&inner))
            }
            9 => format!(
                "{} <<E\nline $a {}\nE\n",
                self.simple(d),
                self.word(d).replace('\n', " ").replace("${d:$((e-1)):1}", "$d")
            ),
            10 => format!("read r s <<< {}; {} \"$r\" \"$s\" $?", self.word(d), self.name()),
            11 => format!("arr[{}]={}; {} \"${{arr[@]}}\" ${{#arr[@]}}", self.below(4), self.value(d), self.name()),
            12 => format!("{} && {}", self.condition(d), self.command(d)),
            13 => format!("{} || {}", self.condition(d), self.command(d)),
            14 => format!("IFS={}; {} $d $b; IFS=$' \\t\\n'", self.ifs(), self.name()),
            15 => format!("printf -v r '%s-%03d' {} {}; {} \"$r\"", self.word(d), self.below(50), self.name()),
            16 => format!("shift; {} \"$@\" $# \"$1\"", self.name()),
            17 => format!("set -- {} {}; {} \"$*\" $2", self.word(d), self.word(d), self.name()),
            18 => format!("m[{}]={}; {} \"${{m[@]}}\" \"${{!m[@]}}\"", self.key(), self.value(d), name),
            19 => format!("unset 'm[{}]'; {name} \"${{m[*]}}\" ${{#m[@]}}", self.pick(&["k", "none", "l m"])),
            20 => format!("ref={}; {name} \"$d\" \"${{ref}}\" ${{#ref}}; d=abcabc", self.value(d)),
            21 => format!(
                "fn() {{ local {v}={}; {name} \"${v}\"; {}; }}; fn; {} \"${v}\"",
                self.value(d),
                self.simple(d),
                self.name()
            ),
            22 => {
                let args = self.pick(&["-a -b x y", "-ab", "-bx -c", "x -a", "-- -a", "-z", "-b", "-abc d", "-a -- b"]);
                let spec = self.pick(&["ab:c", ":ab:c", "a", "abc"]);
                format!(
                    "OPTIND=1; while getopts {spec} o {args}; do {name} \"$o\" \"${{OPTARG-none}}\" $OPTIND; done; \
                     {} \"$o\" $OPTIND",
                    self.name()
                )
            }
            23 => format!("trap {} EXIT; {}", self.trap(d), self.simple(d)),
            24 => format!(
                "shopt -s expand_aliases\nalias al={}\nal {}\nunalias al",
                self.pick(&["c1", "'c2 x'", "'c3 '", "'c1 y; c2'"]),
                self.word(d)
            ),
            25 => format!("for ((i=0; i<{}; i++)); do {name} $i {}; done", self.below(4), self.word(d)),
            26 => format!("until [ $n -lt {} ]; do ((n--)); {}; done", 2 + self.below(3), self.simple(d)),
            27 => format!(
                "for v in a b c; do case $v in b) {};; esac; {name} $v; done",
                self.pick(&["continue", "break", ":", "c4"])
            ),
            28 => format!("while read -r l; do {name} \"$l\" {}; done <<< $'one\\ntwo x\\\\\\nthree'", self.part(d)),
            29 => format!("read -ra w <<< {}; {name} \"${{w[@]}}\" ${{#w[@]}}", self.word(d)),
            30 => format!("IFS={} read x y z <<< {}; {name} \"$x\" \"$y\" \"$z\"", self.ifs(), self.word(d)),
            31 => {
                format!("read -{} {} x <<< {}; {name} \"$x\" $?", self.pick(&["n", "N"]), self.below(5), self.word(d))
            }
            32 => format!("mapfile -t w <<< {}; {name} \"${{w[@]}}\" ${{#w[@]}}", self.word(d)),
            33 if self.below(3) == 0 => {
                format!("declare -i 'w={}'; w+=2; {name} \"$w\"; unset w", self.arithmetic(2))
            }
            33 => {
                format!("declare {} w={}; {name} \"$w\"; unset w", self.pick(&["-u", "-l", "-x", "--"]), self.flat(d))
            }
            34 => format!(
                "w=({} {}); w+=({}); {name} \"${{w[@]: -2}}\" ${{w[-1]}}",
                self.word(d),
                self.word(d),
                self.word(d)
            ),
            35 => format!("w=([3]={} [1]={}); {name} \"${{!w[@]}}\" \"${{w[@]:1:2}}\"", self.word(d), self.word(d)),
            36 => {
                format!("fn() {{ {}; return {}; {}; }}; fn; {name} $?", self.simple(d), self.below(4), self.simple(d))
            }
            37 => format!("(exit {}); {name} $?; {}", self.below(4), self.condition(d)),
            38 => format!("{} | {{ read -r l; {name} \"$l\"; }}", self.printed(d)),
            39 => format!("x=$({}; {}); {name} \"$x\" $?", self.printed(d), self.pick(&[":", "false", "exit 3"])),
            40 => format!("{name} <({}) {}", self.simple(d), self.word(d)),
            41 => format!("[[ {} =~ {} ]]; {name} $? \"${{BASH_REMATCH[@]}}\"", self.word(d), self.regex()),
            42 => format!("let 'x={}' ; {name} $? $x", self.arithmetic(2)),
            43 => format!("(( x = {} )); {name} $? $x", self.arithmetic(2)),
            44 => {
                let inner = self.command(d.min(2));
                format!("eval {}", self.quoted(&inner))
            }
            45 => format!(
                "cat <<'E' | {{ read -r l; {name} \"$l\"; }}\nraw $a {}\nE\n",
                self.pick(&["'q", "\"q", "\\x", "`y"])
            ),
            46 => format!("cmd={name}; $cmd {}; \"$cmd\" {}", self.word(d), self.word(d)),
            _ => self.simple(d),
        }
    }

    pub(crate) fn ifs(&mut self) -> &'static str {
        ["b", "c", "' '", "''", "ab", ":", "' x'", "$'\\n'", "q", "'p '"][self.below(10)]
    }

    pub(crate) fn key(&mut self) -> &'static str {
        ["k", "'l m'", "\"$a\"", "x$e", "n1", "\\*"][self.below(6)]
    }

    pub(crate) fn regex(&mut self) -> &'static str {
        ["x", "^(a|b)", "(.)(b)", "[a-c]+$", "p( )q", "\"a.c\"", "^$", "a{2}", "(x)?y", "b.*", "\\.", "$a"]
            [self.below(12)]
    }

    pub(crate) fn trap(&mut self, depth: usize) -> String {
        let inner = self.simple(depth);
        self.quoted(&inner)
    }

    /// A command that prints what is known.
    pub(crate) fn printed(&mut self, depth: usize) -> String {
        match self.below(4) {
            0 => format!("echo {}", self.flat(depth)),
            1 => format!("printf '%s\\n' {}", self.word(depth)),
            2 => format!("printf '%s|' {} {}", self.word(depth), self.word(depth)),
            _ => format!("echo -n {}", self.flat(depth)),
        }
    }

    /// A word of which no part is an option.
    pub(crate) fn flat(&mut self, depth: usize) -> String {
        format!("z{}", self.word(depth))
    }

    pub(crate) fn quoted(&mut self, text: &str) -> String {
        format!("'{}'", text.replace('\'', "'\\''"))
    }

    pub(crate) fn condition(&mut self, depth: usize) -> String {
        match self.below(16) {
            8 => format!("[[ {} != {} || -z $c ]]", self.word(depth), self.pattern()),
            9 => format!("[ {} = {} -o -n \"$c\" ]", self.quotedword(depth), self.quotedword(depth)),
            10 => format!("test ! {} = {}", self.quotedword(depth), self.quotedword(depth)),
            11 => format!("[[ {} =~ {} ]]", self.word(depth), self.regex()),
            12 => format!("[[ -v {} ]]", self.pick(&["a", "u", "arr[1]", "arr[7]", "m[k]", "m[x]", "arr"])),
            13 => format!("[ {} -{} {} ]", self.below(5), self.pick(&["eq", "ne", "lt", "ge"]), self.below(5)),
            14 => format!("[ \\( {} = x \\) -a {} ]", self.quotedword(depth), self.quotedword(depth)),
            0 => "true".into(),
            1 => "false".into(),
            2 => format!("[[ {} == {} ]]", self.word(depth), self.pattern()),
            3 => format!("[ \"$a\" = {} ]", self.pick(&["x", "y", "\"$d\""])),
            4 => format!("(( {} > {} ))", self.arithmetic(2), self.below(6)),
            5 => format!("[[ -n {} && ! -z $a ]]", self.word(depth)),
            6 => format!("test {} -lt {}", self.below(9), self.below(9)),
            7 => "! false".into(),
            _ => format!("[[ $d < {} ]]", self.pick(&["abd", "a", "zz"])),
        }
    }

    /// A word that is exactly one field.
    pub(crate) fn quotedword(&mut self, depth: usize) -> String {
        match self.below(4) {
            0 => "\"$b\"".into(),
            1 => "x".into(),
            2 => format!("\"{}\"", self.pick(&["$a", "${d%c}", "$c", "${u-x}"])),
            _ => format!("\"z$(echo {})\"", if depth == 0 { "y".into() } else { self.flat(depth - 1) }),
        }
    }

    pub(crate) fn name(&mut self) -> &'static str {
        ["c1", "c2", "c3", "c4"][self.below(4)]
    }
    pub(crate) fn var(&mut self) -> &'static str {
        ["a", "b", "c", "d", "e"][self.below(5)]
    }

    pub(crate) fn simple(&mut self, depth: usize) -> String {
        let mut out = String::new();
        if self.below(8) == 0 {
            out.push_str(&format!("q={} ", self.value(depth)));
        }
        out.push_str(match self.below(10) {
            0 => "c\\1",
            1 => "'c2'",
            2 => "c\"3\"",
            3 => "$'c\\x34'",
            _ => self.name(),
        });
        for _ in 0..self.below(4) {
            out.push(' ');
            out.push_str(&self.word(depth));
        }
        if self.below(8) == 0 {
            out.push_str(self.pick(&[
                " 2>/dev/null",
                " </dev/null",
                " >/dev/null 2>&1",
                " >out",
                " 3>&1 >&2",
                " &>/dev/null",
                " {fd}>/dev/null",
                " 2>&-",
                " <<<\"$b\"",
                " >|out",
            ]));
        }
        out
    }

    fn value(&mut self, depth: usize) -> String {
        self.word(depth)
    }

    pub(crate) fn pattern(&mut self) -> String {
        self.pick(&["x", "a*", "*c", "?", "[a-c]*", "p\\ q", "\"*\"", "@(x|abc*)", "!(x)", "*b*", "\"p q\"", "${a}*"])
            .to_string()
    }

    pub(crate) fn arithmetic(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(5) {
                0 => "e".into(),
                1 => "n".into(),
                2 => "$e".into(),
                3 => "0x1f".into(),
                _ => self.below(20).to_string(),
            };
        }
        let d = depth - 1;
        match self.below(7) {
            0 => format!("({})", self.arithmetic(d)),
            1 => format!("{} ? {} : {}", self.arithmetic(d), self.arithmetic(d), self.arithmetic(d)),
            2 => format!("-{}", self.arithmetic(d)),
            _ => {
                let op = self.pick(&["+", "-", "*", "<<", "&", "|", "^", "==", "<", "&&", "||", "%7+"]);
                format!("{} {op} {}", self.arithmetic(d), self.arithmetic(d))
            }
        }
    }

    /// A word that depends on nothing but the text.
    pub(crate) fn word(&mut self, depth: usize) -> String {
        let mut out = String::new();
        for _ in 0..1 + self.below(2) {
            let p = self.part(depth);
            out.push_str(&p);
        }
        out
    }

    fn part(&mut self, depth: usize) -> String {
        if self.below(6) == 0 {
            return self.wide_part(depth);
        }
        let v = self.var();
        // Braces in `${x:-…}` end it in ways of their own.
        let nested = |me: &mut Self| {
            let w = if depth == 0 { "z".to_string() } else { me.word(depth - 1) };
            let open = w.match_indices('{').any(|(i, _)| i == 0 || w.as_bytes()[i - 1] != b'$');
            if open { "z".to_string() } else { w }
        };
        match self.below(76) {
            0..=5 => self.pick(&["lit", "-x", "a/b", "k=v", "x.y", "1"]).to_string(),
            6 => "'s q'".into(),
            7 => "\"d q\"".into(),
            // No blank in it: inside "$(…)" bash 5.2 forgets the quotes of a `$'…'` that stands in `${x:-…}`.
            8 => "$'t\\x2da\\x41'".into(),
            9 => "\\ e".into(),
            10 => format!("${v}"),
            11 => format!("\"${v}\""),
            12 => format!("${{{v}}}"),
            13 => format!("${{{v}:-{}}}", nested(self)),
            14 => format!("\"${{{v}:+{}}}\"", self.pick(&["z", "$a", "k${b}", "'q r'"])),
            15 => format!("${{{v}#{}}}", self.pick(&["a", "?", "*b", "x", "p*"])),
            16 => format!("${{{v}##{}}}", self.pick(&["*b", "*", "[a-b]", "a*c"])),
            17 => format!("${{{v}%{}}}", self.pick(&["c", "?", "b*", "*"])),
            18 => format!("${{{v}%%{}}}", self.pick(&["b*", "c*", "[bc]*", "q"])),
            19 => format!("${{{v}/{}/{}}}", self.pick(&["b", "a?", "#a", "%c"]), self.pick(&["X", "", "\"Y Z\""])),
            20 => format!("${{{v}//{}/{}}}", self.pick(&["b", "[ac]", "?b"]), self.pick(&["X", "", "-"])),
            21 => format!("${{{v}:{}:{}}}", self.below(4), self.below(4)),
            22 => format!("${{{v}: -{}}}", 1 + self.below(3)),
            23 => format!("${{{v}^^}}"),
            24 => format!("${{{v}^}}"),
            25 => format!("${{{v},,}}"),
            26 => format!("${{#{v}}}"),
            27 => format!("\"${{{v}@Q}}\""),
            28 => "${!a*}".replace('a', "ar"),
            29 => "\"$@\"".into(),
            30 => "\"$*\"".into(),
            31 => "$1".into(),
            32 => "\"${arr[1]}\"".into(),
            33 => "${arr[@]}".into(),
            34 => "\"${arr[*]}\"".into(),
            35 => format!("$(({}))", self.arithmetic(2)),
            36 => format!("$(echo {})", nested(self)),
            37 => format!("\"$(printf '%s.' {})\"", nested(self)),
            38 => format!("`echo {}`", nested(self).replace(['`', '\\'], "")),
            39 => "{l,m}".into(),
            40 => "{1..3}".into(),
            41 => "$#".into(),
            42 => format!("${{{v}:=dflt}}"),
            44 => "\"${m[k]}\"".into(),
            45 => format!("\"${{m[{}]-none}}\"", self.key()),
            46 => "${!m[@]}".into(),
            47 => "\"${m[@]}\"".into(),
            48 => "${#m[@]}".into(),
            49 => "\"${ref%b*}\"".into(),
            50 => format!("${{u{}}}", self.pick(&["-unset", ":-x y", "+set", ":+set"])),
            51 => format!("\"${{{v}:-{}}}\"", self.pick(&["'q'", "$b", "\"in ner\"", "a'b'c", "${d:1}"])),
            52 => format!(
                "\"${{{v}/{}/{}}}\"",
                self.pick(&["?", "*b", "#?", "%c", "[a-b]", "\\*"]),
                self.pick(&["$a", "'Q'", "\\&", ""])
            ),
            53 => "${arr[@]/o/0}".into(),
            54 => "\"${arr[@]#t}\"".into(),
            55 => "\"${arr[*]^}\"".into(),
            56 => "\"${@:2}\"".into(),
            57 => "\"${@#f}\"".into(),
            58 => "${*%d}".into(),
            59 => "\"${!ref}\"".into(),
            60 => "\"${arr[n-4]}\"".into(),
            61 => "$((n++))".into(),
            62 => "${d:$((e-1)):1}".into(),
            63 => "{a..c}{1,2}".into(),
            64 => "{x,${a},'y z'}".into(),
            65 => "{5..1..2}".into(),
            66 => "{,q}".into(),
            67 => "{a,b{1,2},c}".into(),
            68 => "pre{-x,'*'}post".into(),
            69 => "{1}".into(),
            70 => "{01..03}".into(),
            71 => format!("\"$({}; echo {})\"", self.pick(&[":", "a=zz", "cd /"]), nested(self)),
            72 => "$?".into(),
            73 => format!("\"${{{v}@{}}}\"", self.pick(&["U", "L", "u", "E", "Q"])),
            74 => "\"${arr[@]@Q}\"".into(),
            75 => format!("\"${{{v}~}}${{{v}~~}}\""),
            _ => format!("\"${{arr[@]:{}}}\"", self.below(3)),
        }
    }
}
