//! Ports that write down what is asked of them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use qa_core::{
    Action, Advanced, Archive, ArchiveError, Boundary, Crash, CrashRecord, CrashWatch, Driver,
    DriverError, DriverInfo, Fingerprint, Image, Notice, Observation, ObserveRequest, Outcome,
    PageIdentity, Picture, Receipt, StateGraph, StepRecord, WatchError, WatchState, fingerprint,
};

/// One call of a port.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Call {
    Launch,
    Observe,
    Act(Action),
    Screenshot,
    Advance(Duration),
    StopDriver,
    StartWatch,
    Query,
    StopWatch,
    Step(u32, String),
    Crash(String, u32),
    Finding(String, u32),
    Finish,
}

/// The calls in order, and the app's own pages that were seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<(Vec<Call>, BTreeSet<Fingerprint>)>>);

impl Log {
    fn put(&self, call: Call) {
        self.0.lock().unwrap().0.push(call);
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.0.lock().unwrap().0.clone()
    }

    /// Pages of the app itself, as the driver showed them.
    pub(crate) fn own_pages(&self) -> BTreeSet<Fingerprint> {
        self.0.lock().unwrap().1.clone()
    }
}

/// A port that writes down what is asked of it.
pub(crate) struct Recorded<T> {
    pub(crate) inner: T,
    pub(crate) log: Log,
    pub(crate) identity: PageIdentity,
}

#[async_trait]
impl<T: Driver> Driver for Recorded<T> {
    fn info(&self) -> &DriverInfo {
        self.inner.info()
    }

    async fn launch(&mut self) -> Result<Receipt, DriverError> {
        self.log.put(Call::Launch);
        self.inner.launch().await
    }

    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
        self.log.put(Call::Observe);
        let view = self.inner.observe(request).await?;
        let own = self.inner.info().target.clone();
        if view.front.as_deref() == Some(&own) {
            let boundary = Boundary::new(view.platform, vec![own]);
            let page = fingerprint(&view, &boundary, self.identity);
            self.log.0.lock().unwrap().1.insert(page);
        }
        Ok(view)
    }

    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError> {
        self.log.put(Call::Act(action.clone()));
        self.inner.act(action).await
    }

    async fn screenshot(&mut self) -> Result<Image, DriverError> {
        self.log.put(Call::Screenshot);
        self.inner.screenshot().await
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        self.inner.take_notices()
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn elapsed(&self) -> Duration {
        self.inner.elapsed()
    }

    async fn advance(&mut self, span: Duration) -> Result<Advanced, DriverError> {
        self.log.put(Call::Advance(span));
        self.inner.advance(span).await
    }

    async fn stop(&mut self) -> Result<(), DriverError> {
        self.log.put(Call::StopDriver);
        self.inner.stop().await
    }
}

#[async_trait]
impl<T: CrashWatch> CrashWatch for Recorded<T> {
    async fn start(&mut self) -> Result<(), WatchError> {
        self.log.put(Call::StartWatch);
        self.inner.start().await
    }

    fn state(&self) -> WatchState {
        self.inner.state()
    }

    async fn query(&mut self) -> Result<Vec<Crash>, WatchError> {
        self.log.put(Call::Query);
        self.inner.query().await
    }

    async fn stop(&mut self) -> Result<(), WatchError> {
        self.log.put(Call::StopWatch);
        self.inner.stop().await
    }
}

impl<T: Archive> Archive for Recorded<T> {
    fn step(
        &mut self,
        step: &StepRecord,
        before: Option<&Picture>,
        after: Option<&Picture>,
    ) -> Result<(), ArchiveError> {
        self.log.put(Call::Step(step.index, step.action.clone()));
        self.inner.step(step, before, after)
    }

    fn crash(&mut self, crash: &CrashRecord) -> Result<(), ArchiveError> {
        self.log
            .put(Call::Crash(crash.id.clone(), crash.step_index));
        self.inner.crash(crash)
    }

    fn finding(&mut self, finding: &CrashRecord) -> Result<(), ArchiveError> {
        self.log
            .put(Call::Finding(finding.id.clone(), finding.step_index));
        self.inner.finding(finding)
    }

    fn graph(&mut self, graph: &StateGraph) -> Result<(), ArchiveError> {
        self.inner.graph(graph)
    }

    fn finish(&mut self, outcome: &Outcome, graph: &StateGraph) -> Result<(), ArchiveError> {
        self.log.put(Call::Finish);
        self.inner.finish(outcome, graph)
    }
}
