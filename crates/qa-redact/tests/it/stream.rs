//! A text of any length is redacted as if it were read at once, whatever its chunks.

use std::sync::LazyLock;

use proptest::prelude::*;
use qa_redact::{MARKER, Redactor, RedactorConfig, Secret};

use crate::hostile::hostile;

const SECRET: &str = "kp-9931-zebra";

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
    Redactor::new(RedactorConfig {
        secrets: vec![Secret::new(SECRET), Secret::new("90210447")],
        ..RedactorConfig::default()
    })
    .expect("the configuration is valid")
});

fn stream<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> String {
    let mut stream = REDACTOR.stream();
    let mut safe = String::new();
    for chunk in chunks {
        safe += stream.push(chunk).expect("the part is redacted").as_str();
    }
    safe + stream.finish().expect("the end is redacted").as_str()
}

fn whole(bytes: &[u8]) -> String {
    stream([bytes])
}

/// Many short lines, so that what reaches over their ends does so often.
fn lines() -> impl Strategy<Value = String> {
    let line = (
        hostile(),
        prop::sample::select(vec!["\n", "\n", "\n\n", "\r\n", "\n  ", ""]),
    );
    let filler = (0usize..40).prop_map(|count| "GET /cart 200\n".repeat(count));
    let part = prop_oneof![3 => line.prop_map(|(text, end)| text + end), 1 => filler];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_is_redacted_as_one_text(text in lines()) {
        // RED-016
            let at_once = REDACTOR.text(&text).expect("the text is redacted");
        prop_assert_eq!(whole(text.as_bytes()), at_once.as_str());
    }

    #[test]
    fn chunks_do_not_matter(text in lines(), size in 1usize..64) {
            let chunked = stream(text.as_bytes().chunks(size));
        prop_assert_eq!(chunked, whole(text.as_bytes()));
    }

    #[test]
    fn any_bytes_pass_and_a_second_time_nothing_changes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        // RED-INV-01, RED-INV-06
            let once = whole(&bytes);
        prop_assert_eq!(whole(once.as_bytes()), once);
    }

    #[test]
    fn a_secret_broken_by_line_ends_is_found(
        before in lines(),
        gaps in prop::collection::vec(prop::sample::select(vec!["", "", "\n", "=\n", "\r\n", " \n \n"]), 13),
        after in lines(),
    ) {
        // RED-051, RED-INV-02
            let broken: String = SECRET.chars().zip(gaps).flat_map(|(c, gap)| [c.to_string(), gap.to_owned()]).collect();
        let safe = whole(format!("{before}{broken}{after}").as_bytes());
        let tight: String = safe.chars().filter(|c| !c.is_whitespace() && *c != '=').collect();
        prop_assert!(!tight.to_lowercase().contains(SECRET), "{}", safe);
    }
}

#[test]
fn what_goes_over_line_ends_is_one_span_for_all_chunks() {
    // RED-043, RED-060
    let filler = "GET /cart 200\n".repeat(200);
    let key = "MIIB\n".repeat(500);
    for (text, expected) in [
        (
            format!("a\n-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----\n{filler}"),
            format!("a\n{MARKER}\n{filler}"),
        ),
        (
            format!("{filler}password=\"tu\n{filler}lip\" ok\n{filler}"),
            format!("{filler}password=\"{MARKER}\" ok\n{filler}"),
        ),
        (
            format!("password: |\n  tu\n  lip\nnext: 1\n{filler}"),
            format!("password: {MARKER}\nnext: 1\n{filler}"),
        ),
        (
            format!("密码是|\n  tu\n  lip\nnext: 1\n{filler}"),
            format!("密码是{MARKER}\nnext: 1\n{filler}"),
        ),
        (
            format!("{filler}\"token\":\n\n  \"tulip\"\n{filler}"),
            format!("{filler}\"token\":\n\n  \"{MARKER}\"\n{filler}"),
        ),
        (
            format!("{filler}say \"api\nkey\": tulip\n{filler}"),
            format!("{filler}say \"api\nkey\": \"{MARKER}\"\n{filler}"),
        ),
    ] {
        for size in [1, 7, 100, text.len()] {
            assert_eq!(stream(text.as_bytes().chunks(size)), expected, "{size}");
        }
    }
}

#[test]
fn a_key_reaches_back_from_lines_that_are_judged_together() {
    // The lines from `kp` on are looked at together, for a secret may begin there. What stood between
    // a quote and the key is replaced, so the key is as near as that. Found by fuzzing.
    let cards = "4111 1111 1111 1111 ".repeat(7);
    for text in [
        "say \"access\nkp\ntoken\": 3",
        "say \"access\nkp\nkp\ntoken\": 3\nnext\n",
        &format!("\"\n{cards}\n<password>\": tulip\n"),
    ] {
        let at_once = REDACTOR.text(text).expect("the text is redacted");
        assert!(at_once.as_str().contains(MARKER), "{at_once}");
        assert!(!at_once.as_str().contains("tulip"), "{at_once}");
        for size in [1, 5, text.len()] {
            assert_eq!(stream(text.as_bytes().chunks(size)), at_once.as_str());
        }
    }
}

#[test]
fn a_line_is_redacted_as_if_no_secret_stood_in_another_one() {
    // Found by the property that a stream is redacted as one text.
    let text = "curl -u 4111 1111 1111 1111\u{ad}%3D\nkp-9931-zebra\n";
    let at_once = REDACTOR.text(text).expect("the text is redacted");
    assert_eq!(whole(text.as_bytes()), at_once.as_str());
}

#[test]
fn what_a_replacement_uncovers_reaches_over_line_ends_too() {
    // The first pass takes the digits away from `name`, only the second sees a field. Found by fuzzing.
    let text = "90210447name=\"password\"\n\ntulip\nnext\n";
    let safe = whole(text.as_bytes());
    assert_eq!(safe, "[REDACTED]name=\"password\"\n\n[REDACTED]\nnext\n");
    let at_once = REDACTOR.text(text).expect("the text is redacted");
    assert_eq!(at_once.as_str(), safe);
}

#[test]
fn bytes_that_are_no_text_are_visible() {
    // RED-017, RED-TRAP-03
    assert_eq!(
        whole(b"caf\xE9 \xFFpassword=tu\xE9lip\n"),
        "caf\\xE9 \\xFFpassword=[REDACTED]\n"
    );
    let utf16: Vec<u8> = "\u{FEFF}password=tulip\r\nok\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(whole(&utf16), "password=[REDACTED]\nok\n");
    let without_mark: Vec<u8> = "password=tulip\r\nok\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(!whole(&without_mark).replace(' ', "").contains("tulip"));
}
