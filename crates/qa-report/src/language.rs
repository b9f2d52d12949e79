//! The language of reports and of the terminal.

use serde::{Deserialize, Serialize};

/// In which words a session is reported, fixed when it begins (EXP-181). Codes, keys and paths are
/// the same in each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// American English.
    #[default]
    #[serde(rename = "en-US")]
    EnUs,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    ZhCn,
}

impl Language {
    /// Its tag after RFC 5646, as reports and files name it.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::EnUs => "en-US",
            Self::ZhCn => "zh-CN",
        }
    }

    /// The words in this language. Both stand beside each other where they are used, so none can be
    /// forgotten: `language.pick("step", "步骤")`.
    #[must_use]
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::EnUs => en,
            Self::ZhCn => zh,
        }
    }

    /// The language of this machine's user: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that
    /// says something.
    #[must_use]
    pub fn of_host() -> Self {
        let said = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|locale| !locale.is_empty());
        said.map_or(Self::EnUs, |locale| Self::of_locale(&locale))
    }

    /// The language that a locale such as `zh_CN.UTF-8`, or a tag, stands for: Chinese for every
    /// kind of Chinese, else English.
    #[must_use]
    pub fn of_locale(locale: &str) -> Self {
        match locale.get(..2) {
            Some(start) if start.eq_ignore_ascii_case("zh") => Self::ZhCn,
            _ => Self::EnUs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    // EXP-181
    #[test]
    fn a_locale_says_which_language() {
        let check = |locale: &str, tag: &str| {
            assert_eq!(Language::of_locale(locale).tag(), tag, "{locale}");
        };
        check("zh_CN.UTF-8", "zh-CN");
        check("zh-Hant-TW", "zh-CN");
        check("de_DE.UTF-8", "en-US");
        check("C", "en-US");
        check("", "en-US");
        check("中文", "en-US");
    }
}
