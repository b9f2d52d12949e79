//! `report.md`: for pull requests, tickets and terminals.

use std::fmt::{self, Write};

use qa_core::{StepResult, UnexploredReason};

use super::group::{Group, groups};
use super::text::{block, code, counted, inline, span};
use super::word;
use crate::{Session, StoredStep};

/// So many lines of evidence stand in the report; the rest is in its file.
const STACK_LINES: usize = 30;
/// So many steps stand in the report; more are in `steps.jsonl`.
const STEPS: usize = 2_000;

/// Writes the whole report.
pub(super) fn markdown(session: &Session) -> Result<String, fmt::Error> {
    let mut out = String::new();
    head(&mut out, session)?;
    let crashes = groups(session, &session.crashes);
    let findings = groups(session, &session.findings);
    if !crashes.is_empty() {
        writeln!(out, "\n## Crashes")?;
        for group in &crashes {
            crash(&mut out, session, group)?;
        }
    }
    if !findings.is_empty() {
        writeln!(out, "\n## Findings\n")?;
        for group in &findings {
            let steps: Vec<_> = group
                .records
                .iter()
                .take(5)
                .map(|r| r.step.to_string())
                .collect();
            let more = if group.records.len() > 5 { ", …" } else { "" };
            let times = counted(group.count, "time", "times");
            writeln!(
                out,
                "- **{}** {} ({times}, after step {}{more})",
                group.kind,
                inline(group.label),
                steps.join(", "),
            )?;
        }
    }
    unexplored(&mut out, session)?;
    writeln!(out, "\n## Steps\n")?;
    for stored in session.steps.iter().take(STEPS) {
        step(&mut out, stored)?;
    }
    if session.steps.len() > STEPS {
        writeln!(
            out,
            "\nThe other {} steps are in `steps.jsonl`.",
            session.steps.len() - STEPS
        )?;
    }
    Ok(out)
}

fn head(out: &mut String, session: &Session) -> fmt::Result {
    let meta = &session.meta;
    let outcome = session.outcome();
    let (icon, status) = word::status(session);
    writeln!(out, "# {icon} {status}: {}\n", inline(&meta.name))?;
    let failed = session
        .steps
        .iter()
        .filter(|s| s.record.result == StepResult::Fail)
        .count();
    let ok = session
        .steps
        .iter()
        .filter(|s| s.record.result == StepResult::Ok)
        .count();
    let setup = &meta.extra;
    let rows = [
        ("Session", code(&meta.id)),
        ("App", inline(&setup.driver.target)),
        ("Status", format!("{status} ({})", word::ended(session))),
        ("Started", inline(&meta.started_at)),
        (
            "Ended",
            meta.ended_at.as_deref().map_or("–".to_owned(), inline),
        ),
        (
            "Duration",
            format!(
                "{} (app time {})",
                span(outcome.duration_ms),
                span(outcome.app_ms)
            ),
        ),
        (
            "Steps",
            format!(
                "{} of {} ({ok} ok, {failed} fail)",
                outcome.steps, outcome.max_steps
            ),
        ),
        ("Crashes", outcome.crashes.len().to_string()),
        (
            "Findings",
            outcome.findings.values().sum::<u64>().to_string(),
        ),
        (
            "Pages",
            format!(
                "{}, joined by {}",
                outcome.pages,
                counted(outcome.edges as u64, "way", "ways")
            ),
        ),
        (
            "Device",
            format!(
                "{}, {} clock",
                inline(&setup.driver.device),
                word::clock(setup.driver.clock)
            ),
        ),
        ("Seed", setup.config.seed.to_string()),
    ];
    writeln!(out, "| | |\n| --- | --- |")?;
    for (name, value) in rows {
        writeln!(out, "| {name} | {value} |")?;
    }
    writeln!(out, "\n## Summary\n\n{}", inline(&word::verdict(session)))?;
    let warnings = outcome.warnings.iter().chain(&session.warnings);
    let mut reasons = outcome.reasons.iter().chain(warnings).peekable();
    if reasons.peek().is_some() || !setup.driver.remarks.is_empty() {
        writeln!(out)?;
    }
    for reason in reasons {
        writeln!(out, "- {}: {}", code(&reason.code), inline(&reason.text))?;
    }
    for remark in &setup.driver.remarks {
        writeln!(out, "- {}", inline(remark))?;
    }
    Ok(())
}

