//! Properties of the specification, each over random texts made of dangerous pieces.

use std::fmt::Write as _;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use qa_redact::{MARKER, Redactor, RedactorConfig, Root, Secret, URL_MARKER};
use serde_json::{Value, json};

use crate::hostile::hostile;

const SECRET: &str = "kp-9931-zebra";
/// A value that only its surroundings give away.
const CANARY: &str = "tulip77";

fn config() -> RedactorConfig {
    RedactorConfig {
        allowed_origins: vec!["http://127.0.0.1:8080".into()],
        roots: vec![Root {
            alias: "$ARTIFACTS".into(),
            path: "/srv/run7".into(),
        }],
        secrets: vec![Secret::new(SECRET)],
        devices: vec!["R58M12ABCDE".into()],
    }
}

static REDACTOR: LazyLock<Redactor> =
    LazyLock::new(|| Redactor::new(config()).expect("the configuration is valid"));

fn redact(text: &str) -> String {
    REDACTOR
        .text(text)
        .map_or_else(|error| panic!("{error}"), |safe| safe.as_str().to_owned())
}

fn encoded(form: usize) -> String {
    let bytes = SECRET.bytes();
    let shifted = |shift: usize, plain: &[u8]| [&b"xy"[..shift], plain, b"!"].concat();
    let utf16: Vec<u8> = SECRET.encode_utf16().flat_map(u16::to_le_bytes).collect();
    match form {
        9..=11 => return STANDARD.encode(shifted(form - 9, SECRET.as_bytes())),
        12..=14 => return URL_SAFE_NO_PAD.encode(shifted(form - 12, SECRET.as_bytes())),
        15 => return STANDARD.encode(utf16),
        _ => {}
    }
    let mut out = String::new();
    for byte in bytes {
        let _ = match form {
            0 => write!(out, "{}", char::from(byte)),
            1 => write!(out, "%{byte:02x}"),
            2 => write!(out, "&#{byte};"),
            3 => write!(out, "&#x{byte:X};"),
            4 => write!(out, "\\u{byte:04x}"),
            5 => write!(out, "{byte:02x}"),
            6 => write!(out, "{}", char::from(byte.to_ascii_uppercase())),
            7 => write!(out, "{}\u{200B}", char::from(byte)),
            16 => write!(out, "%25{byte:02X}"),
            17 => write!(out, "&amp;#{byte};"),
            18 => write!(out, "\\\\u{byte:04x}"),
            19 => writeln!(out, "{}=", char::from(byte)),
            _ => write!(out, "{} ", char::from(byte)),
        };
    }
    out
}

