//! The watch over a simulated app.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use qa_core::{Crash, CrashWatch, WatchError, WatchState};

use crate::mishap::Mishaps;
use crate::probe::lock;
use crate::world::World;

/// The watch over a simulated app: reports each planted fault once.
#[derive(Debug)]
pub struct SimWatch {
    world: Arc<Mutex<World>>,
    mishaps: Mishaps,
    queries: u64,
    running: bool,
}

impl SimWatch {
    pub(crate) fn new(world: Arc<Mutex<World>>, mishaps: Mishaps) -> Self {
        Self {
            world,
            mishaps,
            queries: 0,
            running: false,
        }
    }

    fn has_died(&self) -> bool {
        let ordinal = lock(&self.world).ordinal;
        self.mishaps
            .watch_dies_at_action
            .is_some_and(|at| ordinal >= at)
    }
}

fn unavailable(reason: &str) -> WatchError {
    WatchError {
        reason: reason.into(),
    }
}

#[async_trait]
impl CrashWatch for SimWatch {
    async fn start(&mut self) -> Result<(), WatchError> {
        if self.mishaps.watch_start_fails {
            return Err(unavailable("the simulated log cannot be opened"));
        }
        let mut world = lock(&self.world);
        world.evidence.clear();
        world.watching = true;
        drop(world);
        self.running = true;
        Ok(())
    }

    fn state(&self) -> WatchState {
        match (self.running, self.has_died()) {
            (false, _) => WatchState::Stopped,
            (true, false) => WatchState::Running,
            (true, true) => WatchState::Failed("unexpected_close".into()),
        }
    }

    async fn query(&mut self) -> Result<Vec<Crash>, WatchError> {
        self.queries += 1;
        if self.mishaps.failed_queries.contains(&self.queries) || self.has_died() {
            return Err(unavailable("the simulated log does not answer"));
        }
        let mut news = std::mem::take(&mut lock(&self.world).evidence);
        if self.mishaps.watch_knows_no_actions {
            for crash in &mut news {
                crash.after_action = None;
            }
        }
        Ok(merged(news))
    }

    async fn stop(&mut self) -> Result<(), WatchError> {
        lock(&self.world).watching = false;
        self.running = false;
        if self.mishaps.watch_stop_fails || self.has_died() {
            return Err(unavailable("the simulated log did not end cleanly"));
        }
        Ok(())
    }
}

/// Counts repetitions that no action lies between, instead of repeating them.
fn merged(news: Vec<Crash>) -> Vec<Crash> {
    let mut distinct: Vec<Crash> = Vec::new();
    for crash in news {
        let same = distinct.iter_mut().find(|known| {
            known.signature == crash.signature && known.after_action == crash.after_action
        });
        match same {
            Some(known) => known.count += crash.count,
            None => distinct.push(crash),
        }
    }
    distinct
}
