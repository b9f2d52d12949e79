//! Which keys name a secret.

use crate::span::JOINER;
use crate::view::View;

const LAST_WORDS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passphrase",
    "passwd",
    "credential",
    "jwt",
    "authorization",
    "apikey",
    "pwd",
    "passcode",
    "pin",
    "otp",
    "cvv",
    "cvc",
    "cookie",
    "ssn",
];
const BEFORE_KEY: &[&str] = &[
    "secret",
    "access",
    "api",
    "private",
    "public",
    "session",
    "client",
    "consumer",
    "app",
    "auth",
    "id",
    "refresh",
    "bearer",
    "aws",
    "encryption",
    "signing",
    "ssh",
    "license",
];
const JOINED: &[&str] = &[
    "privatekey",
    "secretkey",
    "accesskey",
    "authtoken",
    "idtoken",
    "sessiontoken",
    "sessionkey",
    "clientsecret",
    "accesstoken",
    "refreshtoken",
    "dbpassword",
    "apikey",
    "sessionid",
];
/// How the letters and digits of every sensitive key end, plurals and digits at the end left out.
const ENDINGS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passphrase",
    "passwd",
    "credential",
    "jwt",
    "authorization",
    "key",
    "pwd",
    "passcode",
    "pin",
    "otp",
    "cvv",
    "cvc",
    "cookie",
    "ssn",
    "id",
    "bearer",
    "serial",
    "imei",
    "idfa",
];
/// What keys end in whose value is the name of a field.
pub(crate) const FIELD_NAMES: &[&str] = &["name", "id", "type", "key", "header"];
const LONGEST_ENDING: usize = 13;
const WHOLE: &[&str] = &["sid", "bearer"];
/// Labels of device identifiers, whose value must hold a digit to count.
const DEVICE: &[&str] = &[
    "udid",
    "serial",
    "androidid",
    "imei",
    "meid",
    "idfa",
    "gaid",
];
pub(crate) const CHINESE: &[&str] = &[
    "密码",
    "口令",
    "验证码",
    "动态码",
    "校验码",
    "令牌",
    "密钥",
    "私钥",
    "身份证",
    "身份证号",
    "身份证号码",
    "银行卡",
    "银行卡号",
    "卡号",
    "手机号",
    "手机号码",
];

/// What a key says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing.
    Open,
    /// The value is a secret.
    Sensitive,
    /// The value is a secret and, in a header line, so is the rest of the line.
    Header,
    /// The value is a device identifier if it holds a digit.
    Device,
}

/// Judges a key as written: any case, any separators, percent-encoded or not (RED-040, RED-041).
pub(crate) fn verdict(key: &str) -> Verdict {
    if may_be_sensitive(key) {
        judge(key)
    } else {
        Verdict::Open
    }
}

fn judge(key: &str) -> Verdict {
    let plain = View::plain(key);
    let unescaped = plain.unescaped();
    let key = unescaped.as_ref().map_or(&plain.text, |view| &view.text);
    let key = key.trim_end();
    if CHINESE.iter().any(|word| key.ends_with(word)) {
        return Verdict::Sensitive;
    }
    let mut words = segments(key);
    while words
        .last()
        .is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()))
    {
        words.pop();
    }
    let Some(last) = words.last().map(|word| singular(word)) else {
        return Verdict::Open;
    };
    let before = words
        .len()
        .checked_sub(2)
        .map_or("", |at| singular(&words[at]));
    let pair = format!("{before}{last}");
    let id_of_secret =
        last == "id" && (before == "session" || before == "key" || LAST_WORDS.contains(&before));
    let whole = key.split_whitespace().next_back().unwrap_or_default();
    let whole: String = whole
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let whole = whole.trim_end_matches(|c: char| c.is_ascii_digit());
    if ["authorization", "cookie"]
        .iter()
        .any(|word| last == *word || whole.ends_with(word))
    {
        return Verdict::Header;
    }
    if LAST_WORDS.contains(&last)
        || JOINED.contains(&last)
        || (last == "key" && BEFORE_KEY.contains(&before))
        || JOINED.contains(&pair.as_str())
        || id_of_secret
        || ends_in_secret(whole)
        || WHOLE.contains(&whole)
    {
        return Verdict::Sensitive;
    }
    if DEVICE.contains(&last) || DEVICE.contains(&pair.as_str()) {
        return Verdict::Device;
    }
    Verdict::Open
}

/// Whether a key ends like a sensitive one when its case and its separators are ignored, so that writing
/// `userPassword` as `userpassword` or `PassWord` hides nothing (RED-INV-08). `pin` ends other words too.
fn ends_in_secret(whole: &str) -> bool {
    let one = whole.strip_suffix('s').unwrap_or(whole);
    let ends = |words: &[&str], end: &str| {
        let one = one.strip_suffix(end);
        one.is_some_and(|one| {
            words
                .iter()
                .any(|word| *word != "pin" && one.ends_with(word))
        })
    };
    ends(LAST_WORDS, "")
        || ends(JOINED, "")
        || ends(LAST_WORDS, "id")
        || ends(&["key", "session"], "id")
        || ends(BEFORE_KEY, "key") && !one.ends_with("idkey")
        || JOINED.iter().chain(LAST_WORDS).any(|word| whole == *word)
}

