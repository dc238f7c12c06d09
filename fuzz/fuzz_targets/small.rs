//! The first byte picks an embedded language, the rest is a program in it: those without a target of their own.
#![no_main]

mod language;

use libfuzzer_sys::fuzz_target;
use shellward::effect::Language;

const SMALL: [(Language, &str); 9] = [
    (Language::R, "Rscript -e"),
    (Language::Julia, "julia -e"),
    (Language::Vim, "vim -c"),
    (Language::Elisp, "emacs --batch --eval"),
    (Language::AppleScript, "osascript -e"),
    (Language::Gdb, "gdb -ex"),
    (Language::Tcl, "tclsh <<<"),
    (Language::Make, "make -f - <<<"),
    (Language::Ed, "ed <<<"),
];

fuzz_target!(|data: &[u8]| {
    let Some((pick, program)) = data.split_first() else { return };
    let Some((language, interpreter)) = SMALL.get(usize::from(*pick) % SMALL.len()) else { return };
    language::holds(*language, interpreter, program);
});