/// What a reader could make of a text without knowing the secret.
fn readings(text: &str) -> Vec<String> {
    let mut unescaped = text
        .replace("&amp;", "&")
        .replace("%25", "%")
        .replace("\\\\", "\\");
    for byte in SECRET.bytes() {
        let c = String::from(char::from(byte));
        for form in [
            format!("%{byte:02x}"),
            format!("%{byte:02X}"),
            format!("&#{byte};"),
            format!("\\u{byte:04x}"),
        ] {
            unescaped = unescaped.replace(&form, &c);
        }
    }
    let tight = unescaped
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '=')
        .collect();
    let mut readings = vec![unescaped, tight];
    let part = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
    for run in text.split(|c| !part(c)).filter(|run| run.len() >= 8) {
        let run = run.replace('-', "+").replace('_', "/");
        for skip in 0..4.min(run.len()) {
            let whole = (run.len() - skip) / 4 * 4;
            let bytes = STANDARD
                .decode(&run[skip..skip + whole])
                .unwrap_or_default();
            readings.push(String::from_utf8_lossy(&bytes).replace('\0', ""));
        }
    }
    readings
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_second_pass_changes_nothing(text in hostile()) {
        // RED-INV-01, RED-083
        let once = redact(&text);
        prop_assert_eq!(redact(&once), once);
    }

    #[test]
    fn no_form_of_a_secret_survives(before in hostile(), after in hostile(), form in 0usize..20) {
        // RED-INV-02
        let hidden = encoded(form);
        let safe = redact(&format!("{before}{hidden}{after}"));
        prop_assert!(!safe.contains(&hidden), "{safe}");
        prop_assert!(!safe.to_lowercase().contains(SECRET), "{safe}");
        prop_assert!(!readings(&safe).iter().any(|read| read.contains(SECRET)), "{safe}");
    }

    #[test]
    fn markers_are_the_only_new_bytes(text in hostile()) {
        // RED-020, RED-INV-04: what stays is a subsequence of the input, joiners read as spaces.
        let safe = redact(&text);
        let mut left = text.chars().filter(|c| !c.is_whitespace());
        let stays = [MARKER, URL_MARKER, "$ARTIFACTS", "$DEVICE_1"]
            .iter()
            .fold(safe, |safe, marker| safe.replace(marker, "\u{1}"));
        // Quotes come with the marker where a JSON value had none.
        for c in stays.chars().filter(|c| !c.is_whitespace() && !"\u{1}\"\\".contains(*c)) {
            prop_assert!(left.any(|own| own == c), "{c:?} is new or out of order");
        }
    }

    #[test]
    fn json_keeps_its_shape(texts in prop::collection::vec(hostile(), 1..4), n in any::<u32>()) {
        // RED-INV-03, RED-006
        let input = json!({"list": texts, "n": n, "flag": true, "inner": {"text": texts[0], "none": null}});
        let safe = REDACTOR.json(&input).expect("the keys are different");
        let safe = safe.as_value();
        let same_kind = |a: &Value, b: &Value| std::mem::discriminant(a) == std::mem::discriminant(b) || *b == MARKER;
        prop_assert_eq!(safe["list"].as_array().map(Vec::len), Some(texts.len()));
        for key in ["list", "n", "flag", "inner"] {
            prop_assert!(same_kind(&input[key], &safe[key]));
        }
        let again = REDACTOR.json(safe).expect("the value is safe");
        prop_assert_eq!(again.as_value(), safe);
    }

    #[test]
    fn one_more_secret_uncovers_nothing(
        before in hostile(),
        key in prop::sample::select(vec!["password=", "token: \"", "Bearer ", "Cookie: a=", "https://", "--secret ", "x@mail.co "]),
        after in hostile(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 4usize..12), 1..3),
    ) {
        // RED-INV-05: the further secrets are parts of the text itself.
        let text = format!("{before}{key}{CANARY}{after}");
        let chars: Vec<char> = text.chars().collect();
        let parts = cuts.iter().map(|(at, length)| {
            let at = at.index(chars.len());
            chars[at..chars.len().min(at + length)].iter().collect::<String>()
        });
        let mut more = config();
        more.secrets.extend(parts.map(Secret::new));
        let more = Redactor::new(more).expect("the configuration is valid");
        if let Ok(safe) = more.text(&text)
            && !redact(&text).contains(CANARY)
        {
            prop_assert!(!safe.as_str().contains(CANARY), "{safe}");
        }
    }

    #[test]
    fn the_case_of_a_key_says_nothing(
        key in prop::sample::select(vec![
            "userPassword", "user_password", "accessToken", "api-key", "sessionId", "clientSecret", "Set-Cookie",
            "dbPasswd", "x.refresh.token", "sshKey", "jwt", "tokenId", "authorization", "passphrases",
            "primaryKey", "tokenCount", "appId", "username", "keyboard",
        ]),
        upper in prop::collection::vec(any::<bool>(), 20),
    ) {
        // RED-INV-08
        let flipped: String = key.chars().zip(upper)
            .map(|(c, upper)| if upper { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect();
        let hides = |key: &str| !redact(&format!("{key}={CANARY}")).contains(CANARY);
        prop_assert_eq!(hides(&flipped), hides(key), "{}", flipped);
    }

    #[test]
    fn separators_hide_no_scheme(
        at in 1usize..7,
        separator in prop::sample::select(vec!["\u{AD}", "\u{200B}", "\u{0}", "\u{FEFF}", "\u{2028}", "\t\u{200D}"]),
    ) {
        // RED-INV-07
        let scheme = "https://";
        let text = format!("see {}{separator}{}shop.test/{CANARY}", &scheme[..at], &scheme[at..]);
        prop_assert!(!redact(&text).contains(CANARY), "{}", redact(&text));
    }

    #[test]
    fn separators_and_case_do_not_hide_a_key(
        word in prop::sample::select(vec!["password", "accessToken", "Cookie", "api_key", "Bearer"]),
        at in 0usize..6,
        separator in prop::sample::select(vec!['\u{AD}', '\u{200B}', '\u{0}', '\u{FEFF}', '\u{2028}', '\t']),
        upper in any::<bool>(),
    ) {
        // RED-INV-07, RED-INV-08
        let word = if upper { word.to_uppercase() } else { word.to_owned() };
        let assigned = if word.eq_ignore_ascii_case("bearer") { " " } else { "=" };
        let text = format!("{}{separator}{}{assigned}tulip77", &word[..at], &word[at..]);
        prop_assert!(!redact(&text).contains("tulip77"), "{}", redact(&text));
    }

    #[test]
    fn errors_and_equal_inputs(text in hostile()) {
        // RED-INV-10, RED-INV-11
        let again = Redactor::new(config()).expect("the configuration is valid");
        let safe = again.text(&text).expect("the text is redacted");
        prop_assert_eq!(safe.as_str(), redact(&text));
        let error = REDACTOR
            .json(&json!({"token: qqq1": text, "token: qqq2": text}))
            .expect_err("the keys become equal");
        let message = format!("{error} {error:?}");
        prop_assert!(!message.contains("qqq"));
    }
}

#[test]
fn repeated_characters_end() {
    // RED-INV-06: quadratic time would take minutes here, even in a debug build.
    for piece in [
        "a",
        "password=",
        "%",
        "\"",
        "-----BEGIN ",
        "/",
        "//",
        ":",
        "密码是",
        "--password \"",
        "name=\"token\" value=\"",
        "1 ",
        "a@",
        "<token>",
        "<key>",
        "&#",
        "\\u00",
        "mysql -p",
        "{\"token\":[",
        "kp-9931-",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        assert!(REDACTOR.text(&text).is_ok(), "{piece}");
    }
}

#[test]
fn many_secrets_in_one_text_take_linear_time() {
    // RED-INV-06: reading the text anew for each of them would take minutes.
    let mut many = config();
    let secrets: Vec<String> = (0..2_000).map(|n| format!("tulip-{n}-bulb")).collect();
    many.secrets = secrets.iter().map(Secret::new).collect();
    let many = Redactor::new(many).expect("the configuration is valid");
    let mut text = secrets.join(" name=\"token\" value=");
    for _ in 0..3 {
        text = format!("{} {}", secrets.join(" "), STANDARD.encode(text));
    }
    let safe = many.text(&text).expect("the text is redacted");
    assert!(!safe.as_str().contains("bulb"));
}

#[test]
fn a_secret_beside_a_key_does_not_hide_it() {
    // RED-INV-05, found by its property: what a URL, an address or another secret uncovers stays uncovered.
    let check = |secret: &str, text: &str, expected: &str| {
        let mut more = config();
        more.secrets.push(Secret::new(secret));
        let more = Redactor::new(more).expect("the configuration is valid");
        let safe = more.text(text).expect("the text is redacted");
        assert_eq!(safe.as_str(), expected);
    };
    check(
        "// token: ",
        "ahttps:// token: \"tulip77",
        "[REDACTED]\"[REDACTED]",
    );
    check(
        "2a00::1fn",
        "2a00::1fname=\"token\" value=--secret tulip77",
        "[REDACTED]ame=\"token\" value=[REDACTED]",
    );
    check(
        "zebraname",
        "kp-9931-zebraname=\"token\" value=tulip77",
        "[REDACTED]=\"token\" value=[REDACTED]",
    );
}

#[test]
fn an_alias_is_never_read_as_another_one() {
    // RED-INV-04, found by its property: `$DEVICE_14930` would be another device.
    assert_eq!(redact("at R58M12ABCDE: ok"), "at $DEVICE_1: ok");
    assert_eq!(redact("at R58M12ABCDE4930"), "at [REDACTED]4930");
}

#[test]
fn long_texts_are_replaced_as_a_whole() {
    // RED-016
    assert_eq!(redact(&"a".repeat((16 << 20) + 1)), MARKER);
}