fn crash(out: &mut String, session: &Session, group: &Group<'_>) -> fmt::Result {
    let ids: Vec<_> = group.records.iter().map(|record| record.id).collect();
    writeln!(
        out,
        "\n### {} {}: {}\n",
        ids.join(", "),
        group.kind,
        inline(group.label)
    )?;
    writeln!(out, "- Signature: {}", code(&group.signature.0))?;
    if let Some(place) = group.place {
        writeln!(out, "- Where: {}", inline(place))?;
    }
    for record in &group.records {
        writeln!(
            out,
            "- {}: after step {}, {}, {}, [evidence](crashes/{})",
            record.id,
            record.step,
            counted(record.count, "time", "times"),
            inline(record.ts),
            record.stack_path,
        )?;
    }
    writeln!(out, "\nTo see it again:\n")?;
    for (number, index) in group.repro_path.iter().enumerate() {
        let step = session.steps.get(*index as usize - 1);
        let action = step.map_or("(lost)".to_owned(), |step| inline(&step.record.action));
        writeln!(out, "{}. {action} (step {index})", number + 1)?;
    }
    let lines: Vec<&str> = group.stack.lines().collect();
    if lines.is_empty() {
        return Ok(());
    }
    let shown = &lines[..lines.len().min(STACK_LINES)];
    write!(out, "\n{}", block(&shown.join("\n")))?;
    if lines.len() > STACK_LINES {
        writeln!(
            out,
            "\n{} more lines are in the file.",
            lines.len() - STACK_LINES
        )?;
    }
    Ok(())
}

fn unexplored(out: &mut String, session: &Session) -> fmt::Result {
    let outcome = session.outcome();
    writeln!(out, "\n## Not explored\n")?;
    let before = out.len();
    for page in &outcome.unexplored {
        let name = page
            .summary
            .as_deref()
            .map_or("page without a name".to_owned(), inline);
        let keys = counted(page.open_keys.len() as u64, "element", "elements");
        writeln!(
            out,
            "- {name} ({}): {keys} never tried, {}",
            code(&page.page.0),
            reason(page.reason)
        )?;
    }
    for (rule, refused) in &outcome.refused {
        let examples: Vec<_> = refused
            .examples
            .iter()
            .map(|example| inline(example))
            .collect();
        let elements = counted(refused.count, "element", "elements");
        writeln!(
            out,
            "- {elements} refused by {}: {}",
            code(rule),
            examples.join(", ")
        )?;
    }
    for place in &outcome.foreign {
        writeln!(out, "- outside the app: {}", inline(place))?;
    }
    for blocked in &outcome.blocked {
        let requests = counted(blocked.requests, "request", "requests");
        writeln!(out, "- {requests} to {} blocked", inline(&blocked.host))?;
    }
    if !outcome.unsettled_steps.is_empty() {
        let steps: Vec<_> = outcome.unsettled_steps.iter().map(u32::to_string).collect();
        writeln!(out, "- never came to rest after step {}", steps.join(", "))?;
    }
    if outcome.duplicates > 0 {
        let elements = counted(outcome.duplicates, "element", "elements");
        writeln!(
            out,
            "- {elements} with the key of another one on the same page"
        )?;
    }
    if out.len() == before {
        let text = if session.is_finished() {
            "Nothing that is known of was left."
        } else {
            "Not known: the end of the run was not stored."
        };
        writeln!(out, "{text}")?;
    }
    Ok(())
}

fn step(out: &mut String, stored: &StoredStep) -> fmt::Result {
    let record = &stored.record;
    let icon = word::result(record.result).0;
    write!(out, "{}. {icon} {}", record.index, inline(&record.action))?;
    let notes = &record.notes;
    let mut facts = Vec::new();
    if let Some(code_) = &notes.code {
        facts.push(code(code_));
    }
    if let Some(settle) = &notes.settle {
        facts.push(word::settle(settle.outcome).to_owned());
    }
    for notice in &notes.notices {
        facts.push(inline(&word::notice(notice)));
    }
    for (name, text) in [
        (&stored.screenshot, "before"),
        (&stored.screenshot_after, "after"),
    ] {
        if let Some(name) = name {
            facts.push(format!("[{text}](steps/{name})"));
        }
    }
    if facts.is_empty() {
        writeln!(out)
    } else {
        writeln!(out, " — {}", facts.join(", "))
    }
}

/// Why a page was left, as the end of a sentence.
pub(super) fn reason(reason: UnexploredReason) -> &'static str {
    match reason {
        UnexploredReason::Budget => "the limit of steps or time came first",
        UnexploredReason::Unreachable => "no recorded way leads there",
        UnexploredReason::Dropped => "the way there did not work",
        UnexploredReason::VisualOnly => "it is known from pictures only",
    }
}
