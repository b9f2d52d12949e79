//! Secrets and identifiers that are known by their own shape.

use std::net::Ipv6Addr;
use std::sync::LazyLock;

use regex::Regex;

use crate::clue::{self, Clue, Clues};
use crate::number;
use crate::rule::Rule;
use crate::span::Span;

/// Tokens that bear their issuer's prefix (RED-061). A `#` stands for digits in element keys and
/// signatures.
static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"eyJ[A-Za-z0-9_#-]{5,}\.[A-Za-z0-9_#-]+\.[A-Za-z0-9_#-]*",
        r"|(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA)(?:[A-Z0-9]{16}|[A-Z]*#[A-Z#]{3,})",
        r"|(?:ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|sk_live_|sk_test_|rk_live_|rk_test_|pk_live_|pk_test_|AIza|ya29\.|npm_|pypi-)[A-Za-z0-9_#-]{8,}",
        r"|xox[abeoprs]-[A-Za-z0-9#-]{6,}",
        r"|hf_[A-Za-z0-9#]{16,}|SG\.[A-Za-z0-9_#-]{8,}\.[A-Za-z0-9_#-]*",
        r"|sk-[A-Za-z0-9_#-]{8,}",
    ))
    .ok()
});
/// One-time codes near the words that announce them (RED-066), with the groups that follow: after
/// the first is replaced the next one stands as near.
static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:(?:verification|security|one-time|login|log-in|sign-in|confirmation|sms|authentication|access)[ -]code",
        r"|(?-u:\b)t?otp(?-u:\b)|验证码|动态码|校验码)[^0-9\n]{0,20}?",
        r"((?:[0-9]{3}[ -]?[0-9]{3}|[0-9]{4,8})(?:[ -](?:[0-9]{3}[ -]?[0-9]{3}|[0-9]{4,8}))*)(?:[^0-9A-Za-z]|$)",
    ))
    .ok()
});
/// One-time codes before the words that announce them.
static CODE_BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|[^0-9A-Za-z])([0-9]{3}[ -]?[0-9]{3}|[0-9]{4,8}) is your [a-z -]{0,30}code",
    )
    .ok()
});
/// Device identifiers by the label before them (RED-068).
static DEVICE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i-u:\b(?:udid|serial(?: ?(?:no\.?|number))?|android[_ ]id|imei|meid|idfa|gaid)[ #:="']+([A-Za-z0-9][A-Za-z0-9._-]{5,}))"#,
    )
    .ok()
});
/// Six pairs of hex digits, and the hyphenated device identifier of eight and sixteen (RED-067, RED-068).
const MAC_LENGTH: usize = 17;
const UDID_PARTS: (usize, usize) = (8, 16);

/// Whether every pattern of this module could be built; without one no text is safe.
pub(crate) fn are_ready() -> bool {
    clue::is_ready()
        && [&TOKEN, &CODE, &CODE_BEFORE, &DEVICE]
            .iter()
            .all(|pattern| pattern.is_some())
}

/// Finds tokens, addresses, numbers and device identifiers.
pub(crate) fn find(text: &str, clues: Clues, spans: &mut Vec<Span>) {
    if clues.has(Clue::Token) {
        find_tokens(text, spans);
    }
    if clues.has(Clue::At) {
        find_addresses(text, spans);
    }
    if !clues.has(Clue::Digit) {
        return;
    }
    number::find(text, spans);
    if clues.has(Clue::Code) {
        capture(&CODE, text, Rule::Code, spans);
        capture(&CODE_BEFORE, text, Rule::Code, spans);
    }
    if clues.has(Clue::Label) {
        capture(&DEVICE, text, Rule::Device, spans);
    }
    find_hex(text.as_bytes(), spans);
    if clues.has(Clue::Separator) {
        find_ipv6(text, spans);
    }
}

