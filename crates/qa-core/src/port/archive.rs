//! Where records go.

use crate::{CrashRecord, Outcome, Picture, StateGraph, StepRecord};

/// Where records go.
///
/// Each call returns only when its record is durable: a crash never refers to a step that a power
/// loss could take away (EXP-050).
pub trait Archive: Send {
    /// Stores a step with the pictures before and after it, and nothing in them that must not be
    /// seen.
    fn step(
        &mut self,
        step: &StepRecord,
        before: Option<&Picture>,
        after: Option<&Picture>,
    ) -> Result<(), ArchiveError>;

    /// Stores a crash; its step is stored already.
    fn crash(&mut self, crash: &CrashRecord) -> Result<(), ArchiveError>;

    /// Stores a finding; its step is stored already.
    fn finding(&mut self, finding: &CrashRecord) -> Result<(), ArchiveError>;

    /// Shows the graph after a step. The archive decides when a snapshot is worth its cost; a run
    /// that is killed leaves one that is not older than a tenth of its pages.
    fn graph(&mut self, graph: &StateGraph) -> Result<(), ArchiveError>;

    /// Stores the end of the run. Called once, last.
    fn finish(&mut self, outcome: &Outcome, graph: &StateGraph) -> Result<(), ArchiveError>;
}

/// A record could not be stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("could not store {what}: {reason}")]
pub struct ArchiveError {
    /// Which record.
    pub what: String,
    /// What the system said.
    pub reason: String,
}
