//! What the report may do: run its own script and show its own pictures, and nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The content security policy of a document with this style and script. Each is allowed by its
/// hash, so nothing that a page's text smuggles in can run or restyle.
pub(super) fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; \
         form-action 'none'",
        hash(style),
        hash(script)
    )
}

#[cfg(test)]
mod tests {
    use super::policy;

    // The hashes are those of `printf x | openssl dgst -sha256 -binary | base64`.
    #[test]
    fn style_and_script_are_allowed_by_their_hashes() {
        let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        let x = "LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=";
        assert_eq!(
            policy("", "x"),
            format!(
                "default-src 'none'; img-src data:; style-src 'sha256-{empty}'; script-src \
                 'sha256-{x}'; base-uri 'none'; form-action 'none'"
            )
        );
    }
}
