//! Private keys and certificates in their armour.

use memchr::memmem;

use crate::rule::Rule;
use crate::span::Span;

const BEGIN: &[u8] = b"-----BEGIN ";
/// The longest label that is believed, in bytes.
const MAX_LABEL: usize = 64;

/// Finds armoured blocks; one without its END line reaches to the end of the text (RED-060).
pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memmem::find(&bytes[at..], BEGIN) {
        let start = at + found;
        let label_start = start + BEGIN.len();
        let window = &bytes[label_start..bytes.len().min(label_start + MAX_LABEL)];
        at = label_start;
        let Some(length) = memmem::find(window, b"-----") else {
            if window.len() < MAX_LABEL {
                spans.push(Span::tie(start, text.len()));
            }
            continue;
        };
        let label = &text[label_start..label_start + length];
        if !(label.ends_with("KEY")
            || label.ends_with("KEY BLOCK")
            || label.contains("CERTIFICATE"))
        {
            continue;
        }
        let body = label_start + length + 5;
        let end_line = format!("-----END {label}-----");
        match memmem::find(&bytes[body..], end_line.as_bytes()) {
            Some(found) => {
                at = body + found + end_line.len();
                spans.push(Span::value(start, at, Rule::KeyBlock));
            }
            None => {
                spans.push(Span::value(start, text.len(), Rule::KeyBlock));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Mark;

    fn check(text: &str, expected: &[&str]) {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.retain(|span| span.mark != Mark::Tie);
        let found: Vec<&str> = spans
            .iter()
            .map(|span| &text[span.start..span.end])
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_block_ends_at_its_own_end_line_or_at_the_end() {
        // RED-060
        check(
            "a -----BEGIN PRIVATE KEY-----\nM\n-----END PRIVATE KEY----- b",
            &["-----BEGIN PRIVATE KEY-----\nM\n-----END PRIVATE KEY-----"],
        );
        check(
            "-----BEGIN RSA PRIVATE KEY-----\nM\n-----END X-----",
            &["-----BEGIN RSA PRIVATE KEY-----\nM\n-----END X-----"],
        );
        check("-----BEGIN POEM-----\nroses\n-----END POEM-----", &[]);
    }
}
