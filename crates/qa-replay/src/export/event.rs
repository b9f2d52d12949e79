//! What was done, and what was seen around it.

use qa_core::{Assertion, Observation, Receipt, Settle};

use super::Reason;

/// One action, with what was seen around it.
#[derive(Debug, Clone)]
pub struct Event {
    /// What was done, on an element of the view before it; or why nothing was.
    pub action: Result<qa_core::Action, Undone>,
    /// The page before it.
    pub before: Option<Observation>,
    /// What the device acknowledged.
    pub receipt: Option<Receipt>,
    /// The page after it, once it had come to rest.
    pub after: Option<Observation>,
    /// How that came to rest.
    pub settle: Option<Settle>,
    /// What was claimed of the page after it, and held there.
    pub claims: Vec<Assertion>,
}

impl Event {
    /// Its element, as an index of the view before it.
    pub(super) fn node(&self) -> Option<usize> {
        let wanted = &self.action.as_ref().ok()?.target()?.node_ref;
        let mut nodes = self.before.as_ref()?.nodes.iter();
        nodes.position(|node| node.node_ref == *wanted)
    }
}

/// Why an action cannot be part of a scenario, whatever came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undone {
    /// Its element was not found, so that nothing was done.
    NoElement,
    /// Its element is today one that is never touched, so that nothing was done.
    Forbidden,
    /// What it sends is not stored.
    Withheld,
    /// The app was started anew after it.
    StartedAnew,
}

impl Undone {
    pub(super) fn reason(self) -> Reason {
        match self {
            Self::NoElement => ("TARGET_REF_NOT_FOUND", "its element was not found"),
            Self::Forbidden => (
                "ACTION_REJECTED",
                "its element is one that is never touched today",
            ),
            Self::Withheld => ("ACTION_PAYLOAD_REDACTED", "its text is not stored"),
            Self::StartedAnew => (
                "UNSUPPORTED_REPLAY_ACTION",
                "the app was started anew after it, and a scenario has one start",
            ),
        }
    }
}
