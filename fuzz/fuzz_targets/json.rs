#![no_main]
//! A JSON value: no panic, no secret, and a second time nothing changes.

use libfuzzer_sys::fuzz_target;
use qa_fuzz::{REDACTOR, check};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return;
    };
    // Keys that become equal are refused.
    let Ok(safe) = REDACTOR.json(&value) else {
        return;
    };
    check(safe.to_line().as_str());
    let again = REDACTOR
        .json(safe.as_value())
        .expect("the keys are different");
    assert_eq!(again.as_value(), safe.as_value());
});
