//! A simulated device on a wire that writes down what goes over it, and that may break.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use proptest::prelude::*;
use qa_core::{
    Action, Advanced, Driver, DriverError, DriverInfo, Image, Notice, Observation, ObserveRequest,
    Receipt, ReceiptStatus,
};
use qa_sim::SimDriver;

/// One thing that went over the wire.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Call {
    Launch,
    Observe,
    /// What was asked, with the view that was read last before it, and what was answered.
    Act(Box<(Action, Option<Observation>, Receipt)>),
    Stop,
}

/// What is wrong with the wire.
#[derive(Debug, Clone, Default)]
pub(super) struct Trouble {
    /// This call fails, counted from 1, in this way.
    pub(super) fails: Option<(usize, Break)>,
    /// So many actions are refused because their target changed.
    pub(super) changed: u32,
    /// Every view says that more exists.
    pub(super) truncated: bool,
    /// No view says that all of it was walked.
    pub(super) unverified: bool,
    /// Number of the contract that the driver says it keeps; its own if not given.
    pub(super) contract: Option<u32>,
    /// The driver does not stop as it should.
    pub(super) stop_fails: bool,
}

/// How a call fails.
#[derive(Debug, Clone, Copy)]
pub(super) enum Break {
    Lost,
    Gone,
    Unclear,
}

pub(super) fn any_trouble() -> impl Strategy<Value = Trouble> {
    prop_oneof![Just(Trouble::default()), some_trouble()]
}

fn some_trouble() -> impl Strategy<Value = Trouble> {
    let how = prop::sample::select(vec![Break::Lost, Break::Gone, Break::Unclear]);
    (
        prop::option::weighted(0.2, (1..40_usize, how)),
        prop_oneof![6 => Just(0), 1 => 1..9_u32],
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.1),
    )
        .prop_map(
            |(fails, changed, truncated, unverified, stop_fails)| Trouble {
                fails,
                changed,
                truncated,
                unverified,
                contract: None,
                stop_fails,
            },
        )
}

/// The device behind the wire.
pub(super) struct Wire {
    inner: SimDriver,
    info: DriverInfo,
    trouble: Trouble,
    calls: usize,
    view: Option<Observation>,
    log: Arc<Mutex<Vec<Call>>>,
}

impl Wire {
    pub(super) fn new(inner: SimDriver, trouble: Trouble) -> (Self, Arc<Mutex<Vec<Call>>>) {
        let log = Arc::default();
        let mut info = inner.info().clone();
        if let Some(contract) = trouble.contract {
            info.contract = contract;
        }
        let wire = Self {
            inner,
            info,
            trouble,
            calls: 0,
            view: None,
            log: Arc::clone(&log),
        };
        (wire, log)
    }

    fn put(&self, call: Call) {
        self.log.lock().unwrap().push(call);
    }

    /// Counts a call, and breaks where it must.
    fn pass(&mut self, what: &str) -> Result<(), DriverError> {
        self.calls += 1;
        let (what, reason) = (what.to_owned(), "the wire broke".to_owned());
        match self.trouble.fails {
            Some((at, how)) if at == self.calls => Err(match how {
                Break::Lost => DriverError::Lost {
                    device: what,
                    reason,
                },
                Break::Gone => DriverError::AppGone { reason },
                Break::Unclear => DriverError::Protocol { what, reason },
            }),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Driver for Wire {
    fn info(&self) -> &DriverInfo {
        &self.info
    }

    async fn launch(&mut self) -> Result<Receipt, DriverError> {
        self.put(Call::Launch);
        self.pass("launch")?;
        self.inner.launch().await
    }

    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
        self.put(Call::Observe);
        self.pass("observe")?;
        let mut view = self.inner.observe(request).await?;
        view.completeness.truncated |= self.trouble.truncated;
        view.completeness.coverage.verified &= !self.trouble.unverified;
        self.view = Some(view.clone());
        Ok(view)
    }

    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError> {
        self.pass("act")?;
        let receipt = if self.trouble.changed > 0 {
            self.trouble.changed -= 1;
            let reason = "it is another one";
            Receipt::not_ok(ReceiptStatus::Rejected, 0, "TARGET_CHANGED", reason)
        } else {
            self.inner.act(action).await?
        };
        let told = (action.clone(), self.view.clone(), receipt.clone());
        self.put(Call::Act(Box::new(told)));
        Ok(receipt)
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
        self.pass("advance")?;
        self.inner.advance(span).await
    }

    async fn stop(&mut self) -> Result<(), DriverError> {
        self.put(Call::Stop);
        self.inner.stop().await?;
        if self.trouble.stop_fails {
            return Err(DriverError::Protocol {
                what: "stop".into(),
                reason: "it did not confirm".into(),
            });
        }
        Ok(())
    }
}
