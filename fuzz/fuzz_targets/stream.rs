#![no_main]
//! Bytes in chunks: no panic, no secret, a second time nothing changes, and the chunks do not matter.

use libfuzzer_sys::fuzz_target;
use qa_fuzz::{REDACTOR, check};

fn redact<'c>(chunks: impl Iterator<Item = &'c [u8]>) -> String {
    let mut stream = REDACTOR.stream();
    let mut safe = String::new();
    for chunk in chunks {
        safe += stream
            .push(chunk)
            .expect("a text is never refused")
            .as_str();
    }
    safe + stream.finish().expect("a text is never refused").as_str()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((size, bytes)) = bytes.split_first() else {
        return;
    };
    let safe = redact(std::iter::once(bytes));
    check(&safe);
    assert_eq!(redact(bytes.chunks(usize::from(*size) + 1)), safe);
    assert_eq!(redact(std::iter::once(safe.as_bytes())), safe);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let at_once = REDACTOR.text(text).expect("a text is never refused");
        // A mark of UTF-8 or UTF-16 is read by a stream alone.
        if !text.starts_with('\u{FEFF}') {
            assert_eq!(at_once.as_str(), safe);
        }
    }
});
