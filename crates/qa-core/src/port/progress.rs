//! Who is told how a run goes on, and who may end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{CrashRecord, StepRecord};

/// Somebody who watches a run. Gets raw records: whoever prints them redacts first.
pub trait Progress: Send {
    /// A step was stored; `pages` are known by now.
    fn step(&mut self, step: &StepRecord, pages: usize);

    /// A crash or finding was stored.
    fn crash(&mut self, crash: &CrashRecord);
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&mut self, _step: &StepRecord, _pages: usize) {}

    fn crash(&mut self, _crash: &CrashRecord) {}
}

/// Asks a run to end properly: the step in flight is finished, the rest of the path (drain, stop,
/// report) is taken.
#[derive(Debug, Clone, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// Asks.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
