//! What really happened in a simulated app, for tests and for telling how good a run was.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::world::World;

/// Looks into a simulated app from outside, during a run and after it.
#[derive(Debug, Clone)]
pub struct SimProbe(pub(crate) Arc<Mutex<World>>);

/// One time that a planted fault happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Which fault.
    pub fault: String,
    /// Ordinal of the action that led to it, however late.
    pub cause: u64,
    /// Ordinal of the last action that had begun when it happened.
    pub after_action: u64,
    /// When, in app time.
    pub at: Duration,
}

impl SimProbe {
    /// Every fault that happened, in order.
    #[must_use]
    pub fn occurrences(&self) -> Vec<Occurrence> {
        lock(&self.0).occurrences.clone()
    }

    /// How often each trap was touched, as `screen/element`.
    #[must_use]
    pub fn touched_traps(&self) -> BTreeMap<String, u64> {
        lock(&self.0).touches.clone()
    }

    /// How often the app was launched.
    #[must_use]
    pub fn launches(&self) -> u64 {
        lock(&self.0).launches
    }

    /// The value of a counter.
    #[must_use]
    pub fn counter(&self, name: &str) -> i64 {
        lock(&self.0).counter(name)
    }
}

/// The state that driver, watch and probe share. No code that holds it can leave it half changed.
pub(crate) fn lock(world: &Mutex<World>) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}