/// Whether it is worth a closer look; most keys leave here.
fn may_be_sensitive(key: &str) -> bool {
    if !key.is_ascii() || key.bytes().any(|b| matches!(b, b'%' | b'&' | b'\\')) {
        return true;
    }
    ends_like(key.as_bytes(), ENDINGS)
}

/// Whether a text may end in a key that says something of its value, or names a field.
pub(crate) fn may_end(text: &[u8]) -> bool {
    let letters = text.iter().rev().filter(|b| !b.is_ascii_digit());
    let is_plain = |b: &u8| b.is_ascii() && !matches!(b, b'%' | b'&' | b'\\');
    !letters.take(LONGEST_ENDING * 2).all(is_plain)
        || ends_like(text, ENDINGS)
        || ends_like(text, FIELD_NAMES)
}

fn ends_like(text: &[u8], endings: &[&str]) -> bool {
    let mut letters = text.iter().rev().filter(|b| b.is_ascii_alphanumeric());
    let Some(last) = letters.find(|b| !b.is_ascii_digit()) else {
        return false;
    };
    // Most words end in another letter.
    if !LAST_LETTERS[usize::from(*last)] {
        return false;
    }
    let mut tail = [0; LONGEST_ENDING + 1];
    let mut free = tail.len();
    for byte in std::iter::once(last).chain(letters).take(tail.len()) {
        free -= 1;
        tail[free] = byte.to_ascii_lowercase();
    }
    let tail = &tail[free..];
    let singular = tail.strip_suffix(b"s").unwrap_or(tail);
    endings
        .iter()
        .any(|ending| singular.ends_with(ending.as_bytes()))
}

/// The last letters of all endings and of plurals, in any case.
const LAST_LETTERS: [bool; 256] = {
    let mut table = [false; 256];
    table[b's' as usize] = true;
    table[b'S' as usize] = true;
    let mut list = 0;
    while list < 2 {
        let endings = if list == 0 { ENDINGS } else { FIELD_NAMES };
        let mut at = 0;
        while at < endings.len() {
            let ending = endings[at].as_bytes();
            let last = ending[ending.len() - 1];
            table[last as usize] = true;
            table[last.to_ascii_uppercase() as usize] = true;
            at += 1;
        }
        list += 1;
    }
    table
};

fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(one)
            if one == "key"
                || one == "id"
                || LAST_WORDS.contains(&one)
                || JOINED.contains(&one) =>
        {
            one
        }
        _ => word,
    }
}

/// Lower-case segments, cut at separators, camelCase borders and digits.
fn segments(key: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![String::new()];
    let chars: Vec<char> = key.chars().filter(|c| *c != JOINER).collect();
    for (at, c) in chars.iter().copied().enumerate() {
        if !c.is_alphanumeric() {
            out.push(String::new());
            continue;
        }
        if let Some(previous) = at.checked_sub(1).map(|at| chars[at]) {
            let next_is_small = chars.get(at + 1).is_some_and(|c| c.is_lowercase());
            let camel = c.is_uppercase()
                && (previous.is_lowercase() || (previous.is_uppercase() && next_is_small));
            if camel || previous.is_numeric() != c.is_numeric() {
                out.push(String::new());
            }
        }
        if let Some(word) = out.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_sensitive_key_leaves_early(
            words in prop::collection::vec(prop::sample::select([LAST_WORDS, BEFORE_KEY, JOINED, WHOLE, DEVICE, &["key", "id", "s", "2"]].concat()), 1..4),
            separators in prop::collection::vec(prop::sample::select(vec!["", " ", "_", "-", "%5f", "7"]), 4),
            at in 0usize..12,
            cut in prop::sample::select(vec!["", " ", "_", "."]),
        ) {
            let mut key: String = words.iter().zip(&separators).flat_map(|(word, gap)| [*word, gap]).collect();
            key.insert_str(at.min(key.len()), cut);
            for key in [key.to_uppercase(), key] {
                prop_assert_eq!(judge(&key), verdict(&key), "{}", key);
            }
        }
    }

    fn check(expected: Verdict, keys: &[&str]) {
        for key in keys {
            assert_eq!(verdict(key), expected, "{key}");
        }
    }

    #[test]
    fn spelling_does_not_hide_a_key() {
        // RED-040, RED-041
        check(
            Verdict::Sensitive,
            &[
                "userPassword",
                "user.password",
                "USER%5FPASSWORD",
                "USERPASSWORD_PASSWORD",
                "api/key",
                "api key",
                "AWS_SECRET_ACCESS_KEY_ID",
                "sessionId",
                "clientSecrets",
                "tokens",
                "APIKey",
                "sid",
                "password2",
                "ssh-key",
                "您的口令",
                "手机号",
                "pin",
                "foo%3Atoken",
                "apikeys",
            ],
        );
        check(
            Verdict::Header,
            &[
                "Authorization",
                "Proxy-Authorization",
                "Set-Cookie",
                "cookies",
            ],
        );
        check(Verdict::Device, &["udid", "Serial", "android_id", "IMEI"]);
    }

    #[test]
    fn words_that_only_look_alike_stay_open() {
        // RED-042
        check(
            Verdict::Open,
            &[
                "key",
                "pass",
                "code",
                "id",
                "auth",
                "session",
                "user",
                "login",
                "name",
                "tokenCount",
                "passwordless",
                "secretary",
                "monkey",
                "keyboard",
                "passport",
                "primaryKey",
                "runId",
                "appId",
                "clientId",
                "testid",
                "",
                "...",
                "12",
            ],
        );
    }
}
