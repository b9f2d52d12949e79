//! One look at a text that proves, for most rules and most texts, that they cannot fire.
//!
//! A rule that needs a digit, an at sign or one of a few words is not run where none is.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// What a rule may need to be in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Clue {
    /// A digit.
    Digit = 1,
    /// `@`.
    At = 1 << 1,
    /// `:`, `=`, or the first byte of their wide forms.
    Separator = 1 << 2,
    /// Words beside a one-time code.
    Code = 1 << 3,
    /// Labels of device identifiers.
    Label = 1 << 4,
    /// `Bearer` and `Basic`.
    Scheme = 1 << 5,
    /// Prefixes of issuers' tokens.
    Token = 1 << 6,
    /// The armour of a key.
    Block = 1 << 7,
    /// `//`.
    Slashes = 1 << 8,
    /// `--`.
    Flag = 1 << 9,
    /// The Chinese words for "is".
    Verb = 1 << 10,
    /// A tag.
    Element = 1 << 11,
    /// Programs that take a password behind a short flag.
    Client = 1 << 12,
}

/// Words that are looked for in any case, and what each is a clue for.
const WORDS: &[(&str, Clue)] = &[
    ("code", Clue::Code),
    ("otp", Clue::Code),
    ("验证码", Clue::Code),
    ("动态码", Clue::Code),
    ("校验码", Clue::Code),
    ("udid", Clue::Label),
    ("serial", Clue::Label),
    ("android_id", Clue::Label),
    ("android id", Clue::Label),
    ("imei", Clue::Label),
    ("meid", Clue::Label),
    ("idfa", Clue::Label),
    ("gaid", Clue::Label),
    ("bearer ", Clue::Scheme),
    ("basic ", Clue::Scheme),
    ("eyJ", Clue::Token),
    ("AKIA", Clue::Token),
    ("ASIA", Clue::Token),
    ("AROA", Clue::Token),
    ("AIDA", Clue::Token),
    ("AGPA", Clue::Token),
    ("ANPA", Clue::Token),
    ("ghp_", Clue::Token),
    ("gho_", Clue::Token),
    ("ghu_", Clue::Token),
    ("ghs_", Clue::Token),
    ("ghr_", Clue::Token),
    ("github_pat_", Clue::Token),
    ("glpat-", Clue::Token),
    ("sk_live_", Clue::Token),
    ("sk_test_", Clue::Token),
    ("rk_live_", Clue::Token),
    ("rk_test_", Clue::Token),
    ("pk_live_", Clue::Token),
    ("pk_test_", Clue::Token),
    ("AIza", Clue::Token),
    ("ya29.", Clue::Token),
    ("npm_", Clue::Token),
    ("pypi-", Clue::Token),
    ("xox", Clue::Token),
    ("hf_", Clue::Token),
    ("SG.", Clue::Token),
    ("sk-", Clue::Token),
    ("-----BEGIN ", Clue::Block),
    ("//", Clue::Slashes),
    ("--", Clue::Flag),
    ("是", Clue::Verb),
    ("为", Clue::Verb),
    ("mysql", Clue::Client),
    ("mariadb", Clue::Client),
    ("sshpass", Clue::Client),
    ("mongo", Clue::Client),
    ("redis-cli", Clue::Client),
    ("docker login", Clue::Client),
    ("podman login", Clue::Client),
    ("curl", Clue::Client),
    ("wget", Clue::Client),
    ("ldap", Clue::Client),
    ("smbclient", Clue::Client),
    ("htpasswd", Clue::Client),
];

static AUTOMATON: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(words())
        .ok()
});

/// The words, in order.
pub(crate) fn words() -> Vec<&'static str> {
    WORDS.iter().map(|(word, _)| *word).collect()
}

/// Whether the words could be put together; without them no text is safe.
pub(crate) fn is_ready() -> bool {
    AUTOMATON.is_some()
}

const BYTES: [u16; 256] = {
    let mut table = [0; 256];
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = Clue::Digit as u16;
        digit += 1;
    }
    table[b'@' as usize] = Clue::At as u16;
    table[b'=' as usize] = Clue::Separator as u16;
    table[b':' as usize] = Clue::Separator as u16;
    table[b'<' as usize] = Clue::Element as u16;
    table[0xEF] = Clue::Separator as u16;
    table
};

/// The clues of one text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clues(u16);

impl Clues {
    pub(crate) fn of(text: &str) -> Self {
        match AUTOMATON.as_ref() {
            Some(automaton) => Self::found_by(automaton, text).0,
            None => Self(u16::MAX),
        }
    }

    /// The clues that an automaton finds which was built from [`words`] and then from others, and whether it
    /// found one of the others.
    pub(crate) fn found_by(automaton: &AhoCorasick, text: &str) -> (Self, bool) {
        let bytes = text
            .bytes()
            .fold(0, |clues, byte| clues | BYTES[usize::from(byte)]);
        // Overlapping, since one word may begin inside another: `task--` has two.
        let hits = automaton.find_overlapping_iter(text);
        let (clues, others) = hits.fold((bytes, false), |(clues, others), hit| {
            match WORDS.get(hit.pattern().as_usize()) {
                Some((_, clue)) => (clues | *clue as u16, others),
                None => (clues, true),
            }
        });
        (Self(clues), others)
    }

    /// As if every word were there.
    #[cfg(test)]
    pub(crate) const ALL: Self = Self(u16::MAX);

    pub(crate) fn has(self, clue: Clue) -> bool {
        self.0 & clue as u16 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_clues_of_its_words_even_where_they_overlap() {
        let clues = Clues::of("TASK--BEARER x@1");
        for clue in [Clue::Digit, Clue::At, Clue::Token, Clue::Flag, Clue::Scheme] {
            assert!(clues.has(clue), "{clue:?}");
        }
        for clue in [Clue::Separator, Clue::Code, Clue::Block, Clue::Slashes] {
            assert!(!clues.has(clue), "{clue:?}");
        }
    }
}
