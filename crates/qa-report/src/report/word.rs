//! The English words of `report.html`.

use qa_core::{Clock, Notice, Settle, StepResult};

use super::phrase;
use crate::Language;

pub(super) use super::phrase::{ended, status, verdict};

pub(super) fn result(result: StepResult) -> (&'static str, &'static str) {
    phrase::result(Language::EnUs, result)
}

pub(super) fn settle(settle: Settle) -> &'static str {
    phrase::settle(Language::EnUs, settle)
}

pub(super) fn clock(clock: Clock) -> &'static str {
    match clock {
        Clock::Real => "real",
        Clock::Virtual => "virtual",
    }
}

pub(super) fn notice(notice: &Notice) -> String {
    phrase::notice(Language::EnUs, notice)
}
