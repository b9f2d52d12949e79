//! Our side of the comparison: the driver, used as the engine uses it.

use std::path::Path;
use std::time::Instant;

use qa_core::{
    Action, Awaited, Clock, Driver, DriverError, ElementKey, Observation, ObserveRequest, Platform,
    Projection, SettlePolicy, Target, settle,
};
use qa_drivers::cdp::{BrowserChoice, CdpDriver, CdpOptions, CdpWatch};

use crate::failure::Failure;

/// Our driver on one page.
pub(super) struct Ours {
    driver: CdpDriver,
    /// Holds the page's faults as in a real run.
    _watch: CdpWatch,
    /// The page as it last came to rest.
    view: Observation,
    projection: Projection,
}

impl Ours {
    /// Opens a page in a browser of our own and waits until it is at rest.
    pub(super) async fn open(browser: &Path, url: &str, clock: Clock) -> Result<Self, Failure> {
        let mut options = CdpOptions::new(url);
        options.clock = clock;
        options.browser = BrowserChoice::Launch {
            path: Some(browser.to_owned()),
            headed: false,
            no_sandbox: false,
        };
        let (mut driver, watch) = CdpDriver::open(options)
            .await
            .map_err(|error| Failure::missing(error.to_string()))?;
        let receipt = driver.launch().await.map_err(lost)?;
        if !receipt.is_ok() {
            return Err(Failure::failed(format!("launch: {receipt:?}")));
        }
        let (view, projection) = rest(&mut driver, None).await?;
        Ok(Self {
            driver,
            _watch: watch,
            view,
            projection,
        })
    }

    /// How long a look takes, in milliseconds, and how many nodes it returned.
    pub(super) async fn observe(
        &mut self,
        request: ObserveRequest,
    ) -> Result<(f64, usize), Failure> {
        let start = Instant::now();
        let view = self.driver.observe(request).await.map_err(lost)?;
        Ok((millis(start), view.nodes.len()))
    }

    /// How long a click takes, in milliseconds.
    pub(super) async fn click(&mut self, id: &str) -> Result<f64, Failure> {
        let action = self.tap(id)?;
        let start = Instant::now();
        let receipt = self.driver.act(&action).await.map_err(lost)?;
        let took = millis(start);
        if receipt.is_ok() {
            return Ok(took);
        }
        Err(Failure::failed(format!("click: {receipt:?}")))
    }

    /// How long a click and the proof that its page is at rest take, in milliseconds.
    pub(super) async fn step(&mut self, id: &str) -> Result<f64, Failure> {
        let start = Instant::now();
        self.click(id).await?;
        let before = self.projection;
        (self.view, self.projection) = rest(&mut self.driver, Some(&before)).await?;
        Ok(millis(start))
    }

    /// The title of the page as it is now.
    pub(super) async fn title(&mut self) -> Result<String, Failure> {
        let (view, _) = rest(&mut self.driver, None).await?;
        Ok(view.title)
    }

    /// Ends the browser.
    pub(super) async fn close(mut self) -> Result<(), Failure> {
        self.driver.stop().await.map_err(lost)
    }

    fn tap(&self, id: &str) -> Result<Action, Failure> {
        let node = self
            .view
            .nodes
            .iter()
            .find(|node| node.id.as_deref() == Some(id))
            .ok_or_else(|| Failure::failed(format!("no element #{id} in view")))?;
        Ok(Action::Tap {
            target: Target {
                node_ref: node.node_ref.clone(),
                key: ElementKey::of(Platform::Web, node),
            },
        })
    }
}

async fn rest(
    driver: &mut CdpDriver,
    before: Option<&Projection>,
) -> Result<(Observation, Projection), Failure> {
    let mut may_widen = false;
    let awaited = Awaited {
        before: before.copied(),
        ..Awaited::default()
    };
    let settled = settle(
        driver,
        &SettlePolicy::PROVE,
        &awaited,
        ObserveRequest::JUDGING,
        &mut may_widen,
    )
    .await
    .map_err(lost)?;
    Ok((settled.view, settled.projection))
}

fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

fn lost(error: DriverError) -> Failure {
    Failure::failed(error.to_string())
}
