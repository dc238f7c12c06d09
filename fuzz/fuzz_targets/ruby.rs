//! A program in Ruby → its front end and the evaluator.
#![no_main]

mod language;

use libfuzzer_sys::fuzz_target;
use shellward::effect::Language;

fuzz_target!(|program: &[u8]| language::holds(Language::Ruby, "ruby -e", program));
