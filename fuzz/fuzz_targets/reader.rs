//! Any bytes → our reader, in every dialect. It must end, and account for every byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward::syntax::cover;
use shellward::syntax::shell::{self, Dialect};

fuzz_target!(|data: &[u8]| {
    for dialect in [Dialect::BASH, Dialect::POSIX, Dialect::ZSH, Dialect::KSH] {
        let program = shell::read(data, dialect);
        let gaps = cover::gaps(&program, data);
        assert!(gaps.is_empty(), "{dialect:?} does not account for {gaps:?}");
        for region in &program.unparsed {
            assert!(region.span.start <= region.span.end && region.span.end as usize <= data.len());
        }
    }
});
