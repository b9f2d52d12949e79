//! The verdict of a run.

use serde::{Deserialize, Serialize};

/// The verdict of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not finished.
    Running,
    /// Explored, and no crash seen.
    Passed,
    /// A crash, or evidence that was lost.
    Failed,
    /// Could not be done as asked: proves nothing.
    Aborted,
}

impl Status {
    /// Exit code of the command line (EXP-134).
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Running | Self::Aborted => 2,
        }
    }
}
