//! Random-looking tokens, long digests and text hidden in base64.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::normalise::is_separator;
use crate::number::is_uuid;
use crate::rule::Rule;
use crate::span::{Span, is_atom};
use crate::url::is_wide_punctuation;

const MIN_CHARS: usize = 20;
const MIN_BITS: f64 = 4.0;
const MIN_BASE64: usize = 16;
/// Lengths, in hex digits, of digests and keys; 40 is a commit and stays (RED-069).
const HEX_KEYS: [usize; 5] = [32, 48, 64, 96, 128];

/// Finds tokens that are too random to be words (RED-069 to RED-071).
pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes[start..]
            .iter()
            .position(|b| ENDS_TOKEN[usize::from(*b)])
            .unwrap_or(bytes.len() - start);
        if length >= MIN_CHARS {
            judge(text, start, start + length, spans);
        }
        start += length + 1;
    }
}

const ENDS_TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let ends = b" \n\t\r\x01\"'`()[]{}<>=,;&|/";
    let mut at = 0;
    while at < ends.len() {
        table[ends[at] as usize] = true;
        at += 1;
    }
    table
};

fn judge(text: &str, start: usize, end: usize, spans: &mut Vec<Span>) {
    let token = &text[start..end];
    if !token.is_ascii() {
        // Wide punctuation and atoms end a token as well.
        let ends = |c: char| c.is_whitespace() || is_wide_punctuation(c) || is_atom(c);
        let mut at = start;
        for piece in token.split(ends) {
            if piece.len() >= MIN_CHARS && is_random(piece) {
                spans.push(Span::value(at, at + piece.len(), Rule::Entropy));
            }
            at += piece.len();
            at += text[at..end].chars().next().map_or(0, char::len_utf8);
        }
    } else if is_random(token) {
        let kept = token.trim_end_matches(['.', ':', '!', '?']).len();
        spans.push(Span::value(start, start + kept, Rule::Entropy));
    }
}

fn is_random(token: &str) -> bool {
    let bytes = token.trim_end_matches(['.', ':', '!', '?']).as_bytes();
    if bytes.iter().all(u8::is_ascii_hexdigit) {
        return HEX_KEYS.contains(&bytes.len());
    }
    !is_uuid(bytes)
        && !is_session_name(bytes)
        && token.chars().count() >= MIN_CHARS
        && !is_word_shaped(token)
        && bits(token) >= MIN_BITS
}

/// Whether it is the name of a session directory (`2026-11-30_104349_qa-shop_340d18f3`): the time,
/// what was explored, and eight random digits that protect nothing.
fn is_session_name(token: &[u8]) -> bool {
    const TIME: &[u8] = b"0000-00-00_000000_";
    const RANDOM: usize = 8;
    let is_time = |(byte, shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        shape => byte == shape,
    };
    let Some((head, random)) = token.len().checked_sub(RANDOM).map(|at| token.split_at(at)) else {
        return false;
    };
    head.len() > TIME.len()
        && head.iter().zip(TIME).all(is_time)
        && head.ends_with(b"_")
        && random.iter().all(u8::is_ascii_hexdigit)
        && !is_random(std::str::from_utf8(&head[TIME.len()..]).unwrap_or_default())
}

/// Shannon entropy in bits per code point.
fn bits(token: &str) -> f64 {
    let mut chars: Vec<char> = token.chars().collect();
    let total = chars.len() as f64;
    chars.sort_unstable();
    let entropy: f64 = chars
        .chunk_by(|a, b| a == b)
        .map(|same| {
            let share = same.len() as f64 / total;
            -share * share.log2()
        })
        .sum();
    // Twenty or sixteen equal shares must reach their exact value whatever the order of the sum.
    entropy + 1e-9
}

/// Whether most of the token lies in runs of letters that could be spoken.
fn is_word_shaped(token: &str) -> bool {
    let (mut total, mut spoken) = (0usize, 0usize);
    let (mut run, mut vowel) = (0usize, false);
    let mut previous = ' ';
    for c in token.chars().chain([' ']) {
        let camel = c.is_uppercase() && previous.is_lowercase();
        if camel || !c.is_alphabetic() {
            if run >= 3 && vowel {
                spoken += run;
            }
            (run, vowel) = (0, false);
        }
        if c.is_alphabetic() {
            run += 1;
            vowel |= !c.is_ascii() || "aeiouyAEIOUY".contains(c);
        }
        total += usize::from(c.is_alphanumeric());
        previous = c;
    }
    spoken * 10 >= total * 7
}

