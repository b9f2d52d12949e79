//! Where evidence of crashes comes from.

use async_trait::async_trait;

use crate::{Crash, Evidence, Observation};

/// Where evidence of crashes comes from.
///
/// Nothing that happened after [`start`](CrashWatch::start) is lost, and nothing is reported
/// twice. A query that cannot be answered is an error, never "none".
#[async_trait]
pub trait CrashWatch: Send {
    /// Begins to watch. What happened before is not reported.
    async fn start(&mut self) -> Result<(), WatchError>;

    /// Whether evidence is being collected.
    fn state(&self) -> WatchState;

    /// What is new since the last query, in the order in which it happened.
    async fn query(&mut self) -> Result<Vec<Crash>, WatchError>;

    /// Shows a view that came to rest, or one that gave up, so that what can be seen on it
    /// (nothing where there was something, say) becomes evidence for the next query.
    fn judge_view(&mut self, view: &Observation) {
        let _ = view;
    }

    /// What the app logged and asked of servers since the last call; nothing where that is not
    /// collected.
    fn take_evidence(&mut self) -> Option<Evidence> {
        None
    }

    /// Ends the watch. An error means that evidence may be missing.
    async fn stop(&mut self) -> Result<(), WatchError>;
}

/// Whether evidence is being collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchState {
    /// Yes.
    Running,
    /// Not started, or ended as asked.
    Stopped,
    /// No longer, and nobody asked for it.
    Failed(String),
}

/// Evidence could not be collected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("crash evidence is unavailable: {reason}")]
pub struct WatchError {
    /// What is known.
    pub reason: String,
}
