//! Leaves out of a text what differs from one occurrence of a defect to the next.

/// A message without what varies: digits, hexadecimal ids, quoted values, and of addresses all but
/// the path (WEB-043).
#[must_use]
pub fn mask_message(message: &str) -> String {
    let mut masked = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(character) = rest.chars().next() {
        if let Some((address, after)) = leading_address(rest) {
            masked.push_str(&mask_path(address));
            rest = after;
        } else if let Some(after) = quoted(rest, character) {
            masked.push(character);
            masked.push('…');
            masked.push(character);
            rest = after;
        } else if character.is_alphanumeric() || character == '_' {
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
                .unwrap_or(rest.len());
            mask_word(&rest[..end], &mut masked);
            rest = &rest[end..];
        } else {
            masked.push(if character.is_whitespace() {
                ' '
            } else {
                character
            });
            rest = &rest[character.len_utf8()..];
        }
    }
    masked.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Of an address or file name the path alone, without query, content hashes and numbers.
#[must_use]
pub fn mask_path(address: &str) -> String {
    let after_scheme = address.split_once("://").map_or(address, |(_, rest)| {
        rest.find('/').map_or("/", |slash| &rest[slash..])
    });
    let path = after_scheme.split(['?', '#']).next().unwrap_or_default();
    let mut masked = String::with_capacity(path.len());
    let mut rest = path;
    while !rest.is_empty() {
        let end = rest.find(['/', '.', '-', '_']).unwrap_or(rest.len());
        mask_word(&rest[..end], &mut masked);
        let separator = rest[end..].chars().next();
        masked.extend(separator);
        rest = &rest[end + separator.map_or(0, char::len_utf8)..];
    }
    masked
}

/// A word as it is, with `#` for digits; an id as `#` alone.
fn mask_word(word: &str, masked: &mut String) {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let hexadecimal = word
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if hexadecimal && digits > 0 && word.len() >= 8 {
        masked.push('#');
    } else {
        masked.push_str(&qa_core::mask_digits(word));
    }
}

/// The text after a quoted value that begins here.
fn quoted(text: &str, quote: char) -> Option<&str> {
    const LONGEST: usize = 200;
    if !matches!(quote, '"' | '\'' | '`') {
        return None;
    }
    let inside = &text[quote.len_utf8()..];
    let end = inside.find(quote).filter(|&end| end <= LONGEST)?;
    let after = &inside[end + quote.len_utf8()..];
    // An apostrophe inside a word does not open a value.
    let closes = !after.starts_with(char::is_alphanumeric);
    closes.then_some(after)
}

fn leading_address(text: &str) -> Option<(&str, &str)> {
    let scheme = ["http://", "https://", "blob:", "file://"]
        .iter()
        .find(|scheme| text.starts_with(**scheme))?;
    let end = text[scheme.len()..]
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '>' | ','))
        .map_or(text.len(), |end| end + scheme.len());
    Some(text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-043
    #[test]
    fn what_varies_is_left_out_of_a_message() {
        for (message, expected) in [
            ("item 17 of 30 is missing", "item # of # is missing"),
            ("no product \"Blue mug\" here", "no product \"…\" here"),
            (
                "can't read 'total' of undefined",
                "can't read '…' of undefined",
            ),
            (
                "GET http://127.0.0.1:8042/api/cart/12?x=1 failed",
                "GET /api/cart/# failed",
            ),
            (
                "order 550e8400-e29b-41d4-a716-446655440000 lost",
                "order # lost",
            ),
            ("planted: cart total is NaN", "planted: cart total is NaN"),
            ("line\n  break", "line break"),
            ("unbalanced \" quote", "unbalanced \" quote"),
            ("ünïcode 3 … 4", "ünïcode # … #"),
        ] {
            assert_eq!(mask_message(message), expected);
        }
    }

    // WEB-043
    #[test]
    fn a_file_is_the_same_after_a_new_build() {
        assert_eq!(
            mask_path("http://a.test/js/app.3f2a9c1b.js?v=2"),
            "/js/app.#.js"
        );
        assert_eq!(
            mask_path("/assets/index-BkX92abc.js"),
            "/assets/index-BkX#abc.js"
        );
        assert_eq!(mask_path("http://a.test"), "/");
    }
}
