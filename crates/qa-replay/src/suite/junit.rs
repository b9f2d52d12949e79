//! Several scenarios as JUnit XML, for what shows tests in CI.

use std::time::Duration;

use qa_redact::{RedactionError, Redactor};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};

use super::{Attempt, Case, CaseStatus, Suite};

/// Name of the report and of its only suite.
const NAME: &str = "qa replay";

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
/// JUnit knows passed and failed only: what was refuted is a `<failure>`, what proves nothing an
/// `<error>` whose type says why: `inconclusive`, `flaky`, `blocked` or `not-run` (D-07). The other
/// attempts are its reruns.
pub fn junit(suite: &Suite, redactor: &Redactor) -> Result<String, JunitError> {
    let mut tests = TestSuite::new(NAME);
    let mut total = Duration::ZERO;
    for case in &suite.scenarios {
        let name = redactor.text(&case.name)?.into_string();
        let mut test = TestCase::new(name, status(case, redactor)?);
        test.set_classname(redactor.text(&case.file)?.into_string());
        let took: Duration = case.attempts.iter().filter_map(Attempt::duration).sum();
        if !case.attempts.is_empty() {
            total += took;
            test.set_time(took);
        }
        tests.add_test_case(test);
    }
    for shard in suite.missing_shards() {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("not-run");
        status.set_message("the results of this shard are missing");
        tests.add_test_case(TestCase::new(format!("shard {shard}"), status));
    }
    tests.set_time(total);
    let mut report = Report::new(NAME);
    report.add_test_suite(tests);
    Ok(report.to_string()?)
}

fn status(case: &Case, redactor: &Redactor) -> Result<TestCaseStatus, JunitError> {
    let kind = match case.status {
        CaseStatus::Pass => return Ok(TestCaseStatus::success()),
        CaseStatus::Fail => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    // The attempt that says most: the first one that did not pass.
    let told = case.attempts.iter().position(|it| it.details.is_some());
    let Some(told) = told else {
        status.set_type(case.status.as_str());
        status.set_message("the run ended before this scenario");
        return Ok(status);
    };
    let attempt = &case.attempts[told];
    let reason = attempt.reason.as_deref();
    status.set_type(match kind {
        NonSuccessKind::Failure => reason.unwrap_or("refuted"),
        NonSuccessKind::Error => case.status.as_str(),
    });
    let message = match case.status {
        CaseStatus::Flaky => format!("passed in some attempts only; else {}", words(attempt)),
        _ => words(attempt),
    };
    status.set_message(redactor.text(&message)?.into_string());
    let details = attempt.details.as_deref().unwrap_or_default();
    status.set_description(redactor.text(details)?.into_string());
    for (index, other) in case.attempts.iter().enumerate() {
        if index != told && other.details.is_some() {
            status.add_rerun(rerun(other, redactor)?);
        }
    }
    Ok(status)
}

fn words(attempt: &Attempt) -> String {
    let reason = attempt.reason.as_deref();
    match &attempt.message {
        Some(message) => message.clone(),
        None => reason.unwrap_or(attempt.status.as_str()).to_owned(),
    }
}

fn rerun(attempt: &Attempt, redactor: &Redactor) -> Result<TestRerun, JunitError> {
    let mut rerun = TestRerun::new(match attempt.status {
        crate::RunStatus::Fail => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    });
    rerun.set_type(attempt.reason.as_deref().unwrap_or(attempt.status.as_str()));
    rerun.set_message(redactor.text(&words(attempt))?.into_string());
    let details = attempt.details.as_deref().unwrap_or_default();
    rerun.set_description(redactor.text(details)?.into_string());
    if let Some(took) = attempt.duration() {
        rerun.set_time(took);
    }
    Ok(rerun)
}
