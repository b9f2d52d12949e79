//! What all targets share: one redactor, and what must never be in its output.

use std::sync::LazyLock;

use qa_redact::{Redactor, RedactorConfig, Root, Secret};

/// A registered value with everything that encodings treat differently.
pub const SECRET: &str = "kp-99/31 \"zé\"";
/// A second one, of digits.
pub const DIGITS: &str = "90210447";

/// With everything that can be configured.
pub static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
    Redactor::new(RedactorConfig {
        allowed_origins: vec!["http://127.0.0.1:8080".into()],
        roots: vec![Root {
            alias: "$TMP".into(),
            path: "/srv/run7".into(),
        }],
        secrets: vec![Secret::new(SECRET), Secret::new(DIGITS)],
        devices: vec!["R58M12ABCDE".into()],
    })
    .expect("the configuration is valid")
});

/// Fails when a registered secret can be read in `safe`.
pub fn check(safe: &str) {
    let low = safe.to_lowercase();
    assert!(!low.contains(SECRET), "a secret as it is: {safe:?}");
    assert!(!low.contains(DIGITS), "digits as they are: {safe:?}");
    let tight: String = low
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '=')
        .collect();
    let needle: String = SECRET.chars().filter(|c| !c.is_whitespace()).collect();
    assert!(!tight.contains(&needle), "a secret with gaps: {safe:?}");
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert!(!low.contains(&hex), "a secret in hex: {safe:?}");
    assert!(
        !low.contains(&percent(SECRET)),
        "a secret in percent: {safe:?}"
    );
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}
