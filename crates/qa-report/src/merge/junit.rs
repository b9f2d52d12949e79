//! JUnit XML, for what shows tests in CI.

use std::time::Duration;

use qa_core::{Reason, Status};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Defect, Merge};
use crate::report::text::{neutral, short};
use crate::report::{RenderError, phrase};
use crate::{Language, Session, action_text, reason_text};

/// Name of the case that stands for the exploration itself.
const EXPLORATION: &str = "exploration";
/// Type of an error that stands for what proves nothing.
const INCONCLUSIVE: &str = "inconclusive";
/// Characters of evidence in a case.
const STACK_CHARS: usize = 16 << 10;

impl Merge {
    /// All that was merged as JUnit XML: a suite for each session, a case for its exploration, and
    /// one for each crash in the suite of the session that met it first.
    ///
    /// JUnit knows passed and failed only: what proves nothing is an `<error type="inconclusive">`
    /// (D-07), a crash or lost evidence a `<failure>`.
    pub fn to_junit(&self) -> Result<String, RenderError> {
        let language = self.language();
        let crashes = self.crashes();
        let mut report = Report::new("qa");
        for run in &self.runs {
            for (session, number) in run.attempts.iter().zip(1..) {
                let name = match run.attempts.len() {
                    1 => session.meta.name.clone(),
                    all => format!("{} ({number}/{all})", session.meta.name),
                };
                report.add_test_suite(suite(language, session, &name, &crashes));
            }
        }
        report.to_string().map_err(|error| RenderError::Make {
            name: "report.xml",
            reason: error.to_string(),
        })
    }
}

fn suite(language: Language, session: &Session, name: &str, crashes: &[Defect<'_>]) -> TestSuite {
    let outcome = session.outcome();
    let setup = &session.meta.extra;
    let mut suite = TestSuite::new(neutral(name));
    let time = Duration::from_millis(outcome.duration_ms);
    suite.set_time(time);
    if let Ok(start) = chrono::DateTime::parse_from_rfc3339(&session.meta.started_at) {
        suite.set_timestamp(start);
    }
    for (name, value) in [
        ("session", session.meta.id.clone()),
        ("target", setup.driver.target.clone()),
        ("device", setup.driver.device.clone()),
        ("seed", setup.config.seed.to_string()),
        ("steps", outcome.steps.to_string()),
        ("pages", outcome.pages.to_string()),
        ("version", setup.version.clone()),
    ] {
        suite.add_property(Property::new(name, neutral(&value)));
    }
    let classname = neutral(&session.meta.name);
    let mut exploration = TestCase::new(EXPLORATION, verdict(language, session));
    exploration.set_classname(classname.clone());
    exploration.set_time(time);
    suite.add_test_case(exploration);

    let mut names: Vec<String> = Vec::new();
    for crash in crashes {
        let first = crash
            .sightings
            .iter()
            .find(|at| at.session == session.meta.id);
        let Some(first) = first.filter(|_| crash.sightings[0].session == session.meta.id) else {
            continue;
        };
        let mut name = neutral(&format!("{}: {}", crash.kind, crash.label)).replace('\n', " ");
        if names.contains(&name) {
            name = format!("{name} [{}]", first.id);
        }
        names.push(name.clone());
        let mut case = TestCase::new(name, failure(language, crash));
        case.set_classname(classname.clone());
        suite.add_test_case(case);
    }
    suite
}

/// Whether the exploration did what it should; its crashes are cases of their own.
fn verdict(language: Language, session: &Session) -> TestCaseStatus {
    let outcome = session.outcome();
    let reasons: Vec<&Reason> = outcome
        .reasons
        .iter()
        .filter(|reason| reason.code != "CRASHES")
        .collect();
    let (kind, what) = match outcome.status {
        Status::Passed => return TestCaseStatus::success(),
        Status::Failed if reasons.is_empty() && !outcome.crashes.is_empty() => {
            return TestCaseStatus::success();
        }
        Status::Failed => match reasons.iter().find(|reason| fails(&reason.code)) {
            Some(reason) => (NonSuccessKind::Failure, reason.code.as_str()),
            None => (NonSuccessKind::Error, INCONCLUSIVE),
        },
        Status::Aborted | Status::Running => (NonSuccessKind::Error, INCONCLUSIVE),
    };
    let lines: Vec<String> = reasons
        .iter()
        .map(|reason| format!("{}: {}", reason.code, reason_text(language, reason)))
        .collect();
    let mut status = TestCaseStatus::non_success(kind);
    let message = match lines.first() {
        Some(first) => first.clone(),
        None => phrase::verdict(session),
    };
    status.set_type(neutral(what));
    status.set_message(neutral(&message));
    status.set_description(neutral(&lines.join("\n")));
    status
}

/// Whether a reason makes a run fail by itself; others say that it ended before it should.
fn fails(code: &str) -> bool {
    matches!(
        code,
        "CAPTURE_FAILED"
            | "CRASH_ARCHIVE_FAILED"
            | "CRASH_QUERY_FAILED"
            | "LAUNCH_CRASHED"
            | "RELAUNCH_CRASHED"
    )
}

fn failure(language: Language, crash: &Defect<'_>) -> TestCaseStatus {
    let mut text = format!("{}\n", crash.signature);
    for sighting in &crash.sightings {
        text += &language.pick(
            format!(
                "{} {}: after step {}\n",
                sighting.session, sighting.id, sighting.step
            ),
            format!(
                "{} {}：第 {} 步之后\n",
                sighting.session, sighting.id, sighting.step
            ),
        );
    }
    text += language.pick("\nTo see it again:\n", "\n重现步骤：\n");
    for ((_, action), number) in crash.actions().zip(1..) {
        let action = action_text(language, action.unwrap_or("(lost)"));
        text += &format!("{number}. {action}\n");
    }
    text += &format!("\n{}", short(crash.stack, STACK_CHARS));
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(crash.kind.as_str());
    status.set_message(neutral(crash.label));
    status.set_description(neutral(&text));
    status
}
