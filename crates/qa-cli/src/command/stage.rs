//! One browser for one replay after the other.

use std::collections::BTreeSet;

use qa_core::{CrashKind, StopSignal, VisionAdvisor};
use qa_drivers::cdp::{CdpBrowser, CdpDriver, CdpOptions, CdpWatch};
use qa_replay::{ReplayOptions, ReplayPorts, RunReport, Scenario, Settings, replay_advised};

use super::session;
use crate::exit::Failure;

/// A browser in which each app has a context of its own. It is opened when it is needed, and again
/// when it is gone.
#[derive(Default)]
pub(super) struct Stage {
    browser: Option<CdpBrowser>,
}

/// How a replay is judged.
#[derive(Debug, Clone)]
pub(super) struct How {
    /// A target that may have a twin out of sight proves nothing.
    pub(super) strict_uniqueness: bool,
    /// A crash of the app is a failure, whatever the scenario claims.
    pub(super) fail_on_crash: bool,
    /// Kinds of findings that are failures too.
    pub(super) fail_on: BTreeSet<CrashKind>,
    /// How long is waited, where a scenario does not say so itself.
    pub(super) settle: Settings,
}

impl Stage {
    /// A driver for an app, and the watch over it.
    pub(super) async fn drive(
        &mut self,
        options: &CdpOptions,
    ) -> Result<(CdpDriver, CdpWatch), Failure> {
        if self.browser.as_ref().is_some_and(|it| !it.is_alive()) {
            self.close().await;
        }
        let browser = match &self.browser {
            Some(browser) => browser,
            None => {
                let opened = CdpBrowser::open(options).await;
                let opened = opened.map_err(|error| session::no_browser(&error))?;
                self.browser.insert(opened)
            }
        };
        Ok(browser.drive(options.clone()))
    }

    /// Replays a scenario once.
    pub(super) async fn replay(
        &mut self,
        scenario: &Scenario,
        options: &CdpOptions,
        how: &How,
        stop: &StopSignal,
        advisor: Option<&mut dyn VisionAdvisor>,
    ) -> Result<RunReport, Failure> {
        let (mut driver, mut watch) = self.drive(options).await?;
        let ports = ReplayPorts {
            driver: &mut driver,
            watch: &mut watch,
            stop,
        };
        let how = ReplayOptions {
            started_at: qa_report::timestamp(),
            strict_uniqueness: how.strict_uniqueness,
            fail_on_crash: how.fail_on_crash,
            fail_on: how.fail_on.clone(),
            allow_origins: options.origins(),
            blocklist: options.blocklist.clone(),
            settle: how.settle,
        };
        let mut report = replay_advised(scenario, ports, &how, advisor).await;
        report.finished_at = qa_report::timestamp();
        Ok(report)
    }

    /// Ends the browser.
    pub(super) async fn close(&mut self) {
        if let Some(browser) = self.browser.take() {
            // What was found is known by now.
            let _ = browser.close().await;
        }
    }
}
