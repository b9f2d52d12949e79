//! The first stage: line ends, control and format characters, and the markers already in the text.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem;

use crate::span::{Atoms, JOINER, MARKER, URL_MARKER, is_atom};

/// Characters that print nothing of their own and may hide inside a word (RED-023).
pub(crate) fn is_separator(c: char) -> bool {
    match c {
        '\n' => false,
        '\u{0}'..='\u{1F}' | '\u{7F}'..='\u{9F}' => true,
        _ if c < '\u{AD}' => false,
        '\u{AD}'
        | '\u{600}'..='\u{605}'
        | '\u{61C}'
        | '\u{6DD}'
        | '\u{70F}'
        | '\u{890}'..='\u{891}'
        | '\u{8E2}'
        | '\u{180E}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{110BD}'
        | '\u{110CD}'
        | '\u{13430}'..='\u{1343F}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0001}'
        | '\u{E0020}'..='\u{E007F}' => true,
        _ => is_atom(c),
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2BFF}' | '\u{FE0F}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Whether nothing in `text` has to change; one pass over the bytes.
fn is_plain(text: &str) -> bool {
    // Lead bytes from 0xC2 to 0xF4 may begin a separator; only those that can are looked at closely.
    let suspicious = text.bytes().any(|b| {
        (b < 0x20 && b != b'\n')
            || b == 0x7F
            || matches!(b, 0xC2 | 0xD8 | 0xDB | 0xDC | 0xE0..=0xE2 | 0xEF..=0xF4)
    });
    !suspicious || !text.chars().any(is_separator)
}

/// Replaces separators by joiners and the markers of an earlier pass by their atoms.
pub(crate) fn normalise(text: &str) -> Cow<'_, str> {
    let text = if is_plain(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(join(text))
    };
    static MARKER_START: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new("[REDACTED"));
    if MARKER_START.find(text.as_bytes()).is_none() {
        return text;
    }
    let mut atom = [0; 4];
    let text = text.replace(MARKER, Atoms::marker().encode_utf8(&mut atom));
    Cow::Owned(text.replace(URL_MARKER, Atoms::url_marker().encode_utf8(&mut atom)))
}

fn join(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut previous = '\n';
    let mut in_run = false;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        if c == '\r' && next == Some('\n') {
            continue;
        }
        let joins_emoji =
            c == '\u{200D}' && is_pictograph(previous) && next.is_some_and(is_pictograph);
        if joins_emoji || !is_separator(c) {
            out.push(c);
            in_run = false;
        } else if !in_run {
            // In front of everything there is nothing to join, and the tab before a frame is frequent.
            out.push(if out.is_empty() { ' ' } else { JOINER });
            in_run = true;
        }
        previous = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        assert_eq!(normalise(input), expected);
    }

    #[test]
    fn separators_join_and_line_ends_agree() {
        // RED-023
        check("a\r\nb", "a\nb");
        check("pass\u{AD}\u{200B}word", "pass\u{1}word");
        check("a\u{2028}b\tc\u{0}", "a\u{1}b\u{1}c\u{1}");
        check("👩\u{200D}💻 ok", "👩\u{200D}💻 ok");
        check("x\u{200D}y", "x\u{1}y");
        check("plain ünïcode，", "plain ünïcode，");
        check("forged \u{F0000} atom", "forged \u{1} atom");
    }

    #[test]
    fn markers_of_an_earlier_pass_are_atoms() {
        // RED-021
        check(
            "[REDACTED][REDACTED_URL][REDACTED_X]",
            "\u{F0000}\u{F0001}[REDACTED_X]",
        );
    }
}
