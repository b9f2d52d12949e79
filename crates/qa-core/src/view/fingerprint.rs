//! A page's identity.

use serde::{Deserialize, Serialize};

/// A page's identity: the first 12 hex digits of a SHA-1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub String);

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How much two views may differ and still be one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageIdentity {
    /// Counters, clocks, typed text and the number of equal rows do not make a new page.
    #[default]
    Shape,
    /// Every text counts.
    Exact,
}