/// Finds the tokens of RED-061 alone, as the last scan does.
pub(crate) fn find_tokens(text: &str, spans: &mut Vec<Span>) {
    let Some(pattern) = TOKEN.as_ref() else {
        return;
    };
    for found in pattern.find_iter(text) {
        let glued = text[..found.start()].ends_with(|c: char| c.is_ascii_alphanumeric());
        let token = found.as_str();
        // `sk-` begins ordinary words too (`sk-slovakia`); a key holds a digit.
        let plain_word =
            token.starts_with("sk-") && !token.bytes().any(|b| b.is_ascii_digit() || b == b'#');
        let short =
            token.starts_with("sk-") || token.starts_with("hf_") || token.starts_with("SG.");
        if !(plain_word || glued && short) {
            spans.push(Span::value(found.start(), found.end(), Rule::Token));
        }
    }
}

fn capture(pattern: &LazyLock<Option<Regex>>, text: &str, rule: Rule, spans: &mut Vec<Span>) {
    let Some(pattern) = pattern.as_ref() else {
        return;
    };
    for found in pattern.captures_iter(text) {
        if let Some(group) = found.get(1)
            && group.as_str().bytes().any(|b| b.is_ascii_digit())
        {
            spans.push(Span::value(group.start(), group.end(), rule));
        }
    }
}

/// E-mail addresses, except those of domains that nobody can own (RED-062).
fn find_addresses(text: &str, spans: &mut Vec<Span>) {
    let local = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-' | '#');
    let mut done = 0;
    for at in memchr::memchr_iter(b'@', text.as_bytes()) {
        if at < done {
            continue;
        }
        let name = text[done..at].trim_end_matches(local).len() + done;
        let host = &text[at + 1..];
        let host = &host[..host
            .find(|c: char| !(c.is_alphanumeric() || c == '.' || c == '-'))
            .unwrap_or(host.len())];
        let host = host.trim_end_matches(['.', '-']);
        done = at + 1 + host.len();
        let Some((_, top)) = host.rsplit_once('.') else {
            continue;
        };
        if name < at
            && top.chars().count() >= 2
            && top.chars().all(char::is_alphabetic)
            && !is_reserved(host)
        {
            let skipped =
                text[name..at].len() - text[name..at].trim_start_matches(['.', '-', '%']).len();
            spans.push(Span::value(name + skipped, done, Rule::Email));
        }
    }
}

