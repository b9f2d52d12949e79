//! The list of steps.

use qa_core::{Settle, StepResult};

use super::super::phrase;
use super::super::picture::Size;
use super::super::text::short;
use super::limit::{LINE, LINKS, TEXT};
use super::view::{Shot, View, is_crash};
use crate::StoredStep;

/// A step in the list.
pub(super) struct Row<'a> {
    pub(super) index: u32,
    pub(super) action: String,
    /// All of it, where the line has no room.
    pub(super) whole_action: Option<String>,
    pub(super) result: (&'static str, &'static str),
    pub(super) class: &'static str,
    pub(super) code: Option<&'a str>,
    pub(super) on_the_way: bool,
    pub(super) from: Option<usize>,
    pub(super) to: Option<usize>,
    pub(super) before: Option<Shot>,
    pub(super) after: Option<Shot>,
    pub(super) observation: Option<String>,
    pub(super) url: Option<String>,
    pub(super) settle: Option<Rest>,
    pub(super) notices: Vec<String>,
    pub(super) more_notices: usize,
    pub(super) receipt: Option<String>,
    pub(super) marks: Vec<Mark<'a>>,
    pub(super) more_marks: usize,
    pub(super) has_crash: bool,
    pub(super) has_finding: bool,
    pub(super) incomplete: bool,
    pub(super) time: String,
    pub(super) redacted: bool,
}

/// How the view came to rest.
pub(super) struct Rest {
    pub(super) word: &'static str,
    pub(super) text: String,
    pub(super) never: bool,
}

/// A crash or finding that a step caused.
pub(super) struct Mark<'a> {
    pub(super) id: &'a str,
    pub(super) kind: &'static str,
    pub(super) label: String,
    pub(super) anchor: Option<&'a str>,
    pub(super) is_crash: bool,
}

/// The ends that a step can have.
pub(super) const RESULTS: [StepResult; 3] = [StepResult::Ok, StepResult::Fail, StepResult::Skip];

/// What a step with this end is called in the document.
pub(super) fn class(result: StepResult) -> &'static str {
    match result {
        StepResult::Ok => "ok",
        StepResult::Fail => "fail",
        StepResult::Skip => "skip",
    }
}

pub(super) fn rows<'a>(view: &'a View<'a>) -> Vec<Row<'a>> {
    let steps = view.listed.iter();
    steps
        .filter_map(|at| view.session.steps.get(*at))
        .map(|step| row(view, step))
        .collect()
}

fn row<'a>(view: &'a View<'a>, step: &'a StoredStep) -> Row<'a> {
    let record = &step.record;
    let notes = &record.notes;
    let long = |text: &String| short(text, TEXT);
    let whole_action = view.words.action(&record.action);
    let action = short(&whole_action, LINE);
    let none = Vec::new();
    let records = view.records.get(&record.index).unwrap_or(&none);
    let mark = |record: &&'a crate::StoredCrash| Mark {
        id: &record.id,
        kind: record.kind.as_str(),
        label: short(&record.label, LINE),
        anchor: view.anchor(&record.id),
        is_crash: is_crash(&record.id),
    };
    Row {
        index: record.index,
        whole_action: (action != whole_action).then(|| short(&whole_action, TEXT)),
        action,
        result: phrase::result(view.words.language, record.result),
        class: class(record.result),
        code: notes.code.as_deref(),
        on_the_way: notes.navigation,
        from: view.number(notes.page_from.as_ref()),
        to: view.number(notes.page_to.as_ref()),
        before: view.before(step, Size::Small),
        after: view.after(step, Size::Small),
        observation: notes.observation.as_ref().map(long),
        url: notes.url.as_ref().map(long),
        settle: notes.settle.as_ref().map(|settle| Rest {
            word: phrase::settle(view.words.language, settle.outcome),
            text: view
                .words
                .settled(settle.outcome, settle.elapsed_ms, settle.passes),
            never: settle.outcome == Settle::Unsettled,
        }),
        notices: notes
            .notices
            .iter()
            .take(LINKS)
            .map(|notice| short(&phrase::notice(view.words.language, notice), LINE))
            .collect(),
        more_notices: notes.notices.len().saturating_sub(LINKS),
        receipt: receipt(view, step),
        marks: records.iter().take(LINKS).map(mark).collect(),
        more_marks: records.len().saturating_sub(LINKS),
        has_crash: records.iter().any(|record| is_crash(&record.id)),
        has_finding: records.iter().any(|record| !is_crash(&record.id)),
        incomplete: notes.incomplete.as_ref().is_some_and(|view| view.truncated),
        time: view.words.span(notes.app_ms),
        redacted: notes.screenshot_redacted,
    }
}

/// What the device said, unless it simply did as it was told.
fn receipt(view: &View<'_>, step: &StoredStep) -> Option<String> {
    let receipt = step.record.notes.receipt.as_ref()?;
    if receipt.is_ok() {
        return None;
    }
    let code = receipt.code.as_deref().unwrap_or(view.words.not_confirmed);
    let reason = short(receipt.reason.as_deref().unwrap_or(""), LINE);
    Some(format!("{code} {reason}"))
}
