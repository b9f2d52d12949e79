//! `qa redact`: what people do with a log before they attach it to a ticket.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{Ended, Place};

const LOG: &str =
    "11-30 01:43 password=tulip77 host=db1\ntyped kp-9931-zebra, 6b702d393933312d7a65627261\n";

impl Place {
    fn given(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.temporary().join("..").join(name), content).unwrap();
    }

    fn redact(&self, args: &[&str], stdin: &[u8]) -> Ended {
        let mut command = self.qa(&[&["redact"], args].concat());
        command.stdin(Stdio::piped()).env("KEY", "kp-9931-zebra");
        let mut child = command.spawn().unwrap();
        // A command that refuses its arguments reads nothing.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Ended::wait(child)
    }
}

// RED-050, RED-051, RED-052
#[test]
fn a_log_passes_as_a_filter_and_the_report_says_which_rules() {
    let place = Place::new();
    let args = ["--secret-env", "KEY", "--report", "--json"];
    let ended = place.redact(&args, LOG.as_bytes());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(
        ended.stdout,
        "11-30 01:43 password=[REDACTED] host=db1\ntyped [REDACTED], [REDACTED]\n"
    );
    let report: Value = serde_json::from_str(&ended.stderr).unwrap();
    assert_eq!(
        report,
        json!({"schema_version": 1, "files": [{
            "file": "stdin", "format": "text", "replaced": 3, "rules": {"pair": 1, "secret": 2}, "withheld": false,
        }]})
    );
    let again = place.redact(&[], ended.stdout.as_bytes());
    assert_eq!(again.stdout, ended.stdout, "a second time nothing changes");
}

#[test]
fn each_file_is_read_as_what_it_is() {
    let place = Place::new();
    place.given(
        "a.jsonl",
        "{\"token\":\"x\",\"n\":1}\n\n{\"m\":\"ann@mail.co\"}\n",
    );
    place.given("b.json", "{\n  \"pin\": 4711,\n  \"list\": [1, 2]\n}\n");
    place.given(
        "c.har",
        json!({"log": {"entries": [{"request": {
            "url": "https://shop.test/a?q=1",
            "headers": [{"name": "Authorization", "value": "Bearer tulip"}, {"name": "Accept", "value": "*/*"}],
            "cookies": [{"name": "theme", "value": "tulip"}],
            "queryString": [{"name": "access_token", "value": "tulip"}],
            "postData": {"params": [{"name": "password", "value": "tulip"}], "text": "password=tulip&b=1"},
        }}]}})
        .to_string(),
    );
    let ended = place.redact(&["a.jsonl", "b.json", "c.har", "--report=report.txt"], b"");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(
        ended.stdout,
        concat!(
            "{\"n\":1,\"token\":\"[REDACTED]\"}\n\n{\"m\":\"[REDACTED]\"}\n",
            "{\n  \"list\": [\n    1,\n    2\n  ],\n  \"pin\": \"[REDACTED]\"\n}\n",
            "{\"log\":{\"entries\":[{\"request\":{\"cookies\":[{\"name\":\"theme\",\"value\":\"[REDACTED]\"}],",
            "\"headers\":[{\"name\":\"Authorization\",\"value\":\"[REDACTED]\"},{\"name\":\"Accept\",\"value\":\"*/*\"}],",
            "\"postData\":{\"params\":[{\"name\":\"password\",\"value\":\"[REDACTED]\"}],",
            "\"text\":\"password=[REDACTED]&b=1\"},",
            "\"queryString\":[{\"name\":\"access_token\",\"value\":\"[REDACTED]\"}],\"url\":\"[REDACTED_URL]\"}}]}}\n",
        )
    );
    assert_eq!(ended.stderr, "");
    let report = std::fs::read_to_string(place.temporary().join("../report.txt")).unwrap();
    assert_eq!(
        report,
        "a.jsonl as jsonl: 2 replaced (pair 1, email 1)\nb.json as json: 1 replaced (pair 1)\n\
         c.har as har: 5 replaced (url 1, pair 4)\n"
    );
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let place = Place::new();
    place.given("torn.jsonl", "{\"token\":\"tulip\"}\n{\"token\":\"tul");
    place.given("torn.json", "{\n \"token\": \"tulip");
    place.given("open.txt", "tulip\n");
    let calls: [(&[&str], i32, &[&str]); 6] = [
        (
            &["torn.jsonl"],
            64,
            &["torn.jsonl", "line 2", "--format text"],
        ),
        (
            &["torn.json"],
            64,
            &["torn.json", "line 2", "--format text"],
        ),
        (&["missing.log"], 64, &["missing.log", "to do: "]),
        (&["--secret-env", "NOT_SET"], 64, &["NOT_SET", "to do: "]),
        (&["--secrets", "open.txt"], 64, &["chmod 600 open.txt"]),
        (&["--allow-origin", "shop"], 64, &["--allow-origin shop"]),
    ];
    for (args, code, words) in calls {
        let ended = place.redact(args, b"");
        assert_eq!(ended.code, Some(code), "{args:?}: {ended:?}");
        for word in words {
            assert!(ended.stderr.contains(word), "{word}: {ended:?}");
        }
        assert!(!format!("{ended:?}").contains("tul"), "{args:?}: {ended:?}");
    }
    let explore = [
        "explore",
        "--url",
        "http://127.0.0.1:9/",
        "--secret-env",
        "NOT_SET",
    ];
    let ended = Ended::of(&mut place.qa(&explore));
    assert_eq!(ended.code, Some(64), "{ended:?}");
    assert!(ended.stderr.contains("NOT_SET"), "{ended:?}");
    assert!(!place.out().exists());
}

