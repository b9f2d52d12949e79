//! A device that sees only so much at a time, and remembers how it was looked at.

use std::time::Duration;

use async_trait::async_trait;
use qa_core::{
    Action, Advanced, Capability, Driver, DriverError, DriverInfo, Image, Notice, Observation,
    ObserveRequest, Receipt,
};
use qa_sim::SimDriver;

/// A simulated device that returns fewer nodes than it is asked for, and knows that it has seen all
/// only after a thorough look.
pub(crate) struct Narrow {
    inner: SimDriver,
    info: DriverInfo,
    /// The most nodes of a usual look.
    most: usize,
    /// The most nodes of one with a larger budget.
    most_escalated: usize,
    /// How it was looked at.
    pub(crate) looks: Vec<ObserveRequest>,
}

impl Narrow {
    pub(crate) fn new(inner: SimDriver, most: usize, most_escalated: usize) -> Self {
        Self {
            info: inner.info().clone(),
            inner,
            most,
            most_escalated,
            looks: Vec::new(),
        }
    }

    /// A device that lacks something.
    pub(crate) fn without(mut self, capability: Capability) -> Self {
        self.info.capabilities.remove(&capability);
        self
    }

    pub(crate) fn thorough_looks(&self) -> usize {
        self.looks.iter().filter(|look| look.thorough).count()
    }

    pub(crate) fn escalated_looks(&self) -> usize {
        let is_escalated = |look: &&ObserveRequest| **look == ObserveRequest::ESCALATED;
        self.looks.iter().filter(is_escalated).count()
    }
}

#[async_trait]
impl Driver for Narrow {
    fn info(&self) -> &DriverInfo {
        &self.info
    }

    async fn launch(&mut self) -> Result<Receipt, DriverError> {
        self.inner.launch().await
    }

    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
        self.looks.push(request);
        let is_escalated = request.max_nodes > ObserveRequest::JUDGING.max_nodes;
        let max_nodes = if is_escalated {
            self.most_escalated
        } else {
            self.most
        };
        let narrow = ObserveRequest {
            max_nodes,
            ..request
        };
        let mut view = self.inner.observe(narrow).await?;
        view.completeness.coverage.verified &= request.thorough;
        Ok(view)
    }

    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError> {
        self.inner.act(action).await
    }

    async fn screenshot(&mut self) -> Result<Image, DriverError> {
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
        self.inner.advance(span).await
    }

    async fn stop(&mut self) -> Result<(), DriverError> {
        self.inner.stop().await
    }
}
