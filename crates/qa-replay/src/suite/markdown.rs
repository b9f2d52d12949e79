//! Several scenarios for people.

use std::fmt::Write as _;

use qa_redact::Redactor;

use super::{Case, Suite};
use crate::run::safe_inline;

/// A summary, what did not pass, and all scenarios; each text is redacted before it is made
/// Markdown.
#[must_use]
pub fn suite_markdown(suite: &Suite, redactor: &Redactor) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_suite(&mut out, suite, redactor);
    out
}

fn write_suite(out: &mut String, suite: &Suite, redactor: &Redactor) -> std::fmt::Result {
    writeln!(out, "# Replay: {}\n", suite.status().as_str())?;
    for (status, count) in suite.counts() {
        writeln!(out, "- {}: {count}", status.as_str())?;
    }
    if let Some(first) = suite.shards.first() {
        let shards: Vec<String> = suite.shards.iter().map(|it| it.index.to_string()).collect();
        writeln!(out, "- shards: {} of {}", shards.join(", "), first.of)?;
    }
    let missing = suite.missing_shards();
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(u32::to_string).collect();
        writeln!(out, "- **missing shards: {}**", missing.join(", "))?;
    }
    writeln!(
        out,
        "\nA pass says that the listed claims held on fresh views; it does not say that the app is \
         right. What passed in some attempts only is flaky, not passed.\n"
    )?;
    writeln!(out, "| | scenario | file | attempts | reason | report |")?;
    writeln!(out, "| --- | --- | --- | --- | --- | --- |")?;
    for case in &suite.scenarios {
        write_case(out, case, redactor)?;
    }
    Ok(())
}

fn write_case(out: &mut String, case: &Case, redactor: &Redactor) -> std::fmt::Result {
    let attempts: Vec<&str> = case.attempts.iter().map(|it| it.status.as_str()).collect();
    let failed = case.attempts.iter().find(|it| it.reason.is_some());
    let failed = failed.or(case.attempts.last());
    let step = |index| format!(" in step {index}");
    let why = failed.map_or_else(String::new, |attempt| {
        let reason = attempt.reason.as_deref().unwrap_or_default();
        let step = attempt.step_index.map_or_else(String::new, step);
        let message = attempt.message.as_deref().unwrap_or_default();
        format!("{reason}{step} {message}")
    });
    let report = failed.map_or("", |attempt| attempt.report.as_str());
    let cell = |text: &str| safe_inline(text.trim(), redactor).replace('|', "\\|");
    writeln!(
        out,
        "| {} | {} | {} | {} | {} | {} |",
        case.status.as_str(),
        cell(&case.name),
        cell(&case.file),
        attempts.join(", "),
        cell(&why),
        cell(report),
    )
}
