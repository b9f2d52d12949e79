//! What an observation did not see, and how we know.

use serde::{Deserialize, Serialize};

/// What one look at the screen left out.
///
/// A missing report is read as incomplete: [`Completeness::default`] claims nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completeness {
    /// Nodes exist that are not in the observation.
    pub truncated: bool,
    /// Why, in the words of [`TruncationReason`].
    pub reasons: Vec<TruncationReason>,
    /// The budget of nodes that was applied.
    pub node_budget: usize,
    /// Whether every part of the screen was walked.
    pub coverage: Coverage,
    /// Candidates left out because nobody can see them.
    pub hidden_matches: usize,
    /// `hidden_matches` is a lower bound.
    pub hidden_matches_partial: bool,
}

impl Default for Completeness {
    fn default() -> Self {
        Self {
            truncated: true,
            reasons: Vec::new(),
            node_budget: 0,
            coverage: Coverage::default(),
            hidden_matches: 0,
            hidden_matches_partial: true,
        }
    }
}

/// Which parts of the screen were walked (REP-060).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Every root and frame in scope was walked.
    pub verified: bool,
    /// Closed shadow roots met.
    pub closed_shadow_roots: usize,
    /// Elements looked at.
    pub probed_nodes: usize,
    /// Why it is not verified.
    pub reason: Option<String>,
}

/// Why an observation is incomplete. The words are those of the wire (REP-052).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TruncationReason {
    /// More nodes than the budget.
    NodeBudgetExceeded,
    /// More text than the budget.
    ByteBudgetExceeded,
    /// More matches than the scan window.
    ScanWindowExceeded,
    /// A frame that could not be entered.
    IframeNotTraversed,
    /// A slot whose content could not be assigned.
    SlotUnresolved,
    /// A closed shadow root that could not be entered.
    ClosedShadowRoot,
    /// Nobody looked for closed shadow roots.
    ShadowCoverageUnverified,
    /// A word of a driver that we do not know.
    #[serde(untagged)]
    Unknown(String),
}
