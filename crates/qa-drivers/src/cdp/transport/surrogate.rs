//! Halves of characters. A script may cut a text through an emoji, and JSON escapes what is left
//! (`\ud83d`); a text in Rust cannot hold it.

use std::borrow::Cow;

const ESCAPE: usize = r"\uXXXX".len();
const REPLACEMENT: &[u8; ESCAPE] = br"\ufffd";

/// A JSON text with the escape of U+FFFD in place of each half of a character.
pub(crate) fn mend(json: &[u8]) -> Cow<'_, [u8]> {
    let mut mended = Cow::Borrowed(json);
    let mut at = 0;
    while let Some(found) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        at += match (unit(json, at), unit(json, at + ESCAPE)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            (Some(0xD800..=0xDFFF), _) => {
                mended.to_mut()[at..at + ESCAPE].copy_from_slice(REPLACEMENT);
                ESCAPE
            }
            (Some(_), _) => ESCAPE,
            // Another escape, such as that of a backslash.
            (None, _) => 2,
        };
        if at >= json.len() {
            break;
        }
    }
    mended
}

/// The unit of UTF-16 that is escaped at a place.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix(br"\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-040, WEB-080
    #[test]
    fn half_a_character_is_replaced_and_all_else_stays() {
        let check = |json: &str, expected: &str| {
            let mended = mend(json.as_bytes());
            let text: String = serde_json::from_slice(&mended).unwrap();
            assert_eq!(text, expected, "{json}");
        };
        check(r#""great \ud83d""#, "great \u{FFFD}");
        check(r#""\uDE00 b""#, "\u{FFFD} b");
        check(r#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀");
        check(r#""\ud83d\u0041""#, "\u{FFFD}A");
        check(r#""\\ud83d \" \u00e9""#, "\\ud83d \" é");
        assert!(matches!(mend(br#"{"a":"\ud83d\ude00"}"#), Cow::Borrowed(_)));
        for torn in [&b"\\"[..], b"\"\\u", b"\\ud83d\\", b"\\u12"] {
            assert_eq!(mend(torn).len(), torn.len());
        }
    }
}
