//! Words that mark an element as dangerous.

use super::text::plain_with_case;

/// Words that mark an element as dangerous: built-in ones and those of the owner. Words are only
/// ever added.
#[derive(Debug, Clone)]
pub struct Blocklist {
    words: Vec<Word>,
}

/// A text met a word of the blocklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The word, as it was given.
    pub word: String,
}

#[derive(Debug, Clone)]
struct Word {
    given: String,
    rule: Rule,
}

#[derive(Debug, Clone)]
enum Rule {
    /// Anywhere in the text once separators are gone.
    Anywhere(String),
    /// As whole words in this order; first the words without anything between them, which is
    /// quicker to rule out.
    Tokens(String, Vec<String>),
}

/// Matched anywhere (EXP-014 to EXP-016, EXP-018).
const ANYWHERE: [&str; 17] = [
    "退出",
    "注销",
    "删除账户",
    "删除账号",
    "注销账号",
    "卸载",
    "恢复出厂",
    "Logout",
    "Delete Account",
    "Sign Out",
    "Uninstall",
    "确认支付",
    "立即购买",
    "转账",
    "提交订单",
    "发送短信",
    "拨号",
];

/// Matched as whole words (EXP-016).
const TOKENS: [&str; 12] = [
    "Confirm Payment",
    "Pay Now",
    "Buy Now",
    "Transfer",
    "Place Order",
    "Submit Order",
    "Send SMS",
    "Dial",
    "Call",
    "Log Out",
    "Remove Account",
    "Factory Reset",
];

impl Default for Blocklist {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl Blocklist {
    /// The built-in words and some more. Of the latter, words with an East Asian letter are
    /// matched anywhere, others as whole words; empty ones are left out.
    #[must_use]
    pub fn new(extra: &[String]) -> Self {
        let anywhere = ANYWHERE.iter().map(|word| Word::anywhere(word));
        let tokens = TOKENS.iter().map(|word| Word::tokens(word));
        let extra = extra.iter().map(|word| {
            if word.chars().any(is_east_asian) {
                Word::anywhere(word)
            } else {
                Word::tokens(word)
            }
        });
        Self {
            words: anywhere
                .chain(tokens)
                .chain(extra)
                .filter(|word| !word.is_empty())
                .collect(),
        }
    }

    /// The first word that a text meets.
    #[must_use]
    pub fn hit(&self, text: &str) -> Option<Hit> {
        if text.trim().is_empty() {
            return None;
        }
        let text = plain_with_case(text);
        let joined = joined(&text);
        let letters: String = joined.chars().filter(|c| c.is_alphanumeric()).collect();
        self.words
            .iter()
            .find(|word| word.matches(&text, &joined, &letters))
            .map(|word| Hit {
                word: word.given.clone(),
            })
    }

    /// The first word that any of the texts meets, each by itself and all together (EXP-019).
    #[must_use]
    pub fn hit_any<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Option<Hit> {
        let texts: Vec<&str> = texts.into_iter().collect();
        texts
            .iter()
            .find_map(|text| self.hit(text))
            .or_else(|| (texts.len() > 1).then(|| self.hit(&texts.join(" ")))?)
    }
}

impl Word {
    fn anywhere(given: &str) -> Self {
        Self {
            given: given.to_owned(),
            rule: Rule::Anywhere(joined(&plain_with_case(given))),
        }
    }

    fn tokens(given: &str) -> Self {
        let tokens = tokens(given);
        Self {
            given: given.to_owned(),
            rule: Rule::Tokens(tokens.concat(), tokens),
        }
    }

    fn is_empty(&self) -> bool {
        match &self.rule {
            Rule::Anywhere(text) => text.is_empty(),
            Rule::Tokens(_, tokens) => tokens.is_empty(),
        }
    }

    fn matches(&self, text: &str, joined: &str, letters: &str) -> bool {
        match &self.rule {
            Rule::Anywhere(word) => joined.contains(word.as_str()),
            Rule::Tokens(word, wanted) => {
                letters.contains(word.as_str())
                    && split(text)
                        .windows(wanted.len())
                        .any(|window| window == wanted)
            }
        }
    }
}

/// Plain text without what separates words.
fn joined(text: &str) -> String {
    text.to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace() && !is_separator(*c))
        .collect()
}

fn is_separator(character: char) -> bool {
    matches!(character, '_' | '-' | '.' | '\u{2010}'..='\u{2015}' | '·')
}

/// Words in lower case, split at everything that is no letter or digit, at `likeThis` and
/// `HTTPServer`.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    split(&plain_with_case(text))
}

fn split(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut token = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        let starts = at > 0
            && letter.is_uppercase()
            && (letters[at - 1].is_lowercase()
                || letters[at - 1].is_numeric()
                || letters[at - 1].is_uppercase()
                    && letters.get(at + 1).is_some_and(|next| next.is_lowercase()));
        if starts || !letter.is_alphanumeric() {
            tokens.extend(Some(std::mem::take(&mut token)).filter(|token| !token.is_empty()));
        }
        if letter.is_alphanumeric() {
            token.extend(letter.to_lowercase());
        }
    }
    tokens.extend(Some(token).filter(|token| !token.is_empty()));
    tokens
}

fn is_east_asian(character: char) -> bool {
    matches!(character,
        '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hits(text: &str) -> bool {
        Blocklist::default().hit(text).is_some()
    }

    // EXP-014 to EXP-018
    #[test]
    fn dangerous_words_are_met_however_they_are_written() {
        for text in [
            "Logout",
            "btn_log-out",
            "LOG OUT",
            "log.out",
            "logOut",
            "com.acme:id/btnLogout",
            "Delete  account…",
            "Sign\u{200b}out",
            "Uninstall app",
            "退 出 登录",
            "注销",
            "确认支付",
            "Pay now!",
            "Dial",
            "dialNumber",
            "Call +1 202 555 0100",
            "transfer_money",
            "placeOrder",
            "Bestellung: Place Order",
            "Lоgоut",
        ] {
            assert!(hits(text), "{text}");
        }
    }

    // EXP-TRAP-06
    #[test]
    fn words_inside_other_words_are_not_met() {
        for text in [
            "dialog",
            "Recall",
            "called",
            "callback",
            "transferred",
            "Pay nowhere",
            "Log in",
            "order placed",
            "",
            "  ",
        ] {
            assert!(!hits(text), "{text}");
        }
    }

    // EXP-016
    #[test]
    fn the_owner_adds_words_and_removes_none() {
        let list = Blocklist::new(&["delete".into(), "付款".into(), " ".into()]);
        assert_eq!(list.hit("Delete row").unwrap().word, "delete");
        assert_eq!(list.hit("deleteRow").unwrap().word, "delete");
        assert!(list.hit("deleted").is_none());
        assert!(list.hit("去付款").is_some());
        assert!(list.hit("Logout").is_some());
        assert!(list.hit("harmless").is_none());
    }

    // EXP-019
    #[test]
    fn texts_are_met_together_too() {
        let list = Blocklist::default();
        assert!(list.hit_any(["Log", "out"]).is_some());
        assert!(list.hit_any(["Log", "in"]).is_none());
        assert!(list.hit_any([]).is_none());
    }

    proptest! {
        // EXP-INV-06
        #[test]
        fn another_word_never_frees_a_text(text in ".{0,24}", word in ".{0,8}") {
            let more = Blocklist::new(&[word]);
            prop_assert!(!hits(&text) || more.hit(&text).is_some());
        }
    }
}
