//! Long texts, cut for people before redaction sees them.

/// A text of at most so many characters and an ellipsis. A word that would be torn is left out as a
/// whole: of a secret whose end is cut off, redaction could not know the rest for one (RED-005).
#[must_use]
pub fn clip(text: &str, chars: usize) -> String {
    let Some((end, next)) = text.char_indices().nth(chars) else {
        return text.to_owned();
    };
    let is_border = |c: char| {
        // Chinese and Japanese have no spaces.
        let is_wide = matches!(c, '\u{3000}'..='\u{9FFF}' | '\u{FF00}'..='\u{FFEF}');
        c.is_whitespace() || is_wide || "\"'`()[]{}<>=,;&|".contains(c)
    };
    let kept = &text[..end];
    let kept = if is_border(next) {
        kept
    } else {
        let border = kept.char_indices().rfind(|(_, c)| is_border(*c));
        border.map_or("", |(at, c)| &kept[..at + c.len_utf8()])
    };
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    // RED-005, RED-INV-02
    #[test]
    fn no_word_is_torn() {
        assert_eq!(clip("one two", 7), "one two");
        assert_eq!(clip("one two three", 7), "one two…");
        assert_eq!(clip("one two three", 9), "one two…");
        assert_eq!(clip("pin=kp-9931-zebra", 8), "pin=…");
        assert_eq!(clip("kp-9931-zebra", 8), "…");
        assert_eq!(clip("密码 kp", 4), "密码…");
        assert_eq!(clip("购物车里有三件商品", 4), "购物车里…");
    }
}