// RED-081
#[test]
fn what_must_be_withheld_is_not_printed() {
    let place = Place::new();
    place.given("secrets.txt", "redacted\nab\n");
    let secrets = place.temporary().join("../secrets.txt");
    std::fs::set_permissions(&secrets, Permissions::from_mode(0o600)).unwrap();
    let ended = place.redact(&["--secrets", "secrets.txt"], LOG.as_bytes());
    assert_eq!(ended.code, Some(70), "{ended:?}");
    assert_eq!(ended.stdout, "");
    for word in ["REDACTION_FAILED", "--secrets, line 2 is too short"] {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
    assert!(!ended.stderr.contains("ab\n"), "{ended:?}");
    let twice = place.redact(
        &["--format", "json"],
        br#"{"token: aa": 1, "token: bb": 2}"#,
    );
    assert_eq!(
        (twice.code, twice.stdout.as_str()),
        (Some(70), ""),
        "{twice:?}"
    );
}

#[test]
fn a_report_does_not_take_the_place_of_what_is_redacted() {
    let place = Place::new();
    place.given("log.txt", "password=tulip77");
    let ended = place.redact(&["log.txt", "--report=log.txt"], b"");
    assert_eq!(ended.code, Some(64), "{ended:?}");
    let kept = std::fs::read_to_string(place.path().join("log.txt")).unwrap();
    assert_eq!(kept, "password=tulip77");
}

#[test]
fn a_reader_who_left_is_no_failure_and_a_full_disk_is_one() {
    let place = Place::new();
    place.given("long.log", LOG.repeat(20_000));
    let mut child = place.qa(&["redact", "long.log"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(Ended::wait(child).code, Some(0));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let ended = Ended::of(place.qa(&["redact", "long.log"]).stdout(full.unwrap()));
    assert_eq!(ended.code, Some(70), "{ended:?}");
}

// RED-017, RED-TRAP-03
#[test]
fn files_of_windows_tools_and_broken_bytes_are_read() {
    let place = Place::new();
    let utf16 = "\u{FEFF}password=tulip\r\n".encode_utf16();
    let ended = place.redact(&[], &utf16.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    assert_eq!(ended.stdout, "password=[REDACTED]\n");
    assert_eq!(place.redact(&[], b"caf\xE9\n").stdout, "caf\\xE9\n");
}
