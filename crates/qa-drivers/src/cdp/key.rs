//! The keys of a keyboard, as `Input.dispatchKeyEvent` wants them described.

/// One key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// DOM name of the key (`Enter`, `a`).
    pub(crate) key: String,
    /// DOM name of its place on the keyboard (`Enter`, `KeyA`).
    pub(crate) code: String,
    /// Windows virtual key code.
    pub(crate) virtual_code: u32,
    /// What it types, if anything.
    pub(crate) text: Option<String>,
}

const NAMED: [(&str, u32, Option<&str>); 17] = [
    ("Enter", 13, Some("\r")),
    ("Tab", 9, None),
    ("Escape", 27, None),
    ("Backspace", 8, None),
    ("Delete", 46, None),
    ("ArrowLeft", 37, None),
    ("ArrowUp", 38, None),
    ("ArrowRight", 39, None),
    ("ArrowDown", 40, None),
    ("Home", 36, None),
    ("End", 35, None),
    ("PageUp", 33, None),
    ("PageDown", 34, None),
    ("F1", 112, None),
    ("F2", 113, None),
    ("F5", 116, None),
    ("F10", 121, None),
];

impl Key {
    /// The key with a DOM name, or the one that types a character.
    pub(crate) fn named(name: &str) -> Option<Self> {
        if let Some((name, virtual_code, text)) = NAMED.iter().find(|(known, ..)| *known == name) {
            return Some(Self {
                key: (*name).to_owned(),
                code: (*name).to_owned(),
                virtual_code: *virtual_code,
                text: text.map(str::to_owned),
            });
        }
        let mut characters = name.chars();
        let character = characters.next().filter(|_| characters.next().is_none())?;
        let code = match character {
            'a'..='z' | 'A'..='Z' => format!("Key{}", character.to_ascii_uppercase()),
            '0'..='9' => format!("Digit{character}"),
            ' ' => "Space".into(),
            _ => String::new(),
        };
        let virtual_code = if code.is_empty() {
            0
        } else {
            u32::from(character.to_ascii_uppercase())
        };
        Some(Self {
            key: name.to_owned(),
            code,
            virtual_code,
            text: Some(name.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-052
    #[test]
    fn keys_are_described_as_a_keyboard_sends_them() {
        let enter = Key::named("Enter").unwrap();
        assert_eq!(
            (enter.virtual_code, enter.text.as_deref()),
            (13, Some("\r"))
        );
        let letter = Key::named("q").unwrap();
        assert_eq!((letter.code.as_str(), letter.virtual_code), ("KeyQ", 81));
        assert_eq!(Key::named("NoSuchKey"), None);
        assert_eq!(Key::named(""), None);
    }
}
