//! What people read in a terminal or a ticket.

use std::fs;

use qa_core::Archive;

use crate::fixture::{graph, outcome, session};

fn report(text: &str) -> String {
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), text);
    writer.finish(&outcome(text), &graph(text)).unwrap();
    let report = fs::read_to_string(writer.dir().join("report.md")).unwrap();
    let id = writer
        .dir()
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    report.replace(&id, "ID")
}

// EXP-180
#[test]
fn the_report_says_the_worst_first() {
    let report = report("Add");
    let times = report.lines().map(|line| {
        if line.starts_with("| Started |") || line.starts_with("| Ended |") {
            line.split(" 20").next().unwrap_or(line).to_owned()
        } else if line.starts_with("- c1: after") {
            let (head, _) = line.split_once(", 20").unwrap();
            head.to_owned()
        } else {
            line.to_owned()
        }
    });
    let stable = times.collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(stable);
}

// RED-079, WEB-081
#[test]
fn hostile_texts_stay_texts() {
    let report = report("<img src=x> [a](javascript:b) ```\u{1b}[31m\u{202e}|");
    assert!(!report.contains("<img") && !report.contains("](javascript:"));
    assert!(!report.contains(['\u{1b}', '\u{202e}']));
    let fences = report
        .lines()
        .filter(|line| line.starts_with("```"))
        .count();
    assert_eq!(fences % 2, 0, "{report}");
}
