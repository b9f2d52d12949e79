//! Several scenarios as JUnit XML.

use qa_redact::{Redactor, RedactorConfig, Secret};
use qa_replay::{Attempt, Case, RunReport, RunStatus, Suite, junit};
use qa_sim::{Element, Screen, SimApp};

use crate::play::{present, run, scenario, tap};

/// A run of an app with one button, and of a claim about it.
fn tapped(claimed: &str) -> RunReport {
    let screen = Screen::new("home", "Home").with(Element::button("ready", "Ready", []));
    let app = SimApp::new("com.example.app", "home").screen(screen);
    let (mut report, _) = run(
        app,
        &scenario(&[tap("Ready", &present("button", claimed))], &[]),
    );
    report.finished_at = "2026-11-30T08:00:02.5Z".into();
    report
}

// REP-002, D-07, RED-003
#[test]
fn only_what_was_proven_is_a_success() {
    let (passed, failed) = (tapped("Ready"), tapped("tulip77 & <b>"));
    assert_eq!(
        [passed.status, failed.status],
        [RunStatus::Pass, RunStatus::Fail]
    );
    let mut unproven = passed.clone();
    unproven.status = RunStatus::Inconclusive;
    let mut blocked = passed.clone();
    blocked.status = RunStatus::Blocked;
    let redactor = Redactor::new(RedactorConfig {
        secrets: vec![Secret::new("tulip77")],
        ..RedactorConfig::default()
    })
    .unwrap();
    let attempt =
        |report: &RunReport| Attempt::of(report, "001-shop/report.json".into(), &redactor);
    let all = [
        vec![attempt(&passed)],
        vec![attempt(&failed), attempt(&failed)],
        vec![attempt(&unproven)],
        vec![attempt(&blocked)],
        vec![],
        vec![attempt(&failed), attempt(&passed)],
    ];
    let name = "says it \u{1b}[1m\u{0}& <more>";
    let scenarios = (1..)
        .zip(all)
        .map(|(position, attempts)| Case::new(position, "shop.json", name, attempts));
    let suite = Suite::new(None, scenarios.collect());
    let xml = junit(&suite, &redactor).unwrap();
    assert!(!xml.contains("tulip77"), "{xml}");

    let read = junit_parser::from_reader(xml.as_bytes()).unwrap();
    assert_eq!((read.tests, read.failures, read.errors), (6, 1, 4), "{xml}");
    let kinds: Vec<&str> = read.suites[0]
        .cases
        .iter()
        .map(|case| match &case.status {
            junit_parser::TestStatus::Success => "success",
            junit_parser::TestStatus::Failure(failure) => &failure.failure_type,
            junit_parser::TestStatus::Error(error) => &error.error_type,
            junit_parser::TestStatus::Skipped(_) => "skipped",
        })
        .collect();
    let expected = [
        "success",
        "refuted",
        "inconclusive",
        "blocked",
        "not-run",
        "flaky",
    ];
    assert_eq!(kinds, expected, "{xml}");
    assert_eq!(xml.matches("<rerunFailure").count(), 1, "{xml}");
    assert!((read.suites[0].cases[0].time - 2.5).abs() < 0.001, "{xml}");
}
