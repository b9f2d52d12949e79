#![no_main]
//! A text: no panic, no secret, and a second time nothing changes.

use libfuzzer_sys::fuzz_target;
use qa_fuzz::{REDACTOR, check};

fuzz_target!(|text: &str| {
    let safe = REDACTOR.text(text).expect("a text is never refused");
    check(safe.as_str());
    let again = REDACTOR
        .text(safe.as_str())
        .expect("a text is never refused");
    assert_eq!(again.as_str(), safe.as_str());
});
