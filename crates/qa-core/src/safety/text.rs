//! Texts as a careful reader sees them, whatever tricks they are written with.

use unicode_normalization::UnicodeNormalization;

/// A text without case, accents, look-alike letters and invisible characters; white space runs
/// are one space (EXP-018). Two texts that a person would take for the same have the same one.
#[must_use]
pub fn plain(text: &str) -> String {
    plain_with_case(text).to_lowercase()
}

/// As [`plain`], but letters keep their case, so that words written `likeThis` can be told apart.
pub(crate) fn plain_with_case(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let mut folded = String::new();
    for character in text
        .nfkd()
        .filter(|character| !is_ignorable(*character))
        .map(look_alike)
    {
        match character {
            // Combining accents of Latin, Greek and Cyrillic.
            '\u{300}'..='\u{36f}' => {}
            'ß' | 'ẞ' => folded.push_str("ss"),
            other => folded.push(other),
        }
    }
    let composed: String = folded.nfc().collect();
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Characters that leave no trace on the screen.
fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || character.is_control() && !character.is_whitespace()
}

/// The Latin letter that a letter of another script, or an unusual Latin one, looks like.
fn look_alike(character: char) -> char {
    match character {
        // Cyrillic.
        'а' => 'a',
        'А' => 'A',
        'В' => 'B',
        'в' => 'b',
        'с' => 'c',
        'С' => 'C',
        'ԁ' => 'd',
        'е' => 'e',
        'Е' => 'E',
        'ҽ' => 'e',
        'ԍ' => 'g',
        'һ' => 'h',
        'Һ' => 'H',
        'Н' => 'H',
        'н' => 'h',
        'і' => 'i',
        'І' => 'I',
        'ј' => 'j',
        'Ј' => 'J',
        'к' => 'k',
        'К' => 'K',
        'ӏ' => 'l',
        'Ӏ' => 'l',
        'М' => 'M',
        'м' => 'm',
        'п' => 'n',
        'о' => 'o',
        'О' => 'O',
        'р' => 'p',
        'Р' => 'P',
        'ԛ' => 'q',
        'Ԛ' => 'Q',
        'г' => 'r',
        'ѕ' => 's',
        'Ѕ' => 'S',
        'т' => 't',
        'Т' => 'T',
        'ц' => 'u',
        'ѵ' => 'v',
        'Ѵ' => 'V',
        'ԝ' => 'w',
        'Ԝ' => 'W',
        'х' => 'x',
        'Х' => 'X',
        'у' => 'y',
        'У' => 'Y',
        'ү' => 'y',
        'Ү' => 'Y',
        // Greek.
        'α' => 'a',
        'Α' => 'A',
        'Β' => 'B',
        'β' => 'b',
        'ϲ' => 'c',
        'ς' => 'c',
        'Ϲ' => 'C',
        'ε' => 'e',
        'Ε' => 'E',
        'Η' => 'H',
        'η' => 'n',
        'ι' => 'i',
        'Ι' => 'I',
        'ϳ' => 'j',
        'Ϳ' => 'J',
        'κ' => 'k',
        'Κ' => 'K',
        'Μ' => 'M',
        'μ' => 'u',
        'Ν' => 'N',
        'ν' => 'v',
        'ο' => 'o',
        'Ο' => 'O',
        'σ' => 'o',
        'ρ' => 'p',
        'Ρ' => 'P',
        'τ' => 't',
        'Τ' => 'T',
        'υ' => 'u',
        'Υ' => 'Y',
        'χ' => 'x',
        'Χ' => 'X',
        'γ' => 'y',
        'Ζ' => 'Z',
        'ω' => 'w',
        // Armenian.
        'օ' => 'o',
        'Օ' => 'O',
        'ս' => 'u',
        'ո' => 'n',
        'հ' => 'h',
        'ց' => 'g',
        'ք' => 'p',
        'զ' => 'q',
        'յ' => 'j',
        'լ' => 'l',
        'Տ' => 'S',
        'Լ' => 'L',
        // Unusual Latin letters and signs that stand for one.
        'ı' => 'i',
        'ɩ' => 'i',
        'ɑ' => 'a',
        'ɡ' => 'g',
        'ɢ' => 'g',
        'ʟ' => 'l',
        'ł' => 'l',
        'Ł' => 'L',
        'ø' => 'o',
        'Ø' => 'O',
        'đ' => 'd',
        'Đ' => 'D',
        'ᴏ' => 'o',
        'ᴀ' => 'a',
        'ʏ' => 'y',
        'ᴜ' => 'u',
        'ᴛ' => 't',
        'ɴ' => 'n',
        'ꜱ' => 's',
        'ɪ' => 'i',
        'ᴄ' => 'c',
        'ᴅ' => 'd',
        'ᴇ' => 'e',
        'ᴘ' => 'p',
        'ᴠ' => 'v',
        'ᴡ' => 'w',
        'ᴢ' => 'z',
        'ʙ' => 'b',
        'ᴋ' => 'k',
        'ᴍ' => 'm',
        'ʀ' => 'r',
        'ǀ' => 'l',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // EXP-018
    #[test]
    fn tricks_of_writing_leave_no_trace() {
        for text in [
            "Log out",
            "  LOG   OUT ",
            "Log\u{200b} o\u{ad}ut",
            "Ｌｏｇ　ｏｕｔ",
            "𝐋𝐨𝐠 𝐨𝐮𝐭",
            "Lоg оut",
            "Lοg οut",
            "Lóg öut",
            "log\nout",
            "\u{202e}log out",
            "ⓛⓞⓖ out",
        ] {
            assert_eq!(plain(text), "log out", "{text:?}");
        }
        assert_eq!(plain("退\u{fe0f}出"), "退出");
        assert_eq!(plain("\u{0}\u{1b}"), "");
    }

    #[test]
    fn other_scripts_stay_themselves() {
        assert_eq!(plain("設定を開く"), "設定を開く");
        assert_eq!(plain("한국어"), "한국어");
    }
}
