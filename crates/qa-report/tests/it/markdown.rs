//! What people read in a terminal or a ticket.

use std::fs;

use qa_core::Archive;

use qa_report::Language;

use crate::fixture::{filled, graph, outcome, writer_in};

fn report(text: &str) -> String {
    report_in(Language::EnUs, text)
}

fn report_in(language: Language, text: &str) -> String {
    let root = tempfile::tempdir().unwrap();
    let mut writer = filled(writer_in(root.path(), language), text);
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
    insta::assert_snapshot!(without_times(&report("Add")));
}

// EXP-181, D-09
#[test]
fn the_report_is_in_the_language_of_its_session() {
    insta::assert_snapshot!(without_times(&report_in(Language::ZhCn, "Add")));
}

/// The lines, without the times at their ends.
fn without_times(report: &str) -> String {
    let has_time = |line: &str| line.starts_with("- c1:") || line.starts_with("| ");
    let lines = report.lines().map(|line| match line.split_once(" 20") {
        Some((head, _)) if has_time(line) => head.trim_end_matches(','),
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

// RED-079, WEB-081
#[test]
fn hostile_texts_stay_texts() {
    let report = report("<img src=x> [a](javascript:b) ```\u{1b}[31m\u{202e}|");
    let mut in_block = false;
    for line in report.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block && !line.starts_with("- Signature: ````") {
            assert!(
                !line.contains("<img") && !line.contains("](javascript:"),
                "{line}"
            );
        }
    }
    assert!(!report.contains(['\u{1b}', '\u{202e}']));
    let fences = report
        .lines()
        .filter(|line| line.starts_with("```"))
        .count();
    assert_eq!(fences % 2, 0, "{report}");
}
