//! What an app says and asks beside its views.

use serde::{Deserialize, Serialize};

/// What an app logged and asked of servers, the latest of it: what came before that is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// What was logged, in order.
    pub console: Vec<ConsoleLine>,
    /// What was asked, in the order of the answers.
    pub network: Vec<Exchange>,
    /// How much is not among them.
    pub dropped: Dropped,
}

/// A line of an app's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleLine {
    /// How the app called it: `log`, `warning`, `error`, ….
    pub kind: String,
    /// What it says.
    pub text: String,
}

/// A request and what came of it. Headers and bodies are not looked at (RED-034).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exchange {
    /// `GET`, `POST`, ….
    pub method: String,
    /// The status of the answer, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was asked for: `document`, `script`, `fetch`, ….
    pub resource_type: String,
    /// Where, without credentials, query and fragment.
    pub url: String,
}

impl Exchange {
    /// Whether it did not bring what was asked for.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.error.is_some() || self.status.is_some_and(|status| status >= 400)
    }
}

/// Evidence that was too much to keep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Lines.
    pub console: u64,
    /// Exchanges.
    pub network: u64,
}

impl Dropped {
    /// Whether nothing was.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
