//! Codes in the words of people. Codes themselves are never translated.

use qa_core::{Clock, Ended, Notice, Settle, Status, StepResult};

use super::text::counted;
use crate::Session;

/// A shape and a word for the verdict.
pub(super) fn status(session: &Session) -> (&'static str, &'static str) {
    match session.meta.status {
        Status::Passed => ("✓", "Passed"),
        Status::Failed => ("✕", "Failed"),
        Status::Aborted => ("▲", "Not proven"),
        Status::Running if session.live => ("●", "Still running"),
        Status::Running => ("◌", "Not finished"),
    }
}

/// The verdict in one sentence.
pub(super) fn verdict(session: &Session) -> String {
    let outcome = session.outcome();
    let crashes = outcome.crashes.len() as u64;
    let steps = counted(u64::from(outcome.steps), "step", "steps");
    let pages = counted(outcome.pages as u64, "page", "pages");
    let found = match crashes {
        0 => "no crash was seen".to_owned(),
        _ => format!("{} seen", counted(crashes, "crash was", "crashes were")),
    };
    match session.meta.status {
        Status::Running => {
            format!(
                "The end of this run was not stored. Until then: {steps}, {pages}, and {found}."
            )
        }
        Status::Aborted => {
            format!("This run proves nothing: it was given up after {steps}. Until then {found}.")
        }
        Status::Failed if crashes == 0 => {
            format!("In {steps} on {pages} {found}, but evidence may have been lost.")
        }
        _ => format!("In {steps} on {pages} {found}."),
    }
}

/// What ended the exploration.
pub(super) fn ended(session: &Session) -> &'static str {
    if !session.is_finished() {
        return if session.live {
            "still running"
        } else {
            "ended from outside"
        };
    }
    match session.outcome().ended {
        Ended::Exhausted => "nothing unseen was left within reach",
        Ended::MaxSteps => "the limit of steps was reached",
        Ended::Duration => "the limit of time was reached",
        Ended::Aborted => "given up",
        Ended::Interrupted => "interrupted",
    }
}

/// A shape and a word for the end of a step.
pub(super) fn result(result: StepResult) -> (&'static str, &'static str) {
    match result {
        StepResult::Ok => ("✓", "ok"),
        StepResult::Fail => ("✕", "failed"),
        StepResult::Skip => ("–", "left out"),
    }
}

/// How a view came to rest.
pub(super) fn settle(settle: Settle) -> &'static str {
    match settle {
        Settle::Changed => "changed",
        Settle::Unchanged => "unchanged",
        Settle::Unsettled => "never at rest",
    }
}

pub(super) fn clock(clock: Clock) -> &'static str {
    match clock {
        Clock::Real => "real",
        Clock::Virtual => "virtual",
    }
}

/// What happened beside a view.
pub(super) fn notice(notice: &Notice) -> String {
    match notice {
        Notice::Dialog {
            kind,
            message,
            accepted,
        } => {
            let answer = if *accepted { "accepted" } else { "dismissed" };
            format!("{kind} “{message}” was {answer}")
        }
        Notice::Popup { url, inside } => {
            let side = if *inside { "inside" } else { "outside" };
            format!("a window to {url} ({side} the app) was closed")
        }
        Notice::Download { url, name } => format!("the download of “{name}” from {url} was denied"),
        Notice::FileChooser { answered: true } => "a file chooser was answered".to_owned(),
        Notice::FileChooser { answered: false } => "a file chooser was cancelled".to_owned(),
        Notice::Blocked { host, count: 1 } => format!("a request to {host} was blocked"),
        Notice::Blocked { host, count } => format!("{count} requests to {host} were blocked"),
        Notice::Closed => "the app closed its window".to_owned(),
        Notice::ClockFallback { reason } => format!("the virtual clock was left: {reason}"),
        other => format!("{other:?}"),
    }
}
