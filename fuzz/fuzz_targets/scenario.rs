#![no_main]
//! A scenario file: no panic, nothing lost, and an error that holds nothing of the file.

use libfuzzer_sys::fuzz_target;

/// The names that the format gives to its fields; a position holds nothing else.
const FIELDS: [&str; 43] = [
    "schemaVersion",
    "meta",
    "name",
    "description",
    "driver",
    "createdAt",
    "notes",
    "settle",
    "budgetMs",
    "quietMs",
    "postChangeQuietMs",
    "intervalMs",
    "adaptiveBudgetMs",
    "target",
    "launch",
    "loginState",
    "source",
    "origins",
    "windowTitle",
    "deviceId",
    "steps",
    "index",
    "intent",
    "action",
    "assert",
    "escalationRefused",
    "reason",
    "code",
    "kind",
    "text",
    "key",
    "modifiers",
    "option",
    "url",
    "direction",
    "amount",
    "expected",
    "scope",
    "path",
    "value",
    "assertions",
    "advisory",
    "question",
];
const MORE: [&str; 11] = [
    "role",
    "tag",
    "identifier",
    "roleHint",
    "contains",
    "targetDescription",
    "toDescription",
    "provenance",
    "provider",
    "model",
    "confidence",
];

fuzz_target!(|bytes: &[u8]| {
    match qa_replay::load(bytes) {
        // REP-INV-20
        Ok(scenario) => {
            let written = serde_json::to_vec(&scenario).expect("a scenario can be written");
            let again = qa_replay::load(&written).expect("what was written can be read");
            assert_eq!(again, scenario);
        }
        // REP-INV-23
        Err(error) => {
            assert!(error.span.start <= error.span.end && error.span.end <= bytes.len());
            let words = error.position.split(['.', '[', ']']);
            for word in words.filter(|word| !word.is_empty() && *word != "$") {
                let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
                let is_known = FIELDS.contains(&word) || MORE.contains(&word);
                assert!(is_number || is_known, "{error}");
            }
        }
    }
});
