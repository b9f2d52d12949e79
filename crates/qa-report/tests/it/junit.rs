//! JUnit XML, read by a parser that others wrote.

use std::path::Path;

use junit_parser::{TestCase, TestSuite, TestSuites};
use qa_core::{Archive as _, Ended, Outcome, Reason, Status};
use qa_report::{Language, Merge, write_report};

use crate::fixture::{filled, graph, outcome, session, writer, writer_in};

/// The report of the sessions in a directory.
fn parsed(root: &Path) -> TestSuites {
    let xml = Merge::read(&[root]).unwrap().to_junit().unwrap();
    junit_parser::from_reader(xml.as_bytes()).unwrap_or_else(|error| panic!("{error}: {xml}"))
}

fn case<'a>(suite: &'a TestSuite, name: &str) -> &'a TestCase {
    let names: Vec<_> = suite.cases.iter().map(|case| &case.original_name).collect();
    let found = suite.cases.iter().find(|case| case.original_name == name);
    found.unwrap_or_else(|| panic!("{name} of {names:?}"))
}

fn reason(code: &str, text: &str) -> Reason {
    Reason {
        code: code.into(),
        text: text.into(),
    }
}

// D-07
#[test]
fn a_crash_is_a_failure_with_the_way_to_it() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), "Add");
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    let suites = parsed(root.path());
    assert_eq!((suites.tests, suites.failures, suites.errors), (2, 1, 0));
    let suite = &suites.suites[0];
    assert_eq!(suite.name, "qa-shop");
    assert!(suite.timestamp.is_some());
    assert!((suite.time - 4.2).abs() < 0.001);
    assert!(case(suite, "exploration").status.is_success());
    let crash = case(suite, "js-exception: TypeError: Add");
    assert_eq!(crash.classname.as_deref(), Some("qa-shop"));
    let failure = crash.status.failure_as_ref();
    assert_eq!(failure.failure_type, "js-exception");
    assert_eq!(failure.message, "TypeError: Add");
    for part in [
        "js-exception|TypeError|Add",
        "3. tap button Add",
        "app.js:3:7",
    ] {
        assert!(failure.text.contains(part), "{part}: {}", failure.text);
    }
}

// D-07: what is not proven is neither passed nor failed
#[test]
fn what_proves_nothing_is_an_error() {
    let ended = |status, ended, reasons: Vec<Reason>| Outcome {
        status,
        ended,
        reasons,
        crashes: Vec::new(),
        ..outcome("Add")
    };
    let stopped = reason("INTERRUPTED", "the run was asked to stop");
    let lost = reason("CRASH_QUERY_FAILED", "no answer");
    for (end, errors, failures) in [
        (ended(Status::Passed, Ended::Exhausted, vec![]), 0, 0),
        (
            ended(Status::Aborted, Ended::Interrupted, vec![stopped.clone()]),
            1,
            0,
        ),
        (ended(Status::Failed, Ended::MaxSteps, vec![lost]), 0, 1),
        (
            ended(Status::Failed, Ended::Interrupted, vec![stopped]),
            1,
            0,
        ),
    ] {
        let root = tempfile::tempdir().unwrap();
        let mut writer = writer(root.path());
        writer.finish(&end, &graph("Add")).unwrap();
        let suites = parsed(root.path());
        assert_eq!(
            (suites.errors, suites.failures),
            (errors, failures),
            "{end:?}"
        );
        let exploration = case(&suites.suites[0], "exploration");
        if errors > 0 {
            let error = exploration.status.error_as_ref();
            assert_eq!(error.error_type, "inconclusive");
            assert_eq!(error.message, "INTERRUPTED: the run was asked to stop");
        }
        if failures > 0 {
            let failure = exploration.status.failure_as_ref();
            assert_eq!(failure.failure_type, "CRASH_QUERY_FAILED");
        }
    }
}

// D-07: a run whose process died is not green either
#[test]
fn a_killed_run_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    drop(writer(root.path()));
    let suites = parsed(root.path());
    let error = case(&suites.suites[0], "exploration").status.error_as_ref();
    assert_eq!(error.error_type, "inconclusive");
    assert!(
        error.message.starts_with("NOT_FINISHED: "),
        "{}",
        error.message
    );
}

// WEB-081
#[test]
fn hostile_texts_stay_texts() {
    let hostile = "]]><failure/>&lt;\"'\u{1b}[31m\u{0}\u{202e}\n<x";
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), hostile);
    writer.finish(&outcome(hostile), &graph(hostile)).unwrap();
    let suites = parsed(root.path());
    assert_eq!((suites.tests, suites.failures), (2, 1));
    let xml = Merge::read(&[root.path()]).unwrap().to_junit().unwrap();
    let acts =
        |character: char| character.is_control() && character != '\n' || character == '\u{202e}';
    assert!(!xml.contains(acts), "{xml:?}");
}

// D-09
#[test]
fn the_words_are_those_of_the_session() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = filled(writer_in(root.path(), Language::ZhCn), "Add");
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    let suites = parsed(root.path());
    let crash = case(&suites.suites[0], "js-exception: TypeError: Add");
    assert!(
        crash
            .status
            .failure_as_ref()
            .text
            .contains("3. 点击按钮 Add")
    );
}

// REP-125
#[test]
fn a_report_goes_where_it_is_wanted_but_through_no_link() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("new/report.xml");
    write_report(&file, "<one/>").unwrap();
    write_report(&file, "<two/>").unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "<two/>");
    let link = root.path().join("link.xml");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for refused in [link.as_path(), root.path()] {
        let error = write_report(refused, "<three/>").unwrap_err().to_string();
        assert!(error.ends_with("is something else than a file"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "<two/>");
}
