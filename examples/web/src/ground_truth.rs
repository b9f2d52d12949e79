//! What is wrong with the shop, for whoever measures an explorer.

use serde::{Deserialize, Serialize};

/// One fault planted in the shop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedFault {
    /// A name for the fault, unique in the list.
    pub id: String,
    /// What a browser shows of it.
    pub kind: FaultKind,
    /// Whether it fails a run or is only reported.
    pub severity: Severity,
    /// The path of the page where it shows.
    pub r#where: String,
    /// One sentence for people.
    pub how: String,
    /// The action that brings it about.
    pub cause: Cause,
    /// Other actions that bring about the same, such as Enter where the cause is the form's button.
    pub also: Vec<Cause>,
    /// Part of the fault's message or of the failed address; empty where the browser gives neither.
    pub message_contains: String,
    /// The fewest actions that lead to it from the start page, the last one included. Going to an
    /// address by hand is none.
    pub shortest: usize,
    /// The code with which a replay refuses a step on that way; absent where it may go all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What stands between the start page and the cause, for example `login`; empty if a few taps lead there.
    pub behind: Vec<String>,
}

impl PlantedFault {
    /// Whether evidence of a kind, with everything that is known of it as text, is of this fault.
    #[must_use]
    pub fn is_shown_by(&self, kind: &str, text: &str) -> bool {
        self.kind.as_str() == kind && text.contains(&self.message_contains)
    }
}

/// The kinds of faults and findings that the shop has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// An uncaught exception, rejected promise or worker error.
    JsException,
    /// The page's process ended.
    RendererCrash,
    /// The page does not answer.
    Hang,
    /// A document, fetch or `XMLHttpRequest` answered 500 or above.
    #[serde(rename = "http-5xx")]
    Http5xx,
    /// Nothing visible is left.
    BlankPage,
    /// A request answered 400 to 499.
    #[serde(rename = "http-4xx")]
    Http4xx,
    /// A request got no answer.
    RequestFailed,
    /// `console.error` was called.
    ConsoleError,
    /// The document's content security policy stopped something.
    CspViolation,
    /// An image that cannot be decoded.
    BrokenImage,
}

impl FaultKind {
    /// The word that `faults.json` and a browser's reports use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsException => "js-exception",
            Self::RendererCrash => "renderer-crash",
            Self::Hang => "hang",
            Self::Http5xx => "http-5xx",
            Self::BlankPage => "blank-page",
            Self::Http4xx => "http-4xx",
            Self::RequestFailed => "request-failed",
            Self::ConsoleError => "console-error",
            Self::CspViolation => "csp-violation",
            Self::BrokenImage => "broken-image",
        }
    }
}

/// Whether a planted fault fails a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It fails a run.
    Crash,
    /// It is only reported.
    Finding,
}

/// The action that brings a fault about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// What is done.
    pub action: CauseAction,
    /// The element's key: `testid:…`, `id:…` or `role:<role>|<name>`. For [`CauseAction::Navigate`] the link that leads there.
    pub element: String,
}

/// What an explorer does to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseAction {
    /// Pressing it.
    Tap,
    /// Pressing Enter while it has the focus.
    PressEnter,
    /// Arriving at the page, however.
    Navigate,
    /// Typing into it.
    Fill,
}

/// The shop's planted faults, in the order of `shop/faults.json`.
///
/// # Panics
///
/// Never: the list is part of this crate, and a test reads it.
#[must_use]
pub fn ground_truth() -> Vec<PlantedFault> {
    #[expect(clippy::expect_used, reason = "an embedded file that a test reads")]
    serde_json::from_str(include_str!("../shop/faults.json")).expect("faults.json is valid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_is_planted_and_ids_and_messages_differ() {
        let faults = ground_truth();
        let kinds: BTreeSet<_> = faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds.len(), 10, "{kinds:?}");
        let ids: BTreeSet<_> = faults.iter().map(|fault| &fault.id).collect();
        assert_eq!(ids.len(), faults.len());
        let messages: Vec<_> = faults
            .iter()
            .map(|fault| &fault.message_contains)
            .filter(|text| !text.is_empty())
            .collect();
        assert_eq!(
            messages.iter().collect::<BTreeSet<_>>().len(),
            messages.len()
        );
    }

    #[test]
    fn messages_stand_in_the_script_that_plants_them() {
        let script = include_str!("../shop/assets/plant-on.js");
        for fault in ground_truth()
            .iter()
            .filter(|fault| fault.message_contains.starts_with("planted"))
        {
            assert!(script.contains(&fault.message_contains), "{}", fault.id);
        }
    }
}
