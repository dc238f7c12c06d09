//! Test support: transforms against the real programs.

use super::{Call, Flavour, Output, run};
pub(crate) use crate::value::oracle::{Rng, run as real};

/// Compares a builtin of bash and dash with its transform, on generated words.
pub(crate) fn compare_shells(name: &str, cases: usize, mut words: impl FnMut() -> Vec<Vec<u8>>) {
    let all: Vec<Vec<Vec<u8>>> = (0..cases).map(|_| words()).collect();
    for (shell, flavour) in [("bash", Flavour::Bash), ("dash", Flavour::Dash)] {
        // A mark that no output has ends each case.
        let mut script = Vec::new();
        for words in &all {
            script.extend_from_slice(name.as_bytes());
            for w in words {
                script.extend_from_slice(b" '");
                script.extend(w.iter().flat_map(|b| if *b == b'\'' { b"'\\''".to_vec() } else { vec![*b] }));
                script.push(b'\'');
            }
            script.extend_from_slice(b" 2>/dev/null\ns=$?; printf '@@%d@@' $s\n");
        }
        let Some((out, _)) = real(shell, &[], &script) else { continue };
        let mut rest = out.as_slice();
        let (mut wrong, mut computed) = (Vec::new(), 0);
        for words in &all {
            let end = rest.windows(2).position(|w| w == b"@@").unwrap();
            let (printed, after) = rest.split_at(end);
            let close = after[2..].windows(2).position(|w| w == b"@@").unwrap();
            let status: u8 = String::from_utf8_lossy(&after[2..2 + close]).parse().unwrap();
            rest = &after[close + 4..];
            let operands: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
            let Ok(ours) = run(name, &Call { operands: &operands, flavour, ..Call::default() }) else { continue };
            computed += 1;
            let failed = (ours.status != 0) == (status != 0);
            if ours.bytes != printed || !failed {
                let shown: Vec<_> = words.iter().map(|w| String::from_utf8_lossy(w)).collect();
                wrong.push(format!(
                    "{shell} {name} {shown:?}: ours {:?} ({}), real {:?} ({status})",
                    String::from_utf8_lossy(&ours.bytes),
                    ours.status,
                    String::from_utf8_lossy(printed)
                ));
            }
        }
        assert!(wrong.is_empty(), "{} of {computed} differ:\n{}", wrong.len(), first(&wrong));
        assert!(computed * 2 > cases, "only {computed} of {cases} are computed");
    }
}

/// Options as a call has them.
pub(crate) type Options<'a> = &'a [(&'a str, Option<&'a [u8]>)];

fn first(wrong: &[String]) -> String {
    wrong.iter().take(25).cloned().collect::<Vec<_>>().join("\n")
}

/// Checks that a transform prints what the program prints: `argv` is run, `options` and `operands` are given to the
/// transform. Cases that it does not compute are counted; the answer is how many were compared.
pub(crate) struct Compare {
    program: &'static str,
    transform: &'static str,
    wrong: Vec<String>,
    compared: usize,
    skipped: usize,
    missing: bool,
}

impl Compare {
    pub(crate) fn new(program: &'static str, transform: &'static str) -> Compare {
        let missing = real("sh", &[b"-c", format!("command -v {program}").as_bytes()], b"").is_none_or(|r| r.1 != 0);
        if missing {
            eprintln!("SKIPPED: {program} is not installed");
        }
        Compare { program, transform, wrong: Vec::new(), compared: 0, skipped: 0, missing }
    }

    /// One case. Options with a value are given to the program as two words.
    pub(crate) fn case(&mut self, options: Options<'_>, operands: &[&[u8]], stdin: &[u8]) {
        if self.missing {
            return;
        }
        let mut argv: Vec<Vec<u8>> = Vec::new();
        for (n, v) in options {
            argv.push(n.as_bytes().to_vec());
            argv.extend(v.map(<[u8]>::to_vec));
        }
        argv.extend(operands.iter().map(|o| o.to_vec()));
        self.case_argv(&argv, options, operands, stdin);
    }

    /// One case whose words are given apart.
    pub(crate) fn case_argv(&mut self, argv: &[Vec<u8>], options: Options<'_>, operands: &[&[u8]], stdin: &[u8]) {
        if self.missing {
            return;
        }
        let ours = run(self.transform, &Call { options, operands, stdin, ..Call::default() });
        let Ok(Output { bytes, status, .. }) = ours else {
            self.skipped += 1;
            return;
        };
        let words: Vec<&[u8]> = argv.iter().map(Vec::as_slice).collect();
        let Some((printed, real_status)) = real(self.program, &words, stdin) else { return };
        self.compared += 1;
        if printed != bytes || (status == 0) != (real_status == 0) {
            let shown: Vec<_> = words.iter().map(|w| String::from_utf8_lossy(w)).collect();
            self.wrong.push(format!(
                "{} {shown:?} < {:?}: ours {:?} ({status}), real {:?} ({real_status})",
                self.program,
                String::from_utf8_lossy(stdin),
                String::from_utf8_lossy(&bytes),
                String::from_utf8_lossy(&printed)
            ));
        }
    }

    /// Fails where a case differed, or where more than the given share was not computed.
    pub(crate) fn finish(self, least_computed: f64) {
        if self.missing {
            return;
        }
        assert!(self.wrong.is_empty(), "{} of {} differ:\n{}", self.wrong.len(), self.compared, first(&self.wrong));
        let share = self.compared as f64 / (self.compared + self.skipped).max(1) as f64;
        assert!(share >= least_computed, "only {} computed, {} not", self.compared, self.skipped);
    }
}

/// Some text for filters: lines of words, with odd bytes, perhaps without a last newline.
pub(crate) fn text(rng: &mut Rng) -> Vec<u8> {
    let parts: [&[u8]; 24] = [
        b"a",
        b"b",
        b"foo",
        b"bar",
        b" ",
        b"\t",
        b"\n",
        b"\n",
        "é".as_bytes(),
        b"1",
        b"20",
        b"A",
        b":",
        b",",
        b"-",
        b"x y",
        b"/",
        b"rm -rf",
        b"\\",
        b"\"",
        b".",
        b"  ",
        b"Zz",
        b"\n\n",
    ];
    (0..rng.below(24)).flat_map(|_| rng.pick(&parts).to_vec()).collect()
}
