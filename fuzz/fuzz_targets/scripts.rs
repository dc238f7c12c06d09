//! The first byte picks an embedded language, the rest is a program in it → its front end. It must give a tree: no panic,
//! no stall, and the same tree twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward::effect::Language;
use shellward::syntax::foreign;

fuzz_target!(|data: &[u8]| {
    let Some((pick, text)) = data.split_first() else { return };
    let Some(&language) = Language::ALL.get(usize::from(*pick) % Language::ALL.len()) else { return };
    let once = format!("{:?}", foreign(language, text));
    let twice = format!("{:?}", foreign(language, text));
    assert_eq!(once, twice, "{language}");
});
