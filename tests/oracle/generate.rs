//! Seeded shell texts: quoting, expansions, operators, control flow, redirections, functions, nested.

/// The generator (splitmix64).
pub(crate) struct Generator {
    state: u64,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Generator { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// One text: some set-up, then commands.
    pub(crate) fn text(&mut self) -> String {
        let mut out = String::new();
        // Every variable is set, so that nothing depends on the surroundings.
        out.push_str("a=x b='p q' c= d=abcabc e=3 f='*' n=5; arr=(one 'two 2' three); set -- first 'sec ond' third\n");
        let n = 1 + self.below(4);
        for _ in 0..n {
            let c = self.command(3);
            out.push_str(&c);
            out.push_str(self.pick(&["\n", "; ", "\n", " && ", "\n"]));
        }
        out.push_str("c9 end\n");
        out
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let d = depth - 1;
        match self.below(22) {
            0 => format!("if {}; then {}; else {}; fi", self.condition(d), self.command(d), self.command(d)),
            1 => format!("for v in {} {}; do {} \"$v\"; done", self.word(d), self.word(d), self.name()),
            2 => format!(
                "case {} in {}) {};; *) {};; esac",
                self.word(d),
                self.pattern(),
                self.command(d),
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
            9 => format!("{} <<E\nline $a {}\nE\n", self.simple(d), self.word(d).replace('\n', " ")),
            10 => format!("read r s <<< {}; {} \"$r\" \"$s\"", self.word(d), self.name()),
            11 => format!("arr[{}]={}; {} \"${{arr[@]}}\" ${{#arr[@]}}", self.below(4), self.value(d), self.name()),
            12 => format!("{} && {}", self.condition(d), self.command(d)),
            13 => format!("{} || {}", self.condition(d), self.command(d)),
            14 => format!("IFS={}; {} $d $b; IFS=$' \\t\\n'", self.pick(&["b", "c", "' '", "''", "ab"]), self.name()),
            15 => format!("printf -v r '%s-%03d' {} {}; {} \"$r\"", self.word(d), self.below(50), self.name()),
            16 => format!("shift; {} \"$@\" $# \"$1\"", self.name()),
            17 => format!("set -- {} {}; {} \"$*\" $2", self.word(d), self.word(d), self.name()),
            _ => self.simple(d),
        }
    }

    fn quoted(&mut self, text: &str) -> String {
        format!("'{}'", text.replace('\'', "'\\''"))
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.below(9) {
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

    fn name(&mut self) -> &'static str {
        ["c1", "c2", "c3", "c4"][self.below(4)]
    }
    fn var(&mut self) -> &'static str {
        ["a", "b", "c", "d", "e"][self.below(5)]
    }

    fn simple(&mut self, depth: usize) -> String {
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
        if self.below(10) == 0 {
            out.push_str(self.pick(&[" 2>/dev/null", " </dev/null", " >/dev/null 2>&1"]));
        }
        out
    }

    fn value(&mut self, depth: usize) -> String {
        self.word(depth)
    }

    fn pattern(&mut self) -> String {
        self.pick(&["x", "a*", "*c", "?", "[a-c]*", "p\\ q", "\"*\"", "@(x|abc*)", "!(x)", "*b*", "\"p q\"", "${a}*"])
            .to_string()
    }

    fn arithmetic(&mut self, depth: usize) -> String {
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
    fn word(&mut self, depth: usize) -> String {
        let mut out = String::new();
        for _ in 0..1 + self.below(2) {
            let p = self.part(depth);
            out.push_str(&p);
        }
        out
    }

    fn part(&mut self, depth: usize) -> String {
        let v = self.var();
        let nested = |me: &mut Self| if depth == 0 { "z".to_string() } else { me.word(depth - 1) };
        match self.below(44) {
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
            _ => format!("\"${{arr[@]:{}}}\"", self.below(3)),
        }
    }
}