fn is_reserved(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    [
        "example.com",
        "example.org",
        "example.net",
        "test",
        "example",
        "invalid",
        "localhost",
    ]
    .iter()
    .any(|domain| {
        host.strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// MAC addresses and hyphenated device identifiers.
fn find_hex(bytes: &[u8], spans: &mut Vec<Span>) {
    let (head, tail) = UDID_PARTS;
    let hex = |range: std::ops::Range<usize>| {
        bytes
            .get(range)
            .is_some_and(|part| part.iter().all(u8::is_ascii_hexdigit))
    };
    let is_free = |start: usize, end: usize| {
        let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        !start.checked_sub(1).is_some_and(|at| word(&bytes[at]))
            && !bytes.get(end).is_some_and(word)
    };
    let mut done = 0;
    for at in memchr::memchr2_iter(b':', b'-', bytes) {
        let pair = at.checked_sub(2).filter(|start| *start >= done);
        let is_mac = |start: usize| {
            (0..6).all(|index| {
                let pair = start + index * 3;
                hex(pair..pair + 2) && (index == 5 || bytes.get(pair + 2) == Some(&bytes[at]))
            }) && is_free(start, start + MAC_LENGTH)
        };
        if let Some(start) = pair.filter(|start| is_mac(*start)) {
            done = start + MAC_LENGTH;
            spans.push(Span::value(start, done, Rule::Address));
        }
        let device = |start: &usize| {
            let end = at + 1 + tail;
            hex(*start..at) && hex(at + 1..end) && is_free(*start, end)
        };
        if bytes[at] == b'-'
            && let Some(start) = at.checked_sub(head).filter(device)
            && bytes[start..at + 1 + tail].iter().any(u8::is_ascii_digit)
        {
            spans.push(Span::value(start, at + 1 + tail, Rule::Device));
        }
    }
}

fn find_ipv6(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let part = |b: &u8| b.is_ascii_hexdigit() || *b == b':';
    let mut done = 0;
    for at in memchr::memchr_iter(b':', bytes) {
        if at < done {
            continue;
        }
        let start = at - bytes[done..at].iter().rev().take_while(|b| part(b)).count();
        let end = at + bytes[at..].iter().take_while(|b| part(b)).count();
        done = end;
        if start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'_') {
            continue;
        }
        let token = text[start..end].trim_end_matches(':');
        // Most runs are times of day: an address is written out, or shortened at one place.
        if !token.contains("::") && token.bytes().filter(|b| *b == b':').count() != 7 {
            continue;
        }
        let has_digit = token.bytes().any(|b| b.is_ascii_digit());
        let Ok(address) = token.parse::<Ipv6Addr>() else {
            continue;
        };
        let documentation = address.segments()[..2] == [0x2001, 0xdb8];
        if has_digit && token.len() >= 6 && !documentation && !address.is_loopback() {
            spans.push(Span::value(start, start + token.len(), Rule::Address));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut spans = Vec::new();
        find(text, Clues::of(text), &mut spans);
        spans.sort_by_key(|span| span.start);
        let mut found: Vec<&str> = spans
            .iter()
            .map(|span| &text[span.start..span.end])
            .collect();
        found.dedup();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn identifiers_in_hex_stand_alone() {
        // RED-067, RED-068
        check(
            "mac 3c:22:fb:01:9a:7e 地址3C-22-FB-01-9A-7E",
            &["3c:22:fb:01:9a:7e", "3C-22-FB-01-9A-7E"],
        );
        check(
            "3c:22-fb:01:9a:7e x3c:22:fb:01:9a:7e 3c:22:fb:01:9a:7ef",
            &[],
        );
        check("00008110-000A1B2C3D4E801E", &["00008110-000A1B2C3D4E801E"]);
        check("abcdefab-abcdefababcdefab 00008110-000A1B2C3D4E801", &[]);
    }

    #[test]
    fn tokens_by_prefix() {
        // RED-061
        assert!(are_ready());
        check(
            "got eyJhbGciOiJ.eyJzdWIiOiJ.c2ln ok",
            &["eyJhbGciOiJ.eyJzdWIiOiJ.c2ln"],
        );
        check("id ASIAQWERTYUIOPASDFGH.", &["ASIAQWERTYUIOPASDFGH"]);
        check(
            "key sk-proj-Abcd1234 xoxb-1234567890-ab",
            &["sk-proj-Abcd1234", "xoxb-1234567890-ab"],
        );
        check("task-1234567890 sk-slovakia-locale", &[]);
        // As element keys and signatures write them.
        check(
            "role:button|ghp_Zq#button#x xoxb-#-abcdefghij AKIA#ABCD#EF",
            &["ghp_Zq#button#x", "xoxb-#-abcdefghij", "AKIA#ABCD#EF"],
        );
        check("#2 #anchor AKIA# sk-#", &[]);
    }

    #[test]
    fn addresses_of_people_and_machines() {
        // RED-062, RED-067
        check(
            "ann.lee+x@mail.co, user1@example.com a@shop.test react@18.2.0 @mention",
            &["ann.lee+x@mail.co"],
        );
        check("mac 3c:22:fb:01:9a:7e", &["3c:22:fb:01:9a:7e"]);
        check(
            "at fe80::1c2:3ff:fe04:5 ::1 2001:db8::7 std::fs 10:15:30",
            &["fe80::1c2:3ff:fe04:5"],
        );
    }

    #[test]
    fn codes_and_devices_by_their_labels() {
        // RED-066, RED-068
        check("Your verification code is 493027.", &["493027"]);
        check("493 027 is your login code; OTP 4930", &["493 027", "4930"]);
        check("access code 4111 2222 333 444, 17", &["4111 2222 333 444"]);
        check("验证码 493027，5分钟", &["493027"]);
        check(
            "error code 404, HTTP status code 500, zip code 90210, exit code 137",
            &[],
        );
        check(
            "00008110-000A1B2C3D4E801E emulator-5554",
            &["00008110-000A1B2C3D4E801E"],
        );
        check("serial R58M12ABCDE, serial killer whales", &["R58M12ABCDE"]);
    }
}
