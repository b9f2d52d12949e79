//! `report.html` in a real browser, used the way a person uses it.

#[path = "../../../crates/qa-report/tests/it/fixture.rs"]
mod fixture;
mod reader;

use qa_core::Archive as _;
use qa_report::SessionWriter;

use fixture::{crash, graph, outcome, picture, session, step, writer};
use reader::Reader;

/// The report of a session, once it has ended.
fn report(mut writer: SessionWriter, text: &str) -> String {
    writer.finish(&outcome(text), &graph(text)).unwrap();
    std::fs::read_to_string(writer.dir().join("report.html")).unwrap()
}

/// The report of a session whose every text is `text`.
fn of(text: &str) -> String {
    let root = tempfile::tempdir().unwrap();
    report(session(root.path(), text), text)
}

const FIRST: &str = "1 ok tap button Add 1 notice – → P1 changed";
const SECOND: &str = "2 ok tap button Add f1 console-error 1 notice P1 → P2 changed";
const THIRD: &str = "3 ok tap button Add c1 js-exception 1 notice P2 → P3 changed";

// EXP-180
#[test]
fn a_link_opens_what_it_names() {
    let mut reader = Reader::open(of("Add"), "#step-3");
    assert_eq!(reader.focus().as_deref(), Some(THIRD));
    assert_eq!(reader.opened_steps(), [THIRD]);
    assert!(reader.shows("seen Add"));
    reader.close();

    let mut reader = Reader::open(of("Add"), "#finding-f1");
    let focus = reader.focus().unwrap();
    assert!(focus.starts_with("f1 TypeError: Add"), "{focus}");
    assert!(reader.shows("Signature"));
    reader.close();

    let mut reader = Reader::open(of("Add"), "#page-P3");
    assert!(reader.shows("P3 page Add"));
    reader.close();

    let mut reader = Reader::open(of("Add"), "#crash-c1");
    assert!(reader.shows("TypeError: Add"));
    reader.close();
}

#[test]
fn a_filter_leaves_the_steps_that_match() {
    let mut reader = Reader::open(of("Add"), "#steps");
    assert_eq!(reader.steps(), [FIRST, SECOND, THIRD]);
    reader.tap("checkbox", "With a crash");
    assert_eq!(reader.steps(), [THIRD]);
    assert!(reader.shows("1 of 3 steps"));
    reader.tap("checkbox", "With a finding");
    assert_eq!(reader.steps(), [""; 0]);
    assert!(reader.shows("No step matches."));
    reader.tap("button", "Reset");
    assert_eq!(reader.steps(), [FIRST, SECOND, THIRD]);

    reader.fill("Search steps", "/p2 TAP");
    assert_eq!(reader.steps(), [SECOND]);
    reader.fill("Search steps", "");
    reader.choose("Page", "P1 page Add");
    assert_eq!(reader.steps(), [FIRST, SECOND]);
    reader.tap("button", "Reset");
    reader.choose("Result", "failed");
    assert_eq!(reader.steps(), [""; 0]);

    // A link leads to a step that the filter hides.
    reader.tap("link", "after step 3");
    assert_eq!(reader.steps(), [FIRST, SECOND, THIRD]);
    assert_eq!(reader.focus().as_deref(), Some(THIRD));
    reader.close();
}

#[test]
fn keys_lead_from_step_to_step() {
    let mut reader = Reader::open(of("Add"), "#step-1");
    assert_eq!(reader.focus().as_deref(), Some(FIRST));
    for (key, step) in [("j", SECOND), ("j", THIRD), ("j", THIRD), ("k", SECOND)] {
        reader.press(key);
        assert_eq!(reader.focus().as_deref(), Some(step), "after {key}");
    }
    reader.press("Enter");
    assert_eq!(reader.opened_steps(), [FIRST, SECOND]);
    reader.press("f");
    assert!(reader.focus().unwrap().starts_with("f1 "));
    reader.press("/");
    assert_eq!(reader.focus().as_deref(), Some("Search steps"));
    // A letter in a field is a letter.
    reader.press("j");
    assert_eq!(reader.steps(), [THIRD]);
    reader.press("Escape");
    reader.press("?");
    assert!(reader.shows("What the keys do"));
    reader.tap("checkbox", "Single keys act");
    reader.press("Escape");
    assert!(!reader.shows("What the keys do"));
    let before = reader.focus();
    reader.press("j");
    assert_eq!(reader.focus(), before);
    reader.close();
}

#[test]
fn the_way_to_a_crash_can_be_copied() {
    let mut reader = Reader::open(of("Add"), "#crash-c1");
    let command = "qa explore --url http://127.0.0.1:8000/ --seed 1";
    reader.tap("button", "Copy steps");
    assert!(reader.shows("Copied"));
    let steps = [
        "js-exception: TypeError: Add",
        "1. tap button Add",
        "2. tap button Add",
        "3. tap button Add",
        command,
    ];
    // White space is collapsed where a page is read.
    assert_eq!(reader.text_of("path-c1"), steps.join(" "));
    reader.close();
}

// WEB-081, RED-079
#[test]
fn hostile_texts_neither_run_nor_break_the_layout() {
    let hostile = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\
        <svg onload=alert(3)><style>*{display:none}</style></style><base href=//x.test>\
        \u{202e}gnp.exe\u{2066}\u{200f} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{1b}[31mred\u{7} \
        javascript:alert(4) <iframe srcdoc='<script>alert(5)</script>'> {{7*7}}";
    let mut reader = Reader::open(of(hostile), "#step-3");
    assert!(reader.shows("seen </script><script>alert(1)</script>"));
    assert_eq!(reader.steps().len(), 3);
    reader.close();

    let root = tempfile::tempdir().unwrap();
    let mut writer = writer(root.path());
    let long = "x".repeat(10_000);
    let shot = picture(50);
    writer.step(&step(1, &long), None, Some(&shot)).unwrap();
    writer.step(&step(2, &long), Some(&shot), None).unwrap();
    writer.crash(&crash("c1", 2, &long[..4_000])).unwrap();
    let mut reader = Reader::open(report(writer, &long[..4_000]), "#step-2");
    assert_eq!(reader.steps().len(), 2);
    reader.fits();
    reader.close();
}
