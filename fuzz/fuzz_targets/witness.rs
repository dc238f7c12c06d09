//! Any bytes → the witness's reading. It must end, stay within its limits, and account for the text: every span lies
//! in it, a text that is compared with itself does not differ, and a plain text is read without a gap.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward::syntax::shell::{compare, witness};

fuzz_target!(|data: &[u8]| {
    let Ok(program) = witness::read(data) else { return };
    assert!(compare::differences(&program, &program, data).is_empty());
    for region in &program.unparsed {
        assert!(region.span.end as usize <= data.len());
    }
    for list in &program.lists {
        assert!(list.span.end as usize <= data.len() && list.span.start <= list.span.end);
    }
    if compare::plain(data) {
        assert!(program.unparsed.is_empty(), "plain, and not read whole: {:?}", program.unparsed);
    }
});
