//! The report of a run for people.

use std::fmt::Write as _;

use qa_core::{Clock, Verdict};
use qa_redact::Redactor;

use super::report::{ArtifactKind, RunReport, RunStatus, StepResult};
use super::{advisory, evidence};

/// `report.md`. Each text in it is redacted before it is made Markdown: a secret with signs before
/// its letters would not be known for one any more.
#[must_use]
pub fn markdown(report: &RunReport, redactor: &Redactor) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_report(&mut out, report, &|text| safe_inline(text, redactor));
    out
}

/// A text of an app as Markdown that says no secret.
pub(crate) fn safe_inline(text: &str, redactor: &Redactor) -> String {
    redactor
        .text(text)
        .map_or_else(|_| "withheld".to_owned(), |safe| inline(safe.as_str()))
}

/// Makes Markdown of a text of an app.
pub(super) type Inline<'a> = &'a dyn Fn(&str) -> String;

fn write_report(out: &mut String, report: &RunReport, inline: Inline<'_>) -> std::fmt::Result {
    writeln!(
        out,
        "# {}: {}\n",
        inline(&report.scenario),
        report.status.as_str()
    )?;
    writeln!(out, "- started: {}", report.started_at)?;
    writeln!(out, "- finished: {}", report.finished_at)?;
    let clock = match report.clock {
        Clock::Real => "wall time",
        Clock::Virtual => "virtual time",
    };
    writeln!(out, "- clock: {clock}")?;
    let receipts = &report.receipt_summary;
    writeln!(
        out,
        "- receipts: {} confirmed, {} unknown, {} rejected, {} failed",
        receipts.confirmed, receipts.unknown, receipts.rejected, receipts.failed
    )?;
    if let Some(warning) = receipts.warning {
        writeln!(out, "- warning: {warning}")?;
    }
    writeln!(
        out,
        "\nA pass says that the listed claims held on fresh views; it does not say that the app is \
         right."
    )?;
    if let Some(failure) = &report.failure {
        let step = failure
            .step_index
            .map_or_else(String::new, |index| format!(" in step {index}"));
        let code = failure.code.as_deref().unwrap_or("refuted");
        writeln!(
            out,
            "\n## What went wrong\n\n`{code}`{step}: {}",
            inline(&failure.message)
        )?;
    }
    for artifact in &report.artifacts {
        let ArtifactKind::Screenshot = artifact.kind;
        writeln!(
            out,
            "\n![the screen at the end]({})\n\nSecrets that are known are painted over; the picture \
             may still show what is private.",
            artifact.path
        )?;
    }
    let seen = [("Crashes", &report.crashes), ("Findings", &report.findings)];
    for (title, seen) in seen.into_iter().filter(|(_, seen)| !seen.is_empty()) {
        writeln!(out, "\n## {title}\n")?;
        for crash in seen {
            writeln!(
                out,
                "- {} after step {}: {}",
                crash.kind,
                crash.step_index,
                inline(&crash.label)
            )?;
        }
    }
    if !report.notices.is_empty() {
        writeln!(out, "\n## Beside the views\n")?;
        for noticed in &report.notices {
            let what = inline(&noticed.what.to_string());
            writeln!(out, "- after step {}: {what}", noticed.step_index)?;
        }
    }
    if report.status != RunStatus::Pass {
        evidence::write(out, report.evidence.as_ref(), inline)?;
    }
    if let Some(reason) = &report.stop_failed {
        writeln!(out, "\nNot stopped as asked: {}", inline(reason))?;
    }
    writeln!(out, "\n## Steps\n")?;
    for step in &report.steps {
        write_step(out, step, inline)?;
    }
    for index in &report.not_run {
        writeln!(out, "- – {index}. not run")?;
    }
    if !report.assertions.is_empty() {
        writeln!(out, "\n## At the end\n")?;
        for claim in &report.assertions {
            let mark = mark(claim.status);
            let code = claim.reason.as_deref();
            let code = code.map_or_else(String::new, |code| format!("`{code}`: "));
            writeln!(out, "- {mark} {code}{}", inline(&claim.message))?;
            if let Some(seen) = &claim.completeness {
                writeln!(out, "  view completeness: {}", inline(&seen.detail))?;
            }
        }
    }
    advisory::write(out, &report.advisory, inline)
}

fn write_step(out: &mut String, step: &StepResult, inline: Inline<'_>) -> std::fmt::Result {
    writeln!(
        out,
        "- {} {}. {}",
        mark(step.status),
        step.index,
        inline(&step.intent)
    )?;
    if step.status != Verdict::Pass {
        let plain = match step.status {
            Verdict::Fail => "refuted",
            _ => "inconclusive",
        };
        let reason = step.reason.as_deref().unwrap_or(plain);
        let message = step.message.as_deref().unwrap_or_default();
        writeln!(out, "  `{reason}`: {}", inline(message))?;
    }
    if let Some(seen) = &step.completeness {
        writeln!(out, "  view completeness: {}", inline(&seen.detail))?;
    }
    Ok(())
}

fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "✓",
        Verdict::Fail => "✕",
        Verdict::Inconclusive => "▲",
    }
}

/// A text on one line that Markdown leaves alone (RED-079).
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push('\u{23ce}'),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '[' | ']' | '*' | '_' | '`' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
