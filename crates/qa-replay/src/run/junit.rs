//! Runs of several scenarios as JUnit XML, for what shows tests in CI.

use std::time::Duration;

use jiff::Timestamp;
use qa_redact::{RedactionError, Redactor};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::markdown::markdown;
use super::report::{RunReport, RunStatus};

/// Name of the report and of its only suite.
const NAME: &str = "qa replay";

/// One scenario of several.
#[derive(Debug, Clone, Copy)]
pub struct JunitCase<'r> {
    /// Its file.
    pub file: &'r str,
    /// Its name.
    pub name: &'r str,
    /// What its run found; none where it was not run any more.
    pub report: Option<&'r RunReport>,
}

/// Why there is no JUnit XML.
#[derive(Debug, thiserror::Error)]
pub enum JunitError {
    /// A text of it could not be made safe.
    #[error("the JUnit report is withheld: {0}")]
    Redaction(#[from] RedactionError),
    /// The XML could not be written.
    #[error("failed to write JUnit XML")]
    Xml(#[from] quick_junit::SerializeError),
}

/// One suite with a case for each scenario, redacted.
///
/// JUnit knows passed and failed only: what was refuted is a `<failure>`, what proves nothing
/// an `<error>` whose type says why: `inconclusive`, `blocked` or `not-run` (D-07).
pub fn junit(cases: &[JunitCase<'_>], redactor: &Redactor) -> Result<String, JunitError> {
    let mut suite = TestSuite::new(NAME);
    let mut total = Duration::ZERO;
    for case in cases {
        let name = redactor.text(case.name)?.into_string();
        let mut test = TestCase::new(name, status(case.report, redactor)?);
        test.set_classname(redactor.text(case.file)?.into_string());
        if let Some(time) = case.report.and_then(duration) {
            total += time;
            test.set_time(time);
        }
        suite.add_test_case(test);
    }
    suite.set_time(total);
    let mut report = Report::new(NAME);
    report.add_test_suite(suite);
    Ok(report.to_string()?)
}

fn status(report: Option<&RunReport>, redactor: &Redactor) -> Result<TestCaseStatus, JunitError> {
    let Some(report) = report else {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("not-run");
        status.set_message("the run ended before this scenario");
        return Ok(status);
    };
    let kind = match report.status {
        RunStatus::Pass => return Ok(TestCaseStatus::success()),
        RunStatus::Fail => NonSuccessKind::Failure,
        RunStatus::Inconclusive | RunStatus::Blocked => NonSuccessKind::Error,
    };
    let reason = report.reason();
    let (what, message) = match &report.failure {
        Some(failure) => (reason.unwrap_or("refuted"), failure.message.as_str()),
        None => (report.status.as_str(), reason.unwrap_or_default()),
    };
    let what = match kind {
        NonSuccessKind::Failure => what,
        NonSuccessKind::Error => report.status.as_str(),
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(what);
    status.set_message(redactor.text(message)?.into_string());
    status.set_description(redactor.text(&markdown(report))?.into_string());
    Ok(status)
}

/// How long it took, where both ends are known.
fn duration(report: &RunReport) -> Option<Duration> {
    let start: Timestamp = report.started_at.parse().ok()?;
    let end: Timestamp = report.finished_at.parse().ok()?;
    Duration::try_from(end.duration_since(start)).ok()
}