/// Finds base64 whose plain text `changes` under the other rules (RED-072).
pub(crate) fn find_hidden(text: &str, spans: &mut Vec<Span>, changes: impl Fn(&str) -> bool) {
    let bytes = text.as_bytes();
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes[start..]
            .iter()
            .position(|b| !part(b))
            .unwrap_or(bytes.len() - start);
        let end = start + length;
        if length >= MIN_BASE64 && begins_as_text(&bytes[start..end]) {
            let hidden = decode(&text[start..end]);
            if hidden.is_some_and(|plain| changes(&plain)) {
                let padding = bytes[end..]
                    .iter()
                    .take(2)
                    .take_while(|b| **b == b'=')
                    .count();
                spans.push(Span::value(start, end + padding, Rule::Encoded));
            }
        }
        start = end + 1;
    }
}

/// Whether the first bytes behind a run of base64 can be text; hardly any word's are.
fn begins_as_text(run: &[u8]) -> bool {
    let mut plain = [0; MIN_BASE64 / 4 * 3];
    for (four, three) in run.chunks_exact(4).zip(plain.chunks_exact_mut(3)) {
        let bits = four.iter().fold(0u32, |bits, b| bits << 6 | sextet(*b));
        three.copy_from_slice(&bits.to_be_bytes()[1..]);
    }
    let plain = match std::str::from_utf8(&plain) {
        Ok(plain) => plain,
        Err(error) if error.error_len().is_some() => return false,
        // The last character goes on behind the first bytes.
        Err(error) => std::str::from_utf8(&plain[..error.valid_up_to()]).unwrap_or_default(),
    };
    !plain.chars().any(is_separator)
}

/// What a letter of either alphabet of base64 stands for.
fn sextet(letter: u8) -> u32 {
    u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    })
}

fn decode(token: &str) -> Option<String> {
    // One letter too many at the end is no complete byte.
    let token = &token[..token.len() - usize::from(token.len() % 4 == 1)];
    let bytes = STANDARD_NO_PAD
        .decode(token)
        .or_else(|_| URL_SAFE_NO_PAD.decode(token))
        .ok()?;
    let plain = String::from_utf8(bytes).ok()?;
    (!plain.chars().any(is_separator)).then_some(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_can_be_decoded_begins_as_text(plain in "\\PC{12,40}|[ -~\n]{12,40}") {
            for run in [STANDARD_NO_PAD.encode(&plain), URL_SAFE_NO_PAD.encode(&plain)] {
                prop_assert!(decode(&run).is_none() || begins_as_text(run.as_bytes()), "{}", run);
            }
        }
    }

    fn check(text: &str, expected: &[&str]) {
        let mut spans = Vec::new();
        find(text, &mut spans);
        let found: Vec<&str> = spans
            .iter()
            .map(|span| &text[span.start..span.end])
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn random_tokens_go() {
        // RED-069, RED-070
        check("blob Zx8Kq2Lm9Pv4Rt7Wy1Bn end", &["Zx8Kq2Lm9Pv4Rt7Wy1Bn"]);
        check("Zx8Kq2Lm9Pv4Rt7Wy1B aaaaaaaaaaaaaaaaaaaaaaaabbbb", &[]);
        check(
            "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
            &["0f1e2d3c4b5a69788796a5b4c3d2e1f0"],
        );
        check("da39a3ee5e6b4b0d3255bfef95601890afd80709 da39a3ee5e6b", &[]);
    }

    #[test]
    fn names_of_sessions_stay() {
        // RED-071, EXP-048
        for random in ["340d18f3", "9abc5def", "01234567", "f6b7c8d9"] {
            check(&format!("2026-11-30_104349_qa-shop_{random}"), &[]);
        }
        let hidden = "2026-11-30_104349_Zx8Kq2Lm9Pv4Rt7Wy1Bn_340d18f3";
        check(hidden, &[hidden]);
    }

    #[test]
    fn names_and_prose_stay() {
        // RED-071
        check(
            "org.chromium.content.browser.ContentViewCore XCUIElementTypeSecureTextField",
            &[],
        );
        check(
            "3f2b8c1e-9d47-4a6b-8e05-7c1d2f9a6b34 INCONCLUSIVE_TRUNCATED",
            &[],
        );
        check(
            "请在十五分钟内完成支付否则订单将会自动取消并且库存会被释放给其他顾客",
            &[],
        );
    }

    #[test]
    fn base64_is_read_before_it_is_judged() {
        // RED-072
        let mut spans = Vec::new();
        find_hidden("x cGFzc3dvcmQ9dHVsaXA3Nw==", &mut spans, |plain| {
            plain == "password=tulip77"
        });
        assert_eq!(spans, [Span::value(2, 26, Rule::Encoded)]);
    }
}
